/* sotto ledger: the privacy budget of a data set: created, shown, raised, exported, checked. */
#include "ledger/ledger.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "frame/choice.h"

enum { EXPORT_BYTES_MAX = 1 << 28 };

CLI_WORDS(filter_choice, "general", "gaussian")

/* --- the table --- */

#define LEDGER_OPERAND                                                                   \
    {                                                                                    \
        "ledger", CLI_FILE, CLI_OPERAND, "ledger file", .value = "LEDGER",               \
                                                        .example = "budget.ledger"       \
    }

static const cli_option init_options[] = {
    LEDGER_OPERAND,
    {"dataset", CLI_TEXT, CLI_REQUIRED, "id of the data set, as in its schema",
     .value = "ID", .example = "clinic-2026"},
    {"epsilon", CLI_NUMBER, CLI_OPTIONAL,
     "epsilon of the budget, above 0; required without --rho", .value = "E",
     .example = "2", .range = CLI_POSITIVE},
    {"delta", CLI_NUMBER, CLI_OPTIONAL,
     "delta of the budget; without it the budget is pure", .value = "D",
     .example = "1e-6", .range = CLI_BELOW_ONE},
    {"rho", CLI_NUMBER, CLI_OPTIONAL,
     "rho of a zCDP budget, in place of --epsilon and --delta", .value = "R",
     .example = "0.1", .range = CLI_POSITIVE},
    {"unit", CLI_TEXT, CLI_OPTIONAL,
     "id column: the budget protects every row of one id (default: one row)",
     .value = "COLUMN", .example = "person"},
    {"unit-rows", CLI_COUNT, CLI_OPTIONAL,
     "with --unit: default cap on the rows of one id", .value = "K", .example = "8",
     .count_max = 1000000000},
    {"filter", CLI_CHOICE, CLI_OPTIONAL,
     "members: general, or gaussian for ledgers of Gaussian releases", .value = "NAME",
     .fallback = "general", .choices = filter_choice},
    {"own-delta", CLI_NUMBER, CLI_OPTIONAL,
     "part of delta for deltas of the runs (default: a tenth)", .value = "D",
     .example = "1e-7", .range = CLI_BELOW_ONE},
    {"order", CLI_NUMBER, CLI_OPTIONAL,
     "Renyi order of the first Renyi member (default: the best one)", .value = "A",
     .example = "12", .range = CLI_POSITIVE},
    {"curator-key", CLI_FILE, CLI_OPTIONAL,
     "curator's secret key: signs the budget; grants then need it too", .value = "KEY",
     .example = "curator.key"},
    {"adjacency", CLI_CHOICE, CLI_OPTIONAL, "definition of neighbours", .value = "NAME",
     .fallback = "add-remove", .choices = cli_adjacency_choice},
    {0},
};

static const cli_option show_options[] = {
    LEDGER_OPERAND,
    {"svg", CLI_FILE, CLI_OPTIONAL, "also plot the burn-down", .value = "FILE",
     .example = "budget.svg", .output = SOTTO_OUTPUT_SVG},
    {0},
};

static const cli_option grant_options[] = {
    LEDGER_OPERAND,
    {"epsilon", CLI_NUMBER, CLI_OPTIONAL, "increase of epsilon, or of rho for zCDP",
     .value = "E", .example = "0.5", .fallback = "0", .range = CLI_NOT_NEGATIVE},
    {"delta", CLI_NUMBER, CLI_OPTIONAL, "increase of delta", .value = "D",
     .example = "1e-7", .fallback = "0", .range = CLI_BELOW_ONE},
    {"reason", CLI_TEXT, CLI_REQUIRED, "reason of the grant, which stays on record",
     .value = "TEXT", .example = "'second wave of the study'"},
    {"key", CLI_FILE, CLI_OPTIONAL, "curator's secret key, if the ledger names a curator",
     .value = "KEY", .example = "curator.key"},
    {0},
};

static const cli_option export_options[] = {LEDGER_OPERAND, {0}};

static const cli_option check_options[] = {
    LEDGER_OPERAND,
    {"expect-head", CLI_TEXT, CLI_OPTIONAL,
     "hash that the ledger must contain, from the last certificate", .value = "HASH",
     .example = "4b034dba..."},
    {"export", CLI_FLAG, CLI_OPTIONAL, "LEDGER is a file of exported lines",
     .value = NULL},
    {0},
};

