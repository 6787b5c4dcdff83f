#include "data/readers/bytes.h"

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

enum {
    READ_BYTES_MAX = 1 << 30, /* the largest size of one read() or inflate() */
    INPUT_BYTES = 1 << 16,    /* compressed bytes, or those that showed that a file is not
                  * compressed */
    GZIP_BITS = 16 + MAX_WBITS /* inflateInit2(): gzip members and nothing else */
};

struct sot_bytes {
    char *path;
    int descriptor;
    uint64_t size;        /* UINT64_MAX: not known */
    uint64_t hint;        /* the same */
    unsigned char *input; /* NULL: a plain file whose bytes were not looked at */
    z_stream inflater;    /* its next_in and avail_in are the rest of the input */
    gz_header header;     /* of the first member; zlib keeps a pointer to it */
    bool is_packed;       /* the inflater is open */
    bool in_member;       /* some of a gzip member was read, and its end was not */
};

bool sot_name_ends(const char *name, const char *end)
{
    const size_t length = strlen(name);
    const size_t end_length = strlen(end);
    return length >= end_length && strcasecmp(name + length - end_length, end) == 0;
}

bool sot_is_named(const char *name, const char *end)
{
    const size_t packed = sot_name_ends(name, ".gz") ? strlen(".gz") : 0;
    const size_t length = strlen(name) - packed;
    const size_t end_length = strlen(end);
    return length >= end_length &&
           strncasecmp(name + length - end_length, end, end_length) == 0;
}

/* Read as records these would make no sense, and no error would show it. */
static sotto_status check_name(const char *path, sotto_error *error)
{
    static const char *const ends[] = {".bz2", ".xz",  ".zst", ".zip",
                                       ".7z",  ".tar", ".tgz", ".npz"};
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        if (!sot_name_ends(path, ends[i])) continue;
        return sot_fail(error, SOTTO_UNSUPPORTED,
                        "%.120s is compressed in a way that is not read here; decompress "
                        "it, or compress it with gzip",
                        path);
    }
    return SOTTO_OK;
}

/* Deflate makes at most 1032 bytes of one (zlib's technical notes): a file that claims more is
 * damaged, or longer than 4 GiB. Only for a file that begins with a gzip member: the last bytes
 * of any other are a record's. */
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

/* ---- gzip ---- */

static ssize_t read_file(const sot_bytes *bytes, void *buffer, size_t room)
{
    ssize_t got;
    do {
        got = read(bytes->descriptor, buffer, room);
    } while (got < 0 && errno == EINTR);
    return got;
}

/* Appends more input to the rest: 0 at the end of the file, below 0 on failure. */
static ssize_t fill_input(sot_bytes *bytes)
{
    z_stream *inflater = &bytes->inflater;
    if (inflater->avail_in > 0)
        memmove(bytes->input, inflater->next_in, inflater->avail_in);
    inflater->next_in = bytes->input;
    const ssize_t got = read_file(bytes, bytes->input + inflater->avail_in,
                                  INPUT_BYTES - inflater->avail_in);
    if (got > 0) inflater->avail_in += (unsigned)got;
    return got;
}

static bool begins_like_gzip(const sot_bytes *bytes)
{
    return bytes->inflater.avail_in >= 2 && bytes->input[0] == 0x1f &&
           bytes->input[1] == 0x8b;
}

/* Reads the header of the first member: no byte of a record stands in it. */
static bool begin_member(sot_bytes *bytes)
{
    unsigned char none;
    z_stream *inflater = &bytes->inflater;
    if (inflateGetHeader(inflater, &bytes->header) != Z_OK) return false;
    while (bytes->header.done == 0) {
        inflater->next_out = &none;
        inflater->avail_out = 0;
        const int code = inflate(inflater, Z_BLOCK);
        if (code != Z_OK && code != Z_BUF_ERROR) return false;
        if (bytes->header.done == 0 && inflater->avail_in == 0 && fill_input(bytes) <= 0)
            return false;
    }
    bytes->in_member = bytes->header.done > 0;
    return bytes->in_member;
}

static sotto_status refuse_plain(const char *path, sotto_error *error)
{
    return sot_fail(error, SOTTO_PARSE,
                    "%.120s is not gzip, but its name ends in .gz; give it the name of "
                    "its format, or compress it with gzip",
                    path);
}

/* Looks at the first bytes, if they may decide. A name in .gz always means gzip: were it the first record's bytes that
 * decide, one record would change the reading of all. */
