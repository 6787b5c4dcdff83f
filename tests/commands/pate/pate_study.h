/* tests/commands/pate/pate_study.h: teachers, labels and a student as a run of the tape harness. */
#ifndef SOTTO_TESTS_PATE_STUDY_H
#define SOTTO_TESTS_PATE_STUDY_H

#include "support.h"

#include "commands/pate/pate_scene.h"
#include "commands/train/train_study.h"

typedef struct pate_study {
    sotto_pate_aggregator aggregator;
    sotto_adjacency adjacency;
    bool n_is_public;
    const char *schema;     /* NULL: study_schema */
    double agreement_noise; /* 0: it is not paid for */
} pate_study;

static const char public_rows[] = "age,town\n20,Lund\n35,Ystad\n50,Lund\n65,Ystad\n"
                                  "80,Lund\n41,Ystad\n28,Ystad\n73,Lund\n";

static inline void write_public(const char *path)
{
    FILE *file = fopen(path, "w");
    if (file == NULL) return;
    (void)fputs(public_rows, file);
    (void)fclose(file);
}

/* The three commands; the teachers are secret and are gone at the end. */
static inline int run_pate(const tape_table *table, const tape_place *place,
                           void *context)
{
    const pate_study *study = context;
    sotto_error error = {0};
    sotto_schema *schema = NULL;
    sotto_pate_result *teachers = NULL, *labels = NULL, *student = NULL;
    char directory[SCENE_BYTES], rows[SCENE_BYTES], output[SCENE_BYTES];
    (void)snprintf(directory, sizeof directory, "%s.teachers", place->input_path);
    (void)snprintf(rows, sizeof rows, "%s.public", place->input_path);
    (void)snprintf(output, sizeof output, "%s/labels.json", place->output_directory);
    scene_remove(directory);
    write_public(rows);
    const sotto_data_file private_file = {.path = place->input_path};
    const sotto_data_file public_file = {.path = rows};
    sotto_pate_teach_config teach = scene_teach(directory, 4);
    teach.training.adjacency = study->adjacency;
    if (study->n_is_public) teach.training.public_n = table->rows;
    sotto_pate_label_config label = scene_label(study->aggregator, directory, 8);
    if (study->agreement_noise > 0.0) {
        label.agreement.noise = study->agreement_noise;
        label.agreement.bins = 2;
    }
    label.output = output;
    sotto_pate_student_config learn = sotto_pate_student_defaults();
    learn.training.model = SOTTO_MODEL_LOGISTIC;
    learn.training.threads = 1;
    learn.labels = output;
    learn.self_training = 1;
    const char *text = study->schema == NULL ? study_schema : study->schema;
    sotto_status status =
        sotto_schema_parse("schema.json", text, strlen(text), &schema, &error);
    if (status == SOTTO_OK)
        status = sotto_pate_teach(&teach, schema, &private_file, &teachers, &error);
    if (status == SOTTO_OK) {
        printf("%s%s", sotto_pate_text(teachers), sotto_pate_json(teachers));
        status = sotto_pate_label_rows(&label, NULL, &public_file, &labels, &error);
    }
    if (status == SOTTO_OK) {
        printf("%s%s", sotto_pate_text(labels), sotto_pate_json(labels));
        if (sotto_pate_answered(labels) > 0)
            status = sotto_pate_student(&learn, &public_file, &student, &error);
    }
    if (status == SOTTO_OK && student != NULL)
        printf("%s%s", sotto_pate_text(student), sotto_pate_json(student));
    if (status != SOTTO_OK) fprintf(stderr, "%s\n", error.message);
    sotto_pate_free(teachers);
    sotto_pate_free(labels);
    sotto_pate_free(student);
    sotto_schema_free(schema);
    scene_remove(directory);
    (void)unlink(rows);
    return status == SOTTO_OK ? 0 : 1;
}

static inline void expect_no_leak(pate_study study, size_t rows, size_t place)
{
    const tape_study tape = {.run = run_pate,
                             .context = &study,
                             .columns = study_columns,
                             .column_count =
                                 sizeof study_columns / sizeof study_columns[0]};
    assert_true(study_releases(&tape));
    const char *leak = study_leak_of(&tape, study.adjacency, rows, place);
    if (leak != NULL) fail_msg("%s", leak);
}

#endif
