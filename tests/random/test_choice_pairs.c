#include "choice_laws.h"
#include "laws.h"

#include "random/choice_pairs.h"

enum { DRAWS = 40000, POINTS_MOST = 24, CELLS_MOST = 12 };
enum { PAIRS_MOST = POINTS_MOST * (POINTS_MOST - 1) / 2 + 1 };

typedef struct scene {
    sot_slope slope;
    size_t cells;
    uint64_t ends[CELLS_MOST];
    int64_t lows[CELLS_MOST], highs[CELLS_MOST];
    int64_t empty;
} scene;

/* Wide and narrow cells; the best pair within a cell, of neighbours, or of ends that both do badly alone; scores that
 * rise, fall and stay; far behind; the empty one far ahead, tied, far behind; slopes from tiny to steep. */
static const scene scenes[] = {
    {{1, 20}, 3, {4, 6, 9}, {0, 2, -1}, {1, 0, 3}, 0},
    {{1, 2}, 4, {1, 2, 3, 4}, {0, 0, 0, 0}, {0, 0, 0, 0}, 0},
    {{1, 1}, 5, {2, 5, 6, 12, 13}, {0, 3, 1, 4, -1}, {0, -3, -1, -4, 1}, 2},
    {{1, 1}, 5, {2, 5, 6, 12, 13}, {-9, -7, -5, -3, 0}, {9, 7, 5, 3, 0}, 7},
    {{7, 10}, 6, {1, 3, 8, 9, 14, 20}, {9, 7, 5, 3, 0, -2}, {-9, -7, -5, -3, 0, 2}, 0},
    {{7, 10}, 1, {9}, {5}, {-7}, -4},
    {{1, 1}, 1, {1}, {5}, {-7}, -4}, /* one point: nothing but the empty one */
    {{1, 1}, 2, {1, 2}, {0, 50}, {60, -60}, -61},
    {{3, 1}, 4, {5, 6, 7, 20}, {0, -40, 0, -1}, {-100, 0, -40, -90}, -41},
    {{1, 3},
     12,
     {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12},
     {0, -3, 2, 8, 1, -30, 4, 4, 4, 0, 9, 1},
     {3, 3, 0, -9, 12, 12, 14, 2, -2, 0, -1, 25},
     20},
    {{(UINT64_C(1) << 53) - 1, (sot_u128)3 << 53},
     3,
     {4, 6, 9},
     {0, 2, -1},
     {1, 0, 3},
     0},
    {{(UINT64_C(1) << 53) - 1, (sot_u128)1 << 112},
     3,
     {4, 6, 9},
     {0, SOT_PAIR_SCORE_MAX, -SOT_PAIR_SCORE_MAX},
     {-SOT_PAIR_SCORE_MAX, 0, SOT_PAIR_SCORE_MAX},
     7},
};

static size_t cell_of(const scene *at, uint64_t point)
{
    size_t cell = 0;
    while (at->ends[cell] <= point)
        cell++;
    return cell;
}

/* Every pair low < high of points by itself, then the empty one: brute force. */
static size_t list_scores(const scene *at, int64_t *out_scores)
{
    size_t count = 0;
    const uint64_t points = at->ends[at->cells - 1];
    for (uint64_t low = 0; low < points; low++) {
        for (uint64_t high = low + 1; high < points; high++)
            out_scores[count++] =
                at->lows[cell_of(at, low)] + at->highs[cell_of(at, high)];
    }
    out_scores[count++] = at->empty;
    return count;
}

static size_t index_of(uint64_t points, sot_pair pair)
{
    size_t index = 0;
    if (pair.low == 0 && pair.high == 0) return points * (points - 1) / 2;
    assert_true(pair.low < pair.high && pair.high < points);
    for (uint64_t low = 0; low < pair.low; low++)
        index += points - 1 - low;
    return index + pair.high - pair.low - 1;
}

static double p_of_scene(const scene *at, sotto_rng *rng)
{
    int64_t scores[PAIRS_MOST];
    double law[PAIRS_MOST], seen[PAIRS_MOST] = {0};
    sot_pair_place places[CELLS_MOST];
    sot_u128 sums[CELLS_MOST];
    const sot_pair_cells cells = {at->lows, at->highs, at->ends, at->cells};
    const uint64_t points = at->ends[at->cells - 1];
    const size_t count = list_scores(at, scores);
    exponential_law((double)at->slope.numerator / (double)at->slope.denominator, scores,
                    NULL, count, law);
    for (int i = 0; i < DRAWS; i++) {
        const sot_pair pair = sot_choice_interval(rng, at->slope, &cells, at->empty,
                                                  (sot_pair_scratch){places, sums});
        seen[index_of(points, pair)] += 1.0;
    }
    return chi_square_p(seen, law, count, DRAWS);
}

