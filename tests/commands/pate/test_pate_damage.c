/* Edited descriptions, damaged teachers, refused settings and failures of the machine: each is refused in words that name
 * the remedy, no directory gets a second ensemble, and the same command completes what a failure left. */
#include "support.h"

#include <stdlib.h>

#include "base/file/file.h"
#include "base/memory.h"
#include "commands/pate/pate_scene.h"
#include "random/entropy.h"

enum { TEACHERS = 3, ROWS = 60, NAME_BYTES = 160, FILE_BYTES_MAX = 1 << 20 };

typedef struct scene {
    char place[64];
    char rows[96], directory[96], description[112];
    sotto_schema *schema;
} scene;

/* %s: members before the target. */
static const char schema_pattern[] =
    "{\"dataset\": \"scene\", %s\"target\": {\"column\": \"y\", \"labels\": [\"no\", "
    "\"yes\"]}, \"columns\": ["
    "{\"name\": \"x\", \"type\": \"number\", \"lower\": 0, \"upper\": 64},"
    "{\"name\": \"y\", \"type\": \"category\", \"values\": [\"no\", \"yes\"]}%s]}";
static const char person[] = ",{\"name\": \"p\", \"type\": \"id\"}";

static void use_schema(scene *here, const char *members, const char *columns)
{
    char text[1024];
    sotto_error error;
    snprintf(text, sizeof text, schema_pattern, members, columns);
    sotto_schema_free(here->schema);
    here->schema = NULL;
    assert_ok(sotto_schema_parse("s", text, strlen(text), &here->schema, &error), &error);
}

static void begin(scene *here)
{
    *here = (scene){.place = "/tmp/sotto_pate_XXXXXX"};
    assert_non_null(mkdtemp(here->place));
    snprintf(here->rows, sizeof here->rows, "%s/rows.csv", here->place);
    snprintf(here->directory, sizeof here->directory, "%s/teachers", here->place);
    snprintf(here->description, sizeof here->description, "%s/teachers.json",
             here->directory);
    FILE *file = fopen(here->rows, "w");
    assert_non_null(file);
    fprintf(file, "x,y,p\n");
    for (size_t i = 0; i < ROWS; i++)
        fprintf(file, "%zu.5,%s,p%zu\n", i, i > 30 ? "yes" : "no", i);
    assert_int_equal(fclose(file), 0);
    use_schema(here, "", person);
}

static void end(scene *here)
{
    sotto_schema_free(here->schema);
    scene_remove(here->directory);
    scene_remove(here->place);
}

static sotto_status teach_by(const scene *here, const sotto_pate_teach_config *config,
                             sotto_error *error)
{
    sotto_pate_result *result = NULL;
    const sotto_data_file file = {.path = here->rows};
    const sotto_status status =
        sotto_pate_teach(config, here->schema, &file, &result, error);
    assert_true((status == SOTTO_OK) == (result != NULL));
    sotto_pate_free(result);
    return status;
}

static sotto_status teach(const scene *here, sotto_error *error)
{
    const sotto_pate_teach_config config = scene_teach(here->directory, TEACHERS);
    return teach_by(here, &config, error);
}

static sotto_status label_from(const scene *here, const char *directory,
                               sotto_error *error)
{
    sotto_pate_result *result = NULL;
    const sotto_data_file file = {.path = here->rows};
    const sotto_pate_label_config config = scene_label(SOTTO_PATE_GNMAX, directory, 3);
    const sotto_status status =
        sotto_pate_label_rows(&config, NULL, &file, &result, error);
    assert_true((status == SOTTO_OK) == (result != NULL));
    sotto_pate_free(result);
    return status;
}

static sotto_status label(const scene *here, sotto_error *error)
{
    return label_from(here, here->directory, error);
}

typedef struct content {
    char *bytes; /* followed by a NUL */
    size_t size_bytes;
} content;

static content take(const char *path)
{
    content file = {NULL, 0};
    sotto_error error;
    assert_ok(sot_file_read(path, FILE_BYTES_MAX, &file.bytes, &file.size_bytes, &error),
              &error);
    return file;
}

static void put(const char *path, const char *bytes, size_t size_bytes)
{
    sotto_error error;
    assert_ok(sot_file_write(path, bytes, size_bytes, 0600, &error), &error);
}

/* ---- the description ---- */

