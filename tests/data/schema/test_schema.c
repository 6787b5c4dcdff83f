/* The schema: what it says, what it refuses, and that it survives being written out again. */
#include "data/schemas.h"

#include "base/memory.h"

static sotto_status parse(const char *text, sotto_schema **out_schema, sotto_error *error)
{
    char *json = json_of(text);
    const sotto_status status =
        sotto_schema_parse("s.json", json, strlen(json), out_schema, error);
    free(json);
    return status;
}

static char *written(const sotto_schema *schema, const char *target)
{
    sotto_error error;
    char *text;
    assert_ok(sotto_schema_to_json(schema, target, &text, &error), &error);
    return text;
}

#define COLUMNS                                                                          \
    "{'name': 'person', 'type': 'id'},"                                                  \
    "{'name': 'note', 'type': 'ignore'},"                                                \
    "{'name': 'age', 'type': 'number', 'lower': 18, 'upper': 90.5, 'missing': 45},"      \
    "{'name': 'visits', 'type': 'integer', 'lower': -3, 'upper': 12, 'scale': 'unit'},"  \
    "{'name': 'dose', 'type': 'number', 'lower': 0, 'upper': 8, 'scale': 'none'},"       \
    "{'name': 'weight', 'type': 'number', 'lower': 40, 'upper': 200,"                    \
    " 'scale': {'center': 75, 'width': 20.5}},"                                          \
    "{'name': 'town', 'type': 'category', 'values': ['Lund', 'Ystad', 'Kivik'],"         \
    " 'missing': 'Ystad'},"                                                              \
    "{'name': 'smokes', 'type': 'boolean', 'missing': true},"                            \
    "{'name': 'left', 'type': 'boolean', 'scale': 'symmetric'},"                         \
    "{'name': 'income', 'type': 'number'}"

static const char table[] =
    "{'dataset': 'test-1', 'ledger': 'a.ledger', 'unit': {'column': 'person', 'rows': 3},"
    "'target': 'smokes', 'row_norm': {'bound': 2.5, 'rule': 'scale'}, 'intercept': 0.75,"
    "'columns': [" COLUMNS "]}";

static const char matrix[] = "{'dataset': 'm-1', 'features': 105, 'labels': [-1, 1],"
                             " 'row_norm': {'bound': 1.5, 'rule': 'scale'}}";

static void assert_scale(const sotto_schema *schema, const char *name,
                         sotto_scaling scaling, double center, double width)
{
    sotto_error error;
    size_t index;
    assert_ok(sotto_schema_find(schema, name, &index, &error), &error);
    const sotto_column *column = sotto_schema_column(schema, index);
    assert_int_equal(column->scaling, scaling);
    assert_true(column->center == center && column->width == width);
}

static void a_table_says_how_its_cells_become_features(void **state)
{
    (void)state;
    sotto_schema *schema = schema_of(table);
    assert_false(sotto_schema_is_matrix(schema));
    assert_int_equal(sotto_schema_features(schema), 0);
    assert_scale(schema, "age", SOTTO_SCALE_SYMMETRIC, 54.25, 36.25);
    assert_scale(schema, "visits", SOTTO_SCALE_UNIT, -3.0, 15.0);
    assert_scale(schema, "dose", SOTTO_SCALE_NONE, 0.0, 1.0);
    assert_scale(schema, "weight", SOTTO_SCALE_AFFINE, 75.0, 20.5);
    assert_scale(schema, "town", SOTTO_SCALE_NONE, 0.0, 1.0);
    assert_scale(schema, "smokes", SOTTO_SCALE_UNIT, 0.0, 1.0);
    assert_scale(schema, "left", SOTTO_SCALE_SYMMETRIC, 0.5, 0.5);
    const sotto_row_norm norm = sotto_schema_row_norm(schema);
    assert_true(norm.given && norm.bound == 2.5 && norm.rule == SOTTO_NORM_SCALE);
    assert_true(sotto_schema_intercept(schema) == 0.75);
    sotto_schema_free(schema);
}

