/* methods/posterior/constants.h: what one record can do to the sum of losses on the ball |theta| <= radius.
 *
 * Idea     The theorems of posterior draws ask for the change of the sum of losses between neighbours, as a function on the
 *          ball: how steep it is (Gaussian), or how far its values lie apart (pure). Both follow from the loss, the bound
 *          of the records and the radius; never from the records. Proofs: posterior.md, sections 3 and 4.
 */
#ifndef SOT_METHODS_POSTERIOR_CONSTANTS_H
#define SOT_METHODS_POSTERIOR_CONSTANTS_H

#include <stdint.h>

#include <sotto/accountant.h>

#include "models/linear/losses/loss.h"

/* All rounded up. */
typedef struct sot_record_bounds {
    double single;     /* |gradient of one record's loss| on the ball */
    double difference; /* |gradient of the difference of two records' losses| there */
    double range;      /* of one record's loss there; infinite without a ball */
} sot_record_bounds;

/* Records with |x| <= bound; a radius that is infinite: no ball. */
sot_record_bounds sot_record_bounds_of_loss(const sot_loss *loss, double bound,
                                            double radius);
sot_record_bounds sot_record_bounds_of_softmax(size_t classes, double bound,
                                               double radius);

/* phi(t): the largest |f'| over all labels and margins |u| <= t, t >= 0 or infinite. */
double sot_slope_within(const sot_loss *loss, double margin);

/* Of the change of the sum between neighbours, a unit having at most `unit_rows` rows: its Lipschitz constant and its
 * range. */
double sot_change_lipschitz(const sot_record_bounds *bounds, sotto_adjacency adjacency,
                            uint64_t unit_rows);
double sot_change_range(const sot_record_bounds *bounds, sotto_adjacency adjacency,
                        uint64_t unit_rows);

/* What a tempered posterior's variance is multiplied by, in the limit of many rows: 1 + 1/power. With power = epsilon / (4 B), the
 * log-likelihood within +-B and a record replaced, it is the 1 + 4 B / epsilon of Wang, Fienberg & Smola 2015. */
double sot_efficiency_factor(double power);

/* A radius that no draw reaches in practice, from public numbers: |centre| + a bound of the mode's distance from the centre, of at
 * most `rows` rows, + (sqrt(dimension) + 10) / sqrt(lambda), beyond which the law has less than e^-50. `loss_zero`: f(centre) - inf f of
 * one record, at most, or infinite; `slope`: |gradient| of one record's loss at most. No privacy hangs on it. */
double sot_never_binding_radius(double beta, double lambda, double rows, double loss_zero,
                                double slope, double center_norm, size_t dimension);

#endif
