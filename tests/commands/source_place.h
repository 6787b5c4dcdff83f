/* The tables of the source tape, and where they lie: files, databases, pipes, Arrow streams.
 *
 * A neighbour is made where the data lives: a stored row comes, goes or changes, and with that leaves a selection
 * or enters it, moves within an index or a primary key, changes its unit.
 */
#ifndef SOTTO_TESTS_SOURCE_PLACE_H
#define SOTTO_TESTS_SOURCE_PLACE_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sqlite3.h>
#include <zlib.h>

#include <sotto/data_file.h>

#include "commands/arrow_source.h"
#include "tape.h"

static const char *const source_towns[] = {"Lund", "Ystad", NULL};
static const char *const source_answers[] = {"no", "yes", NULL};
static const char *const source_people[] = {"p1", "p2", "p3", NULL};

/* The bounds of age are far from 0: a row that leaves moves a sum by much more than one that changes. */
static const tape_column source_columns[] = {{"age", 80.0, 90.0, NULL},
                                             {"visits", 0.0, 6.0, NULL},
                                             {"town", 0.0, 0.0, source_towns},
                                             {"person", 0.0, 0.0, source_people},
                                             {"smokes", 0.0, 0.0, source_answers}};
enum { SOURCE_COLUMNS = sizeof source_columns / sizeof source_columns[0] };

#define SOURCE_COLUMNS_JSON                                                              \
    "\"target\": \"smokes\", \"columns\": ["                                             \
    "{\"name\": \"age\", \"type\": \"number\", \"lower\": 80, \"upper\": 90},"           \
    "{\"name\": \"visits\", \"type\": \"integer\", \"lower\": 0, \"upper\": 6},"         \
    "{\"name\": \"town\", \"type\": \"category\", \"values\": [\"Lund\", \"Ystad\"]},"   \
    "{\"name\": \"person\", \"type\": \"id\"},"                                          \
    "{\"name\": \"smokes\", \"type\": \"category\", \"values\": [\"no\", \"yes\"]}]}"
static const char source_schema[] = "{\"dataset\": \"source-1\", " SOURCE_COLUMNS_JSON;
static const char source_unit_schema[] =
    "{\"dataset\": \"source-1\", \"unit\": {\"column\": \"person\", \"rows\": 2}, "
    "\"row_norm\": {\"bound\": 1.25, \"rule\": \"clip\"}, " SOURCE_COLUMNS_JSON;

/* ---- layouts ---- */

typedef enum source_layout {
    SOURCE_CSV,
    SOURCE_PERMUTED, /* CSV, the columns backwards */
    SOURCE_TSV,
    SOURCE_GZIP,
    SOURCE_STREAM,        /* CSV from a pipe */
    SOURCE_DECLARED,      /* the same, declared to be a stored table */
    SOURCE_TABLE,         /* SQLite, all rows */
    SOURCE_WHERE,         /* rows above a middling age, which an index has in order */
    SOURCE_WITHOUT_ROWID, /* stored in the order of age */
    SOURCE_NARROW,        /* a condition that only one row or none meets */
    SOURCE_JSON_LINES,    /* some lines malformed, some with a name twice */
    SOURCE_SEMICOLONS,    /* CSV, told by its header */
    SOURCE_CSV_WHERE,     /* CSV and --where */
    SOURCE_CSV_NARROW,    /* the same, and one row or none is selected */
    SOURCE_TABLE_WHERE,   /* --table of a database, and --where */
    SOURCE_JSON_WHERE,    /* JSON lines as above, and --where */
    SOURCE_ARROW,         /* Arrow, a table in memory */
    SOURCE_ARROW_DECIMAL, /* the same, of decimals and large texts */
    SOURCE_ARROW_CODES,   /* the same, of dictionaries */
    SOURCE_ARROW_APART,   /* the same, and the target comes apart */
    SOURCE_ARROW_VIEWS,   /* a stream of views, declared to be a stored table */
    SOURCE_ARROW_STREAM,  /* a stream of dictionaries; its program left low ages out */
    SOURCE_LAYOUTS
} source_layout;

