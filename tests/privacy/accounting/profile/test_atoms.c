/* The transform of atoms by Fourier transforms beside the direct sum. */
#include "support.h"

#include "base/memory.h"
#include "privacy/accounting/profile/atoms.h"

enum { ATOMS = 3000, NODES = 1500 };

/* Most losses tiny, as at small rates, some of any size, a few beyond the period of the grid. */
static void fill(sot_atoms *atoms, double scale)
{
    sotto_error error;
    assert_ok(sot_atoms_new(ATOMS, atoms, &error), &error);
    for (int k = 0; k < ATOMS; k++) {
        const double x = (k - ATOMS / 2) * (24.0 / ATOMS);
        const double size = scale * expm1(0.9 * x);
        atoms->loss[k] = size > 30.0 ? 30.0 + x : size;
        atoms->weight[k] = exp(-0.5 * x * x);
    }
    sot_atoms_normalize(atoms);
}

static void transforms_are_the_direct_sum(void **state)
{
    (void)state;
    static const double scales[] = {1e-7, 1e-4, 1e-2, 3.0};
    for (size_t i = 0; i < sizeof scales / sizeof scales[0]; i++) {
        sotto_error error;
        sot_atoms atoms;
        fill(&atoms, scales[i]);
        const double step = 0.37;
        double *sums = sot_new_array(4 * NODES, sizeof *sums);
        double absolute, per_s;
        sot_atoms_sum(atoms.loss, atoms.weight, atoms.count, step, NODES, sums,
                      sums + NODES);
        assert_ok(sot_atoms_sum_by_fft(&atoms, step, NODES, sums + 2 * NODES,
                                       sums + 3 * NODES, &absolute, &per_s, &error),
                  &error);
        double size = 0.0;
        for (size_t k = 0; k < atoms.count; k++)
            size += atoms.weight[k] * fabs(atoms.loss[k]);
        assert_within(absolute, 0.0, 1e-12);
        assert_within(per_s, 0.0, 450.0 * 0x1p-53 * size * 1.02);
        for (int j = 0; j < NODES; j++) {
            const double s = j * step;
            const double direct = (SOT_ATOM_ROUNDINGS + ATOMS / SOT_ATOM_BLOCK) * size;
            const double error_most = absolute + s * (per_s + 0x1p-52 * direct);
            assert_within(sums[2 * NODES + j] - sums[j], -error_most, error_most);
            assert_within(sums[3 * NODES + j] - sums[NODES + j], -error_most, error_most);
        }
        sot_free(sums);
        sot_atoms_clear(&atoms);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(transforms_are_the_direct_sum),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
