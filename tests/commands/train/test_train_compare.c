/* Noise and cost of one training under several rules, beside the formulas of the papers and lectures, written out here again. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sotto/train.h>

#include "support.h"

enum { FEATURES = 105 };

static const char unit_schema[] =
    "{\"dataset\": \"compare\", \"features\": 105, \"labels\": [-1, 1],"
    " \"row_norm\": {\"bound\": 1.0, \"rule\": \"scale\"}}";

static sotto_train_config config_of(double epsilon, double delta, double lambda)
{
    sotto_train_config config = sotto_train_defaults();
    config.model = SOTTO_MODEL_LOGISTIC;
    config.method = SOTTO_METHOD_OBJECTIVE;
    config.adjacency = SOTTO_ADD_REMOVE;
    config.epsilon = epsilon;
    config.delta = delta;
    config.lambda = lambda;
    return config;
}

static sotto_rule rule_of(const sotto_train_config *config, sotto_calibration calibration)
{
    sotto_schema *schema = NULL;
    sotto_training *training = NULL;
    sotto_rule rule;
    sotto_error error;
    assert_ok(sotto_schema_parse("schema.json", unit_schema, strlen(unit_schema), &schema,
                                 &error),
              &error);
    assert_ok(sotto_training_plan(config, schema, &training, &error), &error);
    assert_ok(sotto_training_rule(training, calibration, &rule, &error), &error);
    sotto_training_free(training);
    sotto_schema_free(schema);
    return rule;
}

static double normal(double x)
{
    return 0.5 * erfc(-x / sqrt(2.0));
}

/* Balle & Wang, ICML 2018: delta of a Gaussian release of sensitivity mu and noise 1. */
static double gaussian_delta(double mu, double epsilon)
{
    return normal(0.5 * mu - epsilon / mu) -
           exp(epsilon) * normal(-0.5 * mu - epsilon / mu);
}

/* The library keeps 2^-10 of the budget for the solver's error. */
static const double kept = 0x1p-10;

static const struct {
    double epsilon, delta, lambda;
} targets[] = {{1.0, 1e-6, 1.0}, {0.5, 1e-7, 4.0}, {2.0, 1e-5, 0.625}};
enum { TARGETS = sizeof targets / sizeof targets[0] };

/* ---- Kifer, Smith & Thakurta, COLT 2012 ---- */

static double kifer_sigma(double epsilon, double delta)
{
    return sqrt(8.0 * log(2.0 / delta) + 4.0 * epsilon) / epsilon;
}

/* delta at x of k pure releases of epsilon, at best: Kairouz, Oh & Viswanath, ICML 2015. */
static double pure_composed_delta(int k, double epsilon, double x)
{
    double sum = 0.0;
    for (int j = 0; j <= k; j++) {
        const double loss = (2.0 * j - k) * epsilon;
        if (loss <= x) continue;
        const double log_weight = lgamma(k + 1.0) - lgamma(j + 1.0) -
                                  lgamma(k - j + 1.0) + j * epsilon -
                                  k * log1p(exp(epsilon));
        sum += exp(log_weight) * -expm1(x - loss);
    }
    return sum;
}

static void kifer_needs_the_published_noise(void **state)
{
    (void)state;
    for (int i = 0; i < TARGETS; i++) {
        const sotto_train_config config =
            config_of(targets[i].epsilon, targets[i].delta, targets[i].lambda);
        const sotto_rule rule = rule_of(&config, SOTTO_CALIBRATION_KIFER);
        const double exact = kifer_sigma(targets[i].epsilon, targets[i].delta);
        assert_true(rule.applies && !rule.is_pure);
        assert_within(rule.sigma, exact, exact * (1.0 + 4.0 * kept));
        assert_within(rule.lambda, targets[i].lambda, targets[i].lambda);
        assert_within(rule.epsilon[0], targets[i].epsilon * (1.0 - 4.0 * kept),
                      targets[i].epsilon);
    }
}

