#include "support.h"

#include <stdbool.h>
#include <stdio.h>

#include "base/error.h"
#include "base/memory.h"

static void the_nth_allocation_fails_once(void **state)
{
    (void)state;
    (void)sot_test_fail_allocation(2);
    void *first = sot_new_array(3, 8);
    void *second = sot_new_array(3, 8);
    void *third = sot_new_array(3, 8);
    assert_non_null(first);
    assert_null(second);
    assert_non_null(third);
    assert_int_equal(sot_test_fail_allocation(0), 3);
    sot_free(first);
    sot_wipe_and_free(third, 24);
}

static void an_overflowing_product_is_refused(void **state)
{
    (void)state;
    assert_null(sot_new_array(SIZE_MAX / 2, 3));
    assert_null(sot_resize_array(NULL, 0, SIZE_MAX / 2, 3));
}

static void grown_arrays_are_zeroed(void **state)
{
    (void)state;
    unsigned char *bytes = sot_new_array(3, 1);
    memset(bytes, 7, 3);
    bytes = sot_resize_array(bytes, 3, 4096, 1);
    assert_non_null(bytes);
    assert_int_equal(bytes[2], 7);
    for (size_t i = 3; i < 4096; i++)
        assert_int_equal(bytes[i], 0);
    sot_free(bytes);
}

static void moved_arrays_keep_what_they_hold(void **state)
{
    (void)state;
    unsigned char *bytes = sot_new_array(3, 1);
    memset(bytes, 7, 3);
    bytes = sot_move_array(bytes, 3, 4096, 1);
    assert_non_null(bytes);
    assert_int_equal(bytes[2], 7);
    assert_int_equal(bytes[3], 0);
    (void)sot_test_fail_allocation(1);
    assert_null(sot_move_array(bytes, 4096, 8192, 1));
    (void)sot_test_fail_allocation(0);
    assert_int_equal(bytes[1], 7); /* still there */
    bytes = sot_move_array(bytes, 4096, 2, 1);
    assert_int_equal(bytes[1], 7);
    sot_free(bytes);
    bytes = sot_move_array(NULL, 0, 5, 1);
    assert_int_equal(bytes[4], 0);
    sot_free(bytes);
}

static void aligned_arrays_begin_at_a_cache_line(void **state)
{
    (void)state;
    for (size_t count = 0; count < 300; count += 37) {
        unsigned char *bytes = sot_new_aligned(count, 1);
        assert_non_null(bytes);
        assert_int_equal((uintptr_t)bytes % SOT_ALIGNMENT_BYTES, 0);
        for (size_t i = 0; i < count; i++)
            assert_int_equal(bytes[i], 0);
        memset(bytes, 7, count);
        sot_free(bytes);
    }
    assert_null(sot_new_aligned(SIZE_MAX / 2, 3));
    assert_null(sot_new_aligned(SIZE_MAX, 1));
    (void)sot_test_fail_allocation(1);
    assert_null(sot_new_aligned(4, 4));
    (void)sot_test_fail_allocation(0);
}

static void a_copied_string_is_its_own(void **state)
{
    (void)state;
    char text[] = "adjacency";
    char *copy = sot_copy_string(text);
    text[0] = 'A';
    assert_string_equal(copy, "adjacency");
    sot_free(copy);
    (void)sot_test_fail_allocation(1);
    assert_null(sot_copy_string(text));
    assert_int_equal(sot_test_fail_allocation(0), 1);
}

static void wiped_memory_holds_zeros(void **state)
{
    (void)state;
    unsigned char secret[16];
    memset(secret, 0xA5, sizeof secret);
    sot_wipe(secret, sizeof secret - 1);
    for (size_t i = 0; i < sizeof secret - 1; i++)
        assert_int_equal(secret[i], 0);
    assert_int_equal(secret[sizeof secret - 1], 0xA5); /* and no more than asked */
    sot_wipe_and_free(NULL, 0);
}

