/* Losses of one margin under the frozen-slope theorem, and the pair of a unit of rows (privacy/accounting/objective_loss/unit_hull.h), beside
 * exact densities on a line (loss_density.h): every loss, both directions, both adjacencies, units of 1 to 3 rows, epsilon from -1 to
 * past the atom; a smooth loss in the plane; Renyi divergence; what the theorem buys. */
#include "privacy/accounting/loss_cases.h"
#include "privacy/accounting/objective_density.h"
#include "privacy/accounting/unit_profile.h"

static const int draws = 6, points = 7;

static sot_objective_law random_law(const loss_case *loss, sotto_adjacency adjacency,
                                    uint64_t rows)
{
    sot_objective_law law = loss_law(
        loss, loss->loss == LINE_LOGISTIC ? SOT_OBJECTIVE_SHARP : SOT_OBJECTIVE_VERTICES,
        adjacency, rows, loss->curvature_most * exp(uniform(-1.0, 2.5)));
    law.sigma = loss->slope_most * (double)rows * exp(uniform(-0.5, 1.5));
    return law;
}

static double random_epsilon(const sotto_event *event, int point)
{
    const double most = event->atom + 3.0 / event->noise_multiplier;
    return -1.0 + (1.0 + most) * (double)point / (points - 1);
}

/* ---- one row ---- */

static void one_row_is_bounded_at_every_epsilon(void **state)
{
    (void)state;
    for (size_t l = 1; l < LOSSES; l++) {
        const loss_case *loss = &losses[l];
        double worst[2] = {0.0, 0.0};
        for (int i = 0; i < draws * points; i++) {
            const sot_objective_law law = random_law(loss, SOTTO_ADD_REMOVE, 1);
            const sotto_event event = loss_event(&law);
            const sot_frozen_row row = {.shift = law.record_bound / law.sigma,
                                        .offset = log1p(law.smoothness / law.lambda),
                                        .signs = loss->one_signed ? 1 : 2};
            const double epsilon = random_epsilon(&event, i % points);
            const line_pair pair = random_pair(loss, &law), swapped = line_swapped(&pair);
            const double truth[2] = {line_delta(&pair, epsilon),
                                     line_delta(&swapped, epsilon)};
            const double claim[2] = {sot_frozen_removed_upper(&row, epsilon),
                                     sot_frozen_added_upper(&row, epsilon)};
            for (int d = 0; d < 2; d++) {
                if (truth[d] < loss_least_delta) continue;
                worst[d] = fmax(worst[d], truth[d] / claim[d]);
            }
        }
        print_message("%s: true/claimed up to %.5f removed, %.5f added\n", loss->name,
                      worst[0], worst[1]);
        assert_within(worst[0], 0.0, 1.0 + loss_rounding);
        assert_within(worst[1], 0.0, 1.0 + loss_rounding);
    }
}

/* A row in the middle of a wide hinge has all of the curvature: the offset is needed. Two signs are needed for a row that comes. */
static void offset_and_both_signs_are_needed(void **state)
{
    (void)state;
    sot_objective_law law =
        loss_law(&losses[1], SOT_OBJECTIVE_VERTICES, SOTTO_ADD_REMOVE, 1, 0.01532);
    law.sigma = 0.4104;
    line_pair pair = loss_pair(&losses[1], &law);
    pair.slope = 1.129;
    line_add(&pair.first, 1.0, 1.0, 1.0);
    sot_frozen_row row = {
        .shift = 1.0 / law.sigma, .offset = log1p(1.0 / law.lambda), .signs = 1};
    const double truth = line_delta(&pair, 6.3325);
    assert_within(truth / sot_frozen_removed_upper(&row, 6.3325), 0.4, 1.0);
    row.offset = 0.0;
    assert_true(truth > 4.0 * sot_frozen_removed_upper(&row, 6.3325));

    law = loss_law(&losses[3], SOT_OBJECTIVE_VERTICES, SOTTO_ADD_REMOVE, 1, 1e-4);
    law.sigma = 3.0 * law.record_bound;
    line_pair added = loss_pair(&losses[3], &law);
    line_add(&added.second, 1.0, 0.0, 1.0);
    row = (sot_frozen_row){
        .shift = 1.0 / 3.0, .offset = log1p(1.0 / law.lambda), .signs = 2};
    const double both = line_delta(&added, 0.9);
    assert_within(both / sot_frozen_added_upper(&row, 0.9), 0.999, 1.0 + loss_rounding);
    row.signs = 1;
    assert_true(both > 1.99 * sot_frozen_added_upper(&row, 0.9));
}

