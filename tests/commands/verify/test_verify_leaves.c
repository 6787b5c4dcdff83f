/* verify binds: files of every kind follow from their requests, and a sample of edits with a right hash is refused or
 * believed. slow_verify_leaves.c has every place. */
#include "support.h"

#include "leaf_study.h"
#include "privacy/ledger/kept.h"

/* Every 29th place of each kind, from another one on for each. */
static void a_sample_of_edits_is_refused_or_believed(void **state)
{
    (void)state;
    for (size_t i = 0; i < LEAF_KINDS; i++) {
        leaf_scene scene = {.schema = NULL};
        leaf_begin(&scene, SOTTO_ADD_REMOVE);
        const leaf_tally tally = leaf_try(&scene, &leaf_kinds[i], 29, i);
        leaf_end(&scene);
        assert_int_equal(tally.unexpected, 0);
    }
}

static sotto_status verify(const char *text, const char *ledger, const char *signed_by,
                           sotto_error *error)
{
    const sotto_verify_config config = {
        .size = sizeof config, .ledger = ledger, .signed_by = signed_by};
    return sotto_verify(text, strlen(text), &config, NULL, error);
}

/* The text with its first `from` replaced, and the right hash. */
static char *forged(const char *text, const char *from, const char *to)
{
    sotto_error error;
    sotto_certificate_summary summary;
    const char *at = strstr(text, from);
    assert_non_null(at);
    const size_t size = strlen(text) + strlen(to) + 1;
    char *changed = calloc(size, 1), *packed = NULL;
    assert_non_null(changed);
    (void)snprintf(changed, size, "%.*s%s%s", (int)(at - text), text, to,
                   at + strlen(from));
    assert_ok(sotto_certificate_summarize(text, strlen(text), &summary, &error), &error);
    sot_json *document = NULL;
    sot_json_writer *writer = NULL;
    const char *line = NULL;
    size_t length = 0;
    assert_ok(sot_json_parse(NULL, changed, strlen(changed), size, &document, &error),
              &error);
    const sot_json_value root = sot_json_root(document);
    assert_ok(sot_json_writer_new(false, &writer, &error), &error);
    sot_json_copy(writer, &root, false, NULL);
    assert_ok(sot_json_writer_finish(writer, &line, &length, &error), &error);
    packed = sot_copy_string(line);
    leaf_rehash(packed, summary.hash);
    sot_json_writer_free(writer);
    sot_json_free(document);
    free(changed);
    return packed;
}

static void refuse(const char *text, const char *from, const char *to, const char *word)
{
    sotto_error error;
    char *changed = forged(text, from, to);
    assert_refused(verify(changed, NULL, NULL, &error), SOTTO_VERIFICATION, &error, word,
                   NULL);
    sot_free(changed);
}

/* The forgeries that version 1 accepted (field report L3). */
static void settings_that_do_not_follow_are_refused(void **state)
{
    (void)state;
    leaf_scene scene = {.schema = NULL};
    leaf_begin(&scene, SOTTO_ADD_REMOVE);
    char *text = leaf_logistic(&scene);
    refuse(text, "\"method\": \"objective\"", "\"method\": \"none\"", "method states");
    refuse(text, "\"sigma\": ", "\"sigma\": 0.0, \"x\": ", "settings");
    refuse(text, "\"norm_bound\": ", "\"norm_bound\": 1e6, \"x\": ", "settings");
    refuse(text, "\"kind\": \"model\"", "\"kind\": \"model\", \"training_rows\": 60",
           "training_rows");
    refuse(text, "\"command\": \"train\"", "\"command\": \"application\"", "only sotto");
    refuse(text, "\"command\": \"train\"", "\"command\": \"release\"", "kind");
    refuse(text, "\"command\": \"train\"", "\"command\": \"train\", \"stream\": true",
           "request.stream");
    refuse(text, "\"epsilon\": 1.0,\n    \"delta\": 1e-5,\n    \"rows\"",
           "\"epsilon\": 0.5,\n    \"delta\": 1e-5,\n    \"rows\"", "states");
    sot_free(text);
    leaf_end(&scene);
}

