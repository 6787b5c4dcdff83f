/* cli/commands.h: the commands, one file each; cli/main.c lists them. */
#ifndef SOTTO_CLI_COMMANDS_H
#define SOTTO_CLI_COMMANDS_H

#include "frame/frame.h"

extern const cli_command cli_start;      /* the first steps with a data set */
extern const cli_command cli_schema;     /* draft, check, sample */
extern const cli_command cli_train;      /* a private model of a table */
extern const cli_command cli_tune;       /* the best of a secret number of trainings */
extern const cli_command cli_release;    /* count, sum, mean, ..., choose, rr */
extern const cli_command cli_pate;       /* teach, label, student */
extern const cli_command cli_pac;        /* learn */
extern const cli_command cli_audit;      /* learner, model, canaries, demo */
extern const cli_command cli_predict;    /* predictions of a model */
extern const cli_command cli_evaluate;   /* how well it does */
extern const cli_command cli_export;     /* a model as a C header */
extern const cli_command cli_report;     /* an HTML report about a model */
extern const cli_command cli_account;    /* epsilon, delta, noise, steps */
extern const cli_command cli_plan;       /* the cost of a plan */
extern const cli_command cli_verify;     /* recompute a certificate */
extern const cli_command cli_ledger;     /* init, show, grant, export, check */
extern const cli_command cli_key;        /* new */
extern const cli_command cli_analyst;    /* another command, within the curator's rules */
extern const cli_command cli_doctor;     /* the installation and its security */
extern const cli_command cli_completion; /* the completion script of a shell */

#endif
