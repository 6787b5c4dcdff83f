/* Concepts as functions: how many, which numbers are one, what it says, in words. */
#include "models/concept/classes/classes.h"

#include "numeric/outward.h"

/* ---- all of them, one by one ---- */

enum { NUMBERS_MOST = 4 };

/* A small class of every kind, and how many concepts it has. */
static const struct {
    const char *text;
    uint64_t size;
} small[] = {
    {"{\"class\": \"thresholds\", \"columns\": [\"dose\"], \"bits\": 2}", 5},
    {"{\"class\": \"thresholds\", \"columns\": [\"dose\"], \"bits\": 2, \"both\": true}",
     10},
    {"{\"class\": \"thresholds\", \"columns\": [\"dose\"], \"bits\": 2, \"weights\": "
     "{\"dose\": [0, 3, 0, 1, 7]}}",
     3},
    {"{\"class\": \"intervals\", \"columns\": [\"dose\"], \"bits\": 2}", 11},
    {"{\"class\": \"stumps\", \"columns\": [\"dose\", \"smokes\", \"two\"], \"cuts\": "
     "{\"dose\": [0.5, 1, 3]}}",
     22},
    {"{\"class\": \"stumps\", \"columns\": [\"dose\", \"smokes\"], \"bits\": 1, "
     "\"weights\": {\"smokes\": [0, 5, 0]}}",
     8},
    {"{\"class\": \"rectangles\", \"columns\": [\"dose\", \"two\"], \"bits\": 2}", 31},
    {"{\"class\": \"conjunctions\", \"columns\": [\"town\", \"smokes\"]}", 16},
    {"{\"class\": \"parities\", \"columns\": [\"town\", \"smokes\"]}", 16},
    {"{\"class\": \"candidates\", \"columns\": [\"town\", \"smokes\"]}", 4},
    {"{\"class\": \"candidates\", \"columns\": [\"town\", \"smokes\"], \"both\": true}",
     8},
};
enum { SMALL = sizeof small / sizeof small[0] };

/* Counts through all whole vectors up to `most`; false at the end. */
static bool next_vector(double *numbers, size_t count, double most)
{
    for (size_t i = 0; i < count; i++) {
        numbers[i] += 1.0;
        if (numbers[i] <= most) return true;
        numbers[i] = 0.0;
    }
    return false;
}

static void the_size_is_the_number_of_valid_vectors(void **state)
{
    (void)state;
    sotto_schema *schema = schema_of(table_text);
    for (size_t i = 0; i < SMALL; i++) {
        sot_concept_class *class = class_of(schema, small[i].text);
        double numbers[NUMBERS_MOST] = {0};
        const size_t count = sot_concept_numbers(class);
        uint64_t valid = 0;
        assert_true(count <= NUMBERS_MOST);
        do
            valid += sot_concept_is_valid(class, numbers);
        while (next_vector(numbers, count, 18.0));
        assert_int_equal(valid, small[i].size);
        assert_int_equal(sot_concept_class_size(class), small[i].size);
        assert_within(sot_concept_class_log_size(class), log((double)small[i].size),
                      log((double)small[i].size) * (1.0 + 1e-14));
        sot_concept_class_free(class);
    }
    sotto_schema_free(schema);
}

/* ---- lists ---- */

/* Of a class without weights and with one list. */
static void check_list(const sot_concept_class *class)
{
    const size_t count = sot_concept_numbers(class);
    const uint64_t size = sot_concept_list_size(class, 0);
    double seen[64][NUMBERS_MOST] = {{0}};
    assert_int_equal(sot_concept_lists(class), 1);
    assert_true(size == sot_concept_class_size(class) && size <= 64);
    assert_true(sot_concept_counts(class) == size);
    for (uint64_t i = 0; i < size; i++) {
        sot_concept_list_at(class, 0, i, NULL, seen[i]);
        assert_true(sot_concept_is_valid(class, seen[i]));
        for (uint64_t j = 0; j < i; j++)
            assert_memory_not_equal(seen[i], seen[j], count * sizeof(double));
    }
}

