/* sotto account tree: running sums by noisy binary trees, a labelled extra. */
#include <sotto/tree_aggregation.h>

#include "account/account.h"
#include "frame/output.h"

static const cli_option options[] = {
    {"noise-multiplier", CLI_NUMBER, CLI_REQUIRED,
     "noise scale of every node over the reference norm", .value = "S", .example = "10",
     .range = CLI_POSITIVE},
    {"steps", CLI_COUNT, CLI_REQUIRED, "steps of the largest tree", .value = "N",
     .example = "1000", .count_max = UINT64_C(1) << 62},
    {"trees", CLI_COUNT, CLI_OPTIONAL,
     "trees in which one record takes part, in one step of each", .value = "K",
     .example = "4", .fallback = "1", .count_max = 1000000},
    {"delta", CLI_NUMBER, CLI_REQUIRED, "delta of the guarantee, at least 0 and below 1",
     .value = "D", .example = "1e-5", .range = CLI_BELOW_ONE},
    {0},
};

static sotto_status run(const cli_call *call, sotto_error *error)
{
    sotto_event event;
    sotto_account account;
    sotto_plan *plan = NULL;
    char number[CLI_NUMBER_BYTES];
    const uint64_t steps = cli_count(call, "steps");
    sotto_status status = sotto_tree_aggregation_event(
        cli_number(call, "noise-multiplier"), &steps, 1, &event, error);
    if (status != SOTTO_OK) return status;
    event.count *= cli_count(call, "trees"); /* at most 63 times a million */
    status = sotto_plan_new(SOTTO_ADD_REMOVE, &plan, error);
    if (status != SOTTO_OK) return status;
    status = sotto_plan_add(plan, &event, error);
    if (status == SOTTO_OK) {
        status = sotto_account_epsilon(plan, SOTTO_EXACT, cli_number(call, "delta"),
                                       &account, error);
    }
    sotto_plan_free(plan);
    if (status != SOTTO_OK) return status;
    if (cli_flag(call, "json")) {
        sotto_json_writer *json = sotto_json_new();
        sotto_json_number(json, "epsilon", account.epsilon);
        sotto_json_number(json, "epsilon_lower", account.epsilon_lower);
        sotto_json_number(json, "delta", account.delta);
        sotto_json_count(json, "heights", event.count);
        sotto_json_text(json, "adjacency", "zero-out");
        return cli_json_print(json, error);
    }
    cli_line("epsilon", "%s (certified upper bound)",
             cli_rounded_up(account.epsilon, CLI_SHOWN_DIGITS, number));
    cli_line("delta", "%s", cli_shortest(account.delta, number));
    cli_line("heights", "%llu (noisy nodes that contain one record, at most)",
             (unsigned long long)event.count);
    cli_line("adjacency", "zero-out (one contribution becomes 0; steps are public)");
    return SOTTO_OK;
}

const cli_command account_tree = {
    .name = "tree",
    .summary = "Compute the cost of running sums by noisy binary trees",
    .options = options,
    .example = "sotto account tree --noise-multiplier 10 --steps 1000 --delta 1e-5",
    .run = run,
};
