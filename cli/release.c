/* sotto release: one private statistic of a table. Fills a config, makes one call, prints. */
#include <stdio.h>
#include <string.h>

#include <sotto/release.h>

#include "commands.h"
#include "data/data_file.h"
#include "frame/choice.h"
#include "frame/input.h"
#include "ledger/paid.h"
#include "sign.h"

/* --- the words --- */

CLI_WORDS(noise_choice, "laplace", "gaussian")

CLI_WORDS(choice_choice, "permute-and-flip", "exponential")

CLI_NAMES(score_choice, sotto_score, 0)

/* --- the table --- */

static const cli_option data_operand[] = {
    {"data", CLI_FILE, CLI_OPERAND,
     "CSV or TSV with a header, plain or gzip, a line a row; NPY; or SQLite",
     .value = "DATA", .example = "survey.csv"},
    {0},
};

static const cli_option column_operand[] = {
    {"column", CLI_TEXT, CLI_OPERAND, "column of the schema", .value = "COLUMN",
     .example = "age"},
    {0},
};

static const cli_option privacy_options[] = {
    {"schema", CLI_FILE, CLI_REQUIRED, "JSON file with types, bounds and categories",
     .value = "FILE", .example = "survey.schema.json"},
    {"epsilon", CLI_NUMBER, CLI_REQUIRED, "privacy loss of this release, above 0",
     .value = "E", .example = "1", .range = CLI_POSITIVE},
    {0},
};

static const cli_option noise_options[] = {
    {"delta", CLI_NUMBER, CLI_OPTIONAL,
     "delta of the guarantee; without it the release is pure", .value = "D",
     .example = "1e-6", .range = CLI_BELOW_ONE},
    {"mechanism", CLI_CHOICE, CLI_OPTIONAL,
     "noise mechanism (default: gaussian with a delta, else laplace)", .value = "NAME",
     .choices = noise_choice},
    {0},
};

static const cli_option rows_options[] = {
    {"adjacency", CLI_CHOICE, CLI_OPTIONAL, "definition of neighbours", .value = "NAME",
     .fallback = "add-remove", .choices = cli_adjacency_choice},
    {"public-n", CLI_COUNT, CLI_OPTIONAL,
     "declare the number of rows public, with replace-one; must match", .value = "N",
     .example = "1000", .count_max = UINT64_C(1) << 32},
    {0},
};

static const cli_option where_options[] = {
    {"where", CLI_TEXT, CLI_OPTIONAL,
     "read only rows for which the condition is true; repeatable, all must hold",
     .value = "CONDITION", .example = "age >= 18 AND town = 'Lund'", .repeated = true},
    {0},
};

static const cli_option output_options[] = {
    {"confidence", CLI_NUMBER, CLI_OPTIONAL,
     "confidence of the interval or accuracy statement", .value = "C", .example = "0.95",
     .fallback = "0.95", .range = CLI_RATE},
    {"ledger", CLI_FILE, CLI_OPTIONAL, "budget to charge (default: the schema's)",
     .value = "FILE", .example = "budget.ledger"},
    {"output", CLI_FILE, CLI_OPTIONAL, "file for the result with its certificate",
     .value = "FILE", .example = "count.json", .letter = 'o',
     .output = SOTTO_OUTPUT_CERTIFIED},
    {"threads", CLI_COUNT, CLI_OPTIONAL,
     "number of threads that read DATA (default: all); the result is the same for any",
     .value = "N", .example = "8", .count_max = 1024},
    {"insecure-test-seed", CLI_COUNT, CLI_OPTIONAL,
     "seed of the noise, for tests: the certificate says NOT PRIVATE", .value = "N",
     .example = "7", .count_max = UINT64_MAX},
    {0},
};

static const cli_option histogram_options[] = {
    {"bins", CLI_COUNT, CLI_OPTIONAL, "number of bins of equal width between the bounds",
     .value = "K", .example = "10", .count_max = 100000},
    {"edges", CLI_TEXT, CLI_OPTIONAL, "edges of the bins, ascending", .value = "LIST",
     .example = "0,18,65,110"},
    {0},
};

