#include "privacy/accounting/objective_loss.h"

#include <float.h>
#include <math.h>

#include "numeric/outward.h"
#include "numeric/special.h"
#include "privacy/accounting/gaussian_profile.h"

/* sot_ndtr and sot_log_ndtr are good to a relative 1.5e-15. */
static const double ndtr_error = 2e-15;

double sot_objective_delta_upper(double shift, double atom, double epsilon)
{
    const sot_bracket exact_shift = {shift, shift};
    if (epsilon >= atom) return sot_gaussian_delta(exact_shift, epsilon).upper;
    /* 1 - e^x (1 - tail) at x = epsilon - atom falls with x, so x may be rounded down. */
    const double tail = sot_gaussian_delta(exact_shift, atom).upper;
    const double below = sot_sub_down(epsilon, atom);
    const double lost = -sot_expm1_down(below);
    return fmin(1.0, sot_add_up(lost, sot_mul_up(sot_exp_up(below), tail)));
}

/* atom/A - A/2, rounded up: the atom in standard deviations of t. */
static double atom_place_up(double shift, double atom)
{
    return sot_sub_up(sot_div_up(atom, shift), 0.5 * shift);
}

double sot_objective_log_atom_upper(double shift, double atom)
{
    const double log_probability = sot_log_ndtr(atom_place_up(shift, atom));
    return fmin(0.0, log_probability + ndtr_error * fabs(log_probability));
}

/* E e^{rL} = e^{r atom} (1 + d), d = e^y - Phi(A/2 - atom/A),
 * y = r (r + 1) A^2/2 - r atom + log Phi(A/2 + r A - atom/A): no cancellation where the tail
 * above the atom is light, and d >= 0 always. */
double sot_objective_log_mgf_upper(double shift, double atom, double order)
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
