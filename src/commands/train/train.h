/* commands/train/train.h: the common part of the files of a training: its plan, its run,
 * its texts. */
#ifndef SOT_COMMANDS_TRAIN_TRAIN_H
#define SOT_COMMANDS_TRAIN_TRAIN_H

#include <sotto/train.h>

#include "commands/session/checkpoint_file.h"
#include "commands/session/prose.h"
#include "commands/session/session.h"
#include "methods/learner.h"
#include "models/network/layers/net.h"

enum { SOT_ADVICE_MAX = 8, SOT_ADVICE_BYTES = 240, SOT_TRAINING_TEXTS = 6 };

/* For a model of public rows with released labels: the inherited guarantee. */
typedef struct sot_inherited {
    double epsilon, delta;
    sotto_adjacency adjacency;
    const char *unit;
} sot_inherited;

/* The verifier's replacement for the model files that settings name (prior, init). */
typedef struct sot_training_inputs {
    const double *center; /* coefficients of the prior; NULL: none */
    size_t center_count;
    const char *start; /* hash of the file; NULL: none */
} sot_training_inputs;

/* Everything here follows from settings and schema. */
struct sotto_training {
    sotto_train_config config; /* texts are `target` and `texts`, the others are NULL */
    char *target;
    char *texts[SOT_TRAINING_TEXTS]; /* owned: of networks and concepts */
    double
        *center; /* of config.prior, outputs x dimension, or of config.init; NULL: none */
    bool fresh_norms[SOT_NET_LAYERS_MAX]; /* data norms that `learn` fills in */
    sot_net *init_net;                    /* of config.init; NULL: none */
    size_t center_count;                  /* of a prior */
    char start[SOTTO_HASH_HEX_BYTES];     /* hash of the prior or init; "": none */
    const sot_training_inputs *inputs;    /* borrowed; NULL: files are read */
    char *network;              /* the network as it is planned, in JSON; NULL: none */
    const sotto_schema *schema; /* borrowed */
    struct sot_concept_class
        *class; /* of config.concept, until the learner has it; NULL: none */
    sot_encoding *encoding;
    sot_learner *learner;
    sotto_plan *plan;       /* NULL: public data */
    sotto_method method;    /* never auto */
    const char *method_why; /* static; NULL: it was given */
    sotto_account account;  /* of the plan at `delta` */
    double
        delta; /* that is certified: the given one; without one 0, or, where the samplers of a pure
                     method are not exact, SOT_OBJECTIVE_PURE_DELTA */
    char unit[SOT_UNIT_NAME_BYTES];
    const struct sot_inherited *inherited; /* borrowed; NULL: none */
    char advice[SOT_ADVICE_MAX][SOT_ADVICE_BYTES];
    size_t advice_count;
    char *json;
    char *text;
};

struct sotto_train_result {
    char *json;
    char *text;
    char *certificate;
    sotto_run_outcome outcome;
    struct sot_pair
        *kept; /* beside the ledger, until the result is taken; NULL: nothing */
};

/* Moves the origin of the result and its stored file to the result. */
void sot_training_hand_over(sot_session *session, sotto_train_result *result);
/* A bound on the numbers of the model file, from public things. */
size_t sot_training_numbers(const sotto_training *training);

/* Trains on records that are in memory and writes the released coefficients, one per feature. The
 * gate is open, or NULL for public data. */
SOTTO_MUST_CHECK sotto_status sot_training_learn(const sotto_training *training,
                                                 sotto_gate *gate,
                                                 const sot_matrix *matrix,
                                                 double *out_theta, sotto_error *error);

/* The same for rows that may be a stream. */
SOTTO_MUST_CHECK sotto_status sot_training_learn_table(const sotto_training *training,
                                                       sotto_gate *gate, sot_table *table,
                                                       double *out_theta,
                                                       sotto_error *error);

/* All rows at once, or none yet: a stream reads them for every pass, and has no matrix. */
SOTTO_MUST_CHECK sotto_status sot_training_open_table(const sotto_training *training,
                                                      sot_source *source, sotto_rng *rng,
                                                      sot_matrix **out_matrix,
                                                      sot_table **out_table,
                                                      sotto_error *error);

/* The table has the number of rows that was declared public, if one was. */
SOTTO_MUST_CHECK sotto_status sot_training_check_public_n(const sotto_training *training,
                                                          sot_table *table,
                                                          const char *data_path,
                                                          sotto_error *error);

/* sotto_training_plan() with the content of files in place of the files; `inputs` NULL: these are read. */
SOTTO_MUST_CHECK sotto_status sot_training_plan_with(const sotto_train_config *config,
                                                     const sotto_schema *schema,
                                                     const sot_training_inputs *inputs,
                                                     sotto_training **out_training,
                                                     sotto_error *error);

