/* Any bytes: the schema is refused in one line, or every column of it is within its own bounds, and
 * every release planned on it costs what was asked for or is refused. */
#include <math.h>
#include <string.h>

#include <sotto/release.h>
#include <sotto/schema.h>

#include "require.h"

static void check_column(const sotto_schema *schema, size_t index)
{
    const sotto_column *column = sotto_schema_column(schema, index);
    size_t found;
    require(column->name[0] != '\0');
    require(sotto_schema_find(schema, column->name, &found, NULL) == SOTTO_OK &&
            found == index);
    require(strcmp(sotto_column_type_name(column->type), "unknown") != 0);
    if (column->type == SOTTO_COLUMN_ID || column->type == SOTTO_COLUMN_IGNORE) return;
    require(isfinite(column->lower) && isfinite(column->upper));
    require(column->lower <= column->missing && column->missing <= column->upper);
    require(column->type == SOTTO_COLUMN_CATEGORY || column->lower < column->upper);
    require((column->type == SOTTO_COLUMN_CATEGORY) == (column->value_count > 0));
    if (column->type != SOTTO_COLUMN_NUMBER)
        require(column->missing == floor(column->missing));
}

static void try_release(const sotto_schema *schema, sotto_statistic statistic,
                        const char *column)
{
    sotto_error error = {SOTTO_OK, ""};
    sotto_plan *plan = NULL;
    sotto_account account;
    sotto_release_config config = sotto_release_defaults();
    config.statistic = statistic;
    config.column = column;
    config.epsilon = 0.75;
    if (statistic == SOTTO_RELEASE_QUANTILE) config.quantile = 0.25;
    if (sotto_release_plan(&config, schema, &plan, &error) != SOTTO_OK) {
        require(error.message[0] != '\0' && strchr(error.message, '\n') == NULL);
        return;
    }
    require(sotto_account_epsilon(plan, SOTTO_EXACT, 0.0, &account, &error) == SOTTO_OK);
    require(account.epsilon <= config.epsilon);
    sotto_plan_free(plan);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    sotto_error error = {SOTTO_OK, ""};
    sotto_schema *schema = NULL;
    if (sotto_schema_parse("fuzz", (const char *)data, size, &schema, &error) !=
        SOTTO_OK) {
        require(error.message[0] != '\0' && strchr(error.message, '\n') == NULL);
        return 0;
    }
    for (size_t i = 0; i < sotto_schema_size(schema); i++)
        check_column(schema, i);
    const char *first = sotto_schema_column(schema, 0)->name;
    try_release(schema, SOTTO_RELEASE_COUNT, NULL);
    try_release(schema, SOTTO_RELEASE_SUM, first);
    try_release(schema, SOTTO_RELEASE_MEAN, first);
    try_release(schema, SOTTO_RELEASE_HISTOGRAM, first);
    try_release(schema, SOTTO_RELEASE_BOUNDS, first);
    sotto_schema_free(schema);
    return 0;
}
