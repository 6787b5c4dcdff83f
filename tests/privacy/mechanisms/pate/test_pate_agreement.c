/* How much teachers agree: what one record can move, what it costs, what it says. */
#include "privacy/mechanisms/release.h"

#include <sotto/pate_aggregate.h>
#include <sotto/pate_agreement.h>

#include "privacy/mechanisms/gate/gate.h"
#include "privacy/mechanisms/gate/tape.h"
#include "privacy/mechanisms/pate/pate.h"

enum { CLASSES = 3, QUERIES = 2, TEACHERS_MOST = 4, VOTES_MOST = 81 };

static sotto_pate_config config_of(uint64_t teachers, uint64_t touched)
{
    sotto_pate_config config = sotto_pate_defaults();
    config.aggregator = SOTTO_PATE_GNMAX;
    config.adjacency = SOTTO_ADD_REMOVE;
    config.unit = SOTTO_PATE_RECORDS;
    config.touched = touched;
    config.teachers = teachers;
    config.noise = 7.5;
    config.purpose = "labels";
    return config;
}

static sotto_pate_agreement_config asks(double noise, uint64_t bins)
{
    sotto_pate_agreement_config agreement = sotto_pate_agreement_defaults();
    agreement.noise = noise;
    agreement.bins = bins;
    return agreement;
}

static double sensitivity_of(const sotto_pate_config *config,
                             const sotto_pate_agreement_config *agreement,
                             uint64_t queries)
{
    sotto_error error;
    sotto_event event;
    assert_ok(sotto_pate_agreement_event(config, agreement, queries, &event, &error),
              &error);
    assert_int_equal(event.mechanism, SOTTO_GAUSSIAN);
    assert_string_equal(event.purpose, "labels (agreement)");
    assert_true(event.scale >= agreement->noise * (double)queries);
    assert_within(event.noise_multiplier, event.scale / event.sensitivity * (1.0 - 1e-15),
                  event.scale / event.sensitivity);
    return event.sensitivity;
}

/* ---- every table of votes, and every neighbour of it ---- */

/* Digit `teacher` of `said` in base CLASSES. */
static size_t vote_of(size_t said, size_t teacher)
{
    for (size_t i = 0; i < teacher; i++)
        said /= CLASSES;
    return said % CLASSES;
}

static void count(size_t said, size_t teachers, int64_t *out)
{
    for (size_t c = 0; c < CLASSES; c++)
        out[c] = 0;
    for (size_t i = 0; i < teachers; i++)
        out[vote_of(said, i)]++;
}

/* Which teachers say something else, as bits. */
static unsigned changed(size_t said, size_t other, size_t teachers)
{
    unsigned who = 0;
    for (size_t i = 0; i < teachers; i++)
        if (vote_of(said, i) != vote_of(other, i)) who |= 1u << i;
    return who;
}

/* The largest L1 and L2 distance over all pairs of tables in which at most `touched` teachers, the same ones in both queries,
 * vote anew. L2 is squared. */
