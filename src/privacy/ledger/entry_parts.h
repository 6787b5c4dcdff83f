/* privacy/ledger/entry_parts.h: the members of rows, read by entry_read.c and entry_init.c. */
#ifndef SOT_LEDGER_ENTRY_PARTS_H
#define SOT_LEDGER_ENTRY_PARTS_H

#include "privacy/ledger/entry.h"

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
