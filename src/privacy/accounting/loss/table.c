#include "privacy/accounting/loss/table.h"

#include <float.h>
#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "numeric/outward.h"
#include "privacy/accounting/loss/kinds.h"

/* Cells of a box. Their width h adds about h^2/6 to a variance of about e^2. */
enum { CELLS_LEAST = 2048, CELLS_MOST = 8192, POINTS_MAX = 200000, GROUPS_MAX = 8192 };

bool sot_pair_table_covers(const sot_law *law)
{
    if (law->kind == SOT_LAW_BOX) return law->loss <= SOT_TABLE_LOSS_MAX;
    if (law->kind == SOT_LAW_REPLACED || law->kind == SOT_LAW_FIXED) return false;
    if (!(sot_lattice_points(law) <= POINTS_MAX)) return false;
    if (law->kind == SOT_LAW_DISCRETE_GAUSSIAN) { /* the farthest loss of its lattice */
        const double ratio = law->steps / law->sigma;
        return ratio * (0.5 * ratio + 40.0) <= SOT_TABLE_LOSS_MAX;
    }
    return law->loss <= SOT_TABLE_LOSS_MAX;
}

static sotto_status allocate(size_t count, sot_pair_table *out, sotto_error *error)
{
    *out = (sot_pair_table){0};
    out->atoms = sot_new_array(count, sizeof *out->atoms);
    return out->atoms != NULL ? SOTTO_OK
                              : sot_fail_memory(error, count, sizeof *out->atoms);
}

void sot_pair_table_clear(sot_pair_table *table)
{
    sot_free(table->atoms);
    *table = (sot_pair_table){0};
}

static void add_upper(sot_pair_table *table, double loss, double mass, double relative)
{
    table->atoms[table->count++] =
        (sot_pair_atom){loss, {0.0, sot_widen_up(mass, relative)}};
}

/* A mass that underflowed has no relative error: from below it is nothing. */
static double mass_down(double mass, double relative)
{
    return mass < DBL_MIN ? 0.0 : sot_widen_down(mass, relative);
}

static void add_lower(sot_pair_table *table, double loss, double mass, double relative)
{
    table->atoms[table->count++] =
        (sot_pair_atom){loss, {mass_down(mass, relative), 0.0}};
}

static void add_exact(sot_pair_table *table, double loss, double mass, double relative)
{
    table->atoms[table->count++] =
        (sot_pair_atom){loss, {mass_down(mass, relative), sot_widen_up(mass, relative)}};
}

/* ---- boxes: mass at +-e and a density c e^{(l - e)/2} between ---- */

/* The measure `e^{-l/2} dP` is uniform on a cell of width h. So each end of a cell gets `2c e^{-e/2} tanh(h/4)` of it. The
 * merged cell has its middle as loss, with `4c e^{-e/2} sinh(h/4)`. */
static sotto_status box_table(const sot_law *law, sot_pair_table *out, sotto_error *error)
{
    const double e = law->loss;
    const double cells =
        fmin(fmax(CELLS_LEAST, 2.0 * ceil(256.0 * e)), CELLS_MOST); /* even */
    const double h = 2.0 * e / cells;
    const double c = law->has_ends ? 0.25 : -0.5 / expm1(-e);
    const double relative = DBL_EPSILON * (32.0 + 16.0 * e);
    const double node = 2.0 * c * tanh(0.25 * h);
    const double merged = 4.0 * c * sinh(0.25 * h);
    const sotto_status status = allocate(2 * (size_t)cells + 3, out, error);
    if (status != SOTTO_OK) return status;
    out->place_error = 8.0 * DBL_EPSILON * e;
    for (double j = 0.0; j <= cells; j += 1.0) {
        const double loss = (j - 0.5 * cells) * h;
        const double share = j == 0.0 || j == cells ? node : 2.0 * node;
        add_upper(out, loss, share * exp(0.5 * (loss - e)), relative);
        if (j == cells) break;
        const double middle = loss + 0.5 * h;
        add_lower(out, middle, merged * exp(0.5 * (middle - e)), relative);
    }
    if (!law->has_ends) return SOTTO_OK;
    add_exact(out, e, 0.5, relative);
    add_exact(out, -e, 0.5 * exp(-e), relative);
    return SOTTO_OK;
}

/* ---- lattices ---- */

/* Groups the points of losses a to b. From above a point goes to the two ends, with the shares
 * `(1 - e^{a-l})/(1 - e^{a-b})` for b and the rest for a. From below the group is one atom. */
static void add_group(sot_pair_table *table, const sot_lattice *lattice, size_t from,
                      size_t to)
{
    const double relative =
        lattice->rounding + DBL_EPSILON * (64.0 + 2.0 * (double)(to - from));
    const double a = (lattice->first + (double)from) * lattice->spacing;
    const double b = (lattice->first + (double)to) * lattice->spacing;
    if (from == to) {
        if (lattice->mass[from] > 0.0) add_exact(table, a, lattice->mass[from], relative);
        return;
    }
    double high = 0.0, low = 0.0, whole = 0.0, fallen = 0.0;
    for (size_t i = from; i <= to; i++) {
        const double t = (double)(i - from) * lattice->spacing;
        const double left = (double)(to - i) * lattice->spacing;
        high += lattice->mass[i] * -expm1(-t);
        low += lattice->mass[i] * exp(-t) * -expm1(-left);
        whole += lattice->mass[i];
        fallen += lattice->mass[i] * -expm1(-t); /* whole (1 - the mean of e^{a-l}) */
    }
    const double width = -expm1(a - b);
    add_upper(table, b, high / width, relative);
    add_upper(table, a, low / width, relative);
    if (whole > 0.0) add_lower(table, a - log1p(-fallen / whole), whole, relative);
}

static sotto_status lattice_table(const sot_law *law, sot_pair_table *out,
                                  sotto_error *error)
{
    sot_lattice lattice;
    sotto_status status = sot_lattice_new(law, POINTS_MAX, &lattice, error);
    if (status != SOTTO_OK) return status;
    const size_t group = (lattice.count + GROUPS_MAX - 1) / GROUPS_MAX;
    status = allocate(3 * (lattice.count / group + 2), out, error);
    for (size_t from = 0; from < lattice.count && status == SOTTO_OK; from += group) {
        const size_t last = from + group - 1;
        add_group(out, &lattice, from, last < lattice.count ? last : lattice.count - 1);
    }
    const double farthest =
        fabs(lattice.first) * lattice.spacing + (double)lattice.count * lattice.spacing;
    out->place_error = 16.0 * DBL_EPSILON * farthest;
    out->outside = lattice.outside + DBL_MIN * (double)lattice.count; /* underflow */
    sot_lattice_clear(&lattice);
    return status;
}

sotto_status sot_pair_table_new(const sot_law *law, sot_pair_table *out_table,
                                sotto_error *error)
{
    if (!sot_pair_table_covers(law)) {
        return sot_fail(error, SOTTO_UNSUPPORTED,
                        "the privacy loss is too large to be tabulated");
    }
    return law->kind == SOT_LAW_BOX ? box_table(law, out_table, error)
                                    : lattice_table(law, out_table, error);
}
