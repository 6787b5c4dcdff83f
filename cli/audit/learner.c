/* sotto audit learner: our own learners on their worst pairs of neighbours. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sotto/audit.h>

#include "audit/audit.h"
#include "frame/choice.h"
#include "frame/input.h"
#include "frame/output.h"
#include "frame/progress.h"
#include "train/training.h"

static const cli_option options[] = {
    {"model", CLI_TEXT, CLI_REQUIRED, "model to attack: svm, logistic, linear, ...",
     .value = "NAME", .example = "svm"},
    {"method", CLI_TEXT, CLI_REQUIRED, "method: output, objective, gd, sgd, ...",
     .value = "NAME", .example = "output"},
    {"epsilon", CLI_NUMBER, CLI_REQUIRED, "claimed epsilon, above 0", .value = "E",
     .example = "6", .range = CLI_POSITIVE},
    {"delta", CLI_NUMBER, CLI_OPTIONAL, "delta of the claim; without it, a pure claim",
     .value = "D", .example = "1e-5", .range = CLI_POSITIVE},
    {"adjacency", CLI_CHOICE, CLI_OPTIONAL, "definition of neighbours", .value = "NAME",
     .fallback = "add-remove", .choices = cli_adjacency_choice},
    {"transcript", CLI_FLAG, CLI_OPTIONAL,
     "attack every released step, not only the result", .value = NULL},
    {"runs", CLI_COUNT, CLI_OPTIONAL,
     "trainings with the record, and the same number without; half choose the threshold",
     .value = "N", .example = "20000", .fallback = "20000",
     .count_max = SOTTO_AUDIT_RUNS_MAX},
    {"alpha", CLI_NUMBER, CLI_OPTIONAL, "probability of a false alarm, below 1",
     .value = "A", .example = "0.01", .fallback = "0.01", .range = CLI_POSITIVE},
    {"threads", CLI_COUNT, CLI_OPTIONAL, "number of threads (default: all)", .value = "N",
     .example = "2", .count_max = 1024},
    {"output", CLI_FILE, CLI_OPTIONAL, "also write the JSON object to a file",
     .value = "FILE", .example = "audit.json", .letter = 'o',
     .output = SOTTO_OUTPUT_DATA},
    {"svg", CLI_FILE, CLI_OPTIONAL, "also plot the attack and the claim", .value = "FILE",
     .example = "attack.svg", .output = SOTTO_OUTPUT_SVG},
    {"insecure-test-seed", CLI_COUNT, CLI_OPTIONAL, "seed of the noise, for tests",
     .value = "N", .example = "7", .count_max = UINT64_MAX},
    {0},
};

static sotto_status read_config(const cli_call *call, sotto_audit_config *out,
                                sotto_error *error)
{
    *out = sotto_audit_defaults();
    out->epsilon = cli_number(call, "epsilon");
    out->delta = cli_number(call, "delta");
    out->transcript = cli_flag(call, "transcript");
    out->runs = cli_count(call, "runs");
    out->alpha = cli_number(call, "alpha");
    out->threads = (size_t)cli_count(call, "threads");
    out->insecure_test = cli_given(call, "insecure-test-seed");
    out->test_seed = cli_count(call, "insecure-test-seed");
    cli_watch(&out->progress, &out->progress_context);
    sotto_status status =
        sotto_model_kind_from_name(cli_text(call, "model"), &out->model, error);
    if (status == SOTTO_OK)
        status = sotto_method_from_name(cli_text(call, "method"), &out->method, error);
    out->adjacency = cli_adjacency(call);
    return status;
}

static const char *route_of(const sotto_audit_summary *found)
{
    switch (found->route) {
    case SOTTO_AUDIT_BY_MU:
        return "mu";
    case SOTTO_AUDIT_BY_NOISE:
        return "noise";
    case SOTTO_AUDIT_AS_GAUSSIAN:
        return "as-gaussian";
    case SOTTO_AUDIT_BY_RATES:
        break;
    }
    return "rates";
}

static const char *explain_route(const sotto_audit_summary *found)
{
    switch (found->route) {
    case SOTTO_AUDIT_BY_MU:
        return "along the claim's curve of Gaussian DP";
    case SOTTO_AUDIT_BY_NOISE:
        return "as the claim's plan with less noise";
    case SOTTO_AUDIT_AS_GAUSSIAN:
        return "as a Gaussian release of that mu, a different mechanism: for comparison";
    case SOTTO_AUDIT_BY_RATES:
        break;
    }
    return "by the rates themselves";
}

static void show_text(const sotto_audit_config *config, const sotto_audit *audit)
{
    const sotto_audit_summary *found = sotto_audit_found(audit);
    char a[CLI_NUMBER_BYTES], b[CLI_NUMBER_BYTES];
    cli_line("claim", "epsilon %s at delta %s, %s", cli_rounded_up(found->epsilon, 6, a),
             cli_shortest(found->delta, b), sotto_adjacency_name(found->adjacency));
    if (!isnan(found->mu))
        cli_line("Gaussian DP", "mu %s", cli_rounded_up(found->mu, 5, a));
    cli_line("pair", "%s", sotto_audit_pair(audit));
    /* A seed can be chosen that finds nothing, so the reader must know. */
    cli_line("runs", "%" PRIu64 " in each world, half of them for the threshold%s",
             found->runs, config->insecure_test ? "; noise of a test seed" : "");
    cli_line("accused",
             "%" PRIu64 " of %" PRIu64 " with the record, %" PRIu64 " of %" PRIu64
             " without",
             found->counts.true_positives, found->counts.members,
             found->counts.false_positives, found->counts.others);
    cli_line("by rates", "epsilon at least %s",
             cli_rounded_down(found->bounds.epsilon_lower, 4, a));
    cli_line("mu", "at least %s", cli_rounded_down(found->bounds.mu_lower, 4, a));
    cli_line("epsilon", "%s%s, %s",
             found->route == SOTTO_AUDIT_AS_GAUSSIAN ? "" : "at least ",
             cli_rounded_down(found->epsilon_lower, 4, a), explain_route(found));
    if (!isnan(found->loss_most)) {
        cli_line("exact loss", "%s at most, over all runs",
                 cli_rounded_up(found->loss_most, 4, a));
        cli_line("exact delta", "at least %s, observed %s",
                 cli_rounded_down(found->delta_lower, 3, a),
                 cli_rounded_up(found->delta_seen, 3, b));
    }
    if (sotto_audit_short_of(audit) != NULL)
        cli_line("gap", "%s", sotto_audit_short_of(audit));
    (void)printf("\n%s\n", sotto_audit_sentence(audit));
}

