/* Poisson-sampled Gaussians under replace-one, and Gaussians of a batch of fixed size: quadrature. */
#include "privacy/accounting/loss/mixture.h"

#include <float.h>
#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "numeric/outward.h"
#include "numeric/special.h"
#include "numeric/sum.h"
#include "privacy/accounting/profile/gaussian.h"

static const double unit = 0x1p-53;
static const double reach = 13.5; /* standard deviations: e^-91 is left */
static const double inverse_root_two_pi = 0.39894228040143268;

const double sot_gauss_node[SOT_GAUSS_HALF] = {
    0.095012509837637440, 0.28160355077925891, 0.45801677765722739, 0.61787624440264375,
    0.75540440835500303,  0.86563120238783174, 0.94457502307323258, 0.98940093499164993};
const double sot_gauss_weight[SOT_GAUSS_HALF] = {
    0.18945061045506850,  0.18260341504492359, 0.16915651939500254,
    0.14959598881657673,  0.12462897125553387, 0.095158511682492785,
    0.062253523938647893, 0.027152459411754095};

sot_mixture_node sot_mixture_node_at(const sot_mixture *mixture, double y)
{
    const sot_grid_node ratio = sot_grid_node_at(&mixture->grid, y);
    sot_mixture_node node = {ratio.log_ratio, 0.0, ratio.log_ratio_error};
    if (mixture->is_replaced) {
        const sot_grid_node base = sot_grid_node_at(&mixture->grid, -y);
        node.log_base = base.log_ratio;
        node.error += base.log_ratio_error;
    }
    return node;
}

double sot_mixture_atom(const sot_mixture *mixture)
{
    if (mixture->is_replaced) return 0.0;
    return (1.0 - mixture->grid.rate) * erf(mixture->first * M_SQRT1_2);
}

double sot_mixture_loss_max(const sot_law *law)
{
    (void)law;
    return HUGE_VAL;
}

static double log_plus(const sot_mixture *mixture, double y)
{
    const sot_mixture_node node = sot_mixture_node_at(mixture, y);
    return (1.0 + mixture->order) * node.log_ratio - mixture->order * node.log_base -
           0.5 * y * y;
}

bool sot_mixture_make(const sot_law *law, double c, sot_mixture *out)
{
    sot_mixture mixture = {.is_replaced = law->kind == SOT_LAW_REPLACED, .order = c};
    const double inverse = 1.0 / law->sigma;
    mixture.grid = (sot_grid){.rate = law->rate,
                              .sigma = law->sigma,
                              .inverse_sigma = inverse,
                              .offset = 0.5 * inverse * inverse,
                              .log_rate = log(law->rate),
                              .log_complement = log1p(-law->rate)};
    mixture.first = mixture.is_replaced ? 0.0 : 0.5 * inverse;
    /* (log phi r^{1+c} B^{-c})' <= -y + (1+c)/sigma, + c/sigma more for B = r(-y). */
    const double farthest = mixture.is_replaced ? 1.0 + 2.0 * c : 1.0 + c;
    mixture.last = fmax(mixture.first, farthest * inverse) + reach;
    if (!(mixture.last < 2000.0 && mixture.last * inverse < 2e4)) return false;
    mixture.log_peak = -HUGE_VAL;
    for (int i = 0; i <= 64; i++) {
        const double y = farthest * inverse * i / 64.0;
        mixture.log_peak = fmax(mixture.log_peak, log_plus(&mixture, y));
    }
    *out = mixture;
    return true;
}

/* p(1-p) at its largest for p between two values. */
static double spread_max(double low, double high)
{
    const double middle = fmin(fmax(0.5, low), high);
    return middle * (1.0 - middle);
}

