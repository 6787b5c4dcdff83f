#include "privacy/mechanisms/release.h"

#include <sotto/propose_test_release.h>

#include "privacy/mechanisms/gate/tape.h"
#include "privacy/mechanisms/propose_test_release/propose_test_release.h"

enum { CATEGORIES_MOST = 4, HISTOGRAMS_MOST = 256, DRAWS = 40000 };

static sotto_propose_test_release_config plain_config(sotto_adjacency adjacency)
{
    sotto_propose_test_release_config config = sotto_propose_test_release_defaults();
    config.epsilon = 0.5;
    config.delta = 1e-3;
    config.adjacency = adjacency;
    config.purpose = "most frequent answer";
    return config;
}

static sotto_event event_of(const sotto_propose_test_release_config *config)
{
    sotto_event event;
    sotto_error error;
    assert_ok(sotto_propose_test_release_event(config, &event, &error), &error);
    return event;
}

/* ---- the theorem, by enumeration ---- */

typedef struct histogram {
    int64_t counts[CATEGORIES_MOST];
} histogram;

/* All ways to divide `votes` among `categories`. */
static size_t enumerate(int votes, int categories, histogram *out_all)
{
    size_t size = 0;
    histogram at = {{0}};
    const int base = votes + 1;
    int codes = 1;
    for (int i = 0; i < categories; i++)
        codes *= base;
    for (int code = 0; code < codes; code++) {
        int64_t sum = 0;
        for (int i = 0, rest = code; i < categories; i++, rest /= base) {
            at.counts[i] = rest % base;
            sum += at.counts[i];
        }
        if (sum != votes) continue;
        assert_true(size < HISTOGRAMS_MOST);
        out_all[size++] = at;
    }
    return size;
}

static int64_t distance_between(const histogram *a, const histogram *b, int categories)
{
    int64_t sum = 0;
    for (int i = 0; i < categories; i++)
        sum += llabs(a->counts[i] - b->counts[i]);
    return sum;
}

/* P(mode) and its place, from the distance and the threshold that the library computes. */
static double release_probability(const histogram *at, int categories, int64_t gap_most,
                                  double epsilon, int64_t threshold, size_t *out_mode)
{
    const double scale = 1.0 / epsilon;
    const int64_t distance =
        sot_mode_distance_by(gap_most, at->counts, (size_t)categories, out_mode);
    return laplace_tail(&scale, threshold - distance);
}

/* The least delta' with P(S) <= e^epsilon P'(S) + delta' for every set S of outcomes. */
static double divergence(double p, size_t mode, double q, size_t other, double epsilon)
{
    const double e = exp(epsilon);
    double delta = fmax(0.0, (1.0 - p) - e * (1.0 - q));
    delta += fmax(0.0, mode == other ? p - e * q : p);
    return delta;
}

/* The largest delta of all neighbours with `votes` votes, of which `touched` may move, or come and go. */
static double worst_delta(int votes, int categories, bool moves, int touched,
                          double epsilon, double delta)
{
    static histogram all[HISTOGRAMS_MOST], fewer[HISTOGRAMS_MOST];
    const int64_t gap_most = moves ? 2 * touched : touched;
    const size_t size = enumerate(votes, categories, all);
    const size_t others = enumerate(moves ? votes : votes - touched, categories, fewer);
    const int64_t threshold = sot_mode_threshold(epsilon, delta);
    double worst = 0.0;
    for (size_t i = 0; i < size; i++) {
        for (size_t j = 0; j < others; j++) {
            if (distance_between(&all[i], &fewer[j], categories) > gap_most) continue;
            size_t mode = 0, other = 0;
            const double p = release_probability(&all[i], categories, gap_most, epsilon,
                                                 threshold, &mode);
            const double q = release_probability(&fewer[j], categories, gap_most, epsilon,
                                                 threshold, &other);
            worst = fmax(worst, divergence(p, mode, q, other, epsilon));
            worst = fmax(worst, divergence(q, other, p, mode, epsilon));
        }
    }
    return worst;
}

