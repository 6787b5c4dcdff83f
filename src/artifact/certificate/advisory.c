/* Advisories: privacy defects of released versions, and the certified files that they can concern.
 *
 * A certificate states the version that made the file, the source of the records, the unit and
 * the adjacency. The rest of the file states the statistic, the model, the method and the schema.
 * A predicate reads these members and answers "may be affected" unless they rule the defect out.
 * A file without an advisory is not affected by these defects. SECURITY.md lists the same ids. */
#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "artifact/certificate/certificate.h"
#include "base/error.h"

/* 0.1.0 sampled vectors of 32768 values and more in chunks, and a symmetric matrix is a vector of size^2 values.
 * 181^2 = 32761 is below, 182^2 = 33124 above. Smaller matrices had the right noise. */
enum { LONG_MATRIX_SIZE = 182 };

/* ---- the facts of a file ---- */

/* Sources of records in the words of 0.1.0. */
static const char of_query[] = "the rows that the query selects, once: ";
static const char of_file[] = "the rows of the data file, once";
static const char of_teachers[] = "whose shards of the rows are disjoint, once";

typedef struct origin {
    const sot_certificate *certificate;
    const sot_json_value *root;
    const char *query; /* NULL: the records do not come from a query */
    bool from_file, from_memory, from_teachers;
    bool by_column; /* the unit is a value of a column; else a row */
    bool replaced;  /* the adjacency is replace-one */
    const char *statistic, *model, *method; /* "": the file has none */
    sot_json_value schema;
    bool has_schema;
    bool is_matrix; /* the schema has no names of columns */
} origin;

static const char *text_of(const sot_json_value *object, const char *key)
{
    sot_json_value member;
    const char *text = "";
    if (!sot_json_member(object, key, &member)) return "";
    return sot_json_as_string(&member, &text, NULL) == SOTTO_OK ? text : "";
}

static void read_sources(const char *const *covered, origin *out)
{
    for (size_t i = 0; covered[i] != NULL; i++) {
        if (strncmp(covered[i], of_query, sizeof of_query - 1) == 0)
            out->query = covered[i] + sizeof of_query - 1;
        if (strcmp(covered[i], of_file) == 0) out->from_file = true;
        if (strcmp(covered[i], sot_former_records_in_memory) == 0)
            out->from_memory = true;
        if (strstr(covered[i], of_teachers) != NULL) out->from_teachers = true;
    }
}

static origin read_origin(const sot_certificate_file *file)
{
    sot_json_value columns;
    const sot_certificate *certificate = &file->certificate;
    origin from = {
        .certificate = certificate,
        .root = &file->root,
        .by_column = strncmp(certificate->facts.unit, "value of the column ", 20) == 0,
        .replaced = sotto_plan_adjacency(certificate->plan) == SOTTO_REPLACE_ONE,
        .statistic = text_of(&file->root, "statistic"),
        .model = text_of(&file->root, "model"),
        .method = text_of(&file->root, "method"),
    };
    read_sources(certificate->facts.covered, &from);
    from.has_schema = sot_json_member(&file->root, "schema", &from.schema) &&
                      sot_json_kind_of(&from.schema) == SOT_JSON_OBJECT;
    from.is_matrix =
        from.has_schema && !sot_json_member(&from.schema, "columns", &columns);
    return from;
}

/* ---- the text of a query ---- */

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           c == '_' || c == '$';
}

/* Bytes of the word at the start of `text`; 0 where there is none. */
static size_t word_bytes(const char *text)
{
    size_t size = 0;
    while (is_letter(text[size]))
        size++;
    return size;
}

static bool is_word(const char *text, size_t size, const char *word)
{
    return size == strlen(word) && strncasecmp(text, word, size) == 0;
}

/* A word inside quotes or a comment counts too: the certificate shows a line break as '?', so the end of a comment
 * is not known. A long query ends with "..." there, and its end is not known either. */
static bool has_word(const char *query, const char *word)
{
    const size_t length = strlen(query);
    if (length >= 3 && strcmp(query + length - 3, "...") == 0) return true;
    while (*query != '\0') {
        const size_t size = word_bytes(query);
        if (is_word(query, size, word)) return true;
        query += size > 0 ? size : 1;
    }
    return false;
}

/* Words that SQLite takes for a value of its own if no column has the name. */
static bool is_stored_name(const char *text, size_t size)
{
    static const char *const values[] = {
        "rowid",        "oid",          "_rowid_",          "null", "true", "false",
        "current_date", "current_time", "current_timestamp"};
    if (size == 0 || (*text >= '0' && *text <= '9')) return false;
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++)
        if (is_word(text, size, values[i])) return false;
    return true;
}

