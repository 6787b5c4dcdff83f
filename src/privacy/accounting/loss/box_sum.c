/* `count` releases of one box distribution in closed form.
 *
 * In the variable p the symmetric measure of one release has the transform
 *
 *     a (e^{ep} + e^{-ep}) + b (e^{ep} - e^{-ep})/p.
 *
 * Its k-th power is, with x = e^{-2ep},
 *
 *     e^{ekp} sum_j C(k,j) a^{k-j} b^j p^{-j} (1+x)^{k-j} (1-x)^j,
 *
 * so that with the whole numbers K_j(r) = [x^r] (1+x)^{k-j} (1-x)^j and A = e(k - 2r) - eps
 *
 *     delta(eps) = 2 e^{eps/2} sum_{r: A > 0} sum_j C(k,j) a^{k-j} b^j K_j(r) S_j(A),
 *
 *     S_j(A) = sum_{n odd} 2^-n A^{n+j}/(n+j)!.
 *
 * The K_j(r) are exact in 128 bits up to k = 126. The signs alternate, so the sum of the terms'
 * absolute values bounds the effect of their rounding (loss.md, section 3). */
#include <float.h>
#include <math.h>

#include "numeric/outward.h"
#include "privacy/accounting/loss/kinds.h"

__extension__ typedef __int128 wide;

/* k e is at most SOT_BOX_LOSS_MAX, and so is A. Then 1.5 A + k + 100 terms suffice: beyond A/2
 * each of the terms 2^-n A^{n+j}/(n+j)! is smaller by A/(2m), to below 2^-80 of the largest. */
enum { K = SOT_BOX_REPEATS_MAX, TERMS = K + 100 + 3 * SOT_BOX_LOSS_MAX / 2 };

/* S_j(A) for j = 0 .. k: S_j = A^{j+1}/(2 (j+1)!) + S_{j+2}/4 downward, positive terms only. */
static void fill_powers(long double A, int k, long double *out_S)
{
    long double power[TERMS + 2]; /* A^m/m! */
    const int last = k + 100 + (int)(1.5L * A);
    power[0] = 1.0L;
    for (int m = 1; m <= last; m++)
        power[m] = power[m - 1] * A / (long double)m;
    long double next = 0.0L, after = 0.0L; /* S_{j+1}, S_{j+2} */
    for (int j = last - 1; j >= 0; j--) {
        const long double here = 0.5L * power[j + 1] + 0.25L * after;
        if (j <= k) out_S[j] = here;
        after = next;
        next = here;
    }
}

/* K_{j+1}(r) + K_{j+1}(r-1) = K_j(r) - K_j(r-1), from K_0(r) = C(k, r). */
static void next_signs(wide *row, int last)
{
    wide before = 0, left = 0; /* K_j(r-1), K_{j+1}(r-1) */
    for (int r = 0; r <= last; r++) {
        const wide here = row[r];
        row[r] = here - before - left;
        before = here;
        left = row[r];
    }
}

static void binomial_row(int k, int last, wide *out_row)
{
    out_row[0] = 1;
    for (int r = 1; r <= last; r++)
        out_row[r] =
            out_row[r - 1] * (k - r + 1) / r; /* exact: C(k,r-1) (k-r+1) < 2^127 */
}

/* The sum and the sum of absolute values, both without 2 e^{eps/2} a^k. `ratio` is b/a; without
 * ends it is b, and `a` is 0: only j = k is left. */
static long double sum_terms(const sot_law *law, double epsilon, long double *out_size)
{
    const int k = (int)law->count;
    const long double e = (long double)law->loss;
    int last = -1;
    while (last + 1 <= k && e * (long double)(k - 2 * (last + 1)) > (long double)epsilon)
        last++;
    wide row[K + 1];
    long double powers[K + 1][K + 1];
    for (int r = 0; r <= last; r++)
        fill_powers(e * (long double)(k - 2 * r) - (long double)epsilon, k, powers[r]);
    if (last >= 0) binomial_row(k, last, row);
    const long double front = expl(-0.5L * e);
    const long double a = law->has_ends ? 0.5L * front : 0.0L;
    const long double b = law->has_ends ? 0.25L * front : 0.5L * front / -expm1l(-e);
    long double sum = 0.0L, size = 0.0L;
    long double choose = 1.0L; /* C(k, j) a^{k-j} b^j */
    for (int i = 0; i < k; i++)
        choose *= law->has_ends ? a : b;
    for (int j = 0; j <= k && last >= 0; j++) {
        if (law->has_ends || j == k) {
            for (int r = 0; r <= last; r++) {
                const long double term = choose * (long double)row[r] * powers[r][j];
                sum += term;
                size += fabsl(term);
            }
        }
        if (law->has_ends) choose *= b / a * (long double)(k - j) / (long double)(j + 1);
        next_signs(row, last);
    }
    *out_size = size;
    return sum;
}

sot_bracket sot_box_sum_delta(const sot_law *law, double epsilon)
{
    const double positive = fabs(epsilon);
    const double k = law->count;
    /* The losses e are rounded: their sum by k e u at most, to either side. */
    const double moved = 8.0 * DBL_EPSILON * (k * law->loss + positive);
    sot_bracket delta = {0.0, 0.0};
    const double most = sot_mul_up(k, law->loss);
    if (positive < most) {
        long double size;
        const long double front = 2.0L * expl(0.5L * (long double)positive);
        const long double near = front * sum_terms(law, positive, &size);
        /* Each term is a product of at most 3k + 80 rounded factors. */
        const long double slack =
            front * size * LDBL_EPSILON * (long double)(4.0 * k + 160.0);
        delta.upper = (double)(near + slack) * (1.0 + 4.0 * DBL_EPSILON) + DBL_MIN;
        const long double far = front * sum_terms(law, positive + moved, &size);
        delta.lower = (double)(far - slack) * (1.0 - 64.0 * DBL_EPSILON * (k + 1.0));
    }
    if (!(delta.upper <= 1.0)) delta.upper = 1.0;
    if (!(delta.lower >= 0.0 && delta.lower <= delta.upper)) delta.lower = 0.0;
    return sot_law_mirror(delta, epsilon);
}
