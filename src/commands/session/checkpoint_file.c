#include "commands/session/checkpoint_file.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <sodium.h>

#include "base/error.h"
#include "base/json/json.h"
#include "base/json/writer.h"
#include "base/memory.h"
#include "base/text.h"

enum {
    FORMAT = 1,
    HASH_BYTES = 32,
    HASH_DIGITS = 2 * HASH_BYTES,
    TAIL_BYTES = HASH_DIGITS + 1,
    HEAD_BYTES_MAX = 1 << 20
};
static_assert(HASH_DIGITS + 1 == SOTTO_HASH_HEX_BYTES, "BLAKE2b-256");
static_assert(crypto_secretbox_KEYBYTES == HASH_BYTES, "a key is as long as a hash");

static const char first_bytes[] = "{\"sotto_checkpoint\":";
static const char *const kind_names[] = {"begun", "state", "output"};
enum { KINDS = sizeof kind_names / sizeof kind_names[0] };

void sot_kept_hash(const void *bytes, size_t size_bytes,
                   char out_hash[SOTTO_HASH_HEX_BYTES])
{
    unsigned char hash[HASH_BYTES];
    (void)crypto_generichash(hash, sizeof hash, bytes, size_bytes, NULL, 0);
    (void)sodium_bin2hex(out_hash, SOTTO_HASH_HEX_BYTES, hash, sizeof hash);
}

/* Every body has a key of its own, so that the nonce may be the same. */
static const unsigned char nonce[crypto_secretbox_NONCEBYTES];

static bool read_key(const char *seal_key, unsigned char out_key[HASH_BYTES])
{
    size_t length = 0;
    return sodium_hex2bin(out_key, HASH_BYTES, seal_key, strlen(seal_key), NULL, &length,
                          NULL) == 0 &&
           length == HASH_BYTES;
}

/* ---- writing ---- */

static void write_head(sot_json_writer *writer, const sot_kept_file *file, bool sealed,
                       size_t body_bytes)
{
    sot_json_begin_object(writer);
    sot_json_put_whole(writer, "sotto_checkpoint", FORMAT);
    sot_json_put_text(writer, "version", file->identity.version);
    sot_json_put_text(writer, "kind", kind_names[file->kind]);
    sot_json_put_text(writer, "run", file->run);
    sot_json_put_text(writer, "settings", file->identity.settings);
    sot_json_put_text(writer, "schema", file->identity.schema);
    sot_json_put_text(writer, "data", file->identity.data);
    if (file->identity.output[0] != '\0')
        sot_json_put_text(writer, "output", file->identity.output);
    sot_json_put_whole(writer, "step", file->step);
    sot_json_open_array(writer, "released");
    for (size_t i = 0; i < file->events; i++)
        sot_json_write_int64(writer, (int64_t)file->released[i]);
    sot_json_end_array(writer);
    sot_json_key(writer, "sampler_error");
    sot_json_write_hex(writer, file->sampler_error);
    sot_json_put_bool(writer, "sealed", sealed);
    sot_json_put_whole(writer, "body_bytes", body_bytes);
    sot_json_end_object(writer);
}

static void write_body(const sot_kept_file *file, const char *seal_key,
                       unsigned char *out)
{
    unsigned char key[HASH_BYTES];
    if (seal_key == NULL) {
        if (file->body_bytes > 0) memcpy(out, file->body, file->body_bytes);
        return;
    }
    const bool read = read_key(seal_key, key);
    assert(read);
    (void)read;
    (void)crypto_secretbox_easy(out, file->body, file->body_bytes, nonce, key);
    sot_wipe(key, sizeof key);
}

sotto_status sot_kept_write(const sot_kept_file *file, const char *seal_key,
                            char **out_bytes, size_t *out_size_bytes,
                            char out_hash[SOTTO_HASH_HEX_BYTES], sotto_error *error)
{
    sot_json_writer *writer = NULL;
    const char *head = NULL;
    size_t head_bytes = 0;
    const size_t body_bytes =
        file->body_bytes + (seal_key == NULL ? 0 : crypto_secretbox_MACBYTES);
    if (body_bytes > SOT_KEPT_BYTES_MAX - HEAD_BYTES_MAX - TAIL_BYTES) {
        return sot_fail(error, SOTTO_UNSUPPORTED,
                        "a state of %zu bytes is too large for a checkpoint", body_bytes);
    }
    sotto_status status = sot_json_writer_new(false, &writer, error);
    if (status != SOTTO_OK) return status;
    write_head(writer, file, seal_key != NULL, body_bytes);
    status = sot_json_writer_finish(writer, &head, &head_bytes, error);
    const size_t size = head_bytes + body_bytes + TAIL_BYTES;
    char *bytes = status == SOTTO_OK ? sot_new_array(size + 1, 1) : NULL;
    if (status == SOTTO_OK && bytes == NULL) status = sot_fail_memory(error, size + 1, 1);
    if (status == SOTTO_OK) {
        memcpy(bytes, head, head_bytes); /* with its newline */
        write_body(file, seal_key, (unsigned char *)bytes + head_bytes);
        sot_kept_hash(bytes, size - TAIL_BYTES, out_hash);
        memcpy(bytes + size - TAIL_BYTES, out_hash, HASH_DIGITS);
        bytes[size - 1] = '\n';
        *out_bytes = bytes;
        *out_size_bytes = size;
    }
    sot_json_writer_free(writer);
    return status;
}

