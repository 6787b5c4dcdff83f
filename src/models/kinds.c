#include "models/kinds.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include <sotto/loss.h>

#include "base/error.h"
#include "base/text.h"
#include "numeric/outward.h"

/* Width and thresholds, in units of the margin and of the encoded target. */
#define SETTING_LEAST 0x1p-20
#define SETTING_MOST  0x1p20

static sotto_status check_setting(const char *name, double value, sotto_error *error)
{
    if (value >= SETTING_LEAST && value <= SETTING_MOST) return SOTTO_OK;
    return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                    "`%s` is %g; give a number between %g and %g", name, value,
                    SETTING_LEAST, SETTING_MOST);
}

static sotto_status check_target(const sotto_train_config *config,
                                 const sot_encoding *encoding, sot_target_role needed,
                                 sotto_error *error)
{
    static const char *const wants[] = {
        [SOT_TARGET_CLASSES] = "two classes: a target with two labels",
        [SOT_TARGET_NUMBER] = "a number: a target with a lower and an upper bound",
        [SOT_TARGET_COUNT] = "a count: a target with bounds, the lower one not below 0"};
    const sot_target_role role = sot_encoding_role(encoding);
    const size_t classes = sot_encoding_classes(encoding);
    if (role == needed && (role != SOT_TARGET_CLASSES || classes == 2)) return SOTTO_OK;
    if (role == SOT_TARGET_CLASSES && needed == SOT_TARGET_CLASSES) {
        return sot_fail(error, SOTTO_UNSUPPORTED,
                        "the label set has %zu labels; the model %s needs two", classes,
                        sotto_model_kind_name(config->model));
    }
    return sot_fail(error, SOTTO_UNSUPPORTED, "the model %s needs %s",
                    sotto_model_kind_name(config->model), wants[needed]);
}

/* ---- losses of classes ---- */

static sotto_status make_logistic(const sotto_train_config *config,
                                  const sot_encoding *encoding, sot_loss *out_loss,
                                  sotto_error *error)
{
    *out_loss = sot_loss_logistic;
    return check_target(config, encoding, SOT_TARGET_CLASSES, error);
}

static sotto_status make_hinge(const sotto_train_config *config,
                               const sot_encoding *encoding, sot_loss *out_loss,
                               sotto_error *error)
{
    *out_loss = sot_loss_hinge;
    return check_target(config, encoding, SOT_TARGET_CLASSES, error);
}

static sotto_status make_svm(const sotto_train_config *config,
                             const sot_encoding *encoding, sot_loss *out_loss,
                             sotto_error *error)
{
    sotto_status status = check_target(config, encoding, SOT_TARGET_CLASSES, error);
    if (status == SOTTO_OK) status = check_setting("width", config->width, error);
    if (status == SOTTO_OK) *out_loss = sot_loss_smoothed_hinge(config->width);
    return status;
}

/* ---- losses of numbers ---- */

/* Default thresholds, from the largest margin (infinite without a ball) and the largest label. Squared: a quarter of the
 * target's range [-1, 1]. The noise grows with it, and few residuals are larger (docs/results/defaults.md). */
static double threshold_squared(double margin_most, double label_most)
{
    (void)margin_most;
    (void)label_most;
    return 0.5;
}

/* An eighth of the range. */
static double threshold_huber(double margin_most, double label_most)
{
    (void)margin_most;
    (void)label_most;
    return 0.25;
}

/* The largest count, so that no rate up to it is clipped, or less if the ball allows no such slope. */
static double threshold_poisson(double margin_most, double label_most)
{
    return fmin(fmax(label_most, 1.0),
                fmax(sot_exp_up(margin_most),
                     sot_sub_up(label_most, sot_exp_down(-margin_most))));
}

/* R B, the largest margin, if there is a ball; otherwise infinite. */
static double margin_most_of(const sotto_train_config *config,
                             const sot_encoding *encoding)
{
    if (isnan(config->radius)) return (double)INFINITY;
    return sot_mul_up(sot_encoding_bound(encoding), config->radius);
}

typedef struct numeric_rule {
    sot_target_role role;
    double (*threshold)(double margin_most, double label_most);
    sot_loss (*loss)(double threshold, double label_most);
} numeric_rule;

