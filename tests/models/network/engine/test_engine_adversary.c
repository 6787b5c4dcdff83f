/* Somebody who may choose everything (weights, bound, rule, all records) looks for neighbours that are farther apart than
 * declared: numbers of every size a float has, with what is no number among them, all records pulling one
 * way, subnormals kept and flushed to 0, every table of operations. */
#include "models/network/net_support.h"

#include "models/network/operations/tiled.h"

#if defined(__SSE__)
#include <xmmintrin.h>
enum { FLUSH = 0x8040 }; /* results to 0, and operands (MXCSR) */
static void flush_subnormals(bool on)
{
    _mm_setcsr(on ? _mm_getcsr() | FLUSH : _mm_getcsr() & ~(unsigned)FLUSH);
}
#else
static void flush_subnormals(bool on)
{
    (void)on;
}
#endif

static uint64_t below(uint64_t *stream, uint64_t count)
{
    *stream = *stream * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (*stream >> 33) % count;
}

/* A number of size 2^lowest .. 2^highest, either sign. */
static float sized(uint64_t *stream, int lowest, int highest)
{
    const int span = highest - lowest + 1;
    const int exponent = lowest + (int)below(stream, (uint64_t)span);
    const double part = 1.0 + 0x1p-23 * (double)below(stream, 1 << 23);
    return (float)ldexp(below(stream, 2) == 0 ? part : -part, exponent);
}

