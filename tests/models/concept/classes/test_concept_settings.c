/* Classes from settings and from model files: what fits the schema, what is refused, and how. */
#include "models/concept/classes/classes.h"

#include <unistd.h>

#include "base/memory.h"

/* ---- what a setting makes ---- */

static void assert_names(const sot_concept_class *class, const char *const *names)
{
    size_t count = 0;
    for (; names[count] != NULL; count++) {
        assert_true(count < class->features);
        assert_string_equal(class->names[count], names[count]);
    }
    assert_int_equal(class->features, count);
}

static void columns_left_out_are_all_that_fit(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        const char *names[10];
    } cases[] = {
        {"{\"class\": \"stumps\", \"cuts\": {\"free\": [0]}}",
         {"age", "dose", "free", "smokes", "town=Lund", "town=Umeå", "town=Ystad",
          "two"}},
        {"conjunctions", {"smokes", "town=Lund", "town=Umeå", "town=Ystad", "two"}},
        {"{\"class\": \"parities\", \"bits\": 1}",
         {"age", "dose", "smokes", "town=Lund", "town=Umeå", "town=Ystad", "two"}},
        {" \n{\"class\": \"candidates\", \"cuts\": {\"dose\": [2]}}",
         {"dose", "smokes", "town=Lund", "town=Umeå", "town=Ystad", "two"}},
    };
    sotto_schema *schema = schema_of(table_text);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        sot_concept_class *class = class_of(schema, cases[i].text);
        assert_names(class, cases[i].names);
        sot_concept_class_free(class);
    }
    sotto_schema_free(schema);
}

static void a_grid_follows_from_type_bounds_bits_and_cuts(void **state)
{
    (void)state;
    sotto_schema *schema = schema_of(table_text);
    sot_concept_class *class =
        class_of(schema, "{\"class\": \"stumps\", \"cuts\": {\"free\": [-3, 0.5]}}");
    assert_int_equal(class->grids[0].cells, 73); /* an integer has a cell each */
    assert_true(class->grids[0].lower == 18 && class->grids[0].upper == 91);
    assert_int_equal(class->grids[1].cells, 65536);
    assert_true(class->grids[1].missing == 2.5);
    assert_int_equal(class->grids[2].cells, 3);
    assert_true(class->grids[2].cuts[0] == -3 && class->grids[2].cuts[1] == 0.5);
    assert_true(class->grids[2].lower < -3 && class->grids[2].upper > 0.5);
    assert_true(class->grids[3].indicator && class->grids[3].value == 1);
    assert_true(class->grids[5].indicator && class->grids[5].value == 1);
    assert_true(class->both && class->weights == NULL);
    sot_concept_class_free(class);
    class = class_of(schema, "{\"class\": \"stumps\", \"columns\": [\"age\", \"dose\", "
                             "\"two\"], \"bits\": 4}");
    assert_int_equal(class->grids[0].cells, 16);
    assert_true(class->grids[0].upper == 91);
    assert_int_equal(class->grids[1].cells, 16);
    assert_int_equal(class->grids[2].cells, 2); /* no more cells than values */
    sot_concept_class_free(class);
    class = class_of(schema, "{\"class\": \"rectangles\", \"columns\": [\"dose\"]}");
    assert_int_equal(class->grids[0].cells, 32);
    sot_concept_class_free(class);
    sotto_schema_free(schema);
}

static void a_setting_may_be_a_file(void **state)
{
    (void)state;
    char path[64];
    snprintf(path, sizeof path, "/tmp/sotto_concept_%ld.json", (long)getpid());
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    fputs("{\"class\": \"thresholds\", \"columns\": [\"dose\"], \"both\": true}", file);
    fclose(file);
    sotto_schema *schema = schema_of(table_text);
    sot_concept_class *class = class_of(schema, path);
    assert_int_equal(class->kind, SOT_CONCEPT_THRESHOLDS);
    assert_true(class->both);
    sot_concept_class_free(class);
    (void)unlink(path);
    sotto_error error;
    assert_refused(sot_concept_class_new(schema, NULL, path, &class, &error), SOTTO_IO,
                   &error, path, "stumps", NULL);
    sotto_schema_free(schema);
}

