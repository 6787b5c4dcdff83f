/* The parts of a concept's training beside its learner. */
#include "commands/train/concept.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <sotto/pac_theory.h>

#include "base/error.h"
#include "base/memory.h"
#include "methods/kinds.h"
#include "models/concept/classes/concept.h"
#include "models/concept/learn/pac.h"
#include "random/rng.h"

enum { FEATURES_SHOWN = 12, CUTS_SHOWN = 8, RULE_BYTES = 512 };

/* Failure probability of statements about new rows. */
#define FAILURE 0.05

/* ---- the class and the learner ---- */

static sotto_status check_concept(const sotto_train_config *config, sotto_error *error)
{
    if (config->concept == NULL) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "`concept` is missing: the class of concepts to choose from; "
                        "give `concept=stumps`, the path of a file, or JSON");
    }
    const sot_method_row *method = sot_method_row_of(config->method);
    if (config->method != SOTTO_METHOD_AUTO && !method->noiseless && !method->chooses) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "`method` is %s, which does not choose concepts; use "
                        "exponential, permute-and-flip or laplace",
                        sotto_method_name(config->method));
    }
    if (!isnan(config->delta)) {
        return sot_fail(
            error, SOTTO_INVALID_ARGUMENT,
            "`delta` is %g, but the choice of a concept is pure; leave `delta` out",
            config->delta);
    }
    return SOTTO_OK;
}

sotto_status sot_training_make_class(sotto_training *training, sotto_error *error)
{
    const sotto_train_config *config = &training->config;
    sotto_status status = check_concept(config, error);
    if (status == SOTTO_OK)
        status = sot_concept_class_new(training->schema, training->target,
                                       config->concept, &training->class, error);
    if (status != SOTTO_OK) return status;
    return sot_encoding_new_cells(training->schema, training->target,
                                  training->class->grids, training->class->features,
                                  &training->encoding, error);
}

sotto_status sot_training_make_concept(sotto_training *training, sotto_error *error)
{
    const sotto_train_config *config = &training->config;
    const uint64_t unit_rows = sotto_schema_unit_rows(training->schema);
    training->method = config->method;
    if (config->method == SOTTO_METHOD_AUTO) {
        training->method = SOTTO_METHOD_EXPONENTIAL;
        training->method_why = "it is exact for every class";
    }
    const sot_learner_setup setup = {.config = config,
                                     .encoding = training->encoding,
                                     .schema = training->schema,
                                     .unit_rows = unit_rows == 0 ? 1 : unit_rows,
                                     .method = training->method};
    sot_concept_class *class = training->class;
    training->class = NULL; /* the learner's from here on, also when it fails */
    return sot_pac_new(&setup, class, &training->learner, error);
}

/* ---- noisy errors ---- */

sotto_status sot_training_keep_errors(const sotto_training *training, sotto_error *error)
{
    sot_learner *learner = training->learner;
    if (learner->errors.lists == 0) return SOTTO_OK;
    const size_t count = (size_t)sot_concept_counts(learner->concept);
    learner->errors.counts = sot_new_array(count, sizeof *learner->errors.counts);
    return learner->errors.counts == NULL
               ? sot_fail_memory(error, count, sizeof *learner->errors.counts)
               : SOTTO_OK;
}

void sot_training_clear_errors(const sotto_training *training)
{
    sot_free(training->learner->errors.counts); /* released */
    training->learner->errors.counts = NULL;
}

sot_concept_errors sot_training_errors(const sotto_training *training)
{
    const sot_concept_errors *errors = &training->learner->errors;
    return errors->counts == NULL ? (sot_concept_errors){.lists = 0} : *errors;
}

/* ---- theory for a number of rows ---- */

