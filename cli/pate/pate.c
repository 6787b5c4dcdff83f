/* sotto pate: private aggregation of teacher ensembles, in the order of the work. */
#include "pate/pate.h"

#include "commands.h"

static const cli_command *const commands[] = {
    &pate_teach,
    &pate_label,
    &pate_student,
    NULL,
};

const cli_command cli_pate = {
    .name = "pate",
    .summary = "Train a student on public rows labelled by a private ensemble (PATE)",
    .details = "Only the noisy votes are paid for. The student is any model.",
    .commands = commands,
    .example =
        "sotto pate teach examples/clinic.csv --schema examples/clinic.schema.json "
        "--teachers 50 --model logistic -o teachers",
};
