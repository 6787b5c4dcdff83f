/* The curator's configuration: read, and its files checked, before a word of the analyst counts. */
#include "analyst/analyst.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { CONFIG_BYTES_MAX = 1 << 16, ACCESS_OTHERS = 7, ACCESS_GROUP = 070 };

/* --- permissions --- */

/* `mode` is the one that mends it. */
static sotto_status fail_mode(const char *label, const char *path, mode_t mode,
                              const char *problem, const char *remedy, sotto_error *error)
{
    return cli_fail(error, SOTTO_IO, "%s %.90s has mode %04o, so that %s; run chmod %s",
                    label, path, (unsigned)(mode & 07777), problem, remedy);
}

static sotto_status check_owner(const char *label, const char *path,
                                const struct stat *facts, sotto_error *error)
{
    if (facts->st_uid == geteuid() || facts->st_uid == 0) return SOTTO_OK;
    return cli_fail(error, SOTTO_IO,
                    "%s %.90s belongs to user %lu; it must belong to the curator (user "
                    "%lu) or to root",
                    label, path, (unsigned long)facts->st_uid, (unsigned long)geteuid());
}

/* A user who may write to a directory may exchange the files below it. In a sticky directory,
 * such as /tmp, only the owner of an entry may: enough above the last one, not for the last
 * one. */
static sotto_status check_directory(const char *label, const char *path, bool last,
                                    sotto_error *error)
{
    struct stat facts;
    if (stat(path, &facts) != 0) {
        return cli_fail(error, SOTTO_IO, "the directory %.90s of %s cannot be read: %s",
                        path, label, strerror(errno));
    }
    sotto_status status = check_owner("the directory", path, &facts, error);
    if (status != SOTTO_OK || (facts.st_mode & (S_IWGRP | S_IWOTH)) == 0) return status;
    if (!last && (facts.st_mode & S_ISVTX) != 0) return SOTTO_OK;
    return fail_mode("the directory", path, facts.st_mode, "others may write to it",
                     "go-w", error);
}

/* Every directory from the root down to that of `path`; `out_directory` is the last one. */
static sotto_status check_way(const char *label, const char *path,
                              char out_directory[PATH_MAX], sotto_error *error)
{
    char parent[PATH_MAX];
    const char *slash = strrchr(path, '/');
    const size_t length = slash == path ? 1 : (size_t)(slash - path);
    if (length >= sizeof parent)
        return cli_fail(error, SOTTO_IO, "the path of %s is too long", label);
    memcpy(parent, path, length);
    parent[length] = '\0';
    if (realpath(parent, out_directory) == NULL) {
        return cli_fail(error, SOTTO_IO, "the directory %.90s of %s cannot be read: %s",
                        parent, label, strerror(errno));
    }
    sotto_status status =
        check_directory(label, "/", strcmp(out_directory, "/") == 0, error);
    for (char *end = out_directory; status == SOTTO_OK && end != NULL;) {
        end = strchr(end + 1, '/');
        if (end != NULL) *end = '\0';
        status = check_directory(label, out_directory, end == NULL, error);
        if (end != NULL) *end = '/';
    }
    return status;
}

/* A regular file that only its owner and root can change. */
static sotto_status check_file(const char *label, const char *path,
                               char out_directory[PATH_MAX], struct stat *out_facts,
                               sotto_error *error)
{
    sotto_status status = check_way(label, path, out_directory, error);
    if (status != SOTTO_OK) return status;
    if (lstat(path, out_facts) != 0) {
        return cli_fail(error, SOTTO_IO, "%s %.90s cannot be read: %s", label, path,
                        strerror(errno));
    }
    if (!S_ISREG(out_facts->st_mode)) {
        return cli_fail(error, SOTTO_IO,
                        "%s %.90s is not a regular file; name the file itself, not a "
                        "link, a pipe or a directory",
                        label, path);
    }
    status = check_owner(label, path, out_facts, error);
    if (status != SOTTO_OK || (out_facts->st_mode & (S_IWGRP | S_IWOTH)) == 0)
        return status;
    return fail_mode(label, path, out_facts->st_mode, "others may change it", "go-w",
                     error);
}

/* The same, out of the analyst's reach. The directory counts too: the size of a file tells the
 * number of its rows. */
