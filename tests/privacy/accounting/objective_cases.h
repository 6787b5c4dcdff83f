/* tests/privacy/accounting/objective_cases.h: laws of objective perturbation, and neighbours that
 * were made to be bad ones (objective_density.h). */
#ifndef SOTTO_TESTS_OBJECTIVE_CASES_H
#define SOTTO_TESTS_OBJECTIVE_CASES_H

#include "support.h"

#include "objective_density.h"
#include "privacy/accounting/objective/objective.h"

static inline sot_objective_law sharp(sotto_adjacency adjacency, uint64_t unit_rows,
                                      double record_bound, double lambda)
{
    sot_objective_law law = sot_objective_law_defaults();
    law.theorem = SOT_OBJECTIVE_SHARP;
    law.adjacency = adjacency;
    law.unit_rows = unit_rows;
    law.record_bound = record_bound;
    law.smoothness = 0.25 * record_bound * record_bound;
    law.lambda = lambda;
    return law;
}

static inline sotto_event event_of(const sot_objective_law *law)
{
    sotto_error error;
    sotto_event event;
    assert_ok(sot_objective_event(law, &event, &error), &error);
    return event;
}

static inline density_pair pair_of(const sot_objective_law *law)
{
    return (density_pair){.lambda = law->lambda,
                          .sigma = law->sigma,
                          .rate = law->rate,
                          .record_bound = law->record_bound,
                          .axis = {1.0, 0.0}};
}

/* Backgrounds for one record that is misclassified where theta is large: a slope that drives
 * theta there (saturation), a curvature, and records of the other opinion. */
typedef struct background {
    double slope, curvature, opposed;
} background;

static const background backgrounds[] = {
    {4.0, 0.0, 0.0},   {0.0, 0.0, 0.0},  {-1.0, 0.0, 0.0},   {-2.5, 0.0, 0.0},
    {-4.0, 0.0, 0.0},  {-8.0, 0.0, 0.0}, {-16.0, 0.0, 0.0},  {-60.0, 0.0, 0.0},
    {-2.0, 0.5, 0.0},  {-9.0, 2.0, 0.0}, {0.0, 0.0, 1.0},    {0.0, 0.0, 8.0},
    {-1.0, 0.0, 50.0}, {0.0, 0.0, 8103}, {0.0, 0.25, 1000.0}};
enum { BACKGROUNDS = sizeof backgrounds / sizeof backgrounds[0] };

/* Rows of `length` R, `copies` of them, on top of the background. */
static inline density_pair line_pair(const sot_objective_law *law,
                                     const background *behind, double length,
                                     double copies)
{
    const double bound = law->record_bound;
    density_pair pair = pair_of(law);
    pair.is_flat = true;
    pair.slope[0] = behind->slope * bound;
    pair.curvature = behind->curvature * bound * bound;
    density_add(&pair.first, -length * bound, 0.0, copies);
    if (behind->opposed > 0.0) {
        density_add(&pair.first, bound, 0.0, behind->opposed);
        density_add(&pair.second, bound, 0.0, behind->opposed);
    }
    return pair;
}

/* z and z' almost opposite, both misclassified where theta goes; `drive` is how far the slope
 * drives it. */
static inline density_pair exchanged(const sot_objective_law *law, double angle,
                                     double drive, double copies)
{
    const double along = law->record_bound * cos(angle);
    const double across = law->record_bound * sin(angle);
    density_pair pair = pair_of(law);
    pair.slope[1] = drive;
    density_add(&pair.first, along, across, copies);
    density_add(&pair.second, -along, across, copies);
    return pair;
}

#endif
