/* Drafts, descriptions and synthetic rows of schemas. */
#include "support.h"

#include <unistd.h>

#include <sotto/schema.h>
#include <sotto/schema_tools.h>

#include "base/growing.h"
#include "base/memory.h"
#include "data/encode.h"
#include "data/friendly.h"
#include "data/sampler.h"
#include "data/source.h"

static char *write_file(const char *name, const char *text)
{
    static char path[128];
    (void)snprintf(path, sizeof path, "tools_test_%ld_%s", (long)getpid(), name);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
    assert_int_equal(fclose(file), 0);
    return path;
}

/* Quotes written as ' to keep the texts legible. */
static sotto_schema *schema_of(const char *text)
{
    sotto_error error;
    sotto_schema *schema;
    char *json = strdup(text);
    assert_non_null(json);
    for (char *at = json; *at != '\0'; at++)
        if (*at == '\'') *at = '"';
    assert_ok(sotto_schema_parse("s", json, strlen(json), &schema, &error), &error);
    free(json);
    return schema;
}

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
        "\"b,c\", \"other\"], \"missing\": \"other\"",
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
    assert_ok(sot_encoding_new(schema, NULL, &encoding, &error), &error);
    sot_encoding_free(encoding);
    sotto_schema_free(schema);
    sotto_schema_free_text(json);
    sotto_schema_free_text(notes);
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
    assert_non_null(strstr(json, "[\"g0\", \"g1\", \"g2\", \"other\"]"));
    assert_non_null(strstr(notes, "number: ignored: whole numbers that only grow"));
    assert_non_null(strstr(notes, "no target"));
    sot_free(text);
    sotto_schema_free_text(json);
    sotto_schema_free_text(notes);
}

static void two_numbers_are_a_label_set(void **state)
{
    (void)state;
    char *json;
    char *notes;
    draft_of("two.csv", "x,y\n0.5,2\n1.5,1\n2.5,2\n", "y", &json, &notes);
    assert_non_null(
        strstr(json, "\"target\": {\"column\": \"y\", \"labels\": [1, 2]},\n"));
    sotto_schema_free_text(json);
    sotto_schema_free_text(notes);
    draft_of("many.csv", "x,y\n0.5,2.5\n1.5,1\n2.5,7\n", "y", &json, &notes);
    assert_non_null(strstr(json, "\"target\": \"y\",\n"));
    assert_non_null(strstr(notes, "the target is a number"));
    sotto_schema_free_text(json);
    sotto_schema_free_text(notes);
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
    sotto_schema_free_text(json);
    sotto_schema_free_text(notes);
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
    assert_draft_refused("a.csv", "x,y\n", NULL, SOTTO_PARSE, "no rows", "a.csv");
    assert_draft_refused("a.csv", "1,2\n3,4\n", NULL, SOTTO_PARSE, "nothing but numbers",
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
                         "leave the target out");
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
                   SOTTO_INVALID_ARGUMENT, &error, "no file", "public", NULL);
    config.path = "no-such-file.csv";
    assert_refused(sotto_schema_draft(&config, &json, &notes, &error), SOTTO_IO, &error,
                   "no-such-file.csv", NULL);
}

/* ---- descriptions ---- */

static const char table[] =
    "{'dataset': 'd', 'target': 'sick', 'unit': {'column': 'who', 'rows': 3}, 'columns': "
    "["
    "{'name': 'who', 'type': 'id'},"
    "{'name': 'age', 'type': 'number', 'lower': 18, 'upper': 90, 'source': 'by law'},"
    "{'name': 'town', 'type': 'category', 'values': ['Lund', 'a \\\"b\\\", c', 'Kivik']},"
    "{'name': 'note', 'type': 'ignore'},"
    "{'name': 'visits', 'type': 'integer', 'lower': -2, 'upper': 12},"
    "{'name': 'sick', 'type': 'boolean'}]}";

static void assert_described(const char *schema_text, const char *target,
                             const char *const *words)
{
    sotto_error error;
    sotto_schema *schema = schema_of(schema_text);
    char *text;
    char *json;
    assert_ok(sotto_schema_describe(schema, target, &json, &text, &error), &error);
    for (size_t i = 0; words[i] != NULL; i++) {
        const bool found = strstr(json, words[i]) != NULL || strstr(text, words[i]);
        if (!found) print_error("%s%slacks %s\n", text, json, words[i]);
        assert_true(found);
    }
    sotto_schema_free_text(json);
    sotto_schema_free_text(text);
    assert_ok(sotto_schema_describe(schema, target, NULL, NULL, &error), &error);
    sotto_schema_free(schema);
}

