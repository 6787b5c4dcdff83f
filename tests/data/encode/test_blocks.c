/* The encoding by blocks: every record has one bin of every column, and a feature vector of one and the same norm. */
#include "data/schemas.h"

#include <float.h>

#include <sotto/rng.h>

#include "data/encode/blocks.h"
#include "random/rng.h"

typedef struct fixture {
    sotto_schema *schema;
    sot_encoding *encoding;
    sot_features features;
} fixture;

static const sot_bins_rule steps = {SOTTO_BASIS_STEPS, 5};
static const sot_bins_rule bins = {SOTTO_BASIS_BINS, 5};

static fixture fixture_of(const char *text, sot_bins_rule rule)
{
    sotto_error error;
    fixture made = {.schema = schema_of(text)};
    assert_ok(sot_encoding_new_blocks(made.schema, NULL, SOT_TARGET_CLASSES, &rule,
                                      &made.encoding, &error),
              &error);
    const size_t dimension = sot_encoding_dimension(made.encoding);
    made.features.indices = calloc(dimension, sizeof *made.features.indices);
    made.features.values = calloc(dimension, sizeof *made.features.values);
    assert_non_null(made.features.indices);
    assert_non_null(made.features.values);
    return made;
}

static void fixture_free(fixture *made)
{
    free(made->features.indices);
    free(made->features.values);
    sot_encoding_free(made->encoding);
    sotto_schema_free(made->schema);
}

/* The sum of the squared units of the record that was encoded, in integers. */
static uint64_t squares_of(const fixture *made)
{
    const double unit = ldexp(1.0, sot_encoding_exponent(made->encoding));
    uint64_t squares = 0;
    for (size_t i = 0; i < made->features.count; i++) {
        const double units = (double)made->features.values[i] / unit;
        assert_true(units == trunc(units) && units != 0.0 && fabs(units) <= 0x1p24);
        assert_true(made->features.indices[i] < sot_encoding_dimension(made->encoding));
        if (i > 0) assert_true(made->features.indices[i - 1] < made->features.indices[i]);
        assert_true(fabs((double)made->features.values[i]) <=
                    sot_encoding_feature_most(made->encoding));
        const int64_t whole = (int64_t)units;
        squares += (uint64_t)(whole * whole);
    }
    return squares;
}

/* R is the root of these squares, rounded up and no further. */
static bool is_bound(const fixture *made, uint64_t squares)
{
    const double radius =
        ldexp(sot_encoding_bound(made->encoding), -sot_encoding_exponent(made->encoding));
    const double below = nextafter(radius, 0.0);
    assert_true(squares < UINT64_C(1) << 53);
    const double wanted = (double)squares;
    return fma(radius, radius, -wanted) >= 0.0 && fma(below, below, -wanted) < 0.0;
}

static const char table[] =
    "{'target': 'sick', 'columns': ["
    "{'name': 'age', 'type': 'number', 'lower': 20, 'upper': 70, 'missing': 45},"
    "{'name': 'dose', 'type': 'number', 'lower': 0, 'upper': 8, 'bin_edges': [0.5, 2, "
    "8]},"
    "{'name': 'visits', 'type': 'integer', 'lower': 1, 'upper': 4},"
    "{'name': 'town', 'type': 'category', 'values': ['Lund', 'Ystad', 'Kivik'],"
    " 'missing': 'Kivik'},"
    "{'name': 'size', 'type': 'category', 'values': ['S', 'M', 'L'], 'ordered': true},"
    "{'name': 'smokes', 'type': 'boolean'},"
    "{'name': 'only', 'type': 'category', 'values': ['one']},"
    "{'name': 'note', 'type': 'ignore'},"
    "{'name': 'sick', 'type': 'boolean'}]}";

static void encode(fixture *made, const double *cells)
{
    const sot_record record = {.cells = cells};
    sot_encode(made->encoding, &record, &made->features);
}

static size_t bin_of(const fixture *made, size_t block, double cell)
{
    double cells[9] = {0};
    const sot_bin_block *own = sot_encoding_block(made->encoding, block);
    cells[own->axis.column] = cell;
    const sot_record record = {.cells = cells};
    return sot_bin_block_bin(own, &record);
}

