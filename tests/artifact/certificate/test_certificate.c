#include "artifact/certificate/certificates.h"

#include <sotto/gaussian.h>
#include <sotto/laplace.h>
#include <sotto/version.h>

#include "base/memory.h"
#include "numeric/outward.h"
#include "numeric/shown.h"

/* ---- a certificate of a real gate ---- */

typedef struct released {
    sotto_rng *rng;
    sotto_gate *gate;
    sotto_plan *plan;
} released;

/* Two Laplace counts, released through a gate; `finish`: and the gate is finished. */
static void release_counts(released *run, bool secure, bool finish)
{
    sotto_error error;
    sotto_event event;
    const int64_t exact[] = {812, 64};
    int64_t noisy[2];
    sotto_laplace_config config = sotto_laplace_defaults();
    config.l1_sensitivity = 1.0;
    config.scale = 4.0;
    config.adjacency = SOTTO_ADD_REMOVE;
    config.purpose = "count";
    assert_ok(secure ? sotto_rng_new(&run->rng, &error)
                     : sotto_rng_new_for_test(7, &run->rng, &error),
              &error);
    assert_ok(sotto_laplace_event(&config, &event, &error), &error);
    event.count = 2;
    assert_ok(sotto_plan_new(SOTTO_ADD_REMOVE, &run->plan, &error), &error);
    assert_ok(sotto_plan_add(run->plan, &event, &error), &error);
    assert_ok(sotto_gate_new(run->plan, run->rng, &run->gate, &error), &error);
    assert_ok(sotto_gate_open(run->gate, &error), &error);
    for (int i = 0; i < 2; i++) {
        assert_ok(
            sotto_laplace_release(run->gate, &config, &exact[i], 1, &noisy[i], &error),
            &error);
    }
    if (finish) assert_ok(sotto_gate_finish(run->gate, &error), &error);
}

static void free_run(released *run)
{
    sotto_gate_free(run->gate);
    sotto_plan_free(run->plan);
    sotto_rng_free(run->rng);
}

static sotto_certificate_facts gate_facts(void)
{
    sotto_certificate_facts facts = sotto_certificate_defaults();
    facts.output = "two private counts";
    facts.unit = "person (column id, at most 3 rows each)";
    facts.delta = 0.0;
    facts.covered = sample_covered;
    return facts;
}

static void what_a_gate_released_is_certified_and_verifies(void **state)
{
    (void)state;
    released run = {.gate = NULL};
    sotto_error error;
    char *text = NULL;
    char hash[SOTTO_HASH_HEX_BYTES];
    const sotto_certificate_facts facts = gate_facts();
    release_counts(&run, true, true);
    assert_ok(sotto_certificate_attach("{\"values\": [810, 61]}", run.gate, &facts, &text,
                                       hash, &error),
              &error);
    assert_ok(sotto_certificate_verify(text, strlen(text), &error), &error);
    sotto_certificate_summary summary;
    assert_ok(sotto_certificate_summarize(text, strlen(text), &summary, &error), &error);
    assert_true(summary.is_verified && summary.is_private && summary.is_exact);
    assert_string_equal(summary.hash, hash);
    assert_string_equal(summary.reason, "");
    assert_within(summary.epsilon, 0.5, 0.5 * (1.0 + 1e-15));
    assert_true(summary.delta == 0.0);
    assert_int_equal(summary.adjacency, SOTTO_ADD_REMOVE);
    sotto_free(text);
    free_run(&run);
}

