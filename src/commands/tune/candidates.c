#include "commands/tune/candidates.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/copy.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "random/rng.h"

/* One "NAME=..." of a grid or search: where it stands in the text. */
typedef struct part {
    const sot_tuned *setting;
    const char *values; /* behind the equals sign */
    size_t length;
} part;

typedef struct parts {
    part items[SOT_TUNE_SETTINGS_MAX];
    size_t count;
} parts;

/* The length up to the next `mark` or the end. */
static size_t until(const char *text, size_t length, char mark)
{
    const char *found = memchr(text, mark, length);
    return found == NULL ? length : (size_t)(found - text);
}

/* ---- the text in its parts ---- */

static sotto_status read_part(const char *text, size_t length,
                              const sotto_train_config *base, parts *all,
                              sotto_error *error)
{
    const size_t name = until(text, length, '=');
    if (name == length || name == 0 || name + 1 == length) {
        return sot_fail(
            error, SOTTO_INVALID_ARGUMENT,
            "`grid` has a part without a name or without values; write NAME=VALUE,VALUE "
            "and a semicolon between settings, for example lambda=0.1,1,10;steps=50,100");
    }
    if (all->count == SOT_TUNE_SETTINGS_MAX) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "`grid` has more than %d settings; tune fewer",
                        SOT_TUNE_SETTINGS_MAX);
    }
    part *item = &all->items[all->count];
    *item = (part){.values = text + name + 1, .length = length - name - 1};
    const sotto_status status = sot_tuned_find(text, name, &item->setting, error);
    if (status != SOTTO_OK) return status;
    bool twice = false;
    for (size_t i = 0; i < all->count; i++)
        twice = twice || all->items[i].setting == item->setting;
    if (twice || sot_tuned_is_given(item->setting, base)) {
        return sot_fail(
            error, SOTTO_INVALID_ARGUMENT,
            twice
                ? "`grid` has the setting %s twice; give it once"
                : "%s is in the grid and among the fixed settings; give it in one place",
            sot_tuned_name(item->setting));
    }
    all->count++;
    return SOTTO_OK;
}

static sotto_status read_parts(const char *text, const sotto_train_config *base,
                               parts *out_parts, sotto_error *error)
{
    sotto_status status = SOTTO_OK;
    size_t left = strlen(text);
    if (left == 0 || left >= SOT_TUNE_TEXT_BYTES) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        left == 0 ? "`grid` is empty; give settings and values, for "
                                    "example `grid=lambda=10,30,100`"
                                  : "`grid` has more than %d characters; give fewer "
                                    "values, or ranges with `search`",
                        SOT_TUNE_TEXT_BYTES - 1);
    }
    for (;;) {
        const size_t length = until(text, left, ';');
        status = read_part(text, length, base, out_parts, error);
        if (status != SOTTO_OK || length == left) return status;
        text += length + 1;
        left -= length + 1;
    }
}

/* ---- lists of values ---- */

static size_t count_values(const part *item)
{
    size_t count = 1;
    for (size_t i = 0; i < item->length; i++)
        count += item->values[i] == ',';
    return count;
}

static const char *value_at(const part *item, size_t index, size_t *out_length)
{
    const char *text = item->values;
    size_t left = item->length;
    for (;; index--) {
        const size_t length = until(text, left, ',');
        *out_length = length;
        if (index == 0) return text;
        text += length + 1;
        left -= length + 1;
    }
}

/* Every value is fine by itself, and none stands there twice: it would be drawn more often without being said so. */
static sotto_status check_values(const part *item, const sotto_train_config *base,
                                 sotto_error *error)
{
    const size_t count = count_values(item);
    for (size_t i = 0; i < count; i++) {
        sotto_train_config config = *base;
        size_t length, other;
        const char *value = value_at(item, i, &length);
        const sotto_status status =
            sot_tuned_set(item->setting, value, length, &config, error);
        if (status != SOTTO_OK) return status;
        for (size_t j = 0; j < i; j++) {
            const char *before = value_at(item, j, &other);
            if (other != length || memcmp(before, value, length) != 0) continue;
            return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                            "`grid` has the same %s twice; give it once",
                            sot_tuned_name(item->setting));
        }
    }
    return SOTTO_OK;
}

/* ---- candidates ---- */

static sotto_status begin(const parts *all, size_t count, sot_candidates *out,
                          sotto_error *error)
{
    out->texts = sot_new_array(count, sizeof *out->texts);
    if (out->texts == NULL) return sot_fail_memory(error, count, sizeof *out->texts);
    out->count = count;
    out->setting_count = all->count;
    for (size_t i = 0; i < all->count; i++)
        out->settings[i] = all->items[i].setting;
    return SOTTO_OK;
}

static void append(char text[SOT_TUNE_TEXT_BYTES], const sot_tuned *setting,
                   const char *value, size_t length)
{
    const size_t used = strlen(text);
    (void)snprintf(text + used, SOT_TUNE_TEXT_BYTES - used, "%s%s=%.*s",
                   used == 0 ? "" : ";", sot_tuned_name(setting), (int)length, value);
}

