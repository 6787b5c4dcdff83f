/* From settings to a distribution, a ball and a sampler. No record is seen here. */
#include "base/error.h"
#include "methods/posterior/parts.h"
#include "models/kinds.h"
#include "numeric/outward.h"

/* The second release's part of the budget, over the first's: of mu, of which it costs half its square, or of a pure epsilon. */
#define CORRECTION_SHARE      0x1p-7
#define CORRECTION_SHARE_PURE 0x1p-10

/* The mixing distance makes the correction's noise this share of the prior's 1/sqrt(lambda), or
 * of the ball if that is smaller. That is a thousandth of a posterior that is fifteen times
 * narrower. A smaller distance costs steps, as its logarithm. */
#define NOISE_SHARE 0x1p-14

/* A pure claim that holds up to a delta above this is none: 10^-9. */
#define PURE_DELTA_MOST 0x1p-30

/* For samples of public rows. */
#define PUBLIC_GRID 0x1p-40

double sot_posterior_plain_threshold(const sot_learner_setup *setup)
{
    const double radius = setup->config->radius;
    if (isnan(radius)) return SOTTO_UNSET;
    return sot_add_up(sot_mul_up(sot_encoding_bound(setup->encoding), radius),
                      sot_encoding_target_most(setup->encoding));
}

static double center_norm(const sot_learner *learner)
{
    double squares = 0.0;
    const double *center = learner->setup.center;
    for (size_t i = 0; center != NULL && i < learner->empirical->facts.dimension; i++)
        squares = sot_add_up(squares, sot_mul_up(center[i], center[i]));
    return sot_sqrt_up(squares);
}

/* regularized-em: the mean potential exceeds its minimum by at most
 * `d/beta + lambda |theta*|^2 / (2 beta)`, in units of the losses. With beta = mu
 * sqrt(lambda) / G it is smallest at lambda = 2 d / |theta*|^2, for any number of rows. */
static double choose_lambda(sot_learner *learner)
{
    const double given = learner->setup.config->lambda;
    const double norm = sot_learner_norm_guess(learner);
    const double dimension = (double)learner->empirical->facts.dimension;
    const bool prior = learner->setup.method == SOTTO_METHOD_POSTERIOR;
    double lambda = given;
    if (isnan(given)) lambda = prior ? 1.0 : fmin(2.0 * dimension / (norm * norm), 1e12);
    sot_learner_set(learner, "lambda", lambda,
                    !isnan(given) ? "given"
                    : prior
                        ? "precision of a standard normal prior; independent of the data"
                        : "2 coefficients / |theta*|^2, the minimum of the theoretical "
                          "error of noise and shrinkage");
    return lambda;
}

static sot_record_bounds bounds_of(const sot_learner *learner, double radius)
{
    const sot_empirical *empirical = learner->empirical;
    const double bound = sot_encoding_bound(learner->setup.encoding);
    if (empirical->loss == NULL)
        return sot_record_bounds_of_softmax(empirical->facts.outputs, bound, radius);
    return sot_record_bounds_of_loss(empirical->loss, bound, radius);
}

/* f(centre) - inf f of one record, at most; infinite where that is not known. */
static double loss_at_center(const sot_learner *learner, double norm)
{
    const sot_empirical *empirical = learner->empirical;
    const sot_loss *loss = empirical->loss;
    const sot_model_row *row = sot_model_row_of(learner->setup.config->model);
    const double shift = norm * empirical->facts.record_bound;
    if (loss == NULL) return log((double)empirical->facts.outputs) + shift;
    if (loss->context != NULL || row->role == SOT_TARGET_COUNT) return (double)INFINITY;
    sot_loss_at low, high;
    loss->at(loss, 0.0, -loss->label_most, &low);
    loss->at(loss, 0.0, loss->label_most, &high);
    return fmax(low.value, high.value) + shift;
}

/* The most rows that a bound must allow for: a public number, never a count. */
static uint64_t rows_most(const sotto_train_config *config)
{
    return config->public_n > 0 ? config->public_n : SOT_POSTERIOR_ROWS_MOST;
}

