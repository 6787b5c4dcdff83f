/* Rows held as bins: the same products, sums, integers and minimisers as the feature vectors that they stand for. */
#include "data/schemas.h"

#include "base/memory.h"
#include "data/encode/blocks.h"
#include "models/linear/losses/loss.h"
#include "models/linear/rows/bins.h"
#include "models/linear/solver/pass.h"
#include "models/linear/solver/solver.h"

enum { ROWS = 1700, CELLS = 7, COLUMNS_MOST = 400 };

static const char schema_text[] =
    "{'target': 'y', 'intercept': 0.75, 'interactions': [['b', 'c'], ['a', 'e']],"
    " 'exclusive': [['d', 'f']], 'columns': ["
    "{'name': 'a', 'type': 'number', 'lower': -1, 'upper': 1},"
    "{'name': 'b', 'type': 'integer', 'lower': 0, 'upper': 6},"
    "{'name': 'c', 'type': 'category', 'values': ['p', 'q', 'r']},"
    "{'name': 'd', 'type': 'boolean'},"
    "{'name': 'e', 'type': 'number', 'lower': 0, 'upper': 3, 'bin_edges': [1, 2, 3]},"
    "{'name': 'f', 'type': 'boolean'},"
    "{'name': 'y', 'type': 'boolean'}]}";

/* The same records twice. */
typedef struct twins {
    sotto_schema *schema;
    sot_encoding *encoding;
    sot_matrix bins, dense;
} twins;

static double uniform(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return ldexp((double)(*state >> 11), -53);
}

static twins make(sotto_basis basis, size_t bins)
{
    sotto_error error;
    twins made = {.schema = schema_of(schema_text)};
    const sot_bins_rule rule = {basis, bins};
    uint64_t random = 17;
    assert_ok(sot_encoding_new_blocks(made.schema, NULL, SOT_TARGET_CLASSES, &rule,
                                      &made.encoding, &error),
              &error);
    const size_t columns = sot_encoding_dimension(made.encoding);
    const size_t stride = (columns + 15) / 16 * 16;
    assert_true(columns <= COLUMNS_MOST);
    double *labels = sot_new_array(ROWS, sizeof *labels);
    made.bins = (sot_matrix){.rows = ROWS,
                             .columns = columns,
                             .labels = labels,
                             .bin_bytes = sot_encoding_bin_bytes(made.encoding),
                             .layout = sot_bins_layout_new(made.encoding)};
    made.bins.bins = sot_new_array(ROWS, sot_matrix_row_bytes(&made.bins));
    made.dense = (sot_matrix){.rows = ROWS,
                              .columns = columns,
                              .labels = labels,
                              .dense = sot_new_aligned(ROWS * stride, sizeof(float)),
                              .stride = stride};
    memset(made.dense.dense, 0, ROWS * stride * sizeof(float));
    sot_features scratch = {.indices = sot_new_array(columns, sizeof(uint32_t)),
                            .values = sot_new_array(columns, sizeof(float))};
    for (size_t i = 0; i < ROWS; i++) {
        double cells[CELLS] = {2.0 * uniform(&random) - 1.0,
                               floor(7.0 * uniform(&random)),
                               floor(3.0 * uniform(&random)),
                               uniform(&random) < 0.3 ? 1.0 : 0.0,
                               3.0 * uniform(&random),
                               uniform(&random) < 0.4 ? 1.0 : 0.0,
                               0.0};
        if (uniform(&random) < 0.1) cells[0] = NAN;
        labels[i] =
            uniform(&random) < 0.5 + 0.3 * sin(4.0 * cells[0]) * (cells[1] - 3.0) / 3.0
                ? 1.0
                : -1.0;
        const sot_record record = {.cells = cells};
        sot_encode_bins(made.encoding, &record, made.bins.bin_bytes,
                        made.bins.bins + i * sot_matrix_row_bytes(&made.bins));
        sot_encode_dense(made.encoding, &record, &scratch, made.dense.dense + i * stride);
    }
    sot_free(scratch.indices);
    sot_free(scratch.values);
    return made;
}

