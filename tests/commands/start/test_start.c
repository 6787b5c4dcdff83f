/* Proposals for a new data set. */
#include "data/schemas.h"

#include <math.h>

#include <sotto/json.h>
#include <sotto/start.h>

#include "base/memory.h"
#include "commands/start/parts.h"

typedef struct answer {
    char *schema, *json, *text;
    sotto_json *facts;
} answer;

static answer propose(const sotto_start_config *config)
{
    sotto_error error;
    answer got = {NULL, NULL, NULL, NULL};
    assert_ok(sotto_start_propose(config, &got.schema, &got.json, &got.text, &error),
              &error);
    assert_ok(sotto_json_parse("facts", got.json, strlen(got.json), &got.facts, &error),
              &error);
    return got;
}

static void forget(answer *got)
{
    sotto_free(got->schema);
    sotto_free(got->json);
    sotto_free(got->text);
    sotto_json_free(got->facts);
}

static const sotto_json_value *fact(const answer *got, const char *name)
{
    return sotto_json_member(sotto_json_root(got->facts), name);
}

static double number(const answer *got, const char *object, const char *name)
{
    return sotto_json_as_number(sotto_json_member(fact(got, object), name));
}

static const char header[] = "patient_id,age,town,is_ill\n";

/* A record more, a record less, a changed one, one that no reader can parse: the same bytes. */
static void rows_decide_nothing(void **state)
{
    (void)state;
    static const char *const rows[] = {"", "p1,77,Lund,1\n",
                                       "p1,77,Lund,1\np2,9,Ystad,0\n",
                                       "\"open,,,,,,,,\n\n\xff\xfe\x01", "1,2,3,4\n"};
    answer first = {NULL, NULL, NULL, NULL};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[256];
        sotto_start_config config = sotto_start_defaults();
        (void)snprintf(text, sizeof text, "%s%s", header, rows[i]);
        config.draft.path = write_file("start.csv", text);
        config.draft.target = "is_ill";
        answer got = propose(&config);
        if (i == 0) {
            first = got;
            continue;
        }
        assert_string_equal(got.schema, first.schema);
        assert_string_equal(got.json, first.json);
        assert_string_equal(got.text, first.text);
        forget(&got);
    }
    forget(&first);
}

static void rows_that_are_declared_public_are_read(void **state)
{
    (void)state;
    sotto_start_config config = sotto_start_defaults();
    config.draft.path =
        write_file("start.csv", "age,town,ill\n17,Lund,yes\n63,Ystad,no\n");
    config.draft.header_only = false;
    config.draft.target = "ill";
    answer got = propose(&config);
    assert_non_null(strstr(got.schema, "Ystad"));
    assert_null(strstr(got.schema, "null"));
    assert_true(sotto_json_as_number(fact(&got, "to_fill_in")) == 0.0);
    sotto_schema *schema = NULL;
    sotto_error error;
    assert_ok(sotto_schema_parse("s", got.schema, strlen(got.schema), &schema, &error),
              &error);
    sotto_schema_free(schema);
    forget(&got);
}

/* Comments are read and not kept: the canonical schema is that without them. */
static void comments_are_part_of_no_schema(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "{'unit': {'column': 'p', 'rows': 2, 'about': 'cap'}, 'row_norm': {'bound': 1, "
        "'rule': 'clip', 'about': 'norm'}, 'target': {'column': 'y', 'about': "
        "'classes'}, "
        "'columns': [{'name': 'p', 'type': 'id', 'about': 'who'}, {'name': 'x', 'type': "
        "'number', 'lower': 0, 'upper': 1, 'about': 'dose'}, {'name': 'y', 'type': "
        "'boolean', 'about': 'ill'}]}",
        "{'unit': {'column': 'p', 'rows': 2}, 'row_norm': {'bound': 1, 'rule': 'clip'}, "
        "'target': {'column': 'y'}, 'columns': [{'name': 'p', 'type': 'id'}, {'name': "
        "'x', "
        "'type': 'number', 'lower': 0, 'upper': 1}, {'name': 'y', 'type': 'boolean'}]}"};
    char *json[2];
    sotto_error error;
    for (size_t i = 0; i < 2; i++) {
        sotto_schema *schema = schema_of(texts[i]);
        assert_ok(sotto_schema_to_json(schema, NULL, &json[i], &error), &error);
        sotto_schema_free(schema);
    }
    assert_string_equal(json[0], json[1]);
    sotto_free(json[0]);
    sotto_free(json[1]);
    static const char wrong[] = "{\"columns\": [{\"name\": \"x\", \"type\": \"boolean\", "
                                "\"about\": 7}]}";
    sotto_schema *schema = NULL;
    assert_refused(sotto_schema_parse("s", wrong, strlen(wrong), &schema, &error),
                   SOTTO_PARSE, &error, "about", NULL);
}