static void a_list_has_every_concept_once(void **state)
{
    (void)state;
    sotto_schema *schema = schema_of(table_text);
    for (size_t i = 0; i < SMALL; i++) {
        sot_concept_class *class = class_of(schema, small[i].text);
        if (class->weights == NULL) check_list(class);
        sot_concept_class_free(class);
    }
    sotto_schema_free(schema);
}

/* Three features of 2, 3 and 4 cells: sides that were taken stay, those behind are open, and what is empty stays empty. */
static void a_rectangle_over_many_is_put_together_from_lists(void **state)
{
    (void)state;
    sot_cells_grid grids[3] = {{.cells = 2}, {.cells = 3}, {.cells = 4}};
    const sot_concept_class class = {
        .kind = SOT_CONCEPT_RECTANGLES, .features = 3, .grids = grids};
    static const double empty[6] = {0};
    double box[6], again[6];
    assert_int_equal(sot_concept_lists(&class), 3);
    assert_true(sot_concept_list_size(&class, 0) == 4);
    assert_true(sot_concept_list_size(&class, 1) == 7);
    assert_true(sot_concept_list_size(&class, 2) == 11);
    assert_true(sot_concept_counts(&class) == 22);
    sot_concept_list_at(&class, 0, 3, NULL, box);
    assert_memory_equal(box, ((double[]){1, 2, 0, 3, 0, 4}), sizeof box);
    sot_concept_list_at(&class, 1, 0, box, again);
    assert_memory_equal(again, empty, sizeof empty);
    sot_concept_list_at(&class, 1, 2, box, box);
    assert_memory_equal(box, ((double[]){1, 2, 0, 2, 0, 4}), sizeof box);
    sot_concept_list_at(&class, 2, 10, box, again);
    assert_memory_equal(again, ((double[]){1, 2, 0, 2, 3, 4}), sizeof box);
    assert_true(sot_concept_is_valid(&class, again));
    sot_concept_list_at(&class, 2, 10, empty, again);
    assert_memory_equal(again, empty, sizeof empty);
    /* The least of each, ties to the first. */
    int64_t counts[22] = {5, 4, 4, 6, /**/ 9, 9, -1, 9, 9, 9, 9, /**/ 3, 3, 3, 2};
    double scales[3] = {1.5, 2.5, 3.5};
    const sot_concept_errors errors = {.lists = 3, .scales = scales, .counts = counts};
    counts[21] = 1;
    for (size_t i = 15; i < 21; i++)
        counts[i] = 7;
    sot_concept_of_errors(&class, &errors, box);
    assert_memory_equal(box, ((double[]){0, 1, 0, 2, 3, 4}), sizeof box);
    const sot_concept_fit fit = sot_concept_fit_of(&class, &errors, 0.05);
    assert_true(fit.noisy == 1 && fit.scale == 3.5);
    assert_true(fit.upper == 1 + (int64_t)ceil(3.5 * log(220.0)) - 1);
}

static void lists_that_are_too_long_have_no_counts(void **state)
{
    (void)state;
    sot_cells_grid grids[3] = {{.cells = UINT64_C(1) << 32},
                               {.cells = UINT64_C(1) << 32},
                               {.cells = UINT64_C(1) << 32}};
    sot_concept_class class = {
        .kind = SOT_CONCEPT_RECTANGLES, .features = 3, .grids = grids};
    assert_true(sot_concept_list_size(&class, 0) == UINT64_MAX);
    assert_true(sot_concept_counts(&class) == UINT64_MAX);
    class.features = 2;
    assert_true(sot_concept_list_size(&class, 0) == UINT64_MAX);
    class.kind = SOT_CONCEPT_STUMPS;
    class.both = true;
    class.features = 3;
    assert_true(sot_concept_list_size(&class, 0) == 6 * ((UINT64_C(1) << 32) + 1));
    assert_true(sot_concept_counts(&class) == UINT64_MAX);
    for (size_t i = 0; i < 3; i++)
        grids[i].cells = (SOT_CONCEPT_COUNTS_MAX - 2) / 2;
    class.features = 1;
    assert_true(sot_concept_counts(&class) == SOT_CONCEPT_COUNTS_MAX);
    grids[0].cells++;
    assert_true(sot_concept_counts(&class) == UINT64_MAX);
}

