/* methods/posterior/decide.h: decisions about partly known real numbers: coins, and the ball.
 * Proof note: proximal.md.
 *
 * A proposal is the real vector p = base + offset + scale xi. Here base and offset are
 * double-double vectors, scale is a double, and xi are exact normal numbers with any number of
 * digits.
 */
#ifndef SOT_METHODS_POSTERIOR_DECIDE_H
#define SOT_METHODS_POSTERIOR_DECIDE_H

#include "models/linear/losses/double_double.h"
#include "random/digits.h"
#include "random/normal.h"

typedef enum sot_answer {
    SOT_ANSWER_NO = 0,
    SOT_ANSWER_YES = 1,
    SOT_ANSWER_OPEN = 2
} sot_answer;

/* A normal number to 2^-104 of its size, or 2^-170: three words of its digits. */
sot_twofold sot_normal_twofold(sotto_rng *rng, sot_normal *normal);

/* A uniform number whose first two words are known. */
void sot_coin_draw(sotto_rng *rng, sot_digits *out_uniform);

/* U <= exp(-a) for the real number a, of which |a - computed| <= error is known: open if U is too near. */
sot_answer sot_coin_quick(const sot_digits *uniform, double computed, double error);

/* The same, a to 106 bits; it always answers. *out_open if U is within `guard` exp(-a): then the answer may be wrong. */
bool sot_coin_careful(sotto_rng *rng, sot_digits *uniform, sot_twofold a, double guard,
                      bool *out_open);

typedef struct sot_proposal {
    const sot_twofold *base, *offset;
    sot_normal *normals;
    double scale;
    size_t dimension;
} sot_proposal;

/* Decides |p| <= radius in double-double arithmetic, where p is known to 2^-100 |p|;
 * where that is not enough, exactly. */
bool sot_ball_holds(sotto_rng *rng, const sot_proposal *proposal, const sot_twofold *p,
                    double radius);

/* The same in 384 binary places at once. Wrong with a probability of less than 2^-300. */
bool sot_ball_holds_exactly(sotto_rng *rng, const sot_proposal *proposal, double radius);

#ifdef SOTTO_TESTING
/* Forces extended precision: every fast decision is left open from now on. */
void sot_test_always_careful(bool on);
#endif

#endif
