/* Matrices from several threads: those of one thread, byte for byte, for every layout and for units. */
#include "data/files.h"

#include "base/memory.h"
#include "data/batches/matrix.h"

enum { ROWS = 60000, PEOPLE = 9000 };

static const char schema_text[] =
    "{%s\"target\": \"ill\", \"columns\": [{\"name\": \"person\", \"type\": \"id\"},"
    "{\"name\": \"dose\", \"type\": \"number\", \"lower\": 0, \"upper\": 8},"
    "{\"name\": \"ill\", \"type\": \"boolean\"},"
    "{\"name\": \"town\", \"type\": \"category\", \"values\": [%s]}]}";

typedef enum layout { DENSE, SPARSE, CELLS, BINS } layout;

static const double cuts[] = {1, 2, 5};
static const sot_cells_grid grids[] = {
    {.column = 1, .lower = 0, .upper = 8, .missing = 4, .cells = 4, .cuts = cuts},
    {.column = 2, .indicator = true, .value = 1, .cells = 2}};

typedef struct subject {
    sotto_schema *schema;
    sot_encoding *encoding;
    const char *path;
} subject;

static sot_encoding *encoding_of(const sotto_schema *schema, layout kind)
{
    sotto_error error;
    sot_encoding *encoding = NULL;
    const sot_bins_rule rule = {.basis = SOTTO_BASIS_BINS, .bins = 16};
    const sotto_status status =
        kind == CELLS ? sot_encoding_new_cells(schema, NULL, grids, 2, &encoding, &error)
        : kind == BINS
            ? sot_encoding_new_blocks(schema, NULL, SOT_TARGET_CLASSES, &rule, &encoding,
                                      &error)
            : sot_encoding_new(schema, NULL, SOT_TARGET_CLASSES, &encoding, &error);
    assert_ok(status, &error);
    if (kind == BINS) sot_encoding_hold_bins(encoding);
    return encoding;
}

/* Odd lines among the others, and some thousand times the lines of one person. */
static subject begin(layout kind, bool with_unit, bool is_packed)
{
    subject of = {0};
    char towns[1024] = "", text[2048];
    const size_t count = kind == SPARSE ? 90 : 5;
    for (size_t i = 0, used = 0; i < count; i++)
        used += (size_t)sprintf(towns + used, "%s\"t%zu\"", i > 0 ? "," : "", i);
    snprintf(text, sizeof text, schema_text,
             with_unit ? "\"unit\": {\"column\": \"person\", \"rows\": 2}, " : "", towns);
    of.schema = parse_schema(text);
    of.encoding = encoding_of(of.schema, kind);
    uint64_t seed = 3 + kind;
    char *lines = malloc(64 * (ROWS + 1));
    size_t used = (size_t)sprintf(lines, "person,dose,ill,town\n");
    for (size_t i = 0; i < ROWS; i++) {
        const uint64_t bits = next_bits(&seed);
        const uint64_t person = bits % 10 == 0 ? 0 : (bits >> 8) % PEOPLE;
        used += (size_t)sprintf(
            lines + used, bits % 97 == 0 ? "\n" : "p%llu,%.3f,%d,t%llu\n",
            (unsigned long long)person, (double)(bits >> 20 & 8191) / 1000.0,
            (int)(bits >> 40 & 1), (unsigned long long)(bits >> 45) % count);
    }
    of.path = is_packed ? write_packed("gather.csv.gz", lines, used)
                        : write_bytes("gather.csv", lines, used);
    free(lines);
    return of;
}

static void end(subject *of)
{
    (void)unlink(of->path);
    sot_encoding_free(of->encoding);
    sotto_schema_free(of->schema);
}

static sotto_status load(const subject *of, size_t threads, sot_matrix **out_matrix,
                         sotto_error *error)
{
    sotto_rng *rng = NULL;
    sot_source *source = NULL;
    *out_matrix = NULL;
    sotto_status status = sotto_rng_new_for_test(8, &rng, error);
    if (status == SOTTO_OK)
        status = sot_source_open_file(of->path, of->schema, false, &source, error);
    if (status == SOTTO_OK) {
        sot_source_set_threads(source, threads);
        status =
            sot_matrix_load(source, of->schema, of->encoding, rng, out_matrix, error);
    }
    sot_source_close(source);
    sotto_rng_free(rng);
    return status;
}

