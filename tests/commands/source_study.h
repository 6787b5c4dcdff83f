/* The source tape: commands as runs of the tape harness, on tables that lie in storage in many ways.
 *
 * A neighbour is made where the data lives: a stored row comes, goes or changes, and with that leaves a selection
 * or enters it, moves within an index or a primary key, changes its unit. The table is then written as a file or a
 * database of the layout, and the whole command runs from there.
 */
#ifndef SOTTO_TESTS_SOURCE_STUDY_H
#define SOTTO_TESTS_SOURCE_STUDY_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sqlite3.h>
#include <zlib.h>

#include <sotto/release.h>
#include <sotto/train.h>
#include <sotto/tune.h>

#include "commands/pate/pate_scene.h"
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
    SOURCE_LAYOUTS
} source_layout;

static const char *const source_names[] = {
    "csv",           "permuted csv",     "tsv",         "gzip",
    "stream",        "declared stream",  "table",       "where",
    "without rowid", "narrow where",     "JSON lines",  "CSV with semicolons",
    "csv where",     "csv narrow where", "table where", "JSON lines where"};

static inline bool source_selects(source_layout layout)
{
    return layout == SOURCE_STREAM || layout == SOURCE_WHERE || layout == SOURCE_NARROW ||
           layout >= SOURCE_CSV_WHERE;
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
} source_place;

enum { SOURCE_PIPE = 97 }; /* always the same, for the name may stand in a message */

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
    if (place->pipe >= 0) {
        (void)close(place->pipe);
    } else {
        (void)unlink(place->path);
    }
}

/* ---- commands ---- */

typedef struct source_study {
    const char *name;
    source_layout layout;
    const char *where; /* NULL: the layout's condition */
    const char *schema;
    bool is_release, is_tuning, is_accuracy, is_pate;
    bool needs_n; /* replace-one: the number of rows, unless they are selected */
    sotto_release_config release;
    sotto_train_config train;
} source_study;

static inline void source_print(sotto_status status, const sotto_error *error,
                                const char *text, const char *json, const char *page)
{
    if (status == SOTTO_OK) {
        printf("%s%s%s", text, json, page);
    } else {
        fprintf(stderr, "%s\n", error->message);
    }
}

/* A model of the study's table, for the accuracy on its rows. */
#define SOURCE_MODEL(unit)                                                               \
    "{\"kind\": \"model\", \"version\": 1, \"model\": \"logistic\", "                    \
    "\"method\": \"none\", \"settings\": {}, \"classes\": [\"no\", \"yes\"], "           \
    "\"schema\": {\"dataset\": \"source-1\", " unit SOURCE_COLUMNS_JSON                  \
    ", \"features\": [\"age\", \"visits\", \"town=Lund\", \"town=Ystad\", "              \
    "\"(intercept)\"], \"coefficients\": [\"0x1.8p+1\", \"-0x1p+0\", \"0x1p-1\", "       \
    "\"0x1p+0\", \"-0x1p-3\"]}"

static inline sotto_model *source_model(const source_study *study)
{
    static const char of_rows[] = SOURCE_MODEL("");
    static const char of_units[] =
        SOURCE_MODEL("\"unit\": {\"column\": \"person\", \"rows\": 2}, ");
    const char *text = study->schema == source_unit_schema ? of_units : of_rows;
    sotto_model *model = NULL;
    source_must(sotto_model_parse("model.json", text, strlen(text), &model, NULL) ==
                SOTTO_OK);
    return model;
}

static inline sotto_status source_release(const source_study *study, uint64_t n,
                                          const sotto_schema *schema,
                                          const sotto_data_file *file)
{
    sotto_error error = {0};
    sotto_release_result *result = NULL;
    sotto_release_config config = study->release;
    sotto_model *model = study->is_accuracy ? source_model(study) : NULL;
    config.public_n = n;
    config.insecure_test = true;
    config.test_seed = 20261116;
    config.model = model;
    const sotto_status status =
        sotto_release_data(&config, model != NULL ? sotto_model_schema(model) : schema,
                           file, &result, &error);
    source_print(status, &error, status == SOTTO_OK ? sotto_release_text(result) : "",
                 status == SOTTO_OK ? sotto_release_json(result) : "",
                 status == SOTTO_OK ? sotto_release_certificate(result) : "");
    sotto_release_free(result);
    sotto_model_free(model);
    return status;
}

