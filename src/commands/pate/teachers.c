/* The files of the teachers. Each has a model, in a format that no reader of models accepts, and
 * a tag of the teacher and its ensemble. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include <sodium.h>

#include "base/error.h"
#include "base/file/file.h"
#include "base/file/steps.h"
#include "base/memory.h"
#include "commands/pate/pate.h"

/* Around a model, so that nothing that reads models takes it for one: it would pass for a model of public rows. */
static const char head[] =
    "{\"kind\":\"secret teacher\",\"about\":\"learned WITHOUT NOISE "
    "from private rows: never publish\",\"ensemble\":\"";
static const char middle[] = "\",\"model\":";
static const char constant[] = "null"; /* always says the first class */
static const char tail[] = "}\n";
enum {
    TAG_BYTES = 32,
    TAG_LETTERS = 2 * TAG_BYTES,
    HEAD_BYTES = sizeof head - 1,
    MIDDLE_BYTES = sizeof middle - 1,
    FRONT_BYTES = HEAD_BYTES + TAG_LETTERS + MIDDLE_BYTES, /* all before the model */
    TAIL_BYTES = sizeof tail - 1
};

bool sot_pate_teacher_path(const sot_pate_directory *directory, size_t teacher,
                           char out_path[SOT_PATE_PATH_BYTES])
{
    char name[32];
    (void)snprintf(name, sizeof name, "teacher-%05zu.json", teacher + 1);
    return sot_pate_path(directory, name, out_path);
}

static void add(crypto_generichash_state *state, const char *text)
{
    /* Includes the NUL, which ends the text, so that two texts cannot be split at another
     * place. */
    (void)crypto_generichash_update(state, (const unsigned char *)text, strlen(text) + 1);
}

/* BLAKE2b under the key of the shards over the settings, the schema and the teacher's number.
 * So a file of another ensemble, whose shards overlap ours, or of another teacher has another
 * tag. */
static void tag_of(const sot_pate_directory *directory, size_t teacher,
                   char out_hex[TAG_LETTERS + 1])
{
    unsigned char tag[TAG_BYTES];
    char place[64];
    crypto_generichash_state state;
    (void)snprintf(place, sizeof place, "teacher %zu of %zu", teacher + 1,
                   directory->sharding.count);
    (void)crypto_generichash_init(&state, directory->sharding.key,
                                  sizeof directory->sharding.key, sizeof tag);
    add(&state, place);
    add(&state, directory->settings);
    add(&state, directory->schema_json);
    (void)crypto_generichash_final(&state, tag, sizeof tag);
    (void)sodium_bin2hex(out_hex, TAG_LETTERS + 1, tag, sizeof tag);
    sot_wipe(&state, sizeof state); /* it holds the key */
}

static bool begins_like_one(const char *text, size_t size_bytes)
{
    return size_bytes >= FRONT_BYTES && memcmp(text, head, HEAD_BYTES) == 0 &&
           memcmp(text + HEAD_BYTES + TAG_LETTERS, middle, MIDDLE_BYTES) == 0;
}

static sotto_status check_tag(const sot_pate_directory *directory, size_t teacher,
                              const char *path, const char *text, sotto_error *error)
{
    char expected[TAG_LETTERS + 1];
    tag_of(directory, teacher, expected);
    if (memcmp(text + HEAD_BYTES, expected, TAG_LETTERS) == 0) return SOTTO_OK;
    return sot_fail(
        error, SOTTO_INVALID_ARGUMENT,
        "%.120s belongs to another ensemble, whose shards overlap with these; delete it "
        "and run sotto pate teach again, or give another directory",
        path);
}

sotto_status sot_pate_teacher_find(const sot_pate_directory *directory, size_t teacher,
                                   bool *out_is_finished, sotto_error *error)
{
    char path[SOT_PATE_PATH_BYTES], front[FRONT_BYTES];
    struct stat facts;
    *out_is_finished = false;
    if (!sot_pate_teacher_path(directory, teacher, path))
        return sot_pate_fail_long(directory, error);
    /* Only a missing file is an unfinished teacher: one that cannot be read may be finished. */
    if (stat(path, &facts) != 0)
        return errno == ENOENT ? SOTTO_OK : sot_file_fail(error, "read", path, errno);
    if (!S_ISREG(facts.st_mode)) return SOTTO_OK;
    FILE *file = fopen(path, "rb");
    if (file == NULL) return sot_file_fail(error, "read", path, errno);
    (void)setvbuf(file, NULL, _IONBF, 0); /* no copy of the teacher stays behind */
    const size_t got = fread(front, 1, sizeof front, file);
    const int code = ferror(file) != 0 ? errno : 0;
    (void)fclose(file);
    if (code != 0) return sot_file_fail(error, "read", path, code);
    if (!begins_like_one(front, got)) return SOTTO_OK;
    *out_is_finished = true;
    return check_tag(directory, teacher, path, front, error);
}

sotto_status sot_pate_teacher_write(const sot_pate_directory *directory, size_t teacher,
                                    const char *model_json, sotto_error *error)
{
    char path[SOT_PATE_PATH_BYTES], tag[TAG_LETTERS + 1];
    if (!sot_pate_teacher_path(directory, teacher, path))
        return sot_pate_fail_long(directory, error);
    const char *model = model_json != NULL ? model_json : constant;
    const size_t size_bytes = FRONT_BYTES + strlen(model) + TAIL_BYTES;
    char *text = sot_new_array(size_bytes + 1, 1);
    if (text == NULL) return sot_fail_memory(error, size_bytes + 1, 1);
    tag_of(directory, teacher, tag);
    (void)snprintf(text, size_bytes + 1, "%s%s%s%s%s", head, tag, middle, model, tail);
    const sotto_status status = sot_file_write(path, text, size_bytes, 0600, error);
    sot_wipe_and_free(text, size_bytes);
    return status;
}

static sotto_status parse(const char *path, const char *text, size_t size_bytes,
                          sotto_model **out_model, sotto_error *error)
{
    const char *model = text + FRONT_BYTES;
    const size_t model_bytes = size_bytes - FRONT_BYTES - TAIL_BYTES;
    if (model_bytes == strlen(constant) && memcmp(model, constant, model_bytes) == 0)
        return SOTTO_OK;
    return sotto_model_parse(path, model, model_bytes, out_model, error);
}

sotto_status sot_pate_teacher_load(const sot_pate_directory *directory, size_t teacher,
                                   sotto_model **out_model, sotto_error *error)
{
    char path[SOT_PATE_PATH_BYTES];
    char *text = NULL;
    size_t size_bytes = 0;
    *out_model = NULL;
    if (!sot_pate_teacher_path(directory, teacher, path))
        return sot_pate_fail_long(directory, error);
    sotto_status status =
        sot_file_read(path, SOTTO_CERTIFIED_BYTES_MAX, &text, &size_bytes, error);
    if (status == SOTTO_OK &&
        (!begins_like_one(text, size_bytes) || size_bytes <= FRONT_BYTES + TAIL_BYTES ||
         memcmp(text + size_bytes - TAIL_BYTES, tail, TAIL_BYTES) != 0))
        status = sot_fail(
            error, SOTTO_PARSE,
            "%.120s is not a teacher; delete it and run sotto pate teach again", path);
    if (status == SOTTO_OK) status = check_tag(directory, teacher, path, text, error);
    if (status == SOTTO_OK) status = parse(path, text, size_bytes, out_model, error);
    if (text != NULL) sot_wipe_and_free(text, size_bytes);
    return status;
}