/* --- init --- */

static sotto_status print_balance(const cli_call *call,
                                  const sotto_ledger_balance *balance, sotto_error *error)
{
    if (!cli_flag(call, "json")) {
        ledger_show_balance(balance);
        return SOTTO_OK;
    }
    sotto_json_writer *json = sotto_json_new();
    ledger_add_balance(json, balance);
    return cli_json_print(json, error);
}

static sotto_status read_and_print(const cli_call *call, sotto_ledger *ledger,
                                   sotto_error *error)
{
    sotto_ledger_balance balance;
    const sotto_status status = sotto_ledger_read_balance(ledger, &balance, error);
    return status != SOTTO_OK ? status : print_balance(call, &balance, error);
}

static sotto_status open_ledger(const cli_call *call, sotto_ledger **out_ledger,
                                sotto_error *error)
{
    return sotto_ledger_open(cli_text(call, "ledger"), out_ledger, error);
}

static sotto_status fill_config(const cli_call *call, sotto_ledger_config *config,
                                sotto_error *error)
{
    const char *dataset = cli_text(call, "dataset");
    const bool is_zcdp = cli_given(call, "rho");
    if (strlen(dataset) >= sizeof config->dataset) {
        return cli_fail(error, SOTTO_INVALID_ARGUMENT,
                        "--dataset has %zu bytes; give an id of at most 63, for example "
                        "--dataset clinic-2026",
                        strlen(dataset));
    }
    if (!is_zcdp && !cli_given(call, "epsilon")) {
        return cli_fail(error, SOTTO_INVALID_ARGUMENT,
                        "--epsilon is missing; give it, for example --epsilon 2");
    }
    if (cli_given(call, "unit") != cli_given(call, "unit-rows")) {
        return cli_fail(error, SOTTO_INVALID_ARGUMENT,
                        "--unit and --unit-rows belong together; give both, for example "
                        "--unit person --unit-rows 8, or leave both out for a row");
    }
    memcpy(config->dataset, dataset, strlen(dataset) + 1);
    config->epsilon = cli_number(call, "epsilon");
    if (!is_zcdp || cli_given(call, "delta"))
        config->delta = cli_given(call, "delta") ? cli_number(call, "delta") : 0.0;
    config->rho = cli_number(call, "rho");
    config->own_delta = cli_number(call, "own-delta");
    config->order = cli_number(call, "order");
    config->unit = cli_text(call, "unit");
    config->unit_rows = cli_given(call, "unit-rows") ? cli_count(call, "unit-rows") : 0;
    config->filter = (sotto_ledger_filter)cli_choice(call, "filter");
    config->adjacency = cli_adjacency(call);
    return SOTTO_OK;
}

static sotto_status run_init(const cli_call *call, sotto_error *error)
{
    sotto_ledger_config config = sotto_ledger_defaults();
    sotto_ledger *ledger = NULL;
    sotto_key *key = NULL;
    sotto_status status = fill_config(call, &config, error);
    if (status == SOTTO_OK && cli_given(call, "curator-key"))
        status = sotto_key_open(cli_text(call, "curator-key"), &key, error);
    config.curator = key;
    if (status == SOTTO_OK)
        status = sotto_ledger_init(cli_text(call, "ledger"), &config, error);
    sotto_key_close(key);
    if (status == SOTTO_OK) status = open_ledger(call, &ledger, error);
    if (status == SOTTO_OK) status = read_and_print(call, ledger, error);
    sotto_ledger_close(ledger);
    return status;
}

/* --- show --- */

static sotto_status keep_row(const sotto_ledger_entry *entry, void *context,
                             sotto_error *error)
{
    ledger_story *story = context;
    if (story->count == story->capacity) {
        const size_t capacity = story->capacity * 2 + 16;
        ledger_row *grown = realloc(story->rows, capacity * sizeof *grown);
        if (grown == NULL)
            return cli_fail(error, SOTTO_OUT_OF_MEMORY, "no memory for %zu rows",
                            capacity);
        story->rows = grown;
        story->capacity = capacity;
    }
    ledger_row *row = &story->rows[story->count++];
    row->entry = *entry;
    (void)snprintf(row->text, sizeof row->text, "%s", entry->text);
    (void)snprintf(row->output_hash, sizeof row->output_hash, "%s", entry->output_hash);
    (void)snprintf(row->hash, sizeof row->hash, "%s", entry->hash);
    (void)snprintf(row->noise, sizeof row->noise, "%s", entry->noise);
    (void)snprintf(row->software, sizeof row->software, "%s", entry->software);
    return SOTTO_OK;
}

