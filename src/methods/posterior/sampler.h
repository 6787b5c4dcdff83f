/* methods/posterior/sampler.h: draws from exp(-F) on a ball, with a proven error that public facts fix.
 *
 *     F(theta) = beta sum over rows of f(theta.x; y) + (lambda/2)|theta - center|^2,  |theta| <= radius
 *
 * Claim    There is a random vector with exactly that law, up to total variation plan.total_variation, from which the
 *          result is never farther than plan.distance = distance_mixing + distance_rounding: for every matrix of at
 *          most facts.rows_most rows. Both are known before a record is read. Proof notes: proximal.md, gaussian.md.
 * Privacy  What a release must do with the two: a7 of the notes; GDP mu becomes sqrt(mu^2 + (2 distance / sigma)^2) with
 *          Gaussian noise sigma at the end, and total_variation t costs (1 + e^epsilon) t of delta. MALA has no plan: public data alone.
 * Time     Number of steps (unless the constants are public), trials and time depend on records. The status, the progress
 *          and the error text do not: a draw fails for want of memory, of entropy, or on cancellation, alone.
 */
#ifndef SOT_METHODS_POSTERIOR_SAMPLER_H
#define SOT_METHODS_POSTERIOR_SAMPLER_H

#include <sotto/train_config.h>

#include "base/progress.h"
#include "base/threads.h"
#include "data/batches/matrix.h"
#include "models/linear/losses/loss.h"
#include "random/rng.h"

/* What is drawn from. Borrowed for the call. */
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

/* What is public about it. sot_sampler_facts_of() fills in the loss's part. */
typedef struct sot_sampler_facts {
    size_t dimension; /* numbers drawn: columns, or classes x columns */
    size_t columns;
    double slope_most;       /* of the loss; softmax: sqrt 2 */
    double curvature_most;   /* of the loss; softmax: 1/2 */
    size_t directions;       /* of curvature that a record has: 1, or classes - 1 */
    double difference_error; /* loss->difference_error_careful */
    double value_zero_most;  /* squared loss alone: f(0; y) at most, label_most^2 / 2 */
    double row_bound;        /* |x| at most */
    double beta, lambda, radius;
    double center_norm; /* |center| at most */
    uint64_t
        rows_most; /* the public number of rows, or 2^32: what every bound allows for */
    uint64_t rows_planned; /* public constants: eta is made for so many rows; else 0 */
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
    double total_variation; /* decisions left open, tails of normals: of one draw */
    uint64_t steps_most;    /* N is at most this, whatever the rows are */
    uint64_t steps;         /* N, with public constants; else 0 */
    double step; /* sqrt(eta'), with public constants; else 0; 1/eta' = 1/eta + lambda */
    double step_least; /* sqrt(eta') is at least this, whatever the rows are */
    double guard;      /* relative, of an acceptance probability in twofold numbers */
    sot_sampler_facts facts;
} sot_sampler_plan;

/* The plan for a sampler (auto: exact-gaussian for the squared loss if its matrix is not too large, else proximal), to be within `distance` of
 * the ideal law when mixing ends. Refuses (public reasons): losses that are not smooth, MALA, a dimension that
 * exact-gaussian cannot hold, facts that are not positive and finite, a distance below what doubles resolve. */
SOTTO_MUST_CHECK sotto_status sot_sampler_plan_new(const sot_sampler_facts *facts,
                                                   const sot_loss *loss,
                                                   sotto_sampler sampler, double distance,
                                                   sot_sampler_plan *out_plan,
                                                   sotto_error *error);

/* Who hears of it. With public constants: step k of steps, after draws that are done. Otherwise the draws done of all draws, by the clock
 * alone, so that a stop is honoured. */
typedef struct sot_sampler_watch {
    const sot_progress *progress; /* NULL: nobody */
    uint64_t draw, draws;         /* this one, from 0, of so many */
} sot_sampler_watch;

/* What a run did; depends on records: for tests and benchmarks, never to be shown. */
typedef struct sot_sampler_counts {
    uint64_t steps; /* of the proximal sampler */
    uint64_t
        proposals; /* points drawn, those that a coin without rows turned away among them */
    uint64_t trials;     /* points whose loss was looked at */
    uint64_t passes;     /* over the rows, in double; several points share one */
    uint64_t linearised; /* gradients */
    uint64_t carefully;  /* decisions taken in twofold numbers */
    uint64_t undecided;  /* left open there too: total_variation counts them */
    uint64_t redrawn;    /* exact-gaussian: points beyond the ball */
    bool second_route;   /* exact-gaussian: the ball was too rarely hit */
} sot_sampler_counts;

/* One draw: dimension numbers, class by class. `counts` may be NULL. The potential must be the one of the plan's facts, and its
 * matrix keep their bounds. */
SOTTO_MUST_CHECK sotto_status
sot_sampler_draw(const sot_sampler_plan *plan, const sot_potential *potential,
                 sotto_rng *rng, const sot_sampler_watch *watch, double *out_theta,
                 sot_sampler_counts *counts, sotto_error *error);

/* A heuristic: the Metropolis-adjusted Langevin algorithm, `steps` steps from the mode, its step tuned to an acceptance of 0.574 in the first
 * half. No bound of its error is known to anyone; for public data alone. */
SOTTO_MUST_CHECK sotto_status sot_mala_draw(const sot_potential *potential,
                                            uint64_t steps, sotto_rng *rng,
                                            const sot_sampler_watch *watch,
                                            double *out_theta, sotto_error *error);

#endif
