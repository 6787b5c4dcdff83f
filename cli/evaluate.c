/* sotto evaluate: how well a model does on rows whose labels are known. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <sotto/model.h>
#include <sotto/release.h>

#include "commands.h"
#include "model_files.h"
#include "output.h"

static const char *adjacency_choice(size_t index)
{
    const char *name = sotto_adjacency_name((sotto_adjacency)(index + 1));
    return strcmp(name, "unknown") == 0 ? NULL : name;
}

static const cli_option options[] = {
    {"model", CLI_FILE, CLI_OPERAND, "a model file, as sotto train writes it",
     .value = "MODEL", .example = "model.json"},
    {"data", CLI_FILE, CLI_OPERAND,
     "rows of the model's schema, with the target; - is standard input", .value = "DATA",
     .example = "rows.csv"},
    {"data-is-public", CLI_FLAG, CLI_OPTIONAL,
     "the rows hold no secret: print exact scores, free of charge", .value = NULL},
    {"epsilon", CLI_NUMBER, CLI_OPTIONAL,
     "the rows are private: pay this much for a noisy accuracy", .value = "E",
     .example = "1", .range = CLI_POSITIVE},
    {"threshold", CLI_NUMBER, CLI_OPTIONAL,
     "least probability of the second class to say it, from 0 to 1", .value = "T",
     .example = "0.5", .fallback = "0.5", .range = CLI_NOT_NEGATIVE},
    {0},
};

/* Of a paid evaluation. */
static const cli_option paid_options[] = {
    {"delta", CLI_NUMBER, CLI_OPTIONAL,
     "delta of the guarantee; without it the release is pure", .value = "D",
     .example = "1e-6", .range = CLI_BELOW_ONE},
    {"adjacency", CLI_CHOICE, CLI_OPTIONAL, "what one row means", .value = "NAME",
     .fallback = "add-remove", .choices = adjacency_choice},
    {"public-n", CLI_COUNT, CLI_OPTIONAL,
     "declare the number of rows public, with replace-one; must match", .value = "N",
     .example = "1000", .count_max = UINT64_C(1) << 32},
    {"confidence", CLI_NUMBER, CLI_OPTIONAL, "of the interval", .value = "C",
     .example = "0.95", .fallback = "0.95", .range = CLI_RATE},
    {"ledger", CLI_FILE, CLI_OPTIONAL, "budget of the model's data set, to be charged",
     .value = "FILE", .example = "budget.ledger"},
    {"output", CLI_FILE, CLI_OPTIONAL, "write the JSON file with its certificate",
     .value = "FILE", .example = "accuracy.json", .letter = 'o'},
    {"insecure-test-seed", CLI_COUNT, CLI_OPTIONAL,
     "repeatable noise, for tests: the certificate says NOT PRIVATE", .value = "N",
     .example = "7", .count_max = UINT64_MAX},
    {0},
};

static const cli_option *const shared[] = {paid_options, NULL};

/* --- public rows --- */

static json_t *confusion_json(const sotto_evaluation *evaluation)
{
    json_t *rows = json_array();
    for (size_t i = 0; rows != NULL && i < 2; i++) {
        json_t *row = json_pack("[I, I]", (json_int_t)evaluation->confusion[i][0],
                                (json_int_t)evaluation->confusion[i][1]);
        if (row == NULL || json_array_append_new(rows, row) != 0) {
            json_decref(rows);
            return NULL;
        }
    }
    return rows;
}

static sotto_status show_json(const sotto_model *model,
                              const sotto_evaluation *evaluation, double threshold,
                              sotto_error *error)
{
    cli_json json = cli_json_new();
    cli_json_count(&json, "rows", evaluation->rows);
    cli_json_number(&json, "accuracy", evaluation->accuracy);
    if (isfinite(evaluation->log_loss)) /* JSON has no infinity */
        cli_json_number(&json, "log_loss", evaluation->log_loss);
    cli_json_number(&json, "auc", evaluation->auc);
    cli_json_number(&json, "brier", evaluation->brier);
    cli_json_number(&json, "threshold", threshold);
    cli_json_add(
        &json, "classes",
        json_pack("[s, s]", sotto_model_class(model, 0), sotto_model_class(model, 1)));
    cli_json_add(&json, "confusion", confusion_json(evaluation));
    return cli_json_print(&json, error);
}

static void show_text(const sotto_model *model, const sotto_evaluation *evaluation)
{
    cli_line("rows", "%llu", (unsigned long long)evaluation->rows);
    cli_line("accuracy", "%.6g", evaluation->accuracy);
    cli_line("log loss", "%.6g", evaluation->log_loss);
    if (isnan(evaluation->auc)) {
        cli_line("auc", "none: the rows are all of one class");
    } else {
        cli_line("auc", "%.6g", evaluation->auc);
    }
    cli_line("brier", "%.6g", evaluation->brier);
    for (size_t i = 0; i < 2; i++) {
        cli_line(
            i == 0 ? "confusion" : "", "%s: %llu predicted %s, %llu predicted %s",
            sotto_model_class(model, i), (unsigned long long)evaluation->confusion[i][0],
            sotto_model_class(model, 0), (unsigned long long)evaluation->confusion[i][1],
            sotto_model_class(model, 1));
    }
}

