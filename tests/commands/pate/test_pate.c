/* Teachers, labels and student, end to end: what is kept, what is refused, and what a certificate says. */
#include "support.h"

#include <fcntl.h>
#include <math.h>
#include <stdlib.h>

#include <sotto/certificate.h>
#include <sotto/model.h>

#include "base/memory.h"
#include "commands/pate/pate_scene.h"

typedef struct scene {
    char place[64];
    char rows[96], unlabelled[96], directory[96], labels[96], student[96], votes[96];
    sotto_schema *schema;
} scene;

static const char schema_text[] =
    "{\"dataset\": \"scene\", \"target\": {\"column\": \"y\", \"labels\": [\"no\", "
    "\"yes\"]}, \"columns\": ["
    "{\"name\": \"x\", \"type\": \"number\", \"lower\": 0, \"upper\": 64},"
    "{\"name\": \"y\", \"type\": \"category\", \"values\": [\"no\", \"yes\"]}]}";

static void write_lines(const char *path, const char *header, size_t rows, bool target)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "%s\n", header);
    for (size_t i = 0; i < rows; i++) {
        const size_t x = (37 * i) % 65;
        fprintf(file, "%zu.%zu", x, i % 10);
        if (target) fprintf(file, ",%s", x > 30 ? "yes" : "no");
        fprintf(file, "\n");
    }
    assert_int_equal(fclose(file), 0);
}

static void begin(scene *here)
{
    sotto_error error;
    strcpy(here->place, "/tmp/sotto_pate_XXXXXX");
    assert_non_null(mkdtemp(here->place));
    snprintf(here->rows, sizeof here->rows, "%s/rows.csv", here->place);
    snprintf(here->unlabelled, sizeof here->rows, "%s/public.csv", here->place);
    snprintf(here->directory, sizeof here->rows, "%s/teachers", here->place);
    snprintf(here->labels, sizeof here->rows, "%s/labels.json", here->place);
    snprintf(here->student, sizeof here->rows, "%s/student.json", here->place);
    snprintf(here->votes, sizeof here->rows, "%s/votes.csv", here->place);
    write_lines(here->rows, "x,y", 120, true);
    write_lines(here->unlabelled, "x", 40, false);
    assert_ok(
        sotto_schema_parse("s", schema_text, strlen(schema_text), &here->schema, &error),
        &error);
}

static void end(scene *here)
{
    sotto_schema_free(here->schema);
    scene_remove(here->directory);
    scene_remove(here->place);
}

static sotto_status teach(const scene *here, const sotto_pate_teach_config *config,
                          sotto_error *error)
{
    sotto_pate_result *result = NULL;
    const sotto_data_file file = {.path = here->rows};
    const sotto_status status =
        sotto_pate_teach(config, here->schema, &file, &result, error);
    sotto_pate_free(result);
    return status;
}

static sotto_status label(const scene *here, const sotto_pate_label_config *config,
                          sotto_pate_result **out_result, sotto_error *error)
{
    const sotto_data_file file = {.path = here->unlabelled};
    return sotto_pate_label_rows(config, config->directory == NULL ? here->schema : NULL,
                                 config->directory != NULL ? &file : NULL, out_result,
                                 error);
}

static sotto_pate_label_config secure(sotto_pate_label_config config)
{
    config.insecure_test = false;
    return config;
}

