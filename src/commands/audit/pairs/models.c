/* Differences between models in their pairs, one row a kind. */
#include "commands/audit/pairs/parts.h"

/* Poisson: counts of 0 and of 2 are as far from the rate, which is about 1 at 0. */
#define COUNT  "\"target\": {\"lower\": 0, \"upper\": 2}"
#define NUMBER "\"target\": {\"lower\": -1, \"upper\": 1}"
#define ROW    .label = 1.0, .scale = 1.0, .sample_margin = 0.4375

static const sot_pair_row rows[] = {
    [SOTTO_MODEL_UNSET] = {ROW},
    [SOTTO_MODEL_LOGISTIC] = {ROW, .group = SOT_PAIR_LOGISTIC},
    [SOTTO_MODEL_LINEAR] = {ROW, .group = SOT_PAIR_LINES, .target = NUMBER,
                            .has_threshold = true},
    [SOTTO_MODEL_SVM] = {ROW, .group = SOT_PAIR_MARGINS},
    [SOTTO_MODEL_HINGE] =
        {ROW, .group = SOT_PAIR_HINGE,
         .minimiser_short_of =
             "most of the noise hides the distance of the solver from the hinge's "
             "minimiser; it has twice the scale of the rest"},
    [SOTTO_MODEL_HUBER] = {ROW, .group = SOT_PAIR_LINES, .target = NUMBER,
                           .has_threshold = true, .sample_threshold = 0.25},
    [SOTTO_MODEL_SOFTMAX] = {.group = SOT_PAIR_SOFTMAX,
                             .label = 1.0,
                             .scale = 2.0,
                             .sample_margin = 0.4375},
    [SOTTO_MODEL_POISSON] = {.group = SOT_PAIR_POISSON,
                             .target = COUNT,
                             .label = 2.0,
                             .has_threshold = true,
                             .scale = 1.0,
                             .sample_threshold = 0.75,
                             .sample_margin = 0.1875},
    [SOTTO_MODEL_CUSTOM] = {ROW},
    [SOTTO_MODEL_NETWORK] = {ROW, .group = SOT_PAIR_NETWORK,
                             .set_transcript = sot_craft_transcript_network},
    [SOTTO_MODEL_CONCEPT] = {ROW, .group = SOT_PAIR_CONCEPT},
};

static const sot_pair_row *row_of(sotto_model_kind model)
{
    const size_t index = (size_t)model;
    return &rows[index < sizeof rows / sizeof rows[0] ? index : 0];
}

const sot_pair_row *sot_pair_row_of(const sot_study *study)
{
    return row_of(study->config.model);
}

unsigned sot_pair_group(sotto_model_kind model)
{
    return row_of(model)->group;
}
