/* base/plant.h: bugs planted on purpose, one at a time, to see that the tests catch them.
 *
 * A module plants its bugs at the very line where they would be made:
 *
 *     const double drawn = SOT_PLANTED(gaussian_noise_by_2) ? sigma / 2.0 : sigma;
 *
 * Product    SOT_PLANTED is the constant false: the compiler removes the bug, its name too.
 *            tools/planted_bugs.py looks for the names in the product library.
 * Testing    True for the one bug that the test switched on, or that the environment variable
 *            SOTTO_PLANT names. Every name is listed in tests/planted_bugs.txt together with the
 *            detectors that must catch it; tools/planted_bugs.py prints the table.
 */
#ifndef SOT_BASE_PLANT_H
#define SOT_BASE_PLANT_H

#include <stdbool.h>

#ifdef SOTTO_SAME_IN_TESTS
#error "another file in the library of the tests: run cmake again, or see CMakeLists.txt"
#endif

#ifdef SOTTO_TESTING
#define SOT_PLANTED(name) sot_test_planted(#name)

bool sot_test_planted(const char *name);

/* Switches this bug on and every other one off, also the one of SOTTO_PLANT; NULL: all off. The
 * text is not copied. Not while other threads run. */
void sot_test_plant(const char *name);
#else
#define SOT_PLANTED(name) false
#endif

#endif
