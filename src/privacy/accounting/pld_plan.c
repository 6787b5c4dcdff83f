#include "privacy/accounting/pld_plan.h"

#include <float.h>
#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "numeric/roots.h"
#include "privacy/accounting/pld_line.h"

/* ---- rough copies ---- */

typedef struct sketch {
    double *loss;
    double *log_mass;
    size_t count;
    double repeat;
} sketch;

typedef struct sketches {
    sketch *list;
    size_t count;
    double epsilon; /* of the question, for the searches */
    double log_delta;
    double theta;
    double log_scale; /* K(theta) */
} sketches;

enum { RAMP_POINTS = 200, LINE_REACH = 37 };
static const double line_step = 0.2;

/* Atoms of one piece; with NULL arrays it only counts. */
static size_t sketch_piece(const sot_pld_piece *piece, double *loss, double *log_mass)
{
    if (piece->kind == SOT_PLD_ATOM) {
        if (loss != NULL) {
            *loss = piece->from;
            *log_mass = log(fmax(piece->mass.upper, DBL_MIN));
        }
        return 1;
    }
    if (piece->kind == SOT_PLD_RAMP) {
        const double width = (piece->to - piece->from) / RAMP_POINTS;
        for (int i = 0; loss != NULL && i < RAMP_POINTS; i++) {
            loss[i] = piece->from + ((double)i + 0.5) * width;
            log_mass[i] = log(fmax(piece->mass.upper * width, DBL_MIN)) +
                          0.5 * (loss[i] - piece->to);
        }
        return RAMP_POINTS;
    }
    const sot_line line = sot_line_of(piece, LINE_REACH);
    size_t count = 0;
    for (double y = line.from; y < line.to; y += line_step) {
        if (y > LINE_REACH && y < line.mu - LINE_REACH) y = line.mu - LINE_REACH;
        if (loss != NULL) {
            const double first = -0.5 * y * y;
            const double second = -0.5 * (y - line.mu) * (y - line.mu);
            const double mixed =
                line.rate == 1.0
                    ? second
                    : fmax(first, second) +
                          log((1.0 - line.rate) * exp(fmin(0.0, first - second)) +
                              line.rate * exp(fmin(0.0, second - first)));
            loss[count] = sot_line_loss(&line, y);
            log_mass[count] = (piece->direction == SOT_ADD ? first : mixed) +
                              log(line_step * 0.3989422804);
        }
        count++;
    }
    return count;
}

static sotto_status sketch_law(const sot_pld_law *law, sketch *out, sotto_error *error)
{
    size_t count = 0;
    for (size_t i = 0; i < law->piece_count; i++)
        count += sketch_piece(&law->pieces[i], NULL, NULL);
    out->loss = sot_new_array(2 * count, sizeof *out->loss);
    if (out->loss == NULL) return sot_fail_memory(error, 2 * count, sizeof *out->loss);
    out->log_mass = out->loss + count;
    out->count = count;
    out->repeat = law->count;
    size_t done = 0;
    for (size_t i = 0; i < law->piece_count; i++)
        done += sketch_piece(&law->pieces[i], out->loss + done, out->log_mass + done);
    return SOTTO_OK;
}

static double sketch_log_mgf(const sketch *law, double theta)
{
    double largest = -HUGE_VAL;
    for (size_t i = 0; i < law->count; i++)
        largest = fmax(largest, law->log_mass[i] + theta * law->loss[i]);
    double sum = 0.0;
    for (size_t i = 0; i < law->count; i++)
        sum += exp(law->log_mass[i] + theta * law->loss[i] - largest);
    return largest + log(sum);
}

/* K(theta) - K(0): the masses of a sketch need not add to 1. */
static double log_mgf(const sketches *all, double theta)
{
    double sum = 0.0;
    for (size_t i = 0; i < all->count; i++) {
        sum += all->list[i].repeat * (sketch_log_mgf(&all->list[i], theta) -
                                      sketch_log_mgf(&all->list[i], 0.0));
    }
    return sum;
}

/* ---- searches, in the logarithm of the order ---- */

/* log of theta^theta/(1 + theta)^{1 + theta} */
static double log_weight(double theta)
{
    return -theta * log1p(1.0 / theta) - log1p(theta);
}

static double log_delta_at(double log_theta, void *context)
{
    const sketches *all = context;
    const double theta = exp(log_theta);
    return log_mgf(all, theta) - theta * all->epsilon + log_weight(theta);
}

static double epsilon_at(double log_theta, void *context)
{
    const sketches *all = context;
    const double theta = exp(log_theta);
    return (log_mgf(all, theta) + log_weight(theta) - all->log_delta) / theta;
}

/* One tail of the tilted law is below e^-tail_log outside the window. */
static const double tail_log = 30.0;

static double top_at(double log_step, void *context)
{
    const sketches *all = context;
    const double step = exp(log_step);
    return (log_mgf(all, all->theta + step) - all->log_scale + tail_log) / step;
}

static double bottom_at(double log_step, void *context)
{
    const sketches *all = context;
    const double step = exp(log_step);
    return (log_mgf(all, all->theta - step) - all->log_scale + tail_log) / step;
}

