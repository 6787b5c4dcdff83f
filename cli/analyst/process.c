/* The process and its files, freed of everything that the analyst's session chose. */
#include "analyst/analyst.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#ifdef __linux__
#include <sys/prctl.h>
#endif

extern char **environ;

enum { FIRST_FILE = 3, FILES_LEAST = 256, STACK_LEAST_BYTES = 8 << 20 };

/* --- environment --- */

/* Libraries read theirs before main(), so that it is not enough to clear it here. PATH and
 * LC_ALL are there because some of them complain when they are missing. */
static char path_variable[] = "PATH=/usr/bin:/bin";
static char locale_variable[] = "LC_ALL=C";
static char *const clean[] = {path_variable, locale_variable, NULL};
enum { CLEAN = sizeof clean / sizeof clean[0] - 1 };

static bool is_clean(void)
{
    for (size_t i = 0; i < CLEAN; i++)
        if (environ == NULL || environ[i] == NULL || strcmp(environ[i], clean[i]) != 0)
            return false;
    return environ[CLEAN] == NULL;
}

/* Comes back only on failure. */
static sotto_status start_anew(const cli_call *call, sotto_error *error)
{
    char program[PATH_MAX];
    char name[] = "sotto", command[] = "analyst";
    const ssize_t length = readlink("/proc/self/exe", program, sizeof program);
    const size_t count = (size_t)(call->end - call->words);
    if (length <= 0 || (size_t)length >= sizeof program) {
        return cli_fail(error, SOTTO_IO,
                        "the program cannot find itself in /proc/self/exe; mount /proc");
    }
    program[length] = '\0';
    char **words = calloc(count + 3, sizeof *words);
    if (words == NULL)
        return cli_fail(error, SOTTO_OUT_OF_MEMORY, "out of memory for the words");
    words[0] = name;
    words[1] = command;
    for (size_t i = 0; i < count; i++)
        words[i + 2] = call->words[i];
    (void)execve(program, words, clean);
    const int cause = errno;
    free(words);
    return cli_fail(error, SOTTO_IO, "the program %.90s cannot be started again: %s",
                    program, strerror(cause));
}

/* --- limits --- */

typedef struct limit {
    int resource;
    const char *name;
    rlim_t least;
} limit;

/* A run that fails at a limit tells how large the data is. So each is raised as far as it can be,
 * and one that the session lowered for good is refused before anything is charged. */
static const limit limits[] = {
    {RLIMIT_AS, "memory (ulimit -v)", RLIM_INFINITY},
    {RLIMIT_DATA, "data segments (ulimit -d)", RLIM_INFINITY},
    {RLIMIT_CPU, "processor time (ulimit -t)", RLIM_INFINITY},
    {RLIMIT_FSIZE, "the size of files (ulimit -f)", RLIM_INFINITY},
    {RLIMIT_NOFILE, "open files (ulimit -n)", FILES_LEAST},
    {RLIMIT_STACK, "the stack (ulimit -s)", STACK_LEAST_BYTES},
};

static sotto_status raise_limits(sotto_error *error)
{
    for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++) {
        struct rlimit now;
        if (getrlimit(limits[i].resource, &now) != 0) continue;
        /* The stack stays as it is: threads get as much as its soft limit says. */
        if (limits[i].resource != RLIMIT_STACK || now.rlim_cur < limits[i].least)
            now.rlim_cur = now.rlim_max;
        const bool enough =
            now.rlim_max == RLIM_INFINITY || now.rlim_max >= limits[i].least;
        if (enough && setrlimit(limits[i].resource, &now) == 0) continue;
        return cli_fail(
            error, SOTTO_IO,
            "the limit on %s is too low: the outcome of a run must not depend on "
            "the size of the data; raise it",
            limits[i].name);
    }
    return SOTTO_OK;
}

/* --- the rest of the session --- */

static void reset_signals(void)
{
    const struct itimerval none = {{0, 0}, {0, 0}};
    sigset_t empty;
    (void)sigemptyset(&empty);
    (void)sigprocmask(SIG_SETMASK, &empty, NULL);
    for (int number = 1; number < 32; number++)
        if (number != SIGPIPE && number != SIGXFSZ) (void)signal(number, SIG_DFL);
    (void)setitimer(ITIMER_REAL, &none, NULL);
    (void)setitimer(ITIMER_VIRTUAL, &none, NULL);
    (void)setitimer(ITIMER_PROF, &none, NULL);
}

static sotto_status close_files(sotto_error *error)
{
    DIR *list = opendir("/proc/self/fd");
    if (list == NULL) {
        return cli_fail(error, SOTTO_IO, "the open files cannot be listed; mount /proc");
    }
    const struct dirent *entry = NULL;
    while ((entry = readdir(list)) != NULL) {
        const int file = (int)strtol(entry->d_name, NULL, 10);
        if (file >= FIRST_FILE && file != dirfd(list)) (void)close(file);
    }
    (void)closedir(list);
    const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
    const bool replaced = nothing >= 0 && dup2(nothing, STDIN_FILENO) == STDIN_FILENO;
    if (nothing >= 0) (void)close(nothing);
    if (replaced) return SOTTO_OK;
    return cli_fail(error, SOTTO_IO, "standard input cannot be replaced by /dev/null");
}

static sotto_status forbid_dumps(sotto_error *error)
{
    const struct rlimit none = {0, 0};
    bool done = setrlimit(RLIMIT_CORE, &none) == 0;
#if defined(__linux__) && !defined(__SANITIZE_ADDRESS__) /* its leak check is a ptrace */
    done = prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) == 0 && done;
#endif
    if (done) return SOTTO_OK;
    return cli_fail(error, SOTTO_IO,
                    "core dumps, which hold records, cannot be forbidden");
}

