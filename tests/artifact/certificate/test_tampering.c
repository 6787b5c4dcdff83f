/* Forgers: they change one thing, and the better ones compute the hash again. */
#include "artifact/certificate/certificates.h"

#include "base/json/canonical.h"
#include "base/memory.h"
#include "base/text.h"
#include "numeric/outward.h"

enum { PATH_BYTES = 128 };

/* Copies a document and forges leaf number `target` on the way. */
typedef struct forger {
    sot_json_writer *writer;
    size_t target, seen;
    char path[PATH_BYTES]; /* of the forged leaf; empty: there was no such leaf */
    const char *new_hash;  /* NULL: the hash stays */
    enum { CHANGE, WRONG_KIND, REMOVE } how;
} forger;

static bool is_in_plan(const char *path)
{
    return strncmp(path, "certificate.plan", 16) == 0;
}

/* The least change that matters: the next double, the next integer, another last letter. What
 * the claims are computed from changes by a thousandth, so that they do. */
static void forge(forger *self, const sot_json_value *leaf, const char *path)
{
    if (self->how == WRONG_KIND) { /* nothing in a certificate is an empty object */
        sot_json_begin_object(self->writer);
        sot_json_end_object(self->writer);
        return;
    }
    double number;
    int64_t whole;
    bool truth;
    const char *text;
    sotto_error error;
    char changed[SOT_STATEMENT_BYTES];
    switch (sot_json_kind_of(leaf)) {
    case SOT_JSON_REAL:
        assert_ok(sot_json_as_double(leaf, &number, &error), &error);
        if (strstr(path, "sampler_error") != NULL) {
            number += 1e-9;
        } else {
            number = is_in_plan(path) ? number * 1.001 : sot_next_up(number);
        }
        sot_json_write_double(self->writer, number);
        return;
    case SOT_JSON_INTEGER:
        assert_ok(sot_json_as_int64(leaf, &whole, &error), &error);
        sot_json_write_int64(self->writer, whole + 1);
        return;
    case SOT_JSON_BOOLEAN:
        assert_ok(sot_json_as_bool(leaf, &truth, &error), &error);
        sot_json_write_bool(self->writer, !truth);
        return;
    case SOT_JSON_STRING:
        assert_ok(sot_json_as_string(leaf, &text, &error), &error);
        (void)snprintf(changed, sizeof changed, "%s", text);
        char *last = &changed[strlen(changed) - 1];
        *last = *last == 'a' ? 'b' : 'a';
        sot_json_write_string(self->writer, changed);
        return;
    case SOT_JSON_NULL:
        sot_json_write_double(self->writer, 0.5);
        return;
    case SOT_JSON_OBJECT:
    case SOT_JSON_ARRAY:
        fail();
    }
}

static void copy(forger *self, const sot_json_value *value, const char *path)
{
    char below[PATH_BYTES];
    sot_json_value member;
    switch (sot_json_kind_of(value)) {
    case SOT_JSON_OBJECT:
        sot_json_begin_object(self->writer);
        for (bool more = sot_json_first_member(value, &member); more;
             more = sot_json_next_member(&member)) {
            const char *key = sot_json_key_of(&member);
            (void)snprintf(below, sizeof below, "%s%s%s", path, path[0] ? "." : "", key);
            if (self->how == REMOVE && self->seen++ == self->target) {
                (void)snprintf(self->path, sizeof self->path, "%s", below);
                continue;
            }
            sot_json_key(self->writer, key);
            copy(self, &member, below);
        }
        sot_json_end_object(self->writer);
        return;
    case SOT_JSON_ARRAY:
        sot_json_begin_array(self->writer);
        for (size_t i = 0; i < sot_json_size(value); i++) {
            const sot_json_value item = sot_json_item(value, i);
            (void)snprintf(below, sizeof below, "%s[%zu]", path, i);
            copy(self, &item, below);
        }
        sot_json_end_array(self->writer);
        return;
    case SOT_JSON_STRING:
    case SOT_JSON_INTEGER:
    case SOT_JSON_REAL:
    case SOT_JSON_BOOLEAN:
    case SOT_JSON_NULL:
        break;
    }
    const bool is_target = self->how != REMOVE && self->seen++ == self->target;
    if (is_target) (void)snprintf(self->path, sizeof self->path, "%s", path);
    if (self->new_hash != NULL && strcmp(path, "certificate.hash") == 0) {
        sot_json_write_string(self->writer, self->new_hash);
    } else if (is_target) {
        forge(self, value, path);
    } else {
        sot_json_copy(self->writer, value, false, NULL);
    }
}