/* The text with every `from` replaced by as many bytes. */
static void replace_all(char *text, const char *from, const char *to)
{
    size_t found = 0;
    assert_int_equal(strlen(from), strlen(to));
    for (char *at = strstr(text, from); at != NULL; at = strstr(at, from), found++)
        memcpy(at, to, strlen(to));
    assert_true(found > 0);
}

/* frank-wolfe chooses by noise relative to the sensitivity, which the file states beside the rows of a unit and the
 * bounds that it follows from. */
static void sensitivities_that_do_not_follow_are_refused(void **state)
{
    (void)state;
    static const char schema[] =
        "{\"dataset\": \"study-2\", \"target\": \"smokes\", "
        "\"unit\": {\"column\": \"town\", \"rows\": 2}, \"columns\": ["
        "{\"name\": \"age\", \"type\": \"number\", \"lower\": 18, \"upper\": 90},"
        "{\"name\": \"visits\", \"type\": \"integer\", \"lower\": 0, \"upper\": 4},"
        "{\"name\": \"town\", \"type\": \"id\"},"
        "{\"name\": \"smokes\", \"type\": \"category\", "
        "\"values\": [\"no\", \"yes\"]}], "
        "\"row_norm\": {\"bound\": 0.5, \"rule\": \"clip\"}}";
    sotto_error error;
    leaf_scene scene = {.schema = NULL};
    leaf_begin(&scene, SOTTO_ADD_REMOVE);
    sotto_schema_free(scene.schema);
    assert_ok(
        sotto_schema_parse("schema.json", schema, strlen(schema), &scene.schema, &error),
        &error);
    sotto_train_config config =
        leaf_config(&scene, SOTTO_MODEL_LOGISTIC, SOTTO_METHOD_FRANK_WOLFE);
    config.ledger = NULL;
    config.steps = 3;
    char *text = leaf_train(&scene, &config);
    assert_ok(verify(text, NULL, NULL, &error), &error);
    refuse(text, "\"sensitivity\": ", "\"sensitivity\": 1", "sensitivity");
    replace_all(text, "\"rows\": 2", "\"rows\": 3");
    replace_all(text, "at most 2 rows", "at most 3 rows");
    refuse(text, "\"kind\": \"model\"", "\"kind\": \"model\"", "sensitivity");
    replace_all(text, "\"rows\": 3", "\"rows\": 2");
    replace_all(text, "at most 3 rows", "at most 2 rows");
    replace_all(text, "\"bound\": 0.5", "\"bound\": 0.4");
    refuse(text, "\"kind\": \"model\"", "\"kind\": \"model\"", "norm_bound");
    sot_free(text);
    leaf_end(&scene);
}

static void an_emptied_list_is_refused(void **state)
{
    (void)state;
    leaf_scene scene = {.schema = NULL};
    leaf_begin(&scene, SOTTO_ADD_REMOVE);
    char *text = leaf_count(&scene);
    char *begin = strstr(text, "\"unprotected\": [");
    assert_non_null(begin);
    char list[1000];
    (void)snprintf(list, sizeof list, "%.*s", (int)(strchr(begin, ']') - begin + 1),
                   begin);
    refuse(text, list, "\"unprotected\": []", "certificate.unprotected");
    sot_free(text);
    leaf_end(&scene);
}

static void the_ledger_knows_its_files(void **state)
{
    (void)state;
    sotto_error error;
    leaf_scene scene = {.schema = NULL}, other = {.schema = NULL};
    leaf_begin(&scene, SOTTO_ADD_REMOVE);
    leaf_begin(&other, SOTTO_ADD_REMOVE);
    char *text = leaf_count(&scene), *value = strstr(text, "\"value\": ");
    char *others = leaf_count(&other); /* of the same data set, in the same row */
    assert_ok(verify(text, scene.ledger, NULL, &error), &error);
    assert_ok(verify(others, other.ledger, NULL, &error), &error);
    assert_refused(verify(others, scene.ledger, NULL, &error), SOTTO_VERIFICATION, &error,
                   "has not committed", NULL);
    sot_free(others);
    assert_refused(verify(text, other.ledger, NULL, &error), SOTTO_VERIFICATION, &error,
                   "has not committed", NULL);
    /* Another value under the real head of the ledger. */
    char stated[64], moved[64];
    (void)snprintf(stated, sizeof stated, "%.*s", (int)(strchr(value, ',') - value),
                   value);
    (void)snprintf(moved, sizeof moved, "\"value\": %.1f", atof(value + 9) + 1.0);
    refuse(text, stated, moved, "values[0]"); /* its interval follows from it */
    sot_free(text);
    leaf_end(&other);
    leaf_end(&scene);
}

