/* Times what a release is made of: records onto the grid and into the sums, and noise through the
 * gate. Checks that sums do not depend on the order, that every record keeps its bound, and that the
 * noise has the spread it should. Prints one JSON line each; exits 1 if a check fails. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <sotto/gaussian.h>
#include <sotto/grid.h>
#include <sotto/laplace.h>

#include "base/threads.h"
#include "privacy/mechanisms/gate/gate.h"
#include "privacy/mechanisms/grid/grid.h"

enum { DIMENSION = 64, RECORDS = 20000, NOISE = 1 << 20, ROUNDS = 5 };

static double cpu_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int fails(sotto_status status, const sotto_error *error)
{
    if (status != SOTTO_OK) fprintf(stderr, "%s\n", error->message);
    return status != SOTTO_OK;
}

/* Sums all records, from the first or from the last; counts those beyond the bound. */
static int add_up(const sotto_grid *grid, const double *records, int backwards,
                  int64_t *sums, size_t *out_beyond)
{
    sotto_error error;
    double bound_units = 0.0;
    if (fails(sotto_grid_bound(grid, &bound_units, &error), &error)) return 1;
    memset(sums, 0, DIMENSION * sizeof *sums);
    *out_beyond = 0;
    for (size_t i = 0; i < RECORDS; i++) {
        int64_t units[DIMENSION];
        const size_t row = backwards ? RECORDS - 1 - i : i;
        if (fails(sotto_grid_quantize(grid, records + row * DIMENSION, DIMENSION, units,
                                      &error),
                  &error) ||
            fails(sotto_grid_add(sums, units, DIMENSION, &error), &error)) {
            return 1;
        }
        if (backwards &&
            !sot_norm_within(grid->norm, units, NULL, DIMENSION, bound_units))
            ++*out_beyond;
    }
    return 0;
}

static int bench_grid(sotto_norm norm, const char *name, double bound)
{
    int64_t sums[DIMENSION], other_order[DIMENSION];
    size_t beyond = 0;
    double best = (double)INFINITY;
    const sotto_grid grid = {.exponent = -20, .norm = norm, .bound = bound};
    double *records = calloc((size_t)RECORDS * DIMENSION, sizeof *records);
    if (records == NULL) return 1;
    uint64_t state = 1;
    for (size_t i = 0; i < (size_t)RECORDS * DIMENSION;
         i++) { /* Knuth's MMIX generator */
        state = state * 6364136223846793005u + 1442695040888963407u;
        records[i] = (double)(state >> 11) * 0x1p-52 - 1.0;
    }
    int failed = 0;
    for (int round = 0; round < ROUNDS && !failed; round++) {
        const double before = cpu_seconds();
        failed = add_up(&grid, records, 0, sums, &beyond);
        best = fmin(best, cpu_seconds() - before);
    }
    if (!failed) failed = add_up(&grid, records, 1, other_order, &beyond);
    free(records);
    if (failed) return 1;
    printf("{\"bench\": \"grid\", \"norm\": \"%s\", \"nanoseconds_a_cell\": %.2f}\n",
           name, 1e9 * best / ((double)RECORDS * DIMENSION));
    return beyond > 0 || memcmp(sums, other_order, sizeof sums) != 0;
}

/* A gate that is open for `count` times `event`. */
static int open_gate(sotto_event *event, uint64_t count, sotto_rng **rng,
                     sotto_plan **plan, sotto_gate **gate)
{
    sotto_error error;
    event->count = count;
    return fails(sotto_rng_new(rng, &error), &error) ||
           fails(sotto_plan_new(SOTTO_ADD_REMOVE, plan, &error), &error) ||
           fails(sotto_plan_add(*plan, event, &error), &error) ||
           fails(sotto_gate_new(*plan, *rng, gate, &error), &error) ||
           fails(sotto_gate_open(*gate, &error), &error);
}

static const sotto_gaussian_config gaussian = {.l2_sensitivity = 100.0,
                                               .sigma = 400.0,
                                               .adjacency = SOTTO_ADD_REMOVE,
                                               .grid = 1.0,
                                               .rate = SOTTO_UNSET,
                                               .purpose = "bench"};
static const sotto_laplace_config laplace = {.l1_sensitivity = 100.0,
                                             .scale = 400.0,
                                             .adjacency = SOTTO_ADD_REMOVE,
                                             .grid = 1.0,
                                             .purpose = "bench"};

static sotto_status event_of(int kind, sotto_event *event, sotto_error *error)
{
    if (kind == 0) return sotto_gaussian_event(&gaussian, event, error);
    if (kind == 1) return sotto_discrete_gaussian_event(&gaussian, event, error);
    return sotto_laplace_event(&laplace, event, error);
}

