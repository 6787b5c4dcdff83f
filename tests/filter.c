/* Chooses among the test functions of a program: SOTTO_TEST_FILTER is a name with the wildcards * and ?. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

__attribute__((constructor)) static void choose_tests(void)
{
    const char *pattern = getenv("SOTTO_TEST_FILTER");
    if (pattern != NULL && pattern[0] != '\0') cmocka_set_test_filter(pattern);
}
