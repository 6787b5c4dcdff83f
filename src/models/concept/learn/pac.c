/* The learner of a finite class: settings, plan, and the way to the class's own file. Claims: pac.md. */
#include "models/concept/learn/pac.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/progress.h"
#include "methods/learner_settings.h"
#include "models/concept/learn/parts.h"
#include "numeric/outward.h"

/* Failure probability of the statement about a learned concept's errors. */
#define FAILURE 0.05

/* ---- classes ---- */

static sot_pac_learn learn_of(const sot_concept_class *class)
{
    switch (class->kind) {
    case SOT_CONCEPT_THRESHOLDS:
    case SOT_CONCEPT_STUMPS:
        return sot_pac_learn_cuts;
    case SOT_CONCEPT_CONJUNCTIONS:
    case SOT_CONCEPT_PARITIES:
        return sot_pac_learn_masks;
    case SOT_CONCEPT_CANDIDATES:
        return sot_pac_learn_candidates;
    case SOT_CONCEPT_INTERVALS:
    case SOT_CONCEPT_RECTANGLES:
        break;
    }
    return class->kind == SOT_CONCEPT_RECTANGLES && class->features == 2
               ? sot_pac_learn_rectangles
               : sot_pac_learn_intervals;
}

static sotto_status measure_rectangles(sot_pac *pac, sotto_error *error)
{
    const sot_cells_grid *grids = pac->class->grids;
    for (size_t j = 0; j < 2; j++) {
        if (grids[j].cells <= SOT_PAC_SIDE_MAX) continue;
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "the feature '%.60s' has %" PRIu64
                        " cells, and rectangles of two features have at most %d cells a "
                        "side; set \"bits\" to 8 or less",
                        pac->class->names == NULL ? "" : pac->class->names[j],
                        grids[j].cells, SOT_PAC_SIDE_MAX);
    }
    pac->sizes[0] = sot_concept_list_size(pac->class, 0);
    return SOTTO_OK;
}

/* The measure of all concepts, choice by choice. */
static sotto_status measure_choices(sot_pac *pac, sotto_error *error)
{
    const sot_concept_class *class = pac->class;
    switch (class->kind) {
    case SOT_CONCEPT_THRESHOLDS:
    case SOT_CONCEPT_STUMPS:
        return sot_pac_cuts_measure(pac, &pac->sizes[0], error);
    case SOT_CONCEPT_CONJUNCTIONS:
    case SOT_CONCEPT_PARITIES:
    case SOT_CONCEPT_CANDIDATES:
        pac->sizes[0] = sot_concept_list_size(class, 0);
        return SOTTO_OK;
    case SOT_CONCEPT_INTERVALS:
    case SOT_CONCEPT_RECTANGLES:
        break;
    }
    if (class->kind == SOT_CONCEPT_RECTANGLES && class->features == 2)
        return measure_rectangles(pac, error);
    for (size_t i = 0; i < pac->choices; i++)
        pac->sizes[i] =
            sot_concept_intervals(&class->grids[i]) + 1; /* and the empty one */
    return SOTTO_OK;
}

/* True if the records are counted, so that they need not be in memory. */
static bool streams(const sot_concept_class *class)
{
    if (class->kind == SOT_CONCEPT_CONJUNCTIONS || class->kind == SOT_CONCEPT_PARITIES ||
        class->kind == SOT_CONCEPT_CANDIDATES)
        return true;
    const bool in_turn = sot_concept_lists(class) > 1; /* a pass a feature */
    uint64_t cells = 0;
    for (size_t j = 0; j < class->features; j++) {
        if (!in_turn) cells += class->grids[j].cells;
        if (in_turn && class->grids[j].cells > cells) cells = class->grids[j].cells;
    }
    return cells <= SOT_PAC_COUNTED_MAX;
}

/* ---- settings ---- */

static sotto_status check_listed(const sot_pac *pac, sotto_error *error)
{
    const bool listed = pac->method == SOTTO_METHOD_PERMUTE_AND_FLIP ||
                        pac->method == SOTTO_METHOD_LAPLACE;
    const char *name = sotto_method_name(pac->method);
    if (!listed) return SOTTO_OK;
    if (pac->class->weights != NULL) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "the class has weights, and %s treats all concepts alike; leave "
                        "the weights out, or give `method=exponential`",
                        name);
    }
    if (pac->method == SOTTO_METHOD_LAPLACE) {
        if (sot_concept_counts(pac->class) <= SOT_CONCEPT_COUNTS_MAX) return SOTTO_OK;
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "the class has %" PRIu64
                        " concepts%s, and %s releases the noisy errors of each, at most "
                        "2^20 in all; give fewer bits, or `method=exponential`",
                        pac->sizes[0], pac->choices > 1 ? " for its first feature" : "",
                        name);
    }
    for (size_t i = 0; i < pac->choices; i++) {
        if (pac->sizes[i] <= SOT_PAC_LISTED_MAX) continue;
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "the class has %" PRIu64
                        " concepts, and %s visits each of them, at most 2^24; give fewer "
                        "bits, or `method=exponential`",
                        pac->sizes[i], name);
    }
    return SOTTO_OK;
}

