/* One margin a row: the losses of models/linear/losses/loss.h behind methods/empirical.h. */
#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "methods/convex/empirical_parts.h"
#include "models/linear/rows/row_sum.h"
#include "models/linear/rows/rows.h"
#include "models/linear/solver/problem.h"
#include "numeric/outward.h"

/* What the solver is asked for, against the bound of one record's gradient: small against any noise.
 * The hinge is solved through smoothed ones, by the root of their distance (models/linear/solver/solver.md). */
#define TAU_SHARE       0x1p-20
#define TAU_SHARE_HINGE 0x1p-10
/* With a caller's slopes in double the certificate has a floor, the sum of their errors over at
 * most 2^32 rows (models/linear/solver/solver.md). */
#define TAU_ROWS 0x1p35

/* Width and thresholds, in units of the margin and of the encoded target. */
#define SETTING_LEAST 0x1p-20
#define SETTING_MOST  0x1p20

/* ---- public: which loss ---- */

static sotto_status check_setting(const char *name, double value, sotto_error *error)
{
    if (value >= SETTING_LEAST && value <= SETTING_MOST) return SOTTO_OK;
    return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                    "%s is %g; give a number between %g and %g", name, value,
                    SETTING_LEAST, SETTING_MOST);
}

static sotto_status check_strangers(const sotto_train_config *config, sotto_error *error)
{
    const sotto_model_kind model = config->model;
    const char *stranger = NULL;
    if (config->width != sotto_train_defaults().width && model != SOTTO_MODEL_SVM)
        stranger = "a width";
    if (!isnan(config->threshold) && model != SOTTO_MODEL_HUBER &&
        model != SOTTO_MODEL_LINEAR && model != SOTTO_MODEL_POISSON)
        stranger = "a threshold";
    if (config->loss != NULL && model != SOTTO_MODEL_CUSTOM)
        stranger = "a loss of the caller's";
    if (stranger == NULL) return SOTTO_OK;
    return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                    "%s has no meaning for the model %s; leave it out", stranger,
                    sotto_model_kind_name(model));
}

static sotto_status check_target(const sot_learner_setup *setup, sot_target_role needed,
                                 sotto_error *error)
{
    static const char *const wants[] = {
        [SOT_TARGET_CLASSES] = "two classes: a target with two labels",
        [SOT_TARGET_NUMBER] = "a number: a target with a lower and an upper bound",
        [SOT_TARGET_COUNT] = "a count: a target with bounds, the lower one not below 0"};
    const sot_target_role role = sot_encoding_role(setup->encoding);
    const size_t classes = sot_encoding_classes(setup->encoding);
    if (role == needed && (role != SOT_TARGET_CLASSES || classes == 2)) return SOTTO_OK;
    if (role == SOT_TARGET_CLASSES && needed == SOT_TARGET_CLASSES) {
        return sot_fail(error, SOTTO_UNSUPPORTED,
                        "the label set has %zu labels; the model %s needs two", classes,
                        sotto_model_kind_name(setup->config->model));
    }
    return sot_fail(error, SOTTO_UNSUPPORTED, "the model %s needs %s",
                    sotto_model_kind_name(setup->config->model), wants[needed]);
}

/* R B, the largest margin, if there is a ball; otherwise infinite. */
static double margin_most(const sot_learner_setup *setup)
{
    const double radius = setup->config->radius;
    if (isnan(radius)) return (double)INFINITY;
    return sot_mul_up(sot_encoding_bound(setup->encoding), radius);
}

/* Squared: 2, the largest residual of a prediction within the target's range [-1, 1], or less if the
 * ball allows no such residual. Huber: an eighth of the range. Poisson: the largest count, so that
 * no rate up to it is cut, or less if the ball allows no such slope. */
static double threshold_of_rule(const sot_learner_setup *setup, double label_most)
{
    const double most = margin_most(setup);
    if (setup->config->model == SOTTO_MODEL_HUBER) return 0.25;
    if (setup->config->model == SOTTO_MODEL_LINEAR)
        return fmin(2.0, sot_add_up(most, label_most));
    const double rule = fmax(label_most, 1.0);
    return fmin(rule,
                fmax(sot_exp_up(most), sot_sub_up(label_most, sot_exp_down(-most))));
}

