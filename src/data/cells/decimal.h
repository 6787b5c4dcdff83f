/* data/cells/decimal.h: decimal numbers in records: a fast path where it is exact, the full
 * parser elsewhere.
 *
 * Grammar: that of sot_parse_double(): [+-] digits [. digits] [e [+-] digits].
 *
 * Theorem: the result is the double nearest to the number, ties to even, as if read by
 * sot_parse_double(). A number m 10^k of at most 19 digits, so m < 10^19 < 2^64, takes the fast
 * path if one of these holds:
 *
 * (1) k = 0: the conversion of m rounds once.
 * (2) m <= 2^53 and |k| <= 22: m and 10^|k| are doubles, and their product or quotient rounds
 *     once (Clinger, "How to read floating point numbers accurately", PLDI 1990).
 * (3) |k| <= 19: m 10^k, or floor(m 2^s / 10^-k) with a flag for the remainder, is computed in
 *     integers of 128 bits and rounded here, once.
 *
 * All other numbers go to the full parser.
 *
 * Assumes: doubles are rounded to nearest, and expressions are evaluated in double.
 */
#ifndef SOT_DATA_CELLS_DECIMAL_H
#define SOT_DATA_CELLS_DECIMAL_H

#include <stdbool.h>
#include <stddef.h>

/* Bytes behind the number that must be readable, with any content. */
enum { SOT_DECIMAL_SLACK = 8 };

/* Reads the number that begins at *text, with the slack behind it, and moves *text behind its
 * last byte. The caller checks the next byte. False: there is no number, or it needs the full
 * parser, which needs its end. *text is then unchanged. */
bool sot_scan_decimal(const char **text, double *out_value);

/* The same for a text of known length that is only a number; uses the full parser where needed. A
 * nonzero number that underflows counts as 0. False: malformed, longer than SOT_NUMBER_BYTES_MAX,
 * or too large for a double. `text` needs no slack. */
bool sot_read_decimal(const char *text, size_t size_bytes, double *out_value);

#endif
