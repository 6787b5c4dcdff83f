/* Models of one margin behind methods/empirical.h: facts from schema and settings alone, operations that
 * are those of models/linear/solver/problem.h, refusals by name. */
#include "models/linear/problems.h"

#include <sotto/loss.h>

#include "base/memory.h"
#include "methods/empirical.h"

#define MATRIX                                                                           \
    "\"row_norm\": {\"bound\": 1.75, \"rule\": \"clip\"}, \"intercept\": 0, "            \
    "\"features\": 4"
#define TWO    "{\"labels\": [-1, 1], " MATRIX "}"
#define THREE  "{\"labels\": [3, 5, 9], " MATRIX "}"
#define NUMBER "{\"target\": {\"lower\": 0, \"upper\": 12}, " MATRIX "}"

typedef struct made {
    sotto_schema *schema;
    sot_encoding *encoding;
    sotto_train_config config;
    sot_learner_setup setup;
} made;

static void make(const char *text, sot_target_role role, sotto_model_kind model,
                 made *out)
{
    sotto_error error;
    assert_ok(sotto_schema_parse("test", text, strlen(text), &out->schema, &error),
              &error);
    assert_ok(sot_encoding_new(out->schema, NULL, role, &out->encoding, &error), &error);
    out->config = sotto_train_defaults();
    out->config.model = model;
    out->setup = (sot_learner_setup){.config = &out->config,
                                     .encoding = out->encoding,
                                     .unit_rows = 1,
                                     .method = SOTTO_METHOD_OUTPUT};
}

static void unmake(made *old)
{
    sot_encoding_free(old->encoding);
    sotto_schema_free(old->schema);
}

/* |u - y|, smoothed, as a caller would write it. */
static void soft_distance(double margin, double label, void *context, sotto_loss_at *out)
{
    (void)context;
    const double r = margin - label;
    const double root = sqrt(r * r + 0.25);
    *out = (sotto_loss_at){root, r / root, 0.25 / (root * root * root)};
}

static const sotto_loss soft = {.name = "soft-distance",
                                .at = soft_distance,
                                .slope_most = 1.0,
                                .curvature_most = 2.0,
                                .slope_error = 0x1p-50};

typedef struct expected {
    const char *schema;
    sot_target_role role;
    sotto_model_kind model;
    const char *name;
    double width, threshold, radius; /* 0: not given */
    double slope, curvature;         /* of the loss */
    bool one_signed, self_bounding;
    double tau_share;
} expected;

static const expected table[] = {
    {TWO, SOT_TARGET_CLASSES, SOTTO_MODEL_LOGISTIC, "logistic", 0, 0, 0, 1.0, 0.25, true,
     true, 0x1p-20},
    {TWO, SOT_TARGET_CLASSES, SOTTO_MODEL_SVM, "smoothed-hinge", 0, 0, 0, 1.0, 1.0, true,
     false, 0x1p-20},
    {TWO, SOT_TARGET_CLASSES, SOTTO_MODEL_SVM, "smoothed-hinge", 0.125, 0, 0, 1.0, 4.0,
     true, false, 0x1p-20},
    {TWO, SOT_TARGET_CLASSES, SOTTO_MODEL_HINGE, "hinge", 0, 0, 0, 1.0, (double)INFINITY,
     true, false, 0x1p-10},
    {NUMBER, SOT_TARGET_NUMBER, SOTTO_MODEL_LINEAR, "squared", 0, 0, 0, 0.5, 1.0, false,
     false, 0x1p-20},
    {NUMBER, SOT_TARGET_NUMBER, SOTTO_MODEL_LINEAR, "squared", 0, 0, 0.25, 0.5, 1.0,
     false, false, 0x1p-20},
    {NUMBER, SOT_TARGET_NUMBER, SOTTO_MODEL_LINEAR, "squared", 0, 0.375, 10.0, 0.375, 1.0,
     false, false, 0x1p-20},
    {NUMBER, SOT_TARGET_NUMBER, SOTTO_MODEL_HUBER, "huber", 0, 0, 0, 0.25, 1.0, false,
     false, 0x1p-20},
    {NUMBER, SOT_TARGET_NUMBER, SOTTO_MODEL_HUBER, "huber", 0, 0.125, 0, 0.125, 1.0,
     false, false, 0x1p-20},
    {NUMBER, SOT_TARGET_COUNT, SOTTO_MODEL_POISSON, "poisson", 0, 0, 0, 12.0, 24.0, false,
     false, 0x1p-20},
    {NUMBER, SOT_TARGET_COUNT, SOTTO_MODEL_POISSON, "poisson", 0, 3.0, 0, 3.0, 15.0,
     false, false, 0x1p-20},
    {NUMBER, SOT_TARGET_COUNT, SOTTO_MODEL_POISSON, "poisson", 0, 0, 0.5,
     11.58313798032149, 23.58313798032149, false, false, 0x1p-20}, /* Y - exp(-R B) */
    {NUMBER, SOT_TARGET_NUMBER, SOTTO_MODEL_CUSTOM, "soft-distance", 0, 0, 0, 1.0, 2.0,
     false, false, 0x1p35 * (0x1p-50 + 2.0 * 0x1p-47)},
};
enum { TABLE = sizeof table / sizeof *table };

