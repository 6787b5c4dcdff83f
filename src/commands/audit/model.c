/* Attacks on a model file. */
#include <math.h>
#include <stdio.h>

#include "artifact/model_file/model.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/sized.h"
#include "commands/audit/model_scores.h"
#include "commands/audit/shadows.h"
#include "commands/audit/svg.h"

enum { ATTACKS = 2, ROWS_LEAST = 8, PANEL = 440, HEIGHT = 400, LEFT = 70 };

struct sotto_membership {
    size_t count;
    sotto_membership_attack attacks[ATTACKS];
    sotto_roc *rocs[ATTACKS];
    size_t others;
};

void sotto_membership_set_defaults(sotto_membership_config *out_config, size_t size_bytes)
{
    const sotto_membership_config defaults = {.alpha = 0.05};
    sot_sized_give(SOT_SIZED(membership), &defaults, out_config, size_bytes, 0);
}

/* The rows may be sorted: halves that choose and that count are taken in turn. */
static void interleave(const double *scores, size_t count, double *out)
{
    const size_t half = (count + 1) / 2;
    for (size_t i = 0; i < count; i++)
        out[i % 2 == 0 ? i / 2 : half + i / 2] = scores[i];
}

static sotto_status judge(const double *members, size_t member_count,
                          const double *others, size_t other_count, double alpha,
                          sotto_membership *made, sotto_error *error)
{
    sotto_membership_attack *attack = &made->attacks[made->count];
    sotto_roc **roc = &made->rocs[made->count];
    double *mixed = sot_new_array(member_count + other_count, sizeof *mixed);
    if (mixed == NULL)
        return sot_fail_memory(error, member_count + other_count, sizeof *mixed);
    interleave(members, member_count, mixed);
    interleave(others, other_count, mixed + member_count);
    sotto_status status =
        sotto_roc_new(members, member_count, others, other_count, roc, error);
    if (status == SOTTO_OK)
        status = sotto_audit_split(mixed, member_count, mixed + member_count, other_count,
                                   SOTTO_AIM_MU, alpha, 0.0, &attack->threshold,
                                   &attack->counts, error);
    if (status == SOTTO_OK)
        status =
            sotto_audit_bounds_of(&attack->counts, alpha, 0.0, &attack->bounds, error);
    sot_free(mixed);
    if (status != SOTTO_OK) return status;
    attack->area = sotto_roc_area(*roc);
    attack->advantage = sotto_roc_advantage(*roc);
    attack->true_positive_rate_1000 = sotto_roc_true_positive_rate(*roc, 1e-3);
    attack->true_positive_rate_100 = sotto_roc_true_positive_rate(*roc, 1e-2);
    made->count++;
    return SOTTO_OK;
}

static sotto_status attack_by_shadows(const sotto_model *model,
                                      const sotto_membership_config *config,
                                      size_t members, size_t others,
                                      sotto_membership *made, sotto_error *error)
{
    sotto_rng *rng = NULL;
    double *scores = sot_new_array(members + others, sizeof *scores);
    if (scores == NULL) return sot_fail_memory(error, members + others, sizeof *scores);
    sotto_status status = config->insecure_test
                              ? sotto_rng_new_for_test(config->test_seed, &rng, error)
                              : sotto_rng_new(&rng, error);
    if (status == SOTTO_OK)
        status = sot_shadows_score(model, config, rng, members, others, scores, error);
    made->attacks[made->count].name = "lira";
    if (status == SOTTO_OK)
        status =
            judge(scores, members, scores + members, others, config->alpha, made, error);
    sotto_rng_free(rng);
    sot_free(scores);
    return status;
}

/* An array file has only features. */
static sotto_status check_labels(const sotto_model *model, const sotto_data_file *file,
                                 const char *option, sotto_error *error)
{
    if (!sot_file_lacks_labels(file, model->schema)) return SOTTO_OK;
    return sot_fail(
        error, SOTTO_INVALID_ARGUMENT,
        "%.120s has features but no labels; give the file of its labels too (%s)",
        file->path, option);
}

static sotto_status attack_model(const sotto_model *model,
                                 const sotto_membership_config *config,
                                 sotto_membership *made, sotto_error *error)
{
    sot_confidences members = {.values = NULL}, others = {.values = NULL};
    sotto_status status =
        check_labels(model, &config->members, "--members-labels", error);
    if (status == SOTTO_OK)
        status = check_labels(model, &config->others, "--nonmembers-labels", error);
    if (status == SOTTO_OK)
        status = sot_confidences_of(model, &config->members, &members, error);
    if (status == SOTTO_OK)
        status = sot_confidences_of(model, &config->others, &others, error);
    if (status == SOTTO_OK && (members.count < ROWS_LEAST || others.count < ROWS_LEAST)) {
        status = sot_fail(error, SOTTO_INVALID_ARGUMENT,
                          "%zu members and %zu others are too few; give at least %d of "
                          "each",
                          members.count, others.count, ROWS_LEAST);
    }
    made->attacks[0].name = "loss";
    made->others = others.count;
    if (status == SOTTO_OK)
        status = judge(members.values, members.count, others.values, others.count,
                       config->alpha, made, error);
    if (status == SOTTO_OK && config->shadows > 0)
        status =
            attack_by_shadows(model, config, members.count, others.count, made, error);
    sot_free(members.values);
    sot_free(others.values);
    return status;
}

