/* Reads a model file: bounded, strict, and only the writer's format. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <sotto/certificate.h>

#include "artifact/certificate/certificate.h"
#include "artifact/model_file/concept.h"
#include "artifact/model_file/model.h"
#include "artifact/model_file/network.h"
#include "base/error.h"
#include "base/file/file.h"
#include "base/json/canonical.h"
#include "base/json/json.h"
#include "base/memory.h"

static const size_t size_max_bytes = SOTTO_CERTIFIED_BYTES_MAX;

/* ---- members before the schema ---- */

static sotto_status refuse_member(const sot_json_value *object, const char *key,
                                  const char *remedy, sotto_error *error)
{
    sot_json_value member;
    if (!sot_json_member(object, key, &member)) return SOTTO_INTERNAL;
    return sot_json_refuse(&member, remedy, error);
}

static sotto_status check_kind(const sot_json_value *root, sotto_error *error)
{
    const char *kind = NULL;
    int64_t version = 0;
    sot_json_value member;
    if (!sot_json_member(root, "kind", &member)) { /* a schema, a release ... */
        return sot_json_refuse(root,
                               "without a \"kind\" it is no model; give a file that "
                               "sotto train wrote, for example model.json",
                               error);
    }
    sotto_status status = sot_json_get_string(root, "kind", &kind, error);
    if (status != SOTTO_OK) return status;
    if (strcmp(kind, "model") != 0) {
        return refuse_member(root, "kind", "give a model file, which sotto train writes",
                             error);
    }
    status = sot_json_get_int64(root, "version", &version, error);
    if (status != SOTTO_OK) return status;
    if (version < 1 || version > SOT_MODEL_VERSION) {
        return refuse_member(
            root, "version",
            "this sotto reads versions 1 to 6; use the one that wrote the file", error);
    }
    return SOTTO_OK;
}

/* Names of methods and settings: short, and safe to print anywhere. */
static bool is_word(const char *text)
{
    static const char allowed[] = "abcdefghijklmnopqrstuvwxyz0123456789_-";
    const size_t length = strlen(text);
    return length > 0 && length < SOT_MODEL_WORD_BYTES && strspn(text, allowed) == length;
}

/* Which model it is. Version 1 knows logistic models only. */
static sotto_status read_learner(const sot_json_value *root, sotto_model_kind *out_kind,
                                 sotto_error *error)
{
    sot_json_value member;
    const bool drawn = sot_json_member(root, "sampler", &member);
    const bool counted = sot_json_member(root, "noisy_errors", &member);
    const char *model = NULL, *method = NULL, *loss = NULL;
    sotto_status status = sot_json_get_string(root, "model", &model, error);
    if (status == SOTTO_OK &&
        sotto_model_kind_from_name(model, out_kind, NULL) != SOTTO_OK) {
        char known[SOT_KIND_NAMES_BYTES], remedy[SOT_KIND_NAMES_BYTES + 32];
        (void)snprintf(remedy, sizeof remedy, "this sotto predicts with %s",
                       sot_model_kind_names("and", known));
        status = refuse_member(root, "model", remedy, error);
    }
    int64_t version = 0;
    if (status == SOTTO_OK) status = sot_json_get_int64(root, "version", &version, error);
    if (status == SOTTO_OK && version != sot_model_version(*out_kind, drawn, counted)) {
        status = refuse_member(root, "version",
                               "give 1 for logistic, 3 for a network, 4 for a concept or "
                               "posterior sample, 5 with noisy errors, 6 for additive, 2 "
                               "otherwise",
                               error);
    }
    if (status == SOTTO_OK) status = sot_json_get_string(root, "method", &method, error);
    if (status == SOTTO_OK && !is_word(method))
        status = refuse_member(root, "method", "give the name of a method", error);
    const bool custom = status == SOTTO_OK && sot_model_row_of(*out_kind)->takes_loss;
    if (status == SOTTO_OK && custom)
        status = sot_json_get_string(root, "loss", &loss, error);
    if (status == SOTTO_OK && custom && !is_word(loss))
        status = refuse_member(root, "loss", "give the name of a loss", error);
    return status;
}

