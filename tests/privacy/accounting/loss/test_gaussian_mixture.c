/* Mixtures of Gaussians: one release beside sums over its density in one and two dimensions, one norm beside the sampled
 * Gaussian, refusals. */
#include <math.h>

#include "privacy/accounting/cross_check.h"
#include "privacy/accounting/plans.h"

enum { NORMS = 3 };

typedef struct mixture_case {
    double sigma;
    double norms[NORMS], weights[NORMS];
} mixture_case;

static sotto_event mixture_event(const mixture_case *of, uint64_t count)
{
    sotto_event event = plans_event(SOTTO_GAUSSIAN_MIXTURE);
    event.noise_multiplier = of->sigma;
    event.count = count;
    event.curve_size = NORMS;
    event.curve_orders = of->norms;
    event.curve_values = of->weights;
    return event;
}

static mixture_case random_mixture(uint64_t *seed)
{
    mixture_case of = {.sigma = cross_between(seed, 0.4, 4.0)};
    double norm = 0.0, rest = 1.0;
    for (int i = 0; i < NORMS; i++) {
        norm += cross_between(seed, 0.1, 1.0);
        of.norms[i] = norm;
        of.weights[i] = rest * cross_between(seed, 1e-3, 0.7);
        rest -= of.weights[i];
    }
    return of;
}

static double normal(double x)
{
    return 0.3989422804014327 * exp(-0.5 * x * x);
}

/* delta of both directions by the midpoint rule over a plane, where the unit's vectors make the angles given. */
static double plane_delta(const mixture_case *of, const double *angles, double epsilon)
{
    const double reach = 9.0 + of->norms[NORMS - 1] / of->sigma;
    const double step = 0.02;
    const double factor = exp(epsilon);
    double removed = 0.0, added = 0.0, rest = 1.0;
    for (int i = 0; i < NORMS; i++)
        rest -= of->weights[i];
    for (double x = -reach; x < reach; x += step) {
        for (double y = -9.0; y < 9.0; y += step) {
            const double q = normal(x) * normal(y);
            double p = rest * q;
            for (int i = 0; i < NORMS; i++) {
                const double b = of->norms[i] / of->sigma;
                p += of->weights[i] * normal(x - b * cos(angles[i])) *
                     normal(y - b * sin(angles[i]));
            }
            removed += fmax(0.0, p - factor * q);
            added += fmax(0.0, q - factor * p);
        }
    }
    return fmax(removed, added) * step * step;
}

/* On a line the midpoint rule is exact to 1e-9 here, but for the kink. */
static double line_delta(const mixture_case *of, double epsilon)
{
    const double reach = 14.0 + of->norms[NORMS - 1] / of->sigma;
    const double step = 1e-4;
    double removed = 0.0, added = 0.0, rest = 1.0;
    for (int i = 0; i < NORMS; i++)
        rest -= of->weights[i];
    for (double y = -reach; y < reach; y += step) {
        const double q = normal(y);
        double p = rest * q;
        for (int i = 0; i < NORMS; i++)
            p += of->weights[i] * normal(y - of->norms[i] / of->sigma);
        removed += fmax(0.0, p - exp(epsilon) * q);
        added += fmax(0.0, q - exp(epsilon) * p);
    }
    return fmax(removed, added) * step;
}

static void one_release_has_its_definition(void **state)
{
    (void)state;
    uint64_t seed = 20261119;
    for (int i = 0; i < 40; i++) {
        const mixture_case of = random_mixture(&seed);
        const double epsilon = 2.0 * cross_uniform(&seed);
        const double truth = line_delta(&of, epsilon);
        const sotto_account account =
            delta_of(plan_of(mixture_event(&of, 1)), SOTTO_EXACT, epsilon);
        assert_int_equal(account.kernel, SOTTO_KERNEL_CLOSED_FORM);
        assert_within(account.delta, truth - 1e-8, truth + 1e-8);
        assert_within(account.delta_lower, account.delta - 1e-11, account.delta);
    }
}

/* Vectors that are not parallel are no worse (Kahane); parallel ones attain the answer. */
static void other_directions_are_no_worse(void **state)
{
    (void)state;
    uint64_t seed = 3;
    for (int i = 0; i < 4; i++) {
        const mixture_case of = random_mixture(&seed);
        double angles[NORMS] = {0.0, 0.0, 0.0};
        const double epsilon = cross_uniform(&seed);
        const double most =
            delta_of(plan_of(mixture_event(&of, 1)), SOTTO_EXACT, epsilon).delta;
        assert_within(plane_delta(&of, angles, epsilon), most - 1e-4, most + 1e-5);
        for (int k = 0; k < NORMS; k++)
            angles[k] = 3.0 * cross_uniform(&seed);
        assert_true(plane_delta(&of, angles, epsilon) <= most + 1e-5);
    }
}