static void drop(twins *made)
{
    sot_free(made->bins.bins);
    sot_bins_layout_free(made->bins.layout);
    sot_free(made->dense.dense);
    sot_free(made->bins.labels);
    sot_encoding_free(made->encoding);
    sotto_schema_free(made->schema);
}

static const sot_bins_rule shapes[] = {
    {SOTTO_BASIS_STEPS, 9}, {SOTTO_BASIS_BINS, 9}, {SOTTO_BASIS_STEPS, 300}};
enum { SHAPES = sizeof shapes / sizeof *shapes };

static void a_bin_takes_a_byte_up_to_256(void **state)
{
    (void)state;
    static const struct {
        size_t bins, bytes;
    } cases[] = {{9, 1}, {256, 1}, {257, 4}};
    for (size_t i = 0; i < 3; i++) {
        twins made = make(SOTTO_BASIS_STEPS, cases[i].bins);
        assert_int_equal(made.bins.bin_bytes, cases[i].bytes);
        drop(&made);
    }
}

static void coordinates_are_those_of_the_encoding(void **state)
{
    (void)state;
    for (size_t s = 0; s < SHAPES; s++) {
        twins made = make(shapes[s].basis, shapes[s].bins);
        const sot_bins_layout *layout = made.bins.layout;
        for (size_t i = 0; i < ROWS; i += 7) {
            const float *x = made.dense.dense + i * made.dense.stride;
            for (size_t b = 0; b < layout->count; b++) {
                const sot_bin_block *block = &layout->list[b];
                for (size_t k = 0; k < block->width; k++)
                    assert_true(
                        x[block->first + k] ==
                        sot_bins_coordinate(block, sot_bins_at(&made.bins, i, b), k));
            }
            assert_true((double)x[made.dense.columns - 1] == layout->intercept);
        }
        double squares = 0.0;
        for (size_t j = 0; j < made.dense.columns; j++)
            squares += (double)made.dense.dense[j] * (double)made.dense.dense[j];
        assert_relative(sot_bins_squares(layout), squares, 1e-14);
        drop(&made);
    }
}

static void look_ups_are_products(void **state)
{
    (void)state;
    static double theta[COLUMNS_MOST], values[2 * COLUMNS_MOST], plain[COLUMNS_MOST],
        sums[2 * COLUMNS_MOST], back[COLUMNS_MOST], a[ROWS], b[ROWS], c[ROWS];
    for (size_t s = 0; s < SHAPES; s++) {
        twins made = make(shapes[s].basis, shapes[s].bins);
        const size_t columns = made.bins.columns;
        uint64_t random = 3;
        for (size_t j = 0; j < columns; j++)
            theta[j] = 8.0 * uniform(&random) - 4.0;
        for (size_t i = 0; i < ROWS; i++)
            c[i] = 2.0 * uniform(&random) - 1.0;
        sot_bins_expand(made.bins.layout, theta, values);
        sot_rows_for(&made.bins)->dots(&made.bins, 0, ROWS, values, a);
        sot_rows_plain(&made.bins)->dots(&made.bins, 0, ROWS, theta, b);
        for (size_t i = 0; i < ROWS; i++)
            assert_within(a[i], b[i] - 1e-12, b[i] + 1e-12);
        memset(sums, 0, sizeof sums);
        memset(plain, 0, sizeof plain);
        sot_rows_for(&made.bins)->add(&made.bins, 0, ROWS, c, sums);
        sot_rows_plain(&made.bins)->add(&made.bins, 0, ROWS, c, plain);
        sot_bins_collapse(made.bins.layout, sums, back);
        for (size_t j = 0; j < columns; j++)
            assert_within(back[j], plain[j] - 1e-11, plain[j] + 1e-11);
        drop(&made);
    }
}

