/* A report says what its files say: no more, to the safe side, in words that cannot become markup. */
#include "support.h"

#include <locale.h>
#include <unistd.h>

#include <sotto/report.h>

#include "artifact/model_file/models.h"
#include "base/memory.h"
#include "commands/train/simulation.h"
#include "report/html.h"
#include "report/report.h"

/* ---- a training, its rows, its page ---- */

#define CLINIC_COLUMNS                                                                   \
    "\"columns\": ["                                                                     \
    "{\"name\": \"age\", \"type\": \"number\", \"lower\": 18, \"upper\": 90},"           \
    "{\"name\": \"town\", \"type\": \"category\", "                                      \
    "\"values\": [\"Lund\", \"<script>alert(1)</script>\"]},"                            \
    "{\"name\": \"dose\", \"type\": \"number\", \"lower\": 0, \"upper\": 8},"            \
    "{\"name\": \"grade\", \"type\": \"category\", "                                     \
    "\"values\": [\"low\", \"middle\", \"high\"]},"                                      \
    "{\"name\": \"sick\", \"type\": \"category\", \"values\": [\"no\", \"yes\"]}]}"

static const char *schema_for(const char *target)
{
    static char text[1024];
    (void)snprintf(text, sizeof text,
                   "{\"dataset\": \"clinic-1\", \"target\": \"%s\", \"intercept\": 1, %s",
                   target, CLINIC_COLUMNS);
    return text;
}

static const char *path_of(const char *name)
{
    static char paths[4][64];
    static int next;
    char *path = paths[next++ % 4];
    (void)snprintf(path, sizeof paths[0], "report_%ld_%s", (long)getpid(), name);
    return path;
}

enum { ROWS = 120 };

static const char *write_rows(void)
{
    static const char *const grades[] = {"low", "middle", "high"};
    const char *path = path_of("rows.csv");
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "age,town,dose,grade,sick\n");
    for (int i = 0; i < ROWS; i++) {
        const double age = 18.0 + 72.0 * (i * 37 % ROWS) / ROWS;
        fprintf(file, "%.2f,%s,%.3f,%s,%s\n", age, i % 3 == 0 ? "Lund" : "elsewhere",
                0.05 * age + 0.03 * (i % 7), grades[(int)((age - 18.0) / 24.01)],
                age + (i * 13 % 40) > 70.0 ? "yes" : "no");
    }
    assert_int_equal(fclose(file), 0);
    return path;
}

/* A model file; free with sot_free(). */
static char *trained(const char *target, sotto_model_kind kind, sotto_method method,
                     const char *ledger, bool seeded)
{
    sotto_error error;
    sotto_schema *schema = NULL;
    sotto_train_result *result = NULL;
    const char *text = schema_for(target);
    sotto_train_config config = sotto_train_defaults();
    config.model = kind;
    config.method = method;
    config.threads = 1;
    if (method == SOTTO_METHOD_NONE) {
        config.data_is_public = true;
    } else {
        config.epsilon = 1.5;
        config.delta = 1e-6;
        config.expected_rows = ROWS;
        config.ledger = ledger;
        config.insecure_test = seeded;
        config.test_seed = 3;
    }
    assert_ok(sotto_schema_parse("s", text, strlen(text), &schema, &error), &error);
    assert_ok(sotto_train_data(&config, schema,
                               &(const sotto_data_file){.path = write_rows()}, &result,
                               &error),
              &error);
    char *copy = sot_copy_string(sotto_train_json(result));
    assert_non_null(copy);
    sotto_train_free(result);
    sotto_schema_free(schema);
    return copy;
}

static const char *new_ledger(const char *name, const char *dataset)
{
    sotto_error error;
    const char *path = path_of(name);
    sotto_ledger_config config = sotto_ledger_defaults();
    (void)snprintf(config.dataset, sizeof config.dataset, "%s", dataset);
    config.adjacency = SOTTO_ADD_REMOVE;
    config.epsilon = 4.0;
    config.delta = 1e-5;
    (void)unlink(path);
    assert_ok(sotto_ledger_init(path, &config, &error), &error);
    return path;
}

static char *page_of(const char *model, const sotto_report_config *config)
{
    sotto_error error;
    char *html = NULL;
    assert_ok(sotto_report_render("m.json", model, strlen(model), config, &html, &error),
              &error);
    return html;
}

static void assert_has(const char *page, const char *text)
{
    if (strstr(page, text) == NULL) print_error("the page lacks: %s\n", text);
    assert_non_null(strstr(page, text));
}

