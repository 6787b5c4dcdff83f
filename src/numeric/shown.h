/* numeric/shown.h: numbers for people, never on the wrong side of the number they show. */
#ifndef SOT_NUMERIC_SHOWN_H
#define SOT_NUMERIC_SHOWN_H

#include <stdint.h>

enum { SOT_SHOWN_BYTES = 40 };

/* Write at most `digits` (1 to 17) significant digits, rounded up or down, the same in every
 * locale: "0.0312", "1e-6", "12500". A value that is not finite reads "none". `value` is at least
 * 0. Returns `out`. */
const char *sot_shown_up(double value, int digits, char out[SOT_SHOWN_BYTES]);
const char *sot_shown_down(double value, int digits, char out[SOT_SHOWN_BYTES]);

/* The nearest such number, which is no bound: an estimate, a coefficient. Any sign. */
const char *sot_shown_near(double value, int digits, char out[SOT_SHOWN_BYTES]);

/* All the digits it takes to read back the same double. */
const char *sot_shown_whole(double value, char out[SOT_SHOWN_BYTES]);

/* A probability as a percentage, rounded up or down: "3.12%". */
const char *sot_shown_percent_up(double probability, int digits,
                                 char out[SOT_SHOWN_BYTES]);

const char *sot_shown_percent_down(double probability, int digits,
                                   char out[SOT_SHOWN_BYTES]);

/* The same for a rate that is a decimal fraction, such as 0.01: "1%", all its digits. */
const char *sot_shown_percent_whole(double rate, char out[SOT_SHOWN_BYTES]);

/* A count with separators: "1 000 000". */
const char *sot_shown_count(uint64_t count, char out[SOT_SHOWN_BYTES]);

#endif
