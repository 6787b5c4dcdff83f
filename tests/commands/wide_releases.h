/* Every statistic and score on tables with as many columns as wanted: it must succeed, verify, and have noise. */
#ifndef SOTTO_TESTS_WIDE_RELEASES_H
#define SOTTO_TESTS_WIDE_RELEASES_H

#include "wide_learners.h"

#include <sotto/release.h>

static inline bool wide_is_statistic(int statistic)
{
    return strcmp(sotto_statistic_name((sotto_statistic)statistic), "unknown") != 0;
}

static inline bool wide_is_score(int score)
{
    return strcmp(sotto_score_name((sotto_score)score), "unknown") != 0;
}

/* The switch names every score: a new one does not compile until it is stated here. */
static inline void wide_set_score(sotto_release_config *config, const char *number)
{
    switch (config->score) {
    case SOTTO_SCORE_GIVEN:
        config->sensitivity = 1;
        break;
    case SOTTO_SCORE_COUNT:
        config->column = "y";
        break;
    case SOTTO_SCORE_REVENUE:
        config->column = number;
        config->candidates = "0.125,0.25,0.5,1";
        break;
    case SOTTO_SCORE_QUANTILE:
        config->column = number;
        config->candidates = "-0.5,0,0.5";
        config->quantile = 0.5;
        break;
    }
}

/* The last feature is the column that is farthest away. */
static inline sotto_release_config wide_release_config(sotto_statistic statistic,
                                                       sotto_score score,
                                                       const char *number,
                                                       const sotto_model *model)
{
    sotto_release_config config = sotto_release_defaults();
    config.statistic = statistic;
    config.epsilon = 0.75;
    switch (statistic) {
    case SOTTO_RELEASE_HISTOGRAM:
        config.bins = 4;
        config.column = number;
        break;
    case SOTTO_RELEASE_QUANTILE:
        config.quantile = 0.5;
        config.column = number;
        break;
    case SOTTO_RELEASE_SUM:
    case SOTTO_RELEASE_MEAN:
    case SOTTO_RELEASE_BOUNDS:
        config.column = number;
        break;
    case SOTTO_RELEASE_RESPONSES:
        config.column = "y";
        config.adjacency = SOTTO_REPLACE_ONE;
        break;
    case SOTTO_RELEASE_CHOICE:
        config.score = score;
        config.epsilon = 0.125; /* so that a few seeds show more than one choice */
        wide_set_score(&config, number);
        break;
    case SOTTO_RELEASE_ACCURACY:
    case SOTTO_RELEASE_SCORES:
        config.model = model;
        break;
    case SOTTO_STATISTIC_UNSET:
    case SOTTO_RELEASE_COUNT:
        break;
    }
    return config;
}

/* `seed` 0: noise from the operating system, and the certificate is verified. Free the result. */
static inline sotto_release_result *wide_release(sotto_release_config config,
                                                 const sotto_schema *schema,
                                                 const char *path, uint64_t seed)
{
    sotto_error error = {0};
    sotto_release_result *result = NULL;
    config.insecure_test = seed > 0;
    config.test_seed = seed;
    if (sotto_release_data(&config, schema, &(const sotto_data_file){.path = path},
                           &result, &error) != SOTTO_OK)
        fail_msg("%s: %s", wide_name, error.message);
    const char *json = sotto_release_json(result);
    if (seed == 0 && sotto_certificate_verify(json, strlen(json), &error) != SOTTO_OK)
        fail_msg("%s: %s", wide_name, error.message);
    return result;
}

/* Whether the texts differ in the list behind a name. */
static inline bool wide_lists_differ(const char *a, const char *b, const char *name)
{
    const char *first = strstr(a, name), *second = strstr(b, name);
    if (first == NULL || second == NULL) return false;
    return strncmp(first, second, strcspn(first, "]")) != 0;
}

/* Whether two results say something else. Answers of rows, and the counts of scores, are in the JSON text alone. */
static inline bool wide_says_else(const sotto_release_result *a,
                                  const sotto_release_result *b)
{
    assert_int_equal(sotto_release_size(a), sotto_release_size(b));
    for (size_t i = 0; i < sotto_release_size(a); i++) {
        const sotto_release_value first = sotto_release_at(a, i),
                                  second = sotto_release_at(b, i);
        if (strcmp(first.label, second.label) != 0) return true;
        if (!isnan(first.value) && first.value != second.value) return true;
    }
    const char *first = sotto_release_json(a), *second = sotto_release_json(b);
    return wide_lists_differ(first, second, "\"answers\"") ||
           wide_lists_differ(first, second, "\"counts\"");
}