/* A ledger of the same data set whose owner charges a row and commits a file of another ledger for it. */
typedef struct foreign_charge {
    const char *noise;
    double epsilon;        /* of the plan in the row; SOTTO_UNSET: the plan of the file */
    bool states_heads;     /* the file states the hashes of this ledger */
    const char *from, *to; /* one more edit of the file; NULL: none */
    const char *word;      /* of the refusal; NULL: accepted */
} foreign_charge;

static sotto_plan *small_plan(double epsilon)
{
    sotto_error error;
    sotto_plan *plan = NULL;
    sotto_event event = sotto_event_defaults();
    event.mechanism = SOTTO_PURE;
    event.epsilon = epsilon;
    event.count = 1;
    assert_ok(sotto_plan_new(SOTTO_ADD_REMOVE, &plan, &error), &error);
    assert_ok(sotto_plan_add(plan, &event, &error), &error);
    return plan;
}

/* Replaces and frees the text. */
static char *edited(char *text, const char *from, const char *to)
{
    char *changed = forged(text, from, to);
    sot_free(text);
    return changed;
}

static sotto_status export_line(const char *line, size_t size_bytes, void *context,
                                sotto_error *error)
{
    (void)error;
    assert_int_equal(fwrite(line, 1, size_bytes, context), size_bytes);
    return SOTTO_OK;
}

static void judge_foreign(const char *text, const foreign_charge *charge)
{
    sotto_error error;
    leaf_scene own = {.schema = NULL};
    sot_certificate_file file;
    sotto_reservation paid;
    sotto_certificate_summary summary;
    sotto_ledger *ledger = NULL;
    leaf_begin(&own, SOTTO_ADD_REMOVE);
    assert_ok(sot_certificate_file_open(text, strlen(text), &file, &error), &error);
    sotto_plan *other = isnan(charge->epsilon) ? NULL : small_plan(charge->epsilon);
    const sot_request request = {.plan = other != NULL ? other : file.plan,
                                 .sampler_error = file.certificate.sampler_error,
                                 .delta = file.certificate.claims.delta,
                                 .label = "release",
                                 .noise = charge->noise,
                                 .checkpoint = ""};
    assert_ok(sotto_ledger_open(own.ledger, &ledger, &error), &error);
    assert_ok(sot_ledger_charge(ledger, &request, &paid, &error), &error);
    assert_int_equal(paid.id, file.ledger.id);
    char *made = forged(text, "\"kind\"", "\"kind\"");
    if (charge->states_heads) {
        made = edited(made, file.ledger.before.head, paid.before.head);
        made = edited(made, file.ledger.after.head, paid.after.head);
    }
    if (charge->from != NULL) made = edited(made, charge->from, charge->to);
    assert_ok(sotto_certificate_summarize(made, strlen(made), &summary, &error), &error);
    assert_ok(sotto_ledger_commit(ledger, &paid, summary.hash, &error), &error);
    FILE *exported = fopen(own.labels, "w");
    assert_non_null(exported);
    assert_ok(sotto_ledger_export(ledger, export_line, exported, &error), &error);
    assert_int_equal(fclose(exported), 0);
    sotto_ledger_close(ledger);
    assert_ok(verify(made, NULL, NULL, &error), &error); /* a consistent file */
    const char *const places[] = {own.ledger, own.labels};
    for (size_t i = 0; i < 2; i++) {
        const sotto_status status = verify(made, places[i], NULL, &error);
        if (charge->word == NULL)
            assert_ok(status, &error);
        else
            assert_refused(status, SOTTO_VERIFICATION, &error, charge->word, NULL);
    }
    sot_free(made);
    sotto_plan_free(other);
    sot_certificate_file_close(&file);
    leaf_end(&own);
}

