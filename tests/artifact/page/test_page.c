#include "artifact/certificate/certificates.h"

#include "artifact/page/page.h"
#include "base/memory.h"
#include "base/text.h"
#include "numeric/shown.h"

/* ---- numbers ---- */

static void a_shown_bound_is_never_on_the_wrong_side(void **state)
{
    (void)state;
    double value = 3e-320;
    for (int i = 0; i < 4000; i++, value *= 1.5) {
        if (!isfinite(value)) break;
        for (int digits = 1; digits <= 17; digits += 4) {
            char up[SOT_SHOWN_BYTES], down[SOT_SHOWN_BYTES];
            double above = 0.0, below = 0.0;
            (void)sot_shown_up(value, digits, up);
            (void)sot_shown_down(value, digits, down);
            if (sot_parse_double(up, strlen(up), &above) == SOT_NUMBER_TOO_LARGE)
                above = HUGE_VAL;
            (void)sot_parse_double(down, strlen(down), &below);
            assert_true(above >= value && below <= value);
            /* One unit of the last digit apart at most, which is 10^(1-digits) relative. */
            if (value > 1e-300 && value < 1e300)
                assert_true(above - below <= value * pow(10.0, 1 - digits) * 1.001);
        }
        char whole[SOT_SHOWN_BYTES];
        double same = 0.0;
        (void)sot_shown_whole(value, whole);
        assert_int_equal(sot_parse_double(whole, strlen(whole), &same), SOT_NUMBER_OK);
        assert_true(same == value);
    }
}

static void numbers_are_short_where_they_can_be(void **state)
{
    (void)state;
    char text[SOT_SHOWN_BYTES];
    assert_string_equal(sot_shown_up(0.0, 6, text), "0");
    assert_string_equal(sot_shown_up(1e-6, 6, text), "1e-6");
    assert_string_equal(sot_shown_up(1.00001e-9, 3, text), "1.01e-9");
    assert_string_equal(sot_shown_down(1.00001e-9, 3, text), "1e-9");
    assert_string_equal(sot_shown_up(0.99999, 3, text), "1");
    assert_string_equal(sot_shown_down(100.0001, 3, text), "100");
    assert_string_equal(sot_shown_up(0.03125, 6, text), "0.03125");
    assert_string_equal(sot_shown_up(12500.0, 6, text), "12500");
    assert_string_equal(sot_shown_up(1234567.8, 3, text), "1240000");
    assert_string_equal(sot_shown_up(1e22, 3, text), "1e22");
    assert_string_equal(sot_shown_up(9.999e22, 3, text), "1e23");
    assert_string_equal(sot_shown_up(NAN, 3, text), "none");
    assert_string_equal(sot_shown_up(HUGE_VAL, 3, text), "none");
    assert_string_equal(sot_shown_whole(0.1, text), "0.1");
    assert_string_equal(sot_shown_percent_up(0.0123456, 3, text), "1.24%");
    assert_string_equal(sot_shown_percent_up(1.0, 3, text), "100%");
    assert_string_equal(sot_shown_percent_whole(0.05, text), "5%");
    assert_string_equal(sot_shown_percent_whole(1e-3, text), "0.1%");
    assert_string_equal(sot_shown_count(0, text), "0");
    assert_string_equal(sot_shown_count(123, text), "123");
    assert_string_equal(sot_shown_count(UINT64_C(1234567), text), "1 234 567");
    assert_string_equal(sot_shown_count(UINT64_MAX, text), "18 446 744 073 709 551 615");
}

/* ---- pages ---- */

static char *render(const sample *made, sotto_certificate_form form)
{
    sotto_error error;
    char *page = NULL;
    assert_ok(
        sotto_certificate_render(made->text, strlen(made->text), form, &page, &error),
        &error);
    return page;
}

static void text_keeps_to_80_columns(void **state)
{
    (void)state;
    static const char *const plans[] = {SAMPLE_PURE, SAMPLE_GAUSSIAN, SAMPLE_ZCDP};
    for (size_t i = 0; i < 3; i++) {
        sample made;
        sample_from_json(&made, plans[i], i == 0 ? 0.0 : 1e-6);
        sample_add_ledger(&made, i == 0);
        (void)sample_text(&made);
        char *page = render(&made, SOTTO_CERTIFICATE_TEXT);
        for (char *line = page; *line != '\0';) {
            const size_t length = strcspn(line, "\n");
            if (length > 80) print_error("%.*s\n", (int)length, line);
            assert_true(length <= 80);
            if (length > 0) assert_int_not_equal(line[length - 1], ' ');
            line += length + (line[length] == '\n');
        }
        sotto_free(page);
        sample_free(&made);
    }
}

