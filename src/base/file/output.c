#define _GNU_SOURCE /* memmem */
#include "base/file/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file/file.h"
#include "base/file/steps.h"
#include "base/memory.h"
#include "base/text.h"

/* ---- the kind of a file that is there ---- */

typedef enum found_kind {
    FOUND_NOTHING, /* a free name, or an empty file */
    FOUND_LEDGER,
    FOUND_BESIDE_LEDGER, /* a name that SQLite takes for its own */
    FOUND_SECRET_KEY,
    FOUND_CHECKPOINT,
    FOUND_CERTIFIED,
    FOUND_MODEL, /* of public rows: without a certificate */
    FOUND_SCHEMA,
    FOUND_HTML,
    FOUND_SVG,
    FOUND_C,
    FOUND_EXPORT, /* a model as SQL: "-- A linear model ..." */
    FOUND_DATA,
    FOUND_OTHER
} found_kind;

enum {
    HEAD_BYTES = 4096,
    PATH_SHOWN_BYTES = 110,
    ID_AT =
        68 /* application_id in the header of a database: sqlite.org/fileformat2.html */
};

typedef struct head {
    char bytes[HEAD_BYTES + 1]; /* the first ones, and a NUL */
    size_t size;
} head;

static bool begins(const head *first, const char *word)
{
    const size_t length = strlen(word);
    return first->size >= length && memcmp(first->bytes, word, length) == 0;
}

/* Behind blanks and a byte order mark; `word` is in lower case and stands for either. */
static bool begins_text(const head *first, const char *word)
{
    const char *at = first->bytes;
    if (strncmp(at, "\xef\xbb\xbf", 3) == 0) at += 3;
    for (at += strspn(at, " \t\r\n"); *word != '\0'; at++, word++) {
        const bool upper = *at >= 'A' && *at <= 'Z';
        if ((upper ? *at - 'A' + 'a' : *at) != *word) return false;
    }
    return true;
}

/* One of the words is in the first bytes; the list ends with NULL. */
static bool mentions(const head *first, const char *const *words)
{
    for (; *words != NULL; words++)
        if (strstr(first->bytes, *words) != NULL) return true;
    return false;
}

static bool is_ledger(const head *first)
{
    static const char magic[] = "SQLite format 3"; /* with its NUL */
    static const char ours[] = {'s', 'o', 't', 't'};
    return first->size >= ID_AT + sizeof ours &&
           memcmp(first->bytes, magic, sizeof magic) == 0 &&
           memcmp(first->bytes + ID_AT, ours, sizeof ours) == 0;
}

/* UTF-8 or any other text: no control characters but those that end lines and cells. */
static bool is_text(const head *first)
{
    for (size_t i = 0; i < first->size; i++) {
        const unsigned char byte = (unsigned char)first->bytes[i];
        if (byte < 0x20 && strchr("\t\r\n\f", byte) == NULL) return false;
        if (byte == 0) return false;
    }
    return true;
}

static found_kind kind_of_json(const head *first)
{
    static const char *const model[] = {"\"kind\": \"model\"", "\"kind\":\"model\"",
                                        NULL};
    static const char *const schema[] = {"\"columns\"", "\"features\"", "\"shape\"",
                                         "\"numbers\"", NULL};
    static const char *const answers[] = {"\"predictions\": [", "\"loss_most\"", NULL};
    if (begins_text(first, "{\"sotto_checkpoint\":")) return FOUND_CHECKPOINT;
    if (mentions(first, model)) return FOUND_MODEL;
    if (mentions(first, answers)) return FOUND_DATA;
    return mentions(first, schema) ? FOUND_SCHEMA : FOUND_OTHER;
}

static found_kind kind_of_head(const head *first)
{
    if (first->size == 0) return FOUND_NOTHING;
    if (is_ledger(first)) return FOUND_LEDGER;
    if (begins(first, "sotto secret key")) return FOUND_SECRET_KEY;
    if (begins_text(first, "{")) return kind_of_json(first);
    if (!is_text(first)) return FOUND_OTHER;
    if (begins_text(first, "<!doctype html") || begins_text(first, "<html"))
        return FOUND_HTML;
    if (begins_text(first, "<svg") ||
        (begins_text(first, "<?xml") && strstr(first->bytes, "<svg") != NULL))
        return FOUND_SVG;
    if (begins_text(first, "/*") || begins_text(first, "//") ||
        begins_text(first, "#include") || begins_text(first, "#ifndef") ||
        begins_text(first, "#pragma") || begins_text(first, "#define"))
        return FOUND_C;
    if (begins_text(first, "-- a")) return FOUND_EXPORT;
    if (begins_text(first, "<") || begins(first, "#!") || begins(first, "sotto ") ||
        begins(first, "-----BEGIN") || begins(first, "%PDF"))
        return FOUND_OTHER;
    return FOUND_DATA;
}

