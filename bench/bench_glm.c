/* bench/bench_glm.c: solving logistic problems, and the gradient sums of noisy descent.
 *
 *     bench_glm [DIR]
 *
 * glm_gradient_units   One pass over a dense matrix larger than the caches. `read` is the speed of
 *                      reading the same array and doing nothing with it, in turns with the passes;
 *                      `share` is the ratio. The sums are compared with the reference's.
 * glm_solve            From 0 to a proven gradient of 2^-20, lambda 1. Checked by the careful bound.
 *                      DIR/adult-onehot/adult_train.libsvm.gz is solved too, if it is there.
 *
 * JSON lines, the best of several rounds: processor time for one thread, which a busy machine
 * changes less; the clock on the wall for all threads. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/memory.h"
#include "data/batches/matrix.h"
#include "models/linear/losses/slopes_logistic.h"
#include "models/linear/rows/units.h"
#include "models/linear/solver/newton.h"
#include "models/linear/solver/problem.h"

enum { ARRAY_BYTES = 192 << 20, UNIT_ROUNDS = 9, SOLVE_ROUNDS = 7, COLUMNS_MOST = 4096 };

static double seconds(size_t threads)
{
    struct timespec now;
    clock_gettime(threads == 1 ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* splitmix64 (Steele, Lea & Flood 2014): a fixed stream of test values. */