static const cli_option quantile_options[] = {
    {"quantile", CLI_NUMBER, CLI_OPTIONAL, "quantile to release, at most three decimals",
     .value = "Q", .example = "0.5", .fallback = "0.5", .range = CLI_RATE},
    {0},
};

static const cli_option rr_options[] = {
    {"data", CLI_FILE, CLI_OPERAND,
     "CSV or TSV file; with --estimate a file of answers that this command wrote",
     .value = "DATA", .example = "survey.csv"},
    {"column", CLI_TEXT, CLI_OPTIONAL_OPERAND, "category or boolean of the schema",
     .value = "COLUMN", .example = "smokes"},
    {"estimate", CLI_FLAG, CLI_OPTIONAL,
     "estimate the frequencies behind the answers in DATA; costs nothing", .value = NULL},
    {"schema", CLI_FILE, CLI_OPTIONAL, "JSON file with types, bounds and categories",
     .value = "FILE", .example = "survey.schema.json"},
    {"epsilon", CLI_NUMBER, CLI_OPTIONAL, "privacy loss of this release, above 0",
     .value = "E", .example = "1", .range = CLI_POSITIVE},
    {0},
};

static const cli_option choose_options[] = {
    {"data", CLI_FILE, CLI_OPERAND,
     "CSV or TSV file; with --score given lines of candidate,score", .value = "DATA",
     .example = "survey.csv"},
    {"column", CLI_TEXT, CLI_OPTIONAL_OPERAND, "column that the score is computed from",
     .value = "COLUMN", .example = "town"},
    {"epsilon", CLI_NUMBER, CLI_REQUIRED, "privacy loss of this release, above 0",
     .value = "E", .example = "1", .range = CLI_POSITIVE},
    {"schema", CLI_FILE, CLI_OPTIONAL, "JSON file with types, bounds and categories",
     .value = "FILE", .example = "survey.schema.json"},
    {"score", CLI_CHOICE, CLI_OPTIONAL, "score of a candidate", .value = "NAME",
     .fallback = "given", .choices = score_choice},
    {"candidates", CLI_TEXT, CLI_OPTIONAL, "revenue, quantile: public candidates",
     .value = "LIST", .example = "5,9.99,20"},
    {"quantile", CLI_NUMBER, CLI_OPTIONAL,
     "quantile: quantile to choose, at most three decimals", .value = "Q",
     .example = "0.5", .range = CLI_RATE},
    {"sensitivity", CLI_COUNT, CLI_OPTIONAL,
     "given: largest change of a score by one row", .value = "D", .example = "1",
     .count_max = UINT64_C(1) << 43},
    {"monotone", CLI_FLAG, CLI_OPTIONAL,
     "given: one row moves all scores in the same direction", .value = NULL},
    {"mechanism", CLI_CHOICE, CLI_OPTIONAL, "mechanism of the choice", .value = "NAME",
     .fallback = "permute-and-flip", .choices = choice_choice},
    {0},
};

/* --- from words to a config --- */

static const char *optional_text(const cli_call *call, const char *name)
{
    return cli_has(call, name) ? cli_text(call, name) : NULL;
}

static sotto_mechanism mechanism_of(const cli_call *call)
{
    const char *name = optional_text(call, "mechanism");
    if (name == NULL) return SOTTO_MECHANISM_UNSET;
    if (strcmp(name, "gaussian") == 0) return SOTTO_GAUSSIAN;
    if (strcmp(name, "laplace") == 0) return SOTTO_DISCRETE_LAPLACE;
    return strcmp(name, "exponential") == 0 ? SOTTO_EXPONENTIAL : SOTTO_PERMUTE_AND_FLIP;
}

