/* Verification: read the facts, compute and write everything again, compare, hash. */
#include <stdio.h>
#include <string.h>

#include <sotto/key.h>

#include "artifact/certificate/certificate.h"
#include "base/error.h"

/* The certificate written again from its facts, with the hash of the file as it is and the signature that was checked. */
static sotto_status write_again(const sot_certificate_file *file,
                                const sot_certificate *again, const char *hash,
                                sot_json **out_document, sotto_error *error)
{
    sot_json_writer *writer;
    const char *text;
    size_t size_bytes;
    sotto_status status = sot_json_writer_new(false, &writer, error);
    if (status != SOTTO_OK) return status;
    sot_json_begin_object(writer);
    sot_certificate_write(again, writer);
    sot_certificate_write_seal(writer, hash, file->signer, file->signature);
    sot_json_end_object(writer);
    status = sot_json_writer_finish(writer, &text, &size_bytes, error);
    if (status == SOTTO_OK)
        status = sot_json_parse(NULL, text, size_bytes, size_bytes, out_document, error);
    sot_json_writer_free(writer);
    return status;
}

/* Claims from the facts; the sentence from the stated claims, so that a forged sentence is distinguished
 * from a forged number. The price of a tuning is a claim too: `*out_plan`, which `again` borrows,
 * is NULL if there is none. */
static sotto_status compute_again(const sot_certificate *stated, sot_certificate *again,
                                  sotto_plan **out_plan, sotto_error *error)
{
    sotto_error cause;
    *again = *stated;
    sot_statement_write_like(again, stated->statement);
    const sotto_status priced = sot_certificate_plan_again(stated, out_plan, error);
    if (priced != SOTTO_OK) return priced;
    if (*out_plan != NULL) again->plan = *out_plan;
    const sotto_status status = sot_claims_compute(again, &cause);
    if (status == SOTTO_OK || status == SOTTO_OUT_OF_MEMORY) {
        return status == SOTTO_OK ? status : sot_fail(error, status, "%s", cause.message);
    }
    return sot_fail(error, SOTTO_VERIFICATION,
                    "certificate.epsilon cannot be recomputed: %.180s", cause.message);
}

static bool same_software(const sot_software *a, const sot_software *b)
{
    return strcmp(a->version, b->version) == 0 && strcmp(a->build, b->build) == 0 &&
           strcmp(a->arithmetic, b->arithmetic) == 0;
}

sotto_status sot_certificate_file_is_exact(const sot_certificate_file *file,
                                           bool *out_exact, sotto_error *error)
{
    sot_software here;
    const sotto_status status = sot_software_describe(&here, error);
    if (status == SOTTO_OK)
        *out_exact = same_software(&here, &file->certificate.software);
    return status;
}

/* The signature is of this file, by the key that it names. Whose key that is, only the reader can know. */
static sotto_status check_signature(const sot_certificate_file *file, const char *hash,
                                    sotto_error *error)
{
    sotto_error cause;
    if (file->signer == NULL) return SOTTO_OK;
    const sotto_status status =
        sotto_key_verify(file->signer, SOTTO_PURPOSE_CERTIFICATE, hash, strlen(hash),
                         file->signature, &cause);
    if (status == SOTTO_OK) return SOTTO_OK;
    return sot_fail(error, SOTTO_VERIFICATION,
                    "certificate.signature is not one of this file by the key "
                    "ed25519:%.64s",
                    file->signer);
}

sotto_status sot_certificate_file_recompute(sot_certificate_file *file, bool *out_exact,
                                            sotto_error *error)
{
    sot_certificate again;
    sotto_plan *plan = NULL;
    sot_json *document = NULL;
    bool exact = false;
    char hash[SOTTO_HASH_HEX_BYTES];
    sotto_status status = sot_certificate_file_is_exact(file, &exact, error);
    if (status != SOTTO_OK) return status;
    status = sot_certificate_hash(&file->root, &file->member, hash, error);
    if (status == SOTTO_OK)
        status = compute_again(&file->certificate, &again, &plan, error);
    if (status == SOTTO_OK)
        status = sot_certificate_compare_payload(&file->root, &file->certificate, error);
    if (status == SOTTO_OK) status = write_again(file, &again, hash, &document, error);
    if (status == SOTTO_OK) {
        const sot_json_value recomputed = sot_json_root(document);
        status = sot_certificate_compare(&file->member, &recomputed, "certificate", exact,
                                         error);
    }
    if (status == SOTTO_OK) status = check_signature(file, hash, error);
    sot_json_free(document);
    sotto_plan_free(plan);
    *out_exact = exact;
    return status;
}

sotto_status sot_certificate_file_verify(sot_certificate_file *file, bool *out_exact,
                                         sotto_error *error)
{
    const sotto_status status = sot_certificate_file_recompute(file, out_exact, error);
    if (status != SOTTO_OK || file->certificate.is_secure) return status;
    return sot_fail(error, SOTTO_VERIFICATION,
                    "not private: certificate.noise_source states a test seed, so "
                    "the noise can be taken off again");
}

sotto_status sotto_certificate_verify(const char *text, size_t size_bytes,
                                      sotto_error *error)
{
    sot_certificate_file file;
    bool exact;
    sotto_status status = sot_certificate_file_open(text, size_bytes, &file, error);
    if (status != SOTTO_OK) return status;
    status = sot_certificate_file_verify(&file, &exact, error);
    sot_certificate_file_close(&file);
    return status;
}

void sot_certificate_file_summarize(const sot_certificate_file *file,
                                    sotto_status outcome, bool exact, const char *reason,
                                    sotto_certificate_summary *out_summary)
{
    const sot_certificate *certificate = &file->certificate;
    sotto_certificate_summary summary = {
        .epsilon = certificate->claims.epsilon,
        .delta = certificate->claims.delta,
        .adjacency = sotto_plan_adjacency(certificate->plan),
        .is_private = certificate->is_secure,
        .is_verified = outcome == SOTTO_OK,
        .is_exact = exact,
        .version = certificate->version,
    };
    (void)snprintf(summary.reason, sizeof summary.reason, "%s", reason);
    (void)snprintf(summary.hash, sizeof summary.hash, "%s", file->hash);
    if (file->signer != NULL)
        (void)snprintf(summary.signer, sizeof summary.signer, "%s", file->signer);
    summary.advisory_count = sot_certificate_advisories(file, summary.advisories);
    summary.believed_count = sot_certificate_believed(file, summary.believed);
    *out_summary = summary;
}

sotto_status sotto_certificate_summarize(const char *text, size_t size_bytes,
                                         sotto_certificate_summary *out_summary,
                                         sotto_error *error)
{
    sot_certificate_file file;
    sotto_status status = sot_certificate_file_open(text, size_bytes, &file, error);
    if (status != SOTTO_OK) return status;
    sotto_error reason = {.status = SOTTO_OK};
    bool exact = false;
    status = sot_certificate_file_verify(&file, &exact, &reason);
    if (status == SOTTO_OK || status == SOTTO_VERIFICATION) {
        sot_certificate_file_summarize(&file, status, exact, reason.message, out_summary);
        status = SOTTO_OK;
    } else {
        status = sot_fail(error, status, "%s", reason.message);
    }
    sot_certificate_file_close(&file);
    return status;
}
