/* The exported C header, compiled by the machine's C compiler: same rows, same bits. */
#include "artifact/model_file/models.h"

#include <sys/stat.h>
#include <unistd.h>

#include "base/file/file.h"
#include "base/text.h"
#include "data/encode/blocks.h"

typedef struct workshop {
    char directory[40];
    FILE *program;
} workshop;

static void join(const workshop *shop, const char *file, char path[80])
{
    (void)snprintf(path, 80, "%s/%s", shop->directory, file);
}

/* A directory with the header, and a program that begins with it. */
static void open_workshop(workshop *shop, const sotto_model *model, const char *name)
{
    char path[80];
    char *text = NULL;
    sotto_error error;
    (void)snprintf(shop->directory, sizeof shop->directory, "/tmp/sotto-export-XXXXXX");
    assert_non_null(mkdtemp(shop->directory));
    assert_ok(sotto_model_export_c(model, name, &text, &error), &error);
    join(shop, "model.h", path);
    assert_ok(sot_file_write(path, text, strlen(text), 0600, &error), &error);
    sotto_free(text);
    join(shop, "program.c", path);
    shop->program = fopen(path, "w");
    assert_non_null(shop->program);
    (void)fprintf(shop->program, "#include \"model.h\"\n#include \"model.h\"\n"
                                 "#include <stdio.h>\n");
}

/* Compiles and runs it, and opens what it printed. */
static FILE *run_workshop(workshop *shop)
{
    char command[400], path[80];
    assert_int_equal(fclose(shop->program), 0);
    (void)snprintf(command, sizeof command,
                   "cd %s && cc -std=c99 -pedantic -Wall -Wextra -Werror -O1 -o program "
                   "program.c -lm && ./program > out",
                   shop->directory);
    if (system(command) != 0) fail_msg("the exported header failed: %s", command);
    join(shop, "out", path);
    FILE *output = fopen(path, "r");
    assert_non_null(output);
    return output;
}

static void close_workshop(workshop *shop, FILE *output)
{
    static const char *const files[] = {"model.h", "program.c", "program", "out"};
    assert_int_equal(fclose(output), 0);
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        char path[80];
        join(shop, files[i], path);
        assert_int_equal(unlink(path), 0);
    }
    assert_int_equal(rmdir(shop->directory), 0);
}

static double next_uniform(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return ldexp((double)(*state >> 11), -53);
}

/* A double as C text: also what is no number. */
static const char *literal(double value, char buffer[SOT_DOUBLE_TEXT_BYTES])
{
    if (isnan(value)) return "NAN";
    if (isinf(value)) return value > 0.0 ? "INFINITY" : "-INFINITY";
    sot_format_hex(value, buffer);
    return buffer;
}

static void expect(FILE *output, double probability, size_t row)
{
    double printed;
    int predicted;
    assert_int_equal(fscanf(output, "%la %d", &printed, &predicted), 2);
    if (memcmp(&printed, &probability, sizeof printed) != 0)
        fail_msg("row %zu: the header says %a, the library %a", row, printed,
                 probability);
    assert_int_equal(predicted, probability >= 0.5);
}

/* ---- matrices ---- */

enum { MATRIX_ROWS = 3000, FEATURES = MODEL_MATRIX_DIMENSION };

static double rows[MATRIX_ROWS][FEATURES];

static const sotto_array matrix = {.data = rows,
                                   .element = SOTTO_FLOAT64,
                                   .rows = MATRIX_ROWS,
                                   .columns = FEATURES,
                                   .row_stride_bytes = sizeof rows[0],
                                   .column_stride_bytes = sizeof(double)};

