/* The commands that follow from the proposals, ready for a shell. */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "commands/start/parts.h"
#include "numeric/shown.h"

static const char unquoted[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                               "0123456789_./,:=+@%-";

/* Adds a blank and the word, quoted for sh where it must be. */
static void add_word(sot_growing *line, const char *word)
{
    sot_growing_text(line, " ");
    if (*word != '\0' && word[strspn(word, unquoted)] == '\0') {
        sot_growing_text(line, word);
        return;
    }
    sot_growing_text(line, "'");
    for (const char *at = word; *at != '\0'; at++) {
        if (*at == '\'') {
            sot_growing_text(line, "'\\''");
        } else {
            sot_growing_add(line, at, 1);
        }
    }
    sot_growing_text(line, "'");
}

/* A path that begins with a dash would be an option. */
static void add_path(sot_growing *line, const char *path)
{
    sot_growing whole = {0};
    if (path[0] == '-') sot_growing_text(&whole, "./");
    sot_growing_text(&whole, path);
    if (whole.failed) {
        line->failed = true;
    } else {
        add_word(line, whole.text);
    }
    sot_free(whole.text);
}

static void add_option(sot_growing *line, const char *option, const char *value)
{
    sot_growing_format(line, " --%s", option);
    add_word(line, value);
}

static void add_budget(const sot_start *start, sot_growing *line, double epsilon,
                       double delta)
{
    char shown[SOT_SHOWN_BYTES];
    add_option(line, "epsilon", sot_shown_whole(epsilon, shown));
    if (delta > 0.0) add_option(line, "delta", sot_shown_whole(delta, shown));
    if (start->config.adjacency == SOTTO_REPLACE_ONE)
        add_option(line, "adjacency", "replace-one");
}

static sot_growing *next_command(sot_start *start, const char *words)
{
    sot_growing *line = &start->commands[start->command_count++];
    sot_growing_text(line, words);
    return line;
}

static void write_check(sot_start *start)
{
    sot_growing *line = next_command(start, "sotto schema check");
    add_path(line, start->schema_path);
    add_path(line, start->config.draft.path);
}

static void write_ledger(sot_start *start)
{
    const sotto_draft_config *draft = &start->config.draft;
    sot_growing *line = next_command(start, "sotto ledger init");
    char rows[24];
    add_path(line, start->ledger_path);
    add_option(line, "dataset", start->dataset);
    add_budget(start, line, start->config.epsilon, start->config.delta);
    if (draft->unit == NULL) return;
    add_option(line, "unit", draft->unit);
    (void)snprintf(rows, sizeof rows, "%llu", (unsigned long long)draft->unit_rows);
    add_option(line, "unit-rows", rows);
}

static void add_training(const sot_start *start, sot_growing *line)
{
    char rows[24];
    add_option(line, "schema", start->schema_path);
    add_option(line, "model", start->model);
    add_budget(start, line, start->run_epsilon, start->run_delta);
    if (start->config.expected_rows == 0) return;
    (void)snprintf(rows, sizeof rows, "%llu",
                   (unsigned long long)start->config.expected_rows);
    add_option(line, "expected-rows", rows);
}

void sot_start_write_commands(sot_start *start)
{
    const char *data = start->config.draft.path;
    write_check(start);
    write_ledger(start);
    sot_growing *line;
    if (start->model == NULL) {
        line = next_command(start, "sotto release count");
        add_path(line, data);
        add_option(line, "schema", start->schema_path);
        add_budget(start, line, start->run_epsilon, 0.0);
        add_option(line, "output", start->model_path);
    } else {
        add_training(start, next_command(start, "sotto plan"));
        line = next_command(start, "sotto train");
        add_path(line, data);
        add_training(start, line);
        add_option(line, "output", start->model_path);
    }
    add_path(next_command(start, "sotto verify"), start->model_path);
    if (start->model == NULL) return;
    line = next_command(start, "sotto report");
    add_path(line, start->model_path);
    add_option(line, "output", start->report_path);
}

/* ---- members to fill in ---- */

const char *sot_start_null_member(const sotto_json_value *object, size_t index)
{
    for (size_t i = 0; i < sotto_json_size(object); i++) {
        const sotto_json_value *member = sotto_json_item(object, i);
        if (sotto_json_kind_of(member) == SOTTO_JSON_NULL && index-- == 0)
            return sotto_json_key_of(member);
    }
    return NULL;
}

size_t sot_start_count_unfilled(const sot_start *start)
{
    size_t count = 0;
    for (size_t i = 0; i < sotto_json_size(start->columns); i++)
        if (sot_start_null_member(sotto_json_item(start->columns, i), 0) != NULL) count++;
    return count;
}
