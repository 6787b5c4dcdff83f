/* sotto pac packing: the lower bound for private learners of thresholds, as an experiment. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include <sotto/pac_experiment.h>

#include "frame/choice.h"
#include "frame/input.h"
#include "frame/output.h"
#include "pac/pac.h"
#include "train/training.h"

static const cli_option options[] = {
    {"epsilon", CLI_NUMBER, CLI_REQUIRED, "privacy loss, above 0", .value = "E",
     .example = "1", .range = CLI_POSITIVE},
    {"rows", CLI_TEXT, CLI_OPTIONAL, "even numbers of rows, ascending", .value = "LIST",
     .example = "10,20,40", .fallback = "4,10,20,30,40,60,80"},
    {"class-sizes", CLI_TEXT, CLI_OPTIONAL, "numbers of thresholds K, ascending",
     .value = "LIST", .example = "16,1024,2^40", .fallback = "16,1024,2^20,2^40,2^60"},
    {"contrast-rows", CLI_COUNT, CLI_OPTIONAL,
     "number of rows, to compare with a bounded density and a Lipschitz loss",
     .value = "N", .example = "40", .count_max = 1 << 16},
    {"repeats", CLI_COUNT, CLI_OPTIONAL, "runs of each simulation", .value = "N",
     .example = "1000", .fallback = "400", .count_max = SOTTO_STUDY_REPEATS_MAX},
    {"formulas", CLI_FLAG, CLI_OPTIONAL, "print only the formulas; no simulation",
     .value = NULL},
    {"seed", CLI_COUNT, CLI_OPTIONAL, "seed of the simulations; rows are invented",
     .value = "N", .example = "7", .fallback = "1", .count_max = UINT64_MAX},
    {"adjacency", CLI_CHOICE, CLI_OPTIONAL, "definition of neighbours", .value = "NAME",
     .fallback = "replace-one", .choices = cli_adjacency_choice},
    {"svg", CLI_FILE, CLI_OPTIONAL, "also plot the result", .value = "FILE",
     .example = "packing.svg", .output = SOTTO_OUTPUT_SVG},
    {0},
};

typedef struct lists {
    uint64_t rows[PAC_COUNTS_MAX], class_sizes[PAC_COUNTS_MAX];
} lists;

static sotto_status read_config(const cli_call *call, lists *out_lists,
                                sotto_packing_config *out, sotto_error *error)
{
    *out = (sotto_packing_config){.size = sizeof *out,
                                  .epsilon = cli_number(call, "epsilon"),
                                  .rows = out_lists->rows,
                                  .class_sizes = out_lists->class_sizes,
                                  .contrast_rows = cli_count(call, "contrast-rows"),
                                  .repeats = cli_count(call, "repeats"),
                                  .seed = cli_count(call, "seed")};
    if (cli_flag(call, "formulas")) {
        if (cli_given(call, "repeats") || cli_given(call, "contrast-rows")) {
            return cli_fail(
                error, SOTTO_INVALID_ARGUMENT,
                "--formulas simulates nothing; leave out --repeats and --contrast-rows");
        }
        out->repeats = 0;
    }
    out->adjacency = cli_adjacency(call);
    sotto_status status =
        pac_counts(call, "rows", out_lists->rows, &out->rows_count, error);
    if (status == SOTTO_OK)
        status = pac_counts(call, "class-sizes", out_lists->class_sizes,
                            &out->class_count, error);
    return status;
}

/* --- text --- */

static const char *share_text(double value, char out[CLI_NUMBER_BYTES])
{
    if (isnan(value)) return "-";
    (void)snprintf(out, CLI_NUMBER_BYTES, "%.4g", value);
    return out;
}

static void show_points(const sotto_packing_config *config,
                        const sotto_packing_study *study)
{
    const sotto_packing_point *at = sotto_packing_study_points(study);
    char text[4][CLI_NUMBER_BYTES];
    bool skipped = false;
    (void)printf("\nprobability of naming the correct one of K thresholds\n");
    (void)printf("%20s %6s %12s %10s %12s %10s %12s\n", "K", "rows", "exponential",
                 "simulated", "perm-flip", "simulated", "at most");
    for (size_t i = 0; i < config->class_count * config->rows_count; i++, at++) {
        (void)printf("%20" PRIu64 " %6" PRIu64 " %12.4g %10s %12s %10s %12s\n",
                     at->class_size, at->rows, at->success.exponential,
                     share_text(at->exponential_seen, text[0]),
                     share_text(at->success.permute_and_flip, text[1]),
                     share_text(at->permute_and_flip_seen, text[2]),
                     share_text(at->success.ceiling, text[3]));
        skipped |= config->repeats > 0 && isnan(at->permute_and_flip_seen);
    }
    if (skipped) (void)printf("-: permute-and-flip visits all K, too many to simulate\n");
}

static void show_rows(const sotto_packing_config *config,
                      const sotto_packing_study *study)
{
    const sotto_packing_rows *needed = sotto_packing_study_rows(study);
    (void)printf("\nrows for a success of 0.9\n%20s %12s %12s %12s\n", "K", "exponential",
                 "perm-flip", "at least");
    for (size_t i = 0; i < config->class_count; i++) {
        (void)printf("%20" PRIu64 " %12" PRIu64 " %12" PRIu64 " %12" PRIu64 "\n",
                     config->class_sizes[i], needed[i].exponential,
                     needed[i].permute_and_flip, needed[i].least);
    }
}

