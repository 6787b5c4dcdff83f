/* Conditions (--where) on tables in storage: a stored row leaves the selection, enters it or changes, and nothing shows but
 * what was paid for. */
#include "support.h"

#include "source_cases.h"

#define LENGTH(list) (sizeof(list) / sizeof(list)[0])

static const source_layout layouts[] = {SOURCE_CSV_WHERE, SOURCE_CSV_NARROW,
                                        SOURCE_TABLE_WHERE, SOURCE_JSON_WHERE};

static void expect_none(const char *leak)
{
    if (leak != NULL) fail_msg("%s", leak);
}

static void releases_show_nothing_of_a_row_that_is_selected(void **state)
{
    (void)state;
    expect_none(source_leak_of_all(true, STUDIES_MAX, SOTTO_ADD_REMOVE, layouts,
                                   LENGTH(layouts)));
    expect_none(source_leak_of_all(true, STUDIES_MAX, SOTTO_REPLACE_ONE, layouts,
                                   LENGTH(layouts)));
}

static void trainings_show_nothing_of_a_row_that_is_selected(void **state)
{
    (void)state;
    expect_none(source_leak_of_all(false, 3, SOTTO_ADD_REMOVE, layouts, 1));
    expect_none(source_leak_of_all(false, 3, SOTTO_REPLACE_ONE, layouts + 2, 1));
}

static void units_show_nothing_of_rows_that_are_selected(void **state)
{
    (void)state;
    expect_none(source_leak_of_units(layouts, LENGTH(layouts)));
}

/* ---- generated conditions ---- */

enum { CONDITIONS = 220, CONDITION_BYTES = 512 };

static uint64_t seed = 20261118;
static size_t below(size_t size)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (size_t)(seed >> 33) % size;
}

static void generate(char *out, size_t depth)
{
    static const char *const tests[] = {"age > 85",
                                        "age <= 89.5",
                                        "age = 90",
                                        "age IS NULL",
                                        "age BETWEEN 80 AND 1e6",
                                        "age NOT IN (81, 90)",
                                        "visits >= 3",
                                        "visits != 0",
                                        "visits IS NOT NULL",
                                        "visits IN (1,2,6)",
                                        "town = 'Lund'",
                                        "town IS NULL",
                                        "town > 'Lund'",
                                        "town NOT IN ('Ystad')",
                                        "person = 'p1'",
                                        "person < 'p2'",
                                        "person IS NULL",
                                        "smokes = 'yes'",
                                        "smokes <> 'no'",
                                        "smokes BETWEEN 'a' AND 'o'"};
    const size_t kind = below(depth > 2 ? 1 : 4);
    if (kind == 3) strcat(out, "NOT ");
    if (kind > 0) strcat(out, "(");
    if (kind > 0) generate(out, depth + 1);
    if (kind == 1 || kind == 2) {
        strcat(out, kind == 1 ? " AND " : " OR ");
        generate(out, depth + 1);
    }
    if (kind > 0) strcat(out, ")");
    if (kind == 0) strcat(out, tests[below(LENGTH(tests))]);
}

/* One cell of one row becomes another: the row leaves the selection, enters it, or neither. */
static void change_cell(tape_table *table, size_t row)
{
    static const char *const odd[] = {
        "",   "nan",  "-inf", "1e999", "\"quo\"te", "\xff\xfe", "90",
        "p1", "Lund", "86 ",  "3",     "yes\t",     "'x'",      "9999999999999999999"};
    const size_t column = below(table->column_count);
    tape_cell *cell = &table->cells[row * table->column_count + column];
    *cell = (tape_cell){.text = odd[below(LENGTH(odd))]};
}

static const char *leak_of_condition(source_study *study, const char *where)
{
    const tape_study tape = source_tape(study);
    tape_table *table = tape_table_new(source_columns, SOURCE_COLUMNS, 5, 11 + below(9));
    tape_table *neighbour = tape_table_new(source_columns, SOURCE_COLUMNS, 5, 1);
    int exit_code = -1;
    memcpy(neighbour->cells, table->cells,
           table->rows * table->column_count * sizeof *table->cells);
    const size_t row = below(5);
    if (study->release.adjacency == SOTTO_ADD_REMOVE) {
        memmove(&neighbour->cells[row * table->column_count],
                &neighbour->cells[(row + 1) * table->column_count],
                (4 - row) * table->column_count * sizeof *table->cells);
        neighbour->rows = 4;
        change_cell(table, row); /* the row that is gone has an odd cell */
    } else {
        change_cell(neighbour, row);
    }
    study->where = where;
    const char *leak = NULL;
    if (tape_releases(&tape, table, &exit_code) == 0 || exit_code != 0) leak = "it fails";
    if (leak == NULL) leak = tape_check(&tape, table, neighbour);
    if (leak == NULL) leak = tape_check(&tape, neighbour, table);
    tape_table_free(table);
    tape_table_free(neighbour);
    return leak;
}

static void generated_conditions_show_nothing_of_a_row(void **state)
{
    (void)state;
    source_study studies[STUDIES_MAX];
    for (size_t i = 0; i < CONDITIONS; i++) {
        char where[CONDITION_BYTES] = "";
        const bool replaced = i % 2 == 0;
        const size_t size = all_releases(studies, replaced, true);
        source_study *study = &studies[(i / 2) % size];
        generate(where, 0);
        study->layout = i % 4 == 0   ? SOURCE_TABLE_WHERE
                        : i % 4 == 1 ? SOURCE_JSON_WHERE
                                     : SOURCE_CSV_WHERE;
        const char *leak = leak_of_condition(study, where);
        if (leak != NULL)
            fail_msg("%s, %s, %s: %s", where, study->name, source_names[study->layout],
                     leak);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(releases_show_nothing_of_a_row_that_is_selected),
        cmocka_unit_test(trainings_show_nothing_of_a_row_that_is_selected),
        cmocka_unit_test(units_show_nothing_of_rows_that_are_selected),
        cmocka_unit_test(generated_conditions_show_nothing_of_a_row),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