/* ---- a unit ---- */

static void pair_dominates(const loss_case *loss, sotto_adjacency adjacency,
                           uint64_t rows)
{
    double worst = 0.0, loosest = 0.0;
    for (int i = 0; i < draws * points; i++) {
        const sot_objective_law law = random_law(loss, adjacency, rows);
        sot_objective objective = unit_of(&law);
        if (objective.unit ==
            NULL) { /* one row of the logistic loss, or beyond the doubles */
            sot_objective_free_hulls(&objective);
            continue;
        }
        const sotto_event event = loss_event(&law);
        const double epsilon = random_epsilon(&event, i % points);
        const line_pair pair = random_pair(loss, &law), swapped = line_swapped(&pair);
        const double claim[2] = {profile_of(objective.unit, SOT_REMOVE, epsilon),
                                 profile_of(objective.unit, SOT_ADD, epsilon)};
        const double truth[2] = {line_delta(&pair, epsilon),
                                 line_delta(&swapped, epsilon)};
        for (int d = 0; d < 2; d++) {
            if (truth[d] >= loss_least_delta) worst = fmax(worst, truth[d] / claim[d]);
        }
        /* The pair is the hull of the bound of one release, and next to it. */
        const double bound = sot_objective_delta_upper(&objective, epsilon);
        if (bound > 1e-9) loosest = fmax(loosest, fmax(claim[0], claim[1]) / bound);
        sot_objective_free_hulls(&objective);
    }
    print_message("%s, adjacency %d, %d rows: true/claimed up to %.5f; pair/bound up to "
                  "%.5f\n",
                  loss->name, (int)adjacency, (int)rows, worst, loosest);
    assert_within(worst, 0.0, 1.0 + loss_rounding);
    assert_within(loosest, 0.0, 2.0); /* chords between nodes */
}

static void the_pair_of_a_unit_dominates(void **state)
{
    (void)state;
    for (size_t l = 0; l < LOSSES; l++) {
        for (uint64_t rows = 1; rows <= 3; rows++) {
            pair_dominates(&losses[l], SOTTO_ADD_REMOVE, rows);
            pair_dominates(&losses[l], SOTTO_REPLACE_ONE, rows);
        }
    }
}

/* E e^{order loss} under the first distribution, by the trapezoidal rule over b. */
static double moment_of(const line_pair *pair, double order)
{
    const double step = 0.01, reach = 9.5 + 3.0 * order;
    double sum = 0.0;
    for (double z = -reach; z <= reach; z += step)
        sum += step * 0.3989422804014327 *
               exp(order * line_loss_for(pair, pair->sigma * z) - 0.5 * z * z);
    return log(sum);
}

static void renyi_divergence_is_bounded(void **state)
{
    (void)state;
    static const double orders[] = {0.5, 1.0, 3.0};
    double worst = 0.0;
    for (size_t l = 0; l < LOSSES; l++) {
        if (losses[l].ball > 0.0) continue; /* theta has atoms */
        for (int i = 0; i < 12; i++) {
            const sot_objective_law law =
                random_law(&losses[l], i % 2 == 0 ? SOTTO_ADD_REMOVE : SOTTO_REPLACE_ONE,
                           (uint64_t)(1 + i / 2 % 3));
            line_pair pair = random_pair(&losses[l], &law);
            pair.radius = 0.0;
            const line_pair swapped = line_swapped(&pair);
            sot_objective objective = unit_of(&law);
            const double order = orders[i % 3];
            const double claim = sot_objective_log_mgf_upper(&objective, order);
            const double truth =
                fmax(moment_of(&pair, order), moment_of(&swapped, order));
            worst = fmax(worst, truth / claim);
            sot_objective_free_hulls(&objective);
        }
    }
    print_message("Renyi: true/claimed up to %.5f\n", worst);
    assert_within(worst, 0.0, 1.0 + 1e-4); /* jumps of f'' between the points */
}

/* ---- in the plane ---- */

/* log cosh u: two signs, slope and curvature at most 1. It is smooth, so that objective_density.h integrates it well. */
static void log_cosh(const density_pair *pair, const density_data *data,
                     const double theta[2], double out_gradient[2], double out_hessian[3])
{
    for (int i = 0; i < 2; i++)
        out_gradient[i] = pair->slope[i] + pair->lambda * theta[i];
    out_hessian[0] = out_hessian[2] = pair->lambda;
    out_hessian[1] = 0.0;
    for (size_t i = 0; i < data->rows; i++) {
        const double *x = data->row[i];
        const double slope = tanh(x[0] * theta[0] + x[1] * theta[1]);
        const double curve = data->weight[i] * (1.0 - slope * slope);
        for (int j = 0; j < 2; j++)
            out_gradient[j] += data->weight[i] * slope * x[j];
        out_hessian[0] += curve * x[0] * x[0];
        out_hessian[1] += curve * x[0] * x[1];
        out_hessian[2] += curve * x[1] * x[1];
    }
}

