/* Concepts of every class by every mechanism, on a few neighbours that pull hard: nothing shows but what was paid for.
 * slow_train_concepts.c tries all neighbours. And what a plan and a run of them say and refuse. */
#include "support.h"

#include <string.h>

#include "base/memory.h"
#include "concept_study.h"

static const sotto_method mechanisms[] = {
    SOTTO_METHOD_EXPONENTIAL, SOTTO_METHOD_PERMUTE_AND_FLIP, SOTTO_METHOD_LAPLACE};
enum { MECHANISMS = sizeof mechanisms / sizeof mechanisms[0] };

static void expect_no_leak(train_study *study)
{
    static const tape_row rows[] = {TAPE_HIGH, TAPE_MINUS_INFINITE, TAPE_NAN,
                                    TAPE_UNKNOWN_CATEGORY, TAPE_NO_ROW};
    const sotto_adjacency adjacency = study->config.adjacency;
    const tape_study tape = concept_tape_of(study);
    if (!study_releases(&tape))
        fail_msg("%s by %s releases nothing", study->config.concept,
                 sotto_method_name(study->config.method));
    tape_table *table = tape_table_new(tape.columns, tape.column_count, 9, 11);
    /* A list of all concepts takes longer, and is a list in every class. */
    const size_t tried = study->config.method == SOTTO_METHOD_EXPONENTIAL
                             ? sizeof rows / sizeof rows[0]
                             : 2;
    for (size_t i = 0; i < tried; i++) {
        tape_table *neighbour = tape_neighbour(table, adjacency, rows[i], 4);
        if (neighbour == NULL) continue;
        const char *leak = tape_check(&tape, table, neighbour);
        if (leak == NULL) leak = tape_check(&tape, neighbour, table);
        if (leak != NULL)
            fail_msg("%s by %s: %s", study->config.concept,
                     sotto_method_name(study->config.method), leak);
        tape_table_free(neighbour);
    }
    tape_table_free(table);
}

static void expect_of_all(sotto_adjacency adjacency)
{
    for (size_t i = 0; i < CONCEPT_CASES; i++) {
        for (size_t j = 0; j < MECHANISMS; j++) {
            if (!concept_cases[i].listed && mechanisms[j] != SOTTO_METHOD_EXPONENTIAL)
                continue;
            train_study study = concept_study_of(
                concept_config(concept_cases[i].class, mechanisms[j], adjacency));
            expect_no_leak(&study);
        }
    }
}

static void a_row_more_or_less_shows_nothing(void **state)
{
    (void)state;
    expect_of_all(SOTTO_ADD_REMOVE);
}

static void a_row_exchanged_shows_nothing(void **state)
{
    (void)state;
    expect_of_all(SOTTO_REPLACE_ONE);
}

/* Up to two rows of each person count: the scores move by as many. */
static void a_person_shows_nothing(void **state)
{
    (void)state;
    static const size_t some[] = {0, 4, 6};
    for (size_t i = 0; i < sizeof some / sizeof some[0]; i++) {
        train_study study = concept_study_of(
            concept_config(concept_cases[some[i]].class, SOTTO_METHOD_EXPONENTIAL,
                           i % 2 == 0 ? SOTTO_ADD_REMOVE : SOTTO_REPLACE_ONE));
        study.schema = concept_unit_schema;
        expect_no_leak(&study);
    }
}

/* No rows at all, and rows of one label: as any other. */
static void few_rows_and_one_label_show_nothing(void **state)
{
    (void)state;
    for (size_t i = 0; i < CONCEPT_CASES; i++) {
        train_study study = concept_study_of(concept_config(
            concept_cases[i].class, SOTTO_METHOD_EXPONENTIAL, SOTTO_ADD_REMOVE));
        const tape_study tape = concept_tape_of(&study);
        tape_table *none = tape_table_new(tape.columns, tape.column_count, 0, 3);
        tape_table *one = tape_neighbour(none, SOTTO_ADD_REMOVE, TAPE_ORDINARY, 0);
        int exit_code = -1;
        assert_true(tape_releases(&tape, none, &exit_code) > 0);
        assert_int_equal(exit_code, 0);
        assert_null(tape_check(&tape, none, one));
        assert_null(tape_check(&tape, one, none));
        tape_table_free(none);
        tape_table_free(one);
    }
}

