/* Shadow models of everything that a model file can hold: networks, images, concepts, several draws. Data is invented, with as much chance in the
 * labels as law, so that a model that fits them remembers. Seeds are fixed: what is seen once is seen always. */
#include "support.h"

#include <unistd.h>

#include <sotto/audit_model.h>
#include <sotto/train.h>

#include "artifact/model_file/model.h"
#include "base/memory.h"
#include "commands/audit/model_scores.h"

enum { ROWS = 80, FEATURES = 13, SIDE = 4, SETS = 3 };

#define MATRIX                                                                           \
    "{\"features\": 13, \"labels\": [-1, 1], \"row_norm\": {\"bound\": 1.0, "            \
    "\"rule\": \"scale\"}}"
#define BITS                                                                             \
    "{\"features\": 13, \"labels\": [-1, 1], \"numbers\": {\"lower\": -4, \"upper\": "   \
    "4}, \"row_norm\": {\"bound\": 1.0, \"rule\": \"scale\"}}"
#define NUMBERS                                                                          \
    "{\"features\": 13, \"target\": {\"lower\": 0, \"upper\": 8}, \"row_norm\": "        \
    "{\"bound\": 1.0, \"rule\": \"scale\"}}"
#define IMAGES                                                                           \
    "{\"shape\": [4, 4], \"labels\": [0, 1, 2], \"numbers\": {\"lower\": 0, \"upper\": " \
    "255, \"scale\": \"unit\"}}"

#define NET(layers)                                                                      \
    "{\"kind\": \"network\", \"version\": 1, \"layers\": [" layers                       \
    "{\"type\": \"dense\", \"units\": \"outputs\"}]}"
#define HIDDEN "{\"type\": \"dense\", \"units\": 16}, {\"type\": \"tanh\"}, "
#define CONVOLVED                                                                        \
    "{\"type\": \"data-norm\", \"clip\": 1, \"clip_squares\": 1, \"noise\": 40}, "       \
    "{\"type\": \"conv2d\", \"channels\": 6, \"kernel\": 3}, {\"type\": \"tanh\"}, "     \
    "{\"type\": \"flatten\"}, "

/* Three sets of rows of one law: members, others, and strangers that only a stranger's model saw. */
typedef struct scene {
    char folder[32];
    char rows[SETS][64];   /* LIBSVM, two classes */
    char counts[SETS][64]; /* LIBSVM, whole numbers from 0 to 8 */
    char images[SETS][64], labels[SETS][64];
} scene;

/* ---- invented rows ---- */

static uint64_t next(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *state >> 33;
}

static double uniform(uint64_t *state)
{
    return (double)next(state) / 0x1p31 * 2.0 - 1.0;
}

static void write_rows(const scene *at, int set)
{
    uint64_t state = 77 + (uint64_t)set;
    FILE *rows = fopen(at->rows[set], "w"), *counts = fopen(at->counts[set], "w");
    assert_non_null(rows);
    assert_non_null(counts);
    for (int i = 0; i < ROWS; i++) {
        double x[FEATURES], score = 2.0 * uniform(&state);
        for (int j = 0; j < FEATURES; j++)
            x[j] = uniform(&state);
        score += x[0] + x[1];
        (void)fprintf(rows, "%d", score > 0.0 ? 1 : -1);
        (void)fprintf(counts, "%d", (int)fmin(8.0, fmax(0.0, floor(3.0 + 1.5 * score))));
        for (int j = 0; j < FEATURES; j++) {
            (void)fprintf(rows, " %d:%.6f", j + 1, x[j]);
            (void)fprintf(counts, " %d:%.6f", j + 1, x[j]);
        }
        (void)fputc('\n', rows);
        (void)fputc('\n', counts);
    }
    assert_int_equal(fclose(rows), 0);
    assert_int_equal(fclose(counts), 0);
}

/* Noise, with labels that are noise too: all that can be learned of them is by heart. */
static void write_images(const scene *at, int set)
{
    const unsigned char head[] = {0, 0, 8, 3,    0, 0, 0, ROWS,
                                  0, 0, 0, SIDE, 0, 0, 0, SIDE};
    const unsigned char label_head[] = {0, 0, 8, 1, 0, 0, 0, ROWS};
    uint64_t state = 99 + (uint64_t)set;
    FILE *images = fopen(at->images[set], "wb"), *labels = fopen(at->labels[set], "wb");
    assert_non_null(images);
    assert_non_null(labels);
    assert_int_equal(fwrite(head, 1, sizeof head, images), sizeof head);
    assert_int_equal(fwrite(label_head, 1, sizeof label_head, labels), sizeof label_head);
    for (int i = 0; i < ROWS; i++) {
        (void)fputc((int)(next(&state) % 3), labels);
        for (int j = 0; j < SIDE * SIDE; j++)
            (void)fputc((int)(next(&state) % 256), images);
    }
    assert_int_equal(fclose(images), 0);
    assert_int_equal(fclose(labels), 0);
}