static void a_description_says_what_a_learner_sees(void **state)
{
    (void)state;
    static const char *const words[] = {"features     5 from 3 columns, and a constant "
                                        "column of 1\n",
                                        "dimension    6\n",
                                        "R = 2, what",
                                        "all rows of one who, at most 3\n",
                                        "[by law]",
                                        "\"norm_bound\":2.0",
                                        "\"labels\":[\"false\",\"true\"]",
                                        "\"learnable\":true",
                                        "\"warnings\":[]",
                                        NULL};
    assert_described(table, NULL, words);
}

static void a_description_warns_of_what_will_disappoint(void **state)
{
    (void)state;
    static const char *const three[] = {"3 labels; a logistic model", NULL};
    assert_described(table, "town", three);
    static const char *const number[] = {"\"learnable\":false",
                                         "not yet: the target "
                                         "'visits'",
                                         NULL};
    assert_described(table, "visits", number);
    static const char *const wide[] = {
        "'a' alone is up to 1e+05 long",  "'b' has one value and tells nothing",
        "no \"dataset\" is named",        "cuts nothing",
        "'c' has no bounds: nothing can", NULL};
    assert_described("{'target': 'y', 'row_norm': {'bound': 1e6}, 'columns': ["
                     "{'name': 'a', 'type': 'number', 'lower': 0, 'upper': 1e5, 'scale': "
                     "'none'},"
                     "{'name': 'b', 'type': 'category', 'values': ['x']},"
                     "{'name': 'y', 'type': 'boolean'}]}",
                     NULL,
                     (const char *const[]){wide[0], wide[1], wide[2], wide[3], NULL});
    assert_described("{'target': 'y', 'columns': [{'name': 'c', 'type': 'number'},"
                     "{'name': 'y', 'type': 'boolean'}]}",
                     NULL, wide + 4);
    static const char *const matrix[] = {"matrix of 7 features\n", "scaled to 1: every",
                                         "\"row_norm_rule\":\"scale\"", NULL};
    assert_described("{'features': 7, 'labels': [0, 1], 'row_norm': {'bound': 1, 'rule': "
                     "'scale'}}",
                     NULL, matrix);
    static const char *const small[] = {"little of it is left on the grid", NULL};
    assert_described("{'target': 'y', 'intercept': 0, 'columns': [{'name': 'a', 'type': "
                     "'number', 'lower': 0, 'upper': 1e9, 'scale': 'none'},"
                     "{'name': 'b', 'type': 'boolean'}, {'name': 'y', 'type': "
                     "'boolean'}]}",
                     NULL, small);
}

/* A name cut within a character must not spoil the JSON. */
static void long_names_of_any_script_are_described(void **state)
{
    (void)state;
    char text[1024];
    char name[256] = "x";
    for (size_t i = 1; i < 240; i += 3)
        memcpy(name + i, "\xe2\x82\xac", 4);
    (void)snprintf(text, sizeof text,
                   "{'target': 'y', 'columns': [{'name': '%s', 'type': 'number'},"
                   "{'name': 'y', 'type': 'boolean'}]}",
                   name);
    static const char *const words[] = {"has no bounds", "\"learnable\":false", NULL};
    assert_described(text, NULL, words);
}

static void the_header_is_compared_and_no_row(void **state)
{
    (void)state;
    sotto_error error;
    sotto_schema *schema = schema_of(table);
    char *path = write_file("data.csv", "who,age,town,note,visits,sick\nrubbish\n");
    assert_ok(sotto_schema_check_file(schema, path, &error), &error);
    path = write_file("data.csv", "who,age,town,note,sick\n");
    assert_refused(sotto_schema_check_file(schema, path, &error), SOTTO_PARSE, &error,
                   "visits", NULL);
    (void)unlink(path);
    sotto_schema_free(schema);
}

/* ---- samples ---- */

static int collect(const char *text, size_t size_bytes, void *context)
{
    sot_growing_add(context, text, size_bytes);
    return 0;
}

