/* data/owner/owner.h: exact counts for the owner of the data, and the parts of a schema that the owner changed afterwards.
 *
 * Idea     Every cell counts as a value in the schema's range, without a message
 *          (data/cells/cell.h). So a wrong bound or a wrong label set wastes a budget silently.
 *          The owner may look at the rows anyway, and so may see the number of cells that the
 *          schema changes.
 * Secret   The counts are exact. No mechanism protects them; nothing here may be part of a release.
 * How      The rows are read by the same readers with a copy of the schema that has no bounds and the default NaN. So every
 *          format is covered, and a cell counts as changed exactly if it is changed in a training.
 */
#ifndef SOT_DATA_OWNER_OWNER_H
#define SOT_DATA_OWNER_OWNER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <sotto/data_file.h>
#include <sotto/schema.h>

/* Cells of one column, or all numbers of a matrix. */
typedef struct sot_cell_counts {
    const char *name;  /* borrowed from the schema */
    bool has_bounds;   /* numbers and integers: then the last four fields count */
    uint64_t defaults; /* missing, malformed, or of an unknown category */
    uint64_t below, above;
    double lower, upper;
} sot_cell_counts;

typedef struct sot_owner_counts {
    uint64_t rows;
    sot_cell_counts *
        columns; /* without id and ignored ones; of a matrix one, and the target if it is a number */
    size_t column_count;
    bool has_labels;
    uint64_t labels_outside; /* of the label set, missing ones included */
    bool has_unit;
    uint64_t rows_over_cap; /* that the unit's cap drops */
    uint64_t empty_ids;
    uint64_t
        not_read; /* of a matrix: entries that are malformed, repeated, or of no feature */
    bool has_norm; /* rows are clipped to a norm bound */
    double norm_bound;
    uint64_t rows_shortened;
} sot_owner_counts;

/* Reads all rows. `target` NULL: the schema's. The schema must outlive the counts; clear them with
 * sot_owner_clear(), also after a failure. */
SOTTO_MUST_CHECK sotto_status sot_owner_count(const sotto_schema *schema,
                                              const sotto_data_file *file,
                                              const char *target,
                                              sot_owner_counts *out_counts,
                                              sotto_error *error);
void sot_owner_clear(sot_owner_counts *counts); /* wipes */

/* Writes a sentence for the list of unprotected facts that names the parts of the schema whose "source" is
 * SOTTO_SOURCE_ADJUSTED. Returns false, and writes nothing, when there are none. */
enum { SOT_ADJUSTED_BYTES = 480 };
bool sot_schema_state_adjusted(const sotto_schema *schema, char out[SOT_ADJUSTED_BYTES]);

#endif