static sotto_status release(int kind, sotto_gate *gate, int64_t *values,
                            sotto_error *error)
{
    if (kind == 0)
        return sotto_gaussian_release(gate, &gaussian, values, NOISE, values, error);
    if (kind == 1) {
        return sotto_discrete_gaussian_release(gate, &gaussian, values, NOISE, values,
                                               error);
    }
    return sotto_laplace_release(gate, &laplace, values, NOISE, values, error);
}

/* The standard deviation of a million values has a relative error of 0.1 % (Laplace 0.2 %): five
 * per cent is beyond any doubt. */
static int bench_release(int kind, const char *name, double deviation)
{
    sotto_error error;
    sotto_event event;
    sotto_rng *rng = NULL;
    sotto_plan *plan = NULL;
    sotto_gate *gate = NULL;
    double best = (double)INFINITY, squares = 0.0;
    int64_t *values = calloc(NOISE, sizeof *values);
    int failed = values == NULL || fails(event_of(kind, &event, &error), &error) ||
                 open_gate(&event, ROUNDS, &rng, &plan, &gate);
    for (int round = 0; round < ROUNDS && !failed; round++) {
        memset(values, 0, NOISE * sizeof *values);
        const double before = cpu_seconds();
        failed = fails(release(kind, gate, values, &error), &error);
        best = fmin(best, cpu_seconds() - before);
    }
    for (size_t i = 0; i < NOISE && !failed; i++)
        squares += (double)values[i] * (double)values[i];
    if (!failed) failed = fabs(sqrt(squares / NOISE) / deviation - 1.0) > 0.05;
    if (!failed) {
        printf("{\"bench\": \"release\", \"mechanism\": \"%s\", "
               "\"nanoseconds_a_value\": %.2f}\n",
               name, 1e9 * best / NOISE);
    }
    free(values);
    sotto_gate_free(gate);
    sotto_plan_free(plan);
    sotto_rng_free(rng);
    return failed;
}

static double wall_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Gaussian noise on as many sums as a network has parameters, in wall time; the best of many, for
 * a training makes thousands of such releases. */
static int bench_network(size_t count, size_t threads)
{
    enum { RELEASES = 40 };
    sotto_error error;
    sotto_event event;
    sotto_rng *rng = NULL;
    sotto_plan *plan = NULL;
    sotto_gate *gate = NULL;
    sot_pool *pool = NULL;
    double best = (double)INFINITY, squares = 0.0;
    int64_t *values = calloc(count, sizeof *values);
    int failed = values == NULL || fails(event_of(0, &event, &error), &error) ||
                 open_gate(&event, RELEASES, &rng, &plan, &gate) ||
                 fails(sot_pool_new(threads, &pool, &error), &error);
    if (!failed) sot_gate_set_pool(gate, pool);
    for (int round = 0; round < RELEASES && !failed; round++) {
        memset(values, 0, count * sizeof *values);
        const double before = wall_seconds();
        failed =
            fails(sotto_gaussian_release(gate, &gaussian, values, count, values, &error),
                  &error);
        best = fmin(best, wall_seconds() - before);
    }
    for (size_t i = 0; i < count && !failed; i++)
        squares += (double)values[i] * (double)values[i];
    if (!failed) /* the standard deviation of 10^5 values has an error of 0.2 % */
        failed = fabs(sqrt(squares / (double)count) / gaussian.sigma - 1.0) > 0.02;
    if (!failed) {
        printf("{\"bench\": \"release\", \"mechanism\": \"gaussian\", \"values\": %zu, "
               "\"threads\": %zu, \"nanoseconds_a_value\": %.2f, \"microseconds\": "
               "%.1f}\n",
               count, threads, 1e9 * best / (double)count, 1e6 * best);
    }
    free(values);
    sotto_gate_free(gate);
    sotto_plan_free(plan);
    sotto_rng_free(rng);
    sot_pool_free(pool);
    return failed;
}

int main(void)
{
    /* Half of the records are longer than these bounds. */
    int failed = bench_grid(SOTTO_L1, "L1", 32.0);
    failed |= bench_grid(SOTTO_L2, "L2", 4.62);
    failed |= bench_grid(SOTTO_LINF, "Linf", 0.5);
    failed |= bench_release(0, "gaussian", 400.0);
    failed |= bench_release(1, "discrete-gaussian", 400.0);
    failed |= bench_release(2, "discrete-laplace", 400.0 * sqrt(2.0));
    static const size_t parameters[] = {26010, 101770, 1000000};
    for (size_t i = 0; i < sizeof parameters / sizeof parameters[0]; i++) {
        for (size_t threads = 1; threads <= 2; threads++)
            failed |= bench_network(parameters[i], threads);
    }
    return failed;
}