static void what_is_not_whole_is_no_concept(void **state)
{
    (void)state;
    static const double strange[] = {NAN,  -NAN, INFINITY, -INFINITY, -0.0,
                                     -1.0, 0.5,  1e300,    0x1p-1074, 4.999999999999999};
    sotto_schema *schema = schema_of(table_text);
    for (size_t i = 0; i < SMALL; i++) {
        sot_concept_class *class = class_of(schema, small[i].text);
        const size_t count = sot_concept_numbers(class);
        for (size_t place = 0; place < count; place++) {
            for (size_t k = 0; k < sizeof strange / sizeof strange[0]; k++) {
                double numbers[NUMBERS_MOST] = {0};
                numbers[place] = strange[k];
                assert_false(sot_concept_is_valid(class, numbers));
            }
        }
        sot_concept_class_free(class);
    }
    sotto_schema_free(schema);
}

/* The definition, written down a second time. */
static bool expected_of(const sot_concept_class *class, const double *n,
                        const uint32_t *places)
{
    size_t ones = 0, named = 0;
    bool inside = true;
    switch (class->kind) {
    case SOT_CONCEPT_THRESHOLDS:
        return n[1] == 0.0 ? places[0] >= n[0] : places[0] < n[0];
    case SOT_CONCEPT_STUMPS:
        return n[2] == 0.0 ? places[(int)n[0]] >= n[1] : places[(int)n[0]] < n[1];
    case SOT_CONCEPT_INTERVALS:
    case SOT_CONCEPT_RECTANGLES:
        for (size_t j = 0; j < class->features; j++)
            inside &= n[2 * j] <= places[j] && places[j] < n[2 * j + 1];
        return inside;
    case SOT_CONCEPT_CONJUNCTIONS:
    case SOT_CONCEPT_PARITIES:
        for (size_t j = 0; j < class->features; j++) {
            const bool in = ((unsigned)n[0] & 1U << j) != 0;
            named += in;
            ones += in && places[j] == 1;
        }
        return class->kind == SOT_CONCEPT_PARITIES ? ones % 2 == 1 : ones == named;
    case SOT_CONCEPT_CANDIDATES:
        break;
    }
    return n[1] == 0.0 ? places[(int)n[0]] == 1 : places[(int)n[0]] == 0;
}

static void a_concept_says_what_its_numbers_mean(void **state)
{
    (void)state;
    sotto_schema *schema = schema_of(table_text);
    for (size_t i = 0; i < SMALL; i++) {
        sot_concept_class *class = class_of(schema, small[i].text);
        double numbers[NUMBERS_MOST] = {0};
        uint64_t yes = 0, no = 0;
        do {
            if (!sot_concept_is_valid(class, numbers)) continue;
            uint32_t places[8] = {0};
            for (bool more = true; more;) {
                const bool said = sot_concept_says(class, numbers, places);
                assert_true(said == expected_of(class, numbers, places));
                yes += said;
                no += !said;
                more = false;
                for (size_t j = 0; j < class->features && !more; j++) {
                    more = ++places[j] < class->grids[j].cells;
                    if (!more) places[j] = 0;
                }
            }
        } while (next_vector(numbers, sot_concept_numbers(class), 18.0));
        assert_true(yes > 0 && no > 0);
        sot_concept_class_free(class);
    }
    sotto_schema_free(schema);
}

/* ---- sizes beyond counting ---- */

