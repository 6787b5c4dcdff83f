/* CIFAR-10: labels and planes in their places, whole records or none, and no record told of. */
#include "data/files.h"

#include "base/memory.h"
#include "data/readers/array/file.h"
#include "data/source/source.h"

enum { PIXELS = SOT_CIFAR_FEATURES, RECORD = SOT_CIFAR_RECORD_BYTES, RECORDS = 700 };

static const char images[] =
    "{\"shape\": [3, 32, 32], \"labels\": [0, 1, 2, 3, 4, 5, 6, 7, 8, 9],"
    " \"numbers\": {\"lower\": 0, \"upper\": 255, \"scale\": \"unit\"}}";

/* Labels 0 to 9 in turn, pixels of any value. Two blocks of the reader and more. */
static char *records_of_any_bytes(void)
{
    uint64_t stream = 20261116;
    char *bytes = malloc((size_t)RECORDS * RECORD);
    assert_non_null(bytes);
    for (size_t i = 0; i < (size_t)RECORDS * RECORD; i++)
        bytes[i] = i % RECORD == 0 ? (char)(i / RECORD % 10) : (char)next_bits(&stream);
    return bytes;
}

/* How many records are read, as long as they are those of `bytes`. */
static size_t matching_records(sot_source *source, const char *bytes)
{
    sotto_error error;
    size_t row = 0;
    for (bool more = true;; row++) {
        sot_record record;
        assert_ok(sot_source_next(source, &record, &more, &error), &error);
        if (!more) break;
        const unsigned char *wanted =
            (const unsigned char *)bytes + (row % RECORDS) * RECORD;
        assert_int_equal(record.count, PIXELS);
        assert_true(record.label == (double)wanted[0]);
        assert_memory_equal(record.bytes, wanted + 1, PIXELS);
        for (size_t i = 0; i < PIXELS; i++)
            assert_true(record.indices[i] == i &&
                        record.values[i] == (double)wanted[1 + i]);
    }
    return row;
}

static size_t matching_file(const char *path, const char *bytes)
{
    sotto_error error;
    sot_source *source = NULL;
    sotto_schema *schema = parse_schema(images);
    assert_ok(sot_source_open_file(path, schema, false, &source, &error), &error);
    const size_t rows = matching_records(source, bytes);
    assert_ok(sot_source_check_rereading(source, &error), &error);
    assert_ok(sot_source_rewind(source, &error), &error);
    assert_int_equal(matching_records(source, bytes), rows);
    sot_source_close(source);
    sotto_schema_free(schema);
    (void)unlink(path);
    return rows;
}

static void records_have_their_label_and_planes_in_order(void **state)
{
    (void)state;
    char *bytes = records_of_any_bytes();
    const size_t size = (size_t)RECORDS * RECORD;
    assert_int_equal(matching_file(write_bytes("a.bin", bytes, size), bytes), RECORDS);
    assert_int_equal(matching_file(write_bytes("a.BIN", bytes, RECORD), bytes), 1);
    assert_int_equal(matching_file(write_packed("a.bin.gz", bytes, size), bytes),
                     RECORDS);
    assert_int_equal(matching_file(write_bytes("a.bin", bytes, 0), bytes), 0);
    assert_int_equal(matching_file(write_packed("a.bin.gz", bytes, 0), bytes), 0);
    /* A block of the reader, and not a record more. */
    const size_t block = ((size_t)1 << 20) / RECORD * RECORD;
    assert_int_equal(matching_file(write_packed("a.bin.gz", bytes, block), bytes),
                     block / RECORD);
    free(bytes);
}

static void files_joined_are_one_file(void **state)
{
    (void)state;
    char *bytes = records_of_any_bytes();
    const size_t size = (size_t)RECORDS * RECORD;
    const char *path = write_bytes("joined.bin", bytes, size);
    FILE *file = fopen(path, "ab");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(matching_file(path, bytes), 2 * RECORDS);
    /* Packed ones too: gzip's members follow each other, and the hint is the last one's. */
    path = write_packed("joined.bin.gz", bytes, size);
    gzFile packed = gzopen(path, "ab");
    assert_non_null(packed);
    assert_int_equal(gzwrite(packed, bytes, (unsigned)size), (int)size);
    assert_int_equal(gzclose(packed), Z_OK);
    assert_int_equal(matching_file(path, bytes), 2 * RECORDS);
    free(bytes);
}

static void no_record_changes_another(void **state)
{
    (void)state;
    char *bytes = records_of_any_bytes();
    const size_t size = (size_t)RECORDS * RECORD;
    sotto_schema *schema = parse_schema(images);
    for (size_t changed = 0; changed < RECORDS; changed += 349) {
        sotto_error error;
        sot_source *source = NULL;
        char *other = malloc(size);
        assert_non_null(other);
        memcpy(other, bytes, size);
        memset(other + changed * RECORD, 0xff, RECORD); /* the label too */
        const char *path = write_bytes("other.bin", other, size);
        assert_ok(sot_source_open_file(path, schema, false, &source, &error), &error);
        assert_int_equal(matching_records(source, other), RECORDS);
        assert_int_equal(sot_source_rows(source), RECORDS);
        sot_source_close(source);
        (void)unlink(path);
        free(other);
    }
    sotto_schema_free(schema);
    free(bytes);
}

