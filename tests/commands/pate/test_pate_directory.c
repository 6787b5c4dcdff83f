/* A directory of teachers belongs to one teaching at a time, holds one ensemble, and keeps no partial file. */
#include "support.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>

#include "commands/pate/pate_scene.h"

enum { TEACHERS = 5, ROWS = 60, NAME_BYTES = 128, FILE_BYTES = 16384 };

typedef struct scene {
    char place[64];
    char rows[96], directory[96], other[96];
    sotto_schema *schema;
} scene;

static const char schema_text[] =
    "{\"dataset\": \"scene\", \"target\": {\"column\": \"y\", \"labels\": [\"no\", "
    "\"yes\"]}, \"columns\": ["
    "{\"name\": \"x\", \"type\": \"number\", \"lower\": 0, \"upper\": 64},"
    "{\"name\": \"y\", \"type\": \"category\", \"values\": [\"no\", \"yes\"]}]}";

static void begin(scene *here)
{
    sotto_error error;
    strcpy(here->place, "/tmp/sotto_pate_XXXXXX");
    assert_non_null(mkdtemp(here->place));
    snprintf(here->rows, sizeof here->rows, "%s/rows.csv", here->place);
    snprintf(here->directory, sizeof here->directory, "%s/teachers", here->place);
    snprintf(here->other, sizeof here->other, "%s/others", here->place);
    FILE *file = fopen(here->rows, "w");
    assert_non_null(file);
    fprintf(file, "x,y\n");
    for (size_t i = 0; i < ROWS; i++)
        fprintf(file, "%zu.5,%s\n", i, i > 30 ? "yes" : "no");
    assert_int_equal(fclose(file), 0);
    assert_ok(
        sotto_schema_parse("s", schema_text, strlen(schema_text), &here->schema, &error),
        &error);
}

static void end(scene *here)
{
    sotto_schema_free(here->schema);
    scene_remove(here->directory);
    scene_remove(here->other);
    scene_remove(here->place);
}

static sotto_status teach(const scene *here, const char *directory, uint64_t seed,
                          sotto_error *error)
{
    sotto_pate_result *result = NULL;
    const sotto_data_file file = {.path = here->rows};
    sotto_pate_teach_config config = scene_teach(directory, TEACHERS);
    config.training.test_seed = seed;
    const sotto_status status =
        sotto_pate_teach(&config, here->schema, &file, &result, error);
    sotto_pate_free(result);
    return status;
}

static sotto_status label(const scene *here, sotto_error *error)
{
    sotto_pate_result *result = NULL;
    const sotto_data_file file = {.path = here->rows};
    const sotto_pate_label_config config =
        scene_label(SOTTO_PATE_GNMAX, here->directory, 3);
    const sotto_status status =
        sotto_pate_label_rows(&config, NULL, &file, &result, error);
    sotto_pate_free(result);
    return status;
}

static void name_teacher(const char *directory, int teacher, char out[NAME_BYTES])
{
    snprintf(out, NAME_BYTES, "%s/teacher-%05d.json", directory, teacher);
}

static void copy_file(const char *from, const char *to)
{
    char bytes[FILE_BYTES];
    FILE *source = fopen(from, "rb"), *target = fopen(to, "wb");
    assert_non_null(source);
    assert_non_null(target);
    const size_t size = fread(bytes, 1, sizeof bytes, source);
    assert_true(size > 0 && size < sizeof bytes);
    assert_int_equal(fwrite(bytes, 1, size, target), size);
    assert_int_equal(fclose(source), 0);
    assert_int_equal(fclose(target), 0);
}

static int hold(const scene *here, int how)
{
    const int file = open(here->directory, O_RDONLY | O_DIRECTORY);
    assert_true(file >= 0);
    assert_int_equal(flock(file, how | LOCK_NB), 0);
    return file;
}