/* Writes the description with `text` in the place of the value of `key`; NULL: with another name of the member. */
static void edit(const scene *here, const content *whole, const char *key,
                 const char *text)
{
    char quoted[64];
    snprintf(quoted, sizeof quoted, "\"%s\":", key);
    const char *found = strstr(whole->bytes, quoted);
    assert_non_null(found);
    const char *from = text == NULL ? found + 1 : found + strlen(quoted);
    const char *to = from;
    if (text != NULL) {
        int depth = 0;
        for (; *to != '\n' || depth > 0; to++)
            depth += *to == '{' ? 1 : *to == '}' ? -1 : 0;
        if (to[-1] == ',') to--;
    }
    char *edited = malloc(whole->size_bytes + 64);
    assert_non_null(edited);
    const int size = sprintf(edited, "%.*s%s%s", (int)(from - whole->bytes), whole->bytes,
                             text == NULL ? "x" : text, to);
    put(here->description, edited, (size_t)size);
    free(edited);
}

static void an_edited_description_is_refused(void **state)
{
    (void)state;
    static const char too_many[] = "99999999";
    static const struct {
        const char *key, *text, *word;
    } edits[] = {
        {"kind", " \"models\"", "again into a new directory"},
        {"kind", " 7", "kind"},
        {"version", " 1", "again into a new directory"},
        {"version", " \"2\"", "version"},
        {"teachers", " 1", "there are 2 to"},
        {"teachers", too_many, "there are 2 to"},
        {"teachers", " \"3\"", "teachers"},
        {"sharding", " \"colour\"", "give auto, unit, content or place"},
        {"sharding", " 7", "sharding"},
        {"sharding", " \"place\"", "no guarantee for add-remove neighbours"},
        {"adjacency", " \"next-door\"", "adjacency"},
        {"adjacency", " 7", "adjacency"},
        {"rows", " \"elsewhere\"", "rows"},
        {"settings", " 7", "settings"},
        {"key", " \"zz\"", "the key of the shards is not one"},
        {"key", " \"0011\"", "the key of the shards is not one"},
        {"key", " 7", "key"},
        {"schema", " 7", "schema"},
        {"schema", " {}", "schema"},
        {"ledger", " 7", "ledger"},
        {"kind", NULL, "kind"},
        {"version", NULL, "version"},
        {"teachers", NULL, "teachers"},
        {"sharding", NULL, "sharding"},
        {"adjacency", NULL, "adjacency"},
        {"settings", NULL, "settings"},
        {"key", NULL, "key"},
        {"schema", NULL, "schema"},
    };
    scene here;
    sotto_error error;
    begin(&here);
    use_schema(&here, "\"ledger\": \"none.ledger\", ", person);
    assert_ok(teach(&here, &error), &error);
    const content whole = take(here.description);
    for (size_t i = 0; i < sizeof edits / sizeof edits[0]; i++) {
        edit(&here, &whole, edits[i].key, edits[i].text);
        const content edited = take(here.description);
        sotto_status status = label(&here, &error);
        assert_true(status == SOTTO_PARSE || status == SOTTO_INVALID_ARGUMENT);
        assert_refused(status, status, &error, edits[i].word, NULL);
        status = teach(&here, &error);
        assert_true(status == SOTTO_PARSE || status == SOTTO_INVALID_ARGUMENT);
        assert_refused(status, status, &error, edits[i].word, NULL);
        const content after = take(here.description); /* it is not repaired by a guess */
        assert_int_equal(after.size_bytes, edited.size_bytes);
        assert_memory_equal(after.bytes, edited.bytes, edited.size_bytes);
        sot_free(edited.bytes);
        sot_free(after.bytes);
    }
    put(here.description, "", 0);
    assert_refused(label(&here, &error), SOTTO_PARSE, &error, "teachers.json", NULL);
    put(here.description, whole.bytes, whole.size_bytes);
    assert_ok(teach(&here, &error), &error);
    sot_free(whole.bytes);
    end(&here);
}

/* An edited setting makes other tags: the teachers of the directory are no longer its own. */
static void edited_settings_disown_the_teachers(void **state)
{
    (void)state;
    scene here;
    sotto_error error;
    begin(&here);
    assert_ok(teach(&here, &error), &error);
    const content whole = take(here.description);
    edit(&here, &whole, "settings", " \"{}\"");
    assert_refused(label(&here, &error), SOTTO_INVALID_ARGUMENT, &error,
                   "belongs to another ensemble", NULL);
    assert_refused(teach(&here, &error), SOTTO_INVALID_ARGUMENT, &error,
                   "teachers of other settings", "another directory", NULL);
    sot_free(whole.bytes);
    end(&here);
}

