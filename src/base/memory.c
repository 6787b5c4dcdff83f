#include "base/memory.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <sodium.h>
#include <sys/mman.h>
#include <unistd.h>

#include <sotto/memory.h>

#include "base/size.h"

#ifdef SOTTO_TESTING
#include <stdatomic.h>

static atomic_size_t allocations_asked;
static atomic_size_t failing_allocation;

size_t sot_test_fail_allocation(size_t nth)
{
    atomic_store(&failing_allocation, nth);
    return atomic_exchange(&allocations_asked, 0);
}

static int must_fail(void)
{
    const size_t asked = atomic_fetch_add(&allocations_asked, 1) + 1;
    return asked == atomic_load(&failing_allocation);
}
#else
static int must_fail(void)
{
    return 0;
}
#endif

/* Keeps whole pages of large arrays, which hold records, out of core dumps. A wish: it may be refused. The pages stay
 * out when the array is freed, which does no harm. */
static void hide_from_dumps(void *memory, size_t size_bytes)
{
#ifdef MADV_DONTDUMP
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    const uintptr_t begin = ((uintptr_t)memory + page - 1) / page * page;
    const uintptr_t end = ((uintptr_t)memory + size_bytes) / page * page;
    if (size_bytes < SOT_UNDUMPED_BYTES || end <= begin) return;
    (void)madvise((char *)memory + (begin - (uintptr_t)memory), end - begin,
                  MADV_DONTDUMP);
#else
    (void)memory;
    (void)size_bytes;
#endif
}

void *sot_new_array(size_t count, size_t size)
{
    if (size != 0 && count > SIZE_MAX / size) return NULL;
    if (must_fail()) return NULL;
    void *memory = calloc(count == 0 ? 1 : count, size == 0 ? 1 : size);
    if (memory != NULL) hide_from_dumps(memory, count * size);
    return memory;
}

void *sot_resize_array(void *array, size_t old_count, size_t new_count, size_t size)
{
    if (size != 0 && new_count > SIZE_MAX / size) return NULL;
    if (must_fail()) return NULL;
    const size_t bytes = new_count * size;
    unsigned char *grown = realloc(array, bytes == 0 ? 1 : bytes);
    if (grown == NULL) return NULL;
    if (new_count > old_count)
        memset(grown + old_count * size, 0, bytes - old_count * size);
    return grown;
}

void *sot_move_array(void *array, size_t old_count, size_t new_count, size_t size)
{
    void *moved = sot_new_array(new_count, size);
    if (moved == NULL) return NULL;
    const size_t kept = old_count < new_count ? old_count : new_count;
    if (kept > 0) memcpy(moved, array, kept * size);
    sot_wipe_and_free(array, old_count * size);
    return moved;
}

/* Records are read at random places of large arrays; with large pages the processor finds them
 * without page-table lookups. */
enum { LARGE_PAGE_BYTES = 1 << 21 };

void *sot_new_aligned(size_t count, size_t size)
{
    size_t bytes;
    if (!sot_size_mul(count, size, &bytes)) return NULL;
    if (!sot_size_align(bytes == 0 ? 1 : bytes, SOT_ALIGNMENT_BYTES, &bytes)) return NULL;
    if (must_fail()) return NULL;
    const bool large = bytes >= 2 * LARGE_PAGE_BYTES;
    if (large && !sot_size_align(bytes, LARGE_PAGE_BYTES, &bytes)) return NULL;
    void *memory = aligned_alloc(large ? LARGE_PAGE_BYTES : SOT_ALIGNMENT_BYTES, bytes);
    if (memory == NULL) return NULL;
#ifdef MADV_HUGEPAGE
    if (large)
        (void)madvise(memory, bytes, MADV_HUGEPAGE); /* a wish: it may be refused */
#endif
    hide_from_dumps(memory, bytes);
    memset(memory, 0, bytes);
    return memory;
}

char *sot_copy_string(const char *text)
{
    const size_t bytes = strlen(text) + 1;
    char *copy = sot_new_array(bytes, 1);
    if (copy != NULL) memcpy(copy, text, bytes);
    return copy;
}

void sot_free(void *memory)
{
    free(memory);
}

void sotto_free(void *text)
{
    sot_free(text);
}

void sot_wipe_and_free(void *memory, size_t size_bytes)
{
    if (memory != NULL) sodium_memzero(memory, size_bytes);
    free(memory);
}

void sot_wipe(void *memory, size_t size_bytes)
{
    sodium_memzero(memory, size_bytes);
}
