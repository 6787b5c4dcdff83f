/* A concept in words. */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "models/concept/classes/concept.h"

/* ---- a text that is truncated to its buffer ---- */

typedef struct cut_text {
    char *out;
    size_t size_bytes, used;
    size_t safe; /* the last place between letters with room for "..." behind it */
    bool full;
} cut_text;

static const char dots[] = "...";

static void add(cut_text *text, const char *more)
{
    size_t left = strlen(more);
    while (left > 0 && !text->full) {
        size_t length = sot_utf8_length(more, left);
        if (length == 0) length = 1; /* a schema's names are UTF-8 */
        if (text->used + length >= text->size_bytes) {
            text->full = true;
            return;
        }
        memcpy(text->out + text->used, more, length);
        text->used += length;
        if (text->used + sizeof dots <= text->size_bytes) text->safe = text->used;
        more += length;
        left -= length;
    }
}

static const char *finish(cut_text *text)
{
    if (text->full && text->size_bytes >= sizeof dots) {
        memcpy(text->out + text->safe, dots, sizeof dots);
    } else {
        text->out[text->full ? 0 : text->used] = '\0';
    }
    return text->out;
}

static void add_number(cut_text *text, double number)
{
    char digits[40];
    snprintf(digits, sizeof digits, "%.9g", number);
    add(text, digits);
}

/* ---- parts ---- */

static void add_name(cut_text *text, const sot_concept_class *class, size_t feature)
{
    if (class->of_matrix) add(text, "feature ");
    add(text, class->names[feature]);
}

/* True if the places low .. high - 1 are all of them: then the text is empty. */
static bool is_all(const sot_cells_grid *grid, uint64_t low, uint64_t high)
{
    return low == 0 && high == grid->cells;
}

/* low <= place < high, where that is some places and not all. */
static void add_range(cut_text *text, const sot_concept_class *class, size_t feature,
                      uint64_t low, uint64_t high)
{
    const sot_cells_grid *grid = &class->grids[feature];
    assert(low < high && !is_all(grid, low, high));
    if (grid->indicator) {
        if (low == 0) add(text, "not ");
        add_name(text, class, feature);
        return;
    }
    if (low > 0 && high < grid->cells) {
        add_number(text, sot_cells_edge(grid, low));
        add(text, " <= ");
    }
    add_name(text, class, feature);
    add(text, high < grid->cells ? " < " : " >= ");
    add_number(text, sot_cells_edge(grid, high < grid->cells ? high : low));
}

static void add_threshold(cut_text *text, const sot_concept_class *class, size_t feature,
                          uint64_t cut, bool flipped)
{
    const uint64_t cells = class->grids[feature].cells;
    const uint64_t low = flipped ? 0 : cut;
    const uint64_t high = flipped ? cut : cells;
    if (low == high) {
        add(text, "never");
    } else if (low == 0 && high == cells) {
        add(text, "always");
    } else {
        add_range(text, class, feature, low, high);
    }
}

static void add_box(cut_text *text, const sot_concept_class *class, const double *numbers)
{
    size_t parts = 0;
    if (numbers[1] == 0.0) { /* the empty one */
        add(text, "never");
        return;
    }
    for (size_t i = 0; i < class->features; i++) {
        const uint64_t low = (uint64_t)numbers[2 * i];
        const uint64_t high = (uint64_t)numbers[2 * i + 1];
        if (is_all(&class->grids[i], low, high)) continue;
        if (parts++ > 0) add(text, " and ");
        add_range(text, class, i, low, high);
    }
    if (parts == 0) add(text, "always");
}

static void add_mask(cut_text *text, const sot_concept_class *class, uint32_t mask)
{
    const bool all = class->kind == SOT_CONCEPT_CONJUNCTIONS;
    const bool one = (mask & (mask - 1)) == 0;
    size_t parts = 0;
    if (mask == 0) {
        add(text, all ? "always" : "never");
        return;
    }
    if (!all && !one) add(text, "an odd number of (");
    for (size_t i = 0; i < class->features; i++) {
        if ((mask >> i & 1) == 0) continue;
        if (parts++ > 0) add(text, all ? " and " : ", ");
        add_range(text, class, i, 1, 2);
    }
    if (!all && !one) add(text, ")");
}

const char *sot_concept_text(const sot_concept_class *class, const double *numbers,
                             char *out, size_t size_bytes)
{
    cut_text text = {.out = out, .size_bytes = size_bytes};
    assert(size_bytes > 0 && sot_concept_is_valid(class, numbers));
    switch (class->kind) {
    case SOT_CONCEPT_THRESHOLDS:
        add_threshold(&text, class, 0, (uint64_t)numbers[0], numbers[1] == 1.0);
        break;
    case SOT_CONCEPT_STUMPS:
        add_threshold(&text, class, (size_t)numbers[0], (uint64_t)numbers[1],
                      numbers[2] == 1.0);
        break;
    case SOT_CONCEPT_INTERVALS:
    case SOT_CONCEPT_RECTANGLES:
        add_box(&text, class, numbers);
        break;
    case SOT_CONCEPT_CONJUNCTIONS:
    case SOT_CONCEPT_PARITIES:
        add_mask(&text, class, (uint32_t)numbers[0]);
        break;
    case SOT_CONCEPT_CANDIDATES:
        add_threshold(&text, class, (size_t)numbers[0], 1, numbers[1] == 1.0);
        break;
    }
    return finish(&text);
}
