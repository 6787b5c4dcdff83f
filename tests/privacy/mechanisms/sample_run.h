/* tests/privacy/mechanisms/sample_run.h: a small learner, whole, on which the tape is tried.
 *
 * It does what every learner does: plan from settings, charge, open the gate, a histogram, a few
 * noisy gradient steps toward the mean, print, write a model file. The mistakes that learners make are
 * settings of the sample: the tape must see each of them.
 */
#ifndef SOTTO_TESTS_SAMPLE_RUN_H
#define SOTTO_TESTS_SAMPLE_RUN_H

#include "support.h"

#include <stdbool.h>

#include <sotto/gaussian.h>
#include <sotto/grid.h>
#include <sotto/laplace.h>

#include "tape.h"

/* Public: what the schema would say. */
enum { SAMPLE_NUMBERS = 5, SAMPLE_CITIES = 3, SAMPLE_STEPS = 3 };
static const char *const sample_cities[] = {"lugano", "como", "varese", NULL};
static const tape_column sample_columns[] = {
    {"age", 0.0, 1.25, NULL},     {"height", -0.75, 0.8, NULL},
    {"weight", -0.3, 0.9, NULL},  {"dose", -0.65, 0.1, NULL},
    {"pulse", -0.01, 0.02, NULL}, {"city", 0, 0, sample_cities},
};

typedef enum sample_mistake {
    SAMPLE_CORRECT,
    SAMPLE_SENSITIVITY_FROM_DATA, /* the clipping bound is the largest cell */
    SAMPLE_LOOP_FROM_DATA,  /* the number of steps follows from the number of rows */
    SAMPLE_RELEASE_SKIPPED, /* no histogram if a count is zero */
    SAMPLE_COUNT_PRINTED,   /* a message states the number of rows */
    SAMPLE_FLOAT_SUM,       /* doubles are summed, the sum is rounded */
    SAMPLE_CHARGED_LAST,    /* the gate opens before the charge is accepted */
    SAMPLE_MISTAKES
} sample_mistake;

typedef struct sample_settings {
    sotto_adjacency adjacency;
    sample_mistake mistake;
    bool budget_is_spent; /* the ledger refuses */
} sample_settings;

/* What the run derives from public settings alone. */
typedef struct sample_plan {
    sotto_grid grid;
    sotto_gaussian_config gradient;
    sotto_laplace_config histogram;
    size_t steps;
    sotto_plan *plan;
    sample_mistake mistake;
} sample_plan;

/* SAMPLE_SENSITIVITY_FROM_DATA: the largest cell instead of the bound. */
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

