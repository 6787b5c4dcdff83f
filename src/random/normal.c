#include "random/normal.h"

#include <math.h>
#include <pthread.h>

#include "base/memory.h"
#include "random/bernoulli.h"

/* Karney's Bernoulli(exp(-x (2k + x) / (2k + 2))). Take the longest run x > z1 > z2 > ... of
 * uniform numbers, each step only with probability (2k + x) / (2k + 2). The coin is true if its
 * length is even. */
static bool karney_coin(sotto_rng *rng, uint64_t k, sot_digits *x)
{
    sot_digits previous = {0};
    bool even = true;
    for (bool first = true;; first = false) {
        sot_digits next = {0};
        /* The first comparison is with x itself: digits it draws must stay with x. */
        if (!sot_digits_less(rng, &next, first ? x : &previous)) return even;
        const uint64_t part = sot_rng_below(rng, 2 * k + 2);
        if (part == 2 * k + 1) return even;
        if (part == 2 * k) {
            sot_digits uniform = {0};
            if (!sot_digits_less(rng, &uniform, x)) return even;
        }
        previous = next;
        even = !even;
    }
}

/* k and x with probability proportional to exp(-(k + x)^2 / 2), or false. After a refusal both are
 * drawn anew: keeping k would count it twice. */
static bool karney_try(sotto_rng *rng, uint64_t *out_k, sot_digits *x)
{
    uint64_t k = 0;
    while (sot_bernoulli_exp_unchecked(rng, 1, 2))
        k++;
    for (uint64_t i = 0; i + 1 < k; i++) { /* exp(-1/2)^(k (k - 1)), k coins at a time */
        for (uint64_t j = 0; j < k; j++) {
            if (!sot_bernoulli_exp_unchecked(rng, 1, 2)) return false;
        }
    }
    x->count = 0;
    for (uint64_t i = 0; i <= k; i++) {
        if (!karney_coin(rng, k, x)) return false;
    }
    *out_k = k;
    return k < 512; /* P(|Z| >= 512) < 2^-189000 */
}

void sot_normal_karney(sotto_rng *rng, sot_normal *out_normal)
{
    uint64_t k = 0;
    sot_digits x = {0};
    while (!karney_try(rng, &k, &x)) {
    }
    out_normal->negative = (sot_rng_u64(rng) & 1) != 0;
    sot_digits_behind(rng, k, &x, &out_normal->magnitude);
}

static sot_tiles normal_tiles;
static sot_normal_chord chords[SOT_TILES_STRIPS_MAX];
static pthread_once_t normal_tiles_once = PTHREAD_ONCE_INIT;

static void build_normal_tiles(void)
{
    sot_tiles_shape shape = {.strips = SOT_TILES_STRIPS_MAX};
    for (uint32_t j = 0; j <= shape.strips; j++) {
        const double x = (double)j * 0x1p-6;
        const double t = x * x / 2.0; /* exact */
        if (j < shape.strips) shape.near_edge[j] = t;
        if (j > 0) shape.far_edge[j - 1] = t;
    }
    shape.end = shape.far_edge[shape.strips - 1];
    sot_tiles_build(&shape, &normal_tiles);
    const sot_tiles *tiles = &normal_tiles;
    for (uint32_t j = 0; j < shape.strips; j++) {
        const double near = (double)tiles->height * sot_exp_negative(shape.near_edge[j]);
        const double far = (double)tiles->height * sot_exp_negative(shape.far_edge[j]);
        chords[j].base =
            (double)tiles->quick_count[j] - (double)tiles->crossed_begin[j] - near;
        chords[j].fall = near - far;
    }
}

const sot_normal_chord *sot_normal_chords(void)
{
    (void)sot_normal_tiles();
    return chords;
}

const sot_tiles *sot_normal_tiles(void)
{
    (void)pthread_once(&normal_tiles_once, build_normal_tiles);
    return &normal_tiles;
}

/* |Z|^2 / 2 = 2^17 magnitude^2. */
void sot_normal_exponent(sotto_rng *rng, void *magnitude, unsigned fraction,
                         sot_wide *out_lower, sot_wide *out_upper)
{
    sot_digits *digits = magnitude;
    const unsigned known = fraction - 1;
    sot_digits_extend(rng, digits, known);
    const sot_wide low = sot_digits_wide(digits, known, fraction);
    sot_wide one_digit = sot_wide_from_integer(0, fraction);
    one_digit.word[1] = 1;
    const sot_wide high = sot_wide_add(&low, &one_digit);

    const sot_wide low_square = sot_wide_multiply(&low, &low);
    *out_lower = sot_wide_multiply_small(&low_square, UINT64_C(1) << 17);
    sot_wide high_square = sot_wide_multiply(&high, &high);
    high_square = sot_wide_plus_units(&high_square, 1);
    *out_upper = sot_wide_multiply_small(&high_square, UINT64_C(1) << 17);
}