/* SOTTO_INVALID_ARGUMENT where `output` (NULL: none) would replace a file that the settings name. */
SOTTO_MUST_CHECK sotto_status sot_training_spare_files(const sotto_train_config *config,
                                                       const char *output,
                                                       sotto_error *error);

/* ---- family.c: by the kind of model ---- */

/* Makes training->encoding: features of bounded norm, or of a concept places on public grids. */
SOTTO_MUST_CHECK sotto_status sot_training_encode(sotto_training *training,
                                                  sotto_error *error);
/* Reads the coefficients of the prior at `path` into training->center; NULL: there is none. */
SOTTO_MUST_CHECK sotto_status sot_training_load_prior(sotto_training *training,
                                                      const char *path,
                                                      sotto_error *error);
/* Chooses the method and makes training->learner. */
SOTTO_MUST_CHECK sotto_status sot_training_make_learner(sotto_training *training,
                                                        sotto_error *error);

/* ---- certify.c ---- */

/* Certifies the payload, which follows from the request. `tuning` describes the choice of the
 * settings, and `selection` is the basis of its price; NULL: they were fixed in advance. */
SOTTO_MUST_CHECK sotto_status
sot_training_certify(const sotto_training *training, sot_session *session,
                     const char *tuning, const sotto_selection *selection,
                     const char *payload, const char *request, sotto_error *error);

/* ---- request.c ---- */

/* Writes the inputs of the training: the settings, and the content of the files that they name.
 * `config` has the settings as given. */
SOTTO_MUST_CHECK sotto_status sot_training_write_request(const sotto_training *training,
                                                         const sotto_train_config *config,
                                                         sot_json_writer *writer,
                                                         sotto_error *error);
/* The request of `sotto train`; free with sot_free(). */
SOTTO_MUST_CHECK sotto_status sot_training_request(const sotto_training *training,
                                                   const sot_session *session,
                                                   char **out_json, sotto_error *error);

/* A request as it was read. Borrows from the document and from the model; start with {0}. */
typedef struct sot_training_asked {
    sotto_train_config config;
    sot_training_inputs inputs;
    double *center;
    char *network, *concept;
    struct sotto_loss *loss;
} sot_training_asked;
struct sotto_model;
SOTTO_MUST_CHECK sotto_status sot_training_read_request(const sot_json_value *request,
                                                        const sot_json_value *root,
                                                        sot_training_asked *out_asked,
                                                        sotto_error *error);
void sot_training_asked_clear(sot_training_asked *asked);

/* Puts the released values of a model file into a planned training: norms, errors. */
SOTTO_MUST_CHECK sotto_status sot_training_take_released(const sotto_training *training,
                                                         const struct sotto_model *model,
                                                         sotto_error *error);

/* ---- keep.c ---- */

/* The hash of all settings that decide a number, and of the public files they name. */
SOTTO_MUST_CHECK sotto_status sot_training_hash(const sotto_training *training,
                                                char out_hash[SOTTO_HASH_HEX_BYTES],
                                                sotto_error *error);
/* Refuses limits and names that keeping cannot do with. */
SOTTO_MUST_CHECK sotto_status sot_training_check_keeping(const sotto_training *training,
                                                         const sot_session *session,
                                                         sotto_error *error);
/* sot_session_keep() for this training. */
SOTTO_MUST_CHECK sotto_status sot_training_keep(sotto_training *training,
                                                sot_session *session, sotto_error *error);

/* ---- samples.c ---- */

/* Writes the number of posterior samples, their distribution and the model, in words. */
void sot_training_name_draws(const sotto_training *training, const char *model, char *out,
                             size_t size_bytes);
/* Their sampler, and the error budget: a certificate's route. False: there are no private draws. */
bool sot_training_route(const sotto_training *training, char *out, size_t size_bytes);

/* ---- advice.c, text.c ---- */

/* Writes advice on better settings, as sentences. */
void sot_training_advise(sotto_training *training);
/* Fills training->json and training->text. */
SOTTO_MUST_CHECK sotto_status sot_training_describe(sotto_training *training,
                                                    sotto_error *error);
/* The model file without its certificate; free with sot_free(). `curve` of a network, NULL: none. */
SOTTO_MUST_CHECK sotto_status sot_training_payload(const sotto_training *training,
                                                   const double *theta,
                                                   const sot_validation *curve,
                                                   char **out_json, sotto_error *error);
/* Writes the summary of a run; free with sot_free(). `theta` has the released
 * coefficients. */
SOTTO_MUST_CHECK sotto_status sot_training_summary(const sotto_training *training,
                                                   const sot_session *session,
                                                   const double *theta, char **out_text,
                                                   sotto_error *error);

#endif