static sotto_status check_settings(const sot_learner_setup *setup, sotto_error *error)
{
    const sotto_train_config *config = setup->config;
    const sotto_status status =
        sot_learner_check_settings(setup, SOT_TAKES_CONCEPT, error);
    if (status != SOTTO_OK) return status;
    if (setup->method != SOTTO_METHOD_EXPONENTIAL &&
        setup->method != SOTTO_METHOD_PERMUTE_AND_FLIP &&
        setup->method != SOTTO_METHOD_LAPLACE && setup->method != SOTTO_METHOD_NONE) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "`method` is %s; for concepts give exponential, "
                        "permute-and-flip, laplace or none",
                        sotto_method_name(setup->method));
    }
    if (!isnan(config->lambda)) {
        return sot_fail(
            error, SOTTO_INVALID_ARGUMENT,
            "`lambda` is %g, but concepts have no coefficients; leave `lambda` out",
            config->lambda);
    }
    if (!isnan(config->delta)) {
        return sot_fail(
            error, SOTTO_INVALID_ARGUMENT,
            "`delta` is %g, but the choice of a concept is pure; leave `delta` out",
            config->delta);
    }
    return SOTTO_OK;
}

/* Errors change by at most 1 per row. A new record is an error of some concepts and moves no
 * count down, so under add-remove all changes have one sign. A replaced record may help one
 * concept and hurt another. */
static sotto_selection_config selection_of(const sot_learner_setup *setup, size_t choices)
{
    const sotto_train_config *config = setup->config;
    sotto_selection_config choice = sotto_selection_defaults();
    choice.epsilon = config->epsilon;
    if (choices > 1) {
        choice.epsilon = sot_div_down(config->epsilon, (double)choices);
        /* The total cost of the choices, rounded up, is at most epsilon. */
        while (sot_mul_up(choice.epsilon, (double)choices) > config->epsilon)
            choice.epsilon = sot_next_down(choice.epsilon);
    }
    choice.sensitivity = setup->unit_rows;
    choice.change =
        config->adjacency == SOTTO_ADD_REMOVE ? SOTTO_CHANGE_MONOTONE : SOTTO_CHANGE_ANY;
    choice.adjacency = config->adjacency;
    choice.purpose = choices > 1 ? "interval of one feature" : "concept";
    return choice;
}

/* ---- descriptions ---- */

static sotto_status show_choice(sot_learner *learner, const sot_pac *pac, uint64_t most,
                                uint64_t range, sotto_error *error)
{
    uint64_t shortfall = 0;
    const sotto_status status =
        sotto_selection_shortfall(&pac->choice, most, FAILURE, &shortfall, error);
    if (status != SOTTO_OK) return status;
    sot_learner_set(
        learner, "range", (double)range,
        pac->choice.change == SOTTO_CHANGE_MONOTONE
            ? "of a count's change: a record that is added or removed moves none down"
            : "of a count's change: a record that is replaced moves one up "
              "and another down");
    sot_learner_set(
        learner, "shortfall", (double)shortfall,
        pac->choices > 1
            ? "with probability 0.95 or more each interval makes fewer errors "
              "than this beyond the best one's"
            : "with probability 0.95 or more the concept makes fewer errors "
              "than this beyond the best one's");
    return SOTTO_OK;
}

/* The scales are the events'. The chosen count is within t of the best unless the noise of the
 * best is t/2 or more, or that of another one -t/2 or less. Each has probability at most
 * exp(-t / (2 scale)). */
static sotto_status show_laplace(sot_learner *learner, sot_pac *pac, uint64_t most,
                                 sotto_error *error)
{
    double scale = 0.0;
    pac->scales = sot_new_array(pac->choices, sizeof *pac->scales);
    if (pac->scales == NULL)
        return sot_fail_memory(error, pac->choices, sizeof *pac->scales);
    for (size_t i = 0; i < pac->choices; i++) {
        const sotto_status status = sot_pac_scale(pac, i, &pac->scales[i], error);
        if (status != SOTTO_OK) return status;
        scale = fmax(scale, pac->scales[i]);
    }
    learner->errors = (sot_concept_errors){.lists = pac->choices, .scales = pac->scales};
    const double logarithm = sot_log_up(sot_div_up((double)most, FAILURE));
    sot_learner_set(learner, "scale", scale,
                    "of the Laplace noise of every count: a record may be an error of "
                    "every concept");
    sot_learner_set(learner, "shortfall",
                    ceil(sot_mul_up(2.0, sot_mul_up(scale, logarithm))),
                    "with probability 0.95 or more the concept makes fewer errors than "
                    "this beyond the best one's");
    return SOTTO_OK;
}