static void the_student_carries_the_guarantee_of_the_labels(void **state)
{
    (void)state;
    scene here;
    sotto_error error;
    sotto_pate_result *labels = NULL, *student = NULL;
    sotto_model *model = NULL;
    begin(&here);
    const sotto_pate_teach_config teachers = scene_teach(here.directory, 6);
    assert_ok(teach(&here, &teachers, &error), &error);
    sotto_pate_label_config config =
        secure(scene_label(SOTTO_PATE_CONFIDENT, here.directory, 30));
    config.answers = 20;
    config.output = here.labels;
    assert_ok(label(&here, &config, &labels, &error), &error);
    const char *text = sotto_pate_json(labels);
    assert_ok(sotto_certificate_verify(text, strlen(text), &error), &error);
    assert_true(sotto_pate_answered(labels) <= 20);
    assert_true(sotto_pate_asked(labels) <= 30);
    assert_true(isnan(sotto_pate_sensitive_epsilon(labels)));

    const sotto_data_file rows = {.path = here.unlabelled};
    sotto_pate_student_config learn = sotto_pate_student_defaults();
    learn.training.model = SOTTO_MODEL_LOGISTIC;
    learn.training.output = here.student;
    learn.labels = here.labels;
    learn.self_training = 2;
    learn.confidence = 0.6;
    assert_ok(sotto_pate_student(&learn, &rows, &student, &error), &error);
    text = sotto_pate_json(student);
    assert_ok(sotto_certificate_verify(text, strlen(text), &error), &error);
    assert_non_null(strstr(sotto_pate_certificate(student), "post-processing"));
    assert_ok(sotto_model_load(here.student, &model, &error), &error);

    sotto_certificate_summary of_labels, of_student;
    const char *first = sotto_pate_json(labels);
    assert_ok(sotto_certificate_summarize(first, strlen(first), &of_labels, &error),
              &error);
    assert_ok(sotto_certificate_summarize(text, strlen(text), &of_student, &error),
              &error);
    assert_true(of_labels.epsilon == of_student.epsilon);
    assert_non_null(strstr(text, of_labels.hash));
    sotto_model_free(model);
    sotto_pate_free(labels);
    sotto_pate_free(student);
    end(&here);
}

/* The caps are claimed, not what was used of them. */
static void the_guarantee_is_that_of_the_caps(void **state)
{
    (void)state;
    scene here;
    sotto_error error;
    sotto_pate_result *labels = NULL;
    sotto_certificate_summary summary;
    begin(&here);
    FILE *file = fopen(here.votes, "w");
    assert_non_null(file);
    fprintf(file, "no,yes\n");
    for (int i = 0; i < 30; i++)
        fprintf(file, "0,0\n"); /* nobody votes: no test is passed */
    assert_int_equal(fclose(file), 0);
    sotto_pate_label_config config = secure(scene_label(SOTTO_PATE_CONFIDENT, NULL, 30));
    config.votes = here.votes;
    config.vote.adjacency = SOTTO_ADD_REMOVE;
    config.vote.unit = SOTTO_PATE_RECORDS;
    config.vote.touched = 1;
    config.vote.threshold = 100.0;
    config.answers = 25;
    assert_ok(label(&here, &config, &labels, &error), &error);
    const char *text = sotto_pate_json(labels);
    assert_ok(sotto_certificate_summarize(text, strlen(text), &summary, &error), &error);
    assert_true(summary.is_verified);
    assert_int_equal(sotto_pate_answered(labels), 0);
    assert_true(sotto_pate_realised_epsilon(labels) < 0.9 * summary.epsilon);
    assert_non_null(strstr(text, "\"counts\": \"caps\""));
    char before[64];
    snprintf(before, sizeof before, "%.40s", strstr(text, "\"sampler_error\""));
    sotto_pate_free(labels);
    labels = NULL;
    config.vote.threshold =
        -100.0; /* every test is passed: the caps' error is the same */
    assert_ok(label(&here, &config, &labels, &error), &error);
    assert_int_equal(sotto_pate_answered(labels), 25);
    assert_memory_equal(strstr(sotto_pate_json(labels), "\"sampler_error\""), before,
                        strlen(before));
    sotto_pate_free(labels);
    end(&here);
}

/* Equal votes again and again, a tie of two: with fresh noise both labels occur. That one does not has probability
 * 2^-49 under the fixed seed's law. */
