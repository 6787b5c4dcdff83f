#include "commands/session/keeper.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <sodium.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/file/file.h"
#include "base/file/steps.h"
#include "base/memory.h"
#include "base/text.h"
#include "privacy/ledger/kept.h"
#include "privacy/mechanisms/gate/gate.h"
#include "random/rng.h"

/* The first checkpoint is after FIRST seconds. The next are after EVERY seconds, a thirtieth of
 * the time so far, or fifty times the time of a checkpoint, whichever is longest. A kill costs at
 * most 3 % of the work, and checkpoints 2 %. The rows of a ledger grow with the logarithm of the
 * time. */
#define FIRST_SECONDS 5.0
#define EVERY_SECONDS 10.0
#define TELL_SECONDS  0.5
#define PART_OF_TIME  (1.0 / 30.0)
#define TIMES_COST    50.0

enum { KEY_BYTES = 32 };

/* ---- when ---- */

#ifdef SOTTO_TESTING
static double test_seconds = -1.0;

void sot_test_keep_every(double seconds)
{
    test_seconds = seconds;
}

static double asked_seconds(void)
{
    const char *text = getenv("SOTTO_KEEP_SECONDS");
    double seconds = 0.0;
    if (text != NULL && sot_parse_double(text, strlen(text), &seconds) == SOT_NUMBER_OK)
        return seconds;
    return test_seconds;
}
#else
static double asked_seconds(void)
{
    return -1.0;
}
#endif

static bool is_over(const sot_keeper *keeper)
{
    return keeper->stop_asked ||
           sot_clock_seconds() - keeper->started_seconds >=
               60.0 * keeper->setup.max_minutes; /* never, if that is NaN */
}

/* A learner may report seldom, because each report computes an account. The listener is
 * asked more often whether to stop. */
static void ask_listener(sot_keeper *keeper, double now)
{
    if (keeper->setup.progress == NULL || now < keeper->told_seconds + TELL_SECONDS)
        return;
    const sotto_progress progress = {.step = keeper->steps_done,
                                     .steps = keeper->setup.steps,
                                     .elapsed_seconds = now - keeper->started_seconds,
                                     .epsilon_so_far = SOTTO_UNSET,
                                     .unit = "step"};
    (void)sot_keeper_listen(&progress, keeper);
}

static bool is_due(void *context)
{
    sot_keeper *keeper = context;
    const double now = sot_clock_seconds();
    keeper->steps_done++;
    ask_listener(keeper, now);
    return now >= keeper->due_seconds || is_over(keeper);
}

static void set_due(sot_keeper *keeper, double cost_seconds)
{
    const double now = sot_clock_seconds();
    const double part = PART_OF_TIME * (now - keeper->started_seconds);
    keeper->due_seconds =
        now + (asked_seconds() >= 0.0
                   ? asked_seconds()
                   : fmax(EVERY_SECONDS, fmax(part, TIMES_COST * cost_seconds)));
}

int sot_keeper_listen(const sotto_progress *progress, void *context)
{
    sot_keeper *keeper = context;
    const sot_keeper_setup *setup = &keeper->setup;
    keeper->told_seconds = sot_clock_seconds();
    if (setup->progress(progress, setup->progress_context) != 0)
        keeper->stop_asked = true;
    return 0;
}

/* ---- opening ---- */

/* Names of runs and keys of seals under a test seed: apart from the noise of that seed. */
static sotto_status make_keys(sot_keeper *keeper, sotto_error *error)
{
    const sot_session *session = keeper->session;
    const uint64_t apart = UINT64_C(0x63686b7074) + sot_keeper_step(keeper);
    return session->insecure_test
               ? sotto_rng_new_for_test(session->test_seed ^ (apart << 20), &keeper->keys,
                                        error)
               : sotto_rng_new(&keeper->keys, error);
}

sotto_status sot_keeper_open(const sot_keeper_setup *setup, sot_keeper **out_keeper,
                             sotto_error *error)
{
    sot_keeper *keeper = sot_new_array(1, sizeof *keeper);
    if (keeper == NULL) return sot_fail_memory(error, 1, sizeof *keeper);
    keeper->setup = *setup;
    keeper->session = setup->session;
    keeper->started_seconds = sot_clock_seconds();
    keeper->due_seconds = keeper->started_seconds +
                          (asked_seconds() >= 0.0 ? asked_seconds() : FIRST_SECONDS);
    sotto_status status = sot_keeper_name(setup->session, &keeper->path, error);
    if (status == SOTTO_OK) status = sot_pair_open(keeper->path, &keeper->pair, error);
    if (status == SOTTO_OK) status = sot_keeper_look(keeper, error);
    if (status == SOTTO_OK) status = make_keys(keeper, error);
    if (status != SOTTO_OK) {
        sot_keeper_close(keeper);
        return status;
    }
    *out_keeper = keeper;
    return SOTTO_OK;
}

