// Loading libcurl: at the first request, and privately.

#include "libcurl.h"

#include "exit.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>

#if defined(__has_include)
#if __has_include(<curl/curl.h>)
#include <curl/curl.h>
_Static_assert(LIBCURL_GLOBAL_DEFAULT == CURL_GLOBAL_DEFAULT, "CURL_GLOBAL_DEFAULT");
_Static_assert(LIBCURL_OPT_PROTOCOLS == LIBCURL_OPT_NOSIGNAL + 82 && LIBCURL_OPT_NOSIGNAL == CURLOPT_NOSIGNAL, "NOSIGNAL");
_Static_assert(LIBCURL_OPT_POST == CURLOPT_POST, "POST");
_Static_assert(LIBCURL_OPT_TIMEOUT_MS == CURLOPT_TIMEOUT_MS, "TIMEOUT_MS");
_Static_assert(LIBCURL_OPT_CONNECTTIMEOUT_MS == CURLOPT_CONNECTTIMEOUT_MS, "CONNECTTIMEOUT_MS");
_Static_assert(LIBCURL_OPT_WRITEDATA == CURLOPT_WRITEDATA, "WRITEDATA");
_Static_assert(LIBCURL_OPT_URL == CURLOPT_URL, "URL");
_Static_assert(LIBCURL_OPT_NOPROGRESS == CURLOPT_NOPROGRESS, "NOPROGRESS");
_Static_assert(LIBCURL_OPT_HEADERDATA == CURLOPT_HEADERDATA, "HEADERDATA");
_Static_assert(LIBCURL_OPT_XFERINFODATA == CURLOPT_XFERINFODATA, "XFERINFODATA");
_Static_assert(LIBCURL_OPT_HEADERFUNCTION == CURLOPT_HEADERFUNCTION, "HEADERFUNCTION");
_Static_assert(LIBCURL_OPT_XFERINFOFUNCTION == CURLOPT_XFERINFOFUNCTION, "XFERINFOFUNCTION");
_Static_assert(LIBCURL_OPT_PROXY == CURLOPT_PROXY, "PROXY");
_Static_assert(LIBCURL_OPT_CAINFO == CURLOPT_CAINFO, "CAINFO");
_Static_assert(LIBCURL_OPT_ERRORBUFFER == CURLOPT_ERRORBUFFER, "ERRORBUFFER");
_Static_assert(LIBCURL_OPT_POSTFIELDS == CURLOPT_POSTFIELDS, "POSTFIELDS");
_Static_assert(LIBCURL_OPT_HTTPHEADER == CURLOPT_HTTPHEADER, "HTTPHEADER");
_Static_assert(LIBCURL_OPT_WRITEFUNCTION == CURLOPT_WRITEFUNCTION, "WRITEFUNCTION");
_Static_assert(LIBCURL_OPT_POSTFIELDSIZE_LARGE == CURLOPT_POSTFIELDSIZE_LARGE, "POSTFIELDSIZE_LARGE");
_Static_assert(LIBCURL_OPT_UPLOAD == CURLOPT_UPLOAD, "UPLOAD");
_Static_assert(LIBCURL_OPT_READFUNCTION == CURLOPT_READFUNCTION, "READFUNCTION");
_Static_assert(LIBCURL_OPT_READDATA == CURLOPT_READDATA, "READDATA");
_Static_assert(LIBCURL_OPT_INFILESIZE_LARGE == CURLOPT_INFILESIZE_LARGE, "INFILESIZE_LARGE");
_Static_assert(LIBCURL_OPT_LOW_SPEED_LIMIT == CURLOPT_LOW_SPEED_LIMIT, "LOW_SPEED_LIMIT");
_Static_assert(LIBCURL_OPT_LOW_SPEED_TIME == CURLOPT_LOW_SPEED_TIME, "LOW_SPEED_TIME");
_Static_assert(LIBCURL_PROTOCOLS_HTTP_AND_HTTPS == (CURLPROTO_HTTP | CURLPROTO_HTTPS), "PROTOCOLS");
_Static_assert(LIBCURL_ERROR_SIZE == CURL_ERROR_SIZE, "ERROR_SIZE");
_Static_assert(LIBCURL_CODE_WRITE_ERROR == CURLE_WRITE_ERROR, "WRITE_ERROR");
_Static_assert(LIBCURL_INFO_RESPONSE_CODE == CURLINFO_RESPONSE_CODE, "RESPONSE_CODE");
_Static_assert(LIBCURL_INFO_RETRY_AFTER == CURLINFO_RETRY_AFTER, "RETRY_AFTER");
_Static_assert(sizeof(curl_off_t) == 8, "curl_off_t");
#endif
#endif

