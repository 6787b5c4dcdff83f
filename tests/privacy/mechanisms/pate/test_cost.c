/* The costs of PATE against tests/vectors/pate_audit.json (60 digits). */
#include "pate_vectors.h"

#include "base/memory.h"
#include "privacy/accounting/plans.h"
#include "privacy/mechanisms/pate/cost.h"

static sotto_pate_config config_of(sotto_pate_aggregator aggregator, double noise)
{
    sotto_pate_config config = sotto_pate_defaults();
    config.aggregator = aggregator;
    config.adjacency = SOTTO_ADD_REMOVE;
    config.unit = SOTTO_PATE_RECORDS;
    config.touched = 1;
    config.noise = noise;
    config.purpose = "labels";
    return config;
}

static sotto_pate_config confident(double threshold, double test_noise, double noise)
{
    sotto_pate_config config = config_of(SOTTO_PATE_CONFIDENT, noise);
    config.threshold = threshold;
    config.test_noise = test_noise;
    return config;
}

static double step_rdp(const sotto_pate_config *config, sotto_pate_step step,
                       double order)
{
    sotto_error error;
    double rdp = 0.0;
    assert_ok(sot_pate_check(config, &error), &error);
    sotto_event event = sot_pate_event(config, step);
    event.count = 1;
    sotto_plan *plan = plan_under(config->adjacency, event);
    assert_ok(sotto_account_rdp(plan, order, &rdp, &error), &error);
    sotto_plan_free(plan);
    return rdp;
}

/* ---- sensitivities ---- */

static void sensitivities_are_those_of_every_neighbouring_relation(void **state)
{
    (void)state;
    sotto_error error;
    sotto_pate_sensitivity got;
    sotto_pate_config config = config_of(SOTTO_PATE_GNMAX, 40.0);
    for (int adjacency = SOTTO_ADD_REMOVE; adjacency <= SOTTO_REPLACE_ONE; adjacency++) {
        config.adjacency = (sotto_adjacency)adjacency;
        for (uint64_t k = 1; k <= 7; k += 3) {
            const double moved = (double)k;
            config.touched = k;
            config.unit = SOTTO_PATE_RECORDS;
            assert_ok(sotto_pate_sensitivity_of(&config, &got, &error), &error);
            assert_true(got.l1 == 2.0 * moved && got.largest == moved &&
                        got.gap == 2.0 * moved);
            assert_within(got.l2, moved * sqrt(2.0), moved * sqrt(2.0) * (1.0 + 1e-15));
            assert_true(got.l2 * got.l2 >= 2.0 * moved * moved);
            /* A teacher who comes or goes brings or takes one vote; exchanged, he moves it. */
            config.unit = SOTTO_PATE_TEACHERS;
            const double each = adjacency == SOTTO_ADD_REMOVE ? moved : 2.0 * moved;
            assert_ok(sotto_pate_sensitivity_of(&config, &got, &error), &error);
            assert_true(got.l1 == each && got.gap == each && got.largest == moved);
        }
    }
    assert_int_equal(sotto_pate_touched(SOTTO_ADD_REMOVE, 3, true), 3);
    assert_int_equal(sotto_pate_touched(SOTTO_REPLACE_ONE, 3, false), 3);
    assert_int_equal(sotto_pate_touched(SOTTO_REPLACE_ONE, 3, true), 6);
}

