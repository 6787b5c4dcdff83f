/* The page of a concept: the rule in words, its class, a picture where there are numbers to draw on. */
#include "artifact/model_file/models.h"

#include "models/concept/classes/concept.h"
#include "report/report.h"

#define HOSTILE                                                                          \
    "{\"target\": \"y\", \"columns\": [{\"name\": \"<b>&\xe2\x80\xae\", \"type\": "      \
    "\"number\", \"lower\": 0, \"upper\": 1}, {\"name\": \"y\", \"type\": "              \
    "\"boolean\"}]}"

typedef struct page {
    sotto_schema *schema;
    sot_concept_class *class;
    sotto_model *model;
    sot_report report;
} page;

static page open_page(const char *schema, const char *class, const double *numbers,
                      const char *method)
{
    sotto_error error;
    page self = {.schema = NULL};
    assert_ok(sotto_schema_parse("s", schema, strlen(schema), &self.schema, &error),
              &error);
    assert_ok(sot_concept_class_new(self.schema, NULL, class, &self.class, &error),
              &error);
    sot_model_content content = model_table_content();
    content.model = "concept";
    content.schema_json = schema;
    content.features = NULL;
    content.coefficients = numbers;
    content.concept = self.class;
    self.model = model_of(&content);
    self.report = (sot_report){.model = self.model, .method = method};
    return self;
}

static void close_page(page *self)
{
    sotto_model_free(self->model);
    sot_concept_class_free(self->class);
    sotto_schema_free(self->schema);
}

static char *text_of(const page *self)
{
    sotto_error error;
    char *text = NULL;
    assert_ok(sot_report_write(&self->report, &text, &error), &error);
    return text;
}

static const struct {
    const char *class;
    double numbers[4];
    bool drawn;
    const char *words[3];
} cases[] = {
    {"{\"class\": \"thresholds\", \"columns\": [\"age\"], \"bits\": 6}",
     {20},
     true,
     {"age &gt;= 40", "65 concepts, thresholds on 1 feature",
      "64 equal cells from 20 to 84"}},
    {"{\"class\": \"thresholds\", \"columns\": [\"age\"], \"bits\": 6, \"both\": true}",
     {64, 1},
     true,
     {"without a condition", "true\xe2\x80\x9d for every row", "130 concepts"}},
    {"{\"class\": \"intervals\", \"columns\": [\"age\"], \"bits\": 32}",
     {0},
     true,
     {"false\xe2\x80\x9d for every row", "e^43.7 concepts", "here 43.7"}},
    {"{\"class\": \"stumps\", \"bits\": 3, \"cuts\": {\"age\": [30, 40.5]}}",
     {0, 2, 1},
     true,
     {"age &lt; 40.5", "cut points at 30, 40.5", "stumps on 4 features"}},
    {"{\"class\": \"stumps\", \"bits\": 3}",
     {1, 1, 1},
     false,
     {"not town=Lund", "yes or no", "8 equal cells"}},
    {"{\"class\": \"rectangles\"}",
     {3, 29, 2, 9},
     true,
     {"26 &lt;= age &lt; 78 and visits &gt;= 2", "23&nbsp;761 concepts",
      "Inside the rectangle"}},
    {"{\"class\": \"rectangles\"}",
     {0},
     false,
     {"for every row", "rectangles on 2 features", "few errors"}},
    {"{\"class\": \"parities\"}",
     {3},
     false,
     {"an odd number of (town=Lund, town=Ystad)", "4 concepts", "parities"}},
};

static void the_page_tells_the_rule_and_its_class(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        page self = open_page(MODEL_TABLE, cases[i].class, cases[i].numbers, "none");
        char *text = text_of(&self);
        for (size_t k = 0; k < 3; k++)
            if (strstr(text, cases[i].words[k]) == NULL)
                fail_msg("case %zu lacks '%s': %s", i, cases[i].words[k],
                         strstr(text, "The concept</h2>"));
        assert_true((strstr(text, "rule-plot") != NULL) == cases[i].drawn);
        assert_non_null(strstr(text, "<a href=\"#coefficients\">The concept</a>"));
        assert_null(strstr(text, "Coefficients, largest first"));
        sot_free(text);
        close_page(&self);
    }
}

/* What was drawn at random is said to be so. */
static void chance_is_told(void **state)
{
    (void)state;
    page self = open_page(MODEL_TABLE, cases[0].class, cases[0].numbers, "exponential");
    char *text = text_of(&self);
    assert_non_null(strstr(text, "The choice was randomised"));
    sot_free(text);
    close_page(&self);
}

static void names_cannot_break_out_of_the_page(void **state)
{
    (void)state;
    static const double numbers[] = {3, 0};
    page self =
        open_page(HOSTILE, "{\"class\": \"thresholds\", \"bits\": 3}", numbers, "none");
    char *text = text_of(&self);
    assert_null(strstr(text, "<b>"));
    assert_null(strstr(text, "\xe2\x80\xae"));
    assert_non_null(strstr(text, "&lt;b&gt;&amp;"));
    sot_free(text);
    close_page(&self);
}

static void no_allocation_failure_leaks_or_lies(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i += 5) {
        page self = open_page(MODEL_TABLE, cases[i].class, cases[i].numbers, "none");
        for (size_t nth = 1;; nth++) {
            sotto_error error;
            char *text = NULL;
            (void)sot_test_fail_allocation(nth);
            const sotto_status status = sot_report_write(&self.report, &text, &error);
            const size_t asked = sot_test_fail_allocation(0);
            assert_true((text != NULL) == (status == SOTTO_OK));
            sot_free(text);
            if (asked < nth) break;
            assert_int_equal(status, SOTTO_OUT_OF_MEMORY);
        }
        close_page(&self);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_page_tells_the_rule_and_its_class),
        cmocka_unit_test(chance_is_told),
        cmocka_unit_test(names_cannot_break_out_of_the_page),
        cmocka_unit_test(no_allocation_failure_leaks_or_lies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
