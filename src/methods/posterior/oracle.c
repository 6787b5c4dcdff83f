/* Steps of the proximal sampler. Proof note: proximal.md. */
#include "methods/posterior/oracle.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "methods/posterior/plan.h"

enum { FAILURES_MOST = 10 }; /* trials at one w; then it moves to a better place */

/* Fewer numbers than this in the matrix: a pass costs less than a proposal. */
#define SMALL_MATRIX 20000.0

double sot_oracle_norm(const double *v, size_t count)
{
    double squares = 0.0;
    for (size_t j = 0; j < count; j++)
        squares += v[j] * v[j];
    return sqrt(squares);
}

/* ---- memory ---- */

static bool new_trial(size_t d, sot_trial *out)
{
    out->normals = sot_new_array(d, sizeof *out->normals);
    out->noise = sot_new_array(d, sizeof *out->noise);
    out->p = sot_new_array(d, sizeof *out->p);
    out->p_high = sot_new_array(d, sizeof *out->p_high);
    out->way = sot_new_array(d, sizeof *out->way);
    out->way_low = sot_new_array(d, sizeof *out->way_low);
    return out->normals != NULL && out->noise != NULL && out->p != NULL &&
           out->p_high != NULL && out->way != NULL && out->way_low != NULL;
}

static void free_trial(size_t d, sot_trial *trial)
{
    sot_wipe_and_free(trial->normals, d * sizeof *trial->normals);
    sot_wipe_and_free(trial->noise, d * sizeof *trial->noise);
    sot_wipe_and_free(trial->p, d * sizeof *trial->p);
    sot_wipe_and_free(trial->p_high, d * sizeof *trial->p_high);
    sot_wipe_and_free(trial->way, d * sizeof *trial->way);
    sot_wipe_and_free(trial->way_low, d * sizeof *trial->way_low);
}

static bool new_vectors(sot_oracle *o)
{
    const size_t d = o->dimension;
    o->x = sot_new_array(d, sizeof *o->x);
    o->y = sot_new_array(d, sizeof *o->y);
    o->offset = sot_new_array(d, sizeof *o->offset);
    o->mean = sot_new_array(d, sizeof *o->mean);
    o->linear = sot_new_array(d, sizeof *o->linear);
    o->w = sot_new_array(d, sizeof *o->w);
    o->better = sot_new_array(d, sizeof *o->better);
    o->gradient = sot_new_array(d, sizeof *o->gradient);
    bool all = o->x != NULL && o->y != NULL && o->offset != NULL && o->mean != NULL &&
               o->linear != NULL && o->w != NULL && o->better != NULL &&
               o->gradient != NULL;
    for (size_t k = 0; k < SOT_LOSSES_POINTS && all; k++)
        all = new_trial(d, &o->trials[k]);
    return all;
}

/* 1/eta' = 1/step^2, 1/eta = 1/eta' - lambda > 0. */
static void set_constants(sot_oracle *o)
{
    const sot_twofold one = {1.0, 0.0};
    o->precision = sot_twofold_div(one, sot_twofold_of_product(o->step, o->step));
    o->pull = sot_twofold_plus(o->precision, -o->lambda);
    o->noise = sot_twofold_sqrt(sot_twofold_div(one, o->pull));
}

