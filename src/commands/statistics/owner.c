/* Exact counts for the owner of the data. Nothing here is private, and nothing here is a release. */
#include <string.h>

#include <sotto/key.h>
#include <sotto/ledger.h>
#include <sotto/owner.h>

#include "base/error.h"
#include "base/json/writer.h"
#include "base/memory.h"
#include "base/text.h"
#include "commands/session/prose.h"
#include "data/owner/owner.h"

/* ---- who may look ---- */

/* Fails unless the secret key in the file is the curator's. */
static sotto_status check_key(const char *key_path, const char *curator,
                              sotto_error *error)
{
    char shown[100];
    sotto_key *key = NULL;
    if (key_path == NULL) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "the schema's ledger names the curator ed25519:%.16s..., and "
                        "only the curator may see exact counts; give the secret key, for "
                        "example `key=curator.key`",
                        curator);
    }
    sotto_status status = sotto_key_open(key_path, &key, error);
    if (status == SOTTO_OK && strcmp(sotto_key_public(key), curator) != 0)
        status = sot_fail(error, SOTTO_INVALID_ARGUMENT,
                          "`key` is %s, whose public half is not the curator's, "
                          "ed25519:%.16s...; give the curator's secret key",
                          sot_printable(key_path, shown, sizeof shown), curator);
    sotto_key_close(key);
    return status;
}

/* Decides who may see exact counts. A reader of the file could count by other means; a ledger
 * with a curator's key requires the curator's key. Fails closed: a ledger that cannot be read
 * allows nothing. */
static sotto_status owner_may_look(const sotto_schema *schema, const char *key_path,
                                   sotto_error *error)
{
    char shown[100];
    sotto_ledger_balance balance = {.curator = ""};
    const char *ledger_path = sotto_schema_ledger(schema);
    if (ledger_path != NULL) {
        sotto_ledger *ledger = NULL;
        sotto_status status = sotto_ledger_open(ledger_path, &ledger, error);
        if (status == SOTTO_OK)
            status = sotto_ledger_read_balance(ledger, &balance, error);
        sotto_ledger_close(ledger);
        if (status != SOTTO_OK) return status;
    }
    if (balance.curator[0] != '\0') return check_key(key_path, balance.curator, error);
    if (key_path == NULL) return SOTTO_OK;
    return sot_fail(error, SOTTO_INVALID_ARGUMENT, "`key` is %s, but %s; leave `key` out",
                    sot_printable(key_path, shown, sizeof shown),
                    ledger_path == NULL ? "the schema names no ledger"
                                        : "the schema's ledger names no curator's key");
}

/* ---- JSON ---- */

static void write_column(sot_json_writer *json, const sot_cell_counts *column)
{
    sot_json_begin_object(json);
    sot_json_put_text(json, "name", column->name);
    sot_json_put_whole(json, "defaults", column->defaults);
    if (column->has_bounds) {
        sot_json_put_whole(json, "below", column->below);
        sot_json_put_whole(json, "above", column->above);
    }
    sot_json_end_object(json);
}

static void write_counts(sot_json_writer *json, const sotto_schema *schema,
                         const sot_owner_counts *counts)
{
    sot_json_begin_object(json);
    sot_json_put_bool(json, "private", false);
    sot_json_put_whole(json, "rows", counts->rows);
    sot_json_open_array(json, "columns");
    for (size_t i = 0; i < counts->column_count; i++)
        write_column(json, &counts->columns[i]);
    sot_json_end_array(json);
    if (sotto_schema_is_matrix(schema))
        sot_json_put_whole(json, "not_read", counts->not_read);
    if (counts->has_labels)
        sot_json_put_whole(json, "labels_outside", counts->labels_outside);
    if (counts->has_unit) {
        sot_json_put_whole(json, "rows_over_cap", counts->rows_over_cap);
        sot_json_put_whole(json, "empty_ids", counts->empty_ids);
    }
    if (counts->has_norm) {
        sot_json_put_number(json, "norm_bound", counts->norm_bound);
        sot_json_put_whole(json, "rows_shortened", counts->rows_shortened);
    }
    sot_json_put_text(json, "source_after_a_change", SOTTO_SOURCE_ADJUSTED);
    sot_json_end_object(json);
}

