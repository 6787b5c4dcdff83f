/* Choices: the best of public candidates, by exact integer scores. Claims: release.md. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <sotto/exponential.h>
#include <sotto/permute_and_flip.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "commands/statistics/release.h"

/* Prices of at most 2^29 units, and 2^32 rows: revenue stays below 2^62. */
enum { CANDIDATES_MAX = 1000000, PRICE_DECIMALS_MAX = 6, PRICE_UNITS_MAX = 1 << 29 };

/* ---- choices ---- */

/* Prices as whole multiples of the largest power of ten that divides them all. */
static sotto_status set_prices(sot_release *release, sotto_error *error)
{
    const size_t count = release->candidate_count;
    release->prices = sot_new_array(count, sizeof *release->prices);
    if (release->prices == NULL)
        return sot_fail_memory(error, count, sizeof *release->prices);
    uint64_t largest = 0;
    double tens = 1.0;
    for (int decimals = 0; decimals <= PRICE_DECIMALS_MAX; decimals++, tens *= 10.0) {
        bool whole = true;
        largest = 0;
        for (size_t i = 0; i < count; i++) {
            const double units = nearbyint(release->candidates[i] * tens);
            if (!(release->candidates[i] > 0.0) || units > PRICE_UNITS_MAX) {
                return sot_fail(
                    error, SOTTO_INVALID_ARGUMENT,
                    "candidates: price %llu is not above 0, or more than 2^29 "
                    "units of the last decimal; give other prices",
                    (unsigned long long)i + 1);
            }
            whole = whole && units / tens == release->candidates[i];
            release->prices[i] = (int64_t)units;
            if ((uint64_t)units > largest) largest = (uint64_t)units;
        }
        if (!whole) continue;
        release->prices_per_unit = tens;
        /* An exchanged unit of several rows may raise one score and lower another. The mechanisms
         * only use the range of the change, which is no larger than that of a change of one sign
         * (release.md). */
        release->selection.sensitivity = release->unit_rows * largest;
        release->selection.change = SOTTO_CHANGE_MONOTONE;
        return SOTTO_OK;
    }
    return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                    "candidates: give prices with at most 6 decimals");
}

static sotto_status list_candidates(sot_release *release, sotto_error *error)
{
    const sotto_release_config *config = release->config;
    if (config->candidates == NULL) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "`candidates` is missing: a choice by %s is among public "
                        "candidates; list them, for example `candidates=5,9.99,20`",
                        sotto_score_name(config->score));
    }
    sotto_status status = sot_release_need_number(release, error);
    size_t count = 0;
    if (status == SOTTO_OK) {
        status = sot_parse_list("candidates", config->candidates, true,
                                &release->candidates, &count, error);
    }
    if (status != SOTTO_OK) return status;
    if (count > CANDIDATES_MAX)
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "`candidates` has more than 1000000 entries; give fewer");
    release->candidate_count = count;
    return sot_release_make_exact(release, 2 * count + 1, error);
}

static sotto_status prepare_by_count(sot_release *release, sotto_error *error)
{
    const sotto_column *column = release->described;
    const double values = column->upper - column->lower + 1.0;
    if (column->type == SOTTO_COLUMN_NUMBER || !(values <= CANDIDATES_MAX)) {
        return sot_fail(
            error, SOTTO_INVALID_ARGUMENT,
            "`column` is '%.60s'; the most common value is chosen from a category, a "
            "boolean or at most 1000000 whole numbers; name such a column",
            column->name);
    }
    release->selection.sensitivity = release->unit_rows;
    release->selection.change = release->config->adjacency == SOTTO_REPLACE_ONE
                                    ? SOTTO_CHANGE_ANY
                                    : SOTTO_CHANGE_MONOTONE;
    release->candidate_count = (size_t)values;
    return sot_release_make_exact(release, (uint64_t)values, error);
}

static sotto_status prepare_given(sot_release *release, sotto_error *error)
{
    const sotto_release_config *config = release->config;
    if (config->sensitivity == 0) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "`sensitivity` is missing: the largest change of a score by one "
                        "row, at least 1; for example `sensitivity=1`");
    }
    release->selection.sensitivity = config->sensitivity;
    release->selection.change =
        config->monotone ? SOTTO_CHANGE_MONOTONE : SOTTO_CHANGE_ANY;
    return SOTTO_OK;
}

static sotto_status prepare_choice(sot_release *release, sotto_error *error)
{
    sotto_status status = SOTTO_OK;
    switch (release->config->score) {
    case SOTTO_SCORE_GIVEN:
        status = prepare_given(release, error);
        break;
    case SOTTO_SCORE_COUNT:
        status = prepare_by_count(release, error);
        break;
    case SOTTO_SCORE_REVENUE:
        status = list_candidates(release, error);
        if (status == SOTTO_OK) status = set_prices(release, error);
        break;
    case SOTTO_SCORE_QUANTILE:
        status = list_candidates(release, error);
        if (status == SOTTO_OK) status = sot_release_set_rank(release, error);
        if (status == SOTTO_OK) sot_rank_selection(release);
        break;
    }
    if (status != SOTTO_OK) return status;
    release->selection.purpose = "choice";
    return sot_release_add_choice(release, error);
}

