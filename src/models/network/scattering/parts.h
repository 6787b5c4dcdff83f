/* models/network/scattering/parts.h: the tables and kernels of the scattering transform.
 *
 * Lanes       The eight orientations of a scale go through the same steps, so they stand side by
 *             side. A "point" of a plane is 8 real parts, then 8 imaginary parts (16 floats, a
 *             cache line). A modulus has only 8 floats. Every vector operation is 8 lanes wide
 *             and nothing is shuffled.
 * Names       P = side + 8: the padded side. M = P/2. h = side/4: the side of the result.
 */
#ifndef SOT_MODELS_NETWORK_SCATTERING_PARTS_H
#define SOT_MODELS_NETWORK_SCATTERING_PARTS_H

#include <stdint.h>

#include "models/network/scattering/scattering.h"

enum {
    SOT_SCATTERING_LANES = 8,
    SOT_SCATTERING_POINT = 16, /* floats a complex point */
    SOT_SCATTERING_MARGIN = 4, /* pixels added on every side */
    SOT_SCATTERING_LENGTH_MAX = SOT_SCATTERING_SIDE_MAX + 8 /* P at most */
};

/* A transform of length N = even x odd, where `even` is a power of two, by the prime factor
 * algorithm (Good, J. Royal Stat. Soc. B 20, 1958). With n = odd a + even b (mod N) and k = k1
 * (mod even) = k2 (mod odd),
 *
 *     exp(-2 pi i n k / N) = exp(-2 pi i a k1 / even) exp(-2 pi i b k2 / odd):
 *
 * `odd` transforms of length `even`, then `even` of length `odd`, and nothing in between. */
typedef struct sot_scattering_dft {
    size_t length, even, odd;
    uint16_t from[SOT_SCATTERING_LENGTH_MAX]; /* [b][a]: n */
    uint16_t to[SOT_SCATTERING_LENGTH_MAX];   /* [k1][k2]: k */
    float even_cos[SOT_SCATTERING_LENGTH_MAX], even_sin[SOT_SCATTERING_LENGTH_MAX];
    float odd_cos[SOT_SCATTERING_LENGTH_MAX], odd_sin[SOT_SCATTERING_LENGTH_MAX];
} sot_scattering_dft;

/* One plane of one image; `out` is the whole result. */
typedef void (*sot_scattering_kernel)(const sot_scattering *scattering,
                                      const float *image, size_t plane, float *out,
                                      float *scratch);

struct sot_scattering {
    size_t side, planes;
    size_t padded, half, out_side; /* P, M, h */
    sot_scattering_dft whole;      /* of length P */
    sot_scattering_dft halved;     /* of length M */
    /* Fourier filters, times 1/P^2 for the inverse transforms. They are also times 1/2, because
     * the spectra they meet are stored doubled (a spectrum of two real signals is then separated
     * without a division). */
    float *psi_first; /* [P][P][8]: psi_{0,t}(row, column) */
    float *
        psi_second; /* [M][M][4][8]: psi_{1,t}(row + a M, column + b M) at place 2a + b */
    /* phi with the subsampling and without the border, transposed: [P][h] and [M][h]. S = A U A'. */
    float *smooth_first, *smooth_second;
    sot_scattering_kernel kernel;
};

/* Fills the filters of a handle whose sizes are set and whose arrays are there. */
SOTTO_MUST_CHECK sotto_status sot_scattering_design(sot_scattering *scattering,
                                                    sotto_error *error);

void sot_scattering_portable(const sot_scattering *scattering, const float *image,
                             size_t plane, float *out, float *scratch);
/* NULL where the compiler or the processor lacks AVX2 or FMA. Gives the bits of the portable one. */
sot_scattering_kernel sot_scattering_avx2(void);

/* Where things stand in the scratch memory, in floats. */
typedef struct sot_scattering_places {
    size_t
        waves; /* [8][M][M] points: the result of the second wavelets, before the last transforms.
                * Before that the same memory serves the image and the first wavelets. */
    size_t spectrum; /* [P][P] complex numbers: of the image */
    size_t moduli;   /* [P][P][8], column by column: |x * psi_{0,t}| */
    size_t lines;  /* [M + 1][P] points: the moduli after the transforms along columns */
    size_t line;   /* [2][P] points */
    size_t folded; /* [8][M] points */
    size_t column; /* [P][8] */
    size_t smoothed; /* [P][h][8]: after the smoothing along columns */
    size_t total;
} sot_scattering_places;

sot_scattering_places sot_scattering_places_of(const sot_scattering *scattering);

#endif
