#include "models/linear/rows/bins.h"

#include <assert.h>

#include "models/linear/losses/double_double.h"

/* ---- B and its transpose ---- */

static void expand_bins(const sot_bin_block *block, const double *theta, double *out)
{
    const double low = (double)block->low, rise = (double)block->high - low;
    sot_twofold sum = {0.0, 0.0};
    for (size_t k = 0; k < block->width; k++)
        sum = sot_twofold_plus(sum, theta[k]);
    const sot_twofold base = sot_twofold_times(sum, low);
    for (size_t k = 0; k < block->bins; k++)
        out[k] = sot_twofold_add(base, sot_twofold_of_product(rise, theta[k])).high;
}

static void expand_steps(const sot_bin_block *block, const double *theta, double *out)
{
    const double low = (double)block->low, rise = (double)block->high - low;
    sot_twofold sum = {0.0, 0.0};
    for (size_t k = 0; k < block->width; k++)
        sum = sot_twofold_plus(sum, theta[k]);
    sot_twofold value = sot_twofold_times(sum, low);
    out[0] = value.high;
    for (size_t k = 0; k < block->width; k++) {
        value = sot_twofold_add(value, sot_twofold_of_product(rise, theta[k]));
        out[k + 1] = value.high;
    }
}

void sot_bins_expand(const sot_bins_layout *layout, const double *theta, double *out)
{
    for (size_t i = 0; i < layout->count; i++) {
        const sot_bin_block *block = &layout->list[i];
        (block->basis == SOTTO_BASIS_STEPS ? expand_steps : expand_bins)(
            block, theta + block->first, out + block->value);
    }
    out[layout->values] =
        layout->intercept > 0.0 ? layout->intercept * theta[layout->columns - 1] : 0.0;
}

static void collapse_bins(const sot_bin_block *block, const double *sums, double *out)
{
    const double low = (double)block->low, rise = (double)block->high - low;
    sot_twofold total = {0.0, 0.0};
    for (size_t k = 0; k < block->bins; k++)
        total = sot_twofold_plus(total, sums[k]);
    const sot_twofold base = sot_twofold_times(total, low);
    for (size_t k = 0; k < block->width; k++)
        out[k] = sot_twofold_add(base, sot_twofold_of_product(rise, sums[k])).high;
}

/* Coordinate k is high for the bins above k, and low for the others. */
static void collapse_steps(const sot_bin_block *block, const double *sums, double *out)
{
    const double low = (double)block->low, rise = (double)block->high - low;
    sot_twofold total = {0.0, 0.0}, above = {0.0, 0.0};
    for (size_t k = 0; k < block->bins; k++)
        total = sot_twofold_plus(total, sums[k]);
    const sot_twofold base = sot_twofold_times(total, low);
    for (size_t k = block->width; k-- > 0;) {
        above = sot_twofold_plus(above, sums[k + 1]);
        out[k] = sot_twofold_add(base, sot_twofold_times(above, rise)).high;
    }
}

void sot_bins_collapse(const sot_bins_layout *layout, const double *sums, double *out)
{
    for (size_t i = 0; i < layout->count; i++) {
        const sot_bin_block *block = &layout->list[i];
        (block->basis == SOTTO_BASIS_STEPS ? collapse_steps : collapse_bins)(
            block, sums + block->value, out + block->first);
    }
    if (layout->intercept > 0.0)
        out[layout->columns - 1] = layout->intercept * sums[layout->values];
}

void sot_bins_collapse_squares(const sot_bins_layout *layout, const double *sums,
                               double *out)
{
    for (size_t i = 0; i < layout->count; i++) {
        const sot_bin_block *block = &layout->list[i];
        const double high = (double)block->high, low = (double)block->low;
        double total = 0.0;
        for (size_t k = 0; k < block->bins; k++)
            total += sums[block->value + k];
        for (size_t k = 0; k < block->width; k++) {
            const double own =
                block->basis == SOTTO_BASIS_STEPS ? 0.0 : sums[block->value + k];
            out[block->first + k] = low * low * (total - own) + high * high * own;
        }
    }
    if (layout->intercept > 0.0)
        out[layout->columns - 1] =
            layout->intercept * layout->intercept * sums[layout->values];
}

