#include "commands/session/asked.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <sotto/certificate.h>
#include <sotto/version.h>

#include "base/error.h"
#include "base/file/file.h"
#include "base/file/steps.h"
#include "base/memory.h"
#include "commands/session/session.h"

/* ---- members ---- */

void sot_asked_number(sot_json_writer *writer, const char *key, double value)
{
    sot_json_key(writer, key);
    if (isnan(value)) {
        sot_json_write_null(writer);
    } else {
        sot_json_write_hex(writer, value);
    }
}

void sot_asked_count(sot_json_writer *writer, const char *key, uint64_t value)
{
    char text[24];
    (void)snprintf(text, sizeof text, "%llu", (unsigned long long)value);
    sot_json_put_text(writer, key, text);
}

void sot_asked_text(sot_json_writer *writer, const char *key, const char *text)
{
    char hash[SOTTO_HASH_HEX_BYTES];
    sot_json_key(writer, key);
    if (text == NULL) {
        sot_json_write_null(writer);
        return;
    }
    sot_kept_hash(text, strlen(text), hash);
    sot_json_write_string(writer, hash);
}

/* True if the error means that no file has the name: it may be a preset, or a text of
 * JSON. */
static bool is_absent(int code)
{
    return code == ENOENT || code == ENOTDIR || code == ENAMETOOLONG;
}

/* `path` with its directory resolved; NULL and errno on failure. */
static char *join_resolved(const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash == NULL ? path : slash + 1;
    char *directory = slash == NULL   ? strdup(".")
                      : slash == path ? strdup("/")
                                      : strndup(path, (size_t)(slash - path));
    char *resolved = directory == NULL ? NULL : realpath(directory, NULL);
    int code = errno;
    char *place = NULL;
    if (resolved != NULL) {
        const size_t size_bytes = strlen(resolved) + strlen(name) + 2;
        place = malloc(size_bytes);
        if (place != NULL) (void)snprintf(place, size_bytes, "%s/%s", resolved, name);
        code = ENOMEM; /* if there is no place */
    }
    free(directory);
    free(resolved);
    errno = code;
    return place;
}

/* The file that is there under its own name, or the name in the directory that is there; else the path as it is. A pipe has no
 * place of its own: /dev/stdin stays /dev/stdin. NULL and errno on failure: a guess would make the same run another one. */
static char *find_place(const char *path)
{
    struct stat facts;
    if (stat(path, &facts) == 0)
        return S_ISREG(facts.st_mode) || S_ISDIR(facts.st_mode) ? realpath(path, NULL)
                                                                : strdup(path);
    char *place = is_absent(errno) ? join_resolved(path) : NULL;
    return place == NULL && is_absent(errno) ? strdup(path) : place;
}

sotto_status sot_asked_path(sot_json_writer *writer, const char *key, const char *path,
                            sotto_error *error)
{
    char *place = path == NULL ? NULL : find_place(path);
    if (path != NULL && place == NULL)
        return errno == ENOMEM ? sot_fail_memory(error, 1, strlen(path))
                               : sot_file_fail(error, "look at", path, errno);
    sot_asked_text(writer, key, place);
    free(place);
    return SOTTO_OK;
}

sotto_status sot_asked_file(sot_json_writer *writer, const char *key, const char *path,
                            sotto_error *error)
{
    char hash[SOTTO_HASH_HEX_BYTES];
    char *bytes = NULL;
    size_t size_bytes = 0;
    struct stat facts;
    sotto_status status = sot_asked_path(writer, key, path, error);
    if (status != SOTTO_OK || path == NULL) return status;
    if (stat(path, &facts) != 0)
        return is_absent(errno) ? SOTTO_OK : sot_file_fail(error, "look at", path, errno);
    if (!S_ISREG(facts.st_mode)) return SOTTO_OK;
    status = sot_file_read(path, SOTTO_CERTIFIED_BYTES_MAX, &bytes, &size_bytes, error);
    if (status != SOTTO_OK) return status;
    sot_kept_hash(bytes, size_bytes, hash);
    sot_free(bytes);
    sot_json_put_text(writer, "content", hash);
    return SOTTO_OK;
}

