/* privacy/accounting/plan/parts.h: the events of a plan (events.c), and their check (plan.c). */
#ifndef SOT_PRIVACY_ACCOUNTING_PLAN_PARTS_H
#define SOT_PRIVACY_ACCOUNTING_PLAN_PARTS_H

#include <sotto/accountant.h>

struct sotto_plan {
    sotto_adjacency adjacency;
    char *unit; /* column; NULL: one row */
    uint64_t unit_rows;
    size_t size;
    size_t capacity;
    sotto_event *events;
    double **curves; /* of each event: its orders and values, or NULL */
};

/* Refuses an event that the plan cannot hold, and names the field. */
SOTTO_MUST_CHECK sotto_status sot_plan_check_event(const sotto_plan *plan,
                                                   const sotto_event *event,
                                                   sotto_error *error);

/* Checks the orders and values of a curve, or the norms and probabilities of a mixture. */
SOTTO_MUST_CHECK sotto_status sot_plan_check_lists(const sotto_event *event,
                                                   sotto_error *error);

#endif
