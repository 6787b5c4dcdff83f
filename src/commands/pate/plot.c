/* Epsilon after each query, from the queries asked and answered: outputs, and so
 * public. */
#include <math.h>
#include <stdio.h>

#include "base/error.h"
#include "base/growing.h"
#include "base/svg.h"
#include "commands/pate/pate.h"

enum { WIDTH = 640, HEIGHT = 400 };

/* A plan with these counts of its events; those without a count are left out. */
static sotto_status price(const sotto_plan *plan, const uint64_t *counts, double delta,
                          double *out_epsilon, sotto_error *error)
{
    sotto_plan *part = NULL;
    sotto_account account;
    uint64_t all = 0;
    *out_epsilon = 0.0;
    for (size_t i = 0; i < sotto_plan_size(plan); i++)
        all += counts[i];
    if (all == 0) return SOTTO_OK;
    sotto_status status = sotto_plan_new(sotto_plan_adjacency(plan), &part, error);
    for (size_t i = 0; status == SOTTO_OK && i < sotto_plan_size(plan); i++) {
        sotto_event event = *sotto_plan_event(plan, i);
        event.count = counts[i];
        if (counts[i] > 0) status = sotto_plan_add(part, &event, error);
    }
    if (status == SOTTO_OK)
        status = sotto_account_epsilon(part, SOTTO_EXACT, delta, &account, error);
    if (status == SOTTO_OK) *out_epsilon = account.epsilon;
    sotto_plan_free(part);
    return status;
}

sotto_status sot_pate_price(const sot_pate_course *course, uint64_t asked,
                            uint64_t answers, double *out_epsilon, sotto_error *error)
{
    uint64_t counts[SOT_PATE_EVENTS_MAX];
    size_t count = 0;
    if (course->is_agreed) counts[count++] = 1;
    if (course->has_test) counts[count++] = asked;
    counts[count] = answers;
    return price(course->plan, counts, course->delta, out_epsilon, error);
}

uint64_t sot_pate_point(uint64_t asked, size_t index)
{
    return asked * index / (SOT_PATE_POINTS - 1); /* asked is at most 2^32 */
}

sotto_status sot_pate_curve(const sot_pate_course *course, uint64_t asked,
                            const uint64_t answers[SOT_PATE_POINTS],
                            double out_epsilons[SOT_PATE_POINTS], sotto_error *error)
{
    sotto_status status = SOTTO_OK;
    for (size_t i = 0; i < SOT_PATE_POINTS && status == SOTTO_OK; i++)
        status = sot_pate_price(course, sot_pate_point(asked, i), answers[i],
                                &out_epsilons[i], error);
    return status;
}

sotto_status sotto_pate_plot(const sotto_pate_result *result, char **out_svg,
                             sotto_error *error)
{
    double x[SOT_PATE_POINTS], y[SOT_PATE_POINTS], cap[2], ends[2];
    uint64_t answers[SOT_PATE_POINTS];
    if (result->paid == NULL) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "only labels have a curve of epsilon by query; plot labels");
    }
    const sot_pate_course course = {.plan = result->plan,
                                    .has_test = result->has_test,
                                    .is_agreed = result->is_agreed,
                                    .delta = result->delta};
    for (size_t i = 0; i < SOT_PATE_POINTS; i++) {
        x[i] = (double)sot_pate_point(result->asked, i);
        answers[i] = result->paid[sot_pate_point(result->asked, i)];
    }
    const sotto_status status = sot_pate_curve(&course, result->asked, answers, y, error);
    if (status != SOTTO_OK) return status;
    const double most = fmax(result->epsilon, y[SOT_PATE_POINTS - 1]);
    const sot_svg_panel panel = {
        .title = "Epsilon of the queries so far; dashed: the guarantee",
        .x = {.label = "queries asked",
              .least = 0.0,
              .most = result->asked > 0 ? (double)result->asked : 1.0,
              .is_whole = true},
        .y = {.label = "epsilon", .least = 0.0, .most = 1.1 * most},
        .left = 70,
        .top = 40,
        .width = WIDTH - 100,
        .height = HEIGHT - 100};
    sot_growing out = {0};
    sot_svg_begin(&out, WIDTH, HEIGHT, "Privacy loss of the labels",
                  "Epsilon after each query, and the epsilon that was charged before");
    sot_svg_panel_draw(&out, &panel);
    ends[0] = panel.x.least;
    ends[1] = panel.x.most;
    cap[0] = cap[1] = result->epsilon;
    sot_svg_line(&out, &panel, SOT_SVG_GUIDE, ends, cap, 2);
    sot_svg_line(&out, &panel, SOT_SVG_FIRST, x, y, SOT_PATE_POINTS);
    sot_svg_end(&out);
    return sot_growing_finish(&out, out_svg, error);
}
