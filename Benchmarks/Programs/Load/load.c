// Posts reports over kept connections for some seconds, each with an id of its own, and says how many were answered 201 and
// how fast. It costs a few microseconds a report: the server shares the machine with it.
//
//     Load PORT KEY CONNECTIONS SECONDS HEAD REST
//
// HEAD is a file with the report's first line, whose id is replaced; REST a gzip file with the others, sent as it is: members
// that follow one another are one report.
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>
#include <zlib.h>

#define PLACEHOLDER "00000000-0000-7000-8000-000000000000"
enum { MAX_CONNECTIONS = 1024, MAX_SAMPLES = 1 << 22 };

static struct {
    int socket;
    double began;
    size_t sent, length, received;
    char *request;
    char answer[4096];
} connections[MAX_CONNECTIONS];

static char head[60000], *rest;
static size_t head_length, rest_length, id_offset;
static unsigned long serial;
static float *latencies;
static size_t answered, refused;

static void fail(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    exit(1);
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static char *contents(const char *path, size_t *length) {
    FILE *file = fopen(path, "rb");
    if (!file) fail("%s: %s", path, strerror(errno));
    char *bytes = malloc(4 << 20);
    *length = fread(bytes, 1, 4 << 20, file);
    fclose(file);
    return bytes;
}

static void put32(char *place, uint32_t value) {
    for (int byte = 0; byte < 4; byte++) place[byte] = (char)(value >> 8 * byte);
}

// The first line as a gzip member that is stored, not compressed (RFC 1951, 3.2.4; RFC 1952, 2.3).
static size_t first_member(char *place) {
    char id[37];
    snprintf(id, sizeof id, "%08x-%04x-7%03x-8%03x-%012lx", (unsigned)time(NULL), (unsigned)getpid() & 0xffff, 0, 0, ++serial);
    memcpy(head + id_offset, id, 36);
    static const char begin[] = {0x1f, (char)0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 1};
    memcpy(place, begin, sizeof begin);
    put32(place + 11, (uint32_t)head_length | (uint32_t)~head_length << 16);
    memcpy(place + 15, head, head_length);
    put32(place + 15 + head_length, (uint32_t)crc32(0, (const unsigned char *)head, (unsigned)head_length));
    put32(place + 19 + head_length, (uint32_t)head_length);
    return head_length + 23;
}

static void prepare(int index, const char *key) {
    char *request = connections[index].request;
    size_t body = head_length + 23 + rest_length;
    int length = sprintf(
        request,
        "POST /api/1/reports HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer %s\r\nContent-Type: application/gzip\r\n"
        "Content-Length: %zu\r\n\r\n", key, body
    );
    size_t first = first_member(request + length);
    memcpy(request + (size_t)length + first, rest, rest_length);
    connections[index].length = (size_t)length + body;
    connections[index].sent = connections[index].received = 0;
    connections[index].began = now();
}

// Sends what the socket takes; the poll tells when it takes more.
static void push(int index) {
    while (connections[index].sent < connections[index].length) {
        ssize_t count = send(
            connections[index].socket, connections[index].request + connections[index].sent,
            connections[index].length - connections[index].sent, MSG_NOSIGNAL
        );
        if (count < 0 && errno == EAGAIN) return;
        if (count < 0) fail("send: %s", strerror(errno));
        connections[index].sent += (size_t)count;
    }
}

// True when an answer is whole.
static int take(int index) {
    char *answer = connections[index].answer;
    ssize_t count = recv(connections[index].socket, answer + connections[index].received, 4095 - connections[index].received, 0);
    if (count < 0 && errno == EAGAIN) return 0;
    if (count <= 0) {
        fail(
            "the server closed connection %d: sent %zu of %zu bytes, received %zu", index, connections[index].sent,
            connections[index].length, connections[index].received
        );
    }
    connections[index].received += (size_t)count;
    answer[connections[index].received] = 0;
    char *end = strstr(answer, "\r\n\r\n"), *length = strcasestr(answer, "content-length:");
    if (!end || !length || connections[index].received < (size_t)(end + 4 - answer) + strtoul(length + 15, NULL, 10)) return 0;
    if (strncmp(answer + 9, "201", 3)) {
        if (!refused++) fprintf(stderr, "not 201: %.300s\n", answer);
    } else if (answered < MAX_SAMPLES) {
        latencies[answered++] = (float)((now() - connections[index].began) * 1000);
    }
    return 1;
}

static int by_size(const void *left, const void *right) {
    float a = *(const float *)left, b = *(const float *)right;
    return (a > b) - (a < b);
}

int main(int count, char **arguments) {
    if (count != 7) fail("usage: Load PORT KEY CONNECTIONS SECONDS HEAD REST");
    int number = atoi(arguments[3]);
    if (number < 1 || number > MAX_CONNECTIONS) fail("CONNECTIONS: 1 to %d", MAX_CONNECTIONS);
    double seconds = atof(arguments[4]);
    char *line = contents(arguments[5], &head_length);
    if (head_length > sizeof head) fail("HEAD is larger than %zu bytes", sizeof head);
    memcpy(head, line, head_length);
    char *id = memmem(head, head_length, PLACEHOLDER, 36);
    if (!id) fail("HEAD has no id " PLACEHOLDER);
    id_offset = (size_t)(id - head);
    rest = contents(arguments[6], &rest_length);
    latencies = malloc(MAX_SAMPLES * sizeof *latencies);

    int poll = epoll_create1(EPOLL_CLOEXEC);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(arguments[1]))};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    for (int index = 0; index < number; index++) {
        int one = 1, socket_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        if (connect(socket_, (struct sockaddr *)&address, sizeof address)) fail("connect: %s", strerror(errno));
        setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
        fcntl(socket_, F_SETFL, O_NONBLOCK);
        connections[index].socket = socket_;
        connections[index].request = malloc(1024 + sizeof head + rest_length);
        struct epoll_event event = {.events = EPOLLIN | EPOLLOUT | EPOLLET, .data.u32 = (uint32_t)index};
        epoll_ctl(poll, EPOLL_CTL_ADD, socket_, &event);
    }
    double began = now(), end = began + seconds;
    for (int index = 0; index < number; index++) {
        prepare(index, arguments[2]);
        push(index);
    }
    int busy = number;
    while (busy > 0) {
        struct epoll_event events[64];
        int ready = epoll_wait(poll, events, 64, 60000);
        if (ready == 0) fail("no answer for 60 s");
        for (int event = 0; event < ready; event++) {
            int index = (int)events[event].data.u32;
            push(index);
            if (!take(index)) continue;
            if (now() < end) {
                prepare(index, arguments[2]);
                push(index);
            } else {
                busy--;
            }
        }
    }
    double elapsed = now() - began;
    qsort(latencies, answered, sizeof *latencies, by_size);
    printf(
        "{\"answered\": %zu, \"refused\": %zu, \"seconds\": %.3f, \"p50_ms\": %.3f, \"p99_ms\": %.3f, \"bytes\": %zu}\n", answered,
        refused, elapsed, answered ? latencies[answered / 2] : 0, answered ? latencies[answered * 99 / 100] : 0,
        head_length + 23 + rest_length
    );
    return 0;
}
