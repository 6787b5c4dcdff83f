/* Releases of a table whose unit has several rows: the cap, the sensitivity, the neighbours. */
#include "support.h"

#include <unistd.h>

#include "base/memory.h"
#include "commands/statistics/release.h"
#include "commands/statistics/release_study.h"

static const char *const people[] = {"ann", "bo", "cy", "di", "", NULL};
enum { PEOPLE = 5 };

static const tape_column columns[] = {{"person", 0.0, 0.0, people},
                                      {"age", 18.0, 90.0, NULL},
                                      {"visits", 0.0, 6.0, NULL},
                                      {"town", 0.0, 0.0, study_towns}};

static const char schema_text[] =
    "{\"dataset\": \"study-1\", \"unit\": {\"column\": \"person\", \"rows\": 3}, "
    "\"columns\": [{\"name\": \"person\", \"type\": \"id\"},"
    "{\"name\": \"age\", \"type\": \"number\", \"lower\": 18, \"upper\": 90},"
    "{\"name\": \"visits\", \"type\": \"integer\", \"lower\": 0, \"upper\": 6},"
    "{\"name\": \"town\", \"type\": \"category\", \"values\": [\"Lund\", \"Ystad\", "
    "\"Kivik\"]}]}";

static sotto_schema *make_schema(void)
{
    sotto_error error;
    sotto_schema *schema = NULL;
    assert_ok(sotto_schema_parse("s", schema_text, strlen(schema_text), &schema, &error),
              &error);
    return schema;
}

/* The settings of one statistic; those that it has no use for are unset. */
#define ASKED(kind, ...)                                                                 \
    {                                                                                    \
        .statistic = SOTTO_RELEASE_##kind, __VA_ARGS__                                   \
    }

typedef struct asked {
    sotto_statistic statistic;
    const char *column;
    double delta;
    sotto_score score;
    double quantile;
    const char *candidates;
    const char *edges;
} asked;

static sotto_release_config config_of(const asked *wanted, sotto_adjacency adjacency)
{
    sotto_release_config config = sotto_release_defaults();
    config.statistic = wanted->statistic;
    config.column = wanted->column;
    config.epsilon = 0.75;
    config.delta = wanted->delta == 0.0 ? (double)NAN : wanted->delta;
    config.score = wanted->score;
    config.quantile = wanted->quantile == 0.0 ? (double)NAN : wanted->quantile;
    config.candidates = wanted->candidates;
    config.edges = wanted->edges;
    config.adjacency = adjacency;
    return config;
}

static const sotto_adjacency adjacencies[] = {SOTTO_ADD_REMOVE, SOTTO_REPLACE_ONE};

/* A person adds at most three rows, so everything moves by at most three rows' worth. An exchange takes three
 * rows away and adds three others; the number of rows is secret in both. By hand: */
static void sensitivities_are_those_of_the_cap(void **state)
{
    (void)state;
    static const struct {
        asked wanted;
        size_t part;
        double
            in_grid[2]; /* the sensitivity times the grid: one unit more, one exchanged */
    } cases[] = {
        {ASKED(COUNT, .column = NULL), 0, {3.0, 3.0}},
        {ASKED(COUNT, .column = NULL, .delta = 1e-6), 0, {3.0, 3.0}},
        {ASKED(SUM, .column = "visits"), 0, {18.0, 18.0}},
        {ASKED(SUM, .column = "age", .delta = 1e-6), 0, {270.0, 270.0}},
        {ASKED(MEAN, .column = "age"), 0, {108.0, 216.0}}, /* within 36 of 54 */
        {ASKED(MEAN, .column = "age"), 1, {3.0, 3.0}},
        {ASKED(HISTOGRAM, .column = "town"), 0, {3.0, 6.0}},
        {ASKED(HISTOGRAM, .column = "town", .delta = 1e-6), 0, {3.0, 4.2426406871192858}},
        {ASKED(BOUNDS, .column = "age"), 0, {3.0, 6.0}}};
    sotto_schema *schema = make_schema();
    for (size_t i = 0; i < 2 * (sizeof cases / sizeof cases[0]); i++) {
        sotto_error error;
        sot_release release;
        const sotto_release_config config =
            config_of(&cases[i / 2].wanted, adjacencies[i % 2]);
        assert_ok(sot_release_prepare(&config, schema, SOT_ROWS_STORED, &release, &error),
                  &error);
        const sot_noise *noise = &release.parts[cases[i / 2].part];
        const double sensitivity = cases[i / 2].in_grid[i % 2];
        assert_within(noise->sensitivity * noise->grid, sensitivity,
                      sensitivity * (1.0 + 1e-14));
        /* And the noise is as large as that asks for. */
        assert_true(noise->scale >= noise->sensitivity);
        sot_release_clear(&release);
    }
    sotto_schema_free(schema);
}