/* The least alpha of a bound; NaN: none below 1, or rows that are not independent, or a choice in parts. */
static double alpha_of(const sotto_training *training, sotto_pac_bound bound)
{
    const sot_learner *learner = training->learner;
    sotto_pac_setting asked = sotto_pac_defaults();
    double alpha = SOTTO_UNSET;
    asked.adjacency = training->config.adjacency;
    asked.log_class_size = sot_concept_class_log_size(learner->concept);
    asked.epsilon = training->config.epsilon;
    asked.beta = FAILURE;
    asked.rows = (double)sot_learner_rows(&learner->setup);
    const bool fits = asked.rows > 0.0 && learner->setup.unit_rows == 1 &&
                      learner->concept->weights == NULL &&
                      isnan(sot_learner_setting(learner, "choice_epsilon"));
    if (!fits || sotto_pac_alpha(&asked, bound, &alpha, NULL) != SOTTO_OK)
        return SOTTO_UNSET;
    return alpha;
}

static void find_alphas(const sotto_training *training, double *out_agnostic,
                        double *out_realizable)
{
    const bool laplace = training->learner->errors.lists > 0;
    const bool is_public = training->plan == NULL;
    *out_agnostic = alpha_of(training, is_public ? SOTTO_PAC_PUBLIC_AGNOSTIC
                                       : laplace ? SOTTO_PAC_LAPLACE_AGNOSTIC
                                                 : SOTTO_PAC_AGNOSTIC);
    *out_realizable = alpha_of(training, is_public ? SOTTO_PAC_PUBLIC_REALIZABLE
                                         : laplace ? SOTTO_PAC_LAPLACE_REALIZABLE
                                                   : SOTTO_PAC_REALIZABLE);
}

/* Four digits behind the point, rounded up. */
static double coarse(double alpha)
{
    return ceil(alpha * 1e4) / 1e4;
}

/* Writes nothing if the number of rows is not given. */
static void show_alphas(const sotto_training *training, sot_prose *prose)
{
    double agnostic, realizable;
    char value[SOT_SHOWN_BYTES];
    find_alphas(training, &agnostic, &realizable);
    if (!isnan(agnostic))
        sot_prose_line(
            prose, "generalises",
            "on new rows at most %s worse than the best concept, with probability 0.95",
            sot_shown(coarse(agnostic), 1, value));
    if (!isnan(realizable))
        sot_prose_line(prose, isnan(agnostic) ? "generalises" : "",
                       "wrong on at most %s of new rows if some concept is never wrong",
                       sot_shown(coarse(realizable), 1, value));
}

/* ---- words ---- */

const char *sot_concept_count_text(const sot_concept_class *class,
                                   char out[SOT_CONCEPTS_BYTES])
{
    const uint64_t size = sot_concept_class_size(class);
    if (size != UINT64_MAX)
        (void)snprintf(out, SOT_CONCEPTS_BYTES, "%llu concept%s",
                       (unsigned long long)size, size == 1 ? "" : "s");
    else
        (void)snprintf(out, SOT_CONCEPTS_BYTES, "about 2^%.1f concepts",
                       sot_concept_class_log_size(class) / log(2.0));
    return out;
}

/* Shows the thresholds of a feature, or its number of cells and bounds. */
static void show_grid(sot_prose *prose, const char *name, const sot_cells_grid *grid)
{
    char lower[SOT_SHOWN_BYTES], upper[SOT_SHOWN_BYTES];
    if (grid->indicator) {
        sot_prose_line(prose, "", "%s: yes or no", name);
        return;
    }
    if (grid->cuts == NULL || grid->cells - 1 > CUTS_SHOWN) {
        sot_prose_line(
            prose, "", "%s: %llu %s from %s to %s", name, (unsigned long long)grid->cells,
            grid->cuts == NULL ? "cells of equal width"
                               : "cells between public cut points",
            sot_shown(grid->lower, 0, lower), sot_shown(grid->upper, 0, upper));
        return;
    }
    char list[CUTS_SHOWN * SOT_SHOWN_BYTES] = "";
    size_t used = 0;
    for (size_t i = 0; i + 1 < grid->cells; i++) {
        const int size = snprintf(list + used, sizeof list - used, "%s%s",
                                  i == 0 ? "" : ", ", sot_shown(grid->cuts[i], 0, lower));
        used += (size_t)size;
    }
    sot_prose_line(prose, "", "%s: cut points %s", name, list);
}

