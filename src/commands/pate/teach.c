/* Teachers: shards of the rows, a training without noise on each, in parallel. Nothing leaves: files that are as secret
 * as the rows, and no word, number or failure that follows from a record. */
#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file/steps.h"
#include "base/memory.h"
#include "base/names.h"
#include "base/progress.h"
#include "base/sized.h"
#include "commands/pate/pate.h"
#include "commands/train/train.h"
#include "data/batches/matrix.h"
#include "methods/kinds.h"

/* ---- words ---- */

static const sot_names shardings =
    SOT_NAMES("sharding", "auto", "unit", "content", "place");

SOT_DEFINE_NAMES(sotto_pate_sharding, shardings)

void sotto_pate_teach_set_defaults(sotto_pate_teach_config *out_config, size_t size_bytes,
                                   size_t training_bytes)
{
    const sotto_pate_teach_config defaults = {.training = sotto_train_defaults()};
    sot_sized_give(SOT_SIZED_WITH(pate_teach, training), &defaults, out_config,
                   size_bytes, training_bytes);
}

/* ---- settings ---- */

sotto_status sot_pate_plain_training(const char *who, sotto_train_config *config,
                                     sotto_error *error)
{
    if (config->method != SOTTO_METHOD_AUTO &&
        !sot_method_row_of(config->method)->noiseless) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "%s are trained by the method none, not by %s: only the votes "
                        "get noise; leave `method` out",
                        who, sotto_method_name(config->method));
    }
    if (!isnan(config->epsilon) || !isnan(config->delta) || config->ledger != NULL) {
        return sot_fail(
            error, SOTTO_INVALID_ARGUMENT,
            "%s are trained without a guarantee of their own; leave `epsilon`, `delta` "
            "and `ledger` out, and give them to sotto pate label",
            who);
    }
    if (config->stream || !isnan(config->max_minutes) || config->validation != NULL) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "%s are trained on rows in memory, without checkpoints and "
                        "validation rows; leave these settings out",
                        who);
    }
    config->method = SOTTO_METHOD_NONE;
    config->data_is_public = true; /* to the learner: it need not protect them */
    config->public_n = 0;
    config->adjacency = SOTTO_ADD_REMOVE;
    config->insecure_test = false;
    return SOTTO_OK;
}

static sotto_status choose_sharding(const sotto_pate_teach_config *config,
                                    const sotto_schema *schema,
                                    const sotto_data_file *file,
                                    sot_pate_directory *directory, sotto_error *error)
{
    const bool has_unit = sotto_schema_unit(schema) != NULL;
    const uint64_t public_n = config->training.public_n;
    sotto_pate_sharding chosen = config->sharding;
    if (public_n > 0 && (config->training.adjacency != SOTTO_REPLACE_ONE || has_unit)) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "`public_n` is %llu, but the number of rows is secret under "
                        "add-remove and with a unit in the schema; leave `public_n` out",
                        (unsigned long long)public_n);
    }
    sot_origin origin;
    bool keeps_order = false;
    sotto_status status = sot_origin_find(file, NULL, &origin, error);
    if (status == SOTTO_OK)
        status = sot_file_keeps_order(file, schema, &keeps_order, error);
    if (status == SOTTO_OK) status = sot_check_origin(origin, public_n, error);
    if (status != SOTTO_OK) return status;
    /* An index, or the program at the other end of a pipe, may order rows by their
     * content. */
    const bool keeps_place = keeps_order && origin == SOT_ROWS_STORED;
    if (chosen == SOTTO_PATE_BY_RULE)
        chosen = has_unit                      ? SOTTO_PATE_BY_UNIT
                 : public_n > 0 && keeps_place ? SOTTO_PATE_BY_PLACE
                                               : SOTTO_PATE_BY_CONTENT;
    if (has_unit != (chosen == SOTTO_PATE_BY_UNIT)) {
        return sot_fail(
            error, SOTTO_INVALID_ARGUMENT,
            has_unit
                ? "the schema has a unit, whose rows stay in one shard; use "
                  "`sharding=unit`, not %s"
                : "`sharding` is %s, but the schema has no unit; use `sharding=content`",
            sotto_pate_sharding_name(chosen));
    }
    if (chosen == SOTTO_PATE_BY_PLACE && public_n == 0) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "`sharding` is place, but a row that is added or removed moves "
                        "all later rows to other shards; use `sharding=content`, or "
                        "`adjacency=replace-one` with `public_n`");
    }
    if (chosen == SOTTO_PATE_BY_PLACE && !keeps_place) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "`sharding` is place, but the order of these rows may depend on "
                        "their content; use `sharding=content`");
    }
    directory->sharding.rule = (sot_shard_rule)chosen;
    directory->adjacency = config->training.adjacency;
    directory->origin = origin;
    directory->touched =
        sot_sharding_touched(directory->sharding.rule, directory->adjacency);
    if (directory->touched == 0)
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "`adjacency` is missing; give `adjacency=add-remove`");
    return SOTTO_OK;
}