static const char *const source_names[] = {"csv",
                                           "permuted csv",
                                           "tsv",
                                           "gzip",
                                           "stream",
                                           "declared stream",
                                           "table",
                                           "where",
                                           "without rowid",
                                           "narrow where",
                                           "JSON lines",
                                           "CSV with semicolons",
                                           "csv where",
                                           "csv narrow where",
                                           "table where",
                                           "JSON lines where",
                                           "arrow",
                                           "arrow decimals",
                                           "arrow dictionaries",
                                           "arrow with the target apart",
                                           "arrow views",
                                           "arrow stream"};

static inline bool source_selects(source_layout layout)
{
    return layout == SOURCE_STREAM || layout == SOURCE_WHERE || layout == SOURCE_NARROW ||
           (layout >= SOURCE_CSV_WHERE && layout <= SOURCE_JSON_WHERE) ||
           layout == SOURCE_ARROW_STREAM;
}

static inline bool source_is_arrow(source_layout layout)
{
    return layout >= SOURCE_ARROW;
}

static inline const char *source_where(source_layout layout)
{
    static const char *const conditions[SOURCE_LAYOUTS] = {
        [SOURCE_CSV_WHERE] = "age > 85 OR town = 'Ystad' AND NOT visits IN (1, 2)",
        [SOURCE_CSV_NARROW] = "age >= 90 AND person IS NOT NULL",
        [SOURCE_JSON_WHERE] = "age < 89 AND (smokes = 'yes' OR town IS NULL)",
        [SOURCE_TABLE_WHERE] = "visits BETWEEN 2 AND 5 OR person = 'p1'"};
    return conditions[layout];
}

static inline const char *source_query(source_layout layout)
{
    static const char *const queries[SOURCE_LAYOUTS] = {
        [SOURCE_TABLE] = "SELECT * FROM t",
        [SOURCE_WHERE] =
            "SELECT age, visits, town, person, smokes FROM t WHERE age > 85.0",
        [SOURCE_WITHOUT_ROWID] = "SELECT age, visits, town, person, smokes FROM t",
        [SOURCE_NARROW] = "SELECT * FROM t WHERE age >= 90.0"};
    return queries[layout];
}

static inline void source_must(bool good)
{
    if (!good)
        abort(); /* a harness that cannot go on must not look like one that found nothing */
}

static inline void source_write_lines(const tape_table *table, char between,
                                      bool backwards, FILE *file)
{
    for (size_t i = 0; i <= table->rows; i++) {
        for (size_t j = 0; j < table->column_count; j++) {
            const size_t column = backwards ? table->column_count - 1 - j : j;
            if (j > 0) fputc(between, file);
            if (i == 0) {
                fputs(table->columns[column].name, file);
                continue;
            }
            const tape_cell *cell = tape_at(table, i - 1, column);
            if (cell->text != NULL) {
                fputs(cell->text, file);
            } else {
                fprintf(file, "%.17g", cell->number);
            }
        }
        fputc('\n', file);
    }
}

/* A number that is none makes a malformed line; of high ages there are two, of which the last counts. */
static inline void source_write_objects(const tape_table *table, FILE *file)
{
    for (size_t i = 0; i < table->rows; i++) {
        fputs(tape_at(table, i, 0)->number > 85.0 ? "{\"age\": 81" : "{\"x\": [null]",
              file);
        for (size_t j = 0; j < table->column_count; j++) {
            const tape_cell *cell = tape_at(table, i, j);
            fprintf(file, ", \"%s\": ", table->columns[j].name);
            if (cell->text != NULL) {
                fprintf(file, "\"%s\"", cell->text);
            } else {
                fprintf(file, "%.17g", cell->number);
            }
        }
        fputs("}\n", file);
    }
}