/* All votes of 5 teachers for 3 classes, and all that one or two of them may change. */
static void no_change_of_votes_passes_the_declared_sensitivity(void **state)
{
    (void)state;
    enum { TEACHERS = 5, CLASSES = 3, ALL = 243 };
    sotto_error error;
    double worst[3][4] = {{0}};
    for (int a = 0; a < ALL; a++) {
        for (int b = 0; b < ALL; b++) {
            int64_t n[CLASSES] = {0}, m[CLASSES] = {0};
            int changed = 0;
            for (int i = 0, x = a, y = b; i < TEACHERS; i++, x /= 3, y /= 3) {
                changed += x % 3 != y % 3;
                n[x % 3]++;
                m[y % 3]++;
            }
            if (changed > 2) continue;
            int64_t sorted[2][2] = {{-1, -1}, {-1, -1}};
            double l1 = 0.0, squares = 0.0;
            for (int j = 0; j < CLASSES; j++) {
                const double d = (double)(n[j] - m[j]);
                l1 += fabs(d);
                squares += d * d;
                for (int w = 0; w < 2; w++) {
                    const int64_t v = w == 0 ? n[j] : m[j];
                    if (v > sorted[w][0]) {
                        sorted[w][1] = sorted[w][0];
                        sorted[w][0] = v;
                    } else if (v > sorted[w][1]) {
                        sorted[w][1] = v;
                    }
                }
            }
            const double tops = fabs((double)(sorted[0][0] - sorted[1][0]));
            const double gaps = fabs(
                (double)(sorted[0][0] - sorted[0][1] - (sorted[1][0] - sorted[1][1])));
            double *most = worst[changed];
            most[0] = fmax(most[0], l1);
            most[1] = fmax(most[1], sqrt(squares));
            most[2] = fmax(most[2], tops);
            most[3] = fmax(most[3], gaps);
        }
    }
    sotto_pate_config config = config_of(SOTTO_PATE_GNMAX, 40.0);
    for (uint64_t k = 1; k <= 2; k++) {
        sotto_pate_sensitivity got;
        config.touched = k;
        assert_ok(sotto_pate_sensitivity_of(&config, &got, &error), &error);
        assert_true(worst[k][0] == got.l1); /* attained: none could be less */
        assert_within(worst[k][1], got.l2 * (1.0 - 1e-15), got.l2);
        assert_true(worst[k][2] == got.largest);
        assert_true(worst[k][3] == got.gap);
    }
}

/* ---- one query ---- */

static void gnmax_costs_are_the_vectors(void **state)
{
    (void)state;
    json_t *all = pate_vectors();
    const json_t *cases = pate_cases(all, "gnmax", NULL, 14), *it;
    size_t index;
    json_array_foreach(cases, index, it)
    {
        int64_t votes[PATE_CLASSES_MOST];
        const size_t classes = pate_votes(it, votes);
        const double sigma = pate_number(it, "sigma");
        const sotto_pate_config config = config_of(SOTTO_PATE_GNMAX, sigma);
        const double log_q = sot_pate_gnmax_log_q(votes, classes, sigma);
        assert_vector(log_q, pate_number(it, "log_q"));
        assert_vector(exp(log_q), pate_number(it, "q"));
        const bool capped = json_is_true(json_object_get(it, "q_capped"));
        assert_true((log_q == log1p(-1.0 / (double)classes)) == capped);
        const size_t orders = json_array_size(json_object_get(it, "orders"));
        assert_int_equal(orders, 13);
        for (size_t i = 0; i < orders; i++) {
            const double order = pate_at(it, "orders", i);
            const double independent = pate_at(it, "rdp_data_independent", i);
            const double priced = step_rdp(&config, SOTTO_PATE_ANSWER, order);
            assert_within(priced, independent * (1.0 - 1e-15),
                          independent * (1.0 + 1e-13));
            bool used;
            assert_vector(sot_pate_gaussian_rdp(log_q, sigma, order, &used),
                          pate_at(it, "rdp", i));
            assert_true(used == json_is_true(json_array_get(
                                    json_object_get(it, "data_dependent_used"), i)));
        }
    }
    json_decref(all);
}

