/* The two learners before a record is seen: constants, rules, refusals. */
#include "support.h"

#include "posterior_scene.h"

#include "base/memory.h"
#include "methods/posterior/constants.h"
#include "privacy/mechanisms/posterior/posterior.h"

static const sotto_model_kind models[] = {SOTTO_MODEL_LOGISTIC, SOTTO_MODEL_SVM,
                                          SOTTO_MODEL_LINEAR,   SOTTO_MODEL_HUBER,
                                          SOTTO_MODEL_POISSON,  SOTTO_MODEL_SOFTMAX};
enum { MODELS = sizeof models / sizeof models[0] };

/* As the run will price it. */
static double cost_of(const scene *at)
{
    sotto_error error;
    sotto_plan *plan = NULL;
    sotto_account account;
    const double delta =
        isnan(at->config.delta) ? at->learner->pure_delta : at->config.delta;
    assert_ok(sotto_plan_new(at->config.adjacency, &plan, &error), &error);
    assert_ok(at->learner->plan(at->learner, plan, &error), &error);
    assert_int_equal(sotto_plan_size(plan), 2);
    assert_ok(sotto_account_epsilon_inexact(plan, SOTTO_EXACT, delta,
                                            at->learner->sampler_error, &account, &error),
              &error);
    sotto_plan_free(plan);
    return account.epsilon;
}

/* Both methods, every loss, Gaussian and pure, both adjacencies, one draw and, of logistic, several. */
static void every_plan_costs_what_was_asked_for(void **state)
{
    (void)state;
    sotto_error error;
    for (int i = 0; i < MODELS * 8 + 2; i++) {
        scene at;
        sotto_train_config config = drawn_config(models[i / 8 % MODELS],
                                                 i % 2 == 0 ? SOTTO_METHOD_REGULARIZED_EM
                                                            : SOTTO_METHOD_POSTERIOR,
                                                 i / 2 % 2 == 0 ? 1e-6 : SOTTO_UNSET);
        config.adjacency = i / 4 % 2 == 0 ? SOTTO_ADD_REMOVE : SOTTO_REPLACE_ONE;
        config.draws = i < MODELS * 8 ? 0 : 5;
        config.radius = 1.75;
        assert_ok(drawn_begin(&at, config, &error), &error);
        const double cost = cost_of(&at);
        const bool spends = config.method == SOTTO_METHOD_REGULARIZED_EM;
        assert_within(cost, spends ? (config.draws == 0 ? 0.745 : 0.5) : 0.0, 0.75);
        assert_int_equal(at.learner->draws, config.draws == 0 ? 1 : 5);
        assert_int_equal(sot_learner_coefficients(at.learner),
                         at.learner->draws * at.learner->outputs * SCENE_COLUMNS);
        scene_end(&at);
    }
}

/* The facts of the whole chain, by hand: rows of norm 1, 5 columns, no intercept. */
static void constants_are_those_of_the_theorem(void **state)
{
    (void)state;
    scene at;
    sotto_error error;
    sotto_train_config config =
        drawn_config(SOTTO_MODEL_LOGISTIC, SOTTO_METHOD_REGULARIZED_EM, 1e-6);
    config.lambda = 2.25;
    assert_ok(drawn_begin(&at, config, &error), &error);
    const double mu = sot_gdp_mu_most(0.75, 1e-6);
    assert_true(scene_setting(&at, "lipschitz") == 1.0);
    assert_within(scene_setting(&at, "mu"), mu * (1.0 - 1e-4), mu);
    assert_relative(scene_setting(&at, "beta"), 1.5 * scene_setting(&at, "mu"), 1e-12);
    const double radius = scene_setting(&at, "radius");
    assert_relative(radius,
                    sot_never_binding_radius(scene_setting(&at, "beta"), 2.25, 0x1p24,
                                             log(2.0), 1.0, 0.0, 5),
                    1e-12);
    assert_true(drawn_has(&at, "minami_beta") && !drawn_has(&at, "average_k"));
    scene_end(&at);

    config.adjacency = SOTTO_REPLACE_ONE; /* no ball, no gain */
    assert_ok(drawn_begin(&at, config, &error), &error);
    assert_true(scene_setting(&at, "lipschitz") == 2.0);
    scene_end(&at);
    config.radius = 2.0;
    assert_ok(drawn_begin(&at, config, &error), &error);
    assert_relative(scene_setting(&at, "lipschitz"), 1.2698410898576746, 1e-7);
    assert_true(scene_setting(&at, "radius") == 2.0);
    scene_end(&at);
    config.public_n = 400; /* then, and only then, the average form is the same thing */
    assert_ok(drawn_begin(&at, config, &error), &error);
    assert_relative(scene_setting(&at, "average_k"), 400.0 * scene_setting(&at, "beta"),
                    1e-12);
    assert_relative(scene_setting(&at, "average_mu") * scene_setting(&at, "average_k"),
                    2.25, 1e-12);
    scene_end(&at);
}

