/* tests/privacy/mechanisms/sample_run.h: a small learner, whole, on which the tape is tried.
 *
 * It does what every learner does: plan from settings, charge, open the gate, a histogram, a few
 * noisy gradient steps toward the mean, print, write a model file. The bugs that learners make are
 * planted where learners make them.
 */
#ifndef SOTTO_TESTS_SAMPLE_RUN_H
#define SOTTO_TESTS_SAMPLE_RUN_H

#include "support.h"

#include <stdbool.h>

#include <sotto/gaussian.h>
#include <sotto/grid.h>
#include <sotto/laplace.h>

#include "base/plant.h"
#include "tape.h"

/* Public: what the schema would say. */
enum { SAMPLE_NUMBERS = 5, SAMPLE_CITIES = 3, SAMPLE_STEPS = 3 };
static const char *const sample_cities[] = {"lugano", "como", "varese", NULL};
static const tape_column sample_columns[] = {
    {"age", 0.0, 1.25, NULL},     {"height", -0.75, 0.8, NULL},
    {"weight", -0.3, 0.9, NULL},  {"dose", -0.65, 0.1, NULL},
    {"pulse", -0.01, 0.02, NULL}, {"city", 0, 0, sample_cities},
};

typedef struct sample_settings {
    sotto_adjacency adjacency;
    bool budget_is_spent; /* the ledger refuses */
} sample_settings;

/* What the run derives from public settings alone. */
typedef struct sample_plan {
    sotto_grid grid;
    sotto_gaussian_config gradient;
    sotto_laplace_config histogram;
    size_t steps;
    sotto_plan *plan;
} sample_plan;

/* The planted bug "sensitivity computed from data": the largest cell instead of the bound. */
static inline double sample_bound(const tape_table *table)
{
    double largest = 0.0;
    for (size_t i = 0; i < table->rows; i++) {
        for (size_t j = 0; j < SAMPLE_NUMBERS; j++) {
            const double cell = fabs(tape_at(table, i, j)->number);
            if (isfinite(cell) && cell > largest) largest = cell;
        }
    }
    return fmin(fmax(largest, 0.125), 8.0);
}

static inline sample_plan sample_make_plan(const tape_table *table,
                                           sotto_adjacency adjacency)
{
    sotto_error error;
    sample_plan made = {.steps = SAMPLE_STEPS};
    if (SOT_PLANTED(loop_count_from_data)) made.steps = 1 + table->rows % 3;

    made.grid = (sotto_grid){.exponent = -16, .norm = SOTTO_L2, .bound = 1.3};
    if (SOT_PLANTED(sensitivity_from_data)) made.grid.bound = sample_bound(table);

    made.gradient = sotto_gaussian_defaults();
    assert_ok(sotto_grid_sensitivity(&made.grid, adjacency, &made.gradient.l2_sensitivity,
                                     &error),
              &error);
    made.gradient.sigma = 4.0 * made.gradient.l2_sensitivity;
    made.gradient.adjacency = adjacency;
    made.gradient.grid = sotto_grid_spacing(&made.grid);
    made.gradient.purpose = "gradient";

    made.histogram = sotto_laplace_defaults();
    made.histogram.l1_sensitivity = adjacency == SOTTO_REPLACE_ONE ? 2.0 : 1.0;
    made.histogram.scale = 5.0;
    made.histogram.adjacency = adjacency;
    made.histogram.purpose = "cities";

    sotto_event event;
    assert_ok(sotto_plan_new(adjacency, &made.plan, &error), &error);
    assert_ok(sotto_laplace_event(&made.histogram, &event, &error), &error);
    assert_ok(sotto_plan_add(made.plan, &event, &error), &error);
    assert_ok(sotto_gaussian_event(&made.gradient, &event, &error), &error);
    event.count = made.steps;
    assert_ok(sotto_plan_add(made.plan, &event, &error), &error);
    return made;
}

/* Rows of each city; a city that the schema does not know counts nowhere. */
static inline void sample_count_cities(const tape_table *table,
                                       int64_t counts[SAMPLE_CITIES])
{
    memset(counts, 0, SAMPLE_CITIES * sizeof *counts);
    for (size_t i = 0; i < table->rows; i++) {
        for (size_t c = 0; c < SAMPLE_CITIES; c++) {
            if (strcmp(tape_at(table, i, SAMPLE_NUMBERS)->text, sample_cities[c]) == 0)
                counts[c]++;
        }
    }
}

