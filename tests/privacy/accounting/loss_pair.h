/* tests/privacy/accounting/loss_pair.h: privacy losses by plain bookkeeping.
 *
 * Idea        A second opinion that shares no line and no theorem with the contour integral:
 *             no transform, no complex number. A pair of distributions (P, Q) is a list of
 *             buckets with their P and Q masses; composing two lists multiplies the masses of
 *             every two buckets and drops the products into new buckets.
 * Below       An optimistic list adds up both masses of what falls into one bucket. That is
 *             post-processing of the true pair, so its delta is at most the exact one, whatever
 *             the buckets and however a product was rounded into one of them.
 * Above       A pessimistic list keeps its losses on the buckets' edges: a mass between two
 *             edges is split among them so that its P and Q mass both stay. The hockey stick of
 *             the split is the chord of a convex function (Doroshenko, Ghazi, Kamath, Kumar &
 *             Manurangsi, PoPETs 2022), so its delta is at least the exact one.
 * Error       Both are off by the square of the bucket's width. All sums have positive terms:
 *             doubles keep a relative 1e-12, which the callers' tolerance covers.
 */
#ifndef SOTTO_TESTS_LOSS_PAIR_H
#define SOTTO_TESTS_LOSS_PAIR_H

#include "support.h"

enum { LOSS_BUCKETS_MAX = 4096 };

typedef enum loss_side { LOSS_BELOW, LOSS_ABOVE } loss_side;

/* Losses ascend. Below: loss is log(p/q). Above: q is p e^-loss and not stored. */
typedef struct loss_pair {
    loss_side side;
    size_t count;
    double infinite; /* P mass where Q has none */
    double *loss;
    double *p;
    double *q;
} loss_pair;

static inline double *loss_zeros(size_t count)
{
    double *zeros = calloc(count + 1, sizeof *zeros);
    assert_non_null(zeros);
    return zeros;
}

static inline loss_pair loss_pair_new(loss_side side, size_t count)
{
    return (loss_pair){
        side, count, 0.0, loss_zeros(count), loss_zeros(count), loss_zeros(count)};
}

static inline void loss_pair_free(loss_pair *pair)
{
    free(pair->loss);
    free(pair->p);
    free(pair->q);
}

/* Phi(b) - Phi(a) without cancellation in either tail. */
static inline long double loss_normal_mass(long double a, long double b)
{
    const long double root_half = 0.707106781186547524400844362104849039L;
    if (a > 0.0L) return 0.5L * (erfcl(a * root_half) - erfcl(b * root_half));
    if (b < 0.0L) return 0.5L * (erfcl(-b * root_half) - erfcl(-a * root_half));
    return 1.0L - 0.5L * (erfcl(-a * root_half) + erfcl(b * root_half));
}

/* 1 - e^-x for x >= 0, fast where it matters: x is the width of a bucket. */
static inline double loss_one_minus_exp(double x)
{
    if (x > 0.02) return -expm1(-x);
    return x * (1.0 - x / 2.0 * (1.0 - x / 3.0 * (1.0 - x / 4.0 * (1.0 - x / 5.0))));
}

/* The share of a mass at `loss` that goes to the upper one of two edges; rounded up by more
 * than the rounding of the loss can move it. */
static inline double loss_upper_share(double loss, double low, double high)
{
    const double width = high - low;
    if (loss >= high) return 1.0;
    const double x = fmax(loss - low, 0.0) + 4e-16 * (fabs(loss) + fabs(high));
    return fmin(1.0, loss_one_minus_exp(x) / loss_one_minus_exp(width) * (1.0 + 1e-14));
}

/* ---- one release ---- */

/* log(1 - q + q e^{(2x-1)/(2 sigma^2)}) */
static inline long double loss_of_output(long double rate, long double sigma,
                                         long double x)
{
    const long double u = (2.0L * x - 1.0L) / (2.0L * sigma * sigma);
    if (rate == 1.0L) return u;
    if (u < 1.0L) return log1pl(rate * expm1l(u));
    return u + logl(rate + (1.0L - rate) * expl(-u));
}

/* One Gaussian release, sampled at `rate` (1: not sampled): outputs x cut into `buckets`
 * intervals. `remove`: P is the mixture; otherwise Q is. */
