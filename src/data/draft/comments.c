/* Comments of a drafted schema, and names that identify people. */
#include <string.h>
#include <strings.h>

#include "data/draft/parts.h"

const char *sot_draft_comment(sotto_column_type type, bool unknown, bool days)
{
    if (unknown && days)
        return "FILL IN lower and upper: the first and the last possible date, as days "
               "since 1970-01-01 (2026-01-01 is 20454). Never take them from rows. Name "
               "their origin as source";
    switch (type) {
    case SOTTO_COLUMN_NUMBER:
    case SOTTO_COLUMN_INTEGER:
        return unknown
                   ? "FILL IN lower and upper: limits from a questionnaire, a rule or a "
                     "unit of measurement, never from rows; name their origin as source"
                   : "replace the bounds by limits that are known without looking";
    case SOTTO_COLUMN_CATEGORY:
        return unknown ? "FILL IN values: a list of all categories, spelled as in the "
                         "file; another value counts as the first one"
                       : "a value outside the list counts as missing";
    case SOTTO_COLUMN_BOOLEAN:
        return "1, true, yes, t, y or 0, false, no, f, n; another cell counts as false";
    case SOTTO_COLUMN_ID:
        return "identifies a person; never a feature, never released";
    case SOTTO_COLUMN_IGNORE:
        return "not used; give it another type to make it a feature";
    }
    return "";
}

/* "patient" of "patient_id" and "PatientID". */
static size_t length_without_ending(const char *name)
{
    static const char *const endings[] = {"_id", "-id",     " id",     ".id", "_no",
                                          "_nr", "_number", " number", "id"};
    const size_t length = strlen(name);
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
        const size_t ending = strlen(endings[i]);
        if (length > ending && strcasecmp(name + length - ending, endings[i]) == 0)
            return length - ending;
    }
    return length;
}

bool sot_draft_names_person(const char *name)
{
    static const char *const people[] = {
        "account",    "citizen",     "client",  "customer", "employee", "household",
        "member",     "participant", "patient", "person",   "pupil",    "resident",
        "respondent", "student",     "subject", "user"};
    const size_t length = length_without_ending(name);
    for (size_t i = 0; i < sizeof people / sizeof people[0]; i++)
        if (strlen(people[i]) == length && strncasecmp(name, people[i], length) == 0)
            return true;
    return false;
}
