/* models/kinds.h: one row a kind of model. Layers above ask the row and compare no kinds.
 *
 * A new kind is its value in <sotto/train_settings.h> and a row in kinds.c, which for a loss of one margin has its maker.
 * Layers above have tables of their own, indexed by the same kind: artifact/model_file/kind.c, commands/train/family.c,
 * commands/audit/pairs/models.c. A kind that they do not list is a convex loss.
 */
#ifndef SOT_MODELS_KINDS_H
#define SOT_MODELS_KINDS_H

#include <sotto/evaluation.h>
#include <sotto/model_kind.h>
#include <sotto/train_config.h>

#include "data/encode/encode.h"
#include "models/linear/losses/loss.h"

enum { SOT_MODEL_CLASSES_MAX = 1000 };

/* Fills the loss of a training's rows. Refuses a target or settings that the kind cannot use. */
typedef sotto_status sot_loss_maker(const sotto_train_config *config,
                                    const sot_encoding *encoding, sot_loss *out_loss,
                                    sotto_error *error);

typedef struct sot_model_row {
    const char *name;
    bool an; /* the article before the name is "an" */

    /* ---- predictions ---- */
    sot_target_role role;
    bool follows_target; /* the target has the role, not the kind */
    bool many_classes;   /* more than two classes, one score each */
    bool class_vectors;  /* one vector of coefficients for each class */
    bool halves_two;     /* but one margin for two classes */
    bool has_bins;       /* features are the bins of columns: data/encode/blocks.h */
    bool probabilities;  /* of classes; otherwise one score */

    /* ---- learning ---- */
    sot_loss_maker *loss;      /* of one margin; NULL: it has none */
    bool takes_loss;           /* config->loss is the loss */
    const char *width_why;     /* meaning of the setting `width`; NULL: it has none */
    const char *threshold_why; /* meaning of the setting `threshold`; NULL: it has none */
    bool keeps_threshold;      /* without noise too */
    bool kinked;               /* the loss has a kink: no curvature, no exact minimiser */
    sotto_model_kind plain;  /* learned without noise in its place; 0: the kind itself */
    bool pays_for_curvature; /* objective perturbation pays for a large curvature term */
    bool is_quadratic;       /* the sum of losses is a function of second moments */
    bool newton_proof;       /* methods/descent/newton.md covers its loss */
    double curvature;        /* largest f''; 0: `curvature_of`, or unbounded */
    double (*curvature_of)(const sotto_train_config *config);
    bool has_coefficients; /* of features: 0 is a model, and a prior can be its centre */
    bool chosen;           /* among concepts, by a method that chooses */
    bool has_settings;     /* settings belong to the model, not to its method */
} sot_model_row;

/* Returns the row of a kind. A value that is no kind has an empty one, without a name. */
const sot_model_row *sot_model_row_of(sotto_model_kind kind);

/* ---- answers from the rows ---- */

/* Fills `out` with the names of all kinds, the last one after `word`, and returns it: "logistic, ... or custom". */
enum { SOT_KIND_NAMES_BYTES = 256 };
const char *sot_model_kind_names(const char *word, char out[SOT_KIND_NAMES_BYTES]);

/* Returns the role of a target. A kind that follows the target it was trained for has classes if that has labels.
 * `target` may be NULL for the other kinds. */
sot_target_role sot_model_role(sotto_model_kind kind, const sotto_target *target);

/* Returns the number of margins of a row, and so of coefficients of a feature: 1, or one for each class of softmax.
 * For a network it is the number of scores. A concept has one margin: 1 for yes and -1 for no. */
size_t sot_model_margins(sotto_model_kind kind, size_t classes);

/* True if the coefficients are one vector for each of these classes. */
bool sot_model_has_class_vectors(sotto_model_kind kind, size_t classes);
/* True if the setting `threshold` has a meaning for this target. */
bool sot_model_has_threshold(sotto_model_kind kind, sot_target_role role);

sotto_prediction sot_model_prediction(sotto_model_kind kind, sot_target_role role);

/* Returns SOTTO_INVALID_ARGUMENT if the kind does not support this number of classes; 0 means numbers. */
SOTTO_MUST_CHECK sotto_status sot_model_check_classes(sotto_model_kind kind,
                                                      size_t classes, sotto_error *error);

/* The kind that learns in its place without noise: the kind itself, or one whose minimiser can be computed. */
sotto_model_kind sot_model_plain(sotto_model_kind kind);

/* True for a loss of bounded curvature; a caller's loss states it. */
bool sot_model_is_smooth(const sotto_train_config *config);
/* True if objective perturbation pays for the curvature of the loss at a small epsilon. */
bool sot_model_pays_for_curvature(const sotto_train_config *config);
/* The largest curvature of one row's loss, over the squared norm; infinite: no bound is known here. */
double sot_model_curvature(const sotto_train_config *config);

/* Fills the loss of a model of one margin. A caller's loss is borrowed from the config. Refuses a target or settings
 * that the model cannot use. */
SOTTO_MUST_CHECK sotto_status sot_model_loss(const sotto_train_config *config,
                                             const sot_encoding *encoding,
                                             sot_loss *out_loss, sotto_error *error);

#endif