/* Given, or one that no draw reaches. */
static double choose_ball(sot_learner *learner, const sot_posterior_state *state)
{
    const sotto_train_config *config = learner->setup.config;
    const double norm = state->center_norm;
    if (!isnan(config->radius)) {
        sot_learner_set(learner, "radius", config->radius,
                        "of the ball that holds the coefficients");
        return config->radius;
    }
    const double ball = sot_never_binding_radius(
        state->law.beta, state->law.lambda, (double)rows_most(config),
        loss_at_center(learner, norm), learner->empirical->facts.record_bound, norm,
        state->law.dimension);
    sot_learner_set(learner, "radius", ball, "of a ball that contains every sample");
    return ball;
}

/* The correction's noise over the mixing distance: 2 distance / (share mu) a coordinate. Pure:
 * sqrt2 times the discrete Laplace's scale, whose sensitivity is sqrt(d) times that in L2. */
static double mixing_distance(const sot_posterior_state *state)
{
    const sot_posterior_law *law = &state->law;
    const double scale = NOISE_SHARE * fmin(1.0 / sqrt(law->lambda), law->ball);
    if (sot_posterior_is_pure(&state->config)) {
        const double epsilon = law->beta * law->range;
        return 0.25 * scale * law->correction_share * epsilon /
               sqrt(2.0 * (double)law->dimension);
    }
    const double mu = sot_posterior_mu(law->beta, law->lambda, law->lipschitz);
    return 0.25 * scale * law->correction_share * mu;
}

static sotto_status plan_sampler(const sot_learner *learner, sot_posterior_state *state,
                                 sotto_error *error)
{
    const sotto_train_config *config = learner->setup.config;
    const sot_empirical *empirical = learner->empirical;
    const size_t columns = sot_encoding_dimension(learner->setup.encoding);
    const size_t classes = empirical->loss == NULL ? empirical->facts.outputs : 0;
    const uint64_t rows = sot_learner_rows(&learner->setup);
    sot_sampler_facts facts = sot_sampler_facts_of(empirical->loss, classes, columns);
    facts.row_bound = sot_encoding_bound(learner->setup.encoding);
    facts.beta = state->law.beta;
    facts.lambda = state->law.lambda;
    facts.radius = state->law.ball;
    facts.center_norm = state->center_norm;
    facts.rows_most = rows_most(config);
    facts.rows_planned = config->public_constants ? rows : 0;
    if (config->public_constants && rows == 0) {
        return sot_fail(
            error, SOTTO_INVALID_ARGUMENT,
            "`expected_rows` is missing: the public constants of the sampler follow from "
            "the number of rows; pass `expected_rows=N` (an estimate is fine)");
    }
    return sot_sampler_plan_new(&facts, empirical->loss, config->sampler,
                                mixing_distance(state), &state->plan, error);
}

static double beta_most(const sot_learner *learner)
{
    return learner->setup.method == SOTTO_METHOD_POSTERIOR ? 1.0 : (double)INFINITY;
}

/* Calibrates beta, the ball and the sampler. The sampler's total variation is part of delta, and
 * known only after beta. So room is reserved for it: first none, then twice the last value. */
static sotto_status calibrate(sot_learner *learner, sot_posterior_state *state,
                              sotto_error *error)
{
    enum { TRIES = 8 };
    const sotto_train_config *config = learner->setup.config;
    sot_posterior_law *law = &state->law;
    const double delta = sot_posterior_is_pure(config) ? 0.0 : config->delta;
    const size_t settings = learner->setting_count;
    law->ball = 1.0; /* any: beta does not depend on it */
    law->sampler_error = 0.0;
    for (int i = 0; i < TRIES; i++) {
        sotto_status status = sot_posterior_calibrate(law, config->epsilon, delta,
                                                      beta_most(learner), error);
        if (status != SOTTO_OK) return status;
        learner->setting_count = settings;
        law->ball = choose_ball(learner, state);
        status = plan_sampler(learner, state, error);
        if (status != SOTTO_OK) return status;
        const double total_variation = state->plan.total_variation;
        const bool has_room = total_variation <= law->sampler_error;
        law->distance = state->plan.distance;
        law->sampler_error = has_room ? total_variation : 2.0 * total_variation;
        if (has_room) return SOTTO_OK;
    }
    return sot_fail(
        error, SOTTO_UNREACHABLE,
        "`delta` is too small for the sampler's total variation, %g; give a larger one",
        state->plan.total_variation);
}

