#include "privacy/accounting/exact/contour_parts.h"

#include <assert.h>
#include <float.h>
#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "numeric/outward.h"
#include "numeric/roots.h"
#include "numeric/special.h"
#include "numeric/sum.h"

struct sot_contour {
    const sot_composition *composition;
    sot_direction direction;
    double smoothing;     /* tau */
    double c;             /* Re t */
    double log_mgf;       /* K(c), with the virtual Gaussian */
    double log_mgf_error; /* bound on its error */
    double step;          /* ds */
    size_t nodes;         /* j = 0 .. nodes - 1 */
    double *log_modulus;  /* log |M(c + is)/M(c)|, an upper bound; then `real` */
    double *argument;     /* its argument */
    double *error;        /* its relative error; then `imaginary` */
    double *real;         /* |M(c + is)/M(c)| times the parts of 1/((c+is)(c+1+is)) */
    double *imaginary;
    double slack;         /* error of the sum at epsilon 0 */
    double slack_slope;   /* and its growth with |epsilon| */
    double log_tail;      /* log of the bound on |M/M(c)| beyond the last node */
    double alias_order;   /* d: K(c + d) bounds the aliases from above */
    double alias_log_mgf; /* K(c + d), upper bound */
};

/* ---- the step of the sum ---- */

/* Epsilon and log delta of the answer, one of them asked for, the other guessed by Renyi's
 * bound on this line. */
typedef struct place {
    double epsilon;
    double log_delta;
} place;

/* Aliases with n < 0 sum to at most 1/(e^{cP} - 1). Those with n > 0 sum to at most kappa(c+d)
 * e^{K(c+d) - (c+d) eps}/(e^{dP} - 1) for every d > 0. Choose P so that both fall to e^-28 of a
 * guess of delta. */
static double choose_period(sot_contour *contour, const sot_contour_request *request,
                            place target)
{
    const double c = contour->c;
    double period = HUGE_VAL;
    contour->alias_order = c;
    for (double ratio = 1.0 / 64.0; ratio <= 8.0; ratio *= 2.0) {
        const double d = ratio * c;
        const double k = sot_contour_log_mgf_estimate(request, c + d);
        const double needed = (k - (c + d) * target.epsilon + sot_log_kappa(c + d) -
                               target.log_delta + 28.0) /
                              d;
        if (isfinite(needed) && needed < period) {
            period = needed;
            contour->alias_order = d;
        }
    }
    double error;
    contour->alias_log_mgf =
        sot_contour_log_mgf(request, c + contour->alias_order, &error);
    contour->alias_log_mgf += error;
    return fmax(period, (28.0 - target.log_delta) / c);
}

static sot_bracket alias_bracket(const sot_contour *contour, double epsilon)
{
    const double period = 2.0 * M_PI / contour->step;
    const double d = contour->alias_order;
    const double below = 1.0 / expm1(contour->c * period);
    const double exponent = sot_log_kappa(contour->c + d) + contour->alias_log_mgf -
                            (contour->c + d) * epsilon;
    const double above = exp(fmin(exponent, 700.0)) / expm1(fmin(d * period, 700.0));
    return (sot_bracket){0.0, (below + above) * (1.0 + 1e-9)};
}

/* ---- the table ---- */

static sotto_status add_to_table(sot_contour *contour, sot_atoms *atoms, double count,
                                 sotto_error *error)
{
    const sotto_status status = sot_atoms_accumulate(
        atoms, count, contour->step, contour->nodes, contour->log_modulus,
        contour->argument, contour->error, error);
    sot_atoms_clear(atoms);
    return status;
}

