/* Reading a certificate: bounded, strict about types, indifferent to whether it is true. */
#include <math.h>
#include <string.h>

#include <sotto/key.h>

#include "artifact/certificate/parts.h"
#include "base/error.h"
#include "base/json/canonical.h"
#include "base/memory.h"

static const size_t size_max_bytes = SOTTO_CERTIFIED_BYTES_MAX;

/* No number of a certificate is negative, and all are finite: JSON has no others. */
static sotto_status read_required(const sot_json_value *object, const char *key,
                                  double *out_number, sotto_error *error)
{
    const sotto_status status = sot_json_get_double(object, key, out_number, error);
    if (status != SOTTO_OK || !signbit(*out_number)) return status; /* -0.0 neither */
    sot_json_value member;
    if (!sot_json_member(object, key, &member)) return SOTTO_INTERNAL;
    return sot_json_refuse(&member, "it is never below 0", error);
}

/* A number, or null for none. */
sotto_status sot_certificate_read_number(const sot_json_value *object, const char *key,
                                         double *out_number, sotto_error *error)
{
    sot_json_value member;
    if (sot_json_member(object, key, &member) &&
        sot_json_kind_of(&member) == SOT_JSON_NULL) {
        *out_number = SOTTO_UNSET;
        return SOTTO_OK;
    }
    return read_required(object, key, out_number, error);
}

sotto_status sot_certificate_read_whole(const sot_json_value *object, const char *key,
                                        uint64_t *out_number, sotto_error *error)
{
    int64_t number;
    const sotto_status status = sot_json_get_int64(object, key, &number, error);
    if (status != SOTTO_OK) return status;
    if (number < 0) {
        sot_json_value member;
        if (!sot_json_member(object, key, &member)) return SOTTO_INTERNAL;
        return sot_json_refuse(&member, "it is a count", error);
    }
    *out_number = (uint64_t)number;
    return SOTTO_OK;
}

/* A text that fits a field of `size_bytes`. */
sotto_status sot_certificate_read_field(const sot_json_value *object, const char *key,
                                        char *out, size_t size_bytes, sotto_error *error)
{
    const char *text;
    const sotto_status status = sot_json_get_string(object, key, &text, error);
    if (status != SOTTO_OK) return status;
    if (strlen(text) >= size_bytes) {
        sot_json_value member;
        if (!sot_json_member(object, key, &member)) return SOTTO_INTERNAL;
        return sot_json_refuse(&member, "it is too long", error);
    }
    memcpy(out, text, strlen(text) + 1);
    return SOTTO_OK;
}

sotto_status sot_certificate_read_adjacency(const sot_json_value *object,
                                            sotto_adjacency *out, sotto_error *error)
{
    const char *name;
    const sotto_status status = sot_json_get_string(object, "adjacency", &name, error);
    if (status != SOTTO_OK) return status;
    return sotto_adjacency_from_name(name, out, error);
}

static sotto_status read_list(const sot_json_value *object, const char *key,
                              const char **out_list, sotto_error *error)
{
    sot_json_value list;
    sotto_status status = sot_json_get_array(object, key, &list, error);
    if (status != SOTTO_OK) return status;
    if (sot_json_size(&list) > SOT_LIST_MAX) {
        return sot_json_refuse(&list, "it has too many entries", error);
    }
    for (size_t i = 0; i < sot_json_size(&list) && status == SOTTO_OK; i++) {
        const sot_json_value item = sot_json_item(&list, i);
        status = sot_json_as_string(&item, &out_list[i], error);
    }
    return status;
}

static sotto_status read_rows(const sot_json_value *object, const char *key, size_t most,
                              sot_guarantee *out_rows, size_t *out_count,
                              sotto_error *error)
{
    sot_json_value rows;
    sotto_status status = sot_json_get_array(object, key, &rows, error);
    if (status != SOTTO_OK) return status;
    *out_count = sot_json_size(&rows);
    if (*out_count > most) return sot_json_refuse(&rows, "it has too many rows", error);
    for (size_t i = 0; i < *out_count && status == SOTTO_OK; i++) {
        const sot_json_value row = sot_json_item(&rows, i);
        status = sot_json_as_object(&row, error);
        if (status == SOTTO_OK)
            status = read_required(&row, "delta", &out_rows[i].delta, error);
        if (status == SOTTO_OK)
            status =
                sot_certificate_read_number(&row, "epsilon", &out_rows[i].epsilon, error);
        if (status == SOTTO_OK)
            status = sot_certificate_read_number(&row, "epsilon_lower",
                                                 &out_rows[i].epsilon_lower, error);
    }
    return status;
}