void sot_training_show_concept(const sotto_training *training, bool features,
                               sot_prose *prose)
{
    const sot_concept_class *class = training->learner->concept;
    char count[SOT_CONCEPTS_BYTES];
    sot_prose_line(prose, "class", "%s of %zu feature%s%s%s: %s",
                   sot_concept_kind_name(class->kind), class->features,
                   class->features == 1 ? "" : "s", class->both ? ", both ways" : "",
                   class->weights != NULL ? ", cut points weighted by a public measure"
                                          : "",
                   sot_concept_count_text(class, count));
    if (!features) return;
    for (size_t i = 0; i < class->features && i < FEATURES_SHOWN; i++)
        show_grid(prose, class->names[i], &class->grids[i]);
    if (class->features > FEATURES_SHOWN)
        sot_prose_line(prose, "", "and %zu more", class->features - FEATURES_SHOWN);
    show_alphas(training, prose);
}

bool sot_training_is_said(const sotto_training *training, const sot_setting *setting)
{
    const uint64_t size = sot_concept_class_size(training->learner->concept);
    const bool parts = !isnan(sot_learner_setting(training->learner, "choice_epsilon"));
    return strcmp(setting->name, "concepts") == 0 && !parts &&
           (size == UINT64_MAX || setting->value == (double)size);
}

/* Shows the other values that laplace released: its errors on the rows, whose number may
 * be secret. */
static void show_fit(const sotto_training *training, sot_prose *prose)
{
    const sot_concept_errors errors = sot_training_errors(training);
    char scale[SOT_SHOWN_BYTES], rows[64] = "";
    if (errors.lists == 0) return;
    const sot_concept_fit fit =
        sot_concept_fit_of(training->learner->concept, &errors, FAILURE);
    if (training->config.public_n > 0)
        (void)snprintf(rows, sizeof rows, " of %" PRIu64, training->config.public_n);
    sot_prose_line(prose, "errors",
                   "about %" PRId64 "%s on these rows, counted with noise of scale %s; "
                   "with probability 0.95 at most %" PRId64,
                   fit.noisy, rows, sot_shown(fit.scale, 0, scale), fit.upper);
}

void sot_training_show_rule(const sotto_training *training, const double *numbers,
                            sot_prose *prose)
{
    char rule[RULE_BYTES];
    sot_concept_text(training->learner->concept, numbers, rule, sizeof rule);
    sot_prose_line(prose, "concept", "%s: %s", sot_encoding_class(training->encoding, 1),
                   rule);
    show_fit(training, prose);
}

/* ---- JSON ---- */

static void write_alpha(sot_json_writer *writer, const char *key, double value)
{
    if (isnan(value)) return;
    sot_json_put_double(writer, key, value);
}

static void write_feature(const sot_concept_class *class, size_t index,
                          sot_json_writer *writer)
{
    const sot_cells_grid *grid = &class->grids[index];
    sot_json_begin_object(writer);
    sot_json_put_text(writer, "name", class->names[index]);
    sot_json_put_whole(writer, "cells", grid->cells);
    sot_json_end_object(writer);
}

void sot_training_write_concept(const sotto_training *training, sot_json_writer *writer)
{
    const sot_concept_class *class = training->learner->concept;
    const uint64_t size = sot_concept_class_size(class);
    sot_json_open_object(writer, "class");
    sot_json_put_text(writer, "kind", sot_concept_kind_name(class->kind));
    sot_json_put_bool(writer, "both", class->both);
    if (size != UINT64_MAX) {
        sot_json_put_whole(writer, "concepts", size);
    }
    sot_json_put_double(writer, "log_concepts", sot_concept_class_log_size(class));
    sot_json_open_array(writer, "features");
    for (size_t i = 0; i < class->features; i++)
        write_feature(class, i, writer);
    sot_json_end_array(writer);
    sot_json_end_object(writer);
    double agnostic, realizable;
    find_alphas(training, &agnostic, &realizable);
    write_alpha(writer, "alpha_agnostic", agnostic);
    write_alpha(writer, "alpha_realizable", realizable);
}