static void add_gaussian_to_table(sot_contour *contour)
{
    /* K(c+is) - K(c) = mu^2 (i s (2c + 1) - s^2)/2 */
    const sot_bracket *given = &contour->composition->gaussian_square;
    const double square =
        0.5 * (given->lower + given->upper) + contour->smoothing * contour->smoothing;
    const double relative =
        (given->upper - given->lower) / fmax(square, DBL_MIN) + 8.0 * sot_contour_unit;
    for (size_t j = 0; j < contour->nodes; j++) {
        const double s = (double)j * contour->step;
        const double real = -0.5 * square * s * s;
        const double imaginary = 0.5 * square * s * (2.0 * contour->c + 1.0);
        contour->log_modulus[j] += real;
        contour->argument[j] += imaginary;
        contour->error[j] += relative * (fabs(real) + fabs(imaginary));
    }
}

/* A plan of many different sampled events may take this many times the limit of one. */
static const double plan_work_factor = 16.0;

static sotto_status fill_table(sot_contour *contour, double work_max, double s_max,
                               sotto_error *error)
{
    const sot_composition *composition = contour->composition;
    sotto_status status = SOTTO_OK;
    double work = 0.0;
    add_gaussian_to_table(contour);
    for (size_t i = 0; i < composition->sampled_count && status == SOTTO_OK; i++) {
        const sot_sampled *sampled = &composition->sampled[i];
        sot_atoms atoms = {0};
        status = sot_sampled_atoms(sampled, contour->direction, contour->c, s_max, &atoms,
                                   error);
        if (status != SOTTO_OK) break;
        const double once = sot_atoms_work((double)atoms.count, (double)contour->nodes);
        work += once;
        if (once > work_max || work > plan_work_factor * work_max) {
            sot_atoms_clear(&atoms);
            return sot_fail(error, SOTTO_UNSUPPORTED, "the contour integral is too long");
        }
        status = add_to_table(contour, &atoms, sampled->count, error);
    }
    for (size_t i = 0; i < composition->pure_count && status == SOTTO_OK; i++) {
        sot_atoms atoms = {0};
        status =
            sot_atoms_of_pure(composition->pure[i].epsilon, contour->c, &atoms, error);
        if (status == SOTTO_OK) {
            status = add_to_table(contour, &atoms, composition->pure[i].count, error);
        }
    }
    const sot_law_table table = {contour->c,           contour->step,     contour->nodes,
                                 contour->log_modulus, contour->argument, contour->error};
    for (size_t i = 0; i < composition->law_count && status == SOTTO_OK; i++)
        status = sot_law_accumulate(&composition->laws[i], &table, work_max, error);
    return status;
}

static sotto_status allocate_table(sot_contour *contour, sotto_error *error)
{
    const size_t nodes = contour->nodes;
    contour->log_modulus = sot_new_array(nodes, sizeof *contour->log_modulus);
    contour->argument = sot_new_array(nodes, sizeof *contour->argument);
    contour->error = sot_new_array(nodes, sizeof *contour->error);
    if (contour->log_modulus == NULL || contour->argument == NULL ||
        contour->error == NULL) {
        return sot_fail_memory(error, nodes, 3 * sizeof *contour->error);
    }
    return SOTTO_OK;
}

static sotto_status make_tails(const sot_contour_request *request, double c,
                               sot_sampled_tail **tails, sot_law_tail **law_tails,
                               sotto_error *error)
{
    const sot_composition *composition = request->composition;
    for (size_t i = 0; i < composition->sampled_count; i++) {
        const sotto_status status = sot_sampled_tail_new(
            &composition->sampled[i], request->direction, c, &tails[i], error);
        if (status != SOTTO_OK) return status;
    }
    for (size_t i = 0; i < composition->law_count; i++) {
        const sotto_status status =
            sot_law_tail_new(&composition->laws[i], c, &law_tails[i], error);
        if (status != SOTTO_OK) return status;
    }
    return SOTTO_OK;
}

static place guess_place(const sot_contour_request *request, double c, double log_mgf)
{
    if (isnan(request->epsilon)) {
        return (place){(log_mgf - request->log_delta + sot_log_kappa(c)) / c,
                       request->log_delta};
    }
    const double chernoff = log_mgf - c * request->epsilon + sot_log_kappa(c);
    return (place){request->epsilon, fmin(0.0, chernoff) - 4.0};
}