static void one_teaching_at_a_time(void **state)
{
    (void)state;
    scene here;
    sotto_error error;
    begin(&here);
    assert_int_equal(mkdir(here.directory, 0700), 0);
    int held = hold(
        &here, LOCK_EX); /* as another teaching does, before it has written anything */
    assert_refused(teach(&here, here.directory, 7, &error), SOTTO_INVALID_ARGUMENT,
                   &error, "in use by another sotto pate teach", NULL);
    char name[NAME_BYTES];
    snprintf(name, sizeof name, "%s/teachers.json", here.directory);
    assert_int_not_equal(access(name, F_OK), 0); /* it was not touched */
    assert_int_equal(close(held), 0);
    assert_ok(teach(&here, here.directory, 7, &error), &error);

    held = hold(&here, LOCK_EX);
    assert_refused(label(&here, &error), SOTTO_INVALID_ARGUMENT, &error,
                   "in use by sotto pate teach", NULL);
    assert_int_equal(close(held), 0);
    held = hold(&here, LOCK_SH); /* labels read together, and nobody writes meanwhile */
    assert_ok(label(&here, &error), &error);
    assert_refused(teach(&here, here.directory, 7, &error), SOTTO_INVALID_ARGUMENT,
                   &error, "in use by another sotto pate teach", NULL);
    assert_int_equal(close(held), 0);
    assert_ok(teach(&here, here.directory, 7, &error), &error);
    held = hold(&here, LOCK_EX); /* no run keeps its lock */
    assert_int_equal(close(held), 0);
    end(&here);
}

static void teachers_of_two_ensembles_are_refused(void **state)
{
    (void)state;
    scene here;
    sotto_error error;
    char ours[NAME_BYTES], theirs[NAME_BYTES], kept[NAME_BYTES];
    begin(&here);
    assert_ok(teach(&here, here.directory, 7, &error), &error);
    assert_ok(teach(&here, here.other, 8, &error), &error);
    name_teacher(here.directory, 2, ours);
    name_teacher(here.other, 2, theirs);
    snprintf(kept, sizeof kept, "%s/kept", here.place);
    copy_file(ours, kept);
    copy_file(theirs, ours); /* the shards of another key */
    assert_refused(label(&here, &error), SOTTO_INVALID_ARGUMENT, &error,
                   "teacher-00002.json belongs to another ensemble", NULL);
    assert_refused(teach(&here, here.directory, 7, &error), SOTTO_INVALID_ARGUMENT,
                   &error, "belongs to another ensemble", NULL);
    name_teacher(here.directory, 3, theirs);
    copy_file(theirs, ours); /* one teacher would vote twice */
    assert_refused(label(&here, &error), SOTTO_INVALID_ARGUMENT, &error,
                   "teacher-00002.json belongs to another ensemble", NULL);
    copy_file(kept, ours);
    assert_ok(label(&here, &error), &error);
    end(&here);
}

/* Without its description a directory gets a new key: the teachers of the old one are found out. */
static void a_lost_description_mixes_nothing(void **state)
{
    (void)state;
    scene here;
    sotto_error error;
    char name[NAME_BYTES];
    begin(&here);
    assert_ok(teach(&here, here.directory, 7, &error), &error);
    snprintf(name, sizeof name, "%s/teachers.json", here.directory);
    assert_int_equal(unlink(name), 0);
    name_teacher(here.directory, 1, name);
    assert_int_equal(unlink(name), 0);
    assert_refused(teach(&here, here.directory, 8, &error), SOTTO_INVALID_ARGUMENT,
                   &error, "belongs to another ensemble", NULL);
    assert_int_not_equal(access(name, F_OK), 0);
    end(&here);
}

static void partial_teachers_are_removed(void **state)
{
    (void)state;
    scene here;
    sotto_error error;
    char partial[NAME_BYTES], own[NAME_BYTES];
    begin(&here);
    assert_ok(teach(&here, here.directory, 7, &error), &error);
    snprintf(partial, sizeof partial, "%s/.sotto-4711-0.tmp", here.directory);
    snprintf(own, sizeof own, "%s/.notes.tmp", here.directory);
    copy_file(here.rows, own); /* a file of the owner stays */
    copy_file(here.rows, partial);
    assert_ok(label(&here, &error), &error);
    assert_int_not_equal(access(partial, F_OK), 0);
    copy_file(here.rows, partial);
    assert_ok(teach(&here, here.directory, 7, &error), &error);
    assert_int_not_equal(access(partial, F_OK), 0);
    assert_int_equal(access(own, F_OK), 0);
    end(&here);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_teaching_at_a_time),
        cmocka_unit_test(teachers_of_two_ensembles_are_refused),
        cmocka_unit_test(a_lost_description_mixes_nothing),
        cmocka_unit_test(partial_teachers_are_removed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
