/* sotto tune --compare: the cost of a fixed number of trainings, all of which may be released,
 * against the best of a secret number with that mean. Every training has the same budget. */
#include <math.h>
#include <stdio.h>

#include <sotto/selection_cost.h>

#include "frame/output.h"
#include "train/tune.h"

/* The dearest training at this delta: all are calibrated alike, and differ in the last digits. */
static sotto_status find_dearest(const sotto_tuning *tuning, double delta,
                                 const sotto_plan **out_plan, sotto_error *error)
{
    double most = -1.0;
    for (size_t i = 0; i < sotto_tuning_candidates(tuning); i++) {
        sotto_account account;
        const sotto_plan *plan = sotto_tuning_run_events(tuning, i);
        const sotto_status status =
            sotto_account_epsilon(plan, SOTTO_EXACT, delta, &account, error);
        if (status != SOTTO_OK) return status;
        if (account.epsilon <= most) continue;
        most = account.epsilon;
        *out_plan = plan;
    }
    return SOTTO_OK;
}

static sotto_status cost_of_fixed(const sotto_plan *plan, uint64_t times, double delta,
                                  double *out_epsilon, sotto_error *error)
{
    sotto_plan *many = NULL;
    sotto_account account;
    sotto_status status = sotto_plan_new(sotto_plan_adjacency(plan), &many, error);
    for (size_t i = 0; status == SOTTO_OK && i < sotto_plan_size(plan); i++) {
        sotto_event event = *sotto_plan_event(plan, i);
        event.count *= times;
        status = sotto_plan_add(many, &event, error);
    }
    if (status == SOTTO_OK)
        status = sotto_account_epsilon(many, SOTTO_EXACT, delta, &account, error);
    if (status == SOTTO_OK) *out_epsilon = account.epsilon;
    sotto_plan_free(many);
    return status;
}

/* NaN if there is no such distribution: one training on average needs none. */
static sotto_status cost_of_secret(const sotto_plan *plan, sotto_runs_law law,
                                   double shape, double mean, double delta,
                                   double *out_epsilon, sotto_error *error)
{
    sotto_runs runs;
    sotto_account account;
    *out_epsilon = (double)NAN;
    if (law == SOTTO_RUNS_NEGATIVE_BINOMIAL && mean <= 1.0) return SOTTO_OK;
    sotto_status status = sotto_runs_from_mean(law, shape, mean, &runs, error);
    if (status == SOTTO_OK)
        status = sotto_account_selection(plan, &runs, delta, &account, error);
    if (status == SOTTO_OK) *out_epsilon = account.epsilon;
    return status;
}

enum { LAWS = 3, NUMBERS = 8 };
static const uint64_t numbers[NUMBERS] = {1, 2, 3, 5, 10, 20, 50, 100};

typedef struct row {
    double fixed, secret[LAWS]; /* eta 0, eta 1, Poisson */
} row;

static sotto_status find_row(const sotto_plan *plan, uint64_t number, double delta,
                             row *out, sotto_error *error)
{
    static const sotto_runs_law laws[LAWS] = {
        SOTTO_RUNS_NEGATIVE_BINOMIAL, SOTTO_RUNS_NEGATIVE_BINOMIAL, SOTTO_RUNS_POISSON};
    const double shapes[LAWS] = {0.0, 1.0, SOTTO_UNSET};
    sotto_status status = cost_of_fixed(plan, number, delta, &out->fixed, error);
    for (size_t k = 0; status == SOTTO_OK && k < LAWS; k++)
        status = cost_of_secret(plan, laws[k], shapes[k], (double)number, delta,
                                &out->secret[k], error);
    return status;
}

static void show_row(uint64_t number, const row *costs)
{
    char fixed[CLI_NUMBER_BYTES];
    (void)printf("%9llu  %13s", (unsigned long long)number,
                 cli_rounded_up(costs->fixed, 5, fixed));
    for (size_t k = 0; k < LAWS; k++) {
        char cell[CLI_NUMBER_BYTES] = "-";
        if (!isnan(costs->secret[k])) cli_rounded_up(costs->secret[k], 5, cell);
        (void)printf("  %9s", cell);
    }
    (void)putchar('\n');
}

static void add_row(sotto_json_writer *json, uint64_t number, const row *costs)
{
    static const char *const keys[LAWS] = {"eta_0", "eta_1", "poisson"};
    sotto_json_object(json, NULL);
    sotto_json_count(json, "number", number);
    sotto_json_number(json, "fixed", costs->fixed);
    for (size_t k = 0; k < LAWS; k++)
        sotto_json_number(json, keys[k], costs->secret[k]);
    sotto_json_end(json);
}

static sotto_status print_json(const row *rows, double run_epsilon, double delta,
                               sotto_error *error)
{
    sotto_json_writer *json = sotto_json_new();
    sotto_json_number(json, "epsilon_of_run", run_epsilon);
    sotto_json_number(json, "delta", delta);
    sotto_json_array(json, "rows");
    for (size_t i = 0; i < NUMBERS; i++)
        add_row(json, numbers[i], &rows[i]);
    sotto_json_end(json);
    return cli_json_print(json, error);
}

sotto_status cli_tune_compare(const cli_call *call, const sotto_tune_config *config,
                              const sotto_tuning *tuning, sotto_error *error)
{
    const double delta = isnan(config->train.delta) ? 0.0 : config->train.delta;
    const sotto_plan *plan = NULL;
    row rows[NUMBERS];
    if (config->train.data_is_public) {
        return cli_fail(error, SOTTO_INVALID_ARGUMENT,
                        "--compare is about private rows: on public ones every training "
                        "is free; leave out --data-is-public");
    }
    sotto_status status = find_dearest(tuning, delta, &plan, error);
    for (size_t i = 0; status == SOTTO_OK && i < NUMBERS; i++)
        status = find_row(plan, numbers[i], delta, &rows[i], error);
    if (status != SOTTO_OK) return status;
    if (cli_flag(call, "json")) return print_json(rows, rows[0].fixed, delta, error);
    char one[CLI_NUMBER_BYTES], at[CLI_NUMBER_BYTES];
    cli_line("each training", "epsilon %s at delta %s, its score included",
             cli_rounded_up(rows[0].fixed, 5, one), cli_shortest(delta, at));
    (void)printf("\ntrainings  all released      eta 0      eta 1    poisson\n");
    for (size_t i = 0; i < NUMBERS; i++)
        show_row(numbers[i], &rows[i]);
    return SOTTO_OK;
}
