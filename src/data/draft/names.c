/* Types of columns that the caller of a draft states, and those that names suggest where there are no rows. */
#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "data/draft/parts.h"

/* ---- stated ---- */

typedef struct stated_list {
    const char *names;  /* "age,visits"; NULL: none */
    const char *option; /* for messages */
    sotto_column_type type;
} stated_list;

static sotto_status fail_unknown(const sot_draft *draft, const char *option,
                                 const char *name, sotto_error *error)
{
    char shown[64], meant[64];
    const char **names = sot_new_array(draft->size + 1, sizeof *names);
    if (names == NULL) return sot_fail_memory(error, draft->size + 1, sizeof *names);
    for (size_t i = 0; i < draft->size; i++)
        names[i] = draft->columns[i].name;
    const char *nearest = sot_nearest_word(name, names);
    const sotto_status status = sot_fail(
        error, SOTTO_INVALID_ARGUMENT, "%s lists '%s', which %.80s has not%s%s%s", option,
        sot_printable(name, shown, sizeof shown), draft->config->path,
        nearest == NULL ? "; give names of its header, with commas between them"
                        : "; did you mean '",
        nearest == NULL ? "" : sot_printable(nearest, meant, sizeof meant),
        nearest == NULL ? "" : "'?");
    sot_free(names);
    return status;
}

static sotto_status state_type(sot_draft *draft, const stated_list *list,
                               const char *name, sotto_error *error)
{
    char shown[64];
    for (size_t i = 0; i < draft->size; i++) {
        sot_draft_column *column = &draft->columns[i];
        if (strcmp(column->name, name) != 0) continue;
        if (column->stated != 0) {
            return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                            "%s lists '%s', which is listed already; list each column "
                            "once",
                            list->option, sot_printable(name, shown, sizeof shown));
        }
        column->stated = list->type;
        return SOTTO_OK;
    }
    return fail_unknown(draft, list->option, name, error);
}

/* The names of a list one after another. */
static sotto_status state_types(sot_draft *draft, const stated_list *list,
                                sotto_error *error)
{
    if (list->names == NULL) return SOTTO_OK;
    char *copy = sot_copy_string(list->names);
    if (copy == NULL) return sot_fail_memory(error, strlen(list->names) + 1, 1);
    sotto_status status = SOTTO_OK;
    for (char *name = copy, *end; status == SOTTO_OK && name != NULL; name = end) {
        end = strchr(name, ',');
        if (end != NULL) *end++ = '\0';
        status = state_type(draft, list, name, error);
    }
    sot_free(copy);
    return status;
}

sotto_status sot_draft_state_types(sot_draft *draft, sotto_error *error)
{
    const sotto_draft_config *config = draft->config;
    const stated_list lists[] = {
        {config->leave_out, "--leave-out", SOTTO_COLUMN_IGNORE},
        {config->numbers, "--number", SOTTO_COLUMN_NUMBER},
        {config->integers, "--integer", SOTTO_COLUMN_INTEGER},
        {config->booleans, "--boolean", SOTTO_COLUMN_BOOLEAN},
        {config->categories, "--category", SOTTO_COLUMN_CATEGORY},
        {config->ids, "--id", SOTTO_COLUMN_ID}};
    sotto_status status = SOTTO_OK;
    for (size_t i = 0; status == SOTTO_OK && i < sizeof lists / sizeof lists[0]; i++)
        status = state_types(draft, &lists[i], error);
    return status;
}

/* ---- suggested ---- */

typedef struct suggestion {
    const char *word;
    bool begins, ends; /* the name begins so, ends so; neither: is so */
    sotto_column_type type;
} suggestion;

static bool suggests(const suggestion *one, const char *name)
{
    const size_t length = strlen(name), word = strlen(one->word);
    if (one->begins) return strncasecmp(name, one->word, word) == 0;
    if (!one->ends) return strcasecmp(name, one->word) == 0;
    return length >= word && strcasecmp(name + length - word, one->word) == 0;
}

sotto_column_type sot_draft_suggest(const char *name)
{
    static const suggestion suggestions[] = {
        {"is_", true, false, SOTTO_COLUMN_BOOLEAN},
        {"has_", true, false, SOTTO_COLUMN_BOOLEAN},
        {"was_", true, false, SOTTO_COLUMN_BOOLEAN},
        {"age", false, false, SOTTO_COLUMN_INTEGER},
        {"year", false, true, SOTTO_COLUMN_INTEGER},
        {"count", false, true, SOTTO_COLUMN_INTEGER},
        {"n_", true, false, SOTTO_COLUMN_INTEGER},
        {"num_", true, false, SOTTO_COLUMN_INTEGER},
        {"sex", false, false, SOTTO_COLUMN_CATEGORY},
        {"gender", false, false, SOTTO_COLUMN_CATEGORY},
        {"town", false, false, SOTTO_COLUMN_CATEGORY},
        {"city", false, false, SOTTO_COLUMN_CATEGORY},
        {"country", false, true, SOTTO_COLUMN_CATEGORY},
        {"region", false, true, SOTTO_COLUMN_CATEGORY},
        {"type", false, true, SOTTO_COLUMN_CATEGORY},
        {"class", false, true, SOTTO_COLUMN_CATEGORY},
        {"category", false, true, SOTTO_COLUMN_CATEGORY},
        {"group", false, true, SOTTO_COLUMN_CATEGORY},
        {"code", false, true, SOTTO_COLUMN_CATEGORY},
        {"status", false, true, SOTTO_COLUMN_CATEGORY}};
    for (size_t i = 0; i < sizeof suggestions / sizeof suggestions[0]; i++)
        if (suggests(&suggestions[i], name)) return suggestions[i].type;
    return SOTTO_COLUMN_NUMBER;
}
