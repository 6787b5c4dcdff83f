/* Every option of every command that an analyst may run has a rule, and the rules leave no way to the
 * curator's files, to public declarations or to known noise. A new option fails here until somebody has
 * decided about it in cli/analyst/rules.c; until then the command refuses it. */
#include "support.h"

#include "cli/analyst/analyst.h"
#include "cli/commands.h"

static const cli_command *const commands[] = {
    &cli_schema, &cli_plan, &cli_train,  &cli_tune,  &cli_evaluate, &cli_release,
    &cli_pac,    &cli_pate, &cli_ledger, &cli_audit, &cli_predict,  NULL};
const cli_command cli_root = {
    .name = "test", .summary = "", .example = "", .commands = commands};

/* Calls the function for every option of every allowed command; returns how many there were. */
static size_t for_each_option(void (*check)(const analyst_command *command,
                                            const cli_option *option,
                                            const analyst_rule *rule))
{
    const analyst_command *command = NULL;
    const cli_option *option = NULL;
    size_t count = 0;
    for (size_t i = 0; (command = analyst_command_at(i)) != NULL; i++) {
        const cli_command *table = analyst_find_table(command->path);
        assert_non_null(table);
        assert_non_null(table->run);
        for (size_t k = 0; (option = cli_option_at(table, k)) != NULL; k++, count++) {
            const analyst_rule *rule = analyst_find_rule(command, option->name);
            if (rule == NULL) {
                fail_msg("sotto %s has an option --%s without a rule for analysts; add "
                         "one to cli/analyst/rules.c",
                         command->path, option->name);
            }
            check(command, option, rule);
        }
    }
    return count;
}

static void has_a_class(const analyst_command *command, const cli_option *option,
                        const analyst_rule *rule)
{
    (void)command;
    (void)option;
    assert_in_range(rule->class, ANALYST_REFUSED, ANALYST_MODEL);
}

static void every_option_is_classified(void **state)
{
    (void)state;
    assert_true(for_each_option(has_a_class) > 200);
}

static void names_no_file_freely(const analyst_command *command, const cli_option *option,
                                 const analyst_rule *rule)
{
    (void)command;
    const bool confined = rule->class == ANALYST_FIXED || rule->class == ANALYST_INPUT ||
                          rule->class == ANALYST_OUTPUT || rule->class == ANALYST_MODEL ||
                          rule->class == ANALYST_REFUSED || rule->class == ANALYST_FORM;
    if (option->kind == CLI_FILE) assert_true(confined);
    /* A choice that also takes the name of a file. */
    if (option->is_other != NULL) assert_true(confined);
    if (rule->class == ANALYST_OUTPUT) assert_true(rule->words[0] == '.');
}

static void no_file_option_is_free(void **state)
{
    (void)state;
    (void)for_each_option(names_no_file_freely);
}

static void declares_nothing(const analyst_command *command, const cli_option *option,
                             const analyst_rule *rule)
{
    (void)command;
    static const char never[] =
        "data-is-public insecure-test-seed stored-table estimate sensitivity monotone";
    static const char fixed[] = "data schema ledger";
    if (analyst_has_word(never, option->name))
        assert_int_equal(rule->class, ANALYST_REFUSED);
    if (analyst_has_word(fixed, option->name))
        assert_int_equal(rule->class, ANALYST_FIXED);
    if (strcmp(option->name, "public-n") == 0)
        assert_int_equal(rule->class, ANALYST_PUBLIC_N);
    if (rule->class == ANALYST_REFUSED) assert_non_null(rule->why);
}

static void declarations_and_seeds_are_refused(void **state)
{
    (void)state;
    (void)for_each_option(declares_nothing);
}