static sotto_status numeric_loss(const sot_learner_setup *setup, sot_loss *out,
                                 sotto_error *error)
{
    const sotto_model_kind model = setup->config->model;
    const bool counts = model == SOTTO_MODEL_POISSON;
    const double label_most = sot_encoding_target_most(setup->encoding);
    const double given = setup->config->threshold;
    sotto_status status =
        check_target(setup, counts ? SOT_TARGET_COUNT : SOT_TARGET_NUMBER, error);
    if (status == SOTTO_OK && !isnan(given))
        status = check_setting("the threshold", given, error);
    if (status == SOTTO_OK && !(label_most <= 0x1p40)) {
        status = sot_fail(error, SOTTO_UNSUPPORTED,
                          "the target's upper bound is %g; a count is at most 2^40",
                          label_most);
    }
    if (status != SOTTO_OK) return status;
    const double threshold = isnan(given) ? threshold_of_rule(setup, label_most) : given;
    *out = counts                       ? sot_loss_poisson(threshold, label_most)
           : model == SOTTO_MODEL_HUBER ? sot_loss_huber(threshold, label_most)
                                        : sot_loss_squared(threshold, label_most);
    return SOTTO_OK;
}

static sotto_status custom_loss(const sot_learner_setup *setup, sot_loss *out,
                                sotto_error *error)
{
    const sotto_loss *given = setup->config->loss;
    if (given == NULL) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "the model custom has no loss; set config->loss");
    }
    const sotto_status status = check_target(
        setup, given->classes ? SOT_TARGET_CLASSES : SOT_TARGET_NUMBER, error);
    return status == SOTTO_OK ? sot_loss_custom(given, out, error) : status;
}

static sotto_status class_loss(const sot_learner_setup *setup, sot_loss *out,
                               sotto_error *error)
{
    const sotto_train_config *config = setup->config;
    sotto_status status = check_target(setup, SOT_TARGET_CLASSES, error);
    if (status != SOTTO_OK) return status;
    *out = config->model == SOTTO_MODEL_HINGE ? sot_loss_hinge : sot_loss_logistic;
    if (config->model != SOTTO_MODEL_SVM) return SOTTO_OK;
    status = check_setting("the width", config->width, error);
    if (status == SOTTO_OK) *out = sot_loss_smoothed_hinge(config->width);
    return status;
}

sotto_status sot_empirical_loss(const sot_learner_setup *setup, sot_loss *out_loss,
                                sotto_error *error)
{
    const sotto_model_kind model = setup->config->model;
    const double radius = setup->config->radius;
    const sotto_status status = check_strangers(setup->config, error);
    if (status != SOTTO_OK) return status;
    if (!isnan(radius) && !(radius >= 0x1p-100 && radius <= 0x1p100)) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "the radius is %g; give a positive bound of the coefficients' "
                        "norm, from 1e-30 to 1e30",
                        radius);
    }
    switch (model) {
    case SOTTO_MODEL_LOGISTIC:
    case SOTTO_MODEL_SVM:
    case SOTTO_MODEL_HINGE:
        return class_loss(setup, out_loss, error);
    case SOTTO_MODEL_LINEAR:
    case SOTTO_MODEL_HUBER:
    case SOTTO_MODEL_POISSON:
        return numeric_loss(setup, out_loss, error);
    case SOTTO_MODEL_CUSTOM:
        return custom_loss(setup, out_loss, error);
    case SOTTO_MODEL_SOFTMAX:
    case SOTTO_MODEL_NETWORK:
    case SOTTO_MODEL_CONCEPT:
    case SOTTO_MODEL_UNSET:
        break;
    }
    return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                    "the model is %d; set it to one of sotto_model_kind", (int)model);
}

/* ---- secret: operations on the records ---- */

static sot_glm problem_of(const sot_empirical *empirical, const sot_matrix *matrix,
                          const sot_empirical_terms *terms)
{
    return (sot_glm){.matrix = matrix,
                     .loss = empirical->state,
                     .lambda = terms->lambda,
                     .center = terms->center,
                     .l1 = terms->l1,
                     .l1_width = terms->l1_width,
                     .radius = terms->radius};
}

static sotto_status solve(const sot_empirical *empirical, const sot_matrix *matrix,
                          const sot_empirical_terms *terms, const double *linear,
                          double tau, sot_pool *pool, double *theta, sotto_error *error)
{
    sot_glm glm = problem_of(empirical, matrix, terms);
    glm.linear = linear;
    glm.pool = pool;
    return sot_glm_solve(&glm, tau, theta, error);
}

static sotto_status noise_of(const sot_empirical *empirical, const sot_matrix *matrix,
                             const sot_empirical_terms *terms, const double *theta,
                             double *out_noise, double *out_log_determinant,
                             sotto_error *error)
{
    const sot_glm glm = problem_of(empirical, matrix, terms);
    return sot_glm_noise_of(&glm, theta, out_noise, out_log_determinant, error);
}

