/* tests/commands/train/train_tape_promises.h: what test_train_tape.c tries on some neighbours and slow_train_tape.c on all. */
#ifndef TESTS_RUN_TRAIN_TAPE_PROMISES_H
#define TESTS_RUN_TRAIN_TAPE_PROMISES_H

#include "train_study.h"

/* Fails if the releases on two neighbours differ in more than their noise. */
static void expect_no_leak(sotto_train_config config);

static void objective_shows_nothing(void **state)
{
    (void)state;
    expect_no_leak(study_config(SOTTO_METHOD_OBJECTIVE, SOTTO_ADD_REMOVE, 1e-6));
    expect_no_leak(study_config(SOTTO_METHOD_OBJECTIVE, SOTTO_REPLACE_ONE, 1e-6));
}

static void pure_objective_shows_nothing(void **state)
{
    (void)state;
    expect_no_leak(study_config(SOTTO_METHOD_AUTO, SOTTO_ADD_REMOVE, SOTTO_UNSET));
    expect_no_leak(study_config(SOTTO_METHOD_OBJECTIVE, SOTTO_REPLACE_ONE, SOTTO_UNSET));
}

static void named_calibrations_show_nothing(void **state)
{
    (void)state;
    sotto_train_config config =
        study_config(SOTTO_METHOD_OBJECTIVE, SOTTO_ADD_REMOVE, 1e-6);
    config.calibration = SOTTO_CALIBRATION_KIFER;
    expect_no_leak(config);
    config.calibration = SOTTO_CALIBRATION_REDBERG;
    expect_no_leak(config);
    config = study_config(SOTTO_METHOD_OBJECTIVE, SOTTO_REPLACE_ONE, SOTTO_UNSET);
    config.calibration = SOTTO_CALIBRATION_CHAUDHURI;
    expect_no_leak(config);
}

static void output_shows_nothing(void **state)
{
    (void)state;
    expect_no_leak(study_config(SOTTO_METHOD_OUTPUT, SOTTO_ADD_REMOVE, 1e-6));
    expect_no_leak(study_config(SOTTO_METHOD_OUTPUT, SOTTO_REPLACE_ONE, 1e-6));
    expect_no_leak(study_config(SOTTO_METHOD_OUTPUT, SOTTO_ADD_REMOVE, SOTTO_UNSET));
    expect_no_leak(study_config(SOTTO_METHOD_OUTPUT, SOTTO_REPLACE_ONE, SOTTO_UNSET));
}

static void gradient_descent_shows_nothing(void **state)
{
    (void)state;
    expect_no_leak(study_config(SOTTO_METHOD_GD, SOTTO_ADD_REMOVE, 1e-6));
    expect_no_leak(study_config(SOTTO_METHOD_GD, SOTTO_REPLACE_ONE, 1e-6));
}

#endif
