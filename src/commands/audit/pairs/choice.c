/* Pairs for methods that choose one of a few. */
#include <math.h>
#include <stdio.h>

#include "commands/audit/pairs/parts.h"

/* The record pulls to the rare one of two vertices: log-odds of -(1 + epsilon/2) without
 * it. */
void sot_craft_corners(sot_study *study)
{
    const double epsilon = study->config.epsilon;
    const double pull = (0.5 * epsilon + 1.0) / epsilon;
    sot_study_on_line(study, 1);
    const double rows = ceil(pull);
    study->base[0] = (sot_study_row){{-pull / rows, 0.0}, 1.0, (size_t)rows};
    study->config.steps = 1;
    study->config.radius = 0.125;
    study->config.expected_rows = (uint64_t)rows + 1;
    study->aim = SOTTO_AIM_EPSILON;
    study->pair =
        "one feature and one step: the record pulls to the vertex that is rarely chosen";
    study->short_of = "the vertex has a positive probability without the record, so that "
                      "the normaliser takes a part";
}

/* Two columns, each of which is a concept. The record, and enough other rows to make it rarely
 * chosen, are errors of the first. Under replace-one the other record is an error of the
 * second. */
void sot_craft_concept(sot_study *study)
{
    static const char bit[] = "\"type\": \"integer\", \"lower\": 0, \"upper\": 1";
    (void)snprintf(
        study->schema_text, sizeof study->schema_text,
        "{\"target\": {\"column\": \"yes\", \"labels\": [\"no\", \"yes\"]}, "
        "\"columns\": [{\"name\": \"a\", %s}, {\"name\": \"b\", %s}, "
        "{\"name\": \"yes\", \"type\": \"category\", \"values\": [\"no\", \"yes\"]}]}",
        bit, bit);
    study->config.concept = "candidates";
    study->features = 2;
    study->is_table = true;
    study->base[0] =
        (sot_study_row){{0.0, 1.0}, 1.0, (size_t)ceil(1.0 / study->config.epsilon)};
    study->groups = 1;
    study->record = (sot_study_row){{0.0, 1.0}, 1.0, 1};
    study->other = (sot_study_row){{1.0, 0.0}, 1.0, 1};
    study->look = SOT_LOOK_EQUALS;
    study->direction[0] = 0.0;
    study->aim = SOTTO_AIM_EPSILON;
    study->pair = "two concepts: the record is an error of the one that is rarely chosen";
    study->short_of = "the concept has a positive probability without the record, so "
                      "that the normaliser takes a part";
}

/* The same two concepts, and a record that is an error of both: every count moves by as much as the noise is for. Under replace-1.0
 * the other one is an error of none. The counts are released, so the attack uses them and not the choice. */
void sot_craft_counts(sot_study *study)
{
    sot_craft_concept(study);
    study->record = (sot_study_row){{0.0, 0.0}, 1.0, 1};
    study->other = (sot_study_row){{1.0, 1.0}, 1.0, 1};
    study->look = SOT_LOOK_COUNTS;
    study->direction[0] = (double)study->base[0].copies; /* errors of the base rows */
    study->direction[1] = 0.0;
    study->pair = "two concepts: the record is an error of both; the attack uses the "
                  "noisy counts of both";
    study->short_of = NULL;
}
