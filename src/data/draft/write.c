/* Writes a schema from a public file, for people to edit. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "base/json/json.h"
#include "base/json/writer.h"
#include "base/memory.h"
#include "base/text.h"
#include "data/draft/parts.h"
#include "data/schema/friendly.h"

/* Fewer rows cannot distinguish an id from a column whose values happen to differ. */
enum { ROWS_FOR_IDS = 10, CODES_MOST = 12 };

static const char source[] = "public sample";

/* ---- notes ---- */

static void note(sot_draft *draft, const sot_draft_column *column, const char *what)
{
    char shown[64];
    sot_growing_format(&draft->notes, "%s: %s\n",
                       sot_printable(column->name, shown, sizeof shown), what);
}

/* ---- types ---- */

static bool has_name_of_id(const char *name)
{
    static const char *const whole[] = {"id",   "index", "row",  "key",
                                        "uuid", "guid",  "name", NULL};
    static const char *const ends[] = {"_id", "-id", " id", ".id", NULL};
    for (size_t i = 0; whole[i] != NULL; i++)
        if (strcasecmp(name, whole[i]) == 0) return true;
    const size_t length = strlen(name);
    for (size_t i = 0; ends[i] != NULL; i++)
        if (length > 3 && strcasecmp(name + length - 3, ends[i]) == 0) return true;
    return false;
}

/* Why the column is no feature; NULL: it may be one. */
static const char *why_ignored(const sot_draft *draft, const sot_draft_column *column)
{
    if (column->stated == SOTTO_COLUMN_IGNORE) return "left out";
    if (column->stated != 0) return NULL;
    if (draft->rows == 0 && has_name_of_id(column->name))
        return "ignored: its name is that of an id. If one person may have several "
               "rows, list it with --id and add \"unit\"";
    if (draft->rows == 0)
        return sot_draft_names_text(column->name)
                   ? "ignored: its name is that of free text. If it holds categories, "
                     "list it with --category"
                   : NULL;
    if (column->cells == 0) return "ignored: every cell is empty";
    if (!column->fit)
        return "ignored: it has cells that are not printable UTF-8 of 255 bytes at most";
    const bool text = !column->numbers && !column->booleans;
    if (has_name_of_id(column->name) && (text || column->whole))
        return "ignored: its name is that of an id. If one person may have several rows, "
               "give it \"type\": \"id\" and add \"unit\"";
    if (text && column->many) return "ignored: text with more than 100 different values";
    if (column->cells < ROWS_FOR_IDS) return NULL;
    if (text && column->value_count == column->cells)
        return "ignored: every row has another value, as names and ids have";
    if (column->numbers && column->whole && column->ascending)
        return "ignored: whole numbers that only grow, as row numbers and ids do";
    return NULL;
}

static sotto_column_type type_of(const sot_draft *draft, const sot_draft_column *column)
{
    if (why_ignored(draft, column) != NULL) return SOTTO_COLUMN_IGNORE;
    if (column->stated != 0) return column->stated;
    if (draft->rows == 0) return sot_draft_suggest(column->name);
    if (column->booleans) return SOTTO_COLUMN_BOOLEAN;
    if (column->numbers) {
        return column->whole ? SOTTO_COLUMN_INTEGER : SOTTO_COLUMN_NUMBER;
    }
    return SOTTO_COLUMN_CATEGORY;
}

/* By its name, where there is nothing else. */
static bool holds_days(const sot_draft *draft, const sot_draft_column *column)
{
    return draft->rows == 0 && column->stated == 0 && sot_draft_names_day(column->name);
}

/* ---- writing ---- */

static void write_number(sot_json_writer *json, double number)
{
    if (number == floor(number) && fabs(number) < 0x1p53) {
        sot_json_write_int64(json, (int64_t)number);
    } else {
        sot_json_write_double(json, number);
    }
}

static void write_null(sot_json_writer *json, const char *key)
{
    sot_json_key(json, key);
    sot_json_write_null(json);
}

