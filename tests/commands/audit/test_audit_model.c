/* Attacks on model files: canaries of a model that remembers are found, of a private one they are not; shadow models see
 * what the loss alone does not; and what epsilon buys. */
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <sotto/audit.h>
#include <sotto/audit_demo.h>
#include <sotto/audit_model.h>
#include <sotto/train.h>

#include "base/memory.h"

/* Many features for few rows: a model without noise knows every row by heart. */
enum { FEATURES = 60, CANARIES = 120 };

typedef struct place {
    char folder[32];
    char all[64], in[64];
    bool included[CANARIES];
    sotto_schema *schema;
} place;

/* Row i has its own three features, and a label by its parity. */
static void write_rows(const char *path, const bool *included, bool want)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    for (size_t i = 0; i < CANARIES; i++) {
        if (included != NULL && included[i] != want) continue;
        const size_t first = 1 + i % 20, second = 21 + (7 * i + i / 20) % 20;
        (void)fprintf(file, "%d %zu:0.5 %zu:-0.5 %zu:0.5\n", i % 3 == 0 ? -1 : 1, first,
                      second, 41 + (3 * i + i / 7) % 20);
    }
    assert_int_equal(fclose(file), 0);
}

static int make_place(void **state)
{
    static const char schema[] = "{\"features\": 60, \"labels\": [-1, 1], \"row_norm\": "
                                 "{\"bound\": 1.0, \"rule\": \"scale\"}}";
    sotto_error error;
    const uint64_t seed = 17;
    place *at = calloc(1, sizeof *at);
    assert_non_null(at);
    (void)snprintf(at->folder, sizeof at->folder, "/tmp/sotto-audit-XXXXXX");
    assert_non_null(mkdtemp(at->folder));
    (void)snprintf(at->all, sizeof at->all, "%s/all.svm", at->folder);
    (void)snprintf(at->in, sizeof at->in, "%s/in.svm", at->folder);
    assert_ok(sotto_canaries_toss(CANARIES, &seed, at->included, &error), &error);
    write_rows(at->all, NULL, true);
    write_rows(at->in, at->included, true);
    assert_ok(sotto_schema_parse("wide", schema, sizeof schema - 1, &at->schema, &error),
              &error);
    *state = at;
    return 0;
}

static int remove_place(void **state)
{
    place *at = *state;
    (void)remove(at->all);
    (void)remove(at->in);
    assert_int_equal(rmdir(at->folder), 0);
    sotto_schema_free(at->schema);
    free(at);
    return 0;
}

/* Of the canaries that coins put in; epsilon 0: without noise. */
static sotto_model *train_model(const place *at, sotto_model_kind kind, double epsilon)
{
    sotto_error error;
    sotto_train_result *result = NULL;
    sotto_model *model = NULL;
    sotto_train_config config = sotto_train_defaults();
    config.model = kind;
    config.insecure_test = true;
    config.test_seed = 23;
    config.threads = 1;
    if (epsilon > 0.0) {
        config.method = SOTTO_METHOD_OBJECTIVE;
        config.epsilon = epsilon;
        config.delta = 1e-5;
    } else {
        config.method = SOTTO_METHOD_NONE;
        config.data_is_public = true;
        config.insecure_test = false;
    }
    assert_ok(sotto_train_data(&config, at->schema,
                               &(const sotto_data_file){.path = at->in}, &result, &error),
              &error);
    const char *json = sotto_train_json(result);
    assert_ok(sotto_model_parse("model", json, strlen(json), &model, &error), &error);
    sotto_train_free(result);
    return model;
}

static sotto_model *train(const place *at, double epsilon)
{
    return train_model(at, SOTTO_MODEL_LOGISTIC, epsilon);
}

static sotto_one_run score(const place *at, const sotto_model *model,
                           sotto_one_run_choice choice, size_t guesses)
{
    sotto_error error;
    sotto_one_run found;
    const sotto_data_file file = {.path = at->all};
    assert_ok(sotto_canaries_score(model, &file, at->included, CANARIES, choice, guesses,
                                   1e-5, 0.05, &found, &error),
              &error);
    return found;
}