static void test_costs_are_the_vectors(void **state)
{
    (void)state;
    json_t *all = pate_vectors();
    const json_t *cases = pate_cases(all, "threshold", NULL, 8), *it;
    size_t index;
    json_array_foreach(cases, index, it)
    {
        const double top = pate_number(it, "max_votes");
        const double threshold = pate_number(it, "threshold");
        const double sigma_1 = pate_number(it, "sigma1");
        const sotto_pate_config config = confident(threshold, sigma_1, 40.0);
        const double log_p = sot_pate_test_log_answered(top, threshold, sigma_1);
        assert_vector(log_p, pate_number(it, "log_pr_answered"));
        assert_vector(exp(log_p), pate_number(it, "pr_answered"));
        const double log_q = sot_pate_test_log_q(top, threshold, sigma_1);
        for (size_t i = 0; i < json_array_size(json_object_get(it, "orders")); i++) {
            const double order = pate_at(it, "orders", i);
            const double independent = pate_at(it, "rdp_data_independent", i);
            const double priced = step_rdp(&config, SOTTO_PATE_TEST, order);
            assert_within(priced, independent * (1.0 - 1e-15),
                          independent * (1.0 + 1e-13));
            bool used;
            assert_vector(sot_pate_gaussian_rdp(log_q, sqrt(2.0) * sigma_1, order, &used),
                          pate_at(it, "rdp", i));
            assert_true(used == json_is_true(json_array_get(
                                    json_object_get(it, "data_dependent_used"), i)));
        }
    }
    json_decref(all);
}

static void lnmax_costs_are_the_vectors(void **state)
{
    (void)state;
    sotto_error error;
    json_t *all = pate_vectors();
    const json_t *cases = pate_cases(all, "lnmax", NULL, 6), *it;
    size_t index;
    json_array_foreach(cases, index, it)
    {
        int64_t votes[PATE_CLASSES_MOST];
        const size_t classes = pate_votes(it, votes);
        const double gamma = pate_number(it, "gamma");
        const double epsilon = pate_number(it, "per_query_pure_eps");
        const double q = sot_pate_lnmax_q(votes, classes, gamma);
        assert_vector(q, pate_number(it, "q"));
        assert_true((q <= 1.0 / (1.0 + exp(epsilon))) ==
                    json_is_true(json_object_get(it, "theorem_applies")));
        for (size_t i = 0; i < json_array_size(json_object_get(it, "moments")); i++) {
            assert_vector(sot_pate_lnmax_log_moment(q, gamma, pate_at(it, "moments", i)),
                          pate_at(it, "log_mgf", i));
        }
        /* The event is pure with that epsilon, and the Laplace law costs less at every order. */
        const sotto_pate_config config =
            config_of(SOTTO_PATE_LNMAX, pate_number(it, "laplace_scale"));
        sotto_event event = sot_pate_event(&config, SOTTO_PATE_ANSWER);
        event.count = 1;
        sotto_plan *plan = plan_of(event);
        sotto_account account;
        assert_ok(sotto_account_epsilon(plan, SOTTO_EXACT, 0.0, &account, &error),
                  &error);
        assert_within(account.epsilon, epsilon * (1.0 - 1e-14), epsilon * (1.0 + 1e-14));
        sotto_plan_free(plan);
        for (double order = 1.5; order < 40.0; order *= 2.0) {
            const double textbook = fmin(order * epsilon * epsilon / 2.0, epsilon);
            assert_within(step_rdp(&config, SOTTO_PATE_ANSWER, order), 0.0,
                          textbook * (1.0 + 1e-12));
        }
    }
    json_decref(all);
}

static void larger_moves_cost_their_squares(void **state)
{
    (void)state;
    sotto_pate_config config = confident(200.0, 150.0, 40.0);
    config.adjacency = SOTTO_REPLACE_ONE;
    config.touched = sotto_pate_touched(SOTTO_REPLACE_ONE, 1, true);
    assert_relative(step_rdp(&config, SOTTO_PATE_ANSWER, 5.0), 4.0 * 5.0 / 1600.0, 1e-14);
    assert_relative(step_rdp(&config, SOTTO_PATE_TEST, 5.0), 4.0 * 5.0 / 45000.0, 1e-14);
    config.adjacency = SOTTO_ADD_REMOVE;
    config.unit = SOTTO_PATE_TEACHERS;
    config.touched = 1;
    assert_relative(step_rdp(&config, SOTTO_PATE_ANSWER, 5.0), 5.0 / 3200.0, 1e-14);
}

/* ---- totals ---- */