static char *forged_how(const char *text, int how, size_t target, const char *new_hash,
                        char path[PATH_BYTES])
{
    forger self = {.target = target, .new_hash = new_hash, .how = how};
    sotto_error error;
    sot_json *document;
    const char *written;
    size_t size;
    assert_ok(sot_json_parse(NULL, text, strlen(text), strlen(text), &document, &error),
              &error);
    assert_ok(sot_json_writer_new(true, &self.writer, &error), &error);
    const sot_json_value root = sot_json_root(document);
    copy(&self, &root, "");
    assert_ok(sot_json_writer_finish(self.writer, &written, &size, &error), &error);
    char *result = sot_copy_string(written);
    assert_non_null(result);
    sot_json_writer_free(self.writer);
    sot_json_free(document);
    memcpy(path, self.path, PATH_BYTES);
    return result;
}

static char *forged_text(const char *text, size_t target, const char *new_hash,
                         char path[PATH_BYTES])
{
    return forged_how(text, CHANGE, target, new_hash, path);
}

/* The hash that a file should have. */
static void right_hash(const char *text, char out_hash[SOTTO_HASH_HEX_BYTES])
{
    sotto_error error;
    sot_json *document;
    sot_json_value certificate, hash;
    assert_ok(sot_json_parse(NULL, text, strlen(text), strlen(text), &document, &error),
              &error);
    const sot_json_value root = sot_json_root(document);
    assert_true(sot_json_member(&root, "certificate", &certificate));
    assert_true(sot_json_member(&certificate, "hash", &hash));
    assert_ok(sot_certificate_hash(&root, &certificate, out_hash, &error), &error);
    sot_json_free(document);
}

/* The same text with the right hash again. Free with sot_free(). */
static char *rehashed(const char *text)
{
    char hash[SOTTO_HASH_HEX_BYTES], path[PATH_BYTES];
    right_hash(text, hash);
    return forged_text(text, SIZE_MAX, hash, path);
}

static void makes(const char *plan, double delta, bool ledger, sample *made)
{
    sample_from_json(made, plan, delta);
    if (ledger) sample_add_ledger(made, delta == 0.0);
    (void)sample_text(made);
}

static const struct {
    const char *plan;
    double delta;
    bool ledger;
} files[] = {{SAMPLE_PURE, 0.0, true},
             {SAMPLE_PURE, 1e-6, false},
             {SAMPLE_GAUSSIAN, 1e-6, true},
             {SAMPLE_ZCDP, 3e-7, true}};
enum { FILES = sizeof files / sizeof files[0] };

static void every_changed_leaf_fails(void **state)
{
    (void)state;
    for (size_t i = 0; i < FILES; i++) {
        sample made;
        makes(files[i].plan, files[i].delta, files[i].ledger, &made);
        size_t target = 0;
        for (;; target++) {
            char path[PATH_BYTES];
            sotto_error error;
            char *text = forged_text(made.text, target, NULL, path);
            const bool done = path[0] == '\0';
            const sotto_status status =
                sotto_certificate_verify(text, strlen(text), &error);
            sot_free(text);
            if (done) {
                assert_ok(status, &error);
                break;
            }
            if (status != SOTTO_VERIFICATION) print_error("%s was not noticed\n", path);
            assert_int_equal(status, SOTTO_VERIFICATION);
        }
        assert_true(target > 60);
        sample_free(&made);
    }
}

