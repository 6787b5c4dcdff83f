/* sotto/accountant.h: the privacy cost of a list of releases, as a certified (epsilon, delta).
 *
 * Idea        A plan is a list of events (mechanism, noise, sampling, count). Each event has a
 *             dominating pair of output distributions. The privacy loss of the plan is the sum of
 *             the events' losses; delta(epsilon) is an integral over its distribution.
 * Theorem     Zhu, Dong & Wang, AISTATS 2022, Thm 10: dominating pairs compose, also when
 *             later events are chosen from earlier outputs. Each accountant's own theorem is
 *             in its proof note, with the error analysis.
 * Neighbours  sotto_adjacency defines neighbouring data sets; it is part of the plan.
 * Assumes     (1) every event is run with the stated noise, sampling and sensitivity. The gate
 *             enforces this for sotto's own learners. (2) The number and parameters of the events
 *             are fixed in advance (a plan), not chosen from outputs.
 * Rounding    `epsilon` and `delta` are upper bounds: discretisation, truncation and
 *             floating-point error are bounded and added. `_lower` fields are lower bounds.
 *             Docs: accounting.md
 */
#ifndef SOTTO_ACCOUNTANT_H
#define SOTTO_ACCOUNTANT_H

#include <stddef.h>
#include <stdint.h>

#include <sotto/error.h>
#include <sotto/event.h>
#include <sotto/memory.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum sotto_accountant {
    SOTTO_EXACT = 1, /* the tightest certified answer: the best of all certified bounds */
    SOTTO_RDP = 2,   /* Renyi DP at the best real order, improved conversion */
    SOTTO_BASIC = 3, /* sum of the events' epsilons and deltas */
    SOTTO_PLD = 4, /* discretised losses, connect-the-dots and FFT: the second opinion */
    SOTTO_MOMENTS = 5, /* the moments accountant as it was taught: whole orders */
    SOTTO_GAUSSIAN_DP =
        6,              /* mu of Gaussian DP; the central limit theorem only as a label */
    SOTTO_ADVANCED = 7, /* Dwork, Rothblum & Vadhan */
    SOTTO_OPTIMAL = 8   /* Kairouz, Oh & Viswanath */
} sotto_accountant;

/* Which computation gave an answer; `exact` retreats in this order. */
typedef enum sotto_kernel {
    SOTTO_KERNEL_CLOSED_FORM = 1,
    SOTTO_KERNEL_CONTOUR = 2,
    SOTTO_KERNEL_CONTOUR_SMOOTHED = 3, /* with one virtual Gaussian release added */
    SOTTO_KERNEL_RDP = 4,
    SOTTO_KERNEL_BASIC = 5,
    SOTTO_KERNEL_PLD = 6, /* on a grid, by FFT */
    SOTTO_KERNEL_MOMENTS = 7,
    SOTTO_KERNEL_COMPOSITION_THEOREM = 8 /* of (epsilon, delta) releases */
} sotto_kernel;

typedef struct sotto_plan sotto_plan;

typedef struct sotto_account {
    double epsilon;       /* certified upper bound (or the target given, for delta) */
    double epsilon_lower; /* lower bound, 0 at worst; NaN: the accountant has none */
    double delta;         /* certified upper bound (or the target given, for epsilon) */
    double delta_lower;   /* lower bound, 0 at worst; NaN: the accountant has none */
    double order;         /* the Renyi order used; NaN unless kernel is RDP or moments */
    sotto_accountant accountant;
    sotto_kernel kernel;
    sotto_adjacency adjacency;
} sotto_account;

/* A target left open in a plan. sotto_account_noise() fills in every noise_multiplier that is
 * SOTTO_UNSET, and every scale of discrete noise: the noise multiplier times the sensitivity. sotto_account_steps() fills in every count that is 0. sotto_account_rate() fills
 * in every Poisson sampling rate that is SOTTO_UNSET. */

/* An event to fill in: nothing that carries privacy is set. */
SOTTO_API sotto_event sotto_event_defaults(void);

/* An empty plan. Free it with sotto_plan_free(). */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_plan_new(sotto_adjacency adjacency,
                                                       sotto_plan **out_plan,
                                                       sotto_error *error);
SOTTO_API void sotto_plan_free(sotto_plan *plan);