static void a_test_seed_is_certified_as_not_private_and_fails(void **state)
{
    (void)state;
    released run = {.gate = NULL};
    sotto_error error;
    char *text = NULL;
    char hash[SOTTO_HASH_HEX_BYTES];
    const sotto_certificate_facts facts = gate_facts();
    release_counts(&run, false, true);
    assert_ok(sotto_certificate_attach("{}", run.gate, &facts, &text, hash, &error),
              &error);
    assert_non_null(strstr(text, "\"statement\": \"NOT PRIVATE: "));
    assert_non_null(strstr(text, "\"noise_source\": \"TEST SEED: NOT PRIVATE\""));
    assert_refused(sotto_certificate_verify(text, strlen(text), &error),
                   SOTTO_VERIFICATION, &error, "not private", "test seed", NULL);
    sotto_certificate_summary summary;
    assert_ok(sotto_certificate_summarize(text, strlen(text), &summary, &error), &error);
    assert_false(summary.is_private || summary.is_verified);
    for (int form = SOTTO_CERTIFICATE_TEXT; form <= SOTTO_CERTIFICATE_HTML; form++) {
        char *page = NULL;
        assert_ok(sotto_certificate_render(text, strlen(text),
                                           (sotto_certificate_form)form, &page, &error),
                  &error);
        assert_non_null(strstr(page, "NOT PRIVATE"));
        assert_null(strstr(page, "recomputed every number"));
        sotto_free(page);
    }
    sotto_free(text);
    free_run(&run);
}

static void a_gate_that_is_not_finished_gets_no_certificate(void **state)
{
    (void)state;
    released run = {.gate = NULL};
    sotto_error error;
    char *text = NULL;
    char hash[SOTTO_HASH_HEX_BYTES] = "untouched";
    const sotto_certificate_facts facts = gate_facts();
    release_counts(&run, true, false);
    assert_refused(sotto_certificate_attach("{}", run.gate, &facts, &text, hash, &error),
                   SOTTO_NOT_IN_PLAN, &error, "not finished", "sotto_gate_finish", NULL);
    assert_null(text);
    assert_string_equal(hash, "untouched");
    free_run(&run);
}

/* ---- round trips ---- */

static const struct {
    const char *plan;
    double delta;
} samples[] = {{SAMPLE_PURE, 0.0},
               {SAMPLE_GAUSSIAN, 1e-6},
               {SAMPLE_ZCDP, 2e-7},
               {SAMPLE_MIXED, 1e-6}};
enum { SAMPLES = sizeof samples / sizeof samples[0] };

static void every_kind_of_plan_verifies(void **state)
{
    (void)state;
    for (size_t i = 0; i < SAMPLES; i++) {
        for (int with_ledger = 0; with_ledger < (i < 3 ? 2 : 1); with_ledger++) {
            sample made;
            sotto_error error;
            sample_from_json(&made, samples[i].plan, samples[i].delta);
            if (with_ledger) sample_add_ledger(&made, i == 0);
            const char *text = sample_text(&made);
            assert_ok(sotto_certificate_verify(text, strlen(text), &error), &error);
            sample_free(&made);
        }
    }
}

static void facts_are_read_back_as_they_were_written(void **state)
{
    (void)state;
    sample made;
    sotto_error error;
    sot_certificate_file file;
    sample_from_json(&made, SAMPLE_GAUSSIAN, 1e-6);
    sample_add_ledger(&made, false);
    made.certificate.sampler_error = 3.5e-14;
    made.certificate.facts.route = "by the proximal sampler";
    const char *text = sample_text(&made);
    assert_ok(sot_certificate_file_open(text, strlen(text), &file, &error), &error);
    const sot_certificate *read = &file.certificate;
    assert_string_equal(read->facts.output, made.certificate.facts.output);
    assert_string_equal(read->facts.unit, "row");
    assert_string_equal(read->facts.dataset, "registry-2026");
    assert_string_equal(read->facts.tuning, "fixed in advance");
    assert_string_equal(read->facts.route, "by the proximal sampler");
    assert_string_equal(read->facts.covered[0], sample_covered[0]);
    assert_string_equal(read->facts.unprotected[1], sample_unprotected[1]);
    assert_null(read->facts.unprotected[2]);
    assert_true(read->is_secure && read->sampler_error == 3.5e-14);
    assert_int_equal(read->released[0], 3);
    assert_memory_equal(&read->claims, &made.certificate.claims, sizeof read->claims);
    assert_string_equal(read->statement, made.certificate.statement);
    assert_string_equal(read->software.version, sotto_version());
    const sotto_reservation *ledger = read->facts.ledger;
    assert_int_equal(ledger->id, 5);
    assert_true(ledger->charged == made.ledger.charged);
    assert_true(ledger->after.left == made.ledger.after.left);
    assert_true(ledger->after.order == 12.0);
    assert_string_equal(ledger->before.head, made.ledger.before.head);
    sot_certificate_file_close(&file);
    sample_free(&made);
}

