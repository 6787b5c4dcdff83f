/* From released sums to weights, against plain loops; copies of images. */
#include "support.h"

#include "base/memory.h"
#include "models/network/learn/parts.h"

enum { FROZEN = 3, FREE = 4, BEHIND = 2, ALL = FROZEN + FREE + BEHIND };

/* Three layers: free, frozen, free. */
static sot_net net_of_three(void)
{
    sot_net net = {.layer_count = 3, .parameters = ALL, .trainable = FREE + BEHIND};
    net.layers[0] = (sot_layer){.kind = SOT_LAYER_DENSE, .first = 0, .parameters = FREE};
    net.layers[1] = (sot_layer){
        .kind = SOT_LAYER_DENSE, .first = FREE, .parameters = FROZEN, .frozen = true};
    net.layers[2] = (sot_layer){
        .kind = SOT_LAYER_DENSE, .first = FREE + FROZEN, .parameters = BEHIND};
    return net;
}

/* Place among all parameters of trainable number i. */
static size_t place(size_t i)
{
    return i < FREE ? i : i + FROZEN;
}

static double size_of(sotto_schedule schedule, double rate, double t, double steps)
{
    return schedule == SOTTO_SCHEDULE_ROOT     ? rate / sqrt(t)
           : schedule == SOTTO_SCHEDULE_LINEAR ? rate * (1.0 - (t - 1.0) / steps)
           : schedule == SOTTO_SCHEDULE_COSINE
               ? rate * (1.0 + cos(3.14159265358979324 * (t - 1.0) / steps)) / 2.0
               : rate;
}

/* The same settings in double, one line a rule. */
static void follow(const sot_nn_moves *moves)
{
    enum { STEPS = 12 };
    sotto_error error;
    const sot_net net = net_of_three();
    float first[ALL], gradient[FREE + BEHIND], result[ALL];
    double w[FREE + BEHIND], start[FREE + BEHIND],
        v[FREE + BEHIND] = {0}, s[FREE + BEHIND] = {0}, average[FREE + BEHIND];
    for (size_t i = 0; i < ALL; i++)
        first[i] = (float)sin(1.0 + (double)i);
    for (size_t i = 0; i < FREE + BEHIND; i++)
        w[i] = start[i] = average[i] = (double)first[place(i)];
    sot_nn_state state;
    assert_ok(sot_nn_state_begin(&net, moves, first, &state, &error), &error);
    for (int step = 1; step <= STEPS; step++) {
        const double t = step;
        const double h = size_of(moves->schedule, moves->rate, t, STEPS);
        double squares = 0.0;
        for (size_t i = 0; i < FREE + BEHIND; i++) {
            const double g = cos(t * (double)(i + 2));
            gradient[i] = (float)g;
            if (moves->optimizer == SOTTO_OPTIMIZER_ADAM) {
                v[i] = moves->momentum * v[i] + (1.0 - moves->momentum) * g;
                s[i] = 0.999 * s[i] + 0.001 * g * g;
                w[i] -= h * moves->decay * w[i] +
                        h * (v[i] / (1.0 - pow(moves->momentum, t))) /
                            (sqrt(s[i] / (1.0 - pow(0.999, t))) + 1e-8);
            } else {
                v[i] = moves->momentum * v[i] + g;
                w[i] -= h * moves->decay * w[i] + h * v[i];
            }
            squares += (w[i] - start[i]) * (w[i] - start[i]);
        }
        const double far = sqrt(squares);
        const double keep = fmin(moves->average, (1.0 + t) / (10.0 + t));
        for (size_t i = 0; i < FREE + BEHIND; i++) {
            if (moves->radius > 0.0 && far > moves->radius)
                w[i] = start[i] + (w[i] - start[i]) * moves->radius / far;
            average[i] = keep * average[i] + (1.0 - keep) * w[i];
        }
        sot_nn_move(&net, moves, gradient, &state);
    }
    assert_int_equal(state.step, STEPS);
    sot_nn_result(&net, &state, result);
    for (size_t i = 0; i < FREE + BEHIND; i++) {
        const double expected = moves->average > 0.0 ? average[i] : w[i];
        assert_within((double)result[place(i)], expected - 2e-5, expected + 2e-5);
    }
    for (size_t i = FREE; i < FREE + FROZEN; i++)
        assert_true(result[i] == first[i]);
    sot_nn_state_free(&state);
}