static inline sotto_status source_learn(const source_study *study, uint64_t n,
                                        const sotto_schema *schema,
                                        const sotto_data_file *file)
{
    sotto_error error = {0};
    sotto_train_result *result = NULL;
    sotto_train_config config = study->train;
    sotto_status status;
    config.public_n = n;
    config.insecure_test = true;
    config.test_seed = 20261116;
    config.threads = 1;
    if (study->is_tuning) {
        sotto_tune_config tune = sotto_tune_defaults();
        tune.train = config;
        tune.grid = "lambda=90,200";
        tune.score_epsilon = 0.1;
        status = sotto_runs_from_mean(SOTTO_RUNS_NEGATIVE_BINOMIAL, 1.0, 2.0, &tune.runs,
                                      &error);
        if (status == SOTTO_OK)
            status = sotto_tune_data(&tune, schema, file, &result, &error);
    } else {
        status = sotto_train_data(&config, schema, file, &result, &error);
    }
    source_print(status, &error, status == SOTTO_OK ? sotto_train_text(result) : "",
                 status == SOTTO_OK ? sotto_train_json(result) : "",
                 status == SOTTO_OK ? sotto_train_certificate(result) : "");
    sotto_train_free(result);
    return status;
}

/* Teachers from storage, and the labels that they give to public rows. */
static inline sotto_status source_pate(const source_study *study, uint64_t n,
                                       const sotto_schema *schema,
                                       const sotto_data_file *file,
                                       const tape_place *place)
{
    sotto_error error = {0};
    sotto_pate_result *teachers = NULL, *labels = NULL;
    char directory[SCENE_BYTES], rows[SCENE_BYTES];
    (void)snprintf(directory, sizeof directory, "%s.teachers", place->input_path);
    (void)snprintf(rows, sizeof rows, "%s.public.csv", place->input_path);
    FILE *public_file = fopen(rows, "w");
    source_must(public_file != NULL &&
                fputs("age,visits,town\n81,2,Lund\n88,5,Ystad\n", public_file) >= 0 &&
                fclose(public_file) == 0);
    const sotto_data_file asked = {.path = rows};
    scene_remove(directory);
    sotto_pate_teach_config teach = scene_teach(directory, 4);
    teach.training.adjacency = study->train.adjacency;
    teach.training.public_n = n;
    const sotto_pate_label_config label = scene_label(SOTTO_PATE_GNMAX, directory, 2);
    sotto_status status = sotto_pate_teach(&teach, schema, file, &teachers, &error);
    source_print(status, &error, status == SOTTO_OK ? sotto_pate_text(teachers) : "",
                 status == SOTTO_OK ? sotto_pate_json(teachers) : "", "");
    if (status == SOTTO_OK) {
        status = sotto_pate_label_rows(&label, NULL, &asked, &labels, &error);
        source_print(status, &error, status == SOTTO_OK ? sotto_pate_text(labels) : "",
                     status == SOTTO_OK ? sotto_pate_json(labels) : "", "");
    }
    sotto_pate_free(teachers);
    sotto_pate_free(labels);
    scene_remove(directory);
    (void)unlink(rows);
    return status;
}

/* From storage to everything that leaves. */
static inline int source_run(const tape_table *table, const tape_place *place,
                             void *context)
{
    const source_study *study = context;
    sotto_error error = {0};
    sotto_schema *schema = NULL;
    source_place stored;
    const uint64_t n = study->needs_n && !source_selects(study->layout) ? table->rows : 0;
    source_store(table, place, study->layout, study->where, &stored);
    sotto_status status = sotto_schema_parse("schema.json", study->schema,
                                             strlen(study->schema), &schema, &error);
    source_must(status == SOTTO_OK);
    status = study->is_release ? source_release(study, n, schema, &stored.file)
             : study->is_pate  ? source_pate(study, n, schema, &stored.file, place)
                               : source_learn(study, n, schema, &stored.file);
    sotto_schema_free(schema);
    source_remove(&stored);
    return status == SOTTO_OK ? 0 : 1;
}

static inline tape_study source_tape(source_study *study)
{
    return (tape_study){.run = source_run,
                        .context = study,
                        .columns = source_columns,
                        .column_count = SOURCE_COLUMNS};
}

static inline const char *source_name_leak(const source_study *study, const char *leak)
{
    static char found[2048];
    (void)snprintf(found, sizeof found, "%s from %s: %s", study->name,
                   source_names[study->layout], leak);
    return found;
}

/* Every kind of row comes, goes or takes the place of another; both ways. NULL, or a leak. */
static inline const char *source_leak(source_study *study, sotto_adjacency adjacency,
                                      size_t rows, size_t place)
{
    const tape_study tape = source_tape(study);
    const char *leak = NULL;
    int exit_code = -1;
    tape_table *table = tape_table_new(source_columns, SOURCE_COLUMNS, rows, 11);
    if (tape_releases(&tape, table, &exit_code) == 0 || exit_code != 0)
        leak = exit_code == 0 ? "it releases nothing" : "it fails";
    for (int row = 0; row < TAPE_ROWS && leak == NULL; row++) {
        tape_table *neighbour = tape_neighbour(table, adjacency, (tape_row)row, place);
        if (neighbour == NULL) continue;
        leak = tape_check(&tape, table, neighbour);
        if (leak == NULL) leak = tape_check(&tape, neighbour, table);
        tape_table_free(neighbour);
    }
    tape_table_free(table);
    return leak == NULL ? NULL : source_name_leak(study, leak);
}

#endif
