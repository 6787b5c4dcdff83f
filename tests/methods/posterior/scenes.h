/* tests/methods/posterior/scenes.h: small potentials, their laws by quadrature, and many short draws from them. */
#ifndef SOTTO_TESTS_POSTERIOR_SCENES_H
#define SOTTO_TESTS_POSTERIOR_SCENES_H

#include "random/statistics.h"

#include "methods/posterior/sampler.h"
#include "models/linear/problems.h"
#include "models/softmax/row.h"

typedef struct scene {
    sot_matrix matrix;
    sot_potential potential;
    sot_sampler_facts facts;
    sot_sampler_plan plan;
} scene;

/* Rows within the unit ball; labels half by a plane; for losses of numbers and counts they are made from them. */
static inline void begin_scene(scene *s, const sot_loss *loss, size_t classes,
                               size_t rows, size_t columns, double beta, double lambda,
                               double radius)
{
    s->matrix = make_matrix(&(recipe){.rows = rows,
                                      .columns = columns,
                                      .filled = 1.0,
                                      .noise = 0.5,
                                      .seed = rows + 17 * columns});
    s->potential = (sot_potential){.matrix = &s->matrix,
                                   .loss = loss,
                                   .classes = classes,
                                   .beta = beta,
                                   .lambda = lambda,
                                   .radius = radius};
    s->facts = sot_sampler_facts_of(loss, classes, columns);
    s->facts.row_bound = 1.0;
    s->facts.beta = beta;
    s->facts.lambda = lambda;
    s->facts.radius = radius;
    s->facts.rows_most = rows > 0 ? rows : 1;
}

static inline void end_scene(scene *s)
{
    free_matrix(&s->matrix);
}

/* `distance` is what mixing may leave. */
static inline void plan_scene(scene *s, sotto_sampler sampler, double distance)
{
    sotto_error error = {0};
    assert_ok(sot_sampler_plan_new(&s->facts, s->potential.loss, sampler, distance,
                                   &s->plan, &error),
              &error);
}

static inline double loss_of_row(const scene *s, size_t row, const double *theta)
{
    const size_t columns = s->matrix.columns;
    const size_t outputs = s->potential.loss != NULL ? 1 : s->potential.classes;
    double margins[8] = {0.0};
    for (size_t c = 0; c < outputs; c++) {
        for (size_t j = 0; j < columns; j++)
            margins[c] += (double)s->matrix.dense[row * s->matrix.stride + j] *
                          theta[c * columns + j];
    }
    if (s->potential.loss != NULL) {
        sot_loss_at at;
        s->potential.loss->at(s->potential.loss, margins[0], s->matrix.labels[row], &at);
        return at.value;
    }
    const size_t label = sot_softmax_class(s->matrix.labels[row], outputs);
    return sot_softmax_row(margins, outputs, label, 1);
}

/* F, in double, by the definition. */
static inline double potential_at(const scene *s, const double *theta)
{
    const size_t d = s->facts.dimension;
    double sum = 0.0;
    for (size_t i = 0; i < s->matrix.rows; i++)
        sum += loss_of_row(s, i, theta);
    double squares = 0.0;
    for (size_t j = 0; j < d; j++) {
        const double off =
            theta[j] - (s->potential.center != NULL ? s->potential.center[j] : 0.0);
        squares += off * off;
    }
    return s->potential.beta * sum + 0.5 * s->potential.lambda * squares;
}

/* `draws` vectors, one after another. */
static inline double *draw_many(const scene *s, size_t draws, uint64_t seed,
                                sot_sampler_counts *all)
{
    const size_t d = s->facts.dimension;
    double *out = malloc(draws * d * sizeof *out);
    sotto_rng *rng = NULL;
    sotto_error error = {0};
    assert_non_null(out);
    assert_ok(sotto_rng_new_for_test(seed, &rng, &error), &error);
    *all = (sot_sampler_counts){0};
    for (size_t k = 0; k < draws; k++) {
        sot_sampler_counts counts;
        assert_ok(sot_sampler_draw(&s->plan, &s->potential, rng, NULL, out + k * d,
                                   &counts, &error),
                  &error);
        all->steps += counts.steps;
        all->trials += counts.trials;
        all->proposals += counts.proposals;
        all->carefully += counts.carefully;
        all->undecided += counts.undecided;
        all->redrawn += counts.redrawn;
        all->second_route = all->second_route || counts.second_route;
    }
    sotto_rng_free(rng);
    return out;
}

