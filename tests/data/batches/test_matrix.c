/* Matrices: the encoded records, row for row; the shape from public facts; units bounded. */
#include "data/files.h"

#include "base/memory.h"
#include "data/batches/matrix.h"
#include "data/batches/unit.h"

/* Wide: compressed. The indicators of 40 towns and one number. */
static char *table_schema(bool with_unit, size_t towns)
{
    char *text = malloc(64 * towns + 512);
    size_t used = (size_t)sprintf(
        text,
        "{%s\"target\": \"ill\", \"columns\": [{\"name\": \"person\", \"type\": \"id\"},"
        "{\"name\": \"dose\", \"type\": \"number\", \"lower\": 0, \"upper\": 8},"
        "{\"name\": \"ill\", \"type\": \"boolean\"},"
        "{\"name\": \"town\", \"type\": \"category\", \"values\": [",
        with_unit ? "\"unit\": {\"column\": \"person\", \"rows\": 2}, " : "");
    for (size_t i = 0; i < towns; i++)
        used += (size_t)sprintf(text + used, "%s\"t%zu\"", i > 0 ? ", " : "", i);
    sprintf(text + used, "]}]}");
    return text;
}

typedef struct subject {
    sotto_schema *schema;
    sot_encoding *encoding;
} subject;

static subject begin_study(const char *schema_text)
{
    sotto_error error;
    subject study = {.schema = parse_schema(schema_text)};
    assert_ok(
        sot_encoding_new(study.schema, NULL, SOT_TARGET_CLASSES, &study.encoding, &error),
        &error);
    return study;
}

static void end_study(subject *study)
{
    sot_encoding_free(study->encoding);
    sotto_schema_free(study->schema);
}

static sotto_status load(const subject *study, const char *path, uint64_t seed,
                         sot_matrix **out_matrix, sotto_error *error)
{
    sotto_rng *rng = NULL;
    sot_source *source = NULL;
    *out_matrix = NULL;
    sotto_status status = sotto_rng_new_for_test(seed, &rng, error);
    if (status == SOTTO_OK)
        status = sot_source_open_file(path, study->schema, false, &source, error);
    if (status == SOTTO_OK)
        status = sot_matrix_load(source, study->schema, study->encoding, rng, out_matrix,
                                 error);
    sot_source_close(source);
    sotto_rng_free(rng);
    return status;
}

/* One row of the matrix, whole. */
static void expand(const sot_matrix *matrix, size_t row, float *out)
{
    memset(out, 0, matrix->columns * sizeof *out);
    if (matrix->dense != NULL) {
        memcpy(out, matrix->dense + row * matrix->stride, matrix->columns * sizeof *out);
        return;
    }
    for (uint64_t i = matrix->starts[row]; i < matrix->starts[row + 1]; i++)
        out[matrix->indices[i]] = matrix->values[i];
}

/* Whether the row is what the encoding makes of the record. */
static void assert_encoded(const subject *study, const sot_matrix *matrix, size_t row,
                           const sot_record *record)
{
    static uint32_t indices[256];
    static float values[256], expected[256], actual[256];
    sot_features features = {.indices = indices, .values = values};
    assert_true(matrix->columns <= 256);
    sot_encode(study->encoding, record, &features);
    memset(expected, 0, sizeof expected);
    for (size_t i = 0; i < features.count; i++)
        expected[indices[i]] = values[i];
    expand(matrix, row, actual);
    assert_memory_equal(actual, expected, matrix->columns * sizeof(float));
    assert_true(matrix->labels[row] ==
                (sot_encode_label(study->encoding, record) == 1 ? 1.0 : -1.0));
}

/* Rows of `people` units; returns the path. */
static const char *write_rows(uint64_t seed, size_t rows, uint64_t people, size_t towns)
{
    char *text = malloc(64 * (rows + 1));
    size_t used = (size_t)sprintf(text, "person,dose,ill,town\n");
    for (size_t i = 0; i < rows; i++) {
        const uint64_t person = next_bits(&seed) % people;
        const uint64_t bits = next_bits(&seed);
        used += (size_t)sprintf(text + used, "p%llu,%.3f,%d,t%llu\n",
                                (unsigned long long)person,
                                (double)(bits % 8000) / 1000.0, (int)(bits >> 20 & 1),
                                (unsigned long long)(bits >> 30) % towns);
    }
    const char *path = write_bytes("matrix.csv", text, used);
    free(text);
    return path;
}