static void check_epsilons(const json_t *it, const sotto_pate_meter *meter)
{
    const json_t *rows = json_object_get(it, "eps"), *row;
    size_t index;
    json_array_foreach(rows, index, row)
    {
        const double delta = pate_number(row, "delta");
        double order;
        assert_within(sotto_pate_meter_epsilon(meter, delta, true, &order) -
                          pate_number(row, "eps_classic"),
                      -1e-7, 1e-7);
        assert_true(order == pate_number(row, "order_classic"));
        assert_within(sotto_pate_meter_epsilon(meter, delta, false, &order) -
                          pate_number(row, "eps_improved"),
                      -1e-7, 1e-7);
        assert_true(order == pate_number(row, "order_improved"));
    }
    assert_int_equal(index, 2);
}

static void check_totals(const json_t *it, const sotto_pate_meter *meter)
{
    void *at = json_object_iter(json_object_get(it, "rdp_at"));
    assert_non_null(at);
    for (; at != NULL; at = json_object_iter_next(json_object_get(it, "rdp_at"), at)) {
        assert_vector(sotto_pate_meter_rdp(meter, strtod(json_object_iter_key(at), NULL)),
                      json_number_value(json_object_iter_value(at)));
    }
    check_epsilons(it, meter);
}

/* What the vectors call "expected" and "data independent" are sums of the same prices with other
 * weights; they are summed here, order by order, into epsilons. */
typedef struct summed {
    double total[256];
    double answered; /* queries, or how many are expected */
} summed;

static void check_summed(const json_t *all, const json_t *it, const summed *sums)
{
    const json_t *orders = json_object_get(all, "orders_long");
    void *at = json_object_iter(json_object_get(it, "rdp_at"));
    assert_non_null(at);
    for (; at != NULL; at = json_object_iter_next(json_object_get(it, "rdp_at"), at)) {
        const double wanted = strtod(json_object_iter_key(at), NULL);
        size_t i = 0;
        while (json_number_value(json_array_get(orders, i)) != wanted)
            i++;
        assert_vector(sums->total[i], json_number_value(json_object_iter_value(at)));
    }
    const json_t *row;
    size_t index;
    json_array_foreach(json_object_get(it, "eps"), index, row)
    {
        const double delta = pate_number(row, "delta");
        double classic = HUGE_VAL, improved = HUGE_VAL;
        for (size_t i = 0; i < json_array_size(orders); i++) {
            const double a = json_number_value(json_array_get(orders, i));
            classic = fmin(classic, sums->total[i] - log(delta) / (a - 1.0));
            improved = fmin(improved, sums->total[i] + log1p(-1.0 / a) -
                                          (log(delta) + log(a)) / (a - 1.0));
        }
        assert_within(classic - pate_number(row, "eps_classic"), -1e-7, 1e-7);
        assert_within(improved - pate_number(row, "eps_improved"), -1e-7, 1e-7);
    }
}

/* The charge of every query of the table: 1, or the probability of an answer, or whether the largest
 * count reaches the threshold; data-dependent or not. */
static void sum_table(const json_t *all, const json_t *mechanism, const pate_table *table,
                      summed *out)
{
    const char *charge = json_string_value(json_object_get(mechanism, "charge"));
    const bool dependent =
        strcmp(json_string_value(json_object_get(mechanism, "analysis")),
               "data_dependent") == 0;
    const bool has_test = charge != NULL;
    const double sigma = pate_number(mechanism, has_test ? "sigma2" : "sigma");
    const double threshold = has_test ? pate_number(mechanism, "threshold") : 0.0;
    const double sigma_1 = has_test ? pate_number(mechanism, "sigma1") : 1.0;
    const json_t *orders = json_object_get(all, "orders_long"), *order;
    size_t i;
    *out = (summed){.answered = 0.0};
    for (size_t row = 0; row < PATE_QUERIES; row++) {
        const int64_t *votes = table->votes[row];
        const double top = sot_pate_top(votes, PATE_CLASSES, NULL, 0);
        const double weight =
            !has_test ? 1.0
            : strcmp(charge, "expected") == 0
                ? exp(sot_pate_test_log_answered(top, threshold, sigma_1))
                : (double)(top >= threshold);
        out->answered += weight;
        const double log_q = sot_pate_gnmax_log_q(votes, PATE_CLASSES, sigma);
        const double log_q_1 = sot_pate_test_log_q(top, threshold, sigma_1);
        json_array_foreach(orders, i, order)
        {
            const double a = json_number_value(order);
            const double answer = dependent ? sot_pate_gaussian_rdp(log_q, sigma, a, NULL)
                                            : a / (sigma * sigma);
            const double test =
                !has_test   ? 0.0
                : dependent ? sot_pate_gaussian_rdp(log_q_1, sqrt(2.0) * sigma_1, a, NULL)
                            : a / (2.0 * sigma_1 * sigma_1);
            out->total[i] += test + weight * answer;
        }
    }
}

