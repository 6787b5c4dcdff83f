/* Sums of clipped gradients: every record's part is bounded, nobody else's is touched, and neither threads
 * nor the order of tiles are seen. */
#include "models/network/net_support.h"

/* ---- the part of one record ---- */

/* Alone in its tile a record's units are its part, but for the rounding of dense sums, half a unit a
 * coordinate. Inputs of all sizes, up to where floats end, and tiny ones, whose gradient is all bias. */
static void no_record_adds_more_than_the_bound(void **state)
{
    (void)state;
    static const float sizes[] = {1e-30F, 1e-6F, 0.01F, 1.0F, 100.0F, 1e9F, 1e30F};
    enum { COUNT = 12 };
    for (size_t n = 0; n < SMALL_NETS; n++) {
        for (size_t r = 0; r < RULES; r++) {
            const sot_clip clip = clip_to(rules[r], 0.04375 * (double)(n + 1));
            setting made = set_up(n, &clip, COUNT, 1, NULL);
            const double most =
                clip.bound / clip.spacing + 0.5 * sqrt(dense_parameters(made.net));
            bool reached = false;
            for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
                for (size_t k = 0; k < COUNT * made.some.size; k++)
                    made.some.values[k] *= sizes[s];
                for (size_t i = 0; i < COUNT; i++) {
                    int64_t *units =
                        units_of(made.engine, made.parameters, &made.some, i, 1, 1);
                    const double length = distance(made.net, units, NULL);
                    assert_within(length, 0.0, most);
                    reached = reached || length > 0.9 * clip.bound / clip.spacing;
                    sot_free(units);
                }
                for (size_t k = 0; k < COUNT * made.some.size; k++)
                    made.some.values[k] /= sizes[s];
            }
            assert_true(reached || clip.rule == SOTTO_CLIPPING_PER_LAYER);
            tear_down(&made);
        }
    }
}

/* The units of a record are its reference gradient, cut to the bound. */
static void records_are_cut_and_not_turned(void **state)
{
    (void)state;
    for (size_t n = 0; n < SMALL_NETS; n++) {
        const sot_clip clip = clip_to(SOTTO_CLIPPING_FLAT, 0.3);
        setting made = set_up(n, &clip, 4, 1, NULL);
        for (size_t i = 0; i < 4; i++) {
            double loss, length = 0.0, away = 0.0;
            double *exact = reference_of(made.net, made.parameters, made.some.inputs[i],
                                         made.some.labels[i], &loss);
            int64_t *units = units_of(made.engine, made.parameters, &made.some, i, 1, 1);
            for (size_t k = 0; k < made.net->parameters; k++)
                length += exact[k] * exact[k];
            const double factor = fmin(1.0, clip.bound / sqrt(length));
            for (size_t k = 0; k < made.net->parameters; k++) {
                const double difference =
                    (double)units[k] * clip.spacing - factor * exact[k];
                away += difference * difference;
            }
            assert_within(sqrt(away), 0.0, 2e-5 * clip.bound);
            sot_free(exact);
            sot_free(units);
        }
        tear_down(&made);
    }
}

static void automatic_factors_follow_the_norm(void **state)
{
    (void)state;
    const sot_clip clip = clip_to(SOTTO_CLIPPING_AUTOMATIC, 2.0);
    setting made = set_up(1, &clip, 1, 1, NULL);
    double loss, length = 0.0;
    double *exact = reference_of(made.net, made.parameters, made.some.inputs[0],
                                 made.some.labels[0], &loss);
    for (size_t k = 0; k < made.net->parameters; k++)
        length += exact[k] * exact[k];
    int64_t *units = units_of(made.engine, made.parameters, &made.some, 0, 1, 1);
    assert_relative(distance(made.net, units, NULL) * clip.spacing,
                    2.0 * sqrt(length) / (sqrt(length) + 0.01), 1e-5);
    sot_free(exact);
    sot_free(units);
    tear_down(&made);
}

/* ---- against the plain path ---- */

