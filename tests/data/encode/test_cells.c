/* Cells: the place of a number on a public grid; matrices, streams and units of places. */
#include "data/files.h"

#include <float.h>

#include <sotto/rng.h>

#include "base/memory.h"
#include "data/batches/table.h"

/* ---- places ---- */

static const double some_cuts[] = {-3.5, 0.0, 0.125, 7.0};
static const sot_cells_grid by_cuts = {
    .lower = -4, .upper = 8, .missing = 0.1, .cells = 5, .cuts = some_cuts};

static void a_place_is_the_number_of_cuts_at_or_below(void **state)
{
    (void)state;
    static const double values[] = {-1e300, -3.5000001, -3.5, -0.0, 0.0,   0.1,
                                    0.125,  6.9999,     7.0,  8.0,  1e300, 0.12499};
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        uint32_t below = 0;
        for (size_t k = 0; k < 4; k++)
            below += some_cuts[k] <= values[i];
        assert_int_equal(sot_cells_place(&by_cuts, values[i]), below);
    }
    for (uint64_t place = 1; place < 5; place++)
        assert_true(sot_cells_edge(&by_cuts, place) == some_cuts[place - 1]);
}

static void what_is_no_number_counts_as_the_missing_one(void **state)
{
    (void)state;
    static const double strange[] = {NAN, -NAN, INFINITY, -INFINITY};
    const sot_cells_grid equal = {.lower = -4, .upper = 8, .missing = 3.25, .cells = 64};
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(sot_cells_place(&by_cuts, strange[i]), 2);
        assert_int_equal(sot_cells_place(&equal, strange[i]),
                         sot_cells_place(&equal, 3.25));
    }
}

/* Every integer has its own cell, at every size; (k / n) n would lose some of them. */
static void an_integer_has_a_cell_of_its_own(void **state)
{
    (void)state;
    static const double lowers[] = {0, -17, 1, -0x1p51};
    static const uint64_t sizes[] = {2, 3, 49, 93, 1000, 1 << 20, SOT_CELLS_MAX};
    uint64_t stream = 3;
    for (size_t i = 0; i < 4; i++) {
        for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
            const sot_cells_grid grid = {.lower = lowers[i],
                                         .upper = lowers[i] + (double)sizes[k],
                                         .cells = sizes[k]};
            for (uint64_t t = 0; t < 200; t++) {
                const uint64_t place =
                    t < 100 && t < sizes[k] ? t : next_bits(&stream) % sizes[k];
                assert_int_equal(sot_cells_place(&grid, lowers[i] + (double)place),
                                 place);
                if (place > 0)
                    assert_true(sot_cells_edge(&grid, place) ==
                                lowers[i] + (double)place);
            }
            assert_int_equal(sot_cells_place(&grid, lowers[i] - 1), 0);
            assert_int_equal(sot_cells_place(&grid, grid.upper), sizes[k] - 1);
            assert_int_equal(sot_cells_place(&grid, DBL_MAX), sizes[k] - 1);
            assert_int_equal(sot_cells_place(&grid, -DBL_MAX), 0);
        }
    }
}

/* Also between neighbouring doubles around every edge that is looked at. */
static void places_are_monotone(void **state)
{
    (void)state;
    static const uint64_t sizes[] = {2, 8, 65536, SOT_CELLS_MAX};
    uint64_t stream = 4;
    for (size_t k = 0; k < 4; k++) {
        const sot_cells_grid grid = {.lower = -0.1, .upper = 123.7, .cells = sizes[k]};
        for (int t = 0; t < 500; t++) {
            const uint64_t place = 1 + next_bits(&stream) % (sizes[k] - 1);
            double value = sot_cells_edge(&grid, place);
            for (int step = 0; step < 40; step++)
                value = nextafter(value, -INFINITY);
            uint32_t before = sot_cells_place(&grid, value);
            assert_true(before + 1 >= place && before <= place);
            for (int step = 0; step < 80; step++) {
                value = nextafter(value, INFINITY);
                const uint32_t now = sot_cells_place(&grid, value);
                assert_true(now >= before && now < sizes[k]);
                before = now;
            }
            assert_int_equal(before, place);
        }
    }
}

/* ---- records ---- */

