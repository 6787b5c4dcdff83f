/* Queries as texts: whatever hides a word from a reader must not hide it from the check. */
#include "support.h"

#include "data/readers/sqlite/text.h"

#define LENGTH(list) (sizeof(list) / sizeof(list)[0])

static const char *const with_condition[] = {
    "SELECT * FROM t WHERE age > 5",
    "select * from t where age > 5",
    "SELECT * FROM t wHeRe age > 5",
    "SELECT * FROM t\fWHERE age > 5",
    "SELECT * FROM t -- all of them\nWHERE age > 5",
    "SELECT * FROM t --\n--\nWHERE age > 5",
    "SELECT * FROM t /* all of them */WHERE age > 5",
    "SELECT * FROM t /* -- */ WHERE age > 5 /* */",
    "SELECT * FROM t /**/WHERE age > 5",
    "SELECT * FROM t /*/ \" */ WHERE age > 5 --\"",
    "SELECT * FROM t /*/ ' */ WHERE age > 5 --'",
    "SELECT * FROM t WHERE age > 5 /* open",
    "SELECT '--' AS age FROM t WHERE age > 5",
    "SELECT '/*' AS age FROM t WHERE age > '*/'",
    "SELECT \"/*\" FROM t WHERE age > 5",
    "SELECT 'it''s -- ' AS age FROM t WHERE age > 5",
    "SELECT \"a\"\"b\" FROM t WHERE age > 5",
    "SELECT [a'b] FROM t WHERE age > 'x'",
    "SELECT `a``'b` FROM t WHERE age > 5",
    "SELECT [a\"b] FROM t WHERE age > 5",
    "SELECT age FROM t AS \"where\" WHERE age > 5",
};

static const char *const without_condition[] = {
    "SELECT * FROM t",
    "SELECT \"where\" FROM t",
    "SELECT `where`, [where] FROM t",
    "SELECT 'where' AS age FROM t",
    "SELECT somewhere, where_, _where FROM t",
    "SELECT * FROM t -- WHERE age > 5",
    "SELECT * FROM t /* WHERE age > 5 */",
    "SELECT * FROM t /*/ WHERE age > 5 */",
    "SELECT 'it''s where' AS age FROM t;",
};

static void a_condition_is_seen_however_it_is_written(void **state)
{
    (void)state;
    for (size_t i = 0; i < LENGTH(with_condition); i++) {
        if (!sot_query_has_condition(with_condition[i]))
            fail_msg("no condition is seen in %s", with_condition[i]);
    }
    for (size_t i = 0; i < LENGTH(without_condition); i++) {
        if (sot_query_has_condition(without_condition[i]))
            fail_msg("a condition is seen in %s", without_condition[i]);
    }
}

/* What is added behind FROM and around the condition would be lost within a comment. */
static void parts_end_before_any_comment(void **state)
{
    (void)state;
    static const struct {
        const char *text, *rest, *condition;
    } cases[] = {
        {"SELECT * FROM t", "", NULL},
        {"SELECT * FROM t;", ";", NULL},
        {"SELECT * FROM main.t AS x WHERE x.age", " WHERE x.age", " x.age"},
        {"SELECT * FROM t -- all\nWHERE age", " -- all\nWHERE age", " age"},
        {"SELECT * FROM t WHERE age -- old\n;", " WHERE age -- old\n;", " age"},
        {"SELECT * FROM t where(age)/**/", " where(age)/**/", "(age)"},
        {"SELECT * FROM t /* all */ AS x -- all", " -- all", NULL},
        {"SELECT * FROM t /*/ ' */ WHERE age --'", " /*/ ' */ WHERE age --'", " age"},
        {"SELECT * FROM \"a -- b\" -- c", " -- c", NULL},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        sotto_error error = {0};
        sot_query_parts parts;
        const char *text = cases[i].text;
        assert_ok(sot_query_check(text, &parts, &error), &error);
        assert_string_equal(text + parts.from_end, cases[i].rest);
        assert_true((cases[i].condition == NULL) == (parts.where_begin == 0));
        if (cases[i].condition == NULL) continue;
        assert_int_equal(parts.where_end - parts.where_begin, strlen(cases[i].condition));
        assert_memory_equal(text + parts.where_begin, cases[i].condition,
                            strlen(cases[i].condition));
    }
}

/* A condition that closes a parenthesis of others would not stay within those around it. */
static void parentheses_are_balanced(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "SELECT * FROM t WHERE age > 5) OR (rowid > 3",
        "SELECT * FROM t WHERE (age > 5",
        "SELECT * FROM t WHERE age > 5)",
        "SELECT (age FROM t WHERE age > 5",
        "SELECT age) FROM t",
    };
    for (size_t i = 0; i < LENGTH(texts); i++) {
        sotto_error error = {0};
        sot_query_parts parts;
        assert_refused(sot_query_check(texts[i], &parts, &error), SOTTO_INVALID_ARGUMENT,
                       &error, "parenthesis", NULL);
    }
}

/* The second of five columns, as the select list has it. */
static void a_bare_column_is_a_name_and_nothing_else(void **state)
{
    (void)state;
    static const char *const bare[] = {
        "SELECT a, b, c, d, e FROM t",
        "SELECT a, t.b, c, d, e FROM t",
        "SELECT a, main.t.\"b\", c, d, e FROM t",
        "SELECT a, [b], c, d, e FROM t",
        "SELECT * FROM t",
        "SELECT a, * FROM t",
        "SELECT t.*, e FROM t",
        "SELECT coalesce(a, 'x, y', 2) AS a, b, c, d, e FROM t",
        "SELECT iif(a, (b), coalesce(c, d)) AS a, b, c, d, e FROM t",
        "SELECT (a) AS a /* , */, b -- , c\n, c, d, e FROM t",
    };
    static const char *const others[] = {
        "SELECT a, rowid AS b, c, d, e FROM t",
        "SELECT a, rowid b, c, d, e FROM t",
        "SELECT a, (b), c, d, e FROM t",
        "SELECT a, +b, c, d, e FROM t",
        "SELECT a, b COLLATE NOCASE, c, d, e FROM t",
        "SELECT a, b + 0, c, d, e FROM t",
        "SELECT a, 'b', c, d, e FROM t",
        "SELECT a, 1, c, d, e FROM t",
        "SELECT a, null, c, d, e FROM t",
        "SELECT coalesce(1, b, 2) AS a, rowid AS b, c, d, e FROM t",
        "SELECT iif(a, b, c), rowid AS b, c, d, e FROM t",
        "SELECT a IN (1, b), rowid AS b, c, d, e FROM t",
        "SELECT coalesce((1), (b), b), rowid AS b, c, d, e FROM t",
        "SELECT a, rowid AS b, t.* FROM t",
        "SELECT a /* , b */, rowid AS b, c, d, e FROM t",
        "SELECT 'x, b, y' AS a, rowid AS b, c, d, e FROM t",
        "SELECT a FROM t",
    };
    for (size_t i = 0; i < LENGTH(bare); i++)
        if (!sot_query_selects_column(bare[i], 5, 1, "b"))
            fail_msg("not bare: %s", bare[i]);
    for (size_t i = 0; i < LENGTH(others); i++)
        if (sot_query_selects_column(others[i], 5, 1, "b"))
            fail_msg("bare: %s", others[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_condition_is_seen_however_it_is_written),
        cmocka_unit_test(parts_end_before_any_comment),
        cmocka_unit_test(parentheses_are_balanced),
        cmocka_unit_test(a_bare_column_is_a_name_and_nothing_else),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
