/* The lists of an event: a Renyi curve, or the norms of a mixture. */
#include "base/error.h"
#include "privacy/accounting/loss/gaussian_mixture.h"
#include "privacy/accounting/plan/parts.h"

static sotto_status check_mixture(const sotto_event *event, sotto_error *error)
{
    double sum = 0.0;
    if (event->curve_size < 1 || event->curve_size > SOTTO_CURVE_MAX ||
        event->curve_orders == NULL || event->curve_values == NULL) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "a gaussian-mixture event has %lu norms; give 1 to %d norms and "
                        "as many probabilities",
                        (unsigned long)event->curve_size, SOTTO_CURVE_MAX);
    }
    for (uint32_t i = 0; i < event->curve_size; i++) {
        const double norm = event->curve_orders[i];
        const double weight = event->curve_values[i];
        const double before = i == 0 ? 0.0 : event->curve_orders[i - 1];
        if (!(norm > before && norm >= 1e-9 && norm <= 1e9)) {
            return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                            "norms[%lu] is %.17g; give norms from 1e-9 to 1e9, each "
                            "larger than the one before",
                            (unsigned long)i, norm);
        }
        if (!(weight >= 0.0 && weight <= 1.0)) {
            return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                            "probabilities[%lu] is %g; give probabilities from 0 to 1",
                            (unsigned long)i, weight);
        }
        sum += weight;
    }
    if (sum > SOT_MIXTURE_WEIGHT_MAX || sum == 0.0) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "the probabilities sum to %.17g; give a sum above 0 and at most "
                        "1 - 1e-9; the "
                        "rest is for no share",
                        sum);
    }
    return SOTTO_OK;
}

/* Orders increase, so that between two of them a chord can be drawn. Values need not: a bound that
 * is loose at one order and tight at the next one is a bound all the same. */
sotto_status sot_plan_check_lists(const sotto_event *event, sotto_error *error)
{
    if (event->mechanism == SOTTO_GAUSSIAN_MIXTURE) return check_mixture(event, error);
    const int has_curve = event->mechanism == SOTTO_RDP_CURVE;
    const int is_given = event->curve_size > 0 && event->curve_orders != NULL &&
                         event->curve_values != NULL;
    if (!has_curve && (event->curve_size > 0 || event->curve_orders != NULL ||
                       event->curve_values != NULL)) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "orders and values belong to an rdp event; leave them out");
    }
    if (has_curve && (!is_given || event->curve_size > SOTTO_CURVE_MAX)) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "an rdp event has %lu points; give 1 to %d orders and as many "
                        "values",
                        (unsigned long)event->curve_size, SOTTO_CURVE_MAX);
    }
    for (uint32_t i = 0; i < event->curve_size; i++) {
        const double order = event->curve_orders[i];
        const double value = event->curve_values[i];
        const double before = i == 0 ? 1.0 : event->curve_orders[i - 1];
        if (!(order > before && order <= 1e9)) {
            return sot_fail(
                error, SOTTO_INVALID_ARGUMENT,
                "orders[%lu] is %.17g; give orders above 1, at most 1e9, each "
                "larger than the one before",
                (unsigned long)i, order);
        }
        if (!(value >= 0.0 && value <= 1e12)) {
            return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                            "values[%lu] is %g; give a Renyi divergence from 0 to 1e12",
                            (unsigned long)i, value);
        }
    }
    return SOTTO_OK;
}
