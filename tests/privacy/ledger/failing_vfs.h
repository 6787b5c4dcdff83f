/* tests/privacy/ledger/failing_vfs.h: a file system for SQLite whose n-th write fails.
 *
 * A shim over the default VFS. Every write, sync, truncation, deletion and creation of a file
 * counts; from the `nth` on, `length` of them fail with `code`. */
#ifndef SOTTO_TESTS_FAILING_VFS_H
#define SOTTO_TESTS_FAILING_VFS_H

#include <string.h>

#include <sqlite3.h>

typedef struct failing_file {
    sqlite3_file base;
    sqlite3_file *real; /* behind this struct */
} failing_file;

static struct {
    sqlite3_vfs vfs;
    sqlite3_vfs *real;
    long seen;   /* operations since failing_set() */
    long nth;    /* 0: none fails */
    long length; /* how many fail in a row */
    int code;
} failing;

static inline int failing_now(void)
{
    failing.seen++;
    return failing.nth > 0 && failing.seen >= failing.nth &&
           failing.seen < failing.nth + failing.length;
}

static sqlite3_file *real_of(sqlite3_file *file)
{
    return ((failing_file *)file)->real;
}

static int failing_close(sqlite3_file *file)
{
    return real_of(file)->pMethods->xClose(real_of(file));
}
static int failing_read(sqlite3_file *file, void *bytes, int size, sqlite3_int64 at)
{
    return real_of(file)->pMethods->xRead(real_of(file), bytes, size, at);
}
static int failing_write(sqlite3_file *file, const void *bytes, int size,
                         sqlite3_int64 at)
{
    if (failing_now()) {
        /* A failing disk may still have taken half of it. */
        if (size > 1)
            (void)real_of(file)->pMethods->xWrite(real_of(file), bytes, size / 2, at);
        return failing.code;
    }
    return real_of(file)->pMethods->xWrite(real_of(file), bytes, size, at);
}
static int failing_truncate(sqlite3_file *file, sqlite3_int64 size)
{
    if (failing_now()) return failing.code;
    return real_of(file)->pMethods->xTruncate(real_of(file), size);
}
static int failing_sync(sqlite3_file *file, int flags)
{
    if (failing_now())
        return failing.code == SQLITE_FULL ? SQLITE_IOERR_FSYNC : failing.code;
    return real_of(file)->pMethods->xSync(real_of(file), flags);
}
static int failing_size(sqlite3_file *file, sqlite3_int64 *size)
{
    return real_of(file)->pMethods->xFileSize(real_of(file), size);
}
static int failing_lock(sqlite3_file *file, int level)
{
    return real_of(file)->pMethods->xLock(real_of(file), level);
}
static int failing_unlock(sqlite3_file *file, int level)
{
    return real_of(file)->pMethods->xUnlock(real_of(file), level);
}
static int failing_reserved(sqlite3_file *file, int *out)
{
    return real_of(file)->pMethods->xCheckReservedLock(real_of(file), out);
}
static int failing_control(sqlite3_file *file, int operation, void *argument)
{
    return real_of(file)->pMethods->xFileControl(real_of(file), operation, argument);
}
static int failing_sector(sqlite3_file *file)
{
    return real_of(file)->pMethods->xSectorSize(real_of(file));
}
static int failing_device(sqlite3_file *file)
{
    return real_of(file)->pMethods->xDeviceCharacteristics(real_of(file));
}

static const sqlite3_io_methods failing_methods = {
    .iVersion = 1,
    .xClose = failing_close,
    .xRead = failing_read,
    .xWrite = failing_write,
    .xTruncate = failing_truncate,
    .xSync = failing_sync,
    .xFileSize = failing_size,
    .xLock = failing_lock,
    .xUnlock = failing_unlock,
    .xCheckReservedLock = failing_reserved,
    .xFileControl = failing_control,
    .xSectorSize = failing_sector,
    .xDeviceCharacteristics = failing_device,
};

static int failing_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags,
                        int *out_flags)
{
    (void)vfs;
    failing_file *shim = (failing_file *)file;
    memset(shim, 0, sizeof *shim);
    if ((flags & SQLITE_OPEN_CREATE) != 0 && failing_now()) return SQLITE_CANTOPEN;
    shim->real = (sqlite3_file *)(shim + 1);
    const int code =
        failing.real->xOpen(failing.real, name, shim->real, flags, out_flags);
    if (shim->real->pMethods != NULL) shim->base.pMethods = &failing_methods;
    return code;
}

static int failing_delete(sqlite3_vfs *vfs, const char *name, int sync_directory)
{
    (void)vfs;
    if (failing_now()) return SQLITE_IOERR_DELETE;
    return failing.real->xDelete(failing.real, name, sync_directory);
}

/* Makes the shim SQLite's default. */
static inline void failing_register(void)
{
    failing.real = sqlite3_vfs_find(NULL);
    failing.vfs = *failing.real;
    failing.vfs.zName = "failing";
    failing.vfs.pNext = NULL;
    failing.vfs.szOsFile = (int)sizeof(failing_file) + failing.real->szOsFile;
    failing.vfs.xOpen = failing_open;
    failing.vfs.xDelete = failing_delete;
    (void)sqlite3_vfs_register(&failing.vfs, 1);
}

/* Returns how many operations were seen since the last call. */
static inline long failing_set(long nth, long length, int code)
{
    const long seen = failing.seen;
    failing.seen = 0;
    failing.nth = nth;
    failing.length = length;
    failing.code = code;
    return seen;
}

#endif
