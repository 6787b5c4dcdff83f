/* The directory of teachers: a description with the key of the shards, and a file for each teacher. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <sodium.h>

#include "base/copy.h"
#include "base/error.h"
#include "base/file/file.h"
#include "base/json/canonical.h"
#include "base/memory.h"
#include "base/text.h"
#include "commands/pate/pate.h"
#include "commands/session/request.h"
#include "random/rng.h"

enum { VERSION = 2, KEY_HEX_BYTES = 2 * SOT_SHARD_KEY_BYTES + 1 };

static const char *const secret =
    "SECRET. These teachers were trained WITHOUT NOISE on private rows and reveal them. "
    "Keep this directory as you keep the rows; never publish any file in it. Publish "
    "only the output of sotto pate label.";

/* ---- names ---- */

bool sot_pate_path(const sot_pate_directory *directory, const char *name,
                   char out[SOT_PATE_PATH_BYTES])
{
    const int written =
        snprintf(out, SOT_PATE_PATH_BYTES, "%s/%s", directory->path, name);
    return written > 0 && written < SOT_PATE_PATH_BYTES;
}

sotto_status sot_pate_fail_long(const sot_pate_directory *directory, sotto_error *error)
{
    return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                    "the directory's name %.80s... is too long; give a shorter one",
                    directory->path);
}

/* ---- JSON ---- */

sotto_status sot_pate_write_schema(const char *schema_json, sot_json_writer *writer,
                                   sotto_error *error)
{
    sot_json *document = NULL;
    const sotto_status status = sot_json_parse("schema", schema_json, strlen(schema_json),
                                               strlen(schema_json), &document, error);
    if (status != SOTTO_OK) return status;
    const sot_json_value root = sot_json_root(document);
    sot_json_key(writer, "schema");
    sot_json_copy(writer, &root, false, NULL);
    sot_json_free(document);
    return SOTTO_OK;
}

sotto_status sot_pate_read_schema(const char *name, const sot_json_value *root,
                                  sotto_schema **out_schema, sotto_error *error)
{
    sot_json_value member;
    sot_json_writer *writer = NULL;
    char *text = NULL;
    sotto_status status = sot_json_get_object(root, "schema", &member, error);
    if (status == SOTTO_OK) status = sot_json_writer_new(false, &writer, error);
    if (status != SOTTO_OK) return status;
    sot_json_copy(writer, &member, false, NULL);
    status = sot_json_writer_take(writer, SOTTO_OK, &text, error);
    if (status == SOTTO_OK)
        status = sotto_schema_parse(name, text, strlen(text), out_schema, error);
    sot_free(text);
    return status;
}

static sotto_status describe(const sot_pate_directory *directory, char **out_json,
                             sotto_error *error)
{
    char key[KEY_HEX_BYTES];
    sot_json_writer *writer = NULL;
    sotto_status status = sot_json_writer_new(true, &writer, error);
    if (status != SOTTO_OK) return status;
    sot_json_begin_object(writer);
    sot_json_put_text(writer, "kind", "teachers");
    sot_json_put_int64(writer, "version", VERSION);
    sot_json_put_text(writer, "about", secret);
    sot_json_put_whole(writer, "teachers", directory->sharding.count);
    sot_json_put_text(
        writer, "sharding",
        sotto_pate_sharding_name((sotto_pate_sharding)directory->sharding.rule));
    sot_json_put_text(writer, "adjacency", sotto_adjacency_name(directory->adjacency));
    sot_json_put_text(writer, "rows", sot_origin_name(directory->origin));
    (void)sodium_bin2hex(key, sizeof key, directory->sharding.key,
                         sizeof directory->sharding.key);
    sot_json_put_text(writer, "key", key);
    sot_wipe(key, sizeof key);
    if (directory->ledger != NULL) sot_json_put_text(writer, "ledger", directory->ledger);
    sot_json_put_text(writer, "settings", directory->settings);
    status = sot_pate_write_schema(directory->schema_json, writer, error);
    sot_json_end_object(writer);
    return sot_json_writer_take(writer, status, out_json, error);
}

static sotto_status read_words(const sot_json_value *root, sot_pate_directory *directory,
                               sotto_error *error)
{
    const char *word = NULL;
    sotto_pate_sharding sharding = SOTTO_PATE_BY_RULE;
    sot_json_value ledger, rows;
    sotto_status status = sot_json_get_string(root, "sharding", &word, error);
    if (status == SOTTO_OK)
        status = sotto_pate_sharding_from_name(word, &sharding, error);
    if (status == SOTTO_OK) status = sot_json_get_string(root, "adjacency", &word, error);
    if (status == SOTTO_OK)
        status = sotto_adjacency_from_name(word, &directory->adjacency, error);
    if (status == SOTTO_OK && sot_json_member(root, "rows", &rows))
        status = sot_request_read_origin(root, &directory->origin, error);
    if (status == SOTTO_OK) status = sot_json_get_string(root, "settings", &word, error);
    if (status == SOTTO_OK) status = sot_copy_text(word, &directory->settings, error);
    if (status == SOTTO_OK && sot_json_member(root, "ledger", &ledger)) {
        status = sot_json_as_string(&ledger, &word, error);
        if (status == SOTTO_OK) status = sot_copy_text(word, &directory->ledger, error);
    }
    if (status != SOTTO_OK) return status;
    directory->sharding.rule = (sot_shard_rule)sharding;
    directory->touched =
        sot_sharding_touched(directory->sharding.rule, directory->adjacency);
    if (directory->touched == 0) {
        return sot_fail(error, SOTTO_PARSE,
                        "the teachers' shards are by %s, which gives no guarantee for %s "
                        "neighbours; run sotto pate teach again into a new directory",
                        sotto_pate_sharding_name(sharding),
                        sotto_adjacency_name(directory->adjacency));
    }
    return SOTTO_OK;
}