/* Any bits at all: one in 128 is infinite or no number. */
static float any_float(uint64_t *stream)
{
    const uint32_t bits =
        (uint32_t)(below(stream, 1 << 16) << 16 | below(stream, 1 << 16));
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* How the numbers of a record are chosen. */
static float choose(uint64_t *stream, uint64_t manner, float before)
{
    switch (manner) {
    case 0:
        return sized(stream, -3, 3);
    case 1:
        return sized(stream, -149, 127);
    case 2:
        return sized(stream, 40, 127);
    case 3:
        return sized(stream, -149, -110);
    case 4:
        return any_float(stream);
    default:
        return before;
    }
}

typedef struct scene {
    sot_net *net;
    float *parameters;
    records some;
    sot_engine *engine;
    sot_clip clip;
    bool squared; /* norms of inputs are at hand */
} scene;

static scene scene_new(uint64_t *stream, size_t count)
{
    sotto_error error;
    const sot_operations *tables[] = {sot_operations_plain(), sot_operations_portable(),
                                      sot_operations_avx2()};
    const sot_operations *operations = tables[below(stream, 3)];
    scene made = {.net = make_small(below(stream, SMALL_NETS))};
    const bool extreme = below(stream, 3) == 0;
    made.clip =
        clip_to(rules[below(stream, RULES)],
                fabs((double)sized(stream, extreme ? -60 : -6, extreme ? 59 : 6)));
    made.squared = below(stream, 2) == 0;
    made.parameters = make_parameters(made.net);
    const int wide = below(stream, 2) == 0 ? 0 : 20;
    for (size_t k = 0; k < made.net->parameters; k++)
        made.parameters[k] *= fabsf(sized(stream, -wide, wide));
    made.some = make_records(made.net, count, 1, *stream);
    const uint64_t manner = below(stream, 7); /* 6: another one for each record */
    for (size_t i = 0; i < count; i++) {
        float *row = made.some.values + i * made.some.size;
        const uint64_t own = manner == 6 ? below(stream, 5) : manner;
        for (size_t k = 0; k < made.some.size; k++)
            row[k] = choose(stream, own, made.some.values[k]); /* 5: all alike */
        if (manner == 5) made.some.labels[i] = made.some.labels[0];
        if (below(stream, 20) == 0)
            made.some.labels[i] = (double)any_float(stream) * 1e300;
    }
    assert_ok(sot_engine_new_with(operations == NULL ? tables[0] : operations, made.net,
                                  &made.clip, 1, NULL, &made.engine, &error),
              &error);
    return made;
}

static void scene_end(scene *made)
{
    sot_engine_free(made->engine);
    free_records(&made->some);
    sot_free(made->parameters);
    sot_net_free(made->net);
}

/* Units of the first `count` records in one tile, what is over its room in tiles of one. */
static int64_t *tiled(const scene *made, size_t count)
{
    sotto_error error;
    size_t starts[SOT_TILE_ROWS], tiles = 0;
    starts[tiles++] = 0;
    for (size_t at = SOT_TILE_ROWS; at < count; at++)
        starts[tiles++] = at;
    starts[tiles] = count;
    double squares[SOT_TILE_ROWS + 4];
    const bool squared = made->squared && sot_engine_wants_squares(made->engine);
    assert_true(count <= sizeof squares / sizeof squares[0]);
    if (squared)
        assert_ok(
            sot_engine_squares(made->engine, made->some.inputs, count, squares, &error),
            &error);
    const sot_tiles cut = {.inputs = made->some.inputs,
                           .labels = made->some.labels,
                           .squares = squared ? squares : NULL,
                           .starts = starts,
                           .tiles = tiles,
                           .copies = 1};
    int64_t *units = sot_new_array(made->net->parameters, sizeof *units);
    assert_ok(sot_engine_add(made->engine, made->parameters, &cut, units, &error),
              &error);
    return units;
}

/* Takes record `place` out; the others move up in their order. */
static void take_out(records *some, size_t place, size_t count)
{
    for (size_t i = place; i + 1 < count; i++) {
        some->inputs[i] = some->inputs[i + 1];
        some->labels[i] = some->labels[i + 1];
    }
}

/* One attack; returns how far it got, as a share of what is declared. */
static double attack(uint64_t seed, size_t count)
{
    uint64_t stream = seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
    scene made = scene_new(&stream, count);
    const sot_engine_sensitivity moved = sot_engine_sensitivity_of(made.net, &made.clip);
    flush_subnormals(below(&stream, 3) == 0);
    int64_t *all = tiled(&made, count);
    const size_t place = (size_t)below(&stream, count);
    const float *gone = made.some.inputs[place], *other = made.some.inputs[0];
    take_out(&made.some, place, count);
    int64_t *less = tiled(&made, count - 1);
    const double removed = distance(made.net, all, less);
    made.some.inputs[count - 1] = other == gone ? made.some.inputs[0] : other;
    made.some.labels[count - 1] = -1e9;
    int64_t *exchanged = tiled(&made, count);
    const double apart = distance(made.net, all, exchanged);
    flush_subnormals(false);
    if (!(removed <= moved.one && apart <= moved.exchanged))
        fail_msg("seed %llu, %zu records: %.17g of %.17g, exchanged %.17g",
                 (unsigned long long)seed, count, removed, moved.one, apart);
    sot_free(all);
    sot_free(less);
    sot_free(exchanged);
    scene_end(&made);
    return removed / moved.one;
}

/* How many attacks: the environment may ask for more. */
static uint64_t attacks(uint64_t usual)
{
    const char *asked = getenv("SOTTO_ATTACKS");
    return asked == NULL ? usual : strtoull(asked, NULL, 10);
}

static void no_choice_of_records_gets_beyond_what_is_declared(void **state)
{
    (void)state;
    double farthest = 0.0;
    const uint64_t count = attacks(1200);
    for (uint64_t seed = 0; seed < count; seed++)
        farthest = fmax(farthest, attack(seed, 1 + seed % 17));
    assert_within(farthest, 0.99, 1.0); /* and many get that far */
}

static void no_full_tile_gets_beyond_what_is_declared(void **state)
{
    (void)state;
    const uint64_t count = attacks(1200) / 12;
    double farthest = 0.0;
    for (uint64_t seed = 0; seed < count; seed++)
        farthest = fmax(farthest, attack(1000000 + seed, SOT_TILE_ROWS - 1 + seed % 4));
    assert_within(farthest, 0.99, 1.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_choice_of_records_gets_beyond_what_is_declared),
        cmocka_unit_test(no_full_tile_gets_beyond_what_is_declared),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