static void intervals_have_the_law_of_all_pairs_of_points(void **state)
{
    (void)state;
    sotto_rng *rng = test_rng(311);
    for (size_t i = 0; i < sizeof scenes / sizeof scenes[0]; i++)
        assert_same_law(p_of_scene(&scenes[i], rng));
    sotto_rng_free(rng);
}

/* The law depends on points, not on the cells they come in. */
static void dividing_a_cell_changes_nothing(void **state)
{
    (void)state;
    sotto_rng *rng = test_rng(312);
    const scene whole = {{1, 2}, 3, {7, 9, 14}, {1, 0, 3}, {2, 3, 0}, 1};
    const scene divided = {
        {1, 2}, 6, {2, 3, 7, 9, 13, 14}, {1, 1, 1, 0, 3, 3}, {2, 2, 2, 3, 0, 0}, 1};
    int64_t scores[2][PAIRS_MOST];
    assert_int_equal(list_scores(&whole, scores[0]), list_scores(&divided, scores[1]));
    assert_memory_equal(scores[0], scores[1], (14 * 13 / 2 + 1) * sizeof scores[0][0]);
    assert_same_law(p_of_scene(&whole, rng));
    assert_same_law(p_of_scene(&divided, rng));
    sotto_rng_free(rng);
}

/* Cells of a wide grid with scores, and what they weigh, cell by cell. */
enum { WIDE = 8 };

typedef struct wide_scene {
    size_t cells;
    uint64_t ends[WIDE];
    int64_t lows[WIDE], highs[WIDE];
    int64_t empty;
} wide_scene;

static void wide_law(const wide_scene *at, double slope, double *out_law)
{
    double total = 0.0;
    memset(out_law, 0, (WIDE * WIDE + 1) * sizeof *out_law);
    for (size_t i = 0; i < at->cells; i++) {
        const double m = (double)(at->ends[i] - (i == 0 ? 0 : at->ends[i - 1]));
        for (size_t j = i; j < at->cells; j++) {
            const double n = (double)(at->ends[j] - (j == 0 ? 0 : at->ends[j - 1]));
            out_law[i * WIDE + j] = (i == j ? m * (m - 1.0) / 2.0 : m * n) *
                                    exp(slope * (double)(at->lows[i] + at->highs[j]));
        }
    }
    out_law[WIDE * WIDE] = exp(slope * (double)at->empty);
    for (size_t i = 0; i <= WIDE * WIDE; i++)
        total += out_law[i];
    for (size_t i = 0; i <= WIDE * WIDE; i++)
        out_law[i] /= total;
}

static double p_of_wide_scene(const wide_scene *at, sot_slope slope, sotto_rng *rng)
{
    double law[WIDE * WIDE + 1], seen[WIDE * WIDE + 1] = {0};
    const sot_pair_cells cells = {at->lows, at->highs, at->ends, at->cells};
    sot_pair_place places[WIDE];
    sot_u128 sums[WIDE];
    wide_law(at, (double)slope.numerator / (double)slope.denominator, law);
    for (int draw = 0; draw < DRAWS; draw++) {
        const sot_pair pair = sot_choice_interval(rng, slope, &cells, at->empty,
                                                  (sot_pair_scratch){places, sums});
        size_t i = 0, j = 0;
        assert_true(pair.low < pair.high || pair.high == 0);
        while (at->ends[i] <= pair.low)
            i++;
        while (at->ends[j] <= pair.high)
            j++;
        seen[pair.high == 0 ? WIDE * WIDE : i * WIDE + j] += 1.0;
    }
    return chi_square_p(seen, law, WIDE * WIDE + 1, DRAWS);
}

/* Up to 2^32 + 1 points. A best pair in narrow cells beside ends that only width makes likely; then high scores that fall
 * cell by cell while the cells widen, so that all are about as likely and the unit changes at every one of them, by a few steps or
 * by many; then everything within one cell. */
static void wide_grids_have_the_law_of_their_cells(void **state)
{
    (void)state;
    const uint64_t half = UINT64_C(1) << 31, whole = UINT64_C(1) << 32;
    const wide_scene wide[] = {
        {8,
         {1 << 20, (1 << 20) + 1, half, half + 1000, half + (half >> 1),
          half + (half >> 1) + 1, whole, whole + 1},
         {20, 33, 9, 21, 0, 12, 0, 3},
         {0, 3, 2, 13, 12, 34, 3, 4},
         57},
        {5,
         {1, 2, 1102, 1200000, 1300000000},
         {0, -80, -80, -80, -80},
         {0, 28, 19, 10, 0},
         28},
        {3, {1, 2, 1800000000}, {0, -80, -80}, {0, 28, 0}, 28},
        {2, {1, whole + 1}, {0, 0}, {0, 0}, 58}};
    sotto_rng *rng = test_rng(313);
    for (size_t i = 0; i < sizeof wide / sizeof wide[0]; i++)
        assert_same_law(p_of_wide_scene(&wide[i], (sot_slope){3, 4}, rng));
    sotto_rng_free(rng);
}

