/* SIGKILL at random moments, two writers at a time: no release without a charge, ever.
 *
 * A writer loops: reserve, write the reservation's row to a side file (the release) and sync
 * it, commit. The parent kills both writers after a random while. After every round the
 * chain must verify and each released row must be a charged one.
 * The moments come from a fixed seed, but the machine decides what they hit; the test has no
 * false alarms, because the invariant holds at every moment. */
#include "support.h"

#include "privacy/ledger/scratch.h"

#include <signal.h>
#include <sys/wait.h>
#include <time.h>

/* Under a sanitizer a fork costs a quarter of a second, and finds nothing new. */
#if defined(__SANITIZE_ADDRESS__)
#define ROUNDS 30
#else
#define ROUNDS 110
#endif

enum { WRITERS = 2, WHILE_MAX_MICROSECONDS = 6000, ROWS_MAX = 200000 };

static void pause_microseconds(long microseconds)
{
    const struct timespec pause = {0, microseconds * 1000};
    (void)nanosleep(&pause, NULL);
}

static uint32_t next_random(uint32_t *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 8;
}

/* ---- the writers; they end by SIGKILL, or by _exit when something is refused ---- */

static void write_releases(const scratch *made, const char *side_path, int ready)
{
    sotto_error error;
    sotto_ledger *ledger = NULL;
    sotto_plan *plan = pure_plan(0.001);
    const int side = open(side_path, O_WRONLY | O_APPEND | O_CLOEXEC);
    if (side < 0 || sotto_ledger_open(made->path, &ledger, &error) != SOTTO_OK) _exit(2);
    (void)signal(SIGPIPE, SIG_IGN); /* the parent may be past waiting */
    (void)!write(ready, "r", 1);
    for (;;) {
        sotto_reservation reservation;
        char line[32];
        if (sotto_ledger_reserve(ledger, plan, 0.0, "a kill", &reservation, &error) !=
            SOTTO_OK)
            _exit(3);
        const int length =
            snprintf(line, sizeof line, "%llu\n", (unsigned long long)reservation.id);
        if (write(side, line, (size_t)length) != length || fsync(side) != 0) _exit(4);
        if (sotto_ledger_commit(ledger, &reservation, SOME_HASH, &error) != SOTTO_OK)
            _exit(5);
    }
}

/* ---- the invariant ---- */

typedef struct tally {
    bool charged[ROWS_MAX];
    uint64_t charges;
    uint64_t commits;
    uint64_t releases;
    uint64_t uncharged_releases;
} tally;

static sotto_status note_row(const sotto_ledger_entry *entry, void *context,
                             sotto_error *error)
{
    (void)error;
    tally *counts = context;
    assert_true(entry->row < ROWS_MAX);
    if (entry->kind == SOTTO_LEDGER_RESERVE) {
        counts->charged[entry->row] = true;
        counts->charges++;
    }
    if (entry->kind == SOTTO_LEDGER_COMMIT) counts->commits++;
    return SOTTO_OK;
}

/* Verifies the chain and counts. A number that a kill cut short is no release. */
static void take_stock(const scratch *made, const char *side_path, tally *counts)
{
    sotto_error error;
    sotto_ledger *ledger = NULL;
    memset(counts, 0, sizeof *counts);
    assert_ok(sotto_ledger_open(made->path, &ledger, &error), &error);
    assert_ok(sotto_ledger_visit(ledger, note_row, counts, &error), &error);
    sotto_ledger_close(ledger);
    FILE *side = fopen(side_path, "r");
    assert_non_null(side);
    unsigned long long row = 0;
    char newline = '\0';
    while (fscanf(side, "%llu%c", &row, &newline) == 2 && newline == '\n') {
        counts->releases++;
        if (row >= ROWS_MAX || !counts->charged[row]) counts->uncharged_releases++;
    }
    (void)fclose(side);
}

