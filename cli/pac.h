/* cli/pac.h: the verbs of `sotto pac`, one file each; cli/pac.c lists them. */
#ifndef SOTTO_CLI_PAC_H
#define SOTTO_CLI_PAC_H

#include "frame.h"

extern const cli_command pac_learn; /* cli/pac_learn.c */

#endif