/* Checks the event and appends a copy. Refuses values out of range, fields that do not belong
 * to the mechanism, and pairs of mechanism, sampling and adjacency no theorem covers. A
 * Gaussian's or Laplace's noise_multiplier and the rate of Poisson sampling may be SOTTO_UNSET and a count 0:
 * the open targets. */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_plan_add(sotto_plan *plan,
                                                       const sotto_event *event,
                                                       sotto_error *error);

/* Reads the JSON plan of accounting.md. "search" stands for an open noise_multiplier,
 * rate or count. Unknown keys, mechanisms and methods are refused by name. */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_plan_parse(const char *json,
                                                         size_t size_bytes,
                                                         sotto_plan **out_plan,
                                                         sotto_error *error);

/* Writes the canonical JSON form: no blanks, keys in byte order, unset fields left out, "search"
 * for open targets. Numbers have the fewest digits that read back as the same bits. Parsing the
 * text gives an equal plan. Free it with sotto_free(). Refuses a plan without events, and a
 * purpose that is not UTF-8. */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_plan_to_json(const sotto_plan *plan,
                                                           char **out_json,
                                                           sotto_error *error);

/* Returns the number of events (not counting repetitions), and the adjacency. */
SOTTO_API size_t sotto_plan_size(const sotto_plan *plan);
SOTTO_API sotto_adjacency sotto_plan_adjacency(const sotto_plan *plan);
/* States whose data the events protect: every row of one value of `column`, of which the run keeps at most `rows`
 * rows (unit.md). `column` NULL and `rows` 0: one row, which is the default. */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_plan_set_unit(sotto_plan *plan,
                                                            const char *column,
                                                            uint64_t rows,
                                                            sotto_error *error);
/* Returns the column that names the unit, borrowed from the plan, or NULL for one row; and the cap, 0 for one row. */
SOTTO_API const char *sotto_plan_unit(const sotto_plan *plan);
SOTTO_API uint64_t sotto_plan_unit_rows(const sotto_plan *plan);
/* Borrowed from the plan; `index` must be below sotto_plan_size(). */
SOTTO_API const sotto_event *sotto_plan_event(const sotto_plan *plan, size_t index);

/* Smallest certified epsilon at `delta`. delta 0 is allowed for plans of pure events. An
 * infinite epsilon is an error (SOTTO_UNREACHABLE): no finite epsilon holds at this delta. */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_account_epsilon(const sotto_plan *plan,
                                                              sotto_accountant accountant,
                                                              double delta,
                                                              sotto_account *out_account,
                                                              sotto_error *error);

/* The accountant SOTTO_MOMENTS with the whole moments lambda = 1, ..., `lambda_max`, at most
 * SOTTO_LAMBDA_MAX, in place of 32. */
#define SOTTO_LAMBDA_MAX 1024
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_account_moments(const sotto_plan *plan,
                                                              uint32_t lambda_max,
                                                              double delta,
                                                              sotto_account *out_account,
                                                              sotto_error *error);

/* Smallest certified delta at `epsilon`. */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_account_delta(const sotto_plan *plan,
                                                            sotto_accountant accountant,
                                                            double epsilon,
                                                            sotto_account *out_account,
                                                            sotto_error *error);

/* The least noise_multiplier, put into every open event, with which the plan is `rho`-zCDP, on the
 * safe side; `out_rho` is the plan's rho. SOTTO_UNREACHABLE if no noise does: sampled Gaussian events,
 * objective perturbation and Renyi curves have no rho. */
SOTTO_API SOTTO_MUST_CHECK sotto_status
sotto_account_zcdp_noise(const sotto_plan *plan, double rho, double *out_noise_multiplier,
                         double *out_rho, sotto_error *error);

/* The least noise_multiplier, put into every open event, whose certified epsilon at `delta`
 * is at most `epsilon`. The answer is within a relative 1e-6 of the boundary, on its safe
 * side; `out_account` is the account of the filled-in plan. Epsilon of a discrete Gaussian is
 * not monotone in its noise. There the answer is a noise that meets the target, and the
 * account holds for exactly this noise. */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_account_noise(
    const sotto_plan *plan, sotto_accountant accountant, double epsilon, double delta,
    double *out_noise_multiplier, sotto_account *out_account, sotto_error *error);

/* The largest count, put into every open event, whose certified epsilon at `delta` is at most
 * `epsilon`. SOTTO_UNREACHABLE when a single step is too much. */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_account_steps(
    const sotto_plan *plan, sotto_accountant accountant, double epsilon, double delta,
    uint64_t *out_steps, sotto_account *out_account, sotto_error *error);

