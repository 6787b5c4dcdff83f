/* The verdict in a sentence. */
#include <math.h>
#include <stdio.h>

#include "commands/audit/audit_parts.h"

/* Four digits, and never more than was found. */
static double shown_below(double value)
{
    if (!(value > 0.0) || isinf(value)) return value;
    const double unit = pow(10.0, floor(log10(value)) - 3.0);
    return floor(value / unit) * unit;
}

/* "with 99 % confidence", "except with probability 1e-07": no percentage says nearly certain without saying certain. */
static void put_confidence(double alpha, char *out, size_t size_bytes)
{
    if (alpha >= 1e-4)
        (void)snprintf(out, size_bytes, "with %.6g %% confidence", 100.0 * (1.0 - alpha));
    else
        (void)snprintf(out, size_bytes, "except with probability %.2g", alpha);
}

/* Names the strongest refutation of the claim. */
static void put_refuted(sotto_audit *audit, const char *sure)
{
    const sotto_audit_summary *found = &audit->found;
    char *out = audit->sentence;
    const size_t size = sizeof audit->sentence;
    if (audit->pure && found->loss_most > found->epsilon) {
        (void)snprintf(out, size,
                       "REFUTED: at a released point the privacy loss is %.4g, and the "
                       "pure claim allows at most %.4g.",
                       shown_below(found->loss_most), found->epsilon);
    } else if (found->bounds.epsilon_lower > found->epsilon) {
        (void)snprintf(out, size,
                       "REFUTED, %s: epsilon is at least %.4g, and the claim is %.4g.",
                       sure, shown_below(found->bounds.epsilon_lower), found->epsilon);
    } else if (found->verdict.refuted) {
        (void)snprintf(out, size,
                       "REFUTED, %s: the attack has at most %.4g %% false negatives and "
                       "at most %.4g %% false positives. The claim of epsilon %.4g at "
                       "delta %.3g requires at least %.4g %% false negatives.",
                       sure, 100.0 * found->verdict.false_negative_rate_upper,
                       100.0 * found->verdict.false_positive_rate_upper, found->epsilon,
                       found->delta, 100.0 * found->verdict.promised);
    } else {
        (void)snprintf(out, size,
                       "REFUTED, %s: at epsilon %.4g delta is at least %.4g, and the "
                       "claim is %.3g.",
                       sure, found->epsilon, shown_below(found->delta_lower),
                       found->delta);
    }
}

void sot_audit_put_sentence(sotto_audit *audit)
{
    const sotto_audit_summary *found = &audit->found;
    char *out = audit->sentence;
    const size_t size = sizeof audit->sentence;
    const double epsilon = shown_below(found->epsilon_lower);
    /* A share that is rounded down never reads 100 % of a claim that stands. */
    const double share = floor(100.0 * found->epsilon_lower / found->epsilon);
    char sure[64];
    put_confidence(found->alpha, sure, sizeof sure);
    if (found->refuted) {
        put_refuted(audit, sure);
        return;
    }
    switch (found->route) {
    case SOTTO_AUDIT_BY_RATES:
        (void)snprintf(out, size,
                       "Not refuted: %s epsilon is at least %.4g, %.0f %% of the %.4g "
                       "that is claimed.",
                       sure, epsilon, share, found->epsilon);
        break;
    case SOTTO_AUDIT_BY_MU:
        (void)snprintf(
            out, size,
            "Not refuted: %s mu is at least %.4g, which along the claim's Gaussian curve "
            "is epsilon %.4g, %.0f %% of the %.4g that is claimed.",
            sure, shown_below(found->bounds.mu_lower), epsilon, share, found->epsilon);
        break;
    case SOTTO_AUDIT_BY_NOISE:
        (void)snprintf(out, size,
                       "Not refuted: %s there is less noise than the claim's plan needs "
                       "for epsilon %.4g, %.0f %% of the %.4g that is claimed.",
                       sure, epsilon, share, found->epsilon);
        break;
    case SOTTO_AUDIT_AS_GAUSSIAN:
        (void)snprintf(
            out, size,
            "Not refuted: %s mu is at least %.4g. A Gaussian release with this mu, a "
            "different mechanism, would have epsilon %.4g, %.0f %% of the claimed %.4g.",
            sure, shown_below(found->bounds.mu_lower), epsilon, share, found->epsilon);
        break;
    }
}
