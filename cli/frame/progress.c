#include "frame/progress.h"

#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "frame/interrupt.h"
#include "frame/terminal.h"

/* A shorter computation shows nothing. A terminal without escape sequences gets a line of its own now and then. */
static const double first_seconds = 2.0, between_seconds = 0.1,
                    between_lines_seconds = 10.0;

typedef struct progress_line {
    bool terminal, moves;
    double shown_seconds; /* negative: nothing was shown */
} progress_line;

static volatile sig_atomic_t is_shown;

const char *cli_line_eraser(void)
{
    return is_shown != 0 ? "\r\033[K" : "";
}

/* ---- elapsed time, by a thread ---- */

static struct {
    pthread_mutex_t lock;
    pthread_cond_t end;
    pthread_t thread;
    bool runs;  /* of the main thread */
    bool ended; /* under the lock */
} the_clock = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* The cursor stays at the begin of the line, so that an answer writes over it. */
static void *show_time(void *unused)
{
    struct timespec next;
    (void)clock_gettime(CLOCK_MONOTONIC, &next);
    const time_t begin = next.tv_sec;
    next.tv_sec += (time_t)first_seconds;
    (void)pthread_mutex_lock(&the_clock.lock);
    while (!the_clock.ended) {
        /* 0: a wake-up; anything else: the time has come. */
        if (pthread_cond_timedwait(&the_clock.end, &the_clock.lock, &next) == 0) continue;
        (void)fprintf(stderr, "\r%lld s\033[K\r", (long long)(next.tv_sec - begin));
        is_shown = 1;
        next.tv_sec++;
    }
    (void)pthread_mutex_unlock(&the_clock.lock);
    return unused;
}

/* Signals are for the main thread. */
static bool start_clock(void)
{
    pthread_condattr_t monotonic;
    sigset_t all, before;
    if (pthread_condattr_init(&monotonic) != 0) return false;
    bool runs = pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC) == 0 &&
                pthread_cond_init(&the_clock.end, &monotonic) == 0;
    (void)pthread_condattr_destroy(&monotonic);
    (void)sigfillset(&all);
    if (runs && pthread_sigmask(SIG_SETMASK, &all, &before) == 0) {
        runs = pthread_create(&the_clock.thread, NULL, show_time, NULL) == 0;
        (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    }
    return runs;
}

static void stop_clock(void)
{
    if (!the_clock.runs) return;
    (void)pthread_mutex_lock(&the_clock.lock);
    the_clock.ended = true;
    (void)pthread_cond_signal(&the_clock.end);
    (void)pthread_mutex_unlock(&the_clock.lock);
    (void)pthread_join(the_clock.thread, NULL);
    (void)pthread_cond_destroy(&the_clock.end);
    the_clock.runs = the_clock.ended = false;
}

void cli_begin_watch(void)
{
    struct stat facts;
    const bool to_file = fstat(STDOUT_FILENO, &facts) == 0 && S_ISREG(facts.st_mode);
    if (cli_moves(stderr) && (cli_is_terminal(stdout) || to_file))
        the_clock.runs = start_clock();
}

/* ---- steps ---- */

/* "step 3 of 40, epsilon so far 0.5, 12 s left"; of draws, whose steps are secret, "draw 1 of 3, 12 s"; of a tuning, whose
 * number of trainings is secret, "12 s". */
static void write_words(const sotto_progress *progress)
{
    const bool draws = progress->unit != NULL && strcmp(progress->unit, "draw") == 0;
    const unsigned long long done = progress->step, all = progress->steps;
    if (all == 0) {
        (void)fprintf(stderr, "%.0f s", floor(progress->elapsed_seconds));
        return;
    }
    (void)fprintf(stderr, "%s %llu of %llu", progress->unit,
                  draws && done < all ? done + 1 : done, all);
    if (!isnan(progress->epsilon_so_far))
        (void)fprintf(stderr, ", epsilon so far %.4g", progress->epsilon_so_far);
    if (draws) {
        (void)fprintf(stderr, ", %.0f s", floor(progress->elapsed_seconds));
    } else if (done > 0) {
        (void)fprintf(
            stderr, ", %.0f s left",
            ceil(progress->elapsed_seconds / (double)done * (double)(all - done)));
    }
}

static void show_line(const sotto_progress *progress, progress_line *line)
{
    const double now = progress->elapsed_seconds;
    const bool ends = progress->steps > 0 && progress->step == progress->steps;
    const double pause = line->moves ? between_seconds : between_lines_seconds;
    if (now < first_seconds) return;
    if (line->shown_seconds >= 0.0 && !ends && now - line->shown_seconds < pause) return;
    stop_clock();
    line->shown_seconds = now;
    is_shown = line->moves;
    if (line->moves) (void)fputc('\r', stderr);
    write_words(progress);
    (void)fputs(line->moves ? "\033[K" : "\n", stderr);
    if (ends) cli_end_watch();
}

static progress_line the_line;

static int show_progress(const sotto_progress *progress, void *context)
{
    progress_line *line = context;
    if (line->terminal && !progress->asks_only) show_line(progress, line);
    return cli_stop_asked() ? 1 : 0;
}

void cli_watch(sotto_progress_function *out_progress, void **out_context)
{
    the_line = (progress_line){.terminal = cli_is_terminal(stderr),
                               .moves = cli_moves(stderr),
                               .shown_seconds = -1.0};
    *out_progress = show_progress;
    *out_context = &the_line;
    cli_heed_interrupts();
}

void cli_end_watch(void)
{
    stop_clock();
    (void)fputs(cli_line_eraser(), stderr);
    is_shown = 0;
    the_line.shown_seconds = -1.0;
}