static uint64_t next_bits(uint64_t *stream)
{
    uint64_t z = (*stream += UINT64_C(0x9E3779B97F4A7C15));
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

static double next_symmetric(uint64_t *stream) /* [-1, 1), a multiple of 2^-20 */
{
    return (double)(next_bits(stream) >> 43) * 0x1p-20 - 1.0;
}

/* ---- matrices ---- */

/* Rows of norm below 1, labels half by a plane, half at random. */
static bool make_dense(size_t rows, size_t columns, sot_matrix *out)
{
    const size_t stride =
        (columns + SOT_MATRIX_LANES - 1) / SOT_MATRIX_LANES * SOT_MATRIX_LANES;
    const double scale = 1.0 / sqrt((double)columns);
    uint64_t stream = columns;
    *out = (sot_matrix){.rows = rows, .columns = columns, .stride = stride};
    out->labels = malloc(rows * sizeof *out->labels);
    out->dense = aligned_alloc(64, rows * stride * sizeof *out->dense);
    if (out->labels == NULL || out->dense == NULL) return false;
    for (size_t i = 0; i < rows; i++) {
        double plane = 0.0;
        for (size_t j = 0; j < stride; j++) {
            const double x = j < columns ? scale * next_symmetric(&stream) : 0.0;
            out->dense[i * stride + j] = (float)x;
            plane += j % 3 == 0 ? x : -0.5 * x;
        }
        const double coin = next_symmetric(&stream);
        out->labels[i] = (coin < 0.0 ? plane : coin - 0.5) < 0.0 ? -1.0 : 1.0;
    }
    return true;
}

/* `groups` categories of columns / groups values each: one indicator a group, as one-hot tables. */
static bool make_one_hot(size_t rows, size_t columns, size_t groups, sot_matrix *out)
{
    const size_t values = columns / groups;
    uint64_t stream = columns + groups;
    *out = (sot_matrix){.rows = rows, .columns = columns};
    out->labels = malloc(rows * sizeof *out->labels);
    out->starts = malloc((rows + 1) * sizeof *out->starts);
    out->indices = malloc(rows * groups * sizeof *out->indices);
    out->values = malloc(rows * groups * sizeof *out->values);
    if (out->labels == NULL || out->starts == NULL || out->indices == NULL ||
        out->values == NULL)
        return false;
    for (size_t i = 0; i < rows; i++) {
        double plane = 0.0;
        out->starts[i] = i * groups;
        for (size_t g = 0; g < groups; g++) {
            const uint64_t a = next_bits(&stream) % values;
            const uint64_t b = next_bits(&stream) % values;
            const uint64_t value = a < b ? a : b; /* small ones more often */
            out->indices[i * groups + g] = (uint32_t)(g * values + value);
            out->values[i * groups + g] = (float)(1.0 / sqrt((double)groups));
            plane += value % 2 == 0 ? 1.0 : -0.75;
        }
        const double coin = next_symmetric(&stream);
        out->labels[i] = (coin < 0.5 ? plane : coin - 0.75) < 0.0 ? -1.0 : 1.0;
    }
    out->starts[rows] = rows * groups;
    return true;
}

static void drop(sot_matrix *matrix)
{
    free(matrix->labels);
    free(matrix->dense);
    free(matrix->starts);
    free(matrix->indices);
    free(matrix->values);
    *matrix = (sot_matrix){0};
}

/* ---- gradient sums ---- */

typedef struct reading {
    const sot_matrix *matrix;
    uint64_t found[64];
} reading;

static sotto_status read_chunk(size_t chunk, size_t begin, size_t end, void *context,
                               sotto_error *error)
{
    (void)error;
    reading *shared = context;
    const uint64_t *words =
        (const uint64_t *)(const void *)(shared->matrix->dense + begin * 16);
    const size_t count = (end - begin) * 8;
    uint64_t all[8] = {0};
    for (size_t i = 0; i < count; i += 8) {
        for (size_t k = 0; k < 8; k++)
            all[k] ^= words[i + k];
    }
    shared->found[chunk] =
        all[0] ^ all[1] ^ all[2] ^ all[3] ^ all[4] ^ all[5] ^ all[6] ^ all[7];
    return SOTTO_OK;
}

/* Sixteen floats are an item. */
static double read_seconds(const sot_matrix *matrix, sot_pool *pool, uint64_t *out_found)
{
    static reading shared;
    const size_t items = matrix->rows * (matrix->stride / 16);
    memset(&shared, 0, sizeof shared);
    shared.matrix = matrix;
    const double begin = seconds(sot_pool_threads(pool));
    if (sot_parallel_for(pool, items, (items + 63) / 64, read_chunk, &shared, NULL) !=
        SOTTO_OK)
        return (double)INFINITY;
    const double taken = seconds(sot_pool_threads(pool)) - begin;
    for (size_t i = 0; i < 64; i++)
        *out_found ^= shared.found[i];
    return taken;
}

/* The same sums by the reference, row after row. */
static bool sums_are_right(const sot_matrix *matrix, const double *theta, double spacing,
                           const int64_t *units)
{
    static float at[COLUMNS_MOST];
    static int64_t sums[COLUMNS_MOST];
    static int32_t one[COLUMNS_MOST];
    const sot_units *plain = sot_units_portable(matrix);
    memset(sums, 0, sizeof sums);
    for (size_t j = 0; j < matrix->stride; j++)
        at[j] = j < matrix->columns ? (float)theta[j] : 0.0f;
    for (size_t i = 0; i < matrix->rows; i++) {
        float margin;
        float slope;
        const float label = (float)matrix->labels[i];
        plain->dots(matrix, i, i + 1, at, &margin);
        sot_slopes_logistic_portable(&margin, &label, 1, &slope);
        memset(one, 0, matrix->stride * sizeof *one);
        plain->add(matrix, i, i + 1, &slope, (float)(1.0 / spacing), one);
        for (size_t j = 0; j < matrix->columns; j++)
            sums[j] += one[j];
    }
    return memcmp(sums, units, matrix->columns * sizeof *units) == 0;
}

static bool bench_units(size_t columns, size_t threads)
{
    static double theta[COLUMNS_MOST];
    static int64_t units[COLUMNS_MOST];
    const size_t stride = (columns + 15) / 16 * 16;
    sot_matrix matrix;
    sot_pool *pool = NULL;
    if (!make_dense(ARRAY_BYTES / (stride * sizeof(float)), columns, &matrix) ||
        sot_pool_new(threads, &pool, NULL) != SOTTO_OK)
        return false;
    const sot_glm glm = {
        .matrix = &matrix, .loss = &sot_loss_logistic, .lambda = 1.0, .pool = pool};
    uint64_t stream = 5;
    for (size_t j = 0; j < columns; j++)
        theta[j] = 2.0 * next_symmetric(&stream);
    double pass = (double)INFINITY;
    double reading_only = (double)INFINITY;
    uint64_t found = 0;
    for (int round = 0; round < UNIT_ROUNDS; round++) {
        reading_only = fmin(reading_only, read_seconds(&matrix, pool, &found));
        const double begin = seconds(threads);
        if (sot_glm_gradient_units(&glm, theta, 0x1p-20, units, NULL) != SOTTO_OK)
            return false;
        pass = fmin(pass, seconds(threads) - begin);
    }
    const bool checked = sums_are_right(&matrix, theta, 0x1p-20, units) && found != 1;
    const double bytes = (double)(matrix.rows * stride * sizeof(float));
    printf("{\"bench\": \"glm_gradient_units\", \"columns\": %zu, \"rows\": %zu, "
           "\"threads\": %zu, \"gigabytes_per_second\": %.4g, "
           "\"read_gigabytes_per_second\": %.4g, \"share\": %.3g, \"checked\": %s}\n",
           columns, matrix.rows, sot_pool_threads(pool), 1e-9 * bytes / pass,
           1e-9 * bytes / reading_only, reading_only / pass, checked ? "true" : "false");
    sot_pool_free(pool);
    drop(&matrix);
    return checked;
}

/* ---- solver ---- */

static bool bench_solve(const char *name, const sot_matrix *matrix, size_t threads)
{
    const double tau = 0x1p-20;
    static double theta[COLUMNS_MOST];
    sot_pool *pool = NULL;
    if (sot_pool_new(threads, &pool, NULL) != SOTTO_OK) return false;
    const sot_glm glm = {
        .matrix = matrix, .loss = &sot_loss_logistic, .lambda = 1.0, .pool = pool};
    double best = (double)INFINITY;
    for (int round = 0; round < SOLVE_ROUNDS; round++) {
        memset(theta, 0, sizeof theta);
        const double begin = seconds(threads);
        if (sot_glm_solve(&glm, tau, theta, NULL) != SOTTO_OK) return false;
        best = fmin(best, seconds(threads) - begin);
    }
    double upper = (double)NAN;
    const bool checked =
        sot_glm_gradient_norm_upper(&glm, theta, true, &upper, NULL) == SOTTO_OK &&
        upper <= tau;
    printf(
        "{\"bench\": \"glm_solve\", \"data\": \"%s\", \"rows\": %zu, \"columns\": %zu, "
        "\"threads\": %zu, \"direct\": %s, \"seconds\": %.4g, \"gradient\": %.3g, "
        "\"checked\": %s}\n",
        name, matrix->rows, matrix->columns, sot_pool_threads(pool),
        sot_newton_direct_pays(matrix) ? "true" : "false", best, upper,
        checked ? "true" : "false");
    sot_pool_free(pool);
    return checked;
}

static bool bench_made_up(void)
{
    bool right = true;
    sot_matrix matrix;
    for (size_t threads = 1; right && threads != (size_t)-1; threads--) {
        right = make_one_hot(32000, 112, 14, &matrix) &&
                bench_solve("one_hot", &matrix, threads);
        drop(&matrix);
        right = right && make_dense(32000, 105, &matrix) &&
                bench_solve("dense", &matrix, threads);
        drop(&matrix);
        right = right && make_one_hot(50000, 4000, 40, &matrix) &&
                bench_solve("wide_one_hot", &matrix, threads);
        drop(&matrix);
    }
    return right;
}

static bool bench_adult(const char *directory)
{
    static const char text[] =
        "{\"features\": 105, \"labels\": [-1, 1], "
        "\"row_norm\": {\"bound\": 1.0, \"rule\": \"scale\"}, \"intercept\": 0}";
    char path[4096];
    sotto_schema *schema = NULL;
    sot_source *source = NULL;
    sot_encoding *encoding = NULL;
    sotto_rng *rng = NULL;
    sot_matrix *matrix = NULL;
    (void)snprintf(path, sizeof path, "%s/adult-onehot/adult_train.libsvm.gz", directory);
    sotto_error error = {0};
    bool right = false;
    if (sotto_schema_parse("bench", text, sizeof text - 1, &schema, &error) == SOTTO_OK &&
        sot_encoding_new(schema, NULL, SOT_TARGET_CLASSES, &encoding, &error) ==
            SOTTO_OK &&
        sotto_rng_new_for_test(1, &rng, &error) == SOTTO_OK &&
        sot_source_open_file(path, schema, false, &source, &error) == SOTTO_OK &&
        sot_matrix_load(source, schema, encoding, rng, &matrix, &error) == SOTTO_OK) {
        right = bench_solve("adult", matrix, 1) && bench_solve("adult", matrix, 0);
    } else {
        fprintf(stderr, "bench_glm: %s\n", error.message);
    }
    sot_matrix_free(matrix);
    sot_source_close(source);
    sotto_rng_free(rng);
    sot_encoding_free(encoding);
    sotto_schema_free(schema);
    return right;
}

int main(int argc, char **argv)
{
    static const size_t columns[] = {32, 105, 512};
    bool right = true;
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        right = bench_units(columns[i], 1) && bench_units(columns[i], 0) && right;
    right = bench_made_up() && right;
    if (argc > 1)
        right = bench_adult(argv[1]) && right;
    else
        fputs("bench_glm: no directory of data was given, so Adult is not solved\n",
              stderr);
    return right ? EXIT_SUCCESS : EXIT_FAILURE;
}
