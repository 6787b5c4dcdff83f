#include "data/table.h"

#include "base/error.h"
#include "base/memory.h"

struct sot_table {
    const sot_matrix *matrix; /* borrowed */
    bool given;               /* in this pass */
};

sotto_status sot_table_of_matrix(const sot_matrix *matrix, sot_table **out_table,
                                 sotto_error *error)
{
    sot_table *table = sot_new_array(1, sizeof *table);
    if (table == NULL) return sot_fail_memory(error, 1, sizeof *table);
    table->matrix = matrix;
    *out_table = table;
    return SOTTO_OK;
}

void sot_table_free(sot_table *table)
{
    sot_free(table);
}

const sot_matrix *sot_table_matrix(const sot_table *table)
{
    return table->matrix;
}

sotto_status sot_table_rewind(sot_table *table, sotto_error *error)
{
    (void)error;
    table->given = false;
    return SOTTO_OK;
}

sotto_status sot_table_next(sot_table *table, const sot_matrix **out_chunk,
                            sotto_error *error)
{
    (void)error;
    *out_chunk = table->given ? NULL : table->matrix;
    table->given = true;
    return SOTTO_OK;
}
