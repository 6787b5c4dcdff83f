/* base/size.h: checked size arithmetic.
 *
 * Each function stores the exact result and returns true. If the result does not fit, it
 * leaves *out unchanged and returns false: a wrapped size would be a short buffer.
 */
#ifndef SOT_BASE_SIZE_H
#define SOT_BASE_SIZE_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

static inline bool sot_size_add(size_t a, size_t b, size_t *out)
{
    if (a > SIZE_MAX - b) return false;
    *out = a + b;
    return true;
}

static inline bool sot_size_mul(size_t a, size_t b, size_t *out)
{
    if (a != 0 && b > SIZE_MAX / a) return false;
    *out = a * b;
    return true;
}

/* The least multiple of `alignment`, a power of two, that is at least `size`. */
static inline bool sot_size_align(size_t size, size_t alignment, size_t *out)
{
    assert(alignment != 0 && (alignment & (alignment - 1)) == 0);
    size_t padded;
    if (!sot_size_add(size, alignment - 1, &padded)) return false;
    *out = padded & ~(alignment - 1);
    return true;
}

/* The number of blocks of `block` items that cover `items`: rounded up, and without overflow. */
static inline size_t sot_size_blocks(size_t items, size_t block)
{
    assert(block != 0);
    return items / block + (items % block != 0);
}

#endif
