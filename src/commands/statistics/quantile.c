/* Quantiles: the points of a public grid, scored by their rank. Claims: release.md. */
#include <math.h>
#include <stdio.h>

#include <sotto/exponential.h>
#include <sotto/grid.h>

#include "base/error.h"
#include "base/memory.h"
#include "commands/session/prose.h"
#include "commands/statistics/release.h"

enum { QUANTILE_BITS = 20 };

/* ---- ranks ---- */

sotto_status sot_release_set_rank(sot_release *release, sotto_error *error)
{
    const double q = release->config->quantile;
    const double thousandths = nearbyint(q * 1000.0);
    if (!(q > 0.0 && q < 1.0) || !(fabs(q * 1000.0 - thousandths) < 1e-9) ||
        thousandths < 1.0) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "`quantile` is %g; it lies between 0 and 1, with at most three "
                        "decimals; for example `quantile=0.5`",
                        q);
    }
    uint64_t a = (uint64_t)thousandths;
    uint64_t b = 1000;
    for (uint64_t d = 2; d <= 5; d += 3) { /* 1000 = 2^3 5^3 */
        while (a % d == 0 && b % d == 0) {
            a /= d;
            b /= d;
        }
    }
    release->rank_numerator = a;
    release->rank_denominator = b;
    return SOTTO_OK;
}

/* -max(0, b below - a n, a n - b at_most): 0 where the wanted rank a n / b falls on the
 * candidate. */
int64_t sot_rank_score(const sot_release *release, uint64_t below, uint64_t at_most)
{
    const int64_t wanted = (int64_t)(release->rank_numerator * release->rows);
    const int64_t over = (int64_t)(release->rank_denominator * below) - wanted;
    const int64_t under = wanted - (int64_t)(release->rank_denominator * at_most);
    const int64_t worst = over > under ? over : under;
    return worst > 0 ? -worst : 0;
}

void sot_rank_selection(sot_release *release)
{
    const uint64_t a = release->rank_numerator;
    const uint64_t b = release->rank_denominator;
    const uint64_t larger = a > b - a ? a : b - a;
    release->selection.sensitivity =
        release->unit_rows *
        (release->config->adjacency == SOTTO_REPLACE_ONE ? b : larger);
    release->selection.change = SOTTO_CHANGE_ANY;
}

/* ---- the accuracy theorem ---- */

sotto_status sot_release_state_accuracy(sot_release *release, uint64_t candidates,
                                        double per_unit, const char *what,
                                        sotto_error *error)
{
    uint64_t range, shortfall;
    const sotto_selection_config *selection = &release->selection;
    sotto_status status = sotto_selection_range(selection, &range, error);
    if (status == SOTTO_OK) {
        status = sotto_selection_shortfall(
            selection, candidates, 1.0 - release->config->confidence, &shortfall, error);
    }
    if (status != SOTTO_OK) return status;
    char epsilon[SOT_SHOWN_BYTES], amount[SOT_SHOWN_BYTES], sure[SOT_SHOWN_BYTES];
    release->shortfall = (double)shortfall / per_unit;
    sot_shown(selection->epsilon, 0, epsilon);
    sot_shown(release->shortfall, 1, amount);
    sot_shown(release->config->confidence, 0, sure);
    const bool any = selection->change == SOTTO_CHANGE_ANY;
    (void)snprintf(
        release->accuracy, sizeof release->accuracy,
        "P(u <= OPT - t) <= |Y| exp(-epsilon t/%s), with |Y| = %llu, epsilon = %s, "
        "Delta = %llu, t in units of the score. With probability at least %s %s %s",
        any ? "(2 Delta)" : "Delta", (unsigned long long)candidates, epsilon,
        (unsigned long long)selection->sensitivity, sure, what, amount);
    return SOTTO_OK;
}

/* ---- quantile ---- */

/* Candidates are the points of a grid of at most 2^20 + 1 points between the bounds; whole numbers
 * if these are few enough. */
static sotto_status prepare_quantile(sot_release *release, sotto_error *error)
{
    sotto_status status = sot_release_need_number(release, error);
    if (status == SOTTO_OK) status = sot_release_set_rank(release, error);
    if (status != SOTTO_OK) return status;
    const sotto_column *column = release->described;
    int exponent;
    status = sotto_grid_exponent(column->upper - column->lower, QUANTILE_BITS - 1,
                                 &exponent, error);
    if (status != SOTTO_OK) return status;
    if (column->type != SOTTO_COLUMN_NUMBER && exponent < 0) exponent = 0;
    release->grid = ldexp(1.0, exponent);
    release->centre = column->lower;
    release->least = 0;
    release->most = (int64_t)floor((column->upper - column->lower) / release->grid);
    sot_rank_selection(release);
    release->selection.purpose = "quantile";
    status = sot_release_add_choice(release, error);
    if (status == SOTTO_OK)
        status = sot_release_make_exact(release, (uint64_t)release->most + 1, error);
    if (status == SOTTO_OK) {
        status = sot_release_state_accuracy(
            release, release->size, (double)release->rank_denominator,
            "the rank of the value is off by fewer rows than", error);
    }
    return status;
}

static sotto_status take_point(sot_release *release, double value, sotto_error *error)
{
    (void)error;
    release->exact[sot_release_round(release, value)]++;
    return SOTTO_OK;
}

/* Counts become scores in place; the ends of the cells are the points themselves. */
static void counts_to_scores(sot_release *release, uint64_t *ends)
{
    uint64_t below = 0;
    for (uint64_t i = 0; i < release->size; i++) {
        const uint64_t at_most = below + (uint64_t)release->exact[i];
        release->exact[i] = sot_rank_score(release, below, at_most);
        below = at_most;
        ends[i] = i + 1;
    }
}

static sotto_status conclude_quantile(sot_release *release, uint64_t point,
                                      sotto_error *error)
{
    const sotto_status status = sot_release_make_values(release, 1, error);
    if (status != SOTTO_OK) return status;
    const double value = release->centre + (double)point * release->grid;
    return sot_release_set_value(release, 0, "quantile", value, SOTTO_UNSET, SOTTO_UNSET,
                                 error);
}

static sotto_status publish_quantile(sot_release *release, sotto_gate *gate,
                                     sotto_error *error)
{
    uint64_t point;
    uint64_t *ends = sot_new_array(release->size, sizeof *ends);
    if (ends == NULL) return sot_fail_memory(error, release->size, sizeof *ends);
    counts_to_scores(release, ends);
    sotto_status status = sotto_exponential_choose_point(
        gate, &release->selection, release->exact, ends, release->size, &point, error);
    sot_free(ends);
    return status == SOTTO_OK ? conclude_quantile(release, point, error) : status;
}

static sotto_status restate_quantile(sot_release *release, const sot_json_value *file,
                                     sotto_error *error)
{
    int64_t point = 0;
    const sotto_status status =
        sot_release_stated_units(file, 0, release->centre, release->grid, &point, error);
    if (status != SOTTO_OK) return status;
    if (point < 0 || point > release->most)
        return sot_fail(error, SOTTO_VERIFICATION,
                        "values[0] is no candidate between the bounds of the column");
    return conclude_quantile(release, (uint64_t)point, error);
}

const sot_statistic sot_statistic_quantile = {.name = "quantile",
                                              .needs_column = true,
                                              .prepare = prepare_quantile,
                                              .take = take_point,
                                              .publish = publish_quantile,
                                              .restate = restate_quantile};
