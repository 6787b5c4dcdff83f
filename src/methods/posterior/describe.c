/* The descriptions of the learners. */
#include "methods/posterior/parts.h"
#include "models/kinds.h"

static const char *sampler_text(sotto_sampler sampler)
{
    if (sampler == SOTTO_SAMPLER_EXACT_GAUSSIAN)
        return "the Gaussian posterior by its Cholesky factor, truncated to the ball by "
               "rejection; certified";
    if (sampler == SOTTO_SAMPLER_MALA) return "a heuristic, without a certificate";
    return "with exact rejection; certified";
}

static void describe_sampler(sot_learner *learner, const sot_posterior_state *state)
{
    const sotto_sampler sampler = learner->setup.config->sampler == SOTTO_SAMPLER_MALA
                                      ? SOTTO_SAMPLER_MALA
                                      : state->plan.sampler;
    learner->sampler = sotto_sampler_name(sampler);
    learner->sampler_why = sampler_text(sampler);
    if (sampler == SOTTO_SAMPLER_MALA) return;
    sot_learner_set(learner, "distance_mix", state->plan.distance_mixing,
                    "Delta_mix: distance of a sample from an exact one after mixing");
    sot_learner_set(learner, "distance_fp", state->plan.distance_rounding,
                    "Delta_fp: error of rounding");
    sot_learner_set(learner, "delta_fp", state->plan.total_variation,
                    "total variation of one sample; delta includes it");
    sot_learner_set(learner, "rows_most", (double)state->plan.facts.rows_most,
                    "largest number of rows that these bounds cover; more are refused");
    if (state->plan.public_constants) {
        sot_learner_set(learner, "sampler_steps", (double)state->plan.steps,
                        "a public number, by the expected rows");
    }
}

/* Minami's condition is about one sample. */
static void describe_minami(sot_learner *learner, const sot_posterior_state *state)
{
    double beta;
    const sotto_train_config *config = learner->setup.config;
    const sot_posterior_law *law = &state->law;
    if (sot_posterior_is_pure(config) || law->draws > 1) return;
    if (sot_minami_beta(config->epsilon, config->delta, law->lambda, law->lipschitz,
                        &beta, NULL) == SOTTO_OK) {
        sot_learner_set(learner, "minami_beta", beta,
                        "bound by Minami's condition; for comparison");
    } else {
        sot_learner_set(learner, "minami_tail_beta",
                        sot_minami_tail_beta(config->epsilon, config->delta, law->lambda,
                                             law->lipschitz),
                        "bound by the proof of Minami's condition; its closed form is "
                        "not proven for an epsilon above 1");
    }
}

static void describe_law(sot_learner *learner, const sot_posterior_state *state)
{
    const sot_posterior_law *law = &state->law;
    const sotto_train_config *config = learner->setup.config;
    const bool posterior = learner->setup.method == SOTTO_METHOD_POSTERIOR;
    sot_learner_set(learner, "beta", law->beta,
                    !posterior ? "the weight of the losses that the budget allows"
                    : law->beta == 1.0
                        ? "the likelihood's power: the posterior itself"
                        : "the likelihood's power, tempered to the budget");
    if (posterior) {
        sot_learner_set(
            learner, "efficiency", sot_efficiency_factor(law->beta),
            sot_posterior_is_pure(config) && !sot_posterior_is_public(config)
                ? "1 + 1/beta, the 1 + 4B/epsilon of log-likelihoods within +-B: "
                  "variance of a sample over the best estimate's, for many rows"
                : "1 + 1/beta: variance of a sample over the best estimate's, for many "
                  "rows");
    }
    if (sot_posterior_is_public(config)) return;
    if (sot_posterior_is_pure(config)) {
        sot_learner_set(
            learner, "range", law->range,
            "bound on the change of the sum of losses by a neighbour, on the ball");
        sot_learner_set(learner, "draw_epsilon", law->beta * law->range,
                        "of one exact sample");
        sot_learner_set(
            learner, "pure_delta", learner->pure_delta,
            "epsilon-DP up to this delta: (1 + e^epsilon) times the sampler's "
            "error is within it");
    } else {
        sot_learner_set(
            learner, "lipschitz", law->lipschitz,
            "bound on the change of the sum of losses by a neighbour, on the ball");
        sot_learner_set(learner, "mu",
                        sot_posterior_mu(law->beta, law->lambda, law->lipschitz),
                        "of one exact sample, Gaussian DP");
    }
    describe_minami(learner, state);
    if (config->public_n > 0) {
        const double rows = (double)config->public_n;
        sot_learner_set(
            learner, "average_k", law->beta * rows,
            "the same distribution as exp(-k (mean loss + (average_mu/2)|theta|^2))");
        sot_learner_set(learner, "average_mu", law->lambda / (law->beta * rows), NULL);
    }
}

static void describe_loss(sot_learner *learner, const sot_posterior_state *state)
{
    const sotto_train_config *config = learner->setup.config;
    const sot_model_row *row = sot_model_row_of(config->model);
    if (row->width_why != NULL)
        sot_learner_set(learner, "width", config->width, row->width_why);
    if (row->threshold_why != NULL)
        sot_learner_set(learner, "threshold", learner->empirical->loss->slope_most,
                        row->threshold_why);
    if (learner->setup.center != NULL) {
        sot_learner_set(learner, "prior_norm", state->center_norm,
                        "of the prior's coefficients, the centre of the regulariser");
    }
    if (state->law.draws > 1)
        sot_learner_set(learner, "draws", (double)state->law.draws,
                        sot_posterior_is_public(config) ? "of public rows"
                                                        : "each paid for");
}

void sot_posterior_describe(sot_learner *learner)
{
    const sot_posterior_state *state = learner->state;
    describe_law(learner, state);
    describe_sampler(learner, state);
    describe_loss(learner, state);
}
