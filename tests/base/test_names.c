/* Names of an enum: every value and its name are each other's. */
#include "base/names.h"

#include <stdarg.h>
#include <stddef.h>

#include "support.h"

typedef enum colour { COLOUR_RED = 1, COLOUR_GREEN = 2, COLOUR_BLUE = 4 } colour;

static const sot_names colours = SOT_NAMES(
    "target", [COLOUR_RED] = "red", [COLOUR_GREEN] = "green", [COLOUR_BLUE] = "blue");

const char *colour_name(colour value);
sotto_status colour_from_name(const char *name, colour *out, sotto_error *error);
SOT_DEFINE_NAMES(colour, colours)

static void a_name_and_its_value_find_each_other(void **state)
{
    (void)state;
    const colour all[] = {COLOUR_RED, COLOUR_GREEN, COLOUR_BLUE};
    sotto_error error;
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        colour found = (colour)0;
        assert_ok(colour_from_name(colour_name(all[i]), &found, &error), &error);
        assert_int_equal(found, all[i]);
    }
}

static void a_value_without_a_name_is_unknown(void **state)
{
    (void)state;
    const int none[] = {-1, 0, 3, 5, 1 << 30};
    for (size_t i = 0; i < sizeof none / sizeof none[0]; i++)
        assert_string_equal(sot_name_of(&colours, none[i]), "unknown");
}

static void a_wrong_name_is_refused_with_the_list(void **state)
{
    (void)state;
    sotto_error error;
    colour found = COLOUR_BLUE;
    assert_refused(colour_from_name("gr\teen", &found, &error), SOTTO_INVALID_ARGUMENT,
                   &error, "`target` is 'gr?een'; give red, green or blue", NULL);
    assert_refused(colour_from_name("Red", &found, &error), SOTTO_INVALID_ARGUMENT,
                   &error, "'Red'", NULL);
    assert_refused(colour_from_name("unknown", &found, &error), SOTTO_INVALID_ARGUMENT,
                   &error, "'unknown'", NULL);
    assert_refused(colour_from_name(NULL, &found, &error), SOTTO_INVALID_ARGUMENT, &error,
                   "''", NULL);
    assert_int_equal(found, COLOUR_BLUE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_name_and_its_value_find_each_other),
        cmocka_unit_test(a_value_without_a_name_is_unknown),
        cmocka_unit_test(a_wrong_name_is_refused_with_the_list),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
