/* The LIBSVM reader: every line one record, bad words dropped, no line changes another. */
#include "data/files.h"

#include "base/memory.h"
#include "data/readers/bytes.h"
#include "data/readers/text/libsvm.h"

enum { FEATURES = 12, RECORDS_MAX = 64 };

typedef struct row {
    double label;
    size_t count;
    uint32_t indices[FEATURES];
    double values[FEATURES];
} row;

static size_t read_path(const char *path, row *out, size_t most)
{
    sotto_error error;
    sot_libsvm *reader = NULL;
    size_t count = 0;
    bool more = true;
    assert_ok(sot_libsvm_open(path, FEATURES, &reader, &error), &error);
    for (;; count++) {
        sot_record record;
        assert_ok(sot_libsvm_next(reader, &record, &more, &error), &error);
        if (!more) break;
        assert_null(record.cells);
        assert_null(record.unit);
        assert_true(record.count <= FEATURES);
        for (size_t i = 0; i < record.count; i++) {
            assert_true(record.indices[i] < FEATURES);
            assert_true(i == 0 || record.indices[i - 1] < record.indices[i]);
            assert_true(isfinite(record.values[i]));
        }
        if (count >= most) continue;
        out[count] = (row){.label = record.label, .count = record.count};
        memcpy(out[count].indices, record.indices, record.count * sizeof(uint32_t));
        memcpy(out[count].values, record.values, record.count * sizeof(double));
    }
    sot_libsvm_close(reader);
    return count;
}

static size_t read_text(const char *text, size_t size_bytes, row *out, size_t most)
{
    const char *path = write_bytes("rows.libsvm", text, size_bytes);
    const size_t count = read_path(path, out, most);
    (void)unlink(path);
    return count;
}

static void assert_row(const row *actual, double label, size_t count,
                       const uint32_t *indices, const double *values)
{
    if (isnan(label)) {
        assert_true(isnan(actual->label));
    } else {
        assert_true(actual->label == label);
    }
    assert_int_equal(actual->count, count);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(actual->indices[i], indices[i]);
        assert_true(actual->values[i] == values[i]);
    }
}

static void good_lines_keep_their_values(void **state)
{
    (void)state;
    row rows[4];
    const char text[] =
        "+1 1:0.375 3:-2.5e3 12:7\n-1\t2:1\t 11:0.125  # words\r\n2.5 4:0\n"
        "0 5:1#6:1\n";
    assert_int_equal(read_text(text, sizeof text - 1, rows, 4), 4);
    assert_row(&rows[0], 1.0, 3, (uint32_t[]){0, 2, 11}, (double[]){0.375, -2500.0, 7.0});
    assert_row(&rows[1], -1.0, 2, (uint32_t[]){1, 10}, (double[]){1.0, 0.125});
    assert_row(&rows[2], 2.5, 1, (uint32_t[]){3}, (double[]){0.0});
    assert_row(&rows[3], 0.0, 1, (uint32_t[]){4}, (double[]){1.0});
}