/* Rows of all sizes, also what is no number, in `rows` and in the program. */
static void write_rows(workshop *shop)
{
    uint64_t random = 41;
    (void)fprintf(shop->program, "static const double rows[][%d] = {\n", FEATURES);
    for (size_t i = 0; i < MATRIX_ROWS; i++) {
        (void)fprintf(shop->program, "{");
        for (size_t j = 0; j < FEATURES; j++) {
            char text[SOT_DOUBLE_TEXT_BYTES];
            const double draw = next_uniform(&random);
            double value = ldexp(next_uniform(&random) - 0.5, (int)(i % 9) - 4);
            if (draw < 0.3) value = 0.0;
            if (draw > 0.97)
                value = ldexp(value, (int)(2000.0 * next_uniform(&random)) - 1000);
            if (draw > 0.99) value = (double)NAN;
            if (draw > 0.995) value = copysign((double)INFINITY, value);
            rows[i][j] = value;
            (void)fprintf(shop->program, "%s,", literal(value, text));
        }
        (void)fprintf(shop->program, "},\n");
    }
    (void)fprintf(shop->program, "};\n");
}

static void check_matrix(const char *schema, bool with_intercept)
{
    static double probabilities[MATRIX_ROWS][2];
    const double coefficients[FEATURES + 1] = {3.25, -5.5, 0.1, -1e3, 1e-9, 17.0, 0.375};
    sot_model_content content = model_matrix_content();
    content.schema_json = schema;
    content.coefficients = coefficients;
    content.dimension = FEATURES + (with_intercept ? 1 : 0);
    sotto_model *model = model_of(&content);
    workshop shop;
    open_workshop(&shop, model, "m");
    write_rows(&shop);
    (void)fprintf(shop.program,
                  "int main(void)\n{\nfor (int i = 0; i < %d; i++)\n"
                  "printf(\"%%a %%d\\n\", m_probability(rows[i]), m_predict(rows[i]));\n"
                  "return m_classes[1][0] != '1';\n}\n",
                  MATRIX_ROWS);
    sotto_error error;
    assert_ok(sotto_model_predict(model, &matrix, &probabilities[0][0], &error), &error);
    FILE *output = run_workshop(&shop);
    for (size_t i = 0; i < MATRIX_ROWS; i++)
        expect(output, probabilities[i][1], i);
    close_workshop(&shop, output);
    sotto_model_free(model);
}

static void scaled_matrix_rows_agree_to_the_bit(void **state)
{
    (void)state;
    check_matrix(MODEL_MATRIX, false);
}

static void clipped_matrix_rows_agree_to_the_bit(void **state)
{
    (void)state;
    check_matrix("{\"features\": 6, \"labels\": [-1, 1], \"intercept\": 0.7, "
                 "\"row_norm\": {\"bound\": 1.3, \"rule\": \"clip\"}}",
                 true);
}

static void rows_of_bounded_numbers_agree_to_the_bit(void **state)
{
    (void)state;
    check_matrix("{\"features\": 6, \"labels\": [-1, 1], \"intercept\": 0.7, "
                 "\"numbers\": {\"lower\": -0.3, \"upper\": 1.1, \"missing\": 0.2}}",
                 true);
    check_matrix("{\"features\": 6, \"labels\": [-1, 1], \"numbers\": {\"lower\": 0, "
                 "\"upper\": 0.7, \"scale\": \"unit\"}, \"row_norm\": {\"bound\": 1.3, "
                 "\"rule\": \"clip\"}}",
                 false);
}

/* ---- the other kinds ---- */

#define TAIL ", \"intercept\": 0.7, \"row_norm\": {\"bound\": 1.3, \"rule\": \"clip\"}}"

enum { DRAWS = 3 };
static const char *const labels[] = {"0", "1", "2"};

