#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <sotto/version.h>

#include "base/c_locale.h"

sotto_status sot_fail(sotto_error *error, sotto_status status, const char *format, ...)
{
    if (error == NULL) return status;
    error->status = status;
    sot_c_locale
        scope; /* %g must print 1.5, not 1,5; without it, better 1,5 than nothing */
    const bool in_c_locale = sot_c_locale_enter(&scope);
    va_list arguments;
    va_start(arguments, format);
    /* Truncation to one line of SOTTO_MESSAGE_BYTES is intended. */
    (void)vsnprintf(error->message, sizeof error->message, format, arguments);
    va_end(arguments);
    if (in_c_locale) sot_c_locale_leave(&scope);
    return status;
}

sotto_status sot_fail_of(sotto_error *error, sotto_status status, const char *setting)
{
    char message[SOTTO_MESSAGE_BYTES];
    if (status == SOTTO_OK || error == NULL) return status;
    memcpy(message, error->message, sizeof message);
    return sot_fail(error, status, "`%s`: %s", setting, message);
}

sotto_status sot_fail_memory(sotto_error *error, size_t count, size_t size)
{
    return sot_fail(error, SOTTO_OUT_OF_MEMORY,
                    "out of memory: could not get %zu times %zu bytes", count, size);
}

const char *sotto_status_name(sotto_status status)
{
    switch (status) {
    case SOTTO_OK:
        return "ok";
    case SOTTO_INVALID_ARGUMENT:
        return "invalid argument";
    case SOTTO_OUT_OF_MEMORY:
        return "out of memory";
    case SOTTO_IO:
        return "input or output failed";
    case SOTTO_PARSE:
        return "malformed file";
    case SOTTO_UNSUPPORTED:
        return "not supported";
    case SOTTO_UNREACHABLE:
        return "target not reachable";
    case SOTTO_BUDGET_EXCEEDED:
        return "budget exceeded";
    case SOTTO_NOT_IN_PLAN:
        return "not in the plan";
    case SOTTO_ENTROPY:
        return "no entropy";
    case SOTTO_VERIFICATION:
        return "verification failed";
    case SOTTO_INTERRUPTED:
        return "interrupted";
    case SOTTO_INTERNAL:
        return "internal error";
    }
    return "unknown status";
}

const char *sotto_version(void)
{
    return SOTTO_VERSION_STRING;
}