static void the_unit_follows_from_one_name_of_a_person(void **state)
{
    (void)state;
    static const struct {
        const char *header, *stated, *unit;
    } cases[] = {
        {"patient_id,age\n", NULL, "patient_id"},
        {"PersonID,age\n", NULL, "PersonID"},
        {"customer,user_id,age\n", NULL, NULL}, /* which of the two is for people to say */
        {"order_id,age\n", NULL, NULL},
        {"id,age\n", NULL, NULL},
        {"patient_id,age\n", "", NULL},
        {"patient_id,clerk\n", "clerk", "clerk"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        sotto_start_config config = sotto_start_defaults();
        config.draft.path = write_file("start.csv", cases[i].header);
        config.draft.unit = cases[i].stated;
        answer got = propose(&config);
        const char *unit =
            sotto_json_as_text(sotto_json_member(fact(&got, "unit"), "column"));
        if (cases[i].unit == NULL) {
            assert_null(unit);
        } else {
            assert_string_equal(unit, cases[i].unit);
            assert_non_null(strstr(got.schema, "\"rows\": 1,"));
        }
        forget(&got);
    }
}

static void delta_is_far_below_one_over_rows(void **state)
{
    (void)state;
    static const struct {
        uint64_t rows;
        double delta;
    } cases[] = {{0, 1e-9},     {1, 1e-6},        {1000, 1e-6},       {1001, 1e-7},
                 {20000, 1e-9}, {1000000, 1e-12}, {4294967296, 1e-12}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        sotto_start_config config = sotto_start_defaults();
        config.draft.path = write_file("start.csv", header);
        config.expected_rows = cases[i].rows;
        answer got = propose(&config);
        assert_true(number(&got, "budget", "delta") == cases[i].delta);
        assert_true(number(&got, "budget", "epsilon") == 1.0);
        assert_true(number(&got, "first_run", "epsilon") == 0.5);
        assert_true(number(&got, "first_run", "delta") == cases[i].delta / 2.0);
        forget(&got);
    }
}

/* Kairouz, Oh & Viswanath 2015, Thm 2.1, in long double: never below, and within a part in 10^12. */
static void the_attack_table_is_an_upper_bound(void **state)
{
    (void)state;
    sotto_start_config config = sotto_start_defaults();
    config.draft.path = write_file("start.csv", header);
    config.epsilon = 1.375;
    config.delta = 3e-7;
    answer got = propose(&config);
    const sotto_json_value *table = fact(&got, "attack");
    bool own = false;
    assert_int_equal(sotto_json_size(table), 7 * SOT_START_RATES);
    for (size_t i = 0; i < sotto_json_size(table); i++) {
        const sotto_json_value *row = sotto_json_item(table, i);
        const long double epsilon =
            sotto_json_as_number(sotto_json_member(row, "epsilon"));
        const long double rate =
            sotto_json_as_number(sotto_json_member(row, "false_positive_rate"));
        const double shown =
            sotto_json_as_number(sotto_json_member(row, "true_positive_rate_upper"));
        const long double exact = fminl(expl(epsilon) * rate + 3e-7L,
                                        1.0L - expl(-epsilon) * (1.0L - 3e-7L - rate));
        assert_true(shown >= exact && shown <= exact * (1.0L + 1e-12L));
        own = own || epsilon == 1.375L;
    }
    assert_true(own);
    forget(&got);
}

static void wrong_settings_are_refused(void **state)
{
    (void)state;
    sotto_error error;
    char *json = NULL;
    sotto_start_config config = sotto_start_defaults();
    assert_refused(sotto_start_propose(&config, NULL, &json, NULL, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "`data` is missing", NULL);
    config.draft.path = "/dev/null";
    assert_refused(sotto_start_propose(&config, NULL, &json, NULL, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "regular file", NULL);
    config.draft.path = write_file("start.csv", header);
    config.epsilon = -1.0;
    assert_refused(sotto_start_propose(&config, NULL, &json, NULL, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "`epsilon` is -1", NULL);
    config.epsilon = 1.0;
    config.delta = 1.0;
    assert_refused(sotto_start_propose(&config, NULL, &json, NULL, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "`delta` is 1", NULL);
    config.delta = 0.0;
    config.draft.unit_rows = 1000001;
    assert_refused(sotto_start_propose(&config, NULL, &json, NULL, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "`unit_rows` is 1000001", NULL);
    config.draft.unit_rows = 1;
    config.draft.unit = "age";
    config.draft.integers = "age";
    assert_refused(sotto_start_propose(&config, NULL, &json, NULL, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "`unit`", "integer", NULL);
    assert_null(json);
}

static void running_out_of_memory_leaves_nothing(void **state)
{
    (void)state;
    sotto_start_config config = sotto_start_defaults();
    config.draft.path = write_file("start.csv", header);
    config.draft.target = "is_ill";
    sotto_status status = SOTTO_OUT_OF_MEMORY;
    size_t nth = 1;
    for (; status != SOTTO_OK; nth++) {
        sotto_error error;
        answer got = {NULL, NULL, NULL, NULL};
        (void)sot_test_fail_allocation(nth);
        status = sotto_start_propose(&config, &got.schema, &got.json, &got.text, &error);
        (void)sot_test_fail_allocation(0);
        if (status != SOTTO_OK) {
            assert_int_equal(status, SOTTO_OUT_OF_MEMORY);
            assert_true(got.schema == NULL && got.json == NULL && got.text == NULL);
        }
        forget(&got);
    }
    assert_true(nth > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_decide_nothing),
        cmocka_unit_test(rows_that_are_declared_public_are_read),
        cmocka_unit_test(comments_are_part_of_no_schema),
        cmocka_unit_test(the_unit_follows_from_one_name_of_a_person),
        cmocka_unit_test(delta_is_far_below_one_over_rows),
        cmocka_unit_test(the_attack_table_is_an_upper_bound),
        cmocka_unit_test(wrong_settings_are_refused),
        cmocka_unit_test(running_out_of_memory_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