static void sizes_are_never_understated(void **state)
{
    (void)state;
    sotto_schema *schema = schema_of(table_text);
    sot_concept_class *class = class_of(
        schema, "{\"class\": \"thresholds\", \"columns\": [\"dose\"], \"bits\": 32}");
    assert_int_equal(sot_concept_class_size(class), (UINT64_C(1) << 32) + 1);
    sot_concept_class_free(class);
    /* 2^32 (2^32 + 1) / 2 + 1 > 2^62: ln is (32 ln 2 + ln(2^32 + 1) - ln 2), a little more. */
    class = class_of(schema,
                     "{\"class\": \"intervals\", \"columns\": [\"dose\"], \"bits\": 32}");
    assert_true(sot_concept_class_size(class) == UINT64_MAX);
    const double exact = 63.0 * log(2.0) + log1p(0x1p-32);
    assert_within(sot_concept_class_log_size(class), exact, exact * (1.0 + 1e-14));
    sot_concept_class_free(class);
    class = class_of(schema, "{\"class\": \"intervals\", \"columns\": [\"dose\"], "
                             "\"bits\": 31}");
    assert_int_equal(sot_concept_class_size(class),
                     (UINT64_C(1) << 30) * ((UINT64_C(1) << 31) + 1) + 1);
    sot_concept_class_free(class);
    sotto_schema_free(schema);
    schema = schema_of(matrix_text);
    class = class_of(schema, "{\"class\": \"rectangles\", \"bits\": 32}");
    assert_true(sot_concept_class_size(class) == UINT64_MAX);
    assert_within(sot_concept_class_log_size(class), 30.0 * exact,
                  30.0 * exact * (1.0 + 1e-13));
    sot_concept_class_free(class);
    class = class_of(schema, "{\"class\": \"rectangles\", \"bits\": 1, \"columns\": "
                             "[\"1\", 2, 30]}");
    assert_int_equal(sot_concept_class_size(class), 28);
    sot_concept_class_free(class);
    sotto_schema_free(schema);
}

/* ---- words ---- */

typedef struct worded {
    const char *class;
    double numbers[4];
    const char *text;
} worded;

static const worded words[] = {
    {"{\"class\": \"thresholds\", \"columns\": [\"age\"]}", {19}, "age >= 37"},
    {"{\"class\": \"thresholds\", \"columns\": [\"age\"], \"both\": true}",
     {19, 1},
     "age < 37"},
    {"{\"class\": \"thresholds\", \"columns\": [\"age\"]}", {0}, "always"},
    {"{\"class\": \"thresholds\", \"columns\": [\"age\"]}", {73}, "never"},
    {"{\"class\": \"thresholds\", \"columns\": [\"age\"], \"both\": true}",
     {73, 1},
     "always"},
    {"{\"class\": \"thresholds\", \"columns\": [\"smokes\"]}", {1}, "smokes"},
    {"{\"class\": \"intervals\", \"columns\": [\"dose\"], \"bits\": 3}",
     {2, 5},
     "1 <= dose < 4"},
    {"{\"class\": \"intervals\", \"columns\": [\"dose\"], \"bits\": 3}",
     {0, 5},
     "dose < 4"},
    {"{\"class\": \"intervals\", \"columns\": [\"dose\"], \"bits\": 3}",
     {5, 8},
     "dose >= 4"},
    {"{\"class\": \"intervals\", \"columns\": [\"dose\"], \"bits\": 3}",
     {0, 8},
     "always"},
    {"{\"class\": \"intervals\", \"columns\": [\"dose\"], \"bits\": 3}", {0}, "never"},
    {"{\"class\": \"intervals\", \"columns\": [\"town=Lund\"]}", {0, 1}, "not town=Lund"},
    {"{\"class\": \"stumps\", \"columns\": [\"dose\", \"town\"], \"cuts\": [0.1, 2.25]}",
     {2, 1, 1},
     "not town=Umeå"},
    {"{\"class\": \"stumps\", \"columns\": [\"dose\", \"town\"], \"cuts\": [0.1, 2.25]}",
     {0, 1},
     "dose >= 0.1"},
    {"{\"class\": \"rectangles\", \"columns\": [\"age\", \"dose\"], \"bits\": 3}",
     {2, 5, 0, 8},
     "36.25 <= age < 63.625"},
    {"{\"class\": \"rectangles\", \"columns\": [\"age\", \"dose\"], \"bits\": 3}",
     {2, 8, 1, 2},
     "age >= 36.25 and 0 <= dose < 1"},
    {"{\"class\": \"rectangles\", \"columns\": [\"age\", \"dose\"], \"bits\": 3}",
     {0},
     "never"},
    {"{\"class\": \"rectangles\", \"columns\": [\"age\", \"dose\"], \"bits\": 3}",
     {0, 8, 0, 8},
     "always"},
    {"{\"class\": \"conjunctions\", \"columns\": [\"smokes\", \"town\", \"age\"], "
     "\"cuts\": {\"age\": [64.5]}}",
     {21},
     "smokes and town=Umeå and age >= 64.5"},
    {"{\"class\": \"conjunctions\", \"columns\": [\"smokes\", \"town\"]}", {0}, "always"},
    {"{\"class\": \"parities\", \"columns\": [\"smokes\", \"town\"]}",
     {5},
     "an odd number of (smokes, town=Umeå)"},
    {"{\"class\": \"parities\", \"columns\": [\"smokes\", \"town\"]}", {1}, "smokes"},
    {"{\"class\": \"parities\", \"columns\": [\"smokes\", \"town\"]}", {0}, "never"},
    {"{\"class\": \"candidates\", \"columns\": [\"smokes\", \"two\"], \"both\": true}",
     {0, 1},
     "not smokes"},
    {"{\"class\": \"candidates\", \"columns\": [\"smokes\", \"two\"]}", {1}, "two >= 5"},
};

