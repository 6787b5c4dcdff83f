/* What a record can do to the sum of losses on a ball: the vectors, adversaries, and the privacy that follows. */
#include "random/laws.h"

#include "methods/posterior/constants.h"
#include "methods/posterior/plan.h"
#include "privacy/accounting/profile/gaussian.h"
#include "privacy/mechanisms/posterior/posterior.h"
#include "privacy/mechanisms/release.h"

static double field(const json_t *vector, const char *key)
{
    return json_decimal(json_object_get(vector, key));
}

/* From above, and no more than 1e-7 above. */
static void assert_upper(double value, double exact)
{
    assert_within(value, exact * (1.0 - 1e-15), exact * (1.0 + 1e-7));
}

/* ---- the vectors ---- */

static void bounds_on_a_ball_are_the_references(void **state)
{
    (void)state;
    json_t *root;
    const json_t *vector;
    size_t index;
    const json_t *all = load_cases("glm_ball_lipschitz", &root);
    json_array_foreach(all, index, vector)
    {
        const double radius = field(vector, "R"), y = field(vector, "Y");
        const sot_record_bounds logistic =
            sot_record_bounds_of_loss(&sot_loss_logistic, 1.0, radius);
        const sotto_adjacency both[] = {SOTTO_ADD_REMOVE, SOTTO_REPLACE_ONE};
        const char *const slopes[] = {"logistic_add_remove", "logistic_replace"};
        const char *const ranges[] = {"logistic_pure_range_add_remove",
                                      "logistic_pure_range_replace"};
        const char *const squares[] = {"squared_add_remove", "squared_replace"};
        const sot_loss squared = sot_loss_squared(radius + y, y);
        const sot_record_bounds plain = sot_record_bounds_of_loss(&squared, 1.0, radius);
        for (int i = 0; i < 2; i++) {
            assert_upper(sot_change_lipschitz(&logistic, both[i], 1),
                         field(vector, slopes[i]));
            assert_upper(sot_change_range(&logistic, both[i], 1),
                         field(vector, ranges[i]));
            assert_upper(sot_change_lipschitz(&plain, both[i], 1),
                         field(vector, squares[i]));
        }
    }
    assert_int_equal(index, 5);
    json_decref(root);
}

/* |x| <= B stretches margins and gradients; a unit of k rows counts k times; without a ball there is no gain and no range. */
static void bounds_follow_rows_units_and_the_lack_of_a_ball(void **state)
{
    (void)state;
    const sot_record_bounds unit =
        sot_record_bounds_of_loss(&sot_loss_logistic, 1.0, 5.0);
    const sot_record_bounds wide =
        sot_record_bounds_of_loss(&sot_loss_logistic, 2.5, 2.0);
    assert_relative(wide.single, 2.5 * unit.single, 1e-12);
    assert_relative(wide.difference, 2.5 * unit.difference, 1e-7);
    assert_relative(wide.range, unit.range, 1e-12);
    assert_relative(sot_change_lipschitz(&unit, SOTTO_ADD_REMOVE, 12), 12.0 * unit.single,
                    1e-12);
    assert_relative(sot_change_lipschitz(&unit, SOTTO_REPLACE_ONE, 12),
                    12.0 * unit.difference, 1e-12);
    assert_relative(sot_change_range(&unit, SOTTO_REPLACE_ONE, 12), 24.0 * unit.range,
                    1e-12);
    const sot_record_bounds open =
        sot_record_bounds_of_loss(&sot_loss_logistic, 2.5, (double)INFINITY);
    assert_true(open.single == 2.5 && open.difference == 5.0 && isinf(open.range));
    const sot_record_bounds many = sot_record_bounds_of_softmax(3, 2.5, (double)INFINITY);
    assert_upper(many.single, 2.5 * sqrt(2.0));
    assert_upper(many.difference, 5.0 * sqrt(2.0));
    assert_true(isinf(many.range));
}

