/* Which format a file has: decided before a record is read, alike for every neighbour. */
#include "data/files.h"

#include <sys/stat.h>

#include "data/readers/readers.h"
#include "data/source/format.h"

static sotto_status decide(const char *path, const char *format, bool is_matrix,
                           const sot_reader_kind **out_format, sotto_error *error)
{
    const sotto_data_file file = {.path = path, .format = format};
    return sot_format_decide(&file, is_matrix, out_format, error);
}

static void assert_format(const char *path, bool is_matrix, const sot_reader_kind *wanted)
{
    sotto_error error = {0};
    const sot_reader_kind *format = NULL;
    const sotto_status status = decide(path, NULL, is_matrix, &format, &error);
    if (status != SOTTO_OK) print_error("%s: %s\n", path, error.message);
    assert_int_equal(status, SOTTO_OK);
    assert_ptr_equal(format, wanted);
}

static void assert_unknown(const char *path, bool is_matrix, const char *words)
{
    sotto_error error = {0};
    const sot_reader_kind *format = NULL;
    assert_refused(decide(path, NULL, is_matrix, &format, &error), SOTTO_INVALID_ARGUMENT,
                   &error, words, NULL);
}

static const char *write_text(const char *name, const char *text)
{
    return write_bytes(name, text, strlen(text));
}

static void names_decide(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        bool is_matrix;
        const sot_reader_kind *format;
    } cases[] = {{"a.csv", false, &sot_reader_csv},
                 {"a.CSV.gz", false, &sot_reader_csv},
                 {"a.tsv", false, &sot_reader_tsv},
                 {"a.tab.gz", false, &sot_reader_tsv},
                 {"a.jsonl", false, &sot_reader_json_lines},
                 {"a.NDJSON.gz", false, &sot_reader_json_lines},
                 {"a.data", false, &sot_reader_csv},
                 {"a.npy", true, &sot_reader_npy},
                 {"a.npy", false, &sot_reader_npy},
                 {"t10k-images-idx3-ubyte.gz", true, &sot_reader_idx},
                 {"batch.bin", true, &sot_reader_cifar},
                 {"batch.bin", false, &sot_reader_csv},
                 {"a.libsvm", true, &sot_reader_libsvm},
                 {"a.svm.gz", true, &sot_reader_libsvm},
                 {"a.svmlight", true, &sot_reader_libsvm}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_format(cases[i].name, cases[i].is_matrix, cases[i].format);
}

static void names_of_other_formats_are_refused(void **state)
{
    (void)state;
    static const char *const names[] = {"clinic.parquet", "a.json",   "a.json.gz",
                                        "a.xlsx",         "x.pkl",    "a.feather",
                                        "picture.png",    "a.duckdb", "a.orc"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        assert_unknown(names[i], true, "by its name");
        assert_unknown(names[i], false, "by its name");
    }
    assert_unknown("patients.db", false, "`table=patients`");
    assert_unknown("patients.sqlite3", true, "`table=patients`");
    assert_unknown("a.csv", true, "\"columns\"");
    assert_unknown("a.libsvm", false, "\"features\"");
}

/* The content speaks where the name is silent, and where it is wrong. */
static void content_of_other_formats_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *bytes;
        size_t size_bytes;
    } files[] = {{"PAR1\x15\x04\x15", 7},
                 {"\x89PNG\r\n\x1a\n", 8},
                 {"SQLite format 3\0ab", 18},
                 {"PK\x03\x04zip", 7},
                 {"\x93NUMPY\x01\0v", 9},
                 {"ARROW1\0\0", 8},
                 {"%PDF-1.7\n", 9},
                 {"\xff\xfe"
                  "1\0,\0",
                  6},
                 {"12345678DUCK", 12}};
    static const char *const names[] = {"a", "a.csv", "a.txt"};
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++)
        for (size_t j = 0; j < sizeof names / sizeof names[0]; j++)
            assert_unknown(write_bytes(names[j], files[i].bytes, files[i].size_bytes),
                           false, "content");
    assert_format(write_packed("b", "age\n1\n", 6), false, &sot_reader_csv);
}

