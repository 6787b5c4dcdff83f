/* Charge first: what a ledger refuses is never released, and what fails later stays charged. */
#include "commands/order_scene.h"
#include "release_study.h"

/* Without a ledger if epsilon is not set. */
static scene *set_up(double epsilon, const char *dataset)
{
    static const char data[] =
        "age,visits,town\n44.5,3,Lund\n61.25,1,Ystad\n30,0,Kivik\n";
    if (isnan(epsilon)) return order_set_up(study_schema, data, NULL);
    const sotto_ledger_config config = order_ledger(dataset, epsilon, 0.0);
    return order_set_up(study_schema, data, &config);
}

static sotto_release_config a_mean(const scene *s)
{
    sotto_release_config config = sotto_release_defaults();
    config.statistic = SOTTO_RELEASE_MEAN;
    config.column = "age";
    config.epsilon = 0.75;
    config.output = s->output;
    return config;
}

static sotto_status release(const void *config, const scene *s, sotto_error *error)
{
    sotto_release_result *result = NULL;
    const sotto_status status = sotto_release_data(
        config, s->schema, &(const sotto_data_file){.path = s->data}, &result, error);
    sotto_release_free(result);
    return status;
}

static size_t releases_of(const sotto_release_config *config, const scene *s,
                          sotto_status *out_status, sotto_error *error)
{
    return order_releases(release, config, s, out_status, error);
}

static void nothing_passes_the_gate_when_the_budget_is_short(void **state)
{
    (void)state;
    sotto_error error;
    sotto_status status;
    scene *s = set_up(1.0, "study-1");
    sotto_release_config config = a_mean(s);
    assert_int_equal(releases_of(&config, s, &status, &error), 2);
    assert_int_equal(status, SOTTO_OK);
    assert_within(spent(s), 0.75, 0.75 + 0x1p-30);
    assert_int_equal(access(s->output, F_OK), 0);
    assert_int_equal(unlink(s->output), 0);
    /* 0.25 is left. */
    config.again = true;
    assert_int_equal(releases_of(&config, s, &status, &error), 0);
    assert_refused(status, SOTTO_BUDGET_EXCEEDED, &error, "you may still run", NULL);
    assert_within(spent(s), 0.75, 0.75 + 0x1p-30);
    assert_int_equal(access(s->output, F_OK), -1);
    tear_down(s);
}

/* The certificate quotes the ledger, and the ledger the certificate. */
static void the_ledger_knows_the_output(void **state)
{
    (void)state;
    sotto_error error;
    scene *s = set_up(1.0, "study-1");
    const sotto_release_config config = a_mean(s);
    sotto_release_result *result;
    assert_ok(sotto_release_data(&config, s->schema,
                                 &(const sotto_data_file){.path = s->data}, &result,
                                 &error),
              &error);
    assert_non_null(strstr(sotto_release_json(result), "\"ledger\""));
    assert_non_null(strstr(sotto_release_text(result), "study-1: charged 0.75"));
    assert_null(strstr(sotto_release_certificate(result), "NOT PRIVATE"));
    sotto_release_free(result);
    tear_down(s);
}

static void a_failure_behind_the_charge_keeps_it(void **state)
{
    (void)state;
    sotto_error error;
    sotto_status status;
    scene *s = set_up(10.0, "study-1");
    const sotto_release_config config = a_mean(s);
    sot_test_file_fault(SOT_FILE_WRITE, 1, 0); /* what is staged before the charge */
    assert_int_equal(releases_of(&config, s, &status, &error), 0);
    assert_int_equal(status, SOTTO_IO);
    assert_true(spent(s) == 0.0);
    sot_test_file_fault(SOT_FILE_WRITE, 2, 0); /* the sealed output */
    assert_int_equal(releases_of(&config, s, &status, &error), 2);
    assert_refused(status, SOTTO_IO, &error, "the charge stands", "same command", NULL);
    assert_int_equal(access(s->output, F_OK), -1);
    assert_within(spent(s), 0.75, 0.75 + 0x1p-30);
    sot_test_file_fault(SOT_FILE_WRITE, 2, 0); /* the output itself */
    assert_int_equal(releases_of(&config, s, &status, &error), 2);
    assert_refused(status, SOTTO_IO, &error, "the charge stands", "same command", NULL);
    assert_int_equal(access(s->output, F_OK), -1);
    assert_int_equal(releases_of(&config, s, &status, &error), 0);
    assert_int_equal(status, SOTTO_OK);
    assert_int_equal(access(s->output, F_OK), 0);
    assert_within(spent(s), 0.75, 0.75 + 0x1p-30);
    tear_down(s);
}