static sotto_status open_packed(sot_bytes *bytes, const char *path, sot_packing packing,
                                const struct stat *facts, sotto_error *error)
{
    bytes->input = sot_new_array(INPUT_BYTES, 1);
    if (bytes->input == NULL) return sot_fail_memory(error, INPUT_BYTES, 1);
    ssize_t got = 1;
    while (got > 0 && bytes->inflater.avail_in < 2)
        got = fill_input(bytes);
    if (got < 0) return sot_bytes_fail(bytes, error);
    if (!begins_like_gzip(bytes))
        return packing == SOT_PACKED_BY_NAME ? refuse_plain(path, error) : SOTTO_OK;
    if (inflateInit2(&bytes->inflater, GZIP_BITS) != Z_OK)
        return sot_fail_memory(error, 1, sizeof bytes->inflater);
    bytes->is_packed = true;
    if (!begin_member(bytes)) return refuse_plain(path, error);
    bytes->hint = packed_hint(bytes->descriptor, facts);
    return SOTTO_OK;
}

/* Some of the next unpacked bytes. Members follow each other; bytes behind the last one that are no member are damage. */
static ssize_t inflate_some(sot_bytes *bytes, void *buffer, size_t room)
{
    z_stream *inflater = &bytes->inflater;
    for (;;) {
        if (inflater->avail_in == 0) {
            const ssize_t got = fill_input(bytes);
            if (got < 0 || (got == 0 && bytes->in_member)) return -1; /* cut short */
            if (got == 0) return 0;
        }
        if (!bytes->in_member && inflateReset2(inflater, GZIP_BITS) != Z_OK) return -1;
        bytes->in_member = true;
        inflater->next_out = buffer;
        inflater->avail_out = (unsigned)room;
        const int code = inflate(inflater, Z_NO_FLUSH);
        if (code != Z_OK && code != Z_BUF_ERROR && code != Z_STREAM_END) return -1;
        if (code == Z_STREAM_END) bytes->in_member = false;
        if (inflater->avail_out < room) return (ssize_t)(room - inflater->avail_out);
    }
}

/* ---- opening ---- */

static sotto_status open_file(sot_bytes *bytes, const char *path, sot_packing packing,
                              sotto_error *error)
{
    char reason[96];
    struct stat facts;
    /* Only a reader of a pipe waits: a pipe that takes the place of a file would stop a run without a word. */
    const bool was_regular = stat(path, &facts) == 0 && S_ISREG(facts.st_mode);
    bytes->descriptor = open(path, O_RDONLY | O_CLOEXEC | (was_regular ? O_NONBLOCK : 0));
    if (bytes->descriptor < 0 || fstat(bytes->descriptor, &facts) != 0) {
        return sot_fail(error, SOTTO_IO, "cannot open %.120s: %s", path,
                        sot_errno_text(errno, reason, sizeof reason));
    }
    if (was_regular && !S_ISREG(facts.st_mode)) {
        return sot_fail(
            error, SOTTO_IO,
            "%.120s was changed while it was opened; give a copy that no other "
            "program writes to",
            path);
    }
    if (S_ISDIR(facts.st_mode)) {
        return sot_fail(error, SOTTO_IO, "%.150s is a directory; give a file of records",
                        path);
    }
    if (packing == SOT_PACKED_BY_CONTENT || sot_name_ends(path, ".gz"))
        return open_packed(bytes, path, packing, &facts, error);
    if (S_ISREG(facts.st_mode)) bytes->size = (uint64_t)facts.st_size;
    bytes->hint = bytes->size;
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
    if (bytes->is_packed) (void)inflateEnd(&bytes->inflater);
    if (bytes->descriptor >= 0) (void)close(bytes->descriptor);
    sot_wipe_and_free(bytes->input, INPUT_BYTES);
    sot_free(bytes->path);
    sot_free(bytes);
}

sotto_status sot_bytes_fail(const sot_bytes *bytes, sotto_error *error)
{
    return sot_fail(error, SOTTO_IO, "%.150s cannot be read to its end; is it damaged?",
                    bytes->path);
}

/* 0 at the end, below 0 when they cannot be had. */
static ssize_t read_some(sot_bytes *bytes, void *buffer, size_t room)
{
    if (room > READ_BYTES_MAX) room = READ_BYTES_MAX;
    if (bytes->is_packed) return inflate_some(bytes, buffer, room);
    const unsigned left = bytes->inflater.avail_in;
    if (left == 0) return read_file(bytes, buffer, room);
    if (room > left) room = left; /* those that showed that the file is not compressed */
    memcpy(buffer, bytes->inflater.next_in, room);
    bytes->inflater.next_in += room;
    bytes->inflater.avail_in -= (unsigned)room;
    return (ssize_t)room;
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
