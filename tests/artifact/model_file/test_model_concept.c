/* Model files of concepts: written, read strictly, predicting what the concept says, exported. */
#include "artifact/model_file/models.h"

#include <unistd.h>

#include "base/file/file.h"
#include "base/text.h"
#include "models/concept/classes/concept.h"

#define MATRIX                                                                           \
    "{\"features\": 4, \"labels\": [0, 1], \"numbers\": {\"lower\": -1, \"upper\": 1}}"

enum { NUMBERS_MOST = 4, CASES_ROWS = 240 };

/* A class and one of it, on MODEL_TABLE or MATRIX. */
typedef struct made {
    const char *schema, *class;
    double numbers[NUMBERS_MOST];
} made;

static const made cases[] = {
    {MODEL_TABLE, "{\"class\": \"thresholds\", \"columns\": [\"age\"]}", {20000}},
    {MODEL_TABLE,
     "{\"class\": \"thresholds\", \"columns\": [\"visits\"], \"both\": true}",
     {3, 1}},
    {MODEL_TABLE, "{\"class\": \"thresholds\", \"columns\": [\"age\"]}", {65536}},
    {MODEL_TABLE,
     "{\"class\": \"intervals\", \"columns\": [\"age\"], \"bits\": 32}",
     {12345678, 2345678901.0}},
    {MODEL_TABLE, "{\"class\": \"stumps\", \"bits\": 5}", {1, 1, 1}},
    {MODEL_TABLE,
     "{\"class\": \"stumps\", \"cuts\": {\"age\": [29.5, 40, 60.25]}}",
     {0, 2}},
    {MODEL_TABLE, "{\"class\": \"rectangles\"}", {3, 29, 2, 9}},
    {MODEL_TABLE, "{\"class\": \"rectangles\"}", {0}},
    {MODEL_TABLE,
     "{\"class\": \"conjunctions\", \"cuts\": {\"age\": [50], \"visits\": [2]}}",
     {13}},
    {MODEL_TABLE, "{\"class\": \"conjunctions\"}", {0}},
    {MODEL_TABLE, "{\"class\": \"parities\", \"bits\": 1}", {15}},
    {MODEL_TABLE, "{\"class\": \"candidates\", \"both\": true}", {0, 1}},
    {MATRIX, "{\"class\": \"stumps\", \"bits\": 7}", {2, 77}},
    {MATRIX, "{\"class\": \"rectangles\", \"columns\": [1, 4]}", {3, 20, 0, 9}},
    {MATRIX, "{\"class\": \"parities\", \"cuts\": [0.1]}", {7}},
};
enum { CASES = sizeof cases / sizeof cases[0] };

typedef struct scene {
    sotto_schema *schema;
    sot_concept_class *class;
    sot_model_content content;
} scene;

static scene open_scene(const made *one)
{
    sotto_error error;
    scene self = {.content = model_table_content()};
    assert_ok(
        sotto_schema_parse("s", one->schema, strlen(one->schema), &self.schema, &error),
        &error);
    assert_ok(sot_concept_class_new(self.schema, NULL, one->class, &self.class, &error),
              &error);
    static const char *const labels[] = {"0", "1"};
    if (sotto_schema_is_matrix(self.schema)) self.content.classes = labels;
    self.content.model = "concept";
    self.content.schema_json = one->schema;
    self.content.features = NULL;
    self.content.coefficients = one->numbers;
    self.content.dimension = self.class->features;
    self.content.concept = self.class;
    return self;
}

static void close_scene(scene *self)
{
    sot_concept_class_free(self->class);
    sotto_schema_free(self->schema);
}

static double next_uniform(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return ldexp((double)(*state >> 11), -53);
}

/* ---- files ---- */

