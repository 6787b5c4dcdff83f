/* artifact/certificate/parts.h: the members of a certificate, read by read.c and ledger.c. */
#ifndef SOT_ARTIFACT_CERTIFICATE_PARTS_H
#define SOT_ARTIFACT_CERTIFICATE_PARTS_H

#include "artifact/certificate/certificate.h"
#include "base/json/json.h"

/* A number that is not negative, or null for none; a count; a text that fits; a name. */
SOTTO_MUST_CHECK sotto_status sot_certificate_read_number(const sot_json_value *object,
                                                          const char *key,
                                                          double *out_number,
                                                          sotto_error *error);
SOTTO_MUST_CHECK sotto_status sot_certificate_read_whole(const sot_json_value *object,
                                                         const char *key,
                                                         uint64_t *out_number,
                                                         sotto_error *error);
SOTTO_MUST_CHECK sotto_status sot_certificate_read_field(const sot_json_value *object,
                                                         const char *key, char *out,
                                                         size_t size_bytes,
                                                         sotto_error *error);
SOTTO_MUST_CHECK sotto_status sot_certificate_read_adjacency(const sot_json_value *object,
                                                             sotto_adjacency *out,
                                                             sotto_error *error);

/* The member "ledger", or null. */
SOTTO_MUST_CHECK sotto_status sot_certificate_read_ledger(const sot_json_value *object,
                                                          sot_certificate_file *file,
                                                          sotto_error *error);

#endif