static void assert_lacks(const char *page, const char *text)
{
    if (strstr(page, text) != NULL) print_error("the page has: %s\n", text);
    assert_null(strstr(page, text));
}

/* ---- words ---- */

static void no_text_becomes_markup(void **state)
{
    (void)state;
    sotto_report_config config = sotto_report_defaults();
    config.data.path = write_rows();
    config.repeats = 1;
    char *model = trained("sick", SOTTO_MODEL_LOGISTIC, SOTTO_METHOD_NONE, NULL, false);
    char *page = page_of(model, &config);
    assert_lacks(page, "<script");
    assert_has(page, "town=&lt;script&gt;alert(1)&lt;/script&gt;");
    sotto_free(page);
    sot_free(model);
}

static void what_could_hide_text_is_not_shown(void **state)
{
    (void)state;
    sotto_error error;
    char *text = NULL;
    sot_growing out = {0};
    sot_html_text(&out, "a\xe2\x80\xaegnp\x1b[2J\xff' \" & 1 000");
    assert_ok(sot_growing_finish(&out, &text, &error), &error);
    assert_string_equal(text, "a?gnp?[2J?&#39; &quot; &amp; 1&nbsp;000");
    sot_free(text);
}

static void the_page_begins_with_what_is_wrong(void **state)
{
    (void)state;
    const sotto_report_config config = sotto_report_defaults();
    char *seeded = trained("sick", SOTTO_MODEL_SVM, SOTTO_METHOD_OBJECTIVE, NULL, true);
    char *page = page_of(seeded, &config);
    assert_has(page, "<strong>NOT PRIVATE</strong>");
    assert_has(page, "Epsilon, void");
    assert_lacks(page, ", verified</strong>");
    assert_lacks(page, "<h1>A private");
    sotto_free(page);
    sot_free(seeded);

    char *open = trained("dose", SOTTO_MODEL_HUBER, SOTTO_METHOD_NONE, NULL, false);
    page = page_of(open, &config);
    assert_has(page, "No privacy guarantee");
    assert_lacks(page, ", verified</strong>");
    sotto_free(page);
    sot_free(open);

    /* A certificate that is about this file, and promises what the payload does not keep. */
    char *forged = model_certified_text(0.25);
    page = page_of(forged, &config);
    assert_has(page, "<strong>NOT VERIFIED</strong>");
    assert_lacks(page, ", verified</strong>");
    sotto_free(page);
    sotto_free(forged);

    /* One that is true of itself, but follows from no request. */
    char *foreign = model_certified_text(0.5);
    page = page_of(foreign, &config);
    assert_has(page, "<strong>NOT VERIFIED</strong>");
    sotto_free(page);
    sotto_free(foreign);

    char *good =
        trained("sick", SOTTO_MODEL_LOGISTIC, SOTTO_METHOD_OBJECTIVE, NULL, false);
    page = page_of(good, &config);
    assert_has(page, "privacy, verified</strong>");
    assert_has(page, "<h1>A private logistic model of sick</h1>");
    assert_has(page, "Not checked by verify; believed");
    sotto_free(page);
    sot_free(good);
}

static void a_changed_file_has_no_page(void **state)
{
    (void)state;
    sotto_error error;
    char *html = NULL;
    const sotto_report_config config = sotto_report_defaults();
    char *model = model_certified_text(0.5);
    char *place = strstr(model, "0x1.8p+0");
    assert_non_null(place);
    place[4] = '9';
    assert_refused(
        sotto_report_render("m.json", model, strlen(model), &config, &html, &error),
        SOTTO_VERIFICATION, &error, "changed", NULL);
    assert_null(html);
    sotto_free(model);
}

/* ---- numbers ---- */

/* Every bound in the attack table is at least the certificate's. */
static void the_attack_is_never_understated(void **state)
{
    (void)state;
    sotto_error error;
    sot_certificate_file file;
    const sotto_report_config config = sotto_report_defaults();
    char *model =
        trained("sick", SOTTO_MODEL_LOGISTIC, SOTTO_METHOD_OBJECTIVE, NULL, false);
    char *page = page_of(model, &config);
    assert_ok(sot_certificate_file_open(model, strlen(model), &file, &error), &error);
    const char *at = strstr(page, "The best possible attack</caption>");
    for (size_t i = 0; i < SOT_ATTACKS_SIZE; i++) {
        double wrong, right;
        at = strstr(at, "<th scope=\"row\">");
        assert_non_null(at);
        assert_int_equal(
            sscanf(at, "<th scope=\"row\">%lf%%</th><td>%lf%%</td>", &wrong, &right), 2);
        const double rate = file.certificate.claims.true_positive_rates[i];
        assert_relative(wrong, 100.0 * sot_false_positive_rates[i], 1e-12);
        assert_within(right, 100.0 * rate, 101.0 * rate); /* three digits, rounded up */
        at++;
    }
    sot_certificate_file_close(&file);
    sotto_free(page);
    sot_free(model);
}

