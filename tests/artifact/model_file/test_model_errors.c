/* Model files of concepts by laplace: their noisy counts written, read strictly, told. */
#include "artifact/model_file/models.h"

#include "models/concept/classes/concept.h"
#include "report/report.h"

/* 5 cuts, 10 stumps both ways, of age alone. */
#define STUMPS                                                                           \
    "{\"class\": \"stumps\", \"columns\": [\"age\"], \"cuts\": {\"age\": [30, 40, "      \
    "50]}}"
/* Three features, hence three lists: 4, 2 and 2 cells have 11, 4 and 4. */
#define BOXES "{\"class\": \"rectangles\", \"columns\": [\"age\", \"town\"], \"bits\": 2}"

typedef struct scene {
    sotto_schema *schema;
    sot_concept_class *class;
    double numbers[8], scales[3];
    int64_t counts[64];
    sot_model_content content;
} scene;

/* Counts 5, 6, ... and `least` at `place` of every list. */
static void open_scene(scene *self, const char *class, size_t place, int64_t least)
{
    sotto_error error;
    *self = (scene){.content = model_table_content()};
    assert_ok(
        sotto_schema_parse("s", MODEL_TABLE, strlen(MODEL_TABLE), &self->schema, &error),
        &error);
    assert_ok(sot_concept_class_new(self->schema, NULL, class, &self->class, &error),
              &error);
    self->content.model = "concept";
    self->content.method = "laplace";
    self->content.features = NULL;
    self->content.dimension = self->class->features;
    self->content.concept = self->class;
    self->content.coefficients = self->numbers;
    assert_true(sot_concept_counts(self->class) <= 64);
    int64_t *next = self->counts;
    for (size_t i = 0; i < sot_concept_lists(self->class); i++) {
        const size_t size = (size_t)sot_concept_list_size(self->class, i);
        self->scales[i] = 10.5 + (double)i / 3.0;
        for (size_t k = 0; k < size; k++)
            next[k] = 5 + (int64_t)k;
        next[place] = least;
        next += size;
    }
    self->content.errors = (sot_concept_errors){.lists = sot_concept_lists(self->class),
                                                .scales = self->scales,
                                                .counts = self->counts};
    sot_concept_of_errors(self->class, &self->content.errors, self->numbers);
}

static void close_scene(scene *self)
{
    sot_concept_class_free(self->class);
    sotto_schema_free(self->schema);
}

