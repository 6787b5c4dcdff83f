#include "privacy/accounting/objective_loss/loss.h"

#include <float.h>
#include <math.h>

#include "numeric/outward.h"
#include "numeric/special.h"
#include "privacy/accounting/objective_loss/row_loss.h"
#include "privacy/accounting/profile/gaussian.h"

/* sot_ndtr and sot_log_ndtr are good to a relative 1.5e-15. */
static const double ndtr_error = 2e-15;

/* Chains of more steps than this are priced only by the atom. */
enum { STEPS_MAX = 64 };

/* One-row steps of a unit; 0 where the event does not know them. */
static uint32_t steps_of(const sot_objective *objective)
{
    const bool has_law = objective->offset > 0.0 || objective->vertices > 1.0;
    if (has_law && objective->signs == 0) return 0;
    if (objective->rows == 0 || objective->rows > STEPS_MAX) return 0;
    return objective->is_replaced ? 2 * objective->rows : objective->rows;
}

/* Where m P(t > x) is about 1: A^2/2 + z A with P(Z > z) = 1/m. The distribution below it is the atom
 * there; any place is sound (privacy/accounting/objective/objective.md, Rounding), this one is the best. */
static double start_of_tail(double shift, double vertices)
{
    const double z = -sot_normal_quantile_log(-log(vertices));
    return shift * (0.5 * shift + z);
}

/* Losses of one margin with SOTTO_FROZEN_SLOPE: the event states k, C = k c and the signs of a slope. The number of vertices
 * of a chain and its atom follow (privacy/accounting/objective/objective.md, claim 5). */
static void complete_margin(sot_objective *objective)
{
    const double rows = (double)objective->rows;
    const double one =
        sot_div_up(objective->shift, objective->is_replaced ? 2.0 * rows : rows);
    const double steps =
        objective->is_replaced ? rows * (2.0 * rows - 1.0) : 0.5 * rows * (rows - 1.0);
    const double growth = /* of one row exactly 1: rounded up it would count twice */
        objective->rows == 1
            ? 1.0
            : sot_exp_up(sot_mul_up(rows - 1.0, sot_div_up(objective->offset, rows)));
    objective->vertices = fmax(ceil(growth), (double)objective->signs);
    objective->atom =
        fmax(objective->atom,
             sot_add_up(objective->offset, sot_mul_up(steps, sot_mul_up(one, one))));
}

sot_objective sot_objective_of(const sotto_event *event, sotto_adjacency adjacency)
{
    sot_objective objective = {.shift = sot_div_up(1.0, event->noise_multiplier),
                               .atom = event->atom,
                               .offset = isnan(event->shift) ? 0.0 : event->shift,
                               .vertices =
                                   event->vertices == 0 ? 1.0 : (double)event->vertices,
                               .rows = event->rows,
                               .is_replaced = adjacency == SOTTO_REPLACE_ONE,
                               .count = 1.0};
    const bool is_frozen = event->theorem == SOTTO_FROZEN_SLOPE;
    if (is_frozen && (objective.offset > 0.0 || event->vertices > 1)) {
        objective.signs = event->vertices > 1 ? 2 : 1;
        complete_margin(&objective);
    }
    objective.is_frozen = is_frozen && steps_of(&objective) > 0;
    objective.atom = fmax(objective.atom, objective.offset);
    if (objective.vertices > 1.0) {
        objective.atom =
            fmax(objective.atom,
                 sot_add_up(objective.offset,
                            start_of_tail(objective.shift, objective.vertices)));
    }
    return objective;
}

bool sot_objective_equals(const sot_objective *a, const sot_objective *b)
{
    return a->shift == b->shift && a->atom == b->atom && a->offset == b->offset &&
           a->vertices == b->vertices && a->rows == b->rows && a->signs == b->signs &&
           a->is_frozen == b->is_frozen && a->is_replaced == b->is_replaced;
}

/* atom - c: where the tail begins, as a loss of one Gaussian release. It may be rounded down: the
 * tail is then longer. */
static double tail_from_down(const sot_objective *objective)
{
    return objective->offset == 0.0
               ? objective->atom
               : fmax(0.0, sot_sub_down(objective->atom, objective->offset));
}