static int make_scene(void **state)
{
    scene *at = calloc(1, sizeof *at);
    assert_non_null(at);
    char folder[] = "/tmp/sotto-shadows-XXXXXX";
    assert_non_null(mkdtemp(folder));
    memcpy(at->folder, folder, sizeof folder);
    for (int i = 0; i < SETS; i++) {
        (void)snprintf(at->rows[i], sizeof at->rows[i], "%s/%d.svm", folder, i);
        (void)snprintf(at->counts[i], sizeof at->counts[i], "%s/n%d.svm", folder, i);
        (void)snprintf(at->images[i], sizeof at->images[i], "%s/%d-idx3-ubyte", folder,
                       i);
        (void)snprintf(at->labels[i], sizeof at->labels[i], "%s/%d-idx1-ubyte", folder,
                       i);
        write_rows(at, i);
        write_images(at, i);
    }
    *state = at;
    return 0;
}

static int remove_scene(void **state)
{
    scene *at = *state;
    for (int i = 0; i < SETS; i++) {
        (void)remove(at->rows[i]);
        (void)remove(at->counts[i]);
        (void)remove(at->images[i]);
        (void)remove(at->labels[i]);
    }
    assert_int_equal(rmdir(at->folder), 0);
    free(at);
    return 0;
}

/* ---- models and attacks ---- */

static sotto_train_config plain(sotto_model_kind kind)
{
    sotto_train_config config = sotto_train_defaults();
    config.model = kind;
    config.method = SOTTO_METHOD_NONE;
    config.data_is_public = true;
    config.threads = 1;
    return config;
}

/* Enough passes to know every row by heart. */
static sotto_train_config network(const char *description)
{
    sotto_train_config config = plain(SOTTO_MODEL_NETWORK);
    config.network = description;
    config.epochs = 150.0;
    config.batch = 20;
    config.learning_rate = 0.2;
    return config;
}

static sotto_model *parse(const char *json)
{
    sotto_error error;
    sotto_model *model = NULL;
    assert_ok(sotto_model_parse("model", json, strlen(json), &model, &error), &error);
    return model;
}

static sotto_model *train(const sotto_train_config *config, const char *schema_json,
                          const char *rows, const char *labels)
{
    sotto_error error;
    sotto_schema *schema = NULL;
    sotto_train_result *result = NULL;
    const sotto_data_file file = {.path = rows, .labels = labels};
    assert_ok(
        sotto_schema_parse("schema", schema_json, strlen(schema_json), &schema, &error),
        &error);
    assert_ok(sotto_train_data(config, schema, &file, &result, &error), &error);
    sotto_model *model = parse(sotto_train_json(result));
    sotto_train_free(result);
    sotto_schema_free(schema);
    return model;
}

static sotto_membership_config attack_config(const scene *at,
                                             const sotto_train_config *shadow)
{
    sotto_membership_config config = sotto_membership_defaults();
    config.members.path = at->rows[0];
    config.others.path = at->rows[1];
    config.shadows = 16;
    config.shadow = shadow;
    config.insecure_test = true;
    config.test_seed = 3;
    config.threads = 2;
    return config;
}

/* The area under LiRA's ROC. */
static double area_of(const sotto_model *model, const sotto_membership_config *config)
{
    sotto_error error;
    sotto_membership *found = NULL;
    assert_ok(sotto_membership_of(model, config, &found, &error), &error);
    assert_int_equal(sotto_membership_size(found), 2);
    const double area = sotto_membership_at(found, 1)->area;
    sotto_membership_free(found);
    return area;
}

/* ---- networks ---- */

static void rows_that_a_network_remembers_are_told_apart(void **state)
{
    const scene *at = *state;
    const sotto_train_config trained = network(NET(HIDDEN));
    sotto_model *model = train(&trained, MATRIX, at->rows[0], NULL);
    sotto_membership_config config = attack_config(at, &trained);
    const double online = area_of(model, &config);
    assert_within(online, 0.7, 1.0);
    config.threads = 1;
    assert_true(area_of(model, &config) == online);
    config.offline = true;
    assert_within(area_of(model, &config), 0.65, 1.0);
    sotto_model_free(model);
}