/* Checks the members that only one kind of model has. */
static sotto_status check_own_members(const sot_json_value *root, sotto_model_kind kind,
                                      sotto_error *error)
{
    static const struct {
        const char *key;
        sotto_model_kind kind;
        const char *remedy;
    } own[] = {
        {"loss", SOTTO_MODEL_CUSTOM,
         "leave it out: only a custom model has a loss of its own"},
        {"network", SOTTO_MODEL_NETWORK,
         "leave it out: only the model network has layers"},
        {"curve", SOTTO_MODEL_NETWORK,
         "leave it out: only the model network has a learning curve"},
        {"concept", SOTTO_MODEL_CONCEPT,
         "leave it out: only the model concept has a class of them"},
        {"noisy_errors", SOTTO_MODEL_CONCEPT,
         "leave it out: only the model concept counts errors"},
    };
    sot_json_value member;
    const char *refused_sampler = sot_model_format_of(kind)->refused_sampler;
    if (refused_sampler != NULL && sot_json_member(root, "sampler", &member))
        return sot_json_refuse(&member, refused_sampler, error);
    for (size_t i = 0; i < sizeof own / sizeof own[0]; i++)
        if (kind != own[i].kind && sot_json_member(root, own[i].key, &member))
            return sot_json_refuse(&member, own[i].remedy, error);
    return SOTTO_OK;
}

/* A guarantee without its certificate is unproven, and a certificate without a guarantee cannot
 * be compared: both or none. sotto_certificate_verify() compares them. */
static sotto_status read_guarantee(const sot_json_value *root,
                                   sotto_adjacency *out_adjacency, sotto_error *error)
{
    static const char *const keys[] = {"epsilon", "delta", "adjacency", "unit"};
    sot_json_value member;
    const bool certified = sot_json_member(root, "certificate", &member);
    if (certified) {
        const sotto_status status = sot_json_as_object(&member, error);
        if (status != SOTTO_OK) return status;
    }
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        if (sot_json_member(root, keys[i], &member) == certified) continue;
        return sot_fail(error, SOTTO_PARSE,
                        certified ? "the model has a certificate but no \"%s\"; use the "
                                    "file as sotto train wrote it"
                                  : "the model states \"%s\" but has no certificate; use "
                                    "the file as sotto train wrote it",
                        keys[i]);
    }
    if (!certified) return SOTTO_OK;
    double epsilon = 0.0, delta = 0.0;
    const char *name = NULL, *unit = NULL;
    sotto_status status = sot_json_get_double(root, "epsilon", &epsilon, error);
    if (status == SOTTO_OK && !(epsilon > 0.0))
        status = refuse_member(root, "epsilon", "it is above 0", error);
    if (status == SOTTO_OK) status = sot_json_get_double(root, "delta", &delta, error);
    if (status == SOTTO_OK && !(delta >= 0.0 && delta < 1.0))
        status = refuse_member(root, "delta", "it is from 0 to 1", error);
    if (status == SOTTO_OK) status = sot_json_get_string(root, "adjacency", &name, error);
    if (status == SOTTO_OK &&
        sotto_adjacency_from_name(name, out_adjacency, NULL) != SOTTO_OK) {
        status =
            refuse_member(root, "adjacency", "it is add-remove or replace-one", error);
    }
    if (status == SOTTO_OK) status = sot_json_get_string(root, "unit", &unit, error);
    return status;
}

static sotto_status check_settings(const sot_json_value *root, sotto_error *error)
{
    sot_json_value settings, member;
    sotto_status status = sot_json_get_object(root, "settings", &settings, error);
    if (status != SOTTO_OK) return status;
    if (sot_json_size(&settings) > SOT_MODEL_SETTINGS_MAX)
        return sot_json_refuse(&settings, "it has too many members", error);
    for (bool more = sot_json_first_member(&settings, &member);
         more && status == SOTTO_OK; more = sot_json_next_member(&member)) {
        double value;
        if (!is_word(sot_json_key_of(&member)))
            return sot_json_refuse(&member, "its name is not one of a setting", error);
        if (sot_json_kind_of(&member) == SOT_JSON_NULL) continue;
        if (sot_json_kind_of(&member) == SOT_JSON_STRING) {
            const char *word = NULL;
            status = sot_json_as_string(&member, &word, error);
            if (status == SOTTO_OK &&
                !(is_word(word) && word[0] >= 'a' && word[0] <= 'z'))
                status = sot_json_refuse(
                    &member, "it is a number, or a word that begins with a letter",
                    error);
            continue;
        }
        status = sot_json_as_double(&member, &value, error);
    }
    return status;
}

