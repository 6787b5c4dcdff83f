#include "audit/shadows.h"

#include <math.h>
#include <string.h>

#include "audit/model_scores.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/threads.h"
#include "data/matrix.h"
#include "release/model.h"
#include "run/train.h"
#include "run/train_public.h"

/* From so many shadow models of one kind on an example has a deviation of its own. */
enum { OWN_DEVIATION = 64 };

typedef struct shadow_room {
    const sotto_model *model;
    const sotto_membership_config *config;
    sotto_training *training;
    sot_matrix *parts[2]; /* members, others */
    size_t rows;          /* of both */
    sot_rng_family family;
    bool *taken;     /* shadows x rows */
    double *phi;     /* shadows x rows */
    double *own_phi; /* of the model under attack: rows */
} shadow_room;

/* ---- confidences ---- */

/* As sot_confidences_of(), from coefficients: the odds of the true class, y times the margin, or minus the squared error in
 * encoded units. `margins` has room for one a class. */
static double phi_of(const shadow_room *room, const double *theta, size_t row,
                     double *margins)
{
    const bool first = row < room->parts[0]->rows;
    const sot_matrix *matrix = room->parts[first ? 0 : 1];
    const size_t at = first ? row : row - room->parts[0]->rows;
    const size_t classes = room->model->margins;
    if (classes > 1) {
        for (size_t i = 0; i < classes; i++)
            margins[i] = sot_public_margin(matrix, at, theta + i * matrix->columns);
        /* Of two classes the labels are -1 and 1, of more their places. */
        const double place =
            classes == 2 ? (matrix->labels[at] > 0.0 ? 1.0 : 0.0) : matrix->labels[at];
        return sot_log_odds(margins, classes, (size_t)place);
    }
    const double margin = sot_public_margin(matrix, at, theta);
    if (room->model->prediction != SOTTO_PREDICTS_NUMBER)
        return matrix->labels[at] * margin;
    return -(margin - matrix->labels[at]) * (margin - matrix->labels[at]);
}

/* ---- one shadow ---- */

static sotto_status train_shadow(const shadow_room *room, const sot_matrix *rows,
                                 sotto_rng *rng, double *theta, sotto_error *error)
{
    sotto_gate *gate = NULL;
    sotto_status status = SOTTO_OK;
    if (room->training->plan != NULL) {
        status = sotto_gate_new(room->training->plan, rng, &gate, error);
        if (status == SOTTO_OK) status = sotto_gate_open(gate, error);
    }
    if (status == SOTTO_OK)
        status = sot_training_learn(room->training, gate, rows, theta, error);
    sotto_gate_free(gate);
    return status;
}

static sotto_status run_shadow(const shadow_room *room, size_t shadow, sotto_error *error)
{
    const size_t count = sot_learner_coefficients(room->training->learner);
    bool *taken = room->taken + shadow * room->rows;
    sot_matrix *rows = NULL;
    sotto_rng rng;
    /* The coefficients, and behind them room for one margin a class. */
    double *theta = sot_new_array(count + room->model->margins, sizeof *theta);
    if (theta == NULL)
        return sot_fail_memory(error, count + room->model->margins, sizeof *theta);
    sot_rng_stream_start(&room->family, shadow, &rng);
    for (size_t i = 0; i < room->rows; i++)
        taken[i] = (sot_rng_u64(&rng) & 1) != 0;
    sotto_status status =
        sot_public_take(room->parts[0], room->parts[1], taken, &rows, error);
    if (status == SOTTO_OK) status = train_shadow(room, rows, &rng, theta, error);
    for (size_t i = 0; status == SOTTO_OK && i < room->rows; i++)
        room->phi[shadow * room->rows + i] = phi_of(room, theta, i, theta + count);
    sot_matrix_free(rows);
    sot_rng_wipe(&rng);
    sot_free(theta);
    return status;
}

