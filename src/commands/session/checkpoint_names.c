/* Where a checkpoint lies: beside the output, or beside the ledger. */
#include "commands/session/keeper.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

static sotto_status join(const char *start, const char *end, char **out_path,
                         sotto_error *error)
{
    const size_t size_bytes = strlen(start) + strlen(end) + 1;
    char *path = sot_new_array(size_bytes, 1);
    if (path == NULL) return sot_fail_memory(error, size_bytes, 1);
    (void)snprintf(path, size_bytes, "%s%s", start, end);
    *out_path = path;
    return SOTTO_OK;
}

static sotto_status name_beside_output(const char *output, char **out_path,
                                       sotto_error *error)
{
    return join(output, ".checkpoint", out_path, error);
}

sotto_status sot_keeper_name(const sot_session *session, char **out_path,
                             sotto_error *error)
{
    char end[32];
    if (session->output != NULL)
        return name_beside_output(session->output, out_path, error);
    (void)snprintf(end, sizeof end, "-run-%.16s", session->asked);
    return join(session->ledger_path, end, out_path, error);
}

sotto_status sot_keeper_check_names(const char *output, const char *const *files,
                                    size_t count, sotto_error *error)
{
    char *path = NULL;
    sotto_status status = name_beside_output(output, &path, error);
    if (status != SOTTO_OK) return status;
    const size_t length = strlen(path);
    for (size_t i = 0; i < count && status == SOTTO_OK; i++) {
        if (files[i] == NULL || strncmp(files[i], path, length) != 0) continue;
        if (files[i][length] != '\0' && strcmp(files[i] + length, ".next") != 0) continue;
        status = sot_fail(error, SOTTO_INVALID_ARGUMENT,
                          "the checkpoint of the output %.90s would replace %.90s; give "
                          "the output another name",
                          output, files[i]);
    }
    sot_free(path);
    return status;
}