/* The number of candidates at or below the value: candidates ascend. */
static size_t candidates_within(const sot_release *release, double value)
{
    size_t low = 0;
    size_t high = release->candidate_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (release->candidates[middle] <= value) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* Rows are counted where they lie: slot 2i + 1 is at candidate i, slot 2i below it and above
 * the one before. The counts become scores when all rows are in. */
static sotto_status take_choice(sot_release *release, double value, sotto_error *error)
{
    (void)error;
    if (release->config->score == SOTTO_SCORE_COUNT) {
        release->exact[(size_t)(value - release->described->lower)]++;
        return SOTTO_OK;
    }
    const size_t within = candidates_within(release, value);
    const bool at = within > 0 && release->candidates[within - 1] == value;
    release->exact[at ? 2 * within - 1 : 2 * within]++;
    return SOTTO_OK;
}

/* Candidate i takes the place of slot i, which is behind the slots still to be read. */
static void slots_to_scores(sot_release *release)
{
    uint64_t below = 0;
    for (size_t i = 0; i < release->candidate_count; i++) {
        below += (uint64_t)release->exact[2 * i];
        const uint64_t at = (uint64_t)release->exact[2 * i + 1];
        if (release->config->score == SOTTO_SCORE_QUANTILE) {
            release->exact[i] = sot_rank_score(release, below, below + at);
        } else {
            release->exact[i] = (int64_t)(release->rows - below) * release->prices[i];
        }
        below += at;
    }
}

static sotto_status choose(sot_release *release, sotto_gate *gate, size_t *out_choice,
                           sotto_error *error)
{
    if (release->mechanism == SOTTO_EXPONENTIAL) {
        return sotto_exponential_choose(gate, &release->selection, release->exact,
                                        release->candidate_count, out_choice, error);
    }
    return sotto_permute_and_flip_choose(gate, &release->selection, release->exact,
                                         release->candidate_count, out_choice, error);
}

static const char *candidate_label(const sot_release *release, size_t index,
                                   char label[SOT_DOUBLE_TEXT_BYTES])
{
    const sotto_column *column = release->described;
    if (release->labels != NULL) return release->labels[index];
    if (release->candidates != NULL) {
        sot_format_double(release->candidates[index], label);
        return label;
    }
    if (column->type == SOTTO_COLUMN_CATEGORY) return column->values[index];
    if (column->type == SOTTO_COLUMN_BOOLEAN) return index == 0 ? "false" : "true";
    (void)snprintf(label, SOT_DOUBLE_TEXT_BYTES, "%lld",
                   (long long)column->lower + (long long)index);
    return label;
}

static sotto_status conclude_choice(sot_release *release, const char *label, double value,
                                    sotto_error *error)
{
    const sotto_score score = release->config->score;
    sotto_status status = sot_release_make_values(release, 1, error);
    if (status == SOTTO_OK)
        status = sot_release_set_value(release, 0, label, value, SOTTO_UNSET, SOTTO_UNSET,
                                       error);
    if (status != SOTTO_OK) return status;
    const double per_unit = score == SOTTO_SCORE_REVENUE ? release->prices_per_unit
                            : score == SOTTO_SCORE_QUANTILE
                                ? (double)release->rank_denominator
                                : 1.0;
    const char *what =
        score == SOTTO_SCORE_REVENUE
            ? "the revenue of the choice falls short of the best by less than"
        : score == SOTTO_SCORE_QUANTILE
            ? "its rank is farther off than the best candidate's by fewer "
              "rows than"
        : score == SOTTO_SCORE_COUNT
            ? "the choice has fewer rows than the most common by less than"
            : "the score of the choice is below the best by less than";
    return sot_release_state_accuracy(release, release->candidate_count, per_unit, what,
                                      error);
}

static double candidate_value(const sot_release *release, size_t index)
{
    return release->candidates != NULL ? release->candidates[index] : SOTTO_UNSET;
}

static sotto_status publish_choice(sot_release *release, sotto_gate *gate,
                                   sotto_error *error)
{
    size_t choice = 0;
    char label[SOT_DOUBLE_TEXT_BYTES];
    if (release->candidates != NULL) slots_to_scores(release);
    const sotto_status status = choose(release, gate, &choice, error);
    if (status != SOTTO_OK) return status;
    return conclude_choice(release, candidate_label(release, choice, label),
                           candidate_value(release, choice), error);
}

/* Candidates that came with their scores are in no file. */
static sotto_status restate_choice(sot_release *release, const sot_json_value *file,
                                   sotto_error *error)
{
    char label[SOT_DOUBLE_TEXT_BYTES];
    sot_stated_value stated;
    const sotto_status status = sot_release_stated(file, 0, &stated, error);
    if (status != SOTTO_OK) return status;
    if (sot_release_scores_are_given(release))
        return conclude_choice(release, stated.label, SOTTO_UNSET, error);
    for (size_t i = 0; i < release->candidate_count; i++)
        if (strcmp(candidate_label(release, i, label), stated.label) == 0)
            return conclude_choice(release, candidate_label(release, i, label),
                                   candidate_value(release, i), error);
    return sot_fail(error, SOTTO_VERIFICATION, "values[0].label is no candidate");
}

const sot_statistic sot_statistic_choice = {.name = "choice",
                                            .needs_column = true,
                                            .prepare = prepare_choice,
                                            .take = take_choice,
                                            .publish = publish_choice,
                                            .restate = restate_choice};
