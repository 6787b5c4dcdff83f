/* sotto/memory.h: free the texts that the library makes for its caller.
 *
 * Idea        Every function that writes a `char **out_...` makes a text that belongs to the caller. There is one way
 * to free
 *             it, whichever function made it. Handles have a function of their own (sotto_model_free() ...), and a
 *             text that
 *             a function returns as `const char *` belongs to its handle.
 */
#ifndef SOTTO_MEMORY_H
#define SOTTO_MEMORY_H

#include <sotto/error.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Frees a text that the library made; NULL is fine. Not for handles. */
SOTTO_API void sotto_free(void *text);

#ifdef __cplusplus
}
#endif
#endif