/* The hash is over values, not over bytes: reformatting is no forgery. */
static void blanks_and_order_do_not_matter_to_the_hash(void **state)
{
    (void)state;
    sample made;
    sotto_error error;
    sample_from_json(&made, SAMPLE_PURE, 0.0);
    const char *text = sample_text(&made);
    const char *certificate = strstr(text, "\"certificate\"");
    assert_non_null(strstr(text, "\"request\""));
    const size_t size = strlen(text);
    char *moved = calloc(size + 128, 1);
    assert_non_null(moved);
    /* {payload, certificate} becomes {certificate,   payload with other blanks}. */
    const size_t end = (size_t)(strrchr(text, '}') - text);
    (void)snprintf(moved, size + 128,
                   "{%.*s,\n\t\"name\":\"\\u0063ount\" , "
                   "\"request\":{\"command\" : \"application\"}, "
                   "\"half\": 5e-1,\"value\":   1023}",
                   (int)(end - (size_t)(certificate - text)), certificate);
    assert_ok(sotto_certificate_verify(moved, strlen(moved), &error), &error);
    free(moved);
    sample_free(&made);
}

/* Amounts beyond 2^53 units are rounded in a double; their sums still count as right. */
static void large_amounts_of_a_ledger_add_up(void **state)
{
    (void)state;
    sample made;
    sotto_error error;
    sample_from_json(&made, SAMPLE_GAUSSIAN, 1e-6);
    sample_add_ledger(&made, false);
    sotto_reservation *ledger = &made.ledger;
    ledger->before.epsilon = ledger->after.epsilon = 2e6;
    ledger->before.epsilon_spent_upper = ledger->after.epsilon_spent_upper = 1e5;
    ledger->before.budget = ledger->after.budget = 1234567.8901234567;
    ledger->before.spent = 54321.098765432101;
    ledger->before.left = sot_next_down(ledger->before.budget - ledger->before.spent);
    ledger->after.spent = sot_next_up(ledger->before.spent + ledger->charged);
    ledger->after.left = sot_next_down(ledger->after.budget - ledger->after.spent);
    const char *text = sample_text(&made);
    assert_ok(sotto_certificate_verify(text, strlen(text), &error), &error);
    ledger->after.spent *= 1.0 + 1e-12;
    char *refused = NULL;
    char hash[SOTTO_HASH_HEX_BYTES];
    assert_refused(
        sot_certificate_attach("{}", &made.certificate, &refused, hash, &error),
        SOTTO_INVALID_ARGUMENT, &error, "ledger.after.spent states", NULL);
    sample_free(&made);
}

/* ---- the sampler's error ---- */

static void the_headline_pays_for_the_samplers_error(void **state)
{
    (void)state;
    const double errors[] = {1e-18, 1e-12, 1e-9, 1.5e-8};
    sample exact;
    sample_from_json(&exact, SAMPLE_GAUSSIAN, 1e-6);
    (void)sample_text(&exact);
    double last = exact.certificate.claims.epsilon;
    for (size_t i = 0; i < 4; i++) {
        sample made;
        sotto_error error;
        sotto_account account;
        sample_from_json(&made, SAMPLE_GAUSSIAN, 1e-6);
        made.certificate.sampler_error = errors[i];
        (void)sample_text(&made);
        const double epsilon = made.certificate.claims.epsilon;
        assert_true(epsilon >= last);
        last = epsilon;
        /* (epsilon, delta') of the plan with delta' + (1 + e^epsilon) tau <= delta; the
         * search stops within a relative 1e-6 of the least such epsilon. */
        assert_ok(sotto_account_delta(made.plan, SOTTO_EXACT, epsilon, &account, &error),
                  &error);
        const double whole = account.delta + (1.0 + exp(epsilon)) * errors[i];
        assert_within(whole, 1e-6 * (1.0 - 1e-5), 1e-6 * (1.0 + 1e-9));
        sample_free(&made);
    }
    sample_free(&exact);
}