static void blocks_are_what_the_schema_says(void **state)
{
    (void)state;
    static const size_t counts[] = {5, 4, 4,
                                    3, 3, 2}; /* the column of one value has none */
    fixture made = fixture_of(table, steps);
    assert_int_equal(sot_encoding_blocks(made.encoding), 6);
    assert_int_equal(sot_encoding_values(made.encoding), 21);
    for (size_t i = 0; i < 6; i++)
        assert_int_equal(sot_encoding_block(made.encoding, i)->bins, counts[i]);
    /* 4 + 3 + 3 steps, 3 indicators, 2 steps, 2 indicators, 1 */
    assert_int_equal(sot_encoding_dimension(made.encoding), 18);
    assert_string_equal(sot_encoding_feature(made.encoding, 0), "age>=30");
    assert_string_equal(sot_encoding_feature(made.encoding, 4), "dose>=0.5");
    assert_string_equal(sot_encoding_feature(made.encoding, 7), "visits>=2");
    assert_string_equal(sot_encoding_feature(made.encoding, 10), "town=Lund");
    assert_string_equal(sot_encoding_feature(made.encoding, 13), "size>=M");
    assert_string_equal(sot_encoding_feature(made.encoding, 15), "smokes=false");
    assert_string_equal(sot_encoding_feature(made.encoding, 17), "(intercept)");
    assert_false(sot_encoding_row_norm(made.encoding).given);
    assert_false(sot_encoding_keeps_zeros(made.encoding));
    fixture_free(&made);
    made = fixture_of(table, bins);
    assert_int_equal(sot_encoding_dimension(made.encoding), 22);
    assert_string_equal(sot_encoding_feature(made.encoding, 0), "age=[20, 30)");
    assert_string_equal(sot_encoding_feature(made.encoding, 4), "age=[60, 70]");
    assert_string_equal(sot_encoding_feature(made.encoding, 9), "visits=1");
    fixture_free(&made);
}

static void a_bin_begins_at_its_edge(void **state)
{
    (void)state;
    fixture made = fixture_of(table, bins);
    assert_int_equal(bin_of(&made, 0, 20.0), 0);
    assert_int_equal(bin_of(&made, 0, nextafter(30.0, 0.0)), 0);
    assert_int_equal(bin_of(&made, 0, 30.0), 1);
    assert_int_equal(bin_of(&made, 0, 70.0), 4);
    assert_int_equal(bin_of(&made, 1, 0.0), 0);
    assert_int_equal(bin_of(&made, 1, 0.5), 1);
    assert_int_equal(bin_of(&made, 1, nextafter(8.0, 0.0)), 2);
    assert_int_equal(bin_of(&made, 1, 8.0), 3);
    assert_int_equal(bin_of(&made, 2, 4.0), 3);
    assert_int_equal(bin_of(&made, 3, 1.0), 1);
    assert_int_equal(bin_of(&made, 5, 1.0), 1);
    fixture_free(&made);
}

static void a_missing_cell_has_the_bin_of_the_schemas_value(void **state)
{
    (void)state;
    fixture made = fixture_of(table, steps);
    assert_int_equal(bin_of(&made, 0, NAN), 2);
    assert_int_equal(bin_of(&made, 1, NAN), 2); /* the middle, 4 */
    assert_int_equal(bin_of(&made, 3, NAN), 2);
    assert_int_equal(bin_of(&made, 5, NAN), 0);
    assert_int_equal(bin_of(&made, 0, -INFINITY), 0);
    assert_int_equal(bin_of(&made, 0, 1e300), 4);
    assert_int_equal(bin_of(&made, 3, 7.0), 2);
    fixture_free(&made);
}

/* Every bin of every block, in integers. */
static void every_record_is_as_long_as_the_bound(void **state)
{
    (void)state;
    const sot_bins_rule rules[] = {steps,
                                   bins,
                                   {SOTTO_BASIS_STEPS, 1024},
                                   {SOTTO_BASIS_BINS, 33},
                                   {SOTTO_BASIS_BINS, 1024}};
    for (size_t k = 0; k < sizeof rules / sizeof rules[0]; k++) {
        fixture made = fixture_of(table, rules[k]);
        const double middle[9] = {45.0, 1.0, 2.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0};
        encode(&made, middle);
        const uint64_t squares = squares_of(&made);
        assert_true(is_bound(&made, squares));
        double cells[9];
        for (size_t i = 0; i < 9; i++) {
            for (int step = 0; step <= 2100; step++) {
                memcpy(cells, middle, sizeof cells);
                cells[i] = (double)step / 30.0;
                encode(&made, cells);
                assert_true(squares_of(&made) == squares);
            }
        }
        fixture_free(&made);
    }
}

