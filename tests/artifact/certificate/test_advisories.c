/* Which files an advisory concerns. A file of each kind that 0.1.0 wrote is built from its stated facts; the files
 * of 0.1.0 itself are in tests/cli/verify. */
#include "artifact/certificate/certificates.h"

#include <sotto/version.h>

#define QUERY    "the rows that the query selects, once: "
#define FILE_    "the rows of the data file, once"
#define MEMORY   "the records handed over, once"
#define TEACHERS "the votes of 25 teachers, whose shards of the rows are disjoint, once"
#define COLUMN   "value of the column 'person' (at most 2 rows each)"
#define TABLE    "\"schema\": {\"columns\": [{\"name\": \"person\"}, {\"name\": \"age\"}]}"
#define MADE     "\"schema\": {\"columns\": [{\"name\": \"x0\"}, {\"name\": \"target__\"}]}"
#define MATRIX   "\"schema\": {\"features\": 3, \"labels\": [0, 1]}"
#define CLASSES  ", \"classes\": [\"0\", \"1\"]"
#define REPLACE                                                                          \
    "{\"adjacency\": \"replace-one\", \"events\": [{\"mechanism\": \"pure\", "           \
    "\"epsilon\": 0.375}]}"
#define ADD "{\"events\": [{\"mechanism\": \"pure\", \"epsilon\": 0.375}]}"

/* The text of a certified file as `version` would have made it. Free with free(). */
static char *file_of(const char *version, const char *plan, const char *unit,
                     const char *covered, const char *payload)
{
    sample made;
    char hash[SOTTO_HASH_HEX_BYTES];
    sotto_error error;
    const char *const list[] = {covered, NULL};
    sample_from_json(&made, plan, 0.0);
    made.certificate.facts.unit = unit;
    made.certificate.facts.covered = list;
    assert_ok(
        sot_certificate_attach(payload, &made.certificate, &made.text, hash, &error),
        &error);
    char stated[64];
    (void)snprintf(stated, sizeof stated, "\"version\": \"%s\"", sotto_version());
    const char *at = strstr(made.text, stated);
    assert_non_null(at);
    const size_t size = strlen(made.text) + strlen(version) + 1;
    char *text = malloc(size);
    assert_non_null(text);
    (void)snprintf(text, size, "%.*s\"version\": \"%s\"%s", (int)(at - made.text),
                   made.text, version, at + strlen(stated));
    sample_free(&made);
    return text;
}

/* "01 03": the last digits of the ids. */
static const char *found(const char *text, char out[64])
{
    const sotto_advisory *list[SOTTO_ADVISORIES_MAX];
    size_t count = 99;
    sotto_error error;
    assert_ok(sotto_certificate_advisories(text, strlen(text), list, &count, &error),
              &error);
    out[0] = '\0';
    for (size_t i = 0; i < count; i++) {
        const size_t used = strlen(out);
        (void)snprintf(out + used, 64 - used, "%s%s%s", i > 0 ? " " : "",
                       list[i]->id + strlen("SOTTO-2026-"),
                       list[i]->affects_privacy ? "" : "r");
    }
    return out;
}

static void assert_found(const char *plan, const char *unit, const char *covered,
                         const char *payload, const char *ids)
{
    char out[64];
    char *text = file_of("0.1.0", plan, unit, covered, payload);
    if (strcmp(found(text, out), ids) != 0)
        fail_msg("%s, %s, %s: found '%s', not '%s'", unit, covered, payload, out, ids);
    free(text);
    text = file_of("0.2.0", plan, unit, covered, payload);
    assert_string_equal(found(text, out), "");
    free(text);
}

