/* sotto plan --schema: the cost of a training and, if requested, a forecast of its
 * score. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sotto/train.h>

#include "frame/output.h"
#include "plan/compare.h"
#include "plan/forecast.h"
#include "plan/report.h"
#include "plan/theory.h"
#include "train/training.h"

/* --- both forms --- */

static sotto_status show_json(const sotto_training *training, const plan_report *report,
                              const sotto_forecast *forecast, const plan_theory *theory,
                              const plan_compare *compare, sotto_error *error)
{
    sotto_json_writer *json = sotto_json_new();
    sotto_json_embed(json, "training", sotto_training_json(training));
    if (forecast != NULL) plan_add_forecast(json, forecast);
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
    if (forecast != NULL) plan_forecast_text(call, forecast);
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
    if (status == SOTTO_OK && asked)
        status = plan_forecast_find(call, training, &forecast, error);
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
    sotto_status status = plan_forecast_check(call, error);
    if (status == SOTTO_OK) status = cli_training_config(call, &config, error);
    if (status != SOTTO_OK) return status;
    config.insecure_test = cli_given(call, "insecure-test-seed");
    config.test_seed = cli_count(call, "insecure-test-seed");
    /* No row is read. */
    config.data_is_public =
        !sotto_method_adds_noise(config.method) || config.sampler == SOTTO_SAMPLER_MALA;
    status = sotto_schema_load(cli_text(call, "schema"), &schema, error);
    if (status == SOTTO_OK && cli_given(call, "within")) {
        status = plan_within(call, &config, schema, error);
        sotto_schema_free(schema);
        return status;
    }
    if (status == SOTTO_OK)
        status = sotto_training_plan(&config, schema, &training, error);
    if (status == SOTTO_OK) status = report_on(call, training, error);
    sotto_training_free(training);
    sotto_schema_free(schema);
    return status;
}