static void assert_same(const sot_matrix *a, const sot_matrix *b)
{
    const size_t rows = a->rows;
    assert_int_equal(rows, b->rows);
    assert_memory_equal(a->labels, b->labels, rows * sizeof *a->labels);
    if (a->dense != NULL)
        assert_memory_equal(a->dense, b->dense, rows * a->stride * sizeof *a->dense);
    if (a->cells != NULL)
        assert_memory_equal(a->cells, b->cells, rows * a->columns * sizeof *a->cells);
    if (a->layout != NULL)
        assert_memory_equal(a->bins, b->bins, rows * sot_matrix_row_bytes(a));
    if (a->starts == NULL) return;
    assert_memory_equal(a->starts, b->starts, (rows + 1) * sizeof *a->starts);
    assert_memory_equal(a->indices, b->indices, a->starts[rows] * sizeof *a->indices);
    assert_memory_equal(a->values, b->values, a->starts[rows] * sizeof *a->values);
}

static void assert_gathered(const subject *of, layout kind)
{
    static const size_t threads[] = {2, 3, 8, 0};
    sotto_error error;
    sot_matrix *plain = NULL;
    assert_ok(load(of, 1, &plain, &error), &error);
    assert_true((plain->dense != NULL) == (kind == DENSE));
    assert_true((plain->starts != NULL) == (kind == SPARSE));
    assert_true((plain->cells != NULL) == (kind == CELLS));
    assert_true((plain->layout != NULL) == (kind == BINS));
    for (size_t i = 0; i < sizeof threads / sizeof threads[0]; i++) {
        sot_matrix *gathered = NULL;
        assert_ok(load(of, threads[i], &gathered, &error), &error);
        assert_same(plain, gathered);
        sot_matrix_free(gathered);
    }
    sot_matrix_free(plain);
}

static void rows_are_those_of_one_thread(void **state)
{
    (void)state;
    for (layout kind = DENSE; kind <= BINS; kind++) {
        subject of = begin(kind, false, kind == SPARSE);
        assert_gathered(&of, kind);
        end(&of);
    }
}

static void units_keep_the_rows_that_they_keep_on_one_thread(void **state)
{
    (void)state;
    for (layout kind = DENSE; kind <= BINS; kind++) {
        subject of = begin(kind, true, kind == DENSE);
        assert_gathered(&of, kind);
        end(&of);
    }
}

/* Peak memory: at most a quarter more than the rows, and a little. */
static void room_is_at_most_a_quarter_more(void **state)
{
    (void)state;
    sotto_error error;
    for (size_t threads = 1; threads < 3; threads++) {
        subject of = begin(DENSE, false, false);
        sot_matrix *matrix = NULL;
        assert_ok(load(&of, threads, &matrix, &error), &error);
        assert_true(matrix->rows == ROWS && matrix->room_rows < 2 * ROWS);
        sot_matrix_free(matrix);
        end(&of);
    }
}

static void refused_allocations_are_errors(void **state)
{
    (void)state;
    for (size_t shape = 0; shape < 2; shape++) {
        subject of = begin(shape == 0 ? DENSE : SPARSE, true, false);
        size_t failures = 0;
        for (size_t nth = 1; nth < 40000; nth += nth < 150 ? 1 : 1777) {
            sotto_error error;
            sot_matrix *matrix = NULL;
            (void)sot_test_fail_allocation(nth);
            const sotto_status status = load(&of, 2, &matrix, &error);
            (void)sot_test_fail_allocation(0);
            sot_matrix_free(matrix);
            if (status == SOTTO_OK) continue;
            assert_int_equal(status, SOTTO_OUT_OF_MEMORY);
            failures++;
        }
        assert_true(failures > 100);
        end(&of);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_those_of_one_thread),
        cmocka_unit_test(units_keep_the_rows_that_they_keep_on_one_thread),
        cmocka_unit_test(room_is_at_most_a_quarter_more),
        cmocka_unit_test(refused_allocations_are_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