/* Facts that nothing else in the file speaks of: only the hash guards them, and a forger who
 * computes it again is not found out. A sigma above what the noise multiplier says understates
 * the privacy. The ledger's epsilon, delta and order are compared with its budget to 1e-9, which
 * is more than the last bit that is changed here. Everything else is recomputed. */
static bool is_free(const char *path)
{
    static const char *const beginnings[] = {"value",
                                             "half",
                                             "name",
                                             "request",
                                             "certificate.covered",
                                             "certificate.unprotected",
                                             "certificate.tuning",
                                             "certificate.route",
                                             "certificate.software",
                                             "certificate.ledger.epsilon",
                                             "certificate.ledger.delta",
                                             "certificate.ledger.order",
                                             "certificate.ledger.before.epsilon_spent",
                                             "certificate.ledger.after.epsilon_spent",
                                             "certificate.ledger.before.head",
                                             "certificate.ledger.after.head",
                                             NULL};
    static const char *const endings[] = {".purpose", ".grid", ".sigma", NULL};
    if (strstr(path, "delta_") != NULL || strcmp(path, "certificate.software.name") == 0)
        return false;
    for (size_t i = 0; beginnings[i] != NULL; i++)
        if (strncmp(path, beginnings[i], strlen(beginnings[i])) == 0) return true;
    for (size_t i = 0; endings[i] != NULL; i++) {
        const size_t length = strlen(endings[i]);
        if (strlen(path) > length &&
            strcmp(path + strlen(path) - length, endings[i]) == 0)
            return strcmp(endings[i], ".sigma") != 0 || strstr(path, "events[0]") != NULL;
    }
    return false;
}

static void every_changed_claim_fails_though_the_hash_is_right(void **state)
{
    (void)state;
    for (size_t i = 0; i < FILES; i++) {
        sample made;
        makes(files[i].plan, files[i].delta, files[i].ledger, &made);
        const bool is_pure = files[i].delta == 0.0;
        const bool is_discrete = strcmp(files[i].plan, SAMPLE_ZCDP) == 0;
        const bool is_laplace = strstr(files[i].plan, "discrete-laplace") != NULL;
        const bool is_replaced = strstr(files[i].plan, "replace-one") != NULL;
        for (size_t target = 0;; target++) {
            char path[PATH_BYTES];
            sotto_error error;
            char *changed = forged_text(made.text, target, NULL, path);
            char *text = rehashed(changed);
            const sotto_status status =
                sotto_certificate_verify(text, strlen(text), &error);
            sot_free(changed);
            sot_free(text);
            if (path[0] == '\0') break;
            /* A discrete Gaussian is priced by its sigma, a pure ledger has no order and no
             * delta, and the grid says whether a discrete Laplace event has a lower bound. */
            /* Whether the rows of a replace-one release were selected is a fact that the rest does not tell. */
            const bool may_pass =
                strcmp(path, "certificate.hash") == 0 ||
                (is_replaced && strcmp(path, "certificate.rows_public") == 0) ||
                (is_free(path) && !(is_discrete && strstr(path, ".sigma") != NULL) &&
                 !(is_pure && (strstr(path, ".order") != NULL ||
                               strcmp(path, "certificate.ledger.delta") == 0)) &&
                 !(is_laplace && strstr(path, ".grid") != NULL));
            if ((status == SOTTO_OK) == may_pass) continue;
            print_error("%s: %s\n", path, status == SOTTO_OK ? "passed" : error.message);
            fail();
        }
        sample_free(&made);
    }
}

/* Members that a certificate may do without: what the hash alone guards. */
static bool is_optional(const char *path)
{
    return strncmp(path, "certificate", 11) != 0 || strstr(path, ".purpose") != NULL ||
           strstr(path, ".grid") != NULL || strstr(path, ".sampling") != NULL;
}

