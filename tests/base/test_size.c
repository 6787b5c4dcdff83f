#include "support.h"

#include "base/size.h"

static const size_t untouched = 4711;

static void sums_that_fit_are_exact_and_others_refused(void **state)
{
    (void)state;
    size_t out = untouched;
    assert_true(sot_size_add(SIZE_MAX - 7, 7, &out));
    assert_true(out == SIZE_MAX);
    out = untouched;
    assert_false(sot_size_add(SIZE_MAX - 7, 8, &out));
    assert_false(sot_size_add(SIZE_MAX, SIZE_MAX, &out));
    assert_true(out == untouched);
}

static void products_that_fit_are_exact_and_others_refused(void **state)
{
    (void)state;
    size_t out = untouched;
    assert_true(sot_size_mul(0, SIZE_MAX, &out));
    assert_true(out == 0);
    assert_true(sot_size_mul(SIZE_MAX, 0, &out));
    assert_true(out == 0);
    assert_true(sot_size_mul(SIZE_MAX / 3, 3, &out));
    assert_true(out == SIZE_MAX); /* 2^64 - 1 is a multiple of 3 */
    out = untouched;
    assert_false(sot_size_mul(SIZE_MAX / 3 + 1, 3, &out));
    assert_false(sot_size_mul((size_t)1 << 32, (size_t)1 << 32, &out));
    assert_true(out == untouched);
}

static void alignment_rounds_up_and_never_wraps(void **state)
{
    (void)state;
    size_t out = untouched;
    assert_true(sot_size_align(0, 64, &out));
    assert_true(out == 0);
    assert_true(sot_size_align(65, 64, &out));
    assert_true(out == 128);
    assert_true(sot_size_align(128, 64, &out));
    assert_true(out == 128);
    assert_true(sot_size_align(77, 1, &out));
    assert_true(out == 77);
    assert_true(sot_size_align(SIZE_MAX - 63, 64, &out));
    assert_true(out == SIZE_MAX - 63);
    out = untouched;
    assert_false(sot_size_align(SIZE_MAX - 62, 64, &out));
    assert_true(out == untouched);
}

static void blocks_cover_the_items_exactly_once(void **state)
{
    (void)state;
    assert_int_equal(sot_size_blocks(0, 7), 0);
    assert_int_equal(sot_size_blocks(14, 7), 2);
    assert_int_equal(sot_size_blocks(15, 7), 3);
    assert_true(sot_size_blocks(SIZE_MAX, 1) == SIZE_MAX);
    assert_true(sot_size_blocks(SIZE_MAX, 2) == SIZE_MAX / 2 + 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_that_fit_are_exact_and_others_refused),
        cmocka_unit_test(products_that_fit_are_exact_and_others_refused),
        cmocka_unit_test(alignment_rounds_up_and_never_wraps),
        cmocka_unit_test(blocks_cover_the_items_exactly_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
