/* Any text is a condition, or none. One that is let pass has an answer for every row, and its canonical form reads back as
 * the same condition. */
#include <math.h>
#include <string.h>

#include "data/where/where.h"
#include "require.h"

static const char schema_text[] =
    "{\"columns\": ["
    "{\"name\": \"n\", \"type\": \"number\", \"lower\": -9, \"upper\": 9},"
    "{\"name\": \"i\", \"type\": \"integer\", \"lower\": 0, \"upper\": 20},"
    "{\"name\": \"b\", \"type\": \"boolean\"},"
    "{\"name\": \"c\", \"type\": \"category\", \"values\": [\"x\", \"7\", \"a=b\"]},"
    "{\"name\": \"p\", \"type\": \"id\"},"
    "{\"name\": \"a \\\"b\\\"\", \"type\": \"ignore\"}]}";

static sot_value odd_cell(size_t place)
{
    static const char *const texts[] = {"x",   "7",  "-3.5", "true", "1e400", "\xff",
                                        "'x'", "  ", "5 ",   "nan",  "a=b",   "\"\""};
    static const double numbers[] = {0.0, 1.0, 7.0, -2.5, 1e300, INFINITY, NAN};
    const size_t text_count = sizeof texts / sizeof texts[0];
    const size_t number_count = sizeof numbers / sizeof numbers[0];
    place %= text_count + number_count + 1;
    if (place < text_count) return sot_value_of_text(texts[place], strlen(texts[place]));
    place -= text_count;
    if (place < number_count) return sot_value_of_number(numbers[place]);
    return sot_value_of_text("", 0);
}

static sot_value cell_of(const void *row, size_t column)
{
    return odd_cell(*(const size_t *)row * 5 + column * 7 +
                    *(const size_t *)row * column);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static sotto_schema *schema;
    char text[SOT_WHERE_BYTES_MAX + 2];
    sotto_error error;
    sot_where *where = NULL, *again = NULL;
    if (schema == NULL)
        require(sotto_schema_parse("fuzz", schema_text, sizeof schema_text - 1, &schema,
                                   NULL) == SOTTO_OK);
    if (size >= sizeof text) return 0;
    memcpy(text, data, size);
    text[size] = '\0';
    if (sot_where_new(text, schema, &where, &error) != SOTTO_OK) {
        require(error.message[0] != '\0');
        return 0;
    }
    require(sot_where_new(sot_where_text(where), schema, &again, &error) == SOTTO_OK);
    require(strcmp(sot_where_text(where), sot_where_text(again)) == 0);
    for (size_t row = 0; row < 40; row++) {
        const sot_truth truth = sot_where_truth(where, cell_of, &row);
        require(truth == SOT_FALSE || truth == SOT_UNKNOWN || truth == SOT_TRUE);
        require(truth == sot_where_truth(again, cell_of, &row));
    }
    sot_where_free(where);
    sot_where_free(again);
    return 0;
}
