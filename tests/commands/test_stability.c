/* From the stored table to the rows: refusals, secret numbers, and what the certificate says of them
 * (src/data/stability.md). test_sensitivities.c has the sensitivities. */
#include "support.h"

#include <sys/stat.h>

#include <sotto/certificate.h>

#include "source_study.h"

#include "commands/session/session.h"
#include "commands/statistics/release.h"
#include "data/source/source.h"

static const char *const in_lund[] = {"town=Lund", NULL};

static sotto_schema *parse(const char *text)
{
    sotto_error error;
    sotto_schema *schema = NULL;
    assert_ok(sotto_schema_parse("schema.json", text, strlen(text), &schema, &error),
              &error);
    return schema;
}

static sotto_release_config release_of(sotto_statistic statistic, const char *column)
{
    sotto_release_config config = sotto_release_defaults();
    config.statistic = statistic;
    config.column = column;
    config.epsilon = 0.1;
    config.adjacency = SOTTO_REPLACE_ONE;
    return config;
}

/* A file of this process only; good until the next call. */
static const char *own_path(const char *name)
{
    static char path[80];
    (void)snprintf(path, sizeof path, "/tmp/sotto-stability-%ld%s", (long)getpid(), name);
    return path;
}

/* A table of ten rows in the layout. */
static void store(source_layout layout, source_place *out)
{
    const tape_place place = {.input_path = own_path("")};
    tape_table *table = tape_table_new(source_columns, SOURCE_COLUMNS, 10, 3);
    source_store(table, &place, layout, NULL, out);
    tape_table_free(table);
}

/* ---- refusals ---- */

/* Everything that would show the number of selected rows is refused before the charge, whatever the number is. */
static void the_number_of_selected_rows_is_never_public(void **state)
{
    (void)state;
    static const source_layout layouts[] = {SOURCE_WHERE,      SOURCE_NARROW,
                                            SOURCE_STREAM,     SOURCE_CSV_WHERE,
                                            SOURCE_CSV_NARROW, SOURCE_TABLE_WHERE};
    static const struct {
        sotto_statistic statistic;
        const char *column;
    } cases[] = {{SOTTO_RELEASE_SUM, "age"},        {SOTTO_RELEASE_MEAN, "age"},
                 {SOTTO_RELEASE_HISTOGRAM, "town"}, {SOTTO_RELEASE_QUANTILE, "visits"},
                 {SOTTO_RELEASE_BOUNDS, "age"},     {SOTTO_RELEASE_COUNT, NULL}};
    sotto_schema *schema = parse(source_schema);
    for (size_t i = 0; i < sizeof layouts / sizeof layouts[0]; i++) {
        sotto_error error = {0};
        sotto_release_result *result = NULL;
        source_place place;
        store(layouts[i], &place);
        for (size_t j = 0; j < sizeof cases / sizeof cases[0]; j++) {
            sotto_release_config config = release_of(cases[j].statistic, cases[j].column);
            config.public_n = 7;
            if (cases[j].statistic == SOTTO_RELEASE_QUANTILE) config.quantile = 0.5;
            assert_refused(
                sotto_release_data(&config, schema, &place.file, &result, &error),
                SOTTO_INVALID_ARGUMENT, &error, "`public_n` is 7", "secret", NULL);
        }
        const sotto_release_config answers =
            release_of(SOTTO_RELEASE_RESPONSES, "smokes");
        assert_refused(sotto_release_data(&answers, schema, &place.file, &result, &error),
                       SOTTO_INVALID_ARGUMENT, &error, "one answer per row", "secret",
                       NULL);
        sotto_train_config train = sotto_train_defaults();
        sotto_train_result *trained = NULL;
        train.model = SOTTO_MODEL_LOGISTIC;
        train.adjacency = SOTTO_REPLACE_ONE;
        train.epsilon = 1.0;
        train.delta = 1e-6;
        train.public_n = 7;
        static const sotto_method methods[] = {
            SOTTO_METHOD_GD, SOTTO_METHOD_PERMUTATION_SGD, SOTTO_METHOD_GD_OUTPUT};
        for (size_t j = 0; j < sizeof methods / sizeof methods[0]; j++) {
            train.method = methods[j];
            assert_refused(
                sotto_train_data(&train, schema, &place.file, &trained, &error),
                SOTTO_INVALID_ARGUMENT, &error, "`public_n` is 7", NULL);
        }
        source_remove(&place);
    }
    sotto_schema_free(schema);
}

