/* Bounding what a unit contributes: the cap holds, the choice is fair, and no unit moves another. */
#include "data/files.h"

#include "base/memory.h"
#include "data/batches/unit.h"

enum { OFFERS_MAX = 4000, ID_BYTES = 24 };

/* A stream of records: whose each one is. What is kept, at the end, is a list of their numbers
 * within their units. */
typedef struct stream {
    char ids[OFFERS_MAX][ID_BYTES];
    size_t count;
} stream;

typedef struct kept {
    char ids[OFFERS_MAX][ID_BYTES];
    uint64_t occurrences[OFFERS_MAX];
    size_t count;
} kept;

static uint64_t occurrence_of(const stream *from, size_t at)
{
    uint64_t before = 0;
    for (size_t i = 0; i < at; i++)
        before += strcmp(from->ids[i], from->ids[at]) == 0;
    return before;
}

/* Offers all of the stream with the key of `seed`. */
static void keep(const stream *from, uint64_t rows_max, uint64_t seed, kept *out)
{
    sotto_error error;
    sotto_rng *rng = NULL;
    sot_units *units = NULL;
    assert_ok(sotto_rng_new_for_test(seed, &rng, &error), &error);
    assert_ok(sot_units_new(rows_max, rng, &units, &error), &error);
    out->count = 0;
    for (size_t i = 0; i < from->count; i++) {
        bool is_kept = false;
        uint64_t slot = 0;
        assert_ok(sot_units_offer(units, from->ids[i], strlen(from->ids[i]), &is_kept,
                                  &slot, &error),
                  &error);
        if (!is_kept) continue;
        assert_true(slot <= out->count);
        if (slot == out->count) {
            out->count++;
        } else { /* replaces one of its own unit */
            assert_string_equal(out->ids[slot], from->ids[i]);
        }
        strcpy(out->ids[slot], from->ids[i]);
        out->occurrences[slot] = occurrence_of(from, i);
    }
    sot_units_free(units);
    sotto_rng_free(rng);
}

/* Units "0", "1", ... with few or many records, in a random order. */
static void fill_stream(uint64_t seed, size_t count, uint64_t units, stream *out)
{
    out->count = count;
    for (size_t i = 0; i < count; i++) {
        const uint64_t first = next_bits(&seed) % units;
        const uint64_t second =
            next_bits(&seed) % (first + 1); /* low numbers are frequent */
        snprintf(out->ids[i], sizeof out->ids[i], "%llu", (unsigned long long)second);
    }
}

static size_t count_of(const kept *list, const char *id)
{
    size_t count = 0;
    for (size_t i = 0; i < list->count; i++)
        count += strcmp(list->ids[i], id) == 0;
    return count;
}

static bool is_there(const kept *list, const char *id, uint64_t occurrence)
{
    for (size_t i = 0; i < list->count; i++) {
        if (list->occurrences[i] == occurrence && strcmp(list->ids[i], id) == 0)
            return true;
    }
    return false;
}

static void no_unit_keeps_more_than_its_cap_nor_less_than_it_could(void **state)
{
    (void)state;
    static stream all;
    static kept list;
    fill_stream(31, 1500, 60, &all);
    for (uint64_t cap = 1; cap <= 40; cap = 2 * cap + 1) {
        keep(&all, cap, 5, &list);
        for (int unit = 0; unit < 60; unit++) {
            char id[ID_BYTES];
            size_t there = 0;
            snprintf(id, sizeof id, "%d", unit);
            for (size_t i = 0; i < all.count; i++)
                there += strcmp(all.ids[i], id) == 0;
            assert_int_equal(count_of(&list, id), there < cap ? there : cap);
        }
    }
}

/* The promise of src/data/batches/unit.md: take all records of one unit away, exchange them, or move them
 * elsewhere in the file, and what is kept of the others is the same, record for record. */
static void a_unit_changes_nothing_of_another(void **state)
{
    (void)state;
    static stream all, less, other;
    static kept whole, without, moved;
    fill_stream(32, 800, 25, &all);
    keep(&all, 3, 6, &whole);
    for (int unit = 0; unit < 25; unit++) {
        char id[ID_BYTES];
        snprintf(id, sizeof id, "%d", unit);
        less.count = other.count = 0;
        for (size_t i = 0; i < all.count; i++) {
            if (strcmp(all.ids[i], id) != 0) strcpy(less.ids[less.count++], all.ids[i]);
        }
        for (size_t i = 0; i < 50; i++) /* many more of it, all in front */
            strcpy(other.ids[other.count++], id);
        for (size_t i = 0; i < less.count; i++)
            strcpy(other.ids[other.count++], less.ids[i]);
        keep(&less, 3, 6, &without);
        keep(&other, 3, 6, &moved);
        assert_int_equal(count_of(&without, id), 0);
        assert_int_equal(without.count + count_of(&whole, id), whole.count);
        assert_int_equal(without.count + count_of(&moved, id), moved.count);
        for (size_t i = 0; i < without.count; i++) {
            assert_true(is_there(&whole, without.ids[i], without.occurrences[i]));
            assert_true(is_there(&moved, without.ids[i], without.occurrences[i]));
        }
    }
}

