#include "learn/glm/cholesky.h"

#include <math.h>

/* Four sums side by side. */
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
    for (; k < count; k++)
        lanes[0] += a[k] * b[k];
    return (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]);
}

bool sot_cholesky(double *matrix, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        double *row = matrix + i * size;
        for (size_t j = 0; j < i; j++) {
            const double *above = matrix + j * size;
            row[j] = (row[j] - product(row, above, j)) / above[j];
        }
        const double pivot = row[i] - product(row, row, i);
        if (!(pivot > 0.0) || isinf(pivot)) return false;
        row[i] = sqrt(pivot);
    }
    return true;
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
