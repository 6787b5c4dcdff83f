/* Whole trainings of concepts against laws that are written down here from docs/reference/concepts.md and docs/reference/pac.md alone: what a concept
 * says, its errors, its probability. The laws of all neighbours of small tables are within epsilon, and trainings have these laws. */
#include "random/choice_laws.h"

#include <sotto/model.h>
#include <sotto/train.h>

#define EPSILON 1.5

enum {
    A = 5,
    B = 4,
    CONCEPTS_MOST = 160,
    NUMBERS_MOST = 4,
    ROWS_MOST = 12,
    DRAWS = 2500
};

#define COLUMNS                                                                          \
    "\"target\": \"y\", \"columns\": ["                                                  \
    "{\"name\": \"a\", \"type\": \"integer\", \"lower\": 0, \"upper\": 4},"              \
    "{\"name\": \"b\", \"type\": \"integer\", \"lower\": 0, \"upper\": 3},"              \
    "{\"name\": \"f\", \"type\": \"boolean\"}, {\"name\": \"g\", \"type\": "             \
    "\"boolean\"},"                                                                      \
    "{\"name\": \"who\", \"type\": \"id\"},"                                             \
    "{\"name\": \"y\", \"type\": \"boolean\"}]}"

static const char rows_schema[] = "{" COLUMNS;
static const char unit_schema[] =
    "{\"unit\": {\"column\": \"who\", \"rows\": 2}, " COLUMNS;

typedef struct row {
    int a, b, f, g, yes;
} row;

/* ---- concepts ---- */

enum kind {
    THRESHOLDS,
    INTERVALS,
    STUMPS,
    RECTANGLES,
    CONJUNCTIONS,
    PARITIES,
    CANDIDATES
};

static const struct {
    enum kind kind;
    const char *class;
    int numbers;
} classes[] = {
    {THRESHOLDS,
     "{\"class\": \"thresholds\", \"columns\": [\"a\"], \"both\": true, "
     "\"weights\": {\"a\": [0, 3, 0, 1, 7, 2]}}",
     2},
    {INTERVALS, "{\"class\": \"intervals\", \"columns\": [\"a\"]}", 2},
    {STUMPS,
     "{\"class\": \"stumps\", \"columns\": [\"a\", \"b\", \"f\"], "
     "\"weights\": {\"a\": [0, 3, 0, 1, 7, 2]}}",
     3},
    {RECTANGLES, "{\"class\": \"rectangles\", \"columns\": [\"a\", \"b\"]}", 4},
    {CONJUNCTIONS, "{\"class\": \"conjunctions\", \"columns\": [\"f\", \"g\"]}", 1},
    {PARITIES, "{\"class\": \"parities\", \"columns\": [\"f\", \"g\"]}", 1},
    {CANDIDATES,
     "{\"class\": \"candidates\", \"columns\": [\"f\", \"g\"], \"both\": true}", 2},
};
enum { CLASSES = sizeof classes / sizeof classes[0] };

typedef struct concept_list {
    enum kind kind;
    size_t count;
    int numbers[CONCEPTS_MOST][NUMBERS_MOST];
    uint64_t weights[CONCEPTS_MOST];
} concept_list;

static void add(concept_list *list, uint64_t weight, int n0, int n1, int n2, int n3)
{
    const int numbers[NUMBERS_MOST] = {n0, n1, n2, n3};
    assert_true(list->count < CONCEPTS_MOST);
    memcpy(list->numbers[list->count], numbers, sizeof numbers);
    list->weights[list->count++] = weight;
}

static concept_list list_of(enum kind kind)
{
    static const uint64_t weights[A + 1] = {0, 3, 0, 1, 7, 2};
    static const int cells[3] = {A, B, 2};
    concept_list list = {.kind = kind};
    if (kind == INTERVALS || kind == RECTANGLES) add(&list, 1, 0, 0, 0, 0);
    for (int flipped = 0; flipped < 2; flipped++)
        for (int cut = 0; kind == THRESHOLDS && cut <= A; cut++)
            add(&list, weights[cut], cut, flipped, 0, 0);
    for (int feature = 0; kind == STUMPS && feature < 3; feature++)
        for (int cut = 0; cut <= cells[feature]; cut++)
            for (int flipped = 0; flipped < 2; flipped++)
                add(&list, feature == 0 ? weights[cut] : 1, feature, cut, flipped, 0);
    for (int low = 0; low < A; low++)
        for (int high = low + 1; high <= A; high++) {
            if (kind == INTERVALS) add(&list, 1, low, high, 0, 0);
            for (int from = 0; kind == RECTANGLES && from < B; from++)
                for (int to = from + 1; to <= B; to++)
                    add(&list, 1, low, high, from, to);
        }
    for (int mask = 0; (kind == CONJUNCTIONS || kind == PARITIES) && mask < 4; mask++)
        add(&list, 1, mask, 0, 0, 0);
    for (int i = 0; kind == CANDIDATES && i < 4; i++)
        add(&list, 1, i / 2, i % 2, 0, 0);
    return list;
}

