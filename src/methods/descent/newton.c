/* Noisy Newton steps for logistic regression: gradient and curvature sums pass the gate. Claims:
 * newton.md. */
#include <math.h>
#include <string.h>

#include <sotto/grid.h>

#include "base/error.h"
#include "base/memory.h"
#include "methods/descent/descent.h"
#include "methods/moments/statistics.h"
#include "models/kinds.h"
#include "models/linear/rows/least_eigenvalue.h"
#include "models/linear/rows/rows.h"
#include "numeric/outward.h"
#include "privacy/mechanisms/additive/additive.h"
#include "privacy/mechanisms/symmetric/symmetric.h"

/* Measured (newton.md): more steps gain little, and the curvature wants less of the budget than the
 * gradient. */
enum { STEPS_RULE = 10, STEPS_MOST = 1000 };
#define CURVATURE_SHARE 0.3

#define CURVATURE_MOST 0.25

/* Public: the settings. */
typedef struct newton {
    sot_descent gradient; /* its spacing, noise and steps */
    sotto_gaussian_config curvature;
    double per_unit; /* of sqrt(curvature) x */
    double ridge;    /* in units of the curvature sum */
    double lambda;
} newton;

/* One training; released numbers, but for the sums before their release. */
typedef struct walk {
    size_t columns;
    size_t width;
    double *theta; /* padded to the rows' width */
    int64_t *gradient;
    int64_t *curvature; /* columns^2 */
    double *matrix;     /* columns^2 */
    double *step;
} walk;

/* ---- public ---- */

static sotto_status check_setup(const sot_learner_setup *setup, sotto_error *error)
{
    const sotto_train_config *config = setup->config;
    const size_t columns = sot_encoding_dimension(setup->encoding);
    if (!sot_model_row_of(config->model)->newton_proof) {
        return sot_fail(error, SOTTO_UNSUPPORTED,
                        "`method` is newton, which has a proof only for the model "
                        "logistic; for the model %s give `method=auto`",
                        sotto_model_kind_name(config->model));
    }
    if (isnan(config->delta)) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "`delta` is missing: the noise of the method newton is Gaussian; "
                        "give `delta=1e-6`, or use `method=objective`");
    }
    if (config->steps > STEPS_MOST) {
        return sot_fail(
            error, SOTTO_INVALID_ARGUMENT,
            "`steps` is %llu, more than the method newton can use; give at most %d",
            (unsigned long long)config->steps, STEPS_MOST);
    }
    if (columns > SOT_GRAM_COLUMNS_MOST) {
        return sot_fail(error, SOTTO_UNSUPPORTED,
                        "the rows have %zu columns, and the method newton keeps a number "
                        "for each pair of them; it takes at most %d: give `method=auto`",
                        columns, SOT_GRAM_COLUMNS_MOST);
    }
    return SOTTO_OK;
}

/* gram.md, 1, 2 and 4, without a target: rows of sqrt(c) x, c <= 1/4. */
static sotto_status curvature_sensitivity(const sot_learner *learner, newton *out,
                                          sotto_error *error)
{
    int exponent;
    const sot_learner_setup *setup = &learner->setup;
    const double bound = sqrt(CURVATURE_MOST) * sot_encoding_bound(setup->encoding);
    const sotto_status status =
        sotto_grid_exponent(bound, SOT_GRAM_BITS, &exponent, error);
    if (status != SOTTO_OK) return status;
    out->per_unit = ldexp(1.0, -exponent);
    const double row = sot_mul_up(sot_mul_up(bound, out->per_unit), 1.0 + 0x1p-50);
    double moved = sot_mul_up(row, row);
    if (setup->config->adjacency == SOTTO_REPLACE_ONE)
        moved = sot_mul_up(moved, sot_sqrt_up(2.0));
    moved = sot_mul_up(moved, (double)setup->unit_rows);
    out->curvature = sotto_gaussian_defaults();
    out->curvature.l2_sensitivity = moved;
    out->curvature.adjacency = setup->config->adjacency;
    out->curvature.purpose = "curvature sum";
    out->curvature.grid = ldexp(1.0, 2 * exponent);
    return SOTTO_OK;
}

/* T releases of a share of mu^2 each. */
static void set_noise(sotto_gaussian_config *noise, double multiplier, uint64_t steps,
                      double share)
{
    const double times = sot_sqrt_up(sot_div_up((double)steps, share));
    noise->sigma = sot_mul_up(sot_mul_up(multiplier, sot_mul_up(times, 1.0 + 0x1p-40)),
                              noise->l2_sensitivity);
}

static sotto_status plan_steps(const newton *of, uint64_t steps, sotto_plan *plan,
                               sotto_error *error)
{
    sotto_event event;
    sotto_status status = sotto_gaussian_event(&of->gradient.noise, &event, error);
    event.count = steps;
    if (status == SOTTO_OK) status = sotto_plan_add(plan, &event, error);
    if (status == SOTTO_OK) status = sotto_gaussian_event(&of->curvature, &event, error);
    event.count = steps;
    return status == SOTTO_OK ? sotto_plan_add(plan, &event, error) : status;
}