/* ---- reading ---- */

static sotto_status read_hex(const sot_json_value *object, const char *key,
                             char out[SOTTO_HASH_HEX_BYTES], sotto_error *error)
{
    const char *text;
    const sotto_status status = sot_json_get_string(object, key, &text, error);
    if (status != SOTTO_OK) return status;
    if (strlen(text) != HASH_DIGITS || strspn(text, "0123456789abcdef") != HASH_DIGITS)
        return sot_fail(error, SOTTO_PARSE, "%s is no hash", key);
    memcpy(out, text, SOTTO_HASH_HEX_BYTES);
    return SOTTO_OK;
}

static sotto_status read_whole(const sot_json_value *value, const char *name,
                               uint64_t *out, sotto_error *error)
{
    int64_t number = 0;
    const sotto_status status = sot_json_as_int64(value, &number, error);
    if (status != SOTTO_OK) return status;
    if (number < 0) return sot_fail(error, SOTTO_PARSE, "%s is negative", name);
    *out = (uint64_t)number;
    return SOTTO_OK;
}

static sotto_status get_whole(const sot_json_value *object, const char *key,
                              uint64_t *out, sotto_error *error)
{
    sot_json_value member;
    if (!sot_json_member(object, key, &member))
        return sot_fail(error, SOTTO_PARSE, "%s is missing", key);
    return read_whole(&member, key, out, error);
}

static sotto_status read_released(const sot_json_value *object, sot_kept_file *out,
                                  sotto_error *error)
{
    sot_json_value list;
    sotto_status status = sot_json_get_array(object, "released", &list, error);
    if (status != SOTTO_OK) return status;
    const size_t events = sot_json_size(&list);
    out->released = sot_new_array(events + 1, sizeof *out->released);
    if (out->released == NULL) return sot_fail_memory(error, events + 1, 8);
    out->events = events;
    for (size_t i = 0; i < events && status == SOTTO_OK; i++) {
        const sot_json_value item = sot_json_item(&list, i);
        status = read_whole(&item, "released", &out->released[i], error);
    }
    return status;
}

static sotto_status read_identity(const sot_json_value *object, sot_kept_file *out,
                                  sotto_error *error)
{
    const char *version = "", *kind = "";
    uint64_t format = 0;
    bool known = false;
    sotto_status status = get_whole(object, "sotto_checkpoint", &format, error);
    if (status == SOTTO_OK && format != FORMAT)
        return sot_fail(error, SOTTO_PARSE, "its format is %llu, not %d",
                        (unsigned long long)format, FORMAT);
    if (status == SOTTO_OK)
        status = sot_json_get_string(object, "version", &version, error);
    if (status == SOTTO_OK) status = sot_json_get_string(object, "kind", &kind, error);
    if (status != SOTTO_OK) return status;
    for (int i = 0; i < KINDS; i++) {
        if (strcmp(kind, kind_names[i]) != 0) continue;
        out->kind = (sot_kept_kind)i;
        known = true;
    }
    if (!known || strlen(version) >= SOT_KEPT_VERSION_BYTES)
        return sot_fail(error, SOTTO_PARSE, "its kind or version is none");
    memcpy(out->identity.version, version, strlen(version) + 1);
    status = read_hex(object, "settings", out->identity.settings, error);
    if (status == SOTTO_OK)
        status = read_hex(object, "schema", out->identity.schema, error);
    if (status == SOTTO_OK) status = read_hex(object, "data", out->identity.data, error);
    if (status == SOTTO_OK) status = read_hex(object, "run", out->run, error);
    /* Files of earlier versions lack it: their version is refused by its name. */
    sot_json_value output;
    if (status == SOTTO_OK && sot_json_member(object, "output", &output))
        status = read_hex(object, "output", out->identity.output, error);
    return status;
}

