/* tanh, squares and sums in units: the fast operations against exact values, and bit by bit against the
 * portable ones. */
#include "operations_scene.h"

#include <float.h>

#include "models/network/operations/pool.h"

static const sot_operations *operations_at(size_t number)
{
    return number == 0 ? sot_operations_portable() : sot_operations_avx2();
}

/* Units in the last place of a float of the size of `value`. */
static double unit_of(double value)
{
    return fmax(ldexp(1.0, ilogb(value) - 23), 0x1p-149);
}

/* All sizes from the smallest to 16, one bit pattern in 1009, and both signs. */
static void tanh_is_within_two_and_a_half_units_in_the_last_place(void **state)
{
    (void)state;
    enum { SOME = 1001 };
    for (size_t number = 0; number < 2; number++) {
        const sot_operations *operations = operations_at(number);
        if (operations == NULL) continue;
        float in[SOME], out[SOME];
        size_t filled = 0;
        double worst = 0.0;
        for (uint32_t bits = 1; bits < 0x41800000; bits += 1009) { /* 16 */
            memcpy(&in[filled], &bits, sizeof bits);
            if (bits % 2 == 0) in[filled] = -in[filled];
            if (++filled < SOME) continue;
            filled = 0;
            operations->tanh_forward(in, SOME, out);
            for (size_t i = 0; i < SOME; i++) {
                const double exact = tanh((double)in[i]);
                worst = fmax(worst, fabs((double)out[i] - exact) / unit_of(exact));
            }
        }
        assert_within(worst, 0.4, 2.5);
    }
}

static void tanh_is_total(void **state)
{
    (void)state;
    for (size_t number = 0; number < 2; number++) {
        const sot_operations *operations = operations_at(number);
        if (operations == NULL) continue;
        const float in[] = {NAN,     -NAN,     INFINITY, -INFINITY, 0.0F,     -0.0F,
                            FLT_MAX, -FLT_MAX, 9.5F,     -88.0F,    0x1p-149F};
        enum { COUNT = sizeof in / sizeof *in };
        float out[COUNT];
        operations->tanh_forward(in, COUNT, out);
        assert_true(isnan(out[0]) && isnan(out[1]));
        for (size_t i = 2; i < 10; i++)
            assert_true(out[i] == (in[i] == 0.0F ? 0.0F : copysignf(1.0F, in[i])));
        assert_true(!signbit(out[4]) && signbit(out[5]));
        assert_true(out[10] == in[10]);
    }
}

/* At every place of a call of any length, and in place. */
static void an_element_is_the_same_in_any_company(void **state)
{
    (void)state;
    enum { SOME = 67 };
    uint64_t stream = 4;
    for (size_t number = 0; number < 2; number++) {
        const sot_operations *operations = operations_at(number);
        if (operations == NULL) continue;
        for (size_t count = 0; count <= SOME; count++) {
            float *in = scene_floats(&stream, count);
            float *delta = scene_floats(&stream, count);
            float *out = scene_floats(&stream, count);
            for (size_t i = 0; i < count; i++)
                in[i] *= 4.0F;
            operations->tanh_forward(in, count, out);
            operations->tanh_delta(out, delta, count, delta);
            for (size_t i = 0; i < count; i++) {
                float one, twin, slope;
                operations->tanh_forward(&in[i], 1, &one);
                sot_portable_tanh_forward(&in[i], 1, &twin);
                assert_memory_equal(&one, &out[i], sizeof one);
                assert_memory_equal(&twin, &out[i], sizeof one);
                const float by = 1.0F - one * one;
                slope = delta[i] / by;
                assert_within((double)slope, -1.0001, 1.0001);
            }
            operations->tanh_forward(in, count, in);
            assert_memory_equal(in, out, count * sizeof *in);
            free(in), free(delta), free(out);
        }
    }
}

static void slopes_of_tanh_agree_to_rounding_and_bit_by_bit(void **state)
{
    (void)state;
    enum { SOME = 1003 };
    uint64_t stream = 8;
    float *y = scene_floats(&stream, SOME), *delta = scene_floats(&stream, SOME);
    float *out = scene_floats(&stream, SOME), *twin = scene_floats(&stream, SOME);
    sot_portable_tanh_delta(y, delta, SOME, twin);
    sot_operations_fast()->tanh_delta(y, delta, SOME, out);
    for (size_t i = 0; i < SOME; i++) {
        const double exact = (double)delta[i] * (1.0 - (double)y[i] * (double)y[i]);
        assert_relative((double)out[i], exact, 0x1p-22);
        if (sot_operations_avx2() != NULL)
            assert_memory_equal(&out[i], &twin[i], sizeof *out);
    }
    free(y), free(delta), free(out), free(twin);
}

static void squares_are_within_a_forty_bit_of_the_truth(void **state)
{
    (void)state;
    const size_t counts[] = {0, 1, 7, 8, 9, 15, 16, 17, 1000, 32768, 32769, 300001};
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
        uint64_t stream = c;
        float *values = scene_floats(&stream, counts[c]);
        long double exact =
            0.0L; /* 64 bits: squares are exact, 2^19 roundings of 2^-64 */
        for (size_t i = 0; i < counts[c]; i++) {
            values[i] *= i % 3 == 0 ? 1e18F : 1e-3F;
            exact += (long double)values[i] * (long double)values[i];
        }
        const double twin = sot_portable_squares(values, counts[c]);
        for (size_t number = 0; number < 2; number++) {
            const sot_operations *operations = operations_at(number);
            if (operations == NULL) continue;
            const double sum = operations->squares(values, counts[c]);
            assert_relative(sum, (double)exact, 0x1p-40);
            assert_memory_equal(&sum, &twin, sizeof sum);
            for (size_t i = 0; i < counts[c]; i += counts[c] / 5 + 1) {
                const float value = values[i];
                values[i] = INFINITY;
                assert_true(isinf(operations->squares(values, counts[c])));
                values[i] = NAN;
                assert_true(isnan(operations->squares(values, counts[c])));
                values[i] = value;
            }
        }
        free(values);
    }
}

