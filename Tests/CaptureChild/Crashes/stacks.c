// Stacks: deep, overflowing, damaged.

#include "kinds.h"

#include <link.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static volatile int sink;

/// Not tail recursion, and no loop: the compiler must keep every frame.
__attribute__((noinline, disable_tail_calls)) int capture_child_recurse(long depth) {
    volatile char frame[64];
    frame[0] = (char)depth;
    if (depth == 0) {
        capture_child_segv();
        return 1;
    }
    int below = capture_child_recurse(depth - 1);
    return below + frame[0];
}

static void overflow(void) { sink = capture_child_recurse(-1); }

static void deep(void) { sink = capture_child_recurse(capture_child_number); }

static void *overflow_on_thread(void *unused) {
    (void)unused;
    overflow();
    return NULL;
}

static void *deep_on_thread(void *unused) {
    (void)unused;
    deep();
    return NULL;
}

static void on_thread(void *(*body)(void *), size_t stack_size, int own_stack) {
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    if (own_stack) {
        void *stack = mmap(NULL, stack_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        mprotect(stack, 4096, PROT_NONE);
        pthread_attr_setstack(&attributes, stack, stack_size);
    } else if (stack_size > 0) {
        pthread_attr_setstacksize(&attributes, stack_size);
    }
    pthread_t thread;
    if (pthread_create(&thread, &attributes, body, NULL) != 0) _exit(71);
    pthread_join(thread, NULL);
}

static void thread_overflow(void) { on_thread(overflow_on_thread, 0, 0); }

static void thread_overflow_small(void) { on_thread(overflow_on_thread, 64 * 1024, 0); }

static void thread_overflow_own(void) { on_thread(overflow_on_thread, 256 * 1024, 1); }

/// A stack that takes the walk longer than its deadline.
static void thread_deep(void) { on_thread(deep_on_thread, (size_t)1 << 30, 0); }

__attribute__((noinline)) void capture_child_null_call(void) {
    void (*volatile function)(void) = (void (*)(void))capture_child_opaque(0);
    function();
    sink = 1;
}

/// A function pointer that points to data.
__attribute__((noinline)) void capture_child_wild_call(void) {
    static long data[8];
    void (*volatile function)(void) = (void (*)(void))capture_child_opaque((uintptr_t)data);
    function();
    sink = 1;
}

/// The stack pointer points nowhere: the unwinder itself faults.
static void bad_stack(void) {
#if defined(__x86_64__)
    __asm__ volatile("movq $0x1000, %rsp\n movq $0x2000, %rbp\n ud2");
#else
    __asm__ volatile("mov x0, #0x1000\n mov sp, x0\n mov x29, x0\n udf #0");
#endif
}

/// Takes the executable's unwind tables away: the unwinder faults while it reads them.
static int hide_tables(struct dl_phdr_info *info, size_t size, void *unused) {
    (void)size;
    (void)unused;
    for (int index = 0; index < info->dlpi_phnum; index++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[index];
        if (header->p_type != PT_GNU_EH_FRAME) continue;
        uintptr_t start = (info->dlpi_addr + header->p_vaddr) & ~(uintptr_t)4095;
        uintptr_t end = (info->dlpi_addr + header->p_vaddr + header->p_memsz + 4095) & ~(uintptr_t)4095;
        mprotect((void *)start, end - start, PROT_NONE);
    }
    return 1;  // the executable comes first
}

static void no_tables(void) {
    dl_iterate_phdr(hide_tables, NULL);
    // The unwinder keeps what it looked up at install, this function is new to it.
    capture_child_null_call();
}

/// The loader's list runs in a circle, and one entry points nowhere.
static void broken_loader_list(void) {
    struct link_map *first = _r_debug.r_map;
    struct link_map *third = first->l_next->l_next;
    third->l_name = (char *)capture_child_opaque(0x10);
    third->l_next = first;
    capture_child_segv();
}

// Functions that sign their return address, where the machine can: with a frame record, and without. Between them is one that
// does not.

void capture_child_signed_inner(void);
void capture_child_unsigned(void);
void capture_child_signed_bare(void);
void capture_child_signed_outer(void);

#if defined(__aarch64__)
#define SIGNED __attribute__((noinline, target("branch-protection=pac-ret")))
__asm__(".text\n"
        ".type capture_child_signed_bare, %function\n"
        ".globl capture_child_signed_bare\n"
        "capture_child_signed_bare:\n"
        ".cfi_startproc\n"
        "hint #25\n"  // paciasp
        ".cfi_negate_ra_state\n"
        "str x30, [sp, #-16]!\n"
        ".cfi_def_cfa_offset 16\n"
        ".cfi_offset x30, -16\n"
        "bl capture_child_unsigned\n"
        "ldr x30, [sp], #16\n"
        ".cfi_def_cfa_offset 0\n"
        ".cfi_restore x30\n"
        "hint #29\n"  // autiasp
        ".cfi_negate_ra_state\n"
        "ret\n"
        ".cfi_endproc\n"
        ".size capture_child_signed_bare, . - capture_child_signed_bare\n");

/// A machine that signs nothing would test nothing.
static bool is_signed(const uintptr_t *record) {
    register uintptr_t link __asm__("x30") = record[1];
    __asm__("hint #7" : "+r"(link));  // xpaclri
    return link != record[1];
}
#else
#define SIGNED __attribute__((noinline))
void capture_child_signed_bare(void) {
    capture_child_unsigned();
    sink = 1;
}
static bool is_signed(const uintptr_t *record) { return record != NULL; }
#endif

SIGNED void capture_child_signed_inner(void) {
    if (!is_signed(__builtin_frame_address(0))) _exit(72);
    capture_child_segv();
    sink = 1;
}

__attribute__((noinline)) void capture_child_unsigned(void) {
    capture_child_signed_inner();
    sink = 1;
}

SIGNED void capture_child_signed_outer(void) {
    capture_child_signed_bare();
    sink = 1;
}

const Kind capture_child_stacks[] = {
    {"overflow", overflow},
    {"deep", deep},
    {"thread-overflow", thread_overflow},
    {"thread-overflow-small", thread_overflow_small},
    {"thread-overflow-own", thread_overflow_own},
    {"thread-deep", thread_deep},
    {"null-call", capture_child_null_call},
    {"wild-call", capture_child_wild_call},
    {"bad-stack", bad_stack},
    {"signed", capture_child_signed_outer},
    {"no-tables", no_tables},
    {"broken-loader-list", broken_loader_list},
    {NULL, NULL},
};