static sotto_status add_gradient(const sot_empirical *empirical, const sot_matrix *matrix,
                                 const uint32_t *rows, size_t count, const double *theta,
                                 double spacing, sot_pool *pool, int64_t *units,
                                 sotto_error *error)
{
    const sot_glm glm = {.matrix = matrix, .loss = empirical->state, .pool = pool};
    return sot_glm_add_gradient_units(&glm, rows, count, theta, spacing, units, error);
}

/* f'(theta.x; y) x, as models/linear/rows/row_sum.h wants it. */
static void add_row(const void *problem, size_t row, const double *theta, double *scratch,
                    double *sum)
{
    const sot_glm *glm = problem;
    const sot_rows *kernels = sot_rows_for(glm->matrix);
    double curvature;
    kernels->dots(glm->matrix, row, row + 1, theta, scratch);
    glm->loss->bend(glm->loss, scratch[0], glm->matrix->labels[row], &scratch[0],
                    &curvature);
    kernels->add(glm->matrix, row, row + 1, scratch, sum);
}

static sotto_status add_gradient_double(const sot_empirical *empirical,
                                        const sot_matrix *matrix, const uint32_t *rows,
                                        size_t count, const double *theta, sot_pool *pool,
                                        double *sum, sotto_error *error)
{
    const sot_glm glm = {.matrix = matrix, .loss = empirical->state};
    const sot_row_sum asked = {.matrix = matrix,
                               .rows = rows,
                               .count = count,
                               .vectors = 1,
                               .part = add_row,
                               .problem = &glm,
                               .pool = pool};
    return sot_row_sum_add(&asked, theta, sum, error);
}

static const sot_empirical_operations operations = {.solve = solve,
                                                    .noise_of = noise_of,
                                                    .add_gradient = add_gradient,
                                                    .add_gradient_double =
                                                        add_gradient_double};

/* ---- public: the whole ---- */

static sot_empirical_facts facts_of(const sot_learner_setup *setup, const sot_loss *loss)
{
    const double bound = sot_encoding_bound(setup->encoding);
    const double record_bound = sot_mul_up(loss->slope_most, bound);
    const double smoothness = sot_mul_up(loss->curvature_most, sot_mul_up(bound, bound));
    const bool hinge = setup->config->model == SOTTO_MODEL_HINGE;
    double tau = record_bound * (hinge ? TAU_SHARE_HINGE : TAU_SHARE);
    if (setup->config->model == SOTTO_MODEL_CUSTOM)
        tau = fmax(tau, TAU_ROWS * loss->slope_error_careful * bound);
    const size_t columns = sot_encoding_dimension(setup->encoding);
    /* A margin is off by at most columns + 1 roundings of |theta| R (models/linear/solver/gradient_norm.md), the slope by the
     * curvature times that and the loss's own error, and each product is rounded once. */
    const double margin_error = sot_widen_up(((double)columns + 2.0) * 0x1p-53, 0x1p-20);
    const double slope_error =
        sot_add_up(loss->slope_error, sot_mul_up(loss->slope_most, 0x1p-52));
    return (sot_empirical_facts){
        .name = loss->name,
        .outputs = 1,
        .dimension = columns,
        .record_bound = record_bound,
        .smoothness = smoothness,
        .rank = 1,
        .trace = smoothness,
        .one_signed = loss->one_signed,
        .self_bounding = loss->self_bounding,
        .tau = tau,
        .row_error = sot_mul_up(slope_error, bound),
        .row_error_norm = sot_mul_up(smoothness, margin_error),
        .coordinate_bound =
            sot_mul_up(loss->slope_most, sot_encoding_feature_most(setup->encoding))};
}

sotto_status sot_empirical_glm(const sot_learner_setup *setup,
                               sot_empirical **out_empirical, sotto_error *error)
{
    sot_loss *loss = sot_new_array(1, sizeof *loss);
    sot_empirical *empirical = sot_new_array(1, sizeof *empirical);
    sotto_status status = SOTTO_OK;
    if (loss == NULL || empirical == NULL)
        status = sot_fail_memory(error, 1, sizeof *loss + sizeof *empirical);
    if (status == SOTTO_OK) status = sot_empirical_loss(setup, loss, error);
    if (status != SOTTO_OK) {
        sot_free(loss);
        sot_free(empirical);
        return status;
    }
    *empirical = (sot_empirical){.facts = facts_of(setup, loss),
                                 .operations = &operations,
                                 .loss = loss,
                                 .state = loss};
    *out_empirical = empirical;
    return SOTTO_OK;
}
