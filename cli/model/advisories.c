#include "model/advisories.h"

#include <stdio.h>
#include <string.h>

void cli_json_advisories(sotto_json_writer *json,
                         const sotto_certificate_summary *summary)
{
    sotto_json_array(json, "advisories");
    for (size_t i = 0; i < summary->advisory_count; i++) {
        const sotto_advisory *advisory = summary->advisories[i];
        sotto_json_object(json, NULL);
        sotto_json_text(json, "id", advisory->id);
        sotto_json_text(json, "affected", advisory->affected);
        sotto_json_text(json, "fixed_in", advisory->fixed_in);
        sotto_json_flag(json, "affects_privacy", advisory->affects_privacy);
        sotto_json_text(json, "effect", advisory->effect);
        sotto_json_text(json, "remedy", advisory->remedy);
        sotto_json_end(json);
    }
    sotto_json_end(json);
}

const char *cli_advisory_ids(const sotto_certificate_summary *summary,
                             char out[CLI_ADVISORY_BYTES])
{
    out[0] = '\0';
    for (size_t i = 0; i < summary->advisory_count; i++) {
        const size_t used = strlen(out);
        (void)snprintf(out + used, CLI_ADVISORY_BYTES - used, "%s%.13s",
                       i > 0 ? ", " : "", summary->advisories[i]->id);
    }
    return out;
}
