/* The JSON form of a plan: every form of the documents is read, every other one refused. */
#include "support.h"

#include <sotto/accountant.h>

static sotto_status parse(const char *json, sotto_plan **out_plan, sotto_error *error)
{
    *out_plan = NULL;
    const sotto_status status = sotto_plan_parse(json, strlen(json), out_plan, error);
    if (status != SOTTO_OK) assert_null(*out_plan);
    return status;
}

static sotto_plan *read_plan(const char *json)
{
    sotto_error error;
    sotto_plan *plan;
    assert_ok(parse(json, &plan, &error), &error);
    return plan;
}

/* An example with every mechanism of this floor, as docs/reference/accounting.md spells them. */
static const char everything[] =
    "{\"adjacency\": \"add-remove\",\n"
    " \"events\": [\n"
    "  {\"mechanism\": \"gaussian\", \"noise_multiplier\": 1.1,\n"
    "   \"sampling\": {\"method\": \"poisson\", \"rate\": 0.00427}, \"count\": 14063},\n"
    "  {\"mechanism\": \"gaussian\", \"noise_multiplier\": 2.5, \"sigma\": 5.0,\n"
    "   \"sensitivity\": 2, \"grid\": 0.125, \"purpose\": \"sum of incomes\"},\n"
    "  {\"mechanism\": \"discrete-gaussian\", \"sigma\": 5.0, \"sensitivity\": 1,\n"
    "   \"count\": 10},\n"
    "  {\"mechanism\": \"discrete-laplace\", \"scale\": 2.0, \"sensitivity\": 1,\n"
    "   \"count\": 10},\n"
    "  {\"mechanism\": \"pure\", \"epsilon\": 0.1, \"count\": 5},\n"
    "  {\"mechanism\": \"approximate\", \"epsilon\": 0.1, \"delta\": 1e-8, \"count\": "
    "2},\n"
    "  {\"mechanism\": \"exponential\", \"epsilon\": 0.2, \"count\": 1},\n"
    "  {\"mechanism\": \"permute-and-flip\", \"epsilon\": 0.2, \"count\": 1},\n"
    "  {\"mechanism\": \"randomized-response\", \"epsilon\": 1.0986122886681098,\n"
    "   \"categories\": 2, \"count\": 1},\n"
    "  {\"mechanism\": \"zcdp\", \"rho\": 0.01, \"count\": 1},\n"
    "  {\"mechanism\": \"gdp\", \"mu\": 0.5, \"count\": 1},\n"
    "  {\"mechanism\": \"objective-perturbation\", \"noise_multiplier\": 4.25,\n"
    "   \"atom\": 0.984375}]}";

static void every_documented_form_is_read(void **state)
{
    (void)state;
    sotto_plan *plan = read_plan(everything);
    assert_int_equal(sotto_plan_size(plan), 12);
    assert_int_equal(sotto_plan_adjacency(plan), SOTTO_ADD_REMOVE);
    const sotto_event *event = sotto_plan_event(plan, 0);
    assert_int_equal(event->mechanism, SOTTO_GAUSSIAN);
    assert_int_equal(event->sampling, SOTTO_POISSON);
    assert_true(event->noise_multiplier == 1.1 && event->rate == 0.00427);
    assert_int_equal(event->count, 14063);
    assert_true(isnan(event->epsilon) && isnan(event->scale));
    event = sotto_plan_event(plan, 1);
    assert_true(event->scale == 5.0 && event->sensitivity == 2.0);
    assert_true(event->grid == 0.125 && event->count == 1);
    assert_string_equal(event->purpose, "sum of incomes");
    assert_true(sotto_plan_event(plan, 2)->scale == 5.0);
    assert_true(sotto_plan_event(plan, 3)->scale == 2.0);
    assert_true(sotto_plan_event(plan, 4)->epsilon == 0.1);
    assert_true(sotto_plan_event(plan, 5)->delta == 1e-8);
    assert_int_equal(sotto_plan_event(plan, 6)->mechanism, SOTTO_EXPONENTIAL);
    assert_int_equal(sotto_plan_event(plan, 7)->mechanism, SOTTO_PERMUTE_AND_FLIP);
    assert_int_equal(sotto_plan_event(plan, 8)->categories, 2);
    assert_true(sotto_plan_event(plan, 9)->rho == 0.01);
    assert_true(sotto_plan_event(plan, 10)->mu == 0.5);
    event = sotto_plan_event(plan, 11);
    assert_int_equal(event->mechanism, SOTTO_OBJECTIVE_PERTURBATION);
    assert_true(event->noise_multiplier == 4.25 && event->atom == 0.984375);
    assert_true(isnan(sotto_plan_event(plan, 10)->atom));
    sotto_plan_free(plan);
}

