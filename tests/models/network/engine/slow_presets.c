/* The large presets: the reference is the derivative, the engine is the reference, record by record and in
 * tiles, with and without copies. */
#include "models/network/net_support.h"

static const struct {
    const char *name;
    sot_shape input;
} presets[] = {{"mlp", {32, 32, 3}},
               {"cnn", {32, 32, 3}},
               {"cnn", {28, 28, 1}},
               {"scattering-linear", {32, 32, 3}},
               {"scattering-cnn", {28, 28, 1}},
               {"scattering-cnn", {32, 32, 3}}};
enum { PRESETS = sizeof presets / sizeof presets[0] };

static sot_net *make_preset(size_t which)
{
    sotto_error error;
    sot_net *net = NULL;
    const sot_net_task task = {presets[which].input, 10, SOT_NET_SOFTMAX};
    assert_ok(sot_net_make(presets[which].name, &task, &net, &error), &error);
    return net;
}

static double norm_of(const double *gradient, size_t count)
{
    double squares = 0.0;
    for (size_t k = 0; k < count; k++)
        squares += gradient[k] * gradient[k];
    return sqrt(squares);
}

/* Central differences along the gradient itself: its slope there is its norm. */
static void references_are_derivatives(void **state)
{
    (void)state;
    sotto_error error;
    const double h = 1e-5;
    for (size_t p = 0; p < PRESETS; p++) {
        sot_net *net = make_preset(p);
        float *parameters = make_parameters(net);
        records one = make_records(net, 1, 1, 3);
        double loss, losses[2];
        double *gradient =
            reference_of(net, parameters, one.inputs[0], one.labels[0], &loss);
        double *moved = sot_new_array(net->parameters, sizeof *moved);
        double *other = sot_new_array(net->parameters, sizeof *other);
        const double length = norm_of(gradient, net->parameters);
        for (int side = 0; side < 2; side++) {
            for (size_t k = 0; k < net->parameters; k++)
                moved[k] =
                    (double)parameters[k] + (side == 0 ? -h : h) * gradient[k] / length;
            assert_ok(sot_reference_gradient(net, moved, one.inputs[0], one.labels[0],
                                             other, &losses[side], &error),
                      &error);
        }
        assert_relative((losses[1] - losses[0]) / (2.0 * h), length, 1e-6);
        sot_free(gradient);
        sot_free(moved);
        sot_free(other);
        free_records(&one);
        sot_free(parameters);
        sot_net_free(net);
    }
}

/* The sum over a tile, clipped, against the reference's: 1e-4 of C a record in the L2 norm, most of which is
 * the grid's. */
static void clipped_sums_are_those_of_the_reference(void **state)
{
    (void)state;
    enum { COUNT = 3 };
    for (size_t p = 0; p < PRESETS; p++) {
        for (size_t copies = 1; copies <= 2; copies++) {
            sot_net *net = make_preset(p);
            const sot_clip clip = clip_to(SOTTO_CLIPPING_FLAT, 0.1);
            float *parameters = make_parameters(net);
            records some = make_records(net, COUNT, copies, 11);
            sot_engine *engine = make_engine(net, &clip, copies, NULL);
            double *sum = sot_new_array(net->parameters, sizeof *sum);
            double *mean = sot_new_array(net->parameters, sizeof *mean);
            for (size_t i = 0; i < COUNT; i++) {
                double loss;
                memset(mean, 0, net->parameters * sizeof *mean);
                for (size_t c = 0; c < copies; c++) {
                    double *one =
                        reference_of(net, parameters, some.inputs[i * copies + c],
                                     some.labels[i], &loss);
                    for (size_t k = 0; k < net->parameters; k++)
                        mean[k] += one[k] / (double)copies;
                    sot_free(one);
                }
                const double factor =
                    fmin(1.0, clip.bound / norm_of(mean, net->parameters));
                for (size_t k = 0; k < net->parameters; k++)
                    sum[k] += factor * mean[k];
            }
            int64_t *units = units_of(engine, parameters, &some, 0, COUNT, SOT_TILE_ROWS);
            for (size_t k = 0; k < net->parameters; k++)
                sum[k] -= (double)units[k] * clip.spacing;
            assert_within(norm_of(sum, net->parameters), 0.0, 1e-4 * clip.bound * COUNT);
            sot_free(units);
            sot_free(sum);
            sot_free(mean);
            sot_engine_free(engine);
            free_records(&some);
            sot_free(parameters);
            sot_net_free(net);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(references_are_derivatives),
        cmocka_unit_test(clipped_sums_are_those_of_the_reference),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