/* False if the medium fails. */
static bool fill(int file, char *bytes, size_t room, size_t *out_size)
{
    size_t size = 0;
    ssize_t got = 1;
    while (size < room && got != 0) {
        got = read(file, bytes + size, room - size);
        if (got < 0 && errno != EINTR) return false;
        if (got > 0) size += (size_t)got;
    }
    bytes[size] = '\0';
    *out_size = size;
    return true;
}

/* True if the JSON text has a certificate. A string of that name in another place counts too,
 * which protects the existing file. */
static bool has_certificate(int file)
{
    static const char member[] = "\"certificate\"";
    char window[HEAD_BYTES + sizeof member];
    size_t kept = 0, got = 0;
    if (lseek(file, 0, SEEK_SET) != 0) return true;
    for (;;) {
        if (!fill(file, window + kept, HEAD_BYTES, &got)) return true;
        const size_t size = kept + got;
        if (memmem(window, size, member, sizeof member - 1) != NULL) return true;
        if (got < HEAD_BYTES) return false;
        kept = sizeof member - 2;
        memmove(window, window + size - kept, kept);
    }
}

static sotto_status fail_look(const char *path, int code, sotto_error *error)
{
    char shown[PATH_SHOWN_BYTES];
    return sot_fail(error, SOTTO_IO, "cannot read %s, which the output would replace: %s",
                    sot_printable(path, shown, sizeof shown), strerror(code));
}

/* A file that cannot be read may be a ledger: that is a failure, for any settings. */
static sotto_status look(const char *path, found_kind *out_found, sotto_error *error)
{
    head first = {.size = 0};
    *out_found = FOUND_NOTHING;
    const int file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
    if (file < 0) return errno == ENOENT ? SOTTO_OK : fail_look(path, errno, error);
    const int code = fill(file, first.bytes, HEAD_BYTES, &first.size) ? 0 : errno;
    *out_found = kind_of_head(&first);
    if (code == 0 && begins_text(&first, "{") && *out_found != FOUND_CHECKPOINT &&
        has_certificate(file))
        *out_found = FOUND_CERTIFIED;
    (void)close(file);
    return code == 0 ? SOTTO_OK : fail_look(path, code, error);
}

/* SQLite looks for these names beside a ledger and would take such files for its own. */
static sotto_status look_for_ledger(const char *path, found_kind *out_found,
                                    sotto_error *error)
{
    static const char *const ends[] = {"-journal", "-wal", "-shm"};
    const size_t length = strlen(path);
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        const size_t end = strlen(ends[i]);
        if (length <= end || strcmp(path + length - end, ends[i]) != 0) continue;
        char *ledger = sot_copy_string(path);
        if (ledger == NULL) return sot_fail_memory(error, length + 1, 1);
        ledger[length - end] = '\0';
        const sotto_status status = look(ledger, out_found, error);
        sot_free(ledger);
        return status;
    }
    *out_found = FOUND_NOTHING;
    return SOTTO_OK;
}

static sotto_status find_kind(const char *path, found_kind *out_found, sotto_error *error)
{
    const sotto_status status = look_for_ledger(path, out_found, error);
    if (status != SOTTO_OK) return status;
    if (*out_found != FOUND_LEDGER) return look(path, out_found, error);
    *out_found = FOUND_BESIDE_LEDGER;
    return SOTTO_OK;
}

/* ---- the rule ---- */

static const char *name_found(found_kind found)
{
    static const char *const names[] = {[FOUND_LEDGER] = "a ledger",
                                        [FOUND_BESIDE_LEDGER] =
                                            "the name of a ledger's journal",
                                        [FOUND_SECRET_KEY] = "a secret key",
                                        [FOUND_CHECKPOINT] = "the checkpoint of a run",
                                        [FOUND_CERTIFIED] = "a certified file",
                                        [FOUND_MODEL] = "a model file",
                                        [FOUND_SCHEMA] = "a schema",
                                        [FOUND_HTML] = "an HTML page",
                                        [FOUND_SVG] = "an SVG picture",
                                        [FOUND_C] = "a C source",
                                        [FOUND_EXPORT] = "an exported model",
                                        [FOUND_DATA] = "a file of text data",
                                        [FOUND_OTHER] = "a file of an unknown kind"};
    return names[found];
}

