/* How much teachers agree, if it is paid for, and the pages of labels and students: what was released, and no more. */
#include "support.h"

#include <math.h>
#include <stdlib.h>

#include <sotto/certificate.h>
#include <sotto/ledger.h>
#include <sotto/report.h>

#include "base/memory.h"
#include "commands/pate/pate_scene.h"

enum { QUERIES = 40, TEACHERS = 60 };

typedef struct scene {
    char place[64];
    char rows[96], votes[96], labels[96], student[96], ledger[96];
    sotto_schema *schema;
} scene;

static const char schema_text[] =
    "{\"dataset\": \"scene\", \"target\": {\"column\": \"y\", \"labels\": [\"no\", "
    "\"<b>yes</b>\", \"maybe\"]}, \"columns\": ["
    "{\"name\": \"x\", \"type\": \"number\", \"lower\": 0, \"upper\": 64},"
    "{\"name\": \"y\", \"type\": \"category\", \"values\": [\"no\", \"<b>yes</b>\", "
    "\"maybe\"]}]}";

/* Query q: 31 to 59 teachers say one class, the others the next. */
static int64_t top_of(int q)
{
    return 31 + (7 * q) % 29;
}

static void begin(scene *here)
{
    sotto_error error;
    strcpy(here->place, "/tmp/sotto_page_XXXXXX");
    assert_non_null(mkdtemp(here->place));
    snprintf(here->rows, sizeof here->rows, "%s/public.csv", here->place);
    snprintf(here->votes, sizeof here->rows, "%s/votes.csv", here->place);
    snprintf(here->labels, sizeof here->rows, "%s/labels.json", here->place);
    snprintf(here->student, sizeof here->rows, "%s/student.json", here->place);
    snprintf(here->ledger, sizeof here->rows, "%s/budget.ledger", here->place);
    FILE *rows = fopen(here->rows, "w"), *votes = fopen(here->votes, "w");
    assert_non_null(rows);
    assert_non_null(votes);
    fprintf(rows, "x,y\n");
    fprintf(votes, "no,<b>yes</b>,maybe\n");
    for (int q = 0; q < QUERIES; q++) {
        int64_t counts[3] = {0};
        counts[q % 3] = top_of(q);
        counts[(q + 1) % 3] = TEACHERS - top_of(q);
        fprintf(votes, "%lld,%lld,%lld\n", (long long)counts[0], (long long)counts[1],
                (long long)counts[2]);
        fprintf(rows, "%d,%s\n", 20 * (q % 3) + q % 10,
                q % 3 == 0   ? "no"
                : q % 3 == 1 ? "<b>yes</b>"
                             : "maybe");
    }
    assert_int_equal(fclose(rows), 0);
    assert_int_equal(fclose(votes), 0);
    assert_ok(
        sotto_schema_parse("s", schema_text, strlen(schema_text), &here->schema, &error),
        &error);
}

static void end(scene *here)
{
    sotto_schema_free(here->schema);
    scene_remove(here->place);
}

static sotto_pate_label_config asks(const scene *here, sotto_pate_aggregator aggregator)
{
    sotto_pate_label_config config = scene_label(aggregator, NULL, QUERIES);
    config.votes = here->votes;
    config.vote.adjacency = SOTTO_ADD_REMOVE;
    config.vote.unit = SOTTO_PATE_RECORDS;
    config.vote.touched = 1;
    config.vote.teachers = TEACHERS;
    config.output = here->labels;
    config.overwrite = true;
    config.insecure_test = false;
    if (aggregator == SOTTO_PATE_CONFIDENT) config.vote.threshold = 45.0;
    return config;
}

static sotto_pate_result *labelled(const scene *here,
                                   const sotto_pate_label_config *config)
{
    sotto_error error;
    sotto_pate_result *result = NULL;
    const sotto_data_file rows = {.path = here->rows};
    assert_ok(sotto_pate_label_rows(config, here->schema, &rows, &result, &error),
              &error);
    return result;
}

static char *page_of(const char *text, const sotto_report_config *config)
{
    sotto_error error;
    char *html = NULL;
    assert_ok(sotto_report_render("page", text, strlen(text), config, &html, &error),
              &error);
    return html;
}