/* 40 records, 10 kept, 2000 keys: each record is kept 500 times, with a standard deviation of 19.4.
 * Normal tails: one of the 40 is off by 5.5 of them with probability below 2e-6. */
static void the_choice_is_fair(void **state)
{
    (void)state;
    static stream all;
    static kept list;
    size_t times[40] = {0};
    all.count = 40;
    for (size_t i = 0; i < all.count; i++)
        strcpy(all.ids[i], "one");
    for (uint64_t seed = 0; seed < 2000; seed++) {
        keep(&all, 10, seed, &list);
        assert_int_equal(list.count, 10);
        for (size_t i = 0; i < list.count; i++)
            times[list.occurrences[i]]++;
    }
    for (size_t i = 0; i < 40; i++)
        assert_within((double)times[i], 500.0 - 5.5 * 19.4, 500.0 + 5.5 * 19.4);
}

static void records_without_an_id_are_one_unit(void **state)
{
    (void)state;
    static stream all;
    static kept list;
    all.count = 20;
    for (size_t i = 0; i < all.count; i++)
        strcpy(all.ids[i], i % 2 ? "a" : "");
    keep(&all, 2, 7, &list);
    assert_int_equal(list.count, 4);
    assert_int_equal(count_of(&list, ""), 2);
}

static void only_the_first_bytes_of_an_id_count(void **state)
{
    (void)state;
    sotto_error error;
    sotto_rng *rng = NULL;
    sot_units *units = NULL;
    char id[SOT_UNIT_ID_BYTES + 10];
    bool is_kept;
    uint64_t slot;
    memset(id, 'i', sizeof id);
    assert_ok(sotto_rng_new_for_test(8, &rng, &error), &error);
    assert_ok(sot_units_new(1, rng, &units, &error), &error);
    assert_ok(sot_units_offer(units, id, sizeof id, &is_kept, &slot, &error), &error);
    assert_true(is_kept && slot == 0);
    for (int i = 0; i < 50; i++) { /* the same unit: the slot stays the one it has */
        id[SOT_UNIT_ID_BYTES] = (char)i;
        assert_ok(sot_units_offer(units, id, sizeof id, &is_kept, &slot, &error), &error);
        assert_true(!is_kept || slot == 0);
    }
    id[SOT_UNIT_ID_BYTES - 1] = 'j'; /* another one */
    assert_ok(sot_units_offer(units, id, sizeof id, &is_kept, &slot, &error), &error);
    assert_true(is_kept && slot == 1);
    sot_units_free(units);
    sotto_rng_free(rng);
}

static void no_allocation_failure_leaks_or_lies(void **state)
{
    (void)state;
    static stream all;
    fill_stream(33, 300, 100, &all);
    sotto_rng *rng = NULL;
    assert_ok(sotto_rng_new_for_test(9, &rng, NULL), NULL);
    for (size_t nth = 1;; nth++) {
        sotto_error error;
        sot_units *units = NULL;
        (void)sot_test_fail_allocation(nth);
        sotto_status status = sot_units_new(4, rng, &units, &error);
        for (size_t i = 0; i < all.count && status == SOTTO_OK; i++) {
            bool is_kept;
            uint64_t slot;
            status = sot_units_offer(units, all.ids[i], strlen(all.ids[i]), &is_kept,
                                     &slot, &error);
        }
        const size_t asked = sot_test_fail_allocation(0);
        sot_units_free(units);
        if (asked < nth) {
            assert_int_equal(status, SOTTO_OK);
            break;
        }
        assert_int_equal(status, SOTTO_OUT_OF_MEMORY);
    }
    sotto_rng_free(rng);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_unit_keeps_more_than_its_cap_nor_less_than_it_could),
        cmocka_unit_test(a_unit_changes_nothing_of_another),
        cmocka_unit_test(the_choice_is_fair),
        cmocka_unit_test(records_without_an_id_are_one_unit),
        cmocka_unit_test(only_the_first_bytes_of_an_id_count),
        cmocka_unit_test(no_allocation_failure_leaks_or_lies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