static void a_filtered_query_under_replace_one_is_warned_of(void **state)
{
    (void)state;
    static const char *const filtered[] = {
        "SELECT * FROM t WHERE age > 30", "select * from t where age > 30",
        "SELECT * FROM \"t\"WHERE(age>30)", "SELECT * FROM t -- a?WHERE age > 30"};
    static const char *const whole[] = {"SELECT * FROM t", "SELECT nowhere FROM t",
                                        "SELECT where_born, age FROM elsewhere"};
    char covered[200];
    for (size_t i = 0; i < sizeof filtered / sizeof filtered[0]; i++) {
        (void)snprintf(covered, sizeof covered, QUERY "%s", filtered[i]);
        assert_found(REPLACE, "row", covered, "{\"statistic\": \"sum\"}", "01");
        assert_found(ADD, "row", covered, "{\"statistic\": \"sum\"}", "");
    }
    for (size_t i = 0; i < sizeof whole / sizeof whole[0]; i++) {
        (void)snprintf(covered, sizeof covered, QUERY "%s", whole[i]);
        assert_found(REPLACE, "row", covered, "{\"statistic\": \"sum\"}", "");
    }
    /* The end of a long query is not known. */
    assert_found(REPLACE, "row", QUERY "SELECT * FROM t ...", "{\"statistic\": \"sum\"}",
                 "01 08");
    assert_found(REPLACE, "row", TEACHERS, "{" TABLE "}", "01 09");
    assert_found(ADD, "row", TEACHERS, "{" TABLE "}", "09");
    assert_found(REPLACE, "row", "the table of votes, once", "{" TABLE "}", "");
    assert_found(REPLACE, "row", FILE_, "{\"statistic\": \"sum\"}", "10");
}

static void a_query_with_an_escape_is_warned_of(void **state)
{
    (void)state;
    static const char *const escaped[] = {
        "SELECT * FROM t WHERE 'a' LIKE 'b' ESCAPE '0' + age",
        "SELECT age LIKE 'b' escape'0' AS age FROM t", "SELECT * FROM t ..."};
    char covered[200];
    for (size_t i = 0; i < sizeof escaped / sizeof escaped[0]; i++) {
        (void)snprintf(covered, sizeof covered, QUERY "%s", escaped[i]);
        assert_found(ADD, "row", covered, "{\"statistic\": \"sum\"}", "08");
    }
    assert_found(ADD, "row", QUERY "SELECT escaped FROM t WHERE age > 1",
                 "{\"statistic\": \"sum\"}", "");
}

static void randomized_responses_of_a_query_are_warned_of(void **state)
{
    (void)state;
    const char *rr = "{\"statistic\": \"rr\"}";
    assert_found(REPLACE, "row", QUERY "SELECT * FROM t", rr, "02");
    assert_found(REPLACE, "row", QUERY "SELECT * FROM t WHERE age > 1", rr, "01 02");
    assert_found(REPLACE, "row", FILE_, rr, "10");
}

static void a_unit_that_a_query_may_rename_is_warned_of(void **state)
{
    (void)state;
    static const char *const renamed[] = {"SELECT rowid AS person, age FROM t",
                                          "SELECT rowid person FROM t",
                                          "SELECT *, age AS person FROM t",
                                          "SELECT person || age FROM t",
                                          "SELECT \"person\" FROM t",
                                          "SELECT person, rowid FROM t",
                                          "SELECT person, 1 FROM t",
                                          "SELECT person /* */, age FROM t",
                                          "SELECT person?, age FROM t",
                                          ""};
    static const char *const stored[] = {"SELECT * FROM t", "select*from t",
                                         "SELECT person, age FROM t WHERE age > 1",
                                         "  SELECT age,person  FROM t"};
    char covered[200];
    for (size_t i = 0; i < sizeof renamed / sizeof renamed[0]; i++) {
        (void)snprintf(covered, sizeof covered, QUERY "%s", renamed[i]);
        assert_found(ADD, COLUMN, covered, "{}", "03");
        assert_found(ADD, "row", covered, "{}", "");
    }
    for (size_t i = 0; i < sizeof stored / sizeof stored[0]; i++) {
        (void)snprintf(covered, sizeof covered, QUERY "%s", stored[i]);
        assert_found(ADD, COLUMN, covered, "{}", "");
    }
    assert_found(ADD, COLUMN, QUERY "SELECT person...", "{}", "03 08");
    assert_found(ADD, COLUMN, TEACHERS, "{" TABLE "}", "03 09");
    assert_found(ADD, COLUMN, FILE_, "{" TABLE "}", "10 11");
}

/* 0.1.0 wrote the same of a pipe and of a stored file. */
static void units_and_numbers_of_a_file_are_warned_of(void **state)
{
    (void)state;
    assert_found(ADD, COLUMN, FILE_, "{}", "10 11");
    assert_found(ADD, COLUMN, FILE_, "{" MATRIX "}", "05 10");
    assert_found(REPLACE, "row", FILE_, "{" TABLE "}", "10");
    assert_found(ADD, "row", FILE_, "{" TABLE "}", "");
    assert_found(REPLACE, COLUMN, QUERY "SELECT * FROM t", "{" TABLE "}", "");
}

