/* Second moments in integers: exact, isolated by rows, within their bounds, the same bits everywhere. */
#include "models/linear/problems.h"

#include "base/memory.h"
#include "models/linear/rows/gram.h"

enum { COLUMNS_MOST = 40, SIZE_MOST = COLUMNS_MOST + 1 };

static const recipe shapes[] = {
    {.rows = 1, .columns = 1, .filled = 1.0, .noise = 1.0, .seed = 31},
    {.rows = 37, .columns = 7, .filled = 0.75, .noise = 0.5, .seed = 32},
    {.rows = 70, .columns = 8, .filled = 0.75, .noise = 0.5, .seed = 33},
    {.rows = 20011, .columns = 33, .filled = 0.5, .noise = 0.25, .seed = 34},
};
enum { SHAPES = sizeof shapes / sizeof *shapes };

static void by_label(const void *context, const sot_matrix *matrix, size_t begin,
                     size_t end, double *out)
{
    (void)context;
    for (size_t i = begin; i < end; i++)
        out[i - begin] = matrix->labels[i] > 0.0 ? 0.7 : 1.0 / 3.0;
}

static void gram_of(const sot_gram *gram, const sot_matrix *matrix, sot_pool *pool,
                    int64_t *out)
{
    sotto_error error;
    const size_t size = sot_gram_size(gram, matrix->columns);
    memset(out, 0, size * size * sizeof *out);
    assert_ok(sot_gram_add(gram, matrix, pool, out, &error), &error);
}

/* The row's vector of whole numbers, by the definition. */
static void vector_of(const sot_gram *gram, const sot_matrix *dense, size_t row,
                      int64_t *out)
{
    double weight = 1.0;
    if (gram->weights != NULL) gram->weights(NULL, dense, row, row + 1, &weight);
    for (size_t j = 0; j < dense->columns; j++) {
        const double x = (double)dense->dense[row * dense->stride + j];
        out[j] = (int64_t)trunc(weight * gram->per_unit * x);
    }
    if (gram->per_target > 0.0)
        out[dense->columns] =
            (int64_t)trunc(weight * dense->labels[row] * gram->per_target);
}

static const sot_gram grams[] = {
    {.per_unit = 0x1p15},
    {.per_unit = 0x1p15, .per_target = 23170.0},
    {.per_unit = 0x1p11, .per_target = 1000.5, .weights = by_label},
};
enum { GRAMS = sizeof grams / sizeof *grams };

static void the_sum_is_the_sum_of_what_rows_give_alone(void **state)
{
    (void)state;
    int64_t *sum = malloc(SIZE_MOST * SIZE_MOST * sizeof *sum);
    int64_t *expected = malloc(SIZE_MOST * SIZE_MOST * sizeof *expected);
    assert_true(sum != NULL && expected != NULL);
    for (size_t s = 0; s < SHAPES * GRAMS; s++) {
        int64_t q[SIZE_MOST];
        const sot_gram *gram = &grams[s % GRAMS];
        recipe from = shapes[s / GRAMS];
        sot_matrix dense = make_matrix(&from);
        from.sparse = true;
        sot_matrix sparse = make_matrix(&from);
        const size_t size = sot_gram_size(gram, dense.columns);
        memset(expected, 0, size * size * sizeof *expected);
        for (size_t i = 0; i < dense.rows; i++) {
            vector_of(gram, &dense, i, q);
            for (size_t a = 0; a < size * size; a++)
                expected[a] += q[a / size] * q[a % size];
        }
        gram_of(gram, &dense, NULL, sum);
        assert_memory_equal(sum, expected, size * size * sizeof *sum);
        gram_of(gram, &sparse, NULL, sum);
        assert_memory_equal(sum, expected, size * size * sizeof *sum);
        free_matrix(&dense);
        free_matrix(&sparse);
    }
    free(sum);
    free(expected);
}

static void any_number_of_threads_gives_the_same(void **state)
{
    (void)state;
    sotto_error error;
    sot_pool *pool = NULL;
    int64_t one[SIZE_MOST * SIZE_MOST], three[SIZE_MOST * SIZE_MOST];
    sot_matrix m = make_matrix(&shapes[3]);
    assert_ok(sot_pool_new(3, &pool, &error), &error);
    gram_of(&grams[1], &m, NULL, one);
    gram_of(&grams[1], &m, pool, three);
    const size_t size = sot_gram_size(&grams[1], m.columns);
    assert_memory_equal(one, three, size * size * sizeof *one);
    sot_pool_free(pool);
    free_matrix(&m);
}

static double frobenius(const int64_t *matrix, size_t count)
{
    double squares = 0.0;
    for (size_t i = 0; i < count; i++)
        squares += (double)matrix[i] * (double)matrix[i];
    return sqrt(squares);
}

