/* The front door: each function of sotto.h does what it says, on rows of every kind, and refuses what it must. */
#include "support.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <sotto/arrow.h>
#include <sotto/audit.h>
#include <sotto/audit_model.h>
#include <sotto/pac_experiment.h>
#include <sotto/pate.h>
#include <sotto/release.h>
#include <sotto/report.h>
#include <sotto/schema_tools.h>
#include <sotto/sotto.h>
#include <sotto/train.h>
#include <sotto/tune.h>
#include <sotto/verify.h>

#include "base/memory.h"
#include "data/arrow.h"

static const char table_text[] =
    "{\"dataset\": \"door-1\", \"target\": \"smokes\", \"columns\": ["
    "{\"name\": \"age\", \"type\": \"number\", \"lower\": 18, \"upper\": 90, "
    "\"missing\": 40},"
    "{\"name\": \"smokes\", \"type\": \"boolean\", \"missing\": false}]}";
static const char matrix_text[] =
    "{\"dataset\": \"door-2\", \"features\": 2, \"labels\": [0, 1], "
    "\"row_norm\": {\"bound\": 2, \"rule\": \"clip\"}}";

enum { ROWS = 24 };

/* ---- a folder with a table ---- */

typedef struct scene {
    char folder[64], table[96], model[96], copy[96], ledger[96];
    sotto_schema *schema;
} scene;

static void write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static char *read_text(const char *path)
{
    static char text[1 << 16];
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    (void)fclose(file);
    return text;
}

static sotto_schema *schema_of(const char *text)
{
    sotto_error error = {0};
    sotto_schema *schema = NULL;
    assert_ok(sotto_schema_parse("schema", text, strlen(text), &schema, &error), &error);
    return schema;
}

static int make_scene(void **state)
{
    static scene here;
    char text[32 + ROWS * 16] = "age,smokes\n";
    (void)strcpy(here.folder, "/tmp/sotto-door-XXXXXX");
    if (mkdtemp(here.folder) == NULL) return -1;
    (void)snprintf(here.table, sizeof here.table, "%s/rows.csv", here.folder);
    (void)snprintf(here.model, sizeof here.model, "%s/model.json", here.folder);
    (void)snprintf(here.copy, sizeof here.copy, "%s/copy.json", here.folder);
    (void)snprintf(here.ledger, sizeof here.ledger, "%s/budget.ledger", here.folder);
    for (int i = 0; i < ROWS; i++) {
        char line[32];
        (void)snprintf(line, sizeof line, "%d,%s\n", 20 + 2 * i,
                       i % 3 == 0 ? "no" : "yes");
        (void)strcat(text, line);
    }
    write_text(here.table, text);
    here.schema = schema_of(table_text);
    *state = &here;
    return 0;
}

static int clear_scene(void **state)
{
    scene *here = *state;
    const char *files[] = {here->table, here->model, here->copy, here->ledger};
    for (size_t i = 0; i < 4; i++)
        (void)unlink(files[i]);
    sotto_schema_free(here->schema);
    return rmdir(here->folder);
}

static sotto_train_config config_of(void)
{
    sotto_train_config config = sotto_train_defaults();
    config.model = SOTTO_MODEL_LOGISTIC;
    config.method = SOTTO_METHOD_OBJECTIVE;
    config.epsilon = 2.375;
    config.delta = 1e-6;
    config.insecure_test = true;
    config.test_seed = 20261118;
    config.threads = 1;
    return config;
}

static sotto_rows *rows_of(const char *path)
{
    sotto_error error = {0};
    sotto_rows *rows = NULL;
    assert_ok(sotto_rows_from_file(path, &rows, &error), &error);
    return rows;
}

static sotto_model *model_of(const scene *here)
{
    sotto_error error = {0};
    sotto_model *model = NULL;
    sotto_rows *rows = rows_of(here->table);
    const sotto_train_config config = config_of();
    assert_ok(sotto_train(&config, here->schema, rows, &model, &error), &error);
    sotto_rows_free(rows);
    return model;
}

/* ---- the same rows in memory ---- */

static double cells[ROWS][2], features[ROWS][2], labels[ROWS];

static sotto_array array_of(double *data, size_t columns)
{
    return (sotto_array){.data = data,
                         .element = SOTTO_FLOAT64,
                         .rows = ROWS,
                         .columns = columns,
                         .row_stride_bytes = (ptrdiff_t)(columns * sizeof *data),
                         .column_stride_bytes = sizeof *data};
}