/* ---- the schema and derived values ---- */

/* Reads with the schema's own reader, which defines schemas. */
static sotto_status read_schema(const char *name, const sot_json_value *root,
                                sotto_schema **out_schema, sotto_error *error)
{
    sot_json_value member;
    sot_json_writer *writer = NULL;
    const char *text = NULL;
    size_t size_bytes = 0;
    char prefix[80];
    sotto_status status = sot_json_get_object(root, "schema", &member, error);
    if (status == SOTTO_OK) status = sot_json_writer_new(false, &writer, error);
    if (status != SOTTO_OK) return status;
    sot_json_copy(writer, &member, false, NULL);
    status = sot_json_writer_finish(writer, &text, &size_bytes, error);
    if (status == SOTTO_OK) {
        (void)snprintf(prefix, sizeof prefix, "%.60s%sschema", name == NULL ? "" : name,
                       name == NULL ? "" : ": ");
        status = sotto_schema_parse(prefix, text, size_bytes, out_schema, error);
    }
    sot_json_writer_free(writer);
    return status;
}

/* Checks a list that must repeat, word for word, the names derived from the schema. */
static sotto_status check_names(const sot_json_value *root, const char *key,
                                const sot_encoding *encoding, size_t count,
                                const char *(*name_at)(const sot_encoding *, size_t),
                                sotto_error *error)
{
    sot_json_value list;
    sotto_status status = sot_json_get_array(root, key, &list, error);
    if (status != SOTTO_OK) return status;
    if (sot_json_size(&list) != count) {
        return sot_fail(error, SOTTO_PARSE,
                        "the model has %zu %s but its schema gives %zu; use the file as "
                        "sotto train wrote it",
                        sot_json_size(&list), key, count);
    }
    for (size_t i = 0; i < count; i++) {
        const sot_json_value item = sot_json_item(&list, i);
        const char *text = NULL;
        status = sot_json_as_string(&item, &text, error);
        if (status != SOTTO_OK) return status;
        if (strcmp(text, name_at(encoding, i)) != 0)
            return sot_json_refuse(&item, "the schema gives another name", error);
    }
    return SOTTO_OK;
}

/* Derives classes, margins and outputs from the kind and the schema. */
static sotto_status derive(const sot_json_value *root, sotto_model *model,
                           sotto_error *error)
{
    const sot_target_role role =
        sot_model_role(model->kind, sotto_schema_target(model->schema));
    const sot_model_format *format = sot_model_format_of(model->kind);
    sotto_error why;
    const sotto_status status = format->encode(root, model, error);
    if (status != SOTTO_OK) return status;
    const size_t classes = sot_encoding_classes(model->encoding);
    if (sot_model_check_classes(model->kind, classes, &why) != SOTTO_OK)
        return sot_fail(error, SOTTO_PARSE, "the model's schema: %s", why.message);
    model->margins = sot_model_margins(model->kind, classes);
    model->prediction = sot_model_prediction(model->kind, role);
    model->outputs = model->prediction == SOTTO_PREDICTS_PROBABILITIES ? classes : 1;
    return format->count(model, error);
}

static sotto_status check_lists(const sot_json_value *root, const sotto_model *model,
                                sotto_error *error)
{
    const sot_encoding *encoding = model->encoding;
    const size_t classes = sot_encoding_classes(encoding);
    sot_json_value member;
    sotto_status status = SOTTO_OK;
    if (classes > 0) {
        status =
            check_names(root, "classes", encoding, classes, sot_encoding_class, error);
    } else if (sot_json_member(root, "classes", &member)) {
        status =
            sot_json_refuse(&member, "leave it out: the model predicts numbers", error);
    }
    if (status != SOTTO_OK) return status;
    /* The features of a matrix have no names but their places; a class lists its own. */
    if (model->concept != NULL) return SOTTO_OK;
    if (sotto_schema_is_matrix(model->schema) &&
        !sot_json_member(root, "features", &member))
        return SOTTO_OK;
    return check_names(root, "features", encoding, sot_encoding_dimension(encoding),
                       sot_encoding_feature, error);
}

/* As sotto_certificate_attach() computes it. A file whose own certificate is about other bytes is
 * not used: its coefficients are anybody's. */
