// One request, and a thread to wait for it on.

#include "CCurl.h"
#include "exit.h"
#include "libcurl.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

/// What a request does, and with which file.
typedef enum Kind { KIND_GET, KIND_POST, KIND_PUT_FILE, KIND_GET_FILE } Kind;

typedef struct Response {
    uint8_t *bytes;
    size_t capacity;
    size_t length;
    bool full;
    /// Where the body of an answer with status 200 goes instead, and how much of it may still come.
    const MaydayHTTPFile *file;
    int64_t room;
    const LibCurl *curl;
    void *handle;
} Response;

static size_t receive_into_file(Response *response, const char *bytes, size_t arrived) {
    if ((int64_t)arrived > response->room) return 0;
    response->room -= (int64_t)arrived;
    for (size_t done = 0; done < arrived;) {
        ssize_t count = write(response->file->descriptor, bytes + done, arrived - done);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return 0;
        done += (size_t)count;
    }
    return arrived;
}

static size_t receive(char *bytes, size_t size, size_t count, void *context) {
    Response *response = context;
    size_t arrived = size * count;
    if (response->file != NULL) {
        long status = 0;
        response->curl->easy_getinfo(response->handle, LIBCURL_INFO_RESPONSE_CODE, &status);
        if (status == 200) return receive_into_file(response, bytes, arrived);
    }
    size_t room = response->capacity - response->length;
    size_t taken = arrived < room ? arrived : room;
    memcpy(response->bytes + response->length, bytes, taken);
    response->length += taken;
    response->full = taken < arrived;
    return taken;  // Less than `arrived` ends the transfer: the status is known and an endless body costs nothing.
}

typedef struct Sent {
    int descriptor;
    int64_t left;
} Sent;

static size_t send_file(char *bytes, size_t size, size_t count, void *context) {
    const size_t failed = 0x10000000;  // CURL_READFUNC_ABORT
    Sent *sent = context;
    size_t wanted = size * count < (size_t)sent->left ? size * count : (size_t)sent->left;
    if (wanted == 0) return 0;
    ssize_t got = read(sent->descriptor, bytes, wanted);
    if (got <= 0) return failed;
    sent->left -= got;
    return (size_t)got;
}

/// What `receive_header` looks for, NULL for nothing, and where it puts it.
typedef struct WantedHeader {
    const char *name;
    char *value;
    size_t capacity;
    /// Bytes of headers so far, those of answers before the answer (1xx) among them.
    size_t length;
} WantedHeader;

/// No answer has more, and libcurl keeps them all (versions before 8.3 without a limit).
enum { MOST_HEADER_BYTES = 256 << 10 };

static size_t receive_header(char *line, size_t size, size_t count, void *context) {
    WantedHeader *wanted = context;
    size_t length = size * count;
    wanted->length += length;
    if (wanted->length > MOST_HEADER_BYTES) return 0;  // Ends the transfer.
    size_t name = wanted->name != NULL ? strlen(wanted->name) : 0;
    if (name == 0) return length;
    if (length <= name || line[name] != ':' || strncasecmp(line, wanted->name, name) != 0) return length;
    const char *start = line + name + 1;
    const char *end = line + length;
    while (start < end && (*start == ' ' || *start == '\t')) start++;
    while (end > start && (unsigned char)end[-1] <= ' ') end--;
    size_t used = strlen(wanted->value);
    snprintf(
        wanted->value + used, wanted->capacity - used, "%s%.*s", used > 0 ? ", " : "", (int)(end - start), start);
    return length;
}

static int check_cancelled(void *context, int64_t dl_total, int64_t dl_now, int64_t ul_total, int64_t ul_now) {
    (void)dl_total, (void)dl_now, (void)ul_total, (void)ul_now;
    const MaydayHTTPRequest *request = context;
    if (mayday_process_ends()) return 1;
    return request->is_cancelled != NULL ? request->is_cancelled(request->cancel_context) : 0;
}

static void fail(MaydayHTTPAnswer *answer, MaydayHTTPOutcome outcome, const char *reason) {
    answer->outcome = outcome;
    snprintf(answer->error, sizeof answer->error, "%s", reason);
}

