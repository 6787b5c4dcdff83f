/* Model files of networks: what is written is read bit by bit, strictly, and predicts as its layers say. */
#include "artifact/model_file/models.h"

#include <unistd.h>

#include "base/file/file.h"
#include "base/text.h"

/* Images of two planes, three classes; and a table of two numbers whose target is one. */
#define IMAGES                                                                           \
    "{\"shape\": [2, 4, 4], \"labels\": [4, 7, 9], \"numbers\": {\"lower\": 0, "         \
    "\"upper\": 8}}"
#define TABLE                                                                            \
    "{\"target\": \"bikes\", \"columns\": [{\"name\": \"warm\", \"type\": \"number\", "  \
    "\"lower\": -2, \"upper\": 2}, {\"name\": \"wet\", \"type\": \"boolean\"}, "         \
    "{\"name\": \"bikes\", \"type\": \"integer\", \"lower\": 0, \"upper\": 400}]}"
#define DEEP                                                                             \
    "{\"kind\": \"network\", \"version\": 1, \"layers\": ["                              \
    "{\"type\": \"normalise\", \"mean\": [0.25, -0.5], \"deviation\": [0.5, 1.5]}, "     \
    "{\"type\": \"conv2d\", \"channels\": 6, \"kernel\": 3, \"padding\": 1}, "           \
    "{\"type\": \"relu\"}, {\"type\": \"max-pool\", \"size\": 2, \"stride\": 1}, "       \
    "{\"type\": \"group-norm\", \"groups\": 3, \"affine\": true}, "                      \
    "{\"type\": \"average-pool\", \"size\": 2, \"stride\": 1}, {\"type\": \"tanh\"}, "   \
    "{\"type\": \"flatten\"}, {\"type\": \"dense\", \"units\": \"outputs\"}]}"
#define SHALLOW                                                                          \
    "{\"kind\": \"network\", \"version\": 1, \"layers\": [{\"type\": \"dense\", "        \
    "\"units\": 3}, {\"type\": \"tanh\"}, {\"type\": \"dense\", \"units\": 1}]}"
#define PAID                                                                             \
    "{\"kind\": \"network\", \"version\": 1, \"layers\": [{\"type\": \"data-norm\", "    \
    "\"clip\": 1, \"clip_squares\": 1, \"noise\": 8}, {\"type\": \"flatten\"}, "         \
    "{\"type\": \"dense\", \"units\": \"outputs\"}]}"

enum { PIXELS = 32, CLASSES = 3, ROWS = 700, PARAMETERS_MOST = 2000 };

static double next_uniform(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return ldexp((double)(*state >> 11), -53);
}

/* ---- content ---- */

typedef struct made {
    sotto_schema *schema;
    sot_encoding *encoding;
    sot_net *net;
    double coefficients[PARAMETERS_MOST];
    uint64_t steps[3];
    double scores[3];
    sot_model_content content;
} made;

static const char *const labels[] = {"4", "7", "9"};
static const char *const features[] = {"warm", "wet", "(intercept)"};

static void make(made *self, const char *schema, const char *network)
{
    sotto_error error;
    sot_json *document = NULL;
    sot_net_task task;
    const bool images = strstr(schema, "labels") != NULL;
    assert_ok(sotto_schema_parse("s", schema, strlen(schema), &self->schema, &error),
              &error);
    assert_ok(sot_encoding_new(self->schema, NULL,
                               images ? SOT_TARGET_CLASSES : SOT_TARGET_NUMBER,
                               &self->encoding, &error),
              &error);
    assert_ok(sot_net_task_of(self->encoding, self->schema, &task, &error), &error);
    assert_ok(
        sot_json_parse("n", network, strlen(network), strlen(network), &document, &error),
        &error);
    const sot_json_value root = sot_json_root(document);
    assert_ok(sot_net_parse(&root, &task, &self->net, &error), &error);
    sot_json_free(document);
    uint64_t state = 5;
    assert_true(self->net->parameters <= PARAMETERS_MOST);
    for (size_t i = 0; i < self->net->parameters; i++)
        self->coefficients[i] = (double)(float)(1.5 * (next_uniform(&state) - 0.5));
    for (size_t i = 0; i < 3; i++) {
        self->steps[i] = 10 * i + 3;
        self->scores[i] = 0.25 * (double)(i + 1);
    }
    self->content = model_table_content();
    self->content.model = "network";
    self->content.schema_json = schema;
    self->content.classes = images ? labels : NULL;
    self->content.class_count = images ? CLASSES : 0;
    self->content.features = images ? NULL : features;
    self->content.coefficients = self->coefficients;
    self->content.dimension = sot_encoding_dimension(self->encoding);
    self->content.margins = images ? CLASSES : 1;
    self->content.net = self->net;
    self->content.curve = (sot_model_curve){self->steps, self->scores, 3};
}

