#include "pac_scene.h"

#include <unistd.h>

#include <sotto/selection.h>

#include "privacy/mechanisms/release.h"

/* ---- the vectors ---- */

enum { VECTOR_DRAWS = 20000 };

static sotto_adjacency relation_of(const json_t *from)
{
    const char *relation = json_string_value(json_object_get(from, "relation"));
    return strcmp(relation, "replace") == 0 ? SOTTO_REPLACE_ONE : SOTTO_ADD_REMOVE;
}

/* Thresholds t = 0 .. grid_max, so grid_max cells; runs of equal errors, their probabilities by exact computation and by
 * chi-square of the learner. */
static void thresholds_have_the_law_of_the_vectors(void **state)
{
    (void)state;
    json_t *root = NULL;
    const json_t *cases = load_cases("threshold_em", &root);
    assert_int_equal(json_array_size(cases), 3);
    for (size_t i = 0; i < 3; i++) {
        const json_t *from = json_array_get(cases, i);
        const json_t *x = json_object_get(from, "x"), *y = json_object_get(from, "y");
        const json_t *runs = json_object_get(from, "intervals");
        const uint64_t cells =
            (uint64_t)json_integer_value(json_object_get(from, "grid_max"));
        const double epsilon = json_decimal(json_object_get(from, "epsilon"));
        const sotto_adjacency adjacency = relation_of(from);
        sotto_error error;
        pac_scene at;
        assert_ok(
            pac_scene_begin(&at, hand_class(SOT_CONCEPT_THRESHOLDS, 1, &cells, false),
                            pac_config(SOTTO_METHOD_EXPONENTIAL, epsilon, adjacency), 1,
                            &error),
            &error);
        sot_matrix rows = hand_rows(json_array_size(x), 1);
        for (size_t row = 0; row < rows.rows; row++) {
            rows.cells[row] = (uint32_t)json_integer_value(json_array_get(x, row));
            rows.labels[row] =
                json_integer_value(json_array_get(y, row)) != 0 ? 1.0 : -1.0;
        }
        int64_t scores[16];
        uint64_t measures[16], lasts[16];
        double law[16], listed[16], seen[16] = {0};
        const size_t count = json_array_size(runs);
        assert_in_range(count, 1, 16);
        for (size_t j = 0; j < count; j++) {
            const json_t *run = json_array_get(runs, j);
            const double cut[2] = {json_number_value(json_object_get(run, "t_lo")), 0.0};
            lasts[j] = (uint64_t)json_integer_value(json_object_get(run, "t_hi"));
            measures[j] = lasts[j] - (uint64_t)cut[0] + 1;
            listed[j] = json_number_value(json_object_get(run, "probability"));
            scores[j] = 0;
            for (size_t row = 0; row < rows.rows; row++)
                scores[j] -=
                    sot_concept_says(at.learner->concept, cut, &rows.cells[row]) !=
                    (rows.labels[row] > 0.0);
            assert_int_equal(-scores[j],
                             json_integer_value(json_object_get(run, "errors")));
        }
        assert_true(lasts[count - 1] == cells);
        exponential_law(adjacency == SOTTO_REPLACE_ONE ? epsilon / 2.0 : epsilon, scores,
                        measures, count, law);
        for (size_t j = 0; j < count; j++)
            assert_within(law[j], listed[j] * (1.0 - 1e-12), listed[j] * (1.0 + 1e-12));
        pac_gate gate;
        sot_table *table = NULL;
        assert_ok(pac_gate_open(&at, VECTOR_DRAWS, 200 + i, &gate, &error), &error);
        assert_ok(sot_table_of_matrix(&rows, &table, &error), &error);
        for (int draw = 0; draw < VECTOR_DRAWS; draw++) {
            double numbers[2] = {-1.0, -1.0};
            size_t run = 0;
            assert_ok(
                at.learner->learn(at.learner, gate.gate, table, NULL, numbers, &error),
                &error);
            while (run < count && numbers[0] > (double)lasts[run])
                run++;
            assert_true(run < count);
            seen[run] += 1.0;
        }
        assert_same_law(chi_square_p(seen, listed, count, VECTOR_DRAWS));
        sot_table_free(table);
        pac_gate_free(&gate);
        free_rows(&rows);
        sot_learner_free(at.learner);
    }
    json_decref(root);
}