/* Neither beta nor the ball nor anything else follows a number of rows that is secret. */
static void expected_rows_change_nothing(void **state)
{
    (void)state;
    scene few, many;
    sotto_error error;
    sotto_train_config config =
        drawn_config(SOTTO_MODEL_LOGISTIC, SOTTO_METHOD_REGULARIZED_EM, 1e-6);
    config.expected_rows = 10;
    assert_ok(drawn_begin(&few, config, &error), &error);
    config.expected_rows = 1000000;
    assert_ok(drawn_begin(&many, config, &error), &error);
    assert_int_equal(few.learner->setting_count, many.learner->setting_count);
    for (size_t i = 0; i < few.learner->setting_count; i++)
        assert_true(few.learner->settings[i].value == many.learner->settings[i].value);
    scene_end(&few);
    scene_end(&many);
}

static void a_pure_draw_says_up_to_which_delta(void **state)
{
    (void)state;
    scene at;
    sotto_error error;
    sotto_train_config config =
        drawn_config(SOTTO_MODEL_LOGISTIC, SOTTO_METHOD_REGULARIZED_EM, SOTTO_UNSET);
    config.radius = 3.0;
    assert_ok(drawn_begin(&at, config, &error), &error);
    assert_relative(scene_setting(&at, "range"), 3.0, 1e-12);
    assert_within(scene_setting(&at, "draw_epsilon"), 0.75 * 0.999, 0.75);
    const double stated = scene_setting(&at, "pure_delta");
    assert_true(stated == at.learner->pure_delta);
    assert_within(stated, 2.0 * (1.0 + exp(0.75)) * at.learner->sampler_error, 0x1p-30);
    scene_end(&at);
    config.epsilon = 200.0; /* e^200 times the samplers' error */
    assert_refused(drawn_begin(&at, config, &error), SOTTO_INVALID_ARGUMENT, &error,
                   "`epsilon` is 200", "lower `epsilon`", NULL);
    scene_end(&at);
}

/* The posterior is tempered as far as it must be, and never beyond itself. */
static void the_posterior_keeps_its_own_power_where_it_may(void **state)
{
    (void)state;
    scene at;
    sotto_error error;
    sotto_train_config config =
        drawn_config(SOTTO_MODEL_LOGISTIC, SOTTO_METHOD_POSTERIOR, SOTTO_UNSET);
    config.radius = 3.0;
    config.adjacency = SOTTO_REPLACE_ONE;
    assert_ok(drawn_begin(&at, config, &error), &error);
    const double power = scene_setting(&at, "beta");
    assert_within(power, 0.999 * 0.75 / 6.0, 0.75 / 6.0); /* epsilon / (2 R) */
    assert_relative(scene_setting(&at, "efficiency"), 1.0 + 1.0 / power, 1e-12);
    assert_true(scene_setting(&at, "lambda") == 1.0); /* the standard normal prior */
    scene_end(&at);
    config.epsilon = 7.0;
    assert_ok(drawn_begin(&at, config, &error), &error);
    assert_true(scene_setting(&at, "beta") == 1.0);
    assert_true(scene_setting(&at, "efficiency") == 2.0);
    assert_within(cost_of(&at), 6.0, 6.01);
    scene_end(&at);
}

