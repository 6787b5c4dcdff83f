/* The schema and the CSV reader: every cell inside its public range, one line a record. */
#include "support.h"

#include <unistd.h>
#include <zlib.h>

#include <sotto/schema.h>

#include "base/memory.h"
#include "data/readers/csv/csv.h"
#include "data/source/source.h"

static const char schema_text[] =
    "{\"dataset\": \"test-1\", \"ledger\": \"test.ledger\", \"columns\": ["
    "{\"name\": \"age\", \"type\": \"number\", \"lower\": 0, \"upper\": 110.5, "
    "\"missing\": 41.25},"
    "{\"name\": \"children\", \"type\": \"integer\", \"lower\": 0, \"upper\": 12},"
    "{\"name\": \"town\", \"type\": \"category\", \"values\": [\"Lund\", \"Ystad\", "
    "\"a,b\"],"
    " \"missing\": \"Ystad\"},"
    "{\"name\": \"smokes\", \"type\": \"boolean\", \"missing\": true},"
    "{\"name\": \"person\", \"type\": \"id\"},"
    "{\"name\": \"note\", \"type\": \"ignore\"}]}";

static sotto_schema *make_schema(void)
{
    sotto_error error;
    sotto_schema *schema;
    assert_ok(sotto_schema_parse("schema.json", schema_text, strlen(schema_text), &schema,
                                 &error),
              &error);
    return schema;
}

static char *write_file(const char *name, const char *bytes, size_t size_bytes)
{
    static char path[128];
    snprintf(path, sizeof path, "/tmp/sotto_csv_test_%ld_%s", (long)getpid(), name);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size_bytes, file), size_bytes);
    assert_int_equal(fclose(file), 0);
    return path;
}

static const char header[] = "person,age,children,town,smokes,note\n";

/* Reads `rows` (with the usual header) and returns the number of records. */
static size_t read_rows(const char *rows, size_t size_bytes, double out[][6], size_t most)
{
    sotto_error error;
    sotto_schema *schema = make_schema();
    char *bytes = malloc(sizeof header + size_bytes);
    memcpy(bytes, header, sizeof header - 1);
    memcpy(bytes + sizeof header - 1, rows, size_bytes);
    char *path = write_file("rows.csv", bytes, sizeof header - 1 + size_bytes);
    sot_csv *csv;
    size_t count = 0;
    bool more;
    double values[6];
    assert_ok(sot_csv_open(path, ',', schema, false, &csv, &error), &error);
    for (;;) {
        assert_ok(sot_csv_next(csv, values, &more, &error), &error);
        if (!more) break;
        if (count < most) memcpy(out[count], values, sizeof values);
        count++;
    }
    sot_csv_close(csv);
    sotto_schema_free(schema);
    (void)unlink(path);
    free(bytes);
    return count;
}

static void good_cells_keep_their_value(void **state)
{
    (void)state;
    double row[2][6];
    const char rows[] =
        "p7,23.75,3,\"a,b\",no,\"said \"\"hi\"\"\"\r\np8, 7 ,0,Lund,TRUE,\n";
    assert_int_equal(read_rows(rows, sizeof rows - 1, row, 2), 2);
    assert_true(row[0][0] == 23.75 && row[0][1] == 3.0 && row[0][2] == 2.0 &&
                row[0][3] == 0.0);
    assert_true(row[1][0] == 7.0 && row[1][1] == 0.0 && row[1][2] == 0.0 &&
                row[1][3] == 1.0);
}

/* Each of these lines is one record of public defaults or clipped values, without complaint. */
static void bad_cells_become_the_public_default(void **state)
{
    (void)state;
    static const char *const lines[] = {
        "p,nan,nan,Malmo,maybe,x",
        "p,inf,1e999,,,",
        "p,,,,,",
        "p",
        ",,,,,,,,,,,,,,",
        "p,abc,1.5,lund,2,\xff\xfe",
        "p,0x10,--3,\"Lund,yes,3",
        "p,1e400,-,\"\"\"\",\"\",",
    };
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        double row[1][6];
        char line[128];
        snprintf(line, sizeof line, "%s\n", lines[i]);
        assert_int_equal(read_rows(line, strlen(line), row, 1), 1);
        assert_true(row[0][0] == 41.25);
        assert_true(row[0][1] == 6.0); /* the middle: the schema says nothing else */
        assert_true(row[0][2] == 1.0);
        assert_true(row[0][3] == 1.0);
    }
    double clipped[2][6];
    const char rows[] = "p,-7,99,Lund,0,\np,1e9,-1e9,Lund,0,\n";
    assert_int_equal(read_rows(rows, sizeof rows - 1, clipped, 2), 2);
    assert_true(clipped[0][0] == 0.0 && clipped[0][1] == 12.0);
    assert_true(clipped[1][0] == 110.5 && clipped[1][1] == 0.0);
}