static inline void source_insert(sqlite3_stmt *insert, const tape_table *table,
                                 size_t row)
{
    char key[64];
    (void)sqlite3_reset(insert);
    for (size_t j = 0; j < table->column_count; j++) {
        const tape_cell *cell = tape_at(table, row, j);
        if (cell->text != NULL) {
            (void)sqlite3_bind_text(insert, (int)j + 1, cell->text, -1, SQLITE_STATIC);
        } else {
            (void)sqlite3_bind_double(insert, (int)j + 1, cell->number);
        }
    }
    /* The place in the table is the record's own: its age, and a number among equal ages. */
    (void)snprintf(key, sizeof key, "%.17g", tape_at(table, row, 0)->number);
    if (sqlite3_bind_parameter_count(insert) > (int)table->column_count)
        (void)sqlite3_bind_text(insert, (int)table->column_count + 1, key, -1,
                                SQLITE_TRANSIENT);
    source_must(sqlite3_step(insert) == SQLITE_DONE);
}

static inline void source_write_database(const tape_table *table, source_layout layout,
                                         const char *path)
{
    sqlite3 *database = NULL;
    sqlite3_stmt *insert = NULL;
    const bool keyed = layout == SOURCE_WITHOUT_ROWID;
    (void)unlink(path);
    source_must(sqlite3_open(path, &database) == SQLITE_OK);
    source_must(sqlite3_exec(database,
                             "PRAGMA synchronous = OFF; PRAGMA journal_mode = OFF", NULL,
                             NULL, NULL) == SQLITE_OK);
    source_must(sqlite3_exec(
                    database,
                    keyed ? "CREATE TABLE t(age, visits, town, person, smokes, key TEXT, "
                            "row INTEGER, PRIMARY KEY(key, row)) WITHOUT ROWID"
                          : "CREATE TABLE t(age, visits, town, person, smokes)",
                    NULL, NULL, NULL) == SQLITE_OK);
    source_must(sqlite3_exec(database, "CREATE INDEX by_age ON t(age)", NULL, NULL,
                             NULL) == SQLITE_OK);
    source_must(sqlite3_prepare_v2(database,
                                   keyed ? "INSERT INTO t VALUES(?1, ?2, ?3, ?4, ?5, ?6, "
                                           "(SELECT count(*) FROM t WHERE key = ?6))"
                                         : "INSERT INTO t VALUES(?1, ?2, ?3, ?4, ?5)",
                                   -1, &insert, NULL) == SQLITE_OK);
    for (size_t i = 0; i < table->rows; i++)
        source_insert(insert, table, i);
    source_must(sqlite3_finalize(insert) == SQLITE_OK);
    source_must(sqlite3_exec(database, "ANALYZE", NULL, NULL, NULL) == SQLITE_OK);
    source_must(sqlite3_close(database) == SQLITE_OK);
}

/* A table in storage; `file` describes it. */
typedef struct source_place {
    char path[160];
    int pipe; /* -1: none */
    sotto_data_file file;
    arrow_source *arrow; /* NULL: none, and the place is `file` */
    sotto_records records;
} source_place;

enum { SOURCE_PIPE = 97 }; /* always the same, for the name may stand in a message */

/* The rows that a program lets through. */
static inline tape_table *source_filter(const tape_table *table)
{
    tape_table *rest =
        tape_table_new(table->columns, table->column_count, table->rows, 1);
    size_t kept = 0;
    for (size_t i = 0; i < table->rows; i++) {
        if (!(tape_at(table, i, 0)->number > 85.0)) continue;
        memcpy(&rest->cells[kept++ * table->column_count], tape_at(table, i, 0),
               table->column_count * sizeof *rest->cells);
    }
    rest->rows = kept;
    return rest;
}

/* The places of the target's cells among its values; NaN: none. */
static inline void source_set_apart(const tape_table *table, size_t column,
                                    arrow_source *arrow)
{
    const char *const *values = table->columns[column].categories;
    for (size_t i = 0; i < table->rows; i++) {
        arrow->apart[i] = NAN;
        for (size_t k = 0; values[k] != NULL; k++)
            if (strcmp(values[k], tape_at(table, i, column)->text) == 0)
                arrow->apart[i] = (double)k;
    }
}

