/* The share of rows that a model predicts right: the mean of a boolean. Claims: release.md. */
#include "base/error.h"
#include "base/memory.h"
#include "run/release.h"

/* Not a column of any file: 1 where the model is right. */
static const sotto_column right = {.name = "right",
                                   .type = SOTTO_COLUMN_BOOLEAN,
                                   .lower = 0.0,
                                   .upper = 1.0,
                                   .bounded = true,
                                   .scaling = SOTTO_SCALE_NONE,
                                   .width = 1.0};

static sotto_status prepare_accuracy(sot_release *release, sotto_error *error)
{
    const sotto_model *model = release->config->model;
    if (model == NULL) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "the accuracy is that of a model; give one");
    }
    if (release->schema != sotto_model_schema(model)) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "the accuracy needs the model's own schema; give "
                        "sotto_model_schema()");
    }
    if (sotto_model_predicts(model) == SOTTO_PREDICTS_NUMBER) {
        return sot_fail(
            error, SOTTO_INVALID_ARGUMENT,
            "the accuracy is a share of right classes, and the model %s predicts "
            "numbers; evaluate it on public rows",
            sotto_model_kind_name(sotto_model_kind_of(model)));
    }
    const sotto_status status =
        sot_model_check_threshold(model, release->config->threshold, error);
    if (status != SOTTO_OK) return status;
    release->described = &right;
    return sot_statistic_mean.prepare(release, error);
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

const sot_statistic sot_statistic_accuracy = {.name = "accuracy",
                                              .needs_column = false,
                                              .prepare = prepare_accuracy,
                                              .take = take_accuracy,
                                              .publish = publish_accuracy};

/* ---- the rows ---- */

sotto_status sot_accuracy_open(const sot_release *release, const sotto_data_file *file,
                               sot_accuracy_rows *out_rows, sotto_error *error)
{
    const sotto_status status =
        sot_source_open(file, release->schema, false, &out_rows->source, error);
    if (status != SOTTO_OK) return status;
    return sot_scorer_open(release->config->model, &out_rows->scorer, error);
}

sotto_status sot_accuracy_read(sot_release *release, sot_accuracy_rows *rows,
                               sotto_error *error)
{
    const double threshold = release->config->threshold;
    sot_scorer *scorer = &rows->scorer;
    bool more = false;
    sotto_status status = sot_scorer_next(scorer, rows->source, &more, error);
    while (status == SOTTO_OK && more) {
        const bool hit = sot_scorer_decide(scorer, threshold) == scorer->label;
        release->lines++;
        release->rows++;
        status = release->statistic->take(release, hit ? 1.0 : 0.0, error);
        if (status == SOTTO_OK)
            status = sot_scorer_next(scorer, rows->source, &more, error);
    }
    return status;
}

void sot_accuracy_close(sot_accuracy_rows *rows)
{
    sot_scorer_close(&rows->scorer);
    sot_source_close(rows->source);
}