static void a_record_of_a_matrix_lists_what_is_not_zero(void **state)
{
    (void)state;
    static const uint32_t indices[] = {0, 3, 4, 900};
    static const double values[] = {1.5, -2.5, NAN, 0.25};
    const sot_record record = {.indices = indices, .values = values, .count = 4};
    static const size_t columns[] = {0, 1, 2, 3, 4, 5, 899, 900, 901};
    static const double read[] = {1.5, 0, 0, -2.5, 0.75, 0, 0, 0.25, 0};
    for (size_t i = 0; i < 9; i++) {
        const sot_cells_grid grid = {.column = columns[i],
                                     .lower = -4,
                                     .upper = 4,
                                     .missing = 0.75,
                                     .cells = 1024};
        assert_int_equal(sot_cells_of_record(&grid, &record),
                         sot_cells_place(&grid, read[i]));
    }
    const sot_record empty = {.count = 0};
    const sot_cells_grid grid = {.lower = -4, .upper = 4, .cells = 1024};
    assert_int_equal(sot_cells_of_record(&grid, &empty), 512);
}

static void an_indicator_is_one_value_of_a_category(void **state)
{
    (void)state;
    const sot_cells_grid grid = {.column = 1, .indicator = true, .value = 2, .cells = 2};
    static const double cells[] = {0, 1, 2, 3, NAN, INFINITY, -2};
    for (size_t i = 0; i < 7; i++) {
        const double row[] = {9, cells[i]};
        const sot_record record = {.cells = row};
        assert_int_equal(sot_cells_of_record(&grid, &record), i == 2);
    }
}

/* ---- matrices ---- */

typedef struct study {
    sotto_schema *schema;
    sot_encoding *encoding;
} study;

static const double dose_cuts[] = {0.5, 2.0, 6.0};
static const sot_cells_grid grids[] = {
    {.column = 1, .lower = 0, .upper = 8, .missing = 4, .cells = 4, .cuts = dose_cuts},
    {.column = 3, .indicator = true, .value = 1, .cells = 2},
    {.column = 1, .lower = 0, .upper = 8, .missing = 4, .cells = SOT_CELLS_MAX},
};
enum { GRIDS = 3 };

static study begin_study(bool with_unit)
{
    char text[512];
    sotto_error error;
    snprintf(
        text, sizeof text,
        "{%s\"target\": \"ill\", \"columns\": [{\"name\": \"person\", \"type\": \"id\"},"
        "{\"name\": \"dose\", \"type\": \"number\", \"lower\": 0, \"upper\": 8},"
        "{\"name\": \"ill\", \"type\": \"boolean\"},"
        "{\"name\": \"town\", \"type\": \"category\", \"values\": [\"t0\", \"t1\", "
        "\"t2\"]}]}",
        with_unit ? "\"unit\": {\"column\": \"person\", \"rows\": 2}, " : "");
    study made = {.schema = parse_schema(text)};
    assert_ok(
        sot_encoding_new_cells(made.schema, NULL, grids, GRIDS, &made.encoding, &error),
        &error);
    return made;
}

static void end_study(study *made)
{
    sot_encoding_free(made->encoding);
    sotto_schema_free(made->schema);
}

/* Bad cells too: they are the schema's missing values. */
static char *rows_text(uint64_t seed, size_t rows, uint64_t people)
{
    char *text = malloc(64 * (rows + 1));
    size_t used = (size_t)sprintf(text, "person,dose,ill,town\n");
    for (size_t i = 0; i < rows; i++) {
        const uint64_t person = next_bits(&seed) % people;
        const uint64_t bits = next_bits(&seed);
        if (bits % 13 == 0) {
            used += (size_t)sprintf(text + used, "p%llu,what,,nowhere\n",
                                    (unsigned long long)person);
            continue;
        }
        used +=
            (size_t)sprintf(text + used, "p%llu,%.3f,%d,t%llu\n",
                            (unsigned long long)person, (double)(bits % 8000) / 1000.0,
                            (int)(bits >> 20 & 1), (unsigned long long)(bits >> 30) % 3);
    }
    return text;
}

static const char *write_rows(const char *name, uint64_t seed, size_t rows,
                              uint64_t people)
{
    char *text = rows_text(seed, rows, people);
    const char *path = write_bytes(name, text, strlen(text));
    free(text);
    return path;
}

