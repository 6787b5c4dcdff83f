/* privacy/accounting/loss/kinds.h: the functions behind loss.h, one set for each kind of
 * distribution. */
#ifndef SOT_PRIVACY_ACCOUNTING_LOSS_KINDS_H
#define SOT_PRIVACY_ACCOUNTING_LOSS_KINDS_H

#include "privacy/accounting/loss/loss.h"

/* delta(-e) = 1 - e^-e + e^-e delta(e), for every distribution here: only epsilon >= 0 is
 * computed. */
sot_bracket sot_law_mirror(sot_bracket delta_at_positive, double epsilon);

/* ---- box ---- */
sot_bracket sot_box_delta(const sot_law *law, double epsilon);
double sot_box_log_mgf(const sot_law *law, double t, double *out_error);
/* t times the largest Renyi divergence of order t + 1 among all pairs of range `loss`, rounded up. */
double sot_range_renyi_upper(double loss, double t);
sotto_status sot_box_accumulate(const sot_law *law, const sot_law_table *table,
                                sotto_error *error);
/* The bound is limit + slope/s, relative to M(c). */
void sot_box_tail(const sot_law *law, double c, double *out_limit, double *out_slope);

/* `count` releases, at most REPEATS_MAX with losses that sum to LOSS_MAX at most. */
enum { SOT_BOX_REPEATS_MAX = 120, SOT_RANGE_REPEATS_MAX = 24, SOT_BOX_LOSS_MAX = 400 };
sot_bracket sot_box_sum_delta(const sot_law *law, double epsilon);

/* ---- lattice: discrete Laplace, randomized response, discrete Gaussian ---- */

/* The losses of one release: loss_i = (first + i) * spacing with probability mass_i under P.
 * `rounding` is the relative error of a mass and of a loss. The truncated part of an infinite
 * distribution has probability `outside` at most. */
struct sot_lattice {
    double spacing;
    double first; /* a whole number, or a half */
    size_t count;
    double *mass;
    double rounding;
    double outside;
};

/* SOTTO_UNSUPPORTED when it has more than `most` points. Clear with sot_lattice_clear(). */
SOTTO_MUST_CHECK sotto_status sot_lattice_new(const sot_law *law, size_t most,
                                              sot_lattice *out, sotto_error *error);
void sot_lattice_clear(sot_lattice *lattice);

/* Returns the approximate number of points of the distribution. */
double sot_lattice_points(const sot_law *law);
sot_bracket sot_lattice_delta(const sot_lattice *lattice, double epsilon);
sot_bracket sot_lattice_law_delta(const sot_law *law, double epsilon);
double sot_lattice_log_mgf(const sot_law *law, double t, double *out_error);
double sot_lattice_loss_max(const sot_law *law);
sot_bracket sot_discrete_laplace_delta(const sot_law *law, double epsilon);
SOTTO_MUST_CHECK sotto_status sot_lattice_atoms(const sot_law *law, double c,
                                                sot_atoms *out_atoms, sotto_error *error);
SOTTO_MUST_CHECK sotto_status sot_lattice_power(const sot_law *law, sot_lattice *out,
                                                sotto_error *error);
/* True if `count` releases are few enough to be convolved. */
bool sot_lattice_power_fits(const sot_law *law);

/* ---- mixtures of Gaussians: replaced and fixed ---- */
sot_bracket sot_mixture_delta(const sot_law *law, double epsilon);
double sot_mixture_log_mgf(const sot_law *law, double t, double *out_error);
double sot_mixture_log_mgf_estimate(const sot_law *law, double t);
double sot_mixture_loss_max(const sot_law *law);
SOTTO_MUST_CHECK sotto_status sot_mixture_atoms(const sot_law *law, double c,
                                                double s_max, sot_atoms *out_atoms,
                                                sotto_error *error);
double sot_mixture_atoms_estimate(const sot_law *law, double c, double s_max,
                                  double most);

typedef struct sot_mixture_tail sot_mixture_tail;
SOTTO_MUST_CHECK sotto_status sot_mixture_tail_new(const sot_law *law, double c,
                                                   sot_mixture_tail **out_tail,
                                                   sotto_error *error);
void sot_mixture_tail_free(sot_mixture_tail *tail);
double sot_mixture_tail_bound(sot_mixture_tail *tail, double s);

#endif