static sotto_status read_key(const sot_json_value *root, sot_pate_directory *directory,
                             sotto_error *error)
{
    const char *hex = NULL;
    size_t size = 0;
    sotto_status status = sot_json_get_string(root, "key", &hex, error);
    if (status != SOTTO_OK) return status;
    if (sodium_hex2bin(directory->sharding.key, sizeof directory->sharding.key, hex,
                       strlen(hex), NULL, &size, NULL) != 0 ||
        size != sizeof directory->sharding.key)
        return sot_fail(error, SOTTO_PARSE, "the key of the shards is not one");
    return SOTTO_OK;
}

static sotto_status read_description(const sot_json_value *root,
                                     sot_pate_directory *directory, sotto_error *error)
{
    const char *kind = NULL;
    int64_t version = 0, teachers = 0;
    sotto_status status = sot_json_get_string(root, "kind", &kind, error);
    if (status == SOTTO_OK) status = sot_json_get_int64(root, "version", &version, error);
    if (status == SOTTO_OK && (strcmp(kind, "teachers") != 0 || version != VERSION))
        status =
            sot_fail(error, SOTTO_PARSE,
                     "%.120s/teachers.json is not a description of teachers that this "
                     "sotto reads; run sotto pate teach again into a new directory",
                     directory->path);
    if (status == SOTTO_OK)
        status = sot_json_get_int64(root, "teachers", &teachers, error);
    if (status == SOTTO_OK && (teachers < 2 || teachers > SOT_PATE_TEACHERS_MAX))
        status = sot_fail(error, SOTTO_PARSE, "there are 2 to %d teachers",
                          SOT_PATE_TEACHERS_MAX);
    if (status != SOTTO_OK) return status;
    directory->sharding.count = (size_t)teachers;
    status = read_words(root, directory, error);
    if (status == SOTTO_OK) status = read_key(root, directory, error);
    if (status == SOTTO_OK)
        status =
            sot_pate_read_schema("the teachers' schema", root, &directory->schema, error);
    if (status == SOTTO_OK)
        status =
            sotto_schema_to_json(directory->schema, NULL, &directory->schema_json, error);
    return status;
}

/* ---- opening ---- */

static sotto_status read_directory(const char *path, sot_pate_directory *out_directory,
                                   sotto_error *error)
{
    char name[SOT_PATE_PATH_BYTES];
    char *text = NULL;
    size_t size_bytes = 0;
    sot_json *document = NULL;
    *out_directory = (sot_pate_directory){.path = path};
    if (!sot_pate_path(out_directory, "teachers.json", name))
        return sot_pate_fail_long(out_directory, error);
    sotto_status status =
        sot_file_read(name, SOT_PATE_FILE_BYTES_MAX, &text, &size_bytes, error);
    if (status == SOTTO_OK)
        status = sot_json_parse(name, text, size_bytes, SOT_PATE_FILE_BYTES_MAX,
                                &document, error);
    if (status == SOTTO_OK) {
        const sot_json_value root = sot_json_root(document);
        status = read_description(&root, out_directory, error);
    }
    sot_json_free(document);
    if (text != NULL) sot_wipe_and_free(text, size_bytes); /* the key */
    if (status != SOTTO_OK) sot_pate_directory_close(out_directory);
    return status;
}

/* Under the shared lock no teaching runs: a partial file is one that a killed teaching left. */
sotto_status sot_pate_directory_open(const char *path, sot_pate_directory *out_directory,
                                     sotto_error *error)
{
    sot_pate_directory held = {.path = path};
    sotto_status status = sot_pate_directory_lock(&held, false, error);
    if (status == SOTTO_OK) status = sot_pate_directory_sweep(&held, error);
    if (status == SOTTO_OK) status = read_directory(path, out_directory, error);
    if (status != SOTTO_OK) {
        sot_pate_directory_unlock(&held);
        return status;
    }
    out_directory->lock = held.lock;
    out_directory->is_locked = true;
    return SOTTO_OK;
}

void sot_pate_directory_close(sot_pate_directory *directory)
{
    sot_pate_directory_unlock(directory);
    sot_wipe(directory->sharding.key, sizeof directory->sharding.key);
    sot_free(directory->settings);
    sot_free(directory->ledger);
    sotto_free(directory->schema_json);
    sotto_schema_free(directory->schema);
    *directory = (sot_pate_directory){.path = NULL};
}

