/* sotto pac sample-size: every bound side by side, solved for n or for another
 * quantity. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <sotto/pac_packing.h>
#include <sotto/pac_theory.h>

#include "frame/choice.h"
#include "frame/output.h"
#include "pac/pac.h"
#include "train/training.h"

/* --- the options --- */

static const cli_option options[] = {
    {"class-size", CLI_COUNT, CLI_OPTIONAL, "number of concepts", .value = "N",
     .example = "1000", .count_max = UINT64_C(1) << 53},
    {"class", CLI_CHOICE, CLI_OPTIONAL, "a class of sotto, whose concepts are counted",
     .value = "CLASS", .example = "thresholds", .choices = pac_class_choice},
    {"bits", CLI_COUNT, CLI_OPTIONAL, "--class: 2^B cells a feature", .value = "B",
     .example = "16", .count_max = 32},
    {"features", CLI_COUNT, CLI_OPTIONAL, "--class: number of features", .value = "D",
     .example = "20", .fallback = "1", .count_max = 1 << 20},
    {"both", CLI_FLAG, CLI_OPTIONAL,
     "--class thresholds, candidates: also in the other direction", .value = NULL},
    {"epsilon", CLI_NUMBER, CLI_OPTIONAL, "privacy loss, above 0", .value = "E",
     .example = "1", .range = CLI_POSITIVE},
    {"alpha", CLI_NUMBER, CLI_OPTIONAL,
     "error of the concept, above the best one's if agnostic", .value = "A",
     .example = "0.1", .range = CLI_POSITIVE},
    {"beta", CLI_NUMBER, CLI_OPTIONAL, "probability of missing alpha, at most",
     .value = "B", .example = "0.05", .range = CLI_POSITIVE},
    {"rows", CLI_COUNT, CLI_OPTIONAL, "compute alpha, epsilon and beta for N rows",
     .value = "N", .example = "2000", .count_max = UINT64_C(1) << 53},
    {"adjacency", CLI_CHOICE, CLI_OPTIONAL, "definition of neighbours", .value = "NAME",
     .fallback = "add-remove", .choices = cli_adjacency_choice},
    {0},
};

/* --- the numbers --- */

typedef enum column { ROWS, ALPHA, EPSILON, BETA, COLUMNS } column;

static const char *const column_names[COLUMNS] = {"rows", "alpha", "epsilon", "beta"};

typedef struct answers {
    sotto_pac_setting setting;
    bool asked[COLUMNS];
    double values[SOTTO_PAC_BOUNDS][COLUMNS]; /* NaN: the bound reaches none */
    uint64_t least; /* rows without which no private learner does it; 0: not known */
} answers;

static sotto_status read_class(const cli_call *call, sotto_pac_setting *setting,
                               sotto_error *error)
{
    if (cli_given(call, "class-size") == cli_given(call, "class")) {
        return cli_fail(error, SOTTO_INVALID_ARGUMENT,
                        "--class-size is missing; give it, for example --class-size "
                        "1000, or --class, for example --class thresholds --bits 16");
    }
    if (cli_given(call, "class-size")) {
        static const char *const parts[] = {"bits", "features", "both"};
        for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
            if (!cli_given(call, parts[i])) continue;
            return cli_fail(error, SOTTO_INVALID_ARGUMENT,
                            "--%s is of --class; --class-size counts the concepts "
                            "itself; leave one of them out",
                            parts[i]);
        }
        setting->class_size = (double)cli_count(call, "class-size");
        return SOTTO_OK;
    }
    const char *name = cli_text(call, "class");
    const bool has_cells = strcmp(name, "conjunctions") != 0 &&
                           strcmp(name, "parities") != 0 &&
                           strcmp(name, "candidates") != 0;
    if (has_cells && !cli_given(call, "bits")) {
        return cli_fail(error, SOTTO_INVALID_ARGUMENT,
                        "--bits is missing: --class %s needs the cells of a feature; for "
                        "example --bits 16",
                        name);
    }
    return sotto_pac_set_class(
        setting, name, cli_given(call, "bits") ? cli_count(call, "bits") : 1,
        cli_count(call, "features"), cli_flag(call, "both"), error);
}

/* Finds the requested quantities: n, or with --rows the one that the given ones leave
 * open. */
