/* What a file says of its own guarantee, against what its certificate proves. The forger here has
 * the whole file made anew, hash and all: only the comparison can tell. */
#include "artifact/certificate/certificates.h"

#define GUARANTEE(kind, epsilon, more)                                                   \
    "{\"kind\": \"" kind "\", \"version\": 1, \"epsilon\": " epsilon more "}"
#define ADD_REMOVE ", \"adjacency\": \"add-remove\""
#define MODEL      ADD_REMOVE ", \"unit\": \"row\", \"delta\": 0.0"

static sotto_status verify_with(const char *payload, const char *plan, double delta,
                                sotto_error *error)
{
    sample made;
    char hash[SOTTO_HASH_HEX_BYTES];
    sotto_error attached;
    sample_from_json(&made, plan, delta);
    assert_ok(
        sot_certificate_attach(payload, &made.certificate, &made.text, hash, &attached),
        &attached);
    const sotto_status status =
        sotto_certificate_verify(made.text, strlen(made.text), error);
    sample_free(&made);
    return status;
}

static sotto_status verify_pure(const char *payload, sotto_error *error)
{
    return verify_with(payload, SAMPLE_PURE, 0.0, error);
}

/* SAMPLE_PURE costs 0.5. */
static void a_guarantee_that_holds_is_verified(void **state)
{
    (void)state;
    sotto_error error;
    assert_ok(verify_pure(GUARANTEE("release", "0.5", ADD_REMOVE), &error), &error);
    assert_ok(verify_pure(GUARANTEE("release", "0.625", ADD_REMOVE), &error), &error);
    assert_ok(verify_pure(GUARANTEE("model", "0.5", MODEL), &error), &error);
    assert_ok(verify_with("{\"kind\": \"model\", \"epsilon\": 3.5, \"delta\": 1e-6, "
                          "\"unit\": \"row\"" ADD_REMOVE "}",
                          SAMPLE_GAUSSIAN, 1e-6, &error),
              &error);
}

static void an_understated_epsilon_is_caught(void **state)
{
    (void)state;
    sotto_error error;
    assert_refused(verify_pure(GUARANTEE("release", "0.375", ADD_REMOVE), &error),
                   SOTTO_VERIFICATION, &error, "epsilon 0.375", "0.5", NULL);
    assert_refused(verify_pure(GUARANTEE("model", "0.375", MODEL), &error),
                   SOTTO_VERIFICATION, &error, "epsilon 0.375", "0.5", NULL);
    assert_refused(verify_pure(GUARANTEE("model", "0.49999999999999994", MODEL), &error),
                   SOTTO_VERIFICATION, &error, "epsilon", NULL);
}

static void another_delta_is_caught(void **state)
{
    (void)state;
    sotto_error error;
    assert_refused(
        verify_pure(GUARANTEE("release", "0.5", ADD_REMOVE ", \"delta\": 1e-9"), &error),
        SOTTO_VERIFICATION, &error, "delta 1e-9", "0.0", NULL);
    assert_refused(
        verify_with(GUARANTEE("model", "3.5", MODEL), SAMPLE_GAUSSIAN, 1e-6, &error),
        SOTTO_VERIFICATION, &error, "delta 0.0", "1e-6", NULL);
}

static void another_adjacency_is_caught(void **state)
{
    (void)state;
    sotto_error error;
    assert_refused(
        verify_pure(GUARANTEE("release", "0.5", ", \"adjacency\": \"replace-one\""),
                    &error),
        SOTTO_VERIFICATION, &error, "replace-one", "add-remove", NULL);
}

static void another_unit_of_a_model_is_caught(void **state)
{
    (void)state;
    sotto_error error;
    assert_refused(
        verify_pure(GUARANTEE("model", "0.5", ADD_REMOVE ", \"unit\": \"person\""),
                    &error),
        SOTTO_VERIFICATION, &error, "person", "row", NULL);
}

static void a_guarantee_that_is_left_out_is_caught(void **state)
{
    (void)state;
    sotto_error error;
    assert_refused(verify_pure("{\"kind\": \"release\"" ADD_REMOVE "}", &error),
                   SOTTO_VERIFICATION, &error, "epsilon", NULL);
    assert_refused(verify_pure("{\"kind\": \"model\", \"epsilon\": 0.5}", &error),
                   SOTTO_VERIFICATION, &error, "adjacency", NULL);
    assert_refused(verify_pure(GUARANTEE("model", "0.5", ADD_REMOVE), &error),
                   SOTTO_VERIFICATION, &error, "unit", NULL);
    assert_refused(verify_pure(GUARANTEE("model", "\"0.5\"", MODEL), &error),
                   SOTTO_VERIFICATION, &error, "epsilon", NULL);
}

static void other_kinds_say_what_they_like(void **state)
{
    (void)state;
    sotto_error error;
    assert_ok(verify_pure("{\"kind\": \"table\", \"epsilon\": 0.125}", &error), &error);
    assert_ok(verify_pure("{\"kind\": 7, \"epsilon\": 0.125}", &error), &error);
    assert_ok(verify_pure("{\"epsilon\": 0.125}", &error), &error);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_guarantee_that_holds_is_verified),
        cmocka_unit_test(an_understated_epsilon_is_caught),
        cmocka_unit_test(another_delta_is_caught),
        cmocka_unit_test(another_adjacency_is_caught),
        cmocka_unit_test(another_unit_of_a_model_is_caught),
        cmocka_unit_test(a_guarantee_that_is_left_out_is_caught),
        cmocka_unit_test(other_kinds_say_what_they_like),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
