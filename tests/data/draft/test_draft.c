/* Drafts of schemas from public files. */
#include "data/schemas.h"

#include <sotto/schema_tools.h>

#include "base/growing.h"
#include "base/memory.h"
#include "data/encode/encode.h"
#include "data/schema/friendly.h"

/* ---- friendly numbers ---- */

static void decimals_are_rounded_the_way_they_are_written(void **state)
{
    (void)state;
    assert_true(sot_decimal_below(17.0, 1) == 10.0);
    assert_true(sot_decimal_above(17.0, 1) == 20.0);
    assert_true(sot_decimal_below(-17.0, 1) == -20.0);
    assert_true(sot_decimal_above(-17.0, 1) == -10.0);
    assert_true(sot_decimal_below(0.3, -1) == 0.3);
    assert_true(sot_decimal_above(0.3, -1) == 0.3);
    assert_true(sot_decimal_above(0.30000000000000004, -1) == 0.4);
    assert_true(sot_decimal_below(0.29999999999999999, -1) == 0.3);
    assert_true(sot_decimal_near(0.123456, -4) == 0.1235);
    assert_true(sot_decimal_near(123456.0, 2) == 123500.0);
    assert_false(signbit(sot_decimal_above(-0.2, 0)));
    assert_true(sot_decimal_near(1e300, -4) == 1e300);
    assert_int_equal(sot_decimal_exponent(1.0), 0);
    assert_int_equal(sot_decimal_exponent(0.999), -1);
    assert_int_equal(sot_decimal_exponent(1000.0), 3);
    assert_int_equal(sot_decimal_exponent(1e-5), -5);
    assert_int_equal(sot_decimal_exponent(1e-300), -22);
    char digits[SOT_DOUBLE_TEXT_BYTES];
    assert_string_equal(sot_plain_number(-3.0, digits), "-3");
    assert_string_equal(sot_plain_number(0.5, digits), "0.5");
}

/* ---- drafts ---- */

static void draft_of(const char *name, const char *file, const char *target, char **json,
                     char **notes)
{
    sotto_error error;
    sotto_draft_config config = sotto_draft_defaults();
    config.path = write_file(name, file);
    config.target = target;
    assert_ok(sotto_schema_draft(&config, json, notes, &error), &error);
    (void)unlink(config.path);
}

/* Every column of the draft contains its words. */
static void a_draft_takes_types_and_rounded_bounds(void **state)
{
    (void)state;
    static const char file[] =
        "\xef\xbb\xbf"
        "person_id,age,town,smokes,dose,level,weight,\"said \"\"x\"\"\",empty,income\r\n"
        "1,17,Lund,yes,0.12,3,71.5,a,,<=50K\r\n"
        "2,63,Ystad,no,0.97,1,?,\"b,c\",NA,>50K\r\n"
        "7,41,Lund,NO,0.5,2,NA,a,,<=50K\r\n"
        "5,90,?,y,0.3,2,80.25,a,,<=50K\r\n";
    static const char *const words[] = {
        "\"target\": \"income\",\n",
        "{\"name\": \"person_id\", \"type\": \"ignore\"},\n",
        "{\"name\": \"age\", \"type\": \"integer\", \"lower\": 10, \"upper\": 90, "
        "\"source\": \"public sample\"},\n",
        "\"values\": [\"Lund\", \"Ystad\", \"?\"], \"missing\": \"?\"",
        "{\"name\": \"smokes\", \"type\": \"boolean\"},\n",
        "{\"name\": \"dose\", \"type\": \"number\", \"lower\": 0.1, \"upper\": 1, ",
        "{\"name\": \"level\", \"type\": \"integer\", \"lower\": 1, \"upper\": 3, ",
        "{\"name\": \"weight\", \"type\": \"number\", \"lower\": 71, \"upper\": 81, ",
        "{\"name\": \"said \\\"x\\\"\", \"type\": \"category\", \"values\": [\"a\", "
        "\"b,c\"], \"source\"",
        "{\"name\": \"empty\", \"type\": \"ignore\"},\n",
        "{\"name\": \"income\", \"type\": \"category\", \"values\": [\"<=50K\", "
        "\">50K\"], \"source\": \"public sample\"}\n  ]\n}\n"};
    char *json;
    char *notes;
    sotto_error error;
    sotto_schema *schema;
    draft_of("draft.csv", file, "income", &json, &notes);
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strstr(json, words[i]) == NULL) print_error("%s lacks %s\n", json, words[i]);
        assert_non_null(strstr(json, words[i]));
    }
    assert_ptr_equal(strstr(notes, "PUBLIC: every name, bound"), notes);
    assert_non_null(strstr(notes, "person_id: ignored: its name is that of an id"));
    assert_non_null(strstr(notes, "empty: ignored: every cell is empty"));
    assert_non_null(strstr(notes, "the second is the positive class"));
    assert_ok(sotto_schema_parse("draft", json, strlen(json), &schema, &error), &error);
    sot_encoding *encoding;
    assert_ok(sot_encoding_new(schema, NULL, SOT_TARGET_CLASSES, &encoding, &error),
              &error);
    sot_encoding_free(encoding);
    sotto_schema_free(schema);
    sotto_free(json);
    sotto_free(notes);
}

