/* The law of objective perturbation with a shift and vertices: its kernels beside quadratures of the law
 * itself, its events, its calibration, its refusals. */
#include "support.h"

#include "privacy/accounting/objective/objective.h"
#include "privacy/accounting/plans.h"

static sotto_event objective(double noise, double atom, double shift, uint32_t vertices,
                             uint64_t count)
{
    sotto_event event = plans_event(SOTTO_OBJECTIVE_PERTURBATION);
    event.noise_multiplier = noise;
    event.atom = atom;
    event.shift = shift;
    event.vertices = vertices;
    event.count = count;
    return event;
}

/* ---- the law itself, in plain double ---- */

typedef struct plain_law {
    double shift, atom, offset, vertices;
} plain_law;

static const plain_law laws[] = {{0.5, 0.25, 0.125, 1.0},  {0.25, 0.0, 0.0, 2.0},
                                 {0.8, 0.75, 0.5, 9.0},    {0.3, 0.05, 0.375, 2.0},
                                 {1.5, 2.5, 0.0625, 99.0}, {0.25, 0.875, 0.0, 1.0}};
enum { LAWS = sizeof laws / sizeof laws[0] };

static sotto_event event_like(const plain_law *law, uint64_t count)
{
    return objective(1.0 / law->shift, law->atom, law->offset, (uint32_t)law->vertices,
                     count);
}

/* P(L > x). */
static double tail_at(const plain_law *law, double x)
{
    if (x < fmax(law->atom, law->offset)) return 1.0;
    const double z = (x - law->offset) / law->shift - 0.5 * law->shift;
    return fmin(1.0, law->vertices * 0.5 * erfc(z / sqrt(2.0)));
}

/* The end of the atom: where P(L > x) falls below 1. */
static double start_of(const plain_law *law)
{
    const double floor = fmax(law->atom, law->offset);
    double low = floor, high = floor + 20.0;
    if (tail_at(law, low) < 1.0) return floor;
    for (int i = 0; i < 60; i++) {
        const double middle = 0.5 * (low + high);
        if (tail_at(law, middle) < 1.0) {
            high = middle;
        } else {
            low = middle;
        }
    }
    return high;
}

/* E (1 - e^{epsilon - L})_+ = integral over x > epsilon of e^{epsilon - x} P(L > x): midpoints. */
static double delta_by_tail(const plain_law *law, double epsilon)
{
    const double start = start_of(law), step = 1e-3 * law->shift;
    double from = epsilon, sum = 0.0;
    if (epsilon < start) {
        sum = -expm1(epsilon - start);
        from = start;
    }
    const double most = from + 12.0 * law->shift + law->shift * law->shift;
    for (double x = from + 0.5 * step; x < most; x += step)
        sum += step * exp(epsilon - x) * tail_at(law, x);
    return sum;
}

static void one_release_has_the_profile_of_its_law(void **state)
{
    (void)state;
    static const double epsilons[] = {0.0, 0.2, 0.9, 1.75, 4.0};
    for (size_t i = 0; i < LAWS; i++) {
        for (size_t e = 0; e < 5; e++) {
            const double truth = delta_by_tail(&laws[i], epsilons[e]);
            if (truth < 1e-14) continue;
            const double exact =
                delta_of(plan_of(event_like(&laws[i], 1)), SOTTO_EXACT, epsilons[e])
                    .delta;
            assert_within(exact / truth, 1.0 - 1e-5, 1.0 + 1e-5);
            const double pld =
                delta_of(plan_of(event_like(&laws[i], 1)), SOTTO_PLD, epsilons[e]).delta;
            assert_within(pld / truth, 1.0 - 1e-5, 1.02);
        }
    }
}

/* Two releases: E over the first loss of the profile of the second. */
static double delta_of_two(const plain_law *law, double epsilon)
{
    const double start = start_of(law), step = 0.02 * law->shift;
    double sum =
        (1.0 - tail_at(law, start * (1.0 + 1e-12))) * delta_by_tail(law, epsilon - start);
    for (double x = start; x < start + 12.0 * law->shift; x += step) {
        const double mass = tail_at(law, x) - tail_at(law, x + step);
        if (mass > 1e-18) sum += mass * delta_by_tail(law, epsilon - x - 0.5 * step);
    }
    return sum;
}

