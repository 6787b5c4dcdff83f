/* Labels: caps, charge, votes, gate, certificate. The guarantee is the plan of the caps, fixed before a vote is counted. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <sotto/pate_aggregate.h>

#include "base/copy.h"
#include "base/error.h"
#include "base/file/file.h"
#include "base/memory.h"
#include "base/sized.h"
#include "base/threads.h"
#include "commands/pate/label.h"
#include "privacy/mechanisms/gate/gate.h"
#include "privacy/mechanisms/pate/cost.h"
#include "privacy/mechanisms/pate/pate.h"
#include "random/rng.h"

void sotto_pate_label_set_defaults(sotto_pate_label_config *out_config, size_t size_bytes)
{
    const sotto_pate_label_config defaults = {.vote = sotto_pate_defaults(),
                                              .epsilon = SOTTO_UNSET,
                                              .delta = SOTTO_UNSET,
                                              .agreement =
                                                  sotto_pate_agreement_defaults()};
    sot_sized_give(SOT_SIZED(pate_label), &defaults, out_config, size_bytes, 0);
}

/* ---- before anything is charged ---- */

static sotto_status check_files(const sot_pate_label_run *run, sotto_error *error)
{
    const sotto_pate_label_config *config = run->config;
    const char *const others[] = {run->file == NULL ? NULL : run->file->path,
                                  config->student};
    for (size_t i = 0; config->output != NULL && i < 2; i++) {
        if (others[i] == NULL || !sot_file_is_same(config->output, others[i])) continue;
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "the output %.120s would replace the %s; give it a name of its "
                        "own",
                        config->output, i == 0 ? "rows" : "student");
    }
    return sot_threads_check(config->threads, error);
}

static sotto_status find_ledger(const sot_pate_label_run *run, const char **out_path,
                                sotto_error *error)
{
    const char *kept = run->directory.ledger;
    const char *asked = run->config->ledger;
    if (kept != NULL && asked != NULL && !sot_file_is_same(asked, kept)) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "the schema names the ledger %.90s, but `ledger` is %.90s; a "
                        "data set has one budget: leave `ledger` out",
                        kept, asked);
    }
    *out_path = asked != NULL ? asked : kept;
    const char *charged =
        *out_path != NULL ? *out_path : sotto_schema_ledger(run->schema);
    if (charged == NULL || run->vote.unit != SOTTO_PATE_TEACHERS) return SOTTO_OK;
    return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                    "the ledger %.90s protects rows or units of the schema, and the "
                    "labels protect whole teachers; use `unit=record`",
                    charged);
}

static sotto_status load_student(sot_pate_label_run *run, sotto_error *error)
{
    const bool wanted = run->vote.aggregator == SOTTO_PATE_INTERACTIVE;
    if (wanted != (run->config->student != NULL) || (wanted && run->file == NULL)) {
        return sot_fail(
            error, SOTTO_INVALID_ARGUMENT,
            wanted ? "`aggregator` is interactive, which compares the teachers with a "
                     "student; give `student=student.json` and the public rows"
                   : "`student` needs `aggregator=interactive`; leave `student` out, or "
                     "choose that aggregator");
    }
    if (!wanted) return SOTTO_OK;
    run->has_student = true;
    const sotto_status status =
        sot_pate_check_student(run->config->student, run->config->insecure_test, error);
    if (status != SOTTO_OK) return status;
    return sot_pate_student_rows(run->config->student, run->file, run->config->skip,
                                 run->ask, run->target, &run->student, error);
}

static sotto_status make_room(sot_pate_label_run *run, sotto_error *error)
{
    const size_t ask = (size_t)run->ask;
    run->paid = sot_new_array(ask + 1, sizeof *run->paid);
    run->rows = sot_new_array(ask, sizeof *run->rows);
    run->classes = sot_new_array(ask, sizeof *run->classes);
    run->is_reinforced = sot_new_array(ask, sizeof *run->is_reinforced);
    if (run->paid == NULL || run->rows == NULL || run->classes == NULL ||
        run->is_reinforced == NULL)
        return sot_fail_memory(error, ask + 1, sizeof *run->rows);
    if (!run->config->show_sensitive) return SOTTO_OK;
    return sotto_pate_meter_new(&run->vote, &run->meter, error);
}

