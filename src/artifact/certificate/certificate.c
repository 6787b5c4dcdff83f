#include "artifact/certificate/certificate.h"

#include <assert.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>

#include <sotto/key.h>

#include "base/copy.h"
#include "base/error.h"
#include "base/json/canonical.h"

sotto_certificate_facts sotto_certificate_defaults(void)
{
    return (sotto_certificate_facts){.delta = SOTTO_UNSET};
}

sotto_status sot_certificate_hash(const sot_json_value *root,
                                  const sot_json_value *certificate,
                                  char out_hash[SOTTO_HASH_HEX_BYTES], sotto_error *error)
{
    unsigned char digest[crypto_generichash_BYTES];
    static_assert(2 * sizeof digest + 1 == SOTTO_HASH_HEX_BYTES, "BLAKE2b-256");
    sot_json_writer *writer;
    const char *text;
    size_t size_bytes;
    sot_json_value members[2];
    const sot_json_value *left_out[3] = {NULL};
    static const char *const names[] = {"hash", "signature"};
    size_t count = 0;
    for (size_t i = 0; certificate != NULL && i < 2; i++)
        if (sot_json_member(certificate, names[i], &members[count])) {
            left_out[count] = &members[count];
            count++;
        }
    sotto_status status = sot_json_writer_new(false, &writer, error);
    if (status != SOTTO_OK) return status;
    sot_json_copy(writer, root, true, left_out);
    status = sot_json_writer_finish(writer, &text, &size_bytes, error);
    if (status == SOTTO_OK) {
        /* The writer's final newline is not part of the form. Without a key the call cannot
         * fail. */
        (void)crypto_generichash(digest, sizeof digest, (const unsigned char *)text,
                                 size_bytes - 1, NULL, 0);
        (void)sodium_bin2hex(out_hash, SOTTO_HASH_HEX_BYTES, digest, sizeof digest);
    }
    sot_json_writer_free(writer);
    return status;
}

/* The members after the certificate's own ones: none while the hash is computed. */
typedef struct seal {
    const char *hash;
    const char *signer; /* NULL: not signed */
    char signature[SOTTO_SIGNATURE_HEX_BYTES];
} seal;

void sot_certificate_write_seal(sot_json_writer *writer, const char *hash,
                                const char *signer, const char *signature)
{
    char key[SOTTO_KEY_HEX_BYTES + sizeof "ed25519:"];
    sot_json_put_text(writer, "hash", hash);
    if (signer == NULL) return;
    (void)snprintf(key, sizeof key, "ed25519:%s", signer);
    sot_json_open_object(writer, "signature");
    sot_json_put_text(writer, "key", key);
    sot_json_put_text(writer, "value", signature);
    sot_json_end_object(writer);
}

void sot_certificate_write_file(sot_json_writer *writer, const sot_json_value *payload,
                                const sot_json_value *request)
{
    sot_json_value member;
    sot_json_begin_object(writer);
    for (bool more = sot_json_first_member(payload, &member); more;
         more = sot_json_next_member(&member)) {
        sot_json_key(writer, sot_json_key_of(&member));
        sot_json_copy(writer, &member, false, NULL);
    }
    if (request == NULL) return;
    sot_json_key(writer, "request");
    sot_json_copy(writer, request, false, NULL);
}

/* The payload's members, the request, then the certificate. */
static void write_file(sot_json_writer *writer, const sot_json_value *payload,
                       const sot_json_value *request, const sot_certificate *certificate,
                       const seal *sealed)
{
    sot_certificate_write_file(writer, payload, request);
    sot_json_open_object(writer, "certificate");
    sot_certificate_write(certificate, writer);
    if (sealed != NULL)
        sot_certificate_write_seal(writer, sealed->hash, sealed->signer,
                                   sealed->signature);
    sot_json_end_object(writer);
    sot_json_end_object(writer);
}

/* Writes the file without its hash, reads it back and hashes the result: a verifier computes the
 * same hash. */
static sotto_status hash_of_file(const sot_json_value *payload,
                                 const sot_json_value *request,
                                 const sot_certificate *certificate,
                                 char out_hash[SOTTO_HASH_HEX_BYTES], sotto_error *error)
{
    sot_json_writer *writer;
    sot_json *document = NULL;
    const char *text;
    size_t size_bytes;
    sotto_status status = sot_json_writer_new(false, &writer, error);
    if (status != SOTTO_OK) return status;
    write_file(writer, payload, request, certificate, NULL);
    status = sot_json_writer_finish(writer, &text, &size_bytes, error);
    if (status == SOTTO_OK)
        status = sot_json_parse(NULL, text, size_bytes, size_bytes, &document, error);
    if (status == SOTTO_OK) {
        const sot_json_value root = sot_json_root(document);
        status = sot_certificate_hash(&root, NULL, out_hash, error);
    }
    sot_json_free(document);
    sot_json_writer_free(writer);
    return status;
}