static void a_message_is_cut_not_overrun(void **state)
{
    (void)state;
    sotto_error error;
    char long_text[600];
    memset(long_text, 'a', sizeof long_text - 1);
    long_text[sizeof long_text - 1] = '\0';
    assert_int_equal(sot_fail(&error, SOTTO_IO, "%s", long_text), SOTTO_IO);
    assert_int_equal(strlen(error.message), SOTTO_MESSAGE_BYTES - 1);
    assert_int_equal(sot_fail(NULL, SOTTO_IO, "nobody listens"), SOTTO_IO);
}

/* Whether the kernel leaves the page at `address` out of core dumps: the flag dd in /proc/self/smaps, proc(5). */
static bool is_undumped(const void *address)
{
    char line[4096];
    bool inside = false, found = false;
    FILE *maps = fopen("/proc/self/smaps", "re");
    if (maps == NULL) skip();
    while (fgets(line, sizeof line, maps) != NULL) {
        unsigned long begin = 0, end = 0;
        if (sscanf(line, "%lx-%lx ", &begin, &end) == 2)
            inside = begin <= (unsigned long)address && (unsigned long)address < end;
        if (inside && strncmp(line, "VmFlags:", 8) == 0)
            found = strstr(line, " dd") != NULL;
    }
    (void)fclose(maps);
    return found;
}

static void large_arrays_are_left_out_of_core_dumps(void **state)
{
    (void)state;
    const size_t bytes = 3 * SOT_UNDUMPED_BYTES;
    char *array = sot_new_array(bytes, 1);
    char *aligned = sot_new_aligned(bytes, 1);
    char *moved = sot_move_array(sot_new_array(8, 1), 8, bytes, 1);
    char *other = malloc(bytes);
    assert_true(is_undumped(array + bytes / 2));
    assert_true(is_undumped(aligned + bytes / 2));
    assert_true(is_undumped(moved + bytes / 2));
    assert_false(is_undumped(other + bytes / 2)); /* so the test can fail */
    free(other);
    sot_free(array);
    sot_free(aligned);
    sot_free(moved);
}

/* Across the size from which arrays are mapped, and over the pages of the next growth. */
static void arrays_that_grow_keep_what_they_hold(void **state)
{
    (void)state;
    static const size_t sizes[] = {3,       100,     1 << 16, (1 << 20) - 64,
                                   1 << 20, 5 << 20, 7 << 20, 40 << 20};
    unsigned char *bytes = NULL;
    size_t held = 0;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        unsigned char *grown = sot_grow_array(bytes, sizes[i]);
        assert_non_null(grown);
        assert_int_equal((uintptr_t)grown % SOT_ALIGNMENT_BYTES, 0);
        for (size_t k = 0; k < held; k += 777)
            assert_int_equal(grown[k], (k + 1) & 255);
        for (size_t k = held; k < sizes[i]; k++)
            assert_int_equal(grown[k], 0);
        for (size_t k = held; k < sizes[i]; k++)
            grown[k] = (unsigned char)((k + 1) & 255);
        held = sizes[i];
        bytes = grown;
    }
    assert_ptr_equal(sot_grow_array(bytes, 5), bytes); /* it never shrinks */
    assert_null(sot_grow_array(bytes, SIZE_MAX - 5));
    assert_null(sot_grow_array(bytes, (size_t)1 << 60));
    (void)sot_test_fail_allocation(1);
    assert_null(sot_grow_array(bytes, 60 << 20));
    (void)sot_test_fail_allocation(0);
    for (size_t k = 0; k < held; k += 777)
        assert_int_equal(bytes[k], (k + 1) & 255);
    sot_free_grown(bytes, held);
    sot_free_grown(NULL, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_nth_allocation_fails_once),
        cmocka_unit_test(an_overflowing_product_is_refused),
        cmocka_unit_test(grown_arrays_are_zeroed),
        cmocka_unit_test(moved_arrays_keep_what_they_hold),
        cmocka_unit_test(arrays_that_grow_keep_what_they_hold),
        cmocka_unit_test(aligned_arrays_begin_at_a_cache_line),
        cmocka_unit_test(a_copied_string_is_its_own),
        cmocka_unit_test(wiped_memory_holds_zeros),
        cmocka_unit_test(a_message_is_cut_not_overrun),
        cmocka_unit_test(large_arrays_are_left_out_of_core_dumps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
