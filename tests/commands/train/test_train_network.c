/* A training of a network, around its learner: where weights begin, what public rows say on the way, what files
 * and certificates hold, and that nothing of it fails halfway. */
#include "support.h"

#include <unistd.h>

#include <sotto/certificate.h>
#include <sotto/model.h>
#include <sotto/train.h>

#include "artifact/model_file/model.h"
#include "base/file/file.h"
#include "base/memory.h"

#define NUMBERS                                                                          \
    "{\"target\": \"y\", \"columns\": ["                                                 \
    "{\"name\": \"a\", \"type\": \"number\", \"lower\": -1, \"upper\": 1}, "             \
    "{\"name\": \"b\", \"type\": \"number\", \"lower\": -1, \"upper\": 1}, "             \
    "{\"name\": \"y\", \"type\": \"number\", \"lower\": 0, \"upper\": 40}]}"
#define CLASSES                                                                          \
    "{\"target\": \"y\", \"columns\": ["                                                 \
    "{\"name\": \"a\", \"type\": \"number\", \"lower\": -1, \"upper\": 1}, "             \
    "{\"name\": \"b\", \"type\": \"number\", \"lower\": -1, \"upper\": 1}, "             \
    "{\"name\": \"y\", \"type\": \"category\", \"values\": [\"0\", \"1\"], "             \
    "\"missing\": \"0\"}]}"
#define SMALL                                                                            \
    "{\"kind\": \"network\", \"version\": 1, \"layers\": [{\"type\": \"dense\", "        \
    "\"units\": 4}, {\"type\": \"tanh\"}, {\"type\": \"dense\", \"units\": "             \
    "\"outputs\"}]}"
#define PAID                                                                             \
    "{\"kind\": \"network\", \"version\": 1, \"layers\": [{\"type\": \"data-norm\", "    \
    "\"clip\": 1, \"clip_squares\": 1, \"noise\": 2}, {\"type\": \"dense\", \"units\": " \
    "\"outputs\"}]}"

enum { ROWS = 120 };

static char data_path[64], other_path[64], net_path[64], paid_path[64], model_path[64];

static void write_text(const char *path, const char *text)
{
    sotto_error error;
    assert_ok(sot_file_write(path, text, strlen(text), 0600, &error), &error);
}

/* y is 1, or 30, where a + b > 0, else 0, or 10. */
static void write_rows(const char *path, bool numbers, uint64_t seed)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    (void)fputs("a,b,y\n", file);
    for (int i = 0; i < ROWS; i++) {
        seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        const double a = ldexp((double)(seed >> 40), -23) - 1.0;
        seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        const double b = ldexp((double)(seed >> 40), -23) - 1.0;
        const bool up = a + b > 0.0;
        (void)fprintf(file, "%.6f,%.6f,%d\n", a, b, numbers ? (up ? 30 : 10) : up);
    }
    assert_int_equal(fclose(file), 0);
}

static int set_up(void **state)
{
    (void)state;
    const long id = (long)getpid();
    (void)snprintf(data_path, sizeof data_path, "network_%ld.csv", id);
    (void)snprintf(other_path, sizeof other_path, "network_%ld_other.csv", id);
    (void)snprintf(net_path, sizeof net_path, "network_%ld.net.json", id);
    (void)snprintf(paid_path, sizeof paid_path, "network_%ld.paid.json", id);
    (void)snprintf(model_path, sizeof model_path, "network_%ld.model.json", id);
    write_text(net_path, SMALL);
    write_text(paid_path, PAID);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    (void)unlink(data_path);
    (void)unlink(other_path);
    (void)unlink(net_path);
    (void)unlink(paid_path);
    (void)unlink(model_path);
    return 0;
}

static sotto_schema *parse(const char *text)
{
    sotto_error error;
    sotto_schema *schema = NULL;
    assert_ok(sotto_schema_parse("s.json", text, strlen(text), &schema, &error), &error);
    return schema;
}

