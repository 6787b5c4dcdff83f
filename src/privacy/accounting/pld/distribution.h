/* privacy/accounting/pld/distribution.h: the privacy loss of every event of a plan, in pieces.
 * They integrate in closed form or by a rule with a proved remainder.
 *
 * Idea: for a dominating pair (P, Q) the loss is L = log(P/Q) under P. Every distribution here is
 * a list of pieces:
 *
 * - atom: P[L = from] = mass.
 * - ramp: density mass * e^{(l - to)/2} on [from, to]. Laplace noise between its two atoms, and
 *   the exponential mechanism.
 * - line: Q = N(0, 1) and P = (1-q)N(0, 1) + qN(mu, 1) on y > floor, with the likelihood ratio
 *   `r(y) = 1-q+q e^{mu y - mu^2/2}`. "remove" is loss log r under P, "add" loss -log r under Q;
 *   q = 1 is the Gaussian release. "replaced": Q = (1-q)N(0, 1) + qN(-mu, 1), the same P, loss
 *   log dP/dQ.
 *
 * Theorem: each pair dominates its event; pld.md lists them with their sources. All Gaussian and
 * GDP events merge to one line (mu^2 adds), and k equal epsilon-DP events to one binomial
 * distribution. So these are discretised once. Equal distributions of several events become one
 * with a larger count.
 *
 * Rounding: brackets contain the exact parameter. Where only the worse end is sound (an epsilon
 * rounded up), the worse end is used.
 */
#ifndef SOT_PRIVACY_ACCOUNTING_PLD_DISTRIBUTION_H
#define SOT_PRIVACY_ACCOUNTING_PLD_DISTRIBUTION_H

#include <stdbool.h>
#include <stddef.h>

#include "privacy/accounting/accountants.h"

typedef enum sot_pld_kind {
    SOT_PLD_ATOM = 0,
    SOT_PLD_RAMP = 1,
    SOT_PLD_LINE = 2
} sot_pld_kind;

typedef struct sot_pld_piece {
    sot_pld_kind kind;
    sot_direction direction; /* of a line */
    double from;             /* place of an atom, lower end of a ramp */
    double to;               /* upper end of a ramp */
    sot_bracket mass;        /* of an atom; density of a ramp at `to` */
    double rate;             /* q of a line */
    sot_bracket mu;          /* of a line */
    double floor;            /* a line's least y; -infinity for the whole line */
    double ceiling;          /* a line's largest y, if has_ceiling */
    int has_ceiling;
    double weight;   /* a line's mass is this many times a probability; 0 means once */
    int is_replaced; /* a line with the record exchanged */
} sot_pld_piece;

typedef struct sot_pld_law {
    sot_pld_piece *pieces;
    size_t piece_count;
    double count;     /* the number of independent times */
    double anchor;    /* a loss that should be on the grid */
    double spacing;   /* distance of its atoms if they form a lattice, else 0 */
    int has_density;  /* some piece is not an atom */
    double place_err; /* the places of atoms and ramps are off by at most this */
    double infinite;  /* mass left out: counts as infinite loss */
} sot_pld_law;

/* The part of a distribution that gets cells. */
typedef struct sot_pld_reach {
    double log_tail; /* about e^log_tail of the mass is left out above: infinite loss */
    double least;    /* losses below this are lifted to it */
} sot_pld_reach;

typedef struct sot_pld_laws {
    sot_pld_law *list;
    size_t count;
    sot_bracket
        failure;      /* that some (epsilon, delta) event fails: 1 - prod(1 - delta_i) */
    int is_symmetric; /* both directions have the same distributions */
    int is_loose;     /* some distribution is worse than its event's: no lower bounds */
} sot_pld_laws;

/* The distributions of all events of a plan in one direction; zero-filled on failure. An event
 * that is known only by moments (zCDP, a Renyi curve) has no loss to discretise:
 * SOTTO_UNSUPPORTED. */
SOTTO_MUST_CHECK sotto_status sot_pld_laws_new(const sot_priced *priced,
                                               sot_direction direction,
                                               sot_pld_laws *out_laws,
                                               sotto_error *error);
void sot_pld_laws_free(sot_pld_laws *laws);

/* The result of filling a distribution. */
typedef enum sot_pld_filled {
    SOT_PLD_FILLED,
    SOT_PLD_NOT_LISTED,
    SOT_PLD_NO_MEMORY
} sot_pld_filled;

/* Fills the pieces of a distribution whose loss is the same in both directions.
 * privacy/accounting/loss/loss.h explains the parameters. The masses are computed here,
 * independently of the exact accountant. */
sot_pld_filled sot_pld_law_fill(const sot_law *source, sot_pld_law *out_law);

/* The atoms of a release on a sample, in one direction. */
SOTTO_MUST_CHECK sotto_status sot_pld_subsampled_fill(const sot_subsampled *source,
                                                      sot_direction direction,
                                                      sot_pld_law *out_law,
                                                      sotto_error *error);

/* True if the two are the same but for their counts. */
bool sot_pld_law_equals(const sot_pld_law *a, const sot_pld_law *b);

/* The largest loss of one release, rounded up; infinite for most lines. */
double sot_pld_law_top(const sot_pld_law *law);

#endif
