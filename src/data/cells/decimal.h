/* data/cells/decimal.h: decimal numbers in records: fast where that is exact, careful elsewhere.
 *
 * Grammar     That of sot_parse_double(): [+-] digits [. digits] [e [+-] digits].
 * Theorem     The result is the double nearest to the number, ties to even, as if read by
 *             sot_parse_double(). A number m 10^k of at most 19 digits, so m < 10^19 < 2^64, is
 *             found without it when
 *               (1) k = 0: the conversion of m rounds once; or
 *               (2) m <= 2^53 and |k| <= 22: m and 10^|k| are doubles, and their product or
 *                   quotient rounds once (Clinger, "How to read floating point numbers
 *                   accurately", PLDI 1990); or
 *               (3) |k| <= 19: m 10^k, or floor(m 2^s / 10^-k) and whether the division left a
 *                   remainder, is found in integers of 128 bits, and rounded here, once.
 *             Everything else goes to the careful parser.
 * Assumes     Doubles are rounded to nearest, and expressions are evaluated in double.
 */
#ifndef SOT_DATA_CELLS_DECIMAL_H
#define SOT_DATA_CELLS_DECIMAL_H

#include <stdbool.h>
#include <stddef.h>

/* Bytes behind the number that must be readable, whatever they hold. */
enum { SOT_DECIMAL_SLACK = 8 };

/* Reads the number that begins at *text, with the slack behind it, and moves *text behind its last byte. What follows is for
 * the caller to judge. False: there is none, or it takes the careful parser, which needs to know
 * where the number ends; *text is then where it was. */
bool sot_scan_decimal(const char **text, double *out_value);

/* The same for a text of known length, nothing but a number; takes the careful way where needed.
 * A number that is not zero, but whose double is, counts as 0. False: malformed, longer than
 * SOT_NUMBER_BYTES_MAX, or too large for a double. `text` needs no slack. */
bool sot_read_decimal(const char *text, size_t size_bytes, double *out_value);

#endif