/* The claims of k trainings take half of delta, or another part: the best of them is what is stated. */
static void kifer_composes_its_claims_optimally(void **state)
{
    (void)state;
    for (int i = 0; i < TARGETS; i++) {
        const double delta = targets[i].delta;
        const sotto_train_config config =
            config_of(targets[i].epsilon, delta, targets[i].lambda);
        const sotto_rule rule = rule_of(&config, SOTTO_CALIBRATION_KIFER);
        const double square = rule.sigma * rule.sigma;
        for (int at = 1; at < SOTTO_RULE_COUNTS; at++) {
            const int k = (int)sotto_rule_count((size_t)at);
            double best = HUGE_VAL;
            for (double share = 0.02; share < 1.0; share += 0.02) {
                const double claimed = share * delta / k;
                /* sigma^2 e^2 - 4 e - 8 log(2/delta) = 0 */
                const double one =
                    (2.0 + sqrt(4.0 + 8.0 * square * log(2.0 / claimed))) / square;
                double low = 0.0, high = k * one;
                for (int step = 0; step < 60; step++) {
                    const double middle = 0.5 * (low + high);
                    const bool fits =
                        share * delta + pure_composed_delta(k, one, middle) <= delta;
                    *(fits ? &high : &low) = middle;
                }
                best = fmin(best, high);
            }
            assert_within(rule.epsilon[at], best * 0.9999, best * 1.003);
        }
    }
}

/* ---- Chaudhuri, Monteleoni & Sarwate, JMLR 2011, Algorithm 2 ---- */

static void chaudhuri_needs_the_published_noise(void **state)
{
    (void)state;
    for (int i = 0; i < TARGETS; i++) {
        const double epsilon = targets[i].epsilon, lambda = targets[i].lambda;
        const sotto_train_config config = config_of(epsilon, targets[i].delta, lambda);
        const sotto_rule rule = rule_of(&config, SOTTO_CALIBRATION_CHAUDHURI);
        const double c = 0.25; /* of the logistic loss, rows of norm 1 */
        double raised = lambda;
        double left = epsilon - log(1.0 + 2.0 * c / lambda + c * c / (lambda * lambda));
        if (left <= 0.0) {
            raised = c / expm1(0.25 * epsilon);
            left = 0.5 * epsilon;
        }
        /* |b| ~ Gamma(d, 2/left): E|b|^2 = d (d + 1) (2/left)^2 */
        const double sigma = 2.0 / left * sqrt(FEATURES + 1.0);
        assert_true(rule.applies && rule.is_pure);
        assert_int_equal(rule.adjacency, SOTTO_REPLACE_ONE);
        assert_within(rule.sigma, sigma, sigma * (1.0 + 3.0 * kept * epsilon / left));
        assert_within(rule.lambda, raised, raised * (1.0 + 3.0 * kept));
        for (int at = 0; at < SOTTO_RULE_COUNTS; at++) {
            const int k = (int)sotto_rule_count((size_t)at);
            const double shown = rule.epsilon[at];
            /* Without the solver's part it would be less, as one release it would be more. */
            assert_true(pure_composed_delta(k, epsilon * (1.0 - kept), shown) <=
                        targets[i].delta);
            assert_true(pure_composed_delta(k, epsilon, shown * (1.0 - 1e-9)) >=
                        targets[i].delta);
        }
    }
}

/* ---- Redberg, Koskela & Wang, NeurIPS 2023 ---- */

enum { CELLS = 6000 };
static const double cell = 0.004; /* of the loss, each rounded to nearest */

static void convolve(const double *one, const double *other, double *out)
{
    memset(out, 0, CELLS * sizeof *out);
    for (int i = 0; i < CELLS; i++) {
        if (one[i] < 1e-22) continue;
        for (int j = 0; i + j < CELLS; j++)
            out[i + j] += one[i] * other[j];
    }
}

/* epsilon of k trainings whose losses are c + a^2/2 + a|Z|, by convolution on a grid. */
static double folded_epsilon(double c, double a, int k, double delta)
{
    double *one = calloc(CELLS, sizeof *one), *sum = calloc(CELLS, sizeof *sum);
    double *next = calloc(CELLS, sizeof *next);
    assert_true(one != NULL && sum != NULL && next != NULL);
    for (int i = 0; i < CELLS; i++) /* a|Z| */
        one[i] = erf((i + 0.5) * cell / (a * sqrt(2.0))) -
                 (i == 0 ? 0.0 : erf((i - 0.5) * cell / (a * sqrt(2.0))));
    memcpy(sum, one, CELLS * sizeof *sum);
    for (int i = 1; i < k; i++) {
        convolve(one, sum, next);
        memcpy(sum, next, CELLS * sizeof *sum);
    }
    const double start = k * (c + 0.5 * a * a);
    double low = 0.0, high = start + CELLS * cell;
    for (int step = 0; step < 60; step++) {
        const double middle = 0.5 * (low + high);
        double found = 0.0;
        for (int i = 0; i < CELLS; i++)
            if (start + i * cell > middle)
                found += sum[i] * -expm1(middle - start - i * cell);
        *(found <= delta ? &high : &low) = middle;
    }
    free(one);
    free(sum);
    free(next);
    return high;
}

