#include "models/linear/rows/cholesky.h"

#include <math.h>

/* ---- sums of products: the same order of additions, whichever function makes them ---- */

/* Four sums side by side, of the places k with the same remainder by 4. Those after the last
 * whole four belong to the first sum. */
static double finish(double lanes[4], const double *a, const double *b, size_t from,
                     size_t count)
{
    for (size_t k = from; k < count; k++)
        lanes[0] += a[k] * b[k];
    return (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]);
}

static double product(const double *a, const double *b, size_t count)
{
    double lanes[4] = {0.0, 0.0, 0.0, 0.0};
    size_t k = 0;
    for (; k + 4 <= count; k += 4) {
        lanes[0] += a[k] * b[k];
        lanes[1] += a[k + 1] * b[k + 1];
        lanes[2] += a[k + 2] * b[k + 2];
        lanes[3] += a[k + 3] * b[k + 3];
    }
    return finish(lanes, a, b, k, count);
}

void sot_cholesky_corner_portable(const double *rows, const double *above, size_t stride,
                                  size_t count, double out_lanes[4][4][4])
{
    for (size_t r = 0; r < 4; r++) {
        for (size_t c = 0; c < 4; c++) {
            const double *a = rows + r * stride, *b = above + c * stride;
            double *lanes = out_lanes[r][c];
            lanes[0] = lanes[1] = lanes[2] = lanes[3] = 0.0;
            for (size_t k = 0; k < count; k += 4) {
                lanes[0] += a[k] * b[k];
                lanes[1] += a[k + 1] * b[k + 1];
                lanes[2] += a[k + 2] * b[k + 2];
                lanes[3] += a[k + 3] * b[k + 3];
            }
        }
    }
}

/* ---- the factor ---- */

/* Columns first .. first + 3 of four rows, all below the diagonal; `first` is a multiple of four. */
static void factor_corner(double *rows, const double *matrix, size_t size, size_t first,
                          sot_cholesky_corner corner)
{
    double lanes[4][4][4];
    const double *above = matrix + first * size;
    corner(rows, above, size, first, lanes);
    for (size_t r = 0; r < 4; r++) {
        double *row = rows + r * size;
        for (size_t c = 0; c < 4; c++) {
            const size_t j = first + c;
            const double *other = above + c * size;
            row[j] = (row[j] - finish(lanes[r][c], row, other, first, j)) / other[j];
        }
    }
}

/* Row i from column `first` to the diagonal. */
static bool factor_row(double *matrix, size_t size, size_t i, size_t first)
{
    double *row = matrix + i * size;
    for (size_t j = first; j < i; j++) {
        const double *above = matrix + j * size;
        row[j] = (row[j] - product(row, above, j)) / above[j];
    }
    const double pivot = row[i] - product(row, row, i);
    if (!(pivot > 0.0) || isinf(pivot)) return false;
    row[i] = sqrt(pivot);
    return true;
}

/* Bands of rows: the four rows above serve a whole band while they are in the cache. */
bool sot_cholesky_by(double *matrix, size_t size, sot_cholesky_corner corner)
{
    enum { BAND = 16 };
    const size_t whole = size - size % 4; /* in fours */
    for (size_t top = 0; top < whole; top += BAND) {
        const size_t bottom = whole - top < BAND ? whole : top + BAND;
        for (size_t first = 0; first < top; first += 4)
            for (size_t four = top; four < bottom; four += 4)
                factor_corner(matrix + four * size, matrix, size, first, corner);
        for (size_t four = top; four < bottom; four += 4) {
            for (size_t first = top; first < four; first += 4)
                factor_corner(matrix + four * size, matrix, size, first, corner);
            for (size_t i = four; i < four + 4; i++)
                if (!factor_row(matrix, size, i, four)) return false;
        }
    }
    for (size_t i = whole; i < size; i++)
        if (!factor_row(matrix, size, i, 0)) return false;
    return true;
}

bool sot_cholesky(double *matrix, size_t size)
{
    const sot_cholesky_corner fast = sot_cholesky_corner_avx2();
    return sot_cholesky_by(matrix, size,
                           fast != NULL ? fast : sot_cholesky_corner_portable);
}

void sot_cholesky_solve(const double *factor, size_t size, double *inout)
{
    for (size_t i = 0; i < size; i++) {
        const double *row = factor + i * size;
        inout[i] = (inout[i] - product(row, inout, i)) / row[i];
    }
    for (size_t i = size; i-- > 0;) {
        const double *row = factor + i * size;
        inout[i] /= row[i];
        for (size_t j = 0; j < i; j++)
            inout[j] -= row[j] * inout[i];
    }
}

double sot_cholesky_log_determinant(const double *factor, size_t size)
{
    double sum = 0.0;
    for (size_t i = 0; i < size; i++)
        sum += log(factor[i * size + i]);
    return 2.0 * sum;
}
