#include "methods/posterior/constants.h"

#include <math.h>

#include "numeric/outward.h"

/* The ball's gain is found to this, relatively, from above. */
#define GAIN_TOLERANCE 1e-8

/* ---- one record's loss of one margin ---- */

/* The labels at whose ends slopes are largest: f' falls with the label in every loss of models/linear/losses/loss.h. */
static double label_at(const sot_loss *loss, int end)
{
    return end == 0 ? -loss->label_most : loss->label_most;
}

double sot_slope_within(const sot_loss *loss, double margin)
{
    /* A caller's loss may do anything between its labels but exceed its bound. */
    if (isinf(margin) || loss->context != NULL) return loss->slope_most;
    double largest = 0.0;
    for (int end = 0; end < 2; end++) {
        for (int side = -1; side <= 1; side += 2) {
            double slope, curvature;
            loss->bend(loss, side * margin, label_at(loss, end), &slope, &curvature);
            largest = fmax(largest, fabs(slope));
        }
    }
    return fmin(loss->slope_most, sot_add_up(largest, loss->slope_error));
}

/* |computed - exact|, at most. */
static double value_error(const sot_loss *loss, double value, double margin)
{
    return loss->value_error * (1.0 + 0x1p-20) *
           (fabs(value) + loss->slope_most * (1.0 + fabs(margin)));
}

static sot_loss_at loss_at(const sot_loss *loss, double margin, double label)
{
    sot_loss_at at;
    loss->at(loss, margin, label, &at);
    return at;
}

/* Returns a lower bound on f on [-margin, margin]. f is convex: where its slope is s, it is
 * nowhere lower by more than 2 margin |s|. Bisection finds a small slope, or the end where f is
 * smallest. */
static double least_value(const sot_loss *loss, double margin, double label)
{
    double low = -margin, high = margin;
    double bound = -INFINITY;
    for (int i = 0; i < 80; i++) {
        const double middle = i == 0 ? -margin : i == 1 ? margin : 0.5 * (low + high);
        const sot_loss_at at = loss_at(loss, middle, label);
        /* The lowest value of the tangent, its error allowed for, within [-margin, margin]. */
        const double reach_down = fmax(0.0, at.slope + loss->slope_error);
        const double reach_up = fmax(0.0, loss->slope_error - at.slope);
        const double fall =
            fmax(reach_down * (middle + margin), reach_up * (margin - middle));
        bound = fmax(bound, at.value - value_error(loss, at.value, middle) -
                                fall * (1.0 + 0x1p-40));
        if (at.slope > 0.0)
            high = fmin(high, middle);
        else
            low = fmax(low, middle);
    }
    return bound;
}

static double range_within(const sot_loss *loss, double margin)
{
    /* For any loss: the integral of its slope. */
    double largest = 0.0;
    const double plain = 2.0 * sot_mul_up(margin, sot_slope_within(loss, margin));
    if (isinf(margin)) return (double)INFINITY;
    if (loss->context != NULL) return plain;
    for (int end = 0; end < 2; end++) {
        const double label = label_at(loss, end);
        const double least = least_value(loss, margin, label);
        for (int side = -1; side <= 1; side += 2) {
            const double value = loss_at(loss, side * margin, label).value;
            const double most = value + value_error(loss, value, margin);
            largest = fmax(largest, sot_sub_up(sot_next_up(most), least));
        }
    }
    return fmin(plain, largest);
}

/* ---- the difference of two records' losses ---- */

typedef struct gain_search {
    const sot_loss *loss;
    double margin; /* bound times radius */
    double goal;   /* proven when every piece is below it */
} gain_search;

/* 2 sqrt(1 - a^2) phi(a margin), for the search. */
static double gain_at(const gain_search *search, double a)
{
    return 2.0 * sqrt((1.0 - a) * (1.0 + a)) *
           sot_slope_within(search->loss, a * search->margin);
}

/* True if it is at most the goal on [low, high]: the root falls with a, phi rises. */
static bool is_below(const gain_search *search, double low, double high, int depth)
{
    const double root = sot_sqrt_up(sot_sub_up(1.0, sot_mul_down(low, low)));
    const double slope = sot_slope_within(search->loss, sot_mul_up(high, search->margin));
    if (2.0 * sot_mul_up(root, slope) <= search->goal) return true;
    if (depth == 0) return false;
    const double middle = 0.5 * (low + high);
    return is_below(search, low, middle, depth - 1) &&
           is_below(search, middle, high, depth - 1);
}

