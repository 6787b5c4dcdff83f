/* commands/report/labels.h: the facts of a labels file for a report. */
#ifndef SOT_COMMANDS_REPORT_LABELS_H
#define SOT_COMMANDS_REPORT_LABELS_H

#include "commands/pate/pate.h"
#include "report/report.h"

/* Facts of a report, with their sources. Start with {0}; release with sot_labels_facts_clear(),
 * also after failure. */
typedef struct sot_labels_facts {
    sot_pate_labels_file labels;
    sot_report_labels report;
    sotto_pate_agreement agreement;
    uint64_t *counts; /* labels of each class */
} sot_labels_facts;

/* Parses the text of a labels' file; `name` is for messages. Its statements on queries must agree
 * with its certificate: SOTTO_PARSE. Prices are computed from the certificate's plan. The
 * certificate itself is not verified here. */
SOTTO_MUST_CHECK sotto_status sot_labels_facts_parse(const char *name, const char *text,
                                                     size_t size_bytes,
                                                     sot_labels_facts *out_facts,
                                                     sotto_error *error);

/* Reads the labels of a student, whose certificate quotes the hash of theirs, `hash`;
 * else SOTTO_INVALID_ARGUMENT. */
SOTTO_MUST_CHECK sotto_status sot_labels_facts_read(const char *path, const char *hash,
                                                    sot_labels_facts *out_facts,
                                                    sotto_error *error);
void sot_labels_facts_clear(sot_labels_facts *facts);

/* The hash of the labels' certificate that a student's certificate quotes; NULL: it is no student's. */
const char *sot_labels_hash_of_student(const sot_certificate *certificate,
                                       char out_hash[SOTTO_HASH_HEX_BYTES]);

#endif
