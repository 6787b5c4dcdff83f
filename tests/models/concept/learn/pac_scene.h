/* A learner of a finite class on its own: made of a class by hand, run on rows by hand; and the same by brute force. */
#ifndef SOTTO_TESTS_PAC_SCENE_H
#define SOTTO_TESTS_PAC_SCENE_H

#include "random/choice_laws.h"
#include "random/laws.h"

#include "base/memory.h"
#include "models/concept/learn/pac.h"

/* ---- classes and rows ---- */

static inline sot_concept_class *hand_class(sot_concept_kind kind, size_t features,
                                            const uint64_t *cells, bool both)
{
    sot_concept_class *class = sot_new_array(1, sizeof *class);
    assert_non_null(class);
    class->kind = kind;
    class->both = both || kind == SOT_CONCEPT_STUMPS;
    class->features = features;
    class->grids = sot_new_array(features, sizeof *class->grids);
    assert_non_null(class->grids);
    for (size_t j = 0; j < features; j++)
        class->grids[j] = (sot_cells_grid){
            .column = j, .lower = 0.0, .upper = (double)cells[j], .cells = cells[j]};
    return class;
}

/* Weights 0, 1, 2, 3, 0, 1, ... of the cuts of each feature, beginning with `first`; the last feature has none. */
static inline void hand_weights(sot_concept_class *class, size_t first)
{
    class->weights = sot_new_array(class->features, sizeof *class->weights);
    assert_non_null((void *)class->weights);
    for (size_t j = 0; j + 1 < class->features || j == 0; j++) {
        const size_t cuts = (size_t) class->grids[j].cells + 1;
        class->weights[j] = sot_new_array(cuts, sizeof *class->weights[j]);
        assert_non_null(class->weights[j]);
        for (size_t cut = 0; cut < cuts; cut++)
            class->weights[j][cut] = (first + cut) % 4;
    }
}

