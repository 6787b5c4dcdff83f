/* tests/commands/verify/leaf_study.h: certified files of every kind, and a forger who edits one place and computes the hash again.
 *
 * The forger has the whole file and the sources, but neither the ledger nor the key. Every edit must be refused, or be
 * one of a member that verify lists as believed; those are refused with --ledger and with --signed-by. */
#ifndef SOTTO_TESTS_LEAF_STUDY_H
#define SOTTO_TESTS_LEAF_STUDY_H

#include <sys/stat.h>
#include <unistd.h>

#include <sotto/key.h>
#include <sotto/ledger.h>
#include <sotto/loss.h>
#include <sotto/pate.h>
#include <sotto/release.h>
#include <sotto/tune.h>
#include <sotto/verify.h>

#include "artifact/certificate/certificate.h"
#include "base/json/canonical.h"
#include "base/memory.h"
#include "commands/train/model_study.h"

enum { LEAF_PATH_BYTES = 200 };

/* ---- the scene: rows, schema, ledger, key ---- */

typedef struct leaf_scene {
    char directory[64];
    char rows[128], ledger[128], key[128], public_key[128], model[128], labels[128];
    sotto_schema *schema;
} leaf_scene;

static const char leaf_schema[] =
    "{\"dataset\": \"study-2\", \"target\": \"smokes\", \"columns\": ["
    "{\"name\": \"age\", \"type\": \"number\", \"lower\": 18, \"upper\": 90, "
    "\"source\": \"public sample\"},"
    "{\"name\": \"visits\", \"type\": \"integer\", \"lower\": 0, \"upper\": 4},"
    "{\"name\": \"town\", \"type\": \"category\", "
    "\"values\": [\"Lund\", \"Ystad\", \"Kivik\"]},"
    "{\"name\": \"smokes\", \"type\": \"category\", \"values\": [\"no\", \"yes\"]}]}";

static inline void leaf_write_rows(const char *path)
{
    static const char *const towns[] = {"Lund", "Ystad", "Kivik"};
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("age,visits,town,smokes\n", file);
    for (int i = 0; i < 60; i++)
        fprintf(file, "%d.5,%d,%s,%s\n", 19 + (i * 37) % 70, i % 5, towns[i % 3],
                (i * 37) % 70 > 30 + i % 11 ? "yes" : "no");
    assert_int_equal(fclose(file), 0);
}

static inline void leaf_begin(leaf_scene *scene, sotto_adjacency adjacency)
{
    sotto_error error;
    char hex[SOTTO_KEY_HEX_BYTES];
    strcpy(scene->directory, "/tmp/sotto-leaves-XXXXXX");
    assert_non_null(mkdtemp(scene->directory));
    (void)snprintf(scene->rows, 128, "%s/rows.csv", scene->directory);
    (void)snprintf(scene->ledger, 128, "%s/budget.ledger", scene->directory);
    (void)snprintf(scene->key, 128, "%s/curator.key", scene->directory);
    (void)snprintf(scene->public_key, 128, "%s/curator.key.pub", scene->directory);
    (void)snprintf(scene->model, 128, "%s/model.json", scene->directory);
    (void)snprintf(scene->labels, 128, "%s/labels.json", scene->directory);
    leaf_write_rows(scene->rows);
    assert_ok(sotto_schema_parse("schema.json", leaf_schema, strlen(leaf_schema),
                                 &scene->schema, &error),
              &error);
    assert_ok(sotto_key_new(scene->key, scene->public_key, hex, &error), &error);
    sotto_ledger_config ledger = sotto_ledger_defaults();
    strcpy(ledger.dataset, "study-2");
    ledger.adjacency = adjacency;
    ledger.epsilon = 8.0;
    ledger.delta = 1e-2;
    assert_ok(sotto_ledger_init(scene->ledger, &ledger, &error), &error);
}

static inline void leaf_end(leaf_scene *scene)
{
    const char *const files[] = {scene->rows,       scene->ledger, scene->key,
                                 scene->public_key, scene->model,  scene->labels};
    char checkpoint[160];
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++)
        (void)unlink(files[i]);
    (void)snprintf(checkpoint, sizeof checkpoint, "%s.checkpoint", scene->model);
    (void)unlink(checkpoint);
    assert_int_equal(rmdir(scene->directory), 0);
    sotto_schema_free(scene->schema);
}

