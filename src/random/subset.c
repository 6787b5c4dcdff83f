#include "random/subset.h"

#include <inttypes.h>

#include "base/error.h"
#include "base/memory.h"

/* A set of numbers, open addressing; at most half full. A slot holds number + 1, 0 is empty. */
typedef struct number_set {
    uint64_t *slot;
    size_t mask; /* slots - 1, slots a power of two */
} number_set;

/* False if the number was there. */
static bool insert(number_set *set, uint64_t number)
{
    /* The numbers are ours and random; any spreading will do. 2^64 / golden ratio, made odd. */
    size_t i = (size_t)((number * UINT64_C(0x9e3779b97f4a7c15)) >> 16) & set->mask;
    while (set->slot[i] != 0) {
        if (set->slot[i] == number + 1) return false;
        i = (i + 1) & set->mask;
    }
    set->slot[i] = number + 1;
    return true;
}

static void sift_down(uint64_t *heap, size_t root, size_t count)
{
    const uint64_t value = heap[root];
    for (size_t child; (child = 2 * root + 1) < count; root = child) {
        if (child + 1 < count && heap[child + 1] > heap[child]) child++;
        if (heap[child] <= value) break;
        heap[root] = heap[child];
    }
    heap[root] = value;
}

/* Heap sort: in place, no allocation behind our back as in some qsort(). */
static void sort_ascending(uint64_t *numbers, size_t count)
{
    for (size_t root = count / 2; root-- > 0;)
        sift_down(numbers, root, count);
    for (size_t end = count; end-- > 1;) {
        const uint64_t largest = numbers[0];
        numbers[0] = numbers[end];
        numbers[end] = largest;
        sift_down(numbers, 0, end);
    }
}

sotto_status sot_subset_draw(sotto_rng *rng, uint64_t n, size_t k, uint64_t *out,
                             sotto_error *error)
{
    if (n > UINT64_C(1) << 63) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "n is %" PRIu64 "; at most 2^63 records can be sampled from", n);
    }
    if (k > n) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "k is %zu, more than n = %" PRIu64
                        "; a sample without replacement has at most n records",
                        k, n);
    }
    if (k > SIZE_MAX / 4) return sot_fail_memory(error, k, sizeof(uint64_t));
    size_t slots = 4;
    while (slots < 2 * k)
        slots *= 2;
    number_set set = {.slot = sot_new_array(slots, sizeof(uint64_t)), .mask = slots - 1};
    if (set.slot == NULL) return sot_fail_memory(error, slots, sizeof(uint64_t));

    /* Floyd: for j = n - k, ..., n - 1 take a uniform number of 0 .. j, or j if it is taken. */
    for (size_t i = 0; i < k; i++) {
        const uint64_t j = n - k + i;
        uint64_t chosen = sot_rng_below(rng, j + 1);
        if (!insert(&set, chosen)) {
            chosen = j;
            (void)insert(&set, chosen); /* j is larger than all before: never taken */
        }
        out[i] = chosen;
    }
    sort_ascending(out, k);
    sot_wipe_and_free(set.slot, slots * sizeof(uint64_t));
    const sotto_status status = sot_rng_check(rng, error);
    if (status != SOTTO_OK) sot_wipe(out, k * sizeof *out);
    return status;
}