static void unmake(made *self)
{
    sot_net_free(self->net);
    sot_encoding_free(self->encoding);
    sotto_schema_free(self->schema);
}

/* ---- files ---- */

static void assert_comes_back(const char *schema, const char *network)
{
    made self = {.schema = NULL};
    make(&self, schema, network);
    char *text = model_text(&self.content);
    sotto_model *model = model_of(&self.content);
    assert_non_null(strstr(text, "\"version\":3,\"model\":\"network\""));
    assert_int_equal(sotto_model_kind_of(model), SOTTO_MODEL_NETWORK);
    assert_int_equal(sotto_model_coefficients(model), self.net->parameters);
    for (size_t i = 0; i < self.net->parameters; i++)
        assert_true(sotto_model_coefficient(model, i) == self.coefficients[i]);
    assert_int_equal(model->curve.count, 3);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(model->curve.steps[i], self.steps[i]);
        assert_true(model->curve.scores[i] == self.scores[i]);
    }
    /* What was read writes the same bytes. */
    self.content.net = model->net;
    self.content.coefficients = model->coefficients;
    self.content.curve = model->curve;
    char *again = model_text(&self.content);
    assert_string_equal(text, again);
    sot_free(text);
    sot_free(again);
    sotto_model_free(model);
    unmake(&self);
}

static void a_network_comes_back_bit_by_bit(void **state)
{
    (void)state;
    assert_comes_back(IMAGES, DEEP);
    assert_comes_back(TABLE, SHALLOW);
}

static void assert_file_refused(const char *from, const char *to, const char *word)
{
    made self = {.schema = NULL};
    sotto_model *model = NULL;
    sotto_error error;
    make(&self, TABLE, SHALLOW);
    char *text = NULL;
    char changed[4096];
    assert_ok(sot_model_write(&self.content, &text, &error), &error);
    model_replace(text, from, to, changed, sizeof changed);
    assert_refused(sotto_model_parse("m.json", changed, strlen(changed), &model, &error),
                   SOTTO_PARSE, &error, word, NULL);
    sot_free(text);
    unmake(&self);
}

static void a_file_that_is_not_whole_is_refused(void **state)
{
    (void)state;
    assert_file_refused("\"version\":3", "\"version\":2", "3 for a network");
    assert_file_refused("\"version\":3", "\"version\":7", "versions 1 to 6");
    assert_file_refused("\"network\":{", "\"net\":{", "net");
    assert_file_refused("\"model\":\"network\"", "\"model\":\"linear\"", "version");
    assert_file_refused("\"coefficients\":[[", "\"coefficients\":[[\"0x1p+0\",",
                        "10 coefficients");
    assert_file_refused("\"coefficients\":[[", "\"coefficients\":[[],[",
                        "0 coefficients");
    assert_file_refused("]]}", "],[]]}", "coefficients for 3 layers");
    assert_file_refused("\"units\":3", "\"units\":2", "coefficients");
    assert_file_refused("\"units\":1", "\"units\":2", "the last layer");
    assert_file_refused("\"type\":\"tanh\"", "\"type\":\"sine\"", "tanh");
    assert_file_refused("\"coefficients\":[[\"",
                        "\"coefficients\":[[\"0x1.00000001p+0\",\"", "coefficients");
    assert_file_refused("\"steps\":[3,", "\"steps\":[13,", "steps rise");
    assert_file_refused("\"steps\":[3,", "\"steps\":[0,", "steps rise");
    assert_file_refused("\"steps\":[3,", "\"steps\":[", "as many steps as scores");
    assert_file_refused("\"scores\":[0.25", "\"scores\":[-0.25", "at least 0");
    assert_file_refused("\"scores\":", "\"marks\":", "marks");
}

