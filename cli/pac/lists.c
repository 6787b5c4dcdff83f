/* Lists of counts, as the experiments of sotto pac take them: 10,20,1e3,2^40. */
#include <stdlib.h>
#include <string.h>

#include "pac/pac.h"

enum { PIECE_BYTES = 32, BITS_MOST = 62 };

/* Reads "2^40", or any spelling of a count. */
static sotto_status read_piece(const char *name, const char *piece, uint64_t *out,
                               sotto_error *error)
{
    const cli_option option = {.name = name,
                               .kind = CLI_COUNT,
                               .value = "LIST",
                               .example = "10,100,2^20",
                               .count_max = UINT64_C(1) << BITS_MOST};
    cli_value value;
    if (piece[0] == '2' && piece[1] == '^' && piece[2] >= '0' && piece[2] <= '9') {
        char *end = NULL;
        const unsigned long bits = strtoul(piece + 2, &end, 10);
        if (*end == '\0' && bits <= BITS_MOST) {
            *out = UINT64_C(1) << bits;
            return SOTTO_OK;
        }
    }
    const sotto_status status = cli_value_parse(&option, piece, &value, error);
    if (status == SOTTO_OK) *out = value.count;
    return status;
}

sotto_status pac_counts(const cli_call *call, const char *name,
                        uint64_t out_counts[PAC_COUNTS_MAX], size_t *out_count,
                        sotto_error *error)
{
    size_t count = 0;
    for (const char *at = cli_text(call, name);;) {
        char piece[PIECE_BYTES];
        const size_t length = strcspn(at, ",");
        if (count == PAC_COUNTS_MAX || length >= sizeof piece) {
            return cli_fail(error, SOTTO_INVALID_ARGUMENT,
                            "--%s is %.60s; give up to %d whole numbers, for example "
                            "10,100,2^20",
                            name, cli_text(call, name), PAC_COUNTS_MAX);
        }
        memcpy(piece, at, length);
        piece[length] = '\0';
        const sotto_status status = read_piece(name, piece, &out_counts[count++], error);
        if (status != SOTTO_OK) return status;
        if (at[length] == '\0') break;
        at += length + 1;
    }
    *out_count = count;
    return SOTTO_OK;
}