static inline loss_pair loss_of_gaussian(loss_side side, double sampling_rate,
                                         double noise, int remove, size_t buckets)
{
    const long double rate = (long double)sampling_rate;
    const long double sigma = (long double)noise;
    const long double reach = 10.6L * sigma; /* beyond lies a mass below 2e-26 */
    const long double first = -reach;
    const long double width = (1.0L + 2.0L * reach) / (long double)buckets;
    loss_pair pair = loss_pair_new(side, buckets + 3);
    pair.count = side == LOSS_BELOW ? buckets + 2 : buckets + 1;
    for (size_t k = 0; k < buckets + 2; k++) { /* with both tails */
        const long double a = k == 0 ? -HUGE_VALL : first + width * (long double)(k - 1);
        const long double b =
            k == buckets + 1 ? HUGE_VALL : first + width * (long double)k;
        const long double without = loss_normal_mass(a / sigma, b / sigma);
        const long double with = loss_normal_mass((a - 1.0L) / sigma, (b - 1.0L) / sigma);
        const long double mixed = (1.0L - rate) * without + rate * with;
        const long double p = remove ? mixed : without;
        const long double q = remove ? without : mixed;
        const size_t at = remove ? k : buckets + 1 - k;
        if (side == LOSS_BELOW) {
            pair.p[at] = (double)p;
            pair.q[at] = (double)q;
            pair.loss[at] = (double)(logl(p) - logl(q));
            continue;
        }
        /* Edges of the interval in loss; the outermost one on the high side is infinite, on
         * the low side the mass moves up to the first edge. */
        const long double sign = remove ? 1.0L : -1.0L;
        const long double low =
            sign * loss_of_output(rate, sigma, remove ? a : b); /* may be infinite */
        const long double high = sign * loss_of_output(rate, sigma, remove ? b : a);
        const int lowest = at == 0;
        const int highest = at == buckets + 1;
        if (lowest) {
            pair.p[0] += (double)p;
            pair.loss[0] = (double)high;
        } else if (highest) {
            pair.infinite += (double)p;
        } else {
            /* p_low + p_high = p and p_low e^-low + p_high e^-high = q */
            const long double share =
                (1.0L - q / p * expl(low) + 1e-18L) / -expm1l(low - high);
            const double upper = (double)fminl(1.0L, fmaxl(0.0L, share));
            pair.p[at - 1] += (double)p * (1.0 - upper);
            pair.p[at] += (double)p * upper;
            pair.loss[at] = (double)high;
        }
    }
    return pair;
}

/* One epsilon-DP release at its worst, binary randomized response: exact on both sides. */
static inline loss_pair loss_of_pure(loss_side side, double epsilon)
{
    loss_pair pair = loss_pair_new(side, 2);
    const double no = 1.0 / (1.0 + exp(epsilon));
    const double yes = 1.0 / (1.0 + exp(-epsilon));
    pair.loss[0] = -epsilon;
    pair.loss[1] = epsilon;
    pair.p[0] = pair.q[1] = no;
    pair.p[1] = pair.q[0] = yes;
    return pair;
}

/* ---- composition ---- */

/* Mean and mean absolute deviation of the loss under P. */
static inline void loss_core(const loss_pair *pair, double *out_mean, double *out_spread)
{
    double mass = 0.0;
    double mean = 0.0;
    double spread = 0.0;
    for (size_t i = 0; i < pair->count; i++) {
        mass += pair->p[i];
        mean += pair->p[i] * pair->loss[i];
    }
    mean /= mass;
    for (size_t i = 0; i < pair->count; i++)
        spread += pair->p[i] * fabs(pair->loss[i] - mean);
    *out_mean = mean;
    *out_spread = spread / mass;
}

/* Edges from the least to the largest sum of losses, dense around the mean: equal steps of
 * asinh((loss - mean)/core). */
static inline void loss_edges(const loss_pair *a, const loss_pair *b, size_t buckets,
                              double *out_edges)
{
    double mean_a, mean_b, spread_a, spread_b;
    loss_core(a, &mean_a, &spread_a);
    loss_core(b, &mean_b, &spread_b);
    const double mean = mean_a + mean_b;
    const double least = a->loss[0] + b->loss[0];
    const double most = a->loss[a->count - 1] + b->loss[b->count - 1];
    const double core = fmax(hypot(spread_a, spread_b), 1e-9 * (most - least));
    const double first = asinh((least - mean) / core);
    const double last = asinh((most - mean) / core);
    for (size_t k = 0; k <= buckets; k++) {
        const double at = first + (last - first) * (double)k / (double)buckets;
        out_edges[k] = mean + core * sinh(at);
    }
    out_edges[0] = fmin(out_edges[0], least);
    out_edges[buckets] = fmax(out_edges[buckets], most);
}

