/* commands/pate/student.h: the request of a student, for the run and its verifier. */
#ifndef SOT_COMMANDS_PATE_STUDENT_H
#define SOT_COMMANDS_PATE_STUDENT_H

#include "commands/pate/pate.h"
#include "commands/train/train.h"

enum { SOT_STUDENT_BYTES = 400 };

/* The inputs of a student beside its training. */
typedef struct sot_student_asked {
    const sot_json_value *labels; /* their request */
    const char *hash;             /* of their file */
    uint64_t count;               /* labels */
    uint64_t asked, answered;     /* queries */
    uint64_t self_training;       /* rounds in which it labelled rows by itself */
    double confidence;            /* least probability of such a label */
} sot_student_asked;

/* SOTTO_INVALID_ARGUMENT for a number of rounds or a probability that self-training does not take. */
SOTTO_MUST_CHECK sotto_status sot_student_check(uint64_t self_training, double confidence,
                                                sotto_error *error);

/* Free with sot_free(). */
SOTTO_MUST_CHECK sotto_status sot_student_request(const sotto_training *training,
                                                  const sot_student_asked *asked,
                                                  char **out_json, sotto_error *error);
/* The certificate's output and route. */
void sot_student_name(const sotto_training *training, const sot_student_asked *asked,
                      char output[SOT_STUDENT_BYTES], char route[SOT_STUDENT_BYTES]);

#endif