static sotto_status read_attacks(const sot_json_value *object, sot_claims *claims,
                                 sotto_error *error)
{
    sot_json_value rows;
    sotto_status status = sot_json_get_array(object, "attack", &rows, error);
    if (status != SOTTO_OK) return status;
    if (sot_json_size(&rows) != SOT_ATTACKS_SIZE) {
        return sot_json_refuse(&rows, "it has another number of rows", error);
    }
    for (size_t i = 0; i < SOT_ATTACKS_SIZE && status == SOTTO_OK; i++) {
        const sot_json_value row = sot_json_item(&rows, i);
        status = sot_json_as_object(&row, error);
        if (status == SOTTO_OK)
            status = read_required(&row, "true_positive_rate",
                                   &claims->true_positive_rates[i], error);
    }
    return status;
}

static sotto_status read_kernel(const sot_json_value *object, sotto_kernel *out_kernel,
                                sotto_error *error)
{
    sot_json_value accountant;
    const char *name;
    sotto_status status = sot_json_get_object(object, "accountant", &accountant, error);
    if (status == SOTTO_OK)
        status = sot_json_get_string(&accountant, "kernel", &name, error);
    if (status != SOTTO_OK) return status;
    for (int kernel = SOTTO_KERNEL_CLOSED_FORM; kernel <= SOTTO_KERNEL_PLD; kernel++) {
        if (strcmp(name, sotto_kernel_name((sotto_kernel)kernel)) != 0) continue;
        *out_kernel = (sotto_kernel)kernel;
        return SOTTO_OK;
    }
    sot_json_value member;
    if (!sot_json_member(&accountant, "kernel", &member)) return SOTTO_INTERNAL;
    return sot_json_refuse(&member, "there is no such kernel", error);
}

static sotto_status read_claims(const sot_json_value *object, sot_claims *claims,
                                sotto_error *error)
{
    size_t profile_count = 0;
    sotto_status status = read_required(object, "epsilon", &claims->epsilon, error);
    if (status == SOTTO_OK)
        status = read_required(object, "delta", &claims->delta, error);
    if (status == SOTTO_OK)
        status = read_rows(object, "guarantees", SOT_GUARANTEES_MAX, claims->guarantees,
                           &claims->guarantee_count, error);
    if (status == SOTTO_OK)
        status = read_rows(object, "profile", SOT_PROFILE_SIZE, claims->profile,
                           &profile_count, error);
    if (status == SOTTO_OK && profile_count != SOT_PROFILE_SIZE) {
        status = sot_fail(error, SOTTO_PARSE, "profile has another number of rows");
    }
    if (status == SOTTO_OK)
        status = sot_certificate_read_number(object, "mu", &claims->mu, error);
    if (status == SOTTO_OK)
        status = sot_certificate_read_number(object, "rho", &claims->rho, error);
    if (status == SOTTO_OK) status = read_attacks(object, claims, error);
    if (status == SOTTO_OK) status = read_kernel(object, &claims->kernel, error);
    return status;
}

sotto_status sot_certificate_read_plan(const sot_json_value *plan, sotto_plan **out_plan,
                                       sotto_error *error)
{
    sot_json_writer *writer;
    const char *text;
    size_t size_bytes;
    sotto_status status = sot_json_writer_new(false, &writer, error);
    if (status != SOTTO_OK) return status;
    sot_json_copy(writer, plan, true, NULL);
    status = sot_json_writer_finish(writer, &text, &size_bytes, error);
    sotto_error cause;
    if (status == SOTTO_OK) {
        status = sotto_plan_parse(text, size_bytes, out_plan, &cause);
        if (status != SOTTO_OK)
            status = sot_fail(error, status, "plan: %.230s", cause.message);
    }
    sot_json_writer_free(writer);
    return status;
}

static sotto_status read_released(const sot_json_value *object,
                                  sot_certificate_file *file, sotto_error *error)
{
    sot_json_value released;
    const size_t events = sotto_plan_size(file->plan);
    sotto_status status = sot_json_get_array(object, "released", &released, error);
    if (status != SOTTO_OK) return status;
    if (sot_json_size(&released) != events) {
        return sot_json_refuse(&released, "it needs one count for each event", error);
    }
    file->released = sot_new_array(events, sizeof *file->released);
    if (file->released == NULL)
        return sot_fail_memory(error, events, sizeof *file->released);
    for (size_t i = 0; i < events && status == SOTTO_OK; i++) {
        const sot_json_value item = sot_json_item(&released, i);
        int64_t count = 0;
        status = sot_json_as_int64(&item, &count, error);
        if (status == SOTTO_OK && count < 0)
            status = sot_json_refuse(&item, "it is a count", error);
        file->released[i] = (uint64_t)count;
    }
    return status;
}

