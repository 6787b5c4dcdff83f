/* Every place of every kind of certified file, edited by a forger who computes the hash again. */
#include "support.h"

#include "leaf_study.h"

static void every_edit_is_refused_or_believed(void **state)
{
    (void)state;
    leaf_tally all = {0};
    for (size_t i = 0; i < LEAF_KINDS; i++) {
        leaf_scene scene = {.schema = NULL};
        leaf_begin(&scene, SOTTO_ADD_REMOVE);
        const leaf_tally tally = leaf_try(&scene, &leaf_kinds[i], 1, 0);
        leaf_end(&scene);
        all.leaves += tally.leaves;
        all.edits += tally.edits;
        all.believed += tally.believed;
        all.unexpected += tally.unexpected;
    }
    print_message("%zu leaves, %zu edits, %zu believed\n", all.leaves, all.edits,
                  all.believed);
    assert_int_equal(all.unexpected, 0);
}

/* Answers are of replace-one neighbours, and so is their ledger. */
static void every_edit_of_answers_is_refused_or_believed(void **state)
{
    (void)state;
    static const leaf_kind answers = {"randomised answers", leaf_responses, true};
    leaf_scene scene = {.schema = NULL};
    leaf_begin(&scene, SOTTO_REPLACE_ONE);
    const leaf_tally tally = leaf_try(&scene, &answers, 1, 0);
    leaf_end(&scene);
    assert_int_equal(tally.unexpected, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_edit_is_refused_or_believed),
        cmocka_unit_test(every_edit_of_answers_is_refused_or_believed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