static void what_is_missing_or_of_the_wrong_kind_fails(void **state)
{
    (void)state;
    for (size_t i = 0; i < FILES; i++) {
        sample made;
        makes(files[i].plan, files[i].delta, files[i].ledger, &made);
        for (int how = WRONG_KIND; how <= REMOVE; how++) {
            for (size_t target = 0;; target++) {
                char path[PATH_BYTES];
                sotto_error error;
                char *text = forged_how(made.text, how, target, NULL, path);
                if (path[0] != '\0' && !is_optional(path)) {
                    const sotto_status status =
                        sotto_certificate_verify(text, strlen(text), &error);
                    if (status != SOTTO_VERIFICATION) print_error("%s passed\n", path);
                    assert_int_equal(status, SOTTO_VERIFICATION);
                    /* It is not the hash that found it, unless it is the hash. */
                    if (strstr(path, ".hash") == NULL)
                        assert_null(strstr(error.message, "certificate.hash states"));
                }
                sot_free(text);
                if (path[0] == '\0') break;
            }
        }
        sample_free(&made);
    }
}

/* Replaces the first `from` by `to` in a copy, with the hash right again. */
static char *replaced(const char *text, const char *from, const char *to)
{
    const char *at = strstr(text, from);
    assert_non_null(at);
    const size_t before = strlen(text) - strlen(at);
    const size_t size = strlen(text) + strlen(to) + 1;
    char *changed = calloc(size, 1);
    assert_non_null(changed);
    (void)snprintf(changed, size, "%.*s%s%s", (int)before, text, to, at + strlen(from));
    char *result = rehashed(changed);
    free(changed);
    return result;
}

static void assert_found(const char *text, const char *from, const char *to,
                         const char *first_word, const char *second_word)
{
    sotto_error error;
    char *forged = replaced(text, from, to);
    assert_refused(sotto_certificate_verify(forged, strlen(forged), &error),
                   SOTTO_VERIFICATION, &error, first_word, second_word, NULL);
    sot_free(forged);
}

static void the_first_difference_is_named(void **state)
{
    (void)state;
    sample made;
    makes(SAMPLE_GAUSSIAN, 1e-6, true, &made);
    char number[SOT_DOUBLE_TEXT_BYTES], stated[64];
    sot_format_double(made.certificate.claims.epsilon, number);
    (void)snprintf(stated, sizeof stated, "\"epsilon\": %s", number);
    assert_found(made.text, stated, "\"epsilon\": 1.123",
                 "certificate.epsilon states 1.123", "recomputed 3.42");
    assert_found(made.text, "\"delta\": 1e-6", "\"delta\": 1e-7",
                 "certificate.epsilon states", "recomputed");
    assert_found(made.text, "\"noise_multiplier\": 2.375", "\"noise_multiplier\": 2.4",
                 "noise_multiplier", "only 2.375");
    assert_found(made.text, "\"sigma\": 4.75", "\"sigma\": 4.5", "noise_multiplier",
                 "only 2.25");
    assert_found(made.text, "\"count\": 3", "\"count\": 2", "released[0] is 3",
                 "plan says 2");
    assert_found(made.text, "\"rows_public\": false", "\"rows_public\": true",
                 "certificate.rows_public states true", "recomputed false");
    assert_found(made.text, "\"rows_public\": false", "\"rows_public\": false, \"x\": 1",
                 "certificate.x states 1", "recomputed nothing");
    assert_found(made.text, "\"rows_public\": false,", "",
                 "certificate.rows_public states nothing", "recomputed false");
    assert_found(made.text, "\"unit\": \"row\"", "\"unit\": \"person\"",
                 "certificate.statement states", "recomputed");
    assert_found(made.text, "\"version\": 2,", "\"version\": 3,",
                 "certificate.version is 3", "newer");
    assert_found(made.text, "\"version\": 2,", "\"version\": 1,",
                 "certificate.version is 1", "no member \"request\"");
    assert_found(made.text, "\"version\": 2,", "\"version\": 0,",
                 "certificate.version is 0", "1 or 2");
    assert_found(made.text, "\"private\": true", "\"private\": false",
                 "noise_source states \"operating system\"", "TEST SEED");
    assert_found(made.text, "\"order\": 12.0", "\"order\": 24.0", "ledger.charged states",
                 "recomputed at least");
    assert_found(made.text, "\"profile\": [",
                 "\"profile\": [{\"delta\": 0.5, \"epsilon\": 0.0,"
                 "\"epsilon_lower\": 0.0},",
                 "profile", "too many rows");
    sample_free(&made);
}