static sotto_release_config make_config(const cli_call *call,
                                        const char *where[CLI_REPEATS_MAX + 2])
{
    sotto_release_config config = sotto_release_defaults();
    config.statistic = (sotto_statistic)call->command->subject;
    config.column = optional_text(call, "column");
    config.epsilon = cli_number(call, "epsilon");
    if (cli_has(call, "delta")) config.delta = cli_number(call, "delta");
    config.mechanism = mechanism_of(call);
    config.public_n = cli_count(call, "public-n");
    config.confidence = cli_number(call, "confidence");
    config.edges = optional_text(call, "edges");
    if (cli_has(call, "bins")) config.bins = cli_count(call, "bins");
    if (cli_has(call, "quantile")) config.quantile = cli_number(call, "quantile");
    config.candidates = optional_text(call, "candidates");
    if (cli_has(call, "sensitivity")) config.sensitivity = cli_count(call, "sensitivity");
    config.monotone = cli_has(call, "monotone") && cli_flag(call, "monotone");
    config.ledger = cli_text(call, "ledger");
    config.output = cli_text(call, "output");
    config.again = cli_flag(call, "again");
    config.overwrite = cli_flag(call, "overwrite");
    config.threads = (size_t)cli_count(call, "threads");
    config.sign = cli_text(call, "sign");
    config.insecure_test = cli_given(call, "insecure-test-seed");
    config.test_seed = cli_count(call, "insecure-test-seed");
    size_t conditions = 0;
    while (cli_has(call, "where") && conditions < CLI_REPEATS_MAX + 1 &&
           (where[conditions] = cli_text_at(call, "where", conditions)) != NULL) {
        conditions++;
    }
    where[conditions] = NULL;
    config.where = where;
    config.adjacency = cli_adjacency(call);
    if (cli_has(call, "score")) config.score = (sotto_score)cli_choice(call, "score");
    return config;
}

/* --- running --- */

static sotto_status release(const cli_call *call, sotto_error *error)
{
    const char *where[CLI_REPEATS_MAX + 2];
    const sotto_release_config config = make_config(call, where);
    sotto_data_file file = cli_data_file(call, cli_text(call, "data"));
    file.where = NULL; /* `config` has all of them */
    sotto_schema *schema = NULL;
    sotto_release_result *result = NULL;
    sotto_status status = SOTTO_OK;
    if (cli_text(call, "schema") != NULL)
        status = sotto_schema_load(cli_text(call, "schema"), &schema, error);
    if (status == SOTTO_OK)
        status = sotto_release_data(&config, schema, &file, &result, error);
    if (status == SOTTO_OK) status = cli_print_release(call, result, error);
    sotto_schema_free(schema);
    return status;
}

/* Answers that were paid for when they were made: of the settings, only the confidence matters. */
static sotto_status estimate(const cli_call *call, sotto_error *error)
{
    static const char *const excluded[] = {
        "column", "schema", "epsilon", "public-n",          "query", "table", "ledger",
        "output", "sign",   "again",   "insecure-test-seed"};
    for (size_t i = 0; i < sizeof excluded / sizeof excluded[0]; i++) {
        if (!cli_given(call, excluded[i])) continue;
        return cli_fail(
            error, SOTTO_INVALID_ARGUMENT,
            "--estimate reads answers that were already released; leave out the %s",
            excluded[i]);
    }
    sotto_release_result *result = NULL;
    const sotto_status status = sotto_release_estimate(
        cli_text(call, "data"), cli_number(call, "confidence"), &result, error);
    if (status == SOTTO_OK) {
        (void)fputs(cli_flag(call, "json") ? sotto_release_json(result)
                                           : sotto_release_text(result),
                    stdout);
    }
    sotto_release_free(result);
    return status;
}

static sotto_status run_rr(const cli_call *call, sotto_error *error)
{
    if (cli_flag(call, "estimate")) return estimate(call, error);
    return release(call, error);
}

/* --- the commands --- */

#define SURVEY "examples/survey.csv "
#define SCHEMA " --schema examples/survey.schema.json --epsilon 1 -o release.json"

/* The tables of a command, in the order of its help. */
#define TABLES(...)                                                                      \
    (const cli_option *const[])                                                          \
    {                                                                                    \
        __VA_ARGS__, NULL                                                                \
    }
#define OF_ROWS   rows_options, cli_table_options, cli_stored_option
#define OF_OUTPUT output_options, cli_sign_option, cli_again_option