static void a_concept_comes_back(void **state)
{
    (void)state;
    for (size_t i = 0; i < CASES; i++) {
        scene self = open_scene(&cases[i]);
        char *text = model_text(&self.content);
        sotto_model *model = model_of(&self.content);
        const size_t count = sot_concept_numbers(self.class);
        assert_non_null(strstr(text, "\"version\":4,\"model\":\"concept\""));
        assert_int_equal(sotto_model_kind_of(model), SOTTO_MODEL_CONCEPT);
        assert_int_equal(sotto_model_predicts(model), SOTTO_PREDICTS_SCORE);
        assert_int_equal(sotto_model_outputs(model), 1);
        assert_int_equal(sotto_model_margins(model), 1);
        assert_int_equal(sotto_model_classes(model), 2);
        assert_int_equal(sotto_model_dimension(model), self.class->features);
        for (size_t j = 0; j < self.class->features; j++)
            assert_string_equal(sotto_model_feature(model, j), self.class->names[j]);
        assert_int_equal(sotto_model_coefficients(model), count);
        for (size_t j = 0; j < count; j++)
            assert_true(sotto_model_coefficient(model, j) == cases[i].numbers[j]);
        char rule[SOT_CONCEPT_TEXT_BYTES], same[SOT_CONCEPT_TEXT_BYTES];
        assert_string_equal(
            sotto_model_concept(model, rule, sizeof rule),
            sot_concept_text(self.class, cases[i].numbers, same, sizeof same));
        /* What was read writes the same bytes. */
        self.content.concept = model->concept;
        self.content.coefficients = model->coefficients;
        char *again = model_text(&self.content);
        assert_string_equal(text, again);
        sot_free(text);
        sot_free(again);
        sotto_model_free(model);
        close_scene(&self);
    }
    char rule[8];
    const sot_model_content other = model_table_content();
    sotto_model *model = model_of(&other);
    assert_string_equal(sotto_model_concept(model, rule, sizeof rule), "");
    sotto_model_free(model);
}

static void what_is_no_concept_is_not_written(void **state)
{
    (void)state;
    static const double bad[][NUMBERS_MOST] = {{65537}, {-1},       {0.5},
                                               {NAN},   {20000, 1}, {INFINITY}};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        sotto_error error;
        char *text = NULL;
        scene self = open_scene(&cases[0]);
        self.content.coefficients = bad[i];
        assert_refused(sot_model_write(&self.content, &text, &error),
                       SOTTO_INVALID_ARGUMENT, &error, "thresholds", NULL);
        close_scene(&self);
    }
}

/* One word of the file changed, and what the refusal names. */
static const struct {
    size_t case_index;
    const char *from, *to, *word;
} damaged[] = {
    {0, "\"version\":4", "\"version\":2", "a concept"},
    {0, "\"version\":4", "\"version\":7", "versions"},
    {0, "\"version\":4", "\"version\":5", "5 with noisy errors"},
    {0, "\"concept\":{", "\"idea\":{", "idea"},
    {0, "\"concept\":{", "\"concept\":[],\"network\":{", "network"},
    {0, "\"concept\":{", "\"features\":[\"age\"],\"concept\":{", "features"},
    {0, "\"concept\":{", "\"sampler\":\"proximal\",\"concept\":{", "sampler"},
    {0, "\"concept\":{", "\"curve\":{},\"concept\":{", "curve"},
    {0, "\"model\":\"concept\"", "\"model\":\"svm\"", "version"},
    {0, "\"classes\":[\"false\",\"true\"]", "\"classes\":[\"no\",\"yes\"]", "classes[0]"},
    {0, "\"class\":\"thresholds\"", "\"class\":\"halves\"", "halves"},
    {0, "\"class\":\"thresholds\"", "\"class\":\"stumps\"", "both"},
    {0, "\"class\":\"thresholds\"", "\"class\":\"parities\"", "cells"},
    {0, "\"column\":\"age\"", "\"column\":\"smokes\"", "target"},
    {0, "\"column\":\"age\"", "\"column\":\"agee\"", "agee"},
    {0, "\"column\":\"age\"", "\"column\":\"town\"", "cells"},
    {0, "\"cells\":65536", "\"cells\":65535.5", "cells"},
    {0, "\"cells\":65536", "\"cells\":19999", "no concept"},
    {0, "\"cells\":65536", "\"cells\":0", "cells"},
    {0, "\"coefficients\":[", "\"coefficients\":[\"0x0p+0\",", "3 coefficients"},
    {0, "\"coefficients\":[", "\"numbers\":[1],\"coefficients\":[", "numbers"},
    {0, "\"0x0p+0\"]", "\"0x1p+0\"]", "no concept"},
    {0, "\"0x0p+0\"]", "\"-0x0p+0\"]", "no concept"},
    {0, "\"0x0p+0\"]", "0]", "coefficients[1]"},
    {0, "\"0x0p+0\"]", "\"0x1p-1\"]", "no concept"},
    {4, "\"value\":\"Lund\"", "\"value\":\"Ystad\"", "twice"},
    {4, "\"value\":\"Lund\"", "\"value\":\"\"", "value"},
    {5, "\"cuts\":[29.5,", "\"cuts\":[49.5,", "increasing"},
    {5, "\"cuts\":[29.5,", "\"cuts\":[1e999,", "1e999"},
    {12, "\"column\":\"3\"", "\"column\":\"5\"", "from 1 to 4"},
    {12, "\"column\":\"3\"", "\"column\":\"4\"", "twice"},
};

