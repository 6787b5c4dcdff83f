#include "privacy/accounting/budget/budget.h"

#include <math.h>
#include <stddef.h>

#include "numeric/outward.h"
#include "numeric/roots.h"

/* Returns epsilon - rdp = log(1 - 1/order) - (log delta + log order)/(order - 1), rounded up.
 * order - 1 is exact: by Sterbenz below 2; above, it is a multiple of order's last place and
 * smaller than order. */
static double conversion_upper(double order, double delta)
{
    const double first = sot_log1p_up(-sot_div_down(1.0, order));
    const double logs = sot_add_down(sot_log_down(delta), sot_log_down(order));
    return sot_sub_up(first, sot_div_down(logs, order - 1.0));
}

double sot_budget_rdp_lower(double order, double epsilon, double delta)
{
    return sot_sub_down(epsilon, conversion_upper(order, delta));
}

double sot_budget_epsilon_upper(double order, double rdp, double delta)
{
    const double epsilon = sot_add_up(rdp, conversion_upper(order, delta));
    return epsilon > 0.0 ? epsilon : 0.0;
}

typedef struct target {
    double epsilon;
    double delta;
} target;

/* -budget(order)/order at order = 1 + e^x. */
static double negative_share(double log_t, void *context)
{
    const target *asked = context;
    const double order = 1.0 + exp(log_t);
    return -sot_budget_rdp_lower(order, asked->epsilon, asked->delta) / order;
}

/* A number near x with three significant digits; the choice of the order needs no proof. */
static double three_digits(double x)
{
    const double places = 2.0 - floor(log10(x));
    const double scale = pow(10.0, fabs(places)); /* a whole power of ten: 0.1 is none */
    return places > 0.0 ? round(x * scale) / scale : round(x / scale) * scale;
}

/* The share is negative for small orders, where the logarithms outweigh epsilon. It rises to one
 * maximum and falls like epsilon/order. A scan brackets the maximum, Brent's method finds it. */
double sot_budget_best_order(double epsilon, double delta)
{
    const double lowest = log(1e-3);
    const double highest = log((double)SOT_ORDER_MAX / 2.0);
    target asked = {epsilon, delta};
    double best = lowest;
    double least = negative_share(lowest, &asked);
    for (double at = lowest; at <= highest; at += 0.25) {
        const double value = negative_share(at, &asked);
        if (value < least) {
            least = value;
            best = at;
        }
    }
    best = sot_minimize(negative_share, &asked, best - 0.25, best + 0.25, 1e-4, 60, NULL);
    return 1.0 + three_digits(exp(best));
}

double sot_budget_sampler_factor(double epsilon)
{
    return sot_add_up(1.0, sot_exp_up(epsilon));
}