/* The distribution of one row that goes, from the whole's two numbers: privacy/accounting/objective/objective.h derives A and the atom from
 * a and kappa, and this is the other way round. The last factor is for R, which the
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

/* m G(A, epsilon - c), epsilon >= c. */
static double tail_delta_upper(const sot_objective *objective, double epsilon)
{
    const sot_bracket exact_shift = {objective->shift, objective->shift};
    const double left =
        objective->offset == 0.0 ? epsilon : sot_sub_down(epsilon, objective->offset);
    const double one = sot_gaussian_delta(exact_shift, left).upper;
    return fmin(1.0, sot_mul_up(objective->vertices, one));
}

/* ---- the frozen slope: chains of one-row steps ---- */

sot_frozen_row sot_objective_frozen_row(const sot_objective *objective, double *out_most)
{
    if (objective->signs > 0) {
        *out_most = HUGE_VAL;
        return (sot_frozen_row){
            .shift = sot_div_up(objective->shift, (double)steps_of(objective)),
            .offset = sot_div_up(objective->offset, (double)objective->rows),
            .signs = objective->signs};
    }
    const sot_row_loss row = row_of(objective);
    *out_most = row.kappa;
    return (sot_frozen_row){
        .shift = row.shift,
        .determinant = sot_add_up(row.kappa, 0.5 * sot_mul_up(row.shift, row.shift))};
}

/* The hull of one row serves its moments in chains, and pld where the unit is one row. */
sotto_status sot_objective_add_hulls(sot_objective *objective, sotto_error *error)
{
    if (!objective->is_frozen) return SOTTO_OK;
    sotto_status status = SOTTO_OK;
    double most;
    const sot_frozen_row row = sot_objective_frozen_row(objective, &most);
    if (objective->signs == 0) {
        if (most > SOT_ROW_HULL_MOST) /* the former distribution, and the frozen slope */
            return SOTTO_OK;
        status = sot_row_hull_new(&row, most, &objective->hull, error);
        if (steps_of(objective) == 1) return status;
    }
    if (status != SOTTO_OK || steps_of(objective) > SOT_FROZEN_STEPS_MAX) return status;
    const sot_unit unit = {.chain = {row, objective->hull},
                           .shift = objective->shift,
                           .atom = objective->signs == 0 ? objective->atom : 0.0,
                           .rows = objective->rows,
                           .is_replaced = objective->is_replaced};
    return sot_unit_hull_new(&unit, &objective->unit, error);
}

void sot_objective_free_hulls(sot_objective *objective)
{
    sot_row_hull_free(objective->hull);
    sot_unit_hull_free(objective->unit);
    objective->hull = NULL;
    objective->unit = NULL;
}

/* The maximum over both directions. Under replace-one the other direction is the same chain with the names exchanged. */
static double frozen_delta_upper(const sot_objective *objective, double epsilon)
{
    double most;
    const sot_chain chain = {sot_objective_frozen_row(objective, &most), NULL};
    const uint32_t rows = objective->rows;
    if (objective->is_replaced) return sot_chain_delta_upper(&chain, rows, rows, epsilon);
    return fmax(sot_chain_delta_upper(&chain, 0, rows, epsilon),
                sot_chain_delta_upper(&chain, rows, 0, epsilon));
}

/* The atom and its tail. */
static double atom_delta_upper(const sot_objective *objective, double epsilon)
{
    const double atom = objective->atom;
    if (epsilon >= atom) return tail_delta_upper(objective, epsilon);
    /* 1 - e^x (1 - tail) at x = epsilon - atom falls with x, so x may be rounded down. */
    const double tail = tail_delta_upper(objective, atom);
    const double below = sot_sub_down(epsilon, atom);
    const double lost = -sot_expm1_down(below);
    return fmin(1.0, sot_add_up(lost, sot_mul_up(sot_exp_up(below), tail)));
}

