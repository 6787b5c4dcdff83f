/* The description of a schema for a learner, for people and for scripts. */
#include <stdarg.h>
#include <stdio.h>

#include <sotto/schema_tools.h>

#include "base/copy.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "data/describe/parts.h"
#include "data/source/source.h"

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
static void
warn(sot_description *made, const char *format, ...)
{
    if (made->warning_count == SOT_WARNINGS_MOST) return;
    char raw[SOT_WARNING_BYTES];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(raw, sizeof raw, format, arguments);
    va_end(arguments);
    /* A name may have been truncated within a character. */
    (void)sot_printable(raw, made->warnings[made->warning_count++], SOT_WARNING_BYTES);
}

/* ---- warnings ---- */

static void warn_of_columns(sot_description *made)
{
    for (size_t i = 0; i < sotto_schema_size(made->schema); i++) {
        const sotto_column *column = sotto_schema_column(made->schema, i);
        if ((column->type == SOTTO_COLUMN_NUMBER ||
             column->type == SOTTO_COLUMN_INTEGER) &&
            !column->bounded)
            warn(made,
                 "the column '%.60s' has no bounds: sotto train cannot use it, and sotto "
                 "release only for bounds",
                 column->name);
        if (column->type == SOTTO_COLUMN_CATEGORY && column->value_count == 1)
            warn(made, "the column '%.60s' has one value and carries no information",
                 column->name);
    }
}

static void warn_of_parts(sot_description *made)
{
    const sot_encoding *encoding = made->encoding;
    double squares = 0.0;
    for (size_t i = 0; i < encoding->part_count; i++)
        squares += encoding->parts[i].largest * encoding->parts[i].largest;
    for (size_t i = 0; i < encoding->part_count; i++) {
        const sot_encode_part *part = &encoding->parts[i];
        const double share = part->largest * part->largest / squares;
        if (encoding->part_count > 1 && share > 0.9)
            warn(made,
                 "the column '%.60s' has norm up to %.3g, nearly all of the row's norm, "
                 "and the noise grows with it; leave \"scale\" out",
                 part->column->name, part->largest);
        if (part->largest < 1024.0 * encoding->unit)
            warn(made,
                 "the column '%.60s' is at most %.3g, next to rows of %.3g: little of it "
                 "is left on the grid",
                 part->column->name, part->largest, encoding->bound);
    }
}

enum { BOOLEANS_MOST = 7 }; /* outside of exclusive lists, without a warning */

/* Each boolean outside of exclusive lists adds the square of its largest feature to R^2. */
static void warn_of_booleans(sot_description *made)
{
    const sot_encoding *encoding = made->encoding;
    size_t booleans = 0;
    for (size_t i = 0; i < encoding->part_count; i++)
        if (encoding->parts[i].members == NULL &&
            encoding->parts[i].column->type == SOTTO_COLUMN_BOOLEAN)
            booleans++;
    if (booleans <= BOOLEANS_MOST || encoding->cut) return;
    warn(made,
         "R counts all %zu booleans as true. If at most one of several is true in a "
         "row, list them in \"exclusive\" for a smaller R and less noise",
         booleans);
}

static void warn_of_learning(sot_description *made)
{
    const sotto_row_norm norm = sotto_schema_row_norm(made->schema);
    if (made->encoding == NULL) return;
    if (made->target->label_count > 2)
        warn(made,
             "the target has %zu labels: the model softmax and networks take them; the "
             "other models take two, listed as \"labels\" of the target",
             made->target->label_count);
    if (norm.given && !made->encoding->cut)
        warn(made,
             "no row is longer than %.6g, so that the row norm of %.6g clips nothing",
             made->encoding->bound, norm.bound);
    warn_of_parts(made);
    if (made->encoding->parts != NULL) warn_of_booleans(made);
}

static void collect_warnings(sot_description *made)
{
    warn_of_columns(made);
    warn_of_learning(made);
    if (sotto_schema_dataset(made->schema) == NULL)
        warn(made, "no \"dataset\" is named; a ledger asks for the data set's id");
}

/* ---- the doors ---- */

static sotto_status finish_json(sot_description *made, char **out_json,
                                sotto_error *error)
{
    const char *text;
    size_t size_bytes;
    sotto_status status = sot_json_writer_new(false, &made->json, error);
    if (status != SOTTO_OK) return status;
    sot_describe_json(made);
    status = sot_json_writer_finish(made->json, &text, &size_bytes, error);
    if (status != SOTTO_OK) return status;
    return sot_copy_text(text, out_json, error);
}

sotto_status sotto_schema_describe(const sotto_schema *schema, const char *target,
                                   char **out_json, char **out_text, sotto_error *error)
{
    sot_description made = {.schema = schema};
    char *json = NULL;
    char *text = NULL;
    made.warnings = sot_new_array(SOT_WARNINGS_MOST, sizeof *made.warnings);
    sotto_status status =
        made.warnings == NULL
            ? sot_fail_memory(error, SOT_WARNINGS_MOST, SOT_WARNING_BYTES)
            : SOTTO_OK;
    if (status == SOTTO_OK)
        status = sot_schema_choose_target(schema, target, &made.own, &made.target, error);
    if (status != SOTTO_OK) goto done;
    status = sot_encoding_new(schema, target, sot_target_role_of(made.target),
                              &made.encoding, &made.why);
    if (status == SOTTO_OUT_OF_MEMORY) {
        status = sot_fail(error, status, "%s", made.why.message);
        goto done;
    }
    collect_warnings(&made);
    sot_describe_text(&made);
    status = sot_growing_finish(&made.text, &text, error);
    if (status == SOTTO_OK && out_json != NULL) status = finish_json(&made, &json, error);
    if (status != SOTTO_OK) goto done;
    if (out_json != NULL) *out_json = json;
    if (out_text != NULL) *out_text = text;
    if (out_text != NULL) text = NULL;
done:
    sot_free(text);
    sot_json_writer_free(made.json);
    sot_encoding_free(made.encoding);
    sot_target_free(&made.own);
    sot_free(made.warnings);
    return status;
}

sotto_status sotto_schema_check_data(const sotto_schema *schema,
                                     const sotto_data_file *file, sotto_error *error)
{
    sot_source *source = NULL;
    const sotto_status status = sot_source_open(file, schema, false, &source, error);
    sot_source_close(source);
    return status;
}
