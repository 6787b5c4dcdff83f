/* commands/start/parts.h: proposals for a new data set, and their two forms. */
#ifndef SOT_COMMANDS_START_PARTS_H
#define SOT_COMMANDS_START_PARTS_H

#include <sotto/json.h>
#include <sotto/start.h>

#include "base/growing.h"

enum { SOT_START_COMMANDS = 6, SOT_START_EPSILONS_MAX = 7, SOT_START_RATES = 3 };

typedef struct sot_start {
    sotto_start_config config; /* with all proposals filled in; unit NULL: a row */
    bool unit_is_guess;        /* by the name of its column */
    char *dataset, *schema_path, *ledger_path, *model_path, *report_path;
    char *schema;         /* JSON text */
    char *notes;          /* of the draft */
    sotto_json *document; /* the schema, read */
    const sotto_json_value *columns;
    const char *model;             /* kind that fits the target; NULL: no target */
    double run_epsilon, run_delta; /* of the first run */
    sot_growing
        commands[SOT_START_COMMANDS]; /* in order; unused ones are empty at the end */
    size_t command_count;
    double epsilons[SOT_START_EPSILONS_MAX]; /* rows of the attack table, ascending */
    size_t epsilon_count;
} sot_start;

extern const double sot_start_rates[SOT_START_RATES]; /* false positive rates */

/* Upper bound on the true positive rate of any attack (attack.c). */
double sot_start_attack(const sot_start *start, double epsilon, double rate);
void sot_start_fill_epsilons(sot_start *start);

/* The commands that follow from the proposals (next.c). */
void sot_start_write_commands(sot_start *start);

/* The members of a column that are null: "lower", "upper". NULL after the last one. */
const char *sot_start_null_member(const sotto_json_value *object, size_t index);
size_t sot_start_count_unfilled(const sot_start *start);

/* Both forms of the answer (text.c). */
SOTTO_MUST_CHECK sotto_status sot_start_write_json(const sot_start *start,
                                                   char **out_json, sotto_error *error);
SOTTO_MUST_CHECK sotto_status sot_start_write_text(const sot_start *start,
                                                   char **out_text, sotto_error *error);

#endif
