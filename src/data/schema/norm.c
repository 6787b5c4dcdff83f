/* The norm of rows, and the constant column; and the order in which the learning parts of
 * a schema are read. */
#include <string.h>

#include "base/names.h"
#include "data/schema/parts.h"

/* ---- the row's norm ---- */

static const sot_names rules = SOT_NAMES(NULL, NULL, "clip", "scale");

SOT_DEFINE_NAME(sotto_norm_rule, rules)

static sotto_status read_row_norm(const sot_json_value *value, sotto_schema *schema,
                                  sotto_error *error)
{
    static const char *const known_keys[] = {"bound", "rule", "source", "about", NULL};
    sotto_row_norm *norm = &schema->row_norm;
    if (sot_json_kind_of(value) != SOT_JSON_OBJECT) {
        return sot_json_refuse(
            value, "give an object such as {\"bound\": 1.0, \"rule\": \"clip\"}", error);
    }
    sot_json_value member;
    sotto_status status = sot_json_only_keys(value, known_keys, error);
    if (status == SOTTO_OK)
        status = sot_json_get_double(value, "bound", &norm->bound, error);
    if (status == SOTTO_OK)
        status = sot_schema_copy_source(value, &schema->row_norm_source, error);
    if (status != SOTTO_OK) return status;
    if (!(norm->bound >= 0x1p-40 && norm->bound <= 0x1p60)) {
        (void)sot_json_member(value, "bound", &member);
        return sot_json_refuse(&member, "give a norm between 1e-12 and 1e18", error);
    }
    norm->given = true;
    if (!sot_json_member(value, "rule", &member)) return SOTTO_OK;
    const char *name;
    status = sot_json_as_string(&member, &name, error);
    if (status != SOTTO_OK) return status;
    int rule = 0;
    if (!sot_value_find(&rules, name, &rule))
        return sot_json_refuse(&member,
                               "give \"clip\" (longer rows are shrunk) or \"scale\" "
                               "(every row is divided by its norm)",
                               error);
    norm->rule = (sotto_norm_rule)rule;
    return SOTTO_OK;
}

static sotto_status read_intercept(const sot_json_value *root, sotto_schema *schema,
                                   sotto_error *error)
{
    schema->intercept = schema->features > 0 ? 0.0 : 1.0;
    sot_json_value member;
    if (!sot_json_member(root, "intercept", &member)) return SOTTO_OK;
    if (sot_json_as_double(&member, &schema->intercept, NULL) != SOTTO_OK ||
        !(schema->intercept == 0.0 ||
          (schema->intercept >= 0x1p-40 && schema->intercept <= 0x1p60))) {
        return sot_json_refuse(
            &member, "give the value of the constant column, such as 1, or 0 for none",
            error);
    }
    schema->intercept += 0.0; /* -0 is 0 */
    return SOTTO_OK;
}

sotto_status sot_schema_read_learning(const sot_json_value *root, sotto_schema *schema,
                                      sotto_error *error)
{
    sotto_status status = SOTTO_OK;
    sot_json_value member;
    schema->row_norm.rule = SOTTO_NORM_CLIP;
    if (schema->features > 0) {
        status = sot_schema_read_matrix_target(root, schema, error);
        if (status == SOTTO_OK && !schema->numbers.bounded &&
            !sot_json_member(root, "row_norm", &member)) {
            return sot_json_refuse(root,
                                   "give the matrix a \"row_norm\", such as {\"bound\": "
                                   "1.0, \"rule\": \"scale\"}, or its \"numbers\" "
                                   "bounds, such as {\"lower\": 0, \"upper\": 255}",
                                   error);
        }
    } else if (sot_json_member(root, "labels", &member) ||
               sot_json_member(root, "default_label", &member)) {
        return sot_json_refuse(&member,
                               "a table's labels belong into its target: {\"column\": "
                               "..., \"labels\": [...]}",
                               error);
    } else if (sot_json_member(root, "target", &member)) {
        status = sot_schema_read_target(&member, schema, error);
    }
    if (status == SOTTO_OK && sot_json_member(root, "row_norm", &member))
        status = read_row_norm(&member, schema, error);
    return status == SOTTO_OK ? read_intercept(root, schema, error) : status;
}
