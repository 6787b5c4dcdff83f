/* sotto schema: draft one from a public file, check one, draw rows from one. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <sotto/owner.h>
#include <sotto/schema.h>
#include <sotto/schema_tools.h>

#include "commands.h"
#include "data/data_file.h"
#include "frame/input.h"
#include "frame/output.h"

/* ---- draft ---- */

static const cli_option draft_options[] = {
    {"from-public", CLI_FILE, CLI_OPTIONAL,
     "a PUBLIC file: CSV, TSV or LIBSVM, plain or gzip; its bounds become public",
     .value = "FILE", .example = "sample.csv"},
    {"header-only", CLI_FILE, CLI_OPTIONAL,
     "a CSV or TSV file; only its first line, the names of its columns, is read",
     .value = "FILE", .example = "patients.csv"},
    {"target", CLI_TEXT, CLI_OPTIONAL, "column to predict", .value = "COLUMN",
     .example = "smokes"},
    {"dataset", CLI_TEXT, CLI_OPTIONAL, "id of the data set, for its ledger",
     .value = "ID", .example = "survey-2026"},
    {"leave-out", CLI_TEXT, CLI_OPTIONAL, "columns to ignore", .value = "NAMES",
     .example = "name,address"},
    {"number", CLI_TEXT, CLI_OPTIONAL, "columns of numbers", .value = "NAMES",
     .example = "dose,weight"},
    {"integer", CLI_TEXT, CLI_OPTIONAL, "columns of whole numbers", .value = "NAMES",
     .example = "age,visits"},
    {"boolean", CLI_TEXT, CLI_OPTIONAL, "columns of yes and no", .value = "NAMES",
     .example = "smokes"},
    {"category", CLI_TEXT, CLI_OPTIONAL, "columns of categories", .value = "NAMES",
     .example = "town"},
    {"id", CLI_TEXT, CLI_OPTIONAL, "columns of ids", .value = "NAMES",
     .example = "person"},
    {"other", CLI_FLAG, CLI_OPTIONAL,
     "add one value to each category, for values missing in the sample", .value = NULL},
    {"output", CLI_FILE, CLI_OPTIONAL, "file for the schema", .value = "FILE",
     .example = "schema.json", .letter = 'o', .output = SOTTO_OUTPUT_SCHEMA},
    {0},
};

static sotto_status draft_json(const char *json, const char *notes, sotto_error *error)
{
    sotto_json_writer *answer = sotto_json_new();
    sotto_json_embed(answer, "schema", json);
    sotto_json_text(answer, "notes", notes);
    return cli_json_print(answer, error);
}

static sotto_status run_draft(const cli_call *call, sotto_error *error)
{
    char *json = NULL;
    char *notes = NULL;
    sotto_draft_config config = sotto_draft_defaults();
    config.header_only = cli_given(call, "header-only");
    if (config.header_only == cli_given(call, "from-public")) {
        return cli_fail(error, SOTTO_INVALID_ARGUMENT,
                        "%s; give one of them, for example --header-only patients.csv",
                        config.header_only
                            ? "--from-public and --header-only are both given"
                            : "neither --from-public nor --header-only is given");
    }
    config.path = cli_text(call, config.header_only ? "header-only" : "from-public");
    config.target = cli_text(call, "target");
    config.dataset = cli_text(call, "dataset");
    config.leave_out = cli_text(call, "leave-out");
    config.numbers = cli_text(call, "number");
    config.integers = cli_text(call, "integer");
    config.booleans = cli_text(call, "boolean");
    config.categories = cli_text(call, "category");
    config.ids = cli_text(call, "id");
    config.other_value = cli_flag(call, "other");
    sotto_status status = sotto_schema_draft(&config, &json, &notes, error);
    if (status == SOTTO_OK && cli_given(call, "output"))
        status = cli_write_file(call, "output", json, error);
    if (status == SOTTO_OK) (void)fputs(notes, stderr);
    if (status == SOTTO_OK && cli_flag(call, "json")) {
        status = draft_json(json, notes, error);
    } else if (status == SOTTO_OK && !cli_given(call, "output")) {
        (void)fputs(json, stdout);
    }
    sotto_free(json);
    sotto_free(notes);
    return status;
}

static const cli_command draft = {
    .name = "draft",
    .summary = "Draft a schema from a public file",
    .details =
        "Names, types, bounds and categories of the draft are read from the file, and\n"
        "a schema is public. Draft from a public file, or one made up; never from the\n"
        "private data: a bound taken from the largest value publishes the largest\n"
        "value. Read the draft, and replace its bounds by public knowledge.\n"
        "Without a public file, --header-only takes the names of the columns\n"
        "from the first line of the private one; bounds and categories are then null,\n"
        "and no command takes the schema before they are filled in. NAMES are columns\n"
        "with commas between them. The schema goes to standard output, notes to\n"
        "standard error.",
    .options = draft_options,
    .example = "sotto schema draft --from-public examples/survey.csv --target smokes "
               "2> notes.txt",
    .run = run_draft,
};

