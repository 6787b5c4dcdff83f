#include "advisories.h"

#include <stdio.h>
#include <string.h>

void cli_json_advisories(cli_json *json, const sotto_certificate_summary *summary)
{
    json_t *list = json_array();
    for (size_t i = 0; i < summary->advisory_count; i++) {
        const sotto_advisory *advisory = summary->advisories[i];
        cli_json row = cli_json_new();
        cli_json_text(&row, "id", advisory->id);
        cli_json_text(&row, "affected", advisory->affected);
        cli_json_text(&row, "fixed_in", advisory->fixed_in);
        cli_json_flag(&row, "affects_privacy", advisory->affects_privacy);
        cli_json_text(&row, "effect", advisory->effect);
        cli_json_text(&row, "remedy", advisory->remedy);
        cli_json_append(json, list, &row);
    }
    cli_json_add(json, "advisories", list);
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
