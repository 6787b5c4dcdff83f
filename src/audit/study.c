/* The pairs, model by model and method by method: docs/audit.md says what each attains. */
#include "audit/study.h"

#include <math.h>
#include <stdio.h>

#include "base/error.h"

static const double one = 1.0;

/* ---- rows ---- */

/* One feature, all rows at its ends, the record against the others: its gradient is 1 long and constant while every
 * margin stays in the linear part of the loss. */
static void put_on_line(sot_study *study, size_t base_rows)
{
    (void)snprintf(study->schema_text, sizeof study->schema_text,
                   "{\"features\": 1, %s, \"row_norm\": {\"bound\": 1.0, \"rule\": "
                   "\"clip\"}}",
                   study->config.model == SOTTO_MODEL_LINEAR ||
                           study->config.model == SOTTO_MODEL_HUBER
                       ? "\"target\": {\"lower\": -1, \"upper\": 1}"
                       : "\"labels\": [-1, 1]");
    study->features = 1;
    study->base[0] = (sot_study_row){{-1.0, 0.0}, one, base_rows};
    study->groups = 1;
    study->record = (sot_study_row){{1.0, 0.0}, one, 1};
    study->other = (sot_study_row){{-1.0, 0.0}, one, 1};
    study->look = SOT_LOOK_ALONG;
    study->direction[0] = 1.0;
    study->pair = "one feature: the record at 1 against rows at -1, every margin in the "
                  "linear part of the loss, where the record's gradient is as long as "
                  "the claim allows";
}

/* Two features: rows along the first take theta far along it; the record is on the wrong side there, so that its slope is
 * nearly 1, and moves theta along the second, where nothing bends but lambda. */
static void put_aside(sot_study *study, size_t base_rows, double aside)
{
    const double rest = sqrt(1.0 - aside * aside) * (1.0 - 0x1p-20);
    put_on_line(study, base_rows);
    (void)snprintf(study->schema_text, sizeof study->schema_text,
                   "{\"features\": 2, \"labels\": [-1, 1], \"row_norm\": {\"bound\": "
                   "1.0, \"rule\": \"clip\"}}");
    study->features = 2;
    study->base[0] = (sot_study_row){{1.0, 0.0}, one, base_rows};
    study->record = (sot_study_row){{-aside, rest}, one, 1};
    study->other = (sot_study_row){{-aside, -rest}, one, 1};
    study->direction[0] = 0.0;
    study->direction[1] = 1.0;
    study->pair = "two features: rows along the first, the record on their wrong side "
                  "and aside of them";
    study->short_of = "the slope of the logistic loss is below 1 everywhere, and aside "
                      "of the others the record is shorter";
}

/* ---- methods with one release ---- */

/* The minimiser stays at |theta| <= 1/16: far inside the linear part. */
enum { LINE_ROWS = 3, LINE_LAMBDA = 64 };

static void set_threshold(sot_study *study)
{
    if (study->config.model == SOTTO_MODEL_LINEAR ||
        study->config.model == SOTTO_MODEL_HUBER)
        study->config.threshold = 0.25; /* residuals are near 1 */
}

static void craft_minimiser(sot_study *study)
{
    if (study->config.model == SOTTO_MODEL_LOGISTIC) {
        put_aside(study, 500, 0.5);
        study->config.lambda = 2.0;
        return;
    }
    put_on_line(study, LINE_ROWS);
    set_threshold(study);
    study->config.lambda = LINE_LAMBDA;
}

static void craft_objective(sot_study *study)
{
    if (study->config.model == SOTTO_MODEL_LOGISTIC) {
        put_aside(study, 400, 0.5);
        study->config.lambda = SOTTO_UNSET; /* the rule */
    } else {
        put_on_line(study, LINE_ROWS);
        set_threshold(study);
        /* The tilt moves theta by b / lambda: more lambda, and the determinant is worth nothing. */
        study->config.lambda = 256.0;
    }
    study->look = SOT_LOOK_LOSS;
}

