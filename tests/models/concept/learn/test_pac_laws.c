#include "pac_scene.h"

/* What is learned has the law of the mechanism, over all concepts one by one: their errors as sot_concept_says() has them. */

enum { DRAWS = 8000 };

typedef struct class_case {
    sot_concept_kind kind;
    size_t features;
    uint64_t cells[4];
    bool both;
    bool weighted;
} class_case;

static const class_case cases[] = {
    {SOT_CONCEPT_THRESHOLDS, 1, {9}, false, false},
    {SOT_CONCEPT_THRESHOLDS, 1, {9}, true, false},
    {SOT_CONCEPT_THRESHOLDS, 1, {14}, true, true},
    {SOT_CONCEPT_STUMPS, 3, {2, 7, 5}, true, false},
    {SOT_CONCEPT_STUMPS, 3, {6, 7, 5}, true, true},
    {SOT_CONCEPT_INTERVALS, 1, {9}, false, false},
    {SOT_CONCEPT_RECTANGLES, 1, {8}, false, false},
    {SOT_CONCEPT_RECTANGLES, 2, {5, 4}, false, false},
    {SOT_CONCEPT_CONJUNCTIONS, 4, {2, 2, 2, 2}, false, false},
    {SOT_CONCEPT_PARITIES, 4, {2, 2, 2, 2}, false, false},
    {SOT_CONCEPT_CANDIDATES, 4, {2, 2, 2, 2}, false, false},
    {SOT_CONCEPT_CANDIDATES, 4, {2, 2, 2, 2}, true, false},
};
enum { CASES = sizeof cases / sizeof cases[0] };

static sot_concept_class *class_of(const class_case *from)
{
    sot_concept_class *class =
        hand_class(from->kind, from->features, from->cells, from->both);
    if (from->weighted) hand_weights(class, 2);
    return class;
}

/* p-value of the exponential mechanism's law at a slope of `slope`. */
static double p_exponential(const class_case *from, sotto_adjacency adjacency,
                            double slope, size_t rows, uint64_t seed)
{
    sotto_error error;
    pac_scene at;
    static double law[CONCEPTS_MOST], seen[CONCEPTS_MOST];
    assert_ok(pac_scene_begin(&at, class_of(from),
                              pac_config(SOTTO_METHOD_EXPONENTIAL, 0.75, adjacency), 1,
                              &error),
              &error);
    sot_matrix matrix = random_rows(at.learner->concept, rows, seed);
    all_concepts *all = list_concepts(at.learner->concept, &matrix);
    exponential_law(slope, all->scores, all->measures, all->count, law);
    tally_concepts(&at, all, &matrix, DRAWS, seed + 1, seen);
    const double p = chi_square_p(seen, law, all->count, DRAWS);
    free(all);
    free_rows(&matrix);
    sot_learner_free(at.learner);
    return p;
}

static void every_class_has_the_law_of_its_concepts(void **state)
{
    (void)state;
    for (size_t i = 0; i < CASES; i++) {
        assert_same_law(p_exponential(&cases[i], SOTTO_ADD_REMOVE, 0.75, 12, 40 + i));
        assert_same_law(p_exponential(&cases[i], SOTTO_REPLACE_ONE, 0.375, 12, 60 + i));
    }
}

/* No record at all: the public measure, which a bounded number of draws can test. */
static void no_data_is_a_choice_by_the_public_measure(void **state)
{
    (void)state;
    for (size_t i = 0; i < CASES; i++)
        assert_same_law(p_exponential(&cases[i], SOTTO_ADD_REMOVE, 0.75, 0, 80 + i));
}

/* Twice the slope is another law: the tests above can tell. */
static void half_the_range_is_caught(void **state)
{
    (void)state;
    assert_other_law(p_exponential(&cases[0], SOTTO_REPLACE_ONE, 0.75, 12, 40));
}

static void few_records_leave_all_cuts_to_choose_from(void **state)
{
    (void)state;
    assert_same_law(p_exponential(&cases[0], SOTTO_ADD_REMOVE, 0.75, 4, 100));
    assert_same_law(p_exponential(&cases[2], SOTTO_ADD_REMOVE, 0.75, 4, 100));
}

