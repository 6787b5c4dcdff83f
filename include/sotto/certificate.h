/* sotto/certificate.h: what a release reveals at most, whole and re-checkable.
 *
 * Idea        A certificate is a JSON object inside the released file: a sentence, epsilon at
 *             several deltas, the plan that was carried out, the ledger before and after, and a
 *             hash over everything else in the file. Anyone can recompute all of it.
 * Assumes     That the software which wrote it did what the plan says: the hash guards against
 *             editing, not against lying.
 */
#ifndef SOTTO_CERTIFICATE_H
#define SOTTO_CERTIFICATE_H

#include <stdbool.h>
#include <stddef.h>

#include <sotto/accountant.h>
#include <sotto/error.h>
#include <sotto/gate.h>
#include <sotto/ledger.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What the run knows beside the gate. Start from sotto_certificate_defaults(). Strings are
 * borrowed for the call; lists are NULL-terminated. */
typedef struct sotto_certificate_facts {
    const char *output;         /* what is released, for example "a private count" */
    double delta;               /* the delta the headline epsilon is stated at; 0: pure */
    const char *unit;           /* "row", or "person (column id, at most 3 rows each)" */
    const char *dataset;        /* dataset id of the schema; NULL when there is none */
    const char *const *covered; /* data accesses covered by the guarantee */
    const char *const
        *unprotected;   /* facts that are not protected: schema, label set, n ... */
    const char *tuning; /* how settings were chosen; NULL: "fixed in advance" */
    const sotto_reservation *ledger; /* NULL: no ledger kept the budget */
} sotto_certificate_facts;

SOTTO_API sotto_certificate_facts sotto_certificate_defaults(void);

/* Adds "certificate" to `payload_json` (a JSON object without that member) from what a
 * finished gate did, and returns the whole file's text, to be freed with
 * sotto_certificate_free_text(). The hash in it covers every other byte of the canonical form. */
SOTTO_API SOTTO_MUST_CHECK sotto_status
sotto_certificate_attach(const char *payload_json, const sotto_gate *gate,
                         const sotto_certificate_facts *facts, char **out_text,
                         char out_hash[SOTTO_HASH_HEX_BYTES], sotto_error *error);

/* Recomputes everything in the file: hash, every epsilon, the attack table, the sums.
 * SOTTO_VERIFICATION names the first difference; a test-seeded run and a newer file version
 * fail too. */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_certificate_verify(const char *text,
                                                                 size_t size_bytes,
                                                                 sotto_error *error);

typedef enum sotto_certificate_form {
    SOTTO_CERTIFICATE_TEXT = 1,
    SOTTO_CERTIFICATE_MARKDOWN = 2,
    SOTTO_CERTIFICATE_HTML = 3
} sotto_certificate_form;

/* The certificate of a file for people to read; free with sotto_certificate_free_text(). */
SOTTO_API SOTTO_MUST_CHECK sotto_status
sotto_certificate_render(const char *text, size_t size_bytes, sotto_certificate_form form,
                         char **out_text, sotto_error *error);

SOTTO_API void sotto_certificate_free_text(char *text); /* NULL is fine */

#ifdef __cplusplus
}
#endif
#endif
