/* Softmax with three classes and one feature beside the exact law of the release (objective_density.h).
 *
 * Margins are x theta_j. Gradients of a record sum to 0 over the classes, so along (1, 1, 1) nothing
 * depends on the data: the law lives in the plane across it, with the basis (1, -1, 0)/sqrt(2),
 * (1, 1, -2)/sqrt(6). A row of density_data is x and the class. */
#include "support.h"

#include "privacy/accounting/objective/objective.h"
#include "privacy/accounting/objective_density.h"
#include "privacy/accounting/plans.h"

static const double rounding = 1e-5; /* of the trapezoid rule across, on kinks */
enum { CLASSES = 3 };
static const double basis[2][CLASSES] = {
    {0.70710678118654752, -0.70710678118654752, 0.0},
    {0.40824829046386302, 0.40824829046386302, -0.81649658092772603}};

static void softmax_derivatives(const density_pair *pair, const density_data *data,
                                const double theta[2], double out_gradient[2],
                                double out_hessian[3])
{
    const double ridge = pair->lambda + pair->curvature;
    for (int i = 0; i < 2; i++)
        out_gradient[i] = pair->slope[i] + ridge * theta[i];
    out_hessian[0] = out_hessian[2] = ridge;
    out_hessian[1] = 0.0;
    for (size_t r = 0; r < data->rows; r++) {
        const double x = data->row[r][0], weight = data->weight[r];
        double p[CLASSES], most = -HUGE_VAL, sum = 0.0, mean[2] = {0.0, 0.0};
        for (int j = 0; j < CLASSES; j++) {
            p[j] = x * (basis[0][j] * theta[0] + basis[1][j] * theta[1]);
            most = fmax(most, p[j]);
        }
        for (int j = 0; j < CLASSES; j++)
            sum += p[j] = exp(p[j] - most);
        for (int j = 0; j < CLASSES; j++) {
            p[j] /= sum;
            mean[0] += p[j] * basis[0][j];
            mean[1] += p[j] * basis[1][j];
        }
        for (int i = 0; i < 2; i++)
            out_gradient[i] += weight * x * (mean[i] - basis[i][(int)data->row[r][1]]);
        double second[3] = {0.0, 0.0, 0.0};
        for (int j = 0; j < CLASSES; j++) {
            second[0] += p[j] * basis[0][j] * basis[0][j];
            second[1] += p[j] * basis[0][j] * basis[1][j];
            second[2] += p[j] * basis[1][j] * basis[1][j];
        }
        out_hessian[0] += weight * x * x * (second[0] - mean[0] * mean[0]);
        out_hessian[1] += weight * x * x * (second[1] - mean[0] * mean[1]);
        out_hessian[2] += weight * x * x * (second[2] - mean[1] * mean[1]);
    }
}

/* R = 1: L = sqrt(2), beta = 1/2, rank 2, trace 1 - 1/3. */
static sot_objective_law softmax_law(sotto_adjacency adjacency, uint64_t unit_rows,
                                     double lambda)
{
    sot_objective_law law = sot_objective_law_defaults();
    law.theorem = SOT_OBJECTIVE_VERTICES;
    law.adjacency = adjacency;
    law.unit_rows = unit_rows;
    law.record_bound = sqrt(2.0);
    law.smoothness = 0.5;
    law.rank = CLASSES - 1;
    law.trace = 1.0 - 1.0 / CLASSES;
    law.classes = CLASSES;
    law.dimension = CLASSES;
    law.lambda = lambda;
    return law;
}

static sotto_event event_of(const sot_objective_law *law)
{
    sotto_error error;
    sotto_event event;
    assert_ok(sot_objective_event(law, &event, &error), &error);
    return event;
}

static double claimed_delta(const sot_objective_law *law, double epsilon)
{
    return delta_of(plan_under(law->adjacency, event_of(law)), SOTTO_EXACT, epsilon)
        .delta;
}

/* A record of class 2 (and one of class `other` in its place), and a slope that drives the
 * probabilities: along the basis' second vector to class 0 and 1 alike, or to one of them. */