/* Bit patterns, extreme values and ordinary ones. */
static double any_number(sotto_rng *rng)
{
    static const double extremes[] = {0.0,     -0.0,     NAN,    INFINITY, -INFINITY,
                                      DBL_MAX, -DBL_MAX, 5e-324, 0x1p52,   -1.0};
    const uint64_t word = sot_rng_u64(rng);
    double number;
    if ((word & 3) == 0)
        return extremes[(word >> 2) % (sizeof extremes / sizeof extremes[0])];
    memcpy(&number, &word, sizeof number);
    return (word & 3) == 1 ? number : ldexp((double)(int64_t)word, -57);
}

static void any_cells_are_as_long_as_the_bound(void **state)
{
    (void)state;
    sotto_rng *rng = NULL;
    sotto_error error;
    assert_ok(sotto_rng_new_for_test(22, &rng, &error), &error);
    fixture made = fixture_of(table, steps);
    for (size_t trial = 0; trial < 20000; trial++) {
        double cells[9];
        for (size_t i = 0; i < 9; i++)
            cells[i] = any_number(rng);
        encode(&made, cells);
        assert_true(is_bound(&made, squares_of(&made)));
    }
    fixture_free(&made);
    made = fixture_of("{'features': 12, 'labels': [0, 1], 'intercept': 0.7,"
                      " 'numbers': {'lower': -3, 'upper': 0.5}}",
                      bins);
    for (size_t trial = 0; trial < 20000; trial++) {
        uint32_t indices[12];
        double values[12];
        size_t count = 0;
        for (uint32_t i = 0; i < 12; i++) {
            if ((sot_rng_u64(rng) & 1) == 0) continue;
            indices[count] = i;
            values[count++] = any_number(rng);
        }
        const sot_record record = {.indices = indices, .values = values, .count = count};
        sot_encode(made.encoding, &record, &made.features);
        assert_true(is_bound(&made, squares_of(&made)));
    }
    fixture_free(&made);
    sotto_rng_free(rng);
}

/* The look-ups of a model are its product with the feature vector. */
static void scores_are_products(void **state)
{
    (void)state;
    const sot_bins_rule rules[] = {steps, bins};
    sotto_rng *rng = NULL;
    sotto_error error;
    assert_ok(sotto_rng_new_for_test(23, &rng, &error), &error);
    for (size_t k = 0; k < 2; k++) {
        fixture made = fixture_of(table, rules[k]);
        double theta[22], values[22], cells[9];
        for (size_t i = 0; i < 22; i++)
            theta[i] = ldexp((double)(int64_t)sot_rng_u64(rng), -62);
        sot_encoding_curves(made.encoding, theta, values);
        for (size_t trial = 0; trial < 500; trial++) {
            for (size_t i = 0; i < 9; i++)
                cells[i] = any_number(rng);
            encode(&made, cells);
            double product = 0.0;
            for (size_t i = 0; i < made.features.count; i++)
                product +=
                    theta[made.features.indices[i]] * (double)made.features.values[i];
            const sot_record record = {.cells = cells};
            const double score = sot_encoding_score(made.encoding, values, &record);
            assert_within(score, product - 1e-13, product + 1e-13);
        }
        fixture_free(&made);
    }
    sotto_rng_free(rng);
}

/* A neighbouring bin moves one coordinate of steps by 2 s, and two of indicators. */
static void neighbours_differ_in_one_segment(void **state)
{
    (void)state;
    fixture made = fixture_of(table, steps);
    double cells[9] = {35.0, 1.0, 2.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0};
    float before[18], after[18];
    sot_features scratch = {.indices = made.features.indices,
                            .values = made.features.values};
    const sot_record record = {.cells = cells};
    sot_encode_dense(made.encoding, &record, &scratch, before);
    cells[0] = 45.0;
    sot_encode_dense(made.encoding, &record, &scratch, after);
    size_t moved = 0;
    for (size_t i = 0; i < 18; i++)
        if (before[i] != after[i]) moved++;
    assert_int_equal(moved, 1);
    assert_true(after[1] == 0.5F && before[1] == -0.5F);
    fixture_free(&made);
}

/* ---- interactions and exclusive lists ---- */

static const char related[] =
    "{'target': 'sick', 'interactions': [['hour', 'works'], ['dose', 'town']],"
    " 'exclusive': [['clay', 'sand', 'peat']], 'columns': ["
    "{'name': 'hour', 'type': 'integer', 'lower': 0, 'upper': 23},"
    "{'name': 'works', 'type': 'boolean'},"
    "{'name': 'dose', 'type': 'number', 'lower': 0, 'upper': 8},"
    "{'name': 'town', 'type': 'category', 'values': ['Lund', 'Ystad', 'Kivik']},"
    "{'name': 'clay', 'type': 'boolean'},"
    "{'name': 'peat', 'type': 'boolean'},"
    "{'name': 'sand', 'type': 'boolean'},"
    "{'name': 'sick', 'type': 'boolean'}]}";