/* Each of these lines is a record; only what makes sense in it counts. */
static void bad_words_are_dropped_without_a_trace(void **state)
{
    (void)state;
    static const struct {
        const char *line;
        double label;
        size_t count;
        uint32_t index;
        double value;
    } cases[] = {
        {"", (double)NAN, 0, 0, 0.0},
        {"   \t ", (double)NAN, 0, 0, 0.0},
        {"# 1 2:3", (double)NAN, 0, 0, 0.0},
        {"abc 2:3.5", (double)NAN, 1, 1, 3.5},
        {"nan 2:3.5", (double)NAN, 1, 1, 3.5},
        {"1e999 2:3.5", (double)NAN, 1, 1, 3.5},
        {"2:3.5", (double)NAN, 1, 1, 3.5},
        {"1 0:9 2:3.5 13:9 99999999999999999999:9", 1.0, 1, 1, 3.5},
        {"1 qid:4 2:3.5 x:1 :1 3: 4", 1.0, 1, 1, 3.5},
        {"1 -2:9 +2:9 2.0:9 2:3.5 4:inf 5:nan 6:0x10 7:1e999", 1.0, 1, 1, 3.5},
        {"1 2:3.5x 2:3.5 2:4.5", 1.0, 1, 1, 3.5},
        {"1 2:3.5:1 02:3.5", 1.0, 1, 1, 3.5},
        {"\xef\xbb\xbf"
         "1 2:3.5",
         1.0, 1, 1, 3.5},
        {"1 2:3.5 \xff\xfe:1 3:1\xff", 1.0, 1, 1, 3.5},
        {"1 2:1e-400", 1.0, 1, 1, 0.0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        row rows[1];
        char line[128];
        snprintf(line, sizeof line, "%s\n", cases[i].line);
        assert_int_equal(read_text(line, strlen(line), rows, 1), 1);
        assert_row(&rows[0], cases[i].label, cases[i].count, &cases[i].index,
                   &cases[i].value);
    }
}

static void entries_are_sorted_and_the_first_of_equals_counts(void **state)
{
    (void)state;
    row rows[2];
    const char text[] = "1 9:1 3:2 9:3 1:4 3:5 12:6 1:7\n1 5:1 5:2 6:3\n";
    assert_int_equal(read_text(text, sizeof text - 1, rows, 2), 2);
    assert_row(&rows[0], 1.0, 4, (uint32_t[]){0, 2, 8, 11}, (double[]){4, 2, 1, 6});
    assert_row(&rows[1], 1.0, 2, (uint32_t[]){4, 5}, (double[]){1.0, 3.0});
}

/* Shuffled entries with repetitions, against a plain model. */
static void any_order_of_entries_is_read_the_same(void **state)
{
    (void)state;
    uint64_t stream = 81;
    for (int round = 0; round < 300; round++) {
        char line[2048] = "1";
        double expected[FEATURES];
        bool there[FEATURES] = {false};
        const size_t entries = next_bits(&stream) % 60;
        for (size_t i = 0; i < entries; i++) {
            const size_t index = (size_t)(next_bits(&stream) % FEATURES);
            char word[32];
            snprintf(word, sizeof word, " %zu:%zu", index + 1, i);
            strcat(line, word);
            if (!there[index]) expected[index] = (double)i;
            there[index] = true;
        }
        row rows[1];
        assert_int_equal(read_text(line, strlen(line), rows, 1), 1);
        size_t at = 0;
        for (uint32_t index = 0; index < FEATURES; index++) {
            if (!there[index]) continue;
            assert_int_equal(rows[0].indices[at], index);
            assert_true(rows[0].values[at++] == expected[index]);
        }
        assert_int_equal(rows[0].count, at);
    }
}

/* With or without a hostile line, the others read the same. */
static void one_line_never_changes_another(void **state)
{
    (void)state;
    const size_t long_bytes = (size_t)4 << 20;
    char *long_line = malloc(long_bytes);
    for (size_t i = 0; i < long_bytes; i++)
        long_line[i] = "1:1 "[i % 4];
    const struct {
        const char *text;
        size_t size_bytes;
    } hostile[] = {{"1 2:3 \"open", 11},
                   {"1 2\0:3 4:\0", 10},
                   {"\0", 1},
                   {"\x1f\x8b\x08", 3},
                   {long_line, long_bytes},
                   {"\r", 1},
                   {"#", 1},
                   {"1:", 2}};
    static const char before[] = "1 1:11.5\n";
    static const char after[] = "-1 2:22.5\n\n1 3:33.5";
    for (size_t i = 0; i < sizeof hostile / sizeof hostile[0]; i++) {
        char *text = malloc(sizeof before + hostile[i].size_bytes + 1 + sizeof after);
        size_t used = sizeof before - 1;
        memcpy(text, before, used);
        memcpy(text + used, hostile[i].text, hostile[i].size_bytes);
        used += hostile[i].size_bytes;
        text[used++] = '\n';
        memcpy(text + used, after, sizeof after - 1);
        row rows[5];
        assert_int_equal(read_text(text, used + sizeof after - 1, rows, 5), 5);
        assert_row(&rows[0], 1.0, 1, (uint32_t[]){0}, (double[]){11.5});
        assert_row(&rows[2], -1.0, 1, (uint32_t[]){1}, (double[]){22.5});
        assert_row(&rows[3], (double)NAN, 0, NULL, NULL);
        assert_row(&rows[4], 1.0, 1, (uint32_t[]){2}, (double[]){33.5});
        free(text);
    }
    free(long_line);
}

static void packed_files_read_the_same_and_damage_is_told(void **state)
{
    (void)state;
    row plain[RECORDS_MAX], packed[RECORDS_MAX];
    char text[4096] = "";
    uint64_t stream = 82;
    for (int i = 0; i < 40; i++) {
        char line[64];
        snprintf(line, sizeof line, "%d %d:%llu 12:0.5\n", i % 2, 1 + i % 11,
                 (unsigned long long)next_bits(&stream));
        strcat(text, line);
    }
    assert_int_equal(read_text(text, strlen(text), plain, RECORDS_MAX), 40);
    const char *path = write_packed("rows.libsvm.gz", text, strlen(text));
    assert_int_equal(read_path(path, packed, RECORDS_MAX), 40);
    for (int i = 0; i < 40; i++)
        assert_row(&packed[i], plain[i].label, plain[i].count, plain[i].indices,
                   plain[i].values);
    assert_int_equal(truncate(path, 300), 0);
    sotto_error error;
    sot_libsvm *reader = NULL;
    sot_record record;
    bool more = true;
    assert_ok(sot_libsvm_open(path, FEATURES, &reader, &error), &error);
    sotto_status status = SOTTO_OK;
    while (status == SOTTO_OK && more)
        status = sot_libsvm_next(reader, &record, &more, &error);
    assert_refused(status, SOTTO_IO, &error, path, "damaged", NULL);
    sot_libsvm_close(reader);
    (void)unlink(path);
}

/* A record that begins like a gzip file is a record; only a name makes a file a packed one. */
static void no_record_makes_the_file_a_packed_one(void **state)
{
    (void)state;
    row rows[2];
    static const char text[] = "\x1f\x8b\x08 1:1\n-1 2:22.5\n";
    assert_int_equal(read_text(text, sizeof text - 1, rows, 2), 2);
    assert_row(&rows[0], (double)NAN, 1, (uint32_t[]){0}, (double[]){1.0});
    assert_row(&rows[1], -1.0, 1, (uint32_t[]){1}, (double[]){22.5});
    sotto_error error;
    sot_libsvm *reader;
    assert_refused(sot_libsvm_open("rows.libsvm.bz2", FEATURES, &reader, &error),
                   SOTTO_UNSUPPORTED, &error, "gzip", NULL);
}

/* Opens, and reads to the end: the status, and `error` is of it. */
static sotto_status read_to_end(const char *path, bool *out_opened, sotto_error *error)
{
    sot_libsvm *reader = NULL;
    sot_record record;
    bool more = true;
    sotto_status status = sot_libsvm_open(path, FEATURES, &reader, error);
    *out_opened = status == SOTTO_OK;
    while (status == SOTTO_OK && more)
        status = sot_libsvm_next(reader, &record, &more, error);
    sot_libsvm_close(reader);
    return status;
}

/* A name in .gz means gzip, whatever the first record is: a plain file is refused when it is opened, in the same words. */
static void a_plain_file_named_gz_is_refused_alike(void **state)
{
    (void)state;
    static const char *const texts[] = {"1 1:1\n",
                                        "",
                                        "\x1f",
                                        "\x1f\x8b",
                                        "\x1f\x8b\x07 1:1\n",
                                        "\x1f\x8b 1:1\n-1 2:22.5\n",
                                        "\x1f\x8b\x08\xff 1:1 2:22.5 3:1 4:1\n"};
    sotto_error first = {0};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        sotto_error error = {0};
        bool opened = true;
        const char *path = write_bytes("plain.libsvm.gz", texts[i], strlen(texts[i]));
        assert_int_equal(read_to_end(path, &opened, &error), SOTTO_PARSE);
        assert_false(opened);
        assert_non_null(strstr(error.message, "is not gzip"));
        if (i == 0) first = error;
        assert_string_equal(error.message, first.message);
        (void)unlink(path);
    }
}