static density_pair pair_of(const sot_objective_law *law, double along, double across,
                            int other)
{
    density_pair pair = {.lambda = law->lambda,
                         .sigma = law->sigma,
                         .rate = law->rate,
                         .record_bound = law->record_bound,
                         .slope = {along, across},
                         .axis = {0.5, 0.86602540378443865}, /* class 2 against 0 */
                         .loss = softmax_derivatives};
    const double rows = (double)law->unit_rows;
    density_add(&pair.first, 1.0, 2.0, rows);
    if (other >= 0) density_add(&pair.second, 1.0, (double)other, rows);
    return pair;
}

static double truth_at(const density_pair *pair, double epsilon)
{
    const density_pair swapped = density_swapped(pair);
    return fmax(density_delta(pair, epsilon), density_delta(&swapped, epsilon));
}

static const struct {
    double along, across;
} drives[] = {{0.0, 0.0}, {-3.0, -5.0}, {0.0, -6.0}, {-40.0, -70.0}, {0.0, 4.0}};
enum { DRIVES = sizeof drives / sizeof drives[0] };

static double worst_of(const sot_objective_law *law, double epsilon, double claim)
{
    double worst = 0.0;
    for (int i = 0; i < DRIVES; i++) {
        const density_pair pair =
            pair_of(law, drives[i].along, drives[i].across,
                    law->adjacency == SOTTO_REPLACE_ONE ? i % 2 : -1);
        worst = fmax(worst, truth_at(&pair, epsilon) / claim);
    }
    return worst;
}

/* Both bounds of the determinant have their turn: (K-1) log(1 + R^2/(K lambda)) at the small lambda and
 * large noise, (1 - 1/K)(R^2/lambda - R^2/(2 sigma^2)) where the noise is small. */
static void gaussian_claims_hold(void **state)
{
    (void)state;
    static const struct {
        double lambda, sigma;
        uint64_t rows;
    } cases[] = {{1.0, 2.5, 1}, {4.0, 1.25, 1}, {20.0, 4.0, 1}, {8.0, 5.0, 2}};
    double most = 0.0;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        for (int adjacency = SOTTO_ADD_REMOVE; adjacency <= SOTTO_REPLACE_ONE;
             adjacency++) {
            sot_objective_law law =
                softmax_law((sotto_adjacency)adjacency, cases[i].rows, cases[i].lambda);
            law.sigma = cases[i].sigma;
            const sotto_event event = event_of(&law);
            for (int e = 0; e < 2; e++) {
                const double epsilon =
                    event.atom + (e == 0 ? 0.0 : 2.0 / event.noise_multiplier);
                const double ratio =
                    worst_of(&law, epsilon, claimed_delta(&law, epsilon));
                assert_within(ratio, 0.0, 1.0 + rounding);
                most = fmax(most, ratio);
            }
        }
    }
    print_message("softmax: true/claimed delta up to %.4f\n", most);
    assert_within(most, 0.3, 1.0 + rounding); /* the K - 1 of the union bound */
}

/* Saturated, the record is a Gaussian release of sqrt(2) R: the bound R of one margin is wrong. */
static void the_bound_of_one_margin_is_wrong(void **state)
{
    (void)state;
    sot_objective_law law = softmax_law(SOTTO_ADD_REMOVE, 1, 20.0);
    law.sigma = 4.0;
    const double epsilon = 1.0;
    const density_pair pair = pair_of(&law, -400.0, -700.0, -1);
    const double truth = truth_at(&pair, epsilon);
    assert_relative(
        truth, delta_of(plan_of(gdp(sqrt(2.0) / 4.0, 1)), SOTTO_EXACT, epsilon).delta,
        1e-3);
    sot_objective_law narrow = law;
    narrow.record_bound = 1.0;
    narrow.classes = 0;
    narrow.rank = 1;
    narrow.trace = SOTTO_UNSET;
    narrow.one_signed = true;
    assert_within(truth / claimed_delta(&narrow, epsilon), 3.0, INFINITY);
}

/* z of class 2 where theta_0 is largest, z' = -x of class 2 too, where theta_1 is least: both wrong
 * for certain, and the gradient moves by |(1, 1, -2)| = sqrt(6). */