static sotto_train_config private_config(const char *network)
{
    sotto_train_config config = sotto_train_defaults();
    config.model = SOTTO_MODEL_NETWORK;
    config.network = network;
    config.epsilon = 20.0;
    config.delta = 1e-5;
    config.expected_rows = ROWS;
    config.batch = 60;
    config.steps = 30;
    config.learning_rate = 5.0;
    config.weight_average = 0.5;
    config.insecure_test = true;
    config.test_seed = 3;
    config.threads = 1;
    return config;
}

static sotto_train_config public_config(const char *network)
{
    sotto_train_config config = sotto_train_defaults();
    config.model = SOTTO_MODEL_NETWORK;
    config.network = network;
    config.method = SOTTO_METHOD_NONE;
    config.data_is_public = true;
    config.epochs = 20.0;
    config.batch = 20;
    config.threads = 1;
    return config;
}

static sotto_model *train(const sotto_train_config *config, const char *schema_text)
{
    sotto_error error;
    sotto_schema *schema = parse(schema_text);
    sotto_train_result *result = NULL;
    sotto_model *model = NULL;
    assert_ok(sotto_train_data(config, schema,
                               &(const sotto_data_file){.path = data_path}, &result,
                               &error),
              &error);
    const char *json = sotto_train_json(result);
    assert_ok(sotto_model_parse("m", json, strlen(json), &model, &error), &error);
    sotto_train_free(result);
    sotto_schema_free(schema);
    return model;
}

static void refuse(const sotto_train_config *config, const char *schema_text,
                   const char *word)
{
    sotto_error error;
    sotto_schema *schema = parse(schema_text);
    sotto_train_result *result = NULL;
    assert_refused(sotto_train_data(config, schema,
                                    &(const sotto_data_file){.path = data_path}, &result,
                                    &error),
                   SOTTO_INVALID_ARGUMENT, &error, word, NULL);
    assert_null(result);
    sotto_schema_free(schema);
}

/* ---- what is learned ---- */

static double accuracy_of(const sotto_model *model, const char *path)
{
    sotto_error error;
    sotto_evaluation evaluation;
    assert_ok(sotto_model_evaluate_data(model, &(const sotto_data_file){.path = path},
                                        0.5, &evaluation, &error),
              &error);
    const double accuracy = evaluation.accuracy;
    sotto_evaluation_clear(&evaluation);
    return accuracy;
}

static void classes_are_learned_and_the_curve_ends_at_the_model(void **state)
{
    (void)state;
    write_rows(data_path, false, 1);
    write_rows(other_path, false, 2);
    sotto_train_config config = private_config(net_path);
    config.validation = other_path;
    sotto_model *model = train(&config, CLASSES);
    const double accuracy = accuracy_of(model, other_path);
    assert_true(accuracy > 0.85);
    assert_true(model->curve.count > 5);
    assert_int_equal(model->curve.steps[model->curve.count - 1], 30);
    assert_true(fabs(model->curve.scores[model->curve.count - 1] - accuracy) < 1e-12);
    sotto_model_free(model);
}

/* 2 classes are told apart by 2 scores, a number is one; the curve is in the units of the target. */
static void errors_of_a_number_are_in_its_units(void **state)
{
    (void)state;
    write_rows(data_path, true, 1);
    write_rows(other_path, true, 2);
    sotto_train_config config = public_config(net_path);
    config.validation = other_path;
    sotto_model *model = train(&config, NUMBERS);
    sotto_error error;
    sotto_evaluation evaluation;
    assert_ok(sotto_model_evaluate_data(model,
                                        &(const sotto_data_file){.path = other_path}, 0.5,
                                        &evaluation, &error),
              &error);
    assert_true(model->curve.count > 0);
    const double last = model->curve.scores[model->curve.count - 1];
    assert_true(evaluation.r2 > 0.5);
    assert_within(last - sqrt(evaluation.mse), -0.05,
                  0.5); /* the file's is cut to bounds */
    sotto_evaluation_clear(&evaluation);
    sotto_model_free(model);
}

/* ---- where weights begin ---- */

