/* The reference is the derivative; the engine is the reference, to the rounding of floats; norms without
 * forming are norms of what would have been formed. */
#include "models/network/net_support.h"

static double loss_at(const sot_net *net, const double *parameters, const float *input,
                      double label, double *gradient)
{
    double loss;
    sotto_error error;
    assert_ok(
        sot_reference_gradient(net, parameters, input, label, gradient, &loss, &error),
        &error);
    return loss;
}

/* The slope along a random direction, by central differences, to h^2 and rounding. */
static void check_slope(const sot_net *net, uint64_t seed, double tolerance)
{
    const double h = 1e-5;
    float *start = make_parameters(net);
    records one = make_records(net, 1, 1, seed);
    double *direction = sot_new_array(net->parameters, sizeof *direction);
    double *moved = sot_new_array(net->parameters, sizeof *moved);
    double *gradient = sot_new_array(net->parameters, sizeof *gradient);
    double *other = sot_new_array(net->parameters, sizeof *other);
    double losses[2], slope = 0.0, length = 0.0;
    uint64_t stream = seed + 1;
    for (size_t l = 0; l < net->layer_count; l++)
        for (size_t k = 0; k < net->layers[l].parameters; k++)
            direction[net->layers[l].first + k] =
                net->layers[l].frozen ? 0.0 : (double)next_value(&stream);
    for (size_t k = 0; k < net->parameters; k++)
        moved[k] = (double)start[k];
    loss_at(net, moved, one.inputs[0], one.labels[0], gradient);
    for (int side = 0; side < 2; side++) {
        for (size_t k = 0; k < net->parameters; k++)
            moved[k] = (double)start[k] + (side == 0 ? -h : h) * direction[k];
        losses[side] = loss_at(net, moved, one.inputs[0], one.labels[0], other);
    }
    for (size_t k = 0; k < net->parameters; k++) {
        slope += gradient[k] * direction[k];
        length += fabs(gradient[k] * direction[k]);
    }
    assert_within((losses[1] - losses[0]) / (2.0 * h) - slope, -tolerance * length,
                  tolerance * length);
    sot_free(start);
    free_records(&one);
    sot_free(direction);
    sot_free(moved);
    sot_free(gradient);
    sot_free(other);
}

static void reference_is_the_derivative_for_every_layer(void **state)
{
    (void)state;
    for (size_t n = 0; n < SMALL_NETS; n++) {
        sot_net *net = make_small(n);
        for (uint64_t seed = 1; seed <= 8; seed++)
            check_slope(net, seed, 1e-6);
        sot_net_free(net);
    }
}

static sot_net *make_preset(const char *name, sot_shape input)
{
    sotto_error error;
    sot_net *net = NULL;
    const sot_net_task task = {input, 10, SOT_NET_SOFTMAX};
    assert_ok(sot_net_make(name, &task, &net, &error), &error);
    return net;
}

static void reference_is_the_derivative_for_every_preset(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        sot_shape input;
    } presets[] = {{"mlp", {28, 28, 1}},
                   {"cnn", {28, 28, 1}},
                   {"scattering-linear", {28, 28, 1}},
                   {"scattering-cnn", {28, 28, 1}}};
    for (size_t p = 0; p < sizeof presets / sizeof presets[0]; p++) {
        sot_net *net = make_preset(presets[p].name, presets[p].input);
        check_slope(net, p + 1, 1e-6);
        sot_net_free(net);
    }
}

/* |engine - reference| <= 1e-5 |reference|, layer by layer. */
static void compare(const sot_net *net, const float *found, const double *expected)
{
    for (size_t l = 0; l < net->layer_count; l++) {
        const sot_layer *layer = &net->layers[l];
        double away = 0.0, length = 0.0;
        for (size_t k = layer->first; k < layer->first + layer->parameters; k++) {
            away += ((double)found[k] - expected[k]) * ((double)found[k] - expected[k]);
            length += expected[k] * expected[k];
        }
        assert_within(sqrt(away), 0.0, 1e-5 * sqrt(length));
    }
}