/* Sums of `high` units less `low` units by value; behind them the constant column, and the `low` units of each block. */
void sot_bins_collapse_units(const sot_bins_layout *layout, const int64_t *sums,
                             int64_t *inout_units)
{
    const int64_t *lows = sums + layout->values + 1;
    for (size_t i = 0; i < layout->count; i++) {
        const sot_bin_block *block = &layout->list[i];
        const int64_t *own = sums + block->value;
        int64_t *units = inout_units + block->first;
        int64_t above = 0;
        for (size_t k = block->width; k-- > 0;) {
            if (block->basis == SOTTO_BASIS_STEPS) above += own[k + 1];
            units[k] += lows[i] + (block->basis == SOTTO_BASIS_STEPS ? above : own[k]);
        }
    }
    if (layout->intercept > 0.0) inout_units[layout->columns - 1] += sums[layout->values];
}

double sot_bins_squares(const sot_bins_layout *layout)
{
    double squares = layout->intercept * layout->intercept;
    for (size_t i = 0; i < layout->count; i++) {
        const sot_bin_block *block = &layout->list[i];
        const double high = (double)block->high, low = (double)block->low;
        squares += block->basis == SOTTO_BASIS_STEPS
                       ? (double)block->width * (high * high)
                       : high * high + (double)(block->width - 1) * (low * low);
    }
    return squares;
}

/* ---- look-ups ---- */

/* One byte a bin, the common case: two sums, for half the time spent waiting for additions. */
static void byte_dots(const sot_matrix *matrix, size_t begin, size_t end,
                      const double *values, double *out)
{
    const sot_bins_layout *layout = matrix->layout;
    const size_t count = layout->count;
    for (size_t i = begin; i < end; i++) {
        const unsigned char *bins = matrix->bins + i * count;
        double even = values[layout->values], odd = 0.0;
        size_t k = 0;
        for (; k + 1 < count; k += 2) {
            even += values[layout->offsets[k] + bins[k]];
            odd += values[layout->offsets[k + 1] + bins[k + 1]];
        }
        if (k < count) even += values[layout->offsets[k] + bins[k]];
        out[i - begin] = even + odd;
    }
}

static void byte_add(const sot_matrix *matrix, size_t begin, size_t end,
                     const double *scales, double *sum)
{
    const sot_bins_layout *layout = matrix->layout;
    const size_t count = layout->count;
    for (size_t i = begin; i < end; i++) {
        const unsigned char *bins = matrix->bins + i * count;
        const double scale = scales[i - begin];
        for (size_t k = 0; k < count; k++)
            sum[layout->offsets[k] + bins[k]] += scale;
        sum[layout->values] += scale;
    }
}

static void wide_dots(const sot_matrix *matrix, size_t begin, size_t end,
                      const double *values, double *out)
{
    const sot_bins_layout *layout = matrix->layout;
    for (size_t i = begin; i < end; i++) {
        double sum = values[layout->values];
        for (size_t k = 0; k < layout->count; k++)
            sum += values[layout->offsets[k] + sot_bins_at(matrix, i, k)];
        out[i - begin] = sum;
    }
}

static void wide_add(const sot_matrix *matrix, size_t begin, size_t end,
                     const double *scales, double *sum)
{
    const sot_bins_layout *layout = matrix->layout;
    for (size_t i = begin; i < end; i++) {
        const double scale = scales[i - begin];
        for (size_t k = 0; k < layout->count; k++)
            sum[layout->offsets[k] + sot_bins_at(matrix, i, k)] += scale;
        sum[layout->values] += scale;
    }
}

const sot_rows *sot_rows_of_bins(const sot_matrix *matrix)
{
    static const sot_rows bytes = {.dots = byte_dots, .add = byte_add};
    static const sot_rows wide = {.dots = wide_dots, .add = wide_add};
    return matrix->bin_bytes == 1 ? &bytes : &wide;
}

/* ---- in coordinates ---- */

static void plain_dots(const sot_matrix *matrix, size_t begin, size_t end,
                       const double *theta, double *out)
{
    const sot_bins_layout *layout = matrix->layout;
    for (size_t i = begin; i < end; i++) {
        double sum = 0.0;
        for (size_t b = 0; b < layout->count; b++) {
            const sot_bin_block *block = &layout->list[b];
            const size_t bin = sot_bins_at(matrix, i, b);
            for (size_t k = 0; k < block->width; k++)
                sum +=
                    (double)sot_bins_coordinate(block, bin, k) * theta[block->first + k];
        }
        if (layout->intercept > 0.0)
            sum += layout->intercept * theta[layout->columns - 1];
        out[i - begin] = sum;
    }
}

