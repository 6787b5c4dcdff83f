/* tests/methods/posterior/proximal_laws.h: the proximal sampler against quadrature, for a program of few draws and one of many. */
#ifndef SOTTO_TESTS_POSTERIOR_PROXIMAL_LAWS_H
#define SOTTO_TESTS_POSTERIOR_PROXIMAL_LAWS_H

#include "models/linear/losses/joined.h"
#include "scenes.h"

static inline void check_law(const scene *s, size_t draws)
{
    sot_sampler_counts counts;
    double *all = draw_many(s, draws, 20261116, &counts);
    const double p =
        s->facts.dimension == 1 ? line_p(s, all, draws) : disc_p(s, all, draws);
    free(all);
    if (!(p > FALSE_ALARM))
        fail_msg("p = %g: %s, radius %g, %zu columns", p,
                 s->potential.loss != NULL ? s->potential.loss->name : "softmax",
                 s->potential.radius, s->matrix.columns);
    assert_true(counts.undecided == 0);
}

static inline void check_loss(const sot_loss *loss, size_t classes, size_t columns,
                              double beta, double lambda, double radius, size_t draws)
{
    scene s;
    begin_scene(&s, loss, classes, 7, columns, beta, lambda, radius);
    plan_scene(&s, SOTTO_SAMPLER_PROXIMAL, 1e-3 * radius);
    check_law(&s, draws);
    end_scene(&s);
}

/* log(2 cosh(u - y)) - like: smooth, two-signed. */
static inline void root_loss(double margin, double label, void *context,
                             sotto_loss_at *out)
{
    (void)context;
    const double r = margin - label;
    const double root = sqrt(1.0 + r * r);
    *out = (sotto_loss_at){root, r / root, 1.0 / (root * root * root)};
}

static inline void check_joined(double radius, size_t draws)
{
    const sotto_loss given = {.name = "root",
                              .at = root_loss,
                              .slope_most = 1.0,
                              .curvature_most = 1.0,
                              .slope_error = 1e-15};
    sotto_error error = {0};
    sot_loss custom;
    sot_loss_joined *joined = NULL;
    assert_ok(sot_loss_custom(&given, &custom, &error), &error);
    assert_ok(sot_loss_joined_new(&custom, &joined, &error), &error);
    check_loss(&joined->loss, 0, 1, 0.7, 0.375, radius, draws);
    check_loss(&custom, 0, 1, 0.7, 0.375, radius, draws / 40); /* joined on the way */
    sot_loss_joined_free(joined);
}

#endif