static void what_cannot_be_read_is_refused_by_name(void **state)
{
    (void)state;
    sample made;
    char longer[SOT_SOFTWARE_BYTES + 32], many[2048] = "\"covered\": [\"a\"";
    makes(SAMPLE_GAUSSIAN, 1e-6, true, &made);
    (void)snprintf(longer, sizeof longer, "\"arithmetic\": \"%0*d", SOT_SOFTWARE_BYTES,
                   1);
    for (int i = 0; i < SOT_LIST_MAX; i++)
        (void)snprintf(many + strlen(many), sizeof many - strlen(many), ", \"a\"");
    (void)snprintf(many + strlen(many), sizeof many - strlen(many), ", ");
    assert_found(made.text, "\"sampler_error\": ", "\"sampler_error\": -",
                 "sampler_error", "never below 0");
    assert_found(made.text, "\"charged\": ", "\"charged\": -", "charged",
                 "never below 0");
    assert_found(made.text, "\"entries\": 5", "\"entries\": -5", "entries", "a count");
    assert_found(made.text, "\"released\": [3", "\"released\": [-3", "released[0]",
                 "a count");
    assert_found(made.text, "\"released\": [3", "\"released\": [3, 3", "released",
                 "one count for each event");
    assert_found(made.text, "\"arithmetic\": \"", longer, "arithmetic", "too long");
    assert_found(made.text, "\"covered\": [", many, "covered", "too many entries");
    assert_found(made.text, "\"kernel\": \"closed", "\"kernel\": \"open", "kernel",
                 "no such kernel");
    assert_found(made.text, "\"attack\": [",
                 "\"attack\": [{\"false_positive_rate\": 0.0, "
                 "\"true_positive_rate\": 0.0},",
                 "attack", "another number of rows");
    assert_found(made.text, "\"guarantees\": [", "\"guarantees\": [1, ",
                 "guarantees[0] is 1", "object");
    assert_found(made.text, "\"attack\": [", "\"attack\": [{}], \"attack2\": [", "attack",
                 "another number of rows");
    assert_found(made.text, "\"profile\": [", "\"profile\": [], \"profile2\": [",
                 "profile", "another number of rows");
    assert_found(made.text, "\"count\": 3", "\"count\": \"search\"",
                 "plan.events[0].count", "search");
    assert_found(made.text, "\"order\": 12.0", "\"order\": null", "ledger.charged",
                 "cannot be recomputed");
    assert_found(made.text, "\"adjacency\": \"add-remove\",\n      \"epsilon\"",
                 "\"adjacency\": \"both\",\n      \"epsilon\"", "adjacency", "both");
    sample_free(&made);
}

static void a_headline_without_a_finite_epsilon_fails(void **state)
{
    (void)state;
    sample made;
    makes(SAMPLE_PURE, 0.0, false, &made);
    assert_found(made.text, "\"sampler_error\": 0.0", "\"sampler_error\": 1e-12",
                 "certificate.epsilon cannot be recomputed", "delta 0");
    sample_free(&made);
}

