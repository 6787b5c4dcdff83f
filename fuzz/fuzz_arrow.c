/* Any bytes are an Arrow stream: types, lengths, offsets, bitmaps, texts, views and dictionaries, changing from batch to
 * batch. Buffers are as long as lengths and offsets say, which the interface asks of a producer; all else is odd. A stream is
 * refused before its first batch or gives as many rows as its batches have, each with cells within the schema's bounds; a second
 * reading gives the same rows; everything is released once. */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../tests/data/arrow.h"
#include "data/readers/readers.h"
#include "require.h"

enum {
    LENGTH_MAX = 40,
    PLACES = 4 * LENGTH_MAX,
    TEXT_BYTES = 64,
    ROWS_MAX = 4 * LENGTH_MAX
};

static const char schema_text[] =
    "{\"target\": \"flag\", \"unit\": {\"column\": \"id\", \"rows\": 2}, \"columns\": ["
    "{\"name\": \"number\", \"type\": \"number\", \"lower\": -5, \"upper\": 100, "
    "\"time_unit\": \"day\"},"
    "{\"name\": \"word\", \"type\": \"category\", \"values\": [\"1\", \"0.5\", \"aa\"], "
    "\"missing\": \"aa\"},"
    "{\"name\": \"flag\", \"type\": \"boolean\"}, {\"name\": \"id\", \"type\": \"id\"}]}";

static const char *const formats[] = {
    "n", "b", "c", "C",  "s", "S", "i",  "I",     "l",           "L",   "e", "f",
    "g", "u", "U", "vu", "z", "Z", "vz", "d:9,3", "d:38,-9,128", "tdD", "+l"};

typedef struct input {
    const uint8_t *bytes;
    size_t size, at;
} input;

static uint8_t take(input *in)
{
    return in->at < in->size ? in->bytes[in->at++] : 0;
}

static void take_many(input *in, void *out, size_t size)
{
    for (size_t i = 0; i < size; i++)
        ((uint8_t *)out)[i] = take(in);
}

/* Memory of one stream, freed at its end. */
static void *kept[256];
static size_t kept_count;

static void *room(size_t size)
{
    require(kept_count < sizeof kept / sizeof kept[0]);
    kept[kept_count] = calloc(1, size);
    require(kept[kept_count] != NULL);
    return kept[kept_count++];
}

/* Mostly small; sometimes what no array has. */
static int64_t take_length(input *in)
{
    static const int64_t odd[] = {-1, INT64_MIN, INT64_MAX, INT64_C(1) << 57};
    const uint8_t byte = take(in);
    return byte >= 252 ? odd[byte - 252] : byte % LENGTH_MAX;
}

/* The last offset that counts is the length of the text, or less. */
static void fill_offsets(input *in, const struct ArrowArray *array, bool wide,
                         void *values)
{
    const bool whole = array->length >= 0 && array->length < LENGTH_MAX &&
                       array->offset >= 0 && array->offset < LENGTH_MAX;
    for (size_t i = 0; i < PLACES; i++) {
        const int64_t offset = (int64_t)(int8_t)take(in) % (TEXT_BYTES + 1);
        const int64_t last = (int64_t)(take(in) % (TEXT_BYTES + 1));
        const bool ends = whole && i == (size_t)(array->length + array->offset);
        const int64_t stored = ends ? last : offset;
        if (wide) {
            ((int64_t *)values)[i] = stored;
        } else {
            ((int32_t *)values)[i] = (int32_t)stored;
        }
    }
}

static void fill_array(input *in, const char *format, struct ArrowArray *array)
{
    const void **buffers = room(4 * sizeof *buffers);
    uint8_t *values = room(PLACES * 16);
    const uint8_t shape = take(in);
    *array = (struct ArrowArray){.length = take_length(in),
                                 .offset = take_length(in),
                                 .null_count = (int8_t)take(in),
                                 .n_buffers = shape % 16 == 15 ? take(in) % 3 : 3,
                                 .buffers = shape % 16 == 14 ? NULL : buffers};
    if (shape % 4 == 1) {
        buffers[0] = room(PLACES / 8 + 1);
        uint8_t *bits = kept[kept_count - 1];
        take_many(in, bits, PLACES / 8 + 1);
    }
    const bool is_view = format[0] == 'v';
    if (strchr("uUzZ", format[0]) != NULL && format[0] != '\0') {
        fill_offsets(in, array, format[0] == 'U' || format[0] == 'Z', values);
        buffers[2] = shape % 16 == 13 ? NULL : room(TEXT_BYTES);
        if (buffers[2] != NULL) take_many(in, kept[kept_count - 1], TEXT_BYTES);
    } else {
        take_many(in, values, PLACES * 16);
    }
    buffers[1] = shape % 16 == 12 ? NULL : values;
    if (is_view) {
        static const int64_t sizes[] = {TEXT_BYTES};
        buffers[2] = room(TEXT_BYTES);
        take_many(in, kept[kept_count - 1], TEXT_BYTES);
        buffers[3] = sizes;
        if (array->n_buffers == 3) array->n_buffers = 4;
    }
}

