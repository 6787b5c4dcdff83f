/* ledger/paid.h: the charge for a released file, read from the ledger's rows.
 *
 * Idea      A certificate states its charge, which could be forged. A verifier replays the rows
 *           up to the stated reservation. It compares the plan, the source of the noise, the
 *           balances and the curator with the ledger's.
 */
#ifndef SOT_LEDGER_PAID_H
#define SOT_LEDGER_PAID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <sotto/ledger.h>

enum { SOT_PAID_WORD_BYTES = 64 };

/* Free with sot_paid_run_clear(). */
typedef struct sot_paid_run {
    sotto_ledger_balance last; /* after all rows; without the room */
    uint64_t committed_for;    /* reservation that committed the output; 0: none did */
    sotto_plan *plan;          /* of the wanted row; NULL: it is no reservation */
    /* the rest only with a plan */
    sotto_reservation reservation;   /* as it was made */
    char noise[SOT_PAID_WORD_BYTES]; /* source of the noise; "": an older row */
    bool is_older; /* a row of the older format: amounts of its one member only */
} sot_paid_run;

/* Checks the whole ledger as sotto_ledger_check() does, and finds the reservation in row `row` and the one that
 * committed `output`: the former, if it did. */
SOTTO_MUST_CHECK sotto_status sot_ledger_find_paid(sotto_ledger *ledger, uint64_t row,
                                                   const char *output,
                                                   sot_paid_run *out_run,
                                                   sotto_error *error);

/* Does the same for an exported ledger. */
SOTTO_MUST_CHECK sotto_status sot_ledger_find_paid_export(const char *text,
                                                          size_t size_bytes, uint64_t row,
                                                          const char *output,
                                                          sot_paid_run *out_run,
                                                          sotto_error *error);

void sot_paid_run_clear(sot_paid_run *run);

/* Compares two plans to the last digit of their JSON. */
SOTTO_MUST_CHECK sotto_status sot_plans_compare(const sotto_plan *a, const sotto_plan *b,
                                                bool *out_same, sotto_error *error);

#endif