/* Every pair of neighbours, both kinds, one and two votes at once, four budgets: delta is kept, and nearly
 * used up. */
static void every_pair_of_neighbours_keeps_delta(void **state)
{
    (void)state;
    const int sizes[][2] = {{5, 2}, {6, 3}, {4, 4}};
    const double budgets[][2] = {{0.5, 1e-3}, {1.0, 0.05}, {0.1, 1e-6}, {2.0, 0.7}};
    for (size_t i = 0; i < 3; i++) {
        for (size_t j = 0; j < 4; j++) {
            for (int kind = SOTTO_ADD_REMOVE; kind <= SOTTO_REPLACE_ONE; kind++) {
                const double epsilon = budgets[j][0];
                const double delta = budgets[j][1];
                const bool moves = kind == SOTTO_REPLACE_ONE;
                const double worst =
                    worst_delta(sizes[i][0], sizes[i][1], moves, 1, epsilon, delta);
                assert_true(worst <= delta * (1.0 + 1e-12));
                assert_true(worst_delta(sizes[i][0], sizes[i][1], moves, 2, epsilon,
                                        delta) <= delta * (1.0 + 1e-12));
                /* k is an integer: at most a factor e^epsilon is lost, or P(X >= 1) is less. */
                const double most = 1.0 / (exp(epsilon) + 1.0);
                assert_true(worst >= 0.999 * fmin(delta * exp(-epsilon), most));
            }
        }
    }
}

static void the_threshold_is_the_least_that_is_safe(void **state)
{
    (void)state;
    const double budgets[][2] = {{0.5, 1e-3}, {1.0, 0.05},   {0.1, 1e-8},
                                 {2.0, 0.7},  {1e-9, 1e-12}, {900.0, 1e-300},
                                 {3.0, 0.9},  {0.25, 4e-320}};
    for (size_t i = 0; i < sizeof budgets / sizeof budgets[0]; i++) {
        const long double epsilon = budgets[i][0];
        const int64_t k = sot_mode_threshold(budgets[i][0], budgets[i][1]);
        assert_true(k >= 1);
        const long double log_delta = logl((long double)budgets[i][1]);
        const long double ends = -log1pl(expl(-epsilon));
        assert_true(-epsilon * (long double)k + ends <= log_delta);
        if (k > 1)
            assert_true(-epsilon * ((long double)k - 1.0L) + ends >= log_delta - 1e-12L);
    }
}

static void distances_are_those_of_the_vectors(void **state)
{
    (void)state;
    json_error_t problem;
    json_t *root = json_load_file(SOTTO_TEST_VECTORS "/pate_audit.json", 0, &problem);
    assert_non_null(root);
    const json_t *cases = json_object_get(root, "ptr_mode");
    assert_int_equal(json_array_size(cases), 7);
    for (size_t i = 0; i < json_array_size(cases); i++) {
        const json_t *it = json_array_get(cases, i);
        const json_t *votes = json_object_get(it, "votes");
        int64_t counts[16];
        const size_t categories = json_array_size(votes);
        assert_in_range(categories, 2, 16);
        for (size_t j = 0; j < categories; j++)
            counts[j] = json_integer_value(json_array_get(votes, j));
        size_t mode = 99;
        const int64_t gap = json_integer_value(json_object_get(it, "gap"));
        assert_int_equal(
            sot_mode_distance(SOTTO_REPLACE_ONE, counts, categories, &mode),
            json_integer_value(json_object_get(it, "dist_to_unstable_integer")));
        assert_int_equal(mode, 0);
        assert_int_equal(sot_mode_distance(SOTTO_ADD_REMOVE, counts, categories, &mode),
                         gap > 1 ? gap - 1 : 0);
        /* On integers the threshold is that of real noise, rounded up, at most one more. */
        const double epsilon = json_number_value(json_object_get(it, "epsilon"));
        const double delta = json_number_value(json_object_get(it, "delta"));
        const double real =
            json_number_value(json_object_get(it, "threshold_exact_delta"));
        assert_within((double)sot_mode_threshold(epsilon, delta), floor(real),
                      ceil(real) + 1.0);
    }
    json_decref(root);
}

