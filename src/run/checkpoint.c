#include "run/checkpoint.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sodium.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/pair.h"
#include "base/plant.h"
#include "base/text.h"
#include "privacy/ledger/kept.h"
#include "privacy/mechanisms/gate.h"
#include "random/rng.h"

/* The first state after FIRST seconds; then every EVERY, or a thirtieth of the time so far, or fifty times what
 * keeping takes: a kill costs 3 % of the work at most, and keeping 2 %. The rows of a ledger grow with the
 * logarithm of the time. */
#define FIRST_SECONDS 5.0
#define EVERY_SECONDS 10.0
#define PART_OF_TIME  (1.0 / 30.0)
#define TIMES_COST    50.0

enum { KEY_BYTES = 32, SHOWN_BYTES = 90 };

struct sot_keeper {
    sot_keeper_setup setup;
    sot_session *session;
    char *path;
    sot_pair *pair;
    sotto_rng *keys; /* for seals and names of runs; noise has another one */
    /* where the run stands */
    bool resumes;
    sot_kept_file kept;              /* what the run goes on from; without its body */
    char last[SOTTO_HASH_HEX_BYTES]; /* hash of the file from which the run goes on */
    unsigned char *body;             /* opened: the state, or the output */
    size_t body_bytes;
    sot_checkpoint checkpoint;
    /* when to keep, when to stop */
    double started_seconds, due_seconds;
    bool stop_asked;
};

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

static bool is_due(void *context)
{
    const sot_keeper *keeper = context;
    return sot_clock_seconds() >= keeper->due_seconds || is_over(keeper);
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
    if (setup->progress(progress, setup->progress_context) != 0)
        keeper->stop_asked = true;
    return 0;
}

/* ---- refusals ---- */

static sotto_status refuse(const sot_keeper *keeper, const char *reason,
                           sotto_error *error)
{
    char shown[SHOWN_BYTES];
    return sot_fail(error, SOTTO_INVALID_ARGUMENT, "%s %.110s; delete it to start anew%s",
                    sot_printable(keeper->path, shown, sizeof shown), reason,
                    keeper->session->ledger != NULL ? ", charged anew" : "");
}

static sotto_status check_identity(const sot_keeper *keeper,
                                   const sot_kept_identity *kept, sotto_error *error)
{
    const sot_kept_identity *mine = &keeper->setup.identity;
    char reason[120];
    if (strcmp(kept->version, mine->version) != 0) {
        (void)snprintf(reason, sizeof reason, "is of sotto %s, and this is %s",
                       kept->version, mine->version);
        return refuse(keeper, reason, error);
    }
    const char *other = strcmp(kept->settings, mine->settings) != 0 ? "settings"
                        : strcmp(kept->schema, mine->schema) != 0   ? "a schema"
                        : strcmp(kept->data, mine->data) != 0       ? "data"
                                                                    : NULL;
    if (other == NULL) return SOTTO_OK;
    (void)snprintf(
        reason, sizeof reason, "is of a training with other %s%s; give the same ones",
        strcmp(other, "a schema") == 0 ? "columns or bounds (the schema)" : other,
        strcmp(other, "data") == 0 ? " (another file or query)" : "");
    return refuse(keeper, reason, error);
}

/* ---- what is there ---- */

typedef struct candidate {
    char *bytes; /* NULL: no file */
    size_t size_bytes;
    bool parsed;
    sot_kept_file file;
    char hash[SOTTO_HASH_HEX_BYTES];
    sot_kept_run run; /* with a ledger */
    sotto_error why;  /* if it did not parse */
} candidate;

static void free_candidate(candidate *c)
{
    sot_free(c->bytes);
    sot_free(c->file.released);
}

