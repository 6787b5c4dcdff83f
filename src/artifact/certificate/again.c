/* The whole file against the one that its request leads to: nothing in it may be missing, changed or added. */
#include <string.h>

#include "artifact/certificate/certificate.h"
#include "base/error.h"

/* Facts and plan are the recomputed ones; the rest was checked against the stated plan before, or is believed. */
static sot_certificate expected_of(const sot_certificate_file *file,
                                   const sot_certificate *recomputed)
{
    sot_certificate expected = file->certificate;
    const sotto_certificate_facts *facts = &recomputed->facts;
    const sotto_reservation *ledger = expected.facts.ledger;
    expected.facts = *facts;
    expected.facts.ledger = ledger;
    if (facts->tuning == NULL) expected.facts.tuning = "fixed in advance";
    expected.claims.delta = facts->delta;
    expected.plan = recomputed->plan;
    expected.released = recomputed->released;
    expected.is_capped = recomputed->is_capped;
    expected.sampler_error = recomputed->sampler_error;
    return expected;
}

static sotto_status write_expected(const sot_certificate_file *file,
                                   const sot_json_value *payload,
                                   const sot_json_value *request,
                                   const sot_certificate *expected,
                                   sot_json **out_document, sotto_error *error)
{
    sot_json_writer *writer = NULL;
    const char *text = NULL;
    size_t size_bytes = 0;
    sotto_status status = sot_json_writer_new(false, &writer, error);
    if (status != SOTTO_OK) return status;
    sot_certificate_write_file(writer, payload, request);
    sot_json_open_object(writer, "certificate");
    sot_certificate_write(expected, writer);
    sot_certificate_write_seal(writer, file->hash, file->signer, file->signature);
    sot_json_end_object(writer);
    sot_json_end_object(writer);
    status = sot_json_writer_finish(writer, &text, &size_bytes, error);
    if (status == SOTTO_OK)
        status = sot_json_parse(NULL, text, size_bytes, size_bytes, out_document, error);
    sot_json_writer_free(writer);
    return status;
}

sotto_status sot_certificate_file_compare(const sot_certificate_file *file,
                                          const char *payload_json,
                                          const sot_certificate *recomputed,
                                          sotto_error *error)
{
    const char *asked = recomputed->request_json;
    sot_json *payload = NULL, *request = NULL, *document = NULL;
    bool exact = false;
    const sot_certificate expected = expected_of(file, recomputed);
    sotto_status status = sot_certificate_file_is_exact(file, &exact, error);
    if (status == SOTTO_OK)
        status = sot_json_parse(NULL, payload_json, strlen(payload_json),
                                SOTTO_CERTIFIED_BYTES_MAX, &payload, error);
    if (status == SOTTO_OK)
        status = sot_json_parse(NULL, asked, strlen(asked), SOTTO_CERTIFIED_BYTES_MAX,
                                &request, error);
    if (status == SOTTO_OK) {
        const sot_json_value members = sot_json_root(payload);
        const sot_json_value settings = sot_json_root(request);
        status = write_expected(file, &members, &settings, &expected, &document, error);
    }
    if (status == SOTTO_OK) {
        const sot_json_value root = sot_json_root(document);
        status = sot_certificate_compare(&file->root, &root, "", exact, error);
    }
    sot_json_free(document);
    sot_json_free(request);
    sot_json_free(payload);
    return status;
}
