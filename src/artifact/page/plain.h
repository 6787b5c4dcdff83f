/* artifact/page/plain.h: characters that have no business in a document for people. */
#ifndef SOT_ARTIFACT_PAGE_PLAIN_H
#define SOT_ARTIFACT_PAGE_PLAIN_H

#include <stdbool.h>
#include <stddef.h>

/* True for a UTF-8 character of `length` bytes that could hide or forge text where it is shown.
 * These are control characters (C0, DEL, C1), line and paragraph separators, and marks of the
 * direction of writing. The marks are U+200E, U+200F, U+202A to U+202E and U+2066 to U+2069. */
bool sot_is_hidden(const char *character, size_t length);

/* Returns a copy that is safe to show: every byte of a hidden character, and every byte that is
 * not UTF-8, becomes '?'. NULL if memory runs out; free with sot_free(). */
char *sot_plain_copy(const char *text);

#endif
