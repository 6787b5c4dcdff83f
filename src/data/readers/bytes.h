/* data/readers/bytes.h: the bytes of a file of records, plain or gzip-compressed, in
 * order. */
#ifndef SOT_DATA_READERS_BYTES_H
#define SOT_DATA_READERS_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <sotto/error.h>

typedef struct sot_bytes sot_bytes;

/* The rule for decompression. The first bytes may decide it where they are public, as those of a
 * header are. Where they are a record's, they must not: one record would change all others. Then
 * the name decides. */
typedef enum sot_packing {
    SOT_PACKED_BY_CONTENT = 1, /* gzip if it begins like gzip */
    SOT_PACKED_BY_NAME =
        2 /* plain; gzip if the name ends in .gz, and refused if it is not */
} sot_packing;

/* Opens for reading: a file, or a pipe. Names of other compressors are refused. For a gzip file
 * the header of the first member is read. Its members follow each other up to the end; other
 * bytes behind them are damage (SOTTO_IO). */
SOTTO_MUST_CHECK sotto_status sot_bytes_open(const char *path, sot_packing packing,
                                             sot_bytes **out_bytes, sotto_error *error);
void sot_bytes_close(sot_bytes *bytes); /* NULL is fine */

/* Reads some of the next bytes, at most `room`; *out_got is 0 only at the end. */
SOTTO_MUST_CHECK sotto_status sot_bytes_read(sot_bytes *bytes, void *buffer, size_t room,
                                             size_t *out_got, sotto_error *error);

/* All of the next `count` bytes, or SOTTO_IO: the file is shorter. */
SOTTO_MUST_CHECK sotto_status sot_bytes_read_all(sot_bytes *bytes, void *buffer,
                                                 size_t count, sotto_error *error);

/* The same from a place of a file that sot_bytes_size() knows; the order of the others stays. */
SOTTO_MUST_CHECK sotto_status sot_bytes_read_at(sot_bytes *bytes, uint64_t offset,
                                                void *buffer, size_t count,
                                                sotto_error *error);

/* Returns the bytes of a plain file; UINT64_MAX: a pipe, or a compressed file. */
uint64_t sot_bytes_size(const sot_bytes *bytes);

/* Returns a number of bytes, decompressed, only to reserve memory: no failure may follow from it.
 * For a gzip file it is the length in the last four bytes (RFC 1952: modulo 2^32), if deflate
 * could have reached this compression. UINT64_MAX: not known. */
uint64_t sot_bytes_size_hint(const sot_bytes *bytes);

/* The file cannot be read to its end, or has not the length that it should. */
SOTTO_MUST_CHECK sotto_status sot_bytes_fail(const sot_bytes *bytes, sotto_error *error);

/* True if a name ends with `end`, in either case. */
bool sot_name_ends(const char *name, const char *end);

/* True if it ends with `end`, or with `end` and .gz. */
bool sot_is_named(const char *name, const char *end);

#endif