double sot_mixture_log_sup(const sot_mixture *mixture, const sot_ellipse *ellipse,
                           double c, double s, bool is_minus)
{
    const sot_grid *grid = &mixture->grid;
    const double theta = ellipse->height * grid->inverse_sigma;
    const double sine = sin(0.5 * theta);
    const double nearest = ellipse->left * ellipse->right <= 0.0
                               ? 0.0
                               : fmin(fabs(ellipse->left), fabs(ellipse->right));
    const double p_low = sot_grid_posterior(grid, ellipse->left);
    const double p_high = sot_grid_posterior(grid, ellipse->right);
    double log_sup = 0.5 * (ellipse->height * ellipse->height - nearest * nearest);
    double angle = fmin(theta, 1.2 * p_high * theta);
    double base_low = 0.0, base_high = 0.0; /* p of the base */
    if (mixture->is_replaced) {
        base_low = sot_grid_posterior(grid, -ellipse->right);
        base_high = sot_grid_posterior(grid, -ellipse->left);
        angle += fmin(theta, 1.2 * base_high * theta);
    }
    /* r rises and B falls with y: r^{1+c} B^{-c} is largest on the right, its mirror on the left. A
     * negative power is larger off the real line. */
    const sot_mixture_node edge =
        sot_mixture_node_at(mixture, is_minus ? ellipse->left : ellipse->right);
    const double spread =
        is_minus ? spread_max(p_low, p_high) : spread_max(base_low, base_high);
    const double lifted = -0.5 * c * log1p(-4.0 * spread * sine * sine);
    log_sup += is_minus ? (1.0 + c) * edge.log_base - c * edge.log_ratio
                        : (1.0 + c) * edge.log_ratio - c * edge.log_base;
    return log_sup + lifted + s * angle;
}

/* ---- panels ---- */

/* Error of Gauss's rule on a panel of half-width H, for f analytic and at most m on the ellipse
 * with the semi-axes `H (rho +- 1/rho)/2`. Chebyshev coefficients are at most 2m rho^-k, the rule
 * is exact below degree 32, and odd terms vanish. Each of the others errs by at most 2 + 2/1023.
 * The total is at most `4.01 H m rho^-32/(1 - rho^-2)`. */
static double panel_log_error(const sot_mixture *mixture, double middle, double half,
                              double s)
{
    static const double rhos[] = {1.6, 2.2, 3.2, 5.0, 8.0};
    double best = HUGE_VAL;
    for (size_t i = 0; i < sizeof rhos / sizeof rhos[0]; i++) {
        const double rho = rhos[i];
        const double along = 0.5 * half * (rho + 1.0 / rho);
        const sot_ellipse ellipse = {middle - along, middle + along,
                                     0.5 * half * (rho - 1.0 / rho)};
        if (ellipse.height * mixture->grid.inverse_sigma > 1.5) break;
        const double c = mixture->order;
        const double plus = sot_mixture_log_sup(mixture, &ellipse, c, s, false);
        const double minus = sot_mixture_log_sup(mixture, &ellipse, c, s, true);
        /* The M - 1 form has P and Q themselves too: the same at c = 0. */
        const double mass = sot_mixture_log_sup(mixture, &ellipse, 0.0, 0.0, false);
        const double sup = fmax(fmax(plus, minus), mass) + log(4.0);
        best = fmin(
            best, sup +
                      log(4.01 * half * inverse_root_two_pi / (1.0 - 1.0 / (rho * rho))) -
                      32.0 * log(rho));
    }
    return best;
}

typedef void (*panel_visitor)(void *context, double y, double weight);

/* Visits the nodes of panels that are short enough for frequencies up to s and a relative
 * `tolerance`. Returns the sum of the panels' bounds relative to e^{max(peak, 0)}, or infinity if
 * more than `most` nodes would be needed. A NULL visitor only counts. */
static double visit_panels(const sot_mixture *mixture, double s, double tolerance,
                           double most, panel_visitor visitor, void *context,
                           double *out_nodes)
{
    const double scale = fmax(mixture->log_peak, 0.0);
    const double length = mixture->last - mixture->first;
    double total = 0.0, nodes = 0.0;
    double width = fmin(1.0, length);
    for (double left = mixture->first; left < mixture->last;) {
        width = fmin(width * 2.0, mixture->last - left);
        double log_error;
        for (;;) {
            log_error =
                panel_log_error(mixture, left + 0.5 * width, 0.5 * width, s) - scale;
            if (log_error < log(tolerance * width / length) || width < 1e-9) break;
            width *= 0.5;
        }
        total += exp(log_error);
        nodes += 2.0 * SOT_GAUSS_HALF;
        if (nodes > most) return HUGE_VAL;
        const double half = 0.5 * width;
        const double middle = left + half;
        for (int i = 0; i < SOT_GAUSS_HALF && visitor != NULL; i++) {
            const double weight = half * sot_gauss_weight[i] * inverse_root_two_pi;
            visitor(context, middle - half * sot_gauss_node[i], weight);
            visitor(context, middle + half * sot_gauss_node[i], weight);
        }
        /* The last panel ends the range exactly: rounding of left + width must not add
         * one. */
        if (left + width >= mixture->last - 1e-12 * length) break;
        left += width;
    }
    *out_nodes = nodes;
    return total * 1.01; /* for its own rounding */
}