/* ---- the run ---- */

typedef struct teach_run {
    const sotto_schema *schema;
    sotto_train_config training; /* of one teacher */
    sot_pate_directory directory;
    sotto_training *plan; /* the first teacher's, for the public facts of all */
    sot_source *source;
    sotto_rng *rng;
    sot_matrix **shards; /* secret */
    uint64_t records;    /* secret, unless public_n says so */
    size_t *left;        /* teachers that are not finished */
    size_t left_count;
    sotto_progress_function listener; /* the caller's; NULL: none */
    void *listener_context;
    pthread_t caller;    /* the thread that may ask it */
    atomic_bool is_over; /* the listener asked to stop */
} teach_run;

static sotto_status check_teachers(const sotto_pate_teach_config *config,
                                   sotto_error *error)
{
    if (config->teachers < 2 || config->teachers > SOT_PATE_TEACHERS_MAX) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "`ensemble` is %llu; give 2 to %d teachers, for example 250",
                        (unsigned long long)config->teachers, SOT_PATE_TEACHERS_MAX);
    }
    if (config->directory == NULL || config->directory[0] == '\0')
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "the directory of the teachers is missing; give it, for example "
                        "`output=teachers`");
    return SOTTO_OK;
}

/* Everything that is public: the plan of one teacher, who votes for a class. */
static sotto_status prepare(teach_run *run, const sotto_pate_teach_config *config,
                            const sotto_data_file *file, sotto_error *error)
{
    sot_pate_directory *directory = &run->directory;
    sotto_status status = check_teachers(config, error);
    if (status == SOTTO_OK)
        status = choose_sharding(config, run->schema, file, directory, error);
    if (status != SOTTO_OK) return status;
    directory->path = config->directory;
    directory->sharding.count = (size_t)config->teachers;
    run->training = config->training;
    run->training.expected_rows =
        (config->training.expected_rows + config->teachers - 1) / config->teachers;
    run->training.output = NULL;
    run->training.threads = 1;     /* one teacher a thread */
    run->training.progress = NULL; /* listen() sets it */
    status = sot_pate_plain_training("teachers", &run->training, error);
    if (status == SOTTO_OK)
        status = sotto_training_plan(&run->training, run->schema, &run->plan, error);
    if (status != SOTTO_OK) return status;
    if (sot_encoding_classes(run->plan->encoding) == 0) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "teachers vote for classes, and this model predicts numbers; "
                        "give a model of classes, for example `model=logistic`");
    }
    directory->settings = sot_copy_string(sotto_training_json(run->plan));
    if (directory->settings == NULL) return sot_fail_memory(error, 1, 1);
    return sotto_schema_to_json(run->schema, run->training.target,
                                &directory->schema_json, error);
}

/* Stores the ledger's path, so that labels from this directory are charged to it. */
static sotto_status keep_ledger(teach_run *run, sotto_error *error)
{
    const char *named = sotto_schema_ledger(run->schema);
    if (named == NULL) return SOTTO_OK;
    char *whole = realpath(named, NULL);
    if (whole == NULL && errno != ENOENT)
        return sot_file_fail(error, "look at", named, errno);
    run->directory.ledger = sot_copy_string(whole == NULL ? named : whole);
    free(whole);
    return run->directory.ledger == NULL ? sot_fail_memory(error, strlen(named) + 1, 1)
                                         : SOTTO_OK;
}