static void every_form_tells_the_whole_story(void **state)
{
    (void)state;
    static const char *const words[] = {"Verified",
                                        "3.42359",
                                        "1e-6",
                                        "0.729285",
                                        "0.265928",
                                        "registry-2026",
                                        "add-remove",
                                        "secret",
                                        "one pass over the rows",
                                        "the schema",
                                        "true positive rate",
                                        "gaussian",
                                        "sum",
                                        "sensitivity 2",
                                        "random source",
                                        "fixed in advance",
                                        "closed-form",
                                        "order 12",
                                        "aaaaaaaaaaaaaaaa",
                                        "bbbbbbbbbbbbbbbb",
                                        "BLAKE2b-256",
                                        "glibc"};
    sample made;
    sample_from_json(&made, SAMPLE_GAUSSIAN, 1e-6);
    sample_add_ledger(&made, false);
    (void)sample_text(&made);
    for (int form = SOTTO_CERTIFICATE_TEXT; form <= SOTTO_CERTIFICATE_HTML; form++) {
        char *page = render(&made, (sotto_certificate_form)form);
        for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
            if (strstr(page, words[i]) == NULL)
                print_error("'%s' is missing\n", words[i]);
            assert_non_null(strstr(page, words[i]));
        }
        sotto_free(page);
    }
    sample_free(&made);
}

/* Events of every way of sampling, and a Renyi curve, say what they are. */
static void batches_and_curves_are_described(void **state)
{
    (void)state;
    sample made;
    sample_from_json(
        &made,
        "{\"adjacency\": \"replace-one\", \"events\": [{\"noise_multiplier\": "
        "2.5, \"sampling\": {\"method\": \"without-replacement\", "
        "\"population\": 60000, \"batch\": 256}}, {\"noise_multiplier\": 4.5, "
        "\"sampling\": {\"method\": \"single-record\", \"population\": 5000}}, "
        "{\"mechanism\": \"rdp\", \"orders\": [2, 8], \"values\": [0.1, 0.5]}]}",
        1e-6);
    (void)sample_text(&made);
    char *page = render(&made, SOTTO_CERTIFICATE_TEXT);
    assert_non_null(strstr(page, "noise multiplier 2.5, batches of 256 out of 60000\n"));
    assert_non_null(strstr(page, "noise multiplier 4.5, one record out of 5000\n"));
    assert_non_null(strstr(page, "a Renyi bound at 2 orders"));
    sotto_free(page);
    sample_free(&made);
}

static void what_is_special_about_a_run_is_told(void **state)
{
    (void)state;
    sample made;
    sample_from_json(&made,
                     "{\"adjacency\": \"replace-one\", \"events\": [{\"mechanism\": "
                     "\"randomized-response\", \"epsilon\": 0.25, \"categories\": 4}]}",
                     1e-6);
    made.certificate.sampler_error = 2e-13;
    made.certificate.facts.unprotected = NULL;
    made.certificate.facts.tuning = "chosen on public data";
    made.certificate.facts.route = "by the proximal sampler";
    (void)sample_text(&made);
    char *page = render(&made, SOTTO_CERTIFICATE_TEXT);
    assert_non_null(strstr(page, "epsilon 0.25, 4 answers"));
    assert_non_null(strstr(page, "at most 2e-13 in total variation"));
    assert_non_null(strstr(page, "Nothing was declared public."));
    assert_non_null(strstr(page, "chosen on public data"));
    assert_non_null(strstr(page, "by the proximal sampler"));
    assert_non_null(strstr(page, "number of rows  public"));
    assert_non_null(strstr(page, "false positive rate, at most"));
    assert_non_null(strstr(page, "No ledger kept a budget"));
    sotto_free(page);
    sample_free(&made);
}