/* Public mistakes cost nothing. */
static void a_wrong_file_or_setting_is_not_charged(void **state)
{
    (void)state;
    sotto_error error;
    sotto_status status;
    scene *s = set_up(10.0, "study-1");
    sotto_release_config config = a_mean(s);
    sotto_release_result *result = NULL;
    assert_refused(sotto_release_data(&config, s->schema,
                                      &(const sotto_data_file){.path = "no/such.csv"},
                                      &result, &error),
                   SOTTO_IO, &error, "no/such.csv", NULL);
    write_text(s->data, "age,visits\n1,2\n");
    (void)releases_of(&config, s, &status, &error);
    assert_refused(status, SOTTO_PARSE, &error, "'town'", NULL);
    config.column = "aeg";
    (void)releases_of(&config, s, &status, &error);
    assert_refused(status, SOTTO_INVALID_ARGUMENT, &error, "'age'", NULL);
    char nowhere[160];
    snprintf(nowhere, sizeof nowhere, "%s/no/such/place.json", s->directory);
    config = a_mean(s);
    config.output = nowhere;
    assert_int_equal(releases_of(&config, s, &status, &error), 0);
    assert_refused(status, SOTTO_IO, &error, "place.json", NULL);
    assert_true(spent(s) == 0.0);
    tear_down(s);
}

/* Written in one stroke over what is there: not over the budget, not over the records. */
static void the_output_never_replaces_data_or_ledger(void **state)
{
    (void)state;
    sotto_error error;
    sotto_status status;
    scene *s = set_up(10.0, "study-1");
    sotto_release_config config = a_mean(s);
    char detour[2][200];
    snprintf(detour[0], sizeof detour[0], "%s/../%s/budget.ledger", s->directory,
             strrchr(s->directory, '/') + 1);
    snprintf(detour[1], sizeof detour[1], "%s/budget.ledger-journal", s->directory);
    const char *const outputs[] = {s->data, s->ledger, detour[0], detour[1]};
    for (size_t i = 0; i < sizeof outputs / sizeof outputs[0]; i++) {
        config.output = outputs[i];
        assert_int_equal(releases_of(&config, s, &status, &error), 0);
        assert_refused(status, SOTTO_INVALID_ARGUMENT, &error,
                       i == 0   ? "replace the data"
                       : i == 3 ? "a ledger's journal"
                                : "replace the ledger",
                       NULL);
    }
    assert_true(spent(s) == 0.0); /* and still a ledger */
    tear_down(s);
}

/* e^epsilon times the sampler's error is above any delta: no certificate could be made. */
static void a_release_that_cannot_be_certified_is_not_charged(void **state)
{
    (void)state;
    sotto_error error;
    sotto_status status;
    scene *s = set_up(1e4, "study-1");
    sotto_release_config config = a_mean(s);
    config.epsilon = 700.0;
    config.delta = 1e-6;
    assert_int_equal(releases_of(&config, s, &status, &error), 0);
    assert_refused(status, SOTTO_UNREACHABLE, &error, "sampler", NULL);
    assert_true(spent(s) == 0.0);
    tear_down(s);
}

static void the_ledger_must_be_there_and_be_the_right_one(void **state)
{
    (void)state;
    sotto_error error;
    sotto_status status;
    scene *s = set_up(SOTTO_UNSET, NULL);
    sotto_release_config config = a_mean(s);
    assert_int_equal(releases_of(&config, s, &status, &error), 0);
    assert_refused(status, SOTTO_IO, &error, "does not exist", "sotto ledger init", NULL);
    tear_down(s);

    s = set_up(10.0, "another-study");
    config = a_mean(s);
    assert_int_equal(releases_of(&config, s, &status, &error), 0);
    assert_refused(status, SOTTO_INVALID_ARGUMENT, &error, "another-study", "study-1",
                   NULL);
    tear_down(s);
}

