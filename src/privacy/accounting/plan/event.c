/* The parameters of one event for the accountants. */
#include <float.h>
#include <math.h>

#include "numeric/outward.h"
#include "privacy/accounting/plan/composition.h"

/* A stated scale and sensitivity bound the noise. A noise_multiplier may be the nearest double to
 * their ratio, and half of the time that is above it. An open noise_multiplier is at most the
 * ratio. */
double sot_event_sigma(const sotto_event *event, double noise_multiplier)
{
    const double sigma =
        isnan(event->noise_multiplier) ? noise_multiplier : event->noise_multiplier;
    if (isnan(event->scale)) return sigma;
    const double ratio = sot_div_down(event->scale, event->sensitivity);
    return sigma > ratio ? ratio : sigma; /* an open one stays NaN */
}

/* Canonne, Kamath & Steinke, NeurIPS 2020, Thm 14: rho = sensitivity^2/(2 sigma^2). */
double sot_event_rho(const sotto_event *event)
{
    if (event->mechanism != SOTTO_DISCRETE_GAUSSIAN) return event->rho;
    const double ratio = sot_div_up(event->sensitivity, event->scale);
    return 0.5 * sot_mul_up(ratio, ratio);
}

double sot_event_rate(const sotto_event *event)
{
    switch (event->sampling) {
    case SOTTO_POISSON:
    case SOTTO_TRUNCATED_POISSON:
    case SOTTO_CYCLIC_POISSON:
        return event->rate;
    case SOTTO_WITHOUT_REPLACEMENT: /* both are below 2^53 */
        return sot_div_up((double)event->batch, (double)event->population);
    case SOTTO_SINGLE_RECORD:
        return sot_div_up(1.0, (double)event->population);
    case SOTTO_NOT_SAMPLED:
        break;
    }
    return 1.0;
}

/* Without sampling. Noise of scale t changes its density by at most e^{|shift|/t}. So
 * epsilon = sensitivity/t for Laplace noise of both kinds. */
static double whole_epsilon(const sotto_event *event, double noise_multiplier)
{
    if (event->mechanism == SOTTO_LAPLACE)
        return sot_div_up(1.0, sot_event_sigma(event, noise_multiplier));
    if (event->mechanism != SOTTO_DISCRETE_LAPLACE) return event->epsilon;
    return sot_div_up(event->sensitivity, event->scale);
}

/* Amplification: log(1 + q (e^eps - 1)) and q delta. It holds for Poisson sampling under
 * add-remove and for batches of fixed size under replace-one (Balle, Barthe & Gaboardi, NeurIPS
 * 2018, Thms 8 and 9). */
double sot_event_epsilon(const sotto_event *event, double noise_multiplier)
{
    const double epsilon = whole_epsilon(event, noise_multiplier);
    const double rate = sot_event_rate(event);
    if (rate >= 1.0 || !(epsilon > 0.0)) return epsilon;
    if (epsilon < 30.0) return sot_log1p_up(sot_mul_up(rate, sot_expm1_up(epsilon)));
    return fmin(epsilon,
                sot_widen_up(epsilon + log(rate + exp(-epsilon)), 16.0 * DBL_EPSILON));
}

double sot_event_delta(const sotto_event *event)
{
    return sot_mul_up(sot_event_rate(event), event->delta);
}

/* sensitivity/grid if that is a whole number, else NaN: the number of lattice steps by which one
 * record moves the values. Without a grid the values are whole numbers. */
static double lattice_steps(const sotto_event *event)
{
    const double grid = isnan(event->grid) ? 1.0 : event->grid;
    const double steps = event->sensitivity / grid;
    const bool is_exact = steps == floor(steps) && steps >= 1.0 && steps < 0x1p53 &&
                          fma(steps, grid, -event->sensitivity) == 0.0;
    return is_exact ? steps : SOTTO_UNSET;
}

/* Above this many steps per standard deviation the sum over the lattice takes too long, and the
 * bound by zCDP is next to exact. */
static const double sigma_steps_max = 2000.0;

/* One number, or vectors that a record moves by one step of one coordinate: integer vectors of norm
 * below sqrt(2). Longer moves of vectors have no worst direction that is known. */
