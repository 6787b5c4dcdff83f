/* Decisions: quick ones agree with careful ones, careful ones are asked when they must be, and they are right. */
#include "gaussian_laws.h"

#include <mpfr.h>

#include "methods/posterior/decide.h"
#include "models/linear/losses/joined.h"
#include "proximal_laws.h"

/* The same seed, decided as usual and always carefully: the same bits. */
static void check_both_ways(const scene *s, size_t draws, bool quick_is_enough)
{
    sot_sampler_counts usual, careful;
    double *a = draw_many(s, draws, 77, &usual);
    sot_test_always_careful(true);
    double *b = draw_many(s, draws, 77, &careful);
    sot_test_always_careful(false);
    assert_memory_equal(a, b, draws * s->facts.dimension * sizeof *a);
    assert_true(careful.carefully > 0 && careful.carefully == careful.trials);
    assert_true((usual.carefully == 0) == quick_is_enough);
    assert_true(usual.undecided == 0 && careful.undecided == 0);
    free(a);
    free(b);
}

static void check_loss_both_ways(const sot_loss *loss, size_t classes, size_t columns,
                                 double radius)
{
    scene s;
    begin_scene(&s, loss, classes, 40, columns, 0.75, 1.25, radius);
    plan_scene(&s, SOTTO_SAMPLER_PROXIMAL, 1e-3 * radius);
    check_both_ways(&s, 3, true);
    end_scene(&s);
}

static void careful_decisions_are_those_of_doubles_where_doubles_can_decide(void **state)
{
    (void)state;
    const sot_loss squared = sot_loss_squared(8.0, 1.0);
    const sot_loss hinge = sot_loss_smoothed_hinge(0.375);
    const sot_loss counts = sot_loss_poisson(4.0, 3.0);
    check_loss_both_ways(&sot_loss_logistic, 0, 3, 5.0);
    check_loss_both_ways(&sot_loss_logistic, 0, 3, 0.5); /* the ball cuts */
    check_loss_both_ways(&squared, 0, 2, 0.25);
    check_loss_both_ways(&hinge, 0, 3, 4.0);
    check_loss_both_ways(&counts, 0, 2, 4.0);
    check_loss_both_ways(NULL, 4, 2, 5.0);
    check_loss_both_ways(NULL, 2, 3, 0.75);
}

/* Labels of 2^28 that cancel: sums of losses of 2^58, of which a double keeps 64 and acceptance needs 1/100. */
static void sums_that_doubles_cannot_hold_are_compared_carefully(void **state)
{
    (void)state;
    const sot_loss loss = sot_loss_squared(0x1.1p28, 0x1p28);
    scene s;
    begin_scene(&s, &loss, 0, 8, 1, 0.5, 1.25, 4.0);
    for (size_t i = 0; i < s.matrix.rows; i++) {
        s.matrix.dense[i * s.matrix.stride] = 0.875f;
        s.matrix.labels[i] = (i % 2 == 0 ? 0x1p28 : -0x1p28) + 0.25 * (double)i;
    }
    plan_scene(&s, SOTTO_SAMPLER_PROXIMAL, 1e-2);
    check_both_ways(&s, 25, false);
    end_scene(&s);
}

/* The exact mean is 0, not what the double sums make of it. */
static void large_labels_leave_the_law_alone(void **state)
{
    (void)state;
    const sot_loss loss = sot_loss_squared(0x1.1p28, 0x1p28);
    scene s;
    begin_scene(&s, &loss, 0, 8, 1, 0.5, 1.25, 4.0);
    for (size_t i = 0; i < s.matrix.rows; i++) {
        s.matrix.dense[i * s.matrix.stride] = 0.875f;
        s.matrix.labels[i] = i % 2 == 0 ? 0x1p28 : -0x1p28;
    }
    plan_scene(&s, SOTTO_SAMPLER_PROXIMAL, 1e-2);
    sot_sampler_counts counts;
    double *draws = draw_many(&s, 1200, 78, &counts);
    s.matrix.rows =
        0; /* the quadrature cannot hold the sums either: take their part of F as a prior of its own */
    s.potential.lambda += 0.5 * 8.0 * 0.875 * 0.875;
    assert_true(line_p(&s, draws, 1200) > FALSE_ALARM);
    free(draws);
    s.matrix.rows = 8;
    end_scene(&s);
}

