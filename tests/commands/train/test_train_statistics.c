/* Methods that release second moments: nothing shows but what was paid for, what has no proof is
 * refused, and with much budget the answer is that of the plain method. */
#include "support.h"

#include <unistd.h>

#include <sotto/model.h>

#include "base/memory.h"
#include "statistics_study.h"

/* ---- nothing shows ---- */

static void expect_no_leak(train_study study, size_t rows, size_t place)
{
    const tape_study tape = study_of(&study);
    const sotto_adjacency adjacency = study.config.adjacency;
    assert_true(study_releases(&tape));
    const char *leak = study_leak_of(&tape, adjacency, rows, place);
    if (leak == NULL && adjacency == SOTTO_ADD_REMOVE)
        leak = study_leak_of(&tape, adjacency, 0, 0); /* the first row of all */
    if (leak != NULL) fail_msg("%s: %s", sotto_method_name(study.config.method), leak);
}

static void a_row_more_or_less_shows_nothing(void **state)
{
    (void)state;
    for (size_t i = 0; i < METHODS; i++)
        expect_no_leak(study_for(methods[i], SOTTO_ADD_REMOVE, false), 5, 2);
}

static void a_row_exchanged_shows_nothing(void **state)
{
    (void)state;
    for (size_t i = 0; i < METHODS; i++)
        expect_no_leak(study_for(methods[i], SOTTO_REPLACE_ONE, false), 5, 2);
}

/* The rows of one person, p9, behind those of others: `count` of them, all with these values. */
static tape_table *table_with_person(const tape_study *tape, size_t count, double age,
                                     size_t town, size_t answer)
{
    tape_table *table = tape_table_new(tape->columns, tape->column_count, 3 + count, 7);
    for (size_t row = 3; row < 3 + count; row++) {
        tape_cell *cells = &table->cells[row * tape->column_count];
        cells[0].number = age;
        cells[1].text = study_towns[town];
        cells[2].text = "p9";
        cells[3].text = study_answers[answer];
    }
    return table;
}

/* A person with two rows that are alike, against none, one row, or two others as far away as can be. */
static void a_person_shows_nothing(void **state)
{
    (void)state;
    for (size_t i = 0; i < 2 * METHODS; i++) {
        const sotto_adjacency adjacency =
            i % 2 == 0 ? SOTTO_ADD_REMOVE : SOTTO_REPLACE_ONE;
        train_study study = study_for(methods[i / 2], adjacency, true);
        const tape_study tape = study_of(&study);
        assert_true(study_releases(&tape));
        for (size_t other = 0; other < 4; other++) {
            tape_table *table = table_with_person(&tape, 2, 90.0, 0, 0);
            tape_table *neighbour =
                adjacency == SOTTO_ADD_REMOVE
                    ? table_with_person(&tape, 0, 90.0, 0, 0)
                    : table_with_person(&tape, 2, 18.0, other % 2, other / 2);
            const char *leak = tape_check(&tape, table, neighbour);
            if (leak == NULL) leak = tape_check(&tape, neighbour, table);
            if (leak != NULL) fail_msg("%s: %s", sotto_method_name(methods[i / 2]), leak);
            tape_table_free(table);
            tape_table_free(neighbour);
        }
    }
}

static void the_order_of_rows_shows_nothing(void **state)
{
    (void)state;
    for (size_t i = 0; i < METHODS; i++) {
        train_study study = study_for(methods[i], SOTTO_ADD_REMOVE, false);
        const tape_study tape = study_of(&study);
        tape_table *table = tape_table_new(tape.columns, tape.column_count, 9, 5);
        const char *leak = tape_check_order(&tape, table);
        if (leak != NULL) fail_msg("%s: %s", sotto_method_name(methods[i]), leak);
        tape_table_free(table);
    }
}

/* ---- plans ---- */

static sotto_schema *parse(const char *text)
{
    sotto_error error;
    sotto_schema *schema = NULL;
    assert_ok(sotto_schema_parse("s.json", text, strlen(text), &schema, &error), &error);
    return schema;
}

/* The budget is used up: the events together cost what was asked for, to the certificate's digits. */
static void the_plan_costs_what_was_asked_for(void **state)
{
    (void)state;
    static const sotto_adjacency adjacencies[] = {SOTTO_ADD_REMOVE, SOTTO_REPLACE_ONE};
    for (size_t i = 0; i < 2 * METHODS; i++) {
        sotto_error error;
        sotto_account account;
        sotto_training *training = NULL;
        const train_study study = study_for(methods[i / 2], adjacencies[i % 2], false);
        sotto_schema *schema = parse(study.schema);
        assert_ok(sotto_training_plan(&study.config, schema, &training, &error), &error);
        assert_ok(sotto_account_epsilon(sotto_training_events(training), SOTTO_EXACT,
                                        study.config.delta, &account, &error),
                  &error);
        assert_within(account.epsilon, 0.75 * (1.0 - 1e-6), 0.75);
        sotto_training_free(training);
        sotto_schema_free(schema);
    }
}

