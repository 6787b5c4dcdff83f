#include "privacy/ledger/store.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <sqlite3.h>

#include "base/error.h"
#include "base/file/create.h"
#include "base/file/steps.h"
#include "base/memory.h"
#include "base/text.h"
#include "privacy/ledger/place.h"

struct sot_store {
    sot_place place;
    sqlite3 *database;
    pid_t process; /* SQLite handles do not survive fork() */
};

enum {
    BUSY_MILLISECONDS = 30000,   /* a writer holds the file for milliseconds */
    APPLICATION_ID = 0x736f7474, /* "sott" */
    FORMAT_FIRST = 1,            /* one member; 2: with rows about checkpoints */
    FORMAT = 3,                  /* several members, units, signatures */
    LINE_BYTES_MAX = 1 << 21
};

#define NEXT_ROW "(SELECT coalesce(max(row), 0) + 1 FROM entry)"

/* The exact content of sqlite_schema, in the order of the names. */
static const char *const schema[] = {
    "CREATE TABLE entry(row INTEGER PRIMARY KEY CHECK(row >= 1), line TEXT NOT NULL) "
    "STRICT",
    "CREATE TRIGGER entry_in_order BEFORE INSERT ON entry WHEN new.row IS NOT " NEXT_ROW
    " BEGIN SELECT raise(ABORT, 'ledger rows are "
    "numbered without a gap'); END",
    "CREATE TRIGGER entry_not_changed BEFORE UPDATE ON entry BEGIN SELECT raise(ABORT, "
    "'ledger rows are never changed'); END",
    "CREATE TRIGGER entry_not_removed BEFORE DELETE ON entry BEGIN SELECT raise(ABORT, "
    "'ledger rows are never removed'); END",
};
enum { SCHEMA_COUNT = sizeof schema / sizeof schema[0] };

/* ---- errors ---- */

static sotto_status fail_sqlite(const sot_store *store, const char *doing,
                                sotto_error *error)
{
    sqlite3 *database = store->database;
    const int code = database != NULL ? sqlite3_errcode(database) : SQLITE_NOMEM;
    const char *remedy = "see the disk and its permissions";
    switch (code & 0xff) {
    case SQLITE_NOMEM:
        return sot_fail(error, SOTTO_OUT_OF_MEMORY, "ledger %s: SQLite is out of memory",
                        store->place.shown);
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        remedy = "another process holds it; try again";
        break;
    case SQLITE_FULL:
        remedy = "make room on the disk";
        break;
    case SQLITE_READONLY:
        remedy = "make the file and its directory writable for you";
        break;
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
        return sot_fail(error, SOTTO_VERIFICATION,
                        "ledger %s is damaged (%.80s); restore it and check it against "
                        "the head in the last certificate",
                        store->place.shown, sqlite3_errmsg(database));
    default:
        break;
    }
    return sot_fail(error, SOTTO_IO, "ledger %s: cannot %s: %.80s; %s",
                    store->place.shown, doing, sqlite3_errmsg(database), remedy);
}

static sotto_status run_sql(sot_store *store, const char *sql, const char *doing,
                            sotto_error *error)
{
    if (sqlite3_exec(store->database, sql, NULL, NULL, NULL) == SQLITE_OK)
        return SOTTO_OK;
    return fail_sqlite(store, doing, error);
}

static sotto_status check_process(const sot_store *store, sotto_error *error)
{
    if (store->process == getpid()) return SOTTO_OK;
    return sot_fail(error, SOTTO_INVALID_ARGUMENT,
                    "ledger %s was opened before fork(); open it again in the child",
                    store->place.shown);
}

/* ---- opening ---- */

