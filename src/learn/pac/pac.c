#include "learn/pac/pac.h"

#include "base/error.h"

sotto_status sot_pac_new(const sot_learner_setup *setup, sot_concept_class *class,
                         sot_learner **out_learner, sotto_error *error)
{
    (void)setup, (void)out_learner;
    sot_concept_class_free(class);
    return sot_fail(error, SOTTO_UNREACHABLE, "not yet");
}