/* statistics.md: three equal parts would cost sqrt(3) a release; here the moments, which hold two of
 * them, have noise sqrt(2 / 0.9). Under replace-one sqrt(4.5 / 0.9), not sqrt(6 / 0.9). */
static void moments_have_the_noise_of_the_theorem(void **state)
{
    (void)state;
    for (int exchange = 0; exchange < 2; exchange++) {
        sotto_error error;
        double one;
        sotto_plan *open = NULL;
        sotto_account account;
        sotto_training *training = NULL;
        sotto_event event = sotto_event_defaults();
        const sotto_adjacency adjacency =
            exchange == 1 ? SOTTO_REPLACE_ONE : SOTTO_ADD_REMOVE;
        const train_study study = study_for(SOTTO_METHOD_ADASSP, adjacency, false);
        sotto_schema *schema = parse(study.schema);
        assert_ok(sotto_training_plan(&study.config, schema, &training, &error), &error);
        const sotto_event *moments = sotto_plan_event(sotto_training_events(training), 0);
        event.mechanism = SOTTO_GAUSSIAN;
        assert_ok(sotto_plan_new(adjacency, &open, &error), &error);
        assert_ok(sotto_plan_add(open, &event, &error), &error);
        assert_ok(
            sotto_account_noise(open, SOTTO_EXACT, 0.75, 1e-6, &one, &account, &error),
            &error);
        const double square = 3.0; /* R^2: two indicators and the constant column */
        const double moved = exchange == 1 ? 4.5 : 2.0;
        assert_string_equal(moments->purpose, "second moments");
        assert_relative(moments->scale, square * one * sqrt(moved / 0.9), 1e-3);
        assert_relative(moments->sensitivity, square * sqrt(moved), 1e-3);
        sotto_plan_free(open);
        sotto_training_free(training);
        sotto_schema_free(schema);
    }
}

/* ---- refusals ---- */

static void refuse(const sotto_train_config *config, sotto_status expected,
                   const char *word)
{
    sotto_error error;
    sotto_training *training = NULL;
    sotto_schema *schema =
        parse(config->model == SOTTO_MODEL_LINEAR ? age_schema : study_schema);
    assert_refused(sotto_training_plan(config, schema, &training, &error), expected,
                   &error, word, NULL);
    assert_null(training);
    sotto_schema_free(schema);
}

static void what_has_no_proof_or_no_meaning_is_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < METHODS; i++) {
        sotto_train_config config = study_for(methods[i], SOTTO_ADD_REMOVE, false).config;
        config.delta = SOTTO_UNSET;
        refuse(&config, SOTTO_INVALID_ARGUMENT, "`delta` is missing");
        config = study_for(methods[i], SOTTO_ADD_REMOVE, false).config;
        config.l1 = 1.0;
        refuse(&config, SOTTO_INVALID_ARGUMENT, "`l1` has no meaning");
        config = study_for(methods[i], SOTTO_ADD_REMOVE, false).config;
        config.model = config.model == SOTTO_MODEL_LINEAR ? SOTTO_MODEL_LOGISTIC
                                                          : SOTTO_MODEL_LINEAR;
        refuse(&config, SOTTO_UNSUPPORTED, sotto_method_name(methods[i]));
    }
    sotto_train_config config =
        study_for(SOTTO_METHOD_ADASSP, SOTTO_ADD_REMOVE, false).config;
    config.lambda = 1.0;
    refuse(&config, SOTTO_INVALID_ARGUMENT, "give `method=statistics`");
    config = study_for(SOTTO_METHOD_STATISTICS, SOTTO_ADD_REMOVE, false).config;
    config.threshold = 1.0;
    refuse(&config, SOTTO_INVALID_ARGUMENT, "threshold");
    config.threshold = SOTTO_UNSET;
    config.steps = 3;
    refuse(&config, SOTTO_INVALID_ARGUMENT, "steps");
    config = study_for(SOTTO_METHOD_NEWTON, SOTTO_ADD_REMOVE, false).config;
    config.steps = 1001;
    refuse(&config, SOTTO_INVALID_ARGUMENT, "`steps` is 1001");
    config.steps = 3;
    config.radius = 1.0;
    refuse(&config, SOTTO_INVALID_ARGUMENT, "radius");
}

/* ---- answers ---- */

enum { ROWS = 3000, FEW_ROWS = 30 };

