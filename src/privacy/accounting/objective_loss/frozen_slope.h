/* privacy/accounting/objective_loss/frozen_slope.h: privacy loss of one removed row under objective perturbation, logistic loss.
 *
 * Theorem     One constant slope s is the worst for every value of the noise (frozen_slope.md, sections 1 and 2), so
 *                 delta(epsilon)   <= F(epsilon) = max over s in [0, 1] of G(s a, epsilon - c(s)),
 *                 E e^{order loss} <= max over s of exp(order c(s) + order (order + 1) s^2 a^2/2),
 *             a = R/sigma, rho = R^2/lambda, c(s) = log(1 + s (1 - s) rho), G the Gaussian profile.
 * Neighbours  One row removed. A row that is added costs at most G(a, epsilon) for epsilon >= 0.
 * Rounding    Certified upper bounds by branch and bound over cells of slopes, at most 2^-17 above the maximum in
 *             relative terms (frozen_slope.md, section 6). Both bounds grow with a and rho, which may be rounded up.
 */
#ifndef SOT_PRIVACY_ACCOUNTING_OBJECTIVE_LOSS_FROZEN_SLOPE_H
#define SOT_PRIVACY_ACCOUNTING_OBJECTIVE_LOSS_FROZEN_SLOPE_H

typedef struct sot_frozen_row {
    double shift;       /* a > 0 */
    double determinant; /* rho >= 0 */
} sot_frozen_row;

/* F(epsilon), for any real epsilon. */
double sot_frozen_delta_upper(const sot_frozen_row *row, double epsilon);

/* The logarithm of the bound on E e^{order loss}, order > 0; infinite when it overflows. */
double sot_frozen_log_mgf_upper(const sot_frozen_row *row, double order);

/* An epsilon in [0, most] from which on F(epsilon) = G(a, epsilon), proved by the sign of the derivative in s; `most`
 * where no smaller one could be certified. The caller knows that F = G from `most` on. */
double sot_frozen_top_upper(const sot_frozen_row *row, double most);

/* Upper bounds of delta(epsilon) for any real epsilon, of a row that is removed: F from 0 on, G(a, epsilon) below;
 * and of one that is added: the mirror image. */
double sot_frozen_removed_upper(const sot_frozen_row *row, double epsilon);
double sot_frozen_added_upper(const sot_frozen_row *row, double epsilon);

#endif
