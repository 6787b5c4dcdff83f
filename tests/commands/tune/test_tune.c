/* A tuning as a whole: what it may cost, how many trainings it has, and that nobody learns how many. */
#include "support.h"

#include <jansson.h>

#include <sotto/certificate.h>
#include <sotto/ledger.h>
#include <sotto/model.h>

#include "base/memory.h"
#include "numeric/special.h"
#include "privacy/mechanisms/gate/tape.h"
#include "tune_study.h"

static sotto_schema *schema_of(const char *text)
{
    sotto_error error;
    sotto_schema *schema = NULL;
    assert_ok(sotto_schema_parse("schema.json", text, strlen(text), &schema, &error),
              &error);
    return schema;
}

static sotto_tune_config cheap(void)
{
    return tune_config(SOTTO_METHOD_OUTPUT, SOTTO_ADD_REMOVE, 1e-6, "lambda=5");
}

/* ---- the price ---- */

/* Outward, and no more than a thousandth is left over. */
static void the_whole_is_within_its_budget_and_uses_it(void **state)
{
    (void)state;
    sotto_error error;
    sotto_schema *schema = schema_of(study_schema);
    const sotto_runs laws[] = {tune_runs(SOTTO_RUNS_NEGATIVE_BINOMIAL, 1.0, 10.0),
                               tune_runs(SOTTO_RUNS_NEGATIVE_BINOMIAL, 0.0, 4.5),
                               tune_runs(SOTTO_RUNS_POISSON, SOTTO_UNSET, 5.0)};
    for (size_t i = 0; i < 5; i++) {
        sotto_tuning *tuning = NULL;
        sotto_account account;
        sotto_tune_config config =
            tune_config(i < 3 ? SOTTO_METHOD_GD : SOTTO_METHOD_OUTPUT, SOTTO_ADD_REMOVE,
                        i < 3 ? 1e-6 : SOTTO_UNSET, i < 3 ? "steps=5,50" : "lambda=1,9");
        config.runs = laws[i % 3];
        if (i % 2 == 1) {
            config.score_epsilon = 0.01;
            config.validation = NULL;
        }
        assert_ok(sotto_tuning_plan(&config, schema, &tuning, &error), &error);
        const sotto_plan *plan = sotto_tuning_events(tuning);
        assert_int_equal(sotto_plan_size(plan), 1);
        assert_int_equal(sotto_plan_event(plan, 0)->count, 1);
        /* Output perturbation's noise is not quite exact: its pure delta is tiny. */
        const double delta = i < 3 ? 1e-6 : 1e-100;
        assert_ok(sotto_account_epsilon(plan, SOTTO_EXACT, delta, &account, &error),
                  &error);
        assert_within(account.epsilon, 0.998 * config.train.epsilon,
                      config.train.epsilon);
        sotto_tuning_free(tuning);
    }
    sotto_schema_free(schema);
}

/* (2 + eta) times the epsilon of a run, the score's included: Papernot & Steinke, for pure runs. */
static void a_pure_tuning_costs_two_plus_eta_runs(void **state)
{
    (void)state;
    sotto_error error;
    sotto_schema *schema = schema_of(study_schema);
    static const double etas[] = {-0.5, 0.0, 1.0, 2.5};
    for (size_t i = 0; i < 4; i++) {
        sotto_tuning *tuning = NULL;
        sotto_tune_config config =
            tune_config(SOTTO_METHOD_OUTPUT, SOTTO_ADD_REMOVE, SOTTO_UNSET, "lambda=1,9");
        config.runs = tune_runs(SOTTO_RUNS_NEGATIVE_BINOMIAL, etas[i], 7.0);
        config.validation = NULL;
        config.score_epsilon = 0.0625;
        assert_ok(sotto_tuning_plan(&config, schema, &tuning, &error), &error);
        const double whole =
            (2.0 + etas[i]) * (sotto_tuning_run_epsilon(tuning) + 0.0625);
        assert_within(whole, 0.998 * config.train.epsilon,
                      config.train.epsilon * (1.0 + 1e-9));
        sotto_tuning_free(tuning);
    }
    sotto_schema_free(schema);
}

