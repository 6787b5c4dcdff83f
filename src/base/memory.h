/* base/memory.h: the only door to the heap. Tests make its n-th allocation fail. */
#ifndef SOT_BASE_MEMORY_H
#define SOT_BASE_MEMORY_H

#include <stddef.h>

enum { SOT_UNDUMPED_BYTES = 1 << 16 };

/* Arrays of SOT_UNDUMPED_BYTES or more may hold records: their whole pages are left out of core dumps where the system
 * can do that (MADV_DONTDUMP).
 *
 * Zeroed memory for `count` objects of `size` bytes, or NULL if the product overflows or the
 * system refuses. A count of zero gives a valid pointer. Free with sot_free(). */
void *sot_new_array(size_t count, size_t size);

/* Grows or shrinks an array of sot_new_array(); new objects are zeroed. On failure returns
 * NULL and the old array stays valid. The old bytes are not wiped: not for secrets. */
void *sot_resize_array(void *array, size_t old_count, size_t new_count, size_t size);

/* The same for records: the array moves to new memory, and the old one is wiped before it is
 * freed. On failure returns NULL and the old array stays valid. */
void *sot_move_array(void *array, size_t old_count, size_t new_count, size_t size);

enum { SOT_ALIGNMENT_BYTES = 64 }; /* a cache line; the widest vector registers */

/* Like sot_new_array(), beginning at a multiple of SOT_ALIGNMENT_BYTES, and where the system has them on large
 * pages if it is 4 MB or more. Free with sot_free(). */
void *sot_new_aligned(size_t count, size_t size);

/* Makes an array of records larger without a second copy of them (Linux: the pages move). NULL: a new one. New bytes are
 * zero; those that were never written to take no memory. Aligned like sot_new_aligned(). On failure returns NULL and
 * the old array stays valid. Free with sot_free_grown(). */
void *sot_grow_array(void *array, size_t size_bytes);

/* Frees such an array, of which at most the first `used_bytes` were written to; they are wiped. NULL is fine. */
void sot_free_grown(void *array, size_t used_bytes);

/* A copy of a string, or NULL. */
char *sot_copy_string(const char *text);

void sot_free(void *memory); /* NULL is fine */

/* Overwrites, in a way the compiler may not remove, then frees. NULL is fine. */
void sot_wipe_and_free(void *memory, size_t size_bytes);

/* Overwrites memory that lives elsewhere (stack, struct). */
void sot_wipe(void *memory, size_t size_bytes);

#ifdef SOTTO_TESTING
/* After this call the allocation number `nth` (1 is the next one) fails, once; 0 turns the
 * injection off. Returns the number of allocations since the last call. */
size_t sot_test_fail_allocation(size_t nth);
#endif

#endif