#if defined(__APPLE__)
#define LIBRARY_NAME "libcurl.4.dylib"
#else
#define LIBRARY_NAME "libcurl.so.4"
#endif

static pthread_once_t load_once = PTHREAD_ONCE_INIT;
static LibCurl library;
static char load_problem[256];

static void *symbol(void *handle, const char *name) {
    void *address = dlsym(handle, name);
    if (address == NULL && load_problem[0] == 0) {
        snprintf(load_problem, sizeof load_problem, LIBRARY_NAME " has no function %s", name);
    }
    return address;
}

/// OpenSSL takes itself down in a function that `exit` calls, and one that is registered while our thread is in the middle of
/// its initialisation runs before ours can wait for that thread. So it registers none; it has nothing to save. It has no effect
/// where the service uses OpenSSL already.
static void keep_openssl_at_exit(void *handle) {
    const uint64_t no_atexit = 0x00080000;  // OPENSSL_INIT_NO_ATEXIT, OPENSSL_init_crypto(3)
    int (*init_crypto)(uint64_t, const void *) = (int (*)(uint64_t, const void *))dlsym(handle, "OPENSSL_init_crypto");
    if (init_crypto != NULL) init_crypto(no_atexit, NULL);
}

static void load(void) {
    // RTLD_LOCAL: neither libcurl nor its 30 dependencies (a TLS library among them) may take part in the service's own
    // symbol resolution. The handle is never closed; a service that uses libcurl itself shares the one instance.
    mayday_wait_at_exit();
    void *handle = dlopen(LIBRARY_NAME, RTLD_NOW | RTLD_LOCAL);
    if (handle == NULL) {
        const char *reason = dlerror();
        snprintf(load_problem, sizeof load_problem, "%s", reason != NULL ? reason : LIBRARY_NAME " cannot be loaded");
        return;
    }
    keep_openssl_at_exit(handle);
    library.global_init = (int (*)(long))symbol(handle, "curl_global_init");
    library.easy_init = (void *(*)(void))symbol(handle, "curl_easy_init");
    library.easy_setopt = (int (*)(void *, int, ...))symbol(handle, "curl_easy_setopt");
    library.easy_perform = (int (*)(void *))symbol(handle, "curl_easy_perform");
    library.easy_getinfo = (int (*)(void *, int, ...))symbol(handle, "curl_easy_getinfo");
    library.easy_cleanup = (void (*)(void *))symbol(handle, "curl_easy_cleanup");
    library.easy_strerror = (const char *(*)(int))symbol(handle, "curl_easy_strerror");
    library.slist_append = (void *(*)(void *, const char *))symbol(handle, "curl_slist_append");
    library.slist_free_all = (void (*)(void *))symbol(handle, "curl_slist_free_all");
    if (load_problem[0] == 0 && library.global_init(LIBCURL_GLOBAL_DEFAULT) != LIBCURL_CODE_OK) {
        snprintf(load_problem, sizeof load_problem, LIBRARY_NAME " cannot be initialised");
    }
    mayday_wait_at_exit();
}

const LibCurl *mayday_libcurl(const char **problem) {
    pthread_once(&load_once, load);
    *problem = load_problem;
    return load_problem[0] == 0 ? &library : NULL;
}
