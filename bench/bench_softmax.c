/* bench/bench_softmax.c: softmax regression: passes over the rows, and solving.
 *
 *     bench_softmax [DIR]
 *
 * softmax_gradient     One pass over a dense matrix: margins of all classes, probabilities, gradient.
 * softmax_units        One pass of noisy descent: the same sums in integers, compared with the
 *                      reference's.
 * softmax_solve        From 0 to a proven gradient of 2^-20, lambda 1 and 30. Checked by the careful
 *                      bound. DIR/mnist/train-images-idx3-ubyte.gz is solved too, if it is there:
 *                      60000 x 784, rows at unit norm.
 *
 * JSON lines, the best of several rounds: processor time for one thread, which a busy machine
 * changes less; the clock on the wall for all threads. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <zlib.h>

#include "models/softmax/kernels.h"
#include "models/softmax/row.h"
#include "models/softmax/softmax.h"

enum { PASS_ROUNDS = 7, CLASSES = 10, NUMBERS_MOST = CLASSES * 1024 };

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

static bool new_dense(size_t rows, size_t columns, sot_matrix *out)
{
    const size_t stride =
        (columns + SOT_MATRIX_LANES - 1) / SOT_MATRIX_LANES * SOT_MATRIX_LANES;
    *out = (sot_matrix){.rows = rows, .columns = columns, .stride = stride};
    out->labels = calloc(rows, sizeof *out->labels);
    out->dense = aligned_alloc(64, rows * stride * sizeof *out->dense);
    if (out->labels == NULL || out->dense == NULL) return false;
    memset(out->dense, 0, rows * stride * sizeof *out->dense);
    return true;
}

static void drop(sot_matrix *matrix)
{
    free(matrix->labels);
    free(matrix->dense);
    *matrix = (sot_matrix){0};
}

/* Rows of norm below 1, labels half by planes, half at random. */
static bool make_dense(size_t rows, size_t columns, sot_matrix *out)
{
    const double scale = 1.0 / sqrt((double)columns);
    uint64_t stream = columns;
    if (!new_dense(rows, columns, out)) return false;
    for (size_t i = 0; i < rows; i++) {
        double planes[CLASSES] = {0.0};
        for (size_t j = 0; j < columns; j++) {
            const double x = scale * next_symmetric(&stream);
            out->dense[i * out->stride + j] = (float)x;
            planes[j % CLASSES] += x;
        }
        size_t label = 0;
        for (size_t c = 1; c < CLASSES; c++)
            label = planes[c] > planes[label] ? c : label;
        if (next_symmetric(&stream) < 0.0) label = next_bits(&stream) % CLASSES;
        out->labels[i] = (double)label;
    }
    return true;
}

/* The bytes behind the header of an IDX file. */
static unsigned char *read_idx(const char *directory, const char *name, size_t header,
                               size_t count)
{
    char path[4096];
    (void)snprintf(path, sizeof path, "%s/mnist/%s", directory, name);
    unsigned char start[16];
    unsigned char *bytes = malloc(count);
    gzFile file = gzopen(path, "rb");
    const bool whole = bytes != NULL && file != NULL &&
                       gzread(file, start, (unsigned)header) == (int)header &&
                       gzread(file, bytes, (unsigned)count) == (int)count;
    if (file != NULL) (void)gzclose(file);
    if (whole) return bytes;
    free(bytes);
    return NULL;
}

static bool make_mnist(const char *directory, sot_matrix *out)
{
    enum { ROWS = 60000, PIXELS = 784 };
    *out = (sot_matrix){0};
    unsigned char *pixels =
        read_idx(directory, "train-images-idx3-ubyte.gz", 16, (size_t)ROWS * PIXELS);
    unsigned char *labels = read_idx(directory, "train-labels-idx1-ubyte.gz", 8, ROWS);
    const bool right = pixels != NULL && labels != NULL && new_dense(ROWS, PIXELS, out);
    for (size_t i = 0; right && i < ROWS; i++) {
        double squares = 0.0;
        for (size_t j = 0; j < PIXELS; j++) {
            const double x = pixels[i * PIXELS + j];
            squares += x * x;
        }
        for (size_t j = 0; j < PIXELS; j++)
            out->dense[i * out->stride + j] =
                (float)((double)pixels[i * PIXELS + j] / sqrt(squares));
        out->labels[i] = labels[i];
    }
    free(pixels);
    free(labels);
    return right;
}

/* ---- passes ---- */

/* The integers by the reference, row after row. */
static bool units_are_right(const sot_matrix *matrix, const double *theta, double spacing,
                            const int64_t *units)
{
    static double at[NUMBERS_MOST];
    static int64_t sums[NUMBERS_MOST];
    static int32_t one[NUMBERS_MOST];
    const sot_softmax_kernels *plain = sot_softmax_kernels_portable(matrix);
    sot_softmax_rows row = {.matrix = matrix, .classes = CLASSES, .count = 1};
    memset(sums, 0, sizeof sums);
    memset(at, 0, sizeof at);
    for (size_t c = 0; c < CLASSES; c++)
        memcpy(at + c * matrix->stride, theta + c * matrix->columns,
               matrix->columns * sizeof *at);
    for (size_t i = 0; i < matrix->rows; i++) {
        double p[CLASSES];
        float scales[CLASSES];
        const size_t label = (size_t)matrix->labels[i];
        row.at[0] = i;
        plain->dots(&row, at, p);
        (void)sot_softmax_row(p, CLASSES, label, false);
        p[label] -= 1.0;
        for (size_t c = 0; c < CLASSES; c++)
            scales[c] = (float)p[c] * (float)(1.0 / spacing);
        memset(one, 0, CLASSES * matrix->stride * sizeof *one);
        plain->add_units(&row, scales, one);
        for (size_t j = 0; j < CLASSES * matrix->stride; j++)
            sums[j] += one[j];
    }
    for (size_t c = 0; c < CLASSES; c++) {
        if (memcmp(sums + c * matrix->stride, units + c * matrix->columns,
                   matrix->columns * sizeof *units) != 0)
            return false;
    }
    return true;
}