/* "caps", or absent: exactly. */
static sotto_status read_counts(const sot_json_value *object,
                                sot_certificate *certificate, sotto_error *error)
{
    sot_json_value member;
    const char *word = NULL;
    if (!sot_json_member(object, "counts", &member)) return SOTTO_OK;
    const sotto_status status = sot_json_as_string(&member, &word, error);
    if (status != SOTTO_OK) return status;
    if (strcmp(word, "caps") != 0)
        return sot_json_refuse(&member, "it is \"caps\", or absent", error);
    certificate->is_capped = true;
    return SOTTO_OK;
}

static sotto_status read_run(const sot_json_value *object, sot_certificate_file *file,
                             sotto_error *error)
{
    sot_certificate *certificate = &file->certificate;
    sot_json_value plan;
    sotto_status status = sot_json_get_object(object, "plan", &plan, error);
    if (status == SOTTO_OK) status = sot_certificate_read_plan(&plan, &file->plan, error);
    if (status == SOTTO_OK) status = read_released(object, file, error);
    if (status == SOTTO_OK) status = read_counts(object, certificate, error);
    if (status == SOTTO_OK) status = sot_certificate_read_selection(file, error);
    if (status == SOTTO_OK)
        status = sot_json_get_bool(object, "private", &certificate->is_secure, error);
    if (status == SOTTO_OK)
        status =
            read_required(object, "sampler_error", &certificate->sampler_error, error);
    certificate->plan = file->plan;
    certificate->released = file->released;
    return status;
}

static sotto_status read_software(const sot_json_value *object, sot_software *software,
                                  sotto_error *error)
{
    sot_json_value member;
    sotto_status status = sot_json_get_object(object, "software", &member, error);
    if (status == SOTTO_OK)
        status = sot_certificate_read_field(&member, "version", software->version,
                                            sizeof software->version, error);
    if (status == SOTTO_OK)
        status = sot_certificate_read_field(&member, "build", software->build,
                                            sizeof software->build, error);
    if (status == SOTTO_OK)
        status = sot_certificate_read_field(&member, "arithmetic", software->arithmetic,
                                            sizeof software->arithmetic, error);
    return status;
}

static sotto_status read_facts(const sot_json_value *object, sot_certificate_file *file,
                               sotto_error *error)
{
    sotto_certificate_facts *facts = &file->certificate.facts;
    sot_json_value dataset, route, rows;
    sotto_status status = sot_json_get_string(object, "output", &facts->output, error);
    /* Compared with the rest of the certificate later: without it, it is not the same text. */
    if (status == SOTTO_OK && sot_json_member(object, "rows_public", &rows) &&
        sot_json_kind_of(&rows) == SOT_JSON_BOOLEAN) {
        bool is_public = true;
        status = sot_json_get_bool(object, "rows_public", &is_public, error);
        facts->selected = !is_public;
    }
    if (status == SOTTO_OK)
        status = sot_json_get_string(object, "unit", &facts->unit, error);
    if (status == SOTTO_OK && !(sot_json_member(object, "dataset", &dataset) &&
                                sot_json_kind_of(&dataset) == SOT_JSON_NULL))
        status = sot_json_get_string(object, "dataset", &facts->dataset, error);
    if (status == SOTTO_OK)
        status = sot_json_get_string(object, "tuning", &facts->tuning, error);
    if (status == SOTTO_OK && sot_json_member(object, "route", &route))
        status = sot_json_as_string(&route, &facts->route, error);
    if (status == SOTTO_OK) status = read_list(object, "covered", file->covered, error);
    if (status == SOTTO_OK)
        status = read_list(object, "unprotected", file->unprotected, error);
    facts->covered = file->covered;
    facts->unprotected = file->unprotected;
    return status;
}

/* A newer format may say things this reader would drop, so it is refused. */
static sotto_status read_version(const sot_json_value *object, int64_t *out_version,
                                 sotto_error *error)
{
    const char *format;
    int64_t version;
    sotto_status status = sot_json_get_string(object, "format", &format, error);
    if (status != SOTTO_OK) return status;
    if (strcmp(format, "sotto certificate") != 0) {
        return sot_fail(error, SOTTO_PARSE,
                        "certificate.format is not \"sotto certificate\"");
    }
    status = sot_json_get_int64(object, "version", &version, error);
    if (status != SOTTO_OK) return status;
    if (version > SOT_CERTIFICATE_VERSION) {
        return sot_fail(error, SOTTO_PARSE,
                        "certificate.version is %lld, newer than the %d that this sotto "
                        "reads; use a newer sotto",
                        (long long)version, SOT_CERTIFICATE_VERSION);
    }
    if (version < 1)
        return sot_fail(error, SOTTO_PARSE, "certificate.version is %lld; it is 1 or 2",
                        (long long)version);
    *out_version = version;
    return SOTTO_OK;
}

