/* sotto/json.h: the command's JSON, written and read. */
#include "support.h"

#include <sotto/json.h>

static void an_answer_is_one_line(void **state)
{
    (void)state;
    const char *text = NULL;
    sotto_error error;
    sotto_json_writer *writer = sotto_json_new();
    sotto_json_number(writer, "delta", 1e-5);
    sotto_json_number(writer, "steps", 2500.0);
    sotto_json_text(writer, "label", "a \"b\"\n\x01\x7f");
    sotto_json_array(writer, "rows");
    sotto_json_object(writer, NULL);
    sotto_json_count(writer, "row", 3);
    sotto_json_null(writer, "spent");
    sotto_json_end(writer);
    sotto_json_flag(writer, NULL, true);
    sotto_json_end(writer);
    sotto_json_embed(writer, "plan", "[1, 2.5, {\"x\": 1e300}]");
    assert_ok(sotto_json_finish(writer, &text, &error), &error);
    assert_string_equal(text, "{\"delta\": 1e-05, \"steps\": 2500.0, "
                              "\"label\": \"a \\\"b\\\"\\n\\u0001\x7f\", "
                              "\"rows\": [{\"row\": 3, \"spent\": null}, true], "
                              "\"plan\": [1, 2.5, {\"x\": 1e+300}]}\n");
    sotto_json_writer_free(writer);
}

static void an_indented_answer_has_a_member_a_line(void **state)
{
    (void)state;
    const char *text = NULL;
    sotto_error error;
    sotto_json_writer *writer = sotto_json_new();
    sotto_json_indent(writer);
    sotto_json_number(writer, "delta", 1e-5);
    sotto_json_flag(writer, "refuted", false);
    assert_ok(sotto_json_finish(writer, &text, &error), &error);
    assert_string_equal(text, "{\n  \"delta\": 1e-5,\n  \"refuted\": false\n}\n");
    sotto_json_writer_free(writer);
}

static void calls_that_do_not_nest_are_refused(void **state)
{
    (void)state;
    const char *text = NULL;
    sotto_error error;
    for (int what = 0; what < 3; what++) {
        sotto_json_writer *writer = sotto_json_new();
        if (what == 0) sotto_json_flag(writer, NULL, true); /* in an object */
        if (what == 1) sotto_json_array(writer, "rows");    /* without its end */
        if (what == 2) {
            sotto_json_end(writer);
            sotto_json_end(writer);
        }
        assert_refused(sotto_json_finish(writer, &text, &error), SOTTO_INTERNAL, &error,
                       "JSON writer", NULL);
        sotto_json_writer_free(writer);
    }
}

static void values_are_found_and_absent_ones_are_null(void **state)
{
    (void)state;
    static const char text[] = "{\"b\": [1, 2.375, \"three\"], \"a\": null}";
    sotto_json *document = NULL;
    sotto_error error;
    assert_ok(sotto_json_parse("file", text, strlen(text), &document, &error), &error);
    const sotto_json_value *root = sotto_json_root(document);
    const sotto_json_value *list = sotto_json_member(root, "b");
    assert_int_equal(sotto_json_kind_of(root), SOTTO_JSON_OBJECT);
    assert_int_equal(sotto_json_size(root), 2);
    assert_string_equal(sotto_json_key_of(sotto_json_item(root, 1)), "a");
    assert_int_equal(sotto_json_size(list), 3);
    assert_int_equal(sotto_json_kind_of(sotto_json_item(list, 0)), SOTTO_JSON_INTEGER);
    assert_true(sotto_json_as_number(sotto_json_item(list, 0)) == 1.0);
    assert_true(sotto_json_as_number(sotto_json_item(list, 1)) == 2.375);
    assert_true(isnan(sotto_json_as_number(sotto_json_item(list, 2))));
    assert_string_equal(sotto_json_as_text(sotto_json_item(list, 2)), "three");
    assert_null(sotto_json_as_text(list));
    assert_null(sotto_json_item(list, 3));
    assert_null(sotto_json_member(list, "b"));
    assert_null(sotto_json_member(NULL, "b"));
    assert_null(sotto_json_key_of(NULL));
    assert_int_equal(sotto_json_kind_of(NULL), SOTTO_JSON_NULL);
    sotto_json_free(document);
    document = NULL;
    assert_refused(
        sotto_json_parse("file", "{\"a\": 1, \"a\": 2}", 16, &document, &error),
        SOTTO_PARSE, &error, "file", NULL);
    assert_null(sotto_json_root(document));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_answer_is_one_line),
        cmocka_unit_test(an_indented_answer_has_a_member_a_line),
        cmocka_unit_test(calls_that_do_not_nest_are_refused),
        cmocka_unit_test(values_are_found_and_absent_ones_are_null),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