static sotto_status plan(const sot_learner *learner, sotto_plan *events,
                         sotto_error *error)
{
    const newton *of = learner->state;
    return plan_steps(of, of->gradient.steps, events, error);
}

/* ---- secret: the sums of a step ---- */

/* Returns tanh(m/2) / (2 m). Its quadratic lies above the loss and touches it at m
 * (Jaakkola & Jordan 2000). It is at most 1/4, also as computed. */
static double curvature_at(double margin)
{
    const double m = fabs(margin);
    if (!(m > 0x1p-20)) return CURVATURE_MOST; /* NaN too */
    return fmin(CURVATURE_MOST, tanh(0.5 * m) / (2.0 * m));
}

static void weigh(const void *context, const sot_matrix *matrix, size_t begin, size_t end,
                  double *out_weights)
{
    const walk *at = context;
    sot_rows_for(matrix)->dots(matrix, begin, end, at->theta, out_weights);
    for (size_t i = 0; i < end - begin; i++)
        out_weights[i] = sqrt(curvature_at(out_weights[i]));
}

static sotto_status add_up(const sot_learner *learner, sot_table *table, sot_pool *pool,
                           walk *at, sotto_error *error)
{
    const newton *of = learner->state;
    const sot_empirical *empirical = learner->empirical;
    const sot_gram gram = {.per_unit = of->per_unit, .weights = weigh, .context = at};
    const sot_matrix *chunk = NULL;
    memset(at->gradient, 0, at->columns * sizeof *at->gradient);
    memset(at->curvature, 0, at->columns * at->columns * sizeof *at->curvature);
    sotto_status status = sot_table_rewind(table, error);
    if (status == SOTTO_OK) status = sot_table_next(table, &chunk, error);
    while (status == SOTTO_OK && chunk != NULL) {
        status = empirical->operations->add_gradient(empirical, chunk, NULL, 0, at->theta,
                                                     of->gradient.spacing, pool,
                                                     at->gradient, error);
        if (status == SOTTO_OK)
            status = sot_gram_add(&gram, chunk, pool, at->curvature, error);
        if (status == SOTTO_OK) status = sot_table_next(table, &chunk, error);
    }
    return status;
}

static sotto_status release(const newton *of, sotto_gate *gate, walk *at,
                            sotto_error *error)
{
    const sotto_status status = sotto_gaussian_release(
        gate, &of->gradient.noise, at->gradient, at->columns, at->gradient, error);
    if (status != SOTTO_OK) return status;
    return sot_symmetric_release(gate, &of->curvature, at->curvature, at->columns,
                                 at->curvature, error);
}

/* ---- public: the step, from released numbers ---- */

static sotto_status move(const newton *of, walk *at, sotto_error *error)
{
    double least;
    const size_t columns = at->columns;
    const double square = of->per_unit * of->per_unit; /* units of a curvature of 1 */
    const double sigma = of->curvature.sigma;
    for (size_t i = 0; i < columns * columns; i++)
        at->matrix[i] = (double)at->curvature[i];
    for (size_t i = 0; i < columns; i++) {
        const double slope =
            (double)at->gradient[i] * of->gradient.spacing + of->lambda * at->theta[i];
        at->step[i] = slope * square;
    }
    sotto_status status = sot_least_eigenvalue(at->matrix, columns, -(double)INFINITY,
                                               0.1 * sigma, &least, error);
    if (status != SOTTO_OK) return status;
    const double damping = fmax(0.0, of->ridge - fmax(0.0, least));
    status = sot_statistics_invert(at->matrix, columns, damping + of->lambda * square,
                                   sigma, at->step, error);
    for (size_t i = 0; i < columns && status == SOTTO_OK; i++)
        at->theta[i] -= at->step[i];
    return status;
}

static sotto_status report(const sot_learner *learner, const sot_progress *progress,
                           uint64_t steps, sotto_error *error)
{
    const newton *of = learner->state;
    const sotto_train_config *config = learner->setup.config;
    sotto_plan *done = NULL;
    sotto_account account = {.epsilon = 0.0};
    sotto_status status = SOTTO_OK;
    if (progress->function == NULL) return SOTTO_OK;
    if (steps > 0) {
        status = sotto_plan_new(config->adjacency, &done, error);
        if (status == SOTTO_OK) status = plan_steps(of, steps, done, error);
        if (status == SOTTO_OK)
            status =
                sotto_account_epsilon(done, SOTTO_EXACT, config->delta, &account, error);
        sotto_plan_free(done);
    }
    if (status != SOTTO_OK) return status;
    return sot_progress_report(progress, steps, of->gradient.steps, account.epsilon,
                               error);
}

/* ---- the learner ---- */