static void a_directory_keeps_to_its_settings(void **state)
{
    (void)state;
    scene here;
    sotto_error error;
    begin(&here);
    assert_ok(teach(&here, &error), &error);
    sotto_pate_teach_config config = scene_teach(here.directory, TEACHERS + 1);
    assert_refused(teach_by(&here, &config, &error), SOTTO_INVALID_ARGUMENT, &error,
                   "teachers of other settings", NULL);
    config = scene_teach(here.directory, TEACHERS);
    config.training.adjacency = SOTTO_REPLACE_ONE;
    assert_refused(teach_by(&here, &config, &error), SOTTO_INVALID_ARGUMENT, &error,
                   "teachers of other settings", NULL);
    config.training.public_n = ROWS; /* by place */
    assert_refused(teach_by(&here, &config, &error), SOTTO_INVALID_ARGUMENT, &error,
                   "teachers of other settings", NULL);
    use_schema(&here, "", ",{\"name\": \"p\", \"type\": \"ignore\"}");
    assert_refused(teach(&here, &error), SOTTO_INVALID_ARGUMENT, &error,
                   "teachers of other settings", NULL);
    use_schema(&here, "", person);
    assert_ok(teach(&here, &error), &error);
    end(&here);
}

/* ---- teachers ---- */

static void a_damaged_teacher_does_not_vote(void **state)
{
    (void)state;
    scene here;
    sotto_error error;
    char name[NAME_BYTES];
    begin(&here);
    assert_ok(teach(&here, &error), &error);
    snprintf(name, sizeof name, "%s/teacher-00002.json", here.directory);
    const content whole = take(name);
    const size_t front = (size_t)(strstr(whole.bytes, "\"model\":") - whole.bytes) + 8;
    const size_t short_of_one[] = {0, 1, 40, front - 1};
    for (size_t i = 0; i < sizeof short_of_one / sizeof short_of_one[0]; i++) {
        put(name, whole.bytes, short_of_one[i]);
        assert_refused(label(&here, &error), SOTTO_INVALID_ARGUMENT, &error,
                       "not all finished", NULL);
    }
    whole.bytes[front - 3] = 'M'; /* another member */
    put(name, whole.bytes, whole.size_bytes);
    assert_refused(label(&here, &error), SOTTO_INVALID_ARGUMENT, &error,
                   "not all finished", NULL);
    whole.bytes[front - 3] = 'l';
    const size_t no_end[] = {front, front + 2, front + 3, whole.size_bytes - 1};
    for (size_t i = 0; i < sizeof no_end / sizeof no_end[0]; i++) {
        put(name, whole.bytes, no_end[i]);
        assert_refused(label(&here, &error), SOTTO_PARSE, &error, "teacher-00002.json",
                       "delete it and run sotto pate teach again", NULL);
    }
    whole.bytes[front + 1] = '!'; /* whole, but its model is none */
    put(name, whole.bytes, whole.size_bytes);
    assert_refused(label(&here, &error), SOTTO_PARSE, &error, "teacher-00002.json", NULL);
    assert_int_equal(unlink(name), 0);
    assert_int_equal(mkdir(name, 0700), 0);
    assert_refused(label(&here, &error), SOTTO_INVALID_ARGUMENT, &error,
                   "not all finished", NULL);
    assert_int_equal(rmdir(name), 0);
    assert_ok(teach(&here, &error), &error); /* the remedy */
    assert_ok(label(&here, &error), &error);
    sot_free(whole.bytes);
    end(&here);
}

static void an_unreadable_digest_of_rows_is_refused(void **state)
{
    (void)state;
    scene here;
    sotto_error error;
    char name[NAME_BYTES];
    begin(&here);
    assert_ok(teach(&here, &error), &error);
    snprintf(name, sizeof name, "%s/rows.digest", here.directory);
    put(name, "00", 2);
    assert_refused(teach(&here, &error), SOTTO_INVALID_ARGUMENT, &error,
                   "trained on other rows", NULL);
    assert_int_equal(unlink(name), 0);
    assert_int_equal(mkdir(name, 0700), 0);
    assert_int_equal(teach(&here, &error), SOTTO_IO);
    assert_non_null(strstr(error.message, "rows.digest"));
    assert_int_equal(rmdir(name), 0);
    end(&here);
}

/* ---- places ---- */

