#include <math.h>
#include <stdio.h>
#include <time.h>

#include "ledger.h"

static const char *kind_name(sotto_ledger_kind kind)
{
    switch (kind) {
    case SOTTO_LEDGER_INIT:
        return "init";
    case SOTTO_LEDGER_GRANT:
        return "grant";
    case SOTTO_LEDGER_RESERVE:
        return "reserve";
    case SOTTO_LEDGER_COMMIT:
        return "commit";
    case SOTTO_LEDGER_CHECKPOINT:
        return "checkpoint";
    }
    return "unknown";
}

/* --- JSON --- */

void ledger_add_balance(cli_json *json, const sotto_ledger_balance *balance)
{
    cli_json_text(json, "dataset", balance->dataset);
    cli_json_text(json, "adjacency", sotto_adjacency_name(balance->adjacency));
    cli_json_number(json, "epsilon", balance->epsilon);
    cli_json_number(json, "delta", balance->delta);
    cli_json_number(json, "order", balance->order);
    cli_json_number(json, "budget", balance->budget);
    cli_json_number(json, "spent", balance->spent);
    cli_json_number(json, "left", balance->left);
    cli_json_number(json, "delta_budget", balance->delta_budget);
    cli_json_number(json, "delta_spent", balance->delta_spent);
    cli_json_number(json, "delta_left", balance->delta_left);
    cli_json_number(json, "epsilon_spent", balance->epsilon_spent_upper);
    cli_json_count(json, "entries", balance->entries);
    cli_json_text(json, "head", balance->head);
}

static json_t *row_object(const ledger_row *row, bool *failed)
{
    const sotto_ledger_entry *entry = &row->entry;
    cli_json json = cli_json_new();
    cli_json_count(&json, "row", entry->row);
    cli_json_text(&json, "kind", kind_name(entry->kind));
    cli_json_add(&json, "time", json_integer((json_int_t)entry->time_seconds));
    cli_json_number(&json, "epsilon", entry->epsilon);
    cli_json_number(&json, "delta", entry->delta);
    cli_json_number(&json, "charged", entry->charged);
    cli_json_number(&json, "delta_charged", entry->delta_charged);
    if (row->text[0] != '\0')
        cli_json_text(&json, entry->kind == SOTTO_LEDGER_GRANT ? "reason" : "label",
                      row->text);
    if (entry->kind == SOTTO_LEDGER_COMMIT) {
        cli_json_count(&json, "reservation", entry->reservation);
        cli_json_text(&json, "output", row->output_hash);
    }
    if (entry->kind == SOTTO_LEDGER_CHECKPOINT) {
        cli_json_count(&json, "reservation", entry->reservation);
        cli_json_count(&json, "step", entry->step);
    }
    cli_json_number(&json, "budget", entry->budget);
    cli_json_number(&json, "spent", entry->spent);
    cli_json_text(&json, "hash", row->hash);
    if (json.failed) *failed = true;
    return json.object;
}

sotto_status ledger_show_json(const ledger_story *story, sotto_error *error)
{
    cli_json json = cli_json_new();
    json_t *rows = json_array();
    ledger_add_balance(&json, &story->balance);
    if (story->has_account)
        cli_json_number(&json, "epsilon_if_fixed_in_advance", story->account.epsilon);
    for (size_t i = 0; i < story->count; i++) {
        if (json_array_append_new(rows, row_object(&story->rows[i], &json.failed)) != 0)
            json.failed = true;
    }
    cli_json_add(&json, "rows", rows);
    return cli_json_print(&json, error);
}

/* --- text --- */

static void show_column(const char *label, double budget, double spent, double left)
{
    char texts[3][CLI_NUMBER_BYTES];
    cli_line(label, "spent %s, left %s of %s",
             cli_rounded_up(spent, CLI_SHOWN_DIGITS, texts[0]),
             cli_rounded_down(left, CLI_SHOWN_DIGITS, texts[1]),
             cli_rounded_down(budget, CLI_SHOWN_DIGITS, texts[2]));
}