static sotto_status read_question(const cli_call *call, answers *out, sotto_error *error)
{
    size_t given = 0;
    for (int i = ALPHA; i < COLUMNS; i++)
        given += cli_given(call, column_names[i]);
    if (!cli_given(call, "rows")) {
        out->asked[ROWS] = true;
        if (given == 3) return SOTTO_OK;
        return cli_fail(
            error, SOTTO_INVALID_ARGUMENT,
            "--epsilon, --alpha and --beta are not all given, and the number of rows "
            "follows from them; give all three, or --rows and two of them");
    }
    if (given < 2) {
        return cli_fail(error, SOTTO_INVALID_ARGUMENT,
                        "--rows leaves one of --epsilon, --alpha and --beta open; give "
                        "two of them, or all three for each in turn");
    }
    for (int i = ALPHA; i < COLUMNS; i++)
        out->asked[i] = given == 3 || !cli_given(call, column_names[i]);
    return SOTTO_OK;
}

static sotto_status ask(const sotto_pac_setting *setting, sotto_pac_bound bound,
                        column what, double *out, sotto_error *error)
{
    uint64_t rows = 0;
    sotto_status status = SOTTO_OK;
    *out = SOTTO_UNSET;
    switch (what) {
    case ROWS:
        status = sotto_pac_rows(setting, bound, &rows, error);
        if (status == SOTTO_OK) *out = (double)rows;
        break;
    case ALPHA:
        status = sotto_pac_alpha(setting, bound, out, error);
        break;
    case EPSILON:
        if (sotto_pac_bound_is_private(bound))
            status = sotto_pac_epsilon(setting, bound, out, error);
        break;
    case BETA:
        status = sotto_pac_beta(setting, bound, out, error);
        break;
    case COLUMNS:
        break;
    }
    return status == SOTTO_UNREACHABLE ? SOTTO_OK : status;
}

/* Classes that hold the thresholds of a feature hold the packing of sotto/pac_packing.h: a threshold between any two
 * neighbouring cells. */
static sotto_status find_least(const cli_call *call, answers *out, sotto_error *error)
{
    const sotto_pac_setting *setting = &out->setting;
    const char *name = cli_text(call, "class");
    const bool holds_packing =
        name != NULL && (strcmp(name, "thresholds") == 0 ||
                         strcmp(name, "intervals") == 0 || strcmp(name, "stumps") == 0);
    if (!holds_packing || !out->asked[ROWS] || !(setting->alpha < 0.5) ||
        !(setting->beta < 0.5) || cli_count(call, "bits") < 2)
        return SOTTO_OK;
    const sotto_packing_setting packing = {
        .adjacency = setting->adjacency,
        .epsilon = setting->epsilon,
        .class_size = (UINT64_C(1) << cli_count(call, "bits")) - 1};
    const sotto_status status = sotto_packing_least_rows(
        &packing, setting->alpha, setting->beta, &out->least, error);
    return status == SOTTO_UNREACHABLE ? SOTTO_OK : status;
}

static sotto_status fill(const cli_call *call, answers *out, sotto_error *error)
{
    sotto_pac_setting *setting = &out->setting;
    *setting = sotto_pac_defaults();
    setting->epsilon = cli_number(call, "epsilon");
    setting->alpha = cli_number(call, "alpha");
    setting->beta = cli_number(call, "beta");
    if (cli_given(call, "rows")) setting->rows = (double)cli_count(call, "rows");
    setting->adjacency = cli_adjacency(call);
    sotto_status status = read_class(call, setting, error);
    if (status == SOTTO_OK) status = read_question(call, out, error);
    for (int b = 0; b < SOTTO_PAC_BOUNDS && status == SOTTO_OK; b++) {
        for (int i = 0; i < COLUMNS && status == SOTTO_OK; i++) {
            if (!out->asked[i]) continue;
            status = ask(setting, (sotto_pac_bound)(b + 1), (column)i, &out->values[b][i],
                         error);
        }
    }
    if (status == SOTTO_OK) status = find_least(call, out, error);
    return status;
}

/* --- text --- */

static const char *shown(double value, column what, char out[CLI_NUMBER_BYTES])
{
    if (isnan(value)) return "none";
    if (what != ROWS) return cli_rounded_up(value, 4, out);
    (void)snprintf(out, CLI_NUMBER_BYTES, "%.0f", value);
    return out;
}

static void show_setting(const answers *made)
{
    const sotto_pac_setting *s = &made->setting;
    const struct {
        const char *name;
        double value;
    } lines[] = {{"epsilon", s->epsilon}, {"alpha", s->alpha}, {"beta", s->beta}};
    char number[CLI_NUMBER_BYTES];
    if (isnan(s->class_size)) {
        cli_line("concepts", "e^%s, at most",
                 cli_rounded_up(s->log_class_size, 6, number));
    } else {
        cli_line("concepts", "%.0f", s->class_size);
    }
    cli_line("adjacency", "%s", sotto_adjacency_name(s->adjacency));
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++)
        if (!isnan(lines[i].value))
            cli_line(lines[i].name, "%s", cli_shortest(lines[i].value, number));
    if (!isnan(s->rows)) cli_line("rows", "%.0f", s->rows);
}