static void a_table_needs_nothing_but_columns(void **state)
{
    (void)state;
    sotto_schema *schema = schema_of("{'columns': [" COLUMNS "]}");
    const sotto_row_norm norm = sotto_schema_row_norm(schema);
    assert_null(sotto_schema_target(schema));
    assert_false(norm.given);
    assert_int_equal(norm.rule, SOTTO_NORM_CLIP);
    assert_true(sotto_schema_intercept(schema) == 1.0);
    sotto_schema_free(schema);
}

static void a_matrix_has_features_and_labels(void **state)
{
    (void)state;
    sotto_schema *schema = schema_of(matrix);
    const sotto_target *target = sotto_schema_target(schema);
    assert_true(sotto_schema_is_matrix(schema));
    assert_int_equal(sotto_schema_features(schema), 105);
    assert_int_equal(sotto_schema_size(schema), 0);
    assert_null(target->column);
    assert_int_equal(target->label_count, 2);
    assert_string_equal(target->labels[0], "-1");
    assert_string_equal(target->labels[1], "1");
    assert_true(target->codes[0] == -1.0 && target->codes[1] == 1.0);
    assert_int_equal(target->missing, 0);
    assert_true(sotto_schema_intercept(schema) == 0.0);
    assert_true(sotto_schema_row_norm(schema).bound == 1.5);
    sotto_schema_free(schema);
    schema = schema_of("{'features': 2, 'labels': [2.5, -0.0, 3], 'default_label': 0,"
                       " 'row_norm': {'bound': 1}, 'intercept': 0.5}");
    assert_int_equal(sotto_schema_target(schema)->missing, 1);
    assert_string_equal(sotto_schema_target(schema)->labels[0], "2.5");
    assert_string_equal(sotto_schema_target(schema)->labels[1], "0");
    assert_int_equal(sotto_schema_row_norm(schema).rule, SOTTO_NORM_CLIP);
    assert_true(sotto_schema_intercept(schema) == 0.5);
    sotto_schema_free(schema);
}

/* labels: joined by |, the label of a missing cell last, after a ! */
static void assert_labels(const char *target, const char *labels)
{
    char text[2048];
    (void)snprintf(text, sizeof text, "{'target': %s, 'columns': [%s]}", target, COLUMNS);
    sotto_schema *schema = schema_of(text);
    const sotto_target *found = sotto_schema_target(schema);
    char shown[256] = "";
    for (size_t i = 0; i < found->label_count; i++) {
        strcat(shown, found->labels[i]);
        strcat(shown, i + 1 < found->label_count ? "|" : "!");
    }
    if (found->label_count > 0) strcat(shown, found->labels[found->missing]);
    assert_string_equal(shown, labels);
    sotto_schema_free(schema);
}

static void the_label_set_comes_from_the_schema(void **state)
{
    (void)state;
    assert_labels("'smokes'", "false|true!true");
    assert_labels("{'column': 'smokes'}", "false|true!true");
    assert_labels("{'column': 'left', 'labels': ['right', 'left']}", "right|left!right");
    assert_labels("'town'", "Lund|Ystad|Kivik!Ystad");
    assert_labels("{'column': 'town', 'labels': ['Kivik', 'Lund']}", "Kivik|Lund!Kivik");
    assert_labels("{'column': 'town', 'labels': ['Kivik', 'Ystad']}",
                  "Kivik|Ystad!Ystad");
    assert_labels("{'column': 'town', 'default': 'Kivik'}", "Lund|Ystad|Kivik!Kivik");
    assert_labels("{'column': 'visits', 'labels': [-1, 2, 12]}", "-1|2|12!-1");
    assert_labels("{'column': 'dose', 'labels': [0, 2.5], 'default': 2.5}", "0|2.5!2.5");
    assert_labels("'age'", "");
    assert_labels("{'column': 'age', 'above': 40}", "<=40|>40!>40");
    assert_labels("{'column': 'age', 'above': 45.5, 'labels': ['young', 'old']}",
                  "young|old!young");
    assert_labels("{'column': 'income', 'above': 0}", "<=0|>0!<=0");
}

static void assert_refusal(const char *text, const char *first, const char *second)
{
    sotto_error error;
    sotto_schema *schema;
    assert_refused(parse(text, &schema, &error), SOTTO_PARSE, &error, "s.json", first,
                   second, NULL);
}

