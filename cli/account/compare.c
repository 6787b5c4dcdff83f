/* sotto account compare: every accountant on one plan, and the references that are no accountants:
 * textbook forms, and approximations under their own name. */
#include <math.h>
#include <stdio.h>

#include <sotto/reference.h>

#include "account/account.h"
#include "account/compare.h"
#include "frame/output.h"

/* From the tightest to the plainest; the table of a plan reads from top to bottom. */
static const sotto_accountant accountants[] = {
    SOTTO_EXACT,   SOTTO_PLD,     SOTTO_GAUSSIAN_DP, SOTTO_RDP,
    SOTTO_MOMENTS, SOTTO_OPTIMAL, SOTTO_ADVANCED,    SOTTO_BASIC};
static const sotto_reference references[] = {
    SOTTO_REFERENCE_CENTRAL_LIMIT, SOTTO_REFERENCE_MOMENTS_LEADING_TERM,
    SOTTO_REFERENCE_OPTIMAL_GRID, SOTTO_REFERENCE_OPTIMAL_SIMPLE,
    SOTTO_REFERENCE_ADVANCED_LECTURE};
enum {
    ACCOUNTANTS = sizeof accountants / sizeof accountants[0],
    REFERENCES = sizeof references / sizeof references[0]
};

typedef struct opinion {
    sotto_accountant accountant;
    sotto_status status; /* SOTTO_OK: `account` holds; else `reason` says why not */
    sotto_account account;
    sotto_error reason;
} opinion;

typedef struct reference_opinion {
    sotto_reference reference;
    sotto_status status;
    sotto_reference_value value;
    sotto_error reason;
} reference_opinion;

typedef struct comparison {
    double delta;
    sotto_adjacency adjacency;
    size_t opinion_count; /* accountants this library has */
    opinion opinions[ACCOUNTANTS];
    reference_opinion references[REFERENCES];
} comparison;

static bool is_known(sotto_accountant accountant)
{
    const char *name = sotto_accountant_name(accountant);
    const char *known = NULL;
    for (size_t i = 0; (known = account_accountant(i)) != NULL; i++)
        if (known == name) return true;
    return false;
}

/* "Out of memory" is a failure; every other refusal is a result. A plan that no accountant can
 * price (an open target) is refused by the first one, and that is the command's failure too. */
static sotto_status compare(const cli_call *call, const sotto_plan *plan, comparison *out,
                            sotto_error *error)
{
    for (size_t i = 0; i < ACCOUNTANTS; i++) {
        if (!is_known(accountants[i])) continue;
        opinion *said = &out->opinions[out->opinion_count++];
        said->accountant = accountants[i];
        said->status = sotto_account_epsilon(plan, accountants[i], out->delta,
                                             &said->account, &said->reason);
        if (said->status == SOTTO_OUT_OF_MEMORY ||
            said->status == SOTTO_INVALID_ARGUMENT) {
            return cli_fail(error, said->status, "%s", said->reason.message);
        }
        if (said->status != SOTTO_OK) cli_spell(call, &said->reason);
    }
    for (size_t i = 0; i < REFERENCES; i++) {
        reference_opinion *said = &out->references[i];
        said->reference = references[i];
        said->status = sotto_reference_epsilon(plan, references[i], out->delta,
                                               &said->value, &said->reason);
        if (said->status == SOTTO_OUT_OF_MEMORY)
            return cli_fail(error, said->status, "%s", said->reason.message);
        if (said->status != SOTTO_OK) cli_spell(call, &said->reason);
    }
    return SOTTO_OK;
}

/* --- JSON --- */

static double factor_over(double epsilon, const comparison *of)
{
    const opinion *exact = &of->opinions[0];
    const bool has_base = exact->status == SOTTO_OK && exact->account.epsilon > 0.0;
    return has_base ? epsilon / exact->account.epsilon : SOTTO_UNSET;
}

