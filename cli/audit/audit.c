/* sotto audit: attacks, and lower bounds on epsilon. */
#include "audit/audit.h"

#include "commands.h"

static const cli_command *const commands[] = {
    &audit_learner, &audit_model, &audit_canaries, &audit_demo, NULL,
};

const cli_command cli_audit = {
    .name = "audit",
    .summary = "Attack a learner or a model, and print a certified lower bound",
    .details = "A lower bound of epsilon above the claim refutes the claim: exit code 1.",
    .commands = commands,
    .example = "sotto audit learner --model svm --method output --epsilon 6 --delta 1e-5 "
               "--runs 2000",
};
