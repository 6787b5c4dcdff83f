#include "privacy/accounting/pld/nodes.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>

#include "base/error.h"
#include "base/memory.h"
#include "numeric/outward.h"
#include "numeric/sum.h"

/* ---- from above: connect the dots ---- */

/* A cell has mass m and rise R over the node below it, R = E[1 - Y/y]. The node above gets
 * R/(1 - e^-h), the rest stays. The value grows with R and with m, so both are upper ends. */
static void spread(const sot_pld_cells *cells, sot_pld_nodes *nodes)
{
    const double spacing = nodes->spacing;
    const double whole = -expm1(-spacing);
    const double half = -expm1(-cells->step);
    const double kept = exp(-cells->step);
    for (size_t k = 0; k < cells->count; k++) {
        const double mass = cells->mass_up[k];
        if (mass == 0.0) continue;
        double rise = cells->rise_up[k];
        if (k % 2 == 1)
            rise = half * mass + kept * rise; /* over the node, half a cell below */
        const double up = fmin(rise / whole * (1.0 + 16.0 * DBL_EPSILON),
                               mass); /* losses end at the node */
        const double stay = (mass - up) + 4.0 * DBL_EPSILON * mass;
        nodes->mass[k / 2] = sot_add_up(nodes->mass[k / 2], stay);
        nodes->mass[k / 2 + 1] = sot_add_up(nodes->mass[k / 2 + 1], up);
    }
}

/* ---- from below: contract to the nodes ---- */

/* The rest of a cell, and the pull of one unit of it on a node. The pull is mass
 * (e^{node - L} - 1) = mass (Y/y - 1), averaged over the cell. It is negative for losses above
 * the node. */
typedef struct quantum {
    double mass;
    double rise;
} quantum;

/* The means of the exact distribution are those of (mass_down, rise) for a rise of at least this.
 * The ratio rise/mass places the loss, and it must not be overstated. */
static quantum quantum_of(const sot_pld_cells *cells, size_t k)
{
    const double mass = cells->mass_down[k];
    if (!(mass > 0.0)) return (quantum){0.0, 0.0};
    const double ratio = mass / cells->mass_most[k] * (1.0 - 4.0 * DBL_EPSILON);
    return (quantum){mass, cells->rise_down[k] * ratio};
}

/* e^{gap} (1 - R/m) - 1, times m, for a cell that begins `gap` below the node; rounded up. */
static double pull(quantum q, double gap)
{
    const double raised = expm1(gap) * q.mass;
    const double fallen = exp(gap) * q.rise;
    return (raised - fallen) + 8.0 * DBL_EPSILON * (fabs(raised) + fallen);
}

/* Returns the node's own mass if the mass above it (`mass`, with `balance` < 0) finds no mass
 * below to balance it. Rounded down to the node it would lose -balance of its mean. Instead it
 * may go to the next node up, with as much of the nodes after that one as keeps the mean. Mass
 * from d nodes up only costs variance, about (d h)^2 (1 + theta)/2 per unit. */
static double settle(sot_pld_nodes *nodes, size_t node, double mass, double balance,
                     double theta)
{
    enum { FARTHEST = 64 };
    const double h = nodes->spacing;
    const size_t target = node + 1;
    if (!(balance < 0.0)) return mass;
    /* the pull on the target, at least 0, and the reduction by each node up */
    double pull_up = fmax(0.0, expm1(h) * mass + exp(h) * balance) +
                     16.0 * DBL_EPSILON * exp(h) * mass;
    double lean[FARTHEST + 1];
    double cost = 0.0;
    size_t last = 0;
    for (size_t d = 1; d <= FARTHEST && target + d < nodes->count && pull_up > 0.0; d++) {
        const double unit = -expm1(-(double)d * h) * (1.0 - 8.0 * DBL_EPSILON);
        lean[d] =
            fmin(nodes->mass[target + d], pull_up / unit * (1.0 + 8.0 * DBL_EPSILON));
        const double distance = (double)d * h;
        cost += 0.5 * lean[d] * distance * distance * (1.0 + theta);
        pull_up -= lean[d] * unit;
        if (lean[d] < nodes->mass[target + d]) pull_up = 0.0; /* it was enough */
        last = d;
    }
    if (pull_up > 0.0 || !(cost < -balance)) return mass;
    double sum = mass;
    for (size_t d = 1; d <= last; d++) {
        nodes->mass[target + d] =
            fmax(0.0, sot_sub_down(nodes->mass[target + d], lean[d]));
        sum = sot_add_down(sum, lean[d]);
    }
    nodes->mass[target] = sot_add_down(nodes->mass[target], sum);
    return 0.0;
}