static void farthest(size_t teachers, size_t touched, const int64_t *edges, size_t bins,
                     int64_t *out_l1, int64_t *out_l2)
{
    static int64_t counts[VOTES_MOST][CLASSES];
    size_t tables = 1;
    for (size_t i = 0; i < teachers; i++)
        tables *= CLASSES;
    for (size_t i = 0; i < tables; i++)
        count(i, teachers, counts[i]);
    *out_l1 = *out_l2 = 0;
    for (unsigned who = 0; who < 1u << teachers; who++) {
        if ((size_t)__builtin_popcount(who) != touched) continue;
        for (size_t a = 0; a < tables * tables; a++) {
            for (size_t b = 0; b < tables * tables; b++) {
                const size_t before[] = {a % tables, a / tables};
                const size_t behind[] = {b % tables, b / tables};
                if ((changed(before[0], behind[0], teachers) & ~who) != 0) continue;
                if ((changed(before[1], behind[1], teachers) & ~who) != 0) continue;
                int64_t votes[2][QUERIES * CLASSES], sums[2][TEACHERS_MOST];
                for (size_t q = 0; q < QUERIES; q++) {
                    memcpy(votes[0] + q * CLASSES, counts[before[q]], sizeof counts[0]);
                    memcpy(votes[1] + q * CLASSES, counts[behind[q]], sizeof counts[0]);
                }
                int64_t l1 = 0, l2 = 0;
                for (size_t i = 0; i < 2; i++)
                    sot_pate_agreement_sums(votes[i], QUERIES, CLASSES, edges, bins,
                                            sums[i]);
                for (size_t j = 0; j < bins; j++) {
                    const int64_t moved = sums[1][j] - sums[0][j];
                    l1 += moved < 0 ? -moved : moved;
                    l2 += moved * moved;
                }
                if (l1 > *out_l1) *out_l1 = l1;
                if (l2 > *out_l2) *out_l2 = l2;
            }
        }
    }
}

/* 3 teachers, 2 queries, 3 classes: all 729 tables against all neighbours, for each number of bins; wide bins too. */
static void every_neighbour_is_within_the_sensitivity_and_one_attains_it(void **state)
{
    (void)state;
    sotto_error error;
    for (uint64_t touched = 1; touched <= 2; touched++) {
        for (uint64_t bins = 1; bins <= 3; bins++) {
            const sotto_pate_config config = config_of(3, touched);
            const sotto_pate_agreement_config agreement = asks(2.375, bins);
            int64_t edges[SOTTO_PATE_AGREEMENT_BINS_MAX + 1], l1 = 0, l2 = 0;
            size_t found = 0;
            assert_ok(sotto_pate_agreement_edges(&config, &agreement, CLASSES, edges,
                                                 &found, &error),
                      &error);
            farthest(3, touched, edges, found - 1, &l1, &l2);
            const double declared = sensitivity_of(&config, &agreement, QUERIES);
            assert_true((double)l1 <= declared);
            assert_true((double)l2 <= declared * declared);
            /* All of the votes lie in the first bin here, so that both norms attain it. */
            if (bins == 1) assert_true((double)l1 == declared);
            if (bins == 1) assert_true((double)l2 == declared * declared);
        }
    }
}

/* Bins of several votes, many queries, and largest counts that all cross an edge at once. */
static void queries_that_cross_an_edge_together_move_by_one_vote_each(void **state)
{
    (void)state;
    sotto_error error;
    enum { ASKED = 7 };
    const sotto_pate_config config = config_of(50, 1);
    const sotto_pate_agreement_config agreement = asks(2.375, 10);
    int64_t edges[SOTTO_PATE_AGREEMENT_BINS_MAX + 1];
    size_t found = 0;
    assert_ok(
        sotto_pate_agreement_edges(&config, &agreement, CLASSES, edges, &found, &error),
        &error);
    assert_int_equal(found, 8); /* 15, 20, ... 50: a third of 50 is reached anyway */
    assert_int_equal(edges[0], 15);
    assert_int_equal(edges[7], 50);
    int64_t most = 0;
    for (int64_t top = 17; top < 50; top++) {
        int64_t votes[2][ASKED * CLASSES] = {{0}}, sums[2][16], l1 = 0;
        for (size_t q = 0; q < ASKED; q++) {
            for (int64_t i = 0; i < 2; i++) {
                votes[i][q * CLASSES + q % CLASSES] = top + i;
                votes[i][q * CLASSES + (q + 1) % CLASSES] = 50 - top - i;
            }
        }
        for (size_t i = 0; i < 2; i++)
            sot_pate_agreement_sums(votes[i], ASKED, CLASSES, edges, found - 1, sums[i]);
        for (size_t j = 0; j + 1 < found; j++)
            l1 += sums[1][j] > sums[0][j] ? sums[1][j] - sums[0][j]
                                          : sums[0][j] - sums[1][j];
        if (l1 > most) most = l1;
    }
    assert_true((double)most == sensitivity_of(&config, &agreement, ASKED));
}

