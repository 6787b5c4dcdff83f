/* Epsilon after each query, from what was asked and answered: outputs, and so public. */
#include <math.h>
#include <stdio.h>

#include <sotto/pate_aggregate.h>

#include "base/error.h"
#include "base/growing.h"
#include "base/svg.h"
#include "privacy/accounting/pate.h"
#include "run/pate.h"

enum { POINTS = 64, WIDTH = 640, HEIGHT = 400 };

static sotto_status add_step(sotto_plan *plan, const sotto_pate_config *vote,
                             sotto_pate_step step, uint64_t count, sotto_error *error)
{
    sotto_event event;
    if (count == 0) return SOTTO_OK;
    const sotto_status status = sotto_pate_event(vote, step, &event, error);
    if (status != SOTTO_OK) return status;
    event.count = count;
    return sotto_plan_add(plan, &event, error);
}

sotto_status sot_pate_price(const sotto_pate_config *vote, const sotto_event *beside,
                            uint64_t tests, uint64_t answers, double delta,
                            double *out_epsilon, sotto_error *error)
{
    sotto_plan *plan = NULL;
    sotto_account account;
    sotto_pate_config named = *vote;
    named.purpose = "labels";
    *out_epsilon = 0.0;
    if (tests + answers == 0 && beside == NULL) return SOTTO_OK;
    sotto_status status = sotto_plan_new(vote->adjacency, &plan, error);
    if (status == SOTTO_OK && beside != NULL)
        status = sotto_plan_add(plan, beside, error);
    if (status == SOTTO_OK)
        status = add_step(plan, &named, SOTTO_PATE_TEST, tests, error);
    if (status == SOTTO_OK)
        status = add_step(plan, &named, SOTTO_PATE_ANSWER, answers, error);
    if (status == SOTTO_OK)
        status = sotto_account_epsilon(plan, SOTTO_EXACT, delta, &account, error);
    if (status == SOTTO_OK) *out_epsilon = account.epsilon;
    sotto_plan_free(plan);
    return status;
}

sotto_status sotto_pate_plot(const sotto_pate_result *result, char **out_svg,
                             sotto_error *error)
{
    double x[POINTS + 1], y[POINTS + 1], cap[2], ends[2];
    if (result->paid == NULL) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "only labels have a price a query to plot");
    }
    const bool tests = sot_pate_has_test(&result->vote);
    sotto_status status = SOTTO_OK;
    for (size_t i = 0; i <= POINTS && status == SOTTO_OK; i++) {
        const uint64_t asked = result->asked * i / POINTS;
        x[i] = (double)asked;
        status = sot_pate_price(
            &result->vote, result->is_agreed ? &result->agreement_event : NULL,
            tests ? asked : 0, result->paid[asked], result->delta, &y[i], error);
    }
    if (status != SOTTO_OK) return status;
    const double most = result->epsilon > y[POINTS] ? result->epsilon : y[POINTS];
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
    sot_svg_begin(&out, WIDTH, HEIGHT, "What labels cost",
                  "Epsilon after each query, and the epsilon that was charged before");
    sot_svg_panel_draw(&out, &panel);
    ends[0] = panel.x.least;
    ends[1] = panel.x.most;
    cap[0] = cap[1] = result->epsilon;
    sot_svg_line(&out, &panel, SOT_SVG_GUIDE, ends, cap, 2);
    sot_svg_line(&out, &panel, SOT_SVG_FIRST, x, y, POINTS + 1);
    sot_svg_end(&out);
    return sot_growing_finish(&out, out_svg, error);
}
