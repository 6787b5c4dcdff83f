#include "commands/verify/ledger.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include <sotto/key.h>
#include <sotto/ledger.h>

#include "base/error.h"
#include "base/file/file.h"
#include "base/memory.h"
#include "privacy/ledger/paid.h"

enum { EXPORT_BYTES_MAX = 1 << 30 };

/* ---- reading ---- */

/* An export begins with a brace, a ledger with SQLite's name. */
static sotto_status find_paid(const char *path, uint64_t row, const char *hash,
                              sot_paid_run *out_run, sotto_error *error)
{
    char *text = NULL;
    size_t size_bytes = 0;
    sotto_ledger *ledger = NULL;
    *out_run = (sot_paid_run){.plan = NULL};
    sotto_status status =
        sot_file_read(path, EXPORT_BYTES_MAX, &text, &size_bytes, error);
    if (status != SOTTO_OK) return status;
    if (size_bytes > 0 && text[0] == '{') {
        status = sot_ledger_find_paid_export(text, size_bytes, row, hash, out_run, error);
    } else {
        status = sotto_ledger_open(path, &ledger, error);
        if (status == SOTTO_OK)
            status = sot_ledger_find_paid(ledger, row, hash, out_run, error);
        sotto_ledger_close(ledger);
    }
    sot_free(text);
    return status;
}

/* ---- the relation and the commit ---- */

static const char *unit_name(const char *column)
{
    return column[0] == '\0' ? "a row" : column;
}

static sotto_status check_relation(const sotto_ledger_balance *balance,
                                   const sotto_ledger_balance *stated, const char *path,
                                   sotto_error *error)
{
    if (strcmp(balance->dataset, stated->dataset) != 0)
        return sot_fail(
            error, SOTTO_VERIFICATION,
            "the ledger %.80s is of the data set '%.60s', the file of '%.60s'", path,
            balance->dataset, stated->dataset);
    if (balance->adjacency != stated->adjacency)
        return sot_fail(error, SOTTO_VERIFICATION,
                        "the ledger %.80s is for %s neighbours, the file for %s", path,
                        sotto_adjacency_name(balance->adjacency),
                        sotto_adjacency_name(stated->adjacency));
    if (strcmp(balance->unit, stated->unit) != 0)
        return sot_fail(error, SOTTO_VERIFICATION,
                        "the unit of the ledger %.80s is %.60s, that of the file's "
                        "ledger %.60s",
                        path, unit_name(balance->unit), unit_name(stated->unit));
    return SOTTO_OK;
}

static sotto_status check_commit(const sot_paid_run *run, uint64_t stated,
                                 const char *hash, const char *path, sotto_error *error)
{
    if (run->committed_for == 0)
        return sot_fail(error, SOTTO_VERIFICATION,
                        "the ledger %.80s has not committed this file (hash %.64s)", path,
                        hash);
    if (run->committed_for == stated && run->plan != NULL) return SOTTO_OK;
    return sot_fail(error, SOTTO_VERIFICATION,
                    "the ledger %.80s committed this file for row %llu, not for the "
                    "stated %llu",
                    path, (unsigned long long)run->committed_for,
                    (unsigned long long)stated);
}

/* ---- the row ---- */

/* A run of sotto's own states its source of the noise; rows of other programs and older rows need not. */
static bool is_real_noise(const sot_certificate_file *file, const char *noise)
{
    if (strcmp(noise, "operating system") == 0) return true;
    const bool may_omit =
        file->certificate.version < 2 || sot_certificate_is_application(file);
    return may_omit && (noise[0] == '\0' || strcmp(noise, "not stated") == 0);
}

static sotto_status check_charge(const sot_certificate_file *file,
                                 const sot_paid_run *run, sotto_error *error)
{
    bool same = false;
    const unsigned long long row = (unsigned long long)run->reservation.id;
    const sotto_status status =
        sot_plans_compare(run->plan, file->certificate.plan, &same, error);
    if (status != SOTTO_OK) return status;
    if (!same)
        return sot_fail(error, SOTTO_VERIFICATION,
                        "row %llu of the ledger paid for another plan than "
                        "certificate.plan",
                        row);
    if (is_real_noise(file, run->noise)) return SOTTO_OK;
    return sot_fail(error, SOTTO_VERIFICATION,
                    "row %llu of the ledger states the noise source '%.60s', not the "
                    "operating system",
                    row, run->noise);
}

