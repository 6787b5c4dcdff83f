/* sotto pate label: labels of public rows by the noisy vote of teachers. Fills a config, makes one call, prints. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <sotto/pate.h>

#include "data/data_file.h"
#include "frame/choice.h"
#include "frame/input.h"
#include "frame/output.h"
#include "ledger/paid.h"
#include "pate/pate.h"
#include "sign.h"
#include "train/training.h"

static const char *aggregator_choice(size_t index)
{
    return index < SOTTO_PATE_MODE
               ? sotto_pate_aggregator_name((sotto_pate_aggregator)(index + 1))
               : NULL;
}

CLI_WORDS(unit_choice, "record", "teacher")

static const cli_option options[] = {
    {"teachers", CLI_FILE, CLI_OPTIONAL_OPERAND,
     "directory of sotto pate teach; left out with --votes", .value = "DIR",
     .example = "teachers"},
    {"rows", CLI_FILE, CLI_OPTIONAL_OPERAND,
     "PUBLIC rows of the same schema; the target may be missing", .value = "ROWS",
     .example = "public.csv"},
    {"aggregator", CLI_CHOICE, CLI_REQUIRED, "aggregator of the votes", .value = "NAME",
     .example = "confident", .choices = aggregator_choice},
    {"ask", CLI_COUNT, CLI_REQUIRED, "largest number of queries: the first N rows",
     .value = "N", .example = "2000", .count_max = UINT64_C(1) << 32},
    {"epsilon", CLI_NUMBER, CLI_OPTIONAL,
     "privacy loss of all labels; sets the number of answers", .value = "E",
     .example = "4", .range = CLI_POSITIVE},
    {"delta", CLI_NUMBER, CLI_REQUIRED, "delta of the guarantee", .value = "D",
     .example = "1e-5", .range = CLI_BELOW_ONE},
    {"output", CLI_FILE, CLI_REQUIRED, "file for the labels with their certificate",
     .value = "FILE", .example = "labels.json", .letter = 'o',
     .output = SOTTO_OUTPUT_CERTIFIED},
    {"answers", CLI_COUNT, CLI_OPTIONAL, "largest number of answers", .value = "N",
     .example = "600", .count_max = UINT64_C(1) << 32},
    {"skip", CLI_COUNT, CLI_OPTIONAL, "number of rows before the first query",
     .value = "N", .example = "1000", .count_max = UINT64_C(1) << 32},
    {"sigma2", CLI_NUMBER, CLI_OPTIONAL,
     "gnmax, confident, interactive: noise on the votes", .value = "S", .example = "40",
     .range = CLI_POSITIVE},
    {"sigma1", CLI_NUMBER, CLI_OPTIONAL,
     "confident, interactive: noise of the test, which every query pays", .value = "S",
     .example = "150", .range = CLI_POSITIVE},
    {"threshold", CLI_NUMBER, CLI_OPTIONAL,
     "confident, interactive: votes that pass the test", .value = "T", .example = "200"},
    {"confidence", CLI_NUMBER, CLI_OPTIONAL,
     "interactive: confidence of the student above which its label is reinforced",
     .value = "P", .example = "0.9", .range = CLI_RATE},
    {"scale", CLI_NUMBER, CLI_OPTIONAL, "lnmax: scale of Laplace noise on the votes",
     .value = "B", .example = "20", .range = CLI_POSITIVE},
    {"query-epsilon", CLI_NUMBER, CLI_OPTIONAL, "mode: epsilon of one query",
     .value = "E", .example = "0.5", .range = CLI_POSITIVE, .setting = "epsilon_each"},
    {"query-delta", CLI_NUMBER, CLI_OPTIONAL, "mode: delta of one query", .value = "D",
     .example = "1e-8", .range = CLI_BELOW_ONE, .setting = "delta_each"},
    {"agreement", CLI_NUMBER, CLI_OPTIONAL,
     "also release the agreement of the teachers, under noise of S votes a query",
     .value = "S", .example = "5", .range = CLI_POSITIVE},
    {"agreement-bins", CLI_COUNT, CLI_OPTIONAL,
     "--agreement: parts of the number of teachers (default: by its noise)", .value = "N",
     .example = "10", .count_max = SOTTO_PATE_AGREEMENT_BINS_MAX},
    {"student", CLI_FILE, CLI_OPTIONAL,
     "interactive: model whose probabilities the votes are compared with",
     .value = "FILE", .example = "student.json"},
    {"votes", CLI_FILE, CLI_OPTIONAL,
     "CSV of teachers trained elsewhere: a row for each query, a column for each class "
     "with its count",
     .value = "FILE", .example = "votes.csv"},
    {"vote-labels", CLI_COUNT, CLI_OPTIONAL,
     "--votes has labels of N teachers: columns teacher_1, teacher_2, ...", .value = "N",
     .example = "250", .count_max = 65536},
    {"schema", CLI_FILE, CLI_OPTIONAL,
     "--votes: schema of the classes; it names data set and ledger", .value = "FILE",
     .example = "survey.schema.json"},
    {"adjacency", CLI_CHOICE, CLI_OPTIONAL,
     "with --votes: definition of neighbours; a directory states its own",
     .value = "NAME", .example = "add-remove", .choices = cli_adjacency_choice},
    {"unit", CLI_CHOICE, CLI_OPTIONAL, "--votes: protected unit", .value = "NAME",
     .fallback = "record", .choices = unit_choice},
    {"touched", CLI_COUNT, CLI_OPTIONAL,
     "--votes: number of teachers that one unit may touch", .value = "K", .example = "1",
     .count_max = 1 << 20},
    {"ensemble", CLI_COUNT, CLI_OPTIONAL,
     "--votes, interactive or --agreement: number of teachers", .value = "N",
     .example = "250", .count_max = 1 << 24},
    {"ledger", CLI_FILE, CLI_OPTIONAL, "budget to charge (default: the schema's)",
     .value = "FILE", .example = "budget.ledger"},
    {"csv", CLI_FILE, CLI_OPTIONAL, "also write row,label as a table", .value = "FILE",
     .example = "labels.csv", .output = SOTTO_OUTPUT_DATA},
    {"svg", CLI_FILE, CLI_OPTIONAL, "also write epsilon after each query, as SVG",
     .value = "FILE", .example = "labels.svg", .output = SOTTO_OUTPUT_SVG, .old = "plot"},
    {"show-sensitive-data-dependent-epsilon", CLI_FLAG, CLI_OPTIONAL,
     "print it on standard error: as secret as the rows, and never a guarantee",
     .value = NULL},
    {"threads", CLI_COUNT, CLI_OPTIONAL, "number of threads", .value = "N",
     .example = "2", .count_max = 1024},
    {"insecure-test-seed", CLI_COUNT, CLI_OPTIONAL,
     "seed of the noise, for tests: the certificate says NOT PRIVATE", .value = "N",
     .example = "7", .count_max = UINT64_MAX},
    {0},
};

/* --- settings --- */