/* The dearest of the candidates is charged: at every order no less than a tuning over it alone, with the same budget
 * of a run, and one plan more costs more. */
static void the_score_is_part_of_every_run(void **state)
{
    (void)state;
    sotto_error error;
    sotto_schema *schema = schema_of(study_schema);
    sotto_tuning *free_score = NULL, *paid = NULL;
    sotto_tune_config config = cheap();
    assert_ok(sotto_tuning_plan(&config, schema, &free_score, &error), &error);
    config.validation = NULL;
    config.score_epsilon = 0.1;
    assert_ok(sotto_tuning_plan(&config, schema, &paid, &error), &error);
    assert_int_equal(sotto_plan_size(sotto_tuning_run_events(paid, 0)),
                     sotto_plan_size(sotto_tuning_run_events(free_score, 0)) + 1);
    assert_true(sotto_tuning_run_epsilon(paid) <
                sotto_tuning_run_epsilon(free_score) - 0.02);
    sotto_tuning_free(free_score);
    sotto_tuning_free(paid);
    sotto_schema_free(schema);
}

/* Skipping follows from settings and schema: the price of the rest is that of a grid without it. */
static void a_candidate_without_a_budget_is_skipped(void **state)
{
    (void)state;
    const char *const grids[] = {"lambda=40,0.0001,60", "lambda=40,60"};
    sotto_error error;
    sotto_schema *schema = schema_of(study_schema);
    sotto_tuning *tunings[2] = {NULL, NULL};
    sotto_tune_config config =
        tune_config(SOTTO_METHOD_OBJECTIVE, SOTTO_ADD_REMOVE, 1e-6, NULL);
    for (size_t i = 0; i < 2; i++) {
        config.grid = grids[i];
        assert_ok(sotto_tuning_plan(&config, schema, &tunings[i], &error), &error);
        assert_int_equal(sotto_tuning_candidates(tunings[i]), 2);
    }
    const double epsilon = sotto_tuning_run_epsilon(tunings[1]);
    assert_within(sotto_tuning_run_epsilon(tunings[0]), 0.998 * epsilon, 1.002 * epsilon);
    assert_non_null(
        strstr(sotto_tuning_text(tunings[0]), "skipped           lambda=0.0001"));
    assert_null(strstr(sotto_tuning_text(tunings[1]), "skipped"));
    sotto_tuning_free(tunings[0]);
    sotto_tuning_free(tunings[1]);
    tunings[0] = NULL;
    config.grid = "lambda=0.0001,0.0002";
    assert_refused(sotto_tuning_plan(&config, schema, &tunings[0], &error),
                   SOTTO_INVALID_ARGUMENT, &error, "lambda=0.0001", NULL);
    sotto_schema_free(schema);
}

/* ---- the number of trainings ---- */

static size_t releases_of(sotto_tune_config config, uint64_t seed)
{
    int exit_code = -1;
    tune_study study = {.config = config, .seed = seed};
    const tape_study tape = tune_study_of(&study);
    tape_table *table = tape_table_new(tape.columns, tape.column_count, 7, 4);
    const size_t releases = tape_releases(&tape, table, &exit_code);
    assert_int_equal(exit_code, 0);
    tape_table_free(table);
    return releases;
}

static size_t releases_of_one_training(const sotto_train_config *config)
{
    int exit_code = -1;
    train_study study = {.config = *config};
    const tape_study tape = study_of(&study);
    tape_table *table = tape_table_new(tape.columns, tape.column_count, 7, 4);
    const size_t releases = tape_releases(&tape, table, &exit_code);
    assert_int_equal(exit_code, 0);
    tape_table_free(table);
    return releases;
}