/* A teacher who comes or goes moves the largest count by one vote, and so does one of a unit in two shards by two. */
static void units_and_adjacencies_have_the_sensitivity_of_the_largest_count(void **state)
{
    (void)state;
    const sotto_pate_agreement_config agreement = asks(2.375, 10);
    for (int adjacency = SOTTO_ADD_REMOVE; adjacency <= SOTTO_REPLACE_ONE; adjacency++) {
        for (int unit = SOTTO_PATE_RECORDS; unit <= SOTTO_PATE_TEACHERS; unit++) {
            for (uint64_t touched = 1; touched <= 3; touched++) {
                sotto_pate_config config = config_of(250, touched);
                config.adjacency = (sotto_adjacency)adjacency;
                config.unit = (sotto_pate_unit)unit;
                assert_true(sensitivity_of(&config, &agreement, 640) ==
                            640.0 * (double)touched);
            }
        }
    }
    const sotto_pate_config most = config_of(1 << 20, 1 << 20);
    assert_true(sensitivity_of(&most, &agreement, UINT64_C(1) << 32) == 0x1p52);
}

/* ---- the gate ---- */

static void the_tape_sees_a_vote_too_many(void **state)
{
    (void)state;
    sotto_error error;
    /* Of two queries: the first record's teacher moves both; the last table has two votes moved in one of them. */
    static const int64_t data[][QUERIES * CLASSES] = {{12, 8, 0, 15, 5, 0},
                                                      {13, 7, 0, 16, 4, 0},
                                                      {11, 8, 1, 14, 5, 1},
                                                      {15, 5, 0, 15, 5, 0}};
    const sotto_pate_config config = config_of(20, 1);
    const sotto_pate_agreement_config agreement = asks(1.5, 5);
    sotto_event event;
    assert_ok(sotto_pate_agreement_event(&config, &agreement, QUERIES, &event, &error),
              &error);
    for (size_t other = 0; other < 4; other++) {
        sot_tape *tape = sot_tape_new();
        assert_non_null(tape);
        int64_t sums[2][TEACHERS_MOST + 1] = {{0}};
        for (int i = 0; i < 2; i++) {
            if (i == 0) sot_tape_record(tape);
            if (i == 1) sot_tape_replay(tape, false);
            const release at = open_gate(SOTTO_ADD_REMOVE, event, 1, 77);
            assert_ok(sotto_pate_agreement_release(at.gate, &config, &agreement,
                                                   data[i == 0 ? 0 : other], QUERIES,
                                                   CLASSES, sums[i], &error),
                      &error);
            assert_ok(sotto_gate_finish(at.gate, &error), &error);
            sot_tape_stop(tape);
            free_gate(at);
        }
        assert_true((sot_tape_difference(tape) == NULL) == (other != 3));
        assert_memory_equal(sums[0], sums[1], sizeof sums[0]);
        sot_tape_free(tape);
    }
}

/* The noise is that of the event: 4000 draws of each of four sums. A chi-square statistic beyond six deviations of itself has a
 * probability below 1e-8 under the fixed seed's law. */
static void the_noise_is_that_of_the_event(void **state)
{
    (void)state;
    sotto_error error;
    enum { DRAWS = 4000, BINS = 4 };
    const int64_t votes[QUERIES * CLASSES] = {12, 8, 0, 15, 5, 0};
    const sotto_pate_config config = config_of(20, 1);
    const sotto_pate_agreement_config agreement = asks(40.0, 5);
    sotto_event event;
    assert_ok(sotto_pate_agreement_event(&config, &agreement, QUERIES, &event, &error),
              &error);
    assert_true(event.scale == 80.0);
    const double exact[BINS] = {8.0, 7.0, 3.0, 0.0}; /* 4 to 8, to 12, to 16, to 20 */
    const release at = open_gate(SOTTO_ADD_REMOVE, event, DRAWS, 91);
    double squares = 0.0;
    for (int i = 0; i < DRAWS; i++) {
        int64_t sums[TEACHERS_MOST + 1];
        assert_ok(sotto_pate_agreement_release(at.gate, &config, &agreement, votes,
                                               QUERIES, CLASSES, sums, &error),
                  &error);
        for (size_t j = 0; j < BINS; j++) {
            const double off = ((double)sums[j] - exact[j]) / event.scale;
            squares += off * off;
        }
    }
    const double freedom = DRAWS * BINS;
    assert_within(squares, freedom - 6.0 * sqrt(2.0 * freedom),
                  freedom + 6.0 * sqrt(2.0 * freedom));
    free_gate(at);
}