static void transfer(
    const MaydayHTTPRequest *request, Kind kind, const MaydayHTTPFile *file, MaydayHTTPAnswer *answer) {
    const char *problem = NULL;
    const LibCurl *curl = mayday_libcurl(&problem);
    if (curl == NULL) {
        fail(answer, MAYDAY_HTTP_NO_LIBRARY, problem);
        return;
    }
    void *handle = curl->easy_init();
    if (handle == NULL) {
        fail(answer, MAYDAY_HTTP_FAILED, "out of memory");
        return;
    }
    void *headers = NULL;
    int code = 0;
    for (const char *const *header = request->headers; *header != NULL; header++) {
        void *longer = curl->slist_append(headers, *header);
        code |= longer == NULL;
        headers = longer != NULL ? longer : headers;
    }
    Response response = {request->response, request->response_capacity, 0, false, NULL, 0, curl, handle};
    Sent sent = {-1, 0};
    char error[LIBCURL_ERROR_SIZE] = "";
    // Each of these fails only when memory is short or the library was built without the option.
    code |= curl->easy_setopt(handle, LIBCURL_OPT_ERRORBUFFER, error);
    code |= curl->easy_setopt(handle, LIBCURL_OPT_NOSIGNAL, 1L);
    code |= curl->easy_setopt(handle, LIBCURL_OPT_PROTOCOLS, (long)LIBCURL_PROTOCOLS_HTTP_AND_HTTPS);
    code |= curl->easy_setopt(handle, LIBCURL_OPT_URL, request->url);
    code |= curl->easy_setopt(handle, LIBCURL_OPT_HTTPHEADER, headers);
    if (kind == KIND_GET_FILE) {
        response.file = file;
        response.room = file->length;
    }
    if (kind == KIND_PUT_FILE) {
        sent = (Sent){file->descriptor, file->length};
        code |= curl->easy_setopt(handle, LIBCURL_OPT_UPLOAD, 1L);
        code |= curl->easy_setopt(handle, LIBCURL_OPT_READFUNCTION, send_file);
        code |= curl->easy_setopt(handle, LIBCURL_OPT_READDATA, &sent);
        code |= curl->easy_setopt(handle, LIBCURL_OPT_INFILESIZE_LARGE, file->length);
    }
    if (file != NULL) {
        code |= curl->easy_setopt(handle, LIBCURL_OPT_LOW_SPEED_LIMIT, 1L);
        code |= curl->easy_setopt(handle, LIBCURL_OPT_LOW_SPEED_TIME, file->silence_s);
    }
    if (kind == KIND_POST) {
        code |= curl->easy_setopt(handle, LIBCURL_OPT_POST, 1L);
        code |= curl->easy_setopt(handle, LIBCURL_OPT_POSTFIELDS, request->body);
        code |= curl->easy_setopt(handle, LIBCURL_OPT_POSTFIELDSIZE_LARGE, (int64_t)request->body_length);
    }
    code |= curl->easy_setopt(handle, LIBCURL_OPT_CONNECTTIMEOUT_MS, request->connect_timeout_ms);
    code |= curl->easy_setopt(handle, LIBCURL_OPT_TIMEOUT_MS, request->total_timeout_ms);
    code |= curl->easy_setopt(handle, LIBCURL_OPT_WRITEFUNCTION, receive);
    code |= curl->easy_setopt(handle, LIBCURL_OPT_WRITEDATA, &response);
    WantedHeader wanted = {request->wanted_header, answer->header, sizeof answer->header, 0};
    code |= curl->easy_setopt(handle, LIBCURL_OPT_HEADERFUNCTION, receive_header);
    code |= curl->easy_setopt(handle, LIBCURL_OPT_HEADERDATA, &wanted);
    code |= curl->easy_setopt(handle, LIBCURL_OPT_XFERINFOFUNCTION, check_cancelled);
    code |= curl->easy_setopt(handle, LIBCURL_OPT_XFERINFODATA, request);
    code |= curl->easy_setopt(handle, LIBCURL_OPT_NOPROGRESS, 0L);
    // The variable of OpenSSL's own programs, which libcurl leaves to its own: for a collector with a private authority.
    const char *authorities = getenv("SSL_CERT_FILE");
    if (authorities != NULL && authorities[0] != 0) code |= curl->easy_setopt(handle, LIBCURL_OPT_CAINFO, authorities);
    if (request->direct) code |= curl->easy_setopt(handle, LIBCURL_OPT_PROXY, "");
    if (code != LIBCURL_CODE_OK) {
        fail(answer, MAYDAY_HTTP_FAILED, error[0] != 0 ? error : "libcurl refused the request");
    } else {
        code = curl->easy_perform(handle);
        if (code == LIBCURL_CODE_OK || (code == LIBCURL_CODE_WRITE_ERROR && response.full)) {
            answer->outcome = MAYDAY_HTTP_ANSWERED;
            answer->response_length = response.length;
            curl->easy_getinfo(handle, LIBCURL_INFO_RESPONSE_CODE, &answer->status);
            curl->easy_getinfo(handle, LIBCURL_INFO_RETRY_AFTER, &answer->retry_after_s);
        } else {
            fail(answer, MAYDAY_HTTP_FAILED, error[0] != 0 ? error : curl->easy_strerror(code));
            answer->code = code;
        }
    }
    curl->easy_cleanup(handle);
    curl->slist_free_all(headers);
}