/* ---- methods in steps ---- */

static void set_rows(sot_study *study)
{
    uint64_t rows = 1;
    for (size_t i = 0; i < study->groups; i++)
        rows += study->base[i].copies;
    if (study->config.adjacency == SOTTO_REPLACE_ONE)
        study->config.public_n = rows;
    else
        study->config.expected_rows = rows;
}

static void craft_descent(sot_study *study)
{
    study->config.iterate = SOTTO_ITERATE_LAST;
    study->config.steps = 8;
    if (study->config.model == SOTTO_MODEL_LOGISTIC) {
        put_aside(study, 63, 0.45);
        study->config.steps = 16;
        study->config.learning_rate = 16.0;
    } else {
        put_on_line(study, LINE_ROWS);
        set_threshold(study);
        study->config.learning_rate = 0x1p-12;
    }
    set_rows(study);
}

/* One dense layer on one feature. A record's gradient is longer than the clip while it is on the wrong side or near the middle, and
 * always along one line: weight and bias of one class against those of the other. */
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

/* The first step takes theta beyond every margin; after it nothing is left to learn, and the steps differ by the record and by
 * noise alone. */
static void craft_transcript(sot_study *study)
{
    put_on_line(study, 31);
    study->base[0].x[0] = study->other.x[0] = 1.0;
    study->other.label = -one;
    study->config.iterate = SOTTO_ITERATE_LAST;
    study->config.steps = 2;
    study->config.learning_rate = 32.0;
    study->look = SOT_LOOK_STEPS;
    if (study->config.model == SOTTO_MODEL_NETWORK) set_network(study, 160.0);
    set_rows(study);
    study->pair = "one feature: the record's gradient is 1 long in the first step and 0 "
                  "in the second; the difference of the two steps is looked at";
    study->short_of = "one step of two shows the record, and the difference has the "
                      "noise of both";
}

static void craft_stochastic(sot_study *study)
{
    craft_descent(study);
    study->config.schedule = SOTTO_SCHEDULE_CONSTANT;
    study->config.steps = 4;
    /* One row that opposes, for it too takes part or not; the guess of rows stays. */
    if (study->config.model != SOTTO_MODEL_LOGISTIC) study->base[0].copies = 1;
    study->config.batch = (study->config.expected_rows * 3 + 3) / 4;
    study->short_of = "three quarters of the records take part in a step, and the last "
                      "step does not tell in which steps the record did";
}

/* Plain steps, noise at the end: the record moves every step by as much as the bound says. */
static void craft_stable(sot_study *study)
{
    put_on_line(study, LINE_ROWS);
    set_threshold(study);
    study->config.steps = 4;
    study->config.learning_rate = 0x1p-6;
    if (study->config.method == SOTTO_METHOD_PERMUTATION_SGD) study->config.batch = 1;
    set_rows(study);
}

/* One step from 0, all rows on one line: the record moves the gradient's sum by 1/2 and the curvature's by 1/4, both against
 * the step that the others make, which is 2 long. */
static void craft_newton(sot_study *study)
{
    put_on_line(study, 400);
    study->config.steps = 1;
    study->pair = "one feature and one step: the record against 400 rows on the other "
                  "side, so that gradient and curvature move the step alike";
    study->short_of =
        "the slope of the logistic loss is 1/2 where the first step begins, "
        "and the claim allows for 1";
}

/* v = sum y x and A = sum x^2 both move by 1, with noise of one scale. At v/A = -1 the quotient moves by 2/A under noise of
 * sqrt(2) of it: as much as both together. */
static void craft_moments(sot_study *study)
{
    put_on_line(study, 400);
    study->other = (sot_study_row){{1.0, 0.0}, -one, 1};
    study->pair = "one feature: the record on the line y = x, 400 rows on y = -x, where "
                  "both second moments move the slope alike";
    if (study->config.method == SOTTO_METHOD_ADASSP)
        study->short_of = "a tenth of the budget protects an eigenvalue that does not "
                          "show in the result";
}

