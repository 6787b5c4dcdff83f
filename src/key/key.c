/* Ed25519 keys in files of two lines: a title and "ed25519 HEX". */
#include <sotto/key.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <sodium.h>

#include "base/error.h"
#include "base/file/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "random/entropy.h"

enum {
    SECRET_MODE = 0600,
    PUBLIC_MODE = 0644,
    SEED_BYTES = crypto_sign_SEEDBYTES,
    PUBLIC_BYTES = crypto_sign_PUBLICKEYBYTES,
    SIGNATURE_BYTES = crypto_sign_BYTES,
    HEX_DIGITS = 64, /* of a seed, and of a public key */
    FILE_BYTES_MAX = 4096,
    SHOWN_BYTES = 100
};

static const char secret_title[] = "sotto secret key 1\n";
static const char public_title[] = "sotto public key 1\n";
static const char algorithm[] = "ed25519";

struct sotto_key {
    unsigned char secret[crypto_sign_SECRETKEYBYTES];
    char public_hex[SOTTO_KEY_HEX_BYTES];
};

/* ---- hexadecimal ---- */

/* Reads exactly `size_bytes` bytes of lower-case hexadecimal, and nothing behind them. */
static bool read_hex(const char *text, unsigned char *out, size_t size_bytes)
{
    if (strlen(text) != 2 * size_bytes) return false;
    for (const char *c = text; *c != '\0'; c++)
        if (!((*c >= '0' && *c <= '9') || (*c >= 'a' && *c <= 'f'))) return false;
    return sodium_hex2bin(out, size_bytes, text, 2 * size_bytes, NULL, NULL, NULL) == 0;
}

/* ---- files ---- */

/* Takes the 64 digits out of a key file's text, whose form is fixed to the last byte. */
static bool find_digits(const char *text, size_t size_bytes, const char *title,
                        char out_hex[SOTTO_KEY_HEX_BYTES])
{
    const size_t head = strlen(title), name = strlen(algorithm) + 1;
    if (size_bytes != head + name + HEX_DIGITS + 1 || memcmp(text, title, head) != 0 ||
        memcmp(text + head, algorithm, name - 1) != 0 || text[head + name - 1] != ' ' ||
        text[size_bytes - 1] != '\n')
        return false;
    memcpy(out_hex, text + head + name, HEX_DIGITS);
    out_hex[HEX_DIGITS] = '\0';
    return true;
}

static sotto_status refuse_existing(const char *path, sotto_error *error)
{
    char shown[SHOWN_BYTES];
    return sot_fail(error, SOTTO_IO,
                    "%s exists already; a key is never replaced: choose another name",
                    sot_printable(path, shown, sizeof shown));
}

/* A new file with the mode, complete and on the disk. An existing one is never replaced: a lost key cannot be made
 * again. */
static sotto_status create_file(const char *path, mode_t mode, const char *title,
                                const char *hex, sotto_error *error)
{
    char text[SOTTO_KEY_HEX_BYTES + 64];
    struct stat there;
    sot_file_writer *writer = NULL;
    if (lstat(path, &there) == 0) return refuse_existing(path, error);
    sotto_status status = sot_file_begin(path, mode, &writer, error);
    if (status != SOTTO_OK) return status;
    const int size = snprintf(text, sizeof text, "%s%s %s\n", title, algorithm, hex);
    status = sot_file_add(writer, text, (size_t)size, error);
    sodium_memzero(text, sizeof text);
    if (status == SOTTO_OK) {
        status = sot_file_finish(writer, true, error);
        if (status != SOTTO_OK && errno == EEXIST) status = refuse_existing(path, error);
    }
    sot_file_abandon(writer);
    return status;
}

/* Only the owner may read it: a key that others could copy proves nothing. */
static sotto_status check_mode(const char *path, sotto_error *error)
{
    struct stat facts;
    char shown[SHOWN_BYTES], cause[SHOWN_BYTES];
    sot_printable(path, shown, sizeof shown);
    if (stat(path, &facts) != 0) {
        return sot_fail(error, SOTTO_IO, "the secret key %s cannot be opened: %s", shown,
                        sot_errno_text(errno, cause, sizeof cause));
    }
    if (!S_ISREG(facts.st_mode))
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "the secret key %s is not a regular file", shown);
    if ((facts.st_mode & (S_IRWXG | S_IRWXO)) != 0 ||
        (facts.st_uid != geteuid() && facts.st_uid != 0)) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "the secret key %s belongs to or is open to others (mode %03o); "
                        "its owner should run: chmod 600 %s",
                        shown, (unsigned)(facts.st_mode & 0777), shown);
    }
    return SOTTO_OK;
}