static sotto_status check_secret(const analyst_config *config, const char *label,
                                 const char *path, sotto_error *error)
{
    char directory[PATH_MAX];
    struct stat file, folder;
    sotto_status status = check_file(label, path, directory, &file, error);
    if (status != SOTTO_OK) return status;
    if (stat(directory, &folder) != 0)
        return cli_fail(error, SOTTO_IO, "the directory of %s cannot be read", label);
    const struct stat *facts[] = {&file, &folder};
    const char *const labels[] = {label, "the directory"};
    const char *const paths[] = {path, directory};
    for (int i = 0; i < 2; i++) {
        const mode_t open_to_analyst =
            ACCESS_OTHERS |
            (facts[i]->st_gid == config->readers_id ? ACCESS_GROUP : (mode_t)0);
        if ((facts[i]->st_mode & open_to_analyst) == 0) continue;
        return fail_mode(labels[i], paths[i], facts[i]->st_mode,
                         i == 0 ? "others may read it" : "others may look into it",
                         i == 0 ? "600" : "700", error);
    }
    return SOTTO_OK;
}

static bool is_directory_of(const char *path, const struct stat *facts)
{
    char directory[PATH_MAX];
    struct stat own;
    const size_t length = (size_t)(strrchr(path, '/') - path);
    if (length >= sizeof directory) return true;
    memcpy(directory, path, length);
    directory[length] = '\0';
    return stat(length == 0 ? "/" : directory, &own) != 0 ||
           (own.st_dev == facts->st_dev && own.st_ino == facts->st_ino);
}

/* Only the curator writes there; new files belong to the readers' group. */
static sotto_status check_results(analyst_config *config, const char *config_path,
                                  sotto_error *error)
{
    char parent[PATH_MAX];
    struct stat facts;
    const char *path = config->results;
    sotto_status status = check_way("results", path, parent, error);
    if (status != SOTTO_OK) return status;
    if (lstat(path, &facts) != 0 || !S_ISDIR(facts.st_mode)) {
        return cli_fail(error, SOTTO_IO,
                        "results %.90s is not a directory; make it with install -d -m "
                        "2750 -g %.40s",
                        path, config->readers);
    }
    const char *const others[] = {config_path, config->data, config->labels,
                                  config->schema, config->ledger};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        if (others[i] == NULL || !is_directory_of(others[i], &facts)) continue;
        return cli_fail(error, SOTTO_IO,
                        "results %.60s holds %.90s too; give the results a directory of "
                        "their own",
                        path, others[i]);
    }
    if (facts.st_uid != geteuid()) {
        return cli_fail(error, SOTTO_IO,
                        "results %.90s belongs to user %lu; it must belong to the "
                        "curator (user %lu)",
                        path, (unsigned long)facts.st_uid, (unsigned long)geteuid());
    }
    if (facts.st_gid != config->readers_id) {
        return cli_fail(error, SOTTO_IO,
                        "results %.90s belongs to group %lu; run chgrp %.40s, then chmod "
                        "2750",
                        path, (unsigned long)facts.st_gid, config->readers);
    }
    if ((facts.st_mode & 07777) != (S_ISGID | 0750)) {
        return fail_mode("results", path, facts.st_mode,
                         "its files are not for the readers only", "2750", error);
    }
    char *real = realpath(path, NULL); /* without links and dots */
    if (real == NULL)
        return cli_fail(error, SOTTO_IO, "results %.90s cannot be read: %s", path,
                        strerror(errno));
    free(config->results);
    config->results = real;
    return SOTTO_OK;
}

/* --- members --- */

static sotto_status read_text(analyst_config *config, const char *key, bool needed,
                              const char **out_text, sotto_error *error)
{
    const sotto_json_value *member = sotto_json_member(config->root, key);
    if (member == NULL && !needed) return SOTTO_OK;
    const char *text = sotto_json_as_text(member);
    if (text != NULL && text[0] != '\0') {
        *out_text = text;
        return SOTTO_OK;
    }
    return cli_fail(error, SOTTO_PARSE, "CONFIG: \"%s\" %s; give it as a text", key,
                    member == NULL ? "is missing" : "is not a text");
}

/* A path that is not absolute starts at the directory of the configuration. */
static sotto_status read_path(analyst_config *config, const char *config_path,
                              const char *key, bool needed, char **out_path,
                              sotto_error *error)
{
    const char *text = NULL;
    const sotto_status status = read_text(config, key, needed, &text, error);
    if (status != SOTTO_OK || text == NULL) return status;
    const size_t folder =
        text[0] == '/' ? 0 : (size_t)(strrchr(config_path, '/') - config_path) + 1;
    const size_t length = strlen(text);
    char *path = malloc(folder + length + 1);
    if (path == NULL)
        return cli_fail(error, SOTTO_OUT_OF_MEMORY, "out of memory for CONFIG");
    memcpy(path, config_path, folder);
    memcpy(path + folder, text, length + 1);
    while (strlen(path) > 1 && path[strlen(path) - 1] == '/')
        path[strlen(path) - 1] = '\0';
    *out_path = path;
    return SOTTO_OK;
}