static void show_text(const answers *made)
{
    char number[CLI_NUMBER_BYTES];
    show_setting(made);
    (void)printf("\n%-19s", "bound");
    for (int i = 0; i < COLUMNS; i++)
        if (made->asked[i]) (void)printf(" %16s", column_names[i]);
    (void)printf("  %-11s %s\n", "assumes", "learner");
    for (int b = 0; b < SOTTO_PAC_BOUNDS; b++) {
        const sotto_pac_bound bound = (sotto_pac_bound)(b + 1);
        (void)printf("%-19s", sotto_pac_bound_name(bound));
        for (int i = 0; i < COLUMNS; i++) {
            if (!made->asked[i]) continue;
            const bool has_none = i == EPSILON && !sotto_pac_bound_is_private(bound);
            (void)printf(" %16s",
                         has_none ? "-" : shown(made->values[b][i], (column)i, number));
        }
        (void)printf("  %-11s %s\n",
                     sotto_pac_bound_is_agnostic(bound) ? "nothing" : "realizable",
                     sotto_pac_bound_words(bound));
    }
    if (made->least > 0)
        (void)printf("%-19s %16" PRIu64 "  %-11s %s\n", "no learner below", made->least,
                     "realizable", "every private one: the packing of thresholds");
    (void)printf("\nrealizable: some concept of the class is never wrong. Rows are "
                 "independent samples from one distribution.\n");
}

/* --- JSON --- */

static sotto_status show_json(const answers *made, sotto_error *error)
{
    const sotto_pac_setting *s = &made->setting;
    sotto_json_writer *json = sotto_json_new();
    if (!isnan(s->class_size))
        sotto_json_count(json, "class_size", (uint64_t)s->class_size);
    sotto_json_number(json, "log_class_size", s->log_class_size);
    sotto_json_text(json, "adjacency", sotto_adjacency_name(s->adjacency));
    sotto_json_number(json, "epsilon", s->epsilon);
    sotto_json_number(json, "alpha", s->alpha);
    sotto_json_number(json, "beta", s->beta);
    if (!isnan(s->rows)) sotto_json_count(json, "rows", (uint64_t)s->rows);
    sotto_json_array(json, "bounds");
    for (int b = 0; b < SOTTO_PAC_BOUNDS; b++) {
        const sotto_pac_bound bound = (sotto_pac_bound)(b + 1);
        sotto_json_object(json, NULL);
        sotto_json_text(json, "bound", sotto_pac_bound_name(bound));
        sotto_json_text(json, "assumes",
                        sotto_pac_bound_is_agnostic(bound) ? "nothing" : "realizable");
        sotto_json_flag(json, "private", sotto_pac_bound_is_private(bound));
        sotto_json_text(json, "learner", sotto_pac_bound_words(bound));
        sotto_json_text(json, "formula", sotto_pac_bound_formula(bound));
        for (int i = 0; i < COLUMNS; i++) {
            const double value = made->asked[i] ? made->values[b][i] : SOTTO_UNSET;
            if (i == ROWS && !isnan(value)) {
                sotto_json_count(json, column_names[i], (uint64_t)value);
            } else {
                sotto_json_number(json, column_names[i], value);
            }
        }
        sotto_json_end(json);
    }
    sotto_json_end(json);
    if (made->least > 0) sotto_json_count(json, "packing_least_rows", made->least);
    return cli_json_print(json, error);
}

/* --- the command --- */

static sotto_status run(const cli_call *call, sotto_error *error)
{
    answers made = {.asked = {false}};
    const sotto_status status = fill(call, &made, error);
    if (status != SOTTO_OK) return status;
    if (cli_flag(call, "json")) return show_json(&made, error);
    show_text(&made);
    return SOTTO_OK;
}

const cli_command pac_sample_size = {
    .name = "sample-size",
    .summary = "Compute the rows that learning needs, with and without privacy",
    .details = "Bounds are theorems about independent rows; nothing is read or charged.",
    .options = options,
    .example =
        "sotto pac sample-size --class-size 1000 --epsilon 1 --alpha 0.1 --beta 0.05",
    .run = run,
};