static void without_cutting_it_is_the_plain_path(void **state)
{
    (void)state;
    enum { COUNT = 200 };
    for (size_t n = 0; n < SMALL_NETS; n++) {
        for (size_t copies = 1; copies <= 3; copies += 2) {
            setting plain = set_up(n, &unclipped, COUNT, copies, NULL);
            double longest = 0.0, loss;
            for (size_t i = 0; i < COUNT; i++) {
                double length = 0.0;
                float *one =
                    plain_of(plain.engine, plain.parameters, &plain.some, i, 1, 1, &loss);
                for (size_t k = 0; k < plain.net->parameters; k++)
                    length += (double)one[k] * (double)one[k];
                longest = fmax(longest, sqrt(length));
                sot_free(one);
            }
            const sot_clip clip = clip_to(SOTTO_CLIPPING_FLAT, 1.01 * longest);
            setting made = set_up(n, &clip, COUNT, copies, NULL);
            float *sum = plain_of(plain.engine, plain.parameters, &plain.some, 0, COUNT,
                                  SOT_TILE_ROWS, &loss);
            int64_t *units = units_of(made.engine, made.parameters, &made.some, 0, COUNT,
                                      SOT_TILE_ROWS);
            for (size_t k = 0; k < made.net->parameters; k++) /* of the mean */
                assert_within(((double)units[k] * clip.spacing - (double)sum[k]) / COUNT,
                              -1e-6 * clip.bound, 1e-6 * clip.bound);
            sot_free(sum);
            sot_free(units);
            tear_down(&made);
            tear_down(&plain);
        }
    }
}

static void copies_are_averaged_before_they_are_cut(void **state)
{
    (void)state;
    enum { COUNT = 5, COPIES = 4 };
    for (size_t n = 0; n < SMALL_NETS; n++) {
        const sot_clip clip = clip_to(SOTTO_CLIPPING_FLAT, 0.25);
        setting made = set_up(n, &clip, COUNT, COPIES, NULL);
        for (size_t i = 0; i < COUNT; i++) {
            double *mean = sot_new_array(made.net->parameters, sizeof *mean);
            double length = 0.0, away = 0.0, loss;
            for (size_t c = 0; c < COPIES; c++) {
                double *one = reference_of(made.net, made.parameters,
                                           made.some.inputs[i * COPIES + c],
                                           made.some.labels[i], &loss);
                for (size_t k = 0; k < made.net->parameters; k++)
                    mean[k] += one[k] / COPIES;
                sot_free(one);
            }
            for (size_t k = 0; k < made.net->parameters; k++)
                length += mean[k] * mean[k];
            const double factor = fmin(1.0, clip.bound / sqrt(length));
            int64_t *units = units_of(made.engine, made.parameters, &made.some, i, 1, 1);
            for (size_t k = 0; k < made.net->parameters; k++) {
                const double difference =
                    (double)units[k] * clip.spacing - factor * mean[k];
                away += difference * difference;
            }
            assert_within(sqrt(away), 0.0, 2e-5 * clip.bound);
            assert_within(distance(made.net, units, NULL), 0.0,
                          clip.bound / clip.spacing);
            sot_free(mean);
            sot_free(units);
        }
        tear_down(&made);
    }
}

static void frozen_layers_get_no_units(void **state)
{
    (void)state;
    const sot_clip clip = clip_to(SOTTO_CLIPPING_FLAT, 1.0);
    setting made = set_up(SMALL_NETS - 1, &clip, 10, 1, NULL);
    int64_t *units = units_of(made.engine, made.parameters, &made.some, 0, 10, 10);
    size_t frozen = 0;
    for (size_t l = 0; l < made.net->layer_count; l++) {
        const sot_layer *layer = &made.net->layers[l];
        for (size_t k = layer->first; k < layer->first + layer->parameters; k++)
            if (layer->frozen) assert_int_equal(units[k], 0);
        frozen += layer->frozen ? layer->parameters : 0;
    }
    assert_int_equal(frozen, made.net->parameters - made.net->trainable);
    sot_free(units);
    tear_down(&made);
}

/* ---- threads, tiles, rows ---- */