/* A search for epsilon sums the nodes some 40 times, at the price of 10 evaluations of atoms
 * each time. */
static const double node_work = 400.0;

static double estimate_work(const sot_contour_request *request, double c, double period,
                            double stop)
{
    const sot_composition *composition = request->composition;
    const double nodes = 1.0 + stop * period / (2.0 * M_PI);
    if (nodes * node_work > 2.0 * request->work_max) return HUGE_VAL;
    /* For a long plan a subsample of the events is enough. */
    const size_t stride = 1 + composition->sampled_count / 16;
    /* With more, the line is refused in any case. */
    const double most = (composition->law_count + composition->sampled_count < 2
                             ? 4.0
                             : 4.0 * plan_work_factor) *
                        request->work_max / nodes;
    double atoms = 16.0;
    for (size_t i = 0; i < composition->sampled_count; i += stride) {
        atoms += (double)stride * sot_sampled_atoms_estimate(&composition->sampled[i],
                                                             request->direction, c, stop);
    }
    for (size_t i = 0; i < composition->law_count; i++)
        atoms += sot_law_atoms_estimate(&composition->laws[i], c, stop, most);
    return sot_atoms_work(atoms, nodes);
}

/* At tiny rates the exponentially weighted distribution at the saddle point has two modes, no
 * jump and one jump, and the line is expensive. Further left the second mode is gone; the price
 * is cancellation: the sum must resolve delta against W. Takes the first cheap line, or else the
 * cheapest, among those that lose at most e^14. Returns the estimated work. */
static double move_line_left(sot_contour *contour, const sot_contour_request *request,
                             place target, double stop)
{
    /* Planning another line costs about as much as 1e5 evaluations for each sampled event. */
    const double cheap =
        4e6 + fmin(1e6 * (double)request->composition->sampled_count, request->work_max);
    const double first_c = contour->c;
    double best_c = first_c;
    double best_work = HUGE_VAL;
    double ratio = 0.9;
    int worse = 0; /* lines in a row that are no better */
    for (double c = first_c; best_work > cheap && c > 0.05 * first_c && worse < 3;
         c *= ratio) {
        const double log_front =
            sot_contour_log_mgf_estimate(request, c) - c * target.epsilon;
        if (c < first_c && log_front - target.log_delta > 14.0) break;
        contour->c = c;
        const double period = choose_period(contour, request, target);
        const double work = estimate_work(request, c, period, stop);
        worse = work < best_work || isinf(work) ? 0 : worse + 1;
        /* Far from the limit there is far to go. */
        ratio = work > 8.0 * request->work_max ? 0.7 : 0.9;
        if (work < best_work) {
            best_work = work;
            best_c = c;
        }
    }
    contour->c = best_c;
    contour->log_mgf = sot_contour_log_mgf(request, best_c, &contour->log_mgf_error);
    return best_work;
}

/* Computes the point at which the sum may stop on the line Re t = c, and a bound on the
 * tail beyond it. */
static sotto_status measure_decay(const sot_contour_request *request, double c,
                                  double *out_stop, double *out_log_tail,
                                  sotto_error *error)
{
    const size_t sampled_count = request->composition->sampled_count;
    const size_t law_count = request->composition->law_count;
    sot_sampled_tail **tails = sot_new_array(sampled_count, sizeof *tails);
    sot_law_tail **law_tails = sot_new_array(law_count, sizeof *law_tails);
    sotto_status status =
        tails == NULL || law_tails == NULL
            ? sot_fail_memory(error, sampled_count + law_count, sizeof *tails)
            : make_tails(request, c, tails, law_tails, error);
    if (status == SOTTO_OK) {
        sot_contour_decay bound = {request, tails, law_tails};
        *out_stop = sot_contour_stopping_point(&bound);
        *out_log_tail = *out_stop == 0.0 ? 0.0 : sot_contour_log_decay(&bound, *out_stop);
    }
    for (size_t i = 0; i < sampled_count && tails != NULL; i++)
        sot_sampled_tail_free(tails[i]);
    for (size_t i = 0; i < law_count && law_tails != NULL; i++)
        sot_law_tail_free(law_tails[i]);
    sot_free(tails);
    sot_free(law_tails);
    return status;
}

