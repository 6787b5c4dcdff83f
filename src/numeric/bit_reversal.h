/* numeric/bit_reversal.h: the order in which an in-place transform leaves its results. */
#ifndef SOT_NUMERIC_BIT_REVERSAL_H
#define SOT_NUMERIC_BIT_REVERSAL_H

#include "numeric/unit_roots.h"

/* Moves values[i] to values[r], where r has the `bits` bits of i in reverse, for all i
 * below 2^bits. Large arrays go through tiles that fit in cache (Carter & Gatlin, FOCS
 * 1998). */
void sot_reverse_order(sot_complex *values, unsigned bits);

#endif