static void two_releases_are_never_underpriced(void **state)
{
    (void)state;
    for (size_t i = 0; i < 4; i++) {
        const double epsilon = 2.0 * start_of(&laws[i]) + laws[i].shift;
        const double truth = delta_of_two(&laws[i], epsilon);
        static const sotto_accountant accountants[] = {SOTTO_PLD, SOTTO_EXACT, SOTTO_RDP,
                                                       SOTTO_BASIC};
        static const double most[] = {1.02, 4.0, 1e6, 1e6};
        for (size_t a = 0; a < 4; a++) {
            const double claim =
                delta_of(plan_of(event_like(&laws[i], 2)), accountants[a], epsilon).delta;
            assert_within(claim / truth, 1.0 - 1e-3, most[a]);
        }
    }
}

/* E e^{rL} = e^{r start} + integral over x > start of r e^{rx} P(L > x). */
static void renyi_divergence_is_that_of_the_law(void **state)
{
    (void)state;
    static const double orders[] = {1.25, 2.0, 8.0};
    for (size_t i = 0; i < LAWS; i++) {
        for (size_t o = 0; o < 3; o++) {
            sotto_error error;
            double claim;
            const double r = orders[o] - 1.0, start = start_of(&laws[i]);
            const double step = 1e-3 * laws[i].shift;
            double sum = 1.0;
            for (double x = start + 0.5 * step;
                 x < start + (12.0 + 2.0 * r * laws[i].shift) * laws[i].shift + 2.0;
                 x += step)
                sum += step * r * exp(r * (x - start)) * tail_at(&laws[i], x);
            const double truth = start + log(sum) / r;
            sotto_plan *plan = plan_of(event_like(&laws[i], 1));
            assert_ok(sotto_account_rdp(plan, orders[o], &claim, &error), &error);
            sotto_plan_free(plan);
            assert_within(claim / truth, 1.0 - 1e-6, 1.0 + 1e-5);
        }
    }
}

/* With one vertex and no shift the two fields change nothing. */
static void unset_fields_mean_one_vertex_and_no_shift(void **state)
{
    (void)state;
    sotto_event bare = plans_event(SOTTO_OBJECTIVE_PERTURBATION);
    bare.noise_multiplier = 2.0;
    bare.atom = 0.5;
    const sotto_event said = objective(2.0, 0.5, 0.0, 1, 1);
    assert_true(delta_of(plan_of(bare), SOTTO_EXACT, 0.75).delta ==
                delta_of(plan_of(said), SOTTO_EXACT, 0.75).delta);
    assert_true(delta_of(plan_of(bare), SOTTO_PLD, 0.75).delta ==
                delta_of(plan_of(said), SOTTO_PLD, 0.75).delta);
}

static void more_of_anything_costs_more(void **state)
{
    (void)state;
    static const sotto_accountant accountants[] = {SOTTO_EXACT, SOTTO_PLD, SOTTO_RDP,
                                                   SOTTO_BASIC};
    for (size_t a = 0; a < 4; a++) {
        const double least =
            delta_of(plan_of(objective(4.0, 0.1, 0.05, 2, 1)), accountants[a], 0.9).delta;
        assert_true(
            delta_of(plan_of(objective(4.0, 0.1, 0.1, 2, 1)), accountants[a], 0.9).delta >
            least);
        assert_true(
            delta_of(plan_of(objective(4.0, 0.1, 0.05, 3, 1)), accountants[a], 0.9)
                .delta > least);
    }
}

/* ---- plans ---- */