static sotto_status check_pure(sot_learner *learner, double sampler_error,
                               sotto_error *error)
{
    const sotto_train_config *config = learner->setup.config;
    if (!sot_posterior_is_pure(config)) return SOTTO_OK;
    learner->pure_delta = sot_posterior_pure_delta(config->epsilon, sampler_error);
    if (learner->pure_delta <= PURE_DELTA_MOST) return SOTTO_OK;
    return sot_fail(
        error, SOTTO_INVALID_ARGUMENT,
        "`epsilon` is %g; the sampler's total variation of %g then costs a delta of %g; "
        "lower `epsilon` or `draws`, raise `lambda`, or give `public_n` or a `delta`",
        config->epsilon, sampler_error, learner->pure_delta);
}

static sotto_status plan(const sot_learner *learner, sotto_plan *events,
                         sotto_error *error)
{
    const sot_posterior_state *state = learner->state;
    return sot_posterior_plan(&state->law, events, error);
}

static sotto_status make_private(sot_learner *learner, sot_posterior_state *state,
                                 sotto_error *error)
{
    const sotto_train_config *config = learner->setup.config;
    sot_posterior_law *law = &state->law;
    const double change_ball = isnan(config->radius) ? (double)INFINITY : config->radius;
    const sot_record_bounds bounds = bounds_of(learner, change_ball);
    const uint64_t unit_rows = learner->setup.unit_rows;
    if (sot_posterior_is_pure(config))
        law->range = sot_change_range(&bounds, config->adjacency, unit_rows);
    else
        law->lipschitz = sot_change_lipschitz(&bounds, config->adjacency, unit_rows);
    law->correction_share =
        sot_posterior_is_pure(config) ? CORRECTION_SHARE_PURE : CORRECTION_SHARE;
    sot_posterior_facts facts;
    sotto_status status = calibrate(learner, state, error);
    if (status == SOTTO_OK) status = sot_posterior_derive(law, &facts, error);
    if (status == SOTTO_OK) status = check_pure(learner, facts.sampler_error, error);
    if (status != SOTTO_OK) return status;
    learner->plan = plan;
    learner->grid = facts.grid;
    learner->sampler_error = facts.sampler_error;
    return SOTTO_OK;
}

/* MALA of public rows: the posterior itself, and no plan. */
static void make_public(sot_learner *learner, sot_posterior_state *state)
{
    state->law.beta = 1.0;
    state->law.ball = choose_ball(learner, state);
    learner->grid = PUBLIC_GRID;
}

sotto_status sot_posterior_make_law(sot_learner *learner, sotto_error *error)
{
    const sotto_train_config *config = learner->setup.config;
    sot_posterior_state *state = learner->state;
    state->center_norm = center_norm(learner);
    if (state->center_norm > config->radius) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "the prior's coefficients have norm %g, outside the ball whose "
                        "`radius` is %g; give a larger `radius`",
                        state->center_norm, config->radius);
    }
    sot_posterior_law law = sot_posterior_law_defaults();
    law.adjacency = config->adjacency;
    law.dimension = learner->empirical->facts.dimension;
    law.draws = learner->draws;
    law.lambda = choose_lambda(learner);
    law.purpose = "coefficients";
    state->law = law;
    if (!sot_posterior_is_public(config)) return make_private(learner, state, error);
    make_public(learner, state);
    return SOTTO_OK;
}
