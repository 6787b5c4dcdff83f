#include "data/schema/friendly.h"

#include <math.h>
#include <string.h>

const char *sot_plain_number(double value, char buffer[SOT_DOUBLE_TEXT_BYTES])
{
    sot_format_double(value, buffer);
    const size_t length = strlen(buffer);
    if (length > 2 && strcmp(buffer + length - 2, ".0") == 0) buffer[length - 2] = '\0';
    return buffer;
}

/* 10^n, 0 <= n <= 22, exactly: 5^22 < 2^52. */
static double power_of_ten(int n)
{
    double power = 1.0;
    for (int i = 0; i < n; i++)
        power *= 10.0;
    return power;
}

/* `count` units of 10^exponent: one correctly rounded operation on exact numbers. */
static double units(double count, int exponent)
{
    return exponent < 0 ? count / power_of_ten(-exponent)
                        : count * power_of_ten(exponent);
}

static double in_units(double value, int exponent)
{
    return exponent < 0 ? value * power_of_ten(-exponent)
                        : value / power_of_ten(exponent);
}

double sot_decimal_below(double value, int exponent)
{
    double count = floor(in_units(value, exponent));
    if (!(fabs(count) < 0x1p53)) return value;
    if (units(count, exponent) > value) count -= 1.0; /* the quotient was rounded up */
    if (units(count + 1.0, exponent) <= value) count += 1.0; /* or down */
    return units(count, exponent) + 0.0;                     /* -0 is 0 */
}

double sot_decimal_above(double value, int exponent)
{
    return 0.0 - sot_decimal_below(-value, exponent);
}

double sot_decimal_near(double value, int exponent)
{
    const double count = nearbyint(in_units(value, exponent));
    return fabs(count) < 0x1p53 ? units(count, exponent) + 0.0 : value;
}

int sot_decimal_exponent(double size)
{
    int exponent = 0;
    while (exponent < 22 && power_of_ten(exponent + 1) <= size)
        exponent++;
    while (exponent > -22 && units(1.0, exponent) > size)
        exponent--;
    return exponent;
}