static void the_rule_of_lambda_is_that_of_the_utility(void **state)
{
    (void)state;
    scene at;
    sotto_error error;
    sotto_train_config config =
        drawn_config(SOTTO_MODEL_LOGISTIC, SOTTO_METHOD_REGULARIZED_EM, 1e-6);
    assert_ok(drawn_begin(&at, config, &error), &error);
    assert_relative(scene_setting(&at, "lambda"), 2.0 * 5.0 / 16.0, 1e-12);
    scene_end(&at);
    config.radius = 0.5;
    assert_ok(drawn_begin(&at, config, &error), &error);
    assert_relative(scene_setting(&at, "lambda"), 2.0 * 5.0 / 0.25, 1e-12);
    scene_end(&at);
}

/* The noise of the correction is small against whatever is narrower, the prior or the ball. */
static void a_small_ball_is_not_drowned_in_noise(void **state)
{
    (void)state;
    const double deltas[] = {1e-6, (double)NAN};
    for (int pure = 0; pure < 2; pure++) {
        sotto_train_config config =
            drawn_config(SOTTO_MODEL_LOGISTIC, SOTTO_METHOD_POSTERIOR, deltas[pure]);
        config.lambda = 4.0;
        config.radius = 0x1p-6;
        scene at;
        sotto_error error;
        assert_ok(drawn_begin(&at, config, &error), &error);
        const double share = pure != 0 ? 0x1p-10 * scene_setting(&at, "draw_epsilon") /
                                             sqrt(2.0 * SCENE_COLUMNS)
                                       : 0x1p-7 * scene_setting(&at, "mu");
        /* A quarter of a 2^-14 of the ball, not of 1/sqrt(4). */
        assert_relative(scene_setting(&at, "distance_mix"),
                        0.25 * 0x1p-14 * 0x1p-6 * share, 1e-9);
        scene_end(&at);
    }
}

/* Of one draw alone; beyond an epsilon of 1 what its proof gives. */
static void minamis_weight_is_shown_within_its_range(void **state)
{
    (void)state;
    scene at;
    sotto_error error;
    sotto_train_config config =
        drawn_config(SOTTO_MODEL_LOGISTIC, SOTTO_METHOD_REGULARIZED_EM, 1e-6);
    assert_ok(drawn_begin(&at, config, &error), &error);
    assert_true(scene_setting(&at, "minami_beta") < scene_setting(&at, "beta"));
    scene_end(&at);
    config.epsilon = 1.5;
    assert_ok(drawn_begin(&at, config, &error), &error);
    assert_false(drawn_has(&at, "minami_beta"));
    assert_true(scene_setting(&at, "minami_tail_beta") < scene_setting(&at, "beta"));
    scene_end(&at);
    config.draws = 3;
    assert_ok(drawn_begin(&at, config, &error), &error);
    assert_false(drawn_has(&at, "minami_beta") || drawn_has(&at, "minami_tail_beta"));
    scene_end(&at);
}

/* The squared loss is the plain one on the ball, or is cut where the threshold says. */
static void linear_takes_its_slopes_from_the_ball(void **state)
{
    (void)state;
    scene at;
    sotto_error error;
    sotto_train_config config =
        drawn_config(SOTTO_MODEL_LINEAR, SOTTO_METHOD_REGULARIZED_EM, 1e-6);
    config.radius = 2.0;
    assert_ok(drawn_begin(&at, config, &error), &error);
    assert_relative(scene_setting(&at, "threshold"), 3.0, 1e-12);
    assert_relative(scene_setting(&at, "lipschitz"), 3.0, 1e-12);
    assert_string_equal(at.learner->sampler, "exact-gaussian");
    scene_end(&at);
    config.threshold = 0.75;
    assert_ok(drawn_begin(&at, config, &error), &error);
    assert_relative(scene_setting(&at, "lipschitz"), 0.75, 1e-12);
    assert_string_equal(at.learner->sampler, "proximal");
    scene_end(&at);
    config.sampler = SOTTO_SAMPLER_EXACT_GAUSSIAN;
    assert_refused(drawn_begin(&at, config, &error), SOTTO_INVALID_ARGUMENT, &error,
                   "exact-gaussian", "proximal", NULL);
    scene_end(&at);
}

