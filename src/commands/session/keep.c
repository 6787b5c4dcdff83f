/* The files that an earlier process left of the same run: a checkpoint to resume, or an
 * output. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "artifact/certificate/certificate.h"
#include "base/error.h"
#include "base/file/file.h"
#include "base/file/pair.h"
#include "base/memory.h"
#include "base/text.h"
#include "commands/session/checkpoint.h"
#include "commands/session/parts.h"
#include "privacy/ledger/kept.h"
#include "privacy/ledger/paid.h"

/* ---- a run to resume ---- */

/* With a test seed every resuming process also has its own noise. The steps are public, and with
 * the same noise two of them would reveal their difference. */
static uint64_t seed_after(const sot_session *session)
{
    const uint64_t step = sot_keeper_step(session->keeper) + 1;
    return session->test_seed ^ (step * UINT64_C(0x9e3779b97f4a7c15));
}

static sotto_status draw_anew(sot_session *session, sotto_error *error)
{
    if (!session->insecure_test)
        return SOTTO_OK; /* the operating system's: fresh as it is */
    sotto_gate_free(session->gate);
    sotto_rng_free(session->rng);
    session->gate = NULL;
    session->rng = NULL;
    return sot_session_make_gate(session, true, seed_after(session), error);
}

static sotto_status take_text(sot_session *session, const char *text,
                              sotto_run_outcome outcome, sotto_error *error)
{
    session->file = sot_copy_string(text);
    if (session->file == NULL) return sot_fail_memory(error, strlen(text) + 1, 1);
    session->outcome = outcome;
    return SOTTO_OK;
}

static sotto_status go_on(sot_session *session, sotto_error *error)
{
    const char *output = sot_keeper_output(session->keeper);
    session->resumed = session->ledger == NULL;
    session->charged = session->ledger != NULL;
    if (output != NULL) return take_text(session, output, SOTTO_RUN_RECOVERED, error);
    return draw_anew(session, error);
}

/* ---- a run that was finished ---- */

static sotto_status find_finished(const sot_session *session, sot_finished_run *out_run,
                                  sotto_error *error)
{
    *out_run = (sot_finished_run){.row = 0};
    if (session->ledger == NULL || session->anew) return SOTTO_OK;
    return sot_ledger_find_finished(session->ledger, session->asked, out_run, error);
}

sotto_status sot_session_check_new(const sot_session *session, sotto_error *error)
{
    sot_finished_run finished;
    const sotto_status status = find_finished(session, &finished, error);
    if (status != SOTTO_OK || finished.row == 0) return status;
    return sot_fail(
        error, SOTTO_IO,
        "the checkpoint was in use by another process, which finished this run (row %llu "
        "of the ledger); nothing was charged again; rerun for its result",
        (unsigned long long)finished.row);
}

static sotto_status refuse_finished(const sot_session *session, uint64_t row,
                                    const char *what, sotto_error *error)
{
    char shown[90];
    return sot_fail(
        error, SOTTO_INVALID_ARGUMENT,
        "this run was finished before (row %llu of the ledger), and %s %s; "
        "nothing was charged; for a new run and a new charge give `again=true`",
        (unsigned long long)row,
        session->output == NULL ? "its result"
                                : sot_printable(session->output, shown, sizeof shown),
        what);
}

/* Refuses bytes that are not the output that was committed. */
static sotto_status check_committed(const sot_session *session, const char *text,
                                    size_t size_bytes, const sot_finished_run *finished,
                                    sotto_error *error)
{
    sot_certificate_file file = {0};
    char hash[SOTTO_HASH_HEX_BYTES] = "";
    sotto_status status = sot_certificate_file_open(text, size_bytes, &file, error);
    if (status == SOTTO_OK)
        status = sot_certificate_hash(&file.root, &file.member, hash, error);
    sot_certificate_file_close(&file);
    if (status == SOTTO_OUT_OF_MEMORY || strcmp(hash, finished->output) == 0)
        return status;
    return refuse_finished(
        session, finished->row,
        "has changed since: put the original back, or give another output", error);
}