static void perform(
    const MaydayHTTPRequest *request, Kind kind, const MaydayHTTPFile *file, MaydayHTTPAnswer *answer) {
    memset(answer, 0, sizeof *answer);
    if (!mayday_sending_begin()) {
        fail(answer, MAYDAY_HTTP_FAILED, "the process is ending");
        return;
    }
    transfer(request, kind, file, answer);
    mayday_sending_end();
}

void mayday_http_post(const MaydayHTTPRequest *request, MaydayHTTPAnswer *answer) {
    perform(request, KIND_POST, NULL, answer);
}

void mayday_http_get(const MaydayHTTPRequest *request, MaydayHTTPAnswer *answer) {
    perform(request, KIND_GET, NULL, answer);
}

void mayday_http_put_file(const MaydayHTTPRequest *request, const MaydayHTTPFile *file, MaydayHTTPAnswer *answer) {
    perform(request, KIND_PUT_FILE, file, answer);
}

void mayday_http_get_file(const MaydayHTTPRequest *request, const MaydayHTTPFile *file, MaydayHTTPAnswer *answer) {
    perform(request, KIND_GET_FILE, file, answer);
}

typedef struct Work {
    void (*work)(void *context);
    void *context;
    SendingThread *thread;
} Work;

static void *run(void *argument) {
    Work work = *(Work *)argument;
    free(argument);
    mayday_sending_thread_begins();
    work.work(work.context);
    mayday_sending_thread_ends(work.thread);
    return NULL;
}

/// The signals that are left deliverable to our thread: faults are always its own, and SIGQUIT and SIGPROF belong to
/// the capture of a crash. All others go to the service's threads, as if ours were not there.
static const int deliverable_signals[] = {SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGSYS, SIGQUIT, SIGPROF};

int mayday_run_on_own_thread(void (*work)(void *context), void *context) {
    mayday_join_senders();
    Work *copy = malloc(sizeof *copy);
    SendingThread *sender = malloc(sizeof *sender);
    if (copy == NULL || sender == NULL) {
        free(copy);
        free(sender);
        return ENOMEM;
    }
    *copy = (Work){work, context, sender};

    sigset_t blocked, before;
    sigfillset(&blocked);
    for (size_t i = 0; i < sizeof deliverable_signals / sizeof *deliverable_signals; i++) {
        sigdelset(&blocked, deliverable_signals[i]);
    }
    pthread_t thread;
    pthread_sigmask(SIG_SETMASK, &blocked, &before);
    int code = pthread_create(&thread, NULL, run, copy);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (code != 0) {
        free(copy);
        free(sender);
    }
    return code;
}