double sot_objective_delta_upper(const sot_objective *objective, double epsilon)
{
    double least = atom_delta_upper(objective, epsilon);
    const bool is_margin = objective->signs > 0;
    if (epsilon >= objective->atom && !is_margin) return least; /* the logistic loss */
    if (objective->is_frozen && steps_of(objective) <= SOT_FROZEN_STEPS_MAX)
        least = fmin(least, frozen_delta_upper(objective, epsilon));
    if (steps_of(objective) != 1 || is_margin) return least;
    const sot_row_loss row = row_of(objective);
    return fmin(least, sot_row_delta_upper(&row, epsilon));
}

/* x/A - A/2, rounded up: a loss in standard deviations of t. */
static double place_up(double shift, double x)
{
    return sot_sub_up(sot_div_up(x, shift), 0.5 * shift);
}

/* m P(t > atom - c), rounded down. */
static double above_down(const sot_objective *objective)
{
    /* A tail from further up is lighter. */
    const double from = objective->offset == 0.0
                            ? objective->atom
                            : sot_sub_up(objective->atom, objective->offset);
    const double one =
        sot_widen_down(sot_ndtr(-place_up(objective->shift, from)), ndtr_error);
    return fmax(0.0, sot_mul_down(objective->vertices, one));
}

double sot_objective_log_atom_upper(const sot_objective *objective)
{
    if (objective->vertices > 1.0) {
        const double above = above_down(objective);
        return above < 1.0 ? fmin(0.0, sot_log1p_up(-above)) : -1e300; /* never */
    }
    const double from = objective->offset == 0.0
                            ? objective->atom
                            : sot_sub_up(objective->atom, objective->offset);
    const double log_probability = sot_log_ndtr(place_up(objective->shift, from));
    return fmin(0.0, log_probability + ndtr_error * fabs(log_probability));
}

/* With p = atom - c: E e^{rL} = e^{r atom} (1 + d), d = e^y - m Phi(A/2 - p/A),
 * y = log m + r (r + 1) A^2/2 - r p + log Phi(A/2 + r A - p/A): no cancellation where the tail
 * above the atom is light, and d >= 0 always. */
static double atom_log_mgf_upper(const sot_objective *objective, double order)
{
    const double shift = objective->shift, atom = objective->atom;
    const double from = tail_from_down(objective);
    const double half_square = 0.5 * sot_mul_up(shift, shift);
    const double growth =
        sot_mul_up(sot_mul_up(order, sot_add_up(order, 1.0)), half_square);
    const double at_atom_up = sot_mul_up(order, atom);
    const double place = sot_sub_up(sot_add_up(0.5 * shift, sot_mul_up(order, shift)),
                                    sot_div_down(from, shift));
    const double log_tail = sot_log_ndtr(place);
    const double log_tail_up = fmin(0.0, log_tail + ndtr_error * fabs(log_tail));
    double y = sot_add_up(sot_sub_up(growth, sot_mul_down(order, from)), log_tail_up);
    if (objective->vertices > 1.0) y = sot_add_up(y, sot_log_up(objective->vertices));
    double log_rest;
    if (y > 30.0) { /* Phi(...) <= 1 is nothing beside e^y */
        log_rest = sot_add_up(y, sot_log1p_up(sot_exp_up(-y)));
    } else {
        const double above = above_down(objective);
        log_rest = sot_log1p_up(fmax(0.0, sot_sub_up(sot_exp_up(y), above)));
    }
    return sot_add_up(at_atom_up, log_rest);
}

/* Moments of one step, by the distribution of row_loss.h or by the theorem of frozen_slope.h. */
typedef struct step_moments {
    sot_row_loss row; /* of the logistic loss; other losses: kappa is 0, for additions */
    sot_frozen_row frozen;
    const sot_row_hull *hull; /* NULL: not computed */
    bool is_frozen;
} step_moments;

/* An added row whose slope has two signs: a^2/2 + a|Z| (privacy/accounting/objective/objective.md, section 7). */
static double either_sign_log_mgf_upper(double shift, double order)
{
    const sot_objective law = {
        .shift = shift, .vertices = 2.0, .atom = start_of_tail(shift, 2.0)};
    return atom_log_mgf_upper(&law, order);
}