/* 80 and 80 scores of no information have an area of 1/2 +- 0.046. */
static void rows_that_a_network_never_saw_are_not(void **state)
{
    const scene *at = *state;
    const sotto_train_config trained = network(NET(HIDDEN));
    sotto_model *model = train(&trained, MATRIX, at->rows[2], NULL);
    sotto_membership_config config = attack_config(at, &trained);
    assert_within(area_of(model, &config), 0.36, 0.64);
    config.offline = true;
    assert_within(area_of(model, &config), 0.36, 0.64);
    sotto_model_free(model);
}

/* Images of an IDX file, and a data norm that every shadow measures on its own rows: one after another. */
static void images_are_attacked_as_rows_are(void **state)
{
    const scene *at = *state;
    sotto_train_config trained = network(NET(CONVOLVED));
    trained.epochs = 60.0;
    sotto_model *model = train(&trained, IMAGES, at->images[0], at->labels[0]);
    sotto_membership_config config = attack_config(at, &trained);
    config.members = (sotto_data_file){.path = at->images[0], .labels = at->labels[0]};
    config.others = (sotto_data_file){.path = at->images[1], .labels = at->labels[1]};
    config.shadows = 8;
    const double area = area_of(model, &config);
    assert_within(area, 0.65, 1.0);
    config.threads = 1;
    assert_true(area_of(model, &config) == area);
    sotto_model_free(model);
}

