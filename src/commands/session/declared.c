#include "commands/session/declared.h"

#include <string.h>

#include "base/error.h"
#include "base/file/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "commands/session/again.h"

sotto_status sot_check_public_rows(const char *option, const sotto_schema *schema,
                                   sotto_error *error)
{
    char shown[80];
    const char *ledger = schema == NULL ? NULL : sotto_schema_ledger(schema);
    if (ledger == NULL) return SOTTO_OK;
    return sot_fail(
        error, SOTTO_INVALID_ARGUMENT,
        "`%s` contradicts the schema, whose \"ledger\" is %s, so that its rows have a "
        "budget; for public rows use a schema without \"ledger\" and \"dataset\"",
        option, sot_printable(ledger, shown, sizeof shown));
}

/* Verifies the file's certificate: SOTTO_VERIFICATION if it fails. */
static sotto_status verify(const char *path, sotto_error *error)
{
    char *text = NULL;
    size_t size_bytes = 0;
    sotto_status status =
        sot_file_read(path, SOTTO_CERTIFIED_BYTES_MAX, &text, &size_bytes, error);
    if (status == SOTTO_OK) status = sot_verify_text(text, size_bytes, false, error);
    sot_free(text);
    return status;
}

sotto_status sot_check_public_model(const char *option, const char *path,
                                    const sotto_model *model, const sotto_schema *schema,
                                    sotto_error *error)
{
    char file[80], id[48];
    const char *own = sotto_schema_dataset(schema);
    const char *other = sotto_schema_dataset(sotto_model_schema(model));
    if (own == NULL || other == NULL || strcmp(own, other) != 0) return SOTTO_OK;
    const sotto_status status = verify(path, error);
    if (status != SOTTO_VERIFICATION) return status;
    return sot_fail(
        error, SOTTO_INVALID_ARGUMENT,
        "`%s` is %s, computed from this run's data set '%s' without a valid certificate; "
        "give a model with a valid certificate, or of other rows",
        option, sot_printable(path, file, sizeof file),
        sot_printable(own, id, sizeof id));
}
