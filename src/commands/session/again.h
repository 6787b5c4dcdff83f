/* commands/session/again.h: a certified file planned and written again from its request.
 *
 * Idea: each command has a function here that reads its request and calls the planner of the run.
 * It inserts the released numbers of the file and certifies as the run did. sot_session_certify()
 * then compares with the file instead of writing one. A member is assumed to be true exactly if
 * it is an input of this.
 */
#ifndef SOT_COMMANDS_SESSION_AGAIN_H
#define SOT_COMMANDS_SESSION_AGAIN_H

#include "artifact/certificate/certificate.h"
#include "commands/session/session.h"

/* The file that a session compares with. */
typedef struct sot_again {
    const sot_certificate_file *file;
    const uint64_t *released; /* the count of each event; NULL: as planned */
    /* For a student, whose certificate is that of its labels with another file; NULL: the
     * run's own. */
    const char *payload, *request, *output, *route;
} sot_again;

/* For sot_session_certify(): SOTTO_VERIFICATION names the first member that the request does not lead to. */
SOTTO_MUST_CHECK sotto_status sot_again_compare(const sot_session *session,
                                                const char *payload_json,
                                                const char *request_json,
                                                const sotto_certificate_facts *facts,
                                                sotto_error *error);

/* The file's member "schema" through the schema's own reader. */
SOTTO_MUST_CHECK sotto_status sot_again_schema(const sot_json_value *root,
                                               sotto_schema **out_schema,
                                               sotto_error *error);

/* One for each command. `text` is the whole file. */
typedef sotto_status (*sot_again_function)(const sot_certificate_file *file,
                                           const char *text, size_t size_bytes,
                                           sotto_error *error);
SOTTO_MUST_CHECK sotto_status sot_again_train(const sot_certificate_file *file,
                                              const char *text, size_t size_bytes,
                                              sotto_error *error);
SOTTO_MUST_CHECK sotto_status sot_again_tune(const sot_certificate_file *file,
                                             const char *text, size_t size_bytes,
                                             sotto_error *error);
SOTTO_MUST_CHECK sotto_status sot_again_release(const sot_certificate_file *file,
                                                const char *text, size_t size_bytes,
                                                sotto_error *error);
SOTTO_MUST_CHECK sotto_status sot_again_label(const sot_certificate_file *file,
                                              const char *text, size_t size_bytes,
                                              sotto_error *error);
SOTTO_MUST_CHECK sotto_status sot_again_student(const sot_certificate_file *file,
                                                const char *text, size_t size_bytes,
                                                sotto_error *error);

/* Checks an open file, whose whole text is `text`, without a ledger and a signer:
 * sotto_certificate_verify(), and that the file follows from its request. `out_exact`: the same
 * software made it. */
SOTTO_MUST_CHECK sotto_status sot_verify_file(sot_certificate_file *file,
                                              const char *text, size_t size_bytes,
                                              bool *out_exact, sotto_error *error);
/* The same for a text. A test seed passes if `allow_test`. */
SOTTO_MUST_CHECK sotto_status sot_verify_text(const char *text, size_t size_bytes,
                                              bool allow_test, sotto_error *error);

#endif