/* A committed hash is not enough: the row must have paid for this plan, and the file must state the ledger's own numbers. */
static void the_ledger_has_paid_for_the_stated_plan(void **state)
{
    (void)state;
    static const char real[] = "operating system";
    static const foreign_charge charges[] = {
        {real, NAN, true, NULL, NULL, NULL}, /* its own file, as far as anyone can tell */
        {real, 1e-6, true, NULL, NULL, "another plan"},
        {"test seed", NAN, true, NULL, NULL, "noise source"},
        {"not stated", NAN, true, NULL, NULL, "noise source"},
        {real, NAN, false, NULL, NULL, "certificate.ledger.before.head"},
        {real, NAN, true, "\"member\":",
         "\"curator\":"
         "\"00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff\","
         "\"member\":",
         "certificate.ledger.curator"},
        {real, NAN, true, "\"epsilon\":8.0,\"delta\":0.01,\"order\"",
         "\"epsilon\":9.0,\"delta\":0.01,\"order\"", "certificate.ledger.epsilon"},
    };
    leaf_scene scene = {.schema = NULL};
    leaf_begin(&scene, SOTTO_ADD_REMOVE);
    char *text = leaf_count(&scene);
    for (size_t i = 0; i < sizeof charges / sizeof charges[0]; i++)
        judge_foreign(text, &charges[i]);
    sot_free(text);
    leaf_end(&scene);
}

static void a_signature_is_of_one_file_by_one_key(void **state)
{
    (void)state;
    sotto_error error;
    leaf_scene scene = {.schema = NULL}, other = {.schema = NULL};
    leaf_begin(&scene, SOTTO_ADD_REMOVE);
    leaf_begin(&other, SOTTO_ADD_REMOVE);
    sotto_train_config config =
        leaf_config(&scene, SOTTO_MODEL_LOGISTIC, SOTTO_METHOD_OBJECTIVE);
    config.sign = scene.key;
    char *text = leaf_train(&scene, &config);
    assert_ok(verify(text, scene.ledger, scene.public_key, &error), &error);
    assert_refused(verify(text, NULL, other.public_key, &error), SOTTO_VERIFICATION,
                   &error, "signed by the key", NULL);
    /* Coefficients are believed, but not under a signature. */
    char *first = strstr(text, "\"coefficients\": [\"");
    assert_non_null(first);
    char stated[64];
    (void)snprintf(stated, sizeof stated, "%.*s",
                   (int)(strchr(first + 18, '"') - first + 1), first);
    refuse(text, stated, "\"coefficients\": [\"0x1p+0\"", "certificate.signature");
    /* A key that cannot be read is found out before the charge. */
    sotto_train_result *result = NULL;
    const sotto_data_file file = {.path = scene.rows};
    config.sign = scene.public_key;
    sotto_ledger *ledger = NULL;
    sotto_ledger_balance before, after;
    assert_ok(sotto_ledger_open(scene.ledger, &ledger, &error), &error);
    assert_ok(sotto_ledger_read_balance(ledger, &before, &error), &error);
    assert_true(sotto_train_data(&config, scene.schema, &file, &result, &error) !=
                SOTTO_OK);
    assert_ok(sotto_ledger_read_balance(ledger, &after, &error), &error);
    assert_int_equal(before.entries, after.entries);
    sotto_ledger_close(ledger);
    sot_free(text);
    leaf_end(&other);
    leaf_end(&scene);
}

