/* Frozen slopes and hulls beside the exact distribution of the release (objective_density.h), in one and two dimensions, both
 * directions, epsilon from -1 to past the place where the bound becomes the Gaussian's. */
#include "support.h"

#include "privacy/accounting/objective_cases.h"
#include "privacy/accounting/objective_loss/loss.h"
#include "privacy/accounting/objective_loss/row_hull.h"
#include "privacy/accounting/plans.h"
#include "privacy/accounting/profile/gaussian.h"

/* The quadrature is good to 1e-9 where delta is above 1e-12. */
static const double rounding = 1e-7;
static const double least_delta = 1e-9;

typedef struct setting {
    sot_objective_law law;
    sot_frozen_row row;
    sot_row_hull *hull;
} setting;

static setting setting_of(double lambda, double sigma)
{
    sotto_error error;
    setting made = {.law = sharp(SOTTO_ADD_REMOVE, 1, 1.0, lambda),
                    .row = {.shift = 1.0 / sigma * (1.0 + 1e-15),
                            .determinant = 1.0 / lambda * (1.0 + 1e-15)}};
    made.law.sigma = sigma;
    const double kappa = made.row.determinant - 0.5 * made.row.shift * made.row.shift;
    assert_ok(
        sot_row_hull_new(&made.row, fmax(0.0, kappa) * (1.0 + 1e-14), &made.hull, &error),
        &error);
    return made;
}

/* On a line, many more points over b than objective_density.h takes: where lambda is small beside sigma, the loss changes
 * within a small part of its panels. */
static const double line_rounding = 1e-5;

static double line_delta(const density_pair *pair, double epsilon)
{
    enum { POINTS = 16000 };
    const double step = 16.0 / POINTS;
    double sum = 0.0, theta[2] = {0.0, 0.0};
    for (int i = 0; i < POINTS; i++) {
        const double z = step * (i + 0.5) - 8.0;
        const double b[2] = {pair->sigma * z, 0.0};
        density_solve(pair, &pair->first, b, theta);
        const double over = epsilon - density_loss_at(pair, theta);
        if (over < 0.0) sum -= expm1(over) * exp(-0.5 * z * z);
    }
    return sum * step / sqrt(2.0 * M_PI);
}

static double true_delta(const density_pair *pair, double epsilon)
{
    return pair->is_flat ? line_delta(pair, epsilon) : density_delta(pair, epsilon);
}

/* True over claimed delta of one direction; 0 where nothing can be seen. */
static double removed_ratio(const setting *of, const density_pair *pair, double epsilon)
{
    const double claim = sot_row_hull_delta_upper(of->hull, epsilon);
    return claim < least_delta ? 0.0 : true_delta(pair, epsilon) / claim;
}

static double added_ratio(const setting *of, const density_pair *pair, double epsilon)
{
    const density_pair swapped = density_swapped(pair);
    const double claim =
        -expm1(epsilon) + exp(epsilon) * sot_row_hull_delta_upper(of->hull, -epsilon);
    return claim < least_delta ? 0.0 : true_delta(&swapped, epsilon) / claim;
}

static density_pair drawn_pair(const sot_objective_law *law, int i)
{
    if (i < BACKGROUNDS) return line_pair(law, &backgrounds[i], 1.0, 1.0);
    const background driven = {0.25 * (BACKGROUNDS - i), 0.0, 0.0};
    return line_pair(law, &driven, 1.0, 1.0);
}
enum { PAIRS = BACKGROUNDS + 16 };

/* From -1 to past the top, where the bound becomes the Gaussian's. */
static double epsilon_at(const setting *of, int i)
{
    static const double places[] = {0.0, 0.05, 0.15, 0.3, 0.5, 0.7, 0.9, 1.0, 1.2};
    return i < 3 ? -1.0 + 0.35 * i : places[i - 3] * of->hull->top;
}
enum { EPSILONS = 12 };

static void one_row_on_a_line_holds_and_is_reached(void **state)
{
    (void)state;
    static const double lambdas[] = {0.1, 0.4, 0.974}, sigmas[] = {1.0, 4.0, 10.0};
    double most = 0.0, reached = 0.0;
    for (int i = 0; i < 9; i++) {
        const setting of = setting_of(lambdas[i % 3], sigmas[i / 3]);
        for (int j = i % 2; j < PAIRS; j += 2) {
            const density_pair pair = drawn_pair(&of.law, j);
            for (int e = 0; e < EPSILONS; e++) {
                const double epsilon = epsilon_at(&of, e);
                const double removed = removed_ratio(&of, &pair, epsilon);
                const double added = added_ratio(&of, &pair, epsilon);
                assert_within(removed, 0.0, 1.0 + line_rounding);
                assert_within(added, 0.0, 1.0 + line_rounding);
                most = fmax(most, fmax(removed, added));
                if (epsilon >= of.hull->top) reached = fmax(reached, removed);
            }
        }
        sot_row_hull_free(of.hull);
    }
    print_message("on a line: true/claimed up to %.6f, from the top on %.6f\n", most,
                  reached);
    assert_within(reached, 0.999, 1.0 + line_rounding);
}

