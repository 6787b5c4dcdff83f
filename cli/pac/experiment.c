/* sotto pac experiment: private learners against the fewest errors, as rows grow. */
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
    {"bits", CLI_COUNT, CLI_OPTIONAL, "2^B cells, and 2^B + 1 thresholds", .value = "B",
     .example = "8", .fallback = "12", .count_max = 16},
    {"noise", CLI_NUMBER, CLI_OPTIONAL,
     "share of flipped labels in the agnostic half, below 1/2", .value = "SHARE",
     .example = "0.2", .fallback = "0.2", .range = CLI_POSITIVE},
    {"beta", CLI_NUMBER, CLI_OPTIONAL,
     "failure probability of the bounds, and of the quantiles", .value = "B",
     .example = "0.05", .fallback = "0.05", .range = CLI_POSITIVE},
    {"rows", CLI_TEXT, CLI_OPTIONAL, "numbers of rows, ascending", .value = "LIST",
     .example = "100,1000", .fallback = "30,100,300,1000,3000,10000"},
    {"repeats", CLI_COUNT, CLI_OPTIONAL, "data sets for each number of rows",
     .value = "N", .example = "1000", .fallback = "200",
     .count_max = SOTTO_STUDY_REPEATS_MAX},
    {"seed", CLI_COUNT, CLI_OPTIONAL, "seed of the simulations; rows are invented",
     .value = "N", .example = "7", .fallback = "1", .count_max = UINT64_MAX},
    {"adjacency", CLI_CHOICE, CLI_OPTIONAL, "definition of neighbours", .value = "NAME",
     .fallback = "add-remove", .choices = cli_adjacency_choice},
    {"svg", CLI_FILE, CLI_OPTIONAL, "also plot the result", .value = "FILE",
     .example = "excess.svg", .output = SOTTO_OUTPUT_SVG},
    {0},
};

/* Realizable and agnostic. */
enum { HALVES = 2 };

static const char *const half_names[HALVES] = {"realizable", "agnostic"};

typedef struct halves {
    uint64_t rows[PAC_COUNTS_MAX];
    sotto_pac_experiment_config configs[HALVES];
    sotto_pac_experiment *experiments[HALVES];
} halves;

static sotto_status read_configs(const cli_call *call, halves *out, sotto_error *error)
{
    sotto_pac_experiment_config config = {.size = sizeof config,
                                          .epsilon = cli_number(call, "epsilon"),
                                          .cells = UINT64_C(1) << cli_count(call, "bits"),
                                          .beta = cli_number(call, "beta"),
                                          .rows = out->rows,
                                          .repeats = cli_count(call, "repeats"),
                                          .seed = cli_count(call, "seed")};
    config.adjacency = cli_adjacency(call);
    const sotto_status status =
        pac_counts(call, "rows", out->rows, &config.rows_count, error);
    out->configs[0] = out->configs[1] = config;
    out->configs[1].noise = cli_number(call, "noise");
    return status;
}

/* --- text --- */

static void show_half(const halves *of, int half)
{
    const sotto_pac_experiment_config *config = &of->configs[half];
    const sotto_pac_experiment_point *points =
        sotto_pac_experiment_points(of->experiments[half]);
    char alpha[CLI_NUMBER_BYTES];
    (void)printf("\n%s: excess risk, mean", half_names[half]);
    if (half == 1) (void)printf(" (%g %% of labels flipped)", 100.0 * config->noise);
    (void)printf("\n%8s", "rows");
    for (int i = 0; i < SOTTO_PAC_LEARNERS; i++)
        (void)printf(" %16s", sotto_pac_learner_name((sotto_pac_learner)i));
    (void)printf(" %12s %12s\n", "quantile", "proven");
    for (size_t i = 0; i < config->rows_count; i++) {
        (void)printf("%8" PRIu64, points[i].rows);
        for (int j = 0; j < SOTTO_PAC_LEARNERS; j++)
            (void)printf(" %16.5f", points[i].excess[j].mean);
        const double bound = points[i].excess[SOTTO_PAC_LEARNER_EXPONENTIAL].bound;
        (void)printf(" %12.5f %12s\n",
                     points[i].excess[SOTTO_PAC_LEARNER_EXPONENTIAL].quantile,
                     isnan(bound) ? "none" : cli_rounded_up(bound, 4, alpha));
    }
}

