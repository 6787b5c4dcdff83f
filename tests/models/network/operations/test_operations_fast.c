/* The fast operations against plain loops of doubles, against the portable ones bit by bit, and each row against
 * itself in other company. */
#include "operations_scene.h"

#include "base/memory.h"

/* All that there are on this processor. */
static size_t all_operations(const sot_operations *out[3])
{
    size_t count = 0;
    out[count++] = sot_operations_portable();
    if (sot_operations_avx2() != NULL) out[count++] = sot_operations_avx2();
    return count;
}

static const size_t dense_shapes[][3] = {/* inputs, units, records */
                                         {1, 1, 1},     {1, 13, 3},    {7, 2, 2},
                                         {8, 3, 5},     {9, 4, 4},     {16, 5, 7},
                                         {17, 10, 13},  {33, 12, 6},   {100, 13, 1},
                                         {63, 16, 9},   {64, 17, 12},  {31, 31, 8},
                                         {512, 32, 25}, {513, 10, 11}, {784, 10, 5},
                                         {1030, 10, 3}, {784, 37, 9},  {1000, 6, 2},
                                         {130, 48, 3},  {11, 129, 31}, {3, 10, 300},
                                         {5, 14, 260}};
enum { DENSE_SHAPES = sizeof dense_shapes / sizeof *dense_shapes };

static const size_t conv_shapes[][6] = {/* size, in, out, kernel, stride, padding */
                                        {1, 1, 1, 1, 1, 0},   {5, 1, 3, 2, 1, 0},
                                        {28, 1, 16, 8, 2, 2}, {12, 16, 32, 4, 2, 0},
                                        {8, 27, 14, 3, 1, 1}, {4, 64, 64, 3, 1, 1},
                                        {7, 81, 16, 3, 2, 1}, {4, 16, 32, 3, 1, 1},
                                        {16, 3, 32, 3, 1, 1}, {6, 5, 7, 3, 3, 1},
                                        {6, 17, 19, 2, 3, 0}, {5, 2, 6, 3, 1, 2},
                                        {5, 9, 5, 5, 1, 0},   {4, 3, 4, 3, 1, 4},
                                        {9, 40, 33, 3, 1, 1}, {17, 2, 2, 3, 1, 1},
                                        {5, 130, 3, 3, 2, 2}, {3, 500, 2, 1, 1, 0}};
enum { CONV_SHAPES = sizeof conv_shapes / sizeof *conv_shapes };

/* ---- dense ---- */

typedef struct dense_scene {
    sot_layer layer;
    size_t inputs, units, count;
    float *parameters, *in, *delta;
    const float **rows;
    sot_packed packed;
    float *scores, *down, *gradient; /* what comes out */
} dense_scene;

static void open_dense(const size_t shape[3], dense_scene *scene)
{
    uint64_t stream = shape[0] * 1000003 + shape[1] * 1009 + shape[2];
    *scene = (dense_scene){.layer = scene_dense(shape[0], shape[1]),
                           .inputs = shape[0],
                           .units = shape[1],
                           .count = shape[2]};
    scene->parameters = scene_floats(&stream, scene->layer.parameters);
    scene->in = scene_floats(&stream, scene->count * scene->inputs);
    scene->delta = scene_floats(&stream, scene->count * scene->units);
    scene->scores = scene_floats(&stream, scene->count * scene->units);
    scene->down = scene_floats(&stream, scene->count * scene->inputs);
    scene->gradient = scene_floats(&stream, scene->layer.parameters);
    scene->rows = malloc(scene->count * sizeof *scene->rows);
    assert_non_null(scene->rows);
    for (size_t i = 0; i < scene->count; i++)
        scene->rows[i] = scene->in + i * scene->inputs;
}

static void close_dense(dense_scene *scene)
{
    free(scene->parameters), free(scene->in), free(scene->delta);
    free(scene->scores), free(scene->down), free(scene->gradient);
    free((void *)scene->rows);
    sot_packed_free(&scene->packed);
}

static void run_dense(const sot_operations *operations, dense_scene *scene)
{
    sotto_error error = {0};
    sot_packed_free(&scene->packed);
    assert_ok(
        operations->pack(&scene->layer, scene->parameters, true, &scene->packed, &error),
        &error);
    const float *bias = scene->parameters + scene->layer.weights;
    operations->dense_forward(&scene->layer, &scene->packed, bias, scene->rows,
                              scene->count, scene->scores);
    operations->dense_delta(&scene->layer, &scene->packed, scene->delta, scene->count,
                            scene->down);
    operations->dense_gradient(&scene->layer, scene->delta, scene->rows, scene->count,
                               false, scene->gradient);
}