static sotto_status make_numeric(const numeric_rule *rule,
                                 const sotto_train_config *config,
                                 const sot_encoding *encoding, sot_loss *out_loss,
                                 sotto_error *error)
{
    const double label_most = sot_encoding_target_most(encoding);
    const double given = config->threshold;
    sotto_status status = check_target(config, encoding, rule->role, error);
    if (status == SOTTO_OK && !isnan(given))
        status = check_setting("threshold", given, error);
    if (status == SOTTO_OK && !(label_most <= 0x1p40)) {
        status = sot_fail(error, SOTTO_UNSUPPORTED,
                          "the target's upper bound is %g; a count is at most 2^40",
                          label_most);
    }
    if (status != SOTTO_OK) return status;
    const double margin_most = margin_most_of(config, encoding);
    *out_loss = rule->loss(
        isnan(given) ? rule->threshold(margin_most, label_most) : given, label_most);
    return SOTTO_OK;
}

static sotto_status make_squared(const sotto_train_config *config,
                                 const sot_encoding *encoding, sot_loss *out_loss,
                                 sotto_error *error)
{
    static const numeric_rule rule = {SOT_TARGET_NUMBER, threshold_squared,
                                      sot_loss_squared};
    return make_numeric(&rule, config, encoding, out_loss, error);
}

static sotto_status make_huber(const sotto_train_config *config,
                               const sot_encoding *encoding, sot_loss *out_loss,
                               sotto_error *error)
{
    static const numeric_rule rule = {SOT_TARGET_NUMBER, threshold_huber, sot_loss_huber};
    return make_numeric(&rule, config, encoding, out_loss, error);
}

static sotto_status make_poisson(const sotto_train_config *config,
                                 const sot_encoding *encoding, sot_loss *out_loss,
                                 sotto_error *error)
{
    static const numeric_rule rule = {SOT_TARGET_COUNT, threshold_poisson,
                                      sot_loss_poisson};
    return make_numeric(&rule, config, encoding, out_loss, error);
}

/* ---- by the target ---- */

/* Softmax, for more than two classes, has no loss of one margin. */
static sotto_status make_additive(const sotto_train_config *config,
                                  const sot_encoding *encoding, sot_loss *out_loss,
                                  sotto_error *error)
{
    static const numeric_rule rule = {SOT_TARGET_NUMBER, threshold_squared,
                                      sot_loss_squared};
    return sot_encoding_role(encoding) == SOT_TARGET_CLASSES
               ? make_logistic(config, encoding, out_loss, error)
               : make_numeric(&rule, config, encoding, out_loss, error);
}

/* ---- a loss of the caller's ---- */

static sotto_status make_custom(const sotto_train_config *config,
                                const sot_encoding *encoding, sot_loss *out_loss,
                                sotto_error *error)
{
    const sotto_loss *given = config->loss;
    if (given == NULL) {
        return sot_fail(
            error, SOTTO_INVALID_ARGUMENT,
            "`loss` is missing: the model custom needs one; set config->loss");
    }
    const sotto_status status = check_target(
        config, encoding, given->classes ? SOT_TARGET_CLASSES : SOT_TARGET_NUMBER, error);
    return status == SOTTO_OK ? sot_loss_custom(given, out_loss, error) : status;
}

/* ---- the table ---- */

static double curvature_of_svm(const sotto_train_config *config)
{
    return 0.5 / config->width;
}

static double curvature_of_custom(const sotto_train_config *config)
{
    return config->loss->curvature_most;
}

static const char residuals[] =
    "residuals beyond it count linearly, the target from -1 to 1";

