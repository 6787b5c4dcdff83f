/* cli/optional.h: parts that sotto works without: whether they are here, and the command that installs each. */
#ifndef SOTTO_CLI_OPTIONAL_H
#define SOTTO_CLI_OPTIONAL_H

#include <stdbool.h>
#include <stddef.h>

typedef struct cli_part {
    const char *name;
    const char *purpose;
    char install[128]; /* one command */
    bool present;
    char detail[64]; /* version or place; "" if there is none */
} cli_part;

enum { CLI_PARTS = 11 };

/* Looks for every part. Asks python3 for its packages, without importing one. */
void cli_find_parts(cli_part parts[CLI_PARTS]);

#endif
