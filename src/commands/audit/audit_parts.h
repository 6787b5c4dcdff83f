/* commands/audit/audit_parts.h: the common part of the files of an audit. */
#ifndef SOT_COMMANDS_AUDIT_AUDIT_PARTS_H
#define SOT_COMMANDS_AUDIT_AUDIT_PARTS_H

#include <sotto/audit.h>

enum { SOT_SENTENCE_BYTES = 320 };

struct sotto_audit {
    sotto_audit_summary found;
    sotto_plan *plan;   /* the claim */
    sotto_curve *curve; /* of it */
    double *scores;     /* runs of the world without the record, then runs with it */
    double level;       /* of each test: alpha, or its part */
    bool pure;          /* the claim has no delta */
    bool chooses;       /* epsilon is visible only in rates */
    bool has_losses;    /* the scores are exact privacy losses */
    const char *pair, *short_of; /* static */
    char sentence[SOT_SENTENCE_BYTES];
};

/* ---- plans.c ---- */

/* A copy of the plan with `factor` times the noise of every event that has a noise multiplier. Free with
 * sotto_plan_free(). */
SOTTO_MUST_CHECK sotto_status sot_plan_scaled(const sotto_plan *plan, double factor,
                                              sotto_plan **out_plan, sotto_error *error);
/* Every event has one. */
bool sot_plan_has_noise(const sotto_plan *plan);

/* ---- sentence.c ---- */

/* Writes the result in one sentence that claims nothing more. */
void sot_audit_put_sentence(sotto_audit *audit);

#endif