static void lists_all_words(const analyst_command *command, const cli_option *option,
                            const analyst_rule *rule)
{
    if (rule->class != ANALYST_CHOICE) return;
    assert_int_equal(option->kind, CLI_CHOICE);
    for (size_t i = 0; option->choices(i) != NULL; i++) {
        const char *word = option->choices(i);
        if (analyst_has_word(rule->words, word) == analyst_has_word(rule->refused, word))
            fail_msg("sotto %s --%s %s is not decided for analysts", command->path,
                     option->name, word);
    }
    assert_true(analyst_has_word(rule->words, "none") == false);
    assert_true(analyst_has_word(rule->words, "mala") == false);
    assert_true(analyst_has_word(rule->words, "given") == false);
}

static void every_word_of_a_restricted_choice_is_decided(void **state)
{
    (void)state;
    (void)for_each_option(lists_all_words);
}

/* An option that a command gets tomorrow, of every kind. */
static void an_option_without_a_rule_is_refused(void **state)
{
    (void)state;
    static const cli_kind kinds[] = {CLI_FLAG, CLI_NUMBER, CLI_COUNT,
                                     CLI_TEXT, CLI_CHOICE, CLI_FILE};
    const analyst_config config = {.public_rows = 0};
    const analyst_command *command = NULL;
    for (size_t i = 0; (command = analyst_command_at(i)) != NULL; i++) {
        for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
            const cli_option option = {"a-new-option", kinds[k], CLI_OPTIONAL, "",
                                       .value = "X"};
            sotto_error error = {.status = SOTTO_OK};
            assert_int_equal(analyst_admit(&config, command, &option, "1", &error),
                             SOTTO_INVALID_ARGUMENT);
            assert_non_null(strstr(error.message, "--a-new-option is not allowed"));
        }
    }
}

static void an_option_without_a_rule_has_none(void **state)
{
    (void)state;
    const analyst_command *train = analyst_find_command("train");
    assert_null(analyst_find_rule(train, "a-new-option"));
    assert_null(analyst_find_rule(train, ""));
    assert_null(analyst_find_command("schema check"));
    assert_null(analyst_find_command("ledger grant"));
    assert_null(analyst_find_command("predict"));
    assert_null(analyst_find_command("audit model"));
    assert_null(analyst_find_command("pate teach"));
    assert_null(analyst_find_command(""));
}

/* No rule is left over from an option that is gone. */
static void every_rule_is_of_some_option(void **state)
{
    (void)state;
    const analyst_command *command = NULL;
    const cli_option *option = NULL;
    for (size_t i = 0; (command = analyst_command_at(i)) != NULL; i++) {
        for (size_t t = 0; command->rules[t] != NULL; t++) {
            for (const analyst_rule *rule = command->rules[t]; rule->option != NULL;
                 rule++) {
                bool used = false;
                const analyst_command *other = NULL;
                for (size_t k = 0; (other = analyst_command_at(k)) != NULL; k++) {
                    const cli_command *table = analyst_find_table(other->path);
                    for (size_t n = 0; (option = cli_option_at(table, n)) != NULL; n++)
                        if (strcmp(option->name, rule->option) == 0) used = true;
                }
                if (!used) fail_msg("the rule of --%s is of no option", rule->option);
            }
        }
    }
}

static void words_are_whole_words(void **state)
{
    (void)state;
    assert_true(analyst_has_word("auto objective gd", "gd"));
    assert_true(analyst_has_word("auto objective gd", "auto"));
    assert_false(analyst_has_word("auto objective gd", "obj"));
    assert_false(analyst_has_word("auto objective gd", "objective gd"));
    assert_false(analyst_has_word("auto", "autos"));
    assert_false(analyst_has_word("auto", ""));
    assert_false(analyst_has_word(NULL, "auto"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_option_is_classified),
        cmocka_unit_test(no_file_option_is_free),
        cmocka_unit_test(declarations_and_seeds_are_refused),
        cmocka_unit_test(every_word_of_a_restricted_choice_is_decided),
        cmocka_unit_test(an_option_without_a_rule_is_refused),
        cmocka_unit_test(an_option_without_a_rule_has_none),
        cmocka_unit_test(every_rule_is_of_some_option),
        cmocka_unit_test(words_are_whole_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
