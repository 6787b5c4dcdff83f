/* The header of NPY (NumPy Enhancement Proposal 1): magic, version, length, and a Python dictionary
 * with the kind of number, the order and the shape. */
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "data/readers/array/layout.h"

enum { PREFIX_BYTES = 8, HEADER_BYTES_MAX = 1 << 16, TEXT_BYTES = 16 };

/* The dictionary, while it is read. */
typedef struct reader {
    const char *at, *end;
    bool has_kind, has_order, has_shape;
    char kind[TEXT_BYTES];
    bool by_columns;
    sot_array_layout *layout;
    size_t dimensions;
} reader;

/* ---- words of the dictionary ---- */

static void skip_blanks(reader *self)
{
    while (self->at < self->end && (*self->at == ' ' || *self->at == '\n'))
        self->at++;
}

/* This character, and blanks around it. */
static bool take(reader *self, char wanted)
{
    skip_blanks(self);
    if (self->at == self->end || *self->at != wanted) return false;
    self->at++;
    skip_blanks(self);
    return true;
}

static bool take_word(reader *self, const char *word)
{
    const size_t length = strlen(word);
    skip_blanks(self);
    if ((size_t)(self->end - self->at) < length || memcmp(self->at, word, length) != 0)
        return false;
    self->at += length;
    return true;
}

/* A short text in quotes of either kind, without escapes. */
static bool take_text(reader *self, char out[TEXT_BYTES])
{
    size_t length = 0;
    skip_blanks(self);
    if (self->at == self->end || (*self->at != '\'' && *self->at != '"')) return false;
    const char quote = *self->at++;
    while (self->at < self->end && *self->at != quote) {
        if (*self->at == '\\' || length + 1 == TEXT_BYTES) return false;
        out[length++] = *self->at++;
    }
    out[length] = '\0';
    return take(self, quote);
}

/* A length of the shape: digits, below 2^53; Python 2 wrote an L behind some. */
static bool take_length(reader *self, uint64_t *out)
{
    uint64_t number = 0;
    skip_blanks(self);
    const char *begin = self->at;
    for (; self->at < self->end && *self->at >= '0' && *self->at <= '9'; self->at++) {
        number = 10 * number + (uint64_t)(*self->at - '0');
        if (number >> 53 != 0) return false;
    }
    *out = number;
    if (self->at == begin) return false;
    if (self->at < self->end && *self->at == 'L') self->at++;
    return true;
}

/* "(3, 4)", "(3,)" or "()". */
static bool take_shape(reader *self)
{
    if (!take(self, '(')) return false;
    while (!take(self, ')')) {
        uint64_t length;
        if (!take_length(self, &length) ||
            !sot_array_add_dimension(self->layout, self->dimensions++, length))
            return false;
        if (take(self, ',')) continue;
        return self->dimensions > 1 && take(self, ')');
    }
    return true;
}

static bool take_member(reader *self)
{
    char key[TEXT_BYTES];
    if (!take_text(self, key) || !take(self, ':')) return false;
    if (strcmp(key, "descr") == 0 && !self->has_kind) {
        self->has_kind = true;
        return take_text(self, self->kind);
    }
    if (strcmp(key, "fortran_order") == 0 && !self->has_order) {
        self->has_order = true;
        self->by_columns = take_word(self, "True");
        return self->by_columns || take_word(self, "False");
    }
    if (strcmp(key, "shape") == 0 && !self->has_shape) {
        self->has_shape = true;
        return take_shape(self);
    }
    return false;
}

static bool take_dictionary(reader *self)
{
    if (!take(self, '{')) return false;
    while (!take(self, '}')) {
        if (!take_member(self)) return false;
        if (take(self, ',')) continue;
        if (!take(self, '}')) return false;
        break;
    }
    skip_blanks(self);
    return self->at == self->end && self->has_kind && self->has_order && self->has_shape;
}

/* ---- meaning of the header ---- */