/* Classes of few concepts: the law takes an integral for each. */
static void permute_and_flip_has_its_law(void **state)
{
    (void)state;
    static const class_case few[] = {
        {SOT_CONCEPT_THRESHOLDS, 1, {7}, true, false},
        {SOT_CONCEPT_STUMPS, 3, {2, 3, 2}, true, false},
        {SOT_CONCEPT_INTERVALS, 1, {5}, false, false},
        {SOT_CONCEPT_RECTANGLES, 2, {2, 3}, false, false},
        {SOT_CONCEPT_CONJUNCTIONS, 4, {2, 2, 2, 2}, false, false},
        {SOT_CONCEPT_PARITIES, 4, {2, 2, 2, 2}, false, false},
        {SOT_CONCEPT_CANDIDATES, 4, {2, 2, 2, 2}, true, false},
    };
    for (size_t i = 0; i < sizeof few / sizeof few[0]; i++) {
        sotto_error error;
        pac_scene at;
        static double law[CONCEPTS_MOST], seen[CONCEPTS_MOST];
        assert_ok(pac_scene_begin(
                      &at, class_of(&few[i]),
                      pac_config(SOTTO_METHOD_PERMUTE_AND_FLIP, 0.75, SOTTO_ADD_REMOVE),
                      1, &error),
                  &error);
        sot_matrix matrix = random_rows(at.learner->concept, 12, 40 + i);
        all_concepts *all = list_concepts(at.learner->concept, &matrix);
        assert_in_range(all->count, 8, 20);
        permute_and_flip_law(0.75, all->scores, all->count, law);
        tally_concepts(&at, all, &matrix, DRAWS, 120 + i, seen);
        assert_same_law(chi_square_p(seen, law, all->count, DRAWS));
        free(all);
        free_rows(&matrix);
        sot_learner_free(at.learner);
    }
}

/* P(noise of one count is k), for the scale that the learner says. */
static double noise_mass(double scale, int k)
{
    const double r = exp(-1.0 / scale);
    return (1.0 - r) / (1.0 + r) * pow(r, abs(k));
}

/* The least of all noisy counts, ties to the first: by summing over the noise of the winner, and the tails of the others. */
static void laplace_has_the_law_of_the_least_count(void **state)
{
    (void)state;
    enum { REACH = 400 };
    const class_case from = {SOT_CONCEPT_CANDIDATES, 3, {2, 2, 2}, true, false};
    sotto_error error;
    pac_scene at;
    static double seen[CONCEPTS_MOST];
    double law[6] = {0};
    assert_ok(pac_scene_begin(&at, class_of(&from),
                              pac_config(SOTTO_METHOD_LAPLACE, 3.0, SOTTO_ADD_REMOVE), 1,
                              &error),
              &error);
    const double scale = pac_setting(&at, "scale");
    assert_within(scale, 2.0, 2.0 * (1.0 + 1e-12)); /* 6 counts, epsilon 3 */
    sot_matrix matrix = random_rows(at.learner->concept, 9, 7);
    all_concepts *all = list_concepts(at.learner->concept, &matrix);
    assert_int_equal(all->count, 6);
    /* The learner lists all as they are, then all flipped; ties go to the first of these. */
    size_t order[6];
    for (size_t j = 0; j < 3; j++) {
        order[j] = all->index[code_of((double[]){(double)j, 0.0}, 2)];
        order[3 + j] = all->index[code_of((double[]){(double)j, 1.0}, 2)];
    }
    for (size_t winner = 0; winner < 6; winner++) {
        for (int k = -REACH; k <= REACH; k++) {
            double mass = noise_mass(scale, k);
            const int least = -(int)all->scores[order[winner]] + k;
            for (size_t other = 0; other < 6 && mass > 0.0; other++) {
                if (other == winner) continue;
                /* P(errors + noise >= least), or > if the other comes first. */
                const int64_t x =
                    least + (int)all->scores[order[other]] + (other < winner ? 1 : 0);
                mass *= laplace_tail(&scale, x);
            }
            law[order[winner]] += mass;
        }
    }
    tally_concepts(&at, all, &matrix, 40000, 8, seen);
    assert_same_law(chi_square_p(seen, law, 6, 40000));
    free(all);
    free_rows(&matrix);
    sot_learner_free(at.learner);
}