static void no_room_for_the_samplers_error_is_refused(void **state)
{
    (void)state;
    sample made;
    sotto_error error;
    char *text = NULL;
    char hash[SOTTO_HASH_HEX_BYTES];
    sample_from_json(&made, SAMPLE_PURE, 0.0);
    made.certificate.sampler_error = 1e-18;
    assert_refused(sot_certificate_attach("{}", &made.certificate, &text, hash, &error),
                   SOTTO_UNREACHABLE, &error, "delta 0", NULL);
    made.certificate.facts.delta = 1e-9;
    made.certificate.sampler_error = 1e-9;
    assert_refused(sot_certificate_attach("{}", &made.certificate, &text, hash, &error),
                   SOTTO_UNREACHABLE, &error, "delta 1e-09", NULL);
    assert_null(text);
    sample_free(&made);
}

/* ---- sentences ---- */

static void check_statement(const char *plan, double delta, double sampler_error,
                            const char *expected)
{
    sample made;
    sample_from_json(&made, plan, delta);
    made.certificate.sampler_error = sampler_error;
    (void)sample_text(&made);
    assert_string_equal(made.certificate.statement, expected);
    sample_free(&made);
}

static void a_pure_guarantee_reads_well(void **state)
{
    (void)state;
    check_statement(
        SAMPLE_PURE, 0.0, 0.0,
        "This release (a private count) is 0.5-differentially private (pure): "
        "whether or not any one row is in the data, no outcome becomes more "
        "than 1.64873 times as likely. A membership attack with a false "
        "positive rate of at most 1% has a true positive rate of at most 1.65%.");
}

static void an_approximate_guarantee_reads_well(void **state)
{
    (void)state;
    check_statement(
        SAMPLE_GAUSSIAN, 1e-6, 1e-13,
        "This release (a private count) is (3.4236, 1e-6)-differentially "
        "private: whether or not any one row is in the data, no outcome "
        "becomes more than 30.6796 times as likely, plus a probability of at "
        "most 1e-6. A membership attack with a false positive rate of at most "
        "1% has a true positive rate of at most 5.58%. It is also 0.729285-GDP and "
        "0.265928-zCDP, "
        "but for the error of the sampler, which delta includes.");
}

static void a_guarantee_that_says_nothing_reads_so(void **state)
{
    (void)state;
    check_statement(
        "{\"events\": [{\"mechanism\": \"pure\", \"epsilon\": 800}]}", 0.0, 0.0,
        "This release (a private count) is 800-differentially private (pure): "
        "whether or not any one row is in the data, no outcome becomes more "
        "than e^800 times as likely. A membership attack with a false positive "
        "rate of at most 1% has a true positive rate of at most 100%.");
}

/* Its epsilon depends on the accountant, so the numbers are put in from the claims. */
static void a_zcdp_guarantee_of_replaced_rows_reads_well(void **state)
{
    (void)state;
    sample made;
    char expected[SOT_STATEMENT_BYTES], numbers[4][SOT_SHOWN_BYTES];
    sample_from_json(&made, SAMPLE_ZCDP, 1e-6);
    (void)sample_text(&made);
    const sot_claims *claims = &made.certificate.claims;
    (void)snprintf(
        expected, sizeof expected,
        "This release (a private count) is (%s, 1e-6)-differentially private: "
        "whatever the data say of any one row, no outcome becomes more than %s "
        "times as likely, plus a probability of at most 1e-6. An attack that tests a "
        "guess about one of them with a false positive rate of at most 1%% has a true "
        "positive rate of at most %s. It is also %s-zCDP.",
        sot_shown_up(claims->epsilon, 6, numbers[0]),
        sot_shown_up(exp(claims->epsilon), 6, numbers[1]),
        sot_shown_percent_up(claims->true_positive_rates[1], 3, numbers[2]),
        sot_shown_up(claims->rho, 6, numbers[3]));
    assert_string_equal(made.certificate.statement, expected);
    /* A pure release of epsilon has epsilon tanh(epsilon/2) of zCDP. */
    const double rho = 2.0 / 50.0 + 0.1 * tanh(0.05);
    assert_within(claims->rho, rho, rho * (1.0 + 1e-14));
    assert_true(isnan(claims->mu));
    sample_free(&made);
}