static void prepare(const expected *row, made *out)
{
    make(row->schema, row->role, row->model, out);
    if (row->width > 0.0) out->config.width = row->width;
    if (row->threshold > 0.0) out->config.threshold = row->threshold;
    if (row->radius > 0.0) out->config.radius = row->radius;
    if (row->model == SOTTO_MODEL_CUSTOM) out->config.loss = &soft;
}

static void the_facts_follow_from_schema_and_settings(void **state)
{
    (void)state;
    for (size_t i = 0; i < TABLE; i++) {
        const expected *row = &table[i];
        made with;
        prepare(row, &with);
        const double bound = sot_encoding_bound(with.encoding);
        sot_empirical *empirical;
        sotto_error error;
        assert_ok(sot_empirical_new(&with.setup, &empirical, &error), &error);
        const sot_empirical_facts *facts = &empirical->facts;
        assert_string_equal(facts->name, row->name);
        assert_int_equal(facts->outputs, 1);
        assert_int_equal(facts->dimension, 4);
        assert_int_equal(facts->rank, 1);
        assert_relative(facts->record_bound, row->slope * bound, 1e-9);
        assert_true(facts->record_bound >= row->slope * bound * (1.0 - 1e-9));
        assert_relative(facts->smoothness, row->curvature * bound * bound, 1e-9);
        assert_true(facts->trace == facts->smoothness);
        assert_true(facts->one_signed == row->one_signed);
        assert_true(facts->self_bounding == row->self_bounding);
        assert_relative(facts->tau, row->tau_share * facts->record_bound, 1e-9);
        sot_empirical_free(empirical);
        unmake(&with);
    }
}

/* Rows at the bound, wild thetas: no row is longer than the facts say, and some are as long. */
static void no_row_has_a_longer_gradient_than_the_facts_say(void **state)
{
    (void)state;
    const recipe from = {.rows = 1, .columns = 4, .filled = 1.0, .noise = 1.0, .seed = 8};
    for (size_t i = 0; i < TABLE; i++) {
        made with;
        prepare(&table[i], &with);
        sot_empirical *empirical;
        sotto_error error;
        assert_ok(sot_empirical_new(&with.setup, &empirical, &error), &error);
        const double most = empirical->facts.record_bound;
        const double spacing = ldexp(1.0, ilogb(most) - 18);
        sot_matrix m = make_matrix(&from);
        double longest = 0.0;
        uint64_t draw = 2;
        for (int k = 0; k < 300; k++) {
            double theta[4], squares = 0.0;
            int64_t units[4] = {0};
            const double label_most = sot_encoding_target_most(with.encoding);
            m.labels[0] = k % 2 == 0 ? label_most : -1.0;
            for (size_t j = 0; j < 4; j++) {
                const bool up = mixed(&draw) % 2 == 0;
                m.dense[j] = up ? 0.875f : -0.875f; /* |x| = R */
                theta[j] = 40.0 * uniform(&draw);
            }
            assert_ok(empirical->operations->add_gradient(empirical, &m, NULL, 1, theta,
                                                          spacing, NULL, units, &error),
                      &error);
            for (size_t j = 0; j < 4; j++)
                squares += (double)units[j] * (double)units[j];
            longest = fmax(longest, sqrt(squares) * spacing);
        }
        assert_within(longest, 0.999 * most, most * (1.0 + 0x1p-20));
        free_matrix(&m);
        sot_empirical_free(empirical);
        unmake(&with);
    }
}

/* Every model is solved to its own tau, with all terms, and the tape's noise undoes it. */
static void operations_are_those_of_the_problem(void **state)
{
    (void)state;
    const recipe from = {
        .rows = 90, .columns = 4, .filled = 1.0, .noise = 0.5, .seed = 18};
    const double center[4] = {0.5, -0.25, 0.0, 1.0};
    const double b[4] = {1.5, -0.75, 2.0, 0.125};
    for (size_t i = 0; i < TABLE; i++) {
        made with;
        prepare(&table[i], &with);
        sot_empirical *empirical;
        sotto_error error;
        assert_ok(sot_empirical_new(&with.setup, &empirical, &error), &error);
        sot_matrix m = make_matrix(&from);
        sot_empirical_terms terms = {
            .lambda = 2.75, .center = center, .l1 = 0.5, .l1_width = 0.125};
        double theta[4] = {0.0}, noise[4], determinant;
        const double tau = empirical->facts.tau;
        assert_ok(empirical->operations->solve(empirical, &m, &terms, b, tau, NULL, theta,
                                               &error),
                  &error);
        assert_ok(empirical->operations->noise_of(empirical, &m, &terms, theta, noise,
                                                  &determinant, &error),
                  &error);
        double squares = 0.0;
        for (size_t j = 0; j < 4; j++)
            squares += (noise[j] - b[j]) * (noise[j] - b[j]);
        if (!isinf(empirical->facts.smoothness))
            assert_within(sqrt(squares), 0.0, tau * (1.0 + 1e-6));
        assert_true(determinant >= 4.0 * log(2.75));
        terms.radius = 0.5;
        assert_ok(empirical->operations->solve(empirical, &m, &terms, b, tau, NULL, theta,
                                               &error),
                  &error);
        squares = 0.0;
        for (size_t j = 0; j < 4; j++)
            squares += theta[j] * theta[j];
        assert_within(sqrt(squares), 0.0, 0.5 * (1.0 + 0x1p-48));
        free_matrix(&m);
        sot_empirical_free(empirical);
        unmake(&with);
    }
}

