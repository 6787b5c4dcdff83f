/* base/clock.h: time that never runs backwards. */
#ifndef SOT_BASE_CLOCK_H
#define SOT_BASE_CLOCK_H

/* Returns seconds since an unspecified moment; only differences have a meaning. Never
 * below an earlier result, also if the wall clock is changed. */
double sot_clock_seconds(void);

#endif