/* Chooses the line, the step and the number of nodes. */
static sotto_status lay_out(sot_contour *contour, const sot_contour_request *request,
                            double *out_s_max, sotto_error *error)
{
    double stop;
    double log_tail;
    sotto_status status = measure_decay(request, contour->c, &stop, &log_tail, error);
    if (status != SOTTO_OK) return status;
    const place target = guess_place(request, contour->c, contour->log_mgf);
    const double first_c = contour->c;
    double work = HUGE_VAL;
    if (stop > 0.0) work = move_line_left(contour, request, target, stop);
    /* The estimate is good to a factor 2: refuse the hopeless before any atom is made. */
    if (work > 4.0 * plan_work_factor * request->work_max ||
        (request->composition->sampled_count + request->composition->law_count < 2 &&
         work > 4.0 * request->work_max)) {
        return sot_fail(error, SOTTO_UNSUPPORTED, "the contour integral is too long");
    }
    if (contour->c != first_c) {
        status = measure_decay(request, contour->c, &stop, &log_tail, error);
        if (status != SOTTO_OK) return status;
    }
    contour->step = 2.0 * M_PI / choose_period(contour, request, target);
    const double nodes = ceil(stop / contour->step) + 1.0;
    if (stop == 0.0 || !(nodes < 1e7) || nodes * node_work > request->work_max) {
        return sot_fail(error, SOTTO_UNSUPPORTED, "the contour integral is too long");
    }
    contour->nodes = (size_t)nodes;
    contour->log_tail =
        log_tail; /* holds from `stop` on, and the last node is beyond it */
    *out_s_max = (nodes - 1.0) * contour->step;
    return SOTTO_OK;
}

double sot_contour_log_chernoff(const sot_contour_request *request)
{
    const double c = sot_contour_place_line(request);
    double error;
    const double k = sot_contour_log_mgf(request, c, &error);
    const double bound = k - c * request->epsilon + sot_log_kappa(c);
    const double rounding =
        32.0 * sot_contour_unit * (fabs(k) + c * request->epsilon + 1.0 + log1p(c));
    return isfinite(bound) ? bound + error + rounding : 0.0;
}

/* From the table to the terms of the sum: the parts that do not depend on epsilon are computed once. */
static void finish_table(sot_contour *contour)
{
    const double c = contour->c;
    contour->real = contour->log_modulus;
    contour->imaginary = contour->error;
    for (size_t j = 0; j < contour->nodes; j++) {
        const double s = (double)j * contour->step;
        /* 1/((c+is)(c+1+is)) = (x - iy)/(x^2 + y^2), x = c(c+1) - s^2, y = s(2c+1) */
        const double x = c * (c + 1.0) - s * s;
        const double y = s * (2.0 * c + 1.0);
        const double square = (c * c + s * s) * ((c + 1.0) * (c + 1.0) + s * s);
        const double modulus = exp(contour->log_modulus[j]) * (j == 0 ? 0.5 : 1.0);
        const double roundings =
            4.0 * (fabs(contour->argument[j]) + fabs(contour->log_modulus[j])) + 32.0;
        const double size = modulus / sqrt(square);
        contour->slack +=
            size * (2.0 * contour->error[j] + 2.0 * sot_contour_unit * roundings);
        contour->slack_slope += size * 8.0 * sot_contour_unit * s;
        contour->real[j] = modulus * x / square;
        contour->imaginary[j] = modulus * y / square;
    }
}

