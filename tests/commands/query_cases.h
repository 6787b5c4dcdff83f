/* Generated queries, one after another: on which tables, with which schema, for which commands. */
#ifndef SOTTO_TESTS_QUERY_CASES_H
#define SOTTO_TESTS_QUERY_CASES_H

#include "query_claims.h"

static stored_scene scene;
static sotto_schema *schemas[2]; /* without and with a unit */

static inline int begin_scene(void **state)
{
    sotto_error error = {0};
    (void)state;
    stored_begin(&scene);
    stored_must(sotto_schema_parse("s.json", source_schema, strlen(source_schema),
                                   &schemas[0], &error) == SOTTO_OK,
                error.message);
    stored_must(sotto_schema_parse("s.json", source_unit_schema,
                                   strlen(source_unit_schema), &schemas[1],
                                   &error) == SOTTO_OK,
                error.message);
    return 0;
}

static inline int end_scene(void **state)
{
    (void)state;
    stored_end(&scene);
    sotto_schema_free(schemas[0]);
    sotto_schema_free(schemas[1]);
    return 0;
}

static inline claim_case case_of(const grammar *query, size_t table, bool has_unit)
{
    claim_case made = {.scene = &scene,
                       .table = table % TABLES,
                       .query = query,
                       .schema = schemas[has_unit],
                       .has_unit = has_unit};
    (void)snprintf(made.link, sizeof made.link, "%s/stored.db", scene.folder);
    return made;
}

static inline void expect_none(const char *failure, const claim_case *of)
{
    if (failure == NULL) return;
    fail_msg("%s\n%s\nfrom the table '%s'", failure, of->query->text,
             stored_tables[of->table].name);
}

/* The claims at the reader, on `tables` tables each, for every `row_step`-th row. */
static inline void expect_claims(uint64_t seed, size_t queries, size_t tables,
                                 size_t row_step)
{
    static grammar query;
    size_t accepted = 0, selected = 0, refused = 0, spoilt = 0;
    for (size_t i = 0; i < queries; i++) {
        bool is_accepted = false;
        (void)grammar_query(&query, seed + i);
        for (size_t j = 0; j < tables; j++) {
            bool is_read = false;
            const claim_case of = case_of(&query, i + j, (i + j) % 3 == 0);
            expect_none(claim_of_query(&of, row_step, &is_read), &of);
            is_accepted = is_accepted || is_read;
        }
        accepted += is_accepted ? 1 : 0;
        selected += is_accepted && query.has_condition ? 1 : 0;
        refused += is_accepted ? 0 : 1;
        spoilt += query.must_be_refused ? 1 : 0;
    }
    (void)unlink(case_of(&query, 0, false).link);
    /* A grammar that is always refused, or never, would prove nothing. */
    print_message("%zu queries: %zu accepted, %zu of them with a condition, %zu refused, "
                  "%zu had to be\n",
                  queries, accepted, selected, refused, spoilt);
    assert_true(accepted >= queries / 3 && selected >= queries / 5);
    assert_true(refused >= queries / 8 && spoilt >= queries / 10);
}

/* Commands by record-and-replay: releases of all statistics in turn, a training now and then, both adjacencies. */
static inline void expect_silence(uint64_t seed, size_t queries, size_t neighbours)
{
    static grammar query;
    size_t released = 0, trained = 0;
    for (size_t i = 0; i < queries; i++) {
        const sotto_adjacency adjacency =
            i % 2 == 0 ? SOTTO_ADD_REMOVE : SOTTO_REPLACE_ONE;
        source_study studies[STUDIES_MAX];
        (void)grammar_query(&query, seed + i);
        const claim_case of = case_of(&query, i / 2, false);
        size_t count = all_releases(studies, i % 2 != 0, query.has_condition);
        studies[count] = statistic("rr", SOTTO_RELEASE_RESPONSES, "smokes");
        studies[count++].release.adjacency = adjacency;
        claim_study self = {.of = &of, .study = studies[i / 2 % count]};
        if (i % 12 < 2)
            self.study = training("objective", SOTTO_MODEL_LOGISTIC,
                                  SOTTO_METHOD_OBJECTIVE, adjacency);
        for (size_t j = 0; j < neighbours; j++)
            expect_none(claim_of_command(&self, adjacency, (i + 3 * j) % ROWS), &of);
        if (self.status == SOTTO_OK && self.study.is_release) released++;
        if (self.status == SOTTO_OK && !self.study.is_release) trained++;
    }
    print_message("%zu queries: %zu releases, %zu trainings\n", queries, released,
                  trained);
    assert_true(released >= queries / 5 && trained >= queries / 40);
}

#endif
