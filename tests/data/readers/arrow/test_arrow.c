/* Arrow streams: types, nulls, slices and dictionaries give the cells of a file; whatever a producer does, no
 * record, batch or dictionary stops a reader, and everything is released once. */
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

static sotto_status open_stream(arrow_producer *producer, const char *text,
                                const sotto_records *apart, sotto_schema **out_schema,
                                void **out_reader, sotto_error *error)
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
static rows read_stream(arrow_producer *producer, const char *text,
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

/* Memory of exactly these bytes, so that the sanitizer sees what lies behind it; freed at the end of a test. */
static void *kept[64];
static size_t kept_count;

static void *exactly(const void *bytes, size_t size)
{
    void *copy = malloc(size == 0 ? 1 : size);
    assert_non_null(copy);
    assert_true(kept_count < sizeof kept / sizeof kept[0]);
    memcpy(copy, bytes, size);
    kept[kept_count++] = copy;
    return copy;
}

static int forget(void **state)
{
    (void)state;
    while (kept_count > 0)
        free(kept[--kept_count]);
    return 0;
}

/* ---- values ---- */

/* One value in one layout. */
typedef struct one_value {
    const char *format, *dictionary;
    size_t bytes;
    union {
        unsigned char raw[16];
        int8_t int8;
        uint8_t uint8;
        int16_t int16;
        uint16_t uint16;
        int32_t int32;
        uint32_t uint32;
        int64_t int64;
        uint64_t uint64;
        float float32;
        double float64;
        struct {
            uint64_t low, high;
        } decimal;
        struct {
            int32_t length;
            char text[12];
        } view;
    } value;
    const char *text; /* of utf8 */
} one_value;

static void fill_form(arrow_producer *producer, arrow_batch *batch, size_t column,
                      const one_value *form)
{
    const void **buffers = batch->buffers[column];
    const size_t size = form->text == NULL ? 0 : strlen(form->text);
    const int32_t narrow[] = {0, (int32_t)size};
    const int64_t wide[] = {0, (int64_t)size};
    const int64_t no_sizes = 0;
    (void)producer;
    if (form->dictionary != NULL) {
        buffers[1] = exactly(&form->value.int8, 1);
        batch->dictionaries[column].length = 1;
        buffers = batch->dictionary_buffers[column];
    } else if (form->text == NULL) {
        buffers[1] = exactly(form->value.raw, form->bytes);
    }
    if (form->text != NULL) {
        const bool is_wide = strcmp(form->format, "U") == 0;
        buffers[1] =
            is_wide ? exactly(wide, sizeof wide) : exactly(narrow, sizeof narrow);
        buffers[2] = exactly(form->text, size);
    }
    if (strcmp(form->format, "vu") == 0) buffers[2] = exactly(&no_sizes, sizeof no_sizes);
}

static void a_value_counts_the_same_from_every_type(void **state)
{
    (void)state;
    static const one_value ones[] = {
        {"b", NULL, 1, {.uint8 = 1}, NULL},
        {"c", NULL, 1, {.int8 = 1}, NULL},
        {"C", NULL, 1, {.uint8 = 1}, NULL},
        {"s", NULL, 2, {.int16 = 1}, NULL},
        {"S", NULL, 2, {.uint16 = 1}, NULL},
        {"i", NULL, 4, {.int32 = 1}, NULL},
        {"I", NULL, 4, {.uint32 = 1}, NULL},
        {"l", NULL, 8, {.int64 = 1}, NULL},
        {"L", NULL, 8, {.uint64 = 1}, NULL},
        {"e", NULL, 2, {.uint16 = 0x3c00}, NULL},
        {"f", NULL, 4, {.float32 = 1}, NULL},
        {"g", NULL, 8, {.float64 = 1}, NULL},
        {"d:5,2", NULL, 16, {.decimal = {100, 0}}, NULL},
        {"d:38,0,128", NULL, 16, {.decimal = {1, 0}}, NULL},
        {"u", NULL, 0, {.int8 = 0}, " 1\t"},
        {"U", NULL, 0, {.int8 = 0}, "1"},
        {"z", NULL, 0, {.int8 = 0}, "1"},
        {"vu", NULL, 16, {.view = {1, "1"}}, NULL},
        {"c", "u", 1, {.int8 = 0}, "1"},
    };
    static const one_value halves[] = {
        {"e", NULL, 2, {.uint16 = 0x4100}, NULL},
        {"f", NULL, 4, {.float32 = 2.5F}, NULL},
        {"g", NULL, 8, {.float64 = 2.5}, NULL},
        {"d:9,3", NULL, 16, {.decimal = {2500, 0}}, NULL},
        {"u", NULL, 0, {.int8 = 0}, "2.5"},
        {"C", "U", 1, {.int8 = 0}, "2.5"},
    };
    static const double one_row[] = {1, 1, 1, 1, 0, 0}, half_row[] = {2.5, 7, 2, 1, 0, 0};
    for (size_t which = 0;
         which < sizeof ones / sizeof ones[0] + sizeof halves / sizeof halves[0];
         which++) {
        const size_t count = sizeof ones / sizeof ones[0];
        const one_value *form = which < count ? &ones[which] : &halves[which - count];
        arrow_producer producer = {.columns = 0};
        static const char *const names[] = {"smokes", "person", "town", "age",
                                            "children"};
        for (size_t i = 0; i < 5; i++)
            arrow_add_column(&producer, names[i], form->format, form->dictionary);
        if (form->dictionary != NULL && strcmp(form->dictionary, "U") == 0)
            for (size_t i = 0; i < 5; i++)
                producer.dictionaries[i] = "u";
        arrow_batch *batch = arrow_add_batch(&producer, 1);
        for (size_t i = 0; i < 5; i++)
            fill_form(&producer, batch, i, form);
        const rows found = read_stream(&producer, table_text, NULL);
        assert_ok(found.status, &found.error);
        assert_int_equal(found.count, 1);
        assert_memory_equal(found.cells[0], which < count ? one_row : half_row,
                            sizeof found.cells[0]);
        assert_string_equal(found.ids[0], which < count ? "1" : "2.5");
        (void)forget(NULL);
    }
}

/* An id has all its digits, and one spelling. */
static void ids_keep_all_their_digits(void **state)
{
    (void)state;
    static const struct {
        one_value form;
        const char *id;
    } cases[] = {
        {{"l", NULL, 8, {.int64 = INT64_MIN}, NULL}, "-9223372036854775808"},
        {{"L", NULL, 8, {.uint64 = UINT64_MAX}, NULL}, "18446744073709551615"},
        {{"l", NULL, 8, {.int64 = 9007199254740993}, NULL}, "9007199254740993"},
        {{"g", NULL, 8, {.float64 = 1e20}, NULL}, "100000000000000000000"},
        {{"g", NULL, 8, {.float64 = -0.0}, NULL}, "0"},
        {{"g", NULL, 8, {.float64 = 1e301}, NULL}, ""},
        {{"g", NULL, 8, {.float64 = (double)INFINITY}, NULL}, "inf"},
        {{"g", NULL, 8, {.float64 = (double)NAN}, NULL}, ""},
        {{"f", NULL, 4, {.float32 = 0.1F}, NULL}, "0.10000000149011612"},
        {{"e", NULL, 2, {.uint16 = 0x0001}, NULL}, "5.960464477539063e-8"},
        {{"e", NULL, 2, {.uint16 = 0xfc00}, NULL}, "-inf"},
        {{"d:38,2", NULL, 16, {.decimal = {UINT64_MAX - 249, UINT64_MAX}}, NULL}, "-2.5"},
        {{"d:38,5", NULL, 16, {.decimal = {12, 0}}, NULL}, "0.00012"},
        {{"d:38,9", NULL, 16, {.decimal = {12, 0}}, NULL}, "1.2e-8"},
        {{"d:38,9", NULL, 16, {.decimal = {1, 0}}, NULL}, "1e-9"},
        {{"d:38,0", NULL, 16, {.decimal = {0, 1}}, NULL}, "18446744073709551616"},
        {{"d:3,-2", NULL, 16, {.decimal = {7, 0}}, NULL}, "700"},
        {{"d:3,-300", NULL, 16, {.decimal = {7, 0}}, NULL}, ""},
        {{"d:3,1", NULL, 16, {.decimal = {0, 0}}, NULL}, "0"},
        {{"b", NULL, 1, {.uint8 = 0xfe}, NULL}, "0"},
        {{"u", NULL, 0, {.int8 = 0}, "\t p 1 "}, "p 1"},
        {{"u", NULL, 0, {.int8 = 0}, "  "}, ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        arrow_producer producer = {.columns = 0};
        arrow_add_column(&producer, "person", cases[i].form.format, NULL);
        static const char *const others[] = {"town", "age", "children", "smokes"};
        for (size_t k = 0; k < 4; k++)
            arrow_add_column(&producer, others[k], "n", NULL);
        arrow_batch *batch = arrow_add_batch(&producer, 1);
        fill_form(&producer, batch, 0, &cases[i].form);
        const rows found = read_stream(&producer, table_text, NULL);
        assert_ok(found.status, &found.error);
        assert_string_equal(found.ids[0], cases[i].id);
        assert_memory_equal(found.cells[0], missing_row, sizeof missing_row);
        (void)forget(NULL);
    }
}

/* ---- a stream of two columns for all that follows ---- */

static const char pair_text[] =
    "{'target': 'town', 'columns': ["
    "{'name': 'age', 'type': 'number', 'lower': 0, 'upper': 200, 'missing': 41.25},"
    "{'name': 'town', 'type': 'category', 'values': ['Lund', 'Ystad', 'Hoor'], "
    "'missing': 'Hoor'}]}";

static const double ages[] = {10, 20, 30, 40, 50, 60};
static const int32_t town_offsets[] = {0, 4, 9, 13, 17, 22, 26};
static const char towns[] = "LundYstadHoorLundYstadHoor";

/* Six rows: age 10 .. 60, town by its text. */
static arrow_batch *add_pair(arrow_producer *producer)
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

static void assert_pair(const rows *found, size_t row, double age, double town)
{
    assert_true(found->cells[row][0] == age);
    assert_true(found->cells[row][1] == town);
}

static void offsets_of_the_struct_apply_to_its_columns(void **state)
{
    (void)state;
    arrow_producer producer = {.columns = 0};
    arrow_batch *batch = add_pair(&producer);
    const uint8_t age_bits = 0x37;   /* 40 and 30 .. : bit 3 is null */
    const uint8_t outer_bits = 0xef; /* bit 4 */
    batch->array.offset = 1;         /* rows 1, 2, 3 of the columns */
    batch->array.length = 3;
    batch->columns[1].offset = 1; /* of age: 2, 3, 4 */
    batch->columns[1].length = 5;
    batch->buffers[1][0] = exactly(&age_bits, 1);
    batch->columns[1].null_count = 0; /* the bitmap counts */
    rows found = read_stream(&producer, pair_text, NULL);
    assert_ok(found.status, &found.error);
    assert_int_equal(found.count, 3);
    assert_pair(&found, 0, 30, 1);
    assert_pair(&found, 1, 41.25, 2);
    assert_pair(&found, 2, 50, 0);
    batch->array.offset = 3;
    batch->outer_buffers[0] = exactly(&outer_bits, 1);
    producer.asked = 0;
    found = read_stream(&producer, pair_text, NULL);
    assert_int_equal(found.count, 3);
    assert_pair(&found, 0, 50, 0);
    assert_pair(&found, 1, 41.25, 2); /* the row is null */
    assert_pair(&found, 2, 41.25, 2); /* behind the last age */
}

static void a_dictionary_belongs_to_its_batch(void **state)
{
    (void)state;
    static const int32_t offsets[3][3] = {{0, 4, 9}, {0, 5, 9}, {0, 4, 4}};
    static const char *const texts[] = {"LundYstad", "YstadLund", "Hoor"};
    static const int8_t codes[] = {0, 1, -1, 2, 127, 0};
    static const double expected[3][6] = {
        {0, 1, 2, 2, 2, 0}, {1, 0, 2, 2, 2, 1}, {2, 2, 2, 2, 2, 2}};
    arrow_producer producer = {.columns = 0};
    arrow_add_column(&producer, "town", "c", "u");
    arrow_add_column(&producer, "age", "g", NULL);
    for (size_t i = 0; i < 3; i++) {
        arrow_batch *batch = arrow_add_batch(&producer, 6);
        batch->buffers[0][1] = exactly(codes, sizeof codes);
        batch->dictionaries[0].length = 2;
        batch->dictionary_buffers[0][1] = exactly(offsets[i], sizeof offsets[i]);
        batch->dictionary_buffers[0][2] = exactly(texts[i], strlen(texts[i]));
        batch->buffers[1][1] = exactly(ages, sizeof ages);
    }
    arrow_producer first = producer;
    first.batch_count = 2;
    rows found = read_stream(&first, pair_text, NULL);
    assert_ok(found.status, &found.error);
    assert_int_equal(found.count, 12);
    for (size_t i = 0; i < 12; i++)
        assert_pair(&found, i, ages[i % 6], expected[i / 6][i % 6]);
    producer.batches[0] = producer.batches[2];
    producer.batches[0].array.children = producer.batches[0].children;
    const uint8_t none = 0xfe; /* the first entry of the dictionary is null */
    producer.batches[2].dictionary_buffers[0][0] = exactly(&none, 1);
    producer.batches[0] = producer.batches[2];
    producer.batches[1].columns[0].dictionary = NULL;
    producer.batches[2].dictionaries[0].length = -1;
    found = read_stream(&producer, pair_text, NULL);
    assert_int_equal(found.count, 16 + 1);
    for (size_t i = 0; i < 16; i++)
        assert_pair(&found, i, ages[i % 6], 2);
}

static void long_texts_of_views_lie_in_their_buffers(void **state)
{
    (void)state;
    static const char text_of_schema[] =
        "{'target': 'town', 'columns': [{'name': 'town', 'type': 'category', 'values': "
        "['Kristianstad Vilan', 'Lund', 'other'], 'missing': 'other'}]}";
    static const char long_text[] = "Kristianstad Vilan";
    struct view {
        int32_t length;
        char prefix[4];
        int32_t part, from;
    } views[] = {{18, "Kris", 0, 2},  {18, "Kris", 0, 3},     {18, "Kris", 1, 0},
                 {18, "Kris", -1, 0}, {18, "Kris", 0, -1},    {-5, "Lund", 0, 0},
                 {4, "Lund", 77, -9}, {INT32_MAX, "x", 0, 5}, {0, "", 0, 0}};
    const int64_t sizes[] = {20, -3};
    char part[20];
    (void)memset(part, '-', sizeof part);
    memcpy(part + 2, long_text, 18);
    arrow_producer producer = {.columns = 0};
    arrow_add_column(&producer, "town", "vu", NULL);
    arrow_batch *batch = arrow_add_batch(&producer, 9);
    const void *buffers[] = {NULL, exactly(views, sizeof views),
                             exactly(part, sizeof part), exactly(part, 1),
                             exactly(sizes, sizeof sizes)};
    batch->columns[0].buffers = buffers;
    batch->columns[0].n_buffers = 5;
    static const double expected[] = {0, 2, 2, 2, 2, 2, 1, 2, 2};
    rows found = read_stream(&producer, text_of_schema, NULL);
    assert_ok(found.status, &found.error);
    assert_int_equal(found.count, 9);
    for (size_t i = 0; i < 9; i++)
        assert_true(found.cells[i][0] == expected[i]);
    buffers[4] = NULL; /* no sizes: only inline texts */
    producer.asked = 0;
    found = read_stream(&producer, text_of_schema, NULL);
    assert_true(found.cells[0][0] == 2 && found.cells[6][0] == 1);
}

/* ---- hostile batches ---- */

typedef enum harm {
    NEGATIVE_LENGTH,
    NEGATIVE_OFFSET,
    HUGE_OFFSET,
    HUGE_LENGTH_OVERFLOW,
    SHORT_COLUMN,
    NO_BUFFERS,
    NULL_BUFFER_LIST,
    NO_VALUES,
    NO_CHILD,
    FEWER_CHILDREN,
    NULL_CHILDREN,
    NEGATIVE_CHILDREN,
    NEGATIVE_OUTER_OFFSET,
    HUGE_OUTER_OFFSET,
    HARMS
} harm;

static void harm_batch(arrow_batch *batch, harm kind)
{
    struct ArrowArray *town = &batch->columns[0];
    switch (kind) {
    case NEGATIVE_LENGTH:
        town->length = -1;
        return;
    case NEGATIVE_OFFSET:
        town->offset = -1;
        return;
    case HUGE_OFFSET:
        town->offset = INT64_MAX;
        return;
    case HUGE_LENGTH_OVERFLOW:
        town->length = INT64_MAX;
        town->offset = INT64_MAX;
        return;
    case SHORT_COLUMN:
        town->length = 0;
        return;
    case NO_BUFFERS:
        town->n_buffers = 0;
        return;
    case NULL_BUFFER_LIST:
        town->buffers = NULL;
        return;
    case NO_VALUES:
        town->buffers[1] = NULL;
        return;
    case NO_CHILD:
        batch->children[0] = NULL;
        return;
    case FEWER_CHILDREN:
        batch->array.n_children = 0;
        return;
    case NULL_CHILDREN:
        batch->array.children = NULL;
        return;
    case NEGATIVE_CHILDREN:
        batch->array.n_children = INT64_MIN;
        return;
    case NEGATIVE_OUTER_OFFSET:
        batch->array.offset = INT64_MIN;
        return;
    case HUGE_OUTER_OFFSET:
        batch->array.offset = INT64_MAX;
        return;
    case HARMS:
        return;
    }
}

/* A batch that makes no sense has rows without cells; those before and after it are whole. */
static void an_odd_batch_stops_nothing(void **state)
{
    (void)state;
    for (harm kind = 0; kind < HARMS; kind++) {
        arrow_producer producer = {.columns = 0};
        (void)add_pair(&producer);
        harm_batch(add_pair(&producer), kind);
        arrow_batch *last = add_pair(&producer);
        last->array.length = 3;
        const rows found = read_stream(&producer, pair_text, NULL);
        assert_ok(found.status, &found.error);
        assert_int_equal(found.count, 15);
        for (size_t i = 0; i < 15; i++) {
            const bool odd = i >= 6 && i < 12, both = odd && kind >= FEWER_CHILDREN;
            assert_pair(&found, i, both ? 41.25 : ages[i % 6], odd ? 2 : (double)(i % 3));
        }
        (void)forget(NULL);
    }
}

static void a_batch_of_negative_length_has_no_rows(void **state)
{
    (void)state;
    arrow_producer producer = {.columns = 0};
    add_pair(&producer)->array.length = INT64_MIN;
    add_pair(&producer)->array.length = 0;
    (void)add_pair(&producer);
    const rows found = read_stream(&producer, pair_text, NULL);
    assert_ok(found.status, &found.error);
    assert_int_equal(found.count, 6);
}

static void offsets_of_texts_that_make_no_sense_are_missing(void **state)
{
    (void)state;
    static const int32_t offsets[] = {0, 4, 2147483647, 9, -5, 13, 26};
    static const double expected[] = {0, 2, 2, 2, 2, 2};
    arrow_producer producer = {.columns = 0};
    arrow_batch *batch = add_pair(&producer);
    batch->buffers[0][1] = exactly(offsets, sizeof offsets);
    rows found = read_stream(&producer, pair_text, NULL);
    assert_ok(found.status, &found.error);
    for (size_t i = 0; i < 6; i++)
        assert_pair(&found, i, ages[i], expected[i]);
    batch->buffers[0][2] = NULL; /* no texts */
    producer.asked = 0;
    found = read_stream(&producer, pair_text, NULL);
    for (size_t i = 0; i < 6; i++)
        assert_pair(&found, i, ages[i], 2);
}

/* ---- failures ---- */

static void a_stream_that_fails_gives_one_sentence(void **state)
{
    (void)state;
    char sentence[256] = "";
    for (size_t at = 1; at <= 3; at++) {
        arrow_producer producer = {.columns = 0, .fails_at = at};
        (void)add_pair(&producer);
        (void)add_pair(&producer);
        const rows found = read_stream(&producer, pair_text, NULL);
        assert_int_equal(found.status, SOTTO_IO);
        assert_int_equal(found.count, 6 * (at - 1));
        if (at == 1) (void)snprintf(sentence, sizeof sentence, "%s", found.error.message);
        assert_string_equal(found.error.message, sentence);
        (void)forget(NULL);
    }
    arrow_producer producer = {.columns = 0, .schema_fails = true};
    (void)add_pair(&producer);
    const rows found = read_stream(&producer, pair_text, NULL);
    assert_int_equal(found.status, SOTTO_IO);
    assert_string_equal(found.error.message, sentence);
}

static void a_stream_is_read_once(void **state)
{
    (void)state;
    sotto_error error;
    sotto_schema *schema = schema_of(pair_text);
    arrow_producer producer = {.columns = 0};
    (void)add_pair(&producer);
    struct ArrowArrayStream stream = arrow_stream_of(&producer);
    const sotto_records records = {.stream = &stream};
    const sot_reader_input input = {.records = &records, .schema = schema};
    void *reader = NULL, *again = NULL;
    assert_ok(sot_reader_arrow.open(&input, &reader, &error), &error);
    assert_null(stream.release);
    assert_refused(sot_reader_arrow.open(&input, &again, &error), SOTTO_INVALID_ARGUMENT,
                   &error, "was read before", NULL);
    assert_refused(sot_reader_arrow.check_rereading(reader, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "only once", NULL);
    assert_refused(sot_reader_arrow.rewind(reader, &error), SOTTO_INVALID_ARGUMENT,
                   &error, "only once", NULL);
    sot_reader_arrow.close(reader);
    sot_reader_arrow.close(NULL);
    assert_true(arrow_all_released(&producer));
    sotto_schema_free(schema);
}

static void an_endless_stream_ends_at_the_row_limit(void **state)
{
    (void)state;
    arrow_producer producer = {.columns = 0, .endless = true};
    arrow_batch *batch = add_pair(&producer);
    rows found = read_stream(&producer, pair_text, NULL);
    assert_int_equal(found.count, 17); /* it goes on */
    batch->array.length = INT64_C(1) << 33;
    producer.asked = 0;
    found = read_stream(&producer, pair_text, NULL);
    assert_int_equal(found.status, SOTTO_IO);
    assert_non_null(strstr(found.error.message, "more than 2^32 rows"));
    batch->array.length = INT64_MAX;
    producer.asked = 0;
    found = read_stream(&producer, pair_text, NULL);
    assert_int_equal(found.status, SOTTO_IO);
}

/* ---- names and types ---- */

static void refused(arrow_producer *producer, const char *text, sotto_status status,
                    const char *words)
{
    const rows found = read_stream(producer, text, NULL);
    assert_int_equal(found.status, status);
    assert_non_null(strstr(found.error.message, words));
    assert_int_equal(producer->asked, 0); /* before the first batch */
}

static void names_are_matched_before_the_first_batch(void **state)
{
    (void)state;
    arrow_producer lacks = {.columns = 0}, doubled = {.columns = 0},
                   more = {.columns = 0}, cased = {.columns = 0}, none = {.columns = 0};
    arrow_add_column(&lacks, "age", "g", NULL);
    refused(&lacks, pair_text, SOTTO_PARSE, "lacks the column 'town'");
    arrow_add_column(&doubled, "town", "u", NULL);
    arrow_add_column(&doubled, "age", "g", NULL);
    arrow_add_column(&doubled, "age", "g", NULL);
    refused(&doubled, pair_text, SOTTO_PARSE, "two columns of the same name, 'age'");
    arrow_add_column(&more, "town", "u", NULL);
    arrow_add_column(&more, "age", "g", NULL);
    arrow_add_column(&more, "weight", "g", NULL);
    refused(&more, pair_text, SOTTO_PARSE, "'weight' that the schema does not have");
    arrow_add_column(&cased, "Age", "g", NULL);
    refused(&cased, pair_text, SOTTO_PARSE, "'Age' that the schema does not have");
    arrow_add_column(&none, NULL, "g", NULL);
    refused(&none, pair_text, SOTTO_PARSE, "'' that the schema does not have");
}

static void types_are_refused_by_the_name_of_their_column(void **state)
{
    (void)state;
    static const char *const formats[] = {
        "+s",      "+l",   "+L",         "+w:3", "+m",      "+r",     "+ud:0,1",
        "+vl",     "w:16", "d:40,2,256", "d:",   "d:5",     "d:5,2,", "d:5,x",
        "d:9,999", "tdD",  "tdm",        "tss:", "tsu:UTC", "tts",    "tDs",
        "tiM",     "x",    "",           "gg",   NULL};
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        arrow_producer producer = {.columns = 0};
        arrow_add_column(&producer, "town", "u", NULL);
        arrow_add_column(&producer, "age", formats[i], NULL);
        refused(&producer, pair_text, SOTTO_INVALID_ARGUMENT, "the column 'age'");
    }
    static const char *const codes[] = {"g", "u", "b", "n"};
    for (size_t i = 0; i < 4; i++) {
        arrow_producer producer = {.columns = 0};
        arrow_add_column(&producer, "town", codes[i], "u");
        arrow_add_column(&producer, "age", "g", NULL);
        refused(&producer, pair_text, SOTTO_INVALID_ARGUMENT, "the column 'town'");
    }
    arrow_producer column = {.columns = 0, .outer_format = "g"},
                   hollow = {.columns = 0, .lacks_a_child = true};
    (void)add_pair(&column);
    refused(&column, pair_text, SOTTO_INVALID_ARGUMENT, "not one of tables");
    (void)add_pair(&hollow);
    refused(&hollow, pair_text, SOTTO_INVALID_ARGUMENT, "not one of tables");
}

/* ---- dates and timestamps ---- */

static void dates_and_timestamps_count_units(void **state)
{
    (void)state;
    static const char moment_text[] =
        "{'columns': [{'name': 'm', 'type': '%s', 'lower': -5, 'upper': 20600, "
        "'missing': 7, 'time_unit': 'day'}]}";
    static const struct {
        const char *format;
        int64_t ticks[5]; /* 2026-03-01 06:00, in 1969, late, outside the years, null */
        double number, whole;
    } cases[] = {
        {"tdD", {20513, -1, 30000, INT32_MAX, 0}, 20513, 20513},
        {"tdm",
         {1772344800000, -21600000, INT64_C(1) << 42, INT64_MAX, 0},
         20513.25,
         20513},
        {"tss:", {1772344800, -21600, INT64_C(1) << 32, INT64_MIN, 0}, 20513.25, 20513},
        {"tsm:UTC",
         {1772344800000, -21600000, INT64_C(1) << 42, INT64_MAX, 0},
         20513.25,
         20513},
        {"tsu:Europe/Stockholm",
         {1772344800000000, -21600000000, INT64_C(1) << 52, INT64_MIN, 0},
         20513.25,
         20513},
        {"tsn:",
         {1772344800000000000, -21600000000000, INT64_C(1) << 62, INT64_MAX, 0},
         20513.25,
         20513},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        for (int whole = 0; whole < 2; whole++) {
            char text[256];
            int32_t narrow[5];
            const uint8_t bits = 0x0f;
            const bool is_date = strcmp(cases[i].format, "tdD") == 0;
            const bool is_ns =
                strcmp(cases[i].format, "tsn:") == 0; /* 292 years at most */
            arrow_producer producer = {.columns = 0};
            arrow_add_column(&producer, "m", cases[i].format, NULL);
            arrow_batch *batch = arrow_add_batch(&producer, 5);
            for (size_t row = 0; row < 5; row++)
                narrow[row] = (int32_t)cases[i].ticks[row];
            batch->buffers[0][0] = exactly(&bits, 1);
            batch->buffers[0][1] = is_date
                                       ? exactly(narrow, sizeof narrow)
                                       : exactly(cases[i].ticks, sizeof cases[i].ticks);
            (void)snprintf(text, sizeof text, moment_text,
                           whole == 1 ? "integer" : "number");
            const rows found = read_stream(&producer, text, NULL);
            assert_ok(found.status, &found.error);
            assert_int_equal(found.count, 5);
            assert_true(found.cells[0][0] ==
                        (whole == 1 ? cases[i].whole : cases[i].number));
            assert_true(found.cells[1][0] == (is_date || whole == 1 ? -1.0 : -0.25));
            assert_true(found.cells[2][0] == 20600.0); /* clipped */
            assert_true(found.cells[3][0] == (is_ns ? 20600.0 : 7.0));
            assert_true(found.cells[4][0] == 7.0);
        }
    }
    arrow_producer producer = {.columns = 0};
    arrow_add_column(&producer, "m", "tsu:UTC", NULL);
    refused(&producer,
            "{'columns': [{'name': 'm', 'type': 'number', 'lower': 0, 'upper': 9}]}",
            SOTTO_INVALID_ARGUMENT, "\"time_unit\": \"day\"");
}

/* A column that is not read has any type. */
static void ignored_columns_have_any_type(void **state)
{
    (void)state;
    arrow_producer producer = {.columns = 0};
    static const char *const others[] = {"town", "age", "children", "smokes", "person"};
    arrow_add_column(&producer, "note", "+l", NULL);
    for (size_t i = 0; i < 5; i++)
        arrow_add_column(&producer, others[i], "n", NULL);
    (void)arrow_add_batch(&producer, 2);
    const rows found = read_stream(&producer, table_text, NULL);
    assert_ok(found.status, &found.error);
    assert_int_equal(found.count, 2);
}

/* ---- labels and units beside a stream ---- */

static void labels_and_units_may_come_apart(void **state)
{
    (void)state;
    static const double labels[] = {0, 2, 5, (double)NAN, 1};
    static const int64_t people[] = {-7, 8, 9, 0, 5};
    static const char with_unit[] =
        "{'target': 'town', 'unit': {'column': 'person', 'rows': 1}, 'columns': ["
        "{'name': 'age', 'type': 'number', 'lower': 0, 'upper': 200, 'missing': 41.25},"
        "{'name': 'town', 'type': 'category', 'values': ['Lund', 'Ystad', 'Hoor'], "
        "'missing': 'Hoor'}, {'name': 'person', 'type': 'id'}]}";
    sotto_records apart = {.labels = {labels, SOTTO_FLOAT64, 5, 1, sizeof *labels, 0},
                           .units = {people, SOTTO_INT64, 5, 1, sizeof *people, 0}};
    arrow_producer producer = {.columns = 0};
    arrow_add_column(&producer, "age", "g", NULL);
    arrow_add_batch(&producer, 6)->buffers[0][1] = exactly(ages, sizeof ages);
    rows found = read_stream(&producer, with_unit, &apart);
    assert_ok(found.status, &found.error);
    static const double expected[] = {0, 2, 2, 2, 1, 2};
    static const char *const ids[] = {"-7", "8", "9", "0", "5", ""};
    for (size_t i = 0; i < 6; i++) {
        assert_pair(&found, i, ages[i], expected[i]);
        assert_string_equal(found.ids[i], ids[i]);
    }
    arrow_producer twice = {.columns = 0};
    (void)add_pair(&twice);
    found = read_stream(&twice, with_unit, &apart);
    assert_int_equal(found.status, SOTTO_INVALID_ARGUMENT);
    assert_non_null(strstr(found.error.message, "'town' is given twice"));
    apart.labels.element = SOTTO_ELEMENT_UNSET;
    found = read_stream(&twice, with_unit, &apart);
    assert_int_equal(found.status, SOTTO_INVALID_ARGUMENT);
}

static void a_matrix_has_its_columns_in_order(void **state)
{
    (void)state;
    static const char matrix_text[] =
        "{'features': 2, 'labels': [-1, 1], 'row_norm': {'bound': 1, 'rule': 'clip'}}";
    static const double labels[] = {-1, 1, -1, 1, -1, 1};
    const sotto_records apart = {
        .labels = {labels, SOTTO_FLOAT64, 6, 1, sizeof *labels, 0}};
    arrow_producer producer = {.columns = 0}, wide = {.columns = 0};
    arrow_add_column(&producer, "x", "g", NULL);
    arrow_add_column(&producer, "x", "f", NULL);
    arrow_batch *batch = arrow_add_batch(&producer, 6);
    static const float others[] = {1, 2, 3, (float)INFINITY, 5, 6};
    const uint8_t bits = 0x3e;
    batch->buffers[0][0] = exactly(&bits, 1);
    batch->buffers[0][1] = exactly(ages, sizeof ages);
    batch->buffers[1][1] = exactly(others, sizeof others);
    rows found = read_stream(&producer, matrix_text, &apart);
    assert_ok(found.status, &found.error);
    for (size_t i = 0; i < 6; i++) {
        assert_true(i == 0 ? isnan(found.cells[i][0]) : found.cells[i][0] == ages[i]);
        assert_true(found.cells[i][1] == (double)others[i]);
        assert_true(found.cells[i][COLUMNS - 1] == labels[i]);
    }
    arrow_add_column(&wide, "x", "g", NULL);
    refused(&wide, matrix_text, SOTTO_INVALID_ARGUMENT,
            "1 columns, the schema 2 features");
}

/* ---- origin ---- */

static void a_stream_is_selected_unless_it_is_declared(void **state)
{
    (void)state;
    struct ArrowArrayStream stream = {.release = NULL};
    sotto_records records = {.stream = &stream};
    assert_int_equal(sot_origin_of_records(&records), SOT_ROWS_STREAMED);
    records.declared = true;
    assert_int_equal(sot_origin_of_records(&records), SOT_ROWS_DECLARED);
    records.declared = false;
    records.in_memory = true;
    assert_int_equal(sot_origin_of_records(&records), SOT_ROWS_GIVEN);
    records.selected = true;
    assert_int_equal(sot_origin_of_records(&records), SOT_ROWS_STREAMED);
    assert_int_equal(sot_origin_of_records(&(sotto_records){.in_memory = false}),
                     SOT_ROWS_GIVEN);
}

static void a_stream_needs_labels_and_units_to_learn_from(void **state)
{
    (void)state;
    sotto_error error;
    static const char matrix_text[] =
        "{'features': 1, 'labels': [-1, 1], 'row_norm': {'bound': 1, 'rule': 'clip'}}";
    static const char unit_text[] =
        "{'target': 't', 'unit': {'column': 'person', 'rows': 1}, 'columns': ["
        "{'name': 't', 'type': 'boolean'}, {'name': 'person', 'type': 'id'}]}";
    static const char *const texts[] = {matrix_text, unit_text};
    static const char *const words[] = {"no labels", "lacks its column 'person'"};
    for (size_t i = 0; i < 2; i++) {
        arrow_producer producer = {.columns = 0};
        arrow_add_column(&producer, "t", "b", NULL);
        struct ArrowArrayStream stream = arrow_stream_of(&producer);
        const sotto_records records = {.stream = &stream};
        sotto_schema *schema = schema_of(texts[i]);
        sot_source *source = NULL;
        assert_ok(sot_source_open_records(&records, schema, &source, &error), &error);
        assert_refused(sot_source_check_training(source, &error), SOTTO_INVALID_ARGUMENT,
                       &error, words[i], NULL);
        sot_source_close(source);
        sotto_schema_free(schema);
        assert_true(arrow_all_released(&producer));
        assert_int_equal(producer.asked, 0);
    }
}

/* Neighbours of 0 and 1 rows: what comes apart is as long as the stream. */
static void labels_and_units_without_rows_are_given(void **state)
{
    (void)state;
    sotto_error error;
    static const double label = 1.0;
    static const int64_t person = 17;
    static const char *const texts[] = {
        "{'features': 1, 'labels': [-1, 1], 'row_norm': {'bound': 1, 'rule': 'clip'}}",
        "{'target': 't', 'unit': {'column': 'person', 'rows': 1}, 'columns': ["
        "{'name': 'age', 'type': 'number', 'lower': 0, 'upper': 200, 'missing': 41.25}, "
        "{'name': 't', 'type': 'boolean'}, {'name': 'person', 'type': 'id'}]}"};
    for (size_t i = 0; i < 4; i++) {
        const size_t count = i % 2;
        arrow_producer producer = {.columns = 0};
        arrow_add_column(&producer, "age", "g", NULL);
        if (count > 0)
            arrow_add_batch(&producer, 1)->buffers[0][1] = exactly(ages, sizeof ages[0]);
        struct ArrowArrayStream stream = arrow_stream_of(&producer);
        const sotto_records records = {
            .stream = &stream,
            .in_memory = true,
            .labels = {&label, SOTTO_FLOAT64, count, 1, sizeof label, 0},
            .units = {&person, SOTTO_INT64, count, 1, sizeof person, 0}};
        sotto_schema *schema = schema_of(texts[i / 2]);
        sot_source *source = NULL;
        assert_ok(sot_source_open_records(&records, schema, &source, &error), &error);
        assert_ok(sot_source_check_training(source, &error), &error);
        sot_source_close(source);
        sotto_schema_free(schema);
        assert_true(arrow_all_released(&producer));
    }
}

/* ---- cells of a prediction ---- */

static void cells_of_a_prediction_are_in_memory(void **state)
{
    (void)state;
    sotto_error error;
    sotto_schema *schema = schema_of(pair_text);
    arrow_producer producer = {.columns = 0};
    arrow_add_column(&producer, "age", "g", NULL); /* without the target */
    for (size_t i = 0; i < 3; i++)
        arrow_add_batch(&producer, 6)->buffers[0][1] = exactly(ages, sizeof ages);
    struct ArrowArrayStream stream = arrow_stream_of(&producer);
    sotto_array cells;
    assert_ok(sotto_arrow_cells(schema, &stream, &cells, &error), &error);
    assert_true(arrow_all_released(&producer));
    assert_int_equal(cells.rows, 18);
    assert_int_equal(cells.columns, 2);
    const double *numbers = cells.data;
    for (size_t i = 0; i < 18; i++) {
        assert_true(numbers[2 * i] == ages[i % 6]);
        assert_true(numbers[2 * i + 1] == 2);
    }
    sotto_arrow_free_cells(&cells);
    assert_null(cells.data);
    sotto_arrow_free_cells(&cells);
    producer.asked = 0;
    producer.fails_at = 2;
    stream = arrow_stream_of(&producer);
    assert_refused(sotto_arrow_cells(schema, &stream, &cells, &error), SOTTO_IO, &error,
                   "the stream of records failed", NULL);
    assert_true(arrow_all_released(&producer));
    sotto_schema_free(schema);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    sotto_schema *schema = schema_of(pair_text);
    for (size_t nth = 1;; nth++) {
        sotto_error error;
        arrow_producer producer = {.columns = 0};
        (void)add_pair(&producer);
        struct ArrowArrayStream stream = arrow_stream_of(&producer);
        sotto_array cells;
        (void)sot_test_fail_allocation(nth);
        const sotto_status status = sotto_arrow_cells(schema, &stream, &cells, &error);
        (void)sot_test_fail_allocation(0);
        assert_true(arrow_all_released(&producer));
        (void)forget(NULL);
        if (status == SOTTO_OK) {
            sotto_arrow_free_cells(&cells);
            assert_true(nth > 5);
            break;
        }
        assert_int_equal(status, SOTTO_OUT_OF_MEMORY);
    }
    sotto_schema_free(schema);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(a_value_counts_the_same_from_every_type, forget),
        cmocka_unit_test_teardown(ids_keep_all_their_digits, forget),
        cmocka_unit_test_teardown(offsets_of_the_struct_apply_to_its_columns, forget),
        cmocka_unit_test_teardown(a_dictionary_belongs_to_its_batch, forget),
        cmocka_unit_test_teardown(long_texts_of_views_lie_in_their_buffers, forget),
        cmocka_unit_test_teardown(an_odd_batch_stops_nothing, forget),
        cmocka_unit_test_teardown(a_batch_of_negative_length_has_no_rows, forget),
        cmocka_unit_test_teardown(offsets_of_texts_that_make_no_sense_are_missing,
                                  forget),
        cmocka_unit_test_teardown(a_stream_that_fails_gives_one_sentence, forget),
        cmocka_unit_test_teardown(a_stream_is_read_once, forget),
        cmocka_unit_test_teardown(an_endless_stream_ends_at_the_row_limit, forget),
        cmocka_unit_test_teardown(names_are_matched_before_the_first_batch, forget),
        cmocka_unit_test_teardown(types_are_refused_by_the_name_of_their_column, forget),
        cmocka_unit_test_teardown(dates_and_timestamps_count_units, forget),
        cmocka_unit_test_teardown(ignored_columns_have_any_type, forget),
        cmocka_unit_test_teardown(labels_and_units_may_come_apart, forget),
        cmocka_unit_test_teardown(a_matrix_has_its_columns_in_order, forget),
        cmocka_unit_test(a_stream_is_selected_unless_it_is_declared),
        cmocka_unit_test(a_stream_needs_labels_and_units_to_learn_from),
        cmocka_unit_test_teardown(labels_and_units_without_rows_are_given, forget),
        cmocka_unit_test_teardown(cells_of_a_prediction_are_in_memory, forget),
        cmocka_unit_test_teardown(every_allocation_may_fail, forget),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
