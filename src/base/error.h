/* base/error.h: filling the caller's error, one way. */
#ifndef SOT_BASE_ERROR_H
#define SOT_BASE_ERROR_H

#include <stddef.h>

#include <sotto/error.h>

/* Writes status and message to `error` (which may be NULL) and returns `status`. So a failing
 * check is one statement: `return sot_fail(error, SOTTO_INVALID_ARGUMENT, "...", x);` */
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
sotto_status
sot_fail(sotto_error *error, sotto_status status, const char *format, ...);

/* Writes "`setting`: " before the message of a failed call and returns `status`. Does nothing if it is SOTTO_OK. */
sotto_status sot_fail_of(sotto_error *error, sotto_status status, const char *setting);

/* The allocation of `count` objects of `size` bytes failed. */
sotto_status sot_fail_memory(sotto_error *error, size_t count, size_t size);

#endif
