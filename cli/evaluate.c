/* sotto evaluate: how well a model does on rows whose labels are known. */
#include <math.h>
#include <stdio.h>

#include <sotto/model.h>

#include "commands.h"
#include "model_files.h"
#include "output.h"

static const cli_option options[] = {
    {"model", CLI_FILE, CLI_OPERAND, "a model file, as sotto train writes it",
     .value = "MODEL", .example = "model.json"},
    {"data", CLI_FILE, CLI_OPERAND,
     "rows of the model's schema, with the target; - is standard input", .value = "DATA",
     .example = "rows.csv"},
    {"data-is-public", CLI_FLAG, CLI_OPTIONAL,
     "the rows hold no secret: print exact scores, free of charge", .value = NULL},
    {"threshold", CLI_NUMBER, CLI_OPTIONAL,
     "least probability of the second class to say it, from 0 to 1", .value = "T",
     .example = "0.5", .fallback = "0.5", .range = CLI_NOT_NEGATIVE},
    {0},
};

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

static sotto_status run(const cli_call *call, sotto_error *error)
{
    sotto_model *model = NULL;
    if (!cli_flag(call, "data-is-public")) {
        return cli_fail(
            error, SOTTO_INVALID_ARGUMENT,
            "exact scores tell about the rows they are computed from; if these are "
            "public, say so with --data-is-public");
    }
    sotto_status status = cli_load_model(call, &model, error);
    if (status == SOTTO_OK) status = evaluate_public(call, model, error);
    sotto_model_free(model);
    return status;
}

const cli_command cli_evaluate = {
    .name = "evaluate",
    .summary = "Score a model on rows whose labels are known",
    .options = options,
    .example = "sotto evaluate examples/model.json examples/survey.csv --data-is-public",
    .run = run,
};