static void assert_target_refusal(const char *target, const char *first,
                                  const char *second)
{
    char text[2048];
    (void)snprintf(text, sizeof text, "{'target': %s, 'columns': [%s]}", target, COLUMNS);
    assert_refusal(text, first, second);
}

static void a_wrong_target_is_told_what_to_give(void **state)
{
    (void)state;
    assert_target_refusal("'twon'", "target is \"twon\"", "did you mean 'town'?");
    assert_target_refusal("'zzz'", "name a column of the schema", "zzz");
    assert_target_refusal("'note'", "note", "number, integer, category or boolean");
    assert_target_refusal("'person'", "person", "number, integer, category or boolean");
    assert_target_refusal("7", "target is 7", "the name of a column");
    assert_target_refusal("{'labels': ['a', 'b']}", "target", "name the target's column");
    assert_target_refusal("{'column': 'town', 'classes': 2}", "classes", "target");
    assert_target_refusal("{'column': 'town', 'labels': ['Lund']}", "labels",
                          "between 2 and 1000");
    assert_target_refusal("{'column': 'town', 'labels': ['Lund', 'Malmo']}", "Malmo",
                          "a value of the column");
    assert_target_refusal("{'column': 'town', 'labels': ['Lund', 'Lund']}", "labels",
                          "each label once");
    assert_target_refusal("{'column': 'town', 'default': 'Malmo'}", "Malmo",
                          "one of the labels");
    assert_target_refusal("{'column': 'town', 'above': 1}", "above",
                          "only a number has a threshold");
    assert_target_refusal("{'column': 'smokes', 'labels': ['a', 'b', 'c']}", "labels",
                          "two labels, the positive one second");
    assert_target_refusal("{'column': 'smokes', 'default': 'true'}", "default",
                          "missing");
    assert_target_refusal("{'column': 'visits', 'labels': [0, 13]}", "labels[1]",
                          "bounds");
    assert_target_refusal("{'column': 'visits', 'labels': [0, 1.5]}", "labels[1]",
                          "type");
    assert_target_refusal("{'column': 'visits', 'labels': [2, 2.0]}", "labels",
                          "each label once");
    assert_target_refusal("{'column': 'visits', 'labels': ['no', 'yes']}", "labels[0]",
                          "number");
    assert_target_refusal("{'column': 'age', 'above': 90.5}", "above", "below upper");
    assert_target_refusal("{'column': 'age', 'above': 17}", "above", "bounds");
    assert_target_refusal("{'column': 'age', 'above': 40, 'default': '>40'}", "default",
                          "missing");
}

static void a_wrong_matrix_is_told_what_to_give(void **state)
{
    (void)state;
#define NORM "'row_norm': {'bound': 1.0, 'rule': 'scale'}"
    assert_refusal("{'features': 0, 'labels': [0, 1], " NORM "}", "features is 0",
                   "between 1 and 16777216");
    assert_refusal("{'features': 2.5, 'labels': [0, 1], " NORM "}", "features",
                   "whole number");
    assert_refusal("{'features': 3, " NORM "}", "labels", "");
    assert_refusal("{'features': 3, 'labels': [1], " NORM "}", "labels", "between 2");
    assert_refusal("{'features': 3, 'labels': ['a', 'b'], " NORM "}", "labels[0]",
                   "number");
    assert_refusal("{'features': 3, 'labels': [1, 1e0], " NORM "}", "labels",
                   "each label once");
    assert_refusal("{'features': 3, 'labels': [0, 1], 'default_label': 2, " NORM "}",
                   "default_label is 2", "one of the labels");
    assert_refusal("{'features': 3, 'labels': [0, 1]}", "row_norm", "scale");
    assert_refusal("{'features': 3, 'labels': [0, 1], " NORM
                   ", 'columns': [{'name': 'a', 'type': 'number'}]}",
                   "columns", "not both");
    assert_refusal("{'features': 3, 'labels': [0, 1], 'target': 'a', " NORM "}", "labels",
                   "not both");
    assert_refusal("{'features': 3, 'labels': [0, 1], 'unit': {}, " NORM "}", "unit",
                   "leave it out");
    assert_refusal("{'columns': [" COLUMNS "], 'labels': [0, 1]}", "labels", "target");
#undef NORM
}

