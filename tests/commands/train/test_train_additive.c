/* Additive trainings: what they plan, write and verify, and that nothing shows on neighbours but what was paid for. */
#include "support.h"

#include <sotto/json.h>
#include <sotto/model.h>
#include <sotto/verify.h>

#include "train_study.h"

/* Edges at 30 and at the upper bound, where the generators put rows. */
#define ADDITIVE_COLUMNS(target, unit)                                                   \
    "{\"dataset\": \"study-1\", " unit "\"target\": \"" target "\", \"columns\": ["      \
    "{\"name\": \"age\", \"type\": \"number\", \"lower\": 18, \"upper\": 90, "           \
    "\"bin_edges\": [30, 50, 90]},"                                                      \
    "{\"name\": \"town\", \"type\": \"category\", \"values\": [\"Lund\", \"Ystad\"]},"   \
    "{\"name\": \"person\", \"type\": \"id\"},"                                          \
    "{\"name\": \"smokes\", \"type\": \"category\", \"values\": [\"no\", \"yes\"]}]}"

static const char classes_schema[] = ADDITIVE_COLUMNS("smokes", "");
static const char numbers_schema[] = ADDITIVE_COLUMNS("age", "");
static const char unit_schema[] =
    ADDITIVE_COLUMNS("smokes", "\"unit\": {\"column\": \"person\", \"rows\": 2}, ");

/* An interaction, and an exclusive list of two booleans that the tables make true together as well. */
#define RELATED_COLUMNS(unit)                                                            \
    "{\"dataset\": \"study-1\", " unit "\"target\": \"smokes\", "                        \
    "\"interactions\": [[\"age\", \"town\"]], \"exclusive\": [[\"peat\", \"clay\"]], "   \
    "\"columns\": ["                                                                     \
    "{\"name\": \"age\", \"type\": \"number\", \"lower\": 18, \"upper\": 90, "           \
    "\"bin_edges\": [30, 50, 90]},"                                                      \
    "{\"name\": \"town\", \"type\": \"category\", \"values\": [\"Lund\", \"Ystad\"]},"   \
    "{\"name\": \"person\", \"type\": \"id\"},"                                          \
    "{\"name\": \"clay\", \"type\": \"boolean\"},"                                       \
    "{\"name\": \"peat\", \"type\": \"boolean\"},"                                       \
    "{\"name\": \"smokes\", \"type\": \"category\", \"values\": [\"no\", \"yes\"]}]}"

static const char related_schema[] = RELATED_COLUMNS("");
static const char related_unit_schema[] =
    RELATED_COLUMNS("\"unit\": {\"column\": \"person\", \"rows\": 2}, ");

static const char *const truths[] = {"false", "true", NULL};
static const tape_column related_columns[] = {
    {"age", 18.0, 90.0, NULL},          {"town", 0.0, 0.0, study_towns},
    {"person", 0.0, 0.0, study_people}, {"clay", 0.0, 0.0, truths},
    {"peat", 0.0, 0.0, truths},         {"smokes", 0.0, 0.0, study_answers}};

static sotto_train_config additive_config(sotto_method method, sotto_adjacency adjacency,
                                          sotto_basis basis)
{
    sotto_train_config config = study_config(method, adjacency, 1e-6);
    config.model = SOTTO_MODEL_ADDITIVE;
    config.basis = basis;
    config.bins = 4;
    return config;
}

/* ---- neighbours ---- */

static void expect_no_leak_on(const sotto_train_config *config, const char *schema,
                              const tape_column *columns, size_t count)
{
    train_study study = {.config = *config, .schema = schema};
    tape_study tape = study_of(&study);
    tape.columns = columns;
    tape.column_count = count;
    assert_true(study_releases(&tape));
    const char *leak = study_leak_of(&tape, config->adjacency, 5, 2);
    if (leak != NULL) fail_msg("%s", leak);
}

static void expect_no_leak(const sotto_train_config *config, const char *schema)
{
    expect_no_leak_on(config, schema, study_columns,
                      sizeof study_columns / sizeof study_columns[0]);
}

static void expect_no_leak_of_relations(sotto_method method, sotto_adjacency adjacency,
                                        const char *schema)
{
    const sotto_train_config config =
        additive_config(method, adjacency, SOTTO_BASIS_MIXED);
    expect_no_leak_on(&config, schema, related_columns,
                      sizeof related_columns / sizeof related_columns[0]);
}

