#include <math.h>
#include <string.h>

#include "base/size.h"
#include "models/linear/solver/newton.h"
#include "models/softmax/solver.h"

enum { DIAGONAL_ROWS = 8192 }; /* the diagonal is a guide: that many rows give it */

sotto_status sot_softmax_direction(sot_softmax_solver *s, double tolerance,
                                   sotto_error *error)
{
    sot_softmax_pass *pass = &s->pass;
    const size_t length = pass->length;
    const double *p = s->here.probabilities;
    double *r = s->residual; /* -gradient - H d: kept up to date, not recomputed */
    const size_t every = pass->problem->matrix->rows / DIAGONAL_ROWS + 1;
    sot_softmax_ridge(pass, s->here.theta, s->ridge);
    sotto_status status =
        sot_softmax_diagonal(pass, p, s->ridge, every, s->diagonal, error);
    if (status != SOTTO_OK) return status;

    memset(s->direction, 0, length * sizeof *s->direction);
    double energy = 0.0; /* r . r / diagonal */
    for (size_t j = 0; j < length; j++) {
        r[j] = -s->here.gradient[j];
        s->search[j] = r[j] / s->diagonal[j];
        energy += r[j] * s->search[j];
    }
    const double goal = tolerance * tolerance * sot_product(r, r, length);
    for (size_t step = 0; step < 2 * length + 20; step++) {
        status = sot_softmax_curved(pass, p, s->ridge, s->search, s->curved, error);
        if (status != SOTTO_OK) return status;
        const double along = sot_product(s->search, s->curved, length);
        if (!(along > 0.0) || !(energy > 0.0)) break;
        const double distance = energy / along;
        if (!isfinite(distance)) break;
        double squares = 0.0;
        double next_energy = 0.0;
        for (size_t j = 0; j < length; j++) {
            s->direction[j] += distance * s->search[j];
            r[j] -= distance * s->curved[j];
            squares += r[j] * r[j];
            next_energy += r[j] * r[j] / s->diagonal[j];
        }
        if (squares <= goal) break;
        const double ratio = next_energy / energy;
        energy = next_energy;
        for (size_t j = 0; j < length; j++)
            s->search[j] = r[j] / s->diagonal[j] + ratio * s->search[j];
    }
    return SOTTO_OK;
}