/* Everything is Gaussian, so that the whole plan is mu-GDP with mu^2 = 640 k^2/150^2 + 2 286 k^2/40^2 + k^2/s^2; epsilon at delta = 1e-5
 * by bisection of its closed form in 40 digits (mpmath). */
static void prices_beside_labels_are_those_of_the_closed_form(void **state)
{
    (void)state;
    sotto_error error;
    static const struct {
        uint64_t touched;
        double noise, epsilon;
        uint64_t asked, answered;
    } cases[] = {{1, 5.0, 2.6880321118259553684, 640, 286},
                 {1, 3.0, 4.2492282435346245026, 2000, 600},
                 {2, 7.0, 5.8132259580746099723, 640, 286}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        sotto_pate_config config = config_of(250, cases[i].touched);
        config.aggregator = SOTTO_PATE_CONFIDENT;
        config.noise = 40.0;
        config.test_noise = 150.0;
        config.threshold = 200.0;
        const sotto_pate_agreement_config agreement = asks(cases[i].noise, 10);
        sotto_event event;
        sotto_plan *plan = NULL;
        sotto_account account;
        uint64_t answered = 0;
        assert_ok(sotto_pate_agreement_event(&config, &agreement, cases[i].asked, &event,
                                             &error),
                  &error);
        assert_ok(sot_pate_plan_beside(&config, &event, cases[i].asked, cases[i].answered,
                                       &plan, &error),
                  &error);
        assert_int_equal(sotto_plan_size(plan), 3);
        assert_ok(sotto_account_epsilon(plan, SOTTO_EXACT, 1e-5, &account, &error),
                  &error);
        assert_within(account.epsilon, cases[i].epsilon, cases[i].epsilon * (1.0 + 1e-9));
        sotto_plan_free(plan);
        /* A budget of that much has room for as many answers, one of a millionth less for one answer less. */
        for (uint64_t less = 0; less < 2; less++) {
            const double budget = account.epsilon * (1.0 + (less == 0 ? 1e-9 : -1e-6));
            sotto_account used;
            assert_ok(sot_pate_answers_beside(&config, &event, cases[i].asked, budget,
                                              1e-5, &answered, &used, &error),
                      &error);
            assert_int_equal(answered, cases[i].answered - less);
        }
    }
}

/* ---- what is said ---- */

