/* sotto/train_config.h: the words for the settings of a training.
 *
 * Idea        The command line, Python and model files spell methods, schedules and samplers by these names.
 * Use         sotto/train.h
 */
#ifndef SOTTO_TRAIN_CONFIG_H
#define SOTTO_TRAIN_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <sotto/accountant.h>
#include <sotto/error.h>
#include <sotto/model_kind.h>
#include <sotto/train_settings.h>

#ifdef __cplusplus
extern "C" {
#endif

/* "objective", "sharp", ... as the command line and the model file spell them; "unknown" for
 * other values; and the values behind such names. */
SOTTO_API const char *sotto_method_name(sotto_method method);
/* True for a method that adds noise. The others are for public rows only. */
SOTTO_API bool sotto_method_adds_noise(sotto_method method);
SOTTO_API const char *sotto_calibration_name(sotto_calibration calibration);
SOTTO_API const char *sotto_schedule_name(sotto_schedule schedule);
SOTTO_API const char *sotto_iterate_name(sotto_iterate iterate);
SOTTO_API const char *sotto_clipping_name(sotto_clipping clipping);
SOTTO_API const char *sotto_optimizer_name(sotto_optimizer optimizer);
SOTTO_API const char *sotto_sampler_name(sotto_sampler sampler);
SOTTO_API const char *sotto_basis_name(sotto_basis basis);
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_basis_from_name(const char *name,
                                                              sotto_basis *out,
                                                              sotto_error *error);
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_sampler_from_name(const char *name,
                                                                sotto_sampler *out,
                                                                sotto_error *error);
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_method_from_name(const char *name,
                                                               sotto_method *out,
                                                               sotto_error *error);
SOTTO_API SOTTO_MUST_CHECK sotto_status
sotto_calibration_from_name(const char *name, sotto_calibration *out, sotto_error *error);
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_schedule_from_name(const char *name,
                                                                 sotto_schedule *out,
                                                                 sotto_error *error);
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_iterate_from_name(const char *name,
                                                                sotto_iterate *out,
                                                                sotto_error *error);
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_clipping_from_name(const char *name,
                                                                 sotto_clipping *out,
                                                                 sotto_error *error);
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_optimizer_from_name(const char *name,
                                                                  sotto_optimizer *out,
                                                                  sotto_error *error);

#ifdef __cplusplus
}
#endif
#endif
