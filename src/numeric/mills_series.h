/* numeric/mills_series.h: two Chebyshev series on the half line, for erf.c and its test.
 *
 * With t = (x - 5) / (x + 5), which maps x = 0 .. inf to t = -1 .. 1,
 *
 *     (1 + x) M(x)                      = sum_k mills_series[k] T_k(t) + e1,
 *     (1 + x + x^2) (1 - x M(x))        = sum_k slope_series[k] T_k(t) + e2,
 *
 * where M is Mills' ratio, |e1| < 1.9e-17 and |e2| < 5.0e-18 (the sums of the
 * coefficients left out). The left sides lie in [1, 1.26] and [0.9, 1.1]. The idea of one
 * series for the whole half line is from Shepherd & Laframboise, Math. Comp. 36 (1981)
 * 249; 5 and the weights 1 + x, 1 + x + x^2 were chosen for the fastest decay.
 * tests/numeric/test_erf.c recomputes every coefficient with MPFR and asks for the
 * correctly rounded value.
 */
#ifndef SOT_NUMERIC_MILLS_SERIES_H
#define SOT_NUMERIC_MILLS_SERIES_H

enum { MILLS_TERMS = 24, SLOPE_TERMS = 27 };

#define MILLS_SERIES_CENTRE 5.0

static const double mills_series[MILLS_TERMS] = {
    0x1.2872883be576dp+0,   -0x1.4e87ca9274ba0p-3,  -0x1.c05e76eee2edap-7,
    0x1.f8fcd6b64802cp-6,   -0x1.09bfeac807c0fp-6,  0x1.7018703a390e4p-8,
    -0x1.728339587dc9bp-10, 0x1.066b573675334p-12,  -0x1.9e36c22e087e5p-16,
    -0x1.0f55666e3c92cp-20, 0x1.926841bcf91aap-21,  -0x1.466de63a54510p-24,
    -0x1.8db4c42ccef95p-27, 0x1.ca231c26da126p-29,  0x1.4b86c7f988c80p-34,
    -0x1.e85eb5a834f29p-34, 0x1.ede1d4eb4d434p-39,  0x1.03a00a499807bp-38,
    -0x1.0732be725fe58p-42, -0x1.2adab42f68893p-43, 0x1.65779848fd7eep-47,
    0x1.7c2d1d276bf94p-48,  -0x1.84e4459756919p-52, -0x1.06ea87375c5b4p-52,
};

static const double slope_series[SLOPE_TERMS] = {
    0x1.0a743e5493a5dp+0,   0x1.c05e76eee2edap-8,   -0x1.05f34d8b67dd8p-4,
    0x1.33509a189e0b1p-7,   0x1.07b5fdf6842dap-6,   -0x1.ce073acf77ec1p-7,
    0x1.af6acebed2803p-8,   -0x1.0f698ff9a6355p-9,  0x1.cd9e58c5c521fp-12,
    -0x1.adeed4bf6a395p-15, -0x1.1532a17300e63p-19, 0x1.002a4762a21d9p-19,
    -0x1.d81ae4fe2d025p-23, -0x1.2c8bbeff8fea6p-25, 0x1.828b4d31febc1p-27,
    0x1.12a6e052fd44fp-32,  -0x1.db166afc94bbfp-32, 0x1.09727bd9b15fcp-36,
    0x1.1ef1289df3e94p-36,  -0x1.360fc23385c92p-40, -0x1.727b8faa6a10ap-41,
    0x1.cf8b4d58bd96ep-45,  0x1.054d2434db81bp-45,  -0x1.11d854e2ecea8p-49,
    -0x1.8c8c1a57de7a0p-50, 0x1.95e43a0e8299bp-55,  0x1.383ea6cada194p-54,
};

#endif
