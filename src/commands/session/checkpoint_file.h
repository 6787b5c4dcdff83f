/* commands/session/checkpoint_file.h: the content of a checkpoint file.
 *
 * Form: one line of JSON (public facts), `body_bytes` bytes (the learner's releases so far, or
 * the finished output), 64 hexadecimal digits and a newline. The digits are BLAKE2b-256 of all
 * bytes before them: the hash that a ledger records.
 *
 * Encryption: with a ledger the body is XSalsa20-Poly1305 (libsodium's secretbox) under its own
 * key, used once, which is in the ledger's row. It hides a state until it is recorded, and
 * nothing else: all of it is released.
 *
 * The file never holds a key of noise or of sampling, a record, or a sum before its noise.
 */
#ifndef SOT_COMMANDS_SESSION_CHECKPOINT_FILE_H
#define SOT_COMMANDS_SESSION_CHECKPOINT_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <sotto/ledger.h>

typedef enum sot_kept_kind {
    SOT_KEPT_BEGUN = 0, /* charged; nothing has been released */
    SOT_KEPT_STATE = 1, /* the learner's state after `step` */
    SOT_KEPT_OUTPUT = 2 /* the certified file, whole */
} sot_kept_kind;

enum { SOT_KEPT_VERSION_BYTES = 32 };
#define SOT_KEPT_BYTES_MAX ((size_t)1 << 30)

/* The run that may resume: hashes of settings, schema and data names, never of
 * records. */
typedef struct sot_kept_identity {
    char version[SOT_KEPT_VERSION_BYTES]; /* of sotto */
    char settings[SOTTO_HASH_HEX_BYTES];
    char schema[SOTTO_HASH_HEX_BYTES];
    char data[SOTTO_HASH_HEX_BYTES];   /* the names of its files, and the query */
    char output[SOTTO_HASH_HEX_BYTES]; /* the place of the output; "": files without it */
} sot_kept_identity;

typedef struct sot_kept_file {
    sot_kept_kind kind;
    sot_kept_identity identity;
    char run[SOTTO_HASH_HEX_BYTES]; /* random: no two runs begin with the same file */
    uint64_t step;
    uint64_t *released; /* of each event of the plan */
    size_t events;
    double sampler_error; /* of all that was released */
    bool sealed;
    const unsigned char *body; /* as it lies in the file, or before it is sealed */
    size_t body_bytes;
} sot_kept_file;

/* BLAKE2b-256 of bytes, in lower-case hexadecimal digits. */
void sot_kept_hash(const void *bytes, size_t size_bytes,
                   char out_hash[SOTTO_HASH_HEX_BYTES]);

/* The file's bytes; free with sot_free(). `seal_key` has 64 hexadecimal digits; NULL: the body stays open. */
SOTTO_MUST_CHECK sotto_status sot_kept_write(const sot_kept_file *file,
                                             const char *seal_key, char **out_bytes,
                                             size_t *out_size_bytes,
                                             char out_hash[SOTTO_HASH_HEX_BYTES],
                                             sotto_error *error);

/* Checks the hash, then everything else. SOTTO_PARSE. `out_file->body` points into `bytes`, and `released` is to
 * be freed with sot_free(). */
SOTTO_MUST_CHECK sotto_status sot_kept_parse(const char *bytes, size_t size_bytes,
                                             sot_kept_file *out_file,
                                             char out_hash[SOTTO_HASH_HEX_BYTES],
                                             sotto_error *error);

/* True if a file that does not parse may be a truncated checkpoint. */
bool sot_kept_is_cut_short(const char *bytes, size_t size_bytes);

/* A copy of the body, opened; a NUL follows that `out_size_bytes` does not count. Free with sot_free(). */
SOTTO_MUST_CHECK sotto_status sot_kept_unseal(const sot_kept_file *file,
                                              const char *seal_key,
                                              unsigned char **out_body,
                                              size_t *out_size_bytes, sotto_error *error);

#endif
