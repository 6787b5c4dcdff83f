/* The posterior of the squared loss, a Gaussian truncated to the ball. Proof note:
 * gaussian.md. */
#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "methods/posterior/decide.h"
#include "methods/posterior/moments.h"
#include "methods/posterior/plan.h"
#include "numeric/outward.h"

/* Number of consecutive points beyond the ball after which the proximal sampler is used. The ball
 * then has about a hundredth of the Gaussian's mass or less. */
enum { REDRAWS_MOST = 512 };

#define TAIL 14.0

/* The letters are those of gaussian.md. */
void sot_gaussian_plan(sot_sampler_plan *plan)
{
    const sot_sampler_facts *f = &plan->facts;
    const double d = (double)f->dimension;
    const double rows = (double)f->rows_most;
    const double unit = 0x1p-102;
    const double weight = f->beta * rows * f->row_bound * f->row_bound;
    const double trace = weight + d * f->lambda;
    const double above = 2.0 * f->beta * rows * f->value_zero_most +
                         f->lambda * f->center_norm * f->center_norm;
    const double mode = f->center_norm + sqrt(above / f->lambda);
    const double matrix =
        ((d + 8.0) * trace + sot_moments_roundings(rows) * weight) * unit;
    const double labels = f->beta * rows * f->row_bound * sqrt(2.0 * f->value_zero_most);
    const double side = 4.0 * (d + 8.0) * unit * trace * mode +
                        (sot_moments_roundings(rows) + 8.0) * unit *
                            (labels + f->lambda * f->center_norm);
    const double bent = matrix * f->radius * f->radius + 2.0 * f->radius * side;
    const double solved =
        (d + 8.0) * unit * sqrt(trace / f->lambda) * (sqrt(d) + TAIL) / sqrt(f->lambda);
    const double off = solved + 0x1p-99 * (f->radius + mode);
    const double shell = 16.0 * off * (d + 1.0 + above) / f->radius;
    plan->total_variation =
        sot_add_up(plan->total_variation, (bent + shell) * (1.0 + 0x1p-20) + 0x1p-130);
    plan->distance_rounding = sot_add_up(plan->distance_rounding, off * (1.0 + 0x1p-20));
    plan->distance = sot_add_up(plan->distance_mixing, plan->distance_rounding);
}

typedef struct normal_law {
    size_t size;
    sot_twofold *factor; /* L of beta X^T X + lambda I */
    sot_twofold *mean;
    sot_twofold *point;
} normal_law;

static void end_law(normal_law *law)
{
    const size_t triangle = sot_triangle(law->size);
    sot_wipe_and_free(law->factor, triangle * sizeof *law->factor);
    sot_wipe_and_free(law->mean, law->size * sizeof *law->mean);
    sot_wipe_and_free(law->point, law->size * sizeof *law->point);
}

static sotto_status begin_law(const sot_potential *potential, normal_law *out,
                              bool *out_made, sotto_error *error)
{
    const sot_potential *p = potential;
    const size_t d = p->matrix->columns;
    *out = (normal_law){.size = d};
    out->factor = sot_new_array(sot_triangle(d), sizeof *out->factor);
    out->mean = sot_new_array(d, sizeof *out->mean);
    out->point = sot_new_array(d, sizeof *out->point);
    if (out->factor == NULL || out->mean == NULL || out->point == NULL)
        return sot_fail_memory(error, sot_triangle(d), sizeof *out->factor);
    const sotto_status status = sot_moments(p->matrix, p->pool, p->loss->label_most,
                                            out->factor, out->mean, error);
    if (status != SOTTO_OK) return status;
    for (size_t k = 0; k < sot_triangle(d); k++)
        out->factor[k] = sot_twofold_times(out->factor[k], p->beta);
    for (size_t j = 0; j < d; j++) {
        sot_twofold *diagonal = &out->factor[sot_triangle(j) + j];
        *diagonal = sot_twofold_plus(*diagonal, p->lambda);
        out->mean[j] = sot_twofold_times(out->mean[j], p->beta);
        if (p->center != NULL)
            out->mean[j] = sot_twofold_add(
                out->mean[j], sot_twofold_of_product(p->lambda, p->center[j]));
    }
    *out_made = sot_factor(out->factor, d);
    sot_factor_forward(out->factor, d, out->mean);
    sot_factor_back(out->factor, d, out->mean);
    return SOTTO_OK;
}

/* mean + L^-T xi */
static void draw_point(normal_law *law, sotto_rng *rng)
{
    sot_normal normal;
    for (size_t j = 0; j < law->size; j++) {
        sot_normal_draw(rng, &normal);
        law->point[j] = sot_normal_twofold(rng, &normal);
    }
    sot_wipe(&normal, sizeof normal);
    sot_factor_back(law->factor, law->size, law->point);
    for (size_t j = 0; j < law->size; j++)
        law->point[j] = sot_twofold_add(law->point[j], law->mean[j]);
}

static bool is_within(const normal_law *law, double radius)
{
    sot_twofold squares = {0.0, 0.0};
    for (size_t j = 0; j < law->size; j++)
        squares = sot_twofold_add(squares, sot_twofold_mul(law->point[j], law->point[j]));
    return !sot_twofold_less(sot_twofold_of_product(radius, radius), squares);
}

sotto_status sot_gaussian_draw(const sot_sampler_plan *plan,
                               const sot_potential *potential, sotto_rng *rng,
                               const sot_sampler_watch *watch, double *out_theta,
                               sot_sampler_counts *counts, sotto_error *error)
{
    normal_law law;
    bool within = false;
    bool made = false;
    sotto_status status = begin_law(potential, &law, &made, error);
    if (status != SOTTO_OK) goto done;
    for (int k = 0; k < REDRAWS_MOST && made && !within; k++) {
        draw_point(&law, rng);
        counts->proposals++;
        within = is_within(&law, potential->radius);
        if (!within) counts->redrawn++;
    }
    if (within) {
        status = sot_rng_check(rng, error);
        if (status != SOTTO_OK) goto done;
        for (size_t j = 0; j < law.size; j++)
            out_theta[j] = law.point[j].high;
    } else {
        counts->second_route = true;
        status = sot_proximal_draw(plan, potential, rng, watch, out_theta, counts, error);
    }
done:
    end_law(&law);
    return status;
}