static bool discrete_gaussian_law(const sotto_event *event, sot_law *out_law)
{
    const double steps = lattice_steps(event);
    const double grid = isnan(event->grid) ? 1.0 : event->grid;
    if (isnan(steps) || event->dimension == SOTTO_DIMENSION_ANY) return false;
    if (event->dimension > 1 && steps > 1.0) return false;
    const double sigma = event->scale / grid;
    /* Rounding of the ratio would change the distribution: the grid is a power of two, or
     * 1. */
    if (fma(sigma, grid, -event->scale) != 0.0) return false;
    if (!(sigma <= sigma_steps_max && sigma >= 0.01 && steps <= 1000.0 * sigma))
        return false;
    *out_law = (sot_law){
        .kind = SOT_LAW_DISCRETE_GAUSSIAN, .steps = steps, .sigma = sigma, .count = 1.0};
    return true;
}

static bool sampled_gaussian_law(const sotto_event *event, sotto_adjacency adjacency,
                                 double noise_multiplier, sot_law *out_law)
{
    const double rate = sot_event_rate(event);
    if (rate >= 1.0 || adjacency != SOTTO_REPLACE_ONE) return false;
    *out_law = (sot_law){.kind = event->sampling == SOTTO_POISSON ? SOT_LAW_REPLACED
                                                                  : SOT_LAW_FIXED,
                         .rate = rate,
                         .sigma = sot_event_sigma(event, noise_multiplier),
                         .count = 1.0};
    return true;
}

bool sot_event_law(const sotto_event *event, sotto_adjacency adjacency,
                   double noise_multiplier, sot_law *out_law)
{
    *out_law = (sot_law){.kind = SOT_LAW_BOX, .count = 1.0};
    if (event->mechanism == SOTTO_GAUSSIAN)
        return sampled_gaussian_law(event, adjacency, noise_multiplier, out_law);
    if (event->sampling != SOTTO_NOT_SAMPLED && !(sot_event_rate(event) >= 1.0))
        return false; /* sot_event_subsampled() */
    if (event->mechanism == SOTTO_DISCRETE_GAUSSIAN)
        return discrete_gaussian_law(event, out_law);
    out_law->loss = whole_epsilon(event, noise_multiplier);
    if (!(out_law->loss > 1e-12)) return false; /* as pure: the difference is nothing */
    if (event->mechanism == SOTTO_LAPLACE) {
        out_law->has_ends = true;
        return true;
    }
    if (event->mechanism == SOTTO_EXPONENTIAL) return true;
    if (event->mechanism == SOTTO_DISCRETE_LAPLACE) {
        out_law->kind = SOT_LAW_DISCRETE_LAPLACE;
        out_law->steps = lattice_steps(event);
        return out_law->steps >
               1.0; /* one step is binary randomized response: pure itself */
    }
    if (event->mechanism == SOTTO_RANDOMIZED_RESPONSE) {
        out_law->kind = SOT_LAW_RESPONSE;
        out_law->categories = (double)event->categories;
        /* For neighbours that give another answer; the others are pure. */
        return event->categories > 2 && adjacency == SOTTO_REPLACE_ONE;
    }
    return false;
}

/* An epsilon-DP release is dominated by two-way randomized response (Kairouz, Oh & Viswanath, ICML 2015). */
static sot_law response_law(double epsilon)
{
    return (sot_law){
        .kind = SOT_LAW_RESPONSE, .loss = epsilon, .categories = 2.0, .count = 1.0};
}