static sotto_status run_show(const cli_call *call, sotto_error *error)
{
    ledger_story story = {.rows = NULL};
    sotto_ledger *ledger = NULL;
    sotto_status status = open_ledger(call, &ledger, error);
    if (status == SOTTO_OK)
        status = sotto_ledger_read_balance(ledger, &story.balance, error);
    if (status == SOTTO_OK) status = sotto_ledger_visit(ledger, keep_row, &story, error);
    if (status != SOTTO_OK) goto done;
    /* Information: where there is none (nothing charged, out of reach), none is shown. */
    story.has_account =
        sotto_ledger_account(ledger, SOTTO_EXACT, &story.account, NULL) == SOTTO_OK;
    if (cli_given(call, "svg")) status = ledger_draw(call, &story, error);
    if (status != SOTTO_OK) goto done;
    if (cli_flag(call, "json")) {
        status = ledger_show_json(&story, error);
    } else {
        ledger_show_text(&story);
    }
done:
    free(story.rows);
    sotto_ledger_close(ledger);
    return status;
}

/* --- grant --- */

static sotto_status run_grant(const cli_call *call, sotto_error *error)
{
    if (!cli_given(call, "epsilon") && !cli_given(call, "delta")) {
        return cli_fail(error, SOTTO_INVALID_ARGUMENT,
                        "--epsilon is missing; give --epsilon, --delta or both, for "
                        "example --epsilon 0.5");
    }
    sotto_ledger *ledger = NULL;
    sotto_key *key = NULL;
    sotto_status status = open_ledger(call, &ledger, error);
    if (status == SOTTO_OK && cli_given(call, "key"))
        status = sotto_key_open(cli_text(call, "key"), &key, error);
    if (status == SOTTO_OK)
        status = sotto_ledger_grant(ledger, cli_number(call, "epsilon"),
                                    cli_number(call, "delta"), cli_text(call, "reason"),
                                    key, error);
    sotto_key_close(key);
    if (status == SOTTO_OK) status = read_and_print(call, ledger, error);
    sotto_ledger_close(ledger);
    return status;
}

/* --- export --- */

static sotto_status print_line(const char *line, size_t size_bytes, void *context,
                               sotto_error *error)
{
    (void)context;
    if (fwrite(line, 1, size_bytes, stdout) == size_bytes) return SOTTO_OK;
    return cli_fail(error, SOTTO_IO, "the export could not be written whole");
}

static sotto_status run_export(const cli_call *call, sotto_error *error)
{
    sotto_ledger *ledger = NULL;
    sotto_status status = open_ledger(call, &ledger, error);
    if (status == SOTTO_OK) status = sotto_ledger_export(ledger, print_line, NULL, error);
    sotto_ledger_close(ledger);
    return status;
}

/* --- check --- */

static sotto_status read_export(const char *path, char **out_text, size_t *out_size_bytes,
                                sotto_error *error)
{
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return cli_fail(error, SOTTO_IO, "cannot read %.100s: %s", path, strerror(errno));
    char *text = NULL;
    size_t size = 0, capacity = 0;
    sotto_status status = SOTTO_OK;
    for (size_t got = 1; got > 0 && status == SOTTO_OK;) {
        if (size == capacity) {
            capacity = capacity * 2 + 65536;
            char *grown = capacity <= EXPORT_BYTES_MAX ? realloc(text, capacity) : NULL;
            if (grown == NULL) {
                status = cli_fail(error, SOTTO_IO, "%.100s has more than %d bytes", path,
                                  EXPORT_BYTES_MAX / 2);
                break;
            }
            text = grown;
        }
        got = fread(text + size, 1, capacity - size, file);
        size += got;
    }
    if (status == SOTTO_OK && ferror(file))
        status =
            cli_fail(error, SOTTO_IO, "cannot read %.100s: %s", path, strerror(errno));
    (void)fclose(file);
    if (status != SOTTO_OK) {
        free(text);
        return status;
    }
    *out_text = text;
    *out_size_bytes = size;
    return SOTTO_OK;
}

