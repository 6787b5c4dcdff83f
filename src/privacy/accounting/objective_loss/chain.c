#include "privacy/accounting/objective_loss/chain.h"

#include <math.h>
#include <stdbool.h>

#include "numeric/outward.h"

static double removed_upper(const sot_chain *chain, double epsilon)
{
    return chain->hull != NULL ? sot_row_hull_chord_upper(chain->hull, epsilon)
                               : sot_frozen_removed_upper(&chain->row, epsilon);
}

static double added_upper(const sot_chain *chain, double epsilon)
{
    return chain->hull != NULL && epsilon < 0.0
               ? sot_mirrored_delta_upper(epsilon, removed_upper(chain, -epsilon))
               : sot_frozen_added_upper(&chain->row, epsilon);
}

/* The split that is the best for steps that are Gaussian shifts of a (added) and s a with an offset c(s) (removed). */
static double split_upper(const sot_chain *chain, uint32_t added, uint32_t removed,
                          double slope, double epsilon)
{
    const sot_frozen_row *row = &chain->row;
    const uint32_t steps = added + removed;
    const double a = row->shift;
    const double offset =
        row->signs > 0 ? row->offset : log1p(slope * (1.0 - slope) * row->determinant);
    const double length = a * ((double)added + slope * (double)removed);
    /* With means from `length` down to 0, the threshold T of the whole: sum of epsilon_i = epsilon. */
    const double threshold = (epsilon - offset * (double)removed) / length + 0.5 * length;
    double spent = 0.0, sum = 0.0, mean = length;
    for (uint32_t i = 0; i < steps; i++) {
        const bool comes = i < added;
        const double step = comes ? a : slope * a;
        double part = step * (threshold - mean + 0.5 * step) + (comes ? 0.0 : offset);
        if (i + 1 == steps) part = sot_sub_down(epsilon, spent); /* exactly the rest */
        const double here = comes ? added_upper(chain, part) : removed_upper(chain, part);
        sum = sot_add_up(sum, sot_mul_up(sot_exp_up(spent), here));
        spent = sot_add_up(spent, part);
        mean -= step;
        if (!(sum < 1.0)) return 1.0;
    }
    return sum;
}

/* Slopes whose split is tried: any is sound. Other losses than the logistic have their largest slope only. */
static const double split_slopes[] = {1.0, 0.9, 0.8, 0.7, 0.6, 0.5};

double sot_chain_delta_upper(const sot_chain *chain, uint32_t added, uint32_t removed,
                             double epsilon)
{
    const bool is_one = added + removed == 1 || removed == 0 || chain->row.signs > 0;
    const size_t tried = is_one ? 1 : sizeof split_slopes / sizeof *split_slopes;
    double least = 1.0;
    for (size_t i = 0; i < tried; i++)
        least = fmin(least, split_upper(chain, added, removed, split_slopes[i], epsilon));
    return least;
}