sotto_status sot_oracle_begin(sot_losses *losses, const sot_sampler_plan *plan,
                              double step, sotto_rng *rng, const sot_sampler_watch *watch,
                              const double *start, sot_sampler_counts *counts,
                              sot_oracle *out_oracle, sotto_error *error)
{
    const sot_potential *potential = losses->potential;
    sot_oracle *o = out_oracle;
    *o = (sot_oracle){.losses = losses,
                      .plan = plan,
                      .ear = sot_sampler_ear_begin(watch, plan->steps),
                      .rng = rng,
                      .counts = counts,
                      .dimension = losses->dimension,
                      .beta = potential->beta,
                      .lambda = potential->lambda,
                      .radius = potential->radius,
                      .center = potential->center,
                      .step = step};
    const double numbers = losses->rows * (double)losses->dimension;
    o->points = numbers < SMALL_MATRIX ? 1 : SOT_LOSSES_POINTS;
    set_constants(o);
    sot_rng_family family;
    sotto_status status = sot_rng_family_begin(rng, "proximal sampler", &family, error);
    if (status == SOTTO_OK) status = sot_rng_stream(&family, 0, &o->spare, error);
    sot_rng_family_end(&family);
    if (status != SOTTO_OK) return status;
    if (!new_vectors(o)) return sot_fail_memory(error, o->dimension, sizeof *o->x);
    for (size_t j = 0; j < o->dimension; j++)
        o->x[j] = (sot_twofold){start[j], 0.0};
    return SOTTO_OK;
}

void sot_oracle_end(sot_oracle *oracle)
{
    sot_oracle *o = oracle;
    const size_t d = o->dimension;
    sot_wipe_and_free(o->x, d * sizeof *o->x);
    sot_wipe_and_free(o->y, d * sizeof *o->y);
    sot_wipe_and_free(o->offset, d * sizeof *o->offset);
    sot_wipe_and_free(o->mean, d * sizeof *o->mean);
    sot_wipe_and_free(o->linear, d * sizeof *o->linear);
    sot_wipe_and_free(o->w, d * sizeof *o->w);
    sot_wipe_and_free(o->better, d * sizeof *o->better);
    sot_wipe_and_free(o->gradient, d * sizeof *o->gradient);
    for (size_t k = 0; k < SOT_LOSSES_POINTS; k++)
        free_trial(d, &o->trials[k]);
    sotto_rng_free(o->spare);
    *o = (sot_oracle){0};
}

sotto_status sot_oracle_listen(sot_oracle *oracle, sotto_error *error)
{
    return sot_sampler_listen(&oracle->ear, oracle->done, error);
}

/* ---- where to linearise ---- */

/* Value and gradient at w, and one step of projected descent on V = F + |. - y|^2 / (2 eta). *out_distance bounds the distance of w from V's
 * minimiser on the ball: (1 + eta' curvature) |w - better|, up to rounding. */
static sotto_status look(sot_oracle *o, double *out_distance, sotto_error *error)
{
    const sotto_status status = sot_losses_look(o->losses, o->w, &o->value, o->gradient,
                                                &o->gradient_error, error);
    if (status != SOTTO_OK) return status;
    o->counts->linearised++;
    o->w_norm = sot_oracle_norm(o->w, o->dimension) * (1.0 + 0x1p-20);
    double size = 0.0;
    const double variance = o->step * o->step;
    const double spread = 1.0 + variance * o->losses->curvature_upper;
    const double length = variance / spread;
    for (size_t j = 0; j < o->dimension; j++) {
        size += fabs(o->gradient[j]);
        o->gradient[j] *= o->beta;
        const double off = o->center != NULL ? o->w[j] - o->center[j] : o->w[j];
        const double back = sot_twofold_plus(o->y[j], -o->w[j]).high;
        const double slope = o->gradient[j] + o->lambda * off - o->pull.high * back;
        o->better[j] = o->w[j] - length * slope;
    }
    o->gradient_error = o->beta * (o->gradient_error + 0x1p-52 * size);
    const double norm = sot_oracle_norm(o->better, o->dimension);
    const double shrink = norm > o->radius ? o->radius / norm : 1.0;
    double squares = 0.0;
    for (size_t j = 0; j < o->dimension; j++) {
        o->better[j] *= shrink;
        const double way = o->better[j] - o->w[j];
        squares += way * way;
    }
    *out_distance = spread * sqrt(squares);
    return SOTTO_OK;
}

static void move(sot_oracle *o)
{
    memcpy(o->w, o->better, o->dimension * sizeof *o->w);
}