static void canaries_of_a_model_that_remembers_are_found(void **state)
{
    const place *at = *state;
    sotto_model *open = train(at, 0.0);
    sotto_model *private = train(at, 0.5);
    const sotto_one_run found = score(at, open, SOTTO_ONE_RUN_FIXED, 60);
    assert_int_equal(found.guesses, 60);
    assert_true(found.epsilon_lower > 0.3);
    assert_true(score(at, private, SOTTO_ONE_RUN_FIXED, 60).epsilon_lower <= 0.5);
    assert_true(score(at, private, SOTTO_ONE_RUN_UNION, 0).epsilon_lower <= 0.5);
    sotto_model_free(open);
    sotto_model_free(private);
}

static void canaries_and_coins_belong_together(void **state)
{
    const place *at = *state;
    sotto_error error;
    sotto_one_run found;
    sotto_model *open = train(at, 0.0);
    const sotto_data_file file = {.path = at->in};
    assert_int_equal(sotto_canaries_score(open, &file, at->included, CANARIES,
                                          SOTTO_ONE_RUN_UNION, 0, 0.0, 0.05, &found,
                                          &error),
                     SOTTO_INVALID_ARGUMENT);
    assert_non_null(strstr(error.message, "120 coins"));
    sotto_model_free(open);
}

/* A guarantee for replace-one says nothing of rows that come and go: no count of guesses could refute it. */
static void canaries_do_not_judge_guarantees_of_replacement(void **state)
{
    const place *at = *state;
    sotto_error error;
    sotto_one_run found;
    sotto_train_result *result = NULL;
    sotto_model *model = NULL;
    sotto_train_config config = sotto_train_defaults();
    const sotto_data_file file = {.path = at->all};
    config.model = SOTTO_MODEL_LOGISTIC;
    config.method = SOTTO_METHOD_OBJECTIVE;
    config.adjacency = SOTTO_REPLACE_ONE;
    config.epsilon = 1.0;
    config.delta = 1e-5;
    config.insecure_test = true;
    config.test_seed = 5;
    config.threads = 1;
    assert_ok(sotto_train_data(&config, at->schema,
                               &(const sotto_data_file){.path = at->in}, &result, &error),
              &error);
    const char *json = sotto_train_json(result);
    assert_ok(sotto_model_parse("model", json, strlen(json), &model, &error), &error);
    assert_refused(sotto_canaries_score(model, &file, at->included, CANARIES,
                                        SOTTO_ONE_RUN_UNION, 0, 0.0, 0.05, &found,
                                        &error),
                   SOTTO_UNSUPPORTED, &error, "replace-one", NULL);
    sotto_train_free(result);
    sotto_model_free(model);
}

/* Members are the rows that coins put in, others the rest. */
static sotto_membership *attack(const place *at, const sotto_model *model,
                                uint64_t shadows, bool offline, size_t threads)
{
    sotto_error error;
    char rest[64];
    sotto_membership *found = NULL;
    sotto_membership_config config = sotto_membership_defaults();
    (void)snprintf(rest, sizeof rest, "%s/out.svm", at->folder);
    write_rows(rest, at->included, false);
    config.members.path = at->in;
    config.others.path = rest;
    config.shadows = shadows;
    config.offline = offline;
    config.insecure_test = true;
    config.test_seed = 3;
    config.threads = threads;
    assert_ok(sotto_membership_of(model, &config, &found, &error), &error);
    (void)remove(rest);
    return found;
}

static void shadow_models_see_what_a_model_remembers(void **state)
{
    const place *at = *state;
    sotto_model *open = train(at, 0.0);
    for (int offline = 0; offline < 2; offline++) {
        sotto_membership *found = attack(at, open, 16, offline == 1, 2);
        sotto_membership *again = attack(at, open, 16, offline == 1, 1);
        assert_int_equal(sotto_membership_size(found), 2);
        const sotto_membership_attack *loss = sotto_membership_at(found, 0);
        const sotto_membership_attack *lira = sotto_membership_at(found, 1);
        assert_string_equal(loss->name, "loss");
        assert_string_equal(lira->name, "lira");
        assert_within(loss->area, 0.55, 1.0);
        assert_within(lira->area, 0.6, 1.0);
        assert_true(lira->area == sotto_membership_at(again, 1)->area);
        sotto_membership_free(found);
        sotto_membership_free(again);
    }
    sotto_model_free(open);
}

/* Of two classes softmax says what a logistic model says, with a margin a class. */
static void shadow_models_have_a_margin_a_class(void **state)
{
    const place *at = *state;
    sotto_model *open = train_model(at, SOTTO_MODEL_SOFTMAX, 0.0);
    sotto_membership *found = attack(at, open, 16, false, 2);
    assert_within(sotto_membership_at(found, 0)->area, 0.55, 1.0);
    assert_within(sotto_membership_at(found, 1)->area, 0.6, 1.0);
    sotto_membership_free(found);
    sotto_model_free(open);
}