/* "<f8", ">i4", "|u1", "|b1". */
static bool set_kind(const char *text, sot_array_layout *layout)
{
    if (strlen(text) != 3 || strchr("<>|=", text[0]) == NULL) return false;
    layout->big_endian = text[0] == '>';
    layout->element_bytes = (size_t)(text[2] - '0');
    const size_t size = layout->element_bytes;
    const bool whole = size == 1 || size == 2 || size == 4 || size == 8;
    if (size > 1 && text[0] == '|') return false;
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    if (text[0] == '=') layout->big_endian = true;
#endif
    switch (text[1]) {
    case 'i':
        layout->kind = SOT_ARRAY_SIGNED;
        return whole;
    case 'u':
        layout->kind = SOT_ARRAY_UNSIGNED;
        return whole;
    case 'b':
        layout->kind = SOT_ARRAY_UNSIGNED;
        return size == 1;
    case 'f':
        layout->kind = SOT_ARRAY_FLOAT;
        return size == 4 || size == 8;
    default:
        return false;
    }
}

static sotto_status read_dictionary(const char *text, size_t size_bytes, const char *name,
                                    sot_array_layout *layout, sotto_error *error)
{
    reader self = {.at = text, .end = text + size_bytes, .layout = layout};
    if (!take_dictionary(&self)) {
        return sot_fail(error, SOTTO_PARSE,
                        "%.90s: its header is not one of NPY, or has more than 2^32 rows "
                        "or numbers per row; write it with numpy.save()",
                        name);
    }
    if (!set_kind(self.kind, layout)) {
        return sot_fail(error, SOTTO_UNSUPPORTED,
                        "%.90s holds numbers of a kind that is not read here; save whole "
                        "numbers, booleans, or floats of 4 or 8 bytes",
                        name);
    }
    if (self.dimensions == 0) {
        return sot_fail(error, SOTTO_PARSE,
                        "%.90s holds one number and no rows; save an array of rows",
                        name);
    }
    layout->by_columns = self.by_columns && self.dimensions > 1;
    return SOTTO_OK;
}

bool sot_npy_is_named(const char *path)
{
    return sot_is_named(path, ".npy");
}

sotto_status sot_npy_read_layout(sot_bytes *bytes, const char *name,
                                 sot_array_layout *out_layout, sotto_error *error)
{
    unsigned char prefix[PREFIX_BYTES];
    unsigned char length[4] = {0};
    sotto_status status = sot_bytes_read_all(bytes, prefix, sizeof prefix, error);
    if (status != SOTTO_OK) return status;
    const unsigned version = prefix[6];
    if (memcmp(prefix, "\x93NUMPY", 6) != 0 || version < 1 || version > 3) {
        return sot_fail(error, SOTTO_PARSE,
                        "%.90s does not begin like NPY of version 1, 2 or 3; write it "
                        "with numpy.save()",
                        name);
    }
    const size_t length_bytes = version == 1 ? 2 : 4;
    status = sot_bytes_read_all(bytes, length, length_bytes, error);
    if (status != SOTTO_OK) return status;
    const size_t size_bytes = (size_t)length[0] | (size_t)length[1] << 8 |
                              (size_t)length[2] << 16 | (size_t)length[3] << 24;
    if (size_bytes > HEADER_BYTES_MAX) {
        return sot_fail(error, SOTTO_PARSE,
                        "%.90s has a header of more than %d bytes; is it an array of "
                        "numbers?",
                        name, (int)HEADER_BYTES_MAX);
    }
    char *text = sot_new_array(size_bytes, 1);
    if (text == NULL) return sot_fail_memory(error, size_bytes, 1);
    status = sot_bytes_read_all(bytes, text, size_bytes, error);
    if (status == SOTTO_OK)
        status = read_dictionary(text, size_bytes, name, out_layout, error);
    sot_free(text);
    out_layout->header_bytes = PREFIX_BYTES + length_bytes + size_bytes;
    return status;
}
