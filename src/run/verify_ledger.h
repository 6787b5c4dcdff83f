/* run/verify_ledger.h: whether a ledger committed a certified file. */
#ifndef SOT_RUN_VERIFY_LEDGER_H
#define SOT_RUN_VERIFY_LEDGER_H

#include "release/certificate.h"

/* `path` is a ledger or its export; NULL: nothing is checked. The chain, the data set, the adjacency and the unit
 * must fit, and a row must have committed the hash of this file for the reservation that it states. SOTTO_VERIFICATION otherwise. */
SOTTO_MUST_CHECK sotto_status sot_verify_ledger(const sot_certificate_file *file,
                                                const char *path, sotto_error *error);

#endif