/* One class of one case: errors and law as listed, and learned so. */
static void check_masks(const json_t *from, const json_t *expected, sot_concept_kind kind,
                        uint64_t seed)
{
    const json_t *x = json_object_get(from, "X"), *y = json_object_get(from, "y");
    const size_t features = json_array_size(json_array_get(x, 0));
    const uint64_t cells[4] = {2, 2, 2, 2};
    const double epsilon = json_decimal(json_object_get(from, "epsilon"));
    static double law[CONCEPTS_MOST], listed[CONCEPTS_MOST], seen[CONCEPTS_MOST];
    sotto_error error;
    pac_scene at;
    assert_in_range(features, 1, 4);
    assert_ok(
        pac_scene_begin(&at, hand_class(kind, features, cells, false),
                        pac_config(SOTTO_METHOD_EXPONENTIAL, epsilon, relation_of(from)),
                        1, &error),
        &error);
    sot_matrix rows = hand_rows(json_array_size(x), features);
    for (size_t row = 0; row < rows.rows; row++) {
        for (size_t j = 0; j < features; j++)
            rows.cells[row * features + j] =
                (uint32_t)json_integer_value(json_array_get(json_array_get(x, row), j));
        rows.labels[row] = json_integer_value(json_array_get(y, row)) != 0 ? 1.0 : -1.0;
    }
    all_concepts *all = list_concepts(at.learner->concept, &rows);
    assert_int_equal(all->count, (size_t)1 << features);
    exponential_law(epsilon / 2.0, all->scores, NULL, all->count, law);
    for (size_t mask = 0; mask < all->count; mask++) {
        const json_t *errors = json_object_get(expected, "errors");
        const json_t *p = json_object_get(expected, "probabilities");
        listed[mask] = json_number_value(json_array_get(p, mask));
        assert_int_equal(-all->scores[mask],
                         json_integer_value(json_array_get(errors, mask)));
        assert_within(law[mask], listed[mask] * (1.0 - 1e-12),
                      listed[mask] * (1.0 + 1e-12));
    }
    tally_concepts(&at, all, &rows, VECTOR_DRAWS, seed, seen);
    assert_same_law(chi_square_p(seen, listed, all->count, VECTOR_DRAWS));
    free(all);
    free_rows(&rows);
    sot_learner_free(at.learner);
}

/* The entries of juntas are of a class that is not offered. */
static void boolean_classes_have_the_law_of_the_vectors(void **state)
{
    (void)state;
    json_t *root = NULL;
    const json_t *cases = load_cases("boolean_classes", &root);
    for (size_t i = 0; i < json_array_size(cases); i++) {
        const json_t *from = json_array_get(cases, i);
        assert_int_equal(relation_of(from), SOTTO_REPLACE_ONE);
        check_masks(from, json_object_get(from, "monotone_conjunction"),
                    SOT_CONCEPT_CONJUNCTIONS, 210 + i);
        check_masks(from, json_object_get(from, "parity"), SOT_CONCEPT_PARITIES, 220 + i);
    }
    json_decref(root);
}

/* ---- the ways to count ---- */

/* Places far apart on a grid that is sorted, and the same places side by side on one that is counted: the same concept up to the
 * width of its cell. Many rows, so that all choices but the best are out of the question. */