/* Members follow each other. Anything else behind the last one is damage, whatever it is: no record's bytes choose between
 * an error and a row. */
static void bytes_behind_gzip_are_damage(void **state)
{
    (void)state;
    static const struct {
        const char *bytes;
        size_t size_bytes;
    } tails[] = {{"1 1:1\n", 6}, {"\x1f\x8b\x08 1:1\n", 8}, {"\0", 1}, {"\x1f", 1}};
    for (size_t i = 0; i < sizeof tails / sizeof tails[0]; i++) {
        sotto_error error = {0};
        bool opened = false;
        const char *path = write_packed("tail.libsvm.gz", "1 1:1\n", 6);
        FILE *file = fopen(path, "ab");
        assert_non_null(file);
        assert_int_equal(fwrite(tails[i].bytes, 1, tails[i].size_bytes, file),
                         tails[i].size_bytes);
        assert_int_equal(fclose(file), 0);
        assert_refused(read_to_end(path, &opened, &error), SOTTO_IO, &error, path,
                       "damaged", NULL);
        assert_true(opened);
        (void)unlink(path);
    }
    row rows[4];
    const char *path = write_packed("tail.libsvm.gz", "1 1:1\n-1 2", 10);
    for (int i = 0; i < 2; i++) {
        gzFile more = gzopen(path, "ab");
        assert_non_null(more);
        assert_int_equal(gzwrite(more, ":22.5\n", 6), 6);
        assert_int_equal(gzclose(more), Z_OK);
    }
    assert_int_equal(read_path(path, rows, 4), 3);
    assert_row(&rows[1], -1.0, 1, (uint32_t[]){1}, (double[]){22.5});
    (void)unlink(path);
}

