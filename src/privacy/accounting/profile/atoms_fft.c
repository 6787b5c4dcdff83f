/* The transform of many atoms at many nodes by a few fast Fourier transforms.
 *
 * Idea        s_j = j ds. Cells of width D = 2 pi/(N ds) hold the atoms: loss = b D + d, |d| <= D/2. Then
 *                 e^{i s_j loss} = e^{2 pi i j b/N} sum_m (i s_j d)^m/m!,
 *             so that a Fourier transform of the m-th moments of the cells gives the m-th term at all
 *             nodes. Cells b = 0 mod N need none: their factor is 1. The heaviest cells are summed directly,
 *             because the error of a transform is in proportion to the norm of its input.
 * Error       contour.md, section 4: the series, the rounding of moments and of transforms. */
#include "privacy/accounting/profile/atoms.h"

#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "numeric/fft.h"
#include "numeric/sum.h"

static const double unit = 0x1p-53;

/* N is at least four times the number of nodes: (pi/4)^20/20! is below 1e-20. */
enum { TERMS = 20, HEAVY_MAX = 96 };

/* The error of a term that is worth a direct sum of its heaviest cells. */
static const double worth_a_sum = 1e-21;

/* Nodes of the transform: at least four times those of the line. */
static double size_for(size_t nodes)
{
    return fmax(64.0, exp2(ceil(log2(4.0 * (double)nodes))));
}

double sot_atoms_fft_work(double atoms, double nodes)
{
    if (!(nodes >= 16.0 && 8.0 * nodes <= (double)SOT_FFT_SIZE_MAX)) return HUGE_VAL;
    const double size = size_for((size_t)nodes);
    return 1e6 + 10.0 * (1.2 * size * log2(size) + 8.0 * atoms);
}

typedef struct grid {
    size_t size; /* N */
    double turn; /* 2 pi/N: s_j D = j turn */
    sot_fft *fft;
    size_t *cell;   /* of each atom, b mod N */
    double *offset; /* of each atom, d/D */
    double *moment; /* of each atom, weight (d/D)^m */
    sot_sum *sums;  /* of each cell */
    double *ring;   /* size + 2 */
    double *power;  /* of each node, (s_j D)^m/m! */
    double
        *direct; /* of each node, the sum over the heaviest cells: real, then imaginary */
} grid;

static void free_grid(grid *g)
{
    sot_fft_free(g->fft);
    sot_free(g->cell);
    sot_free(g->offset);
    sot_free(g->moment);
    sot_free(g->sums);
    sot_free(g->ring);
    sot_free(g->power);
    sot_free(g->direct);
}

static sotto_status make_grid(const sot_atoms *atoms, double step, size_t nodes, grid *g,
                              sotto_error *error)
{
    *g = (grid){.size = (size_t)size_for(nodes)};
    g->turn = 2.0 * M_PI / (double)g->size;
    const sotto_status status = sot_fft_new(g->size, &g->fft, error);
    if (status != SOTTO_OK) return status;
    g->cell = sot_new_array(atoms->count, sizeof *g->cell);
    g->offset = sot_new_array(atoms->count, sizeof *g->offset);
    g->moment = sot_new_array(atoms->count, sizeof *g->moment);
    g->sums = sot_new_array(g->size, sizeof *g->sums);
    g->ring = sot_new_array(g->size + 2, sizeof *g->ring);
    g->power = sot_new_array(nodes, sizeof *g->power);
    g->direct = sot_new_array(2 * nodes, sizeof *g->direct);
    if (g->cell == NULL || g->offset == NULL || g->moment == NULL || g->sums == NULL ||
        g->ring == NULL || g->power == NULL || g->direct == NULL) {
        return sot_fail_memory(error, g->size + atoms->count, 4 * sizeof *g->ring);
    }
    const double cells_per_loss = step / g->turn;
    for (size_t k = 0; k < atoms->count; k++) {
        const double place = atoms->loss[k] * cells_per_loss;
        const double b = nearbyint(place);
        const double turns = floor(b / (double)g->size);
        g->cell[k] = (size_t)(b - turns * (double)g->size);
        g->offset[k] = place - b;
        g->moment[k] = atoms->weight[k];
    }
    for (size_t j = 0; j < nodes; j++)
        g->power[j] = 1.0;
    return SOTTO_OK;
}

typedef struct term {
    double all;   /* sum of the moments of all cells; in the term 0, of none */
    double norm;  /* of the ring that is transformed */
    double rest;  /* the sum of that ring */
    double whole; /* sum of |moments| of all cells but, in the term 0, those 0 mod N */
} term;

/* Adds the moments of the atoms to their cells. */
static term fill_ring(const sot_atoms *atoms, grid *g, int m)
{
    term out = {0};
    for (size_t b = 0; b < g->size; b++)
        g->sums[b] = (sot_sum){0};
    for (size_t k = 0; k < atoms->count; k++) {
        if (m > 0) g->moment[k] *= g->offset[k];
        sot_sum_add(&g->sums[g->cell[k]], g->moment[k]);
        if (m > 0 || g->cell[k] != 0) out.whole += fabs(g->moment[k]);
    }
    sot_sum all = {0};
    if (m > 0) sot_sum_add(&all, sot_sum_value(&g->sums[0]));
    g->ring[0] = 0.0;
    for (size_t b = 1; b < g->size; b++) {
        g->ring[b] = sot_sum_value(&g->sums[b]);
        if (m > 0) sot_sum_add(&all, g->ring[b]);
    }
    out.all = sot_sum_value(&all);
    return out;
}

