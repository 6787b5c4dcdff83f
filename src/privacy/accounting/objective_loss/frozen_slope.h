/* privacy/accounting/objective_loss/frozen_slope.h: privacy loss of one removed row under objective perturbation.
 *
 * Theorem     One constant slope s is the worst for every value of the noise (frozen_slope.md, sections 1 and 2), so
 *                 delta(epsilon)   <= F(epsilon) = max over s in [0, 1] of G(s a, epsilon - c(s)),
 *                 E e^{order loss} <= max over s of exp(order c(s) + order (order + 1) s^2 a^2/2),
 *             a = R/sigma, rho = R^2/lambda, c(s) = log(1 + s (1 - s) rho), G the Gaussian profile.
 *             Other losses of one margin: c(s) is at most a constant c. So F(epsilon) = G(a, epsilon - c) for every real
 *             epsilon. The moments are those of c and a Gaussian release (section 7).
 * Neighbours  One row removed. A row that is added costs at most G(a, epsilon) for epsilon >= 0.
 * Rounding    Certified upper bounds by branch and bound over cells of slopes, at most 2^-17 above the maximum in
 *             relative terms (frozen_slope.md, section 6). Both bounds grow with a and rho, which may be rounded up.
 */
#ifndef SOT_PRIVACY_ACCOUNTING_OBJECTIVE_LOSS_FROZEN_SLOPE_H
#define SOT_PRIVACY_ACCOUNTING_OBJECTIVE_LOSS_FROZEN_SLOPE_H

#include <stdint.h>

typedef struct sot_frozen_row {
    double shift;       /* a > 0 */
    double determinant; /* rho >= 0, of the logistic loss */
    double offset;      /* c >= 0, of other losses */
    uint32_t signs; /* of a slope of other losses, 1 or 2; 0 means the logistic loss */
} sot_frozen_row;

/* F(epsilon), for any real epsilon. */
double sot_frozen_delta_upper(const sot_frozen_row *row, double epsilon);

/* The logarithm of the bound on E e^{order loss}, order > 0; infinite when it overflows. */
double sot_frozen_log_mgf_upper(const sot_frozen_row *row, double order);

/* Logistic loss: returns an epsilon in [0, most] from which on F(epsilon) = G(a, epsilon), proved by the sign of the derivative
 * in s. Returns `most` if no smaller one could be certified. The caller knows that F = G from `most` on. */
double sot_frozen_top_upper(const sot_frozen_row *row, double most);

/* Return upper bounds of delta(epsilon) for any real epsilon. A removed row: F from 0 on, and below 0 the mirror image of an
 * addition, or F. An added row with a slope of one sign costs G(a, epsilon) from 0 on. With two signs it costs at most the
 * profile of a^2/2 + a|Z|. Below 0 it is the mirror image of a removal. */
double sot_frozen_removed_upper(const sot_frozen_row *row, double epsilon);
double sot_frozen_added_upper(const sot_frozen_row *row, double epsilon);

/* Returns delta(epsilon) of one direction, rounded up, from a bound `other` of the other direction at -epsilon:
 * H_c(P|Q) = 1 - c + c H_{1/c}(Q|P), c = e^epsilon. */
double sot_mirrored_delta_upper(double epsilon, double other);

#endif
