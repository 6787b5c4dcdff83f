#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "ledger/ledger.h"

static const char *kind_name(sotto_ledger_kind kind)
{
    static const char *const names[] = {[SOTTO_LEDGER_INIT] = "init",
                                        [SOTTO_LEDGER_GRANT] = "grant",
                                        [SOTTO_LEDGER_RESERVE] = "reserve",
                                        [SOTTO_LEDGER_COMMIT] = "commit",
                                        [SOTTO_LEDGER_CHECKPOINT] = "checkpoint"};
    return names[kind];
}

/* --- JSON --- */

const char *ledger_currency(const sotto_ledger_member *member, char buffer[64])
{
    char number[CLI_NUMBER_BYTES];
    switch (member->kind) {
    case SOTTO_MEMBER_RENYI:
        (void)snprintf(buffer, 64, "Renyi divergence at order %s",
                       cli_shortest(member->order, number));
        break;
    case SOTTO_MEMBER_GAUSSIAN:
        (void)snprintf(buffer, 64, "mu^2 of Gaussian DP");
        break;
    case SOTTO_MEMBER_ZCDP:
        (void)snprintf(buffer, 64, "rho of zCDP");
        break;
    case SOTTO_MEMBER_BASIC:
    case SOTTO_MEMBER_PURE:
        (void)snprintf(buffer, 64, "epsilon");
        break;
    }
    return buffer;
}

static void add_finite(sotto_json_writer *json, const char *key, double value)
{
    if (isfinite(value)) {
        sotto_json_number(json, key, value);
    } else {
        sotto_json_null(json, key);
    }
}

static void add_filters(sotto_json_writer *json, const sotto_ledger_balance *balance)
{
    sotto_json_array(json, "members");
    for (size_t i = 0; i < balance->member_count; i++) {
        const sotto_ledger_member *member = &balance->members[i];
        sotto_json_object(json, NULL);
        sotto_json_text(json, "kind", sotto_member_name(member->kind));
        sotto_json_number(json, "order", member->order);
        sotto_json_number(json, "delta", member->delta);
        sotto_json_number(json, "budget", member->budget);
        add_finite(json, "spent", member->spent);
        sotto_json_number(json, "left", member->left);
        if (member->kind == SOTTO_MEMBER_BASIC)
            sotto_json_number(json, "delta_spent", member->delta_spent);
        sotto_json_flag(json, "covers", member->covers);
        sotto_json_end(json);
    }
    sotto_json_end(json);
}

static void add_room(sotto_json_writer *json, const sotto_ledger_room *room)
{
    sotto_json_object(json, "may_still_run_one_of");
    sotto_json_number(json, "pure_epsilon", room->pure_epsilon);
    add_finite(json, "gaussian_noise_multiplier", room->gaussian_noise);
    sotto_json_number(json, "gaussian_epsilon", room->gaussian_epsilon);
    sotto_json_number(json, "gaussian_delta", room->gaussian_delta);
    sotto_json_number(json, "certified_epsilon", room->certified_epsilon);
    sotto_json_number(json, "certified_delta", room->certified_delta);
    sotto_json_end(json);
}

void ledger_add_balance(sotto_json_writer *json, const sotto_ledger_balance *balance)
{
    sotto_json_text(json, "dataset", balance->dataset);
    sotto_json_text(json, "adjacency", sotto_adjacency_name(balance->adjacency));
    if (balance->unit[0] != '\0') {
        sotto_json_text(json, "unit", balance->unit);
        sotto_json_count(json, "unit_rows", balance->unit_rows);
    }
    if (balance->curator[0] != '\0') sotto_json_text(json, "curator", balance->curator);
    sotto_json_number(json, "epsilon", balance->epsilon);
    sotto_json_number(json, "delta", balance->delta);
    sotto_json_number(json, "rho", balance->rho);
    sotto_json_number(json, "order", balance->order);
    sotto_json_number(json, "budget", balance->budget);
    add_finite(json, "spent", balance->spent);
    sotto_json_number(json, "left", balance->left);
    sotto_json_number(json, "delta_budget", balance->delta_budget);
    sotto_json_number(json, "delta_spent", balance->delta_spent);
    sotto_json_number(json, "delta_left", balance->delta_left);
    sotto_json_number(json, "own_left", balance->own_left);
    sotto_json_number(json, "sampler_left", balance->sampler_left);
    sotto_json_number(json, "delta_guaranteed", balance->delta_guaranteed);
    add_finite(json, "epsilon_spent", balance->epsilon_spent_upper);
    if (balance->member < balance->member_count)
        sotto_json_count(json, "member", balance->member);
    sotto_json_flag(json, "closed", balance->member == balance->member_count);
    add_filters(json, balance);
    add_room(json, &balance->room);
    if (balance->older_rows > 0)
        sotto_json_count(json, "older_rows", balance->older_rows);
    if (balance->repriced_rows > 0)
        sotto_json_count(json, "repriced_rows", balance->repriced_rows);
    sotto_json_count(json, "entries", balance->entries);
    sotto_json_text(json, "head", balance->head);
}

