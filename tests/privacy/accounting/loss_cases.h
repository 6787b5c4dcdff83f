/* tests/privacy/accounting/loss_cases.h: losses of one margin, laws of objective perturbation for them,
 * and random neighbours (loss_density.h). */
#ifndef SOTTO_TESTS_LOSS_CASES_H
#define SOTTO_TESTS_LOSS_CASES_H

#include "support.h"

#include "loss_density.h"
#include "plans.h"
#include "privacy/accounting/objective/objective.h"

/* The quadrature is good to 1e-8 where delta is above 1e-12. */
static const double loss_rounding = 1e-6;
static const double loss_least_delta = 1e-12;

/* Rows are of length at most 1. */
typedef struct loss_case {
    const char *name;
    line_loss loss;
    double parameter;
    double slope_most, curvature_most;
    bool one_signed;
    double label_least, label_most;
    double ball; /* the loss is that only on this ball; 0: everywhere */
} loss_case;

static const loss_case losses[] = {
    {"logistic", LINE_LOGISTIC, 0.0, 1.0, 0.25, true, -1.0, 1.0, 0.0},
    {"hinge, width 1/2", LINE_HINGE, 0.5, 1.0, 1.0, true, -1.0, 1.0, 0.0},
    {"hinge, width 1/8", LINE_HINGE, 0.125, 1.0, 4.0, true, -1.0, 1.0, 0.0},
    {"huber", LINE_HUBER, 0.75, 0.75, 1.0, false, -1.0, 1.0, 0.0},
    {"squared", LINE_HUBER, 2.0, 2.0, 1.0, false, -1.0, 1.0, 1.0},
    {"poisson", LINE_POISSON, 1.5, 1.5, 4.0, false, 0.0, 2.5, 0.0},
};
enum { LOSSES = sizeof losses / sizeof losses[0] };

static inline sot_objective_law loss_law(const loss_case *loss,
                                         sot_objective_theorem theorem,
                                         sotto_adjacency adjacency, uint64_t unit_rows,
                                         double lambda)
{
    sot_objective_law law = sot_objective_law_defaults();
    law.theorem = theorem;
    law.adjacency = adjacency;
    law.unit_rows = unit_rows;
    law.record_bound = loss->slope_most;
    law.smoothness = loss->curvature_most;
    law.one_signed = loss->one_signed;
    law.dimension = 1;
    law.lambda = lambda;
    return law;
}

static inline sotto_event loss_event(const sot_objective_law *law)
{
    sotto_error error;
    sotto_event event;
    assert_ok(sot_objective_event(law, &event, &error), &error);
    return event;
}

static inline double loss_claim(const sot_objective_law *law, double epsilon)
{
    return delta_of(plan_under(law->adjacency, loss_event(law)), SOTTO_EXACT, epsilon)
        .delta;
}

/* Marsaglia's xorshift: the same draws in every run. */
static uint64_t loss_draws = 88172645463325252u;

static inline double uniform(double from, double to)
{
    loss_draws ^= loss_draws << 13;
    loss_draws ^= loss_draws >> 7;
    loss_draws ^= loss_draws << 17;
    return from + (to - from) * ((double)(loss_draws >> 11) * 0x1p-53);
}

static inline double loss_label(const loss_case *loss)
{
    if (loss->loss == LINE_LOGISTIC || loss->loss == LINE_HINGE)
        return uniform(-1.0, 1.0) < 0.0 ? -1.0 : 1.0;
    return uniform(loss->label_least, loss->label_most);
}

static inline line_pair loss_pair(const loss_case *loss, const sot_objective_law *law)
{
    return (line_pair){.loss = loss->loss,
                       .parameter = loss->parameter,
                       .lambda = law->lambda,
                       .radius = loss->ball,
                       .sigma = law->sigma,
                       .rate = law->rate,
                       .bound = law->record_bound};
}

/* A unit on top of a background that moves theta, bends the objective and holds theta in. */
static inline line_pair random_pair(const loss_case *loss, const sot_objective_law *law)
{
    line_pair pair = loss_pair(loss, law);
    const double rows = (double)law->unit_rows;
    const double strength = 3.0 * (loss->slope_most + law->lambda);
    pair.slope = uniform(0.0, 1.0) < 0.2 ? 0.0 : uniform(-strength, strength);
    if (uniform(0.0, 1.0) < 0.3) pair.curvature = uniform(0.0, 2.0);
    if (uniform(0.0, 1.0) < 0.3) {
        pair.l1 = uniform(0.0, 2.0);
        pair.l1_width = uniform(0.05, 1.0);
    }
    if (uniform(0.0, 1.0) < 0.4)
        pair.radius = uniform(0.1, loss->ball > 0.0 ? loss->ball : 2.0);
    const int others = (int)uniform(0.0, 3.0);
    for (int i = 0; i < others; i++) {
        const double x = uniform(-1.0, 1.0), y = loss_label(loss);
        const double weight = floor(exp(uniform(0.0, 4.0)));
        line_add(&pair.first, x, y, weight);
        line_add(&pair.second, x, y, weight);
    }
    line_add(&pair.first, uniform(0.0, 1.0) < 0.7 ? 1.0 : uniform(0.3, 1.0),
             loss_label(loss), rows);
    if (law->adjacency == SOTTO_REPLACE_ONE) {
        line_add(&pair.second, uniform(0.0, 1.0) < 0.7 ? 1.0 : uniform(-1.0, 1.0),
                 loss_label(loss), rows);
    }
    return pair;
}

/* The larger of true over claimed delta in both directions; 0 where nothing can be seen. */
static inline double loss_ratio(const line_pair *pair, double epsilon, double claim)
{
    const line_pair swapped = line_swapped(pair);
    const double truth = fmax(line_delta(pair, epsilon), line_delta(&swapped, epsilon));
    return truth < loss_least_delta ? 0.0 : truth / claim;
}

/* The worst ratio over random laws, epsilons from below the atom into the tail, and neighbours. */
static inline double loss_search(const loss_case *loss, sotto_adjacency adjacency,
                                 uint64_t rows, int laws, int pairs)
{
    double worst = 0.0;
    for (int i = 0; i < laws; i++) {
        sot_objective_law law = loss_law(loss, SOT_OBJECTIVE_VERTICES, adjacency, rows,
                                         loss->curvature_most * exp(uniform(-1.5, 2.0)));
        law.sigma = loss->slope_most * exp(uniform(-1.5, 1.5));
        law.is_former = i % 2 == 1;
        for (int e = 0; e < 3; e++) {
            law.floor = SOTTO_UNSET;
            const sotto_event event = loss_event(&law);
            double epsilon = event.atom + uniform(-1.0, 3.0) / event.noise_multiplier;
            if (epsilon < 0.0) epsilon = 0.5 * event.atom;
            if (e == 2) law.floor = fmax(epsilon, 0.01); /* one vertex for two */
            const double claim = loss_claim(&law, epsilon);
            if (claim < 1e-9) continue;
            for (int j = 0; j < pairs; j++) {
                const line_pair pair = random_pair(loss, &law);
                worst = fmax(worst, loss_ratio(&pair, epsilon, claim));
            }
        }
    }
    return worst;
}

#endif