void sot_keeper_close(sot_keeper *keeper)
{
    if (keeper == NULL) return;
    /* Without a ledger a run that released nothing left nothing behind. */
    if (keeper->pair != NULL && keeper->session->ledger == NULL && keeper->body == NULL &&
        keeper->kept.kind == SOT_KEPT_BEGUN && keeper->last[0] != '\0')
        sot_pair_remove(keeper->pair, SOT_PAIR_PLACED);
    sot_pair_close(keeper->pair);
    sotto_rng_free(keeper->keys);
    sot_free(keeper->kept.released);
    sot_free(keeper->body);
    sot_free(keeper->path);
    sot_free(keeper);
}

bool sot_keeper_resumes(const sot_keeper *keeper)
{
    return keeper->resumes;
}

uint64_t sot_keeper_step(const sot_keeper *keeper)
{
    return keeper->kept.step;
}

const char *sot_keeper_run(const sot_keeper *keeper)
{
    return keeper->kept.run;
}

const char *sot_keeper_output(const sot_keeper *keeper)
{
    return keeper->kept.kind == SOT_KEPT_OUTPUT ? (const char *)keeper->body : NULL;
}

/* ---- keeping ---- */

static sotto_status draw_hex(sot_keeper *keeper, char out[SOTTO_HASH_HEX_BYTES],
                             sotto_error *error)
{
    unsigned char bytes[KEY_BYTES];
    sot_rng_bytes(keeper->keys, bytes, sizeof bytes);
    (void)sodium_bin2hex(out, SOTTO_HASH_HEX_BYTES, bytes, sizeof bytes);
    sot_wipe(bytes, sizeof bytes);
    return sot_rng_check(keeper->keys, error);
}

/* Counts the releases of the gate: between two steps all admitted ones are complete. */
static sotto_status count_releases(sot_keeper *keeper, sotto_error *error)
{
    const sotto_gate *gate = keeper->session->gate;
    for (size_t i = 0; i < keeper->kept.events; i++) {
        if (gate->recorded[i] != gate->admitted[i])
            return sot_fail(error, SOTTO_INTERNAL,
                            "a checkpoint was requested in the middle of a release");
        keeper->kept.released[i] = gate->recorded[i];
    }
    keeper->kept.sampler_error = gate->sampler_error;
    return SOTTO_OK;
}

/* The file of keeper->kept with this body, staged; its hash and key in `out_mark`. */
static sotto_status stage(sot_keeper *keeper, const void *body, size_t body_bytes,
                          sot_kept_mark *out_mark, sotto_error *error)
{
    char *bytes = NULL;
    size_t size_bytes = 0;
    sot_kept_file file = keeper->kept;
    const bool seals = keeper->session->ledger != NULL && file.kind != SOT_KEPT_BEGUN;
    *out_mark = (sot_kept_mark){.seal_key = ""};
    file.body = body;
    file.body_bytes = body_bytes;
    sotto_status status = seals ? draw_hex(keeper, out_mark->seal_key, error) : SOTTO_OK;
    if (status == SOTTO_OK)
        status = sot_kept_write(&file, seals ? out_mark->seal_key : NULL, &bytes,
                                &size_bytes, out_mark->checkpoint, error);
    if (status == SOTTO_OK)
        status = sot_pair_stage(keeper->pair, bytes, size_bytes, error);
    sot_free(bytes);
    return status;
}

static sotto_status place(sot_keeper *keeper, const sot_kept_mark *mark,
                          sotto_error *error)
{
    memcpy(keeper->last, mark->checkpoint, sizeof keeper->last);
    return sot_pair_place(keeper->pair, error);
}

static sotto_status stop(const sot_keeper *keeper, uint64_t step, sotto_error *error)
{
    char all[40] = "";
    if (keeper->setup.steps > 0)
        (void)snprintf(all, sizeof all, " of %llu",
                       (unsigned long long)keeper->setup.steps);
    return sot_fail(error, SOTTO_INTERRUPTED,
                    "stopped %s after step %llu%s; run the same command to resume",
                    keeper->stop_asked ? "on request" : "when the time was up",
                    (unsigned long long)step, all);
}

/* Staged, recorded, placed. After a kill before the row, the earlier state counts, and this one
 * stays encrypted for good. After a kill behind the row, this one counts, and the next process
 * places it. */