static void a_changed_payload_is_a_wrong_hash(void **state)
{
    (void)state;
    sample made;
    sotto_error error;
    makes(SAMPLE_PURE, 0.0, false, &made);
    char *value = strstr(made.text, "1023");
    assert_non_null(value);
    memcpy(value, "1024", 4);
    assert_refused(sotto_certificate_verify(made.text, strlen(made.text), &error),
                   SOTTO_VERIFICATION, &error, "certificate.hash states", "recomputed",
                   NULL);
    sample_free(&made);
}

/* ---- other software ---- */

/* The sample's text as if another version had made it, with another headline. */
static char *by_another_version(const sample *made, double epsilon)
{
    sample other = *made; /* shares the plan */
    sotto_error error;
    sot_json *document;
    sot_json_writer *writer;
    const char *text;
    size_t size;
    (void)snprintf(other.certificate.software.version, SOT_SOFTWARE_BYTES, "0.0.9");
    other.certificate.claims.epsilon = epsilon;
    for (size_t i = 0; i < other.certificate.claims.guarantee_count; i++) {
        sot_guarantee *row = &other.certificate.claims.guarantees[i];
        if (row->delta == other.certificate.claims.delta) row->epsilon = epsilon;
        row->epsilon_lower = 0.25; /* not compared */
    }
    sot_statement_write(&other.certificate);
    assert_ok(sot_json_writer_new(false, &writer, &error), &error);
    sot_json_begin_object(writer);
    sot_json_key(writer, "request");
    sot_json_begin_object(writer);
    sot_json_end_object(writer);
    sot_json_key(writer, "certificate");
    sot_json_begin_object(writer);
    sot_certificate_write(&other.certificate, writer);
    sot_json_key(writer, "hash");
    sot_json_write_string(writer, "");
    sot_json_end_object(writer);
    sot_json_end_object(writer);
    assert_ok(sot_json_writer_finish(writer, &text, &size, &error), &error);
    assert_ok(sot_json_parse(NULL, text, size, size, &document, &error), &error);
    char *result = rehashed(text);
    sot_json_free(document);
    sot_json_writer_free(writer);
    return result;
}

static void other_software_may_claim_less_privacy_but_not_more(void **state)
{
    (void)state;
    sample made;
    makes(SAMPLE_GAUSSIAN, 1e-6, true, &made);
    const double epsilon = made.certificate.claims.epsilon;
    const struct {
        double factor;
        bool passes;
    } claims[] = {{1.0, true},         {1.5, true},         {1.0 + 1e-12, true},
                  {1.0 - 1e-10, true}, {1.0 - 1e-8, false}, {0.5, false}};
    for (size_t i = 0; i < sizeof claims / sizeof claims[0]; i++) {
        sotto_error error;
        sotto_certificate_summary summary;
        char *text = by_another_version(&made, epsilon * claims[i].factor);
        assert_ok(sotto_certificate_summarize(text, strlen(text), &summary, &error),
                  &error);
        if (summary.is_verified != claims[i].passes)
            print_error("%g: %s\n", claims[i].factor, summary.reason);
        assert_int_equal(summary.is_verified, claims[i].passes);
        assert_false(summary.is_exact);
        if (!claims[i].passes)
            assert_non_null(strstr(summary.reason, "certificate.epsilon states"));
        sot_free(text);
    }
    sample_free(&made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_changed_leaf_fails),
        cmocka_unit_test(every_changed_claim_fails_though_the_hash_is_right),
        cmocka_unit_test(what_is_missing_or_of_the_wrong_kind_fails),
        cmocka_unit_test(the_first_difference_is_named),
        cmocka_unit_test(what_cannot_be_read_is_refused_by_name),
        cmocka_unit_test(a_headline_without_a_finite_epsilon_fails),
        cmocka_unit_test(a_changed_payload_is_a_wrong_hash),
        cmocka_unit_test(other_software_may_claim_less_privacy_but_not_more),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
