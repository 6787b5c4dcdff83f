/* base/copy.h: copies of text, with an error for the caller. */
#ifndef SOT_BASE_COPY_H
#define SOT_BASE_COPY_H

#include <sotto/error.h>

/* Writes a copy of `text`; NULL if memory runs out, with the error. Free with sot_free(). */
SOTTO_MUST_CHECK sotto_status sot_copy_text(const char *text, char **out_copy,
                                            sotto_error *error);

#endif