static const struct {
    const char *kind, *schema;
    size_t classes, outputs;
    const char
        *program; /* prints the outputs of row i, and the class where there is one */
} kinds[] = {
    {"logistic", "{\"features\": 6, \"labels\": [0, 1]" TAIL, 2, 2,
     "{ const double p = m_probability(rows[i]);"
     " printf(\"%a %d\\n\", p, m_predict(rows[i])); }"},
    {"svm", "{\"features\": 6, \"labels\": [0, 1]" TAIL, 2, 1,
     "printf(\"%a %d\\n\", m_score(rows[i]), m_predict(rows[i]));"},
    {"linear", "{\"features\": 6, \"target\": {\"lower\": -3, \"upper\": 17.3}" TAIL, 0,
     1, "printf(\"%a 0\\n\", m_predict(rows[i]));"},
    {"poisson", "{\"features\": 6, \"target\": {\"lower\": 0, \"upper\": 50}" TAIL, 0, 1,
     "printf(\"%a 0\\n\", m_predict(rows[i]));"},
    {"softmax", "{\"features\": 6, \"labels\": [0, 1]" TAIL, 2, 2,
     "{ double p[2]; m_probabilities(rows[i], p);"
     " printf(\"%a %a %d\\n\", p[0], p[1], m_predict(rows[i])); }"},
    {"softmax", "{\"features\": 6, \"labels\": [0, 1, 2]" TAIL, 3, 3,
     "{ double p[3]; m_probabilities(rows[i], p);"
     " printf(\"%a %a %a %d\\n\", p[0], p[1], p[2], m_predict(rows[i])); }"},
};

/* The class that the outputs mean. */
static int class_of(size_t kind, const double *outputs)
{
    if (kinds[kind].classes == 0) return 0;
    if (kinds[kind].outputs == 1) return outputs[0] >= 0.0;
    if (kinds[kind].outputs == 2) return outputs[1] >= 0.5;
    int best = 0;
    for (int k = 1; k < 3; k++)
        if (outputs[k] > outputs[best]) best = k;
    return best;
}

static void check_kind(size_t kind, size_t draws)
{
    static double outputs[MATRIX_ROWS * 3];
    double coefficients[DRAWS * 3 * (FEATURES + 1)];
    uint64_t random = 47;
    for (size_t j = 0; j < sizeof coefficients / sizeof coefficients[0]; j++)
        coefficients[j] = 9.0 * (next_uniform(&random) - 0.5);
    sot_model_content content = model_matrix_content();
    content.model = kinds[kind].kind;
    content.schema_json = kinds[kind].schema;
    content.coefficients = coefficients;
    content.draws = draws;
    content.sampler = draws > 1 ? "proximal" : NULL;
    content.dimension = FEATURES + 1;
    content.classes = labels;
    content.class_count = kinds[kind].classes;
    content.margins = strcmp(kinds[kind].kind, "softmax") == 0 ? kinds[kind].classes : 1;
    sotto_model *model = model_of(&content);
    workshop shop;
    open_workshop(&shop, model, "m");
    write_rows(&shop);
    (void)fprintf(shop.program,
                  "int main(void)\n{\nfor (int i = 0; i < %d; i++)\n%s\nreturn 0;\n}\n",
                  MATRIX_ROWS, kinds[kind].program);
    sotto_error error;
    assert_ok(sotto_model_predict(model, &matrix, outputs, &error), &error);
    FILE *output = run_workshop(&shop);
    for (size_t i = 0; i < MATRIX_ROWS; i++) {
        const double *found = outputs + i * kinds[kind].outputs;
        int predicted;
        /* Of a logistic model the header tells the second probability alone. */
        const bool second = strcmp(kinds[kind].kind, "logistic") == 0;
        for (size_t k = second ? 1 : 0; k < kinds[kind].outputs; k++) {
            double printed;
            assert_int_equal(fscanf(output, "%la", &printed), 1);
            if (memcmp(&printed, &found[k], sizeof printed) != 0)
                fail_msg("%s, row %zu: the header says %a, the library %a",
                         kinds[kind].kind, i, printed, found[k]);
        }
        assert_int_equal(fscanf(output, "%d", &predicted), 1);
        assert_int_equal(predicted, class_of(kind, found));
    }
    close_workshop(&shop, output);
    sotto_model_free(model);
}

static void every_kind_agrees_to_the_bit(void **state)
{
    (void)state;
    for (size_t kind = 0; kind < sizeof kinds / sizeof kinds[0]; kind++)
        if (strcmp(kinds[kind].kind, "logistic") != 0) /* the matrices above */
            check_kind(kind, 1);
}