static double step_log_mgf_upper(const step_moments *step, bool comes, double order)
{
    const bool is_margin = step->frozen.signs > 0;
    if (is_margin && !comes) return sot_frozen_log_mgf_upper(&step->frozen, order);
    if (is_margin && step->frozen.signs > 1)
        return either_sign_log_mgf_upper(step->row.shift, order);
    const sot_row_loss one = {step->row.shift, comes ? 0.0 : step->row.kappa};
    double least = sot_row_log_mgf_upper(&one, order);
    if (!step->is_frozen || is_margin) return least;
    if (step->hull != NULL)
        least = fmin(least, sot_row_hull_log_mgf_upper(
                                step->hull, comes ? SOT_ADD : SOT_REMOVE, order));
    if (!comes) least = fmin(least, sot_frozen_log_mgf_upper(&step->frozen, order));
    return least;
}

/* A chain of steps P_0, P_1 .. P_n: by Hoelder, for every p > 1,
 *     K(r) <= K_first(p (r + 1) - 1) / p + (1 - 1/p) K_second(p r / (p - 1)),
 * Mironov's weak triangle inequality (CSF 2017, Prop. 11) in logarithms of moments. p = 1 + r
 * n_second / ((r + 1) n_first) is the best one for Gaussian steps; all are valid. The first
 * `added` steps bring a row, the others take one away. */
static double chain_log_mgf_upper(const step_moments *step, uint32_t added,
                                  uint32_t removed, double order)
{
    const uint32_t steps = added + removed;
    if (steps == 1) return step_log_mgf_upper(step, added == 1, order);
    const uint32_t first = steps / 2;
    const uint32_t first_added = added < first ? added : first;
    const double ratio =
        order * (double)(steps - first) / ((order + 1.0) * (double)first);
    const double p = 1.0 + ratio;
    /* Moments grow with the order, so that these may be rounded up. */
    const double first_order = sot_widen_up(p * order + ratio, 0x1p-50);
    const double second_order = sot_widen_up(order / ratio * p, 0x1p-50);
    const double one =
        chain_log_mgf_upper(step, first_added, first - first_added, first_order);
    const double two = chain_log_mgf_upper(step, added - first_added,
                                           removed - (first - first_added), second_order);
    return sot_widen_up(one / p + ratio / p * two, 0x1p-50);
}

/* The smaller of the chain's and of the unit's hull. */
static double direction_log_mgf_upper(const sot_objective *objective,
                                      const step_moments *step, sot_direction direction,
                                      double order)
{
    const bool both = objective->is_replaced;
    const uint32_t added = both || direction == SOT_ADD ? objective->rows : 0;
    const uint32_t removed = both || direction == SOT_REMOVE ? objective->rows : 0;
    const double chain = chain_log_mgf_upper(step, added, removed, order);
    if (objective->unit == NULL) return chain;
    return fmin(chain, sot_unit_hull_log_mgf_upper(objective->unit, direction, order));
}

/* The maximum over both directions. Without a frozen slope a removal's chain is the price of both (privacy/accounting/objective/objective.md, section 6).
 * With one, an addition may cost more at high orders, and both chains are priced. */
double sot_objective_log_mgf_upper(const sot_objective *objective, double order)
{
    double former = atom_log_mgf_upper(objective, order);
    if (steps_of(objective) == 0) return former;
    step_moments step = {.frozen = {.shift = 0.0}};
    if (objective->signs == 0) {
        step.row = row_of(objective);
        const uint32_t added = objective->is_replaced ? objective->rows : 0;
        former = fmin(former, chain_log_mgf_upper(&step, added, objective->rows, order));
    }
    if (!objective->is_frozen) return former;
    double most;
    step.frozen = sot_objective_frozen_row(objective, &most);
    step.row.shift = step.frozen.shift;
    step.hull = objective->hull;
    step.is_frozen = true;
    double frozen = direction_log_mgf_upper(objective, &step, SOT_REMOVE, order);
    if (!objective->is_replaced)
        frozen = fmax(frozen, direction_log_mgf_upper(objective, &step, SOT_ADD, order));
    return fmin(former, frozen);
}