static sotto_status hash_file(const sot_json_value *root, sotto_model *model,
                              sotto_error *error)
{
    sot_json_value certificate;
    const char *stated = NULL;
    if (!sot_json_member(root, "certificate", &certificate))
        return sot_certificate_hash(root, NULL, model->hash, error);
    sotto_status status = sot_json_get_string(&certificate, "hash", &stated, error);
    if (status == SOTTO_OK)
        status = sot_certificate_hash(root, &certificate, model->hash, error);
    if (status != SOTTO_OK || strcmp(stated, model->hash) == 0) return status;
    return sot_fail(
        error, SOTTO_VERIFICATION,
        "the model was changed after it was certified: its certificate is about "
        "another file; use the file as sotto train wrote it");
}

static sotto_status read_root(const char *name, const sot_json_value *root,
                              sotto_model *model, sotto_error *error)
{
    static const char *const keys[] = {
        "kind",     "version",      "model",       "loss",         "method",  "epsilon",
        "delta",    "adjacency",    "unit",        "settings",     "classes", "schema",
        "features", "coefficients", "certificate", "network",      "curve",   "sampler",
        "draws",    "heuristic",    "concept",     "noisy_errors", "request", NULL};
    sotto_status status = sot_json_as_object(root, error);
    if (status == SOTTO_OK) status = check_kind(root, error);
    if (status == SOTTO_OK) status = sot_json_only_keys(root, keys, error);
    if (status == SOTTO_OK) status = read_learner(root, &model->kind, error);
    if (status == SOTTO_OK) status = check_own_members(root, model->kind, error);
    if (status == SOTTO_OK) status = sot_model_read_draws(root, model, error);
    if (status == SOTTO_OK) status = read_guarantee(root, &model->adjacency, error);
    if (status == SOTTO_OK) status = check_settings(root, error);
    if (status == SOTTO_OK) status = read_schema(name, root, &model->schema, error);
    if (status == SOTTO_OK) status = derive(root, model, error);
    if (status == SOTTO_OK) status = check_lists(root, model, error);
    if (status == SOTTO_OK)
        status = sot_model_format_of(model->kind)->read(root, model, error);
    if (status == SOTTO_OK) status = hash_file(root, model, error);
    return status;
}

/* ---- the public door ---- */

/* The file as it is: its hash covers every byte. */
static sotto_status keep_text(sotto_model *model, const char *json, size_t size_bytes,
                              sotto_error *error)
{
    model->json = sot_new_array(size_bytes + 1, 1);
    if (model->json == NULL) return sot_fail_memory(error, size_bytes + 1, 1);
    memcpy(model->json, json, size_bytes);
    return SOTTO_OK;
}

sotto_status sotto_model_parse(const char *name, const char *json, size_t size_bytes,
                               sotto_model **out_model, sotto_error *error)
{
    sot_json *document = NULL;
    sotto_status status =
        sot_json_parse(name, json, size_bytes, size_max_bytes, &document, error);
    if (status != SOTTO_OK) return status;
    sotto_model *model = sot_new_array(1, sizeof *model);
    if (model == NULL) {
        status = sot_fail_memory(error, 1, sizeof *model);
    } else {
        const sot_json_value root = sot_json_root(document);
        status = read_root(name, &root, model, error);
        if (status == SOTTO_OK) status = keep_text(model, json, size_bytes, error);
    }
    sot_json_free(document);
    if (status != SOTTO_OK) {
        sotto_model_free(model);
        return status;
    }
    *out_model = model;
    return SOTTO_OK;
}

sotto_status sotto_model_load(const char *path, sotto_model **out_model,
                              sotto_error *error)
{
    char *text = NULL;
    size_t size_bytes = 0;
    sotto_status status = sot_file_read(path, size_max_bytes, &text, &size_bytes, error);
    if (status == SOTTO_OK)
        status = sotto_model_parse(path, text, size_bytes, out_model, error);
    sot_free(text);
    return status;
}

void sotto_model_free(sotto_model *model)
{
    if (model == NULL) return;
    sot_free(model->json);
    sot_free(model->coefficients);
    sot_free(model->curves);
    sot_free(model->errors.scales);
    sot_free(model->errors.counts);
    if (model->net != NULL) sot_net_free(model->net);
    sot_free(model->curve.steps);
    sot_free(model->curve.scores);
    sot_encoding_free(model->encoding);
    if (model->concept != NULL)
        sot_concept_class_free(model->concept); /* the encoding borrowed its grids */
    sotto_schema_free(model->schema);
    sot_free(model);
}