/* ---- refusals ---- */

typedef struct refusal {
    const char *words[3];
    void (*spoil)(sample *made);
} refusal;

static void no_output(sample *made)
{
    made->certificate.facts.output = NULL;
}
static void no_unit(sample *made)
{
    made->certificate.facts.unit = "";
}
static void no_covered(sample *made)
{
    made->certificate.facts.covered = NULL;
}
static void no_delta(sample *made)
{
    made->certificate.facts.delta = SOTTO_UNSET;
}
static void whole_delta(sample *made)
{
    made->certificate.facts.delta = 1.0;
}
static void escape(sample *made)
{
    made->certificate.facts.unit = "row\x1b[2J";
}
static void backwards(sample *made)
{
    made->certificate.facts.unit = "\xe2\x80\xae"
                                   "row";
}
static void not_utf8(sample *made)
{
    made->certificate.facts.tuning = "\xff";
}
static void route_not_utf8(sample *made)
{
    made->certificate.facts.route = "\xff";
}
static void empty_item(sample *made)
{
    static const char *const list[] = {"rows", "", NULL};
    made->certificate.facts.covered = list;
}
static void long_text(sample *made)
{
    static char text[1100];
    memset(text, 'a', sizeof text - 1);
    made->certificate.facts.output = text;
}
static void long_list(sample *made)
{
    static const char *list[70];
    for (size_t i = 0; i + 1 < 70; i++)
        list[i] = "entry";
    made->certificate.facts.unprotected = list;
}
static void too_few(sample *made)
{
    made->released[0]--;
}
static void too_many(sample *made)
{
    made->released[0]++;
}
static void negative_error(sample *made)
{
    made->certificate.sampler_error = -1e-9;
}
static void nan_error(sample *made)
{
    made->certificate.sampler_error = NAN;
}
static void overdrawn(sample *made)
{
    made->ledger.before.budget = made->ledger.after.budget = 1.0;
    made->ledger.before.left = 0.75;
    made->ledger.after.left = 1.0 - made->ledger.after.spent;
}
static void wrong_sum(sample *made)
{
    made->ledger.after.spent += 0x1p-40;
}
static void wrong_left(sample *made)
{
    made->ledger.before.left += 0x1p-40;
}
static void wrong_delta(sample *made)
{
    made->ledger.delta_charged += 0x1p-50;
}
static void cheap(sample *made)
{
    made->ledger.charged /= 2.0;
    made->ledger.after.spent = made->ledger.before.spent + made->ledger.charged;
    made->ledger.after.left = made->ledger.after.budget - made->ledger.after.spent;
}
static void smaller_than_kept(sample *made)
{
    made->ledger.before.epsilon = made->ledger.after.epsilon = 9.0; /* 8 needs 9.22 */
}
static void less_spent(sample *made)
{
    made->ledger.after.epsilon_spent_upper = 1.0;
}
static void unpaid_error(sample *made)
{
    made->certificate.sampler_error = 1e-9;
}
static void other_data(sample *made)
{
    made->certificate.facts.dataset = "registry-2025";
}
static void other_neighbours(sample *made)
{
    made->ledger.before.adjacency = made->ledger.after.adjacency = SOTTO_REPLACE_ONE;
}
static void same_head(sample *made)
{
    memcpy(made->ledger.after.head, made->ledger.before.head, SOTTO_HASH_HEX_BYTES);
}
static void no_entry(sample *made)
{
    made->ledger.after.entries = 4;
}