static void fill_arrays(void)
{
    for (int i = 0; i < ROWS; i++) {
        cells[i][0] = 20 + 2 * i;
        cells[i][1] = i % 3 == 0 ? 0.0 : 1.0;
        features[i][0] = i % 3 == 0 ? -0.75 : 0.625;
        features[i][1] = 0.125 * (i % 5);
        labels[i] = cells[i][1];
    }
}

static struct ArrowArrayStream stream_of(arrow_producer *producer)
{
    static double ages[ROWS];
    static uint8_t bits[ROWS / 8];
    memset(bits, 0, sizeof bits);
    memset(producer, 0, sizeof *producer);
    for (int i = 0; i < ROWS; i++) {
        ages[i] = 20 + 2 * i;
        if (i % 3 != 0) bits[i / 8] = (uint8_t)(bits[i / 8] | (1u << (i % 8)));
    }
    arrow_add_column(producer, "age", "g", NULL);
    arrow_add_column(producer, "smokes", "b", NULL);
    arrow_batch *batch = arrow_add_batch(producer, ROWS);
    batch->columns[0].n_buffers = batch->columns[1].n_buffers = 2;
    batch->buffers[0][1] = ages;
    batch->buffers[1][1] = bits;
    return arrow_stream_of(producer);
}

/* ---- predictions ---- */

typedef struct seen {
    size_t count, stop_at;
    double last[2];
    size_t classes[ROWS];
} seen;

static int see(size_t predicted, const double *outputs, void *context)
{
    seen *self = context;
    self->classes[self->count++] = predicted;
    self->last[0] = outputs[0];
    self->last[1] = outputs[1];
    return self->count == self->stop_at;
}

/* ---- tests ---- */

static void a_schema_is_read_and_described(void **state)
{
    const scene *here = *state;
    sotto_error error = {0};
    sotto_schema *schema = NULL;
    char *json = NULL, *text = NULL;
    write_text(here->copy, table_text);
    assert_ok(sotto_schema_load(here->copy, &schema, &error), &error);
    assert_ok(sotto_schema_describe(schema, NULL, &json, &text, &error), &error);
    assert_non_null(strstr(json, "\"age\""));
    assert_non_null(strstr(text, "smokes"));
    sotto_free(json);
    sotto_free(text);
    sotto_free(NULL);
    sotto_schema_free(schema);
    sotto_schema_free(NULL);
    assert_refused(sotto_schema_load("/nowhere/schema.json", &schema, &error), SOTTO_IO,
                   &error, "/nowhere/schema.json", NULL);
    assert_refused(sotto_schema_parse("mine", "{", 1, &schema, &error), SOTTO_PARSE,
                   &error, "mine", NULL);
}