/* ---- choices ---- */

/* Of two corners the one that the record pulls to is the rare one: log-odds of -(1 + epsilon/2) without it. */
static void craft_corners(sot_study *study)
{
    const double epsilon = study->config.epsilon;
    const double pull = (0.5 * epsilon + 1.0) / epsilon;
    put_on_line(study, 1);
    const double rows = ceil(pull);
    study->base[0] = (sot_study_row){{-pull / rows, 0.0}, one, (size_t)rows};
    study->config.steps = 1;
    study->config.radius = 0.125;
    study->config.expected_rows = (uint64_t)rows + 1;
    study->aim = SOTTO_AIM_EPSILON;
    study->pair = "one feature and one step: the record pulls to the corner that is "
                  "rarely chosen";
    study->short_of = "the corner's probability is not 0 without the record, so that the "
                      "normaliser takes a part";
}

/* Two columns that are each a concept. The record, and enough other rows that it is rarely chosen, are errors of the
 * first; under replace-one the other record is an error of the second. */
static void craft_concept(sot_study *study)
{
    (void)snprintf(
        study->schema_text, sizeof study->schema_text,
        "{\"target\": {\"column\": \"yes\", \"labels\": [\"no\", \"yes\"]}, "
        "\"columns\": [{\"name\": \"a\", \"type\": \"integer\", \"lower\": 0, "
        "\"upper\": 1}, {\"name\": \"b\", \"type\": \"integer\", \"lower\": 0, "
        "\"upper\": 1}, {\"name\": \"yes\", \"type\": \"category\", \"values\": "
        "[\"no\", \"yes\"]}]}");
    study->config.concept = "candidates";
    study->features = 2;
    study->is_table = true;
    study->base[0] =
        (sot_study_row){{0.0, 1.0}, one, (size_t)ceil(1.0 / study->config.epsilon)};
    study->groups = 1;
    study->record = (sot_study_row){{0.0, 1.0}, one, 1};
    study->other = (sot_study_row){{1.0, 0.0}, one, 1};
    study->look = SOT_LOOK_EQUALS;
    study->direction[0] = 0.0;
    study->aim = SOTTO_AIM_EPSILON;
    study->pair = "two concepts: the record is an error of the one that is rarely chosen";
    study->short_of =
        "the concept's probability is not 0 without the record, so that the "
        "normaliser takes a part";
}

/* The same two concepts, and a record that is an error of both: every count moves by as much as the noise is for. Under replace-one
 * the other one is an error of none. The counts are handed out, so that they are looked at, and not which is less. */
static void craft_counts(sot_study *study)
{
    craft_concept(study);
    study->record = (sot_study_row){{0.0, 0.0}, one, 1};
    study->other = (sot_study_row){{1.0, 1.0}, one, 1};
    study->look = SOT_LOOK_COUNTS;
    study->direction[0] = (double)study->base[0].copies; /* errors of the base rows */
    study->direction[1] = 0.0;
    study->pair =
        "two concepts: the record is an error of both; the noisy counts of both "
        "are looked at";
    study->short_of = NULL;
}

/* ---- draws ---- */

/* 1 over the noise multiplier of one Gaussian release within the budget. */
static sotto_status mu_of(const sotto_train_config *config, double *out_mu,
                          sotto_error *error)
{
    sotto_plan *plan = NULL;
    sotto_event event = sotto_event_defaults();
    sotto_account account;
    double multiplier = 1.0;
    sotto_status status = sotto_plan_new(config->adjacency, &plan, error);
    event.mechanism = SOTTO_GAUSSIAN;
    if (status == SOTTO_OK) status = sotto_plan_add(plan, &event, error);
    if (status == SOTTO_OK)
        status = sotto_account_noise(plan, SOTTO_EXACT, config->epsilon, config->delta,
                                     &multiplier, &account, error);
    *out_mu = 1.0 / multiplier;
    sotto_plan_free(plan);
    return status;
}