/* Rounds of two writers, killed; returns how many were killed by us while at work. */
static int kill_writers(const scratch *made, const char *side_path, int rounds,
                        uint32_t *seed, tally *counts)
{
    int kills = 0;
    for (int round = 0; round < rounds; round++) {
        pid_t writers[WRITERS];
        int ready[2];
        assert_int_equal(pipe(ready), 0);
        for (int i = 0; i < WRITERS; i++) {
            writers[i] = fork();
            assert_true(writers[i] >= 0);
            if (writers[i] == 0) {
                write_releases(made, side_path, ready[1]);
                _exit(6);
            }
        }
        /* Sooner or later in their life: every fourth round while they are still opening. */
        (void)close(ready[1]);
        for (int i = 0; i < WRITERS && round % 4 != 0; i++) {
            char byte;
            assert_int_equal(read(ready[0], &byte, 1), 1);
        }
        (void)close(ready[0]);
        for (int i = 0; i < WRITERS; i++) {
            int result = 0;
            pause_microseconds((long)(next_random(seed) % WHILE_MAX_MICROSECONDS) /
                               WRITERS);
            assert_int_equal(kill(writers[i], SIGKILL), 0);
            assert_int_equal(waitpid(writers[i], &result, 0), writers[i]);
            assert_true(WIFSIGNALED(result) && WTERMSIG(result) == SIGKILL);
            kills++;
        }
        take_stock(made, side_path, counts);
        if (counts->uncharged_releases > 0) break;
    }
    return kills;
}

static tally counts; /* large */

static void start(scratch *made, char side_path[128])
{
    *made = scratch_new();
    sotto_ledger_close(ledger_new(made, 100000.0, 0.0));
    (void)snprintf(side_path, 128, "%s/releases", made->folder);
    const int side = open(side_path, O_WRONLY | O_CREAT | O_EXCL, 0600);
    assert_true(side >= 0);
    (void)close(side);
}

static void no_kill_makes_a_release_without_a_charge(void **state)
{
    (void)state;
    scratch made;
    char side_path[128];
    uint32_t seed = 20261115;
    sotto_error error;
    sotto_ledger *ledger = NULL;
    start(&made, side_path);
    const int kills = kill_writers(&made, side_path, ROUNDS, &seed, &counts);
    print_message("%d kills: %llu charges, %llu releases, %llu commits\n", kills,
                  (unsigned long long)counts.charges, (unsigned long long)counts.releases,
                  (unsigned long long)counts.commits);
    assert_int_equal(counts.uncharged_releases, 0);
    assert_int_equal(kills, ROUNDS * WRITERS); /* 220 */
    assert_true(counts.charges >= counts.releases && counts.releases >= counts.commits);
    /* The kills hit something: work was done, and cut off between charge and commit. */
    assert_true(counts.releases >= 30);
    assert_true(counts.charges > counts.commits);
    assert_ok(sotto_ledger_open(made.path, &ledger, &error), &error);
    assert_ok(sotto_ledger_check(ledger, NULL, &error), &error);
    sotto_ledger_close(ledger);
    scratch_free(&made);
}

/* ---- two processes, one last run ---- */

static void of_racers_for_the_last_budget_one_wins(void **state)
{
    (void)state;
    enum { RACERS = 4, RACES = 12 };
    for (int race = 0; race < RACES; race++) {
        const scratch made = scratch_new();
        sotto_ledger_close(ledger_new(&made, 0.75, 0.0));
        int gate[2], winners = 0, losers = 0;
        assert_int_equal(pipe(gate), 0);
        pid_t racers[RACERS];
        for (int i = 0; i < RACERS; i++) {
            racers[i] = fork();
            assert_true(racers[i] >= 0);
            if (racers[i] != 0) continue;
            sotto_error error;
            sotto_ledger *ledger = NULL;
            char byte;
            (void)close(gate[1]);
            if (sotto_ledger_open(made.path, &ledger, &error) != SOTTO_OK) _exit(9);
            (void)!read(gate[0], &byte, 1); /* until the parent closes it */
            _exit((int)reserve(ledger, pure_plan(0.5), NULL, &error));
        }
        (void)close(gate[0]);
        pause_microseconds(5000);
        (void)close(gate[1]);
        for (int i = 0; i < RACERS; i++) {
            int result = 0;
            assert_int_equal(waitpid(racers[i], &result, 0), racers[i]);
            assert_true(WIFEXITED(result));
            if (WEXITSTATUS(result) == SOTTO_OK) winners++;
            if (WEXITSTATUS(result) == SOTTO_BUDGET_EXCEEDED) losers++;
        }
        assert_int_equal(winners, 1);
        assert_int_equal(losers, RACERS - 1);
        scratch_free(&made);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_kill_makes_a_release_without_a_charge),
        cmocka_unit_test(of_racers_for_the_last_budget_one_wins),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
