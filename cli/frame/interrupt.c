#include "frame/interrupt.h"

#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "frame/progress.h"

static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
enum { SIGNALS = sizeof signals / sizeof signals[0], EXIT_INTERRUPTED = 130 };

static const char plain[] = "sotto: interrupted; every file is as it was\n";
static const char charged[] =
    "sotto: interrupted; no output file was changed; if a ledger was charged, the charge "
    "stands, and the same command gives the result without another charge\n";

static const char *volatile message = plain;
static _Atomic(const sotto_output *) current;
static volatile sig_atomic_t stop_asked;

/* Async-signal-safe calls only. */
static void end(int signal_number)
{
    (void)signal_number;
    const char *eraser = cli_line_eraser();
    sotto_output_unlink(atomic_load(&current));
    if (write(STDERR_FILENO, eraser, strlen(eraser)) < 0) _exit(EXIT_INTERRUPTED);
    if (write(STDERR_FILENO, message, strlen(message)) < 0) _exit(EXIT_INTERRUPTED);
    _exit(EXIT_INTERRUPTED);
}

/* Rows are read, and SQLite waits, without asking the progress function. If it is not asked soon, the process ends as
 * by SIGKILL, which every run survives. */
static timer_t patience;
static volatile sig_atomic_t has_patience;
static const struct itimerspec soon = {.it_value = {.tv_nsec = 500000000}};

static void ask_to_stop(int signal_number)
{
    (void)signal_number;
    stop_asked = 1;
    if (has_patience) (void)timer_settime(patience, 0, &soon, NULL);
}

static void handle(void (*handler)(int), int flags)
{
    struct sigaction action, before;
    memset(&action, 0, sizeof action);
    action.sa_handler = handler;
    action.sa_flags = flags;
    (void)sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < SIGNALS; i++) {
        if (sigaction(signals[i], NULL, &before) != 0 || before.sa_handler == SIG_IGN)
            continue;
        (void)sigaction(signals[i], &action, NULL);
    }
}

void cli_end_on_interrupt(bool charges)
{
    message = charges ? charged : plain;
    handle(end, 0);
}

void cli_remove_if_interrupted(const sotto_output *output)
{
    atomic_store(&current, output);
}

void cli_heed_interrupts(void)
{
    struct sigevent event;
    struct sigaction action;
    memset(&event, 0, sizeof event);
    memset(&action, 0, sizeof action);
    event.sigev_notify = SIGEV_SIGNAL;
    event.sigev_signo = SIGALRM;
    action.sa_handler = end;
    (void)sigemptyset(&action.sa_mask);
    if (!has_patience && sigaction(SIGALRM, &action, NULL) == 0)
        has_patience = timer_create(CLOCK_MONOTONIC, &event, &patience) == 0;
    /* With SA_RESTART a blocking call, such as open(2) of a FIFO, restarts until patience ends.
     * EINTR would be reported as a failure of the file. */
    handle(ask_to_stop, (int)SA_RESETHAND | SA_RESTART);
}

bool cli_stop_asked(void)
{
    static const struct itimerspec never;
    if (stop_asked == 0) return false;
    if (has_patience) (void)timer_settime(patience, 0, &never, NULL);
    return true;
}
