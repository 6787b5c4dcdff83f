/* ledger/entry.h: one row of a ledger, as one line of JSON with its own hash.
 *
 * Form      {"row":7,"kind":"reserve", ... ,"previous":"<64 hex>","hash":"<64 hex>"}
 *           `hash` is BLAKE2b-256 of the line's bytes before ,"hash": and `previous` is the hash
 *           of the row before, so that the last hash stands for the whole ledger. SQLite keeps
 *           these lines and `sotto ledger export` prints them: one form, one parser.
 * Amounts   Whole numbers in the units of ledger/amount.h.
 */
#ifndef SOT_LEDGER_ENTRY_H
#define SOT_LEDGER_ENTRY_H

#include <stddef.h>
#include <stdint.h>

#include <sotto/ledger.h>

enum {
    SOT_LEDGER_FORMAT = 1,
    SOT_ENTRY_BYTES_MAX = (1 << 20) + 4096, /* a plan of at most 1 MiB, and the rest */
    SOT_PLAN_BYTES_MAX = 1 << 20
};

typedef struct sot_entry {
    sotto_ledger_kind kind;
    uint64_t row;
    int64_t time_seconds; /* information only: nothing is decided by a clock */
    /* init, grant: the budget or what is added to it */
    char dataset[SOTTO_DATASET_BYTES];
    sotto_adjacency adjacency;
    double epsilon, delta, own_delta;
    double order;               /* NaN: a pure budget */
    int64_t budget, own_budget; /* the whole budget after this row, in units */
    /* grant: reason; reserve: label */
    char text[SOTTO_LEDGER_TEXT_BYTES];
    /* reserve: amounts of this row, and the sums after it */
    int64_t charge, own, sampler;
    int64_t charge_sum, own_sum, sampler_sum;
    /* commit, checkpoint */
    uint64_t reservation;              /* row of the reservation */
    char output[SOTTO_HASH_HEX_BYTES]; /* commit */
    /* checkpoint; reserve and commit of a run that keeps checkpoints; "": none */
    uint64_t step; /* checkpoint */
    char checkpoint
        [SOTTO_HASH_HEX_BYTES];          /* hash of the file from which the run goes on */
    char seal_key[SOTTO_HASH_HEX_BYTES]; /* that opens its state: checkpoint, commit */
    /* the chain */
    char previous[SOTTO_HASH_HEX_BYTES];
    char hash[SOTTO_HASH_HEX_BYTES];
} sot_entry;

/* The line of an entry, NUL-terminated and without a newline; `plan` is for reserve rows, NULL
 * otherwise. Fills entry->hash. Free with sot_free(). */
SOTTO_MUST_CHECK sotto_status sot_entry_write(sot_entry *entry, const sotto_plan *plan,
                                              char **out_line, size_t *out_size_bytes,
                                              sotto_error *error);

/* Reads a line and checks its form, its ranges and its hash; not its place in the chain.
 * SOTTO_VERIFICATION, and the message starts with "row <row>", the number the caller knows. */
SOTTO_MUST_CHECK sotto_status sot_entry_parse(const char *line, size_t size_bytes,
                                              uint64_t row, sot_entry *out_entry,
                                              sotto_error *error);

/* The plan in a reserve line that sot_entry_parse() accepted. */
SOTTO_MUST_CHECK sotto_status sot_entry_plan(const char *line, size_t size_bytes,
                                             sotto_plan **out_plan, sotto_error *error);

/* Public text of one line: 1 to 200 bytes of UTF-8 without control characters. */
SOTTO_MUST_CHECK sotto_status sot_entry_check_text(const char *what, const char *text,
                                                   sotto_error *error);
SOTTO_MUST_CHECK sotto_status sot_entry_check_dataset(const char *dataset,
                                                      sotto_error *error);
SOTTO_MUST_CHECK sotto_status sot_entry_check_hash(const char *what, const char *hash,
                                                   sotto_error *error);

#endif
