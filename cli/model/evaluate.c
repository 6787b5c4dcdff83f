/* sotto evaluate: how well a model does on rows whose labels are known. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <sotto/model.h>
#include <sotto/release.h>

#include "commands.h"
#include "data/data_file.h"
#include "frame/choice.h"
#include "frame/output.h"
#include "ledger/paid.h"
#include "model/model_files.h"
#include "model/threshold.h"
#include "sign.h"

CLI_WORDS(score_choice, "all", "accuracy")

static const cli_option options[] = {
    {"model", CLI_FILE, CLI_OPERAND, "a model file, as sotto train writes it",
     .value = "MODEL", .example = "model.json"},
    {"data", CLI_FILE, CLI_OPERAND,
     "rows of the model's schema, with the target; - is standard input", .value = "DATA",
     .example = "rows.csv"},
    {"data-is-public", CLI_FLAG, CLI_OPTIONAL,
     "declare the rows public: print exact scores, free of charge", .value = NULL},
    {"epsilon", CLI_NUMBER, CLI_OPTIONAL, "epsilon of noisy scores of private rows",
     .value = "E", .example = "1", .range = CLI_POSITIVE},
    {0},
};

/* For a paid evaluation. */
static const cli_option paid_options[] = {
    {"score", CLI_CHOICE, CLI_OPTIONAL,
     "noisy scores: all, or only a sharper accuracy (default: all, if the model gives "
     "two "
     "classes a probability)",
     .value = "NAME", .example = "accuracy", .choices = score_choice},
    {"delta", CLI_NUMBER, CLI_OPTIONAL,
     "delta of the guarantee; without it the release is pure", .value = "D",
     .example = "1e-6", .range = CLI_BELOW_ONE},
    {"adjacency", CLI_CHOICE, CLI_OPTIONAL, "definition of neighbours", .value = "NAME",
     .fallback = "add-remove", .choices = cli_adjacency_choice},
    {"public-n", CLI_COUNT, CLI_OPTIONAL,
     "declare the number of rows public, with replace-one; must match", .value = "N",
     .example = "1000", .count_max = UINT64_C(1) << 32},
    {"confidence", CLI_NUMBER, CLI_OPTIONAL, "confidence of the interval", .value = "C",
     .example = "0.95", .fallback = "0.95", .range = CLI_RATE},
    {"ledger", CLI_FILE, CLI_OPTIONAL, "budget of the model's data set, to charge",
     .value = "FILE", .example = "budget.ledger"},
    {"output", CLI_FILE, CLI_OPTIONAL, "file for the result with its certificate",
     .value = "FILE", .example = "accuracy.json", .letter = 'o',
     .output = SOTTO_OUTPUT_CERTIFIED},
    {"insecure-test-seed", CLI_COUNT, CLI_OPTIONAL,
     "seed of the noise, for tests: the certificate says NOT PRIVATE", .value = "N",
     .example = "7", .count_max = UINT64_MAX},
    {0},
};

static const cli_option *const shared[] = {cli_threshold_options,
                                           cli_data_options,
                                           cli_stored_option,
                                           paid_options,
                                           cli_sign_option,
                                           cli_again_option,
                                           NULL};

/* --- public rows --- */

enum { CONFUSION_SHOWN = 20 }; /* classes; JSON has them all */

static void add_classes(sotto_json_writer *json, const sotto_model *model,
                        const sotto_evaluation *evaluation)
{
    const size_t classes = evaluation->classes;
    sotto_json_array(json, "classes");
    for (size_t i = 0; i < sotto_model_classes(model); i++)
        sotto_json_text(json, NULL, sotto_model_class(model, i));
    sotto_json_end(json);
    sotto_json_array(json, "confusion");
    for (size_t i = 0; i < classes; i++) {
        sotto_json_array(json, NULL);
        for (size_t k = 0; k < classes; k++)
            sotto_json_count(json, NULL, evaluation->confusion[i * classes + k]);
        sotto_json_end(json);
    }
    sotto_json_end(json);
}

/* JSON has no infinity and no NaN. */
static void add_finite(sotto_json_writer *json, const char *key, double value)
{
    if (isfinite(value)) sotto_json_number(json, key, value);
}