/* Toward zero, so that no record's part grows; and to the nearest, exactly. */
static void units_are_truncated_or_rounded_exactly(void **state)
{
    (void)state;
    for (size_t count = 0; count < 41; count++) {
        uint64_t stream = count;
        float *values = scene_floats(&stream, count);
        int32_t *units = malloc((count + 1) * sizeof *units);
        int64_t *wide = malloc((count + 1) * sizeof *wide);
        assert_non_null(units);
        assert_non_null(wide);
        for (size_t i = 0; count > 4 && i < 4; i++)
            values[count - 1 - i] = (float[]){2.5F, -2.5F, 3.5F, -0.5F}[i] * 0x1p-20F;
        for (size_t number = 0; number < 2; number++) {
            const sot_operations *operations = operations_at(number);
            if (operations == NULL) continue;
            const float scales[] = {0x1p20F, 1048573.25F, 1.0F, 0x1p29F};
            for (size_t s = 0; s < 4; s++) {
                for (size_t i = 0; i < count; i++) {
                    units[i] = (int32_t)(i * 1000);
                    wide[i] = (int64_t)i << 40;
                }
                operations->add_truncated(values, count, scales[s], units);
                const float power = s == 1 ? 0x1p7F : scales[s];
                operations->add_rounded(values, count, power, wide);
                for (size_t i = 0; i < count; i++) {
                    const float product = scales[s] * values[i];
                    assert_int_equal(units[i] - (int32_t)(i * 1000), (int32_t)product);
                    assert_true((double)abs(units[i] - (int32_t)(i * 1000)) <=
                                fabs((double)product));
                    assert_int_equal(wide[i] - ((int64_t)i << 40),
                                     llrint((double)power * (double)values[i]));
                }
            }
        }
        free(values), free(units), free(wide);
    }
}

/* Ties, NaN, channels that fill no register, windows that overlap or leave pixels out. */
static void max_pools_choose_the_first_of_the_largest(void **state)
{
    (void)state;
    const size_t shapes[][3] = {{1, 2, 1}, {7, 2, 2},  {8, 2, 1},
                                {9, 3, 2}, {16, 2, 1}, {21, 1, 3}};
    const size_t ways = sot_gemm_has_avx2() ? 2 : 1;
    for (size_t number = 0; number < ways * (sizeof shapes / sizeof *shapes); number++) {
        const size_t s = number / ways;
        const bool vector = number % ways == 1;
        const size_t channels = shapes[s][0], kernel = shapes[s][1],
                     stride = shapes[s][2];
        const sot_layer layer = {
            .kind = SOT_LAYER_MAX_POOL,
            .in = {7, 6, channels},
            .out = {(7 - kernel) / stride + 1, (6 - kernel) / stride + 1, channels},
            .kernel = kernel,
            .stride = stride};
        const size_t ins = sot_shape_size(layer.in), outs = sot_shape_size(layer.out);
        uint64_t stream = s;
        float *in = scene_floats(&stream, ins), *delta = scene_floats(&stream, outs);
        float *out = scene_floats(&stream, outs), *down = scene_floats(&stream, ins);
        float *expected = calloc(ins, sizeof *expected);
        uint32_t *places = malloc(outs * sizeof *places);
        assert_non_null(expected);
        assert_non_null(places);
        for (size_t i = 0; i < ins; i++)
            in[i] = i % 11 == 0 ? NAN : roundf(in[i] * 2.0F);
        (vector ? sot_avx2_max_pool : sot_portable_max_pool)(&layer, in, out, places);
        for (size_t k = 0; k < outs; k++) {
            const size_t row = k / channels / layer.out.width * stride;
            const size_t column = k / channels % layer.out.width * stride;
            size_t best = (row * 6 + column) * channels + k % channels;
            for (size_t tap = 0; tap < kernel * kernel; tap++) {
                const size_t place =
                    ((row + tap / kernel) * 6 + column + tap % kernel) * channels +
                    k % channels;
                if (in[place] > in[best]) best = place;
            }
            assert_int_equal(places[k], best);
            assert_memory_equal(&out[k], &in[best], sizeof *out);
            expected[best] += delta[k];
        }
        (vector ? sot_avx2_max_pool_delta : sot_portable_max_pool_delta)(&layer, places,
                                                                         delta, down);
        assert_memory_equal(down, expected, ins * sizeof *down);
        free(in), free(delta), free(out), free(down), free(expected), free(places);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tanh_is_within_two_and_a_half_units_in_the_last_place),
        cmocka_unit_test(tanh_is_total),
        cmocka_unit_test(an_element_is_the_same_in_any_company),
        cmocka_unit_test(slopes_of_tanh_agree_to_rounding_and_bit_by_bit),
        cmocka_unit_test(squares_are_within_a_forty_bit_of_the_truth),
        cmocka_unit_test(units_are_truncated_or_rounded_exactly),
        cmocka_unit_test(max_pools_choose_the_first_of_the_largest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
