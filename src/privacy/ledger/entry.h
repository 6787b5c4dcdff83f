/* ledger/entry.h: one row of a ledger, as one line of JSON with its own hash.
 *
 * Form      {"row":7,"kind":"reserve", ... ,"previous":"<64 hex>","hash":"<64 hex>"} A signed row
 *           has ,"signature":"<128 hex>" before its hash. It is the curator's, of the BLAKE2b-256
 *           of all bytes before it. They include `previous`, and so cover every row before, the
 *           first one with its nonce. `hash` is BLAKE2b-256 of the line's bytes before ,"hash":
 *           and `previous` is the hash of the row before. So the last hash covers the whole
 *           ledger. SQLite keeps these lines and `sotto ledger export` prints them: one form, one
 *           parser.
 * Amounts   Whole numbers in the units of ledger/amount.h.
 */
#ifndef SOT_LEDGER_ENTRY_H
#define SOT_LEDGER_ENTRY_H

#include <stddef.h>
#include <stdint.h>

#include <sotto/ledger.h>

#include "base/json/json.h"
#include "base/json/writer.h"
#include "privacy/ledger/member.h"

enum {
    SOT_LEDGER_FORMAT_OLDER = 1, /* one member, no unit */
    SOT_LEDGER_FORMAT = 2,
    SOT_ENTRY_BYTES_MAX = (1 << 20) + 8192, /* a plan of at most 1 MiB, and the rest */
    SOT_PLAN_BYTES_MAX = 1 << 20,
    SOT_WORD_BYTES = 64 /* source of the noise, software */
};

/* The amounts of one run, or sums of them. */
typedef struct sot_charges {
    int64_t at[SOTTO_LEDGER_MEMBERS_MAX]; /* of each member; SOT_MISSING: no price */
    int64_t point_delta; /* delta of the basic member's point, delta units */
    int64_t own;         /* the events' own deltas, delta units */
    int64_t sampler;     /* sampler errors, sampler units */
    int64_t specks;      /* sampler errors of at most SOT_SAMPLER_SPECK: their number */
} sot_charges;

typedef struct sot_entry {
    sotto_ledger_kind kind;
    uint64_t row;
    int64_t time_seconds; /* information only: nothing is decided by a clock */
    int format; /* of its form: SOT_LEDGER_FORMAT_OLDER rows have one charge or budget */
    /* init, grant: the budget or the amounts added to it */
    char dataset[SOTTO_DATASET_BYTES];
    sotto_adjacency adjacency;
    char unit[SOTTO_LEDGER_UNIT_BYTES]; /* "": a row */
    uint64_t unit_rows;
    sot_budget budget;
    sot_members
        members; /* init: kinds, weights, orders; both: the budgets after this row */
    int64_t own_budget; /* older rows: delta units */
    char nonce
        [SOTTO_HASH_HEX_BYTES]; /* init: random, so that no two ledgers are the same */
    char curator[SOTTO_KEY_HEX_BYTES];         /* init; "": none */
    char signature[SOTTO_SIGNATURE_HEX_BYTES]; /* "": none */
    char body
        [SOTTO_HASH_HEX_BYTES]; /* hash of the bytes before the signature: it is signed */
    /* grant: reason; reserve: label */
    char text[SOTTO_LEDGER_TEXT_BYTES];
    /* reserve: amounts of this row, and the sums after it */
    sot_charges charges, sums;
    char noise[SOT_WORD_BYTES], software[SOT_WORD_BYTES]; /* "": an older row */
    char request
        [SOTTO_HASH_HEX_BYTES]; /* hash of the request (ledger/kept.h); "": not stated */
    /* commit, checkpoint */
    uint64_t reservation;              /* row of the reservation */
    char output[SOTTO_HASH_HEX_BYTES]; /* commit */
    /* checkpoint; reserve and commit of a run that keeps checkpoints; "": none */
    uint64_t step;                         /* checkpoint */
    char checkpoint[SOTTO_HASH_HEX_BYTES]; /* hash of the checkpoint from which the run
                                          * resumes */
    char seal_key[SOTTO_HASH_HEX_BYTES];   /* that opens its state: checkpoint, commit */
    /* the chain */
    char previous[SOTTO_HASH_HEX_BYTES];
    char hash[SOTTO_HASH_HEX_BYTES];
} sot_entry;

/* An entry of a kind with everything unset. */
sot_entry sot_entry_new(sotto_ledger_kind kind);

/* The line of an entry, NUL-terminated and without a newline; `plan` is for reserve rows, `key` signs init and grant rows;
 * NULL otherwise. Fills entry->hash and entry->signature. Free with sot_free(). */
SOTTO_MUST_CHECK sotto_status sot_entry_write(sot_entry *entry, const sotto_plan *plan,
                                              const sotto_key *key, char **out_line,
                                              size_t *out_size_bytes, sotto_error *error);

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

/* entry_write.c, entry_read.c: the members of the object. */
void sot_entry_write_members(sot_json_writer *writer, const sot_entry *entry,
                             const sotto_plan *plan);
SOTTO_MUST_CHECK sotto_status sot_entry_read_members(const sot_json_value *object,
                                                     uint64_t row, sot_entry *entry,
                                                     sotto_error *error);
const char *sot_entry_kind_name(sotto_ledger_kind kind);

/* ---- members of rows, for entry_read.c and contract.c ---- */

/* A text that fits; a label is one that people read. A real number may be null; an amount is a count. */
SOTTO_MUST_CHECK sotto_status sot_entry_read_text(const sot_json_value *object,
                                                  const char *key, char *out,
                                                  size_t room_bytes, sotto_error *error);
SOTTO_MUST_CHECK sotto_status sot_entry_read_label(const sot_json_value *object,
                                                   const char *key, char *out,
                                                   size_t room_bytes, sotto_error *error);
SOTTO_MUST_CHECK sotto_status sot_entry_read_real(const sot_json_value *object,
                                                  const char *key, double *out,
                                                  sotto_error *error);
SOTTO_MUST_CHECK sotto_status sot_entry_read_amount(const sot_json_value *object,
                                                    const char *key, int64_t *out,
                                                    sotto_error *error);
SOTTO_MUST_CHECK sotto_status sot_entry_read_hash(const sot_json_value *object,
                                                  const char *key,
                                                  char out[SOTTO_HASH_HEX_BYTES],
                                                  sotto_error *error);
SOTTO_MUST_CHECK sotto_status sot_entry_read_amounts(const sot_json_value *object,
                                                     const char *key, bool may_miss,
                                                     int64_t *out, size_t *count,
                                                     sotto_error *error);
SOTTO_MUST_CHECK sotto_status sot_entry_read_init(const sot_json_value *object,
                                                  sot_entry *entry, sotto_error *error);
SOTTO_MUST_CHECK sotto_status sot_entry_read_grant(const sot_json_value *object,
                                                   sot_entry *entry, sotto_error *error);

#endif