static void a_training_gives_a_model_that_is_saved_loaded_and_verified(void **state)
{
    const scene *here = *state;
    sotto_error error = {0};
    sotto_model *model = NULL, *again = NULL;
    sotto_rows *rows = rows_of(here->table);
    sotto_train_config config = config_of();
    char *text = NULL;
    config.output = here->model;
    config.insecure_test = false;
    assert_ok(sotto_train(&config, here->schema, rows, &model, &error), &error);
    assert_int_equal(sotto_model_classes(model), 2);
    assert_string_equal(sotto_model_class(model, 1), "true");
    assert_int_equal(sotto_model_outputs(model), 2);

    assert_ok(sotto_model_save(model, here->copy, true, &error), &error);
    assert_string_equal(read_text(here->copy), sotto_model_json(model));
    assert_string_equal(read_text(here->model), sotto_model_json(model));
    assert_ok(sotto_model_load(here->copy, &again, &error), &error);
    assert_string_equal(sotto_model_json(again), sotto_model_json(model));
    sotto_model_free(again);
    const char *json = sotto_model_json(model);
    assert_ok(sotto_model_parse("text", json, strlen(json), &again, &error), &error);

    assert_ok(sotto_verify_file(here->copy, NULL, NULL, &text, &error), &error);
    assert_non_null(strstr(text, "epsilon"));
    sotto_free(text);
    assert_ok(sotto_verify_file(here->copy, NULL, NULL, NULL, &error), &error);
    assert_refused(
        sotto_verify_file(here->copy, NULL,
                          "ed25519:00000000000000000000000000000000000000000000"
                          "00000000000000000000",
                          NULL, &error),
        SOTTO_VERIFICATION, &error, "sign", NULL);
    assert_refused(sotto_verify_file("/nowhere/model.json", NULL, NULL, NULL, &error),
                   SOTTO_IO, &error, "/nowhere/model.json", NULL);

    /* A saved file is protected, and a forged one does not verify. */
    char *forged = strdup(sotto_model_json(model));
    forged[strcspn(forged, "2")] = '3';
    write_text(here->copy, forged);
    free(forged);
    assert_refused(sotto_model_save(model, here->copy, false, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "copy.json", NULL);
    assert_int_not_equal(sotto_verify_file(here->copy, NULL, NULL, NULL, &error),
                         SOTTO_OK);
    sotto_model_free(again);
    sotto_model_free(model);
    sotto_model_free(NULL);
    sotto_rows_free(rows);
}

/* A file, an array of cells and an Arrow stream hold the same rows: with one seed they give one model. */
static void rows_of_every_kind_train_the_same_model(void **state)
{
    const scene *here = *state;
    sotto_error error = {0};
    const sotto_train_config config = config_of();
    sotto_model *models[3] = {NULL};
    sotto_rows *kinds[3] = {NULL};
    arrow_producer producer;
    struct ArrowArrayStream stream = stream_of(&producer);
    fill_arrays();
    const sotto_array table = array_of(&cells[0][0], 2);
    const sotto_data_file file = {.path = here->table, .format = "csv"};
    assert_ok(sotto_rows_from_data_file(&file, &kinds[0], &error), &error);
    assert_ok(sotto_rows_from_array(&table, NULL, &kinds[1], &error), &error);
    assert_ok(sotto_rows_from_arrow(&stream, true, &kinds[2], &error), &error);
    assert_true(stream.release == NULL);
    sotto_array one = array_of(&cells[ROWS - 1][0], 2);
    one.rows = 1;
    double expected[2], values[2];
    for (int i = 0; i < 3; i++) {
        assert_ok(sotto_train(&config, here->schema, kinds[i], &models[i], &error),
                  &error);
        assert_ok(
            sotto_model_predict(models[i], &one, i == 0 ? expected : values, &error),
            &error);
        if (i > 0) assert_memory_equal(values, expected, sizeof values);
    }
    assert_refused(sotto_train(&config, here->schema, kinds[2], &models[2], &error),
                   SOTTO_INVALID_ARGUMENT, &error, "read already", NULL);
    for (int i = 0; i < 3; i++) {
        sotto_model_free(models[i]);
        sotto_rows_free(kinds[i]);
    }
    assert_true(arrow_all_released(&producer));
}

static void a_matrix_is_trained_on_and_scored_with_its_labels(void **state)
{
    (void)state;
    sotto_error error = {0};
    sotto_schema *schema = schema_of(matrix_text);
    const sotto_train_config config = config_of();
    sotto_evaluation scores;
    sotto_model *model = NULL;
    sotto_rows *rows = NULL, *bare = NULL;
    seen found = {0};
    fill_arrays();
    const sotto_array matrix = array_of(&features[0][0], 2), truth = array_of(labels, 1);
    assert_ok(sotto_rows_from_array(&matrix, &truth, &rows, &error), &error);
    assert_ok(sotto_rows_from_array(&matrix, NULL, &bare, &error), &error);
    assert_ok(sotto_train(&config, schema, rows, &model, &error), &error);
    assert_ok(sotto_model_evaluate(model, rows, 0.5, &scores, &error), &error);
    assert_int_equal(scores.rows, ROWS);
    assert_within(scores.accuracy, 0.0, 1.0);
    assert_ok(sotto_model_predict_rows(model, bare, 0.5, see, &found, &error), &error);
    assert_int_equal(found.count, ROWS);
    double right = 0.0;
    for (int i = 0; i < ROWS; i++)
        right += (double)found.classes[i] == labels[i] ? 1.0 : 0.0;
    assert_relative(right / ROWS, scores.accuracy, 1e-12);
    sotto_evaluation_clear(&scores);
    assert_null(scores.confusion);
    assert_refused(sotto_model_evaluate(model, bare, 0.5, &scores, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "labels", NULL);
    sotto_rows_free(bare);
    sotto_rows_free(rows);
    sotto_model_free(model);
    sotto_schema_free(schema);
}

static void predictions_agree_for_files_arrays_and_streams(void **state)
{
    const scene *here = *state;
    sotto_error error = {0};
    sotto_model *model = model_of(here);
    sotto_rows *kinds[3] = {rows_of(here->table)};
    seen found[3] = {{0}};
    arrow_producer producer;
    struct ArrowArrayStream stream = stream_of(&producer);
    fill_arrays();
    const sotto_array table = array_of(&cells[0][0], 2);
    const sotto_records records = {.features = table};
    assert_ok(sotto_rows_from_records(&records, &kinds[1], &error), &error);
    assert_ok(sotto_rows_from_arrow(&stream, false, &kinds[2], &error), &error);
    for (int i = 0; i < 3; i++) {
        assert_ok(sotto_model_predict_rows(model, kinds[i], 0.25, see, &found[i], &error),
                  &error);
        assert_memory_equal(&found[i], &found[0], sizeof found[0]);
    }
    assert_int_equal(found[0].count, ROWS);

    sotto_evaluation from_file, from_array;
    assert_ok(sotto_model_evaluate(model, kinds[0], 0.5, &from_file, &error), &error);
    assert_ok(sotto_model_evaluate(model, kinds[1], 0.5, &from_array, &error), &error);
    assert_true(from_file.log_loss == from_array.log_loss);
    sotto_evaluation_clear(&from_file);
    sotto_evaluation_clear(&from_array);

    seen stopped = {.stop_at = 3};
    for (int i = 0; i < 2; i++) {
        stopped.count = 0;
        assert_refused(
            sotto_model_predict_rows(model, kinds[i], 0.5, see, &stopped, &error),
            SOTTO_INTERRUPTED, &error, "stopped", NULL);
        assert_int_equal(stopped.count, 3);
    }
    assert_refused(sotto_model_predict_rows(model, kinds[0], 1.5, see, &stopped, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "`threshold` is 1.5", NULL);
    assert_refused(sotto_model_predict_rows(model, kinds[2], 0.5, see, &stopped, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "read already", NULL);
    for (int i = 0; i < 3; i++)
        sotto_rows_free(kinds[i]);
    sotto_model_free(model);
    assert_true(arrow_all_released(&producer));
}

static void rows_that_are_none_are_refused(void **state)
{
    const scene *here = *state;
    sotto_error error = {0};
    sotto_rows *rows = NULL;
    sotto_model *model = NULL;
    sotto_release_result *result = NULL;
    sotto_evaluation scores;
    const sotto_train_config config = config_of();
    const sotto_release_config count = sotto_release_defaults();
    struct ArrowArrayStream moved = {.release = NULL};
    assert_refused(sotto_rows_from_file(NULL, &rows, &error), SOTTO_INVALID_ARGUMENT,
                   &error, "path", NULL);
    assert_refused(sotto_rows_from_data_file(NULL, &rows, &error), SOTTO_INVALID_ARGUMENT,
                   &error, "path", NULL);
    assert_refused(sotto_rows_from_array(NULL, NULL, &rows, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "features", NULL);
    assert_refused(sotto_rows_from_records(NULL, &rows, &error), SOTTO_INVALID_ARGUMENT,
                   &error, "records", NULL);
    assert_refused(sotto_rows_from_arrow(NULL, true, &rows, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "stream is NULL", NULL);
    assert_refused(sotto_rows_from_arrow(&moved, true, &rows, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "released or moved", NULL);
    assert_null(rows);
    sotto_rows_free(NULL);
    assert_refused(sotto_train(&config, here->schema, NULL, &model, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "rows are NULL", NULL);
    assert_refused(sotto_release(&count, here->schema, NULL, &result, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "rows are NULL", NULL);
    model = model_of(here);
    assert_refused(sotto_model_predict_rows(model, NULL, 0.5, see, NULL, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "rows are NULL", NULL);
    assert_refused(sotto_model_evaluate(model, NULL, 0.5, &scores, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "rows are NULL", NULL);
    sotto_model_free(model);
    model = NULL;

    rows = rows_of("/nowhere/rows.csv");
    assert_refused(sotto_train(&config, here->schema, rows, &model, &error), SOTTO_IO,
                   &error, "/nowhere/rows.csv", NULL);
    assert_null(model);
    sotto_rows_free(rows);

    arrow_producer unread; /* a stream that no call reads is released with its rows */
    struct ArrowArrayStream stream = stream_of(&unread);
    assert_ok(sotto_rows_from_arrow(&stream, true, &rows, &error), &error);
    sotto_rows_free(rows);
    assert_true(arrow_all_released(&unread));
}

static void a_plan_reads_no_row_and_fails_as_the_training_would(void **state)
{
    const scene *here = *state;
    sotto_error error = {0};
    sotto_train_config config = config_of();
    char *json = NULL, *text = NULL;
    assert_ok(sotto_train_plan(&config, here->schema, &json, &text, &error), &error);
    assert_non_null(strstr(json, "\"lambda\""));
    assert_non_null(strstr(text, "objective"));
    sotto_free(json);
    sotto_free(text);
    assert_ok(sotto_train_plan(&config, here->schema, NULL, NULL, &error), &error);
    config.epsilon = -1.0;
    json = NULL;
    assert_refused(sotto_train_plan(&config, here->schema, &json, NULL, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "epsilon", NULL);
    assert_null(json);
}

static void a_ledger_is_charged_and_refuses_what_it_cannot_pay(void **state)
{
    const scene *here = *state;
    sotto_error error = {0};
    sotto_ledger_config budget = sotto_ledger_defaults();
    sotto_ledger_balance before, after;
    sotto_release_config config = sotto_release_defaults();
    sotto_release_result *result = NULL;
    sotto_rows *rows = rows_of(here->table);
    (void)strcpy(budget.dataset, "door-1");
    budget.adjacency = SOTTO_ADD_REMOVE;
    budget.epsilon = 1.5;
    budget.delta = 0.0;
    assert_ok(sotto_ledger_init(here->ledger, &budget, &error), &error);
    assert_refused(sotto_ledger_init(here->ledger, &budget, &error), SOTTO_IO, &error,
                   "budget.ledger", NULL);
    assert_ok(sotto_ledger_read(here->ledger, &before, &error), &error);
    assert_true(before.spent == 0.0);

    config.statistic = SOTTO_RELEASE_COUNT;
    config.epsilon = 1.0;
    config.ledger = here->ledger;
    assert_ok(sotto_release(&config, here->schema, rows, &result, &error), &error);
    assert_int_equal(sotto_release_size(result), 1);
    assert_string_equal(sotto_release_at(result, 0).label, "count");
    assert_within(sotto_release_at(result, 0).value, ROWS - 60.0,
                  ROWS + 60.0); /* e^-60 */
    assert_non_null(strstr(sotto_release_json(result), "\"certificate\""));
    sotto_release_free(result);
    sotto_release_free(NULL);

    assert_ok(sotto_ledger_read(here->ledger, &after, &error), &error);
    assert_within(after.spent, 1.0, 1.0 + 1e-9);
    assert_ok(sotto_ledger_verify(here->ledger, NULL, &error), &error);
    assert_ok(sotto_ledger_verify(here->ledger, before.head, &error), &error);
    before.head[0] = before.head[0] == '0' ? '1' : '0';
    assert_refused(sotto_ledger_verify(here->ledger, before.head, &error),
                   SOTTO_VERIFICATION, &error, NULL);
    config.epsilon = 0.75;
    assert_refused(sotto_release(&config, here->schema, rows, &result, &error),
                   SOTTO_BUDGET_EXCEEDED, &error, NULL);
    assert_refused(sotto_ledger_read("/nowhere/x.ledger", &after, &error), SOTTO_IO,
                   &error, "/nowhere/x.ledger", NULL);
    assert_refused(sotto_ledger_verify("/nowhere/x.ledger", NULL, &error), SOTTO_IO,
                   &error, "/nowhere/x.ledger", NULL);
    sotto_rows_free(rows);
}

static void a_statistic_of_an_array_is_released(void **state)
{
    const scene *here = *state;
    sotto_error error = {0};
    sotto_release_config config = sotto_release_defaults();
    sotto_release_result *result = NULL;
    sotto_rows *rows = NULL;
    fill_arrays();
    const sotto_array table = array_of(&cells[0][0], 2);
    config.statistic = SOTTO_RELEASE_MEAN;
    config.column = "age";
    config.epsilon = 1.0;
    config.insecure_test = true;
    config.test_seed = 7;
    assert_ok(sotto_rows_from_array(&table, NULL, &rows, &error), &error);
    assert_ok(sotto_release(&config, here->schema, rows, &result, &error), &error);
    assert_within(sotto_release_at(result, 0).value, 18.0, 90.0);
    sotto_release_free(result);
    sotto_rows_free(rows);
}

/* Every config of a public function: NULL, a size of 0 and a longer struct are refused before anything else is looked at. */
#define assert_sized(kind, config, call)                                                 \
    do {                                                                                 \
        (config).size = 0;                                                               \
        assert_refused(call, SOTTO_INVALID_ARGUMENT, &error, "sotto_" kind "_config",    \
                       "sotto_" kind "_defaults()", NULL);                               \
        (config).size = sizeof(config) + 8;                                              \
        assert_refused(call, SOTTO_INVALID_ARGUMENT, &error, "sotto_" kind "_config",    \
                       "newer headers", NULL);                                           \
        (config).size = sizeof(config);                                                  \
    } while (0)

static void every_config_states_its_size(void **state)
{
    const scene *here = *state;
    sotto_error error = {0};
    sotto_schema *schema = here->schema;
    const sotto_data_file file = {.path = here->table};
    const sotto_records records = {.features = {.rows = 0}};
    void *nothing = NULL, *const slot = &nothing;
    char *text = NULL;

    sotto_train_config train = config_of();
    assert_sized("train", train, sotto_training_plan(&train, schema, slot, &error));
    assert_sized("train", train, sotto_train_data(&train, schema, &file, slot, &error));
    assert_sized("train", train,
                 sotto_train_records(&train, schema, &records, slot, &error));
    assert_refused(sotto_train_data(NULL, schema, &file, slot, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "sotto_train_config is NULL", NULL);
    sotto_tune_config tune = sotto_tune_defaults();
    assert_int_equal(tune.train.size, sizeof tune.train);
    assert_sized("tune", tune, sotto_tuning_plan(&tune, schema, slot, &error));
    assert_sized("tune", tune, sotto_tune_data(&tune, schema, &file, slot, &error));
    assert_sized("tune", tune, sotto_tune_records(&tune, schema, &records, slot, &error));
    sotto_release_config release = sotto_release_defaults();
    assert_sized("release", release, sotto_release_plan(&release, schema, slot, &error));
    assert_sized("release", release,
                 sotto_release_data(&release, schema, &file, slot, &error));
    assert_sized("release", release,
                 sotto_release_records(&release, schema, &records, slot, &error));
    sotto_ledger_config ledger = sotto_ledger_defaults();
    assert_sized("ledger", ledger, sotto_ledger_init(here->copy, &ledger, &error));
    sotto_report_config report = sotto_report_defaults();
    assert_sized("report", report,
                 sotto_report_render("x", "{}", 2, &report, &text, &error));
    sotto_verify_config verify = sotto_verify_defaults();
    assert_sized("verify", verify, sotto_verify("{}", 2, &verify, NULL, &error));
    assert_sized(
        "verify", verify,
        sotto_verify_render("{}", 2, &verify, SOTTO_CERTIFICATE_TEXT, &text, &error));
    sotto_draft_config draft = sotto_draft_defaults();
    assert_sized("draft", draft, sotto_schema_draft(&draft, &text, &text, &error));
    sotto_sample_config sample = sotto_sample_defaults();
    assert_sized("sample", sample,
                 sotto_schema_sample(schema, &sample, NULL, NULL, &error));
    sotto_audit_config audit = sotto_audit_defaults();
    assert_sized("audit", audit, sotto_audit_learner(&audit, slot, &error));
    sotto_membership_config membership = sotto_membership_defaults();
    assert_sized("membership", membership,
                 sotto_membership_of(NULL, &membership, slot, &error));
    train.size = 0;
    membership.shadow = &train;
    assert_refused(sotto_membership_of(NULL, &membership, slot, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "sotto_train_config", NULL);
    sotto_pate_teach_config teach = sotto_pate_teach_defaults();
    assert_int_equal(teach.training.size, sizeof teach.training);
    assert_sized("pate_teach", teach,
                 sotto_pate_teach(&teach, schema, &file, slot, &error));
    sotto_pate_label_config label = sotto_pate_label_defaults();
    assert_sized("pate_label", label,
                 sotto_pate_label_rows(&label, schema, &file, slot, &error));
    sotto_pate_student_config student = sotto_pate_student_defaults();
    assert_int_equal(student.training.size, sizeof student.training);
    assert_sized("pate_student", student,
                 sotto_pate_student(&student, &file, slot, &error));
    sotto_packing_config packing = sotto_packing_defaults();
    assert_sized("packing", packing, sotto_packing_study_new(&packing, slot, &error));
    sotto_pac_experiment_config pac = sotto_pac_experiment_defaults();
    assert_sized("pac_experiment", pac, sotto_pac_experiment_run(&pac, slot, &error));
    assert_null(nothing);
    assert_null(text);
    assert_int_equal(access(here->copy, F_OK), -1); /* no ledger was made */
}

/* A program of an older version: its struct ends before the last members, and they have their defaults. */
static void a_shorter_training_config_still_trains(void **state)
{
    const scene *here = *state;
    sotto_error error = {0};
    sotto_model *models[2] = {NULL};
    sotto_rows *rows = rows_of(here->table);
    sotto_train_config config = config_of();
    assert_ok(sotto_train(&config, here->schema, rows, &models[0], &error), &error);
    config.size = offsetof(sotto_train_config, progress);
    config.progress = (sotto_progress_function)1; /* behind the end: never called */
    assert_ok(sotto_train(&config, here->schema, rows, &models[1], &error), &error);
    assert_string_equal(sotto_model_json(models[0]), sotto_model_json(models[1]));
    sotto_model_free(models[0]);
    sotto_model_free(models[1]);
    sotto_rows_free(rows);
}

static void no_allocation_failure_leaks_or_lies(void **state)
{
    const scene *here = *state;
    const sotto_train_config config = config_of();
    const sotto_data_file file = {
        .path = here->table, .format = "csv", .where = "age >= 18"};
    for (size_t nth = 1;; nth++) {
        sotto_error error;
        sotto_rows *rows = NULL, *array = NULL;
        char *json = NULL, *text = NULL;
        fill_arrays();
        const sotto_array table = array_of(&cells[0][0], 2);
        (void)sot_test_fail_allocation(nth);
        sotto_status status = sotto_rows_from_data_file(&file, &rows, &error);
        if (status == SOTTO_OK)
            status = sotto_rows_from_array(&table, NULL, &array, &error);
        if (status == SOTTO_OK)
            status = sotto_train_plan(&config, here->schema, &json, &text, &error);
        const size_t asked = sot_test_fail_allocation(0);
        sotto_rows_free(rows);
        sotto_rows_free(array);
        sotto_free(json);
        sotto_free(text);
        if (asked < nth) {
            assert_int_equal(status, SOTTO_OK);
            break;
        }
        assert_int_equal(status, SOTTO_OUT_OF_MEMORY);
        assert_null(json);
        assert_null(text);
    }
    arrow_producer producer;
    struct ArrowArrayStream stream = stream_of(&producer);
    sotto_error error;
    sotto_rows *rows = NULL;
    (void)sot_test_fail_allocation(1);
    assert_int_equal(sotto_rows_from_arrow(&stream, true, &rows, &error),
                     SOTTO_OUT_OF_MEMORY);
    (void)sot_test_fail_allocation(0);
    assert_true(arrow_all_released(&producer));
}

int main(void)
{
#define scene_test(test) cmocka_unit_test_setup_teardown(test, make_scene, clear_scene)
    const struct CMUnitTest tests[] = {
        scene_test(a_schema_is_read_and_described),
        scene_test(a_training_gives_a_model_that_is_saved_loaded_and_verified),
        scene_test(rows_of_every_kind_train_the_same_model),
        scene_test(a_matrix_is_trained_on_and_scored_with_its_labels),
        scene_test(predictions_agree_for_files_arrays_and_streams),
        scene_test(rows_that_are_none_are_refused),
        scene_test(a_plan_reads_no_row_and_fails_as_the_training_would),
        scene_test(a_ledger_is_charged_and_refuses_what_it_cannot_pay),
        scene_test(a_statistic_of_an_array_is_released),
        scene_test(every_config_states_its_size),
        scene_test(a_shorter_training_config_still_trains),
        scene_test(no_allocation_failure_leaks_or_lies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