static sotto_status evaluate_public(const cli_call *call, const sotto_model *model,
                                    sotto_error *error)
{
    const double threshold = cli_number(call, "threshold");
    sotto_evaluation evaluation;
    const sotto_status status = sotto_model_evaluate_file(model, cli_data_path(call),
                                                          threshold, &evaluation, error);
    if (status != SOTTO_OK) return status;
    if (cli_flag(call, "json")) return show_json(model, &evaluation, threshold, error);
    show_text(model, &evaluation);
    return SOTTO_OK;
}

/* --- private rows --- */

/* A model file does not say where the budget is kept: whoever evaluates must. */
static sotto_status check_ledger(const cli_call *call, const sotto_model *model,
                                 sotto_error *error)
{
    const char *dataset = sotto_schema_dataset(sotto_model_schema(model));
    if (dataset == NULL || cli_given(call, "ledger")) return SOTTO_OK;
    return cli_fail(
        error, SOTTO_INVALID_ARGUMENT,
        "the rows of the data set '%.60s' have a budget; say where it is kept "
        "with --ledger",
        dataset);
}

static void print_release(const cli_call *call, const sotto_release_result *result)
{
    if (cli_flag(call, "json")) {
        (void)fputs(sotto_release_json(result), stdout);
        return;
    }
    (void)fputs(sotto_release_text(result), stdout);
    if (!cli_given(call, "output")) /* otherwise the file has it */
        (void)fputs(sotto_release_certificate(result), stderr);
}

static sotto_status evaluate_paid(const cli_call *call, const sotto_model *model,
                                  sotto_error *error)
{
    sotto_release_config config = sotto_release_defaults();
    sotto_release_result *result = NULL;
    config.statistic = SOTTO_RELEASE_ACCURACY;
    config.model = model;
    config.threshold = cli_number(call, "threshold");
    config.epsilon = cli_number(call, "epsilon");
    config.delta = cli_number(call, "delta");
    config.public_n = cli_count(call, "public-n");
    config.confidence = cli_number(call, "confidence");
    config.ledger = cli_text(call, "ledger");
    config.output = cli_text(call, "output");
    config.insecure_test = cli_given(call, "insecure-test-seed");
    config.test_seed = cli_count(call, "insecure-test-seed");
    sotto_status status =
        sotto_adjacency_from_name(cli_text(call, "adjacency"), &config.adjacency, error);
    if (status == SOTTO_OK) status = check_ledger(call, model, error);
    if (status == SOTTO_OK) status = cli_spare_inputs(call, error);
    if (status == SOTTO_OK)
        status = sotto_release_run(&config, sotto_model_schema(model),
                                   cli_data_path(call), &result, error);
    if (status == SOTTO_OK) print_release(call, result);
    sotto_release_free(result);
    return status;
}

/* --- which of the two --- */

/* One of the two was meant; settings of the other mean that the wrong one was said. */
static sotto_status check_way(const cli_call *call, sotto_error *error)
{
    static const char *const paid[] = {
        "epsilon", "delta",  "adjacency",          "public-n",
        "ledger",  "output", "insecure-test-seed", "confidence"};
    const bool is_public = cli_flag(call, "data-is-public");
    if (!is_public && !cli_given(call, "epsilon")) {
        return cli_fail(
            error, SOTTO_INVALID_ARGUMENT,
            "exact scores tell about the rows they are computed from; if these are "
            "public, say so with --data-is-public, if not, pay for a noisy accuracy with "
            "--epsilon");
    }
    for (size_t i = 0; is_public && i < sizeof paid / sizeof paid[0]; i++) {
        if (!cli_given(call, paid[i])) continue;
        return cli_fail(error, SOTTO_INVALID_ARGUMENT,
                        "--data-is-public prints exact scores; leave it out, or --%s",
                        paid[i]);
    }
    return SOTTO_OK;
}

static sotto_status run(const cli_call *call, sotto_error *error)
{
    sotto_model *model = NULL;
    sotto_status status = check_way(call, error);
    if (status == SOTTO_OK) status = cli_load_model(call, &model, error);
    if (status == SOTTO_OK) {
        status = cli_flag(call, "data-is-public") ? evaluate_public(call, model, error)
                                                  : evaluate_paid(call, model, error);
    }
    sotto_model_free(model);
    return status;
}

const cli_command cli_evaluate = {
    .name = "evaluate",
    .summary = "Score a model on rows whose labels are known",
    .details =
        "Public rows: exact scores. Private rows: one noisy accuracy, charged to the\n"
        "ledger first, with its certificate.",
    .options = options,
    .shared = shared,
    .example = "sotto evaluate examples/model.json examples/survey.csv --data-is-public",
    .run = run,
};
