/* sotto pate student: a model of released labels and public rows. Fills a config, makes one call, prints. */
#include <stdio.h>
#include <string.h>

#include <sotto/pate.h>

#include "data/data_file.h"
#include "frame/output.h"
#include "pate/pate.h"
#include "sign.h"
#include "train/training.h"

static const cli_option options[] = {
    {"labels", CLI_FILE, CLI_OPERAND, "label file of sotto pate label", .value = "LABELS",
     .example = "labels.json"},
    {"rows", CLI_FILE, CLI_OPERAND, "the PUBLIC rows that were labelled", .value = "ROWS",
     .example = "public.csv"},
    {"model", CLI_CHOICE, CLI_REQUIRED, "model of the student", .value = "NAME",
     .example = "softmax", .choices = cli_model_choice, .is_other = cli_is_network,
     .other = "FILE.json"},
    {"output", CLI_FILE, CLI_REQUIRED, "file for the model with the labels' guarantee",
     .value = "FILE", .example = "student.json", .letter = 'o',
     .output = SOTTO_OUTPUT_CERTIFIED},
    {"self-training", CLI_COUNT, CLI_OPTIONAL,
     "rounds in which confident predictions of other rows become pseudo-labels",
     .value = "R", .example = "3", .count_max = 1000},
    {"confidence", CLI_NUMBER, CLI_OPTIONAL,
     "self-training: smallest probability of a pseudo-label", .value = "P",
     .example = "0.95", .fallback = "0.95", .range = CLI_RATE},
    {"delta", CLI_NUMBER, CLI_HIDDEN, "refused: the labels have it", .value = "D",
     .example = "1e-6", .range = CLI_BELOW_ONE},
    {0},
};

static sotto_status print_json(const cli_call *call, const sotto_pate_result *result,
                               sotto_error *error)
{
    static const char *const kept[] = {"model",     "method", "epsilon", "delta",
                                       "adjacency", "unit",   "settings"};
    sotto_json_writer *json = sotto_json_new();
    sotto_json *file =
        cli_json_keep(json, sotto_pate_json(result), kept, sizeof kept / sizeof kept[0]);
    sotto_json_text(json, "certificate", cli_certificate_text(file, "hash"));
    sotto_json_text(json, "output", cli_text(call, "output"));
    sotto_json_free(file);
    return cli_json_print(json, error);
}

static sotto_status run(const cli_call *call, sotto_error *error)
{
    sotto_pate_student_config config = sotto_pate_student_defaults();
    sotto_pate_result *result = NULL;
    sotto_status status = cli_training_config(call, &config.training, error);
    config.training.output = cli_text(call, "output");
    config.training.overwrite = cli_flag(call, "overwrite");
    config.training.sign = cli_text(call, "sign");
    config.labels = cli_text(call, "labels");
    config.self_training = cli_count(call, "self-training");
    config.confidence = cli_number(call, "confidence");
    sotto_data_file file = cli_data_file(call, cli_text(call, "rows"));
    file.labels = NULL; /* --labels are the teachers' */
    if (status == SOTTO_OK) status = sotto_pate_student(&config, &file, &result, error);
    if (status == SOTTO_OK && cli_flag(call, "json"))
        status = print_json(call, result, error);
    else if (status == SOTTO_OK)
        (void)fputs(sotto_pate_text(result), stdout);
    sotto_pate_free(result);
    return status;
}

static const cli_option *const shared[] = {cli_rows_options, cli_sign_option,
                                           cli_training_options, NULL};

const cli_command pate_student = {
    .name = "student",
    .summary = "Train on released labels and public rows, at no further cost",
    .details = "The model file has the labels' guarantee: it is post-processing of them.",
    .options = options,
    .shared = shared,
    .example = "sotto pate student examples/labels.json examples/clinic.csv "
               "--model logistic --self-training 2 -o student.json",
    .run = run,
};
