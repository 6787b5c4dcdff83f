/* The voters, and the caps on queries asked and answered: only public facts, priced
 * before a vote is counted. */
#include <math.h>
#include <stdio.h>

#include <sotto/pate_aggregate.h>

#include "base/error.h"
#include "commands/pate/label.h"
#include "numeric/outward.h"
#include "privacy/mechanisms/pate/cost.h"
#include "privacy/mechanisms/pate/pate.h"

/* ---- who votes ---- */

static sotto_status open_teachers(sot_pate_label_run *run, sotto_error *error)
{
    const sotto_pate_label_config *config = run->config;
    if (run->file == NULL) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "teachers vote on public rows; give the file of the rows, for "
                        "example public.csv");
    }
    sotto_status status =
        sot_pate_directory_open(config->directory, &run->directory, error);
    if (status != SOTTO_OK) return status;
    for (size_t i = 0; i < run->directory.sharding.count; i++) {
        bool is_finished = false;
        status = sot_pate_teacher_find(&run->directory, i, &is_finished, error);
        if (status != SOTTO_OK) return status;
        if (is_finished) continue;
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "the teachers in %.120s are not all finished; run the same sotto "
                        "pate teach again to resume",
                        config->directory);
    }
    run->schema = run->directory.schema;
    if (config->vote.adjacency != SOTTO_ADJACENCY_UNSET &&
        config->vote.adjacency != run->directory.adjacency) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "the teachers' shards are for %s neighbours, not %s; run sotto "
                        "pate teach with the adjacency of the labels",
                        sotto_adjacency_name(run->directory.adjacency),
                        sotto_adjacency_name(config->vote.adjacency));
    }
    run->vote.adjacency = run->directory.adjacency;
    run->vote.unit = SOTTO_PATE_RECORDS;
    run->vote.touched = run->directory.touched;
    run->vote.teachers = run->directory.sharding.count;
    run->origin = run->directory.origin;
    return SOTTO_OK;
}

static sotto_status open_table(sot_pate_label_run *run, const sotto_schema *schema,
                               sotto_error *error)
{
    const sotto_target *target = schema == NULL ? NULL : sotto_schema_target(schema);
    if (target == NULL || target->label_count < 2) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "a table of votes needs a schema whose target lists the classes; "
                        "give `schema=clinic.schema.json`");
    }
    const sotto_pate_config *vote = &run->config->vote;
    if (run->config->vote_labels && vote->unit == SOTTO_PATE_TEACHERS &&
        vote->adjacency == SOTTO_ADD_REMOVE) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "`adjacency` is add-remove, but in a table of labels a removed "
                        "teacher still votes for the first class; give "
                        "`adjacency=replace-one`, or a table of counts");
    }
    run->schema = schema;
    run->from_table = true;
    return sot_pate_table_open(run->config, target, &run->table, error);
}

sotto_status sot_pate_open_votes(sot_pate_label_run *run, const sotto_schema *schema,
                                 sotto_error *error)
{
    const sotto_pate_label_config *config = run->config;
    const int given = (config->directory != NULL) + (config->votes != NULL) +
                      (config->vote_array != NULL);
    if (given != 1) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "%d sources of votes are given; give one of them: a directory of "
                        "teachers or `votes`",
                        given);
    }
    run->vote = config->vote;
    if (run->vote.purpose == NULL) run->vote.purpose = "labels";
    const sotto_status status = config->directory != NULL
                                    ? open_teachers(run, error)
                                    : open_table(run, schema, error);
    return status == SOTTO_OK ? sot_pate_settle_votes(run, error) : status;
}

sotto_status sot_pate_settle_votes(sot_pate_label_run *run, sotto_error *error)
{
    run->target = sotto_schema_target(run->schema);
    sot_name_unit(run->schema, run->unit);
    if (run->vote.unit == SOTTO_PATE_TEACHERS)
        (void)snprintf(run->unit, sizeof run->unit, "%s", SOT_PATE_UNIT_TEACHER);
    return sotto_schema_to_json(run->schema, NULL, &run->schema_json, error);
}

/* ---- the caps ---- */

double sot_pate_label_sampler_error(const sot_pate_label_run *run)
{
    const double labels = sot_pate_sampler_error(&run->vote, run->target->label_count,
                                                 run->ask, run->answers);
    if (!run->agrees) return labels;
    return sot_add_up(labels, sot_pate_agreement_sampler_error(run->agreed.edge_count));
}