static void check_engine(const sot_net *net, size_t count)
{
    float *parameters = make_parameters(net);
    records some = make_records(net, count, 1, 99);
    sot_engine *engine = make_engine(net, &unclipped, 1, NULL);
    for (size_t i = 0; i < count; i++) {
        double loss, expected_loss;
        double *expected =
            reference_of(net, parameters, some.inputs[i], some.labels[i], &expected_loss);
        float *found = plain_of(engine, parameters, &some, i, 1, 1, &loss);
        compare(net, found, expected);
        assert_relative(loss, expected_loss, 1e-5);
        sot_free(expected);
        sot_free(found);
    }
    sot_engine_free(engine);
    free_records(&some);
    sot_free(parameters);
}

static void engine_has_the_reference_gradient(void **state)
{
    (void)state;
    for (size_t n = 0; n < SMALL_NETS; n++) {
        sot_net *net = make_small(n);
        check_engine(net, 9);
        sot_net_free(net);
    }
    sot_net *net = make_preset("cnn", (sot_shape){28, 28, 1});
    check_engine(net, 2);
    sot_net_free(net);
}

/* The shares that the engine clips by, against the gradient that the plain path forms and against the
 * reference: record by record, in a tile of many. */
static void norms_are_those_of_formed_gradients(void **state)
{
    (void)state;
    enum { COUNT = 20 };
    for (size_t n = 0; n < SMALL_NETS; n++) {
        sot_net *net = make_small(n);
        float *parameters = make_parameters(net);
        records some = make_records(net, COUNT, 1, 4);
        const sot_clip clip = clip_to(SOTTO_CLIPPING_FLAT, 0.5);
        sot_engine *clipped = make_engine(net, &clip, 1, NULL);
        sot_engine *plain = make_engine(net, &unclipped, 1, NULL);
        sot_free(units_of(clipped, parameters, &some, 0, COUNT, SOT_TILE_ROWS));
        assert_true(clipped->chunk >= COUNT);
        for (size_t i = 0; i < COUNT; i++) {
            double loss;
            double *exact =
                reference_of(net, parameters, some.inputs[i], some.labels[i], &loss);
            float *formed = plain_of(plain, parameters, &some, i, 1, 1, &loss);
            for (size_t l = 0; l < net->layer_count; l++) {
                const sot_layer *layer = &net->layers[l];
                double by_reference = 0.0, by_forming = 0.0;
                for (size_t k = layer->first; k < layer->first + layer->parameters; k++) {
                    by_reference += exact[k] * exact[k];
                    by_forming += (double)formed[k] * (double)formed[k];
                }
                if (layer->parameters == 0 || layer->frozen) continue;
                const double share = clipped->workers[0].shares[l * clipped->chunk + i];
                assert_relative(sqrt(share), sqrt(by_forming), 1e-5);
                assert_relative(sqrt(share), sqrt(by_reference), 1e-5);
            }
            sot_free(exact);
            sot_free(formed);
        }
        sot_engine_free(clipped);
        sot_engine_free(plain);
        free_records(&some);
        sot_free(parameters);
        sot_net_free(net);
    }
}

static void plain_operations_have_the_same_gradient(void **state)
{
    (void)state;
    enum { COUNT = 30 };
    sotto_error error;
    for (size_t n = 0; n < SMALL_NETS; n++) {
        sot_net *net = make_small(n);
        float *parameters = make_parameters(net);
        records some = make_records(net, COUNT, 1, 12);
        sot_engine *fast = make_engine(net, &unclipped, 1, NULL), *plain = NULL;
        assert_ok(sot_engine_new_with(sot_operations_plain(), net, &unclipped, 1, NULL,
                                      &plain, &error),
                  &error);
        double losses[2];
        float *a = plain_of(fast, parameters, &some, 0, COUNT, 16, &losses[0]);
        float *b = plain_of(plain, parameters, &some, 0, COUNT, 16, &losses[1]);
        double *expected = sot_new_array(net->parameters, sizeof *expected);
        for (size_t k = 0; k < net->parameters; k++)
            expected[k] = (double)b[k];
        compare(net, a, expected);
        assert_relative(losses[0], losses[1], 1e-5);
        sot_free(expected);
        sot_free(a);
        sot_free(b);
        sot_engine_free(fast);
        sot_engine_free(plain);
        free_records(&some);
        sot_free(parameters);
        sot_net_free(net);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reference_is_the_derivative_for_every_layer),
        cmocka_unit_test(reference_is_the_derivative_for_every_preset),
        cmocka_unit_test(engine_has_the_reference_gradient),
        cmocka_unit_test(norms_are_those_of_formed_gradients),
        cmocka_unit_test(plain_operations_have_the_same_gradient),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
