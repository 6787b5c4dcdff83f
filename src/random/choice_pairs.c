#include "random/choice_pairs.h"

#include "random/bernoulli.h"

/* Weights are relative to exp(slope best) and e times smaller, so that no exponent below is negative; see
 * choice_pairs.md for the names. */
typedef struct problem {
    sot_stairs stairs;
    sot_slope slope;
    int64_t best; /* of all candidates, also of those that are not in `cells` */
    sot_pair_cells cells;
    int64_t top; /* of all high scores in `cells` */
    sot_pair_place *places;
    sot_u128 *sums;
} problem;

static uint64_t size_of(const sot_pair_cells *cells, size_t i)
{
    return cells->ends[i] - (i == 0 ? 0 : cells->ends[i - 1]);
}

static sot_u128 times(sot_slope slope, int64_t gap)
{
    assert(gap >= 0);
    return (sot_u128)slope.numerator * (uint64_t)gap;
}

/* ---- the best of all ---- */

/* The largest low_score + high_score of a pair; INT64_MIN: the grid has one point, and no pair. */
static int64_t best_pair(const sot_pair_cells *cells)
{
    int64_t best = INT64_MIN, high = INT64_MIN;
    for (size_t i = cells->count; i-- > 0;) {
        if (size_of(cells, i) > 1 && cells->high_scores[i] > high)
            high = cells->high_scores[i];
        if (high > INT64_MIN && cells->low_scores[i] + high > best)
            best = cells->low_scores[i] + high;
        if (cells->high_scores[i] > high) high = cells->high_scores[i];
    }
    return best;
}

static int64_t top_of(const sot_pair_cells *cells)
{
    int64_t top = cells->high_scores[0];
    for (size_t i = 1; i < cells->count; i++) {
        if (cells->high_scores[i] > top) top = cells->high_scores[i];
    }
    return top;
}

/* ---- exponents: all times the denominator ---- */

/* X_j = slope (top - high score). */
static sot_u128 high_exponent(const problem *at, int64_t high_score)
{
    return times(at->slope, at->top - high_score);
}

/* z_i + 1 = slope (best - low score - top) + r_{i+1} + 1 >= 0, of pairs that begin in cell i and end in a later one. */
static sot_u128 low_exponent(const problem *at, size_t i)
{
    const int64_t behind = at->best - at->cells.low_scores[i] - at->top;
    const sot_u128 shift = (at->places[i + 1].unit + 1) * at->slope.denominator;
    if (behind >= 0) return shift + times(at->slope, behind);
    assert(shift >= times(at->slope, -behind));
    return shift - times(at->slope, -behind);
}

/* For pairs within cell i, and for a candidate beside: slope (best - score) + 1. */
static sot_u128 single_exponent(const problem *at, int64_t score)
{
    return times(at->slope, at->best - score) + at->slope.denominator;
}

static uint64_t level_of(const problem *at, sot_u128 exponent)
{
    return at->stairs
        .level[sot_stairs_step(&at->stairs, exponent, at->slope.denominator)];
}

static bool keep(sotto_rng *rng, const problem *at, sot_u128 exponent)
{
    return sot_stairs_keep(rng, &at->stairs, exponent, at->slope.denominator);
}

/* ---- integers above the weights ---- */

/* Computes suffix i from suffix i + 1: cell i is added. Its unit r_i is the smallest floor(X_j),
 * j >= i. If cell i is a whole step better than all later ones, the unit changes and the later
 * weights go down the stairs. */
static void extend_suffix(const problem *at, size_t i)
{
    sot_pair_place *here = &at->places[i];
    const bool is_last = i + 1 == at->cells.count;
    const sot_u128 denominator = at->slope.denominator;
    const sot_u128 size = size_of(&at->cells, i);
    const sot_u128 exponent = high_exponent(at, at->cells.high_scores[i]);
    const sot_u128 unit = sot_whole_part(exponent, denominator);
    if (is_last || unit < here[1].unit) {
        const sot_u128 carried =
            is_last ? 0 : sot_stairs_down(here[1].suffix, here[1].unit - unit);
        *here = (sot_pair_place){
            .suffix = carried + size * SOT_STAIRS_TOP, .unit = unit, .turn = i};
        return;
    }
    const sot_u128 steps = unit - here[1].unit;
    const size_t step = steps < at->stairs.last ? (size_t)steps : at->stairs.last;
    *here = here[1];
    here->suffix += size * at->stairs.level[step];
}

static sot_u128 wholes_of(sot_u128 suffix)
{
    return (suffix + (SOT_STAIRS_TOP - 1)) / SOT_STAIRS_TOP;
}

/* Returns the weight of all pairs from cell i to later ones. */
static sot_u128 outward_weight(const problem *at, size_t i)
{
    if (i + 1 == at->cells.count) return 0;
    return (sot_u128)size_of(&at->cells, i) * level_of(at, low_exponent(at, i)) *
           wholes_of(at->places[i + 1].suffix);
}

