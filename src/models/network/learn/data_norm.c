/* The two paid numbers a channel of a data norm. Claims: nn.md. */
#include <math.h>
#include <string.h>

#include <sotto/grid.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/reduce.h"
#include "models/network/learn/parts.h"
#include "numeric/outward.h"

/* A record's vector is at most 2^21 units long. */
enum { NORM_BITS = 20 };

/* As in group norm: added to a variance before the root. */
#define VARIANCE_FLOOR 1e-5

/* The divisor of a channel without variance, so that it vanishes. A model file holds
 * it. */
#define NO_DEVIATION SOT_NET_NORM_MOST

enum { MEANS = 0, SQUARES = 1 };

/* ---- public ---- */

static sotto_status grid_of(double bound, sotto_grid *out_grid, sotto_error *error)
{
    *out_grid = (sotto_grid){.norm = SOTTO_L2, .bound = bound};
    return sotto_grid_exponent(bound, NORM_BITS, &out_grid->exponent, error);
}

static sotto_status noise_of(double bound, double multiplier, sotto_adjacency adjacency,
                             const char *purpose, sotto_gaussian_config *out,
                             sotto_error *error)
{
    sotto_grid grid;
    *out = sotto_gaussian_defaults();
    sotto_status status = grid_of(bound, &grid, error);
    if (status == SOTTO_OK)
        status = sotto_grid_sensitivity(&grid, adjacency, &out->l2_sensitivity, error);
    if (status != SOTTO_OK) return status;
    out->adjacency = adjacency;
    out->grid = sotto_grid_spacing(&grid);
    out->sigma = sot_mul_up(multiplier, out->l2_sensitivity);
    out->purpose = purpose;
    return SOTTO_OK;
}

sotto_status sot_data_norm_noise(const sot_layer *layer, sotto_adjacency adjacency,
                                 sotto_gaussian_config out_noise[2], sotto_error *error)
{
    const sotto_status status = noise_of(layer->clip, layer->noise, adjacency,
                                         "channel means", &out_noise[MEANS], error);
    if (status != SOTTO_OK || sot_data_norm_releases(layer) == 1) return status;
    return noise_of(layer->clip_squares, layer->noise, adjacency,
                    "channel means of squares", &out_noise[SQUARES], error);
}

size_t sot_data_norm_releases(const sot_layer *layer)
{
    return layer->clip_squares > 0.0 ? 2 : 1;
}

/* ---- one record ---- */

/* Means over the positions of the values, or of their squares, of each channel. */
static void channel_means(const sot_layer *layer, const float *record, int which,
                          double *out_means)
{
    const size_t channels = layer->in.channels;
    const size_t positions = layer->in.height * layer->in.width;
    memset(out_means, 0, channels * sizeof *out_means);
    for (size_t at = 0; at < positions; at++) {
        for (size_t c = 0; c < channels; c++) {
            const double value = (double)record[at * channels + c];
            out_means[c] += which == MEANS ? value : value * value;
        }
    }
    for (size_t c = 0; c < channels; c++)
        out_means[c] /= (double)positions;
}

/* ---- the sums ---- */

typedef struct norm_job {
    const sot_layer *layer;
    const float *const *rows;
    int which;
    sotto_grid grid;
    double *means;     /* one vector a chunk: room; or, of public rows, their sums */
    int64_t *units;    /* one vector a chunk: room */
    int64_t *partials; /* one vector a chunk */
} norm_job;

static sotto_status add_chunk(size_t chunk, size_t begin, size_t end, void *context,
                              sotto_error *error)
{
    const norm_job *job = context;
    const size_t channels = job->layer->in.channels;
    double *means = job->means + chunk * channels;
    int64_t *units = job->units + chunk * channels;
    int64_t *partial = job->partials + chunk * channels;
    for (size_t i = begin; i < end; i++) {
        channel_means(job->layer, job->rows[i], job->which, means);
        sotto_status status =
            sotto_grid_quantize(&job->grid, means, channels, units, error);
        if (status == SOTTO_OK) status = sotto_grid_add(partial, units, channels, error);
        if (status != SOTTO_OK) return status;
    }
    return SOTTO_OK;
}

