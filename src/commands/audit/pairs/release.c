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
    if (isnan(study->config.delta))
        study->short_of = sot_pair_row_of(study)->minimiser_short_of;
}

void sot_craft_objective(sot_study *study)
{
    if (sot_study_is_curved(study)) {
        /* The privacy loss depends on gradients; the curvature of the others does not
         * affect it. */
        if (study->config.adjacency == SOTTO_REPLACE_ONE)
            sot_study_aside(study, 1000, 0.125, 0.35);
        else
            sot_study_against(study, 125, 0.125);
        study->config.lambda = sot_study_of_lambda(
            study, study->config.adjacency == SOTTO_REPLACE_ONE ? 2.0 : 0.5);
    } else {
        sot_study_on_line(study, SOT_LINE_ROWS);
        /* The random linear term moves theta by b / lambda. With more lambda the
         * determinant vanishes. */
        study->config.lambda = 256.0;
    }
    study->look = SOT_LOOK_LOSS;
}

/* Plain steps, noise at the end: the record moves every step by as much as the bound says. */
static void craft_plain_steps(sot_study *study, bool passes)
{
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

void sot_craft_stable(sot_study *study)
{
    craft_plain_steps(study, false);
}

void sot_craft_passes(sot_study *study)
{
    craft_plain_steps(study, true);
}

/* v = sum y x and A = sum x^2 both move by 1, with noise of one scale. At v/A = -1 the quotient moves by 2/A under noise of
 * sqrt(2) of it: as much as both together. */
void sot_craft_moments(sot_study *study)
{
    sot_study_on_line(study, 400);
    study->other = (sot_study_row){{1.0, 0.0}, -1.0, 1};
    study->pair = "one feature: the record on the line y = x, 400 rows on y = -x, where "
                  "both second moments move only the slope";
}

void sot_craft_adassp(sot_study *study)
{
    sot_craft_moments(study);
    study->short_of =
        "a tenth of the budget protects an eigenvalue that does not show in the result";
}