/* Bounds the part beyond the last panel, relative to M(c)
 * (privacy/accounting/sampled/gaussian.md, section 2). */
static double outside(const sot_mixture *mixture)
{
    return 1e-36 * (1.0 + 2.0 * mixture->order * mixture->grid.inverse_sigma);
}

/* ---- log M(t) ---- */

typedef struct excess_sum {
    const sot_mixture *mixture;
    double shift; /* terms are e^-shift of themselves */
    sot_sum sum;
    double rounding;
} excess_sum;

static void add_excess(void *context, double y, double weight)
{
    excess_sum *excess = context;
    const double t = excess->mixture->order;
    const sot_mixture_node node = sot_mixture_node_at(excess->mixture, y);
    const double loss = node.log_ratio - node.log_base;
    if (!(loss > 0.0)) return;
    const double base = node.log_base - 0.5 * y * y - excess->shift;
    /* phi B (e^{tl} - 1)(e^l - e^{-tl}) = phi B e^l (e^{tl} - 1)(1 - e^{-(t+1)l}) */
    const double grown = t * loss < 1.0
                             ? exp(base + loss) * expm1(t * loss)
                             : exp(base + (t + 1.0) * loss) * -expm1(-t * loss);
    const double fall = -expm1(-(t + 1.0) * loss);
    const double term = weight * grown * fall;
    /* d/dl of the product, for the error of l and of its multiples. */
    const double slope =
        weight * exp(base + (t + 1.0) * loss) *
        ((t + 1.0) * fall + (t + 1.0) * -expm1(-t * loss) * exp(-(t + 1.0) * loss));
    sot_sum_add(&excess->sum, term);
    excess->rounding += term * (24.0 + 2.0 * y * y + fabs(excess->shift) + node.error) +
                        slope * (node.error + 3.0 * loss);
}

double sot_mixture_log_mgf(const sot_law *law, double t, double *out_error)
{
    *out_error = HUGE_VAL;
    sot_mixture mixture;
    if (!sot_mixture_make(law, t, &mixture)) return HUGE_VAL;
    excess_sum excess = {.mixture = &mixture,
                         .shift = mixture.log_peak > 30.0 ? mixture.log_peak : 0.0};
    double nodes;
    const double quadrature =
        visit_panels(&mixture, 0.0, 1e-20, 1e5, add_excess, &excess, &nodes);
    if (!(quadrature < 1e-3)) return HUGE_VAL;
    const double value = sot_sum_value(&excess.sum);
    double log_mgf, relative;
    if (excess.shift == 0.0) {
        log_mgf = log1p(value);
        /* The bound is relative to e^{max(peak, 0)}, here below e^30. */
        const double scale = exp(fmax(mixture.log_peak, 0.0));
        relative = (2.0 * unit * excess.rounding + quadrature * scale) / (1.0 + value);
    } else {
        log_mgf = excess.shift + log(value + exp(-excess.shift));
        relative = (2.0 * unit * excess.rounding + quadrature) / value;
    }
    if (!isfinite(log_mgf)) return HUGE_VAL;
    *out_error = 1.01 * relative + 8.0 * unit * log_mgf + outside(&mixture);
    return log_mgf;
}

