/* expl() and expm1l() of binary128, the long double of WebAssembly.
 *
 * musl's versions for this format call exp() and expm1(): they are good to 2^-53, and privacy/accounting/loss/box_sum.c
 * relies on LDBL_EPSILON = 2^-112. With musl's it would state brackets that do not hold the exact value.
 *
 * Reduction   x = k ln 2 + r, |r| <= 0.3466. k ln2_high is exact: ln2_high has 97 bits, |k| < 2^15. The rest of ln 2 is
 *             good to 2^-113 of itself, so r is good to 2^-112 (|r| + 2^-97 |k|).
 * Series      sum r^n/n!, n < 30: 0.3466^30/30! < 2^-152. Added from the small end, with an error of less than 4 units of
 *             2^-113 of e^r.
 * Result      e^x within 8 units of 2^-113, for results that are normal numbers. expm1l() adds the series without its
 *             first term, or subtracts 1 where |x| > 0.3466, which at most triples the error.
 */
#include <float.h>
#include <math.h>

_Static_assert(LDBL_MANT_DIG == 113, "long double is binary128");

enum { TERMS = 30 };

/* e^r - 1 for |r| <= 0.35. */
static long double series(long double r)
{
    long double sum = 1.0L; /* r/1 (1 + r/2 (1 + r/3 (...))) */
    for (int n = TERMS; n > 1; n--)
        sum = 1.0L + sum * r / (long double)n;
    return sum * r;
}

static long double reduced(long double x, int *out_k)
{
    static const long double ln2_high = 0x1.62e42fefa39ef35793c76730p-1L;
    static const long double ln2_low = 0x1.f97b57a079a193394c5b16c5068bp-103L;
    const long double k = floorl(x * 1.4426950408889634074L + 0.5L);
    *out_k = (int)k;
    return (x - k * ln2_high) - k * ln2_low;
}

long double expl(long double x)
{
    int k;
    if (isnan(x)) return x;
    if (x > 11400.0L) return (long double)HUGE_VAL; /* beyond LDBL_MAX = e^11356.5 */
    if (x < -11600.0L) return 0.0L;                 /* below the least subnormal */
    const long double r = reduced(x, &k);
    return ldexpl(1.0L + series(r), k);
}

long double expm1l(long double x)
{
    if (fabsl(x) <= 0.3466L) return series(x);
    return expl(x) - 1.0L;
}
