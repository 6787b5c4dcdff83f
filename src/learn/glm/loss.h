/* glm/loss.h: convex losses of a margin, f(u; y) with u = theta.x, and their certified constants. */
#ifndef SOT_GLM_LOSS_H
#define SOT_GLM_LOSS_H

#include <stdbool.h>

typedef struct sot_loss_at {
    double value, slope, curvature; /* f, f', f'' in u */
} sot_loss_at;

typedef struct sot_loss {
    const char *name;
    double slope_most;     /* sup |f'|: the loss is slope_most R-Lipschitz for |x| <= R */
    double curvature_most; /* sup f'': it is curvature_most R^2-smooth */
    bool self_bounding;    /* f'' <= |f'| (1 - |f'|): the determinant is free */
    /* Computed with errors of at most slope_error (absolute) in f' and curvature_error in f''. */
    void (*at)(double u, double label, sot_loss_at *out);
    double slope_error, curvature_error;
    /* f' to about the precision of long double; slope_error_long bounds its absolute error. */
    long double (*slope_long)(long double u, double label);
    double slope_error_long;
} sot_loss;

/* log(1 + exp(-y u)), y = -1 or 1: slope_most 1, curvature_most 1/4, self-bounding. */
extern const sot_loss sot_loss_logistic;

#endif