/* What no float holds was never learned. */
static void numbers_finer_than_a_float_are_refused(void **state)
{
    (void)state;
    made self = {.schema = NULL};
    sotto_model *model = NULL;
    sotto_error error;
    char first[SOT_DOUBLE_TEXT_BYTES], changed[4096];
    make(&self, TABLE, SHALLOW);
    char *text = NULL;
    assert_ok(sot_model_write(&self.content, &text, &error), &error);
    sot_format_hex(self.coefficients[0], first);
    model_replace(text, first, "0x1.00000001p+0", changed, sizeof changed);
    assert_refused(sotto_model_parse("m.json", changed, strlen(changed), &model, &error),
                   SOTTO_PARSE, &error, "24 bits", NULL);
    self.coefficients[0] = 1.0 / 3.0;
    char *none = NULL;
    assert_refused(sot_model_write(&self.content, &none, &error), SOTTO_INVALID_ARGUMENT,
                   &error, "parameter 1", NULL);
    self.coefficients[0] = (double)INFINITY;
    assert_refused(sot_model_write(&self.content, &none, &error), SOTTO_INVALID_ARGUMENT,
                   &error, "inf", NULL);
    sot_free(text);
    unmake(&self);
}

static void a_data_norm_without_its_numbers_is_no_model(void **state)
{
    (void)state;
    made self = {.schema = NULL};
    sotto_error error;
    char *none = NULL;
    make(&self, IMAGES, PAID);
    assert_refused(sot_model_write(&self.content, &none, &error), SOTTO_PARSE, &error,
                   "layer 1", "mean", NULL);
    unmake(&self);
}

static void a_network_is_of_networks_alone(void **state)
{
    (void)state;
    sot_model_content content = model_table_content();
    sotto_model *model = NULL;
    sotto_error error;
    char *text = model_text(&content);
    char changed[4096];
    static const char *const members[] = {"\"network\":{},", "\"curve\":{},"};
    for (size_t i = 0; i < 2; i++) {
        (void)snprintf(changed, sizeof changed, "{%s%s", members[i], text + 1);
        assert_refused(
            sotto_model_parse("m.json", changed, strlen(changed), &model, &error),
            SOTTO_PARSE, &error, "only the model network", NULL);
    }
    sot_free(text);
}

/* ---- predictions ---- */

static sotto_array view_of(const double *data, size_t rows, size_t columns)
{
    return (sotto_array){.data = data,
                         .element = SOTTO_FLOAT64,
                         .rows = rows,
                         .columns = columns,
                         .row_stride_bytes = (ptrdiff_t)(columns * sizeof(double)),
                         .column_stride_bytes = sizeof(double)};
}

static void a_small_network_predicts_as_it_is_defined(void **state)
{
    (void)state;
    made self = {.schema = NULL};
    sotto_error error;
    static const double cells[][3] = {
        {-2.0, 0.0, 0.0}, {0.5, 1.0, 17.0}, {2.0, 1.0, 0.0}, {NAN, 0.0, 400.0}};
    double found[4];
    make(&self, TABLE, SHALLOW);
    const double *c = self.coefficients;
    sotto_model *model = model_of(&self.content);
    const sotto_array rows = view_of(&cells[0][0], 4, 3);
    assert_int_equal(sotto_model_predicts(model), SOTTO_PREDICTS_NUMBER);
    assert_ok(sotto_model_predict(model, &rows, found, &error), &error);
    for (size_t i = 0; i < 4; i++) {
        const double warm = isnan(cells[i][0]) ? 0.0 : cells[i][0] / 2.0;
        const double wet = cells[i][1];
        const double x[] = {warm, wet};
        double score = c[12];
        for (size_t j = 0; j < 3; j++)
            score += c[9 + j] * tanh(c[2 * j] * x[0] + c[2 * j + 1] * x[1] + c[6 + j]);
        const double expected = fmin(400.0, fmax(0.0, 200.0 + 200.0 * score));
        assert_within(found[i] - expected, -1e-3, 1e-3);
    }
    sotto_model_free(model);
    unmake(&self);
}

static double *draw_images(void)
{
    double *pixels = sot_new_array((size_t)ROWS * PIXELS, sizeof *pixels);
    uint64_t state = 11;
    assert_non_null(pixels);
    for (size_t i = 0; i < (size_t)ROWS * PIXELS; i++)
        pixels[i] = 10.0 * next_uniform(&state) - 1.0; /* beyond the bounds too */
    pixels[40] = (double)NAN;
    pixels[70] = (double)INFINITY;
    return pixels;
}

