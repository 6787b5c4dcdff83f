/* random/choice_pairs.h: choose an interval or a rectangle of a public grid, by scores that are
 * sums.
 *
 * Distribution of intervals: the pairs low < high of points of a grid, and "empty", once.
 *
 *     P(low, high) proportional to exp(slope (low_score(low) + high_score(high))),
 *     P(empty)     proportional to exp(slope empty_score).
 *
 * The scores are constant on cells of consecutive points. Two points in one cell of m points are
 * one of m (m - 1) / 2 pairs, not of m^2. So before the scores every pair has the same weight,
 * for any position of the cells.
 *
 * Rectangles: the pairs of pairs low < high, one for each of two axes, and empty. The score is
 * the sum of the gains inside, 0 for the empty one.
 *
 * Exactness: total variation zero. Integers above the weights, exact coins for the rest.
 * Proof note: choice_pairs.md.
 *
 * Timing: the number of used words depends on the scores. Not constant-time.
 */
#ifndef SOT_RANDOM_CHOICE_PAIRS_H
#define SOT_RANDOM_CHOICE_PAIRS_H

#include "random/stairs.h"

/* Points of a line, at most: then there are less than 2^64 pairs. */
#define SOT_PAIR_POINTS_MAX ((UINT64_C(1) << 32) + 1)
/* Scores are within +-this. */
#define SOT_PAIR_SCORE_MAX (INT64_C(1) << 60)

typedef struct sot_pair_cells {
    const int64_t *low_scores, *high_scores; /* of each cell */
    const uint64_t
        *ends;    /* ascending: cell i has the points ends[i - 1] .. ends[i] - 1 */
    size_t count; /* at least 1 */
} sot_pair_cells;

/* The state of the cells from one on, as ends of intervals: the unit is exp(-unit)
 * 2^-62. */
typedef struct sot_pair_place {
    sot_u128 suffix; /* their weight, in units */
    sot_u128 unit;
    size_t turn; /* the first cell from here on at which the unit changes */
} sot_pair_place;

/* Room for one place and one sum a cell; both reveal the scores: wipe them. */
typedef struct sot_pair_scratch {
    sot_pair_place *places;
    sot_u128 *sums; /* weight of all intervals that begin in this cell or before */
} sot_pair_scratch;

typedef struct sot_pair {
    uint64_t low, high; /* low < high; both 0: empty */
} sot_pair;

/* Time: `count` steps, and a few trials whose number does not grow with it. */
sot_pair sot_choice_interval(sotto_rng *rng, sot_slope slope, const sot_pair_cells *cells,
                             int64_t empty_score, sot_pair_scratch scratch);

/* gains[x * height + y]: the score's gain if the cell x, y is inside. A rectangle holds the cells
 * with x.low <= x < x.high, and y likewise. Time: width^2 height steps. */
typedef struct sot_box_cells {
    const int64_t *gains; /* all of them together within +-SOT_PAIR_SCORE_MAX */
    size_t width, height; /* at least 1, at most 2^15 */
} sot_box_cells;

/* Room for sot_choice_rectangle(); all of it reveals the scores: wipe it. */
typedef struct sot_box_scratch {
    sot_u128 *sums;        /* width (width + 1) / 2 */
    sot_pair_scratch line; /* height + 1 */
    int64_t *lows, *highs; /* height + 1 */
    int64_t *column;       /* height */
    uint64_t *ends;        /* height + 1 */
} sot_box_scratch;

typedef struct sot_box_choice {
    sot_pair x, y; /* both empty, or neither */
} sot_box_choice;

sot_box_choice sot_choice_rectangle(sotto_rng *rng, sot_slope slope,
                                    const sot_box_cells *cells,
                                    const sot_box_scratch *scratch);

#endif
