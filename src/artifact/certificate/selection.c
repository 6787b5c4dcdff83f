/* The price of a tuned output. Its plan is one event, a number or a curve without its origin. The
 * inputs of the price are beside it, and it is computed again from them. */
#include <math.h>
#include <string.h>

#include "artifact/certificate/certificate.h"
#include "base/error.h"
#include "base/memory.h"
#include "privacy/accounting/plan/json_write.h"
#include "privacy/accounting/selection/selection.h"

enum { PLANS_MAX = 1024 }; /* no grid or search has more candidates */

/* ---- facts that cannot be ---- */

static sotto_status check_selection(const sot_certificate *certificate,
                                    sotto_status refusal, sotto_error *error)
{
    const sotto_selection *selection = certificate->facts.selection;
    const sotto_plan *plan = certificate->plan;
    const sotto_event *event = sotto_plan_event(plan, 0);
    if (sotto_plan_size(plan) != 1 || event->count != 1 || certificate->is_capped ||
        (event->mechanism != SOTTO_PURE && event->mechanism != SOTTO_RDP_CURVE)) {
        return sot_fail(error, refusal,
                        "selection goes with a plan of one event, pure or a Renyi curve, "
                        "that happens once");
    }
    if (selection->plan_count == 0 || selection->plan_count > PLANS_MAX) {
        return sot_fail(error, refusal, "selection.plans has %zu entries; give 1 to %d",
                        selection->plan_count, PLANS_MAX);
    }
    for (size_t i = 0; i < selection->plan_count; i++) {
        if (sotto_plan_adjacency(selection->plans[i]) == sotto_plan_adjacency(plan))
            continue;
        return sot_fail(error, refusal,
                        "selection.plans[%zu] is for other neighbours than the plan", i);
    }
    return SOTTO_OK;
}

sotto_status sot_certificate_check_selection(const sot_certificate *certificate,
                                             sotto_status status, sotto_error *error)
{
    return certificate->facts.selection == NULL
               ? SOTTO_OK
               : check_selection(certificate, status, error);
}

/* ---- the event again ---- */

/* A curve is nothing that a mechanism of ours releases: it is always the price of a tuning. */
static bool is_selected(const sotto_event *event)
{
    return event->mechanism == SOTTO_RDP_CURVE ||
           strcmp(event->purpose, SOT_SELECTION_PURPOSE) == 0;
}

static sotto_status refuse_bare(const sotto_plan *plan, sotto_error *error)
{
    for (size_t i = 0; i < sotto_plan_size(plan); i++) {
        if (!is_selected(sotto_plan_event(plan, i))) continue;
        return sot_fail(error, SOTTO_VERIFICATION,
                        "certificate.plan.events[%zu] is the price of a tuning, and the "
                        "certificate has no selection to recompute it from",
                        i);
    }
    return SOTTO_OK;
}

static sotto_status add_event(const sot_certificate *certificate, double *values,
                              sotto_plan *plan, sotto_error *error)
{
    const sotto_event *stated = sotto_plan_event(certificate->plan, 0);
    sotto_event event;
    sotto_status status =
        sot_selection_price_event(certificate->facts.selection, stated->curve_orders,
                                  stated->curve_size, values, &event, error);
    return status == SOTTO_OK ? sotto_plan_add(plan, &event, error) : status;
}

sotto_status sot_certificate_plan_again(const sot_certificate *certificate,
                                        sotto_plan **out_plan, sotto_error *error)
{
    double *values;
    sotto_plan *plan = NULL;
    sotto_error cause;
    *out_plan = NULL;
    if (certificate->facts.selection == NULL)
        return refuse_bare(certificate->plan, error);
    values = sot_new_array(SOTTO_CURVE_MAX, sizeof *values);
    if (values == NULL) return sot_fail_memory(error, SOTTO_CURVE_MAX, sizeof *values);
    sotto_status status =
        sotto_plan_new(sotto_plan_adjacency(certificate->plan), &plan, &cause);
    if (status == SOTTO_OK) status = add_event(certificate, values, plan, &cause);
    sot_free(values);
    if (status == SOTTO_OK) {
        *out_plan = plan;
        return SOTTO_OK;
    }
    sotto_plan_free(plan);
    return sot_fail(error, status == SOTTO_OUT_OF_MEMORY ? status : SOTTO_VERIFICATION,
                    "certificate.plan cannot be recomputed from its selection: %.170s",
                    cause.message);
}

/* ---- as JSON ---- */

void sot_certificate_write_selection(const sotto_selection *selection,
                                     sot_json_writer *writer)
{
    sot_json_open_object(writer, "selection");
    sot_json_put_text(writer, "distribution", sotto_runs_law_name(selection->runs.law));
    sot_json_put_number(writer, "eta", selection->runs.shape);
    sot_json_put_number(writer, "gamma", selection->runs.gamma);
    sot_json_put_number(writer, "mean", selection->runs.mean);
    sot_json_open_array(writer, "plans");
    for (size_t i = 0; i < selection->plan_count; i++)
        sot_plan_write(selection->plans[i], writer);
    sot_json_end_array(writer);
    sot_json_end_object(writer);
}

static sotto_status read_runs(const sot_json_value *object, sotto_runs *out_runs,
                              sotto_error *error)
{
    const char *name = NULL;
    *out_runs = sotto_runs_defaults();
    sotto_status status = sot_json_get_string(object, "distribution", &name, error);
    if (status == SOTTO_OK)
        status = sotto_runs_law_from_name(name, &out_runs->law, error);
    if (status != SOTTO_OK) return status;
    if (out_runs->law == SOTTO_RUNS_POISSON) {
        status = sot_json_get_double(object, "mean", &out_runs->mean, error);
    } else {
        status = sot_json_get_double(object, "eta", &out_runs->shape, error);
        if (status == SOTTO_OK)
            status = sot_json_get_double(object, "gamma", &out_runs->gamma, error);
    }
    return status == SOTTO_OK ? sot_runs_check(out_runs, error) : status;
}

sotto_status sot_certificate_read_selection(sot_certificate_file *file,
                                            sotto_error *error)
{
    sot_json_value member, plans;
    if (!sot_json_member(&file->member, "selection", &member)) return SOTTO_OK;
    sotto_status status = sot_json_as_object(&member, error);
    if (status == SOTTO_OK) status = read_runs(&member, &file->selection.runs, error);
    if (status == SOTTO_OK) status = sot_json_get_array(&member, "plans", &plans, error);
    if (status != SOTTO_OK) return status;
    const size_t count = sot_json_size(&plans);
    if (count == 0 || count > PLANS_MAX)
        return sot_json_refuse(&plans, "it has 1 to 1024 plans", error);
    file->selection_plans = sot_new_array(count, sizeof *file->selection_plans);
    if (file->selection_plans == NULL)
        return sot_fail_memory(error, count, sizeof *file->selection_plans);
    file->selection.plans = (const sotto_plan *const *)file->selection_plans;
    while (status == SOTTO_OK && file->selection.plan_count < count) {
        const sot_json_value item = sot_json_item(&plans, file->selection.plan_count);
        status = sot_certificate_read_plan(
            &item, &file->selection_plans[file->selection.plan_count], error);
        if (status == SOTTO_OK) file->selection.plan_count++;
    }
    file->certificate.facts.selection = &file->selection;
    return status;
}

void sot_certificate_free_selection(sot_certificate_file *file)
{
    for (size_t i = 0; i < file->selection.plan_count; i++)
        sotto_plan_free(file->selection_plans[i]);
    sot_free(file->selection_plans);
}