static void every_record_is_its_row(void **state)
{
    (void)state;
    static const size_t towns[] = {5, 90};
    for (size_t shape = 0; shape < 2; shape++) {
        sotto_error error;
        char *text = table_schema(false, towns[shape]);
        subject study = begin_study(text);
        const char *path = write_rows(11, 5000, 9, towns[shape]);
        sot_matrix *matrix = NULL;
        assert_ok(load(&study, path, 1, &matrix, &error), &error);
        assert_int_equal(matrix->rows, 5000);
        assert_int_equal(matrix->columns, sot_encoding_dimension(study.encoding));
        assert_true((matrix->dense != NULL) == (shape == 0));
        assert_true((matrix->starts != NULL) == (shape == 1));
        sot_source *source = NULL;
        assert_ok(sot_source_open_file(path, study.schema, false, &source, &error),
                  &error);
        for (size_t row = 0; row < matrix->rows; row++) {
            sot_record record;
            bool more;
            assert_ok(sot_source_next(source, &record, &more, &error), &error);
            assert_encoded(&study, matrix, row, &record);
        }
        sot_source_close(source);
        sot_matrix_free(matrix);
        (void)unlink(path);
        end_study(&study);
        free(text);
    }
}

static void dense_rows_are_aligned_and_padded_with_zeros(void **state)
{
    (void)state;
    sotto_error error;
    char *text = table_schema(false, 7);
    subject study = begin_study(text);
    const char *path = write_rows(12, 3000, 9, 7);
    sot_matrix *matrix = NULL;
    assert_ok(load(&study, path, 1, &matrix, &error), &error);
    assert_int_equal(matrix->stride % SOT_MATRIX_LANES, 0);
    assert_int_equal((uintptr_t)matrix->dense % 64, 0);
    for (size_t row = 0; row < matrix->rows; row++) {
        for (size_t i = matrix->columns; i < matrix->stride; i++)
            assert_true(matrix->dense[row * matrix->stride + i] == 0.0f);
    }
    sot_matrix_free(matrix);
    (void)unlink(path);
    end_study(&study);
    free(text);
}

/* Dense for arrays and narrow files, compressed for wide LIBSVM files: whatever is in them. */
static void the_shape_never_depends_on_the_rows(void **state)
{
    (void)state;
    static const char narrow[] = "{\"features\": 9, \"labels\": [0, 1], \"row_norm\": "
                                 "{\"bound\": 2, \"rule\": \"clip\"}}";
    static const char wide[] = "{\"features\": 50, \"labels\": [0, 1], \"row_norm\": "
                               "{\"bound\": 2, \"rule\": \"scale\"}}";
    static const char *const files[] = {"", "\n\n", "1 1:1 2:1 3:1 4:1 5:1\n", "0\n1\n"};
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        sotto_error error;
        sot_matrix *matrix = NULL;
        const char *path = write_bytes("shape.libsvm", files[i], strlen(files[i]));
        subject study = begin_study(narrow);
        assert_ok(load(&study, path, 1, &matrix, &error), &error);
        assert_true(matrix->dense != NULL && matrix->starts == NULL);
        sot_matrix_free(matrix);
        end_study(&study);
        study = begin_study(wide);
        assert_ok(load(&study, path, 1, &matrix, &error), &error);
        assert_true(matrix->dense == NULL && matrix->starts != NULL);
        assert_int_equal(matrix->starts[0], 0);
        sot_matrix_free(matrix);
        end_study(&study);
        (void)unlink(path);
    }
}