static const sot_model_row rows[] = {
    [SOTTO_MODEL_UNSET] = {.has_coefficients = true},
    [SOTTO_MODEL_LOGISTIC] = {.name = "logistic",
                              .probabilities = true,
                              .loss = make_logistic,
                              .newton_proof = true,
                              .curvature = 0.25,
                              .has_coefficients = true},
    [SOTTO_MODEL_LINEAR] = {.name = "linear",
                            .role = SOT_TARGET_NUMBER,
                            .loss = make_squared,
                            .threshold_why = residuals,
                            .is_quadratic = true,
                            .curvature = 1.0,
                            .has_coefficients = true},
    [SOTTO_MODEL_SVM] = {.name = "svm",
                         .an = true,
                         .loss = make_svm,
                         .width_why = "of the hinge's smoothed kink",
                         .curvature_of = curvature_of_svm,
                         .has_coefficients = true},
    [SOTTO_MODEL_HINGE] = {.name = "hinge",
                           .loss = make_hinge,
                           .kinked = true,
                           .plain = SOTTO_MODEL_SVM,
                           .has_coefficients = true},
    [SOTTO_MODEL_HUBER] = {.name = "huber",
                           .role = SOT_TARGET_NUMBER,
                           .loss = make_huber,
                           .threshold_why = residuals,
                           .keeps_threshold = true,
                           .pays_for_curvature = true,
                           .curvature = 1.0,
                           .has_coefficients = true},
    [SOTTO_MODEL_SOFTMAX] = {.name = "softmax",
                             .many_classes = true,
                             .class_vectors = true,
                             .probabilities = true,
                             .curvature = 0.5,
                             .has_coefficients = true},
    [SOTTO_MODEL_POISSON] = {.name = "poisson",
                             .role = SOT_TARGET_COUNT,
                             .loss = make_poisson,
                             .threshold_why = "clip of the loss derivative",
                             .pays_for_curvature = true,
                             .has_coefficients = true},
    [SOTTO_MODEL_CUSTOM] = {.name = "custom",
                            .follows_target = true,
                            .loss = make_custom,
                            .takes_loss = true,
                            .curvature_of = curvature_of_custom,
                            .has_coefficients = true},
    [SOTTO_MODEL_NETWORK] = {.name = "network",
                             .follows_target = true,
                             .many_classes = true,
                             .probabilities = true,
                             .has_settings = true},
    [SOTTO_MODEL_CONCEPT] = {.name = "concept", .chosen = true},
    [SOTTO_MODEL_ADDITIVE] = {.name = "additive",
                              .an = true,
                              .follows_target = true,
                              .many_classes = true,
                              .class_vectors = true,
                              .halves_two = true,
                              .has_bins = true,
                              .probabilities = true,
                              .loss = make_additive,
                              .threshold_why = residuals,
                              .keeps_threshold = true,
                              .curvature = 1.0,
                              .has_coefficients = true},
};
enum { ROWS = sizeof rows / sizeof rows[0] };

const sot_model_row *sot_model_row_of(sotto_model_kind kind)
{
    const int index = (int)kind;
    return &rows[index > 0 && index < ROWS ? index : 0];
}

/* ---- names ---- */

const char *sotto_model_kind_name(sotto_model_kind kind)
{
    const char *name = sot_model_row_of(kind)->name;
    return name == NULL ? "unknown" : name;
}

/* A loss of the caller's is the last one: it is for C only. */
const char *sot_model_kind_names(const char *word, char out[SOT_KIND_NAMES_BYTES])
{
    size_t length = 0;
    const char *last = NULL;
    for (int i = 1; i < ROWS; i++) {
        if (rows[i].takes_loss) {
            last = rows[i].name;
            continue;
        }
        length += (size_t)snprintf(out + length, SOT_KIND_NAMES_BYTES - length, "%s%s",
                                   length == 0 ? "" : ", ", rows[i].name);
    }
    (void)snprintf(out + length, SOT_KIND_NAMES_BYTES - length, " %s %s", word, last);
    return out;
}

sotto_status sotto_model_kind_from_name(const char *name, sotto_model_kind *out,
                                        sotto_error *error)
{
    char shown[64], known[SOT_KIND_NAMES_BYTES];
    for (int i = 1; name != NULL && i < ROWS; i++) {
        if (strcmp(rows[i].name, name) != 0) continue;
        *out = (sotto_model_kind)i;
        return SOTTO_OK;
    }
    return sot_fail(error, SOTTO_INVALID_ARGUMENT, "`model` is '%s'; give %s",
                    sot_printable(name == NULL ? "" : name, shown, sizeof shown),
                    sot_model_kind_names("or", known));
}

/* ---- predictions ---- */

sot_target_role sot_model_role(sotto_model_kind kind, const sotto_target *target)
{
    const sot_model_row *row = sot_model_row_of(kind);
    return row->follows_target ? sot_target_role_of(target) : row->role;
}