/* The same for a tuning, whose trainings all read the same rows. */
static void a_tuning_has_no_public_number_of_selected_rows(void **state)
{
    (void)state;
    sotto_error error = {0};
    sotto_train_result *result = NULL;
    source_place place;
    sotto_schema *schema = parse(source_schema);
    sotto_tune_config config = sotto_tune_defaults();
    config.train.model = SOTTO_MODEL_LOGISTIC;
    config.train.method = SOTTO_METHOD_OBJECTIVE;
    config.train.adjacency = SOTTO_REPLACE_ONE;
    config.train.epsilon = 1.0;
    config.train.delta = 1e-6;
    config.train.public_n = 7;
    config.grid = "lambda=90,200";
    config.score_epsilon = 0.1;
    assert_ok(sotto_runs_from_mean(SOTTO_RUNS_NEGATIVE_BINOMIAL, 1.0, 2.0, &config.runs,
                                   &error),
              &error);
    store(SOURCE_WHERE, &place);
    assert_refused(sotto_tune_data(&config, schema, &place.file, &result, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "`public_n` is 7", "secret", NULL);
    source_remove(&place);
    sotto_schema_free(schema);
}

/* However the condition is written, and whatever stands before it. */
static void no_spelling_hides_a_condition(void **state)
{
    (void)state;
    static const char *const queries[] = {
        "select * from t where age > 85",
        "SELECT * FROM t -- all of them\nWHERE age > 85",
        "SELECT * FROM t /*/ ' */ WHERE age > 85 --'",
        "SELECT * FROM t AS \"x -- \" WHERE age > 85", "SELECT *FROM[t]WHERE(age>85)"};
    sotto_schema *schema = parse(source_schema);
    source_place place;
    store(SOURCE_WHERE, &place);
    for (size_t i = 0; i < sizeof queries / sizeof queries[0]; i++) {
        sotto_error error = {0};
        sotto_release_result *result = NULL;
        sotto_release_config config = release_of(SOTTO_RELEASE_RESPONSES, "smokes");
        place.file.query = queries[i];
        assert_refused(sotto_release_data(&config, schema, &place.file, &result, &error),
                       SOTTO_INVALID_ARGUMENT, &error, "one answer per row", "secret",
                       NULL);
        config = release_of(SOTTO_RELEASE_SUM, "age");
        assert_ok(sotto_release_data(&config, schema, &place.file, &result, &error),
                  &error);
        assert_non_null(strstr(sotto_release_json(result), "\"rows_public\": false"));
        sotto_release_free(result);
    }
    source_remove(&place);
    sotto_schema_free(schema);
}

/* Randomised answers can be counted, under add-remove too. */
static void answers_need_a_public_number_of_rows(void **state)
{
    (void)state;
    sotto_error error = {0};
    sot_release release;
    sotto_schema *schema = parse(source_schema);
    sotto_release_config config = release_of(SOTTO_RELEASE_RESPONSES, "smokes");
    config.adjacency = SOTTO_ADD_REMOVE;
    assert_refused(
        sot_release_prepare(&config, schema, SOT_ROWS_STORED, &release, &error),
        SOTTO_INVALID_ARGUMENT, &error, "`adjacency` is add-remove", NULL);
    sot_release_clear(&release);
    config.adjacency = SOTTO_REPLACE_ONE;
    config.where = in_lund;
    assert_refused(
        sot_release_prepare(&config, schema, SOT_ROWS_STORED, &release, &error),
        SOTTO_INVALID_ARGUMENT, &error, "secret", NULL);
    sot_release_clear(&release);
    sotto_schema_free(schema);
}

/* An expected number is a guess: it cannot be the number of rows that a batch is drawn from. */
static void learners_of_a_public_number_ask_for_it(void **state)
{
    (void)state;
    static const struct {
        sotto_model_kind model;
        sotto_method method;
        sotto_sampling sampling;
    } cases[] = {{SOTTO_MODEL_LOGISTIC, SOTTO_METHOD_SGD, SOTTO_SINGLE_RECORD},
                 {SOTTO_MODEL_LOGISTIC, SOTTO_METHOD_PERMUTATION_SGD, SOTTO_POISSON},
                 {SOTTO_MODEL_LOGISTIC, SOTTO_METHOD_GD_OUTPUT, SOTTO_POISSON},
                 {SOTTO_MODEL_NETWORK, SOTTO_METHOD_SGD, SOTTO_SINGLE_RECORD},
                 {SOTTO_MODEL_NETWORK, SOTTO_METHOD_SGD, SOTTO_WITHOUT_REPLACEMENT}};
    static const char network[] =
        "{\"kind\": \"network\", \"version\": 1, \"layers\": [{\"type\": \"dense\", "
        "\"units\": \"outputs\"}]}";
    sotto_schema *schema = parse(source_schema);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        sotto_error error = {0};
        sotto_training *training = NULL;
        sotto_train_config config = sotto_train_defaults();
        config.model = cases[i].model;
        config.method = cases[i].method;
        config.sampling = cases[i].sampling;
        config.adjacency = SOTTO_REPLACE_ONE;
        config.epsilon = 1.0;
        config.delta = 1e-6;
        config.expected_rows = 50;
        if (config.model == SOTTO_MODEL_NETWORK) config.network = network;
        assert_refused(sotto_training_plan(&config, schema, &training, &error),
                       SOTTO_INVALID_ARGUMENT, &error, "public number of rows", NULL);
    }
    sotto_schema_free(schema);
}

