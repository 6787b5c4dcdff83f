#include "models/concept/classes/concept.h"

#include <assert.h>
#include <math.h>

#include "base/memory.h"
#include "base/names.h"
#include "numeric/outward.h"

static const sot_names kinds =
    SOT_NAMES(NULL, NULL, "thresholds", "intervals", "stumps", "rectangles",
              "conjunctions", "parities", "candidates");

SOT_DEFINE_NAME(sot_concept_kind, kinds)

void sot_concept_class_free(sot_concept_class *class)
{
    if (class == NULL) return;
    for (size_t i = 0; i < class->features; i++) {
        /* A grid borrows its `cuts`; those of a class are its own. */
        if (class->grids != NULL) sot_free((void *)(uintptr_t) class->grids[i].cuts);
        if (class->names != NULL) sot_free(class->names[i]);
        if (class->weights != NULL) sot_free(class->weights[i]);
    }
    sot_free(class->grids);
    sot_free((void *)class->names);
    sot_free(class->stems);
    sot_free((void *)class->weights);
    sot_free(class);
}

/* ---- counts ---- */

static const uint64_t size_most = UINT64_C(1) << 62;

/* Returns the number of thresholds of a feature in the class: at most 2^32 + 1. */
static uint64_t cuts_of(const sot_concept_class *class, size_t feature)
{
    const uint64_t cells = class->grids[feature].cells;
    if (class->weights == NULL || class->weights[feature] == NULL) return cells + 1;
    uint64_t cuts = 0;
    for (uint64_t cut = 0; cut <= cells; cut++)
        cuts += class->weights[feature][cut] > 0;
    return cuts;
}

static uint64_t boxes(const sot_concept_class *class)
{
    uint64_t product = 1;
    for (size_t i = 0; i < class->features; i++) {
        const uint64_t intervals = sot_concept_intervals(&class->grids[i]);
        if (intervals > size_most / product) return UINT64_MAX;
        product *= intervals;
    }
    return product + 1 > size_most ? UINT64_MAX : product + 1; /* the empty one */
}

uint64_t sot_concept_class_size(const sot_concept_class *class)
{
    const uint64_t ways = class->both ? 2 : 1;
    uint64_t cuts = 0;
    switch (class->kind) {
    case SOT_CONCEPT_THRESHOLDS:
    case SOT_CONCEPT_STUMPS: /* at most 2^20 features: below 2^54 */
        for (size_t i = 0; i < class->features; i++)
            cuts += cuts_of(class, i);
        return ways * cuts;
    case SOT_CONCEPT_INTERVALS:
    case SOT_CONCEPT_RECTANGLES:
        return boxes(class);
    case SOT_CONCEPT_CONJUNCTIONS:
    case SOT_CONCEPT_PARITIES:
        return UINT64_C(1) << class->features;
    case SOT_CONCEPT_CANDIDATES:
        break;
    }
    return ways * class->features;
}

double sot_concept_class_log_size(const sot_concept_class *class)
{
    const uint64_t size = sot_concept_class_size(class);
    /* Above 2^53 the next double is at least the number. */
    if (size <= size_most)
        return sot_log_up(size < UINT64_C(1) << 53 ? (double)size
                                                   : sot_next_up((double)size));
    /* Too many boxes to count. ln(P + 1) <= ln P + 1 / P, and P > 2^61. */
    double sum = 0x1p-61;
    for (size_t i = 0; i < class->features; i++) {
        const double intervals =
            sot_next_up((double)sot_concept_intervals(&class->grids[i]));
        sum = sot_add_up(sum, sot_log_up(intervals));
    }
    return sum;
}

/* ---- one of them ---- */

size_t sot_concept_numbers(const sot_concept_class *class)
{
    switch (class->kind) {
    case SOT_CONCEPT_THRESHOLDS:
    case SOT_CONCEPT_INTERVALS:
    case SOT_CONCEPT_CANDIDATES:
        return 2;
    case SOT_CONCEPT_STUMPS:
        return 3;
    case SOT_CONCEPT_RECTANGLES:
        return 2 * class->features;
    case SOT_CONCEPT_CONJUNCTIONS:
    case SOT_CONCEPT_PARITIES:
        break;
    }
    return 1;
}