/* ---- coins ---- */

static void coins_fall_with_the_probability_of_their_exponent(void **state)
{
    (void)state;
    sotto_rng *rng = NULL;
    sotto_error error = {0};
    assert_ok(sotto_rng_new_for_test(5, &rng, &error), &error);
    static const double exponents[] = {0.0, 1e-9, 0.1375, 1.0, 3.5};
    enum { FLIPS = 20000 };
    for (size_t k = 0; k < sizeof exponents / sizeof *exponents; k++) {
        double heads = 0.0;
        for (int i = 0; i < FLIPS; i++) {
            sot_digits u;
            bool open;
            sot_coin_draw(rng, &u);
            const sot_answer quick = sot_coin_quick(&u, exponents[k], 1e-12);
            const bool careful = sot_coin_careful(
                rng, &u, (sot_twofold){exponents[k], 0.0}, 0x1p-80, &open);
            assert_false(open);
            if (quick != SOT_ANSWER_OPEN)
                assert_true(careful == (quick == SOT_ANSWER_YES));
            heads += careful;
        }
        const double share = exp(-exponents[k]);
        const double spread = sqrt(FLIPS * share * (1.0 - share)) + 1.0;
        assert_within(heads, FLIPS * share - 5.5 * spread, FLIPS * share + 5.5 * spread);
    }
    sotto_rng_free(rng);
}

static void a_uniform_at_the_edge_leaves_a_quick_coin_open(void **state)
{
    (void)state;
    const double a = 0.6931471805599453; /* log 2 */
    sot_digits u = {.count = 2, .word = {UINT64_C(1) << 63, 0}};
    assert_int_equal(sot_coin_quick(&u, a, 1e-9), SOT_ANSWER_OPEN);
    u.word[0] -= UINT64_C(1) << 40; /* 2^-24 below */
    assert_int_equal(sot_coin_quick(&u, a, 1e-9), SOT_ANSWER_YES);
    u.word[0] += UINT64_C(1) << 41;
    assert_int_equal(sot_coin_quick(&u, a, 1e-9), SOT_ANSWER_NO);
    assert_int_equal(sot_coin_quick(&u, a, 1e-3), SOT_ANSWER_OPEN);
    /* log 2 to 106 bits: U = 1/2 is nearer to exp(-a) than anything claims to know. */
    const sot_twofold exact = {0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56};
    bool open;
    u.word[0] = UINT64_C(1) << 63;
    (void)sot_coin_careful(NULL, &u, exact, 0x1p-80, &open);
    assert_true(open);
    u.word[0] |= 1; /* 2^-63 above: decided */
    assert_false(sot_coin_careful(NULL, &u, exact, 0x1p-80, &open));
    assert_false(open);
}

/* ---- normals and the ball ---- */

static void normals_to_two_doubles_keep_their_digits(void **state)
{
    (void)state;
    sotto_rng *rng = NULL;
    sotto_error error = {0};
    mpfr_t exact, word;
    mpfr_inits2(400, exact, word, (mpfr_ptr)NULL);
    assert_ok(sotto_rng_new_for_test(6, &rng, &error), &error);
    for (int i = 0; i < 2000; i++) {
        sot_normal z;
        sot_normal_draw(rng, &z);
        if (i % 3 == 0) z.magnitude.word[0] >>= 30 + i % 20; /* small ones */
        const sot_twofold got = sot_normal_twofold(rng, &z);
        mpfr_set_zero(exact, 1);
        for (unsigned k = 0; k < 3; k++) {
            mpfr_set_uj_2exp(word, z.magnitude.word[k], 9 - 64 * ((int)k + 1), MPFR_RNDN);
            mpfr_add(exact, exact, word, MPFR_RNDN);
        }
        if (z.negative) mpfr_neg(exact, exact, MPFR_RNDN);
        const double size = fabs(mpfr_get_d(exact, MPFR_RNDN));
        assert_within(exact_distance(exact, got.high, got.low), 0.0, size * 0x1p-104);
    }
    mpfr_clears(exact, word, (mpfr_ptr)NULL);
    sotto_rng_free(rng);
}

enum { BALL = 3 };

