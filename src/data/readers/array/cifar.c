/* CIFAR-10 in its binary version (Krizhevsky 2009): no header, one record after another. A record
 * is a byte for the label, and 3 planes (red, green, blue) of 32 rows of 32 bytes. */
#include "base/error.h"
#include "data/readers/array/layout.h"

bool sot_cifar_is_named(const char *path)
{
    return sot_is_named(path, ".bin");
}

sotto_status sot_cifar_read_layout(const sot_bytes *bytes, const char *name,
                                   sot_array_layout *out_layout, sotto_error *error)
{
    const uint64_t size = sot_bytes_size(bytes);
    *out_layout = (sot_array_layout){.rows = SOT_ARRAY_ROWS_UNKNOWN,
                                     .columns = SOT_CIFAR_RECORD_BYTES,
                                     .kind = SOT_ARRAY_UNSIGNED,
                                     .element_bytes = 1};
    if (size == UINT64_MAX)
        return SOTTO_OK; /* gzip-compressed, or a pipe: the length is
                                              * known only at the end */
    out_layout->rows = size / SOT_CIFAR_RECORD_BYTES;
    if (size % SOT_CIFAR_RECORD_BYTES == 0 && out_layout->rows <= SOT_ARRAY_ROWS_MAX)
        return SOTTO_OK;
    return sot_fail(error, SOTTO_IO,
                    "%.90s does not consist of CIFAR-10 records of %d bytes (a label, 3 "
                    "x 32 x 32 pixels); is it damaged, compressed, or another file?",
                    name, (int)SOT_CIFAR_RECORD_BYTES);
}