sotto_status analyst_enter(const cli_call *call, sotto_error *error)
{
    if (getuid() != geteuid() || getgid() != getegid()) {
        return cli_fail(error, SOTTO_IO,
                        "the real and the effective user differ; use a sudo rule, not a "
                        "set-user-id program");
    }
    if (!is_clean()) return start_anew(call, error);
    (void)umask(S_IWGRP | S_IRWXO); /* results: mode 0640 */
    reset_signals();
    sotto_status status = close_files(error);
    if (status == SOTTO_OK) status = raise_limits(error);
    return status == SOTTO_OK ? forbid_dumps(error) : status;
}

/* --- names --- */

static bool is_bare_name(const char *name)
{
    static const char letters[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    const size_t length = strlen(name);
    if (length == 0 || length >= ANALYST_NAME_BYTES || strspn(name, letters) == 0)
        return false;
    for (const char *c = name; *c != '\0'; c++)
        if (strchr(letters, *c) == NULL && *c != '.' && *c != '_' && *c != '-')
            return false;
    return true;
}

static sotto_status fail_name(const char *label, const char *name, const char *good,
                              sotto_error *error)
{
    return cli_fail(error, SOTTO_INVALID_ARGUMENT,
                    "%s is %.50s; give a bare file name of the results directory: a "
                    "letter or digit, then letters, digits, dots, - and _, for example "
                    "%s",
                    label, name, good);
}

/* The mode is that of a result: a file that is closed to the readers, such as a checkpoint, is no
 * input either. */
sotto_status analyst_check_input(const char *label, const char *name, gid_t readers,
                                 sotto_error *error)
{
    struct stat facts;
    if (!is_bare_name(name)) return fail_name(label, name, "prior.json", error);
    if (lstat(name, &facts) != 0) {
        return cli_fail(error, SOTTO_IO,
                        "%s %.90s is not in the results directory; train it, or ask the "
                        "curator to put it there",
                        label, name);
    }
    if (S_ISREG(facts.st_mode) && facts.st_nlink == 1 && facts.st_gid == readers &&
        (facts.st_uid == geteuid() || facts.st_uid == 0) &&
        (facts.st_mode & (S_IRGRP | S_IWGRP | S_IWOTH)) == S_IRGRP)
        return SOTTO_OK;
    return cli_fail(
        error, SOTTO_INVALID_ARGUMENT,
        "%s %.90s is not a result; a result is a regular file with one name and "
        "mode 0640; ask the curator to copy it there",
        label, name);
}

static sotto_status fail_taken(const char *label, const char *name, sotto_error *error)
{
    return cli_fail(error, SOTTO_INVALID_ARGUMENT,
                    "%s %.90s exists already; results are never replaced; give another "
                    "name",
                    label, name);
}

sotto_status analyst_check_output(const char *label, const char *name, const char *ending,
                                  sotto_error *error)
{
    char good[16];
    struct stat facts;
    const size_t length = strlen(name), tail = strlen(ending);
    (void)snprintf(good, sizeof good, "model%s", ending);
    if (!is_bare_name(name)) return fail_name(label, name, good, error);
    if (length <= tail || strcmp(name + length - tail, ending) != 0) {
        return cli_fail(error, SOTTO_INVALID_ARGUMENT,
                        "%s is %.90s; the name of this file ends in %s, for example %s",
                        label, name, ending, good);
    }
    if (lstat(name, &facts) == 0) return fail_taken(label, name, error);
    if (errno == ENOENT) return SOTTO_OK;
    return cli_fail(error, SOTTO_IO, "%s %.90s cannot be written: %s", label, name,
                    strerror(errno));
}

/* --- one writer a name --- */

/* A lock is the file .NAME.lock, held by flock(). A process that ends, however it does, lets it
 * go; a file that was removed meanwhile is another lock, so the name is opened again. */
static sotto_status take_lock(const char *label, const char *name, const char *lock,
                              int *out_file, sotto_error *error)
{
    for (;;) {
        struct stat held, named;
        const int file = open(lock, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
        if (file < 0) {
            return cli_fail(error, SOTTO_IO, "%s %.90s cannot be locked: %s", label, name,
                            strerror(errno));
        }
        if (flock(file, LOCK_EX | LOCK_NB) != 0) {
            (void)close(file);
            return cli_fail(error, SOTTO_INVALID_ARGUMENT,
                            "%s %.90s is being written by another run; give another "
                            "name, or wait",
                            label, name);
        }
        if (fstat(file, &held) == 0 && lstat(lock, &named) == 0 &&
            held.st_dev == named.st_dev && held.st_ino == named.st_ino) {
            *out_file = file;
            return SOTTO_OK;
        }
        (void)close(file);
    }
}

sotto_status analyst_lock(analyst_locks *locks, const char *label, const char *name,
                          sotto_error *error)
{
    struct stat facts;
    if (locks->count == ANALYST_OUTPUTS_MAX)
        return cli_fail(error, SOTTO_INTERNAL, "too many outputs to lock");
    char *lock = locks->names[locks->count];
    (void)snprintf(lock, sizeof locks->names[0], ".%.*s.lock", ANALYST_NAME_BYTES, name);
    const sotto_status status =
        take_lock(label, name, lock, &locks->files[locks->count], error);
    if (status != SOTTO_OK) return status;
    locks->count++;
    /* It was free when the words were read; another run may have ended since. */
    return lstat(name, &facts) == 0 ? fail_taken(label, name, error) : SOTTO_OK;
}

void analyst_unlock(analyst_locks *locks)
{
    while (locks->count > 0) {
        locks->count--;
        (void)unlink(locks->names[locks->count]); /* while it is held */
        (void)close(locks->files[locks->count]);
    }
}
