/* sotto account epsilon|delta --cross-check: the same question to exact and to pld. They share
 * the profiles of single events and no integral, transform or search. */
#include "account/account.h"

#include <math.h>

#include "frame/output.h"

static sotto_status ask_one(const cli_call *call, account_question question,
                            const sotto_plan *plan, sotto_accountant accountant,
                            sotto_account *out, sotto_error *error)
{
    return question == ACCOUNT_EPSILON
               ? sotto_account_epsilon(plan, accountant, cli_number(call, "delta"), out,
                                       error)
               : sotto_account_delta(plan, accountant, cli_number(call, "epsilon"), out,
                                     error);
}

static double upper_of(const account_answer *answer, const sotto_account *account)
{
    return answer->question == ACCOUNT_EPSILON ? account->epsilon : account->delta;
}

static double lower_of(const account_answer *answer, const sotto_account *account)
{
    return answer->question == ACCOUNT_EPSILON ? account->epsilon_lower
                                               : account->delta_lower;
}

/* An upper end can only contradict a lower end. If an event is priced by a worse pair than its
 * own, there is no lower end, and the two are only printed side by side. */
static bool is_compared(const account_answer *answer)
{
    return lower_of(answer, &answer->account) > 0.0 ||
           lower_of(answer, &answer->second) > 0.0 ||
           (upper_of(answer, &answer->account) == 0.0 &&
            upper_of(answer, &answer->second) == 0.0);
}

sotto_status account_cross_check(const cli_call *call, const sotto_plan *plan,
                                 account_answer *answer, sotto_error *error)
{
    const sotto_account *exact = &answer->account;
    const sotto_account *pld = &answer->second;
    if (cli_given(call, "accountant")) {
        return cli_fail(error, SOTTO_INVALID_ARGUMENT,
                        "--accountant is %s, but --cross-check compares exact with pld; "
                        "leave one of them out",
                        cli_text(call, "accountant"));
    }
    sotto_status status =
        ask_one(call, answer->question, plan, SOTTO_EXACT, &answer->account, error);
    if (status != SOTTO_OK) return status;
    status = ask_one(call, answer->question, plan, SOTTO_PLD, &answer->second, error);
    if (status != SOTTO_OK) return status;
    answer->has_second = true;
    const double exact_upper = upper_of(answer, exact);
    const double pld_upper = upper_of(answer, pld);
    const bool agree =
        lower_of(answer, exact) <= pld_upper && lower_of(answer, pld) <= exact_upper;
    if (agree) return SOTTO_OK;
    return cli_fail(error, SOTTO_INTERNAL,
                    "exact says [%.17g, %.17g] and pld [%.17g, %.17g], which cannot both "
                    "hold; please report this plan, and rely on the larger upper end",
                    lower_of(answer, exact), exact_upper, lower_of(answer, pld),
                    pld_upper);
}

void account_cross_show(const account_answer *answer)
{
    const sotto_account *pld = &answer->second;
    char up[CLI_NUMBER_BYTES];
    char down[CLI_NUMBER_BYTES];
    char factor[CLI_NUMBER_BYTES];
    (void)cli_rounded_up(upper_of(answer, pld), CLI_SHOWN_DIGITS, up);
    (void)cli_rounded_down(lower_of(answer, pld), CLI_SHOWN_DIGITS, down);
    cli_line("second opinion", "from %s to %s (pld: discretised loss, composed by FFT)",
             down, up);
    if (answer->account.kernel == SOTTO_KERNEL_PLD) {
        cli_line("cross-check",
                 "the two agree, but exact's answer is from pld's grid too: "
                 "no independent opinion here");
        return;
    }
    const double exact_upper = upper_of(answer, &answer->account);
    const double ratio = upper_of(answer, pld) / exact_upper;
    const char *words =
        is_compared(answer)
            ? "the two agree"
            : "no lower bound is known here, so that neither can refute the other";
    if (!(exact_upper > 0.0) || !isfinite(ratio)) {
        cli_line("cross-check", "%s", words);
        return;
    }
    cli_line("cross-check", "%s; pld's upper bound is %s times exact's", words,
             cli_rounded_up(ratio, CLI_SHOWN_DIGITS, factor));
}

void account_cross_json(const account_answer *answer, sotto_json_writer *json)
{
    const sotto_account *pld = &answer->second;
    const bool asks_epsilon = answer->question == ACCOUNT_EPSILON;
    sotto_json_object(json, "cross_check");
    sotto_json_text(json, "accountant", sotto_accountant_name(pld->accountant));
    sotto_json_number(json, asks_epsilon ? "epsilon" : "delta", upper_of(answer, pld));
    sotto_json_number(json, asks_epsilon ? "epsilon_lower" : "delta_lower",
                      lower_of(answer, pld));
    if (is_compared(answer)) /* disagreement is a failure: no answer is printed */
        sotto_json_flag(json, "agrees", true);
    sotto_json_end(json);
}
