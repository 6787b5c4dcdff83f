/* sotto account amplify: the effect of sampling on an (epsilon, delta) release. */
#include <sotto/reference.h>

#include "account/account.h"
#include "frame/output.h"

static const cli_option options[] = {
    {"epsilon", CLI_NUMBER, CLI_REQUIRED, "epsilon of the release on its sample",
     .value = "E", .example = "1", .range = CLI_NOT_NEGATIVE},
    {"delta", CLI_NUMBER, CLI_OPTIONAL, "delta of the release on its sample",
     .value = "D", .example = "1e-6", .fallback = "0", .range = CLI_BELOW_ONE},
    {"rate", CLI_NUMBER, CLI_REQUIRED, "probability that a record is in the sample",
     .value = "Q", .example = "0.01", .range = CLI_RATE},
    {0},
};

sotto_status account_show_guarantee(const cli_call *call, double epsilon, double delta,
                                    const char *holds_for, sotto_error *error)
{
    if (cli_flag(call, "json")) {
        sotto_json_writer *json = sotto_json_new();
        sotto_json_number(json, "epsilon", epsilon);
        sotto_json_number(json, "delta", delta);
        return cli_json_print(json, error);
    }
    char number[CLI_NUMBER_BYTES];
    cli_line("epsilon", "%s (certified upper bound)",
             cli_rounded_up(epsilon, CLI_SHOWN_DIGITS, number));
    cli_line("delta", "%s (certified upper bound)",
             cli_rounded_up(delta, CLI_SHOWN_DIGITS, number));
    cli_line("holds for", "%s", holds_for);
    return SOTTO_OK;
}

static sotto_status run(const cli_call *call, sotto_error *error)
{
    double epsilon = 0.0;
    double delta = 0.0;
    const sotto_status status =
        sotto_amplify_by_sampling(cli_number(call, "epsilon"), cli_number(call, "delta"),
                                  cli_number(call, "rate"), &epsilon, &delta, error);
    if (status != SOTTO_OK) return status;
    return account_show_guarantee(call, epsilon, delta,
                                  "Poisson sampling under add-remove, or batches without "
                                  "replacement under replace-one",
                                  error);
}

const cli_command account_amplify = {
    .name = "amplify",
    .summary = "Amplify an (epsilon, delta) guarantee by sampling",
    .options = options,
    .example = "sotto account amplify --epsilon 1 --delta 1e-6 --rate 0.01",
    .run = run,
};
