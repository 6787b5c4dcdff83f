/* tests/commands/pate/pate_scene.h: private and public rows, a schema, and a directory of teachers, in a place of their own. */
#ifndef SOTTO_TESTS_PATE_SCENE_H
#define SOTTO_TESTS_PATE_SCENE_H

#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <sotto/pate.h>

enum { SCENE_BYTES = 600, ENTRY_BYTES = 1024 };

/* A directory and the files in it. */
static inline void scene_remove(const char *directory)
{
    char path[ENTRY_BYTES];
    DIR *stream = opendir(directory);
    if (stream == NULL) return;
    for (const struct dirent *entry = readdir(stream); entry != NULL;
         entry = readdir(stream)) {
        (void)snprintf(path, sizeof path, "%.600s/%s", directory, entry->d_name);
        (void)unlink(path);
    }
    (void)closedir(stream);
    (void)rmdir(directory);
}

static inline sotto_pate_teach_config scene_teach(const char *directory,
                                                  uint64_t teachers)
{
    sotto_pate_teach_config config = sotto_pate_teach_defaults();
    config.training.model = SOTTO_MODEL_LOGISTIC;
    config.training.lambda = 0.125;
    config.training.insecure_test = true;
    config.training.test_seed = 77;
    config.training.threads = 1;
    config.teachers = teachers;
    config.directory = directory;
    return config;
}

static inline sotto_pate_label_config scene_label(sotto_pate_aggregator aggregator,
                                                  const char *directory, uint64_t ask)
{
    sotto_pate_label_config config = sotto_pate_label_defaults();
    config.vote.aggregator = aggregator;
    if (aggregator == SOTTO_PATE_MODE) {
        config.vote.epsilon = 0.75;
        config.vote.delta = 1e-3;
    } else {
        config.vote.noise = 1.5;
    }
    if (aggregator == SOTTO_PATE_CONFIDENT) {
        config.vote.test_noise = 2.5;
        config.vote.threshold = 2.0;
    }
    config.ask = ask;
    config.answers = ask;
    config.delta = 1e-2;
    config.directory = directory;
    config.insecure_test = true;
    config.test_seed = 20261116;
    config.threads = 1;
    return config;
}

#endif