/* |base + offset + scale xi|^2 - radius^2, its sign from 600 bits. */
static int exact_side(const sot_proposal *of, double radius)
{
    mpfr_t sum, p, part;
    mpfr_inits2(900, sum, p, part, (mpfr_ptr)NULL);
    mpfr_set_d(sum, radius, MPFR_RNDN);
    mpfr_sqr(sum, sum, MPFR_RNDN);
    mpfr_neg(sum, sum, MPFR_RNDN);
    for (size_t j = 0; j < of->dimension; j++) {
        mpfr_set_zero(p, 1);
        for (unsigned k = 0; k < of->normals[j].magnitude.count; k++) {
            mpfr_set_uj_2exp(part, of->normals[j].magnitude.word[k],
                             9 - 64 * ((int)k + 1), MPFR_RNDN);
            mpfr_add(p, p, part, MPFR_RNDN);
        }
        mpfr_mul_d(p, p, of->normals[j].negative ? -of->scale : of->scale, MPFR_RNDN);
        mpfr_add_d(p, p, of->base[j].high, MPFR_RNDN);
        mpfr_add_d(p, p, of->base[j].low, MPFR_RNDN);
        mpfr_add_d(p, p, of->offset[j].high, MPFR_RNDN);
        mpfr_add_d(p, p, of->offset[j].low, MPFR_RNDN);
        mpfr_sqr(p, p, MPFR_RNDN);
        mpfr_add(sum, sum, p, MPFR_RNDN);
    }
    const int side = mpfr_sgn(sum);
    mpfr_clears(sum, p, part, (mpfr_ptr)NULL);
    return side;
}

/* Points on the sphere up to 2^-100 and less: only digits tell on which side they are. */
static void the_ball_is_decided_by_digits_where_doubles_fail(void **state)
{
    (void)state;
    sotto_rng *rng = NULL;
    sotto_error error = {0};
    assert_ok(sotto_rng_new_for_test(7, &rng, &error), &error);
    sot_normal normals[BALL];
    sot_twofold base[BALL], offset[BALL], p[BALL];
    size_t inside = 0;
    enum { TRIES = 600 };
    for (int i = 0; i < TRIES; i++) {
        const double scale = ldexp(0.7, -(i % 40));
        const sot_proposal of = {base, offset, normals, scale, BALL};
        double squares = 0.0;
        for (size_t j = 0; j < BALL; j++) {
            sot_normal_draw(rng, &normals[j]);
            base[j] = (sot_twofold){0.3 * (double)j - 0.55, 0x1p-57 * (double)(i % 7)};
            offset[j] = (sot_twofold){0x1p-9 * (double)(i % 5), -0x1p-66};
            const sot_twofold step =
                sot_twofold_times(sot_normal_twofold(rng, &normals[j]), scale);
            p[j] = sot_twofold_add(base[j], sot_twofold_add(offset[j], step));
            squares += p[j].high * p[j].high;
        }
        /* The sphere through the point, as near as a double radius comes: then the last coordinate is moved onto it. */
        const double radius = sqrt(squares);
        sot_twofold over = sot_twofold_minus(sot_twofold_of_product(radius, radius));
        for (size_t j = 0; j < BALL; j++)
            over = sot_twofold_add(over, sot_twofold_mul(p[j], p[j]));
        const double move = -over.high / (2.0 * p[0].high);
        offset[0] = sot_twofold_plus(offset[0], move);
        p[0] = sot_twofold_plus(p[0], move);
        const bool holds = i % 2 == 0 ? sot_ball_holds(rng, &of, p, radius)
                                      : sot_ball_holds_exactly(rng, &of, radius);
        assert_true(holds == (exact_side(&of, radius) <= 0));
        inside += holds;
    }
    assert_true(inside > TRIES / 4 && inside < TRIES * 3 / 4);
    sotto_rng_free(rng);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(careful_decisions_are_those_of_doubles_where_doubles_can_decide),
        cmocka_unit_test(sums_that_doubles_cannot_hold_are_compared_carefully),
        cmocka_unit_test(large_labels_leave_the_law_alone),
        cmocka_unit_test(coins_fall_with_the_probability_of_their_exponent),
        cmocka_unit_test(a_uniform_at_the_edge_leaves_a_quick_coin_open),
        cmocka_unit_test(normals_to_two_doubles_keep_their_digits),
        cmocka_unit_test(the_ball_is_decided_by_digits_where_doubles_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