/* With or without one line, all other records read the same: the isolation that every
 * sensitivity bound rests on. Open quotes, NULs, no final newline, very long lines. */
static void one_line_never_changes_another(void **state)
{
    (void)state;
    const size_t long_bytes = (size_t)3 << 20;
    char *long_line = malloc(long_bytes);
    memset(long_line, '"', long_bytes);
    const struct {
        const char *text;
        size_t size_bytes;
    } hostile[] = {{"p,\"open,3,Lund,yes,x", 20}, {"p,5\0,3,\0", 9}, {"\"", 1},
                   {long_line, long_bytes},       {"\r", 1},         {",\",\",\"", 6}};
    for (size_t i = 0; i < sizeof hostile / sizeof hostile[0]; i++) {
        const char before[] = "p1,11.5,1,Lund,yes,a\n";
        const char after[] = "p2,22.5,2,Ystad,no,b\n\np3,33.5,3,Lund,no,c";
        const size_t size_bytes =
            sizeof before - 1 + hostile[i].size_bytes + 1 + sizeof after - 1;
        char *rows = malloc(size_bytes);
        size_t used = 0;
        memcpy(rows, before, sizeof before - 1);
        used += sizeof before - 1;
        memcpy(rows + used, hostile[i].text, hostile[i].size_bytes);
        used += hostile[i].size_bytes;
        rows[used++] = '\n';
        memcpy(rows + used, after, sizeof after - 1);
        double row[5][6];
        assert_int_equal(read_rows(rows, size_bytes, row, 5), 5);
        assert_true(row[0][0] == 11.5 && row[0][1] == 1.0);
        assert_true(row[2][0] == 22.5 && row[2][2] == 1.0);
        assert_true(row[3][0] == 41.25 &&
                    row[3][2] == 1.0); /* a blank line is a record */
        assert_true(row[4][0] == 33.5 && row[4][1] == 3.0);
        free(rows);
    }
    free(long_line);
}