double sot_mixture_log_mgf_estimate(const sot_law *law, double t)
{
    sot_mixture mixture;
    if (!sot_mixture_make(law, t, &mixture)) return HUGE_VAL;
    excess_sum excess = {.mixture = &mixture,
                         .shift = mixture.log_peak > 30.0 ? mixture.log_peak : 0.0};
    const double width = fmin(1.5, 1.5 * law->sigma);
    const double half = 0.5 * width;
    /* At large orders the range is wide and nearly empty. A panel whose ends are below e^-100 of
     * the largest value seen is skipped. */
    const double nothing = mixture.log_peak - 100.0;
    double edge = log_plus(&mixture, mixture.first);
    for (double left = mixture.first; left < mixture.last - 5.5; left += width) {
        const double before = edge;
        edge = log_plus(&mixture, left + width);
        if (fmax(before, edge) < nothing) continue;
        for (int i = 0; i < SOT_GAUSS_HALF; i++) {
            const double weight = half * sot_gauss_weight[i] * inverse_root_two_pi;
            add_excess(&excess, left + half - half * sot_gauss_node[i], weight);
            add_excess(&excess, left + half + half * sot_gauss_node[i], weight);
        }
    }
    const double value = sot_sum_value(&excess.sum);
    return excess.shift == 0.0 ? log1p(value)
                               : excess.shift + log(value + exp(-excess.shift));
}

/* ---- atoms ---- */

/* More of them would take longer than all the rest. */
static const double nodes_max = 2e4;

static double atoms_tolerance(const sot_law *law)
{
    return fmin(1e-16, fmax(1e-24, 1e-13 / law->count));
}

double sot_mixture_atoms_estimate(const sot_law *law, double c, double s_max, double most)
{
    sot_mixture mixture;
    double nodes;
    if (!sot_mixture_make(law, c, &mixture)) return HUGE_VAL;
    if (isinf(visit_panels(&mixture, s_max, atoms_tolerance(law), fmin(most, nodes_max),
                           NULL, NULL, &nodes)))
        return HUGE_VAL;
    return 1.5 * nodes;
}

typedef struct atom_list {
    const sot_mixture *mixture;
    sot_atoms *atoms;
    size_t kept;
    double summation; /* roundings of the sum over all atoms */
    double sum, dropped, rounding, weight_errors, sizes;
} atom_list;

static void add_atom(atom_list *list, double loss, double log_weight, double weight,
                     double weight_error, double loss_error)
{
    const double w = weight * exp(log_weight);
    list->sum += w;
    if (log_weight < -60.0) {
        list->dropped += w;
        return;
    }
    list->rounding += w * (loss_error + fabs(loss) * (list->summation + weight_error));
    list->weight_errors += w * weight_error;
    list->sizes += w * fabs(loss);
    list->atoms->loss[list->kept] = loss;
    list->atoms->weight[list->kept++] = w;
}

static void add_atoms(void *context, double y, double weight)
{
    atom_list *list = context;
    const double c = list->mixture->order;
    const double peak = fmax(list->mixture->log_peak, 0.0);
    const sot_mixture_node node = sot_mixture_node_at(list->mixture, y);
    const double loss = node.log_ratio - node.log_base;
    const double errors = 2.0 * y * y + 2.0 * fabs(peak) + 8.0 +
                          (1.0 + 2.0 * c) * (node.error + 2.0 * fabs(node.log_ratio) +
                                             2.0 * fabs(node.log_base));
    const double density = -0.5 * y * y - peak;
    add_atom(list, loss, density + node.log_ratio + c * loss, weight, errors, node.error);
    add_atom(list, -loss, density + node.log_base - c * loss, weight, errors, node.error);
}