/* Returns the weight of all pairs within cell i. */
static sot_u128 inner_weight(const problem *at, size_t i)
{
    const sot_u128 size = size_of(&at->cells, i);
    if (size < 2) return 0;
    const sot_u128 pairs = size * (size - 1) / 2;
    return pairs * level_of(at, single_exponent(at, at->cells.low_scores[i] +
                                                        at->cells.high_scores[i]));
}

/* Fills the places; returns the weight of all pairs. */
static sot_u128 weigh(const problem *at)
{
    for (size_t i = at->cells.count; i-- > 0;) {
        at->sums[i] = outward_weight(at, i) + inner_weight(at, i);
        extend_suffix(at, i);
    }
    sot_u128 total = 0;
    for (size_t i = 0; i < at->cells.count; i++) {
        total += at->sums[i];
        at->sums[i] = total;
    }
    return total;
}

/* ---- trials ---- */

/* The last cell from `first` to `last` whose suffix is above `target`, which suffix `first` is. */
static size_t find_suffix(const sot_pair_place *places, size_t first, size_t last,
                          sot_u128 target)
{
    while (first < last) {
        const size_t middle = first + (last - first + 1) / 2;
        if (places[middle].suffix > target) {
            first = middle;
        } else {
            last = middle - 1;
        }
    }
    return first;
}

/* One trial: cell j >= from with probability size_j 2^62 exp(-(X_j - r_from)) / suffix_from; else false. */
static bool try_end(sotto_rng *rng, const problem *at, size_t from, size_t *out_cell)
{
    for (;;) {
        const size_t turn = at->places[from].turn;
        const sot_u128 target = sot_rng_below_wide(rng, at->places[from].suffix);
        const sot_u128 carried = at->places[turn].suffix -
                                 (sot_u128)size_of(&at->cells, turn) * SOT_STAIRS_TOP;
        if (target >= carried) {
            const size_t cell = find_suffix(at->places, from, turn, target);
            *out_cell = cell;
            return keep(rng, at,
                        high_exponent(at, at->cells.high_scores[cell]) -
                            at->places[from].unit * at->slope.denominator);
        }
        if (!sot_stairs_keep_down(rng, at->places[turn + 1].suffix,
                                  at->places[turn + 1].unit - at->places[turn].unit))
            return false;
        from = turn + 1;
    }
}

static uint64_t point_of(sotto_rng *rng, const sot_pair_cells *cells, size_t i)
{
    return cells->ends[i] - 1 - sot_rng_below(rng, size_of(cells, i));
}

/* Two different points of a cell, every two with the same probability. */
static sot_pair inner_pair(sotto_rng *rng, const sot_pair_cells *cells, size_t i)
{
    const uint64_t size = size_of(cells, i);
    const uint64_t begin = cells->ends[i] - size;
    const uint64_t one = sot_rng_below(rng, size);
    uint64_t other = sot_rng_below(rng, size - 1);
    if (other >= one) other++;
    return (sot_pair){.low = begin + (one < other ? one : other),
                      .high = begin + (one < other ? other : one)};
}

/* One trial at a place below the weight of all pairs. */
static bool try_pair(sotto_rng *rng, const problem *at, sot_u128 target, sot_pair *out)
{
    const size_t i = sot_find_sum(at->sums, at->cells.count, target);
    const sot_u128 offset = target - (i == 0 ? 0 : at->sums[i - 1]);
    if (offset >= outward_weight(at, i)) {
        if (!keep(
                rng, at,
                single_exponent(at, at->cells.low_scores[i] + at->cells.high_scores[i])))
            return false;
        *out = inner_pair(rng, &at->cells, i);
        return true;
    }
    const sot_u128 suffix = at->places[i + 1].suffix;
    size_t j = 0;
    if (!keep(rng, at, low_exponent(at, i)) ||
        !sot_bernoulli_unchecked(rng, suffix, wholes_of(suffix) * SOT_STAIRS_TOP) ||
        !try_end(rng, at, i + 1, &j))
        return false;
    out->low = point_of(rng, &at->cells, i);
    out->high = point_of(rng, &at->cells, j);
    return true;
}

/* ---- intervals ---- */

sot_pair sot_choice_interval(sotto_rng *rng, sot_slope slope, const sot_pair_cells *cells,
                             int64_t empty_score, sot_pair_scratch scratch)
{
    assert(cells->count >= 1);
    assert(cells->ends[cells->count - 1] <= SOT_PAIR_POINTS_MAX);
    problem at = {.stairs = sot_stairs_make(),
                  .slope = slope,
                  .best = best_pair(cells),
                  .cells = *cells,
                  .top = top_of(cells),
                  .places = scratch.places,
                  .sums = scratch.sums};
    if (empty_score > at.best) at.best = empty_score;
    const sot_u128 pairs = weigh(&at);
    const sot_u128 total = pairs + level_of(&at, single_exponent(&at, empty_score));
    for (;;) {
        const sot_u128 target = sot_rng_below_wide(rng, total);
        sot_pair pair = {0, 0};
        const bool kept = target < pairs
                              ? try_pair(rng, &at, target, &pair)
                              : keep(rng, &at, single_exponent(&at, empty_score));
        if (kept) return pair;
    }
}

