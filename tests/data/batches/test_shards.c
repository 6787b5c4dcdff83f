/* Shards: every record in exactly one, and neighbours differ in as many as the rule says. */
#include "data/files.h"

#include "base/memory.h"
#include "data/batches/matrix.h"
#include "random/rng.h"

enum { SHARDS = 7, ROWS = 60 };

static const char rows_schema[] =
    "{\"target\": {\"column\": \"y\", \"labels\": [\"no\", \"yes\"]}, \"columns\": ["
    "{\"name\": \"id\", \"type\": \"ignore\"},"
    "{\"name\": \"x\", \"type\": \"number\", \"lower\": 0, \"upper\": 64},"
    "{\"name\": \"y\", \"type\": \"category\", \"values\": [\"no\", \"yes\"]}]}";
static const char unit_schema[] =
    "{\"unit\": {\"column\": \"id\", \"rows\": 3},"
    "\"target\": {\"column\": \"y\", \"labels\": [\"no\", \"yes\"]}, \"columns\": ["
    "{\"name\": \"id\", \"type\": \"id\"},"
    "{\"name\": \"x\", \"type\": \"number\", \"lower\": 0, \"upper\": 64},"
    "{\"name\": \"y\", \"type\": \"category\", \"values\": [\"no\", \"yes\"]}]}";

typedef struct shards {
    sot_matrix *of[SHARDS];
    uint64_t records;
    unsigned char digest[SOT_SHARD_DIGEST_BYTES];
} shards;

/* Loads the text with the key of seed 5. */
static void load(const char *schema_text, sot_shard_rule rule, const char *csv,
                 shards *out)
{
    sotto_error error;
    sotto_schema *schema = parse_schema(schema_text);
    sot_encoding *encoding = NULL;
    sot_source *source = NULL;
    sotto_rng *rng = NULL;
    sot_sharding sharding = {.rule = rule, .count = SHARDS};
    assert_ok(sotto_rng_new_for_test(5, &rng, &error), &error);
    sot_rng_bytes(rng, sharding.key, sizeof sharding.key);
    assert_ok(sot_encoding_new(schema, NULL, SOT_TARGET_CLASSES, &encoding, &error),
              &error);
    const char *path = write_bytes("shards.csv", csv, strlen(csv));
    assert_ok(sot_source_open_file(path, schema, false, &source, &error), &error);
    memset(out, 0, sizeof *out);
    assert_ok(sot_matrix_load_shards(source, schema, encoding, rng, &sharding, out->of,
                                     &out->records, out->digest, &error),
              &error);
    sot_source_close(source);
    sot_encoding_free(encoding);
    sotto_schema_free(schema);
    sotto_rng_free(rng);
}

static void free_shards(shards *all)
{
    for (size_t i = 0; i < SHARDS; i++)
        sot_matrix_free(all->of[i]);
}

static bool same(const sot_matrix *a, const sot_matrix *b)
{
    if (a->rows != b->rows) return false;
    for (size_t i = 0; i < a->rows; i++) {
        if (a->labels[i] != b->labels[i]) return false;
        if (memcmp(a->dense + i * a->stride, b->dense + i * b->stride,
                   a->columns * sizeof *a->dense) != 0)
            return false;
    }
    return true;
}

static size_t differing(const shards *a, const shards *b)
{
    size_t count = 0;
    for (size_t i = 0; i < SHARDS; i++)
        count += !same(a->of[i], b->of[i]);
    return count;
}

/* Rows 0 .. count - 1 without `left_out`, and with `changed` another one (ROWS: none). */
static void write_rows(char *text, size_t left_out, size_t changed, size_t id_shift)
{
    char *end = text + sprintf(text, "id,x,y\n");
    for (size_t i = 0; i < ROWS; i++) {
        if (i == left_out) continue;
        const bool other = i == changed;
        end += sprintf(end, "p%zu,%zu.%zu,%s\n", other ? i / 2 + id_shift : i / 2,
                       other ? 63 - i % 7 : i, i % 10, i % 3 == 0 ? "yes" : "no");
    }
}

static size_t moved(const char *schema, sot_shard_rule rule, size_t left_out,
                    size_t changed, size_t id_shift)
{
    char whole[4096], neighbour[4096];
    shards a, b;
    write_rows(whole, ROWS, ROWS, 0);
    write_rows(neighbour, left_out, changed, id_shift);
    load(schema, rule, whole, &a);
    load(schema, rule, neighbour, &b);
    const size_t count = differing(&a, &b);
    free_shards(&a);
    free_shards(&b);
    return count;
}

static void each_record_is_in_exactly_one_shard(void **state)
{
    (void)state;
    char text[4096];
    shards all;
    write_rows(text, ROWS, ROWS, 0);
    const sot_shard_rule rules[] = {SOT_SHARD_BY_CONTENT, SOT_SHARD_BY_PLACE};
    for (size_t i = 0; i < 2; i++) {
        size_t rows = 0, largest = 0;
        load(rows_schema, rules[i], text, &all);
        for (size_t k = 0; k < SHARDS; k++) {
            rows += all.of[k]->rows;
            if (all.of[k]->rows > largest) largest = all.of[k]->rows;
        }
        assert_int_equal(all.records, ROWS);
        assert_int_equal(rows, ROWS);
        assert_true(largest < ROWS / 2); /* and no shard has most of them */
        free_shards(&all);
    }
}

static void a_removed_record_touches_one_shard(void **state)
{
    (void)state;
    for (size_t i = 0; i < ROWS; i += 7)
        assert_int_equal(moved(rows_schema, SOT_SHARD_BY_CONTENT, i, ROWS, 0), 1);
}