/* The charge as it was made, for the summary. */
static sotto_status take_reservation(sot_session *session,
                                     const sot_finished_run *finished, sotto_error *error)
{
    sot_paid_run paid;
    const sotto_status status = sot_ledger_find_paid(session->ledger, finished->row,
                                                     finished->output, &paid, error);
    if (status == SOTTO_OK) session->reservation = paid.reservation;
    if (status == SOTTO_OK) sot_paid_run_clear(&paid);
    return status;
}

static sotto_status hand_out(sot_session *session, const sot_finished_run *finished,
                             sotto_error *error)
{
    char *text = NULL;
    size_t size_bytes = 0;
    if (session->output == NULL)
        return refuse_finished(session, finished->row, "was printed and not stored",
                               error);
    if (access(session->output, F_OK) != 0 && errno == ENOENT)
        return refuse_finished(session, finished->row,
                               "is no longer there: restore it from a copy", error);
    sotto_status status = sot_file_read(session->output, SOTTO_CERTIFIED_BYTES_MAX, &text,
                                        &size_bytes, error);
    if (status != SOTTO_OK) return status;
    status = check_committed(session, text, size_bytes, finished, error);
    if (status == SOTTO_OK) status = take_reservation(session, finished, error);
    if (status == SOTTO_OK) status = take_text(session, text, SOTTO_RUN_FINISHED, error);
    sot_free(text);
    return status;
}

/* ---- both ---- */

/* With a ledger: every run with a name by which a later process finds it. Without: only
 * long runs. */
static bool is_kept(const sot_session *session, bool in_steps)
{
    if (session->plan == NULL) return false;
    if (session->ledger == NULL) return in_steps && session->output != NULL;
    return session->output != NULL || session->data_path != NULL;
}

sotto_status sot_session_keep(sot_session *session, const sot_keeper_setup *setup,
                              sotto_error *error)
{
    sot_keeper_setup own = {.max_minutes = SOTTO_UNSET};
    sot_finished_run finished;
    if (!is_kept(session, setup != NULL)) return SOTTO_OK;
    if (setup != NULL) own = *setup;
    own.session = session;
    sotto_status status = sot_keeper_open(&own, &session->keeper, error);
    if (status != SOTTO_OK) return status;
    if (sot_keeper_resumes(session->keeper)) return go_on(session, error);
    status = find_finished(session, &finished, error);
    if (status != SOTTO_OK || finished.row == 0) return status;
    return hand_out(session, &finished, error);
}

/* ---- the size of the output ---- */

enum {
    REST_BYTES = 1 << 16, /* certificate, plan, names of columns */
    NUMBER_BYTES = 32,    /* 17 digits, sign, exponent, comma */
    STEP_BYTES = 1 << 20
};

/* Encrypted outputs show their length, which the digits of released numbers would change. So it
 * is padded to the bound, in coarse steps, for all numbers. */
size_t sot_session_output_bytes(const sot_session *session)
{
    char *schema = NULL;
    size_t bytes = REST_BYTES;
    sotto_error ignored;
    if (session->schema != NULL &&
        sotto_schema_to_json(session->schema, NULL, &schema, &ignored) == SOTTO_OK)
        bytes += 4 * strlen(schema);
    sotto_free(schema);
    if (session->numbers < SOT_KEPT_BYTES_MAX / NUMBER_BYTES / 2)
        bytes += NUMBER_BYTES * session->numbers;
    if (bytes > STEP_BYTES) return (bytes / STEP_BYTES + 1) * STEP_BYTES;
    size_t step = REST_BYTES;
    while (step < bytes)
        step *= 2;
    return step;
}

/* ---- results without a file ---- */

sot_pair *sot_session_hand_over(sot_session *session)
{
    if (session->output != NULL || session->keeper == NULL) return NULL;
    sot_pair *kept = sot_keeper_detach(session->keeper);
    session->keeper = NULL;
    return kept;
}

void sot_kept_drop(sot_pair *kept, bool is_taken)
{
    if (kept == NULL) return;
    if (is_taken) {
        sot_pair_remove(kept, SOT_PAIR_STAGED);
        sot_pair_remove(kept, SOT_PAIR_PLACED);
    }
    sot_pair_close(kept);
}
