/* Any bytes as a file of lines, in blocks of any size on one to three threads: the records of the plain reader. The first
 * byte says the format and the number of threads, the next two the size of a block. */
#define _GNU_SOURCE /* memfd_create */
#include <stdlib.h>

#include "base/error.h"
#include "data/source/parallel.h"
#include "lines.h"

enum { COLUMNS = 3, FORMATS = 4 };

static const char table_text[] =
    "{\"unit\": {\"column\": \"id\", \"rows\": 3}, \"columns\": ["
    "{\"name\": \"x\", \"type\": \"number\", \"lower\": -2.5, \"upper\": 7},"
    "{\"name\": \"c\", \"type\": \"category\", \"values\": [\"a\", \"b,c\", \"d\"]},"
    "{\"name\": \"id\", \"type\": \"id\"}]}";
static const char matrix_text[] = "{\"features\": 3, \"labels\": [0, 1], "
                                  "\"row_norm\": {\"bound\": 1, \"rule\": \"scale\"}}";

static const struct {
    const char *option, *schema, *header;
} formats[FORMATS] = {{"csv", table_text, "id,c,x\n"},
                      {"tsv", table_text, "\xef\xbb\xbfid\tx\tc\r\n"},
                      {"jsonl", table_text, ""},
                      {"libsvm", matrix_text, ""}};

/* Records, spelled as bytes. */
typedef struct spelled {
    unsigned char *bytes;
    size_t used, room;
} spelled;

static void add_bytes(spelled *to, const void *bytes, size_t count)
{
    if (to->used + count > to->room) {
        to->room = 2 * (to->used + count);
        to->bytes = realloc(to->bytes, to->room);
        require(to->bytes != NULL);
    }
    if (count > 0) memcpy(to->bytes + to->used, bytes, count);
    to->used += count;
}

static sotto_status add(void *piece, const sot_record *record, sotto_error *error)
{
    (void)error;
    if (record->cells != NULL)
        add_bytes(piece, record->cells, COLUMNS * sizeof *record->cells);
    add_bytes(piece, &record->count, sizeof record->count);
    add_bytes(piece, record->indices, record->count * sizeof *record->indices);
    add_bytes(piece, record->values, record->count * sizeof *record->values);
    add_bytes(piece, &record->label, sizeof record->label);
    add_bytes(piece, &record->unit_bytes, sizeof record->unit_bytes);
    add_bytes(piece, record->unit, record->unit_bytes);
    return SOTTO_OK;
}

static sotto_status make(void *context, void **out_piece, sotto_error *error)
{
    (void)context, (void)error;
    *out_piece = calloc(1, sizeof(spelled));
    require(*out_piece != NULL);
    return SOTTO_OK;
}

static void drop(void *piece)
{
    if (piece != NULL) free(((spelled *)piece)->bytes);
    free(piece);
}

static sotto_status take(void *context, void *pointer, bool *out_full, sotto_error *error)
{
    spelled *piece = pointer;
    (void)out_full, (void)error;
    add_bytes(context, piece->bytes, piece->used);
    piece->used = 0;
    return SOTTO_OK;
}

static const sot_sink sink = {make, drop, add, take};

static sot_source *open_source(const sotto_schema *schema, const char *path,
                               const char *option)
{
    const sotto_data_file file = {.path = path, .format = option};
    sot_source *source = NULL;
    require(sot_source_open(&file, schema, false, &source, NULL) == SOTTO_OK);
    return source;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static sotto_schema *schemas[FORMATS];
    char path[PATH_BYTES];
    if (size < 3) return 0;
    const size_t format = data[0] % FORMATS, threads = 1 + data[0] / FORMATS % 3;
    const size_t block = 1 + data[1] + ((size_t)(data[2] & 3) << 8);
    const size_t lines = 1 + (size_t)(data[2] >> 2);
    if (schemas[format] == NULL)
        require(sotto_schema_parse("fuzz", formats[format].schema,
                                   strlen(formats[format].schema), &schemas[format],
                                   NULL) == SOTTO_OK);
    const int file = open_bytes(formats[format].header, data + 3, size - 3, 0, 0, path);
    spelled plain = {0}, parallel = {0};
    sot_source *source = open_source(schemas[format], path, formats[format].option);
    for (bool more = true; more;) {
        sot_record record;
        require(sot_source_next(source, &record, &more, NULL) == SOTTO_OK);
        if (more) (void)add(&plain, &record, NULL);
    }
    sot_source_close(source);

    source = open_source(schemas[format], path, formats[format].option);
    sot_source_set_threads(source, threads);
    sot_parallel *reading = NULL;
    require(sot_parallel_new(source, block, lines, &sink, &parallel, &reading, NULL) ==
            SOTTO_OK);
    require(sot_parallel_run(reading, NULL) == SOTTO_OK);
    sot_parallel_free(reading);
    sot_source_close(source);
    require(plain.used == parallel.used);
    require(plain.used == 0 || memcmp(plain.bytes, parallel.bytes, plain.used) == 0);
    free(plain.bytes);
    free(parallel.bytes);
    (void)close(file);
    return 0;
}
