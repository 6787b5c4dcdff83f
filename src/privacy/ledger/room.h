/* ledger/room.h: the runs that still fit, and the reasons of a refusal. */
#ifndef SOT_LEDGER_ROOM_H
#define SOT_LEDGER_ROOM_H

#include "privacy/ledger/replay.h"

/* The largest run of each kind that some member would still cover. */
void sot_room_find(const sot_state *state, sotto_ledger_room *out_room);

/* The balance in the currency of the best member, with the room. */
void sot_state_whole_balance(const sot_state *state, sotto_ledger_balance *out_balance);

/* Admits the charges if at least one member covers the history with them; strict, without slack.
 * Refusals list the runs that still fit. */
SOTTO_MUST_CHECK sotto_status sot_admit(const sot_state *state, const sotto_plan *plan,
                                        const sot_charges *charges, sot_charges *out_sums,
                                        sotto_error *error);

#endif
