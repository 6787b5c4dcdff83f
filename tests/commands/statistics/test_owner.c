/* Exact counts for the owner: by hand, for every kind of column, and without a trace of failures. */
#include "support.h"

#include <unistd.h>

#include <sotto/owner.h>

#include "base/memory.h"
#include "data/owner/owner.h"

static const char schema_text[] =
    "{\"unit\": {\"column\": \"person\", \"rows\": 2}, \"target\": {\"column\": "
    "\"town\", "
    "\"labels\": [\"Lund\", \"Ystad\"]}, \"row_norm\": {\"bound\": 0.5, \"rule\": "
    "\"clip\"}, \"columns\": [{\"name\": \"person\", \"type\": \"id\"},"
    "{\"name\": \"age\", \"type\": \"number\", \"lower\": 18, \"upper\": 90},"
    "{\"name\": \"visits\", \"type\": \"integer\", \"lower\": 0, \"upper\": 5},"
    "{\"name\": \"smokes\", \"type\": \"boolean\"},"
    "{\"name\": \"town\", \"type\": \"category\", \"values\": [\"Lund\", \"Ystad\", "
    "\"Kivik\"]}, {\"name\": \"note\", \"type\": \"ignore\"}]}";

static sotto_schema *schema_of(const char *text)
{
    sotto_error error;
    sotto_schema *schema = NULL;
    assert_ok(sotto_schema_parse("s", text, strlen(text), &schema, &error), &error);
    return schema;
}