/* Counted at the gates of whole tunings. False alarms: 1e-6, once and for all: the seeds are fixed. */
static void the_number_of_trainings_has_the_law_that_is_charged(void **state)
{
    (void)state;
    enum { SEEDS = 24, CELLS = 4 };
    sotto_tune_config config = cheap();
    sotto_train_config one = config.train;
    one.lambda = 5.0;
    const size_t each = releases_of_one_training(&one);
    double seen[CELLS] = {0}, square = 0.0, rest = SEEDS;
    config.runs = tune_runs(SOTTO_RUNS_NEGATIVE_BINOMIAL, 1.0, 2.5);
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        const size_t releases = releases_of(config, 1000 + seed);
        assert_int_equal(releases % each, 0);
        const size_t runs = releases / each;
        seen[runs < CELLS ? runs : CELLS - 1] += 1.0;
    }
    assert_true(seen[0] == 0.0);
    for (size_t k = 1; k < CELLS; k++) {
        const double expected =
            k + 1 < CELLS ? SEEDS * sotto_runs_probability(&config.runs, k) : rest;
        rest -= expected;
        square += (seen[k] - expected) * (seen[k] - expected) / expected;
    }
    assert_true(square < 27.7); /* 1 - 1e-6 of chi-square with 2 degrees */
}

/* ---- what leaves ---- */

static sotto_train_result *tune_seeded(const sotto_tune_config *given, uint64_t seed)
{
    static const char rows[] =
        "age,town,person,smokes\n44.5,Lund,p1,no\n61.25,Ystad,p2,yes\n";
    sotto_error error;
    sotto_tune_config config = *given;
    char path[] = "/tmp/tune-rows-XXXXXX";
    const int fd = mkstemp(path);
    assert_true(fd >= 0 && write(fd, rows, sizeof rows - 1) == (int)sizeof rows - 1);
    assert_int_equal(close(fd), 0);
    const sotto_data_file file = {.path = path};
    sotto_schema *schema = schema_of(study_schema);
    sotto_train_result *result = NULL;
    config.train.insecure_test = true;
    config.train.test_seed = seed;
    config.train.threads = 1;
    assert_ok(sotto_tune_data(&config, schema, &file, &result, &error), &error);
    sotto_schema_free(schema);
    assert_int_equal(unlink(path), 0);
    return result;
}

/* The file without the coefficients and the hash over them; free() it. */
static char *rest_of(const sotto_train_result *result)
{
    json_t *file = json_loads(sotto_train_json(result), 0, NULL);
    assert_non_null(file);
    assert_int_equal(json_object_del(file, "coefficients"), 0);
    json_t *certificate = json_object_get(file, "certificate");
    assert_int_equal(json_object_del(certificate, "hash"), 0);
    char *text = json_dumps(file, JSON_SORT_KEYS);
    json_decref(file);
    return text;
}

/* One candidate, many seeds and so many numbers of trainings: all but the coefficients is the same text. */
static void nothing_but_the_winner_depends_on_the_trainings(void **state)
{
    (void)state;
    sotto_tune_config config = cheap();
    config.runs = tune_runs(SOTTO_RUNS_NEGATIVE_BINOMIAL, 0.0, 4.0);
    sotto_train_result *first = tune_seeded(&config, 1);
    char *first_rest = rest_of(first);
    bool moved = false;
    for (uint64_t seed = 2; seed < 8; seed++) {
        sotto_train_result *other = tune_seeded(&config, seed);
        char *other_rest = rest_of(other);
        assert_string_equal(sotto_train_text(other), sotto_train_text(first));
        assert_string_equal(other_rest, first_rest);
        moved = moved || strcmp(sotto_train_json(other), sotto_train_json(first)) != 0;
        free(other_rest);
        sotto_train_free(other);
    }
    assert_true(moved);
    free(first_rest);
    sotto_train_free(first);
}