/* Scores. A rank a/b of one row more moves by max(a, b - a), of one exchanged by b; a price by itself, with a range that
 * is no larger for three rows with mixed signs than for three of one sign. */
static void scores_move_by_the_cap(void **state)
{
    (void)state;
    static const struct {
        asked wanted;
        uint64_t range[2];
    } cases[] = {
        {ASKED(QUANTILE, .column = "visits", .quantile = 0.25), {2 * 9, 2 * 12}},
        {ASKED(CHOICE, .column = "town", .score = SOTTO_SCORE_COUNT), {3, 2 * 3}},
        {ASKED(CHOICE, .column = "age", .score = SOTTO_SCORE_REVENUE,
               .candidates = "18,30.25,44.5,90"),
         {27000, 27000}},
        {ASKED(CHOICE, .column = "visits", .score = SOTTO_SCORE_QUANTILE, .quantile = 0.5,
               .candidates = "1,2,5"),
         {2 * 3, 2 * 6}}};
    sotto_schema *schema = make_schema();
    for (size_t i = 0; i < 2 * (sizeof cases / sizeof cases[0]); i++) {
        sotto_error error;
        sot_release release;
        uint64_t range = 0;
        const sotto_release_config config =
            config_of(&cases[i / 2].wanted, adjacencies[i % 2]);
        assert_ok(sot_release_prepare(&config, schema, SOT_ROWS_STORED, &release, &error),
                  &error);
        assert_ok(sotto_selection_range(&release.selection, &range, &error), &error);
        assert_int_equal(range, cases[i / 2].range[i % 2]);
        sot_release_clear(&release);
    }
    sotto_schema_free(schema);
}

static const char *write_rows(const char *rows)
{
    static char path[64];
    snprintf(path, sizeof path, "/tmp/sotto_release_units_%ld.csv", (long)getpid());
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "person,age,visits,town\n%s", rows);
    assert_int_equal(fclose(file), 0);
    return path;
}

/* A count with no noise to speak of. */
static sotto_release_config plain_count(void)
{
    sotto_release_config config = sotto_release_defaults();
    config.statistic = SOTTO_RELEASE_COUNT;
    config.epsilon = 3000.0;
    config.insecure_test = true;
    config.test_seed = 11;
    return config;
}

static double count_of(const char *rows)
{
    sotto_error error;
    sotto_schema *schema = make_schema();
    sotto_release_result *result = NULL;
    const char *path = write_rows(rows);
    const sotto_release_config config = plain_count();
    assert_ok(sotto_release_data(&config, schema, &(const sotto_data_file){.path = path},
                                 &result, &error),
              &error);
    const double count = sotto_release_at(result, 0).value;
    assert_non_null(strstr(sotto_release_json(result), "at most 3 rows each"));
    sotto_release_free(result);
    sotto_schema_free(schema);
    (void)unlink(path);
    return count;
}

static void no_unit_counts_more_often_than_its_cap(void **state)
{
    (void)state;
    assert_true(count_of("") == 0.0);
    assert_true(count_of("ann,20,1,Lund\nbo,30,2,Lund\n") == 2.0);
    assert_true(count_of("ann,20,1,Lund\nann,21,1,Lund\nann,22,1,Lund\nann,23,1,Lund\n"
                         "bo,30,2,Lund\nann,24,1,Lund\n") == 4.0);
    assert_true(count_of(",1,1,x\n\n,,,\n,2\nbo\n") == 4.0); /* no id: one unit */
}

/* ---- neighbours ---- */