/* ---- check ---- */

static const cli_option check_options[] = {
    {"schema", CLI_FILE, CLI_OPERAND, "schema file", .value = "SCHEMA",
     .example = "schema.json"},
    {"data", CLI_FILE, CLI_OPTIONAL_OPERAND,
     "data file whose header is compared; its rows are read only with --owner",
     .value = "DATA", .example = "data.csv"},
    {"target", CLI_TEXT, CLI_OPTIONAL, "column to predict, in place of the schema's",
     .value = "COLUMN", .example = "smokes"},
    {"owner", CLI_FLAG, CLI_OPTIONAL,
     "NOT PRIVATE: read the rows and count exactly, for the owner of the data only",
     .value = NULL},
    {"key", CLI_FILE, CLI_OPTIONAL,
     "--owner: curator's secret key, if the schema's ledger names the public key",
     .value = "FILE", .example = "curator.key"},
    {0},
};

static bool ends_with(const char *text, const char *end)
{
    const size_t length = text == NULL ? 0 : strlen(text);
    return length >= strlen(end) && strcasecmp(text + length - strlen(end), end) == 0;
}

/* Exact counts go to the owner's eyes: the warning comes first, on both streams. */
static sotto_status check_rows(const cli_call *call, const sotto_schema *schema,
                               const sotto_data_file *file, sotto_error *error)
{
    char *json = NULL;
    char *text = NULL;
    const sotto_status status =
        sotto_owner_check_rows(schema, file, cli_text(call, "target"),
                               cli_text(call, "key"), &json, &text, error);
    if (status == SOTTO_OK) {
        (void)fputs(
            "NOT PRIVATE: exact counts of private rows, for the owner of the data "
            "only; do not share, publish or keep them\n",
            stderr);
        (void)fputs(cli_flag(call, "json") ? json : text, stdout);
    }
    sotto_free(json);
    sotto_free(text);
    return status;
}

static sotto_status check_owner(const cli_call *call, sotto_error *error)
{
    if (cli_flag(call, "owner") && !cli_given(call, "data")) {
        return cli_fail(error, SOTTO_INVALID_ARGUMENT,
                        "--owner counts rows, and DATA is missing; give it, for example "
                        "sotto schema check %.90s data.csv --owner",
                        cli_text(call, "schema"));
    }
    if (!cli_flag(call, "owner") && cli_given(call, "key")) {
        return cli_fail(error, SOTTO_INVALID_ARGUMENT,
                        "--key is for --owner; leave it out, or add --owner");
    }
    return SOTTO_OK;
}

static sotto_status run_check(const cli_call *call, sotto_error *error)
{
    sotto_schema *schema = NULL;
    char *json = NULL;
    char *text = NULL;
    if (ends_with(cli_text(call, "data"), ".json") &&
        !ends_with(cli_text(call, "schema"), ".json")) {
        return cli_fail(error, SOTTO_INVALID_ARGUMENT,
                        "the schema comes first: sotto schema check %.90s %.90s",
                        cli_text(call, "data"), cli_text(call, "schema"));
    }
    sotto_status status = check_owner(call, error);
    if (status == SOTTO_OK)
        status = sotto_schema_load(cli_text(call, "schema"), &schema, error);
    const sotto_data_file file = cli_data_file(call, cli_text(call, "data"));
    if (status == SOTTO_OK && cli_flag(call, "owner")) {
        status = check_rows(call, schema, &file, error);
        sotto_schema_free(schema);
        return status;
    }
    if (status == SOTTO_OK && cli_given(call, "data"))
        status = sotto_schema_check_data(schema, &file, error);
    if (status == SOTTO_OK)
        status =
            sotto_schema_describe(schema, cli_text(call, "target"), &json, &text, error);
    if (status == SOTTO_OK) {
        (void)fputs(cli_flag(call, "json") ? json : text, stdout);
        if (cli_given(call, "data"))
            (void)fprintf(stderr, "the header of %s fits the schema\n",
                          cli_text(call, "data"));
    }
    sotto_free(json);
    sotto_free(text);
    sotto_schema_free(schema);
    return status;
}

static const cli_option *const check_shared[] = {cli_data_options, NULL};

static const cli_command check = {
    .name = "check",
    .summary = "Check a schema and show the features of the learner",
    .details =
        "Features, dimension, norm bound, labels, where bounds come from, and\n"
        "warnings. Only the header of DATA is read. With --owner the rows are read,\n"
        "and cells that the schema changes are counted: defaults, values\n"
        "outside the bounds, labels outside the set, rows over the unit's cap. These\n"
        "counts are exact. They are for the owner of the data, and no privacy\n"
        "guarantee covers them; nothing is written or charged.",
    .options = check_options,
    .shared = check_shared,
    .example = "sotto schema check examples/fair.schema.json",
    .run = run_check,
};