static sotto_status load(sot_keeper *keeper, sot_pair_which which, candidate *c,
                         sotto_error *error)
{
    *c = (candidate){.bytes = NULL};
    if (!sot_pair_has(keeper->pair, which)) return SOTTO_OK;
    sotto_status status = sot_pair_read(keeper->pair, which, SOT_KEPT_BYTES_MAX,
                                        &c->bytes, &c->size_bytes, error);
    if (status != SOTTO_OK) return status;
    status = sot_kept_parse(c->bytes, c->size_bytes, &c->file, c->hash, &c->why);
    if (status == SOTTO_OUT_OF_MEMORY)
        return sot_fail(error, status, "%s", c->why.message);
    c->parsed = status == SOTTO_OK;
    if (!c->parsed || keeper->session->ledger == NULL) return SOTTO_OK;
    return sot_ledger_find_kept(keeper->session->ledger, c->hash, keeper->session->plan,
                                &c->run, error);
}

/* Whether what was staged counts more than what is in place. With a ledger: the one its run's last row names. Without:
 * what was written later, so that a state that may have been seen is gone on from, not made a second time. */
static bool staged_counts(const sot_keeper *keeper, const candidate *staged,
                          const candidate *placed)
{
    if (!staged->parsed) return false;
    if (keeper->session->ledger != NULL) return staged->run.place == SOT_KEPT_LAST;
    if (staged->file.kind == SOT_KEPT_BEGUN || staged->file.sealed) return false;
    return !placed->parsed || (strcmp(staged->file.run, placed->file.run) == 0 &&
                               (staged->file.kind > placed->file.kind ||
                                staged->file.step > placed->file.step));
}

/* The file that is in place and cannot be gone on from. */
static sotto_status refuse_placed(const sot_keeper *keeper, const candidate *placed,
                                  sotto_error *error)
{
    char reason[120];
    if (!placed->parsed) return refuse(keeper, "is damaged, or no checkpoint", error);
    const sotto_status status = check_identity(keeper, &placed->file.identity, error);
    if (status != SOTTO_OK) return status;
    if (keeper->session->ledger == NULL)
        return refuse(keeper, "is sealed and needs the ledger it was made with", error);
    if (placed->run.place == SOT_KEPT_OLDER) {
        (void)snprintf(reason, sizeof reason,
                       "is older than what the ledger's row %llu has gone on to",
                       (unsigned long long)placed->run.reservation.id);
        return refuse(keeper, reason, error);
    }
    return refuse(keeper, "is not in this ledger", error);
}

static sotto_status check_run(const sot_keeper *keeper, const candidate *c,
                              sotto_error *error)
{
    const sot_kept_run *run = &c->run;
    const sotto_plan *plan = keeper->session->plan;
    bool fits = c->file.events == sotto_plan_size(plan);
    for (size_t i = 0; fits && i < c->file.events; i++)
        fits = c->file.released[i] <= sotto_plan_event(plan, i)->count;
    if (!fits) return refuse(keeper, "is of a training with another plan", error);
    if (keeper->session->ledger == NULL) return SOTTO_OK;
    if (!run->same_plan || strcmp(run->label, keeper->session->label) != 0)
        return refuse(keeper, "is of a run with another plan in the ledger", error);
    if ((c->file.kind == SOT_KEPT_OUTPUT) != run->committed)
        return refuse(keeper, "is of a run whose output the ledger has already", error);
    if (c->file.kind == SOT_KEPT_STATE && c->file.step != run->step)
        return refuse(keeper, "has another step than the ledger", error);
    return SOTTO_OK;
}

/* The run goes on from `c`. */
static sotto_status go_on_from(sot_keeper *keeper, const candidate *c, sotto_error *error)
{
    sotto_status status = check_identity(keeper, &c->file.identity, error);
    if (status == SOTTO_OK) status = check_run(keeper, c, error);
    if (status != SOTTO_OK) return status;
    const size_t events = c->file.events;
    keeper->kept = c->file;
    keeper->kept.body = NULL;
    keeper->kept.released = sot_new_array(events + 1, sizeof *keeper->kept.released);
    if (keeper->kept.released == NULL) return sot_fail_memory(error, events + 1, 8);
    memcpy(keeper->kept.released, c->file.released, events * sizeof(uint64_t));
    memcpy(keeper->last, c->hash, sizeof keeper->last);
    keeper->resumes = true;
    keeper->session->reservation = c->run.reservation;
    if (c->file.kind == SOT_KEPT_BEGUN) return SOTTO_OK;
    return sot_kept_unseal(&c->file, c->run.seal_key, &keeper->body, &keeper->body_bytes,
                           error);
}