/* A small ball bounds the margins, a strong prior keeps the law inside it. */
static void craft_mechanism(sot_study *study)
{
    put_on_line(study, 1);
    study->config.lambda = 65536.0;
    study->config.radius = 0.0625;
    study->pair = "one feature in a small ball, a prior that keeps to its middle: the "
                  "record tilts the law by nearly all that its bound allows";
    study->short_of = "the bound is of a gradient at the ball's edge, the law is in its "
                      "middle";
}

/* The tilt of a posterior is at most the likelihood's own: the prior follows from the budget, such that the whole
 * likelihood counts. Squared loss in a ball of radius 3: rows at 1/32 bend nothing and take the law to -2, where the record's gradient is 3
 * of the bound's 4. */
static sotto_status craft_posterior(sot_study *study, sotto_error *error)
{
    double mu;
    if (isnan(study->config.delta)) {
        return sot_fail(
            error, SOTTO_UNSUPPORTED,
            "no pair of neighbours is crafted for draws without a delta; give "
            "one");
    }
    const sotto_status status = mu_of(&study->config, &mu, error);
    if (status != SOTTO_OK) return status;
    put_on_line(study, 1);
    study->config.radius = 3.0;
    study->config.lambda = 16.0 / (mu * mu);
    study->base[0] =
        (sot_study_row){{-0.03125, 0.0}, one, (size_t)(64.0 * study->config.lambda)};
    study->pair = "one feature in a ball of radius 3: rows near 0 take the law to its "
                  "edge, where the record's gradient is 3 of 4 that are allowed";
    study->short_of = "the bound is of a gradient at the ball's edge, the law is inside";
    return SOTTO_OK;
}

/* ---- networks ---- */

/* Steps are so short that every gradient stays longer than the clip; rows of the other class have the record's opposite. */
static void craft_network(sot_study *study)
{
    put_on_line(study, LINE_ROWS);
    study->base[0] = (sot_study_row){{1.0, 0.0}, -one, LINE_ROWS};
    study->other = (sot_study_row){{1.0, 0.0}, -one, 1};
    study->config.steps = 8;
    set_network(study, 0x1p-8);
    set_rows(study);
    study->pair = "one dense layer: the record's gradient is cut to the clip's length in "
                  "every step and has always the same direction; the other rows have "
                  "its opposite";
}

/* ---- the table ---- */

typedef void (*crafter)(sot_study *study);
typedef sotto_status (*careful_crafter)(sot_study *study, sotto_error *error);

enum { MARGINS = 1, LINES = 2, LOGISTIC = 4, NETWORK = 8, CONCEPT = 16, HINGE = 32 };

static const struct {
    sotto_method method;
    unsigned models;
    bool replaces;             /* replace-one alone */
    crafter craft;             /* or */
    careful_crafter calibrate; /* which may fail */
} crafters[] = {
    {SOTTO_METHOD_OUTPUT, MARGINS | LINES | LOGISTIC | HINGE, false, craft_minimiser,
     NULL},
    {SOTTO_METHOD_OBJECTIVE, MARGINS | LINES | LOGISTIC, false, craft_objective, NULL},
    {SOTTO_METHOD_GD, MARGINS | LINES | LOGISTIC | HINGE, false, craft_descent, NULL},
    {SOTTO_METHOD_SGD, MARGINS | LINES | HINGE | LOGISTIC, false, craft_stochastic, NULL},
    {SOTTO_METHOD_SGD, NETWORK, false, craft_network, NULL},
    {SOTTO_METHOD_NEWTON, LOGISTIC, false, craft_newton, NULL},
    {SOTTO_METHOD_STATISTICS, LINES, false, craft_moments, NULL},
    {SOTTO_METHOD_ADASSP, LINES, false, craft_moments, NULL},
    {SOTTO_METHOD_PERMUTATION_SGD, MARGINS | LINES, true, craft_stable, NULL},
    {SOTTO_METHOD_GD_OUTPUT, MARGINS | LINES, true, craft_stable, NULL},
    {SOTTO_METHOD_FRANK_WOLFE, MARGINS, false, craft_corners, NULL},
    {SOTTO_METHOD_POSTERIOR, LINES, false, NULL, craft_posterior},
    {SOTTO_METHOD_REGULARIZED_EM, MARGINS | LINES, false, craft_mechanism, NULL},
    {SOTTO_METHOD_EXPONENTIAL, CONCEPT, false, craft_concept, NULL},
    {SOTTO_METHOD_PERMUTE_AND_FLIP, CONCEPT, false, craft_concept, NULL},
    {SOTTO_METHOD_LAPLACE, CONCEPT, false, craft_counts, NULL},
};
enum { CRAFTERS = sizeof crafters / sizeof crafters[0] };

