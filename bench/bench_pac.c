/* Times the private learner over finite classes, from places in memory to the released concept, and checks each answer: rows were labelled
 * by a concept of the class with a tenth of the labels turned, so what is learned must err on little more than a tenth. Prints one JSON line a case; exits 1 if
 * an answer is off. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/memory.h"
#include "limits.h"
#include "models/concept/learn/pac.h"

enum { NUMBERS = 2 * 64 };

typedef struct workload {
    const char *name;
    sot_concept_kind kind;
    size_t features;
    uint64_t cells;
    size_t rows;
    sotto_method method;
    double goal_seconds; /* 0: none */
    double secret[NUMBERS];
} workload;

static const workload workloads[] = {
    {"thresholds",
     SOT_CONCEPT_THRESHOLDS,
     1,
     UINT64_C(1) << 32,
     1000000,
     SOTTO_METHOD_EXPONENTIAL,
     1.0,
     {1717986918.0, 0.0}},
    {"thresholds",
     SOT_CONCEPT_THRESHOLDS,
     1,
     UINT64_C(1) << 16,
     1000000,
     SOTTO_METHOD_EXPONENTIAL,
     1.0,
     {26214.0, 0.0}},
    {"intervals",
     SOT_CONCEPT_INTERVALS,
     1,
     UINT64_C(1) << 32,
     1000000,
     SOTTO_METHOD_EXPONENTIAL,
     0.0,
     {858993459.0, 3006477107.0}},
    {"stumps",
     SOT_CONCEPT_STUMPS,
     50,
     UINT64_C(1) << 32,
     100000,
     SOTTO_METHOD_EXPONENTIAL,
     2.0,
     {31.0, 1717986918.0, 1.0}},
    {"stumps",
     SOT_CONCEPT_STUMPS,
     50,
     UINT64_C(1) << 16,
     100000,
     SOTTO_METHOD_EXPONENTIAL,
     2.0,
     {31.0, 26214.0, 1.0}},
    {"rectangles",
     SOT_CONCEPT_RECTANGLES,
     2,
     256,
     100000,
     SOTTO_METHOD_EXPONENTIAL,
     0.0,
     {60.0, 200.0, 20.0, 250.0}},
    {"rectangles",
     SOT_CONCEPT_RECTANGLES,
     8,
     UINT64_C(1) << 32,
     100000,
     SOTTO_METHOD_EXPONENTIAL,
     0.0,
     {0.0, 4e9, 1e8, 4294967296.0, 0.0, 4e9, 1e8, 4294967296.0, 0.0, 4e9, 1e8,
      4294967296.0, 0.0, 4e9, 1e8, 4294967296.0}},
    {"conjunctions",
     SOT_CONCEPT_CONJUNCTIONS,
     20,
     2,
     100000,
     SOTTO_METHOD_EXPONENTIAL,
     2.0,
     {516.0}},
    {"conjunctions",
     SOT_CONCEPT_CONJUNCTIONS,
     20,
     2,
     100000,
     SOTTO_METHOD_PERMUTE_AND_FLIP,
     2.0,
     {516.0}},
    {"parities",
     SOT_CONCEPT_PARITIES,
     20,
     2,
     100000,
     SOTTO_METHOD_EXPONENTIAL,
     2.0,
     {704643.0}},
    {"parities",
     SOT_CONCEPT_PARITIES,
     24,
     2,
     100000,
     SOTTO_METHOD_EXPONENTIAL,
     0.0,
     {704643.0}},
};

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static sot_concept_class *make_class(const workload *with)
{
    sot_concept_class *class = sot_new_array(1, sizeof *class);
    if (class == NULL) return NULL;
    class->kind = with->kind;
    class->both = with->kind == SOT_CONCEPT_STUMPS;
    class->features = with->features;
    class->grids = sot_new_array(with->features, sizeof *class->grids);
    if (class->grids == NULL) {
        sot_concept_class_free(class);
        return NULL;
    }
    for (size_t j = 0; j < with->features; j++)
        class->grids[j] = (sot_cells_grid){
            .column = j, .upper = (double)with->cells, .cells = with->cells};
    return class;
}