/* In the plane the curvature across the row can hold its slope: the frozen bound comes closer. */
static density_pair plane_pair(const sot_objective_law *law, double slope, double across,
                               double others)
{
    density_pair pair = pair_of(law);
    pair.slope[0] = slope;
    pair.slope[1] = across;
    density_add(&pair.first, -1.0, 0.0, 1.0);
    density_data *both[] = {&pair.first, &pair.second};
    for (int i = 0; i < 2 && others > 0.0; i++) {
        density_add(both[i], 0.6, 0.8, others);
        density_add(both[i], 0.6, -0.8, others);
    }
    return pair;
}

static void one_row_in_the_plane_holds(void **state)
{
    (void)state;
    static const double slopes[] = {0.0, -1.5, -6.0}, others[] = {0.0, 2.0, 40.0};
    double most = 0.0;
    for (int i = 0; i < 2; i++) {
        const setting of = setting_of(i == 0 ? 0.3 : 0.9, i == 0 ? 3.0 : 4.5);
        for (int j = 0; j < 9; j++) {
            const density_pair pair =
                plane_pair(&of.law, slopes[j % 3], j % 2 == 0 ? 0.0 : 2.0, others[j / 3]);
            for (int e = 0; e < EPSILONS; e += 2) {
                const double epsilon = epsilon_at(&of, e);
                const double ratio = fmax(removed_ratio(&of, &pair, epsilon),
                                          added_ratio(&of, &pair, epsilon));
                assert_within(ratio, 0.0, 1.0 + rounding);
                most = fmax(most, ratio);
            }
        }
        sot_row_hull_free(of.hull);
    }
    print_message("in the plane: true/claimed up to %.6f\n", most);
    assert_within(most, 0.9, 1.0 + rounding);
}

static void shorter_rows_are_dominated(void **state)
{
    (void)state;
    static const double lengths[] = {0.3, 0.7, 0.95};
    const setting of = setting_of(0.5, 3.0);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < BACKGROUNDS; j++) {
            const density_pair pair =
                line_pair(&of.law, &backgrounds[j], lengths[i], 1.0);
            for (int e = 0; e < EPSILONS; e++) {
                const double epsilon = epsilon_at(&of, e);
                assert_within(removed_ratio(&of, &pair, epsilon), 0.0,
                              1.0 + line_rounding);
                assert_within(added_ratio(&of, &pair, epsilon), 0.0, 1.0 + line_rounding);
            }
        }
    }
    sot_row_hull_free(of.hull);
}

/* ---- units of 1 to 3 rows, added, removed or exchanged, at every epsilon ---- */

/* From -1 to past the atom, from which on the bound is the Gaussian's and is reached. */
static double unit_epsilon(const sot_objective *objective, int i)
{
    static const double places[] = {0.0, 0.3, 0.6, 0.85, 1.0, 1.15};
    return i < 2 ? -1.0 + 0.6 * i : places[i - 2] * objective->atom;
}
enum { UNIT_EPSILONS = 8 };

typedef struct worst_ratio {
    double most;    /* true over claimed delta */
    double reached; /* the same from the atom on */
} worst_ratio;

static void compare_unit(const sot_objective *objective, const density_pair *pair,
                         double slack, worst_ratio *worst)
{
    const density_pair swapped = density_swapped(pair);
    for (int e = 0; e < UNIT_EPSILONS; e++) {
        const double epsilon = unit_epsilon(objective, e);
        const double claim = sot_objective_delta_upper(objective, epsilon);
        if (claim < least_delta) continue;
        const double truth =
            fmax(true_delta(pair, epsilon), true_delta(&swapped, epsilon));
        assert_within(truth / claim, 0.0, 1.0 + slack);
        worst->most = fmax(worst->most, truth / claim);
        if (epsilon >= objective->atom)
            worst->reached = fmax(worst->reached, truth / claim);
    }
}

