/* Synthetic rows as text: CSV, TSV or LIBSVM. */
#include <string.h>

#include <sotto/schema_tools.h>

#include "base/error.h"
#include "base/growing.h"
#include "base/memory.h"
#include "base/sized.h"
#include "data/describe/sampler.h"
#include "data/schema/friendly.h"

enum { PIECE_BYTES = 1 << 16 };

typedef struct sample_text {
    const sotto_schema *schema;
    char delimiter;
    sot_growing text;
    sotto_text_function function;
    void *context;
} sample_text;

void sotto_sample_set_defaults(sotto_sample_config *out_config, size_t size_bytes)
{
    const sotto_sample_config defaults = {.seed = 1};
    sot_sized_give(SOT_SIZED(sample), &defaults, out_config, size_bytes, 0);
}

static sotto_status hand_on(sample_text *writing, sotto_error *error)
{
    sot_growing *text = &writing->text;
    if (text->failed) return sot_fail_memory(error, text->used, 1);
    if (text->used > 0 &&
        writing->function(text->text, text->used, writing->context) != 0)
        return sot_fail(error, SOTTO_INTERRUPTED, "the sample was cut short");
    text->used = 0;
    return SOTTO_OK;
}

/* ---- CSV ---- */

static void write_number(sample_text *writing, double number)
{
    char digits[SOT_DOUBLE_TEXT_BYTES];
    sot_growing_text(&writing->text, sot_plain_number(number, digits));
}

static void write_delimiter(sample_text *writing)
{
    sot_growing_add(&writing->text, &writing->delimiter, 1);
}

/* Quoted where the reader would take it for something else. */
static void write_word(sample_text *writing, const char *word)
{
    const size_t length = strlen(word);
    const bool plain = length > 0 && strchr(word, writing->delimiter) == NULL &&
                       strchr(word, '"') == NULL && word[0] != ' ' &&
                       word[length - 1] != ' ';
    if (plain) {
        sot_growing_text(&writing->text, word);
        return;
    }
    sot_growing_text(&writing->text, "\"");
    for (size_t i = 0; i < length; i++)
        sot_growing_add(&writing->text, word[i] == '"' ? "\"\"" : word + i,
                        word[i] == '"' ? 2 : 1);
    sot_growing_text(&writing->text, "\"");
}

static void write_header(sample_text *writing)
{
    for (size_t i = 0; i < sotto_schema_size(writing->schema); i++) {
        if (i > 0) write_delimiter(writing);
        write_word(writing, sotto_schema_column(writing->schema, i)->name);
    }
    sot_growing_text(&writing->text, "\n");
}

static void write_cell(sample_text *writing, const sotto_column *column,
                       const sot_record *record, size_t index)
{
    const char *unit = sotto_schema_unit(writing->schema);
    switch (column->type) {
    case SOTTO_COLUMN_NUMBER:
    case SOTTO_COLUMN_INTEGER:
        write_number(writing, record->cells[index]);
        break;
    case SOTTO_COLUMN_CATEGORY:
        write_word(writing, column->values[(size_t)record->cells[index]]);
        break;
    case SOTTO_COLUMN_BOOLEAN:
        sot_growing_text(&writing->text, record->cells[index] != 0.0 ? "true" : "false");
        break;
    case SOTTO_COLUMN_ID:
        if (unit != NULL && strcmp(unit, column->name) == 0)
            sot_growing_add(&writing->text, record->unit, record->unit_bytes);
        break;
    case SOTTO_COLUMN_IGNORE:
        break;
    }
}

static void write_row(sample_text *writing, const sot_record *record)
{
    for (size_t i = 0; i < sotto_schema_size(writing->schema); i++) {
        if (i > 0) write_delimiter(writing);
        write_cell(writing, sotto_schema_column(writing->schema, i), record, i);
    }
    sot_growing_text(&writing->text, "\n");
}

/* ---- LIBSVM ---- */

static void write_entries(sample_text *writing, const sot_record *record)
{
    write_number(writing, record->label);
    for (size_t i = 0; i < record->count; i++) {
        sot_growing_format(&writing->text,
                           " %lu:", (unsigned long)record->indices[i] + 1);
        write_number(writing, record->values[i]);
    }
    sot_growing_text(&writing->text, "\n");
}

/* ---- the door ---- */

static sotto_status write_rows(sample_text *writing, sot_sampler *sampler, uint64_t rows,
                               sotto_error *error)
{
    sotto_status status = SOTTO_OK;
    const bool matrix = sotto_schema_is_matrix(writing->schema);
    if (!matrix) write_header(writing);
    for (uint64_t i = 0; i < rows && status == SOTTO_OK; i++) {
        sot_record record;
        sot_sampler_next(sampler, &record);
        if (matrix) {
            write_entries(writing, &record);
        } else {
            write_row(writing, &record);
        }
        if (writing->text.used >= PIECE_BYTES || writing->text.failed)
            status = hand_on(writing, error);
    }
    return status == SOTTO_OK ? hand_on(writing, error) : status;
}

sotto_status sotto_schema_sample(const sotto_schema *schema,
                                 const sotto_sample_config *given,
                                 sotto_text_function function, void *context,
                                 sotto_error *error)
{
    sotto_sample_config own;
    const sotto_sample_config *const config = &own;
    sotto_status status = SOT_TAKE(sample, given, &own, error);
    if (status != SOTTO_OK) return status;
    if (config->rows == 0 || config->rows > UINT64_C(1) << 32) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "`rows` is %llu; give between 1 and 2^32",
                        (unsigned long long)config->rows);
    }
    sotto_rng *rng = NULL;
    sot_sampler *sampler = NULL;
    sample_text writing = {.schema = schema,
                           .delimiter = config->tabs ? '\t' : ',',
                           .function = function,
                           .context = context};
    status = sotto_rng_new_for_test(config->seed, &rng, error);
    if (status == SOTTO_OK) status = sot_sampler_new(schema, NULL, rng, &sampler, error);
    if (status == SOTTO_OK) status = write_rows(&writing, sampler, config->rows, error);
    sot_free(writing.text.text);
    sot_sampler_free(sampler);
    sotto_rng_free(rng);
    return status;
}
