#include "models/linear/solver/newton.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "models/linear/rows/cholesky.h"

/* Nanoseconds for a multiplication with its addition, on one core of an x86-64 server. They are
 * for the matrix, a product with it, the sum of the chunks' matrices and Cholesky's method. Only
 * their ratios matter. On real tables (Adult, KDD Cup 1999) a Newton step takes 5 to 40 products,
 * on synthetic independent columns 2 to 5. 16 is between them. */
bool sot_newton_direct_pays(const sot_matrix *matrix)
{
    const double columns = (double)matrix->columns;
    const double rows = (double)matrix->rows;
    const bool dense = matrix->dense != NULL;
    if (columns > 1024.0) return false; /* the chunks hold a matrix each */
    if (matrix->rows == 0) return true;
    if (matrix->layout != NULL) { /* look-ups cost about as much as sparse entries */
        const double blocks = (double)matrix->layout->count;
        return rows * blocks * blocks / 2.0 + columns * columns * 40.0 +
                   columns * columns * columns * 0.1 <=
               16.0 * (rows * 2.0 * blocks + 1000.0 + 10.0 * columns);
    }
    const double terms = dense ? columns : (double)matrix->starts[matrix->rows] / rows;
    const double matrix_cost = rows * terms * terms / 2.0 * (dense ? 0.05 : 0.5) +
                               columns * columns * 16.0 +
                               columns * columns * columns / 6.0 * 0.6;
    const double product_cost = rows * 2.0 * terms * (dense ? 0.3 : 0.55) + 1000.0;
    return matrix_cost <= 16.0 * product_cost;
}

sotto_status sot_newton_begin(sot_pass *pass, bool direct, sot_newton *out_newton,
                              sotto_error *error)
{
    const size_t columns = pass->glm->matrix->columns;
    sot_newton newton = {.pass = pass, .direct = direct};
    bool complete;
    if (direct) {
        newton.hessian = sot_new_array(columns, columns * sizeof *newton.hessian);
        complete = newton.hessian != NULL;
    } else {
        newton.diagonal = sot_pass_vector(pass);
        newton.residual = sot_pass_vector(pass);
        newton.search = sot_pass_vector(pass);
        newton.curved = sot_pass_vector(pass);
        complete = newton.diagonal != NULL && newton.residual != NULL &&
                   newton.search != NULL && newton.curved != NULL;
    }
    *out_newton = newton;
    return complete ? SOTTO_OK : sot_fail_memory(error, columns, sizeof(double));
}

void sot_newton_end(sot_newton *newton)
{
    if (newton->pass == NULL) return;
    const size_t columns = newton->pass->glm->matrix->columns;
    if (newton->hessian != NULL)
        sot_wipe_and_free(newton->hessian, columns * columns * sizeof *newton->hessian);
    sot_pass_drop(newton->pass, newton->diagonal);
    sot_pass_drop(newton->pass, newton->residual);
    sot_pass_drop(newton->pass, newton->search);
    sot_pass_drop(newton->pass, newton->curved);
    *newton = (sot_newton){0};
}

double sot_product(const double *a, const double *b, size_t count)
{
    double sum = 0.0;
    for (size_t j = 0; j < count; j++)
        sum += a[j] * b[j];
    return sum;
}

/* If rounding makes a pivot vanish, an increasing multiple of the identity is added. With enough
 * of it the diagonal dominates the matrix, so the loop ends. */
static sotto_status solve_directly(sot_newton *newton, const double *curvatures,
                                   const double *gradient, double *out_direction,
                                   sotto_error *error)
{
    const size_t columns = newton->pass->glm->matrix->columns;
    double shift = 0.0;
    for (;;) {
        const sotto_status status =
            sot_pass_hessian(newton->pass, curvatures, newton->hessian, error);
        if (status != SOTTO_OK) return status;
        double trace = 0.0;
        for (size_t j = 0; j < columns; j++) {
            trace += newton->hessian[j * columns + j];
            newton->hessian[j * columns + j] += shift;
        }
        if (sot_cholesky(newton->hessian, columns)) break;
        shift = shift == 0.0 ? trace * 0x1p-48 : shift * 16.0;
    }
    for (size_t j = 0; j < columns; j++)
        out_direction[j] = -gradient[j];
    sot_cholesky_solve(newton->hessian, columns, out_direction);
    return SOTTO_OK;
}

/* Preconditioned by the diagonal. The residual r = -g - H d is kept up to date, not recomputed. */
static sotto_status conjugate_gradients(sot_newton *newton, const double *curvatures,
                                        const double *gradient, double tolerance,
                                        double *direction, sotto_error *error)
{
    const size_t columns = newton->pass->glm->matrix->columns;
    double *r = newton->residual;
    double *search = newton->search;
    const double *diagonal = newton->diagonal;
    sotto_status status =
        sot_pass_diagonal(newton->pass, curvatures, newton->diagonal, error);
    if (status != SOTTO_OK) return status;

    memset(direction, 0, newton->pass->width * sizeof *direction);
    double energy = 0.0; /* r . r / diagonal */
    for (size_t j = 0; j < columns; j++) {
        r[j] = -gradient[j];
        search[j] = r[j] / diagonal[j];
        energy += r[j] * search[j];
    }
    const double goal = tolerance * tolerance * sot_product(r, r, columns);
    for (size_t step = 0; step < 2 * columns + 20; step++) {
        status = sot_pass_curved(newton->pass, curvatures, search, newton->curved, error);
        if (status != SOTTO_OK) return status;
        const double along = sot_product(search, newton->curved, columns);
        if (!(along > 0.0) || !(energy > 0.0)) break;
        const double length = energy / along;
        if (!isfinite(length)) break;
        double squares = 0.0;
        double next_energy = 0.0;
        for (size_t j = 0; j < columns; j++) {
            direction[j] += length * search[j];
            r[j] -= length * newton->curved[j];
            squares += r[j] * r[j];
            next_energy += r[j] * r[j] / diagonal[j];
        }
        if (squares <= goal) break;
        const double ratio = next_energy / energy;
        energy = next_energy;
        for (size_t j = 0; j < columns; j++)
            search[j] = r[j] / diagonal[j] + ratio * search[j];
    }
    return SOTTO_OK;
}

sotto_status sot_newton_direction(sot_newton *newton, const double *curvatures,
                                  const double *gradient, double tolerance,
                                  double *out_direction, sotto_error *error)
{
    if (newton->direct)
        return solve_directly(newton, curvatures, gradient, out_direction, error);
    return conjugate_gradients(newton, curvatures, gradient, tolerance, out_direction,
                               error);
}