/* A staged file that does not count was cut short by a crash, or never recorded; anything else of that name
 * is not ours to remove. */
static sotto_status drop_staged(sot_keeper *keeper, const candidate *staged,
                                sotto_error *error)
{
    char shown[SHOWN_BYTES];
    if (staged->bytes == NULL) return SOTTO_OK;
    if (!sot_kept_is_cut_short(staged->bytes, staged->size_bytes)) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "%s.next is no checkpoint; move it away",
                        sot_printable(keeper->path, shown, sizeof shown));
    }
    sot_pair_remove(keeper->pair, SOT_PAIR_STAGED);
    return SOTTO_OK;
}

static sotto_status find_out(sot_keeper *keeper, const candidate *staged,
                             const candidate *placed, sotto_error *error)
{
    const bool has_ledger = keeper->session->ledger != NULL;
    if (staged_counts(keeper, staged, placed)) {
        const sotto_status status = go_on_from(keeper, staged, error);
        return status == SOTTO_OK ? sot_pair_place(keeper->pair, error) : status;
    }
    sotto_status status = drop_staged(keeper, staged, error);
    if (status != SOTTO_OK || placed->bytes == NULL) return status;
    const bool worthless =
        !has_ledger && placed->parsed && placed->file.kind == SOT_KEPT_BEGUN;
    if (worthless) return SOTTO_OK;
    const bool counts = placed->parsed && (has_ledger ? placed->run.place == SOT_KEPT_LAST
                                                      : !placed->file.sealed);
    return counts ? go_on_from(keeper, placed, error)
                  : refuse_placed(keeper, placed, error);
}

/* ---- opening ---- */

static sotto_status name_checkpoint(const char *output, char **out_path,
                                    sotto_error *error)
{
    static const char end[] = ".checkpoint";
    const size_t length = strlen(output);
    char *path = sot_new_array(length + sizeof end, 1);
    if (path == NULL) return sot_fail_memory(error, length + sizeof end, 1);
    memcpy(path, output, length);
    memcpy(path + length, end, sizeof end);
    *out_path = path;
    return SOTTO_OK;
}

static sotto_status look(sot_keeper *keeper, sotto_error *error)
{
    candidate staged = {.bytes = NULL}, placed = {.bytes = NULL};
    sotto_status status = load(keeper, SOT_PAIR_STAGED, &staged, error);
    if (status == SOTTO_OK) status = load(keeper, SOT_PAIR_PLACED, &placed, error);
    if (status == SOTTO_OK) status = find_out(keeper, &staged, &placed, error);
    free_candidate(&staged);
    free_candidate(&placed);
    return status;
}

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
    sotto_status status = name_checkpoint(setup->session->output, &keeper->path, error);
    if (status == SOTTO_OK) status = sot_pair_open(keeper->path, &keeper->pair, error);
    if (status == SOTTO_OK) status = look(keeper, error);
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

/* What the gate has let through, all of it to the end: between two steps nothing is on its way. */
static sotto_status count_releases(sot_keeper *keeper, sotto_error *error)
{
    const sotto_gate *gate = keeper->session->gate;
    for (size_t i = 0; i < keeper->kept.events; i++) {
        if (gate->recorded[i] != gate->admitted[i])
            return sot_fail(error, SOTTO_INTERNAL,
                            "a state was to be kept in the middle of a release");
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
                    "stopped %s after step %llu%s; the same command goes on",
                    keeper->stop_asked ? "on request" : "when the time was up",
                    (unsigned long long)step, all);
}

/* Staged, recorded, placed: a kill before the row leaves the state before as the one that counts, and this one sealed
 * for good; a kill behind it leaves this one, to be placed by who goes on. */
