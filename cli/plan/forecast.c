/* sotto plan --forecast: the scores of a training, simulated on public or synthetic rows. */
#include "plan/forecast.h"

#include <math.h>
#include <stdio.h>

#include "data/data_file.h"
#include "frame/output.h"
#include "frame/progress.h"

sotto_status plan_forecast_check(const cli_call *call, sotto_error *error)
{
    static const char *const parts[] = {"public", "rows",  "repeats", "labels",
                                        "table",  "where", "query"};
    const bool both = cli_given(call, "public") && cli_given(call, "rows");
    if (both) {
        return cli_fail(error, SOTTO_INVALID_ARGUMENT,
                        "--public and --rows exclude each other; give the public file, "
                        "or the number of synthetic rows, for example --rows 1000");
    }
    if (cli_flag(call, "forecast") && cli_given(call, "within")) {
        return cli_fail(error, SOTTO_INVALID_ARGUMENT,
                        "--within makes forecasts at many values of epsilon; leave "
                        "--forecast out");
    }
    if (cli_given(call, "epsilon") && cli_given(call, "within")) {
        return cli_fail(error, SOTTO_INVALID_ARGUMENT,
                        "--within looks for epsilon; leave --epsilon out");
    }
    if (cli_flag(call, "forecast") || cli_given(call, "within")) return SOTTO_OK;
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

sotto_status plan_forecast_find(const cli_call *call, const sotto_training *training,
                                sotto_forecast *out_forecast, sotto_error *error)
{
    const sotto_data_file file = cli_data_file(call, cli_text(call, "public"));
    sotto_progress_function progress = NULL;
    void *context = NULL;
    cli_watch(&progress, &context);
    const sotto_status status = sotto_training_forecast_watched(
        training, file.path == NULL ? NULL : &file, rows_to_draw(call),
        cli_count(call, "repeats"), progress, context, out_forecast, error);
    cli_end_watch();
    return status;
}

/* The score by sotto_forecast_score: accuracy or root mean squared error. */
static sotto_forecast_part main_part(const sotto_forecast *forecast)
{
    return (sotto_forecast_part){.mean = forecast->mean,
                                 .deviation = forecast->deviation,
                                 .without_noise = forecast->without_noise,
                                 .trivial = forecast->trivial};
}

plan_score plan_score_of(const sotto_forecast *forecast)
{
    if (!isnan(forecast->auc.mean)) return (plan_score){"auc", false, forecast->auc};
    if (!isnan(forecast->log_loss.mean))
        return (plan_score){"log loss", true, forecast->log_loss};
    if (forecast->score == SOTTO_FORECAST_ACCURACY)
        return (plan_score){"accuracy", false, main_part(forecast)};
    return (plan_score){"root mean squared error", true, main_part(forecast)};
}

/* Rounds never the better way. */
static void show_part(const char *label, const char *name, bool is_error,
                      const char *baseline, const sotto_forecast_part *part,
                      uint64_t repeats)
{
    char mean[CLI_NUMBER_BYTES], plain[CLI_NUMBER_BYTES], trivial[CLI_NUMBER_BYTES];
    char low[CLI_NUMBER_BYTES], high[CLI_NUMBER_BYTES];
    const char *(*rounded)(double, int, char *) =
        is_error ? cli_rounded_up : cli_rounded_down;
    const double reach = sotto_forecast_reach(part->deviation, repeats);
    if (isnan(part->mean)) return;
    if (isnan(reach)) {
        cli_line(label, "%s %s; without noise %s, %s %s", name,
                 rounded(part->mean, 4, mean), rounded(part->without_noise, 4, plain),
                 baseline, rounded(part->trivial, 4, trivial));
        return;
    }
    const double most = is_error ? (double)INFINITY : 1.0;
    cli_line(label, "%s %s (95%% of trainings: %s to %s); without noise %s, %s %s", name,
             rounded(part->mean, 4, mean),
             cli_rounded_down(fmax(part->mean - reach, 0.0), 4, low),
             cli_rounded_up(fmin(part->mean + reach, most), 4, high),
             rounded(part->without_noise, 4, plain), baseline,
             rounded(part->trivial, 4, trivial));
}

void plan_forecast_text(const cli_call *call, const sotto_forecast *forecast)
{
    const bool classes = forecast->score == SOTTO_FORECAST_ACCURACY;
    const bool ranked = !isnan(forecast->auc.mean);
    const bool probable = !isnan(forecast->log_loss.mean);
    const sotto_forecast_part rest = main_part(forecast);
    const uint64_t repeats = forecast->repeats;
    show_part("forecast", "auc", false, "by chance", &forecast->auc, repeats);
    show_part(ranked ? "" : "forecast", "log loss", true, "by the class shares",
              &forecast->log_loss, repeats);
    show_part(probable ? "" : "forecast",
              classes ? "accuracy" : "root mean squared error", !classes,
              classes ? "always the most common class" : "always the mean", &rest,
              repeats);
    cli_line("", "%llu trainings on %llu rows, scored on %llu others; %s",
             (unsigned long long)repeats, (unsigned long long)forecast->rows,
             (unsigned long long)forecast->held,
             cli_given(call, "public")
                 ? "public rows, repeated or left out to match the expected rows"
                 : "synthetic rows whose labels follow a known model: a check of the "
                   "settings, no promise about the data");
}

static void add_part(sotto_json_writer *json, const char *name, const char *baseline,
                     const sotto_forecast_part *part, uint64_t repeats)
{
    char key[64];
    if (isnan(part->mean)) return;
    const double reach = sotto_forecast_reach(part->deviation, repeats);
    const double values[] = {part->mean, part->deviation, part->mean - reach,
                             part->mean + reach, part->without_noise};
    static const char *const ends[] = {"mean", "deviation", "lower", "upper",
                                       "without_noise"};
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        if (isnan(values[i])) continue;
        (void)snprintf(key, sizeof key, "%s_%s", name, ends[i]);
        sotto_json_number(json, key, values[i]);
    }
    sotto_json_number(json, baseline, part->trivial);
}

void plan_add_forecast(sotto_json_writer *json, const sotto_forecast *forecast)
{
    const bool classes = forecast->score == SOTTO_FORECAST_ACCURACY;
    const sotto_forecast_part rest = main_part(forecast);
    sotto_json_object(json, "forecast");
    sotto_json_count(json, "repeats", forecast->repeats);
    sotto_json_count(json, "rows", forecast->rows);
    sotto_json_count(json, "held_rows", forecast->held);
    add_part(json, "auc", "auc_by_chance", &forecast->auc, forecast->repeats);
    add_part(json, "log_loss", "log_loss_of_shares", &forecast->log_loss,
             forecast->repeats);
    add_part(json, classes ? "accuracy" : "rmse",
             classes ? "accuracy_majority" : "rmse_of_mean", &rest, forecast->repeats);
    sotto_json_end(json);
}