static sot_report_noise noise_of(const char *settings, const char *method,
                                 size_t dimension)
{
    sotto_error error;
    sot_json *document = NULL;
    sot_report_noise noise;
    char text[256];
    (void)snprintf(text, sizeof text, "{\"method\": \"%s\", \"settings\": {%s}}", method,
                   settings);
    assert_ok(sot_json_parse("n", text, strlen(text), sizeof text, &document, &error),
              &error);
    const sot_json_value root = sot_json_root(document);
    assert_ok(sot_report_noise_read(&root, dimension, &noise, &error), &error);
    sot_json_free(document);
    return noise;
}

static void noise_bars_follow_from_the_settings(void **state)
{
    (void)state;
    sot_report_noise noise = noise_of("\"sigma\": 0.375, \"lambda\": 2.5", "output", 7);
    assert_int_equal(noise.kind, SOT_NOISE_EXACT);
    assert_relative(noise.deviation, 0.375, 1e-15);
    /* |v| is Gamma(7) / r with r = 0.5 / 0.25, and each coordinate has E|v|^2 / 7. */
    noise = noise_of("\"noise_epsilon\": 0.5, \"sensitivity\": 0.25", "output", 7);
    assert_int_equal(noise.kind, SOT_NOISE_EXACT);
    assert_relative(noise.deviation, sqrt(7.0 * 8.0 / 7.0) / 2.0, 1e-15);
    noise = noise_of("\"sigma\": 7.5, \"lambda\": 2.5", "objective", 7);
    assert_int_equal(noise.kind, SOT_NOISE_BOUND);
    assert_relative(noise.deviation, 3.0, 1e-15);
    assert_int_equal(noise_of("\"sigma\": 7.5", "gd", 7).kind, SOT_NOISE_UNKNOWN);
    assert_int_equal(noise_of("\"rate\": 7.5, \"lambda\": 1", "objective", 7).kind,
                     SOT_NOISE_UNKNOWN);
    assert_int_equal(noise_of("\"sigma\": null", "output", 7).kind, SOT_NOISE_UNKNOWN);
    assert_int_equal(noise_of("\"lambda\": 1", "none", 7).kind, SOT_NOISE_ABSENT);
}

/* Poincare's inequality, seen at work: 400 trainings never vary more than sigma / lambda; the
 * chance that a deviation estimated from 400 exceeds a true one by 20% is below 1e-7. With one row
 * the bound is nearly reached. */
static void measured_noise_stays_below_its_bound(void **state)
{
    (void)state;
    enum { REPEATS = 400, DIMENSION_MOST = 8 };
    sotto_error error;
    sotto_rng *rng = NULL;
    sotto_schema *schema = NULL;
    sotto_training *training = NULL;
    sot_rehearsal run;
    double mean, deviation, deviations[DIMENSION_MOST], largest = 0.0;
    double sigma = NAN, lambda = NAN;
    const char *text = schema_for("sick");
    sotto_train_config config = sotto_train_defaults();
    config.model = SOTTO_MODEL_LOGISTIC;
    config.method = SOTTO_METHOD_OBJECTIVE;
    config.epsilon = 1.5;
    config.delta = 1e-6;
    config.threads = 1;
    assert_ok(sotto_schema_parse("s", text, strlen(text), &schema, &error), &error);
    assert_ok(sotto_training_plan(&config, schema, &training, &error), &error);
    assert_ok(sotto_rng_new_for_test(11, &rng, &error), &error);
    const sotto_data_file file = {.path = write_rows()};
    assert_ok(sot_rehearsal_open(training, &file, 0, rng, &run, &error), &error);
    for (size_t i = 0; i < training->learner->setting_count; i++) {
        const sot_setting *setting = &training->learner->settings[i];
        if (strcmp(setting->name, "sigma") == 0) sigma = setting->value;
        if (strcmp(setting->name, "lambda") == 0) lambda = setting->value;
    }
    assert_true(run.count <= DIMENSION_MOST);
    assert_ok(
        sot_rehearse(&run, training, REPEATS, &mean, &deviation, deviations, &error),
        &error);
    for (size_t i = 0; i < run.count; i++)
        largest = fmax(largest, deviations[i]);
    assert_within(largest, 0.05 * sigma / lambda, 1.2 * sigma / lambda);
    sot_rehearsal_close(&run);
    sotto_rng_free(rng);
    sotto_training_free(training);
    sotto_schema_free(schema);
}

