/* Thresholds and stumps: one line of thresholds, feature after feature, the flipped ones
 * after the others. */
#include "base/error.h"
#include "base/memory.h"
#include "models/concept/learn/parts.h"

static size_t polarities(const sot_concept_class *class)
{
    return class->both || class->kind == SOT_CONCEPT_STUMPS ? 2 : 1;
}

/* ---- public ---- */

/* Returns the measure of the thresholds below `cut` of a feature. */
static uint64_t measure_below(const sot_pac *pac, size_t feature, uint64_t cut)
{
    return pac->sums == NULL || pac->sums[feature] == NULL ? cut
                                                           : pac->sums[feature][cut];
}

static uint64_t measure_of(const sot_pac *pac, size_t feature)
{
    return measure_below(pac, feature, pac->class->grids[feature].cells + 1);
}

static sotto_status add_weights(sot_pac *pac, sotto_error *error)
{
    const sot_concept_class *class = pac->class;
    pac->sums = sot_new_array(class->features, sizeof *pac->sums);
    if (pac->sums == NULL)
        return sot_fail_memory(error, class->features, sizeof *pac->sums);
    for (size_t j = 0; j < class->features; j++) {
        if (class->weights[j] == NULL) continue; /* 1 each */
        const size_t cuts = (size_t) class->grids[j].cells + 1;
        pac->sums[j] = sot_new_array(cuts + 1, sizeof *pac->sums[j]);
        if (pac->sums[j] == NULL)
            return sot_fail_memory(error, cuts + 1, sizeof *pac->sums[j]);
        for (size_t cut = 0; cut < cuts; cut++)
            pac->sums[j][cut + 1] = pac->sums[j][cut] + class->weights[j][cut];
    }
    return SOTTO_OK;
}

sotto_status sot_pac_cuts_measure(sot_pac *pac, uint64_t *out_measure, sotto_error *error)
{
    const sot_concept_class *class = pac->class;
    const uint64_t most = UINT64_C(1) << 62;
    if (class->weights != NULL) {
        const sotto_status status = add_weights(pac, error);
        if (status != SOTTO_OK) return status;
    }
    uint64_t measure = 0;
    for (size_t j = 0; j < class->features; j++) {
        const uint64_t more = polarities(class) * measure_of(pac, j);
        if (more > most - measure) {
            return sot_fail(
                error, SOTTO_INVALID_ARGUMENT,
                "the class has more than 2^62 cut points; give fewer \"bits\"");
        }
        measure += more;
    }
    if (measure == 0) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "all weights of the class are 0; give at least one cut point a "
                        "weight above 0");
    }
    *out_measure = measure;
    return SOTTO_OK;
}

/* Returns the threshold at a point of a feature's measure: the last one with at most
 * `point` below it and a positive weight. */
static uint64_t cut_at(const sot_pac *pac, size_t feature, uint64_t point)
{
    if (pac->sums == NULL || pac->sums[feature] == NULL) return point;
    uint64_t low = 0, high = pac->class->grids[feature].cells;
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        if (pac->sums[feature][middle + 1] > point) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return low;
}

static void write_concept(const sot_pac *pac, uint64_t point, double *out_numbers)
{
    size_t feature = 0;
    bool flipped = false;
    while (point >= measure_of(pac, feature)) {
        point -= measure_of(pac, feature);
        if (polarities(pac->class) == 1 || flipped) feature++;
        flipped = polarities(pac->class) == 2 && !flipped;
    }
    if (pac->class->kind == SOT_CONCEPT_STUMPS) *out_numbers++ = (double)feature;
    out_numbers[0] = (double)cut_at(pac, feature, point);
    out_numbers[1] = flipped ? 1.0 : 0.0;
}

/* ---- secret ---- */

/* The threshold c errs on the yes below it and the no above: no + G(c) records (line.h). Flipped
 * it errs on all others: yes - G(c). */
static sotto_status add_cuts(const sot_pac *pac, const sot_view *view, size_t feature,
                             const sot_line *line, bool flipped, uint64_t begin,
                             sot_pac_cells *cells, sotto_error *error)
{
    const uint64_t last_cut = pac->class->grids[feature].cells;
    int64_t sum = 0;
    sotto_status status = SOTTO_OK;
    for (size_t i = 0; i <= line->count && status == SOTTO_OK; i++) {
        const uint64_t cut = i < line->count ? line->places[i] : last_cut;
        const int64_t errors =
            flipped ? (int64_t)view->yes - sum : (int64_t)view->no + sum;
        const uint64_t end = begin + measure_below(pac, feature, cut + 1);
        status = sot_pac_cells_add(cells, -errors, end, error);
        if (i < line->count) sum += line->nets[i];
    }
    return status;
}

/* Lines are about as long as the first one, where the grid allows: so the cells need not be moved as they grow. */
static sotto_status reserve(const sot_pac *pac, const sot_line *first,
                            sot_pac_cells *cells, sotto_error *error)
{
    size_t room = 0;
    for (size_t j = 0; j < pac->class->features; j++) {
        const uint64_t grid = pac->class->grids[j].cells;
        room += polarities(pac->class) *
                (1 + (grid < first->count ? (size_t)grid : first->count));
    }
    return sot_pac_cells_reserve(cells, room, error);
}

static sotto_status add_feature(const sot_pac *pac, const sot_view *view, size_t feature,
                                uint64_t begin, sot_pac_cells *cells, sotto_error *error)
{
    sot_line line = {0};
    sotto_status status = sot_view_line(view, feature, &line, error);
    if (status != SOTTO_OK) return status;
    if (feature == 0) status = reserve(pac, &line, cells, error);
    if (status == SOTTO_OK)
        status = add_cuts(pac, view, feature, &line, false, begin, cells, error);
    if (status == SOTTO_OK && polarities(pac->class) == 2) {
        status = add_cuts(pac, view, feature, &line, true,
                          begin + measure_of(pac, feature), cells, error);
    }
    sot_line_free(&line);
    return status;
}

sotto_status sot_pac_learn_cuts(const sot_pac *pac, sotto_gate *gate, sot_table *table,
                                sot_pool *pool, double *out_numbers, sotto_error *error)
{
    (void)pool;
    sot_view view = {0};
    sot_pac_cells cells = {0};
    uint64_t begin = 0, point = 0;
    sotto_status status =
        sot_view_new(pac->class, 0, pac->class->features, NULL, table, &view, error);
    for (size_t j = 0; j < pac->class->features && status == SOTTO_OK; j++) {
        status = add_feature(pac, &view, j, begin, &cells, error);
        begin += polarities(pac->class) * measure_of(pac, j);
    }
    if (status == SOTTO_OK)
        status = sot_pac_choose_point(pac, gate, &cells, &point, error);
    if (status == SOTTO_OK) write_concept(pac, point, out_numbers);
    sot_pac_cells_free(&cells);
    sot_view_free(&view);
    return status;
}