/* The target may be another column; then the schema's own is a feature. */
static void the_target_is_no_feature(void **state)
{
    (void)state;
    static const char *const names[] = {"town=Lund", "town=Umeå", "town=Ystad",
                                        "two",       "ill",       NULL};
    sotto_error error;
    sotto_schema *schema = schema_of(table_text);
    sot_concept_class *class = NULL;
    assert_ok(sot_concept_class_new(schema, "smokes", "candidates", &class, &error),
              &error);
    assert_names(class, names);
    sot_concept_class_free(class);
    assert_refused(
        sot_concept_class_new(schema, "smokes",
                              "{\"class\": \"candidates\", \"columns\": [\"smokes\"]}",
                              &class, &error),
        SOTTO_INVALID_ARGUMENT, &error, "smokes", "target", NULL);
    sotto_schema_free(schema);
}

/* ---- what is refused ---- */

typedef struct refusal {
    const char *text;
    const char *word, *remedy;
} refusal;

static const refusal refusals[] = {
    {"stumps", "'free'", "cuts"},
    {"rectangles", "'free'", "lower and upper"},
    {"{\"class\": \"thresholds\", \"columns\": [\"free\"]}", "'free'", "columns"},
    {"{\"class\": \"thresholds\", \"cuts\": {\"free\": [1]}}", "4 features", "columns"},
    {"{\"class\": \"thresholds\", \"columns\": [\"town\"]}", "3 features", "town=Lund"},
    {"{\"class\": \"intervals\", \"columns\": [\"age\", \"dose\"]}", "one column", "age"},
    {"{\"class\": \"halfspaces\"}", "halfspaces", "stumps"},
    {"{\"columns\": [\"age\"]}", "class", "kind"},
    {"{\"class\": \"stumps\", \"colums\": []}", "colums", "columns"},
    {"{\"class\": \"stumps\", \"columns\": []}", "columns", "at least one"},
    {"{\"class\": \"stumps\", \"columns\": [\"agee\"]}", "agee", "'age'"},
    {"{\"class\": \"stumps\", \"columns\": [\"town=Malmö\"]}", "town=Malm", "no column"},
    {"{\"class\": \"stumps\", \"columns\": [\"age\", \"age\"]}", "'age'", "once"},
    {"{\"class\": \"stumps\", \"columns\": [\"town\", \"town=Umeå\"]}", "town=Ume",
     "once"},
    {"{\"class\": \"stumps\", \"columns\": [\"ill\"]}", "'ill'", "target"},
    {"{\"class\": \"stumps\", \"columns\": [\"person\"]}", "'person'", "id"},
    {"{\"class\": \"stumps\", \"columns\": [\"note\"]}", "'note'", "ignore"},
    {"{\"class\": \"stumps\", \"columns\": [7]}", "columns[0]", "give a string"},
    {"{\"class\": \"stumps\", \"columns\": [\"age\"], \"bits\": 33}", "bits", "1 to 32"},
    {"{\"class\": \"stumps\", \"columns\": [\"age\"], \"bits\": 0}", "bits", "1 to 32"},
    {"{\"class\": \"stumps\", \"columns\": [\"age\"], \"both\": false}", "both",
     "always"},
    {"{\"class\": \"intervals\", \"columns\": [\"age\"], \"both\": true}", "both",
     "leave it out"},
    {"{\"class\": \"stumps\", \"columns\": [\"dose\"], \"cuts\": {\"dose\": []}}",
     "cuts.dose", "one cut"},
    {"{\"class\": \"stumps\", \"columns\": [\"dose\"], \"cuts\": {\"dose\": [2, 2]}}",
     "cuts.dose[1]", "increasing"},
    {"{\"class\": \"stumps\", \"columns\": [\"dose\"], \"cuts\": {\"dose\": [-1, 2]}}",
     "cuts.dose[0]", "lower bound"},
    {"{\"class\": \"stumps\", \"columns\": [\"dose\"], \"cuts\": {\"dose\": [7, 7.5]}}",
     "cuts.dose[1]", "upper bound"},
    {"{\"class\": \"stumps\", \"columns\": [\"free\"], \"cuts\": {\"free\": [1e300]}}",
     "cuts.free[0]", "upper bound"},
    {"{\"class\": \"stumps\", \"columns\": [\"dose\"], \"cuts\": {\"age\": [30]}}",
     "cuts.age", "numbers"},
    {"{\"class\": \"stumps\", \"columns\": [\"smokes\"], \"cuts\": {\"smokes\": [1]}}",
     "cuts.smokes", "numbers"},
    {"{\"class\": \"stumps\", \"columns\": [\"dose\"], \"cuts\": 3}", "cuts", "object"},
    {"{\"class\": \"conjunctions\", \"columns\": [\"age\"]}", "73 cells", "`cuts`"},
    {"{\"class\": \"parities\", \"columns\": [\"dose\"], \"bits\": 2}", "4 cells",
     "\"bits\" 1"},
    {"{\"class\": \"candidates\", \"columns\": [\"free\"]}", "'free'", "cuts"},
    {"{\"class\": \"thresholds\", \"columns\": [\"dose\"], \"bits\": 1, \"weights\": "
     "{\"dose\": [1, 1]}}",
     "weights.dose", "3 weights"},
    {"{\"class\": \"thresholds\", \"columns\": [\"dose\"], \"bits\": 1, \"weights\": "
     "{\"dose\": [1, -1, 1]}}",
     "weights.dose[1]", "from 0"},
    {"{\"class\": \"thresholds\", \"columns\": [\"dose\"], \"bits\": 1, \"weights\": "
     "{\"dose\": [1, 0.5, 1]}}",
     "weights.dose[1]", "0.5"},
    {"{\"class\": \"thresholds\", \"columns\": [\"dose\"], \"bits\": 1, \"weights\": "
     "{\"dose\": [1, 1099511627776, 1]}}",
     "weights.dose[1]", "2^40"},
    {"{\"class\": \"thresholds\", \"columns\": [\"dose\"], \"bits\": 1, \"weights\": "
     "{\"dose\": [0, 0, 0]}}",
     "weights.dose", "above 0"},
    {"{\"class\": \"thresholds\", \"columns\": [\"dose\"], \"weights\": {\"age\": [1]}}",
     "weights", "only to features of the class"},
    {"{\"class\": \"intervals\", \"columns\": [\"dose\"], \"weights\": {}}", "weights",
     "leave it out"},
    {"{\"class\": \"stumps\", \"columns\": [\"dose\"]", "the class of concepts", "line"},
};

