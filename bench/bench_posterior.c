/* bench/bench_posterior.c: certified draws from regularised posteriors.
 *
 *     bench_posterior [ROWS COLUMNS LAMBDA]
 *
 * posterior_draw   One draw of the proximal sampler from the posterior of logistic regression, rows of norm 1 in all directions, at the weight
 *                  of Gaussian DP with mu = 0.2367 (epsilon 1, delta 1e-6), within 1e-9 of the ideal law in W_inf. Checked: inside of the ball, and
 *                  with a potential as far above its least value as half the dimension, within eight deviations.
 * posterior_gauss  One draw of the exact Gaussian posterior of the squared loss, on the same rows.
 *
 * JSON lines, the clock on the wall. `passes` counts those over the rows, `linearised` those that made a gradient. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "limits.h"
#include "methods/posterior/sampler.h"
#include "models/linear/solver/problem.h"

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double next_symmetric(uint64_t *stream) /* [-1, 1), a multiple of 2^-20 */
{
    return (double)(next_bits(stream) >> 43) * 0x1p-20 - 1.0;
}

/* Rows of norm just below 1; labels with the odds of a vector of norm 4, or their margins with some noise. */
static bool make_rows(size_t rows, size_t columns, bool numbers, sot_matrix *out)
{
    const size_t stride =
        (columns + SOT_MATRIX_LANES - 1) / SOT_MATRIX_LANES * SOT_MATRIX_LANES;
    uint64_t stream = columns;
    *out = (sot_matrix){.rows = rows, .columns = columns, .stride = stride};
    out->labels = malloc(rows * sizeof *out->labels);
    out->dense = aligned_alloc(64, rows * stride * sizeof *out->dense);
    if (out->labels == NULL || out->dense == NULL) return false;
    for (size_t i = 0; i < rows; i++) {
        float *x = out->dense + i * stride;
        double squares = 0.0;
        memset(x, 0, stride * sizeof *x);
        for (size_t j = 0; j < columns; j++) {
            double sum = 0.0;
            for (int k = 0; k < 4; k++)
                sum += next_symmetric(&stream);
            x[j] = (float)sum;
            squares += sum * sum;
        }
        const double scale = (1.0 - 0x1p-20) / sqrt(squares);
        double margin = 0.0;
        for (size_t j = 0; j < columns; j++) {
            x[j] = (float)((double)x[j] * scale);
            margin += (double)x[j] * (j % 3 == 0 ? 4.0 : -1.0);
        }
        const double coin = 0.5 * (next_symmetric(&stream) + 1.0);
        if (numbers)
            out->labels[i] = fmax(-1.0, fmin(1.0, 0.2 * margin + 0.3 * (coin - 0.5)));
        else
            out->labels[i] = coin < 1.0 / (1.0 + exp(-margin)) ? 1.0 : -1.0;
    }
    return true;
}

/* F(theta) - min F, by the solver. */
static double above_least(const sot_potential *of, const double *theta, double *scratch)
{
    const sot_glm glm = {.matrix = of->matrix,
                         .loss = of->loss,
                         .lambda = of->lambda / of->beta,
                         .radius = of->radius,
                         .pool = of->pool};
    double here = 0.0;
    double least = 0.0;
    memset(scratch, 0, of->matrix->columns * sizeof *scratch);
    if (sot_glm_solve(&glm, 1e-6, scratch, NULL) != SOTTO_OK ||
        sot_glm_value(&glm, theta, &here, NULL, NULL) != SOTTO_OK ||
        sot_glm_value(&glm, scratch, &least, NULL, NULL) != SOTTO_OK)
        return (double)NAN;
    return of->beta * (here - least);
}

static bool bench(const char *name, const sot_potential *of, sotto_sampler sampler)
{
    const size_t d = of->matrix->columns;
    sot_sampler_facts facts = sot_sampler_facts_of(of->loss, 0, d);
    facts.row_bound = 1.0;
    facts.beta = of->beta;
    facts.lambda = of->lambda;
    facts.radius = of->radius;
    facts.rows_most = UINT64_C(1) << 32;
    sot_sampler_plan plan;
    sot_sampler_counts counts;
    sotto_rng *rng = NULL;
    sotto_error error = {0};
    double *theta = malloc(2 * d * sizeof *theta);
    bool good = theta != NULL &&
                sot_sampler_plan_new(&facts, of->loss, sampler, 1e-9, &plan, &error) ==
                    SOTTO_OK &&
                sotto_rng_new_for_test(1, &rng, &error) == SOTTO_OK;
    const double begun = seconds();
    good = good &&
           sot_sampler_draw(&plan, of, rng, NULL, theta, &counts, &error) == SOTTO_OK;
    const double elapsed = seconds() - begun;
    if (good) {
        const double above = above_least(of, theta, theta + d);
        const double half = 0.5 * (double)d;
        good = fabs(above - half) < 8.0 * sqrt(half);
        printf(
            "{\"bench\": \"%s\", \"rows\": %zu, \"columns\": %zu, \"lambda\": %g, "
            "\"beta\": %.4g, \"radius\": %g, \"threads\": %zu, \"seconds\": %.3f, "
            "\"steps\": %llu, \"trials\": %llu, \"passes\": %llu, \"linearised\": %llu, "
            "\"carefully\": %llu, \"above_least\": %.2f, \"distance\": %.3g, "
            "\"total_variation\": %.3g}\n",
            name, of->matrix->rows, d, of->lambda, of->beta, of->radius,
            of->pool != NULL ? sot_pool_threads(of->pool) : 1, elapsed,
            (unsigned long long)counts.steps, (unsigned long long)counts.trials,
            (unsigned long long)(counts.passes + counts.linearised),
            (unsigned long long)counts.linearised, (unsigned long long)counts.carefully,
            above, plan.distance, plan.total_variation);
        if (!good) fprintf(stderr, "bench_posterior: the draw is not of that law\n");
    } else {
        fprintf(stderr, "bench_posterior: %s\n", error.message);
    }
    sotto_rng_free(rng);
    free(theta);
    return good;
}

int main(int argc, char **argv)
{
    const size_t rows = argc > 1 ? (size_t)strtoull(argv[1], NULL, 10) : 30000;
    const size_t columns = argc > 2 ? (size_t)strtoull(argv[2], NULL, 10) : 100;
    const double lambda = argc > 3 ? strtod(argv[3], NULL) : 10.0;
    sot_pool *pool = NULL;
    sot_matrix matrix;
    if (sot_pool_new(0, &pool, NULL) != SOTTO_OK ||
        !make_rows(rows, columns, false, &matrix))
        return 1;
    const double mu = 0.2367;
    sot_potential potential = {.matrix = &matrix,
                               .loss = &sot_loss_logistic,
                               .beta = 0.5 * mu * sqrt(lambda),
                               .lambda = lambda,
                               .radius = 250.0,
                               .pool = pool};
    bool good = bench("posterior_draw", &potential, SOTTO_SAMPLER_PROXIMAL);
    free(matrix.labels);
    free(matrix.dense);
    if (!make_rows(rows, columns, true, &matrix)) return 1;
    const sot_loss squared = sot_loss_squared(9.0, 1.0);
    potential.loss = &squared;
    potential.radius = 8.0;
    potential.beta /= 3.0;
    good = bench("posterior_gauss", &potential, SOTTO_SAMPLER_EXACT_GAUSSIAN) && good;
    free(matrix.labels);
    free(matrix.dense);
    sot_pool_free(pool);
    return good ? 0 : 1;
}