enum { RELATED_CELLS = 8 };

static void relations_become_blocks(void **state)
{
    (void)state;
    const sot_bins_rule mixed = {SOTTO_BASIS_MIXED, 32};
    fixture made = fixture_of(related, mixed);
    static const size_t counts[] = {24, 2, 37, 3, 4, 48, 24};
    assert_int_equal(sot_encoding_blocks(made.encoding), 7);
    for (size_t i = 0; i < 7; i++)
        assert_int_equal(sot_encoding_block(made.encoding, i)->bins, counts[i]);
    /* Hours have indicators, doses have steps; a dose has 8 bins beside a town, and by itself 32, of which the first is
     * halved five times. */
    assert_int_equal(sot_encoding_block(made.encoding, 0)->basis, SOTTO_BASIS_BINS);
    assert_int_equal(sot_encoding_block(made.encoding, 2)->basis, SOTTO_BASIS_STEPS);
    assert_int_equal(sot_encoding_dimension(made.encoding), 24 + 2 + 36 + 3 + 4 + 72 + 1);
    assert_string_equal(sot_encoding_feature(made.encoding, 65), "clay ... peat=clay");
    assert_string_equal(sot_encoding_feature(made.encoding, 68),
                        "clay ... peat=none of them");
    assert_string_equal(sot_encoding_feature(made.encoding, 69), "hour=0 & works=false");
    assert_string_equal(sot_encoding_feature(made.encoding, 72), "hour=1 & works=true");
    assert_string_equal(sot_encoding_feature(made.encoding, 117),
                        "dose=[0, 1) & town=Lund");
    assert_string_equal(sot_encoding_feature(made.encoding, 26), "dose>=0.0078125");
    assert_string_equal(sot_encoding_feature(made.encoding, 30), "dose>=0.125");
    assert_string_equal(sot_encoding_feature(made.encoding, 31), "dose>=0.25");
    fixture_free(&made);
}