static void optimisers_are_those_of_the_papers(void **state)
{
    (void)state;
    const sot_nn_moves moves[] = {
        {SOTTO_OPTIMIZER_SGD, SOTTO_SCHEDULE_CONSTANT, 0.05, 0.0, 0.0, 0.0, 0.0, 12},
        {SOTTO_OPTIMIZER_SGD, SOTTO_SCHEDULE_LINEAR, 0.05, 0.9, 0.999, 0.0, 0.0, 12},
        {SOTTO_OPTIMIZER_SGD, SOTTO_SCHEDULE_ROOT, 0.05, 0.5, 0.25, 0.125, 0.0, 12},
        {SOTTO_OPTIMIZER_SGD, SOTTO_SCHEDULE_COSINE, 0.2, 0.9, 0.0, 0.0, 0.125, 12},
        {SOTTO_OPTIMIZER_ADAM, SOTTO_SCHEDULE_CONSTANT, 0.01, 0.9, 0.9, 0.0, 0.0, 12},
        {SOTTO_OPTIMIZER_ADAM, SOTTO_SCHEDULE_COSINE, 0.01, 0.75, 0.0, 0.5, 0.0625, 12},
    };
    for (size_t i = 0; i < sizeof moves / sizeof moves[0]; i++)
        follow(&moves[i]);
}

static void weights_stay_finite(void **state)
{
    (void)state;
    sotto_error error;
    const sot_net net = net_of_three();
    const sot_nn_moves moves = {.rate = 1e6, .momentum = 0.9, .steps = 9};
    float first[ALL] = {0}, gradient[FREE + BEHIND];
    sot_nn_state walk;
    assert_ok(sot_nn_state_begin(&net, &moves, first, &walk, &error), &error);
    for (int step = 0; step < 9; step++) {
        for (size_t i = 0; i < FREE + BEHIND; i++)
            gradient[i] = i % 2 == 0 ? 2e18f : -2e18f;
        sot_nn_move(&net, &moves, gradient, &walk);
        for (size_t i = 0; i < ALL; i++)
            assert_within(fabs((double)walk.weights[i]), 0.0, 0x1p20);
    }
    sot_nn_state_free(&walk);
}

static void want_of_memory_is_refused(void **state)
{
    (void)state;
    sotto_error error;
    const sot_net net = net_of_three();
    const sot_nn_moves moves = {.optimizer = SOTTO_OPTIMIZER_ADAM,
                                .rate = 0.1,
                                .average = 0.5,
                                .radius = 1.0,
                                .steps = 9};
    const float first[ALL] = {0};
    for (size_t nth = 1; nth <= 5; nth++) {
        sot_nn_state walk;
        (void)sot_test_fail_allocation(nth);
        assert_int_equal(sot_nn_state_begin(&net, &moves, first, &walk, &error),
                         SOTTO_OUT_OF_MEMORY);
        sot_nn_state_free(&walk);
    }
    (void)sot_test_fail_allocation(0);
}

/* ---- copies ---- */

static void copies_are_moved_and_mirrored_images(void **state)
{
    (void)state;
    enum { HEIGHT = 16, WIDTH = 24, PLANES = 2, SIZE = HEIGHT * WIDTH * PLANES };
    const sot_shape shape = {HEIGHT, WIDTH, PLANES};
    float image[SIZE], copy[SIZE];
    bool met[5][7][2] = {{{false}}};
    for (size_t i = 0; i < SIZE; i++)
        image[i] = (float)i;
    for (uint64_t coin = 0; coin < 5 * 7 * 2; coin++) {
        sot_augment(shape, image, coin, copy);
        /* The pixel in the middle says which copy it is. */
        const size_t at = (size_t)copy[8 * WIDTH + 12];
        const size_t row = at / WIDTH, column = at % WIDTH;
        const bool flipped = copy[8 * WIDTH + 13] < copy[8 * WIDTH + 12];
        assert_in_range(row, 6, 10);
        const size_t across = flipped ? 11 : 12;
        assert_in_range(column, across - 3, across + 3);
        met[row - 6][column - (across - 3)][flipped] = true;
        for (size_t i = 0; i < SIZE; i++) { /* every pixel is one of the same plane */
            assert_in_range((size_t)copy[i], 0, SIZE - 1);
            assert_int_equal((size_t)copy[i] / (HEIGHT * WIDTH), i / (HEIGHT * WIDTH));
        }
    }
    for (size_t i = 0; i < 5 * 7 * 2; i++)
        assert_true(met[i / 14][i / 2 % 7][i % 2]);
    /* Moved by two rows down and three columns, the border mirrored without its edge. */
    sot_augment(shape, image, 0, copy);
    assert_true(copy[0] == image[2 * WIDTH + 3]);
    assert_true(copy[WIDTH] == image[WIDTH + 3]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(optimisers_are_those_of_the_papers),
        cmocka_unit_test(weights_stay_finite),
        cmocka_unit_test(want_of_memory_is_refused),
        cmocka_unit_test(copies_are_moved_and_mirrored_images),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