/* ---- making ---- */

/* A run that resumes must teach the same in the same way: one ensemble is of one kind. */
static sotto_status take_over(sot_pate_directory *directory, sotto_error *error)
{
    sot_pate_directory found;
    sotto_status status = read_directory(directory->path, &found, error);
    if (status != SOTTO_OK) return status;
    const bool same = found.sharding.count == directory->sharding.count &&
                      found.sharding.rule == directory->sharding.rule &&
                      found.adjacency == directory->adjacency &&
                      found.origin == directory->origin &&
                      strcmp(found.settings, directory->settings) == 0 &&
                      strcmp(found.schema_json, directory->schema_json) == 0;
    if (same)
        memcpy(directory->sharding.key, found.sharding.key, sizeof found.sharding.key);
    else
        status = sot_fail(error, SOTTO_INVALID_ARGUMENT,
                          "%.120s has teachers of other settings; give those settings "
                          "to resume, or another directory",
                          directory->path);
    sot_pate_directory_close(&found);
    return status;
}

static sotto_status write_secret(const char *path, const char *text, sotto_error *error)
{
    return sot_file_write(path, text, strlen(text), 0600, error);
}

static sotto_status begin_new(sot_pate_directory *directory, const char *name,
                              sotto_rng *rng, sotto_error *error)
{
    char readme[SOT_PATE_PATH_BYTES];
    char *json = NULL;
    if (!sot_pate_path(directory, "SECRET.txt", readme))
        return sot_pate_fail_long(directory, error);
    sot_rng_bytes(rng, directory->sharding.key, sizeof directory->sharding.key);
    sotto_status status = sot_rng_check(rng, error);
    if (status == SOTTO_OK) status = write_secret(readme, secret, error);
    if (status == SOTTO_OK) status = describe(directory, &json, error);
    if (status == SOTTO_OK) status = write_secret(name, json, error);
    if (json != NULL) sot_wipe_and_free(json, strlen(json));
    return status;
}

static sotto_status make_or_check(const sot_pate_directory *directory, sotto_error *error)
{
    char why[80];
    struct stat facts;
    if (mkdir(directory->path, 0700) == 0) return SOTTO_OK;
    if (errno != EEXIST) {
        return sot_fail(error, SOTTO_IO, "the directory %.120s cannot be made: %s",
                        directory->path, sot_errno_text(errno, why, sizeof why));
    }
    if (stat(directory->path, &facts) != 0 || !S_ISDIR(facts.st_mode) ||
        (facts.st_mode & 077) != 0) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "%.120s is not a directory that only its owner can read; give a "
                        "new one, or run chmod 700 on it",
                        directory->path);
    }
    return SOTTO_OK;
}

/* The lock comes before the first look at teachers.json: two teachings that both found none would write two keys. */
sotto_status sot_pate_directory_make(sot_pate_directory *directory, sotto_rng *rng,
                                     sotto_error *error)
{
    char name[SOT_PATE_PATH_BYTES];
    struct stat facts;
    if (!sot_pate_path(directory, "teachers.json", name))
        return sot_pate_fail_long(directory, error);
    sotto_status status = make_or_check(directory, error);
    if (status == SOTTO_OK) status = sot_pate_directory_lock(directory, true, error);
    if (status == SOTTO_OK) status = sot_pate_directory_sweep(directory, error);
    if (status != SOTTO_OK) return status;
    if (stat(name, &facts) == 0) return take_over(directory, error);
    return begin_new(directory, name, rng, error);
}

/* ---- the rows ---- */

sotto_status
sot_pate_directory_check_rows(const sot_pate_directory *directory,
                              const unsigned char digest[SOT_SHARD_DIGEST_BYTES],
                              sotto_error *error)
{
    char name[SOT_PATE_PATH_BYTES], hex[2 * SOT_SHARD_DIGEST_BYTES + 1];
    char *kept = NULL;
    size_t size_bytes = 0;
    struct stat facts;
    if (!sot_pate_path(directory, "rows.digest", name))
        return sot_pate_fail_long(directory, error);
    (void)sodium_bin2hex(hex, sizeof hex, digest, SOT_SHARD_DIGEST_BYTES);
    if (stat(name, &facts) != 0) {
        const sotto_status status = write_secret(name, hex, error);
        sot_wipe(hex, sizeof hex);
        return status;
    }
    sotto_status status =
        sot_file_read(name, SOT_PATE_FILE_BYTES_MAX, &kept, &size_bytes, error);
    if (status == SOTTO_OK && strcmp(kept, hex) != 0)
        status = sot_fail(error, SOTTO_INVALID_ARGUMENT,
                          "the teachers in %.120s were trained on other rows; give those "
                          "rows to resume, or another directory",
                          directory->path);
    sot_wipe(hex, sizeof hex);
    if (kept != NULL) sot_wipe_and_free(kept, size_bytes);
    return status;
}
