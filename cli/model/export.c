/* sotto export: a model as a C header. */
#include <stdio.h>

#include <sotto/model.h>

#include "commands.h"
#include "frame/input.h"
#include "frame/output.h"
#include "model/model_files.h"

static const cli_option options[] = {
    {"model", CLI_FILE, CLI_OPERAND, "a model file, as sotto train writes it",
     .value = "MODEL", .example = "model.json"},
    {"c", CLI_FLAG, CLI_OPTIONAL, "write a C header, whole and without dependencies",
     .value = NULL},
    {"name", CLI_TEXT, CLI_OPTIONAL, "prefix of its functions and types", .value = "NAME",
     .example = "smoker", .fallback = "model"},
    {"output", CLI_FILE, CLI_OPTIONAL, "write to a file in place of standard output",
     .value = "FILE", .example = "model.h", .letter = 'o', .output = SOTTO_OUTPUT_C},
    {0},
};

static sotto_status show(const cli_call *call, const char *header, sotto_error *error)
{
    if (cli_given(call, "output")) {
        const sotto_status status = cli_write_file(call, "output", header, error);
        if (status != SOTTO_OK || !cli_flag(call, "json")) return status;
    }
    if (cli_flag(call, "json")) {
        sotto_json_writer *json = sotto_json_new();
        sotto_json_text(json, "language", "c");
        sotto_json_text(json, "name", cli_text(call, "name"));
        sotto_json_text(json, "header", header);
        return cli_json_print(json, error);
    }
    (void)fputs(header, stdout);
    return SOTTO_OK;
}

static sotto_status run(const cli_call *call, sotto_error *error)
{
    sotto_model *model = NULL;
    char *header = NULL;
    if (!cli_flag(call, "c")) {
        return cli_fail(error, SOTTO_INVALID_ARGUMENT,
                        "--c is missing: the output format; give --c for a C header");
    }
    sotto_status status = cli_load_model(call, &model, error);
    if (status == SOTTO_OK)
        status = sotto_model_export_c(model, cli_text(call, "name"), &header, error);
    if (status == SOTTO_OK) status = show(call, header, error);
    sotto_free(header);
    sotto_model_free(model);
    return status;
}

const cli_command cli_export = {
    .name = "export",
    .summary = "Write a model as a C header",
    .details =
        "The header predicts like sotto predict; docs/reference/model.md has an example.",
    .options = options,
    .example = "sotto export examples/model.json --c --name smoker",
    .run = run,
};
