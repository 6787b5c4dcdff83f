/* tests/tape.h: does a computation show anything of its data besides its paid releases?
 *
 * Idea        A run on D is recorded at the gate, then repeated on a neighbour D' with the gate's
 *             answers forced equal (src/privacy/mechanisms/gate/tape.h). Now everything an onlooker
 *             sees must be equal, byte for byte: calls of the gate, standard output, standard
 *             error, exit code, names, modes and contents of the files written. And the exact
 *             values handed to the gate may differ by what was declared, and no more.
 * Use         Write a run function that does what your learner does from a table, then
 *
 *                 const char *leak = tape_check_neighbours(&study, SOTTO_ADD_REMOVE);
 *                 if (leak != NULL) fail_msg("%s", leak);
 *
 *             It tries data sets with no, one, two and more rows, and every neighbour that the
 *             generators make: rows added, removed, replaced; ordinary, NaN, infinite, of
 *             unknown category, duplicated, extreme; and the same rows in another order.
 */
#ifndef SOTTO_TESTS_TAPE_H
#define SOTTO_TESTS_TAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <sotto/accountant.h>

/* What ordinary cells of a column look like: numbers from low to high, or one of the categories
 * (NULL ends them). */
typedef struct tape_column {
    const char *name;
    double low, high;
    const char *const *categories; /* NULL: a column of numbers */
} tape_column;

typedef struct tape_cell {
    double number;
    const char
        *text; /* not NULL in a column of categories; lives as long as the program */
} tape_cell;

typedef struct tape_table {
    const tape_column *columns;
    size_t column_count;
    size_t rows;
    tape_cell *cells; /* row by row */
} tape_table;

static inline const tape_cell *tape_at(const tape_table *table, size_t row, size_t column)
{
    return &table->cells[row * table->column_count + column];
}

/* Ordinary rows, the same for the same seed. */
tape_table *tape_table_new(const tape_column *columns, size_t column_count, size_t rows,
                           uint64_t seed);
void tape_table_free(tape_table *table); /* NULL is fine */

/* A header line and one line a row; numbers as %.17g, nan, inf, -inf. */
void tape_table_write_csv(const tape_table *table, FILE *file);

/* ---- neighbours ---- */

/* The row that comes in, or TAPE_NO_ROW when one only leaves. */
typedef enum tape_row {
    TAPE_ORDINARY,
    TAPE_NAN,              /* every number NaN */
    TAPE_INFINITE,         /* every number +inf */
    TAPE_MINUS_INFINITE,   /* every number -inf */
    TAPE_UNKNOWN_CATEGORY, /* every category one that the schema does not know */
    TAPE_EMPTY_CATEGORY,   /* every category "" */
    TAPE_DUPLICATE,        /* a copy of another row */
    TAPE_LARGEST,          /* every number DBL_MAX */
    TAPE_SMALLEST,         /* every number -DBL_MAX */
    TAPE_HIGH,             /* every number at the column's high end */
    TAPE_LOW,              /* and low end */
    TAPE_NO_ROW,
    TAPE_ROWS
} tape_row;

/* The neighbour of `table`: SOTTO_ADD_REMOVE: `row` is inserted before row `position`, or that
 * row is removed (TAPE_NO_ROW); SOTTO_REPLACE_ONE: `row` takes the place of row `position`. NULL
 * if there is no such neighbour. */
tape_table *tape_neighbour(const tape_table *table, sotto_adjacency adjacency,
                           tape_row row, size_t position);

/* The same rows backwards. */
tape_table *tape_reversed(const tape_table *table);

/* ---- checks ---- */

/* Where a run finds the table as a CSV file, and the directory, empty, in which it may write
 * what it releases. Both paths are the same in every run of one check. */
typedef struct tape_place {
    const char *input_path;
    const char *output_directory;
} tape_place;

/* One run; the result counts as its exit code. It must make its own generator from a fixed test
 * seed, may print, and always returns: no assertions inside, they would leave by longjmp(). */
typedef int (*tape_run)(const tape_table *table, const tape_place *place, void *context);

typedef struct tape_study {
    tape_run run;
    void *context;
    const tape_column *columns;
    size_t column_count;
} tape_study;

/* What an onlooker could tell the two apart by: NULL, or a description in static memory, which
 * names the pair when the neighbour came from a generator. */
const char *tape_check(const tape_study *study, const tape_table *table,
                       const tape_table *neighbour);

/* The same records in another order: also the exact values must be equal. */
const char *tape_check_order(const tape_study *study, const tape_table *table);

/* All generated data sets and neighbours, in both directions, and another order. */
const char *tape_check_neighbours(const tape_study *study, sotto_adjacency adjacency);

/* One run, recorded: how many releases the gate let through, and the exit code. */
size_t tape_releases(const tape_study *study, const tape_table *table,
                     int *out_exit_code);

#endif