/* Behind the header are records, and LIBSVM has no header: none of them decides. */
static void no_record_decides_the_format(void **state)
{
    (void)state;
    static const char *const tables[] = {"animals\nDUCK\nCOW\n", "animals\nCOW\nCOW\n",
                                         "a\nPAR1\n", "a\n", "a"};
    static const char *const lines[] = {"+1 3:1 11:0.5\n", "1 1:0.5#DUCK\n", "PAR1", "",
                                        "{\"age\": 1}\n",  "\x89PNG\r\n"};
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++) {
        const size_t size_bytes = strlen(tables[i]);
        assert_format(write_text("t.csv", tables[i]), false, &sot_reader_csv);
        assert_format(write_packed("t.tsv.gz", tables[i], size_bytes), false,
                      &sot_reader_tsv);
        assert_format(write_text("t", tables[i]), false, &sot_reader_csv);
    }
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        assert_format(write_text("a.libsvm", lines[i]), true, &sot_reader_libsvm);
        assert_format(write_packed("a.svm.gz", lines[i], strlen(lines[i])), true,
                      &sot_reader_libsvm);
        assert_unknown(write_text("a9a", lines[i]), true, "`format=libsvm`");
    }
}

/* Where the format is declared or named, what a record says decides nothing. */
static void a_declared_format_is_not_looked_at(void **state)
{
    (void)state;
    static const char *const texts[] = {"a log line\n", "{\"age\": 1}\n", "PAR1", ""};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        sotto_error error = {0};
        const sot_reader_kind *format = NULL;
        const char *path = write_text("a.parquet", texts[i]);
        assert_ok(decide(path, "libsvm", true, &format, &error), &error);
        assert_ptr_equal(format, &sot_reader_libsvm);
        assert_ok(decide(path, "tsv", false, &format, &error), &error);
        assert_ptr_equal(format, &sot_reader_tsv);
        assert_format(write_text("a.svm", texts[i]), true, &sot_reader_libsvm);
    }
}

static void declarations_that_do_not_fit_are_refused(void **state)
{
    (void)state;
    sotto_error error = {0};
    const sot_reader_kind *format = NULL;
    assert_refused(decide("a", "parquet", true, &format, &error), SOTTO_INVALID_ARGUMENT,
                   &error, "`format` is 'parquet'", NULL);
    assert_refused(decide("a", "csv", true, &format, &error), SOTTO_INVALID_ARGUMENT,
                   &error, "\"columns\"", NULL);
    assert_refused(decide("a", "libsvm", false, &format, &error), SOTTO_INVALID_ARGUMENT,
                   &error, "\"features\"", NULL);
    assert_refused(decide("a", "sqlite", false, &format, &error), SOTTO_INVALID_ARGUMENT,
                   &error, "`table=patients`", NULL);
    const sotto_data_file both = {.path = "a", .format = "csv", .query = "SELECT 1"};
    assert_refused(sot_format_decide(&both, false, &format, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "`query` is for SQLite", NULL);
}

/* A pipe has no name and cannot be read twice. */
static void a_stream_of_numbers_needs_a_declaration(void **state)
{
    (void)state;
    char path[160];
    sotto_error error = {0};
    const sot_reader_kind *format = NULL;
    (void)snprintf(path, sizeof path, "/tmp/sotto_format_test_%ld", (long)getpid());
    (void)unlink(path);
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_unknown(path, true, "`format=libsvm`");
    assert_format(path, false, &sot_reader_csv);
    assert_ok(decide(path, "libsvm", true, &format, &error), &error);
    (void)unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_decide),
        cmocka_unit_test(names_of_other_formats_are_refused),
        cmocka_unit_test(content_of_other_formats_is_refused),
        cmocka_unit_test(no_record_decides_the_format),
        cmocka_unit_test(a_declared_format_is_not_looked_at),
        cmocka_unit_test(declarations_that_do_not_fit_are_refused),
        cmocka_unit_test(a_stream_of_numbers_needs_a_declaration),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
