/* cli/audit/audit.h: the commands of sotto audit. */
#ifndef SOTTO_CLI_AUDIT_H
#define SOTTO_CLI_AUDIT_H

#include "frame/frame.h"

extern const cli_command audit_learner;
extern const cli_command audit_model;
extern const cli_command audit_canaries;
extern const cli_command audit_demo;

#endif