/* A whole number from 0 to `most`, which is at most 2^32. Not NaN, not -0: every concept has one spelling. */
static bool is_whole(double number, uint64_t most)
{
    return number >= 0.0 && !signbit(number) && number <= (double)most &&
           number == floor(number);
}

static bool is_cut(const sot_concept_class *class, size_t feature, double cut)
{
    if (!is_whole(cut, class->grids[feature].cells)) return false;
    return class->weights == NULL || class->weights[feature] == NULL ||
           class->weights[feature][(uint64_t)cut] > 0;
}

static bool is_box(const sot_concept_class *class, const double *numbers)
{
    size_t zeros = 0;
    for (size_t i = 0; i < 2 * class->features; i++) {
        if (!is_whole(numbers[i], class->grids[i / 2].cells)) return false;
        zeros += numbers[i] == 0.0;
    }
    if (zeros == 2 * class->features) return true;
    for (size_t i = 0; i < class->features; i++)
        if (numbers[2 * i] >= numbers[2 * i + 1]) return false;
    return true;
}

bool sot_concept_is_valid(const sot_concept_class *class, const double *numbers)
{
    const uint64_t flips = class->both ? 1 : 0;
    switch (class->kind) {
    case SOT_CONCEPT_THRESHOLDS:
        return is_cut(class, 0, numbers[0]) && is_whole(numbers[1], flips);
    case SOT_CONCEPT_STUMPS:
        return is_whole(numbers[0], class->features - 1) &&
               is_cut(class, (size_t)numbers[0], numbers[1]) &&
               is_whole(numbers[2], flips);
    case SOT_CONCEPT_INTERVALS:
    case SOT_CONCEPT_RECTANGLES:
        return is_box(class, numbers);
    case SOT_CONCEPT_CONJUNCTIONS:
    case SOT_CONCEPT_PARITIES:
        return is_whole(numbers[0], (UINT64_C(1) << class->features) - 1);
    case SOT_CONCEPT_CANDIDATES:
        break;
    }
    return is_whole(numbers[0], class->features - 1) && is_whole(numbers[1], flips);
}

static bool says_threshold(uint32_t place, double cut, double flipped)
{
    return ((double)place >= cut) != (flipped == 1.0);
}

static bool says_mask(const sot_concept_class *class, uint32_t mask,
                      const uint32_t *places)
{
    bool all = true;
    bool odd = false;
    for (size_t i = 0; i < class->features; i++) {
        if ((mask >> i & 1) == 0) continue;
        all = all && places[i] == 1;
        odd = odd != (places[i] == 1);
    }
    return class->kind == SOT_CONCEPT_CONJUNCTIONS ? all : odd;
}

bool sot_concept_says(const sot_concept_class *class, const double *numbers,
                      const uint32_t *places)
{
    assert(sot_concept_is_valid(class, numbers));
    switch (class->kind) {
    case SOT_CONCEPT_THRESHOLDS:
        return says_threshold(places[0], numbers[0], numbers[1]);
    case SOT_CONCEPT_STUMPS:
        return says_threshold(places[(size_t)numbers[0]], numbers[1], numbers[2]);
    case SOT_CONCEPT_INTERVALS:
    case SOT_CONCEPT_RECTANGLES:
        for (size_t i = 0; i < class->features; i++)
            if (!((double)places[i] >= numbers[2 * i] &&
                  (double)places[i] < numbers[2 * i + 1]))
                return false;
        return true;
    case SOT_CONCEPT_CONJUNCTIONS:
    case SOT_CONCEPT_PARITIES:
        return says_mask(class, (uint32_t)numbers[0], places);
    case SOT_CONCEPT_CANDIDATES:
        break;
    }
    return says_threshold(places[(size_t)numbers[0]], 1.0, numbers[1]);
}
