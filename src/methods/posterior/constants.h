/* methods/posterior/constants.h: the effect of one record on the sum of losses on the ball
 * |theta| <= radius.
 *
 * Idea: the theorems of posterior sampling need the change of the sum of losses between
 * neighbours, as a function on the ball. They use its Lipschitz constant (Gaussian), or its range
 * (pure). Both follow from the loss, the bound of the records and the radius; never from the
 * records. Proofs: posterior.md, sections 3 and 4.
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

/* Return the Lipschitz constant and the range of the change of the sum between neighbours. A unit
 * has at most `unit_rows` rows. */
double sot_change_lipschitz(const sot_record_bounds *bounds, sotto_adjacency adjacency,
                            uint64_t unit_rows);
double sot_change_range(const sot_record_bounds *bounds, sotto_adjacency adjacency,
                        uint64_t unit_rows);

/* Returns the factor on a tempered posterior's variance, in the limit of many rows: 1 + 1/power.
 * With power = epsilon / (4 B), the log-likelihood within +-B and a record replaced, it is the
 * 1 + 4 B / epsilon of Wang, Fienberg & Smola 2015. */
double sot_efficiency_factor(double power);

/* Returns a radius that no sample reaches in practice, from public numbers. It is |centre|, plus
 * a bound on the mode's distance from the centre for at most `rows` rows, plus
 * (sqrt(dimension) + 10) / sqrt(lambda). Beyond it the probability is below e^-50. `loss_zero`:
 * upper bound on f(centre) - inf f of one record, or infinite. `slope`: upper bound on one
 * record's |gradient|. Privacy does not depend on it. */
double sot_never_binding_radius(double beta, double lambda, double rows, double loss_zero,
                                double slope, double center_norm, size_t dimension);

#endif
