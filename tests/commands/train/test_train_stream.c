/* Trainings that read their rows again for every pass: the same model, the same privacy, and a word
 * where it cannot be. */
#include "support.h"

#include <sqlite3.h>
#include <time.h>
#include <unistd.h>

#include <sotto/release.h>

#include "base/memory.h"
#include "train_study.h"

static sotto_schema *parse(const char *text)
{
    sotto_error error;
    sotto_schema *schema = NULL;
    assert_ok(sotto_schema_parse("s.json", text, strlen(text), &schema, &error), &error);
    return schema;
}

static const char rows[] =
    "44.5,Lund,p1,no\n61.25,Ystad,p2,yes\n18,Lund,p1,no\n"
    "90,Ystad,p3,yes\n33,Kivik,,yes\nnan,,p2,maybe\n70,Lund,p3,no\n";

static const char *write_rows(void)
{
    static char path[64];
    (void)snprintf(path, sizeof path, "stream_%ld.csv", (long)getpid());
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "age,town,person,smokes\n%s", rows);
    assert_int_equal(fclose(file), 0);
    return path;
}

/* The same cells in a table of SQLite. */
static const char *write_database(void)
{
    static char path[64];
    sqlite3 *database = NULL;
    (void)snprintf(path, sizeof path, "stream_%ld.db", (long)getpid());
    (void)unlink(path);
    assert_int_equal(sqlite3_open(path, &database), SQLITE_OK);
    assert_int_equal(
        sqlite3_exec(database,
                     "CREATE TABLE visit(age, town, person, smokes, deleted);"
                     "INSERT INTO visit VALUES(44.5, 'Lund', 'p1', 'no', 0),"
                     "(61.25, 'Ystad', 'p2', 'yes', 0), (99, 'Lund', 'p4', 'no', 1),"
                     "(18, 'Lund', 'p1', 'no', 0), (90, 'Ystad', 'p3', 'yes', 0),"
                     "(33, 'Kivik', NULL, 'yes', 0), ('nan', '', 'p2', 'maybe', 0),"
                     "('70', 'Lund', 'p3', 'no', 0)",
                     NULL, NULL, NULL),
        SQLITE_OK);
    assert_int_equal(sqlite3_close(database), SQLITE_OK);
    return path;
}

static const char query[] =
    "SELECT age, town, person, smokes FROM visit WHERE NOT deleted";

static sotto_train_config seeded(sotto_method method)
{
    sotto_train_config config = study_config(method, SOTTO_ADD_REMOVE, 1e-6);
    config.insecure_test = true;
    config.test_seed = 5;
    config.expected_rows = 8;
    if (method == SOTTO_METHOD_SGD) {
        config.steps = 6;
        config.batch = 4;
    }
    if (method == SOTTO_METHOD_NEWTON) config.steps = 2;
    if (method == SOTTO_METHOD_FRANK_WOLFE) {
        config.steps = 4;
        config.radius = 2.0;
    }
    if (method == SOTTO_METHOD_STATISTICS || method == SOTTO_METHOD_ADASSP) {
        config.model = SOTTO_MODEL_LINEAR;
        config.target = "age";
    }
    return config;
}

/* The coefficients as they stand in the model file. */
static char *train(const sotto_train_config *config, const sotto_data_file *file)
{
    sotto_error error;
    sotto_train_result *result = NULL;
    sotto_schema *schema = parse(study_schema);
    assert_ok(sotto_train_data(config, schema, file, &result, &error), &error);
    const char *begin = strstr(sotto_train_json(result), "\"coefficients\"");
    assert_non_null(begin);
    char *text = strndup(begin, (size_t)(strchr(begin, ']') - begin));
    assert_non_null(text);
    sotto_train_free(result);
    sotto_schema_free(schema);
    return text;
}

/* ---- the same model ---- */

static void a_stream_learns_what_memory_learns(void **state)
{
    (void)state;
    static const sotto_method methods[] = {
        SOTTO_METHOD_GD,          SOTTO_METHOD_SGD,        SOTTO_METHOD_NEWTON,
        SOTTO_METHOD_FRANK_WOLFE, SOTTO_METHOD_STATISTICS, SOTTO_METHOD_ADASSP};
    const sotto_data_file files[] = {{.path = write_rows()},
                                     {.path = write_database(), .query = query}};
    for (size_t i = 0; i < sizeof methods / sizeof methods[0]; i++) {
        sotto_train_config config = seeded(methods[i]);
        char *memory = train(&config, &files[0]);
        for (size_t k = 0; k < 4; k++) {
            config.stream = k % 2 == 1;
            char *other = train(&config, &files[k / 2]);
            assert_string_equal(other, memory);
            free(other);
        }
        free(memory);
    }
    (void)unlink(files[0].path);
    (void)unlink(files[1].path);
}

