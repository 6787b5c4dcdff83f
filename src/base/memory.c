#define _GNU_SOURCE /* mremap */
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

/* ---- arrays that grow ---- */

/* Stands in front of the array. */
typedef struct grown_head {
    size_t room_bytes; /* of the array */
    bool is_mapped;    /* else on the heap */
    unsigned char padding[SOT_ALIGNMENT_BYTES - sizeof(size_t) - sizeof(bool)];
} grown_head;
_Static_assert(sizeof(grown_head) == SOT_ALIGNMENT_BYTES, "the array stays aligned");

/* Smaller arrays are on the heap: copying them costs little. */
enum { MAPPED_BYTES_LEAST = 1 << 20 };

static grown_head *head_of(void *array)
{
    return (grown_head *)((unsigned char *)array - sizeof(grown_head));
}

/* Address space that begins at a multiple of a large page: then the kernel moves large pages whole. */
static void *map_aligned(size_t bytes, int protection)
{
    size_t wanted;
    if (!sot_size_add(bytes, LARGE_PAGE_BYTES, &wanted)) return NULL;
    unsigned char *memory =
        mmap(NULL, wanted, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return NULL;
    const size_t past = (uintptr_t)memory % LARGE_PAGE_BYTES;
    const size_t before = past == 0 ? 0 : LARGE_PAGE_BYTES - past;
    if (before > 0) (void)munmap(memory, before);
    if (wanted - before > bytes)
        (void)munmap(memory + before + bytes, wanted - before - bytes);
    return memory + before;
}

static void *map_new(size_t bytes)
{
    void *memory = map_aligned(bytes, PROT_READ | PROT_WRITE);
    if (memory == NULL) return NULL;
#ifdef MADV_HUGEPAGE
    (void)madvise(memory, bytes, MADV_HUGEPAGE); /* a wish: it may be refused */
#endif
    hide_from_dumps(memory, bytes);
    return memory;
}

/* The advice to the kernel belongs to the mapping, and stays with it when it grows. */
static void *grow_mapped(void *mapping, size_t old_bytes, size_t new_bytes)
{
#ifdef MREMAP_MAYMOVE
    if (mremap(mapping, old_bytes, new_bytes, 0) != MAP_FAILED) return mapping;
    void *place = map_aligned(new_bytes, PROT_NONE);
    if (place == NULL) return NULL;
    void *moved =
        mremap(mapping, old_bytes, new_bytes, MREMAP_MAYMOVE | MREMAP_FIXED, place);
    if (moved != MAP_FAILED) return moved;
    (void)munmap(place, new_bytes);
    return NULL;
#else
    void *moved = map_new(new_bytes);
    if (moved == NULL) return NULL;
    memcpy(moved, mapping, old_bytes);
    sodium_memzero(mapping, old_bytes);
    (void)munmap(mapping, old_bytes);
    return moved;
#endif
}

void *sot_grow_array(void *array, size_t size_bytes)
{
    size_t bytes;
    const size_t old_bytes = array == NULL ? 0 : head_of(array)->room_bytes;
    const bool was_mapped = array != NULL && head_of(array)->is_mapped;
    if (array != NULL && size_bytes <= old_bytes) return array;
    if (!sot_size_add(size_bytes, sizeof(grown_head), &bytes)) return NULL;
    const bool is_mapped = bytes >= MAPPED_BYTES_LEAST;
    if (is_mapped && !sot_size_align(bytes, LARGE_PAGE_BYTES, &bytes)) return NULL;
    if (is_mapped && must_fail()) return NULL;
    grown_head *head =
        was_mapped ? grow_mapped(head_of(array), old_bytes + sizeof(grown_head), bytes)
                   : (is_mapped ? map_new(bytes) : sot_new_aligned(bytes, 1));
    if (head == NULL) return NULL;
    if (array != NULL && !was_mapped) {
        memcpy(head + 1, array, old_bytes);
        sot_wipe_and_free(head_of(array), old_bytes + sizeof *head);
    }
    head->room_bytes = bytes - sizeof *head;
    head->is_mapped = is_mapped;
    return head + 1;
}

void sot_free_grown(void *array, size_t used_bytes)
{
    if (array == NULL) return;
    grown_head *head = head_of(array);
    sodium_memzero(array, used_bytes);
    if (head->is_mapped) {
        (void)munmap(head, head->room_bytes + sizeof *head);
    } else {
        free(head);
    }
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
