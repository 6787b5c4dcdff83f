/* Stochastic gradient descent: what it plans, its schedules and averages against a plain loop, samples
 * that are empty, refusals. */
#include "support.h"

#include <sotto/gaussian.h>

#include "commands/train/train.h"
#include "methods/descent/descent.h"
#include "model_study.h"

static sotto_train_config settings(void)
{
    sotto_train_config config = sotto_train_defaults();
    config.model = SOTTO_MODEL_LOGISTIC;
    config.target = "smokes";
    config.method = SOTTO_METHOD_SGD;
    config.epsilon = 0.75;
    config.delta = 1e-6;
    config.expected_rows = 1000;
    config.steps = 5;
    return config;
}

static sotto_schema *schema_of(const char *text)
{
    sotto_error error;
    sotto_schema *schema = NULL;
    assert_ok(sotto_schema_parse("s.json", text, strlen(text), &schema, &error), &error);
    return schema;
}

static sotto_training *planned(const sotto_train_config *config,
                               const sotto_schema *schema)
{
    sotto_error error;
    sotto_training *training = NULL;
    assert_ok(sotto_training_plan(config, schema, &training, &error), &error);
    return training;
}

/* ---- plans ---- */

static void the_plan_is_one_of_sampled_sums(void **state)
{
    (void)state;
    sotto_schema *schema = schema_of(model_schema);
    sotto_train_config config = settings();
    config.batch = 250;
    sotto_training *training = planned(&config, schema);
    assert_int_equal(sotto_plan_size(training->plan), 1);
    const sotto_event *event = sotto_plan_event(training->plan, 0);
    assert_int_equal(event->mechanism, SOTTO_GAUSSIAN);
    assert_int_equal(event->sampling, SOTTO_POISSON);
    assert_true(event->rate == 0.25);
    assert_int_equal(event->count, 5);
    assert_within(training->account.epsilon, 0.99 * config.epsilon, config.epsilon);
    sotto_training_free(training);

    config.adjacency = SOTTO_REPLACE_ONE;
    config.sampling = SOTTO_SINGLE_RECORD;
    config.batch = 0;
    config.expected_rows = 0;
    config.public_n = 30;
    config.steps = 0;
    training = planned(&config, schema);
    event = sotto_plan_event(training->plan, 0);
    assert_int_equal(event->sampling, SOTTO_SINGLE_RECORD);
    assert_int_equal(event->population, 30);
    assert_int_equal(event->count, 900); /* rows squared */
    sotto_training_free(training);
    sotto_schema_free(schema);
}

/* ---- the walk ---- */

static double size_of(sotto_schedule schedule, double rate, double rows, double lambda,
                      double t, double steps)
{
    return schedule == SOTTO_SCHEDULE_ROOT     ? rate / sqrt(t)
           : schedule == SOTTO_SCHEDULE_STRONG ? rows / (lambda * t)
           : schedule == SOTTO_SCHEDULE_LINEAR ? rate * (1.0 - (t - 1.0) / steps)
                                               : rate;
}

static double weight_of(sotto_iterate iterate, double t, double steps)
{
    return iterate == SOTTO_ITERATE_AVERAGE    ? 1.0
           : iterate == SOTTO_ITERATE_SUFFIX   ? (t > floor(steps / 2.0) ? 1.0 : 0.0)
           : iterate == SOTTO_ITERATE_WEIGHTED ? t
                                               : (t == steps ? 1.0 : 0.0);
}

