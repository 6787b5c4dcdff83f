/* The proposals as JSON and as text. */
#include <math.h>
#include <string.h>

#include <sotto/accountant.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "commands/start/parts.h"
#include "numeric/shown.h"

/* ---- JSON ---- */

static void put_columns(const sot_start *start, sotto_json_writer *json)
{
    sotto_json_array(json, "columns");
    for (size_t i = 0; i < sotto_json_size(start->columns); i++) {
        const sotto_json_value *column = sotto_json_item(start->columns, i);
        sotto_json_object(json, NULL);
        sotto_json_copy(json, "name", sotto_json_member(column, "name"));
        sotto_json_copy(json, "type", sotto_json_member(column, "type"));
        sotto_json_array(json, "fill_in");
        for (size_t k = 0; sot_start_null_member(column, k) != NULL; k++)
            sotto_json_text(json, NULL, sot_start_null_member(column, k));
        sotto_json_end(json);
        sotto_json_end(json);
    }
    sotto_json_end(json);
}

static void put_unit(const sot_start *start, sotto_json_writer *json)
{
    const sotto_draft_config *draft = &start->config.draft;
    if (draft->unit == NULL) {
        sotto_json_null(json, "unit");
        return;
    }
    sotto_json_object(json, "unit");
    sotto_json_text(json, "column", draft->unit);
    sotto_json_count(json, "rows", draft->unit_rows);
    sotto_json_end(json);
}

static void put_pair(sotto_json_writer *json, const char *key, double epsilon,
                     double delta)
{
    sotto_json_object(json, key);
    sotto_json_number(json, "epsilon", epsilon);
    sotto_json_number(json, "delta", delta);
    sotto_json_end(json);
}

static void put_attack(const sot_start *start, sotto_json_writer *json)
{
    sotto_json_array(json, "attack");
    for (size_t i = 0; i < start->epsilon_count; i++) {
        for (size_t k = 0; k < SOT_START_RATES; k++) {
            const double epsilon = start->epsilons[i], rate = sot_start_rates[k];
            sotto_json_object(json, NULL);
            sotto_json_number(json, "epsilon", epsilon);
            sotto_json_number(json, "false_positive_rate", rate);
            sotto_json_number(json, "true_positive_rate_upper",
                              sot_start_attack(start, epsilon, rate));
            sotto_json_end(json);
        }
    }
    sotto_json_end(json);
}

sotto_status sot_start_write_json(const sot_start *start, char **out_json,
                                  sotto_error *error)
{
    sotto_json_writer *json = sotto_json_new();
    const sotto_start_config *config = &start->config;
    const char *text = NULL;
    sotto_json_text(json, "data", config->draft.path);
    sotto_json_flag(json, "rows_read", !config->draft.header_only);
    sotto_json_text(json, "dataset", start->dataset);
    sotto_json_text(json, "schema_path", start->schema_path);
    sotto_json_embed(json, "schema", start->schema);
    put_columns(start, json);
    sotto_json_count(json, "to_fill_in", sot_start_count_unfilled(start));
    sotto_json_text(json, "target", config->draft.target);
    sotto_json_text(json, "model", start->model);
    put_unit(start, json);
    sotto_json_text(json, "adjacency", sotto_adjacency_name(config->adjacency));
    put_pair(json, "budget", config->epsilon, config->delta);
    put_pair(json, "first_run", start->run_epsilon, start->run_delta);
    put_attack(start, json);
    sotto_json_text(json, "notes", start->notes);
    sotto_json_array(json, "commands");
    for (size_t i = 0; i < start->command_count; i++)
        sotto_json_text(json, NULL, start->commands[i].text);
    sotto_json_end(json);
    const sotto_status status = sotto_json_finish(json, &text, error);
    if (status == SOTTO_OK) *out_json = sot_copy_string(text);
    sotto_json_writer_free(json);
    if (status == SOTTO_OK && *out_json == NULL) return sot_fail_memory(error, 1, 1);
    return status;
}

/* ---- text ---- */

#define LINE "%-16s  "

static void add_types(const sot_start *start, sot_growing *out)
{
    static const char *const types[] = {"number",  "integer", "category",
                                        "boolean", "id",      "ignore"};
    for (size_t t = 0; t < sizeof types / sizeof types[0]; t++) {
        size_t count = 0;
        char shown[64];
        for (size_t i = 0; i < sotto_json_size(start->columns); i++) {
            const sotto_json_value *column = sotto_json_item(start->columns, i);
            const char *type = sotto_json_as_text(sotto_json_member(column, "type"));
            const char *name = sotto_json_as_text(sotto_json_member(column, "name"));
            if (type == NULL || name == NULL || strcmp(type, types[t]) != 0) continue;
            if (count++ == 0) sot_growing_format(out, "  %-10s", types[t]);
            sot_growing_format(out, "%s%s", count == 1 ? "" : ", ",
                               sot_printable(name, shown, sizeof shown));
        }
        if (count > 0) sot_growing_text(out, "\n");
    }
}