/* ---- the public functions ---- */

static sotto_status fill_key(sotto_key *key, const unsigned char seed[SEED_BYTES],
                             sotto_error *error)
{
    unsigned char public_bytes[PUBLIC_BYTES];
    const sotto_status status = sot_sodium_start(error);
    if (status != SOTTO_OK) return status;
    if (crypto_sign_seed_keypair(public_bytes, key->secret, seed) != 0)
        return sot_fail(error, SOTTO_INTERNAL, "libsodium cannot make a key");
    (void)sodium_bin2hex(key->public_hex, sizeof key->public_hex, public_bytes,
                         sizeof public_bytes);
    return SOTTO_OK;
}

sotto_status sotto_key_open(const char *secret_path, sotto_key **out_key,
                            sotto_error *error)
{
    char *text = NULL;
    size_t size_bytes = 0;
    char hex[SOTTO_KEY_HEX_BYTES] = "", shown[SHOWN_BYTES];
    unsigned char seed[SEED_BYTES];
    sotto_key *key = NULL;
    sotto_status status = check_mode(secret_path, error);
    if (status != SOTTO_OK) return status;
    status = sot_file_read(secret_path, FILE_BYTES_MAX, &text, &size_bytes, error);
    if (status != SOTTO_OK) return status;
    if (!find_digits(text, size_bytes, secret_title, hex) ||
        !read_hex(hex, seed, sizeof seed)) {
        status = sot_fail(error, SOTTO_INVALID_ARGUMENT,
                          "%s is not a secret key; make one with sotto key new",
                          sot_printable(secret_path, shown, sizeof shown));
        goto done;
    }
    key = sot_new_array(1, sizeof *key);
    status =
        key == NULL ? sot_fail_memory(error, 1, sizeof *key) : fill_key(key, seed, error);
    if (status != SOTTO_OK) goto done;
    *out_key = key;
    key = NULL;
done:
    sotto_key_close(key);
    sodium_memzero(hex, sizeof hex);
    sodium_memzero(seed, sizeof seed);
    sot_wipe_and_free(text, size_bytes);
    return status;
}

void sotto_key_close(sotto_key *key)
{
    if (key != NULL) sot_wipe_and_free(key, sizeof *key);
}

static sotto_status create_secret(const char *secret_path, sotto_error *error)
{
    unsigned char seed[SEED_BYTES];
    char hex[SOTTO_KEY_HEX_BYTES];
    sotto_status status = sot_entropy(seed, sizeof seed, error);
    if (status == SOTTO_OK) {
        (void)sodium_bin2hex(hex, sizeof hex, seed, sizeof seed);
        status = create_file(secret_path, SECRET_MODE, secret_title, hex, error);
    }
    sodium_memzero(seed, sizeof seed);
    sodium_memzero(hex, sizeof hex);
    return status;
}

sotto_status sotto_key_new(const char *secret_path, const char *public_path,
                           char out_public[SOTTO_KEY_HEX_BYTES], sotto_error *error)
{
    sotto_key *key = NULL;
    /* A kill may have come between the two files: then the second one is written. */
    const bool has_public = access(public_path, F_OK) == 0;
    const bool is_half =
        !has_public && sotto_key_open(secret_path, &key, NULL) == SOTTO_OK;
    sotto_status status = is_half ? SOTTO_OK : create_secret(secret_path, error);
    if (status != SOTTO_OK) return status;
    if (!is_half) status = sotto_key_open(secret_path, &key, error);
    if (status == SOTTO_OK)
        status =
            create_file(public_path, PUBLIC_MODE, public_title, key->public_hex, error);
    if (status == SOTTO_OK) memcpy(out_public, key->public_hex, SOTTO_KEY_HEX_BYTES);
    if (status != SOTTO_OK && !is_half) {
        (void)unlink(secret_path);
        if (!has_public) (void)unlink(public_path);
    }
    sotto_key_close(key);
    return status;
}

const char *sotto_key_public(const sotto_key *key)
{
    return key->public_hex;
}

