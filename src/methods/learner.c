#include "methods/learner.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "methods/empirical.h"
#include "models/concept/classes/concept.h"
#include "models/network/layers/net.h"

sot_learner *sot_learner_new(const sot_learner_setup *setup)
{
    sot_learner *learner = sot_new_array(1, sizeof *learner);
    if (learner == NULL) return NULL;
    learner->setup = *setup;
    learner->outputs = 1;
    return learner;
}

void sot_learner_free(sot_learner *learner)
{
    if (learner == NULL) return;
    if (learner->free_state != NULL)
        learner->free_state(learner->state);
    else
        sot_free(learner->state);
    sot_empirical_free(learner->empirical);
    if (learner->net != NULL) sot_net_free(learner->net);
    if (learner->concept != NULL) sot_concept_class_free(learner->concept);
    sot_free(learner);
}

void sot_learner_set(sot_learner *learner, const char *name, double value,
                     const char *why)
{
    assert(learner->setting_count < SOT_SETTINGS_MAX);
    learner->settings[learner->setting_count++] =
        (sot_setting){.name = name, .value = value, .why = why};
}

double sot_learner_setting(const sot_learner *learner, const char *name)
{
    for (size_t i = 0; i < learner->setting_count; i++)
        if (strcmp(learner->settings[i].name, name) == 0)
            return learner->settings[i].value;
    return SOTTO_UNSET;
}

void sot_learner_choose(sot_learner *learner, const char *name, const char *word)
{
    assert(learner->choice_count < SOT_CHOICES_MAX);
    learner->choices[learner->choice_count++] = (sot_choice){.name = name, .word = word};
}

size_t sot_learner_coefficients(const sot_learner *learner)
{
    if (learner->coefficients > 0) return learner->coefficients;
    const size_t draws = learner->draws > 0 ? learner->draws : 1;
    return draws * learner->outputs * sot_encoding_dimension(learner->setup.encoding);
}

uint64_t sot_learner_rows(const sot_learner_setup *setup)
{
    return setup->config->public_n > 0 ? setup->config->public_n
                                       : setup->config->expected_rows;
}

#define MARGIN_GUESS 4.0

double sot_learner_norm_guess(const sot_learner *learner)
{
    const double guess = MARGIN_GUESS / sot_encoding_bound(learner->setup.encoding);
    return fmin(guess, learner->setup.config->radius); /* of NaN: the guess */
}

/* ---- words of settings ---- */

static const char *const samplers[] = {"auto", "proximal", "exact-gaussian", "mala",
                                       NULL};
static const char *const calibrations[] = {"sharp",   "chaudhuri", "kifer",
                                           "redberg", "former",    NULL};

static const char *const schedules[] = {"auto",   "constant", "root", "strong",
                                        "linear", "cosine",   NULL};
static const char *const iterates[] = {"auto",     "average", "suffix",
                                       "weighted", "last",    NULL};

static const char *const clippings[] = {"flat", "per-layer", "automatic", NULL};
static const char *const optimizers[] = {"sgd", "adam", NULL};

/* The word at `index`, of a list that NULL ends and that may have no word at 0. */
static const char *word_at(const char *const *words, int index)
{
    if (index < 0 || (index == 0 && words[0] == NULL)) return "unknown";
    for (int i = words[0] == NULL ? 1 : 0; words[i] != NULL; i++)
        if (i == index) return words[i];
    return "unknown";
}

static sotto_status find_word(const char *const *words, const char *what,
                              const char *known, const char *name, int *out_index,
                              sotto_error *error)
{
    char shown[64];
    for (int i = words[0] == NULL ? 1 : 0; name != NULL && words[i] != NULL; i++) {
        if (strcmp(words[i], name) != 0) continue;
        *out_index = i;
        return SOTTO_OK;
    }
    return sot_fail(error, SOTTO_INVALID_ARGUMENT, "`%s` is '%s'; give %s", what,
                    sot_printable(name == NULL ? "" : name, shown, sizeof shown), known);
}

const char *sotto_calibration_name(sotto_calibration calibration)
{
    return word_at(calibrations, (int)calibration);
}

const char *sotto_schedule_name(sotto_schedule schedule)
{
    return word_at(schedules, (int)schedule);
}

const char *sotto_iterate_name(sotto_iterate iterate)
{
    return word_at(iterates, (int)iterate);
}

const char *sotto_clipping_name(sotto_clipping clipping)
{
    return word_at(clippings, (int)clipping);
}

const char *sotto_sampler_name(sotto_sampler sampler)
{
    return word_at(samplers, (int)sampler);
}

const char *sotto_optimizer_name(sotto_optimizer optimizer)
{
    return word_at(optimizers, (int)optimizer);
}

sotto_status sotto_calibration_from_name(const char *name, sotto_calibration *out,
                                         sotto_error *error)
{
    int index = 0;
    const sotto_status status =
        find_word(calibrations, "calibration",
                  "sharp, chaudhuri, kifer, redberg or former", name, &index, error);
    if (status == SOTTO_OK) *out = (sotto_calibration)index;
    return status;
}

sotto_status sotto_schedule_from_name(const char *name, sotto_schedule *out,
                                      sotto_error *error)
{
    int index = 0;
    const sotto_status status =
        find_word(schedules, "schedule", "auto, constant, root, strong, linear or cosine",
                  name, &index, error);
    if (status == SOTTO_OK) *out = (sotto_schedule)index;
    return status;
}

sotto_status sotto_iterate_from_name(const char *name, sotto_iterate *out,
                                     sotto_error *error)
{
    int index = 0;
    const sotto_status status =
        find_word(iterates, "iterate", "auto, average, suffix, weighted or last", name,
                  &index, error);
    if (status == SOTTO_OK) *out = (sotto_iterate)index;
    return status;
}

sotto_status sotto_clipping_from_name(const char *name, sotto_clipping *out,
                                      sotto_error *error)
{
    int index = 0;
    const sotto_status status = find_word(
        clippings, "clipping", "flat, per-layer or automatic", name, &index, error);
    if (status == SOTTO_OK) *out = (sotto_clipping)index;
    return status;
}

sotto_status sotto_sampler_from_name(const char *name, sotto_sampler *out,
                                     sotto_error *error)
{
    int index = 0;
    const sotto_status status =
        find_word(samplers, "sampler", "auto, proximal, exact-gaussian or mala", name,
                  &index, error);
    if (status == SOTTO_OK) *out = (sotto_sampler)index;
    return status;
}

sotto_status sotto_optimizer_from_name(const char *name, sotto_optimizer *out,
                                       sotto_error *error)
{
    int index = 0;
    const sotto_status status =
        find_word(optimizers, "optimizer", "sgd or adam", name, &index, error);
    if (status == SOTTO_OK) *out = (sotto_optimizer)index;
    return status;
}