/* Groups hold every row once, in order, with intervals around what was found. */
static void calibration_groups_hold_every_row(void **state)
{
    (void)state;
    static const struct {
        const char *target;
        sotto_model_kind kind;
    } cases[] = {{"sick", SOTTO_MODEL_LOGISTIC},
                 {"sick", SOTTO_MODEL_SVM},
                 {"grade", SOTTO_MODEL_SOFTMAX},
                 {"dose", SOTTO_MODEL_LINEAR}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        sotto_error error;
        sotto_model *model = NULL;
        sot_report_scores scores;
        char *text =
            trained(cases[k].target, cases[k].kind, SOTTO_METHOD_NONE, NULL, false);
        assert_ok(sotto_model_parse("m", text, strlen(text), &model, &error), &error);
        const sotto_data_file file = {.path = write_rows()};
        assert_ok(sot_report_scores_read(model, &file, 0, &scores, &error), &error);
        uint64_t rows = 0;
        double found = 0.0;
        assert_within((double)scores.bin_count, 5.0, SOT_REPORT_BINS_MAX);
        for (size_t i = 0; i < scores.bin_count; i++) {
            const sot_report_bin *bin = &scores.bins[i];
            rows += bin->rows;
            found += (double)bin->rows * bin->found;
            assert_within(bin->found, bin->lower, bin->upper);
            if (i > 0) assert_true(bin->said > scores.bins[i - 1].said);
        }
        assert_int_equal(rows, ROWS);
        if (cases[k].kind == SOTTO_MODEL_SOFTMAX) /* right, on average: the accuracy */
            assert_relative(found / ROWS, scores.evaluation.accuracy, 1e-12);
        sot_report_scores_clear(&scores);
        sotto_model_free(model);
        sot_free(text);
    }
}

/* ---- the ledger ---- */

static void the_ledger_is_the_models_own(void **state)
{
    (void)state;
    sotto_error error;
    char *html = NULL;
    sotto_report_config config = sotto_report_defaults();
    const char *ledger = new_ledger("own.ledger", "clinic-1");
    char *model =
        trained("sick", SOTTO_MODEL_LOGISTIC, SOTTO_METHOD_OBJECTIVE, ledger, false);
    config.ledger = ledger;
    char *page = page_of(model, &config);
    assert_has(page, "train logistic by objective (this model)");
    assert_has(page, "is on its chain");
    sotto_free(page);

    /* The same data set, but nothing of the model on it. */
    config.ledger = new_ledger("second.ledger", "clinic-1");
    page = page_of(model, &config);
    assert_has(page, "This model is not on the ledger");
    assert_lacks(page, "is on its chain");
    sotto_free(page);
    (void)unlink(config.ledger);

    config.ledger = new_ledger("strange.ledger", "clinic-2");
    assert_refused(sotto_report_render("m", model, strlen(model), &config, &html, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "clinic-2", "clinic-1", NULL);
    (void)unlink(config.ledger);
    (void)unlink(ledger);
    sot_free(model);
}

/* ---- the whole ---- */

static void every_kind_of_model_has_a_page(void **state)
{
    (void)state;
    static const struct {
        const char *target;
        sotto_model_kind kind;
        sotto_method method;
    } cases[] = {
        {"sick", SOTTO_MODEL_LOGISTIC, SOTTO_METHOD_GD},
        {"sick", SOTTO_MODEL_SVM, SOTTO_METHOD_OBJECTIVE},
        {"sick", SOTTO_MODEL_HINGE, SOTTO_METHOD_OUTPUT},
        {"dose", SOTTO_MODEL_LINEAR, SOTTO_METHOD_OBJECTIVE},
        {"dose", SOTTO_MODEL_HUBER, SOTTO_METHOD_OUTPUT},
        {"dose", SOTTO_MODEL_POISSON, SOTTO_METHOD_NONE},
        {"grade", SOTTO_MODEL_SOFTMAX, SOTTO_METHOD_OBJECTIVE},
        {"grade", SOTTO_MODEL_SOFTMAX, SOTTO_METHOD_NONE},
    };
    static const char *const ids[] = {
        "words",        "profile",     "attack",    "budget",      "accuracy",
        "coefficients", "calibration", "confusion", "certificate", "weaknesses"};
    sotto_report_config config = sotto_report_defaults();
    config.repeats = 2;
    config.threads = 1;
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        char *model =
            trained(cases[k].target, cases[k].kind, cases[k].method, NULL, true);
        config.data.path = write_rows();
        char *page = page_of(model, &config);
        for (size_t i = 0; i < sizeof ids / sizeof ids[0]; i++) {
            char heading[64];
            (void)snprintf(heading, sizeof heading, "<h2 id=\"%s\">", ids[i]);
            assert_has(page, heading);
        }
        assert_has(page, "calibration-plot");
        if (cases[k].method != SOTTO_METHOD_NONE) assert_has(page, "curve-plot");
        assert_lacks(page, "http:");
        assert_lacks(page, "https:");
        sotto_free(page);
        sot_free(model);
    }
}

