/* sotto/model_kind.h: the kinds of model that are learned, and the words for them.
 *
 * Idea        A kind is a loss and the prediction of its minimiser: a class, a number or a count.
 * Use         sotto/train_config.h, sotto/model.h; losses.md
 */
#ifndef SOTTO_MODEL_KIND_H
#define SOTTO_MODEL_KIND_H

#include <sotto/error.h>
#include <sotto/train_settings.h>

#ifdef __cplusplus
extern "C" {
#endif

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
