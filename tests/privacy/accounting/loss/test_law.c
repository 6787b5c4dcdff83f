/* The kernels of privacy/accounting/loss/loss.h against plain integrals and sums that share nothing with them. */
#include "privacy/accounting/laws.h"

#include "numeric/special.h"
#include "privacy/accounting/loss/circle.h"
#include "privacy/accounting/loss/kinds.h"
#include "privacy/accounting/profile/gaussian.h"

static double middle_of(sot_bracket delta)
{
    return 0.5 * (delta.lower + delta.upper);
}

/* ---- box ---- */

typedef struct box_step {
    sot_law before; /* k - 1 releases */
    double epsilon;
} box_step;

/* Density of the loss between the ends, times the profile of the releases before. */
static double box_integrand(double loss, const void *context)
{
    const box_step *step = context;
    const double e = step->before.loss;
    const double density = step->before.has_ends
                               ? 0.25 * exp(0.5 * (loss - e))
                               : 0.5 * exp(0.5 * (loss - e)) / -expm1(-e);
    return density * middle_of(sot_box_sum_delta(&step->before, step->epsilon - loss));
}

/* delta_k(eps) = E delta_{k-1}(eps - L): the kinks of delta_{k-1} are where Simpson is weak, so the pieces end there. */
static double box_by_steps(const sot_law *law, double epsilon)
{
    const double e = law->loss;
    box_step step = {*law, epsilon};
    step.before.count -= 1.0;
    double sum = 0.0;
    double from = -e;
    while (from < e) {
        /* Kinks at eps - l = e (k - 1 - 2r). */
        const double top = epsilon - e * (step.before.count);
        double to = top + 2.0 * e * (floor((from - top) / (2.0 * e) + 1e-9) + 1.0);
        to = fmin(to, e);
        sum += laws_integral(box_integrand, &step, from, to, 120);
        from = to;
    }
    if (law->has_ends) {
        sum += 0.5 * middle_of(sot_box_sum_delta(&step.before, epsilon - e));
        sum += 0.5 * exp(-e) * middle_of(sot_box_sum_delta(&step.before, epsilon + e));
    }
    return sum;
}

static void k_releases_of_a_box_are_one_after_k_minus_one(void **state)
{
    (void)state;
    for (int ends = 0; ends < 2; ends++) {
        for (double e = 0.03125; e < 4.0; e *= 5.0) {
            const double most = ends ? SOT_BOX_REPEATS_MAX : SOT_RANGE_REPEATS_MAX;
            for (double k = 2.0; k <= most; k = floor(2.5 * k)) {
                const sot_law law = {
                    .kind = SOT_LAW_BOX, .loss = e, .has_ends = ends, .count = k};
                for (double part = 0.0; part < 0.95; part += 0.3125) {
                    const double epsilon = part * k * e * (k > 20.0 ? 0.4 : 1.0);
                    const sot_bracket delta = sot_box_sum_delta(&law, epsilon);
                    const double expected = box_by_steps(&law, epsilon);
                    assert_true(delta.lower <= delta.upper);
                    assert_within(expected, delta.lower * (1.0 - 1e-7) - 1e-13,
                                  delta.upper * (1.0 + 1e-7) + 1e-13);
                    assert_true(delta.upper <= delta.lower * (1.0 + 1e-8) + 1e-14);
                }
            }
        }
    }
}

static void one_release_of_a_box_is_its_profile(void **state)
{
    (void)state;
    for (int ends = 0; ends < 2; ends++) {
        const sot_law law = {
            .kind = SOT_LAW_BOX, .loss = 1.375, .has_ends = ends, .count = 1.0};
        for (double epsilon = -2.0; epsilon < 2.0; epsilon += 0.0625) {
            const sot_bracket one = sot_box_delta(&law, epsilon);
            const sot_bracket sum = sot_box_sum_delta(&law, epsilon);
            assert_true(sum.lower <= one.upper && one.lower <= sum.upper);
        }
    }
}

typedef struct moment {
    sot_law law;
    double t;
} moment;

