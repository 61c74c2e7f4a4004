// What we use of libcurl, declared by hand: its numbers are part of the ABI of libcurl.so.4, unchanged since 2006, so the
// SDK builds without libcurl's headers. Where the headers are installed, libcurl.c checks every number against them.

#ifndef MAYDAY_LIBCURL_H
#define MAYDAY_LIBCURL_H

enum {
    LIBCURL_GLOBAL_DEFAULT = 3,

    LIBCURL_OPT_PROTOCOLS = 181,
    LIBCURL_OPT_NOSIGNAL = 99,
    LIBCURL_OPT_POST = 47,
    LIBCURL_OPT_TIMEOUT_MS = 155,
    LIBCURL_OPT_CONNECTTIMEOUT_MS = 156,
    LIBCURL_OPT_WRITEDATA = 10001,
    LIBCURL_OPT_URL = 10002,
    LIBCURL_OPT_PROXY = 10004,
    LIBCURL_OPT_CAINFO = 10065,
    LIBCURL_OPT_NOPROGRESS = 43,
    LIBCURL_OPT_HEADERDATA = 10029,
    LIBCURL_OPT_XFERINFODATA = 10057,
    LIBCURL_OPT_HEADERFUNCTION = 20079,
    LIBCURL_OPT_XFERINFOFUNCTION = 20219,
    LIBCURL_OPT_ERRORBUFFER = 10010,
    LIBCURL_OPT_POSTFIELDS = 10015,
    LIBCURL_OPT_HTTPHEADER = 10023,
    LIBCURL_OPT_WRITEFUNCTION = 20011,
    LIBCURL_OPT_POSTFIELDSIZE_LARGE = 30120,

    LIBCURL_OPT_UPLOAD = 46,
    LIBCURL_OPT_READFUNCTION = 20012,
    LIBCURL_OPT_READDATA = 10009,
    LIBCURL_OPT_INFILESIZE_LARGE = 30115,
    LIBCURL_OPT_LOW_SPEED_LIMIT = 19,
    LIBCURL_OPT_LOW_SPEED_TIME = 20,

    LIBCURL_PROTOCOLS_HTTP_AND_HTTPS = 3,
    LIBCURL_ERROR_SIZE = 256,

    LIBCURL_CODE_OK = 0,
    LIBCURL_CODE_WRITE_ERROR = 23,

    LIBCURL_INFO_RESPONSE_CODE = 0x200002,
    LIBCURL_INFO_RETRY_AFTER = 0x600039,
};

/// The functions of libcurl, by their names without `curl_`.
typedef struct LibCurl {
    int (*global_init)(long flags);
    void *(*easy_init)(void);
    int (*easy_setopt)(void *handle, int option, ...);
    int (*easy_perform)(void *handle);
    int (*easy_getinfo)(void *handle, int info, ...);
    void (*easy_cleanup)(void *handle);
    const char *(*easy_strerror)(int code);
    void *(*slist_append)(void *list, const char *text);
    void (*slist_free_all)(void *list);
} LibCurl;

/// The library, loaded at the first call, or NULL with the reason in `*problem`. Thread-safe.
const LibCurl *mayday_libcurl(const char **problem);

#endif