sotto_status sot_mixture_atoms(const sot_law *law, double c, double s_max,
                               sot_atoms *out_atoms, sotto_error *error)
{
    sot_mixture mixture;
    double nodes = 0.0;
    if (!sot_mixture_make(law, c, &mixture) ||
        isinf(visit_panels(&mixture, s_max, atoms_tolerance(law), nodes_max, NULL, NULL,
                           &nodes))) {
        return sot_fail(error, SOTTO_UNSUPPORTED,
                        "the quadrature of rate %g and noise multiplier %g needs too "
                        "many nodes",
                        law->rate, law->sigma);
    }
    const sotto_status status = sot_atoms_new(2 * (size_t)nodes + 1, out_atoms, error);
    if (status != SOTTO_OK) return status;
    atom_list list = {.mixture = &mixture,
                      .atoms = out_atoms,
                      .summation = SOT_ATOM_ROUNDINGS + 2.0 * nodes / SOT_ATOM_BLOCK};
    const double quadrature = visit_panels(&mixture, s_max, atoms_tolerance(law),
                                           nodes_max, add_atoms, &list, &nodes);
    const double atom = sot_mixture_atom(&mixture);
    if (atom > 0.0) {
        add_atom(&list, 0.0, -fmax(mixture.log_peak, 0.0), atom, 16.0, 0.0);
    }
    const size_t lanes = SOT_ATOM_LANES;
    out_atoms->count = (list.kept + lanes - 1) / lanes * lanes;
    sot_atoms_normalize(out_atoms);
    out_atoms->rounding_per_s =
        2.0 * unit * (list.rounding + list.weight_errors / list.sum * list.sizes) /
        list.sum;
    /* Transform and normaliser both err. */
    out_atoms->quadrature = 2.4 * quadrature / list.sum + 4.0 * list.dropped / list.sum +
                            2.0 * outside(&mixture);
    if (!(quadrature < 0.1 * list.sum)) out_atoms->quadrature = HUGE_VAL;
    return SOTTO_OK;
}

/* ---- delta of one release ---- */

/* Returns the y at which l(y) = epsilon >= 0. delta(eps) = P(> y) - e^eps Q(> y) is largest
 * there. So an error of y enters only by its square. */
static double threshold(const sot_mixture *mixture, double epsilon)
{
    double low = 0.0;
    double high = 1.0;
    for (int i = 0; i < 60; i++) {
        const sot_mixture_node node = sot_mixture_node_at(mixture, high);
        if (node.log_ratio - node.log_base > epsilon) break;
        high *= 2.0;
    }
    for (int i = 0; i < 80 && high - low > 1e-16 * high; i++) {
        const double middle = 0.5 * (low + high);
        const sot_mixture_node node = sot_mixture_node_at(mixture, middle);
        if (node.log_ratio - node.log_base > epsilon) {
            high = middle;
        } else {
            low = middle;
        }
    }
    return 0.5 * (low + high);
}

static sot_bracket replaced_delta(const sot_law *law, double epsilon)
{
    sot_mixture mixture;
    const double inverse = 1.0 / law->sigma;
    if (!sot_mixture_make(law, 0.0, &mixture)) return (sot_bracket){0.0, 1.0};
    const double y = threshold(&mixture, epsilon);
    const double q = law->rate;
    /* e^eps Phi(-y) by logarithms: e^eps may overflow where the product does not. */
    const double first = q * sot_ndtr(inverse - y);
    const double log_middle = sot_log_ndtr(-y);
    const double middle =
        (1.0 - q) * (epsilon < 1.0 ? expm1(epsilon) * exp(log_middle)
                                   : exp(epsilon + log_middle) - exp(log_middle));
    const double last = q * exp(epsilon + sot_log_ndtr(-y - inverse));
    const double value = first - middle - last;
    const double far = y + inverse;
    const double slack =
        unit * (64.0 + 16.0 * epsilon + 32.0 * far * far) * (first + middle + last);
    sot_bracket delta = {fmax(0.0, value - slack), fmin(1.0, value + slack + DBL_MIN)};
    if (!(delta.upper >= 0.0)) delta.upper = 1.0;
    if (!(delta.lower <= delta.upper)) delta.lower = 0.0;
    return delta;
}

/* Fixed size: for eps >= 0, delta(eps) is that of the Poisson-sampled pair in the direction
 * "remove"; below it is mirrored. Balle, Barthe & Gaboardi, NeurIPS 2018, Thm 9; Zhu, Dong & Wang
 * 2022. */
sot_bracket sot_mixture_delta(const sot_law *law, double epsilon)
{
    const double positive = fabs(epsilon);
    const sot_bracket delta =
        law->kind == SOT_LAW_FIXED
            ? sot_sampled_gaussian_delta(law->rate, law->sigma, SOT_REMOVE, positive)
            : replaced_delta(law, positive);
    return sot_law_mirror(delta, epsilon);
}