static inline uint64_t scene_mixed(uint64_t *state)
{
    uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static inline sot_matrix hand_rows(size_t rows, size_t columns)
{
    sot_matrix matrix = {.rows = rows, .columns = columns};
    matrix.cells = calloc(rows * columns + 1, sizeof *matrix.cells);
    matrix.labels = calloc(rows + 1, sizeof *matrix.labels);
    assert_true(matrix.cells != NULL && matrix.labels != NULL);
    for (size_t i = 0; i < rows; i++)
        matrix.labels[i] = -1.0;
    return matrix;
}

static inline sot_matrix random_rows(const sot_concept_class *class, size_t rows,
                                     uint64_t seed)
{
    sot_matrix matrix = hand_rows(rows, class->features);
    for (size_t i = 0; i < rows; i++) {
        for (size_t j = 0; j < class->features; j++)
            matrix.cells[i * matrix.columns + j] =
                (uint32_t)(scene_mixed(&seed) % class->grids[j].cells);
        matrix.labels[i] = (scene_mixed(&seed) & 1) != 0 ? 1.0 : -1.0;
    }
    return matrix;
}

static inline void free_rows(sot_matrix *matrix)
{
    free(matrix->cells);
    free(matrix->labels);
}

/* ---- a learner and its gate ---- */

typedef struct pac_scene {
    sotto_train_config config;
    sot_learner_setup setup;
    sot_learner *learner; /* NULL: refused */
} pac_scene;

static inline sotto_train_config pac_config(sotto_method method, double epsilon,
                                            sotto_adjacency adjacency)
{
    sotto_train_config config = sotto_train_defaults();
    config.model = SOTTO_MODEL_CONCEPT;
    config.method = method;
    config.epsilon = method == SOTTO_METHOD_NONE ? SOTTO_UNSET : epsilon;
    config.adjacency = adjacency;
    return config;
}

/* `at` must not move afterwards. Takes the class. */
static inline sotto_status pac_scene_begin(pac_scene *at, sot_concept_class *class,
                                           sotto_train_config config, uint64_t unit_rows,
                                           sotto_error *error)
{
    *at = (pac_scene){.config = config};
    at->setup = (sot_learner_setup){
        .config = &at->config, .unit_rows = unit_rows, .method = config.method};
    return sot_pac_new(&at->setup, class, &at->learner, error);
}

static inline double pac_setting(const pac_scene *at, const char *name)
{
    for (size_t i = 0; i < at->learner->setting_count; i++)
        if (strcmp(at->learner->settings[i].name, name) == 0)
            return at->learner->settings[i].value;
    fail_msg("no setting %s", name);
    return NAN;
}

/* A gate that is open for `times` runs of the learner. */
typedef struct pac_gate {
    sotto_rng *rng;
    sotto_gate *gate; /* NULL: the learner has no events */
} pac_gate;

static inline sotto_status pac_gate_open(const pac_scene *at, uint64_t times,
                                         uint64_t seed, pac_gate *out, sotto_error *error)
{
    sotto_plan *once = NULL, *plan = NULL;
    *out = (pac_gate){0};
    if (at->learner->plan == NULL) return SOTTO_OK;
    sotto_status status = sotto_plan_new(at->config.adjacency, &once, error);
    if (status == SOTTO_OK) status = sotto_plan_new(at->config.adjacency, &plan, error);
    if (status == SOTTO_OK) status = at->learner->plan(at->learner, once, error);
    for (size_t i = 0; status == SOTTO_OK && i < sotto_plan_size(once); i++) {
        sotto_event event = *sotto_plan_event(once, i);
        event.count *= times;
        status = sotto_plan_add(plan, &event, error);
    }
    if (status == SOTTO_OK) status = sotto_rng_new_for_test(seed, &out->rng, error);
    if (status == SOTTO_OK) status = sotto_gate_new(plan, out->rng, &out->gate, error);
    if (status == SOTTO_OK) status = sotto_gate_open(out->gate, error);
    sotto_plan_free(once);
    sotto_plan_free(plan);
    return status;
}

static inline void pac_gate_free(pac_gate *gate)
{
    sotto_gate_free(gate->gate);
    sotto_rng_free(gate->rng);
}

enum { NUMBERS_MOST = 8 };

/* One run through a gate of its own. */
static inline sotto_status pac_learn(const pac_scene *at, const sot_matrix *matrix,
                                     uint64_t seed, size_t threads, double *out_numbers,
                                     sotto_error *error)
{
    pac_gate gate = {0};
    sot_table *table = NULL;
    sot_pool *pool = NULL;
    sotto_status status = pac_gate_open(at, 1, seed, &gate, error);
    if (status == SOTTO_OK) status = sot_table_of_matrix(matrix, &table, error);
    if (status == SOTTO_OK) status = sot_pool_new(threads, &pool, error);
    if (status == SOTTO_OK)
        status =
            at->learner->learn(at->learner, gate.gate, table, pool, out_numbers, error);
    if (status == SOTTO_OK && gate.gate != NULL)
        status = sotto_gate_finish(gate.gate, error);
    sot_pool_free(pool);
    sot_table_free(table);
    pac_gate_free(&gate);
    return status;
}

/* ---- all concepts, by brute force ---- */

enum { CONCEPTS_MOST = 512, CODES = 17 * 17 * 17 * 17 };

typedef struct all_concepts {
    size_t count, numbers;
    double of[CONCEPTS_MOST][NUMBERS_MOST];
    int64_t scores[CONCEPTS_MOST]; /* minus errors */
    uint64_t measures[CONCEPTS_MOST];
    uint16_t index[CODES]; /* by their numbers as digits */
} all_concepts;

static inline size_t code_of(const double *numbers, size_t count)
{
    size_t code = 0;
    for (size_t i = 0; i < count; i++)
        code = 17 * code + (size_t)numbers[i];
    return code;
}

static inline uint64_t measure_of_concept(const sot_concept_class *class,
                                          const double *numbers)
{
    if (class->weights == NULL) return 1;
    const bool stump = class->kind == SOT_CONCEPT_STUMPS;
    const size_t feature = stump ? (size_t)numbers[0] : 0;
    return class->weights[feature] == NULL
               ? 1
               : class->weights[feature][(size_t)numbers[stump ? 1 : 0]];
}

/* Every valid concept with numbers below 17, at most four of them, and its score on the rows. */
static inline all_concepts *list_concepts(const sot_concept_class *class,
                                          const sot_matrix *rows)
{
    all_concepts *all = calloc(1, sizeof *all);
    assert_non_null(all);
    all->numbers = sot_concept_numbers(class);
    size_t codes = 1;
    for (size_t i = 0; i < all->numbers; i++)
        codes *= 17;
    assert_true(codes <= CODES);
    for (size_t code = 0; code < codes; code++) {
        double numbers[NUMBERS_MOST] = {0};
        size_t rest = code;
        for (size_t i = all->numbers; i-- > 0; rest /= 17)
            numbers[i] = (double)(rest % 17);
        if (!sot_concept_is_valid(class, numbers)) continue;
        assert_true(all->count < CONCEPTS_MOST);
        const size_t index = all->count++;
        memcpy(all->of[index], numbers, sizeof numbers);
        all->index[code] = (uint16_t)index;
        all->measures[index] = measure_of_concept(class, numbers);
        for (size_t row = 0; row < rows->rows; row++) {
            const bool says =
                sot_concept_says(class, numbers, rows->cells + row * rows->columns);
            all->scores[index] -= says != (rows->labels[row] > 0.0) ? 1 : 0;
        }
    }
    return all;
}

/* How often each concept was learned in `draws` runs. */
static inline void tally_concepts(const pac_scene *at, const all_concepts *all,
                                  const sot_matrix *rows, uint64_t draws, uint64_t seed,
                                  double *out_seen)
{
    sotto_error error;
    pac_gate gate;
    sot_table *table = NULL;
    assert_ok(pac_gate_open(at, draws, seed, &gate, &error), &error);
    assert_ok(sot_table_of_matrix(rows, &table, &error), &error);
    memset(out_seen, 0, CONCEPTS_MOST * sizeof *out_seen);
    for (uint64_t i = 0; i < draws; i++) {
        double numbers[NUMBERS_MOST] = {0};
        assert_ok(
            at->learner->learn(at->learner, gate.gate, table, NULL, numbers, &error),
            &error);
        assert_true(sot_concept_is_valid(at->learner->concept, numbers));
        out_seen[all->index[code_of(numbers, all->numbers)]] += 1.0;
    }
    assert_ok(sotto_gate_finish(gate.gate, &error), &error);
    sot_table_free(table);
    pac_gate_free(&gate);
}

#endif