static void every_query_has_fresh_noise(void **state)
{
    (void)state;
    scene here;
    sotto_error error;
    sotto_pate_result *labels = NULL;
    begin(&here);
    FILE *file = fopen(here.votes, "w");
    assert_non_null(file);
    fprintf(file, "yes,no\n");
    for (int i = 0; i < 50; i++)
        fprintf(file, "5,5\n");
    assert_int_equal(fclose(file), 0);
    sotto_pate_label_config config = scene_label(SOTTO_PATE_GNMAX, NULL, 50);
    config.votes = here.votes;
    config.vote.adjacency = SOTTO_ADD_REMOVE;
    config.vote.unit = SOTTO_PATE_RECORDS;
    config.vote.touched = 1;
    assert_ok(label(&here, &config, &labels, &error), &error);
    const char *list = strstr(sotto_pate_json(labels), "\"rows\": [");
    assert_non_null(list);
    assert_non_null(strstr(list, "\"yes\""));
    assert_non_null(strstr(list, "\"no\""));
    sotto_pate_free(labels);
    end(&here);
}

/* A table that holds nonsense is a table: its cells are secret. */
static void cells_of_a_vote_table_never_fail(void **state)
{
    (void)state;
    scene here;
    sotto_error error;
    static const char *const tables[] = {"no,yes\n-1,nan\n99999999999,x\n,\n3\n",
                                         "no,yes\n",
                                         "teacher_1,teacher_2\nyes,no\nmaybe,\nno\n"};
    begin(&here);
    for (size_t i = 0; i < 3; i++) {
        sotto_pate_result *labels = NULL;
        FILE *file = fopen(here.votes, "w");
        assert_non_null(file);
        fputs(tables[i], file);
        assert_int_equal(fclose(file), 0);
        sotto_pate_label_config config = scene_label(SOTTO_PATE_GNMAX, NULL, 4);
        config.votes = here.votes;
        config.vote_labels = i == 2;
        config.vote.teachers = i == 2 ? 2 : 0;
        config.vote.adjacency = SOTTO_ADD_REMOVE;
        config.vote.unit = SOTTO_PATE_RECORDS;
        config.vote.touched = 1;
        assert_ok(label(&here, &config, &labels, &error), &error);
        assert_int_equal(sotto_pate_asked(labels), 4);
        sotto_pate_free(labels);
        config.vote_labels = i != 2; /* and a wrong header is a wrong file */
        config.vote.teachers = 2;
        assert_int_not_equal(label(&here, &config, &labels, &error), SOTTO_OK);
    }
    end(&here);
}

/* What nonsense means in a file it means in memory: the same votes, the same noise, the same labels. */
static void votes_in_memory_are_those_of_a_file(void **state)
{
    (void)state;
    scene here;
    sotto_error error;
    static const char *const tables[] = {
        "no,yes\n9,1\n2.5,12\n-3,x\n1,14\n",
        "teacher_1,teacher_2\nyes,no\nmaybe,\nno,yes\nyes,yes\n"};
    static const double cells[2][8] = {{9, 1, 2.5, 12, -3, (double)NAN, 1, 14},
                                       {1, 0, 7, (double)NAN, 0, 1, 1, 1}};
    begin(&here);
    for (size_t i = 0; i < 2; i++) {
        sotto_pate_result *read = NULL, *seen = NULL;
        FILE *file = fopen(here.votes, "w");
        assert_non_null(file);
        fputs(tables[i], file);
        assert_int_equal(fclose(file), 0);
        sotto_array votes = {.data = cells[i],
                             .element = SOTTO_FLOAT64,
                             .rows = 4,
                             .columns = 2,
                             .row_stride_bytes = 2 * sizeof(double),
                             .column_stride_bytes = sizeof(double)};
        sotto_pate_label_config config = scene_label(SOTTO_PATE_GNMAX, NULL, 3);
        config.skip = 1;
        config.vote_labels = i == 1;
        config.vote.teachers = i == 1 ? 2 : 0;
        config.vote.adjacency = SOTTO_ADD_REMOVE;
        config.vote.unit = SOTTO_PATE_RECORDS;
        config.vote.touched = 1;
        config.votes = here.votes;
        assert_ok(label(&here, &config, &read, &error), &error);
        config.vote_array = &votes;
        assert_refused(label(&here, &config, &seen, &error), SOTTO_INVALID_ARGUMENT,
                       &error, "one of them", NULL);
        config.votes = NULL;
        assert_ok(label(&here, &config, &seen, &error), &error);
        assert_string_equal(sotto_pate_json(seen), sotto_pate_json(read));
        sotto_pate_free(seen);
        sotto_pate_free(read);

        config.skip = 2;
        assert_refused(label(&here, &config, &seen, &error), SOTTO_INVALID_ARGUMENT,
                       &error, "4 rows", "smaller `ask`", NULL);
        config.skip = 1;
        votes.columns = 1;
        assert_refused(label(&here, &config, &seen, &error), SOTTO_INVALID_ARGUMENT,
                       &error, "1 columns", i == 1 ? "2 teachers" : "2 classes", NULL);
    }
    end(&here);
}