static sotto_status list_left(teach_run *run, sotto_error *error)
{
    const size_t count = run->directory.sharding.count;
    run->left = sot_new_array(count, sizeof *run->left);
    if (run->left == NULL) return sot_fail_memory(error, count, sizeof *run->left);
    for (size_t i = 0; i < count; i++) {
        bool is_finished = false;
        const sotto_status status =
            sot_pate_teacher_find(&run->directory, i, &is_finished, error);
        if (status != SOTTO_OK) return status;
        if (!is_finished) run->left[run->left_count++] = i;
    }
    return SOTTO_OK;
}

static sotto_status load(teach_run *run, const sotto_pate_teach_config *config,
                         const sotto_data_file *file, sotto_error *error)
{
    const size_t count = run->directory.sharding.count;
    run->shards = sot_new_array(count, sizeof *run->shards);
    if (run->shards == NULL) return sot_fail_memory(error, count, sizeof *run->shards);
    unsigned char digest[SOT_SHARD_DIGEST_BYTES];
    sotto_status status = sot_matrix_load_shards(
        run->source, run->schema, run->plan->encoding, run->rng, &run->directory.sharding,
        run->shards, &run->records, digest, error);
    if (status == SOTTO_OUT_OF_MEMORY)
        return sot_fail(error, status,
                        "out of memory: the rows need more than this "
                        "process can get");
    const uint64_t declared = config->training.public_n;
    if (status == SOTTO_OK && declared > 0 && run->records != declared)
        status = sot_refuse_public_n(file->path, declared, error);
    /* A row that was changed since would be in two shards, or in none. */
    if (status == SOTTO_OK)
        status = sot_pate_directory_check_rows(&run->directory, digest, error);
    sot_wipe(digest, sizeof digest);
    return status;
}

/* ---- stopping ---- */

static int ask_listener(const sotto_progress *progress, void *context)
{
    teach_run *run = context;
    if (run->listener(progress, run->listener_context) != 0)
        atomic_store(&run->is_over, true);
    return atomic_load(&run->is_over);
}

/* Every teacher asks this, on its own thread. The progress of one teacher is not reported. */
static int ask_in_teacher(const sotto_progress *progress, void *context)
{
    teach_run *run = context;
    const sotto_progress question = {.elapsed_seconds = progress->elapsed_seconds,
                                     .epsilon_so_far = SOTTO_UNSET,
                                     .unit = "step",
                                     .asks_only = 1};
    if (pthread_equal(run->caller, pthread_self())) return ask_listener(&question, run);
    return atomic_load(&run->is_over);
}

static void listen(teach_run *run, const sotto_train_config *config)
{
    run->listener = config->progress;
    run->listener_context = config->progress_context;
    run->caller = pthread_self();
    run->training.progress = run->listener == NULL ? NULL : ask_in_teacher;
    run->training.progress_context = run;
}

/* ---- one teacher ---- */

/* True for environment failures (memory, I/O, entropy, interrupt), never caused by a
 * record. */
static bool is_of_the_machine(sotto_status status)
{
    return status == SOTTO_OUT_OF_MEMORY || status == SOTTO_IO ||
           status == SOTTO_ENTROPY || status == SOTTO_INTERRUPTED;
}

static sotto_status learn(const teach_run *run, size_t teacher, char **out_json,
                          sotto_error *error)
{
    sotto_training *training = NULL;
    double *theta = NULL;
    sotto_status status =
        sotto_training_plan(&run->training, run->schema, &training, error);
    if (status != SOTTO_OK) return status;
    const size_t count = sot_learner_coefficients(training->learner);
    theta = sot_new_array(count, sizeof *theta);
    if (theta == NULL) status = sot_fail_memory(error, count, sizeof *theta);
    if (status == SOTTO_OK)
        status = sot_training_learn(training, NULL, run->shards[teacher], theta, error);
    if (status == SOTTO_OK)
        status = sot_training_payload(training, theta, NULL, out_json, error);
    sot_wipe_and_free(theta, count * sizeof *theta);
    sotto_training_free(training);
    return status;
}

/* Trains one teacher. Learnability of a shard is secret: a shard that cannot be learned from also
 * gives a teacher, which always votes for the first class. */
