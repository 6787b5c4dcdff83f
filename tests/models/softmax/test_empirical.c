/* Softmax regression behind methods/empirical.h: facts from the schema alone, operations that are
 * those of softmax.h, refusals. */
#include "softmax_problems.h"

#include "base/memory.h"

#define MATRIX                                                                           \
    "\"row_norm\": {\"bound\": 1.75, \"rule\": \"clip\"}, \"intercept\": 0, "            \
    "\"features\": 4"
#define THREE "{\"labels\": [3, 5, 9], " MATRIX "}"
#define TWO   "{\"labels\": [-1, 1], " MATRIX "}"

typedef struct made {
    sotto_schema *schema;
    sot_encoding *encoding;
    sotto_train_config config;
    sot_learner_setup setup;
} made;

static void make(const char *text, made *out)
{
    sotto_error error;
    assert_ok(sotto_schema_parse("test", text, strlen(text), &out->schema, &error),
              &error);
    assert_ok(
        sot_encoding_new(out->schema, NULL, SOT_TARGET_CLASSES, &out->encoding, &error),
        &error);
    out->config = sotto_train_defaults();
    out->config.model = SOTTO_MODEL_SOFTMAX;
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

static void the_facts_are_those_of_the_schema(void **state)
{
    (void)state;
    const char *const texts[] = {TWO, THREE};
    for (size_t i = 0; i < 2; i++) {
        made with;
        make(texts[i], &with);
        const double bound = sot_encoding_bound(with.encoding);
        const double classes = (double)(i + 2);
        sot_empirical *empirical;
        sotto_error error;
        assert_ok(sot_empirical_new(&with.setup, &empirical, &error), &error);
        const sot_empirical_facts *facts = &empirical->facts;
        assert_string_equal(facts->name, "softmax");
        assert_int_equal(facts->outputs, i + 2);
        assert_int_equal(facts->dimension, 4 * (i + 2));
        assert_int_equal(facts->rank, i + 1);
        assert_true(facts->record_bound * facts->record_bound >=
                    2.0 * bound * bound * (1.0 - 0x1p-52)); /* not rounded down */
        assert_relative(facts->record_bound, sqrt(2.0) * bound, 0x1p-50);
        assert_relative(facts->smoothness, 0.5 * bound * bound, 0x1p-50);
        assert_relative(facts->trace, (1.0 - 1.0 / classes) * bound * bound, 0x1p-50);
        assert_relative(facts->tau, 0x1p-20 * sqrt(2.0) * bound, 0x1p-50);
        assert_false(facts->one_signed);
        assert_int_equal(facts->self_bounding, classes == 2.0); /* the logistic loss */
        sot_empirical_free(empirical);
        unmake(&with);
    }
}

/* The facts against rows: no row's gradient is longer, and some are as long. */
static void no_row_has_a_longer_gradient_than_the_facts_say(void **state)
{
    (void)state;
    made with;
    make(THREE, &with);
    sot_empirical *empirical;
    sotto_error error;
    assert_ok(sot_empirical_new(&with.setup, &empirical, &error), &error);
    const recipe from = {.rows = 1, .columns = 4, .filled = 1.0, .noise = 1.0, .seed = 8};
    sot_matrix m = make_classes(&from, 3);
    double longest = 0.0;
    uint64_t draw = 2;
    for (int i = 0; i < 400; i++) {
        double theta[12], squares = 0.0;
        int64_t units[12] = {0};
        for (size_t j = 0; j < 4; j++)
            m.dense[j] =
                (float)(0.875 * (mixed(&draw) % 2 == 0 ? 1.0 : -1.0)); /* |x| = R */
        for (size_t k = 0; k < 12; k++)
            theta[k] = 40.0 * uniform(&draw);
        assert_ok(empirical->operations->add_gradient(empirical, &m, NULL, 1, theta,
                                                      0x1p-18, NULL, units, &error),
                  &error);
        for (size_t k = 0; k < 12; k++)
            squares += (double)units[k] * (double)units[k];
        longest = fmax(longest, sqrt(squares) * 0x1p-18);
    }
    assert_within(longest, 0.999 * empirical->facts.record_bound,
                  empirical->facts.record_bound * (1.0 + 0x1p-20));
    free_matrix(&m);
    sot_empirical_free(empirical);
    unmake(&with);
}

static void operations_are_those_of_the_problem(void **state)
{
    (void)state;
    enum { N = 12 };
    made with;
    make(THREE, &with);
    sot_empirical *empirical;
    sotto_error error;
    assert_ok(sot_empirical_new(&with.setup, &empirical, &error), &error);
    const recipe from = {
        .rows = 90, .columns = 4, .filled = 1.0, .noise = 0.5, .seed = 18};
    sot_matrix m = make_classes(&from, 3);
    double center[N], b[N];
    uint64_t draw = 12;
    for (size_t k = 0; k < N; k++) {
        center[k] = uniform(&draw);
        b[k] = 2.0 * uniform(&draw);
    }
    const sot_empirical_terms terms = {
        .lambda = 0.75, .center = center, .l1 = 0.5, .l1_width = 0.125, .radius = 1.25};
    const sot_softmax problem = {.matrix = &m,
                                 .classes = 3,
                                 .lambda = 0.75,
                                 .center = center,
                                 .l1 = 0.5,
                                 .l1_width = 0.125,
                                 .radius = 1.25,
                                 .linear = b};
    double theta[2][N] = {{0.0}}, noise[2][N], determinant[2];
    int64_t units[2][N] = {{0}};
    const uint32_t rows[] = {7, 3, 88};
    assert_ok(empirical->operations->solve(empirical, &m, &terms, b, 1e-7, NULL, theta[0],
                                           &error),
              &error);
    assert_ok(sot_softmax_solve(&problem, 1e-7, theta[1], &error), &error);
    assert_memory_equal(theta[0], theta[1], sizeof theta[0]);
    assert_ok(empirical->operations->noise_of(empirical, &m, &terms, theta[0], noise[0],
                                              &determinant[0], &error),
              &error);
    assert_ok(sot_softmax_noise_of(&problem, theta[0], noise[1], &determinant[1], &error),
              &error);
    assert_memory_equal(noise[0], noise[1], sizeof noise[0]);
    assert_true(determinant[0] == determinant[1]);
    assert_ok(empirical->operations->add_gradient(empirical, &m, rows, 3, theta[0],
                                                  0x1p-18, NULL, units[0], &error),
              &error);
    assert_ok(
        sot_softmax_add_units(&problem, rows, 3, theta[0], 0x1p-18, units[1], &error),
        &error);
    assert_memory_equal(units[0], units[1], sizeof units[0]);
    free_matrix(&m);
    sot_empirical_free(empirical);
    unmake(&with);
}

static void settings_of_other_models_are_refused(void **state)
{
    (void)state;
    made with;
    make(THREE, &with);
    sot_empirical *empirical = NULL;
    sotto_error error;
    const sotto_train_config plain = with.config;
    with.config.width = 0.25;
    assert_refused(sot_empirical_new(&with.setup, &empirical, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "width", "softmax", NULL);
    with.config = plain;
    with.config.threshold = 1.0;
    assert_refused(sot_empirical_new(&with.setup, &empirical, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "threshold", "softmax", NULL);
    with.config = plain;
    with.config.radius = -1.0;
    assert_refused(sot_empirical_new(&with.setup, &empirical, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "radius", "-1", NULL);
    with.config = plain;
    assert_null(empirical);
    for (size_t nth = 1; nth < 3; nth++) {
        (void)sot_test_fail_allocation(nth);
        const sotto_status status = sot_empirical_new(&with.setup, &empirical, &error);
        (void)sot_test_fail_allocation(0);
        assert_int_equal(status, nth == 1 ? SOTTO_OUT_OF_MEMORY : SOTTO_OK);
    }
    sot_empirical_free(empirical);
    unmake(&with);
}

static void a_number_is_no_label_set(void **state)
{
    (void)state;
    static const char text[] = "{\"target\": {\"lower\": 0, \"upper\": 4}, " MATRIX "}";
    made with = {.config = sotto_train_defaults()};
    sotto_error error;
    assert_ok(sotto_schema_parse("test", text, strlen(text), &with.schema, &error),
              &error);
    assert_ok(
        sot_encoding_new(with.schema, NULL, SOT_TARGET_NUMBER, &with.encoding, &error),
        &error);
    with.config.model = SOTTO_MODEL_SOFTMAX;
    with.setup = (sot_learner_setup){.config = &with.config, .encoding = with.encoding};
    sot_empirical *empirical = NULL;
    assert_refused(sot_softmax_empirical(&with.setup, &empirical, &error),
                   SOTTO_UNSUPPORTED, &error, "softmax", "label set", NULL);
    unmake(&with);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_facts_are_those_of_the_schema),
        cmocka_unit_test(no_row_has_a_longer_gradient_than_the_facts_say),
        cmocka_unit_test(operations_are_those_of_the_problem),
        cmocka_unit_test(settings_of_other_models_are_refused),
        cmocka_unit_test(a_number_is_no_label_set),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