static void plain_add(const sot_matrix *matrix, size_t begin, size_t end,
                      const double *scales, double *sum)
{
    const sot_bins_layout *layout = matrix->layout;
    for (size_t i = begin; i < end; i++) {
        const double scale = scales[i - begin];
        for (size_t b = 0; b < layout->count; b++) {
            const sot_bin_block *block = &layout->list[b];
            const size_t bin = sot_bins_at(matrix, i, b);
            for (size_t k = 0; k < block->width; k++)
                sum[block->first + k] +=
                    scale * (double)sot_bins_coordinate(block, bin, k);
        }
        if (layout->intercept > 0.0)
            sum[layout->columns - 1] += scale * layout->intercept;
    }
}

const sot_rows *sot_rows_plain_of_bins(void)
{
    static const sot_rows plain = {.dots = plain_dots, .add = plain_add};
    return &plain;
}

/* ---- in integers ---- */

static void unit_dots(const sot_matrix *matrix, size_t begin, size_t end,
                      const float *values, float *out)
{
    const sot_bins_layout *layout = matrix->layout;
    for (size_t i = begin; i < end; i++) {
        float sum = values[layout->values];
        for (size_t k = 0; k < layout->count; k++)
            sum += values[layout->offsets[k] + sot_bins_at(matrix, i, k)];
        out[i - begin] = sum;
    }
}

static inline int64_t contribution(float scale, float x)
{
    return (int32_t)(scale * x); /* toward zero */
}

/* The contributions of a dense row have two sizes in a block. */
static void unit_add(const sot_matrix *matrix, size_t begin, size_t end,
                     const float *slopes, float per_unit, int64_t *sum)
{
    const sot_bins_layout *layout = matrix->layout;
    int64_t *lows = sum + layout->values + 1;
    for (size_t i = begin; i < end; i++) {
        const float scale = slopes[i - begin] * per_unit;
        for (size_t k = 0; k < layout->count; k++) {
            const sot_bin_block *block = &layout->list[k];
            const int64_t low = contribution(scale, block->low);
            sum[layout->offsets[k] + sot_bins_at(matrix, i, k)] +=
                contribution(scale, block->high) - low;
            lows[k] += low;
        }
        sum[layout->values] += contribution(scale, (float)layout->intercept);
    }
}

const sot_units *sot_units_of_bins(void)
{
    static const sot_units units = {.dots = unit_dots, .add_wide = unit_add};
    return &units;
}

/* ---- products of two values ---- */

enum {
    PRODUCT_ROWS = 256
}; /* so that rows, and the sums of two blocks, stay in the cache */

/* Rows with a curvature, and the line of each for one block. */
typedef struct batch {
    size_t count;
    size_t rows[PRODUCT_ROWS];
    double curvatures[PRODUCT_ROWS];
    double *lines[PRODUCT_ROWS];
} batch;

static size_t fill_batch(size_t begin, size_t end, const double *curvatures, batch *out)
{
    size_t i = begin;
    out->count = 0;
    for (; i < end && out->count < PRODUCT_ROWS; i++) {
        if (curvatures[i] == 0.0) continue;
        out->curvatures[out->count] = curvatures[i];
        out->rows[out->count++] = i;
    }
    return i;
}

static void add_batch(const sot_matrix *matrix, batch *own, double *sum)
{
    const sot_bins_layout *layout = matrix->layout;
    const size_t width = layout->values + 1;
    double *last = sum + layout->values * width;
    for (size_t a = 0; a < layout->count; a++) {
        for (size_t i = 0; i < own->count; i++) {
            const size_t place =
                layout->offsets[a] + sot_bins_at(matrix, own->rows[i], a);
            own->lines[i] = sum + place * width;
            last[place] += own->curvatures[i];
        }
        for (size_t b = 0; b <= a; b++)
            for (size_t i = 0; i < own->count; i++)
                own->lines[i][layout->offsets[b] +
                              sot_bins_at(matrix, own->rows[i], b)] += own->curvatures[i];
    }
    for (size_t i = 0; i < own->count; i++)
        last[layout->values] += own->curvatures[i];
}

/* A sum belongs to two blocks, and takes the rows in their order, for every division into batches. */
void sot_bins_add_products(const sot_matrix *matrix, size_t begin, size_t end,
                           const double *curvatures, double *sum)
{
    batch own;
    while (begin < end) {
        begin = fill_batch(begin, end, curvatures, &own);
        add_batch(matrix, &own, sum);
    }
}