/* True if every column of the result is a stored column under its own name. The text is SELECT,
 * then stars and bare names with commas between them, then FROM. */
static bool selects_stored_columns(const char *query)
{
    const char *at = query + strspn(query, " ");
    size_t size = word_bytes(at);
    if (!is_word(at, size, "select")) return false;
    do {
        at += size > 0 ? size : 1; /* the word, or a comma */
        at += strspn(at, " ");
        size = word_bytes(at);
        if (*at == '*') {
            size = 1;
        } else if (!is_stored_name(at, size)) {
            return false;
        }
        at += size;
        at += strspn(at, " ");
        size = 0;
    } while (*at == ',');
    return is_word(at, word_bytes(at), "from");
}

/* ---- predicates ---- */

static bool is_filtered_query(const origin *from)
{
    return from->replaced && from->query != NULL && has_word(from->query, "where");
}

static bool is_escaped_query(const origin *from)
{
    return from->query != NULL && has_word(from->query, "escape");
}

static bool is_taught_with_public_n(const origin *from)
{
    return from->replaced && from->from_teachers;
}

static bool is_ordered_by_query(const origin *from)
{
    return from->query != NULL && strcmp(from->statistic, "rr") == 0;
}

static bool is_unit_of_query(const origin *from)
{
    return from->by_column && from->query != NULL && !selects_stored_columns(from->query);
}

static bool is_unit_of_teachers(const origin *from)
{
    return from->by_column && from->from_teachers;
}

static bool is_unit_by_position(const origin *from)
{
    return from->by_column && from->from_memory && !from->is_matrix;
}

static bool is_table_by_position(const origin *from)
{
    return !from->by_column && from->from_memory && from->has_schema && !from->is_matrix;
}

static bool is_matrix_file(const origin *from)
{
    return from->is_matrix && (from->from_file || from->from_teachers);
}

/* A private accuracy does not state the schema of its model. */
static bool is_accuracy_of_file(const origin *from)
{
    return from->from_file && strcmp(from->statistic, "accuracy") == 0;
}

/* 0.1.0 wrote the same of a stream and of a stored file. Its number of rows and its unit column were believed. */
static bool may_be_stream(const origin *from)
{
    return from->from_file && (from->by_column || from->replaced);
}

static bool is_unit_of_lines(const origin *from)
{
    return from->by_column && from->from_file && !from->is_matrix;
}

static bool is_taught(const origin *from)
{
    return from->from_teachers;
}

/* The table that Python made from `bounds`: its last column is the target, named "target" with underscores
 * behind it where a feature had the name. */
static bool has_made_target(const origin *from)
{
    sot_json_value columns;
    if (!sot_json_member(&from->schema, "columns", &columns) ||
        sot_json_kind_of(&columns) != SOT_JSON_ARRAY || sot_json_size(&columns) == 0)
        return false;
    const sot_json_value last = sot_json_item(&columns, sot_json_size(&columns) - 1);
    if (sot_json_kind_of(&last) != SOT_JSON_OBJECT) return false;
    const char *name = text_of(&last, "name");
    return strncmp(name, "target", 6) == 0 && name[6 + strspn(name + 6, "_")] == '\0';
}

static bool is_labelled_by_data(const origin *from)
{
    sot_json_value classes;
    return from->from_memory && from->has_schema &&
           sot_json_member(from->root, "classes", &classes) &&
           (from->is_matrix || has_made_target(from));
}

/* Every run of this size overwrote return addresses on the stack before it could succeed, so no
 * file should exist. If one does, nothing is known about its noise. The best training of a tuning
 * need not have the method of the other candidates. */
static bool is_long_matrix(const origin *from)
{
    sot_json_value coefficients;
    const bool tuned = from->certificate->facts.selection != NULL;
    const bool linear = strcmp(from->model, "linear") == 0;
    const bool logistic = strcmp(from->model, "logistic") == 0;
    const bool by_matrix = linear ? strcmp(from->method, "statistics") == 0 ||
                                        strcmp(from->method, "adassp") == 0
                                  : logistic && strcmp(from->method, "newton") == 0;
    if (!by_matrix && !(tuned && (linear || logistic))) return false;
    if (!sot_json_member(from->root, "coefficients", &coefficients) ||
        sot_json_kind_of(&coefficients) != SOT_JSON_ARRAY)
        return true;
    /* The matrix of a linear model has a row for the target too. */
    return sot_json_size(&coefficients) + (linear ? 1 : 0) >= LONG_MATRIX_SIZE;
}