static sotto_status read_limit(analyst_config *config, const char *key, double below,
                               double *out_limit, sotto_error *error)
{
    const sotto_json_value *member = sotto_json_member(config->root, key);
    const double value = sotto_json_as_number(member);
    *out_limit = (double)INFINITY;
    if (member == NULL) return SOTTO_OK;
    if (!(value >= 0.0) || !(value < below)) {
        return cli_fail(error, SOTTO_PARSE,
                        "CONFIG: \"%s\" is not a number of at least 0%s", key,
                        below < HUGE_VAL ? " and below 1" : "");
    }
    *out_limit = value;
    return SOTTO_OK;
}

static sotto_status read_public_rows(analyst_config *config, sotto_error *error)
{
    const sotto_json_value *member = sotto_json_member(config->root, "public_rows");
    if (member == NULL) return SOTTO_OK;
    const double rows = sotto_json_as_number(member);
    if (sotto_json_kind_of(member) != SOTTO_JSON_INTEGER || rows < 1.0) {
        return cli_fail(error, SOTTO_PARSE,
                        "CONFIG: \"public_rows\" is not a whole number of at least 1");
    }
    config->public_rows = (uint64_t)rows;
    return SOTTO_OK;
}

/* A name or a number. */
static sotto_status read_readers(analyst_config *config, sotto_error *error)
{
    const sotto_status status =
        read_text(config, "readers", true, &config->readers, error);
    if (status != SOTTO_OK) return status;
    const char *text = config->readers;
    if (strspn(text, "0123456789") == strlen(text) && strlen(text) < 10) {
        config->readers_id = (gid_t)strtoul(text, NULL, 10);
        return SOTTO_OK;
    }
    const struct group *group = getgrnam(text);
    if (group == NULL) {
        return cli_fail(error, SOTTO_PARSE,
                        "CONFIG: there is no group \"%.60s\"; give \"readers\" the "
                        "analysts' group",
                        text);
    }
    config->readers_id = group->gr_gid;
    return SOTTO_OK;
}

/* A command of the table, or a group of such. */
static bool is_allowable(const char *text)
{
    const size_t length = strlen(text);
    const analyst_command *command = NULL;
    for (size_t i = 0; (command = analyst_command_at(i)) != NULL; i++) {
        if (strncmp(command->path, text, length) == 0 &&
            (command->path[length] == '\0' || command->path[length] == ' '))
            return length > 0;
    }
    return false;
}

static sotto_status read_commands(analyst_config *config, sotto_error *error)
{
    const sotto_json_value *list = sotto_json_member(config->root, "commands");
    if (sotto_json_kind_of(list) != SOTTO_JSON_ARRAY || sotto_json_size(list) == 0) {
        return cli_fail(error, SOTTO_PARSE,
                        "CONFIG: \"commands\" is not a list; give it, for example "
                        "[\"train\", \"release\", \"ledger show\"]");
    }
    for (size_t i = 0; i < sotto_json_size(list); i++) {
        const char *text = sotto_json_as_text(sotto_json_item(list, i));
        if (text != NULL && is_allowable(text)) continue;
        return cli_fail(
            error, SOTTO_PARSE,
            "CONFIG: \"commands\" has '%.60s', which analysts never run; give "
            "train, tune, evaluate, release, pac learn, plan or ledger show",
            text == NULL ? "an entry that is no text" : text);
    }
    config->commands = list;
    return SOTTO_OK;
}

bool analyst_config_allows(const analyst_config *config, const char *path)
{
    for (size_t i = 0; i < sotto_json_size(config->commands); i++) {
        const char *text = sotto_json_as_text(sotto_json_item(config->commands, i));
        const size_t length = strlen(text);
        if (strncmp(path, text, length) == 0 &&
            (path[length] == '\0' || path[length] == ' '))
            return true;
    }
    return false;
}

static sotto_status check_members(const sotto_json_value *root, sotto_error *error)
{
    static const char known[] =
        "data labels table query format schema ledger results readers "
        "commands max_epsilon max_delta public_rows";
    for (size_t i = 0; i < sotto_json_size(root); i++) {
        const char *key = sotto_json_key_of(sotto_json_item(root, i));
        if (analyst_has_word(known, key)) continue;
        return cli_fail(error, SOTTO_PARSE,
                        "CONFIG has a member \"%.60s\" that is unknown; known are %s",
                        key, known);
    }
    return SOTTO_OK;
}