static const char *write_file(const char *name, const char *text)
{
    static char path[96];
    snprintf(path, sizeof path, "/tmp/sotto_owner_%ld_%s", (long)getpid(), name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
    return path;
}

static sot_owner_counts counts_of(const sotto_schema *schema, const char *path)
{
    sotto_error error;
    sot_owner_counts counts;
    const sotto_data_file file = {.path = path};
    assert_ok(sot_owner_count(schema, &file, NULL, &counts, &error), &error);
    return counts;
}

static const char rows[] = "person,age,visits,smokes,town,note\n"
                           "p1,17.75,3,yes,Lund,\n"   /* below; -1 in norm: shrunk */
                           "p1,95.5,9,no,Kivik,x\n"   /* above, above, no label; shrunk */
                           "p1,nan,2.5,maybe,Malmo\n" /* four defaults; over the cap */
                           ",40.5,,,Ystad,\n"         /* no id, two defaults */
                           "\n"; /* no id, four defaults; a line is a row */

static void every_change_is_counted(void **state)
{
    (void)state;
    sotto_schema *schema = schema_of(schema_text);
    const char *path = write_file("rows.csv", rows);
    sot_owner_counts counts = counts_of(schema, path);
    static const struct {
        const char *name;
        uint64_t defaults, below, above;
    } expected[] = {
        {"age", 2, 1, 1}, {"visits", 3, 0, 1}, {"smokes", 3, 0, 0}, {"town", 2, 0, 0}};
    assert_int_equal(counts.rows, 5);
    assert_int_equal(counts.column_count, 4);
    for (size_t i = 0; i < 4; i++) {
        assert_string_equal(counts.columns[i].name, expected[i].name);
        assert_int_equal(counts.columns[i].defaults, expected[i].defaults);
        assert_int_equal(counts.columns[i].below, expected[i].below);
        assert_int_equal(counts.columns[i].above, expected[i].above);
    }
    assert_true(counts.has_labels && counts.has_unit && counts.has_norm);
    assert_int_equal(counts.labels_outside, 3); /* Kivik, Malmo, none */
    assert_int_equal(counts.rows_over_cap, 1);
    assert_int_equal(counts.empty_ids, 2);
    assert_true(counts.norm_bound == 0.5);
    assert_int_equal(counts.rows_shortened, 2);
    sot_owner_clear(&counts);
    sotto_schema_free(schema);
    (void)unlink(path);
}

static void entries_of_a_matrix_are_counted(void **state)
{
    (void)state;
    sotto_schema *schema =
        schema_of("{\"features\": 3, \"target\": {\"lower\": 0, \"upper\": 10}, "
                  "\"numbers\": {\"lower\": 0, \"upper\": 255, \"scale\": \"unit\"}, "
                  "\"row_norm\": {\"bound\": 1, \"rule\": \"clip\"}}");
    const char *path = write_file("rows.libsvm", "4 1:255 2:255\n" /* norm sqrt(2) */
                                                 "11 1:300 4:1\n"  /* norm 1 */
                                                 "x 1:-2 2:a 1:7\n" /* two not read */);
    sot_owner_counts counts = counts_of(schema, path);
    assert_int_equal(counts.rows, 3);
    assert_int_equal(counts.not_read, 3);
    assert_int_equal(counts.columns[0].below, 1);
    assert_int_equal(counts.columns[0].above, 1);
    assert_string_equal(counts.columns[1].name, "target");
    assert_int_equal(counts.columns[1].defaults, 1);
    assert_int_equal(counts.columns[1].above, 1);
    assert_int_equal(counts.rows_shortened, 1);
    assert_false(counts.has_labels);
    sot_owner_clear(&counts);
    sotto_schema_free(schema);
    (void)unlink(path);
}

/* A file without a column of the schema is refused by its header, as everywhere. */
static void a_wrong_file_is_refused(void **state)
{
    (void)state;
    sotto_error error;
    char *text = NULL;
    sotto_schema *schema = schema_of(schema_text);
    const sotto_data_file file = {.path = write_file("wrong.csv", "age,town\n1,Lund\n")};
    assert_refused(sotto_owner_check_rows(schema, &file, NULL, NULL, NULL, &text, &error),
                   SOTTO_PARSE, &error, "wrong.csv", NULL);
    assert_null(text);
    sotto_schema_free(schema);
    (void)unlink(file.path);
}

static void no_allocation_failure_leaks_or_lies(void **state)
{
    (void)state;
    sotto_schema *schema = schema_of(schema_text);
    const sotto_data_file file = {.path = write_file("rows.csv", rows)};
    for (size_t nth = 1;; nth++) {
        sotto_error error;
        char *json = NULL, *text = NULL;
        (void)sot_test_fail_allocation(nth);
        const sotto_status status =
            sotto_owner_check_rows(schema, &file, NULL, NULL, &json, &text, &error);
        const size_t asked = sot_test_fail_allocation(0);
        sotto_free(json);
        sotto_free(text);
        if (asked < nth) {
            assert_int_equal(status, SOTTO_OK);
            break;
        }
        assert_int_equal(status, SOTTO_OUT_OF_MEMORY);
    }
    sotto_schema_free(schema);
    (void)unlink(file.path);
}

/* ---- what was changed afterwards ---- */

static void adjusted_parts_are_named(void **state)
{
    (void)state;
    char stated[SOT_ADJUSTED_BYTES];
    sotto_schema *schema = schema_of(schema_text);
    assert_false(sot_schema_state_adjusted(schema, stated));
    sotto_schema_free(schema);
    schema =
        schema_of("{\"features\": 2, \"labels\": [0, 1], \"numbers\": {\"lower\": 0, "
                  "\"upper\": 9, \"source\": \"adjusted after viewing private "
                  "rows\"}, \"row_norm\": {\"bound\": 2, \"source\": \"by law\"}}");
    assert_true(sot_schema_state_adjusted(schema, stated));
    assert_non_null(strstr(stated, "cover: numbers"));
    assert_null(strstr(stated, "row_norm"));
    char *json = NULL; /* the model's schema keeps both */
    sotto_error error;
    assert_ok(sotto_schema_to_json(schema, NULL, &json, &error), &error);
    sotto_schema *again = schema_of(json);
    char restated[SOT_ADJUSTED_BYTES];
    assert_true(sot_schema_state_adjusted(again, restated));
    assert_string_equal(stated, restated);
    assert_non_null(strstr(json, "by law"));
    sotto_free(json);
    sotto_schema_free(again);
    sotto_schema_free(schema);
}

static void a_long_list_ends_with_a_number(void **state)
{
    (void)state;
    char text[16384] = "{\"columns\": [";
    char stated[SOT_ADJUSTED_BYTES];
    for (int i = 0; i < 100; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text),
                 "%s{\"name\": \"blood_pressure_%02d\", \"type\": \"boolean\", "
                 "\"source\": \"adjusted after viewing private rows\"}",
                 i == 0 ? "" : ", ", i);
    strcat(text, "]}");
    sotto_schema *schema = schema_of(text);
    assert_true(sot_schema_state_adjusted(schema, stated));
    assert_non_null(strstr(stated, "blood_pressure_00, blood_pressure_01"));
    assert_non_null(strstr(stated, " more"));
    assert_true(strlen(stated) < SOT_ADJUSTED_BYTES - 1);
    sotto_schema_free(schema);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_change_is_counted),
        cmocka_unit_test(entries_of_a_matrix_are_counted),
        cmocka_unit_test(a_wrong_file_is_refused),
        cmocka_unit_test(no_allocation_failure_leaks_or_lies),
        cmocka_unit_test(adjusted_parts_are_named),
        cmocka_unit_test(a_long_list_ends_with_a_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