/* A hint comes from the end of a gzip member and from the size of a plain file, never from the bytes of a record. */
static void hints_come_from_no_record(void **state)
{
    (void)state;
    sotto_error error;
    sot_bytes *bytes = NULL;
    const char *path = write_packed("hint.libsvm.gz", "1 1:1\n-1 2:1\n", 13);
    assert_ok(sot_bytes_open(path, SOT_PACKED_BY_NAME, &bytes, &error), &error);
    assert_int_equal(sot_bytes_size_hint(bytes), 13);
    sot_bytes_close(bytes);
    (void)unlink(path);
    path = write_bytes("hint.csv.gz", "x,y\n1,2\n3,4\n5,6\n7,8\n\1\0\0\0", 24);
    assert_ok(sot_bytes_open(path, SOT_PACKED_BY_CONTENT, &bytes, &error), &error);
    assert_true(sot_bytes_size_hint(bytes) == UINT64_MAX);
    char read[32];
    assert_ok(sot_bytes_read_all(bytes, read, 24, &error), &error);
    assert_memory_equal(read, "x,y\n1,2\n3,4\n", 12);
    sot_bytes_close(bytes);
    (void)unlink(path);
}

static void an_empty_file_has_no_records(void **state)
{
    (void)state;
    row rows[1];
    sotto_error error;
    sot_libsvm *reader;
    assert_int_equal(read_text("", 0, rows, 1), 0);
    assert_int_equal(read_text("\n", 1, rows, 1), 1);
    assert_refused(sot_libsvm_open("no/such/file", FEATURES, &reader, &error), SOTTO_IO,
                   &error, "no/such/file", NULL);
    assert_refused(sot_libsvm_open(".", FEATURES, &reader, &error), SOTTO_IO, &error,
                   "directory", NULL);
}

static void any_bytes_are_records(void **state)
{
    (void)state;
    static const char letters[] = "0123456789:.-+eE \t\n\r#1:\0x\xff";
    uint64_t stream = 83;
    for (int round = 0; round < 400; round++) {
        char text[600];
        const size_t size = (size_t)(next_bits(&stream) % sizeof text);
        size_t lines = 0;
        for (size_t i = 0; i < size; i++) {
            text[i] = letters[next_bits(&stream) % (sizeof letters - 1)];
            lines += text[i] == '\n';
        }
        lines += size > 0 && text[size - 1] != '\n';
        row rows[1];
        assert_int_equal(read_text(text, size, rows, 1), lines);
    }
}

static void no_allocation_failure_leaks_or_lies(void **state)
{
    (void)state;
    const char *path = write_bytes("memory.libsvm", "1 1:1\n", 6);
    for (size_t nth = 1;; nth++) {
        sotto_error error;
        sot_libsvm *reader = NULL;
        (void)sot_test_fail_allocation(nth);
        const sotto_status status = sot_libsvm_open(path, FEATURES, &reader, &error);
        const size_t asked = sot_test_fail_allocation(0);
        sot_libsvm_close(reader);
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
        cmocka_unit_test(good_lines_keep_their_values),
        cmocka_unit_test(bad_words_are_dropped_without_a_trace),
        cmocka_unit_test(entries_are_sorted_and_the_first_of_equals_counts),
        cmocka_unit_test(any_order_of_entries_is_read_the_same),
        cmocka_unit_test(one_line_never_changes_another),
        cmocka_unit_test(packed_files_read_the_same_and_damage_is_told),
        cmocka_unit_test(a_plain_file_named_gz_is_refused_alike),
        cmocka_unit_test(bytes_behind_gzip_are_damage),
        cmocka_unit_test(hints_come_from_no_record),
        cmocka_unit_test(no_record_makes_the_file_a_packed_one),
        cmocka_unit_test(an_empty_file_has_no_records),
        cmocka_unit_test(any_bytes_are_records),
        cmocka_unit_test(no_allocation_failure_leaks_or_lies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