/* With the 1st, 2nd, ... allocation failing: an error, no leak, and no half a result. */
static void no_allocation_failure_leaks_or_lies(void **state)
{
    (void)state;
    scene here;
    sotto_error error;
    begin(&here);
    FILE *file = fopen(here.votes, "w");
    assert_non_null(file);
    fprintf(file, "no,yes\n3,1\n0,4\n2,2\n");
    assert_int_equal(fclose(file), 0);
    sotto_pate_label_config config = scene_label(SOTTO_PATE_CONFIDENT, NULL, 3);
    config.votes = here.votes;
    config.vote.adjacency = SOTTO_ADD_REMOVE;
    config.vote.unit = SOTTO_PATE_RECORDS;
    config.vote.touched = 1;
    config.vote.teachers = 4;
    config.agreement.noise = 2.0;
    config.output = here.labels;
    const sotto_data_file rows = {.path = here.unlabelled};
    sotto_pate_student_config learn = sotto_pate_student_defaults();
    learn.training.model = SOTTO_MODEL_LOGISTIC;
    learn.training.threads = 1;
    learn.labels = here.labels;
    learn.self_training = 1;
    for (int what = 0; what < 2; what++) {
        for (size_t nth = 1;; nth += 1 + nth / 8) {
            sotto_pate_result *result = NULL;
            (void)sot_test_fail_allocation(nth);
            const sotto_status status =
                what == 0 ? label(&here, &config, &result, &error)
                          : sotto_pate_student(&learn, &rows, &result, &error);
            const bool failed = sot_test_fail_allocation(0) >= nth;
            assert_true((status == SOTTO_OK) == (result != NULL));
            sotto_pate_free(result);
            assert_int_equal(status, failed ? SOTTO_OUT_OF_MEMORY : SOTTO_OK);
            if (!failed) break;
        }
    }
    end(&here);
}

static void finished_teachers_are_kept(void **state)
{
    (void)state;
    scene here;
    sotto_error error;
    char one[128], other[128], note[128];
    struct stat before, after;
    begin(&here);
    sotto_pate_teach_config config = scene_teach(here.directory, 6);
    assert_ok(teach(&here, &config, &error), &error);
    snprintf(one, sizeof one, "%s/teacher-00002.json", here.directory);
    snprintf(other, sizeof other, "%s/teacher-00005.json", here.directory);
    snprintf(note, sizeof note, "%s/SECRET.txt", here.directory);
    assert_int_equal(stat(one, &before), 0);
    assert_int_equal(before.st_mode & 0777, 0600);
    assert_int_equal(stat(here.directory, &after), 0);
    assert_int_equal(after.st_mode & 0777, 0700);
    assert_int_equal(access(note, R_OK), 0);

    sotto_pate_result *labels = NULL;
    const sotto_pate_label_config ask = scene_label(SOTTO_PATE_GNMAX, here.directory, 3);
    assert_int_equal(unlink(other), 0);
    assert_refused(label(&here, &ask, &labels, &error), SOTTO_INVALID_ARGUMENT, &error,
                   "not all finished", NULL);
    FILE *garbage = fopen(other, "w"); /* is none either, and found before a charge */
    assert_non_null(garbage);
    fputs("garbage", garbage);
    assert_int_equal(fclose(garbage), 0);
    assert_refused(label(&here, &ask, &labels, &error), SOTTO_INVALID_ARGUMENT, &error,
                   "not all finished", NULL);
    config.training.test_seed = 1; /* the key is the directory's */
    assert_ok(teach(&here, &config, &error), &error);
    assert_ok(label(&here, &ask, &labels, &error), &error);
    sotto_pate_free(labels);
    assert_int_equal(stat(one, &after), 0);
    assert_true(before.st_ino == after.st_ino);
    config.training.lambda = 2.0;
    assert_refused(teach(&here, &config, &error), SOTTO_INVALID_ARGUMENT, &error,
                   "other settings", NULL);
    end(&here);
}

