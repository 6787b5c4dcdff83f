#include "privacy/accounting/sampled/grid.h"

#include <math.h>

/* Beyond the last stationary point f falls at least like a Gaussian: 13.5 standard deviations
 * leave e^-91. */
static const double reach = 13.5;

sot_grid_node sot_grid_node_at(const sot_grid *grid, double y)
{
    const double u = y * grid->inverse_sigma - grid->offset;
    /* |U| before cancellation: the rounding of U is at most 3 units of this. */
    const double size = fabs(y) * grid->inverse_sigma + grid->offset;
    sot_grid_node node;
    if (grid->rate <= 0.5 && u + grid->log_rate < 6.0) {
        const double w = grid->rate * expm1(u);
        const double posterior = grid->rate * exp(u) / (1.0 + w);
        node.ratio_minus_one = w;
        node.log_ratio = log1p(w);
        node.log_ratio_error = 4.0 * fabs(w) / (1.0 + w) + 3.0 * posterior * size;
        return node;
    }
    /* log r = log(1-q) + log(1 + e^v), or the same from the other side. */
    const double v = u + grid->log_rate - grid->log_complement;
    if (v > 0.0) {
        node.log_ratio = u + grid->log_rate + log1p(exp(-v));
        node.log_ratio_error = 4.0 * (size + fabs(grid->log_rate) + 1.0);
    } else {
        node.log_ratio = grid->log_complement + log1p(exp(v));
        node.log_ratio_error =
            4.0 * (fabs(grid->log_complement) + 1.0) + 3.0 * size * exp(v);
    }
    node.ratio_minus_one = expm1(node.log_ratio);
    return node;
}

double sot_grid_posterior(const sot_grid *grid, double y)
{
    const double u = y * grid->inverse_sigma - grid->offset;
    return 1.0 / (1.0 + exp(grid->log_complement - grid->log_rate - u));
}

static double log_integrand(const sot_grid *grid, double y)
{
    return grid->power * sot_grid_node_at(grid, y).log_ratio - 0.5 * y * y;
}

/* Cells of this width carry the supremum of every factor of the bound. */
static const double cell_width = 0.125;

bool sot_grid_make(double rate, double sigma, sot_direction direction, double c,
                   sot_grid *out_grid)
{
    sot_grid grid = {.rate = rate, .sigma = sigma};
    grid.power = direction == SOT_REMOVE ? c + 1.0 : -c;
    grid.inverse_sigma = 1.0 / sigma;
    grid.offset = 0.5 * grid.inverse_sigma * grid.inverse_sigma;
    grid.log_rate = log(rate);
    grid.log_complement = log1p(-rate);
    grid.lower = fmin(0.0, grid.power) * grid.inverse_sigma - reach;
    grid.upper = fmax(1.0, grid.power) * grid.inverse_sigma + reach;
    if (!(grid.upper - grid.lower < (SOT_CELLS_MAX - 4) * cell_width)) return false;
    /* Steps are some 0.3 sigma at most: this many would take longer than a thousandth of a
     * second. */
    if ((grid.upper - grid.lower) * grid.inverse_sigma > 1e4) return false;

    /* Any estimate of the peak will do: it only scales. Modes lie near 0 and power/sigma. */
    grid.log_peak = fmax(log_integrand(&grid, 0.0),
                         log_integrand(&grid, grid.power * grid.inverse_sigma));
    const int probes = 40;
    for (int i = 1; i < probes; i++) {
        const double y = grid.power * grid.inverse_sigma * i / probes;
        grid.log_peak = fmax(grid.log_peak, log_integrand(&grid, y));
    }
    *out_grid = grid;
    return true;
}

/* Cells this far below the peak are bounded together, in log_contour_rest(). */
static const double dropped_log_base = -160.0;

void sot_cells_fill(const sot_grid *grid, sot_cells *out_cells)
{
    out_cells->count = 0;
    out_cells->width = cell_width;
    double edge = grid->lower - cell_width;
    double edge_log_ratio = sot_grid_node_at(grid, edge).log_ratio;
    double edge_posterior = sot_grid_posterior(grid, edge);
    while (edge < grid->upper + cell_width) {
        const double y = edge + cell_width;
        const double log_ratio = sot_grid_node_at(grid, y).log_ratio;
        const double posterior = sot_grid_posterior(grid, y);
        const double nearest = edge * y <= 0.0 ? 0.0 : fmin(fabs(edge), fabs(y));
        /* r increases with y: its power is largest at the right or the left edge. */
        const double largest = grid->power >= 0.0 ? log_ratio : edge_log_ratio;
        const double log_base =
            grid->power * largest - 0.5 * nearest * nearest - grid->log_peak;
        if (log_base > dropped_log_base) {
            const size_t i = out_cells->count++;
            out_cells->log_base[i] = log_base;
            out_cells->posterior[i] = posterior;
            out_cells->before[i] = edge_posterior;
        }
        edge = y;
        edge_log_ratio = log_ratio;
        edge_posterior = posterior;
    }
}

typedef struct shift {
    double base; /* height of the contour where the posterior is 0 */
    double bend; /* height is base/(1 + `bend` * posterior) */
} shift;

/* Returns log of the bound on the omitted cells and the line outside the range. f is below e^-160
 * there, and below e^-reach^2/2 of the peak; every other factor is taken at its worst. */
