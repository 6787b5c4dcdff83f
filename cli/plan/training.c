/* sotto plan --schema: the cost of a training and, if requested, a forecast of its
 * score. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sotto/train.h>

#include "data/data_file.h"
#include "frame/output.h"
#include "frame/progress.h"
#include "plan/compare.h"
#include "plan/report.h"
#include "plan/theory.h"
#include "train/training.h"

/* --- the forecast --- */

static sotto_status check_forecast(const cli_call *call, sotto_error *error)
{
    static const char *const parts[] = {"public", "rows",  "repeats", "labels",
                                        "table",  "where", "query"};
    const bool both = cli_given(call, "public") && cli_given(call, "rows");
    if (both) {
        return cli_fail(error, SOTTO_INVALID_ARGUMENT,
                        "--public and --rows exclude each other; give the public file, "
                        "or the number of synthetic rows, for example --rows 1000");
    }
    if (cli_flag(call, "forecast")) return SOTTO_OK;
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        if (!cli_given(call, parts[i])) continue;
        return cli_fail(error, SOTTO_INVALID_ARGUMENT,
                        "--%s is of a forecast; add --forecast", parts[i]);
    }
    return SOTTO_OK;
}

/* Default number of rows to sample: the expected rows, or ten thousand. */
static uint64_t rows_to_draw(const cli_call *call)
{
    if (cli_given(call, "public")) return 0;
    if (cli_given(call, "rows")) return cli_count(call, "rows");
    if (cli_given(call, "expected-rows")) return cli_count(call, "expected-rows");
    return cli_given(call, "public-n") ? cli_count(call, "public-n") : 10000;
}

static void show_forecast(const cli_call *call, const sotto_forecast *forecast)
{
    const bool classes = forecast->score == SOTTO_FORECAST_ACCURACY;
    char mean[CLI_NUMBER_BYTES], plain[CLI_NUMBER_BYTES], trivial[CLI_NUMBER_BYTES];
    char deviation[CLI_NUMBER_BYTES];
    const char *(*rounded)(double, int, char *) =
        classes ? cli_rounded_down : cli_rounded_up; /* never the better way */
    cli_line("forecast", "%s %s (standard deviation %s over %llu runs)",
             classes ? "accuracy" : "root mean squared error",
             rounded(forecast->mean, 4, mean),
             cli_rounded_up(forecast->deviation, 2, deviation),
             (unsigned long long)forecast->repeats);
    cli_line("", "without noise %s, always the %s %s",
             rounded(forecast->without_noise, 4, plain),
             classes ? "most common class" : "mean",
             rounded(forecast->trivial, 4, trivial));
    cli_line("", "%s",
             cli_given(call, "public")
                 ? "on public rows, a fifth of them held back for the score"
                 : "on synthetic rows whose labels follow a known model: a check of the "
                   "settings, no promise about the data");
}

static void add_forecast(sotto_json_writer *json, const sotto_forecast *forecast)
{
    sotto_json_object(json, "forecast");
    sotto_json_count(json, "repeats", forecast->repeats);
    const bool classes = forecast->score == SOTTO_FORECAST_ACCURACY;
    sotto_json_number(json, classes ? "accuracy_mean" : "rmse_mean", forecast->mean);
    sotto_json_number(json, classes ? "accuracy_deviation" : "rmse_deviation",
                      forecast->deviation);
    sotto_json_number(json, classes ? "accuracy_without_noise" : "rmse_without_noise",
                      forecast->without_noise);
    sotto_json_number(json, classes ? "accuracy_majority" : "rmse_of_mean",
                      forecast->trivial);
    sotto_json_end(json);
}

/* --- both forms --- */

static sotto_status show_json(const sotto_training *training, const plan_report *report,
                              const sotto_forecast *forecast, const plan_theory *theory,
                              const plan_compare *compare, sotto_error *error)
{
    sotto_json_writer *json = sotto_json_new();
    sotto_json_embed(json, "training", sotto_training_json(training));
    if (forecast != NULL) add_forecast(json, forecast);
    if (theory->asked) plan_add_theory(json, theory);
    if (compare->is_sharper) plan_add_theorem(json, compare);
    if (compare->asked) plan_add_compare(json, compare);
    return report->plan == NULL ? cli_json_print(json, error)
                                : plan_report_json(report, json, error);
}

