/* The certificate of a training beside its plan. */
#include <stdio.h>

#include <sotto/loss.h>

#include "commands/train/concept.h"
#include "commands/train/train.h"
#include "data/owner/owner.h"
#include "data/schema/parts.h"
#include "models/concept/classes/concept.h"
#include "models/kinds.h"

/* "a logistic model", "an svm model", "a network of 26010 parameters",
 * "a concept of the class stumps, 4096 concepts". */
static void name_output(const sotto_training *training, char *out, size_t size_bytes)
{
    const sotto_model_kind model = training->config.model;
    const sot_net *net = training->learner->net;
    if (net != NULL && net->trainable == net->parameters) {
        (void)snprintf(out, size_bytes, "a network of %zu parameters", net->parameters);
        return;
    }
    if (net != NULL) {
        (void)snprintf(out, size_bytes,
                       "a network of %zu parameters, %zu of them learned",
                       net->parameters, net->trainable);
        return;
    }
    if (training->learner->concept != NULL) {
        char concepts[SOT_CONCEPTS_BYTES];
        (void)snprintf(
            out, size_bytes, "a concept of the class %s, %s%s",
            sot_concept_kind_name(training->learner->concept->kind),
            sot_concept_count_text(training->learner->concept, concepts),
            sot_training_errors(training).lists > 0 ? ", and noisy errors of all" : "");
        return;
    }
    char kind[80];
    (void)snprintf(kind, sizeof kind, "a%s %s model",
                   sot_model_row_of(model)->an ? "n" : "", sotto_model_kind_name(model));
    if (training->learner->sampler != NULL) {
        sot_training_name_draws(training, kind, out, size_bytes);
    } else {
        (void)snprintf(out, size_bytes, "%s", kind);
    }
}

sotto_status sot_training_certify(const sotto_training *training, sot_session *session,
                                  const char *tuning, const sotto_selection *selection,
                                  const char *payload, const char *request,
                                  sotto_error *error)
{
    const sotto_train_config *config = &training->config;
    char output[120];
    char access[SOT_COVERED_BYTES];
    const size_t classes = sot_encoding_classes(training->encoding);
    name_output(training, output, sizeof output);
    sot_session_covered(session, access);
    const char *const covered[] = {access, NULL};
    char word[240] = "";
    if (config->loss != NULL) {
        (void)snprintf(
            word, sizeof word,
            "the loss %.60s: that its slope rises and that its bounds hold was "
            "tried on a grid, and is the caller's word between its points",
            config->loss->name);
    }
    const bool concept = training->learner->concept != NULL;
    char adjusted[SOT_ADJUSTED_BYTES];
    const char *unprotected[13 + SOT_ROWS_FACTS] = {
        concept ? "the schema: columns, types, bounds, categories"
                : "the schema: columns, types, bounds, categories, the norm bound",
        classes == 0   ? "the bounds of the target"
        : classes == 2 ? "the label set and which of two labels is the positive one"
                       : "the label set",
        "the settings of this training", NULL};
    size_t count = 3;
    if (sot_schema_state_adjusted(training->schema, adjusted))
        unprotected[count++] = adjusted;
    if (training->learner->net != NULL)
        unprotected[count++] = "the network: its layers, and the numbers in its file";
    if (concept)
        unprotected[count++] =
            "the class of concepts: its columns, cut points and weights";
    if (config->expected_rows > 0)
        unprotected[count++] = "the expected number of rows, a public guess";
    if (config->prior != NULL)
        unprotected[count++] = "the prior: coefficients declared public, or released "
                               "before and paid for by themselves";
    if (config->init != NULL)
        unprotected[count++] =
            "the weights to begin with: of a model declared public, or "
            "released before and paid for by itself";
    if (config->validation != NULL)
        unprotected[count++] = "the validation rows, declared public";
    if (word[0] != '\0') unprotected[count++] = word;
    if (session->resumed)
        unprotected[count++] = "that this training was resumed once from each of its "
                               "checkpoints: no ledger checked it";
    count += sot_session_row_facts(session, unprotected + count);
    unprotected[count] = NULL;
    sotto_certificate_facts facts = sotto_certificate_defaults();
    facts.output = output;
    facts.unit = training->unit;
    facts.covered = covered;
    facts.unprotected = unprotected;
    facts.tuning = tuning;
    facts.selection = selection;
    char route[640];
    if (training->learner->sampler != NULL &&
        sot_training_route(training, route, sizeof route))
        facts.route = route;
    return sot_session_certify(session, payload, request, &facts, error);
}