/* Room for the labels as text, in numbers. */
static size_t label_room(const sot_pate_label_run *run)
{
    size_t longest = 0;
    for (size_t i = 0; i < run->target->label_count; i++) {
        const size_t length = strlen(run->target->labels[i]);
        if (length > longest) longest = length;
    }
    return (size_t)run->ask * (longest / 4 + 1); /* escaped, a character may take six */
}

/* The shape of votes in memory is public: a row for each query, and the queries are public. */
static sotto_status check_array(const sot_pate_label_run *run, sotto_error *error)
{
    const sotto_array *votes = run->config->vote_array;
    const uint64_t skip = run->config->skip;
    if (votes == NULL || (skip <= votes->rows && run->ask <= votes->rows - skip))
        return SOTTO_OK;
    return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                    "the votes have %zu rows, but `ask` is %llu with `skip` %llu; give a "
                    "smaller `ask`",
                    votes->rows, (unsigned long long)run->ask, (unsigned long long)skip);
}

static sotto_status make_ready(sot_pate_label_run *run, sotto_error *error)
{
    const sotto_pate_label_config *config = run->config;
    const char *ledger = NULL;
    sotto_status status = check_files(run, error);
    if (status == SOTTO_OK) status = find_ledger(run, &ledger, error);
    if (status == SOTTO_OK) status = check_array(run, error);
    if (status == SOTTO_OK && run->file != NULL)
        status =
            sot_pate_count_rows(run->file, run->schema, config->skip, run->ask, error);
    if (status == SOTTO_OK) status = load_student(run, error);
    if (status == SOTTO_OK) status = make_room(run, error);
    if (status != SOTTO_OK) return status;
    sot_pate_label_begin_session(run);
    run->session.data_path = config->votes;
    run->session.ledger_asked = ledger;
    run->session.output = config->output;
    run->session.sign = config->sign;
    run->session.anew = config->again;
    run->session.overwrite = config->overwrite;
    run->session.numbers = 3 * (size_t)run->ask + label_room(run);
    run->session.insecure_test = config->insecure_test;
    run->session.test_seed = config->test_seed;
    (void)snprintf(run->session.label, sizeof run->session.label, "label %llu rows by %s",
                   (unsigned long long)run->ask,
                   sotto_pate_aggregator_name(run->vote.aggregator));
    status = sot_session_check(&run->session, error);
    if (status == SOTTO_OK) status = sot_session_open(&run->session, error);
    if (status == SOTTO_OK) status = sot_pate_label_identify(run, error);
    return status == SOTTO_OK ? sot_session_keep(&run->session, NULL, error) : status;
}

/* ---- the votes ---- */

static sotto_status ask_one(sot_pate_label_run *run, sotto_error *error)
{
    const size_t classes = run->target->label_count;
    const size_t query = (size_t)run->asked;
    const int64_t *votes = run->votes.votes + query * classes;
    const double *student = run->student == NULL ? NULL : run->student + query * classes;
    sotto_pate_outcome outcome = SOTTO_PATE_NOTHING;
    size_t class = classes;
    const size_t answers = sotto_plan_size(run->plan) - 1;
    sotto_status status = sotto_pate_label(run->session.gate, &run->vote, votes, classes,
                                           student, &outcome, &class, error);
    if (status != SOTTO_OK) return status;
    if (run->meter != NULL)
        status = sotto_pate_meter_ask(run->meter, votes, classes, student,
                                      outcome == SOTTO_PATE_VOTED, error);
    run->asked++;
    run->paid[run->asked] = sotto_gate_released(run->session.gate, answers);
    if (outcome == SOTTO_PATE_VOTED) run->answered++;
    if (outcome == SOTTO_PATE_NOTHING) return status;
    run->rows[run->count] = run->config->skip + query;
    run->classes[run->count] = class;
    run->is_reinforced[run->count++] = outcome == SOTTO_PATE_REINFORCED;
    return status;
}

