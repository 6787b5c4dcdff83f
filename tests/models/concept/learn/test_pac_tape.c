/* Learners of finite classes on a small table, from the file to the released numbers: what an onlooker sees on neighbours. */
#include "pac_scene.h"

#include "tape.h"

static const char *const towns[] = {"Lund", "Ystad", NULL};
static const char *const answers[] = {"no", "yes", NULL};

static const tape_column columns[] = {{"age", 18.0, 90.0, NULL},
                                      {"weight", 0.0, 4.0, NULL},
                                      {"dose", -1.0, 1.0, NULL},
                                      {"town", 0.0, 0.0, towns},
                                      {"ill", 0.0, 0.0, answers}};
enum { COLUMNS = sizeof columns / sizeof columns[0] };

static const char schema_text[] =
    "{\"target\": \"ill\", \"columns\": ["
    "{\"name\": \"age\", \"type\": \"number\", \"lower\": 18, \"upper\": 90},"
    "{\"name\": \"weight\", \"type\": \"number\", \"lower\": 0, \"upper\": 4},"
    "{\"name\": \"dose\", \"type\": \"number\", \"lower\": -1, \"upper\": 1},"
    "{\"name\": \"town\", \"type\": \"category\", \"values\": [\"Lund\", \"Ystad\"]},"
    "{\"name\": \"ill\", \"type\": \"category\", \"values\": [\"no\", \"yes\"]}]}";

typedef struct study_context {
    const char *class;
    sotto_train_config config;
} study_context;

/* Reads, learns, and writes what it learned to a file and to standard output. */
static sotto_status learn_from_file(const study_context *with, const sotto_schema *schema,
                                    const tape_place *place, sotto_error *error)
{
    pac_scene at = {0};
    sot_concept_class *class = NULL;
    sot_encoding *encoding = NULL;
    sot_source *source = NULL;
    sot_matrix *matrix = NULL;
    sotto_rng *rng = NULL;
    double numbers[NUMBERS_MOST] = {0};
    sotto_status status = sot_concept_class_new(schema, NULL, with->class, &class, error);
    if (status == SOTTO_OK) status = pac_scene_begin(&at, class, with->config, 1, error);
    if (status == SOTTO_OK)
        status = sot_encoding_new_cells(schema, NULL, class->grids, class->features,
                                        &encoding, error);
    if (status == SOTTO_OK) status = sotto_rng_new_for_test(2, &rng, error);
    if (status == SOTTO_OK)
        status = sot_source_open_file(place->input_path, schema, false, &source, error);
    if (status == SOTTO_OK)
        status = sot_matrix_load(source, schema, encoding, rng, &matrix, error);
    if (status == SOTTO_OK) status = pac_learn(&at, matrix, 3, 1, numbers, error);
    if (status == SOTTO_OK) {
        char text[SOT_CONCEPT_TEXT_BYTES];
        sot_concept_text(class, numbers, text, sizeof text);
        printf("%s\n", text);
    }
    sot_matrix_free(matrix);
    sot_source_close(source);
    sotto_rng_free(rng);
    sot_encoding_free(encoding);
    sot_learner_free(at.learner);
    return status;
}

static int run(const tape_table *table, const tape_place *place, void *context)
{
    (void)table;
    sotto_error error = {0};
    sotto_schema *schema = NULL;
    sotto_status status =
        sotto_schema_parse("test", schema_text, strlen(schema_text), &schema, &error);
    if (status == SOTTO_OK) status = learn_from_file(context, schema, place, &error);
    if (status != SOTTO_OK) fprintf(stderr, "%s\n", error.message);
    sotto_schema_free(schema);
    return status == SOTTO_OK ? 0 : 1;
}

static const char *check(const char *class, sotto_method method,
                         sotto_adjacency adjacency)
{
    study_context with = {.class = class, .config = pac_config(method, 0.75, adjacency)};
    const tape_study study = {
        .run = run, .context = &with, .columns = columns, .column_count = COLUMNS};
    tape_table *table = tape_table_new(columns, COLUMNS, 3, 1);
    int exit_code = 1;
    const size_t releases = tape_releases(&study, table, &exit_code);
    tape_table_free(table);
    assert_int_equal(exit_code, 0);
    assert_int_equal(
        releases,
        strstr(class, "\"dose\"") != NULL && strstr(class, "rectangles") != NULL ? 3 : 1);
    return tape_check_neighbours(&study, adjacency);
}

static const char thresholds[] =
    "{\"class\": \"thresholds\", \"columns\": [\"age\"], \"bits\": 32, \"both\": true}";
static const char intervals[] =
    "{\"class\": \"intervals\", \"columns\": [\"weight\"], \"bits\": 32}";
static const char stumps[] =
    "{\"class\": \"stumps\", \"columns\": [\"age\", \"weight\"], \"bits\": 6}";
static const char two[] =
    "{\"class\": \"rectangles\", \"columns\": [\"age\", \"weight\"], \"bits\": 3}";
static const char three[] =
    "{\"class\": \"rectangles\", \"columns\": [\"age\", \"weight\", "
    "\"dose\"], \"bits\": 16}";
static const char few[] = "{\"class\": \"rectangles\", \"columns\": [\"age\", "
                          "\"weight\", \"dose\"], \"bits\": 3}";
static const char narrow[] =
    "{\"class\": \"intervals\", \"columns\": [\"weight\"], \"bits\": 4}";

static const struct {
    const char *class;
    sotto_method method;
} studies[] = {
    {thresholds, SOTTO_METHOD_EXPONENTIAL},
    {intervals, SOTTO_METHOD_EXPONENTIAL},
    {stumps, SOTTO_METHOD_EXPONENTIAL},
    {two, SOTTO_METHOD_EXPONENTIAL},
    {three, SOTTO_METHOD_EXPONENTIAL},
    {"conjunctions", SOTTO_METHOD_EXPONENTIAL},
    {"parities", SOTTO_METHOD_EXPONENTIAL},
    {"candidates", SOTTO_METHOD_EXPONENTIAL},
    {stumps, SOTTO_METHOD_PERMUTE_AND_FLIP},
    {two, SOTTO_METHOD_PERMUTE_AND_FLIP},
    {few, SOTTO_METHOD_PERMUTE_AND_FLIP},
    {"conjunctions", SOTTO_METHOD_PERMUTE_AND_FLIP},
    {stumps, SOTTO_METHOD_LAPLACE},
    {narrow, SOTTO_METHOD_LAPLACE},
    {few, SOTTO_METHOD_LAPLACE},
    {"parities", SOTTO_METHOD_LAPLACE},
    {"candidates", SOTTO_METHOD_LAPLACE},
};

static void neighbours_look_alike_but_for_what_is_paid(void **state)
{
    (void)state;
    const sotto_adjacency adjacencies[] = {SOTTO_ADD_REMOVE, SOTTO_REPLACE_ONE};
    for (size_t i = 0; i < sizeof studies / sizeof studies[0]; i++) {
        for (size_t k = 0; k < 2; k++) {
            /* Lists are scored like the rest, and priced by the same settings: one kind of neighbours each. */
            if (studies[i].method != SOTTO_METHOD_EXPONENTIAL && k != i % 2) continue;
            const char *leak = check(studies[i].class, studies[i].method, adjacencies[k]);
            if (leak != NULL)
                fail_msg("%s, %s: %s", studies[i].class,
                         sotto_adjacency_name(adjacencies[k]), leak);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(neighbours_look_alike_but_for_what_is_paid),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