/* Whoever goes on does so with the rows that the others were taught with: in another order, if their place is no matter. */
static void teaching_goes_on_with_the_same_rows_alone(void **state)
{
    (void)state;
    scene here;
    sotto_error error;
    char one[128], kept[128];
    struct stat facts;
    begin(&here);
    const sotto_pate_teach_config config = scene_teach(here.directory, 6);
    assert_ok(teach(&here, &config, &error), &error);
    snprintf(one, sizeof one, "%s/teacher-00003.json", here.directory);
    snprintf(kept, sizeof kept, "%s/rows.digest", here.directory);
    assert_int_equal(stat(kept, &facts), 0);
    assert_int_equal(facts.st_mode & 0777, 0600);
    write_lines(here.rows, "x,y", 119, true); /* finished, but of other rows */
    assert_refused(teach(&here, &config, &error), SOTTO_INVALID_ARGUMENT, &error,
                   "other rows", NULL);
    assert_int_equal(unlink(one), 0);
    assert_refused(teach(&here, &config, &error), SOTTO_INVALID_ARGUMENT, &error,
                   "other rows", NULL);
    assert_int_not_equal(access(one, F_OK), 0);
    FILE *file = fopen(here.rows, "w"); /* the first rows, backwards */
    assert_non_null(file);
    fprintf(file, "x,y\n");
    for (size_t i = 120; i-- > 0;)
        fprintf(file, "%zu.%zu,%s\n", (37 * i) % 65, i % 10,
                (37 * i) % 65 > 30 ? "yes" : "no");
    assert_int_equal(fclose(file), 0);
    assert_ok(teach(&here, &config, &error), &error);
    assert_int_equal(access(one, F_OK), 0);
    end(&here);
}

static void empty_shards_have_teachers_too(void **state)
{
    (void)state;
    scene here;
    sotto_error error;
    sotto_pate_result *labels = NULL;
    begin(&here);
    write_lines(here.rows, "x,y", 1, true);
    const sotto_pate_teach_config config = scene_teach(here.directory, 5);
    assert_ok(teach(&here, &config, &error), &error);
    const sotto_pate_label_config ask = scene_label(SOTTO_PATE_MODE, here.directory, 3);
    assert_ok(label(&here, &ask, &labels, &error), &error);
    sotto_pate_free(labels);
    end(&here);
}

