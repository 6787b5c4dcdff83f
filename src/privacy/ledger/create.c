/* The first row of a ledger: data set, relation of neighbours, budget, members, curator. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <sodium.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/sized.h"
#include "numeric/outward.h"
#include "privacy/ledger/replay.h"
#include "privacy/ledger/store.h"
#include "random/entropy.h"

void sotto_ledger_set_defaults(sotto_ledger_config *out_config, size_t size_bytes)
{
    const sotto_ledger_config defaults = {.adjacency = SOTTO_ADJACENCY_UNSET,
                                          .epsilon = SOTTO_UNSET,
                                          .delta = SOTTO_UNSET,
                                          .own_delta = SOTTO_UNSET,
                                          .order = SOTTO_UNSET,
                                          .rho = SOTTO_UNSET};
    sot_sized_give(SOT_SIZED(ledger), &defaults, out_config, size_bytes, 0);
}

static const double default_own_share = 0.1;

static sotto_status check_relation(const sotto_ledger_config *config, sotto_error *error)
{
    if (config->adjacency != SOTTO_ADD_REMOVE && config->adjacency != SOTTO_REPLACE_ONE) {
        return sot_fail(
            error, SOTTO_INVALID_ARGUMENT,
            "the ledger's adjacency is not set; give add-remove or replace-one");
    }
    if (config->unit == NULL && config->unit_rows == 0) return SOTTO_OK;
    if (config->unit == NULL) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "`unit_rows` is %llu, but the ledger's unit is a row; name the "
                        "id column too, for example `unit=person`",
                        (unsigned long long)config->unit_rows);
    }
    /* A plan takes the same units. */
    sotto_plan *plan = NULL;
    sotto_status status = sotto_plan_new(config->adjacency, &plan, error);
    if (status == SOTTO_OK)
        status = sotto_plan_set_unit(plan, config->unit, config->unit_rows, error);
    sotto_plan_free(plan);
    return status;
}

static sotto_status check_kind(const sotto_ledger_config *config, sotto_error *error)
{
    if (config->filter != SOTTO_LEDGER_GENERAL &&
        config->filter != SOTTO_LEDGER_GAUSSIAN) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "the filter is %d; give SOTTO_LEDGER_GENERAL or "
                        "SOTTO_LEDGER_GAUSSIAN",
                        (int)config->filter);
    }
    const bool is_zcdp = !isnan(config->rho);
    if (is_zcdp && (!isnan(config->epsilon) || !isnan(config->delta))) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "`rho` is %g beside an epsilon or delta; a budget is one of zCDP "
                        "or one of epsilon and delta: leave one of them out",
                        config->rho);
    }
    if (config->filter == SOTTO_LEDGER_GAUSSIAN && (is_zcdp || config->delta == 0.0)) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "`filter` is gaussian, which needs a budget with a delta; give "
                        "`delta=1e-6`, or leave `filter` out");
    }
    return SOTTO_OK;
}

static sotto_status make_nonce(char out[SOTTO_HASH_HEX_BYTES], sotto_error *error)
{
    unsigned char bytes[32];
    const sotto_status status = sot_entropy(bytes, sizeof bytes, error);
    if (status == SOTTO_OK)
        (void)sodium_bin2hex(out, SOTTO_HASH_HEX_BYTES, bytes, sizeof bytes);
    return status;
}

static sotto_status first_entry(const sotto_ledger_config *config, sot_entry *out_entry,
                                sotto_error *error)
{
    sotto_status status = sot_entry_check_dataset(config->dataset, error);
    if (status == SOTTO_OK) status = check_relation(config, error);
    if (status == SOTTO_OK) status = check_kind(config, error);
    if (status != SOTTO_OK) return status;
    const bool is_zcdp = !isnan(config->rho);
    *out_entry = sot_entry_new(SOTTO_LEDGER_INIT);
    out_entry->row = 1;
    out_entry->time_seconds = (int64_t)time(NULL);
    out_entry->adjacency = config->adjacency;
    out_entry->unit_rows = config->unit_rows;
    out_entry->budget = (sot_budget){.epsilon = is_zcdp ? 0.0 : config->epsilon,
                                     .delta = is_zcdp ? 0.0 : config->delta,
                                     .own_delta = config->own_delta,
                                     .rho = config->rho};
    if (isnan(config->own_delta))
        out_entry->budget.own_delta =
            sot_mul_down(out_entry->budget.delta, default_own_share);
    const sot_state empty = sot_state_new();
    memcpy(out_entry->dataset, config->dataset, sizeof out_entry->dataset);
    memcpy(out_entry->previous, empty.head, sizeof empty.head);
    if (config->unit != NULL)
        (void)snprintf(out_entry->unit, sizeof out_entry->unit, "%s", config->unit);
    if (config->curator != NULL)
        (void)snprintf(out_entry->curator, sizeof out_entry->curator, "%s",
                       sotto_key_public(config->curator));
    sot_members_choose(&out_entry->budget, config->filter, config->order,
                       &out_entry->members);
    status = sot_state_price(&empty, out_entry, error);
    return status == SOTTO_OK ? make_nonce(out_entry->nonce, error) : status;
}

sotto_status sotto_ledger_init(const char *path, const sotto_ledger_config *config,
                               sotto_error *error)
{
    sot_entry entry;
    char *line = NULL;
    size_t size_bytes;
    sotto_ledger_config own;
    sotto_status status = SOT_TAKE(ledger, config, &own, error);
    if (status == SOTTO_OK) status = first_entry(&own, &entry, error);
    if (status == SOTTO_OK)
        status = sot_entry_write(&entry, NULL, own.curator, &line, &size_bytes, error);
    if (status == SOTTO_OK) status = sot_store_create(path, line, size_bytes, error);
    sot_free(line);
    return status;
}
