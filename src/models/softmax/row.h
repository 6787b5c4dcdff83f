/* models/softmax/row.h: the probabilities of one row from its margins.
 *
 * Every function is total: NaN counts as the lowest margin, and margins beyond 1e300 as 1e300.
 */
#ifndef SOT_MODELS_SOFTMAX_ROW_H
#define SOT_MODELS_SOFTMAX_ROW_H

#include <stddef.h>

#include "models/linear/losses/double_double.h"

/* The class of a label: see softmax.h. */
size_t sot_softmax_class(double label, size_t classes);

/* Margins become probabilities p, each within [0, 1]. The sum over classes of the absolute errors is
 * at most sot_softmax_row_error(). The same operations on every machine. Returns
 * log sum exp(margin) - margin of `label`, the loss, if `with_value`; else 0. */
double sot_softmax_row(double *inout, size_t classes, size_t label, int with_value);

/* 2^-48 + (2 classes + 8) 2^-53: softmax.md. */
double sot_softmax_row_error(size_t classes);

/* The slopes p - e_label to about 95 bits. */
void sot_softmax_row_careful(sot_twofold *inout, size_t classes, size_t label);

/* 2^-95 + (8 classes + 32) 2^-105: softmax.md. */
double sot_softmax_row_error_careful(size_t classes);

/* Returns the loss at margins + steps minus that at the margins, from double-double numbers.
 * The error is at most sot_softmax_difference_error() times the root of the sum of the squares
 * of the steps. `scratch` has room for `classes` numbers. Finite margins and steps, below
 * 2^500 in size. */
sot_twofold sot_softmax_row_difference(const sot_twofold *margins,
                                       const sot_twofold *steps, size_t classes,
                                       size_t label, sot_twofold *scratch);

/* 2^-92 + classes 2^-102. */
double sot_softmax_difference_error(size_t classes);

/* Returns exp(x), -inf <= x <= 0, with a relative error of at most 2^-50 down to exp(-708); below
 * it that number. Only additions and multiplications, each rounded once. For the test. */
double sot_softmax_exp(double x);

#endif