static void dense_layers_are_what_their_sums_say(void **state)
{
    (void)state;
    const sot_operations *all[3];
    const size_t count = all_operations(all);
    for (size_t s = 0; s < DENSE_SHAPES * count; s++) {
        dense_scene scene;
        open_dense(dense_shapes[s / count], &scene);
        run_dense(all[s % count], &scene);
        const size_t inputs = scene.inputs, units = scene.units;
        for (size_t i = 0; i < scene.count; i++) {
            for (size_t j = 0; j < units; j++) {
                scene_sum sum = {0};
                scene_add(&sum, 1.0, (double)scene.parameters[scene.layer.weights + j]);
                for (size_t k = 0; k < inputs; k++)
                    scene_add(&sum, (double)scene.rows[i][k],
                              (double)scene.parameters[j * inputs + k]);
                scene_close(scene.scores[i * units + j], &sum);
            }
            for (size_t k = 0; k < inputs; k++) {
                scene_sum sum = {0};
                for (size_t j = 0; j < units; j++)
                    scene_add(&sum, (double)scene.delta[i * units + j],
                              (double)scene.parameters[j * inputs + k]);
                scene_close(scene.down[i * inputs + k], &sum);
            }
        }
        close_dense(&scene);
    }
}

/* The order that the bound on a tile's rounding counts on: records one after another, each product fused
 * with its addition. */
static void dense_gradients_add_records_in_their_order(void **state)
{
    (void)state;
    const sot_operations *all[3];
    const size_t count = all_operations(all);
    for (size_t s = 0; s < DENSE_SHAPES * count; s++) {
        dense_scene scene;
        open_dense(dense_shapes[s / count], &scene);
        run_dense(all[s % count], &scene);
        const size_t inputs = scene.inputs, units = scene.units;
        for (int twice = 0; twice < 2; twice++) {
            if (twice > 0)
                all[s % count]->dense_gradient(&scene.layer, scene.delta, scene.rows,
                                               scene.count, true, scene.gradient);
            for (size_t j = 0; j < units; j++) {
                for (size_t k = 0; k <= inputs; k++) {
                    float sum = 0.0F;
                    for (size_t i = 0; i < scene.count * (twice > 0 ? 2 : 1); i++) {
                        const size_t record = i % scene.count;
                        sum = fmaf(scene.delta[record * units + j],
                                   k < inputs ? scene.rows[record][k] : 1.0F, sum);
                    }
                    const size_t place = k < inputs ? j * inputs + k : units * inputs + j;
                    assert_memory_equal(&scene.gradient[place], &sum, sizeof sum);
                }
            }
        }
        close_dense(&scene);
    }
}

static void a_row_is_the_same_in_any_company(void **state)
{
    (void)state;
    const sot_operations *all[3];
    const size_t count = all_operations(all);
    for (size_t s = 0; s < DENSE_SHAPES * count; s++) {
        const sot_operations *operations = all[s % count];
        dense_scene scene;
        open_dense(dense_shapes[s / count], &scene);
        run_dense(operations, &scene);
        const float *bias = scene.parameters + scene.layer.weights;
        uint64_t stream = 9;
        float *scores = scene_floats(&stream, scene.count * scene.units);
        float *down = scene_floats(&stream, scene.count * scene.inputs);
        const size_t row = scene.units * sizeof *scores;
        const size_t input = scene.inputs * sizeof *down;
        for (size_t some = 1; some <= scene.count && some <= 14; some++) {
            const size_t first = scene_bits(&stream) % (scene.count - some + 1);
            operations->dense_forward(&scene.layer, &scene.packed, bias,
                                      scene.rows + first, some, scores);
            assert_memory_equal(scores, scene.scores + first * scene.units, some * row);
            operations->dense_delta(&scene.layer, &scene.packed,
                                    scene.delta + first * scene.units, some, down);
            assert_memory_equal(down, scene.down + first * scene.inputs, some * input);
        }
        free(scores), free(down);
        close_dense(&scene);
    }
}