static sotto_status teach_one(size_t chunk, size_t begin, size_t end, void *context,
                              sotto_error *error)
{
    const teach_run *run = context;
    (void)chunk;
    sotto_status status = SOTTO_OK;
    for (size_t i = begin; i < end && status == SOTTO_OK; i++) {
        const size_t teacher = run->left[i];
        char *json = NULL;
        if (run->shards[teacher]->rows > 0) status = learn(run, teacher, &json, error);
        if (is_of_the_machine(status)) return status;
        status = sot_pate_teacher_write(&run->directory, teacher,
                                        status == SOTTO_OK ? json : NULL, error);
        if (json != NULL) sot_wipe_and_free(json, strlen(json));
    }
    return status;
}

typedef struct batch {
    teach_run *run;
    size_t first;
} batch;

static sotto_status teach_of_batch(size_t chunk, size_t begin, size_t end, void *context,
                                   sotto_error *error)
{
    const batch *part = context;
    return teach_one(chunk, part->first + begin, part->first + end, part->run, error);
}

/* Progress is reported between batches, on the caller's thread: the number of finished teachers, which reveals nothing. */
static sotto_status teach_all(teach_run *run, const sotto_train_config *config,
                              sotto_error *error)
{
    sot_pool *pool = NULL;
    const size_t count = run->directory.sharding.count;
    const size_t done = count - run->left_count;
    listen(run, config);
    const sot_progress progress =
        sot_progress_begin(run->listener == NULL ? NULL : ask_listener, run);
    sotto_status status = sot_pool_new(config->threads, &pool, error);
    const size_t size = status == SOTTO_OK ? 4 * sot_pool_threads(pool) : 1;
    if (status == SOTTO_OK) sot_pool_listen(pool, progress.function, run);
    for (size_t first = 0; first < run->left_count && status == SOTTO_OK; first += size) {
        batch part = {.run = run, .first = first};
        const size_t rest = run->left_count - first;
        const size_t items = rest < size ? rest : size;
        status = sot_parallel_for(pool, items, 1, teach_of_batch, &part, error);
        if (status == SOTTO_OK && progress.function != NULL)
            status = sot_progress_report(&progress, done + first + items, count,
                                         SOTTO_UNSET, error);
    }
    sot_pool_free(pool);
    return status;
}

static void clear(teach_run *run)
{
    for (size_t i = 0; run->shards != NULL && i < run->directory.sharding.count; i++)
        sot_matrix_free(run->shards[i]);
    sot_free(run->shards);
    sot_free(run->left);
    sot_source_close(run->source);
    sotto_rng_free(run->rng);
    sotto_training_free(run->plan);
    sot_pate_directory_close(&run->directory);
}

sotto_status sotto_pate_teach(const sotto_pate_teach_config *given,
                              const sotto_schema *schema, const sotto_data_file *file,
                              sotto_pate_result **out_result, sotto_error *error)
{
    sotto_pate_teach_config own;
    const sotto_pate_teach_config *const config = &own;
    teach_run run = {.schema = schema};
    char *text = NULL, *json = NULL;
    sotto_status status = SOT_TAKE_WITH(pate_teach, training, given, &own, error);
    if (status != SOTTO_OK) return status;
    status = prepare(&run, config, file, error);
    if (status == SOTTO_OK) status = keep_ledger(&run, error);
    if (status == SOTTO_OK)
        status = sot_source_open(file, schema, false, &run.source, error);
    if (status == SOTTO_OK) status = sot_source_check_training(run.source, error);
    if (status == SOTTO_OK) {
        const sot_session rows = {
            .data_path = file->path, .schema = schema, .origin = run.directory.origin};
        status = sot_check_stream(&rows, error);
    }
    if (status == SOTTO_OK)
        status = config->training.insecure_test
                     ? sotto_rng_new_for_test(config->training.test_seed, &run.rng, error)
                     : sotto_rng_new(&run.rng, error);
    if (status == SOTTO_OK)
        status = sot_pate_directory_make(&run.directory, run.rng, error);
    if (status == SOTTO_OK) status = list_left(&run, error);
    if (status == SOTTO_OK) status = load(&run, config, file, error);
    if (status == SOTTO_OK) status = teach_all(&run, &config->training, error);
    if (status == SOTTO_OK)
        status =
            sot_pate_teach_text(&run.directory, run.training.model, &text, &json, error);
    clear(&run);
    if (status != SOTTO_OK) {
        sot_free(text);
        return status;
    }
    return sot_pate_result_new(json, text, NULL, out_result, error);
}
