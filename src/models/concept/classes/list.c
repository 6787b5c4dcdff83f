/* Every concept of a class in one public order, and estimates from noisy counts in that
 * order. */
#include <assert.h>
#include <math.h>

#include "models/concept/classes/concept.h"
#include "numeric/outward.h"

/* ---- intervals ---- */

uint64_t sot_concept_intervals(const sot_cells_grid *grid)
{
    return grid->cells % 2 == 0 ? grid->cells / 2 * (grid->cells + 1)
                                : (grid->cells + 1) / 2 * grid->cells;
}

void sot_concept_find_pair(uint64_t cells, uint64_t index, uint64_t *out_low,
                           uint64_t *out_high)
{
    uint64_t low = 0;
    for (; index >= cells - low; low++)
        index -= cells - low;
    *out_low = low;
    *out_high = low + 1 + index;
}

/* ---- lists ---- */

static bool is_box(const sot_concept_class *class)
{
    return class->kind == SOT_CONCEPT_INTERVALS || class->kind == SOT_CONCEPT_RECTANGLES;
}

size_t sot_concept_lists(const sot_concept_class *class)
{
    return is_box(class) && class->features > 2 ? class->features : 1;
}

/* Returns the number of thresholds of a feature in the list, in one direction. */
static uint64_t cuts_of(const sot_concept_class *class, size_t feature)
{
    return class->grids[feature].cells + 1;
}

uint64_t sot_concept_list_size(const sot_concept_class *class, size_t list)
{
    const uint64_t ways = class->both ? 2 : 1;
    uint64_t size = 0;
    switch (class->kind) {
    case SOT_CONCEPT_THRESHOLDS:
    case SOT_CONCEPT_STUMPS: /* at most 2^20 features: below 2^54 */
        for (size_t j = 0; j < class->features; j++)
            size += ways * cuts_of(class, j);
        return size;
    case SOT_CONCEPT_CANDIDATES:
        return ways * class->features;
    case SOT_CONCEPT_INTERVALS:
    case SOT_CONCEPT_RECTANGLES:
    case SOT_CONCEPT_CONJUNCTIONS:
    case SOT_CONCEPT_PARITIES:
        break;
    }
    if (sot_concept_lists(class) == 1) return sot_concept_class_size(class);
    size = sot_concept_intervals(&class->grids[list]) + 1; /* and the empty one */
    return size > UINT64_C(1) << 62 ? UINT64_MAX : size;
}

static void find_cut(const sot_concept_class *class, uint64_t index, double *out_numbers)
{
    const uint64_t ways = class->both ? 2 : 1;
    size_t feature = 0;
    for (; index >= ways * cuts_of(class, feature); feature++)
        index -= ways * cuts_of(class, feature);
    const uint64_t cuts = cuts_of(class, feature);
    if (class->kind == SOT_CONCEPT_STUMPS) *out_numbers++ = (double)feature;
    out_numbers[0] = (double)(index % cuts);
    out_numbers[1] = index >= cuts ? 1.0 : 0.0;
}

/* One side; false: it is the empty one. */
static bool find_side(const sot_cells_grid *grid, uint64_t index, double *out_side)
{
    uint64_t low = 0, high = 0;
    if (index > 0) sot_concept_find_pair(grid->cells, index - 1, &low, &high);
    out_side[0] = (double)low;
    out_side[1] = (double)high;
    return index > 0;
}

static void empty_box(const sot_concept_class *class, double *out_numbers)
{
    for (size_t i = 0; i < 2 * class->features; i++)
        out_numbers[i] = 0.0;
}

static void find_box(const sot_concept_class *class, size_t list, uint64_t index,
                     const double *before, double *out_numbers)
{
    const size_t sides = class->features;
    bool holds = true;
    if (sides == 2) { /* both at once */
        const uint64_t second = sot_concept_intervals(&class->grids[1]);
        holds = index > 0;
        if (holds) {
            (void)find_side(&class->grids[0], 1 + (index - 1) / second, out_numbers);
            (void)find_side(&class->grids[1], 1 + (index - 1) % second, out_numbers + 2);
        }
    } else {
        holds = list == 0 || before[1] > 0.0; /* else it is the empty one */
        for (size_t i = 0; i < 2 * list && holds; i++)
            out_numbers[i] = before[i];
        for (size_t j = list; j < sides; j++) {
            out_numbers[2 * j] = 0.0;
            out_numbers[2 * j + 1] = (double)class->grids[j].cells;
        }
        if (holds) holds = find_side(&class->grids[list], index, out_numbers + 2 * list);
    }
    if (!holds) empty_box(class, out_numbers);
}

void sot_concept_list_at(const sot_concept_class *class, size_t list, uint64_t index,
                         const double *before, double *out_numbers)
{
    assert(index < sot_concept_list_size(class, list));
    switch (class->kind) {
    case SOT_CONCEPT_THRESHOLDS:
    case SOT_CONCEPT_STUMPS:
        find_cut(class, index, out_numbers);
        return;
    case SOT_CONCEPT_INTERVALS:
    case SOT_CONCEPT_RECTANGLES:
        find_box(class, list, index, before, out_numbers);
        return;
    case SOT_CONCEPT_CONJUNCTIONS:
    case SOT_CONCEPT_PARITIES:
        out_numbers[0] = (double)index;
        return;
    case SOT_CONCEPT_CANDIDATES:
        break;
    }
    out_numbers[0] = (double)(index % class->features);
    out_numbers[1] = index >= class->features ? 1.0 : 0.0;
}

/* ---- noisy counts ---- */

uint64_t sot_concept_counts(const sot_concept_class *class)
{
    uint64_t counts = 0;
    for (size_t i = 0; i < sot_concept_lists(class); i++) {
        const uint64_t size = sot_concept_list_size(class, i);
        if (size > SOT_CONCEPT_COUNTS_MAX - counts) return UINT64_MAX;
        counts += size;
    }
    return counts;
}

const int64_t *sot_concept_counts_of(const sot_concept_class *class,
                                     const sot_concept_errors *errors, size_t list)
{
    const int64_t *counts = errors->counts;
    for (size_t i = 0; i < list; i++)
        counts += sot_concept_list_size(class, i);
    return counts;
}

uint64_t sot_concept_least(const int64_t *counts, uint64_t count)
{
    uint64_t least = 0;
    for (uint64_t i = 1; i < count; i++)
        if (counts[i] < counts[least]) least = i;
    return least;
}

void sot_concept_of_errors(const sot_concept_class *class,
                           const sot_concept_errors *errors, double *out_numbers)
{
    const int64_t *counts = errors->counts;
    for (size_t i = 0; i < errors->lists; i++) {
        const uint64_t size = sot_concept_list_size(class, i);
        sot_concept_list_at(class, i, sot_concept_least(counts, size), out_numbers,
                            out_numbers);
        counts += size;
    }
}

sot_concept_fit sot_concept_fit_of(const sot_concept_class *class,
                                   const sot_concept_errors *errors, double failure)
{
    const size_t last = errors->lists - 1;
    const int64_t *counts = sot_concept_counts_of(class, errors, last);
    const uint64_t size = sot_concept_list_size(class, last);
    const double logarithm = sot_log_up(sot_div_up((double)size, failure));
    /* Noise is whole: above -t is at least 1 - t. Far beyond 2^53 nothing is said. */
    const double reach = fmin(0x1p62, ceil(sot_mul_up(errors->scales[last], logarithm)));
    sot_concept_fit fit = {.noisy = counts[sot_concept_least(counts, size)],
                           .scale = errors->scales[last]};
    fit.upper = fit.noisy + (int64_t)reach - 1;
    return fit;
}
