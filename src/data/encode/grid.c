#include "data/encode/grid.h"

#include <assert.h>
#include <math.h>

static uint32_t place_among_cuts(const sot_cells_grid *grid, double value)
{
    uint64_t low = 0; /* `cuts[low - 1] <= value < cuts[high]` */
    uint64_t high = grid->cells - 1;
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        if (grid->cuts[middle] <= value) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return (uint32_t)low;
}

uint32_t sot_cells_place(const sot_cells_grid *grid, double value)
{
    assert(!grid->indicator);
    if (!isfinite(value)) value = grid->missing;
    if (grid->cuts != NULL) return place_among_cuts(grid, value);
    /* Each step is monotone when it is rounded, so their sequence is. */
    const double width = (grid->upper - grid->lower) / (double)grid->cells;
    const double place = floor((value - grid->lower) / width);
    if (!(place > 0.0)) return 0; /* NaN too, should a grid be without width */
    if (place >= (double)grid->cells) return (uint32_t)(grid->cells - 1);
    return (uint32_t)place;
}

/* Records that list all features have each at its own place. */
double sot_record_number(const sot_record *record, size_t column)
{
    size_t low = 0;
    size_t high = record->count;
    if (column < high && record->indices[column] == column) return record->values[column];
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (record->indices[middle] < column) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < record->count && record->indices[low] == column ? record->values[low]
                                                                 : 0.0;
}

uint32_t sot_cells_of_record(const sot_cells_grid *grid, const sot_record *record)
{
    if (record->cells == NULL) {
        assert(!grid->indicator);
        return sot_cells_place(grid, sot_record_number(record, grid->column));
    }
    const double cell = record->cells[grid->column];
    if (grid->indicator) return cell == (double)grid->value ? 1 : 0;
    return sot_cells_place(grid, cell);
}

double sot_cells_edge(const sot_cells_grid *grid, uint64_t place)
{
    assert(place >= 1 && place < grid->cells);
    if (grid->indicator) return 1.0;
    if (grid->cuts != NULL) return grid->cuts[place - 1];
    return grid->lower +
           (double)place * ((grid->upper - grid->lower) / (double)grid->cells);
}