/* ---- sample ---- */

static const cli_option sample_options[] = {
    {"schema", CLI_FILE, CLI_OPERAND, "schema file", .value = "SCHEMA",
     .example = "schema.json"},
    {"rows", CLI_COUNT, CLI_REQUIRED, "number of rows", .value = "N", .example = "1000",
     .count_max = UINT64_C(1) << 32},
    {"seed", CLI_COUNT, CLI_OPTIONAL,
     "seed of the rows: the same seed gives the same rows", .value = "N", .fallback = "1",
     .count_max = UINT64_MAX},
    {"output", CLI_FILE, CLI_OPTIONAL,
     "file for the rows; a name that ends in .tsv gets tabs", .value = "FILE",
     .example = "sample.csv", .letter = 'o', .output = SOTTO_OUTPUT_DATA},
    {0},
};

static int put(const char *text, size_t size_bytes, void *context)
{
    FILE *file = context;
    return fwrite(text, 1, size_bytes, file) == size_bytes ? 0 : 1;
}

static sotto_status sample_to_file(const cli_call *call, const sotto_schema *schema,
                                   const sotto_sample_config *config, sotto_error *error)
{
    cli_stream rows;
    sotto_status status = cli_open_stream(call, "output", &rows, error);
    if (status != SOTTO_OK) return status;
    status = sotto_schema_sample(schema, config, put, rows.file, error);
    return cli_close_stream(&rows, status, error);
}

static sotto_status sample_to_memory(const sotto_schema *schema,
                                     const sotto_sample_config *config, char **out_text,
                                     sotto_error *error)
{
    size_t size_bytes = 0;
    FILE *memory = open_memstream(out_text, &size_bytes);
    if (memory == NULL)
        return cli_fail(error, SOTTO_OUT_OF_MEMORY, "out of memory for the rows");
    sotto_status status = sotto_schema_sample(schema, config, put, memory, error);
    const bool failed = ferror(memory) != 0;
    if (fclose(memory) != 0 || failed)
        status = cli_fail(error, SOTTO_OUT_OF_MEMORY, "out of memory for the rows");
    return status;
}

/* The rows themselves are in the answer when they have no file. */
static sotto_status sample_json(const cli_call *call, const sotto_schema *schema,
                                const sotto_sample_config *config, sotto_error *error)
{
    const char *path = cli_text(call, "output");
    char *text = NULL;
    sotto_status status = path != NULL ? sample_to_file(call, schema, config, error)
                                       : sample_to_memory(schema, config, &text, error);
    if (status == SOTTO_OK) {
        sotto_json_writer *json = sotto_json_new();
        sotto_json_text(json, "format",
                        sotto_schema_is_matrix(schema) ? "libsvm"
                        : config->tabs                 ? "tsv"
                                                       : "csv");
        sotto_json_count(json, "rows", config->rows);
        sotto_json_count(json, "seed", config->seed);
        sotto_json_text(json, "output", path);
        sotto_json_text(json, "text", text);
        status = cli_json_print(json, error);
    }
    free(text);
    return status;
}

static sotto_status run_sample(const cli_call *call, sotto_error *error)
{
    const char *path = cli_text(call, "output");
    sotto_schema *schema = NULL;
    sotto_sample_config config = sotto_sample_defaults();
    config.rows = cli_count(call, "rows");
    config.seed = cli_count(call, "seed");
    config.tabs = ends_with(path, ".tsv");
    sotto_status status = sotto_schema_load(cli_text(call, "schema"), &schema, error);
    if (status != SOTTO_OK) return status;
    if (cli_flag(call, "json")) {
        status = sample_json(call, schema, &config, error);
    } else if (path != NULL) {
        status = sample_to_file(call, schema, &config, error);
    } else {
        status = sotto_schema_sample(schema, &config, put, stdout, error);
        /* The frame reports a standard output that could not be written. */
        if (status == SOTTO_INTERRUPTED && ferror(stdout)) status = SOTTO_OK;
    }
    sotto_schema_free(schema);
    return status;
}

static const cli_command sample = {
    .name = "sample",
    .summary = "Sample synthetic rows from a schema, for a simulation",
    .details =
        "The rows come only from the schema and reveal nothing about the data. Numbers\n"
        "are uniform within their bounds, and categories are equally frequent. A label\n"
        "of two classes depends on the features, so that a model can learn it. CSV, or "
        "LIBSVM\n"
        "for a matrix.",
    .options = sample_options,
    .example = "sotto schema sample examples/fair.schema.json --rows 5",
    .run = run_sample,
};

static const cli_command *const commands[] = {&draft, &check, &sample, NULL};

const cli_command cli_schema = {
    .name = "schema",
    .summary = "Draft, check or simulate the public description of the data",
    .commands = commands,
    .example = "sotto schema check examples/fair.schema.json",
};
