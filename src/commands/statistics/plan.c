/* From settings and schema to a plan. No record is read here, nor any file opened. */
#include <math.h>

#include <sotto/exponential.h>
#include <sotto/laplace.h>
#include <sotto/permute_and_flip.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/names.h"
#include "base/sized.h"
#include "base/text.h"
#include "base/threads.h"
#include "commands/session/session.h"
#include "commands/statistics/release.h"
#include "data/where/where.h"
#include "numeric/outward.h"
#include "privacy/mechanisms/additive/additive.h"

static const sot_statistic *const statistics[] = {
    NULL,
    &sot_statistic_count,
    &sot_statistic_sum,
    &sot_statistic_mean,
    &sot_statistic_histogram,
    &sot_statistic_quantile,
    &sot_statistic_bounds,
    &sot_statistic_responses,
    &sot_statistic_choice,
    &sot_statistic_accuracy,
    &sot_statistic_scores,
};
enum { STATISTICS = sizeof statistics / sizeof statistics[0] };

const char *sotto_statistic_name(sotto_statistic statistic)
{
    const int index = (int)statistic;
    return index > 0 && index < STATISTICS ? statistics[index]->name : "unknown";
}

static const sot_names scores =
    SOT_NAMES("score", "given", "count", "revenue", "quantile");

SOT_DEFINE_NAMES(sotto_score, scores)

void sotto_release_set_defaults(sotto_release_config *out_config, size_t size_bytes)
{
    const sotto_release_config defaults = {.epsilon = SOTTO_UNSET,
                                           .delta = SOTTO_UNSET,
                                           .adjacency = SOTTO_ADD_REMOVE,
                                           .confidence = 0.95,
                                           .quantile = SOTTO_UNSET,
                                           .threshold = 0.5};
    sot_sized_give(SOT_SIZED(release), &defaults, out_config, size_bytes, 0);
}

/* ---- checks ---- */

static sotto_status check_privacy(const sotto_release_config *config, sotto_error *error)
{
    const sotto_status status = sot_check_privacy(
        config->epsilon, config->delta, config->adjacency, config->public_n, error);
    if (status != SOTTO_OK) return status;
    if (!(config->confidence >= 0.5 && config->confidence <= 0.999999)) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "`confidence` is %g; it lies from 0.5 to 0.999999; for example "
                        "`confidence=0.95`",
                        config->confidence);
    }
    return SOTTO_OK;
}

/* Which noise: Laplace without a delta, Gaussian with one; choices and answers are pure. */
static sotto_status set_mechanism(sot_release *release, sotto_error *error)
{
    const sotto_release_config *config = release->config;
    const bool has_delta = !isnan(config->delta);
    sotto_mechanism first = has_delta ? SOTTO_GAUSSIAN : SOTTO_DISCRETE_LAPLACE;
    sotto_mechanism second = first;
    if (config->statistic == SOTTO_RELEASE_CHOICE) {
        first = SOTTO_PERMUTE_AND_FLIP;
        second = SOTTO_EXPONENTIAL;
    } else if (config->statistic == SOTTO_RELEASE_QUANTILE) {
        first = second = SOTTO_EXPONENTIAL;
    } else if (config->statistic == SOTTO_RELEASE_RESPONSES) {
        first = second = SOTTO_RANDOMIZED_RESPONSE;
    } else if (config->statistic == SOTTO_RELEASE_BOUNDS) {
        first = second = SOTTO_DISCRETE_LAPLACE;
    }
    if (has_delta && first != SOTTO_GAUSSIAN) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "`delta` is %g, but the %s is a pure release; leave `delta` out",
                        config->delta, release->statistic->name);
    }
    release->mechanism =
        config->mechanism == SOTTO_MECHANISM_UNSET ? first : config->mechanism;
    if (release->mechanism == first || release->mechanism == second) return SOTTO_OK;
    if (release->mechanism == SOTTO_GAUSSIAN && first == SOTTO_DISCRETE_LAPLACE &&
        config->statistic != SOTTO_RELEASE_BOUNDS) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "`delta` is missing: the gaussian mechanism needs one; give "
                        "`delta=1e-6`, or use `mechanism=laplace`");
    }
    if (release->mechanism == SOTTO_DISCRETE_LAPLACE && first == SOTTO_GAUSSIAN) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "`delta` is given, but the laplace mechanism is pure; leave "
                        "`delta` out, or use `mechanism=gaussian`");
    }
    return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                    "`mechanism` is %s; the %s is released by `mechanism=%s`",
                    sotto_mechanism_name(release->mechanism), release->statistic->name,
                    sotto_mechanism_name(first));
}

