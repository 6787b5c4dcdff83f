/* sotto/start.h: the first steps with a data set: a schema to fill in, a proposed budget, the commands to run.
 *
 * Idea        Begin with the header of a table and a few answers. The result is a commented schema, a proposed unit, adjacency and
 *             budget, the best attack at each epsilon, and commands for a shell. Nothing is charged or released.
 * Privacy     Only the first line of a table decides anything, unless its rows are declared public. The answer is the same for
 *             every content of the rows, also for one that cannot be parsed. Names of columns become public.
 * Theorem     Kairouz, Oh & Viswanath, ICML 2015, Thm 2.1. At false positive rate f no test has a true positive rate above
 *             min(e^epsilon f + delta, 1 - e^-epsilon (1 - delta - f)). Rounded up.
 * Docs        start.md
 */
#ifndef SOTTO_START_H
#define SOTTO_START_H

#include <stddef.h>
#include <stdint.h>

#include <sotto/error.h>
#include <sotto/event.h>
#include <sotto/schema_tools.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sotto_start_config {
    size_t size; /* sizeof(sotto_start_config): sotto_start_defaults() sets it */
    /* The table and the answers about its columns. `header_only` starts true: false declares that the rows are public, and they
     * are read. `dataset` NULL: from the name of the file. `unit` NULL: a column whose name is that of a person's id, if
     * there is exactly one; "": each row is a unit. `ledger` and `comments` are ignored. */
    sotto_draft_config draft;
    sotto_adjacency adjacency; /* unset: add-remove is proposed */
    double epsilon;            /* of the whole budget; SOTTO_UNSET: 1 is proposed */
    double delta; /* of the budget; SOTTO_UNSET: by expected_rows, or 1e-9; 0: pure */
    uint64_t expected_rows; /* public estimate of the number of rows; 0: none */
    const char
        *schema_path; /* where the schema will be; NULL: from the name of the file */
} sotto_start_config;

/* The defaults. */
SOTTO_API void sotto_start_set_defaults(sotto_start_config *out_config, size_t size_bytes,
                                        size_t draft_bytes);
static inline sotto_start_config sotto_start_defaults(void)
{
    sotto_start_config config;
    sotto_start_set_defaults(&config, sizeof config, sizeof config.draft);
    return config;
}

/* Proposes: the schema as JSON text to be written to a file, all proposals as a JSON object, and the same as text for people.
 * Writes no file. Each may be NULL; free the texts with sotto_free(). SOTTO_INVALID_ARGUMENT: a setting is out of range, or a
 * pipe is given in place of a file; others as sotto_schema_draft(). */
SOTTO_API SOTTO_MUST_CHECK sotto_status
sotto_start_propose(const sotto_start_config *config, char **out_schema, char **out_json,
                    char **out_text, sotto_error *error);

#ifdef __cplusplus
}
#endif
#endif
