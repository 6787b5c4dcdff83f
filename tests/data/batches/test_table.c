/* Tables: a stream gives the rows that memory would hold, in every pass, or says that it cannot. */
#include "data/arrays.h"

#include <sys/stat.h>
#include <time.h>

#include <sotto/rng.h>

#include "base/memory.h"
#include "data/batches/table.h"

typedef struct study {
    sotto_schema *schema;
    sot_encoding *encoding;
} study;

static study study_of(const char *schema_text)
{
    sotto_error error;
    study made = {.schema = parse_schema(schema_text)};
    assert_ok(
        sot_encoding_new(made.schema, NULL, SOT_TARGET_CLASSES, &made.encoding, &error),
        &error);
    return made;
}

static void end_study(study *made)
{
    sot_encoding_free(made->encoding);
    sotto_schema_free(made->schema);
}

static sot_matrix *load(const study *made, const sotto_data_file *file)
{
    sotto_error error;
    sot_source *source = NULL;
    sot_matrix *matrix = NULL;
    sotto_rng *rng = NULL;
    assert_ok(sotto_rng_new_for_test(3, &rng, &error), &error);
    assert_ok(sot_source_open(file, made->schema, false, &source, &error), &error);
    assert_ok(sot_matrix_load(source, made->schema, made->encoding, rng, &matrix, &error),
              &error);
    sot_source_close(source);
    sotto_rng_free(rng);
    return matrix;
}

static size_t row_entries(const sot_matrix *matrix, size_t row, const float **out_values,
                          const uint32_t **out_indices)
{
    if (matrix->dense != NULL) {
        *out_values = matrix->dense + row * matrix->stride;
        *out_indices = NULL;
        return matrix->stride;
    }
    *out_values = matrix->values + matrix->starts[row];
    *out_indices = matrix->indices + matrix->starts[row];
    return (size_t)(matrix->starts[row + 1] - matrix->starts[row]);
}

static void assert_same_row(const sot_matrix *a, size_t row_a, const sot_matrix *b,
                            size_t row_b)
{
    const float *values_a, *values_b;
    const uint32_t *indices_a, *indices_b;
    const size_t count = row_entries(a, row_a, &values_a, &indices_a);
    assert_int_equal(row_entries(b, row_b, &values_b, &indices_b), count);
    assert_true((indices_a == NULL) == (indices_b == NULL));
    if (count > 0) assert_memory_equal(values_a, values_b, count * sizeof *values_a);
    if (count > 0 && indices_a != NULL)
        assert_memory_equal(indices_a, indices_b, count * sizeof *indices_a);
    assert_true(a->labels[row_a] == b->labels[row_b]);
}

/* Three passes of a stream are three times the matrix; *out_chunks of the last one. */
static void assert_streams_on(const study *made, const sotto_data_file *file,
                              size_t threads, size_t *out_chunks)
{
    sotto_error error;
    sot_source *source = NULL;
    sot_table *table = NULL;
    sot_matrix *matrix = load(made, file);
    assert_ok(sot_source_open(file, made->schema, false, &source, &error), &error);
    sot_source_set_threads(source, threads);
    assert_ok(sot_table_of_source(source, made->schema, made->encoding, &table, &error),
              &error);
    assert_null(sot_table_matrix(table));
    for (int pass = 0; pass < 3; pass++) {
        const sot_matrix *chunk = NULL;
        size_t rows = 0;
        *out_chunks = 0;
        assert_ok(sot_table_rewind(table, &error), &error);
        for (;; ++*out_chunks) {
            assert_ok(sot_table_next(table, &chunk, &error), &error);
            if (chunk == NULL) break;
            assert_true(chunk->rows > 0 && rows + chunk->rows <= matrix->rows);
            for (size_t i = 0; i < chunk->rows; i++)
                assert_same_row(chunk, i, matrix, rows + i);
            rows += chunk->rows;
            /* A pass may be left before its end. */
            if (pass == 1 && *out_chunks == 1) break;
        }
        if (pass != 1) assert_int_equal(rows, matrix->rows);
        if (pass == 1) continue;
        assert_ok(sot_table_next(table, &chunk, &error), &error);
        assert_null(chunk); /* the end stays the end */
    }
    sot_table_free(table);
    sot_source_close(source);
    sot_matrix_free(matrix);
}

static void assert_streams(const study *made, const sotto_data_file *file,
                           size_t *out_chunks)
{
    size_t chunks = 0;
    assert_streams_on(made, file, 1, out_chunks);
    for (size_t threads = 2; threads < 4; threads++) {
        assert_streams_on(made, file, threads, &chunks);
        assert_int_equal(chunks, *out_chunks);
    }
}

/* ---- rows ---- */

static const char wide_text[] = "{\"features\": 2000000, \"labels\": [-1, 1], "
                                "\"row_norm\": {\"bound\": 1.0, \"rule\": \"clip\"}}";