/* What a shadow expects is half of all rows, unless somebody says otherwise. */
static void shadows_of_a_network_may_be_private(void **state)
{
    const scene *at = *state;
    sotto_train_config private = network(NET(HIDDEN));
    private.method = SOTTO_METHOD_SGD;
    private.data_is_public = false;
    private.epsilon = 1.0;
    private.delta = 1e-5;
    private.epochs = SOTTO_UNSET;
    private.steps = 10;
    const sotto_train_config trained = network(NET(HIDDEN));
    sotto_model *model = train(&trained, MATRIX, at->rows[0], NULL);
    sotto_membership_config config = attack_config(at, &private);
    config.shadows = 8;
    assert_within(area_of(model, &config), 0.0, 1.0);
    private.expected_rows = 10; /* fewer than the batch */
    sotto_error error;
    sotto_membership *found = NULL;
    assert_refused(sotto_membership_of(model, &config, &found, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "row count is 10", NULL);
    sotto_model_free(model);
}

/* ---- other models ---- */

/* The best rectangle of two features that mean nothing: labels only, and yet they tell. */
static void concepts_are_attacked_by_their_labels(void **state)
{
    const scene *at = *state;
    sotto_train_config trained = plain(SOTTO_MODEL_CONCEPT);
    trained.concept = "{\"class\": \"rectangles\", \"columns\": [5, 7], \"bits\": 5}";
    sotto_model *model = train(&trained, BITS, at->rows[0], NULL);
    const sotto_train_config shadow = plain(SOTTO_MODEL_CONCEPT);
    sotto_membership_config config = attack_config(at, &shadow);
    config.shadows = 64;
    assert_within(area_of(model, &config), 0.55, 1.0);
    config.offline = true;
    assert_within(area_of(model, &config), 0.55, 1.0);
    sotto_train_config private = sotto_train_defaults();
    private.method = SOTTO_METHOD_EXPONENTIAL;
    private.epsilon = 1.0;
    config.shadow = &private;
    config.shadows = 8;
    assert_within(area_of(model, &config), 0.0, 1.0);
    sotto_model_free(model);
}

/* Shadows are the minimisers of the same loss, or as many draws as the model has. */
static void several_draws_are_attacked_by_their_mean(void **state)
{
    const scene *at = *state;
    sotto_train_config drawn = plain(SOTTO_MODEL_LOGISTIC);
    drawn.method = SOTTO_METHOD_POSTERIOR;
    drawn.data_is_public = false;
    drawn.epsilon = 5.0;
    drawn.delta = 1e-5;
    drawn.draws = 3;
    drawn.insecure_test = true;
    drawn.test_seed = 5;
    sotto_model *model = train(&drawn, MATRIX, at->rows[0], NULL);
    sotto_membership_config config = attack_config(at, NULL);
    config.shadows = 8;
    const double by_minimisers = area_of(model, &config);
    drawn.draws = 0;
    config.shadow = &drawn;
    assert_true(area_of(model, &config) != by_minimisers);
    sotto_model_free(model);
}

/* ---- what a confidence is ---- */

static void assert_same_confidences(const sotto_model *model, const char *rows,
                                    const char *labels)
{
    sotto_error error;
    sotto_rng *rng = NULL;
    sot_source *source = NULL;
    sot_matrix *matrix = NULL;
    sot_confidences read;
    double encoded[ROWS];
    const sotto_data_file file = {.path = rows, .labels = labels};
    assert_ok(sot_confidences_of(model, &file, &read, &error), &error);
    assert_int_equal(read.count, ROWS);
    assert_ok(sotto_rng_new_for_test(1, &rng, &error), &error);
    assert_ok(sot_source_open(&file, model->schema, false, &source, &error), &error);
    assert_ok(
        sot_matrix_load(source, model->schema, model->encoding, rng, &matrix, &error),
        &error);
    assert_int_equal(matrix->rows, ROWS);
    assert_ok(sot_confidences_of_rows(model, matrix, 2, encoded, &error), &error);
    for (size_t i = 0; i < ROWS; i++)
        assert_within(encoded[i], read.values[i] - 1e-4 * (1.0 + fabs(read.values[i])),
                      read.values[i] + 1e-4 * (1.0 + fabs(read.values[i])));
    sot_free(read.values);
    sot_matrix_free(matrix);
    sot_source_close(source);
    sotto_rng_free(rng);
}

/* A shadow is measured as the model under attack is, whatever that predicts: the loss of a file's rows is that of the encoded ones. */
static void encoded_rows_have_the_confidence_of_their_file(void **state)
{
    const scene *at = *state;
    const struct {
        sotto_model_kind kind;
        const char *schema;
        bool counts;
    } kinds[] = {{SOTTO_MODEL_LOGISTIC, MATRIX, false},
                 {SOTTO_MODEL_SVM, MATRIX, false},
                 {SOTTO_MODEL_SOFTMAX, MATRIX, false},
                 {SOTTO_MODEL_LINEAR, NUMBERS, true},
                 {SOTTO_MODEL_POISSON, NUMBERS, true}};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        const char *rows = kinds[i].counts ? at->counts[0] : at->rows[0];
        const sotto_train_config config = plain(kinds[i].kind);
        sotto_model *model = train(&config, kinds[i].schema, rows, NULL);
        assert_same_confidences(model, rows, NULL);
        sotto_model_free(model);
    }
    sotto_train_config config = network(NET(HIDDEN));
    config.epochs = 5.0;
    sotto_model *model = train(&config, NUMBERS, at->counts[0], NULL);
    assert_same_confidences(model, at->counts[0], NULL);
    sotto_model_free(model);
    config.network = NET(CONVOLVED);
    model = train(&config, IMAGES, at->images[0], at->labels[0]);
    assert_same_confidences(model, at->images[0], at->labels[0]);
    sotto_model_free(model);
    config = plain(SOTTO_MODEL_CONCEPT);
    config.concept = "{\"class\": \"stumps\", \"bits\": 4}";
    model = train(&config, BITS, at->rows[0], NULL);
    assert_same_confidences(model, at->rows[0], NULL);
    sotto_model_free(model);
}

/* A network that diverged says nothing, as sotto_model_predict() has it. */
static void what_is_no_number_says_nothing(void **state)
{
    (void)state;
    const double margins[3] = {1.0, NAN, 2.0};
    assert_true(sot_log_odds(margins, 3, 0) == -log(2.0));
    assert_true(sot_log_odds(margins, 3, 1) == -log(2.0));
    const double finite[2] = {1.5, -0.25};
    assert_relative(sot_log_odds(finite, 2, 0), 1.75, 1e-15);
    assert_relative(sot_log_odds(finite, 2, 1), -1.75, 1e-15);
}

/* ---- refusals ---- */

