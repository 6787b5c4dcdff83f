/* sotto account selection: the cost of running a plan a random number of times and releasing the
 * best run. */
#include <string.h>

#include <sotto/selection_cost.h>

#include "account/account.h"
#include "frame/choice.h"
#include "frame/output.h"

CLI_NAMES(law_choice, sotto_runs_law, 1)

static const cli_option options[] = {
    {"delta", CLI_NUMBER, CLI_REQUIRED, "delta of the guarantee, at least 0 and below 1",
     .value = "D", .example = "1e-5", .range = CLI_BELOW_ONE},
    {"runs-mean", CLI_NUMBER, CLI_REQUIRED, "mean number of runs", .value = "M",
     .example = "10", .range = CLI_POSITIVE, .old = "mean"},
    {"distribution", CLI_CHOICE, CLI_OPTIONAL, "distribution of the number of runs",
     .value = "NAME", .fallback = "negative-binomial", .choices = law_choice,
     .old = "runs"},
    {"eta", CLI_NUMBER, CLI_OPTIONAL,
     "negative-binomial: shape, above -1; 0 is logarithmic, 1 (the default) geometric",
     .value = "E", .example = "1", .old = "shape"},
    {0},
};

static sotto_status runs_of(const cli_call *call, sotto_runs *out_runs,
                            sotto_error *error)
{
    const sotto_runs_law law = (sotto_runs_law)(1 + cli_choice(call, "distribution"));
    double shape = law == SOTTO_RUNS_POISSON ? SOTTO_UNSET : 1.0;
    if (cli_given(call, "eta")) shape = cli_number(call, "eta");
    return sotto_runs_from_mean(law, shape, cli_number(call, "runs-mean"), out_runs,
                                error);
}

static sotto_status show_json(const sotto_account *account, const sotto_account *single,
                              const sotto_runs *runs, sotto_error *error)
{
    sotto_json_writer *json = sotto_json_new();
    sotto_json_number(json, "epsilon", account->epsilon);
    sotto_json_number(json, "delta", account->delta);
    sotto_json_number(json, "epsilon_single_run", single->epsilon);
    sotto_json_text(json, "runs", sotto_runs_law_name(runs->law));
    sotto_json_number(json, "mean", sotto_runs_mean(runs));
    sotto_json_number(json, "shape", runs->shape);
    sotto_json_number(json, "gamma", runs->gamma);
    sotto_json_text(json, "adjacency", sotto_adjacency_name(account->adjacency));
    sotto_json_text(json, "accountant", sotto_accountant_name(account->accountant));
    sotto_json_text(json, "kernel", sotto_kernel_name(account->kernel));
    sotto_json_number(json, "order", account->order);
    return cli_json_print(json, error);
}

static void show_text(const sotto_account *account, const sotto_account *single,
                      const sotto_runs *runs)
{
    char first[CLI_NUMBER_BYTES], second[CLI_NUMBER_BYTES];
    cli_line("epsilon", "%s (certified upper bound; only the best run is released)",
             cli_rounded_up(account->epsilon, CLI_SHOWN_DIGITS, first));
    cli_line("delta", "%s", cli_shortest(account->delta, first));
    cli_line("one run", "%s (epsilon of a single run at this delta)",
             cli_rounded_up(single->epsilon, CLI_SHOWN_DIGITS, first));
    if (runs->law == SOTTO_RUNS_POISSON) {
        cli_line("runs", "poisson, %s on average; none at all is an outcome",
                 cli_rounded_up(runs->mean, CLI_SHOWN_DIGITS, first));
    } else {
        cli_line("runs", "negative-binomial of shape %s and gamma %s",
                 cli_shortest(runs->shape, first), cli_shortest(runs->gamma, second));
    }
    cli_line("adjacency", "%s", sotto_adjacency_name(account->adjacency));
    cli_line("keep secret", "the number of runs, the other runs and their scores");
}

static sotto_status run(const cli_call *call, sotto_error *error)
{
    sotto_runs runs;
    sotto_plan *plan = NULL;
    sotto_account account, single;
    const double delta = cli_number(call, "delta");
    sotto_status status = runs_of(call, &runs, error);
    if (status != SOTTO_OK) return status;
    status = account_plan_make(call, &plan, error);
    if (status != SOTTO_OK) return status;
    status = sotto_account_selection(plan, &runs, delta, &account, error);
    if (status == SOTTO_OK)
        status = sotto_account_epsilon(plan, SOTTO_EXACT, delta, &single, error);
    sotto_plan_free(plan);
    if (status != SOTTO_OK) return status;
    if (cli_flag(call, "json")) return show_json(&account, &single, &runs, error);
    show_text(&account, &single, &runs);
    return SOTTO_OK;
}

const cli_command account_selection = {
    .name = "selection",
    .summary = "Compute the cost of the best of a random number of runs",
    .details = "The plan is one run, its score included.",
    .options = options,
    .shared = account_run_tables,
    .example = "sotto account selection --noise-multiplier 4 --count 10 --runs-mean 10 "
               "--delta 1e-5",
    .run = run,
};