/* Every link of the contents leads to a section. */
static void assert_links(const char *page)
{
    char id[64], wanted[80];
    size_t links = 0;
    for (const char *at = strstr(page, "href=\"#"); at != NULL;
         at = strstr(at + 1, "href=\"#")) {
        assert_int_equal(sscanf(at, "href=\"#%50[^\"]", id), 1);
        (void)snprintf(wanted, sizeof wanted, "id=\"%s\"", id);
        assert_non_null(strstr(page, wanted));
        links++;
    }
    assert_true(links > 6);
}

/* The number behind "key": in a text. */
static double number_behind(const char *text, const char *key)
{
    const char *found = strstr(text, key);
    assert_non_null(found);
    return strtod(strchr(found, ':') + 1, NULL);
}

/* ---- the agreement ---- */

/* One line of the plan, released once, certified with the labels, and within six deviations of the truth: a probability of
 * 2e-9 that it is not. */
static void the_agreement_is_one_paid_release(void **state)
{
    (void)state;
    scene here;
    begin(&here);
    /* The others: test_pate_tapes.c */
    for (int kind = SOTTO_PATE_GNMAX; kind <= SOTTO_PATE_CONFIDENT; kind++) {
        sotto_error error;
        sotto_certificate_summary plain, paid;
        sotto_pate_agreement agreement;
        sotto_pate_label_config config = asks(&here, (sotto_pate_aggregator)kind);
        sotto_pate_result *labels = labelled(&here, &config);
        const char *text = sotto_pate_json(labels);
        assert_ok(sotto_certificate_summarize(text, strlen(text), &plain, &error),
                  &error);
        assert_false(sotto_pate_agreed(labels, &agreement));
        assert_null(strstr(text, "agreement"));
        sotto_pate_free(labels);

        config.agreement.noise = 1.25;
        labels = labelled(&here, &config);
        text = sotto_pate_json(labels);
        assert_ok(sotto_certificate_summarize(text, strlen(text), &paid, &error), &error);
        assert_true(paid.is_verified);
        assert_true(paid.epsilon > plain.epsilon);
        assert_non_null(strstr(text, "labels (agreement)"));
        assert_non_null(strstr(sotto_pate_certificate(labels), "1 of at most 1"));
        assert_true(number_behind(text, "\"queries\"") == (double)QUERIES);
        assert_true(sotto_pate_agreed(labels, &agreement));
        double mean = 0.0;
        for (int q = 0; q < QUERIES; q++)
            mean += (double)top_of(q) / (QUERIES * TEACHERS);
        assert_within(agreement.mean, mean - 6.0 * agreement.mean_deviation,
                      mean + 6.0 * agreement.mean_deviation);
        sotto_pate_free(labels);
    }
    end(&here);
}

/* All rows of the cap are looked at, however few are answered; an epsilon pays for both, so that fewer answers fit. */
static void the_agreement_comes_out_of_the_same_epsilon(void **state)
{
    (void)state;
    scene here;
    begin(&here);
    uint64_t answers[2];
    for (int i = 0; i < 2; i++) {
        sotto_error error;
        sotto_certificate_summary summary;
        sotto_pate_label_config config = asks(&here, SOTTO_PATE_CONFIDENT);
        config.epsilon = 12.0;
        config.answers = 0;
        config.vote.threshold = -100.0; /* every test passes */
        if (i == 1) config.agreement.noise = 0.75;
        sotto_pate_result *labels = labelled(&here, &config);
        const char *text = sotto_pate_json(labels);
        assert_ok(sotto_certificate_summarize(text, strlen(text), &summary, &error),
                  &error);
        assert_true(summary.is_verified && summary.epsilon <= 12.0);
        answers[i] = sotto_pate_answered(labels);
        assert_true(sotto_pate_asked(labels) < QUERIES);
        if (i == 1) assert_true(number_behind(text, "\"queries\"") == (double)QUERIES);
        assert_true(sotto_pate_realised_epsilon(labels) <= summary.epsilon);
        sotto_pate_free(labels);
    }
    assert_true(answers[1] < answers[0]);
    end(&here);
}