/* The integers of one row after another are those that a dense row contributes, for slopes of all sizes. */
static void integers_are_those_of_the_vectors(void **state)
{
    (void)state;
    static const double spacings[] = {0x1p-18, 0x1p-10, 0x1.0p-3};
    static int64_t found[COLUMNS_MOST], sums[3 * COLUMNS_MOST];
    for (size_t s = 0; s < SHAPES; s++) {
        twins made = make(shapes[s].basis, shapes[s].bins);
        uint64_t random = 5;
        for (size_t i = 0; i < 300; i++) {
            const float per_unit = (float)(1.0 / spacings[i % 3]);
            const float slope = (float)(2.0 * uniform(&random) - 1.0);
            const float *x = made.dense.dense + i * made.dense.stride;
            memset(sums, 0, sizeof sums);
            memset(found, 0, sizeof found);
            sot_units_for(&made.bins)
                ->add_wide(&made.bins, i, i + 1, &slope, per_unit, sums);
            sot_bins_collapse_units(made.bins.layout, sums, found);
            for (size_t j = 0; j < made.bins.columns; j++)
                assert_int_equal(found[j], (int64_t)(slope * per_unit * x[j]));
        }
        drop(&made);
    }
}

/* Sums of many rows are the sums of their own, for every number of threads. */
static void sums_of_integers_are_exact(void **state)
{
    (void)state;
    static double theta[COLUMNS_MOST];
    static int64_t together[COLUMNS_MOST], apart[COLUMNS_MOST];
    twins made = make(SOTTO_BASIS_STEPS, 9);
    uint64_t random = 6;
    sot_pool *pool = NULL;
    sotto_error error;
    for (size_t j = 0; j < made.bins.columns; j++)
        theta[j] = 2.0 * uniform(&random) - 1.0;
    assert_ok(sot_pool_new(3, &pool, &error), &error);
    const sot_glm glm = {.matrix = &made.bins, .loss = &sot_loss_logistic, .pool = pool};
    const sot_glm alone = {.matrix = &made.bins, .loss = &sot_loss_logistic};
    assert_ok(sot_glm_gradient_units(&glm, theta, 0x1p-16, together, &error), &error);
    for (uint32_t i = ROWS; i-- > 0;)
        assert_ok(
            sot_glm_add_gradient_units(&alone, &i, 1, theta, 0x1p-16, apart, &error),
            &error);
    assert_memory_equal(together, apart, made.bins.columns * sizeof *apart);
    sot_pool_free(pool);
    drop(&made);
}

static sot_glm problem_of(const sot_matrix *matrix, const double *linear)
{
    return (sot_glm){
        .matrix = matrix, .loss = &sot_loss_logistic, .lambda = 3.0, .linear = linear};
}

/* Both bounds hold for the gradient that the feature vectors have in extended precision. */
static void the_certificate_covers_the_gradient_of_the_vectors(void **state)
{
    (void)state;
    static double theta[COLUMNS_MOST];
    for (size_t s = 0; s < SHAPES; s++) {
        twins made = make(shapes[s].basis, shapes[s].bins);
        sotto_error error;
        uint64_t random = 8;
        const sot_glm look_ups = problem_of(&made.bins, NULL);
        const sot_glm vectors = problem_of(&made.dense, NULL);
        for (int size = 0; size < 12; size++) {
            double quick = 0.0, careful = 0.0, truth = 0.0;
            for (size_t j = 0; j < made.bins.columns; j++)
                theta[j] = ldexp(2.0 * uniform(&random) - 1.0, 2 * size - 8);
            assert_ok(
                sot_glm_gradient_norm_upper(&look_ups, theta, false, &quick, &error),
                &error);
            assert_ok(
                sot_glm_gradient_norm_upper(&look_ups, theta, true, &careful, &error),
                &error);
            assert_ok(sot_glm_gradient_norm_upper(&vectors, theta, true, &truth, &error),
                      &error);
            assert_relative(careful, truth, 1e-14);
            assert_true(quick >= truth * (1.0 - 1e-14));
            assert_true(quick <= truth * (1.0 + 1e-9) + 1e-6);
        }
        drop(&made);
    }
}