static void a_replaced_record_touches_at_most_two_shards(void **state)
{
    (void)state;
    size_t most = 0;
    for (size_t i = 0; i < ROWS; i += 5) {
        const size_t count = moved(rows_schema, SOT_SHARD_BY_CONTENT, ROWS, i, 0);
        assert_true(count >= 1 && count <= 2);
        if (count > most) most = count;
    }
    assert_int_equal(most, 2); /* the charge of two is needed */
}

static void by_place_a_replaced_record_touches_one_shard(void **state)
{
    (void)state;
    for (size_t i = 0; i < ROWS; i += 7)
        assert_int_equal(moved(rows_schema, SOT_SHARD_BY_PLACE, ROWS, i, 0), 1);
}

static void by_place_a_removed_record_touches_many(void **state)
{
    (void)state;
    assert_true(moved(rows_schema, SOT_SHARD_BY_PLACE, 0, ROWS, 0) > 2);
    assert_int_equal(sot_sharding_touched(SOT_SHARD_BY_PLACE, SOTTO_ADD_REMOVE), 0);
    assert_int_equal(sot_sharding_touched(SOT_SHARD_BY_PLACE, SOTTO_REPLACE_ONE), 1);
    assert_int_equal(sot_sharding_touched(SOT_SHARD_BY_CONTENT, SOTTO_ADD_REMOVE), 1);
    assert_int_equal(sot_sharding_touched(SOT_SHARD_BY_CONTENT, SOTTO_REPLACE_ONE), 2);
    assert_int_equal(sot_sharding_touched(SOT_SHARD_BY_UNIT, SOTTO_ADD_REMOVE), 1);
    assert_int_equal(sot_sharding_touched(SOT_SHARD_BY_UNIT, SOTTO_REPLACE_ONE), 2);
    assert_int_equal(sot_sharding_touched(SOT_SHARD_BY_UNIT, SOTTO_ADJACENCY_UNSET), 0);
}

/* Both rows of a unit are in one shard, whatever they say. */
static void a_unit_is_in_one_shard(void **state)
{
    (void)state;
    char text[4096];
    shards all;
    char *end = text + sprintf(text, "id,x,y\n");
    for (size_t i = 0; i < 9; i++)
        end += sprintf(end, "anna,%zu,yes\n", 7 * i);
    load(unit_schema, SOT_SHARD_BY_UNIT, text, &all);
    size_t used = 0;
    for (size_t i = 0; i < SHARDS; i++) {
        if (all.of[i]->rows == 0) continue;
        used++;
        assert_int_equal(all.of[i]->rows, 3); /* the cap of a unit */
    }
    assert_int_equal(used, 1);
    free_shards(&all);
    for (size_t i = 0; i < ROWS; i += 9)
        assert_int_equal(moved(unit_schema, SOT_SHARD_BY_UNIT, i, ROWS, 0), 1);
    assert_true(moved(unit_schema, SOT_SHARD_BY_UNIT, ROWS, 4, 50) <= 2);
}

static void digest_of(const char *schema, sot_shard_rule rule, const char *text,
                      unsigned char out[SOT_SHARD_DIGEST_BYTES])
{
    shards all;
    load(schema, rule, text, &all);
    memcpy(out, all.digest, sizeof all.digest);
    free_shards(&all);
}

/* The same rows have the same digest in any order, by place in theirs alone; any other rows have another. */
static void digests_tell_rows_apart(void **state)
{
    (void)state;
    static const char rows[] = "id,x,y\nanna,3,yes\nbo,4,no\ncai,4,no\n";
    static const char *const others[] = {
        "id,x,y\nbo,4,no\nanna,3,yes\ncai,4,no\n", /* another order */
        "id,x,y\nbo,3,yes\nanna,4,no\ncai,4,no\n", /* other ids */
        "id,x,y\nanna,3,yes\nbo,4,no\n", "id,x,y\nanna,3,yes\nbo,4,no\ncai,4,yes\n",
        "id,x,y\nanna,3,yes\nbo,4,no\ncai,4,no\ncai,4,no\n"};
    /* Which of these are the same rows: ids are no part of rows_schema. */
    static const struct {
        const char *schema;
        sot_shard_rule rule;
        bool same[5];
    } cases[] = {{unit_schema, SOT_SHARD_BY_UNIT, {true}},
                 {rows_schema, SOT_SHARD_BY_CONTENT, {true, true}},
                 {rows_schema, SOT_SHARD_BY_PLACE, {false, true}}};
    for (size_t i = 0; i < 3; i++) {
        unsigned char whole[SOT_SHARD_DIGEST_BYTES], other[SOT_SHARD_DIGEST_BYTES];
        digest_of(cases[i].schema, cases[i].rule, rows, whole);
        for (size_t k = 0; k < 5; k++) {
            digest_of(cases[i].schema, cases[i].rule, others[k], other);
            assert_int_equal(memcmp(whole, other, sizeof whole) == 0, cases[i].same[k]);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_record_is_in_exactly_one_shard),
        cmocka_unit_test(a_removed_record_touches_one_shard),
        cmocka_unit_test(a_replaced_record_touches_at_most_two_shards),
        cmocka_unit_test(by_place_a_replaced_record_touches_one_shard),
        cmocka_unit_test(by_place_a_removed_record_touches_many),
        cmocka_unit_test(a_unit_is_in_one_shard),
        cmocka_unit_test(digests_tell_rows_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