static sotto_status check_text(const char *member, const char *stated, const char *found,
                               uint64_t row, sotto_error *error)
{
    if (strcmp(stated, found) == 0) return SOTTO_OK;
    return sot_fail(
        error, SOTTO_VERIFICATION,
        "certificate.ledger.%s states %.16s, row %llu of the ledger has %.16s", member,
        stated[0] != '\0' ? stated : "nothing", (unsigned long long)row,
        found[0] != '\0' ? found : "nothing");
}

typedef struct amount {
    const char *member;
    double stated, found;
} amount;

/* Sampler errors involve exp, which another C library may round otherwise; certificates write no infinite numbers. */
static bool is_same(double stated, double found)
{
    if (!isfinite(stated) || !isfinite(found)) return isfinite(stated) == isfinite(found);
    return fabs(stated - found) <= 1e-9 * fmax(fabs(stated), fabs(found)) + 0x1p-60;
}

static sotto_status check_amounts(const amount *amounts, size_t count, uint64_t row,
                                  sotto_error *error)
{
    for (size_t i = 0; i < count; i++) {
        if (is_same(amounts[i].stated, amounts[i].found)) continue;
        return sot_fail(error, SOTTO_VERIFICATION,
                        "certificate.ledger.%s states %.10g, row %llu of the ledger "
                        "has %.10g",
                        amounts[i].member, amounts[i].stated, (unsigned long long)row,
                        amounts[i].found);
    }
    return SOTTO_OK;
}

/* Amounts that rows of both formats have. */
static sotto_status check_sums(const sotto_reservation *stated,
                               const sotto_reservation *found, sotto_error *error)
{
    const sotto_ledger_balance *before = &stated->before, *after = &stated->after;
    const amount amounts[] = {
        {"epsilon", after->epsilon, found->after.epsilon},
        {"delta", after->delta, found->after.delta},
        {"charged", stated->charged, found->charged},
        {"before.budget", before->budget, found->before.budget},
        {"before.spent", before->spent, found->before.spent},
        {"before.left", before->left, found->before.left},
        {"before.entries", (double)before->entries, (double)found->before.entries},
        {"after.budget", after->budget, found->after.budget},
        {"after.spent", after->spent, found->after.spent},
        {"after.left", after->left, found->after.left},
        {"after.entries", (double)after->entries, (double)found->after.entries},
    };
    return check_amounts(amounts, sizeof amounts / sizeof amounts[0], found->id, error);
}

static sotto_status check_deltas(const sotto_reservation *stated,
                                 const sotto_reservation *found, sotto_error *error)
{
    const sotto_ledger_balance *before = &stated->before, *after = &stated->after;
    const sotto_ledger_balance *was = &found->before, *is = &found->after;
    const amount amounts[] = {
        {"order", after->order, is->order},
        {"rho", after->rho, is->rho},
        {"unit_rows", (double)after->unit_rows, (double)is->unit_rows},
        {"delta_charged", stated->delta_charged, found->delta_charged},
        {"before.delta_budget", before->delta_budget, was->delta_budget},
        {"before.delta_spent", before->delta_spent, was->delta_spent},
        {"before.delta_left", before->delta_left, was->delta_left},
        {"before.epsilon_spent", before->epsilon_spent_upper, was->epsilon_spent_upper},
        {"after.delta_budget", after->delta_budget, is->delta_budget},
        {"after.delta_spent", after->delta_spent, is->delta_spent},
        {"after.delta_left", after->delta_left, is->delta_left},
        {"after.epsilon_spent", after->epsilon_spent_upper, is->epsilon_spent_upper},
        {"members", (double)after->member_count, (double)is->member_count},
        {"member", (double)after->member, (double)is->member},
    };
    return check_amounts(amounts, sizeof amounts / sizeof amounts[0], found->id, error);
}

static sotto_status check_members(const sotto_reservation *stated,
                                  const sotto_reservation *found, sotto_error *error)
{
    sotto_status status = SOTTO_OK;
    for (size_t i = 0; i < found->after.member_count && status == SOTTO_OK; i++) {
        const sotto_ledger_member *a = &stated->after.members[i];
        const sotto_ledger_member *b = &found->after.members[i];
        const amount amounts[] = {
            {"members.kind", (double)a->kind, (double)b->kind},
            {"members.order", a->order, b->order},
            {"members.delta", a->delta, b->delta},
            {"members.budget", a->budget, b->budget},
            {"members.spent", a->spent, b->spent},
            {"members.left", a->left, b->left},
            {"members.covers", (double)a->covers, (double)b->covers},
        };
        status =
            check_amounts(amounts, sizeof amounts / sizeof amounts[0], found->id, error);
    }
    return status;
}

