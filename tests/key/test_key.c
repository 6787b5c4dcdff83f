/* Keys: who has not the secret half cannot sign, and a signature is for one message and one purpose. */
#include "support.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <sotto/key.h>

#include "base/memory.h"
#include "random/entropy.h"

static char directory[256];

static int make_directory(void **state)
{
    (void)state;
    const char *parent = getenv("TMPDIR");
    (void)snprintf(directory, sizeof directory, "%s/sotto-key-XXXXXX",
                   parent != NULL ? parent : "/tmp");
    return mkdtemp(directory) == NULL;
}

static const char *in_directory(const char *name)
{
    static char paths[4][512];
    static int turn;
    char *path = paths[turn++ % 4];
    (void)snprintf(path, sizeof paths[0], "%s/%s", directory, name);
    return path;
}

static int remove_directory(void **state)
{
    (void)state;
    static const char *const names[] = {"a", "a.pub", "b", "b.pub", "odd"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        (void)unlink(in_directory(names[i]));
    return rmdir(directory);
}

static void put(const char *name, const char *text, mode_t mode)
{
    const int file = open(in_directory(name), O_WRONLY | O_CREAT | O_TRUNC, mode);
    assert_true(file >= 0 && write(file, text, strlen(text)) == (ssize_t)strlen(text) &&
                close(file) == 0 && chmod(in_directory(name), mode) == 0);
}

static sotto_key *new_key(const char *name, char out_public[SOTTO_KEY_HEX_BYTES])
{
    char public_name[16];
    sotto_error error;
    sotto_key *key = NULL;
    (void)snprintf(public_name, sizeof public_name, "%s.pub", name);
    assert_ok(
        sotto_key_new(in_directory(name), in_directory(public_name), out_public, &error),
        &error);
    assert_ok(sotto_key_open(in_directory(name), &key, &error), &error);
    return key;
}

static void a_signature_is_for_one_message_key_and_purpose(void **state)
{
    (void)state;
    char a[SOTTO_KEY_HEX_BYTES], b[SOTTO_KEY_HEX_BYTES];
    char signature[SOTTO_SIGNATURE_HEX_BYTES];
    sotto_error error;
    sotto_key *key = new_key("a", a), *other = new_key("b", b);
    assert_string_not_equal(a, b);
    assert_string_equal(sotto_key_public(key), a);
    assert_ok(
        sotto_key_sign(key, SOTTO_PURPOSE_BUDGET, "grant 2.375", 11, signature, &error),
        &error);
    assert_ok(
        sotto_key_verify(a, SOTTO_PURPOSE_BUDGET, "grant 2.375", 11, signature, &error),
        &error);
    assert_refused(
        sotto_key_verify(a, SOTTO_PURPOSE_BUDGET, "grant 3.375", 11, signature, &error),
        SOTTO_VERIFICATION, &error, "signature", NULL);
    assert_refused(
        sotto_key_verify(a, SOTTO_PURPOSE_BUDGET, "grant 2.375", 10, signature, &error),
        SOTTO_VERIFICATION, &error, "signature", NULL);
    assert_refused(sotto_key_verify(a, SOTTO_PURPOSE_CERTIFICATE, "grant 2.375", 11,
                                    signature, &error),
                   SOTTO_VERIFICATION, &error, "signature", NULL);
    assert_refused(
        sotto_key_verify(b, SOTTO_PURPOSE_BUDGET, "grant 2.375", 11, signature, &error),
        SOTTO_VERIFICATION, &error, "signature", b, NULL);
    for (size_t i = 0; i < sizeof signature - 1; i += 7) {
        const char kept = signature[i];
        signature[i] = kept == '0' ? '1' : '0';
        assert_refused(sotto_key_verify(a, SOTTO_PURPOSE_BUDGET, "grant 2.375", 11,
                                        signature, &error),
                       SOTTO_VERIFICATION, &error, "signature", NULL);
        signature[i] = kept;
    }
    sotto_key_close(key);
    sotto_key_close(other);
}

static void odd_signatures_keys_and_purposes_are_refused(void **state)
{
    (void)state;
    char a[SOTTO_KEY_HEX_BYTES], signature[SOTTO_SIGNATURE_HEX_BYTES];
    sotto_error error;
    sotto_key *key = new_key("a", a);
    assert_refused(sotto_key_sign(key, SOTTO_PURPOSE_UNSET, "x", 1, signature, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "purpose is 0", NULL);
    assert_refused(sotto_key_verify(a, (sotto_purpose)3, "x", 1, "00", &error),
                   SOTTO_INVALID_ARGUMENT, &error, "purpose is 3", NULL);
    assert_refused(sotto_key_verify(a, SOTTO_PURPOSE_BUDGET, "x", 1, "", &error),
                   SOTTO_VERIFICATION, &error, "signature", NULL);
    assert_refused(sotto_key_verify("", SOTTO_PURPOSE_BUDGET, "x", 1, "", &error),
                   SOTTO_VERIFICATION, &error, "signature", NULL);
    sotto_key_close(key);
    sotto_key_close(NULL);
}

static void a_public_key_is_read_from_its_file_or_its_text(void **state)
{
    (void)state;
    char a[SOTTO_KEY_HEX_BYTES], read[SOTTO_KEY_HEX_BYTES], text[100];
    sotto_error error;
    sotto_key_close(new_key("a", a));
    assert_ok(sotto_key_read_public(in_directory("a.pub"), read, &error), &error);
    assert_string_equal(read, a);
    (void)snprintf(text, sizeof text, "ed25519:%s", a);
    assert_ok(sotto_key_read_public(text, read, &error), &error);
    assert_string_equal(read, a);
    text[strlen(text) - 1] = '\0';
    assert_refused(sotto_key_read_public(text, read, &error), SOTTO_INVALID_ARGUMENT,
                   &error, "not a public key", NULL);
    /* The secret key, named by mistake, is no public key, and its digits are not told. */
    assert_refused(sotto_key_read_public(in_directory("a"), read, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "not a public key", NULL);
}

static void a_secret_key_is_its_owners_only(void **state)
{
    (void)state;
    char a[SOTTO_KEY_HEX_BYTES];
    sotto_error error;
    sotto_key *key = NULL;
    sotto_key_close(new_key("a", a));
    assert_int_equal(chmod(in_directory("a"), 0640), 0);
    assert_refused(sotto_key_open(in_directory("a"), &key, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "640", "chmod 600", NULL);
    static const char *const odd[] = {
        "",
        "sotto secret key 1\n",
        "sotto secret key 1\ned25519 12\n",
        "sotto secret key 2\ned25519 "
        "0000000000000000000000000000000000000000000000000000000000000000\n",
        "sotto secret key 1\ned25519 "
        "000000000000000000000000000000000000000000000000000000000000000G\n",
        "sotto secret key 1\ned25519 "
        "0000000000000000000000000000000000000000000000000000000000000000"};
    for (size_t i = 0; i < sizeof odd / sizeof odd[0]; i++) {
        put("odd", odd[i], 0600);
        assert_refused(sotto_key_open(in_directory("odd"), &key, &error),
                       SOTTO_INVALID_ARGUMENT, &error, "not a secret key", NULL);
    }
    assert_refused(sotto_key_open(directory, &key, &error), SOTTO_INVALID_ARGUMENT,
                   &error, "regular file", NULL);
    assert_refused(sotto_key_open(in_directory("none"), &key, &error), SOTTO_IO, &error,
                   "cannot be opened", NULL);
    assert_null(key);
}

static void a_secret_key_alone_gets_its_public_half(void **state)
{
    (void)state;
    char first[SOTTO_KEY_HEX_BYTES], again[SOTTO_KEY_HEX_BYTES];
    sotto_error error;
    sotto_key_close(new_key("a", first));
    assert_int_equal(unlink(in_directory("a.pub")), 0);
    assert_ok(sotto_key_new(in_directory("a"), in_directory("a.pub"), again, &error),
              &error);
    assert_string_equal(again, first);
    assert_refused(sotto_key_new(in_directory("a"), in_directory("a.pub"), again, &error),
                   SOTTO_IO, &error, "never replaced", NULL);
}

static void without_randomness_or_memory_there_is_no_key(void **state)
{
    (void)state;
    char a[SOTTO_KEY_HEX_BYTES];
    sotto_error error;
    sotto_key *key = NULL;
    sot_test_set_entropy(SOT_TEST_ENTROPY_FAILS);
    assert_refused(sotto_key_new(in_directory("a"), in_directory("a.pub"), a, &error),
                   SOTTO_ENTROPY, &error, NULL);
    sot_test_set_entropy(SOT_TEST_ENTROPY_REAL);
    assert_int_equal(access(in_directory("a"), F_OK), -1);
    sotto_key_close(new_key("a", a));
    for (size_t nth = 1; nth < 10; nth++) {
        (void)sot_test_fail_allocation(nth);
        const sotto_status status = sotto_key_open(in_directory("a"), &key, &error);
        (void)sot_test_fail_allocation(0);
        if (status == SOTTO_OK) break;
        assert_int_equal(status, SOTTO_OUT_OF_MEMORY);
        assert_null(key);
    }
    assert_non_null(key);
    sotto_key_close(key);
}

int main(void)
{
#define KEY_TEST(name)                                                                   \
    cmocka_unit_test_setup_teardown(name, make_directory, remove_directory)
    const struct CMUnitTest tests[] = {
        KEY_TEST(a_signature_is_for_one_message_key_and_purpose),
        KEY_TEST(odd_signatures_keys_and_purposes_are_refused),
        KEY_TEST(a_public_key_is_read_from_its_file_or_its_text),
        KEY_TEST(a_secret_key_is_its_owners_only),
        KEY_TEST(a_secret_key_alone_gets_its_public_half),
        KEY_TEST(without_randomness_or_memory_there_is_no_key),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