static void a_stream_shows_nothing(void **state)
{
    (void)state;
    static const sotto_adjacency adjacencies[] = {SOTTO_ADD_REMOVE, SOTTO_REPLACE_ONE};
    for (size_t i = 0; i < 2; i++) {
        train_study study = {.config =
                                 study_config(SOTTO_METHOD_GD, adjacencies[i], 1e-6)};
        study.config.stream = true;
        study.n_is_public = adjacencies[i] == SOTTO_REPLACE_ONE;
        if (study.n_is_public) study.config.expected_rows = 0;
        const tape_study tape = study_of(&study);
        assert_true(study_releases(&tape));
        const char *leak = study_leak_of(&tape, adjacencies[i], 5, 2);
        if (leak == NULL && adjacencies[i] == SOTTO_ADD_REMOVE)
            leak = study_leak_of(&tape, adjacencies[i], 0, 0);
        if (leak != NULL) fail_msg("%s", leak);
    }
}

static void the_certificate_names_the_query(void **state)
{
    (void)state;
    sotto_error error;
    sotto_train_result *result = NULL;
    sotto_schema *schema = parse(study_schema);
    sotto_train_config config = seeded(SOTTO_METHOD_GD);
    const sotto_data_file file = {.path = write_database(), .query = query};
    assert_ok(sotto_train_data(&config, schema, &file, &result, &error), &error);
    assert_non_null(strstr(sotto_train_json(result), query));
    sotto_train_free(result);
    sotto_schema_free(schema);
    (void)unlink(file.path);
}

/* A release of the same rows, by person. */
static void a_release_of_a_query_counts_its_rows(void **state)
{
    (void)state;
    sotto_error error;
    sotto_schema *schema = parse(study_unit_schema);
    sotto_release_config config = sotto_release_defaults();
    config.statistic = SOTTO_RELEASE_COUNT;
    config.epsilon = 1000.0;
    config.insecure_test = true;
    const sotto_data_file files[] = {{.path = write_rows()},
                                     {.path = write_database(), .query = query}};
    for (size_t i = 0; i < 2; i++) {
        sotto_release_result *result = NULL;
        assert_ok(sotto_release_data(&config, schema, &files[i], &result, &error),
                  &error);
        assert_true(sotto_release_at(result, 0).value == 7.0);
        sotto_release_free(result);
        (void)unlink(files[i].path);
    }
    sotto_schema_free(schema);
}

/* ---- refusals ---- */

static void methods_that_need_all_rows_do_not_stream(void **state)
{
    (void)state;
    static const sotto_method methods[] = {SOTTO_METHOD_OBJECTIVE, SOTTO_METHOD_OUTPUT};
    sotto_error error;
    sotto_schema *schema = parse(study_schema);
    for (size_t i = 0; i < 3; i++) {
        sotto_training *training = NULL;
        sotto_train_config config = seeded(i < 2 ? methods[i] : SOTTO_METHOD_SGD);
        config.stream = true;
        if (i == 2) {
            config.sampling = SOTTO_SINGLE_RECORD;
            config.adjacency = SOTTO_REPLACE_ONE;
            config.expected_rows = 0;
            config.public_n = 8;
            config.batch = 0;
        }
        assert_refused(sotto_training_plan(&config, schema, &training, &error),
                       SOTTO_INVALID_ARGUMENT, &error, sotto_method_name(config.method),
                       "use gd, Poisson sgd", NULL);
    }
    sotto_schema_free(schema);
}

