/* privacy/accounting/objective_loss/row_loss.h: the cost of one row's removal from objective
 * perturbation, for the logistic loss.
 *
 * Distribution: L <= h(t), t ~ N(a^2/2, a^2), a = R/sigma, with kappa = max(0,
 * R^2/lambda - a^2/2):
 *
 *     h(t) = t                            t >= kappa
 *            (kappa + t)^2 / (4 kappa)    -kappa <= t <= kappa
 *            0                            t <= -kappa
 *
 * This is the largest s t + s (1 - s) kappa over slopes s in [0, 1]
 * (privacy/accounting/objective/objective.md, section 6). kappa = 0 is max(t, 0), which also
 * covers a row that is added. h is convex and increasing. h(t) <= max(t, kappa), the atom and
 * tail of loss.h, and much less where t is small: at t = 0 a quarter of kappa.
 *
 * Rounding: every function is an upper bound for the doubles it is given. Moments are of chords
 * over h, which lie above it; profiles use tangents of a log-concave integrand. Measured: 2e-4
 * and 6e-4 above. Larger kappa makes both worse. The same holds for a larger a with a kappa that is larger
 * by its square (privacy/accounting/objective/objective.md, Rounding).
 */
#ifndef SOT_PRIVACY_ACCOUNTING_OBJECTIVE_LOSS_ROW_LOSS_H
#define SOT_PRIVACY_ACCOUNTING_OBJECTIVE_LOSS_ROW_LOSS_H

typedef struct sot_row_loss {
    double shift; /* a > 0 */
    double kappa; /* at least 0 */
} sot_row_loss;

/* log E e^{order h(t)}, order > 0; infinite when it overflows. */
double sot_row_log_mgf_upper(const sot_row_loss *row, double order);

/* E (1 - e^{epsilon - h(t)})_+ for any real epsilon. */
double sot_row_delta_upper(const sot_row_loss *row, double epsilon);

#endif