static void refused(made *with, sotto_status status, const char *first,
                    const char *second)
{
    sot_empirical *empirical = NULL;
    sotto_error error;
    assert_refused(sot_empirical_new(&with->setup, &empirical, &error), status, &error,
                   first, second, NULL);
    assert_null(empirical);
}

static void settings_that_have_no_meaning_are_refused(void **state)
{
    (void)state;
    const double wrong[] = {0.0, -1.0, 0x1p21, 0x1p-21, (double)INFINITY};
    made with;
    make(TWO, SOT_TARGET_CLASSES, SOTTO_MODEL_LOGISTIC, &with);
    with.config.width = 0.25;
    refused(&with, SOTTO_INVALID_ARGUMENT, "width", "logistic");
    with.config.width = 0.5;
    with.config.threshold = 1.0;
    refused(&with, SOTTO_INVALID_ARGUMENT, "threshold", "logistic");
    with.config.threshold = SOTTO_UNSET;
    with.config.loss = &soft;
    refused(&with, SOTTO_INVALID_ARGUMENT, "loss", "logistic");
    with.config.loss = NULL;
    with.config.radius = -2.0;
    refused(&with, SOTTO_INVALID_ARGUMENT, "radius", "-2");
    with.config.radius = 1e-170; /* its square is 0: no projection would keep to it */
    refused(&with, SOTTO_INVALID_ARGUMENT, "radius", "1e-170");
    with.config.radius = SOTTO_UNSET;
    with.config.model = SOTTO_MODEL_SVM;
    for (size_t i = 0; i < 5; i++) {
        with.config.width = wrong[i];
        refused(&with, SOTTO_INVALID_ARGUMENT, "width", "between");
    }
    with.config.width = 0.5;
    with.config.model = SOTTO_MODEL_UNSET;
    refused(&with, SOTTO_INVALID_ARGUMENT, "model", "sotto_model_kind");
    unmake(&with);
    make(NUMBER, SOT_TARGET_NUMBER, SOTTO_MODEL_HUBER, &with);
    for (size_t i = 0; i < 5; i++) {
        with.config.threshold = wrong[i];
        refused(&with, SOTTO_INVALID_ARGUMENT, "threshold", "between");
    }
    with.config.threshold = SOTTO_UNSET;
    with.config.model = SOTTO_MODEL_CUSTOM;
    refused(&with, SOTTO_INVALID_ARGUMENT, "custom", "loss");
    unmake(&with);
}

static void targets_of_another_kind_are_refused(void **state)
{
    (void)state;
    made with;
    make(THREE, SOT_TARGET_CLASSES, SOTTO_MODEL_LOGISTIC, &with);
    refused(&with, SOTTO_UNSUPPORTED, "3 labels", "two");
    with.config.model = SOTTO_MODEL_LINEAR;
    refused(&with, SOTTO_UNSUPPORTED, "linear", "number");
    with.config.model = SOTTO_MODEL_POISSON;
    refused(&with, SOTTO_UNSUPPORTED, "poisson", "count");
    unmake(&with);
    make(NUMBER, SOT_TARGET_NUMBER, SOTTO_MODEL_SVM, &with);
    refused(&with, SOTTO_UNSUPPORTED, "svm", "two classes");
    with.config.model = SOTTO_MODEL_POISSON;
    refused(&with, SOTTO_UNSUPPORTED, "poisson", "count");
    unmake(&with);
}

static void want_of_memory_is_reported(void **state)
{
    (void)state;
    for (size_t i = 0; i < TABLE; i++) {
        made with;
        prepare(&table[i], &with);
        sotto_error error;
        sot_empirical *empirical = NULL;
        sotto_status status = SOTTO_OUT_OF_MEMORY;
        size_t nth = 0;
        while (status == SOTTO_OUT_OF_MEMORY) {
            (void)sot_test_fail_allocation(++nth);
            status = sot_empirical_new(&with.setup, &empirical, &error);
            (void)sot_test_fail_allocation(0);
            if (status != SOTTO_OK) assert_null(empirical);
        }
        assert_ok(status, &error);
        assert_int_equal(nth, 3);
        sot_empirical_free(empirical);
        unmake(&with);
    }
    sot_empirical_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_facts_follow_from_schema_and_settings),
        cmocka_unit_test(no_row_has_a_longer_gradient_than_the_facts_say),
        cmocka_unit_test(operations_are_those_of_the_problem),
        cmocka_unit_test(settings_that_have_no_meaning_are_refused),
        cmocka_unit_test(targets_of_another_kind_are_refused),
        cmocka_unit_test(want_of_memory_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
