/* The parts of a training's plan that depend on the family of the model, one row a kind. */
#include <stdio.h>
#include <string.h>

#include <sotto/loss.h>
#include <sotto/model.h>

#include "artifact/model_file/model.h"
#include "base/error.h"
#include "base/memory.h"
#include "commands/session/declared.h"
#include "commands/train/concept.h"
#include "commands/train/network.h"
#include "commands/train/train.h"
#include "data/schema/parts.h"
#include "methods/convex/erm.h"
#include "methods/kinds.h"
#include "methods/posterior/posterior.h"
#include "models/additive/rule.h"
#include "models/kinds.h"

/* ---- priors ---- */

/* The prior of a training that is planned again, for its verifier. */
static sotto_status take_prior(sotto_training *training, sotto_error *error)
{
    const sot_training_inputs *inputs = training->inputs;
    const sot_encoding *encoding = training->encoding;
    const size_t vectors =
        sot_model_margins(training->config.model, sot_encoding_classes(encoding));
    const size_t count = vectors * sot_encoding_dimension(encoding);
    if (inputs->center == NULL || inputs->center_count != count) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "`prior` has %zu coefficients; this training has %zu; give a "
                        "model of the same schema",
                        inputs->center_count, count);
    }
    training->center = sot_new_array(count, sizeof *training->center);
    if (training->center == NULL)
        return sot_fail_memory(error, count, sizeof *training->center);
    memcpy(training->center, inputs->center, count * sizeof *training->center);
    training->center_count = count;
    (void)snprintf(training->start, sizeof training->start, "%s", inputs->start);
    return SOTTO_OK;
}

/* The coefficients of a model that was released before, or made of public rows: either way they
 * are public, and a place to shrink towards. They must be about the same features. */
sotto_status sot_training_load_prior(sotto_training *training, const char *path,
                                     sotto_error *error)
{
    sotto_model *model = NULL;
    if (path != NULL && training->inputs != NULL) return take_prior(training, error);
    const sot_model_row *row = sot_model_row_of(training->config.model);
    if (path == NULL || !row->has_coefficients)
        return SOTTO_OK; /* the learner refuses it */
    sotto_status status =
        sot_fail_of(error, sotto_model_load(path, &model, error), "prior");
    if (status == SOTTO_OK && !training->config.data_is_public)
        status = sot_check_public_model("prior", path, model, training->schema, error);
    if (status != SOTTO_OK) {
        sotto_model_free(model);
        return status;
    }
    const size_t dimension = sotto_model_dimension(model);
    const sot_encoding *encoding = training->encoding;
    const size_t vectors =
        sot_model_margins(training->config.model, sot_encoding_classes(encoding));
    bool fits = dimension == sot_encoding_dimension(encoding) &&
                row->class_vectors == sot_model_row_of(model->kind)->class_vectors &&
                vectors == sotto_model_margins(model);
    for (size_t i = 0; fits && i < dimension; i++)
        fits =
            strcmp(sotto_model_feature(model, i), sot_encoding_feature(encoding, i)) == 0;
    if (!fits) {
        status = sot_fail(error, SOTTO_INVALID_ARGUMENT,
                          "`prior` is %.120s, which has other features or outputs than "
                          "this training; give a model of the same schema",
                          path);
    }
    if (status == SOTTO_OK) {
        training->center = sot_new_array(vectors * dimension, sizeof(double));
        if (training->center == NULL)
            status = sot_fail_memory(error, vectors * dimension, sizeof(double));
    }
    for (size_t i = 0; status == SOTTO_OK && i < vectors * dimension; i++)
        training->center[i] = sotto_model_coefficient(model, i);
    training->center_count = vectors * dimension;
    memcpy(training->start, model->hash, sizeof training->start);
    sotto_model_free(model);
    return status;
}

/* ---- features and learners ---- */