/* Begins at y and ends within (2.5 + sqrt(d lambda eta')) sqrt(eta') of the minimiser, 0.1 of
 * which is reserved for rounding. It must be nearer if steps are longer than the rows allow for,
 * eta' T > SOT_SAMPLER_BEND: a change of w then moves the proposals' mean more. After 40
 * (1 + eta' T) steps of descent the distance is exp(-40) of the first one, plus rounding. */
static sotto_status settle(sot_oracle *o, sotto_error *error)
{
    const double bend = o->step * o->step * o->losses->curvature_upper;
    const double reach = (2.4 + o->step * sqrt(o->lambda * (double)o->dimension)) *
                         o->step / fmax(1.0, bend / SOT_SAMPLER_BEND);
    const double descents = 40.0 * (1.0 + bend) + 40.0;
    for (size_t j = 0; j < o->dimension; j++)
        o->w[j] = o->y[j].high;
    for (double k = 0.0;; k += 1.0) {
        double distance;
        sotto_status status = look(o, &distance, error);
        if (status == SOTTO_OK) status = sot_oracle_listen(o, error);
        if (status != SOTTO_OK || distance <= reach || k >= descents) return status;
        move(o);
    }
}

/* ---- steps ---- */

/* Up to `points` trials that share a pass; the first that is accepted becomes x. */
static sotto_status try_some(sot_oracle *o, size_t *out_accepted, sotto_error *error)
{
    const double *points[SOT_LOSSES_POINTS];
    double values[SOT_LOSSES_POINTS];
    *out_accepted = o->points;
    for (size_t k = 0; k < o->points; k++) {
        const sotto_status status = sot_oracle_propose(o, &o->trials[k], error);
        if (status != SOTTO_OK) return status;
        points[k] = o->trials[k].p_high;
    }
    sotto_status status = sot_losses_values(o->losses, points, o->points, values, error);
    o->counts->passes++;
    for (size_t k = 0; k < o->points && status == SOTTO_OK; k++) {
        bool accepted;
        o->counts->trials++;
        status = sot_oracle_accept(o, &o->trials[k], values[k], &accepted, error);
        if (status == SOTTO_OK && accepted) {
            *out_accepted = k;
            return SOTTO_OK;
        }
    }
    return status;
}

sotto_status sot_oracle_draw(sot_oracle *oracle, sotto_error *error)
{
    sot_oracle *o = oracle;
    sotto_status status = settle(o, error);
    size_t failures = 0;
    if (status == SOTTO_OK) sot_oracle_aim(o);
    while (status == SOTTO_OK) {
        size_t accepted;
        status = try_some(o, &accepted, error);
        if (status != SOTTO_OK) return status;
        if (accepted < o->points) {
            memcpy(o->x, o->trials[accepted].p, o->dimension * sizeof *o->x);
            return SOTTO_OK;
        }
        status = sot_oracle_listen(o, error);
        failures += o->points;
        if (failures >= FAILURES_MOST && status == SOTTO_OK) {
            /* A failed trial reveals nothing about the next one: any w will do, at any time. */
            double distance;
            failures = 0;
            move(o);
            status = look(o, &distance, error);
            sot_oracle_aim(o);
        }
    }
    return status;
}

sotto_status sot_oracle_step(sot_oracle *oracle, sotto_error *error)
{
    sot_oracle *o = oracle;
    sot_normal normal;
    for (size_t j = 0; j < o->dimension; j++) {
        sot_normal_draw(o->rng, &normal);
        const sot_twofold z = sot_normal_twofold(o->rng, &normal);
        o->y[j] = sot_twofold_add(o->x[j], sot_twofold_mul(o->noise, z));
    }
    sot_wipe(&normal, sizeof normal);
    const sotto_status status = sot_oracle_draw(o, error);
    if (status != SOTTO_OK) return status;
    o->counts->steps++;
    o->done++;
    return sot_oracle_listen(o, error);
}
