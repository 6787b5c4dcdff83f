/* sotto/model_kind.h: the kinds of model that are learned, and the words for them.
 *
 * Idea        A kind is a loss and what its minimiser predicts: a class, a number or a count.
 * Use         sotto/train_config.h, sotto/model.h; docs/losses.md
 */
#ifndef SOTTO_MODEL_KIND_H
#define SOTTO_MODEL_KIND_H

#include <sotto/error.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Values are part of the ABI: written out and never renumbered. */
typedef enum sotto_model_kind {
    SOTTO_MODEL_UNSET = 0,
    SOTTO_MODEL_LOGISTIC = 1, /* two classes */
    SOTTO_MODEL_LINEAR = 2,   /* a number, squared loss */
    SOTTO_MODEL_SVM = 3,      /* two classes, hinge loss with a smoothed corner */
    SOTTO_MODEL_HINGE = 4,    /* two classes, the hinge loss itself: not smooth */
    SOTTO_MODEL_HUBER = 5,    /* a number, squared loss with linear tails */
    SOTTO_MODEL_SOFTMAX = 6,  /* two classes or more */
    SOTTO_MODEL_POISSON = 7,  /* a count */
    SOTTO_MODEL_CUSTOM = 8,   /* a convex loss of the caller's: config->loss */
    SOTTO_MODEL_NETWORK = 9,  /* a neural network: config->network; classes or a number */
    SOTTO_MODEL_CONCEPT =
        10 /* one of a finite class of yes-no functions: config->concept; two classes */
} sotto_model_kind;

/* Posterior and regularized-em release at most so many draws. */
enum { SOTTO_DRAWS_MAX = 1000 };

/* "logistic", "linear", ... as the command line and the model file spell them; "unknown" for other
 * values; and the value behind such a name. */
SOTTO_API const char *sotto_model_kind_name(sotto_model_kind kind);
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_model_kind_from_name(const char *name,
                                                                   sotto_model_kind *out,
                                                                   sotto_error *error);

#ifdef __cplusplus
}
#endif
#endif
