/* Neighbours are as near as declared, whatever the record holds that makes the difference. */
#include "models/network/net_support.h"

/* ---- records that are not finite ---- */

static void spoil(records *some, size_t i, size_t way)
{
    float *row = some->values + i * some->size;
    for (size_t k = 0; k < some->size; k++) {
        if (way == 0) row[k] = (float)NAN;
        if (way == 1) row[k] = k % 2 == 0 ? (float)INFINITY : (float)-INFINITY;
        if (way == 2 && k == 0) row[k] = (float)INFINITY;
        if (way == 3 && k == some->size / 2) row[k] = (float)NAN;
    }
}

static void records_that_are_not_finite_add_nothing(void **state)
{
    (void)state;
    enum { COUNT = 40 };
    static const size_t bad[] = {0, 7, 8, 21, 39};
    for (size_t n = 0; n < SMALL_NETS; n++) {
        for (size_t copies = 1; copies <= 2; copies++) {
            const sot_clip clip = clip_to(rules[n % RULES], 0.7);
            int64_t *first = NULL;
            for (size_t way = 0; way < 4; way++) {
                setting made = set_up(n, &clip, COUNT, copies, NULL);
                for (size_t b = 0; b < 5; b++) {
                    spoil(&made.some, bad[b] * copies, way);
                    int64_t *alone =
                        units_of(made.engine, made.parameters, &made.some, bad[b], 1, 1);
                    assert_true(distance(made.net, alone, NULL) == 0.0);
                    sot_free(alone);
                }
                int64_t *units = units_of(made.engine, made.parameters, &made.some, 0,
                                          COUNT, SOT_TILE_ROWS);
                int64_t *good = sot_new_array(made.net->parameters, sizeof *good);
                for (size_t i = 0; i < COUNT; i++) {
                    int64_t *alone =
                        units_of(made.engine, made.parameters, &made.some, i, 1, 1);
                    for (size_t k = 0; k < made.net->parameters; k++)
                        good[k] += alone[k];
                    sot_free(alone);
                }
                if (first == NULL) {
                    first = units;
                } else { /* how it is spoiled is not seen either */
                    assert_memory_equal(first, units,
                                        made.net->parameters * sizeof *units);
                    sot_free(units);
                }
                for (size_t k = 0; k < made.net->parameters; k++)
                    assert_within((double)(first[k] - good[k]), -40.0 * 32.0,
                                  40.0 * 32.0);
                sot_free(good);
                tear_down(&made);
            }
            sot_free(first);
        }
    }
}

/* Finite, but products of it are not: such a record may add its bounded part or nothing, and leaves the
 * others alone. */
static void huge_records_leave_the_others_alone(void **state)
{
    (void)state;
    enum { COUNT = 24 };
    for (size_t n = 0; n < SMALL_NETS; n++) {
        const sot_clip clip = clip_to(SOTTO_CLIPPING_FLAT, 0.7);
        setting made = set_up(n, &clip, COUNT, 1, NULL);
        const sot_engine_sensitivity moved = sot_engine_sensitivity_of(made.net, &clip);
        int64_t *without = units_of(made.engine, made.parameters, &made.some, 0,
                                    COUNT - 1, SOT_TILE_ROWS);
        for (float size = 1e15F; size < 3e38F; size *= 1e4F) {
            float *row = made.some.values + (COUNT - 1) * made.some.size;
            for (size_t k = 0; k < made.some.size; k++)
                row[k] = k % 3 == 0 ? -size : size;
            int64_t *with = units_of(made.engine, made.parameters, &made.some, 0, COUNT,
                                     SOT_TILE_ROWS);
            assert_within(distance(made.net, with, without), 0.0, moved.one);
            sot_free(with);
        }
        sot_free(without);
        tear_down(&made);
    }
}

/* ---- neighbours ---- */

/* One record more, in the middle, that pulls a hundred times as hard as the others: the units move by no more
 * than declared. */