static int stop(const char *text, size_t size_bytes, void *context)
{
    (void)text;
    (void)size_bytes;
    (void)context;
    return 1;
}

static char *sample_of(const sotto_schema *schema, uint64_t rows, uint64_t seed,
                       bool tabs)
{
    sotto_error error;
    sot_growing grown = {0};
    char *text;
    sotto_sample_config config = sotto_sample_defaults();
    config.rows = rows;
    config.seed = seed;
    config.tabs = tabs;
    assert_ok(sotto_schema_sample(schema, &config, collect, &grown, &error), &error);
    assert_ok(sot_growing_finish(&grown, &text, &error), &error);
    return text;
}

/* Reads the sample back; the cells must be those that were drawn. */
static void assert_reads_back(const char *schema_text, const char *name, bool tabs)
{
    enum { ROWS = 300 };
    sotto_error error;
    sotto_schema *schema = schema_of(schema_text);
    char *text = sample_of(schema, ROWS, 7, tabs);
    char *path = write_file(name, text);
    sotto_rng *rng;
    sot_sampler *sampler;
    sot_source *source;
    sot_record drawn;
    sot_record read;
    bool more;
    assert_ok(sotto_rng_new_for_test(7, &rng, &error), &error);
    assert_ok(sot_sampler_new(schema, NULL, rng, &sampler, &error), &error);
    assert_ok(sot_source_open_file(path, schema, false, &source, &error), &error);
    for (size_t i = 0; i < ROWS; i++) {
        sot_sampler_next(sampler, &drawn);
        assert_ok(sot_source_next(source, &read, &more, &error), &error);
        assert_true(more);
        if (sotto_schema_is_matrix(schema)) {
            assert_int_equal(read.count, drawn.count);
            assert_memory_equal(read.indices, drawn.indices,
                                drawn.count * sizeof *drawn.indices);
            assert_memory_equal(read.values, drawn.values,
                                drawn.count * sizeof *drawn.values);
            assert_true(read.label == drawn.label);
            continue;
        }
        assert_memory_equal(read.cells, drawn.cells,
                            sotto_schema_size(schema) * sizeof *read.cells);
        assert_int_equal(read.unit_bytes, drawn.unit_bytes);
        if (drawn.unit != NULL)
            assert_memory_equal(read.unit, drawn.unit, drawn.unit_bytes);
    }
    assert_ok(sot_source_next(source, &read, &more, &error), &error);
    assert_false(more);
    sot_source_close(source);
    sot_sampler_free(sampler);
    sotto_rng_free(rng);
    (void)unlink(path);
    sot_free(text);
    sotto_schema_free(schema);
}

static void samples_read_back_as_they_were_drawn(void **state)
{
    (void)state;
    assert_reads_back(table, "sample.csv", false);
    assert_reads_back(table, "sample.tsv", true);
    assert_reads_back("{'features': 7, 'labels': [0, 1], 'row_norm': {'bound': 1}}",
                      "sample.libsvm", false);
    assert_reads_back("{'features': 4000, 'labels': [1, 2, 3], 'row_norm': {'bound': 1}}",
                      "sample.libsvm", false);
    assert_reads_back("{'target': {'column': 'n', 'above': 2.5}, 'columns': ["
                      "{'name': 'n', 'type': 'integer', 'lower': 1, 'upper': 6},"
                      "{'name': 'm', 'type': 'number', 'lower': 1e9, 'upper': "
                      "1000000000.5},"
                      "{'name': 'free', 'type': 'number'}, {'name': 'x', 'type': "
                      "'boolean'}]}",
                      "sample.csv", false);
}