static void show_contrast(const sotto_packing_config *config,
                          const sotto_packing_study *study)
{
    const sotto_packing_contrast *at = sotto_packing_study_contrast(study);
    if (at == NULL) return;
    (void)printf("\nwith %" PRIu64 " rows: error of the packing, beside rows of bounded "
                 "density and a Lipschitz loss\n%20s %12s %10s %12s %12s %14s\n",
                 config->contrast_rows, "K", "exponential", "simulated", "any learner",
                 "even density", "logistic loss");
    for (size_t i = 0; i < config->class_count; i++, at++) {
        (void)printf("%20" PRIu64 " %12.4f %10.4f %12.4f %12.4f %14.4f\n", at->class_size,
                     at->packed_error_exact, at->packed_error, at->packed_error_least,
                     at->dense_error, at->lipschitz_excess);
    }
}

static void show_text(const sotto_packing_config *config,
                      const sotto_packing_study *study)
{
    char number[CLI_NUMBER_BYTES];
    cli_line("epsilon", "%s", cli_shortest(config->epsilon, number));
    cli_line("adjacency", "%s", sotto_adjacency_name(config->adjacency));
    if (config->repeats > 0) cli_line("simulated", "%" PRIu64 " times", config->repeats);
    show_points(config, study);
    show_rows(config, study);
    show_contrast(config, study);
}

/* --- JSON --- */

static void add_points(sotto_json_writer *json, const sotto_packing_config *config,
                       const sotto_packing_study *study)
{
    const sotto_packing_point *at = sotto_packing_study_points(study);
    sotto_json_array(json, "success");
    for (size_t i = 0; i < config->class_count * config->rows_count; i++, at++) {
        sotto_json_object(json, NULL);
        sotto_json_count(json, "class_size", at->class_size);
        sotto_json_count(json, "rows", at->rows);
        sotto_json_number(json, "exponential", at->success.exponential);
        sotto_json_number(json, "exponential_simulated", at->exponential_seen);
        sotto_json_number(json, "permute_and_flip", at->success.permute_and_flip);
        sotto_json_number(json, "permute_and_flip_simulated", at->permute_and_flip_seen);
        sotto_json_number(json, "ceiling", at->success.ceiling);
        sotto_json_end(json);
    }
    sotto_json_end(json);
}

static void add_rows(sotto_json_writer *json, const sotto_packing_config *config,
                     const sotto_packing_study *study)
{
    const sotto_packing_rows *needed = sotto_packing_study_rows(study);
    sotto_json_array(json, "rows_needed");
    for (size_t i = 0; i < config->class_count; i++) {
        sotto_json_object(json, NULL);
        sotto_json_count(json, "class_size", config->class_sizes[i]);
        sotto_json_count(json, "exponential", needed[i].exponential);
        sotto_json_count(json, "permute_and_flip", needed[i].permute_and_flip);
        sotto_json_count(json, "least", needed[i].least);
        sotto_json_end(json);
    }
    sotto_json_end(json);
}

static void add_contrast(sotto_json_writer *json, const sotto_packing_config *config,
                         const sotto_packing_contrast *at)
{
    sotto_json_array(json, "contrast");
    for (size_t i = 0; i < config->class_count; i++, at++) {
        sotto_json_object(json, NULL);
        sotto_json_count(json, "class_size", at->class_size);
        sotto_json_number(json, "packed_error", at->packed_error_exact);
        sotto_json_number(json, "packed_error_simulated", at->packed_error);
        sotto_json_number(json, "packed_error_least", at->packed_error_least);
        sotto_json_number(json, "dense_error", at->dense_error);
        sotto_json_number(json, "lipschitz_excess", at->lipschitz_excess);
        sotto_json_number(json, "lipschitz_silent", at->lipschitz_silent);
        sotto_json_end(json);
    }
    sotto_json_end(json);
}

static sotto_status show_json(const sotto_packing_config *config,
                              const sotto_packing_study *study, sotto_error *error)
{
    const sotto_packing_contrast *contrast = sotto_packing_study_contrast(study);
    sotto_json_writer *json = sotto_json_new();
    sotto_json_number(json, "epsilon", config->epsilon);
    sotto_json_text(json, "adjacency", sotto_adjacency_name(config->adjacency));
    sotto_json_count(json, "repeats", config->repeats);
    add_points(json, config, study);
    sotto_json_number(json, "success_wanted", 0.9);
    add_rows(json, config, study);
    if (contrast != NULL) {
        sotto_json_count(json, "contrast_rows", config->contrast_rows);
        add_contrast(json, config, contrast);
    }
    return cli_json_print(json, error);
}

/* --- the command --- */

static sotto_status run(const cli_call *call, sotto_error *error)
{
    lists of;
    sotto_packing_config config;
    sotto_packing_study *study = NULL;
    char *svg = NULL;
    sotto_status status = read_config(call, &of, &config, error);
    if (status == SOTTO_OK) status = sotto_packing_study_new(&config, &study, error);
    if (status == SOTTO_OK && cli_given(call, "svg")) {
        status = sotto_packing_study_to_svg(study, &svg, error);
        if (status == SOTTO_OK) status = cli_write_file(call, "svg", svg, error);
    }
    if (status == SOTTO_OK && cli_flag(call, "json")) {
        status = show_json(&config, study, error);
    } else if (status == SOTTO_OK) {
        show_text(&config, study);
    }
    sotto_free(svg);
    sotto_packing_study_free(study);
    return status;
}

const cli_command pac_packing = {
    .name = "packing",
    .summary = "Simulate the packing lower bound for thresholds on a continuum",
    .details = "K thresholds, n rows around one of them: every private learner must fail "
               "on\none of the K if K is beyond e^(n epsilon). Rows are invented.",
    .options = options,
    .example = "sotto pac packing --epsilon 1 --class-sizes 16,1024,2^40 --rows 20,40",
    .run = run,
};