static sotto_status run_chunk(size_t chunk, size_t begin, size_t end, void *context,
                              sotto_error *error)
{
    (void)chunk;
    sotto_status status = SOTTO_OK;
    for (size_t i = begin; i < end && status == SOTTO_OK; i++)
        status = run_shadow(context, i, error);
    return status;
}

static sotto_status run_shadows(shadow_room *room, sotto_error *error)
{
    sot_pool *pool = NULL;
    sotto_status status = sot_pool_new(room->config->threads, &pool, error);
    if (status == SOTTO_OK)
        status = sot_parallel_for(pool, (size_t)room->config->shadows, 1, run_chunk, room,
                                  error);
    sot_pool_free(pool);
    return status;
}

/* ---- fits and scores ---- */

/* The shadows' confidences in one row, of those that took it or of those that did not. */
static sotto_status fit(const shadow_room *room, size_t row, bool in, double *place,
                        sotto_lira_fit *out_fit, sotto_error *error)
{
    size_t count = 0;
    for (size_t s = 0; s < room->config->shadows; s++)
        if (room->taken[s * room->rows + row] == in)
            place[count++] = room->phi[s * room->rows + row];
    if (count == 0) {
        *out_fit = (sotto_lira_fit){.count = 0};
        return SOTTO_OK;
    }
    return sotto_lira_fit_of(place, count, out_fit, error);
}

static double score(const shadow_room *room, size_t row, const sotto_lira_fit *in,
                    const sotto_lira_fit *out)
{
    if (out->count == 0 || (in->count == 0 && !room->config->offline)) return 0.0;
    return room->config->offline
               ? sotto_lira_offline(room->own_phi[row], out, SOTTO_LIRA_MEAN)
               : sotto_lira_online(room->own_phi[row], in, out, SOTTO_LIRA_MEAN);
}

static sotto_status score_rows(const shadow_room *room, sotto_lira_fit *fits,
                               double *place, double *out_scores, sotto_error *error)
{
    sotto_lira_fit *ins = fits, *outs = fits + room->rows;
    sotto_status status = SOTTO_OK;
    for (size_t i = 0; i < room->rows && status == SOTTO_OK; i++) {
        status = fit(room, i, true, place, &ins[i], error);
        if (status == SOTTO_OK) status = fit(room, i, false, place, &outs[i], error);
    }
    if (status != SOTTO_OK) return status;
    if (room->config->shadows < 2 * OWN_DEVIATION) {
        const double in = sotto_lira_pooled_deviation(ins, room->rows);
        const double out = sotto_lira_pooled_deviation(outs, room->rows);
        for (size_t i = 0; i < room->rows; i++) {
            ins[i].deviation = in;
            outs[i].deviation = out;
        }
    }
    for (size_t i = 0; i < room->rows; i++)
        out_scores[i] = score(room, i, &ins[i], &outs[i]);
    return SOTTO_OK;
}

/* ---- the whole ---- */

static sotto_status load(const shadow_room *room, const sotto_data_file *file,
                         sotto_rng *rng, sot_matrix **out_matrix, sotto_error *error)
{
    sot_source *source = NULL;
    sotto_status status =
        sot_source_open(file, room->model->schema, false, &source, error);
    if (status == SOTTO_OK)
        status = sot_matrix_load(source, room->model->schema, room->training->encoding,
                                 rng, out_matrix, error);
    sot_source_close(source);
    return status;
}

static sotto_status check(const sotto_model *model, const sotto_membership_config *config,
                          sotto_error *error)
{
    if (config->shadows < 8 || config->shadows > 4096) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "%llu shadow models; give from 8 to 4096",
                        (unsigned long long)config->shadows);
    }
    if (model->net == NULL && model->concept == NULL && model->draws == 1 &&
        model->kind != SOTTO_MODEL_CUSTOM)
        return SOTTO_OK;
    return sot_fail(
        error, SOTTO_UNSUPPORTED,
        "shadow models are for linear models, and this one is a model %s; leave "
        "them out",
        sotto_model_kind_name(model->kind));
}