static void equal_counts_have_the_first_as_their_mode(void **state)
{
    (void)state;
    const int64_t counts[][3] = {{4, 4, 1}, {1, 4, 4}, {0, 0, 0}, {7, 3, 7}};
    const size_t modes[] = {0, 1, 0, 0};
    for (size_t i = 0; i < 4; i++) {
        size_t mode = 99;
        assert_int_equal(sot_mode_distance(SOTTO_REPLACE_ONE, counts[i], 3, &mode), 0);
        assert_int_equal(mode, modes[i]);
    }
}

/* ---- the release ---- */

/* False alarms: 1e-6 a comparison. */
static void releases_happen_as_often_as_they_should(void **state)
{
    (void)state;
    sotto_error error;
    const int64_t counts[] = {3, 41, 20, 11};
    for (int kind = SOTTO_ADD_REMOVE; kind <= SOTTO_REPLACE_ONE; kind++) {
        sotto_propose_test_release_config config = plain_config((sotto_adjacency)kind);
        if (kind == SOTTO_ADD_REMOVE) config.delta = 1e-5;
        int64_t threshold = 0;
        assert_ok(sotto_propose_test_release_threshold(&config, &threshold, &error),
                  &error);
        const double scale = 1.0 / config.epsilon;
        const double p =
            laplace_tail(&scale, threshold - (kind == SOTTO_ADD_REMOVE ? 20 : 10));
        assert_within(p, 0.05, 0.95);
        const double law[2] = {1.0 - p, p};
        double seen[2] = {0};
        const release at =
            open_gate(config.adjacency, event_of(&config), DRAWS, 950 + (uint64_t)kind);
        for (int i = 0; i < DRAWS; i++) {
            bool released = false;
            size_t mode = 99;
            assert_ok(sotto_propose_test_release_mode(at.gate, &config, counts, 4,
                                                      &released, &mode, &error),
                      &error);
            assert_int_equal(mode, released ? 1 : 4);
            seen[released ? 1 : 0] += 1.0;
        }
        assert_same_law(chi_square_p(seen, law, 2, DRAWS));
        finish_gate(at);
    }
}