static void tables_handed_over_are_warned_of(void **state)
{
    (void)state;
    assert_found(ADD, COLUMN, MEMORY, "{" TABLE "}", "04");
    assert_found(ADD, COLUMN, MEMORY, "{}", "04");
    assert_found(ADD, "row", MEMORY, "{" TABLE CLASSES "}", "04r");
    assert_found(ADD, COLUMN, MEMORY, "{" MATRIX "}", "");
    assert_found(ADD, "row", MEMORY, "{}", "");
}

static void files_read_as_libsvm_are_warned_of(void **state)
{
    (void)state;
    assert_found(ADD, "row", FILE_, "{" MATRIX CLASSES "}", "05");
    assert_found(ADD, "row", TEACHERS, "{" MATRIX "}", "05 09");
    assert_found(ADD, "row", FILE_, "{\"statistic\": \"accuracy\"}", "05");
    assert_found(ADD, "row", FILE_, "{" TABLE CLASSES "}", "");
    assert_found(ADD, "row", FILE_, "{\"statistic\": \"count\"}", "");
    assert_found(ADD, "row", QUERY "SELECT * FROM t", "{\"statistic\": \"accuracy\"}",
                 "");
}

static void label_sets_of_python_are_warned_of(void **state)
{
    (void)state;
    assert_found(ADD, "row", MEMORY, "{" MATRIX CLASSES "}", "06");
    assert_found(ADD, "row", MEMORY, "{" MADE CLASSES "}", "04r 06");
    assert_found(ADD, "row", MEMORY, "{" MATRIX "}", ""); /* numbers have no labels */
    assert_found(ADD, "row", MEMORY, "{\"schema\": {\"columns\": []}" CLASSES "}", "04r");
}

/* A model with `count` coefficients; free with free(). */
static char *wide(const char *model, const char *method, size_t count)
{
    const size_t size = 200 + 8 * count;
    char *text = malloc(size);
    assert_non_null(text);
    int used =
        snprintf(text, size,
                 "{\"model\": \"%s\", \"method\": \"%s\", " TABLE ", \"coefficients\": [",
                 model, method);
    for (size_t i = 0; i < count; i++)
        used += snprintf(text + used, size - (size_t)used, "%s\"0x1\"", i > 0 ? "," : "");
    (void)snprintf(text + used, size - (size_t)used, "]}");
    return text;
}

/* 182 rows of the noisy matrix are 182^2 > 32768 values: one is the target's in a linear model. */
static void many_columns_of_a_noisy_matrix_are_warned_of(void **state)
{
    (void)state;
    static const struct {
        const char *model, *method, *ids;
        size_t count;
    } cases[] = {
        {"linear", "statistics", "07", 181}, {"linear", "statistics", "", 180},
        {"linear", "adassp", "07", 181},     {"linear", "adassp", "", 180},
        {"linear", "objective", "", 400},    {"logistic", "newton", "07", 182},
        {"logistic", "newton", "", 181},     {"logistic", "objective", "", 400},
        {"softmax", "newton", "", 400},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char *payload = wide(cases[i].model, cases[i].method, cases[i].count);
        assert_found(ADD, "row", FILE_, payload, cases[i].ids);
        free(payload);
    }
}

/* The candidates that lost a tuning may have had another method. */
static void a_tuned_model_of_many_columns_is_warned_of(void **state)
{
    (void)state;
    sotto_error error;
    const sotto_selection selection = {.plan_count = 0};
    const sotto_advisory *list[SOTTO_ADVISORIES_MAX];
    sot_certificate_file file;
    char *payload = wide("logistic", "objective", 182);
    char *text = file_of("0.1.0", ADD, "row", FILE_, payload);
    assert_ok(sot_certificate_file_open(text, strlen(text), &file, &error), &error);
    assert_int_equal(sot_certificate_advisories(&file, list), 0);
    file.certificate.facts.selection = &selection;
    assert_int_equal(sot_certificate_advisories(&file, list), 1);
    assert_string_equal(list[0]->id, "SOTTO-2026-07");
    sot_certificate_file_close(&file);
    free(text);
    free(payload);
}

static void the_version_decides(void **state)
{
    (void)state;
    static const char *const before[] = {"0.1.0",     "0.1.9", "0.0.7",
                                         "0.1.0-rc1", "older", "1"};
    static const char *const after[] = {"0.2.0", "0.2.1", "0.10.0", "1.0.0", "0.2.0-rc1"};
    char out[64];
    for (size_t i = 0; i < sizeof before / sizeof before[0]; i++) {
        char *text = file_of(before[i], ADD, "row", FILE_, "{" MATRIX "}");
        assert_string_equal(found(text, out), "05");
        free(text);
    }
    for (size_t i = 0; i < sizeof after / sizeof after[0]; i++) {
        char *text = file_of(after[i], ADD, "row", FILE_, "{" MATRIX "}");
        assert_string_equal(found(text, out), "");
        free(text);
    }
}

