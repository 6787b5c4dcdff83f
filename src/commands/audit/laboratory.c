/* Trainings of a study, thousands of them, through the real learner and gate. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/progress.h"
#include "commands/audit/exact_loss.h"
#include "commands/audit/pairs/study.h"
#include "commands/audit/transcript.h"
#include "data/source/source.h"
#include "random/rng.h"

/* Runs of one thread between two looks at the clock. */
enum { CHUNK = 16, BLOCK = 1024 };

/* ---- the two worlds ---- */

static void put(const sot_study *study, const sot_study_row *row, double **features,
                double **label)
{
    for (size_t copy = 0; copy < row->copies; copy++) {
        for (size_t j = 0; j < study->features; j++)
            *(*features)++ = row->x[j];
        if (study->is_table)
            *(*features)++ = row->label;
        else
            *(*label)++ = row->label;
    }
}

static size_t rows_of(const sot_study *study, bool in, const sot_study_row **out_own)
{
    size_t rows = 0;
    for (size_t i = 0; i < study->groups; i++)
        rows += study->base[i].copies;
    *out_own = in                                             ? &study->record
               : study->config.adjacency == SOTTO_REPLACE_ONE ? &study->other
                                                              : NULL;
    return rows + (*out_own == NULL ? 0 : (*out_own)->copies);
}

static sotto_array view(const double *data, size_t rows, size_t columns)
{
    return (sotto_array){.data = data,
                         .element = SOTTO_FLOAT64,
                         .rows = rows,
                         .columns = columns,
                         .row_stride_bytes = (ptrdiff_t)(columns * sizeof *data),
                         .column_stride_bytes = (ptrdiff_t)sizeof *data};
}

static sotto_status load(const sot_laboratory *lab, const sotto_records *records,
                         sotto_rng *rng, sot_matrix **out_matrix, sotto_error *error)
{
    sot_source *source = NULL;
    sotto_status status = sot_source_open_records(records, lab->schema, &source, error);
    if (status == SOTTO_OK)
        status = sot_matrix_load(source, lab->schema, lab->training->encoding, rng,
                                 out_matrix, error);
    sot_source_close(source);
    return status;
}

static sotto_status load_world(const sot_laboratory *lab, bool in, sotto_rng *rng,
                               sot_matrix **out_matrix, sotto_error *error)
{
    const sot_study *study = lab->study;
    const sot_study_row *own;
    const size_t rows = rows_of(study, in, &own);
    const size_t columns = study->features + (study->is_table ? 1 : 0);
    double *cells = sot_new_array(rows * (columns + 1), sizeof *cells);
    if (cells == NULL) return sot_fail_memory(error, rows * (columns + 1), sizeof *cells);
    double *labels = cells + rows * columns;
    double *next_cell = cells, *next_label = labels;
    for (size_t i = 0; i < study->groups; i++)
        put(study, &study->base[i], &next_cell, &next_label);
    if (own != NULL) put(study, own, &next_cell, &next_label);
    sotto_records records = {.features = view(cells, rows, columns)};
    if (!study->is_table) records.labels = view(labels, rows, 1);
    const sotto_status status = load(lab, &records, rng, out_matrix, error);
    sot_free(cells);
    return status;
}

sotto_status sot_laboratory_open(const sot_study *study, sotto_rng *rng,
                                 sot_laboratory *out_laboratory, sotto_error *error)
{
    sot_laboratory *lab = out_laboratory;
    *lab = (sot_laboratory){.study = study};
    sotto_status status =
        sotto_schema_parse("the audit's schema", study->schema_text,
                           strlen(study->schema_text), &lab->schema, error);
    if (status == SOTTO_OK)
        status = sotto_training_plan(&study->config, lab->schema, &lab->training, error);
    for (int world = 0; world < 2 && status == SOTTO_OK; world++)
        status = load_world(lab, world == 1, rng, &lab->worlds[world], error);
    return status;
}

void sot_laboratory_close(sot_laboratory *laboratory)
{
    sot_matrix_free(laboratory->worlds[0]);
    sot_matrix_free(laboratory->worlds[1]);
    sotto_training_free(laboratory->training);
    sotto_schema_free(laboratory->schema);
    *laboratory = (sot_laboratory){.study = NULL};
}

double sot_laboratory_setting(const sot_laboratory *laboratory, const char *name)
{
    const sot_learner *learner = laboratory->training->learner;
    for (size_t i = 0; i < learner->setting_count; i++)
        if (strcmp(learner->settings[i].name, name) == 0)
            return learner->settings[i].value;
    return SOTTO_UNSET;
}

/* ---- runs ---- */

typedef struct worker {
    const sot_laboratory *lab;
    const sot_exact_loss *loss;
    const sot_rng_family *families; /* one a world */
    uint64_t runs;                  /* of each world */
    uint64_t first;                 /* of this block */
    double *scores;
} worker;

/* Scores counts: -1 for each on the side of the world without the record, 1 on the
 * other. */
static double look_at_counts(const sot_study *study, const int64_t *counts, size_t count)
{
    double sum = 0.0;
    for (size_t i = 0; i < count; i++)
        sum += (double)counts[i] > study->direction[i] ? 1.0 : -1.0;
    return sum;
}