static void units_hold_at_every_epsilon_and_are_reached(void **state)
{
    (void)state;
    for (uint64_t rows = 1; rows <= 3; rows++) {
        worst_ratio worst = {0.0, 0.0};
        for (int i = 0; i < 2; i++) {
            sot_objective_law law =
                sharp(SOTTO_ADD_REMOVE, rows, 1.0, (i == 0 ? 0.4 : 1.5) * (double)rows);
            law.sigma = 3.0 * (double)rows;
            const sotto_event event = event_of(&law);
            assert_int_equal(event.theorem, SOTTO_FROZEN_SLOPE);
            const sot_objective objective = sot_objective_of(&event, law.adjacency);
            const background saturated = {-200.0, 0.0, 0.0};
            const density_pair last = line_pair(&law, &saturated, 1.0, (double)rows);
            compare_unit(&objective, &last, line_rounding, &worst);
            for (int j = i; j < BACKGROUNDS; j += 2) {
                const density_pair pair =
                    line_pair(&law, &backgrounds[j], 1.0, (double)rows);
                compare_unit(&objective, &pair, line_rounding, &worst);
            }
        }
        print_message("units of %d: true/claimed up to %.6f, from the atom on %.6f\n",
                      (int)rows, worst.most, worst.reached);
        assert_within(worst.reached, 0.999, 1.0 + line_rounding);
    }
}

static void exchanges_hold_at_every_epsilon_and_are_reached(void **state)
{
    (void)state;
    static const struct {
        double angle, drive;
    } shapes[] = {{0.005, 2e5}, {0.05, 0.0}, {0.4, 6.0}};
    for (uint64_t rows = 1; rows <= 3; rows++) {
        worst_ratio worst = {0.0, 0.0};
        sot_objective_law law = sharp(SOTTO_REPLACE_ONE, rows, 1.0, 1.5 * (double)rows);
        law.sigma = 5.0 * (double)rows;
        const sotto_event event = event_of(&law);
        const sot_objective objective = sot_objective_of(&event, law.adjacency);
        for (size_t j = 0; j < sizeof shapes / sizeof shapes[0]; j++) {
            const density_pair pair =
                exchanged(&law, shapes[j].angle, shapes[j].drive, (double)rows);
            compare_unit(&objective, &pair, rounding, &worst);
        }
        print_message("exchanges of %d: true/claimed up to %.6f, from the atom on %.6f\n",
                      (int)rows, worst.most, worst.reached);
        assert_within(worst.reached, 0.999, 1.0 + rounding);
    }
}

/* ---- Renyi divergence, two releases ---- */

static sotto_plan *plan_with(const sot_objective_law *law, uint64_t count)
{
    sotto_event event = event_of(law);
    assert_int_equal(event.theorem, SOTTO_FROZEN_SLOPE);
    event.count = count;
    return plan_under(law->adjacency, event);
}

static double worse_direction(double of(const density_pair *pair, double at),
                              const density_pair *pair, double at)
{
    const density_pair swapped = density_swapped(pair);
    return fmax(of(pair, at), of(&swapped, at));
}

static void renyi_divergence_holds(void **state)
{
    (void)state;
    static const double orders[] = {1.5, 2.0, 4.0, 9.0, 32.0};
    double most = 0.0;
    for (int i = 0; i < 4; i++) {
        sot_objective_law law = sharp(SOTTO_ADD_REMOVE, 1, 1.0, i % 2 == 0 ? 0.3 : 0.974);
        law.sigma = i / 2 == 0 ? 4.72 : 10.0;
        for (int o = 0; o < 5; o++) {
            sotto_error error;
            double claim;
            sotto_plan *plan = plan_with(&law, 1);
            assert_ok(sotto_account_rdp(plan, orders[o], &claim, &error), &error);
            sotto_plan_free(plan);
            for (int j = 0; j < PAIRS; j += 2) {
                const density_pair pair = drawn_pair(&law, j);
                const double ratio =
                    worse_direction(density_rdp, &pair, orders[o]) / claim;
                assert_within(ratio, 0.0, 1.0 + rounding);
                most = fmax(most, ratio);
            }
        }
    }
    print_message("divergence: true/claimed up to %.4f\n", most);
    assert_within(most, 0.99, 1.0 + rounding);
}

/* Chains: two rows that go or come, and one row exchanged for another in the plane. */
static void renyi_divergence_of_units_and_exchanges_holds(void **state)
{
    (void)state;
    static const double orders[] = {2.0, 8.0}, drives[] = {0.0, 12.0, 2000.0};
    double most = 0.0;
    for (int i = 0; i < 4; i++) {
        sotto_error error;
        double claim;
        sot_objective_law law = sharp(i < 2 ? SOTTO_ADD_REMOVE : SOTTO_REPLACE_ONE,
                                      i < 2 ? 2 : 1, 1.0, i < 2 ? 0.8 : 1.5);
        law.sigma = 9.6;
        sotto_plan *plan = plan_with(&law, 1);
        assert_ok(sotto_account_rdp(plan, orders[i % 2], &claim, &error), &error);
        sotto_plan_free(plan);
        for (int j = 0; j < (i < 2 ? BACKGROUNDS : 3); j++) {
            const density_pair pair = i < 2 ? line_pair(&law, &backgrounds[j], 1.0, 2.0)
                                            : exchanged(&law, 0.05, drives[j], 1.0);
            const double ratio =
                worse_direction(density_rdp, &pair, orders[i % 2]) / claim;
            assert_within(ratio, 0.0, 1.0 + rounding);
            most = fmax(most, ratio);
        }
    }
    print_message("units and exchanges: true/claimed divergence up to %.4f\n", most);
    assert_within(most, 0.5, 1.0 + rounding);
}

