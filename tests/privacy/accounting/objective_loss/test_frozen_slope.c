/* Frozen slopes and their hulls (privacy/accounting/objective_loss/frozen_slope.h, row_hull.h) beside reference values, and what they buy: the
 * noise of a training, several trainings, events of the former theorem. */
#include "support.h"

#include <jansson.h>

#include "privacy/accounting/objective/theorems.h"
#include "privacy/accounting/objective_cases.h"
#include "privacy/accounting/objective_loss/loss.h"
#include "privacy/accounting/plan/composition.h"
#include "privacy/accounting/plans.h"

static double number(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    return json_is_string(value) ? strtod(json_string_value(value), NULL)
                                 : json_number_value(value);
}

static sot_row_hull *hull_of(const sot_frozen_row *row)
{
    sotto_error error;
    sot_row_hull *hull = NULL;
    const double kappa =
        fmax(0.0, row->determinant - 0.5 * row->shift * row->shift) * (1.0 + 1e-15);
    assert_ok(sot_row_hull_new(row, kappa, &hull, &error), &error);
    return hull;
}

/* The event of one training, from a and rho. */
static sotto_event training_of(double a, double rho, uint64_t count)
{
    sotto_event event = plans_event(SOTTO_OBJECTIVE_PERTURBATION);
    event.noise_multiplier = 1.0 / a;
    event.atom = fmax(0.0, rho - 0.5 * a * a);
    event.rows = 1;
    event.theorem = SOTTO_FROZEN_SLOPE;
    event.count = count;
    return event;
}

static double least_sigma(double epsilon, double delta, double lambda, double share)
{
    sotto_error error;
    sot_objective_law law = sharp(SOTTO_ADD_REMOVE, 1, 1.0, lambda);
    const sotto_status status =
        sot_objective_calibrate(&law, epsilon, delta, share, &error);
    return status == SOTTO_OK ? law.sigma : HUGE_VAL;
}

static double rdp_of(const sot_frozen_row *row, double order, bool is_charge)
{
    sot_row_hull *hull = hull_of(row);
    const double t = order - 1.0;
    const double removed = sot_row_hull_log_mgf_upper(hull, SOT_REMOVE, t);
    const double added = sot_row_hull_log_mgf_upper(hull, SOT_ADD, t);
    const double frozen = sot_frozen_log_mgf_upper(row, t);
    sot_row_hull_free(hull);
    return (is_charge ? fmax(added, fmin(removed, frozen)) : removed) / t;
}

/* The least lambda epsilon/R^2 at which the noise of a Gaussian release is certified to be enough: bisection. */
static double free_lambda(double epsilon, double delta)
{
    const double a = sot_objective_largest_mu(epsilon, delta);
    double low = 0.5, high = 1.0;
    for (int i = 0; i < 40; i++) {
        const double middle = 0.5 * (low + high);
        const sot_frozen_row row = {.shift = a, .determinant = epsilon / middle};
        const double kappa = fmax(0.0, row.determinant - 0.5 * a * a);
        if (sot_frozen_top_upper(&row, kappa) <= epsilon) {
            high = middle;
        } else {
            low = middle;
        }
    }
    return high;
}

/* The first vertex of the hull behind 0, and the width of the cells beside it. */
static double tangent_of(const sot_frozen_row *row, double *out_slack)
{
    sot_row_hull *hull = hull_of(row);
    int i = 1;
    while (!hull->is_vertex[i])
        i++;
    const double place = hull->place[i];
    *out_slack = hull->place[i + 1] / hull->place[i - 1] - 1.0;
    sot_row_hull_free(hull);
    return place;
}