static void samples_follow_their_seed(void **state)
{
    (void)state;
    sotto_schema *schema = schema_of(table);
    char *first = sample_of(schema, 40, 3, false);
    char *again = sample_of(schema, 40, 3, false);
    char *other = sample_of(schema, 40, 4, false);
    assert_string_equal(first, again);
    assert_string_not_equal(first, other);
    sot_free(first);
    sot_free(again);
    sot_free(other);
    sotto_error error;
    sotto_sample_config config = sotto_sample_defaults();
    assert_refused(sotto_schema_sample(schema, &config, stop, NULL, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "rows is 0", NULL);
    config.rows = 5;
    assert_refused(sotto_schema_sample(schema, &config, stop, NULL, &error),
                   SOTTO_INTERRUPTED, &error, "cut short", NULL);
    sotto_schema_free(schema);
}

static void both_labels_occur_and_can_be_told_apart(void **state)
{
    (void)state;
    static const char *const texts[] = {
        table, "{'features': 20, 'labels': [-1, 1], 'row_norm': {'bound': 1}}"};
    for (size_t k = 0; k < 2; k++) {
        enum { ROWS = 2000 };
        sotto_error error;
        sotto_rng *rng;
        sot_sampler *sampler;
        sot_encoding *encoding;
        sotto_schema *schema = schema_of(texts[k]);
        assert_ok(sotto_rng_new_for_test(5, &rng, &error), &error);
        assert_ok(sot_sampler_new(schema, NULL, rng, &sampler, &error), &error);
        assert_ok(sot_encoding_new(schema, NULL, &encoding, &error), &error);
        size_t positive = 0;
        for (size_t i = 0; i < ROWS; i++) {
            sot_record record;
            sot_sampler_next(sampler, &record);
            positive += sot_encode_label(encoding, &record);
        }
        assert_true(positive > ROWS / 20 && positive < ROWS - ROWS / 20);
        sot_encoding_free(encoding);
        sot_sampler_free(sampler);
        sotto_rng_free(rng);
        sotto_schema_free(schema);
    }
}

/* ---- memory ---- */

static sotto_status all_tools(const sotto_schema *schema, const char *csv,
                              const char *svm, sotto_error *error)
{
    char *json = NULL;
    char *text = NULL;
    sot_growing grown = {0};
    sotto_sample_config sample = {.rows = 3, .seed = 1};
    sotto_draft_config draft = {.path = csv, .target = "town"};
    sotto_status status = sotto_schema_describe(schema, "sick", &json, &text, error);
    sotto_schema_free_text(json);
    sotto_schema_free_text(text);
    if (status == SOTTO_OK)
        status = sotto_schema_sample(schema, &sample, collect, &grown, error);
    if (grown.failed) status = SOTTO_OUT_OF_MEMORY;
    sot_free(grown.text);
    for (int i = 0; i < 2 && status == SOTTO_OK; i++) {
        json = NULL;
        text = NULL;
        status = sotto_schema_draft(&draft, &json, &text, error);
        sotto_schema_free_text(json);
        sotto_schema_free_text(text);
        draft = (sotto_draft_config){.path = svm};
    }
    return status;
}

static void no_allocation_failure_leaks_or_lies(void **state)
{
    (void)state;
    char csv[128];
    char svm[128];
    strcpy(csv, write_file("memory.csv", "id,age,town\n3,4,?\n1,7,Lund\n5,5,Ystad\n"));
    strcpy(svm, write_file("memory.svm", "1 1:2\n0 2:1\n"));
    sotto_schema *schema = schema_of(table);
    for (size_t nth = 1;; nth++) {
        sotto_error error;
        (void)sot_test_fail_allocation(nth);
        const sotto_status status = all_tools(schema, csv, svm, &error);
        const bool done = sot_test_fail_allocation(0) < nth;
        if (done) {
            assert_int_equal(status, SOTTO_OK);
            break;
        }
        assert_int_equal(status, SOTTO_OUT_OF_MEMORY);
    }
    sotto_schema_free(schema);
    (void)unlink(csv);
    (void)unlink(svm);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(decimals_are_rounded_the_way_they_are_written),
        cmocka_unit_test(a_draft_takes_types_and_rounded_bounds),
        cmocka_unit_test(what_looks_like_an_id_is_ignored),
        cmocka_unit_test(two_numbers_are_a_label_set),
        cmocka_unit_test(a_libsvm_file_becomes_a_matrix),
        cmocka_unit_test(a_file_that_cannot_be_drafted_from_is_refused),
        cmocka_unit_test(a_description_says_what_a_learner_sees),
        cmocka_unit_test(a_description_warns_of_what_will_disappoint),
        cmocka_unit_test(long_names_of_any_script_are_described),
        cmocka_unit_test(the_header_is_compared_and_no_row),
        cmocka_unit_test(samples_read_back_as_they_were_drawn),
        cmocka_unit_test(samples_follow_their_seed),
        cmocka_unit_test(both_labels_occur_and_can_be_told_apart),
        cmocka_unit_test(no_allocation_failure_leaks_or_lies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