static void defaults_are_gaussian_add_remove_and_one(void **state)
{
    (void)state;
    sotto_plan *plan = read_plan("{\"events\": [{\"noise_multiplier\": 3}]}");
    const sotto_event *event = sotto_plan_event(plan, 0);
    assert_int_equal(sotto_plan_adjacency(plan), SOTTO_ADD_REMOVE);
    assert_int_equal(event->mechanism, SOTTO_GAUSSIAN);
    assert_int_equal(event->sampling, SOTTO_NOT_SAMPLED);
    assert_true(event->noise_multiplier == 3.0 && isnan(event->rate));
    assert_int_equal(event->count, 1);
    sotto_plan_free(plan);
    plan =
        read_plan("{\"adjacency\": \"replace-one\", \"events\": [{\"noise_multiplier\": "
                  "3, \"sampling\": {\"method\": \"none\"}, \"count\": 1e3}]}");
    assert_int_equal(sotto_plan_adjacency(plan), SOTTO_REPLACE_ONE);
    assert_int_equal(sotto_plan_event(plan, 0)->count, 1000);
    sotto_plan_free(plan);
}

static void search_leaves_a_target_open(void **state)
{
    (void)state;
    sotto_plan *plan = read_plan("{\"events\": [{\"noise_multiplier\": \"search\", "
                                 "\"count\": \"search\"}]}");
    assert_true(isnan(sotto_plan_event(plan, 0)->noise_multiplier));
    assert_int_equal(sotto_plan_event(plan, 0)->count, 0);
    sotto_plan_free(plan);
}

/* Equal field by field; NaN equals NaN. */
static void assert_same_event(const sotto_event *a, const sotto_event *b)
{
    const double left[] = {
        a->noise_multiplier, a->epsilon, a->delta, a->rho,  a->mu,   a->scale,
        a->sensitivity,      a->grid,    a->rate,  a->atom, a->shift};
    const double right[] = {
        b->noise_multiplier, b->epsilon, b->delta, b->rho,  b->mu,   b->scale,
        b->sensitivity,      b->grid,    b->rate,  b->atom, b->shift};
    for (size_t i = 0; i < sizeof left / sizeof left[0]; i++)
        assert_true(left[i] == right[i] || (isnan(left[i]) && isnan(right[i])));
    assert_int_equal(a->mechanism, b->mechanism);
    assert_int_equal(a->sampling, b->sampling);
    assert_int_equal(a->count, b->count);
    assert_int_equal(a->categories, b->categories);
    assert_int_equal(a->vertices, b->vertices);
    assert_int_equal(a->population, b->population);
    assert_int_equal(a->batch, b->batch);
    assert_int_equal(a->rows, b->rows);
    assert_int_equal(a->dimension, b->dimension);
    assert_int_equal(a->curve_size, b->curve_size);
    for (uint32_t i = 0; i < a->curve_size; i++) {
        assert_true(a->curve_orders[i] == b->curve_orders[i]);
        assert_true(a->curve_values[i] == b->curve_values[i]);
    }
    assert_string_equal(a->purpose, b->purpose);
}

