/* numeric/unit_roots.h: accurate roots of unity, for the tables of fft.c. */
#ifndef SOT_NUMERIC_UNIT_ROOTS_H
#define SOT_NUMERIC_UNIT_ROOTS_H

#include <float.h>
#include <stddef.h>

typedef struct sot_complex {
    double re, im;
} sot_complex;

/* Bound on |computed - exact| of a root. If long double is wider than double, each part
 * is off by hardly more than half an ulp, 2^-54, together 0.71 * 2^-53. If not, by twice
 * that. */
#define SOT_UNIT_ROOT_ERROR                                                              \
    (LDBL_MANT_DIG > DBL_MANT_DIG ? 0.72 * 0x1p-53 : 1.5 * 0x1p-53)

/* roots[k] = exp(-2 pi i k / size) for k = 0 .. size/4, where size is a power of two from
 * 4 to 2^26. roots[size/4 - k] is roots[k] with its parts exchanged, to the bit. */
void sot_fill_unit_roots(sot_complex *roots, size_t size);

/* exp(-2 pi i k / size) for any k below size, from the table above. */
sot_complex sot_unit_root(const sot_complex *roots, size_t size, size_t k);

#endif
