#include "base/c_locale.h"

bool sot_c_locale_enter(sot_c_locale *scope)
{
    scope->c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (scope->c == (locale_t)0) return false;
    scope->previous = uselocale(scope->c);
    return true;
}

void sot_c_locale_leave(sot_c_locale *scope)
{
    (void)uselocale(scope->previous);
    freelocale(scope->c);
}