static void a_file_that_is_not_whole_is_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof damaged / sizeof damaged[0]; i++) {
        scene self = open_scene(&cases[damaged[i].case_index]);
        model_refuse_damaged(&self.content, damaged[i].from, damaged[i].to,
                             damaged[i].word);
        close_scene(&self);
    }
}

/* Any byte of it changed: refused, or a model that can be asked. */
static void garbage_is_refused_or_harmless(void **state)
{
    (void)state;
    uint64_t stream = 9;
    for (size_t i = 0; i < CASES; i += 3) {
        scene self = open_scene(&cases[i]);
        char *text = model_text(&self.content);
        const size_t size = strlen(text);
        for (int round = 0; round < 400; round++) {
            const size_t place = (size_t)(next_uniform(&stream) * (double)size);
            const char old = text[place];
            sotto_model *model = NULL;
            text[place] = (char)(32.0 + 95.0 * next_uniform(&stream));
            if (sotto_model_parse("m.json", text, size, &model, NULL) == SOTTO_OK) {
                char rule[SOT_CONCEPT_TEXT_BYTES];
                assert_true(strlen(sotto_model_concept(model, rule, sizeof rule)) > 0);
            }
            sotto_model_free(model);
            text[place] = old;
        }
        sot_free(text);
        close_scene(&self);
    }
}

/* ---- predictions ---- */

/* Rows of MODEL_TABLE (person, age, town, smokes, visits) or of MATRIX, bad cells among them. */
static size_t make_rows(bool matrix, double *cells)
{
    static const double strange[] = {NAN, INFINITY, -INFINITY, 1e300, -1e300, 2.5};
    const size_t columns = matrix ? 4 : 5;
    uint64_t stream = 17;
    for (size_t i = 0; i < CASES_ROWS; i++) {
        double *row = cells + i * columns;
        if (matrix) {
            for (size_t j = 0; j < 4; j++)
                row[j] = 2.4 * next_uniform(&stream) - 1.2;
        } else {
            row[0] = 0.0;
            row[1] = floor(2000.0 * next_uniform(&stream)) / 20.0;
            row[2] = floor(3.0 * next_uniform(&stream));
            row[3] = floor(2.0 * next_uniform(&stream));
            row[4] = floor(11.0 * next_uniform(&stream)) - 1.0;
        }
        if (i % 11 == 0)
            row[(i / 11) % columns] =
                strange[(i / 11) % (sizeof strange / sizeof *strange)];
    }
    return columns;
}

static sotto_array array_of(const double *cells, size_t columns)
{
    return (sotto_array){cells,   SOTTO_FLOAT64,        CASES_ROWS,
                         columns, (int64_t)columns * 8, 8};
}

/* What the concept says of the record that a source makes of a row. */
static void a_model_says_what_its_concept_says(void **state)
{
    (void)state;
    static double cells[CASES_ROWS * 5], said[CASES_ROWS];
    for (size_t i = 0; i < CASES; i++) {
        sotto_error error;
        sot_source *source = NULL;
        scene self = open_scene(&cases[i]);
        sotto_model *model = model_of(&self.content);
        const size_t columns = make_rows(sotto_schema_is_matrix(self.schema), cells);
        const sotto_array rows = array_of(cells, columns);
        const sotto_records records = {.features = rows};
        size_t yes = 0;
        assert_ok(sotto_model_predict(model, &rows, said, &error), &error);
        assert_ok(sot_source_open_records(&records, self.schema, &source, &error),
                  &error);
        for (size_t row = 0; row < CASES_ROWS; row++) {
            sot_record record;
            bool more;
            uint32_t places[8];
            assert_ok(sot_source_next(source, &record, &more, &error), &error);
            for (size_t j = 0; j < self.class->features; j++)
                places[j] = sot_cells_of_record(&self.class->grids[j], &record);
            const bool expected = sot_concept_says(self.class, cases[i].numbers, places);
            assert_true(said[row] == (expected ? 1.0 : -1.0));
            yes += expected;
        }
        sot_source_close(source);
        /* All but the constant ones part the rows. */
        char rule[SOT_CONCEPT_TEXT_BYTES];
        sotto_model_concept(model, rule, sizeof rule);
        const bool constant = strcmp(rule, "never") == 0 || strcmp(rule, "always") == 0;
        assert_true((yes > 0 && yes < CASES_ROWS) != constant);
        sotto_model_free(model);
        close_scene(&self);
    }
}

/* Accuracy and confusion count; the auc of a yes or no is the mean of both rates; there is no
 * probability. */
