/* Makes one system call, allocation or thread of a program fail, or kills the program before one of its writing calls.
 *
 * Loaded with LD_PRELOAD by the tests of this folder. The environment chooses the fault:
 *
 *     SOTTO_FAULT      CLASS:N:ERRNO[:on]  the N-th call of CLASS fails with the number ERRNO; "on": every later one too
 *                      kill:N:SIGNAL       the signal before the N-th writing call: SIGKILL, or SIGSTOP for races
 *     SOTTO_FAULT_WAITS  any value: nothing is counted before the program calls faults_begin()
 *     SOTTO_FAULT_LOG  file to which each counted call adds a line "CLASS NAME", and the fault the line "fault"
 *
 * Classes: open, read, write, sync, name, close, look, lock, entropy, memory, thread. Only calls between the beginning
 * and the end of main() count, and none on standard error: the message about a fault must be seen.
 *
 * A seccomp filter turns each listed system call into SIGSYS, and the handler makes the call itself or fails it. So
 * calls inside the C library (stdio) and inside SQLite count too. Allocations and threads are counted by wrappers.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1
#endif

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

/* ---- the machine: one place from which system calls are not trapped ---- */

long faults_call(long number, long a, long b, long c, long d, long e, long f);
extern const char faults_returned[]; /* the instruction after the system call */

#if defined(__x86_64__)
__asm__(".text\n"
        ".hidden faults_call\n.globl faults_call\n.type faults_call, @function\n"
        "faults_call:\n"
        "mov %rdi, %rax\nmov %rsi, %rdi\nmov %rdx, %rsi\nmov %rcx, %rdx\n"
        "mov %r8, %r10\nmov %r9, %r8\nmov 8(%rsp), %r9\nsyscall\n"
        ".hidden faults_returned\n.globl faults_returned\n"
        "faults_returned: ret\n"
        ".size faults_call, . - faults_call\n");
#define ARCHITECTURE       AUDIT_ARCH_X86_64
#define RESULT_OF(context) ((context)->uc_mcontext.gregs[REG_RAX])
static void read_arguments(const ucontext_t *context, long out[6])
{
    static const int registers[6] = {REG_RDI, REG_RSI, REG_RDX, REG_R10, REG_R8, REG_R9};
    for (int i = 0; i < 6; i++)
        out[i] = (long)context->uc_mcontext.gregs[registers[i]];
}
#elif defined(__aarch64__)
__asm__(".text\n"
        ".hidden faults_call\n.globl faults_call\n.type faults_call, %function\n"
        "faults_call:\n"
        "mov x8, x0\nmov x0, x1\nmov x1, x2\nmov x2, x3\nmov x3, x4\nmov x4, x5\n"
        "mov x5, x6\nsvc #0\n"
        ".hidden faults_returned\n.globl faults_returned\n"
        "faults_returned: ret\n"
        ".size faults_call, . - faults_call\n");
#define ARCHITECTURE       AUDIT_ARCH_AARCH64
#define RESULT_OF(context) ((context)->uc_mcontext.regs[0])
static void read_arguments(const ucontext_t *context, long out[6])
{
    for (int i = 0; i < 6; i++)
        out[i] = (long)context->uc_mcontext.regs[i];
}
#else
#error "tests/faults/faults.c: add the registers of this machine"
#endif

/* ---- the calls and their classes ---- */

typedef enum fault_class {
    OPEN,
    READ,
    WRITE,
    SYNC,
    NAME,
    CLOSE,
    LOOK,
    LOCK,
    ENTROPY,
    MEMORY,
    THREAD,
    CLASSES,
    KILL = CLASSES /* counts every writing call, whatever its class */
} fault_class;

static const char *const class_names[CLASSES + 1] = {
    "open", "read", "write",   "sync",   "name",   "close",
    "look", "lock", "entropy", "memory", "thread", "kill"};