static void add_row(sotto_json_writer *json, const ledger_row *row)
{
    const sotto_ledger_entry *entry = &row->entry;
    sotto_json_object(json, NULL);
    sotto_json_count(json, "row", entry->row);
    sotto_json_text(json, "kind", kind_name(entry->kind));
    sotto_json_count(json, "time", (uint64_t)entry->time_seconds);
    sotto_json_number(json, "epsilon", entry->epsilon);
    sotto_json_number(json, "delta", entry->delta);
    if (entry->kind == SOTTO_LEDGER_RESERVE) add_finite(json, "charged", entry->charged);
    sotto_json_number(json, "delta_charged", entry->delta_charged);
    if (row->noise[0] != '\0') sotto_json_text(json, "noise", row->noise);
    if (row->software[0] != '\0') sotto_json_text(json, "software", row->software);
    if (entry->is_signed) sotto_json_flag(json, "signed", true);
    if (row->text[0] != '\0')
        sotto_json_text(json, entry->kind == SOTTO_LEDGER_GRANT ? "reason" : "label",
                        row->text);
    if (entry->kind == SOTTO_LEDGER_COMMIT) {
        sotto_json_count(json, "reservation", entry->reservation);
        sotto_json_text(json, "output", row->output_hash);
    }
    if (entry->kind == SOTTO_LEDGER_CHECKPOINT) {
        sotto_json_count(json, "reservation", entry->reservation);
        sotto_json_count(json, "step", entry->step);
    }
    sotto_json_number(json, "budget", entry->budget);
    add_finite(json, "spent", entry->spent);
    sotto_json_text(json, "hash", row->hash);
    sotto_json_end(json);
}

sotto_status ledger_show_json(const ledger_story *story, sotto_error *error)
{
    sotto_json_writer *json = sotto_json_new();
    ledger_add_balance(json, &story->balance);
    if (story->has_account)
        sotto_json_number(json, "epsilon_if_fixed_in_advance", story->account.epsilon);
    sotto_json_array(json, "rows");
    for (size_t i = 0; i < story->count; i++)
        add_row(json, &story->rows[i]);
    sotto_json_end(json);
    return cli_json_print(json, error);
}

/* --- text --- */

static void show_budget(const sotto_ledger_balance *balance)
{
    char number[CLI_NUMBER_BYTES], other[CLI_NUMBER_BYTES];
    if (!isnan(balance->rho)) {
        cli_line("budget", "rho %s of zCDP",
                 cli_rounded_down(balance->rho, CLI_SHOWN_DIGITS, number));
    } else if (balance->delta == 0.0) {
        cli_line("budget", "epsilon %s, pure",
                 cli_rounded_down(balance->epsilon, CLI_SHOWN_DIGITS, number));
    } else {
        cli_line("budget", "epsilon %s at delta %s",
                 cli_rounded_down(balance->epsilon, CLI_SHOWN_DIGITS, number),
                 cli_rounded_down(balance->delta, CLI_SHOWN_DIGITS, other));
    }
    if (balance->delta_guaranteed > balance->delta)
        cli_line("guaranteed",
                 "epsilon %s at delta %s: an older run had a sampler error, which this "
                 "ledger's format does not count separately",
                 cli_rounded_down(balance->epsilon, CLI_SHOWN_DIGITS, number),
                 cli_rounded_up(balance->delta_guaranteed, CLI_SHOWN_DIGITS, other));
}

/* One of them, not all; a line each. */
static void show_room(const sotto_ledger_balance *balance)
{
    char text[SOTTO_ROOM_TEXT_BYTES];
    const char *label = "left, one of";
    if (balance->member == balance->member_count) {
        cli_line("left", "nothing: the ledger is closed, no member covers its history");
        return;
    }
    sotto_ledger_describe_room(&balance->room, text);
    for (char *at = text; at != NULL;) {
        char *end = strstr(at, "; ");
        if (end != NULL) *end = '\0';
        cli_line(label, "%s", at);
        label = "";
        at = end != NULL ? end + 2 : NULL;
    }
}

