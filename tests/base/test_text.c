#include "support.h"

#include <errno.h>

#include "base/text.h"

static const char *const keys[] = {"adjacency", "events", "epsilon", "noise_multiplier",
                                   "sampling",  "rate",   "mu",      NULL};

static void a_slip_of_the_pen_finds_the_word(void **state)
{
    (void)state;
    assert_string_equal(sot_nearest_word("noise_multiplyer", keys), "noise_multiplier");
    assert_string_equal(sot_nearest_word("noise-multiplier", keys), "noise_multiplier");
    assert_string_equal(sot_nearest_word("NoiseMultiplier", keys), "noise_multiplier");
    assert_string_equal(sot_nearest_word("Events", keys), "events");
    assert_string_equal(sot_nearest_word("event", keys), "events");
    assert_string_equal(sot_nearest_word("eevnts", keys),
                        "events"); /* a swap counts one */
    assert_string_equal(sot_nearest_word("rte", keys), "rate");
    assert_string_equal(sot_nearest_word("nu", keys), "mu");
}

static void a_word_far_from_all_finds_none(void **state)
{
    (void)state;
    assert_null(sot_nearest_word("temperature", keys));
    assert_null(sot_nearest_word("", keys));
    assert_null(sot_nearest_word("x", keys));    /* a single letter is near nothing */
    assert_null(sot_nearest_word("tare", keys)); /* two changes in four letters */
    const char *const none[] = {NULL};
    assert_null(sot_nearest_word("events", none));
}

static void long_words_are_passed_over(void **state)
{
    (void)state;
    char word[200];
    memset(word, 'e', sizeof word - 1);
    word[sizeof word - 1] = '\0';
    assert_null(sot_nearest_word(word, keys));
    const char *const one_is_long[] = {word, "events", NULL};
    assert_string_equal(sot_nearest_word("evnts", one_is_long), "events");
    word[64] = '\0'; /* the longest that is compared */
    const char *const same[] = {word, NULL};
    assert_ptr_equal(sot_nearest_word(word, same), word);
}

static void the_first_of_equals_wins(void **state)
{
    (void)state;
    const char *const twins[] = {"rata", "rate", "rati", NULL};
    assert_string_equal(sot_nearest_word("ratu", twins), "rata");
}

static void printable_text_is_one_line(void **state)
{
    (void)state;
    char buffer[32];
    assert_string_equal(sot_printable("a\nb\tc\x7f\x1b[1m", buffer, sizeof buffer),
                        "a?b?c??[1m");
    assert_string_equal(sot_printable("größe", buffer, sizeof buffer), "größe");
    assert_string_equal(sot_printable("", buffer, sizeof buffer), "");
}

static void long_text_is_cut_between_characters(void **state)
{
    (void)state;
    char buffer[10];
    assert_string_equal(sot_printable("123456789", buffer, sizeof buffer), "123456789");
    assert_string_equal(sot_printable("1234567890", buffer, sizeof buffer), "123456...");
    /* The sixth byte is inside the euro sign, which goes as a whole. */
    assert_string_equal(sot_printable("1234\u20ac6789", buffer, sizeof buffer),
                        "1234...");
    char least[4];
    assert_string_equal(sot_printable("12345", least, sizeof least), "...");
}

static void errno_text_is_english_and_fits(void **state)
{
    (void)state;
    char buffer[64], small[8];
    assert_string_equal(sot_errno_text(ENOENT, buffer, sizeof buffer),
                        "No such file or directory");
    assert_string_equal(sot_errno_text(ENOENT, small, sizeof small), "No such");
    assert_non_null(strstr(sot_errno_text(99999, buffer, sizeof buffer), "99999"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_slip_of_the_pen_finds_the_word),
        cmocka_unit_test(a_word_far_from_all_finds_none),
        cmocka_unit_test(long_words_are_passed_over),
        cmocka_unit_test(the_first_of_equals_wins),
        cmocka_unit_test(printable_text_is_one_line),
        cmocka_unit_test(long_text_is_cut_between_characters),
        cmocka_unit_test(errno_text_is_english_and_fits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