static sotto_status make_json(const sotto_schema *schema, const sot_owner_counts *counts,
                              char **out_json, sotto_error *error)
{
    sot_json_writer *json = NULL;
    const sotto_status status = sot_json_writer_new(false, &json, error);
    if (status != SOTTO_OK) return status;
    write_counts(json, schema, counts);
    return sot_json_writer_take(json, SOTTO_OK, out_json, error);
}

/* ---- lines ---- */

static void say_column(sot_prose *prose, const sot_cell_counts *column, bool first)
{
    char name[80], low[SOT_SHOWN_BYTES], high[SOT_SHOWN_BYTES];
    const char *label = first ? "cells" : "";
    const unsigned long long defaults = (unsigned long long)column->defaults;
    sot_printable(column->name, name, sizeof name);
    if (!column->has_bounds) {
        sot_prose_line(prose, label, "%s: default %llu", name, defaults);
        return;
    }
    sot_prose_line(prose, label, "%s: default %llu, below %s: %llu, above %s: %llu", name,
                   defaults, sot_shown(column->lower, 0, low),
                   (unsigned long long)column->below, sot_shown(column->upper, 0, high),
                   (unsigned long long)column->above);
}

static sotto_status make_text(const sotto_schema *schema, const sot_owner_counts *counts,
                              char **out_text, sotto_error *error)
{
    sot_prose prose = {0};
    char bound[SOT_SHOWN_BYTES];
    sot_prose_line(&prose, "NOT PRIVATE",
                   "exact counts for the owner of the data; do not share them");
    sot_prose_line(&prose, "rows", "%llu", (unsigned long long)counts->rows);
    for (size_t i = 0; i < counts->column_count; i++)
        say_column(&prose, &counts->columns[i], i == 0);
    if (sotto_schema_is_matrix(schema))
        sot_prose_line(&prose, "", "malformed, repeated, or of no feature: %llu",
                       (unsigned long long)counts->not_read);
    if (counts->has_labels)
        sot_prose_line(&prose, "labels", "outside the label set: %llu",
                       (unsigned long long)counts->labels_outside);
    if (counts->has_unit) {
        sot_prose_line(&prose, "unit", "rows over the cap of %llu, dropped: %llu",
                       (unsigned long long)sotto_schema_unit_rows(schema),
                       (unsigned long long)counts->rows_over_cap);
        sot_prose_line(&prose, "", "empty ids, together one unit: %llu",
                       (unsigned long long)counts->empty_ids);
    }
    if (counts->has_norm)
        sot_prose_line(&prose, "norm", "rows longer than %s, shrunk to it: %llu",
                       sot_shown(counts->norm_bound, 0, bound),
                       (unsigned long long)counts->rows_shortened);
    sot_prose_line(&prose, "after a change",
                   "add \"source\": \"" SOTTO_SOURCE_ADJUSTED
                   "\" to the part of the schema that you change");
    return sot_prose_finish(&prose, out_text, error);
}

/* ---- the whole ---- */

sotto_status sotto_owner_check_rows(const sotto_schema *schema,
                                    const sotto_data_file *file, const char *target,
                                    const char *key_path, char **out_json,
                                    char **out_text, sotto_error *error)
{
    sot_owner_counts counts = {0};
    char *json = NULL;
    char *text = NULL;
    sotto_status status = owner_may_look(schema, key_path, error);
    if (status == SOTTO_OK)
        status = sot_owner_count(schema, file, target, &counts, error);
    if (status == SOTTO_OK && out_json != NULL)
        status = make_json(schema, &counts, &json, error);
    if (status == SOTTO_OK && out_text != NULL)
        status = make_text(schema, &counts, &text, error);
    sot_owner_clear(&counts);
    if (status != SOTTO_OK) {
        sot_free(json);
        sot_free(text);
        return status;
    }
    if (out_json != NULL) *out_json = json;
    if (out_text != NULL) *out_text = text;
    return SOTTO_OK;
}