/* ---- refusals ---- */

typedef struct refusal {
    sotto_model_kind model;
    double delta;
    void (*change)(sotto_train_config *config);
    sotto_status status;
    const char *words[2];
} refusal;

static void nothing(sotto_train_config *config)
{
    (void)config;
}
static void zero_lambda(sotto_train_config *config)
{
    config->lambda = 0.0;
}
static void too_many(sotto_train_config *config)
{
    config->draws = 1001;
}
static void mala(sotto_train_config *config)
{
    config->sampler = SOTTO_SAMPLER_MALA;
}
static void no_sampler(sotto_train_config *config)
{
    config->sampler = (sotto_sampler)7;
}
static void gaussian_logistic(sotto_train_config *config)
{
    config->sampler = SOTTO_SAMPLER_EXACT_GAUSSIAN;
}
static void steps(sotto_train_config *config)
{
    config->steps = 10;
}
static void batch(sotto_train_config *config)
{
    config->batch = 10;
}
static void l1(sotto_train_config *config)
{
    config->l1 = 1.0;
}
static void constants(sotto_train_config *config)
{
    config->public_constants = true;
}
static void zero_radius(sotto_train_config *config)
{
    config->radius = 0.0;
}
static void public_em(sotto_train_config *config)
{
    config->sampler = SOTTO_SAMPLER_MALA;
    config->data_is_public = true;
}