/* A budget is not made larger by moving it: renamed, it is missing; a second one is refused. */
static void renaming_the_ledger_is_no_new_budget(void **state)
{
    (void)state;
    sotto_error error;
    sotto_status status;
    scene *s = set_up(1.0, "study-1");
    sotto_release_config config = a_mean(s);
    (void)releases_of(&config, s, &status, &error);
    assert_int_equal(status, SOTTO_OK);
    char moved[128];
    snprintf(moved, sizeof moved, "%s/old.ledger", s->directory);
    assert_int_equal(rename(s->ledger, moved), 0);
    assert_int_equal(releases_of(&config, s, &status, &error), 0);
    assert_refused(status, SOTTO_IO, &error, "does not exist", NULL);
    config.ledger = moved;
    assert_int_equal(releases_of(&config, s, &status, &error), 0);
    assert_refused(status, SOTTO_INVALID_ARGUMENT, &error, "one budget", NULL);
    /* The same file by another name is the same budget. */
    assert_int_equal(rename(moved, s->ledger), 0);
    char detour[160];
    snprintf(detour, sizeof detour, "%s/../%s/budget.ledger", s->directory,
             strrchr(s->directory, '/') + 1);
    config.ledger = detour;
    config.again = true;
    config.overwrite = true;
    assert_int_equal(releases_of(&config, s, &status, &error), 0);
    assert_int_equal(status, SOTTO_BUDGET_EXCEEDED);
    tear_down(s);
}

/* Whoever knows the seed knows the noise: the exact result, for any epsilon. */
static void a_test_seed_is_refused_beside_a_ledger(void **state)
{
    (void)state;
    sotto_error error;
    sotto_release_result *result = NULL;
    scene *s = set_up(2.0, "study-1");
    sotto_release_config config = a_mean(s);
    config.insecure_test = true;
    config.test_seed = 3;
    assert_int_equal(unlink(s->data), 0); /* it is refused before anything is opened */
    assert_refused(sotto_release_data(&config, s->schema,
                                      &(const sotto_data_file){.path = s->data}, &result,
                                      &error),
                   SOTTO_INVALID_ARGUMENT, &error, "`insecure_test_seed` is 3",
                   "budget.ledger", NULL);
    assert_true(spent(s) == 0.0);
    tear_down(s);
}

static void a_ledger_needs_a_dataset(void **state)
{
    (void)state;
    sotto_error error;
    scene *s = set_up(1.0, "study-1");
    sotto_release_config config = a_mean(s);
    config.ledger = s->ledger;
    static const char text[] = "{\"columns\": [{\"name\": \"age\", \"type\": \"number\", "
                               "\"lower\": 0, \"upper\": 9}]}";
    sotto_schema *schema;
    sotto_release_result *result;
    assert_ok(sotto_schema_parse("s", text, sizeof text - 1, &schema, &error), &error);
    write_text(s->data, "age\n3\n");
    assert_refused(sotto_release_data(&config, schema,
                                      &(const sotto_data_file){.path = s->data}, &result,
                                      &error),
                   SOTTO_INVALID_ARGUMENT, &error, "dataset", NULL);
    sotto_schema_free(schema);
    tear_down(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_passes_the_gate_when_the_budget_is_short),
        cmocka_unit_test(the_ledger_knows_the_output),
        cmocka_unit_test(a_failure_behind_the_charge_keeps_it),
        cmocka_unit_test(a_wrong_file_or_setting_is_not_charged),
        cmocka_unit_test(the_output_never_replaces_data_or_ledger),
        cmocka_unit_test(a_release_that_cannot_be_certified_is_not_charged),
        cmocka_unit_test(the_ledger_must_be_there_and_be_the_right_one),
        cmocka_unit_test(renaming_the_ledger_is_no_new_budget),
        cmocka_unit_test(a_test_seed_is_refused_beside_a_ledger),
        cmocka_unit_test(a_ledger_needs_a_dataset),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