/* The least power of 2 above which at most HEAVY_MAX cells are; `least` or more. */
static double heavy_limit(const grid *g, double least)
{
    double limit = least;
    for (;;) {
        size_t heavy = 0;
        for (size_t b = 1; b < g->size && heavy <= HEAVY_MAX; b++)
            heavy += fabs(g->ring[b]) > limit;
        if (heavy <= HEAVY_MAX) return limit;
        limit *= 2.0;
    }
}

/* Takes the cells above `limit` out of the ring and sums them directly. */
static void sum_heavy(grid *g, double limit, double step, size_t nodes)
{
    double loss[HEAVY_MAX] = {0.0};
    double weight[HEAVY_MAX] = {0.0};
    size_t heavy = 0;
    for (size_t j = 0; j < 2 * nodes; j++)
        g->direct[j] = 0.0;
    for (size_t b = 1; b < g->size; b++) {
        if (!(fabs(g->ring[b]) > limit)) continue;
        const double place = b <= g->size / 2 ? (double)b : (double)b - (double)g->size;
        loss[heavy] = place * (g->turn / step);
        weight[heavy++] = g->ring[b];
        g->ring[b] = 0.0;
    }
    const size_t lanes = SOT_ATOM_LANES;
    sot_atoms_sum(loss, weight, (heavy + lanes - 1) / lanes * lanes, step, nodes,
                  g->direct, g->direct + nodes);
}

static void measure_ring(const grid *g, term *out)
{
    sot_sum rest = {0};
    double square = 0.0;
    for (size_t b = 1; b < g->size; b++) {
        sot_sum_add(&rest, g->ring[b]);
        square += g->ring[b] * g->ring[b];
    }
    out->rest = sot_sum_value(&rest);
    out->norm = sqrt(square);
}

/* Adds (i s_j D)^m/m! sum_b moment_b e^{2 pi i jb/N} at every node; in the term 0 the factor is less 1. */
static void add_term(grid *g, size_t nodes, int m, const term *at, double *sum_real,
                     double *sum_imaginary)
{
    for (size_t j = 0; j < nodes; j++) {
        if (m > 0) g->power[j] *= (double)j * g->turn / m;
        double real = (g->ring[2 * j] - at->rest) + g->direct[j] + at->all;
        /* The transform has e^{-2 pi i j b/N}. */
        double imaginary = g->direct[nodes + j] - g->ring[2 * j + 1];
        if (m % 2 == 1) { /* times i */
            const double kept = real;
            real = -imaginary;
            imaginary = kept;
        }
        const double sign = m % 4 >= 2 ? -g->power[j] : g->power[j];
        sum_real[j] += sign * real;
        sum_imaginary[j] += sign * imaginary;
    }
}

sotto_status sot_atoms_sum_by_fft(const sot_atoms *atoms, double step, size_t nodes,
                                  double *sum_real, double *sum_imaginary,
                                  double *out_absolute, double *out_per_s,
                                  sotto_error *error)
{
    grid g;
    const sotto_status status = make_grid(atoms, step, nodes, &g, error);
    const double most = (double)nodes * g.turn; /* at least s_j D */
    double absolute = 0.0;
    double scale = 1.0; /* most^m/m! */
    double last = 0.0;
    for (int m = 0; m < TERMS && status == SOTTO_OK; m++) {
        term at = fill_ring(atoms, &g, m);
        if (m > 0) scale *= most / m;
        const double bound = scale * sot_fft_error_bound(g.fft);
        const double least = worth_a_sum / (bound * sqrt((double)g.size));
        sum_heavy(&g, heavy_limit(&g, least), step, nodes);
        measure_ring(&g, &at);
        sot_fft_forward(g.fft, g.ring, g.ring);
        add_term(&g, nodes, m, &at, sum_real, sum_imaginary);
        absolute += bound * at.norm + 8.0 * unit * scale * fabs(at.rest);
        /* |d/D| is at most 1/2, so the next moment is at most half of this one. */
        last = 0.5 * scale * (most / (m + 1)) * at.whole * exp(most);
        if (last < worth_a_sum && m > 0) break;
    }
    *out_absolute = 1.01 * (absolute + last);
    /* Section 4 counts the roundings. Cell 0 is spared those of phases. */
    double sizes = 0.0;
    for (size_t k = 0; k < atoms->count && status == SOTTO_OK; k++) {
        const double roundings = g.cell[k] == 0 ? 130.0 : 450.0;
        sizes += roundings * atoms->weight[k] * fabs(atoms->loss[k]);
    }
    *out_per_s = 1.01 * unit * sizes;
    free_grid(&g);
    return status;
}
