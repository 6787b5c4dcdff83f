/* Teachers on several threads are the teachers of one, and so are their votes. */
#include "support.h"

#include <stdlib.h>

#include "commands/pate/pate_scene.h"

/* On three threads a batch has 12 teachers: the second one is not full. */
enum { TEACHERS = 13, THREADS = 3, FILE_BYTES = 1 << 16 };

static const char schema_text[] =
    "{\"dataset\": \"scene\", \"target\": {\"column\": \"y\", \"labels\": [\"no\", "
    "\"yes\"]}, \"columns\": ["
    "{\"name\": \"x\", \"type\": \"number\", \"lower\": 0, \"upper\": 64},"
    "{\"name\": \"y\", \"type\": \"category\", \"values\": [\"no\", \"yes\"]}]}";

typedef struct scene {
    char place[64], rows[96], unlabelled[96];
    char directory[2][96]; /* of one thread, of several */
} scene;

static void begin(scene *here)
{
    strcpy(here->place, "/tmp/sotto_pate_XXXXXX");
    assert_non_null(mkdtemp(here->place));
    snprintf(here->rows, sizeof here->rows, "%s/rows.csv", here->place);
    snprintf(here->unlabelled, sizeof here->rows, "%s/public.csv", here->place);
    snprintf(here->directory[0], sizeof here->rows, "%s/alone", here->place);
    snprintf(here->directory[1], sizeof here->rows, "%s/together", here->place);
    FILE *rows = fopen(here->rows, "w");
    FILE *unlabelled = fopen(here->unlabelled, "w");
    assert_true(rows != NULL && unlabelled != NULL);
    fprintf(rows, "x,y\n");
    fprintf(unlabelled, "x\n");
    for (int i = 0; i < 120; i++) {
        const int x = (37 * i) % 65;
        fprintf(rows, "%d.%d,%s\n", x, i % 10, x > 30 ? "yes" : "no");
        fprintf(unlabelled, "%d.%d\n", (41 * i) % 65, i % 9);
    }
    assert_int_equal(fclose(rows), 0);
    assert_int_equal(fclose(unlabelled), 0);
}

static void end(scene *here)
{
    scene_remove(here->directory[0]);
    scene_remove(here->directory[1]);
    scene_remove(here->place);
}

static void teach(const scene *here, const char *directory, size_t threads)
{
    sotto_error error;
    sotto_schema *schema = NULL;
    sotto_pate_result *result = NULL;
    const sotto_data_file file = {.path = here->rows};
    sotto_pate_teach_config config = scene_teach(directory, TEACHERS);
    config.training.threads = threads;
    assert_ok(sotto_schema_parse("s", schema_text, strlen(schema_text), &schema, &error),
              &error);
    assert_ok(sotto_pate_teach(&config, schema, &file, &result, &error), &error);
    sotto_pate_free(result);
    sotto_schema_free(schema);
}

static sotto_pate_result *label(const scene *here, const char *directory, size_t threads)
{
    sotto_error error;
    sotto_pate_result *result = NULL;
    const sotto_data_file file = {.path = here->unlabelled};
    sotto_pate_label_config config = scene_label(SOTTO_PATE_CONFIDENT, directory, 60);
    config.threads = threads;
    assert_ok(sotto_pate_label_rows(&config, NULL, &file, &result, &error), &error);
    return result;
}

static size_t read_whole(const char *directory, const char *name, char *out)
{
    char path[ENTRY_BYTES];
    snprintf(path, sizeof path, "%.600s/%s", directory, name);
    FILE *file = fopen(path, "r");
    if (file == NULL) fail_msg("no file %s", path);
    const size_t size = fread(out, 1, FILE_BYTES, file);
    assert_int_equal(fclose(file), 0);
    assert_true(size < FILE_BYTES);
    return size;
}

static void expect_same_files(const char *one, const char *other)
{
    static char left[FILE_BYTES], right[FILE_BYTES];
    size_t count = 0;
    DIR *stream = opendir(one);
    assert_non_null(stream);
    for (const struct dirent *entry = readdir(stream); entry != NULL;
         entry = readdir(stream)) {
        if (strncmp(entry->d_name, "teacher-", strlen("teacher-")) != 0) continue;
        const size_t size = read_whole(one, entry->d_name, left);
        assert_int_equal(read_whole(other, entry->d_name, right), size);
        assert_memory_equal(left, right, size);
        count++;
    }
    assert_int_equal(closedir(stream), 0);
    assert_int_equal(count, TEACHERS);
}

static void threads_change_no_teacher_and_no_label(void **state)
{
    (void)state;
    scene here;
    begin(&here);
    teach(&here, here.directory[0], 1);
    teach(&here, here.directory[1], THREADS);
    expect_same_files(here.directory[0], here.directory[1]);
    sotto_pate_result *alone = label(&here, here.directory[0], 1);
    sotto_pate_result *together = label(&here, here.directory[0], THREADS);
    assert_true(sotto_pate_answered(alone) > 0);
    assert_string_equal(sotto_pate_json(alone), sotto_pate_json(together));
    sotto_pate_free(alone);
    sotto_pate_free(together);
    end(&here);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_change_no_teacher_and_no_label),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
