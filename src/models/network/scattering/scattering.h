/* models/network/scattering/scattering.h: the scattering transform of an image: a fixed, public map to features.
 *
 * Idea        Wavelets psi_{j,t} (scales j = 0, 1; orientations t = 0..7) and modulus, twice,
 *             then a blur phi that keeps one number of 4 x 4 pixels. The 1 + 16 + 64 = 81
 *             channels are
 *                 S0 = x * phi,  S1 = |x * psi_{j,t}| * phi,  S2 = ||x * psi_{0,t1}| * psi_{1,t2}| * phi
 *             They change little if the image is moved or deformed a little. Nothing is learned.
 * Source      Mallat, Comm. Pure Appl. Math. 65 (2012); Bruna & Mallat, IEEE TPAMI 35 (2013). The filters,
 *             the padding and the order of channels are those of Kymatio (Andreux et al., JMLR 21, 2020)
 *             with J = 2, L = 8, max_order = 2; tests/vectors/scattering.README.md has the formulas.
 * Layout      Image [side][side][planes] and result [side/4][side/4][81 planes] are channels last. Channel
 *             81 plane + c, where c = 0: S0; 1 + 8 j + t: S1; 17 + 8 t1 + t2: S2.
 * Order       A record's result is a function of only that record: the same bits on any thread
 *             and processor, in any order. (Fused products are fused everywhere.)
 * Accuracy    Float32 throughout: about 2e-7 of the largest pixel from the exact value.
 * Assumes     Nothing of the pixels. One that is not finite, or beyond 1e18, spoils its own record's result
 *             and nothing else.
 */
#ifndef SOT_MODELS_NETWORK_SCATTERING_SCATTERING_H
#define SOT_MODELS_NETWORK_SCATTERING_SCATTERING_H

#include <stdbool.h>
#include <stddef.h>

#include <sotto/error.h>

enum {
    SOT_SCATTERING_CHANNELS = 81, /* a plane */
    SOT_SCATTERING_SIDE_MIN = 8,
    SOT_SCATTERING_SIDE_MAX = 256,
    SOT_SCATTERING_PLANES_MAX = 1024
};

typedef struct sot_scattering sot_scattering;

/* The filters for images of side x side pixels, any number of which may be transformed at the same time.
 * `side` is a multiple of 4 from 8 to 256, `planes` from 1 to 1024, else SOTTO_INVALID_ARGUMENT.
 * Free with sot_scattering_free(). */
SOTTO_MUST_CHECK sotto_status sot_scattering_new(size_t side, size_t planes,
                                                 sot_scattering **out_scattering,
                                                 sotto_error *error);
void sot_scattering_free(sot_scattering *scattering); /* NULL is fine */

/* Refuses the arguments that sot_scattering_new() would refuse, by value and remedy;
 * makes nothing. */
SOTTO_MUST_CHECK sotto_status sot_scattering_check(size_t side, size_t planes,
                                                   sotto_error *error);

size_t sot_scattering_out_side(const sot_scattering *scattering); /* side / 4 */
size_t sot_scattering_channels(const sot_scattering *scattering); /* 81 planes */

/* The number of floats that `scratch` has below: about 55 (side + 8)^2; 285 KB for 28 pixels, 15 MB for 256. */
size_t sot_scattering_scratch_floats(const sot_scattering *scattering);

/* Transforms one image. `scratch` is one thread's own, and holds the record afterwards: wipe it. The
 * arrays do not overlap; they need no alignment (64 bytes is faster for `scratch`: sot_new_aligned()). */
void sot_scattering_apply(const sot_scattering *scattering, const float *image,
                          float *out, float *scratch);

#ifdef SOTTO_TESTING
/* From here on this handle uses the portable code, on any processor. */
void sot_scattering_test_portable(sot_scattering *scattering);
#endif

#endif