static bool bench_passes(const char *name, const sot_matrix *matrix, size_t threads)
{
    static double theta[NUMBERS_MOST], gradient[NUMBERS_MOST];
    static int64_t units[NUMBERS_MOST];
    sot_pool *pool = NULL;
    if (sot_pool_new(threads, &pool, NULL) != SOTTO_OK) return false;
    const sot_softmax problem = {
        .matrix = matrix, .classes = CLASSES, .lambda = 1.0, .pool = pool};
    uint64_t stream = 5;
    for (size_t j = 0; j < CLASSES * matrix->columns; j++)
        theta[j] = 2.0 * next_symmetric(&stream);
    double pass = (double)INFINITY;
    double integers = (double)INFINITY;
    for (int round = 0; round < PASS_ROUNDS; round++) {
        double begin = seconds(threads);
        if (sot_softmax_value(&problem, theta, NULL, gradient, NULL) != SOTTO_OK)
            return false;
        pass = fmin(pass, seconds(threads) - begin);
        memset(units, 0, sizeof units);
        begin = seconds(threads);
        if (sot_softmax_add_units(&problem, NULL, matrix->rows, theta, 0x1p-19, units,
                                  NULL) != SOTTO_OK)
            return false;
        integers = fmin(integers, seconds(threads) - begin);
    }
    const bool checked = units_are_right(matrix, theta, 0x1p-19, units);
    const double operations =
        4.0 * (double)matrix->rows * (double)matrix->columns * CLASSES;
    printf("{\"bench\": \"softmax_gradient\", \"data\": \"%s\", \"threads\": %zu, "
           "\"seconds\": %.4g, \"gigaflops\": %.4g, \"units_seconds\": %.4g, "
           "\"checked\": %s}\n",
           name, sot_pool_threads(pool), pass, 1e-9 * operations / pass, integers,
           checked ? "true" : "false");
    (void)fflush(stdout);
    sot_pool_free(pool);
    return checked;
}

/* ---- solver ---- */

static bool bench_solve(const char *name, const sot_matrix *matrix, double lambda,
                        double radius, size_t threads)
{
    const double tau = 0x1p-20;
    static double theta[NUMBERS_MOST];
    sot_pool *pool = NULL;
    if (sot_pool_new(threads, &pool, NULL) != SOTTO_OK) return false;
    sot_softmax problem = {.matrix = matrix,
                           .classes = CLASSES,
                           .lambda = lambda,
                           .radius = radius,
                           .pool = pool};
    memset(theta, 0, sizeof theta);
    const double begin = seconds(threads);
    if (sot_softmax_solve(&problem, tau, theta, NULL) != SOTTO_OK) return false;
    const double taken = seconds(threads) - begin;
    double upper = (double)NAN;
    problem.radius = 0.0;
    bool checked =
        sot_softmax_gradient_norm_upper(&problem, theta, true, &upper, NULL) == SOTTO_OK;
    if (radius == 0.0) checked = checked && upper <= tau;
    printf("{\"bench\": \"softmax_solve\", \"data\": \"%s\", \"rows\": %zu, "
           "\"columns\": %zu, \"classes\": %d, \"lambda\": %g, \"radius\": %g, "
           "\"threads\": %zu, \"seconds\": %.4g, \"gradient\": %.3g, \"checked\": %s}\n",
           name, matrix->rows, matrix->columns, (int)CLASSES, lambda, radius,
           sot_pool_threads(pool), taken, upper, checked ? "true" : "false");
    (void)fflush(stdout);
    sot_pool_free(pool);
    return checked;
}

static bool bench_all(const char *name, const sot_matrix *matrix)
{
    bool right = true;
    for (size_t threads = 1; threads != (size_t)-1; threads--) {
        right = bench_passes(name, matrix, threads) && right;
        right = bench_solve(name, matrix, 30.0, 0.0, threads) && right;
        right = bench_solve(name, matrix, 1.0, 0.0, threads) && right;
    }
    return bench_solve(name, matrix, 1.0, 10.0, 0) && right;
}

int main(int argc, char **argv)
{
    sot_matrix matrix;
    bool right = make_dense(20000, 256, &matrix) && bench_all("dense", &matrix);
    drop(&matrix);
    if (argc > 1) {
        const bool read = make_mnist(argv[1], &matrix);
        if (!read) fprintf(stderr, "bench_softmax: no mnist in %s\n", argv[1]);
        right = read && bench_all("mnist", &matrix) && right;
        drop(&matrix);
    } else {
        fputs("bench_softmax: no directory of data was given, so MNIST is not solved\n",
              stderr);
    }
    return right ? EXIT_SUCCESS : EXIT_FAILURE;
}