/* The line of the agreement for as many queries as the cap has: its price does not depend on the number. */
static sotto_status plan_agreement(sot_pate_label_run *run, uint64_t queries,
                                   sotto_error *error)
{
    const sotto_pate_agreement_config *agreement = &run->config->agreement;
    sot_pate_agreed *agreed = &run->agreed;
    run->agrees = !isnan(agreement->noise);
    if (!run->agrees) return SOTTO_OK;
    sotto_status status =
        sotto_pate_agreement_edges(&run->vote, agreement, run->target->label_count,
                                   agreed->edges, &agreed->edge_count, error);
    if (status == SOTTO_OK)
        status = sotto_pate_agreement_event(&run->vote, agreement, queries,
                                            &run->agreement_event, error);
    if (status != SOTTO_OK) return status;
    agreed->noise = agreement->noise;
    agreed->sigma = run->agreement_event.scale;
    agreed->queries = queries;
    agreed->teachers = run->vote.teachers;
    return SOTTO_OK;
}

/* Returns the event released beside the labels; NULL: none. */
static const sotto_event *beside_labels(const sot_pate_label_run *run)
{
    return run->agrees ? &run->agreement_event : NULL;
}

static sotto_status check_asked(const sotto_pate_label_config *config, sotto_error *error)
{
    if (config->ask < 1 || config->ask > (UINT64_C(1) << 32)) {
        return sot_fail(
            error, SOTTO_INVALID_ARGUMENT,
            "`ask` is %llu; give the largest number of queries, for example `ask=2000`",
            (unsigned long long)config->ask);
    }
    if (!(config->delta > 0.0 && config->delta < 1.0)) {
        return sot_fail(
            error, SOTTO_INVALID_ARGUMENT,
            "`delta` is %g; it lies between 0 and 1; for example `delta=1e-5`",
            config->delta);
    }
    if (isnan(config->epsilon) && config->answers == 0) {
        return sot_fail(
            error, SOTTO_INVALID_ARGUMENT,
            "neither `epsilon` nor `answers` is given, and the privacy loss of the "
            "labels is fixed before any vote; give one, for example `epsilon=4`");
    }
    if (!isnan(config->epsilon) && !(config->epsilon > 0.0 && config->epsilon < 1e6)) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "`epsilon` is %g; it is above 0; for example `epsilon=4`",
                        config->epsilon);
    }
    return SOTTO_OK;
}

/* The number of answers: the smaller of those that fit and those that are wanted. Queries that could not be answered are not asked by
 * aggregators that answer all. */
static sotto_status find_caps(sot_pate_label_run *run, sotto_error *error)
{
    const sotto_pate_label_config *config = run->config;
    const bool tests = sot_pate_has_test(&run->vote);
    sotto_account account;
    uint64_t fit = config->ask;
    sotto_status status = check_asked(config, error);
    if (status == SOTTO_OK) status = plan_agreement(run, config->ask, error);
    if (status == SOTTO_OK && !isnan(config->epsilon))
        status = sot_pate_answers_beside(&run->vote, beside_labels(run),
                                         tests ? config->ask : 0, config->epsilon,
                                         config->delta, &fit, &account, error);
    if (status != SOTTO_OK) return status;
    if (config->answers > 0 && config->answers < fit) fit = config->answers;
    run->answers = fit < config->ask ? fit : config->ask;
    run->ask = tests ? config->ask : run->answers;
    return SOTTO_OK;
}

/* The plan, and its price as the certificate will compute it. Where the samplers' error takes it beyond the target, an answer less
 * is promised. */
static sotto_status make_plan(sot_pate_label_run *run, sotto_error *error)
{
    const sotto_pate_label_config *config = run->config;
    sotto_account account;
    for (;;) {
        sotto_status status = plan_agreement(run, run->ask, error);
        if (status == SOTTO_OK)
            status = sot_pate_plan_beside(&run->vote, beside_labels(run), run->ask,
                                          run->answers, &run->plan, error);
        if (status == SOTTO_OK && run->vote.unit != SOTTO_PATE_TEACHERS)
            status = sot_plan_take_unit(run->plan, run->schema, error);
        if (status == SOTTO_OK)
            status = sotto_account_epsilon_inexact(run->plan, SOTTO_EXACT, config->delta,
                                                   sot_pate_label_sampler_error(run),
                                                   &account, error);
        if (status != SOTTO_OK) return status;
        if (isnan(config->epsilon) || account.epsilon <= config->epsilon) break;
        if (run->answers == 1) {
            return sot_fail(error, SOTTO_UNREACHABLE,
                            "`epsilon` is %g, too small for even one answer; give more "
                            "epsilon or more noise, or a smaller `ask`",
                            config->epsilon);
        }
        sotto_plan_free(run->plan);
        run->plan = NULL;
        run->answers--;
        if (!sot_pate_has_test(&run->vote)) run->ask = run->answers;
    }
    run->epsilon = isnan(config->epsilon) ? account.epsilon : config->epsilon;
    return SOTTO_OK;
}

sotto_status sot_pate_plan_labels(sot_pate_label_run *run, sotto_error *error)
{
    const sotto_status status = find_caps(run, error);
    return status == SOTTO_OK ? make_plan(run, error) : status;
}
