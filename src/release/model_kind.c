/* What a kind of model predicts, and from how many margins. One place for all who ask. */
#include "release/model.h"

sot_target_role sot_model_role(sotto_model_kind kind, const sotto_target *target)
{
    switch (kind) {
    case SOTTO_MODEL_LINEAR:
    case SOTTO_MODEL_HUBER:
        return SOT_TARGET_NUMBER;
    case SOTTO_MODEL_POISSON:
        return SOT_TARGET_COUNT;
    case SOTTO_MODEL_CUSTOM:
        return sot_target_role_of(target);
    case SOTTO_MODEL_UNSET:
    case SOTTO_MODEL_LOGISTIC:
    case SOTTO_MODEL_SVM:
    case SOTTO_MODEL_HINGE:
    case SOTTO_MODEL_SOFTMAX:
        break;
    }
    return SOT_TARGET_CLASSES;
}

size_t sot_model_margins(sotto_model_kind kind, size_t classes)
{
    return kind == SOTTO_MODEL_SOFTMAX ? classes : 1;
}