static sotto_status check_schema(const sot_release *release, sotto_error *error)
{
    const sotto_schema *schema = release->schema;
    if (schema == NULL) {
        if (sot_release_scores_are_given(release)) return SOTTO_OK;
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "`schema` is missing: the types and bounds of the %s never come "
                        "from rows; for example `schema=survey.schema.json`",
                        release->statistic->name);
    }
    if (sotto_schema_is_matrix(schema) && release->statistic->judge == NULL) {
        return sot_fail(
            error, SOTTO_UNSUPPORTED,
            "the schema is of a matrix (\"features\": %zu), whose columns have no names "
            "and no bounds; a release needs a table's schema, with \"columns\"",
            sotto_schema_features(schema));
    }
    return SOTTO_OK;
}

/* Units of several rows: everything moves by up to the cap of rows. The number of rows is secret
 * under both adjacencies, because an exchanged unit may have another number of them. Randomised
 * answers: one per unit. */
static sotto_status set_unit(sot_release *release, sotto_error *error)
{
    const sotto_schema *schema = release->schema;
    const sotto_release_config *config = release->config;
    const char *unit = schema == NULL ? NULL : sotto_schema_unit(schema);
    release->unit_rows = 1;
    release->has_unit = unit != NULL;
    if (unit == NULL) return SOTTO_OK;
    if (config->public_n > 0) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "`public_n` is %llu, but the schema's unit is the column "
                        "'%.60s', so the number of rows is secret; leave `public_n` out",
                        (unsigned long long)config->public_n, unit);
    }
    if (sot_release_scores_are_given(release)) {
        sot_release_note(release, "the declared sensitivity is that of all rows of one "
                                  "unit");
    } else if (config->statistic == SOTTO_RELEASE_RESPONSES) {
        sot_release_note(release, "one answer of each unit, of a row chosen at random "
                                  "among its own");
    } else {
        release->unit_rows = sotto_schema_unit_rows(schema);
        sot_release_note(release, "at most the schema's number of rows of each unit "
                                  "count, chosen at random among its own");
    }
    return SOTTO_OK;
}

static sotto_status find_column(sot_release *release, sotto_error *error)
{
    const sotto_release_config *config = release->config;
    const bool needed =
        release->statistic->needs_column && !sot_release_scores_are_given(release);
    if (needed != (config->column != NULL)) {
        return sot_fail(
            error, SOTTO_INVALID_ARGUMENT,
            needed
                ? "`column` is missing: the %s is of a column; name one of the schema's"
                : "`column` is given, but the %s is of whole rows; leave `column` out",
            release->statistic->name);
    }
    if (!needed) return SOTTO_OK;
    const sotto_status status =
        sotto_schema_find(release->schema, config->column, &release->column, error);
    if (status != SOTTO_OK) return status;
    release->described = sotto_schema_column(release->schema, release->column);
    const sotto_column_type type = release->described->type;
    if (type == SOTTO_COLUMN_ID || type == SOTTO_COLUMN_IGNORE) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "`column` is '%.60s' of type %s, which is never released; name "
                        "another column",
                        config->column, sotto_column_type_name(type));
    }
    return SOTTO_OK;
}