/* Walks on noise alone, and follows the released sums with a loop of its own. */
static void follow(sotto_schedule schedule, sotto_iterate iterate)
{
    enum { STEPS = 7, DIMENSION_MOST = 8 };
    sotto_error error;
    sotto_rng *rng = NULL;
    sotto_gate *gate = NULL;
    sotto_schema *schema = schema_of(model_schema);
    sotto_train_config config = settings();
    config.steps = STEPS;
    config.schedule = schedule;
    config.iterate = iterate;
    config.lambda = 3.0;
    config.radius = 0.5;
    config.l1 = 0.25;
    sotto_training *training = planned(&config, schema);
    const sot_descent *descent = training->learner->state;
    const size_t dimension = training->learner->empirical->facts.dimension;
    assert_in_range(dimension, 1, DIMENSION_MOST);
    assert_int_equal(descent->schedule, schedule);
    assert_int_equal(descent->iterate, iterate);
    assert_ok(sotto_rng_new_for_test(9, &rng, &error), &error);
    assert_ok(sotto_gate_new(training->plan, rng, &gate, &error), &error);
    assert_ok(sotto_gate_open(gate, &error), &error);
    sot_walk walk;
    assert_ok(sot_walk_begin(training->learner, descent, &walk, &error), &error);
    double theta[DIMENSION_MOST] = {0}, sum[DIMENSION_MOST] = {0}, weights = 0.0;
    for (uint64_t step = 1; step <= STEPS; step++) {
        memset(walk.units, 0, dimension * sizeof *walk.units);
        assert_ok(sot_walk_step(descent, gate, step, descent->divisor, &walk, &error),
                  &error);
        const double t = (double)step;
        const double size = size_of(schedule, descent->rate, 1000.0, 3.0, t, STEPS);
        const double weight = weight_of(iterate, t, STEPS);
        double squares = 0.0;
        for (size_t j = 0; j < dimension; j++) {
            const double smooth =
                theta[j] / hypot(theta[j], descent->terms.l1_width); /* of |theta| */
            theta[j] -= size * ((double)walk.units[j] * descent->spacing / 50.0 +
                                (3.0 * theta[j] + 0.25 * smooth) / 1000.0);
            squares += theta[j] * theta[j];
        }
        for (size_t j = 0; j < dimension; j++) {
            if (squares > 0.25) theta[j] *= 0.5 / sqrt(squares);
            sum[j] += weight * theta[j];
        }
        weights += weight;
    }
    double result[DIMENSION_MOST];
    sot_walk_result(&walk, 0x1p-40, result);
    for (size_t j = 0; j < dimension; j++)
        assert_within(result[j], sum[j] / weights - 1e-11, sum[j] / weights + 1e-11);
    sot_walk_end(&walk);
    sotto_gate_free(gate);
    sotto_rng_free(rng);
    sotto_training_free(training);
    sotto_schema_free(schema);
}

static void schedules_and_averages_are_those_of_the_books(void **state)
{
    (void)state;
    follow(SOTTO_SCHEDULE_CONSTANT, SOTTO_ITERATE_AVERAGE);
    follow(SOTTO_SCHEDULE_ROOT, SOTTO_ITERATE_SUFFIX);
    follow(SOTTO_SCHEDULE_STRONG, SOTTO_ITERATE_WEIGHTED);
    follow(SOTTO_SCHEDULE_LINEAR, SOTTO_ITERATE_LAST);
}

/* ---- samples ---- */

/* Nobody takes part: every step is released all the same, and the result is noise. */
static void an_empty_sample_is_a_step_of_noise(void **state)
{
    (void)state;
    sotto_train_config config =
        model_config(SOTTO_MODEL_LOGISTIC, SOTTO_METHOD_SGD, SOTTO_ADD_REMOVE, 1e-6);
    train_study study = model_study_of(config);
    const tape_study tape = model_tape_of(&study);
    tape_table *table = tape_table_new(tape.columns, tape.column_count, 0, 4);
    int exit_code = -1;
    assert_int_equal(tape_releases(&tape, table, &exit_code), 4);
    assert_int_equal(exit_code, 0);
    tape_table_free(table);
}

/* Rows at the end come and go; those before keep their coins. The number drawn shows nowhere. */
static void who_takes_part_shows_nothing(void **state)
{
    (void)state;
    sotto_train_config config =
        model_config(SOTTO_MODEL_LOGISTIC, SOTTO_METHOD_SGD, SOTTO_ADD_REMOVE, 1e-6);
    config.batch = 6; /* most of 8: neighbours differ in the number drawn */
    train_study study = model_study_of(config);
    const tape_study tape = model_tape_of(&study);
    tape_table *table = tape_table_new(tape.columns, tape.column_count, 5, 21);
    for (int row = TAPE_HIGH; row <= TAPE_LOW; row++) {
        tape_table *neighbour = tape_neighbour(table, SOTTO_ADD_REMOVE, (tape_row)row, 5);
        const char *leak = tape_check(&tape, table, neighbour);
        if (leak != NULL) fail_msg("%s", leak);
        tape_table_free(neighbour);
    }
    tape_table_free(table);
}

