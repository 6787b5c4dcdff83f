#include "privacy/accounting/profile/atoms.h"

#include <assert.h>
#include <float.h>
#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "numeric/sum.h"

sotto_status sot_atoms_new(size_t count, sot_atoms *out_atoms, sotto_error *error)
{
    const size_t lanes = SOT_ATOM_LANES;
    const size_t padded = (count + lanes - 1) / lanes * lanes;
    *out_atoms = (sot_atoms){.count = padded};
    out_atoms->loss = sot_new_array(padded, sizeof *out_atoms->loss);
    out_atoms->weight = sot_new_array(padded, sizeof *out_atoms->weight);
    if (out_atoms->loss == NULL || out_atoms->weight == NULL) {
        sot_atoms_clear(out_atoms);
        return sot_fail_memory(error, padded, 2 * sizeof *out_atoms->loss);
    }
    return SOTTO_OK;
}

void sot_atoms_clear(sot_atoms *atoms)
{
    sot_free(atoms->loss);
    sot_free(atoms->weight);
    *atoms = (sot_atoms){0};
}

void sot_atoms_normalize(sot_atoms *atoms)
{
    sot_sum sum = {0};
    for (size_t k = 0; k < atoms->count; k++)
        sot_sum_add(&sum, atoms->weight[k]);
    for (size_t k = 0; k < atoms->count; k++)
        atoms->weight[k] /= sot_sum_value(&sum);
}

sotto_status sot_atoms_of_pure(double epsilon, double c, sot_atoms *out_atoms,
                               sotto_error *error)
{
    const sotto_status status = sot_atoms_new(2, out_atoms, error);
    if (status != SOTTO_OK) return status;
    out_atoms->loss[0] = epsilon;
    out_atoms->loss[1] = -epsilon;
    out_atoms->weight[0] = 1.0;
    out_atoms->weight[1] = exp(-(2.0 * c + 1.0) * epsilon);
    sot_atoms_normalize(out_atoms);
    out_atoms->rounding_per_s =
        32.0 * DBL_EPSILON * epsilon * (1.0 + (2.0 * c + 1.0) * epsilon);
    return SOTTO_OK;
}

/* s_j = (block * BLOCK + b) * step is split into a coarse and a fine rotation, both computed
 * directly. With F = e^{i s_block x} - 1 and D_b = e^{i b step x} - 1, e^{i s_j
 * x} - 1 = F + D_b + F D_b. Each product then carries a handful of roundings and none accumulate
 * over j. */
enum { BLOCK = 16 };

/* e^{ix} - 1 without cancellation: -2 sin^2(x/2) + i sin(x). */
static void rotation(double x, double *out_real, double *out_imaginary)
{
    const double half = sin(0.5 * x);
    *out_real = -2.0 * half * half;
    *out_imaginary = sin(x);
}

static void fill_rotations(const double *loss, size_t count, double s, double *out_real,
                           double *out_imaginary)
{
    for (size_t k = 0; k < count; k++)
        rotation(s * loss[k], &out_real[k], &out_imaginary[k]);
}

/* One block of sum_k weight_k (F + D + FD), in SOT_ATOM_LANES independent partial sums. */
static void sum_block(const double *restrict weight, const double *restrict coarse_real,
                      const double *restrict coarse_imaginary,
                      const double *restrict fine_real,
                      const double *restrict fine_imaginary, size_t count,
                      double *out_real, double *out_imaginary)
{
    double real[SOT_ATOM_LANES] = {0.0};
    double imaginary[SOT_ATOM_LANES] = {0.0};
    for (size_t k = 0; k < count; k += SOT_ATOM_LANES) {
        for (size_t lane = 0; lane < SOT_ATOM_LANES; lane++) {
            const size_t i = k + lane;
            const double fr = coarse_real[i], fi = coarse_imaginary[i];
            const double dr = fine_real[i], di = fine_imaginary[i];
            real[lane] += weight[i] * (fr + (dr + (fr * dr - fi * di)));
            imaginary[lane] += weight[i] * (fi + (di + (fr * di + fi * dr)));
        }
    }
    *out_real += (real[0] + real[1]) + (real[2] + real[3]);
    *out_imaginary += (imaginary[0] + imaginary[1]) + (imaginary[2] + imaginary[3]);
}

