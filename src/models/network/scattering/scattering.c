#include "models/network/scattering/scattering.h"

#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "models/network/scattering/parts.h"

static void make_roots(size_t length, float *cosines, float *sines)
{
    const double turn = 6.283185307179586476925;
    for (size_t k = 0; k < length; k++) {
        cosines[k] = (float)cos(turn * (double)k / (double)length);
        sines[k] = (float)sin(turn * (double)k / (double)length);
    }
}

static void make_dft(size_t length, sot_scattering_dft *out)
{
    size_t even = 1;
    while (length / even % 2 == 0)
        even *= 2;
    const size_t odd = length / even;
    *out = (sot_scattering_dft){.length = length, .even = even, .odd = odd};
    for (size_t b = 0; b < odd; b++)
        for (size_t a = 0; a < even; a++)
            out->from[b * even + a] = (uint16_t)((odd * a + even * b) % length);
    for (size_t k = 0; k < length; k++)
        out->to[k % even * odd + k % odd] = (uint16_t)k;
    make_roots(even, out->even_cos, out->even_sin);
    make_roots(odd, out->odd_cos, out->odd_sin);
}

sotto_status sot_scattering_check(size_t side, size_t planes, sotto_error *error)
{
    if (side < SOT_SCATTERING_SIDE_MIN || side > SOT_SCATTERING_SIDE_MAX ||
        side % 4 != 0) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "the scattering transform takes square images with a side that "
                        "is a multiple of 4 from %d to %d, not %zu: pad or crop them",
                        SOT_SCATTERING_SIDE_MIN, SOT_SCATTERING_SIDE_MAX, side);
    }
    if (planes < 1 || planes > SOT_SCATTERING_PLANES_MAX) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "the scattering transform takes images of 1 to %d planes, not "
                        "%zu: choose some of them",
                        SOT_SCATTERING_PLANES_MAX, planes);
    }
    return SOTTO_OK;
}

sotto_status sot_scattering_new(size_t side, size_t planes,
                                sot_scattering **out_scattering, sotto_error *error)
{
    *out_scattering = NULL;
    sotto_status status = sot_scattering_check(side, planes, error);
    if (status != SOTTO_OK) return status;

    sot_scattering *s = sot_new_array(1, sizeof *s);
    if (s == NULL) return sot_fail_memory(error, 1, sizeof *s);
    s->side = side;
    s->planes = planes;
    s->padded = side + 2 * SOT_SCATTERING_MARGIN;
    s->half = s->padded / 2;
    s->out_side = side / 4;
    make_dft(s->padded, &s->whole);
    make_dft(s->half, &s->halved);
    const size_t filters = s->padded * s->padded * SOT_SCATTERING_LANES;
    s->psi_first = sot_new_aligned(filters, sizeof *s->psi_first);
    s->psi_second = sot_new_aligned(filters, sizeof *s->psi_second);
    s->smooth_first = sot_new_aligned(s->padded * s->out_side, sizeof *s->smooth_first);
    s->smooth_second = sot_new_aligned(s->half * s->out_side, sizeof *s->smooth_second);
    if (s->psi_first == NULL || s->psi_second == NULL || s->smooth_first == NULL ||
        s->smooth_second == NULL) {
        status = sot_fail_memory(error, 2 * filters, sizeof *s->psi_first);
        goto done;
    }
    status = sot_scattering_design(s, error);
    if (status != SOTTO_OK) goto done;
    s->kernel = sot_scattering_avx2();
    if (s->kernel == NULL) s->kernel = sot_scattering_portable;
    *out_scattering = s;
    s = NULL;
done:
    sot_scattering_free(s);
    return status;
}

void sot_scattering_free(sot_scattering *scattering)
{
    if (scattering == NULL) return;
    sot_free(scattering->psi_first);
    sot_free(scattering->psi_second);
    sot_free(scattering->smooth_first);
    sot_free(scattering->smooth_second);
    sot_free(scattering);
}

size_t sot_scattering_out_side(const sot_scattering *scattering)
{
    return scattering->out_side;
}

size_t sot_scattering_channels(const sot_scattering *scattering)
{
    return SOT_SCATTERING_CHANNELS * scattering->planes;
}

/* About 55 P^2 floats: below 2^22 at the largest side, so nothing can overflow. */
sot_scattering_places sot_scattering_places_of(const sot_scattering *scattering)
{
    enum { LANES = SOT_SCATTERING_LANES, POINT = SOT_SCATTERING_POINT };
    const size_t padded = scattering->padded, half = scattering->half;
    const size_t groups = (padded + LANES - 1) / LANES;
    const size_t image = 2 * groups * padded * POINT; /* in two layouts */
    const size_t waves = LANES * half * half * POINT; /* more than [P][P] points */
    sot_scattering_places at = {.waves = 0};
    at.spectrum = waves > image ? waves : image;
    at.moduli = at.spectrum + padded * padded * 2;
    at.lines = at.moduli + padded * padded * LANES;
    at.line = at.lines + (half + 1) * padded * POINT;
    at.folded = at.line + 2 * padded * POINT;
    at.column = at.folded + LANES * half * POINT;
    at.smoothed = at.column + padded * LANES;
    at.total = at.smoothed + padded * scattering->out_side * LANES;
    return at;
}

size_t sot_scattering_scratch_floats(const sot_scattering *scattering)
{
    return sot_scattering_places_of(scattering).total;
}

void sot_scattering_apply(const sot_scattering *scattering, const float *image,
                          float *out, float *scratch)
{
    for (size_t plane = 0; plane < scattering->planes; plane++)
        scattering->kernel(scattering, image, plane, out, scratch);
}

#ifdef SOTTO_TESTING
void sot_scattering_test_portable(sot_scattering *scattering)
{
    scattering->kernel = sot_scattering_portable;
}
#endif