static sotto_status show_json(const sotto_model *model,
                              const sotto_evaluation *evaluation, double threshold,
                              sotto_error *error)
{
    const bool probabilities =
        sotto_model_predicts(model) == SOTTO_PREDICTS_PROBABILITIES;
    sotto_json_writer *json = sotto_json_new();
    sotto_json_count(json, "rows", evaluation->rows);
    if (evaluation->classes == 0) {
        add_finite(json, "mse", evaluation->mse);
        add_finite(json, "mae", evaluation->mae);
        add_finite(json, "r2", evaluation->r2);
        add_finite(json, "deviance", evaluation->deviance);
        return cli_json_print(json, error);
    }
    sotto_json_number(json, "accuracy", evaluation->accuracy);
    sotto_json_number(json, "balanced_accuracy", evaluation->balanced_accuracy);
    sotto_json_number(json, "majority", evaluation->majority);
    add_finite(json, "log_loss", evaluation->log_loss);
    if (evaluation->classes == 2) sotto_json_number(json, "auc", evaluation->auc);
    add_finite(json, "brier", evaluation->brier);
    if (evaluation->classes == 2 && probabilities)
        sotto_json_number(json, "threshold", threshold);
    add_classes(json, model, evaluation);
    return cli_json_print(json, error);
}

static void show_numbers(const sotto_evaluation *evaluation)
{
    cli_line("mse", "%.6g", evaluation->mse);
    cli_line("rmse", "%.6g", sqrt(evaluation->mse));
    cli_line("mae", "%.6g", evaluation->mae);
    if (isnan(evaluation->r2)) {
        cli_line("r2", "none: the true numbers are all equal");
    } else {
        cli_line("r2", "%.6g", evaluation->r2);
    }
    if (!isnan(evaluation->deviance))
        cli_line("deviance", "%.6g (Poisson)", evaluation->deviance);
}

static void show_two(const sotto_model *model, const sotto_evaluation *evaluation)
{
    for (size_t i = 0; i < 2; i++) {
        cli_line(i == 0 ? "confusion" : "", "%s: %llu predicted %s, %llu predicted %s",
                 sotto_model_class(model, i),
                 (unsigned long long)evaluation->confusion[2 * i],
                 sotto_model_class(model, 0),
                 (unsigned long long)evaluation->confusion[2 * i + 1],
                 sotto_model_class(model, 1));
    }
}

/* A line a true class: how many were predicted as each, in the order of the classes. */
static void show_many(const sotto_model *model, const sotto_evaluation *evaluation)
{
    const size_t classes = evaluation->classes;
    const size_t shown = classes < CONFUSION_SHOWN ? classes : CONFUSION_SHOWN;
    for (size_t i = 0; i < shown; i++) {
        char counts[24 * CONFUSION_SHOWN] = "";
        size_t used = 0;
        for (size_t k = 0; k < shown; k++)
            used += (size_t)snprintf(
                counts + used, sizeof counts - used, " %llu",
                (unsigned long long)evaluation->confusion[i * classes + k]);
        cli_line(i == 0 ? "confusion" : "", "%s:%s", sotto_model_class(model, i), counts);
    }
    if (shown < classes)
        cli_line("", "and %zu classes more: --json has them", classes - shown);
}

static void show_text(const sotto_model *model, const sotto_evaluation *evaluation)
{
    cli_line("rows", "%llu", (unsigned long long)evaluation->rows);
    if (evaluation->classes == 0) {
        show_numbers(evaluation);
        return;
    }
    cli_line("accuracy", "%.6g", evaluation->accuracy);
    cli_line("balanced acc.", "%.6g", evaluation->balanced_accuracy);
    if (!isnan(evaluation->log_loss)) cli_line("log loss", "%.6g", evaluation->log_loss);
    if (evaluation->classes == 2 && isnan(evaluation->auc)) {
        cli_line("auc", "none: the rows are all of one class");
    } else if (evaluation->classes == 2) {
        cli_line("auc", "%.6g", evaluation->auc);
    }
    if (!isnan(evaluation->brier)) cli_line("brier", "%.6g", evaluation->brier);
    if (evaluation->classes == 2) {
        show_two(model, evaluation);
    } else {
        show_many(model, evaluation);
    }
    if (evaluation->accuracy < evaluation->majority)
        cli_line(
            "note",
            "the accuracy is below %.6g, that of always predicting the most frequent "
            "class; compare auc and balanced accuracy",
            evaluation->majority);
}

static sotto_status evaluate_public(const cli_call *call, const sotto_model *model,
                                    double threshold, sotto_error *error)
{
    sotto_evaluation evaluation;
    const sotto_data_file file = cli_data_file(call, cli_text(call, "data"));
    const sotto_status status =
        sotto_model_evaluate_data(model, &file, threshold, &evaluation, error);
    if (status != SOTTO_OK) return status;
    sotto_status shown = SOTTO_OK;
    if (cli_flag(call, "json")) {
        shown = show_json(model, &evaluation, threshold, error);
    } else {
        show_text(model, &evaluation);
    }
    sotto_evaluation_clear(&evaluation);
    return shown;
}