static void what_looks_like_an_id_is_ignored(void **state)
{
    (void)state;
    sot_growing file = {0};
    char *text;
    char *json;
    char *notes;
    sotto_error error;
    sot_growing_text(&file, "number\tnickname\tfree text\tgroup\n");
    for (int i = 0; i < 150; i++)
        sot_growing_format(&file, "%d\tn%d\tt%d\tg%d\n", 3 * i, i, i % 120, i % 3);
    assert_ok(sot_growing_finish(&file, &text, &error), &error);
    draft_of("ids.tsv", text, NULL, &json, &notes);
    assert_non_null(strstr(json, "{\"name\": \"number\", \"type\": \"ignore\"}"));
    assert_non_null(strstr(json, "{\"name\": \"nickname\", \"type\": \"ignore\"}"));
    assert_non_null(strstr(json, "{\"name\": \"free text\", \"type\": \"ignore\"}"));
    assert_non_null(strstr(json, "[\"g0\", \"g1\", \"g2\"]"));
    assert_non_null(strstr(notes, "number: ignored: whole numbers that only grow"));
    assert_non_null(strstr(notes, "no target"));
    sot_free(text);
    sotto_free(json);
    sotto_free(notes);
}

static void labels_that_are_numbers_become_a_range(void **state)
{
    (void)state;
    char *json;
    char *notes;
    sotto_schema *schema;
    sotto_error error;
    draft_of("numbers.svm", "0.5 1:1\n3.25 2:0.5\n-2 1:3\n", NULL, &json, &notes);
    assert_non_null(strstr(json, "\"target\": {\"lower\": -2, \"upper\": 4}"));
    assert_non_null(strstr(notes, "target: the rows carry numbers"));
    assert_ok(sotto_schema_parse("draft", json, strlen(json), &schema, &error), &error);
    assert_true(sotto_schema_target(schema)->bounded);
    sotto_schema_free(schema);
    sotto_free(json);
    sotto_free(notes);
    sot_growing file = {0};
    char *text;
    for (int i = 0; i < 1001; i++)
        sot_growing_format(&file, "%d 1:1\n", 7 * i);
    assert_ok(sot_growing_finish(&file, &text, &error), &error);
    draft_of("many.svm", text, NULL, &json, &notes);
    assert_non_null(strstr(json, "\"target\": {\"lower\": 0, \"upper\": 7000}"));
    sot_free(text);
    sotto_free(json);
    sotto_free(notes);
}

static void two_numbers_are_a_label_set(void **state)
{
    (void)state;
    char *json;
    char *notes;
    draft_of("two.csv", "x,y\n0.5,2\n1.5,1\n2.5,2\n", "y", &json, &notes);
    assert_non_null(
        strstr(json, "\"target\": {\"column\": \"y\", \"labels\": [1, 2]},\n"));
    sotto_free(json);
    sotto_free(notes);
    draft_of("many.csv", "x,y\n0.5,2.5\n1.5,1\n2.5,7\n", "y", &json, &notes);
    assert_non_null(strstr(json, "\"target\": \"y\",\n"));
    assert_non_null(strstr(notes, "the target is a number"));
    sotto_free(json);
    sotto_free(notes);
}

static void a_libsvm_file_becomes_a_matrix(void **state)
{
    (void)state;
    char *json;
    char *notes;
    draft_of("m.libsvm", "+1 3:0.5 17:1 # end\n-1 1:2\n\n-1\n", NULL, &json, &notes);
    assert_non_null(strstr(json, "  \"features\": 17,\n  \"labels\": [-1, 1],\n"
                                 "  \"row_norm\": {\"bound\": 1.0, \"rule\": "
                                 "\"scale\"}\n}\n"));
    sotto_free(json);
    sotto_free(notes);
}

