/* sotto/owner.h: exact counts for the owner of the data. NOT PRIVATE.
 *
 * Idea        An invalid cell counts as its column's default and a value outside the bounds as
 *             the bound. No message reports it, because a message would reveal information about
 *             a record. So a wrong schema wastes a charge silently. The owner can read the rows
 *             anyway, and may count the cells that the schema changes.
 * Theorem     None. The counts are exact, and no guarantee covers them. A schema that is changed
 *             because of them reveals information about the rows: its changed parts say so
 *             (SOTTO_SOURCE_ADJUSTED), and certificates list them.
 * Docs        schema.md
 */
#ifndef SOTTO_OWNER_H
#define SOTTO_OWNER_H

#include <sotto/data_file.h>
#include <sotto/error.h>
#include <sotto/schema.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Reads all rows and counts per column: cells that count as the column's default, values below
 * and above the bounds. Also counts labels outside the label set, rows over the unit's cap, empty
 * ids, and rows shrunk to the norm bound. Writes a JSON object and lines for people; either may
 * be NULL. Writes no file and charges nothing. `target` NULL: the schema's. `key_path` is the
 * curator's secret key, required if the schema's ledger names the curator's public key; NULL:
 * none. Free both texts with sotto_free(). */
SOTTO_API SOTTO_MUST_CHECK sotto_status sotto_owner_check_rows(
    const sotto_schema *schema, const sotto_data_file *file, const char *target,
    const char *key_path, char **out_json, char **out_text, sotto_error *error);

#ifdef __cplusplus
}
#endif
#endif