static sotto_status show_json(const comparison *made, sotto_error *error)
{
    sotto_json_writer *json = sotto_json_new();
    sotto_json_number(json, "delta", made->delta);
    sotto_json_text(json, "adjacency", sotto_adjacency_name(made->adjacency));
    sotto_json_array(json, "accountants");
    for (size_t i = 0; i < made->opinion_count; i++) {
        const opinion *said = &made->opinions[i];
        sotto_json_object(json, NULL);
        sotto_json_text(json, "accountant", sotto_accountant_name(said->accountant));
        if (said->status == SOTTO_OK) {
            sotto_json_number(json, "epsilon", said->account.epsilon);
            sotto_json_number(json, "epsilon_lower", said->account.epsilon_lower);
            sotto_json_number(json, "factor", factor_over(said->account.epsilon, made));
            sotto_json_text(json, "kernel", sotto_kernel_name(said->account.kernel));
            sotto_json_number(json, "order", said->account.order);
        } else {
            sotto_json_text(json, "reason", said->reason.message);
        }
        sotto_json_end(json);
    }
    sotto_json_end(json);
    sotto_json_array(json, "references");
    for (size_t i = 0; i < REFERENCES; i++) {
        const reference_opinion *said = &made->references[i];
        sotto_json_object(json, NULL);
        sotto_json_text(json, "reference", sotto_reference_name(said->reference));
        sotto_json_text(json, "label", sotto_reference_label(said->reference));
        if (said->status == SOTTO_OK) {
            sotto_json_number(json, "epsilon_said", said->value.epsilon_said);
            sotto_json_flag(json, "is_guarantee", said->value.is_guarantee != 0);
            sotto_json_number(json, "factor",
                              factor_over(said->value.epsilon_said, made));
            sotto_json_number(json, "mu", said->value.mu);
            sotto_json_number(json, "lambda", said->value.lambda);
        } else {
            sotto_json_text(json, "reason", said->reason.message);
        }
        sotto_json_end(json);
    }
    sotto_json_end(json);
    return cli_json_print(json, error);
}

/* --- text --- */

static const char *accountant_words(sotto_accountant accountant)
{
    switch (accountant) {
    case SOTTO_EXACT:
        return "the tightest certified answer";
    case SOTTO_PLD:
        return "discretised losses, an independent second opinion";
    case SOTTO_GAUSSIAN_DP:
        return "Gaussian differential privacy";
    case SOTTO_RDP:
        return "Renyi divergence at the best real order";
    case SOTTO_MOMENTS:
        return "moments accountant: whole moments up to 32, Markov's inequality";
    case SOTTO_OPTIMAL:
        return "optimal composition of the events' epsilons and deltas";
    case SOTTO_ADVANCED:
        return "advanced composition of the events' epsilons and deltas";
    case SOTTO_BASIC:
        return "sum of the events' epsilons and deltas";
    }
    return sotto_accountant_name(accountant);
}

static void show_row(const char *name, const char *epsilon, double factor,
                     const char *words)
{
    char times[CLI_NUMBER_BYTES] = "";
    if (!isnan(factor)) (void)snprintf(times, sizeof times, "%.4g", factor);
    (void)printf("%-17s %12s %12s  %s\n", name, epsilon, times, words);
}

static void show_text(const comparison *made)
{
    char number[CLI_NUMBER_BYTES];
    cli_line("delta", "%s", cli_shortest(made->delta, number));
    cli_line("adjacency", "%s", sotto_adjacency_name(made->adjacency));
    (void)printf("\n%-17s %12s %12s  %s\n", "accountant", "epsilon", "times exact",
                 "meaning");
    for (size_t i = 0; i < made->opinion_count; i++) {
        const opinion *said = &made->opinions[i];
        const char *name = sotto_accountant_name(said->accountant);
        if (said->status != SOTTO_OK) {
            show_row(name, "none", SOTTO_UNSET, said->reason.message);
            continue;
        }
        show_row(name, cli_rounded_up(said->account.epsilon, CLI_SHOWN_DIGITS, number),
                 factor_over(said->account.epsilon, made),
                 accountant_words(said->accountant));
    }
    (void)printf("\n%-17s %12s %12s  %s\n", "reference", "says", "times exact",
                 "meaning");
    for (size_t i = 0; i < REFERENCES; i++) {
        const reference_opinion *said = &made->references[i];
        const char *name = sotto_reference_name(said->reference);
        if (said->status != SOTTO_OK) {
            show_row(name, "none", SOTTO_UNSET, said->reason.message);
            continue;
        }
        show_row(name, cli_rounded_up(said->value.epsilon_said, CLI_SHOWN_DIGITS, number),
                 factor_over(said->value.epsilon_said, made),
                 sotto_reference_label(said->reference));
    }
}

