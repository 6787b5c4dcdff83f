/* Histograms, and bounds from a histogram of exponents. Claims: release.md. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "commands/session/prose.h"
#include "commands/statistics/release.h"
#include "numeric/outward.h"

enum { BINS_MAX = 100000, LABEL_BYTES = 2 * SOT_DOUBLE_TEXT_BYTES + 8 };

/* ---- lists of numbers ---- */

sotto_status sot_parse_list(const char *name, const char *text, bool ascending,
                            double **out_numbers, size_t *out_count, sotto_error *error)
{
    size_t count = 1;
    for (const char *c = text; *c != '\0'; c++)
        count += *c == ',';
    double *numbers = sot_new_array(count, sizeof *numbers);
    if (numbers == NULL) return sot_fail_memory(error, count, sizeof *numbers);
    const char *begin = text;
    for (size_t i = 0; i < count; i++) {
        const char *end = strchr(begin, ',');
        const size_t length = end == NULL ? strlen(begin) : (size_t)(end - begin);
        const bool good = length > 0 && length <= SOT_NUMBER_BYTES_MAX &&
                          sot_parse_double(begin, length, &numbers[i]) == SOT_NUMBER_OK &&
                          fabs(numbers[i]) <= 0x1p52;
        if (!good || (ascending && i > 0 && !(numbers[i] > numbers[i - 1]))) {
            sot_free(numbers);
            return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                            "%s: number %zu of the list is %s; give numbers between "
                            "commas%s, for example 1,2.5,10",
                            name, i + 1,
                            good ? "not above the one before it" : "no number",
                            ascending ? ", ascending" : "");
        }
        if (end != NULL) begin = end + 1;
    }
    *out_numbers = numbers;
    *out_count = count;
    return SOTTO_OK;
}

/* ---- histogram ---- */

/* Multiplies first, so that the third edge of ten from 18 to 90 is 39.6 and not 39.599999999999994. */
static double edge_offset(const sotto_column *column, size_t index, size_t bins)
{
    const double range = column->upper - column->lower;
    const double product = range * (double)index;
    return isfinite(product) ? product / (double)bins
                             : range * ((double)index / (double)bins);
}

static sotto_status equal_bins(sot_release *release, sotto_error *error)
{
    const sotto_column *column = release->described;
    const size_t bins = (size_t)release->config->bins;
    release->edges = sot_new_array(bins + 1, sizeof *release->edges);
    if (release->edges == NULL)
        return sot_fail_memory(error, bins + 1, sizeof *release->edges);
    for (size_t i = 0; i <= bins; i++) {
        release->edges[i] = column->lower + edge_offset(column, i, bins);
        if (i > 0 && !(release->edges[i] > release->edges[i - 1])) {
            return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                            "%zu bins are too narrow for the column's bounds", bins);
        }
    }
    release->edges[bins] = column->upper;
    return sot_release_make_exact(release, bins, error);
}

static sotto_status set_bins(sot_release *release, sotto_error *error)
{
    const sotto_release_config *config = release->config;
    const sotto_column *column = release->described;
    const double values = column->upper - column->lower + 1.0;
    if (config->edges != NULL && config->bins > 0) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "`bins` and `edges` were both given; leave one out");
    }
    if (column->type != SOTTO_COLUMN_CATEGORY && !column->bounded)
        return sot_release_need_number(release, error);
    const bool numeric =
        column->type == SOTTO_COLUMN_NUMBER || column->type == SOTTO_COLUMN_INTEGER;
    if ((config->edges != NULL || config->bins > 0) && !numeric) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "`bins` and `edges` have no meaning for the column '%.60s' of "
                        "type %s, whose values are the bins; leave them out",
                        column->name, sotto_column_type_name(column->type));
    }
    if (config->bins > BINS_MAX) {
        return sot_fail(
            error, SOTTO_INVALID_ARGUMENT,
            "`bins` is %llu, more than 100000; give fewer, for example `bins=10`",
            (unsigned long long)config->bins);
    }
    if (config->edges != NULL) {
        size_t count = 0;
        const sotto_status status =
            sot_parse_list("edges", config->edges, true, &release->edges, &count, error);
        if (status != SOTTO_OK) return status;
        if (count < 2 || count > BINS_MAX + 1) {
            return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                            "`edges` has too few or too many numbers; give between 2 and "
                            "100001, for example `edges=0,10,20`");
        }
        return sot_release_make_exact(release, count - 1, error);
    }
    if (config->bins > 0) return equal_bins(release, error);
    if (column->type == SOTTO_COLUMN_NUMBER || values > BINS_MAX) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "`bins` is missing: the column '%.60s' has no bins of its own; "
                        "give `bins=10`, or their `edges`",
                        column->name);
    }
    return sot_release_make_exact(release, (uint64_t)values, error);
}

/* One row is in one bin or none. Adding or removing it moves one count by 1; replacing it moves
 * one count up and another down. */