/* Without noise shares are the means of hats, computed here by their definition. */
static void shares_are_means_of_hats(void **state)
{
    (void)state;
    sotto_error error;
    enum { ASKED = 5 };
    static const int64_t tops[ASKED] = {17, 30, 33, 48, 50};
    const sotto_pate_config config = config_of(50, 1);
    const sotto_pate_agreement_config agreement = asks(2.0, 10);
    int64_t edges[SOTTO_PATE_AGREEMENT_BINS_MAX + 1], votes[ASKED * CLASSES] = {0};
    int64_t sums[SOTTO_PATE_AGREEMENT_BINS_MAX];
    size_t found = 0;
    double mean = 0.0, whole = 0.0;
    sotto_pate_agreement said;
    for (size_t q = 0; q < ASKED; q++) {
        votes[q * CLASSES] = tops[q];
        votes[q * CLASSES + 2] = 50 - tops[q] < tops[q] ? 50 - tops[q] : tops[q];
        mean += (double)tops[q] / (50.0 * ASKED);
    }
    assert_ok(
        sotto_pate_agreement_edges(&config, &agreement, CLASSES, edges, &found, &error),
        &error);
    sot_pate_agreement_sums(votes, ASKED, CLASSES, edges, found - 1, sums);
    assert_ok(
        sotto_pate_agreement_shares(edges, found, sums, ASKED, 50, 10.0, &said, &error),
        &error);
    assert_int_equal(said.count, found);
    for (size_t j = 0; j < found; j++) {
        double hat = 0.0;
        for (size_t q = 0; q < ASKED; q++)
            hat += fmax(0.0, 1.0 - fabs((double)(tops[q] - edges[j])) / 5.0) / ASKED;
        assert_within(said.share[j], hat - 1e-14, hat + 1e-14);
        assert_true(said.at[j] == (double)edges[j] / 50.0);
        /* sigma/Q votes in each sum, which are 1/5 query: two of them, or one at the ends. */
        const double sums_in = j == 0 || j + 1 == found ? 1.0 : 2.0;
        assert_within(said.deviation[j], 2.0 / 5.0 * sqrt(sums_in) - 1e-14,
                      2.0 / 5.0 * sqrt(sums_in) + 1e-14);
        whole += said.share[j];
    }
    assert_within(whole, 1.0 - 1e-14, 1.0 + 1e-14);
    assert_within(said.mean, mean - 1e-14, mean + 1e-14);
    assert_within(said.mean_deviation, 2.0 * sqrt(7.0) / 50.0 - 1e-14,
                  2.0 * sqrt(7.0) / 50.0 + 1e-14);
}

/* Whatever noise made of the sums: shares are shares, and no further from the truth in the weighted squares of the sums. */
static void noisy_sums_give_shares_nearer_to_the_truth(void **state)
{
    (void)state;
    sotto_error error;
    const int64_t edges[] = {10, 12, 18, 20, 30};
    const double truth[] = {0.9, 0.6, 0.6, 0.1};
    static const int64_t wild[][4] = {{190, 500, 130, 0},
                                      {-40, 900, 1, 2000},
                                      {INT64_MAX / 4, INT64_MIN / 4, 7, -7},
                                      {0, 0, 0, 0},
                                      {100, 360, 120, 990}};
    for (size_t i = 0; i < sizeof wild / sizeof wild[0]; i++) {
        sotto_pate_agreement said;
        double whole = 0.0, before = 0.0, behind = 0.0, reached = 1.0;
        assert_ok(
            sotto_pate_agreement_shares(edges, 5, wild[i], 100, 30, 40.0, &said, &error),
            &error);
        for (size_t j = 0; j < 5; j++) {
            assert_within(said.share[j], 0.0, 1.0);
            whole += said.share[j];
        }
        for (size_t j = 0; j < 4; j++) {
            const double width = (double)(edges[j + 1] - edges[j]);
            reached -= said.share[j];
            before += pow(width * ((double)wild[i][j] / (100.0 * width) - truth[j]), 2);
            behind += pow(width * (reached - truth[j]), 2);
        }
        assert_within(whole, 1.0 - 1e-12, 1.0 + 1e-12);
        assert_true(behind <= before * (1.0 + 1e-12));
        assert_within(said.mean, said.at[0], 1.0);
    }
}