/* The answer of the library, and how far above the reference it may lie. */
static double answer(const char *ask, const json_t *params, double *out_slack)
{
    const sot_frozen_row row = {.shift = number(params, "a"),
                                .determinant = number(params, "rho")};
    const double epsilon = number(params, "epsilon"), order = number(params, "order");
    const double delta = number(params, "delta");
    *out_slack = 1e-5; /* 2^-17 */
    if (strcmp(ask, "frozen_delta") == 0) return sot_frozen_delta_upper(&row, epsilon);
    if (strcmp(ask, "frozen_rdp") == 0)
        return sot_frozen_log_mgf_upper(&row, order - 1.0) / (order - 1.0);
    if (strcmp(ask, "frozen_noise_multiplier") == 0)
        return least_sigma(epsilon, delta,
                           number(params, "lambda_epsilon_over_R2") / epsilon, 0.0);
    if (strcmp(ask, "hull_delta") == 0) {
        sot_row_hull *hull = hull_of(&row);
        const double value = sot_row_hull_delta_upper(hull, epsilon);
        *out_slack = 1e-4; /* between nodes */
        sot_row_hull_free(hull);
        return value;
    }
    *out_slack = strcmp(ask, "hull_rdp") == 0 ? 2e-3 : 1e-3;
    if (strcmp(ask, "hull_rdp") == 0) return rdp_of(&row, order, false);
    if (strcmp(ask, "rdp_charge") == 0) return rdp_of(&row, order, true);
    if (strcmp(ask, "hull_composed_epsilon") == 0)
        return epsilon_of(plan_of(training_of(row.shift, row.determinant,
                                              (uint64_t)number(params, "count"))),
                          SOTTO_EXACT, delta)
            .epsilon;
    if (strcmp(ask, "frozen_delta_with_correction") == 0) {
        /* Through the pair: above the value by what the order of the releases may cost. */
        const double mu = number(params, "mu");
        *out_slack = 0.02;
        return delta_of(plan_of(training_of(row.shift, row.determinant, 1), gdp(mu, 1)),
                        SOTTO_EXACT, epsilon)
            .delta;
    }
    if (strcmp(ask, "free_lambda") == 0) return free_lambda(epsilon, delta);
    if (strcmp(ask, "hull_tangent_epsilon") == 0) return tangent_of(&row, out_slack);
    return NAN;
}

static void reference_values_are_met_from_above(void **state)
{
    (void)state;
    json_error_t problem;
    json_t *file = json_load_file(SOTTO_TEST_VECTORS "/frozen_slope.json", 0, &problem);
    assert_non_null(file);
    const json_t *cases = json_object_get(file, "cases");
    size_t checked = 0;
    for (size_t i = 0; i < json_array_size(cases); i++) {
        const json_t *one = json_array_get(cases, i);
        const char *ask = json_string_value(json_object_get(one, "ask"));
        const json_t *value_of = json_object_get(one, "value");
        const double value =
            json_is_number(value_of) ? json_number_value(value_of) : HUGE_VAL;
        const double rtol = number(one, "rtol");
        double slack;
        const double got = answer(ask, json_object_get(one, "params"), &slack);
        const char *safe = json_string_value(json_object_get(one, "safe"));
        const double below = strcmp(safe, "none") == 0 ? slack : 0.0; /* no side */
        checked++;
        if (isinf(value) && isinf(got)) continue;
        if (!(got >= value * (1.0 - rtol - below) && got <= value * (1.0 + rtol + slack)))
            print_error("%s\n", json_string_value(json_object_get(one, "id")));
        assert_within(got, value * (1.0 - rtol - below), value * (1.0 + rtol + slack));
    }
    assert_int_equal(checked, 248);
    json_decref(file);
}

/* ---- what it buys ---- */

static void the_noise_of_a_small_lambda_is_halved(void **state)
{
    (void)state;
    const double one = least_sigma(1.0, 1e-6, 0.3, 0.0);
    const double eight = least_sigma(8.0, 1e-5, 0.3 / 8.0, 0.0);
    print_message(
        "lambda epsilon/R^2 = 0.3: sigma/R %.4f at (1, 1e-6), %.4f at (8, 1e-5)\n", one,
        eight);
    assert_within(one, 5.98, 6.0);
    assert_within(eight, 0.62, 0.625);
    /* The solver's correction costs next to nothing. */
    assert_within(least_sigma(1.0, 1e-6, 0.3, SOT_OBJECTIVE_CORRECTION_SHARE), one,
                  one * (1.0 + 1e-5));
}

/* log(1 + R^2/(4 lambda)) < epsilon is needed, and enough. */
static void lambda_may_fall_to_its_new_limit(void **state)
{
    (void)state;
    static const double epsilons[] = {0.1, 1.0, 3.0, 8.0};
    for (int i = 0; i < 4; i++) {
        const double limit = 0.25 / expm1(epsilons[i]);
        assert_true(isfinite(least_sigma(epsilons[i], 1e-6, 1.02 * limit, 0.0)));
        assert_true(isinf(least_sigma(epsilons[i], 1e-6, 0.999 * limit, 0.0)));
    }
}

/* README's plan. */
static const double readme_a = 0.23411384102583635, readme_rho = 1.2828682082279452;

