/* base/growing.h: a text that grows as it is written. For public text: outgrown memory is not wiped. */
#ifndef SOT_BASE_GROWING_H
#define SOT_BASE_GROWING_H

#include <stdbool.h>
#include <stddef.h>

#include <sotto/error.h>

/* Start with {0}; free `text` with sot_free(), or hand it on with sot_growing_finish(). Failure
 * sticks. */
typedef struct sot_growing {
    char *text; /* NUL-terminated; NULL as long as nothing was written */
    size_t used, room;
    bool failed;
} sot_growing;

void sot_growing_add(sot_growing *growing, const char *text, size_t size_bytes);
void sot_growing_text(sot_growing *growing, const char *text);

/* One letter of `length` bytes as HTML and XML spell it: &, <, >, " and ' are escaped. */
void sot_growing_markup(sot_growing *growing, const char *letter, size_t length);

/* At most 1023 bytes at a time; longer ones are truncated. */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void sot_growing_format(sot_growing *growing, const char *format, ...);

/* Hands the text over, "" if nothing was written; free with sot_free(). Frees it on failure. */
SOTTO_MUST_CHECK sotto_status sot_growing_finish(sot_growing *growing, char **out_text,
                                                 sotto_error *error);

#endif