/* By rule the noise of a share is at most a quarter of the queries, and one bin more would pass that, or there are ten. */
static void bins_by_rule_keep_shares_readable(void **state)
{
    (void)state;
    sotto_error error;
    static const struct {
        uint64_t teachers;
        double noise;
        size_t edges; /* of ten classes, whose largest count reaches a tenth */
    } cases[] = {{250, 2.0, 10}, {1000, 0.25, 10}, {250, 4.0, 6},
                 {50, 2.0, 3},   {20, 2.0, 2},     {3, 1e6, 2}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const sotto_pate_config config = config_of(cases[i].teachers, 1);
        const sotto_pate_agreement_config agreement = asks(cases[i].noise, 0);
        int64_t edges[SOTTO_PATE_AGREEMENT_BINS_MAX + 1];
        const int64_t sums[SOTTO_PATE_AGREEMENT_BINS_MAX] = {0};
        sotto_pate_agreement said;
        size_t found = 0;
        assert_ok(
            sotto_pate_agreement_edges(&config, &agreement, 10, edges, &found, &error),
            &error);
        assert_int_equal(found, cases[i].edges);
        assert_int_equal(edges[found - 1], cases[i].teachers);
        assert_ok(sotto_pate_agreement_shares(edges, found, sums, 100, cases[i].teachers,
                                              100.0 * cases[i].noise, &said, &error),
                  &error);
        for (size_t j = 0; found > 2 && j < found; j++)
            assert_within(1.96 * said.deviation[j], 0.0, 0.26); /* widths are whole */
    }
}

static void bad_settings_are_refused(void **state)
{
    (void)state;
    sotto_error error;
    sotto_event event;
    int64_t edges[SOTTO_PATE_AGREEMENT_BINS_MAX + 1] = {5, 7};
    const int64_t sums[] = {3};
    size_t found = 0;
    sotto_pate_agreement said;
    sotto_pate_config config = config_of(20, 1);
    sotto_pate_agreement_config agreement = sotto_pate_agreement_defaults();
    assert_refused(sotto_pate_agreement_event(&config, &agreement, 5, &event, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "votes a query", NULL);
    agreement = asks(2.0, 21);
    assert_refused(
        sotto_pate_agreement_edges(&config, &agreement, 3, edges, &found, &error),
        SOTTO_INVALID_ARGUMENT, &error, "`agreement_bins` is 21", NULL);
    agreement.bins = 5;
    assert_refused(
        sotto_pate_agreement_edges(&config, &agreement, 1, edges, &found, &error),
        SOTTO_INVALID_ARGUMENT, &error, "classes", NULL);
    config.teachers = 0;
    assert_refused(
        sotto_pate_agreement_edges(&config, &agreement, 3, edges, &found, &error),
        SOTTO_INVALID_ARGUMENT, &error, "ensemble is 0", NULL);
    config.teachers = 20;
    assert_refused(sotto_pate_agreement_event(&config, &agreement, 0, &event, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "0 queries", NULL);
    config.purpose = "a purpose of more than thirty-five b";
    assert_refused(sotto_pate_agreement_event(&config, &agreement, 5, &event, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "1 to 35 bytes", NULL);
    config.touched = 0;
    assert_refused(sotto_pate_agreement_event(&config, &agreement, 5, &event, &error),
                   SOTTO_INVALID_ARGUMENT, &error, NULL);
    assert_refused(sotto_pate_agreement_shares(edges, 1, sums, 5, 20, 1.0, &said, &error),
                   SOTTO_INVALID_ARGUMENT, &error, NULL);
    edges[0] = 7;
    edges[1] = 7;
    assert_refused(sotto_pate_agreement_shares(edges, 2, sums, 5, 20, 1.0, &said, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "ascend", NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_neighbour_is_within_the_sensitivity_and_one_attains_it),
        cmocka_unit_test(queries_that_cross_an_edge_together_move_by_one_vote_each),
        cmocka_unit_test(units_and_adjacencies_have_the_sensitivity_of_the_largest_count),
        cmocka_unit_test(the_tape_sees_a_vote_too_many),
        cmocka_unit_test(the_noise_is_that_of_the_event),
        cmocka_unit_test(prices_beside_labels_are_those_of_the_closed_form),
        cmocka_unit_test(shares_are_means_of_hats),
        cmocka_unit_test(noisy_sums_give_shares_nearer_to_the_truth),
        cmocka_unit_test(bins_by_rule_keep_shares_readable),
        cmocka_unit_test(bad_settings_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