/* The place is that of the list, not that of the columns. A second boolean that is true does not count. */
static void the_first_of_exclusive_booleans_counts(void **state)
{
    (void)state;
    fixture made = fixture_of(related, bins);
    const sot_bin_block *group = sot_encoding_block(made.encoding, 4);
    static const struct {
        double clay, peat, sand;
        size_t bin;
    } cases[] = {{0.0, 0.0, 0.0, 3}, {1.0, 0.0, 0.0, 0}, {0.0, 0.0, 1.0, 1},
                 {0.0, 1.0, 0.0, 2}, {0.0, 1.0, 1.0, 1}, {1.0, 1.0, 1.0, 0},
                 {NAN, 1.0, NAN, 2}, {NAN, NAN, NAN, 3}, {7.0, 0.0, -1.0, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        double cells[RELATED_CELLS] = {0};
        cells[4] = cases[i].clay;
        cells[5] = cases[i].peat;
        cells[6] = cases[i].sand;
        const sot_record record = {.cells = cells};
        assert_int_equal(sot_bin_block_bin(group, &record), cases[i].bin);
    }
    fixture_free(&made);
}

/* Every pair of bins, in integers, and the coordinate that is high. */
static void every_pair_is_as_long_as_the_bound(void **state)
{
    (void)state;
    const sot_bins_rule rules[] = {steps, bins, {SOTTO_BASIS_MIXED, 32}};
    for (size_t k = 0; k < 3; k++) {
        fixture made = fixture_of(related, rules[k]);
        const sot_bin_block *pair = sot_encoding_block(made.encoding, 5);
        uint64_t squares = 0;
        for (int hour = 0; hour < 24; hour++) {
            for (int bits = 0; bits < 48; bits++) {
                const double cells[RELATED_CELLS] = {
                    hour,          bits & 1,      bits / 5.0,    bits % 3,
                    bits >> 1 & 1, bits >> 2 & 1, bits >> 3 & 1, 0.0};
                encode(&made, cells);
                if (squares == 0) squares = squares_of(&made);
                assert_true(squares_of(&made) == squares);
                assert_true(is_bound(&made, squares));
                const sot_record record = {.cells = cells};
                const size_t bin = sot_bin_block_bin(pair, &record);
                assert_int_equal(bin, 2 * hour + (bits & 1));
                size_t high = 0;
                for (size_t i = 0; i < made.features.count; i++)
                    if (made.features.indices[i] == pair->first + bin)
                        high += made.features.values[i] == pair->high ? 1 : 0;
                assert_int_equal(high, 1);
            }
        }
        fixture_free(&made);
    }
}

/* For any cells, an interaction included. */
static void scores_of_pairs_are_products(void **state)
{
    (void)state;
    enum { COEFFICIENTS = 200 };
    static double theta[COEFFICIENTS], values[COEFFICIENTS];
    sotto_rng *rng = NULL;
    sotto_error error;
    assert_ok(sotto_rng_new_for_test(29, &rng, &error), &error);
    fixture made = fixture_of(related, steps);
    assert_true(sot_encoding_values(made.encoding) < COEFFICIENTS);
    for (size_t i = 0; i < COEFFICIENTS; i++)
        theta[i] = ldexp((double)(int64_t)sot_rng_u64(rng), -62);
    sot_encoding_curves(made.encoding, theta, values);
    for (size_t trial = 0; trial < 2000; trial++) {
        double cells[RELATED_CELLS];
        for (size_t i = 0; i < RELATED_CELLS; i++)
            cells[i] = any_number(rng);
        encode(&made, cells);
        assert_true(is_bound(&made, squares_of(&made)));
        double product = 0.0;
        for (size_t i = 0; i < made.features.count; i++)
            product += theta[made.features.indices[i]] * (double)made.features.values[i];
        const sot_record record = {.cells = cells};
        const double score = sot_encoding_score(made.encoding, values, &record);
        assert_within(score, product - 1e-12, product + 1e-12);
    }
    fixture_free(&made);
    sotto_rng_free(rng);
}

/* The target leaves its exclusive list; the others stay exclusive. */
static void the_target_is_no_member_of_a_list(void **state)
{
    (void)state;
    sotto_error error;
    sot_encoding *encoding = NULL;
    sotto_schema *schema = schema_of(related);
    assert_ok(sot_encoding_new_blocks(schema, "clay", SOT_TARGET_CLASSES, &bins,
                                      &encoding, &error),
              &error);
    const sot_bin_block *group = sot_encoding_block(encoding, 4);
    assert_int_equal(group->bins, 3);
    assert_string_equal(group->axis.facts->name, "sand ... peat");
    sot_encoding_free(encoding);
    assert_refused(sot_encoding_new_blocks(schema, "works", SOT_TARGET_CLASSES, &bins,
                                           &encoding, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "'works'", "leave", NULL);
    sotto_schema_free(schema);
}

/* ---- refusals ---- */

static void assert_refusal(const char *text, const char *first, const char *second)
{
    sotto_error error;
    sot_encoding *encoding;
    sotto_schema *schema = schema_of(text);
    assert_refused(sot_encoding_new_blocks(schema, NULL, SOT_TARGET_CLASSES, &steps,
                                           &encoding, &error),
                   SOTTO_INVALID_ARGUMENT, &error, first, second, NULL);
    sotto_schema_free(schema);
}

static void columns_without_bounds_are_refused(void **state)
{
    (void)state;
    assert_refusal("{'target': 'y', 'columns': [{'name': 'x', 'type': 'number'},"
                   "{'name': 'y', 'type': 'boolean'}]}",
                   "'x' no bounds", "lower and upper");
    assert_refusal("{'features': 2, 'labels': [0, 1], 'row_norm': {'bound': 1}}",
                   "the numbers no bounds", "lower and upper");
    assert_refusal("{'target': 'y', 'columns': [{'name': 'x', 'type': 'category',"
                   "'values': ['a']}, {'name': 'y', 'type': 'boolean'}]}",
                   "no column of two bins", "at least one");
    assert_refusal("{'target': 'y', 'interactions': [['x', 'z']], 'columns': ["
                   "{'name': 'x', 'type': 'category', 'values': ['a']},"
                   "{'name': 'z', 'type': 'boolean'}, {'name': 'y', 'type': 'boolean'}]}",
                   "'x' has one bin", "leave");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_are_what_the_schema_says),
        cmocka_unit_test(a_bin_begins_at_its_edge),
        cmocka_unit_test(a_missing_cell_has_the_bin_of_the_schemas_value),
        cmocka_unit_test(every_record_is_as_long_as_the_bound),
        cmocka_unit_test(any_cells_are_as_long_as_the_bound),
        cmocka_unit_test(scores_are_products),
        cmocka_unit_test(neighbours_differ_in_one_segment),
        cmocka_unit_test(relations_become_blocks),
        cmocka_unit_test(the_first_of_exclusive_booleans_counts),
        cmocka_unit_test(every_pair_is_as_long_as_the_bound),
        cmocka_unit_test(scores_of_pairs_are_products),
        cmocka_unit_test(the_target_is_no_member_of_a_list),
        cmocka_unit_test(columns_without_bounds_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