/* Other software may search for the room otherwise. */
static sotto_status check_room(const sot_certificate_file *file,
                               const sotto_reservation *found, sotto_error *error)
{
    bool exact = false;
    const sotto_status status = sot_certificate_file_is_exact(file, &exact, error);
    if (status != SOTTO_OK || !exact) return status;
    const sotto_ledger_room *a = &file->certificate.facts.ledger->after.room;
    const sotto_ledger_room *b = &found->after.room;
    const amount amounts[] = {
        {"may_still_run_one_of.pure_epsilon", a->pure_epsilon, b->pure_epsilon},
        {"may_still_run_one_of.gaussian_noise_multiplier", a->gaussian_noise,
         b->gaussian_noise},
        {"may_still_run_one_of.gaussian_epsilon", a->gaussian_epsilon,
         b->gaussian_epsilon},
        {"may_still_run_one_of.gaussian_delta", a->gaussian_delta, b->gaussian_delta},
        {"may_still_run_one_of.certified_epsilon", a->certified_epsilon,
         b->certified_epsilon},
        {"may_still_run_one_of.certified_delta", a->certified_delta, b->certified_delta},
    };
    return check_amounts(amounts, sizeof amounts / sizeof amounts[0], found->id, error);
}

/* The hash of the row covers all rows up to it; the rest of the section must equal their
 * sums. */
static sotto_status check_section(const sot_certificate_file *file,
                                  const sot_paid_run *run, sotto_error *error)
{
    const sotto_reservation *stated = file->certificate.facts.ledger;
    const sotto_reservation *found = &run->reservation;
    sotto_status status = check_text("curator", stated->after.curator,
                                     found->after.curator, found->id, error);
    if (status == SOTTO_OK)
        status = check_text("before.head", stated->before.head, found->before.head,
                            found->id - 1, error);
    if (status == SOTTO_OK)
        status = check_text("after.head", stated->after.head, found->after.head,
                            found->id, error);
    if (status == SOTTO_OK) status = check_sums(stated, found, error);
    if (status != SOTTO_OK || run->is_older) return status;
    status = check_deltas(stated, found, error);
    if (status == SOTTO_OK) status = check_members(stated, found, error);
    return status == SOTTO_OK ? check_room(file, found, error) : status;
}

/* ---- the whole check ---- */

static sotto_status check_curator(const sotto_verify_config *config, const char *curator,
                                  sotto_error *error)
{
    char wanted[SOTTO_KEY_HEX_BYTES];
    if (config->curator == NULL) return SOTTO_OK;
    const sotto_status status = sot_fail_of(
        error, sotto_key_read_public(config->curator, wanted, error), "curator");
    if (status != SOTTO_OK) return status;
    if (curator[0] == '\0')
        return sot_fail(error, SOTTO_VERIFICATION,
                        "the ledger %.80s has no curator's key; `curator` expects the "
                        "key ed25519:%.16s...",
                        config->ledger, wanted);
    if (strcmp(curator, wanted) == 0) return SOTTO_OK;
    return sot_fail(error, SOTTO_VERIFICATION,
                    "the curator of the ledger %.80s is ed25519:%.16s..., not the "
                    "expected ed25519:%.16s...",
                    config->ledger, curator, wanted);
}

sotto_status sot_verify_ledger(const sot_certificate_file *file,
                               const sotto_verify_config *config,
                               char out_curator[SOTTO_KEY_HEX_BYTES], sotto_error *error)
{
    const sotto_reservation *stated = file->certificate.facts.ledger;
    const char *path = config->ledger;
    sot_paid_run run;
    out_curator[0] = '\0';
    if (path == NULL && config->curator != NULL)
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "`curator` is the key of a ledger; add the ledger or its export, "
                        "for example `ledger=budget.ledger`");
    if (path == NULL) return SOTTO_OK;
    if (stated == NULL)
        return sot_fail(error, SOTTO_VERIFICATION,
                        "the certificate states no ledger, so that `ledger`, %.120s, did "
                        "not pay for this file; leave `ledger` out",
                        path);
    sotto_status status = find_paid(path, stated->id, file->hash, &run, error);
    if (status != SOTTO_OK) return status;
    status = check_relation(&run.last, &stated->after, path, error);
    if (status == SOTTO_OK)
        status = check_commit(&run, stated->id, file->hash, path, error);
    if (status == SOTTO_OK) status = check_charge(file, &run, error);
    if (status == SOTTO_OK) status = check_section(file, &run, error);
    if (status == SOTTO_OK) status = check_curator(config, run.last.curator, error);
    if (status == SOTTO_OK)
        (void)snprintf(out_curator, SOTTO_KEY_HEX_BYTES, "%s", run.last.curator);
    sot_paid_run_clear(&run);
    return status;
}
