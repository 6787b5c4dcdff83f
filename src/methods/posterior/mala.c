/* The Metropolis-adjusted Langevin algorithm: a heuristic, in plain doubles, with no
 * claim about its distribution after finitely many steps. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "methods/posterior/listen.h"
#include "methods/posterior/losses.h"
#include "random/normal.h"

/* Roberts & Rosenthal 1998: the acceptance at which large problems move fastest. */
#define ACCEPTANCE 0.574

typedef struct place {
    double *theta, *gradient;
    double potential;
} place;

typedef struct chain {
    sot_losses losses;
    place here, there;
    double *normals;
    double step; /* h of theta - h gradient + sqrt(2 h) xi */
} chain;

static sotto_status new_place(size_t d, place *out, sotto_error *error)
{
    out->theta = sot_new_array(d, sizeof *out->theta);
    out->gradient = sot_new_array(d, sizeof *out->gradient);
    if (out->theta == NULL || out->gradient == NULL)
        return sot_fail_memory(error, d, sizeof *out->theta);
    return SOTTO_OK;
}

static void free_place(size_t d, place *old)
{
    sot_wipe_and_free(old->theta, d * sizeof *old->theta);
    sot_wipe_and_free(old->gradient, d * sizeof *old->gradient);
}

static sotto_status look(chain *c, place *at, sotto_error *error)
{
    const sot_potential *p = c->losses.potential;
    double value;
    double unused;
    const sotto_status status =
        sot_losses_look(&c->losses, at->theta, &value, at->gradient, &unused, error);
    if (status != SOTTO_OK) return status;
    double squares = 0.0;
    for (size_t j = 0; j < c->losses.dimension; j++) {
        const double off = at->theta[j] - (p->center != NULL ? p->center[j] : 0.0);
        squares += off * off;
        at->gradient[j] = p->beta * at->gradient[j] + p->lambda * off;
    }
    at->potential = p->beta * value + 0.5 * p->lambda * squares;
    return SOTTO_OK;
}

/* |to - from + h gradient(from)|^2 / (4 h) */
static double cost_of_way(const chain *c, const place *from, const place *to)
{
    double squares = 0.0;
    for (size_t j = 0; j < c->losses.dimension; j++) {
        const double off = to->theta[j] - from->theta[j] + c->step * from->gradient[j];
        squares += off * off;
    }
    return squares / (4.0 * c->step);
}

/* One proposal; *out_share is the probability with which it is accepted. */
static sotto_status try_step(chain *c, sotto_rng *rng, double *out_share,
                             sotto_error *error)
{
    const size_t d = c->losses.dimension;
    const double radius = c->losses.potential->radius;
    double squares = 0.0;
    sotto_status status = sot_normal_fill(rng, c->normals, d, error);
    if (status != SOTTO_OK) return status;
    for (size_t j = 0; j < d; j++) {
        c->there.theta[j] = c->here.theta[j] - c->step * c->here.gradient[j] +
                            sqrt(2.0 * c->step) * c->normals[j];
        squares += c->there.theta[j] * c->there.theta[j];
    }
    *out_share = 0.0;
    if (squares > radius * radius) return SOTTO_OK; /* stays where it is */
    status = look(c, &c->there, error);
    if (status != SOTTO_OK) return status;
    const double worse = c->there.potential - c->here.potential +
                         cost_of_way(c, &c->there, &c->here) -
                         cost_of_way(c, &c->here, &c->there);
    *out_share = worse > 0.0 ? exp(-worse) : 1.0;
    const double coin = (double)(sot_rng_u64(rng) >> 11) * 0x1p-53;
    if (coin < *out_share) {
        const place kept = c->here;
        c->here = c->there;
        c->there = kept;
    }
    return SOTTO_OK;
}

sotto_status sot_mala_draw(const sot_potential *potential, uint64_t steps, sotto_rng *rng,
                           const sot_sampler_watch *watch, double *out_theta,
                           sotto_error *error)
{
    chain c = {.step = 0.0};
    sot_sampler_ear ear = sot_sampler_ear_begin(watch, steps);
    sotto_status status = sot_losses_begin(potential, &c.losses, error);
    const size_t d = c.losses.dimension;
    if (status != SOTTO_OK) goto done;
    status = new_place(d, &c.here, error);
    if (status == SOTTO_OK) status = new_place(d, &c.there, error);
    c.normals = sot_new_array(d, sizeof *c.normals);
    if (status == SOTTO_OK && c.normals == NULL)
        status = sot_fail_memory(error, d, sizeof *c.normals);
    if (status == SOTTO_OK) status = sot_losses_mode(potential, 1.0, c.here.theta, error);
    if (status == SOTTO_OK) status = look(&c, &c.here, error);
    c.step = 1.0 / (potential->lambda + c.losses.curvature_upper);
    for (uint64_t k = 0; k < steps && status == SOTTO_OK; k++) {
        double share = 0.0;
        status = try_step(&c, rng, &share, error);
        if (k < steps / 2)
            c.step *= exp((share - ACCEPTANCE) / sqrt(1.0 + 0.1 * (double)k));
        if (status == SOTTO_OK) status = sot_sampler_listen(&ear, k + 1, error);
    }
    if (status == SOTTO_OK) status = sot_rng_check(rng, error);
    if (status == SOTTO_OK) memcpy(out_theta, c.here.theta, d * sizeof *out_theta);
done:
    free_place(d, &c.here);
    free_place(d, &c.there);
    sot_wipe_and_free(c.normals, d * sizeof *c.normals);
    sot_losses_end(&c.losses);
    return status;
}
