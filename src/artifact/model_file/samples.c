/* Several posterior samples: their members in a file, the mean of their predictions, and the
 * interval of their predictions.
 *
 * Mean: every sample predicts by itself; the model's prediction is the mean of the probabilities,
 * scores or numbers. Its margins are the log-odds (for softmax the logarithms) of those mean
 * probabilities. They are computed from the samples' own logarithms, so that no small probability
 * is lost.
 *
 * Interval: sort the k samples by their prediction for a row, and take the places i and
 * k + 1 - i, where `i = floor((k + 1) (1 - level) / 2) >= 1`. The samples and one more sample of
 * the same posterior are exchangeable. So its prediction lies between the two with probability
 * `(k + 1 - 2i) / (k + 1) >= level`, for any posterior; ties only increase it. This needs
 * k >= 2 / (1 - level) - 1.
 */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "artifact/model_file/model.h"
#include "base/error.h"
#include "numeric/sum.h"

/* ---- the file ---- */

static sotto_status read_sampler(const sot_json_value *root, sotto_model *model,
                                 sotto_error *error)
{
    static const char *const known[] = {"proximal", "exact-gaussian", "mala"};
    const char *name = NULL;
    sot_json_value member;
    sotto_status status = sot_json_get_string(root, "sampler", &name, error);
    if (status != SOTTO_OK || !sot_json_member(root, "sampler", &member)) return status;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (strcmp(name, known[i]) != 0) continue;
        memcpy(model->sampler, name, strlen(name) + 1);
        return SOTTO_OK;
    }
    return sot_json_refuse(&member, "it is proximal, exact-gaussian or mala", error);
}

/* A heuristic sample has no known distribution: the file states this, and no certificate
 * covers it. */
static sotto_status check_heuristic(const sot_json_value *root, const sotto_model *model,
                                    sotto_error *error)
{
    const bool is_heuristic = strcmp(model->sampler, "mala") == 0;
    bool says_so = false;
    sot_json_value member;
    if (sot_json_member(root, "heuristic", &member)) {
        const sotto_status status = sot_json_as_bool(&member, &says_so, error);
        if (status != SOTTO_OK) return status;
        if (!says_so || !is_heuristic)
            return sot_json_refuse(
                &member, "leave it out, or let it be true of the sampler mala", error);
    }
    if (says_so != is_heuristic) {
        return sot_fail(error, SOTTO_PARSE,
                        "the sampler mala is a heuristic, but the model does not say "
                        "\"heuristic\"; use the file as sotto train wrote it");
    }
    if (is_heuristic && sot_json_member(root, "certificate", &member)) {
        return sot_fail(error, SOTTO_PARSE,
                        "the model was sampled by the heuristic mala, which has no "
                        "certificate; use the file as sotto train wrote it");
    }
    return SOTTO_OK;
}

sotto_status sot_model_read_draws(const sot_json_value *root, sotto_model *model,
                                  sotto_error *error)
{
    static const char *const of_sampler[] = {"draws", "heuristic"};
    sot_json_value member;
    int64_t draws = 1;
    model->draws = 1;
    if (!sot_json_member(root, "sampler", &member)) {
        for (size_t i = 0; i < 2; i++) {
            if (!sot_json_member(root, of_sampler[i], &member)) continue;
            return sot_json_refuse(&member,
                                   "leave it out: only a posterior sample has it", error);
        }
        return SOTTO_OK;
    }
    sotto_status status = read_sampler(root, model, error);
    if (status == SOTTO_OK) status = check_heuristic(root, model, error);
    if (status != SOTTO_OK || !sot_json_member(root, "draws", &member)) return status;
    status = sot_json_as_int64(&member, &draws, error);
    if (status != SOTTO_OK) return status;
    if (draws < 2 || draws > SOT_MODEL_DRAWS_MAX)
        return sot_json_refuse(&member, "it is from 2 to 1000; a single sample has none",
                               error);
    model->draws = (size_t)draws;
    return SOTTO_OK;
}

/* ---- coefficients ---- */

size_t sotto_model_draws(const sotto_model *model)
{
    return model->draws;
}

double sotto_model_draw_coefficient(const sotto_model *model, size_t draw, size_t index)
{
    return model->coefficients[draw * model->coefficient_count + index];
}

/* Divided before they are summed: the mean of finite numbers is finite. */
double sot_model_mean_coefficient(const sotto_model *model, size_t index)
{
    sot_sum sum = {0.0, 0.0};
    if (model->draws == 1) return model->coefficients[index];
    for (size_t k = 0; k < model->draws; k++)
        sot_sum_add(&sum,
                    sotto_model_draw_coefficient(model, k, index) / (double)model->draws);
    return fmax(-DBL_MAX, fmin(DBL_MAX, sot_sum_value(&sum)));
}

double sot_model_spread(const sotto_model *model, size_t index)
{
    const double mean = sot_model_mean_coefficient(model, index);
    double squares = 0.0;
    if (model->draws == 1) return 0.0;
    for (size_t k = 0; k < model->draws; k++) {
        const double miss = sotto_model_draw_coefficient(model, k, index) - mean;
        squares += miss * miss;
    }
    return sqrt(squares / (double)(model->draws - 1));
}

/* ---- a row ---- */

/* log(1 / (1 + e^-margin)), as exactly where it is near 0 as where it is far. */
static double log_probability(double margin)
{
    return margin >= 0.0 ? -log1p(exp(-margin)) : margin - log1p(exp(margin));
}