static sotto_status read_vote(const cli_call *call, sotto_pate_config *vote,
                              sotto_error *error)
{
    *vote = sotto_pate_defaults();
    sotto_status status = SOTTO_OK;
    vote->aggregator = (sotto_pate_aggregator)(1 + cli_choice(call, "aggregator"));
    const bool laplace = vote->aggregator == SOTTO_PATE_LNMAX;
    if (cli_given(call, laplace ? "sigma2" : "scale"))
        status = cli_fail(error, SOTTO_INVALID_ARGUMENT,
                          "--%s is not for the aggregator %s; give --%s",
                          laplace ? "sigma2" : "scale", cli_text(call, "aggregator"),
                          laplace ? "scale" : "sigma2");
    vote->noise = cli_number(call, laplace ? "scale" : "sigma2");
    vote->test_noise = cli_number(call, "sigma1");
    vote->threshold = cli_number(call, "threshold");
    vote->confidence = cli_number(call, "confidence");
    vote->epsilon = cli_number(call, "query-epsilon");
    vote->delta = cli_number(call, "query-delta");
    return status;
}

/* Reads the facts that a directory has and a table of votes lacks. */
static sotto_status read_table(const cli_call *call, sotto_pate_label_config *config,
                               sotto_error *error)
{
    static const char *const of_votes[] = {"schema",  "adjacency",   "unit",
                                           "touched", "vote-labels", "ensemble"};
    if (!cli_given(call, "votes")) {
        for (size_t i = 0; i < sizeof of_votes / sizeof of_votes[0]; i++) {
            if (!cli_given(call, of_votes[i])) continue;
            return cli_fail(error, SOTTO_INVALID_ARGUMENT,
                            "--%s is for --votes; the directory of teachers has its own; "
                            "leave --%s out",
                            of_votes[i], of_votes[i]);
        }
        return SOTTO_OK;
    }
    if (!cli_given(call, "schema") || !cli_given(call, "adjacency") ||
        !cli_given(call, "touched")) {
        return cli_fail(
            error, SOTTO_INVALID_ARGUMENT,
            "--votes needs --schema, --adjacency and --touched: only the teachers' owner "
            "knows the number of votes that one unit changes; for example --touched 1");
    }
    config->votes = cli_text(call, "votes");
    config->vote_labels = cli_given(call, "vote-labels");
    config->vote.teachers =
        cli_count(call, config->vote_labels ? "vote-labels" : "ensemble");
    config->vote.touched = cli_count(call, "touched");
    config->vote.unit = strcmp(cli_text(call, "unit"), "teacher") == 0
                            ? SOTTO_PATE_TEACHERS
                            : SOTTO_PATE_RECORDS;
    config->vote.adjacency = cli_adjacency(call);
    return SOTTO_OK;
}

