/* Pairs for methods that add their noise to one release. */
#include <math.h>

#include "commands/audit/pairs/parts.h"

void sot_craft_minimiser(sot_study *study)
{
    if (sot_study_is_curved(study)) {
        sot_study_aside(study, 250, 0.0625, 0.4);
        study->config.lambda = sot_study_of_lambda(study, 0.25);
        return;
    }
    sot_study_on_line(study, SOT_LINE_ROWS);
    study->config.lambda = SOT_LINE_LAMBDA;
    if (study->config.model == SOTTO_MODEL_HINGE && isnan(study->config.delta))
        study->short_of = "noise that hides how far the solver is from the hinge's "
                          "minimiser is most of what there is, twice the rest's scale";
}

void sot_craft_objective(sot_study *study)
{
    if (sot_study_is_curved(study)) {
        /* The privacy loss is of gradients and does not suffer where the others bend. */
        if (study->config.adjacency == SOTTO_REPLACE_ONE)
            sot_study_aside(study, 1000, 0.125, 0.35);
        else
            sot_study_against(study, 125, 0.125);
        study->config.lambda = sot_study_of_lambda(
            study, study->config.adjacency == SOTTO_REPLACE_ONE ? 2.0 : 0.5);
    } else {
        sot_study_on_line(study, SOT_LINE_ROWS);
        /* The tilt moves theta by b / lambda: more lambda, and the determinant is worth nothing. */
        study->config.lambda = 256.0;
    }
    study->look = SOT_LOOK_LOSS;
}

/* Plain steps, noise at the end: the record moves every step by as much as the bound says. */
void sot_craft_stable(sot_study *study)
{
    const bool passes = study->config.method == SOTTO_METHOD_PERMUTATION_SGD;
    study->config.steps = 4;
    if (sot_study_is_curved(study)) {
        sot_study_aside(study, 255, 0.25, 0.35);
        if (!passes) study->config.steps = 32;
        study->config.learning_rate = passes ? 0.25 : 2.0; /* over the smoothness */
    } else {
        sot_study_on_line(study, SOT_LINE_ROWS);
        study->config.learning_rate = 0x1p-6;
    }
    if (passes) study->config.batch = 1;
    sot_study_set_rows(study);
}

/* v = sum y x and A = sum x^2 both move by 1, with noise of one scale. At v/A = -1 the quotient moves by 2/A under noise of
 * sqrt(2) of it: as much as both together. */
void sot_craft_moments(sot_study *study)
{
    sot_study_on_line(study, 400);
    study->other = (sot_study_row){{1.0, 0.0}, -1.0, 1};
    study->pair = "one feature: the record on the line y = x, 400 rows on y = -x, where "
                  "both second moments move the slope alike";
    if (study->config.method == SOTTO_METHOD_ADASSP)
        study->short_of = "a tenth of the budget protects an eigenvalue that does not "
                          "show in the result";
}