static void the_header_is_checked_before_any_row(void **state)
{
    (void)state;
    sotto_error error;
    sot_csv *csv;
    sotto_schema *schema = make_schema();
    const struct {
        const char *text;
        const char *word;
    } cases[] = {{"", "empty"},
                 {"\n\n", "empty"},
                 {"person,age,children,town,smokes\n", "'note'"},
                 {"person,age,children,town,smokes,note,secret\n", "column 7 of"},
                 {"secret,23.75,3,Lund,no,x\n", "column 1 of"},
                 {"person,age,age,children,town,smokes,note\n", "'age'"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char *path = write_file("header.csv", cases[i].text, strlen(cases[i].text));
        assert_refused(sot_csv_open(path, ',', schema, false, &csv, &error), SOTTO_PARSE,
                       &error, cases[i].word, NULL);
        /* Without a header the first line is a record: nothing of it is quoted. */
        assert_null(strstr(error.message, "secret"));
        (void)unlink(path);
    }
    assert_refused(sot_csv_open("no/such/file.csv", ',', schema, false, &csv, &error),
                   SOTTO_IO, &error, "no/such/file.csv", NULL);
    assert_refused(sot_csv_open(".", ',', schema, false, &csv, &error), SOTTO_IO, &error,
                   "directory", NULL);
    sotto_schema_free(schema);
}

static void compressed_and_tabbed_files_read_the_same(void **state)
{
    (void)state;
    sotto_error error;
    sotto_schema *schema = make_schema();
    char path[64];
    snprintf(path, sizeof path, "/tmp/sotto_csv_test_%ld.tsv.gz", (long)getpid());
    gzFile file = gzopen(path, "wb");
    gzputs(file, "\xef\xbb\xbfperson\tage\tchildren\ttown\tsmokes\tnote\np\t3.5\t2\ta,"
                 "b\tyes\t-\n");
    gzclose(file);
    sot_csv *csv;
    double row[6];
    bool more;
    size_t size_bytes;
    assert_ok(sot_csv_open(path, '\t', schema, false, &csv, &error), &error);
    assert_ok(sot_csv_next(csv, row, &more, &error), &error);
    assert_true(more && row[0] == 3.5 && row[2] == 2.0);
    assert_memory_equal(sot_csv_id(csv, 4, &size_bytes), "p", 1);
    assert_int_equal(size_bytes, 1);
    assert_ok(sot_csv_next(csv, row, &more, &error), &error);
    assert_false(more);
    sot_csv_close(csv);
    /* Cut in the middle: the file cannot be read to its end, and says so. */
    assert_int_equal(truncate(path, 40), 0);
    sotto_status status = sot_csv_open(path, ',', schema, false, &csv, &error);
    if (status == SOTTO_OK) {
        do {
            status = sot_csv_next(csv, row, &more, &error);
        } while (status == SOTTO_OK && more);
        sot_csv_close(csv);
    }
    assert_int_equal(status, SOTTO_IO);
    (void)unlink(path);
    sotto_schema_free(schema);
}

/* Opens a file of this text, and reads its one row. */
static sotto_status read_dialect(const char *text, const char *format, double row[6],
                                 sotto_error *error)
{
    sotto_schema *schema = make_schema();
    const char *path = write_file("dialect.csv", text, strlen(text));
    const sotto_data_file file = {.path = path, .format = format};
    sot_source *source = NULL;
    sot_record record;
    bool more = false;
    sotto_status status = sot_source_open(&file, schema, false, &source, error);
    if (status == SOTTO_OK) {
        assert_ok(sot_source_next(source, &record, &more, error), error);
        assert_true(more);
        memcpy(row, record.cells, 6 * sizeof *row);
    }
    sot_source_close(source);
    sotto_schema_free(schema);
    (void)unlink(path);
    return status;
}

/* The header is public and tells commas from semicolons; rows have no say. */
static void the_header_tells_the_delimiter(void **state)
{
    (void)state;
    double row[6];
    sotto_error error;
    static const char semicolons[] = "person;age;children;town;smokes;note\n"
                                     "\"p;1\";3.5;2;a,b;no;1,2,3,4,5,6,7,8,9\n";
    static const char commas[] = "\"person\",age,children,town,smokes,note\n"
                                 "p1,3.5,2,\"a,b\",no,1;2;3;4;5;6;7;8;9\n";
    static const char *const both[] = {
        "person;age;children;town;smokes,note\np;3,5;2;c;no;x\n",
        "person,age,children,town,smokes;note\np,3.5,2,c,no,x\n"};
    assert_ok(read_dialect(semicolons, NULL, row, &error), &error);
    assert_true(row[0] == 3.5 && row[1] == 2.0 && row[2] == 2.0 && row[3] == 0.0);
    assert_ok(read_dialect(semicolons, "csv-semicolon", row, &error), &error);
    assert_true(row[0] == 3.5 && row[2] == 2.0);
    assert_refused(read_dialect(semicolons, "csv-comma", row, &error), SOTTO_PARSE,
                   &error, "column 1 of", NULL);
    assert_ok(read_dialect(commas, NULL, row, &error), &error);
    assert_true(row[0] == 3.5 && row[1] == 2.0 && row[2] == 2.0 && row[3] == 0.0);
    for (size_t i = 0; i < 2; i++) {
        assert_refused(read_dialect(both[i], NULL, row, &error), SOTTO_PARSE, &error,
                       "commas and semicolons", "`format=csv-semicolon`", NULL);
        assert_null(strstr(error.message, "note"));
    }
    static const char quoted[] = "\"a;\"\"b\",c";
    assert_int_equal(sot_csv_delimiter(quoted, quoted + sizeof quoted - 1), ',');
}

static void no_row_tells_the_delimiter(void **state)
{
    (void)state;
    double rows[3][6];
    static const char text[] = "p;3.5;2;Lund;no;x\np,3.5,2,Lund,no,x\np;1\n";
    assert_int_equal(read_rows(text, sizeof text - 1, rows, 3), 3);
    assert_true(rows[0][0] == 41.25 && rows[2][0] == 41.25);
    assert_true(rows[1][0] == 3.5 && rows[1][1] == 2.0 && rows[1][2] == 0.0);
}

static void decimal_commas_only_when_told(void **state)
{
    (void)state;
    double row[6];
    sotto_error error;
    static const char semicolons[] = "person;age;children;town;smokes;note\n"
                                     "1,5; 3,5 ;2,0;a,b;no;\n";
    static const char grouped[] = "person;age;children;town;smokes;note\n"
                                  "p;1.5;\"1,0\";a,b;no;\n";
    static const char tabs[] = "person\tage\tchildren\ttown\tsmokes\tnote\n"
                               "p\t0,5e0\t2\ta,b\tno\t\n";
    assert_ok(read_dialect(semicolons, NULL, row, &error), &error);
    assert_true(row[0] == 41.25 && row[1] == 6.0);
    assert_ok(read_dialect(semicolons, "csv-decimal-comma", row, &error), &error);
    assert_true(row[0] == 3.5 && row[1] == 2.0 && row[2] == 2.0);
    assert_ok(read_dialect(grouped, "csv-decimal-comma", row, &error), &error);
    assert_true(row[0] == 41.25 && row[1] == 1.0);
    assert_ok(read_dialect(tabs, "tsv-decimal-comma", row, &error), &error);
    assert_true(row[0] == 0.5 && row[1] == 2.0);
}

static void every_schema_mistake_is_named(void **state)
{
    (void)state;
    const struct {
        const char *text;
        const char *word;
    } cases[] = {
        {"{}", "columns"},
        {"{\"columns\": []}", "columns"},
        {"{\"columns\": [{\"type\": \"number\"}]}", "name"},
        {"{\"columns\": [{\"name\": \"a\", \"type\": \"float\"}]}", "type"},
        {"{\"columns\": [{\"name\": \"a\", \"type\": \"id\", \"lower\": 1}]}", "lower"},
        {"{\"columns\": [{\"name\": \"a\", \"type\": \"number\", \"lower\": 3, "
         "\"upper\": 2}]}",
         "lower below upper"},
        {"{\"columns\": [{\"name\": \"a\", \"type\": \"integer\", \"lower\": 0.5, "
         "\"upper\": 2}]}",
         "whole"},
        {"{\"columns\": [{\"name\": \"a\", \"type\": \"number\", \"lower\": 0, "
         "\"upper\": 2, "
         "\"missing\": 3}]}",
         "missing"},
        {"{\"columns\": [{\"name\": \"a\", \"type\": \"category\", \"values\": [\"x\", "
         "\"x\"]}]}",
         "once"},
        {"{\"columns\": [{\"name\": \"a\", \"type\": \"id\"}, {\"name\": \"a\", "
         "\"type\": "
         "\"id\"}]}",
         "once"},
        {"{\"colums\": []}", "columns"},
        {"{\"unit\": {\"column\": \"a\", \"rows\": 3}, \"columns\": [{\"name\": \"a\", "
         "\"type\": "
         "\"ignore\"}]}",
         "id"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        sotto_error error;
        sotto_schema *schema;
        const char *text = cases[i].text;
        assert_refused(sotto_schema_parse("s.json", text, strlen(text), &schema, &error),
                       SOTTO_PARSE, &error, cases[i].word, NULL);
    }
    sotto_error error;
    size_t index;
    sotto_schema *schema = make_schema();
    assert_true(sotto_schema_column(schema, 0)->bounded);
    assert_string_equal(sotto_schema_dataset(schema), "test-1");
    assert_string_equal(sotto_schema_ledger(schema), "test.ledger");
    assert_refused(sotto_schema_find(schema, "chidlren", &index, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "children", NULL);
    sotto_schema_free(schema);
}

/* A column without bounds is read within +-2^40, and says that nobody gave it bounds. */
static void bounds_may_be_unknown(void **state)
{
    (void)state;
    static const char text[] =
        "{\"columns\": [{\"name\": \"income\", \"type\": \"number\"}]}";
    static const char half[] = "{\"columns\": [{\"name\": \"income\", \"type\": "
                               "\"number\", \"lower\": 1}]}";
    sotto_error error;
    sotto_schema *schema;
    assert_ok(sotto_schema_parse("s.json", text, sizeof text - 1, &schema, &error),
              &error);
    const sotto_column *column = sotto_schema_column(schema, 0);
    assert_false(column->bounded);
    assert_true(column->lower == -0x1p40 && column->upper == 0x1p40 &&
                column->missing == 0.0);
    sotto_schema_free(schema);
    assert_refused(sotto_schema_parse("s.json", half, sizeof half - 1, &schema, &error),
                   SOTTO_PARSE, &error, "upper", NULL);
}

static void no_allocation_failure_leaks_or_lies(void **state)
{
    (void)state;
    char *path = write_file("memory.csv", header, sizeof header - 1);
    for (size_t nth = 1;; nth++) {
        sotto_error error;
        sotto_schema *schema = NULL;
        sot_csv *csv = NULL;
        (void)sot_test_fail_allocation(nth);
        sotto_status status =
            sotto_schema_parse("s", schema_text, strlen(schema_text), &schema, &error);
        if (status == SOTTO_OK)
            status = sot_csv_open(path, ',', schema, false, &csv, &error);
        const size_t asked = sot_test_fail_allocation(0);
        sot_csv_close(csv);
        sotto_schema_free(schema);
        if (asked < nth) {
            assert_int_equal(status, SOTTO_OK);
            break;
        }
        assert_int_equal(status, SOTTO_OUT_OF_MEMORY);
    }
    (void)unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(good_cells_keep_their_value),
        cmocka_unit_test(bad_cells_become_the_public_default),
        cmocka_unit_test(one_line_never_changes_another),
        cmocka_unit_test(the_header_is_checked_before_any_row),
        cmocka_unit_test(compressed_and_tabbed_files_read_the_same),
        cmocka_unit_test(every_schema_mistake_is_named),
        cmocka_unit_test(the_header_tells_the_delimiter),
        cmocka_unit_test(no_row_tells_the_delimiter),
        cmocka_unit_test(decimal_commas_only_when_told),
        cmocka_unit_test(bounds_may_be_unknown),
        cmocka_unit_test(no_allocation_failure_leaks_or_lies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
