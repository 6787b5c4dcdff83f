/* A message names a setting by its id, and each front end spells it. */
#include "support.h"

#include <sotto/setting.h>

#include "base/error.h"

static void check(const char *message, sotto_spelling spelling, const char *expected)
{
    sotto_error error;
    (void)sot_fail(&error, SOTTO_INVALID_ARGUMENT, "%s", message);
    sotto_error_spell(&error, spelling, NULL, NULL);
    assert_string_equal(error.message, expected);
}

static void each_front_end_has_its_spelling(void **state)
{
    (void)state;
    const char *message = "`public_n` is 7; give `public_n=1000`, or `lambda=theory`";
    check(message, SOTTO_SPELL_OPTION,
          "--public-n is 7; give --public-n 1000, or --lambda theory");
    check(message, SOTTO_SPELL_ARGUMENT,
          "public_n is 7; give public_n=1000, or lambda_=\"theory\"");
    check(message, SOTTO_SPELL_MEMBER,
          "\"public_n\" is 7; give \"public_n\": 1000, or \"lambda\": \"theory\"");
}

static void a_letter_for_a_number_has_no_quotes(void **state)
{
    (void)state;
    check("`expected_rows=N`", SOTTO_SPELL_OPTION, "--expected-rows N");
    check("`expected_rows=N`", SOTTO_SPELL_ARGUMENT, "expected_rows=N");
}

static void a_flag_has_no_value_on_the_command_line(void **state)
{
    (void)state;
    check("with `again` or `again=true`", SOTTO_SPELL_OPTION, "with --again or --again");
    check("`again=true`", SOTTO_SPELL_ARGUMENT, "again=True");
    check("`again=true`", SOTTO_SPELL_MEMBER, "\"again\": true");
}

static void an_unknown_id_and_an_open_quote_stay(void **state)
{
    (void)state;
    check("`nonesuch` and `epsilon", SOTTO_SPELL_OPTION, "`nonesuch` and `epsilon");
    check("`` `x=`delta`", SOTTO_SPELL_OPTION, "`` `x=--delta");
}

/* The text of a message may come from a file name with backquotes. */
static void a_long_message_stays_within_its_bytes(void **state)
{
    (void)state;
    char message[SOTTO_MESSAGE_BYTES];
    sotto_error error;
    memset(message, 'a', sizeof message);
    memcpy(message + 200, "`insecure_test_seed=4`", 22);
    message[sizeof message - 1] = '\0';
    (void)sot_fail(&error, SOTTO_INVALID_ARGUMENT, "%s", message);
    sotto_error_spell(&error, SOTTO_SPELL_OPTION, NULL, NULL);
    assert_non_null(strstr(error.message, "a--insecure-test-seed 4aaa"));
    assert_true(strlen(error.message) < sizeof error.message);
}

static bool own_spelling(void *context, const char *id, char out[SOTTO_SETTING_BYTES])
{
    if (strcmp(id, "concept") != 0) return false;
    (void)snprintf(out, SOTTO_SETTING_BYTES, "%s", (const char *)context);
    return true;
}

static void a_front_end_may_have_its_own(void **state)
{
    (void)state;
    char name[] = "--class";
    sotto_error error;
    (void)sot_fail(&error, SOTTO_INVALID_ARGUMENT, "`concept=stumps` and `bits`");
    sotto_error_spell(&error, SOTTO_SPELL_OPTION, own_spelling, name);
    assert_string_equal(error.message, "--class stumps and --bits");
    sotto_error_spell(NULL, SOTTO_SPELL_OPTION, NULL, NULL);
}

static void every_id_is_in_the_table_once(void **state)
{
    (void)state;
    const sotto_setting *row = NULL;
    for (size_t i = 0; (row = sotto_setting_at(i)) != NULL; i++) {
        assert_ptr_equal(sotto_setting_find(row->id), row);
        assert_true(strlen(row->id) + 3 < SOTTO_SETTING_BYTES);
    }
    assert_null(sotto_setting_find("nonesuch"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_front_end_has_its_spelling),
        cmocka_unit_test(a_letter_for_a_number_has_no_quotes),
        cmocka_unit_test(a_flag_has_no_value_on_the_command_line),
        cmocka_unit_test(an_unknown_id_and_an_open_quote_stay),
        cmocka_unit_test(a_long_message_stays_within_its_bytes),
        cmocka_unit_test(a_front_end_may_have_its_own),
        cmocka_unit_test(every_id_is_in_the_table_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