sotto_status sot_contour_new(const sot_contour_request *request,
                             sot_contour **out_contour, sotto_error *error)
{
    assert(!sot_composition_is_renyi(request->composition));
    sot_contour *contour = sot_new_array(1, sizeof *contour);
    if (contour == NULL) return sot_fail_memory(error, 1, sizeof *contour);
    contour->composition = request->composition;
    contour->direction = request->direction;
    contour->smoothing = request->smoothing;
    contour->c = sot_contour_place_line(request);
    contour->log_mgf = sot_contour_log_mgf(request, contour->c, &contour->log_mgf_error);

    double s_max = 0.0;
    sotto_status status = SOTTO_OK;
    if (!isfinite(contour->log_mgf) || !isfinite(contour->log_mgf_error)) {
        status = sot_fail(error, SOTTO_UNSUPPORTED,
                          "the moment generating function overflows");
    }
    if (status == SOTTO_OK) status = lay_out(contour, request, &s_max, error);
    if (status == SOTTO_OK) status = allocate_table(contour, error);
    if (status == SOTTO_OK) status = fill_table(contour, request->work_max, s_max, error);
    if (status != SOTTO_OK) {
        sot_contour_free(contour);
        return status;
    }
    finish_table(contour);
    *out_contour = contour;
    return SOTTO_OK;
}

void sot_contour_free(sot_contour *contour)
{
    if (contour == NULL) return;
    sot_free(contour->log_modulus);
    sot_free(contour->argument);
    sot_free(contour->error);
    sot_free(contour);
}

sot_bracket sot_contour_delta(const sot_contour *contour, double epsilon)
{
    const double c = contour->c;
    const double log_front = contour->log_mgf - c * epsilon; /* log W */
    sot_sum sum = {0};
    for (size_t j = 0; j < contour->nodes; j++) {
        const double phase = contour->argument[j] - (double)j * contour->step * epsilon;
        sot_sum_add(&sum,
                    contour->real[j] * cos(phase) + contour->imaginary[j] * sin(phase));
    }
    const double slack =
        (contour->slack + contour->slack_slope * fabs(epsilon)) * (1.0 + 1e-9);
    const double s_last = (double)(contour->nodes - 1) * contour->step;
    /* The last node has full weight although the trapezoid rule gives it half. The rest
     * of the infinite sum is at most its integral from the last node. */
    const double tail = exp(contour->log_tail) / s_last;
    const double front = exp(log_front);
    const double front_error =
        contour->log_mgf_error +
        8.0 * sot_contour_unit * (fabs(contour->log_mgf) + c * fabs(epsilon) + 2.0);
    const double scale = contour->step / M_PI;
    const double middle = front * scale * sot_sum_value(&sum);
    const double error =
        front * (scale * slack + tail / M_PI) * exp(front_error) * (1.0 + 1e-6) +
        fabs(middle) * expm1(front_error) * (1.0 + 1e-6) + 1e-300;
    sot_bracket delta = {middle - error - alias_bracket(contour, epsilon).upper,
                         middle + error};
    if (!(delta.upper >= 0.0 && delta.upper <= 1.0)) delta.upper = 1.0; /* NaN too */
    if (!(delta.lower > 0.0 && delta.lower <= 1.0)) delta.lower = 0.0;
    return delta;
}

/* `delta_tau(e) = E[delta(e - G)]` with `G ~ N(tau^2/2, tau^2)`. delta decreases and is at most
 * 1. So `delta_tau(eps + v) <= delta(eps) + P(G > v)`, and `v = tau (z + tau/2)` has
 * `P(G > v) = Phi(-z)`. z is chosen so that this is a thousandth of the delta asked about. */
void sot_contour_unsmoothed_lower(const sot_contour *contour, double delta,
                                  double *out_shift, double *out_loss)
{
    const double tau = contour->smoothing;
    *out_shift = 0.0;
    *out_loss = 0.0;
    if (tau == 0.0) return;
    const double z = -sot_normal_quantile(1e-3 * delta);
    *out_shift = sot_widen_up(tau * (z + 0.5 * tau), 1e-12);
    *out_loss = sot_widen_up(1e-3 * delta, 1e-9);
}

double sot_contour_epsilon_guess(const sot_contour *contour, double log_delta)
{
    return (contour->log_mgf - log_delta + sot_log_kappa(contour->c)) / contour->c;
}