static void what_was_released_comes_back(void **state)
{
    (void)state;
    static const struct {
        const char *class;
        size_t place;
        int64_t least;
    } cases[] = {{STUMPS, 7, -3},
                 {STUMPS, 0, 0},
                 {STUMPS, 9, -SOT_CONCEPT_COUNT_MOST},
                 {BOXES, 2, 4},
                 {BOXES, 0, 4},
                 {"{\"class\": \"rectangles\", \"bits\": 1}", 3, -1},
                 {"{\"class\": \"parities\"}", 3, 1},
                 {"{\"class\": \"candidates\", \"both\": true}", 3, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        scene self;
        open_scene(&self, cases[i].class, cases[i].place, cases[i].least);
        char *text = model_text(&self.content);
        sotto_model *model = model_of(&self.content);
        const int64_t *next = self.counts;
        const size_t lists = sotto_model_error_lists(model);
        assert_non_null(strstr(text, "\"version\":5,\"model\":\"concept\""));
        assert_int_equal(lists, sot_concept_lists(self.class));
        for (size_t k = 0; k < lists; k++) {
            const size_t count = sotto_model_error_count(model, k);
            assert_true(sotto_model_error_scale(model, k) == self.scales[k]);
            for (size_t j = 0; j < count; j++)
                assert_int_equal(sotto_model_noisy_errors(model, k, j), *next++);
        }
        self.content.concept = model->concept;
        self.content.coefficients = model->coefficients;
        self.content.errors = model->errors;
        char *again = model_text(&self.content);
        assert_string_equal(text, again);
        sot_free(text);
        sot_free(again);
        sotto_model_free(model);
        close_scene(&self);
    }
}

static void the_best_are_told_in_words(void **state)
{
    (void)state;
    sotto_error error;
    scene self;
    size_t places[64];
    char rule[64];
    sotto_training_errors errors;
    open_scene(&self, STUMPS, 7, -3);
    self.counts[2] = self.counts[1];
    sotto_model *model = model_of(&self.content);
    assert_int_equal(sotto_model_best_concepts(model, 0, 4, places), 4);
    assert_memory_equal(places, ((size_t[]){7, 0, 1, 2}), 4 * sizeof *places);
    assert_int_equal(sotto_model_best_concepts(model, 0, 64, places), 10);
    assert_int_equal(sotto_model_best_concepts(model, 0, 0, places), 0);
    assert_ok(sotto_model_concept_at(model, 0, 7, rule, sizeof rule, &error), &error);
    assert_string_equal(rule, "age < 40");
    assert_ok(sotto_model_concept_at(model, 0, 1, rule, sizeof rule, &error), &error);
    assert_string_equal(rule, "age >= 30");
    assert_ok(sotto_model_training_errors(model, 0.05, &errors, &error), &error);
    assert_true(errors.noisy == -3 && errors.scale == 10.5);
    assert_true(errors.upper == -3 + (int64_t)ceil(10.5 * log(200.0)) - 1);
    static const double bad[] = {0.0, 1.0, -1.0, NAN};
    for (size_t i = 0; i < 4; i++)
        assert_refused(sotto_model_training_errors(model, bad[i], &errors, &error),
                       SOTTO_INVALID_ARGUMENT, &error, "failure", NULL);
    sotto_model_free(model);
    close_scene(&self);
    open_scene(&self, BOXES, 2, 1); /* of several lists the concepts are whole */
    model = model_of(&self.content);
    assert_ok(sotto_model_concept_at(model, 2, 3, rule, sizeof rule, &error), &error);
    assert_string_equal(rule, "age < 52 and town=Ystad");
    sotto_model_free(model);
    self.content.errors.lists = 0;
    model = model_of(&self.content);
    assert_int_equal(sotto_model_error_lists(model), 0);
    assert_refused(sotto_model_training_errors(model, 0.05, &errors, &error),
                   SOTTO_UNSUPPORTED, &error, "laplace", "evaluate", NULL);
    sotto_model_free(model);
    close_scene(&self);
}

static void the_page_has_a_table_of_them(void **state)
{
    (void)state;
    sotto_error error;
    scene self;
    char *text = NULL;
    open_scene(&self, STUMPS, 7, -3);
    sotto_model *model = model_of(&self.content);
    const sot_report report = {.model = model, .method = "laplace"};
    assert_ok(sot_report_write(&report, &text, &error), &error);
    assert_non_null(strstr(text, "makes about <span class=\"kept\">-3</span> errors"));
    assert_non_null(strstr(text, "The concepts with the fewest noisy errors"));
    assert_non_null(strstr(text, "age &gt;= 30"));
    assert_null(strstr(text, "all numbers of errors stay secret"));
    sot_free(text);
    sotto_model_free(model);
    close_scene(&self);
}

/* ---- files that are not whole ---- */

static const struct {
    const char *class, *from, *to, *word;
} damaged[] = {
    {STUMPS, "\"version\":5", "\"version\":4", "5 with noisy errors"},
    {STUMPS, "\"noisy_errors\":", "\"errors\":", "errors"},
    {STUMPS, "\"method\":\"laplace\"", "\"method\":\"exponential\"", "laplace"},
    {STUMPS, "\"noisy_errors\":[{", "\"noisy_errors\":[7,{", "2 lists"},
    {STUMPS, "[{\"scale\":10.5", "[{\"scale\":0.0", "above 0"},
    {STUMPS, "[{\"scale\":10.5", "[{\"scale\":-1", "above 0"},
    {STUMPS, "[{\"scale\":10.5", "[{\"scale\":\"a\"", "scale"},
    {STUMPS, "[{\"scale\":10.5", "[{\"scale\":10.5,\"true\":5", "true"},
    {STUMPS, "[{\"scale\":10.5,", "[{", "scale"},
    {STUMPS, "\"counts\":[5,", "\"counts\":[", "9 noisy errors"},
    {STUMPS, "\"counts\":[5,", "\"counts\":[5,5,", "11 noisy errors"},
    {STUMPS, "\"counts\":[5,", "\"counts\":[5.5,", "5.5"},
    {STUMPS, "\"counts\":[5,", "\"counts\":[9007199254740993,", "2^53"},
    {STUMPS, "\"counts\":[5,", "\"counts\":[-9007199254740993,", "2^53"},
    {STUMPS, "\"counts\":[5,", "\"counts\":[-3,", "least noisy errors"},
    {STUMPS, ",-3,", ",30,", "least noisy errors"},
    {BOXES, "},{\"scale\"", "},7,{\"scale\"", "4 lists"},
};

static void a_file_that_contradicts_its_counts_is_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof damaged / sizeof damaged[0]; i++) {
        scene self;
        open_scene(&self, damaged[i].class, 3, -3);
        model_refuse_damaged(&self.content, damaged[i].from, damaged[i].to,
                             damaged[i].word);
        close_scene(&self);
    }
}