/* A record without a label is a record: leaving it out would be a selection. */
static void every_record_handed_over_counts(void **state)
{
    (void)state;
    static const double cells[4][2] = {{0.5, 1}, {-0.5, 0}, {0.25, 1}, {-0.75, 0}};
    static const double labels[4] = {1, NAN, 0, 1};
    static const char text[] = "{\"features\": 2, \"labels\": [0, 1], "
                               "\"row_norm\": {\"bound\": 1, \"rule\": \"scale\"}}";
    sotto_error error = {0};
    sotto_train_result *result = NULL;
    const sotto_records records = {.features = {cells, SOTTO_FLOAT64, 4, 2, 16, 8},
                                   .labels = {labels, SOTTO_FLOAT64, 4, 1, 8, 8}};
    sotto_schema *schema = parse(text);
    sotto_train_config config = sotto_train_defaults();
    config.model = SOTTO_MODEL_LOGISTIC;
    config.method = SOTTO_METHOD_OUTPUT;
    config.adjacency = SOTTO_REPLACE_ONE;
    config.epsilon = 1.0;
    config.public_n = 4;
    config.insecure_test = true;
    assert_ok(sotto_train_records(&config, schema, &records, &result, &error), &error);
    sotto_train_free(result);
    config.public_n = 3;
    assert_refused(sotto_train_records(&config, schema, &records, &result, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "does not have the 3 rows", NULL);
    sotto_schema_free(schema);
}

/* The caller's flag does for arrays what a pipe does for files. */
static void selected_records_have_no_public_number(void **state)
{
    (void)state;
    static const double cells[4][2] = {{0.5, 1}, {-0.5, 0}, {0.25, 1}, {-0.75, 0}};
    static const char text[] =
        "{\"target\": \"y\", \"columns\": [{\"name\": \"x\", \"type\": \"number\", "
        "\"lower\": -1, \"upper\": 1}, {\"name\": \"y\", \"type\": \"boolean\"}]}";
    sotto_error error = {0};
    sotto_train_result *result = NULL;
    sotto_records records = {.features = {cells, SOTTO_FLOAT64, 4, 2, 16, 8}};
    sotto_schema *schema = parse(text);
    sotto_train_config config = sotto_train_defaults();
    config.model = SOTTO_MODEL_LOGISTIC;
    config.method = SOTTO_METHOD_OUTPUT;
    config.adjacency = SOTTO_REPLACE_ONE;
    config.epsilon = 1.0;
    config.public_n = 4;
    config.insecure_test = true;
    assert_ok(sotto_train_records(&config, schema, &records, &result, &error), &error);
    const char *json = sotto_train_json(result);
    assert_non_null(strstr(json, "\"rows_public\": true"));
    assert_non_null(strstr(json, "\"the number of rows\""));
    assert_non_null(strstr(json, "in memory were every row of a stored table"));
    sotto_train_free(result);
    records.selected = true;
    assert_refused(sotto_train_records(&config, schema, &records, &result, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "`public_n` is 4", NULL);
    config.public_n = 0;
    config.expected_rows = 4;
    assert_ok(sotto_train_records(&config, schema, &records, &result, &error), &error);
    json = sotto_train_json(result);
    assert_non_null(strstr(json, "\"rows_public\": false"));
    assert_null(strstr(json, "\"the number of rows\""));
    assert_null(strstr(json, "stored table"));
    assert_non_null(strstr(json, "each row of the stream came from one stored record"));
    assert_non_null(
        strstr(sotto_train_text(result), "number of selected rows is secret"));
    sotto_train_free(result);
    sotto_schema_free(schema);
}

/* ---- streams ---- */

static sot_origin origin_of(const char *path, const char *labels, bool stored_table)
{
    const sotto_data_file file = {
        .path = path, .labels = labels, .stored_table = stored_table};
    return sot_origin_of_file(&file);
}

/* Only a file with a name is stored. Whatever comes through a descriptor is the output of a program. */
static void only_a_file_with_a_name_is_stored(void **state)
{
    (void)state;
    char stored[96], pipe_path[96], nameless[64], listed[64];
    (void)snprintf(stored, sizeof stored, "%s", own_path(".csv"));
    (void)snprintf(pipe_path, sizeof pipe_path, "%s", own_path(".fifo"));
    FILE *file = fopen(stored, "w+");
    assert_non_null(file);
    (void)unlink(pipe_path);
    assert_int_equal(mkfifo(pipe_path, 0600), 0);
    (void)snprintf(nameless, sizeof nameless, "/proc/self/fd/%d", fileno(file));
    (void)snprintf(listed, sizeof listed, "/dev/fd/%d", fileno(file));
    assert_int_equal(origin_of(stored, NULL, false), SOT_ROWS_STORED);
    assert_int_equal(origin_of(stored, NULL, true), SOT_ROWS_STORED);
    assert_int_equal(origin_of(stored, stored, false), SOT_ROWS_STORED);
    const char *const streams[] = {pipe_path, nameless,     listed,
                                   "-",       "/dev/stdin", "/dev/null"};
    for (size_t i = 0; i < sizeof streams / sizeof streams[0]; i++) {
        assert_int_equal(origin_of(streams[i], NULL, false), SOT_ROWS_STREAMED);
        assert_int_equal(origin_of(streams[i], NULL, true), SOT_ROWS_DECLARED);
        assert_int_equal(origin_of(streams[i], stored, false), SOT_ROWS_STREAMED);
        assert_int_equal(origin_of(stored, streams[i], false), SOT_ROWS_STREAMED);
        assert_int_equal(origin_of(stored, streams[i], true), SOT_ROWS_DECLARED);
    }
    /* Another process's name for the file, which has none: a link to a descriptor. */
    char link_path[96];
    (void)snprintf(link_path, sizeof link_path, "%s", own_path(".link"));
    (void)unlink(link_path);
    assert_int_equal(symlink(nameless, link_path), 0);
    assert_int_equal(unlink(stored), 0);
    assert_int_equal(origin_of(link_path, NULL, false), SOT_ROWS_STREAMED);
    sotto_data_file query = {.path = nameless, .query = "SELECT * FROM t"};
    assert_int_equal(sot_origin_of_file(&query), SOT_ROWS_STREAMED);
    query.query = "SELECT * FROM t WHERE age > 85";
    assert_int_equal(sot_origin_of_file(&query), SOT_ROWS_STREAMED);
    query.stored_table = true;
    assert_int_equal(sot_origin_of_file(&query), SOT_ROWS_DECLARED_SELECTED);
    (void)unlink(link_path);
    (void)unlink(pipe_path);
    (void)fclose(file);
}

/* A condition never makes a number of rows public, and never turns a stream into a stored table. */
static void a_condition_keeps_a_stream_a_stream(void **state)
{
    (void)state;
    static const struct {
        sot_origin all, some;
    } cases[] = {{SOT_ROWS_STORED, SOT_ROWS_SELECTED},
                 {SOT_ROWS_DECLARED, SOT_ROWS_DECLARED_SELECTED},
                 {SOT_ROWS_GIVEN, SOT_ROWS_SELECTED},
                 {SOT_ROWS_SELECTED, SOT_ROWS_SELECTED},
                 {SOT_ROWS_STREAMED, SOT_ROWS_STREAMED},
                 {SOT_ROWS_DECLARED_SELECTED, SOT_ROWS_DECLARED_SELECTED}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_int_equal(sot_origin_selected(cases[i].all), cases[i].some);
        assert_true(sot_rows_are_secret(cases[i].some));
    }
    assert_false(sot_rows_are_secret(SOT_ROWS_STORED));
    assert_false(sot_rows_are_secret(SOT_ROWS_DECLARED));
    assert_false(sot_rows_are_secret(SOT_ROWS_GIVEN));
}

static void refuse_unit(sotto_status status, sotto_error *error)
{
    assert_refused(status, SOTTO_INVALID_ARGUMENT, error, "unit is 'person'", "stream",
                   "`stored_table=true`", NULL);
}

/* A program may call any column by the unit's name. */
static void a_stream_has_no_unit(void **state)
{
    (void)state;
    sotto_error error = {0};
    source_place place;
    sotto_release_result *released = NULL;
    sotto_train_result *trained = NULL;
    sotto_pate_result *taught = NULL;
    sotto_schema *schema = parse(source_unit_schema);
    sotto_release_config release = release_of(SOTTO_RELEASE_COUNT, NULL);
    release.adjacency = SOTTO_ADD_REMOVE;
    for (int filtered = 0; filtered < 2; filtered++) {
        release.where = filtered ? in_lund : NULL;
        store(SOURCE_STREAM, &place);
        refuse_unit(sotto_release_data(&release, schema, &place.file, &released, &error),
                    &error);
        source_remove(&place);
    }
    sotto_tune_config tune = sotto_tune_defaults();
    tune.train.model = SOTTO_MODEL_LOGISTIC;
    tune.train.method = SOTTO_METHOD_OBJECTIVE;
    tune.train.epsilon = 1.0;
    tune.train.delta = 1e-6;
    tune.train.expected_rows = 10;
    tune.grid = "lambda=90,200";
    tune.score_epsilon = 0.1;
    assert_ok(
        sotto_runs_from_mean(SOTTO_RUNS_NEGATIVE_BINOMIAL, 1.0, 2.0, &tune.runs, &error),
        &error);
    store(SOURCE_STREAM, &place);
    refuse_unit(sotto_tune_data(&tune, schema, &place.file, &trained, &error), &error);
    source_remove(&place);
    store(SOURCE_STREAM, &place);
    refuse_unit(sotto_train_data(&tune.train, schema, &place.file, &trained, &error),
                &error);
    source_remove(&place);
    store(SOURCE_STREAM, &place);
    const char *directory = own_path(".teachers");
    const sotto_pate_teach_config teach = scene_teach(directory, 4);
    refuse_unit(sotto_pate_teach(&teach, schema, &place.file, &taught, &error), &error);
    source_remove(&place);
    /* A declared one has: the certificate says on whose word. */
    store(SOURCE_DECLARED, &place);
    release.where = in_lund;
    assert_ok(sotto_release_data(&release, schema, &place.file, &released, &error),
              &error);
    assert_non_null(strstr(sotto_release_json(released), "own column names: declared"));
    sotto_release_free(released);
    source_remove(&place);
    sotto_schema_free(schema);
}

/* The same for records in memory that a query or a generator made. */
static void selected_records_have_no_unit(void **state)
{
    (void)state;
    static const double cells[4][3] = {
        {0.5, 1, 0}, {-0.5, 0, 0}, {0.25, 1, 0}, {-0.75, 0, 0}};
    static const int64_t people[4] = {1, 2, 3, 4};
    static const char text[] =
        "{\"target\": \"y\", \"unit\": {\"column\": \"person\", \"rows\": 1}, "
        "\"row_norm\": {\"bound\": 1, \"rule\": \"clip\"}, \"columns\": [{\"name\": "
        "\"x\", \"type\": \"number\", \"lower\": -1, \"upper\": 1}, {\"name\": \"y\", "
        "\"type\": \"boolean\"}, {\"name\": \"person\", \"type\": \"id\"}]}";
    sotto_error error = {0};
    sotto_train_result *result = NULL;
    sotto_records records = {.features = {cells, SOTTO_FLOAT64, 4, 3, 24, 8},
                             .units = {people, SOTTO_INT64, 4, 1, 8, 8},
                             .selected = true};
    sotto_schema *schema = parse(text);
    sotto_train_config config = sotto_train_defaults();
    config.model = SOTTO_MODEL_LOGISTIC;
    config.method = SOTTO_METHOD_OUTPUT;
    config.epsilon = 1.0;
    config.expected_rows = 4;
    config.insecure_test = true;
    assert_refused(sotto_train_records(&config, schema, &records, &result, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "unit is 'person'", "unknown program",
                   NULL);
    records.selected = false;
    assert_ok(sotto_train_records(&config, schema, &records, &result, &error), &error);
    sotto_train_free(result);
    sotto_schema_free(schema);
}

/* Teachers carry the origin of their rows to the certificate of the labels. */
static void labels_tell_where_the_teachers_rows_are_from(void **state)
{
    (void)state;
    static const struct {
        source_layout layout;
        const char *has, *lacks;
    } cases[] = {{SOURCE_CSV, "\"rows_public\": true", "stream"},
                 {SOURCE_WHERE, "\"rows_public\": false", "\"the number of rows\""},
                 {SOURCE_STREAM, "\"rows_public\": false", "\"the number of rows\""},
                 {SOURCE_STREAM, "each row of the stream came from one stored record",
                  "declared by the caller"},
                 {SOURCE_DECLARED, "the stream held every row of a stored table", NULL}};
    char directory[96], rows[96];
    (void)snprintf(directory, sizeof directory, "%s", own_path(".teachers"));
    (void)snprintf(rows, sizeof rows, "%s", own_path(".public.csv"));
    FILE *file = fopen(rows, "w");
    assert_non_null(file);
    fputs("age,visits,town\n81,2,Lund\n88,5,Ystad\n", file);
    assert_int_equal(fclose(file), 0);
    const sotto_data_file asked = {.path = rows};
    sotto_schema *schema = parse(source_schema);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        sotto_error error = {0};
        sotto_pate_result *taught = NULL, *labels = NULL;
        source_place place;
        scene_remove(directory);
        store(cases[i].layout, &place);
        sotto_pate_teach_config teach = scene_teach(directory, 4);
        teach.training.adjacency = SOTTO_REPLACE_ONE;
        assert_ok(sotto_pate_teach(&teach, schema, &place.file, &taught, &error), &error);
        sotto_pate_label_config label = scene_label(SOTTO_PATE_GNMAX, directory, 2);
        label.insecure_test = false;
        assert_ok(sotto_pate_label_rows(&label, NULL, &asked, &labels, &error), &error);
        const char *json = sotto_pate_json(labels);
        assert_non_null(strstr(json, cases[i].has));
        if (cases[i].lacks != NULL) assert_null(strstr(json, cases[i].lacks));
        assert_ok(sotto_certificate_verify(json, strlen(json), &error), &error);
        sotto_pate_free(taught);
        sotto_pate_free(labels);
        source_remove(&place);
    }
    scene_remove(directory);
    (void)unlink(rows);
    sotto_schema_free(schema);
}

/* ---- certificates ---- */

static void the_certificate_tells_where_the_rows_are_from(void **state)
{
    (void)state;
    static const struct {
        source_layout layout;
        const char *has, *lacks;
    } cases[] = {
        {SOURCE_CSV, "\"rows_public\": true", "not checked"},
        {SOURCE_TABLE, "\"the number of rows\"", "not checked"},
        {SOURCE_DECLARED, "the stream held every row of a stored table", NULL},
        {SOURCE_STREAM, "the rows of the stream, once", "\"the number of rows\""},
        {SOURCE_STREAM, "each row of the stream came from one stored record", "declared"},
        {SOURCE_WHERE, "\"rows_public\": false", "\"the number of rows\""}};
    sotto_schema *schema = parse(source_schema);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        sotto_error error = {0};
        sotto_release_result *result = NULL;
        source_place place;
        sotto_release_config config = release_of(SOTTO_RELEASE_SUM, "age");
        store(cases[i].layout, &place);
        assert_ok(sotto_release_data(&config, schema, &place.file, &result, &error),
                  &error);
        const char *json = sotto_release_json(result);
        assert_non_null(strstr(json, cases[i].has));
        if (cases[i].lacks != NULL) assert_null(strstr(json, cases[i].lacks));
        assert_ok(sotto_certificate_verify(json, strlen(json), &error), &error);
        sotto_release_free(result);
        source_remove(&place);
    }
    sotto_schema_free(schema);
}

/* Under add-remove too: one record may still stand behind many rows of a stream. */
static void beliefs_about_streams_hold_under_both_adjacencies(void **state)
{
    (void)state;
    static const source_layout layouts[] = {SOURCE_STREAM, SOURCE_DECLARED};
    static const char *const beliefs[] = {"each row of the stream came from one",
                                          "the stream held every row of a stored table"};
    sotto_schema *schema = parse(source_schema);
    for (size_t i = 0; i < 2; i++) {
        sotto_error error = {0};
        sotto_release_result *result = NULL;
        sotto_train_result *trained = NULL;
        source_place place;
        sotto_release_config config = release_of(SOTTO_RELEASE_SUM, "age");
        config.adjacency = SOTTO_ADD_REMOVE;
        store(layouts[i], &place);
        assert_ok(sotto_release_data(&config, schema, &place.file, &result, &error),
                  &error);
        assert_non_null(strstr(sotto_release_json(result), beliefs[i]));
        sotto_release_free(result);
        source_remove(&place);
        sotto_train_config train = sotto_train_defaults();
        train.model = SOTTO_MODEL_LOGISTIC;
        train.method = SOTTO_METHOD_OUTPUT;
        train.epsilon = 1.0;
        train.expected_rows = 10;
        store(layouts[i], &place);
        assert_ok(sotto_train_data(&train, schema, &place.file, &trained, &error),
                  &error);
        assert_non_null(strstr(sotto_train_json(trained), beliefs[i]));
        sotto_train_free(trained);
        source_remove(&place);
    }
    sotto_schema_free(schema);
}

/* ---- order ---- */

/* One `true` among eight rows, stored first; at epsilon 40 every answer is the truth but with probability 4e-18.
 * Its place among the answers is uniform: chi-square with 7 degrees of freedom above 60 has probability 1.5e-10. */
/* A verifier finds a file that states a condition, but counts its rows as all rows of a stored table. */
static void a_condition_without_a_selection_does_not_verify(void **state)
{
    (void)state;
    sotto_error error;
    sotto_schema *schema = NULL;
    assert_ok(
        sotto_schema_parse("s", source_schema, strlen(source_schema), &schema, &error),
        &error);
    sot_session session = {
        .where = "town = 'Lund'", .origin = SOT_ROWS_SELECTED, .schema = schema};
    assert_ok(sot_check_where(&session, &error), &error);
    session.origin = SOT_ROWS_STREAMED;
    assert_ok(sot_check_where(&session, &error), &error);
    session.origin = SOT_ROWS_STORED;
    assert_refused(sot_check_where(&session, &error), SOTTO_VERIFICATION, &error,
                   "request.rows", NULL);
    session.origin = SOT_ROWS_SELECTED;
    session.where = "town='Lund'";
    assert_refused(sot_check_where(&session, &error), SOTTO_VERIFICATION, &error,
                   "request.where", NULL);
    session.where = "weight > 5";
    assert_refused(sot_check_where(&session, &error), SOTTO_INVALID_ARGUMENT, &error,
                   "weight", NULL);
    sotto_schema_free(schema);
}

static void answers_leave_in_a_random_order(void **state)
{
    (void)state;
    enum { ROWS = 8, RUNS = 800 };
    static const char text[] =
        "{\"columns\": [{\"name\": \"x\", \"type\": \"boolean\"}]}";
    const char *path = own_path(".csv");
    uint64_t places[ROWS] = {0};
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("x\ntrue\nfalse\nfalse\nfalse\nfalse\nfalse\nfalse\nfalse\n", file);
    assert_int_equal(fclose(file), 0);
    sotto_schema *schema = parse(text);
    sotto_release_config config = release_of(SOTTO_RELEASE_RESPONSES, "x");
    config.epsilon = 40.0;
    config.insecure_test = true;
    for (uint64_t seed = 0; seed < RUNS; seed++) {
        sotto_error error = {0};
        sotto_release_result *result = NULL;
        config.test_seed = seed;
        assert_ok(sotto_release_data(&config, schema,
                                     &(const sotto_data_file){.path = path}, &result,
                                     &error),
                  &error);
        const char *lines = sotto_release_text(result);
        size_t place = 0;
        while (strncmp(lines, "true", 4) != 0) {
            lines = strchr(lines, '\n') + 1;
            place++;
        }
        assert_true(place < ROWS);
        places[place]++;
        sotto_release_free(result);
    }
    double chi_square = 0.0;
    const double expected = (double)RUNS / ROWS;
    for (size_t i = 0; i < ROWS; i++)
        chi_square +=
            ((double)places[i] - expected) * ((double)places[i] - expected) / expected;
    assert_true(chi_square < 60.0);
    (void)unlink(path);
    sotto_schema_free(schema);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_number_of_selected_rows_is_never_public),
        cmocka_unit_test(a_tuning_has_no_public_number_of_selected_rows),
        cmocka_unit_test(no_spelling_hides_a_condition),
        cmocka_unit_test(answers_need_a_public_number_of_rows),
        cmocka_unit_test(learners_of_a_public_number_ask_for_it),
        cmocka_unit_test(every_record_handed_over_counts),
        cmocka_unit_test(selected_records_have_no_public_number),
        cmocka_unit_test(only_a_file_with_a_name_is_stored),
        cmocka_unit_test(a_condition_keeps_a_stream_a_stream),
        cmocka_unit_test(a_stream_has_no_unit),
        cmocka_unit_test(selected_records_have_no_unit),
        cmocka_unit_test(labels_tell_where_the_teachers_rows_are_from),
        cmocka_unit_test(the_certificate_tells_where_the_rows_are_from),
        cmocka_unit_test(beliefs_about_streams_hold_under_both_adjacencies),
        cmocka_unit_test(a_condition_without_a_selection_does_not_verify),
        cmocka_unit_test(answers_leave_in_a_random_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