static sotto_status read_members(analyst_config *config, const char *path,
                                 sotto_error *error)
{
    sotto_status status = check_members(config->root, error);
    if (status == SOTTO_OK)
        status = read_path(config, path, "data", true, &config->data, error);
    if (status == SOTTO_OK)
        status = read_path(config, path, "labels", false, &config->labels, error);
    if (status == SOTTO_OK)
        status = read_path(config, path, "schema", true, &config->schema, error);
    if (status == SOTTO_OK)
        status = read_path(config, path, "ledger", true, &config->ledger, error);
    if (status == SOTTO_OK)
        status = read_path(config, path, "results", true, &config->results, error);
    if (status == SOTTO_OK)
        status = read_text(config, "table", false, &config->table, error);
    if (status == SOTTO_OK)
        status = read_text(config, "query", false, &config->query, error);
    if (status == SOTTO_OK)
        status = read_text(config, "format", false, &config->format, error);
    if (status == SOTTO_OK)
        status = read_limit(config, "max_epsilon", HUGE_VAL, &config->epsilon_max, error);
    if (status == SOTTO_OK)
        status = read_limit(config, "max_delta", 1.0, &config->delta_max, error);
    if (status == SOTTO_OK) status = read_public_rows(config, error);
    if (status == SOTTO_OK) status = read_readers(config, error);
    return status == SOTTO_OK ? read_commands(config, error) : status;
}

/* --- the file --- */

static sotto_status read_json(const char *path, analyst_config *config,
                              sotto_error *error)
{
    static char bytes[CONFIG_BYTES_MAX + 1];
    const int file = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    size_t size = 0;
    ssize_t got = file < 0 ? -1 : 1;
    while (got > 0 && size < sizeof bytes) {
        got = read(file, bytes + size, sizeof bytes - size);
        if (got > 0) size += (size_t)got;
    }
    const int cause = errno;
    if (file >= 0) (void)close(file);
    if (got < 0)
        return cli_fail(error, SOTTO_IO, "CONFIG %.90s cannot be read: %s", path,
                        strerror(cause));
    if (size > CONFIG_BYTES_MAX)
        return cli_fail(error, SOTTO_PARSE, "CONFIG %.90s is larger than %d bytes", path,
                        CONFIG_BYTES_MAX);
    sotto_error why = {.message = "it is an array"};
    if (sotto_json_parse(NULL, bytes, size, &config->document, &why) == SOTTO_OK)
        config->root = sotto_json_root(config->document);
    if (sotto_json_kind_of(config->root) == SOTTO_JSON_OBJECT) return SOTTO_OK;
    return cli_fail(error, SOTTO_PARSE, "CONFIG %.90s is not a JSON object: %.80s", path,
                    why.message);
}

static sotto_status check_files(analyst_config *config, const char *path,
                                sotto_error *error)
{
    char directory[PATH_MAX];
    struct stat facts;
    sotto_status status = check_file("schema", config->schema, directory, &facts, error);
    if (status == SOTTO_OK) status = check_secret(config, "data", config->data, error);
    if (status == SOTTO_OK && config->labels != NULL)
        status = check_secret(config, "labels", config->labels, error);
    if (status == SOTTO_OK)
        status = check_secret(config, "ledger", config->ledger, error);
    return status == SOTTO_OK ? check_results(config, path, error) : status;
}

sotto_status analyst_config_load(const char *path, analyst_config *out_config,
                                 sotto_error *error)
{
    char directory[PATH_MAX];
    struct stat facts;
    *out_config = (analyst_config){.root = NULL};
    if (path[0] != '/') {
        return cli_fail(error, SOTTO_INVALID_ARGUMENT,
                        "CONFIG is %.90s; give an absolute path, so that the current "
                        "directory decides nothing",
                        path);
    }
    sotto_status status = check_file("CONFIG", path, directory, &facts, error);
    if (status == SOTTO_OK) status = read_json(path, out_config, error);
    if (status == SOTTO_OK) status = read_members(out_config, path, error);
    return status == SOTTO_OK ? check_files(out_config, path, error) : status;
}

void analyst_config_clear(analyst_config *config)
{
    free(config->data);
    free(config->labels);
    free(config->schema);
    free(config->ledger);
    free(config->results);
    sotto_json_free(config->document);
    *config = (analyst_config){.root = NULL};
}