/* log(sum of e^x), of `count` numbers that are `stride` apart; -infinity of none but such. */
static double log_sum(const double *values, size_t count, size_t stride)
{
    double largest = -(double)INFINITY;
    double sum = 0.0;
    for (size_t i = 0; i < count; i++)
        largest = fmax(largest, values[i * stride]);
    if (isinf(largest)) return largest;
    for (size_t i = 0; i < count; i++)
        sum += exp(values[i * stride] - largest);
    return largest + log(sum);
}

/* Log-odds of the mean probability; draws x 1 margins become scratch. */
static void join_two(sot_scorer *scorer)
{
    const size_t draws = scorer->model->draws;
    double *margins = scorer->draw_margins;
    for (size_t k = 0; k < draws; k++)
        if (isnan(margins[k])) margins[k] = 0.0; /* says nothing either way */
    for (size_t k = 0; k < draws; k++)
        margins[k] = -margins[k];
    for (size_t k = 0; k < draws; k++)
        margins[draws + k] = log_probability(margins[k]);
    const double against = log_sum(margins + draws, draws, 1);
    for (size_t k = 0; k < draws; k++)
        margins[draws + k] = log_probability(-margins[k]);
    scorer->margins[0] = log_sum(margins + draws, draws, 1) - against;
}

/* log of k times the mean probability of each class: margins like any other. */
static void join_many(sot_scorer *scorer)
{
    const size_t draws = scorer->model->draws, classes = scorer->model->margins;
    for (size_t k = 0; k < draws; k++) {
        double *margins = scorer->draw_margins + k * classes;
        bool finite = true;
        for (size_t c = 0; c < classes; c++)
            finite = finite && isfinite(margins[c]);
        for (size_t c = 0; c < classes && !finite; c++)
            margins[c] = 0.0; /* as sot_model_softmax() */
        const double whole = log_sum(margins, classes, 1);
        for (size_t c = 0; c < classes; c++)
            margins[c] -= whole;
    }
    for (size_t c = 0; c < classes; c++)
        scorer->margins[c] = log_sum(scorer->draw_margins + c, draws, classes);
}

/* The mean of finite outputs, clipped to their range: rounding must not lead beyond. */
static void mean_outputs(sot_scorer *scorer)
{
    const sotto_model *model = scorer->model;
    const bool number = model->prediction == SOTTO_PREDICTS_NUMBER;
    const sotto_target *target = sot_encoding_target(model->encoding);
    const double least = number ? target->lower : -DBL_MAX;
    const double most = number ? target->upper : DBL_MAX;
    for (size_t j = 0; j < model->outputs; j++) {
        double sum = 0.0;
        for (size_t k = 0; k < model->draws; k++)
            sum += scorer->draw_outputs[k * model->outputs + j];
        const double mean = sum / (double)model->draws;
        scorer->outputs[j] = fmin(fmax(mean, least), most);
    }
}

void sot_scorer_join_draws(sot_scorer *scorer)
{
    const sotto_model *model = scorer->model;
    for (size_t k = 0; k < model->draws; k++)
        sot_model_outputs_of(model, scorer->draw_margins + k * model->margins,
                             scorer->draw_outputs + k * model->outputs);
    mean_outputs(scorer);
    if (model->prediction != SOTTO_PREDICTS_PROBABILITIES) {
        scorer->margins[0] = scorer->outputs[0];
    } else if (model->margins == 1) {
        join_two(scorer);
    } else {
        join_many(scorer);
    }
}

/* ---- intervals ---- */

/* Rounding of 1 - level must not cost a place: 20 samples and a tenth outside have one on
 * each side. */
size_t sot_model_interval_place(size_t draws, double level)
{
    const double place = 0.5 * ((double)draws + 1.0) * (1.0 - level);
    return (size_t)floor(place + 1e-9);
}

uint64_t sotto_model_draws_needed(double level)
{
    if (!(level > 0.0 && level < 1.0)) return 0;
    const double most = 0x1p53;
    return (uint64_t)fmin(most, fmax(1.0, ceil(2.0 / (1.0 - level) - 1.0 - 1e-9)));
}

sotto_status sot_model_check_level(const sotto_model *model, double level,
                                   sotto_error *error)
{
    if (!(level > 0.0 && level < 1.0)) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "the level of the interval is %g; give a share of the posterior "
                        "between 0 and 1, for example 0.9",
                        level);
    }
    if (sot_model_interval_place(model->draws, level) >= 1) return SOTTO_OK;
    return sot_fail(
        error, SOTTO_INVALID_ARGUMENT,
        "`interval` is %g and needs %llu posterior samples, but the model "
        "has %zu; give a lower level, or train with `method=posterior` and more `draws`",
        level, (unsigned long long)sotto_model_draws_needed(level), model->draws);
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void sot_scorer_interval(const sot_scorer *scorer, double level, double *room,
                         double *out_lower, double *out_upper)
{
    const sotto_model *model = scorer->model;
    const size_t place = sot_model_interval_place(model->draws, level);
    for (size_t j = 0; j < model->outputs; j++) {
        for (size_t k = 0; k < model->draws; k++)
            room[k] = model->draws == 1 ? scorer->outputs[j]
                                        : scorer->draw_outputs[k * model->outputs + j];
        qsort(room, model->draws, sizeof *room, ascending);
        out_lower[j] = room[place - 1];
        out_upper[j] = room[model->draws - place];
    }
}