/* The parts of delta beside the members' own: each is spent and checked apart. */
static void show_deltas(const sotto_ledger_balance *balance)
{
    char texts[3][CLI_NUMBER_BYTES];
    if (balance->member == balance->member_count || !(balance->delta_budget > 0.0))
        return;
    if (balance->members[balance->member].kind == SOTTO_MEMBER_BASIC)
        cli_line("basic deltas", "spent %s, left %s of %s",
                 cli_rounded_up(balance->delta_spent, CLI_SHOWN_DIGITS, texts[0]),
                 cli_rounded_down(balance->delta_left, CLI_SHOWN_DIGITS, texts[1]),
                 cli_rounded_down(balance->delta_budget, CLI_SHOWN_DIGITS, texts[2]));
    cli_line("delta left", "%s for own deltas of runs, %s for sampler errors",
             cli_rounded_down(balance->own_left, CLI_SHOWN_DIGITS, texts[0]),
             cli_rounded_down(balance->sampler_left, CLI_SHOWN_DIGITS, texts[1]));
}

static void show_members(const sotto_ledger_balance *balance)
{
    char texts[4][CLI_NUMBER_BYTES], currency[64];
    for (size_t i = 0; i < balance->member_count; i++) {
        const sotto_ledger_member *member = &balance->members[i];
        const char *label = i == 0 ? "members" : "";
        (void)ledger_currency(member, currency);
        if (!isfinite(member->spent)) {
            cli_line(label, "%s (%s): covers nothing, a run has no price in it",
                     sotto_member_name(member->kind), currency);
            continue;
        }
        cli_line(label, "%s (%s), delta %s: spent %s, left %s of %s%s",
                 sotto_member_name(member->kind), currency,
                 cli_rounded_down(member->delta, CLI_SHOWN_DIGITS, texts[0]),
                 cli_rounded_up(member->spent, CLI_SHOWN_DIGITS, texts[1]),
                 cli_rounded_down(member->left, CLI_SHOWN_DIGITS, texts[2]),
                 cli_rounded_down(member->budget, CLI_SHOWN_DIGITS, texts[3]),
                 member->covers ? "" : "; exceeded");
    }
    show_deltas(balance);
}

void ledger_show_balance(const sotto_ledger_balance *balance)
{
    cli_line("dataset", "%s", balance->dataset);
    cli_line("adjacency", "%s", sotto_adjacency_name(balance->adjacency));
    if (balance->unit[0] != '\0') {
        cli_line("unit", "every row of one '%s' (default cap: %llu rows)", balance->unit,
                 (unsigned long long)balance->unit_rows);
    } else {
        cli_line("unit", "one row");
    }
    show_budget(balance);
    show_room(balance);
    show_members(balance);
    if (balance->curator[0] != '\0') cli_line("curator", "ed25519:%s", balance->curator);
    if (balance->older_rows > 0)
        cli_line("older runs",
                 "%llu, charged before plans named their unit: they count as row-level",
                 (unsigned long long)balance->older_rows);
    if (balance->repriced_rows > 0)
        cli_line("", "%llu of them of units with several rows: priced again as two steps",
                 (unsigned long long)balance->repriced_rows);
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
    /* Sums of decimals are whole but for the last places of doubles. */
    const double rest = entry->budget - entry->spent;
    (void)cli_rounded_down(rest > 1e-13 * entry->budget ? rest * (1.0 + 1e-15) : 0.0,
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
        (void)printf("run of row %llu, checkpoint at step %llu\n",
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
    if (isfinite(story->balance.epsilon_spent_upper))
        cli_line(
            "spent so far", "epsilon %s at delta %s",
            cli_rounded_up(story->balance.epsilon_spent_upper, CLI_SHOWN_DIGITS, epsilon),
            delta);
    if (story->has_account) {
        cli_line("information",
                 "epsilon %s at delta %s, had all runs been fixed in advance (%s "
                 "accountant; for information)",
                 cli_rounded_up(story->account.epsilon, CLI_SHOWN_DIGITS, epsilon), delta,
                 sotto_accountant_name(story->account.accountant));
    }
}