/* A cell of few points, where m^2 ordered pairs would be another distribution than m (m - 1)/2. */
static void a_small_cell_has_the_law_of_its_pairs(void **state)
{
    (void)state;
    sotto_rng *rng = test_rng(314);
    const scene at = {{1, 20}, 3, {4, 6, 9}, {0, 1, 0}, {0, -1, 0}, 0};
    assert_same_law(p_of_scene(&at, rng));
    sotto_rng_free(rng);
}

/* ---- rectangles ---- */

enum { SIDE = 4, STRIPS = SIDE * (SIDE + 1) / 2, BOXES = STRIPS * STRIPS + 1 };

typedef struct box_room {
    sot_u128 sums[STRIPS], line_sums[SIDE + 1];
    sot_pair_place places[SIDE + 1];
    int64_t lows[SIDE + 1], highs[SIDE + 1], column[SIDE];
    uint64_t ends[SIDE + 1];
} box_room;

static size_t strip_index(size_t side, sot_pair pair)
{
    size_t index = 0;
    assert_true(pair.low < pair.high && pair.high <= side);
    for (size_t low = 0; low < pair.low; low++)
        index += side - low;
    return index + (size_t)(pair.high - pair.low) - 1;
}

static void list_boxes(const sot_box_cells *cells, int64_t *out_scores)
{
    const size_t strips = cells->height * (cells->height + 1) / 2;
    for (size_t a = 0; a < cells->width; a++) {
        for (size_t b = a + 1; b <= cells->width; b++) {
            for (size_t c = 0; c < cells->height; c++) {
                for (size_t d = c + 1; d <= cells->height; d++) {
                    int64_t score = 0;
                    for (size_t x = a; x < b; x++)
                        for (size_t y = c; y < d; y++)
                            score += cells->gains[x * cells->height + y];
                    out_scores[strip_index(cells->width, (sot_pair){a, b}) * strips +
                               strip_index(cells->height, (sot_pair){c, d})] = score;
                }
            }
        }
    }
}

static void rectangles_have_the_law_of_all_of_them(void **state)
{
    (void)state;
    const int64_t gains[][SIDE * SIDE] = {
        {0},
        {1, -2, 3, 0, -1, 4, 4, -3, 0, 0, 7, 1, -5, 2, 2, -1},
        {-30, 1, 1, 1, 40, -39, 2, 2, -3, -3, 0, 0, 1, 1, 1, 60},
        {-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1}};
    const size_t sides[][2] = {{4, 4}, {3, 4}, {4, 2}, {1, 4}};
    sotto_rng *rng = test_rng(315);
    for (size_t i = 0; i < sizeof gains / sizeof gains[0]; i++) {
        for (size_t k = 0; k < sizeof sides / sizeof sides[0]; k++) {
            const sot_box_cells cells = {gains[i], sides[k][0], sides[k][1]};
            const size_t strips = cells.height * (cells.height + 1) / 2;
            const size_t count = cells.width * (cells.width + 1) / 2 * strips + 1;
            int64_t scores[BOXES] = {0}; /* the last one: empty */
            double law[BOXES], seen[BOXES] = {0};
            box_room room;
            const sot_box_scratch scratch = {room.sums,   {room.places, room.line_sums},
                                             room.lows,   room.highs,
                                             room.column, room.ends};
            list_boxes(&cells, scores);
            exponential_law(0.3, scores, NULL, count, law);
            for (int draw = 0; draw < DRAWS / 3; draw++) {
                const sot_box_choice box =
                    sot_choice_rectangle(rng, (sot_slope){3, 10}, &cells, &scratch);
                const bool is_empty = box.x.high == 0;
                assert_true(is_empty == (box.y.high == 0));
                seen[is_empty ? count - 1
                              : strip_index(cells.width, box.x) * strips +
                                    strip_index(cells.height, box.y)] += 1.0;
            }
            assert_same_law(chi_square_p(seen, law, count, DRAWS / 3));
        }
    }
    sotto_rng_free(rng);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(intervals_have_the_law_of_all_pairs_of_points),
        cmocka_unit_test(dividing_a_cell_changes_nothing),
        cmocka_unit_test(wide_grids_have_the_law_of_their_cells),
        cmocka_unit_test(a_small_cell_has_the_law_of_its_pairs),
        cmocka_unit_test(rectangles_have_the_law_of_all_of_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
