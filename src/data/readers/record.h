/* data/readers/record.h: one record on its way from a source to an encoding. */
#ifndef SOT_DATA_READERS_RECORD_H
#define SOT_DATA_READERS_RECORD_H

#include <stddef.h>
#include <stdint.h>

/* Borrowed from the source, until the next record is read. Every source is total: any line or row
 * of memory gives one record. */
typedef struct sot_record {
    /* With a table's schema: one number per column of the schema, within its bounds (a category's
     * index; 0 for id and ignored columns). NULL with a matrix schema. */
    const double *cells;
    /* With a matrix schema: the features that are there, indices from 0, ascending and distinct;
     * values may be anything, NaN and infinities too. */
    const uint32_t *indices;
    const double *values;
    size_t count;
    /* The same numbers, where they are bytes in the source and all of them are there: a quicker way
     * to them. Else NULL. */
    const unsigned char *bytes;
    double label; /* matrix schema: as read; NaN: missing or malformed */
    /* Words of a LIBSVM line that are not read: malformed, of an index outside the features, or repeated. Only for the
     * owner of the data (data/owner/owner.h). */
    size_t not_read;
    /* Whose record it is, when the schema has a unit; else NULL. Not NUL-terminated. */
    const char *unit;
    size_t unit_bytes;
} sot_record;

#endif
