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
    const sotto_status status =
        sot_fail(error, SOTTO_INVALID_ARGUMENT,
                 "%s lists '%s', and %.80s has no such column%s%s%s", option,
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

/* The unit's column holds ids. */
static sotto_status state_unit(sot_draft *draft, sotto_error *error)
{
    const char *unit = draft->config->unit;
    char shown[64];
    for (size_t i = 0; unit != NULL && i < draft->size; i++) {
        sot_draft_column *column = &draft->columns[i];
        if (strcmp(column->name, unit) != 0) continue;
        if (column->stated != 0 && column->stated != SOTTO_COLUMN_ID) {
            return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                            "`unit` is '%s', which another option gives the type %s; "
                            "list the column only as `unit`",
                            sot_printable(unit, shown, sizeof shown),
                            sotto_column_type_name(column->stated));
        }
        column->stated = SOTTO_COLUMN_ID;
        return SOTTO_OK;
    }
    return unit == NULL ? SOTTO_OK : fail_unknown(draft, "`unit`", unit, error);
}

sotto_status sot_draft_state_types(sot_draft *draft, sotto_error *error)
{
    const sotto_draft_config *config = draft->config;
    const stated_list lists[] = {
        {config->leave_out, "`leave_out`", SOTTO_COLUMN_IGNORE},
        {config->numbers, "`number`", SOTTO_COLUMN_NUMBER},
        {config->integers, "`integer`", SOTTO_COLUMN_INTEGER},
        {config->booleans, "`boolean`", SOTTO_COLUMN_BOOLEAN},
        {config->categories, "`category`", SOTTO_COLUMN_CATEGORY},
        {config->ids, "`id`", SOTTO_COLUMN_ID}};
    sotto_status status = SOTTO_OK;
    for (size_t i = 0; status == SOTTO_OK && i < sizeof lists / sizeof lists[0]; i++)
        status = state_types(draft, &lists[i], error);
    return status == SOTTO_OK ? state_unit(draft, error) : status;
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
        {"smoker", false, false, SOTTO_COLUMN_BOOLEAN},
        {"smokes", false, false, SOTTO_COLUMN_BOOLEAN},
        {"smoking", false, false, SOTTO_COLUMN_BOOLEAN},
        {"readmitted", false, false, SOTTO_COLUMN_BOOLEAN},
        {"died", false, false, SOTTO_COLUMN_BOOLEAN},
        {"deceased", false, false, SOTTO_COLUMN_BOOLEAN},
        {"dead", false, false, SOTTO_COLUMN_BOOLEAN},
        {"survived", false, false, SOTTO_COLUMN_BOOLEAN},
        {"pregnant", false, false, SOTTO_COLUMN_BOOLEAN},
        {"diabetic", false, false, SOTTO_COLUMN_BOOLEAN},
        {"employed", false, false, SOTTO_COLUMN_BOOLEAN},
        {"churned", false, false, SOTTO_COLUMN_BOOLEAN},
        {"age", false, false, SOTTO_COLUMN_INTEGER},
        {"year", false, true, SOTTO_COLUMN_INTEGER},
        {"count", false, true, SOTTO_COLUMN_INTEGER},
        {"n_", true, false, SOTTO_COLUMN_INTEGER},
        {"num_", true, false, SOTTO_COLUMN_INTEGER},
        {"sex", false, false, SOTTO_COLUMN_CATEGORY},
        {"gender", false, false, SOTTO_COLUMN_CATEGORY},
        {"town", false, false, SOTTO_COLUMN_CATEGORY},
        {"city", false, false, SOTTO_COLUMN_CATEGORY},
        {"diagnosis", false, false, SOTTO_COLUMN_CATEGORY},
        {"insurance", false, false, SOTTO_COLUMN_CATEGORY},
        {"ward", false, false, SOTTO_COLUMN_CATEGORY},
        {"department", false, false, SOTTO_COLUMN_CATEGORY},
        {"occupation", false, false, SOTTO_COLUMN_CATEGORY},
        {"profession", false, false, SOTTO_COLUMN_CATEGORY},
        {"job", false, false, SOTTO_COLUMN_CATEGORY},
        {"education", false, false, SOTTO_COLUMN_CATEGORY},
        {"ethnicity", false, false, SOTTO_COLUMN_CATEGORY},
        {"race", false, false, SOTTO_COLUMN_CATEGORY},
        {"language", false, false, SOTTO_COLUMN_CATEGORY},
        {"religion", false, false, SOTTO_COLUMN_CATEGORY},
        {"marital", false, false, SOTTO_COLUMN_CATEGORY},
        {"state", false, false, SOTTO_COLUMN_CATEGORY},
        {"province", false, false, SOTTO_COLUMN_CATEGORY},
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

/* The name is the word, or ends with it behind '_', ' ' or '-'. */
static bool ends_with_word(const char *name, const char *word)
{
    const size_t length = strlen(name), size = strlen(word);
    if (length < size || strcasecmp(name + length - size, word) != 0) return false;
    return length == size || strchr("_ -", name[length - size - 1]) != NULL;
}

bool sot_draft_names_text(const char *name)
{
    static const char *const words[] = {
        "note", "notes", "comment", "comments", "description", "text",   "remarks",
        "mail", "email", "phone",   "address",  "url",         "surname"};
    if (sot_draft_suggest(name) != SOTTO_COLUMN_NUMBER) return false; /* "has_phone" */
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (ends_with_word(name, words[i])) return true;
    return false;
}

bool sot_draft_names_day(const char *name)
{
    static const char *const words[] = {"date",      "birthday", "birthdate",
                                        "timestamp", "dob",      "at"};
    if (sot_draft_suggest(name) != SOTTO_COLUMN_NUMBER) return false;
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (ends_with_word(name, words[i])) return true;
    return false;
}
