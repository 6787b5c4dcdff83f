/* run/pate_label.h: one run of labels, between its two parts: who votes, the caps and their plan (pate_caps.c), and the
 * charge, the votes and what is handed out (pate_label.c). */
#ifndef SOT_RUN_PATE_LABEL_H
#define SOT_RUN_PATE_LABEL_H

#include "run/pate.h"
#include "run/session.h"

typedef struct sot_pate_label_run {
    const sotto_pate_label_config *config;
    const sotto_data_file *file;
    /* ---- public ---- */
    sot_pate_directory directory; /* path NULL: a table of votes */
    sot_pate_table *table;        /* NULL: a directory */
    const sotto_schema *schema;
    char *schema_json;
    const sotto_target *target;
    sotto_pate_config vote;
    uint64_t ask, answers; /* the caps */
    double epsilon;        /* that is stated */
    bool agrees;           /* the agreement is released too */
    sotto_event agreement_event;
    sotto_plan *plan;
    sot_session session;
    char unit[SOT_UNIT_NAME_BYTES];
    double *student; /* ask x classes; NULL: none */
    /* ---- secret ---- */
    sot_pate_votes votes;
    sotto_pate_meter *meter; /* NULL: not asked for */
    /* ---- released ---- */
    uint64_t asked, answered;
    sot_pate_agreed agreed;
    sotto_pate_agreement agreement; /* what it says */
    uint64_t *paid;                 /* ask + 1 */
    uint64_t *rows;
    size_t *classes;
    bool *is_reinforced;
    size_t count;
} sot_pate_label_run;

/* Opens the directory or the table up to its header: schema, target, vote and unit follow. */
SOTTO_MUST_CHECK sotto_status sot_pate_open_votes(sot_pate_label_run *run,
                                                  const sotto_schema *schema,
                                                  sotto_error *error);

/* The caps, the event of the agreement, the plan and the epsilon that is stated. No vote is read. */
SOTTO_MUST_CHECK sotto_status sot_pate_plan_labels(sot_pate_label_run *run,
                                                   sotto_error *error);

/* Of all draws that the caps allow. */
double sot_pate_label_sampler_error(const sot_pate_label_run *run);

#endif