void ledger_show_balance(const sotto_ledger_balance *balance)
{
    char number[CLI_NUMBER_BYTES], other[CLI_NUMBER_BYTES];
    const bool is_pure = balance->delta == 0.0;
    cli_line("dataset", "%s", balance->dataset);
    cli_line("adjacency", "%s", sotto_adjacency_name(balance->adjacency));
    if (is_pure) {
        cli_line("budget", "epsilon %s, pure",
                 cli_rounded_down(balance->epsilon, CLI_SHOWN_DIGITS, number));
    } else {
        cli_line("budget", "epsilon %s at delta %s",
                 cli_rounded_down(balance->epsilon, CLI_SHOWN_DIGITS, number),
                 cli_rounded_down(balance->delta, CLI_SHOWN_DIGITS, other));
        cli_line("filter", "Renyi divergence at order %s",
                 cli_shortest(balance->order, number));
    }
    show_column(is_pure ? "epsilon" : "divergence", balance->budget, balance->spent,
                balance->left);
    if (!is_pure)
        show_column("own deltas", balance->delta_budget, balance->delta_spent,
                    balance->delta_left);
    cli_line("head", "%s", balance->head);
}

static void format_time(int64_t seconds, char out[32])
{
    const time_t moment = (time_t)seconds;
    struct tm parts;
    if (gmtime_r(&moment, &parts) == NULL ||
        strftime(out, 32, "%Y-%m-%d %H:%M:%SZ", &parts) == 0)
        (void)snprintf(out, 32, "%lld", (long long)seconds);
}

static void show_row(const ledger_row *row)
{
    const sotto_ledger_entry *entry = &row->entry;
    char moment[32], charged[CLI_NUMBER_BYTES] = "", left[CLI_NUMBER_BYTES],
                     numbers[2][CLI_NUMBER_BYTES];
    format_time(entry->time_seconds, moment);
    if (entry->kind == SOTTO_LEDGER_RESERVE)
        (void)cli_rounded_up(entry->charged, CLI_SHOWN_DIGITS, charged);
    /* The difference of two such doubles is within an ulp; 1e-12 is far above. */
    (void)cli_rounded_down(fmax(0.0, (entry->budget - entry->spent) * (1.0 - 1e-12)),
                           CLI_SHOWN_DIGITS, left);
    (void)printf("%5llu  %-20s  %-7s  %10s  %10s  ", (unsigned long long)entry->row,
                 moment,
                 entry->kind == SOTTO_LEDGER_CHECKPOINT ? "kept" : kind_name(entry->kind),
                 charged, left);
    switch (entry->kind) {
    case SOTTO_LEDGER_INIT:
    case SOTTO_LEDGER_GRANT:
        (void)printf("epsilon %s, delta %s%s%s\n",
                     cli_shortest(entry->epsilon, numbers[0]),
                     cli_shortest(entry->delta, numbers[1]),
                     row->text[0] != '\0' ? ": " : "", row->text);
        break;
    case SOTTO_LEDGER_RESERVE:
        (void)printf("%s\n", row->text);
        break;
    case SOTTO_LEDGER_COMMIT:
        (void)printf("output of %llu: %.16s...\n", (unsigned long long)entry->reservation,
                     row->output_hash);
        break;
    case SOTTO_LEDGER_CHECKPOINT:
        (void)printf("run of row %llu, at step %llu: it can go on\n",
                     (unsigned long long)entry->reservation,
                     (unsigned long long)entry->step);
        break;
    }
}

/* A checkpoint that its run has left behind tells nothing: one may be kept every few seconds. */
static bool is_overtaken(const ledger_story *story, size_t index)
{
    const sotto_ledger_entry *entry = &story->rows[index].entry;
    if (entry->kind != SOTTO_LEDGER_CHECKPOINT) return false;
    for (size_t i = index + 1; i < story->count; i++)
        if (story->rows[i].entry.reservation == entry->reservation) return true;
    return false;
}

void ledger_show_text(const ledger_story *story)
{
    char epsilon[CLI_NUMBER_BYTES], delta[CLI_NUMBER_BYTES];
    ledger_show_balance(&story->balance);
    (void)putchar('\n');
    (void)printf("%5s  %-20s  %-7s  %10s  %10s  %s\n", "row", "time", "kind", "charged",
                 "left", "what");
    for (size_t i = 0; i < story->count; i++)
        if (!is_overtaken(story, i)) show_row(&story->rows[i]);
    (void)putchar('\n');
    (void)cli_rounded_down(story->balance.delta, CLI_SHOWN_DIGITS, delta);
    cli_line(
        "spent so far", "epsilon %s at delta %s",
        cli_rounded_up(story->balance.epsilon_spent_upper, CLI_SHOWN_DIGITS, epsilon),
        delta);
    if (story->has_account) {
        cli_line(
            "information",
            "epsilon %s at delta %s, had all runs been fixed in advance (%s accountant; "
            "decides nothing)",
            cli_rounded_up(story->account.epsilon, CLI_SHOWN_DIGITS, epsilon), delta,
            sotto_accountant_name(story->account.accountant));
    }
}