static const struct {
    long number;
    fault_class class;
    const char *name;
} calls[] = {
#ifdef SYS_open /* a machine without the old calls has only those that end in -at */
    {SYS_open, OPEN, "open"},
    {SYS_creat, OPEN, "creat"},
    {SYS_rename, NAME, "rename"},
    {SYS_link, NAME, "link"},
    {SYS_unlink, NAME, "unlink"},
    {SYS_mkdir, NAME, "mkdir"},
    {SYS_rmdir, NAME, "rmdir"},
    {SYS_stat, LOOK, "stat"},
    {SYS_lstat, LOOK, "lstat"},
    {SYS_access, LOOK, "access"},
    {SYS_readlink, LOOK, "readlink"},
    {SYS_renameat, NAME, "renameat"},
#endif
    {SYS_openat, OPEN, "openat"},
    {SYS_read, READ, "read"},
    {SYS_pread64, READ, "pread"},
    {SYS_readv, READ, "readv"},
    {SYS_getdents64, READ, "getdents"},
    {SYS_write, WRITE, "write"},
    {SYS_pwrite64, WRITE, "pwrite"},
    {SYS_writev, WRITE, "writev"},
    {SYS_ftruncate, WRITE, "ftruncate"},
    {SYS_fallocate, WRITE, "fallocate"},
    {SYS_fsync, SYNC, "fsync"},
    {SYS_fdatasync, SYNC, "fdatasync"},
    {SYS_renameat2, NAME, "renameat2"},
    {SYS_linkat, NAME, "linkat"},
    {SYS_unlinkat, NAME, "unlinkat"},
    {SYS_mkdirat, NAME, "mkdirat"},
    {SYS_fchmod, NAME, "fchmod"},
    {SYS_fchmodat, NAME, "fchmodat"},
    {SYS_close, CLOSE, "close"},
    {SYS_fstat, LOOK, "fstat"},
    {SYS_newfstatat, LOOK, "fstatat"},
    {SYS_faccessat, LOOK, "faccessat"},
    {SYS_readlinkat, LOOK, "readlinkat"},
    {SYS_lseek, LOOK, "lseek"},
    {SYS_flock, LOCK, "flock"},
    {SYS_fcntl, LOCK, "fcntl"},
    {SYS_getrandom, ENTROPY, "getrandom"},
};
enum { CALLS = sizeof calls / sizeof calls[0] };

/* ---- the fault ---- */

static struct {
    fault_class class; /* CLASSES + 1: none */
    size_t nth;
    int code;
    bool lasts;
    int log; /* descriptor, or -1 */
} fault = {.class = CLASSES + 1, .log = -1};

static atomic_bool armed; /* inside main() */
static atomic_size_t counted;

static void log_line(const char *first, const char *second)
{
    char line[64];
    size_t length = 0;
    if (fault.log < 0) return;
    for (; *first != '\0' && length < sizeof line - 2; first++)
        line[length++] = *first;
    if (*second != '\0') line[length++] = ' ';
    for (; *second != '\0' && length < sizeof line - 1; second++)
        line[length++] = *second;
    line[length++] = '\n';
    (void)faults_call(SYS_write, fault.log, (long)line, (long)length, 0, 0, 0);
}

/* Counts one call; true when it has to fail. */
static bool meets_fault(fault_class class, const char *name)
{
    log_line(class_names[class], name);
    if (class != fault.class) return false;
    const size_t n = atomic_fetch_add(&counted, 1) + 1;
    if (n == fault.nth) log_line("fault", "");
    return n == fault.nth || (fault.lasts && n > fault.nth);
}

static void meet_kill(const char *name)
{
    if (meets_fault(KILL, name))
        (void)faults_call(SYS_kill, getpid(), fault.code, 0, 0, 0, 0);
}

/* ---- system calls ---- */

static bool creates(long number, const long arguments[6])
{
#ifdef SYS_open
    if (number == SYS_creat) return true;
    if (number == SYS_open) return (arguments[1] & O_CREAT) != 0;
#endif
    return number == SYS_openat && (arguments[2] & O_CREAT) != 0;
}