static double log_contour_rest(const sot_grid *grid, double s, double step, shift contour)
{
    const double lowest = contour.base / (1.0 + contour.bend);
    const double growth = s * grid->inverse_sigma * fmin(1.2 * lowest, contour.base);
    double factor = 0.5 * contour.base * contour.base + growth -
                    log(expm1(fmin(2.0 * M_PI * lowest / step, 700.0)));
    if (grid->power < 0.0) {
        factor += grid->power * log(cos(0.5 * contour.base * grid->inverse_sigma));
    }
    const double cells = exp(dropped_log_base) * SOT_CELLS_MAX;
    const double outside = 2.0 * exp(-0.5 * reach * reach) / (reach * cell_width);
    return factor + log(cells + outside);
}

/* Returns the sum over the cells of sup |f(y + i b(y))|/(e^{2 pi b/h} - 1) dy, for the contour
 * b(y) = base/(1 + `bend` p(y)). It is high where the integrand does not oscillate, low where it
 * does. On it (section 2 of the proof) `|r| <= r(y), |r|^2 >= r(y)^2 (1 - 4p(1-p) sin^2(b/(2
 * sigma)))`, arg r <= 1.2 p b/sigma, and the length element is at most 1.12 dy. */
static double log_contour_error(const sot_cells *cells, const sot_grid *grid, double s,
                                double step, shift contour)
{
    const double growth = s * grid->inverse_sigma;
    const double negligible = -100.0; /* an exponent: such cells are counted together */
    double sum = exp(log_contour_rest(grid, s, step, contour)) +
                 1.06 * exp(negligible) * SOT_CELLS_MAX;
    for (size_t i = 0; i < cells->count; i++) {
        const double posterior = cells->posterior[i];
        const double high = contour.base / (1.0 + contour.bend * cells->before[i]);
        const double low = contour.base / (1.0 + contour.bend * posterior);
        /* arg r <= theta, and <= 1.2 p theta; p theta increases with p on this contour. */
        double exponent = cells->log_base[i] + 0.5 * high * high +
                          growth * fmin(1.2 * posterior * low, high);
        if (grid->power < 0.0) {
            const double middle = fmin(fmax(0.5, cells->before[i]), posterior);
            const double sine = sin(0.5 * high * grid->inverse_sigma);
            exponent +=
                0.5 * grid->power * log1p(-4.0 * middle * (1.0 - middle) * sine * sine);
        }
        /* e^exponent/(e^turns - 1), and 1/(1 - e^-3) is below 1.06 */
        const double turns = 2.0 * M_PI * low / step;
        if (turns < 3.0) {
            sum += exp(exponent) / expm1(turns);
        } else if (exponent - turns > negligible) {
            sum += 1.06 * exp(exponent - turns);
        }
    }
    /* Contours above and below; 1/sqrt(2 pi); 1 + 1e-9 for the rounding of this sum. */
    return grid->log_peak +
           log(2.0 * 1.12 * 0.39894228040143268 * cells->width * sum * (1.0 + 1e-9));
}

/* Returns the smallest bound over a family of contours. They differ in their height, and
 * in the largest allowed growth of the oscillating factor (e^{1.2 growth}). */
double sot_cells_log_error(const sot_cells *cells, const sot_grid *grid, double s,
                           double step)
{
    static const double growths[] = {2.5, 20.0, 160.0, 1e9};
    const double highest = fmin(fmin(2.0 * grid->sigma, 8.0), 0.9 * 2.0 * M_PI / step);
    double best = HUGE_VAL;
    for (size_t i = 0; i < sizeof growths / sizeof growths[0]; i++) {
        if (i > 0 && s == 0.0) break; /* nothing oscillates */
        for (int halvings = 0; halvings < 4; halvings++) {
            const double base = ldexp(highest, -halvings);
            const shift contour = {base, s * base * grid->inverse_sigma / growths[i]};
            const double error = log_contour_error(cells, grid, s, step, contour);
            if (halvings > 1 && error >= best) break;
            best = fmin(best, error);
        }
    }
    return best;
}

double sot_cells_step(const sot_cells *cells, const sot_grid *grid, double s,
                      double tolerance)
{
    /* M(c) is at least about e^peak times the width of the peak. */
    const double target = grid->log_peak + log(tolerance) - log(1.0 + fabs(grid->power));
    /* The exponent of the bound is about -1/step. Start there, shrink faster and
     * faster until it holds, then come back to within a quarter of the largest step
     * that does. */
    double step =
        fmin(0.4, 2.0 * M_PI * fmin(2.0 * grid->sigma, 8.0) / (4.0 - log(tolerance)));
    double too_long = step;
    double shrink = 0.8;
    while (sot_cells_log_error(cells, grid, s, step) > target && step > 1e-6) {
        too_long = step;
        step *= shrink;
        shrink *= 0.8;
    }
    while (too_long > 1.26 * step) {
        const double middle = sqrt(step * too_long);
        if (sot_cells_log_error(cells, grid, s, middle) > target) {
            too_long = middle;
        } else {
            step = middle;
        }
    }
    return step;
}

double sot_grid_outside(const sot_grid *grid)
{
    return 1e-36 * (1.0 + fabs(grid->power) * grid->inverse_sigma);
}
