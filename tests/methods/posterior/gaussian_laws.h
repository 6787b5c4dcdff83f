/* tests/methods/posterior/gaussian_laws.h: draws for the squared loss against the Gaussian posterior, which is known. */
#ifndef SOTTO_TESTS_POSTERIOR_GAUSSIAN_LAWS_H
#define SOTTO_TESTS_POSTERIOR_GAUSSIAN_LAWS_H

#include "models/linear/rows/cholesky.h"
#include "scenes.h"

enum { GAUSS_MOST = 20 };

/* Labels become numbers of [-1, 1]. */
static inline void number_labels(scene *s)
{
    uint64_t state = 99;
    for (size_t i = 0; i < s->matrix.rows; i++)
        s->matrix.labels[i] = 0.5 * s->matrix.labels[i] + 0.5 * uniform(&state);
}

/* Mean, and the Cholesky factor of the precision, in double by the definition. */
static inline void exact_gaussian(const scene *s, double *mean, double *factor)
{
    const size_t d = s->facts.dimension;
    for (size_t a = 0; a < d; a++) {
        mean[a] = s->potential.center != NULL
                      ? s->potential.lambda * s->potential.center[a]
                      : 0.0;
        for (size_t b = 0; b < d; b++)
            factor[a * d + b] = a == b ? s->potential.lambda : 0.0;
        for (size_t i = 0; i < s->matrix.rows; i++) {
            const float *x = s->matrix.dense + i * s->matrix.stride;
            mean[a] += s->potential.beta * (double)x[a] * s->matrix.labels[i];
            for (size_t b = 0; b < d; b++)
                factor[a * d + b] += s->potential.beta * (double)x[a] * (double)x[b];
        }
    }
    assert_true(sot_cholesky(factor, d));
    sot_cholesky_solve(factor, d, mean);
}

/* The draws, whitened, must be independent standard normals: their means, variances, products of two, and squared lengths. */
static inline void check_gaussian(const scene *s, const double *draws, size_t count)
{
    const size_t d = s->facts.dimension;
    const double n = (double)count;
    double mean[GAUSS_MOST], factor[GAUSS_MOST * GAUSS_MOST];
    exact_gaussian(s, mean, factor);
    double sums[GAUSS_MOST] = {0}, products[GAUSS_MOST][GAUSS_MOST] = {{0}};
    enum { BINS = 10 };
    double observed[BINS] = {0}, probability[BINS];
    for (size_t i = 0; i < count; i++) {
        double white[GAUSS_MOST] = {0};
        double squares = 0.0;
        for (size_t a = 0; a < d; a++) {
            for (size_t b = a; b < d; b++) /* L^T (theta - mean) */
                white[a] += factor[b * d + a] * (draws[i * d + b] - mean[b]);
            squares += white[a] * white[a];
        }
        for (size_t a = 0; a < d; a++) {
            sums[a] += white[a];
            for (size_t b = 0; b <= a; b++)
                products[a][b] += white[a] * white[b];
        }
        const double tail = chi_square_tail(squares, (double)d);
        observed[(size_t)fmin(tail * BINS, BINS - 1)] += 1.0;
    }
    double means = 0.0, variances = 0.0, others = 0.0;
    for (size_t a = 0; a < d; a++) {
        means += sums[a] * sums[a] / n;
        const double off = products[a][a] / n - 1.0;
        variances += 0.5 * n * off * off;
        for (size_t b = 0; b < a; b++)
            others += products[a][b] * products[a][b] / n;
    }
    for (size_t k = 0; k < BINS; k++)
        probability[k] = 1.0 / BINS;
    assert_true(chi_square_tail(means, (double)d) > FALSE_ALARM);
    assert_true(chi_square_tail(variances, (double)d) > FALSE_ALARM);
    if (d > 1)
        assert_true(chi_square_tail(others, 0.5 * (double)(d * (d - 1))) > FALSE_ALARM);
    assert_true(chi_square_p(observed, probability, BINS, n) > FALSE_ALARM);
}

static inline void check_twenty(sotto_sampler sampler, size_t draws)
{
    static double center[GAUSS_MOST];
    for (size_t j = 0; j < GAUSS_MOST; j++)
        center[j] = 0.05 * (double)j - 0.4;
    const sot_loss loss = sot_loss_squared(13.0, 1.0);
    scene s;
    begin_scene(&s, &loss, 0, 24, GAUSS_MOST, 0.375, 1.25, 12.0);
    s.potential.center = center;
    s.facts.center_norm = 1.5;
    number_labels(&s);
    plan_scene(&s, sampler, 1e-2);
    sot_sampler_counts counts;
    double *all = draw_many(&s, draws, 4711, &counts);
    check_gaussian(&s, all, draws);
    assert_true(counts.undecided == 0 && counts.redrawn == 0);
    assert_true((counts.steps == 0) == (s.plan.sampler == SOTTO_SAMPLER_EXACT_GAUSSIAN));
    free(all);
    end_scene(&s);
}

/* A ball that cuts, in one and two dimensions, by quadrature; `draws` of each. With a prior far away the ball holds next to nothing of the
 * Gaussian's mass. */
static inline void check_cut(double radius, bool far_away, size_t draws)
{
    static const double center[2] = {2.75, -2.25};
    const sot_loss loss = sot_loss_squared(radius + 1.0, 1.0);
    for (size_t columns = 1; columns <= 2; columns++) {
        scene s;
        begin_scene(&s, &loss, 0, 10, columns, 0.75, far_away ? 5.5 : 1.25, radius);
        number_labels(&s);
        s.potential.center = far_away ? center : NULL;
        s.facts.center_norm = far_away ? 4.0 : 0.0;
        plan_scene(&s, SOTTO_SAMPLER_AUTO, 1e-3 * radius);
        assert_int_equal(s.plan.sampler, SOTTO_SAMPLER_EXACT_GAUSSIAN);
        sot_sampler_counts counts;
        double *all = draw_many(&s, draws, 4712, &counts);
        const double p = columns == 1 ? line_p(&s, all, draws) : disc_p(&s, all, draws);
        assert_true(p > FALSE_ALARM);
        assert_true(counts.redrawn > draws / 10);
        assert_true(counts.second_route == far_away);
        free(all);
        end_scene(&s);
    }
}

#endif