static void an_agreement_without_its_numbers_is_refused(void **state)
{
    (void)state;
    scene here;
    sotto_error error;
    sotto_pate_result *result = NULL;
    begin(&here);
    sotto_pate_label_config config = asks(&here, SOTTO_PATE_GNMAX);
    config.agreement.noise = 2.0;
    config.vote.teachers = 0;
    assert_refused(sotto_pate_label_rows(&config, here.schema, NULL, &result, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "`ensemble` is 0", NULL);
    config.vote.teachers = TEACHERS;
    config.agreement.bins = TEACHERS + 1;
    assert_refused(sotto_pate_label_rows(&config, here.schema, NULL, &result, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "`agreement_bins` is 61", NULL);
    config.agreement.bins = 0;
    config.agreement.noise = -1.0;
    assert_refused(sotto_pate_label_rows(&config, here.schema, NULL, &result, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "votes a query", NULL);
    config.agreement.noise = 0.01; /* more than all of epsilon */
    config.epsilon = 1.0;
    assert_refused(sotto_pate_label_rows(&config, here.schema, NULL, &result, &error),
                   SOTTO_UNREACHABLE, &error, NULL);
    end(&here);
}

/* ---- pages ---- */

static void pages_of_labels_show_the_agreement_only_if_it_was_paid_for(void **state)
{
    (void)state;
    scene here;
    begin(&here);
    const sotto_report_config report = sotto_report_defaults();
    for (int i = 0; i < 2; i++) {
        sotto_pate_label_config config = asks(&here, SOTTO_PATE_CONFIDENT);
        if (i == 1) config.agreement.noise = 0.75;
        sotto_pate_result *labels = labelled(&here, &config);
        char *page = page_of(sotto_pate_json(labels), &report);
        assert_non_null(strstr(page, ", verified</strong>"));
        assert_non_null(strstr(page, "Private labels of y"));
        assert_non_null(strstr(page, "id=\"course-plot-title\""));
        assert_true((strstr(page, "Not shown: it was not released") != NULL) == (i == 0));
        assert_true((strstr(page, "Share of the queries with") != NULL) == (i == 1));
        assert_null(strstr(page, "<b>yes</b>"));
        assert_non_null(strstr(page, "&lt;b&gt;yes&lt;/b&gt;"));
        assert_null(strstr(page, "this model"));
        assert_links(page);
        sotto_free(page);
        sotto_pate_free(labels);
    }
    end(&here);
}

/* Of a student: the labels of his own certificate, his score, the labels' charge, and no claim that there was no noise. */
static void pages_of_students_show_their_labels(void **state)
{
    (void)state;
    scene here;
    sotto_error error;
    begin(&here);
    sotto_ledger_config budget = sotto_ledger_defaults();
    strcpy(budget.dataset, "scene");
    budget.epsilon = 300.0;
    budget.adjacency = SOTTO_ADD_REMOVE;
    budget.delta = 1e-3;
    assert_ok(sotto_ledger_init(here.ledger, &budget, &error), &error);
    sotto_pate_label_config config = asks(&here, SOTTO_PATE_GNMAX);
    config.ledger = here.ledger;
    config.agreement.noise = 0.75;
    config.delta = 1e-3;
    sotto_pate_result *labels = labelled(&here, &config), *student = NULL;
    const sotto_data_file rows = {.path = here.rows};
    sotto_pate_student_config learn = sotto_pate_student_defaults();
    learn.training.model = SOTTO_MODEL_SOFTMAX;
    learn.training.output = here.student;
    learn.labels = here.labels;
    assert_ok(sotto_pate_student(&learn, &rows, &student, &error), &error);
    const char *text = sotto_pate_json(student);

    sotto_report_config report = sotto_report_defaults();
    char *page = page_of(text, &report);
    assert_non_null(strstr(page, "give it with --taught-by"));
    assert_null(strstr(page, "course-plot"));
    assert_null(strstr(page, "no noise was added"));
    assert_non_null(strstr(page, "by way of teachers, on records that stay secret. Noise "
                                 "was added on purpose"));
    assert_null(strstr(page, "Random sampling"));
    sotto_free(page);

    report.labels = here.labels;
    report.data.path = here.rows;
    report.ledger = here.ledger;
    report.threads = 1;
    page = page_of(text, &report);
    assert_non_null(strstr(page, "course-plot"));
    assert_non_null(strstr(page, "Share of the queries with"));
    assert_non_null(strstr(page, "(its labels)"));
    assert_non_null(strstr(page, "Confusion matrix"));
    assert_null(strstr(page, "not on the ledger"));
    assert_null(strstr(page, "declare the rows public"));
    assert_links(page);
    sotto_free(page);

    /* Other labels than his are not shown as his, and a model that is no student has none. */
    char *other_page = NULL;
    config.ledger = NULL;
    sotto_pate_free(labels);
    labels = labelled(&here, &config);
    assert_refused(
        sotto_report_render("s", text, strlen(text), &report, &other_page, &error),
        SOTTO_INVALID_ARGUMENT, &error, "not the labels that the student was trained on",
        NULL);
    report.data.path = NULL;
    const char *own = sotto_pate_json(labels);
    assert_refused(
        sotto_report_render("l", own, strlen(own), &report, &other_page, &error),
        SOTTO_INVALID_ARGUMENT, &error, "student", NULL);
    sotto_pate_free(labels);
    sotto_pate_free(student);
    end(&here);
}

static void changed_labels_have_no_page(void **state)
{
    (void)state;
    scene here;
    sotto_error error;
    begin(&here);
    const sotto_report_config report = sotto_report_defaults();
    sotto_pate_label_config config = asks(&here, SOTTO_PATE_GNMAX);
    config.agreement.noise = 0.75;
    sotto_pate_result *labels = labelled(&here, &config);
    static const char *const keys[] = {"\"sums\": [", "\"asked\": ", "\"rows\": [",
                                       "\"teachers\": "};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        char *html = NULL;
        char *text = sot_copy_string(sotto_pate_json(labels));
        assert_non_null(text);
        char *digit = strstr(text, keys[i]) + strlen(keys[i]);
        while (*digit < '0' || *digit > '9')
            digit++;
        *digit = *digit == '3' ? '2' : '3';
        assert_refused(
            sotto_report_render("l", text, strlen(text), &report, &html, &error),
            SOTTO_VERIFICATION, &error, "changed", NULL);
        sot_free(text);
    }
    sotto_pate_free(labels);
    end(&here);
}

/* A seed's labels have a page that says so first. */
static void labels_of_a_seed_are_told_from_private_ones(void **state)
{
    (void)state;
    scene here;
    begin(&here);
    const sotto_report_config report = sotto_report_defaults();
    sotto_pate_label_config config = asks(&here, SOTTO_PATE_GNMAX);
    config.insecure_test = true;
    sotto_pate_result *labels = labelled(&here, &config);
    char *page = page_of(sotto_pate_json(labels), &report);
    assert_non_null(strstr(page, "Do not publish these labels: treat them"));
    assert_null(strstr(page, "Private labels"));
    sotto_free(page);
    sotto_pate_free(labels);
    end(&here);
}

/* With the 1st, 2nd, ... allocation failing: an error, no leak, and no half a page. */
static void no_allocation_failure_leaks_or_lies(void **state)
{
    (void)state;
    scene here;
    sotto_error error;
    begin(&here);
    const sotto_report_config report = sotto_report_defaults();
    sotto_pate_label_config config = asks(&here, SOTTO_PATE_CONFIDENT);
    config.agreement.noise = 0.75;
    config.ask = config.answers = 4;
    sotto_pate_result *labels = labelled(&here, &config);
    const char *text = sotto_pate_json(labels);
    for (size_t nth = 1;; nth += 1 + nth / 3) {
        char *html = NULL;
        (void)sot_test_fail_allocation(nth);
        const sotto_status status =
            sotto_report_render("l", text, strlen(text), &report, &html, &error);
        const bool failed = sot_test_fail_allocation(0) >= nth;
        assert_int_equal(status == SOTTO_OK, html != NULL);
        sotto_free(html);
        assert_int_equal(status, failed ? SOTTO_OUT_OF_MEMORY : SOTTO_OK);
        if (!failed) break;
    }
    sotto_pate_free(labels);
    end(&here);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_agreement_is_one_paid_release),
        cmocka_unit_test(the_agreement_comes_out_of_the_same_epsilon),
        cmocka_unit_test(an_agreement_without_its_numbers_is_refused),
        cmocka_unit_test(pages_of_labels_show_the_agreement_only_if_it_was_paid_for),
        cmocka_unit_test(pages_of_students_show_their_labels),
        cmocka_unit_test(changed_labels_have_no_page),
        cmocka_unit_test(labels_of_a_seed_are_told_from_private_ones),
        cmocka_unit_test(no_allocation_failure_leaks_or_lies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
