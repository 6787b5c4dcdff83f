/* methods/posterior/sampler.h: samples from exp(-F) on a ball, with a proven error that public
 * facts fix.
 *
 *     F(theta) = beta sum over rows of f(theta.x; y) + (lambda/2)|theta - center|^2,  |theta| <= radius
 *
 * Claim: there is a random vector with exactly that distribution, up to total variation
 * plan.total_variation. The result is never farther from it than
 * plan.distance = distance_mixing + distance_rounding. This holds for every matrix of at most
 * facts.rows_most rows. Both are known before a record is read. Proof notes: proximal.md,
 * gaussian.md.
 *
 * Privacy: a release must account for both (a7 of the notes). With Gaussian noise sigma at the
 * end, GDP mu becomes sqrt(mu^2 + (2 distance / sigma)^2). total_variation t costs
 * (1 + e^epsilon) t of delta. MALA has no plan: only for public data.
 *
 * Time: the number of steps (unless the constants are public), trials and time depend on records.
 * The status, the progress and the error text do not: a sample fails only for lack of memory or
 * entropy, or on cancellation.
 */
#ifndef SOT_METHODS_POSTERIOR_SAMPLER_H
#define SOT_METHODS_POSTERIOR_SAMPLER_H

#include <sotto/train_config.h>

#include "base/progress.h"
#include "base/threads.h"
#include "data/batches/matrix.h"
#include "models/linear/losses/loss.h"
#include "random/rng.h"

/* The potential to sample from. Borrowed for the call. */
typedef struct sot_potential {
    const sot_matrix *matrix;
    const sot_loss *
        loss; /* smooth; a caller's is drawn from as models/linear/losses/joined.h has it; NULL: softmax */
    size_t classes;       /* softmax: 2 or more; else 0 */
    double beta;          /* > 0: the weight of the losses */
    double lambda;        /* > 0 */
    const double *center; /* dimension numbers, public; NULL: 0 */
    double radius;        /* > 0, finite */
    sot_pool *pool;       /* NULL: one thread; the result is the same for any number */
} sot_potential;

/* Its public facts. sot_sampler_facts_of() fills in the loss's part. */
typedef struct sot_sampler_facts {
    size_t dimension; /* numbers drawn: columns, or classes x columns */
    size_t columns;
    double slope_most;       /* of the loss; softmax: sqrt 2 */
    double curvature_most;   /* of the loss; softmax: 1/2 */
    size_t directions;       /* of curvature that a record has: 1, or classes - 1 */
    double difference_error; /* loss->difference_error_careful */
    double value_zero_most;  /* only squared loss: upper bound on f(0; y),
                              * label_most^2 / 2 */
    double row_bound;        /* |x| at most */
    double beta, lambda, radius;
    double center_norm; /* |center| at most */
    uint64_t
        rows_most; /* the public number of rows, or 2^32: every bound holds up to it */
    uint64_t rows_planned; /* public constants: eta is made for this number of rows; else
                            * 0 */
} sot_sampler_facts;

/* dimension, columns, slope_most, curvature_most, directions, difference_error, value_zero_most from a loss, or, NULL, from the
 * classes of softmax; the other members are 0. */
sot_sampler_facts sot_sampler_facts_of(const sot_loss *loss, size_t classes,
                                       size_t columns);

/* Everything here follows from the facts and the settings. */
typedef struct sot_sampler_plan {
    sotto_sampler sampler; /* proximal or exact-gaussian */
    bool public_constants;
    double
        distance_mixing; /* W_inf that the steps leave; as asked for; exact-gaussian: of its second route */
    double
        distance_rounding; /* W_inf by rounding, of all steps and of the result to doubles */
    double distance;       /* their sum, rounded up */
    double total_variation; /* open decisions and tails of normals, for one sample */
    uint64_t steps_most;    /* N is at most this, for any rows */
    uint64_t steps;         /* N, with public constants; else 0 */
    double step; /* sqrt(eta'), with public constants; else 0; 1/eta' = 1/eta + lambda */
    double step_least; /* sqrt(eta') is at least this, for any rows */
    double guard;      /* relative, of an acceptance probability in double-double
                        * numbers */
    sot_sampler_facts facts;
} sot_sampler_plan;

/* Plans a sampler that is within `distance` of the ideal distribution after mixing. The sampler
 * auto is exact-gaussian for the squared loss if its matrix is not too large, else proximal.
 * Refuses (public reasons): losses that are not smooth, MALA, a dimension too large for
 * exact-gaussian. Also facts that are not positive and finite, and a distance below the
 * resolution of doubles. */
SOTTO_MUST_CHECK sotto_status sot_sampler_plan_new(const sot_sampler_facts *facts,
                                                   const sot_loss *loss,
                                                   sotto_sampler sampler, double distance,
                                                   sot_sampler_plan *out_plan,
                                                   sotto_error *error);

/* The listener. With public constants it receives step k of all steps, after finished samples.
 * Otherwise it receives the number of finished samples, only by the clock, so that a stop is
 * possible. */
typedef struct sot_sampler_watch {
    const sot_progress *progress; /* NULL: none */
    uint64_t draw, draws;         /* the index of this one, from 0, and their number */
} sot_sampler_watch;

/* Counts of a run. They depend on records: for tests and benchmarks, never to be
 * shown. */
typedef struct sot_sampler_counts {
    uint64_t steps; /* of the proximal sampler */
    uint64_t
        proposals; /* points drawn, those that a coin without rows turned away among them */
    uint64_t trials;     /* points whose loss was looked at */
    uint64_t passes;     /* over the rows, in double; several points share one */
    uint64_t linearised; /* gradients */
    uint64_t carefully;  /* decisions made in double-double numbers */
    uint64_t undecided;  /* left open there too: total_variation counts them */
    uint64_t redrawn;    /* exact-gaussian: points beyond the ball */
    bool second_route;   /* exact-gaussian: the ball was too rarely hit */
} sot_sampler_counts;

/* Takes one sample: dimension numbers, class by class. `counts` may be NULL. The potential must
 * be the one of the plan's facts, and its matrix within their bounds. */
SOTTO_MUST_CHECK sotto_status
sot_sampler_draw(const sot_sampler_plan *plan, const sot_potential *potential,
                 sotto_rng *rng, const sot_sampler_watch *watch, double *out_theta,
                 sot_sampler_counts *counts, sotto_error *error);

/* A heuristic: the Metropolis-adjusted Langevin algorithm, `steps` steps from the mode, its step
 * tuned to an acceptance of 0.574 in the first half. No bound on its error is known; only for
 * public data. */
SOTTO_MUST_CHECK sotto_status sot_mala_draw(const sot_potential *potential,
                                            uint64_t steps, sotto_rng *rng,
                                            const sot_sampler_watch *watch,
                                            double *out_theta, sotto_error *error);

#endif