/* Version 1 has no request: one that stands in such a file was put there. */
static sotto_status read_request(sot_certificate_file *file, sotto_error *error)
{
    sot_json_value member;
    if (file->certificate.version >= 2)
        return sot_json_get_object(&file->root, "request", &file->request, error);
    if (!sot_json_member(&file->root, "request", &member)) return SOTTO_OK;
    return sot_fail(error, SOTTO_PARSE,
                    "certificate.version is 1, and files of version 1 have no member "
                    "\"request\"");
}

static sotto_status read_signature(sot_certificate_file *file, sotto_error *error)
{
    static const char prefix[] = "ed25519:";
    sot_json_value member;
    const char *key = NULL;
    if (!sot_json_member(&file->member, "signature", &member)) return SOTTO_OK;
    sotto_status status = sot_json_as_object(&member, error);
    if (status == SOTTO_OK) status = sot_json_get_string(&member, "key", &key, error);
    if (status == SOTTO_OK)
        status = sot_json_get_string(&member, "value", &file->signature, error);
    if (status != SOTTO_OK) return status;
    if (strncmp(key, prefix, sizeof prefix - 1) != 0 ||
        strlen(key) != sizeof prefix - 1 + SOTTO_KEY_HEX_BYTES - 1)
        return sot_json_refuse(&member, "its key is ed25519: and 64 hexadecimal digits",
                               error);
    file->signer = key + sizeof prefix - 1;
    return SOTTO_OK;
}

static sotto_status read_certificate(sot_certificate_file *file, sotto_error *error)
{
    const sot_json_value *object = &file->member;
    sot_certificate *certificate = &file->certificate;
    sotto_status status = read_version(object, &certificate->version, error);
    if (status == SOTTO_OK) status = read_request(file, error);
    if (status == SOTTO_OK) status = read_signature(file, error);
    if (status == SOTTO_OK) status = read_facts(object, file, error);
    if (status == SOTTO_OK) status = read_run(object, file, error);
    if (status == SOTTO_OK) status = read_claims(object, &certificate->claims, error);
    if (status == SOTTO_OK) status = sot_certificate_read_ledger(object, file, error);
    if (status == SOTTO_OK) status = read_software(object, &certificate->software, error);
    if (status == SOTTO_OK)
        status = sot_certificate_read_field(object, "statement", certificate->statement,
                                            sizeof certificate->statement, error);
    if (status == SOTTO_OK)
        status = sot_json_get_string(object, "hash", &file->hash, error);
    certificate->facts.delta = certificate->claims.delta;
    return status;
}

sotto_status sot_certificate_file_open(const char *text, size_t size_bytes,
                                       sot_certificate_file *out_file, sotto_error *error)
{
    sotto_error cause = {.status = SOTTO_OK};
    *out_file = (sot_certificate_file){.document = NULL};
    sotto_status status = sot_json_parse(NULL, text, size_bytes, size_max_bytes,
                                         &out_file->document, &cause);
    if (status == SOTTO_OK) {
        out_file->root = sot_json_root(out_file->document);
        if (!sot_json_member(&out_file->root, "certificate", &out_file->member)) {
            status = sot_fail(&cause, SOTTO_PARSE, "the file has no certificate in it");
        } else {
            status = sot_json_as_object(&out_file->member, &cause);
        }
    }
    if (status == SOTTO_OK) status = read_certificate(out_file, &cause);
    if (status == SOTTO_OK) {
        status = sot_certificate_check(&out_file->certificate, SOTTO_PARSE, &cause);
    }
    if (status == SOTTO_OK) return SOTTO_OK;
    sot_certificate_file_close(out_file);
    *out_file = (sot_certificate_file){.document = NULL};
    return sot_fail(error, status == SOTTO_OUT_OF_MEMORY ? status : SOTTO_VERIFICATION,
                    "%s", cause.message);
}

void sot_certificate_file_close(sot_certificate_file *file)
{
    sot_certificate_free_selection(file);
    sotto_plan_free(file->plan);
    sot_free(file->released);
    sot_json_free(file->document);
}