bool sot_event_subsampled(const sotto_event *event, sotto_adjacency adjacency,
                          double noise_multiplier, sot_subsampled *out_release)
{
    const double rate = sot_event_rate(event);
    if (event->mechanism == SOTTO_GAUSSIAN_MIXTURE) {
        *out_release = (sot_subsampled){
            .kind = SOT_SAMPLE_MIXTURE,
            .rate = 1.0,
            .count = 1.0,
            .mixture = {.sigma = sot_event_sigma(event, noise_multiplier),
                        .norms = event->curve_orders,
                        .weights = event->curve_values,
                        .size = event->curve_size}};
        return true;
    }
    if (event->sampling == SOTTO_NOT_SAMPLED || event->mechanism == SOTTO_GAUSSIAN)
        return false;
    sotto_event whole = *event;
    whole.sampling = SOTTO_NOT_SAMPLED;
    *out_release = (sot_subsampled){
        .kind = event->sampling == SOTTO_POISSON ? SOT_SAMPLE_COINS : SOT_SAMPLE_BATCH,
        .rate = rate,
        .count = 1.0};
    sot_law *base = &out_release->base;
    const bool has_law = sot_event_law(&whole, adjacency, noise_multiplier, base);
    if (has_law && sot_pair_table_covers(base)) return rate < 1.0;
    if (event->mechanism == SOTTO_DISCRETE_GAUSSIAN) return false;
    *base = response_law(whole_epsilon(event, noise_multiplier));
    return rate < 1.0 && base->loss > 1e-12 && sot_pair_table_covers(base);
}

/* True if the release on all records attains the base of its sampled pair. */
static bool attains_its_pair(const sotto_event *event, const sot_law *base)
{
    if (event->mechanism == SOTTO_PURE || event->mechanism == SOTTO_GAUSSIAN_MIXTURE)
        return true;
    if (event->mechanism == SOTTO_LAPLACE) return base->has_ends;
    if (event->mechanism == SOTTO_RANDOMIZED_RESPONSE)
        return event->categories == 2 || base->categories > 2.0;
    if (event->mechanism == SOTTO_DISCRETE_LAPLACE)
        return base->kind == SOT_LAW_DISCRETE_LAPLACE ||
               event->sensitivity == (isnan(event->grid) ? 1.0 : event->grid);
    return event->mechanism == SOTTO_DISCRETE_GAUSSIAN;
}

bool sot_event_is_loose(const sotto_event *event, bool has_law,
                        const sot_subsampled *sampled)
{
    /* No single data set attains the spliced pair of a batch. */
    if (event->sampling == SOTTO_WITHOUT_REPLACEMENT ||
        event->sampling == SOTTO_SINGLE_RECORD)
        return true;
    if (event->mechanism == SOTTO_GAUSSIAN) return false;
    if (sampled != NULL) return !attains_its_pair(event, &sampled->base);
    if (event->sampling != SOTTO_NOT_SAMPLED) return true;
    if (event->mechanism == SOTTO_RANDOMIZED_RESPONSE)
        return event->categories > 2 && !has_law;
    if (event->mechanism == SOTTO_DISCRETE_LAPLACE) {
        return event->sensitivity != (isnan(event->grid) ? 1.0 : event->grid) && !has_law;
    }
    if (event->mechanism == SOTTO_DISCRETE_GAUSSIAN) return !has_law;
    return event->mechanism == SOTTO_EXPONENTIAL ||
           event->mechanism == SOTTO_PERMUTE_AND_FLIP ||
           (event->mechanism == SOTTO_OBJECTIVE_PERTURBATION &&
            /* rows of the logistic loss, saturated, attain a Gaussian: privacy/accounting/exact/exact.c */
            (event->rows == 0 || event->shift > 0.0 || event->vertices > 1));
}

double sot_curve_log_mgf_upper(const sotto_event *event, double t)
{
    const double *orders = event->curve_orders;
    const double *values = event->curve_values;
    /* Orders less 1 are exact (Sterbenz below 2, a multiple of the order's last place
     * above). The number t + 1 is not: near an order where the bound jumps, its rounding
     * would pick the wrong side. */
    if (t <= orders[0] - 1.0)
        return sot_mul_up(t, values[0]); /* divergence grows with the order */
    for (uint32_t i = 1; i < event->curve_size; i++) {
        const double before = orders[i - 1] - 1.0;
        const double after = orders[i] - 1.0;
        if (t > after) continue;
        const double left = sot_mul_up(before, values[i - 1]);
        const double right = sot_mul_up(after, values[i]);
        /* The part is off by 4u of itself, the chord by as much of its height. */
        const double part = (t - before) / (after - before);
        const double chord = left + part * (right - left);
        return chord + 8.0 * DBL_EPSILON * (left + right);
    }
    return HUGE_VAL;
}