/* Sum over rows of clip(x - theta), on the grid. */
static inline void sample_gradient(const tape_table *table, const sotto_grid *grid,
                                   const double *theta, int64_t sums[SAMPLE_NUMBERS])
{
    sotto_error error;
    double float_sums[SAMPLE_NUMBERS] = {0};
    memset(sums, 0, SAMPLE_NUMBERS * sizeof *sums);
    for (size_t i = 0; i < table->rows; i++) {
        double record[SAMPLE_NUMBERS];
        int64_t units[SAMPLE_NUMBERS];
        double square = 0.0;
        for (size_t j = 0; j < SAMPLE_NUMBERS; j++) {
            record[j] = tape_at(table, i, j)->number - theta[j];
            square += isfinite(record[j]) ? record[j] * record[j] : 0.0;
        }
        assert_ok(sotto_grid_quantize(grid, record, SAMPLE_NUMBERS, units, &error),
                  &error);
        assert_ok(sotto_grid_add(sums, units, SAMPLE_NUMBERS, &error), &error);
        const double shrink =
            fmin(1.0, grid->bound / sqrt(square)); /* for the float sum */
        for (size_t j = 0; j < SAMPLE_NUMBERS; j++) {
            const double part = isfinite(record[j]) ? record[j] * shrink : 0.0;
            float_sums[j] += isfinite(part) ? part : 0.0;
        }
    }
    if (!SOT_PLANTED(float_sum)) return;
    for (size_t j = 0; j < SAMPLE_NUMBERS;
         j++) /* clipped, summed, and only then rounded */
        sums[j] = (int64_t)ldexp(float_sums[j], -grid->exponent);
}

static inline void sample_learn(sotto_gate *gate, const sample_plan *made,
                                const tape_table *table, double *theta)
{
    sotto_error error;
    int64_t counts[SAMPLE_CITIES], sums[SAMPLE_NUMBERS];
    sample_count_cities(table, counts);
    if (SOT_PLANTED(message_quotes_a_count))
        fprintf(stderr, "read %zu rows\n", table->rows);
    if (!(SOT_PLANTED(release_skipped) && counts[0] == 0)) {
        assert_ok(sotto_laplace_release(gate, &made->histogram, counts, SAMPLE_CITIES,
                                        counts, &error),
                  &error);
        for (size_t c = 0; c < SAMPLE_CITIES; c++)
            printf("%s %lld\n", sample_cities[c], (long long)counts[c]);
    }
    for (size_t step = 0; step < made->steps; step++) {
        sample_gradient(table, &made->grid, theta, sums);
        assert_ok(sotto_gaussian_release(gate, &made->gradient, sums, SAMPLE_NUMBERS,
                                         sums, &error),
                  &error);
        for (size_t j = 0; j < SAMPLE_NUMBERS; j++) { /* 20: a public guess of the rows */
            const double step_size = 0.1 / 20.0;
            theta[j] += step_size * ldexp((double)sums[j], made->grid.exponent);
        }
    }
}

static inline void sample_write(const tape_place *place, const double *theta)
{
    char path[256];
    (void)snprintf(path, sizeof path, "%s/model.txt", place->output_directory);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    for (size_t j = 0; j < SAMPLE_NUMBERS; j++)
        fprintf(file, "%a\n", theta[j]);
    assert_int_equal(fclose(file), 0);
}

/* A tape_run: 0 done, 1 not finished, 3 the budget is refused. */
static inline int sample_run(const tape_table *table, const tape_place *place,
                             void *context)
{
    const sample_settings *settings = context;
    sotto_error error;
    sotto_rng *rng = NULL;
    sotto_gate *gate = NULL;
    double theta[SAMPLE_NUMBERS] = {0};
    int exit_code = 0;
    sample_plan made = sample_make_plan(table, settings->adjacency);
    assert_ok(sotto_rng_new_for_test(7, &rng, &error), &error);
    assert_ok(sotto_gate_new(made.plan, rng, &gate, &error), &error);

    const bool charges_late = SOT_PLANTED(charged_after_release);
    if (settings->budget_is_spent && !charges_late) {
        exit_code = 3;
    } else {
        assert_ok(sotto_gate_open(gate, &error), &error);
        sample_learn(gate, &made, table, theta);
        if (settings->budget_is_spent) exit_code = 3;
        if (sotto_gate_finish(gate, &error) != SOTTO_OK) exit_code = 1;
    }
    if (exit_code == 0) sample_write(place, theta);
    sotto_gate_free(gate);
    sotto_rng_free(rng);
    sotto_plan_free(made.plan);
    return exit_code;
}

#endif
