#include "privacy/accounting/plan/closed_form.h"

#include <float.h>
#include <math.h>

#include "numeric/outward.h"
#include "numeric/special.h"
#include "privacy/accounting/loss/kinds.h"
#include "privacy/accounting/profile/gaussian.h"

/* A point costs one expm1 when only pure events remain, two error functions otherwise. A
 * Gaussian makes the contour short, so that it takes over earlier. */
static const double lattice_points_max = 100000.0;
static const double gaussian_points_max = 1000.0;
static const double sampled_points_max = 8000.0;
static const double law_points_max = 200.0;

/* The number of a group's releases that answer truthfully is binomial. Outside this window
 * lies at most 2 e^-800 of its probability (Hoeffding, JASA 1963, Thm 1), below the smallest
 * double. */
typedef struct window {
    double first, last;
} window;

static window likely_counts(const sot_pure *pure)
{
    const double middle = pure->count / (1.0 + exp(-pure->epsilon));
    const double reach = 20.0 * sqrt(pure->count) + 1.0;
    return (window){fmax(0.0, floor(middle - reach)),
                    fmin(pure->count, ceil(middle + reach))};
}

/* Without a sampled event one distribution ends the enumeration; the others must be
 * lattices. */
static bool is_rest(const sot_composition *composition, size_t law)
{
    return composition->sampled_count == 0 && law == composition->law_rest;
}

/* Returns the number of points of the enumeration over the distributions; infinite if one
 * has no lattice. */
static double law_points(const sot_composition *composition)
{
    double points = 1.0;
    for (size_t i = 0; i < composition->law_count; i++) {
        const sot_law_sum *sum = composition->law_sums[i];
        if (sum == NULL) return HUGE_VAL;
        if (!is_rest(composition, i)) points *= sot_law_sum_points(sum);
    }
    return points;
}

/* One release on a sample, and nothing else. */
static bool is_one_subsampled(const sot_composition *composition)
{
    return composition->subsampled_count == 1 &&
           composition->subsampled[0].count == 1.0 && composition->sampled_count == 0 &&
           composition->objective_count == 0 && composition->pure_count == 0 &&
           composition->law_count == 0 && composition->gaussian_square.upper == 0.0;
}

bool sot_closed_form_covers(const sot_composition *composition)
{
    if (sot_composition_is_renyi(composition)) return false;
    if (composition->subsampled_count > 0) return is_one_subsampled(composition);
    if (composition->sampled_count > 1) return false;
    if (composition->sampled_count == 1) {
        if (composition->sampled[0].count != 1.0) return false;
        if (composition->gaussian_square.upper > 0.0) return false;
        if (composition->objective_count > 0) return false;
    }
    double points = 1.0;
    for (size_t i = 0; i < composition->objective_count; i++)
        points *= composition->objective[i].count + 1.0;
    for (size_t i = 0; i < composition->pure_count; i++) {
        const window counts = likely_counts(&composition->pure[i]);
        points *= counts.last - counts.first + 1.0;
    }
    points *= law_points(composition);
    if (composition->sampled_count > 0) return points <= sampled_points_max;
    if (composition->law_count > 0) return points <= law_points_max;
    const bool has_gaussian =
        composition->gaussian_square.upper > 0.0 || composition->objective_count > 0;
    return points <= (has_gaussian ? gaussian_points_max : lattice_points_max);
}

bool sot_closed_form_is_training(const sot_composition *composition)
{
    const sot_objective *objective = composition->objective;
    return composition->objective_count == 1 && objective->count == 1.0 &&
           sot_closed_form_covers(composition) &&
           composition->gaussian_square.upper <=
               1e-5 * objective->shift * objective->shift;
}

/* (1 - e^y)_+: the profile of no release at all. */
static sot_bracket nothing_delta(double epsilon)
{
    if (epsilon >= 0.0) return (sot_bracket){0.0, 0.0};
    const double lost = -expm1(epsilon);
    return (sot_bracket){sot_widen_down(lost, 4.0 * DBL_EPSILON),
                         sot_widen_up(lost, 4.0 * DBL_EPSILON)};
}

/* Each release of the groups from `group` on is one of its m Gaussians, with the loss moved up by
 * c. With weight w it is its atom. `square` is the sum of mu^2 of the Gaussian events. */
