/* cli/pac/pac.h: the verbs of `sotto pac`, one file each; cli/pac/pac.c lists them. */
#ifndef SOTTO_CLI_PAC_H
#define SOTTO_CLI_PAC_H

#include "frame/frame.h"

extern const cli_command pac_learn;       /* cli/pac/learn.c */
extern const cli_command pac_sample_size; /* cli/pac/size.c */
extern const cli_command pac_packing;     /* cli/pac/packing.c */
extern const cli_command pac_experiment;  /* cli/pac/experiment.c */

const char *pac_class_choice(size_t index); /* the names of the classes */
/* A class whole: the path of its JSON file, or its text. */
bool pac_is_class(const char *text);

enum { PAC_COUNTS_MAX = 64 };

/* The list of an option: 10,20,1e3,2^40. */
SOTTO_MUST_CHECK sotto_status pac_counts(const cli_call *call, const char *name,
                                         uint64_t out_counts[PAC_COUNTS_MAX],
                                         size_t *out_count, sotto_error *error);

#endif