static void the_order_of_rows_shows_nothing(void **state)
{
    (void)state;
    for (size_t i = 0; i < CONCEPT_CASES; i++) {
        train_study study = concept_study_of(concept_config(
            concept_cases[i].class, SOTTO_METHOD_EXPONENTIAL, SOTTO_REPLACE_ONE));
        const tape_study tape = concept_tape_of(&study);
        tape_table *table = tape_table_new(tape.columns, tape.column_count, 9, 5);
        const char *leak = tape_check_order(&tape, table);
        if (leak != NULL) fail_msg("%s: %s", study.config.concept, leak);
        tape_table_free(table);
    }
}

/* ---- plans ---- */

static sotto_status plan(const sotto_train_config *config, sotto_training **out,
                         sotto_error *error)
{
    sotto_schema *schema = NULL;
    *out = NULL;
    assert_ok(sotto_schema_parse("schema.json", concept_schema, strlen(concept_schema),
                                 &schema, error),
              error);
    const sotto_status status = sotto_training_plan(config, schema, out, error);
    sotto_training_free(*out);
    *out = NULL;
    sotto_schema_free(schema);
    return status;
}

static void expect_refused(const sotto_train_config *config, const char *part)
{
    sotto_error error = {0};
    sotto_training *training = NULL;
    assert_int_equal(plan(config, &training, &error), SOTTO_INVALID_ARGUMENT);
    if (strstr(error.message, part) == NULL)
        fail_msg("'%s' is not in: %s", part, error.message);
}

static void what_concepts_do_not_have_is_refused(void **state)
{
    (void)state;
    const sotto_train_config good = concept_config(
        concept_cases[0].class, SOTTO_METHOD_EXPONENTIAL, SOTTO_ADD_REMOVE);
    sotto_train_config config = good;
    config.concept = NULL;
    expect_refused(&config, "class of concepts to choose from");
    config = good;
    config.delta = 1e-6;
    expect_refused(&config, "leave `delta` out");
    config = good;
    config.method = SOTTO_METHOD_GD;
    expect_refused(&config, "`method` is gd");
    config = good;
    config.epsilon = 0.0;
    expect_refused(&config, "epsilon");
    config = good;
    config.model = SOTTO_MODEL_LOGISTIC;
    config.concept = NULL;
    expect_refused(&config, "chooses among concepts");
    config = good;
    config.model = SOTTO_MODEL_LOGISTIC;
    config.method = SOTTO_METHOD_OBJECTIVE;
    expect_refused(&config, "`concept`");
    config = good;
    config.prior = "model.json";
    expect_refused(&config, "prior");
    config = good;
    config.target = "town";
    expect_refused(&config, "3 labels");
}

/* ---- rows in memory ---- */

static const char pair_schema[] =
    "{\"target\": \"ill\", \"columns\": ["
    "{\"name\": \"age\", \"type\": \"integer\", \"lower\": 0, \"upper\": 9},"
    "{\"name\": \"ill\", \"type\": \"boolean\"}]}";

/* Yes from 4 on, and of one row in ten the contrary. */
enum { PAIRS = 400 };

static sotto_records make_pairs(double cells[2 * PAIRS])
{
    for (size_t i = 0; i < PAIRS; i++) {
        cells[2 * i] = (double)(i % 10);
        cells[2 * i + 1] = (i % 10 >= 4) != (i / 10 % 10 == 0) ? 1.0 : 0.0;
    }
    return (sotto_records){.features = {.data = cells,
                                        .element = SOTTO_FLOAT64,
                                        .rows = PAIRS,
                                        .columns = 2,
                                        .row_stride_bytes = 16,
                                        .column_stride_bytes = 8}};
}

static sotto_train_config pair_config(const char *class, sotto_method method)
{
    sotto_train_config config = concept_config(class, method, SOTTO_ADD_REMOVE);
    config.insecure_test = true;
    config.test_seed = 5;
    config.threads = 1;
    return config;
}