/* ---- rectangles ---- */

/* Fills the line of the cells with x = low .. high - 1, from their sums in `column`. Its points
 * are the height + 1 grid lines, and the score of y.low < y.high is the sum between them. */
static void fill_line(const sot_box_cells *cells, const sot_box_scratch *scratch)
{
    int64_t sum = 0;
    for (size_t y = 0; y <= cells->height; y++) {
        scratch->lows[y] = -sum;
        scratch->highs[y] = sum;
        if (y < cells->height) sum += scratch->column[y];
    }
}

static void add_column(const sot_box_cells *cells, size_t x, int64_t *column)
{
    for (size_t y = 0; y < cells->height; y++)
        column[y] += cells->gains[x * cells->height + y];
}

/* The same only for x, from the start. */
static void fill_strip(const sot_box_cells *cells, sot_pair x,
                       const sot_box_scratch *scratch)
{
    memset(scratch->column, 0, cells->height * sizeof *scratch->column);
    for (size_t at = (size_t)x.low; at < x.high; at++)
        add_column(cells, at, scratch->column);
    fill_line(cells, scratch);
}

static int64_t best_box(const sot_box_cells *cells, const sot_pair_cells *line,
                        const sot_box_scratch *scratch)
{
    int64_t best = 0; /* the empty one */
    for (size_t low = 0; low < cells->width; low++) {
        memset(scratch->column, 0, cells->height * sizeof *scratch->column);
        for (size_t high = low + 1; high <= cells->width; high++) {
            add_column(cells, high - 1, scratch->column);
            fill_line(cells, scratch);
            const int64_t strip = best_pair(line);
            if (strip > best) best = strip;
        }
    }
    return best;
}

/* The weight of every strip low <= x < high, summed up. */
static sot_u128 weigh_strips(const sot_box_cells *cells, problem *at,
                             const sot_box_scratch *scratch)
{
    sot_u128 total = 0;
    size_t strip = 0;
    for (size_t low = 0; low < cells->width; low++) {
        memset(scratch->column, 0, cells->height * sizeof *scratch->column);
        for (size_t high = low + 1; high <= cells->width; high++) {
            add_column(cells, high - 1, scratch->column);
            fill_line(cells, scratch);
            at->top = top_of(&at->cells);
            total += weigh(at);
            scratch->sums[strip++] = total;
        }
    }
    return total;
}

/* Strip number `strip`, in the order above. */
static sot_pair strip_at(size_t width, size_t strip)
{
    size_t low = 0;
    while (strip >= width - low) {
        strip -= width - low;
        low++;
    }
    return (sot_pair){.low = low, .high = low + 1 + strip};
}

sot_box_choice sot_choice_rectangle(sotto_rng *rng, sot_slope slope,
                                    const sot_box_cells *cells,
                                    const sot_box_scratch *scratch)
{
    assert(cells->width >= 1 && cells->width <= 1 << 15);
    assert(cells->height >= 1 && cells->height <= 1 << 15);
    const size_t strips = cells->width * (cells->width + 1) / 2;
    for (size_t y = 0; y <= cells->height; y++)
        scratch->ends[y] = y + 1;
    problem at = {.stairs = sot_stairs_make(),
                  .slope = slope,
                  .cells = {.low_scores = scratch->lows,
                            .high_scores = scratch->highs,
                            .ends = scratch->ends,
                            .count = cells->height + 1},
                  .places = scratch->line.places,
                  .sums = scratch->line.sums};
    at.best = best_box(cells, &at.cells, scratch);
    const sot_u128 boxes = weigh_strips(cells, &at, scratch);
    const sot_u128 total = boxes + level_of(&at, single_exponent(&at, 0));
    for (;;) {
        const sot_u128 target = sot_rng_below_wide(rng, total);
        sot_box_choice choice = {{0, 0}, {0, 0}};
        if (target >= boxes) {
            if (keep(rng, &at, single_exponent(&at, 0))) return choice;
            continue;
        }
        const size_t strip = sot_find_sum(scratch->sums, strips, target);
        choice.x = strip_at(cells->width, strip);
        fill_strip(cells, choice.x, scratch);
        at.top = top_of(&at.cells);
        (void)weigh(&at);
        const sot_u128 offset = target - (strip == 0 ? 0 : scratch->sums[strip - 1]);
        if (try_pair(rng, &at, offset, &choice.y)) return choice;
    }
}