static void the_mean_of_draws_agrees_to_the_bit(void **state)
{
    (void)state;
    for (size_t kind = 0; kind < sizeof kinds / sizeof kinds[0]; kind++)
        if (strcmp(kinds[kind].kind, "poisson") != 0 &&
            !(kinds[kind].classes == 2 && strcmp(kinds[kind].kind, "softmax") == 0))
            check_kind(kind, DRAWS);
}

static void more_scores_than_a_stack_holds_are_refused(void **state)
{
    (void)state;
    enum { CLASSES = 20, MANY = SOT_MODEL_DRAWS_MAX };
    static double zeros[MANY * CLASSES];
    static const char *names[CLASSES];
    static char numbers[CLASSES][4];
    char schema[400] = "{\"features\": 1, \"intercept\": 0, \"row_norm\": {\"bound\": 1, "
                       "\"rule\": \"clip\"}, \"labels\": [";
    for (size_t k = 0; k < CLASSES; k++) {
        (void)snprintf(numbers[k], sizeof numbers[k], "%zu", k);
        names[k] = numbers[k];
        (void)strcat(strcat(schema, k == 0 ? "" : ", "), numbers[k]);
    }
    (void)strcat(schema, "]}");
    sot_model_content content = model_matrix_content();
    content.model = "softmax";
    content.schema_json = schema;
    content.coefficients = zeros;
    content.dimension = 1;
    content.classes = names;
    content.class_count = content.margins = CLASSES;
    content.draws = MANY;
    content.sampler = "proximal";
    sotto_model *model = model_of(&content);
    char *text = NULL;
    sotto_error error;
    assert_refused(sotto_model_export_c(model, "m", &text, &error), SOTTO_UNSUPPORTED,
                   &error, "1000 posterior samples with 20 scores", "16384", NULL);
    sotto_model_free(model);
}

/* ---- tables ---- */

enum { TABLE_ROWS = 2000 };

/* Names that are no names in C, and categories that are not plain text. */
#define HARD_COLUMNS                                                                     \
    "\"columns\": ["                                                                     \
    "{\"name\": \"double\", \"type\": \"number\", \"lower\": -3, \"upper\": 17.3, "      \
    "\"missing\": 1.1}, "                                                                \
    "{\"name\": \"*/ town ?\", \"type\": \"category\", "                                 \
    "\"values\": [\"a\\\"b\\\\\", \"?\?/\", \"Malm\\u00f6 1\", \"\\u00f61\"], "          \
    "\"missing\": \"?\?/\"}, "                                                           \
    "{\"name\": \"y\", \"type\": \"category\", \"values\": [\"no\", \"yes\"]}, "         \
    "{\"name\": \"_a_2\", \"type\": \"boolean\", \"missing\": true}, "                   \
    "{\"name\": \"count\", \"type\": \"integer\", \"lower\": 0, \"upper\": 9, "          \
    "\"scale\": \"unit\"}, "                                                             \
    "{\"name\": \"who\", \"type\": \"id\"}, "                                            \
    "{\"name\": \"raw\", \"type\": \"number\", \"lower\": -2, \"upper\": 5, "            \
    "\"scale\": {\"center\": 0.3, \"width\": 1.7}}]}"

static const char *const hard_features[] = {"double",
                                            "*/ town ?=a\"b\\",
                                            "*/ town ?=?\?/",
                                            "*/ town ?=Malm\xc3\xb6 1",
                                            "*/ town ?=\xc3\xb6"
                                            "1",
                                            "_a_2",
                                            "count",
                                            "raw",
                                            "(intercept)"};
enum { HARD_DIMENSION = sizeof hard_features / sizeof hard_features[0] };

