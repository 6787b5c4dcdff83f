/* tests/privacy/ledger/scratch.h: ledgers in scratch directories, plans in one line. */
#ifndef SOTTO_TESTS_LEDGER_SCRATCH_H
#define SOTTO_TESTS_LEDGER_SCRATCH_H

#include "support.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <sotto/ledger.h>

#define SOME_HASH "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"

typedef struct scratch {
    char folder[64]; /* mode 0700 */
    char path[96];   /* of the ledger in it */
} scratch;

/* In memory where the system has such a place: syncing a disk hundreds of times tests the disk. */
static inline scratch scratch_new(void)
{
    scratch made;
    const char *parent = access("/dev/shm", W_OK | X_OK) == 0 ? "/dev/shm" : "/tmp";
    (void)snprintf(made.folder, sizeof made.folder, "%s/sotto-ledger-XXXXXX", parent);
    assert_non_null(mkdtemp(made.folder));
    (void)snprintf(made.path, sizeof made.path, "%s/budget.ledger", made.folder);
    return made;
}

/* Removes the folder and the files in it. */
static inline void scratch_free(const scratch *made)
{
    (void)chmod(made->folder, 0700);
    DIR *folder = opendir(made->folder);
    assert_non_null(folder);
    for (struct dirent *file = readdir(folder); file != NULL; file = readdir(folder))
        if (file->d_name[0] != '.' || strlen(file->d_name) > 2)
            (void)unlinkat(dirfd(folder), file->d_name, 0);
    (void)closedir(folder);
    assert_int_equal(rmdir(made->folder), 0);
}

static inline sotto_ledger_config config_of(double epsilon, double delta)
{
    sotto_ledger_config config = sotto_ledger_defaults();
    (void)snprintf(config.dataset, sizeof config.dataset, "clinic-2026");
    config.adjacency = SOTTO_ADD_REMOVE;
    config.epsilon = epsilon;
    config.delta = delta;
    return config;
}

static inline sotto_ledger *ledger_new(const scratch *made, double epsilon, double delta)
{
    sotto_error error;
    sotto_ledger *ledger = NULL;
    const sotto_ledger_config config = config_of(epsilon, delta);
    assert_ok(sotto_ledger_init(made->path, &config, &error), &error);
    assert_ok(sotto_ledger_open(made->path, &ledger, &error), &error);
    return ledger;
}

static inline sotto_plan *plan_of(const sotto_event *event)
{
    sotto_error error;
    sotto_plan *plan = NULL;
    assert_ok(sotto_plan_new(SOTTO_ADD_REMOVE, &plan, &error), &error);
    assert_ok(sotto_plan_add(plan, event, &error), &error);
    return plan;
}

static inline sotto_plan *pure_plan(double epsilon)
{
    sotto_event event = sotto_event_defaults();
    event.mechanism = SOTTO_PURE;
    event.epsilon = epsilon;
    event.count = 1;
    return plan_of(&event);
}

static inline sotto_plan *gaussian_plan(double noise_multiplier)
{
    sotto_event event = sotto_event_defaults();
    event.mechanism = SOTTO_GAUSSIAN;
    event.noise_multiplier = noise_multiplier;
    event.count = 1;
    return plan_of(&event);
}

static inline sotto_plan *approximate_plan(double epsilon, double delta)
{
    sotto_event event = sotto_event_defaults();
    event.mechanism = SOTTO_APPROXIMATE;
    event.epsilon = epsilon;
    event.delta = delta;
    event.count = 1;
    return plan_of(&event);
}

/* Reserves and frees the plan. */
static inline sotto_status reserve(sotto_ledger *ledger, sotto_plan *plan,
                                   sotto_reservation *out, sotto_error *error)
{
    sotto_reservation unused;
    const sotto_status status = sotto_ledger_reserve(ledger, plan, 0.0, "a test",
                                                     out != NULL ? out : &unused, error);
    sotto_plan_free(plan);
    return status;
}

static inline sotto_ledger_balance balance_of(sotto_ledger *ledger)
{
    sotto_error error;
    sotto_ledger_balance balance;
    assert_ok(sotto_ledger_read_balance(ledger, &balance, &error), &error);
    return balance;
}

/* The export as one text, to be freed with free(). */
typedef struct exported {
    char *text;
    size_t size_bytes;
} exported;

static inline sotto_status append_line(const char *line, size_t size_bytes, void *context,
                                       sotto_error *error)
{
    (void)error;
    exported *all = context;
    all->text = realloc(all->text, all->size_bytes + size_bytes + 1);
    assert_non_null(all->text);
    memcpy(all->text + all->size_bytes, line, size_bytes + 1);
    all->size_bytes += size_bytes;
    return SOTTO_OK;
}

static inline exported export_of(sotto_ledger *ledger)
{
    sotto_error error;
    exported all = {NULL, 0};
    assert_ok(sotto_ledger_export(ledger, append_line, &all, &error), &error);
    return all;
}

#endif