/* ---- the table ---- */

#define AGAIN "Do not publish the file. Run it again with sotto 0.2.0 or newer. "
#define OTHERWISE                                                                        \
    "Otherwise do not publish the file, and run it again with sotto 0.2.0 or newer. "
#define SPENT "Count its privacy loss as larger than stated, and possibly unbounded."

typedef struct entry {
    sotto_advisory advisory;
    bool (*applies)(const origin *from);
} entry;

#define ENTRY(number, privacy, predicate, what, todo)                                    \
    {                                                                                    \
        {.id = "SOTTO-2026-" number,                                                     \
         .affected = "0.1.0",                                                            \
         .fixed_in = "0.2.0",                                                            \
         .affects_privacy = (privacy),                                                   \
         .effect = (what),                                                               \
         .remedy = (todo)},                                                              \
            (predicate)                                                                  \
    }

/* Entries with one id are the same defect in different kinds of files; at most one of them applies. */
static const entry entries[] = {
    ENTRY("01", true, is_filtered_query,
          "The query has a WHERE condition, and the adjacency is replace-one. The "
          "number of selected rows counted as public, although one stored row can "
          "change it. The noise did not cover a row that enters or leaves the "
          "selection.",
          AGAIN SPENT),
    ENTRY("01", true, is_taught_with_public_n,
          "The adjacency is replace-one. If the teachers were trained from a query "
          "with a WHERE condition, the number of selected rows counted as public. One "
          "stored row can change that number.",
          "If the teachers were not trained from such a query, the guarantee holds. "
          "Otherwise do not publish the file, and train the teachers again with sotto "
          "0.2.0 or newer. " SPENT),
    ENTRY("02", true, is_ordered_by_query,
          "The randomized responses are in the order of the query's result. That order "
          "can depend on the records, so the file can reveal a record at any epsilon.",
          AGAIN SPENT),
    ENTRY("03", true, is_unit_of_query,
          "The query computes or renames columns, so its unit column may not be the "
          "stored one. One unit could then contribute more rows than the certificate "
          "states.",
          "If the query selects the stored unit column under its own name, the "
          "guarantee holds. " OTHERWISE SPENT),
    ENTRY("03", true, is_unit_of_teachers,
          "If the teachers were trained from a query that computes or renames the unit "
          "column, one unit could contribute to several teachers. It could also have "
          "more rows than the certificate states.",
          "If the teachers were not trained from such a query, the guarantee holds. "
          "Otherwise do not publish the file, and train the teachers again with sotto "
          "0.2.0 or newer. " SPENT),
    ENTRY(
        "04", true, is_unit_by_position,
        "If the records were a polars table, a pyarrow table or a pandas frame with "
        "a MultiIndex, columns were read by position, not by name. "
        "Another column may have served as the unit.",
        "If the columns were in the order of the schema, the guarantee holds. " OTHERWISE
            SPENT),
    ENTRY("04", false, is_table_by_position,
          "If the records were a polars table, a pyarrow table or a pandas frame with "
          "a MultiIndex, columns were read by position, not by name. The "
          "model may have confused its columns.",
          "The guarantee holds for each row. If the columns were not in the order of "
          "the schema, train the model again with sotto 0.2.0 or newer."),
    ENTRY("05", true, is_matrix_file,
          "A data file of unknown format was read as LIBSVM. If the file was not "
          "LIBSVM, NPY, IDX or CIFAR-10, one stored record could change many of the "
          "rows that were read.",
          "If the data file had one of these formats, the guarantee holds. " OTHERWISE
              SPENT),
    ENTRY("05", true, is_accuracy_of_file,
          "Under a schema with \"features\" a data file of unknown format was read as "
          "LIBSVM. If the model has such a schema and the file was not LIBSVM, NPY, "
          "IDX or CIFAR-10, one stored record could change many rows.",
          "If the model has a schema with \"columns\", or the data file had one of "
          "these formats, the guarantee holds. " OTHERWISE SPENT),
    ENTRY("06", true, is_labelled_by_data,
          "In Python, fit() without schema= and classes= took the label set from y. A "
          "label that only one record has is then visible in the file at any epsilon.",
          "If classes= or schema= was given, or the label set was public before the "
          "training, the guarantee holds. Otherwise do not publish the file, and train "
          "again with classes=. " SPENT),
    ENTRY(
        "07", true, is_long_matrix,
        "The methods statistics, adassp and newton wrote noise beyond a buffer at this "
        "number of columns, and the run crashed or failed after the charge. No such run "
        "is known to have finished, so the noise in this file is not known.",
        AGAIN SPENT),
    ENTRY("08", true, is_escaped_query,
          "The query has an ESCAPE. If an operator follows its character, the query can "
          "fail on one stored row, so that a failed run reveals that row's cells.",
          "If no operator follows the character behind ESCAPE, the guarantee holds. "
          "Otherwise the file itself is private, but each run of the query, failed or "
          "not, revealed more than was charged. " SPENT),
    ENTRY(
        "09", true, is_taught,
        "If \"sotto pate teach\" ran twice in one directory, teachers of two keys could "
        "be mixed. One record was then in two shards, and its influence was twice the "
        "stated one.",
        "If one teaching made the directory, without an interruption and a second "
        "process, the guarantee holds. Otherwise do not publish the file, and train the "
        "teachers again with sotto 0.2.0 or newer. " SPENT),
    ENTRY("10", true, may_be_stream,
          "If the data file was a pipe or standard input, the program behind it may have "
          "left records out or renamed columns. The number of its rows counted as public "
          "under replace-one, and its unit column was believed.",
          "If the data file was a stored file, the guarantee holds. It also holds if the "
          "program behind the pipe wrote every record and every column of a stored "
          "table. " OTHERWISE SPENT),
    ENTRY(
        "11", true, is_unit_of_lines,
        "Cells behind the first MiB of a line were missing. If one of them was the "
        "unit's "
        "id, the line counted for another unit.",
        "If no line of the data file has more than 1 MiB, the guarantee holds. " OTHERWISE
            SPENT),
};

