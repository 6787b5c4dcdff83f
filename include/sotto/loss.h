/* sotto/loss.h: a convex loss of the caller's, for SOTTO_MODEL_CUSTOM.
 *
 * Idea        A generalised linear model's loss is a convex function f(u; y) of the margin
 *             u = theta.x and the label y. With f and bounds on its slope and curvature, every
 *             method that needs only these is available.
 * Theorem     Gradient methods and output perturbation need f' to rise with u, and
 *             |f'| <= slope_most. The library enforces the latter by clipping the slope: the loss
 *             continues as a line and stays convex. It also continues as a line beyond margins of
 *             64. Objective perturbation also needs f' to be Lipschitz with curvature_most.
 * Assumes     (1) f' rises with u, for every label. (2) |f'(u) - f'(v)| <= curvature_most
 *             |u - v|.
 *             (3) The functions depend only on their arguments, and the computed slope is within
 *             slope_error of the exact one. The library tests all three on a grid of margins and
 *             labels, and refuses a loss that fails. Between the grid's points they are
 *             assumptions, which the certificate states.
 * Docs        losses.md
 */
#ifndef SOTTO_LOSS_H
#define SOTTO_LOSS_H

#include <stdbool.h>

#include <sotto/error.h>

#ifdef __cplusplus
extern "C" {
#endif

/* f, f' and f'' at one margin. */
typedef struct sotto_loss_at {
    double value, slope, curvature;
} sotto_loss_at;

typedef struct sotto_loss {
    const char *name; /* [a-z0-9-]+, for the certificate */
    /* Total: any margin, any label of the target's range. Called from several threads. */
    void (*at)(double margin, double label, void *context, sotto_loss_at *out);
    void *context;
    double slope_most;     /* sup |f'|, finite and positive */
    double curvature_most; /* sup f''; infinite: not smooth, no objective perturbation */
    double slope_error;    /* absolute, of the computed f' */
    bool one_signed;       /* for a given label f' never changes its sign */
    bool classes; /* labels are classes, -1 and 1; otherwise numbers, scaled to [-1, 1] */
} sotto_loss;

#ifdef __cplusplus
}
#endif
#endif