static void units_and_records_in_memory_do_not_stream(void **state)
{
    (void)state;
    sotto_error error;
    sotto_training *training = NULL;
    sotto_train_result *result = NULL;
    sotto_train_config config = seeded(SOTTO_METHOD_GD);
    config.stream = true;
    sotto_schema *schema = parse(study_unit_schema);
    assert_refused(sotto_training_plan(&config, schema, &training, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "person", "leave out `stream`", NULL);
    sotto_schema_free(schema);
    schema = parse(study_schema);
    static const double cells[4] = {0};
    const sotto_records records = {.features = {cells, SOTTO_FLOAT64, 1, 4, 32, 8}};
    assert_refused(sotto_train_records(&config, schema, &records, &result, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "in memory", "leave `stream` out",
                   NULL);
    sotto_schema_free(schema);
}

static void a_public_number_of_rows_is_compared_before_the_first_release(void **state)
{
    (void)state;
    sotto_error error;
    sotto_train_result *result = NULL;
    sotto_schema *schema = parse(study_schema);
    sotto_train_config config = seeded(SOTTO_METHOD_GD);
    const char *path = write_rows();
    config.stream = true;
    config.adjacency = SOTTO_REPLACE_ONE;
    config.expected_rows = 0;
    for (config.public_n = 6; config.public_n <= 8; config.public_n++) {
        const sotto_status status = sotto_train_data(
            &config, schema, &(const sotto_data_file){.path = path}, &result, &error);
        assert_int_equal(status,
                         config.public_n == 7 ? SOTTO_OK : SOTTO_INVALID_ARGUMENT);
        if (status == SOTTO_OK) sotto_train_free(result);
    }
    (void)unlink(path);
    sotto_schema_free(schema);
}

/* ---- a file that changes under the training ---- */

/* After the first step somebody writes a row of the same length over another one. */
static int meddle(const sotto_progress *progress, void *context)
{
    static const struct timespec tick = {.tv_nsec = 20000000}; /* of the file's clock */
    if (progress->step != 1) return 0;
    (void)nanosleep(&tick, NULL);
    FILE *file = fopen(context, "r+");
    if (file == NULL) return 1;
    (void)fputs("age,town,person,smokes\n55.5,Lund,p9,no\n", file);
    return fclose(file) == 0 ? 0 : 1;
}

static void a_file_that_changes_ends_the_training(void **state)
{
    (void)state;
    sotto_error error;
    sotto_train_result *result = NULL;
    sotto_schema *schema = parse(study_schema);
    sotto_train_config config = seeded(SOTTO_METHOD_GD);
    char path[64];
    (void)snprintf(path, sizeof path, "%s", write_rows());
    config.stream = true;
    config.progress = meddle;
    config.progress_context = path;
    assert_refused(sotto_train_data(&config, schema,
                                    &(const sotto_data_file){.path = path}, &result,
                                    &error),
                   SOTTO_IO, &error, path, "changed", "copy", NULL);
    assert_null(strstr(error.message, "55.5")); /* the name of the file may hold a 55 */
    assert_null(result);
    /* In memory nobody minds. */
    config.stream = false;
    (void)write_rows();
    assert_ok(sotto_train_data(&config, schema, &(const sotto_data_file){.path = path},
                               &result, &error),
              &error);
    sotto_train_free(result);
    (void)unlink(path);
    sotto_schema_free(schema);
}

static void no_allocation_failure_leaks_or_lies(void **state)
{
    (void)state;
    sotto_schema *schema = parse(study_schema);
    sotto_train_config config = seeded(SOTTO_METHOD_GD);
    const char *path = write_rows();
    config.stream = true;
    config.threads = 1;
    for (size_t nth = 1;; nth++) {
        sotto_error error;
        sotto_train_result *result = NULL;
        (void)sot_test_fail_allocation(nth);
        const sotto_status status = sotto_train_data(
            &config, schema, &(const sotto_data_file){.path = path}, &result, &error);
        const size_t asked = sot_test_fail_allocation(0);
        sotto_train_free(result);
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
        cmocka_unit_test(a_stream_learns_what_memory_learns),
        cmocka_unit_test(a_stream_shows_nothing),
        cmocka_unit_test(the_certificate_names_the_query),
        cmocka_unit_test(a_release_of_a_query_counts_its_rows),
        cmocka_unit_test(methods_that_need_all_rows_do_not_stream),
        cmocka_unit_test(units_and_records_in_memory_do_not_stream),
        cmocka_unit_test(a_public_number_of_rows_is_compared_before_the_first_release),
        cmocka_unit_test(a_file_that_changes_ends_the_training),
        cmocka_unit_test(no_allocation_failure_leaks_or_lies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
