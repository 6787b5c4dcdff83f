/* Means: the stated interval covers the truth as often as it says, no more and no less. */
#include "support.h"

#include <unistd.h>

#include <sotto/release.h>

static const char schema_text[] = "{\"columns\": [{\"name\": \"x\", \"type\": "
                                  "\"number\", \"lower\": -3, \"upper\": 12}]}";

/* Rows with a mean off the middle of the bounds, some of them clipped, some missing. */
static double write_rows(const char *path, size_t rows)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("x\n", file);
    double sum = 0.0;
    for (size_t i = 0; i < rows; i++) {
        const double x = fmod(7.3 * (double)i, 17.1) - 4.0;
        if (i % 41 == 0) {
            fputs("unknown\n", file);
            sum += 4.5;
        } else {
            fprintf(file, "%.3f\n", x);
            sum += fmin(fmax(x, -3.0), 12.0);
        }
    }
    assert_int_equal(fclose(file), 0);
    return sum / (double)rows;
}

/* Of 1000 runs with the seeds 1 to 1000, how many cover the mean. At a true 95% the count is within
 * 930 to 970 but for a probability of 0.004, and the seeds are fixed: no false alarm comes
 * later. */
static int covered_of_1000(double delta, double epsilon, size_t rows, double *out_width)
{
    char path[64];
    sotto_error error;
    sotto_schema *schema;
    (void)snprintf(path, sizeof path, "release_mean_%ld.csv", (long)getpid());
    const double mean = write_rows(path, rows);
    assert_ok(sotto_schema_parse("s", schema_text, strlen(schema_text), &schema, &error),
              &error);
    sotto_release_config config = sotto_release_defaults();
    config.statistic = SOTTO_RELEASE_MEAN;
    config.column = "x";
    config.epsilon = epsilon;
    config.delta = delta;
    config.insecure_test = true;
    int covered = 0;
    double width = 0.0;
    for (config.test_seed = 1; config.test_seed <= 1000; config.test_seed++) {
        sotto_release_result *result;
        assert_ok(sotto_release_data(&config, schema,
                                     &(const sotto_data_file){.path = path}, &result,
                                     &error),
                  &error);
        assert_int_equal(sotto_release_size(result), 1);
        const sotto_release_value value = sotto_release_at(result, 0);
        assert_true(value.lower <= value.value && value.value <= value.upper);
        covered += value.lower <= mean && mean <= value.upper;
        width += value.upper - value.lower;
        sotto_release_free(result);
    }
    sotto_schema_free(schema);
    (void)unlink(path);
    *out_width = width / 1000.0;
    return covered;
}

static void laplace_intervals_cover_95_of_100(void **state)
{
    (void)state;
    double width;
    const int covered = covered_of_1000(SOTTO_UNSET, 0.7, 240, &width);
    print_message("Laplace: %d of 1000 cover, width %.4f\n", covered, width);
    assert_in_range(covered, 930, 970);
    assert_within(width, 0.0, 1.0); /* of 15: the interval says something */
}

static void gaussian_intervals_cover_95_of_100(void **state)
{
    (void)state;
    double width;
    const int covered = covered_of_1000(1e-6, 1.3, 240, &width);
    print_message("Gaussian: %d of 1000 cover, width %.4f\n", covered, width);
    assert_in_range(covered, 930, 970);
    assert_within(width, 0.0, 2.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(laplace_intervals_cover_95_of_100),
        cmocka_unit_test(gaussian_intervals_cover_95_of_100),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
