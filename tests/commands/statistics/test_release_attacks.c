/* Published attacks on private statistics, tried on our own releases. */
#include "support.h"

#include <unistd.h>

#include <sotto/release.h>

#include "privacy/mechanisms/gate/tape.h"

static const char schema_text[] =
    "{\"dataset\": \"attack-1\", \"columns\": ["
    "{\"name\": \"x\", \"type\": \"number\", \"lower\": -1, \"upper\": 1},"
    "{\"name\": \"c\", \"type\": \"category\", \"values\": [\"a\", \"b\"]}]}";

static const char *write_rows(const char *rows)
{
    static char path[64];
    (void)snprintf(path, sizeof path, "release_attacks_%ld.csv", (long)getpid());
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "x,c\n%s", rows);
    assert_int_equal(fclose(file), 0);
    return path;
}

static sotto_status run(const sotto_release_config *config, const char *rows,
                        sotto_release_result **out_result, sotto_error *error)
{
    sotto_schema *schema;
    assert_ok(sotto_schema_parse("s", schema_text, strlen(schema_text), &schema, error),
              error);
    const char *path = write_rows(rows);
    const sotto_status status = sotto_release_data(
        config, schema, &(const sotto_data_file){.path = path}, out_result, error);
    (void)unlink(path);
    sotto_schema_free(schema);
    return status;
}

static sotto_release_config seeded(sotto_statistic statistic, const char *column,
                                   uint64_t seed)
{
    sotto_release_config config = sotto_release_defaults();
    config.statistic = statistic;
    config.column = column;
    config.epsilon = 1.0;
    config.insecure_test = true;
    config.test_seed = seed;
    return config;
}

/* Mironov, CCS 2012: the low bits of a noisy double say which exact value is below it. Here every
 * output is a whole multiple of the public grid, for neighbours alike, and both residues of any
 * multiple occur. */
static void low_bits_say_nothing(void **state)
{
    (void)state;
    sotto_error error;
    const double grid = 0x1p-29;
    int odd = 0;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        sotto_release_config config = seeded(SOTTO_RELEASE_SUM, "x", seed);
        if (seed % 2 == 0) config.delta = 1e-6;
        sotto_release_result *result;
        /* 0.1 and a third are no multiples of any power of two. */
        assert_ok(run(&config, seed % 3 == 0 ? "0.1,a\n" : "0.1,a\n0.3333333333,b\n",
                      &result, &error),
                  &error);
        const double units = sotto_release_at(result, 0).value / grid;
        assert_true(units == floor(units));
        odd += fmod(fabs(units), 2.0) == 1.0;
        sotto_release_free(result);
    }
    assert_in_range(odd, 15, 45); /* 60 fair coins: outside in one of 20000 */
}

/* Casacuberta et al., CCS 2022: a sum of doubles depends on the order of its terms, and by more
 * than the sensitivity says. The exact sums here are the same bits in every order. */
static void the_order_of_rows_changes_no_sum(void **state)
{
    (void)state;
    sotto_error error;
    enum { ROWS = 200, ROW_BYTES = 32 };
    char forward[ROWS * ROW_BYTES] = "";
    char backward[ROWS * ROW_BYTES] = "";
    for (int i = 0; i < ROWS; i++) {
        const int from[] = {i, ROWS - 1 - i};
        for (int k = 0; k < 2; k++) {
            char row[ROW_BYTES];
            const double size = from[k] % 7 == 0 ? 1.0 : 1e-6;
            (void)snprintf(row, sizeof row, "%.9f,a\n", sin(1.0 + from[k]) * size);
            strcat(k == 0 ? forward : backward, row);
        }
    }
    const sotto_release_config configs[] = {seeded(SOTTO_RELEASE_SUM, "x", 5),
                                            seeded(SOTTO_RELEASE_MEAN, "x", 5)};
    for (size_t i = 0; i < 2; i++) {
        sotto_release_result *result;
        sot_tape *tape = sot_tape_new();
        sot_tape_record(tape);
        assert_ok(run(&configs[i], forward, &result, &error), &error);
        sot_tape_stop(tape);
        sotto_release_free(result);
        sot_tape_replay(tape, true); /* identical: not one bit may differ */
        assert_ok(run(&configs[i], backward, &result, &error), &error);
        sot_tape_stop(tape);
        sotto_release_free(result);
        assert_null(sot_tape_difference(tape));
        sot_tape_free(tape);
    }
}

/* A wrong declared number of rows is refused without saying the right one. */
static void a_wrong_public_n_is_refused_and_not_corrected(void **state)
{
    (void)state;
    sotto_error error;
    sotto_release_result *result;
    sotto_release_config config = seeded(SOTTO_RELEASE_MEAN, "x", 1);
    config.adjacency = SOTTO_REPLACE_ONE;
    for (config.public_n = 6; config.public_n <= 8; config.public_n += 2) {
        assert_refused(
            run(&config, "0,a\n0,a\n0,a\n0,a\n0,a\n0,a\n0,a\n", &result, &error),
            SOTTO_INVALID_ARGUMENT, &error, "rows of `public_n`", NULL);
        assert_null(strstr(error.message, " 7 "));
    }
    config.public_n = 7;
    assert_ok(run(&config, "0,a\n0,a\n0,a\n0,a\n0,a\n0,a\n0,a\n", &result, &error),
              &error);
    sotto_release_free(result);
}

/* No rows, one row, rows of nothing but mistakes: a value and an interval like any other. */
static void empty_and_broken_files_are_ordinary(void **state)
{
    (void)state;
    static const char *const files[] = {"", "0.5,a\n", "\n",
                                        "nan,zebra\ninf,\n,,,\n\"\n"};
    const sotto_release_config configs[] = {
        seeded(SOTTO_RELEASE_COUNT, NULL, 2), seeded(SOTTO_RELEASE_SUM, "x", 2),
        seeded(SOTTO_RELEASE_MEAN, "x", 2), seeded(SOTTO_RELEASE_HISTOGRAM, "c", 2),
        seeded(SOTTO_RELEASE_BOUNDS, "x", 2)};
    for (size_t i = 0; i < sizeof configs / sizeof configs[0]; i++) {
        for (size_t k = 0; k < sizeof files / sizeof files[0]; k++) {
            sotto_error error;
            sotto_release_result *result;
            assert_ok(run(&configs[i], files[k], &result, &error), &error);
            for (size_t j = 0; j < sotto_release_size(result); j++)
                assert_true(isfinite(sotto_release_at(result, j).value));
            sotto_release_free(result);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(low_bits_say_nothing),
        cmocka_unit_test(the_order_of_rows_changes_no_sum),
        cmocka_unit_test(a_wrong_public_n_is_refused_and_not_corrected),
        cmocka_unit_test(empty_and_broken_files_are_ordinary),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