static bool says(enum kind kind, const int *n, const row *r)
{
    const int features[3] = {r->a, r->b, r->f};
    switch (kind) {
    case THRESHOLDS:
        return n[1] == 0 ? r->a >= n[0] : r->a < n[0];
    case INTERVALS:
        return r->a >= n[0] && r->a < n[1];
    case STUMPS:
        return n[2] == 0 ? features[n[0]] >= n[1] : features[n[0]] < n[1];
    case RECTANGLES:
        return r->a >= n[0] && r->a < n[1] && r->b >= n[2] && r->b < n[3];
    case CONJUNCTIONS:
        return (n[0] % 2 == 0 || r->f == 1) && (n[0] < 2 || r->g == 1);
    case PARITIES:
        return ((n[0] % 2) * r->f + (n[0] / 2) * r->g) % 2 == 1;
    case CANDIDATES:
        break;
    }
    return (n[0] == 0 ? r->f : r->g) != n[1];
}

/* ---- laws ---- */

static void law_of(const concept_list *list, sotto_method method, double range,
                   const row *rows, size_t count, double *out)
{
    int64_t scores[CONCEPTS_MOST];
    for (size_t i = 0; i < list->count; i++) {
        scores[i] = 0;
        for (size_t j = 0; j < count; j++)
            scores[i] -=
                says(list->kind, list->numbers[i], &rows[j]) != (rows[j].yes == 1);
    }
    if (method == SOTTO_METHOD_EXPONENTIAL)
        exponential_law(EPSILON / range, scores, list->weights, list->count, out);
    else
        permute_and_flip_law(EPSILON / range, scores, list->count, out);
}

static row random_row(uint64_t *state)
{
    int digits[5];
    static const int bases[5] = {A, B, 2, 2, 2};
    for (int i = 0; i < 5; i++) {
        *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        digits[i] = (int)((*state >> 33) % (uint64_t)bases[i]);
    }
    return (row){digits[0], digits[1], digits[2], digits[3], digits[4]};
}

/* Every record that there can be, 0 .. A B 8 - 1. */
static row row_number(int number)
{
    return (row){number % A, number / A % B, number / (A * B) % 2,
                 number / (A * B * 2) % 2, number / (A * B * 4)};
}

/* The largest change of a probability's logarithm, over tables of 0 to 6 rows and neighbours that differ in a unit of `unit`
 * rows: one of them is every record that there can be, the others are drawn. */
static double largest_loss(const concept_list *list, sotto_method method,
                           sotto_adjacency adjacency, size_t unit, double range)
{
    double worst = 0.0, here[CONCEPTS_MOST], there[CONCEPTS_MOST];
    const int step = method == SOTTO_METHOD_EXPONENTIAL ? 1 : 16;
    uint64_t state = 20;
    for (size_t count = 0; count <= 6; count += unit) {
        row rows[ROWS_MOST], others[ROWS_MOST];
        const bool replaces = adjacency == SOTTO_REPLACE_ONE;
        for (size_t i = 0; i < count; i++)
            rows[i] = random_row(&state);
        if (replaces && count == 0) continue;
        law_of(list, method, range, rows, count, here);
        for (int number = 0; number < A * B * 8; number += step) {
            memcpy(others, rows, sizeof rows);
            const size_t begin = replaces ? count - unit : count;
            for (size_t i = 0; i < unit; i++)
                others[begin + i] =
                    i == 0 || number % 2 == 0 ? row_number(number) : random_row(&state);
            law_of(list, method, range, others, begin + unit, there);
            for (size_t i = 0; i < list->count; i++)
                if (list->weights[i] > 0)
                    worst = fmax(worst, fabs(log(here[i] / there[i])));
        }
    }
    return worst;
}

static void neighbours_have_laws_within_epsilon(void **state)
{
    (void)state;
    for (size_t i = 0; i < CLASSES; i++) {
        const concept_list list = list_of(classes[i].kind);
        for (int unit = 1; unit <= 2; unit++) {
            const double added = largest_loss(&list, SOTTO_METHOD_EXPONENTIAL,
                                              SOTTO_ADD_REMOVE, (size_t)unit, unit);
            const double replaced =
                largest_loss(&list, SOTTO_METHOD_EXPONENTIAL, SOTTO_REPLACE_ONE,
                             (size_t)unit, 2.0 * unit);
            assert_within(added, 0.3 * EPSILON, EPSILON * (1.0 + 1e-12));
            assert_within(replaced, 0.3 * EPSILON, EPSILON * (1.0 + 1e-12));
            if (classes[i].kind != CANDIDATES && classes[i].kind != PARITIES) continue;
            assert_within(largest_loss(&list, SOTTO_METHOD_PERMUTE_AND_FLIP,
                                       SOTTO_ADD_REMOVE, (size_t)unit, unit),
                          0.3 * EPSILON, EPSILON * (1.0 + 1e-9));
            assert_within(largest_loss(&list, SOTTO_METHOD_PERMUTE_AND_FLIP,
                                       SOTTO_REPLACE_ONE, (size_t)unit, 2.0 * unit),
                          0.3 * EPSILON, EPSILON * (1.0 + 1e-9));
        }
        /* Half the range is not enough: the search finds what there is. */
        assert_true(largest_loss(&list, SOTTO_METHOD_EXPONENTIAL, SOTTO_REPLACE_ONE, 1,
                                 1.0) > EPSILON);
        assert_true(largest_loss(&list, SOTTO_METHOD_EXPONENTIAL, SOTTO_ADD_REMOVE, 2,
                                 1.0) > EPSILON);
    }
}