sotto_status sot_release_add_histogram(sot_release *release, const char *purpose,
                                       sotto_error *error)
{
    const bool replaced = release->config->adjacency == SOTTO_REPLACE_ONE;
    const sot_part_request request = {.purpose = purpose,
                                      .grid = 1.0,
                                      .l1_sensitivity = replaced ? 2.0 : 1.0,
                                      .l2_sensitivity = replaced ? sot_sqrt_up(2.0) : 1.0,
                                      .epsilon_share = 1.0,
                                      .square_share = 1.0,
                                      .dimension = release->size};
    return sot_release_add_part(release, &request, error);
}

static sotto_status prepare_histogram(sot_release *release, sotto_error *error)
{
    sotto_status status = set_bins(release, error);
    if (status == SOTTO_OK)
        status = sot_release_add_histogram(release, "histogram", error);
    return status;
}

/* The last bin whose lower edge is at most the value; the last edge belongs to the last bin. */
static size_t bin_of(const sot_release *release, double value)
{
    size_t low = 0;
    size_t high = release->size;
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        if (value >= release->edges[middle]) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

static sotto_status take_histogram(sot_release *release, double value, sotto_error *error)
{
    (void)error;
    if (release->edges == NULL) {
        release->exact[(size_t)(value - release->described->lower)]++;
        return SOTTO_OK;
    }
    const double last = release->edges[release->size];
    if (value >= release->edges[0] && value <= last)
        release->exact[bin_of(release, value)]++;
    return SOTTO_OK;
}

static const char *bin_label(const sot_release *release, size_t index,
                             char label[LABEL_BYTES])
{
    const sotto_column *column = release->described;
    if (column->type == SOTTO_COLUMN_CATEGORY) return column->values[index];
    if (column->type == SOTTO_COLUMN_BOOLEAN) return index == 0 ? "false" : "true";
    if (release->edges == NULL) {
        (void)snprintf(label, LABEL_BYTES, "%lld",
                       (long long)column->lower + (long long)index);
        return label;
    }
    char low[SOT_DOUBLE_TEXT_BYTES];
    char high[SOT_DOUBLE_TEXT_BYTES];
    sot_format_double(release->edges[index], low);
    sot_format_double(release->edges[index + 1], high);
    (void)snprintf(label, LABEL_BYTES, "[%s, %s%s", low, high,
                   index + 1 == release->size ? "]" : ")");
    return label;
}

/* One call for the whole vector: its shape is public. */
static sotto_status release_bins(sot_release *release, sotto_gate *gate, int64_t *noisy,
                                 sotto_error *error)
{
    return sot_noise_release(&release->parts[0], gate, release->exact, noisy, error);
}

static sotto_status conclude_histogram(sot_release *release, const int64_t *noisy,
                                       sotto_error *error)
{
    char label[LABEL_BYTES];
    sotto_status status = sot_release_make_values(release, release->size, error);
    const double margin =
        sot_noise_margin(&release->parts[0], release->config->confidence);
    for (size_t i = 0; i < release->size && status == SOTTO_OK; i++) {
        const double value = (double)noisy[i];
        status = sot_release_set_value(release, i, bin_label(release, i, label), value,
                                       fmax(0.0, value - margin),
                                       fmax(0.0, value + margin), error);
    }
    sot_release_note(release, "negative counts come from the noise; they stay, because "
                              "removing them would bias every sum of bins");
    sot_release_note(release, "each interval holds separately, not all of them at once");
    return status;
}

static sotto_status publish_histogram(sot_release *release, sotto_gate *gate,
                                      sotto_error *error)
{
    int64_t *noisy = sot_new_array(release->size, sizeof *noisy);
    if (noisy == NULL) return sot_fail_memory(error, release->size, sizeof *noisy);
    sotto_status status = release_bins(release, gate, noisy, error);
    if (status == SOTTO_OK) status = conclude_histogram(release, noisy, error);
    sot_free(noisy);
    return status;
}

static sotto_status restate_histogram(sot_release *release, const sot_json_value *file,
                                      sotto_error *error)
{
    int64_t *noisy = sot_new_array(release->size, sizeof *noisy);
    sotto_status status = SOTTO_OK;
    if (noisy == NULL) return sot_fail_memory(error, release->size, sizeof *noisy);
    for (size_t i = 0; i < release->size && status == SOTTO_OK; i++)
        status = sot_release_stated_units(file, i, 0.0, 1.0, &noisy[i], error);
    if (status == SOTTO_OK) status = conclude_histogram(release, noisy, error);
    sot_free(noisy);
    return status;
}

const sot_statistic sot_statistic_histogram = {.name = "histogram",
                                               .needs_column = true,
                                               .prepare = prepare_histogram,
                                               .take = take_histogram,
                                               .publish = publish_histogram,
                                               .restate = restate_histogram};

/* ---- bounds ---- */

/* Bins by sign and power of two. Bin ZERO holds |x| < 2^-40, bin ZERO + 1 + j the x with
 * `2^(j-40) <= x < 2^(j-39)`, j = 0 .. 79, the last one also all above. Negative x mirror
 * them. */
enum {
    EXPONENT_LEAST = -40,
    EXPONENTS = 80,
    ZERO = EXPONENTS,
    BOUND_BINS = 2 * EXPONENTS + 1
};

static sotto_status prepare_bounds(sot_release *release, sotto_error *error)
{
    const sotto_column_type type = release->described->type;
    if (type != SOTTO_COLUMN_NUMBER && type != SOTTO_COLUMN_INTEGER) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "the column '%.60s' is of type %s, whose values are public; name "
                        "a number or an integer",
                        release->described->name, sotto_column_type_name(type));
    }
    sotto_status status = sot_release_make_exact(release, BOUND_BINS, error);
    if (status == SOTTO_OK)
        status = sot_release_add_histogram(release, "histogram of exponents", error);
    if (status != SOTTO_OK) return status;
    /* The least T with BOUND_BINS P(noise >= T) <= 1 - confidence: then no empty bin is taken
     * for a filled one, but for that probability. P(noise >= T) = r^T / (1 + r). */
    const double scale = release->parts[0].scale;
    const double r = exp(-1.0 / scale);
    const double alpha = 1.0 - release->config->confidence;
    release->threshold =
        (uint64_t)fmax(1.0, ceil(scale * log(BOUND_BINS / (alpha * (1.0 + r)))));
    char sure[SOT_SHOWN_BYTES];
    (void)snprintf(
        release->accuracy, sizeof release->accuracy,
        "with probability at least %s no power of two without rows is taken for "
        "one with rows; it needs a noisy count of %llu",
        sot_shown(release->config->confidence, 0, sure),
        (unsigned long long)release->threshold);
    return SOTTO_OK;
}