static void interactions_and_exclusive_lists_show_nothing(void **state)
{
    (void)state;
    expect_no_leak_of_relations(SOTTO_METHOD_OBJECTIVE, SOTTO_ADD_REMOVE, related_schema);
    expect_no_leak_of_relations(SOTTO_METHOD_OBJECTIVE, SOTTO_REPLACE_ONE,
                                related_schema);
    expect_no_leak_of_relations(SOTTO_METHOD_GD, SOTTO_ADD_REMOVE, related_schema);
    expect_no_leak_of_relations(SOTTO_METHOD_OBJECTIVE, SOTTO_ADD_REMOVE,
                                related_unit_schema);
}

static void objective_shows_nothing(void **state)
{
    (void)state;
    const sotto_train_config config =
        additive_config(SOTTO_METHOD_OBJECTIVE, SOTTO_ADD_REMOVE, SOTTO_BASIS_BINS);
    expect_no_leak(&config, classes_schema);
}

static void an_exchanged_row_shows_nothing(void **state)
{
    (void)state;
    const sotto_train_config config =
        additive_config(SOTTO_METHOD_OBJECTIVE, SOTTO_REPLACE_ONE, SOTTO_BASIS_STEPS);
    expect_no_leak(&config, classes_schema);
}

static void numbers_show_nothing(void **state)
{
    (void)state;
    const sotto_train_config config =
        additive_config(SOTTO_METHOD_OBJECTIVE, SOTTO_ADD_REMOVE, SOTTO_BASIS_STEPS);
    expect_no_leak(&config, numbers_schema);
}

static void gradient_descent_shows_nothing(void **state)
{
    (void)state;
    const sotto_train_config config =
        additive_config(SOTTO_METHOD_GD, SOTTO_ADD_REMOVE, SOTTO_BASIS_BINS);
    expect_no_leak(&config, classes_schema);
}

static void units_show_nothing(void **state)
{
    (void)state;
    const sotto_train_config config =
        additive_config(SOTTO_METHOD_OBJECTIVE, SOTTO_ADD_REMOVE, SOTTO_BASIS_STEPS);
    expect_no_leak(&config, unit_schema);
}

/* ---- plans and files ---- */

static sotto_training *plan_of(const sotto_train_config *config, const char *schema,
                               sotto_schema **out_schema)
{
    sotto_error error;
    sotto_training *training = NULL;
    assert_ok(sotto_schema_parse("s", schema, strlen(schema), out_schema, &error),
              &error);
    assert_ok(sotto_training_plan(config, *out_schema, &training, &error), &error);
    return training;
}

/* R^2 of 4 bins of age, 2 of town and the constant: 1 + 1 + 1/2 for steps, 1 + 3/4 + 1/2 for indicators. */
static void the_plan_states_the_norm(void **state)
{
    (void)state;
    static const struct {
        sotto_basis basis;
        const char *text;
    } cases[] = {{SOTTO_BASIS_STEPS, "\"norm_bound\":1.58113"},
                 {SOTTO_BASIS_BINS, "\"norm_bound\":1.5,"}};
    for (size_t i = 0; i < 2; i++) {
        sotto_schema *schema = NULL;
        const sotto_train_config config =
            additive_config(SOTTO_METHOD_OBJECTIVE, SOTTO_ADD_REMOVE, cases[i].basis);
        sotto_training *training = plan_of(&config, classes_schema, &schema);
        assert_non_null(strstr(sotto_training_json(training), cases[i].text));
        sotto_training_free(training);
        sotto_schema_free(schema);
    }
}

/* 4 bins of age as steps, 2 of town, 3 of the exclusive list, 8 pairs, and the constant:
 * R^2 = 1 + 1/2 + 2/3 + 7/8 + 1 = 97/24. */
static void the_norm_counts_pairs_and_lists(void **state)
{
    (void)state;
    sotto_schema *schema = NULL;
    const sotto_train_config config =
        additive_config(SOTTO_METHOD_OBJECTIVE, SOTTO_ADD_REMOVE, SOTTO_BASIS_MIXED);
    sotto_training *training = plan_of(&config, related_schema, &schema);
    assert_non_null(strstr(sotto_training_json(training), "\"norm_bound\":2.01038"));
    sotto_training_free(training);
    sotto_schema_free(schema);
}

/* From 6000 rows times epsilon on, and for a number always, small integers have indicators. */
static void the_basis_follows_from_public_facts(void **state)
{
    (void)state;
    static const struct {
        uint64_t rows;
        const char *schema, *text;
    } cases[] = {{7999, classes_schema, "\"basis\":\"steps\""},
                 {8000, classes_schema, "\"basis\":\"mixed\""},
                 {0, classes_schema, "\"basis\":\"steps\""},
                 {0, numbers_schema, "\"basis\":\"mixed\""}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        sotto_schema *schema = NULL;
        sotto_train_config config =
            additive_config(SOTTO_METHOD_OBJECTIVE, SOTTO_ADD_REMOVE, SOTTO_BASIS_AUTO);
        config.expected_rows = cases[i].rows;
        sotto_training *training = plan_of(&config, cases[i].schema, &schema);
        assert_non_null(strstr(sotto_training_json(training), cases[i].text));
        sotto_training_free(training);
        sotto_schema_free(schema);
    }
}

