/* base/clock.h: time that never runs backwards. */
#ifndef SOT_BASE_CLOCK_H
#define SOT_BASE_CLOCK_H

/* Seconds since an unnamed moment; only differences mean something. Never below an earlier
 * answer, whatever is done to the wall clock. */
double sot_clock_seconds(void);

#endif