static sotto_status take_bounds(sot_release *release, double value, sotto_error *error)
{
    (void)error;
    int step = 0;
    if (fabs(value) >= ldexp(1.0, EXPONENT_LEAST)) {
        step = ilogb(value) - EXPONENT_LEAST + 1;
        if (step > EXPONENTS) step = EXPONENTS;
    }
    release->exact[value < 0.0 ? ZERO - step : ZERO + step]++;
    return SOTTO_OK;
}

/* The ends of a bin. */
static double bin_low(int bin)
{
    if (bin > ZERO) return ldexp(1.0, EXPONENT_LEAST + bin - ZERO - 1);
    return -ldexp(1.0, EXPONENT_LEAST + ZERO - bin);
}

static double bin_high(int bin)
{
    return -bin_low(2 * ZERO - bin);
}

/* The bins from `first` to `last` have rows enough; last < 0: none has. */
static sotto_status conclude_bounds(sot_release *release, int first, int last,
                                    sotto_error *error)
{
    sotto_status status = sot_release_make_values(release, 2, error);
    if (status != SOTTO_OK) return status;
    const sotto_column *column = release->described;
    release->found = last >= 0;
    double lower = column->lower;
    double upper = column->upper;
    if (release->found) {
        lower = fmax(lower, bin_low(first));
        upper = fmin(upper, bin_high(last));
    } else {
        sot_release_note(release, "no power of two has enough rows for this epsilon: "
                                  "these are the ends that were known before");
    }
    status = sot_release_set_value(release, 0, "lower", lower, SOTTO_UNSET, SOTTO_UNSET,
                                   error);
    if (status == SOTTO_OK) {
        status = sot_release_set_value(release, 1, "upper", upper, SOTTO_UNSET,
                                       SOTTO_UNSET, error);
    }
    sot_release_note(release,
                     "rows in powers of two below the threshold lie outside: they "
                     "will be clipped");
    return status;
}

static sotto_status publish_bounds(sot_release *release, sotto_gate *gate,
                                   sotto_error *error)
{
    int64_t noisy[BOUND_BINS];
    const sotto_status status = release_bins(release, gate, noisy, error);
    if (status != SOTTO_OK) return status;
    int first = BOUND_BINS;
    int last = -1;
    for (int i = 0; i < BOUND_BINS; i++) {
        if (noisy[i] < (int64_t)release->threshold) continue;
        if (first == BOUND_BINS) first = i;
        last = i;
    }
    return conclude_bounds(release, first, last, error);
}

/* The bins whose ends the values are. Beyond the bounds of the column every bin gives the same value. */
static sotto_status restate_bounds(sot_release *release, const sot_json_value *file,
                                   sotto_error *error)
{
    const sotto_column *column = release->described;
    sot_stated_value lower, upper;
    sot_json_value member;
    bool found = false;
    int first = 0, last = BOUND_BINS - 1;
    sotto_status status = sot_release_stated(file, 0, &lower, error);
    if (status == SOTTO_OK) status = sot_release_stated(file, 1, &upper, error);
    if (status == SOTTO_OK && sot_json_member(file, "found", &member))
        status = sot_json_as_bool(&member, &found, error);
    if (status != SOTTO_OK) return status;
    while (first + 1 < BOUND_BINS && fmax(column->lower, bin_low(first)) < lower.value)
        first++;
    while (last > 0 && fmin(column->upper, bin_high(last)) > upper.value)
        last--;
    return conclude_bounds(release, first, found ? last : -1, error);
}

const sot_statistic sot_statistic_bounds = {.name = "bounds",
                                            .needs_column = true,
                                            .prepare = prepare_bounds,
                                            .take = take_bounds,
                                            .publish = publish_bounds,
                                            .restate = restate_bounds};
