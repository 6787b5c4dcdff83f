/* Scores of membership inference. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <sotto/audit_statistics.h>

#include "base/error.h"
#include "base/memory.h"
#include "commands/audit/scores.h"
#include "numeric/special.h"
#include "numeric/sum.h"

static const double log_two_pi = 1.8378770664093453;

/* ---- LiRA ---- */

sotto_status sotto_lira_fit_of(const double *values, size_t count,
                               sotto_lira_fit *out_fit, sotto_error *error)
{
    const sotto_status status =
        sot_audit_check_scores(values, count, 1, "shadow models", error);
    if (status != SOTTO_OK) return status;
    double *sorted = sot_new_array(count, sizeof *sorted);
    if (sorted == NULL) return sot_fail_memory(error, count, sizeof *sorted);
    memcpy(sorted, values, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, sot_compare_scores);
    sot_sum sum = {0}, squares = {0};
    for (size_t i = 0; i < count; i++)
        sot_sum_add(&sum, values[i]);
    sotto_lira_fit fit = {.count = count, .mean = sot_sum_value(&sum) / (double)count};
    for (size_t i = 0; i < count; i++)
        sot_sum_add(&squares, (values[i] - fit.mean) * (values[i] - fit.mean));
    fit.deviation = sqrt(sot_sum_value(&squares) / (double)count);
    fit.median = count % 2 == 1 ? sorted[count / 2]
                                : (sorted[count / 2 - 1] + sorted[count / 2]) / 2.0;
    sot_free(sorted);
    *out_fit = fit;
    return SOTTO_OK;
}

double sotto_lira_pooled_deviation(const sotto_lira_fit *fits, size_t examples)
{
    sot_sum squares = {0};
    double count = 0.0;
    for (size_t i = 0; i < examples; i++) {
        const double each = (double)fits[i].count;
        sot_sum_add(&squares, each * fits[i].deviation * fits[i].deviation);
        count += each;
    }
    return count > 0.0 ? sqrt(sot_sum_value(&squares) / count) : 0.0;
}

/* (phi - centre)/deviation. */
static double distance_of(double phi, const sotto_lira_fit *fit, sotto_lira_centre centre)
{
    const double middle = centre == SOTTO_LIRA_MEDIAN ? fit->median : fit->mean;
    return (phi - middle) / fmax(fit->deviation, 1e-30);
}

static double log_density(double phi, const sotto_lira_fit *fit, sotto_lira_centre centre)
{
    const double z = distance_of(phi, fit, centre);
    return -0.5 * (z * z + log_two_pi) - log(fmax(fit->deviation, 1e-30));
}

double sotto_lira_online(double phi, const sotto_lira_fit *in, const sotto_lira_fit *out,
                         sotto_lira_centre centre)
{
    return log_density(phi, in, centre) - log_density(phi, out, centre);
}

double sotto_lira_offline(double phi, const sotto_lira_fit *out, sotto_lira_centre centre)
{
    return sot_ndtr(distance_of(phi, out, centre));
}

double sotto_lira_offline_two_sided(double phi, const sotto_lira_fit *out,
                                    sotto_lira_centre centre)
{
    return -log_density(phi, out, centre);
}

/* Laplace's rule of succession: never 0 or 1, and 1/2 of no shadow. */
static double rate_of(const sotto_lira_labels *labels)
{
    return ((double)labels->right + 1.0) / ((double)labels->count + 2.0);
}

double sotto_lira_labels_online(bool right, const sotto_lira_labels *in,
                                const sotto_lira_labels *out)
{
    const double with = rate_of(in), without = rate_of(out);
    return right ? log(with / without) : log((1.0 - with) / (1.0 - without));
}

double sotto_lira_labels_offline(bool right, const sotto_lira_labels *out)
{
    const double rate = rate_of(out);
    return right ? 1.0 - rate / 2.0 : (1.0 - rate) / 2.0;
}

/* ---- RMIA ---- */

double sotto_rmia_ratio(double probability, const double *references, size_t count,
                        double a)
{
    sot_sum sum = {0};
    for (size_t i = 0; i < count; i++)
        sot_sum_add(&sum, references[i]);
    const double mean = count > 0 ? sot_sum_value(&sum) / (double)count : 0.0;
    return probability / ((1.0 + a) / 2.0 * mean + (1.0 - a) / 2.0);
}

double sotto_rmia_score(double ratio, const double *population, size_t count,
                        double gamma)
{
    size_t beaten = 0;
    for (size_t i = 0; i < count; i++)
        beaten += ratio / population[i] > gamma ? 1 : 0;
    return count > 0 ? (double)beaten / (double)count : SOTTO_UNSET;
}