static void the_same_files_give_the_same_page(void **state)
{
    (void)state;
    sotto_report_config config = sotto_report_defaults();
    char *model =
        trained("grade", SOTTO_MODEL_SOFTMAX, SOTTO_METHOD_OBJECTIVE, NULL, false);
    config.data.path = write_rows();
    config.repeats = 3;
    config.threads = 1;
    char *first = page_of(model, &config);
    config.threads = 3;
    const bool translated = setlocale(LC_ALL, "de_DE.UTF-8") != NULL;
    char *second = page_of(model, &config);
    if (translated) (void)setlocale(LC_ALL, "C");
    assert_string_equal(first, second);
    sotto_free(first);
    sotto_free(second);
    sot_free(model);
}

static void settings_out_of_range_are_refused(void **state)
{
    (void)state;
    sotto_error error;
    char *html = NULL;
    char *model = model_certified_text(0.5);
    sotto_report_config config = sotto_report_defaults();
    config.repeats = 10001;
    assert_refused(sotto_report_render("m", model, strlen(model), &config, &html, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "10001", NULL);
    config = sotto_report_defaults();
    config.expected_rows = (UINT64_C(1) << 32) + 1;
    assert_refused(sotto_report_render("m", model, strlen(model), &config, &html, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "4294967297", NULL);
    config = sotto_report_defaults();
    config.data.path = "no-such-file.csv";
    assert_refused(sotto_report_render("m", model, strlen(model), &config, &html, &error),
                   SOTTO_IO, &error, "no-such-file.csv", NULL);
    assert_null(html);
    sotto_free(model);
}

static void a_failed_allocation_is_reported(void **state)
{
    (void)state;
    sotto_report_config config = sotto_report_defaults();
    const char *ledger = new_ledger("short.ledger", "clinic-1");
    char *model =
        trained("sick", SOTTO_MODEL_LOGISTIC, SOTTO_METHOD_OBJECTIVE, ledger, false);
    config.ledger = ledger;
    config.data.path = write_rows();
    config.repeats = 2;
    config.threads = 1;
    bool done = false;
    for (size_t nth = 1; !done; nth += 1 + nth / 2) { /* all early ones, then a sample */
        sotto_error error = {.status = SOTTO_OK};
        char *html = NULL;
        (void)sot_test_fail_allocation(nth);
        const sotto_status status =
            sotto_report_render("m", model, strlen(model), &config, &html, &error);
        (void)sot_test_fail_allocation(0);
        done = status == SOTTO_OK;
        if (!done && status != SOTTO_OUT_OF_MEMORY)
            print_error("allocation %zu: %s\n", nth, error.message);
        assert_true(done || status == SOTTO_OUT_OF_MEMORY);
        assert_true(done == (html != NULL));
        sotto_free(html);
        assert_true(nth < 1000000);
    }
    (void)unlink(ledger);
    sot_free(model);
}

static int remove_files(void **state)
{
    (void)state;
    (void)unlink(path_of("rows.csv"));
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_text_becomes_markup),
        cmocka_unit_test(what_could_hide_text_is_not_shown),
        cmocka_unit_test(the_page_begins_with_what_is_wrong),
        cmocka_unit_test(a_changed_file_has_no_page),
        cmocka_unit_test(the_attack_is_never_understated),
        cmocka_unit_test(noise_bars_follow_from_the_settings),
        cmocka_unit_test(measured_noise_stays_below_its_bound),
        cmocka_unit_test(calibration_groups_hold_every_row),
        cmocka_unit_test(the_ledger_is_the_models_own),
        cmocka_unit_test(every_kind_of_model_has_a_page),
        cmocka_unit_test(the_same_files_give_the_same_page),
        cmocka_unit_test(settings_out_of_range_are_refused),
        cmocka_unit_test(a_failed_allocation_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, remove_files);
}
