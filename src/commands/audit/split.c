/* A threshold from one half of the runs, counts from the other. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <sotto/audit_statistics.h>

#include "base/error.h"
#include "base/memory.h"
#include "commands/audit/scores.h"
#include "numeric/special.h"

sotto_status sot_audit_check_scores(const double *scores, size_t count, size_t least,
                                    const char *whose, sotto_error *error)
{
    if (count < least) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "there are %zu scores of %s; give at least %zu", count, whose,
                        least);
    }
    for (size_t i = 0; i < count; i++) {
        if (!isnan(scores[i])) continue;
        return sot_fail(
            error, SOTTO_INVALID_ARGUMENT,
            "score %zu of %s is not a number; give -inf where the attack has no score",
            i + 1, whose);
    }
    return SOTTO_OK;
}

int sot_compare_scores(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Returns Wilson's limit instead of Clopper and Pearson's: close enough for a choice, and cheap.
 * The choice needs no proof. `z` is positive for the upper limit. */
static double wilson(double k, double n, double z)
{
    const double square = z * z;
    const double centre = k + square / 2.0;
    const double reach = z * sqrt(k * (n - k) / n + square / 4.0);
    return fmin(1.0, fmax(0.0, (centre + reach) / (n + square)));
}

typedef struct aim {
    sotto_audit_aim kind;
    double z, delta;
    double members, others; /* of the runs that will be counted */
} aim;

/* Returns the bound that these rates predict for the other half. */
static double promise(const aim *at, double found, double accused)
{
    const double high = wilson(found * at->members, at->members, -at->z);
    const double low = wilson(accused * at->others, at->others, at->z);
    if (at->kind == SOTTO_AIM_MU)
        return sot_normal_quantile(high) - sot_normal_quantile(low);
    const double accuse = (high - at->delta) / low;
    const double acquit = (1.0 - low - at->delta) / (1.0 - high);
    return fmax(accuse, acquit);
}

/* Both arrays are sorted. Returns the best of all thresholds that are scores of members: between
 * two of them a lower threshold only flags more of the others. */
static double best_threshold(const aim *at, const double *members, size_t member_count,
                             const double *others, size_t other_count)
{
    double best = members[0], most = -HUGE_VAL;
    size_t below = 0; /* others below the threshold */
    for (size_t i = 0; i < member_count; i++) {
        if (i > 0 && members[i] == members[i - 1]) continue;
        while (below < other_count && others[below] < members[i])
            below++;
        const double found = (double)(member_count - i) / (double)member_count;
        const double accused = (double)(other_count - below) / (double)other_count;
        const double promised = promise(at, found, accused);
        if (promised > most) {
            most = promised;
            best = members[i];
        }
    }
    return best;
}

static uint64_t count_from(const double *scores, size_t count, double threshold)
{
    uint64_t reached = 0;
    for (size_t i = 0; i < count; i++)
        reached += scores[i] >= threshold ? 1 : 0;
    return reached;
}

sotto_status sotto_audit_split(const double *members, size_t member_count,
                               const double *others, size_t other_count,
                               sotto_audit_aim aim_kind, double alpha, double delta,
                               double *out_threshold, sotto_audit_counts *out_counts,
                               sotto_error *error)
{
    sotto_status status =
        sot_audit_check_scores(members, member_count, 4, "runs with the record", error);
    if (status == SOTTO_OK) {
        status = sot_audit_check_scores(others, other_count, 4, "runs without the record",
                                        error);
    }
    if (status == SOTTO_OK) status = sot_audit_check_levels(alpha, delta, error);
    if (status == SOTTO_OK && aim_kind != SOTTO_AIM_MU && aim_kind != SOTTO_AIM_EPSILON) {
        status = sot_fail(error, SOTTO_INVALID_ARGUMENT,
                          "the aim is %d; set it to SOTTO_AIM_MU or SOTTO_AIM_EPSILON",
                          (int)aim_kind);
    }
    if (status != SOTTO_OK) return status;

    const size_t m = member_count / 2, n = other_count / 2;
    double *sorted = sot_new_array(m + n, sizeof *sorted);
    if (sorted == NULL) return sot_fail_memory(error, m + n, sizeof *sorted);
    memcpy(sorted, members, m * sizeof *sorted);
    memcpy(sorted + m, others, n * sizeof *sorted);
    qsort(sorted, m, sizeof *sorted, sot_compare_scores);
    qsort(sorted + m, n, sizeof *sorted, sot_compare_scores);
    const aim at = {.kind = aim_kind,
                    .z = -sot_normal_quantile(alpha / 2.0),
                    .delta = delta,
                    .members = (double)(member_count - m),
                    .others = (double)(other_count - n)};
    const double threshold = best_threshold(&at, sorted, m, sorted + m, n);
    *out_threshold = threshold;
    *out_counts = (sotto_audit_counts){
        .true_positives = count_from(members + m, member_count - m, threshold),
        .members = member_count - m,
        .false_positives = count_from(others + n, other_count - n, threshold),
        .others = other_count - n};
    sot_free(sorted);
    return SOTTO_OK;
}
