#include "methods/learner.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/names.h"
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

static const sot_names samplers =
    SOT_NAMES("sampler", "auto", "proximal", "exact-gaussian", "mala");
static const sot_names calibrations =
    SOT_NAMES("calibration", "sharp", "chaudhuri", "kifer", "redberg", "former");
static const sot_names schedules =
    SOT_NAMES("schedule", "auto", "constant", "root", "strong", "linear", "cosine");
static const sot_names iterates =
    SOT_NAMES("iterate", "auto", "average", "suffix", "weighted", "last");
static const sot_names clippings =
    SOT_NAMES("clipping", "flat", "per-layer", "automatic");
static const sot_names optimizers = SOT_NAMES("optimizer", "sgd", "adam");
static const sot_names bases = SOT_NAMES("basis", "auto", "bins", "steps", "mixed");

SOT_DEFINE_NAMES(sotto_sampler, samplers)
SOT_DEFINE_NAMES(sotto_calibration, calibrations)
SOT_DEFINE_NAMES(sotto_schedule, schedules)
SOT_DEFINE_NAMES(sotto_iterate, iterates)
SOT_DEFINE_NAMES(sotto_clipping, clippings)
SOT_DEFINE_NAMES(sotto_optimizer, optimizers)
SOT_DEFINE_NAMES(sotto_basis, bases)
