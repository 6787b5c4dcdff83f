/* sotto train: a private model from a table. Fills a config, makes one call, prints. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <sotto/model.h>
#include <sotto/report.h>
#include <sotto/train.h>

#include "commands.h"
#include "data/data_file.h"
#include "frame/input.h"
#include "frame/output.h"
#include "frame/progress.h"
#include "ledger/paid.h"
#include "sign.h"
#include "train/training.h"

enum { RULE_BYTES = 512 };

static const cli_option options[] = {
    {"data", CLI_FILE, CLI_OPERAND,
     "CSV or TSV with a header, LIBSVM, NPY, IDX, CIFAR-10, plain or gzip; or SQLite",
     .value = "DATA", .example = "survey.csv"},
    {"schema", CLI_FILE, CLI_REQUIRED, "JSON file with types, bounds and categories",
     .value = "FILE", .example = "survey.schema.json"},
    {"model", CLI_CHOICE, CLI_REQUIRED, "model to train", .value = "NAME",
     .example = "logistic", .choices = cli_model_choice, .is_other = cli_is_network,
     .other = "FILE.json"},
    {"output", CLI_FILE, CLI_REQUIRED, "file for the model with its certificate",
     .value = "FILE", .example = "model.json", .letter = 'o',
     .output = SOTTO_OUTPUT_CERTIFIED},
    {"delta", CLI_NUMBER, CLI_OPTIONAL,
     "delta of the guarantee; without it only pure methods run", .value = "D",
     .example = "1e-6", .range = CLI_BELOW_ONE},
    {0},
};

const cli_option cli_train_options[] = {
    {"report", CLI_FILE, CLI_OPTIONAL, "also write an HTML report of the model",
     .value = "FILE", .example = "report.html", .output = SOTTO_OUTPUT_HTML},
    {"ledger", CLI_FILE, CLI_OPTIONAL, "budget to charge (default: the schema's)",
     .value = "FILE", .example = "budget.ledger"},
    {"data-is-public", CLI_FLAG, CLI_OPTIONAL,
     "declare the rows public; required with --method none or --sampler mala, refused "
     "otherwise",
     .value = NULL},
    {"insecure-test-seed", CLI_COUNT, CLI_OPTIONAL,
     "seed of the noise, for tests: the certificate says NOT PRIVATE", .value = "N",
     .example = "7", .count_max = UINT64_MAX},
    {0},
};

/* --- progress --- */

void cli_watch_training(sotto_train_config *config)
{
    cli_watch(&config->progress, &config->progress_context);
}

/* --- output --- */