static void write_table_program(workshop *shop, double (*cells)[7])
{
    static const char *const towns[] = {"\"a\\\"b\\\\\"", "\"?\" \"?/\"",
                                        "\"Malm\\303\\2661\" + 0", "\"\\303\\2661\"",
                                        "NULL"};
    static const double place_of[] = {0, 1, 1, 3, NAN}; /* the third is a near miss */
    uint64_t random = 43;
    (void)fprintf(shop->program, "int main(void)\n{\nconst long_name_row rows[] = {\n");
    for (size_t i = 0; i < TABLE_ROWS; i++) {
        char first[SOT_DOUBLE_TEXT_BYTES], second[SOT_DOUBLE_TEXT_BYTES],
            third[SOT_DOUBLE_TEXT_BYTES];
        const double draw = next_uniform(&random);
        const size_t town = (size_t)(5.0 * next_uniform(&random));
        const int flag = (int)(4.0 * next_uniform(&random)) - 1;
        cells[i][0] = 30.0 * next_uniform(&random) - 7.0;
        cells[i][1] = place_of[town];
        cells[i][2] = (double)NAN;
        cells[i][3] = flag;
        cells[i][4] = floor(30.0 * next_uniform(&random)) / 2.0;
        cells[i][5] = 0.0;
        cells[i][6] = 9.0 * next_uniform(&random) - 3.0;
        if (draw < 0.05) cells[i][0] = (double)NAN;
        if (draw < 0.03) cells[i][4] = (double)INFINITY;
        if (draw < 0.02) cells[i][6] = -(double)INFINITY;
        (void)fprintf(shop->program, "{%s, %s, %d, %s, %s},\n",
                      literal(cells[i][0], first), towns[town], flag,
                      literal(cells[i][4], second), literal(cells[i][6], third));
    }
    (void)fprintf(shop->program,
                  "};\nfor (int i = 0; i < %d; i++)\nprintf(\"%%a %%d\\n\", "
                  "long_name_probability(&rows[i]), long_name_predict(&rows[i]));\n"
                  "return rows[0].double_1 > 99.0 || rows[0].c_a_2_3 > 99;\n}\n",
                  TABLE_ROWS);
}

static void check_content(sot_model_content content)
{
    static double cells[TABLE_ROWS][7], probabilities[TABLE_ROWS][2];
    const char *const classes[] = {"no", "yes"};
    content.classes = classes;
    sotto_model *model = model_of(&content);
    workshop shop;
    open_workshop(&shop, model, "long_name");
    write_table_program(&shop, cells);
    const sotto_array table = {.data = cells,
                               .element = SOTTO_FLOAT64,
                               .rows = TABLE_ROWS,
                               .columns = 7,
                               .row_stride_bytes = sizeof cells[0],
                               .column_stride_bytes = sizeof(double)};
    sotto_error error;
    assert_ok(sotto_model_predict(model, &table, &probabilities[0][0], &error), &error);
    FILE *output = run_workshop(&shop);
    for (size_t i = 0; i < TABLE_ROWS; i++)
        expect(output, probabilities[i][1], i);
    close_workshop(&shop, output);
    sotto_model_free(model);
}

static void check_table(const char *schema)
{
    const double coefficients[HARD_DIMENSION] = {1.5,  -0.7, 0.3,  2.25, 0.1,
                                                 -1.1, 3.5,  -0.9, 0.45};
    sot_model_content content = model_table_content();
    content.schema_json = schema;
    content.features = hard_features;
    content.coefficients = coefficients;
    content.dimension = HARD_DIMENSION;
    check_content(content);
}