/* M(t) = 1 + t(t+1) int e^{t eps} (delta(eps) - (1 - e^eps)_+) deps: from the profile alone. */
static double moment_integrand(double epsilon, const void *context)
{
    const moment *of = context;
    const double trivial = epsilon < 0.0 ? -expm1(epsilon) : 0.0;
    const double delta = middle_of(sot_law_delta(&of->law, epsilon));
    return of->t * (of->t + 1.0) * exp(of->t * epsilon) * (delta - trivial);
}

static void the_moments_are_those_of_the_profile(void **state)
{
    (void)state;
    const sot_law laws[] = {
        {.kind = SOT_LAW_BOX, .loss = 0.75, .has_ends = true, .count = 1.0},
        {.kind = SOT_LAW_BOX, .loss = 2.25, .count = 1.0},
        {.kind = SOT_LAW_REPLACED, .rate = 0.125, .sigma = 0.875, .count = 1.0},
        {.kind = SOT_LAW_REPLACED, .rate = 0.001, .sigma = 2.0, .count = 1.0},
        {.kind = SOT_LAW_FIXED, .rate = 0.0625, .sigma = 1.25, .count = 1.0},
        {.kind = SOT_LAW_FIXED, .rate = 0.75, .sigma = 3.0, .count = 1.0},
        {.kind = SOT_LAW_FIXED, .rate = 0.001, .sigma = 0.625, .count = 1.0},
    };
    for (size_t i = 0; i < sizeof laws / sizeof laws[0]; i++) {
        for (double t = 0.25; t < 12.0; t *= 2.0) {
            const moment of = {laws[i], t};
            const double most =
                isinf(sot_law_loss_max(&laws[i])) ? 60.0 : sot_law_loss_max(&laws[i]);
            /* Kinks at 0 and at the ends only; the profile of a small rate is steep near 0. */
            double excess = 0.0;
            for (double from = 0.0, to = most * 0x1p-20; from < most;
                 from = to, to = fmin(most, 2.0 * to)) {
                excess += laws_integral(moment_integrand, &of, from, to, 400);
                excess += laws_integral(moment_integrand, &of, -to, -from, 400);
            }
            double error;
            const double log_mgf = sot_law_log_mgf(&laws[i], t, &error);
            assert_relative(expm1(log_mgf), excess, 2e-6);
            assert_true(error <= 1e-12 * (1.0 + log_mgf));
            assert_true(log_mgf <= sot_law_log_mgf_bound(&laws[i], t) * (1.0 + 1e-12));
            assert_relative(sot_law_log_mgf_estimate(&laws[i], t), log_mgf, 1e-4);
        }
    }
}

/* ---- lattices ---- */

static const sot_law lattices[] = {
    {.kind = SOT_LAW_RESPONSE, .loss = 1.25, .categories = 7.0, .count = 1.0},
    {.kind = SOT_LAW_DISCRETE_LAPLACE, .loss = 0.875, .steps = 5.0, .count = 1.0},
    {.kind = SOT_LAW_DISCRETE_LAPLACE, .loss = 6.0, .steps = 2.0, .count = 1.0},
    {.kind = SOT_LAW_DISCRETE_GAUSSIAN, .sigma = 0.625, .steps = 1.0, .count = 1.0},
    {.kind = SOT_LAW_DISCRETE_GAUSSIAN, .sigma = 3.25, .steps = 3.0, .count = 1.0},
};
enum { LATTICES = sizeof lattices / sizeof lattices[0] };