/* gram.md, 1: rows of length 1 whose features lie just above halves of a unit: to nearest they would be
 * longer than the row. */
static void no_row_is_longer_than_it_was(void **state)
{
    (void)state;
    enum { COLUMNS = 9 };
    float x[16] = {0};
    double label = 1.0;
    int64_t sum[COLUMNS * COLUMNS];
    sot_matrix m = {.rows = 1, .columns = COLUMNS, .labels = &label, .stride = 16};
    for (int bits = 4; bits <= 15; bits++) {
        const double unit = ldexp(1.0, -bits);
        double squares = 0.0;
        for (size_t j = 0; j < COLUMNS; j++) {
            x[j] = (float)((floor(1.0 / 3.0 / unit) - 0.375) * unit);
            squares += (double)x[j] * (double)x[j];
        }
        m.dense = x;
        const sot_gram gram = {.per_unit = 1.0 / unit};
        gram_of(&gram, &m, NULL, sum);
        assert_true(frobenius(sum, COLUMNS * COLUMNS) <=
                    squares / (unit * unit) * (1.0 + 0x1p-40));
    }
}

/* gram.md, 2: of all exchanges the worst are at an angle: cos = V^2 / S^2, targets opposite. */
static void an_exchange_reaches_its_bound_and_no_more(void **state)
{
    (void)state;
    const double per_unit = 0x1p15, per_target = 0x1p15 * sqrt(0.5);
    const sot_gram gram = {.per_unit = per_unit, .per_target = per_target};
    const double bound = sqrt(2.0) * (per_unit * per_unit + per_target * per_target);
    double most = 0.0;
    for (int angle = 0; angle <= 90; angle++) {
        for (int sign = 0; sign < 2; sign++) {
            float rows[2][16] = {{1.0f}};
            int64_t first[9], second[9];
            double labels[2] = {1.0, sign == 0 ? -1.0 : 1.0};
            rows[1][0] = (float)cos(angle * 0.017453292519943295) * (1.0f - 0x1p-22f);
            rows[1][1] = (float)sin(angle * 0.017453292519943295) * (1.0f - 0x1p-22f);
            sot_matrix m = {.rows = 1, .columns = 2, .stride = 16};
            m.dense = rows[0];
            m.labels = &labels[0];
            gram_of(&gram, &m, NULL, first);
            m.dense = rows[1];
            m.labels = &labels[1];
            gram_of(&gram, &m, NULL, second);
            first[8] = second[8] = 0; /* the corner does not leave */
            for (size_t i = 0; i < 9; i++)
                first[i] -= second[i];
            most = fmax(most, frobenius(first, 9));
        }
    }
    assert_within(most, 0.999 * bound, bound);
}

/* Chunks end at 2^20 rows, and the largest entries add up beyond 2^50. */
static void long_tables_are_added_exactly(void **state)
{
    (void)state;
    enum { ROWS = 3 << 20 };
    sotto_error error;
    int64_t sum[1] = {0};
    sot_matrix m = {.rows = ROWS, .columns = 1};
    m.labels = malloc(ROWS * sizeof *m.labels);
    m.starts = malloc((ROWS + (size_t)1) * sizeof *m.starts);
    m.indices = calloc(ROWS, sizeof *m.indices);
    m.values = malloc(ROWS * sizeof *m.values);
    assert_true(m.labels != NULL && m.starts != NULL && m.values != NULL);
    for (size_t i = 0; i <= ROWS; i++)
        m.starts[i] = i;
    for (size_t i = 0; i < ROWS; i++)
        m.values[i] = 1.0f - 0x1p-15f;
    const sot_gram gram = {.per_unit = 0x1p15};
    for (int pass = 0; pass < 2; pass++)
        assert_ok(sot_gram_add(&gram, &m, NULL, sum, &error), &error);
    assert_int_equal(sum[0], INT64_C(2) * ROWS * 32767 * 32767);
    free_matrix(&m);
}

static void a_failed_allocation_is_reported(void **state)
{
    (void)state;
    sotto_error error;
    int64_t sum[SIZE_MOST * SIZE_MOST];
    sot_matrix m = make_matrix(&shapes[1]);
    for (size_t nth = 1; nth <= 2; nth++) {
        (void)sot_test_fail_allocation(nth);
        assert_int_equal(sot_gram_add(&grams[1], &m, NULL, sum, &error),
                         SOTTO_OUT_OF_MEMORY);
    }
    (void)sot_test_fail_allocation(0);
    free_matrix(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_sum_is_the_sum_of_what_rows_give_alone),
        cmocka_unit_test(any_number_of_threads_gives_the_same),
        cmocka_unit_test(no_row_is_longer_than_it_was),
        cmocka_unit_test(an_exchange_reaches_its_bound_and_no_more),
        cmocka_unit_test(long_tables_are_added_exactly),
        cmocka_unit_test(a_failed_allocation_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
