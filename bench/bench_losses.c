/* bench/bench_losses.c: what each loss costs: to solve, within a ball or not, and a gradient sum.
 *
 *     bench_losses [ROWS [COLUMNS]]
 *
 * loss_solve   From 0 to the tau of the learners, lambda 1, one thread; checked by solving again to a
 *              finer tau: the distance must be within both certificates. With `radius` 0 there is no
 *              ball.
 * loss_units   Gradient sums of noisy descent, all rows and a list of all rows in turn; both must agree.
 *
 * JSON lines, processor time, the best of several rounds. Rows are made up, of norm below 1. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "models/linear/solver/problem.h"

enum { ROUNDS = 5, COLUMNS_MOST = 4096 };

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* splitmix64 (Steele, Lea & Flood 2014): a fixed stream of test values. */
static double next_symmetric(uint64_t *stream) /* [-1, 1), a multiple of 2^-20 */
{
    uint64_t z = (*stream += UINT64_C(0x9E3779B97F4A7C15));
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    z ^= z >> 31;
    return (double)(z >> 43) * 0x1p-20 - 1.0;
}

/* u is a plane through the features, v noise: a class, a number, a count of the two. */
static double label_of(const sot_loss *loss, double u, double v)
{
    if (loss->label_most > 1.0)
        return floor(fmin(loss->label_most, exp(1.0 + 2.0 * u) * (1.0 + v)));
    if (loss->one_signed) return u + 0.25 * v < 0.0 ? -1.0 : 1.0;
    return fmax(-1.0, fmin(1.0, u + 0.5 * v * v * v));
}

static bool make(const sot_loss *loss, size_t rows, size_t columns, sot_matrix *out)
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
        out->labels[i] = label_of(loss, plane, next_symmetric(&stream));
    }
    return true;
}

static double distance(const double *a, const double *b, size_t count)
{
    double squares = 0.0;
    for (size_t j = 0; j < count; j++)
        squares += (a[j] - b[j]) * (a[j] - b[j]);
    return sqrt(squares);
}

static bool bench_solve(const sot_loss *loss, const sot_matrix *matrix, double radius)
{
    static double theta[COLUMNS_MOST], finer[COLUMNS_MOST];
    const double tau = (loss->smooth ? 0x1p-20 : 0x1p-10) * loss->slope_most;
    const sot_glm glm = {.matrix = matrix, .loss = loss, .lambda = 1.0, .radius = radius};
    double best = (double)INFINITY;
    for (int round = 0; round < ROUNDS; round++) {
        memset(theta, 0, sizeof theta);
        const double begin = seconds();
        if (sot_glm_solve(&glm, tau, theta, NULL) != SOTTO_OK) return false;
        best = fmin(best, seconds() - begin);
    }
    memset(finer, 0, sizeof finer);
    if (sot_glm_solve(&glm, tau / 8.0, finer, NULL) != SOTTO_OK) return false;
    const double off = distance(theta, finer, matrix->columns);
    const bool checked = off <= 1.125 * tau;
    printf(
        "{\"bench\": \"loss_solve\", \"loss\": \"%s\", \"parameter\": %g, \"rows\": %zu, "
        "\"columns\": %zu, \"radius\": %g, \"seconds\": %.4g, \"off\": %.3g, "
        "\"checked\": %s}\n",
        loss->name, loss->parameters[0], matrix->rows, matrix->columns, radius, best, off,
        checked ? "true" : "false");
    return checked;
}

static bool bench_units(const sot_loss *loss, const sot_matrix *matrix)
{
    static double theta[COLUMNS_MOST];
    static int64_t all[COLUMNS_MOST], listed[COLUMNS_MOST];
    const sot_glm glm = {.matrix = matrix, .loss = loss, .lambda = 1.0};
    const double spacing = ldexp(1.0, ilogb(loss->slope_most) - 18);
    uint32_t *rows = malloc(matrix->rows * sizeof *rows);
    uint64_t stream = 5;
    if (rows == NULL) return false;
    for (size_t j = 0; j < matrix->columns; j++)
        theta[j] = 2.0 * next_symmetric(&stream);
    for (size_t i = 0; i < matrix->rows; i++)
        rows[i] = (uint32_t)(matrix->rows - 1 - i);
    double whole = (double)INFINITY;
    double list = (double)INFINITY;
    bool checked = true;
    for (int round = 0; checked && round < ROUNDS; round++) {
        double begin = seconds();
        checked = sot_glm_gradient_units(&glm, theta, spacing, all, NULL) == SOTTO_OK;
        whole = fmin(whole, seconds() - begin);
        memset(listed, 0, sizeof listed);
        begin = seconds();
        checked =
            checked && sot_glm_add_gradient_units(&glm, rows, matrix->rows, theta,
                                                  spacing, listed, NULL) == SOTTO_OK;
        list = fmin(list, seconds() - begin);
        checked = checked && memcmp(all, listed, matrix->columns * sizeof *all) == 0;
    }
    free(rows);
    printf(
        "{\"bench\": \"loss_units\", \"loss\": \"%s\", \"rows\": %zu, \"columns\": %zu, "
        "\"nanoseconds_per_row\": %.4g, \"nanoseconds_per_listed_row\": %.4g, "
        "\"checked\": %s}\n",
        loss->name, matrix->rows, matrix->columns, 1e9 * whole / (double)matrix->rows,
        1e9 * list / (double)matrix->rows, checked ? "true" : "false");
    return checked;
}

int main(int argc, char **argv)
{
    const size_t rows = argc > 1 ? (size_t)strtoull(argv[1], NULL, 10) : 50000;
    const size_t columns = argc > 2 ? (size_t)strtoull(argv[2], NULL, 10) : 50;
    const sot_loss losses[] = {sot_loss_logistic,
                               sot_loss_squared(2.0, 1.0),
                               sot_loss_huber(0.25, 1.0),
                               sot_loss_smoothed_hinge(0.5),
                               sot_loss_smoothed_hinge(0.01),
                               sot_loss_hinge,
                               sot_loss_poisson(20.0, 20.0)};
    bool right = rows > 0 && columns > 0 && columns <= COLUMNS_MOST;
    for (size_t i = 0; right && i < sizeof losses / sizeof *losses; i++) {
        sot_matrix matrix;
        right = make(&losses[i], rows, columns, &matrix) &&
                bench_solve(&losses[i], &matrix, 0.0) &&
                bench_solve(&losses[i], &matrix, 0.5) && bench_units(&losses[i], &matrix);
        free(matrix.labels);
        free(matrix.dense);
    }
    return right ? EXIT_SUCCESS : EXIT_FAILURE;
}