/* Units of two rows point in two directions. */
static density_pair plane_pair(const sot_objective_law *law, double slope)
{
    density_pair pair = {.lambda = law->lambda,
                         .sigma = law->sigma,
                         .rate = NAN,
                         .record_bound = 1.0,
                         .slope = {slope * law->sigma, 0.3 * law->sigma},
                         .axis = {1.0, 0.0},
                         .loss = log_cosh};
    density_add(&pair.first, 0.6, -0.8, 2.0);
    pair.second = pair.first;
    density_add(&pair.first, 1.0, 0.0, 1.0);
    if (law->unit_rows == 2) density_add(&pair.first, 0.96, 0.28, 1.0);
    if (law->adjacency == SOTTO_ADD_REMOVE) return pair;
    density_add(&pair.second, 0.28, 0.96, 1.0);
    if (law->unit_rows == 2) density_add(&pair.second, 0.6, 0.8, 1.0);
    return pair;
}

/* The largest true delta over that of the pair of an event, both directions. */
static double plane_ratio(const sot_objective_law *law, const sot_objective *priced)
{
    const double most = priced->atom + 2.0 * priced->shift;
    double worst = 0.0;
    for (int i = 0; i < 3 * points; i++) {
        const double epsilon = -0.5 + (0.5 + most) * (i % points) / (points - 1);
        const density_pair pair = plane_pair(law, -4.0 + 4.0 * (i / points));
        const density_pair swapped = density_swapped(&pair);
        const double truth[2] = {density_delta(&pair, epsilon),
                                 density_delta(&swapped, epsilon)};
        for (int d = 0; d < 2; d++) {
            if (truth[d] < 1e-9) continue;
            worst = fmax(worst,
                         truth[d] / profile_of(priced->unit, (sot_direction)d, epsilon));
        }
    }
    return worst;
}

static void a_smooth_loss_in_the_plane_is_dominated(void **state)
{
    (void)state;
    const loss_case loss = {.slope_most = 1.0, .curvature_most = 1.0};
    double worst = 0.0, control = 0.0;
    for (int i = 0; i < 8; i++) {
        sot_objective_law law =
            loss_law(&loss, SOT_OBJECTIVE_VERTICES,
                     i % 2 == 0 ? SOTTO_ADD_REMOVE : SOTTO_REPLACE_ONE,
                     (uint64_t)(1 + i / 2 % 2), i < 4 ? 1.0 : 4.0);
        law.sigma = 1.5 * (double)law.unit_rows;
        sot_objective priced = unit_of(&law);
        worst = fmax(worst, plane_ratio(&law, &priced));
        sot_objective_free_hulls(&priced);
        if (law.unit_rows == 1) continue;
        sot_objective_law shorter = law;
        shorter.unit_rows = 1; /* a row of two is forgotten */
        priced = unit_of(&shorter);
        control = fmax(control, plane_ratio(&law, &priced));
        sot_objective_free_hulls(&priced);
    }
    print_message("in the plane: true/claimed up to %.5f, as one row %.5f\n", worst,
                  control);
    assert_within(worst, 0.5, 1.0 + 1e-5);
    assert_true(control > 1.1);
}

/* ---- the gain ---- */

static double epsilon_after(const sot_objective_law *law, uint64_t count)
{
    sotto_event event = loss_event(law);
    event.count = count;
    return epsilon_of(plan_under(law->adjacency, event), SOTTO_EXACT, 1e-6).epsilon;
}