/* The largest rate of Poisson sampling, put into every open event, whose certified epsilon at
 * `delta` is at most `epsilon`; 1 at most. The answer is within a relative 1e-6 of the boundary, on
 * its safe side. SOTTO_UNREACHABLE when a rate of 1e-12 is too much. */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_account_rate(
    const sotto_plan *plan, sotto_accountant accountant, double epsilon, double delta,
    double *out_rate, sotto_account *out_account, sotto_error *error);

/* Renyi divergence bound of the whole plan at a real order > 1, rounded up; infinite if the
 * divergence is. (epsilon, delta) events have none: SOTTO_UNSUPPORTED. */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_account_rdp(const sotto_plan *plan,
                                                          double order,
                                                          double *out_rdp_upper,
                                                          sotto_error *error);

/* The same for plans with (epsilon, delta) events, in two columns: the plan is
 * `out_delta_upper`-approximately (order, `out_rdp_upper`)-RDP. The first column counts an
 * (epsilon, delta) event as an epsilon-DP release: it is one, except with probability delta. The
 * second column is 1 - prod(1 - delta_i). Both are rounded up. See ledger.md. */
SOTTO_API SOTTO_MUST_CHECK sotto_status
sotto_account_rdp_with_delta(const sotto_plan *plan, double order, double *out_rdp_upper,
                             double *out_delta_upper, sotto_error *error);

/* sotto_account_epsilon() for inexact noise: `sampler_error` bounds the total variation between
 * the sampled and the exact distribution, over all samples together. The error costs
 * (1 + e^epsilon) sampler_error of delta, because each of the two compared probabilities moves by
 * at most sampler_error. 0 gives sotto_account_epsilon(). */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_account_epsilon_inexact(
    const sotto_plan *plan, sotto_accountant accountant, double delta,
    double sampler_error, sotto_account *out_account, sotto_error *error);

/* The plan in single numbers, rounded up; NaN where a number does not exist. The plan is mu-GDP
 * if all its events are Gaussian or GDP and not sampled. It is rho-zCDP if no event has a delta,
 * an atom or a Renyi curve, and none is a sampled Gaussian. A sampled event with an epsilon
 * counts by its amplified epsilon. */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_account_single_numbers(
    const sotto_plan *plan, double *out_mu, double *out_rho, sotto_error *error);

/* The share of each event, its repetitions included, in the plan's Renyi divergence at `order`.
 * The shares sum to 1 up to rounding, or to 0 if the plan costs nothing. They show where the
 * budget is spent; they are no guarantee. `out_shares` has sotto_plan_size() places. */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_account_shares(const sotto_plan *plan,
                                                             double order,
                                                             double *out_shares,
                                                             sotto_error *error);

/* Returns a bound on the true positive rate of every membership test with a false
 * positive rate of at most `false_positive_rate`. The release satisfies every (epsilon,
 * delta) of `pairs`. Rounded up, at most 1. */
SOTTO_API double sotto_account_attack(const sotto_account *pairs, size_t count,
                                      double false_positive_rate);

/* The textbook's Gaussian calibration sqrt(2 ln(1.25/delta))/epsilon, Dwork & Roth 2014,
 * Thm A.1. It is proved for epsilon < 1 and refused beyond. For comparison:
 * sotto_account_noise() needs less noise at every epsilon and delta. */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_gaussian_noise_classical(
    double epsilon, double delta, double *out_noise_multiplier, sotto_error *error);

/* Names as the command line and the JSON spell them; "unknown" for other values. */
SOTTO_API const char *sotto_adjacency_name(sotto_adjacency adjacency);
SOTTO_API const char *sotto_mechanism_name(sotto_mechanism mechanism);
SOTTO_API const char *sotto_sampling_name(sotto_sampling sampling);
SOTTO_API const char *sotto_accountant_name(sotto_accountant accountant);
SOTTO_API const char *sotto_kernel_name(sotto_kernel kernel);

/* The values behind such names; SOTTO_INVALID_ARGUMENT lists the known ones. */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_adjacency_from_name(const char *name,
                                                                  sotto_adjacency *out,
                                                                  sotto_error *error);
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_mechanism_from_name(const char *name,
                                                                  sotto_mechanism *out,
                                                                  sotto_error *error);
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_sampling_from_name(const char *name,
                                                                 sotto_sampling *out,
                                                                 sotto_error *error);
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_accountant_from_name(const char *name,
                                                                   sotto_accountant *out,
                                                                   sotto_error *error);

#ifdef __cplusplus
}
#endif
#endif
