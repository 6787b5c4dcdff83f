/* cli/model/advisories.h: known defects of the version that made a file, as answers show them. */
#ifndef SOTTO_CLI_ADVISORIES_H
#define SOTTO_CLI_ADVISORIES_H

#include <sotto/certificate.h>

#include "frame/output.h"

/* Adds the member "advisories": a list of objects, empty where no advisory concerns the file. */
void cli_json_advisories(sotto_json_writer *json,
                         const sotto_certificate_summary *summary);

/* Fills `out` with the ids, separated by commas, and returns it. */
enum { CLI_ADVISORY_BYTES = 16 * SOTTO_ADVISORIES_MAX };
const char *cli_advisory_ids(const sotto_certificate_summary *summary,
                             char out[CLI_ADVISORY_BYTES]);

#endif