/* Settings that belong to another statistic are refused: they were meant for something. */
static sotto_status check_strangers(const sot_release *release, sotto_error *error)
{
    const sotto_release_config *config = release->config;
    const bool choice = config->statistic == SOTTO_RELEASE_CHOICE;
    const bool given = choice && config->score == SOTTO_SCORE_GIVEN;
    const bool ranked = config->statistic == SOTTO_RELEASE_QUANTILE ||
                        (choice && config->score == SOTTO_SCORE_QUANTILE);
    const bool listed = choice && (config->score == SOTTO_SCORE_REVENUE ||
                                   config->score == SOTTO_SCORE_QUANTILE);
    const bool histogram = config->statistic == SOTTO_RELEASE_HISTOGRAM;
    const char *stranger = NULL;
    if (config->edges != NULL && !histogram) stranger = "`edges`";
    if (config->bins > 0 && !histogram) stranger = "`bins`";
    if (!isnan(config->quantile) && !ranked) stranger = "`quantile`";
    if (config->candidates != NULL && !listed) stranger = "`candidates`";
    if (config->sensitivity > 0 && !given) stranger = "`sensitivity`";
    if (config->monotone && !given) stranger = "`monotone`";
    if (config->score != SOTTO_SCORE_GIVEN && !choice) stranger = "`score`";
    if (config->model != NULL && release->statistic->judge == NULL) stranger = "`model`";
    if (given && config->public_n > 0) stranger = "`public_n`";
    if (given && config->where != NULL && config->where[0] != NULL) stranger = "`where`";
    if (stranger == NULL) return SOTTO_OK;
    return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                    "%s has no meaning for this %s; leave it out", stranger,
                    release->statistic->name);
}

/* ---- conditions ---- */

/* The rows that the conditions select are read by data/source/source.h; here they are checked, and counted as a selection. */
static sotto_status read_conditions(sot_release *release, sotto_error *error)
{
    const char *const *texts = release->config->where;
    sot_where *where = NULL;
    if (texts == NULL || texts[0] == NULL) return SOTTO_OK;
    const sotto_status status = sot_where_new_all(texts, release->schema, &where, error);
    sot_where_free(where);
    release->origin = sot_origin_selected(release->origin);
    return status;
}

/* ---- for the statistics ---- */

sotto_status sot_release_need_number(const sot_release *release, sotto_error *error)
{
    const sotto_column *column = release->described;
    if (column->type == SOTTO_COLUMN_CATEGORY) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "`column` is '%.60s' of type category; the %s needs numbers; "
                        "name a number or an integer",
                        column->name, release->statistic->name);
    }
    if (!column->bounded) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "the schema gives the column '%.60s' no bounds; add lower and "
                        "upper, or find them with sotto release bounds",
                        column->name);
    }
    return SOTTO_OK;
}

sotto_status sot_release_add_part(sot_release *release, const sot_part_request *request,
                                  sotto_error *error)
{
    const sotto_release_config *config = release->config;
    const double rows = (double)release->unit_rows;
    const double l1_sensitivity = sot_mul_up(rows, request->l1_sensitivity);
    const double l2_sensitivity = sot_mul_up(rows, request->l2_sensitivity);
    sot_noise *noise = &release->parts[release->part_count];
    *noise = (sot_noise){.mechanism = release->mechanism,
                         .purpose = request->purpose,
                         .adjacency = config->adjacency,
                         .grid = request->grid,
                         .dimension = request->dimension};
    sotto_status status;
    if (release->mechanism == SOTTO_GAUSSIAN) {
        double multiplier;
        status = sot_gaussian_least_multiplier(config->adjacency, config->epsilon,
                                               config->delta, &multiplier, error);
        if (status != SOTTO_OK) return status;
        if (request->square_share < 1.0) {
            /* The parts' 1/multiplier^2 must sum to no more, also as the accountant rounds. */
            multiplier = sot_div_up(multiplier * (1.0 + 0x1p-40),
                                    sot_sqrt_down(request->square_share));
        }
        noise->sensitivity = l2_sensitivity;
        noise->scale = sot_mul_up(multiplier, noise->sensitivity);
    } else {
        noise->sensitivity = l1_sensitivity;
        status =
            sotto_laplace_scale(sot_mul_down(config->epsilon, request->epsilon_share),
                                noise->sensitivity, &noise->scale, error);
        if (status != SOTTO_OK) return status;
    }
    status = sot_noise_plan(noise, release->plan, error);
    if (status == SOTTO_OK) release->part_count++;
    return status;
}

