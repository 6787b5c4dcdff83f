/* Any bytes as an exported ledger: refused in one line, or a chain that holds.
 *
 * A hash that must fit would stop the fuzzer at the door, so the input is also read as lines
 * without a hash, to which the right one is added: then it is the parser's and the replay's
 * turn to refuse. */
#include <math.h>
#include <string.h>

#include <sodium.h>

#include <sotto/ledger.h>

#include "base/memory.h"
#include "require.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { TAIL_BYTES = 75, LINES_MAX = 64 };

static void check(const char *text, size_t size)
{
    sotto_error error = {SOTTO_OK, ""};
    sotto_ledger_balance balance;
    const sotto_status status =
        sotto_ledger_check_export(text, size, NULL, &balance, &error);
    if (status != SOTTO_OK) {
        require(status == SOTTO_VERIFICATION || status == SOTTO_OUT_OF_MEMORY);
        require(error.status == status && error.message[0] != '\0');
        require(strchr(error.message, '\n') == NULL);
        return;
    }
    /* What is accepted makes sense. */
    require(balance.entries >= 1 && strlen(balance.head) == 64);
    require(balance.epsilon > 0.0 && balance.delta >= 0.0 && balance.delta < 1.0);
    require(balance.spent >= 0.0 && balance.spent <= balance.budget + 0x1p-40);
    require(balance.left >= 0.0 && balance.delta_left >= 0.0);
    require(balance.delta == 0.0 || balance.order > 1.0);
    require(sotto_ledger_check_export(text, size, balance.head, NULL, &error) ==
            SOTTO_OK);
}

/* Each line is cut before ,"hash": and closed with the hash of the rest; a line's ,"previous":
 * is made that of the line before. */
static size_t repair(const char *lines, size_t size, char *out)
{
    char head[65] = "0000000000000000000000000000000000000000000000000000000000000000";
    size_t used = 0;
    for (size_t at = 0; at < size;) {
        const char *end = memchr(lines + at, '\n', size - at);
        const size_t length = end != NULL ? (size_t)(end - lines) - at : size - at;
        size_t body = length > TAIL_BYTES + 78 ? length - TAIL_BYTES - 78 : 0;
        unsigned char hash[32];
        char *start = out + used;
        memcpy(start, lines + at, body);
        memcpy(start + body, ",\"previous\":\"", 13);
        memcpy(start + body + 13, head, 64);
        start[body + 77] = '"';
        body += 78;
        (void)crypto_generichash(hash, sizeof hash, (const unsigned char *)start, body,
                                 NULL, 0);
        (void)sodium_bin2hex(head, sizeof head, hash, sizeof hash);
        memcpy(start + body, ",\"hash\":\"", 9);
        memcpy(start + body + 9, head, 64);
        memcpy(start + body + 73, "\"}\n", 3);
        used += body + 76;
        at += length + 1;
    }
    return used;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t lines = 1;
    check((const char *)data, size);
    for (size_t i = 0; i < size; i++)
        lines += data[i] == '\n';
    if (lines > LINES_MAX || size == 0) return 0;
    char *repaired = sot_new_array(size + lines * (78 + 76) + 1, 1);
    if (repaired == NULL) return 0;
    const size_t repaired_size = repair((const char *)data, size, repaired);
    check(repaired, repaired_size);
    sot_free(repaired);
    return 0;
}