static void redberg_has_the_published_profile(void **state)
{
    (void)state;
    for (int i = 0; i < TARGETS; i++) {
        const double epsilon = targets[i].epsilon, delta = targets[i].delta;
        const sotto_train_config config = config_of(epsilon, delta, targets[i].lambda);
        const sotto_rule rule = rule_of(&config, SOTTO_CALIBRATION_REDBERG);
        const double c = -log1p(-0.25 / rule.lambda), a = 1.0 / rule.sigma;
        assert_true(rule.applies);
        /* The noise is that of the target, to the solver's part, and of nothing less. */
        const double least = 1.0 / (1.0 - 4.0 * kept);
        assert_true(2.0 * gaussian_delta(a, epsilon - c) <= delta);
        assert_true(2.0 * gaussian_delta(a * least, epsilon - c) >= delta);
        for (int at = 0; at < SOTTO_RULE_COUNTS; at++) {
            const double exact =
                folded_epsilon(c, a, (int)sotto_rule_count((size_t)at), delta);
            assert_within(rule.epsilon[at], exact * 0.997, exact * 1.006);
        }
    }
}

/* ---- the former theorem and the frozen slope ---- */

/* tests/vectors/sharper.json and src/privacy/accounting/objective_loss/frozen_slope.md: exact minimiser, to 3e-4; the solver's part comes on top. */
static const struct {
    double epsilon, delta, multiple;
    double sigma[2];           /* over R: former, now */
    double five[2], twenty[2]; /* not a number: with the other's noise, or not known */
} references[] = {
    {1.0, 1e-6, 1.0, {4.2247, 4.2247}, {2.908, 2.631}, {8.310, 6.048}},
    {1.0, 1e-6, 0.3, {11.88, 5.990}, {NAN, NAN}, {NAN, NAN}},
    {8.0, 1e-5, 0.3, {1.517, 0.6244}, {NAN, 24.57}, {NAN, 71.41}},
};

static void this_version_and_the_former_have_their_reference_values(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof references / sizeof references[0]; i++) {
        const double epsilon = references[i].epsilon;
        const sotto_train_config config =
            config_of(epsilon, references[i].delta, references[i].multiple / epsilon);
        const sotto_rule rules[2] = {rule_of(&config, SOTTO_CALIBRATION_FORMER),
                                     rule_of(&config, SOTTO_CALIBRATION_SHARP)};
        for (int j = 0; j < 2; j++) {
            const double sigma = references[i].sigma[j];
            assert_within(rules[j].sigma, sigma * 0.9995, sigma * 1.002);
            assert_within(rules[j].epsilon[0], epsilon * (1.0 - 1e-6), epsilon);
            const double five = references[i].five[j], twenty = references[i].twenty[j];
            if (isnan(five)) continue;
            assert_within(rules[j].epsilon[1], five * 0.9995, five * 1.002);
            assert_within(rules[j].epsilon[2], twenty * 0.9995, twenty * 1.002);
        }
    }
}

/* ---- the default lambda ---- */

/* 12/sqrt(rows epsilon/features) of the least, from 0.4 to the rule without rows; other calibrations have the same rule as before. */
static void the_default_lambda_falls_where_rows_are_many(void **state)
{
    (void)state;
    static const struct {
        double epsilon;
        uint64_t rows;
        double factor; /* of the lambda without rows */
    } cases[] = {{1.0, 0, 1.0},           {1.0, 10000, 1.0},      {1.0, 105 * 400, 0.75},
                 {1.0, 105 * 576, 0.625}, {1.0, 105 * 4000, 0.5}, {0.25, 105 * 4000, 1.0},
                 {0.5, 105 * 800, 0.6}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        sotto_train_config config = config_of(cases[i].epsilon, 1e-9, SOTTO_UNSET);
        const double plain = rule_of(&config, SOTTO_CALIBRATION_SHARP).lambda;
        config.expected_rows = cases[i].rows;
        assert_relative(rule_of(&config, SOTTO_CALIBRATION_SHARP).lambda,
                        cases[i].factor * plain, 1e-12);
        config.calibration = SOTTO_CALIBRATION_FORMER;
        assert_relative(rule_of(&config, SOTTO_CALIBRATION_FORMER).lambda, plain, 1e-12);
    }
}

/* ---- softmax ---- */