static void a_place_that_others_can_read_is_refused(void **state)
{
    (void)state;
    scene here;
    sotto_error error;
    char missing[128], path[1200];
    begin(&here);
    assert_int_equal(mkdir(here.directory, 0755), 0);
    assert_int_equal(chmod(here.directory, 0750), 0); /* whatever the umask is */
    assert_refused(teach(&here, &error), SOTTO_INVALID_ARGUMENT, &error, "chmod 700",
                   NULL);
    assert_int_not_equal(access(here.description, F_OK), 0);
    sotto_pate_teach_config config = scene_teach(here.rows, TEACHERS); /* a file */
    assert_refused(teach_by(&here, &config, &error), SOTTO_INVALID_ARGUMENT, &error,
                   "is not a directory", NULL);
    snprintf(missing, sizeof missing, "%s/none/teachers", here.place);
    config.directory = missing;
    assert_refused(teach_by(&here, &config, &error), SOTTO_IO, &error, "cannot be made",
                   NULL);
    assert_refused(label_from(&here, missing, &error), SOTTO_IO, &error, "cannot open",
                   NULL);
    snprintf(path, sizeof path, "%s", here.directory);
    while (strlen(path) < 1015)
        strcat(path, "/.");
    assert_int_equal(chmod(here.directory, 0700), 0);
    config.directory = path;
    assert_refused(teach_by(&here, &config, &error), SOTTO_INVALID_ARGUMENT, &error,
                   "is too long; give a shorter one", NULL);
    assert_refused(label_from(&here, path, &error), SOTTO_INVALID_ARGUMENT, &error,
                   "is too long; give a shorter one", NULL);
    /* Long enough for the description, not for a teacher. */
    path[1024 - strlen("/teachers.json") - 1] = '\0';
    assert_refused(teach_by(&here, &config, &error), SOTTO_INVALID_ARGUMENT, &error,
                   "is too long; give a shorter one", NULL);
    end(&here);
}

/* ---- settings ---- */

static void settings_that_teachers_do_not_have_are_refused(void **state)
{
    (void)state;
    scene here;
    sotto_error error;
    begin(&here);
    sotto_pate_teach_config config = scene_teach(here.directory, TEACHERS);
    config.training.delta = 1e-5;
    assert_refused(teach_by(&here, &config, &error), SOTTO_INVALID_ARGUMENT, &error,
                   "sotto pate label", NULL);
    config = scene_teach(here.directory, TEACHERS);
    config.training.ledger = "some.ledger";
    assert_refused(teach_by(&here, &config, &error), SOTTO_INVALID_ARGUMENT, &error,
                   "sotto pate label", NULL);
    for (int i = 0; i < 3; i++) {
        config = scene_teach(here.directory, TEACHERS);
        if (i == 0) config.training.stream = true;
        if (i == 1) config.training.max_minutes = 5.0;
        if (i == 2) config.training.validation = here.rows;
        assert_refused(teach_by(&here, &config, &error), SOTTO_INVALID_ARGUMENT, &error,
                       "leave these settings out", NULL);
    }
    config = scene_teach(here.directory, TEACHERS);
    config.training.method = SOTTO_METHOD_GD;
    assert_refused(teach_by(&here, &config, &error), SOTTO_INVALID_ARGUMENT, &error,
                   "leave `method` out", NULL);
    config = scene_teach(here.directory, 1000000000);
    assert_refused(teach_by(&here, &config, &error), SOTTO_INVALID_ARGUMENT, &error,
                   "`ensemble` is 1000000000", "for example 250", NULL);
    for (int i = 0; i < 2; i++) {
        config = scene_teach(i == 0 ? NULL : "", TEACHERS);
        assert_refused(teach_by(&here, &config, &error), SOTTO_INVALID_ARGUMENT, &error,
                       "directory of the teachers is missing", NULL);
    }
    config = scene_teach(here.directory, TEACHERS);
    config.training.adjacency = (sotto_adjacency)7;
    assert_refused(teach_by(&here, &config, &error), SOTTO_INVALID_ARGUMENT, &error,
                   "adjacency", NULL);
    assert_int_not_equal(access(here.directory, F_OK), 0); /* nothing was begun */
    end(&here);
}