static void noise_of_add_remove_is_too_little_for_an_exchange(void **state)
{
    (void)state;
    sot_objective_law law = softmax_law(SOTTO_REPLACE_ONE, 1, 20.0);
    law.sigma = 6.0;
    const double epsilon = 1.5;
    density_pair pair = pair_of(&law, -2000.0, 0.0, -1); /* theta ~ (1, -1, 0) */
    density_add(&pair.second, -1.0, 2.0, 1.0);
    pair.axis[0] = 0.0;
    pair.axis[1] = 1.0;
    const double truth = truth_at(&pair, epsilon);
    assert_relative(
        truth, delta_of(plan_of(gdp(sqrt(6.0) / 6.0, 1)), SOTTO_EXACT, epsilon).delta,
        1e-3);
    assert_within(truth / claimed_delta(&law, epsilon), 0.05, 1.0 + rounding);
    sot_objective_law other = law;
    other.adjacency = SOTTO_ADD_REMOVE;
    assert_within(truth / claimed_delta(&other, epsilon), 5.0, INFINITY);
}

/* Where the classes are undecided the determinant is (K-1) log(1 + R^2/(K lambda)), and with much
 * noise that is all of the loss. */
static void the_determinant_has_to_be_paid(void **state)
{
    (void)state;
    sot_objective_law law = softmax_law(SOTTO_ADD_REMOVE, 1, 0.5);
    law.sigma = 40.0;
    density_pair pair = pair_of(&law, 0.0, 0.0, -1);
    double gradient[2], hessian[3];
    const double theta[2] = {0.0, 0.0};
    density_derivatives(&pair, &pair.first, theta, gradient, hessian);
    const double det = hessian[0] * hessian[2] - hessian[1] * hessian[1];
    assert_relative(log(det / (0.5 * 0.5)), 2.0 * log1p(1.0 / (3.0 * 0.5)), 1e-12);
    assert_relative(sot_objective_log_determinant_upper(&law),
                    2.0 * log1p(1.0 / (3.0 * 0.5)), 1e-12);
    /* The slope that makes theta 0 the likely place. */
    pair.slope[0] = -gradient[0];
    pair.slope[1] = -gradient[1];
    const double epsilon = 0.2;
    const double claim = claimed_delta(&law, epsilon);
    const double truth = truth_at(&pair, epsilon);
    assert_within(truth / claim, 0.0, 1.0 + rounding);
    const double without =
        2.0 * delta_of(plan_of(gdp(sqrt(2.0) / 40.0, 1)), SOTTO_EXACT, epsilon).delta;
    assert_within(truth / without, 10.0, INFINITY);
}

/* Pure noise: at every theta, with b along every direction. */
static void pure_claims_hold(void **state)
{
    (void)state;
    for (int adjacency = SOTTO_ADD_REMOVE; adjacency <= SOTTO_REPLACE_ONE; adjacency++) {
        double most = 0.0;
        sot_objective_law law = softmax_law((sotto_adjacency)adjacency, 1, 1.5);
        law.rate = 0.75;
        const double claim = event_of(&law).epsilon;
        for (int i = 0; i < 40 * 16; i++) {
            const double turn = 0.39269908169872414 * (i % 16);
            const double place = 0.25 * (i / 16);
            density_pair pair =
                pair_of(&law, 0.0, 0.0, adjacency == SOTTO_REPLACE_ONE ? 0 : -1);
            const double theta[2] = {place * cos(0.9 * place), place * sin(0.9 * place)};
            const double b[2] = {60.0 * cos(turn), 60.0 * sin(turn)};
            most = fmax(most, fabs(density_pure_loss(&pair, theta, b)));
        }
        assert_within(most / claim, 0.3, 1.0 + 1e-9);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gaussian_claims_hold),
        cmocka_unit_test(the_bound_of_one_margin_is_wrong),
        cmocka_unit_test(noise_of_add_remove_is_too_little_for_an_exchange),
        cmocka_unit_test(the_determinant_has_to_be_paid),
        cmocka_unit_test(pure_claims_hold),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