sotto_status sot_candidates_grid(const char *grid, const sotto_train_config *base,
                                 sot_candidates *out_candidates, sotto_error *error)
{
    parts all = {.count = 0};
    size_t count = 1;
    sotto_status status = read_parts(grid, base, &all, error);
    for (size_t i = 0; status == SOTTO_OK && i < all.count; i++) {
        status = check_values(&all.items[i], base, error);
        count *= count_values(&all.items[i]);
        if (status == SOTTO_OK && count > SOT_TUNE_CANDIDATES_MAX) {
            return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                            "`grid` has more than %d combinations; give fewer values, or "
                            "ranges with `search`",
                            SOT_TUNE_CANDIDATES_MAX);
        }
    }
    if (status == SOTTO_OK) status = begin(&all, count, out_candidates, error);
    for (size_t k = 0; status == SOTTO_OK && k < count; k++) {
        char text[SOT_TUNE_TEXT_BYTES] = "";
        size_t stride = count, rest = k, length;
        for (size_t i = 0; i < all.count; i++) {
            stride /= count_values(&all.items[i]);
            const char *value = value_at(&all.items[i], rest / stride, &length);
            append(text, all.items[i].setting, value, length);
            rest %= stride;
        }
        status = sot_copy_text(text, &out_candidates->texts[k], error);
    }
    return status;
}

/* ---- search ---- */

typedef struct interval {
    char law[8]; /* "log", "linear", "int"; "": a list */
    double low, high;
} interval;

static sotto_status read_interval(const part *item, interval *out, sotto_error *error)
{
    *out = (interval){.law = ""};
    const size_t word = until(item->values, item->length, ':');
    if (word == item->length) return SOTTO_OK;
    const char *low = item->values + word + 1;
    const size_t rest = item->length - word - 1;
    const size_t low_length = until(low, rest, ':');
    bool fine = word < sizeof out->law && low_length < rest;
    if (fine) {
        memcpy(out->law, item->values, word);
        fine = strcmp(out->law, "log") == 0 || strcmp(out->law, "linear") == 0 ||
               strcmp(out->law, "int") == 0;
    }
    fine = fine && sot_parse_double(low, low_length, &out->low) == SOT_NUMBER_OK &&
           sot_parse_double(low + low_length + 1, rest - low_length - 1, &out->high) ==
               SOT_NUMBER_OK &&
           out->low < out->high && (strcmp(out->law, "log") != 0 || out->low > 0.0) &&
           out->low >= 0.0 && out->high <= 0x1p52;
    const sot_tuned_kind kind = sot_tuned_kind_of(item->setting);
    fine = fine && kind != SOT_TUNED_WORD &&
           (strcmp(out->law, "int") != 0 ||
            (out->low == floor(out->low) && out->high == floor(out->high))) &&
           (kind != SOT_TUNED_COUNT || strcmp(out->law, "int") == 0 ||
            (strcmp(out->law, "log") == 0 && out->low >= 1.0));
    if (fine) return SOTTO_OK;
    return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                    "`search` has a range of %s that cannot be searched; write %s",
                    sot_tuned_name(item->setting),
                    kind == SOT_TUNED_WORD ? "its words with commas between them"
                    : kind == SOT_TUNED_COUNT
                        ? "int:10:1000, or log:10:1000 with a low end of at least 1"
                        : "log:0.01:100 with a low end above 0, linear:0:2 or int:1:9");
}

/* The public generator of a search: its draws hide nothing. */
static double uniform(sotto_rng *rng)
{
    return ldexp((double)(sot_rng_u64(rng) >> 11), -53);
}

static void draw_value(const part *item, const interval *range, sotto_rng *rng,
                       char text[SOT_TUNE_TEXT_BYTES])
{
    char value[SOT_DOUBLE_TEXT_BYTES];
    size_t length;
    if (range->law[0] == '\0') {
        const char *word =
            value_at(item, (size_t)sot_rng_below(rng, count_values(item)), &length);
        append(text, item->setting, word, length);
        return;
    }
    const double u = uniform(rng);
    if (strcmp(range->law, "int") == 0) {
        const double whole = floor(range->low + u * (range->high - range->low + 1.0));
        (void)snprintf(value, sizeof value, "%.0f", fmin(whole, range->high));
    } else {
        const bool log_law = strcmp(range->law, "log") == 0;
        double number = log_law ? range->low * pow(range->high / range->low, u)
                                : range->low + u * (range->high - range->low);
        number = fmin(fmax(number, range->low), range->high);
        if (sot_tuned_kind_of(item->setting) == SOT_TUNED_COUNT) {
            (void)snprintf(value, sizeof value, "%.0f", floor(number));
        } else {
            char digits[16];
            int exponent;
            char printed[SOT_DOUBLE_TEXT_BYTES];
            (void)snprintf(printed, sizeof printed, "%.3e", number);
            sot_split_scientific(printed, digits, &exponent);
            (void)snprintf(printed, sizeof printed, "%c.%se%d", digits[0], digits + 1,
                           exponent);
            (void)sot_parse_double(printed, strlen(printed), &number);
            sot_format_double(fmin(fmax(number, range->low), range->high), value);
        }
    }
    append(text, item->setting, value, strlen(value));
}