static void a_unit_decides_the_shards(void **state)
{
    (void)state;
    scene here;
    sotto_error error;
    sotto_pate_result *result = NULL;
    begin(&here);
    use_schema(&here, "\"unit\": {\"column\": \"p\", \"rows\": 2}, ", person);
    sotto_pate_teach_config config = scene_teach(here.directory, TEACHERS);
    config.sharding = SOTTO_PATE_BY_CONTENT;
    assert_refused(teach_by(&here, &config, &error), SOTTO_INVALID_ARGUMENT, &error,
                   "use `sharding=unit`, not content", NULL);
    config.sharding = SOTTO_PATE_BY_RULE;
    config.training.adjacency = SOTTO_REPLACE_ONE;
    config.training.public_n = ROWS;
    assert_refused(teach_by(&here, &config, &error), SOTTO_INVALID_ARGUMENT, &error,
                   "with a unit in the schema; leave `public_n` out", NULL);
    config.training.public_n = 0;
    const sotto_data_file file = {.path = here.rows};
    assert_ok(sotto_pate_teach(&config, here.schema, &file, &result, &error), &error);
    assert_non_null(strstr(sotto_pate_text(result), "by unit: keyed hash of the unit"));
    assert_non_null(strstr(sotto_pate_text(result), "one unit touches up to two"));
    assert_non_null(strstr(sotto_pate_json(result), "\"touched\":2"));
    sotto_pate_free(result);
    end(&here);
}

static void shardings_have_names(void **state)
{
    (void)state;
    sotto_error error;
    sotto_pate_sharding sharding = SOTTO_PATE_BY_RULE;
    assert_ok(sotto_pate_sharding_from_name("place", &sharding, &error), &error);
    assert_int_equal(sharding, SOTTO_PATE_BY_PLACE);
    assert_string_equal(sotto_pate_sharding_name(sharding), "place");
    assert_string_equal(sotto_pate_sharding_name((sotto_pate_sharding)9), "unknown");
    assert_refused(sotto_pate_sharding_from_name("rows", &sharding, &error),
                   SOTTO_INVALID_ARGUMENT, &error, "'rows'; give auto, unit", NULL);
}

/* The labels find the budget wherever they are made from: the description has the whole name of the ledger. */
static void the_description_names_the_ledger(void **state)
{
    (void)state;
    scene here;
    sotto_error error;
    char ledger[NAME_BYTES], members[NAME_BYTES + 32];
    begin(&here);
    snprintf(ledger, sizeof ledger, "%s/budget.ledger", here.place);
    put(ledger, "", 0);
    snprintf(members, sizeof members, "\"ledger\": \"%s/../%s/budget.ledger\", ",
             here.place, strrchr(here.place, '/') + 1);
    use_schema(&here, members, person);
    assert_ok(teach(&here, &error), &error);
    const content whole = take(here.description);
    assert_non_null(strstr(whole.bytes, ledger));
    sot_free(whole.bytes);
    assert_refused(label(&here, &error), SOTTO_INVALID_ARGUMENT, &error,
                   "a ledger charges only for secret noise", NULL);
    snprintf(members, sizeof members, "\"ledger\": \"%s/none\", ", here.rows);
    use_schema(&here, members, person); /* a file is no directory */
    assert_refused(teach(&here, &error), SOTTO_IO, &error, "cannot look at", NULL);
    end(&here);
}

/* ---- failures of the machine ---- */

static void assert_taught(const scene *here)
{
    sotto_error error;
    assert_ok(teach(here, &error), &error);
    assert_ok(label(here, &error), &error);
}

static void memory_that_fails_leaves_a_directory_that_can_be_completed(void **state)
{
    (void)state;
    scene here;
    sotto_error error;
    begin(&here);
    use_schema(&here, "\"ledger\": \"none.ledger\", ", person);
    size_t nth = 1;
    for (bool failed = true; failed; nth += 1 + nth / 64) {
        scene_remove(here.directory);
        (void)sot_test_fail_allocation(nth);
        sotto_status status = teach(&here, &error);
        failed = sot_test_fail_allocation(0) >= nth;
        assert_int_equal(status, failed ? SOTTO_OUT_OF_MEMORY : SOTTO_OK);
        if (failed && nth % 5 == 0) assert_ok(teach(&here, &error), &error);
    }
    assert_true(nth > 100);
    use_schema(&here, "", person);
    scene_remove(here.directory);
    assert_taught(&here);
    for (nth = 1;; nth += 1 + nth / 64) { /* everything is finished: nothing is written */
        (void)sot_test_fail_allocation(nth);
        const sotto_status status = teach(&here, &error);
        const bool failed = sot_test_fail_allocation(0) >= nth;
        assert_int_equal(status, failed ? SOTTO_OUT_OF_MEMORY : SOTTO_OK);
        if (!failed) break;
    }
    for (nth = 1;; nth += 1 + nth / 64) {
        (void)sot_test_fail_allocation(nth);
        const sotto_status status = label(&here, &error);
        const bool failed = sot_test_fail_allocation(0) >= nth;
        assert_int_equal(status, failed ? SOTTO_OUT_OF_MEMORY : SOTTO_OK);
        if (!failed) break;
    }
    end(&here);
}