/* Seeds are fixed: the outcome is always the same. Counts agree in one of three pairs, choices more often. */
static inline void wide_expect_release_noise(const sotto_release_config *config,
                                             const sotto_schema *schema, const char *path)
{
    enum { SEEDS = 24 };
    bool found = false;
    sotto_release_result *first = wide_release(*config, schema, path, 1);
    for (uint64_t seed = 2; seed <= SEEDS && !found; seed++) {
        sotto_release_result *other = wide_release(*config, schema, path, seed);
        found = wide_says_else(first, other);
        sotto_release_free(other);
    }
    sotto_release_free(first);
    if (!found) fail_msg("%s: no noise", wide_name);
}

/* No answers have no noise, and bounds of few rows are nearly always "none": a noisy count below a threshold. */
static inline bool wide_shows_noise(sotto_statistic statistic, size_t rows)
{
    if (statistic == SOTTO_RELEASE_RESPONSES) return rows > 0;
    return statistic != SOTTO_RELEASE_BOUNDS;
}

static inline void wide_check_release(const wide_scene *scene, wide_shape shape,
                                      sotto_release_config config, const char *path)
{
    sotto_schema *parsed = wide_parse(scene->schema);
    const sotto_schema *schema =
        config.model != NULL ? sotto_model_schema(config.model) : parsed;
    (void)snprintf(wide_name, sizeof wide_name, "%s by %s, %zu columns, %zu rows%s%s",
                   sotto_statistic_name(config.statistic), sotto_score_name(config.score),
                   shape.columns, shape.rows, shape.sparse ? ", sparse" : "",
                   shape.missing ? ", missing" : "");
    sotto_release_free(wide_release(config, schema, path, 0));
    if (wide_shows_noise(config.statistic, shape.rows))
        wide_expect_release_noise(&config, schema, path);
    sotto_schema_free(parsed);
}

/* A model of the scene without noise, which needs no rows to be scored. */
static inline sotto_model *wide_public_model(const wide_scene *scene, const char *path)
{
    sotto_schema *schema = wide_parse(scene->schema);
    sotto_model *model =
        wide_train(wide_config(SOTTO_MODEL_LOGISTIC, SOTTO_METHOD_NONE), schema, path, 0);
    sotto_schema_free(schema);
    return model;
}

static inline void wide_write_scores(const char *path)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("candidate,score\na,3\nb,5\nc,4\n", file);
    assert_int_equal(fclose(file), 0);
}

/* Every statistic, and choices by every score. A matrix has no names of columns, and only a model's accuracy. */
static inline void wide_check_releases(wide_shape shape)
{
    char number[24], scores[64];
    wide_scene scene = wide_scene_new(shape.columns, WIDE_TWO, shape.sparse);
    tape_table *table =
        tape_table_new(scene.list, scene.columns + 1, shape.rows, 7 + shape.rows);
    const char *path = wide_path(&scene);
    (void)snprintf(number, sizeof number, "x%zu", shape.columns - 1);
    (void)snprintf(scores, sizeof scores, "wide_scores_%ld.csv", (long)getpid());
    wide_store(&scene, table, shape.missing, path);
    wide_write_scores(scores);
    sotto_model *model = wide_public_model(&scene, path);
    for (int s = 1; wide_is_statistic(s); s++) {
        const bool chooses = s == SOTTO_RELEASE_CHOICE;
        if (shape.sparse && s != SOTTO_RELEASE_ACCURACY && s != SOTTO_RELEASE_SCORES)
            continue;
        for (int score = 0; chooses ? wide_is_score(score) : score == 0; score++)
            wide_check_release(&scene, shape,
                               wide_release_config((sotto_statistic)s, (sotto_score)score,
                                                   number, model),
                               chooses && score == SOTTO_SCORE_GIVEN ? scores : path);
    }
    sotto_model_free(model);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(unlink(scores), 0);
    tape_table_free(table);
    wide_scene_free(&scene);
}

#endif
