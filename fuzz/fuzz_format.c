/* Any bytes under any name: the format is decided, or refused in one line, and no record has a say. Behind the first line of a
 * table all bytes may change; where there is no header, all bytes may. The first byte says the name and the schema. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "data/source/format.h"
#include "require.h"

enum { PATH_BYTES = 64 };

static const char *const names[] = {"rows",       "rows.csv",    "rows.tsv",
                                    "rows.jsonl", "rows.ndjson", "rows.libsvm",
                                    "rows.npy",   "rows.bin"};
enum { NAMES = sizeof names / sizeof names[0] };

typedef struct decision {
    const sot_reader_kind *kind;
    sotto_status status;
    sotto_error error;
} decision;

static decision decide(const char *name, bool is_matrix, const uint8_t *bytes,
                       size_t size)
{
    char path[PATH_BYTES];
    decision made = {0};
    (void)snprintf(path, sizeof path, "/tmp/sotto_fuzz_%ld_%s", (long)getpid(), name);
    FILE *file = fopen(path, "wb");
    require(file != NULL && fwrite(bytes, 1, size, file) == size && fclose(file) == 0);
    const sotto_data_file data = {.path = path};
    made.status = sot_format_decide(&data, is_matrix, &made.kind, &made.error);
    (void)unlink(path);
    require(made.status == SOTTO_OK ? made.kind != NULL
                                    : strchr(made.error.message, '\n') == NULL);
    return made;
}

static void require_same(const decision *a, const decision *b)
{
    require(a->status == b->status);
    require(a->status == SOTTO_OK ? a->kind == b->kind
                                  : strcmp(a->error.message, b->error.message) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1) return 0;
    const char *name = names[data[0] % NAMES];
    const bool is_matrix = (data[0] & 0x80) != 0;
    const uint8_t *bytes = data + 1;
    size--;
    const decision whole = decide(name, is_matrix, bytes, size);
    const uint8_t *line_feed = memchr(bytes, '\n', size);
    const bool is_packed = size >= 2 && bytes[0] == 0x1f && bytes[1] == 0x8b;
    if (whole.kind != NULL && whole.kind->begins_with_names) {
        if (line_feed == NULL || is_packed) return 0;
        const decision header =
            decide(name, is_matrix, bytes, (size_t)(line_feed - bytes) + 1);
        require_same(&whole, &header);
        return 0;
    }
    const decision empty = decide(name, is_matrix, bytes, 0);
    if (whole.kind != NULL) require_same(&whole, &empty);
    return 0;
}
