/* Verification behind the front door: a certified file by its path. */
#include <sotto/sotto.h>
#include <sotto/verify.h>

#include "base/file/file.h"
#include "base/memory.h"

sotto_status sotto_verify_file(const char *path, const char *ledger,
                               const char *signed_by, char **out_text, sotto_error *error)
{
    sotto_verify_config config = sotto_verify_defaults();
    char *file = NULL;
    size_t size_bytes = 0;
    config.ledger = ledger;
    config.signed_by = signed_by;
    sotto_status status =
        sot_file_read(path, SOTTO_CERTIFIED_BYTES_MAX, &file, &size_bytes, error);
    if (status == SOTTO_OK) status = sotto_verify(file, size_bytes, &config, NULL, error);
    if (status == SOTTO_OK && out_text != NULL)
        status = sotto_verify_render(file, size_bytes, &config, SOTTO_CERTIFICATE_TEXT,
                                     out_text, error);
    sot_free(file);
    return status;
}
