/* Proof note: least_eigenvalue.md. */
#include "models/linear/rows/least_eigenvalue.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "models/linear/rows/cholesky.h"
#include "numeric/outward.h"

/* Halvings after which the ends of any interval of doubles of one sign meet; a guard, not a rule. */
enum { HALVINGS_MOST = 2200 };

/* True if the factor of matrix - t I exists, as computed. */
static bool factor_exists(const double *matrix, size_t size, double t, double *work)
{
    memcpy(work, matrix, size * size * sizeof *work);
    for (size_t i = 0; i < size; i++)
        work[i * size + i] -= t;
    return sot_cholesky(work, size);
}

/* Minus the Frobenius norm: no eigenvalue is below. */
static double least_possible(const double *matrix, size_t size)
{
    double squares = 0.0;
    for (size_t i = 0; i < size; i++) {
        for (size_t j = 0; j < i; j++)
            squares += 2.0 * matrix[i * size + j] * matrix[i * size + j];
        squares += matrix[i * size + i] * matrix[i * size + i];
    }
    return -sqrt(squares) * (1.0 + 0x1p-20);
}

sotto_status sot_least_eigenvalue(const double *matrix, size_t size, double floor,
                                  double resolution, double *out_least,
                                  sotto_error *error)
{
    double *work = sot_new_array(size * size, sizeof *work);
    if (work == NULL) return sot_fail_memory(error, size * size, sizeof *work);
    double low = isinf(floor) ? least_possible(matrix, size) : floor;
    double high = matrix[0]; /* the least diagonal entry: an eigenvalue is not above */
    for (size_t i = 1; i < size; i++)
        high = fmin(high, matrix[i * size + i]);
    high = fmax(high, low);
    for (int i = 0; i < HALVINGS_MOST && high - low > resolution; i++) {
        const double middle = low + (high - low) / 2.0;
        if (!(middle > low && middle < high)) break; /* doubles are no finer */
        if (factor_exists(matrix, size, middle, work))
            low = middle;
        else
            high = middle;
    }
    *out_least = low + (high - low) / 2.0;
    sot_wipe_and_free(work, size * size * sizeof *work);
    return SOTTO_OK;
}

double sot_least_eigenvalue_error(size_t size, double trace_most)
{
    return sot_mul_up(sot_mul_up(8.0 * ((double)size + 4.0), 0x1p-53), trace_most);
}