static void assert_draft_refused(const char *name, const char *text, const char *target,
                                 sotto_status status, const char *first,
                                 const char *second)
{
    sotto_error error;
    char *json;
    char *notes;
    sotto_draft_config config = sotto_draft_defaults();
    config.path = write_file(name, text);
    config.target = target;
    assert_refused(sotto_schema_draft(&config, &json, &notes, &error), status, &error,
                   first, second, NULL);
    (void)unlink(config.path);
}

static void a_file_that_cannot_be_drafted_from_is_refused(void **state)
{
    (void)state;
    assert_draft_refused("a.csv", "", NULL, SOTTO_PARSE, "empty line", "a.csv");
    assert_draft_refused("a.csv", "x,y;z\n", NULL, SOTTO_PARSE, "commas and semicolons",
                         "quotes");
    assert_draft_refused("a.jsonl", "{}\n", NULL, SOTTO_UNSUPPORTED, "JSON lines",
                         "no header");
    assert_draft_refused("a.csv", "1,2\n3,4\n", NULL, SOTTO_PARSE, "only numbers",
                         "header");
    assert_draft_refused("a.csv", "x,x\n3,4\n", NULL, SOTTO_PARSE, "'x' twice", "");
    assert_draft_refused("a.csv", "x,,z\n3,4,5\n", NULL, SOTTO_PARSE,
                         "column 2 in the header", "");
    assert_draft_refused("a.csv", "x,\xff\n3,4\n", NULL, SOTTO_PARSE,
                         "column 2 in the header", "UTF-8");
    assert_draft_refused("a.csv", "town,y\na,4\n", "twon", SOTTO_INVALID_ARGUMENT,
                         "'twon'", "'town'");
    assert_draft_refused("a.csv", "x,y\n,4\n", "x", SOTTO_INVALID_ARGUMENT,
                         "cannot be predicted", "every cell is empty");
    assert_draft_refused("a.svm", "1 1:2\n", "x", SOTTO_INVALID_ARGUMENT, "LIBSVM",
                         "leave `target` out");
    assert_draft_refused("a.svm", "1 1:2\n", NULL, SOTTO_PARSE, "1 features",
                         "1 different labels");
    assert_draft_refused("a.svm", "1 1:2\n2 0:3\n", NULL, SOTTO_PARSE, "line 2",
                         "from 1");
    assert_draft_refused("a.svm", "x,y\n1,2\n", NULL, SOTTO_PARSE, "line 1", "LIBSVM");
    sotto_error error;
    char *json;
    char *notes;
    sotto_draft_config config = sotto_draft_defaults();
    assert_refused(sotto_schema_draft(&config, &json, &notes, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "the file is missing", "public", NULL);
    config.path = "no-such-file.csv";
    assert_refused(sotto_schema_draft(&config, &json, &notes, &error), SOTTO_IO, &error,
                   "no-such-file.csv", NULL);
}

/* ---- without rows ---- */

static const char private_file[] = "person_id;age;town;is_ill;dose;note\n"
                                   "p1;77;Lund;1;0.25;secret\n\"p2;4;;\n";

static void assert_unfilled(const char *json, const char *first, const char *second)
{
    sotto_error error;
    sotto_schema *schema = NULL;
    assert_refused(sotto_schema_parse("draft", json, strlen(json), &schema, &error),
                   SOTTO_PARSE, &error, first, second, NULL);
}

static void a_header_alone_gives_a_draft_to_fill_in(void **state)
{
    (void)state;
    static const char *const words[] = {
        "\"target\": \"is_ill\"",
        "{\"name\": \"person_id\", \"type\": \"id\"}",
        "{\"name\": \"age\", \"type\": \"integer\", \"lower\": null, \"upper\": null}",
        "{\"name\": \"town\", \"type\": \"category\", \"values\": null}",
        "{\"name\": \"is_ill\", \"type\": \"boolean\"}",
        "{\"name\": \"dose\", \"type\": \"number\", \"lower\": null, \"upper\": null}",
        "{\"name\": \"note\", \"type\": \"ignore\"}"};
    sotto_error error;
    char *json[2], *notes[2];
    sotto_draft_config config = sotto_draft_defaults();
    config.header_only = true;
    config.target = "is_ill";
    config.ids = "person_id";
    config.leave_out = "note";
    for (int i = 0; i < 2; i++) {
        const size_t rows = strcspn(private_file, "\n") + 1;
        char text[sizeof private_file];
        snprintf(text, sizeof text, "%.*s", i == 0 ? (int)sizeof text : (int)rows,
                 private_file);
        config.path = write_file("private.csv", text);
        assert_ok(sotto_schema_draft(&config, &json[i], &notes[i], &error), &error);
        (void)unlink(config.path);
    }
    /* The rows have no say. */
    assert_string_equal(json[0], json[1]);
    assert_string_equal(notes[0], notes[1]);
    assert_null(strstr(json[0], "77"));
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strstr(json[0], words[i]) == NULL)
            print_error("%s lacks %s\n", json[0], words[i]);
        assert_non_null(strstr(json[0], words[i]));
    }
    assert_non_null(strstr(notes[0], "nothing else of the file was looked at"));
    assert_non_null(strstr(notes[0], "age: fill in \"lower\" and \"upper\""));
    assert_unfilled(json[0], "lower is null", "'age'");
    for (int i = 0; i < 2; i++) {
        sotto_free(json[i]);
        sotto_free(notes[i]);
    }
    assert_unfilled("{\"columns\": [{\"name\": \"t\", \"type\": \"category\", "
                    "\"values\": null}]}",
                    "values is null", "'t'");
    assert_unfilled("{\"columns\": [{\"name\": \"t\", \"type\": \"number\", "
                    "\"lower\": 1, \"upper\": null}]}",
                    "upper is null", "'t'");
}

