#include "model/model_files.h"

#include <stdlib.h>
#include <string.h>

#include <sotto/certificate.h>

#include "frame/input.h"

sotto_status cli_load_model(const cli_call *call, sotto_model **out_model,
                            sotto_error *error)
{
    const char *path = cli_text(call, "model");
    char *text = NULL;
    size_t size_bytes = 0;
    if (strcmp(path, "-") == 0 && cli_has(call, "data") &&
        strcmp(cli_text(call, "data"), "-") == 0) {
        return cli_fail(error, SOTTO_INVALID_ARGUMENT,
                        "MODEL and DATA are both -; standard input can be only one; give "
                        "a file, for example model.json");
    }
    sotto_status status = cli_read_file("MODEL", path, SOTTO_CERTIFIED_BYTES_MAX,
                                        SOTTO_PARSE, &text, &size_bytes, error);
    if (status == SOTTO_OK)
        status = sotto_model_parse(path, text, size_bytes, out_model, error);
    free(text);
    return status;
}