/* What a row holds, NaN and infinities included, does not reach the others. */
static void a_bad_row_leaves_the_others_alone(void **state)
{
    (void)state;
    const sot_operations *operations = sot_operations_fast();
    for (size_t s = 0; s < DENSE_SHAPES; s++) {
        dense_scene scene;
        open_dense(dense_shapes[s], &scene);
        run_dense(operations, &scene);
        const size_t bad = scene.count / 2, units = scene.units;
        float *before = malloc(scene.count * units * sizeof *before);
        assert_non_null(before);
        memcpy(before, scene.scores, scene.count * units * sizeof *before);
        for (size_t k = 0; k < scene.inputs; k++)
            scene.in[bad * scene.inputs + k] = k % 2 == 0 ? NAN : INFINITY;
        run_dense(operations, &scene);
        for (size_t i = 0; i < scene.count; i++) {
            if (i == bad)
                assert_true(isnan(scene.scores[i * units]));
            else
                assert_memory_equal(scene.scores + i * units, before + i * units,
                                    units * sizeof *before);
        }
        free(before);
        close_dense(&scene);
    }
}

static void processors_agree_bit_by_bit_on_dense_layers(void **state)
{
    (void)state;
    const sot_operations *all[3];
    const size_t count = all_operations(all);
    for (size_t s = 0; s < DENSE_SHAPES; s++) {
        dense_scene plain, fast;
        open_dense(dense_shapes[s], &plain);
        open_dense(dense_shapes[s], &fast);
        run_dense(all[0], &plain);
        for (size_t o = 1; o < count; o++) {
            run_dense(all[o], &fast);
            assert_memory_equal(fast.scores, plain.scores,
                                plain.count * plain.units * sizeof *plain.scores);
            assert_memory_equal(fast.down, plain.down,
                                plain.count * plain.inputs * sizeof *plain.down);
            assert_memory_equal(fast.gradient, plain.gradient,
                                plain.layer.parameters * sizeof *plain.gradient);
        }
        close_dense(&plain);
        close_dense(&fast);
    }
}

/* ---- conv ---- */

typedef struct conv_scene {
    sot_layer layer;
    float *parameters, *in, *delta, *scratch;
    sot_packed packed;
    float *out, *down, *gradient;
    scene_sum *sums; /* as they should be */
    int wanted;      /* 0: out, 1: down, 2: gradient */
} conv_scene;

static void open_conv(const size_t shape[6], conv_scene *scene)
{
    uint64_t stream = shape[0] * 1000003 + shape[1] * 1009 + shape[3];
    *scene = (conv_scene){
        .layer = scene_conv(shape[0], shape[1], shape[2], shape[3], shape[4], shape[5])};
    const size_t in = sot_shape_size(scene->layer.in);
    const size_t out = sot_shape_size(scene->layer.out);
    scene->parameters = scene_floats(&stream, scene->layer.parameters);
    scene->in = scene_floats(&stream, in);
    scene->delta = scene_floats(&stream, out);
    scene->out = scene_floats(&stream, out);
    scene->down = scene_floats(&stream, in);
    scene->gradient = scene_floats(&stream, scene->layer.parameters);
    scene->sums = calloc(in + out + scene->layer.parameters, sizeof *scene->sums);
    assert_non_null(scene->sums);
}

static void close_conv(conv_scene *scene)
{
    free(scene->parameters), free(scene->in), free(scene->delta);
    free(scene->out), free(scene->down), free(scene->gradient), free(scene->sums);
    sot_packed_free(&scene->packed);
}

static void run_conv(const sot_operations *operations, conv_scene *scene)
{
    sotto_error error = {0};
    uint64_t stream = 5;
    const sot_layer *layer = &scene->layer;
    float *scratch = scene_floats(&stream, operations->conv_scratch(layer));
    sot_packed_free(&scene->packed);
    assert_ok(operations->pack(layer, scene->parameters, true, &scene->packed, &error),
              &error);
    operations->conv_forward(layer, &scene->packed, scene->parameters + layer->weights,
                             scene->in, scene->out, scratch);
    operations->conv_delta(layer, &scene->packed, scene->delta, scene->down, scratch);
    operations->conv_gradient(layer, scene->delta, scene->in, scene->gradient, scratch);
    free(scratch);
}

static void add_product(void *state, size_t out, size_t in, size_t weight)
{
    conv_scene *scene = state;
    const double x = (double)scene->in[in], w = (double)scene->parameters[weight];
    const double d = (double)scene->delta[out];
    scene_sum *downs = scene->sums + sot_shape_size(scene->layer.out);
    scene_add(&scene->sums[out], x, w);
    scene_add(&downs[in], d, w);
    scene_add(&(downs + sot_shape_size(scene->layer.in))[weight], d, x);
}

