#include "model_files.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <sotto/certificate.h>

#include "input.h"

sotto_status cli_load_model(const cli_call *call, sotto_model **out_model,
                            sotto_error *error)
{
    const char *path = cli_text(call, "model");
    char *text = NULL;
    size_t size_bytes = 0;
    if (strcmp(path, "-") == 0 && cli_has(call, "data") &&
        strcmp(cli_text(call, "data"), "-") == 0) {
        return cli_fail(error, SOTTO_INVALID_ARGUMENT,
                        "MODEL and DATA are both -; standard input can be only one");
    }
    sotto_status status = cli_read_file("MODEL", path, SOTTO_CERTIFIED_BYTES_MAX,
                                        SOTTO_PARSE, &text, &size_bytes, error);
    if (status == SOTTO_OK)
        status = sotto_model_parse(path, text, size_bytes, out_model, error);
    free(text);
    return status;
}

const char *cli_data_path(const cli_call *call)
{
    const char *path = cli_text(call, "data");
    return strcmp(path, "-") == 0 ? "/dev/stdin" : path;
}

static bool is_same(const char *a, const char *b)
{
    struct stat first, second;
    return stat(a, &first) == 0 && stat(b, &second) == 0 &&
           first.st_dev == second.st_dev && first.st_ino == second.st_ino;
}

sotto_status cli_spare_inputs(const cli_call *call, sotto_error *error)
{
    static const char *const operands[] = {"model", "data"};
    const char *output = cli_text(call, "output");
    if (output == NULL) return SOTTO_OK;
    for (size_t i = 0; i < sizeof operands / sizeof operands[0]; i++) {
        if (!cli_has(call, operands[i]) || !is_same(output, cli_text(call, operands[i])))
            continue;
        return cli_fail(error, SOTTO_INVALID_ARGUMENT,
                        "the output %.100s would replace the %s; give it a name of its "
                        "own",
                        output, operands[i]);
    }
    return SOTTO_OK;
}