/* By hand: squared (t + Y)^2 / 2 if t >= Y, else 2 t Y; smoothed hinge, Poisson. */
static void ranges_on_a_ball_are_exact(void **state)
{
    (void)state;
    const sot_loss squared = sot_loss_squared(8.0, 1.0);
    assert_upper(sot_record_bounds_of_loss(&squared, 1.0, 3.0).range, 8.0);
    assert_upper(sot_record_bounds_of_loss(&squared, 1.0, 0.25).range, 0.5);
    /* Huber, threshold 1/4, label 1: f(u) = (1 - u)/4 - 1/32 and so on: 4 . 1/4 - 1/32 */
    const sot_loss huber = sot_loss_huber(0.25, 1.0);
    assert_upper(sot_record_bounds_of_loss(&huber, 1.0, 3.0).range, 1.0 - 1.0 / 32.0);
    /* 1 + t to 0 */
    const sot_loss hinge = sot_loss_smoothed_hinge(0.5);
    assert_upper(sot_record_bounds_of_loss(&hinge, 2.0, 1.25).range, 3.5);
    /* y = 0: e^t - e^-t; y = 5: the other way, more: e^-t + 5 t - (e^t - 5 t) for t < log 5 */
    const sot_loss poisson = sot_loss_poisson(50.0, 5.0);
    assert_upper(sot_record_bounds_of_loss(&poisson, 1.0, 1.0).range,
                 10.0 - 2.0 * sinh(1.0));
    /* Two classes are one margin of sqrt2 the norm: sqrt2 R. */
    assert_upper(sot_record_bounds_of_softmax(2, 1.0, 3.0).range, 3.0 * sqrt(2.0));
}

/* ---- adversaries ---- */

typedef struct pair_point {
    double x[3], y, other_x[3], other_y, theta[3];
} pair_point;

static double uniform(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(*state >> 11) * 0x1p-52 - 1.0;
}

static void into_ball(double *v, double radius)
{
    const double norm = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    for (int i = 0; norm > radius && i < 3; i++)
        v[i] *= radius / norm;
}

