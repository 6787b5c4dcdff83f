/* From noisy counts to scores with intervals. Claims: release.md, "Scores". */
#include <math.h>
#include <stdbool.h>

#include "commands/statistics/scores.h"
#include "numeric/special.h"

enum { M = SOT_SCORE_CELLS, COUNTS = SOT_SCORE_COUNTS, GROUP = M / SOT_SCORE_GROUPS };

/* No cell stands for a smaller probability: a log loss is at most 20 log 2 per row. */
#define LEAST 0x1p-20

/* Edge i is at the logit centre + FINEST sinh(GROWTH (i - 32))/GROWTH. Cells have the width 0.06 around the
 * centre and 0.12 |z| at a distance z. They reach 10 logits to either side. */
#define FINEST      0.06
#define GROWTH      0.115
#define CENTRE_MOST 7.0

/* A verifier computes the cells again: a grid of 2^-30 hides the last places of exp() and sinh(). */
static double probability_at(double centre, double position)
{
    const double logit = centre + FINEST / GROWTH * sinh(GROWTH * (position - 0.5 * M));
    return nearbyint(ldexp(1.0 / (1.0 + exp(-logit)), 30)) * 0x1p-30;
}

void sot_score_make_cells(double threshold, sot_score_cells *out)
{
    const bool inside = threshold > 0.0 && threshold < 1.0;
    const double logit = inside ? log(threshold / (1.0 - threshold)) : 0.0;
    const double centre = fmin(fmax(logit, -CENTRE_MOST), CENTRE_MOST);
    const double moved = 0.5 * M + asinh((logit - centre) * GROWTH / FINEST) / GROWTH;
    /* At 0 every row is predicted as the second class, at 1 only those of probability 1. */
    out->threshold = threshold <= 0.0   ? 0
                     : threshold >= 1.0 ? M - 1
                                        : (int)fmin(fmax(nearbyint(moved), 1.0), M - 1.0);
    double before = 0.0;
    for (int i = 0; i <= M; i++) {
        const bool here = i == out->threshold && inside;
        const double position = here ? fmin(fmax(moved, 0.0), M) : i;
        out->edges[i] = here ? threshold : probability_at(centre, position);
        if (i > 0) {
            const double middle = probability_at(centre, 0.5 * (before + position));
            out->middles[i - 1] = fmin(fmax(middle, LEAST), 1.0 - LEAST);
        }
        before = position;
    }
    out->edges[0] = 0.0;
    out->edges[M] = 1.0;
    if (threshold >= 1.0) out->edges[M - 1] = 1.0;
}

int sot_score_cell_of(const double edges[SOT_SCORE_CELLS + 1], double probability)
{
    int low = 0, high = M;
    while (high - low > 1) {
        const int middle = low + (high - low) / 2;
        if (probability >= edges[middle])
            low = middle;
        else
            high = middle;
    }
    return low; /* NaN: the first */
}

/* ---- intervals ---- */

static const sot_score no_score = {
    .value = (double)NAN, .lower = (double)NAN, .upper = (double)NAN};

/* The score and {theta: p2 theta^2 - 2 p1 theta + p0 <= 0}, both within [0, most]; everything if the
 * set is not an interval. */
static sot_score score_of(double value, double p2, double p1, double p0, double most)
{
    const double square = p1 * p1 - p2 * p0;
    /* Without noise it is 0 but for rounding. */
    const double root = fabs(square) <= 1e-12 * p1 * p1 ? 0.0 : sqrt(square);
    sot_score score = {
        .value = fmin(fmax(value, 0.0), most), .lower = 0.0, .upper = most};
    if (!(p2 > 0.0) || isnan(root)) return score;
    score.lower = fmin(fmax((p1 - root) / p2, 0.0), score.value);
    score.upper = fmax(fmin((p1 + root) / p2, most), score.value);
    return score;
}

/* The normal quantile, corrected for the excess kurtosis of the sum (Cornish and Fisher 1938). */
static double quantile_of(const sot_score_noise *noise, double excess)
{
    const double z = sot_normal_quantile(0.5 + 0.5 * noise->confidence);
    return z + fmax(0.0, z * (z * z - 3.0)) * excess / 24.0;
}

/* Returns c.x / d.x for counts x, with Fieller's interval: (c - theta d).x has mean 0 at the truth. The
 * weights d are 0 or 1. */
static sot_score ratio_of(const double c[COUNTS], const double d[COUNTS],
                          const int64_t counts[COUNTS], const sot_score_noise *noise,
                          double most)
{
    double x = 0.0, y = 0.0, cc = 0.0, cd = 0.0, dd = 0.0;
    for (int i = 0; i < COUNTS; i++) {
        x += c[i] * (double)counts[i];
        y += d[i] * (double)counts[i];
        cc += c[i] * c[i];
        cd += c[i] * d[i];
        dd += d[i] * d[i];
    }
    if (!(y > 4.0 * noise->deviation * sqrt(dd))) return no_score;
    double squares = 0.0, fourths = 0.0;
    for (int i = 0; i < COUNTS; i++) {
        const double weight = c[i] - x / y * d[i];
        squares += weight * weight;
        fourths += weight * weight * weight * weight;
    }
    const double excess =
        squares > 0.0 ? noise->excess * fourths / (squares * squares) : 0.0;
    const double reach = quantile_of(noise, excess) * noise->deviation;
    const double v = reach * reach;
    return score_of(x / y, y * y - v * dd, x * y - v * cd, x * x - v * cc, most);
}

/* The score a'Kb / AB, with a and b the counts of the classes. T(theta) = a'(K - theta)b has mean 0 at the
 * truth. Its variance is estimated without bias from the noisy counts. */
