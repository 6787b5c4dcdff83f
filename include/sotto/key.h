/* sotto/key.h: Ed25519 keys that sign budgets, grants and released files.
 *
 * Idea        A hash shows that a file is complete; a signature shows who made it. The curator of
 *             a data set keeps a secret key. Anyone with the public key can check the curator's
 *             signatures.
 * Theorem     Bernstein, Duif, Lange, Schwabe & Yang, CHES 2011: Ed25519 signatures cannot be forged without
 *             the secret key (existential unforgeability under chosen messages). Code: libsodium.
 * Assumes     (1) Only the owner can read the secret key's file: sotto enforces mode 0600 or
 *             less, the operating system does the rest. (2) The public key reached the verifier
 *             by a trusted way.
 * Purposes    The signed bytes include the purpose of the signature. So a signature on a released
 *             file is never a signature on a grant.
 */
#ifndef SOTTO_KEY_H
#define SOTTO_KEY_H

#include <stddef.h>

#include <sotto/error.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    SOTTO_KEY_HEX_BYTES =
        65, /* a public key as lower-case hexadecimal, with the final NUL */
    SOTTO_SIGNATURE_HEX_BYTES = 129 /* a signature, likewise */
};

/* Values are part of the ABI: written out and never renumbered. */
typedef enum sotto_purpose {
    SOTTO_PURPOSE_UNSET = 0,
    SOTTO_PURPOSE_CERTIFICATE = 1, /* the hash of a released file */
    SOTTO_PURPOSE_BUDGET = 2       /* a ledger's first row, or a grant */
} sotto_purpose;

/* A secret key in memory; sotto_key_close() wipes it. */
typedef struct sotto_key sotto_key;

/* Makes a key pair from the operating system's randomness and writes both files, `secret_path` with mode 0600.
 * Refuses to replace an existing file. After a failure neither file exists. A secret key whose public file is missing, as
 * a kill between the two leaves it, gets its public file. */
SOTTO_API SOTTO_MUST_CHECK sotto_status
sotto_key_new(const char *secret_path, const char *public_path,
              char out_public[SOTTO_KEY_HEX_BYTES], sotto_error *error);

/* Reads a secret key. Refuses a file that others may read or write. */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_key_open(const char *secret_path,
                                                       sotto_key **out_key,
                                                       sotto_error *error);
/* Wipes and frees a key; NULL is fine. */
SOTTO_API void sotto_key_close(sotto_key *key);

/* Returns the public half, as hexadecimal; it lives as long as the key. */
SOTTO_API const char *sotto_key_public(const sotto_key *key);

/* Reads a public key: the path of its file, or "ed25519:" and 64 hexadecimal digits. */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_key_read_public(
    const char *text, char out_public[SOTTO_KEY_HEX_BYTES], sotto_error *error);

/* Signs `size_bytes` bytes for one purpose. */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_key_sign(
    const sotto_key *key, sotto_purpose purpose, const void *bytes, size_t size_bytes,
    char out_signature[SOTTO_SIGNATURE_HEX_BYTES], sotto_error *error);

/* Checks a signature; SOTTO_VERIFICATION unless the owner of `public_key` (hexadecimal) signed these bytes for
 * this purpose. */
SOTTO_API SOTTO_MUST_CHECK sotto_status
sotto_key_verify(const char *public_key, sotto_purpose purpose, const void *bytes,
                 size_t size_bytes, const char *signature, sotto_error *error);

#ifdef __cplusplus
}
#endif
#endif