/* Every method, model and aggregator makes files that follow from their request. */
static void every_method_follows_from_its_request(void **state)
{
    (void)state;
    static const struct {
        sotto_model_kind model;
        sotto_method method;
    } trained[] = {
        {SOTTO_MODEL_LINEAR, SOTTO_METHOD_STATISTICS},
        {SOTTO_MODEL_LINEAR, SOTTO_METHOD_ADASSP},
        {SOTTO_MODEL_LOGISTIC, SOTTO_METHOD_NEWTON},
        {SOTTO_MODEL_SVM, SOTTO_METHOD_OUTPUT},
        {SOTTO_MODEL_HUBER, SOTTO_METHOD_SGD},
        {SOTTO_MODEL_SOFTMAX, SOTTO_METHOD_OBJECTIVE},
        {SOTTO_MODEL_POISSON, SOTTO_METHOD_GD},
        {SOTTO_MODEL_LOGISTIC, SOTTO_METHOD_FRANK_WOLFE},
        {SOTTO_MODEL_LOGISTIC, SOTTO_METHOD_GD_OUTPUT},
        {SOTTO_MODEL_LOGISTIC, SOTTO_METHOD_PERMUTATION_SGD},
        {SOTTO_MODEL_LOGISTIC, SOTTO_METHOD_REGULARIZED_EM},
    };
    leaf_scene scene = {.schema = NULL};
    leaf_begin(&scene, SOTTO_ADD_REMOVE);
    for (size_t i = 0; i < sizeof trained / sizeof trained[0]; i++) {
        sotto_error error;
        sotto_train_config config =
            leaf_config(&scene, trained[i].model, trained[i].method);
        config.ledger = NULL;
        config.target = model_target(trained[i].model);
        const bool regularized = trained[i].method == SOTTO_METHOD_REGULARIZED_EM;
        if (trained[i].method == SOTTO_METHOD_GD ||
            trained[i].method == SOTTO_METHOD_SGD ||
            trained[i].method == SOTTO_METHOD_NEWTON ||
            trained[i].method == SOTTO_METHOD_FRANK_WOLFE ||
            is_stable_method(trained[i].method)) {
            config.steps = 3;
            config.expected_rows = 60;
        }
        if (trained[i].method == SOTTO_METHOD_PERMUTATION_SGD ||
            trained[i].method == SOTTO_METHOD_GD_OUTPUT) {
            config.expected_rows = 0;
            config.adjacency = SOTTO_REPLACE_ONE;
            config.public_n = 60;
            config.steps = 2;
        }
        if (trained[i].method == SOTTO_METHOD_OUTPUT) config.lambda = 5.0;
        if (trained[i].method == SOTTO_METHOD_FRANK_WOLFE) config.radius = 2.0;
        if (regularized) {
            config.lambda = 5.0;
            config.radius = 2.0;
        }
        sotto_train_result *result = NULL;
        const sotto_data_file file = {.path = scene.rows};
        print_message("%s by %s\n", sotto_model_kind_name(config.model),
                      sotto_method_name(config.method));
        assert_ok(sotto_train_data(&config, scene.schema, &file, &result, &error),
                  &error);
        assert_ok(verify(sotto_train_json(result), NULL, NULL, &error), &error);
        sotto_train_free(result);
    }
    leaf_end(&scene);
}

/* Randomised answers are of replace-one neighbours, and so is their ledger. */
static void answers_follow_from_their_request(void **state)
{
    (void)state;
    static const leaf_kind answers = {"randomised answers", leaf_responses, true};
    leaf_scene scene = {.schema = NULL};
    leaf_begin(&scene, SOTTO_REPLACE_ONE);
    assert_int_equal(leaf_try(&scene, &answers, 23, 0).unexpected, 0);
    leaf_end(&scene);
}