/* The last connection setting is read back: a file in WAL mode would not be durable. */
static sotto_status configure(sot_store *store, sotto_error *error)
{
    sqlite3 *database = store->database;
    (void)sqlite3_extended_result_codes(database, 1);
    (void)sqlite3_busy_timeout(database, BUSY_MILLISECONDS);
    (void)sqlite3_limit(database, SQLITE_LIMIT_LENGTH, LINE_BYTES_MAX);
    (void)sqlite3_db_config(database, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    (void)sqlite3_db_config(database, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    sotto_status status =
        run_sql(store,
                "PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0; "
                "PRAGMA temp_store = MEMORY; PRAGMA synchronous = EXTRA",
                "set it up", error);
    if (status != SOTTO_OK) return status;
    sqlite3_stmt *statement = NULL;
    int code = sqlite3_prepare_v2(database, "PRAGMA journal_mode = DELETE", -1,
                                  &statement, NULL);
    if (code == SQLITE_OK) code = sqlite3_step(statement);
    const char *mode =
        code == SQLITE_ROW ? (const char *)sqlite3_column_text(statement, 0) : NULL;
    if (mode == NULL) {
        status = fail_sqlite(store, "open it", error);
    } else if (strcmp(mode, "delete") != 0) {
        status = sot_fail(error, SOTTO_IO,
                          "ledger %s: its journal mode is %.20s and cannot be made "
                          "delete; end other programs that use it",
                          store->place.shown, mode);
    }
    (void)sqlite3_finalize(statement);
    return status;
}

static sotto_status connect(sot_store *store, const char *path, sotto_error *error)
{
    const int code = sqlite3_open_v2(path, &store->database,
                                     SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOFOLLOW |
                                         SQLITE_OPEN_FULLMUTEX | SQLITE_OPEN_PRIVATECACHE,
                                     NULL);
    if (code != SQLITE_OK) return fail_sqlite(store, "open it", error);
    store->process = getpid();
    return configure(store, error);
}

static sotto_status read_number(sot_store *store, const char *sql, int64_t *out_number,
                                sotto_error *error)
{
    sqlite3_stmt *statement = NULL;
    int code = sqlite3_prepare_v2(store->database, sql, -1, &statement, NULL);
    if (code == SQLITE_OK) code = sqlite3_step(statement);
    sotto_status status = SOTTO_OK;
    if (code == SQLITE_ROW) {
        *out_number = sqlite3_column_int64(statement, 0);
    } else {
        status = fail_sqlite(store, "read it", error);
    }
    (void)sqlite3_finalize(statement);
    return status;
}

static sotto_status check_schema(sot_store *store, sotto_error *error)
{
    sqlite3_stmt *statement = NULL;
    int code =
        sqlite3_prepare_v2(store->database, "SELECT sql FROM sqlite_schema ORDER BY name",
                           -1, &statement, NULL);
    size_t count = 0;
    bool same = true;
    while (code == SQLITE_OK || code == SQLITE_ROW) {
        code = sqlite3_step(statement);
        if (code != SQLITE_ROW) break;
        const char *sql = (const char *)sqlite3_column_text(statement, 0);
        same = same && sql != NULL && count < SCHEMA_COUNT &&
               strcmp(sql, schema[count]) == 0;
        count++;
    }
    sotto_status status = SOTTO_OK;
    if (code != SQLITE_DONE) {
        status = fail_sqlite(store, "read it", error);
    } else if (!same || count != SCHEMA_COUNT) {
        status = sot_fail(error, SOTTO_VERIFICATION,
                          "ledger %s: its table or the triggers that guard it were "
                          "changed; restore it and check it against the last certificate",
                          store->place.shown);
    }
    (void)sqlite3_finalize(statement);
    return status;
}

static sotto_status check_identity(sot_store *store, sotto_error *error)
{
    int64_t application = 0, format = 0;
    sotto_status status =
        read_number(store, "PRAGMA application_id", &application, error);
    if (status == SOTTO_OK)
        status = read_number(store, "PRAGMA user_version", &format, error);
    if (status != SOTTO_OK) return status;
    if (application != APPLICATION_ID) {
        return sot_fail(
            error, SOTTO_VERIFICATION,
            "%s is not a ledger of sotto; create one with 'sotto ledger init'",
            store->place.shown);
    }
    if (format < FORMAT_FIRST || format > FORMAT) {
        return sot_fail(error, SOTTO_UNSUPPORTED,
                        "ledger %s is in format %lld and this sotto reads formats up to "
                        "%d; use the sotto that wrote it",
                        store->place.shown, (long long)format, FORMAT);
    }
    return check_schema(store, error);
}

/* Also sees that SQLite opened the file that was looked at, not one put there meanwhile. */
sotto_status sot_store_check_place(sot_store *store, sotto_error *error)
{
    int moved = 0;
    const sotto_status status = sot_place_check_same(&store->place, error);
    if (status != SOTTO_OK) return status;
    const int code =
        sqlite3_file_control(store->database, "main", SQLITE_FCNTL_HAS_MOVED, &moved);
    if (code == SQLITE_OK && moved == 0) return SOTTO_OK;
    return sot_fail(error, SOTTO_IO,
                    "ledger %s: cannot confirm that the path still names the open file; "
                    "if it was moved or replaced, put it back and run again",
                    store->place.shown);
}

sotto_status sot_store_open(const char *path, sot_store **out_store, sotto_error *error)
{
    sot_store *store = sot_new_array(1, sizeof *store);
    if (store == NULL) return sot_fail_memory(error, 1, sizeof *store);
    sotto_status status = sot_place_open(path, &store->place, error);
    if (status == SOTTO_OK) status = sot_place_check_file(&store->place, error);
    if (status == SOTTO_OK) status = connect(store, store->place.path, error);
    if (status == SOTTO_OK) status = sot_store_check_place(store, error);
    if (status == SOTTO_OK) status = check_identity(store, error);
    if (status != SOTTO_OK) {
        sot_store_close(store);
        return status;
    }
    *out_store = store;
    return SOTTO_OK;
}

void sot_store_close(sot_store *store)
{
    if (store == NULL) return;
    /* After fork() the parent's handle is not the child's to close. */
    if (store->process == getpid() || store->database == NULL)
        (void)sqlite3_close(store->database);
    sot_place_close(&store->place);
    sot_free(store);
}

const char *sot_store_name(const sot_store *store)
{
    return store->place.shown;
}

/* ---- transactions ---- */

sotto_status sot_store_begin_write(sot_store *store, sotto_error *error)
{
    const sotto_status status = check_process(store, error);
    return status != SOTTO_OK ? status
                              : run_sql(store, "BEGIN IMMEDIATE", "lock it", error);
}

sotto_status sot_store_begin_read(sot_store *store, sotto_error *error)
{
    const sotto_status status = check_process(store, error);
    return status != SOTTO_OK ? status : run_sql(store, "BEGIN", "read it", error);
}

sotto_status sot_store_commit(sot_store *store, sotto_error *error)
{
    return run_sql(store, "COMMIT", "write it", error);
}

void sot_store_rollback(sot_store *store)
{
    if (store->process != getpid() || sqlite3_get_autocommit(store->database)) return;
    (void)sqlite3_exec(store->database, "ROLLBACK", NULL, NULL, NULL);
}

/* ---- lines ---- */

sotto_status sot_store_read(sot_store *store, uint64_t first, uint64_t last,
                            sot_store_reader reader, void *context, sotto_error *error)
{
    sqlite3_stmt *statement = NULL;
    int code = sqlite3_prepare_v2(
        store->database,
        "SELECT row, line FROM entry WHERE row BETWEEN ? AND ? ORDER BY row", -1,
        &statement, NULL);
    if (code == SQLITE_OK) code = sqlite3_bind_int64(statement, 1, (int64_t)first);
    if (code == SQLITE_OK) code = sqlite3_bind_int64(statement, 2, (int64_t)last);
    sotto_status status = SOTTO_OK;
    while (status == SOTTO_OK && code == SQLITE_OK) {
        code = sqlite3_step(statement);
        if (code != SQLITE_ROW) break;
        const char *line = (const char *)sqlite3_column_text(statement, 1);
        if (line == NULL) {
            code = SQLITE_NOMEM;
            break;
        }
        status = reader(line, (size_t)sqlite3_column_bytes(statement, 1),
                        (uint64_t)sqlite3_column_int64(statement, 0), context, error);
        code = SQLITE_OK;
    }
    if (status == SOTTO_OK && code != SQLITE_DONE)
        status = fail_sqlite(store, "read it", error);
    (void)sqlite3_finalize(statement);
    return status;
}

sotto_status sot_store_append(sot_store *store, uint64_t row, const char *line,
                              size_t size_bytes, sotto_error *error)
{
    sqlite3_stmt *statement = NULL;
    int code =
        sqlite3_prepare_v2(store->database, "INSERT INTO entry(row, line) VALUES(?, ?)",
                           -1, &statement, NULL);
    if (code == SQLITE_OK) code = sqlite3_bind_int64(statement, 1, (int64_t)row);
    if (code == SQLITE_OK)
        code = sqlite3_bind_text64(statement, 2, line, size_bytes, SQLITE_STATIC,
                                   SQLITE_UTF8);
    if (code == SQLITE_OK) code = sqlite3_step(statement);
    const sotto_status status =
        code == SQLITE_DONE ? SOTTO_OK : fail_sqlite(store, "write it", error);
    (void)sqlite3_finalize(statement);
    return status;
}

sotto_status sot_store_raise_format(sot_store *store, sotto_error *error)
{
    int64_t format = 0;
    const sotto_status status = read_number(store, "PRAGMA user_version", &format, error);
    if (status != SOTTO_OK || format == FORMAT) return status;
    char sql[48];
    (void)snprintf(sql, sizeof sql, "PRAGMA user_version = %d", FORMAT);
    return run_sql(store, sql, "write it", error);
}

sotto_status sot_store_check_structure(sot_store *store, sotto_error *error)
{
    sqlite3_stmt *statement = NULL;
    int code = sqlite3_prepare_v2(store->database, "PRAGMA integrity_check(1)", -1,
                                  &statement, NULL);
    if (code == SQLITE_OK) code = sqlite3_step(statement);
    sotto_status status = SOTTO_OK;
    const char *finding =
        code == SQLITE_ROW ? (const char *)sqlite3_column_text(statement, 0) : NULL;
    if (finding == NULL) {
        status = fail_sqlite(store, "read it", error);
    } else if (strcmp(finding, "ok") != 0) {
        status = sot_fail(error, SOTTO_VERIFICATION,
                          "ledger %s is damaged (%.80s); restore it and check it against "
                          "the head in the last certificate",
                          store->place.shown, finding);
    }
    (void)sqlite3_finalize(statement);
    return status;
}

/* ---- creating ---- */

static sotto_status fail_create(const sot_place *place, int code, sotto_error *error)
{
    char text[64];
    if (code == EEXIST) {
        return sot_fail(
            error, SOTTO_IO,
            "ledger %s: there is a file already, and a ledger is never "
            "overwritten; raise its budget with 'sotto ledger grant', or choose "
            "another path",
            place->shown);
    }
    return sot_fail(error, SOTTO_IO, "ledger %s: cannot create it: %s", place->shown,
                    sot_errno_text(code, text, sizeof text));
}

/* A database with its first line, made in memory: no journal, no file that a kill could leave. */
static sotto_status make_database(sot_store *store, const char *line, size_t size_bytes,
                                  sotto_error *error)
{
    char numbers[96];
    (void)snprintf(numbers, sizeof numbers,
                   "PRAGMA application_id = %d; PRAGMA user_version = %d", APPLICATION_ID,
                   FORMAT);
    if (sqlite3_open_v2(":memory:", &store->database,
                        SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL) != SQLITE_OK)
        return fail_sqlite(store, "create it", error);
    store->process = getpid();
    sotto_status status = run_sql(store, numbers, "create it", error);
    for (size_t i = 0; status == SOTTO_OK && i < SCHEMA_COUNT; i++)
        status = run_sql(store, schema[i], "create it", error);
    return status == SOTTO_OK ? sot_store_append(store, 1, line, size_bytes, error)
                              : status;
}

static sotto_status put_in_place(const sot_store *store, sotto_error *error)
{
    char text[64];
    const sot_place *place = &store->place;
    sqlite3_int64 size_bytes = 0;
    unsigned char *bytes = sqlite3_serialize(store->database, "main", &size_bytes, 0);
    if (bytes == NULL)
        return sot_fail(error, SOTTO_OUT_OF_MEMORY, "ledger %s: SQLite is out of memory",
                        place->shown);
    const int code =
        sot_create_file(place->directory, place->name, bytes, (size_t)size_bytes, 0600);
    sqlite3_free(bytes);
    if (code != 0) return fail_create(place, code, error);
    if (sot_file_sync_directory(place->directory)) return SOTTO_OK;
    return sot_fail(error, SOTTO_IO,
                    "ledger %s: it is there, but its directory could not be synced: %s; "
                    "use it after 'sotto ledger check' accepts it",
                    place->shown, sot_errno_text(errno, text, sizeof text));
}

sotto_status sot_store_create(const char *path, const char *line, size_t size_bytes,
                              sotto_error *error)
{
    sot_store store = {.place = {.directory = -1}};
    sotto_status status = sot_place_open(path, &store.place, error);
    if (status == SOTTO_OK) status = make_database(&store, line, size_bytes, error);
    if (status == SOTTO_OK) status = put_in_place(&store, error);
    (void)sqlite3_close(store.database);
    sot_place_close(&store.place);
    return status;
}