enum { LINE_CELLS = 6000, LINE_BINS = 24 };

/* One dimension: bins of equal width over the middle of the ball; the p-value of the draws. */
static inline double line_p(const scene *s, const double *draws, size_t count)
{
    const double radius = s->potential.radius;
    static double mass[LINE_CELLS];
    double total = 0.0;
    double most = -(double)INFINITY;
    for (size_t k = 0; k < LINE_CELLS; k++) {
        const double at = radius * (2.0 * ((double)k + 0.5) / LINE_CELLS - 1.0);
        mass[k] = -potential_at(s, &at);
        most = fmax(most, mass[k]);
    }
    for (size_t k = 0; k < LINE_CELLS; k++) {
        mass[k] = exp(mass[k] - most);
        total += mass[k];
    }
    /* Edges after each 1/LINE_BINS of the mass. */
    double observed[LINE_BINS] = {0};
    double probability[LINE_BINS] = {0};
    static size_t bin_of[LINE_CELLS];
    double sum = 0.0;
    for (size_t k = 0; k < LINE_CELLS; k++) {
        const size_t bin = (size_t)(sum / total * LINE_BINS * (1.0 - 1e-12));
        bin_of[k] = bin < LINE_BINS ? bin : LINE_BINS - 1;
        probability[bin_of[k]] += mass[k] / total;
        sum += mass[k];
    }
    for (size_t i = 0; i < count; i++) {
        assert_true(fabs(draws[i]) <= radius * (1.0 + 1e-15));
        const double place = (draws[i] / radius + 1.0) * 0.5 * LINE_CELLS;
        const size_t cell = place < (double)LINE_CELLS ? (size_t)place : LINE_CELLS - 1;
        observed[bin_of[cell]] += 1.0;
    }
    return chi_square_p(observed, probability, LINE_BINS, (double)count);
}

enum { RINGS = 240, TURNS = 240, RING_BINS = 6, TURN_BINS = 8 };

/* Two dimensions: rings of equal mass, cut into equal angles. */
static inline double disc_p(const scene *s, const double *draws, size_t count)
{
    const double radius = s->potential.radius;
    const double turn = 2.0 * 3.14159265358979323846;
    static double mass[RINGS][TURNS];
    double ring[RINGS] = {0};
    double total = 0.0;
    double most = -(double)INFINITY;
    for (size_t k = 0; k < RINGS; k++) {
        for (size_t t = 0; t < TURNS; t++) {
            const double r = radius * ((double)k + 0.5) / RINGS;
            const double angle = turn * ((double)t + 0.5) / TURNS;
            const double at[2] = {r * cos(angle), r * sin(angle)};
            mass[k][t] = log(r) - potential_at(s, at);
            most = fmax(most, mass[k][t]);
        }
    }
    for (size_t k = 0; k < RINGS; k++) {
        for (size_t t = 0; t < TURNS; t++) {
            mass[k][t] = exp(mass[k][t] - most);
            ring[k] += mass[k][t];
        }
        total += ring[k];
    }
    size_t bin_of[RINGS];
    double probability[RING_BINS * TURN_BINS] = {0};
    double observed[RING_BINS * TURN_BINS] = {0};
    double sum = 0.0;
    for (size_t k = 0; k < RINGS; k++) {
        const size_t bin = (size_t)(sum / total * RING_BINS * (1.0 - 1e-12));
        bin_of[k] = bin < RING_BINS ? bin : RING_BINS - 1;
        sum += ring[k];
        for (size_t t = 0; t < TURNS; t++)
            probability[bin_of[k] * TURN_BINS + t * TURN_BINS / TURNS] +=
                mass[k][t] / total;
    }
    for (size_t i = 0; i < count; i++) {
        const double r = hypot(draws[2 * i], draws[2 * i + 1]);
        assert_true(r <= radius * (1.0 + 1e-15));
        double angle = atan2(draws[2 * i + 1], draws[2 * i]);
        if (angle < 0.0) angle += turn;
        size_t k = (size_t)(r / radius * RINGS);
        size_t t = (size_t)(angle / turn * TURN_BINS);
        k = k < RINGS ? k : RINGS - 1;
        t = t < TURN_BINS ? t : TURN_BINS - 1;
        observed[bin_of[k] * TURN_BINS + t] += 1.0;
    }
    return chi_square_p(observed, probability, RING_BINS * TURN_BINS, (double)count);
}

#endif