static sotto_status file_text(const sot_json_value *payload,
                              const sot_json_value *request,
                              const sot_certificate *certificate, const seal *sealed,
                              char **out_text, sotto_error *error)
{
    sot_json_writer *writer;
    const char *text;
    size_t size_bytes;
    sotto_status status = sot_json_writer_new(true, &writer, error);
    if (status != SOTTO_OK) return status;
    write_file(writer, payload, request, certificate, sealed);
    status = sot_json_writer_finish(writer, &text, &size_bytes, error);
    if (status == SOTTO_OK && size_bytes > SOTTO_CERTIFIED_BYTES_MAX) {
        status =
            sot_fail(error, SOTTO_UNSUPPORTED,
                     "the file has %zu bytes, more than the %zu a certified file may "
                     "have",
                     size_bytes, SOTTO_CERTIFIED_BYTES_MAX);
    }
    if (status == SOTTO_OK) status = sot_copy_text(text, out_text, error);
    sot_json_writer_free(writer);
    return status;
}

static sotto_status check_payload(const sot_json_value *payload, sotto_error *error)
{
    static const char *const names[] = {"certificate", "request"};
    sot_json_value member;
    const sotto_status status = sot_json_as_object(payload, error);
    if (status != SOTTO_OK) return status;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (!sot_json_member(payload, names[i], &member)) continue;
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "the payload has a member \"%s\" already; leave it out",
                        names[i]);
    }
    return SOTTO_OK;
}

static sotto_status complete(sot_certificate *certificate, sotto_error *error)
{
    if (certificate->facts.tuning == NULL) certificate->facts.tuning = "fixed in advance";
    sotto_status status =
        sot_certificate_check(certificate, SOTTO_INVALID_ARGUMENT, error);
    if (status == SOTTO_OK) status = sot_software_describe(&certificate->software, error);
    if (status == SOTTO_OK) status = sot_claims_compute(certificate, error);
    if (status == SOTTO_OK) sot_statement_write(certificate);
    return status;
}

static sotto_status seal_file(const sot_certificate *certificate, const char *hash,
                              seal *sealed, sotto_error *error)
{
    const sotto_key *key = certificate->facts.key;
    *sealed = (seal){.hash = hash};
    if (key == NULL) return SOTTO_OK;
    sealed->signer = sotto_key_public(key);
    return sotto_key_sign(key, SOTTO_PURPOSE_CERTIFICATE, hash, strlen(hash),
                          sealed->signature, error);
}

/* `request` NULL: version 1 has none. */
static sotto_status attach(const sot_json_value *payload, const sot_json_value *request,
                           sot_certificate *certificate, char **out_text,
                           char out_hash[SOTTO_HASH_HEX_BYTES], sotto_error *error)
{
    char hash[SOTTO_HASH_HEX_BYTES];
    seal sealed;
    sotto_status status = check_payload(payload, error);
    if (status == SOTTO_OK) status = complete(certificate, error);
    if (status == SOTTO_OK)
        status = hash_of_file(payload, request, certificate, hash, error);
    if (status == SOTTO_OK) status = seal_file(certificate, hash, &sealed, error);
    if (status == SOTTO_OK)
        status = file_text(payload, request, certificate, &sealed, out_text, error);
    if (status == SOTTO_OK) memcpy(out_hash, hash, sizeof hash);
    return status;
}

sotto_status sot_certificate_attach(const char *payload_json,
                                    sot_certificate *certificate, char **out_text,
                                    char out_hash[SOTTO_HASH_HEX_BYTES],
                                    sotto_error *error)
{
    if (certificate->version == 0) certificate->version = SOT_CERTIFICATE_VERSION;
    if (certificate->version >= 2 && certificate->request_json == NULL)
        certificate->request_json = SOT_REQUEST_APPLICATION;
    const char *asked = certificate->request_json;
    sot_json *document = NULL, *settings = NULL;
    sot_json_value request;
    sotto_status status = sot_json_parse(NULL, payload_json, strlen(payload_json),
                                         SOTTO_CERTIFIED_BYTES_MAX, &document, error);
    if (status == SOTTO_OK && asked != NULL)
        status = sot_json_parse(NULL, asked, strlen(asked), SOTTO_CERTIFIED_BYTES_MAX,
                                &settings, error);
    if (status == SOTTO_OK) {
        const sot_json_value payload = sot_json_root(document);
        if (settings != NULL) request = sot_json_root(settings);
        status = attach(&payload, settings == NULL ? NULL : &request, certificate,
                        out_text, out_hash, error);
    }
    sot_json_free(settings);
    sot_json_free(document);
    return status;
}