static void contract(const sot_pld_cells *cells, double theta, sot_pld_nodes *nodes,
                     double *left)
{
    const double g = cells->step;
    const double near_by =
        1.0 / ((1.0 + theta) * g); /* farther down, rounding costs less */
    const size_t farthest = near_by < 2.0 ? 2 : near_by > 64.0 ? 64 : (size_t)near_by;
    for (size_t k = 0; k < cells->count; k++)
        left[k] = 1.0;
    for (size_t node = nodes->count - 1; node-- > 0;) {
        const size_t at = 2 * node; /* the cell right above the node */
        double balance = 0.0;       /* sum of mass (Y/y - 1): must end at most 0 */
        double mass = 0.0;
        for (size_t k = at; k < at + 2; k++) {
            const quantum q = quantum_of(cells, k);
            const double gap = k == at ? 0.0 : -g;
            balance += left[k] * fmin(0.0, pull(q, gap));
            mass += left[k] * q.mass;
            left[k] = 0.0;
        }
        balance *= 1.0 - 8.0 * DBL_EPSILON;
        for (size_t below = 1; below <= farthest && below <= at && balance < 0.0;
             below++) {
            const size_t k = at - below;
            if (left[k] == 0.0) continue;
            const quantum q = quantum_of(cells, k);
            const double whole = fmax(0.0, pull(q, (double)below * g));
            double part = left[k];
            if (whole * part > -balance)
                part = -balance / whole * (1.0 - 8.0 * DBL_EPSILON);
            const bool is_last = part < left[k];
            balance += whole * part * (1.0 + 8.0 * DBL_EPSILON);
            mass += part * q.mass;
            left[k] = fmax(0.0, left[k] - part);
            if (is_last) {
                balance = 0.0; /* the rest is rounding */
                break;
            }
        }
        mass *= 1.0 - 16.0 * DBL_EPSILON - (double)farthest * DBL_EPSILON;
        nodes->mass[node] = settle(nodes, node, mass, balance, theta);
    }
}

sotto_status sot_pld_nodes_new(const sot_pld_cells *cells, sot_pld_side side,
                               double repeat, double theta, sot_pld_nodes *out_nodes,
                               sotto_error *error)
{
    *out_nodes = (sot_pld_nodes){.count = cells->count / 2 + 1,
                                 .first = cells->first / 2,
                                 .anchor = cells->anchor,
                                 .spacing = 2.0 * cells->step,
                                 .moved = cells->moved,
                                 .repeat = repeat};
    out_nodes->mass = sot_new_array(out_nodes->count, sizeof *out_nodes->mass);
    if (out_nodes->mass == NULL)
        return sot_fail_memory(error, out_nodes->count, sizeof *out_nodes->mass);
    if (side == SOT_PLD_UPPER) {
        out_nodes->infinite = cells->infinite_up;
        spread(cells, out_nodes);
        return SOTTO_OK;
    }
    double *left = sot_new_array(cells->count, sizeof *left);
    if (left == NULL) {
        sot_pld_nodes_free(out_nodes);
        return sot_fail_memory(error, cells->count, sizeof *left);
    }
    contract(cells, theta, out_nodes, left);
    sot_free(left);
    return SOTTO_OK;
}

void sot_pld_nodes_free(sot_pld_nodes *nodes)
{
    sot_free(nodes->mass);
    *nodes = (sot_pld_nodes){0};
}

double sot_pld_nodes_log_mgf_upper(const sot_pld_nodes *nodes, double theta, double guess)
{
    sot_sum sum = {0.0, 0.0};
    double largest = 0.0;
    for (size_t i = 0; i < nodes->count; i++) {
        if (nodes->mass[i] == 0.0) continue;
        const double index = (double)(nodes->first + (int64_t)i);
        const double exponent = theta * (nodes->anchor + index * nodes->spacing) - guess;
        largest = fmax(largest, fabs(exponent));
        sot_sum_add(&sum, nodes->mass[i] * exp(exponent));
    }
    const double total = sot_sum_value(&sum);
    if (!(total > 0.0) || isinf(total)) return HUGE_VAL;
    const double result = guess + log(total);
    /* exponents are off by 4u (|exponent| + 2 |guess|), and so is every term, relatively */
    return result + 4.0 * DBL_EPSILON * (8.0 + 2.0 * largest + 2.0 * fabs(guess));
}