static sotto_status begin(const sot_learner *learner, walk *out, sotto_error *error)
{
    const size_t columns = sot_encoding_dimension(learner->setup.encoding);
    const size_t width = (columns + SOT_MATRIX_LANES - 1) / SOT_MATRIX_LANES *
                         SOT_MATRIX_LANES; /* of dense rows; sparse ones read less */
    *out = (walk){.columns = columns,
                  .width = width,
                  .theta = sot_new_aligned(width, sizeof(double)),
                  .gradient = sot_new_array(columns, sizeof(int64_t)),
                  .curvature = sot_new_array(columns * columns, sizeof(int64_t)),
                  .matrix = sot_new_array(columns * columns, sizeof(double)),
                  .step = sot_new_array(columns, sizeof(double))};
    if (out->theta == NULL || out->gradient == NULL || out->curvature == NULL ||
        out->matrix == NULL || out->step == NULL)
        return sot_fail_memory(error, columns * columns, 2 * sizeof(double));
    return SOTTO_OK;
}

static void end(walk *at)
{
    const size_t square = at->columns * at->columns;
    sot_free(at->theta); /* functions of released sums */
    sot_free(at->matrix);
    sot_free(at->step);
    sot_wipe_and_free(at->gradient, at->columns * sizeof *at->gradient);
    sot_wipe_and_free(at->curvature, square * sizeof *at->curvature);
}

static sotto_status learn(const sot_learner *learner, sotto_gate *gate, sot_table *table,
                          sot_pool *pool, double *out_theta, sotto_error *error)
{
    walk at;
    const newton *of = learner->state;
    const sotto_train_config *config = learner->setup.config;
    const sot_progress progress =
        sot_progress_begin(config->progress, config->progress_context);
    sotto_status status = begin(learner, &at, error);
    if (status == SOTTO_OK) status = report(learner, &progress, 0, error);
    for (uint64_t step = 1; status == SOTTO_OK && step <= of->gradient.steps; step++) {
        status = add_up(learner, table, pool, &at, error);
        if (status == SOTTO_OK) status = release(of, gate, &at, error);
        if (status == SOTTO_OK) status = move(of, &at, error);
        if (status == SOTTO_OK) status = report(learner, &progress, step, error);
    }
    if (status == SOTTO_OK) {
        memcpy(out_theta, at.theta, at.columns * sizeof *out_theta);
        sot_erm_round(out_theta, at.columns, learner->grid);
    }
    end(&at);
    return status;
}

static void describe(sot_learner *learner, const newton *of)
{
    const sotto_train_config *config = learner->setup.config;
    sot_learner_set(learner, "lambda", of->lambda,
                    isnan(config->lambda) ? "none: the steps are damped" : "given");
    sot_learner_set(learner, "steps", (double)of->gradient.steps,
                    config->steps > 0 ? "given" : "default");
    sot_learner_set(learner, "sigma", of->gradient.noise.sigma * of->gradient.spacing,
                    "standard deviation of each coordinate of a step's gradient sum");
    sot_learner_set(learner, "sigma_curvature", of->curvature.sigma * of->curvature.grid,
                    "standard deviation of the diagonal of a step's curvature sum; root "
                    "half of it elsewhere");
    sot_learner_set(learner, "damping_most", of->ridge * of->curvature.grid,
                    "lambda of the noise, where there is no curvature");
}

sotto_status sot_erm_newton(sot_learner *learner, sotto_error *error)
{
    double multiplier;
    const sot_learner_setup *setup = &learner->setup;
    const sotto_train_config *config = setup->config;
    const double columns = (double)sot_encoding_dimension(setup->encoding);
    sotto_status status = check_setup(setup, error);
    if (status != SOTTO_OK) return status;
    newton *of = sot_new_array(1, sizeof *of);
    if (of == NULL) return sot_fail_memory(error, 1, sizeof *of);
    learner->state = of;
    learner->plan = plan;
    learner->learn = learn;
    learner->streams = true;
    learner->grid = 0x1p-40;
    of->lambda = isnan(config->lambda) ? 0.0 : config->lambda;
    of->gradient.noise = sotto_gaussian_defaults();
    of->gradient.steps = config->steps > 0 ? config->steps : STEPS_RULE;
    status = sot_descent_sensitivity(&of->gradient, learner, error);
    if (status == SOTTO_OK) status = curvature_sensitivity(learner, of, error);
    if (status == SOTTO_OK)
        status = sot_gaussian_least_multiplier(config->adjacency, config->epsilon,
                                               config->delta, &multiplier, error);
    if (status != SOTTO_OK) return status;
    set_noise(&of->gradient.noise, multiplier, of->gradient.steps, 1.0 - CURVATURE_SHARE);
    set_noise(&of->curvature, multiplier, of->gradient.steps, CURVATURE_SHARE);
    of->ridge = sot_statistics_ridge(of->curvature.sigma, (size_t)columns);
    describe(learner, of);
    /* sotto/gaussian.h: at most 2^-900 per coordinate; a hair more than the gate's own sum. */
    learner->sampler_error = (1.0 + 0x1p-20) * 0x1p-900 * (columns + columns * columns) *
                             (double)of->gradient.steps;
    return SOTTO_OK;
}