static const density_pair *second_release;

static double left_to_the_second(double loss, double parameter, double kink)
{
    (void)kink;
    return density_delta(second_release, parameter - loss);
}

static void two_releases_hold(void **state)
{
    (void)state;
    sot_objective_law law = sharp(SOTTO_ADD_REMOVE, 1, 1.0, 0.974);
    law.sigma = 4.72;
    static const double slopes[] = {0.0, -2.0, -20.0};
    for (int i = 0; i < 6; i++) {
        const background behind = {slopes[i / 2], 0.0, 0.0};
        density_pair pair = line_pair(&law, &behind, 1.0, 1.0);
        if (i % 2 == 1) pair = density_swapped(&pair);
        second_release = &pair;
        const double epsilon = 1.0;
        const density_average of = {left_to_the_second, epsilon, NAN, 0.0};
        const double truth = density_integral(&pair, &of);
        const double claim = delta_of(plan_with(&law, 2), SOTTO_EXACT, epsilon).delta;
        assert_within(truth / claim, 0.0, 1.0 + rounding);
    }
}

/* A Gaussian release before or after: E delta(epsilon - l) by quadrature over l. */
static void a_gaussian_beside_it_holds(void **state)
{
    (void)state;
    static const double mus[] = {0.0005, 0.05, 0.5};
    sot_objective_law law = sharp(SOTTO_ADD_REMOVE, 1, 1.0, 0.4);
    law.sigma = 4.0;
    const sotto_event training = event_of(&law);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < PAIRS; j += 3) {
            const density_pair drawn = drawn_pair(&law, j);
            for (int swap = 0; swap < 2; swap++) {
                const density_pair pair = swap == 1 ? density_swapped(&drawn) : drawn;
                const double epsilon = 0.8, mu = mus[i];
                const double claim =
                    delta_of(plan_of(training, gdp(mu, 1)), SOTTO_EXACT, epsilon).delta;
                double truth = 0.0, weight = 0.0;
                for (double z = -7.0; z <= 7.0; z += 0.25) {
                    const double part = exp(-0.5 * z * z);
                    weight += part;
                    truth += part * density_delta(&pair, epsilon - mu * (0.5 * mu + z));
                }
                assert_within(truth / weight / claim, 0.0, 1.0 + 1e-4);
            }
        }
    }
}

/* ---- controls: claims that would be false ---- */

static void wrong_claims_are_exceeded(void **state)
{
    (void)state;
    const setting of = setting_of(0.4, 4.0);
    const double a = of.row.shift, epsilon = 0.3;
    const double at_one = sot_gaussian_delta((sot_bracket){a, a}, epsilon).upper;
    const double shorter =
        sot_gaussian_delta((sot_bracket){0.99 * a, 0.99 * a}, -0.3).upper;
    double slope_at_one = 0.0, too_short = 0.0;
    for (int j = 0; j < PAIRS; j++) {
        const density_pair pair = drawn_pair(&of.law, j);
        slope_at_one = fmax(slope_at_one, true_delta(&pair, epsilon) / at_one);
        too_short = fmax(too_short, true_delta(&pair, -0.3) / shorter);
    }
    print_message("controls: slope 1 only %.3f, left side of a shorter row %.6f\n",
                  slope_at_one, too_short);
    assert_within(slope_at_one, 1.5, INFINITY);
    assert_within(too_short, 1.0 + 1e-6, INFINITY);
    sot_row_hull_free(of.hull);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_row_on_a_line_holds_and_is_reached),
        cmocka_unit_test(one_row_in_the_plane_holds),
        cmocka_unit_test(shorter_rows_are_dominated),
        cmocka_unit_test(units_hold_at_every_epsilon_and_are_reached),
        cmocka_unit_test(exchanges_hold_at_every_epsilon_and_are_reached),
        cmocka_unit_test(renyi_divergence_holds),
        cmocka_unit_test(renyi_divergence_of_units_and_exchanges_holds),
        cmocka_unit_test(two_releases_hold),
        cmocka_unit_test(a_gaussian_beside_it_holds),
        cmocka_unit_test(wrong_claims_are_exceeded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
