#include "privacy/accounting/objective_loss.h"

#include <float.h>
#include <math.h>

#include "base/plant.h"
#include "numeric/outward.h"
#include "numeric/special.h"
#include "privacy/accounting/gaussian_profile.h"
#include "privacy/accounting/row_loss.h"

/* sot_ndtr and sot_log_ndtr are good to a relative 1.5e-15. */
static const double ndtr_error = 2e-15;

/* Chains of more steps than this are priced by the atom alone. */
enum { STEPS_MAX = 64 };

sot_objective sot_objective_of(const sotto_event *event, sotto_adjacency adjacency)
{
    return (sot_objective){.shift = sot_div_up(1.0, event->noise_multiplier),
                           .atom = event->atom,
                           .rows = event->rows,
                           .is_replaced = adjacency == SOTTO_REPLACE_ONE,
                           .count = 1.0};
}

static uint32_t steps_of(const sot_objective *objective)
{
    if (objective->rows == 0 || objective->rows > STEPS_MAX) return 0;
    return objective->is_replaced ? 2 * objective->rows : objective->rows;
}

/* The law of one row that goes, from the whole's two numbers: objective.h says how A and the atom
 * follow from a and kappa, and this is the other way round. The last factor is for R, which the
 * rounding of A may have grown in its last place. */
static sot_row_loss row_of(const sot_objective *objective)
{
    const double rows = (double)objective->rows;
    const double shift = sot_div_up(objective->shift, (double)steps_of(objective));
    const double square = sot_mul_up(shift, shift);
    double kappa = objective->atom;
    if (objective->is_replaced) { /* atom >= 2 k kappa - k a^2 */
        kappa =
            sot_div_up(sot_add_up(objective->atom, sot_mul_up(rows, square)), 2.0 * rows);
    } else if (objective->rows > 1) { /* atom = k kappa + k (k - 1) a^2/2 */
        const double chain =
            sot_widen_down(0.5 * rows * (rows - 1.0) * square, 16.0 * DBL_EPSILON);
        kappa = fmax(0.0, sot_div_up(sot_sub_up(objective->atom, chain), rows));
    }
    return (sot_row_loss){shift, sot_widen_up(kappa + 0x1p-45 * square, 0x1p-45)};
}

double sot_objective_delta_upper(const sot_objective *objective, double epsilon)
{
    const double atom = objective->atom;
    const sot_bracket exact_shift = {objective->shift, objective->shift};
    if (epsilon >= atom) return sot_gaussian_delta(exact_shift, epsilon).upper;
    /* 1 - e^x (1 - tail) at x = epsilon - atom falls with x, so x may be rounded down. */
    const double tail = sot_gaussian_delta(exact_shift, atom).upper;
    const double below = sot_sub_down(epsilon, atom);
    const double lost = -sot_expm1_down(below);
    const double chord = sot_add_up(lost, sot_mul_up(sot_exp_up(below), tail));
    if (steps_of(objective) != 1) return fmin(1.0, chord);
    const sot_row_loss row = row_of(objective);
    return fmin(fmin(1.0, chord), sot_row_delta_upper(&row, epsilon));
}

/* atom/A - A/2, rounded up: the atom in standard deviations of t. */
static double atom_place_up(double shift, double atom)
{
    return sot_sub_up(sot_div_up(atom, shift), 0.5 * shift);
}

double sot_objective_log_atom_upper(const sot_objective *objective)
{
    const double log_probability =
        sot_log_ndtr(atom_place_up(objective->shift, objective->atom));
    return fmin(0.0, log_probability + ndtr_error * fabs(log_probability));
}

/* E e^{rL} = e^{r atom} (1 + d), d = e^y - Phi(A/2 - atom/A),
 * y = r (r + 1) A^2/2 - r atom + log Phi(A/2 + r A - atom/A): no cancellation where the tail
 * above the atom is light, and d >= 0 always. */
static double atom_log_mgf_upper(double shift, double atom, double order)
{
    const double half_square = 0.5 * sot_mul_up(shift, shift);
    const double growth =
        sot_mul_up(sot_mul_up(order, sot_add_up(order, 1.0)), half_square);
    const double at_atom_up = sot_mul_up(order, atom);
    const double place = sot_sub_up(sot_add_up(0.5 * shift, sot_mul_up(order, shift)),
                                    sot_div_down(atom, shift));
    const double log_tail = sot_log_ndtr(place);
    const double log_tail_up = fmin(0.0, log_tail + ndtr_error * fabs(log_tail));
    const double y =
        sot_add_up(sot_sub_up(growth, sot_mul_down(order, atom)), log_tail_up);
    double log_rest;
    if (y > 30.0) { /* Phi(...) <= 1 is nothing beside e^y */
        log_rest = sot_add_up(y, sot_log1p_up(sot_exp_up(-y)));
    } else {
        const double above = sot_ndtr(-atom_place_up(shift, atom));
        const double above_down = fmax(0.0, sot_widen_down(above, ndtr_error));
        log_rest = sot_log1p_up(fmax(0.0, sot_sub_up(sot_exp_up(y), above_down)));
    }
    return sot_add_up(at_atom_up, log_rest);
}

/* A chain of steps P_0, P_1 .. P_n: by Hoelder, for every p > 1,
 *     K(r) <= K_first(p (r + 1) - 1) / p + (1 - 1/p) K_second(p r / (p - 1)),
 * Mironov's weak triangle inequality (CSF 2017, Prop. 11) in logarithms of moments. p = 1 + r
 * n_second / ((r + 1) n_first) is the best one for Gaussian steps; all are valid. The first
 * `added` steps bring a row, the others take one away. */
static double chain_log_mgf_upper(const sot_row_loss *row, uint32_t added,
                                  uint32_t removed, double order)
{
    const uint32_t steps = added + removed;
    if (steps == 1) {
        const sot_row_loss one = {row->shift, added == 1 ? 0.0 : row->kappa};
        return sot_row_log_mgf_upper(&one, order);
    }
    const uint32_t first = steps / 2;
    const uint32_t first_added = added < first ? added : first;
    const double ratio =
        order * (double)(steps - first) / ((order + 1.0) * (double)first);
    const double p = 1.0 + ratio;
    /* Moments grow with the order, so that these may be rounded up. */
    const double first_order = sot_widen_up(p * order + ratio, 0x1p-50);
    const double second_order = sot_widen_up(order / ratio * p, 0x1p-50);
    const double one =
        chain_log_mgf_upper(row, first_added, first - first_added, first_order);
    const double two = chain_log_mgf_upper(row, added - first_added,
                                           removed - (first - first_added), second_order);
    return sot_widen_up(one / p + ratio / p * two, 0x1p-50);
}

double sot_objective_log_mgf_upper(const sot_objective *objective, double order)
{
    const double simple = atom_log_mgf_upper(objective->shift, objective->atom, order);
    const uint32_t steps = steps_of(objective);
    if (steps == 0) return simple;
    const sot_row_loss row = row_of(objective);
    const uint32_t added = objective->is_replaced ? objective->rows : 0;
    uint32_t removed = objective->rows;
    if (SOT_PLANTED(objective_chain_forgets_a_step) && steps > 1) removed--;
    return fmin(simple, chain_log_mgf_upper(&row, added, removed, order));
}