/* Another number of expected rows is another public fact; the rows themselves are none. */
static void a_file_verifies_and_a_changed_one_does_not(void **state)
{
    (void)state;
    sotto_error error;
    sotto_schema *schema = NULL;
    sotto_train_result *result = NULL;
    const double cells[6][4] = {{20, 0, NAN, 0}, {30, 1, NAN, 1}, {55, 0, NAN, 1},
                                {90, 1, NAN, 1}, {40, 0, NAN, 0}, {NAN, NAN, NAN, NAN}};
    const sotto_records rows = {.features = {.data = cells,
                                             .element = SOTTO_FLOAT64,
                                             .rows = 6,
                                             .columns = 4,
                                             .row_stride_bytes = sizeof cells[0],
                                             .column_stride_bytes = sizeof(double)}};
    const sotto_verify_config verify = sotto_verify_defaults();
    const sotto_train_config config =
        additive_config(SOTTO_METHOD_OBJECTIVE, SOTTO_ADD_REMOVE, SOTTO_BASIS_STEPS);
    assert_ok(
        sotto_schema_parse("s", classes_schema, strlen(classes_schema), &schema, &error),
        &error);
    assert_ok(sotto_train_records(&config, schema, &rows, &result, &error), &error);
    const char *json = sotto_train_json(result);
    assert_ok(sotto_verify(json, strlen(json), &verify, NULL, &error), &error);
    static const char *const changes[][2] = {
        {"\"basis\": \"steps\"", "\"basis\": \"bins\" "},
        {"\"bins\": 4.0", "\"bins\": 5.0"},
        {"\"bin_edges\": [30.0, 50.0, 90.0]", "\"bin_edges\": [31.0, 50.0, 90.0]"},
    };
    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
        char *changed = strdup(json);
        assert_non_null(changed);
        char *place = strstr(changed, changes[i][0]);
        assert_non_null(place);
        memcpy(place, changes[i][1], strlen(changes[i][1]));
        assert_int_not_equal(
            sotto_verify(changed, strlen(changed), &verify, NULL, &error), SOTTO_OK);
        free(changed);
    }
    sotto_train_free(result);
    sotto_schema_free(schema);
}

/* ---- refusals ---- */

static void assert_plan_refused(const sotto_train_config *config, const char *text,
                                const char *word, const char *remedy)
{
    sotto_error error;
    sotto_schema *schema = NULL;
    sotto_training *training = NULL;
    assert_ok(sotto_schema_parse("s", text, strlen(text), &schema, &error), &error);
    assert_refused(sotto_training_plan(config, schema, &training, &error),
                   SOTTO_INVALID_ARGUMENT, &error, word, remedy, NULL);
    sotto_schema_free(schema);
}

static void settings_that_do_not_fit_are_refused(void **state)
{
    (void)state;
    sotto_train_config config =
        additive_config(SOTTO_METHOD_OBJECTIVE, SOTTO_ADD_REMOVE, SOTTO_BASIS_STEPS);
    config.bins = 1;
    assert_plan_refused(&config, classes_schema, "`bins` is 1", "bins=32");
    config.bins = 1025;
    assert_plan_refused(&config, classes_schema, "`bins` is 1025", "1024");
    config.bins = 4;
    config.threshold = 0.5;
    assert_plan_refused(&config, classes_schema, "`threshold`", "leave it out");
    config.threshold = SOTTO_UNSET;
    config.model = SOTTO_MODEL_LOGISTIC;
    assert_plan_refused(&config, classes_schema, "`basis`", "logistic");
    config.basis = SOTTO_BASIS_AUTO;
    assert_plan_refused(&config, classes_schema, "`bins`", "logistic");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(objective_shows_nothing),
        cmocka_unit_test(an_exchanged_row_shows_nothing),
        cmocka_unit_test(numbers_show_nothing),
        cmocka_unit_test(gradient_descent_shows_nothing),
        cmocka_unit_test(units_show_nothing),
        cmocka_unit_test(interactions_and_exclusive_lists_show_nothing),
        cmocka_unit_test(the_norm_counts_pairs_and_lists),
        cmocka_unit_test(the_basis_follows_from_public_facts),
        cmocka_unit_test(the_plan_states_the_norm),
        cmocka_unit_test(a_file_verifies_and_a_changed_one_does_not),
        cmocka_unit_test(settings_that_do_not_fit_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