static void arrays_give_the_rows_of_the_same_file(void **state)
{
    (void)state;
    static const char text[] = "{\"features\": 3, \"labels\": [-1, 1], \"row_norm\": "
                               "{\"bound\": 1.5, \"rule\": \"scale\"}}";
    static const char lines[] = "1 1:3 3:4\n-1 2:0.125\n7 1:1 2:1 3:1\n";
    static const float values[3][3] = {{3, 0, 4}, {0, 0.125f, 0}, {1, 1, 1}};
    static const int32_t labels[] = {1, -1, 7};
    const sotto_records records = {.features = {values, SOTTO_FLOAT32, 3, 3, 12, 4},
                                   .labels = {labels, SOTTO_INT32, 3, 1, 4, 4}};
    sotto_error error;
    subject study = begin_study(text);
    const char *path = write_bytes("same.libsvm", lines, sizeof lines - 1);
    sot_matrix *from_file = NULL;
    sot_matrix *from_memory = NULL;
    sot_source *source = NULL;
    assert_ok(load(&study, path, 1, &from_file, &error), &error);
    assert_ok(sot_source_open_records(&records, study.schema, &source, &error), &error);
    assert_ok(
        sot_matrix_load(source, study.schema, study.encoding, NULL, &from_memory, &error),
        &error);
    sot_source_close(source);
    assert_int_equal(from_file->rows, 3);
    assert_int_equal(from_memory->rows, 3);
    assert_memory_equal(from_file->labels, from_memory->labels, 3 * sizeof(double));
    for (size_t row = 0; row < 3; row++) {
        float a[3], b[3];
        expand(from_file, row, a);
        expand(from_memory, row, b);
        assert_memory_equal(a, b, sizeof a);
    }
    sot_matrix_free(from_file);
    sot_matrix_free(from_memory);
    (void)unlink(path);
    end_study(&study);
}

/* What the units keep, in the order of the file, and no more memory than twice that: many rows
 * are replaced on the way. */
static void of_each_unit_the_chosen_rows_are_kept_in_order(void **state)
{
    (void)state;
    enum { ROWS = 60000, PEOPLE = 700 };
    static const size_t towns[] = {5, 90};
    static bool is_kept[ROWS];
    static size_t row_of_slot[2 * PEOPLE];
    for (size_t shape = 0; shape < 2; shape++) {
        sotto_error error;
        sotto_rng *rng = NULL;
        sot_units *units = NULL;
        sot_source *source = NULL;
        sot_matrix *matrix = NULL;
        sot_record record;
        bool more = true;
        char *text = table_schema(true, towns[shape]);
        subject study = begin_study(text);
        const char *path = write_rows(13, ROWS, PEOPLE, towns[shape]);
        assert_ok(load(&study, path, 77, &matrix, &error), &error);

        assert_ok(sotto_rng_new_for_test(77, &rng, &error), &error);
        assert_ok(sot_units_new(2, rng, &units, &error), &error);
        assert_ok(sot_source_open_file(path, study.schema, false, &source, &error),
                  &error);
        size_t slots = 0;
        memset(is_kept, 0, sizeof is_kept);
        for (size_t row = 0; row < ROWS; row++) {
            uint64_t slot;
            bool kept;
            assert_ok(sot_source_next(source, &record, &more, &error), &error);
            assert_ok(sot_units_offer(units, record.unit, record.unit_bytes, &kept, &slot,
                                      &error),
                      &error);
            if (!kept) continue;
            if (slot < slots) is_kept[row_of_slot[slot]] = false;
            if (slot == slots) slots++;
            row_of_slot[slot] = row;
            is_kept[row] = true;
        }
        sot_source_close(source);
        sot_units_free(units);
        sotto_rng_free(rng);

        assert_int_equal(matrix->rows, 2 * PEOPLE);
        assert_true(matrix->room_rows <= 4096);
        assert_ok(sot_source_open_file(path, study.schema, false, &source, &error),
                  &error);
        size_t at = 0;
        for (size_t row = 0; row < ROWS; row++) {
            assert_ok(sot_source_next(source, &record, &more, &error), &error);
            if (is_kept[row]) assert_encoded(&study, matrix, at++, &record);
        }
        assert_int_equal(at, matrix->rows);
        sot_source_close(source);
        sot_matrix_free(matrix);
        (void)unlink(path);
        end_study(&study);
        free(text);
    }
}

/* Whether b is a without the rows marked `gone`, byte for byte. */
static void assert_without(const sot_matrix *a, const sot_matrix *b, size_t most_gone)
{
    static float row_a[256], row_b[256];
    size_t gone = 0;
    size_t at = 0;
    for (size_t row = 0; row < a->rows; row++) {
        bool same = at < b->rows && a->labels[row] == b->labels[at];
        if (same) {
            expand(a, row, row_a);
            expand(b, at, row_b);
            same = memcmp(row_a, row_b, a->columns * sizeof(float)) == 0;
        }
        at += same;
        gone += !same;
    }
    assert_int_equal(at, b->rows);
    assert_true(gone <= most_gone);
}