/* A line through two features, or odds along it, with residuals. */
static const char *write_table(bool classes, int rows)
{
    static char path[64];
    uint64_t state = 17;
    (void)snprintf(path, sizeof path, "statistics_%ld.csv", (long)getpid());
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "a,b,y\n");
    for (int i = 0; i < rows; i++) {
        double u[3];
        for (int k = 0; k < 3; k++) {
            state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            u[k] = (double)(int64_t)state * 0x1p-63;
        }
        const double y = 0.5 * u[0] - 0.25 * u[1] + 0.125;
        if (classes)
            fprintf(file, "%.6f,%.6f,%s\n", u[0], u[1],
                    y + 0.5 * u[2] > 0.0 ? "yes" : "no");
        else
            fprintf(file, "%.6f,%.6f,%.6f\n", u[0], u[1], y + 0.1 * u[2]);
    }
    assert_int_equal(fclose(file), 0);
    return path;
}

static const char line_schema[] =
    "{\"dataset\": \"line\", \"target\": \"y\", \"columns\": ["
    "{\"name\": \"a\", \"type\": \"number\", \"lower\": -1, \"upper\": 1},"
    "{\"name\": \"b\", \"type\": \"number\", \"lower\": -1, \"upper\": 1},"
    "{\"name\": \"y\", \"type\": \"number\", \"lower\": -1, \"upper\": 1}]}";
static const char odds_schema[] =
    "{\"dataset\": \"odds\", \"target\": \"y\", \"columns\": ["
    "{\"name\": \"a\", \"type\": \"number\", \"lower\": -1, \"upper\": 1},"
    "{\"name\": \"b\", \"type\": \"number\", \"lower\": -1, \"upper\": 1},"
    "{\"name\": \"y\", \"type\": \"category\", \"values\": [\"no\", \"yes\"]}]}";

static void fit(const sotto_train_config *config, const char *path, double *out_theta)
{
    sotto_error error;
    sotto_model *model = NULL;
    sotto_train_result *result = NULL;
    sotto_schema *schema =
        parse(config->model == SOTTO_MODEL_LINEAR ? line_schema : odds_schema);
    assert_ok(sotto_train_data(config, schema, &(const sotto_data_file){.path = path},
                               &result, &error),
              &error);
    const char *json = sotto_train_json(result);
    assert_ok(sotto_model_parse("m.json", json, strlen(json), &model, &error), &error);
    for (size_t i = 0; i < 3; i++)
        out_theta[i] = sotto_model_coefficient(model, i);
    sotto_model_free(model);
    sotto_train_free(result);
    sotto_schema_free(schema);
}

/* epsilon 60 leaves noise of a quarter of a row's moments beside 3000 rows. */
static void with_much_budget_the_answer_is_the_plain_one(void **state)
{
    (void)state;
    for (size_t i = 0; i < METHODS; i++) {
        double plain[3], theta[3];
        sotto_train_config config = study_for(methods[i], SOTTO_ADD_REMOVE, false).config;
        const char *path = write_table(config.model != SOTTO_MODEL_LINEAR, ROWS);
        config.insecure_test = true;
        config.test_seed = 3;
        config.epsilon = 60.0;
        config.steps = methods[i] == SOTTO_METHOD_NEWTON ? 8 : 0;
        fit(&config, path, theta);
        config.method = SOTTO_METHOD_NONE;
        config.epsilon = config.delta = SOTTO_UNSET;
        config.steps = 0;
        config.data_is_public = true;
        config.lambda = 1e-3;
        config.insecure_test = false;
        fit(&config, path, plain);
        for (size_t j = 0; j < 3; j++)
            assert_within(theta[j], plain[j] - 0.05, plain[j] + 0.05);
        (void)unlink(path);
    }
}

/* Given, lambda is the one that stands beside the sum of the losses; a radius holds. */
static void lambda_and_radius_are_those_of_the_plain_method(void **state)
{
    (void)state;
    double plain[3], theta[3];
    const char *path = write_table(false, ROWS);
    sotto_train_config config =
        study_for(SOTTO_METHOD_STATISTICS, SOTTO_ADD_REMOVE, false).config;
    config.insecure_test = true;
    config.test_seed = 3;
    config.epsilon = 60.0;
    config.lambda = 1000.0;
    fit(&config, path, theta);
    sotto_train_config public = config;
    public.method = SOTTO_METHOD_NONE;
    public.epsilon = public.delta = SOTTO_UNSET;
    public.data_is_public = true;
    public.insecure_test = false;
    fit(&public, path, plain);
    for (size_t j = 0; j < 3; j++)
        assert_within(theta[j], plain[j] - 0.01, plain[j] + 0.01);
    assert_true(theta[0] < 0.45);
    config.radius = 0.125;
    fit(&config, path, theta);
    assert_within(sqrt(theta[0] * theta[0] + theta[1] * theta[1] + theta[2] * theta[2]),
                  0.1249, 0.1251);
    (void)unlink(path);
}

