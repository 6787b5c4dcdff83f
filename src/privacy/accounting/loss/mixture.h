/* privacy/accounting/loss/mixture.h: the common part of mixture.c and mixture_tail.c.
 *
 * In units of the noise, with U = y/sigma - 1/(2 sigma^2): r(y) = 1 - q + q e^U and phi the
 * normal density.
 *
 * - replaced: P = phi(y) r(y), Q = phi(y) r(-y) on the whole line. With probability q one record
 *   moves the sum by +1 or -1.
 * - fixed: above y0 = 1/(2 sigma), where r = 1: P = phi r, Q = phi. Below it is mirrored, and
 *   there is an atom at 0.
 *
 * With B = r(-y) or 1 and l = log(r/B) > 0 above y0 (0 for replaced), both have
 *
 *     M(t) - 1 = int_{y > y0} phi B (e^{tl} - 1)(e^l - e^{-tl}) dy.
 */
#ifndef SOT_PRIVACY_ACCOUNTING_LOSS_MIXTURE_H
#define SOT_PRIVACY_ACCOUNTING_LOSS_MIXTURE_H

#include "privacy/accounting/loss/kinds.h"
#include "privacy/accounting/sampled/grid.h"

typedef struct sot_mixture {
    sot_grid grid; /* of r: rate, sigma and their logarithms; its range is not used */
    bool is_replaced;
    double first; /* y0 */
    double last;  /* beyond, the integrand is below e^-91 of its peak */
    double order; /* c */
    double log_peak;
} sot_mixture;

/* False where the range is too wide for the tables. */
bool sot_mixture_make(const sot_law *law, double c, sot_mixture *out);

/* log r(y) and log B(y), with their absolute errors in units of 2^-53. */
typedef struct sot_mixture_node {
    double log_ratio, log_base;
    double error;
} sot_mixture_node;
sot_mixture_node sot_mixture_node_at(const sot_mixture *mixture, double y);

/* The probability of the atom at 0 (fixed), 0 for replaced. */
double sot_mixture_atom(const sot_mixture *mixture);

/* Sixteen points of Gauss and Legendre on [-1, 1], the positive half. */
enum { SOT_GAUSS_HALF = 8 };
extern const double sot_gauss_node[SOT_GAUSS_HALF];
extern const double sot_gauss_weight[SOT_GAUSS_HALF];

/* The part of P (or, with `is_minus`, of the mirror image) on the ellipse around a panel. */
typedef struct sot_ellipse {
    double left, right; /* real extent */
    double height;      /* imaginary extent */
} sot_ellipse;

/* Returns log of the supremum on the ellipse of `|phi r^{1+c} B^{-c}|`, or of
 * `|phi B^{1+c} r^{-c}|`; with s also of `e^{s |Im l|}`. */
double sot_mixture_log_sup(const sot_mixture *mixture, const sot_ellipse *ellipse,
                           double c, double s, bool is_minus);

#endif