static sotto_status plan(shadow_room *room, sotto_error *error)
{
    sotto_train_config config = sotto_train_defaults();
    if (room->config->shadow != NULL) {
        config = *room->config->shadow;
    } else {
        config.method = SOTTO_METHOD_NONE;
        config.data_is_public = true;
    }
    config.model = room->model->kind;
    /* The corner of the hinge has no minimiser to compute; its smoothed form is as good. */
    if (config.model == SOTTO_MODEL_HINGE && config.method == SOTTO_METHOD_NONE)
        config.model = SOTTO_MODEL_SVM;
    config.threads = 1;
    return sotto_training_plan(&config, room->model->schema, &room->training, error);
}

static sotto_status make_room(shadow_room *room, sotto_lira_fit **out_fits,
                              double **out_place, sotto_error *error)
{
    const size_t shadows = (size_t)room->config->shadows;
    room->taken = sot_new_array(shadows * room->rows, sizeof *room->taken);
    room->phi = sot_new_array(shadows * room->rows, sizeof *room->phi);
    room->own_phi = sot_new_array(room->rows, sizeof *room->own_phi);
    *out_fits = sot_new_array(2 * room->rows, sizeof **out_fits);
    *out_place = sot_new_array(shadows, sizeof **out_place);
    if (room->taken == NULL || room->phi == NULL || room->own_phi == NULL ||
        *out_fits == NULL || *out_place == NULL)
        return sot_fail_memory(error, shadows * room->rows, sizeof *room->phi);
    return SOTTO_OK;
}

static sotto_status attack(shadow_room *room, sotto_rng *rng, double *out_scores,
                           sotto_error *error)
{
    sotto_lira_fit *fits = NULL;
    double *place = NULL;
    double *margins = sot_new_array(room->model->margins, sizeof *margins);
    sotto_status status =
        margins == NULL ? sot_fail_memory(error, room->model->margins, sizeof *margins)
                        : make_room(room, &fits, &place, error);
    for (size_t i = 0; status == SOTTO_OK && i < room->rows; i++)
        room->own_phi[i] = phi_of(room, room->model->coefficients, i, margins);
    if (status == SOTTO_OK)
        status = sot_rng_family_begin(rng, "audit: shadows", &room->family, error);
    if (status == SOTTO_OK) {
        status = run_shadows(room, error);
        sot_rng_family_end(&room->family);
    }
    if (status == SOTTO_OK) status = score_rows(room, fits, place, out_scores, error);
    sot_free(room->taken);
    sot_free(room->phi);
    sot_free(room->own_phi);
    sot_free(fits);
    sot_free(place);
    sot_free(margins);
    return status;
}

sotto_status sot_shadows_score(const sotto_model *model,
                               const sotto_membership_config *config, sotto_rng *rng,
                               size_t members, size_t others, double *out_scores,
                               sotto_error *error)
{
    shadow_room room = {.model = model, .config = config};
    sotto_status status = check(model, config, error);
    if (status == SOTTO_OK) status = plan(&room, error);
    if (status == SOTTO_OK)
        status = load(&room, &config->members, rng, &room.parts[0], error);
    if (status == SOTTO_OK)
        status = load(&room, &config->others, rng, &room.parts[1], error);
    if (status == SOTTO_OK &&
        (room.parts[0]->rows != members || room.parts[1]->rows != others)) {
        status = sot_fail(error, SOTTO_INVALID_ARGUMENT,
                          "shadow models are of rows; the schema's unit keeps some rows "
                          "of a person only; leave shadow models out");
    }
    if (status == SOTTO_OK) {
        room.rows = members + others;
        status = attack(&room, rng, out_scores, error);
    }
    sot_matrix_free(room.parts[0]);
    sot_matrix_free(room.parts[1]);
    sotto_training_free(room.training);
    return status;
}
