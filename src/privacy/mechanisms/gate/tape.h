/* privacy/mechanisms/gate/tape.h: the gate tape, a record-and-replay test facility that compiles
 * to nothing in the product.
 *
 * Idea: run a computation on a data set D and record every call of the gate. Run it again on a
 * neighbour D', and let the gate return the recorded answers. If the output depends only on those
 * answers, the two runs look the same from outside. They have the same plan, and the same calls
 * in the same order with the same shapes, scales, purposes, refusals. The inputs differ by at
 * most the declared sensitivity. Any other difference is a leak; the gate tape reports the first
 * one.
 *
 * Kinds of calls:
 *
 * - sum: exact integers. Their distance in the declared norm is at most the declared sensitivity,
 *   compared exactly, in integers.
 * - choice: integer scores on public candidates. The change from D to D', as a function on the
 *   candidates, has at most the declared range and size. The scores may come in cells of
 *   consecutive candidates with equal scores, and the cells of D and D' may differ.
 * - pairs: the same among intervals and rectangles of public points, whose scores are sums;
 *   compared as functions on all of them.
 * - density: an output theta that is an invertible function of noise b. On each data set the
 *   mechanism computes the b that gives theta, and log |det db/dtheta|. A replay uses the
 *   recorded theta; b and the log-determinant may have moved by at most the declared bounds. If
 *   theta comes from a solver, the sampled noise differs from the noise behind theta by the
 *   solver's residual, which is compared with its claim. A replay gets the sampled noise, moved
 *   as the noise behind theta moved, and solves again.
 * - draw: a point theta whose density is exp(-potential), where the distribution itself is
 *   private. The change of the potential from D to D' has gradients of at most the declared
 *   length, or values within the declared range, at theta and at many points of the ball. A
 *   replay uses the recorded theta.
 *
 * Randomness: while recording, the state of the gate's generator is noted before each call. Two
 * calls that start from the same state have the same noise, which is reported too.
 *
 * Not covered: the distribution of the noise, which chi-square tests and audits check.
 * tests/tape.h compares standard output and error, exit codes and files.
 */
#ifndef SOT_PRIVACY_MECHANISMS_GATE_TAPE_H
#define SOT_PRIVACY_MECHANISMS_GATE_TAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <sotto/grid.h>

#include "privacy/mechanisms/gate/gate.h"

/* Integers that are about to be released under noise. */
typedef struct sot_tape_sum_call {
    size_t index;          /* from sot_gate_admit() */
    const int64_t *values; /* exact */
    size_t count;
    sotto_norm norm;
    double sensitivity; /* declared, in units of `values` */
    double
        order_slack; /* declared: the largest move of the values by another order of the
                           same records; 0 but for the results of solvers */
} sot_tape_sum_call;

/* A choice among the candidates 0 .. candidates - 1. */
typedef struct sot_tape_choice_call {
    size_t index;
    const int64_t *scores; /* of each cell */
    const uint64_t
        *ends; /* of each cell: the first candidate behind it, ascending, the last
                              one is `candidates`; NULL: one candidate a cell */
    size_t cells;
    uint64_t candidates; /* public */
    uint64_t range_most; /* declared: largest minus smallest change over the candidates */
    uint64_t
        change_most; /* declared: largest absolute change; UINT64_MAX: not declared */
} sot_tape_choice_call;

/* A choice among the pairs low < high of points of a line and the empty one, with scores
 * low_scores + high_scores constant on cells. If there are gains, a choice among the rectangles
 * of width x height cells and the empty one. A score is empty_score plus the sum of gains
 * inside. */
typedef struct sot_tape_pairs_call {
    size_t index;
    const int64_t *low_scores, *high_scores;
    const uint64_t *ends; /* as above; the last one is the public number of points */
    size_t cells;
    int64_t empty_score;
    const int64_t *gains; /* x by x; NULL: intervals */
    size_t width, height;
    uint64_t range_most, change_most;
} sot_tape_pairs_call;

enum { SOT_TAPE_CHOSEN = 4 }; /* numbers of a chosen pair or rectangle; 0 behind it */

/* On this data set: the noise that would have given `theta`, and log |det db/dtheta| there. */
typedef void (*sot_tape_noise_of)(const void *context, const double *theta,
                                  double *out_noise, double *out_log_determinant);

typedef struct sot_tape_density_call {
    size_t index;
    size_t dimension;
    double shift_most;           /* declared: |b' - b|, the L2 norm */
    double log_determinant_most; /* declared: |log det' - log det| */
    double
        residual_most; /* declared: |drawn - noise_of(theta)|; used if drawn is given */
    double ball; /* |theta| <= ball is part of the minimisation: on its boundary drawn -
                       noise_of(theta) may point inwards by any length; 0: no ball */
    double tolerance; /* relative, for the rounding of noise_of() itself; at most 1e-3 */
    sot_tape_noise_of noise_of;
    const void
        *context; /* for noise_of(); used before the release returns, never after */
} sot_tape_density_call;

/* On this data set: the part of the potential that depends on it, and its gradient. False: it could not be computed. */
typedef bool (*sot_tape_potential)(const void *context, const double *theta,
                                   double *out_value, double *out_gradient);

typedef struct sot_tape_draw_call {
    size_t index;
    size_t dimension;
    double lipschitz_most; /* declared: |gradient of the change|; NaN: not declared */
    double
        range_most; /* declared: largest minus smallest value of the change; NaN: not declared */
    double ball;      /* |theta| <= ball */
    double tolerance; /* relative, for the rounding of potential() itself; at most 1e-3 */
    sot_tape_potential potential;
    const void
        *context; /* for potential(); used before the release returns, never after */
} sot_tape_draw_call;