/* A class of 2^33 concepts cannot have its counts in the file: no room is made for them. */
static void a_class_that_is_too_large_has_no_counts(void **state)
{
    (void)state;
    sotto_error error;
    sotto_model *model = NULL;
    char changed[4096];
    scene self;
    open_scene(&self, "{\"class\": \"thresholds\", \"columns\": [\"age\"], \"bits\": 2}",
               0, -3);
    char *text = NULL;
    assert_ok(sot_model_write(&self.content, &text, &error), &error);
    model_replace(text, "\"cells\":4", "\"cells\":4294967296", changed, sizeof changed);
    assert_refused(sotto_model_parse("m.json", changed, strlen(changed), &model, &error),
                   SOTTO_PARSE, &error, "too large", NULL);
    model_replace(text, "\"cells\":4", "\"cells\":4,\"weights\":[1,1,1,1,1]", changed,
                  sizeof changed);
    assert_refused(sotto_model_parse("m.json", changed, strlen(changed), &model, &error),
                   SOTTO_PARSE, &error, "has weights", NULL);
    sot_free(text);
    close_scene(&self);
}

static void what_no_reader_takes_is_not_written(void **state)
{
    (void)state;
    sotto_error error;
    scene self;
    char *text = NULL;
    open_scene(&self, STUMPS, 3, -3);
    self.content.method = "exponential";
    assert_refused(sot_model_write(&self.content, &text, &error), SOTTO_INVALID_ARGUMENT,
                   &error, "laplace", NULL);
    self.content.method = "laplace";
    self.content.errors.lists = 2;
    assert_refused(sot_model_write(&self.content, &text, &error), SOTTO_INVALID_ARGUMENT,
                   &error, "2 lists", NULL);
    self.content.errors.lists = 1;
    self.counts[4] = -4;
    assert_refused(sot_model_write(&self.content, &text, &error), SOTTO_INVALID_ARGUMENT,
                   &error, "least noisy errors", NULL);
    close_scene(&self);
}

/* Any byte changed: refused, or a model that can be asked. */
static void garbage_is_refused_or_harmless(void **state)
{
    (void)state;
    uint64_t stream = 5;
    scene self;
    open_scene(&self, STUMPS, 3, -3);
    char *text = model_text(&self.content);
    const size_t size = strlen(text);
    for (int round = 0; round < 3000; round++) {
        sotto_model *model = NULL;
        stream = stream * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        const size_t place = (size_t)((stream >> 33) % size);
        const char old = text[place];
        text[place] = (char)(32 + (stream >> 20) % 95);
        if (sotto_model_parse("m.json", text, size, &model, NULL) == SOTTO_OK &&
            sotto_model_error_lists(model) > 0) {
            sotto_training_errors errors;
            assert_int_equal(sotto_model_training_errors(model, 0.05, &errors, NULL),
                             SOTTO_OK);
            assert_true(errors.upper >= errors.noisy - 1);
        }
        sotto_model_free(model);
        text[place] = old;
    }
    sot_free(text);
    close_scene(&self);
}

static void failing_memory_is_reported(void **state)
{
    (void)state;
    scene self;
    open_scene(&self, BOXES, 2, 1);
    char *text = model_text(&self.content);
    for (size_t nth = 1;; nth++) {
        sotto_error error;
        sotto_model *model = NULL;
        char rule[64];
        (void)sot_test_fail_allocation(nth);
        sotto_status status =
            sotto_model_parse("m.json", text, strlen(text), &model, &error);
        if (status == SOTTO_OK)
            status = sotto_model_concept_at(model, 1, 1, rule, sizeof rule, &error);
        const size_t asked = sot_test_fail_allocation(0);
        sotto_model_free(model);
        if (asked < nth) break;
        assert_int_equal(status, SOTTO_OUT_OF_MEMORY);
    }
    sot_free(text);
    close_scene(&self);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_released_comes_back),
        cmocka_unit_test(the_best_are_told_in_words),
        cmocka_unit_test(the_page_has_a_table_of_them),
        cmocka_unit_test(a_file_that_contradicts_its_counts_is_refused),
        cmocka_unit_test(a_class_that_is_too_large_has_no_counts),
        cmocka_unit_test(what_no_reader_takes_is_not_written),
        cmocka_unit_test(garbage_is_refused_or_harmless),
        cmocka_unit_test(failing_memory_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
