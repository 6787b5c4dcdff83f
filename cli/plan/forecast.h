/* sotto plan --forecast and --within: the scores that a training can expect. */
#ifndef SOTTO_CLI_PLAN_FORECAST_H
#define SOTTO_CLI_PLAN_FORECAST_H

#include <sotto/json.h>

#include <sotto/train.h>

#include "frame/frame.h"

/* Refuses options of a forecast without one, and options that exclude each other. */
SOTTO_MUST_CHECK sotto_status plan_forecast_check(const cli_call *call,
                                                  sotto_error *error);
SOTTO_MUST_CHECK sotto_status plan_forecast_find(const cli_call *call,
                                                 const sotto_training *training,
                                                 sotto_forecast *out_forecast,
                                                 sotto_error *error);
void plan_forecast_text(const cli_call *call, const sotto_forecast *forecast);
void plan_add_forecast(sotto_json_writer *json, const sotto_forecast *forecast);

/* The score that a forecast is judged by: AUC, log loss, accuracy or error, the first that the model has. */
typedef struct plan_score {
    const char *name;
    bool is_error; /* the smaller the better */
    sotto_forecast_part part;
} plan_score;
plan_score plan_score_of(const sotto_forecast *forecast);

/* cli/plan/within.c: forecasts at many values of epsilon, and the least of them whose score is close to the one
 * without noise. Prints. */
SOTTO_MUST_CHECK sotto_status plan_within(const cli_call *call,
                                          const sotto_train_config *config,
                                          const sotto_schema *schema, sotto_error *error);

#endif