static double seconds_now(void)
{
    struct timespec now = {0};
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Adds the error counts of laplace. */
static void add_errors(sotto_json_writer *json, const sotto_model *model)
{
    const double failure = 0.05;
    sotto_training_errors errors;
    if (sotto_model_training_errors(model, failure, &errors, NULL) != SOTTO_OK) return;
    sotto_json_object(json, "errors");
    sotto_json_count(json, "noisy", (uint64_t)errors.noisy);
    sotto_json_number(json, "scale", errors.scale);
    sotto_json_count(json, "upper", (uint64_t)errors.upper);
    sotto_json_number(json, "probability", 1.0 - failure);
    sotto_json_end(json);
}

/* The rule that was chosen, in words; of other models nothing. */
static void add_concept(sotto_json_writer *json, const sotto_train_result *result)
{
    char rule[RULE_BYTES];
    sotto_model *model = NULL;
    const char *text = sotto_train_json(result);
    if (sotto_model_parse("model", text, strlen(text), &model, NULL) != SOTTO_OK) return;
    if (sotto_model_concept(model, rule, sizeof rule)[0] != '\0') {
        sotto_json_text(json, "concept", rule);
        add_errors(json, model);
    }
    sotto_model_free(model);
}

/* The members that scripts rely on, from the file that was written; of the certificate its hash. */
sotto_status cli_train_print_json(const cli_call *call, const sotto_train_result *result,
                                  double seconds, sotto_error *error)
{
    static const char *const kept[] = {"model", "method",  "sampler", "heuristic",
                                       "draws", "epsilon", "delta",   "adjacency",
                                       "unit",  "settings"};
    sotto_json_writer *json = sotto_json_new();
    sotto_json *file =
        cli_json_keep(json, sotto_train_json(result), kept, sizeof kept / sizeof kept[0]);
    add_concept(json, result);
    sotto_json_text(json, "certificate", cli_certificate_text(file, "hash"));
    sotto_json_text(json, "output", cli_text(call, "output"));
    if (isnan(seconds)) {
        sotto_json_text(json, "tuning", cli_certificate_text(file, "tuning"));
    } else {
        sotto_json_count(json, "seconds", (uint64_t)ceil(seconds));
    }
    sotto_json_free(file);
    return cli_json_print(json, error);
}

/* ---- the page ---- */

/* Writes the report, only from the released model: it costs nothing. */
sotto_status cli_train_write_page(const cli_call *call, const sotto_train_result *result,
                                  sotto_error *error)
{
    const sotto_report_config config = sotto_report_defaults();
    const char *json = sotto_train_json(result);
    char *html = NULL;
    if (cli_text(call, "report") == NULL) return SOTTO_OK;
    sotto_status status = sotto_report_render(cli_text(call, "output"), json,
                                              strlen(json), &config, &html, error);
    if (status == SOTTO_OK) status = cli_write_file(call, "report", html, error);
    sotto_free(html);
    return status;
}

static sotto_status train(const cli_call *call, sotto_train_config *config,
                          const sotto_schema *schema, sotto_error *error)
{
    sotto_train_result *result = NULL;
    const double started = seconds_now();
    cli_watch_training(config);
    const sotto_data_file file = cli_data_file(call, cli_text(call, "data"));
    sotto_status status = sotto_train_data(config, schema, &file, &result, error);
    const double seconds = seconds_now() - started;
    cli_end_watch();
    if (status == SOTTO_OK) status = cli_train_write_page(call, result, error);
    if (status == SOTTO_OK && cli_flag(call, "json"))
        status = cli_train_print_json(call, result, seconds, error);
    else if (status == SOTTO_OK)
        (void)fputs(sotto_train_text(result), stdout);
    sotto_train_free(result);
    return status;
}

sotto_status cli_train_run(const cli_call *call, sotto_train_config *config,
                           sotto_error *error)
{
    sotto_schema *schema = NULL;
    config->ledger = cli_text(call, "ledger");
    config->output = cli_text(call, "output");
    config->again = cli_flag(call, "again");
    config->overwrite = cli_flag(call, "overwrite");
    config->sign = cli_text(call, "sign");
    config->data_is_public = cli_flag(call, "data-is-public");
    config->insecure_test = cli_given(call, "insecure-test-seed");
    config->test_seed = cli_count(call, "insecure-test-seed");
    sotto_status status = sotto_schema_load(cli_text(call, "schema"), &schema, error);
    if (status == SOTTO_OK) status = train(call, config, schema, error);
    sotto_schema_free(schema);
    return status;
}

static sotto_status run(const cli_call *call, sotto_error *error)
{
    sotto_train_config config;
    const sotto_status status = cli_training_config(call, &config, error);
    return status == SOTTO_OK ? cli_train_run(call, &config, error) : status;
}

static const cli_option *const shared[] = {cli_train_options,
                                           cli_data_options,
                                           cli_stored_option,
                                           cli_sign_option,
                                           cli_again_option,
                                           cli_training_options,
                                           NULL};

const cli_command cli_train = {
    .name = "train",
    .summary = "Train a private model of a table, with its certificate inside",
    .details = "The plan is charged to the ledger before a row is read.",
    .options = options,
    .shared = shared,
    .example = "sotto train examples/survey.csv --schema examples/smokers.schema.json "
               "--model logistic --epsilon 1 --delta 1e-6 -o model.json",
    .run = run,
};
