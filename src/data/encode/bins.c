/* From a record to its bins, to the feature vector that they stand for, and to a score. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "data/cells/cell.h"
#include "data/encode/blocks.h"
#include "data/encode/parts.h"

/* ---- bins ---- */

/* Returns the number of edges at or below the value. */
static size_t place_among(const double *edges, size_t count, double value)
{
    size_t low = 0; /* edges[low - 1] <= value < edges[high] */
    size_t high = count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (edges[middle] <= value) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* The cell of a table or the number of a matrix, within the bounds. Sources see to it already; the promise about every
 * record does not rest on theirs. */
static double number_of(const sot_axis *axis, const sot_record *record)
{
    const sotto_column *facts = axis->facts;
    const double value = record->cells != NULL ? record->cells[axis->column]
                                               : sot_record_number(record, axis->column);
    if (record->cells == NULL && isfinite(value)) return sot_cell_bounded(facts, value);
    if (isnan(value) || (record->cells == NULL && isinf(value))) return facts->missing;
    return value < facts->lower   ? facts->lower
           : value > facts->upper ? facts->upper
                                  : value;
}

/* The first boolean that is true. The schema says that a missing or malformed cell is false. */
static size_t first_true(const sot_axis *axis, const sot_record *record)
{
    const size_t count = axis->bins - 1;
    for (size_t i = 0; i < count; i++)
        if (record->cells[axis->members[i]] >= 1.0) return i;
    return count;
}

size_t sot_axis_bin(const sot_axis *axis, const sot_record *record)
{
    if (axis->members != NULL) return first_true(axis, record);
    const double value = number_of(axis, record);
    if (axis->edges != NULL) return place_among(axis->edges, axis->bins - 1, value);
    const size_t bin = (size_t)value; /* at least 0, at most bins - 1 */
    return bin;
}

size_t sot_bin_block_bin(const sot_bin_block *block, const sot_record *record)
{
    const size_t bin = sot_axis_bin(&block->axis, record);
    return sot_bin_block_is_interaction(block)
               ? bin * block->second.bins + sot_axis_bin(&block->second, record)
               : bin;
}

/* ---- the feature vector ---- */

/* Writes the segment of a block: every coordinate has one of two numbers. */
static void append_segment(const sot_bin_block *block, size_t bin, sot_features *features)
{
    for (size_t k = 0; k < block->width; k++) {
        const bool high = block->basis == SOTTO_BASIS_STEPS ? bin > k : bin == k;
        const float value = high ? block->high : block->low;
        if (value == 0.0F) continue;
        features->indices[features->count] = (uint32_t)(block->first + k);
        features->values[features->count++] = value;
    }
}

void sot_encode_blocks(const sot_encoding *encoding, const sot_record *record,
                       sot_features *out_features)
{
    const sot_blocks *blocks = encoding->blocks;
    for (size_t i = 0; i < blocks->count; i++)
        append_segment(&blocks->list[i], sot_bin_block_bin(&blocks->list[i], record),
                       out_features);
}

/* ---- scores ---- */

static void add_up_steps(const sot_bin_block *block, const double *theta, double *out)
{
    double value = 0.0;
    for (size_t k = 0; k < block->width; k++)
        value += (double)block->low * theta[k];
    out[0] = value;
    const double rise = (double)block->high - (double)block->low;
    for (size_t k = 0; k < block->width; k++)
        out[k + 1] = value += rise * theta[k];
}

static void add_up_bins(const sot_bin_block *block, const double *theta, double *out)
{
    double sum = 0.0;
    for (size_t k = 0; k < block->width; k++)
        sum += theta[k];
    const double rise = (double)block->high - (double)block->low;
    for (size_t k = 0; k < block->bins; k++)
        out[k] = (double)block->low * sum + rise * theta[k];
}

void sot_encoding_curves(const sot_encoding *encoding, const double *theta,
                         double *out_values)
{
    const sot_blocks *blocks = encoding->blocks;
    for (size_t i = 0; i < blocks->count; i++) {
        const sot_bin_block *block = &blocks->list[i];
        (block->basis == SOTTO_BASIS_STEPS ? add_up_steps : add_up_bins)(
            block, theta + block->first, out_values + block->value);
    }
    out_values[blocks->values] =
        encoding->intercept > 0.0 ? encoding->intercept * theta[encoding->features] : 0.0;
}

double sot_encoding_score(const sot_encoding *encoding, const double *values,
                          const sot_record *record)
{
    const sot_blocks *blocks = encoding->blocks;
    double score = values[blocks->values];
    for (size_t i = 0; i < blocks->count; i++)
        score +=
            values[blocks->list[i].value + sot_bin_block_bin(&blocks->list[i], record)];
    return score;
}

/* ---- rows as bins ---- */

void sot_encode_bins(const sot_encoding *encoding, const sot_record *record,
                     size_t bin_bytes, unsigned char *out_bins)
{
    const sot_blocks *blocks = encoding->blocks;
    for (size_t i = 0; i < blocks->count; i++) {
        const uint32_t bin = (uint32_t)sot_bin_block_bin(&blocks->list[i], record);
        if (bin_bytes == 1)
            out_bins[i] = (unsigned char)bin;
        else
            memcpy(out_bins + i * sizeof bin, &bin, sizeof bin);
    }
}

void sot_encoding_hold_bins(sot_encoding *encoding)
{
    assert(encoding->blocks != NULL);
    encoding->blocks->held = true;
}

bool sot_encoding_holds_bins(const sot_encoding *encoding)
{
    return encoding->blocks != NULL && encoding->blocks->held;
}

size_t sot_encoding_bin_bytes(const sot_encoding *encoding)
{
    for (size_t i = 0; i < encoding->blocks->count; i++)
        if (encoding->blocks->list[i].bins > 256) return sizeof(uint32_t);
    return 1;
}

void sot_bins_layout_free(sot_bins_layout *layout)
{
    if (layout == NULL) return;
    sot_free(layout->list);
    sot_free(layout->offsets);
    sot_free(layout);
}

sot_bins_layout *sot_bins_layout_copy(const sot_bins_layout *layout)
{
    sot_bins_layout *copy = sot_new_array(1, sizeof *copy);
    if (copy == NULL) return NULL;
    *copy = *layout;
    copy->list = sot_new_array(layout->count, sizeof *copy->list);
    copy->offsets = sot_new_array(layout->count, sizeof *copy->offsets);
    if (copy->list == NULL || copy->offsets == NULL) {
        sot_bins_layout_free(copy);
        return NULL;
    }
    for (size_t i = 0; i < layout->count; i++) {
        copy->list[i] = layout->list[i];
        copy->list[i].axis = (sot_axis){.bins = layout->list[i].bins};
        copy->list[i].second = (sot_axis){.bins = 0};
        copy->offsets[i] = layout->list[i].value;
    }
    return copy;
}

sot_bins_layout *sot_bins_layout_new(const sot_encoding *encoding)
{
    const sot_blocks *blocks = encoding->blocks;
    const sot_bins_layout own = {.count = blocks->count,
                                 .values = blocks->values,
                                 .columns = sot_encoding_dimension(encoding),
                                 .intercept = encoding->intercept,
                                 .list = blocks->list};
    return sot_bins_layout_copy(&own);
}