static void a_wrong_norm_is_told_what_to_give(void **state)
{
    (void)state;
#define REST ", 'columns': [" COLUMNS "]}"
    assert_refusal("{'row_norm': 1.0" REST, "row_norm is 1.0", "{\"bound\": 1.0");
    assert_refusal("{'row_norm': {'rule': 'clip'}" REST, "bound", "");
    assert_refusal("{'row_norm': {'bound': 0}" REST, "bound is 0", "between");
    assert_refusal("{'row_norm': {'bound': -1}" REST, "bound is -1", "between");
    assert_refusal("{'row_norm': {'bound': 1, 'rule': 'normalise'}" REST, "normalise",
                   "clip");
    assert_refusal("{'row_norm': {'bound': 1, 'rul': 'clip'}" REST, "rul", "rule");
    assert_refusal("{'intercept': -1" REST, "intercept is -1", "0 for none");
    assert_refusal("{'intercept': true" REST, "intercept is true", "0 for none");
#undef REST
#define COLUMN(scale)                                                                    \
    "{'columns': [{'name': 'a', 'type': 'number', 'lower': 0, 'upper': 4, "              \
    "'scale': " scale "}]}"
    assert_refusal(COLUMN("'standard'"), "standard", "symmetric");
    assert_refusal(COLUMN("'affine'"), "affine", "symmetric");
    assert_refusal(COLUMN("3"), "scale is 3", "symmetric");
    assert_refusal(COLUMN("{'center': 1}"), "width", "");
    assert_refusal(COLUMN("{'center': 1, 'width': 0}"), "scale", "positive width");
    assert_refusal(COLUMN("{'center': 1, 'width': -2}"), "scale", "positive width");
    assert_refusal(COLUMN("{'center': 1, 'width': 1e-16}"), "scale", "positive width");
    assert_refusal(COLUMN("{'centre': 1, 'width': 2}"), "centre", "center");
#undef COLUMN
    assert_refusal("{'columns': [{'name': 'a', 'type': 'number', 'scale': 'unit'}]}",
                   "scale", "lower and upper");
    assert_refusal("{'columns': [{'name': 'a', 'type': 'category', 'values': ['x'],"
                   " 'scale': 'unit'}]}",
                   "scale", "columns[0]");
    assert_refusal("{'dataset': 'x'}", "\"columns\"", "\"features\"");
}

static void the_written_form_reads_back_as_the_same_schema(void **state)
{
    (void)state;
    static const char *const targets[] = {NULL, "town", "visits", "smokes", "age"};
    for (size_t i = 0; i < sizeof targets / sizeof targets[0]; i++) {
        sotto_error error;
        sotto_schema *schema = schema_of(table);
        char *text = written(schema, targets[i]);
        assert_null(strstr(text, "ledger"));
        sotto_schema *again;
        assert_ok(sotto_schema_parse("again", text, strlen(text), &again, &error),
                  &error);
        char *twice = written(again, NULL);
        assert_string_equal(text, twice);
        assert_string_equal(sotto_schema_target(again)->column,
                            targets[i] == NULL ? "smokes" : targets[i]);
        assert_int_equal(sotto_schema_unit_rows(again), 3);
        assert_string_equal(sotto_schema_dataset(again), "test-1");
        sotto_free(twice);
        sotto_schema_free(again);
        sotto_free(text);
        sotto_schema_free(schema);
    }
}

/* Thousands of values are no list of labels, but a target all the same; so is a single one. */
static void a_category_of_any_size_is_written(void **state)
{
    (void)state;
    static const size_t sizes[] = {1, 2, 1000, 1001, 3000};
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
        sotto_error error;
        char *text = malloc(256 + 16 * sizes[k]);
        assert_non_null(text);
        char *at = text + sprintf(text,
                                  "{'target': {'column': 'c', 'default': 'v%zu'}, "
                                  "'columns': [{'name': 'c', 'type': 'category', "
                                  "'values': ['v1'",
                                  sizes[k]);
        for (size_t i = 2; i <= sizes[k]; i++)
            at += sprintf(at, ",'v%zu'", i);
        (void)strcpy(at, "]}]}");
        sotto_schema *schema = schema_of(text);
        char *form = written(schema, NULL);
        sotto_schema *again;
        assert_ok(sotto_schema_parse("again", form, strlen(form), &again, &error),
                  &error);
        assert_int_equal(sotto_schema_target(again)->label_count, sizes[k]);
        assert_int_equal(sotto_schema_target(again)->missing, sizes[k] - 1);
        sotto_schema_free(again);
        sotto_free(form);
        sotto_schema_free(schema);
        free(text);
    }
}