/* Released before the first query, for all that may be asked: no answer decides about
 * the input. */
static sotto_status release_agreement(sot_pate_label_run *run, sotto_error *error)
{
    if (!run->agrees) return SOTTO_OK;
    const sotto_status status = sotto_pate_agreement_release(
        run->session.gate, &run->vote, &run->config->agreement, run->votes.votes,
        run->ask, run->target->label_count, run->agreed.sums, error);
    if (status == SOTTO_OK && run->meter != NULL)
        sot_pate_meter_add_gaussian(run->meter, run->agreement_event.noise_multiplier);
    return status;
}

static sotto_status ask_all(void *context, sotto_error *error)
{
    sot_pate_label_run *run = context;
    const sotto_pate_label_config *config = run->config;
    sotto_status status =
        run->table != NULL
            ? sot_pate_table_read(run->table, config->skip, run->ask, &run->votes, error)
            : sot_pate_vote(&run->directory, run->file, config->skip, run->ask,
                            config->threads, &run->votes, error);
    if (status == SOTTO_OK) status = release_agreement(run, error);
    for (uint64_t left = 1; status == SOTTO_OK && run->asked < run->ask;) {
        status = sotto_pate_left(run->session.gate, &run->vote, &left, error);
        if (status != SOTTO_OK || left == 0) break;
        status = ask_one(run, error);
    }
    return status;
}

/* ---- results ---- */

static void summarise_agreement(const sot_pate_label_run *run, sot_prose *prose)
{
    if (!run->agrees) return;
    sot_prose_line(prose, "agreement",
                   "%.0f%% of the teachers on average; noise of +-%.1f points (95%%)",
                   100.0 * run->agreement.mean, 196.0 * run->agreement.mean_deviation);
}

static sotto_status summarise(const sot_pate_label_run *run, double realised,
                              char **out_text, sotto_error *error)
{
    char shown[SOT_SHOWN_BYTES];
    const sot_session *session = &run->session;
    sot_prose prose = {0};
    sot_prose_line(&prose, "aggregator", "%s",
                   sotto_pate_aggregator_name(run->vote.aggregator));
    sot_prose_line(&prose, "asked", "%llu of at most %llu",
                   (unsigned long long)run->asked, (unsigned long long)run->ask);
    sot_prose_line(&prose, "answered", "%llu of at most %llu",
                   (unsigned long long)run->answered, (unsigned long long)run->answers);
    if (run->count > run->answered)
        sot_prose_line(&prose, "reinforced", "%llu",
                       (unsigned long long)(run->count - run->answered));
    summarise_agreement(run, &prose);
    if (run->vote.unit == SOTTO_PATE_TEACHERS)
        sot_prose_guarantee_of_teachers(&prose, run->epsilon, run->config->delta,
                                        run->vote.adjacency);
    else
        sot_prose_guarantee(&prose, run->epsilon, run->config->delta, run->vote.adjacency,
                            run->schema, run->origin);
    sot_prose_line(&prose, "for information",
                   "the queries asked and answered%s add up to epsilon %s; the guarantee "
                   "is the line above",
                   run->agrees ? " and the agreement" : "",
                   sot_shown(realised, 1, shown));
    sot_prose_ledger(&prose, session);
    if (run->config->insecure_test)
        sot_prose_line(&prose, "NOT PRIVATE", "the noise came from a test seed");
    if (session->output != NULL)
        sot_prose_line(&prose, "written to", "%s", session->output);
    return sot_prose_finish(&prose, out_text, error);
}

