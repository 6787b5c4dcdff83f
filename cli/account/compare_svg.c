/* The picture of `sotto account compare --svg`: log epsilon against log releases. */
#include "account/compare.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include <sotto/reference.h>

#include "frame/input.h"

enum { WIDTH = 720, HEIGHT = 440, LEFT = 64, RIGHT = 118, TOP = 40, BOTTOM = 48 };
enum { POINTS = 33, LINES_MAX = 16, LABEL_HEIGHT = 15 };

typedef struct line {
    const char *name;
    bool is_guarantee;
    double epsilon[POINTS]; /* NaN or 0: no point */
} line;

typedef struct picture {
    double releases[POINTS];
    line lines[LINES_MAX];
    size_t line_count;
    double lowest, highest; /* powers of ten around the plotted values */
} picture;

/* --- the numbers --- */

static double releases_of(const sotto_plan *plan)
{
    double total = 0.0;
    for (size_t i = 0; i < sotto_plan_size(plan); i++)
        total += (double)sotto_plan_event(plan, i)->count;
    return total;
}

/* The plan with `part` of the repetitions of each event, one at least. */
static sotto_status part_of(const sotto_plan *plan, double part, sotto_plan **out_plan,
                            sotto_error *error)
{
    sotto_plan *made = NULL;
    sotto_status status = sotto_plan_new(sotto_plan_adjacency(plan), &made, error);
    for (size_t i = 0; i < sotto_plan_size(plan) && status == SOTTO_OK; i++) {
        sotto_event event = *sotto_plan_event(plan, i);
        event.count = (uint64_t)fmax(1.0, round((double)event.count * part));
        status = sotto_plan_add(made, &event, error);
    }
    if (status == SOTTO_OK) {
        *out_plan = made;
    } else {
        sotto_plan_free(made);
    }
    return status;
}

static sotto_status fill_point(const sotto_plan *plan, double delta,
                               const sotto_accountant *accountants, size_t count, int at,
                               picture *out, sotto_error *error)
{
    sotto_error refusal;
    out->releases[at] = releases_of(plan);
    for (size_t i = 0; i <= count; i++) {
        sotto_account account = {.epsilon = SOTTO_UNSET};
        sotto_reference_value value = {.epsilon_said = SOTTO_UNSET};
        const sotto_status status =
            i < count
                ? sotto_account_epsilon(plan, accountants[i], delta, &account, &refusal)
                : sotto_reference_epsilon(plan, SOTTO_REFERENCE_CENTRAL_LIMIT, delta,
                                          &value, &refusal);
        if (status == SOTTO_OUT_OF_MEMORY)
            return cli_fail(error, status, "%s", refusal.message);
        out->lines[i].epsilon[at] = status != SOTTO_OK ? SOTTO_UNSET
                                    : i < count        ? account.epsilon
                                                       : value.epsilon_said;
    }
    return SOTTO_OK;
}

static void find_range(picture *out)
{
    double least = HUGE_VAL, most = 0.0;
    for (size_t i = 0; i < out->line_count; i++) {
        for (int at = 0; at < POINTS; at++) {
            const double epsilon = out->lines[i].epsilon[at];
            if (!(epsilon > 1e-6 && epsilon < 1e9)) continue; /* off the paper */
            least = fmin(least, epsilon);
            most = fmax(most, epsilon);
        }
    }
    out->lowest = least < HUGE_VAL ? pow(10.0, floor(log10(least))) : 0.1;
    out->highest = most > 0.0 ? pow(10.0, ceil(log10(most) + 1e-9)) : 1.0;
}

static sotto_status fill(const sotto_plan *plan, double delta,
                         const sotto_accountant *accountants, size_t count, picture *out,
                         sotto_error *error)
{
    const double whole = releases_of(plan);
    out->line_count = count + 1;
    for (size_t i = 0; i <= count; i++) {
        out->lines[i].is_guarantee = i < count;
        out->lines[i].name = i < count
                                 ? sotto_accountant_name(accountants[i])
                                 : sotto_reference_name(SOTTO_REFERENCE_CENTRAL_LIMIT);
    }
    for (int at = 0; at < POINTS; at++) {
        sotto_plan *part = NULL;
        const double share = pow(whole, (double)at / (POINTS - 1) - 1.0);
        sotto_status status = part_of(plan, share, &part, error);
        if (status == SOTTO_OK)
            status = fill_point(part, delta, accountants, count, at, out, error);
        sotto_plan_free(part);
        if (status != SOTTO_OK) return status;
    }
    find_range(out);
    return SOTTO_OK;
}

/* --- the drawing --- */

static double x_of(const picture *of, double releases)
{
    const double first = of->releases[0];
    const double reach = log(fmax(of->releases[POINTS - 1] / first, 1.0 + 1e-9));
    return LEFT + (WIDTH - LEFT - RIGHT) * log(releases / first) / reach;
}

