/* data/cells/time.h: a date or a moment as a number: units of time since 1970-01-01 00:00 UTC,
 * without leap seconds.
 *
 * Texts: YYYY-MM-DD, or YYYY-MM-DD, a T or a blank, HH:MM[:SS[.fraction]][zone]. A fraction has 1
 * to 9 digits. The zone is Z, +HH, +HHMM or +HH:MM (or -); without one the moment is in UTC. The
 * calendar is the Gregorian one.
 *
 * Range: the years 0001 to 9999 in UTC, for every source. Other years have no such text, and are
 * missing.
 *
 * Theorem: let n be the nanoseconds since 1970 and d those of the unit. In a column of numbers
 * the moment is the double nearest to n / d, ties to even. In a column of integers it is
 * floor(n / d). Both are functions of only n and d, so every source of the same moment gives the
 * same bits.
 *
 * Rounding: |n| < 2^69 and 1000 <= d < 2^47. If |n| <= 2^53, n and d are doubles, and their
 * quotient rounds once. Otherwise w = floor(|n| / d) is at least 2^6 and below 2^60. With r the
 * remainder, w 2^64 + floor(r 2^64 / d) has more than 55 bits. Its last bit is set if the
 * division left a remainder, and its conversion rounds once.
 */
#ifndef SOT_DATA_CELLS_TIME_H
#define SOT_DATA_CELLS_TIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <sotto/schema.h>

/* "day", "hour", ...; NULL for SOTTO_TIME_NONE. */
const char *sot_time_unit_name(sotto_time_unit unit);

/* The unit of that name; SOTTO_TIME_NONE: there is none. */
sotto_time_unit sot_time_unit_of(const char *name);

/* The moment `ticks` ticks of `tick_ns` nanoseconds (1 to 86400 10^9) after 1970, in the unit of the column, which has one.
 * NaN: outside the range. Total. */
double sot_time_of_ticks(const sotto_column *column, int64_t ticks, int64_t tick_ns);

/* The moment that the text states, in the unit of the column, which has one. False: the text states none. Total. */
bool sot_time_of_text(const sotto_column *column, const char *text, size_t size_bytes,
                      double *out_number);

#endif