sotto_status sot_asked_finish(sot_json_writer *writer, sotto_status status,
                              char out_hash[SOTTO_HASH_HEX_BYTES], sotto_error *error)
{
    const char *text = NULL;
    size_t size_bytes = 0;
    if (status == SOTTO_OK)
        status = sot_json_writer_finish(writer, &text, &size_bytes, error);
    if (status == SOTTO_OK) sot_kept_hash(text, size_bytes, out_hash);
    sot_json_writer_free(writer);
    return status;
}

/* ---- the whole ---- */

static sotto_status hash_names(const sot_session *session,
                               char out_hash[SOTTO_HASH_HEX_BYTES], sotto_error *error)
{
    sot_json_writer *writer = NULL;
    sotto_status status = sot_json_writer_new(false, &writer, error);
    if (status != SOTTO_OK) return status;
    sot_json_begin_object(writer);
    status = sot_asked_path(writer, "data", session->data_path, error);
    if (status == SOTTO_OK)
        status = sot_asked_path(writer, "labels", session->labels_path, error);
    sot_asked_text(writer, "query", session->query);
    /* Without them the hash is that of versions that did not have them. */
    if (session->table != NULL) sot_asked_text(writer, "table", session->table);
    if (session->format != NULL) sot_asked_text(writer, "format", session->format);
    if (session->where != NULL) sot_asked_text(writer, "where", session->where);
    if (session->origin == SOT_ROWS_STREAMED || sot_rows_are_declared(session->origin))
        sot_asked_text(writer, "rows", sot_origin_name(session->origin));
    sot_json_end_object(writer);
    return sot_asked_finish(writer, status, out_hash, error);
}

static sotto_status hash_output(const char *output, char out_hash[SOTTO_HASH_HEX_BYTES],
                                sotto_error *error)
{
    sot_json_writer *writer = NULL;
    sotto_status status = sot_json_writer_new(false, &writer, error);
    if (status != SOTTO_OK) return status;
    sot_json_begin_object(writer);
    status = sot_asked_path(writer, "output", output, error);
    sot_json_end_object(writer);
    return sot_asked_finish(writer, status, out_hash, error);
}

static sotto_status hash_schema(const sotto_schema *schema,
                                char out_hash[SOTTO_HASH_HEX_BYTES], sotto_error *error)
{
    char *json = NULL;
    out_hash[0] = '\0';
    if (schema == NULL) return SOTTO_OK;
    const sotto_status status = sotto_schema_to_json(schema, NULL, &json, error);
    if (status == SOTTO_OK) sot_kept_hash(json, strlen(json), out_hash);
    sotto_free(json);
    return status;
}

sotto_status sot_asked_identify(sot_session *session,
                                const char settings[SOTTO_HASH_HEX_BYTES],
                                sotto_error *error)
{
    sot_kept_identity *identity = &session->identity;
    sot_json_writer *writer = NULL;
    (void)snprintf(identity->version, sizeof identity->version, "%s", sotto_version());
    (void)snprintf(identity->settings, sizeof identity->settings, "%s", settings);
    sotto_status status = hash_schema(session->schema, identity->schema, error);
    if (status == SOTTO_OK) status = hash_names(session, identity->data, error);
    if (status == SOTTO_OK)
        status = hash_output(session->output, identity->output, error);
    if (status == SOTTO_OK) status = sot_json_writer_new(false, &writer, error);
    if (status != SOTTO_OK) return status;
    sot_json_begin_object(writer);
    sot_asked_text(writer, "label", session->label);
    sot_asked_text(writer, "settings", identity->settings);
    sot_asked_text(writer, "schema", identity->schema);
    sot_asked_text(writer, "data", identity->data);
    status = sot_asked_path(writer, "output", session->output, error);
    sot_json_end_object(writer);
    return sot_asked_finish(writer, status, session->asked, error);
}