sotto_status sotto_membership_of(const sotto_model *model,
                                 const sotto_membership_config *given,
                                 sotto_membership **out_membership, sotto_error *error)
{
    sotto_membership_config own;
    sotto_train_config shadow;
    const sotto_membership_config *const config = &own;
    sotto_status status = SOT_TAKE(membership, given, &own, error);
    if (status == SOTTO_OK && own.shadow != NULL) {
        status = SOT_TAKE(train, own.shadow, &shadow, error);
        own.shadow = &shadow;
    }
    if (status != SOTTO_OK) return status;
    if (!(config->alpha > 0.0 && config->alpha < 1.0)) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "`alpha` is %g; the chance of an error lies between 0 and 1; for "
                        "example `alpha=0.05`",
                        config->alpha);
    }
    sotto_membership *made = sot_new_array(1, sizeof *made);
    if (made == NULL) return sot_fail_memory(error, 1, sizeof *made);
    status = attack_model(model, config, made, error);
    if (status == SOTTO_OK)
        *out_membership = made;
    else
        sotto_membership_free(made);
    return status;
}

void sotto_membership_free(sotto_membership *membership)
{
    if (membership == NULL) return;
    for (size_t i = 0; i < ATTACKS; i++)
        sotto_roc_free(membership->rocs[i]);
    sot_free(membership);
}

size_t sotto_membership_size(const sotto_membership *membership)
{
    return membership->count;
}

const sotto_membership_attack *sotto_membership_at(const sotto_membership *membership,
                                                   size_t index)
{
    return &membership->attacks[index];
}

sotto_status sotto_membership_to_svg(const sotto_membership *membership, char **out_svg,
                                     sotto_error *error)
{
    sot_growing out = {.failed = false};
    const double least = fmin(0.1, fmax(1e-4, 1.0 / (double)membership->others));
    sot_svg_begin(&out, (int)membership->count * PANEL, HEIGHT,
                  "Attacks on a model's rows",
                  "True positive rate of each attack against its false positive rate.");
    for (size_t i = 0; i < membership->count; i++) {
        char title[80];
        (void)snprintf(title, sizeof title, "Receiver operating characteristic: %s",
                       membership->attacks[i].name);
        sot_audit_draw_roc(&out, membership->rocs[i], NULL, title, least,
                           LEFT + (int)i * PANEL);
    }
    sot_svg_end(&out);
    return sot_growing_finish(&out, out_svg, error);
}

/* ---- canaries ---- */

sotto_status sotto_canaries_toss(size_t count, const uint64_t *test_seed,
                                 bool *out_included, sotto_error *error)
{
    sotto_rng *rng = NULL;
    sotto_status status = test_seed != NULL
                              ? sotto_rng_new_for_test(*test_seed, &rng, error)
                              : sotto_rng_new(&rng, error);
    if (status != SOTTO_OK) return status;
    for (size_t i = 0; i < count; i++)
        out_included[i] = (sot_rng_u64(rng) & 1) != 0;
    status = sot_rng_check(rng, error);
    sotto_rng_free(rng);
    return status;
}

sotto_status sotto_canaries_score(const sotto_model *model, const sotto_data_file *file,
                                  const bool *included, size_t count,
                                  sotto_one_run_choice choice, size_t guesses,
                                  double delta, double alpha, sotto_one_run *out_result,
                                  sotto_error *error)
{
    sot_confidences scores;
    if (model->adjacency == SOTTO_REPLACE_ONE) {
        return sot_fail(error, SOTTO_UNSUPPORTED,
                        "the model's guarantee is for replace-one, and canaries test "
                        "add-remove; train with `adjacency=add-remove`");
    }
    sotto_status status = sot_confidences_of(model, file, &scores, error);
    if (status == SOTTO_OK && scores.count != count) {
        status = sot_fail(error, SOTTO_INVALID_ARGUMENT,
                          "the file has %zu canaries, and there are %zu coins; give the "
                          "two files of one run of sotto audit canaries make",
                          scores.count, count);
    }
    if (status == SOTTO_OK)
        status = sotto_audit_one_run(scores.values, included, count, choice, guesses,
                                     delta, alpha, out_result, error);
    sot_free(scores.values);
    return status;
}
