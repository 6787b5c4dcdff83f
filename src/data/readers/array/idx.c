/* The header of IDX, the format of MNIST (LeCun, Cortes & Burges), big-endian. It has two zero
 * bytes, the kind of number, the number of dimensions, and each of them in four bytes. */
#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "data/readers/array/layout.h"

enum { DIMENSIONS_MAX = 16 };

/* Without .gz. */
static size_t name_length(const char *path)
{
    return strlen(path) - (sot_name_ends(path, ".gz") ? strlen(".gz") : 0);
}

bool sot_idx_is_named(const char *path)
{
    static const char *const kinds[] = {"-ubyte", "-byte",  "-short",
                                        "-int",   "-float", "-double"};
    size_t length = name_length(path);
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        const size_t kind = strlen(kinds[i]);
        if (length <= kind || strncasecmp(path + length - kind, kinds[i], kind) != 0)
            continue;
        length -= kind;
        break;
    }
    if (length > 0 && path[length - 1] >= '1' && path[length - 1] <= '9') length--;
    return length > 4 && strncasecmp(path + length - 3, "idx", 3) == 0 &&
           (path[length - 4] == '.' || path[length - 4] == '-');
}

static bool set_kind(unsigned char code, sot_array_layout *layout)
{
    static const struct {
        unsigned char code;
        sot_array_kind kind;
        size_t element_bytes;
    } kinds[] = {
        {0x08, SOT_ARRAY_UNSIGNED, 1}, {0x09, SOT_ARRAY_SIGNED, 1},
        {0x0B, SOT_ARRAY_SIGNED, 2},   {0x0C, SOT_ARRAY_SIGNED, 4},
        {0x0D, SOT_ARRAY_FLOAT, 4},    {0x0E, SOT_ARRAY_FLOAT, 8},
    };
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (kinds[i].code != code) continue;
        layout->kind = kinds[i].kind;
        layout->element_bytes = kinds[i].element_bytes;
        return true;
    }
    return false;
}

static uint64_t big_endian(const unsigned char bytes[4])
{
    return (uint64_t)bytes[0] << 24 | (uint64_t)bytes[1] << 16 | (uint64_t)bytes[2] << 8 |
           (uint64_t)bytes[3];
}

sotto_status sot_idx_read_layout(sot_bytes *bytes, const char *name,
                                 sot_array_layout *out_layout, sotto_error *error)
{
    unsigned char begin[4];
    unsigned char length[4];
    sotto_status status = sot_bytes_read_all(bytes, begin, sizeof begin, error);
    if (status != SOTTO_OK) return status;
    const size_t dimensions = begin[3];
    if (begin[0] != 0 || begin[1] != 0 || !set_kind(begin[2], out_layout) ||
        dimensions == 0 || dimensions > DIMENSIONS_MAX) {
        return sot_fail(error, SOTTO_PARSE,
                        "%.90s does not begin like IDX (two zeros, a type, 1 to %d "
                        "dimensions); if it is gzip-compressed, its name must end in .gz",
                        name, (int)DIMENSIONS_MAX);
    }
    out_layout->big_endian = true;
    out_layout->by_columns = false;
    for (size_t i = 0; i < dimensions; i++) {
        status = sot_bytes_read_all(bytes, length, sizeof length, error);
        if (status != SOTTO_OK) return status;
        if (!sot_array_add_dimension(out_layout, i, big_endian(length))) {
            return sot_fail(error, SOTTO_PARSE,
                            "%.90s has more than 2^32 numbers per row; is it damaged?",
                            name);
        }
    }
    out_layout->header_bytes = sizeof begin + dimensions * sizeof length;
    return SOTTO_OK;
}