static void add_unit(const sot_start *start, sot_growing *out)
{
    const sotto_draft_config *draft = &start->config.draft;
    char shown[64];
    if (draft->unit == NULL) {
        sot_growing_format(out,
                           LINE "a row (no person has more than one; otherwise give "
                                "--unit COLUMN)\n",
                           "unit");
        return;
    }
    sot_growing_format(out, LINE "a person, by the column %s: %llu %s of each %s kept\n",
                       "unit", sot_printable(draft->unit, shown, sizeof shown),
                       (unsigned long long)draft->unit_rows,
                       draft->unit_rows == 1 ? "row" : "rows",
                       draft->unit_rows == 1 ? "is" : "are");
    if (start->unit_is_guess)
        sot_growing_format(out,
                           LINE "(from its name; --unit-rows K keeps more rows, "
                                "--unit-is-row declares one row per person)\n",
                           "");
}

static void add_budget(const sot_start *start, sot_growing *out)
{
    const sotto_start_config *config = &start->config;
    char epsilon[SOT_SHOWN_BYTES], delta[SOT_SHOWN_BYTES];
    sot_growing_format(
        out, LINE "%s\n", "adjacency",
        config->adjacency == SOTTO_REPLACE_ONE
            ? "replace-one: one record exchanged, the number of rows is public"
            : "add-remove: one record more or less, the number of rows is secret");
    sot_growing_format(out,
                       LINE "epsilon %s at delta %s, for all releases from this data "
                            "together\n",
                       "budget", sot_shown_whole(config->epsilon, epsilon),
                       sot_shown_whole(config->delta, delta));
    sot_growing_format(out, LINE "epsilon %s at delta %s: half of the budget\n",
                       start->model == NULL ? "first release" : "first model",
                       sot_shown_whole(start->run_epsilon, epsilon),
                       sot_shown_whole(start->run_delta, delta));
}

/* The width of a cell of the attack table: lines have no blanks at their ends. */
static int width_of(size_t place)
{
    return place + 1 < SOT_START_RATES ? 10 : 0;
}

static void add_attack(const sot_start *start, sot_growing *out)
{
    char shown[SOT_SHOWN_BYTES];
    const bool replace = start->config.adjacency == SOTTO_REPLACE_ONE;
    sot_growing_format(out,
                       "\nLargest true positive rate of any attack that %s,\n"
                       "by the privacy loss and the attack's false positive rate:\n\n",
                       replace ? "tests a guess about one person's record"
                               : "tests whether one person is in the data");
    sot_growing_format(out, "%-12s", "epsilon");
    for (size_t k = 0; k < SOT_START_RATES; k++)
        sot_growing_format(out, "%-*s", width_of(k),
                           sot_shown_percent_whole(sot_start_rates[k], shown));
    sot_growing_format(out, "\n%-12s", "no release");
    for (size_t k = 0; k < SOT_START_RATES; k++)
        sot_growing_format(out, "%-*s", width_of(k),
                           sot_shown_percent_whole(sot_start_rates[k], shown));
    sot_growing_text(out, "\n");
    for (size_t i = 0; i < start->epsilon_count; i++) {
        const double epsilon = start->epsilons[i];
        const bool own = epsilon == start->config.epsilon;
        sot_growing_format(out, "%-12s", sot_shown_whole(epsilon, shown));
        for (size_t k = 0; k < SOT_START_RATES; k++) {
            const double rate = sot_start_attack(start, epsilon, sot_start_rates[k]);
            sot_growing_format(out, "%-*s", own ? 10 : width_of(k),
                               sot_shown_percent_up(rate, 3, shown));
        }
        sot_growing_text(out, own ? "<- this budget\n" : "\n");
    }
}

static void add_next(const sot_start *start, sot_growing *out)
{
    const size_t unfilled = sot_start_count_unfilled(start);
    char
        path[400]; /* one line: the rest of a name with a line break would be a command */
    (void)sot_printable(start->schema_path, path, sizeof path);
    sot_growing_text(out, "\nNext:\n");
    if (unfilled > 0) {
        sot_growing_format(out,
                           "# edit %s: fill in each line marked FILL IN (%zu), from "
                           "public knowledge only\n",
                           path, unfilled);
    } else {
        sot_growing_format(out, "# read %s and replace bounds that came from rows\n",
                           path);
    }
    for (size_t i = 0; i < start->command_count; i++) {
        if (start->commands[i].text != NULL)
            sot_growing_text(out, start->commands[i].text);
        sot_growing_text(out, "\n");
    }
}

sotto_status sot_start_write_text(const sot_start *start, char **out_text,
                                  sotto_error *error)
{
    const sotto_draft_config *draft = &start->config.draft;
    sot_growing out = {0};
    char shown[64];
    sot_growing_format(&out, LINE "%.400s: columns %zu, to fill in %zu\n", "schema",
                       start->schema_path, sotto_json_size(start->columns),
                       sot_start_count_unfilled(start));
    sot_growing_format(&out, LINE "%s\n", "rows",
                       draft->header_only
                           ? "not read: only the first line of the file was used"
                           : "read, because you declared them public; bounds come from "
                             "them");
    sot_growing_format(&out, LINE "%s\n", "target",
                       draft->target == NULL
                           ? "none (give --target COLUMN to train a model)"
                           : sot_printable(draft->target, shown, sizeof shown));
    if (start->model != NULL)
        sot_growing_format(&out, LINE "%s\n", "model", start->model);
    add_unit(start, &out);
    add_budget(start, &out);
    sot_growing_text(&out, "\nTypes; change a wrong one in the schema, or give --number, "
                           "--integer, --category, --boolean, --id or --leave-out:\n\n");
    add_types(start, &out);
    add_attack(start, &out);
    add_next(start, &out);
    return sot_growing_finish(&out, out_text, error);
}
