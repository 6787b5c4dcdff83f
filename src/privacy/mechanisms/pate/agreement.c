/* The agreement of teachers: sums of votes between public edges, under Gaussian noise. agreement.md has the proof. */
#include <sotto/pate_agreement.h>

#include <inttypes.h>
#include <math.h>

#include <sotto/gaussian.h>

#include "base/error.h"
#include "base/memory.h"
#include "numeric/outward.h"
#include "privacy/mechanisms/pate/cost.h"
#include "privacy/mechanisms/pate/pate.h"
#include "random/rounded_gaussian/rounded_gaussian.h"

enum { BINS_BY_RULE = 10 };

/* As of the noise on votes. */
#define NOISE_LEAST 0x1p-20
#define NOISE_MOST  0x1p20
#define QUERIES_MAX (UINT64_C(1) << 32)

sotto_pate_agreement_config sotto_pate_agreement_defaults(void)
{
    return (sotto_pate_agreement_config){.noise = SOTTO_UNSET, .bins = 0};
}

/* ---- settings ---- */

/* A share is the difference of two sums of deviation `noise` votes a query, and a bin has
 * teachers/bins votes. So `1.96 sqrt2 noise bins/teachers` is at most 1/4. All numbers are
 * public. */
static uint64_t bins_of(const sotto_pate_config *config,
                        const sotto_pate_agreement_config *agreement)
{
    if (agreement->bins > 0) return agreement->bins;
    const double most =
        0.25 * (double)config->teachers / (1.96 * sqrt(2.0) * agreement->noise);
    if (!(most >= 2.0)) return 1;
    const uint64_t bins = most < BINS_BY_RULE ? (uint64_t)most : BINS_BY_RULE;
    return bins < config->teachers ? bins : config->teachers;
}

static sotto_status check_bins(const sotto_pate_config *config,
                               const sotto_pate_agreement_config *agreement,
                               size_t classes, sotto_error *error)
{
    if (config->teachers < 2 || config->teachers > (uint64_t)SOT_PATE_VOTES_MAX) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "`ensemble` is %" PRIu64
                        "; the agreement is a share of this public number of teachers, "
                        "from 2 to 2^24; for example `ensemble=250`",
                        config->teachers);
    }
    if (agreement->bins > SOTTO_PATE_AGREEMENT_BINS_MAX ||
        agreement->bins > config->teachers) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "`agreement_bins` is %" PRIu64
                        "; give 1 to %d, no more than there are teachers; leave it out "
                        "for the default",
                        agreement->bins, SOTTO_PATE_AGREEMENT_BINS_MAX);
    }
    if (classes < 2) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "there are %zu classes; give at least two", classes);
    }
    return SOTTO_OK;
}

sotto_status sotto_pate_agreement_edges(const sotto_pate_config *config,
                                        const sotto_pate_agreement_config *agreement,
                                        size_t classes, int64_t *out_edges,
                                        size_t *out_count, sotto_error *error)
{
    const sotto_status status = check_bins(config, agreement, classes, error);
    if (status != SOTTO_OK) return status;
    const uint64_t bins = bins_of(config, agreement), teachers = config->teachers;
    const uint64_t reached = (teachers + classes - 1) / classes; /* by every full vote */
    uint64_t first = 0;
    while (first + 1 < bins && ((first + 1) * teachers + bins - 1) / bins <= reached)
        first++;
    for (uint64_t i = first; i <= bins; i++)
        out_edges[i - first] = (int64_t)((i * teachers + bins - 1) / bins);
    *out_count = (size_t)(bins - first + 1);
    return SOTTO_OK;
}

