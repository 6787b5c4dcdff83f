/* One row's release beside a Gaussian one: delta(epsilon) = E delta_row(epsilon - l), l the Gaussian's loss. The two pairs are
 * composed, so that it does not matter which release comes first, nor whether its settings depend on the other. */
#include <float.h>
#include <math.h>

#include "numeric/outward.h"
#include "numeric/special.h"
#include "privacy/accounting/objective_loss/loss.h"

/* sot_ndtr is good to a relative 1.5e-15; four of them, and a difference, are off by less than this. */
static const double mass_error = 1e-14;

bool sot_objective_has_directions(const sot_objective *objective)
{
    return objective->is_frozen && objective->rows == 1 && !objective->is_replaced;
}

static double row_delta_upper(const sot_frozen_row *row, sot_direction direction,
                              double epsilon)
{
    return direction == SOT_REMOVE ? sot_frozen_removed_upper(row, epsilon)
                                   : sot_frozen_added_upper(row, epsilon);
}

/* A cell's end: l = mu^2/2 + mu z. */
typedef struct cell_end {
    double loss, error; /* nearest, and its largest error */
    double above;       /* P(l' > l) */
    double tilted;      /* E e^-l' over l' > l: Phi(-z - mu) */
    double delta;       /* of the row at epsilon - l, rounded up */
} cell_end;

static cell_end end_at(const sot_frozen_row *row, sot_direction direction, double mu,
                       double z, double epsilon)
{
    cell_end end = {.loss = mu * (0.5 * mu + z),
                    .error = 8.0 * DBL_EPSILON * mu * (0.5 * mu + fabs(z)),
                    .above = sot_ndtr(-z),
                    .tilted = sot_ndtr(-z - mu)};
    end.delta = row_delta_upper(row, direction,
                                sot_sub_down(epsilon, sot_add_up(end.loss, end.error)));
    return end;
}

/* E delta(epsilon - l) over a cell. delta is convex in e^{epsilon - l}, so it lies under its
 * chord. The mass goes to the two ends with the mean of e^-l kept (connect the dots,
 * privacy/accounting/pld/pld.md). The sum grows with `mass` and with `moved`. */
static double cell_upper(const cell_end *left, const cell_end *right)
{
    const double mass = left->above - right->above + mass_error * left->above;
    const double kept = left->tilted - right->tilted - mass_error * left->tilted;
    const double rise = sot_sub_up(
        mass, sot_mul_down(fmax(0.0, kept), sot_exp_down(left->loss - left->error)));
    const double width = right->loss - left->loss - left->error - right->error;
    const double moved = fmin(mass, sot_div_up(fmax(0.0, rise), -sot_expm1_up(-width)));
    const double climb = fmax(0.0, sot_sub_up(right->delta, left->delta));
    /* A width of nothing divides by 0: all of the mass is moved then. */
    return sot_add_up(sot_mul_up(mass, left->delta),
                      sot_mul_up(width > 0.0 ? moved : mass, climb));
}

/* Losses below the first end count as that end, losses above the last one as infinite. */
static double smoothed_upper(const sot_frozen_row *row, sot_direction direction,
                             double mu, double epsilon)
{
    const double alone = row_delta_upper(row, direction, epsilon);
    const double reach = sqrt(2.0 * (log(0x1p30) - log(fmax(alone, 1e-300))));
    const int cells = 10 + (int)fmin(120.0, ceil(64.0 * mu / row->shift));
    cell_end left = end_at(row, direction, mu, -reach, epsilon);
    double sum = sot_widen_up(sot_ndtr(-reach), mass_error);
    sum = sot_add_up(sum, sot_mul_up(sum, left.delta)); /* both tails are as likely */
    for (int i = 1; i <= cells; i++) {
        const double z = i == cells ? reach : reach * (2.0 * i / cells - 1.0);
        const cell_end right = end_at(row, direction, mu, z, epsilon);
        sum = sot_add_up(sum, cell_upper(&left, &right));
        left = right;
    }
    return sum < 1.0 ? sum : 1.0;
}

double sot_objective_beside_gaussian_upper(const sot_objective *objective,
                                           sot_direction direction, double square,
                                           double epsilon)
{
    double most;
    const sot_frozen_row row = sot_objective_frozen_row(objective, &most);
    if (!(square > 0.0)) return row_delta_upper(&row, direction, epsilon);
    return smoothed_upper(&row, direction, sot_sqrt_up(square), epsilon);
}
