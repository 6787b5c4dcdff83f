/* Slices, dictionaries, views and hostile batches: a row has its own cells, or missing ones. */
#include "arrow_scene.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(offsets_of_the_struct_apply_to_its_columns, forget),
        cmocka_unit_test_teardown(a_dictionary_belongs_to_its_batch, forget),
        cmocka_unit_test_teardown(long_texts_of_views_lie_in_their_buffers, forget),
        cmocka_unit_test_teardown(an_odd_batch_stops_nothing, forget),
        cmocka_unit_test_teardown(a_batch_of_negative_length_has_no_rows, forget),
        cmocka_unit_test_teardown(offsets_of_texts_that_make_no_sense_are_missing,
                                  forget),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