static double exponent_of(const sot_digits *magnitude)
{
    const double x = (double)magnitude->word[0] * 0x1p-55;
    return x * x / 2.0;
}

bool sot_normal_decide(sotto_rng *rng, const sot_tiles *tiles, uint32_t entry,
                       uint64_t v_word, sot_digits *magnitude)
{
    sot_digits v;
    v.count = 1;
    v.word[0] = v_word;
    const sot_tile_test test =
        sot_tile_test_crossed(tiles, sot_tiles_floor(tiles, entry));
    return sot_tile_decide(rng, &test, &v, exponent_of(magnitude), sot_normal_exponent,
                           magnitude);
}

/* A point of a tile that the curve crosses: false means draw again. */
static bool crossed_point(sotto_rng *rng, const sot_tiles *tiles, uint32_t entry,
                          uint64_t place, sot_digits *magnitude)
{
    const uint32_t strip = tiles->strip_of[entry];
    magnitude->count = 1;
    magnitude->word[0] = ((uint64_t)strip << SOT_NORMAL_PLACE_BITS) | place;
    const uint64_t word = sot_rng_u64(rng);
    const double above = sot_normal_above(&chords[strip], entry, place, word);
    if (fabs(above) > sot_normal_chord_error(tiles)) return above < 0.0;
    return sot_normal_decide(rng, tiles, entry, word, magnitude);
}

/* A point of the tail: false means draw again. */
static bool tail_point(sotto_rng *rng, const sot_tiles *tiles, sot_digits *magnitude)
{
    /* Cells of width 1/4 = 2^53 units from 4 = 2^57 units on. */
    const uint64_t cell = sot_tiles_tail_cell(rng);
    if (cell == SOT_TILES_TAIL_CELLS) return false;
    magnitude->count = 1;
    magnitude->word[0] =
        (UINT64_C(1) << 57) + (cell << 53) + (sot_rng_u64(rng) >> (64 - 53));
    const sot_tile_test test = sot_tile_test_tail(tiles, (uint32_t)cell);
    return sot_tile_under_curve(rng, &test, exponent_of(magnitude), sot_normal_exponent,
                                magnitude);
}

void sot_normal_from_word(sotto_rng *rng, const sot_tiles *tiles, uint64_t word,
                          sot_normal *out_normal)
{
    const uint64_t place_mask = (UINT64_C(1) << SOT_NORMAL_PLACE_BITS) - 1;
    for (;; word = sot_rng_u64(rng)) {
        const uint32_t entry = (uint32_t)(word >> (64 - SOT_TILES_ENTRY_BITS));
        const uint64_t place = word & place_mask;
        out_normal->negative = (word >> SOT_NORMAL_PLACE_BITS & 1) != 0;
        if (entry < tiles->quick) {
            const uint64_t strip = tiles->strip_of[entry];
            out_normal->magnitude.word[0] = (strip << SOT_NORMAL_PLACE_BITS) | place;
            out_normal->magnitude.count = 1;
            return;
        }
        if (entry < tiles->tail) {
            if (crossed_point(rng, tiles, entry, place, &out_normal->magnitude)) return;
        } else if (entry < tiles->used) {
            if (tail_point(rng, tiles, &out_normal->magnitude)) return;
        }
    }
}

void sot_normal_draw(sotto_rng *rng, sot_normal *out_normal)
{
    sot_normal_from_word(rng, sot_normal_tiles(), sot_rng_u64(rng), out_normal);
}

sotto_status sot_normal_fill(sotto_rng *rng, double *out, size_t count,
                             sotto_error *error)
{
    const sot_tiles *tiles = sot_normal_tiles();
    sot_normal normal;
    for (size_t i = 0; i < count; i++) {
        sot_normal_from_word(rng, tiles, sot_rng_u64(rng), &normal);
        const double magnitude = sot_digits_magnitude(rng, &normal.magnitude);
        out[i] = normal.negative ? -magnitude : magnitude;
    }
    sot_wipe(&normal, sizeof normal);
    const sotto_status status = sot_rng_check(rng, error);
    if (status != SOTTO_OK) sot_wipe(out, count * sizeof *out);
    return status;
}
