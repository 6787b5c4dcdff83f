/* Descriptions of schemas and synthetic rows; no tool lies about memory. */
#include "data/schemas.h"

#include <sotto/schema_tools.h>

#include "base/growing.h"
#include "base/memory.h"
#include "data/describe/sampler.h"
#include "data/encode/encode.h"
#include "data/source/source.h"

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
    sotto_free(json);
    sotto_free(text);
    assert_ok(sotto_schema_describe(schema, target, NULL, NULL, &error), &error);
    sotto_schema_free(schema);
}

static void a_description_says_what_a_learner_sees(void **state)
{
    (void)state;
    static const char *const words[] = {"features     5 from 3 columns, and a constant "
                                        "column of 1\n",
                                        "dimension    6\n",
                                        "R = 2, the sensitivity",
                                        "all rows of one who, at most 3\n",
                                        "[by law]",
                                        "\"norm_bound\":2.0",
                                        "\"labels\":[\"false\",\"true\"]",
                                        "\"learnable\":true",
                                        "\"warnings\":[]",
                                        NULL};
    assert_described(table, NULL, words);
}

#define EIGHT_BOOLEANS                                                                   \
    "'columns': [{'name': 'y', 'type': 'boolean'},"                                      \
    "{'name': 'a', 'type': 'boolean'}, {'name': 'b', 'type': 'boolean'},"                \
    "{'name': 'c', 'type': 'boolean'}, {'name': 'd', 'type': 'boolean'},"                \
    "{'name': 'e', 'type': 'boolean'}, {'name': 'f', 'type': 'boolean'},"                \
    "{'name': 'g', 'type': 'boolean'}, {'name': 'h', 'type': 'boolean'}]}"

/* R is 3 for eight booleans that may all be true, and sqrt 6 if four of them exclude each other. */
static void a_description_warns_of_many_booleans(void **state)
{
    (void)state;
    static const char *const free_words[] = {"R = 3,", "all 8 booleans", "exclusive",
                                             NULL};
    assert_described("{'dataset': 'd', 'target': 'y', " EIGHT_BOOLEANS, NULL, free_words);
    static const char *const listed[] = {"R = 2.44948", "features     8 from 8 columns",
                                         "\"warnings\":[]", NULL};
    assert_described("{'dataset': 'd', 'target': 'y', 'exclusive': [['a', 'b', 'c', "
                     "'d']], " EIGHT_BOOLEANS,
                     NULL, listed);
}

static void a_description_warns_of_what_will_disappoint(void **state)
{
    (void)state;
    static const char *const three[] = {"3 labels: the model softmax", NULL};
    assert_described(table, "town", three);
    static const char *const number[] = {
        "\"learnable\":true", "-2 to 12; a missing or malformed number counts as 5",
        "\"lower\":-2.0", NULL};
    assert_described(table, "visits", number);
    static const char *const unbounded[] = {
        "\"learnable\":false", "not yet: the schema gives the target 'v'", NULL};
    assert_described("{'target': 'v', 'columns': [{'name': 'v', 'type': 'number'},"
                     "{'name': 'y', 'type': 'boolean'}]}",
                     NULL, unbounded);
    static const char *const wide[] = {"'a' has norm up to 1e+05",
                                       "'b' has one value and carries no information",
                                       "no \"dataset\" is named",
                                       "clips nothing",
                                       "'c' has no bounds: sotto train cannot",
                                       NULL};
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
    assert_ok(
        sotto_schema_check_data(schema, &(const sotto_data_file){.path = path}, &error),
        &error);
    path = write_file("data.csv", "who,age,town,note,sick\n");
    assert_refused(
        sotto_schema_check_data(schema, &(const sotto_data_file){.path = path}, &error),
        SOTTO_PARSE, &error, "visits", NULL);
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
                   SOTTO_INVALID_ARGUMENT, &error, "`rows` is 0", NULL);
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
        assert_ok(sot_encoding_new(schema, NULL, SOT_TARGET_CLASSES, &encoding, &error),
                  &error);
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

/* The drawn number follows the features: a line through them explains most of it. */
static void drawn_numbers_can_be_learned(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "{'target': 'y', 'columns': [{'name': 'x', 'type': 'number', 'lower': -3, "
        "'upper': 5}, {'name': 'y', 'type': 'integer', 'lower': 0, 'upper': 1000}]}",
        "{'features': 1, 'target': {'lower': -7.5, 'upper': 2}, 'row_norm': {'bound': "
        "1}}"};
    for (size_t k = 0; k < 2; k++) {
        enum { ROWS = 2000 };
        sotto_error error;
        sotto_rng *rng;
        sot_sampler *sampler;
        sotto_schema *schema = schema_of(texts[k]);
        const sotto_target *target = sotto_schema_target(schema);
        assert_ok(sotto_rng_new_for_test(5, &rng, &error), &error);
        assert_ok(sot_sampler_new(schema, NULL, rng, &sampler, &error), &error);
        double sums[5] = {0.0}; /* x, y, xx, xy, yy */
        for (size_t i = 0; i < ROWS; i++) {
            sot_record record;
            sot_sampler_next(sampler, &record);
            const double x = k == 0 ? record.cells[0] : record.values[0];
            const double y = k == 0 ? record.cells[1] : record.label;
            assert_within(y, target->lower, target->upper);
            assert_true(k == 1 || y == floor(y));
            sums[0] += x / ROWS;
            sums[1] += y / ROWS;
            sums[2] += x * x / ROWS;
            sums[3] += x * y / ROWS;
            sums[4] += y * y / ROWS;
        }
        const double covariance = sums[3] - sums[0] * sums[1];
        const double product =
            (sums[2] - sums[0] * sums[0]) * (sums[4] - sums[1] * sums[1]);
        assert_true(covariance * covariance > 0.5 * product);
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
    sotto_sample_config sample = {.size = sizeof sample, .rows = 3, .seed = 1};
    sotto_draft_config draft = {.size = sizeof draft, .path = csv, .target = "town"};
    sotto_status status = sotto_schema_describe(schema, "sick", &json, &text, error);
    sotto_free(json);
    sotto_free(text);
    if (status == SOTTO_OK)
        status = sotto_schema_sample(schema, &sample, collect, &grown, error);
    if (grown.failed) status = SOTTO_OUT_OF_MEMORY;
    sot_free(grown.text);
    for (int i = 0; i < 2 && status == SOTTO_OK; i++) {
        json = NULL;
        text = NULL;
        status = sotto_schema_draft(&draft, &json, &text, error);
        sotto_free(json);
        sotto_free(text);
        draft = (sotto_draft_config){.size = sizeof draft, .path = svm};
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
        cmocka_unit_test(a_description_says_what_a_learner_sees),
        cmocka_unit_test(a_description_warns_of_many_booleans),
        cmocka_unit_test(a_description_warns_of_what_will_disappoint),
        cmocka_unit_test(long_names_of_any_script_are_described),
        cmocka_unit_test(the_header_is_compared_and_no_row),
        cmocka_unit_test(samples_read_back_as_they_were_drawn),
        cmocka_unit_test(samples_follow_their_seed),
        cmocka_unit_test(both_labels_occur_and_can_be_told_apart),
        cmocka_unit_test(drawn_numbers_can_be_learned),
        cmocka_unit_test(no_allocation_failure_leaks_or_lies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
