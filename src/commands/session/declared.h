/* commands/session/declared.h: rows and models that the caller declares public.
 *
 * sotto cannot check such a declaration, but it can find a contradiction:
 *
 * Rows        A schema that names a ledger describes rows with a budget. The same schema cannot describe
 *             rows that are public.
 * Models      A model without a certificate, whose schema has the data set id of this run, was computed from the
 *             rows that this run protects. As a prior or as initial weights it would leave the run unpaid.
 */
#ifndef SOT_COMMANDS_SESSION_DECLARED_H
#define SOT_COMMANDS_SESSION_DECLARED_H

#include <sotto/error.h>
#include <sotto/model.h>
#include <sotto/schema.h>

/* Refuses to declare rows public under a schema that names a ledger. `option` is the declaration as the
 * user typed it: "--data-is-public". `schema` may be NULL. */
SOTTO_MUST_CHECK sotto_status sot_check_public_rows(const char *option,
                                                    const sotto_schema *schema,
                                                    sotto_error *error);

/* Refuses a model of this run's own data set, unless its certificate verifies: then it was released
 * and paid for by itself. `option` names the file's setting, `path` is where `model` was read from. */
SOTTO_MUST_CHECK sotto_status sot_check_public_model(const char *option, const char *path,
                                                     const sotto_model *model,
                                                     const sotto_schema *schema,
                                                     sotto_error *error);

#endif
