#include "commands/audit/shadows.h"

#include <math.h>

#include "artifact/model_file/model.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/threads.h"
#include "commands/audit/model_scores.h"
#include "commands/train/public.h"
#include "commands/train/train.h"
#include "data/batches/matrix.h"

/* With at least this number of shadow models of one kind, an example has its own
 * deviation. */
enum { OWN_DEVIATION = 64 };

/* No confidence counts as larger: sums of squares, over a deviation of at least 1e-30, stay numbers. */
#define PHI_MOST 1e100

typedef struct shadow_room {
    const sotto_model *model;
    const sotto_membership_config *config;
    sotto_training *training;
    bool alone;           /* shadows are trained one after another, each by all threads */
    sot_matrix *parts[2]; /* members, others */
    size_t rows;          /* of both */
    sot_rng_family family;
    bool *taken;     /* shadows x rows */
    double *phi;     /* shadows x rows: sot_confidences_of_rows() */
    double *own_phi; /* of the model under attack: rows */
} shadow_room;

/* ---- confidences ---- */

static sotto_status find_phi(const shadow_room *room, const sotto_model *model,
                             size_t threads, double *out, sotto_error *error)
{
    sotto_status status =
        sot_confidences_of_rows(model, room->parts[0], threads, out, error);
    if (status == SOTTO_OK)
        status = sot_confidences_of_rows(model, room->parts[1], threads,
                                         out + room->parts[0]->rows, error);
    for (size_t i = 0; status == SOTTO_OK && i < room->rows; i++)
        out[i] = fmax(-PHI_MOST, fmin(PHI_MOST, out[i]));
    return status;
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

/* A fair coin for each row. Nothing is learned from no row at all: then it is one, drawn. */
static void toss(sotto_rng *rng, bool *taken, size_t rows)
{
    bool any = false;
    for (size_t i = 0; i < rows; i++) {
        taken[i] = (sot_rng_u64(rng) & 1) != 0;
        any = any || taken[i];
    }
    if (!any) taken[sot_rng_below(rng, rows)] = true;
}

static sotto_status run_shadow(const shadow_room *room, size_t shadow, sotto_error *error)
{
    const sot_learner *learner = room->training->learner;
    const size_t count = sot_learner_coefficients(learner);
    bool *taken = room->taken + shadow * room->rows;
    sot_matrix *rows = NULL;
    sotto_rng rng;
    double *theta = sot_new_array(count, sizeof *theta);
    if (theta == NULL) return sot_fail_memory(error, count, sizeof *theta);
    sot_rng_stream_start(&room->family, shadow, &rng);
    toss(&rng, taken, room->rows);
    sotto_status status =
        sot_public_take(room->parts[0], room->parts[1], taken, &rows, error);
    if (status == SOTTO_OK) status = train_shadow(room, rows, &rng, theta, error);
    sot_matrix_free(rows);
    if (status == SOTTO_OK) {
        sotto_model made = *room->model;
        made.coefficients = theta;
        made.draws = learner->draws > 1 ? learner->draws : 1;
        made.net = learner->net;
        status = find_phi(room, &made, room->training->config.threads,
                          room->phi + shadow * room->rows, error);
    }
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
    sotto_status status =
        sot_pool_new(room->alone ? 1 : room->config->threads, &pool, error);
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
    /* Where there is nothing to compare with: as likely as not. */
    const bool offline = room->config->offline;
    if (out->count == 0 || (in->count == 0 && !offline)) return offline ? 0.5 : 0.0;
    return offline ? sotto_lira_offline(room->own_phi[row], out, SOTTO_LIRA_MEAN)
                   : sotto_lira_online(room->own_phi[row], in, out, SOTTO_LIRA_MEAN);
}

static sotto_status score_by_normals(const shadow_room *room, sotto_lira_fit *fits,
                                     double *place, double *out_scores,
                                     sotto_error *error)
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

/* A concept predicts yes or no, with confidence 1 or -1: rates, not normal
 * distributions. */
static void score_by_labels(const shadow_room *room, double *out_scores)
{
    for (size_t i = 0; i < room->rows; i++) {
        sotto_lira_labels in = {0}, out = {0};
        for (size_t s = 0; s < room->config->shadows; s++) {
            sotto_lira_labels *kind = room->taken[s * room->rows + i] ? &in : &out;
            kind->count++;
            if (room->phi[s * room->rows + i] > 0.0) kind->right++;
        }
        const bool right = room->own_phi[i] > 0.0;
        out_scores[i] = room->config->offline
                            ? sotto_lira_labels_offline(right, &out)
                            : sotto_lira_labels_online(right, &in, &out);
    }
}

static sotto_status score_rows(const shadow_room *room, double *out_scores,
                               sotto_error *error)
{
    if (room->model->concept != NULL) {
        score_by_labels(room, out_scores);
        return SOTTO_OK;
    }
    const size_t shadows = (size_t)room->config->shadows;
    sotto_lira_fit *fits = sot_new_array(2 * room->rows, sizeof *fits);
    double *place = sot_new_array(shadows, sizeof *place);
    const sotto_status status =
        fits == NULL || place == NULL
            ? sot_fail_memory(error, 2 * room->rows, sizeof *fits)
            : score_by_normals(room, fits, place, out_scores, error);
    sot_free(fits);
    sot_free(place);
    return status;
}

/* ---- the whole ---- */

static sotto_status load(const shadow_room *room, const sotto_data_file *file,
                         sotto_rng *rng, sot_matrix **out_matrix, sotto_error *error)
{
    sot_source *source = NULL;
    sotto_status status =
        sot_source_open(file, room->model->schema, false, &source, error);
    if (status == SOTTO_OK) sot_source_set_threads(source, room->config->threads);
    if (status == SOTTO_OK)
        status = sot_matrix_load(source, room->model->schema, room->training->encoding,
                                 rng, out_matrix, error);
    sot_source_close(source);
    return status;
}

/* Threads may share a training, each with its own rows, except with data norms. Those are stored
 * in the learner's network while it learns and is scored. */
static sotto_status plan(shadow_room *room, sotto_error *error)
{
    const sotto_status status =
        sot_shadows_plan(room->model, room->config, room->rows, &room->training, error);
    if (status != SOTTO_OK) return status;
    for (size_t i = 0; i < SOT_NET_LAYERS_MAX; i++)
        room->alone = room->alone || room->training->fresh_norms[i];
    room->training->config.threads = room->alone ? room->config->threads : 1;
    return SOTTO_OK;
}

static sotto_status make_room(shadow_room *room, sotto_error *error)
{
    const size_t shadows = (size_t)room->config->shadows;
    room->taken = sot_new_array(shadows * room->rows, sizeof *room->taken);
    room->phi = sot_new_array(shadows * room->rows, sizeof *room->phi);
    room->own_phi = sot_new_array(room->rows, sizeof *room->own_phi);
    if (room->taken == NULL || room->phi == NULL || room->own_phi == NULL)
        return sot_fail_memory(error, shadows * room->rows, sizeof *room->phi);
    return SOTTO_OK;
}

static sotto_status attack(shadow_room *room, sotto_rng *rng, double *out_scores,
                           sotto_error *error)
{
    sotto_status status = make_room(room, error);
    if (status == SOTTO_OK)
        status = find_phi(room, room->model, room->config->threads, room->own_phi, error);
    if (status == SOTTO_OK)
        status = sot_rng_family_begin(rng, "audit: shadows", &room->family, error);
    if (status == SOTTO_OK) {
        status = run_shadows(room, error);
        sot_rng_family_end(&room->family);
    }
    if (status == SOTTO_OK) status = score_rows(room, out_scores, error);
    sot_free(room->taken);
    sot_free(room->phi);
    sot_free(room->own_phi);
    return status;
}

sotto_status sot_shadows_score(const sotto_model *model,
                               const sotto_membership_config *config, sotto_rng *rng,
                               size_t members, size_t others, double *out_scores,
                               sotto_error *error)
{
    shadow_room room = {.model = model, .config = config, .rows = members + others};
    sotto_status status = plan(&room, error);
    if (status == SOTTO_OK)
        status = load(&room, &config->members, rng, &room.parts[0], error);
    if (status == SOTTO_OK)
        status = load(&room, &config->others, rng, &room.parts[1], error);
    if (status == SOTTO_OK &&
        (room.parts[0]->rows != members || room.parts[1]->rows != others)) {
        status = sot_fail(error, SOTTO_INVALID_ARGUMENT,
                          "shadow models protect rows, but the schema's unit bounds the "
                          "rows of a person; leave `shadows` out");
    }
    if (status == SOTTO_OK) status = attack(&room, rng, out_scores, error);
    sot_matrix_free(room.parts[0]);
    sot_matrix_free(room.parts[1]);
    sotto_training_free(room.training);
    return status;
}