static void a_plan_carries_both_fields(void **state)
{
    (void)state;
    sotto_error error;
    sotto_plan *plan = plan_of(objective(4.25, 0.5, 0.0625, 9, 1)), *back = NULL;
    char *json = NULL;
    assert_ok(sotto_plan_to_json(plan, &json, &error), &error);
    assert_non_null(strstr(json, "\"shift\":0.0625,\"vertices\":9"));
    assert_ok(sotto_plan_parse(json, strlen(json), &back, &error), &error);
    assert_true(sotto_plan_event(back, 0)->shift == 0.0625);
    assert_int_equal(sotto_plan_event(back, 0)->vertices, 9);
    sotto_free(json);
    sotto_plan_free(plan);
    sotto_plan_free(back);
}

static void fields_out_of_place_are_refused(void **state)
{
    (void)state;
    sotto_error error;
    sotto_plan *plan = NULL;
    assert_ok(sotto_plan_new(SOTTO_ADD_REMOVE, &plan, &error), &error);
    sotto_event event = gaussian(2.0, 1);
    event.shift = 0.25;
    assert_refused(sotto_plan_add(plan, &event, &error), SOTTO_INVALID_ARGUMENT, &error,
                   "`shift` is 0.25", "a gaussian event has no such parameter", NULL);
    event = gaussian(2.0, 1);
    event.vertices = 2;
    assert_refused(sotto_plan_add(plan, &event, &error), SOTTO_INVALID_ARGUMENT, &error,
                   "`vertices` is 2", "only for objective-perturbation", NULL);
    event = objective(2.0, 0.5, -0.5, 1, 1);
    assert_refused(sotto_plan_add(plan, &event, &error), SOTTO_INVALID_ARGUMENT, &error,
                   "`shift` is -0.5", NULL);
    event = objective(2.0, 0.5, 0.0, SOTTO_VERTICES_MAX + 1, 1);
    assert_refused(sotto_plan_add(plan, &event, &error), SOTTO_INVALID_ARGUMENT, &error,
                   "`vertices` is 1000001", "at most 1000000", NULL);
    event = objective(2.0, 0.5, 0.0, 2, 1);
    event.rows = 1;
    assert_refused(sotto_plan_add(plan, &event, &error), SOTTO_INVALID_ARGUMENT, &error,
                   "`rows` is 1 beside a shift or vertices", NULL);
    sotto_plan_free(plan);
    static const char *const texts[] = {"0", "1000001", "1.5", "\"two\""};
    for (size_t i = 0; i < 4; i++) {
        char json[200];
        (void)snprintf(json, sizeof json,
                       "{\"events\": [{\"mechanism\": \"objective-perturbation\", "
                       "\"noise_multiplier\": 4, \"atom\": 0.5, \"vertices\": %s}]}",
                       texts[i]);
        assert_int_equal(sotto_plan_parse(json, strlen(json), &plan, &error),
                         SOTTO_PARSE);
        assert_non_null(strstr(error.message, "vertices"));
    }
}

/* ---- events and calibration ---- */

typedef struct loss_facts {
    double record_bound, smoothness;
    bool one_signed;
    size_t classes;
} loss_facts;

static const loss_facts kinds[] = {
    {1.0, 0.25, true, 0}, {1.0, 1.0, false, 0}, {1.4142135623730951, 0.5, false, 10}};

