/* Rows on their way in, values on their way out, and scores that come with their candidates. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "commands/statistics/release.h"

enum { LABEL_BYTES_MAX = 256, CANDIDATES_MAX = 1000000 };
static const size_t scores_bytes_max = (size_t)64 << 20;

sotto_status sot_release_make_values(sot_release *release, size_t count,
                                     sotto_error *error)
{
    release->values = sot_new_array(count, sizeof *release->values);
    if (release->values == NULL)
        return sot_fail_memory(error, count, sizeof *release->values);
    release->value_count = count;
    for (size_t i = 0; i < count; i++)
        release->values[i].standard_error = SOTTO_UNSET;
    return SOTTO_OK;
}

sotto_status sot_release_set_value(sot_release *release, size_t index, const char *label,
                                   double value, double lower, double upper,
                                   sotto_error *error)
{
    sot_released_value *place = &release->values[index];
    place->label = sot_copy_string(label);
    if (place->label == NULL) return sot_fail_memory(error, strlen(label) + 1, 1);
    place->value = value == 0.0 ? 0.0 : value; /* no -0 */
    place->lower = lower == 0.0 ? 0.0 : lower;
    place->upper = upper == 0.0 ? 0.0 : upper;
    return SOTTO_OK;
}

void sot_release_note(sot_release *release, const char *sentence)
{
    if (release->note_count < SOT_RELEASE_NOTES)
        release->notes[release->note_count++] = sentence;
}

/* ---- values of a file ---- */

static sotto_status stated_number(const sot_json_value *value, const char *key,
                                  double *out, sotto_error *error)
{
    sot_json_value member;
    *out = SOTTO_UNSET;
    return sot_json_member(value, key, &member) ? sot_json_as_double(&member, out, error)
                                                : SOTTO_OK;
}

sotto_status sot_release_stated(const sot_json_value *file, size_t index,
                                sot_stated_value *out, sotto_error *error)
{
    sot_json_value list;
    const char *label = NULL;
    sotto_status status = sot_json_get_array(file, "values", &list, error);
    if (status != SOTTO_OK) return status;
    if (index >= sot_json_size(&list))
        return sot_fail(error, SOTTO_VERIFICATION,
                        "values has %zu entries, and more are "
                        "released",
                        sot_json_size(&list));
    const sot_json_value item = sot_json_item(&list, index);
    status = sot_json_as_object(&item, error);
    if (status == SOTTO_OK) status = sot_json_get_string(&item, "label", &label, error);
    if (status == SOTTO_OK) status = stated_number(&item, "value", &out->value, error);
    if (status == SOTTO_OK) status = stated_number(&item, "lower", &out->lower, error);
    if (status == SOTTO_OK) status = stated_number(&item, "upper", &out->upper, error);
    out->label = label;
    return status;
}

sotto_status sot_release_stated_units(const sot_json_value *file, size_t index,
                                      double origin, double grid, int64_t *out_units,
                                      sotto_error *error)
{
    sot_stated_value stated;
    const sotto_status status = sot_release_stated(file, index, &stated, error);
    if (status != SOTTO_OK) return status;
    const double units = nearbyint((stated.value - origin) / grid);
    if (!(fabs(units) < 0x1p62))
        return sot_fail(error, SOTTO_VERIFICATION, "values[%zu].value is out of range",
                        index);
    *out_units = (int64_t)units;
    return SOTTO_OK;
}

/* ---- rows ---- */

sotto_status sot_release_take(sot_release *release, double value, sotto_error *error)
{
    const sotto_status status = release->statistic->take(release, value, error);
    if (status == SOTTO_OK) release->rows++;
    return status;
}

sotto_status sot_kept_put(sot_kept_rows *kept, size_t slot, double value,
                          sotto_error *error)
{
    if (slot >= kept->room) {
        const size_t room = kept->room == 0 ? 1024 : 2 * kept->room;
        double *values = sot_move_array(kept->values, kept->room, room, sizeof *values);
        if (values == NULL) return sot_fail_memory(error, room, sizeof *values);
        kept->values = values;
        kept->room = room;
    }
    if (slot == kept->count) kept->count++;
    kept->values[slot] = value;
    return SOTTO_OK;
}

sotto_status sot_kept_take(sot_release *release, const sot_kept_rows *kept,
                           sotto_error *error)
{
    sotto_status status = SOTTO_OK;
    for (size_t i = 0; i < kept->count && status == SOTTO_OK; i++)
        status = sot_release_take(release, kept->values[i], error);
    return status;
}

void sot_kept_clear(sot_kept_rows *kept)
{
    sot_wipe_and_free(kept->values, kept->room * sizeof *kept->values);
}

/* ---- a file of scores ---- */

/* The whole file in memory that is wiped later: scores are secret. */
static sotto_status read_whole(const char *path, char **out_text, size_t *out_size_bytes,
                               sotto_error *error)
{
    char reason[96];
    struct stat facts;
    FILE *file = fopen(path, "rb");
    if (file == NULL || fstat(fileno(file), &facts) != 0) {
        const int code = errno;
        if (file != NULL) (void)fclose(file);
        return sot_fail(error, SOTTO_IO, "cannot open %s: %s", path,
                        sot_errno_text(code, reason, sizeof reason));
    }
    if (!S_ISREG(facts.st_mode) || (uint64_t)facts.st_size > scores_bytes_max) {
        (void)fclose(file);
        return sot_fail(
            error, SOTTO_IO,
            "%s is not a regular file of at most 64 MiB; give a file of lines "
            "candidate,score",
            path);
    }
    const size_t size_bytes = (size_t)facts.st_size;
    char *text = sot_new_array(size_bytes + 1, 1);
    if (text == NULL) {
        (void)fclose(file);
        return sot_fail_memory(error, size_bytes + 1, 1);
    }
    (void)setvbuf(file, NULL, _IONBF, 0);
    const bool good = fread(text, 1, size_bytes, file) == size_bytes;
    (void)fclose(file);
    if (!good) {
        sot_wipe_and_free(text, size_bytes + 1);
        return sot_fail(error, SOTTO_IO, "%s cannot be read to its end", path);
    }
    *out_text = text;
    *out_size_bytes = size_bytes;
    return SOTTO_OK;
}