static void add_members(sotto_json_writer *json, const sotto_audit_config *config,
                        const sotto_audit *audit)
{
    const sotto_audit_summary *found = sotto_audit_found(audit);
    sotto_json_text(json, "model", sotto_model_kind_name(config->model));
    sotto_json_text(json, "method", sotto_method_name(config->method));
    sotto_json_text(json, "adjacency", sotto_adjacency_name(found->adjacency));
    sotto_json_number(json, "epsilon", found->epsilon);
    sotto_json_number(json, "delta", found->delta);
    sotto_json_number(json, "mu", found->mu);
    sotto_json_count(json, "runs", found->runs);
    sotto_json_number(json, "alpha", found->alpha);
    sotto_json_number(json, "threshold", found->threshold);
    sotto_json_count(json, "true_positives", found->counts.true_positives);
    sotto_json_count(json, "members", found->counts.members);
    sotto_json_count(json, "false_positives", found->counts.false_positives);
    sotto_json_count(json, "others", found->counts.others);
    sotto_json_number(json, "true_positive_rate_lower",
                      found->bounds.true_positive_rate_lower);
    sotto_json_number(json, "false_positive_rate_upper",
                      found->bounds.false_positive_rate_upper);
    sotto_json_number(json, "epsilon_lower_by_rates", found->bounds.epsilon_lower);
    sotto_json_number(json, "mu_lower", found->bounds.mu_lower);
    sotto_json_text(json, "route", route_of(found));
    sotto_json_number(json, "epsilon_lower", found->epsilon_lower);
    sotto_json_number(json, "false_negative_rate_upper",
                      found->verdict.false_negative_rate_upper);
    sotto_json_number(json, "false_negative_rate_promised", found->verdict.promised);
    sotto_json_number(json, "loss_most", found->loss_most);
    sotto_json_number(json, "delta_seen", found->delta_seen);
    sotto_json_number(json, "delta_lower", found->delta_lower);
    sotto_json_flag(json, "insecure_test_seed", config->insecure_test);
    sotto_json_flag(json, "refuted", found->refuted);
    sotto_json_text(json, "pair", sotto_audit_pair(audit));
    sotto_json_text(json, "short_of", sotto_audit_short_of(audit));
    sotto_json_text(json, "verdict", sotto_audit_sentence(audit));
}

static sotto_status write_json(const cli_call *call, const sotto_audit_config *config,
                               const sotto_audit *audit, sotto_error *error)
{
    const char *text = NULL;
    sotto_json_writer *json = sotto_json_new();
    sotto_json_indent(json);
    add_members(json, config, audit);
    sotto_status status = sotto_json_finish(json, &text, error);
    if (status == SOTTO_OK) status = cli_write_file(call, "output", text, error);
    sotto_json_writer_free(json);
    return status;
}

static sotto_status draw(const cli_call *call, const sotto_audit *audit,
                         sotto_error *error)
{
    char *svg = NULL;
    if (!cli_given(call, "svg")) return SOTTO_OK;
    sotto_status status = sotto_audit_to_svg(audit, &svg, error);
    if (status == SOTTO_OK) status = cli_write_file(call, "svg", svg, error);
    sotto_free(svg);
    return status;
}

static sotto_status run(const cli_call *call, sotto_error *error)
{
    sotto_audit_config config;
    sotto_audit *audit = NULL;
    sotto_status status = read_config(call, &config, error);
    if (status == SOTTO_OK) status = sotto_audit_learner(&config, &audit, error);
    if (status == SOTTO_OK) status = draw(call, audit, error);
    if (status == SOTTO_OK && cli_given(call, "output"))
        status = write_json(call, &config, audit, error);
    if (status == SOTTO_OK && cli_flag(call, "json")) {
        sotto_json_writer *json = sotto_json_new();
        add_members(json, &config, audit);
        status = cli_json_print(json, error);
    } else if (status == SOTTO_OK) {
        show_text(&config, audit);
    }
    if (status == SOTTO_OK && sotto_audit_found(audit)->refuted)
        status = cli_fail(error, SOTTO_VERIFICATION, "the claim is refuted");
    sotto_audit_free(audit);
    return status;
}

const cli_command audit_learner = {
    .name = "learner",
    .summary = "Train a learner on its worst pair of neighbours, and distinguish them",
    .details =
        "No data is read: the rows are crafted, and the noise is fresh. Exit code 1\n"
        "when the claim is refuted.",
    .options = options,
    .example = "sotto audit learner --model svm --method output --epsilon 6 --delta 1e-5 "
               "--runs 2000",
    .run = run,
};