/* Members of other kinds than sotto writes, and certificates that callers of the library word themselves. */
static void strange_files_are_read_without_harm(void **state)
{
    (void)state;
    assert_found(ADD, "row", "one pass over the rows", "{" MATRIX CLASSES "}", "");
    assert_found(ADD, "row", FILE_, "{\"schema\": 1, \"statistic\": 2, \"model\": []}",
                 "");
    assert_found(ADD, "row", MEMORY, "{\"schema\": {\"columns\": [7]}" CLASSES "}",
                 "04r");
    assert_found(ADD, "row", FILE_,
                 "{\"model\": \"linear\", \"method\": \"adassp\", " TABLE "}", "07");
    const sotto_advisory *list[SOTTO_ADVISORIES_MAX];
    size_t count = 0;
    sotto_error error;
    assert_refused(sotto_certificate_advisories("{}", 2, list, &count, &error),
                   SOTTO_VERIFICATION, &error, "no certificate", NULL);
}

static void the_summary_and_the_page_warn_too(void **state)
{
    (void)state;
    sotto_error error;
    sotto_certificate_summary summary;
    char *page = NULL;
    char *text = file_of("0.1.0", REPLACE, "row", QUERY "SELECT * FROM t WHERE age > 1",
                         "{\"statistic\": \"sum\"}");
    assert_ok(sotto_certificate_summarize(text, strlen(text), &summary, &error), &error);
    assert_int_equal(summary.advisory_count, 1);
    assert_string_equal(summary.advisories[0]->id, "SOTTO-2026-01");
    assert_ok(sotto_certificate_render(text, strlen(text), SOTTO_CERTIFICATE_MARKDOWN,
                                       &page, &error),
              &error);
    assert_non_null(strstr(page, "advisory SOTTO-2026-01"));
    assert_non_null(strstr(page, summary.advisories[0]->remedy));
    sotto_free(page);
    free(text);
}

/* SECURITY.md and CHANGELOG.md name every advisory, and each advisory says what to do. */
static void every_advisory_is_published(void **state)
{
    (void)state;
    static const char *const paths[] = {SOTTO_TEST_VECTORS "/../../SECURITY.md",
                                        SOTTO_TEST_VECTORS "/../../CHANGELOG.md"};
    static char text[1 << 18];
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        FILE *file = fopen(paths[i], "rb");
        assert_non_null(file);
        const size_t size = fread(text, 1, sizeof text - 1, file);
        assert_true(size < sizeof text - 1);
        text[size] = '\0';
        (void)fclose(file);
        for (size_t k = 0; sotto_advisory_at(k) != NULL; k++)
            assert_non_null(strstr(text, sotto_advisory_at(k)->id));
    }
    assert_non_null(sotto_advisory_at(0));
    for (size_t k = 0; sotto_advisory_at(k) != NULL; k++) {
        assert_int_equal(strlen(sotto_advisory_at(k)->id), strlen("SOTTO-2026-01"));
        assert_true(strlen(sotto_advisory_at(k)->effect) > 40);
        assert_true(strlen(sotto_advisory_at(k)->remedy) > 40);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_filtered_query_under_replace_one_is_warned_of),
        cmocka_unit_test(a_query_with_an_escape_is_warned_of),
        cmocka_unit_test(randomized_responses_of_a_query_are_warned_of),
        cmocka_unit_test(a_unit_that_a_query_may_rename_is_warned_of),
        cmocka_unit_test(units_and_numbers_of_a_file_are_warned_of),
        cmocka_unit_test(tables_handed_over_are_warned_of),
        cmocka_unit_test(files_read_as_libsvm_are_warned_of),
        cmocka_unit_test(label_sets_of_python_are_warned_of),
        cmocka_unit_test(many_columns_of_a_noisy_matrix_are_warned_of),
        cmocka_unit_test(a_tuned_model_of_many_columns_is_warned_of),
        cmocka_unit_test(the_version_decides),
        cmocka_unit_test(strange_files_are_read_without_harm),
        cmocka_unit_test(the_summary_and_the_page_warn_too),
        cmocka_unit_test(every_advisory_is_published),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