/* More rows than are scored together: each has the bits that it has alone. */
static void a_row_is_predicted_alone_as_among_others(void **state)
{
    (void)state;
    made self = {.schema = NULL};
    sotto_error error;
    make(&self, IMAGES, DEEP);
    sotto_model *model = model_of(&self.content);
    double *pixels = draw_images();
    double *found = sot_new_array((size_t)ROWS * CLASSES, sizeof *found);
    assert_non_null(found);
    const sotto_array all = view_of(pixels, ROWS, PIXELS);
    assert_ok(sotto_model_predict(model, &all, found, &error), &error);
    static const size_t tried[] = {0, 1, 2, 127, 128, 511, 512, 699};
    for (size_t i = 0; i < sizeof tried / sizeof tried[0]; i++) {
        double alone[CLASSES];
        const sotto_array one = view_of(pixels + tried[i] * PIXELS, 1, PIXELS);
        assert_ok(sotto_model_predict(model, &one, alone, &error), &error);
        for (size_t k = 0; k < CLASSES; k++)
            assert_true(alone[k] == found[tried[i] * CLASSES + k]);
    }
    sot_free(found);
    sot_free(pixels);
    sotto_model_free(model);
    unmake(&self);
}

static void classes_are_counted_and_scored(void **state)
{
    (void)state;
    made self = {.schema = NULL};
    sotto_error error;
    make(&self, IMAGES, DEEP);
    sotto_model *model = model_of(&self.content);
    double *pixels = draw_images();
    double *found = sot_new_array((size_t)ROWS * CLASSES, sizeof *found);
    double *truth = sot_new_array(ROWS, sizeof *truth);
    assert_true(found != NULL && truth != NULL);
    const sotto_array all = view_of(pixels, ROWS, PIXELS);
    assert_ok(sotto_model_predict(model, &all, found, &error), &error);
    static const double codes[] = {4.0, 7.0, 9.0};
    size_t right = 0;
    for (size_t i = 0; i < ROWS; i++) {
        size_t best = 0;
        for (size_t k = 1; k < CLASSES; k++)
            if (found[i * CLASSES + k] > found[i * CLASSES + best]) best = k;
        truth[i] = codes[i % CLASSES];
        right += best == i % CLASSES;
    }
    const sotto_records records = {.features = all, .labels = view_of(truth, ROWS, 1)};
    sotto_evaluation evaluation;
    assert_ok(sotto_model_evaluate_records(model, &records, 0.5, &evaluation, &error),
              &error);
    assert_int_equal(evaluation.rows, ROWS);
    assert_int_equal(evaluation.classes, CLASSES);
    assert_true(evaluation.accuracy == (double)right / ROWS);
    assert_true(evaluation.confusion[0] + evaluation.confusion[4] +
                    evaluation.confusion[8] ==
                right);
    sotto_evaluation_clear(&evaluation);
    sot_free(truth);
    sot_free(found);
    sot_free(pixels);
    sotto_model_free(model);
    unmake(&self);
}

/* ---- C ---- */

static void write_program(const char *path, const double *pixels, size_t rows)
{
    FILE *program = fopen(path, "w");
    assert_non_null(program);
    (void)fputs("#include \"model.h\"\n#include <stdio.h>\nint main(void)\n{\n"
                "    static const double x[] = {\n",
                program);
    for (size_t i = 0; i < rows * PIXELS; i++)
        (void)fprintf(program, "%a,\n", pixels[i]);
    (void)fprintf(program,
                  "    };\n    double p[3];\n    size_t i;\n"
                  "    for (i = 0; i < %zu; i++) {\n"
                  "        net_probabilities(x + i * %d, p);\n"
                  "        printf(\"%%.17g %%.17g %%.17g %%d\\n\", p[0], p[1], p[2],\n"
                  "            net_predict(x + i * %d));\n    }\n    return 0;\n}\n",
                  rows, PIXELS, PIXELS);
    assert_int_equal(fclose(program), 0);
}