static sotto_schema *parse_pairs(void)
{
    sotto_error error;
    sotto_schema *schema = NULL;
    assert_ok(sotto_schema_parse("schema.json", pair_schema, strlen(pair_schema), &schema,
                                 &error),
              &error);
    return schema;
}

/* The next cut makes 32 errors more: it is drawn with probability e^-24 at most. */
static void the_right_rule_is_found_and_told(void **state)
{
    (void)state;
    static const char *const classes[] = {"thresholds", "stumps"};
    double cells[2 * PAIRS];
    const sotto_records records = make_pairs(cells);
    sotto_schema *schema = parse_pairs();
    for (size_t i = 0; i < sizeof classes / sizeof classes[0]; i++) {
        for (size_t j = 0; j < MECHANISMS; j++) {
            sotto_error error;
            sotto_train_result *result = NULL;
            const sotto_train_config config = pair_config(classes[i], mechanisms[j]);
            assert_ok(sotto_train_records(&config, schema, &records, &result, &error),
                      &error);
            if (strstr(sotto_train_text(result), "true: age >= 4\n") == NULL &&
                mechanisms[j] !=
                    SOTTO_METHOD_LAPLACE) /* whose noise is 20 times larger */
                fail_msg("%s by %s: %s", classes[i], sotto_method_name(mechanisms[j]),
                         sotto_train_text(result));
            assert_null(strstr(sotto_train_text(result), "accuracy"));
            sotto_train_free(result);
        }
    }
    sotto_schema_free(schema);
}

/* A class as a model file has it is a setting too: the same plan comes of it. */
static void a_written_class_is_the_same_class(void **state)
{
    (void)state;
    static const char written[] =
        "{\"class\": \"thresholds\", \"both\": false, \"features\": "
        "[{\"column\": \"age\", \"cells\": 10}]}";
    sotto_error error;
    sotto_training *one = NULL, *other = NULL;
    sotto_schema *schema = parse_pairs();
    sotto_train_config config = pair_config("thresholds", SOTTO_METHOD_AUTO);
    assert_ok(sotto_training_plan(&config, schema, &one, &error), &error);
    config.concept = written;
    assert_ok(sotto_training_plan(&config, schema, &other, &error), &error);
    assert_string_equal(sotto_training_json(one), sotto_training_json(other));
    sotto_training_free(one);
    sotto_training_free(other);
    sotto_schema_free(schema);
}

/* ---- memory ---- */

static void a_failed_allocation_is_reported(void **state)
{
    (void)state;
    double cells[2 * PAIRS];
    const sotto_records records = make_pairs(cells);
    sotto_schema *schema = parse_pairs();
    const sotto_train_config config = pair_config(
        "{\"class\": \"stumps\", \"cuts\": {\"age\": [2, 4]}}", SOTTO_METHOD_AUTO);
    size_t failures = 0;
    for (size_t nth = 1;; nth += 1 + nth / 60, failures++) {
        sotto_error error;
        sotto_train_result *result = NULL;
        (void)sot_test_fail_allocation(nth);
        const sotto_status status =
            sotto_train_records(&config, schema, &records, &result, &error);
        const bool reached = sot_test_fail_allocation(0) >= nth;
        if (status == SOTTO_OK) {
            sotto_train_free(result);
            assert_false(reached); /* none is made do without */
            break;
        }
        assert_int_equal(status, SOTTO_OUT_OF_MEMORY);
        assert_null(result);
    }
    assert_true(failures > 50);
    sotto_schema_free(schema);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_row_more_or_less_shows_nothing),
        cmocka_unit_test(a_row_exchanged_shows_nothing),
        cmocka_unit_test(a_person_shows_nothing),
        cmocka_unit_test(few_rows_and_one_label_show_nothing),
        cmocka_unit_test(the_order_of_rows_shows_nothing),
        cmocka_unit_test(what_concepts_do_not_have_is_refused),
        cmocka_unit_test(the_right_rule_is_found_and_told),
        cmocka_unit_test(a_written_class_is_the_same_class),
        cmocka_unit_test(a_failed_allocation_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