static sotto_status show_settings(sot_learner *learner, sotto_error *error)
{
    sot_pac *pac = learner->state;
    uint64_t most = 0;
    for (size_t i = 0; i < pac->choices; i++)
        most = pac->sizes[i] > most ? pac->sizes[i] : most;
    sot_learner_set(learner, "concepts", (double)most,
                    pac->choices > 1              ? "intervals of a feature, at most"
                    : pac->class->weights != NULL ? "the weight of the class"
                                                  : "in the class");
    if (pac->method == SOTTO_METHOD_NONE) return SOTTO_OK;
    uint64_t range = 0;
    const sotto_status status = sotto_selection_range(&pac->choice, &range, error);
    if (status != SOTTO_OK) return status;
    if (pac->choices > 1) {
        sot_learner_set(learner, "choice_epsilon", pac->choice.epsilon,
                        "of each feature's interval");
    }
    sot_learner_set(learner, "sensitivity", (double)pac->choice.sensitivity,
                    pac->choice.sensitivity > 1
                        ? "of a count of errors: the rows of one unit"
                        : "of a count of errors");
    return pac->method == SOTTO_METHOD_LAPLACE
               ? show_laplace(learner, pac, most, error)
               : show_choice(learner, pac, most, range, error);
}

/* ---- the learner ---- */

static void free_state(void *state)
{
    sot_pac *pac = state;
    if (pac == NULL) return;
    for (size_t j = 0; pac->sums != NULL && j < pac->class->features; j++)
        sot_free(pac->sums[j]);
    sot_free((void *)pac->sums);
    sot_free(pac->sizes);
    sot_free(pac->scales);
    sot_free(pac);
}

static sotto_status plan(const sot_learner *learner, sotto_plan *events,
                         sotto_error *error)
{
    const sot_pac *pac = learner->state;
    /* Choices are alike; noise on counts goes by their number. */
    const bool alike = pac->method != SOTTO_METHOD_LAPLACE;
    sotto_status status = SOTTO_OK;
    for (size_t i = 0; i < (alike ? 1 : pac->choices) && status == SOTTO_OK; i++) {
        sotto_event event;
        status = sot_pac_event(pac, i, &event, error);
        if (status != SOTTO_OK) break;
        if (alike) event.count = pac->choices;
        status = sotto_plan_add(events, &event, error);
    }
    return status;
}

static sotto_status learn(const sot_learner *learner, sotto_gate *gate, sot_table *table,
                          sot_pool *pool, double *out_numbers, sotto_error *error)
{
    sot_pac pac = *(const sot_pac *)learner->state; /* which stays as it is */
    const sotto_train_config *settings = learner->setup.config;
    const double epsilon = gate == NULL ? 0.0 : settings->epsilon;
    const sot_progress progress =
        sot_progress_begin(settings->progress, settings->progress_context);
    sotto_status status = sot_progress_report(&progress, 0, 1, 0.0, error);
    pac.kept = learner->errors.counts;
    if (status == SOTTO_OK)
        status = learn_of(pac.class)(&pac, gate, table, pool, out_numbers, error);
    if (status == SOTTO_OK) status = sot_progress_report(&progress, 1, 1, epsilon, error);
    return status;
}

static sotto_status prepare(sot_learner *learner, sotto_error *error)
{
    sot_pac *pac = sot_new_array(1, sizeof *pac);
    if (pac == NULL) return sot_fail_memory(error, 1, sizeof *pac);
    learner->state = pac;
    learner->free_state = free_state;
    pac->class = learner->concept;
    pac->method = learner->setup.method;
    pac->choices = sot_concept_lists(pac->class);
    pac->sizes = sot_new_array(pac->choices, sizeof *pac->sizes);
    if (pac->sizes == NULL)
        return sot_fail_memory(error, pac->choices, sizeof *pac->sizes);
    pac->choice = selection_of(&learner->setup, pac->choices);
    sotto_status status = measure_choices(pac, error);
    if (status == SOTTO_OK) status = check_listed(pac, error);
    if (status == SOTTO_OK) status = show_settings(learner, error);
    if (status != SOTTO_OK) return status;
    learner->coefficients = sot_concept_numbers(pac->class);
    learner->grid = 1.0;
    learner->streams = streams(pac->class);
    learner->plan = pac->method == SOTTO_METHOD_NONE ? NULL : plan;
    learner->learn = learn;
    return SOTTO_OK;
}

sotto_status sot_pac_new(const sot_learner_setup *setup, sot_concept_class *class,
                         sot_learner **out_learner, sotto_error *error)
{
    sot_learner *learner = sot_learner_new(setup);
    if (learner == NULL) {
        sot_concept_class_free(class);
        return sot_fail_memory(error, 1, sizeof *learner);
    }
    learner->concept = class;
    sotto_status status = check_settings(setup, error);
    if (status == SOTTO_OK) status = prepare(learner, error);
    if (status != SOTTO_OK) {
        sot_learner_free(learner);
        return status;
    }
    *out_learner = learner;
    return SOTTO_OK;
}