/* A number in the first line: it may be a record, and is not shown. */
static void a_first_line_that_may_be_a_record_is_not_shown(void **state)
{
    (void)state;
    sotto_error error;
    char *json;
    char *notes;
    sotto_draft_config config = sotto_draft_defaults();
    config.header_only = true;
    config.path = write_file("none.csv", "Ann,77.25,Lund\n");
    assert_refused(sotto_schema_draft(&config, &json, &notes, &error), SOTTO_PARSE,
                   &error, "may be a row", NULL);
    assert_null(strstr(error.message, "77.25"));
    assert_null(strstr(error.message, "Ann"));
    (void)unlink(config.path);
}

static void stated_types_count_over_what_rows_suggest(void **state)
{
    (void)state;
    sotto_error error;
    char *json;
    char *notes;
    sotto_draft_config config = sotto_draft_defaults();
    config.path = write_file("s.csv", "a,b,c,d\n1,x,1,1\n2,y,0,2.5\n");
    config.categories = "a";
    config.numbers = "b";
    config.integers = "c,d";
    config.other_value = true;
    assert_ok(sotto_schema_draft(&config, &json, &notes, &error), &error);
    assert_non_null(strstr(json, "\"category\", \"values\": [\"1\", \"2\", \"other\"], "
                                 "\"missing\": \"other\""));
    assert_non_null(strstr(json, "\"number\", \"lower\": null, \"upper\": null"));
    assert_non_null(strstr(json, "\"integer\", \"lower\": 0, \"upper\": 1,"));
    assert_non_null(strstr(json, "\"integer\", \"lower\": 1, \"upper\": 3,"));
    sotto_free(json);
    sotto_free(notes);
    config.ids = "a";
    assert_refused(sotto_schema_draft(&config, &json, &notes, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "`id` lists 'a'", "once", NULL);
    config.ids = "zzz,a";
    assert_refused(sotto_schema_draft(&config, &json, &notes, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "`id` lists 'zzz'", NULL);
    (void)unlink(config.path);
    config.path = "m.svm";
    assert_refused(sotto_schema_draft(&config, &json, &notes, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "LIBSVM", "header", NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(decimals_are_rounded_the_way_they_are_written),
        cmocka_unit_test(a_draft_takes_types_and_rounded_bounds),
        cmocka_unit_test(what_looks_like_an_id_is_ignored),
        cmocka_unit_test(labels_that_are_numbers_become_a_range),
        cmocka_unit_test(two_numbers_are_a_label_set),
        cmocka_unit_test(a_libsvm_file_becomes_a_matrix),
        cmocka_unit_test(a_file_that_cannot_be_drafted_from_is_refused),
        cmocka_unit_test(a_header_alone_gives_a_draft_to_fill_in),
        cmocka_unit_test(a_first_line_that_may_be_a_record_is_not_shown),
        cmocka_unit_test(stated_types_count_over_what_rows_suggest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
