/* The law of one row (privacy/accounting/objective_loss/row_loss.h) and chains of it beside quadrature of h in long
 * double: never below, and close. */
#include "support.h"

#include "privacy/accounting/objective_loss/loss.h"
#include "privacy/accounting/objective_loss/row_loss.h"

/* ---- the reference ---- */

static long double law_h(long double kappa, long double t)
{
    if (t >= kappa) return t;
    if (t <= -kappa) return 0.0L;
    return (kappa + t) * (kappa + t) / (4.0L * kappa);
}

/* e^{order h - z^2/2 - top} or (1 - e^{epsilon - h})_+ e^{-z^2/2}, t = a^2/2 + a z */
typedef struct integrand {
    long double a, kappa, order, epsilon, top;
    bool is_moment;
} integrand;

static long double value_at(const integrand *of, long double z)
{
    const long double h = law_h(of->kappa, 0.5L * of->a * of->a + of->a * z);
    if (of->is_moment) return expl(of->order * h - 0.5L * z * z - of->top);
    return h > of->epsilon ? -expm1l(of->epsilon - h) * expl(-0.5L * z * z) : 0.0L;
}

/* Eight-point Gauss-Legendre in `panels` panels. */
static long double integral(const integrand *of, long double from, long double to,
                            int panels)
{
    static const long double node[4] = {0.18343464249564980494L, 0.52553240991632898582L,
                                        0.79666647741362673959L, 0.96028985649753623168L};
    static const long double weight[4] = {
        0.36268378337836198297L, 0.31370664587788728734L, 0.22238103445337447054L,
        0.10122853629037625915L};
    long double sum = 0.0L;
    const long double half = 0.5L * (to - from) / panels;
    for (int p = 0; p < panels; p++) {
        const long double middle = from + half * (2.0L * p + 1.0L);
        for (int i = 0; i < 4; i++) {
            sum += weight[i] * (value_at(of, middle - half * node[i]) +
                                value_at(of, middle + half * node[i]));
        }
    }
    return sum * half * 0.39894228040143267794L;
}

/* Over [low, high], cut at the corners of h and, above, where h passes epsilon. */
static long double pieces(const integrand *of, long double low, long double high)
{
    const long double a = of->a;
    long double cuts[5] = {low, -of->kappa / a - 0.5L * a, low, of->kappa / a - 0.5L * a,
                           high};
    if (!of->is_moment && of->epsilon >= 0.0L && of->epsilon < of->kappa)
        cuts[2] = (2.0L * sqrtl(of->kappa * of->epsilon) - of->kappa) / a - 0.5L * a;
    if (!of->is_moment && of->epsilon >= of->kappa)
        cuts[4] = high, cuts[2] = of->epsilon / a - 0.5L * a;
    long double sum = 0.0L, from = low;
    for (int i = 0; i < 16; i++) { /* the next cut above */
        long double to = high;
        for (int j = 1; j < 5; j++)
            if (cuts[j] > from && cuts[j] < to) to = cuts[j];
        if (!(to > from)) break;
        sum += integral(of, from, to, 8 + (int)ceill(8.0L * (to - from)));
        from = to;
    }
    return sum;
}

static double true_delta(double a, double kappa, double epsilon)
{
    const integrand of = {.a = a, .kappa = kappa, .epsilon = epsilon};
    long double low = -40.0L;
    if (epsilon >= 0.0) { /* nothing is lost below */
        const long double t = epsilon < kappa
                                  ? 2.0L * sqrtl((long double)kappa * epsilon) - kappa
                                  : epsilon;
        low = fmaxl(low, t / a - 0.5L * a);
    }
    return (double)pieces(&of, low, fmaxl(low, 0.0L) + 40.0L);
}

static double true_log_mgf(double a, double kappa, double order)
{
    integrand of = {.a = a, .kappa = kappa, .order = order, .is_moment = true};
    const long double high = (long double)order * a + 40.0L;
    of.top = -INFINITY;
    for (long double z = -40.0L; z < high; z += 0.25L) {
        const long double h = law_h(kappa, 0.5L * of.a * of.a + of.a * z);
        of.top = fmaxl(of.top, order * h - 0.5L * z * z);
    }
    return (double)(of.top + logl(pieces(&of, -40.0L, high)));
}

/* ---- one row ---- */