/* With --votes a single operand is the rows. */
static sotto_status read_operands(const cli_call *call, sotto_pate_label_config *config,
                                  const char **out_rows, sotto_error *error)
{
    const char *first = cli_text(call, "teachers");
    const char *second = cli_text(call, "rows");
    const bool table = cli_given(call, "votes");
    if (table ? second != NULL : second == NULL) {
        return cli_fail(error, SOTTO_INVALID_ARGUMENT,
                        table ? "--votes replaces DIR; give only ROWS"
                              : "DIR or ROWS is missing: teachers and public rows; for "
                                "example sotto pate label teachers public.csv");
    }
    *out_rows = table ? first : second;
    config->directory = table ? NULL : first;
    return SOTTO_OK;
}

static sotto_status read_config(const cli_call *call, sotto_pate_label_config *config,
                                const char **out_rows, sotto_error *error)
{
    *config = sotto_pate_label_defaults();
    sotto_status status = read_vote(call, &config->vote, error);
    if (status == SOTTO_OK) status = read_table(call, config, error);
    if (status == SOTTO_OK) status = read_operands(call, config, out_rows, error);
    config->ask = cli_count(call, "ask");
    config->skip = cli_count(call, "skip");
    config->answers = cli_count(call, "answers");
    config->agreement.noise = cli_number(call, "agreement");
    config->agreement.bins = cli_count(call, "agreement-bins");
    if (status == SOTTO_OK && cli_given(call, "agreement-bins") &&
        !cli_given(call, "agreement"))
        status =
            cli_fail(error, SOTTO_INVALID_ARGUMENT,
                     "--agreement-bins needs --agreement; for example --agreement 20");
    config->epsilon = cli_number(call, "epsilon");
    config->delta = cli_number(call, "delta");
    config->student = cli_text(call, "student");
    config->ledger = cli_text(call, "ledger");
    config->output = cli_text(call, "output");
    config->again = cli_flag(call, "again");
    config->overwrite = cli_flag(call, "overwrite");
    config->sign = cli_text(call, "sign");
    config->show_sensitive = cli_flag(call, "show-sensitive-data-dependent-epsilon");
    config->insecure_test = cli_given(call, "insecure-test-seed");
    config->test_seed = cli_count(call, "insecure-test-seed");
    config->threads = cli_count(call, "threads");
    return status;
}

/* --- output --- */

/* A cell of CSV. */
static void print_cell(FILE *stream, const char *text)
{
    const char *quote = strpbrk(text, ",\"\r\n") != NULL ? "\"" : "";
    (void)fputs(quote, stream);
    for (const char *letter = text; *letter != '\0'; letter++)
        (void)fprintf(stream, "%s%c", *letter == '"' ? "\"" : "", *letter);
    (void)fputs(quote, stream);
}

static sotto_status write_csv(const cli_call *call, const sotto_pate_result *result,
                              sotto_error *error)
{
    cli_stream csv;
    if (cli_text(call, "csv") == NULL) return SOTTO_OK;
    const sotto_status status = cli_open_stream(call, "csv", &csv, error);
    if (status != SOTTO_OK) return status;
    const char *text = sotto_pate_json(result);
    sotto_json *file = NULL;
    const sotto_status read = sotto_json_parse(NULL, text, strlen(text), &file, error);
    const sotto_json_value *rows = sotto_json_member(sotto_json_root(file), "rows");
    const sotto_json_value *labels = sotto_json_member(sotto_json_root(file), "labels");
    (void)fputs("row,label\n", csv.file);
    for (size_t i = 0; i < sotto_json_size(rows); i++) {
        (void)fprintf(csv.file, "%.0f,", sotto_json_as_number(sotto_json_item(rows, i)));
        print_cell(csv.file, sotto_json_as_text(sotto_json_item(labels, i)));
        (void)fputs("\n", csv.file);
    }
    sotto_json_free(file);
    return cli_close_stream(&csv, read, error);
}