static void several_trainings_cost_less(void **state)
{
    (void)state;
    static const struct {
        uint64_t count;
        double former, most;
    } rows[] = {
        {1, 0.9983, 0.9945}, {5, 3.1372, 2.803}, {10, 5.3621, 4.35}, {20, 9.5085, 6.5}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        sotto_event event = training_of(readme_a, readme_rho, rows[i].count);
        const sotto_account now = epsilon_of(plan_of(event), SOTTO_EXACT, 1e-6);
        event.theorem = 0;
        const double former = epsilon_of(plan_of(event), SOTTO_EXACT, 1e-6).epsilon;
        print_message("%2llu trainings of README's plan: epsilon %.4f, at least %.4f; by "
                      "the former theorem %.4f\n",
                      (unsigned long long)rows[i].count, now.epsilon, now.epsilon_lower,
                      former);
        assert_within(now.epsilon, 0.0, rows[i].most);
        assert_within(former, rows[i].former - 2e-4, rows[i].former + 2e-4);
        /* Saturated rows make a Gaussian release of the same noise. */
        const double gaussian_epsilon =
            epsilon_of(plan_of(gaussian(1.0 / readme_a, rows[i].count)), SOTTO_EXACT,
                       1e-6)
                .epsilon;
        assert_relative(now.epsilon_lower, gaussian_epsilon, 1e-9);
    }
}

/* Beside other events pld and Renyi's bound use the hull, and the lower end is that of saturated rows. */
static void other_events_beside_a_training_have_both_ends(void **state)
{
    (void)state;
    const sotto_event training = training_of(readme_a, readme_rho, 3);
    const sotto_account pair = epsilon_of(
        plan_of(training, sampled(0.01, 1.0, 100), pure(0.1, 2)), SOTTO_EXACT, 1e-6);
    const sotto_account reached = epsilon_of(
        plan_of(gaussian(1.0 / readme_a, 3), sampled(0.01, 1.0, 100), pure(0.1, 2)),
        SOTTO_EXACT, 1e-6);
    assert_within(pair.epsilon_lower, 0.999 * reached.epsilon_lower,
                  reached.epsilon * (1.0 + 1e-9));
    assert_within(pair.epsilon, pair.epsilon_lower, 1.3 * pair.epsilon_lower);
}

/* With a small lambda the Gaussian profile at the hull's top is below the doubles, and pld has its pair all the same: 3
 * releases that an analyst chose one after the other, on a line, have delta >= 9.99e-4 at epsilon 2.4468. */
static void pld_has_the_hull_of_a_small_lambda(void **state)
{
    (void)state;
    const sotto_event event = training_of(0.0738, 18.055, 3);
    const sotto_account account = epsilon_of(plan_of(event), SOTTO_PLD, 9.9e-4);
    print_message("3 trainings with a small lambda: epsilon %.4f by pld\n",
                  account.epsilon);
    assert_within(account.epsilon, 2.4468, 3.3);
}

/* Masses of a hull whose e^epsilon is beyond the doubles would be lost: such an event has none. */
static void a_loss_beyond_the_doubles_has_no_hull(void **state)
{
    (void)state;
    static const double rhos[] = {965.0, 967.0, 1400.0};
    for (size_t i = 0; i < 3; i++) {
        sotto_error error;
        sot_composition *composition;
        sotto_plan *plan = plan_of(training_of(36.5, rhos[i], 2));
        assert_ok(sot_composition_new(plan, SOTTO_UNSET, 0, &composition, &error),
                  &error);
        assert_int_equal(composition->objective[0].hull != NULL, rhos[i] < 966.0);
        sot_composition_free(composition);
        sotto_plan_free(plan);
    }
}

/* Where the slope 1 decides the frozen bound, the mirror image is the larger one. */
static void the_addition_is_priced_too(void **state)
{
    (void)state;
    sotto_error error;
    const sot_frozen_row row = {.shift = 1.0, .determinant = 3.5};
    sot_row_hull *hull = hull_of(&row);
    const double t = 3.0, added = sot_row_hull_log_mgf_upper(hull, SOT_ADD, t);
    const double frozen = sot_frozen_log_mgf_upper(&row, t);
    print_message("order 4: frozen %.6f, addition %.6f\n", frozen / t, added / t);
    assert_true(added > (1.0 + 1e-5) * frozen);
    double charge;
    sotto_plan *plan = plan_of(training_of(row.shift, row.determinant, 1));
    assert_ok(sotto_account_rdp(plan, t + 1.0, &charge, &error), &error);
    assert_true(charge * t >= added * (1.0 - 1e-9));
    sotto_plan_free(plan);
    sot_row_hull_free(hull);
}