/* Sets epsilon, log_delta and theta of the question. */
static void find_saddle(sketches *all)
{
    const double least = log(1e-4);
    const double most = log(1e15);
    double best;
    if (isnan(all->epsilon)) {
        const double at = sot_minimize(epsilon_at, all, least, most, 1e-3, 200, &best);
        all->theta = exp(at);
        all->epsilon = best;
        if (best > 0.0) return;
        all->epsilon =
            0.0; /* delta is so large that epsilon 0 will do: see what delta(0) is */
    }
    const double at = sot_minimize(log_delta_at, all, least, most, 1e-3, 200, &best);
    all->theta = exp(at);
    /* Beyond the largest loss delta is 0, and the order runs away: e^-600 is as good. */
    while (log_delta_at(log(all->theta), all) < -600.0)
        all->theta *= 0.9;
    all->log_delta = log_delta_at(log(all->theta), all);
}

/* ---- the view ---- */

static double line_count(const sot_pld_laws *laws)
{
    double count = 1.0;
    for (size_t i = 0; i < laws->count; i++)
        count = fmax(count, laws->list[i].count);
    return count;
}

/* The spacing that costs no more than the tolerance. */
static double spacing_wanted(const sot_pld_laws *laws, const sketches *all,
                             double tolerance)
{
    double repeats = 0.0;
    int lattices = 0;
    for (size_t i = 0; i < laws->count; i++) {
        if (laws->list[i].has_density) repeats += laws->list[i].count;
        if (laws->list[i].spacing > 0.0) lattices++;
    }
    const double epsilon = fmax(all->epsilon, 1.0 / all->theta);
    double spacing = HUGE_VAL;
    if (repeats > 0.0)
        spacing = sqrt(12.0 * tolerance * epsilon / ((1.0 + all->theta) * repeats));
    if (lattices > 1 || (lattices == 1 && repeats > 0.0))
        spacing = fmin(spacing, 4.0 * tolerance * epsilon); /* atoms between the nodes */
    return spacing;
}

static void choose_grid(const sot_pld_laws *laws, const sketches *all,
                        const sot_pld_limits *limits, double width, sot_pld_view *view)
{
    double spacing = fmin(spacing_wanted(laws, all, limits->tolerance), width / 1024.0);
    spacing = fmax(spacing, width / (double)limits->size_max);
    const double cells = 4.0 * (double)limits->size_max;
    for (size_t i = 0; i < laws->count; i++) {
        const double needed =
            sot_pld_cells_estimate(&laws->list[i], spacing, view->reach);
        if (needed > cells) spacing *= needed / cells;
    }
    for (size_t i = 0; i < laws->count; i++) {
        const double lattice = laws->list[i].spacing;
        if (lattice >= spacing) { /* the first lattice is on the grid */
            spacing = lattice / ceil(lattice / spacing);
            break;
        }
    }
    view->spacing = spacing;
    view->size = 1024;
    while ((double)view->size * spacing < width && view->size < 2 * limits->size_max)
        view->size *= 2;
}

static void choose_view(const sot_pld_laws *laws, sketches *all,
                        const sot_pld_limits *limits, double *out_guess,
                        sot_pld_view *view)
{
    double top;
    double bottom;
    find_saddle(all);
    all->log_scale = log_mgf(all, all->theta);
    view->theta = all->theta;
    const double least = log(1e-6 * (1.0 + all->theta));
    const double most = log(1e6 * (1.0 + all->theta));
    const double up = sot_minimize(top_at, all, least, most, 1e-2, 80, &top);
    const double down = sot_minimize(bottom_at, all, least, most, 1e-2, 80, &bottom);
    view->up_theta = all->theta + exp(up);
    view->down_theta = all->theta - exp(down);
    top = fmax(top, all->epsilon);
    bottom = fmin(-bottom, all->epsilon);
    const double margin = 0.01 * (top - bottom) + 1e-12 * (fabs(top) + fabs(bottom));
    view->bottom = bottom - margin;
    /* What is beyond the reach becomes infinite loss: 1e-10 of delta, over all releases. */
    const double log_tail = all->log_delta - log(line_count(laws)) - 23.0;
    view->reach = fmin(sqrt(-2.0 * fmin(log_tail, -30.0)), 37.0);
    choose_grid(laws, all, limits, (top - bottom) + 2.0 * margin, view);
    for (size_t i = 0; i < all->count; i++) {
        out_guess[3 * i] = sketch_log_mgf(&all->list[i], view->theta);
        out_guess[3 * i + 1] = sketch_log_mgf(&all->list[i], view->up_theta);
        out_guess[3 * i + 2] = sketch_log_mgf(&all->list[i], view->down_theta);
    }
    view->guess = out_guess;
}

sotto_status sot_pld_plan(const sot_pld_laws *laws, const sot_pld_question *question,
                          const sot_pld_limits *limits, double *out_guess,
                          sot_pld_view *out_view, sotto_error *error)
{
    sketches all = {.epsilon = question->epsilon, .log_delta = question->log_delta};
    all.list = sot_new_array(laws->count, sizeof *all.list);
    if (all.list == NULL) return sot_fail_memory(error, laws->count, sizeof *all.list);
    sotto_status status = SOTTO_OK;
    for (size_t i = 0; i < laws->count && status == SOTTO_OK; i++) {
        status = sketch_law(&laws->list[i], &all.list[i], error);
        if (status == SOTTO_OK) all.count++;
    }
    if (status == SOTTO_OK) choose_view(laws, &all, limits, out_guess, out_view);
    for (size_t i = 0; i < all.count; i++)
        sot_free(all.list[i].loss);
    sot_free(all.list);
    return status;
}