sotto_status sotto_key_read_public(const char *text, char out_public[SOTTO_KEY_HEX_BYTES],
                                   sotto_error *error)
{
    static const char prefix[] = "ed25519:";
    char hex[SOTTO_KEY_HEX_BYTES] = "", shown[SHOWN_BYTES];
    unsigned char bytes[PUBLIC_BYTES];
    char *file = NULL;
    size_t size_bytes = 0;
    if (strncmp(text, prefix, strlen(prefix)) == 0) {
        if (strlen(text) == strlen(prefix) + HEX_DIGITS)
            memcpy(hex, text + strlen(prefix), SOTTO_KEY_HEX_BYTES);
    } else {
        const sotto_status status =
            sot_file_read(text, FILE_BYTES_MAX, &file, &size_bytes, error);
        if (status != SOTTO_OK) return status;
        if (!find_digits(file, size_bytes, public_title, hex)) hex[0] = '\0';
        sot_wipe_and_free(file,
                          size_bytes); /* it may be a secret key, named by mistake */
    }
    if (!read_hex(hex, bytes, sizeof bytes)) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "%s is not a public key; give the .pub file of sotto key new, or "
                        "ed25519: and 64 hexadecimal digits",
                        sot_printable(text, shown, sizeof shown));
    }
    memcpy(out_public, hex, SOTTO_KEY_HEX_BYTES);
    return SOTTO_OK;
}

/* ---- signatures ---- */

/* The purpose comes first and has a fixed end, so no two purposes share a message. Hashing keeps
 * the signed message short. */
static bool digest(sotto_purpose purpose, const void *bytes, size_t size_bytes,
                   unsigned char out[crypto_generichash_BYTES])
{
    static const char *const titles[] = {[SOTTO_PURPOSE_CERTIFICATE] =
                                             "sotto certificate 1\n",
                                         [SOTTO_PURPOSE_BUDGET] = "sotto budget 1\n"};
    crypto_generichash_state state;
    if (purpose != SOTTO_PURPOSE_CERTIFICATE && purpose != SOTTO_PURPOSE_BUDGET)
        return false;
    const char *title = titles[purpose];
    return crypto_generichash_init(&state, NULL, 0, crypto_generichash_BYTES) == 0 &&
           crypto_generichash_update(&state, (const unsigned char *)title,
                                     strlen(title)) == 0 &&
           crypto_generichash_update(&state, bytes, size_bytes) == 0 &&
           crypto_generichash_final(&state, out, crypto_generichash_BYTES) == 0;
}

sotto_status sotto_key_sign(const sotto_key *key, sotto_purpose purpose,
                            const void *bytes, size_t size_bytes,
                            char out_signature[SOTTO_SIGNATURE_HEX_BYTES],
                            sotto_error *error)
{
    unsigned char message[crypto_generichash_BYTES];
    unsigned char signature[SIGNATURE_BYTES];
    if (!digest(purpose, bytes, size_bytes, message)) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "purpose is %d; set it to one of sotto_purpose", (int)purpose);
    }
    if (crypto_sign_detached(signature, NULL, message, sizeof message, key->secret) != 0)
        return sot_fail(error, SOTTO_INTERNAL, "libsodium cannot sign");
    (void)sodium_bin2hex(out_signature, SOTTO_SIGNATURE_HEX_BYTES, signature,
                         sizeof signature);
    return SOTTO_OK;
}

sotto_status sotto_key_verify(const char *public_key, sotto_purpose purpose,
                              const void *bytes, size_t size_bytes, const char *signature,
                              sotto_error *error)
{
    unsigned char message[crypto_generichash_BYTES];
    unsigned char key_bytes[PUBLIC_BYTES], signed_bytes[SIGNATURE_BYTES];
    if (!digest(purpose, bytes, size_bytes, message)) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "purpose is %d; set it to one of sotto_purpose", (int)purpose);
    }
    if (read_hex(public_key, key_bytes, sizeof key_bytes) &&
        read_hex(signature, signed_bytes, sizeof signed_bytes) &&
        crypto_sign_verify_detached(signed_bytes, message, sizeof message, key_bytes) ==
            0)
        return SOTTO_OK;
    return sot_fail(error, SOTTO_VERIFICATION,
                    "the signature is not one by the key ed25519:%.64s", public_key);
}