static const double shifts[] = {0.02, 0.1, 0.2116, 0.5, 1.0, 3.0};
static const double kappas[] = {0.0, 1e-3, 0.1, 0.5, 1.0, 2.5};
enum { SHIFTS = 6, KAPPAS = 6 };

static void moments_are_never_below_and_close(void **state)
{
    (void)state;
    static const double orders[] = {1e-3, 0.5, 1.0, 3.0, 15.0, 63.0, 400.0};
    double worst = 0.0;
    for (int i = 0; i < SHIFTS * KAPPAS; i++) {
        const sot_row_loss row = {shifts[i % SHIFTS], kappas[i / SHIFTS]};
        for (size_t j = 0; j < sizeof orders / sizeof orders[0]; j++) {
            const double truth = true_log_mgf(row.shift, row.kappa, orders[j]);
            const double claim = sot_row_log_mgf_upper(&row, orders[j]);
            assert_within(claim, truth - 1e-15 - 1e-14 * fabs(truth),
                          truth * (1.0 + 1e-3) + 1e-12);
            worst = fmax(worst, claim / truth - 1.0);
        }
    }
    print_message("largest excess of log moments: %.2g\n", worst);
}

static void profiles_are_never_below_and_close(void **state)
{
    (void)state;
    static const double places[] = {-1.0, -0.01, 0.0, 1e-6,  0.1,
                                    0.25, 0.5,   0.9, 0.999, 1.5};
    double worst = 0.0;
    for (int i = 0; i < SHIFTS * KAPPAS; i++) {
        const sot_row_loss row = {shifts[i % SHIFTS], kappas[i / SHIFTS]};
        for (size_t j = 0; j < sizeof places / sizeof places[0]; j++) {
            const double epsilon = places[j] * (row.kappa > 0.0 ? row.kappa : 1.0);
            const double truth = true_delta(row.shift, row.kappa, epsilon);
            const double claim = sot_row_delta_upper(&row, epsilon);
            assert_within(claim, truth * (1.0 - 1e-13), 1.0);
            if (truth < 1e-200) continue;
            assert_within(claim, 0.0, truth * 1.01);
            worst = fmax(worst, claim / truth - 1.0);
        }
    }
    print_message("largest excess of delta: %.2g\n", worst);
}

/* h >= max(t, 0), h >= kappa/4 where t >= 0, h <= max(t, kappa), at settings where no quadrature
 * is to be trusted. */
static void extreme_settings_stay_between_simple_laws(void **state)
{
    (void)state;
    static const double extreme_shifts[] = {1e-12, 1e-6, 0.2, 30.0, 1e4};
    static const double extreme_kappas[] = {0.0, 5e-324, 1e-300, 1e-9, 1.0, 1e3, 1e6};
    static const double orders[] = {1e-300, 1e-6, 1.0, 1e4, 1e13, 1e300};
    static const double epsilons[] = {-1e300, -700.0, -1e-20, 0.0,      1e-300,
                                      1e-6,   0.5,    999.0,  999999.0, 1e300};
    for (int i = 0; i < 5 * 7; i++) {
        const sot_row_loss row = {extreme_shifts[i % 5], extreme_kappas[i / 5]};
        const sot_objective simple = {
            .vertices = 1.0, .shift = row.shift, .atom = row.kappa};
        for (int j = 0; j < 6; j++) {
            const double r = orders[j];
            const double claim = sot_row_log_mgf_upper(&row, r);
            const double gaussian = 0.5 * r * (r + 1.0) * row.shift * row.shift;
            assert_within(claim, gaussian * (1.0 - 1e-14), INFINITY);
            assert_within(claim, 0.25 * r * row.kappa * (1.0 - 1e-14) - 0.6931471806,
                          INFINITY);
            const double most = sot_objective_log_mgf_upper(&simple, r);
            assert_within(claim, 0.0, isinf(most) ? HUGE_VAL : most * 1.001 + 1e-12);
        }
        double before = 1.0;
        for (int j = 0; j < 10; j++) {
            const double claim = sot_row_delta_upper(&row, epsilons[j]);
            assert_within(claim, 0.0, fmin(1.0, before * 1.001 + 1e-300));
            assert_within(claim, -expm1(epsilons[j]) * (1.0 - 1e-14) - 1e-300, 1.0);
            /* A coarse cell or two at the ends of the range. */
            assert_within(claim, 0.0,
                          sot_objective_delta_upper(&simple, epsilons[j]) * 1.001 + 1e-7);
            before = claim;
        }
    }
}

