/* The parts of a schema that divide columns into bins, for additive models. */
#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "data/schema/parts.h"

/* ---- bin edges of a number ---- */

sotto_status sot_schema_read_bin_edges(const sot_json_value *value, sotto_column *column,
                                       sotto_error *error)
{
    sot_json_value list;
    if (!sot_json_member(value, "bin_edges", &list)) return SOTTO_OK;
    if (!column->bounded) {
        return sot_json_refuse(&list, "give the column lower and upper before bin edges",
                               error);
    }
    sotto_status status = sot_json_as_array(&list, error);
    if (status != SOTTO_OK) return status;
    const size_t count = sot_json_size(&list);
    if (count == 0 || count > SOT_SCHEMA_EDGES_MAX)
        return sot_json_refuse(&list, "give between 1 and 1023 edges", error);
    double *edges = sot_new_array(count, sizeof *edges);
    if (edges == NULL) return sot_fail_memory(error, count, sizeof *edges);
    column->bin_edges = edges;
    column->bin_edge_count = count;
    for (size_t i = 0; i < count; i++) {
        const sot_json_value item = sot_json_item(&list, i);
        status = sot_json_as_double(&item, &edges[i], error);
        if (status != SOTTO_OK) return status;
        const double last = i == 0 ? column->lower : edges[i - 1];
        if (edges[i] > last && edges[i] <= column->upper) continue;
        return sot_json_refuse(&item,
                               "give ascending numbers above lower and not above upper: "
                               "each begins a bin",
                               error);
    }
    return SOTTO_OK;
}

/* ---- the order of categories ---- */

sotto_status sot_schema_read_order(const sot_json_value *value, sotto_column *column,
                                   sotto_error *error)
{
    sot_json_value member;
    if (!sot_json_member(value, "ordered", &member)) return SOTTO_OK;
    return sot_json_as_bool(&member, &column->ordered, error);
}
