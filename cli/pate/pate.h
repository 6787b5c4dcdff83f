/* cli/pate/pate.h: the verbs of `sotto pate`, one file each; cli/pate/pate.c lists them. */
#ifndef SOTTO_CLI_PATE_H
#define SOTTO_CLI_PATE_H

#include "frame/frame.h"

extern const cli_command pate_teach;   /* cli/pate/teach.c */
extern const cli_command pate_label;   /* cli/pate/label.c */
extern const cli_command pate_student; /* cli/pate/student.c */

#endif