static const cli_command count_command = {
    .name = "count",
    .summary = "Release the number of rows",
    .options = data_operand,
    .shared = TABLES(privacy_options, noise_options, OF_ROWS, where_options, OF_OUTPUT),
    .example = "sotto release count " SURVEY "--where smokes=true" SCHEMA,
    .run = release,
    .subject = SOTTO_RELEASE_COUNT,
};

static const cli_command sum_command = {
    .name = "sum",
    .summary = "Release the sum of a column",
    .options = data_operand,
    .shared = TABLES(column_operand, privacy_options, noise_options, OF_ROWS,
                     where_options, OF_OUTPUT),
    .example = "sotto release sum " SURVEY "visits" SCHEMA,
    .run = release,
    .subject = SOTTO_RELEASE_SUM,
};

static const cli_command mean_command = {
    .name = "mean",
    .summary = "Release the mean of a column",
    .options = data_operand,
    .shared = TABLES(column_operand, privacy_options, noise_options, OF_ROWS,
                     where_options, OF_OUTPUT),
    .example = "sotto release mean " SURVEY "age" SCHEMA " --delta 1e-6",
    .run = release,
    .subject = SOTTO_RELEASE_MEAN,
};

static const cli_command histogram_command = {
    .name = "histogram",
    .summary = "Release the number of rows in each category or bin",
    .options = data_operand,
    .shared = TABLES(column_operand, histogram_options, privacy_options, noise_options,
                     OF_ROWS, where_options, OF_OUTPUT),
    .example = "sotto release histogram " SURVEY "town" SCHEMA,
    .run = release,
    .subject = SOTTO_RELEASE_HISTOGRAM,
};

static const cli_command quantile_command = {
    .name = "quantile",
    .summary = "Release a quantile of a column, such as the median",
    .options = data_operand,
    .shared = TABLES(column_operand, quantile_options, privacy_options, OF_ROWS,
                     where_options, OF_OUTPUT),
    .example = "sotto release quantile " SURVEY "age --quantile 0.5" SCHEMA,
    .run = release,
    .subject = SOTTO_RELEASE_QUANTILE,
};

static const cli_command bounds_command = {
    .name = "bounds",
    .summary = "Release powers of two as bounds of a column, if no bounds are known",
    .options = data_operand,
    .shared = TABLES(column_operand, privacy_options, OF_ROWS, where_options, OF_OUTPUT),
    .example = "sotto release bounds " SURVEY "income" SCHEMA,
    .run = release,
    .subject = SOTTO_RELEASE_BOUNDS,
};

static const cli_command rr_command = {
    .name = "rr",
    .summary = "Release one randomised answer for each row, and an estimate",
    .details = "Every row gives an answer, so the number of rows is public: replace-one.",
    .options = rr_options,
    .shared = TABLES(OF_ROWS, OF_OUTPUT),
    .example = "sotto release rr " SURVEY "smokes --adjacency replace-one" SCHEMA,
    .run = run_rr,
    .subject = SOTTO_RELEASE_RESPONSES,
};

static const cli_command choose_command = {
    .name = "choose",
    .summary =
        "Release the best of public candidates: the most common value, the best price",
    .options = choose_options,
    .shared = TABLES(OF_ROWS, where_options, OF_OUTPUT),
    .example = "sotto release choose " SURVEY
               "offer --score revenue --candidates 4.99,9.99,14.99,19.99" SCHEMA,
    .run = release,
    .subject = SOTTO_RELEASE_CHOICE,
};

static const cli_command *const commands[] = {
    &count_command,     &sum_command,      &mean_command,
    &histogram_command, &quantile_command, &bounds_command,
    &choose_command,    &rr_command,       NULL};

const cli_command cli_release = {
    .name = "release",
    .summary =
        "Release one private statistic of a table, with its interval and its certificate",
    .details = "The plan is charged to the ledger before a row is read.",
    .commands = commands,
    .example = "sotto release mean " SURVEY "age" SCHEMA,
};
