/* What a kind of model predicts, and from how many margins. One place for all who ask. */
#include <string.h>

#include "artifact/model_file/model.h"
#include "base/error.h"
#include "base/text.h"

/* ---- names ---- */

static const char *const names[] = {NULL,     "logistic", "linear",  "svm",
                                    "hinge",  "huber",    "softmax", "poisson",
                                    "custom", "network",  "concept"};
enum { NAMES = sizeof names / sizeof names[0] };

const char *sotto_model_kind_name(sotto_model_kind kind)
{
    const int index = (int)kind;
    return index > 0 && index < NAMES ? names[index] : "unknown";
}

sotto_status sotto_model_kind_from_name(const char *name, sotto_model_kind *out,
                                        sotto_error *error)
{
    char shown[64];
    for (int i = 1; name != NULL && i < NAMES; i++) {
        if (strcmp(names[i], name) != 0) continue;
        *out = (sotto_model_kind)i;
        return SOTTO_OK;
    }
    return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                    "the model is '%s'; give logistic, linear, svm, hinge, huber, "
                    "softmax, poisson, network, concept or custom",
                    sot_printable(name == NULL ? "" : name, shown, sizeof shown));
}

/* ---- what they predict ---- */

sot_target_role sot_model_role(sotto_model_kind kind, const sotto_target *target)
{
    switch (kind) {
    case SOTTO_MODEL_LINEAR:
    case SOTTO_MODEL_HUBER:
        return SOT_TARGET_NUMBER;
    case SOTTO_MODEL_POISSON:
        return SOT_TARGET_COUNT;
    case SOTTO_MODEL_CUSTOM:
    case SOTTO_MODEL_NETWORK:
        return sot_target_role_of(target);
    case SOTTO_MODEL_UNSET:
    case SOTTO_MODEL_LOGISTIC:
    case SOTTO_MODEL_SVM:
    case SOTTO_MODEL_HINGE:
    case SOTTO_MODEL_SOFTMAX:
    case SOTTO_MODEL_CONCEPT:
        break;
    }
    return SOT_TARGET_CLASSES;
}

int sot_model_version(sotto_model_kind kind, bool drawn, bool counted)
{
    if (counted && kind == SOTTO_MODEL_CONCEPT) return 5;
    if (drawn || kind == SOTTO_MODEL_CONCEPT) return 4;
    if (kind == SOTTO_MODEL_NETWORK) return 3;
    return kind == SOTTO_MODEL_LOGISTIC ? 1 : 2;
}

size_t sot_model_margins(sotto_model_kind kind, size_t classes)
{
    if (kind == SOTTO_MODEL_NETWORK && classes > 0) return classes;
    return kind == SOTTO_MODEL_SOFTMAX ? classes : 1;
}

sotto_prediction sot_model_prediction(sotto_model_kind kind, sot_target_role role)
{
    if (role != SOT_TARGET_CLASSES) return SOTTO_PREDICTS_NUMBER;
    return kind == SOTTO_MODEL_LOGISTIC || kind == SOTTO_MODEL_SOFTMAX ||
                   kind == SOTTO_MODEL_NETWORK
               ? SOTTO_PREDICTS_PROBABILITIES
               : SOTTO_PREDICTS_SCORE;
}

sotto_status sot_model_check_classes(sotto_model_kind kind, size_t classes,
                                     sotto_error *error)
{
    if (classes == 0 || classes == 2) return SOTTO_OK;
    if (kind != SOTTO_MODEL_SOFTMAX && kind != SOTTO_MODEL_NETWORK) {
        return sot_fail(
            error, SOTTO_INVALID_ARGUMENT,
            "the target has %zu labels; the model %s tells two apart: list two as "
            "\"labels\" of the target, or choose the model softmax",
            classes, sotto_model_kind_name(kind));
    }
    if (classes <= SOT_MODEL_CLASSES_MAX) return SOTTO_OK;
    return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                    "the target has %zu labels; the model %s tells at most %d apart: "
                    "list those that matter as \"labels\" of the target",
                    classes, sotto_model_kind_name(kind), (int)SOT_MODEL_CLASSES_MAX);
}