static size_t check_laplace_total(const json_t *it, const pate_table *table)
{
    sotto_error error;
    const json_t *mechanism = json_object_get(it, "mechanism"), *row;
    const double scale = pate_number(mechanism, "laplace_scale");
    const sotto_pate_config config = config_of(SOTTO_PATE_LNMAX, scale);
    sotto_pate_meter *meter = NULL;
    assert_ok(sotto_pate_meter_new(&config, &meter, &error), &error);
    for (size_t i = 0; i < PATE_QUERIES; i++)
        assert_ok(sotto_pate_meter_ask(meter, table->votes[i], PATE_CLASSES, NULL, true,
                                       &error),
                  &error);
    for (size_t i = 0; i < json_array_size(json_object_get(it, "moments")); i++) {
        const double lambda = pate_at(it, "moments", i);
        assert_vector(lambda * sotto_pate_meter_rdp(meter, lambda + 1.0),
                      pate_at(it, "log_mgf_total", i));
    }
    size_t index;
    json_array_foreach(json_object_get(it, "eps"), index, row)
    {
        double order;
        const double delta = pate_number(row, "delta");
        assert_within(sotto_pate_meter_epsilon(meter, delta, true, &order) -
                          pate_number(row, "eps"),
                      -1e-7, 1e-7);
        assert_true(order == pate_number(row, "moment") + 1.0);
        double independent = HUGE_VAL;
        for (double l = 1.0; l <= 24.0; l += 1.0) { /* q = 1: no data-dependent part */
            const double total = 100.0 * sot_pate_lnmax_log_moment(1.0, 1.0 / scale, l);
            independent = fmin(independent, (total - log(delta)) / l);
        }
        assert_within(independent - pate_number(row, "eps_data_independent"), -1e-7,
                      1e-7);
    }
    sotto_pate_meter_free(meter);
    return index;
}

static void totals_of_the_table_are_the_vectors(void **state)
{
    (void)state;
    sotto_error error;
    json_t *all = pate_vectors();
    pate_table table;
    pate_read_table(all, &table);
    const json_t *cases = pate_cases(all, "vote_table_totals", NULL, 12), *it;
    size_t index, metered = 0;
    json_array_foreach(cases, index, it)
    {
        const json_t *mechanism = json_object_get(it, "mechanism");
        const char *kind = json_string_value(json_object_get(mechanism, "kind"));
        const char *charge = json_string_value(json_object_get(mechanism, "charge"));
        if (strcmp(kind, "lnmax") == 0) {
            assert_int_equal(check_laplace_total(it, &table), 2);
            continue;
        }
        summed sums;
        sum_table(all, mechanism, &table, &sums);
        check_summed(all, it, &sums);
        if (json_object_get(it, "expected_answered") != NULL) {
            assert_vector(sums.answered, pate_number(it, "expected_answered"));
        } else if (charge != NULL) {
            assert_true(sums.answered == pate_number(it, "answered"));
        }
        const bool realised = charge == NULL || strncmp(charge, "realised", 8) == 0;
        const char *analysis = json_string_value(json_object_get(mechanism, "analysis"));
        if (!realised || strcmp(analysis, "data_dependent") != 0) continue;
        /* The realised, data-dependent ones are what the meter says. */
        const sotto_pate_config config =
            charge == NULL ? config_of(SOTTO_PATE_GNMAX, pate_number(mechanism, "sigma"))
                           : confident(pate_number(mechanism, "threshold"),
                                       pate_number(mechanism, "sigma1"),
                                       pate_number(mechanism, "sigma2"));
        sotto_pate_meter *meter = NULL;
        assert_ok(sotto_pate_meter_new(&config, &meter, &error), &error);
        for (size_t i = 0; i < PATE_QUERIES; i++) {
            const double top = sot_pate_top(table.votes[i], PATE_CLASSES, NULL, 0);
            assert_ok(sotto_pate_meter_ask(meter, table.votes[i], PATE_CLASSES, NULL,
                                           charge == NULL || top >= config.threshold,
                                           &error),
                      &error);
        }
        check_totals(it, meter);
        sotto_pate_meter_free(meter);
        metered++;
    }
    assert_int_equal(metered, 4);
    json_decref(all);
}