static void a_failed_write_leaves_a_directory_that_can_be_completed(void **state)
{
    (void)state;
    static const sot_file_step steps[] = {SOT_FILE_OPEN, SOT_FILE_WRITE, SOT_FILE_SYNC,
                                          SOT_FILE_CLOSE, SOT_FILE_RENAME};
    scene here;
    sotto_error error;
    begin(&here);
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        size_t failures = 0;
        for (size_t nth = 1;; nth++) {
            scene_remove(here.directory);
            sot_test_file_fault(steps[i], nth, 0);
            const sotto_status status = teach(&here, &error);
            sot_test_file_fault(SOT_FILE_NO_STEP, 0, 0);
            if (status == SOTTO_OK) break;
            assert_refused(status, SOTTO_IO, &error, here.directory, NULL);
            failures++;
            assert_taught(&here);
        }
        assert_int_equal(failures, TEACHERS + 3); /* and note, description, digest */
    }
    end(&here);
}

static void without_entropy_no_key_is_written(void **state)
{
    (void)state;
    scene here;
    sotto_error error;
    begin(&here);
    sotto_pate_teach_config config = scene_teach(here.directory, TEACHERS);
    config.training.insecure_test = false;
    sot_test_set_entropy(SOT_TEST_ENTROPY_FAILS);
    const sotto_status status = teach_by(&here, &config, &error);
    sot_test_set_entropy(SOT_TEST_ENTROPY_REAL);
    assert_int_equal(status, SOTTO_ENTROPY);
    assert_int_not_equal(access(here.description, F_OK), 0);
    assert_ok(teach_by(&here, &config, &error), &error);
    end(&here);
}

/* ---- stopping ---- */

typedef struct listener {
    size_t calls, stop_at; /* 0: never */
    uint64_t teachers;     /* that were reported last */
} listener;

static int hear(const sotto_progress *progress, void *context)
{
    listener *l = context;
    l->calls++;
    if (!progress->asks_only) l->teachers = progress->step;
    return l->stop_at > 0 && l->calls >= l->stop_at;
}

static void a_stopped_teaching_is_resumed(void **state)
{
    (void)state;
    scene here;
    sotto_error error;
    begin(&here);
    for (uint32_t threads = 1; threads <= 2; threads++) {
        scene_remove(here.directory);
        listener who = {.stop_at = 1};
        sotto_pate_teach_config config = scene_teach(here.directory, 12);
        config.training.threads = threads;
        config.training.progress = hear;
        config.training.progress_context = &who;
        assert_int_equal(teach_by(&here, &config, &error), SOTTO_INTERRUPTED);
        assert_true(who.calls >= 1);
        assert_refused(label(&here, &error), SOTTO_INVALID_ARGUMENT, &error,
                       "not all finished", NULL);
        who = (listener){.stop_at = 0};
        assert_ok(teach_by(&here, &config, &error), &error);
        assert_int_equal(who.teachers, 12);
        assert_ok(label(&here, &error), &error);
    }
    end(&here);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_edited_description_is_refused),
        cmocka_unit_test(edited_settings_disown_the_teachers),
        cmocka_unit_test(a_directory_keeps_to_its_settings),
        cmocka_unit_test(a_damaged_teacher_does_not_vote),
        cmocka_unit_test(an_unreadable_digest_of_rows_is_refused),
        cmocka_unit_test(a_place_that_others_can_read_is_refused),
        cmocka_unit_test(settings_that_teachers_do_not_have_are_refused),
        cmocka_unit_test(a_unit_decides_the_shards),
        cmocka_unit_test(shardings_have_names),
        cmocka_unit_test(the_description_names_the_ledger),
        cmocka_unit_test(memory_that_fails_leaves_a_directory_that_can_be_completed),
        cmocka_unit_test(a_failed_write_leaves_a_directory_that_can_be_completed),
        cmocka_unit_test(without_entropy_no_key_is_written),
        cmocka_unit_test(a_stopped_teaching_is_resumed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