/* What only replace-one plans have, and what is a list. */
static const char *const batches =
    "{\"adjacency\": \"replace-one\", \"events\": ["
    "{\"noise_multiplier\": 1.25, \"sampling\": {\"method\": \"without-replacement\", "
    "\"population\": 60000, \"batch\": 256}, \"count\": 10},"
    "{\"noise_multiplier\": 2.5, \"sampling\": {\"method\": \"single-record\", "
    "\"population\": 4096}},"
    "{\"mechanism\": \"laplace\", \"noise_multiplier\": \"search\"},"
    "{\"mechanism\": \"discrete-gaussian\", \"sigma\": 5, \"sensitivity\": 2, "
    "\"dimension\": \"any\"},"
    "{\"mechanism\": \"discrete-gaussian\", \"sigma\": 5, \"sensitivity\": 2, "
    "\"dimension\": 7},"
    "{\"mechanism\": \"rdp\", \"orders\": [1.5, 2, 32], \"values\": [0.1, 0.125, 3]}]}";

static void batches_and_curves_are_read(void **state)
{
    (void)state;
    sotto_plan *plan = read_plan(batches);
    const sotto_event *event = sotto_plan_event(plan, 0);
    assert_int_equal(event->sampling, SOTTO_WITHOUT_REPLACEMENT);
    assert_true(event->population == 60000 && event->batch == 256);
    event = sotto_plan_event(plan, 1);
    assert_int_equal(event->sampling, SOTTO_SINGLE_RECORD);
    assert_true(event->population == 4096 && event->batch == 0 && isnan(event->rate));
    assert_true(isnan(sotto_plan_event(plan, 2)->noise_multiplier));
    assert_true(sotto_plan_event(plan, 3)->dimension == SOTTO_DIMENSION_ANY);
    assert_int_equal(sotto_plan_event(plan, 4)->dimension, 7);
    event = sotto_plan_event(plan, 5);
    assert_int_equal(event->curve_size, 3);
    assert_true(event->curve_orders[2] == 32.0 && event->curve_values[1] == 0.125);
    sotto_plan_free(plan);
}

static void assert_reads_back(const char *text)
{
    sotto_error error;
    char *json = NULL;
    char *again = NULL;
    sotto_plan *plan = read_plan(text);
    assert_ok(sotto_plan_to_json(plan, &json, &error), &error);
    sotto_plan *back = read_plan(json);
    assert_int_equal(sotto_plan_size(plan), sotto_plan_size(back));
    for (size_t i = 0; i < sotto_plan_size(plan); i++)
        assert_same_event(sotto_plan_event(plan, i), sotto_plan_event(back, i));
    assert_ok(sotto_plan_to_json(back, &again, &error), &error);
    assert_string_equal(json, again);
    sotto_free(json);
    sotto_free(again);
    sotto_free(NULL);
    sotto_plan_free(plan);
    sotto_plan_free(back);
}

static void the_canonical_form_reads_back_to_the_same_plan(void **state)
{
    (void)state;
    sotto_error error;
    char *json = NULL;
    sotto_plan *plan;
    assert_reads_back(everything);
    assert_reads_back(batches);
    assert_ok(sotto_plan_new(SOTTO_ADD_REMOVE, &plan, &error), &error);
    assert_refused(sotto_plan_to_json(plan, &json, &error), SOTTO_INVALID_ARGUMENT,
                   &error, "no events", NULL);
    assert_null(json);
    sotto_plan_free(plan);
}

typedef struct refusal {
    const char *json;
    sotto_status status;
    const char *words[3];
} refusal;

#define EVENT(text) "{\"events\": [{" text "}]}"
#define GOOD        "\"noise_multiplier\": 1.5"