/* Every second stream has another layout of the same cells. */
static inline void source_store_arrow(const tape_table *table, source_layout layout,
                                      source_place *out)
{
    static const arrow_cells kinds[] = {ARROW_PLAIN, ARROW_DECIMAL, ARROW_DICTIONARY,
                                        ARROW_PLAIN, ARROW_VIEWS,   ARROW_DICTIONARY};
    static size_t streams;
    const size_t target = table->column_count - 1;
    const bool is_apart = layout == SOURCE_ARROW_APART;
    tape_table *passed = layout == SOURCE_ARROW_STREAM ? source_filter(table) : NULL;
    out->arrow =
        arrow_source_new(passed != NULL ? passed : table, kinds[layout - SOURCE_ARROW],
                         is_apart ? target : SIZE_MAX, streams++ % 2);
    tape_table_free(passed);
    out->records = (sotto_records){.stream = &out->arrow->stream,
                                   .in_memory = layout < SOURCE_ARROW_VIEWS,
                                   .declared = layout == SOURCE_ARROW_VIEWS};
    if (!is_apart) return;
    source_set_apart(table, target, out->arrow);
    out->records.labels = (sotto_array){.data = out->arrow->apart,
                                        .element = SOTTO_FLOAT64,
                                        .rows = table->rows,
                                        .columns = 1,
                                        .row_stride_bytes = sizeof(double),
                                        .column_stride_bytes = sizeof(double)};
}

/* `where` NULL: the layout's condition. */
static inline void source_store(const tape_table *table, const tape_place *place,
                                source_layout layout, const char *where,
                                source_place *out)
{
    static const char *const ends[] = {
        ".csv", ".csv", ".tsv",   ".csv.gz", "",     "",     ".db", ".db",
        ".db",  ".db",  ".jsonl", ".csv",    ".csv", ".csv", ".db", ".jsonl"};
    char *text = NULL;
    size_t size = 0;
    *out = (source_place){.pipe = -1};
    if (source_is_arrow(layout)) {
        source_store_arrow(table, layout, out);
        return;
    }
    (void)snprintf(out->path, sizeof out->path, "%s-stored%s", place->input_path,
                   ends[layout]);
    out->file = (sotto_data_file){.path = out->path,
                                  .query = source_query(layout),
                                  .table = layout == SOURCE_TABLE_WHERE ? "t" : NULL,
                                  .where = where != NULL ? where : source_where(layout)};
    if (out->file.query != NULL || out->file.table != NULL) {
        source_write_database(table, layout, out->path);
        return;
    }
    FILE *memory = open_memstream(&text, &size);
    source_must(memory != NULL);
    if (layout == SOURCE_JSON_LINES || layout == SOURCE_JSON_WHERE) {
        source_write_objects(table, memory);
    } else {
        source_write_lines(table,
                           layout == SOURCE_TSV          ? '\t'
                           : layout == SOURCE_SEMICOLONS ? ';'
                                                         : ',',
                           layout == SOURCE_PERMUTED, memory);
    }
    source_must(fclose(memory) == 0);
    if (layout == SOURCE_STREAM || layout == SOURCE_DECLARED) {
        int ends_of_pipe[2];
        source_must(pipe(ends_of_pipe) == 0 && size < 60000);
        source_must(write(ends_of_pipe[1], text, size) == (ssize_t)size);
        source_must(close(ends_of_pipe[1]) == 0);
        source_must(dup2(ends_of_pipe[0], SOURCE_PIPE) == SOURCE_PIPE);
        source_must(close(ends_of_pipe[0]) == 0);
        out->pipe = SOURCE_PIPE;
        (void)snprintf(out->path, sizeof out->path, "/dev/fd/%d", SOURCE_PIPE);
        out->file.stored_table = layout == SOURCE_DECLARED;
    } else if (layout == SOURCE_GZIP) {
        gzFile packed = gzopen(out->path, "wb");
        source_must(packed != NULL &&
                    gzwrite(packed, text, (unsigned)size) == (int)size &&
                    gzclose(packed) == Z_OK);
    } else {
        FILE *plain = fopen(out->path, "wb");
        source_must(plain != NULL && fwrite(text, 1, size, plain) == size &&
                    fclose(plain) == 0);
    }
    free(text);
}

static inline void source_remove(source_place *place)
{
    if (place->arrow != NULL) {
        source_must(arrow_source_free(place->arrow));
    } else if (place->pipe >= 0) {
        (void)close(place->pipe);
    } else {
        (void)unlink(place->path);
    }
}

#endif