typedef double kernel_function(int i, int j, int threshold);

static double auc_kernel(int i, int j, int threshold)
{
    (void)threshold;
    return i == j ? 0.5 : j > i ? 1.0 : 0.0;
}

static double balanced_kernel(int i, int j, int threshold)
{
    return 0.5 * (double)(i < threshold) + 0.5 * (double)(j >= threshold);
}

static sot_score pairs_of(kernel_function *kernel, const sot_score_cells *cells,
                          const int64_t counts[COUNTS], const sot_score_noise *noise)
{
    const double s2 = noise->deviation * noise->deviation;
    double rows[M] = {0.0}, columns[M] = {0.0}; /* K b and a K */
    double a = 0.0, b = 0.0, pairs = 0.0, k1 = 0.0, k2 = 0.0;
    for (int i = 0; i < M; i++) {
        a += (double)counts[i];
        b += (double)counts[M + i];
        for (int j = 0; j < M; j++) {
            const double k = kernel(i, j, cells->threshold);
            rows[i] += k * (double)counts[M + j];
            columns[j] += k * (double)counts[i];
            k1 += k;
            k2 += k * k;
        }
        pairs += (double)counts[i] * rows[i];
    }
    const double least = 4.0 * noise->deviation * sqrt((double)M);
    if (!(a > least && b > least)) return no_score;
    /* The variance, v2 theta^2 - 2 v1 theta + v0. */
    double v0 = -s2 * k2, v1 = -s2 * k1, v2 = (a * a + b * b - s2 * M) * M;
    for (int i = 0; i < M; i++) {
        v0 += rows[i] * rows[i] + columns[i] * columns[i];
        v1 += rows[i] * b + columns[i] * a;
    }
    const double z = quantile_of(noise, 0.0);
    const double v = z * z * s2;
    const double all = a * b;
    return score_of(pairs / all, all * all - v * v2, pairs * all - v * v1,
                    pairs * pairs - v * v0, 1.0);
}

/* ---- the scores ---- */

/* Weights of the rows that a score counts: all rows, or only some classes and cells. */
typedef double weight_function(const sot_score_cells *cells, int label, int cell);

static double every(const sot_score_cells *cells, int label, int cell)
{
    (void)cells, (void)label, (void)cell;
    return 1.0;
}

static double second(const sot_score_cells *cells, int label, int cell)
{
    (void)cells, (void)cell;
    return (double)label;
}

static double predicted(const sot_score_cells *cells, int label, int cell)
{
    (void)label;
    return (double)(cell >= cells->threshold);
}

static double hit(const sot_score_cells *cells, int label, int cell)
{
    return label == 1 ? predicted(cells, label, cell)
                      : 1.0 - predicted(cells, label, cell);
}

static double found(const sot_score_cells *cells, int label, int cell)
{
    return (double)label * predicted(cells, label, cell);
}

static double mean(const sot_score_cells *cells, int label, int cell)
{
    (void)label;
    return cells->middles[cell];
}

static double log_loss(const sot_score_cells *cells, int label, int cell)
{
    const double p = cells->middles[cell];
    return -log(label == 1 ? p : 1.0 - p);
}

static double brier(const sot_score_cells *cells, int label, int cell)
{
    const double miss = (double)label - cells->middles[cell];
    return miss * miss;
}

static sot_score ratio(weight_function *above, weight_function *below,
                       const sot_score_cells *cells, const int64_t counts[COUNTS],
                       const sot_score_noise *noise, double most)
{
    double c[COUNTS], d[COUNTS];
    for (int i = 0; i < COUNTS; i++) {
        c[i] = above(cells, i / M, i % M);
        d[i] = below(cells, i / M, i % M);
    }
    return ratio_of(c, d, counts, noise, most);
}

static sot_score calibration(int group, const int64_t counts[COUNTS],
                             const sot_score_noise *noise)
{
    double c[COUNTS] = {0.0}, d[COUNTS] = {0.0};
    for (int i = group * GROUP; i < (group + 1) * GROUP; i++)
        c[M + i] = d[i] = d[M + i] = 1.0;
    return ratio_of(c, d, counts, noise, 1.0);
}

void sot_score_all(const sot_score_cells *cells, const int64_t counts[COUNTS],
                   const sot_score_noise *noise,
                   sot_score out[SOT_SCORE_VALUES + SOT_SCORE_GROUPS])
{
    const double most =
        fmax(log_loss(cells, 1, 0), log_loss(cells, 0, SOT_SCORE_CELLS - 1));
    out[SOT_SCORE_AUC] = pairs_of(auc_kernel, cells, counts, noise);
    out[SOT_SCORE_LOG_LOSS] = ratio(log_loss, every, cells, counts, noise, most);
    out[SOT_SCORE_BRIER] = ratio(brier, every, cells, counts, noise, 1.0);
    out[SOT_SCORE_ACCURACY] = ratio(hit, every, cells, counts, noise, 1.0);
    out[SOT_SCORE_BALANCED] = pairs_of(balanced_kernel, cells, counts, noise);
    out[SOT_SCORE_RECALL] = ratio(found, second, cells, counts, noise, 1.0);
    out[SOT_SCORE_PRECISION] = ratio(found, predicted, cells, counts, noise, 1.0);
    out[SOT_SCORE_RATE] = ratio(second, every, cells, counts, noise, 1.0);
    out[SOT_SCORE_MEAN] = ratio(mean, every, cells, counts, noise, 1.0);
    for (int group = 0; group < SOT_SCORE_GROUPS; group++)
        out[SOT_SCORE_VALUES + group] = calibration(group, counts, noise);
}
