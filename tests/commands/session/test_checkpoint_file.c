/* Checkpoints whose hash fits and whose head does not, states that are too large, and memory that fails. */
#include "support.h"

#include "base/memory.h"
#include "commands/session/checkpoint_file.h"

enum { FILE_BYTES = 4096 };

static const char words[] = "coefficients";
static const char key[] =
    "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff";

static sotto_status write_file(const char *seal_key, size_t body_bytes, char **out_bytes,
                               size_t *out_size_bytes, sotto_error *error)
{
    static uint64_t released[] = {3, 5};
    char hash[SOTTO_HASH_HEX_BYTES];
    sot_kept_file file = {.kind = SOT_KEPT_STATE,
                          .identity = {.version = "0.1.0"},
                          .step = 3,
                          .released = released,
                          .events = 2,
                          .sampler_error = 0x1p-90,
                          .body = (const unsigned char *)words,
                          .body_bytes = body_bytes};
    memcpy(file.identity.settings, key, sizeof key);
    memcpy(file.identity.schema, key, sizeof key);
    memcpy(file.identity.data, key, sizeof key);
    memcpy(file.run, key, sizeof key);
    return sot_kept_write(&file, seal_key, out_bytes, out_size_bytes, hash, error);
}

/* The file with `text` in the place of the first `old`, and the hash of that. */
static size_t change(const char *bytes, const char *old, const char *text,
                     char out[FILE_BYTES])
{
    char hash[SOTTO_HASH_HEX_BYTES];
    const char *found = strstr(bytes, old);
    assert_non_null(found);
    const char *body = strchr(bytes, '\n') + 1;
    const size_t head =
        (size_t)sprintf(out, "%.*s%s%.*s", (int)(found - bytes), bytes, text,
                        (int)(body - found) - (int)strlen(old), found + strlen(old));
    memcpy(out + head, body, sizeof words);
    sot_kept_hash(out, head + sizeof words, hash);
    return head + sizeof words + (size_t)sprintf(out + head + sizeof words, "%s\n", hash);
}

static void a_head_that_says_something_else_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *old, *text, *word;
    } changes[] = {
        {"\"sotto_checkpoint\":1", "\"sotto_checkpoint\":2", "its format is 2, not 1"},
        {"\"sotto_checkpoint\":1", "\"sotto_checkpoint\":\"1\"", "sotto_checkpoint"},
        {"\"version\":\"0.1.0\"", "\"version\":7", "version"},
        {"\"version\":\"0.1.0\"",
         "\"version\":\"0.1.0-with-more-letters-than-any-version-of-sotto-has-had\"",
         "its kind or version is none"},
        {"\"kind\":\"state\"", "\"kind\":\"guess\"", "its kind or version is none"},
        {"\"kind\":\"state\"", "\"kind\":null", "kind"},
        {"\"run\":\"00", "\"run\":\"zz", "run is no hash"},
        {"\"settings\":\"00", "\"settings\":\"", "settings is no hash"},
        {"\"schema\":\"00", "\"schema\":\"0G", "schema is no hash"},
        {"\"data\":\"00", "\"data\":\"000", "data is no hash"},
        {"\"data\":\"", "\"date\":\"", "date"},
        {"\"step\":3", "\"step\":-3", "step is negative"},
        {"\"step\":3", "\"step\":\"3\"", "step"},
        {"\"step\":3,", "", "step is missing"},
        {"[3,5]", "[3,-5]", "released is negative"},
        {"[3,5]", "[\"3\",5]", "released"},
        {"[3,5]", "7", "released"},
        {"\"sampler_error\":\"", "\"sampler_error\":\"-", "sampler_error"},
        {"\"sampler_error\":\"", "\"sampler_error\":\"x", "sampler_error is no such"},
        {"\"sampler_error\":", "\"sampler_error\":7,\"sealed\":true,\"z\":", "sealed"},
        {"\"sealed\":false", "\"sealed\":0", "sealed"},
        {"\"body_bytes\":13", "\"body_bytes\":12",
         "its length is not the one that it states"},
        {"\"body_bytes\":13", "\"body_bytes\":true", "body_bytes"},
        {"\"body_bytes\":13", "\"body_bytes\":13,\"more\":1", "more"},
    };
    char *bytes = NULL;
    char changed[FILE_BYTES], hash[SOTTO_HASH_HEX_BYTES];
    size_t size_bytes = 0;
    sotto_error error;
    sot_kept_file read;
    assert_ok(write_file(NULL, sizeof words, &bytes, &size_bytes, &error), &error);
    size_t size = change(bytes, "\"step\":3", "\"step\":4", changed);
    assert_ok(sot_kept_parse(changed, size, &read, hash, &error), &error);
    assert_int_equal(read.step, 4); /* a change that is none of form */
    sot_free(read.released);
    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
        size = change(bytes, changes[i].old, changes[i].text, changed);
        assert_refused(sot_kept_parse(changed, size, &read, hash, &error), SOTTO_PARSE,
                       &error, changes[i].word, NULL);
        assert_null(read.released);
    }
    bytes[size_bytes - 1] = '.';
    assert_refused(sot_kept_parse(bytes, size_bytes, &read, hash, &error), SOTTO_PARSE,
                   &error, "it is damaged", NULL);
    sot_free(bytes);
}

