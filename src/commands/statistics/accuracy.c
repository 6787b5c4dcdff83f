/* The share of rows that a model predicts right: the mean of a boolean; and the rows of every statistic of a
 * model. Claims: release.md. */
#include "base/error.h"
#include "base/memory.h"
#include "commands/statistics/release.h"
#include "data/batches/unit.h"

/* Not a column of any file: 1 where the model is right. */
static const sotto_column right = {.name = "right",
                                   .type = SOTTO_COLUMN_BOOLEAN,
                                   .lower = 0.0,
                                   .upper = 1.0,
                                   .bounded = true,
                                   .scaling = SOTTO_SCALE_NONE,
                                   .width = 1.0};

sotto_status sot_release_need_classifier(const sot_release *release, sotto_error *error)
{
    const sotto_model *model = release->config->model;
    const char *name = release->statistic->name;
    if (model == NULL) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "`model` is missing: the %s needs a model; give one", name);
    }
    if (release->schema != sotto_model_schema(model)) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "the %s needs the model's own schema; give sotto_model_schema()",
                        name);
    }
    if (sotto_model_predicts(model) == SOTTO_PREDICTS_NUMBER) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "the model %s predicts numbers and has no %s; evaluate it on "
                        "public rows with `data_is_public=true`",
                        sotto_model_kind_name(sotto_model_kind_of(model)), name);
    }
    return sot_model_check_threshold(model, release->config->threshold, error);
}

static sotto_status prepare_accuracy(sot_release *release, sotto_error *error)
{
    const sotto_status status = sot_release_need_classifier(release, error);
    if (status != SOTTO_OK) return status;
    release->described = &right;
    return sot_statistic_mean.prepare(release, error);
}

static double judge_accuracy(const sot_release *release, const sot_scorer *scorer)
{
    const double threshold = release->config->threshold;
    return sot_scorer_decide(scorer, threshold) == scorer->label ? 1.0 : 0.0;
}

static sotto_status take_accuracy(sot_release *release, double value, sotto_error *error)
{
    return sot_statistic_mean.take(release, value, error);
}

static sotto_status publish_accuracy(sot_release *release, sotto_gate *gate,
                                     sotto_error *error)
{
    const sotto_status status = sot_statistic_mean.publish(release, gate, error);
    if (status != SOTTO_OK) return status;
    char *label = sot_copy_string("accuracy");
    if (label == NULL) return sot_fail_memory(error, 1, sizeof "accuracy");
    sot_free(release->values[0].label);
    release->values[0].label = label;
    return SOTTO_OK;
}

static sotto_status restate_accuracy(sot_release *release, const sot_json_value *file,
                                     sotto_error *error)
{
    return sot_statistic_mean.restate(release, file, error);
}

const sot_statistic sot_statistic_accuracy = {.name = "accuracy",
                                              .needs_column = false,
                                              .judge = judge_accuracy,
                                              .prepare = prepare_accuracy,
                                              .take = take_accuracy,
                                              .publish = publish_accuracy,
                                              .restate = restate_accuracy};

/* ---- the rows ---- */

enum { SLOTS_ROOM = 512 };
#define NOT_KEPT UINT64_MAX

/* Asks the record's unit for a slot. A network's rows are read ahead of their scores, so the slots wait in a queue. */
static sotto_status offer(void *context, const sot_record *record, sotto_error *error)
{
    sot_accuracy_rows *rows = context;
    bool is_kept = false;
    uint64_t slot = 0;
    const sotto_status status = sot_units_offer(
        rows->units, record->unit, record->unit_bytes, &is_kept, &slot, error);
    if (status != SOTTO_OK) return status;
    if (rows->next_slot == rows->slot_count) rows->next_slot = rows->slot_count = 0;
    if (rows->slot_count == rows->slot_room) {
        const size_t room = rows->slot_room == 0 ? SLOTS_ROOM : 2 * rows->slot_room;
        uint64_t *slots =
            sot_move_array(rows->slots, rows->slot_room, room, sizeof *slots);
        if (slots == NULL) return sot_fail_memory(error, room, sizeof *slots);
        rows->slots = slots;
        rows->slot_room = room;
    }
    rows->slots[rows->slot_count++] = is_kept ? slot : NOT_KEPT;
    return SOTTO_OK;
}

sotto_status sot_accuracy_open(const sot_release *release, const sotto_data_file *file,
                               sot_accuracy_rows *out_rows, sotto_error *error)
{
    sotto_status status =
        sot_source_open(file, release->schema, false, &out_rows->source, error);
    if (status == SOTTO_OK && release->has_unit)
        status = sot_source_check_training(out_rows->source, error);
    if (status != SOTTO_OK) return status;
    return sot_scorer_open(release->config->model, &out_rows->scorer, error);
}

/* The row just scored: counted now, or put where its unit keeps it. */
static sotto_status take_scored(sot_release *release, sot_accuracy_rows *rows,
                                double value, sotto_error *error)
{
    if (rows->units == NULL) return sot_release_take(release, value, error);
    const uint64_t slot = rows->slots[rows->next_slot++];
    return slot == NOT_KEPT ? SOTTO_OK
                            : sot_kept_put(&rows->kept, (size_t)slot, value, error);
}

sotto_status sot_accuracy_read(sot_release *release, sot_accuracy_rows *rows,
                               sotto_rng *rng, sotto_error *error)
{
    sot_scorer *scorer = &rows->scorer;
    sotto_status status = SOTTO_OK;
    bool more = true;
    if (release->has_unit) {
        status = sot_units_new(release->unit_rows, rng, &rows->units, error);
        scorer->on_record = offer;
        scorer->on_record_context = rows;
    }
    while (status == SOTTO_OK && more) {
        status = sot_scorer_next(scorer, rows->source, &more, error);
        if (status != SOTTO_OK || !more) break;
        const double value = release->statistic->judge(release, scorer);
        release->lines++;
        status = take_scored(release, rows, value, error);
    }
    if (status == SOTTO_OK) status = sot_kept_take(release, &rows->kept, error);
    return status;
}

void sot_accuracy_close(sot_accuracy_rows *rows)
{
    sot_scorer_close(&rows->scorer);
    sot_source_close(rows->source);
    sot_units_free(rows->units);
    sot_kept_clear(&rows->kept);
    sot_wipe_and_free(rows->slots, rows->slot_room * sizeof *rows->slots);
}
