/* privacy/accounting/profile/atoms.h: a privacy loss as weighted atoms, and its transform on a vertical line.
 *
 * Idea        Take one mechanism, one direction and one c >= 0. The exponentially weighted
 *             distribution of the privacy loss L (density proportional to e^{cL}) is written as
 *             atoms (loss_k, weight_k) with sum weight_k = 1. This is exact for finite
 *             distributions; continuous ones use a trapezoid rule with a proved error. Then
 *                 M(c + is)/M(c) - 1 = sum_k weight_k (e^{i s loss_k} - 1).
 *             The real part has no cancellation, so the relative accuracy survives when the
 *             mechanism is run millions of times with a tiny sampling rate.
 * Error       |computed - exact| <= s * rounding_per_s + quadrature, for every s in
 *             [0, s_max] the atoms were made for.
 */
#ifndef SOT_PRIVACY_ACCOUNTING_PROFILE_ATOMS_H
#define SOT_PRIVACY_ACCOUNTING_PROFILE_ATOMS_H

#include <stddef.h>

#include <sotto/error.h>

typedef struct sot_atoms {
    size_t count;          /* a multiple of SOT_ATOM_LANES; padding has weight 0 */
    double *loss;          /* the losses */
    double *weight;        /* exponential weights, sum 1 */
    double rounding_per_s; /* rounding error of the transform, per unit of s */
    double quadrature;     /* discretisation and truncation error of the transform */
} sot_atoms;

/* The sum over atoms runs in four lanes and blocks, so that a term meets at most BLOCK/LANES
 * + count/BLOCK additions; ROUNDINGS counts those of one block and of a term itself. */
enum { SOT_ATOM_LANES = 4, SOT_ATOM_BLOCK = 128, SOT_ATOM_ROUNDINGS = 64 };

/* Room for `count` atoms (rounded up to whole lanes, zeroed). */
SOTTO_MUST_CHECK sotto_status sot_atoms_new(size_t count, sot_atoms *out_atoms,
                                            sotto_error *error);
void sot_atoms_clear(sot_atoms *atoms);

/* Divides the weights by their sum. */
void sot_atoms_normalize(sot_atoms *atoms);

/* Binary randomized response, exponentially weighted: p e^{c eps} : (1-p) e^{-c eps} = 1 : e^{-(2c+1) eps}. */
SOTTO_MUST_CHECK sotto_status sot_atoms_of_pure(double epsilon, double c,
                                                sot_atoms *out_atoms, sotto_error *error);

/* Adds `times` * log(1 + sum_k weight_k (e^{i s_j loss_k} - 1)), s_j = j * step, to
 * out_log_modulus[j] and out_argument[j], for j = 0 .. nodes - 1. Adds the relative error of
 * `times` steps, `times * rho_j / (|M_j| + rho_j)`, and the rounding of the argument to
 * out_error[j]. |M_j| is replaced by |M_j| + rho_j so that the modulus is an upper bound. */
SOTTO_MUST_CHECK sotto_status sot_atoms_accumulate(const sot_atoms *atoms, double times,
                                                   double step, size_t nodes,
                                                   double *out_log_modulus,
                                                   double *out_argument,
                                                   double *out_error, sotto_error *error);

/* Adds sum_k weight_k (e^{i s_j loss_k} - 1) to the sums of the nodes. `count` is a multiple of
 * SOT_ATOM_LANES. */
void sot_atoms_sum(const double *loss, const double *weight, size_t count, double step,
                   size_t nodes, double *sum_real, double *sum_imaginary);

/* The work of sot_atoms_accumulate() in evaluations of one atom at one node. */
double sot_atoms_work(double atoms, double nodes);

/* atoms_fft.c: the same by Fourier transforms, with an error of at most out_absolute + s_j out_per_s beside the atoms' own, and the work of that. */
SOTTO_MUST_CHECK sotto_status sot_atoms_sum_by_fft(const sot_atoms *atoms, double step,
                                                   size_t nodes, double *sum_real,
                                                   double *sum_imaginary,
                                                   double *out_absolute,
                                                   double *out_per_s, sotto_error *error);
double sot_atoms_fft_work(double atoms, double nodes);

/* The same for one node whose M(c + is)/M(c) - 1 = real + i imaginary is known up to `rho`. */
void sot_atoms_add_node(double times, double rho, double real, double imaginary,
                        double *log_modulus, double *argument, double *error);

#endif