/* Files that can be made again are replaced by their own kind. A schema is edited by hand. */
static bool is_replaceable(found_kind found, sotto_output_kind kind)
{
    static const found_kind same[] = {[SOTTO_OUTPUT_CERTIFIED] = FOUND_MODEL,
                                      [SOTTO_OUTPUT_HTML] = FOUND_HTML,
                                      [SOTTO_OUTPUT_SVG] = FOUND_SVG,
                                      [SOTTO_OUTPUT_DATA] = FOUND_DATA,
                                      [SOTTO_OUTPUT_C] = FOUND_C,
                                      [SOTTO_OUTPUT_SCHEMA] = FOUND_NOTHING};
    return found == FOUND_NOTHING || found == same[kind] ||
           (found == FOUND_EXPORT && kind == SOTTO_OUTPUT_C);
}

static bool is_untouchable(found_kind found)
{
    return found == FOUND_LEDGER || found == FOUND_BESIDE_LEDGER ||
           found == FOUND_SECRET_KEY;
}

static const char *name_kind(sotto_output_kind kind)
{
    static const char *const names[] = {[SOTTO_OUTPUT_CERTIFIED] = "a certified file",
                                        [SOTTO_OUTPUT_HTML] = "an HTML page",
                                        [SOTTO_OUTPUT_SVG] = "an SVG picture",
                                        [SOTTO_OUTPUT_DATA] = "text data",
                                        [SOTTO_OUTPUT_C] = "an exported model",
                                        [SOTTO_OUTPUT_SCHEMA] = "a schema"};
    return names[kind];
}

static sotto_status refuse(const char *path, found_kind found, sotto_output_kind kind,
                           sotto_error *error)
{
    char shown[PATH_SHOWN_BYTES];
    (void)sot_printable(path, shown, sizeof shown);
    if (is_untouchable(found)) {
        return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                        "%s is %s, which no output replaces; give another name", shown,
                        name_found(found));
    }
    return sot_fail(
        error, SOTTO_INVALID_ARGUMENT,
        "%s is %s, and %s would replace it; give another name, or `overwrite=true`",
        shown, name_found(found), name_kind(kind));
}

static sotto_status check_kind(sotto_output_kind kind, sotto_error *error)
{
    if (kind >= SOTTO_OUTPUT_CERTIFIED && kind <= SOTTO_OUTPUT_SCHEMA) return SOTTO_OK;
    return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                    "kind is %d; set it to one of sotto_output_kind", (int)kind);
}

/* A FIFO or a device, also behind a link such as /dev/stdout: there is nothing to replace. */
static bool is_direct(const char *path)
{
    struct stat facts;
    return stat(path, &facts) == 0 && (S_ISFIFO(facts.st_mode) || S_ISCHR(facts.st_mode));
}

sotto_status sotto_output_check(const char *path, sotto_output_kind kind, bool overwrite,
                                sotto_error *error)
{
    sotto_status status = check_kind(kind, error);
    if (status != SOTTO_OK) return status;
    if (kind != SOTTO_OUTPUT_CERTIFIED && is_direct(path)) return SOTTO_OK;
    status = sot_file_check_write(path, error);
    if (status != SOTTO_OK) return status;
    found_kind found;
    status = find_kind(path, &found, error);
    if (status != SOTTO_OK) return status;
    if (is_replaceable(found, kind) || (overwrite && !is_untouchable(found)) ||
        (kind == SOTTO_OUTPUT_CERTIFIED && found == FOUND_CERTIFIED))
        return SOTTO_OK;
    return refuse(path, found, kind, error);
}

/* A FIFO or a device holds nothing: reading it would wait for a writer, or take input that is not ours. */
static bool holds(const char *path, const void *bytes, size_t size_bytes)
{
    char *there = NULL;
    size_t there_bytes = 0;
    sotto_error ignored;
    if (bytes == NULL || is_direct(path) ||
        sot_file_read(path, size_bytes, &there, &there_bytes, &ignored) != SOTTO_OK)
        return false;
    const bool same = there_bytes == size_bytes && memcmp(there, bytes, size_bytes) == 0;
    sot_free(there);
    return same;
}