static void the_written_form_is_one_for_all_spellings(void **state)
{
    (void)state;
    sotto_schema *terse = schema_of("{'columns': [{'name': 'a', 'type': 'number', "
                                    "'lower': 0, 'upper': 4}], 'target': {'column': 'a',"
                                    "'above': 1}}");
    sotto_schema *full = schema_of(
        "{'intercept': 1, 'target': {'labels': ['<=1', '>1'], 'column': 'a', 'above': "
        "1e0},'ledger': 'x','columns': [{'scale': 'symmetric', 'missing': 2.0, 'upper': "
        "4.0, 'lower': 0, 'type': 'number', 'name': '\\u0061'}]}");
    char *short_text = written(terse, NULL);
    char *full_text = written(full, NULL);
    assert_string_equal(short_text, full_text);
    assert_string_equal(
        short_text,
        "{\"target\":{\"column\":\"a\",\"above\":1.0,\"labels\":[\"<=1\",\">1\"]},"
        "\"columns\":[{\"name\":\"a\",\"type\":\"number\",\"lower\":0.0,\"upper\":4.0,"
        "\"missing\":2.0,\"scale\":\"symmetric\"}],\"intercept\":1.0}\n");
    sotto_free(short_text);
    sotto_free(full_text);
    sotto_schema_free(terse);
    sotto_schema_free(full);
    sotto_schema *numbers = schema_of(matrix);
    char *text = written(numbers, NULL);
    assert_string_equal(text,
                        "{\"dataset\":\"m-1\",\"features\":105,\"labels\":[-1.0,1.0],"
                        "\"default_label\":-1.0,\"row_norm\":{\"bound\":1.5,\"rule\":"
                        "\"scale\"},\"intercept\":0.0}\n");
    sotto_free(text);
    sotto_error error;
    assert_refused(sotto_schema_to_json(numbers, "x", &text, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "matrix", "leave the target out",
                   NULL);
    sotto_schema_free(numbers);
    sotto_schema *schema = schema_of(table);
    assert_refused(sotto_schema_to_json(schema, "twon", &text, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "'twon'", "'town'", NULL);
    assert_refused(sotto_schema_to_json(schema, "note", &text, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "'note'", "not read", NULL);
    sotto_schema_free(schema);
}

static void names_are_those_of_the_file(void **state)
{
    (void)state;
    assert_string_equal(sotto_scaling_name(SOTTO_SCALE_SYMMETRIC), "symmetric");
    assert_string_equal(sotto_scaling_name(SOTTO_SCALE_AFFINE), "affine");
    assert_string_equal(sotto_scaling_name((sotto_scaling)5), "unknown");
    assert_string_equal(sotto_norm_rule_name(SOTTO_NORM_CLIP), "clip");
    assert_string_equal(sotto_norm_rule_name(SOTTO_NORM_SCALE), "scale");
    assert_string_equal(sotto_norm_rule_name((sotto_norm_rule)0), "unknown");
}

static void no_allocation_failure_leaks_or_lies(void **state)
{
    (void)state;
    static const char threshold[] =
        "{'target': {'column': 'age', 'above': 40}, 'columns': [" COLUMNS "]}";
    static const char *const texts[] = {table, matrix, threshold};
    for (size_t i = 0; i < 3; i++) {
        char *json = json_of(texts[i]);
        (void)sot_test_fail_allocation(0);
        for (size_t nth = 1;; nth++) {
            sotto_error error;
            sotto_schema *schema = NULL;
            char *text = NULL;
            (void)sot_test_fail_allocation(nth);
            sotto_status status =
                sotto_schema_parse("s", json, strlen(json), &schema, &error);
            if (status == SOTTO_OK)
                status =
                    sotto_schema_to_json(schema, i == 0 ? "town" : NULL, &text, &error);
            const bool done = sot_test_fail_allocation(0) < nth;
            sotto_free(text);
            sotto_schema_free(schema);
            if (done) {
                assert_int_equal(status, SOTTO_OK);
                break;
            }
            assert_int_equal(status, SOTTO_OUT_OF_MEMORY);
        }
        free(json);
    }
}

/* ---- lists of columns ---- */

#define RELATED                                                                          \
    "'columns': [{'name': 'hour', 'type': 'integer', 'lower': 0, 'upper': 23},"          \
    "{'name': 'a', 'type': 'boolean'}, {'name': 'b', 'type': 'boolean'},"                \
    "{'name': 'c', 'type': 'boolean', 'missing': true},"                                 \
    "{'name': 'd', 'type': 'boolean', 'scale': 'symmetric'},"                            \
    "{'name': 'who', 'type': 'id'}]}"

static void lists_of_columns_survive_being_written(void **state)
{
    (void)state;
    sotto_schema *schema = schema_of("{'interactions': [['hour', 'c'], ['a', 'd']], "
                                     "'exclusive': [['b', 'a']], " RELATED);
    char *text = written(schema, NULL);
    assert_non_null(strstr(text, "\"exclusive\":[[\"b\",\"a\"]],"
                                 "\"interactions\":[[\"hour\",\"c\"],[\"a\",\"d\"]]"));
    sotto_schema *again = NULL;
    sotto_error error;
    assert_ok(sotto_schema_parse("s", text, strlen(text), &again, &error), &error);
    char *twice = written(again, NULL);
    assert_string_equal(text, twice);
    sotto_free(text);
    sotto_free(twice);
    sotto_schema_free(schema);
    sotto_schema_free(again);
}

static void lists_of_columns_that_make_no_sense_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text, *remedy;
    } cases[] = {
        {"{'interactions': [['hour']], " RELATED, "two columns"},
        {"{'interactions': [['hour', 'a', 'b']], " RELATED, "the two columns"},
        {"{'interactions': [['hour', 'hour']], " RELATED, "each column once"},
        {"{'interactions': [['hour', 'day']], " RELATED, "no column 'day'"},
        {"{'interactions': [['hour', 'who']], " RELATED, "not ids"},
        {"{'interactions': [['hour', 'a'], ['a', 'hour']], " RELATED, "once"},
        {"{'interactions': ['hour'], " RELATED, "interactions[0]"},
        {"{'exclusive': [['a', 'hour']], " RELATED, "boolean"},
        {"{'exclusive': [['a', 'c']], " RELATED, "missing"},
        {"{'exclusive': [['a', 'd']], " RELATED, "scale"},
        {"{'exclusive': [['a', 'b'], ['b', 'a']], " RELATED, "one exclusive list"},
        {"{'exclusive': {}, " RELATED, "exclusive"},
        {"{'exclusive': [['a', 'b']], 'features': 2, 'labels': [0, 1]}", "matrix"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        sotto_schema *schema = NULL;
        sotto_error error;
        assert_refused(parse(cases[i].text, &schema, &error), SOTTO_PARSE, &error,
                       cases[i].remedy, NULL);
        assert_null(schema);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_table_says_how_its_cells_become_features),
        cmocka_unit_test(a_table_needs_nothing_but_columns),
        cmocka_unit_test(a_matrix_has_features_and_labels),
        cmocka_unit_test(the_label_set_comes_from_the_schema),
        cmocka_unit_test(a_wrong_target_is_told_what_to_give),
        cmocka_unit_test(a_wrong_matrix_is_told_what_to_give),
        cmocka_unit_test(a_wrong_norm_is_told_what_to_give),
        cmocka_unit_test(the_written_form_reads_back_as_the_same_schema),
        cmocka_unit_test(a_category_of_any_size_is_written),
        cmocka_unit_test(the_written_form_is_one_for_all_spellings),
        cmocka_unit_test(names_are_those_of_the_file),
        cmocka_unit_test(no_allocation_failure_leaks_or_lies),
        cmocka_unit_test(lists_of_columns_survive_being_written),
        cmocka_unit_test(lists_of_columns_that_make_no_sense_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