static inline sotto_status sample_make_plan(const tape_table *table,
                                            const sample_settings *settings,
                                            sample_plan *made, sotto_error *error)
{
    const sotto_adjacency adjacency = settings->adjacency;
    *made = (sample_plan){.steps = SAMPLE_STEPS, .mistake = settings->mistake};
    if (made->mistake == SAMPLE_LOOP_FROM_DATA) made->steps = 1 + table->rows % 3;

    made->grid = (sotto_grid){.exponent = -16, .norm = SOTTO_L2, .bound = 1.3};
    if (made->mistake == SAMPLE_SENSITIVITY_FROM_DATA)
        made->grid.bound = sample_bound(table);

    made->gradient = sotto_gaussian_defaults();
    sotto_status status = sotto_grid_sensitivity(&made->grid, adjacency,
                                                 &made->gradient.l2_sensitivity, error);
    if (status != SOTTO_OK) return status;
    made->gradient.sigma = 4.0 * made->gradient.l2_sensitivity;
    made->gradient.adjacency = adjacency;
    made->gradient.grid = sotto_grid_spacing(&made->grid);
    made->gradient.purpose = "gradient";

    made->histogram = sotto_laplace_defaults();
    made->histogram.l1_sensitivity = adjacency == SOTTO_REPLACE_ONE ? 2.0 : 1.0;
    made->histogram.scale = 5.0;
    made->histogram.adjacency = adjacency;
    made->histogram.purpose = "cities";

    sotto_event event;
    status = sotto_plan_new(adjacency, &made->plan, error);
    if (status == SOTTO_OK) status = sotto_laplace_event(&made->histogram, &event, error);
    if (status == SOTTO_OK) status = sotto_plan_add(made->plan, &event, error);
    if (status == SOTTO_OK) status = sotto_gaussian_event(&made->gradient, &event, error);
    if (status != SOTTO_OK) return status;
    event.count = made->steps;
    return sotto_plan_add(made->plan, &event, error);
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

/* SAMPLE_FLOAT_SUM: records are clipped and summed as doubles, then rounded. */
static inline void sample_float_sum(const tape_table *table, const sotto_grid *grid,
                                    const double *theta, int64_t sums[SAMPLE_NUMBERS])
{
    double total[SAMPLE_NUMBERS] = {0};
    for (size_t i = 0; i < table->rows; i++) {
        double record[SAMPLE_NUMBERS], norm = 0.0;
        for (size_t j = 0; j < SAMPLE_NUMBERS; j++) {
            const double cell = tape_at(table, i, j)->number - theta[j];
            record[j] = isfinite(cell) ? fmax(-1e9, fmin(1e9, cell)) : 0.0;
            norm = hypot(norm, record[j]);
        }
        for (size_t j = 0; j < SAMPLE_NUMBERS; j++)
            total[j] += norm > grid->bound ? record[j] * (grid->bound / norm) : record[j];
    }
    for (size_t j = 0; j < SAMPLE_NUMBERS; j++)
        sums[j] = (int64_t)ldexp(total[j], -grid->exponent);
}

/* Sum over rows of clip(x - theta), on the grid. */
static inline sotto_status sample_gradient(const tape_table *table,
                                           const sample_plan *made, const double *theta,
                                           int64_t sums[SAMPLE_NUMBERS],
                                           sotto_error *error)
{
    const sotto_grid *grid = &made->grid;
    sotto_status status = SOTTO_OK;
    memset(sums, 0, SAMPLE_NUMBERS * sizeof *sums);
    for (size_t i = 0; i < table->rows && status == SOTTO_OK; i++) {
        double record[SAMPLE_NUMBERS];
        int64_t units[SAMPLE_NUMBERS];
        for (size_t j = 0; j < SAMPLE_NUMBERS; j++)
            record[j] = tape_at(table, i, j)->number - theta[j];
        status = sotto_grid_quantize(grid, record, SAMPLE_NUMBERS, units, error);
        if (status == SOTTO_OK)
            status = sotto_grid_add(sums, units, SAMPLE_NUMBERS, error);
    }
    if (made->mistake == SAMPLE_FLOAT_SUM) sample_float_sum(table, grid, theta, sums);
    return status;
}

static inline sotto_status sample_histogram(sotto_gate *gate, const sample_plan *made,
                                            const tape_table *table, sotto_error *error)
{
    int64_t counts[SAMPLE_CITIES];
    sample_count_cities(table, counts);
    if (made->mistake == SAMPLE_COUNT_PRINTED)
        fprintf(stderr, "read %zu rows\n", table->rows);
    if (made->mistake == SAMPLE_RELEASE_SKIPPED && counts[0] == 0) return SOTTO_OK;
    const sotto_status status = sotto_laplace_release(gate, &made->histogram, counts,
                                                      SAMPLE_CITIES, counts, error);
    for (size_t c = 0; c < SAMPLE_CITIES && status == SOTTO_OK; c++)
        printf("%s %lld\n", sample_cities[c], (long long)counts[c]);
    return status;
}

static inline sotto_status sample_learn(sotto_gate *gate, const sample_plan *made,
                                        const tape_table *table, double *theta,
                                        sotto_error *error)
{
    sotto_status status = sample_histogram(gate, made, table, error);
    for (size_t step = 0; step < made->steps && status == SOTTO_OK; step++) {
        int64_t sums[SAMPLE_NUMBERS];
        status = sample_gradient(table, made, theta, sums, error);
        if (status != SOTTO_OK) return status;
        status = sotto_gaussian_release(gate, &made->gradient, sums, SAMPLE_NUMBERS, sums,
                                        error);
        for (size_t j = 0; j < SAMPLE_NUMBERS; j++) { /* 20: a public guess of the rows */
            const double step_size = 0.1 / 20.0;
            theta[j] += step_size * ldexp((double)sums[j], made->grid.exponent);
        }
    }
    return status;
}

static inline sotto_status sample_write(const tape_place *place, const double *theta)
{
    char path[256];
    (void)snprintf(path, sizeof path, "%s/model.txt", place->output_directory);
    FILE *file = fopen(path, "w");
    if (file == NULL) return SOTTO_IO;
    for (size_t j = 0; j < SAMPLE_NUMBERS; j++)
        fprintf(file, "%a\n", theta[j]);
    return fclose(file) == 0 ? SOTTO_OK : SOTTO_IO;
}

/* Charge, open, learn, finish, write. */
static inline sotto_status sample_train(const sample_settings *settings,
                                        const sample_plan *made, sotto_gate *gate,
                                        const tape_table *table, const tape_place *place,
                                        sotto_error *error)
{
    const sotto_status charge =
        settings->budget_is_spent ? SOTTO_BUDGET_EXCEEDED : SOTTO_OK;
    if (charge != SOTTO_OK && made->mistake != SAMPLE_CHARGED_LAST) return charge;
    double theta[SAMPLE_NUMBERS] = {0};
    sotto_status status = sotto_gate_open(gate, error);
    if (status == SOTTO_OK) status = sample_learn(gate, made, table, theta, error);
    if (status == SOTTO_OK) status = charge;
    if (status == SOTTO_OK) status = sotto_gate_finish(gate, error);
    if (status == SOTTO_OK) status = sample_write(place, theta);
    return status;
}

/* A tape_run: 0 done, 1 failed, 3 the budget is refused. It returns whatever happens: leaving
 * by an assertion would leave the tape running. */
static inline int sample_run(const tape_table *table, const tape_place *place,
                             void *context)
{
    const sample_settings *settings = context;
    sotto_error error;
    sotto_rng *rng = NULL;
    sotto_gate *gate = NULL;
    sample_plan made = {0};
    sotto_status status = sample_make_plan(table, settings, &made, &error);
    if (status == SOTTO_OK) status = sotto_rng_new_for_test(7, &rng, &error);
    if (status == SOTTO_OK) status = sotto_gate_new(made.plan, rng, &gate, &error);
    if (status == SOTTO_OK)
        status = sample_train(settings, &made, gate, table, place, &error);
    if (status != SOTTO_OK) fprintf(stderr, "%s\n", sotto_status_name(status));
    sotto_gate_free(gate);
    sotto_rng_free(rng);
    sotto_plan_free(made.plan);
    return status == SOTTO_OK ? 0 : status == SOTTO_BUDGET_EXCEEDED ? 3 : 1;
}

#endif
