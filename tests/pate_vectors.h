/* tests/pate_vectors.h: the cases of tests/vectors/pate_audit.json, and its table of votes. */
#ifndef SOTTO_TESTS_PATE_VECTORS_H
#define SOTTO_TESTS_PATE_VECTORS_H

#include "support.h"

#include <jansson.h>

#include <sotto/pate_cost.h>

enum { PATE_QUERIES = 100, PATE_CLASSES = 10, PATE_CLASSES_MOST = 16 };

/* json_decref() it. */
static inline json_t *pate_vectors(void)
{
    json_error_t problem;
    json_t *all = json_load_file(SOTTO_TEST_VECTORS "/pate_audit.json", 0, &problem);
    assert_non_null(all);
    return all;
}

/* The array of a section, or of a part of it; it has this many cases. */
static inline const json_t *pate_cases(const json_t *all, const char *section,
                                       const char *part, size_t count)
{
    const json_t *cases = json_object_get(all, section);
    if (part != NULL) cases = json_object_get(cases, part);
    assert_int_equal(json_array_size(cases), count);
    return cases;
}

static inline double pate_number(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    assert_true(json_is_number(value));
    return json_number_value(value);
}

static inline double pate_at(const json_t *object, const char *key, size_t index)
{
    return json_number_value(json_array_get(json_object_get(object, key), index));
}

/* The numbers of an array; returns how many. */
static inline size_t pate_numbers(const json_t *object, const char *key, double *out,
                                  size_t room)
{
    const json_t *values = json_object_get(object, key);
    const size_t count = json_array_size(values);
    assert_in_range(count, 1, room);
    for (size_t i = 0; i < count; i++)
        out[i] = json_number_value(json_array_get(values, i));
    return count;
}

static inline size_t pate_votes(const json_t *object, int64_t out[PATE_CLASSES_MOST])
{
    double votes[PATE_CLASSES_MOST];
    const size_t count = pate_numbers(object, "votes", votes, PATE_CLASSES_MOST);
    for (size_t i = 0; i < count; i++)
        out[i] = (int64_t)votes[i];
    return count;
}

/* "Relative 1e-9 (absolute 1e-15 below 1e-12)". */
#define assert_vector(value, expected)                                                   \
    support_assert_within(                                                               \
        (value),                                                                         \
        (expected)-1e-9 * fabs(expected) - (fabs(expected) < 1e-12 ? 1e-15 : 0.0),       \
        (expected) + 1e-9 * fabs(expected) + (fabs(expected) < 1e-12 ? 1e-15 : 0.0),     \
        #value, __FILE__, __LINE__)

typedef struct pate_table {
    int64_t votes[PATE_QUERIES][PATE_CLASSES];
} pate_table;

/* Reads pate_votes_100x10.csv and checks its checksum. */
static inline void pate_read_table(const json_t *all, pate_table *out_table)
{
    FILE *file = fopen(SOTTO_TEST_VECTORS "/pate_votes_100x10.csv", "r");
    assert_non_null(file);
    char line[256];
    size_t row = 0;
    double weighted = 0.0;
    while (fgets(line, sizeof line, file) != NULL) {
        if (line[0] < '0' || line[0] > '9') continue; /* a header */
        assert_true(row < PATE_QUERIES);
        char *at = line;
        assert_int_equal(strtol(at, &at, 10), row); /* the query's number */
        at++;
        for (size_t j = 0; j < PATE_CLASSES; j++) {
            out_table->votes[row][j] = strtol(at, &at, 10);
            if (*at == ',') at++;
            weighted += (double)((row + 1) * (j + 1)) * (double)out_table->votes[row][j];
        }
        row++;
    }
    (void)fclose(file);
    assert_int_equal(row, PATE_QUERIES);
    const json_t *facts = json_object_get(all, "vote_table");
    assert_true(weighted == pate_number(facts, "checksum_weighted"));
    const struct {
        const char *key;
        size_t row;
    } rows[] = {{"row0", 0}, {"row3", 3}, {"row99", 99}};
    for (size_t i = 0; i < 3; i++) {
        for (size_t j = 0; j < PATE_CLASSES; j++)
            assert_true((double)out_table->votes[rows[i].row][j] ==
                        pate_at(facts, rows[i].key, j));
    }
}

#endif
