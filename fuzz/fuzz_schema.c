/* Any bytes: the schema is refused in one line, or every column of it is within its own bounds,
 * every release planned on it costs what was asked for or is refused, its written form reads back
 * as itself, and every record drawn from it, and every senseless one, is a vector on the grid and
 * within the norm bound. */
#include <math.h>
#include <string.h>

#include <sotto/release.h>
#include <sotto/schema.h>
#include <sotto/schema_tools.h>

#include "data/describe/sampler.h"
#include "data/encode/encode.h"
#include "require.h"

enum { FEATURES_MOST = 4096, RECORDS = 4 };

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

static void check_target(const sotto_schema *schema)
{
    const sotto_target *target = sotto_schema_target(schema);
    require(target != NULL || !sotto_schema_is_matrix(schema));
    if (target == NULL) return;
    require((target->column == NULL) == sotto_schema_is_matrix(schema));
    require(target->label_count == 0 || target->missing < target->label_count);
    require(!target->bounded || target->label_count == 0);
    require(!target->bounded ||
            (target->lower < target->upper && target->missing_number >= target->lower &&
             target->missing_number <= target->upper));
    for (size_t i = 0; i < target->label_count; i++)
        require(target->labels[i][0] != '\0' && isfinite(target->codes[i]));
}

static void check_written_form(const sotto_schema *schema)
{
    sotto_schema *again = NULL;
    char *text = NULL;
    char *twice = NULL;
    require(sotto_schema_to_json(schema, NULL, &text, NULL) == SOTTO_OK);
    require(sotto_schema_parse("again", text, strlen(text), &again, NULL) == SOTTO_OK);
    require(sotto_schema_to_json(again, NULL, &twice, NULL) == SOTTO_OK);
    require(strcmp(text, twice) == 0);
    sotto_free(text);
    sotto_free(twice);
    sotto_schema_free(again);
}

static void check_vector(const sot_encoding *encoding, const sot_record *record,
                         sot_features *features)
{
    const int exponent = sot_encoding_exponent(encoding);
    uint64_t squares = 0;
    sot_encode(encoding, record, features);
    require(features->count <= sot_encoding_nonzeros_most(encoding));
    for (size_t i = 0; i < features->count; i++) {
        const double units = ldexp((double)features->values[i], -exponent);
        require(units == trunc(units) && units != 0.0 && fabs(units) <= 0x1p24);
        require(features->indices[i] < sot_encoding_dimension(encoding));
        require(i == 0 || features->indices[i - 1] < features->indices[i]);
        squares += (uint64_t)(units * units);
    }
    /* Squares of R are exact in units of its grid, up to a product's error. */
    const double radius = ldexp(sot_encoding_bound(encoding), -exponent);
    const double product = radius * radius;
    const double rest = fma(radius, radius, -product);
    require((double)squares < product || ((double)squares == product && rest >= 0.0));
    const double most = sot_encoding_target_most(encoding);
    const double number = sot_encode_target(encoding, record);
    const double whole = number / sot_encoding_target_unit(encoding);
    require(fabs(number) <= most && (double)(float)number == number);
    require(whole == trunc(whole) && fabs(whole) <= 0x1p24);
    if (sot_encoding_role(encoding) == SOT_TARGET_CLASSES) {
        require(sot_encode_label(encoding, record) < sot_encoding_classes(encoding));
        return;
    }
    const sotto_target *target = sot_encoding_target(encoding);
    const double value = sot_encoding_target_value(encoding, number);
    require(value >= target->lower && value <= target->upper);
}

static void check_records(const sotto_schema *schema, const sot_encoding *encoding)
{
    static const uint32_t indices[] = {0, 1, 2, 3, 4000000000U};
    static const double values[] = {NAN, INFINITY, -1e300, 5e-324, 1.0};
    const size_t dimension = sot_encoding_dimension(encoding);
    const size_t size = sotto_schema_size(schema);
    sot_features features = {0, malloc(dimension * sizeof(uint32_t)),
                             malloc(dimension * sizeof(float))};
    double *cells = malloc((size + 1) * sizeof *cells);
    sotto_rng *rng = NULL;
    sot_sampler *sampler = NULL;
    sot_record record;
    require(features.indices != NULL && features.values != NULL && cells != NULL);
    require(sotto_rng_new_for_test(1, &rng, NULL) == SOTTO_OK);
    require(sot_sampler_new(schema, NULL, rng, &sampler, NULL) == SOTTO_OK);
    for (int i = 0; i < RECORDS; i++) {
        sot_sampler_next(sampler, &record);
        check_vector(encoding, &record, &features);
    }
    for (size_t k = 0; k < sizeof values / sizeof values[0]; k++) {
        for (size_t i = 0; i < size; i++)
            cells[i] = values[(i + k) % 5];
        record = (sot_record){.label = values[k]};
        if (sotto_schema_is_matrix(schema)) {
            record.indices = indices;
            record.values = values;
            record.count = 5;
        } else {
            record.cells = cells;
        }
        check_vector(encoding, &record, &features);
    }
    sot_sampler_free(sampler);
    sotto_rng_free(rng);
    free(cells);
    free(features.indices);
    free(features.values);
}

static void check_learning(const sotto_schema *schema)
{
    sotto_error error = {SOTTO_OK, ""};
    sot_encoding *encoding = NULL;
    char *json = NULL;
    if (sotto_schema_features(schema) > FEATURES_MOST) return; /* slow, and nothing new */
    require(sotto_schema_describe(schema, NULL, &json, NULL, &error) == SOTTO_OK);
    sotto_free(json);
    static const sot_target_role roles[] = {SOT_TARGET_CLASSES, SOT_TARGET_NUMBER,
                                            SOT_TARGET_COUNT};
    for (size_t i = 0; i < sizeof roles / sizeof roles[0]; i++) {
        if (sot_encoding_new(schema, NULL, roles[i], &encoding, &error) != SOTTO_OK) {
            require(error.message[0] != '\0' && strchr(error.message, '\n') == NULL);
            continue;
        }
        check_records(schema, encoding);
        sot_encoding_free(encoding);
    }
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
    check_target(schema);
    check_written_form(schema);
    check_learning(schema);
    const char *first =
        sotto_schema_is_matrix(schema) ? "x" : sotto_schema_column(schema, 0)->name;
    try_release(schema, SOTTO_RELEASE_COUNT, NULL);
    try_release(schema, SOTTO_RELEASE_SUM, first);
    try_release(schema, SOTTO_RELEASE_MEAN, first);
    try_release(schema, SOTTO_RELEASE_HISTOGRAM, first);
    try_release(schema, SOTTO_RELEASE_BOUNDS, first);
    sotto_schema_free(schema);
    return 0;
}