static unsigned group_of(sotto_model_kind model)
{
    switch (model) {
    case SOTTO_MODEL_SVM:
        return MARGINS;
    case SOTTO_MODEL_HINGE:
        return HINGE;
    case SOTTO_MODEL_LINEAR:
    case SOTTO_MODEL_HUBER:
        return LINES;
    case SOTTO_MODEL_LOGISTIC:
        return LOGISTIC;
    case SOTTO_MODEL_NETWORK:
        return NETWORK;
    case SOTTO_MODEL_CONCEPT:
        return CONCEPT;
    case SOTTO_MODEL_UNSET:
    case SOTTO_MODEL_SOFTMAX:
    case SOTTO_MODEL_POISSON:
    case SOTTO_MODEL_CUSTOM:
        break;
    }
    return 0;
}

static sotto_status find_crafter(const sotto_audit_config *config, size_t *out_index,
                                 sotto_error *error)
{
    const unsigned group = group_of(config->model);
    for (size_t i = 0; i < CRAFTERS; i++) {
        *out_index = i;
        if (crafters[i].method == config->method && (crafters[i].models & group) != 0)
            return SOTTO_OK;
    }
    return sot_fail(error, SOTTO_UNSUPPORTED,
                    "no pair of neighbours is crafted for the model %s by the method %s; "
                    "docs/audit.md lists those that are",
                    sotto_model_kind_name(config->model),
                    sotto_method_name(config->method));
}

sotto_status sot_study_craft(const sotto_audit_config *config, sot_study *out_study,
                             sotto_error *error)
{
    size_t index;
    sotto_status status = find_crafter(config, &index, error);
    if (status != SOTTO_OK) return status;
    *out_study =
        (sot_study){.aim = isnan(config->delta) ? SOTTO_AIM_EPSILON : SOTTO_AIM_MU};
    sotto_train_config *train = &out_study->config;
    *train = sotto_train_defaults();
    train->model = config->model;
    train->method = config->method;
    train->epsilon = config->epsilon;
    train->delta = config->delta;
    train->adjacency = crafters[index].replaces ? SOTTO_REPLACE_ONE : config->adjacency;
    train->threads = 1;
    const bool steps =
        (config->method == SOTTO_METHOD_GD && config->model == SOTTO_MODEL_SVM) ||
        (config->method == SOTTO_METHOD_SGD && config->model == SOTTO_MODEL_NETWORK);
    if (config->transcript && !steps) {
        return sot_fail(error, SOTTO_UNSUPPORTED,
                        "a transcript is audited of the model svm by gd and of networks "
                        "by sgd, not of %s by %s; leave it out",
                        sotto_model_kind_name(config->model),
                        sotto_method_name(config->method));
    }
    if (crafters[index].calibrate != NULL)
        return crafters[index].calibrate(out_study, error);
    if (config->transcript)
        craft_transcript(out_study);
    else
        crafters[index].craft(out_study);
    return SOTTO_OK;
}
