/* Rows of the pairs. */
#include <math.h>
#include <stdio.h>

#include "commands/audit/pairs/parts.h"
#include "methods/kinds.h"
#include "models/kinds.h"

static void put_schema(sot_study *study, const char *target)
{
    (void)snprintf(study->schema_text, sizeof study->schema_text,
                   "{\"features\": %zu, %s, \"row_norm\": {\"bound\": 1.0, \"rule\": "
                   "\"clip\"}}",
                   study->features, target);
}

static void put_target(sot_study *study)
{
    const char *target = sot_pair_row_of(study)->target;
    put_schema(study, target == NULL ? "\"labels\": [-1, 1]" : target);
}

static bool cuts_slopes(const sot_study *study)
{
    const sot_method_row *method = sot_method_row_of(study->config.method);
    return !method->fits_moments && method->distribution == NULL &&
           sot_pair_row_of(study)->has_threshold;
}

/* The released numbers that are of feature `index`; class by class if there are two, of which the second is the label 1. */
static void look_along(sot_study *study, size_t index)
{
    for (size_t i = 0; i < SOT_STUDY_NUMBERS; i++)
        study->direction[i] = 0.0;
    study->look = SOT_LOOK_ALONG;
    study->direction[index] = 1.0;
    if (!sot_model_has_class_vectors(study->config.model, 2)) return;
    study->direction[index] = -1.0;
    study->direction[study->features + index] = 1.0;
}

void sot_study_on_line(sot_study *study, size_t base_rows)
{
    const double label = sot_pair_row_of(study)->label;
    study->features = 1;
    put_target(study);
    study->base[0] = (sot_study_row){{-1.0, 0.0}, label, base_rows};
    study->groups = 1;
    study->record = (sot_study_row){{1.0, 0.0}, label, 1};
    study->other = (sot_study_row){{-1.0, 0.0}, label, 1};
    look_along(study, 0);
    if (cuts_slopes(study)) study->config.threshold = 0.25; /* residuals are near 1 */
    study->pair = "one feature: the record at 1, rows at -1; all margins in the linear "
                  "part of the loss, where the gradient attains its bound";
}

void sot_study_aside(sot_study *study, size_t base_rows, double length, double aside)
{
    const double rest = sqrt(1.0 - aside * aside) * (1.0 - 0x1p-20);
    const double label = sot_pair_row_of(study)->label;
    study->features = 2;
    put_target(study);
    study->base[0] = (sot_study_row){{length, 0.0}, label, base_rows};
    study->groups = 1;
    study->record = (sot_study_row){{-aside, rest}, label, 1};
    study->other = (sot_study_row){{-aside, -rest}, label, 1};
    look_along(study, 1);
    study->pair = "two features: rows along the first, the record on their wrong side "
                  "and aside of them";
    study->short_of = "the slope of the logistic loss is below 1 everywhere, and aside "
                      "of the others the record is shorter";
}

void sot_study_against(sot_study *study, size_t base_rows, double length)
{
    sot_study_on_line(study, base_rows);
    study->base[0].x[0] = -length;
    study->pair = "one feature: short rows take the model far to one side, the record is "
                  "on the wrong one, where its slope is nearly 1";
    study->short_of = "the slope of the logistic loss is below 1 everywhere";
}

bool sot_study_is_curved(const sot_study *study)
{
    return (sot_pair_row_of(study)->group & SOT_PAIR_CURVED) != 0;
}

double sot_study_of_lambda(const sot_study *study, double value)
{
    return sot_pair_row_of(study)->scale * value;
}

double sot_study_of_rate(const sot_study *study, double value)
{
    return value / sot_pair_row_of(study)->scale;
}

void sot_study_set_rows(sot_study *study)
{
    uint64_t rows = 1;
    for (size_t i = 0; i < study->groups; i++)
        rows += study->base[i].copies;
    if (study->config.adjacency == SOTTO_REPLACE_ONE)
        study->config.public_n = rows;
    else
        study->config.expected_rows = rows;
}
