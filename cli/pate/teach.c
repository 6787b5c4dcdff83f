/* sotto pate teach: a directory of teachers. Fills a config, makes one call, prints. */
#include <stdio.h>
#include <string.h>

#include <sotto/pate.h>

#include "data/data_file.h"
#include "frame/choice.h"
#include "frame/input.h"
#include "pate/pate.h"
#include "train/training.h"

CLI_NAMES(sharding_choice, sotto_pate_sharding, 0)

static const cli_option options[] = {
    {"data", CLI_FILE, CLI_OPERAND,
     "private rows: CSV or TSV with a header, LIBSVM, NPY, IDX, CIFAR-10; or SQLite",
     .value = "DATA", .example = "survey.csv"},
    {"schema", CLI_FILE, CLI_REQUIRED, "JSON file with types, bounds and categories",
     .value = "FILE", .example = "survey.schema.json"},
    {"model", CLI_CHOICE, CLI_REQUIRED, "model of each teacher", .value = "NAME",
     .example = "logistic", .choices = cli_model_choice, .is_other = cli_is_network,
     .other = "FILE.json"},
    {"teachers", CLI_COUNT, CLI_REQUIRED,
     "number of teachers, each with a shard of its own", .value = "N", .example = "250",
     .setting = "ensemble", .count_max = 65536},
    {"output", CLI_FILE, CLI_REQUIRED,
     "directory to make, or to resume in; as SECRET as the rows", .value = "DIR",
     .example = "teachers", .letter = 'o'},
    {"sharding", CLI_CHOICE, CLI_OPTIONAL, "assignment of records to shards",
     .value = "RULE", .fallback = "auto", .choices = sharding_choice},
    {"insecure-test-seed", CLI_COUNT, CLI_OPTIONAL,
     "seed of the shards, for tests; it does not affect the noise of labels",
     .value = "N", .example = "7", .count_max = UINT64_MAX},
    {"delta", CLI_NUMBER, CLI_HIDDEN, "refused: labels have it", .value = "D",
     .example = "1e-6", .range = CLI_BELOW_ONE},
    {0},
};

static sotto_status run(const cli_call *call, sotto_error *error)
{
    sotto_pate_teach_config config = sotto_pate_teach_defaults();
    sotto_schema *schema = NULL;
    sotto_pate_result *result = NULL;
    sotto_status status = cli_training_config(call, &config.training, error);
    config.sharding = (sotto_pate_sharding)cli_choice(call, "sharding");
    config.teachers = cli_count(call, "teachers");
    config.directory = cli_text(call, "output");
    config.training.insecure_test = cli_given(call, "insecure-test-seed");
    config.training.test_seed = cli_count(call, "insecure-test-seed");
    if (status == SOTTO_OK)
        status = sotto_schema_load(cli_text(call, "schema"), &schema, error);
    const sotto_data_file file = cli_data_file(call, cli_text(call, "data"));
    cli_watch_training(&config.training);
    if (status == SOTTO_OK)
        status = sotto_pate_teach(&config, schema, &file, &result, error);
    if (status == SOTTO_OK)
        (void)fputs(cli_flag(call, "json") ? sotto_pate_json(result)
                                           : sotto_pate_text(result),
                    stdout);
    sotto_pate_free(result);
    sotto_schema_free(schema);
    return status;
}

static const cli_option *const shared[] = {cli_data_options, cli_stored_option,
                                           cli_training_options, NULL};

const cli_command pate_teach = {
    .name = "teach",
    .summary = "Train teachers on disjoint shards of private rows, without noise",
    .details =
        "Nothing is released and nothing is charged: the directory is as secret as\n"
        "the rows. Run the same command to resume after an interruption.",
    .options = options,
    .shared = shared,
    .example =
        "sotto pate teach examples/clinic.csv --schema examples/clinic.schema.json "
        "--teachers 50 --model logistic -o teachers",
    .run = run,
};