static void facts_that_no_certificate_may_state_are_refused(void **state)
{
    (void)state;
    const refusal refusals[] = {
        {{"output is empty"}, no_output},
        {{"unit is empty"}, no_unit},
        {{"covered is empty"}, no_covered},
        {{"delta is nan", "0 (pure)"}, no_delta},
        {{"delta is 1"}, whole_delta},
        {{"unit", "control character", "position 4"}, escape},
        {{"unit", "control character", "position 1"}, backwards},
        {{"tuning", "not UTF-8"}, not_utf8},
        {{"route", "not UTF-8"}, route_not_utf8},
        {{"covered is empty"}, empty_item},
        {{"output has 1099 bytes", "at most 1000"}, long_text},
        {{"unprotected has more than 64 entries"}, long_list},
        {{"released[0] is 2", "plan says 3"}, too_few},
        {{"released[0] is 4", "plan says 3"}, too_many},
        {{"sampler_error is -1e-09"}, negative_error},
        {{"sampler_error is"}, nan_error},
        {{"ledger.after.left", "below 0"}, overdrawn},
        {{"ledger.after.spent states"}, wrong_sum},
        {{"ledger.before.left states"}, wrong_left},
        {{"ledger.after.delta_spent states"}, wrong_delta},
        {{"ledger.charged states", "recomputed at least"}, cheap},
        {{"ledger.delta_charged states"}, unpaid_error},
        {{"ledger.before.budget states 8", "epsilon 9"}, smaller_than_kept},
        {{"ledger.after.epsilon_spent states 1"}, less_spent},
        {{"ledger.dataset states registry-2026", "registry-2025"}, other_data},
        {{"ledger.adjacency states replace-one"}, other_neighbours},
        {{"ledger.after.head"}, same_head},
        {{"ledger.after.entries 4"}, no_entry},
    };
    for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++) {
        sample made;
        sotto_error error;
        char *text = NULL;
        char hash[SOTTO_HASH_HEX_BYTES];
        sample_from_json(&made, SAMPLE_GAUSSIAN, 1e-6);
        sample_add_ledger(&made, false);
        refusals[i].spoil(&made);
        const char *const *words = refusals[i].words;
        assert_refused(
            sot_certificate_attach("{}", &made.certificate, &text, hash, &error),
            SOTTO_INVALID_ARGUMENT, &error, words[0], words[1], words[2], NULL);
        assert_null(text);
        sample_free(&made);
    }
}

static void a_payload_that_is_no_object_is_refused(void **state)
{
    (void)state;
    sample made;
    sotto_error error;
    char *text = NULL;
    char hash[SOTTO_HASH_HEX_BYTES];
    sample_from_json(&made, SAMPLE_PURE, 0.0);
    assert_refused(sot_certificate_attach("[1]", &made.certificate, &text, hash, &error),
                   SOTTO_PARSE, &error, "object", NULL);
    assert_refused(
        sot_certificate_attach("{\"a\": ", &made.certificate, &text, hash, &error),
        SOTTO_PARSE, &error, "line 1", NULL);
    assert_refused(sot_certificate_attach("{\"certificate\": 1}", &made.certificate,
                                          &text, hash, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "certificate", "already", NULL);
    assert_null(text);
    sample_free(&made);
}

static void what_has_no_certificate_is_not_verified(void **state)
{
    (void)state;
    const struct {
        const char *text, *word;
    } files[] = {
        {"", "line 1"},
        {"{\"a\": 1}", "no certificate"},
        {"[1]", "no certificate"},
        {"{\"certificate\": 3}", "certificate"},
        {"{\"certificate\": {}}", "format"},
        {"{\"certificate\": {\"format\": \"x\", \"version\": 1}}", "format"},
        {"{\"certificate\": {\"format\": \"sotto certificate\", \"version\": 3}}",
         "newer"},
        {"{\"certificate\": {\"format\": \"sotto certificate\", \"version\": 2}}",
         "request"},
        {"{\"certificate\": {\"format\": \"sotto certificate\", \"version\": 0}}",
         "version"},
        {"{\"request\": {}, \"certificate\": {\"format\": \"sotto certificate\", "
         "\"version\": 1}}",
         "request"}};
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        sotto_error error;
        sotto_certificate_summary summary;
        char *page = NULL;
        const size_t size = strlen(files[i].text);
        assert_refused(sotto_certificate_verify(files[i].text, size, &error),
                       SOTTO_VERIFICATION, &error, files[i].word, NULL);
        assert_refused(sotto_certificate_summarize(files[i].text, size, &summary, &error),
                       SOTTO_VERIFICATION, &error, files[i].word, NULL);
        assert_refused(sotto_certificate_render(files[i].text, size,
                                                SOTTO_CERTIFICATE_TEXT, &page, &error),
                       SOTTO_VERIFICATION, &error, files[i].word, NULL);
        assert_null(page);
    }
}