/* Outward, to multiples of a power of ten with between 2 and 20 of them in the range. */
static void write_bounds(sot_json_writer *json, double least, double most, bool whole)
{
    const double range = most - least;
    int exponent = 0;
    if (range > 0.0) {
        exponent = sot_decimal_exponent(0.5 * range);
        if (whole && exponent < 0) exponent = 0;
    }
    const double lower = sot_decimal_below(least, exponent);
    double upper = sot_decimal_above(most, exponent);
    if (!(lower < upper)) upper = lower + fmax(1.0, fabs(lower) * 0x1p-40);
    sot_json_key(json, "lower");
    write_number(json, lower);
    sot_json_key(json, "upper");
    write_number(json, upper);
}

static int compare_texts(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Adds a value for unknown values, if the sample has a mark for them or the caller asks for one.
 * Not in a target, where it would be a class. */
static void write_values(const sot_draft *draft, sot_json_writer *json,
                         sot_draft_column *column, bool target)
{
    static const char *const others[] = {"other", "(other)", "(unknown)"};
    qsort(column->values, column->value_count, sizeof *column->values, compare_texts);
    const char *rest = column->marker;
    for (size_t i = 0; draft->config->other_value && rest == NULL && i < 3; i++) {
        bool taken = false;
        for (size_t k = 0; k < column->value_count; k++)
            taken = taken || strcmp(column->values[k], others[i]) == 0;
        if (!taken) rest = others[i];
    }
    sot_json_open_array(json, "values");
    for (size_t i = 0; i < column->value_count; i++)
        sot_json_write_string(json, column->values[i]);
    if (!target && rest != NULL) sot_json_write_string(json, rest);
    sot_json_end_array(json);
    if (!target && rest != NULL) sot_json_put_text(json, "missing", rest);
}

/* Columns of few whole numbers are reported together, at the end. */
static void note_codes(sot_draft *draft, const sot_draft_column *column)
{
    char shown[64];
    if (column->many || column->value_count > CODES_MOST ||
        column->cells < 2 * column->value_count)
        return;
    sot_growing_format(&draft->codes, "%s%s", draft->codes.used == 0 ? "" : ", ",
                       sot_printable(column->name, shown, sizeof shown));
}

/* Values that the file does not state are null, for people to fill in; until then the
 * schema is refused (data/schema/columns.c). */
static bool write_null_members(sot_draft *draft, sot_json_writer *json,
                               const sot_draft_column *column, sotto_column_type type)
{
    const bool number = type == SOTTO_COLUMN_NUMBER || type == SOTTO_COLUMN_INTEGER;
    const bool known =
        column->cells > 0 && column->fit && (number ? column->numbers : !column->many);
    if (known || (!number && type != SOTTO_COLUMN_CATEGORY)) return false;
    if (holds_days(draft, column)) sot_json_put_text(json, "time_unit", "day");
    if (number) {
        write_null(json, "lower");
        write_null(json, "upper");
    } else {
        write_null(json, "values");
    }
    note(draft, column,
         number ? "fill in \"lower\" and \"upper\"" : "fill in \"values\"");
    return true;
}

static void write_column(sot_draft *draft, sot_json_writer *json,
                         sot_draft_column *column)
{
    const sotto_column_type type = type_of(draft, column);
    const bool target =
        draft->config->target != NULL && strcmp(draft->config->target, column->name) == 0;
    sot_json_begin_object(json);
    sot_json_put_text(json, "name", column->name);
    sot_json_put_text(json, "type", sotto_column_type_name(type));
    const bool unknown = write_null_members(draft, json, column, type);
    switch (type) {
    case SOTTO_COLUMN_NUMBER:
    case SOTTO_COLUMN_INTEGER:
        if (unknown) break;
        write_bounds(json, column->least, column->most,
                     column->whole || type == SOTTO_COLUMN_INTEGER);
        sot_json_put_text(json, "source", source);
        if (column->least == column->most)
            note(draft, column, "has one value; classification needs at least two");
        if (type == SOTTO_COLUMN_INTEGER && !target) note_codes(draft, column);
        break;
    case SOTTO_COLUMN_CATEGORY:
        if (unknown) break;
        write_values(draft, json, column, target);
        sot_json_put_text(json, "source", source);
        break;
    case SOTTO_COLUMN_IGNORE:
        note(draft, column, why_ignored(draft, column));
        break;
    case SOTTO_COLUMN_BOOLEAN:
    case SOTTO_COLUMN_ID:
        break;
    }
    if (draft->config->comments)
        sot_json_put_text(json, "about",
                          sot_draft_comment(type, unknown, holds_days(draft, column)));
    sot_json_end_object(json);
}

static void write_unit(const sot_draft *draft, sot_json_writer *json)
{
    const sotto_draft_config *config = draft->config;
    if (config->unit == NULL) return;
    sot_json_open_object(json, "unit");
    sot_json_put_text(json, "column", config->unit);
    sot_json_put_whole(json, "rows", config->unit_rows > 0 ? config->unit_rows : 1);
    if (config->comments)
        sot_json_put_text(
            json, "about",
            "all rows of one person are protected together; rows beyond this cap "
            "are dropped at random");
    sot_json_end_object(json);
}

/* ---- the target ---- */

static sotto_status find_target(const sot_draft *draft, sot_draft_column **out_column,
                                sotto_error *error)
{
    const char *name = draft->config->target;
    const char **names = sot_new_array(draft->size + 1, sizeof *names);
    if (names == NULL) return sot_fail_memory(error, draft->size + 1, sizeof *names);
    *out_column = NULL;
    for (size_t i = 0; i < draft->size; i++) {
        names[i] = draft->columns[i].name;
        if (strcmp(names[i], name) == 0) *out_column = &draft->columns[i];
    }
    const char *nearest = sot_nearest_word(name, names);
    char shown[64];
    char meant[64];
    sotto_status status = SOTTO_OK;
    if (*out_column == NULL) {
        status =
            sot_fail(error, SOTTO_INVALID_ARGUMENT, "%.100s has no column '%s'%s%s%s",
                     draft->config->path, sot_printable(name, shown, sizeof shown),
                     nearest == NULL ? "" : "; did you mean '",
                     nearest == NULL ? "" : sot_printable(nearest, meant, sizeof meant),
                     nearest == NULL ? "" : "'?");
    } else if (type_of(draft, *out_column) == SOTTO_COLUMN_IGNORE) {
        status = sot_fail(error, SOTTO_INVALID_ARGUMENT,
                          "`target` is '%s', which cannot be predicted: %.120s",
                          sot_printable(name, shown, sizeof shown),
                          why_ignored(draft, *out_column));
    }
    sot_free(names);
    return status;
}

/* Two numbers are a label set; more are not: a threshold or a list is for people to choose. */
static void write_target(sot_draft *draft, sot_json_writer *json,
                         const sot_draft_column *column)
{
    const sotto_column_type type = type_of(draft, column);
    const bool number = type == SOTTO_COLUMN_NUMBER || type == SOTTO_COLUMN_INTEGER;
    sot_json_key(json, "target");
    /* "0" and "00" are two texts and one number. */
    if (number && column->value_count == 2 && !column->many &&
        column->least < column->most) {
        sot_json_begin_object(json);
        sot_json_put_text(json, "column", column->name);
        sot_json_open_array(json, "labels");
        write_number(json, column->least);
        write_number(json, column->most);
        sot_json_end_array(json);
        sot_json_end_object(json);
        return;
    }
    sot_json_write_string(json, column->name);
    if (number)
        note(draft, column,
             "the target is a number, for the models linear, huber and poisson; for "
             "classes write \"target\": {\"column\": ..., \"above\": T}, or list "
             "\"labels\"");
    if (type == SOTTO_COLUMN_CATEGORY && column->value_count > 2)
        note(
            draft, column,
            "the target has more than two values, for the model softmax; the others take "
            "two: list them as \"labels\" of the target");
    if (type == SOTTO_COLUMN_CATEGORY && column->value_count == 2)
        note(draft, column,
             "of its two values the second is the positive class; list \"labels\" in the "
             "other order to swap them");
}

/* ---- the whole ---- */

static sotto_status write_table(sot_draft *draft, sot_json_writer *json,
                                sotto_error *error)
{
    sot_draft_column *target = NULL;
    sotto_status status = SOTTO_OK;
    if (draft->config->target != NULL) status = find_target(draft, &target, error);
    if (status != SOTTO_OK) return status;
    sot_json_put_text(json, "ledger", draft->config->ledger);
    write_unit(draft, json);
    if (target != NULL) {
        write_target(draft, json, target);
    } else {
        sot_growing_text(&draft->notes,
                         "no target: add \"target\": \"COLUMN\" to train a model\n");
    }
    sot_json_open_array(json, "columns");
    for (size_t i = 0; i < draft->size; i++)
        write_column(draft, json, &draft->columns[i]);
    sot_json_end_array(json);
    if (draft->codes.used > 0) {
        sot_growing_text(&draft->notes, draft->codes.text);
        sot_growing_text(&draft->notes,
                         ": few whole numbers; those that are codes without an order "
                         "should be a category, with the codes as \"values\"\n");
    }
    if (draft->codes.failed) draft->notes.failed = true;
    return SOTTO_OK;
}

static void write_matrix(sot_draft *draft, sot_json_writer *json)
{
    sot_json_put_whole(json, "features", draft->features);
    if (draft->many_labels || (draft->fractions && draft->label_count > 2)) {
        sot_json_open_object(json, "target");
        write_bounds(json, draft->least, draft->most, !draft->fractions);
        sot_json_end_object(json);
        sot_growing_text(
            &draft->notes,
            "target: the rows carry numbers; replace the bounds by ones that "
            "are known without looking\n");
    } else {
        sot_json_open_array(json, "labels");
        for (size_t i = 0; i < draft->label_count; i++)
            write_number(json, draft->labels[i]);
        sot_json_end_array(json);
    }
    sot_json_open_object(json, "row_norm");
    sot_json_put_double(json, "bound", 1.0);
    sot_json_put_text(json, "rule", "scale");
    sot_json_end_object(json);
    sot_growing_text(&draft->notes,
                     "row_norm: every row is divided by its own norm; \"rule\": \"clip\" "
                     "keeps lengths below the bound\n");
}

/* The writer's indented text with one line for each column and each member of the root. */
static sotto_status fold(const char *text, char **out_text, sotto_error *error)
{
    bool tall[SOT_JSON_DEPTH_MAX + 2] = {true}; /* a line for each of its items */
    sot_growing folded = {0};
    size_t depth = 0;
    for (const char *at = text; *at != '\0'; at++) {
        if (*at == '"') { /* a string as it is */
            const char *begin = at++;
            while (*at != '"')
                at += *at == '\\' ? 2 : 1;
            sot_growing_add(&folded, begin, (size_t)(at - begin) + 1);
            continue;
        }
        if (*at == '{' || *at == '[') {
            const char *first = at + 1 + strspn(at + 1, " \n");
            depth++;
            tall[depth] = depth == 1 || (depth == 2 && *at == '[' && *first == '{');
        }
        if (*at != '\n' || tall[depth]) {
            sot_growing_add(&folded, at, 1);
            if (*at == '}' || *at == ']') depth--;
            continue;
        }
        const bool opens = at[-1] == '{' || at[-1] == '[';
        at += strspn(at, " \n") - 1;
        const bool closes = at[1] == '}' || at[1] == ']';
        if (!opens && !closes) sot_growing_text(&folded, " ");
    }
    return sot_growing_finish(&folded, out_text, error);
}

sotto_status sot_draft_write(sot_draft *draft, char **out_json, sotto_error *error)
{
    sot_json_writer *json = NULL;
    const char *text;
    size_t size_bytes;
    sotto_status status = sot_json_writer_new(true, &json, error);
    if (status != SOTTO_OK) return status;
    sot_json_begin_object(json);
    sot_json_put_text(json, "about",
                      draft->matrix || draft->rows > 0
                          ? "drafted by sotto from a public sample: edit it, and replace "
                            "its bounds by bounds from public knowledge"
                          : "drafted by sotto from the names of columns: fill in every "
                            "null from public knowledge, without looking at rows");
    if (draft->config->dataset != NULL)
        sot_json_put_text(json, "dataset", draft->config->dataset);
    if (draft->matrix) {
        write_matrix(draft, json);
    } else {
        status = write_table(draft, json, error);
    }
    sot_json_end_object(json);
    if (status == SOTTO_OK)
        status = sot_json_writer_finish(json, &text, &size_bytes, error);
    if (status == SOTTO_OK) status = fold(text, out_json, error);
    sot_json_writer_free(json);
    return status;
}