static const refusal refusals[] = {
    /* not a plan */
    {"", SOTTO_PARSE, {""}},
    {"[]", SOTTO_PARSE, {"object"}},
    {"{\"events\": [", SOTTO_PARSE, {"line 1"}},
    {"{}", SOTTO_PARSE, {"events"}},
    {"{\"events\": []}", SOTTO_PARSE, {"events", "at least one"}},
    {"{\"events\": {}}", SOTTO_PARSE, {"events", "array"}},
    {"{\"events\": [3]}", SOTTO_PARSE, {"events[0]", "object"}},
    {"{\"Events\": []}", SOTTO_PARSE, {"Events"}},
    {"{\"adjacency\": \"addremove\", \"events\": [{" GOOD "}]}",
     SOTTO_PARSE,
     {"adjacency", "addremove", "replace-one"}},
    {"{\"adjacency\": 1, \"events\": [{" GOOD "}]}", SOTTO_PARSE, {"adjacency"}},
    {"{\"events\": [{" GOOD "}], \"events\": []}", SOTTO_PARSE, {"events"}},
    /* keys */
    {EVENT(""), SOTTO_PARSE, {"events[0]", "noise_multiplier", "search"}},
    {EVENT("\"noise\": 1.5"), SOTTO_PARSE, {"events[0]", "noise"}},
    {EVENT(GOOD ", \"Count\": 3"), SOTTO_PARSE, {"Count"}},
    {EVENT(GOOD ", \"count\": 3, \"count\": 4"), SOTTO_PARSE, {"count"}},
    {EVENT("\"mechanism\": \"laplce\""), SOTTO_PARSE, {"laplce", "give one of"}},
    {EVENT("\"mechanism\": 1"), SOTTO_PARSE, {"mechanism"}},
    {EVENT("\"mechanism\": \"pure\", \"epsilon\": 0.1, \"mu\": 0.2"),
     SOTTO_INVALID_ARGUMENT,
     {"events[0]", "\"mu\" is 0.2", "pure"}},
    {EVENT("\"mechanism\": \"pure\""), SOTTO_INVALID_ARGUMENT, {"events[0]", "epsilon"}},
    {EVENT(GOOD ", \"scale\": 2, \"sensitivity\": 1"), SOTTO_PARSE, {"scale", "sigma"}},
    /* numbers */
    {EVENT("\"noise_multiplier\": \"find\""), SOTTO_PARSE, {"noise_multiplier", "find"}},
    {EVENT("\"noise_multiplier\": null"), SOTTO_PARSE, {"noise_multiplier"}},
    {EVENT("\"noise_multiplier\": 1e400"), SOTTO_PARSE, {"1e400"}},
    {EVENT("\"noise_multiplier\": NaN"), SOTTO_PARSE, {"NaN"}},
    {EVENT("\"noise_multiplier\": 0"), SOTTO_INVALID_ARGUMENT, {"events[0]", "is 0;"}},
    {EVENT("\"noise_multiplier\": -1"), SOTTO_INVALID_ARGUMENT, {"is -1;", "1e-4"}},
    {EVENT("\"mechanism\": \"pure\", \"epsilon\": \"search\""), SOTTO_PARSE, {"epsilon"}},
    {EVENT(GOOD ", \"count\": 0"), SOTTO_PARSE, {"count", "is 0", "1 to 1e12"}},
    {EVENT(GOOD ", \"count\": -3"), SOTTO_PARSE, {"count", "-3"}},
    {EVENT(GOOD ", \"count\": 2.5"), SOTTO_PARSE, {"count", "2.5", "whole"}},
    {EVENT(GOOD ", \"count\": 1e18"), SOTTO_PARSE, {"count", "1e18", "1e12"}},
    {EVENT(GOOD ", \"count\": true"), SOTTO_PARSE, {"count"}},
    {EVENT(GOOD ", \"count\": \"all\""), SOTTO_PARSE, {"count", "all"}},
    {EVENT("\"mechanism\": \"randomized-response\", \"epsilon\": 1, \"categories\": 1"),
     SOTTO_PARSE,
     {"categories", "at least 2"}},
    {EVENT(GOOD ", \"purpose\": \"0123456789012345678901234567890123456789012345678\""),
     SOTTO_PARSE,
     {"purpose", "47"}},
    /* sampling */
    {EVENT(GOOD ", \"sampling\": \"poisson\""), SOTTO_PARSE, {"sampling", "object"}},
    {EVENT(GOOD ", \"sampling\": {}"), SOTTO_PARSE, {"method"}},
    {EVENT(GOOD ", \"sampling\": {\"method\": \"shuffle\", \"rate\": 0.1}"),
     SOTTO_PARSE,
     {"shuffle", "poisson"}},
    {EVENT(GOOD ", \"sampling\": {\"method\": \"without-replacement\", "
                "\"population\": 60000, \"batch\": 256}"),
     SOTTO_UNSUPPORTED,
     {"without-replacement", "replace-one"}},
    {EVENT(GOOD ", \"sampling\": {\"method\": \"without-replacement\", \"rate\": 0.1}"),
     SOTTO_PARSE,
     {"rate", "poisson", "population"}},
    {EVENT(GOOD ", \"sampling\": {\"method\": \"single-record\", \"population\": 9, "
                "\"batch\": 2}"),
     SOTTO_PARSE,
     {"batch", "without-replacement"}},
    {EVENT(GOOD ", \"sampling\": {\"method\": \"poisson\", \"population\": 9}"),
     SOTTO_PARSE,
     {"population", "rate"}},
    {EVENT(GOOD ", \"sampling\": {\"method\": \"single-record\", \"population\": 0}"),
     SOTTO_PARSE,
     {"population", "1 to 1e15"}},
    /* curves and dimensions */
    {EVENT("\"mechanism\": \"rdp\""), SOTTO_INVALID_ARGUMENT, {"orders", "values"}},
    {EVENT("\"mechanism\": \"rdp\", \"orders\": [2]"), SOTTO_PARSE, {"together"}},
    {EVENT("\"mechanism\": \"rdp\", \"orders\": [2, 3], \"values\": [0.1]"),
     SOTTO_PARSE,
     {"a value for each"}},
    {EVENT("\"mechanism\": \"rdp\", \"orders\": [2, 2], \"values\": [0.1, 0.1]"),
     SOTTO_INVALID_ARGUMENT,
     {"orders[1]", "larger"}},
    {EVENT("\"mechanism\": \"rdp\", \"orders\": [1], \"values\": [0.1]"),
     SOTTO_INVALID_ARGUMENT,
     {"orders[0] is 1;", "above 1"}},
    {EVENT("\"mechanism\": \"rdp\", \"orders\": [2], \"values\": [-0.1]"),
     SOTTO_INVALID_ARGUMENT,
     {"values[0] is -0.1"}},
    {EVENT(GOOD ", \"orders\": [2], \"values\": [0.1]"),
     SOTTO_INVALID_ARGUMENT,
     {"rdp event", "leave them out"}},
    {EVENT(GOOD ", \"dimension\": 3"), SOTTO_INVALID_ARGUMENT, {"dimension is 3"}},
    {EVENT("\"mechanism\": \"discrete-gaussian\", \"sigma\": 5, \"sensitivity\": 1, "
           "\"dimension\": 0"),
     SOTTO_PARSE,
     {"dimension", "any"}},
    {EVENT(GOOD ", \"sampling\": {\"method\": \"poisson\", \"batch\": 256}"),
     SOTTO_PARSE,
     {"batch", "rate"}},
    {EVENT(GOOD ", \"sampling\": {\"method\": \"poisson\"}"), SOTTO_PARSE, {"rate"}},
    {EVENT(GOOD ", \"sampling\": {\"method\": \"none\", \"rate\": 0.5}"),
     SOTTO_PARSE,
     {"rate", "poisson"}},
    {EVENT(GOOD ", \"sampling\": {\"method\": \"poisson\", \"rate\": 1.5}"),
     SOTTO_INVALID_ARGUMENT,
     {"events[0]", "\"rate\" is 1.5;"}},
    {EVENT(GOOD ", \"sampling\": {\"method\": \"poisson\", \"rate\": 0}"),
     SOTTO_INVALID_ARGUMENT,
     {"\"rate\" is 0;"}},
    {EVENT("\"mechanism\": \"zcdp\", \"rho\": 0.1, \"sampling\": {\"method\": "
           "\"poisson\", \"rate\": 0.5}"),
     SOTTO_UNSUPPORTED,
     {"events[0]", "sampled zcdp"}},
    {"{\"adjacency\": \"replace-one\", \"events\": [{\"mechanism\": \"pure\", "
     "\"epsilon\": 0.1, \"sampling\": {\"method\": \"poisson\", \"rate\": 0.5}}]}",
     SOTTO_UNSUPPORTED,
     {"add-remove", "replace-one"}},
};

