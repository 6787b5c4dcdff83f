/* privacy/accounting/objective/theorems.h: the common part of objective.c and
 * calibrate.c. */
#ifndef SOT_PRIVACY_ACCOUNTING_OBJECTIVE_THEOREMS_H
#define SOT_PRIVACY_ACCOUNTING_OBJECTIVE_THEOREMS_H

#include "privacy/accounting/objective/objective.h"

/* Checks that the theorem is known and covers adjacency, unit and loss, and that bounds are
 * positive. Does not check lambda. It checks noise and claim only for being pure. */
SOTTO_MUST_CHECK sotto_status sot_objective_check_problem(const sot_objective_law *law,
                                                          sotto_error *error);

/* The atom of the sharp Gaussian rule. */
double sot_objective_atom_upper(const sot_objective_law *law);

/* As the command line calls it. */
const char *sot_objective_theorem_name(sot_objective_theorem theorem);

/* Makes the event of a `law` that states a claim, checked against noise and lambda. */
SOTTO_MUST_CHECK sotto_status sot_objective_named_event(const sot_objective_law *law,
                                                        sotto_event *event,
                                                        sotto_error *error);

/* True if the theorem is about one (epsilon, delta), which `law` states: the published ones, and
 * GENERAL with Gaussian noise. */
bool sot_objective_states_claim(const sot_objective_law *law, bool is_pure);

typedef struct sot_objective_target {
    double epsilon, delta;
} sot_objective_target;

/* The largest mu, to a relative 1e-13, of a Gaussian release within (epsilon, delta). */
double sot_objective_largest_mu(double epsilon, double delta);

/* epsilon with G(mu, epsilon) <= Phi(mu/2 - epsilon/mu) <= tail, rounded up. */
double sot_objective_gap_upper(double mu, double tail);

/* epsilon of a pure first release, when the second has its share. */
double sot_objective_first_epsilon_down(double epsilon, double share);

/* lambda with which the determinant of a unit takes SOT_OBJECTIVE_DETERMINANT_SHARE of epsilon. */
double sot_objective_shared_lambda(const sot_objective_law *law, double epsilon);

/* sot_objective_least_lambda() and sot_objective_calibrate() for theorems with a stated
 * claim. */
SOTTO_MUST_CHECK sotto_status sot_objective_named_lambda(const sot_objective_law *law,
                                                         double epsilon, double delta,
                                                         double *out_lambda,
                                                         sotto_error *error);
SOTTO_MUST_CHECK sotto_status sot_objective_calibrate_named(sot_objective_law *law,
                                                            double epsilon, double delta,
                                                            double share,
                                                            sotto_error *error);

/* The largest eigenvalue to count each of `rank` eigenvalues of one record's Hessian with:
 * the smaller of smoothness and trace/rank. */
double sot_objective_curvature_upper(const sot_objective_law *law);

/* True for VERTICES with Gaussian noise where the event states SOTTO_FROZEN_SLOPE: losses of one margin, units of few rows. */
bool sot_objective_is_frozen_margin(const sot_objective_law *law);

/* VERTICES with Gaussian noise: noise_multiplier, atom, shift and vertices. */
SOTTO_MUST_CHECK sotto_status sot_objective_vertices_event(const sot_objective_law *law,
                                                           sotto_event *event,
                                                           sotto_error *error);

/* VERTICES and GENERAL with pure noise: k (e + c), or k (2 e + c) under replace-one. */
double sot_objective_step_epsilon_upper(const sot_objective_law *law);

/* GENERAL with Gaussian noise: epsilon at delta, by the length of b. That length over sigma is at
 * most sqrt(d) + sqrt(2 ln(1/delta)), except with probability delta. */
double sot_objective_general_epsilon_upper(const sot_objective_law *law, double delta);
double sot_objective_length_upper(size_t dimension, double delta);

/* Kifer, Smith & Thakurta, COLT 2012: lambda >= 2 rank beta/epsilon. */
double sot_objective_kifer_lambda_upper(const sot_objective_law *law, double epsilon);

/* Kifer, Smith & Thakurta, COLT 2012: R sqrt(8 ln(2/delta) + 4 epsilon)/epsilon. */
double sot_objective_kifer_sigma_upper(double record_bound, double epsilon, double delta);

/* Chaudhuri, Monteleoni & Sarwate, JMLR 2011, Alg. 2: half of epsilon' = epsilon -
 * 2 log(1 + beta/lambda); not positive where lambda is too small. */
double sot_objective_chaudhuri_rate_down(double smoothness, double lambda,
                                         double epsilon);

/* Redberg, Koskela & Wang, NeurIPS 2023: delta(epsilon), lambda > smoothness. */
double sot_objective_redberg_delta_upper(double record_bound, double smoothness,
                                         double lambda, double sigma, double epsilon);

#endif