static void a_concept_is_told_in_the_schemas_words(void **state)
{
    (void)state;
    char text[SOT_CONCEPT_TEXT_BYTES];
    sotto_schema *schema = schema_of(table_text);
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        sot_concept_class *class = class_of(schema, words[i].class);
        assert_true(sot_concept_is_valid(class, words[i].numbers));
        assert_string_equal(sot_concept_text(class, words[i].numbers, text, sizeof text),
                            words[i].text);
        sot_concept_class_free(class);
    }
    sotto_schema_free(schema);
    schema = schema_of(matrix_text);
    sot_concept_class *class = class_of(schema, "{\"class\": \"stumps\", \"bits\": 2}");
    const double numbers[] = {6, 1, 1};
    assert_string_equal(sot_concept_text(class, numbers, text, sizeof text),
                        "feature 7 < 0.25");
    sot_concept_class_free(class);
    sotto_schema_free(schema);
}

/* Between letters, never inside one: the å of Umeå has two bytes. */
static void a_text_that_is_too_long_is_cut(void **state)
{
    (void)state;
    static const char *const texts[] = {"",
                                        "",
                                        "",
                                        "...",
                                        "t...",
                                        "to...",
                                        "tow...",
                                        "town...",
                                        "town=...",
                                        "town=U...",
                                        "town=Um...",
                                        "town=Ume...",
                                        "town=Ume...",
                                        "town=Umeå... (needs more)"};
    sotto_schema *schema = schema_of(table_text);
    sot_concept_class *class = class_of(
        schema, "{\"class\": \"conjunctions\", \"columns\": [\"town\", \"smokes\"]}");
    const double numbers[] = {10};
    char text[32];
    for (size_t size = 1; size <= 13; size++) {
        memset(text, '#', sizeof text);
        sot_concept_text(class, numbers, text, size);
        assert_string_equal(text, texts[size - 1]);
        assert_true(text[size] == '#');
    }
    sot_concept_class_free(class);
    sotto_schema_free(schema);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_size_is_the_number_of_valid_vectors),
        cmocka_unit_test(a_list_has_every_concept_once),
        cmocka_unit_test(a_rectangle_over_many_is_put_together_from_lists),
        cmocka_unit_test(lists_that_are_too_long_have_no_counts),
        cmocka_unit_test(what_is_not_whole_is_no_concept),
        cmocka_unit_test(a_concept_says_what_its_numbers_mean),
        cmocka_unit_test(sizes_are_never_understated),
        cmocka_unit_test(a_concept_is_told_in_the_schemas_words),
        cmocka_unit_test(a_text_that_is_too_long_is_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