static void an_evaluation_counts_right_and_wrong(void **state)
{
    (void)state;
    static const double cells[] = {0, 70, 0, 1,  0, 0, 30, 0, 0,  0, 0, 75, 1,
                                   0, 0,  0, 20, 1, 1, 0,  0, 80, 1, 1, 0};
    sotto_error error;
    scene self = open_scene(&cases[0]); /* age >= 39.53125 */
    sotto_model *model = model_of(&self.content);
    const sotto_records records = {
        .features = {cells, SOTTO_FLOAT64, 5, 5, 5 * sizeof *cells, sizeof *cells}};
    sotto_evaluation found;
    assert_ok(sotto_model_evaluate_records(model, &records, 0.5, &found, &error), &error);
    assert_int_equal(found.rows, 5);
    assert_true(found.accuracy == 0.6);
    assert_int_equal(found.confusion[0], 1);
    assert_int_equal(found.confusion[1], 1);
    assert_int_equal(found.confusion[2], 1);
    assert_int_equal(found.confusion[3], 2);
    assert_relative(found.auc, 0.5 * (2.0 / 3.0 + 1.0 / 2.0), 1e-15);
    assert_true(isnan(found.log_loss) && isnan(found.brier) && isnan(found.mse));
    sotto_evaluation_clear(&found);
    assert_refused(sotto_model_evaluate_records(model, &records, 0.25, &found, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "threshold", NULL);
    sotto_model_free(model);
    close_scene(&self);
}

/* ---- C ---- */

/* A double as C text: also what is no number. */
static const char *literal(double value, char buffer[SOT_DOUBLE_TEXT_BYTES])
{
    if (isnan(value)) return "NAN";
    if (isinf(value)) return value > 0.0 ? "INFINITY" : "-INFINITY";
    sot_format_hex(value, buffer);
    return buffer;
}

static bool has_member(const char *header, const char *member)
{
    char text[64];
    (void)snprintf(text, sizeof text, "%s; /* ", member);
    return strstr(header, text) != NULL;
}

/* The columns that the header's row has, as an initialiser. */
static void write_table_row(FILE *program, const char *header, const double *row)
{
    static const char *const towns[] = {"\"Lund\"", "\"Ystad\"", "\"elsewhere\""};
    char buffer[SOT_DOUBLE_TEXT_BYTES];
    const char *between = "";
    fprintf(program, "{");
    if (has_member(header, "age")) {
        fprintf(program, ".age = %s", literal(row[1], buffer));
        between = ", ";
    }
    if (has_member(header, "town")) {
        const bool known = row[2] >= 0.0 && row[2] <= 2.0 && row[2] == floor(row[2]);
        fprintf(program, "%s.town = %s", between, known ? towns[(size_t)row[2]] : "NULL");
        between = ", ";
    }
    if (has_member(header, "visits"))
        fprintf(program, "%s.visits = %s", between, literal(row[4], buffer));
    fprintf(program, "}");
}

static void write_checks(FILE *program, size_t index, bool matrix, const char *header)
{
    static double cells[CASES_ROWS * 5];
    char buffer[SOT_DOUBLE_TEXT_BYTES];
    (void)make_rows(matrix, cells);
    if (matrix) {
        fprintf(program, "static const double rows%zu[][4] = {\n", index);
    } else {
        fprintf(program, "static const m%zu_row rows%zu[] = {\n", index, index);
    }
    for (size_t i = 0; i < CASES_ROWS; i++) {
        if (matrix) {
            fprintf(program, "{");
            for (size_t j = 0; j < 4; j++)
                fprintf(program, "%s, ", literal(cells[4 * i + j], buffer));
            fprintf(program, "}");
        } else {
            write_table_row(program, header, cells + 5 * i);
        }
        fprintf(program, ",\n");
    }
    fprintf(program, "};\n");
}

/* All of them in one program: one run of the compiler. */
static void the_exported_header_says_the_same(void **state)
{
    (void)state;
    static double cells[CASES_ROWS * 5], said[CASES_ROWS];
    char directory[] = "/tmp/sotto-concept-XXXXXX", path[80], name[8], command[300];
    assert_non_null(mkdtemp(directory));
    (void)snprintf(path, sizeof path, "%s/program.c", directory);
    FILE *program = fopen(path, "w");
    assert_non_null(program);
    for (size_t i = 0; i < CASES; i++) {
        sotto_error error;
        char *header = NULL;
        scene self = open_scene(&cases[i]);
        sotto_model *model = model_of(&self.content);
        (void)snprintf(name, sizeof name, "m%zu", i);
        assert_ok(sotto_model_export_c(model, name, &header, &error), &error);
        (void)snprintf(path, sizeof path, "%s/m%zu.h", directory, i);
        assert_ok(sot_file_write(path, header, strlen(header), 0600, &error), &error);
        fprintf(program, "#include \"m%zu.h\"\n", i);
        write_checks(program, i, sotto_schema_is_matrix(self.schema), header);
        sotto_free(header);
        sotto_model_free(model);
        close_scene(&self);
    }
    fprintf(program, "#include <stdio.h>\nint main(void)\n{\n    int i;\n");
    for (size_t i = 0; i < CASES; i++)
        fprintf(
            program,
            "    for (i = 0; i < %d; i++) {\n"
            "        if (m%zu_predict(%srows%zu[i]) != (m%zu_score(%srows%zu[i]) > 0)) "
            "return 1;\n"
            "        printf(\"%%d \", m%zu_predict(%srows%zu[i]));\n    }\n",
            CASES_ROWS, i, cases[i].schema[2] == 'f' ? "" : "&", i, i,
            cases[i].schema[2] == 'f' ? "" : "&", i, i,
            cases[i].schema[2] == 'f' ? "" : "&", i);
    fprintf(program, "    return 0;\n}\n");
    assert_int_equal(fclose(program), 0);
    (void)snprintf(command, sizeof command,
                   "cd %s && cc -std=c99 -pedantic -Wall -Wextra -Werror -o program "
                   "program.c -lm && ./program > out",
                   directory);
    if (system(command) != 0) fail_msg("the exported headers failed: %s", command);
    (void)snprintf(path, sizeof path, "%s/out", directory);
    FILE *output = fopen(path, "r");
    assert_non_null(output);
    for (size_t i = 0; i < CASES; i++) {
        sotto_error error;
        scene self = open_scene(&cases[i]);
        sotto_model *model = model_of(&self.content);
        const size_t columns = make_rows(sotto_schema_is_matrix(self.schema), cells);
        /* A category's cell that is no whole number is missing, as NULL is to C. */
        const sotto_array rows = array_of(cells, columns);
        assert_ok(sotto_model_predict(model, &rows, said, &error), &error);
        for (size_t row = 0; row < CASES_ROWS; row++) {
            int found = -1;
            assert_int_equal(fscanf(output, "%d", &found), 1);
            assert_int_equal(found, said[row] > 0.0);
        }
        sotto_model_free(model);
        close_scene(&self);
    }
    assert_int_equal(fclose(output), 0);
    (void)snprintf(command, sizeof command, "rm -r %s", directory);
    assert_int_equal(system(command), 0);
}

/* ---- memory ---- */

static void no_allocation_failure_leaks_or_lies(void **state)
{
    (void)state;
    static double cells[CASES_ROWS * 5], said[CASES_ROWS];
    scene self = open_scene(&cases[4]);
    char *text = model_text(&self.content);
    sotto_model *whole = model_of(&self.content);
    const size_t columns = make_rows(false, cells);
    const sotto_array rows = array_of(cells, columns);
    for (int way = 0; way < 4; way++) {
        for (size_t nth = 1;; nth++) {
            sotto_error error;
            sotto_model *model = NULL;
            char *made_text = NULL;
            sotto_status status = SOTTO_OK;
            (void)sot_test_fail_allocation(nth);
            if (way == 0)
                status = sotto_model_parse("m", text, strlen(text), &model, &error);
            if (way == 1) status = sot_model_write(&self.content, &made_text, &error);
            if (way == 2) status = sotto_model_predict(whole, &rows, said, &error);
            if (way == 3) status = sotto_model_export_c(whole, "m", &made_text, &error);
            const size_t asked = sot_test_fail_allocation(0);
            sotto_model_free(model);
            sot_free(made_text);
            if (asked < nth) {
                assert_int_equal(status, SOTTO_OK);
                break;
            }
            assert_int_equal(status, SOTTO_OUT_OF_MEMORY);
        }
    }
    sotto_model_free(whole);
    sot_free(text);
    close_scene(&self);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_concept_comes_back),
        cmocka_unit_test(what_is_no_concept_is_not_written),
        cmocka_unit_test(a_file_that_is_not_whole_is_refused),
        cmocka_unit_test(garbage_is_refused_or_harmless),
        cmocka_unit_test(a_model_says_what_its_concept_says),
        cmocka_unit_test(an_evaluation_counts_right_and_wrong),
        cmocka_unit_test(the_exported_header_says_the_same),
        cmocka_unit_test(no_allocation_failure_leaks_or_lies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
