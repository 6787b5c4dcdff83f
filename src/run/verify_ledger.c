#include "run/verify_ledger.h"

#include <string.h>

#include <sotto/ledger.h>

#include "base/error.h"
#include "base/file.h"
#include "base/json.h"
#include "base/memory.h"

enum { EXPORT_BYTES_MAX = 1 << 30 };

/* The row that commits the file. */
typedef struct search {
    const char *hash;
    bool found;
    uint64_t reservation;
} search;

/* One exported line; its chain was checked, or will be. */
static sotto_status look_at(const char *line, size_t size_bytes, void *context,
                            sotto_error *error)
{
    search *self = context;
    sot_json *document = NULL;
    sot_json_value output;
    const char *hash = NULL;
    int64_t reservation = 0;
    sotto_status status =
        sot_json_parse("the ledger", line, size_bytes, size_bytes, &document, error);
    if (status != SOTTO_OK) return status;
    const sot_json_value root = sot_json_root(document);
    if (sot_json_kind_of(&root) == SOT_JSON_OBJECT &&
        sot_json_member(&root, "output", &output)) {
        status = sot_json_as_string(&output, &hash, error);
        if (status == SOTTO_OK)
            status = sot_json_get_int64(&root, "reservation", &reservation, error);
        if (status == SOTTO_OK && strcmp(hash, self->hash) == 0) {
            self->found = true;
            self->reservation = (uint64_t)reservation;
        }
    }
    sot_json_free(document);
    return status;
}

static sotto_status search_export(const char *path, search *wanted,
                                  sotto_ledger_balance *out_balance, sotto_error *error)
{
    char *text = NULL;
    size_t size_bytes = 0;
    sotto_status status =
        sot_file_read(path, EXPORT_BYTES_MAX, &text, &size_bytes, error);
    if (status == SOTTO_OK)
        status = sotto_ledger_check_export(text, size_bytes, NULL, out_balance, error);
    for (size_t at = 0; status == SOTTO_OK && at < size_bytes;) {
        const char *end = memchr(text + at, '\n', size_bytes - at);
        const size_t length =
            end == NULL ? size_bytes - at : (size_t)(end - (text + at)) + 1;
        if (length > 1) status = look_at(text + at, length, wanted, error);
        at += length;
    }
    sot_free(text);
    return status;
}

static sotto_status search_ledger(const char *path, search *wanted,
                                  sotto_ledger_balance *out_balance, sotto_error *error)
{
    sotto_ledger *ledger = NULL;
    sotto_status status = sotto_ledger_open(path, &ledger, error);
    if (status == SOTTO_OK) status = sotto_ledger_check(ledger, NULL, error);
    if (status == SOTTO_OK)
        status = sotto_ledger_read_balance(ledger, out_balance, error);
    if (status == SOTTO_OK) status = sotto_ledger_export(ledger, look_at, wanted, error);
    sotto_ledger_close(ledger);
    return status;
}

/* An export begins with a brace, a ledger with SQLite's name. */
static sotto_status is_export(const char *path, bool *out_is_export, sotto_error *error)
{
    char *text = NULL;
    size_t size_bytes = 0;
    const sotto_status status =
        sot_file_read(path, EXPORT_BYTES_MAX, &text, &size_bytes, error);
    *out_is_export = status == SOTTO_OK && size_bytes > 0 && text[0] == '{';
    sot_free(text);
    return status;
}

static const char *unit_name(const char *column)
{
    return column[0] == '\0' ? "a row" : column;
}

sotto_status sot_verify_ledger(const sot_certificate_file *file, const char *path,
                               sotto_error *error)
{
    const sotto_reservation *stated = file->certificate.facts.ledger;
    sotto_ledger_balance balance = {.entries = 0};
    search wanted = {.hash = file->hash};
    bool exported = false;
    if (path == NULL) return SOTTO_OK;
    if (stated == NULL)
        return sot_fail(
            error, SOTTO_VERIFICATION,
            "the certificate states no ledger, so --ledger %.120s did not pay "
            "for this file",
            path);
    sotto_status status = is_export(path, &exported, error);
    if (status == SOTTO_OK)
        status = exported ? search_export(path, &wanted, &balance, error)
                          : search_ledger(path, &wanted, &balance, error);
    if (status != SOTTO_OK) return status;
    if (strcmp(balance.dataset, stated->after.dataset) != 0)
        return sot_fail(
            error, SOTTO_VERIFICATION,
            "the ledger %.80s is of the data set '%.60s', the file of '%.60s'", path,
            balance.dataset, stated->after.dataset);
    if (balance.adjacency != stated->after.adjacency)
        return sot_fail(error, SOTTO_VERIFICATION,
                        "the ledger %.80s is for %s neighbours, the file for %s", path,
                        sotto_adjacency_name(balance.adjacency),
                        sotto_adjacency_name(stated->after.adjacency));
    if (strcmp(balance.unit, stated->after.unit) != 0)
        return sot_fail(error, SOTTO_VERIFICATION,
                        "the unit of the ledger %.80s is %.60s, that of the file's "
                        "ledger %.60s",
                        path, unit_name(balance.unit), unit_name(stated->after.unit));
    if (!wanted.found)
        return sot_fail(error, SOTTO_VERIFICATION,
                        "the ledger %.80s has not committed this file (hash %.64s)", path,
                        file->hash);
    if (wanted.reservation == stated->id) return SOTTO_OK;
    return sot_fail(error, SOTTO_VERIFICATION,
                    "the ledger %.80s committed this file for row %llu, not for the "
                    "stated %llu",
                    path, (unsigned long long)wanted.reservation,
                    (unsigned long long)stated->id);
}