/* An empty table, and budgets so small that all is noise: a model all the same. */
static void no_data_and_no_budget_still_give_a_model(void **state)
{
    (void)state;
    static const double epsilons[] = {1e-4, 1e-2, 1.0};
    for (size_t i = 0; i < METHODS * 3; i++) {
        for (uint64_t seed = 0; seed < 10; seed++) {
            double theta[3];
            static char path[64];
            sotto_train_config config =
                study_for(methods[i / 3], SOTTO_ADD_REMOVE, false).config;
            (void)snprintf(path, sizeof path, "statistics_%ld.csv", (long)getpid());
            FILE *file = fopen(path, "w");
            assert_non_null(file);
            fprintf(file, "a,b,y\n");
            assert_int_equal(fclose(file), 0);
            config.insecure_test = true;
            config.test_seed = seed;
            config.epsilon = epsilons[i % 3];
            fit(&config, path, theta);
            for (size_t j = 0; j < 3; j++)
                assert_true(isfinite(theta[j]));
            (void)unlink(path);
        }
    }
}

static void any_number_of_threads_gives_the_same_model(void **state)
{
    (void)state;
    for (size_t i = 0; i < METHODS; i++) {
        double one[3], four[3];
        sotto_train_config config =
            study_for(methods[i], SOTTO_REPLACE_ONE, false).config;
        const char *path = write_table(config.model != SOTTO_MODEL_LINEAR, ROWS);
        config.insecure_test = true;
        config.test_seed = 8;
        config.threads = 1;
        fit(&config, path, one);
        config.threads = 4;
        fit(&config, path, four);
        assert_memory_equal(one, four, sizeof one);
        (void)unlink(path);
    }
}

/* Rows that are read again for every pass, and never held together. */
static void a_stream_gives_the_same_model(void **state)
{
    (void)state;
    for (size_t i = 0; i < METHODS; i++) {
        double held[3], streamed[3];
        sotto_train_config config = study_for(methods[i], SOTTO_ADD_REMOVE, false).config;
        const char *path = write_table(config.model != SOTTO_MODEL_LINEAR, ROWS);
        config.insecure_test = true;
        config.test_seed = 9;
        fit(&config, path, held);
        config.stream = true;
        fit(&config, path, streamed);
        assert_memory_equal(held, streamed, sizeof held);
        (void)unlink(path);
    }
}

/* From the first allocation behind the plan, which tests/commands/train/test_train.c tries. */
static void a_failed_allocation_is_reported_and_nothing_is_lost(void **state)
{
    (void)state;
    sotto_error error;
    for (size_t i = 0; i < METHODS; i++) {
        sotto_train_config config = study_for(methods[i], SOTTO_ADD_REMOVE, false).config;
        sotto_schema *schema =
            parse(config.model == SOTTO_MODEL_LINEAR ? line_schema : odds_schema);
        const char *path = write_table(config.model != SOTTO_MODEL_LINEAR, FEW_ROWS);
        config.insecure_test = true;
        config.test_seed = 2;
        config.threads = 1;
        sotto_training *training = NULL;
        (void)sot_test_fail_allocation(0);
        assert_ok(sotto_training_plan(&config, schema, &training, &error), &error);
        const size_t planned = sot_test_fail_allocation(0);
        sotto_training_free(training);
        sotto_status status = SOTTO_OUT_OF_MEMORY;
        for (size_t nth = planned; status == SOTTO_OUT_OF_MEMORY; nth++) {
            sotto_train_result *result = NULL;
            (void)sot_test_fail_allocation(nth);
            status = sotto_train_data(
                &config, schema, &(const sotto_data_file){.path = path}, &result, &error);
            (void)sot_test_fail_allocation(0);
            assert_true((status == SOTTO_OK) == (result != NULL));
            sotto_train_free(result);
        }
        assert_int_equal(status, SOTTO_OK);
        (void)unlink(path);
        sotto_schema_free(schema);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_row_more_or_less_shows_nothing),
        cmocka_unit_test(a_row_exchanged_shows_nothing),
        cmocka_unit_test(a_person_shows_nothing),
        cmocka_unit_test(the_order_of_rows_shows_nothing),
        cmocka_unit_test(the_plan_costs_what_was_asked_for),
        cmocka_unit_test(moments_have_the_noise_of_the_theorem),
        cmocka_unit_test(what_has_no_proof_or_no_meaning_is_refused),
        cmocka_unit_test(with_much_budget_the_answer_is_the_plain_one),
        cmocka_unit_test(lambda_and_radius_are_those_of_the_plain_method),
        cmocka_unit_test(no_data_and_no_budget_still_give_a_model),
        cmocka_unit_test(any_number_of_threads_gives_the_same_model),
        cmocka_unit_test(a_stream_gives_the_same_model),
        cmocka_unit_test(a_failed_allocation_is_reported_and_nothing_is_lost),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