static sotto_status read_head(const sot_json_value *object, sot_kept_file *out,
                              sotto_error *error)
{
    static const char *const keys[] = {
        "sotto_checkpoint", "version", "kind",       "run",  "settings",
        "schema",           "data",    "output",     "step", "released",
        "sampler_error",    "sealed",  "body_bytes", NULL};
    const char *sampler_error = "";
    uint64_t body_bytes = 0;
    sotto_status status = sot_json_as_object(object, error);
    if (status == SOTTO_OK) status = sot_json_only_keys(object, keys, error);
    if (status == SOTTO_OK) status = read_identity(object, out, error);
    if (status == SOTTO_OK) status = get_whole(object, "step", &out->step, error);
    if (status == SOTTO_OK) status = read_released(object, out, error);
    if (status == SOTTO_OK)
        status = sot_json_get_string(object, "sampler_error", &sampler_error, error);
    if (status == SOTTO_OK &&
        (sot_parse_hex(sampler_error, strlen(sampler_error), &out->sampler_error) !=
             SOT_NUMBER_OK ||
         !(out->sampler_error >= 0.0 && isfinite(out->sampler_error))))
        status = sot_fail(error, SOTTO_PARSE, "sampler_error is no such number");
    if (status == SOTTO_OK)
        status = sot_json_get_bool(object, "sealed", &out->sealed, error);
    if (status == SOTTO_OK) status = get_whole(object, "body_bytes", &body_bytes, error);
    if (status == SOTTO_OK && (uint64_t)out->body_bytes != body_bytes)
        status = sot_fail(error, SOTTO_PARSE, "its length is not the one that it states");
    return status;
}

bool sot_kept_is_cut_short(const char *bytes, size_t size_bytes)
{
    const size_t begun = sizeof first_bytes - 1;
    return memcmp(bytes, first_bytes, size_bytes < begun ? size_bytes : begun) == 0;
}

sotto_status sot_kept_parse(const char *bytes, size_t size_bytes, sot_kept_file *out_file,
                            char out_hash[SOTTO_HASH_HEX_BYTES], sotto_error *error)
{
    sot_json *document = NULL;
    const char *newline =
        memchr(bytes, '\n', size_bytes < HEAD_BYTES_MAX ? size_bytes : HEAD_BYTES_MAX);
    *out_file = (sot_kept_file){.kind = SOT_KEPT_BEGUN};
    if (newline == NULL || size_bytes - (size_t)(newline + 1 - bytes) < TAIL_BYTES ||
        !sot_kept_is_cut_short(bytes, size_bytes))
        return sot_fail(error, SOTTO_PARSE, "it is not a checkpoint");
    const char *tail = bytes + size_bytes - TAIL_BYTES;
    sot_kept_hash(bytes, size_bytes - TAIL_BYTES, out_hash);
    if (memcmp(tail, out_hash, HASH_DIGITS) != 0 || tail[HASH_DIGITS] != '\n')
        return sot_fail(error, SOTTO_PARSE,
                        "it is damaged: its content has another hash");
    out_file->body = (const unsigned char *)newline + 1;
    out_file->body_bytes = (size_t)(tail - newline) - 1;
    sotto_status status = sot_json_parse(NULL, bytes, (size_t)(newline - bytes),
                                         HEAD_BYTES_MAX, &document, error);
    if (status == SOTTO_OK) {
        const sot_json_value root = sot_json_root(document);
        status = read_head(&root, out_file, error);
    }
    sot_json_free(document);
    if (status != SOTTO_OK) {
        sot_free(out_file->released);
        out_file->released = NULL;
    }
    return status;
}

sotto_status sot_kept_unseal(const sot_kept_file *file, const char *seal_key,
                             unsigned char **out_body, size_t *out_size_bytes,
                             sotto_error *error)
{
    unsigned char key[HASH_BYTES];
    const size_t extra = file->sealed ? crypto_secretbox_MACBYTES : 0;
    if (file->body_bytes < extra || (file->sealed && !read_key(seal_key, key)))
        return sot_fail(error, SOTTO_VERIFICATION, "the seal of the state has no key");
    const size_t size = file->body_bytes - extra;
    unsigned char *body = sot_new_array(size + 1, 1);
    if (body == NULL) return sot_fail_memory(error, size + 1, 1);
    int failed = 0;
    if (file->sealed) {
        failed =
            crypto_secretbox_open_easy(body, file->body, file->body_bytes, nonce, key);
        sot_wipe(key, sizeof key);
    } else if (size > 0) {
        memcpy(body, file->body, size);
    }
    if (failed != 0) {
        sot_free(body);
        return sot_fail(error, SOTTO_VERIFICATION,
                        "the ledger's key does not open the state");
    }
    *out_body = body;
    *out_size_bytes = size;
    return SOTTO_OK;
}
