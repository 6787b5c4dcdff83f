/* Scores of membership and their ROC, against tests/vectors/pate_audit.json and against counting pairs. */
#include "pate_vectors.h"

#include <sotto/audit_statistics.h>

#include "base/memory.h"

enum { NUMBERS_MOST = 16 };

static void likelihood_ratios_are_the_vectors(void **state)
{
    (void)state;
    sotto_error error;
    json_t *all = pate_vectors();
    const json_t *cases = pate_cases(all, "lira", NULL, 3), *it;
    size_t index;
    json_array_foreach(cases, index, it)
    {
        double in_values[NUMBERS_MOST], out_values[NUMBERS_MOST];
        const size_t ins = pate_numbers(it, "phi_in", in_values, NUMBERS_MOST);
        const size_t outs = pate_numbers(it, "phi_out", out_values, NUMBERS_MOST);
        const double phi = pate_number(it, "phi_target");
        sotto_lira_fit in, out;
        assert_ok(sotto_lira_fit_of(in_values, ins, &in, &error), &error);
        assert_ok(sotto_lira_fit_of(out_values, outs, &out, &error), &error);
        assert_vector(in.mean, pate_number(it, "mean_in"));
        assert_vector(in.median, pate_number(it, "median_in"));
        assert_vector(in.deviation, pate_number(it, "std_in"));
        assert_vector(out.mean, pate_number(it, "mean_out"));
        assert_vector(out.median, pate_number(it, "median_out"));
        assert_vector(out.deviation, pate_number(it, "std_out"));
        assert_vector(sotto_lira_online(phi, &in, &out, SOTTO_LIRA_MEAN),
                      pate_number(it, "online_log_ratio_mean"));
        assert_vector(sotto_lira_online(phi, &in, &out, SOTTO_LIRA_MEDIAN),
                      pate_number(it, "online_log_ratio_median"));
        assert_vector(sotto_lira_offline(phi, &out, SOTTO_LIRA_MEAN),
                      pate_number(it, "offline_cdf"));
        assert_vector(sotto_lira_offline_two_sided(phi, &out, SOTTO_LIRA_MEAN),
                      pate_number(it, "offline_neg_logpdf"));
    }
    json_decref(all);
}

static void one_deviation_for_all_examples_leaves_their_means_out(void **state)
{
    (void)state;
    sotto_error error;
    const double first[] = {100.0, 102.0, 104.0}, second[] = {-7.5, -6.5};
    sotto_lira_fit fits[2];
    assert_ok(sotto_lira_fit_of(first, 3, &fits[0], &error), &error);
    assert_ok(sotto_lira_fit_of(second, 2, &fits[1], &error), &error);
    /* (4 + 0 + 4 + 0.25 + 0.25)/5 */
    assert_relative(sotto_lira_pooled_deviation(fits, 2), sqrt(1.7), 1e-14);
    assert_true(sotto_lira_pooled_deviation(fits, 0) == 0.0);
    /* Equal confidences have no deviation of their own: any difference is then decisive, and finite. */
    const double same[] = {2.0, 2.0};
    sotto_lira_fit flat;
    assert_ok(sotto_lira_fit_of(same, 2, &flat, &error), &error);
    assert_true(flat.deviation == 0.0);
    assert_true(sotto_lira_offline(2.5, &flat, SOTTO_LIRA_MEAN) == 1.0);
    assert_true(isfinite(sotto_lira_offline_two_sided(2.5, &flat, SOTTO_LIRA_MEDIAN)));
    assert_refused(sotto_lira_fit_of(same, 0, &flat, &error), SOTTO_INVALID_ARGUMENT,
                   &error, "shadow", NULL);
    const double bad[] = {1.0, (double)NAN};
    assert_refused(sotto_lira_fit_of(bad, 2, &flat, &error), SOTTO_INVALID_ARGUMENT,
                   &error, "score 2", NULL);
    (void)sot_test_fail_allocation(1);
    assert_refused(sotto_lira_fit_of(same, 2, &flat, &error), SOTTO_OUT_OF_MEMORY, &error,
                   NULL);
    (void)sot_test_fail_allocation(0);
}

/* 3 of 4 right with the example, 1 of 6 without: rates of 4/6 and 2/8 by Laplace's rule. */
static void labels_alone_are_weighed_by_rates(void **state)
{
    (void)state;
    const sotto_lira_labels in = {.count = 4, .right = 3}, out = {.count = 6, .right = 1};
    const sotto_lira_labels none = {.count = 0};
    assert_relative(sotto_lira_labels_online(true, &in, &out), log(8.0 / 3.0), 1e-14);
    assert_relative(sotto_lira_labels_online(false, &in, &out), log(4.0 / 9.0), 1e-14);
    assert_true(sotto_lira_labels_online(true, &none, &none) == 0.0);
    assert_relative(sotto_lira_labels_offline(true, &out), 1.0 - 0.125, 1e-15);
    assert_relative(sotto_lira_labels_offline(false, &out), 0.375, 1e-15);
    /* To be right where nobody is tells more than where all are; to be wrong, the other way round. */
    const sotto_lira_labels easy = {.count = 6, .right = 6};
    assert_true(sotto_lira_labels_offline(true, &out) >
                sotto_lira_labels_offline(true, &easy));
    assert_true(sotto_lira_labels_offline(false, &out) >
                sotto_lira_labels_offline(false, &easy));
    assert_true(sotto_lira_labels_offline(true, &easy) >
                sotto_lira_labels_offline(false, &none));
}