/* The neighbours of src/data/batches/unit.md: without all the rows of one person, with the same key, the
 * matrix lacks at most the cap's number of rows, and is otherwise the same. */
static void removing_a_person_removes_their_rows_and_nothing_else(void **state)
{
    (void)state;
    enum { PEOPLE = 12 };
    static const size_t towns[] = {5, 90};
    for (size_t shape = 0; shape < 2; shape++) {
        sotto_error error;
        char *schema_text = table_schema(true, towns[shape]);
        subject study = begin_study(schema_text);
        sot_matrix *whole = NULL;
        const char *path = write_rows(14, 150, PEOPLE, towns[shape]);
        assert_ok(load(&study, path, 5, &whole, &error), &error);
        static char text[16384], less[16384];
        FILE *file = fopen(path, "rb");
        text[fread(text, 1, sizeof text - 1, file)] = '\0';
        fclose(file);
        (void)unlink(path);
        for (int person = 0; person < PEOPLE; person++) {
            char start[16];
            size_t used = 0;
            sot_matrix *without = NULL;
            snprintf(start, sizeof start, "p%d,", person);
            for (const char *line = text; *line != '\0';) {
                const size_t length = strcspn(line, "\n") + 1;
                if (strncmp(line, start, strlen(start)) != 0) {
                    memcpy(less + used, line, length);
                    used += length;
                }
                line += length;
            }
            path = write_bytes("less.csv", less, used);
            assert_ok(load(&study, path, 5, &without, &error), &error);
            assert_true(whole->rows - without->rows <= 2);
            assert_without(whole, without, 2);
            sot_matrix_free(without);
            (void)unlink(path);
        }
        sot_matrix_free(whole);
        end_study(&study);
        free(schema_text);
    }
}

/* A damaged file is an error, and nothing is handed out. */
static void a_file_cut_short_is_refused(void **state)
{
    (void)state;
    sotto_error error;
    char *schema_text = table_schema(false, 5);
    subject study = begin_study(schema_text);
    char *text = malloc(1 << 16);
    size_t used = (size_t)sprintf(text, "person,dose,ill,town\n");
    uint64_t stream = 15;
    for (int i = 0; i < 1500; i++)
        used += (size_t)sprintf(text + used, "%llu,1,1,t1\n",
                                (unsigned long long)next_bits(&stream));
    const char *path = write_packed("cut.csv.gz", text, used);
    assert_int_equal(truncate(path, 9000), 0);
    sot_matrix *matrix = NULL;
    assert_refused(load(&study, path, 1, &matrix, &error), SOTTO_IO, &error, "damaged",
                   NULL);
    assert_null(matrix);
    (void)unlink(path);
    free(text);
    end_study(&study);
    free(schema_text);
}

static void no_allocation_failure_leaks_or_lies(void **state)
{
    (void)state;
    static const size_t towns[] = {5, 90};
    for (size_t shape = 0; shape < 2; shape++) {
        char *text = table_schema(true, towns[shape]);
        subject study = begin_study(text);
        const char *path = write_rows(16, 2600, 2000, towns[shape]);
        /* Most allocations are alike, one or two a person: look at the first 40, then at some. */
        for (size_t nth = 1;; nth += nth < 40 ? 1 : 97) {
            sotto_error error;
            sot_matrix *matrix = NULL;
            (void)sot_test_fail_allocation(nth);
            const sotto_status status = load(&study, path, 3, &matrix, &error);
            const size_t asked = sot_test_fail_allocation(0);
            assert_true((matrix != NULL) == (status == SOTTO_OK));
            sot_matrix_free(matrix);
            if (asked < nth) {
                assert_int_equal(status, SOTTO_OK);
                break;
            }
            assert_int_equal(status, SOTTO_OUT_OF_MEMORY);
        }
        (void)unlink(path);
        end_study(&study);
        free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_record_is_its_row),
        cmocka_unit_test(dense_rows_are_aligned_and_padded_with_zeros),
        cmocka_unit_test(the_shape_never_depends_on_the_rows),
        cmocka_unit_test(arrays_give_the_rows_of_the_same_file),
        cmocka_unit_test(of_each_unit_the_chosen_rows_are_kept_in_order),
        cmocka_unit_test(removing_a_person_removes_their_rows_and_nothing_else),
        cmocka_unit_test(a_file_cut_short_is_refused),
        cmocka_unit_test(no_allocation_failure_leaks_or_lies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