static double y_of(const picture *of, double epsilon)
{
    return HEIGHT - BOTTOM -
           (HEIGHT - TOP - BOTTOM) * log(epsilon / of->lowest) /
               log(of->highest / of->lowest);
}

static void draw_axes(FILE *file, const picture *of, double delta)
{
    for (double at = of->lowest; at <= of->highest * 1.01; at *= 10.0) {
        const double y = y_of(of, at);
        (void)fprintf(
            file,
            "<line x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\" stroke=\"#ddd\"/>\n"
            "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%g</text>\n",
            LEFT, y, WIDTH - RIGHT, y, LEFT - 8, y + 4.0, at);
    }
    const double last = of->releases[POINTS - 1];
    for (double at = pow(10.0, ceil(log10(of->releases[0]) - 1e-9)); at <= last * 1.0001;
         at *= 10.0) {
        const double x = x_of(of, at);
        (void)fprintf(
            file,
            "<line x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%d\" stroke=\"#ddd\"/>\n"
            "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%g</text>\n",
            x, TOP, x, HEIGHT - BOTTOM, x, HEIGHT - BOTTOM + 18, at);
    }
    (void)fprintf(
        file,
        "<text x=\"%d\" y=\"24\" font-size=\"15\">epsilon at delta = %g</text>\n"
        "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">releases</text>\n",
        LEFT, delta, (LEFT + WIDTH - RIGHT) / 2, HEIGHT - 10);
}

static bool is_drawn(const picture *of, const line *one, int at)
{
    return one->epsilon[at] >= of->lowest && one->epsilon[at] <= of->highest;
}

static bool has_end(const picture *of, const line *one)
{
    return is_drawn(of, one, POINTS - 1);
}

/* Names at the lines' ends, highest first, pushed down where two would overlap. */
static void draw_names(FILE *file, const picture *of, const char *const *colours)
{
    bool done[LINES_MAX] = {false};
    double free_from = TOP;
    for (size_t round = 0; round < of->line_count; round++) {
        size_t best = LINES_MAX;
        for (size_t i = 0; i < of->line_count; i++) {
            if (done[i] || !has_end(of, &of->lines[i])) continue;
            if (best == LINES_MAX ||
                of->lines[i].epsilon[POINTS - 1] > of->lines[best].epsilon[POINTS - 1]) {
                best = i;
            }
        }
        if (best == LINES_MAX) return;
        done[best] = true;
        const double y = fmax(free_from, y_of(of, of->lines[best].epsilon[POINTS - 1]));
        free_from = y + LABEL_HEIGHT;
        (void)fprintf(file, "<text x=\"%d\" y=\"%.1f\" fill=\"%s\">%s %.3g</text>\n",
                      WIDTH - RIGHT + 6, y + 4.0, colours[best], of->lines[best].name,
                      of->lines[best].epsilon[POINTS - 1]);
    }
}

static void draw_lines(FILE *file, const picture *of)
{
    static const char *const colours[LINES_MAX] = {
        "#111111", "#1b6ca8", "#8a2be2", "#2e8b57", "#c2571a", "#b8860b",
        "#a8326b", "#777777", "#999999", "#555555", "#1b6ca8", "#2e8b57",
        "#c2571a", "#b8860b", "#a8326b", "#777777"};
    for (size_t i = of->line_count; i-- > 0;) { /* the exact one last, on top */
        const line *one = &of->lines[i];
        (void)fprintf(file,
                      "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"%s\"%s "
                      "points=\"",
                      colours[i], i == 0 ? "2.5" : "1.5",
                      one->is_guarantee ? "" : " stroke-dasharray=\"4 4\"");
        for (int at = 0; at < POINTS; at++) {
            if (!is_drawn(of, one, at)) continue;
            (void)fprintf(file, "%.1f,%.1f ", x_of(of, of->releases[at]),
                          y_of(of, one->epsilon[at]));
        }
        (void)fprintf(file, "\"/>\n");
    }
    draw_names(file, of, colours);
}

sotto_status account_compare_draw(const cli_call *call, const sotto_plan *plan,
                                  double delta, const sotto_accountant *accountants,
                                  size_t accountant_count, sotto_error *error)
{
    picture made = {.line_count = 0};
    if (accountant_count >= LINES_MAX)
        return cli_fail(error, SOTTO_INTERNAL, "more accountants than lines");
    sotto_status status = fill(plan, delta, accountants, accountant_count, &made, error);
    if (status != SOTTO_OK) return status;
    cli_stream svg;
    status = cli_open_stream(call, "svg", &svg, error);
    if (status != SOTTO_OK) return status;
    FILE *const file = svg.file;
    (void)fprintf(file,
                  "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
                  "viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" font-size=\"12\">\n"
                  "<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n",
                  WIDTH, HEIGHT, WIDTH, HEIGHT);
    draw_axes(file, &made, delta);
    draw_lines(file, &made);
    (void)fprintf(file, "</svg>\n");
    return cli_close_stream(&svg, SOTTO_OK, error);
}