static void relative_ratios_are_the_vectors(void **state)
{
    (void)state;
    json_t *all = pate_vectors();
    const json_t *cases = pate_cases(all, "rmia", NULL, 2), *it;
    size_t index;
    json_array_foreach(cases, index, it)
    {
        double references[NUMBERS_MOST], ratios[NUMBERS_MOST];
        const double a = pate_number(it, "a");
        size_t count = pate_numbers(it, "p_out_refs_x", references, NUMBERS_MOST);
        const double ratio =
            sotto_rmia_ratio(pate_number(it, "p_target_x"), references, count, a);
        assert_vector(ratio, pate_number(it, "ratio_x"));
        const json_t *population = json_object_get(it, "p_out_refs_z");
        const size_t points = json_array_size(population);
        assert_in_range(points, 1, NUMBERS_MOST);
        for (size_t z = 0; z < points; z++) {
            const json_t *row = json_array_get(population, z);
            count = json_array_size(row);
            assert_in_range(count, 1, NUMBERS_MOST);
            for (size_t i = 0; i < count; i++)
                references[i] = json_number_value(json_array_get(row, i));
            ratios[z] =
                sotto_rmia_ratio(pate_at(it, "p_target_z", z), references, count, a);
            assert_vector(ratios[z], pate_at(it, "ratio_z", z));
        }
        assert_vector(sotto_rmia_score(ratio, ratios, points, pate_number(it, "gamma")),
                      pate_number(it, "score"));
    }
    assert_true(isnan(sotto_rmia_score(1.0, NULL, 0, 1.0)));
    json_decref(all);
}

/* ---- ROC ---- */

static void curves_count_every_threshold(void **state)
{
    (void)state;
    sotto_error error;
    const double members[] = {3.0, 1.0, 2.0, 2.0, 5.0, -HUGE_VAL};
    const double others[] = {2.0, 0.0, 4.0, -1.0, 1.0};
    sotto_roc *roc = NULL;
    assert_ok(sotto_roc_new(members, 6, others, 5, &roc, &error), &error);
    double pairs = 0.0;
    for (size_t i = 0; i < 6; i++) {
        for (size_t j = 0; j < 5; j++) {
            pairs += members[i] > others[j] ? 1.0 : 0.0;
            pairs += members[i] == others[j] ? 0.5 : 0.0;
        }
    }
    assert_relative(sotto_roc_area(roc), pairs / 30.0, 1e-14);
    const sotto_roc_point *points = sotto_roc_points(roc);
    assert_int_equal(sotto_roc_size(roc), 9); /* inf, 5, 4, 3, 2, 1, 0, -1, -inf */
    double advantage = 0.0;
    for (size_t k = 0; k < 9; k++) {
        double found = 0.0, accused = 0.0;
        for (size_t i = 0; i < 6; i++)
            found += members[i] >= points[k].threshold ? 1.0 : 0.0;
        for (size_t j = 0; j < 5; j++)
            accused += others[j] >= points[k].threshold ? 1.0 : 0.0;
        assert_true(points[k].true_positive_rate == found / 6.0);
        assert_true(points[k].false_positive_rate == accused / 5.0);
        advantage = fmax(advantage, found / 6.0 - accused / 5.0);
    }
    assert_true(sotto_roc_advantage(roc) == advantage);
    assert_true(points[8].true_positive_rate == 1.0 &&
                points[8].false_positive_rate == 1.0);
    assert_true(sotto_roc_true_positive_rate(roc, 0.0) == 1.0 / 6.0);
    assert_true(sotto_roc_true_positive_rate(roc, 0.39) == 2.0 / 6.0);
    assert_true(sotto_roc_true_positive_rate(roc, 0.4) == 4.0 / 6.0);
    sotto_roc_free(roc);
    sotto_roc_free(NULL);
}

static void curves_of_nothing_are_refused(void **state)
{
    (void)state;
    sotto_error error;
    sotto_roc *roc = NULL;
    const double scores[] = {1.0, (double)NAN};
    assert_refused(sotto_roc_new(scores, 0, scores, 1, &roc, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "members", NULL);
    assert_refused(sotto_roc_new(scores, 1, scores, 2, &roc, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "non-members", NULL);
    for (size_t failing = 1; failing <= 3; failing++) {
        (void)sot_test_fail_allocation(failing);
        assert_refused(sotto_roc_new(scores, 1, scores, 1, &roc, &error),
                       SOTTO_OUT_OF_MEMORY, &error, NULL);
        (void)sot_test_fail_allocation(0);
    }
    assert_null(roc);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(likelihood_ratios_are_the_vectors),
        cmocka_unit_test(one_deviation_for_all_examples_leaves_their_means_out),
        cmocka_unit_test(labels_alone_are_weighed_by_rates),
        cmocka_unit_test(relative_ratios_are_the_vectors),
        cmocka_unit_test(curves_count_every_threshold),
        cmocka_unit_test(curves_of_nothing_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
