/* commands/verify/ledger.h: whether a ledger paid for a certified file, and committed it. */
#ifndef SOT_COMMANDS_VERIFY_LEDGER_H
#define SOT_COMMANDS_VERIFY_LEDGER_H

#include <sotto/verify.h>

#include "artifact/certificate/certificate.h"

/* Compares the file with config->ledger, a ledger or its export; NULL: nothing is checked. The
 * chain, the data set, the adjacency and the unit must fit. A row must have committed the hash of
 * this file for its stated reservation. That reservation must have the plan, the curator, the
 * budget and the balances of the certificate. `out_curator` is the curator's key of the ledger
 * itself, "" if it has none. SOTTO_VERIFICATION otherwise. */
SOTTO_MUST_CHECK sotto_status sot_verify_ledger(const sot_certificate_file *file,
                                                const sotto_verify_config *config,
                                                char out_curator[SOTTO_KEY_HEX_BYTES],
                                                sotto_error *error);

#endif
