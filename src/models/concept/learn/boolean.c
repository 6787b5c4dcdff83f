/* Classes over features of two places: conjunctions, parities, candidates. All scores at once. */
#include <assert.h>

#include "base/error.h"
#include "base/memory.h"
#include "models/concept/learn/parts.h"

/* ---- conjunctions and parities ---- */

static size_t mask_of(const uint32_t *places, size_t features)
{
    size_t mask = 0;
    for (size_t j = 0; j < features; j++)
        mask |= (size_t)(places[j] & 1) << j;
    return mask;
}

typedef struct labels {
    int64_t yes, no;
} labels;

/* nets[x]: records whose features are the mask x, label yes minus label no. */
static sotto_status count_masks(const sot_pac *pac, sot_table *table, int64_t *nets,
                                labels *out_labels, sotto_error *error)
{
    sotto_status status = sot_table_rewind(table, error);
    for (const sot_matrix *rows = NULL; status == SOTTO_OK;) {
        status = sot_table_next(table, &rows, error);
        if (status != SOTTO_OK || rows == NULL) break;
        for (size_t i = 0; i < rows->rows; i++) {
            const bool yes = rows->labels[i] > 0.0;
            out_labels->yes += yes ? 1 : 0;
            out_labels->no += yes ? 0 : 1;
            nets[mask_of(rows->cells + i * rows->columns, pac->class->features)] +=
                yes ? 1 : -1;
        }
    }
    return status;
}

/* A conjunction of the mask m predicts yes for x if x holds m. So it errs on yes - sum of nets[x]
 * over those x. A parity predicts no where x and m share an even number of bits: errors = yes of
 * sign + and no of sign -. With signs h(x) = +-1 that is the sum of
 * `(1 + h)/2 yes + (1 - h)/2 no = (records + sum of h(x) nets[x])/2`. */
static sotto_status score_masks(const sot_pac *pac, labels seen, int64_t *values,
                                sot_pool *pool, sotto_error *error)
{
    const unsigned bits = (unsigned)pac->class->features;
    const size_t count = (size_t)1 << bits;
    if (pac->class->kind == SOT_CONCEPT_CONJUNCTIONS) {
        const sotto_status status = sot_superset_sums(values, bits, pool, error);
        for (size_t mask = 0; mask < count; mask++)
            values[mask] -= seen.yes;
        return status;
    }
    const sotto_status status = sot_walsh_hadamard(values, bits, pool, error);
    for (size_t mask = 0; mask < count; mask++)
        values[mask] = -(seen.yes + seen.no + values[mask]) / 2; /* even: exact */
    return status;
}

sotto_status sot_pac_learn_masks(const sot_pac *pac, sotto_gate *gate, sot_table *table,
                                 sot_pool *pool, double *out_numbers, sotto_error *error)
{
    assert(pac->class->features <= SOT_CONCEPT_BITS_MAX);
    const size_t count = (size_t)1 << pac->class->features;
    int64_t *values = sot_new_aligned(count, sizeof *values);
    if (values == NULL) return sot_fail_memory(error, count, sizeof *values);
    labels seen = {0};
    size_t mask = 0;
    sotto_status status = count_masks(pac, table, values, &seen, error);
    if (status == SOTTO_OK) status = score_masks(pac, seen, values, pool, error);
    if (status == SOTTO_OK)
        status = sot_pac_choose(pac, 0, gate, values, count, &mask, error);
    if (status == SOTTO_OK) out_numbers[0] = (double)mask;
    sot_wipe_and_free(values, count * sizeof *values);
    return status;
}

/* ---- candidates ---- */

/* Features in a chunk: a cache line of places. */
enum { CHUNK_FEATURES = 16 };

typedef struct errors_job {
    const sot_matrix *rows;
    int64_t *errors; /* one per feature */
} errors_job;

static sotto_status add_errors(size_t chunk, size_t begin, size_t end, void *context,
                               sotto_error *error)
{
    (void)chunk, (void)error;
    const errors_job *job = context;
    int64_t errors[CHUNK_FEATURES] = {0};
    assert(end - begin <= CHUNK_FEATURES);
    for (size_t i = 0; i < job->rows->rows; i++) {
        const uint32_t *places = job->rows->cells + i * job->rows->columns;
        const uint32_t yes = job->rows->labels[i] > 0.0 ? 1 : 0;
        for (size_t j = begin; j < end; j++)
            errors[j - begin] += places[j] ^ yes;
    }
    for (size_t j = begin; j < end; j++)
        job->errors[j] += errors[j - begin];
    sot_wipe(errors, sizeof errors);
    return SOTTO_OK;
}

static sotto_status count_errors(const sot_pac *pac, sot_table *table, sot_pool *pool,
                                 int64_t *errors, int64_t *out_rows, sotto_error *error)
{
    sotto_status status = sot_table_rewind(table, error);
    for (const sot_matrix *rows = NULL; status == SOTTO_OK;) {
        status = sot_table_next(table, &rows, error);
        if (status != SOTTO_OK || rows == NULL) break;
        errors_job job = {.rows = rows, .errors = errors};
        *out_rows += (int64_t)rows->rows;
        status = sot_parallel_for(pool, pac->class->features, CHUNK_FEATURES, add_errors,
                                  &job, error);
    }
    return status;
}

sotto_status sot_pac_learn_candidates(const sot_pac *pac, sotto_gate *gate,
                                      sot_table *table, sot_pool *pool,
                                      double *out_numbers, sotto_error *error)
{
    const size_t features = pac->class->features;
    const size_t count = pac->class->both ? 2 * features : features;
    int64_t *scores = sot_new_array(count, sizeof *scores);
    if (scores == NULL) return sot_fail_memory(error, count, sizeof *scores);
    int64_t rows = 0;
    size_t choice = 0;
    sotto_status status = count_errors(pac, table, pool, scores, &rows, error);
    for (size_t j = 0; j < features; j++) {
        if (pac->class->both) scores[features + j] = scores[j] - rows;
        scores[j] = -scores[j];
    }
    if (status == SOTTO_OK)
        status = sot_pac_choose(pac, 0, gate, scores, count, &choice, error);
    if (status == SOTTO_OK) {
        out_numbers[0] = (double)(choice % features);
        out_numbers[1] = choice >= features ? 1.0 : 0.0;
    }
    sot_wipe_and_free(scores, count * sizeof *scores);
    return status;
}