static void threads_and_order_of_tiles_are_not_seen(void **state)
{
    (void)state;
    enum { COUNT = 300, ROWS = 37 };
    sotto_error error;
    for (size_t n = 0; n < SMALL_NETS; n++) {
        for (size_t copies = 1; copies <= 2; copies++) {
            const sot_clip clip = clip_to(rules[n % RULES], 0.7);
            setting one = set_up(n, &clip, COUNT, copies, NULL);
            setting plain = set_up(n, &unclipped, COUNT, copies, NULL);
            double loss, other_loss;
            int64_t *units =
                units_of(one.engine, one.parameters, &one.some, 0, COUNT, ROWS);
            float *sum = plain_of(plain.engine, plain.parameters, &plain.some, 0, COUNT,
                                  ROWS, &loss);
            for (size_t threads = 2; threads <= 5; threads += 3) {
                sot_pool *pool = NULL;
                assert_ok(sot_pool_new(threads, &pool, &error), &error);
                sot_engine *many = make_engine(one.net, &clip, copies, pool);
                sot_engine *many_plain = make_engine(one.net, &unclipped, copies, pool);
                int64_t *same = units_of(many, one.parameters, &one.some, 0, COUNT, ROWS);
                float *same_sum = plain_of(many_plain, one.parameters, &one.some, 0,
                                           COUNT, ROWS, &other_loss);
                assert_memory_equal(units, same, one.net->parameters * sizeof *units);
                assert_memory_equal(sum, same_sum, one.net->parameters * sizeof *sum);
                assert_true(loss == other_loss);
                sot_free(same);
                sot_free(same_sum);
                sot_engine_free(many);
                sot_engine_free(many_plain);
                sot_pool_free(pool);
            }
            /* Tile by tile, from the last to the first. */
            int64_t *turned = sot_new_array(one.net->parameters, sizeof *turned);
            for (size_t t = (COUNT + ROWS - 1) / ROWS; t-- > 0;) {
                const size_t left = COUNT - t * ROWS;
                int64_t *tile = units_of(one.engine, one.parameters, &one.some, t * ROWS,
                                         left < ROWS ? left : ROWS, ROWS);
                for (size_t k = 0; k < one.net->parameters; k++)
                    turned[k] += tile[k];
                sot_free(tile);
            }
            assert_memory_equal(units, turned, one.net->parameters * sizeof *units);
            sot_free(turned);
            sot_free(units);
            sot_free(sum);
            tear_down(&one);
            tear_down(&plain);
        }
    }
}

/* Norms of inputs that are at hand are those that the engine computes: NaN and infinite records too. */
static void squares_at_hand_change_nothing(void **state)
{
    (void)state;
    enum { COUNT = 30 };
    const sot_clip clip = clip_to(SOTTO_CLIPPING_FLAT, 0.3);
    bool wanted = false;
    for (size_t n = 0; n < SMALL_NETS; n++) {
        sotto_error error;
        setting made = set_up(n, &clip, COUNT, 1, NULL);
        const size_t starts[] = {0, 12, 24, COUNT};
        double squares[COUNT];
        made.some.values[3] = (float)NAN;
        made.some.values[2 * made.some.size] = (float)INFINITY;
        int64_t *expected =
            units_of(made.engine, made.parameters, &made.some, 0, COUNT, 12);
        int64_t *units = sot_new_array(made.net->parameters, sizeof *units);
        const sot_tiles tiles = {.inputs = made.some.inputs,
                                 .labels = made.some.labels,
                                 .starts = starts,
                                 .tiles = 3,
                                 .copies = 1,
                                 .squares = squares};
        assert_ok(
            sot_engine_squares(made.engine, made.some.inputs, COUNT, squares, &error),
            &error);
        assert_ok(sot_engine_add(made.engine, made.parameters, &tiles, units, &error),
                  &error);
        assert_memory_equal(units, expected, made.net->parameters * sizeof *units);
        wanted = wanted || sot_engine_wants_squares(made.engine);
        sot_free(units);
        sot_free(expected);
        tear_down(&made);
    }
    assert_true(wanted);
}

static void a_row_does_not_see_the_others(void **state)
{
    (void)state;
    enum { COUNT = 70 };
    sotto_error error;
    for (size_t n = 0; n < SMALL_NETS; n++) {
        const sot_clip clip = clip_to(SOTTO_CLIPPING_FLAT, 0.7);
        setting made = set_up(n, &clip, COUNT, 1, NULL);
        const size_t outputs = made.net->outputs, chunk = made.engine->chunk;
        sot_engine *scorer = make_engine(made.net, NULL, 1, NULL);
        float *together = sot_new_array(COUNT * outputs, sizeof *together);
        float *alone = sot_new_array(outputs, sizeof *alone);
        made.some.values[5 * made.some.size] = (float)NAN; /* nor what others hold */
        made.some.values[6 * made.some.size] = (float)INFINITY;
        assert_ok(sot_engine_scores(scorer, made.parameters, made.some.inputs, COUNT,
                                    together, &error),
                  &error);
        sot_free(units_of(made.engine, made.parameters, &made.some, 0,
                          chunk < COUNT ? chunk : COUNT, SOT_TILE_ROWS));
        double *shares = sot_new_array(made.net->layer_count * chunk, sizeof *shares);
        memcpy(shares, made.engine->workers[0].shares,
               made.net->layer_count * chunk * sizeof *shares);
        for (size_t i = 0; i < COUNT; i += 3) {
            assert_ok(sot_engine_scores(scorer, made.parameters, made.some.inputs + i, 1,
                                        alone, &error),
                      &error);
            if (i != 6 && i != 5)
                assert_memory_equal(alone, together + i * outputs,
                                    outputs * sizeof *alone);
            if (i >= chunk) continue;
            sot_free(units_of(made.engine, made.parameters, &made.some, i, 1, 1));
            for (size_t l = 0; l < made.net->layer_count; l++)
                if (made.engine->layers[l].trained && i != 6)
                    assert_memory_equal(&shares[l * chunk + i],
                                        &made.engine->workers[0].shares[l * chunk],
                                        sizeof *shares);
        }
        sot_free(shares);
        sot_free(together);
        sot_free(alone);
        sot_engine_free(scorer);
        tear_down(&made);
    }
}