static void a_lattice_is_a_pair_of_laws(void **state)
{
    (void)state;
    sotto_error error;
    for (size_t i = 0; i < LATTICES; i++) {
        sot_lattice lattice;
        assert_ok(sot_lattice_new(&lattices[i], 10000, &lattice, &error), &error);
        double p = 0.0, q = 0.0;
        for (size_t n = 0; n < lattice.count; n++) {
            const double loss = (lattice.first + (double)n) * lattice.spacing;
            const size_t mirror = lattice.count - 1 - n;
            p += lattice.mass[n];
            q += lattice.mass[n] * exp(-loss);
            /* mass at -l is e^-l times the mass at l */
            if (lattice.mass[n] > 1e-250 && loss > 0.0)
                assert_relative(lattice.mass[mirror], lattice.mass[n] * exp(-loss),
                                1e-10);
        }
        assert_relative(p, 1.0, 1e-13);
        assert_relative(q, 1.0, 1e-10);
        for (double epsilon = -3.0; epsilon < 5.0; epsilon += 0.1875) {
            const sot_bracket table = sot_lattice_delta(&lattice, epsilon);
            const sot_bracket law = sot_law_delta(&lattices[i], epsilon);
            assert_true(table.lower <= law.upper && law.lower <= table.upper);
            assert_true(law.upper - law.lower < 1e-11);
        }
        sot_lattice_clear(&lattice);
    }
}

static void the_circle_agrees_with_the_convolution(void **state)
{
    (void)state;
    sotto_error error;
    for (size_t i = 0; i < LATTICES; i++) {
        for (double k = 2.0; k < 30.0; k = floor(2.5 * k)) {
            sot_law law = lattices[i];
            law.count = k;
            sot_lattice power;
            assert_true(sot_lattice_power_fits(&law));
            assert_ok(sot_lattice_power(&law, &power, &error), &error);
            for (double epsilon = 0.0; epsilon < 0.7 * k; epsilon += 0.28125 * k) {
                sot_circle *circle;
                const sotto_status status =
                    sot_circle_new(&law, epsilon, NAN, &circle, &error);
                assert_ok(status, &error);
                const sot_bracket expected = sot_lattice_delta(&power, epsilon);
                const sot_bracket delta = sot_circle_delta(circle, epsilon);
                assert_true(delta.lower <= expected.upper);
                assert_true(expected.lower <= delta.upper);
                assert_true(delta.upper <= expected.upper * (1.0 + 1e-8) + 1e-290);
                assert_true(delta.lower >= expected.lower * (1.0 - 1e-8) - 1e-290);
                sot_circle_free(circle);
            }
            sot_lattice_clear(&power);
        }
    }
}

static void the_moments_of_a_lattice_are_its_sums(void **state)
{
    (void)state;
    sotto_error error;
    for (size_t i = 0; i < LATTICES; i++) {
        sot_lattice lattice;
        assert_ok(sot_lattice_new(&lattices[i], 10000, &lattice, &error), &error);
        for (double t = 0.125; t < 8.0; t *= 2.0) {
            double sum = 0.0, bound;
            for (size_t n = 0; n < lattice.count; n++)
                sum += lattice.mass[n] *
                       exp(t * (lattice.first + (double)n) * lattice.spacing);
            assert_relative(sot_law_log_mgf(&lattices[i], t, &bound), log(sum), 1e-10);
            assert_true(log(sum) <=
                        sot_law_log_mgf_bound(&lattices[i], t) * (1.0 + 1e-12));
        }
        sot_lattice_clear(&lattice);
    }
    /* Many steps: the geometric sum against the table. */
    sot_law many = {
        .kind = SOT_LAW_DISCRETE_LAPLACE, .loss = 1.5, .steps = 64.0, .count = 1.0};
    double ignored;
    const double table = sot_law_log_mgf(&many, 2.5, &ignored);
    many.steps = 65.0;
    const double closed = sot_law_log_mgf(&many, 2.5, &ignored);
    assert_relative(closed, table, 2e-3);
}

/* ---- mixtures ---- */

typedef struct pair_at {
    double rate, sigma, grown; /* e^eps */
} pair_at;

static double normal(double y, double mean, double sigma)
{
    const double x = (y - mean) / sigma;
    return exp(-0.5 * x * x) / (sigma * 2.5066282746310005);
}

static double replaced_excess(double y, const void *context)
{
    const pair_at *of = context;
    const double none = (1.0 - of->rate) * normal(y, 0.0, of->sigma);
    const double p = none + of->rate * normal(y, 1.0, of->sigma);
    const double q = none + of->rate * normal(y, -1.0, of->sigma);
    return fmax(0.0, p - of->grown * q);
}

