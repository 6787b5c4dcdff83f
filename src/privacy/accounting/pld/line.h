/* privacy/accounting/pld/line.h: integrals of the sampled Gaussian's two densities between
 * losses.
 *
 * Setting: Q = N(0, 1), P = (1-q)N(0, 1) + qN(mu, 1), r = dP/dQ = 1-q+q e^{U}, U = mu y - mu^2/2.
 *
 * - "remove": loss log r, increasing in y, under P.
 * - "add": loss -log r, decreasing, under Q.
 * - "replaced": Q = (1-q)N(0, 1) + qN(-mu, 1) and loss log dP/dQ, increasing, under P.
 *
 * Rule: a cell of losses is an interval of y, divided into panels of width w. Let X = w (Y + 4),
 * Y the largest |y| and |y - mu| on it. Gauss-Legendre of 3, 5 or 8 points is used for X up to
 * 0.007, 0.28 and 2. Its remainder is below 1e-16 of the integral (pld.md, section 4).
 *
 * Rounding: the ends of a cell in y are moved by their error bound to the side of smaller losses.
 * Then the upper ends hold, and the lower end of the rise is reduced by the largest effect of the
 * move.
 */
#ifndef SOT_PRIVACY_ACCOUNTING_PLD_LINE_H
#define SOT_PRIVACY_ACCOUNTING_PLD_LINE_H

#include <stdbool.h>

#include "privacy/accounting/pld/distribution.h"

typedef struct sot_line {
    sot_direction direction;
    bool is_replaced; /* "remove" with Q = (1-q)N(0, 1) + qN(-mu, 1) */
    double rate;
    double mu;          /* nearest */
    double mu_relative; /* half width of its bracket, relative */
    double from, to;    /* range of y */
    double lowest,
        highest; /* y of the least and the largest loss: from and to, or swapped */
    double below,
        above; /* mass beyond the range, at the side of small and large losses */
} sot_line;

/* Where a loss lies. */
typedef struct sot_line_mark {
    double y;     /* moved towards smaller losses; may be infinite */
    double slack; /* the exact loss at y is below the nominal one by at most this */
    double loss;
} sot_line_mark;

sot_line sot_line_of(const sot_pld_piece *piece, sot_pld_reach reach);

/* The loss at y, to about 1e-14: for ranges, not for bounds. */
double sot_line_loss(const sot_line *line, double y);

/* The mark of a loss that is known to `error`. */
sot_line_mark sot_line_at(const sot_line *line, double loss, double error);

/* Mass between two marks, and its rise over the lower one's loss. False when nothing of the
 * range is between them. */
bool sot_line_between(const sot_line *line, const sot_line_mark *from,
                      const sot_line_mark *to, sot_bracket *out_mass,
                      sot_bracket *out_rise);

#endif
