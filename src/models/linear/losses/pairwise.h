/* models/linear/losses/pairwise.h: pairwise sums of many double-double numbers, with at most
 * 64 + 32 additions per number.
 *
 * Error: at most SOT_PAIRWISE_ERROR times the sum of the sizes, for up to 2^32 numbers. There are
 * blocks of 64, 26 levels of pairs and their fold, then at most 64 chunks: 192 additions of 3 u^2
 * (1 + 4 u) each.
 */
#ifndef SOT_MODELS_LINEAR_LOSSES_PAIRWISE_H
#define SOT_MODELS_LINEAR_LOSSES_PAIRWISE_H

#include <stddef.h>
#include <stdint.h>

#include "models/linear/losses/double_double.h"

#define SOT_PAIRWISE_ERROR 0x1p-96

enum { SOT_PAIRWISE_BLOCK = 64, SOT_PAIRWISE_LEVELS = 40 };

/* Starts as zeros. Level k holds the sum of 2^k blocks if bit k of `blocks` is set. */
typedef struct sot_pairwise {
    sot_twofold block;
    unsigned in_block;
    uint64_t blocks;
    sot_twofold level[SOT_PAIRWISE_LEVELS];
} sot_pairwise;

static inline void sot_pairwise_add(sot_pairwise *sum, sot_twofold x)
{
    sum->block = sot_twofold_add(sum->block, x);
    if (++sum->in_block < SOT_PAIRWISE_BLOCK) return;
    sot_twofold carry = sum->block;
    unsigned k = 0;
    for (; (sum->blocks >> k & 1) != 0; k++)
        carry = sot_twofold_add(sum->level[k], carry);
    sum->level[k] = carry;
    sum->blocks++;
    sum->block = (sot_twofold){0.0, 0.0};
    sum->in_block = 0;
}

static inline sot_twofold sot_pairwise_sum(const sot_pairwise *sum)
{
    sot_twofold total = sum->block;
    for (unsigned k = 0; k < SOT_PAIRWISE_LEVELS; k++) {
        if ((sum->blocks >> k & 1) != 0) total = sot_twofold_add(total, sum->level[k]);
    }
    return total;
}

/* Adds double-double numbers stored side by side, the second double after the first. */
static inline sot_twofold sot_pairwise_of_numbers(const double *numbers, size_t count)
{
    sot_twofold total = {0.0, 0.0};
    for (size_t k = 0; k < count; k++)
        total = sot_twofold_add(total, (sot_twofold){numbers[2 * k], numbers[2 * k + 1]});
    return total;
}

#endif