static void one_coin_under_replace_one_is_its_integral(void **state)
{
    (void)state;
    for (double rate = 0.004; rate < 1.0; rate *= 5.0) {
        for (double sigma = 0.5; sigma < 5.0; sigma *= 2.0) {
            const sot_law law = {
                .kind = SOT_LAW_REPLACED, .rate = rate, .sigma = sigma, .count = 1.0};
            for (double epsilon = -1.0; epsilon < 2.0; epsilon += 0.375) {
                const pair_at of = {rate, sigma, exp(epsilon)};
                const double expected = laws_integral(
                    replaced_excess, &of, -12.0 * sigma - 1.0, 12.0 * sigma + 1.0, 20000);
                const sot_bracket delta = sot_law_delta(&law, epsilon);
                assert_true(delta.lower <= delta.upper);
                assert_within(expected, delta.lower - 1e-7, delta.upper + 1e-7);
                assert_true(delta.upper - delta.lower <= 1e-12);
            }
        }
    }
}

/* The bound on the transform holds beyond each s, and is worth something. */
static void the_tail_of_a_mixture_lies_above_its_transform(void **state)
{
    (void)state;
    sotto_error error;
    const sot_law laws[] = {
        {.kind = SOT_LAW_REPLACED, .rate = 0.25, .sigma = 0.75, .count = 1.0},
        {.kind = SOT_LAW_REPLACED, .rate = 0.005, .sigma = 1.5, .count = 1.0},
        {.kind = SOT_LAW_FIXED, .rate = 0.25, .sigma = 0.75, .count = 1.0},
        {.kind = SOT_LAW_FIXED, .rate = 0.005, .sigma = 1.5, .count = 1.0},
        {.kind = SOT_LAW_FIXED, .rate = 0.9, .sigma = 4.0, .count = 1.0},
        {.kind = SOT_LAW_BOX, .loss = 0.5, .has_ends = true, .count = 1.0},
        {.kind = SOT_LAW_BOX, .loss = 0.5, .count = 1.0},
    };
    enum { NODES = 512 };
    for (size_t i = 0; i < sizeof laws / sizeof laws[0]; i++) {
        for (double c = 0.5; c < 20.0; c *= 4.0) {
            double modulus[NODES] = {0.0}, argument[NODES] = {0.0}, slack[NODES] = {0.0};
            const double step = laws[i].rate > 0.0 && laws[i].rate < 0.1 ? 2.0 : 0.25;
            const sot_law_table table = {c, step, NODES, modulus, argument, slack};
            assert_ok(sot_law_accumulate(&laws[i], &table, 1e9, &error), &error);
            sot_law_tail *tail;
            assert_ok(sot_law_tail_new(&laws[i], c, &tail, &error), &error);
            double before = 0.0;
            for (size_t j = 1; j < NODES; j++) {
                const double bound = sot_law_tail_log(tail, (double)j * step);
                /* Where the table's own error is all there is, there is nothing to compare. */
                if (slack[j] < 0.01) assert_true(modulus[j] <= bound + slack[j] + 1e-12);
                assert_true(bound <= before + 1e-9); /* it decreases */
                before = bound;
            }
            assert_true(before < -1e-4);
            sot_law_tail_free(tail);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(k_releases_of_a_box_are_one_after_k_minus_one),
        cmocka_unit_test(one_release_of_a_box_is_its_profile),
        cmocka_unit_test(the_moments_are_those_of_the_profile),
        cmocka_unit_test(a_lattice_is_a_pair_of_laws),
        cmocka_unit_test(the_circle_agrees_with_the_convolution),
        cmocka_unit_test(the_moments_of_a_lattice_are_its_sums),
        cmocka_unit_test(one_coin_under_replace_one_is_its_integral),
        cmocka_unit_test(the_tail_of_a_mixture_lies_above_its_transform),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
