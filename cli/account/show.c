#include "account/account.h"

#include <math.h>
#include <stdlib.h>

#include "frame/output.h"

/* --- JSON: a contract, DESIGN 6.1; see docs/reference/command.md --- */

static sotto_status show_json(const account_answer *answer, sotto_error *error)
{
    const sotto_account *account = &answer->account;
    sotto_json_writer *json = sotto_json_new();
    if (answer->question == ACCOUNT_NOISE) {
        sotto_json_number(json, "noise_multiplier", answer->noise_multiplier);
        sotto_json_text(json, "calibration", answer->calibration);
        if (!isnan(answer->scale)) sotto_json_number(json, "scale", answer->scale);
    }
    if (answer->question == ACCOUNT_RATE) sotto_json_number(json, "rate", answer->rate);
    if (answer->question == ACCOUNT_STEPS) sotto_json_count(json, "steps", answer->steps);
    sotto_json_number(json, "epsilon", account->epsilon);
    sotto_json_number(json, "epsilon_lower", account->epsilon_lower);
    sotto_json_number(json, "delta", account->delta);
    sotto_json_number(json, "delta_lower", account->delta_lower);
    sotto_json_text(json, "adjacency", sotto_adjacency_name(account->adjacency));
    sotto_json_text(json, "accountant", sotto_accountant_name(account->accountant));
    sotto_json_text(json, "kernel", sotto_kernel_name(account->kernel));
    sotto_json_number(json, "order", account->order);
    if (answer->has_second) account_cross_json(answer, json);
    return cli_json_print(json, error);
}

/* --- text --- */

/* "2.38175 (certified upper bound; the true value is at least 2.38174)" */
static void show_bound(const char *label, double upper, double lower)
{
    char up[CLI_NUMBER_BYTES];
    char down[CLI_NUMBER_BYTES];
    (void)cli_rounded_up(upper, CLI_SHOWN_DIGITS, up);
    if (!(lower > 0.0)) {
        cli_line(label, "%s (certified upper bound)", up);
        return;
    }
    (void)cli_rounded_down(lower, CLI_SHOWN_DIGITS, down);
    cli_line(label, "%s (certified upper bound; the true value is at least %s)", up,
             down);
}

/* The achieved epsilon, with enough digits to show that it does not exceed the target. */
static void show_achieved(double achieved, double target)
{
    char up[CLI_NUMBER_BYTES];
    char wanted[CLI_NUMBER_BYTES];
    for (int digits = CLI_SHOWN_DIGITS; digits <= 17; digits++) {
        (void)cli_rounded_up(achieved, digits, up);
        if (strtod(up, NULL) <= target) break;
    }
    cli_line("epsilon", "%s (certified upper bound; the target is %s)", up,
             cli_shortest(target, wanted));
}

static const char *adjacency_words(sotto_adjacency adjacency)
{
    return adjacency == SOTTO_REPLACE_ONE
               ? "one record exchanged; the number of rows is public"
               : "one record more or less; the number of rows is secret";
}

static const char *kernel_words(sotto_kernel kernel)
{
    switch (kernel) {
    case SOTTO_KERNEL_CLOSED_FORM:
        return "closed form";
    case SOTTO_KERNEL_CONTOUR:
        return "contour integral";
    case SOTTO_KERNEL_CONTOUR_SMOOTHED:
        return "contour integral with one virtual Gaussian release added";
    case SOTTO_KERNEL_RDP:
        return "Renyi divergence";
    case SOTTO_KERNEL_BASIC:
        return "sum over the events";
    case SOTTO_KERNEL_PLD:
        return "discretised loss, composed by FFT";
    case SOTTO_KERNEL_MOMENTS:
        return "moments of the privacy loss";
    case SOTTO_KERNEL_COMPOSITION_THEOREM:
        return "composition of the events' epsilons and deltas";
    }
    return sotto_kernel_name(kernel);
}

/* P(outcome) <= e^epsilon P'(outcome) + delta, in words. */
static void show_meaning(const sotto_account *account)
{
    /* The library's exp is good to an ulp or two; the margin is far above. */
    const double factor =
        account->epsilon > 0.0 ? exp(account->epsilon) * (1.0 + 1e-12) : 1.0;
    char up[CLI_NUMBER_BYTES];
    char delta[CLI_NUMBER_BYTES];
    if (!isfinite(factor)) return;
    cli_line("in words",
             "one record makes no outcome more than %s times as likely, plus %s",
             cli_rounded_up(factor, 4, up),
             cli_rounded_up(account->delta, CLI_SHOWN_DIGITS, delta));
}

static void show_answer(const account_answer *answer)
{
    const sotto_account *account = &answer->account;
    char number[CLI_NUMBER_BYTES];
    switch (answer->question) {
    case ACCOUNT_EPSILON:
        show_bound("epsilon", account->epsilon, account->epsilon_lower);
        cli_line("delta", "%s", cli_shortest(account->delta, number));
        break;
    case ACCOUNT_DELTA:
        show_bound("delta", account->delta, account->delta_lower);
        cli_line("epsilon", "%s", cli_shortest(account->epsilon, number));
        break;
    case ACCOUNT_NOISE:
        cli_line("noise multiplier", "%s (%s calibration)",
                 cli_rounded_up(answer->noise_multiplier, CLI_SHOWN_DIGITS, number),
                 answer->calibration);
        if (!isnan(answer->scale))
            cli_line("scale", "%s (in units of the query)",
                     cli_rounded_up(answer->scale, CLI_SHOWN_DIGITS, number));
        show_achieved(account->epsilon, answer->target_epsilon);
        cli_line("delta", "%s", cli_shortest(account->delta, number));
        break;
    case ACCOUNT_RATE:
        cli_line("rate", "%s", cli_rounded_down(answer->rate, CLI_SHOWN_DIGITS, number));
        show_achieved(account->epsilon, answer->target_epsilon);
        cli_line("delta", "%s", cli_shortest(account->delta, number));
        break;
    case ACCOUNT_STEPS:
        cli_line("steps", "%llu", (unsigned long long)answer->steps);
        show_achieved(account->epsilon, answer->target_epsilon);
        cli_line("delta", "%s", cli_shortest(account->delta, number));
        break;
    }
}

static void show_text(const account_answer *answer)
{
    const sotto_account *account = &answer->account;
    char order[CLI_NUMBER_BYTES];
    show_answer(answer);
    cli_line("adjacency", "%s (%s)", sotto_adjacency_name(account->adjacency),
             adjacency_words(account->adjacency));
    if (isnan(account->order)) {
        cli_line("accountant", "%s (%s)", sotto_accountant_name(account->accountant),
                 kernel_words(account->kernel));
    } else if (account->kernel == SOTTO_KERNEL_MOMENTS) {
        cli_line("accountant", "%s (moment lambda = %.0f of the privacy loss)",
                 sotto_accountant_name(account->accountant), account->order - 1.0);
    } else {
        cli_line("accountant", "%s (%s of order %s)",
                 sotto_accountant_name(account->accountant),
                 kernel_words(account->kernel),
                 cli_rounded_up(account->order, CLI_SHOWN_DIGITS, order));
    }
    if (answer->has_second) account_cross_show(answer);
    show_meaning(account);
}

sotto_status account_show(const account_answer *answer, bool as_json, sotto_error *error)
{
    if (as_json) return show_json(answer, error);
    show_text(answer);
    return SOTTO_OK;
}
