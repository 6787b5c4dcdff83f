#include "privacy/accounting/pld/plan.h"

#include <float.h>
#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "numeric/roots.h"
#include "privacy/accounting/pld/line.h"

/* ---- rough copies ---- */

typedef struct sketch {
    double *loss;
    double *log_mass;
    size_t count;
    double repeat;
    double log_total; /* of its masses, which need not add to 1 */
} sketch;

typedef struct sketches {
    sketch *list;
    size_t count;
    double epsilon; /* of the question, for the searches */
    double log_delta;
    double theta;
    double log_scale; /* K(theta) */
} sketches;

/* The last of equal cells is halved again and again towards the end: a small delta asks for losses that are closer to it. */
enum { RAMP_CELLS = 200, RAMP_HALVES = 50, RAMP_POINTS = RAMP_CELLS + RAMP_HALVES };
static const double log_tail_least = -688.0; /* 37 standard deviations */
static const double line_step = 0.2;

/* Atoms of one piece; with NULL arrays it only counts. */
static size_t sketch_piece(const sot_pld_piece *piece, sot_pld_reach reach, double *loss,
                           double *log_mass)
{
    if (piece->kind == SOT_PLD_ATOM) {
        if (piece->mass.upper == 0.0) return 0; /* of the lower end only */
        if (loss != NULL) {
            *loss = piece->from;
            *log_mass = log(fmax(piece->mass.upper, DBL_MIN));
        }
        return 1;
    }
    if (piece->kind == SOT_PLD_RAMP) {
        double width = (piece->to - piece->from) / RAMP_CELLS;
        for (int i = 0; loss != NULL && i < RAMP_POINTS; i++) {
            if (i >= RAMP_CELLS - 1) width *= 0.5;
            const int left = RAMP_CELLS - i; /* cells to the end, less than two at last */
            loss[i] = piece->to - (fmax(left, 2.0) - 0.5) * width;
            log_mass[i] = log(fmax(piece->mass.upper * width, DBL_MIN)) +
                          0.5 * (loss[i] - piece->to);
        }
        return RAMP_POINTS;
    }
    const sot_line line = sot_line_of(piece, reach);
    size_t count = 0;
    for (double next = line.from; next < line.to + line_step; next += line_step) {
        if (next > 37.0 && next < line.mu - 37.0) next = line.mu - 37.0;
        const double y = fmin(next, line.to); /* the very end has a point */
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
            double share = next == line.from || y == line.to ? 0.5 : 1.0;
            if (piece->weight > 0.0) share *= piece->weight;
            log_mass[count] = log(share) + (piece->direction == SOT_ADD ? first : mixed) +
                              log(line_step * 0.3989422804);
        }
        count++;
    }
    return count;
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

static sotto_status sketch_law(const sot_pld_law *law, sot_pld_reach reach, sketch *out,
                               sotto_error *error)
{
    size_t count = 0;
    for (size_t i = 0; i < law->piece_count; i++)
        count += sketch_piece(&law->pieces[i], reach, NULL, NULL);
    out->loss = sot_new_array(2 * count, sizeof *out->loss);
    if (out->loss == NULL) return sot_fail_memory(error, 2 * count, sizeof *out->loss);
    out->log_mass = out->loss + count;
    out->count = count;
    out->repeat = law->count;
    size_t done = 0;
    for (size_t i = 0; i < law->piece_count; i++)
        done +=
            sketch_piece(&law->pieces[i], reach, out->loss + done, out->log_mass + done);
    out->log_total = sketch_log_mgf(out, 0.0);
    return SOTTO_OK;
}

static double guess_of(const sketch *law, double theta)
{
    return sketch_log_mgf(law, theta) - law->log_total;
}

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

/* One tail of the weighted distribution is below e^-tail_log outside the window. */
static const double tail_log = 18.0;

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
            0.0; /* delta is so large that epsilon 0 suffices: evaluate delta(0) */
    }
    const double at = sot_minimize(log_delta_at, all, least, most, 1e-3, 200, &best);
    all->theta = exp(at);
    /* Beyond the largest loss delta is 0, and the order runs away: e^-600 is as good. */
    while (log_delta_at(log(all->theta), all) < -600.0)
        all->theta *= 0.9;
    all->log_delta = log_delta_at(log(all->theta), all);
}

/* ---- the view ---- */

/* The spacing that costs no more than the tolerance. */
static double spacing_wanted(const sot_pld_laws *laws, const sketches *all,
                             double tolerance)
{
    double repeats = 0.0;
    int lattices = 0;
    for (size_t i = 0; i < laws->count; i++) {
        const sot_pld_law *law = &laws->list[i];
        if (law->spacing > 0.0) lattices++;
        /* the first lattice will be on the grid, the others not */
        if (law->has_density || lattices > 1) repeats += law->count;
    }
    const double epsilon = fmax(all->epsilon, 1.0 / all->theta);
    double spacing = HUGE_VAL;
    if (repeats > 0.0)
        spacing = sqrt(12.0 * tolerance * epsilon / ((1.0 + all->theta) * repeats));
    if (lattices > 1)
        spacing = fmin(spacing, 4.0 * tolerance * epsilon); /* atoms between the nodes */
    return spacing;
}