/* Adds one block of atoms to the sums of all nodes. The block and its rotations stay in
 * the L1 cache meanwhile. */
static void add_block(const double *loss, const double *weight, size_t count, double step,
                      size_t nodes, double *sum_real, double *sum_imaginary)
{
    double coarse_real[SOT_ATOM_BLOCK], coarse_imaginary[SOT_ATOM_BLOCK];
    double fine_real[BLOCK][SOT_ATOM_BLOCK], fine_imaginary[BLOCK][SOT_ATOM_BLOCK];
    for (size_t b = 0; b < BLOCK; b++)
        fill_rotations(loss, count, (double)b * step, fine_real[b], fine_imaginary[b]);
    for (size_t j = 0; j < nodes; j++) {
        const size_t b = j % BLOCK;
        if (b == 0) {
            fill_rotations(loss, count, (double)j * step, coarse_real, coarse_imaginary);
        }
        sum_block(weight, coarse_real, coarse_imaginary, fine_real[b], fine_imaginary[b],
                  count, &sum_real[j], &sum_imaginary[j]);
    }
}

void sot_atoms_sum(const double *loss, const double *weight, size_t count, double step,
                   size_t nodes, double *sum_real, double *sum_imaginary)
{
    for (size_t begin = 0; begin < count; begin += SOT_ATOM_BLOCK) {
        const size_t size =
            count - begin < SOT_ATOM_BLOCK ? count - begin : SOT_ATOM_BLOCK;
        add_block(loss + begin, weight + begin, size, step, nodes, sum_real,
                  sum_imaginary);
    }
}

void sot_atoms_add_node(double times, double rho, double real, double imaginary,
                        double *log_modulus, double *argument, double *error)
{
    /* |M| + rho. Near 1, log1p keeps the small difference that log would lose. Below,
     * hypot keeps |M|, which |M|^2 - 1 would lose. */
    const double square = real * (2.0 + real) + imaginary * imaginary; /* |M|^2 - 1 */
    const double modulus = hypot(1.0 + real, imaginary) + rho;
    const double log_upper = square > -0.5
                                 ? 0.5 * log1p(square) + log1p(rho / sqrt(1.0 + square))
                                 : log(fmax(modulus, DBL_MIN));
    const double angle = atan2(imaginary, 1.0 + real);
    *log_modulus += times * log_upper;
    *argument += times * angle;
    /* The angles of several parts may cancel, their roundings do not. */
    *error += times * (rho / fmax(modulus, DBL_MIN) + 2.0 * DBL_EPSILON * fabs(angle));
}

double sot_atoms_work(double atoms, double nodes)
{
    const double few = 2e6; /* node evaluations: a transform's setup is not worth it */
    const double direct = atoms * nodes;
    return direct < few ? direct : fmin(direct, sot_atoms_fft_work(atoms, nodes));
}

sotto_status sot_atoms_accumulate(const sot_atoms *atoms, double times, double step,
                                  size_t nodes, double *out_log_modulus,
                                  double *out_argument, double *out_error,
                                  sotto_error *error)
{
    const size_t count = atoms->count;
    double *sums = sot_new_array(2 * nodes, sizeof *sums);
    if (sums == NULL) return sot_fail_memory(error, 2 * nodes, sizeof *sums);
    double *real = sums;
    double *imaginary = sums + nodes;
    double absolute = 0.0;
    double per_s = 0.0;
    sotto_status status = SOTTO_OK;
    if (sot_atoms_work((double)count, (double)nodes) < (double)count * (double)nodes) {
        status = sot_atoms_sum_by_fft(atoms, step, nodes, real, imaginary, &absolute,
                                      &per_s, error);
    } else {
        sot_atoms_sum(atoms->loss, atoms->weight, count, step, nodes, real, imaginary);
    }
    for (size_t j = 0; j < nodes && status == SOTTO_OK; j++) {
        const double rho = (double)j * step * (atoms->rounding_per_s + per_s) +
                           atoms->quadrature + absolute;
        sot_atoms_add_node(times, rho, real[j], imaginary[j], &out_log_modulus[j],
                           &out_argument[j], &out_error[j]);
    }
    sot_free(sums);
    return status;
}