static tape_table *without_person(const tape_table *table, const char *person)
{
    tape_table *less =
        tape_table_new(table->columns, table->column_count, table->rows, 1);
    less->rows = 0;
    for (size_t row = 0; row < table->rows; row++) {
        if (strcmp(tape_at(table, row, 0)->text, person) == 0) continue;
        memcpy(less->cells + less->rows * table->column_count, tape_at(table, row, 0),
               table->column_count * sizeof *less->cells);
        less->rows++;
    }
    return less;
}

/* `person`'s rows are exchanged for `rows` others of `other`, which stand where the first of them stood. */
static tape_table *exchanged(const tape_table *table, const char *person,
                             const char *other, size_t rows, uint64_t seed)
{
    tape_table *more = tape_table_new(table->columns, table->column_count, rows, seed);
    tape_table *after =
        tape_table_new(table->columns, table->column_count, table->rows + rows, 1);
    const size_t row_bytes = table->column_count * sizeof *table->cells;
    bool is_placed = false;
    after->rows = 0;
    for (size_t row = 0; row < table->rows; row++) {
        const bool leaves = strcmp(tape_at(table, row, 0)->text, person) == 0;
        for (size_t i = 0; leaves && !is_placed && i < rows; i++) {
            tape_cell *cells = after->cells + after->rows++ * table->column_count;
            memcpy(cells, tape_at(more, i, 0), row_bytes);
            cells[0].text = other;
        }
        is_placed = is_placed || leaves;
        if (leaves) continue;
        memcpy(after->cells + after->rows++ * table->column_count, tape_at(table, row, 0),
               row_bytes);
    }
    tape_table_free(more);
    return after;
}

static const asked all_asked[] = {
    ASKED(COUNT, .column = NULL),
    ASKED(COUNT, .column = NULL, .delta = 1e-6),
    ASKED(SUM, .column = "age"),
    ASKED(MEAN, .column = "visits"),
    ASKED(HISTOGRAM, .column = "town"),
    ASKED(HISTOGRAM, .column = "age", .delta = 1e-6, .edges = "20,30.5,65,80"),
    ASKED(BOUNDS, .column = "age"),
    ASKED(QUANTILE, .column = "visits", .quantile = 0.25),
    ASKED(CHOICE, .column = "town", .score = SOTTO_SCORE_COUNT),
    ASKED(CHOICE, .column = "age", .score = SOTTO_SCORE_REVENUE,
          .candidates = "18,30.25,44.5,90"),
    ASKED(CHOICE, .column = "visits", .score = SOTTO_SCORE_QUANTILE, .quantile = 0.5,
          .candidates = "1,2,5"),
    ASKED(RESPONSES, .column = "town"),
};

/* Both ways between the tables, of which `other` is freed. */
static const char *leak_between(const tape_study *tape, const tape_table *table,
                                tape_table *other)
{
    const char *leak = tape_check(tape, table, other);
    if (leak == NULL) leak = tape_check(tape, other, table);
    tape_table_free(other);
    return leak;
}

/* All rows of one person more or less; or exchanged for another number of rows, of the same id and of a new one. */
static const char *leak_of_person(const tape_study *tape, sotto_adjacency adjacency,
                                  const tape_table *table, const char *person)
{
    static const size_t rows[] = {1, 7};
    const char *leak = NULL;
    if (adjacency == SOTTO_ADD_REMOVE)
        return leak_between(tape, table, without_person(table, person));
    for (size_t i = 0; leak == NULL && i < 2 * (sizeof rows / sizeof rows[0]); i++)
        leak = leak_between(
            tape, table,
            exchanged(table, person, i % 2 == 0 ? person : "eve", rows[i / 2], 40 + i));
    return leak;
}