static void neighbours_are_as_near_as_declared(void **state)
{
    (void)state;
    enum { COUNT = 60 };
    for (size_t n = 0; n < SMALL_NETS; n++) {
        for (size_t r = 0; r < RULES; r++) {
            const sot_clip clip = clip_to(rules[r], 0.01);
            setting made = set_up(n, &clip, COUNT, 1, NULL);
            const sot_engine_sensitivity moved =
                sot_engine_sensitivity_of(made.net, &clip);
            float *loud = made.some.values + 20 * made.some.size;
            for (size_t k = 0; k < made.some.size; k++)
                loud[k] *= 100.0F;
            int64_t *all = units_of(made.engine, made.parameters, &made.some, 0, COUNT,
                                    SOT_TILE_ROWS);
            const float *last = made.some.inputs[COUNT - 1];
            const double label = made.some.labels[COUNT - 1];
            made.some.inputs[COUNT - 1] = made.some.inputs[20];
            made.some.labels[COUNT - 1] = made.some.labels[20];
            made.some.inputs[20] = last;
            made.some.labels[20] = label;
            int64_t *less = units_of(made.engine, made.parameters, &made.some, 0,
                                     COUNT - 1, SOT_TILE_ROWS);
            assert_within(distance(made.net, all, less), 0.0, moved.one);
            made.some.inputs[20] =
                made.some.inputs[COUNT - 1]; /* in the place of another */
            made.some.labels[20] = made.some.labels[COUNT - 1];
            int64_t *exchanged = units_of(made.engine, made.parameters, &made.some, 0,
                                          COUNT - 1, SOT_TILE_ROWS);
            assert_within(distance(made.net, exchanged, less), 0.0, moved.exchanged);
            sot_free(all);
            sot_free(less);
            sot_free(exchanged);
            tear_down(&made);
        }
    }
}

/* A full tile and one record over its room: when one of the tile leaves, the other moves in. */
static void a_record_that_moves_into_the_tile_is_declared_for(void **state)
{
    (void)state;
    enum { COUNT = SOT_TILE_ROWS + 1 };
    sotto_error error;
    for (size_t n = 0; n < SMALL_NETS; n++) {
        const sot_clip clip = clip_to(SOTTO_CLIPPING_FLAT, 0.02);
        setting made = set_up(n, &clip, COUNT, 1, NULL);
        const sot_engine_sensitivity moved = sot_engine_sensitivity_of(made.net, &clip);
        const size_t starts[3] = {0, SOT_TILE_ROWS, COUNT};
        int64_t *full = sot_new_array(made.net->parameters, sizeof *full);
        const sot_tiles tiles = {.inputs = made.some.inputs,
                                 .labels = made.some.labels,
                                 .starts = starts,
                                 .tiles = 2,
                                 .copies = 1};
        assert_ok(sot_engine_add(made.engine, made.parameters, &tiles, full, &error),
                  &error);
        int64_t *less = units_of(made.engine, made.parameters, &made.some, 1,
                                 SOT_TILE_ROWS, SOT_TILE_ROWS);
        assert_within(distance(made.net, full, less), 0.0, moved.one);
        sot_free(full);
        sot_free(less);
        tear_down(&made);
    }
}

static void declared_distance_is_little_more_than_the_bound(void **state)
{
    (void)state;
    for (size_t n = 0; n < SMALL_NETS; n++) {
        const sot_clip clip = clip_to(SOTTO_CLIPPING_FLAT, 0.1);
        sot_net *net = make_small(n);
        const sot_engine_sensitivity moved = sot_engine_sensitivity_of(net, &clip);
        const double part = clip.bound / clip.spacing;
        assert_within(part, 0x1p21, 0x1p22);
        assert_within(moved.one, part, 1.003 * part);
        if (dense_parameters(net) == 0.0) assert_true(moved.one == part);
        assert_within(moved.exchanged, 2.0 * moved.one, 2.0 * moved.one);
        sot_net_free(net);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(records_that_are_not_finite_add_nothing),
        cmocka_unit_test(huge_records_leave_the_others_alone),
        cmocka_unit_test(neighbours_are_as_near_as_declared),
        cmocka_unit_test(a_record_that_moves_into_the_tile_is_declared_for),
        cmocka_unit_test(declared_distance_is_little_more_than_the_bound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