static sotto_status keep(void *context, uint64_t step, const unsigned char *state,
                         size_t state_bytes, sotto_error *error)
{
    sot_keeper *keeper = context;
    sot_kept_mark mark;
    const sot_session *session = keeper->session;
    const double began_seconds = sot_clock_seconds();
    if (step <= keeper->kept.step)
        return sot_fail(error, SOTTO_INTERNAL, "a state was to be kept twice");
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

/* Whether a reservation that failed cannot have been written. */
static bool is_refusal(sotto_status status)
{
    return status == SOTTO_BUDGET_EXCEEDED || status == SOTTO_INVALID_ARGUMENT ||
           status == SOTTO_UNSUPPORTED;
}

static sotto_status begin_anew(sot_keeper *keeper, sotto_error *error)
{
    sot_session *session = keeper->session;
    sot_kept_mark mark;
    const size_t events = sotto_plan_size(session->plan);
    keeper->kept = (sot_kept_file){
        .kind = SOT_KEPT_BEGUN, .identity = keeper->setup.identity, .events = events};
    keeper->kept.released = sot_new_array(events + 1, sizeof *keeper->kept.released);
    if (keeper->kept.released == NULL) return sot_fail_memory(error, events + 1, 8);
    sotto_status status = draw_hex(keeper, keeper->kept.run, error);
    if (status == SOTTO_OK) status = stage(keeper, NULL, 0, &mark, error);
    if (status != SOTTO_OK) return status;
    if (session->ledger != NULL) {
        status = sot_ledger_reserve_kept(session->ledger, session->plan,
                                         session->sampler_error, session->label,
                                         mark.checkpoint, &session->reservation, error);
        if (is_refusal(status)) sot_pair_remove(keeper->pair, SOT_PAIR_STAGED);
    }
    return status == SOTTO_OK ? place(keeper, &mark, error) : status;
}

sotto_status sot_keeper_begin(sot_keeper *keeper, sotto_error *error)
{
    assert(sot_keeper_output(keeper) == NULL);
    if (!keeper->resumes) return begin_anew(keeper, error);
    if (SOT_PLANTED(run_resume_forgets_releases)) {
        keeper->kept.step = 0; /* starts again under the old charge */
        return SOTTO_OK;
    }
    return sot_gate_resume(keeper->session->gate, keeper->kept.released,
                           keeper->kept.sampler_error, error);
}

sot_checkpoint *sot_keeper_checkpoint(sot_keeper *keeper)
{
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

sotto_status sot_keeper_finish(sot_keeper *keeper, const char *text,
                               const char *output_hash, sotto_error *error)
{
    sot_kept_mark mark;
    const sot_session *session = keeper->session;
    sotto_status status = count_releases(keeper, error);
    if (status != SOTTO_OK) return status;
    keeper->kept.kind = SOT_KEPT_OUTPUT;
    status = stage(keeper, text, strlen(text), &mark, error);
    if (status == SOTTO_OK && session->ledger != NULL)
        status = sot_ledger_commit_kept(session->ledger, &session->reservation,
                                        output_hash, &mark, error);
    if (status == SOTTO_OK) status = place(keeper, &mark, error);
    sot_wipe(mark.seal_key, sizeof mark.seal_key);
    return status;
}

void sot_keeper_remove(sot_keeper *keeper)
{
    sot_pair_remove(keeper->pair, SOT_PAIR_STAGED);
    sot_pair_remove(keeper->pair, SOT_PAIR_PLACED);
}

sotto_status sot_keeper_check_names(const char *output, const char *const *files,
                                    size_t count, sotto_error *error)
{
    char *path = NULL;
    sotto_status status = name_checkpoint(output, &path, error);
    if (status != SOTTO_OK) return status;
    const size_t length = strlen(path);
    for (size_t i = 0; i < count && status == SOTTO_OK; i++) {
        if (files[i] == NULL || strncmp(files[i], path, length) != 0) continue;
        if (files[i][length] != '\0' && strcmp(files[i] + length, ".next") != 0) continue;
        status = sot_fail(error, SOTTO_INVALID_ARGUMENT,
                          "the checkpoint of the output %.90s would replace %.90s; give "
                          "the output another name",
                          output, files[i]);
    }
    sot_free(path);
    return status;
}
