/* sotto tune: the best of a secret number of trainings, for one charge. Fills a config, makes one call, prints. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <sotto/tune.h>

#include "commands.h"
#include "data/data_file.h"
#include "frame/choice.h"
#include "frame/output.h"
#include "frame/progress.h"
#include "ledger/paid.h"
#include "sign.h"
#include "train/training.h"
#include "train/tune.h"

CLI_NAMES(law_choice, sotto_runs_law, 1)

static const cli_option options[] = {
    {"data", CLI_FILE, CLI_OPTIONAL_OPERAND,
     "training rows, as for sotto train; not with --compare", .value = "DATA",
     .example = "survey.csv"},
    {"schema", CLI_FILE, CLI_REQUIRED, "JSON file with types, bounds and categories",
     .value = "FILE", .example = "survey.schema.json"},
    {"model", CLI_CHOICE, CLI_REQUIRED, "model to train", .value = "NAME",
     .example = "logistic", .choices = cli_model_choice, .is_other = cli_is_network,
     .other = "FILE.json"},
    {"grid", CLI_TEXT, CLI_OPTIONAL,
     "settings to try, all combinations: NAME=VALUE,VALUE;NAME=VALUE,VALUE",
     .value = "GRID", .example = "lambda=0.1,1,10"},
    {"search", CLI_TEXT, CLI_OPTIONAL,
     "ranges to sample settings from: NAME=log:LOW:HIGH, linear:, int:",
     .value = "RANGES", .example = "lambda=log:0.01:100"},
    {"candidates", CLI_COUNT, CLI_OPTIONAL,
     "--search: number of sampled settings (default: 32)", .value = "N", .example = "32",
     .count_max = 1024},
    {"search-seed", CLI_COUNT, CLI_OPTIONAL,
     "--search: public seed of the sampled settings", .value = "N", .example = "1",
     .count_max = UINT64_MAX},
    {"runs-mean", CLI_NUMBER, CLI_OPTIONAL, "mean number of trainings", .value = "M",
     .example = "10", .range = CLI_POSITIVE},
    {"distribution", CLI_CHOICE, CLI_OPTIONAL,
     "distribution of the number of trainings (default: negative-binomial)",
     .value = "NAME", .example = "negative-binomial", .choices = law_choice},
    {"eta", CLI_NUMBER, CLI_OPTIONAL,
     "negative-binomial: shape, above -1; 0 is logarithmic, 1 (the default) geometric",
     .value = "E", .example = "1"},
    {"score-epsilon", CLI_NUMBER, CLI_OPTIONAL,
     "epsilon of the score on the private rows, in each training", .value = "E",
     .example = "0.1", .range = CLI_POSITIVE},
    {"repeats", CLI_COUNT, CLI_OPTIONAL,
     "public rows: simulations of each private candidate (default: 5)", .value = "N",
     .example = "5", .count_max = 1000},
    {"output", CLI_FILE, CLI_OPTIONAL, "file for the winner with its certificate",
     .value = "FILE", .example = "model.json", .letter = 'o',
     .output = SOTTO_OUTPUT_CERTIFIED},
    {"delta", CLI_NUMBER, CLI_OPTIONAL,
     "delta of the whole tuning; without it only pure methods run", .value = "D",
     .example = "1e-6", .range = CLI_BELOW_ONE},
    {"plan", CLI_FLAG, CLI_OPTIONAL, "print the plan and its cost; no row is read",
     .value = NULL},
    {"compare", CLI_FLAG, CLI_OPTIONAL,
     "only compare its price with that of a fixed number of trainings", .value = NULL},
    {0},
};

/* --- settings --- */

static sotto_status read_runs(const cli_call *call, sotto_runs *out_runs,
                              sotto_error *error)
{
    const bool given = cli_given(call, "runs-mean") || cli_given(call, "distribution") ||
                       cli_given(call, "eta");
    if (!given && cli_flag(call, "data-is-public")) return SOTTO_OK;
    sotto_runs_law law = SOTTO_RUNS_NEGATIVE_BINOMIAL;
    if (cli_given(call, "distribution"))
        law = (sotto_runs_law)(1 + cli_choice(call, "distribution"));
    if (!cli_given(call, "runs-mean")) {
        return cli_fail(error, SOTTO_INVALID_ARGUMENT,
                        "--runs-mean is missing: the mean number of trainings; for "
                        "example --runs-mean 10");
    }
    double shape = law == SOTTO_RUNS_POISSON ? SOTTO_UNSET : 1.0;
    if (cli_given(call, "eta")) shape = cli_number(call, "eta");
    return sotto_runs_from_mean(law, shape, cli_number(call, "runs-mean"), out_runs,
                                error);
}

