/* The noisy counts that a model by laplace was released with. */
#include <assert.h>

#include "artifact/model_file/model.h"
#include "base/error.h"
#include "base/memory.h"

size_t sotto_model_error_lists(const sotto_model *model)
{
    return model->errors.lists;
}

size_t sotto_model_error_count(const sotto_model *model, size_t list)
{
    assert(list < model->errors.lists);
    return (size_t)sot_concept_list_size(model->concept, list);
}

double sotto_model_error_scale(const sotto_model *model, size_t list)
{
    assert(list < model->errors.lists);
    return model->errors.scales[list];
}

static const int64_t *counts_of(const sotto_model *model, size_t list)
{
    return sot_concept_counts_of(model->concept, &model->errors, list);
}

int64_t sotto_model_noisy_errors(const sotto_model *model, size_t list, size_t index)
{
    assert(index < sotto_model_error_count(model, list));
    return counts_of(model, list)[index];
}

size_t sotto_model_best_concepts(const sotto_model *model, size_t list, size_t many,
                                 size_t *out_indices)
{
    const int64_t *counts = counts_of(model, list);
    const size_t size = sotto_model_error_count(model, list);
    size_t found = 0;
    for (size_t i = 0; i < size; i++) {
        size_t place = found; /* behind all that are as good */
        while (place > 0 && counts[out_indices[place - 1]] > counts[i])
            place--;
        if (place >= many) continue;
        if (found < many) found++;
        for (size_t j = found - 1; j > place; j--)
            out_indices[j] = out_indices[j - 1];
        out_indices[place] = i;
    }
    return found;
}

sotto_status sotto_model_concept_at(const sotto_model *model, size_t list, size_t index,
                                    char *out, size_t size_bytes, sotto_error *error)
{
    const sot_concept_class *class = model->concept;
    assert(size_bytes > 0 && index < sotto_model_error_count(model, list));
    const size_t count = sot_concept_numbers(class);
    double *numbers = sot_new_array(count, sizeof *numbers);
    if (numbers == NULL) return sot_fail_memory(error, count, sizeof *numbers);
    const sot_concept_errors before = {.lists = list, .counts = model->errors.counts};
    sot_concept_of_errors(class, &before, numbers);
    sot_concept_list_at(class, list, index, numbers, numbers);
    (void)sot_concept_text(class, numbers, out, size_bytes);
    sot_free(numbers);
    return SOTTO_OK;
}

sotto_status sotto_model_training_errors(const sotto_model *model, double failure,
                                         sotto_training_errors *out_errors,
                                         sotto_error *error)
{
    if (!(failure > 0.0 && failure < 1.0)) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "`failure` is %g; the chance that the bound is wrong lies "
                        "between 0 and 1; for example `failure=0.05`",
                        failure);
    }
    if (model->errors.lists == 0) {
        return sot_fail(error, SOTTO_UNSUPPORTED,
                        "the model has no noisy counts of errors; train with "
                        "`method=laplace`, or use sotto evaluate on public rows");
    }
    const sot_concept_fit fit =
        sot_concept_fit_of(model->concept, &model->errors, failure);
    *out_errors = (sotto_training_errors){fit.noisy, fit.scale, fit.upper};
    return SOTTO_OK;
}