static void choose_grid(const sot_pld_laws *laws, const sketches *all,
                        const sot_pld_limits *limits, double width, sot_pld_view *view)
{
    double spacing = fmin(spacing_wanted(laws, all, limits->tolerance), width / 2048.0);
    spacing = fmax(spacing, width / (double)limits->size_max);
    const double cells = 4.0 * (double)limits->size_max;
    for (size_t i = 0; i < laws->count; i++) {
        const double needed = sot_pld_cells_estimate(
            &laws->list[i], spacing, sot_pld_view_reach(view, &laws->list[i], i));
        if (needed > cells) spacing *= needed / cells;
    }
    for (size_t i = 0; i < laws->count; i++) {
        const double lattice = laws->list[i].spacing;
        if (lattice >= spacing) { /* the first lattice is on the grid */
            spacing = lattice / ceil(lattice / spacing);
            break;
        }
        if (lattice > 0.0 && lattice * (double)limits->size_max >= width) {
            spacing =
                lattice; /* a finer grid than asked for, but with every atom on it */
            break;
        }
    }
    view->spacing = spacing;
    view->size = 2048;
    while ((double)view->size * spacing < width && view->size < 2 * limits->size_max)
        view->size *= 2;
}

/* The extent of the cells into the tails. The rest becomes infinite loss, 1e-7 of delta over all
 * releases. Without this limit, negligible losses would widen the window. */
static double log_tail_of(const sot_pld_laws *laws, double log_delta)
{
    double count = 1.0;
    for (size_t i = 0; i < laws->count; i++)
        count = fmax(count, laws->list[i].count);
    return fmax(fmin(log_delta, 0.0) - log(count) - 16.0, log_tail_least);
}

/* Chooses the window and its grid. The grid moves every loss by up to h, so the order of the
 * upper tail bound must stay below about 1/h. The window grows accordingly. */
static void choose_window(const sot_pld_laws *laws, sketches *all,
                          const sot_pld_limits *limits, sot_pld_view *view)
{
    double top;
    double bottom;
    const double least = log(1e-6 * (1.0 + all->theta));
    const double most = log(1e2 * (1.0 + all->theta));
    double up = exp(sot_minimize(top_at, all, least, most, 1e-2, 80, &top));
    const double down = exp(sot_minimize(bottom_at, all, least, most, 1e-2, 80, &bottom));
    bottom = fmin(-bottom, all->epsilon);
    for (int round = 0; round < 3; round++) {
        top = fmax(top, all->epsilon);
        const double margin = 0.01 * (top - bottom) + 1e-12 * (fabs(top) + fabs(bottom));
        view->bottom = bottom - margin;
        choose_grid(laws, all, limits, (top - bottom) + 2.0 * margin, view);
        if (up * view->spacing <= 1.0) break;
        up = 0.5 / view->spacing;
        top = top_at(log(up), all);
    }
    view->up_theta = all->theta + up;
    view->down_theta = all->theta - down;
}

static void choose_view(const sot_pld_laws *laws, sketches *all,
                        const sot_pld_limits *limits, double *out_guess,
                        sot_pld_view *view)
{
    all->log_scale = log_mgf(all, all->theta);
    view->theta = all->theta;
    view->guess = out_guess;
    for (size_t i = 0; i < all->count; i++)
        out_guess[3 * i] = guess_of(&all->list[i], view->theta);
    choose_window(laws, all, limits, view);
    for (size_t i = 0; i < all->count; i++) {
        out_guess[3 * i + 1] = guess_of(&all->list[i], view->up_theta);
        out_guess[3 * i + 2] = guess_of(&all->list[i], view->down_theta);
    }
}

static void sketches_free(sketches *all)
{
    for (size_t i = 0; i < all->count; i++)
        sot_free(all->list[i].loss);
    sot_free(all->list);
    *all = (sketches){0};
}

static sotto_status sketches_new(const sot_pld_laws *laws, sot_pld_reach reach,
                                 const sot_pld_question *question, sketches *out,
                                 sotto_error *error)
{
    *out = (sketches){.epsilon = question->epsilon, .log_delta = question->log_delta};
    out->list = sot_new_array(laws->count, sizeof *out->list);
    if (out->list == NULL) return sot_fail_memory(error, laws->count, sizeof *out->list);
    for (size_t i = 0; i < laws->count; i++) {
        const sotto_status status =
            sketch_law(&laws->list[i], reach, &out->list[i], error);
        if (status != SOTTO_OK) {
            sketches_free(out);
            return status;
        }
        out->count++;
    }
    find_saddle(out);
    return SOTTO_OK;
}

sotto_status sot_pld_plan(const sot_pld_laws *laws, const sot_pld_question *question,
                          const sot_pld_limits *limits, double *out_guess,
                          sot_pld_view *out_view, sotto_error *error)
{
    sketches all = {0};
    double log_tail = isnan(question->epsilon) ? log_tail_of(laws, question->log_delta)
                                               : log_tail_least;
    /* An unknown delta is found in a few rounds: losses out of reach do not count for it. */
    const int rounds = isnan(question->epsilon) ? 1 : 3;
    sotto_status status = SOTTO_OK;
    for (int i = 0; i < rounds && status == SOTTO_OK; i++) {
        sketches_free(&all);
        status = sketches_new(laws, (sot_pld_reach){log_tail, -HUGE_VAL}, question, &all,
                              error);
        if (status == SOTTO_OK && i + 1 < rounds)
            log_tail = log_tail_of(laws, all.log_delta);
    }
    out_view->log_tail = log_tail;
    if (status == SOTTO_OK) choose_view(laws, &all, limits, out_guess, out_view);
    sketches_free(&all);
    return status;
}
