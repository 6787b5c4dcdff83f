#include "models/network/engine/scores.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "models/network/engine/engine.h"

/* Enough to keep every thread at work; fewer where a row is wide: 64 MiB of them. */
enum { ROWS_MOST = 512, FLOATS_MOST = 1 << 24 };

struct sot_scores {
    const sot_net *net;
    sot_pool *pool;
    sot_engine *engine;
    size_t room;
    size_t front_size;    /* floats a row */
    float *front;         /* room x front_size; NULL: the front does nothing */
    const float **inputs; /* into `front` */
};

void sot_scores_free(sot_scores *scores)
{
    if (scores == NULL) return;
    sot_engine_free(scores->engine);
    sot_wipe_and_free(scores->front,
                      scores->room * scores->front_size * sizeof *scores->front);
    sot_free(scores->inputs);
    sot_free(scores);
}

sotto_status sot_scores_new(const sot_net *net, sot_pool *pool, sot_scores **out_scores,
                            sotto_error *error)
{
    const bool plain = sot_net_front_is_identity(net);
    sot_scores *scores = sot_new_array(1, sizeof *scores);
    if (scores == NULL) return sot_fail_memory(error, 1, sizeof *scores);
    scores->net = net;
    scores->pool = pool;
    scores->front_size = sot_shape_size(sot_net_front_shape(net));
    const size_t width = sot_shape_size(net->input) + scores->front_size;
    scores->room = FLOATS_MOST / width + 1;
    if (scores->room > ROWS_MOST) scores->room = ROWS_MOST;
    scores->inputs = sot_new_array(scores->room, sizeof *scores->inputs);
    if (!plain)
        scores->front =
            sot_new_aligned(scores->room * scores->front_size, sizeof *scores->front);
    sotto_status status = SOTTO_OK;
    if (scores->inputs == NULL || (!plain && scores->front == NULL))
        status = sot_fail_memory(error, scores->room * scores->front_size, sizeof(float));
    if (status == SOTTO_OK)
        status = sot_engine_new(net, NULL, 1, pool, &scores->engine, error);
    if (status != SOTTO_OK) {
        sot_scores_free(scores);
        return status;
    }
    *out_scores = scores;
    return SOTTO_OK;
}

size_t sot_scores_room(const sot_scores *scores)
{
    return scores->room;
}

sotto_status sot_scores_find(sot_scores *scores, const float *parameters,
                             const float *const *rows, size_t count, float *out_scores,
                             sotto_error *error)
{
    const float *const *inputs = rows;
    if (scores->front != NULL) {
        const sotto_status status =
            sot_front_apply(scores->net, parameters, rows, count, scores->pool,
                            scores->front, scores->front_size, error);
        if (status != SOTTO_OK) return status;
        for (size_t i = 0; i < count; i++)
            scores->inputs[i] = scores->front + i * scores->front_size;
        inputs = scores->inputs;
    }
    return sot_engine_scores(scores->engine, parameters, inputs, count, out_scores,
                             error);
}

sotto_status sot_scores_kit_open(const sot_net *net, const double *theta, size_t threads,
                                 sot_scores_kit *kit, sotto_error *error)
{
    kit->parameters = sot_new_aligned(net->parameters, sizeof *kit->parameters);
    if (kit->parameters == NULL)
        return sot_fail_memory(error, net->parameters, sizeof *kit->parameters);
    for (size_t i = 0; i < net->parameters; i++)
        kit->parameters[i] = (float)theta[i];
    const sotto_status status = sot_pool_new(threads, &kit->pool, error);
    if (status != SOTTO_OK) return status;
    return sot_scores_new(net, kit->pool, &kit->scores, error);
}

void sot_scores_kit_close(sot_scores_kit *kit)
{
    sot_scores_free(kit->scores);
    sot_pool_free(kit->pool);
    sot_free(kit->parameters);
}

/* ---- public rows ---- */

/* Room for one call of sot_scores_find(). */
typedef struct room {
    const float **rows;
    float *dense;  /* of a sparse matrix: rows written out; else NULL */
    float *scores; /* rows x outputs */
    size_t rows_most;
} room;