/* Calls that cannot fail in a way of interest: on standard error, and fcntl() that locks nothing. */
static bool is_counted(long number, fault_class class, const long arguments[6])
{
    if (number == SYS_fcntl)
        return arguments[1] == F_SETLK || arguments[1] == F_SETLKW ||
               arguments[1] == F_OFD_SETLK || arguments[1] == F_OFD_SETLKW;
    const bool on_descriptor =
        class == WRITE || class == CLOSE || number == SYS_fstat || number == SYS_lseek;
    return !on_descriptor || arguments[0] != STDERR_FILENO;
}

static long call_or_fail(long number, const long arguments[6])
{
    bool fails = false;
    for (size_t i = 0; i < CALLS && atomic_load(&armed); i++) {
        const fault_class class = calls[i].class;
        if (calls[i].number != number || !is_counted(number, class, arguments)) continue;
        if (class == WRITE || class == SYNC || class == NAME ||
            creates(number, arguments))
            meet_kill(calls[i].name);
        fails = meets_fault(class, calls[i].name);
        break;
    }
    if (fails && number != SYS_close)
        return -fault.code; /* close() ends the descriptor also when it fails */
    const long result = faults_call(number, arguments[0], arguments[1], arguments[2],
                                    arguments[3], arguments[4], arguments[5]);
    return fails ? -fault.code : result;
}

static void trapped(int signal_number, siginfo_t *information, void *pointer)
{
    (void)signal_number;
    ucontext_t *context = pointer;
    long arguments[6];
    read_arguments(context, arguments);
    const int kept = errno;
    const long result = call_or_fail(information->si_syscall, arguments);
    errno = kept;
    RESULT_OF(context) = (__typeof__(RESULT_OF(context)))result;
}

/* The filter: allow what comes from faults_call(), trap the listed calls, allow the rest. */
static bool install_filter(void)
{
    const uint64_t from = (uint64_t)(uintptr_t)faults_returned;
    struct sock_filter program[8 + 2 * CALLS];
    unsigned short n = 0;
    const unsigned address = offsetof(struct seccomp_data, instruction_pointer);
#define STEP(...) program[n++] = (struct sock_filter)__VA_ARGS__
    STEP(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, address));
    STEP(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)from, 0, 3));
    STEP(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, address + 4));
    STEP(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)(from >> 32), 0, 1));
    STEP(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
    STEP(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)));
    for (size_t i = 0; i < CALLS; i++) {
        STEP(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)calls[i].number, 0, 1));
        STEP(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP));
    }
    STEP(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
#undef STEP
    const struct sock_fprog filter = {n, program};
    struct sigaction action = {.sa_sigaction = trapped,
                               .sa_flags = SA_SIGINFO | SA_NODEFER | SA_RESTART};
    return sigaction(SIGSYS, &action, NULL) == 0 &&
           prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

/* A blocked SIGSYS would end the program: no mask may hold it. */
static int change_mask(const char *name, int how, const sigset_t *set, sigset_t *old)
{
    int (*next)(int, const sigset_t *, sigset_t *);
    *(void **)&next = dlsym(RTLD_NEXT, name);
    if (set == NULL || how == SIG_UNBLOCK) return next(how, set, old);
    sigset_t without = *set;
    (void)sigdelset(&without, SIGSYS);
    return next(how, &without, old);
}

EXPORT int pthread_sigmask(int how, const sigset_t *set, sigset_t *old)
{
    return change_mask("pthread_sigmask", how, set, old);
}

EXPORT int sigprocmask(int how, const sigset_t *set, sigset_t *old)
{
    return change_mask("sigprocmask", how, set, old);
}

/* A C library that answers without a system call (vDSO) is asked for one. */
EXPORT ssize_t getrandom(void *buffer, size_t length, unsigned int flags)
{
    return (ssize_t)syscall(SYS_getrandom, buffer, length, flags);
}

/* ---- allocations and threads ---- */

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

static bool is_out_of_memory(const char *name)
{
    if (!atomic_load(&armed) || !meets_fault(MEMORY, name)) return false;
    errno = fault.code;
    return true;
}

EXPORT void *malloc(size_t size)
{
    return is_out_of_memory("malloc") ? NULL : __libc_malloc(size);
}

EXPORT void *calloc(size_t count, size_t size)
{
    return is_out_of_memory("calloc") ? NULL : __libc_calloc(count, size);
}

EXPORT void *realloc(void *old, size_t size)
{
    return is_out_of_memory("realloc") ? NULL : __libc_realloc(old, size);
}

EXPORT void *aligned_alloc(size_t alignment, size_t size)
{
    return is_out_of_memory("aligned_alloc") ? NULL : __libc_memalign(alignment, size);
}

EXPORT int posix_memalign(void **out, size_t alignment, size_t size)
{
    if (is_out_of_memory("posix_memalign")) return fault.code;
    void *block = __libc_memalign(alignment, size);
    if (block == NULL) return ENOMEM;
    *out = block;
    return 0;
}

EXPORT int pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*start)(void *), void *argument)
{
    if (atomic_load(&armed) && meets_fault(THREAD, "pthread_create")) return fault.code;
    int (*next)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    *(void **)&next = dlsym(RTLD_NEXT, "pthread_create");
    return next(thread, attributes, start, argument);
}

