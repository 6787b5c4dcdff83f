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
    {"sql", CLI_FLAG, CLI_OPTIONAL,
     "write an SQL expression for SQLite, PostgreSQL and DuckDB (linear and additive "
     "models)",
     .value = NULL},
    {"name", CLI_TEXT, CLI_OPTIONAL, "with --c: prefix of its functions and types",
     .value = "NAME", .example = "smoker", .fallback = "model"},
    {"table", CLI_TEXT, CLI_OPTIONAL,
     "with --sql: name or alias of the table, before each column", .value = "NAME",
     .example = "visits"},
    {"output", CLI_FILE, CLI_OPTIONAL, "write to a file in place of standard output",
     .value = "FILE", .example = "model.h", .letter = 'o', .output = SOTTO_OUTPUT_C},
    {0},
};

/* The formats: a flag, the member of the JSON answer, an option that belongs to it. */
typedef struct format {
    const char *flag, *member, *option;
    sotto_status (*write)(const sotto_model *model, const char *option, char **out_text,
                          sotto_error *error);
} format;

static const format formats[] = {
    {"c", "header", "name", sotto_model_export_c},
    {"sql", "expression", "table", sotto_model_export_sql},
};
enum { FORMATS = sizeof formats / sizeof formats[0] };

static sotto_status show(const cli_call *call, const format *form, const char *text,
                         sotto_error *error)
{
    if (cli_given(call, "output")) {
        const sotto_status status = cli_write_file(call, "output", text, error);
        if (status != SOTTO_OK || !cli_flag(call, "json")) return status;
    }
    if (cli_flag(call, "json")) {
        sotto_json_writer *json = sotto_json_new();
        sotto_json_text(json, "language", form->flag);
        if (cli_text(call, form->option) != NULL)
            sotto_json_text(json, form->option, cli_text(call, form->option));
        sotto_json_text(json, form->member, text);
        return cli_json_print(json, error);
    }
    (void)fputs(text, stdout);
    return SOTTO_OK;
}

/* Finds the one format that was asked for, and refuses options of another. */
static sotto_status choose(const cli_call *call, const format **out_form,
                           sotto_error *error)
{
    const format *chosen = NULL;
    for (size_t i = 0; i < FORMATS; i++) {
        if (!cli_flag(call, formats[i].flag)) continue;
        if (chosen != NULL)
            return cli_fail(error, SOTTO_INVALID_ARGUMENT,
                            "--%s and --%s exclude each other; give one output format",
                            chosen->flag, formats[i].flag);
        chosen = &formats[i];
    }
    if (chosen == NULL)
        return cli_fail(error, SOTTO_INVALID_ARGUMENT,
                        "--c is missing: the output format; give --c for a C header, or "
                        "--sql for an SQL expression");
    for (size_t i = 0; i < FORMATS; i++) {
        const char *option = formats[i].option;
        if (&formats[i] == chosen || !cli_given(call, option)) continue;
        return cli_fail(error, SOTTO_INVALID_ARGUMENT,
                        "--%s belongs to --%s, and the output format is --%s; leave it "
                        "out",
                        option, formats[i].flag, chosen->flag);
    }
    *out_form = chosen;
    return SOTTO_OK;
}

static sotto_status run(const cli_call *call, sotto_error *error)
{
    const format *form = NULL;
    sotto_model *model = NULL;
    char *text = NULL;
    sotto_status status = choose(call, &form, error);
    if (status == SOTTO_OK) status = cli_load_model(call, &model, error);
    if (status == SOTTO_OK)
        status = form->write(model, cli_text(call, form->option), &text, error);
    if (status == SOTTO_OK) status = show(call, form, text, error);
    sotto_free(text);
    sotto_model_free(model);
    return status;
}

const cli_command cli_export = {
    .name = "export",
    .summary = "Write a model as a C header or an SQL expression",
    .details = "Both predict like sotto predict; docs/reference/model.md has examples.",
    .options = options,
    .example = "sotto export examples/model.json --c --name smoker",
    .run = run,
};