/* So wide that a chunk has two rows. */
static void a_stream_of_libsvm_is_the_matrix(void **state)
{
    (void)state;
    study made = study_of(wide_text);
    static const char *const texts[] = {"1 1:0.5 7:0.25\n-1 2000000:1\n\n1 3:0.125\n-1\n",
                                        "1 1:0.5 7:0.25\n-1 2000000:1\n\n1 3:0.125",
                                        "1 5:0.25\n", ""};
    static const size_t chunks[] = {3, 2, 1, 0};
    for (size_t i = 0; i < 4; i++) {
        size_t found = 0;
        const char *path = write_bytes("stream.libsvm", texts[i], strlen(texts[i]));
        const sotto_data_file file = {.path = path};
        assert_streams(&made, &file, &found);
        assert_int_equal(found, chunks[i]);
        (void)unlink(path);
    }
    end_study(&made);
}

static const char table_text[] =
    "{\"target\": \"smokes\", \"columns\": [{\"name\": \"age\", \"type\": \"number\", "
    "\"lower\": 0, \"upper\": 64}, {\"name\": \"smokes\", \"type\": \"boolean\"}]}";

/* More rows than a chunk of narrow ones takes. */
static void a_stream_of_csv_is_the_matrix(void **state)
{
    (void)state;
    enum { ROWS = 70000 };
    study made = study_of(table_text);
    size_t chunks = 0;
    char *text = malloc(16 * ROWS);
    assert_non_null(text);
    size_t size = (size_t)sprintf(text, "age,smokes\n");
    for (int row = 0; row < ROWS; row++)
        size += (size_t)sprintf(text + size, "%d.25,%d\n", row % 64, row % 3 == 0);
    char path[160];
    (void)snprintf(path, sizeof path, "%s", write_bytes("stream.csv", text, size));
    const sotto_data_file plain = {.path = path};
    assert_streams(&made, &plain, &chunks);
    assert_int_equal(chunks, 2);
    const sotto_data_file packed = {.path = write_packed("packed.csv", text, size)};
    assert_streams(&made, &packed, &chunks);
    assert_int_equal(chunks, 2);
    (void)unlink(packed.path);
    (void)unlink(path);
    free(text);
    end_study(&made);
}

static const char matrix_text[] = "{\"features\": 3, \"labels\": [0, 1], \"row_norm\": "
                                  "{\"bound\": 1.0, \"rule\": \"clip\"}}";

static void write_arrays(char path[160], char labels[160], uint32_t rows)
{
    const uint32_t lengths[] = {rows, 3};
    array_bytes bytes = idx_of(0x09, 2, lengths);
    for (uint32_t i = 0; i < 3 * rows; i++)
        add_bits(&bytes, i * 37, 1, true);
    (void)snprintf(path, 160, "%s", write_bytes("s.idx", bytes.bytes, bytes.size));
    bytes = idx_of(0x08, 1, lengths);
    for (uint32_t i = 0; i < rows; i++)
        add_bits(&bytes, i % 2, 1, true);
    (void)snprintf(labels, 160, "%s", write_packed("s-idx1.gz", bytes.bytes, bytes.size));
}

static void a_stream_of_arrays_is_the_matrix(void **state)
{
    (void)state;
    study made = study_of(matrix_text);
    char path[160], labels[160];
    size_t chunks = 0;
    write_arrays(path, labels, 33);
    const sotto_data_file file = {.path = path, .labels = labels};
    assert_streams(&made, &file, &chunks);
    assert_int_equal(chunks, 1);
    (void)unlink(path);
    (void)unlink(labels);
    end_study(&made);
}

/* ---- files that change ---- */

/* Where in three passes a change is made, and which. */
typedef enum change { APPEND, OVERWRITE, REPLACE, REMOVE, PIPE, CHANGES } change;