/* ---- the beginning ---- */

static void refuse(const char *reason)
{
    (void)!write(STDERR_FILENO, reason, strlen(reason));
    _exit(99);
}

static void read_settings(void)
{
    const char *log = getenv("SOTTO_FAULT_LOG");
    const char *text = getenv("SOTTO_FAULT");
    if (log != NULL) {
        const int opened = open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
        enum { HIGH = 900 }; /* away from the program's own, which a test may limit */
        fault.log = opened < 0 ? -1 : fcntl(opened, F_DUPFD_CLOEXEC, HIGH);
        if (opened < 0 || fault.log < 0) refuse("faults: cannot open SOTTO_FAULT_LOG\n");
        (void)close(opened);
    }
    if (text == NULL) return;
    const size_t length = strcspn(text, ":");
    for (int i = 0; i <= CLASSES; i++)
        if (strlen(class_names[i]) == length &&
            strncmp(class_names[i], text, length) == 0)
            fault.class = (fault_class)i;
    char *end = NULL;
    fault.nth = text[length] == ':' ? strtoul(text + length + 1, &end, 10) : 0;
    if (fault.class > KILL || fault.nth == 0)
        refuse("faults: SOTTO_FAULT is CLASS:N:ERRNO[:on]\n");
    if (*end == ':') fault.code = (int)strtol(end + 1, &end, 10);
    fault.lasts = strcmp(end, ":on") == 0;
}

typedef int (*main_function)(int, char **, char **);
typedef int (*start_function)(main_function, int, char **, void (*)(void), void (*)(void),
                              void (*)(void), void *);

static main_function real_main;

/* Calls of an interpreter that runs the program are of no interest: its program begins and ends the count. */
EXPORT void faults_begin(void);
EXPORT void faults_end(void);

void faults_begin(void)
{
    read_settings();
    if (!install_filter()) refuse("faults: this system has no seccomp filters\n");
    atomic_store(&armed, true);
}

void faults_end(void)
{
    atomic_store(&armed, false);
}

static int watched_main(int count, char **words, char **environment)
{
    if (getenv("SOTTO_FAULT_WAITS") == NULL) faults_begin();
    const int result = real_main(count, words, environment);
    faults_end();
    return result;
}

int __libc_start_main(main_function main, int count, char **words, void (*init)(void),
                      void (*fini)(void), void (*loader_fini)(void), void *stack_end);

/* The C library's first function, called by the program's entry point. */
EXPORT int __libc_start_main(main_function main, int count, char **words,
                             void (*init)(void), void (*fini)(void),
                             void (*loader_fini)(void), void *stack_end)
{
    start_function next;
    *(void **)&next = dlsym(RTLD_NEXT, "__libc_start_main");
    real_main = main;
    return next(watched_main, count, words, init, fini, loader_fini, stack_end);
}