static void frozen_layers_stay_and_others_move(void **state)
{
    (void)state;
    write_rows(data_path, false, 1);
    sotto_train_config config = public_config(net_path);
    config.output = model_path;
    config.overwrite = true;
    sotto_model *first = train(&config, CLASSES);
    config = private_config(net_path);
    config.init = model_path;
    config.freeze = "1";
    sotto_model *then = train(&config, CLASSES);
    const sot_layer *layer = &then->net->layers[0];
    assert_int_equal(sotto_model_coefficients(then), sotto_model_coefficients(first));
    assert_true(layer->frozen);
    bool moved = false;
    for (size_t i = 0; i < then->coefficient_count; i++) {
        const bool same = then->coefficients[i] == first->coefficients[i];
        if (i >= layer->first && i < layer->first + layer->parameters) assert_true(same);
        moved = moved || !same;
    }
    assert_true(moved);
    sotto_model_free(first);
    sotto_model_free(then);
}

/* The init's were paid for before: the plan has two releases less. */
static void data_norms_are_paid_for_once(void **state)
{
    (void)state;
    write_rows(data_path, false, 1);
    sotto_error error;
    sotto_train_config config = private_config(paid_path);
    config.output = model_path;
    config.overwrite = true;
    sotto_model *first = train(&config, CLASSES);
    config.output = NULL;
    config.init = model_path;
    sotto_model *then = train(&config, CLASSES);
    const sot_layer *a = &first->net->layers[0], *b = &then->net->layers[0];
    for (size_t c = 0; c < a->in.channels; c++)
        assert_true(a->mean[c] == b->mean[c] && a->deviation[c] == b->deviation[c]);
    sotto_schema *schema = parse(CLASSES);
    size_t events[2];
    for (size_t i = 0; i < 2; i++) {
        sotto_training *training = NULL;
        config.init = i == 0 ? NULL : model_path;
        assert_ok(sotto_training_plan(&config, schema, &training, &error), &error);
        events[i] = sotto_plan_size(sotto_training_events(training));
        sotto_training_free(training);
    }
    assert_int_equal(events[0], 3);
    assert_int_equal(events[1], 1);
    sotto_schema_free(schema);
    sotto_model_free(first);
    sotto_model_free(then);
}

/* ---- what a certificate says ---- */

/* Everything that was believed to be public, and every release, those of data norms by their own names. */
static void certificates_say_what_is_public_and_what_was_released(void **state)
{
    (void)state;
    static const char *const said[] = {
        "the network: its layers, and the numbers in its file",
        "the expected number of rows, a public guess",
        "the weights to begin with: of a model declared public",
        "the validation rows, declared public",
        "\"purpose\": \"gradient sum\"",
    };
    static const char *const norms[] = {"\"purpose\": \"channel means\"",
                                        "\"purpose\": \"channel means of squares\""};
    write_rows(data_path, false, 1);
    write_rows(other_path, false, 2);
    sotto_error error;
    sotto_train_config config = private_config(paid_path);
    config.output = model_path;
    config.overwrite = true;
    config.steps = 2;
    sotto_schema *schema = parse(CLASSES);
    for (int again = 0; again < 2; again++) {
        sotto_train_result *result = NULL;
        assert_ok(sotto_train_data(&config, schema,
                                   &(const sotto_data_file){.path = data_path}, &result,
                                   &error),
                  &error);
        const char *json = sotto_train_json(result);
        for (size_t i = 0; i < sizeof said / sizeof said[0]; i++)
            assert_int_equal(strstr(json, said[i]) != NULL,
                             again == 1 || (i != 2 && i != 3));
        for (size_t i = 0; i < 2; i++) /* an init brings them: they are not released */
            assert_int_equal(strstr(json, norms[i]) != NULL, again == 0);
        sotto_train_free(result);
        config.output = NULL;
        config.init = model_path;
        config.validation = other_path;
    }
    sotto_schema_free(schema);
}

/* ---- refusals ---- */

