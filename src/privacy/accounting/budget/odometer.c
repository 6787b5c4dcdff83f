/* A meter that holds at all times at once: a mixture of Renyi supermartingales and Ville's
 * inequality. Proof: filter.md */
#include <float.h>
#include <math.h>

#include <sotto/filter.h>

#include "base/error.h"
#include "base/memory.h"
#include "numeric/outward.h"
#include "numeric/special.h"
#include "privacy/accounting/accountants.h"

/* Orders 1 + t, t = 1/4, 2^(-3/2), 1/2, ..., 2^10, for single pure releases up to a million noisy
 * steps. They are a factor of sqrt(2) apart, which costs a few percent of the best order. */
enum { ORDERS = 25 };

static double order_of(size_t j)
{
    return 1.0 + exp2(0.5 * (double)j - 2.0);
}

struct sotto_odometer {
    sotto_adjacency adjacency;
    double delta; /* of the readings: without the reserved part */
    double own_delta;
    double own_spent;     /* rounded up */
    double spent[ORDERS]; /* sum of the divergences at each order, rounded up */
    uint64_t charged;
};

sotto_status sotto_odometer_new(sotto_adjacency adjacency, double delta, double own_delta,
                                sotto_odometer **out_odometer, sotto_error *error)
{
    if (adjacency != SOTTO_ADD_REMOVE && adjacency != SOTTO_REPLACE_ONE) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "adjacency is %d; give SOTTO_ADD_REMOVE or SOTTO_REPLACE_ONE",
                        (int)adjacency);
    }
    if (!(delta > 0.0 && delta < 1.0)) { /* NaN too */
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "delta is %g; give a number between 0 and 1, for example 1e-6",
                        delta);
    }
    if (!(own_delta >= 0.0 && own_delta < delta)) {
        return sot_fail(
            error, SOTTO_INVALID_ARGUMENT,
            "own_delta is %g; give at least 0 and less than delta, which is %g",
            own_delta, delta);
    }
    sotto_odometer *odometer = sot_new_array(1, sizeof *odometer);
    if (odometer == NULL) return sot_fail_memory(error, 1, sizeof *odometer);
    odometer->adjacency = adjacency;
    odometer->delta = sot_sub_down(delta, own_delta);
    odometer->own_delta = own_delta;
    *out_odometer = odometer;
    return SOTTO_OK;
}

void sotto_odometer_free(sotto_odometer *odometer)
{
    sot_free(odometer);
}

sotto_status sotto_odometer_charge(sotto_odometer *odometer, const sotto_plan *plan,
                                   sotto_error *error)
{
    double spent[ORDERS], own = 0.0;
    if (sotto_plan_adjacency(plan) != odometer->adjacency) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "the plan protects %s neighbours and the odometer %s ones; plan "
                        "for those",
                        sotto_adjacency_name(sotto_plan_adjacency(plan)),
                        sotto_adjacency_name(odometer->adjacency));
    }
    sot_composition *composition;
    const sotto_status status =
        sot_composition_new(plan, SOTTO_UNSET, 0, &composition, error);
    if (status != SOTTO_OK) return status;
    for (size_t j = 0; j < ORDERS; j++)
        spent[j] =
            sot_add_up(odometer->spent[j], sot_rdp_at_upper(composition, order_of(j)));
    own = composition->failure.upper;
    sot_composition_free(composition);
    const double own_spent =
        own > 0.0 ? sot_add_up(odometer->own_spent, own) : odometer->own_spent;
    if (own_spent > odometer->own_delta) {
        return sot_fail(
            error, SOTTO_BUDGET_EXCEEDED,
            "the plan's own deltas are %g and %g of the %g set aside is left; "
            "give an odometer with a larger own_delta",
            own, sot_sub_down(odometer->own_delta, odometer->own_spent),
            odometer->own_delta);
    }
    for (size_t j = 0; j < ORDERS; j++)
        odometer->spent[j] = spent[j];
    odometer->own_spent = own_spent;
    odometer->charged++;
    return SOTTO_OK;
}

/* Returns log of the mixture sum_j (1/ORDERS) e^{t_j (loss - spent_j)}, less log(1/delta),
 * rounded down. A value of at least 0 means that Ville's inequality covers the loss. The number
 * order - 1 is exact (Sterbenz below 2, a multiple of the order's last place above). A term is
 * good to 2 ulps of t (loss + spent), their sum to 5e-16 of the largest, the logarithms to 1e-13.
 * Orders without a bound and negligible terms are left out, which only lowers the mixture. */
static double coverage(const sotto_odometer *odometer, double loss)
{
    double terms[ORDERS], size = 0.0;
    size_t count = 0;
    for (size_t j = 0; j < ORDERS; j++) {
        const double t = order_of(j) - 1.0;
        const double term = t * (loss - odometer->spent[j]);
        if (!(term > -1000.0)) continue;
        size = fmax(size, t * (loss + odometer->spent[j]));
        terms[count++] = term;
    }
    if (count == 0) return -HUGE_VAL;
    const double sum = sot_log_sum_exp(terms, count) - log((double)ORDERS);
    return sum + log(odometer->delta) - (1e-15 * size + 1e-12);
}

double sotto_odometer_epsilon(const sotto_odometer *odometer)
{
    double lower = 0.0, upper = 1.0;
    if (odometer->charged == 0) return 0.0;
    while (coverage(odometer, upper) < 0.0) {
        lower = upper;
        upper *= 2.0;
        if (upper > 1e18) return HUGE_VAL;
    }
    /* The upper end is always a loss that is covered. */
    for (int halvings = 0; halvings < 200 && upper - lower > 1e-12 * upper; halvings++) {
        const double middle = lower + 0.5 * (upper - lower);
        if (coverage(odometer, middle) < 0.0) {
            lower = middle;
        } else {
            upper = middle;
        }
    }
    return upper;
}
