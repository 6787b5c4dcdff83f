#include "commands/audit/model_scores.h"

#include <math.h>
#include <string.h>

#include "artifact/model_file/model.h"
#include "base/error.h"
#include "base/memory.h"
#include "commands/train/public.h"
#include "data/source/source.h"
#include "models/concept/classes/concept.h"
#include "models/network/engine/scores.h"

enum { ROOM_FIRST = 1024 };

/* A network that diverged has margins that are no numbers: it says nothing, and all classes are equal, as
 * sot_model_softmax() has it. */
double sot_log_odds(const double *margins, size_t count, size_t label)
{
    double most = -INFINITY, sum = 0.0;
    for (size_t i = 0; i < count; i++) {
        if (!isfinite(margins[i])) return -log((double)(count - 1));
        if (i != label) most = fmax(most, margins[i]);
    }
    for (size_t i = 0; i < count; i++)
        if (i != label) sum += exp(margins[i] - most);
    return margins[label] - most - log(sum);
}

static double score_of(const sot_scorer *scorer)
{
    const sotto_model *model = scorer->model;
    if (model->prediction == SOTTO_PREDICTS_NUMBER) {
        const double error = scorer->outputs[0] - scorer->number;
        return -error * error;
    }
    if (model->margins > 1)
        return sot_log_odds(scorer->margins, model->margins, scorer->label);
    if (model->prediction == SOTTO_PREDICTS_SCORE)
        return scorer->label == 1 ? scorer->outputs[0] : -scorer->outputs[0];
    const double margin = isnan(scorer->margins[0]) ? 0.0 : scorer->margins[0];
    return scorer->label == 1 ? margin : -margin;
}

static sotto_status append(sot_confidences *out, size_t *room, double value,
                           sotto_error *error)
{
    if (out->count == *room) {
        const size_t more = *room == 0 ? ROOM_FIRST : 2 * *room;
        double *values = sot_new_array(more, sizeof *values);
        if (values == NULL) return sot_fail_memory(error, more, sizeof *values);
        if (out->count > 0) memcpy(values, out->values, out->count * sizeof *values);
        sot_free(out->values);
        out->values = values;
        *room = more;
    }
    out->values[out->count++] = value;
    return SOTTO_OK;
}

sotto_status sot_confidences_of(const sotto_model *model, const sotto_data_file *file,
                                sot_confidences *out, sotto_error *error)
{
    sot_source *source = NULL;
    sot_scorer scorer;
    size_t room = 0;
    bool more = true;
    *out = (sot_confidences){.values = NULL};
    sotto_status status = sot_source_open(file, model->schema, false, &source, error);
    if (status != SOTTO_OK) return status;
    status = sot_scorer_open(model, &scorer, error);
    if (status == SOTTO_OK) {
        while (status == SOTTO_OK && more) {
            status = sot_scorer_next(&scorer, source, &more, error);
            if (status == SOTTO_OK && more)
                status = append(out, &room, score_of(&scorer), error);
        }
        sot_scorer_close(&scorer);
    }
    sot_source_close(source);
    return status;
}

/* ---- encoded rows ---- */

typedef struct row_judge {
    const sotto_model *model;
    const sot_matrix *matrix;
    sot_scorer scorer;
    double *out;
} row_judge;

/* For a row with margins: the confidence in the matrix's true label. With two classes labels are
 * -1 and 1, with more their places. */
static void conclude(row_judge *judge, size_t row)
{
    const sot_encoding *encoding = judge->model->encoding;
    const double label = judge->matrix->labels[row];
    if (sot_encoding_role(encoding) == SOT_TARGET_CLASSES) {
        const bool two = sot_encoding_classes(encoding) == 2;
        judge->scorer.label = two ? (label > 0.0 ? 1 : 0) : (size_t)label;
    } else {
        judge->scorer.number = sot_encoding_target_value(encoding, label);
    }
    sot_scorer_conclude(&judge->scorer);
    judge->out[row] = score_of(&judge->scorer);
}

static void judge_row(row_judge *judge, size_t row)
{
    const sotto_model *model = judge->model;
    const sot_matrix *matrix = judge->matrix;
    sot_scorer *scorer = &judge->scorer;
    if (model->concept != NULL) {
        const uint32_t *places = matrix->cells + row * matrix->columns;
        scorer->margins[0] =
            sot_concept_says(model->concept, model->coefficients, places) ? 1.0 : -1.0;
    } else {
        double *margins =
            scorer->draw_margins != NULL ? scorer->draw_margins : scorer->margins;
        for (size_t k = 0; k < model->draws * model->margins; k++)
            margins[k] =
                sot_public_margin(matrix, row, model->coefficients + k * matrix->columns);
    }
    conclude(judge, row);
}

static void judge_scores(size_t row, const float *scores, void *context)
{
    row_judge *judge = context;
    for (size_t k = 0; k < judge->model->margins; k++)
        judge->scorer.margins[k] = (double)scores[k];
    conclude(judge, row);
}

static sotto_status judge_by_network(row_judge *judge, size_t threads, sotto_error *error)
{
    sot_scores_kit kit = {0};
    sotto_status status = sot_scores_kit_open(
        judge->model->net, judge->model->coefficients, threads, &kit, error);
    if (status == SOTTO_OK)
        status = sot_scores_visit(kit.scores, kit.parameters, judge->matrix, judge_scores,
                                  judge, error);
    sot_scores_kit_close(&kit);
    return status;
}

sotto_status sot_confidences_of_rows(const sotto_model *model, const sot_matrix *matrix,
                                     size_t threads, double *out, sotto_error *error)
{
    sotto_model margins_given = *model;
    margins_given.net = NULL; /* the scorer reads no rows */
    row_judge judge = {.model = model, .matrix = matrix, .out = out};
    sotto_status status = sot_scorer_open(&margins_given, &judge.scorer, error);
    if (status != SOTTO_OK) return status;
    if (model->net != NULL)
        status = judge_by_network(&judge, threads, error);
    else
        for (size_t i = 0; i < matrix->rows; i++)
            judge_row(&judge, i);
    sot_scorer_close(&judge.scorer);
    return status;
}