static void sorting_and_counting_agree(void **state)
{
    (void)state;
    enum { ROWS = 4000, PLACES = 700 };
    const sot_concept_kind kinds[] = {SOT_CONCEPT_THRESHOLDS, SOT_CONCEPT_STUMPS,
                                      SOT_CONCEPT_INTERVALS};
    const uint64_t narrow[2] = {PLACES, PLACES};
    const uint64_t wide[2] = {SOT_CELLS_MAX, SOT_CELLS_MAX};
    for (size_t k = 0; k < 3; k++) {
        const size_t features = kinds[k] == SOT_CONCEPT_STUMPS ? 2 : 1;
        sotto_error error;
        double found[2][NUMBERS_MOST];
        for (int far = 0; far < 2; far++) {
            pac_scene at;
            const uint64_t *cells = far != 0 ? wide : narrow;
            const uint64_t step = far != 0 ? SOT_CELLS_MAX / PLACES : 1;
            assert_ok(pac_scene_begin(&at, hand_class(kinds[k], features, cells, false),
                                      pac_config(SOTTO_METHOD_NONE, 0, SOTTO_ADD_REMOVE),
                                      1, &error),
                      &error);
            sot_matrix rows = hand_rows(ROWS, features);
            uint64_t seed = 17;
            for (size_t row = 0; row < ROWS; row++) {
                uint64_t place[2];
                for (size_t j = 0; j < features; j++) {
                    place[j] = scene_mixed(&seed) % PLACES;
                    rows.cells[row * features + j] = (uint32_t)(place[j] * step);
                }
                const uint64_t told = place[features - 1];
                const bool yes = kinds[k] == SOT_CONCEPT_STUMPS ? told < 300
                                 : kinds[k] == SOT_CONCEPT_INTERVALS
                                     ? told >= 200 && told < 450
                                     : told >= 300;
                rows.labels[row] = yes != (scene_mixed(&seed) % 50 == 0) ? 1.0 : -1.0;
            }
            assert_ok(pac_learn(&at, &rows, 1, 1, found[far], &error), &error);
            if (kinds[k] == SOT_CONCEPT_STUMPS) {
                assert_true(found[far][0] == 1.0 && found[far][2] == 1.0);
                found[far][0] = found[far][1];
            }
            /* The cut that a wide grid finds lies in the cell above the place before. */
            if (far != 0) found[far][0] = ceil(found[far][0] / (double)step);
            if (far != 0 && kinds[k] == SOT_CONCEPT_INTERVALS)
                found[far][1] = ceil(found[far][1] / (double)step);
            free_rows(&rows);
            sot_learner_free(at.learner);
        }
        assert_true(found[0][0] == found[1][0] && fabs(found[0][0] - 300.0) < 120.0);
        if (kinds[k] == SOT_CONCEPT_INTERVALS) assert_true(found[0][1] == found[1][1]);
    }
}

/* Without noise: the best of all, or one as good; the same always. */
static void public_data_gives_the_least_errors(void **state)
{
    (void)state;
    const struct {
        sot_concept_kind kind;
        size_t features;
        uint64_t cells[4];
        bool weighted;
    } from[] = {{SOT_CONCEPT_THRESHOLDS, 1, {12}, false},
                {SOT_CONCEPT_THRESHOLDS, 1, {12}, true},
                {SOT_CONCEPT_STUMPS, 3, {5, 6, 2}, false},
                {SOT_CONCEPT_INTERVALS, 1, {12}, false},
                {SOT_CONCEPT_RECTANGLES, 2, {5, 5}, false},
                {SOT_CONCEPT_CONJUNCTIONS, 4, {2, 2, 2, 2}, false},
                {SOT_CONCEPT_PARITIES, 4, {2, 2, 2, 2}, false},
                {SOT_CONCEPT_CANDIDATES, 4, {2, 2, 2, 2}, false}};
    for (size_t i = 0; i < sizeof from / sizeof from[0]; i++) {
        for (uint64_t seed = 0; seed < 20; seed++) {
            sotto_error error;
            pac_scene at;
            double numbers[NUMBERS_MOST] = {0};
            sot_concept_class *class =
                hand_class(from[i].kind, from[i].features, from[i].cells, true);
            if (from[i].weighted) hand_weights(class, 0);
            assert_ok(pac_scene_begin(&at, class,
                                      pac_config(SOTTO_METHOD_NONE, 0, SOTTO_ADD_REMOVE),
                                      1, &error),
                      &error);
            sot_matrix rows = random_rows(at.learner->concept, seed, 300 + seed);
            all_concepts *all = list_concepts(at.learner->concept, &rows);
            int64_t best = INT64_MIN;
            for (size_t j = 0; j < all->count; j++)
                if (all->scores[j] > best) best = all->scores[j];
            assert_ok(pac_learn(&at, &rows, 1, 1, numbers, &error), &error);
            assert_true(sot_concept_is_valid(at.learner->concept, numbers));
            assert_int_equal(all->scores[all->index[code_of(numbers, all->numbers)]],
                             best);
            free(all);
            free_rows(&rows);
            sot_learner_free(at.learner);
        }
    }
}

