#include "numeric/special.h"

#include <math.h>

static const double log_two = 0x1.62e42fefa39efp-1;

/* b - a as a sum of two doubles; where that is infinite, the residual is zero. */
typedef struct difference {
    double value;
    double residual;
} difference;

static difference subtract(double b, double a)
{
    const double value = b - a;
    if (!isfinite(value)) return (difference){value, 0.0};
    const double large = fabs(b) >= fabs(a) ? b : -a; /* Fast2Sum (Dekker 1971) */
    const double small = fabs(b) >= fabs(a) ? -a : b;
    return (difference){value, small - (value - large)};
}

/* e^(value + residual) for value <= 0: the residual, at most half an ulp, to first order.
 * Where it is not small itself e^value is zero. */
static double exp_of(difference d)
{
    const double power = exp(d.value);
    return power == 0.0 ? 0.0 : power + power * d.residual;
}

double sot_log_add_exp(double a, double b)
{
    if (isnan(a) || isnan(b)) return a + b;
    if (a == b) return a + log_two;
    const double high = fmax(a, b);
    return high + log1p(exp_of(subtract(fmin(a, b), high)));
}

double sot_log_sub_exp(double a, double b)
{
    if (isnan(a) || isnan(b)) return a + b;
    if (isinf(b) && b < 0.0) return a;
    if (a < b || (a == b && isinf(a))) return (double)NAN;
    if (a == b) return -(double)INFINITY;
    if (isinf(a)) return a;
    /* log(1 - e^d), on the side of log 2 where it does not cancel (Maechler 2012). */
    const difference d = subtract(b, a);
    if (d.value > -log_two) return a + log(-(expm1(d.value) + exp(d.value) * d.residual));
    return a + log1p(-exp_of(d));
}

double sot_log_sum_exp(const double *terms, size_t count)
{
    if (count == 0) return -(double)INFINITY;
    size_t largest = 0;
    for (size_t i = 0; i < count; i++) {
        if (isnan(terms[i])) return terms[i];
        if (terms[i] > terms[largest]) largest = i;
    }
    if (isinf(terms[largest])) return terms[largest];

    /* The other terms relative to the largest, by Kahan's sum: the error does not grow
     * with their number. */
    double sum = 0.0;
    double carry = 0.0;
    for (size_t i = 0; i < count; i++) {
        if (i == largest) continue;
        const double term = exp_of(subtract(terms[i], terms[largest])) - carry;
        const double next = sum + term;
        carry = (next - sum) - term;
        sum = next;
    }
    return terms[largest] + log1p(sum);
}