static sotto_status show(const cli_call *call, const sotto_training *training,
                         const plan_report *report, const sotto_forecast *forecast,
                         const plan_theory *theory, const plan_compare *compare,
                         sotto_error *error)
{
    if (cli_flag(call, "json"))
        return show_json(training, report, forecast, theory, compare, error);
    (void)fputs(sotto_training_text(training), stdout);
    plan_compare_line(compare);
    if (forecast != NULL) show_forecast(call, forecast);
    if (theory->asked) plan_theory_text(theory);
    if (compare->asked) plan_compare_text(compare);
    if (report->plan == NULL) return SOTTO_OK;
    (void)putchar('\n');
    return plan_report_text(report, error);
}

/* delta of the certificate: the given one, or the little that a pure method's samplers ask for. */
static double delta_of(const sotto_training *training)
{
    const char *text = sotto_training_json(training);
    sotto_json *json = NULL;
    if (sotto_json_parse(NULL, text, strlen(text), &json, NULL) != SOTTO_OK) return 0.0;
    const double delta =
        sotto_json_as_number(sotto_json_member(sotto_json_root(json), "delta"));
    sotto_json_free(json);
    return isnan(delta) ? 0.0 : delta;
}

static sotto_status report_on(const cli_call *call, const sotto_training *training,
                              sotto_error *error)
{
    plan_report report = {.plan = sotto_training_events(training)};
    sotto_forecast forecast;
    plan_theory theory;
    plan_compare compare;
    const bool asked = cli_flag(call, "forecast");
    sotto_status status = plan_theory_find(call, training, &theory, error);
    if (status == SOTTO_OK)
        status = plan_compare_find(call, training, delta_of(training), &compare, error);
    if (status != SOTTO_OK) return status;
    if (report.plan != NULL)
        status = plan_report_fill(&report, delta_of(training), error);
    if (status == SOTTO_OK && report.plan != NULL)
        status = plan_ask_ledger(call, delta_of(training), &report, error);
    if (status == SOTTO_OK && asked) {
        const sotto_data_file file = cli_data_file(call, cli_text(call, "public"));
        sotto_progress_function progress = NULL;
        void *context = NULL;
        cli_watch(&progress, &context);
        status = sotto_training_forecast_watched(
            training, file.path == NULL ? NULL : &file, rows_to_draw(call),
            cli_count(call, "repeats"), progress, context, &forecast, error);
        cli_end_watch();
    }
    if (status == SOTTO_OK)
        status = show(call, training, &report, asked ? &forecast : NULL, &theory,
                      &compare, error);
    free(report.costs);
    return status;
}

sotto_status plan_training(const cli_call *call, sotto_error *error)
{
    sotto_train_config config;
    sotto_schema *schema = NULL;
    sotto_training *training = NULL;
    if (cli_text(call, "plan") != NULL) {
        return cli_fail(
            error, SOTTO_INVALID_ARGUMENT,
            "PLAN is a file of events, --schema of a training; leave one of them out");
    }
    if (cli_text(call, "model") == NULL) {
        return cli_fail(error, SOTTO_INVALID_ARGUMENT,
                        "--model is missing; give it, for example --model logistic");
    }
    sotto_status status = check_forecast(call, error);
    if (status == SOTTO_OK) status = cli_training_config(call, &config, error);
    if (status != SOTTO_OK) return status;
    config.insecure_test = cli_given(call, "insecure-test-seed");
    config.test_seed = cli_count(call, "insecure-test-seed");
    /* No row is read. */
    config.data_is_public =
        !sotto_method_adds_noise(config.method) || config.sampler == SOTTO_SAMPLER_MALA;
    status = sotto_schema_load(cli_text(call, "schema"), &schema, error);
    if (status == SOTTO_OK)
        status = sotto_training_plan(&config, schema, &training, error);
    if (status == SOTTO_OK) status = report_on(call, training, error);
    sotto_training_free(training);
    sotto_schema_free(schema);
    return status;
}