/* ---- refusals ---- */

static void engines_without_room_or_sense_are_refused(void **state)
{
    (void)state;
    sotto_error error;
    sot_net *net = make_small(4);
    sot_engine *engine = NULL;
    sot_clip clip = clip_to(SOTTO_CLIPPING_FLAT, 1.0);
    for (size_t nth = 1;; nth++) {
        sot_test_fail_allocation(nth);
        const sotto_status status = sot_engine_new(net, &clip, 2, NULL, &engine, &error);
        sot_test_fail_allocation(0);
        if (status == SOTTO_OK) break;
        assert_int_equal(status, SOTTO_OUT_OF_MEMORY);
    }
    sot_engine_free(engine);
    clip.bound = 0.0;
    assert_refused(sot_engine_new(net, &clip, 1, NULL, &engine, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "bound", "0.1", NULL);
    clip.bound = (double)NAN;
    assert_refused(sot_engine_new(net, &clip, 1, NULL, &engine, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "bound", NULL);
    clip = (sot_clip){SOTTO_CLIPPING_FLAT, 1.0, 0.3};
    assert_refused(sot_engine_new(net, &clip, 1, NULL, &engine, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "power of two", NULL);
    clip.spacing = 0x1p-40;
    assert_refused(sot_engine_new(net, &clip, 1, NULL, &engine, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "power of two", NULL);
    clip.spacing = 0x1p-10;
    assert_refused(sot_engine_new(net, &clip, 1, NULL, &engine, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "power of two", NULL);
    clip.spacing = 0x1p-21;
    assert_refused(sot_engine_new(net, &clip, 0, NULL, &engine, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "copies", NULL);
    sot_net_free(net);
}

static void sums_survive_no_memory_and_no_records(void **state)
{
    (void)state;
    sotto_error error;
    const sot_clip clip = clip_to(SOTTO_CLIPPING_FLAT, 1.0);
    setting made = set_up(3, &clip, 3, 1, NULL);
    const size_t starts[2] = {0, 3};
    const sot_tiles tiles = {made.some.inputs, made.some.labels, starts, 1, 1, NULL};
    int64_t *units = sot_new_array(made.net->parameters, sizeof *units);
    for (size_t nth = 1;; nth++) {
        sot_test_fail_allocation(nth);
        const sotto_status status =
            sot_engine_add(made.engine, made.parameters, &tiles, units, &error);
        sot_test_fail_allocation(0);
        if (status == SOTTO_OK) break;
        assert_int_equal(status, SOTTO_OUT_OF_MEMORY);
        assert_true(distance(made.net, units, NULL) == 0.0);
    }
    int64_t *none = sot_new_array(made.net->parameters, sizeof *none);
    const size_t empty[2] = {0, 0};
    const sot_tiles nothing[2] = {
        {made.some.inputs, made.some.labels, empty, 0, 1, NULL},
        {made.some.inputs, made.some.labels, empty, 1, 1, NULL}};
    for (size_t t = 0; t < 2; t++) {
        assert_ok(sot_engine_add(made.engine, made.parameters, &nothing[t], none, &error),
                  &error);
        assert_true(distance(made.net, none, NULL) == 0.0);
    }
    sot_free(units);
    sot_free(none);
    tear_down(&made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_record_adds_more_than_the_bound),
        cmocka_unit_test(records_are_cut_and_not_turned),
        cmocka_unit_test(automatic_factors_follow_the_norm),
        cmocka_unit_test(without_cutting_it_is_the_plain_path),
        cmocka_unit_test(copies_are_averaged_before_they_are_cut),
        cmocka_unit_test(frozen_layers_get_no_units),
        cmocka_unit_test(threads_and_order_of_tiles_are_not_seen),
        cmocka_unit_test(squares_at_hand_change_nothing),
        cmocka_unit_test(a_row_does_not_see_the_others),
        cmocka_unit_test(engines_without_room_or_sense_are_refused),
        cmocka_unit_test(sums_survive_no_memory_and_no_records),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