/* One record a step, of a public number: a row exchanged anywhere. */
static void a_single_record_shows_nothing(void **state)
{
    (void)state;
    sotto_train_config config =
        model_config(SOTTO_MODEL_LOGISTIC, SOTTO_METHOD_SGD, SOTTO_REPLACE_ONE, 1e-6);
    config.sampling = SOTTO_SINGLE_RECORD;
    config.batch = 0;
    config.expected_rows = 0;
    train_study study = {.config = config, .schema = model_schema, .n_is_public = true};
    const tape_study tape = model_tape_of(&study);
    assert_true(study_releases(&tape));
    tape_table *table = tape_table_new(tape.columns, tape.column_count, 2, 21);
    for (int row = TAPE_HIGH; row <= TAPE_LOW; row++) {
        tape_table *neighbour =
            tape_neighbour(table, SOTTO_REPLACE_ONE, (tape_row)row, 1);
        const char *leak = tape_check(&tape, table, neighbour);
        if (leak != NULL) fail_msg("%s", leak);
        tape_table_free(neighbour);
    }
    tape_table_free(table);
}

/* ---- refusals ---- */

static void refuse(const sotto_train_config *config, const char *text,
                   sotto_status expected, const char *word)
{
    sotto_error error;
    sotto_training *training = NULL;
    sotto_schema *schema = schema_of(text);
    assert_refused(sotto_training_plan(config, schema, &training, &error), expected,
                   &error, word, NULL);
    sotto_schema_free(schema);
}

static void what_has_no_proof_or_sense_is_refused(void **state)
{
    (void)state;
    sotto_train_config config = settings();
    config.target = NULL;
    refuse(&config, study_unit_schema, SOTTO_UNSUPPORTED, "unit");
    config = settings();
    config.sampling = SOTTO_SINGLE_RECORD;
    refuse(&config, model_schema, SOTTO_INVALID_ARGUMENT, "replace-one");
    config.adjacency = SOTTO_REPLACE_ONE;
    config.expected_rows = 0;
    config.public_n = 50;
    config.batch = 2;
    refuse(&config, model_schema, SOTTO_INVALID_ARGUMENT, "takes one record per step");
    config = settings();
    config.sampling = SOTTO_WITHOUT_REPLACEMENT;
    refuse(&config, model_schema, SOTTO_UNSUPPORTED, "without-replacement");
    config = settings();
    config.batch = 1001;
    refuse(&config, model_schema, SOTTO_INVALID_ARGUMENT, "at most that many");
    config = settings();
    config.schedule = SOTTO_SCHEDULE_STRONG;
    refuse(&config, model_schema, SOTTO_INVALID_ARGUMENT, "lambda");
    config.lambda = 2.0;
    config.learning_rate = 1.0;
    refuse(&config, model_schema, SOTTO_INVALID_ARGUMENT, "no learning rate");
    config = settings();
    config.delta = SOTTO_UNSET;
    refuse(&config, model_schema, SOTTO_INVALID_ARGUMENT, "`delta` is missing");
    config = settings();
    config.l1 = 1.0;
    config.l1_width = 0.0;
    refuse(&config, model_schema, SOTTO_INVALID_ARGUMENT, "can depend on one record");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_plan_is_one_of_sampled_sums),
        cmocka_unit_test(schedules_and_averages_are_those_of_the_books),
        cmocka_unit_test(an_empty_sample_is_a_step_of_noise),
        cmocka_unit_test(who_takes_part_shows_nothing),
        cmocka_unit_test(a_single_record_shows_nothing),
        cmocka_unit_test(what_has_no_proof_or_sense_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