static void what_no_theorem_covers_is_refused(void **state)
{
    (void)state;
    scene here;
    sotto_error error;
    begin(&here);
    sotto_pate_teach_config config = scene_teach(here.directory, 6);
    config.sharding = SOTTO_PATE_BY_PLACE;
    assert_refused(teach(&here, &config, &error), SOTTO_INVALID_ARGUMENT, &error,
                   "`sharding` is place", NULL);
    config.sharding = SOTTO_PATE_BY_UNIT;
    assert_refused(teach(&here, &config, &error), SOTTO_INVALID_ARGUMENT, &error,
                   "no unit", NULL);
    config = scene_teach(here.directory, 6);
    config.training.method = SOTTO_METHOD_OBJECTIVE;
    assert_refused(teach(&here, &config, &error), SOTTO_INVALID_ARGUMENT, &error,
                   "method none", NULL);
    config = scene_teach(here.directory, 6);
    config.training.epsilon = 1.0;
    assert_refused(teach(&here, &config, &error), SOTTO_INVALID_ARGUMENT, &error,
                   "guarantee", NULL);
    config = scene_teach(here.directory, 1);
    assert_refused(teach(&here, &config, &error), SOTTO_INVALID_ARGUMENT, &error, "2 to",
                   NULL);
    config = scene_teach(here.directory, 6);
    config.training.adjacency = SOTTO_REPLACE_ONE;
    config.training.public_n = 119;
    assert_refused(teach(&here, &config, &error), SOTTO_INVALID_ARGUMENT, &error,
                   "119 rows", NULL);
    end(&here);
}

/* A teacher among models would pass for one of public rows: for a student whose scores are public, for example. */
static void a_teacher_is_no_model(void **state)
{
    (void)state;
    scene here;
    sotto_error error;
    char one[128];
    sotto_model *model = NULL;
    sotto_pate_result *labels = NULL;
    begin(&here);
    const sotto_pate_teach_config config = scene_teach(here.directory, 4);
    assert_ok(teach(&here, &config, &error), &error);
    snprintf(one, sizeof one, "%s/teacher-00001.json", here.directory);
    assert_refused(sotto_model_load(one, &model, &error), SOTTO_PARSE, &error, "teacher",
                   NULL);
    sotto_pate_label_config ask = scene_label(SOTTO_PATE_CONFIDENT, here.directory, 3);
    ask.vote.aggregator = SOTTO_PATE_INTERACTIVE;
    ask.vote.confidence = 0.9;
    ask.student = one;
    assert_refused(label(&here, &ask, &labels, &error), SOTTO_PARSE, &error, "teacher",
                   NULL);
    end(&here);
}

/* Interactive takes the student's scores for public: they are, if his own guarantee holds. */
static void an_interactive_student_must_be_private(void **state)
{
    (void)state;
    scene here;
    sotto_error error;
    sotto_pate_result *labels = NULL, *student = NULL;
    begin(&here);
    const sotto_pate_teach_config teachers = scene_teach(here.directory, 4);
    assert_ok(teach(&here, &teachers, &error), &error);
    sotto_pate_label_config config = scene_label(SOTTO_PATE_GNMAX, here.directory, 10);
    config.output = here.labels;
    assert_ok(label(&here, &config, &labels, &error), &error);
    sotto_pate_free(labels);
    const sotto_data_file rows = {.path = here.unlabelled};
    sotto_pate_student_config learn = sotto_pate_student_defaults();
    learn.training.model = SOTTO_MODEL_LOGISTIC;
    learn.training.output = here.student;
    learn.labels = here.labels;
    assert_ok(sotto_pate_student(&learn, &rows, &student, &error), &error);
    sotto_pate_free(student);

    config = scene_label(SOTTO_PATE_CONFIDENT, here.directory, 3);
    config.vote.aggregator = SOTTO_PATE_INTERACTIVE;
    config.vote.confidence = 0.9;
    config.student = here.student;
    assert_ok(label(&here, &config, &labels, &error), &error); /* a test seed too */
    sotto_pate_free(labels);
    config = secure(config);
    assert_refused(label(&here, &config, &labels, &error), SOTTO_INVALID_ARGUMENT, &error,
                   "test seed", NULL);
    end(&here);
}