static bool is_printable(const char *text)
{
    for (const char *c = text; *c != '\0';) {
        const size_t length = sot_utf8_length(c, strlen(c));
        if (length == 0 || (unsigned char)*c < 0x20) return false;
        c += length;
    }
    return true;
}

/* Splits one line at its last comma, in place. */
/* A score is secret, so every text has a value: rounded down and clipped to +-2^52. Neither moves
 * two scores further apart than the declared sensitivity. Invalid numbers count as 0. */
static bool read_score(const char *text, int64_t *out_score)
{
    double score = 0.0;
    while (*text == ' ')
        text++;
    const size_t size_bytes = strlen(text);
    const sot_number read = size_bytes > SOT_NUMBER_BYTES_MAX
                                ? SOT_NUMBER_MALFORMED
                                : sot_parse_double(text, size_bytes, &score);
    if (read == SOT_NUMBER_TOO_LARGE) score = text[0] == '-' ? -0x1p52 : 0x1p52;
    *out_score = (int64_t)fmin(fmax(floor(score), -0x1p52), 0x1p52);
    return read != SOT_NUMBER_MALFORMED;
}

/* Candidates are public: a line without one is refused. *out_is_number: its score is a number. */
static bool read_line(char *line, const char **out_label, int64_t *out_score,
                      bool *out_is_number)
{
    char *comma = strrchr(line, ',');
    if (comma == NULL) return false;
    *comma = '\0';
    *out_is_number = read_score(comma + 1, out_score);
    const size_t length = strlen(line);
    if (length >= 2 && line[0] == '"' && line[length - 1] == '"') {
        line[length - 1] = '\0';
        line++;
    }
    *out_label = line;
    return line[0] != '\0' && strlen(line) < LABEL_BYTES_MAX && is_printable(line);
}

static int compare_labels(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static sotto_status check_distinct(const sot_release *release, const char *path,
                                   sotto_error *error)
{
    const size_t count = release->candidate_count;
    const char **sorted = sot_new_array(count, sizeof *sorted);
    if (sorted == NULL) return sot_fail_memory(error, count, sizeof *sorted);
    memcpy(sorted, release->labels, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, compare_labels);
    bool distinct = true;
    for (size_t i = 1; i < count; i++)
        distinct = distinct && strcmp(sorted[i - 1], sorted[i]) != 0;
    sot_free(sorted);
    if (distinct) return SOTTO_OK;
    return sot_fail(error, SOTTO_PARSE, "%s has a candidate twice; give each once", path);
}

static sotto_status read_lines(sot_release *release, char *text, size_t lines,
                               const char *path, sotto_error *error)
{
    sotto_status status = sot_release_make_exact(release, lines, error);
    if (status != SOTTO_OK) return status;
    release->labels = sot_new_array(lines, sizeof *release->labels);
    if (release->labels == NULL)
        return sot_fail_memory(error, lines, sizeof *release->labels);
    bool first = true;
    char *next = text;
    while (next != NULL && *next != '\0') {
        char *line = next;
        next = strchr(line, '\n');
        if (next != NULL) *next++ = '\0';
        line[strcspn(line, "\r")] = '\0';
        const bool header = first && strcmp(line, "candidate,score") == 0;
        if (line[0] == '\0' || header) {
            first = false;
            continue;
        }
        const char *label;
        bool is_number = false;
        const size_t index = release->candidate_count;
        if (!read_line(line, &label, &release->exact[index], &is_number) ||
            (first && !is_number)) {
            /* Scores are secret: neither the line nor its number is quoted. */
            return sot_fail(error, SOTTO_PARSE,
                            "%s has a line without a candidate, or begins with another "
                            "header than candidate,score; give lines of a candidate, a "
                            "comma and its score",
                            path);
        }
        first = false;
        release->labels[index] = sot_copy_string(label);
        if (release->labels[index] == NULL)
            return sot_fail_memory(error, strlen(label) + 1, 1);
        release->candidate_count++;
    }
    if (release->candidate_count == 0)
        return sot_fail(error, SOTTO_PARSE, "%s has no candidates", path);
    return check_distinct(release, path, error);
}

sotto_status sot_read_scores(sot_release *release, const char *path, sotto_error *error)
{
    char *text = NULL;
    size_t size_bytes = 0;
    sotto_status status = read_whole(path, &text, &size_bytes, error);
    if (status != SOTTO_OK) return status;
    size_t lines = 1;
    for (size_t i = 0; i < size_bytes; i++)
        lines += text[i] == '\n';
    if (memchr(text, '\0', size_bytes) != NULL || lines > CANDIDATES_MAX + 2) {
        status = sot_fail(error, SOTTO_PARSE,
                          "%s is no text file of at most 1000000 lines", path);
    }
    if (status == SOTTO_OK) status = read_lines(release, text, lines, path, error);
    sot_wipe_and_free(text, size_bytes + 1);
    return status;
}