static void the_winner_says_how_it_was_tuned(void **state)
{
    (void)state;
    sotto_tune_config config = cheap();
    config.grid = "lambda=5,50";
    sotto_train_result *result = tune_seeded(&config, 3);
    const char *json = sotto_train_json(result);
    sotto_certificate_summary summary;
    sotto_error error;
    assert_non_null(strstr(json, "tuned: lambda=5"));
    assert_non_null(strstr(json, "secret number of trainings, 3 on average"));
    assert_non_null(strstr(json, "public grid of 2 (lambda=5,50)"));
    assert_non_null(strstr(json, "only the winner left"));
    assert_ok(sotto_certificate_summarize(json, strlen(json), &summary, &error), &error);
    assert_within(summary.epsilon, 0.7, 0.75);
    assert_false(summary.is_private); /* a test seed */
    sotto_train_free(result);
}

/* The rows of tune_write_validation() in memory: the same scores, the same winner. */
static void validation_rows_in_memory_are_those_of_a_file(void **state)
{
    (void)state;
    sotto_error error;
    double cells[40][4];
    for (int i = 0; i < 40; i++) {
        cells[i][0] = 19.5 + (double)((i * 37) % 70);
        cells[i][1] = i % 3 ? 0.0 : 1.0;
        cells[i][2] = 0.0;
        cells[i][3] = (i * 37) % 70 > 30 + i % 11 ? 1.0 : 0.0;
    }
    sotto_records rows = {.features = {.data = cells,
                                       .element = SOTTO_FLOAT64,
                                       .rows = 40,
                                       .columns = 4,
                                       .row_stride_bytes = sizeof cells[0],
                                       .column_stride_bytes = sizeof(double)}};
    sotto_tune_config config = cheap();
    config.grid = "lambda=5,50";
    sotto_train_result *read = tune_seeded(&config, 3);
    config.validation_records = &rows;
    sotto_schema *schema = schema_of(study_schema);
    sotto_train_result *none = NULL;
    assert_refused(sotto_tune_records(&config, schema, &rows, &none, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "give it once", NULL);
    config.validation = NULL;
    sotto_train_result *seen = tune_seeded(&config, 3);
    assert_string_equal(sotto_train_json(seen), sotto_train_json(read));
    assert_refused(sotto_tune_records(&config, schema, &rows, &none, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "public rows", NULL);
    sotto_records empty = rows;
    empty.features.rows = 0;
    config.validation_records = &empty;
    rows.features.data = cells[1];
    assert_refused(sotto_tune_records(&config, schema, &rows, &none, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "in memory", "at least one", NULL);
    sotto_train_free(seen);
    sotto_train_free(read);
    sotto_schema_free(schema);
}

/* Seeds of which some have no training at all: then the coefficients are zeros, and nothing else is. */
static void without_a_training_a_fixed_model_leaves(void **state)
{
    (void)state;
    /* Pure: the price of a Poisson law is quick to find then. */
    sotto_tune_config config =
        tune_config(SOTTO_METHOD_OUTPUT, SOTTO_ADD_REMOVE, SOTTO_UNSET, "lambda=5,50");
    config.runs = tune_runs(SOTTO_RUNS_POISSON, SOTTO_UNSET, 0.75);
    size_t fixed = 0;
    for (uint64_t seed = 0; seed < 6; seed++) {
        sotto_train_result *result = tune_seeded(&config, 40 + seed);
        const char *json = sotto_train_json(result);
        sotto_model *model = NULL;
        sotto_error error;
        assert_ok(sotto_model_parse("model", json, strlen(json), &model, &error), &error);
        bool zero = true;
        for (size_t j = 0; j < sotto_model_dimension(model); j++)
            zero = zero && sotto_model_coefficient(model, j) == 0.0;
        const bool none = releases_of(config, 40 + seed) == 0;
        assert_int_equal(zero, none);
        if (none) assert_non_null(strstr(json, "tuned: lambda=5."));
        fixed += none;
        sotto_model_free(model);
        sotto_train_free(result);
    }
    assert_in_range(fixed, 1, 5); /* e^-0.75 = 0.47 of 6 */
}

/* ---- progress ---- */

typedef struct heard {
    size_t times;
    bool steps;
    int answer;
} heard;

static int hear(const sotto_progress *progress, void *context)
{
    heard *own = context;
    own->times++;
    own->steps = own->steps || progress->step != 0 || progress->steps != 0 ||
                 !isnan(progress->epsilon_so_far) ||
                 progress->elapsed_seconds != floor(progress->elapsed_seconds);
    return own->answer;
}

/* Who stops a tuning hears nothing of steps, and nothing is handed out. */
static void progress_tells_the_time_alone(void **state)
{
    (void)state;
    sotto_error error;
    heard own = {.answer = 1};
    sotto_tune_config config =
        tune_config(SOTTO_METHOD_GD, SOTTO_ADD_REMOVE, 1e-6, "learning-rate=0.5,1");
    config.train.steps = 3;
    config.train.progress = hear;
    config.train.progress_context = &own;
    config.train.insecure_test = true;
    const double cells[] = {44.5, 1.0, 0.0, 1.0};
    sotto_records records = {.features = {.data = cells,
                                          .element = SOTTO_FLOAT64,
                                          .rows = 1,
                                          .columns = 4,
                                          .row_stride_bytes = 32,
                                          .column_stride_bytes = 8}};
    sotto_schema *schema = schema_of(study_schema);
    sotto_train_result *result = NULL;
    assert_refused(sotto_tune_records(&config, schema, &records, &result, &error),
                   SOTTO_INTERRUPTED, &error, "stopped", "nothing was written", NULL);
    assert_null(result);
    assert_int_equal(own.times, 1);
    assert_false(own.steps);
    sotto_schema_free(schema);
}

/* ---- memory ---- */

static void a_failed_allocation_is_reported(void **state)
{
    (void)state;
    sotto_error error;
    sotto_tune_config config = cheap();
    config.grid = "lambda=5,50";
    config.runs = tune_runs(SOTTO_RUNS_NEGATIVE_BINOMIAL, 1.0, 1.5);
    sotto_schema *schema = schema_of(study_schema);
    sotto_tuning *tuning = NULL;
    (void)sot_test_fail_allocation(0);
    assert_ok(sotto_tuning_plan(&config, schema, &tuning, &error), &error);
    const size_t asked = sot_test_fail_allocation(0);
    sotto_tuning_free(tuning);
    for (size_t nth = 1; nth <= asked; nth += 1 + asked / 25) {
        tuning = NULL;
        (void)sot_test_fail_allocation(nth);
        const sotto_status status = sotto_tuning_plan(&config, schema, &tuning, &error);
        (void)sot_test_fail_allocation(0);
        assert_true(status == SOTTO_OUT_OF_MEMORY || status == SOTTO_OK);
        sotto_tuning_free(tuning);
    }
    sotto_schema_free(schema);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_whole_is_within_its_budget_and_uses_it),
        cmocka_unit_test(a_pure_tuning_costs_two_plus_eta_runs),
        cmocka_unit_test(the_score_is_part_of_every_run),
        cmocka_unit_test(a_candidate_without_a_budget_is_skipped),
        cmocka_unit_test(the_number_of_trainings_has_the_law_that_is_charged),
        cmocka_unit_test(nothing_but_the_winner_depends_on_the_trainings),
        cmocka_unit_test(the_winner_says_how_it_was_tuned),
        cmocka_unit_test(validation_rows_in_memory_are_those_of_a_file),
        cmocka_unit_test(without_a_training_a_fixed_model_leaves),
        cmocka_unit_test(progress_tells_the_time_alone),
        cmocka_unit_test(a_failed_allocation_is_reported),
    };
    return cmocka_run_group_tests(tests, tune_write_validation, tune_remove_validation);
}