/* What holds for whole teachers is not said of rows, nor charged to a budget of rows. */
static void whole_teachers_are_another_unit(void **state)
{
    (void)state;
    scene here;
    sotto_error error;
    sotto_pate_result *labels = NULL, *student = NULL;
    begin(&here);
    FILE *file = fopen(here.votes, "w");
    assert_non_null(file);
    fprintf(file, "no,yes\n9,1\n0,14\n2,12\n");
    assert_int_equal(fclose(file), 0);
    sotto_pate_label_config config = scene_label(SOTTO_PATE_GNMAX, NULL, 3);
    config.votes = here.votes;
    config.vote.unit = SOTTO_PATE_TEACHERS;
    config.vote.touched = 1;
    config.vote.adjacency = SOTTO_ADD_REMOVE;
    config.output = here.labels;
    assert_ok(label(&here, &config, &labels, &error), &error);
    assert_non_null(strstr(sotto_pate_text(labels), "one whole teacher more or less"));
    assert_null(strstr(sotto_pate_text(labels), "one row more"));

    const sotto_data_file rows = {.path = here.unlabelled};
    sotto_pate_student_config learn = sotto_pate_student_defaults();
    learn.training.model = SOTTO_MODEL_LOGISTIC;
    learn.labels = here.labels;
    assert_ok(sotto_pate_student(&learn, &rows, &student, &error), &error);
    assert_non_null(strstr(sotto_pate_text(student), "one whole teacher more or less"));
    assert_null(strstr(sotto_pate_text(student), "one row more"));
    sotto_pate_free(labels);
    sotto_pate_free(student);

    config.ledger = "budget.ledger";
    assert_refused(label(&here, &config, &labels, &error), SOTTO_INVALID_ARGUMENT, &error,
                   "budget.ledger", "`unit=record`", NULL);
    config.ledger = NULL;
    config.vote_labels = true; /* a column that is empty votes: the first class */
    config.vote.teachers = 2;
    assert_refused(label(&here, &config, &labels, &error), SOTTO_INVALID_ARGUMENT, &error,
                   "replace-one", NULL);
    end(&here);
}

/* A query's rows come in an order that may follow an index, which follows the rows; those of a stream in any order. The
 * number of selected rows is secret. */
static void rows_of_a_query_have_no_place(void **state)
{
    (void)state;
    scene here;
    sotto_error error;
    sotto_pate_result *result = NULL;
    begin(&here);
    const sotto_data_file unplaced[] = {
        {.path = here.rows, .query = "SELECT x, y FROM t"},
        {.path = "/dev/null", .stored_table = true}};
    const sotto_data_file selected[] = {
        {.path = here.rows, .query = "SELECT x, y FROM t WHERE x > 3"},
        {.path = "/dev/null"}};
    sotto_pate_teach_config config = scene_teach(here.directory, 4);
    config.training.adjacency = SOTTO_REPLACE_ONE;
    config.training.public_n = 120;
    for (size_t i = 0; i < 2; i++) {
        config.sharding = SOTTO_PATE_BY_PLACE;
        assert_refused(
            sotto_pate_teach(&config, here.schema, &unplaced[i], &result, &error),
            SOTTO_INVALID_ARGUMENT, &error, "order of these rows", "content", NULL);
        config.sharding = SOTTO_PATE_BY_CONTENT;
        assert_refused(
            sotto_pate_teach(&config, here.schema, &selected[i], &result, &error),
            SOTTO_INVALID_ARGUMENT, &error, "`public_n` is 120", "secret", NULL);
    }
    end(&here);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_student_carries_the_guarantee_of_the_labels),
        cmocka_unit_test(the_guarantee_is_that_of_the_caps),
        cmocka_unit_test(every_query_has_fresh_noise),
        cmocka_unit_test(cells_of_a_vote_table_never_fail),
        cmocka_unit_test(votes_in_memory_are_those_of_a_file),
        cmocka_unit_test(no_allocation_failure_leaks_or_lies),
        cmocka_unit_test(finished_teachers_are_kept),
        cmocka_unit_test(teaching_goes_on_with_the_same_rows_alone),
        cmocka_unit_test(empty_shards_have_teachers_too),
        cmocka_unit_test(what_no_theorem_covers_is_refused),
        cmocka_unit_test(a_teacher_is_no_model),
        cmocka_unit_test(an_interactive_student_must_be_private),
        cmocka_unit_test(whole_teachers_are_another_unit),
        cmocka_unit_test(rows_of_a_query_have_no_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