#ifdef SOTTO_SAME_IN_TESTS
#error "another file in the library of the tests: run cmake again, or see CMakeLists.txt"
#endif

#ifdef SOTTO_TESTING

/* Called by mechanisms. True: a replay wrote the output, nothing is drawn. */
bool sot_tape_sum(sotto_gate *gate, const sot_tape_sum_call *call, int64_t *out_values);
bool sot_tape_choice(sotto_gate *gate, const sot_tape_choice_call *call,
                     size_t *out_choice);
bool sot_tape_pairs(sotto_gate *gate, const sot_tape_pairs_call *call,
                    uint64_t out_chosen[SOT_TAPE_CHOSEN]);
/* `out_theta` or `out_noise` may be NULL. The noise of a replay is drawn + noise_of(theta) here -
 * noise_of(theta) there: with it `theta` leaves the residual here that it left there. */
bool sot_tape_density(sotto_gate *gate, const sot_tape_density_call *call,
                      double *out_theta, double *out_noise);

bool sot_tape_draw(sotto_gate *gate, const sot_tape_draw_call *call, double *out_theta);

/* Mechanisms call these with their released values, replayed or sampled. */
void sot_tape_sum_result(sotto_gate *gate, const int64_t *values, size_t count);
void sot_tape_choice_result(sotto_gate *gate, size_t choice);
void sot_tape_pairs_result(sotto_gate *gate, const uint64_t chosen[SOT_TAPE_CHOSEN]);
/* `drawn` is the noise that `theta` was computed from; NULL: exactly noise_of(theta). */
void sot_tape_density_result(sotto_gate *gate, const sot_tape_density_call *call,
                             const double *theta, const double *drawn);

void sot_tape_draw_result(sotto_gate *gate, const sot_tape_draw_call *call,
                          const double *theta);

/* Called by the gate. */
void sot_tape_gate_new(const sotto_gate *gate);
void sot_tape_gate_step(const sotto_gate *gate, const char *step);
void sot_tape_gate_admitted(const sotto_gate *gate, size_t index);
void sot_tape_gate_recorded(const sotto_gate *gate, size_t index);

/* ---- the recorder: one gate tape at a time is running, in one thread ---- */

typedef struct sot_tape sot_tape;

/* NULL when memory runs out. */
sot_tape *sot_tape_new(void);
void sot_tape_free(sot_tape *tape); /* NULL is fine */

/* From here to sot_tape_stop() every gate of the process records on `tape`. */
void sot_tape_record(sot_tape *tape);

/* From here to sot_tape_stop() every gate replays it. With `identical` the two data sets are
 * the same records in another order: then nothing at all may differ, also the sums. */
void sot_tape_replay(sot_tape *tape, bool identical);

void sot_tape_stop(sot_tape *tape);

/* The first difference found so far, or NULL. One line; it quotes values of the data, as tests
 * may. */
const char *sot_tape_difference(const sot_tape *tape);

/* Releases (sums, choices, densities, draws) while recording. */
size_t sot_tape_releases(const sot_tape *tape);

#else

static inline bool sot_tape_sum(sotto_gate *gate, const sot_tape_sum_call *call,
                                int64_t *out_values)
{
    (void)gate, (void)call, (void)out_values;
    return false;
}

static inline bool sot_tape_choice(sotto_gate *gate, const sot_tape_choice_call *call,
                                   size_t *out_choice)
{
    (void)gate, (void)call, (void)out_choice;
    return false;
}

static inline bool sot_tape_pairs(sotto_gate *gate, const sot_tape_pairs_call *call,
                                  uint64_t *out_chosen)
{
    (void)gate, (void)call, (void)out_chosen;
    return false;
}

static inline bool sot_tape_density(sotto_gate *gate, const sot_tape_density_call *call,
                                    double *out_theta, double *out_noise)
{
    (void)gate, (void)call, (void)out_theta, (void)out_noise;
    return false;
}

static inline bool sot_tape_draw(sotto_gate *gate, const sot_tape_draw_call *call,
                                 double *out_theta)
{
    (void)gate, (void)call, (void)out_theta;
    return false;
}

static inline void sot_tape_draw_result(sotto_gate *gate, const sot_tape_draw_call *call,
                                        const double *theta)
{
    (void)gate, (void)call, (void)theta;
}

static inline void sot_tape_sum_result(sotto_gate *gate, const int64_t *values,
                                       size_t count)
{
    (void)gate, (void)values, (void)count;
}

static inline void sot_tape_choice_result(sotto_gate *gate, size_t choice)
{
    (void)gate, (void)choice;
}

static inline void sot_tape_pairs_result(sotto_gate *gate, const uint64_t *chosen)
{
    (void)gate, (void)chosen;
}

static inline void sot_tape_density_result(sotto_gate *gate,
                                           const sot_tape_density_call *call,
                                           const double *theta, const double *drawn)
{
    (void)gate, (void)call, (void)theta, (void)drawn;
}

static inline void sot_tape_gate_new(const sotto_gate *gate)
{
    (void)gate;
}

static inline void sot_tape_gate_step(const sotto_gate *gate, const char *step)
{
    (void)gate, (void)step;
}

static inline void sot_tape_gate_admitted(const sotto_gate *gate, size_t index)
{
    (void)gate, (void)index;
}

static inline void sot_tape_gate_recorded(const sotto_gate *gate, size_t index)
{
    (void)gate, (void)index;
}

#endif

#endif
