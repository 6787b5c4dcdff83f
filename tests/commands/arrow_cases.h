/* Claims about neighbours in Arrow streams: the layouts that a test gives, all releases, the first learners. */
#ifndef SOTTO_TESTS_ARROW_CASES_H
#define SOTTO_TESTS_ARROW_CASES_H

#include "support.h"

#include "source_cases.h"

static inline void expect_none(const char *leak)
{
    if (leak != NULL) fail_msg("%s", leak);
}

static inline void check_releases(const source_layout *layouts, size_t count)
{
    expect_none(source_leak_of_all(true, STUDIES_MAX, SOTTO_ADD_REMOVE, layouts, count));
    expect_none(source_leak_of_all(true, STUDIES_MAX, SOTTO_REPLACE_ONE, layouts, count));
}

static inline void check_trainings(const source_layout *layouts, size_t count,
                                   size_t learners)
{
    expect_none(source_leak_of_all(false, learners, SOTTO_ADD_REMOVE, layouts, count));
    expect_none(source_leak_of_all(false, learners, SOTTO_REPLACE_ONE, layouts, count));
}

/* A row among others that make no sense: they stay as they are, however they lie. */
static inline const char *arrow_leak_among_odd_rows(source_study *study)
{
    static const tape_row odd[] = {TAPE_EMPTY_CATEGORY, TAPE_NAN, TAPE_UNKNOWN_CATEGORY};
    const tape_study tape = source_tape(study);
    const char *leak = NULL;
    for (size_t i = 0; i < sizeof odd / sizeof odd[0] && leak == NULL; i++) {
        tape_table *table = tape_table_new(source_columns, SOURCE_COLUMNS, 4, 7);
        tape_table *base = tape_neighbour(table, SOTTO_ADD_REMOVE, odd[i], 1);
        tape_table *neighbour = tape_neighbour(base, SOTTO_ADD_REMOVE, TAPE_HIGH, 3);
        leak = tape_check(&tape, base, neighbour);
        if (leak == NULL) leak = tape_check(&tape, neighbour, base);
        if (leak == NULL) leak = tape_check_order(&tape, base);
        tape_table_free(table);
        tape_table_free(base);
        tape_table_free(neighbour);
    }
    return leak == NULL ? NULL : source_name_leak(study, leak);
}

/* No row, and one: a refusal that tells them apart would be free. */
static inline const char *arrow_leak_of_no_rows(source_study *study)
{
    const tape_study tape = source_tape(study);
    tape_table *none = tape_table_new(source_columns, SOURCE_COLUMNS, 0, 3);
    tape_table *one = tape_neighbour(none, SOTTO_ADD_REMOVE, TAPE_ORDINARY, 0);
    const char *leak = tape_check(&tape, none, one);
    if (leak == NULL) leak = tape_check(&tape, one, none);
    tape_table_free(none);
    tape_table_free(one);
    return leak == NULL ? NULL : source_name_leak(study, leak);
}

/* Releases that add, count and choose, and one learner, in every layout. */
static inline void check_layouts(void)
{
    source_study studies[4] = {statistic("sum", SOTTO_RELEASE_SUM, "age"),
                               statistic("histogram", SOTTO_RELEASE_HISTOGRAM, "town"),
                               statistic("choice by count", SOTTO_RELEASE_CHOICE, "town"),
                               training("objective", SOTTO_MODEL_LOGISTIC,
                                        SOTTO_METHOD_OBJECTIVE, SOTTO_ADD_REMOVE)};
    studies[2].release.score = SOTTO_SCORE_COUNT;
    for (int layout = SOURCE_ARROW; layout < SOURCE_LAYOUTS; layout++) {
        for (size_t i = 0; i < sizeof studies / sizeof studies[0]; i++) {
            studies[i].layout = (source_layout)layout;
            expect_none(arrow_leak_among_odd_rows(&studies[i]));
            expect_none(arrow_leak_of_no_rows(&studies[i]));
        }
    }
}

#endif