/* ---- chains ---- */

/* The chain by the formula, with quadrature for each step: the least over p. */
static double holder(double a, double first_kappa, double kappa, double r, double p)
{
    return true_log_mgf(a, first_kappa, p * (r + 1.0) - 1.0) / p +
           (1.0 - 1.0 / p) * true_log_mgf(a, kappa, p * r / (p - 1.0));
}

static double best_holder(double a, double first_kappa, double kappa, double r)
{
    double best = INFINITY;
    for (double p = 1.01; p < 60.0; p = 1.0 + (p - 1.0) * 1.1)
        best = fmin(best, holder(a, first_kappa, kappa, r, p));
    return best;
}

/* Two rows go, or one comes and one goes. The order that is used costs little beside the best one;
 * and the claim is no less than that of two Gaussian steps, whose shifts add. */
static void two_steps_are_holders_inequality(void **state)
{
    (void)state;
    static const double orders[] = {0.5, 1.0, 7.0, 15.0};
    double worst = 0.0;
    for (int i = 0; i < 16; i++) {
        const bool replaces = i < 8;
        const double r = orders[i % 4], a = i % 8 < 4 ? 0.1 : 0.4;
        const double kappa = 0.5;
        sot_objective law = {
            .vertices = 1.0, .shift = 2.0 * a, .rows = 2, .is_replaced = false};
        law.atom = 2.0 * kappa + a * a;
        if (replaces) {
            law.rows = 1;
            law.is_replaced = true;
            law.atom = 2.0 * kappa - a * a;
        }
        const double claim = sot_objective_log_mgf_upper(&law, r);
        const double p = 1.0 + r / (r + 1.0);
        const double same = holder(a, replaces ? 0.0 : kappa, kappa, r, p);
        const double best = best_holder(a, replaces ? 0.0 : kappa, kappa, r);
        law.rows = 0;
        const double simple = sot_objective_log_mgf_upper(&law, r);
        assert_within(claim, fmin(same, simple) * (1.0 - 1e-12),
                      fmin(same, simple) * (1.0 + 1e-3));
        assert_within(claim, 2.0 * r * (r + 1.0) * a * a, INFINITY);
        worst = fmax(worst, fmin(same, simple) / fmin(best, simple));
    }
    print_message("largest chain over the best one: %.4f\n", worst);
    assert_within(worst, 0.999, 1.25);
}

/* Without a kappa the steps are Gaussian but for losses below 0, and the chain loses nothing. */
static void chains_of_gaussian_steps_lose_little(void **state)
{
    (void)state;
    for (uint32_t rows = 2; rows <= 64; rows *= 2) {
        const double a = 0.3 / rows, r = 40.0;
        const sot_objective law = {.vertices = 1.0,
                                   .shift = 0.3,
                                   .atom = 0.5 * rows * (rows - 1.0) * a * a,
                                   .rows = rows};
        const double claim = sot_objective_log_mgf_upper(&law, r);
        assert_within(claim / (0.5 * r * (r + 1.0) * 0.09), 1.0, 1.0 + 1e-3);
    }
}

/* More rows than the chain takes, and none said: the atom's law. */
static void unsaid_and_very_many_rows_are_the_atom(void **state)
{
    (void)state;
    sot_objective law = {.vertices = 1.0, .shift = 0.2, .atom = 0.9};
    const double atom = sot_objective_log_mgf_upper(&law, 7.0);
    const double delta = sot_objective_delta_upper(&law, 0.4);
    law.rows = 65;
    assert_true(sot_objective_log_mgf_upper(&law, 7.0) == atom);
    assert_true(sot_objective_delta_upper(&law, 0.4) == delta);
    law.rows = 1;
    assert_within(sot_objective_log_mgf_upper(&law, 7.0), 0.0, 0.6 * atom);
    assert_within(sot_objective_delta_upper(&law, 0.4), 0.0, 0.6 * delta);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(moments_are_never_below_and_close),
        cmocka_unit_test(profiles_are_never_below_and_close),
        cmocka_unit_test(extreme_settings_stay_between_simple_laws),
        cmocka_unit_test(two_steps_are_holders_inequality),
        cmocka_unit_test(chains_of_gaussian_steps_lose_little),
        cmocka_unit_test(unsaid_and_very_many_rows_are_the_atom),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
