/* sotto account group: the guarantee of a release for a unit of several rows. */
#include <stdio.h>

#include <sotto/reference.h>

#include "account/account.h"
#include "frame/output.h"

static const cli_option options[] = {
    {"epsilon", CLI_NUMBER, CLI_REQUIRED, "epsilon of the release for one row",
     .value = "E", .example = "0.1", .range = CLI_NOT_NEGATIVE},
    {"delta", CLI_NUMBER, CLI_OPTIONAL, "delta of the release for one row", .value = "D",
     .example = "1e-9", .fallback = "0", .range = CLI_BELOW_ONE},
    {"rows", CLI_COUNT, CLI_REQUIRED, "largest number of rows of a unit", .value = "K",
     .example = "4", .count_max = UINT64_C(1) << 52},
    {0},
};

static sotto_status run(const cli_call *call, sotto_error *error)
{
    double epsilon = 0.0;
    double delta = 0.0;
    const sotto_status status =
        sotto_group_privacy(cli_number(call, "epsilon"), cli_number(call, "delta"),
                            cli_count(call, "rows"), &epsilon, &delta, error);
    if (status != SOTTO_OK) return status;
    char holds_for[96];
    (void)snprintf(holds_for, sizeof holds_for,
                   "units of at most %llu rows, under the adjacency of the release",
                   (unsigned long long)cli_count(call, "rows"));
    return account_show_guarantee(call, epsilon, delta, holds_for, error);
}

const cli_command account_group = {
    .name = "group",
    .summary = "Convert a guarantee for one row to a unit of several rows",
    .options = options,
    .example = "sotto account group --epsilon 0.1 --delta 1e-9 --rows 4",
    .run = run,
};