/* The look-ups of an additive model, for numbers with and without edges, small integers, categories and booleans. */
static void check_additive(sotto_basis basis, const char *schema)
{
    enum { COEFFICIENTS_MOST = 400 };
    const sot_bins_rule rule = {basis, 7};
    const sot_model_setting settings[] = {
        {.name = "basis", .word = sotto_basis_name(basis)},
        {.name = "bins", .value = 7.0}};
    double coefficients[COEFFICIENTS_MOST];
    const char *features[COEFFICIENTS_MOST];
    uint64_t random = 48;
    sotto_schema *parsed = NULL;
    sot_encoding *encoding = NULL;
    sotto_error error;
    assert_ok(sotto_schema_parse("s", schema, strlen(schema), &parsed, &error), &error);
    assert_ok(sot_encoding_new_blocks(parsed, NULL, SOT_TARGET_CLASSES, &rule, &encoding,
                                      &error),
              &error);
    const size_t dimension = sot_encoding_dimension(encoding);
    assert_true(dimension <= COEFFICIENTS_MOST);
    for (size_t i = 0; i < dimension; i++) {
        coefficients[i] = 5.0 * (next_uniform(&random) - 0.5);
        features[i] = sot_encoding_feature(encoding, i);
    }
    sot_model_content content = model_table_content();
    content.model = "additive";
    content.schema_json = schema;
    content.features = features;
    content.coefficients = coefficients;
    content.dimension = dimension;
    content.settings = settings;
    check_content(content);
    sot_encoding_free(encoding);
    sotto_schema_free(parsed);
}

static void additive_tables_agree_to_the_bit(void **state)
{
    (void)state;
    static const char plain[] = "{\"target\": \"y\", \"intercept\": 0.3, " HARD_COLUMNS;
    static const char pairs[] =
        "{\"target\": \"y\", \"interactions\": [[\"double\", \"*/ town ?\"], "
        "[\"_a_2\", \"count\"], [\"raw\", \"double\"]], " HARD_COLUMNS;
    check_additive(SOTTO_BASIS_BINS, plain);
    check_additive(SOTTO_BASIS_STEPS, plain);
    check_additive(SOTTO_BASIS_BINS, pairs);
    check_additive(SOTTO_BASIS_MIXED, pairs);
}

/* Every combination of three booleans, two of them exclusive, with values that are neither 0 nor 1. */
static void check_exclusive(bool additive)
{
    enum { VALUES = 4, ROWS = VALUES * VALUES * VALUES };
    static const char schema[] =
        "{\"target\": \"y\", \"exclusive\": [[\"q\", \"p\"]], \"columns\": ["
        "{\"name\": \"p\", \"type\": \"boolean\"}, {\"name\": \"y\", \"type\": "
        "\"category\", \"values\": [\"no\", \"yes\"]}, {\"name\": \"q\", \"type\": "
        "\"boolean\"}, {\"name\": \"s\", \"type\": \"boolean\", \"missing\": true}]}";
    static const char *const names[] = {"q ... p=q", "q ... p=p", "q ... p=none of them",
                                        "s=false",   "s=true",    "(intercept)"};
    static const char *const straight[] = {"q", "p", "s", "(intercept)"};
    static const double numbers[] = {1.0, -2.0, 0.5, 3.0, 0.25, 0.125};
    static const sot_model_setting settings[] = {{.name = "basis", .word = "bins"},
                                                 {.name = "bins", .value = 7.0}};
    static double cells[ROWS][4], probabilities[ROWS][2];
    const char *const classes[] = {"no", "yes"};
    sot_model_content content = model_table_content();
    content.schema_json = schema;
    content.classes = classes;
    content.features = additive ? names : straight;
    content.coefficients = numbers;
    content.dimension = additive ? 6 : 4;
    if (additive) {
        content.model = "additive";
        content.settings = settings;
        content.setting_count = 2;
    }
    sotto_model *model = model_of(&content);
    workshop shop;
    sotto_error error;
    open_workshop(&shop, model, "long_name");
    (void)fprintf(shop.program, "int main(void)\n{\nconst long_name_row rows[] = {\n");
    for (int i = 0; i < ROWS; i++) {
        const int p = i % VALUES - 1, q = i / VALUES % VALUES - 1,
                  r = i / VALUES / VALUES - 1;
        const double row[] = {p, (double)NAN, q, r};
        memcpy(cells[i], row, sizeof row);
        /* Rows have the order of the schema, and of a straight model that of its features. */
        (void)fprintf(shop.program, "{%d, %d, %d},\n", additive ? p : q, additive ? q : p,
                      r);
    }
    (void)fprintf(shop.program,
                  "};\nfor (int i = 0; i < %d; i++)\nprintf(\"%%a %%d\\n\", "
                  "long_name_probability(&rows[i]), long_name_predict(&rows[i]));\n"
                  "return 0;\n}\n",
                  (int)ROWS);
    const sotto_array table = {.data = cells,
                               .element = SOTTO_FLOAT64,
                               .rows = ROWS,
                               .columns = 4,
                               .row_stride_bytes = sizeof cells[0],
                               .column_stride_bytes = sizeof(double)};
    assert_ok(sotto_model_predict(model, &table, &probabilities[0][0], &error), &error);
    FILE *output = run_workshop(&shop);
    for (size_t i = 0; i < ROWS; i++)
        expect(output, probabilities[i][1], i);
    close_workshop(&shop, output);
    sotto_model_free(model);
}

