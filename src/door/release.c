/* One statistic behind the front door, of rows of every kind. */
#include <sotto/release.h>

#include "door/rows.h"

sotto_status sotto_release(const sotto_release_config *config, const sotto_schema *schema,
                           const sotto_rows *rows, sotto_release_result **out_result,
                           sotto_error *error)
{
    const sotto_status status = sot_rows_check(rows, error);
    if (status != SOTTO_OK) return status;
    const sotto_data_file *file = sot_rows_file(rows);
    return file != NULL ? sotto_release_data(config, schema, file, out_result, error)
                        : sotto_release_records(config, schema, sot_rows_records(rows),
                                                out_result, error);
}