/* ---- refusals ---- */

static void what_is_not_made_of_records_is_refused_before_the_first(void **state)
{
    (void)state;
    static const size_t sizes[] = {1, 3072, 3074, 2 * RECORD - 1, 4096, 3 * RECORD + 77};
    char *bytes = records_of_any_bytes();
    sotto_schema *schema = parse_schema(images);
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        sotto_error error;
        sot_source *source = NULL;
        char digits[24];
        const char *path = write_bytes("cut.bin", bytes, sizes[i]);
        assert_refused(sot_source_open_file(path, schema, false, &source, &error),
                       SOTTO_IO, &error, "cut.bin", "3073 bytes", NULL);
        (void)snprintf(digits, sizeof digits, "%zu", sizes[i]);
        if (sizes[i] > 1) assert_null(strstr(error.message, digits));
        (void)unlink(path);
        /* Packed: seen when it is read. */
        path = write_packed("cut.bin.gz", bytes, sizes[i]);
        sotto_status status = SOTTO_OK;
        bool more = true;
        assert_ok(sot_source_open_file(path, schema, false, &source, &error), &error);
        while (status == SOTTO_OK && more) {
            sot_record record;
            status = sot_source_next(source, &record, &more, &error);
        }
        assert_int_equal(status, SOTTO_IO);
        sot_source_close(source);
        (void)unlink(path);
    }
    sotto_schema_free(schema);
    free(bytes);
}

static void a_schema_of_other_rows_is_refused(void **state)
{
    (void)state;
    sotto_error error;
    sot_source *source = NULL;
    sotto_schema *schema = parse_schema(images);
    sotto_schema *narrow = parse_schema(
        "{\"features\": 784, \"labels\": [0, 1], \"row_norm\": {\"bound\": 1}}");
    const sotto_data_file labelled = {.path = "a.bin", .labels = "l.npy"};
    const sotto_data_file labels = {.path = "a.npy", .labels = "l.bin"};
    assert_refused(sot_source_open_file("a.bin", narrow, false, &source, &error),
                   SOTTO_PARSE, &error, "a.bin", "784 features", "[3, 32, 32]", NULL);
    assert_refused(sot_source_open(&labelled, schema, false, &source, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "CIFAR-10 carries its own", NULL);
    assert_refused(sot_source_open(&labels, schema, false, &source, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "l.bin", "not NPY or IDX", NULL);
    assert_refused(sot_source_open_file("a.bin.xz", schema, false, &source, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "a.bin.xz", "`format=libsvm`", NULL);
    sotto_schema_free(narrow);
    sotto_schema_free(schema);
}

static void a_table_of_this_name_is_csv(void **state)
{
    (void)state;
    sotto_error error;
    sot_source *source = NULL;
    sot_record record;
    bool more = false;
    sotto_schema *schema = parse_schema(
        "{\"columns\": [{\"name\": \"a\", \"type\": \"number\", \"lower\": 0, \"upper\": "
        "8}]}");
    const char *path = write_bytes("table.bin", "a\n2.5\n", 6);
    assert_ok(sot_source_open_file(path, schema, false, &source, &error), &error);
    assert_ok(sot_source_next(source, &record, &more, &error), &error);
    assert_true(more && record.cells[0] == 2.5);
    sot_source_close(source);
    (void)unlink(path);
    sotto_schema_free(schema);
}

static void no_allocation_failure_leaks_or_lies(void **state)
{
    (void)state;
    char *bytes = records_of_any_bytes();
    sotto_schema *schema = parse_schema(images);
    for (int packed = 0; packed < 2; packed++) {
        const char *path = packed ? write_packed("m.bin.gz", bytes, RECORD)
                                  : write_bytes("m.bin", bytes, RECORD);
        for (size_t nth = 1;; nth++) {
            sotto_error error;
            sot_source *source = NULL;
            (void)sot_test_fail_allocation(nth);
            const sotto_status status =
                sot_source_open_file(path, schema, false, &source, &error);
            const size_t asked = sot_test_fail_allocation(0);
            sot_source_close(source);
            if (asked < nth) {
                assert_int_equal(status, SOTTO_OK);
                break;
            }
            assert_int_equal(status, SOTTO_OUT_OF_MEMORY);
        }
        (void)unlink(path);
    }
    sotto_schema_free(schema);
    free(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(records_have_their_label_and_planes_in_order),
        cmocka_unit_test(files_joined_are_one_file),
        cmocka_unit_test(no_record_changes_another),
        cmocka_unit_test(what_is_not_made_of_records_is_refused_before_the_first),
        cmocka_unit_test(a_schema_of_other_rows_is_refused),
        cmocka_unit_test(a_table_of_this_name_is_csv),
        cmocka_unit_test(no_allocation_failure_leaks_or_lies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