size_t sot_model_margins(sotto_model_kind kind, size_t classes)
{
    const sot_model_row *row = sot_model_row_of(kind);
    if (row->halves_two && classes == 2) return 1;
    return row->many_classes && classes > 0 ? classes : 1;
}

bool sot_model_has_class_vectors(sotto_model_kind kind, size_t classes)
{
    return sot_model_row_of(kind)->class_vectors && sot_model_margins(kind, classes) > 1;
}

bool sot_model_has_threshold(sotto_model_kind kind, sot_target_role role)
{
    const sot_model_row *row = sot_model_row_of(kind);
    return row->threshold_why != NULL &&
           !(row->follows_target && role == SOT_TARGET_CLASSES);
}

sotto_prediction sot_model_prediction(sotto_model_kind kind, sot_target_role role)
{
    if (role != SOT_TARGET_CLASSES) return SOTTO_PREDICTS_NUMBER;
    return sot_model_row_of(kind)->probabilities ? SOTTO_PREDICTS_PROBABILITIES
                                                 : SOTTO_PREDICTS_SCORE;
}

sotto_status sot_model_check_classes(sotto_model_kind kind, size_t classes,
                                     sotto_error *error)
{
    if (classes == 0 || classes == 2) return SOTTO_OK;
    if (!sot_model_row_of(kind)->many_classes) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "the target has %zu labels; the model %s takes two: list two as "
                        "\"labels\" of the target, or give `model=softmax`",
                        classes, sotto_model_kind_name(kind));
    }
    if (classes <= SOT_MODEL_CLASSES_MAX) return SOTTO_OK;
    return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                    "the target has %zu labels; the model %s takes at most %d: list the "
                    "relevant ones as \"labels\" of the target",
                    classes, sotto_model_kind_name(kind), (int)SOT_MODEL_CLASSES_MAX);
}

/* ---- losses ---- */

sotto_model_kind sot_model_plain(sotto_model_kind kind)
{
    const sotto_model_kind plain = sot_model_row_of(kind)->plain;
    return plain == SOTTO_MODEL_UNSET ? kind : plain;
}

bool sot_model_is_smooth(const sotto_train_config *config)
{
    const sot_model_row *row = sot_model_row_of(config->model);
    return row->takes_loss ? isfinite(config->loss->curvature_most) : !row->kinked;
}

bool sot_model_pays_for_curvature(const sotto_train_config *config)
{
    const sot_model_row *row = sot_model_row_of(config->model);
    return row->takes_loss ? !config->loss->classes : row->pays_for_curvature;
}

double sot_model_curvature(const sotto_train_config *config)
{
    const sot_model_row *row = sot_model_row_of(config->model);
    if (row->curvature_of != NULL) return row->curvature_of(config);
    return row->curvature > 0.0 ? row->curvature : (double)INFINITY;
}

static sotto_status check_strangers(const sotto_train_config *config,
                                    sot_target_role role, sotto_error *error)
{
    const sot_model_row *row = sot_model_row_of(config->model);
    const char *stranger = NULL;
    if (config->width != sotto_train_defaults().width && row->width_why == NULL)
        stranger = "`width`";
    if (!isnan(config->threshold) && !sot_model_has_threshold(config->model, role))
        stranger = "`threshold`";
    if (config->loss != NULL && !row->takes_loss) stranger = "`loss`";
    if (stranger == NULL) return SOTTO_OK;
    return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                    "%s has no meaning for the model %s; leave it out", stranger,
                    sotto_model_kind_name(config->model));
}

sotto_status sot_model_loss(const sotto_train_config *config,
                            const sot_encoding *encoding, sot_loss *out_loss,
                            sotto_error *error)
{
    const double radius = config->radius;
    sot_loss_maker *const make = sot_model_row_of(config->model)->loss;
    const sotto_status status =
        check_strangers(config, sot_encoding_role(encoding), error);
    if (status != SOTTO_OK) return status;
    if (!isnan(radius) && !(radius >= 0x1p-100 && radius <= 0x1p100)) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "`radius` is %g; a bound of the coefficients' norm lies from "
                        "1e-30 to 1e30; for example `radius=10`",
                        radius);
    }
    if (make != NULL) return make(config, encoding, out_loss, error);
    return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                    "the model is %d; set it to one of sotto_model_kind",
                    (int)config->model);
}