static void a_forged_file_is_shown_under_a_warning(void **state)
{
    (void)state;
    sample made;
    sample_from_json(&made, SAMPLE_PURE, 0.0);
    (void)sample_text(&made);
    memcpy(strstr(made.text, "1023"), "1024", 4);
    for (int form = SOTTO_CERTIFICATE_TEXT; form <= SOTTO_CERTIFICATE_HTML; form++) {
        char *page = render(&made, (sotto_certificate_form)form);
        assert_non_null(strstr(page, "NOT VERIFIED"));
        assert_non_null(strstr(page, "hash states"));
        assert_null(strstr(page, "recomputed every number"));
        sotto_free(page);
    }
    sample_free(&made);
}

static void nothing_in_a_certificate_becomes_markup(void **state)
{
    (void)state;
    static const char *const list[] = {"<script>alert('1')</script>",
                                       "a & b \"c\"",
                                       "*[x](http://x) | `y` <b>",
                                       "1. one",
                                       "- two",
                                       NULL};
    sample made;
    sample_from_json(&made, SAMPLE_PURE, 0.0);
    made.certificate.facts.covered = list;
    made.certificate.facts.unit = "</style><img src=x>";
    (void)sample_text(&made);
    char *html = render(&made, SOTTO_CERTIFICATE_HTML);
    assert_null(strstr(html, "<script"));
    assert_null(strstr(html, "<img"));
    assert_null(strstr(html, "http://x)\""));
    assert_non_null(strstr(html, "&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;"));
    assert_non_null(strstr(html, "a &amp; b &quot;c&quot;"));
    assert_non_null(strstr(html, "default-src 'none'"));
    assert_null(strstr(html, "src=\""));
    assert_null(strstr(html, "href="));
    assert_null(strstr(html, "url("));
    char *markdown = render(&made, SOTTO_CERTIFICATE_MARKDOWN);
    assert_null(strstr(markdown, "<script"));
    assert_null(strstr(markdown, "<b>"));
    assert_non_null(strstr(markdown, "- \\*\\[x\\](http://x) \\| \\`y\\` &lt;b\\>\n"));
    assert_non_null(strstr(markdown, "- 1\\. one\n- \\- two\n"));
    sotto_free(html);
    sotto_free(markdown);
    sample_free(&made);
}

static void a_page_shows_no_hidden_characters(void **state)
{
    (void)state;
    sotto_error error;
    sot_page *page;
    char *text = NULL;
    assert_ok(sot_page_new(&page, &error), &error);
    sot_page_paragraph(page, "a\x1b[31mb\xe2\x80\xae"
                             "c\xff"
                             "d\xc2\x9b"
                             "e");
    assert_ok(sot_page_render(page, SOTTO_CERTIFICATE_TEXT, &text, &error), &error);
    assert_string_equal(text, "a?[31mb???c?d??e\n");
    sot_free(text);
    text = NULL;
    assert_refused(sot_page_render(page, (sotto_certificate_form)9, &text, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "form is 9", NULL);
    assert_null(text);
    sot_page_free(page);
    sot_page_free(NULL);
}

static void tables_line_up_and_wrap_in_the_last_column(void **state)
{
    (void)state;
    static const char *const header[] = {"n", "what", "why"};
    static const char *const row[] = {
        "12", "x",
        "a sentence that is longer than what is left of a line of eighty columns "
        "in all, and then some"};
    sotto_error error;
    sot_page *page;
    char *text = NULL;
    assert_ok(sot_page_new(&page, &error), &error);
    sot_page_header(page, 3, header);
    sot_page_row(page, 3, row);
    assert_ok(sot_page_render(page, SOTTO_CERTIFICATE_TEXT, &text, &error), &error);
    assert_string_equal(
        text,
        "n   what  why\n"
        "--------------------------------------------------------------------------------"
        "\n"
        "12  x     a sentence that is longer than what is left of a line of eighty\n"
        "          columns in all, and then some\n");
    sot_free(text);
    sot_page_free(page);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_shown_bound_is_never_on_the_wrong_side),
        cmocka_unit_test(numbers_are_short_where_they_can_be),
        cmocka_unit_test(text_keeps_to_80_columns),
        cmocka_unit_test(every_form_tells_the_whole_story),
        cmocka_unit_test(batches_and_curves_are_described),
        cmocka_unit_test(what_is_special_about_a_run_is_told),
        cmocka_unit_test(a_forged_file_is_shown_under_a_warning),
        cmocka_unit_test(nothing_in_a_certificate_becomes_markup),
        cmocka_unit_test(a_page_shows_no_hidden_characters),
        cmocka_unit_test(tables_line_up_and_wrap_in_the_last_column),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