static void a_state_that_no_reader_takes_is_not_written(void **state)
{
    (void)state;
    char *bytes = NULL;
    size_t size_bytes = 0;
    sotto_error error;
    assert_refused(write_file(NULL, SOT_KEPT_BYTES_MAX, &bytes, &size_bytes, &error),
                   SOTTO_UNSUPPORTED, &error, "too large for a checkpoint", NULL);
    assert_null(bytes);
}

static void a_body_shorter_than_its_seal_is_not_opened(void **state)
{
    (void)state;
    unsigned char *body = NULL;
    size_t body_bytes = 0;
    sotto_error error;
    sot_kept_file file = {.kind = SOT_KEPT_STATE,
                          .sealed = true,
                          .body = (const unsigned char *)words,
                          .body_bytes = 5};
    assert_refused(sot_kept_unseal(&file, key, &body, &body_bytes, &error),
                   SOTTO_VERIFICATION, &error, "has no key", NULL);
    file.body_bytes = sizeof words;
    assert_refused(sot_kept_unseal(&file, "0011", &body, &body_bytes, &error),
                   SOTTO_VERIFICATION, &error, "has no key", NULL);
    file.sealed = false;
    file.body_bytes = 0; /* nothing is kept, and nothing is read */
    assert_ok(sot_kept_unseal(&file, "", &body, &body_bytes, &error), &error);
    assert_int_equal(body_bytes, 0);
    sot_free(body);
}

static void memory_that_fails_is_reported(void **state)
{
    (void)state;
    sotto_error error;
    size_t failures = 0;
    for (size_t nth = 1;; nth++) {
        char *bytes = NULL;
        unsigned char *body = NULL;
        char hash[SOTTO_HASH_HEX_BYTES];
        size_t size_bytes = 0, body_bytes = 0;
        sot_kept_file read = {.released = NULL};
        (void)sot_test_fail_allocation(nth);
        sotto_status status = write_file(key, sizeof words, &bytes, &size_bytes, &error);
        if (status == SOTTO_OK)
            status = sot_kept_parse(bytes, size_bytes, &read, hash, &error);
        if (status == SOTTO_OK)
            status = sot_kept_unseal(&read, key, &body, &body_bytes, &error);
        const bool failed = sot_test_fail_allocation(0) >= nth;
        assert_int_equal(status, failed ? SOTTO_OUT_OF_MEMORY : SOTTO_OK);
        assert_true((body != NULL) == !failed);
        sot_free(body);
        sot_free(read.released);
        sot_free(bytes);
        if (!failed) break;
        failures++;
    }
    assert_true(failures >= 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_head_that_says_something_else_is_refused),
        cmocka_unit_test(a_state_that_no_reader_takes_is_not_written),
        cmocka_unit_test(a_body_shorter_than_its_seal_is_not_opened),
        cmocka_unit_test(memory_that_fails_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