static sot_objective_law law_of(const loss_facts *facts, sotto_adjacency adjacency,
                                uint64_t unit_rows, double lambda)
{
    sot_objective_law law = sot_objective_law_defaults();
    law.theorem = SOT_OBJECTIVE_VERTICES;
    law.is_former = true;
    law.adjacency = adjacency;
    law.unit_rows = unit_rows;
    law.record_bound = facts->record_bound;
    law.smoothness = facts->smoothness;
    law.one_signed = facts->one_signed;
    law.classes = facts->classes;
    if (facts->classes > 1) {
        law.rank = facts->classes - 1;
        law.trace = 1.0 - 1.0 / (double)facts->classes;
    }
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

/* By hand: c, the chain of two rows, and what its growth makes of the vertices. */
static void events_are_those_of_the_theorem(void **state)
{
    (void)state;
    sot_objective_law law = law_of(&kinds[1], SOTTO_ADD_REMOVE, 1, 4.0);
    law.sigma = 5.0;
    const double c = log1p(0.25);
    sotto_event event = event_of(&law);
    assert_relative(event.noise_multiplier, 5.0, 1e-15);
    assert_relative(event.shift, c, 1e-14);
    assert_relative(event.atom, c, 1e-14);
    assert_int_equal(event.vertices, 2);
    assert_int_equal(event.rows, 0);
    law.one_signed = true;
    assert_int_equal(event_of(&law).vertices, 1);
    law.one_signed = false;
    law.adjacency = SOTTO_REPLACE_ONE;
    law.unit_rows = 2;
    event = event_of(&law);
    assert_relative(event.noise_multiplier, 5.0 / 4.0, 1e-15);
    assert_relative(event.shift, 2.0 * c, 1e-14);
    assert_relative(event.atom, 2.0 * c + 6.0 / 25.0, 1e-14);
    assert_int_equal(event.vertices, 2); /* e^c = 1.25 */
    law.lambda = 0.26;                   /* e^c = 4.85 */
    assert_int_equal(event_of(&law).vertices, 5);
    law = law_of(&kinds[2], SOTTO_ADD_REMOVE, 1, 4.0);
    law.sigma = 1.0; /* 0.9 (1/4 - 1/2) < 0: the determinant is free */
    assert_true(event_of(&law).shift == 0.0);
    law.sigma = 2.0; /* 0.9 (1/4 - 1/8) against 9 log(1 + 1/40) = 0.222 */
    assert_relative(event_of(&law).shift, 0.1125, 1e-14);
    law.sigma = 40.0;
    assert_relative(event_of(&law).shift, 9.0 * log1p(0.025), 1e-14);
    assert_int_equal(event_of(&law).vertices, 9);
}

/* sigma/R at (1, 1e-6), beta 1/4: "one-signed" and "two-signed" of a table that was computed apart, by
 * G(a, eps - c) and 2 G(a, eps - c). */
static void sigmas_are_those_of_the_table(void **state)
{
    (void)state;
    static const double table[][3] = {{0.5, 6.855, 7.097},
                                      {1.0, 5.342, 5.525},
                                      {2.0, 4.746, 4.906},
                                      {10.0, 4.324, 4.468}};
    for (size_t i = 0; i < 4; i++) {
        sotto_error error;
        sot_objective_law law = law_of(&kinds[0], SOTTO_ADD_REMOVE, 1, table[i][0]);
        assert_ok(sot_objective_calibrate(&law, 1.0, 1e-6, 0.0, &error), &error);
        assert_within(law.sigma, table[i][1] - 6e-4, table[i][1] + 6e-4);
        law.one_signed = false;
        law.sigma = table[i][2];
        law.floor = SOTTO_UNSET;
        assert_relative(delta_of(plan_of(event_of(&law)), SOTTO_EXACT, 1.0).delta, 1e-6,
                        3e-3);
        /* One vertex above a floor is better: as good as one sign while the determinant is more
         * than log 2 of the tail, and never more than 2 G(a, eps). */
        assert_ok(sot_objective_calibrate(&law, 1.0, 1e-6, 0.0, &error), &error);
        assert_int_equal(event_of(&law).vertices, 1);
        assert_within(law.sigma, table[i][1] - 6e-4,
                      i < 3 ? table[i][1] + 6e-4 : table[i][2] - 0.05);
        /* The floor is no higher than it has to be: at lambda 1 a third of epsilon. */
        if (i == 1) assert_within(event_of(&law).atom, log1p(0.25), 0.35);
    }
}

/* The account of the law's event and its correction. */
static double whole_epsilon(const sot_objective_law *law, double share, double delta)
{
    sotto_error error;
    double mu, epsilon;
    assert_ok(sot_objective_correction(law, share, &mu, &epsilon, &error), &error);
    const sotto_event correction = isnan(mu) ? pure(epsilon, 1) : gdp(mu, 1);
    return epsilon_of(plan_under(law->adjacency, event_of(law), correction), SOTTO_EXACT,
                      delta)
        .epsilon;
}

static void calibration_meets_every_target(void **state)
{
    (void)state;
    const double share = SOT_OBJECTIVE_CORRECTION_SHARE;
    static const double epsilons[] = {1e-3, 0.1, 1.0, 8.0, 100.0};
    static const double deltas[] = {1e-3, 9.4e-10, 0.0};
    for (size_t i = 0; i < 180; i++) {
        sotto_error error;
        const double epsilon = epsilons[i % 5], delta = deltas[i / 5 % 3];
        const sotto_adjacency adjacency =
            i / 15 % 2 == 0 ? SOTTO_ADD_REMOVE : SOTTO_REPLACE_ONE;
        sot_objective_law law =
            law_of(&kinds[i / 30 % 3], adjacency, i < 90 ? 1 : 4, SOTTO_UNSET);
        assert_ok(sot_objective_least_lambda(&law, epsilon, delta, &law.lambda, &error),
                  &error);
        assert_relative(sot_objective_log_determinant_upper(&law),
                        fmin(1.0, 0.125 * epsilon), 1e-9);
        assert_ok(sot_objective_calibrate(&law, epsilon, delta, share, &error), &error);
        /* Where replace-one needs a^2 < epsilon it may take more noise than delta asks for. */
        assert_within(whole_epsilon(&law, share, delta) / epsilon,
                      delta > 1e-6 ? 0.2 : 1.0 - 2e-6, 1.0);
    }
}

/* Losses of one margin: the frozen slope needs no more noise than the former theorem, and the account of its events is the target. */
static void the_frozen_slope_needs_no_more_noise(void **state)
{
    (void)state;
    const double share = SOT_OBJECTIVE_CORRECTION_SHARE;
    static const double epsilons[] = {0.1, 1.0, 8.0};
    static const double factors[] = {0.3, 1.0, 10.0};
    double worst = 0.0;
    for (size_t i = 0; i < 72; i++) {
        sotto_error error;
        const double epsilon = epsilons[i % 3];
        const sotto_adjacency adjacency =
            i / 9 % 2 == 0 ? SOTTO_ADD_REMOVE : SOTTO_REPLACE_ONE;
        sot_objective_law former =
            law_of(&kinds[i / 18 % 2], adjacency, i < 36 ? 1 : 3, SOTTO_UNSET);
        assert_ok(
            sot_objective_least_lambda(&former, epsilon, 1e-6, &former.lambda, &error),
            &error);
        former.lambda *= factors[i / 3 % 3];
        sot_objective_law frozen = former;
        frozen.is_former = false;
        assert_ok(sot_objective_calibrate(&former, epsilon, 1e-6, share, &error), &error);
        assert_ok(sot_objective_calibrate(&frozen, epsilon, 1e-6, share, &error), &error);
        assert_int_equal(event_of(&frozen).theorem, SOTTO_FROZEN_SLOPE);
        assert_within(whole_epsilon(&frozen, share, 1e-6) / epsilon, 1.0 - 2e-6, 1.0);
        worst = fmax(worst, frozen.sigma / former.sigma);
    }
    print_message("noise by the frozen slope at most %.5f times the former theorem's\n",
                  worst);
    assert_within(worst, 0.5, 1.005);
}

static void any_smooth_loss_has_a_claim(void **state)
{
    (void)state;
    for (int i = 0; i < 8; i++) {
        sotto_error error;
        const double share = SOT_OBJECTIVE_CORRECTION_SHARE, epsilon = 1.5;
        const double delta = i % 2 == 0 ? 1e-6 : 0.0;
        sot_objective_law law =
            law_of(&kinds[2], i % 4 < 2 ? SOTTO_ADD_REMOVE : SOTTO_REPLACE_ONE,
                   i < 4 ? 1 : 3, SOTTO_UNSET);
        law.theorem = SOT_OBJECTIVE_GENERAL;
        law.dimension = 50;
        assert_ok(sot_objective_least_lambda(&law, epsilon, delta, &law.lambda, &error),
                  &error);
        assert_ok(sot_objective_calibrate(&law, epsilon, delta, share, &error), &error);
        assert_within(whole_epsilon(&law, share, delta), 0.98 * epsilon, epsilon);
        if (delta == 0.0) continue;
        assert_int_equal(event_of(&law).mechanism, SOTTO_APPROXIMATE);
        /* Less noise than calibrated is refused. */
        sotto_event event;
        law.sigma *= 0.999;
        assert_refused(sot_objective_event(&law, &event, &error), SOTTO_UNSUPPORTED,
                       &error, "sigma is", "larger sigma", NULL);
        law.sigma /= 0.999;
        law.dimension = 0;
        assert_refused(sot_objective_event(&law, &event, &error), SOTTO_INVALID_ARGUMENT,
                       &error, "dimension is not set", NULL);
    }
}

static void laws_that_no_theorem_covers_are_refused(void **state)
{
    (void)state;
    sotto_error error;
    sotto_event event;
    sot_objective_law law = law_of(&kinds[1], SOTTO_ADD_REMOVE, 1, 4.0);
    law.sigma = 5.0;
    law.smoothness = INFINITY;
    assert_refused(sot_objective_event(&law, &event, &error), SOTTO_UNSUPPORTED, &error,
                   "not smooth", "output perturbation", NULL);
    law.smoothness = SOTTO_UNSET;
    assert_refused(sot_objective_event(&law, &event, &error), SOTTO_INVALID_ARGUMENT,
                   &error, "smoothness of the loss is nan", NULL);
    law.smoothness = 1.0;
    law.rank = 2; /* two margins, but not softmax */
    assert_refused(sot_objective_event(&law, &event, &error), SOTTO_UNSUPPORTED, &error,
                   "one margin per row", "rank 2", NULL);
    law = law_of(&kinds[2], SOTTO_ADD_REMOVE, 1, 40.0);
    static const sot_objective_theorem theorems[] = {
        SOT_OBJECTIVE_SHARP, SOT_OBJECTIVE_REDBERG, SOT_OBJECTIVE_KIFER};
    for (size_t i = 0; i < 3; i++) {
        law.theorem = theorems[i];
        assert_refused(sot_objective_calibrate(&law, 1.0, 1e-6, 0.0, &error),
                       SOTTO_UNSUPPORTED, &error, "one margin per row", "10 classes",
                       NULL);
    }
    assert_ok(sot_objective_calibrate(&law, 1.0, 0.0, 0.0, &error), &error); /* pure */
    assert_true(law.lambda >= 2.0 * 9.0 * 0.5);
    law = law_of(&kinds[1], SOTTO_ADD_REMOVE, 1, 0.5); /* log 3 > 1 */
    assert_refused(sot_objective_calibrate(&law, 1.0, 1e-6, 0.0, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "`lambda` is 0.5", "costs little",
                   NULL);
    assert_refused(sot_objective_calibrate(&law, 1.0, 0.0, 0.0, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "`lambda` is 0.5", NULL);
    law.unit_rows = 30; /* e^{29 log 3} vertices */
    law.sigma = 5.0;
    assert_refused(sot_objective_event(&law, &event, &error), SOTTO_INVALID_ARGUMENT,
                   &error, "vertices", "larger lambda", NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_release_has_the_profile_of_its_law),
        cmocka_unit_test(two_releases_are_never_underpriced),
        cmocka_unit_test(renyi_divergence_is_that_of_the_law),
        cmocka_unit_test(unset_fields_mean_one_vertex_and_no_shift),
        cmocka_unit_test(more_of_anything_costs_more),
        cmocka_unit_test(a_plan_carries_both_fields),
        cmocka_unit_test(fields_out_of_place_are_refused),
        cmocka_unit_test(events_are_those_of_the_theorem),
        cmocka_unit_test(sigmas_are_those_of_the_table),
        cmocka_unit_test(calibration_meets_every_target),
        cmocka_unit_test(the_frozen_slope_needs_no_more_noise),
        cmocka_unit_test(any_smooth_loss_has_a_claim),
        cmocka_unit_test(laws_that_no_theorem_covers_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