/* The first leak between neighbours by one person, or NULL. */
static const char *first_leak(const asked *wanted, const char *const *where,
                              sotto_adjacency adjacency)
{
    const char *leak = NULL;
    release_study study = {.config = config_of(wanted, adjacency), .schema = schema_text};
    study.config.where = where;
    tape_study tape = study_of(&study);
    tape.columns = columns;
    tape.column_count = sizeof columns / sizeof columns[0];
    if (!study_releases(&tape)) return "it releases nothing";
    const uint64_t seeds = adjacency == SOTTO_ADD_REMOVE ? 2 : 1; /* or it takes long */
    for (uint64_t seed = 1; leak == NULL && seed <= seeds; seed++) {
        tape_table *table = tape_table_new(tape.columns, tape.column_count, 30, seed);
        for (size_t person = 0; leak == NULL && person < PEOPLE; person++)
            leak = leak_of_person(&tape, adjacency, table, people[person]);
        tape_table_free(table);
    }
    return leak;
}

static void a_person_shows_only_in_what_is_paid_for(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof all_asked / sizeof all_asked[0]; i++) {
        for (int k = 0; k < 2; k++) {
            const bool answers = all_asked[i].statistic == SOTTO_RELEASE_RESPONSES;
            if (answers && adjacencies[k] == SOTTO_ADD_REMOVE) continue; /* refused */
            const char *leak = first_leak(&all_asked[i], NULL, adjacencies[k]);
            if (leak == NULL && !answers)
                leak = first_leak(&all_asked[i], in_lund, adjacencies[k]);
            if (leak != NULL)
                fail_msg("%s: %s", sotto_statistic_name(all_asked[i].statistic), leak);
        }
    }
}

/* ---- the accuracy of a model ---- */

/* Whether a row has more than two visits. */
static const char model_text[] =
    "{\"kind\": \"model\", \"version\": 1, \"model\": \"logistic\", \"method\": "
    "\"none\", \"settings\": {}, \"classes\": [\"<=2\", \">2\"], \"schema\": {"
    "\"unit\": {\"column\": \"person\", \"rows\": 3}, \"target\": {\"column\": "
    "\"visits\", \"above\": 2}, \"columns\": [{\"name\": \"person\", \"type\": \"id\"},"
    "{\"name\": \"age\", \"type\": \"number\", \"lower\": 18, \"upper\": 90},"
    "{\"name\": \"visits\", \"type\": \"integer\", \"lower\": 0, \"upper\": 6},"
    "{\"name\": \"town\", \"type\": \"category\", \"values\": [\"Lund\", \"Ystad\", "
    "\"Kivik\"]}]}, \"features\": [\"age\", \"town=Lund\", \"town=Ystad\", "
    "\"town=Kivik\", \"(intercept)\"], \"coefficients\": [\"0x1.8p+1\", \"-0x1p+0\", "
    "\"0x1p-1\", \"0x1p+0\", \"-0x1p-3\"]}";

static int accuracy_run(const tape_table *table, const tape_place *place, void *context)
{
    (void)table;
    const sotto_release_config *config = context;
    sotto_error error = {0};
    sotto_release_result *result = NULL;
    const sotto_status status = sotto_release_data(
        config, sotto_model_schema(config->model),
        &(const sotto_data_file){.path = place->input_path}, &result, &error);
    if (status == SOTTO_OK) {
        printf("%s%s", sotto_release_text(result), sotto_release_json(result));
        fprintf(stderr, "%s", sotto_release_certificate(result));
    } else {
        fprintf(stderr, "%s\n", error.message);
    }
    sotto_release_free(result);
    return study_exit_code(status);
}

static void an_accuracy_shows_no_person(void **state)
{
    (void)state;
    sotto_error error;
    sotto_model *model = NULL;
    assert_ok(sotto_model_parse("m.json", model_text, strlen(model_text), &model, &error),
              &error);
    for (int k = 0; k < 2; k++) {
        sotto_release_config config = plain_count();
        config.statistic = SOTTO_RELEASE_ACCURACY;
        config.model = model;
        config.epsilon = 0.75;
        config.adjacency = adjacencies[k];
        const tape_study tape = {.run = accuracy_run,
                                 .context = &config,
                                 .columns = columns,
                                 .column_count = sizeof columns / sizeof columns[0]};
        assert_true(study_releases(&tape));
        tape_table *table = tape_table_new(tape.columns, tape.column_count, 30, 1);
        for (size_t person = 0; person < PEOPLE; person++) {
            const char *leak =
                leak_of_person(&tape, adjacencies[k], table, people[person]);
            if (leak != NULL) fail_msg("%s", leak);
        }
        tape_table_free(table);
        config.public_n = 30;
        config.adjacency = SOTTO_REPLACE_ONE;
        sotto_plan *plan = NULL;
        assert_refused(
            sotto_release_plan(&config, sotto_model_schema(model), &plan, &error),
            SOTTO_INVALID_ARGUMENT, &error, "`public_n` is 30", NULL);
    }
    sotto_model_free(model);
}