/* ---- public rows ---- */

/* Samples from the middle half of 0 .. cells, where a threshold leaves rows on both
 * sides. */
static double draw_cut(const sot_cells_grid *grid, sotto_rng *rng)
{
    const uint64_t first = grid->cells / 4;
    return (double)(first + sot_rng_below(rng, grid->cells - 2 * first) + 1);
}

/* The first and the last quarter each hold an end. */
static void draw_interval(const sot_cells_grid *grid, sotto_rng *rng, double *out)
{
    const uint64_t quarter = grid->cells / 4;
    out[0] = (double)sot_rng_below(rng, quarter + 1);
    out[1] = (double)(grid->cells - sot_rng_below(rng, quarter + 1));
}

/* A mask of up to three features, at least one. */
static double draw_mask(size_t features, sotto_rng *rng)
{
    uint32_t mask = 0;
    for (int i = 0; i < 3; i++)
        mask |= UINT32_C(1) << sot_rng_below(rng, features);
    return (double)mask;
}

static double draw_side(const sot_concept_class *class, sotto_rng *rng)
{
    return class->both && (sot_rng_u64(rng) & 1) != 0 ? 1.0 : 0.0;
}

static void draw_concept(const sot_concept_class *class, sotto_rng *rng, double *numbers)
{
    switch (class->kind) {
    case SOT_CONCEPT_THRESHOLDS:
        numbers[0] = draw_cut(class->grids, rng);
        numbers[1] = draw_side(class, rng);
        return;
    case SOT_CONCEPT_STUMPS: {
        const size_t feature = (size_t)sot_rng_below(rng, class->features);
        numbers[0] = (double)feature;
        numbers[1] = draw_cut(&class->grids[feature], rng);
        numbers[2] = draw_side(class, rng);
        return;
    }
    case SOT_CONCEPT_INTERVALS:
    case SOT_CONCEPT_RECTANGLES:
        for (size_t i = 0; i < class->features; i++)
            draw_interval(&class->grids[i], rng, numbers + 2 * i);
        return;
    case SOT_CONCEPT_CONJUNCTIONS:
    case SOT_CONCEPT_PARITIES:
        numbers[0] = draw_mask(class->features, rng);
        return;
    case SOT_CONCEPT_CANDIDATES:
        numbers[0] = (double)sot_rng_below(rng, class->features);
        numbers[1] = draw_side(class, rng);
        return;
    }
}

sotto_status sot_training_plant_concept(const sotto_training *training,
                                        sot_matrix *matrix, sotto_rng *rng,
                                        sotto_error *error)
{
    const sot_concept_class *class = training->learner->concept;
    const size_t count = sot_concept_numbers(class);
    double *numbers = sot_new_array(count, sizeof *numbers);
    if (numbers == NULL) return sot_fail_memory(error, count, sizeof *numbers);
    draw_concept(class, rng, numbers);
    for (size_t i = 0; i < matrix->rows; i++) {
        const bool says =
            sot_concept_says(class, numbers, matrix->cells + i * matrix->columns);
        const bool turned = sot_rng_below(rng, 10) == 0;
        matrix->labels[i] = says != turned ? 1.0 : -1.0;
    }
    sot_free(numbers);
    return sot_rng_check(rng, error);
}

double sot_training_score_concept(const sotto_training *training,
                                  const sot_matrix *matrix, const double *numbers)
{
    const sot_concept_class *class = training->learner->concept;
    size_t right = 0;
    for (size_t i = 0; i < matrix->rows; i++) {
        const bool says =
            sot_concept_says(class, numbers, matrix->cells + i * matrix->columns);
        right += says == (matrix->labels[i] > 0.0);
    }
    return (double)right / (double)matrix->rows;
}