static sotto_status load(const study *made, const char *path, sot_matrix **out_matrix,
                         sotto_error *error)
{
    sotto_rng *rng = NULL;
    sot_source *source = NULL;
    *out_matrix = NULL;
    sotto_status status = sotto_rng_new_for_test(5, &rng, error);
    if (status == SOTTO_OK)
        status = sot_source_open_file(path, made->schema, false, &source, error);
    if (status == SOTTO_OK)
        status =
            sot_matrix_load(source, made->schema, made->encoding, rng, out_matrix, error);
    sot_source_close(source);
    sotto_rng_free(rng);
    return status;
}

static void the_encoding_says_what_it_is(void **state)
{
    (void)state;
    static const char *const names[] = {"dose", "town=t1", "dose"};
    study made = begin_study(false);
    assert_true(sot_encoding_is_cells(made.encoding));
    assert_int_equal(sot_encoding_dimension(made.encoding), GRIDS);
    for (size_t i = 0; i < GRIDS; i++)
        assert_string_equal(sot_encoding_feature(made.encoding, i), names[i]);
    assert_int_equal(sot_encoding_classes(made.encoding), 2);
    assert_true(sot_encoding_intercept(made.encoding) == 0.0);
    sot_encoding *other = NULL;
    sotto_error error;
    assert_ok(sot_encoding_new(made.schema, NULL, SOT_TARGET_CLASSES, &other, &error),
              &error);
    assert_false(sot_encoding_is_cells(other));
    sot_encoding_free(other);
    assert_refused(
        sot_encoding_new_cells(made.schema, "dose", grids, GRIDS, &other, &error),
        SOTTO_INVALID_ARGUMENT, &error, "dose", "labels", NULL);
    end_study(&made);
    made.schema = parse_schema("{\"features\": 12, \"labels\": [0, 1], \"row_norm\": "
                               "{\"bound\": 1.0, \"rule\": \"clip\"}}");
    const sot_cells_grid eleventh = {.column = 10, .upper = 1, .cells = 2};
    assert_ok(
        sot_encoding_new_cells(made.schema, NULL, &eleventh, 1, &made.encoding, &error),
        &error);
    assert_string_equal(sot_encoding_feature(made.encoding, 0), "11");
    end_study(&made);
}

static void every_record_is_its_row_of_places(void **state)
{
    (void)state;
    enum { ROWS = 5000 };
    sotto_error error;
    sot_matrix *matrix = NULL;
    sot_source *source = NULL;
    study made = begin_study(false);
    const char *path = write_rows("cells.csv", 11, ROWS, 9);
    assert_ok(load(&made, path, &matrix, &error), &error);
    assert_int_equal(matrix->rows, ROWS);
    assert_int_equal(matrix->columns, GRIDS);
    assert_null(matrix->dense);
    assert_null(matrix->starts);
    assert_ok(sot_source_open_file(path, made.schema, false, &source, &error), &error);
    for (size_t row = 0; row < ROWS; row++) {
        sot_record record;
        bool more;
        assert_ok(sot_source_next(source, &record, &more, &error), &error);
        const uint32_t *places = matrix->cells + row * GRIDS;
        assert_int_equal(places[0], sot_cells_place(&grids[0], record.cells[1]));
        assert_int_equal(places[1], record.cells[3] == 1.0);
        assert_int_equal(places[2], sot_cells_place(&grids[2], record.cells[1]));
        assert_true(matrix->labels[row] == (record.cells[2] == 1.0 ? 1.0 : -1.0));
    }
    sot_source_close(source);
    sot_matrix_free(matrix);
    (void)unlink(path);
    end_study(&made);
}

static void a_stream_gives_the_same_places_in_every_pass(void **state)
{
    (void)state;
    enum { ROWS = 70000 }; /* more than a chunk */
    sotto_error error;
    sot_matrix *matrix = NULL;
    sot_source *source = NULL;
    sot_table *table = NULL;
    study made = begin_study(false);
    const char *path = write_rows("cells.csv", 12, ROWS, 9);
    assert_ok(load(&made, path, &matrix, &error), &error);
    assert_ok(sot_source_open_file(path, made.schema, false, &source, &error), &error);
    assert_ok(sot_table_of_source(source, made.schema, made.encoding, &table, &error),
              &error);
    for (int pass = 0; pass < 2; pass++) {
        size_t rows = 0;
        size_t chunks = 0;
        assert_ok(sot_table_rewind(table, &error), &error);
        for (;; chunks++) {
            const sot_matrix *chunk = NULL;
            assert_ok(sot_table_next(table, &chunk, &error), &error);
            if (chunk == NULL) break;
            assert_true(rows + chunk->rows <= ROWS);
            assert_memory_equal(chunk->cells, matrix->cells + rows * GRIDS,
                                chunk->rows * GRIDS * sizeof *chunk->cells);
            assert_memory_equal(chunk->labels, matrix->labels + rows,
                                chunk->rows * sizeof *chunk->labels);
            rows += chunk->rows;
        }
        assert_int_equal(rows, ROWS);
        assert_int_equal(chunks, 2);
    }
    sot_table_free(table);
    sot_source_close(source);
    sot_matrix_free(matrix);
    (void)unlink(path);
    end_study(&made);
}