static sotto_status check_export(const cli_call *call, sotto_ledger_balance *out_balance,
                                 sotto_error *error)
{
    char *text = NULL;
    size_t size_bytes = 0;
    sotto_status status =
        read_export(cli_text(call, "ledger"), &text, &size_bytes, error);
    if (status == SOTTO_OK)
        status = sotto_ledger_check_export(
            text, size_bytes, cli_text(call, "expect-head"), out_balance, error);
    free(text);
    return status;
}

static sotto_status check_ledger(const cli_call *call, sotto_ledger_balance *out_balance,
                                 sotto_error *error)
{
    sotto_ledger *ledger = NULL;
    sotto_status status = open_ledger(call, &ledger, error);
    if (status == SOTTO_OK)
        status = sotto_ledger_check(ledger, cli_text(call, "expect-head"), error);
    if (status == SOTTO_OK)
        status = sotto_ledger_read_balance(ledger, out_balance, error);
    sotto_ledger_close(ledger);
    return status;
}

static sotto_status run_check(const cli_call *call, sotto_error *error)
{
    sotto_ledger_balance balance;
    const bool anchored = cli_given(call, "expect-head");
    const sotto_status status = cli_flag(call, "export")
                                    ? check_export(call, &balance, error)
                                    : check_ledger(call, &balance, error);
    if (status != SOTTO_OK) return status;
    if (cli_flag(call, "json")) {
        sotto_json_writer *json = sotto_json_new();
        sotto_json_flag(json, "intact", true);
        sotto_json_flag(json, "anchored", anchored);
        ledger_add_balance(json, &balance);
        return cli_json_print(json, error);
    }
    cli_line("intact", "%llu row%s: hashes, sums, the price of every plan%s",
             (unsigned long long)balance.entries, balance.entries == 1 ? "" : "s",
             balance.curator[0] != '\0' ? ", the curator's signatures" : "");
    cli_line("anchor", "%s",
             anchored ? "the expected head is in it"
                      : "none given: an older copy would look the same; give "
                        "--expect-head from the last certificate");
    ledger_show_balance(&balance);
    return SOTTO_OK;
}

/* --- the commands --- */

#define NEW_LEDGER                                                                       \
    "sotto ledger init budget.ledger --dataset clinic-2026 --epsilon 2 --delta 1e-6"

static const cli_command init_command = {
    .name = "init",
    .summary = "Create a ledger with a budget",
    .details =
        "Without --delta the budget is pure: it takes pure mechanisms only. The first "
        "row\n"
        "fixes unit, adjacency, budget, members and curator for the ledger's life.",
    .options = init_options,
    .example = NEW_LEDGER,
    .run = run_init,
};

static const cli_command show_command = {
    .name = "show",
    .summary = "Show the runs, the spent budget and the remaining budget",
    .options = show_options,
    .example = NEW_LEDGER " > init.txt && sotto ledger show budget.ledger",
    .run = run_show,
};

static const cli_command grant_command = {
    .name = "grant",
    .summary = "Raise the budget, with a reason that stays on record",
    .options = grant_options,
    .example = NEW_LEDGER " > init.txt && sotto ledger grant budget.ledger --epsilon 0.5 "
                          "--reason 'second wave'",
    .run = run_grant,
};

static const cli_command export_command = {
    .name = "export",
    .summary = "Print every row as a line of JSON",
    .details = "Each line has the hash of the line before it and its own: check --export "
               "verifies them.",
    .options = export_options,
    .example = NEW_LEDGER " > init.txt && sotto ledger export budget.ledger",
    .run = run_export,
};

static const cli_command check_command = {
    .name = "check",
    .summary = "Recompute the chain, the sums and every charge",
    .details = "An older copy of a ledger is intact too: only --expect-head detects it.",
    .options = check_options,
    .example = NEW_LEDGER " > init.txt && sotto ledger check budget.ledger",
    .run = run_check,
};

static const cli_command *const commands[] = {
    &init_command, &show_command, &grant_command, &export_command, &check_command, NULL};

const cli_command cli_ledger = {
    .name = "ledger",
    .summary = "The privacy budget of a data set, charged before every release",
    .commands = commands,
    .example = NEW_LEDGER,
};