/* Sensitivity: every query may move by `touched` votes, each in one sum. */
static sotto_status gaussian_of(const sotto_pate_config *config,
                                const sotto_pate_agreement_config *agreement,
                                uint64_t queries, char purpose[SOTTO_PURPOSE_BYTES],
                                sotto_gaussian_config *out, sotto_error *error)
{
    sotto_pate_sensitivity moved;
    sotto_status status = sot_pate_check(config, error);
    if (status == SOTTO_OK) status = sotto_pate_sensitivity_of(config, &moved, error);
    if (status != SOTTO_OK) return status;
    if (queries < 1 || queries > QUERIES_MAX) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "the agreement is that of %" PRIu64
                        " queries; give 1 to 2^32, a public number",
                        queries);
    }
    if (!(agreement->noise >= NOISE_LEAST && agreement->noise <= NOISE_MOST)) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "`agreement` is %g votes a query; it lies from 1e-6 to 1e6; for "
                        "example `agreement=5`",
                        agreement->noise);
    }
    status = sot_pate_purpose(config, " (agreement)", purpose, error);
    if (status != SOTTO_OK) return status;
    *out = sotto_gaussian_defaults();
    out->l2_sensitivity = (double)queries * moved.largest; /* at most 2^52: exact */
    out->sigma = sot_mul_up((double)queries, agreement->noise);
    out->adjacency = config->adjacency;
    out->purpose = purpose;
    return SOTTO_OK;
}

sotto_status sotto_pate_agreement_event(const sotto_pate_config *config,
                                        const sotto_pate_agreement_config *agreement,
                                        uint64_t queries, sotto_event *out_event,
                                        sotto_error *error)
{
    char purpose[SOTTO_PURPOSE_BYTES];
    sotto_gaussian_config gaussian;
    const sotto_status status =
        gaussian_of(config, agreement, queries, purpose, &gaussian, error);
    return status == SOTTO_OK ? sotto_gaussian_event(&gaussian, out_event, error)
                              : status;
}

/* ---- the sums ---- */

/* The number of votes from `edge` to `next` that a count reaches. */
static int64_t reached_between(int64_t count, int64_t edge, int64_t next)
{
    const int64_t above = count > edge ? count - edge : 0;
    return above < next - edge ? above : next - edge;
}

void sot_pate_agreement_sums(const int64_t *votes, uint64_t queries, size_t classes,
                             const int64_t *edges, size_t bins, int64_t *out_sums)
{
    for (size_t j = 0; j < bins; j++)
        out_sums[j] = 0;
    for (uint64_t query = 0; query < queries; query++) {
        const int64_t *counts = votes + query * classes;
        const int64_t top = counts[sot_pate_first_largest(counts, classes)];
        for (size_t j = 0; j < bins; j++)
            out_sums[j] += reached_between(top, edges[j], edges[j + 1]);
    }
}

sotto_status sotto_pate_agreement_release(sotto_gate *gate,
                                          const sotto_pate_config *config,
                                          const sotto_pate_agreement_config *agreement,
                                          const int64_t *votes, uint64_t queries,
                                          size_t classes, int64_t *out_sums,
                                          sotto_error *error)
{
    int64_t edges[SOTTO_PATE_AGREEMENT_BINS_MAX + 1];
    int64_t sums[SOTTO_PATE_AGREEMENT_BINS_MAX];
    char purpose[SOTTO_PURPOSE_BYTES];
    sotto_gaussian_config gaussian;
    size_t count = 0;
    sotto_status status =
        gaussian_of(config, agreement, queries, purpose, &gaussian, error);
    if (status == SOTTO_OK)
        status =
            sotto_pate_agreement_edges(config, agreement, classes, edges, &count, error);
    if (status != SOTTO_OK) return status;
    sot_pate_agreement_sums(votes, queries, classes, edges, count - 1, sums);
    status = sotto_gaussian_release(gate, &gaussian, sums, count - 1, out_sums, error);
    sot_wipe(sums, sizeof sums);
    return status;
}

double sot_pate_agreement_sampler_error(uint64_t bins)
{
    return ldexp((double)bins, SOT_ROUNDED_GAUSSIAN_LOG2_TV); /* exact */
}

/* ---- estimates ---- */