static inline void leaf_write(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

/* ---- certified files ---- */

static inline char *leaf_train(const leaf_scene *scene, const sotto_train_config *config)
{
    sotto_error error;
    sotto_train_result *result = NULL;
    const sotto_data_file file = {.path = scene->rows};
    assert_ok(sotto_train_data(config, scene->schema, &file, &result, &error), &error);
    char *text = sot_copy_string(sotto_train_json(result));
    sotto_train_free(result);
    return text;
}

static inline sotto_train_config leaf_config(const leaf_scene *scene,
                                             sotto_model_kind model, sotto_method method)
{
    sotto_train_config config = sotto_train_defaults();
    config.model = model;
    config.method = method;
    config.epsilon = 1.0;
    config.delta = 1e-5;
    config.ledger = scene->ledger;
    config.threads = 1;
    return config;
}

static inline char *leaf_logistic(const leaf_scene *scene)
{
    const sotto_train_config config =
        leaf_config(scene, SOTTO_MODEL_LOGISTIC, SOTTO_METHOD_OBJECTIVE);
    return leaf_train(scene, &config);
}

/* Edges of the schema, bins of a setting. */
static inline char *leaf_additive(const leaf_scene *scene)
{
    sotto_train_config config =
        leaf_config(scene, SOTTO_MODEL_ADDITIVE, SOTTO_METHOD_OBJECTIVE);
    config.basis = SOTTO_BASIS_BINS;
    config.bins = 3;
    return leaf_train(scene, &config);
}

/* A prior, an expected number of rows, steps. */
static inline char *leaf_gd(const leaf_scene *scene)
{
    sotto_train_config config = leaf_config(scene, SOTTO_MODEL_LOGISTIC, SOTTO_METHOD_GD);
    char *prior = leaf_logistic(scene);
    leaf_write(scene->model, prior);
    sot_free(prior);
    config.prior = scene->model;
    config.expected_rows = 60;
    config.steps = 5;
    return leaf_train(scene, &config);
}

static inline char *leaf_custom(const leaf_scene *scene)
{
    sotto_train_config config =
        leaf_config(scene, SOTTO_MODEL_CUSTOM, SOTTO_METHOD_OBJECTIVE);
    config.target = "age";
    config.loss = &model_loss;
    return leaf_train(scene, &config);
}

static inline char *leaf_network(const leaf_scene *scene)
{
    sotto_train_config config =
        leaf_config(scene, SOTTO_MODEL_NETWORK, SOTTO_METHOD_AUTO);
    config.network = "{\"kind\": \"network\", \"version\": 1, \"layers\": ["
                     "{\"type\": \"dense\", \"units\": 2}, {\"type\": \"tanh\"}, "
                     "{\"type\": \"dense\", \"units\": 2}]}";
    config.expected_rows = 60;
    config.steps = 3;
    config.batch = 10;
    return leaf_train(scene, &config);
}

static inline char *leaf_concept(const leaf_scene *scene)
{
    sotto_train_config config =
        leaf_config(scene, SOTTO_MODEL_CONCEPT, SOTTO_METHOD_LAPLACE);
    config.concept = "{\"class\": \"stumps\", \"bits\": 2, \"columns\": [\"age\"]}";
    config.delta = SOTTO_UNSET;
    return leaf_train(scene, &config);
}

static inline char *leaf_posterior(const leaf_scene *scene)
{
    sotto_train_config config =
        leaf_config(scene, SOTTO_MODEL_LOGISTIC, SOTTO_METHOD_POSTERIOR);
    config.delta = SOTTO_UNSET;
    config.lambda = 5.0;
    config.radius = 2.0;
    config.draws = 2;
    return leaf_train(scene, &config);
}

static inline char *leaf_tune(const leaf_scene *scene, sotto_model_kind model,
                              const char *grid)
{
    sotto_error error;
    sotto_train_result *result = NULL;
    sotto_tune_config config = sotto_tune_defaults();
    const sotto_data_file file = {.path = scene->rows};
    config.train = leaf_config(scene, model, SOTTO_METHOD_OBJECTIVE);
    config.train.delta = SOTTO_UNSET;
    config.grid = grid;
    config.score_epsilon = 0.1;
    assert_ok(sotto_runs_from_mean(SOTTO_RUNS_NEGATIVE_BINOMIAL, 1.0, 3.0, &config.runs,
                                   &error),
              &error);
    assert_ok(sotto_tune_data(&config, scene->schema, &file, &result, &error), &error);
    char *text = sot_copy_string(sotto_train_json(result));
    sotto_train_free(result);
    return text;
}

static inline char *leaf_tuned(const leaf_scene *scene)
{
    return leaf_tune(scene, SOTTO_MODEL_LOGISTIC, "lambda=5,20");
}

/* No affordable budget permits the first candidate. */
static inline char *leaf_tuned_skipping(const leaf_scene *scene)
{
    return leaf_tune(scene, SOTTO_MODEL_LOGISTIC, "lambda=0.01,5,20");
}

static inline char *leaf_release(const leaf_scene *scene,
                                 const sotto_release_config *asked,
                                 const sotto_schema *schema)
{
    sotto_error error;
    sotto_release_result *result = NULL;
    sotto_release_config config = *asked;
    config.epsilon = 1.0;
    config.ledger = scene->ledger;
    assert_ok(sotto_release_data(&config, schema,
                                 &(const sotto_data_file){.path = scene->rows}, &result,
                                 &error),
              &error);
    char *text = sot_copy_string(sotto_release_json(result));
    sotto_release_free(result);
    return text;
}

static inline char *leaf_statistic(const leaf_scene *scene, sotto_statistic statistic,
                                   const char *column)
{
    static const char *const lund[] = {"town=Lund", NULL};
    sotto_release_config config = sotto_release_defaults();
    config.statistic = statistic;
    config.column = column;
    if (statistic == SOTTO_RELEASE_QUANTILE) config.quantile = 0.5;
    if (statistic == SOTTO_RELEASE_COUNT) config.where = lund;
    if (statistic == SOTTO_RELEASE_HISTOGRAM) config.edges = "18,40,90";
    if (statistic == SOTTO_RELEASE_CHOICE) config.score = SOTTO_SCORE_COUNT;
    if (statistic == SOTTO_RELEASE_SUM) config.delta = 1e-6;
    if (statistic == SOTTO_RELEASE_RESPONSES) config.adjacency = SOTTO_REPLACE_ONE;
    return leaf_release(scene, &config, scene->schema);
}

static inline char *leaf_count(const leaf_scene *scene)
{
    return leaf_statistic(scene, SOTTO_RELEASE_COUNT, NULL);
}
static inline char *leaf_sum(const leaf_scene *scene)
{
    return leaf_statistic(scene, SOTTO_RELEASE_SUM, "age");
}
static inline char *leaf_mean(const leaf_scene *scene)
{
    return leaf_statistic(scene, SOTTO_RELEASE_MEAN, "visits");
}
static inline char *leaf_histogram(const leaf_scene *scene)
{
    return leaf_statistic(scene, SOTTO_RELEASE_HISTOGRAM, "age");
}
static inline char *leaf_quantile(const leaf_scene *scene)
{
    return leaf_statistic(scene, SOTTO_RELEASE_QUANTILE, "visits");
}
static inline char *leaf_bounds(const leaf_scene *scene)
{
    return leaf_statistic(scene, SOTTO_RELEASE_BOUNDS, "age");
}
static inline char *leaf_choice(const leaf_scene *scene)
{
    return leaf_statistic(scene, SOTTO_RELEASE_CHOICE, "town");
}
static inline char *leaf_responses(const leaf_scene *scene)
{
    return leaf_statistic(scene, SOTTO_RELEASE_RESPONSES, "smokes");
}

/* Scores of a model on the rows, paid for. */
static inline char *leaf_evaluate(const leaf_scene *scene, sotto_statistic statistic)
{
    sotto_error error;
    sotto_model *model = NULL;
    sotto_release_config config = sotto_release_defaults();
    char *trained = leaf_logistic(scene);
    assert_ok(sotto_model_parse("model", trained, strlen(trained), &model, &error),
              &error);
    config.statistic = statistic;
    config.model = model;
    if (statistic == SOTTO_RELEASE_SCORES) config.threshold = 0.3;
    char *text = leaf_release(scene, &config, sotto_model_schema(model));
    sotto_model_free(model);
    sot_free(trained);
    return text;
}

static inline char *leaf_evaluation(const leaf_scene *scene)
{
    return leaf_evaluate(scene, SOTTO_RELEASE_ACCURACY);
}

static inline char *leaf_scores(const leaf_scene *scene)
{
    return leaf_evaluate(scene, SOTTO_RELEASE_SCORES);
}

/* Ten queries of eighty teachers, in memory. */
static inline char *leaf_labels(const leaf_scene *scene)
{
    static const double votes[20] = {80, 0,  70, 10, 0,  80, 10, 70, 80, 0,
                                     0,  80, 80, 0,  70, 10, 10, 70, 80, 0};
    const sotto_array array = {.data = votes,
                               .element = SOTTO_FLOAT64,
                               .rows = 10,
                               .columns = 2,
                               .row_stride_bytes = 16,
                               .column_stride_bytes = 8};
    sotto_error error;
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
    config.answers = 10;
    config.delta = 1e-4;
    config.agreement.noise = 100.0;
    config.vote_array = &array;
    config.ledger = scene->ledger;
    assert_ok(sotto_pate_label_rows(&config, scene->schema, NULL, &result, &error),
              &error);
    char *text = sot_copy_string(sotto_pate_json(result));
    sotto_pate_free(result);
    return text;
}

/* Labels that only one class has teach nobody: once more then. */
static inline char *leaf_student(const leaf_scene *scene)
{
    sotto_error error;
    sotto_pate_result *result = NULL;
    sotto_pate_student_config config = sotto_pate_student_defaults();
    const sotto_data_file file = {.path = scene->rows};
    char *labels = leaf_labels(scene);
    leaf_write(scene->labels, labels);
    sot_free(labels);
    config.training.model = SOTTO_MODEL_LOGISTIC;
    config.training.lambda = 2.0;
    config.training.threads = 1;
    config.labels = scene->labels;
    config.self_training = 2;
    config.confidence = 0.9;
    assert_ok(sotto_pate_student(&config, &file, &result, &error), &error);
    char *text = sot_copy_string(sotto_pate_json(result));
    sotto_pate_free(result);
    return text;
}

typedef struct leaf_kind {
    const char *name;
    char *(*make)(const leaf_scene *scene);
    bool in_ledger; /* a student's file is none that a ledger committed: its labels are */
} leaf_kind;

static const leaf_kind leaf_kinds[] = {
    {"logistic by objective", leaf_logistic, true},
    {"additive by objective", leaf_additive, true},
    {"logistic by gd, with a prior", leaf_gd, true},
    {"a caller's loss", leaf_custom, true},
    {"network", leaf_network, true},
    {"concept by laplace", leaf_concept, true},
    {"posterior samples", leaf_posterior, true},
    {"tuned model", leaf_tuned, true},
    {"tuned model, a candidate skipped", leaf_tuned_skipping, true},
    {"count with `where`", leaf_count, true},
    {"sum", leaf_sum, true},
    {"mean", leaf_mean, true},
    {"histogram", leaf_histogram, true},
    {"quantile", leaf_quantile, true},
    {"bounds", leaf_bounds, true},
    {"choice", leaf_choice, true},
    {"paid evaluation", leaf_evaluation, true},
    {"paid scores", leaf_scores, true},
    {"labels", leaf_labels, true},
    {"student", leaf_student, false},
};
enum { LEAF_KINDS = sizeof leaf_kinds / sizeof leaf_kinds[0] };

/* ---- the forger ---- */

typedef enum leaf_edit {
    LEAF_CHANGE, /* a number a little, a text in its last letter, a truth to the other */
    LEAF_ZERO,   /* 0, "", null */
    LEAF_DELETE, /* the member or item */
    LEAF_DOUBLE, /* the same once more */
    LEAF_ADD,    /* a member or item that nobody knows */
    LEAF_EMPTY,  /* a list or object */
    LEAF_EDITS
} leaf_edit;

typedef struct leaf_forger {
    sot_json_writer *writer;
    leaf_edit edit;
    size_t target, seen;
    bool done;
    char path[LEAF_PATH_BYTES];
} leaf_forger;

static inline bool leaf_is_list(const sot_json_value *value)
{
    const sot_json_kind kind = sot_json_kind_of(value);
    return kind == SOT_JSON_OBJECT || kind == SOT_JSON_ARRAY;
}

static inline void leaf_write_changed(const leaf_forger *self, const sot_json_value *leaf)
{
    double number = 0.0;
    int64_t whole = 0;
    bool truth = false;
    const char *text = NULL;
    char changed[SOT_STATEMENT_BYTES];
    const bool zero = self->edit == LEAF_ZERO;
    switch (sot_json_kind_of(leaf)) {
    case SOT_JSON_REAL:
        assert_int_equal(sot_json_as_double(leaf, &number, NULL), SOTTO_OK);
        sot_json_write_double(self->writer, zero ? 0.0 : 1.001 * number + 0x1p-20);
        return;
    case SOT_JSON_INTEGER:
        assert_int_equal(sot_json_as_int64(leaf, &whole, NULL), SOTTO_OK);
        sot_json_write_int64(self->writer, zero ? 0 : whole + 1);
        return;
    case SOT_JSON_BOOLEAN:
        assert_int_equal(sot_json_as_bool(leaf, &truth, NULL), SOTTO_OK);
        if (zero)
            sot_json_write_null(self->writer);
        else
            sot_json_write_bool(self->writer, !truth);
        return;
    case SOT_JSON_STRING:
        assert_int_equal(sot_json_as_string(leaf, &text, NULL), SOTTO_OK);
        (void)snprintf(changed, sizeof changed, "%s", zero ? "" : text);
        if (!zero && changed[0] != '\0') {
            char *last = &changed[strlen(changed) - 1];
            *last = *last == '1' ? '2' : '1';
        }
        sot_json_write_string(self->writer, changed);
        return;
    case SOT_JSON_NULL:
        sot_json_write_double(self->writer, zero ? 0.0 : 0.5);
        return;
    case SOT_JSON_OBJECT:
    case SOT_JSON_ARRAY:
        fail();
    }
}

static inline void leaf_copy(leaf_forger *self, const sot_json_value *value,
                             const char *path);

/* Members or items, with something added behind them if so asked. */
static inline void leaf_copy_inside(leaf_forger *self, const sot_json_value *value,
                                    const char *path, bool add)
{
    char below[LEAF_PATH_BYTES];
    if (sot_json_kind_of(value) == SOT_JSON_ARRAY) {
        sot_json_begin_array(self->writer);
        for (size_t i = 0; i < sot_json_size(value); i++) {
            const sot_json_value item = sot_json_item(value, i);
            (void)snprintf(below, sizeof below, "%.150s[%zu]", path, i);
            leaf_copy(self, &item, below);
        }
        if (add) sot_json_write_int64(self->writer, 1);
        sot_json_end_array(self->writer);
        return;
    }
    sot_json_value member;
    sot_json_begin_object(self->writer);
    for (bool more = sot_json_first_member(value, &member); more;
         more = sot_json_next_member(&member)) {
        (void)snprintf(below, sizeof below, "%.120s%s%.60s", path,
                       path[0] == '\0' ? "" : ".", sot_json_key_of(&member));
        leaf_copy(self, &member, below);
    }
    if (add) {
        sot_json_key(self->writer, "training_rows");
        sot_json_write_int64(self->writer, 1);
    }
    sot_json_end_object(self->writer);
}

static inline void leaf_put(leaf_forger *self, const sot_json_value *value,
                            const char *path, bool add)
{
    const char *key = sot_json_key_of(value);
    if (key != NULL) sot_json_key(self->writer, key);
    if (leaf_is_list(value))
        leaf_copy_inside(self, value, path, add);
    else
        sot_json_copy(self->writer, value, false, NULL);
}

static inline void leaf_copy(leaf_forger *self, const sot_json_value *value,
                             const char *path)
{
    const bool hit = self->seen++ == self->target;
    const char *key = sot_json_key_of(value);
    const bool list = leaf_is_list(value);
    if (!hit) {
        leaf_put(self, value, path, false);
        return;
    }
    (void)snprintf(self->path, sizeof self->path, "%s", path);
    self->done = true;
    switch (self->edit) {
    case LEAF_CHANGE:
    case LEAF_ZERO:
        if (list) {
            self->done = false;
            leaf_put(self, value, path, false);
            return;
        }
        if (key != NULL) sot_json_key(self->writer, key);
        leaf_write_changed(self, value);
        return;
    case LEAF_DELETE:
        return;
    case LEAF_DOUBLE:
        leaf_put(self, value, path, false);
        leaf_put(self, value, path, false);
        return;
    case LEAF_ADD:
        self->done = list;
        leaf_put(self, value, path, list);
        return;
    case LEAF_EMPTY:
        self->done = list && sot_json_size(value) > 0;
        if (!self->done) {
            leaf_put(self, value, path, false);
            return;
        }
        if (key != NULL) sot_json_key(self->writer, key);
        if (sot_json_kind_of(value) == SOT_JSON_ARRAY) {
            sot_json_begin_array(self->writer);
            sot_json_end_array(self->writer);
        } else {
            sot_json_begin_object(self->writer);
            sot_json_end_object(self->writer);
        }
        return;
    case LEAF_EDITS:
        fail();
    }
}

/* Puts the right hash in the place of the old one, if the text is one that can be read. */
static inline void leaf_rehash(char *text, const char *old_hash)
{
    char member[SOTTO_HASH_HEX_BYTES + 16], hash[SOTTO_HASH_HEX_BYTES];
    sot_json *document = NULL;
    sot_json_value certificate;
    const size_t size = strlen(text);
    (void)snprintf(member, sizeof member, "\"hash\":\"%s\"", old_hash);
    char *place = strstr(text, member);
    if (place == NULL ||
        sot_json_parse(NULL, text, size, size, &document, NULL) != SOTTO_OK)
        return;
    const sot_json_value root = sot_json_root(document);
    if (sot_json_member(&root, "certificate", &certificate) &&
        sot_json_kind_of(&certificate) == SOT_JSON_OBJECT &&
        sot_certificate_hash(&root, &certificate, hash, NULL) == SOTTO_OK)
        memcpy(place + 8, hash, strlen(hash));
    sot_json_free(document);
}

/* The text with one edit and the right hash; NULL: there is no such place. `out_seen`: how many places there are. */
static inline char *leaf_forged(const sot_json_value *root, const char *old_hash,
                                leaf_edit edit, size_t target, char path[LEAF_PATH_BYTES],
                                size_t *out_seen)
{
    sotto_error error;
    leaf_forger self = {.edit = edit, .target = target};
    const char *text = NULL;
    size_t size = 0;
    assert_ok(sot_json_writer_new(false, &self.writer, &error), &error);
    leaf_copy_inside(&self, root, "", false);
    assert_ok(sot_json_writer_finish(self.writer, &text, &size, &error), &error);
    char *copy = self.done ? sot_copy_string(text) : NULL;
    sot_json_writer_free(self.writer);
    if (copy != NULL) leaf_rehash(copy, old_hash);
    memcpy(path, self.path, LEAF_PATH_BYTES);
    *out_seen = self.seen;
    return copy;
}

/* ---- the judge ---- */

static inline bool leaf_is_believed(const sotto_certificate_summary *summary,
                                    const char *path)
{
    for (size_t i = 0; i < summary->believed_count; i++) {
        const char *believed = summary->believed[i]->path;
        const size_t length = strlen(believed);
        if (strncmp(path, believed, length) == 0 &&
            (path[length] == '\0' || path[length] == '.' || path[length] == '['))
            return true;
    }
    return false;
}

typedef struct leaf_tally {
    size_t leaves, edits, refused, believed, unexpected;
} leaf_tally;

/* The hash is still the original's: nothing but the spelling changed. */
static inline bool leaf_is_same(const char *forged, const char *hash)
{
    char member[SOTTO_HASH_HEX_BYTES + 16];
    (void)snprintf(member, sizeof member, "\"hash\":\"%s\"", hash);
    if (strstr(forged, member) == NULL) return false;
    sot_json *document = NULL;
    sot_json_value certificate;
    char right[SOTTO_HASH_HEX_BYTES] = "";
    if (sot_json_parse(NULL, forged, strlen(forged), strlen(forged), &document, NULL) !=
        SOTTO_OK)
        return false;
    const sot_json_value root = sot_json_root(document);
    if (sot_json_member(&root, "certificate", &certificate))
        assert_int_equal(sot_certificate_hash(&root, &certificate, right, NULL),
                         SOTTO_OK);
    sot_json_free(document);
    return strcmp(right, hash) == 0;
}

/* An edit that verify accepts is of a believed member, and neither the ledger nor a signature covers it. */
static inline void leaf_judge(const leaf_scene *scene,
                              const sotto_certificate_summary *original,
                              const char *forged, const char *path, leaf_edit edit,
                              leaf_tally *tally)
{
    sotto_verify_config plain = sotto_verify_defaults(), ledger = plain, signer = plain;
    sotto_error error;
    if (leaf_is_same(forged, original->hash)) return; /* a 0 that became 0 */
    tally->edits++;
    if (sotto_verify(forged, strlen(forged), &plain, NULL, &error) != SOTTO_OK) {
        tally->refused++;
        return;
    }
    tally->believed++;
    if (!leaf_is_believed(original, path)) {
        print_error("edit %d of %s is accepted, and not on the believed list\n",
                    (int)edit, path);
        tally->unexpected++;
    }
    ledger.ledger = scene->ledger;
    signer.signed_by = scene->public_key;
    if (sotto_verify(forged, strlen(forged), &ledger, NULL, &error) != SOTTO_VERIFICATION)
        print_error("edit %d of %s is accepted with the ledger\n", (int)edit, path);
    assert_int_equal(sotto_verify(forged, strlen(forged), &ledger, NULL, &error),
                     SOTTO_VERIFICATION);
    assert_int_equal(sotto_verify(forged, strlen(forged), &signer, NULL, &error),
                     SOTTO_VERIFICATION);
}

static inline void leaf_check_original(const leaf_scene *scene, const leaf_kind *kind,
                                       const char *text,
                                       sotto_certificate_summary *out_summary)
{
    sotto_error error = {.message = ""};
    sotto_verify_config config = sotto_verify_defaults();
    assert_ok(sotto_verify(text, strlen(text), &config, out_summary, &error), &error);
    assert_int_equal(out_summary->version, 2);
    config.ledger = scene->ledger;
    assert_int_equal(sotto_verify(text, strlen(text), &config, NULL, &error),
                     kind->in_ledger ? SOTTO_OK : SOTTO_VERIFICATION);
}

/* Every `stride`-th place of one kind of file, with every edit. */
static inline leaf_tally leaf_try(const leaf_scene *scene, const leaf_kind *kind,
                                  size_t stride, size_t first)
{
    leaf_tally tally = {0};
    sotto_error error;
    sotto_certificate_summary summary;
    sot_json *document = NULL;
    char path[LEAF_PATH_BYTES];
    char *text = kind->make(scene);
    leaf_check_original(scene, kind, text, &summary);
    assert_ok(sot_json_parse(NULL, text, strlen(text), strlen(text), &document, &error),
              &error);
    const sot_json_value root = sot_json_root(document);
    size_t places = 0, seen = 0;
    assert_null(leaf_forged(&root, summary.hash, LEAF_CHANGE, SIZE_MAX, path, &places));
    for (size_t i = first; i < places; i += stride) {
        for (int edit = 0; edit < (int)LEAF_EDITS; edit++) {
            char *forged =
                leaf_forged(&root, summary.hash, (leaf_edit)edit, i, path, &seen);
            if (forged == NULL) continue;
            if (edit == (int)LEAF_CHANGE) tally.leaves++;
            leaf_judge(scene, &summary, forged, path, (leaf_edit)edit, &tally);
            sot_free(forged);
        }
    }
    print_message("%-30s %5zu leaves, %6zu edits, %6zu refused, %5zu believed\n",
                  kind->name, tally.leaves, tally.edits, tally.refused, tally.believed);
    sot_json_free(document);
    sot_free(text);
    return tally;
}

#endif