static void the_exported_header_agrees_to_rounding(void **state)
{
    (void)state;
    enum { TRIED = 20 };
    made self = {.schema = NULL};
    sotto_error error;
    char directory[] = "/tmp/sotto-network-XXXXXX", path[80], command[320];
    double found[TRIED * CLASSES];
    char *text = NULL;
    make(&self, IMAGES, DEEP);
    sotto_model *model = model_of(&self.content);
    double *pixels = draw_images();
    double *tried = pixels + (size_t)100 * PIXELS; /* numbers all of them */
    const sotto_array rows = view_of(tried, TRIED, PIXELS);
    assert_ok(sotto_model_predict(model, &rows, found, &error), &error);
    assert_non_null(mkdtemp(directory));
    assert_ok(sotto_model_export_c(model, "net", &text, &error), &error);
    (void)snprintf(path, sizeof path, "%s/model.h", directory);
    assert_ok(sot_file_write(path, text, strlen(text), 0600, &error), &error);
    (void)snprintf(path, sizeof path, "%s/program.c", directory);
    write_program(path, tried, TRIED);
    (void)snprintf(command, sizeof command,
                   "cd %s && cc -std=c99 -pedantic -Wall -Wextra -Werror -O1 -o program "
                   "program.c -lm && ./program > out",
                   directory);
    if (system(command) != 0) fail_msg("the exported header failed: %s", command);
    (void)snprintf(path, sizeof path, "%s/out", directory);
    FILE *output = fopen(path, "r");
    assert_non_null(output);
    for (size_t i = 0; i < TRIED; i++) {
        double p[CLASSES];
        int said = -1;
        assert_int_equal(fscanf(output, "%lf %lf %lf %d", &p[0], &p[1], &p[2], &said), 4);
        for (size_t k = 0; k < CLASSES; k++) {
            assert_within(p[k] - found[i * CLASSES + k], -1e-5, 1e-5);
            assert_true(p[k] <= p[said]);
        }
    }
    assert_int_equal(fclose(output), 0);
    (void)snprintf(command, sizeof command, "rm -r %s", directory);
    assert_int_equal(system(command), 0);
    sotto_free(text);
    sot_free(pixels);
    sotto_model_free(model);
    unmake(&self);
}

static void scattering_is_not_exported(void **state)
{
    (void)state;
    made self = {.schema = NULL};
    sotto_error error;
    char *text = NULL;
    make(&self,
         "{\"shape\": [1, 8, 8], \"labels\": [4, 7, 9], \"numbers\": {\"lower\": 0, "
         "\"upper\": 8}}",
         "{\"kind\": \"network\", \"version\": 1, \"layers\": [{\"type\": "
         "\"scattering\"}, "
         "{\"type\": \"flatten\"}, {\"type\": \"dense\", \"units\": \"outputs\"}]}");
    sotto_model *model = model_of(&self.content);
    assert_refused(sotto_model_export_c(model, "net", &text, &error), SOTTO_UNSUPPORTED,
                   &error, "layer 1", "scattering", NULL);
    sotto_model_free(model);
    unmake(&self);
}

/* ---- memory ---- */

static sotto_status read_and_predict(const char *text, const double *pixels,
                                     sotto_error *error)
{
    sotto_model *model = NULL;
    double found[2 * CLASSES];
    const sotto_array rows = view_of(pixels, 2, PIXELS);
    sotto_status status = sotto_model_parse("m", text, strlen(text), &model, error);
    if (status == SOTTO_OK) status = sotto_model_predict(model, &rows, found, error);
    sotto_model_free(model);
    return status;
}

static void no_memory_is_an_error_and_not_a_crash(void **state)
{
    (void)state;
    made self = {.schema = NULL};
    make(&self, IMAGES, DEEP);
    char *text = model_text(&self.content);
    double *pixels = draw_images();
    size_t failures = 0;
    for (;; failures++) {
        sotto_error error;
        (void)sot_test_fail_allocation(failures + 1);
        const sotto_status status = read_and_predict(text, pixels, &error);
        (void)sot_test_fail_allocation(0);
        if (status == SOTTO_OK) break;
        assert_int_equal(status, SOTTO_OUT_OF_MEMORY);
    }
    assert_true(failures > 30);
    sot_free(pixels);
    sot_free(text);
    unmake(&self);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_network_comes_back_bit_by_bit),
        cmocka_unit_test(a_file_that_is_not_whole_is_refused),
        cmocka_unit_test(numbers_finer_than_a_float_are_refused),
        cmocka_unit_test(a_data_norm_without_its_numbers_is_no_model),
        cmocka_unit_test(a_network_is_of_networks_alone),
        cmocka_unit_test(a_small_network_predicts_as_it_is_defined),
        cmocka_unit_test(a_row_is_predicted_alone_as_among_others),
        cmocka_unit_test(classes_are_counted_and_scored),
        cmocka_unit_test(the_exported_header_agrees_to_rounding),
        cmocka_unit_test(scattering_is_not_exported),
        cmocka_unit_test(no_memory_is_an_error_and_not_a_crash),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