static double objective_delta(const sot_composition *composition, size_t group,
                              double log_weight, double square, double epsilon)
{
    if (group == composition->objective_count) {
        const sot_bracket mu = {0.0, sot_sqrt_up(square)};
        const double delta = square > 0.0 ? sot_gaussian_delta(mu, epsilon).upper
                                          : nothing_delta(epsilon).upper;
        return sot_mul_up(sot_exp_up(log_weight), delta);
    }
    const sot_objective *objective = &composition->objective[group];
    const double one_square = sot_mul_up(objective->shift, objective->shift);
    const double log_atom = sot_objective_log_atom_upper(objective);
    const double log_vertices =
        objective->vertices > 1.0 ? sot_log_up(objective->vertices) : 0.0;
    double sum = 0.0;
    for (double atoms = 0.0; atoms <= objective->count; atoms += 1.0) {
        const double choose =
            sot_widen_up(sot_log_binomial(objective->count, atoms), 4.0 * DBL_EPSILON);
        const double gaussians = objective->count - atoms;
        double log_part =
            sot_add_up(log_weight, sot_add_up(choose, sot_mul_up(atoms, log_atom)));
        if (log_vertices > 0.0)
            log_part = sot_add_up(log_part, sot_mul_up(gaussians, log_vertices));
        double loss = sot_mul_up(atoms, objective->atom);
        if (objective->offset > 0.0)
            loss = sot_add_up(loss, sot_mul_up(gaussians, objective->offset));
        sum = sot_add_up(
            sum, objective_delta(composition, group + 1, log_part,
                                 sot_add_up(square, sot_mul_up(gaussians, one_square)),
                                 sot_sub_down(epsilon, loss)));
    }
    return sum;
}

/* One release and a small Gaussian one of loss l ~ N(mu^2/2, mu^2). For every gap,
 * `delta(epsilon) <= delta_one(epsilon - gap) + P(l > gap)`. The gap is chosen so that the second
 * term is a millionth of the first. It needs no atom below epsilon
 * (privacy/accounting/objective/objective.md, section 6). */
static double beside_small_gaussian(const sot_objective *alone, double square,
                                    double epsilon)
{
    const double first = sot_objective_delta_upper(alone, epsilon);
    if (!(square > 0.0)) return first;
    const double mu = sot_sqrt_up(square);
    const double x = sqrt(2.0 * (log(0x1p20) - log(fmax(first, DBL_MIN))));
    const double gap =
        sot_mul_up(mu, sot_add_up(x, 0.5 * mu)); /* P(l > gap) <= Phi(-x) */
    const double beyond = sot_widen_up(sot_ndtr(-x), 4e-15);
    return sot_add_up(beyond,
                      sot_objective_delta_upper(alone, sot_sub_down(epsilon, gap)));
}

static bool is_one_objective(const sot_composition *composition)
{
    return composition->objective_count == 1 && composition->objective[0].count == 1.0;
}

static sot_bracket rest_delta(const sot_composition *composition, sot_direction direction,
                              double epsilon)
{
    if (composition->subsampled_count > 0)
        return sot_subsampled_delta(&composition->subsampled[0], direction, epsilon);
    if (composition->sampled_count == 1) {
        const sot_sampled *sampled = &composition->sampled[0];
        return sot_sampled_gaussian_delta(sampled->rate, sampled->sigma, direction,
                                          epsilon);
    }
    if (composition->law_count > 0)
        return sot_law_sum_delta(composition->law_sums[composition->law_rest], epsilon);
    if (composition->objective_count > 0) {
        const double square = composition->gaussian_square.upper;
        double delta = 1.0;
        if (is_one_objective(composition)) {
            const sot_objective *alone = &composition->objective[0];
            delta = sot_objective_has_directions(alone)
                        ? sot_objective_beside_gaussian_upper(alone, direction, square,
                                                              epsilon)
                        : beside_small_gaussian(alone, square, epsilon);
        }
        if (square > 0.0 || !is_one_objective(composition))
            delta = fmin(delta, objective_delta(composition, 0, 0.0, square, epsilon));
        return (sot_bracket){0.0, delta};
    }
    if (composition->gaussian_square.upper > 0.0) {
        const sot_bracket mu = {sot_sqrt_down(composition->gaussian_square.lower),
                                sot_sqrt_up(composition->gaussian_square.upper)};
        return sot_gaussian_delta(mu, epsilon);
    }
    return nothing_delta(epsilon);
}

/* For a single group and nothing else, losses (2k - n) e below epsilon add nothing. So the
 * enumeration begins two places before the first that does, far more than the losses'
 * rounding. */
static double first_that_matters(const sot_composition *composition, const sot_pure *pure,
                                 window counts, double epsilon)
{
    if (composition->pure_count > 1 || composition->law_count > 0 ||
        composition->sampled_count > 0 || composition->objective_count > 0 ||
        composition->gaussian_square.upper > 0.0)
        return counts.first;
    const double crossing = 0.5 * (epsilon / pure->epsilon + pure->count);
    return fmax(counts.first, floor(crossing) - 2.0);
}

static sot_bracket walk(const sot_composition *composition, sot_direction direction,
                        double epsilon, size_t group, double log_weight, double log_error,
                        double loss);

/* One group that is a distribution: each of its atoms, or nothing for the one that ends
 * the enumeration. */
