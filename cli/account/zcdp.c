/* sotto account zcdp: the least noise for a target in zero-concentrated differential privacy. */
#include "account/account.h"
#include "frame/output.h"

static const cli_option options[] = {
    {"target-rho", CLI_NUMBER, CLI_REQUIRED, "privacy target: the rho of all events",
     .value = "R", .example = "0.5", .range = CLI_POSITIVE},
    {"mechanism", CLI_CHOICE, CLI_OPTIONAL, "mechanism of the release", .value = "NAME",
     .fallback = "gaussian", .choices = account_noise_choice},
    {"sensitivity", CLI_NUMBER, CLI_OPTIONAL,
     "discrete-gaussian, discrete-laplace: sensitivity, in units of the query",
     .value = "L", .example = "1", .range = CLI_POSITIVE},
    {0},
};

static sotto_status run(const cli_call *call, sotto_error *error)
{
    sotto_plan *plan = NULL;
    double noise = SOTTO_UNSET;
    double rho = SOTTO_UNSET;
    sotto_status status = account_plan_make(call, &plan, error);
    if (status == SOTTO_OK) {
        status = sotto_account_zcdp_noise(plan, cli_number(call, "target-rho"), &noise,
                                          &rho, error);
    }
    sotto_plan_free(plan);
    if (status != SOTTO_OK) return status;
    const bool has_scale = cli_given(call, "sensitivity");
    const double scale = has_scale ? noise * cli_number(call, "sensitivity") : noise;
    if (cli_flag(call, "json")) {
        sotto_json_writer *json = sotto_json_new();
        sotto_json_number(json, "noise_multiplier", noise);
        if (has_scale) sotto_json_number(json, "scale", scale);
        sotto_json_number(json, "rho", rho);
        return cli_json_print(json, error);
    }
    char number[CLI_NUMBER_BYTES];
    cli_line("noise multiplier", "%s", cli_rounded_up(noise, CLI_SHOWN_DIGITS, number));
    if (has_scale)
        cli_line("scale", "%s (in units of the query)",
                 cli_rounded_up(scale, CLI_SHOWN_DIGITS, number));
    cli_line("rho", "%s (certified upper bound)",
             cli_rounded_up(rho, CLI_SHOWN_DIGITS, number));
    return SOTTO_OK;
}

const cli_command account_zcdp = {
    .name = "zcdp",
    .summary = "The smallest noise that meets a target in zCDP",
    .options = options,
    .shared = account_zcdp_tables,
    .example = "sotto account zcdp --target-rho 0.5 --count 10",
    .run = run,
};
