/* Releases of a table whose unit has several rows: the cap, the sensitivity, the neighbours. */
#include "support.h"

#include <unistd.h>

#include "base/memory.h"
#include "run/release.h"
#include "run/release_study.h"

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

/* A person adds at most three rows, so everything moves by at most three rows' worth. */
static void sensitivities_are_those_of_the_cap(void **state)
{
    (void)state;
    static const struct {
        sotto_statistic statistic;
        const char *column;
        double delta;
        size_t part;
        double in_grid; /* the sensitivity times the grid */
    } cases[] = {{SOTTO_RELEASE_COUNT, NULL, (double)NAN, 0, 3.0},
                 {SOTTO_RELEASE_COUNT, NULL, 1e-6, 0, 3.0},
                 {SOTTO_RELEASE_SUM, "visits", (double)NAN, 0, 18.0},
                 {SOTTO_RELEASE_SUM, "age", 1e-6, 0, 270.0},
                 {SOTTO_RELEASE_MEAN, "age", (double)NAN, 0, 108.0},
                 {SOTTO_RELEASE_MEAN, "age", (double)NAN, 1, 3.0},
                 {SOTTO_RELEASE_HISTOGRAM, "town", (double)NAN, 0, 3.0},
                 {SOTTO_RELEASE_HISTOGRAM, "town", 1e-6, 0, 3.0}};
    sotto_schema *schema = make_schema();
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        sotto_error error;
        sot_release release;
        sotto_release_config config = sotto_release_defaults();
        config.statistic = cases[i].statistic;
        config.column = cases[i].column;
        config.delta = cases[i].delta;
        config.epsilon = 0.75;
        assert_ok(sot_release_prepare(&config, schema, &release, &error), &error);
        const sot_noise *noise = &release.parts[cases[i].part];
        assert_true(noise->sensitivity * noise->grid == cases[i].in_grid);
        /* And the noise is as large as that asks for. */
        assert_true(noise->scale >= noise->sensitivity);
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
    assert_ok(sotto_release_run(&config, schema, path, &result, &error), &error);
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

static const sotto_release_config *statistics(size_t *out_count)
{
    static sotto_release_config all[6];
    sotto_release_config base = sotto_release_defaults();
    base.epsilon = 0.75;
    for (size_t i = 0; i < 6; i++)
        all[i] = base;
    all[0].statistic = SOTTO_RELEASE_COUNT;
    all[1].statistic = SOTTO_RELEASE_COUNT;
    all[1].where = in_lund;
    all[1].delta = 1e-6;
    all[2].statistic = SOTTO_RELEASE_SUM;
    all[2].column = "age";
    all[3].statistic = SOTTO_RELEASE_MEAN;
    all[3].column = "visits";
    all[4].statistic = SOTTO_RELEASE_HISTOGRAM;
    all[4].column = "town";
    all[5].statistic = SOTTO_RELEASE_HISTOGRAM;
    all[5].column = "age";
    all[5].edges = "20,30.5,65,80";
    all[5].delta = 1e-6;
    *out_count = 6;
    return all;
}

/* The first leak between a table and the same without all rows of one person, or NULL. */
static const char *first_leak(void)
{
    size_t count;
    const sotto_release_config *all = statistics(&count);
    for (size_t i = 0; i < count; i++) {
        release_study study = {.config = all[i], .schema = schema_text};
        tape_study tape = study_of(&study);
        tape.columns = columns;
        tape.column_count = sizeof columns / sizeof columns[0];
        for (uint64_t seed = 1; seed <= 2; seed++) {
            tape_table *table = tape_table_new(tape.columns, tape.column_count, 30, seed);
            for (size_t person = 0; person < PEOPLE; person++) {
                tape_table *less = without_person(table, people[person]);
                const char *leak = tape_check(&tape, table, less);
                if (leak == NULL) leak = tape_check(&tape, less, table);
                tape_table_free(less);
                if (leak != NULL) {
                    tape_table_free(table);
                    return leak;
                }
            }
            tape_table_free(table);
        }
    }
    return NULL;
}

static void a_person_shows_only_in_what_is_paid_for(void **state)
{
    (void)state;
    const char *leak = first_leak();
    if (leak != NULL) fail_msg("%s", leak);
}

static void what_is_not_proven_for_units_is_refused(void **state)
{
    (void)state;
    static const struct {
        sotto_statistic statistic;
        const char *column;
    } cases[] = {{SOTTO_RELEASE_QUANTILE, "visits"},
                 {SOTTO_RELEASE_BOUNDS, "age"},
                 {SOTTO_RELEASE_CHOICE, "town"}};
    sotto_error error;
    sotto_plan *plan = NULL;
    sotto_schema *schema = make_schema();
    sotto_release_config config = sotto_release_defaults();
    config.epsilon = 0.75;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        config.statistic = cases[i].statistic;
        config.column = cases[i].column;
        config.quantile = i == 0 ? 0.5 : (double)NAN;
        config.score = i == 2 ? SOTTO_SCORE_COUNT : SOTTO_SCORE_GIVEN;
        assert_refused(sotto_release_plan(&config, schema, &plan, &error),
                       SOTTO_UNSUPPORTED, &error, "'person'", "unit", NULL);
    }
    config = sotto_release_defaults();
    config.epsilon = 0.75;
    config.statistic = SOTTO_RELEASE_SUM;
    config.column = "age";
    config.adjacency = SOTTO_REPLACE_ONE;
    assert_refused(sotto_release_plan(&config, schema, &plan, &error), SOTTO_UNSUPPORTED,
                   &error, "add-remove", NULL);
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
        const sotto_status status =
            sotto_release_run(&config, schema, path, &result, &error);
        const size_t asked = sot_test_fail_allocation(0);
        sotto_release_free(result);
        if (asked < nth) {
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
        cmocka_unit_test(no_unit_counts_more_often_than_its_cap),
        cmocka_unit_test(a_person_shows_only_in_what_is_paid_for),
        cmocka_unit_test(what_is_not_proven_for_units_is_refused),
        cmocka_unit_test(no_allocation_failure_leaks_or_lies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