/* The neighbours of src/data/batches/unit.md: many rows are replaced on the way, and the gaps closed. */
static void removing_a_person_removes_their_rows_and_nothing_else(void **state)
{
    (void)state;
    enum { ROWS = 12000, PEOPLE = 40 };
    sotto_error error;
    sot_matrix *whole = NULL;
    study made = begin_study(true);
    char *text = rows_text(13, ROWS, PEOPLE);
    char *less = malloc(strlen(text) + 1);
    const char *path = write_bytes("whole.csv", text, strlen(text));
    assert_ok(load(&made, path, &whole, &error), &error);
    assert_int_equal(whole->rows, 2 * PEOPLE);
    assert_true(whole->room_rows <= 4096);
    (void)unlink(path);
    for (int person = 0; person < PEOPLE; person += 7) {
        char start[16];
        size_t used = 0;
        size_t at = 0;
        size_t gone = 0;
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
        assert_ok(load(&made, path, &without, &error), &error);
        assert_int_equal(without->rows, whole->rows - 2);
        for (size_t row = 0; row < whole->rows; row++) {
            const bool same =
                at < without->rows && whole->labels[row] == without->labels[at] &&
                memcmp(whole->cells + row * GRIDS, without->cells + at * GRIDS,
                       GRIDS * sizeof *whole->cells) == 0;
            at += same;
            gone += !same;
        }
        assert_int_equal(gone, 2);
        sot_matrix_free(without);
        (void)unlink(path);
    }
    sot_matrix_free(whole);
    free(less);
    free(text);
    end_study(&made);
}

static void no_allocation_failure_leaks_or_lies(void **state)
{
    (void)state;
    sotto_error error;
    study made = begin_study(true);
    const char *path = write_rows("cells.csv", 14, 2600, 2000);
    for (size_t nth = 1;; nth += nth < 40 ? 1 : 197) {
        sot_matrix *matrix = NULL;
        (void)sot_test_fail_allocation(nth);
        const sotto_status status = load(&made, path, &matrix, &error);
        const size_t asked = sot_test_fail_allocation(0);
        assert_true((matrix != NULL) == (status == SOTTO_OK));
        sot_matrix_free(matrix);
        if (asked < nth) {
            assert_int_equal(status, SOTTO_OK);
            break;
        }
        assert_int_equal(status, SOTTO_OUT_OF_MEMORY);
    }
    for (size_t nth = 1;; nth++) {
        sot_encoding *encoding = NULL;
        (void)sot_test_fail_allocation(nth);
        const sotto_status status =
            sot_encoding_new_cells(made.schema, NULL, grids, GRIDS, &encoding, &error);
        const size_t asked = sot_test_fail_allocation(0);
        assert_true((encoding != NULL) == (status == SOTTO_OK));
        sot_encoding_free(encoding);
        if (asked < nth) break;
        assert_int_equal(status, SOTTO_OUT_OF_MEMORY);
    }
    (void)unlink(path);
    end_study(&made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_place_is_the_number_of_cuts_at_or_below),
        cmocka_unit_test(what_is_no_number_counts_as_the_missing_one),
        cmocka_unit_test(an_integer_has_a_cell_of_its_own),
        cmocka_unit_test(places_are_monotone),
        cmocka_unit_test(a_record_of_a_matrix_lists_what_is_not_zero),
        cmocka_unit_test(an_indicator_is_one_value_of_a_category),
        cmocka_unit_test(the_encoding_says_what_it_is),
        cmocka_unit_test(every_record_is_its_row_of_places),
        cmocka_unit_test(a_stream_gives_the_same_places_in_every_pass),
        cmocka_unit_test(removing_a_person_removes_their_rows_and_nothing_else),
        cmocka_unit_test(no_allocation_failure_leaks_or_lies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