/* A run stops at the answer that uses up its cap, so the last row with a label tells how many rows were asked about. */
static void queries_follow_from_rows_and_caps(void **state)
{
    (void)state;
    sotto_error error;
    leaf_scene scene = {.schema = NULL};
    double votes[20];
    for (size_t i = 0; i < 20; i++)
        votes[i] = i % 2 == 0 ? 80.0 : 0.0;
    const sotto_array array = {.data = votes,
                               .element = SOTTO_FLOAT64,
                               .rows = 10,
                               .columns = 2,
                               .row_stride_bytes = 16,
                               .column_stride_bytes = 8};
    sotto_pate_result *result = NULL;
    sotto_pate_label_config config = sotto_pate_label_defaults();
    config.vote.aggregator = SOTTO_PATE_CONFIDENT;
    config.vote.adjacency = SOTTO_ADD_REMOVE;
    config.vote.unit = SOTTO_PATE_RECORDS;
    config.vote.touched = 1;
    config.vote.teachers = 80;
    config.vote.noise = 15.0;
    config.vote.test_noise = 20.0;
    config.vote.threshold = 30.0;
    config.ask = 10;
    config.answers = 3;
    config.delta = 1e-4;
    config.vote_array = &array;
    leaf_begin(&scene, SOTTO_ADD_REMOVE);
    assert_ok(sotto_pate_label_rows(&config, scene.schema, NULL, &result, &error),
              &error);
    char *text = forged(sotto_pate_json(result), "\"kind\"", "\"kind\"");
    const unsigned long long asked = sotto_pate_asked(result);
    assert_int_equal(sotto_pate_answered(result), 3);
    assert_true(asked < 10);
    assert_ok(verify(text, NULL, NULL, &error), &error);
    for (unsigned long long other = 3; other <= 10; other++) {
        char from[2][64], to[2][64];
        if (other == asked) continue;
        (void)snprintf(from[0], 64, "\"asked\":%llu", asked);
        (void)snprintf(to[0], 64, "\"asked\":%llu", other);
        (void)snprintf(from[1], 64, "\"released\":[%llu,", asked);
        (void)snprintf(to[1], 64, "\"released\":[%llu,", other);
        char *changed = forged(text, from[0], to[0]);
        refuse(changed, from[1], to[1], "asked");
        sot_free(changed);
    }
    sot_free(text);
    sotto_pate_free(result);
    leaf_end(&scene);
}

static void believes(const char *text, const char *const *paths)
{
    sotto_error error;
    sotto_certificate_summary summary;
    const sotto_verify_config config = sotto_verify_defaults();
    assert_ok(sotto_verify(text, strlen(text), &config, &summary, &error), &error);
    for (; *paths != NULL; paths++)
        assert_true(leaf_is_believed(&summary, *paths));
}

/* Edits of several members at once can fit together; the outputs among them are listed. */
static void outputs_that_others_follow_from_are_believed(void **state)
{
    (void)state;
    static const char *const tuned[] = {"request.winner", NULL};
    static const char *const labelled[] = {"asked", "certificate.released",
                                           "request.public_rows", NULL};
    static const char *const taught[] = {"request.public_rows", "request.self_training",
                                         NULL};
    leaf_scene scene = {.schema = NULL};
    leaf_begin(&scene, SOTTO_ADD_REMOVE);
    char *model = leaf_tuned(&scene), *labels = leaf_labels(&scene);
    char *student = leaf_student(&scene);
    believes(model, tuned);
    believes(labels, labelled);
    believes(student, taught);
    refuse(student, "\"confidence\": 0.9", "\"confidence\": 0.4",
           "\"confidence\" is 0.4");
    refuse(student, "\"rounds\": 2", "\"rounds\": 0", "rounds");
    sot_free(student);
    sot_free(model);
    sot_free(labels);
    leaf_end(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sample_of_edits_is_refused_or_believed),
        cmocka_unit_test(settings_that_do_not_follow_are_refused),
        cmocka_unit_test(sensitivities_that_do_not_follow_are_refused),
        cmocka_unit_test(an_emptied_list_is_refused),
        cmocka_unit_test(the_ledger_knows_its_files),
        cmocka_unit_test(the_ledger_has_paid_for_the_stated_plan),
        cmocka_unit_test(a_signature_is_of_one_file_by_one_key),
        cmocka_unit_test(every_method_follows_from_its_request),
        cmocka_unit_test(queries_follow_from_rows_and_caps),
        cmocka_unit_test(outputs_that_others_follow_from_are_believed),
        cmocka_unit_test(answers_follow_from_their_request),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
