/* Any bytes as a public file: no draft, in one line, or a schema that is read and written again, or waits for its nulls to be
 * filled in. The first byte says which kind of file it is, and whether its header alone is read. */
#define _GNU_SOURCE /* memfd_create */
#include <sotto/schema.h>
#include <sotto/schema_tools.h>

#include "data/draft/parts.h"
#include "lines.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[PATH_BYTES];
    sotto_error error = {SOTTO_OK, ""};
    if (size < 1) return 0;
    const int file = open_bytes("", data + 1, size - 1, 0, 0, path);
    const sotto_draft_config config = {.size = sizeof config,
                                       .path = path,
                                       .target = data[0] & 2 ? "y" : NULL,
                                       .header_only = data[0] & 4,
                                       .other_value = data[0] & 8};
    /* A file in memory has no name to tell its kind by, so the door is passed by. */
    sot_draft draft = {.config = &config, .matrix = data[0] & 1};
    char *json = NULL;
    sotto_status status = draft.matrix ? sot_draft_read_matrix(&draft, &error)
                                       : sot_draft_read_table(&draft, &error);
    if (status == SOTTO_OK) status = sot_draft_write(&draft, &json, &error);
    if (status == SOTTO_OK) {
        sotto_schema *schema = NULL;
        status = sotto_schema_parse("draft", json, strlen(json), &schema, &error);
        require(status == SOTTO_OK || strstr(error.message, " is null; fill in") != NULL);
        require(status == SOTTO_OK || draft.rows == 0);
        require(schema == NULL || sotto_schema_is_matrix(schema) == draft.matrix);
        sotto_schema_free(schema);
    } else {
        require(error.message[0] != '\0' && strchr(error.message, '\n') == NULL);
    }
    sotto_free(json);
    sot_draft_free(&draft);
    (void)close(file);
    return 0;
}