static int fill_rows(const workload *with, const sot_concept_class *class,
                     sot_matrix *out)
{
    *out = (sot_matrix){.rows = with->rows, .columns = with->features};
    out->cells = malloc(with->rows * with->features * sizeof *out->cells);
    out->labels = malloc(with->rows * sizeof *out->labels);
    if (out->cells == NULL || out->labels == NULL) return 1;
    uint64_t state = 7;
    for (size_t i = 0; i < with->rows; i++) {
        uint32_t *places = out->cells + i * with->features;
        for (size_t j = 0; j < with->features; j++)
            places[j] = (uint32_t)(next_bits(&state) >> 32) & (uint32_t)(with->cells - 1);
        const bool says = sot_concept_says(class, with->secret, places);
        out->labels[i] = says != (next_bits(&state) % 10 == 0) ? 1.0 : -1.0;
    }
    return 0;
}

static double error_rate(const sot_concept_class *class, const double *numbers,
                         const sot_matrix *rows)
{
    double errors = 0.0;
    for (size_t i = 0; i < rows->rows; i++)
        errors += sot_concept_says(class, numbers, rows->cells + i * rows->columns) !=
                  (rows->labels[i] > 0.0);
    return errors / (double)rows->rows;
}

/* One learning through a gate of its own; the time is that of the learning alone. */
static sotto_status learn(const sot_learner *learner, const sot_matrix *rows,
                          sot_pool *pool, double *out_numbers, double *out_seconds)
{
    sotto_plan *plan = NULL;
    sotto_rng *rng = NULL;
    sotto_gate *gate = NULL;
    sot_table *table = NULL;
    sotto_status status = sotto_plan_new(SOTTO_ADD_REMOVE, &plan, NULL);
    if (status == SOTTO_OK) status = learner->plan(learner, plan, NULL);
    if (status == SOTTO_OK) status = sotto_rng_new_for_test(3, &rng, NULL);
    if (status == SOTTO_OK) status = sotto_gate_new(plan, rng, &gate, NULL);
    if (status == SOTTO_OK) status = sotto_gate_open(gate, NULL);
    if (status == SOTTO_OK) status = sot_table_of_matrix(rows, &table, NULL);
    const double start = seconds();
    if (status == SOTTO_OK)
        status = learner->learn(learner, gate, table, pool, out_numbers, NULL);
    *out_seconds = seconds() - start;
    sot_table_free(table);
    sotto_gate_free(gate);
    sotto_plan_free(plan);
    sotto_rng_free(rng);
    return status;
}

static int bench(const workload *with, sot_pool *pool)
{
    sotto_train_config config = sotto_train_defaults();
    config.epsilon = 1.0;
    const sot_learner_setup setup = {
        .config = &config, .unit_rows = 1, .method = with->method};
    sot_learner *learner = NULL;
    sot_concept_class *class = make_class(with);
    sot_matrix rows = {0};
    double numbers[NUMBERS] = {0}, took = 0.0;
    if (class == NULL || sot_pac_new(&setup, class, &learner, NULL) != SOTTO_OK) return 1;
    int failed = fill_rows(with, class, &rows);
    if (failed == 0 && learn(learner, &rows, pool, numbers, &took) != SOTTO_OK)
        failed = 1;
    const double rate = failed == 0 ? error_rate(class, numbers, &rows) : 1.0;
    printf("{\"bench\": \"pac\", \"class\": \"%s\", \"method\": \"%s\", \"rows\": %zu, "
           "\"features\": %zu, \"cells\": %llu, \"seconds\": %.4f, \"goal_seconds\": %g, "
           "\"error_rate\": %.5f}\n",
           with->name, sotto_method_name(with->method), with->rows, with->features,
           (unsigned long long)with->cells, took, with->goal_seconds, rate);
    if (!(rate < 0.11)) failed = 1;
    if (with->goal_seconds > 0.0 && took > with->goal_seconds) failed = 1;
    free(rows.cells);
    free(rows.labels);
    sot_learner_free(learner);
    return failed;
}

int main(int argc, char **argv)
{
    const size_t threads = argc > 1 ? strtoul(argv[1], NULL, 10) : 0;
    sot_pool *pool = NULL;
    if (sot_pool_new(threads, &pool, NULL) != SOTTO_OK) return 1;
    int failed = 0;
    for (size_t i = 0; i < sizeof workloads / sizeof workloads[0]; i++)
        failed |= bench(&workloads[i], pool);
    sot_pool_free(pool);
    return failed;
}