static void show_text(const halves *of)
{
    const sotto_pac_experiment_config *config = &of->configs[0];
    char number[CLI_NUMBER_BYTES];
    cli_line("thresholds", "%" PRIu64, config->cells + 1);
    cli_line("epsilon", "%s", cli_shortest(config->epsilon, number));
    cli_line("adjacency", "%s", sotto_adjacency_name(config->adjacency));
    cli_line("beta", "%s", cli_shortest(config->beta, number));
    cli_line("repeats", "%" PRIu64, config->repeats);
    for (int half = 0; half < HALVES; half++)
        show_half(of, half);
    (void)printf("\nquantile, proven: of the exponential mechanism. At most a share beta "
                 "of the runs exceeds\nthe first; theory bounds the second, for every "
                 "distribution of this kind.\n");
}

/* --- JSON --- */

static void add_half(sotto_json_writer *json, const halves *of, int half)
{
    const sotto_pac_experiment_point *points =
        sotto_pac_experiment_points(of->experiments[half]);
    sotto_json_array(json, half_names[half]);
    for (size_t i = 0; i < of->configs[half].rows_count; i++) {
        for (int j = 0; j < SOTTO_PAC_LEARNERS; j++) {
            sotto_json_object(json, NULL);
            sotto_json_count(json, "rows", points[i].rows);
            sotto_json_text(json, "learner",
                            sotto_pac_learner_name((sotto_pac_learner)j));
            sotto_json_number(json, "mean", points[i].excess[j].mean);
            sotto_json_number(json, "quantile", points[i].excess[j].quantile);
            sotto_json_number(json, "bound", points[i].excess[j].bound);
            sotto_json_end(json);
        }
    }
    sotto_json_end(json);
}

static sotto_status show_json(const halves *of, sotto_error *error)
{
    const sotto_pac_experiment_config *config = &of->configs[1];
    sotto_json_writer *json = sotto_json_new();
    sotto_json_count(json, "thresholds", config->cells + 1);
    sotto_json_number(json, "epsilon", config->epsilon);
    sotto_json_text(json, "adjacency", sotto_adjacency_name(config->adjacency));
    sotto_json_number(json, "beta", config->beta);
    sotto_json_number(json, "noise", config->noise);
    sotto_json_count(json, "repeats", config->repeats);
    for (int half = 0; half < HALVES; half++)
        add_half(json, of, half);
    return cli_json_print(json, error);
}

/* --- the command --- */

static sotto_status run(const cli_call *call, sotto_error *error)
{
    halves of = {.experiments = {NULL}};
    char *svg = NULL;
    sotto_status status = read_configs(call, &of, error);
    for (int half = 0; half < HALVES && status == SOTTO_OK; half++)
        status =
            sotto_pac_experiment_run(&of.configs[half], &of.experiments[half], error);
    if (status == SOTTO_OK && cli_given(call, "svg")) {
        status = sotto_pac_experiment_to_svg(of.experiments[0], of.experiments[1], &svg,
                                             error);
        if (status == SOTTO_OK) status = cli_write_file(call, "svg", svg, error);
    }
    if (status == SOTTO_OK && cli_flag(call, "json")) {
        status = show_json(&of, error);
    } else if (status == SOTTO_OK) {
        show_text(&of);
    }
    sotto_free(svg);
    for (int half = 0; half < HALVES; half++)
        sotto_pac_experiment_free(of.experiments[half]);
    return status;
}

const cli_command pac_experiment = {
    .name = "experiment",
    .summary = "Compare private learners with the fewest errors, on invented rows",
    .details = "The distribution is public and its risks are known: thresholds over "
               "evenly\nspread rows, with and without wrong labels.",
    .options = options,
    .example = "sotto pac experiment --epsilon 1 --rows 100,1000 --repeats 100",
    .run = run,
};