/* ---- one answer of each unit ---- */

static sotto_status answers_of(const char *rows, uint64_t public_n, char *out_json,
                               size_t size_bytes, sotto_error *error)
{
    sotto_schema *schema = make_schema();
    sotto_release_result *result = NULL;
    const char *path = write_rows(rows);
    sotto_release_config config = plain_count();
    config.statistic = SOTTO_RELEASE_RESPONSES;
    config.column = "town";
    config.epsilon = 40.0; /* every answer is the true one */
    config.adjacency = SOTTO_REPLACE_ONE;
    config.public_n = public_n;
    const sotto_status status = sotto_release_data(
        &config, schema, &(const sotto_data_file){.path = path}, &result, error);
    if (status == SOTTO_OK) {
        assert_true(strlen(sotto_release_json(result)) < size_bytes);
        strcpy(out_json, sotto_release_json(result));
    }
    sotto_release_free(result);
    sotto_schema_free(schema);
    (void)unlink(path);
    return status;
}

static void each_unit_gives_one_answer(void **state)
{
    (void)state;
    sotto_error error;
    static char json[65536];
    assert_ok(answers_of("ann,20,1,Ystad\nann,21,1,Ystad\nann,22,1,Ystad\n"
                         "ann,23,1,Ystad\nbo,30,2,Ystad\n",
                         0, json, sizeof json, &error),
              &error);
    assert_non_null(strstr(json, "\"answers\": [1, 1]"));
    assert_non_null(strstr(json, "one answer of each unit"));
    assert_non_null(strstr(json, "\"the number of units\""));
    assert_null(strstr(json, "\"the number of rows\""));
}

static void the_number_of_rows_is_never_public(void **state)
{
    (void)state;
    sotto_error error;
    static char json[65536];
    assert_refused(answers_of("ann,20,1,Lund\n", 1, json, sizeof json, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "`public_n` is 1", "'person'",
                   "leave `public_n` out", NULL);
    sotto_plan *plan = NULL;
    sotto_schema *schema = make_schema();
    const asked mean = ASKED(MEAN, .column = "age");
    sotto_release_config config = config_of(&mean, SOTTO_REPLACE_ONE);
    config.public_n = 7;
    assert_refused(sotto_release_plan(&config, schema, &plan, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "`public_n` is 7", NULL);
    sotto_schema_free(schema);
}

static void no_allocation_failure_leaks_or_lies(void **state)
{
    (void)state;
    sotto_schema *schema = make_schema();
    const sotto_release_config config = plain_count();
    const char *path = write_rows("ann,1,1,x\nbo,2,2,y\nann,3,3,z\n");
    for (size_t nth = 1;; nth++) {
        sotto_error error;
        sotto_release_result *result = NULL;
        (void)sot_test_fail_allocation(nth);
        const sotto_status status = sotto_release_data(
            &config, schema, &(const sotto_data_file){.path = path}, &result, &error);
        const size_t calls = sot_test_fail_allocation(0);
        sotto_release_free(result);
        if (calls < nth) {
            assert_int_equal(status, SOTTO_OK);
            break;
        }
        assert_int_equal(status, SOTTO_OUT_OF_MEMORY);
    }
    (void)unlink(path);
    sotto_schema_free(schema);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sensitivities_are_those_of_the_cap),
        cmocka_unit_test(scores_move_by_the_cap),
        cmocka_unit_test(no_unit_counts_more_often_than_its_cap),
        cmocka_unit_test(a_person_shows_only_in_what_is_paid_for),
        cmocka_unit_test(an_accuracy_shows_no_person),
        cmocka_unit_test(each_unit_gives_one_answer),
        cmocka_unit_test(the_number_of_rows_is_never_public),
        cmocka_unit_test(no_allocation_failure_leaks_or_lies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