static void every_other_form_is_refused_by_name(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++) {
        const refusal *row = &refusals[i];
        sotto_error error;
        sotto_plan *plan;
        const sotto_status status = parse(row->json, &plan, &error);
        if (status != row->status) print_error("%s: %s\n", row->json, error.message);
        assert_refused(status, row->status, &error, row->words[0], row->words[1],
                       row->words[2], NULL);
        assert_null(strchr(error.message, '\n'));
    }
}

/* A mistake in the last of many events is found, and named by its place. */
static void too_many_events_are_refused(void **state)
{
    (void)state;
    enum { EVENTS = SOTTO_EVENTS_MAX + 1, EACH = 32 };
    static char json[EVENTS * EACH + 64];
    sotto_error error;
    sotto_plan *plan;
    char *end = json + snprintf(json, sizeof json, "{\"events\": [");
    for (int i = 0; i < EVENTS; i++)
        end += snprintf(end, EACH, "%s{\"noise_multiplier\": 9}", i == 0 ? "" : ",");
    (void)snprintf(end, 4, "]}");
    assert_refused(parse(json, &plan, &error), SOTTO_INVALID_ARGUMENT, &error,
                   "events[4096]", "4096", NULL);
    assert_refused(sotto_plan_parse(json, 1u << 21, &plan, &error), SOTTO_PARSE, &error,
                   NULL);
}