/* More rows and masks than a chunk: one thread or several, the same bits. */
static void threads_change_nothing(void **state)
{
    (void)state;
    const struct {
        sot_concept_kind kind;
        size_t features;
        sotto_method method;
    } from[] = {{SOT_CONCEPT_CONJUNCTIONS, 17, SOTTO_METHOD_EXPONENTIAL},
                {SOT_CONCEPT_PARITIES, 17, SOTTO_METHOD_LAPLACE},
                {SOT_CONCEPT_PARITIES, 17, SOTTO_METHOD_PERMUTE_AND_FLIP},
                {SOT_CONCEPT_CANDIDATES, 50, SOTTO_METHOD_EXPONENTIAL}};
    uint64_t cells[50];
    for (size_t j = 0; j < 50; j++)
        cells[j] = 2;
    for (size_t i = 0; i < sizeof from / sizeof from[0]; i++) {
        sotto_error error;
        pac_scene at;
        double one[NUMBERS_MOST] = {0}, three[NUMBERS_MOST] = {0};
        assert_ok(
            pac_scene_begin(&at, hand_class(from[i].kind, from[i].features, cells, true),
                            pac_config(from[i].method, 0.1, SOTTO_ADD_REMOVE), 1, &error),
            &error);
        sot_matrix rows = random_rows(at.learner->concept, 500, 31 + i);
        assert_ok(pac_learn(&at, &rows, 5, 1, one, &error), &error);
        assert_ok(pac_learn(&at, &rows, 5, 3, three, &error), &error);
        assert_memory_equal(one, three, sizeof one);
        free_rows(&rows);
        sot_learner_free(at.learner);
    }
}

/* Conjunctions and parities of many records find the one that made the labels. */
static void masks_are_found(void **state)
{
    (void)state;
    enum { FEATURES = 12, ROWS = 3000 };
    uint64_t cells[FEATURES];
    for (size_t j = 0; j < FEATURES; j++)
        cells[j] = 2;
    for (int kind = 0; kind < 2; kind++) {
        sotto_error error;
        pac_scene at;
        double numbers[1] = {-1.0};
        const double secret[1] = {kind == 0 ? 37.0 : 2741.0};
        assert_ok(
            pac_scene_begin(
                &at,
                hand_class(kind == 0 ? SOT_CONCEPT_CONJUNCTIONS : SOT_CONCEPT_PARITIES,
                           FEATURES, cells, false),
                pac_config(SOTTO_METHOD_EXPONENTIAL, 0.5, SOTTO_ADD_REMOVE), 1, &error),
            &error);
        sot_matrix rows = random_rows(at.learner->concept, ROWS, 33);
        for (size_t row = 0; row < ROWS; row++)
            rows.labels[row] =
                sot_concept_says(at.learner->concept, secret, rows.cells + row * FEATURES)
                    ? 1.0
                    : -1.0;
        assert_ok(pac_learn(&at, &rows, 6, 1, numbers, &error), &error);
        assert_true(numbers[0] == secret[0]);
        free_rows(&rows);
        sot_learner_free(at.learner);
    }
}

/* ---- streams ---- */

