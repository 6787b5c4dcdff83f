/* commands/session/parts.h: the common part of session.c and keep.c. */
#ifndef SOT_COMMANDS_SESSION_PARTS_H
#define SOT_COMMANDS_SESSION_PARTS_H

#include "commands/session/session.h"

/* Randomness and a gate that is shut; the gate only with a plan. */
SOTTO_MUST_CHECK sotto_status sot_session_make_gate(sot_session *session, bool seeded,
                                                    uint64_t seed, sotto_error *error);

#endif