static void free_room(room *self, const sot_matrix *matrix, size_t outputs)
{
    sot_free(self->rows);
    sot_wipe_and_free(self->dense,
                      self->rows_most * matrix->columns * sizeof *self->dense);
    sot_wipe_and_free(self->scores, self->rows_most * outputs * sizeof *self->scores);
}

static sotto_status make_room(const sot_scores *scores, const sot_matrix *matrix,
                              room *out, sotto_error *error)
{
    out->rows_most = scores->room;
    out->rows = sot_new_array(out->rows_most, sizeof *out->rows);
    out->scores =
        sot_new_array(out->rows_most * scores->net->outputs, sizeof *out->scores);
    if (matrix->dense == NULL)
        out->dense = sot_new_array(out->rows_most * matrix->columns, sizeof *out->dense);
    if (out->rows != NULL && out->scores != NULL &&
        (matrix->dense != NULL || out->dense != NULL))
        return SOTTO_OK;
    return sot_fail_memory(error, out->rows_most * matrix->columns, sizeof *out->dense);
}

static void write_out(const sot_matrix *matrix, size_t row, float *out)
{
    memset(out, 0, matrix->columns * sizeof *out);
    for (uint64_t k = matrix->starts[row]; k < matrix->starts[row + 1]; k++)
        out[matrix->indices[k]] = matrix->values[k];
}

sotto_status sot_scores_visit(sot_scores *scores, const float *parameters,
                              const sot_matrix *matrix, sot_scores_visitor visit,
                              void *context, sotto_error *error)
{
    const size_t outputs = scores->net->outputs;
    room self = {.rows = NULL};
    sotto_status status = make_room(scores, matrix, &self, error);
    for (size_t first = 0; first < matrix->rows && status == SOTTO_OK;
         first += self.rows_most) {
        const size_t left = matrix->rows - first;
        const size_t count = left < self.rows_most ? left : self.rows_most;
        for (size_t i = 0; i < count; i++) {
            if (matrix->dense == NULL)
                write_out(matrix, first + i, self.dense + i * matrix->columns);
            self.rows[i] = matrix->dense == NULL
                               ? self.dense + i * matrix->columns
                               : matrix->dense + (first + i) * matrix->stride;
        }
        status =
            sot_scores_find(scores, parameters, self.rows, count, self.scores, error);
        for (size_t i = 0; i < count && status == SOTTO_OK; i++)
            visit(first + i, self.scores + i * outputs, context);
    }
    free_room(&self, matrix, outputs);
    return status;
}

/* ---- scores ---- */

typedef struct rating {
    const sot_encoding *encoding;
    const sot_matrix *matrix;
    size_t outputs;
    double sum;
} rating;

/* 1 for a right class, or the squared miss of a number. */
static void judge(size_t row, const float *scores, void *context)
{
    rating *self = context;
    const double label = self->matrix->labels[row];
    const size_t classes = sot_encoding_classes(self->encoding);
    if (classes == 0) {
        const double miss = sot_encoding_target_value(self->encoding, (double)scores[0]) -
                            sot_encoding_target_value(self->encoding, label);
        self->sum += miss * miss;
        return;
    }
    size_t best = 0;
    for (size_t k = 1; k < self->outputs; k++)
        if (scores[k] > scores[best]) best = k;
    const size_t truth = classes == 2 ? (label > 0.0 ? 1 : 0) : (size_t)label;
    self->sum += best == truth ? 1.0 : 0.0;
}

sotto_status sot_scores_rate(sot_scores *scores, const float *parameters,
                             const sot_encoding *encoding, const sot_matrix *matrix,
                             double *out_rate, sotto_error *error)
{
    rating self = {
        .encoding = encoding, .matrix = matrix, .outputs = scores->net->outputs};
    const sotto_status status =
        sot_scores_visit(scores, parameters, matrix, judge, &self, error);
    if (status != SOTTO_OK) return status;
    const double mean = self.sum / (double)matrix->rows;
    *out_rate = sot_encoding_classes(encoding) == 0 ? sqrt(mean) : mean;
    return SOTTO_OK;
}
