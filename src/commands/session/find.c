/* Finds the file from which a run resumes: the order of checkpoints, read backwards. */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "commands/session/keeper.h"
#include "privacy/ledger/kept.h"

enum { SHOWN_BYTES = 90 };

/* ---- refusals ---- */

static sotto_status refuse(const sot_keeper *keeper, const char *reason,
                           sotto_error *error)
{
    char shown[SHOWN_BYTES];
    return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                    "%s %.110s delete it to start a new run%s",
                    sot_printable(keeper->path, shown, sizeof shown), reason,
                    keeper->session->ledger != NULL ? ", which is charged" : "");
}

static sotto_status check_identity(const sot_keeper *keeper,
                                   const sot_kept_identity *kept, sotto_error *error)
{
    const sot_kept_identity *mine = &keeper->session->identity;
    char reason[120];
    if (strcmp(kept->version, mine->version) != 0) {
        (void)snprintf(reason, sizeof reason, "is of sotto %s, and this is %s;",
                       kept->version, mine->version);
        return refuse(keeper, reason, error);
    }
    const char *other = strcmp(kept->settings, mine->settings) != 0 ? "other settings"
                        : strcmp(kept->schema, mine->schema) != 0
                            ? "other columns or bounds (the schema)"
                        : strcmp(kept->data, mine->data) != 0
                            ? "other data (file, format, table, condition or query)"
                        : strcmp(kept->output, mine->output) != 0 ? "another output"
                                                                  : NULL;
    if (other == NULL) return SOTTO_OK;
    (void)snprintf(reason, sizeof reason,
                   "is of a run with %s: give the same to resume it, or", other);
    return refuse(keeper, reason, error);
}

/* ---- existing files ---- */

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

/* True if the staged file counts more than the placed one. With a ledger: the one in the run's
 * last row. Without: the later one, so that a run resumes from a state that may have been seen
 * and does not make it again. */
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

/* Refuses the placed file, which cannot be resumed. */
static sotto_status refuse_placed(const sot_keeper *keeper, const candidate *placed,
                                  sotto_error *error)
{
    char reason[120];
    if (!placed->parsed) return refuse(keeper, "is damaged, or no checkpoint;", error);
    const sotto_status status = check_identity(keeper, &placed->file.identity, error);
    if (status != SOTTO_OK) return status;
    if (keeper->session->ledger == NULL)
        return refuse(keeper, "is sealed and needs the ledger it was made with;", error);
    if (placed->run.place == SOT_KEPT_OLDER) {
        (void)snprintf(reason, sizeof reason,
                       "is older than the last checkpoint recorded in ledger row %llu;",
                       (unsigned long long)placed->run.reservation.id);
        return refuse(keeper, reason, error);
    }
    return refuse(keeper, "is not in this ledger;", error);
}

static sotto_status check_run(const sot_keeper *keeper, const candidate *c,
                              sotto_error *error)
{
    const sot_kept_run *run = &c->run;
    const sotto_plan *plan = keeper->session->plan;
    bool fits = c->file.events == sotto_plan_size(plan);
    for (size_t i = 0; fits && i < c->file.events; i++)
        fits = c->file.released[i] <= sotto_plan_event(plan, i)->count;
    if (!fits) return refuse(keeper, "is of a run with another plan;", error);
    if (keeper->session->ledger == NULL) return SOTTO_OK;
    if (!run->same_plan || strcmp(run->label, keeper->session->label) != 0)
        return refuse(keeper, "is of a run with another plan in the ledger;", error);
    if ((c->file.kind == SOT_KEPT_OUTPUT) != run->committed)
        return refuse(keeper, "is of a run whose output the ledger has already;", error);
    if (c->file.kind == SOT_KEPT_STATE && c->file.step != run->step)
        return refuse(keeper, "has another step than the ledger;", error);
    return SOTTO_OK;
}

/* Resumes the run from `c`. */
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

/* Removes a staged file that does not count: it was truncated by a crash, or never recorded. Any
 * other file of that name is not removed. */
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

sotto_status sot_keeper_look(sot_keeper *keeper, sotto_error *error)
{
    candidate staged = {.bytes = NULL}, placed = {.bytes = NULL};
    sotto_status status = load(keeper, SOT_PAIR_STAGED, &staged, error);
    if (status == SOTTO_OK) status = load(keeper, SOT_PAIR_PLACED, &placed, error);
    if (status == SOTTO_OK) status = find_out(keeper, &staged, &placed, error);
    free_candidate(&staged);
    free_candidate(&placed);
    return status;
}