static sotto_status keep(void *context, uint64_t step, const unsigned char *state,
                         size_t state_bytes, sotto_error *error)
{
    sot_keeper *keeper = context;
    sot_kept_mark mark;
    const sot_session *session = keeper->session;
    const double began_seconds = sot_clock_seconds();
    assert(!session->capped); /* else the counts in the head would be an outcome */
    if (step <= keeper->kept.step)
        return sot_fail(error, SOTTO_INTERNAL, "a checkpoint was requested twice");
    sotto_status status = count_releases(keeper, error);
    if (status != SOTTO_OK) return status;
    keeper->kept.kind = SOT_KEPT_STATE;
    keeper->kept.step = step;
    status = stage(keeper, state, state_bytes, &mark, error);
    if (status == SOTTO_OK && session->ledger != NULL)
        status = sot_ledger_keep(session->ledger, &session->reservation, step,
                                 keeper->last, &mark, error);
    if (status == SOTTO_OK) status = place(keeper, &mark, error);
    sot_wipe(mark.seal_key, sizeof mark.seal_key);
    if (status != SOTTO_OK) return status;
    set_due(keeper, sot_clock_seconds() - began_seconds);
    return is_over(keeper) ? stop(keeper, step, error) : SOTTO_OK;
}

/* ---- the run ---- */

/* True if a failed reservation cannot have been written. */
static bool is_refusal(sotto_status status)
{
    return status == SOTTO_BUDGET_EXCEEDED || status == SOTTO_INVALID_ARGUMENT ||
           status == SOTTO_UNSUPPORTED;
}

enum { HEAD_ROOM_BYTES = 1 << 16, ROWS_ROOM_BYTES = 1 << 16 };

/* Neither the sealed output nor the ledger's rows of this run may meet a limit on file sizes. */
static sotto_status check_limits(const sot_keeper *keeper, size_t output_bytes,
                                 sotto_error *error)
{
    struct stat ledger;
    const char *path = keeper->session->ledger_path;
    if (stat(path, &ledger) != 0) return sot_file_fail(error, "look at", path, errno);
    const sotto_status status =
        sot_file_check_limit(path, (uint64_t)ledger.st_size + ROWS_ROOM_BYTES, error);
    if (status != SOTTO_OK) return status;
    return sot_file_check_limit(keeper->path, output_bytes + HEAD_ROOM_BYTES, error);
}

/* The place of the run is locked: a process that finished the same run meanwhile has written its
 * row. The output is both encrypted and open for a moment. */
static sotto_status prepare_charge(const sot_keeper *keeper, sotto_error *error)
{
    const size_t output_bytes = sot_session_output_bytes(keeper->session);
    sotto_status status = sot_session_check_new(keeper->session, error);
    if (status == SOTTO_OK) status = check_limits(keeper, output_bytes, error);
    if (status != SOTTO_OK) return status;
    return sot_pair_take_space(keeper->pair, 2 * output_bytes, error);
}

static sotto_status begin_anew(sot_keeper *keeper, sotto_error *error)
{
    sot_session *session = keeper->session;
    sot_kept_mark mark;
    const size_t events = sotto_plan_size(session->plan);
    keeper->kept = (sot_kept_file){
        .kind = SOT_KEPT_BEGUN, .identity = session->identity, .events = events};
    keeper->kept.released = sot_new_array(events + 1, sizeof *keeper->kept.released);
    if (keeper->kept.released == NULL) return sot_fail_memory(error, events + 1, 8);
    sotto_status status = draw_hex(keeper, keeper->kept.run, error);
    if (status == SOTTO_OK) status = stage(keeper, NULL, 0, &mark, error);
    if (status != SOTTO_OK) return status;
    if (session->ledger != NULL) {
        status = prepare_charge(keeper, error);
        const bool is_ready = status == SOTTO_OK;
        if (is_ready) status = sot_session_charge(session, mark.checkpoint, error);
        if (!is_ready || is_refusal(status))
            sot_pair_remove(keeper->pair, SOT_PAIR_STAGED);
    }
    return status == SOTTO_OK ? place(keeper, &mark, error) : status;
}

sotto_status sot_keeper_begin(sot_keeper *keeper, sotto_error *error)
{
    assert(sot_keeper_output(keeper) == NULL);
    if (!keeper->resumes) return begin_anew(keeper, error);
    return sot_gate_resume(keeper->session->gate, keeper->kept.released,
                           keeper->kept.sampler_error, error);
}

