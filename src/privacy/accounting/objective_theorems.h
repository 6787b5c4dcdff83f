/* accounting/objective_theorems.h: what objective.c and objective_calibrate.c share. */
#ifndef SOT_ACCOUNTING_OBJECTIVE_THEOREMS_H
#define SOT_ACCOUNTING_OBJECTIVE_THEOREMS_H

#include "privacy/accounting/objective.h"

/* The theorem is known and covers adjacency, unit and loss; bounds are positive. lambda, noise
 * and claim are not looked at. */
SOTTO_MUST_CHECK sotto_status sot_objective_check_problem(const sot_objective_law *law,
                                                          sotto_error *error);

/* The atom of the sharp Gaussian rule. */
double sot_objective_atom_upper(const sot_objective_law *law);

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
