/* Rates at every threshold. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <sotto/audit_statistics.h>

#include "base/error.h"
#include "base/memory.h"
#include "commands/audit/scores.h"
#include "numeric/sum.h"

struct sotto_roc {
    sotto_roc_point *points;
    size_t size;
};

/* Both arrays are sorted, ascending; they are read from the top. */
static void fill(sotto_roc *roc, const double *members, size_t member_count,
                 const double *others, size_t other_count)
{
    size_t found = 0, accused = 0;
    roc->points[roc->size++] = (sotto_roc_point){.threshold = HUGE_VAL};
    while (found < member_count || accused < other_count) {
        double threshold = -HUGE_VAL;
        if (found < member_count) threshold = members[member_count - 1 - found];
        if (accused < other_count)
            threshold = fmax(threshold, others[other_count - 1 - accused]);
        while (found < member_count && members[member_count - 1 - found] >= threshold)
            found++;
        while (accused < other_count && others[other_count - 1 - accused] >= threshold)
            accused++;
        roc->points[roc->size++] = (sotto_roc_point){
            .threshold = threshold,
            .false_positive_rate = (double)accused / (double)other_count,
            .true_positive_rate = (double)found / (double)member_count};
    }
}

sotto_status sotto_roc_new(const double *members, size_t member_count,
                           const double *others, size_t other_count, sotto_roc **out_roc,
                           sotto_error *error)
{
    sotto_status status =
        sot_audit_check_scores(members, member_count, 1, "members", error);
    if (status == SOTTO_OK)
        status = sot_audit_check_scores(others, other_count, 1, "non-members", error);
    if (status != SOTTO_OK) return status;
    const size_t count = member_count + other_count;
    double *sorted = sot_new_array(count, sizeof *sorted);
    sotto_roc *roc = sot_new_array(1, sizeof *roc);
    if (roc != NULL) roc->points = sot_new_array(count + 1, sizeof *roc->points);
    if (sorted == NULL || roc == NULL || roc->points == NULL) {
        status = sot_fail_memory(error, count + 1, sizeof *roc->points);
        sotto_roc_free(roc);
        sot_free(sorted);
        return status;
    }
    memcpy(sorted, members, member_count * sizeof *sorted);
    memcpy(sorted + member_count, others, other_count * sizeof *sorted);
    qsort(sorted, member_count, sizeof *sorted, sot_compare_scores);
    qsort(sorted + member_count, other_count, sizeof *sorted, sot_compare_scores);
    fill(roc, sorted, member_count, sorted + member_count, other_count);
    sot_free(sorted);
    *out_roc = roc;
    return SOTTO_OK;
}

void sotto_roc_free(sotto_roc *roc)
{
    if (roc == NULL) return;
    sot_free(roc->points);
    sot_free(roc);
}

size_t sotto_roc_size(const sotto_roc *roc)
{
    return roc->size;
}

const sotto_roc_point *sotto_roc_points(const sotto_roc *roc)
{
    return roc->points;
}

/* Trapezoids: equal scores count one half. */
double sotto_roc_area(const sotto_roc *roc)
{
    sot_sum area = {0};
    for (size_t i = 1; i < roc->size; i++) {
        const sotto_roc_point *a = &roc->points[i - 1], *b = &roc->points[i];
        sot_sum_add(&area, (b->false_positive_rate - a->false_positive_rate) *
                               (a->true_positive_rate + b->true_positive_rate) / 2.0);
    }
    return sot_sum_value(&area);
}

double sotto_roc_advantage(const sotto_roc *roc)
{
    double most = 0.0;
    for (size_t i = 0; i < roc->size; i++)
        most = fmax(most, roc->points[i].true_positive_rate -
                              roc->points[i].false_positive_rate);
    return most;
}

double sotto_roc_true_positive_rate(const sotto_roc *roc, double rate)
{
    double most = 0.0;
    for (size_t i = 0; i < roc->size; i++) {
        if (roc->points[i].false_positive_rate <= rate)
            most = fmax(most, roc->points[i].true_positive_rate);
    }
    return most;
}
