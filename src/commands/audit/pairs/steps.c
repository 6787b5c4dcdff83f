/* Pairs for methods that add noise to every step. */
#include "commands/audit/pairs/parts.h"

void sot_craft_descent(sot_study *study)
{
    study->config.iterate = SOTTO_ITERATE_LAST;
    study->config.steps = 8;
    if (sot_study_is_curved(study)) {
        sot_study_aside(study, 255, 1.0, 0.3);
        study->config.learning_rate = sot_study_of_rate(study, 64.0);
    } else {
        sot_study_on_line(study, SOT_LINE_ROWS);
        study->config.learning_rate = 0x1p-12;
    }
    sot_study_set_rows(study);
}

void sot_craft_stochastic(sot_study *study)
{
    sot_craft_descent(study);
    study->config.schedule = SOTTO_SCHEDULE_CONSTANT;
    study->config.steps = 4;
    const bool replaces = study->config.adjacency == SOTTO_REPLACE_ONE;
    /* One row that opposes, for it too takes part or not; the guess of rows stays. A number of rows that is public is no guess. */
    if (!sot_study_is_curved(study) && !replaces) study->base[0].copies = 1;
    const uint64_t rows = replaces ? study->config.public_n : study->config.expected_rows;
    study->config.batch = (rows * 3 + 3) / 4;
    study->short_of = "three quarters of the records take part in a step, and the last "
                      "step does not reveal the steps of the record";
}

/* Add-remove: one step from 0, all rows on one line. The record moves the gradient's sum by 1/2
 * and the curvature's by 1/4, both against the others' step, which has length 2. Replace-one
 * doubles the gradient's noise, and no two records move both sums well. So only the gradient is
 * used. Short rows take theta far along one axis within a few steps, and both records are aside,
 * on the wrong side. Across the rows there is little curvature beside the damping, so the effect
 * of a record persists over the steps. */
void sot_craft_newton(sot_study *study)
{
    if (study->config.adjacency == SOTTO_REPLACE_ONE) {
        sot_study_aside(study, 400, 0.1875, 0.4);
        study->config.steps = 10;
        study->short_of = "three tenths of the budget protect the curvature, which does "
                          "not show, and its noise blurs every step";
        return;
    }
    sot_study_on_line(study, 400);
    study->config.steps = 1;
    study->pair = "one feature and one step: the record against 400 rows on the other "
                  "side, so that gradient and curvature move the step alike";
    study->short_of =
        "the slope of the logistic loss is 1/2 where the first step begins, "
        "and the claim allows for 1";
}

/* One dense layer on one feature. A record's gradient is longer than the clip norm while it is on
 * the wrong side or near the middle. It is always along one line: weight and bias of one class
 * against those of the other. */
static void set_network(sot_study *study, double learning_rate)
{
    study->config.iterate = SOTTO_ITERATE_AUTO;
    study->config.network = "{\"kind\": \"network\", \"version\": 1, \"layers\": "
                            "[{\"type\": \"dense\", \"units\": \"outputs\"}]}";
    study->config.clip = 0.0625;
    study->config.learning_rate = learning_rate;
    study->config.momentum = 0.0;
    study->config.weight_average = 0.0;
    study->config.schedule = SOTTO_SCHEDULE_CONSTANT;
    study->config.sampling = SOTTO_NOT_SAMPLED;
    for (size_t i = 0; i < 4; i++)
        study->direction[i] = i % 2 == 0 ? -0.5 : 0.5;
}

/* Steps are so short that every gradient stays longer than the clip; rows of the other class have the record's opposite. */
void sot_craft_network(sot_study *study)
{
    sot_study_on_line(study, SOT_LINE_ROWS);
    study->base[0] = (sot_study_row){{1.0, 0.0}, -1.0, SOT_LINE_ROWS};
    study->other = (sot_study_row){{1.0, 0.0}, -1.0, 1};
    study->config.steps = 8;
    set_network(study, 0x1p-8);
    sot_study_set_rows(study);
    study->pair = "one dense layer: the record's gradient is clipped in every step and "
                  "has always the same direction; the other rows have its opposite";
}

void sot_craft_transcript_network(sot_study *study)
{
    set_network(study, 160.0);
}

/* Moves theta beyond every margin in the first step. Later steps learn nothing: they differ only by the record and by
 * noise. */
void sot_craft_transcript(sot_study *study)
{
    sot_study_on_line(study, 31);
    study->base[0].x[0] = study->other.x[0] = 1.0;
    study->other.label = -1.0;
    study->config.iterate = SOTTO_ITERATE_LAST;
    study->config.steps = 2;
    study->config.learning_rate = 32.0;
    study->look = SOT_LOOK_STEPS;
    const sot_pair_row *row = sot_pair_row_of(study);
    if (row->set_transcript != NULL) row->set_transcript(study);
    sot_study_set_rows(study);
    study->pair = "one feature: the record's gradient has norm 1 in the first step and 0 "
                  "in the second; the attack uses their difference";
    study->short_of = "one step of two shows the record, and the difference has the "
                      "noise of both";
}
