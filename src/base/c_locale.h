/* base/c_locale.h: a stretch of code in which numbers are spelt with a point.
 *
 * printf, strtod and strerror follow the locale of the calling program, where one and a half
 * may be "1,5". Our files and messages must not. The switch concerns the calling thread only
 * (POSIX uselocale), so it is safe in a library, unlike setlocale().
 */
#ifndef SOT_BASE_C_LOCALE_H
#define SOT_BASE_C_LOCALE_H

#include <locale.h>
#include <stdbool.h>

typedef struct sot_c_locale {
    locale_t c;
    locale_t previous;
} sot_c_locale;

/* False if the C locale is not available. In glibc and musl it is a constant, so the call
 * never fails; elsewhere memory may be short. Pair each success with a leave. */
bool sot_c_locale_enter(sot_c_locale *scope);
void sot_c_locale_leave(sot_c_locale *scope);

#endif
