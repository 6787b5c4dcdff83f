/* cli/ledger/ledger.h: the parts of `sotto ledger`: the balance and the rows shown, the plot drawn. */
#ifndef SOTTO_CLI_LEDGER_H
#define SOTTO_CLI_LEDGER_H

#include <stddef.h>

#include <sotto/ledger.h>

#include "frame/frame.h"
#include "frame/output.h"

/* One row of the table; texts are copies. */
typedef struct ledger_row {
    sotto_ledger_entry entry;
    char text[SOTTO_LEDGER_TEXT_BYTES];
    char output_hash[SOTTO_HASH_HEX_BYTES];
    char hash[SOTTO_HASH_HEX_BYTES];
    char noise[64], software[64];
} ledger_row;

/* All that `show` shows. */
typedef struct ledger_story {
    sotto_ledger_balance balance;
    ledger_row *rows;
    size_t count;
    size_t capacity;
    bool has_account;      /* the information line of the exact accountant */
    sotto_account account; /* of all plans as if fixed in advance */
} ledger_story;

/* Where the budget stands, as lines of text or as members of an object. */
void ledger_show_balance(const sotto_ledger_balance *balance);
void ledger_add_balance(sotto_json_writer *json, const sotto_ledger_balance *balance);

/* "epsilon", "Renyi divergence at order 12.4", "mu^2", "rho" */
const char *ledger_currency(const sotto_ledger_member *member, char buffer[64]);

/* The whole story. */
void ledger_show_text(const ledger_story *story);
SOTTO_MUST_CHECK sotto_status ledger_show_json(const ledger_story *story,
                                               sotto_error *error);

/* cli/ledger/svg.c: the burn-down as a plot: the budget left after each row. */
SOTTO_MUST_CHECK sotto_status ledger_draw(const cli_call *call, const ledger_story *story,
                                          sotto_error *error);

#endif