/* max over 0 <= a <= 1 of 2 sqrt(1 - a^2) phi(a margin), rounded up. */
static double ball_gain(const sot_loss *loss, double margin)
{
    enum { PIECES = 1024, DEPTH = 30 };
    gain_search search = {.loss = loss, .margin = margin};
    const double naive = 2.0 * sot_slope_within(loss, margin);
    double best = 0.0, at = 0.0, width = 1.0 / PIECES;
    for (int i = 0; i <= PIECES; i++) {
        const double here = gain_at(&search, (double)i * width);
        if (here > best) best = here, at = (double)i * width;
    }
    /* The product of two concave functions has one hill: thirds of it. */
    double low = fmax(0.0, at - width), high = fmin(1.0, at + width);
    for (int i = 0; i < 100; i++) {
        const double left = low + (high - low) / 3.0, right = high - (high - low) / 3.0;
        const double left_gain = gain_at(&search, left);
        const double right_gain = gain_at(&search, right);
        best = fmax(best, fmax(left_gain, right_gain));
        if (left_gain < right_gain)
            low = left;
        else
            high = right;
    }
    search.goal = best * (1.0 + GAIN_TOLERANCE);
    for (int i = 0; i < PIECES; i++)
        if (!is_below(&search, (double)i * width, (double)(i + 1) * width, DEPTH))
            return naive;
    return fmin(naive, search.goal);
}

sot_record_bounds sot_record_bounds_of_loss(const sot_loss *loss, double bound,
                                            double radius)
{
    const double margin = sot_mul_up(bound, radius);
    const double slope = sot_slope_within(loss, margin);
    const bool gains = loss->ball_gain && isfinite(margin);
    return (sot_record_bounds){
        .single = sot_mul_up(slope, bound),
        .difference = sot_mul_up(gains ? ball_gain(loss, margin) : 2.0 * slope, bound),
        .range = isinf(radius) ? (double)INFINITY : range_within(loss, margin)};
}

/* ---- softmax ---- */

/* e^(slope t) (classes - 1), rounded up; and down. */
static double odds_up(double classes, double slope, double margin)
{
    return sot_mul_up(classes - 1.0, sot_exp_up(sot_mul_up(slope, margin)));
}

static double odds_down(double classes, double slope, double margin)
{
    return sot_mul_down(classes - 1.0, sot_exp_down(-sot_mul_up(slope, margin)));
}

sot_record_bounds sot_record_bounds_of_softmax(size_t classes, double bound,
                                               double radius)
{
    const double root = sot_sqrt_up(2.0), count = (double)classes;
    const double margin = sot_mul_up(bound, radius);
    /* |p - e_y| <= sqrt2 (1 - p_y), and 1 - p_y = 1 / (1 + 1/odds). */
    double slope = root, range = (double)INFINITY;
    if (isfinite(margin)) {
        const double odds = odds_up(count, root, margin);
        if (isfinite(odds))
            slope = fmin(root, sot_mul_up(root, sot_div_up(odds, sot_add_up(1.0, odds)) *
                                                    (1.0 + 0x1p-50)));
        range = 2.0 * sot_mul_up(margin, slope);
        const double least =
            odds_down(count, sot_sqrt_up(sot_div_up(count, count - 1.0)), margin);
        if (isfinite(odds))
            range = fmin(range, sot_sub_up(sot_log1p_up(odds), sot_log1p_down(least)));
    }
    const double single = sot_mul_up(slope, bound);
    return (sot_record_bounds){
        .single = single, .difference = 2.0 * single, .range = range};
}

/* ---- neighbours ---- */

double sot_change_lipschitz(const sot_record_bounds *bounds, sotto_adjacency adjacency,
                            uint64_t unit_rows)
{
    const bool replaced = adjacency == SOTTO_REPLACE_ONE;
    return sot_mul_up((double)unit_rows, replaced ? bounds->difference : bounds->single);
}

double sot_change_range(const sot_record_bounds *bounds, sotto_adjacency adjacency,
                        uint64_t unit_rows)
{
    const double sides = adjacency == SOTTO_REPLACE_ONE ? 2.0 : 1.0;
    return sides * sot_mul_up((double)unit_rows, bounds->range);
}

double sot_efficiency_factor(double power)
{
    return 1.0 + 1.0 / power;
}

double sot_never_binding_radius(double beta, double lambda, double rows, double loss_zero,
                                double slope, double center_norm, size_t dimension)
{
    /* The mode has a potential below the centre's; and lambda |mode - centre| <= |gradient at the centre|. */
    const double by_value = sqrt(2.0 * beta * rows * loss_zero / lambda);
    const double by_slope = beta * rows * slope / lambda;
    return center_norm + fmin(by_value, by_slope) +
           (sqrt((double)dimension) + 10.0) / sqrt(lambda);
}