/* ---- files ---- */

static void an_event_keeps_its_theorem(void **state)
{
    (void)state;
    sotto_error error;
    const char *former =
        "{\"adjacency\":\"add-remove\",\"events\":[{\"atom\":1.25,\"count\":1,"
        "\"mechanism\":\"objective-perturbation\",\"noise_multiplier\":4.25,"
        "\"rows\":1}]}";
    sotto_plan *old = NULL, *again = NULL;
    assert_ok(sotto_plan_parse(former, strlen(former), &old, &error), &error);
    assert_int_equal(sotto_plan_event(old, 0)->theorem, 0);
    char *text = NULL;
    sotto_plan *now = plan_of(training_of(readme_a, readme_rho, 1));
    assert_ok(sotto_plan_to_json(now, &text, &error), &error);
    assert_non_null(strstr(text, "\"theorem\":2"));
    assert_ok(sotto_plan_parse(text, strlen(text), &again, &error), &error);
    assert_int_equal(sotto_plan_event(again, 0)->theorem, SOTTO_FROZEN_SLOPE);
    sotto_free(text);
    sotto_plan_free(old);
    sotto_plan_free(now);
    sotto_plan_free(again);
}

static void a_theorem_needs_rows(void **state)
{
    (void)state;
    sotto_error error;
    sotto_plan *plan = NULL;
    sotto_event event = training_of(readme_a, readme_rho, 1);
    assert_ok(sotto_plan_new(SOTTO_ADD_REMOVE, &plan, &error), &error);
    event.rows = 0;
    assert_refused(sotto_plan_add(plan, &event, &error), SOTTO_INVALID_ARGUMENT, &error,
                   "`theorem` is 2", "rows", NULL);
    event.rows = 1;
    event.theorem = 3;
    assert_refused(sotto_plan_add(plan, &event, &error), SOTTO_INVALID_ARGUMENT, &error,
                   "`theorem` is 3", NULL);
    sotto_event other = gaussian(1.0, 1);
    other.theorem = SOTTO_FROZEN_SLOPE;
    assert_refused(sotto_plan_add(plan, &other, &error), SOTTO_INVALID_ARGUMENT, &error,
                   "`theorem` is 2", "objective-perturbation", NULL);
    sotto_plan_free(plan);
}

/* Noise and lambda at the ends of what events may have: finite, at most 1, and never below the Gaussian's. */
static void extreme_settings_stay_bounds(void **state)
{
    (void)state;
    static const double shifts[] = {1e-8, 1e-3, 0.3, 4.0, 60.0, 1e4};
    static const double determinants[] = {1e-12, 1e-3, 1.0, 50.0, 1e5};
    static const double epsilons[] = {-20.0, -0.1, 0.0, 1e-6, 0.5, 7.0, 400.0};
    for (int i = 0; i < 6; i++) {
        for (int j = 0; j < 5; j++) {
            const sot_frozen_row row = {.shift = shifts[i],
                                        .determinant = determinants[j]};
            double last = 1.0;
            for (int e = 0; e < 7; e++) {
                const double value = sot_frozen_delta_upper(&row, epsilons[e]);
                assert_within(value, 0.0, 1.0);
                assert_true(value <= last * (1.0 + 2e-6));
                last = value;
            }
            const double moment = sot_frozen_log_mgf_upper(&row, 3.0);
            const double least = 6.0 * row.shift * row.shift;
            assert_true(moment >= least && !isnan(moment));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reference_values_are_met_from_above),
        cmocka_unit_test(the_noise_of_a_small_lambda_is_halved),
        cmocka_unit_test(lambda_may_fall_to_its_new_limit),
        cmocka_unit_test(several_trainings_cost_less),
        cmocka_unit_test(other_events_beside_a_training_have_both_ends),
        cmocka_unit_test(pld_has_the_hull_of_a_small_lambda),
        cmocka_unit_test(a_loss_beyond_the_doubles_has_no_hull),
        cmocka_unit_test(the_addition_is_priced_too),
        cmocka_unit_test(an_event_keeps_its_theorem),
        cmocka_unit_test(a_theorem_needs_rows),
        cmocka_unit_test(extreme_settings_stay_bounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