static void attacks_are_drawn(void **state)
{
    const place *at = *state;
    sotto_error error;
    char *svg = NULL;
    sotto_model *open = train(at, 0.0);
    sotto_membership *found = attack(at, open, 8, false, 1);
    assert_ok(sotto_membership_to_svg(found, &svg, &error), &error);
    assert_non_null(strstr(svg, "characteristic: lira"));
    sotto_free(svg);
    sotto_membership_free(found);
    sotto_model_free(open);
}

static void what_cannot_be_attacked_is_refused(void **state)
{
    const place *at = *state;
    sotto_error error;
    sotto_membership *found = NULL;
    sotto_model *open = train(at, 0.0);
    sotto_membership_config config = sotto_membership_defaults();
    config.members.path = at->in;
    config.others.path = at->in;
    config.shadows = 7;
    assert_int_equal(sotto_membership_of(open, &config, &found, &error),
                     SOTTO_INVALID_ARGUMENT);
    assert_non_null(strstr(error.message, "`shadows` is 7"));
    config.shadows = 0;
    config.alpha = 0.0;
    assert_int_equal(sotto_membership_of(open, &config, &found, &error),
                     SOTTO_INVALID_ARGUMENT);
    assert_non_null(strstr(error.message, "`alpha` is 0"));
    assert_null(found);
    sotto_model_free(open);
}

static void failing_memory_is_reported(void **state)
{
    const place *at = *state;
    sotto_model *open = train(at, 0.0);
    sotto_membership_config config = sotto_membership_defaults();
    config.members.path = at->in;
    config.others.path = at->all;
    config.shadows = 8;
    config.insecure_test = true;
    config.threads = 1;
    for (size_t nth = 1; nth < 150; nth += 3) {
        sotto_error error;
        sotto_membership *found = NULL;
        (void)sot_test_fail_allocation(nth);
        const sotto_status status = sotto_membership_of(open, &config, &found, &error);
        (void)sot_test_fail_allocation(0);
        if (status != SOTTO_OK) {
            assert_int_equal(status, SOTTO_OUT_OF_MEMORY);
            assert_null(found);
        }
        sotto_membership_free(found);
    }
    sotto_model_free(open);
}

/* Without noise the record and its bit are all there; with epsilon 1/2 a guess is right at most 62 times of 100, and with 400
 * guesses seen so but for a chance of 1e-6 at most 75. */
static void noise_is_what_hides_a_record(void **state)
{
    (void)state;
    sotto_error error;
    const double epsilons[] = {INFINITY, 0.5};
    const uint64_t seed = 9;
    sotto_demo_row rows[2];
    assert_ok(sotto_audit_demo(epsilons, 2, 200, &seed, rows, &error), &error);
    assert_within(rows[0].reconstruction_error, 0.0, 1e-4);
    assert_true(rows[0].right_sign > 0.999 && rows[0].guessed > 0.999);
    assert_true(rows[1].reconstruction_error > 2.0);
    assert_within(rows[1].guessed, 0.35, 0.75);
    assert_within(rows[1].guess_bound, 0.6224, 0.6225);
    const double wrong = 0.0;
    assert_int_equal(sotto_audit_demo(&wrong, 1, 1, NULL, rows, &error),
                     SOTTO_INVALID_ARGUMENT);
    assert_int_equal(sotto_audit_demo(epsilons, 1, 0, NULL, rows, &error),
                     SOTTO_INVALID_ARGUMENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(canaries_of_a_model_that_remembers_are_found),
        cmocka_unit_test(canaries_and_coins_belong_together),
        cmocka_unit_test(canaries_do_not_judge_guarantees_of_replacement),
        cmocka_unit_test(shadow_models_see_what_a_model_remembers),
        cmocka_unit_test(shadow_models_have_a_margin_a_class),
        cmocka_unit_test(attacks_are_drawn),
        cmocka_unit_test(what_cannot_be_attacked_is_refused),
        cmocka_unit_test(failing_memory_is_reported),
        cmocka_unit_test(noise_is_what_hides_a_record),
    };
    return cmocka_run_group_tests(tests, make_place, remove_place);
}