static sot_bracket walk_law(const sot_composition *composition, sot_direction direction,
                            double epsilon, size_t group, double log_weight,
                            double log_error, double loss)
{
    const size_t law = group - composition->pure_count;
    if (is_rest(composition, law))
        return walk(composition, direction, epsilon, group + 1, log_weight, log_error,
                    loss);
    const sot_lattice *lattice = sot_law_sum_lattice(composition->law_sums[law]);
    sot_bracket sum = {0.0, lattice->outside};
    for (size_t i = 0; i < lattice->count; i++) {
        if (!(lattice->mass[i] > 0.0)) continue;
        const double log_mass = log(lattice->mass[i]);
        const double error = lattice->rounding + 4.0 * DBL_EPSILON * fabs(log_mass);
        const double at = (lattice->first + (double)i) * lattice->spacing;
        const sot_bracket part =
            walk(composition, direction, epsilon, group + 1, log_weight + log_mass,
                 log_error + error, loss + at);
        sum.lower += part.lower;
        sum.upper += part.upper;
    }
    const double additions = DBL_EPSILON * ((double)lattice->count + 2.0);
    sum.lower *= 1.0 - additions;
    sum.upper *= 1.0 + additions;
    return sum;
}

/* Enumerates the lattice: groups from `group` on are still open, `log_weight` and `loss` belong
 * to those already fixed, `log_error` bounds the error of log_weight. */
static sot_bracket walk(const sot_composition *composition, sot_direction direction,
                        double epsilon, size_t group, double log_weight, double log_error,
                        double loss)
{
    const size_t groups = composition->pure_count + composition->law_count;
    if (group >= composition->pure_count && group < groups) {
        return walk_law(composition, direction, epsilon, group, log_weight, log_error,
                        loss);
    }
    if (group == groups) {
        /* Each loss is a rounded sum of products: move epsilon outward by their error. */
        const double moved =
            8.0 * DBL_EPSILON * (double)(group + 1) * (fabs(loss) + fabs(epsilon));
        const double weight = exp(log_weight);
        const double relative = expm1(log_error) + 4.0 * DBL_EPSILON;
        const bool is_whole =
            composition->pure_count == 0 && law_points(composition) == 1.0;
        const double shift = is_whole ? 0.0 : moved;
        const sot_bracket far =
            rest_delta(composition, direction, epsilon - loss + shift);
        const sot_bracket near =
            rest_delta(composition, direction, epsilon - loss - shift);
        return (sot_bracket){fmax(0.0, weight * far.lower * (1.0 - relative)),
                             is_whole ? near.upper
                                      : weight * near.upper * (1.0 + relative)};
    }
    const sot_pure *pure = &composition->pure[group];
    const double log_no = -pure->epsilon - log1p(exp(-pure->epsilon));
    const double log_yes = -log1p(exp(-pure->epsilon));
    const window counts = likely_counts(pure);
    const double mode = (pure->count + 1.0) / (1.0 + exp(-pure->epsilon));
    sot_bracket sum = {0.0, 0.0};
    for (double k = first_that_matters(composition, pure, counts, epsilon);
         k <= counts.last; k += 1.0) {
        const double choose = sot_log_binomial(pure->count, k);
        const double powers = k * log_yes + (pure->count - k) * log_no;
        const double error = 16.0 * DBL_EPSILON * (1.0 + choose - powers);
        const sot_bracket part =
            walk(composition, direction, epsilon, group + 1, log_weight + choose + powers,
                 log_error + error, loss + (2.0 * k - pure->count) * pure->epsilon);
        sum.lower += part.lower;
        sum.upper += part.upper;
        /* Beyond the mode the weights fall, and no profile is above 1. */
        const double left =
            (counts.last - k) * exp(log_weight + log_error + choose + powers + error);
        if (k > mode + 1.0 && left < 1e-19 * sum.lower) {
            sum.upper += left;
            break;
        }
    }
    const double additions = DBL_EPSILON * (pure->count + 2.0);
    sum.lower *= 1.0 - additions;
    sum.upper *= 1.0 + additions;
    return sum;
}

sot_bracket sot_closed_form_delta(const sot_composition *composition,
                                  sot_direction direction, double epsilon)
{
    sot_bracket delta = walk(composition, direction, epsilon, 0, 0.0, 0.0, 0.0);
    /* The parts outside the windows, and weights that underflowed. */
    if (composition->pure_count > 0 || law_points(composition) > 1.0)
        delta.upper += DBL_MIN;
    /* Overflow may have left a NaN, which says nothing. */
    if (!(delta.upper <= 1.0)) delta.upper = 1.0;
    if (!(delta.lower >= 0.0 && delta.lower <= delta.upper)) delta.lower = 0.0;
    return delta;
}
