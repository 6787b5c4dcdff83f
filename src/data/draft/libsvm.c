/* The content of a public LIBSVM file: the number of features, the labels. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "data/cells/decimal.h"
#include "data/draft/parts.h"
#include "data/readers/lines.h"
#include "data/schema/parts.h"

enum { LINE_BYTES = 16 << 20 };

static bool is_blank(char byte)
{
    return byte == ' ' || byte == '\t';
}

static sotto_status not_libsvm(const sot_draft *draft, sotto_error *error)
{
    return sot_fail(error, SOTTO_PARSE,
                    "%.120s: line %llu is not \"label index:value ...\" with indices "
                    "from 1; is it a LIBSVM file?",
                    draft->config->path, (unsigned long long)draft->rows + 1);
}

/* The label set, as long as it may be one, and the range of the labels in any case. */
static void keep_label(sot_draft *draft, double label)
{
    if (draft->label_count == 0 || label < draft->least) draft->least = label;
    if (draft->label_count == 0 || label > draft->most) draft->most = label;
    if (label != floor(label)) draft->fractions = true;
    for (size_t i = 0; i < draft->label_count; i++)
        if (draft->labels[i] == label) return;
    if (draft->label_count == SOT_SCHEMA_LABELS_MAX) {
        draft->many_labels = true;
        return;
    }
    size_t place = draft->label_count++;
    for (; place > 0 && draft->labels[place - 1] > label; place--)
        draft->labels[place] = draft->labels[place - 1];
    draft->labels[place] = label;
}

/* Reads index:value; the index is at most a schema's limit. */
static bool read_entry(const char *word, size_t bytes, size_t *out_index)
{
    const char *colon = memchr(word, ':', bytes);
    double index;
    double value;
    if (colon == NULL || !sot_read_decimal(word, (size_t)(colon - word), &index) ||
        !sot_read_decimal(colon + 1, bytes - (size_t)(colon - word) - 1, &value) ||
        !(index >= 1.0 && index <= (double)SOT_SCHEMA_FEATURES_MAX) ||
        (double)(size_t)index != index)
        return false;
    *out_index = (size_t)index;
    return true;
}

static sotto_status read_line(sot_draft *draft, const char *line, size_t bytes,
                              sotto_error *error)
{
    const char *comment = memchr(line, '#', bytes);
    const char *end = comment == NULL ? line + bytes : comment;
    bool first = true;
    while (line < end) {
        while (line < end && is_blank(*line))
            line++;
        const char *word = line;
        while (line < end && !is_blank(*line))
            line++;
        if (line == word) break;
        double label;
        size_t index = 0;
        if (first && !sot_read_decimal(word, (size_t)(line - word), &label))
            return not_libsvm(draft, error);
        if (!first && !read_entry(word, (size_t)(line - word), &index))
            return not_libsvm(draft, error);
        if (first) keep_label(draft, label + 0.0);
        if (index > draft->features) draft->features = index;
        first = false;
    }
    return SOTTO_OK;
}

sotto_status sot_draft_read_matrix(sot_draft *draft, sotto_error *error)
{
    sot_lines *lines = NULL;
    draft->labels = sot_new_array(SOT_SCHEMA_LABELS_MAX, sizeof *draft->labels);
    if (draft->labels == NULL)
        return sot_fail_memory(error, SOT_SCHEMA_LABELS_MAX, sizeof *draft->labels);
    sotto_status status = sot_lines_open(draft->config->path, SOT_PACKED_BY_NAME,
                                         LINE_BYTES, &lines, error);
    for (bool more = true; status == SOTTO_OK && more;) {
        char *line;
        size_t bytes;
        status = sot_lines_next(lines, &line, &bytes, &more, error);
        if (status != SOTTO_OK || !more) break;
        status = read_line(draft, line, bytes, error);
        draft->rows++;
    }
    sot_lines_close(lines);
    if (status == SOTTO_OK && (draft->features == 0 || draft->label_count < 2)) {
        return sot_fail(error, SOTTO_PARSE,
                        "%.120s has %zu features and %zu different labels; a draft needs "
                        "at least one and two",
                        draft->config->path, draft->features, draft->label_count);
    }
    return status;
}