/* Rows of a file that are read again and again, against the same rows in memory. */
static void a_stream_learns_what_memory_learns(void **state)
{
    (void)state;
    static const char schema_text[] =
        "{\"target\": \"y\", \"columns\": [{\"name\": \"y\", \"type\": \"boolean\"},"
        "{\"name\": \"a\", \"type\": \"integer\", \"lower\": 0, \"upper\": 60},"
        "{\"name\": \"b\", \"type\": \"integer\", \"lower\": 0, \"upper\": 60},"
        "{\"name\": \"c\", \"type\": \"integer\", \"lower\": 0, \"upper\": 60},"
        "{\"name\": \"p\", \"type\": \"boolean\"}, {\"name\": \"q\", \"type\": "
        "\"boolean\"}]}";
    static const char *const classes[] = {
        "{\"class\": \"thresholds\", \"columns\": [\"a\"]}",
        "stumps",
        "{\"class\": \"intervals\", \"columns\": [\"b\"]}",
        "{\"class\": \"rectangles\", \"columns\": [\"a\", \"b\"]}",
        "{\"class\": \"rectangles\", \"columns\": [\"a\", \"b\", \"c\"]}",
        "conjunctions",
        "parities",
        "candidates"};
    sotto_error error;
    sotto_schema *schema = NULL;
    assert_ok(
        sotto_schema_parse("test", schema_text, strlen(schema_text), &schema, &error),
        &error);
    char path[] = "/tmp/sotto-pac-XXXXXX.csv";
    const int descriptor = mkstemps(path, 4);
    assert_true(descriptor >= 0);
    FILE *file = fdopen(descriptor, "w");
    assert_non_null(file);
    uint64_t seed = 3;
    fprintf(file, "y,a,b,c,p,q\n");
    for (int row = 0; row < 3000; row++) {
        const uint64_t bits = scene_mixed(&seed);
        fprintf(file, "%d,%d,%d,%d,%d,%d\n", (int)(bits % 61 > 30) ^ (bits >> 60 == 0),
                (int)(bits % 61), (int)(bits >> 8) % 61 & 63, (int)(bits >> 16 & 31),
                (int)(bits >> 30 & 1), (int)(bits >> 31 & 1));
    }
    assert_int_equal(fclose(file), 0);
    for (size_t i = 0; i < sizeof classes / sizeof classes[0]; i++) {
        pac_scene at;
        sot_concept_class *class = NULL;
        sot_encoding *encoding = NULL;
        sot_source *source = NULL;
        sot_matrix *matrix = NULL;
        sot_table *table = NULL;
        pac_gate gate;
        double in_memory[NUMBERS_MOST] = {0}, streamed[NUMBERS_MOST] = {0};
        assert_ok(sot_concept_class_new(schema, NULL, classes[i], &class, &error),
                  &error);
        assert_ok(
            pac_scene_begin(&at, class,
                            pac_config(SOTTO_METHOD_EXPONENTIAL, 0.5, SOTTO_REPLACE_ONE),
                            1, &error),
            &error);
        assert_true(at.learner->streams);
        assert_ok(sot_encoding_new_cells(schema, NULL, class->grids, class->features,
                                         &encoding, &error),
                  &error);
        sotto_rng *rng = test_rng(9);
        assert_ok(sot_source_open_file(path, schema, false, &source, &error), &error);
        assert_ok(sot_matrix_load(source, schema, encoding, rng, &matrix, &error),
                  &error);
        sot_source_close(source);
        assert_ok(pac_learn(&at, matrix, 77, 1, in_memory, &error), &error);
        assert_ok(sot_source_open_file(path, schema, false, &source, &error), &error);
        assert_ok(sot_table_of_source(source, schema, encoding, &table, &error), &error);
        assert_ok(pac_gate_open(&at, 1, 77, &gate, &error), &error);
        assert_ok(at.learner->learn(at.learner, gate.gate, table, NULL, streamed, &error),
                  &error);
        assert_memory_equal(in_memory, streamed, sizeof streamed);
        pac_gate_free(&gate);
        sot_table_free(table);
        sot_source_close(source);
        sot_matrix_free(matrix);
        sotto_rng_free(rng);
        sot_encoding_free(encoding);
        sot_learner_free(at.learner);
    }
    (void)unlink(path);
    sotto_schema_free(schema);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(thresholds_have_the_law_of_the_vectors),
        cmocka_unit_test(boolean_classes_have_the_law_of_the_vectors),
        cmocka_unit_test(sorting_and_counting_agree),
        cmocka_unit_test(public_data_gives_the_least_errors),
        cmocka_unit_test(threads_change_nothing),
        cmocka_unit_test(masks_are_found),
        cmocka_unit_test(a_stream_learns_what_memory_learns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
