/* Any bytes as a class of concepts, as a setting and as a model file has it: refused with one clear line, or a class
 * whose grids and weights are in order, that survives the way to its text and back, and whose concepts can be asked. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "models/concept/classes/concept.h"
#include "require.h"

static const char *const schemas[] = {
    "{\"target\": \"ill\", \"columns\": [{\"name\": \"age\", \"type\": \"integer\", "
    "\"lower\": 18, \"upper\": 90}, {\"name\": \"dose\", \"type\": \"number\", "
    "\"lower\": "
    "-1, \"upper\": 7}, {\"name\": \"free\", \"type\": \"number\"}, {\"name\": \"b\", "
    "\"type\": \"boolean\"}, {\"name\": \"t\", \"type\": \"category\", \"values\": "
    "[\"u\", \"v\"]}, {\"name\": \"t=u\", \"type\": \"boolean\"}, {\"name\": \"ill\", "
    "\"type\": \"boolean\"}]}",
    "{\"features\": 5, \"labels\": [0, 1], \"numbers\": {\"lower\": 0, \"upper\": 1}}"};
enum { SCHEMAS = 2, FEATURES_LOOKED_AT = 64 };

static sotto_status reread(const sotto_schema *schema, const char *text, size_t size,
                           sot_concept_class **out_class, sotto_error *error)
{
    sot_json *document = NULL;
    sotto_status status = sot_json_parse("model", text, size, 1 << 20, &document, error);
    if (status != SOTTO_OK) return status;
    const sot_json_value root = sot_json_root(document);
    status = sot_concept_class_read(&root, schema, out_class, error);
    sot_json_free(document);
    return status;
}

static char *written(const sot_concept_class *class)
{
    sot_json_writer *writer = NULL;
    const char *text;
    size_t size;
    require(sot_json_writer_new(false, &writer, NULL) == SOTTO_OK);
    sot_concept_class_write(class, writer);
    require(sot_json_writer_finish(writer, &text, &size, NULL) == SOTTO_OK);
    char *copy = sot_copy_string(text);
    require(copy != NULL);
    sot_json_writer_free(writer);
    return copy;
}

static void check_grids(const sot_concept_class *class)
{
    require(class->features >= 1 && class->features <= SOT_CONCEPT_FEATURES_MAX);
    for (size_t i = 0; i < class->features; i++) {
        const sot_cells_grid *grid = &class->grids[i];
        require(grid->cells >= 2 && grid->cells <= SOT_CELLS_MAX);
        if (grid->indicator) continue;
        require(isfinite(grid->lower) && isfinite(grid->upper) &&
                isfinite(grid->missing) && grid->lower < grid->upper);
        require(sot_cells_place(grid, -INFINITY) < grid->cells);
        for (uint64_t k = 1; grid->cuts != NULL && k + 1 < grid->cells; k++)
            require(grid->cuts[k - 1] < grid->cuts[k]);
    }
}

/* Numbers made from the bytes: whatever is a concept can be asked and told. */
static void check_concepts(const sot_concept_class *class, const uint8_t *data,
                           size_t size)
{
    if (class->features > FEATURES_LOOKED_AT) return;
    double numbers[2 * FEATURES_LOOKED_AT];
    uint32_t places[FEATURES_LOOKED_AT];
    char text[SOT_CONCEPT_TEXT_BYTES];
    const size_t count = sot_concept_numbers(class);
    require(count <= 2 * FEATURES_LOOKED_AT);
    for (size_t round = 0; round < 8; round++) {
        for (size_t i = 0; i < count; i++)
            numbers[i] = (double)(data[(i + round * 7) % size] % (3 + round));
        for (size_t i = 0; i < class->features; i++)
            places[i] = (uint32_t)(data[(i + round) % size] % class->grids[i].cells);
        if (!sot_concept_is_valid(class, numbers)) continue;
        (void)sot_concept_says(class, numbers, places);
        require(strlen(sot_concept_text(class, numbers, text, 1 + round * 9)) <
                1 + round * 9);
    }
    require(sot_concept_class_size(class) >= 1);
    require(sot_concept_class_log_size(class) >= 0.0);
}

static void check_class(const sotto_schema *schema, sot_concept_class *class,
                        const uint8_t *data, size_t size)
{
    sot_concept_class *same = NULL;
    check_grids(class);
    check_concepts(class, data, size);
    char *text = written(class);
    require(reread(schema, text, strlen(text), &same, NULL) == SOTTO_OK);
    char *again = written(same);
    require(strcmp(text, again) == 0);
    sot_free(text);
    sot_free(again);
    sot_concept_class_free(same);
    sot_concept_class_free(class);
}

static void check_outcome(sotto_status status, const sot_concept_class *class,
                          const sotto_error *error)
{
    require((class != NULL) == (status == SOTTO_OK));
    if (status == SOTTO_OK) return;
    require(status == SOTTO_PARSE || status == SOTTO_INVALID_ARGUMENT);
    require(error->message[0] != '\0' && strchr(error->message, '\n') == NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0) return 0;
    for (size_t s = 0; s < SCHEMAS; s++) {
        sotto_error error;
        sotto_schema *schema = NULL;
        sot_concept_class *class = NULL;
        require(sotto_schema_parse("schema", schemas[s], strlen(schemas[s]), &schema,
                                   &error) == SOTTO_OK);
        sotto_status status = reread(schema, (const char *)data, size, &class, &error);
        check_outcome(status, class, &error);
        if (status == SOTTO_OK) check_class(schema, class, data, size);
        /* As a setting it is a text, and only that of an object: files are not for guessing. */
        char *text = sot_new_array(size + 2, 1);
        require(text != NULL);
        text[0] = '{';
        memcpy(text + 1, data, size);
        class = NULL;
        status = sot_concept_class_new(schema, NULL, data[0] == '{' ? text + 1 : text,
                                       &class, &error);
        check_outcome(status, class, &error);
        if (status == SOTTO_OK) check_class(schema, class, data, size);
        sot_free(text);
        sotto_schema_free(schema);
    }
    return 0;
}