static void what_does_not_fit_is_refused_before_a_row_is_read(void **state)
{
    (void)state;
    write_rows(data_path, false, 1);
    sotto_train_config config = private_config(NULL);
    refuse(&config, CLASSES, "`network` is missing");
    config = private_config(net_path);
    config.freeze = "1";
    refuse(&config, CLASSES, "`init=model.json`");
    config = private_config(net_path);
    config.validation = data_path;
    refuse(&config, CLASSES, "training rows");
    config.validation = NULL;
    config.validation_labels = data_path;
    refuse(&config, CLASSES, "without `validation`");
    config = private_config(net_path);
    config.stream = true;
    refuse(&config, CLASSES, "leave `stream` out");
    config = private_config(net_path);
    config.prior = net_path;
    refuse(&config, CLASSES, "`prior` has no meaning");
    config = private_config(net_path);
    config.model = SOTTO_MODEL_LOGISTIC;
    config.method = SOTTO_METHOD_SGD;
    refuse(&config, CLASSES, "`weight_average` has no meaning for the model logistic");
}

static void theory_has_nothing_to_say(void **state)
{
    (void)state;
    sotto_error error;
    sotto_training *training = NULL;
    sotto_theory_setting setting;
    sotto_schema *schema = parse(CLASSES);
    const sotto_train_config config = private_config(net_path);
    assert_ok(sotto_training_plan(&config, schema, &training, &error), &error);
    assert_refused(sotto_training_theory(training, &setting, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "convex", NULL);
    sotto_training_free(training);
    sotto_schema_free(schema);
}

/* ---- rehearsals ---- */

/* Each repeat learns its data norms anew: the plan covers that, and the gate sees to it. */
static void a_forecast_repeats_the_whole_training(void **state)
{
    (void)state;
    write_rows(other_path, false, 2);
    sotto_error error;
    sotto_schema *schema = parse(CLASSES);
    const char *const networks[] = {net_path, paid_path};
    for (size_t i = 0; i < 2; i++) {
        sotto_training *training = NULL;
        sotto_forecast forecast;
        const sotto_train_config config = private_config(networks[i]);
        assert_ok(sotto_training_plan(&config, schema, &training, &error), &error);
        assert_ok(sotto_training_forecast_data(
                      training, &(const sotto_data_file){.path = other_path}, 0, 3,
                      &forecast, &error),
                  &error);
        assert_int_equal(forecast.score, SOTTO_FORECAST_ACCURACY);
        assert_true(forecast.mean > 0.5 && forecast.without_noise > 0.8);
        sotto_training_free(training);
    }
    sotto_schema_free(schema);
}

/* ---- memory ---- */

static void no_memory_is_an_error_and_not_a_crash(void **state)
{
    (void)state;
    write_rows(data_path, false, 1);
    write_rows(other_path, false, 2);
    sotto_train_config config = public_config(net_path);
    config.output = model_path;
    config.overwrite = true;
    config.epochs = 1.0;
    sotto_model_free(train(&config, CLASSES));
    config = private_config(net_path);
    config.steps = 1;
    config.init = model_path;
    config.freeze = "1";
    config.validation = other_path;
    sotto_schema *schema = parse(CLASSES);
    size_t failures = 0;
    for (size_t nth = 1;; nth += 1 + nth / 40, failures++) {
        sotto_error error;
        sotto_train_result *result = NULL;
        (void)sot_test_fail_allocation(nth);
        const sotto_status status =
            sotto_train_data(&config, schema, &(const sotto_data_file){.path = data_path},
                             &result, &error);
        const bool reached = sot_test_fail_allocation(0) >= nth;
        if (status == SOTTO_OK) {
            sotto_train_free(result);
            assert_false(reached); /* none is made do without */
            break;
        }
        assert_int_equal(status, SOTTO_OUT_OF_MEMORY);
        assert_null(result);
    }
    assert_true(failures > 50);
    sotto_schema_free(schema);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(classes_are_learned_and_the_curve_ends_at_the_model),
        cmocka_unit_test(errors_of_a_number_are_in_its_units),
        cmocka_unit_test(frozen_layers_stay_and_others_move),
        cmocka_unit_test(data_norms_are_paid_for_once),
        cmocka_unit_test(certificates_say_what_is_public_and_what_was_released),
        cmocka_unit_test(what_does_not_fit_is_refused_before_a_row_is_read),
        cmocka_unit_test(theory_has_nothing_to_say),
        cmocka_unit_test(a_forecast_repeats_the_whole_training),
        cmocka_unit_test(no_memory_is_an_error_and_not_a_crash),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
