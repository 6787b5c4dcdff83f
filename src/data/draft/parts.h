/* data/draft/parts.h: the columns of a public file, and the draft made from them. */
#ifndef SOT_DATA_DRAFT_PARTS_H
#define SOT_DATA_DRAFT_PARTS_H

#include <stdbool.h>
#include <stdint.h>

#include <sotto/schema_tools.h>

#include "base/growing.h"

enum {
    SOT_DRAFT_VALUES_MOST = 100, /* texts of one column; with more it is no category */
    SOT_DRAFT_SLOTS = 256
};

/* One column. Counting starts with everything possible, and each cell rules something out. */
typedef struct sot_draft_column {
    char *name;
    uint64_t cells; /* that are not missing */
    bool numbers, whole, booleans, ascending, fit;
    double least, most, previous;
    char *values[SOT_DRAFT_VALUES_MOST]; /* in order of appearance */
    size_t value_count;
    bool many;                      /* more values than are kept */
    uint8_t slots[SOT_DRAFT_SLOTS]; /* hash -> 1 + place in `values` */
    char *marker;             /* the file's spelling of a missing cell; NULL: empty */
    sotto_column_type stated; /* by the caller; 0: not */
} sot_draft_column;

typedef struct sot_draft {
    const sotto_draft_config *config;
    sot_draft_column *columns;
    size_t size;
    uint64_t rows;
    /* For a LIBSVM file. */
    bool matrix;
    size_t features;
    double *labels; /* until there are too many for classes */
    size_t label_count;
    bool many_labels, fractions; /* among the labels */
    double least, most;          /* of them */
    sot_growing notes;
    sot_growing codes; /* names of columns that may hold codes */
} sot_draft;

/* Reads the whole file (read.c, libsvm.c). */
SOTTO_MUST_CHECK sotto_status sot_draft_read_table(sot_draft *draft, sotto_error *error);
SOTTO_MUST_CHECK sotto_status sot_draft_read_matrix(sot_draft *draft, sotto_error *error);

/* The types that the caller states (names.c). */
SOTTO_MUST_CHECK sotto_status sot_draft_state_types(sot_draft *draft, sotto_error *error);

/* Returns the type suggested by the name of a column; default: a number. */
sotto_column_type sot_draft_suggest(const char *name);

/* The name is that of free text or of contact data: "notes", "email". */
bool sot_draft_names_text(const char *name);

/* The name is that of dates: "signup_date", "created_at". */
bool sot_draft_names_day(const char *name);

/* The name is that of a column that identifies people: "patient_id", "Person" (comments.c). */
bool sot_draft_names_person(const char *name);

/* The comment of a column; `unknown`: bounds or values are null; `days`: it holds dates. */
const char *sot_draft_comment(sotto_column_type type, bool unknown, bool days);

/* Decides on types and bounds and writes the schema (write.c). */
SOTTO_MUST_CHECK sotto_status sot_draft_write(sot_draft *draft, char **out_json,
                                              sotto_error *error);

void sot_draft_free(sot_draft *draft); /* frees its members; a zeroed one is fine */

#endif