static sotto_status draw(const cli_call *call, const sotto_plan *plan,
                         const comparison *made, sotto_error *error)
{
    sotto_accountant drawn[ACCOUNTANTS];
    for (size_t i = 0; i < made->opinion_count; i++)
        drawn[i] = made->opinions[i].accountant;
    return account_compare_draw(call, plan, made->delta, drawn, made->opinion_count,
                                error);
}

static sotto_status run(const cli_call *call, sotto_error *error)
{
    sotto_plan *plan = NULL;
    sotto_status status = account_plan_make(call, &plan, error);
    if (status != SOTTO_OK) return status;
    comparison made = {.delta = cli_number(call, "delta"),
                       .adjacency = sotto_plan_adjacency(plan)};
    status = compare(call, plan, &made, error);
    if (status == SOTTO_OK && cli_given(call, "svg"))
        status = draw(call, plan, &made, error);
    sotto_plan_free(plan);
    if (status != SOTTO_OK) return status;
    if (cli_flag(call, "json")) return show_json(&made, error);
    show_text(&made);
    return SOTTO_OK;
}

static const cli_option options[] = {
    {"delta", CLI_NUMBER, CLI_REQUIRED, "delta of the guarantee, at least 0 and below 1",
     .value = "D", .example = "1e-5", .range = CLI_BELOW_ONE},
    {"svg", CLI_FILE, CLI_OPTIONAL, "plot epsilon against the number of releases",
     .value = "FILE", .example = "compare.svg", .output = SOTTO_OUTPUT_SVG},
    {0},
};

const cli_command account_compare = {
    .name = "compare",
    .summary = "Compare all accountants and textbook formulas on one plan",
    .details =
        "Accountants are certified. A reference is the value of a textbook formula;\n"
        "its label states if it is no guarantee.",
    .options = options,
    .shared = account_run_tables,
    .example = "sotto account compare --noise-multiplier 1.1 --rate 0.004 --count 15000 "
               "--delta 1e-5",
    .run = run,
};

/* --- epsilon --accountant gdp-clt --- */

sotto_status account_approximate(const cli_call *call, sotto_error *error)
{
    sotto_plan *plan = NULL;
    sotto_reference_value value;
    sotto_status status = account_plan_make(call, &plan, error);
    if (status != SOTTO_OK) return status;
    const sotto_adjacency adjacency = sotto_plan_adjacency(plan);
    status = sotto_reference_epsilon(plan, SOTTO_REFERENCE_CENTRAL_LIMIT,
                                     cli_number(call, "delta"), &value, error);
    sotto_plan_free(plan);
    if (status != SOTTO_OK) return status;
    const char *name = sotto_reference_name(value.reference);
    if (cli_flag(call, "json")) { /* no member named epsilon: that would be a bound */
        sotto_json_writer *json = sotto_json_new();
        sotto_json_number(json, "epsilon_approximate", value.epsilon_said);
        sotto_json_flag(json, "is_guarantee", false);
        sotto_json_text(json, "label", sotto_reference_label(value.reference));
        sotto_json_number(json, "delta", value.delta);
        sotto_json_number(json, "mu_approximate", value.mu);
        sotto_json_text(json, "adjacency", sotto_adjacency_name(adjacency));
        sotto_json_text(json, "accountant", name);
        return cli_json_print(json, error);
    }
    char number[CLI_NUMBER_BYTES];
    cli_line("epsilon", "about %.*g (approximation, not a guarantee)", CLI_SHOWN_DIGITS,
             value.epsilon_said);
    cli_line("delta", "%s", cli_shortest(value.delta, number));
    cli_line("mu", "about %.*g", CLI_SHOWN_DIGITS, value.mu);
    cli_line("adjacency", "%s", sotto_adjacency_name(adjacency));
    cli_line("accountant", "%s (%s)", name, sotto_reference_label(value.reference));
    cli_line("", "the true epsilon may be larger: ask --accountant exact");
    return SOTTO_OK;
}