static void make_change(const char *path, change what, const char *text)
{
    static const struct timespec tick = {.tv_nsec = 20000000}; /* of the file's clock */
    (void)nanosleep(&tick, NULL);
    if (what != APPEND && what != OVERWRITE) assert_int_equal(unlink(path), 0);
    if (what == PIPE) assert_int_equal(mkfifo(path, 0600), 0); /* without a writer */
    if (what == REMOVE || what == PIPE) return;
    FILE *file = fopen(path, what == APPEND ? "ab" : what == OVERWRITE ? "r+b" : "wb");
    assert_non_null(file);
    assert_true(fputs(what == APPEND ? "1 1:0.5\n" : text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static void a_file_that_changes_is_seen_before_its_pass_counts(void **state)
{
    (void)state;
    const char text[] = "1 1:0.5\n-1 2:1\n1 3:1\n-1 1:1\n1 1:1\n";
    const char same[] = "1 1:0.5\n-1 2:1\n1 3:1\n-1 1:1\n1 1:9\n"; /* as long */
    study made = study_of(wide_text);
    (void)alarm(120); /* a reader that waits for a pipe's writer waits for ever */
    for (int what = 0; what < 2 * CHANGES; what++) {
        const bool between = what % 2 == 0; /* two passes, or within one */
        sotto_error error;
        sot_source *source = NULL;
        sot_table *table = NULL;
        const sot_matrix *chunk = NULL;
        const char *path = write_bytes("change.libsvm", text, sizeof text - 1);
        assert_ok(sot_source_open_file(path, made.schema, false, &source, &error),
                  &error);
        assert_ok(sot_table_of_source(source, made.schema, made.encoding, &table, &error),
                  &error);
        sotto_status status = sot_table_rewind(table, &error);
        do
            assert_ok(sot_table_next(table, &chunk, &error), &error);
        while (chunk != NULL);
        if (between) make_change(path, (change)(what / 2), same);
        status = sot_table_rewind(table, &error);
        if (status == SOTTO_OK) status = sot_table_next(table, &chunk, &error);
        if (!between) make_change(path, (change)(what / 2), same);
        while (status == SOTTO_OK && chunk != NULL)
            status = sot_table_next(table, &chunk, &error);
        assert_int_equal(status, SOTTO_IO);
        assert_non_null(strstr(error.message, path));
        assert_null(strstr(error.message, "0.5"));
        sot_table_free(table);
        sot_source_close(source);
        (void)unlink(path);
    }
    (void)alarm(0);
    end_study(&made);
}

/* ---- refusals ---- */

static void what_cannot_be_read_twice_is_refused(void **state)
{
    (void)state;
    sotto_error error;
    sot_source *source = NULL;
    sot_table *table = NULL;
    study made = study_of(table_text);
    static const double cells[2] = {0};
    const sotto_records records = {.features = {cells, SOTTO_FLOAT64, 1, 2, 16, 8}};
    assert_ok(sot_source_open_records(&records, made.schema, &source, &error), &error);
    assert_refused(
        sot_table_of_source(source, made.schema, made.encoding, &table, &error),
        SOTTO_INVALID_ARGUMENT, &error, "in memory", NULL);
    sot_source_close(source);
    int ends[2];
    char path[40];
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], "age,smokes\n", 11), 11);
    assert_int_equal(close(ends[1]), 0);
    (void)snprintf(path, sizeof path, "/dev/fd/%d", ends[0]);
    assert_ok(sot_source_open_file(path, made.schema, false, &source, &error), &error);
    assert_refused(
        sot_table_of_source(source, made.schema, made.encoding, &table, &error),
        SOTTO_INVALID_ARGUMENT, &error, path, "more than once", NULL);
    sot_source_close(source);
    assert_int_equal(close(ends[0]), 0);
    end_study(&made);
}

static void units_cannot_be_bounded_in_a_stream(void **state)
{
    (void)state;
    sotto_error error;
    sot_source *source = NULL;
    sot_table *table = NULL;
    study made = study_of(
        "{\"target\": \"smokes\", \"unit\": {\"column\": \"person\", \"rows\": 2}, "
        "\"columns\": [{\"name\": \"person\", \"type\": \"id\"}, {\"name\": \"age\", "
        "\"type\": \"number\", \"lower\": 0, \"upper\": 64}, {\"name\": \"smokes\", "
        "\"type\": \"boolean\"}]}");
    const char *path = write_bytes("unit.csv", "person,age,smokes\n", 18);
    assert_ok(sot_source_open_file(path, made.schema, false, &source, &error), &error);
    assert_refused(
        sot_table_of_source(source, made.schema, made.encoding, &table, &error),
        SOTTO_INVALID_ARGUMENT, &error, "person", "leave out `stream`", NULL);
    sot_source_close(source);
    (void)unlink(path);
    end_study(&made);
}

static void no_allocation_failure_leaks_or_lies(void **state)
{
    (void)state;
    study made = study_of(matrix_text);
    char path[160], labels[160];
    write_arrays(path, labels, 5);
    for (size_t nth = 1;; nth++) {
        sotto_error error;
        sot_source *source = NULL;
        sot_table *table = NULL;
        const sot_matrix *chunk = NULL;
        const sotto_data_file file = {.path = path, .labels = labels};
        (void)sot_test_fail_allocation(nth);
        sotto_status status = sot_source_open(&file, made.schema, false, &source, &error);
        if (status == SOTTO_OK)
            status =
                sot_table_of_source(source, made.schema, made.encoding, &table, &error);
        for (int pass = 0; pass < 2; pass++) {
            if (status == SOTTO_OK) status = sot_table_rewind(table, &error);
            if (status == SOTTO_OK) status = sot_table_next(table, &chunk, &error);
        }
        const size_t asked = sot_test_fail_allocation(0);
        sot_table_free(table);
        sot_source_close(source);
        if (asked < nth) {
            assert_int_equal(status, SOTTO_OK);
            break;
        }
        assert_int_equal(status, SOTTO_OUT_OF_MEMORY);
    }
    (void)unlink(path);
    (void)unlink(labels);
    end_study(&made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stream_of_libsvm_is_the_matrix),
        cmocka_unit_test(a_stream_of_csv_is_the_matrix),
        cmocka_unit_test(a_stream_of_arrays_is_the_matrix),
        cmocka_unit_test(a_file_that_changes_is_seen_before_its_pass_counts),
        cmocka_unit_test(what_cannot_be_read_twice_is_refused),
        cmocka_unit_test(units_cannot_be_bounded_in_a_stream),
        cmocka_unit_test(no_allocation_failure_leaks_or_lies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
