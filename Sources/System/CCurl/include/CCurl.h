// HTTP through libcurl, loaded privately on the first request (docs/decisions.md).
//
// Nothing here may run in a dying process.

#ifndef MAYDAY_CCURL_H
#define MAYDAY_CCURL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// One request. Everything is borrowed for the time of the call.
typedef struct MaydayHTTPRequest {
    /// `http://` or `https://`; other schemes fail, and a redirect is an answer like any other.
    const char *url;
    /// NULL-terminated `Name: value` lines.
    const char *const *headers;
    const uint8_t *body;
    size_t body_length;
    /// Bounds of the connection and of the whole request, in milliseconds, above 0.
    long connect_timeout_ms;
    long total_timeout_ms;
    /// True: no proxy, whatever `http_proxy` and `https_proxy` say. False: libcurl's own rules.
    bool direct;
    /// Where the first bytes of the answer's body go; what does not fit is not read.
    uint8_t *response;
    size_t response_capacity;
    /// Name of a header of the answer whose value is wanted, or NULL.
    const char *wanted_header;
    /// Asked about once a second, and more often while bytes move: true ends the request. May be NULL.
    bool (*is_cancelled)(const void *context);
    const void *cancel_context;
} MaydayHTTPRequest;

/// How a request ended.
typedef enum MaydayHTTPOutcome {
    /// The answer was read (or read up to `response_capacity`).
    MAYDAY_HTTP_ANSWERED = 0,
    /// libcurl is not there or too old; `error` says which.
    MAYDAY_HTTP_NO_LIBRARY = 1,
    /// No whole answer: refused, timed out, cut short, not HTTP. `error` says why.
    MAYDAY_HTTP_FAILED = 2,
} MaydayHTTPOutcome;

/// The answer to a request.
typedef struct MaydayHTTPAnswer {
    MaydayHTTPOutcome outcome;
    /// Status code; 0 unless `outcome` is `MAYDAY_HTTP_ANSWERED`.
    long status;
    /// `Retry-After` in seconds from now, 0 when there was none.
    int64_t retry_after_s;
    size_t response_length;
    /// Value of the wanted header, several joined by `, `; empty when there was none. What does not fit is cut.
    char header[512];
    /// libcurl's number of what went wrong (`CURLE_…`), 0 when there was an answer.
    int code;
    /// One line without a line end, empty when there was an answer.
    char error[256];
} MaydayHTTPAnswer;

/// Sends a POST request and blocks until it has ended. Thread-safe.
void mayday_http_post(const MaydayHTTPRequest *request, MaydayHTTPAnswer *answer);

/// The same for a GET request, which has no body. Thread-safe.
void mayday_http_get(const MaydayHTTPRequest *request, MaydayHTTPAnswer *answer);

/// A file that is sent or written, open at the byte to begin with.
typedef struct MaydayHTTPFile {
    int descriptor;
    /// To send: so many bytes. To write: no more than so many.
    int64_t length;
    /// A transfer that brings less than a byte a second for so long has failed.
    long silence_s;
} MaydayHTTPFile;

/// Sends the bytes of a file by a PUT request; `request->body` is not looked at. Thread-safe.
void mayday_http_put_file(const MaydayHTTPRequest *request, const MaydayHTTPFile *file, MaydayHTTPAnswer *answer);

/// Writes the body of an answer whose status is 200 to a file. It has failed when the body is longer than may be. Thread-safe.
void mayday_http_get_file(const MaydayHTTPRequest *request, const MaydayHTTPFile *file, MaydayHTTPAnswer *answer);

/// True while `exit` on another thread would wait for the calling one. Thread-safe.
bool mayday_http_holds_exit(void);

/// Runs `work(context)` on a thread of its own that ends with it, so that blocking calls never hold a thread of Swift's
/// pool. The signals that a service handles never arrive there, SIGPIPE included. Returns 0 or an error number.
int mayday_run_on_own_thread(void (*work)(void *context), void *context);

#ifdef __cplusplus
}
#endif

#endif
