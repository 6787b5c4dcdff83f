/* cli/pate.h: the verbs of `sotto pate`, one file each; cli/pate.c lists them. */
#ifndef SOTTO_CLI_PATE_H
#define SOTTO_CLI_PATE_H

#include "frame.h"

extern const cli_command pate_teach;   /* cli/pate_teach.c */
extern const cli_command pate_label;   /* cli/pate_label.c */
extern const cli_command pate_student; /* cli/pate_student.c */

#endif