static void what_does_not_fit_is_refused_by_name(void **state)
{
    (void)state;
    sotto_schema *schema = schema_of(table_text);
    for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++) {
        sotto_error error;
        sot_concept_class *class = NULL;
        const sotto_status status =
            sot_concept_class_new(schema, NULL, refusals[i].text, &class, &error);
        assert_null(class);
        assert_true(status == SOTTO_PARSE || status == SOTTO_INVALID_ARGUMENT);
        assert_refused(status, status, &error, refusals[i].word, refusals[i].remedy,
                       NULL);
    }
    sotto_schema_free(schema);
}

static void of_24_features_all_masks_are_taken_and_of_25_none(void **state)
{
    (void)state;
    sotto_error error;
    sotto_schema *schema = schema_of(matrix_text);
    sot_concept_class *class = NULL;
    assert_refused(sot_concept_class_new(schema, NULL,
                                         "{\"class\": \"parities\", \"bits\": 1}", &class,
                                         &error),
                   SOTTO_INVALID_ARGUMENT, &error, "30 features", "24", "columns", NULL);
    char text[512] = "{\"class\": \"conjunctions\", \"cuts\": [0.5], \"columns\": [1";
    for (int i = 2; i <= 24; i++)
        sprintf(text + strlen(text), ", %d", i);
    const size_t used = strlen(text);
    strcpy(text + used, "]}");
    class = class_of(schema, text);
    assert_int_equal(sot_concept_class_size(class), 1 << 24);
    sot_concept_class_free(class);
    strcpy(text + used, ", \"25\"]}");
    class = NULL;
    assert_refused(sot_concept_class_new(schema, NULL, text, &class, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "25 features", "24", NULL);
    static const char *const places[] = {"0", "31", "\"0\"", "\"31\"", "\"one\"", "1.5"};
    for (size_t i = 0; i < 6; i++) {
        snprintf(text, sizeof text, "{\"class\": \"stumps\", \"columns\": [%s]}",
                 places[i]);
        assert_refused(sot_concept_class_new(schema, NULL, text, &class, &error),
                       SOTTO_PARSE, &error, "columns[0]", NULL);
    }
    sotto_schema_free(schema);
    /* Numbers without bounds: cuts, or nothing. */
    schema = schema_of("{\"features\": 3, \"labels\": [0, 1], \"row_norm\": {\"bound\": "
                       "1, \"rule\": \"clip\"}}");
    assert_refused(sot_concept_class_new(schema, NULL, "stumps", &class, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "'1'", "numbers", "cuts", NULL);
    class = class_of(schema, "{\"class\": \"stumps\", \"cuts\": [-2, 0, 2]}");
    assert_int_equal(class->features, 3);
    sot_concept_class_free(class);
    sotto_schema_free(schema);
}

/* ---- the model file's form ---- */

static char *written(const sot_concept_class *class)
{
    sotto_error error;
    sot_json_writer *writer = NULL;
    const char *text;
    size_t size;
    assert_ok(sot_json_writer_new(false, &writer, &error), &error);
    sot_concept_class_write(class, writer);
    assert_ok(sot_json_writer_finish(writer, &text, &size, &error), &error);
    char *copy = strdup(text);
    sot_json_writer_free(writer);
    return copy;
}

static sotto_status reread(const sotto_schema *schema, const char *text,
                           sot_concept_class **out_class, sotto_error *error)
{
    sot_json *document = NULL;
    sotto_status status =
        sot_json_parse("model", text, strlen(text), 1 << 20, &document, error);
    if (status != SOTTO_OK) return status;
    const sot_json_value root = sot_json_root(document);
    status = sot_concept_class_read(&root, schema, out_class, error);
    sot_json_free(document);
    return status;
}

static const char *const written_classes[] = {
    "{\"class\": \"stumps\", \"cuts\": {\"free\": [-1e-300, 0.1, 5]}, \"weights\": "
    "{\"free\": [1, 2, 0, 4, 5], \"town=Umeå\": [0, 1, 1]}}",
    "{\"class\": \"thresholds\", \"columns\": [\"dose\"], \"bits\": 32, \"both\": true}",
    "{\"class\": \"intervals\", \"columns\": [\"town=Ystad\"]}",
    "{\"class\": \"rectangles\", \"columns\": [\"dose\", \"age\"]}",
    "conjunctions",
    "parities",
    "candidates",
};

static void a_class_survives_the_way_to_its_text_and_back(void **state)
{
    (void)state;
    sotto_schema *schema = schema_of(table_text);
    for (size_t i = 0; i < sizeof written_classes / sizeof written_classes[0]; i++) {
        sotto_error error;
        sot_concept_class *class = class_of(schema, written_classes[i]);
        sot_concept_class *same = NULL;
        char *text = written(class);
        assert_ok(reread(schema, text, &same, &error), &error);
        char *again = written(same);
        assert_string_equal(text, again);
        sot_concept_class *given = class_of(schema, text); /* it is a setting too */
        char *third = written(given);
        assert_string_equal(text, third);
        free(third);
        sot_concept_class_free(given);
        assert_int_equal(same->features, class->features);
        for (size_t j = 0; j < class->features; j++) {
            assert_string_equal(same->names[j], class->names[j]);
            assert_int_equal(same->grids[j].column, class->grids[j].column);
            assert_int_equal(same->grids[j].cells, class->grids[j].cells);
            assert_true(same->grids[j].lower == class->grids[j].lower);
            assert_true(same->grids[j].upper == class->grids[j].upper);
            assert_true(same->grids[j].missing == class->grids[j].missing);
            assert_true(same->grids[j].indicator == class->grids[j].indicator);
            assert_int_equal(same->grids[j].value, class->grids[j].value);
        }
        assert_true(sot_concept_class_log_size(same) ==
                    sot_concept_class_log_size(class));
        free(text);
        free(again);
        sot_concept_class_free(class);
        sot_concept_class_free(same);
    }
    sotto_schema_free(schema);
}

#define FEATURES(list) "{\"class\": \"stumps\", \"both\": true, \"features\": [" list "]}"

static const refusal bad_forms[] = {
    {"[]", "array", "object"},
    {"{}", "class", "class"},
    {"{\"class\": \"stumps\", \"both\": true}", "features", "array"},
    {"{\"class\": \"stumps\", \"features\": []}", "both", "true or false"},
    {"{\"class\": \"stumps\", \"both\": true, \"features\": [], \"bits\": 3}", "bits",
     "bits"},
    {"{\"class\": \"stumps\", \"both\": false, \"features\": []}", "both", "always"},
    {FEATURES(""), "stumps", "no column"},
    {FEATURES("3"), "features[0]", "object"},
    {FEATURES("{\"cells\": 3}"), "features[0]", "column"},
    {FEATURES("{\"column\": \"dose\"}"), "features[0]", "cells"},
    {FEATURES("{\"column\": \"dose\", \"cells\": 4, \"cuts\": [1]}"), "features[0]",
     "cells"},
    {FEATURES("{\"column\": \"dose\", \"cells\": 1}"), "cells", "2^32"},
    {FEATURES("{\"column\": \"dose\", \"cells\": 4294967297}"), "cells", "2^32"},
    {FEATURES("{\"column\": \"dose\", \"cells\": 2.5}"), "cells", "2.5"},
    {FEATURES("{\"column\": \"dose\", \"value\": \"x\"}"), "value", "value"},
    {FEATURES("{\"column\": \"free\", \"cells\": 2}"), "'free'", "bounds"},
    {FEATURES("{\"column\": \"town\"}"), "features[0]", "value"},
    {FEATURES("{\"column\": \"town\", \"value\": \"Paris\"}"), "Paris", "no such"},
    {FEATURES("{\"column\": \"smokes\", \"value\": \"1\"}"), "features[0]", "category"},
    {FEATURES("{\"column\": \"smokes\", \"cells\": 2}"), "cells", "cells"},
    {FEATURES("{\"column\": \"ill\"}"), "'ill'", "target"},
    {FEATURES("{\"column\": \"smokes\"}, {\"column\": \"smokes\"}"), "'smokes'", "once"},
    {FEATURES("{\"column\": \"smokes\", \"weights\": [1, 2]}"), "weights", "3 weights"},
    {"{\"class\": \"parities\", \"both\": false, \"features\": [{\"column\": \"age\", "
     "\"cells\": 73}]}",
     "73 cells", "one cut"},
};

static void another_form_is_refused(void **state)
{
    (void)state;
    sotto_schema *schema = schema_of(table_text);
    for (size_t i = 0; i < sizeof bad_forms / sizeof bad_forms[0]; i++) {
        sotto_error error;
        sot_concept_class *class = NULL;
        const sotto_status status = reread(schema, bad_forms[i].text, &class, &error);
        assert_null(class);
        assert_true(status == SOTTO_PARSE || status == SOTTO_INVALID_ARGUMENT);
        assert_refused(status, status, &error, bad_forms[i].word, bad_forms[i].remedy,
                       NULL);
    }
    sotto_schema_free(schema);
}

static void no_allocation_failure_leaks_or_lies(void **state)
{
    (void)state;
    sotto_error error;
    sotto_schema *schema = schema_of(table_text);
    sot_concept_class *whole = class_of(schema, written_classes[0]);
    char *text = written(whole);
    sot_concept_class_free(whole);
    for (int way = 0; way < 2; way++) {
        for (size_t nth = 1;; nth++) {
            sot_concept_class *class = NULL;
            (void)sot_test_fail_allocation(nth);
            const sotto_status status =
                way == 0 ? sot_concept_class_new(schema, NULL, written_classes[0], &class,
                                                 &error)
                         : reread(schema, text, &class, &error);
            const size_t asked = sot_test_fail_allocation(0);
            assert_true((class != NULL) == (status == SOTTO_OK));
            sot_concept_class_free(class);
            if (asked < nth) {
                assert_int_equal(status, SOTTO_OK);
                break;
            }
            assert_int_equal(status, SOTTO_OUT_OF_MEMORY);
        }
    }
    free(text);
    sotto_schema_free(schema);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_left_out_are_all_that_fit),
        cmocka_unit_test(a_grid_follows_from_type_bounds_bits_and_cuts),
        cmocka_unit_test(a_setting_may_be_a_file),
        cmocka_unit_test(the_target_is_no_feature),
        cmocka_unit_test(what_does_not_fit_is_refused_by_name),
        cmocka_unit_test(of_24_features_all_masks_are_taken_and_of_25_none),
        cmocka_unit_test(a_class_survives_the_way_to_its_text_and_back),
        cmocka_unit_test(another_form_is_refused),
        cmocka_unit_test(no_allocation_failure_leaks_or_lies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