/* Cuts both ends off where less than 1e-25 of P is left: into the neighbour (which is a merger,
 * or a move upward), or on the high side above into infinity. */
static inline void loss_trim(loss_pair *pair)
{
    const double negligible = 1e-25;
    size_t begin = 0;
    size_t end = pair->count;
    const int below = pair->side == LOSS_BELOW;
    while (end - begin > 2 && pair->p[begin] < negligible) {
        pair->p[begin + 1] += pair->p[begin];
        pair->q[begin + 1] += pair->q[begin];
        begin++;
    }
    while (end - begin > 2 && pair->p[end - 1] < negligible) {
        if (below) {
            pair->p[end - 2] += pair->p[end - 1];
            pair->q[end - 2] += pair->q[end - 1];
        } else {
            pair->infinite += pair->p[end - 1];
        }
        end--;
    }
    pair->count = end - begin;
    for (size_t i = 0; i < pair->count; i++) {
        pair->p[i] = pair->p[begin + i];
        pair->q[i] = pair->q[begin + i];
        pair->loss[i] = pair->loss[begin + i];
    }
    if (!below) return;
    pair->loss[0] = log(pair->p[0] / pair->q[0]);
    pair->loss[pair->count - 1] =
        log(pair->p[pair->count - 1] / pair->q[pair->count - 1]);
}

/* Drops empty buckets and names the loss of the others. */
static inline void loss_settle(loss_pair *sum)
{
    size_t kept = 0;
    for (size_t k = 0; k < sum->count; k++) {
        if (!(sum->p[k] > 0.0)) continue;
        sum->p[kept] = sum->p[k];
        sum->q[kept] = sum->q[k];
        sum->loss[kept] =
            sum->side == LOSS_BELOW ? log(sum->p[k] / sum->q[k]) : sum->loss[k];
        kept++;
    }
    sum->count = kept;
    loss_trim(sum);
}

static inline loss_pair loss_compose(const loss_pair *a, const loss_pair *b,
                                     size_t buckets)
{
    const int below = a->side == LOSS_BELOW;
    double edges[LOSS_BUCKETS_MAX + 1];
    assert_true(buckets <= LOSS_BUCKETS_MAX);
    loss_edges(a, b, buckets, edges);
    loss_pair sum = loss_pair_new(a->side, buckets + 1);
    sum.infinite = a->infinite + b->infinite - a->infinite * b->infinite;
    memcpy(sum.loss, edges, (buckets + 1) * sizeof *edges);
    for (size_t i = 0; i < a->count; i++) {
        size_t k = 0;
        for (size_t j = 0; j < b->count; j++) {
            const double loss = a->loss[i] + b->loss[j];
            const double p = a->p[i] * b->p[j];
            while (k + 1 < buckets && loss > edges[k + 1])
                k++;
            if (below) {
                sum.p[k] += p;
                sum.q[k] += a->q[i] * b->q[j];
            } else {
                const double upper = loss_upper_share(loss, edges[k], edges[k + 1]);
                sum.p[k] += p * (1.0 - upper);
                sum.p[k + 1] += p * upper;
            }
        }
    }
    loss_settle(&sum);
    return sum;
}

/* sum := sum composed with `other`, freeing the old one. */
static inline void loss_add(loss_pair *sum, const loss_pair *other, size_t buckets)
{
    loss_pair next = loss_compose(sum, other, buckets);
    loss_pair_free(sum);
    *sum = next;
}

/* `times` copies of `one`, which is freed. */
static inline loss_pair loss_repeat(loss_pair one, uint64_t times, size_t buckets)
{
    while (times % 2 == 0) {
        loss_add(&one, &one, buckets);
        times /= 2;
    }
    if (times == 1) return one;
    loss_pair square = loss_compose(&one, &one, buckets);
    for (times /= 2; times > 0; times /= 2) {
        if (times % 2 == 1) loss_add(&one, &square, buckets);
        if (times > 1) loss_add(&square, &square, buckets);
    }
    loss_pair_free(&square);
    return one;
}

static inline double loss_delta(const loss_pair *pair, double epsilon)
{
    double sum = pair->infinite;
    for (size_t i = 0; i < pair->count; i++) {
        const double lost = pair->side == LOSS_BELOW
                                ? pair->p[i] - exp(epsilon) * pair->q[i]
                                : pair->p[i] * -expm1(epsilon - pair->loss[i]);
        if (lost > 0.0) sum += lost;
    }
    return sum;
}

#endif