/* The file of a model as a caller's loss would have left it. */
static sotto_model *custom_of(const scene *at)
{
    sotto_error error;
    sotto_schema *schema = NULL;
    sotto_train_result *result = NULL;
    const sotto_train_config config = plain(SOTTO_MODEL_SVM);
    assert_ok(sotto_schema_parse("schema", MATRIX, strlen(MATRIX), &schema, &error),
              &error);
    assert_ok(sotto_train_data(&config, schema,
                               &(const sotto_data_file){.path = at->rows[0]}, &result,
                               &error),
              &error);
    const char *json = sotto_train_json(result);
    static const char svm[] = "\"model\":\"svm\"";
    const char *place = strstr(json, svm);
    assert_non_null(place);
    const size_t size = strlen(json) + 64;
    char *changed = malloc(size);
    assert_non_null(changed);
    (void)snprintf(changed, size, "%.*s\"model\":\"custom\",\"loss\":\"corner\"%s",
                   (int)(place - json), json, place + sizeof svm - 1);
    sotto_model *model = parse(changed);
    free(changed);
    sotto_train_free(result);
    sotto_schema_free(schema);
    return model;
}

static void what_no_shadow_can_be_like_is_refused(void **state)
{
    const scene *at = *state;
    sotto_error error;
    sotto_membership *found = NULL;
    sotto_membership_config config = attack_config(at, NULL);
    sotto_model *model = custom_of(at);
    assert_refused(sotto_membership_of(model, &config, &found, &error), SOTTO_UNSUPPORTED,
                   &error, "no file holds", NULL);
    config.shadows = 0; /* by loss alone */
    assert_ok(sotto_membership_of(model, &config, &found, &error), &error);
    sotto_membership_free(found);
    sotto_model_free(model);
    /* Frozen layers are what they are because of a model that shadows need too. */
    config = attack_config(at, NULL);
    sotto_train_config trained =
        network(NET("{\"type\": \"dense\", \"units\": 4, \"frozen\": true}, "));
    trained.epochs = 1.0;
    model = train(&trained, MATRIX, at->rows[0], NULL);
    assert_refused(sotto_membership_of(model, &config, &found, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "frozen", "`init=init.json`", NULL);
    sotto_model_free(model);
}

static void shadows_have_no_public_number_of_rows(void **state)
{
    const scene *at = *state;
    sotto_error error;
    sotto_membership *found = NULL;
    const sotto_train_config trained = plain(SOTTO_MODEL_LOGISTIC);
    sotto_train_config shadow = sotto_train_defaults();
    shadow.method = SOTTO_METHOD_PERMUTATION_SGD;
    shadow.adjacency = SOTTO_REPLACE_ONE;
    shadow.epsilon = 1.0;
    shadow.public_n = 10000;
    sotto_model *model = train(&trained, MATRIX, at->rows[0], NULL);
    const sotto_membership_config config = attack_config(at, &shadow);
    assert_refused(sotto_membership_of(model, &config, &found, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "coins", "public_n` out", NULL);
    sotto_model_free(model);
}

static void failing_memory_is_reported(void **state)
{
    const scene *at = *state;
    sotto_train_config trained = network(NET(HIDDEN));
    trained.epochs = 1.0;
    sotto_model *model = train(&trained, MATRIX, at->rows[0], NULL);
    sotto_membership_config config = attack_config(at, &trained);
    config.shadows = 8;
    config.threads = 1;
    size_t failures = 0;
    for (size_t nth = 1; nth < 400; nth += 7) {
        sotto_error error;
        sotto_membership *found = NULL;
        (void)sot_test_fail_allocation(nth);
        const sotto_status status = sotto_membership_of(model, &config, &found, &error);
        (void)sot_test_fail_allocation(0);
        if (status != SOTTO_OK) {
            assert_int_equal(status, SOTTO_OUT_OF_MEMORY);
            assert_null(found);
            failures++;
        }
        sotto_membership_free(found);
    }
    assert_true(failures > 20);
    sotto_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_that_a_network_remembers_are_told_apart),
        cmocka_unit_test(rows_that_a_network_never_saw_are_not),
        cmocka_unit_test(images_are_attacked_as_rows_are),
        cmocka_unit_test(shadows_of_a_network_may_be_private),
        cmocka_unit_test(concepts_are_attacked_by_their_labels),
        cmocka_unit_test(several_draws_are_attacked_by_their_mean),
        cmocka_unit_test(encoded_rows_have_the_confidence_of_their_file),
        cmocka_unit_test(what_is_no_number_says_nothing),
        cmocka_unit_test(what_no_shadow_can_be_like_is_refused),
        cmocka_unit_test(shadows_have_no_public_number_of_rows),
        cmocka_unit_test(failing_memory_is_reported),
    };
    return cmocka_run_group_tests(tests, make_scene, remove_scene);
}