sot_checkpoint *sot_keeper_checkpoint(sot_keeper *keeper)
{
    keeper->steps_done = keeper->kept.step;
    keeper->told_seconds = sot_clock_seconds();
    const bool has_state =
        keeper->resumes && keeper->kept.kind == SOT_KEPT_STATE && keeper->kept.step > 0;
    keeper->checkpoint =
        (sot_checkpoint){.state = has_state ? keeper->body : NULL,
                         .state_bytes = has_state ? keeper->body_bytes : 0,
                         .step = has_state ? keeper->kept.step : 0,
                         .is_due = is_due,
                         .keep = keep,
                         .context = keeper};
    return &keeper->checkpoint;
}

/* ---- the end ---- */

/* After a row that names a file that was never written, no file can be resumed. */
static sotto_status close_run(sot_keeper *keeper, sotto_error *error)
{
    sot_kept_mark nothing;
    const sot_session *session = keeper->session;
    sotto_status status = draw_hex(keeper, nothing.checkpoint, error);
    if (status == SOTTO_OK) status = draw_hex(keeper, nothing.seal_key, error);
    if (status == SOTTO_OK)
        status = sot_ledger_keep(session->ledger, &session->reservation,
                                 keeper->kept.step + 1, keeper->last, &nothing, error);
    sot_wipe(nothing.seal_key, sizeof nothing.seal_key);
    if (status != SOTTO_OK) return status;
    keeper->closed = true;
    sot_keeper_remove(keeper);
    return SOTTO_OK;
}

sotto_status sot_keeper_judge(sot_keeper *keeper, sotto_status status, sotto_error *error)
{
    sotto_error own;
    const bool is_public = status == SOTTO_OK || status == SOTTO_IO ||
                           status == SOTTO_OUT_OF_MEMORY || status == SOTTO_ENTROPY ||
                           status == SOTTO_INTERRUPTED;
    if (is_public || keeper->session->ledger == NULL) return status;
    const sotto_status closed = close_run(keeper, &own);
    return closed == SOTTO_OK ? status : sot_fail(error, closed, "%s", own.message);
}

bool sot_keeper_is_closed(const sot_keeper *keeper)
{
    return keeper->closed;
}

/* The text, as long as any that this run could have. */
static sotto_status stage_output(sot_keeper *keeper, const char *text,
                                 sot_kept_mark *out_mark, sotto_error *error)
{
    const size_t length = strlen(text), step = sot_session_output_bytes(keeper->session);
    if (keeper->session->ledger == NULL)
        return stage(keeper, text, length, out_mark, error);
    const size_t padded = length < step ? step : (length / step + 1) * step;
    char *body = sot_new_array(padded, 1); /* zeros: the text ends at the first */
    if (body == NULL) return sot_fail_memory(error, padded, 1);
    memcpy(body, text, length);
    const sotto_status status = stage(keeper, body, padded, out_mark, error);
    sot_free(body);
    return status;
}

/* The head of a file is not encrypted. Under caps the number of releases is an outcome, for
 * example the number of PATE labels. A process killed before the row would show one more sample
 * of it. An output does not need it. */
static void hide_releases(sot_keeper *keeper)
{
    for (size_t i = 0; i < keeper->kept.events; i++)
        keeper->kept.released[i] = 0;
    keeper->kept.sampler_error = 0.0;
}

sotto_status sot_keeper_finish(sot_keeper *keeper, const char *text,
                               const char *output_hash, sotto_error *error)
{
    sot_kept_mark mark;
    const sot_session *session = keeper->session;
    sotto_status status = count_releases(keeper, error);
    if (status != SOTTO_OK) return status;
    hide_releases(keeper);
    keeper->kept.kind = SOT_KEPT_OUTPUT;
    sot_pair_free_space(keeper->pair);
    status = stage_output(keeper, text, &mark, error);
    if (status == SOTTO_OK && session->ledger != NULL)
        status = sot_ledger_commit_surely(session->ledger, &session->reservation,
                                          output_hash, keeper->last, &mark, error);
    if (status == SOTTO_OK) status = place(keeper, &mark, error);
    sot_wipe(mark.seal_key, sizeof mark.seal_key);
    return status;
}

void sot_keeper_remove(sot_keeper *keeper)
{
    sot_pair_remove(keeper->pair, SOT_PAIR_STAGED);
    sot_pair_remove(keeper->pair, SOT_PAIR_PLACED);
}

sot_pair *sot_keeper_detach(sot_keeper *keeper)
{
    sot_pair *pair = keeper->pair;
    keeper->pair = NULL;
    sot_keeper_close(keeper);
    return pair;
}
