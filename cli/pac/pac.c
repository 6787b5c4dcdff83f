/* sotto pac: finite classes of yes-no functions: private learning, and its theory. */
#include "pac/pac.h"

#include "commands.h"

static const cli_command *const commands[] = {
    &pac_learn, &pac_sample_size, &pac_packing, &pac_experiment, NULL,
};

const cli_command cli_pac = {
    .name = "pac",
    .summary = "Learn one concept of a finite class, privately and sampled exactly",
    .details = "A concept is chosen by its errors on the rows, without a delta.",
    .commands = commands,
    .example =
        "sotto pac learn examples/survey.csv --schema examples/smokers.schema.json "
        "--class stumps --epsilon 1 -o rule.json",
};