static void build(input *in, arrow_producer *producer)
{
    static const char *const names[] = {"id", "word", "flag", "number"};
    const size_t count = sizeof formats / sizeof formats[0];
    for (size_t i = 0; i < 4; i++) {
        const uint8_t kind = take(in);
        static const char *const times[] = {"tdD", "tdm", "tss:", "tsn:UTC"};
        const bool is_time = strcmp(formats[kind % count], "tdD") == 0;
        const char *format = is_time ? times[kind / count % 4] : formats[kind % count];
        const bool has_codes = kind >= 128;
        arrow_add_column(producer, names[i], has_codes ? formats[2 + kind % 8] : format,
                         has_codes ? format : NULL);
    }
    const size_t batches = 1 + take(in) % 3;
    for (size_t b = 0; b < batches; b++) {
        arrow_batch *batch = arrow_add_batch(producer, take_length(in));
        batch->array.offset = take(in) % 8 == 7 ? take_length(in) : 0;
        batch->array.n_children = take(in) % 16 == 15 ? take(in) % 4 : 4;
        for (size_t i = 0; i < 4; i++) {
            fill_array(in, producer->formats[i], &batch->columns[i]);
            if (producer->dictionaries[i] == NULL) continue;
            fill_array(in, producer->dictionaries[i], &batch->dictionaries[i]);
            batch->columns[i].dictionary =
                take(in) % 16 == 15 ? NULL : &batch->dictionaries[i];
        }
        if (take(in) % 4 == 3 && batch->array.offset >= 0 &&
            batch->array.offset < LENGTH_MAX) {
            batch->outer_buffers[0] = room(PLACES / 8 + 1);
            take_many(in, kept[kept_count - 1], PLACES / 8 + 1);
        }
    }
    producer->fails_at = take(in) % 8 == 7 ? 1 + take(in) % 3 : 0;
}

typedef struct rows {
    double cells[ROWS_MAX][4];
    size_t id_bytes[ROWS_MAX];
    size_t count;
    sotto_status opened, ended;
} rows;

static rows read_all(arrow_producer *producer, const sotto_schema *schema)
{
    rows out;
    memset(&out, 0, sizeof out);
    struct ArrowArrayStream stream = arrow_stream_of(producer);
    const sotto_records records = {.stream = &stream};
    const sot_reader_input in = {.records = &records, .schema = schema};
    sotto_error error = {.status = SOTTO_OK};
    void *reader = NULL;
    producer->asked = 0;
    out.opened = out.ended = sot_reader_arrow.open(&in, &reader, &error);
    require(out.opened == SOTTO_OK || producer->asked == 0);
    for (bool more = out.opened == SOTTO_OK; more;) {
        sot_record record;
        out.ended = sot_reader_arrow.next(reader, &record, &more, &error);
        if (out.ended != SOTTO_OK || !more) break;
        require(out.count < ROWS_MAX && record.cells != NULL && record.unit != NULL);
        memcpy(out.cells[out.count], record.cells, sizeof out.cells[0]);
        out.id_bytes[out.count++] = record.unit_bytes;
        require(record.cells[0] >= -5 && record.cells[0] <= 100);
        require(record.cells[1] == 0 || record.cells[1] == 1 || record.cells[1] == 2);
        require(record.cells[2] == 0 || record.cells[2] == 1);
    }
    require(out.ended == SOTTO_OK || strstr(error.message, "patient") == NULL);
    sot_reader_arrow.close(reader);
    require(arrow_all_released(producer));
    return out;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static arrow_producer producer;
    static rows first, second;
    input in = {.bytes = data, .size = size};
    sotto_schema *schema = NULL;
    require(sotto_schema_parse("s", schema_text, sizeof schema_text - 1, &schema, NULL) ==
            SOTTO_OK);
    memset(&producer, 0, sizeof producer);
    build(&in, &producer);
    first = read_all(&producer, schema);
    if (first.opened == SOTTO_OK && first.ended == SOTTO_OK) {
        size_t expected = 0;
        for (size_t i = 0; i < producer.batch_count; i++)
            expected += producer.batches[i].array.length < 0
                            ? 0
                            : (size_t)producer.batches[i].array.length;
        require(first.count == expected);
    }
    second = read_all(&producer, schema);
    require(memcmp(&first, &second, sizeof first) == 0);
    sotto_schema_free(schema);
    while (kept_count > 0)
        free(kept[--kept_count]);
    return 0;
}