sotto_status sot_release_add_choice(sot_release *release, sotto_error *error)
{
    sotto_event event;
    release->selection.epsilon = release->config->epsilon;
    release->selection.adjacency = release->config->adjacency;
    const sotto_status status =
        release->mechanism == SOTTO_EXPONENTIAL
            ? sotto_exponential_event(&release->selection, &event, error)
            : sotto_permute_and_flip_event(&release->selection, &event, error);
    if (status != SOTTO_OK) return status;
    event.count = 1;
    return sotto_plan_add(release->plan, &event, error);
}

sotto_status sot_release_make_exact(sot_release *release, uint64_t size,
                                    sotto_error *error)
{
    release->exact = sot_new_array(size, sizeof *release->exact);
    if (release->exact == NULL)
        return sot_fail_memory(error, size, sizeof *release->exact);
    release->size = size;
    return SOTTO_OK;
}

/* ---- the whole ---- */

bool sot_release_selects(const sot_release *release)
{
    return sot_rows_are_secret(release->origin) || release->has_unit;
}

bool sot_release_scores_are_given(const sot_release *release)
{
    return release->config->statistic == SOTTO_RELEASE_CHOICE &&
           release->config->score == SOTTO_SCORE_GIVEN;
}

sotto_status sot_release_prepare(const sotto_release_config *config,
                                 const sotto_schema *schema, sot_origin origin,
                                 sot_release *release, sotto_error *error)
{
    *release = (sot_release){.config = config,
                             .schema = schema,
                             .origin = origin,
                             .selection = sotto_selection_defaults(),
                             .grid = SOTTO_UNSET,
                             .prices_per_unit = 1.0,
                             .shortfall = SOTTO_UNSET,
                             .answer_truth = SOTTO_UNSET};
    if ((int)config->statistic <= 0 || (int)config->statistic >= STATISTICS) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "statistic is %d; set it to SOTTO_RELEASE_COUNT or another",
                        (int)config->statistic);
    }
    release->statistic = statistics[config->statistic];
    sotto_status status = sot_threads_check(config->threads, error);
    if (status == SOTTO_OK) status = check_privacy(config, error);
    if (status == SOTTO_OK) status = set_mechanism(release, error);
    if (status == SOTTO_OK) status = check_strangers(release, error);
    if (status == SOTTO_OK) status = check_schema(release, error);
    if (status == SOTTO_OK) status = set_unit(release, error);
    if (status == SOTTO_OK) status = find_column(release, error);
    if (status == SOTTO_OK) status = read_conditions(release, error);
    if (status == SOTTO_OK)
        status = sot_check_origin(release->origin, config->public_n, error);
    if (status == SOTTO_OK)
        status =
            sot_plan_new_for(config->adjacency, release->schema, &release->plan, error);
    if (status == SOTTO_OK) status = release->statistic->prepare(release, error);
    return status;
}

void sot_release_clear(sot_release *release)
{
    sotto_plan_free(release->plan);
    sot_free(release->edges);
    sot_free(release->candidates);
    sot_free(release->prices);
    sot_wipe_and_free(release->exact, release->size * sizeof *release->exact);
    sot_wipe_and_free(release->answers, release->answers_room * sizeof *release->answers);
    for (size_t i = 0; release->labels != NULL && i < release->size; i++)
        sot_free(release->labels[i]);
    sot_free(release->labels);
    sot_free(release->counts);
    for (size_t i = 0; i < release->value_count; i++)
        sot_free(release->values[i].label);
    sot_free(release->values);
    sot_free(release->reports);
    sot_wipe(&release->rows, sizeof release->rows);
    sot_wipe(&release->lines, sizeof release->lines);
}

sotto_status sotto_release_plan(const sotto_release_config *config,
                                const sotto_schema *schema, sotto_plan **out_plan,
                                sotto_error *error)
{
    sot_release release;
    sotto_release_config own;
    sotto_status status = SOT_TAKE(release, config, &own, error);
    if (status != SOTTO_OK) return status;
    status = sot_release_prepare(&own, schema, SOT_ROWS_STORED, &release, error);
    if (status == SOTTO_OK) {
        *out_plan = release.plan;
        release.plan = NULL;
    }
    sot_release_clear(&release);
    return status;
}
