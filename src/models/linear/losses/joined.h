/* models/linear/losses/joined.h: a caller's loss whose slopes at fixed margins are joined by
 * lines.
 *
 * Idea: a sampler decides by differences of losses to some 90 bits. A caller's function has 53,
 * and is known to be convex only on a grid. So samplers take a piecewise linear slope, which is
 * the caller's at the margins k / 32 of [-64, 64]. It is clipped, never falls and never rises
 * faster than allowed. Everything about this function is exact, and it is convex for any caller's
 * function. For numbers as labels the same holds at labels k / 32 of [-1, 1], with the weighted
 * mean of the two between them: convex again.
 *
 * Claims: as in loss.md, without the caller's assumptions. |f'| <= slope_most; curvature_most is
 * the table's largest.
 */
#ifndef SOT_MODELS_LINEAR_LOSSES_JOINED_H
#define SOT_MODELS_LINEAR_LOSSES_JOINED_H

#include "models/linear/losses/loss.h"

typedef struct sot_loss_joined {
    sot_loss loss;           /* to be used; its context is this object */
    size_t labels;           /* 2: classes */
    double *slopes, *values; /* SOT_LOSS_JOINED_NODES a label */
} sot_loss_joined;

enum { SOT_LOSS_JOINED_NODES = 4097 };

/* True if a loss is one of sot_loss_custom(). */
static inline bool sot_loss_is_callers(const sot_loss *loss)
{
    return loss->context != NULL && loss->difference_careful == NULL;
}

/* Return bounds on curvature_most and difference_error_careful, known without the
 * table. */
double sot_loss_joined_curvature(const sot_loss *custom);
double sot_loss_joined_difference_error(const sot_loss *custom);

/* From a loss of sot_loss_custom(), which it asks at the grid and then needs no more. Refuses one whose slope jumps. Free with
 * sot_loss_joined_free(). */
SOTTO_MUST_CHECK sotto_status sot_loss_joined_new(const sot_loss *custom,
                                                  sot_loss_joined **out_joined,
                                                  sotto_error *error);
void sot_loss_joined_free(sot_loss_joined *joined); /* NULL is fine */

#endif