static void fill_result(sot_pate_label_run *run, double realised,
                        sotto_pate_result *result)
{
    result->asked = run->asked;
    result->answered = run->answered;
    result->realised = realised;
    result->epsilon = run->epsilon;
    result->delta = run->config->delta;
    result->is_agreed = run->agrees;
    result->agreement = run->agreement;
    result->has_test = sot_pate_has_test(&run->vote);
    result->plan = run->plan;
    run->plan = NULL;
    result->paid = run->paid;
    run->paid = NULL;
    result->outcome = run->session.outcome;
    if (run->meter != NULL && result->outcome == SOTTO_RUN_NEW)
        result->sensitive =
            sotto_pate_meter_epsilon(run->meter, run->config->delta, false, NULL);
}

static sotto_status deliver(sot_pate_label_run *run, sotto_pate_result **out_result,
                            sotto_error *error)
{
    char *text = NULL, *json = NULL, *certificate = NULL;
    double realised = 0.0;
    const sot_pate_agreed *agreed = &run->agreed;
    const sot_pate_course course = {.plan = run->plan,
                                    .has_test = sot_pate_has_test(&run->vote),
                                    .is_agreed = run->agrees,
                                    .delta = run->config->delta};
    const bool is_new = run->session.outcome == SOTTO_RUN_NEW;
    sotto_status status = is_new ? SOTTO_OK : sot_pate_label_take_file(run, error);
    if (status == SOTTO_OK)
        status =
            sot_pate_price(&course, run->asked, run->paid[run->asked], &realised, error);
    if (status == SOTTO_OK && run->agrees)
        status = sotto_pate_agreement_shares(
            agreed->edges, agreed->edge_count, agreed->sums, agreed->queries,
            agreed->teachers, agreed->sigma, &run->agreement, error);
    if (status == SOTTO_OK && is_new) status = sot_pate_label_certify(run, error);
    if (status == SOTTO_OK) status = summarise(run, realised, &text, error);
    if (status == SOTTO_OK)
        status = sot_session_render(&run->session, &certificate, error);
    if (status == SOTTO_OK) status = sot_copy_text(run->session.file, &json, error);
    if (status == SOTTO_OK) status = sot_session_write(&run->session, error);
    if (status != SOTTO_OK) {
        sot_free(json);
        sot_free(text);
        sot_free(certificate);
        return status;
    }
    status = sot_pate_result_new(json, text, certificate, out_result, error);
    if (status == SOTTO_OK) fill_result(run, realised, *out_result);
    return status;
}

/* ---- the whole way ---- */

static void clear(sot_pate_label_run *run)
{
    sot_session_close(&run->session);
    sotto_plan_free(run->plan);
    sot_pate_table_close(run->table);
    sotto_free(run->schema_json);
    sot_pate_votes_clear(&run->votes);
    sotto_pate_meter_free(run->meter);
    sot_free(run->student);
    sot_free(run->paid);
    sot_free(run->rows);
    sot_free(run->classes);
    sot_free(run->is_reinforced);
    sot_pate_directory_close(&run->directory);
}

sotto_status sotto_pate_label_rows(const sotto_pate_label_config *config,
                                   const sotto_schema *schema,
                                   const sotto_data_file *file,
                                   sotto_pate_result **out_result, sotto_error *error)
{
    sotto_pate_label_config own;
    sot_pate_label_run run = {.config = &own, .file = file};
    sotto_status status = SOT_TAKE(pate_label, config, &own, error);
    if (status != SOTTO_OK) return status;
    status = sot_pate_open_votes(&run, schema, error);
    if (status == SOTTO_OK) status = sot_pate_plan_labels(&run, error);
    if (status == SOTTO_OK) status = make_ready(&run, error);
    if (status == SOTTO_OK && run.session.outcome == SOTTO_RUN_NEW)
        status = sot_session_run(&run.session, ask_all, &run, error);
    if (status == SOTTO_OK) status = deliver(&run, out_result, error);
    status = sot_session_end(&run.session, status, error);
    if (status == SOTTO_OK) (*out_result)->kept = sot_session_hand_over(&run.session);
    clear(&run);
    return status;
}