static sotto_status write_plot(const cli_call *call, const sotto_pate_result *result,
                               sotto_error *error)
{
    char *svg = NULL;
    if (cli_text(call, "svg") == NULL) return SOTTO_OK;
    sotto_status status = sotto_pate_plot(result, &svg, error);
    if (status == SOTTO_OK) status = cli_write_file(call, "svg", svg, error);
    sotto_free(svg);
    return status;
}

static void add_list(sotto_json_writer *json, const char *key, const double *values,
                     size_t count)
{
    sotto_json_array(json, key);
    for (size_t i = 0; i < count; i++)
        sotto_json_number(json, NULL, values[i]);
    sotto_json_end(json);
}

static void add_agreement(sotto_json_writer *json, const sotto_pate_result *result)
{
    sotto_pate_agreement agreement;
    if (!sotto_pate_agreed(result, &agreement)) return;
    sotto_json_object(json, "agreement");
    sotto_json_number(json, "mean", agreement.mean);
    sotto_json_number(json, "mean_deviation", agreement.mean_deviation);
    add_list(json, "at", agreement.at, agreement.count);
    add_list(json, "shares", agreement.share, agreement.count);
    add_list(json, "deviations", agreement.deviation, agreement.count);
    sotto_json_end(json);
}

static sotto_status print_json(const cli_call *call, const sotto_pate_result *result,
                               sotto_error *error)
{
    static const char *const kept[] = {
        "aggregator", "epsilon",     "delta",          "adjacency", "unit",
        "teachers",   "ask_at_most", "answer_at_most", "asked",     "answered"};
    sotto_json_writer *json = sotto_json_new();
    sotto_json *file =
        cli_json_keep(json, sotto_pate_json(result), kept, sizeof kept / sizeof kept[0]);
    sotto_json_number(json, "realised_epsilon", sotto_pate_realised_epsilon(result));
    add_agreement(json, result);
    sotto_json_text(json, "certificate", cli_certificate_text(file, "hash"));
    sotto_json_text(json, "output", cli_text(call, "output"));
    sotto_json_free(file);
    return cli_json_print(json, error);
}

static void warn_sensitive(const sotto_pate_result *result)
{
    const double epsilon = sotto_pate_sensitive_epsilon(result);
    if (isnan(epsilon)) return;
    (void)fprintf(stderr,
                  "SENSITIVE, never publish: the data-dependent epsilon is %.6g. It is a "
                  "function of the votes and reveals them; it is not the guarantee.\n",
                  epsilon);
}

static sotto_status run(const cli_call *call, sotto_error *error)
{
    sotto_pate_label_config config;
    sotto_schema *schema = NULL;
    sotto_pate_result *result = NULL;
    const char *rows = NULL;
    sotto_status status = read_config(call, &config, &rows, error);
    if (status == SOTTO_OK && cli_given(call, "schema"))
        status = sotto_schema_load(cli_text(call, "schema"), &schema, error);
    const sotto_data_file file = cli_data_file(call, rows);
    if (status == SOTTO_OK)
        status = sotto_pate_label_rows(&config, schema, rows == NULL ? NULL : &file,
                                       &result, error);
    if (status == SOTTO_OK) status = write_csv(call, result, error);
    if (status == SOTTO_OK) status = write_plot(call, result, error);
    if (status == SOTTO_OK) warn_sensitive(result);
    if (status == SOTTO_OK && cli_flag(call, "json"))
        status = print_json(call, result, error);
    else if (status == SOTTO_OK)
        (void)fputs(sotto_pate_text(result), stdout);
    sotto_pate_free(result);
    sotto_schema_free(schema);
    return status;
}

static const cli_option *const shared[] = {cli_rows_options, cli_sign_option,
                                           cli_again_option, NULL};

const cli_command pate_label = {
    .name = "label",
    .summary = "Label public rows by the noisy vote of teachers, with a certificate",
    .details =
        "The plan, caps on queries asked and answered, is charged before a vote "
        "is\ncounted, and it is the guarantee. The agreement of the teachers is secret, "
        "unless\n--agreement pays for it: the same price as one test with --sigma1 S.",
    .options = options,
    .shared = shared,
    .example = "sotto pate label --votes examples/votes.csv --schema "
               "examples/clinic.schema.json --adjacency add-remove --touched 1 "
               "--aggregator confident --sigma1 20 --sigma2 10 --threshold 35 --ask 200 "
               "--epsilon 8 --delta 1e-5 -o labels.json",
    .run = run,
};