static void both_ways_solve_the_same_problem(void **state)
{
    (void)state;
    static double linear[COLUMNS_MOST], a[COLUMNS_MOST], b[COLUMNS_MOST],
        noise[COLUMNS_MOST], other[COLUMNS_MOST];
    for (size_t s = 0; s < SHAPES; s++) {
        twins made = make(shapes[s].basis, shapes[s].bins);
        const size_t columns = made.bins.columns;
        sotto_error error;
        uint64_t random = 9;
        double determinant = 0.0, other_determinant = 0.0, squares = 0.0;
        memset(a, 0, sizeof a);
        memset(b, 0, sizeof b);
        for (size_t j = 0; j < columns; j++)
            linear[j] = 20.0 * (uniform(&random) - 0.5);
        const sot_glm look_ups = problem_of(&made.bins, linear);
        const sot_glm vectors = problem_of(&made.dense, linear);
        assert_ok(sot_glm_solve(&look_ups, 1e-9, a, &error), &error);
        assert_ok(sot_glm_solve(&vectors, 1e-9, b, &error), &error);
        for (size_t j = 0; j < columns; j++)
            squares += (a[j] - b[j]) * (a[j] - b[j]);
        assert_true(sqrt(squares) <= 2.0 * 1e-9 / 3.0);
        assert_ok(sot_glm_noise_of(&look_ups, a, noise, &determinant, &error), &error);
        assert_ok(sot_glm_noise_of(&vectors, a, other, &other_determinant, &error),
                  &error);
        assert_relative(determinant, other_determinant, 1e-11);
        for (size_t j = 0; j < columns; j++)
            assert_within(noise[j], other[j] - 1e-9, other[j] + 1e-9);
        drop(&made);
    }
}

/* With more columns than a direct solution takes, and with threads: the same bits. */
static void threads_change_nothing(void **state)
{
    (void)state;
    static double a[COLUMNS_MOST], b[COLUMNS_MOST];
    twins made = make(SOTTO_BASIS_BINS, 9);
    sot_pool *pool = NULL;
    sotto_error error;
    assert_ok(sot_pool_new(3, &pool, &error), &error);
    sot_glm glm = problem_of(&made.bins, NULL);
    assert_ok(sot_glm_solve(&glm, 1e-7, a, &error), &error);
    glm.pool = pool;
    assert_ok(sot_glm_solve(&glm, 1e-7, b, &error), &error);
    assert_memory_equal(a, b, sizeof a);
    sot_pool_free(pool);
    drop(&made);
}

/* The diagonal and the products that conjugate gradients use are those of the whole matrix. */
static void curved_products_and_the_diagonal_fit_the_hessian(void **state)
{
    (void)state;
    static double curvatures[ROWS], diagonal[2 * COLUMNS_MOST], v[2 * COLUMNS_MOST],
        curved[2 * COLUMNS_MOST];
    for (size_t s = 0; s < 2; s++) {
        twins made = make(shapes[s].basis, shapes[s].bins);
        const size_t columns = made.bins.columns;
        uint64_t random = 10;
        sot_pass pass;
        sotto_error error;
        const sot_glm glm = problem_of(&made.bins, NULL);
        double *hessian = sot_new_array(columns, columns * sizeof *hessian);
        for (size_t i = 0; i < ROWS; i++)
            curvatures[i] = uniform(&random);
        for (size_t j = 0; j < columns; j++)
            v[j] = uniform(&random) - 0.5;
        assert_ok(sot_pass_begin(&glm, &pass, &error), &error);
        assert_ok(sot_pass_hessian(&pass, curvatures, hessian, &error), &error);
        assert_ok(sot_pass_diagonal(&pass, curvatures, diagonal, &error), &error);
        assert_ok(sot_pass_curved(&pass, curvatures, v, curved, &error), &error);
        for (size_t i = 0; i < columns; i++) {
            double line = 0.0;
            assert_relative(diagonal[i], hessian[i * columns + i], 1e-11);
            for (size_t j = 0; j < columns; j++)
                line += hessian[i >= j ? i * columns + j : j * columns + i] * v[j];
            assert_within(curved[i], line - 1e-9, line + 1e-9);
        }
        sot_pass_end(&pass);
        sot_free(hessian);
        drop(&made);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_bin_takes_a_byte_up_to_256),
        cmocka_unit_test(coordinates_are_those_of_the_encoding),
        cmocka_unit_test(look_ups_are_products),
        cmocka_unit_test(integers_are_those_of_the_vectors),
        cmocka_unit_test(sums_of_integers_are_exact),
        cmocka_unit_test(the_certificate_covers_the_gradient_of_the_vectors),
        cmocka_unit_test(both_ways_solve_the_same_problem),
        cmocka_unit_test(threads_change_nothing),
        cmocka_unit_test(curved_products_and_the_diagonal_fit_the_hessian),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