/* With one norm it is the sampled Gaussian, whose contour shares no code with the table. */
static void one_norm_is_a_poisson_sample(void **state)
{
    (void)state;
    uint64_t seed = 11;
    for (int i = 0; i < 12; i++) {
        const double rate = cross_between(&seed, 1e-4, 0.3);
        const double sigma = cross_between(&seed, 0.6, 4.0);
        const uint64_t count = 1 + (uint64_t)(2000.0 * cross_uniform(&seed));
        const double delta = cross_between(&seed, 1e-10, 1e-3);
        const double norm = 1.0;
        sotto_event event = plans_event(SOTTO_GAUSSIAN_MIXTURE);
        event.noise_multiplier = sigma;
        event.count = count;
        event.curve_size = 1;
        event.curve_orders = &norm;
        event.curve_values = &rate;
        const sotto_account known =
            epsilon_of(plan_of(sampled(rate, sigma, count)), SOTTO_EXACT, delta);
        const sotto_accountant methods[] = {SOTTO_EXACT, SOTTO_PLD, SOTTO_RDP,
                                            SOTTO_BASIC};
        for (int k = 0; k < 4; k++) {
            const sotto_account account = epsilon_of(plan_of(event), methods[k], delta);
            assert_true(account.epsilon >= known.epsilon_lower * (1.0 - 1e-9));
            if (k > 1) continue;
            assert_true(account.epsilon_lower <= known.epsilon * (1.0 + 1e-9));
            assert_true(account.epsilon <= known.epsilon * 1.01 + 1e-6);
        }
        const double rdp =
            epsilon_of(plan_of(sampled(rate, sigma, count)), SOTTO_RDP, delta).epsilon;
        /* The tail beyond the table is bounded, not integrated: it matters at large orders. */
        assert_within(epsilon_of(plan_of(event), SOTTO_RDP, delta).epsilon,
                      rdp * (1.0 - 1e-9), rdp * 1.3);
    }
}

/* Beyond 12 sigma the largest norm pays for all; there is no lower end. */
static void little_noise_costs_the_largest_norm(void **state)
{
    (void)state;
    const mixture_case of = {0.2, {1.0, 2.0, 3.0}, {0.1, 0.1, 0.1}};
    const sotto_account account =
        epsilon_of(plan_of(mixture_event(&of, 2)), SOTTO_EXACT, 1e-6);
    assert_relative(
        account.epsilon,
        epsilon_of(plan_of(gaussian(0.2 / 3.0, 2)), SOTTO_EXACT, 1e-6).epsilon, 1e-9);
    assert_true(account.epsilon_lower == 0.0);
}

static void wrong_mixtures_are_refused(void **state)
{
    (void)state;
    sotto_error error;
    sotto_plan *plan = plan_of(pure(0.1, 1));
    mixture_case of = {1.0, {1.0, 2.0, 3.0}, {0.1, 0.1, 0.1}};
    sotto_event event = mixture_event(&of, 1);
    of.norms[1] = 0.5;
    assert_refused(sotto_plan_add(plan, &event, &error), SOTTO_INVALID_ARGUMENT, &error,
                   "norms[1] is 0.5", NULL);
    of.norms[1] = 2.0;
    of.weights[2] = -0.1;
    assert_refused(sotto_plan_add(plan, &event, &error), SOTTO_INVALID_ARGUMENT, &error,
                   "probabilities[2]", NULL);
    of.weights[2] = 0.8;
    assert_refused(sotto_plan_add(plan, &event, &error), SOTTO_INVALID_ARGUMENT, &error,
                   "sum to 1", NULL);
    of.weights[2] = 0.1;
    event.curve_size = 0;
    assert_refused(sotto_plan_add(plan, &event, &error), SOTTO_INVALID_ARGUMENT, &error,
                   "0 norms", NULL);
    event.curve_size = NORMS;
    event.sampling = SOTTO_POISSON;
    event.rate = 0.1;
    assert_refused(sotto_plan_add(plan, &event, &error), SOTTO_UNSUPPORTED, &error,
                   "gaussian-mixture", NULL);
    sotto_plan_free(plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_release_has_its_definition),
        cmocka_unit_test(other_directions_are_no_worse),
        cmocka_unit_test(one_norm_is_a_poisson_sample),
        cmocka_unit_test(little_noise_costs_the_largest_norm),
        cmocka_unit_test(wrong_mixtures_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