sotto_status sot_output_admit(const char *path, sotto_output_kind kind, bool overwrite,
                              const void *bytes, size_t size_bytes, sotto_error *error)
{
    found_kind found;
    sotto_status status = sotto_output_check(path, kind, overwrite, error);
    if (status != SOTTO_OK || kind != SOTTO_OUTPUT_CERTIFIED || overwrite) return status;
    status = look(path, &found, error);
    if (status != SOTTO_OK || found != FOUND_CERTIFIED || holds(path, bytes, size_bytes))
        return status;
    return refuse(path, FOUND_CERTIFIED, kind, error);
}

bool sotto_output_is_same(const char *path, const char *other)
{
    return !is_direct(path) && sot_file_is_same(path, other);
}

/* ---- a file being written ---- */

struct sotto_output {
    char *path;
    sotto_output_kind kind;
    bool overwrite;
    int direct;              /* descriptor of a FIFO or device; -1: `writer` */
    sot_file_writer *writer; /* NULL: `direct` */
};

static sotto_status open_direct(sotto_output *output, sotto_error *error)
{
    output->direct = open(output->path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
    return output->direct >= 0 ? SOTTO_OK
                               : sot_file_fail(error, "write", output->path, errno);
}

sotto_status sotto_output_open(const char *path, sotto_output_kind kind, bool overwrite,
                               sotto_output **out_output, sotto_error *error)
{
    sotto_status status = sot_output_admit(path, kind, overwrite, NULL, 0, error);
    if (status != SOTTO_OK) return status;
    sotto_output *output = sot_new_array(1, sizeof *output);
    if (output == NULL) return sot_fail_memory(error, 1, sizeof *output);
    *output = (sotto_output){.path = sot_copy_string(path),
                             .kind = kind,
                             .overwrite = overwrite,
                             .direct = -1};
    if (output->path == NULL) {
        status = sot_fail_memory(error, strlen(path) + 1, 1);
    } else {
        status = is_direct(path) ? open_direct(output, error)
                                 : sot_file_begin(path, 0644, &output->writer, error);
    }
    if (status != SOTTO_OK) {
        sotto_output_discard(output);
        return status;
    }
    *out_output = output;
    return SOTTO_OK;
}

sotto_status sotto_output_write(sotto_output *output, const void *bytes,
                                size_t size_bytes, sotto_error *error)
{
    if (output->writer != NULL)
        return sot_file_add(output->writer, bytes, size_bytes, error);
    if (sot_file_put(output->direct, bytes, size_bytes)) return SOTTO_OK;
    return sot_file_fail(error, "write", output->path, errno);
}

/* The name may have been taken since the file was begun: the rule holds for the file that is there now. */
static sotto_status place(const sotto_output *output, sotto_error *error)
{
    enum { TRIES = 10 }; /* others may place and remove files at the same time */
    struct stat there;
    sotto_status status = SOTTO_OK;
    for (int tries = 0; tries < TRIES; tries++) {
        status = sot_output_admit(output->path, output->kind, output->overwrite, NULL, 0,
                                  error);
        if (status != SOTTO_OK) return status;
        const bool is_new = lstat(output->path, &there) != 0;
        status = sot_file_finish(output->writer, is_new, error);
        if (status == SOTTO_OK || errno != EEXIST) break;
    }
    return status;
}

sotto_status sotto_output_close(sotto_output *output, sotto_error *error)
{
    const sotto_status status = output->writer == NULL ? SOTTO_OK : place(output, error);
    sotto_output_discard(output);
    return status;
}

void sotto_output_discard(sotto_output *output)
{
    if (output == NULL) return;
    sot_file_abandon(output->writer);
    if (output->direct >= 0) (void)close(output->direct);
    sot_free(output->path);
    sot_free(output);
}

void sotto_output_unlink(const sotto_output *output)
{
    if (output != NULL) sot_file_unlink(output->writer);
}

sotto_status sotto_output_put(const char *path, sotto_output_kind kind, bool overwrite,
                              const void *bytes, size_t size_bytes, sotto_error *error)
{
    sotto_output *output = NULL;
    sotto_status status =
        sot_output_admit(path, kind, overwrite, bytes, size_bytes, error);
    if (status != SOTTO_OK || holds(path, bytes, size_bytes)) return status;
    status = sotto_output_open(path, kind, overwrite, &output, error);
    if (status == SOTTO_OK) status = sotto_output_write(output, bytes, size_bytes, error);
    if (status == SOTTO_OK) return sotto_output_close(output, error);
    sotto_output_discard(output);
    return status;
}