static void several_trainings_of_other_losses_and_units_cost_less(void **state)
{
    (void)state;
    static const struct {
        size_t loss;
        sotto_adjacency adjacency;
        uint64_t rows;
        double most; /* of the former price, ten trainings */
    } cases[] = {{1, SOTTO_ADD_REMOVE, 1, 0.92},
                 {3, SOTTO_ADD_REMOVE, 1, 0.95},
                 {0, SOTTO_ADD_REMOVE, 2, 0.9},
                 {0, SOTTO_REPLACE_ONE, 1, 0.95},
                 {1, SOTTO_REPLACE_ONE, 1, 0.97}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        sotto_error error;
        const loss_case *loss = &losses[cases[i].loss];
        sot_objective_law law = loss_law(
            loss, cases[i].loss == 0 ? SOT_OBJECTIVE_SHARP : SOT_OBJECTIVE_VERTICES,
            cases[i].adjacency, cases[i].rows, SOTTO_UNSET);
        assert_ok(sot_objective_least_lambda(&law, 1.0, 1e-6, &law.lambda, &error),
                  &error);
        assert_ok(sot_objective_calibrate(&law, 1.0, 1e-6, 0.0, &error), &error);
        const double now = epsilon_after(&law, 10);
        law.is_former = true;
        const double former = epsilon_after(&law, 10);
        print_message(
            "%s, adjacency %d, %d rows: ten trainings at (1, 1e-6) cost epsilon "
            "%.4f, by the former theorem %.4f\n",
            loss->name, (int)cases[i].adjacency, (int)cases[i].rows, now, former);
        assert_within(now / former, 0.3, cases[i].most);
    }
}

/* ---- events ---- */

static void an_event_states_rows_and_signs(void **state)
{
    (void)state;
    sotto_error error;
    sotto_plan *plan = NULL;
    sot_objective_law law =
        loss_law(&losses[3], SOT_OBJECTIVE_VERTICES, SOTTO_ADD_REMOVE, 2, 4.0);
    law.sigma = 5.0;
    sotto_event event = loss_event(&law);
    assert_relative(event.shift, 2.0 * log1p(0.25), 1e-14);
    assert_ok(sotto_plan_new(SOTTO_ADD_REMOVE, &plan, &error), &error);
    assert_ok(sotto_plan_add(plan, &event, &error), &error);
    event.vertices = 3;
    assert_refused(sotto_plan_add(plan, &event, &error), SOTTO_INVALID_ARGUMENT, &error,
                   "`vertices` is 3", "1 or 2", NULL);
    event.vertices = 2;
    event.theorem = 0;
    assert_refused(sotto_plan_add(plan, &event, &error), SOTTO_INVALID_ARGUMENT, &error,
                   "rows is 2 beside a shift or vertices", NULL);
    sotto_plan_free(plan);
}

/* A stated atom below that of the chain, or none, does not lower the price. One row with one sign has one Gaussian loss, so that
 * nothing else raises its atom. */
static void an_atom_that_is_stated_too_low_counts_for_nothing(void **state)
{
    (void)state;
    for (uint64_t rows = 1; rows <= 2; rows++) {
        sot_objective_law law =
            loss_law(&losses[1], SOT_OBJECTIVE_VERTICES, SOTTO_REPLACE_ONE, rows, 4.0);
        law.sigma = 5.0;
        sotto_event event = loss_event(&law);
        const sot_objective honest = sot_objective_of(&event, SOTTO_REPLACE_ONE);
        assert_within(honest.vertices, (double)rows, (double)rows);
        event.atom = 0.0;
        const sot_objective forged = sot_objective_of(&event, SOTTO_REPLACE_ONE);
        assert_relative(forged.atom, honest.atom, 1e-12);
    }
}

/* Other losses have no lower end: saturated rows need not exist for them. */
static void other_losses_have_no_lower_end(void **state)
{
    (void)state;
    static const size_t kinds[] = {1, 3}; /* one sign, two signs */
    for (size_t i = 0; i < 2; i++) {
        sot_objective_law law =
            loss_law(&losses[kinds[i]], SOT_OBJECTIVE_VERTICES, SOTTO_ADD_REMOVE, 1, 4.0);
        law.sigma = 5.0;
        const sotto_account account =
            epsilon_of(plan_of(loss_event(&law)), SOTTO_EXACT, 1e-6);
        assert_true(account.epsilon_lower == 0.0 || isnan(account.epsilon_lower));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_event_states_rows_and_signs),
        cmocka_unit_test(an_atom_that_is_stated_too_low_counts_for_nothing),
        cmocka_unit_test(other_losses_have_no_lower_end),
        cmocka_unit_test(offset_and_both_signs_are_needed),
        cmocka_unit_test(one_row_is_bounded_at_every_epsilon),
        cmocka_unit_test(several_trainings_of_other_losses_and_units_cost_less),
        cmocka_unit_test(renyi_divergence_is_bounded),
        cmocka_unit_test(a_smooth_loss_in_the_plane_is_dominated),
        cmocka_unit_test(the_pair_of_a_unit_dominates),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
