/* tests/random/choice_laws.h: the exact laws of choices, in long double. */
#ifndef SOTTO_TESTS_RANDOM_CHOICE_LAWS_H
#define SOTTO_TESTS_RANDOM_CHOICE_LAWS_H

#include "statistics.h"

#include <stdbool.h>

/* P(j) proportional to m_j exp(-slope gap_j); measures may be NULL (all 1). */
static inline void exponential_law(double slope, const int64_t *scores,
                                   const uint64_t *measures, size_t count, double *out)
{
    size_t best = count;
    for (size_t i = 0; i < count; i++) {
        if (measures != NULL && measures[i] == 0) continue;
        if (best == count || scores[i] > scores[best]) best = i;
    }
    assert_true(best < count);
    long double sum = 0.0L;
    for (int pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < count; i++) {
            const long double measure =
                measures == NULL ? 1.0L : (long double)measures[i];
            const long double gap = (long double)scores[best] - (long double)scores[i];
            const long double weight =
                measure == 0.0L ? 0.0L : measure * expl(-(long double)slope * gap);
            if (pass == 0) {
                sum += weight;
            } else {
                out[i] = (double)(weight / sum);
            }
        }
    }
}

/* Permute-and-flip: P(i) = w_i Int_0^1 prod over j != i of (1 - w_j u) du (McKenna & Sheldon 2020). The
 * integrand is a polynomial; Simpson's rule with 4000 panels is exact to 1e-13 for up to 64 candidates. */
static inline void permute_and_flip_law(double slope, const int64_t *scores, size_t count,
                                        double *out)
{
    enum { PANELS = 4000 };
    int64_t best = scores[0];
    for (size_t i = 1; i < count; i++) {
        if (scores[i] > best) best = scores[i];
    }
    for (size_t i = 0; i < count; i++) {
        long double sum = 0.0L;
        for (int k = 0; k <= PANELS; k++) {
            const long double u = (long double)k / PANELS;
            long double product = 1.0L;
            for (size_t j = 0; j < count; j++) {
                if (j == i) continue;
                const long double gap = (long double)best - (long double)scores[j];
                product *= 1.0L - expl(-(long double)slope * gap) * u;
            }
            sum += product * (k == 0 || k == PANELS ? 1.0L : k % 2 == 1 ? 4.0L : 2.0L);
        }
        const long double gap = (long double)best - (long double)scores[i];
        out[i] = (double)(expl(-(long double)slope * gap) * sum / (3.0L * PANELS));
    }
}

#endif
