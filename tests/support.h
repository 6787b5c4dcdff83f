/* tests/support.h: cmocka plus the few asserts of our own. Include it first. */
#ifndef SOTTO_TESTS_SUPPORT_H
#define SOTTO_TESTS_SUPPORT_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <sotto/error.h>

/* lower <= value <= upper; NaN fails. */
#define assert_within(value, lower, upper)                                               \
    support_assert_within((value), (lower), (upper), #value, __FILE__, __LINE__)

/* |value - expected| <= tolerance * |expected|; NaN fails; equal infinities pass. */
#define assert_relative(value, expected, tolerance)                                      \
    support_assert_relative((value), (expected), (tolerance), #value, __FILE__, __LINE__)

/* The call succeeded; otherwise its message is printed. */
#define assert_ok(call, error_pointer)                                                   \
    support_assert_ok((call), (error_pointer), #call, __FILE__, __LINE__)

/* The call was refused with `status`, and the message contains every one of the words
 * (NULL ends the list): assert_refused(f(&e), SOTTO_INVALID_ARGUMENT, &e, "sigma", NULL); */
#define assert_refused(call, status, error_pointer, ...)                                 \
    support_assert_refused((call), (status), (error_pointer), #call, __FILE__, __LINE__, \
                           __VA_ARGS__)

static inline void support_assert_within(double value, double lower, double upper,
                                         const char *text, const char *file, int line)
{
    if (value >= lower && value <= upper) return;
    print_error("%s is %.17g, not within [%.17g, %.17g]\n", text, value, lower, upper);
    _fail(file, line);
}

static inline void support_assert_relative(double value, double expected,
                                           double tolerance, const char *text,
                                           const char *file, int line)
{
    if (value == expected) return;
    if (fabs(value - expected) <= tolerance * fabs(expected)) return;
    print_error("%s is %.17g, not %.17g (relative error %.3g, allowed %.3g)\n", text,
                value, expected, fabs(value / expected - 1.0), tolerance);
    _fail(file, line);
}

static inline void support_assert_ok(sotto_status status, const sotto_error *error,
                                     const char *text, const char *file, int line)
{
    if (status == SOTTO_OK) return;
    print_error("%s failed: %s: %s\n", text, sotto_status_name(status),
                error != NULL ? error->message : "");
    _fail(file, line);
}

/* The words stand in the message. Backquotes, which mark ids of settings (sotto/setting.h), count only where the words have
 * some. */
static inline bool support_has_words(const char *message, const char *words)
{
    char plain[SOTTO_MESSAGE_BYTES];
    size_t length = 0;
    if (strstr(message, words) != NULL) return true;
    for (const char *from = message; *from != '\0' && length + 1 < sizeof plain; from++)
        if (*from != '`') plain[length++] = *from;
    plain[length] = '\0';
    return strstr(plain, words) != NULL;
}

static inline void support_assert_refused(sotto_status status, sotto_status expected,
                                          const sotto_error *error, const char *text,
                                          const char *file, int line, ...)
{
    if (status != expected) {
        print_error("%s gave '%s', expected '%s'\n", text, sotto_status_name(status),
                    sotto_status_name(expected));
        _fail(file, line);
    }
    va_list words;
    va_start(words, line);
    for (const char *word = va_arg(words, const char *); word != NULL;
         word = va_arg(words, const char *)) {
        if (support_has_words(error->message, word)) continue;
        print_error("%s: the message lacks '%s': %s\n", text, word, error->message);
        _fail(file, line);
    }
    va_end(words);
}

#endif
