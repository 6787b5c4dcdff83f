/* tests/privacy/mechanisms/toy_run.h: a whole run, from plan to printed coefficients, that releases
 * a minimiser by objective or output perturbation; for the tape. */
#ifndef SOTTO_TESTS_TOY_RUN_H
#define SOTTO_TESTS_TOY_RUN_H

#include "toy_minimiser.h"

#include "privacy/mechanisms/output/output.h"

typedef struct toy_settings {
    bool is_output;
    bool is_pure;
    sotto_adjacency adjacency;
    uint64_t unit_rows;
    double spoil;         /* 0.99: as bad as the certificate allows */
    bool divides_by_rows; /* a mistake: output perturbation with a sensitivity / rows */
} toy_settings;

/* Large enough that the solver's error, not the box, decides the grid. */
#define TOY_TAU    1e-3
#define TOY_LAMBDA 1.25

static inline sot_objective_config toy_objective_config(const toy_settings *settings,
                                                        size_t dimension)
{
    return (sot_objective_config){.law = {.theorem = SOT_OBJECTIVE_SHARP,
                                          .adjacency = settings->adjacency,
                                          .unit_rows = settings->unit_rows,
                                          .record_bound = 1.0,
                                          .smoothness = 0.25,
                                          .lambda = TOY_LAMBDA,
                                          .sigma = settings->is_pure ? SOTTO_UNSET : 2.5,
                                          .rate = settings->is_pure ? 0.8 : SOTTO_UNSET,
                                          .epsilon = SOTTO_UNSET,
                                          .delta = SOTTO_UNSET},
                                  .dimension = dimension,
                                  .tau = TOY_TAU,
                                  .correction_share = 0x1p-10,
                                  .purpose = "coefficients"};
}

/* |gradient of a record| <= 1, so the minimiser moves by at most 1/lambda a row. */
static inline sot_output_config toy_output_config(const toy_settings *settings,
                                                  size_t dimension, size_t rows)
{
    double sensitivity = (double)settings->unit_rows / TOY_LAMBDA;
    if (settings->adjacency == SOTTO_REPLACE_ONE) sensitivity *= 2.0;
    if (settings->divides_by_rows) sensitivity /= fmax(1.0, (double)rows);
    return (sot_output_config){.adjacency = settings->adjacency,
                               .dimension = dimension,
                               .sensitivity = nextafter(sensitivity, 1e300),
                               .lambda = TOY_LAMBDA,
                               .tau = TOY_TAU,
                               .sigma = settings->is_pure ? SOTTO_UNSET : 3.5,
                               .epsilon = settings->is_pure ? 0.75 : SOTTO_UNSET,
                               .correction_share =
                                   settings->is_pure ? 0x1p-10 : SOTTO_UNSET,
                               .purpose = "coefficients"};
}

static inline sotto_status toy_release(const toy_settings *settings, toy *made,
                                       sotto_gate *gate, int64_t *out_units,
                                       sotto_error *error)
{
    if (settings->is_output) {
        const sot_output_config config =
            toy_output_config(settings, made->dimension, made->rows);
        const double no_tilt[TOY_DIMENSION_MAX] = {0};
        double theta[TOY_DIMENSION_MAX];
        toy_minimise(made, no_tilt, theta);
        return sot_output_release(gate, &config, theta, out_units, error);
    }
    const sot_objective_config config = toy_objective_config(settings, made->dimension);
    const sot_objective_problem problem = toy_problem(made);
    return sot_objective_release(gate, &config, &problem, out_units, error);
}

static inline sotto_status toy_plan(const toy_settings *settings, const toy *made,
                                    sotto_plan **out_plan, sotto_error *error)
{
    sotto_status status = sotto_plan_new(settings->adjacency, out_plan, error);
    if (status != SOTTO_OK) return status;
    if (settings->is_output) {
        const sot_output_config config =
            toy_output_config(settings, made->dimension, made->rows);
        return sot_output_plan(&config, *out_plan, error);
    }
    const sot_objective_config config = toy_objective_config(settings, made->dimension);
    return sot_objective_plan(&config, *out_plan, error);
}

/* A tape_run: no assertions inside. */
static inline int toy_run(const tape_table *table, const tape_place *place, void *context)
{
    (void)place;
    const toy_settings *settings = context;
    toy made = {
        .dimension = 2, .lambda = TOY_LAMBDA, .tau = TOY_TAU, .spoil = settings->spoil};
    toy_fill(&made, table);
    sotto_error error;
    sotto_plan *plan = NULL;
    sotto_rng *rng = NULL;
    sotto_gate *gate = NULL;
    int64_t units[TOY_DIMENSION_MAX] = {0};
    sotto_status status = toy_plan(settings, &made, &plan, &error);
    if (status == SOTTO_OK) status = sotto_rng_new_for_test(7, &rng, &error);
    if (status == SOTTO_OK) status = sotto_gate_new(plan, rng, &gate, &error);
    if (status == SOTTO_OK) status = sotto_gate_open(gate, &error);
    if (status == SOTTO_OK) status = toy_release(settings, &made, gate, units, &error);
    if (status == SOTTO_OK) status = sotto_gate_finish(gate, &error);
    if (status == SOTTO_OK) {
        printf("%lld %lld\n", (long long)units[0], (long long)units[1]);
    } else {
        fprintf(stderr, "%s\n", error.message);
    }
    sotto_gate_free(gate);
    sotto_rng_free(rng);
    sotto_plan_free(plan);
    return (int)status;
}

#endif