/* Three features: an interval each, given those before; brute force over all of them. */
static void features_in_turn_have_the_law_of_their_product(void **state)
{
    (void)state;
    enum { SIDE = 2, INTERVALS = 4, PRODUCTS = INTERVALS * INTERVALS * INTERVALS };
    static const double ends[INTERVALS][2] = {{0, 0}, {0, 1}, {0, 2}, {1, 2}};
    const uint64_t cells[3] = {SIDE, SIDE, SIDE};
    sotto_error error;
    pac_scene at;
    assert_ok(pac_scene_begin(&at, hand_class(SOT_CONCEPT_RECTANGLES, 3, cells, false),
                              pac_config(SOTTO_METHOD_EXPONENTIAL, 3.0, SOTTO_ADD_REMOVE),
                              1, &error),
              &error);
    assert_true(pac_setting(&at, "choice_epsilon") == 1.0);
    sot_matrix rows = random_rows(at.learner->concept, 14, 30);
    double law[PRODUCTS] = {0}, seen[PRODUCTS] = {0};
    for (size_t product = 0; product < PRODUCTS; product++) {
        const size_t chosen[3] = {product / 16, product / 4 % 4, product % 4};
        double p = 1.0;
        bool is_empty = false;
        for (size_t step = 0; step < 3; step++) {
            int64_t scores[INTERVALS] = {0};
            double now[INTERVALS];
            for (size_t k = 0; k < INTERVALS; k++) {
                for (size_t row = 0; row < rows.rows; row++) {
                    bool says = true;
                    for (size_t j = 0; j <= step; j++) {
                        const double *at_hand = ends[j == step ? k : chosen[j]];
                        const double place = rows.cells[row * 3 + j];
                        says = says && place >= at_hand[0] && place < at_hand[1];
                    }
                    scores[k] -= says != (rows.labels[row] > 0.0) ? 1 : 0;
                }
            }
            exponential_law(1.0, scores, NULL, INTERVALS, now);
            p *= now[chosen[step]];
            is_empty = is_empty || chosen[step] == 0;
        }
        law[is_empty ? 0 : product] += p;
    }
    pac_gate gate;
    sot_table *table = NULL;
    assert_ok(pac_gate_open(&at, DRAWS, 31, &gate, &error), &error);
    assert_ok(sot_table_of_matrix(&rows, &table, &error), &error);
    for (int draw = 0; draw < DRAWS; draw++) {
        double numbers[NUMBERS_MOST] = {0};
        assert_ok(at.learner->learn(at.learner, gate.gate, table, NULL, numbers, &error),
                  &error);
        assert_true(sot_concept_is_valid(at.learner->concept, numbers));
        size_t product = 0;
        for (size_t j = 0; j < 3; j++) {
            size_t k = 0;
            while (ends[k][0] != numbers[2 * j] || ends[k][1] != numbers[2 * j + 1])
                k++;
            product = INTERVALS * product + k;
        }
        seen[product] += 1.0;
    }
    assert_same_law(chi_square_p(seen, law, PRODUCTS, DRAWS));
    assert_ok(sotto_gate_finish(gate.gate, &error), &error);
    sot_table_free(table);
    pac_gate_free(&gate);
    free_rows(&rows);
    sot_learner_free(at.learner);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_class_has_the_law_of_its_concepts),
        cmocka_unit_test(no_data_is_a_choice_by_the_public_measure),
        cmocka_unit_test(half_the_range_is_caught),
        cmocka_unit_test(few_records_leave_all_cuts_to_choose_from),
        cmocka_unit_test(permute_and_flip_has_its_law),
        cmocka_unit_test(laplace_has_the_law_of_the_least_count),
        cmocka_unit_test(features_in_turn_have_the_law_of_their_product),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
