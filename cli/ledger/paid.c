#include "ledger/paid.h"

#include <stdio.h>

const cli_option cli_again_option[] = {
    {"again", CLI_FLAG, CLI_OPTIONAL,
     "start a new run with a new charge, although the ledger has a finished one",
     .value = NULL},
    {0},
};

sotto_status cli_print_release(const cli_call *call, sotto_release_result *result,
                               sotto_error *error)
{
    sotto_status status = SOTTO_OK;
    const bool has_file = cli_given(call, "output");
    if (cli_flag(call, "json")) {
        (void)fputs(sotto_release_json(result), stdout);
    } else {
        (void)fputs(sotto_release_text(result), stdout);
        if (!has_file) (void)fputs(sotto_release_certificate(result), stderr);
    }
    if ((fflush(stdout) != 0 || ferror(stdout)) && !has_file) {
        sotto_release_hold(result);
        status = cli_fail(error, SOTTO_IO,
                          "cannot write to standard output; the charge stands, and the "
                          "same command prints the result without another one");
    }
    sotto_release_free(result);
    return status;
}
