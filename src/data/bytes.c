#include "data/bytes.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include <zlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"

enum { READ_BYTES_MAX = 1 << 30 }; /* what read() and gzread() take at once */

struct sot_bytes {
    char *path;
    int descriptor; /* of a plain file; -1: `file` has it */
    gzFile file;
    uint64_t size; /* UINT64_MAX: not known */
    uint64_t hint; /* the same */
};

bool sot_name_ends(const char *name, const char *end)
{
    const size_t length = strlen(name);
    const size_t end_length = strlen(end);
    return length >= end_length && strcasecmp(name + length - end_length, end) == 0;
}

/* Read as records these would make no sense, and nothing would tell. */
static sotto_status check_name(const char *path, sotto_error *error)
{
    static const char *const ends[] = {".bz2", ".xz",  ".zst", ".zip",
                                       ".7z",  ".tar", ".tgz", ".npz"};
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        if (!sot_name_ends(path, ends[i])) continue;
        return sot_fail(error, SOTTO_UNSUPPORTED,
                        "%.120s is packed in a way that is not read here; unpack it, or "
                        "pack it with gzip",
                        path);
    }
    return SOTTO_OK;
}

/* Deflate makes at most 1032 bytes of one (zlib's technical notes): what claims more is damaged, or
 * longer than 4 GiB. */
static uint64_t packed_hint(int descriptor, const struct stat *facts)
{
    enum { MEMBER_BYTES_LEAST = 18, RATIO_MOST = 1032 };
    unsigned char end[4];
    if (!S_ISREG(facts->st_mode) || facts->st_size < MEMBER_BYTES_LEAST ||
        pread(descriptor, end, sizeof end, facts->st_size - (off_t)sizeof end) !=
            (ssize_t)sizeof end)
        return UINT64_MAX;
    const uint64_t length = (uint64_t)end[0] | (uint64_t)end[1] << 8 |
                            (uint64_t)end[2] << 16 | (uint64_t)end[3] << 24;
    return length / RATIO_MOST <= (uint64_t)facts->st_size ? length : UINT64_MAX;
}

static sotto_status open_file(sot_bytes *bytes, const char *path, sot_packing packing,
                              sotto_error *error)
{
    char reason[96];
    struct stat facts;
    bytes->descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (bytes->descriptor < 0 || fstat(bytes->descriptor, &facts) != 0) {
        return sot_fail(error, SOTTO_IO, "cannot open %.120s: %s", path,
                        sot_errno_text(errno, reason, sizeof reason));
    }
    if (S_ISDIR(facts.st_mode)) {
        return sot_fail(error, SOTTO_IO, "%.150s is a directory; give a file of records",
                        path);
    }
    if (packing == SOT_PACKED_BY_NAME && !sot_name_ends(path, ".gz")) {
        if (S_ISREG(facts.st_mode)) bytes->size = (uint64_t)facts.st_size;
        bytes->hint = bytes->size;
        return SOTTO_OK;
    }
    bytes->hint = packed_hint(bytes->descriptor, &facts);
    bytes->file = gzdopen(bytes->descriptor, "rb");
    if (bytes->file == NULL) return sot_fail_memory(error, 1, sizeof *bytes);
    bytes->descriptor = -1;
    return SOTTO_OK;
}

sotto_status sot_bytes_open(const char *path, sot_packing packing, sot_bytes **out_bytes,
                            sotto_error *error)
{
    sotto_status status = check_name(path, error);
    if (status != SOTTO_OK) return status;
    sot_bytes *bytes = sot_new_array(1, sizeof *bytes);
    if (bytes == NULL) return sot_fail_memory(error, 1, sizeof *bytes);
    bytes->descriptor = -1;
    bytes->size = UINT64_MAX;
    bytes->hint = UINT64_MAX;
    bytes->path = sot_copy_string(path);
    status = bytes->path == NULL ? sot_fail_memory(error, strlen(path) + 1, 1)
                                 : open_file(bytes, path, packing, error);
    if (status != SOTTO_OK) {
        sot_bytes_close(bytes);
        return status;
    }
    *out_bytes = bytes;
    return SOTTO_OK;
}

void sot_bytes_close(sot_bytes *bytes)
{
    if (bytes == NULL) return;
    if (bytes->file != NULL) (void)gzclose(bytes->file);
    if (bytes->descriptor >= 0) (void)close(bytes->descriptor);
    sot_free(bytes->path);
    sot_free(bytes);
}

sotto_status sot_bytes_fail(const sot_bytes *bytes, sotto_error *error)
{
    return sot_fail(error, SOTTO_IO, "%.150s cannot be read to its end; is it damaged?",
                    bytes->path);
}

/* 0 at the end, below 0 when they cannot be had. */
static ssize_t read_some(const sot_bytes *bytes, void *buffer, size_t room)
{
    if (room > READ_BYTES_MAX) room = READ_BYTES_MAX;
    if (bytes->file == NULL) {
        ssize_t got;
        do {
            got = read(bytes->descriptor, buffer, room);
        } while (got < 0 && errno == EINTR);
        return got;
    }
    const int got = gzread(bytes->file, buffer, (unsigned)room);
    int code = Z_OK;
    (void)gzerror(bytes->file, &code);
    return got == 0 && code == Z_BUF_ERROR ? -1 : got; /* cut short */
}

sotto_status sot_bytes_read(sot_bytes *bytes, void *buffer, size_t room, size_t *out_got,
                            sotto_error *error)
{
    const ssize_t got = read_some(bytes, buffer, room);
    if (got < 0) return sot_bytes_fail(bytes, error);
    *out_got = (size_t)got;
    return SOTTO_OK;
}

sotto_status sot_bytes_read_all(sot_bytes *bytes, void *buffer, size_t count,
                                sotto_error *error)
{
    char *to = buffer;
    while (count > 0) {
        const ssize_t got = read_some(bytes, to, count);
        if (got <= 0) return sot_bytes_fail(bytes, error);
        to += got;
        count -= (size_t)got;
    }
    return SOTTO_OK;
}

sotto_status sot_bytes_read_at(sot_bytes *bytes, uint64_t offset, void *buffer,
                               size_t count, sotto_error *error)
{
    char *to = buffer;
    while (count > 0) {
        const size_t room = count < READ_BYTES_MAX ? count : READ_BYTES_MAX;
        const ssize_t got = pread(bytes->descriptor, to, room, (off_t)offset);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return sot_bytes_fail(bytes, error);
        to += got;
        offset += (uint64_t)got;
        count -= (size_t)got;
    }
    return SOTTO_OK;
}

uint64_t sot_bytes_size(const sot_bytes *bytes)
{
    return bytes->size;
}

uint64_t sot_bytes_size_hint(const sot_bytes *bytes)
{
    return bytes->hint;
}
