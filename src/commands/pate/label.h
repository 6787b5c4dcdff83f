/* commands/pate/label.h: one labelling run, between its two parts: voters, caps and their plan
 * (caps.c), and charge, votes and results (label.c). */
#ifndef SOT_COMMANDS_PATE_LABEL_H
#define SOT_COMMANDS_PATE_LABEL_H

#include "commands/pate/pate.h"
#include "commands/session/session.h"

typedef struct sot_pate_label_run {
    const sotto_pate_label_config *config;
    const sotto_data_file *file;
    /* ---- public ---- */
    sot_pate_directory directory; /* path NULL: a table of votes */
    sot_pate_table *table;        /* NULL: a directory */
    bool from_table;              /* `table`, or one that a verifier knows of */
    bool has_student;             /* `student`, likewise */
    sot_origin origin; /* of the rows that the teachers learned from; 0: not known */
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
    sotto_pate_agreement agreement; /* the estimates */
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

/* Derives target, unit and the schema as JSON from schema and vote. */
SOTTO_MUST_CHECK sotto_status sot_pate_settle_votes(sot_pate_label_run *run,
                                                    sotto_error *error);

/* The caps, the event of the agreement, the plan and the epsilon that is stated. No vote is read. */
SOTTO_MUST_CHECK sotto_status sot_pate_plan_labels(sot_pate_label_run *run,
                                                   sotto_error *error);

/* ---- request.c ---- */

/* Fills in the session's fields from schema and plan. */
void sot_pate_label_begin_session(sot_pate_label_run *run);
/* Hashes the request into the session. */
SOTTO_MUST_CHECK sotto_status sot_pate_label_identify(sot_pate_label_run *run,
                                                      sotto_error *error);
/* Takes the released values from the session's file, which an earlier process wrote. */
SOTTO_MUST_CHECK sotto_status sot_pate_label_take_file(sot_pate_label_run *run,
                                                       sotto_error *error);
/* Certifies the released labels. */
SOTTO_MUST_CHECK sotto_status sot_pate_label_certify(sot_pate_label_run *run,
                                                     sotto_error *error);

/* A run of labels that is planned again. Start with {0}; clear it also after a failure. */
typedef struct sot_label_again {
    sotto_pate_label_config config;
    sot_pate_label_run run;
} sot_label_again;
SOTTO_MUST_CHECK sotto_status sot_label_again_plan(const sot_json_value *request,
                                                   const sotto_schema *schema,
                                                   sot_label_again *out_again,
                                                   sotto_error *error);
void sot_label_again_clear(sot_label_again *again);
/* The count of each event, from the queries asked and answered. */
void sot_label_again_count(const sot_pate_label_run *run,
                           uint64_t released[SOT_PATE_EVENTS_MAX]);

/* Returns the sampler error of all samples that the caps allow. */
double sot_pate_label_sampler_error(const sot_pate_label_run *run);

#endif