static sotto_event first_event(const sotto_train_config *config, const char *labels,
                               double *out_sigma)
{
    char text[200];
    sotto_schema *schema = NULL;
    sotto_training *training = NULL;
    sotto_rule rule;
    sotto_error error;
    (void)snprintf(text, sizeof text,
                   "{\"dataset\": \"compare\", \"features\": 105, \"labels\": %s,"
                   " \"row_norm\": {\"bound\": 1.0, \"rule\": \"scale\"}}",
                   labels);
    assert_ok(sotto_schema_parse("schema.json", text, strlen(text), &schema, &error),
              &error);
    assert_ok(sotto_training_plan(config, schema, &training, &error), &error);
    assert_ok(sotto_training_rule(training, SOTTO_CALIBRATION_SHARP, &rule, &error),
              &error);
    const sotto_event event = *sotto_plan_event(sotto_training_events(training), 0);
    *out_sigma = rule.sigma;
    sotto_training_free(training);
    sotto_schema_free(schema);
    return event;
}

/* A margin (x, -x) of norm sqrt(2) |x|; lambda doubles with its square. Three classes have no such margin. */
static void softmax_of_two_classes_is_the_logistic_loss(void **state)
{
    (void)state;
    sotto_train_config config = config_of(1.0, 1e-6, 0.4);
    double logistic, softmax;
    const sotto_event one = first_event(&config, "[0, 1]", &logistic);
    config.model = SOTTO_MODEL_SOFTMAX;
    config.lambda = 0.8;
    const sotto_event two = first_event(&config, "[0, 1]", &softmax);
    assert_relative(softmax, sqrt(2.0) * logistic, 1e-8);
    assert_relative(two.noise_multiplier, one.noise_multiplier, 1e-8);
    assert_relative(two.atom, one.atom, 1e-8);
    assert_int_equal(two.theorem, SOTTO_FROZEN_SLOPE);
    config.lambda = SOTTO_UNSET;
    const sotto_event three = first_event(&config, "[0, 1, 2]", &softmax);
    assert_int_equal(three.theorem, 0);
    assert_int_equal(three.vertices, 2);
}

/* ---- refusals ---- */

static void rules_that_do_not_apply_say_why(void **state)
{
    (void)state;
    sotto_train_config config = config_of(1.0, 1e-6, 0.2);
    sotto_rule rule = rule_of(&config, SOTTO_CALIBRATION_FORMER);
    assert_false(rule.applies); /* lambda is below R^2/(4 epsilon) */
    assert_non_null(strstr(rule.reason.message, "`lambda` is 0.2"));
    assert_true(isnan(rule.sigma) && isnan(rule.epsilon[0]));
    assert_true(rule_of(&config, SOTTO_CALIBRATION_SHARP).applies);
    config.adjacency = SOTTO_REPLACE_ONE;
    config.lambda = 3.0;
    rule = rule_of(&config, SOTTO_CALIBRATION_REDBERG);
    assert_false(rule.applies);
    assert_non_null(strstr(rule.reason.message, "add-remove"));
    config.delta = SOTTO_UNSET;
    config.adjacency = SOTTO_ADD_REMOVE;
    rule = rule_of(&config, SOTTO_CALIBRATION_REDBERG);
    assert_false(rule.applies);
    assert_non_null(strstr(rule.reason.message, "Gaussian"));
}

static void other_methods_are_refused(void **state)
{
    (void)state;
    sotto_schema *schema = NULL;
    sotto_training *training = NULL;
    sotto_rule rule;
    sotto_error error;
    sotto_train_config config = config_of(1.0, 1e-6, SOTTO_UNSET);
    config.method = SOTTO_METHOD_GD;
    config.expected_rows = 1000;
    assert_ok(sotto_schema_parse("schema.json", unit_schema, strlen(unit_schema), &schema,
                                 &error),
              &error);
    assert_ok(sotto_training_plan(&config, schema, &training, &error), &error);
    assert_refused(sotto_training_rule(training, SOTTO_CALIBRATION_KIFER, &rule, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "give `method=objective`", NULL);
    sotto_training_free(training);
    sotto_schema_free(schema);
    assert_int_equal(sotto_rule_count(3), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kifer_needs_the_published_noise),
        cmocka_unit_test(kifer_composes_its_claims_optimally),
        cmocka_unit_test(chaudhuri_needs_the_published_noise),
        cmocka_unit_test(redberg_has_the_published_profile),
        cmocka_unit_test(this_version_and_the_former_have_their_reference_values),
        cmocka_unit_test(the_default_lambda_falls_where_rows_are_many),
        cmocka_unit_test(softmax_of_two_classes_is_the_logistic_loss),
        cmocka_unit_test(rules_that_do_not_apply_say_why),
        cmocka_unit_test(other_methods_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