/* Pool adjacent violators: the descending sequence nearest to `mean` in squares weighted by `weight`; both are overwritten. */
static void make_descend(double *mean, double *weight, size_t count)
{
    size_t size[SOTTO_PATE_AGREEMENT_BINS_MAX];
    double level[SOTTO_PATE_AGREEMENT_BINS_MAX];
    size_t blocks = 0;
    for (size_t i = 0; i < count; i++) {
        level[blocks] = mean[i];
        weight[blocks] = weight[i];
        size[blocks++] = 1;
        while (blocks > 1 && level[blocks - 1] > level[blocks - 2]) {
            const double both = weight[blocks - 2] + weight[blocks - 1];
            level[blocks - 2] = (weight[blocks - 2] * level[blocks - 2] +
                                 weight[blocks - 1] * level[blocks - 1]) /
                                both;
            weight[blocks - 2] = both;
            size[blocks - 2] += size[blocks - 1];
            blocks--;
        }
    }
    for (size_t i = 0, block = 0; block < blocks; block++)
        for (size_t k = 0; k < size[block]; k++)
            mean[i++] = level[block];
}

static sotto_status check_sums(const int64_t *edges, size_t edge_count, uint64_t queries,
                               uint64_t teachers, double sigma, sotto_error *error)
{
    bool fine = edge_count >= 2 && edge_count <= SOTTO_PATE_AGREEMENT_BINS_MAX + 1 &&
                queries >= 1 && queries <= QUERIES_MAX && teachers >= 2 &&
                teachers <= (uint64_t)SOT_PATE_VOTES_MAX && sigma >= 0.0 && !isinf(sigma);
    for (size_t i = 0; fine && i < edge_count; i++)
        fine = edges[i] >= 0 && edges[i] <= (int64_t)teachers &&
               (i == 0 || edges[i] > edges[i - 1]);
    if (fine) return SOTTO_OK;
    return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                    "the agreement's edges do not ascend within the number of teachers, "
                    "or its numbers are out of range");
}

sotto_status sotto_pate_agreement_shares(const int64_t *edges, size_t edge_count,
                                         const int64_t *sums, uint64_t queries,
                                         uint64_t teachers, double sigma,
                                         sotto_pate_agreement *out_agreement,
                                         sotto_error *error)
{
    double reached[SOTTO_PATE_AGREEMENT_BINS_MAX], weight[SOTTO_PATE_AGREEMENT_BINS_MAX];
    const sotto_status status =
        check_sums(edges, edge_count, queries, teachers, sigma, error);
    if (status != SOTTO_OK) return status;
    const size_t bins = edge_count - 1;
    const double asked = (double)queries, voters = (double)teachers;
    double votes = (double)edges[0];
    sotto_pate_agreement out = {.count = edge_count};
    for (size_t j = 0; j < bins; j++) {
        const double width = (double)(edges[j + 1] - edges[j]);
        reached[j] = (double)sums[j] / (asked * width);
        weight[j] = width * width; /* one over the noise's variance, up to a factor */
        votes += (double)sums[j] / asked;
    }
    make_descend(reached, weight, bins);
    for (size_t j = 0; j <= bins; j++) {
        const double here = j == 0 ? 1.0 : fmin(1.0, fmax(0.0, reached[j - 1]));
        const double next = j == bins ? 0.0 : fmin(1.0, fmax(0.0, reached[j]));
        const double before = j == 0 ? 0.0 : 1.0 / (double)(edges[j] - edges[j - 1]);
        const double behind = j == bins ? 0.0 : 1.0 / (double)(edges[j + 1] - edges[j]);
        out.at[j] = (double)edges[j] / voters;
        out.share[j] = here - next;
        out.deviation[j] = sigma / asked * hypot(before, behind);
    }
    out.mean = fmin(1.0, fmax(out.at[0], votes / voters));
    out.mean_deviation = sigma * sqrt((double)bins) / (asked * voters);
    *out_agreement = out;
    return SOTTO_OK;
}