/* --- private rows --- */

/* A model file does not have the ledger's path: the caller must give it. */
static sotto_status check_ledger(const cli_call *call, const sotto_model *model,
                                 sotto_error *error)
{
    const char *dataset = sotto_schema_dataset(sotto_model_schema(model));
    if (dataset == NULL || cli_given(call, "ledger")) return SOTTO_OK;
    return cli_fail(error, SOTTO_INVALID_ARGUMENT,
                    "--ledger is missing: the rows of the data set '%.60s' have a "
                    "budget; for example --ledger budget.ledger",
                    dataset);
}

/* All scores where there are any, unless the caller wants the accuracy. */
static sotto_statistic statistic_of(const cli_call *call, const sotto_model *model)
{
    const bool scored = sotto_model_predicts(model) == SOTTO_PREDICTS_PROBABILITIES &&
                        sotto_model_classes(model) == 2;
    const bool all =
        cli_given(call, "score") ? strcmp(cli_text(call, "score"), "all") == 0 : scored;
    return all ? SOTTO_RELEASE_SCORES : SOTTO_RELEASE_ACCURACY;
}

static sotto_status evaluate_paid(const cli_call *call, const sotto_model *model,
                                  double threshold, sotto_error *error)
{
    sotto_release_config config = sotto_release_defaults();
    const sotto_data_file file = cli_data_file(call, cli_text(call, "data"));
    sotto_release_result *result = NULL;
    config.statistic = statistic_of(call, model);
    config.model = model;
    config.threshold = threshold;
    config.epsilon = cli_number(call, "epsilon");
    config.delta = cli_number(call, "delta");
    config.public_n = cli_count(call, "public-n");
    config.confidence = cli_number(call, "confidence");
    config.ledger = cli_text(call, "ledger");
    config.output = cli_text(call, "output");
    config.again = cli_flag(call, "again");
    config.overwrite = cli_flag(call, "overwrite");
    config.sign = cli_text(call, "sign");
    config.insecure_test = cli_given(call, "insecure-test-seed");
    config.test_seed = cli_count(call, "insecure-test-seed");
    config.adjacency = cli_adjacency(call);
    sotto_status status = check_ledger(call, model, error);
    if (status == SOTTO_OK)
        status =
            sotto_release_data(&config, sotto_model_schema(model), &file, &result, error);
    return status == SOTTO_OK ? cli_print_release(call, result, error) : status;
}

/* --- which of the two --- */

/* One of the two was meant; settings of the other mean that the wrong one was said. */
static sotto_status check_way(const cli_call *call, sotto_error *error)
{
    static const char *const paid[] = {
        "epsilon",    "score",  "delta",  "adjacency",
        "public-n",   "ledger", "output", "insecure-test-seed",
        "confidence", "sign",   "again"};
    const bool is_public = cli_flag(call, "data-is-public");
    if (!is_public && !cli_given(call, "epsilon")) {
        return cli_fail(
            error, SOTTO_INVALID_ARGUMENT,
            "exact scores reveal information about the rows; release a noisy accuracy "
            "with "
            "--epsilon 0.5, or declare the rows public with --data-is-public");
    }
    for (size_t i = 0; is_public && i < sizeof paid / sizeof paid[0]; i++) {
        if (!cli_given(call, paid[i])) continue;
        return cli_fail(error, SOTTO_INVALID_ARGUMENT,
                        "--data-is-public prints exact scores and takes no --%s; leave "
                        "one of them out",
                        paid[i]);
    }
    return SOTTO_OK;
}

static sotto_status run(const cli_call *call, sotto_error *error)
{
    sotto_model *model = NULL;
    double threshold = 0.5;
    sotto_status status = check_way(call, error);
    if (status == SOTTO_OK) status = cli_decision_threshold(call, &threshold, error);
    if (status == SOTTO_OK) status = cli_load_model(call, &model, error);
    if (status == SOTTO_OK) {
        status = cli_flag(call, "data-is-public")
                     ? evaluate_public(call, model, threshold, error)
                     : evaluate_paid(call, model, threshold, error);
    }
    sotto_model_free(model);
    return status;
}

const cli_command cli_evaluate = {
    .name = "evaluate",
    .summary = "Score a model on rows whose labels are known",
    .details =
        "Public rows: exact scores. Private rows, for a model of classes: noisy scores,\n"
        "charged to the ledger first, with their certificate.",
    .options = options,
    .shared = shared,
    .example = "sotto evaluate examples/model.json examples/survey.csv --data-is-public",
    .run = run,
};
