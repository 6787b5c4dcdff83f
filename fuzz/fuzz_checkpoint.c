/* Any bytes as a checkpoint: refused in one line, or a file that says the same when it is written again.
 *
 * A hash that must fit would stop the fuzzer at the door, so the input is also read with the right one behind it. */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/memory.h"
#include "commands/session/checkpoint_file.h"
#include "require.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { TAIL_BYTES = 65 };

static void check(const char *bytes, size_t size)
{
    sotto_error error = {SOTTO_OK, ""};
    sot_kept_file file;
    char hash[SOTTO_HASH_HEX_BYTES], again[SOTTO_HASH_HEX_BYTES];
    const sotto_status status = sot_kept_parse(bytes, size, &file, hash, &error);
    if (status != SOTTO_OK) {
        require(status == SOTTO_PARSE || status == SOTTO_OUT_OF_MEMORY);
        require(error.message[0] != '\0' && strchr(error.message, '\n') == NULL);
        require(file.released == NULL);
        return;
    }
    require(file.kind >= SOT_KEPT_BEGUN && file.kind <= SOT_KEPT_OUTPUT);
    require(file.sampler_error >= 0.0 && isfinite(file.sampler_error));
    require((const char *)file.body >= bytes && file.body_bytes <= size);
    char *written = NULL;
    unsigned char *body = NULL;
    size_t written_bytes = 0, body_bytes = 0;
    sot_kept_file read;
    require(sot_kept_write(&file, NULL, &written, &written_bytes, again, &error) ==
            SOTTO_OK);
    require(sot_kept_parse(written, written_bytes, &read, again, &error) == SOTTO_OK);
    require(read.kind == file.kind && read.step == file.step);
    require(read.events == file.events && read.body_bytes == file.body_bytes);
    require(memcmp(&read.sampler_error, &file.sampler_error, sizeof(double)) == 0);
    require(memcmp(read.body, file.body, file.body_bytes) == 0);
    require(!read.sealed &&
            sot_kept_unseal(&read, "", &body, &body_bytes, &error) == SOTTO_OK);
    sot_free(body);
    body = NULL;
    require(sot_kept_unseal(&file, hash, &body, &body_bytes, &error) ==
            (file.sealed ? SOTTO_VERIFICATION : SOTTO_OK));
    sot_free(body);
    sot_free(written);
    sot_free(file.released);
    sot_free(read.released);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char hash[SOTTO_HASH_HEX_BYTES];
    check((const char *)data, size);
    char *whole = sot_new_array(size + TAIL_BYTES, 1);
    if (whole == NULL) return 0;
    if (size > 0) memcpy(whole, data, size);
    sot_kept_hash(whole, size, hash);
    memcpy(whole + size, hash, TAIL_BYTES - 1);
    whole[size + TAIL_BYTES - 1] = '\n';
    check(whole, size + TAIL_BYTES);
    sot_free(whole);
    return 0;
}