static void what_has_no_guarantee_is_refused(void **state)
{
    (void)state;
    const refusal cases[] = {
        {SOTTO_MODEL_LOGISTIC,
         SOTTO_UNSET,
         nothing,
         SOTTO_INVALID_ARGUMENT,
         {"unbounded", "`radius`"}},
        {SOTTO_MODEL_LINEAR,
         1e-6,
         nothing,
         SOTTO_INVALID_ARGUMENT,
         {"unbounded", "`radius`"}},
        {SOTTO_MODEL_HINGE, 1e-6, nothing, SOTTO_UNSUPPORTED, {"jumps", "svm"}},
        {SOTTO_MODEL_LOGISTIC,
         1e-6,
         zero_lambda,
         SOTTO_INVALID_ARGUMENT,
         {"`lambda` is 0", "precision"}},
        {SOTTO_MODEL_LOGISTIC,
         1e-6,
         too_many,
         SOTTO_INVALID_ARGUMENT,
         {"1001", "1 to 1000"}},
        {SOTTO_MODEL_LOGISTIC,
         1e-6,
         mala,
         SOTTO_INVALID_ARGUMENT,
         {"heuristic", "proximal"}},
        {SOTTO_MODEL_LOGISTIC,
         1e-6,
         no_sampler,
         SOTTO_INVALID_ARGUMENT,
         {"sampler is 7", "one of"}},
        {SOTTO_MODEL_LOGISTIC,
         1e-6,
         gaussian_logistic,
         SOTTO_INVALID_ARGUMENT,
         {"exact-gaussian", "linear"}},
        {SOTTO_MODEL_LOGISTIC, 1e-6, steps, SOTTO_INVALID_ARGUMENT, {"steps", "mala"}},
        {SOTTO_MODEL_LOGISTIC, 1e-6, batch, SOTTO_INVALID_ARGUMENT, {"batch", "leave"}},
        {SOTTO_MODEL_LOGISTIC, 1e-6, l1, SOTTO_INVALID_ARGUMENT, {"`l1`", "leave"}},
        {SOTTO_MODEL_LOGISTIC,
         1e-6,
         constants,
         SOTTO_INVALID_ARGUMENT,
         {"public constants", "`expected_rows` is missing"}},
        {SOTTO_MODEL_LOGISTIC,
         1e-6,
         zero_radius,
         SOTTO_INVALID_ARGUMENT,
         {"`radius` is 0", "from 1e-30 to 1e30"}},
        {SOTTO_MODEL_LOGISTIC,
         SOTTO_UNSET,
         public_em,
         SOTTO_INVALID_ARGUMENT,
         {"regularized-em", "posterior"}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        scene at;
        sotto_error error;
        sotto_train_config config =
            drawn_config(cases[i].model, SOTTO_METHOD_REGULARIZED_EM, cases[i].delta);
        cases[i].change(&config);
        assert_refused(drawn_begin(&at, config, &error), cases[i].status, &error,
                       cases[i].words[0], cases[i].words[1], NULL);
        scene_end(&at);
    }
}

/* A prior's centre outside the ball, and inside. */
static void the_priors_centre_lies_in_the_ball(void **state)
{
    (void)state;
    scene at;
    sotto_error error;
    sot_learner *learner = NULL;
    const double center[SCENE_COLUMNS] = {0.0, 3.0, 0.0, 4.0, 0.0};
    sotto_train_config config =
        drawn_config(SOTTO_MODEL_LOGISTIC, SOTTO_METHOD_POSTERIOR, 1e-6);
    assert_ok(drawn_begin(&at, config, &error), &error);
    const double without = scene_setting(&at, "radius");
    at.setup.center = center;
    assert_ok(sot_posterior_new(&at.setup, &learner, &error), &error);
    sot_learner_free(at.learner);
    at.learner = learner;
    assert_relative(scene_setting(&at, "prior_norm"), 5.0, 1e-12);
    assert_true(scene_setting(&at, "radius") >= without + 5.0);
    at.config.radius = 4.5;
    assert_refused(sot_posterior_new(&at.setup, &learner, &error), SOTTO_INVALID_ARGUMENT,
                   &error, "norm 5", "larger `radius`", NULL);
    scene_end(&at);
}

static void units_of_several_rows_are_paid_for(void **state)
{
    (void)state;
    scene at;
    sotto_error error;
    sot_learner *learner = NULL;
    sotto_train_config config =
        drawn_config(SOTTO_MODEL_LOGISTIC, SOTTO_METHOD_REGULARIZED_EM, 1e-6);
    assert_ok(drawn_begin(&at, config, &error), &error);
    const double beta = scene_setting(&at, "beta");
    at.setup.unit_rows = 8;
    assert_ok(sot_posterior_new(&at.setup, &learner, &error), &error);
    sot_learner_free(at.learner);
    at.learner = learner;
    assert_true(scene_setting(&at, "lipschitz") == 8.0);
    assert_relative(scene_setting(&at, "beta"), beta / 8.0, 1e-4);
    scene_end(&at);
}

static void failing_memory_leaves_no_learner(void **state)
{
    (void)state;
    scene at;
    sotto_error error;
    sot_learner *learner = NULL;
    sotto_train_config config =
        drawn_config(SOTTO_MODEL_LOGISTIC, SOTTO_METHOD_REGULARIZED_EM, 1e-6);
    assert_ok(drawn_begin(&at, config, &error), &error);
    for (size_t nth = 1; nth < 50; nth++) {
        (void)sot_test_fail_allocation(nth);
        const sotto_status status = sot_posterior_new(&at.setup, &learner, &error);
        (void)sot_test_fail_allocation(0);
        if (status == SOTTO_OK) {
            sot_learner_free(learner);
            scene_end(&at);
            assert_true(nth > 4);
            return;
        }
        assert_int_equal(status, SOTTO_OUT_OF_MEMORY);
        assert_null(learner);
    }
    fail_msg("it never succeeded");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_plan_costs_what_was_asked_for),
        cmocka_unit_test(constants_are_those_of_the_theorem),
        cmocka_unit_test(expected_rows_change_nothing),
        cmocka_unit_test(a_pure_draw_says_up_to_which_delta),
        cmocka_unit_test(the_posterior_keeps_its_own_power_where_it_may),
        cmocka_unit_test(the_rule_of_lambda_is_that_of_the_utility),
        cmocka_unit_test(a_small_ball_is_not_drowned_in_noise),
        cmocka_unit_test(minamis_weight_is_shown_within_its_range),
        cmocka_unit_test(linear_takes_its_slopes_from_the_ball),
        cmocka_unit_test(what_has_no_guarantee_is_refused),
        cmocka_unit_test(the_priors_centre_lies_in_the_ball),
        cmocka_unit_test(units_of_several_rows_are_paid_for),
        cmocka_unit_test(failing_memory_leaves_no_learner),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