enum { ENTRIES = sizeof entries / sizeof entries[0] };
static_assert((int)ENTRIES <= (int)SOTTO_ADVISORIES_MAX, "every advisory could apply");

/* "0.1.0" is before "0.2.0". A version that is not three numbers is before every other. */
static bool is_before(const char *version, const char *fixed_in)
{
    unsigned a[3] = {0, 0, 0}, b[3] = {0, 0, 0};
    if (sscanf(version, "%5u.%5u.%5u", &a[0], &a[1], &a[2]) != 3) return true;
    (void)sscanf(fixed_in, "%5u.%5u.%5u", &b[0], &b[1], &b[2]);
    for (size_t i = 0; i < 3; i++)
        if (a[i] != b[i]) return a[i] < b[i];
    return false;
}

const sotto_advisory *sotto_advisory_at(size_t index)
{
    return index < ENTRIES ? &entries[index].advisory : NULL;
}

size_t sot_certificate_advisories(const sot_certificate_file *file,
                                  const sotto_advisory *out[SOTTO_ADVISORIES_MAX])
{
    size_t count = 0;
    const origin from = read_origin(file);
    const char *version = file->certificate.software.version;
    /* A newer sotto writes version 1 of one file only: a student of labels of version 1, whose plan and teachers it has. */
    const bool is_old = file->certificate.version < 2;
    for (size_t i = 0; i < ENTRIES; i++) {
        if ((is_old || is_before(version, entries[i].advisory.fixed_in)) &&
            entries[i].applies(&from))
            out[count++] = &entries[i].advisory;
    }
    return count;
}

void sot_advisory_title(const sotto_advisory *advisory, char *out, size_t size_bytes)
{
    (void)snprintf(out, size_bytes, "WARNING, advisory %s: %s", advisory->id,
                   advisory->affects_privacy ? "the guarantee below may not hold"
                                             : "the result may be wrong");
}

void sot_advisory_text(const sotto_advisory *advisory, const char *version, char *out,
                       size_t size_bytes)
{
    char made[64];
    (void)snprintf(made, sizeof made, "sotto %.40s made this file.", version);
    (void)snprintf(out, size_bytes, "%s %s %s",
                   is_before(version, advisory->fixed_in)
                       ? made
                       : "This file follows from labels of an older sotto.",
                   advisory->effect, advisory->remedy);
}

sotto_status sotto_certificate_advisories(const char *text, size_t size_bytes,
                                          const sotto_advisory **out_advisories,
                                          size_t *out_count, sotto_error *error)
{
    sot_certificate_file file;
    const sotto_status status = sot_certificate_file_open(text, size_bytes, &file, error);
    if (status != SOTTO_OK) return status;
    *out_count = sot_certificate_advisories(&file, out_advisories);
    sot_certificate_file_close(&file);
    return SOTTO_OK;
}
