/* Advice on better settings for a training, only from settings and schema. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "commands/train/train.h"
#include "data/encode/blocks.h"
#include "methods/convex/erm.h"
#include "methods/kinds.h"
#include "models/kinds.h"

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
static void
advise(sotto_training *training, const char *format, ...)
{
    va_list arguments;
    if (training->advice_count == SOT_ADVICE_MAX) return;
    va_start(arguments, format);
    (void)vsnprintf(training->advice[training->advice_count++], SOT_ADVICE_BYTES, format,
                    arguments);
    va_end(arguments);
}

/* delta is the chance that the promise fails altogether: with 1/delta people one of them may be
 * published whole. */
static void advise_on_delta(sotto_training *training)
{
    const double delta = training->config.delta;
    const double rows = (double)sot_learner_rows(&training->learner->setup);
    char shown[SOT_SHOWN_BYTES], bound[SOT_SHOWN_BYTES];
    if (isnan(delta)) return;
    sot_shown(delta, 0, shown);
    if (rows > 0.0 && delta > 1.0 / rows) {
        advise(training,
               "delta %s is above 1/rows: publishing one row at random would be allowed; "
               "take a delta far below %s",
               shown, sot_shown(1.0 / rows, 0, bound));
    } else if (delta > 1e-5) {
        advise(training,
               "delta %s is large; take one far below 1 over the number of rows", shown);
    }
}

static void advise_on_epsilon(sotto_training *training)
{
    const double epsilon = training->config.epsilon;
    char shown[SOT_SHOWN_BYTES];
    if (epsilon > 8.0) {
        advise(training,
               "epsilon %s protects little against an attacker who knows the other rows: "
               "odds may change by the factor exp(epsilon)",
               sot_shown(epsilon, 0, shown));
    }
}

/* The noise is proportional to R, the signal is not. */
static void advise_on_norm(sotto_training *training)
{
    const double bound = sot_encoding_bound(training->encoding);
    const size_t dimension = sot_encoding_dimension(training->encoding);
    char shown[SOT_SHOWN_BYTES], root[SOT_SHOWN_BYTES];
    const sotto_row_norm norm = sotto_schema_row_norm(training->schema);
    if (norm.given || bound <= 2.0 || sot_encoding_blocks(training->encoding) > 0)
        return; /* rows of bins all have this norm */
    advise(training,
           "the norm bound %s is the largest norm of %s columns, and the noise grows "
           "with it: most rows are shorter; try a smaller row_norm",
           sot_shown(bound, 1, shown), sot_shown((double)dimension, 0, root));
}

static void advise_on_lambda(sotto_training *training)
{
    const double lambda = sot_learner_setting(training->learner, "lambda");
    const double rows = (double)sot_learner_rows(&training->learner->setup);
    const double beta = sot_learner_setting(
        training->learner, "beta"); /* weight of a row, for posterior samples */
    char shown[SOT_SHOWN_BYTES];
    if ((isnan(training->config.lambda) && isnan(beta)) || rows == 0.0) return;
    const double bound = sot_encoding_bound(training->encoding);
    const double weight = rows * bound * bound * sot_model_curvature(&training->config);
    if (!isnan(beta) && lambda > beta * weight) {
        advise(training,
               "the prior (lambda %s) outweighs all expected rows: a posterior sample "
               "will mostly reflect it; use more rows, a larger epsilon or fewer samples",
               sot_shown(lambda, 0, shown));
    } else if (lambda > weight) {
        advise(training,
               "lambda %s outweighs all expected rows together: the model will learn "
               "little; lambda is a weight beside the sum of the losses, not their mean",
               sot_shown(lambda, 0, shown));
    }
}

/* The slope of a row's loss, and with it the noise, follows the largest count. */
static void advise_on_counts(sotto_training *training)
{
    const double most = sot_encoding_target_most(training->encoding);
    char shown[SOT_SHOWN_BYTES];
    if (sot_encoding_role(training->encoding) != SOT_TARGET_COUNT || most <= 100.0)
        return;
    advise(training,
           "counts up to %s make steep losses, and the noise grows with them: give the "
           "target a smaller upper bound, which few counts exceed",
           sot_shown(most, 0, shown));
}

/* Names the choice of auto with more information, and methods that would do better. */
static void advise_on_method(sotto_training *training)
{
    const sotto_train_config *config = &training->config;
    const double rows = (double)sot_learner_rows(&training->learner->setup);
    if (config->method == SOTTO_METHOD_AUTO && rows == 0.0) {
        const char *why;
        sotto_train_config with_rows = *config;
        with_rows.expected_rows = 1;
        if (sot_erm_choose(&with_rows, &why) != training->method)
            advise(training,
                   "gradient descent does better for this loss and epsilon, and needs "
                   "the expected rows: give them (an estimate is fine)");
    }
    /* Its noise goes with the largest feature, that of the others with the norm of a row. */
    if (sot_method_row_of(training->method)->own_ball &&
        sot_encoding_bound(training->encoding) <
            8.0 * sot_encoding_feature_most(training->encoding))
        advise(training,
               "frank-wolfe is for many columns, and rows much longer than their largest "
               "feature; here the other methods do better: try auto");
}

/* A bound on a concept's errors that is as bad as guessing is not useful. */
static void advise_on_class(sotto_training *training)
{
    const double shortfall = sot_learner_setting(training->learner, "shortfall");
    const double rows = (double)sot_learner_rows(&training->learner->setup);
    char shown[SOT_SHOWN_BYTES], half[SOT_SHOWN_BYTES];
    if (!(rows > 0.0 && shortfall > 0.5 * rows)) return;
    advise(training,
           "the shortfall %s exceeds %s, half of the expected rows: the concept may be a "
           "mere guess; use %s, or a larger epsilon",
           sot_shown(shortfall, 0, shown), sot_shown(floor(0.5 * rows), 0, half),
           training->learner->errors.lists > 0 ? "the method exponential"
                                               : "fewer columns or cut points");
}

void sot_training_advise(sotto_training *training)
{
    if (training->plan == NULL) return;
    advise_on_epsilon(training);
    advise_on_delta(training);
    if (training->learner->concept != NULL) advise_on_class(training);
    if (training->learner->net != NULL || training->learner->concept != NULL)
        return; /* the rest is of convex losses */
    advise_on_norm(training);
    advise_on_lambda(training);
    advise_on_counts(training);
    advise_on_method(training);
    if (training->config.calibration != SOTTO_CALIBRATION_SHARP &&
        (sot_method_row_of(training->method)->takes & SOT_TAKES_CALIBRATION) != 0) {
        advise(training, "the calibration %s is for comparison; sharp needs less noise",
               sotto_calibration_name(training->config.calibration));
    }
}
