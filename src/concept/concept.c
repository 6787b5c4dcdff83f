#include "concept/concept.h"

#include "base/memory.h"

void sot_concept_class_free(sot_concept_class *class)
{
    if (class == NULL) return;
    for (size_t i = 0; i < class->features; i++) {
        if (class->grids != NULL) sot_free((void *)(uintptr_t) class->grids[i].cuts);
        if (class->names != NULL) sot_free(class->names[i]);
        if (class->weights != NULL) sot_free(class->weights[i]);
    }
    sot_free(class->grids);
    sot_free((void *)class->names);
    sot_free((void *)class->weights);
    sot_free(class);
}