static void exclusive_booleans_agree_to_the_bit(void **state)
{
    (void)state;
    check_exclusive(true);
    check_exclusive(false);
}

static void table_rows_agree_to_the_bit(void **state)
{
    (void)state;
    check_table("{\"target\": \"y\", " HARD_COLUMNS);
}

static void clipped_table_rows_agree_to_the_bit(void **state)
{
    (void)state;
    check_table(
        "{\"target\": \"y\", \"row_norm\": {\"bound\": 1.45, \"rule\": \"clip\"}, "
        "\"intercept\": 0.3, " HARD_COLUMNS);
}

static void scaled_table_rows_agree_to_the_bit(void **state)
{
    (void)state;
    check_table("{\"target\": \"y\", \"row_norm\": {\"bound\": 1, \"rule\": \"scale\"}, "
                "\"intercept\": 2, " HARD_COLUMNS);
}

/* ---- names ---- */

static void names_that_c_does_not_take_are_refused(void **state)
{
    (void)state;
    static const char *const wrong[] = {
        "", "1st", "a-b", "_x", "a b", "m\xc3\xb6", "a23456789012345678901234567890123"};
    const sot_model_content content = model_table_content();
    sotto_model *model = model_of(&content);
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        char *text = NULL;
        sotto_error error;
        assert_refused(sotto_model_export_c(model, wrong[i], &text, &error),
                       SOTTO_INVALID_ARGUMENT, &error, "name", NULL);
        assert_null(text);
    }
    sotto_model_free(model);
}

static void no_memory_is_an_error_and_not_a_crash(void **state)
{
    (void)state;
    const sot_model_content content = model_table_content();
    sotto_model *model = model_of(&content);
    for (size_t nth = 1;; nth++) {
        char *text = NULL;
        sotto_error error;
        (void)sot_test_fail_allocation(nth);
        const sotto_status status = sotto_model_export_c(model, "m", &text, &error);
        (void)sot_test_fail_allocation(0);
        if (status == SOTTO_OK) {
            assert_true(nth > 3);
            sotto_free(text);
            break;
        }
        assert_int_equal(status, SOTTO_OUT_OF_MEMORY);
        assert_null(text);
    }
    sotto_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scaled_matrix_rows_agree_to_the_bit),
        cmocka_unit_test(clipped_matrix_rows_agree_to_the_bit),
        cmocka_unit_test(rows_of_bounded_numbers_agree_to_the_bit),
        cmocka_unit_test(every_kind_agrees_to_the_bit),
        cmocka_unit_test(the_mean_of_draws_agrees_to_the_bit),
        cmocka_unit_test(more_scores_than_a_stack_holds_are_refused),
        cmocka_unit_test(table_rows_agree_to_the_bit),
        cmocka_unit_test(clipped_table_rows_agree_to_the_bit),
        cmocka_unit_test(scaled_table_rows_agree_to_the_bit),
        cmocka_unit_test(additive_tables_agree_to_the_bit),
        cmocka_unit_test(exclusive_booleans_agree_to_the_bit),
        cmocka_unit_test(names_that_c_does_not_take_are_refused),
        cmocka_unit_test(no_memory_is_an_error_and_not_a_crash),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
