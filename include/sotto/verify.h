/* sotto/verify.h: check that a certified file follows from its request, is in a ledger, and is
 * signed.
 *
 * Idea        A certified file states its request: the settings of the run and the public facts
 *             of the schema. The verifier calls the same planner as the run, writes the whole
 *             file again and compares plan, noise, settings and the lists of covered facts.
 *             Members that cannot be recomputed are assumed to be true, and listed.
 * Assumes     The software that made the file carried out the plan. A file can be consistent and
 *             still be forged; a ledger or a signature ties it to its run.
 * Docs        certificate.md
 */
#ifndef SOTTO_VERIFY_H
#define SOTTO_VERIFY_H

#include <stdbool.h>
#include <stddef.h>

#include <sotto/certificate.h>
#include <sotto/error.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Further checks beside the file itself. Texts are borrowed for the call. */
typedef struct sotto_verify_config {
    size_t size; /* sizeof(sotto_verify_config): sotto_verify_defaults() sets it */
    const char *
        ledger; /* a ledger, or its export: it must have charged and committed this file; NULL: none */
    const char *
        signed_by; /* public key (a file, or "ed25519:" and 64 hexadecimal digits) that must have
                                signed this file; NULL: none */
    const char *
        curator; /* public key, likewise, of the curator who must have signed the budgets of `ledger`;
                                NULL: any, or none */
} sotto_verify_config;

/* Nothing is set. */
SOTTO_API void sotto_verify_set_defaults(sotto_verify_config *out_config,
                                         size_t size_bytes);
static inline sotto_verify_config sotto_verify_defaults(void)
{
    sotto_verify_config config;
    sotto_verify_set_defaults(&config, sizeof config);
    return config;
}

/* Checks the file and returns SOTTO_OK if it verifies. SOTTO_VERIFICATION names the first difference; so do a file that cannot
 * be read, a test seed, a ledger without this file, another signer. `out_summary` may be NULL; it is filled in whenever the
 * file can be read as a certified file, and its `hash` is "" otherwise. Files of version 1 are checked by
 * sotto_certificate_verify() only: their settings are believed. */
SOTTO_API SOTTO_MUST_CHECK sotto_status
sotto_verify(const char *text, size_t size_bytes, const sotto_verify_config *config,
             sotto_certificate_summary *out_summary, sotto_error *error);

/* Shows the certificate of a file for people, after the outcome of sotto_verify(); free with
 * sotto_free(). A file that does not verify is shown under a warning. */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_verify_render(
    const char *text, size_t size_bytes, const sotto_verify_config *config,
    sotto_certificate_form form, char **out_text, sotto_error *error);

#ifdef __cplusplus
}
#endif
#endif