static sotto_status read_config(const cli_call *call, sotto_tune_config *out_config,
                                sotto_error *error)
{
    sotto_tune_config config = sotto_tune_defaults();
    sotto_status status = cli_training_config(call, &config.train, error);
    if (status != SOTTO_OK) return status;
    config.validation = config.train.validation;
    config.validation_labels = config.train.validation_labels;
    config.train.validation = NULL;
    config.train.validation_labels = NULL;
    config.train.ledger = cli_text(call, "ledger");
    config.train.output = cli_text(call, "output");
    config.train.again = cli_flag(call, "again");
    config.train.overwrite = cli_flag(call, "overwrite");
    config.train.sign = cli_text(call, "sign");
    config.train.data_is_public = cli_flag(call, "data-is-public");
    config.train.insecure_test = cli_given(call, "insecure-test-seed");
    config.train.test_seed = cli_count(call, "insecure-test-seed");
    config.grid = cli_text(call, "grid");
    config.search = cli_text(call, "search");
    config.candidates = cli_count(call, "candidates");
    config.search_seed = cli_count(call, "search-seed");
    config.score_epsilon = cli_number(call, "score-epsilon");
    config.repeats = cli_count(call, "repeats");
    status = read_runs(call, &config.runs, error);
    if (status == SOTTO_OK) *out_config = config;
    return status;
}

/* --- the run --- */

static sotto_status print(const cli_call *call, const sotto_train_result *result,
                          sotto_error *error)
{
    if (!cli_flag(call, "json")) {
        (void)fputs(sotto_train_text(result), stdout);
        return SOTTO_OK;
    }
    if (cli_flag(call, "data-is-public")) {
        (void)fputs(sotto_train_json(result), stdout);
        return SOTTO_OK;
    }
    return cli_train_print_json(call, result, (double)NAN, error);
}

static sotto_status tune(const cli_call *call, sotto_tune_config *config,
                         const sotto_schema *schema, sotto_error *error)
{
    sotto_train_result *result = NULL;
    if (cli_text(call, "data") == NULL) {
        return cli_fail(
            error, SOTTO_INVALID_ARGUMENT,
            "DATA is missing: the training rows; give it, for example survey.csv");
    }
    if (cli_text(call, "output") == NULL && !config->train.data_is_public) {
        return cli_fail(
            error, SOTTO_INVALID_ARGUMENT,
            "--output is missing: the file for the winner; for example -o model.json");
    }
    cli_watch_training(&config->train);
    const sotto_data_file file = cli_data_file(call, cli_text(call, "data"));
    sotto_status status = sotto_tune_data(config, schema, &file, &result, error);
    cli_end_watch();
    if (status == SOTTO_OK && !config->train.data_is_public)
        status = cli_train_write_page(call, result, error);
    if (status == SOTTO_OK) status = print(call, result, error);
    sotto_train_free(result);
    return status;
}

/* Uses only settings and schema. */
static sotto_status show_plan(const cli_call *call, const sotto_tune_config *config,
                              const sotto_schema *schema, sotto_error *error)
{
    sotto_tuning *tuning = NULL;
    sotto_status status = sotto_tuning_plan(config, schema, &tuning, error);
    if (status != SOTTO_OK) return status;
    if (cli_flag(call, "compare")) {
        status = cli_tune_compare(call, config, tuning, error);
    } else if (cli_flag(call, "json")) {
        (void)fputs(sotto_tuning_json(tuning), stdout);
    } else {
        (void)fputs(sotto_tuning_text(tuning), stdout);
    }
    sotto_tuning_free(tuning);
    return status;
}

static sotto_status run(const cli_call *call, sotto_error *error)
{
    sotto_tune_config config;
    sotto_schema *schema = NULL;
    sotto_status status = read_config(call, &config, error);
    if (status == SOTTO_OK)
        status = sotto_schema_load(cli_text(call, "schema"), &schema, error);
    if (status == SOTTO_OK) {
        status = cli_flag(call, "plan") || cli_flag(call, "compare")
                     ? show_plan(call, &config, schema, error)
                     : tune(call, &config, schema, error);
    }
    sotto_schema_free(schema);
    return status;
}

static const cli_option *const shared[] = {cli_train_options,
                                           cli_data_options,
                                           cli_stored_option,
                                           cli_sign_option,
                                           cli_again_option,
                                           cli_training_options,
                                           NULL};

const cli_command cli_tune = {
    .name = "tune",
    .summary = "Release the best of a secret number of trainings, for one charge",
    .details = "--epsilon and --delta are those of the whole tuning. The number of "
               "trainings, all\nbut the best, and their scores stay secret.",
    .options = options,
    .shared = shared,
    .example =
        "sotto tune examples/survey.csv --schema examples/smokers.schema.json "
        "--model logistic --grid lambda=10,30,100 --runs-mean 5 --score-epsilon 0.2 "
        "--epsilon 2 --delta 1e-6 -o model.json",
    .run = run,
};
