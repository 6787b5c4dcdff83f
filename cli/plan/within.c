/* sotto plan --within: the epsilon that a score needs. Forecasts on public rows; nothing is charged. */
#include <math.h>
#include <stdio.h>

#include "frame/output.h"
#include "plan/forecast.h"

/* First every third of these, then those between the last that is not close and the first that is. */
static const double grid[] = {0.01, 0.015, 0.02, 0.03, 0.05, 0.07, 0.1, 0.15, 0.2, 0.3,
                              0.5,  0.7,   1.0,  1.5,  2.0,  3.0,  5.0, 7.0,  10.0};
enum { GRID = sizeof grid / sizeof grid[0], STRIDE = 3 };

typedef struct trial {
    bool done, close;
    bool refused; /* the model has no such training at this epsilon */
    plan_score score;
    double log_loss;
    uint64_t rows, held;
} trial;

typedef struct search {
    const cli_call *call;
    const sotto_train_config *config;
    const sotto_schema *schema;
    double within;
    trial trials[GRID];
} search;

/* Close: even the worse end of the interval of the mean is within the distance. */
static bool is_close(const plan_score *score, uint64_t repeats, double within)
{
    const double one = sotto_forecast_reach(score->part.deviation, repeats);
    const double reach = one / sqrt((double)repeats + 1.0); /* of the mean */
    const double loss = score->is_error ? score->part.mean - score->part.without_noise
                                        : score->part.without_noise - score->part.mean;
    return loss + reach <= within;
}

static sotto_status attempt(search *self, int place, sotto_error *error)
{
    trial *one = &self->trials[place];
    sotto_training *training = NULL;
    sotto_forecast forecast;
    sotto_train_config config = *self->config;
    config.epsilon = grid[place];
    if (one->done || one->refused) return SOTTO_OK;
    sotto_status status = sotto_training_plan(&config, self->schema, &training, error);
    if (place + 1 < GRID &&
        (status == SOTTO_UNREACHABLE || status == SOTTO_INVALID_ARGUMENT)) {
        one->refused = true;
        return SOTTO_OK;
    }
    if (status == SOTTO_OK)
        status = plan_forecast_find(self->call, training, &forecast, error);
    sotto_training_free(training);
    if (status != SOTTO_OK) return status;
    *one = (trial){.done = true,
                   .score = plan_score_of(&forecast),
                   .log_loss = forecast.log_loss.mean,
                   .rows = forecast.rows,
                   .held = forecast.held};
    one->close = is_close(&one->score, forecast.repeats, self->within);
    return SOTTO_OK;
}

/* The place of the least epsilon that is close; GRID: none is. */
static sotto_status find(search *self, int *out_place, sotto_error *error)
{
    int low = -1, high = 0;
    sotto_status status = attempt(self, 0, error);
    while (status == SOTTO_OK && high < GRID && !self->trials[high].close) {
        low = high;
        high += STRIDE;
        if (high < GRID) status = attempt(self, high, error);
    }
    for (int place = low + 1; status == SOTTO_OK && high < GRID && place < high;
         place++) {
        status = attempt(self, place, error);
        if (status == SOTTO_OK && self->trials[place].close) high = place;
    }
    *out_place = high < GRID ? high : GRID;
    return status;
}

/* The last epsilon of the grid is not refused, or the search fails. */
static const trial *first_of(const search *self)
{
    const trial *first = self->trials;
    while (!first->done)
        first++;
    return first;
}

/* An AUC and an accuracy are at most 1. */
static double upper_end(const trial *one, double reach)
{
    const double end = one->score.part.mean + reach;
    return one->score.is_error ? end : fmin(end, 1.0);
}

static void show_text(const search *self, int found)
{
    const trial *first = first_of(self);
    char a[CLI_NUMBER_BYTES], b[CLI_NUMBER_BYTES], c[CLI_NUMBER_BYTES];
    if (found < GRID)
        cli_line("needed", "epsilon %g: %s within %g of %s, the score without noise",
                 grid[found], first->score.name, self->within,
                 cli_rounded_up(self->trials[found].score.part.without_noise, 4, a));
    else
        cli_line("needed", "more than epsilon %g", grid[GRID - 1]);
    for (int i = 0, lines = 0; i < GRID; i++) {
        const trial *one = &self->trials[i];
        if (!one->done) continue;
        const double reach = sotto_forecast_reach(one->score.part.deviation,
                                                  cli_count(self->call, "repeats"));
        cli_line(lines++ == 0 ? "tried" : "",
                 "epsilon %g: %s %s (95%% of trainings: %s to %s)%s", grid[i],
                 one->score.name, cli_rounded_down(one->score.part.mean, 4, a),
                 cli_rounded_down(fmax(one->score.part.mean - reach, 0.0), 4, b),
                 cli_rounded_up(upper_end(one, reach), 4, c),
                 one->close ? ", close" : "");
    }
    cli_line("", "baseline %s; trainings on %llu rows, scored on %llu others",
             cli_rounded_down(first->score.part.trivial, 4, a),
             (unsigned long long)first->rows, (unsigned long long)first->held);
}

static sotto_status show_json(const search *self, int found, sotto_error *error)
{
    sotto_json_writer *json = sotto_json_new();
    sotto_json_text(json, "score", first_of(self)->score.name);
    sotto_json_number(json, "within", self->within);
    if (found < GRID)
        sotto_json_number(json, "epsilon", grid[found]);
    else
        sotto_json_null(json, "epsilon");
    sotto_json_number(json, "baseline", first_of(self)->score.part.trivial);
    sotto_json_count(json, "rows", first_of(self)->rows);
    sotto_json_array(json, "tried");
    for (int i = 0; i < GRID; i++) {
        const trial *one = &self->trials[i];
        if (!one->done) continue;
        sotto_json_object(json, NULL);
        sotto_json_number(json, "epsilon", grid[i]);
        sotto_json_number(json, "mean", one->score.part.mean);
        sotto_json_number(json, "deviation", one->score.part.deviation);
        sotto_json_number(json, "without_noise", one->score.part.without_noise);
        if (!isnan(one->log_loss)) sotto_json_number(json, "log_loss", one->log_loss);
        sotto_json_end(json);
    }
    sotto_json_end(json);
    return cli_json_print(json, error);
}

sotto_status plan_within(const cli_call *call, const sotto_train_config *config,
                         const sotto_schema *schema, sotto_error *error)
{
    search self = {.call = call,
                   .config = config,
                   .schema = schema,
                   .within = cli_number(call, "within")};
    int found = GRID;
    static const char *const others[] = {"theory", "compare", "ledger"};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        if (!cli_given(call, others[i])) continue;
        return cli_fail(error, SOTTO_INVALID_ARGUMENT,
                        "--%s is of one epsilon, and --within looks for it; leave "
                        "--%s out",
                        others[i], others[i]);
    }
    if (cli_count(call, "repeats") < 2) {
        return cli_fail(error, SOTTO_INVALID_ARGUMENT,
                        "--repeats is 1; an interval needs at least 2, for example "
                        "--repeats 10");
    }
    const sotto_status status = find(&self, &found, error);
    if (status != SOTTO_OK) return status;
    if (cli_flag(call, "json")) return show_json(&self, found, error);
    show_text(&self, found);
    return SOTTO_OK;
}
