/* A training that is ended and gone on with: a folder with schema, data, ledger, and what came of it. */
#ifndef SOTTO_TESTS_RESUME_SCENE_H
#define SOTTO_TESTS_RESUME_SCENE_H

#include "support.h"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include <sotto/certificate.h>
#include <sotto/ledger.h>

#include "base/file/file.h"
#include "base/memory.h"
#include "commands/session/checkpoint.h"
#include "commands/train/train_study.h"
#include "privacy/mechanisms/gate/tape.h"

enum { SCENE_STEPS = 12 };

typedef struct scene {
    char folder[64];
    char ledger[96], data[96], output[96], checkpoint[112], next[120];
    sotto_schema *schema;
    bool has_ledger;
} scene;

static inline void scene_write(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static inline scene scene_new(bool has_ledger)
{
    scene s = {.has_ledger = has_ledger};
    sotto_error error;
    /* In memory where the system has such a place: syncing a disk hundreds of times tests the disk. */
    const char *parent = access("/dev/shm", W_OK | X_OK) == 0 ? "/dev/shm" : "/tmp";
    snprintf(s.folder, sizeof s.folder, "%s/resume-XXXXXX", parent);
    assert_non_null(mkdtemp(s.folder));
    snprintf(s.ledger, sizeof s.ledger, "%s/budget.ledger", s.folder);
    snprintf(s.data, sizeof s.data, "%s/data.csv", s.folder);
    snprintf(s.output, sizeof s.output, "%s/model.json", s.folder);
    snprintf(s.checkpoint, sizeof s.checkpoint, "%s.checkpoint", s.output);
    snprintf(s.next, sizeof s.next, "%s.next", s.checkpoint);
    scene_write(s.data, "age,town,person,smokes\n44.5,Lund,p1,no\n61.25,Ystad,p2,yes\n"
                        "23.75,Lund,p3,yes\n");
    assert_ok(sotto_schema_parse("schema.json", study_schema, strlen(study_schema),
                                 &s.schema, &error),
              &error);
    if (!has_ledger) return s;
    sotto_ledger_config config = sotto_ledger_defaults();
    strcpy(config.dataset, "study-1");
    config.adjacency = SOTTO_ADD_REMOVE;
    config.epsilon = 20.0;
    config.delta = 1e-5;
    assert_ok(sotto_ledger_init(s.ledger, &config, &error), &error);
    return s;
}

static inline void scene_free(scene *s)
{
    sotto_schema_free(s->schema);
    DIR *folder = opendir(s->folder);
    assert_non_null(folder);
    for (struct dirent *file = readdir(folder); file != NULL; file = readdir(folder))
        if (strcmp(file->d_name, ".") != 0 && strcmp(file->d_name, "..") != 0)
            (void)unlinkat(dirfd(folder), file->d_name, 0);
    (void)closedir(folder);
    assert_int_equal(rmdir(s->folder), 0);
    sot_test_keep_every(-1.0);
}

/* Ends the training behind a step; 0: never. */
typedef struct stopper {
    uint64_t stop_at;
    uint64_t first, last; /* steps it heard of; first: of this process */
    bool heard;
} stopper;

static inline int scene_listen(const sotto_progress *progress, void *context)
{
    stopper *s = context;
    if (!s->heard) s->first = progress->step;
    s->heard = true;
    s->last = progress->step;
    return s->stop_at > 0 && progress->step == s->stop_at;
}

static inline sotto_train_config scene_config(const scene *s, stopper *listener)
{
    sotto_train_config config = study_config(SOTTO_METHOD_GD, SOTTO_ADD_REMOVE, 1e-6);
    config.steps = SCENE_STEPS;
    config.output = s->output;
    config.overwrite = true;
    config.ledger = s->has_ledger ? s->ledger : NULL;
    config.threads = 1;
    config.progress = listener == NULL ? NULL : scene_listen;
    config.progress_context = listener;
    return config;
}

/* Trains; `out_releases` (NULL: nobody asks) counts what went through the gate. */
static inline sotto_status scene_train(const scene *s, const sotto_train_config *config,
                                       size_t *out_releases, sotto_error *error)
{
    sotto_train_result *result = NULL;
    sot_tape *tape = sot_tape_new();
    assert_non_null(tape);
    sot_tape_record(tape);
    const sotto_status status = sotto_train_data(
        config, s->schema, &(const sotto_data_file){.path = s->data}, &result, error);
    sot_tape_stop(tape);
    if (out_releases != NULL) *out_releases = sot_tape_releases(tape);
    assert_null(sot_tape_difference(tape));
    sot_tape_free(tape);
    sotto_train_free(result);
    return status;
}

/* Trains up to a step and stops there. */
static inline void scene_stop_at(const scene *s, uint64_t step)
{
    sotto_error error;
    stopper listener = {.stop_at = step};
    const sotto_train_config config = scene_config(s, &listener);
    assert_refused(scene_train(s, &config, NULL, &error), SOTTO_INTERRUPTED, &error,
                   "stopped on request", "run the same command to resume", NULL);
}

typedef struct tally {
    uint64_t reserves, commits, checkpoints, last_step;
    double spent;
} tally;

static inline sotto_status scene_count(const sotto_ledger_entry *entry, void *context,
                                       sotto_error *error)
{
    (void)error;
    tally *counts = context;
    if (entry->kind == SOTTO_LEDGER_RESERVE) counts->reserves++;
    if (entry->kind == SOTTO_LEDGER_COMMIT) counts->commits++;
    if (entry->kind == SOTTO_LEDGER_CHECKPOINT) {
        counts->checkpoints++;
        counts->last_step = entry->step;
    }
    counts->spent = entry->spent;
    return SOTTO_OK;
}

/* Verifies the ledger and counts its rows. */
static inline tally scene_tally(const scene *s)
{
    tally counts = {0};
    sotto_error error;
    sotto_ledger *ledger = NULL;
    assert_ok(sotto_ledger_open(s->ledger, &ledger, &error), &error);
    assert_ok(sotto_ledger_check(ledger, NULL, &error), &error);
    assert_ok(sotto_ledger_visit(ledger, scene_count, &counts, &error), &error);
    sotto_ledger_close(ledger);
    return counts;
}

static inline bool scene_has(const char *path)
{
    return access(path, F_OK) == 0;
}

/* A file as it is; put it back with scene_put(). */
typedef struct scene_file {
    char *bytes;
    size_t size_bytes;
} scene_file;

static inline scene_file scene_take(const char *path)
{
    scene_file file;
    sotto_error error;
    assert_ok(sot_file_read(path, (size_t)1 << 24, &file.bytes, &file.size_bytes, &error),
              &error);
    return file;
}

static inline void scene_put(const char *path, const scene_file *file)
{
    sotto_error error;
    assert_ok(sot_file_write(path, file->bytes, file->size_bytes, 0600, &error), &error);
}

/* The model is there, whole, its certificate holds, and nothing else was left. */
static inline void scene_check_model(const scene *s)
{
    sotto_error error;
    scene_file model = scene_take(s->output);
    assert_ok(sotto_certificate_verify(model.bytes, model.size_bytes, &error), &error);
    sot_free(model.bytes);
    assert_false(scene_has(s->checkpoint));
    assert_false(scene_has(s->next));
}

#endif