static void convolutions_are_what_their_sums_say(void **state)
{
    (void)state;
    const sot_operations *all[3];
    const size_t count = all_operations(all);
    for (size_t s = 0; s < CONV_SHAPES; s++) {
        conv_scene scene;
        open_conv(conv_shapes[s], &scene);
        const size_t in = sot_shape_size(scene.layer.in);
        const size_t out = sot_shape_size(scene.layer.out);
        const size_t units = scene.layer.out.channels;
        for (size_t i = 0; i < out; i++) {
            scene_add(&scene.sums[i], 1.0,
                      (double)scene.parameters[scene.layer.weights + i % units]);
            scene_add(&scene.sums[in + out + scene.layer.weights + i % units], 1.0,
                      (double)scene.delta[i]);
        }
        scene_conv_products(&scene.layer, add_product, &scene);
        for (size_t o = 0; o < count; o++) {
            run_conv(all[o], &scene);
            for (size_t i = 0; i < out; i++)
                scene_close(scene.out[i], &scene.sums[i]);
            for (size_t i = 0; i < in; i++)
                scene_close(scene.down[i], &scene.sums[out + i]);
            for (size_t i = 0; i < scene.layer.parameters; i++)
                scene_close(scene.gradient[i], &scene.sums[out + in + i]);
        }
        close_conv(&scene);
    }
}

static void processors_agree_bit_by_bit_on_convolutions(void **state)
{
    (void)state;
    const sot_operations *all[3];
    const size_t count = all_operations(all);
    for (size_t s = 0; s < CONV_SHAPES; s++) {
        conv_scene plain, fast;
        open_conv(conv_shapes[s], &plain);
        open_conv(conv_shapes[s], &fast);
        run_conv(all[0], &plain);
        for (size_t o = 1; o < count; o++) {
            run_conv(all[o], &fast);
            assert_memory_equal(fast.out, plain.out,
                                sot_shape_size(plain.layer.out) * sizeof *plain.out);
            assert_memory_equal(fast.down, plain.down,
                                sot_shape_size(plain.layer.in) * sizeof *plain.down);
            assert_memory_equal(fast.gradient, plain.gradient,
                                plain.layer.parameters * sizeof *plain.gradient);
        }
        close_conv(&plain);
        close_conv(&fast);
    }
}

/* ---- packing ---- */

static void packing_without_memory_is_refused_and_leaves_nothing(void **state)
{
    (void)state;
    const sot_operations *all[3];
    const size_t count = all_operations(all);
    for (size_t s = 0; s < DENSE_SHAPES * count; s++) {
        dense_scene scene;
        open_dense(dense_shapes[s / count], &scene);
        sotto_error error = {0};
        for (size_t nth = 1; nth <= 2; nth++) {
            (void)sot_test_fail_allocation(nth);
            assert_refused(all[s % count]->pack(&scene.layer, scene.parameters, true,
                                                &scene.packed, &error),
                           SOTTO_OUT_OF_MEMORY, &error, "memory", NULL);
            (void)sot_test_fail_allocation(0);
            sot_packed_free(&scene.packed);
        }
        close_dense(&scene);
    }
}

static void packing_again_needs_no_memory(void **state)
{
    (void)state;
    const sot_operations *operations = sot_operations_fast();
    dense_scene scene;
    open_dense(dense_shapes[DENSE_SHAPES - 1], &scene);
    run_dense(operations, &scene);
    sotto_error error = {0};
    (void)sot_test_fail_allocation(1);
    assert_ok(
        operations->pack(&scene.layer, scene.parameters, true, &scene.packed, &error),
        &error);
    assert_int_equal(sot_test_fail_allocation(0), 0);
    close_dense(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dense_layers_are_what_their_sums_say),
        cmocka_unit_test(dense_gradients_add_records_in_their_order),
        cmocka_unit_test(a_row_is_the_same_in_any_company),
        cmocka_unit_test(a_bad_row_leaves_the_others_alone),
        cmocka_unit_test(processors_agree_bit_by_bit_on_dense_layers),
        cmocka_unit_test(convolutions_are_what_their_sums_say),
        cmocka_unit_test(processors_agree_bit_by_bit_on_convolutions),
        cmocka_unit_test(packing_without_memory_is_refused_and_leaves_nothing),
        cmocka_unit_test(packing_again_needs_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