/* Finds the role of the target in the model. A network follows the target. */
static sotto_status find_role(const sotto_train_config *config,
                              const sotto_schema *schema, sot_target_role *out_role,
                              sotto_error *error)
{
    sotto_status status = SOTTO_OK;
    const sot_model_row *row = sot_model_row_of(config->model);
    if (config->loss != NULL) {
        *out_role = config->loss->classes ? SOT_TARGET_CLASSES : SOT_TARGET_NUMBER;
    } else if (row->follows_target) {
        sotto_target own = {.column = NULL};
        const sotto_target *target = NULL;
        status = sot_schema_choose_target(schema, config->target, &own, &target, error);
        if (status == SOTTO_OK) *out_role = sot_model_role(config->model, target);
        if (status == SOTTO_OK && target == &own) sot_target_free(&own);
    } else {
        *out_role = row->role;
    }
    return status;
}

static sotto_status encode_features(sotto_training *training, sotto_error *error)
{
    sot_target_role role = SOT_TARGET_CLASSES;
    const sotto_status status =
        find_role(&training->config, training->schema, &role, error);
    if (status != SOTTO_OK) return status;
    return sot_encoding_new(training->schema, training->target, role, &training->encoding,
                            error);
}

/* Makes the learner of a convex loss. */
static sotto_status make_convex(sotto_training *training, sotto_error *error)
{
    const sotto_train_config *config = &training->config;
    const uint64_t unit_rows = sotto_schema_unit_rows(training->schema);
    training->method = config->method;
    if (config->method == SOTTO_METHOD_AUTO)
        training->method = sot_erm_choose(config, &training->method_why);
    const sot_learner_setup setup = {.config = config,
                                     .encoding = training->encoding,
                                     .schema = training->schema,
                                     .unit_rows = unit_rows == 0 ? 1 : unit_rows,
                                     .method = training->method,
                                     .center = training->center};
    return sot_method_row_of(training->method)->distribution != NULL
               ? sot_posterior_new(&setup, &training->learner, error)
               : sot_erm_new(&setup, &training->learner, error);
}

/* ---- additive models ---- */

static sotto_status encode_bins(sotto_training *training, sotto_error *error)
{
    sot_target_role role = SOT_TARGET_CLASSES;
    sot_bins_rule rule;
    sotto_status status = find_role(&training->config, training->schema, &role, error);
    if (status == SOTTO_OK)
        status = sot_additive_rule(&training->config, role, &rule, error);
    if (status != SOTTO_OK) return status;
    return sot_encoding_new_blocks(training->schema, training->target, role, &rule,
                                   &training->encoding, error);
}

static sotto_status make_additive(sotto_training *training, sotto_error *error)
{
    const sotto_status status = make_convex(training, error);
    if (status != SOTTO_OK) return status;
    const sot_bins_rule rule = sot_encoding_bins_rule(training->encoding);
    /* Losses of one margin need look-ups only; error bounds of samplers are about vectors. */
    if (training->learner->outputs == 1 &&
        sot_method_row_of(training->method)->distribution == NULL)
        sot_encoding_hold_bins(training->encoding);
    sot_learner_choose(training->learner, "basis", sotto_basis_name(rule.basis));
    sot_learner_set(training->learner, "bins", (double)rule.bins,
                    sot_additive_bins_why(&training->config));
    return SOTTO_OK;
}

/* ---- the table ---- */

typedef struct training_family {
    sotto_status (*encode)(sotto_training *training, sotto_error *error);
    sotto_status (*make_learner)(sotto_training *training, sotto_error *error);
} training_family;

static const training_family convex = {encode_features, make_convex};
static const training_family network = {encode_features, sot_training_make_network};
static const training_family additive = {encode_bins, make_additive};
static const training_family concept = {sot_training_make_class,
                                        sot_training_make_concept};

/* Kinds that are not listed have a convex loss. */
static const training_family *const families[] = {[SOTTO_MODEL_NETWORK] = &network,
                                                  [SOTTO_MODEL_CONCEPT] = &concept,
                                                  [SOTTO_MODEL_ADDITIVE] = &additive};

static const training_family *family_of(const sotto_training *training)
{
    const size_t index = (size_t)training->config.model;
    const bool listed =
        index < sizeof families / sizeof families[0] && families[index] != NULL;
    return listed ? families[index] : &convex;
}

sotto_status sot_training_encode(sotto_training *training, sotto_error *error)
{
    return family_of(training)->encode(training, error);
}

sotto_status sot_training_make_learner(sotto_training *training, sotto_error *error)
{
    return family_of(training)->make_learner(training, error);
}
