/* models/concept/learn/pac.h: private learning over a finite class of concepts.
 *
 * Idea: the score of a concept is minus its errors on the records, a whole number. One record
 * moves it by at most 1, a unit by its number of rows. One of them is chosen by the exponential
 * mechanism, by permute-and-flip, or as the best of all counts with Laplace noise. Structured
 * classes are never listed: their scores are constant on cells, or sums of two functions. The
 * choice is sampled exactly (random/choice.h).
 */
#ifndef SOT_MODELS_CONCEPT_LEARN_PAC_H
#define SOT_MODELS_CONCEPT_LEARN_PAC_H

#include "methods/learner.h"
#include "models/concept/classes/concept.h"

/* The learner of SOTTO_MODEL_CONCEPT: method exponential (auto), permute-and-flip, laplace or none. Takes the class over, also
 * when it fails: learner->concept owns it. Refuses settings that the method cannot honour, by name, among them permute-and-flip and laplace
 * for classes too large to list. */
SOTTO_MUST_CHECK sotto_status sot_pac_new(const sot_learner_setup *setup,
                                          sot_concept_class *class,
                                          sot_learner **out_learner, sotto_error *error);

#endif
