/* privacy/mechanisms/randomized_response/randomized_response.h: checks and coins that releases and estimates share. */
#ifndef SOT_PRIVACY_MECHANISMS_RANDOMIZED_RESPONSE_RANDOMIZED_RESPONSE_H
#define SOT_PRIVACY_MECHANISMS_RANDOMIZED_RESPONSE_RANDOMIZED_RESPONSE_H

#include <sotto/randomized_response.h>

/* epsilon and categories; the rest of the settings is for releases only. */
SOTTO_MUST_CHECK sotto_status
sot_check_response(const sotto_randomized_response_config *config, sotto_error *error);
SOTTO_MUST_CHECK sotto_status sot_check_coins(const sotto_coin_survey_config *config,
                                              sotto_error *error);

#endif