/* The parts of a search are read like those of a grid; an error names the search. */
static sotto_status name_search(sotto_status status, sotto_error *error)
{
    static const char grid[] = "`grid`";
    sotto_error own;
    if (status == SOTTO_OK || error == NULL ||
        strncmp(error->message, grid, sizeof grid - 1) != 0)
        return status;
    own = *error;
    return sot_fail(error, status,
                    "`search`%s; a range is written as log:LOW:HIGH, for example "
                    "`search=lambda=log:10:100`",
                    own.message + sizeof grid - 1);
}

/* Values between two valid ones are valid. */
static sotto_status check_ends(const part *item, const interval *range,
                               const sotto_train_config *base, sotto_error *error)
{
    sotto_train_config config = *base;
    const size_t word = strlen(range->law) + 1;
    const char *low = item->values + word;
    const size_t length = until(low, item->length - word, ':');
    const char *high = low + length + 1;
    const sotto_status status = sot_tuned_set(item->setting, low, length, &config, error);
    if (status != SOTTO_OK) return status;
    return sot_tuned_set(item->setting, high, item->length - word - length - 1, &config,
                         error);
}

static sotto_status read_ranges(const parts *all, const sotto_train_config *base,
                                interval *out_ranges, sotto_error *error)
{
    bool some = false;
    for (size_t i = 0; i < all->count; i++) {
        const part *item = &all->items[i];
        sotto_status status = read_interval(item, &out_ranges[i], error);
        if (status == SOTTO_OK && out_ranges[i].law[0] == '\0')
            status = check_values(item, base, error);
        else if (status == SOTTO_OK)
            status = check_ends(item, &out_ranges[i], base, error);
        if (status != SOTTO_OK) return status;
        some = some || out_ranges[i].law[0] != '\0';
    }
    if (some) return SOTTO_OK;
    return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                    "`search` has no range, only lists; give them as `grid`, or a range "
                    "like `search=lambda=log:0.01:100`");
}

sotto_status sot_candidates_search(const char *search, uint64_t count, uint64_t seed,
                                   const sotto_train_config *base,
                                   sot_candidates *out_candidates, sotto_error *error)
{
    parts all = {.count = 0};
    interval ranges[SOT_TUNE_SETTINGS_MAX];
    sotto_rng *rng = NULL;
    if (count < 1 || count > SOT_TUNE_CANDIDATES_MAX) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "`candidates` is %llu; give a number from 1 to %d, for example "
                        "`candidates=32`",
                        (unsigned long long)count, SOT_TUNE_CANDIDATES_MAX);
    }
    sotto_status status = read_parts(search, base, &all, error);
    if (status == SOTTO_OK) status = read_ranges(&all, base, ranges, error);
    status = name_search(status, error);
    if (status == SOTTO_OK) status = sotto_rng_new_for_test(seed, &rng, error);
    if (status == SOTTO_OK) status = begin(&all, (size_t)count, out_candidates, error);
    for (size_t k = 0; status == SOTTO_OK && k < (size_t)count; k++) {
        char text[SOT_TUNE_TEXT_BYTES] = "";
        sotto_train_config config = *base;
        for (size_t i = 0; i < all.count; i++)
            draw_value(&all.items[i], &ranges[i], rng, text);
        status = sot_copy_text(text, &out_candidates->texts[k], error);
        if (status == SOTTO_OK)
            status = sot_candidates_apply(out_candidates, k, &config, error);
    }
    sotto_rng_free(rng);
    return status;
}

void sot_candidates_clear(sot_candidates *candidates)
{
    const size_t all = candidates->count + candidates->skipped;
    for (size_t i = 0; candidates->texts != NULL && i < all; i++)
        sot_free(candidates->texts[i]);
    sot_free(candidates->texts);
    *candidates = (sot_candidates){.count = 0};
}

void sot_candidates_skip(sot_candidates *candidates, size_t index)
{
    char *text = candidates->texts[index];
    const size_t behind = candidates->count - index - 1;
    memmove(&candidates->texts[index], &candidates->texts[index + 1],
            (behind + candidates->skipped) * sizeof text);
    candidates->count--;
    candidates->texts[candidates->count + candidates->skipped++] = text;
}

sotto_status sot_candidates_apply(const sot_candidates *candidates, size_t index,
                                  sotto_train_config *config, sotto_error *error)
{
    const char *text = candidates->texts[index];
    size_t left = strlen(text);
    for (size_t i = 0; i < candidates->setting_count; i++) {
        const size_t length = until(text, left, ';');
        const size_t name = until(text, length, '=');
        const sotto_status status = sot_tuned_set(
            candidates->settings[i], text + name + 1, length - name - 1, config, error);
        if (status != SOTTO_OK) return status;
        if (length == left) break;
        text += length + 1;
        left -= length + 1;
    }
    return SOTTO_OK;
}