static double dot(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* |f'(theta.x; y) x - f'(theta.x'; y') x'|. */
static double difference_at(const sot_loss *loss, const pair_point *at)
{
    double slope, other, curvature, squares = 0.0;
    loss->bend(loss, dot(at->theta, at->x), at->y, &slope, &curvature);
    loss->bend(loss, dot(at->theta, at->other_x), at->other_y, &other, &curvature);
    for (int i = 0; i < 3; i++) {
        const double part = slope * at->x[i] - other * at->other_x[i];
        squares += part * part;
    }
    return sqrt(squares);
}

/* The best of a random walk uphill over records, labels and theta. */
static double worst_difference(const sot_loss *loss, double radius, uint64_t seed)
{
    double best = 0.0;
    for (int start = 0; start < 12; start++) {
        pair_point at = {.y = start % 2 == 0 ? 1.0 : -1.0,
                         .other_y = start / 2 % 2 == 0 ? 1.0 : -1.0};
        double here = 0.0, step = 1.0;
        for (int i = 0; i < 3000; i++) {
            pair_point next = at;
            for (int j = 0; j < 3; j++) {
                next.x[j] += step * uniform(&seed);
                next.other_x[j] += step * uniform(&seed);
                next.theta[j] += step * radius * uniform(&seed);
            }
            into_ball(next.x, 1.0);
            into_ball(next.other_x, 1.0);
            into_ball(next.theta, radius);
            const double there = difference_at(loss, &next);
            if (there > here) at = next, here = there;
            if (i % 100 == 99) step *= 0.75;
        }
        best = fmax(best, here);
    }
    return best;
}

/* Never beyond the bound; and up to it, where the gain's lemma holds: the formula is exact. */
static void no_pair_of_records_is_steeper_than_the_bound(void **state)
{
    (void)state;
    const sot_loss losses[] = {sot_loss_logistic,
                               sot_loss_squared(16.0, 1.0),
                               sot_loss_huber(1.25, 1.0),
                               sot_loss_smoothed_hinge(0.5),
                               sot_loss_smoothed_hinge(4.0),
                               sot_loss_poisson(64.0, 1.0)};
    const double radii[] = {0.25, 1.0, 3.0};
    for (size_t i = 0; i < sizeof losses / sizeof losses[0]; i++) {
        for (int j = 0; j < 3; j++) {
            const double bound =
                sot_record_bounds_of_loss(&losses[i], 1.0, radii[j]).difference;
            const double worst = worst_difference(&losses[i], radii[j], 77 + i);
            assert_within(worst, losses[i].ball_gain ? 0.995 * bound : 0.5 * bound,
                          bound * (1.0 + 1e-12));
        }
    }
}

/* Poisson's slopes are convex in the margin: two records at opposite margins are steeper than the gain's formula says, which
 * is why it has none. */
static void the_gain_is_not_for_convex_slopes(void **state)
{
    (void)state;
    const sot_loss poisson = sot_loss_poisson(64.0, 1.0);
    double formula = 0.0;
    for (double a = 0.0; a < 1.0; a += 1e-3)
        formula =
            fmax(formula, 2.0 * sqrt(1.0 - a * a) * sot_slope_within(&poisson, 2.0 * a));
    assert_true(2.0 * cosh(2.0) > 1.05 * formula);
    assert_true(sot_record_bounds_of_loss(&poisson, 1.0, 2.0).difference >
                2.0 * cosh(2.0));
}

/* One record of softmax: gradients, and values at two places. */
static void no_record_of_softmax_is_beyond_its_bounds(void **state)
{
    (void)state;
    enum { CLASSES_MOST = 5 };
    uint64_t seed = 5;
    for (size_t classes = 2; classes <= CLASSES_MOST; classes++) {
        const double radius = 1.5;
        const sot_record_bounds bounds =
            sot_record_bounds_of_softmax(classes, 1.0, radius);
        double steepest = 0.0, least = INFINITY, most = 0.0;
        for (int i = 0; i < 20000; i++) {
            double u[CLASSES_MOST], norm = 0.0, sum = 0.0, squares = 0.0;
            for (size_t c = 0; c < classes; c++) {
                u[c] = i % 4 == 0 && c > 0 ? u[0] - 2.0 : uniform(&seed);
                if (i % 4 == 1 && c > 1) u[c] *= 0.1;
                norm += u[c] * u[c];
            }
            for (size_t c = 0; c < classes; c++)
                sum += exp(u[c] *= radius / sqrt(norm));
            for (size_t c = 0; c < classes; c++) {
                const double p = exp(u[c]) / sum - (c == 0 ? 1.0 : 0.0);
                squares += p * p;
            }
            steepest = fmax(steepest, sqrt(squares));
            least = fmin(least, log(sum) - u[0]);
            most = fmax(most, log(sum) - u[0]);
        }
        assert_within(steepest, 0.7 * bounds.single, bounds.single);
        assert_within(most - least, 0.7 * bounds.range, bounds.range);
    }
}

/* ---- what follows from it: one coefficient, by quadrature ---- */

enum { ROWS = 5, POINTS = 4001 };

typedef struct line {
    const sot_loss *loss;
    double beta, lambda, radius;
    size_t rows;
    double x[ROWS + 1], y[ROWS + 1];
} line;

/* The density on a grid of the interval, normalised. */
static void density_of(const line *at, double *out)
{
    double sum = 0.0, least = INFINITY;
    for (int i = 0; i < POINTS; i++) {
        const double theta = at->radius * (2.0 * i / (POINTS - 1.0) - 1.0);
        double potential = at->lambda / 2.0 * theta * theta;
        for (size_t row = 0; row < at->rows; row++) {
            sot_loss_at value;
            at->loss->at(at->loss, theta * at->x[row], at->y[row], &value);
            potential += at->beta * value.value;
        }
        out[i] = potential;
        least = fmin(least, potential);
    }
    for (int i = 0; i < POINTS; i++) {
        const double weight = i == 0 || i == POINTS - 1 ? 0.5 : 1.0;
        sum += out[i] = weight * exp(least - out[i]);
    }
    for (int i = 0; i < POINTS; i++)
        out[i] /= sum;
}

/* sum of (p - e^epsilon q)+. */
static double hockey_stick(const double *p, const double *q, double epsilon)
{
    double sum = 0.0;
    for (int i = 0; i < POINTS; i++)
        sum += fmax(0.0, p[i] - exp(epsilon) * q[i]);
    return sum;
}

static line random_line(const sot_loss *loss, double radius, uint64_t *seed)
{
    line at = {.loss = loss, .rows = ROWS, .radius = radius};
    at.lambda = exp(1.5 * uniform(seed));
    at.beta = exp(uniform(seed));
    for (size_t i = 0; i <= ROWS; i++) {
        at.x[i] = uniform(seed) > 0.0 ? 1.0 : uniform(seed);
        at.y[i] = uniform(seed) > 0.0 ? 1.0 : -1.0;
    }
    return at;
}

/* Densities of neighbours, either way round, are no easier to tell apart than two Gaussians mu apart; grid error 1e-6. */
static void neighbours_are_as_private_as_the_theorem_says(void **state)
{
    (void)state;
    const sot_loss losses[] = {sot_loss_logistic, sot_loss_smoothed_hinge(0.5),
                               sot_loss_squared(8.0, 1.0), sot_loss_huber(0.5, 1.0)};
    static double p[POINTS], q[POINTS];
    uint64_t seed = 2026;
    for (int problem = 0; problem < 48; problem++) {
        const bool replaced = problem % 2 == 1;
        const double radius = problem % 3 == 0 ? 0.5 : problem % 3 == 1 ? 2.0 : 6.0;
        const line at = random_line(&losses[problem / 2 % 4], radius, &seed);
        line other = at;
        if (replaced) {
            other.x[0] = -at.x[0];
            other.y[0] = problem % 4 == 1 ? at.y[0] : -at.y[0];
        } else {
            other.rows++;
        }
        const sot_record_bounds bounds = sot_record_bounds_of_loss(at.loss, 1.0, radius);
        const double lipschitz = sot_change_lipschitz(
            &bounds, replaced ? SOTTO_REPLACE_ONE : SOTTO_ADD_REMOVE, 1);
        const double mu = sot_posterior_mu(at.beta, at.lambda, lipschitz);
        density_of(&at, p);
        density_of(&other, q);
        for (double epsilon = 0.0; epsilon < 3.0; epsilon += 0.5) {
            const double most =
                sot_gaussian_delta((sot_bracket){mu, mu}, epsilon).upper * (1.0 + 1e-6) +
                1e-9;
            assert_within(hockey_stick(p, q, epsilon), 0.0, most);
            assert_within(hockey_stick(q, p, epsilon), 0.0, most);
        }
    }
}

/* Losses that are lines meet the bound: the hinge inside its corner, for and against, the ball ten deviations away. So the 2 of a
 * replacement is needed, and nothing less would do. */
static void a_linear_loss_meets_the_bound(void **state)
{
    (void)state;
    static double p[POINTS], q[POINTS];
    line at = {.loss = &sot_loss_hinge,
               .rows = 1,
               .radius = 1.0,
               .beta = 5.0,
               .lambda = 100.0,
               .x = {1.0},
               .y = {1.0}};
    const sot_record_bounds bounds = sot_record_bounds_of_loss(at.loss, 1.0, 1.0);
    for (int replaced = 0; replaced < 2; replaced++) {
        line other = at;
        other.y[0] = -1.0;
        if (replaced == 0) other.rows = 0;
        const double lipschitz = sot_change_lipschitz(
            &bounds, replaced == 1 ? SOTTO_REPLACE_ONE : SOTTO_ADD_REMOVE, 1);
        const double mu = sot_posterior_mu(at.beta, at.lambda, lipschitz);
        assert_relative(mu, replaced == 1 ? 1.0 : 0.5, 1e-7);
        density_of(&at, p);
        density_of(&other, q);
        for (double epsilon = 0.0; epsilon < 2.0; epsilon += 0.25) {
            const double exact = sot_gaussian_delta((sot_bracket){mu, mu}, epsilon).upper;
            assert_relative(hockey_stick(p, q, epsilon), exact, 1e-4);
        }
    }
}

/* Pure: the log-ratio of the densities stays within beta times the range, and comes near it. */
static void log_ratios_stay_within_the_range(void **state)
{
    (void)state;
    static double p[POINTS], q[POINTS];
    const sot_loss losses[] = {sot_loss_logistic, sot_loss_smoothed_hinge(0.5),
                               sot_loss_squared(8.0, 1.0), sot_loss_huber(0.5, 1.0)};
    for (int problem = 0; problem < 8; problem++) {
        const bool replaced = problem % 2 == 1;
        line at = {.loss = &losses[problem / 2],
                   .rows = 1,
                   .radius = 2.0,
                   .beta = 0.75,
                   .lambda = 1.25,
                   .x = {1.0},
                   .y = {1.0}};
        line other = at;
        other.y[0] = -1.0;
        if (!replaced) other.rows = 0;
        const sot_record_bounds bounds = sot_record_bounds_of_loss(at.loss, 1.0, 2.0);
        const double range =
            sot_change_range(&bounds, replaced ? SOTTO_REPLACE_ONE : SOTTO_ADD_REMOVE, 1);
        density_of(&at, p);
        density_of(&other, q);
        double least = INFINITY, most = -INFINITY;
        for (int i = 0; i < POINTS; i++) {
            least = fmin(least, log(p[i] / q[i]));
            most = fmax(most, log(p[i] / q[i]));
        }
        assert_within(most - least, 0.5 * 0.75 * range * 1.0001,
                      0.75 * range * (1.0 + 1e-9));
        if (problem < 2) assert_relative(most - least, 0.75 * range, 1e-9);
    }
}

/* Steps of the proximal sampler: a step of eta contracts by 1 / (1 + lambda eta); at most one more than needed, by rounding. */
static void steps_are_the_references(void **state)
{
    (void)state;
    json_t *root;
    const json_t *vector;
    size_t index;
    const json_t *all = load_cases("proximal_plan", &root);
    json_array_foreach(all, index, vector)
    {
        const double lambda = field(vector, "alpha"), eta = field(vector, "eta");
        const uint64_t steps = sot_sampler_steps(lambda, field(vector, "R"),
                                                 sqrt(eta / (1.0 + lambda * eta)),
                                                 field(vector, "winf_target"));
        assert_in_range(steps, (uint64_t)field(vector, "steps_winf"),
                        (uint64_t)field(vector, "steps_winf") + 1);
    }
    assert_int_equal(index, 3);
    json_decref(root);
}

static void the_rest_is_arithmetic(void **state)
{
    (void)state;
    json_t *root;
    const json_t *vector;
    size_t index;
    const json_t *all = load_cases("posterior_tempering", &root);
    json_array_foreach(all, index, vector)
        assert_relative(sot_efficiency_factor(field(vector, "temperature_replace")),
                        field(vector, "efficiency_factor_replace"), 1e-15);
    assert_int_equal(index, 5);
    json_decref(root);
    /* sqrt(2 0.374 30000 ln2 / 10) + (10 + 10) / sqrt(10), b5 of Lee, Shen & Tian's scheme; and by slopes where that is less */
    assert_relative(
        sot_never_binding_radius(0.374, 10.0, 30000.0, log(2.0), 1.0, 0.25, 100),
        0.25 + sqrt(2.0 * 0.374 * 30000.0 * log(2.0) / 10.0) + 20.0 / sqrt(10.0), 1e-14);
    assert_relative(
        sot_never_binding_radius(0.5, 4.0, 8.0, (double)INFINITY, 3.0, 0.0, 4), 3.0 + 6.0,
        1e-14);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bounds_on_a_ball_are_the_references),
        cmocka_unit_test(bounds_follow_rows_units_and_the_lack_of_a_ball),
        cmocka_unit_test(ranges_on_a_ball_are_exact),
        cmocka_unit_test(no_pair_of_records_is_steeper_than_the_bound),
        cmocka_unit_test(the_gain_is_not_for_convex_slopes),
        cmocka_unit_test(no_record_of_softmax_is_beyond_its_bounds),
        cmocka_unit_test(neighbours_are_as_private_as_the_theorem_says),
        cmocka_unit_test(a_linear_loss_meets_the_bound),
        cmocka_unit_test(log_ratios_stay_within_the_range),
        cmocka_unit_test(steps_are_the_references),
        cmocka_unit_test(the_rest_is_arithmetic),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