/* ---- memory ---- */

static void lack_of_memory_is_reported_at_every_allocation(void **state)
{
    (void)state;
    sample made;
    sample_from_json(&made, SAMPLE_ZCDP, 1e-6);
    sample_add_ledger(&made, false);
    const char *good = sample_text(&made);
    for (int what = 0; what < 4; what++) {
        sotto_status status = SOTTO_OUT_OF_MEMORY;
        size_t nth = 0;
        while (status == SOTTO_OUT_OF_MEMORY) {
            char *text = NULL;
            char hash[SOTTO_HASH_HEX_BYTES];
            sotto_error error;
            sotto_certificate_summary summary;
            (void)sot_test_fail_allocation(++nth);
            if (what == 0)
                status = sot_certificate_attach(sample_payload, &made.certificate, &text,
                                                hash, &error);
            if (what == 1) status = sotto_certificate_verify(good, strlen(good), &error);
            if (what == 2)
                status = sotto_certificate_render(good, strlen(good),
                                                  SOTTO_CERTIFICATE_HTML, &text, &error);
            if (what == 3)
                status =
                    sotto_certificate_summarize(good, strlen(good), &summary, &error);
            (void)sot_test_fail_allocation(0);
            if (status != SOTTO_OK) assert_null(text);
            if (status != SOTTO_OK) assert_int_equal(error.status, status);
            sotto_free(text);
        }
        assert_int_equal(status, SOTTO_OK);
        assert_true(nth > 20);
    }
    sample_free(&made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_a_gate_released_is_certified_and_verifies),
        cmocka_unit_test(a_test_seed_is_certified_as_not_private_and_fails),
        cmocka_unit_test(a_gate_that_is_not_finished_gets_no_certificate),
        cmocka_unit_test(every_kind_of_plan_verifies),
        cmocka_unit_test(facts_are_read_back_as_they_were_written),
        cmocka_unit_test(blanks_and_order_do_not_matter_to_the_hash),
        cmocka_unit_test(large_amounts_of_a_ledger_add_up),
        cmocka_unit_test(the_headline_pays_for_the_samplers_error),
        cmocka_unit_test(no_room_for_the_samplers_error_is_refused),
        cmocka_unit_test(a_pure_guarantee_reads_well),
        cmocka_unit_test(an_approximate_guarantee_reads_well),
        cmocka_unit_test(a_guarantee_that_says_nothing_reads_so),
        cmocka_unit_test(a_zcdp_guarantee_of_replaced_rows_reads_well),
        cmocka_unit_test(facts_that_no_certificate_may_state_are_refused),
        cmocka_unit_test(a_payload_that_is_no_object_is_refused),
        cmocka_unit_test(what_has_no_certificate_is_not_verified),
        cmocka_unit_test(lack_of_memory_is_reported_at_every_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
