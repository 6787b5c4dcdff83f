/* data/schema/friendly.h: numbers as people write them in a schema. */
#ifndef SOT_DATA_SCHEMA_FRIENDLY_H
#define SOT_DATA_SCHEMA_FRIENDLY_H

#include "base/text.h"

/* The shortest decimal that reads back as the same double, whole numbers without a point: "-1",
 * "0.5", "1e+30". Returns `buffer`. */
const char *sot_plain_number(double value, char buffer[SOT_DOUBLE_TEXT_BYTES]);

/* The multiple of 10^exponent below, above or nearest to a value, as the double nearest to that
 * decimal. A value of more than 2^53 of them stays as it is. `exponent` is within +-22, where
 * powers of ten are exact. */
double sot_decimal_below(double value, int exponent);
double sot_decimal_above(double value, int exponent);
double sot_decimal_near(double value, int exponent);

/* The largest exponent with 10^exponent <= size, within +-22; `size` is positive. */
int sot_decimal_exponent(double size);

#endif