/* ---- trainings ---- */

typedef struct scene {
    sotto_schema *schema;
    sotto_train_config config;
    double cells[ROWS_MOST][6];
    int64_t people[ROWS_MOST];
    sotto_records records;
} scene;

static void open_scene(scene *self, size_t class, sotto_method method,
                       sotto_adjacency adjacency, size_t unit, const row *rows,
                       size_t count)
{
    sotto_error error;
    const char *text = unit > 1 ? unit_schema : rows_schema;
    *self = (scene){.config = sotto_train_defaults()};
    assert_ok(sotto_schema_parse("s", text, strlen(text), &self->schema, &error), &error);
    self->config.model = SOTTO_MODEL_CONCEPT;
    self->config.concept = classes[class].class;
    self->config.method = method;
    self->config.adjacency = adjacency;
    self->config.epsilon = EPSILON;
    self->config.threads = 1;
    self->config.insecure_test = true;
    for (size_t i = 0; i < count; i++) {
        const row *r = &rows[i];
        const double cells[6] = {r->a, r->b, r->f, r->g, 0.0, r->yes};
        memcpy(self->cells[i], cells, sizeof cells);
        self->people[i] = (int64_t)(i / unit);
    }
    self->records.features = (sotto_array){self->cells,           SOTTO_FLOAT64, count, 6,
                                           sizeof self->cells[0], sizeof(double)};
    if (unit > 1)
        self->records.units = (sotto_array){self->people,    SOTTO_INT64,    count, 1,
                                            sizeof(int64_t), sizeof(int64_t)};
}

/* The place in the list of what a training with this seed learns. */
static size_t learn(scene *self, const concept_list *list, uint64_t seed, int numbers)
{
    sotto_error error;
    sotto_train_result *result = NULL;
    sotto_model *model = NULL;
    self->config.test_seed = seed;
    assert_ok(
        sotto_train_records(&self->config, self->schema, &self->records, &result, &error),
        &error);
    const char *json = sotto_train_json(result);
    assert_ok(sotto_model_parse("m", json, strlen(json), &model, &error), &error);
    assert_int_equal(sotto_model_coefficients(model), numbers);
    size_t found = list->count;
    for (size_t i = 0; i < list->count && found == list->count; i++) {
        bool same = true;
        for (int k = 0; k < numbers; k++)
            same =
                same && sotto_model_coefficient(model, (size_t)k) == list->numbers[i][k];
        if (same) found = i;
    }
    assert_true(found < list->count);
    sotto_model_free(model);
    sotto_train_free(result);
    return found;
}

static void expect_law(size_t class, sotto_method method, sotto_adjacency adjacency,
                       size_t unit, size_t count, uint64_t seed)
{
    scene self;
    row rows[ROWS_MOST];
    double law[CONCEPTS_MOST], seen[CONCEPTS_MOST] = {0};
    const concept_list list = list_of(classes[class].kind);
    const double range = (adjacency == SOTTO_REPLACE_ONE ? 2.0 : 1.0) * (double)unit;
    for (size_t i = 0; i < count; i++)
        rows[i] = random_row(&seed);
    law_of(&list, method, range, rows, count, law);
    open_scene(&self, class, method, adjacency, unit, rows, count);
    for (uint64_t draw = 1; draw <= DRAWS; draw++)
        seen[learn(&self, &list, draw, classes[class].numbers)] += 1.0;
    assert_same_law(chi_square_p(seen, law, list.count, DRAWS));
    for (size_t i = 0; i < list.count; i++)
        if (list.weights[i] == 0) assert_true(seen[i] == 0.0);
    law_of(&list, method, 4.0 * range, rows, count, law);
    if (count > 0) assert_other_law(chi_square_p(seen, law, list.count, DRAWS));
    sotto_schema_free(self.schema);
}

static void trainings_have_these_laws(void **state)
{
    (void)state;
    for (size_t i = 0; i < CLASSES; i++) {
        expect_law(i, SOTTO_METHOD_EXPONENTIAL, SOTTO_ADD_REMOVE, 1, 9, 100 + i);
        expect_law(i, SOTTO_METHOD_EXPONENTIAL, SOTTO_REPLACE_ONE, 2, 12, 200 + i);
    }
    expect_law(1, SOTTO_METHOD_EXPONENTIAL, SOTTO_ADD_REMOVE, 1, 0, 300);
    expect_law(1, SOTTO_METHOD_PERMUTE_AND_FLIP, SOTTO_ADD_REMOVE, 2, 12, 301);
    expect_law(6, SOTTO_METHOD_PERMUTE_AND_FLIP, SOTTO_REPLACE_ONE, 1, 9, 302);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(neighbours_have_laws_within_epsilon),
        cmocka_unit_test(trainings_have_these_laws),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