static sotto_status look(const worker *work, const sot_learner *learner,
                         const double *numbers, const sot_transcript *steps,
                         double *out_score, sotto_error *error)
{
    const sot_study *study = work->lab->study;
    const size_t count = sot_learner_coefficients(learner);
    *out_score = 0.0;
    switch (study->look) {
    case SOT_LOOK_EQUALS:
        *out_score = numbers[0] == study->direction[0] ? 0.0 : 1.0;
        break;
    case SOT_LOOK_LOSS:
        return sot_exact_loss_at(work->loss, numbers, out_score, error);
    case SOT_LOOK_STEPS:
        *out_score = sot_transcript_score(steps);
        break;
    case SOT_LOOK_COUNTS:
        *out_score = look_at_counts(study, learner->errors.counts,
                                    (size_t)sot_concept_counts(learner->concept));
        break;
    case SOT_LOOK_ALONG:
        for (size_t i = 0; i < count; i++)
            *out_score += study->direction[i] * numbers[i];
        break;
    }
    return SOTTO_OK;
}

/* One training, to the end: the gate says whether all that was planned was released. */
static sotto_status run_once(const worker *work, int world, uint64_t run,
                             sotto_error *error)
{
    const sot_laboratory *lab = work->lab;
    double numbers[SOT_STUDY_NUMBERS] = {0.0};
    int64_t counts[SOT_STUDY_NUMBERS] = {0};
    sot_transcript steps;
    /* Copies, so that every thread has a place of its own to listen: `learn` writes nothing into a learner. */
    sotto_training training = *lab->training;
    sot_learner learner = *lab->training->learner;
    sotto_rng rng;
    sotto_gate *gate = NULL;
    training.learner = &learner;
    if (lab->study->look == SOT_LOOK_STEPS)
        learner.checkpoint = sot_transcript_begin(&steps, lab->study, lab->training);
    if (lab->study->look == SOT_LOOK_COUNTS) learner.errors.counts = counts;
    sot_rng_stream_start(&work->families[world], run, &rng);
    sotto_status status = sotto_gate_new(training.plan, &rng, &gate, error);
    if (status == SOTTO_OK) status = sotto_gate_open(gate, error);
    if (status == SOTTO_OK)
        status = sot_training_learn(&training, gate, lab->worlds[world], numbers, error);
    if (status == SOTTO_OK) status = sotto_gate_finish(gate, error);
    if (status == SOTTO_OK)
        status = look(work, &learner, numbers, &steps,
                      &work->scores[(uint64_t)world * work->runs + run], error);
    sotto_gate_free(gate);
    sot_rng_wipe(&rng);
    return status;
}

static sotto_status run_chunk(size_t chunk, size_t begin, size_t end, void *context,
                              sotto_error *error)
{
    const worker *work = context;
    sotto_status status = SOTTO_OK;
    (void)chunk;
    for (size_t i = begin; i < end && status == SOTTO_OK; i++)
        status = run_once(work, (int)(i % 2), work->first + i / 2, error);
    return status;
}

static sotto_status run_blocks(worker *work, const sotto_audit_config *config,
                               sot_pool *pool, sotto_error *error)
{
    const sot_progress progress =
        sot_progress_begin(config->progress, config->progress_context);
    sotto_status status = SOTTO_OK;
    for (work->first = 0; status == SOTTO_OK && work->first < work->runs;
         work->first += BLOCK) {
        const uint64_t left = work->runs - work->first;
        status =
            sot_progress_report(&progress, work->first, work->runs, SOTTO_UNSET, error);
        if (status == SOTTO_OK)
            status = sot_parallel_for(pool, 2 * (size_t)(left < BLOCK ? left : BLOCK),
                                      CHUNK, run_chunk, work, error);
        if (status == SOTTO_INTERRUPTED)
            return sot_progress_stopped(&progress, work->first, work->runs, error);
    }
    return status == SOTTO_OK ? sot_progress_report(&progress, work->runs, work->runs,
                                                    SOTTO_UNSET, error)
                              : status;
}

sotto_status sot_laboratory_run(const sot_laboratory *laboratory,
                                const sotto_audit_config *config, sotto_rng *rng,
                                double *out_scores, sotto_error *error)
{
    sot_pool *pool = NULL;
    sot_rng_family families[2];
    sot_exact_loss loss = {.rows = {NULL, NULL}};
    worker work = {.lab = laboratory,
                   .families = families,
                   .loss = &loss,
                   .runs = config->runs,
                   .scores = out_scores};
    if (laboratory->study->look == SOT_LOOK_LOSS) {
        const sotto_status status = sot_exact_loss_of(laboratory, &loss, error);
        if (status != SOTTO_OK) return status;
    }
    sotto_status status = sot_rng_family_begin(rng, "audit: out", &families[0], error);
    if (status != SOTTO_OK) return status;
    status = sot_rng_family_begin(rng, "audit: in", &families[1], error);
    if (status == SOTTO_OK) {
        status = sot_pool_new(config->threads, &pool, error);
        if (status == SOTTO_OK) {
            sot_pool_listen(pool, config->progress, config->progress_context);
            status = run_blocks(&work, config, pool, error);
        }
        sot_pool_free(pool);
        sot_rng_family_end(&families[1]);
    }
    sot_rng_family_end(&families[0]);
    return status;
}
