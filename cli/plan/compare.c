#include "plan/compare.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "frame/output.h"

static const sotto_calibration order[PLAN_RULES] = {
    SOTTO_CALIBRATION_CHAUDHURI, SOTTO_CALIBRATION_KIFER, SOTTO_CALIBRATION_REDBERG,
    SOTTO_CALIBRATION_FORMER, SOTTO_CALIBRATION_SHARP};
enum { FORMER = PLAN_RULES - 2, SHARP = PLAN_RULES - 1, LAST = SOTTO_RULE_COUNTS - 1 };

/* By the sharp calibration of objective perturbation, Gaussian. */
static bool uses_theorem(const sotto_training *training)
{
    const sotto_plan *plan = sotto_training_events(training);
    const sotto_event *first =
        plan == NULL || sotto_plan_size(plan) == 0 ? NULL : sotto_plan_event(plan, 0);
    return first != NULL && first->mechanism == SOTTO_OBJECTIVE_PERTURBATION &&
           first->theorem == SOTTO_FROZEN_SLOPE;
}

static bool is_better(const sotto_rule *sharp, const sotto_rule *former)
{
    if (!sharp->applies || !former->applies) return sharp->applies;
    return sharp->sigma < former->sigma * (1.0 - 1e-3) ||
           sharp->epsilon[LAST] < former->epsilon[LAST] * (1.0 - 1e-3);
}

sotto_status plan_compare_find(const cli_call *call, const sotto_training *training,
                               double delta, plan_compare *out, sotto_error *error)
{
    *out = (plan_compare){.asked = cli_flag(call, "compare"), .delta = delta};
    const bool has_theorem = uses_theorem(training);
    if (!out->asked && !has_theorem) return SOTTO_OK;
    sotto_status status = SOTTO_OK;
    sotto_error inner = {.status = SOTTO_OK};
    for (size_t i = out->asked ? 0 : FORMER; i < PLAN_RULES && status == SOTTO_OK; i++)
        status = sotto_training_rule(training, order[i], &out->rules[i], &inner);
    for (size_t i = 0; i < PLAN_RULES; i++)
        if (!out->rules[i].applies) cli_spell(call, &out->rules[i].reason);
    if (status == SOTTO_INVALID_ARGUMENT)
        return cli_fail(error, status,
                        "--compare: %.180s, for example --method objective",
                        inner.message);
    if (status != SOTTO_OK) return cli_fail(error, status, "%s", inner.message);
    out->is_sharper = has_theorem && is_better(&out->rules[SHARP], &out->rules[FORMER]);
    return SOTTO_OK;
}

/* --- text --- */

void plan_compare_line(const plan_compare *compare)
{
    const sotto_rule *sharp = &compare->rules[SHARP], *former = &compare->rules[FORMER];
    char now[CLI_NUMBER_BYTES], then[CLI_NUMBER_BYTES], ratio[CLI_NUMBER_BYTES];
    if (!compare->is_sharper) return;
    if (!former->applies) {
        cli_line("theorem", "this lambda needs the frozen-slope theorem: under the "
                            "former one no noise suffices");
        return;
    }
    const double part = sharp->sigma / former->sigma;
    cli_line("theorem",
             "noise %s%s the former theorem; 20 such trainings cost epsilon %s "
             "instead of %s",
             part < 0.9995 ? cli_rounded_up(part, 3, ratio) : "as by",
             part < 0.9995 ? " times that of" : "",
             cli_rounded_up(sharp->epsilon[LAST], 3, now),
             cli_rounded_up(former->epsilon[LAST], 3, then));
}

static const char *const sources[PLAN_RULES] = {
    "Chaudhuri et al. 2011", "Kifer et al. 2012", "Redberg et al. 2023",
    "sotto, former theorem", "sotto, this version"};

static void show_rule(const plan_compare *compare, size_t index)
{
    const sotto_rule *rule = &compare->rules[index];
    const sotto_rule *sharp = &compare->rules[SHARP];
    char number[CLI_NUMBER_BYTES];
    printf("  %-10s %-24s", sotto_calibration_name(rule->calibration), sources[index]);
    if (!rule->applies) {
        printf(" does not apply: %s\n", rule->reason.message);
        return;
    }
    printf(" %8s", cli_rounded_up(rule->lambda, 4, number));
    printf(" %8s", cli_rounded_up(rule->sigma, 4, number));
    printf(" %6s",
           sharp->applies ? cli_rounded_up(rule->sigma / sharp->sigma, 3, number) : "-");
    for (size_t i = 0; i < SOTTO_RULE_COUNTS; i++)
        printf(" %8s", isfinite(rule->epsilon[i])
                           ? cli_rounded_up(rule->epsilon[i], 4, number)
                           : "none");
    printf("%s%s\n", rule->is_pure ? "  pure noise" : "",
           rule->adjacency != sharp->adjacency ? ", replace-one" : "");
}

void plan_compare_text(const plan_compare *compare)
{
    char delta[CLI_NUMBER_BYTES];
    printf("\nrules for the noise b (standard deviation of one coordinate; ratio to that "
           "of sharp)\nand epsilon at delta %s, each with its own noise\n",
           cli_rounded_up(compare->delta, 3, delta));
    printf("  %-10s %-24s %8s %8s %6s %8s %8s %8s\n", "rule", "source", "lambda", "noise",
           "ratio", "once", "5 times", "20 times");
    for (size_t i = 0; i < PLAN_RULES; i++)
        show_rule(compare, i);
}

/* --- JSON --- */

static void add_epsilons(sotto_json_writer *json, const sotto_rule *rule)
{
    char name[32];
    for (size_t i = 0; i < SOTTO_RULE_COUNTS; i++) {
        (void)snprintf(name, sizeof name, "epsilon_%" PRIu64, sotto_rule_count(i));
        if (isfinite(rule->epsilon[i])) sotto_json_number(json, name, rule->epsilon[i]);
    }
}

void plan_add_compare(sotto_json_writer *json, const plan_compare *compare)
{
    sotto_json_array(json, "comparison");
    for (size_t i = 0; i < PLAN_RULES; i++) {
        const sotto_rule *rule = &compare->rules[i];
        sotto_json_object(json, NULL);
        sotto_json_text(json, "calibration", sotto_calibration_name(rule->calibration));
        sotto_json_text(json, "source", sources[i]);
        sotto_json_text(json, "adjacency", sotto_adjacency_name(rule->adjacency));
        sotto_json_text(json, "noise", rule->is_pure ? "pure" : "gaussian");
        if (rule->applies) {
            sotto_json_number(json, "lambda", rule->lambda);
            sotto_json_number(json, "sigma", rule->sigma);
            add_epsilons(json, rule);
        } else {
            sotto_json_text(json, "reason", rule->reason.message);
        }
        sotto_json_end(json);
    }
    sotto_json_end(json);
}

void plan_add_theorem(sotto_json_writer *json, const plan_compare *compare)
{
    const sotto_rule *sharp = &compare->rules[SHARP], *former = &compare->rules[FORMER];
    sotto_json_object(json, "theorem");
    sotto_json_number(json, "epsilon_20", sharp->epsilon[LAST]);
    if (former->applies) {
        sotto_json_number(json, "noise_of_former", sharp->sigma / former->sigma);
        sotto_json_number(json, "former_epsilon_20", former->epsilon[LAST]);
    }
    sotto_json_end(json);
}