/* The exact sum over all records, in units. */
static sotto_status sum_records(norm_job *job, size_t count, sot_pool *pool,
                                int64_t *out_sum, sotto_error *error)
{
    enum { CHUNKS_MOST = 64 };
    const size_t channels = job->layer->in.channels;
    const size_t size = count / CHUNKS_MOST + 1;
    const size_t chunks = (count + size - 1) / size;
    job->means = sot_new_array(chunks * channels, sizeof *job->means);
    job->units = sot_new_array(chunks * channels, sizeof *job->units);
    job->partials = sot_new_array(chunks * channels, sizeof *job->partials);
    sotto_status status = SOTTO_OK;
    if (job->means == NULL || job->units == NULL || job->partials == NULL)
        status = sot_fail_memory(error, chunks * channels, 3 * sizeof(int64_t));
    if (status == SOTTO_OK)
        status = sot_parallel_for(pool, count, size, add_chunk, job, error);
    if (status == SOTTO_OK)
        status = sot_sum_chunks_int64(job->partials, chunks, channels, out_sum, error);
    sot_wipe_and_free(job->means, chunks * channels * sizeof *job->means);
    sot_wipe_and_free(job->units, chunks * channels * sizeof *job->units);
    sot_wipe_and_free(job->partials, chunks * channels * sizeof *job->partials);
    return status;
}

static sotto_status release_mean(norm_job *job, double bound,
                                 const sotto_gaussian_config *noise, sotto_gate *gate,
                                 size_t count, double divisor, sot_pool *pool,
                                 double *out_mean, sotto_error *error)
{
    const size_t channels = job->layer->in.channels;
    int64_t *sum = sot_new_array(channels, sizeof *sum);
    if (sum == NULL) return sot_fail_memory(error, channels, sizeof *sum);
    sotto_status status = grid_of(bound, &job->grid, error);
    if (status == SOTTO_OK) status = sum_records(job, count, pool, sum, error);
    if (status == SOTTO_OK)
        status = sotto_gaussian_release(gate, noise, sum, channels, sum, error);
    for (size_t c = 0; status == SOTTO_OK && c < channels; c++)
        out_mean[c] = (double)sum[c] * noise->grid / divisor;
    sot_wipe_and_free(sum, channels * sizeof *sum);
    return status;
}

/* ---- the layer ---- */

sotto_status sot_data_norm_make_room(sot_layer *layer, sotto_error *error)
{
    const size_t channels = layer->in.channels;
    if (layer->mean == NULL) layer->mean = sot_new_array(channels, sizeof(double));
    if (layer->deviation == NULL)
        layer->deviation = sot_new_array(channels, sizeof(double));
    if (layer->mean != NULL && layer->deviation != NULL) return SOTTO_OK;
    return sot_fail_memory(error, channels, sizeof(double));
}

/* Computes it from E x and E x^2, which is in `deviation`. A channel without a positive
 * variance is noise, or constant. */
static double deviation_of(double mean, double squares)
{
    const double variance = squares - mean * mean;
    return variance > 0.0 ? fmin(sqrt(variance + VARIANCE_FLOOR), NO_DEVIATION)
                          : NO_DEVIATION;
}

static void finish(sot_layer *layer)
{
    const bool scales = sot_data_norm_releases(layer) == 2;
    for (size_t c = 0; c < layer->in.channels; c++) {
        layer->deviation[c] =
            scales ? deviation_of(layer->mean[c], layer->deviation[c]) : 1.0;
        layer->mean[c] =
            fmax(-SOT_NET_NORM_MOST, fmin(SOT_NET_NORM_MOST, layer->mean[c]));
    }
}

sotto_status sot_data_norm_learn(sot_layer *layer, const sotto_gaussian_config noise[2],
                                 sotto_gate *gate, const float *const *rows, size_t count,
                                 double divisor, sot_pool *pool, sotto_error *error)
{
    norm_job job = {.layer = layer, .rows = rows, .which = MEANS};
    sotto_status status = sot_data_norm_make_room(layer, error);
    if (status == SOTTO_OK)
        status = release_mean(&job, layer->clip, &noise[MEANS], gate, count, divisor,
                              pool, layer->mean, error);
    job.which = SQUARES;
    if (status == SOTTO_OK && sot_data_norm_releases(layer) == 2)
        status = release_mean(&job, layer->clip_squares, &noise[SQUARES], gate, count,
                              divisor, pool, layer->deviation, error);
    if (status == SOTTO_OK) finish(layer);
    return status;
}

sotto_status sot_data_norm_measure(sot_layer *layer, const float *const *rows,
                                   size_t count, sotto_error *error)
{
    const size_t channels = layer->in.channels;
    double *means = sot_new_array(channels, sizeof *means);
    sotto_status status = means == NULL ? sot_fail_memory(error, channels, sizeof *means)
                                        : sot_data_norm_make_room(layer, error);
    for (int which = MEANS; status == SOTTO_OK && which <= SQUARES; which++) {
        double *sum = which == MEANS ? layer->mean : layer->deviation;
        memset(sum, 0, channels * sizeof *sum);
        for (size_t i = 0; i < count; i++) {
            channel_means(layer, rows[i], which, means);
            for (size_t c = 0; c < channels; c++)
                sum[c] += means[c] / (double)count;
        }
    }
    if (status == SOTTO_OK) finish(layer);
    sot_free(means);
    return status;
}
