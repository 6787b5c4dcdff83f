/* Arrow streams that a test makes and reads to their end; memory of exactly the bytes that a buffer needs. */
#ifndef SOTTO_TESTS_ARROW_SCENE_H
#define SOTTO_TESTS_ARROW_SCENE_H

#include "data/arrow.h"
#include "data/schemas.h"

#include <math.h>

#include "base/memory.h"
#include "data/cells/cell.h"
#include "data/readers/readers.h"
#include "data/source/source.h"

static const char table_text[] =
    "{'target': 'smokes', 'unit': {'column': 'person', 'rows': 2}, 'columns': ["
    "{'name': 'age', 'type': 'number', 'lower': -1.5, 'upper': 110.5, 'missing': 41.25},"
    "{'name': 'children', 'type': 'integer', 'lower': 0, 'upper': 12, 'missing': 7},"
    "{'name': 'town', 'type': 'category', 'values': ['Lund', '1', '2.5'], 'missing': "
    "'Lund'},"
    "{'name': 'smokes', 'type': 'boolean', 'missing': true},"
    "{'name': 'person', 'type': 'id'},"
    "{'name': 'note', 'type': 'ignore'}]}";
static const double missing_row[] = {41.25, 7, 0, 1, 0, 0};
enum { COLUMNS = 6, AGE = 0, TOWN = 2, PERSON = 4 };

typedef struct rows {
    double cells[16][COLUMNS];
    char ids[16][64];
    size_t count;
    sotto_status status;
    sotto_error error;
} rows;

static inline sotto_status open_stream(arrow_producer *producer, const char *text,
                                       const sotto_records *apart,
                                       sotto_schema **out_schema, void **out_reader,
                                       sotto_error *error)
{
    struct ArrowArrayStream stream = arrow_stream_of(producer);
    sotto_records records = apart == NULL ? (sotto_records){0} : *apart;
    records.stream = &stream;
    *out_schema = schema_of(text);
    const sot_reader_input input = {.records = &records, .schema = *out_schema};
    *out_reader = NULL;
    const sotto_status status = sot_reader_arrow.open(&input, out_reader, error);
    if (stream.release != NULL) stream.release(&stream);
    return status;
}

/* Reads a stream to its end; every path releases what it was given, once. */
static inline rows read_stream(arrow_producer *producer, const char *text,
                               const sotto_records *apart)
{
    rows out = {.count = 0};
    sotto_schema *schema;
    void *reader;
    sot_record record;
    out.status = open_stream(producer, text, apart, &schema, &reader, &out.error);
    for (bool more = out.status == SOTTO_OK; more;) {
        out.status = sot_reader_arrow.next(reader, &record, &more, &out.error);
        if (out.status != SOTTO_OK || !more) break;
        if (out.count == 16) {
            out.count++;
            break;
        }
        const double *cells = record.cells != NULL ? record.cells : record.values;
        const size_t count = record.cells != NULL ? COLUMNS : record.count;
        memcpy(out.cells[out.count], cells, count * sizeof *cells);
        if (record.unit != NULL)
            memcpy(out.ids[out.count], record.unit, record.unit_bytes);
        if (record.cells == NULL) out.cells[out.count][COLUMNS - 1] = record.label;
        out.count++;
    }
    sot_reader_arrow.close(reader);
    sotto_schema_free(schema);
    assert_true(arrow_all_released(producer));
    if (out.status != SOTTO_OK) assert_null(strstr(out.error.message, "patient"));
    return out;
}

/* A stream that is refused before its first batch. */
static inline void refused(arrow_producer *producer, const char *text,
                           sotto_status status, const char *words)
{
    const rows found = read_stream(producer, text, NULL);
    assert_int_equal(found.status, status);
    assert_non_null(strstr(found.error.message, words));
    assert_int_equal(producer->asked, 0);
}

/* Memory of exactly these bytes, so that the sanitizer sees what lies behind it; freed at the end of a test. */
static void *kept[64];
static size_t kept_count;

static inline void *exactly(const void *bytes, size_t size)
{
    void *copy = malloc(size == 0 ? 1 : size);
    assert_non_null(copy);
    assert_true(kept_count < sizeof kept / sizeof kept[0]);
    memcpy(copy, bytes, size);
    kept[kept_count++] = copy;
    return copy;
}

static inline int forget(void **state)
{
    (void)state;
    while (kept_count > 0)
        free(kept[--kept_count]);
    return 0;
}

/* ---- a stream of two columns ---- */

static const char pair_text[] =
    "{'target': 'town', 'columns': ["
    "{'name': 'age', 'type': 'number', 'lower': 0, 'upper': 200, 'missing': 41.25},"
    "{'name': 'town', 'type': 'category', 'values': ['Lund', 'Ystad', 'Hoor'], "
    "'missing': 'Hoor'}]}";

static const double ages[] = {10, 20, 30, 40, 50, 60};
static const int32_t town_offsets[] = {0, 4, 9, 13, 17, 22, 26};
static const char towns[] = "LundYstadHoorLundYstadHoor";

/* Six rows: age 10 .. 60, town by its text. */
static inline arrow_batch *add_pair(arrow_producer *producer)
{
    if (producer->columns == 0) {
        arrow_add_column(producer, "town", "u", NULL);
        arrow_add_column(producer, "age", "g", NULL);
    }
    arrow_batch *batch = arrow_add_batch(producer, 6);
    batch->buffers[0][1] = exactly(town_offsets, sizeof town_offsets);
    batch->buffers[0][2] = exactly(towns, sizeof towns - 1);
    batch->buffers[1][1] = exactly(ages, sizeof ages);
    return batch;
}

static inline void assert_pair(const rows *found, size_t row, double age, double town)
{
    assert_true(found->cells[row][0] == age);
    assert_true(found->cells[row][1] == town);
}

#endif