/* ---- refusals ---- */

static void settings_that_mean_nothing_are_refused(void **state)
{
    (void)state;
    sotto_error error;
    sotto_pate_config bad = sotto_pate_defaults();
    assert_refused(sot_pate_check(&bad, &error), SOTTO_INVALID_ARGUMENT, &error,
                   "aggregator", NULL);
    bad = config_of(SOTTO_PATE_GNMAX, 40.0);
    bad.adjacency = SOTTO_ADJACENCY_UNSET;
    assert_refused(sot_pate_check(&bad, &error), SOTTO_INVALID_ARGUMENT, &error,
                   "adjacency", NULL);
    bad = config_of(SOTTO_PATE_GNMAX, 40.0);
    bad.unit = SOTTO_PATE_UNIT_UNSET;
    assert_refused(sot_pate_check(&bad, &error), SOTTO_INVALID_ARGUMENT, &error, "unit",
                   NULL);
    const uint64_t touched[] = {0, (UINT64_C(1) << 20) + 1};
    for (size_t i = 0; i < 2; i++) {
        bad = config_of(SOTTO_PATE_GNMAX, 40.0);
        bad.touched = touched[i];
        assert_refused(sot_pate_check(&bad, &error), SOTTO_INVALID_ARGUMENT, &error,
                       "touches", NULL);
    }
    const double noises[] = {0.0, -1.0, SOTTO_UNSET, HUGE_VAL};
    for (size_t i = 0; i < 4; i++) {
        bad = config_of(SOTTO_PATE_LNMAX, noises[i]);
        assert_refused(sot_pate_check(&bad, &error), SOTTO_INVALID_ARGUMENT, &error,
                       "`vote_scale`", NULL);
        bad = confident(200.0, noises[i], 40.0);
        assert_refused(sot_pate_check(&bad, &error), SOTTO_INVALID_ARGUMENT, &error,
                       "`sigma1`", NULL);
    }
    bad = config_of(SOTTO_PATE_GNMAX, 40.0);
    bad.threshold = 3.0;
    assert_refused(sot_pate_check(&bad, &error), SOTTO_INVALID_ARGUMENT, &error,
                   "threshold", "gnmax", NULL);
    bad = confident(SOTTO_UNSET, 150.0, 40.0);
    assert_refused(sot_pate_check(&bad, &error), SOTTO_INVALID_ARGUMENT, &error,
                   "threshold", NULL);
    bad = confident(100.0, 150.0, 40.0);
    bad.aggregator = SOTTO_PATE_INTERACTIVE;
    assert_refused(sot_pate_check(&bad, &error), SOTTO_INVALID_ARGUMENT, &error,
                   "confidence", NULL);
    bad.confidence = 0.9;
    assert_refused(sot_pate_check(&bad, &error), SOTTO_INVALID_ARGUMENT, &error,
                   "teachers", NULL);
    bad.teachers = 250;
    assert_ok(sot_pate_check(&bad, &error), &error);
    bad = config_of(SOTTO_PATE_MODE, SOTTO_UNSET);
    assert_refused(sot_pate_check(&bad, &error), SOTTO_INVALID_ARGUMENT, &error,
                   "epsilon", NULL);
    bad.epsilon = 0.5;
    assert_refused(sot_pate_check(&bad, &error), SOTTO_INVALID_ARGUMENT, &error, "delta",
                   NULL);
    bad.delta = 1e-6;
    assert_ok(sot_pate_check(&bad, &error), &error);
    sotto_pate_aggregator found;
    assert_refused(sotto_pate_aggregator_from_name("gmax", &found, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "gmax", NULL);
    for (int i = SOTTO_PATE_LNMAX; i <= SOTTO_PATE_MODE; i++) {
        const char *name = sotto_pate_aggregator_name((sotto_pate_aggregator)i);
        assert_ok(sotto_pate_aggregator_from_name(name, &found, &error), &error);
        assert_int_equal(found, i);
    }
    assert_string_equal(sotto_pate_aggregator_name(SOTTO_PATE_UNSET), "unknown");
}

static void the_meter_refuses_what_no_theorem_covers(void **state)
{
    (void)state;
    sotto_error error;
    sotto_pate_meter *meter = NULL;
    sotto_pate_config config = config_of(SOTTO_PATE_GNMAX, 40.0);
    config.touched = 2;
    assert_refused(sotto_pate_meter_new(&config, &meter, &error), SOTTO_UNSUPPORTED,
                   &error, "2 touched", NULL);
    config = config_of(SOTTO_PATE_GNMAX, 40.0);
    config.unit = SOTTO_PATE_TEACHERS;
    assert_refused(sotto_pate_meter_new(&config, &meter, &error), SOTTO_UNSUPPORTED,
                   &error, NULL);
    config = config_of(SOTTO_PATE_GNMAX, 40.0);
    (void)sot_test_fail_allocation(1);
    assert_refused(sotto_pate_meter_new(&config, &meter, &error), SOTTO_OUT_OF_MEMORY,
                   &error, NULL);
    (void)sot_test_fail_allocation(0);
    assert_ok(sotto_pate_meter_new(&config, &meter, &error), &error);
    const int64_t votes[] = {3, 5};
    const double student[] = {0.5, 0.5};
    assert_refused(sotto_pate_meter_ask(meter, votes, 1, NULL, true, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "classes", NULL);
    assert_refused(sotto_pate_meter_ask(meter, votes, 2, student, true, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "student", NULL);
    assert_true(isnan(sotto_pate_meter_rdp(meter, 2.25)));
    assert_true(isnan(sotto_pate_meter_epsilon(meter, 0.0, true, NULL)));
    assert_true(sotto_pate_meter_epsilon(meter, 1e-5, false, NULL) <
                sotto_pate_meter_epsilon(meter, 1e-5, true, NULL));
    sotto_pate_meter_free(meter);
    /* Interactive: the test is about votes less what the student says. */
    config = confident(100.0, 15.0, 40.0);
    config.aggregator = SOTTO_PATE_INTERACTIVE;
    config.confidence = 0.9;
    config.teachers = 8;
    assert_ok(sotto_pate_meter_new(&config, &meter, &error), &error);
    assert_ok(sotto_pate_meter_ask(meter, votes, 2, student, false, &error), &error);
    const double log_q = sot_pate_test_log_q(1.0, 100.0, 15.0);
    assert_relative(sotto_pate_meter_rdp(meter, 3.0),
                    sot_pate_gaussian_rdp(log_q, sqrt(2.0) * 15.0, 3.0, NULL), 1e-15);
    sotto_pate_meter_free(meter);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sensitivities_are_those_of_every_neighbouring_relation),
        cmocka_unit_test(no_change_of_votes_passes_the_declared_sensitivity),
        cmocka_unit_test(gnmax_costs_are_the_vectors),
        cmocka_unit_test(test_costs_are_the_vectors),
        cmocka_unit_test(lnmax_costs_are_the_vectors),
        cmocka_unit_test(larger_moves_cost_their_squares),
        cmocka_unit_test(totals_of_the_table_are_the_vectors),
        cmocka_unit_test(settings_that_mean_nothing_are_refused),
        cmocka_unit_test(the_meter_refuses_what_no_theorem_covers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