static void settings_out_of_range_are_refused(void **state)
{
    (void)state;
    sotto_error error;
    sotto_event event;
    int64_t threshold = 0;
    sotto_propose_test_release_config bad = sotto_propose_test_release_defaults();
    assert_refused(sotto_propose_test_release_event(&bad, &event, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "epsilon", NULL);
    const double deltas[] = {0.0, -1e-9, 1.0, SOTTO_UNSET};
    for (size_t i = 0; i < 4; i++) {
        bad = plain_config(SOTTO_ADD_REMOVE);
        bad.delta = deltas[i];
        assert_refused(sotto_propose_test_release_event(&bad, &event, &error),
                       SOTTO_INVALID_ARGUMENT, &error, "delta", NULL);
        assert_refused(sotto_propose_test_release_threshold(&bad, &threshold, &error),
                       SOTTO_INVALID_ARGUMENT, &error, "delta", NULL);
    }
    bad = plain_config(SOTTO_ADJACENCY_UNSET);
    assert_refused(sotto_propose_test_release_event(&bad, &event, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "adjacency", NULL);
    bad = plain_config(SOTTO_ADD_REMOVE);
    bad.purpose = "";
    assert_refused(sotto_propose_test_release_event(&bad, &event, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "purpose", NULL);
}

static void what_is_not_planned_is_refused(void **state)
{
    (void)state;
    sotto_error error;
    const int64_t counts[] = {4, 90};
    const int64_t negative[] = {4, -1};
    const sotto_propose_test_release_config config = plain_config(SOTTO_ADD_REMOVE);
    const sotto_event event = event_of(&config);
    assert_int_equal(event.mechanism, SOTTO_APPROXIMATE);
    assert_true(event.epsilon == 0.5 && event.delta == 1e-3);
    bool released = false;
    size_t mode = 99;
    release at = shut_gate(SOTTO_ADD_REMOVE, event, 1, 960);
#define MODE(settings, votes, categories)                                                \
    sotto_propose_test_release_mode(at.gate, &(settings), votes, categories, &released,  \
                                    &mode, &error)
    assert_refused(MODE(config, counts, 2), SOTTO_NOT_IN_PLAN, &error, NULL);
    assert_ok(sotto_gate_open(at.gate, &error), &error);
    assert_refused(MODE(config, counts, 1), SOTTO_INVALID_ARGUMENT, &error, "two", NULL);
    assert_refused(MODE(config, negative, 2), SOTTO_INVALID_ARGUMENT, &error, "negative",
                   NULL);
    sotto_propose_test_release_config other = config;
    other.delta = 1e-4;
    assert_refused(MODE(other, counts, 2), SOTTO_NOT_IN_PLAN, &error, NULL);
    other = config;
    other.adjacency = SOTTO_REPLACE_ONE;
    assert_refused(MODE(other, counts, 2), SOTTO_NOT_IN_PLAN, &error, "replace-one",
                   NULL);
    (void)sot_test_fail_allocation(1);
    assert_refused(MODE(config, counts, 2), SOTTO_OUT_OF_MEMORY, &error, NULL);
    (void)sot_test_fail_allocation(0);
    assert_true(mode == 99 && !released);
    assert_ok(MODE(config, counts, 2), &error);
    assert_refused(MODE(config, counts, 2), SOTTO_NOT_IN_PLAN, &error, NULL);
#undef MODE
    finish_gate(at);
}

static void the_tape_checks_that_one_vote_moves(void **state)
{
    (void)state;
    sotto_error error;
    const int64_t data[][3] = {{30, 4, 2}, {29, 5, 2}, {30, 3, 2}, {29, 5, 3}};
    const bool is_neighbour[] = {true, true, true, false};
    const sotto_propose_test_release_config config = plain_config(SOTTO_REPLACE_ONE);
    for (size_t other = 0; other < 4; other++) {
        sot_tape *tape = sot_tape_new();
        assert_non_null(tape);
        size_t modes[2] = {98, 99};
        for (int i = 0; i < 2; i++) {
            if (i == 0) sot_tape_record(tape);
            if (i == 1) sot_tape_replay(tape, false);
            const release at = open_gate(SOTTO_REPLACE_ONE, event_of(&config), 1, 970);
            bool released = false;
            assert_ok(sotto_propose_test_release_mode(at.gate, &config,
                                                      data[i == 0 ? 0 : other], 3,
                                                      &released, &modes[i], &error),
                      &error);
            sot_tape_stop(tape);
            free_gate(at);
        }
        assert_true((sot_tape_difference(tape) == NULL) == is_neighbour[other]);
        assert_int_equal(modes[0], modes[1]);
        sot_tape_free(tape);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_pair_of_neighbours_keeps_delta),
        cmocka_unit_test(the_threshold_is_the_least_that_is_safe),
        cmocka_unit_test(distances_are_those_of_the_vectors),
        cmocka_unit_test(equal_counts_have_the_first_as_their_mode),
        cmocka_unit_test(releases_happen_as_often_as_they_should),
        cmocka_unit_test(settings_out_of_range_are_refused),
        cmocka_unit_test(what_is_not_planned_is_refused),
        cmocka_unit_test(the_tape_checks_that_one_vote_moves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