/* A plan about the rows of one id says so, and reads back the same. */
static void a_plan_states_its_unit(void **state)
{
    (void)state;
    static const char text[] =
        "{\"adjacency\":\"add-remove\",\"events\":[{\"count\":1,\"epsilon\":0.5,"
        "\"mechanism\":\"pure\"}],\"unit\":{\"column\":\"person\",\"rows\":3}}";
    static const char *const wrong[] = {
        "\"unit\":{\"column\":\"person\"}",
        "\"unit\":{\"column\":\"\",\"rows\":1}",
        "\"unit\":{\"column\":\"p\",\"rows\":0}",
        "\"unit\":{\"column\":\"p\",\"rows\":-1}",
        "\"unit\":\"person\"",
        "\"unit\":{\"column\":\"p\",\"rows\":1,\"cap\":2}"};
    sotto_error error;
    sotto_plan *plan = NULL;
    char *json = NULL;
    assert_ok(sotto_plan_parse(text, strlen(text), &plan, &error), &error);
    assert_string_equal(sotto_plan_unit(plan), "person");
    assert_int_equal(sotto_plan_unit_rows(plan), 3);
    assert_ok(sotto_plan_to_json(plan, &json, &error), &error);
    assert_string_equal(json, text);
    sotto_free(json);
    assert_ok(sotto_plan_set_unit(plan, NULL, 0, &error), &error);
    assert_null(sotto_plan_unit(plan));
    assert_int_equal(sotto_plan_set_unit(plan, "person", 0, &error),
                     SOTTO_INVALID_ARGUMENT);
    assert_int_equal(sotto_plan_set_unit(plan, NULL, 2, &error), SOTTO_INVALID_ARGUMENT);
    assert_int_equal(sotto_plan_set_unit(plan, "\xff", 2, &error),
                     SOTTO_INVALID_ARGUMENT);
    sotto_plan_free(plan);
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        char made[256];
        (void)snprintf(made, sizeof made,
                       "{\"events\":[{\"mechanism\":\"pure\",\"epsilon\":1}],%s}",
                       wrong[i]);
        assert_true(sotto_plan_parse(made, strlen(made), &plan, &error) != SOTTO_OK);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_documented_form_is_read),
        cmocka_unit_test(defaults_are_gaussian_add_remove_and_one),
        cmocka_unit_test(search_leaves_a_target_open),
        cmocka_unit_test(batches_and_curves_are_read),
        cmocka_unit_test(the_canonical_form_reads_back_to_the_same_plan),
        cmocka_unit_test(every_other_form_is_refused_by_name),
        cmocka_unit_test(too_many_events_are_refused),
        cmocka_unit_test(a_plan_states_its_unit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
