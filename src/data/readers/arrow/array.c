#include "data/readers/arrow/array.h"

#include <math.h>
#include <string.h>

/* Places above it are no array's: 16 bytes each would not fit an address. */
static const uint64_t places_max = UINT64_C(1) << 56;

enum { SCALE_MAX = 300, INLINE_BYTES = 12 };

/* ---- types ---- */

typedef struct named_kind {
    const char *format;
    sot_arrow_kind kind;
} named_kind;

/* Binary is read as text: one cell of bytes makes a library choose it for a column of texts. */
static sot_arrow_kind kind_of(const char *format)
{
    static const named_kind kinds[] = {
        {"n", SOT_ARROW_NULL},       {"b", SOT_ARROW_BOOL},
        {"c", SOT_ARROW_INT8},       {"C", SOT_ARROW_UINT8},
        {"s", SOT_ARROW_INT16},      {"S", SOT_ARROW_UINT16},
        {"i", SOT_ARROW_INT32},      {"I", SOT_ARROW_UINT32},
        {"l", SOT_ARROW_INT64},      {"L", SOT_ARROW_UINT64},
        {"e", SOT_ARROW_FLOAT16},    {"f", SOT_ARROW_FLOAT32},
        {"g", SOT_ARROW_FLOAT64},    {"tdD", SOT_ARROW_DATE32},
        {"u", SOT_ARROW_UTF8},       {"z", SOT_ARROW_UTF8},
        {"U", SOT_ARROW_LARGE_UTF8}, {"Z", SOT_ARROW_LARGE_UTF8},
        {"vu", SOT_ARROW_UTF8_VIEW}, {"vz", SOT_ARROW_UTF8_VIEW},
    };
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (strcmp(format, kinds[i].format) == 0) return kinds[i].kind;
    return SOT_ARROW_UNKNOWN;
}

/* A whole number at *text, of at most four digits; moves behind it. */
static bool take_number(const char **text, int *out_number)
{
    const bool minus = **text == '-';
    const char *at = *text + minus;
    int number = 0, digits = 0;
    for (; *at >= '0' && *at <= '9' && digits < 4; at++, digits++)
        number = 10 * number + (*at - '0');
    *text = at;
    *out_number = minus ? -number : number;
    return digits > 0;
}

/* "d:precision,scale" or "d:precision,scale,128". */
static bool is_decimal128(const char *format, int *out_scale)
{
    int precision, bits = 128;
    if (strncmp(format, "d:", 2) != 0) return false;
    format += 2;
    if (!take_number(&format, &precision) || *format++ != ',' ||
        !take_number(&format, out_scale))
        return false;
    if (*format == ',') {
        format++;
        if (!take_number(&format, &bits)) return false;
    }
    return *format == '\0' && bits == 128 && *out_scale <= SCALE_MAX &&
           *out_scale >= -SCALE_MAX;
}

/* Nanoseconds. "tsu:zone": the unit is s, m, u or n. The zone does not matter: the number is in UTC. */
static int64_t tick_of(const char *format)
{
    static const char units[] = "smun";
    static const int64_t ticks[] = {1000000000, 1000000, 1000, 1};
    if (strcmp(format, "tdD") == 0) return INT64_C(86400000000000);
    if (strcmp(format, "tdm") == 0) return 1000000;
    if (strncmp(format, "ts", 2) != 0 || format[2] == '\0' || format[3] != ':') return 0;
    const char *unit = strchr(units, format[2]);
    return unit == NULL ? 0 : ticks[unit - units];
}

sot_arrow_type sot_arrow_type_of(const struct ArrowSchema *column)
{
    sot_arrow_type type = {.kind = SOT_ARROW_UNKNOWN};
    const struct ArrowSchema *values = column;
    if (column->format == NULL) return type;
    if (column->dictionary != NULL) {
        values = column->dictionary;
        type.is_dictionary = true;
        type.codes = kind_of(column->format);
        if (type.codes < SOT_ARROW_INT8 || type.codes > SOT_ARROW_UINT64 ||
            values->format == NULL || values->dictionary != NULL)
            return type;
    }
    type.kind = kind_of(values->format);
    type.tick_ns = tick_of(values->format);
    if (is_decimal128(values->format, &type.scale)) type.kind = SOT_ARROW_DECIMAL128;
    if (type.tick_ns > 0 && type.kind == SOT_ARROW_UNKNOWN) type.kind = SOT_ARROW_TIME64;
    return type;
}

const char *sot_arrow_type_name(const struct ArrowSchema *column)
{
    static const struct {
        const char *start, *name;
    } names[] = {{"+s", "a struct"},       {"+m", "a map"},
                 {"+u", "a union"},        {"+r", "run-end encoded"},
                 {"+", "a list"},          {"w:", "binary of a fixed size"},
                 {"d:", "a wide decimal"}, {"tt", "a time"},
                 {"tD", "a duration"},     {"td", "a date"},
                 {"ts", "a timestamp"},    {"ti", "an interval"}};
    const char *format =
        column->dictionary != NULL ? column->dictionary->format : column->format;
    for (size_t i = 0; format != NULL && i < sizeof names / sizeof names[0]; i++)
        if (strncmp(format, names[i].start, strlen(names[i].start)) == 0)
            return names[i].name;
    return "of an unknown type";
}

/* ---- arrays ---- */

/* Buffers that the layout has, at least. Views end with the sizes of their buffers. */
static int64_t buffers_of(sot_arrow_kind kind)
{
    const bool has_texts = kind == SOT_ARROW_UTF8 || kind == SOT_ARROW_LARGE_UTF8 ||
                           kind == SOT_ARROW_UTF8_VIEW;
    return kind == SOT_ARROW_NULL ? 0 : has_texts ? 3 : 2;
}

static int64_t offset_at(const sot_arrow_cells *cells, uint64_t place)
{
    int32_t narrow;
    int64_t wide;
    if (cells->kind == SOT_ARROW_UTF8) {
        memcpy(&narrow, (const char *)cells->values + place * sizeof narrow,
               sizeof narrow);
        return narrow;
    }
    memcpy(&wide, (const char *)cells->values + place * sizeof wide, sizeof wide);
    return wide;
}

/* The text of utf8 ends where its last offset says; a view's buffers have their sizes in the last one. */
static void take_texts(sot_arrow_cells *cells, const struct ArrowArray *array)
{
    if (cells->kind == SOT_ARROW_UTF8_VIEW) {
        cells->part_count = (uint64_t)array->n_buffers - 3;
        cells->parts = array->buffers + 2;
        cells->part_bytes = array->buffers[array->n_buffers - 1];
        if (cells->part_bytes == NULL) cells->part_count = 0;
    } else if (cells->kind == SOT_ARROW_UTF8 || cells->kind == SOT_ARROW_LARGE_UTF8) {
        const int64_t last = offset_at(cells, cells->first + cells->count);
        cells->text = array->buffers[2];
        cells->text_bytes = last > 0 && cells->text != NULL ? (uint64_t)last : 0;
    }
}

/* All missing, unless every number that is relied upon makes sense. */
static sot_arrow_cells cells_of(sot_arrow_kind kind, int scale,
                                const struct ArrowArray *array, uint64_t skip)
{
    const sot_arrow_cells none = {.kind = kind};
    sot_arrow_cells cells = {.kind = kind, .scale = scale};
    if (array == NULL || array->length < 0 || array->offset < 0 ||
        (uint64_t)array->length > places_max || (uint64_t)array->offset > places_max ||
        skip >= (uint64_t)array->length || array->n_buffers < buffers_of(kind))
        return none;
    cells.first = (uint64_t)array->offset + skip;
    cells.count = (uint64_t)array->length - skip;
    if (kind == SOT_ARROW_NULL) return cells;
    if (array->buffers == NULL || array->buffers[1] == NULL) return none;
    cells.validity = array->buffers[0];
    cells.values = array->buffers[1];
    take_texts(&cells, array);
    return cells;
}

sot_arrow_column sot_arrow_column_of(const sot_arrow_type *type,
                                     const struct ArrowArray *array, uint64_t skip)
{
    sot_arrow_column column = {.is_dictionary = type->is_dictionary};
    if (!type->is_dictionary) {
        column.cells = cells_of(type->kind, type->scale, array, skip);
        return column;
    }
    column.cells = cells_of(type->codes, 0, array, skip);
    column.dictionary =
        cells_of(type->kind, type->scale, array == NULL ? NULL : array->dictionary, 0);
    return column;
}

/* ---- cells ---- */

/* IEEE 754 binary16: every value is a double. */
static double half_of(uint16_t bits)
{
    const int exponent = bits >> 10 & 31;
    const double fraction = (double)(bits & 1023);
    const double magnitude = exponent == 31
                                 ? (fraction == 0.0 ? (double)INFINITY : (double)NAN)
                             : exponent == 0 ? ldexp(fraction, -24)
                                             : ldexp(1024.0 + fraction, exponent - 25);
    return bits >> 15 != 0 ? -magnitude : magnitude;
}

static sot_arrow_value text_of(const char *text, uint64_t size_bytes)
{
    return (sot_arrow_value){.kind = SOT_ARROW_TEXT,
                             .text = size_bytes == 0 ? "" : text,
                             .text_bytes = (size_t)size_bytes};
}

static sot_arrow_value utf8_at(const sot_arrow_cells *cells, uint64_t place)
{
    const int64_t from = offset_at(cells, place), to = offset_at(cells, place + 1);
    if (from == to) return text_of("", 0); /* there may be no text at all */
    if (from < 0 || to < from || (uint64_t)to > cells->text_bytes)
        return (sot_arrow_value){.kind = SOT_ARROW_MISSING};
    return text_of(cells->text + from, (uint64_t)(to - from));
}

/* 16 bytes: the length, and the text itself or four of its bytes, its buffer and its place there. */
static sot_arrow_value view_at(const sot_arrow_cells *cells, uint64_t place)
{
    const char *view = (const char *)cells->values + place * 16;
    int32_t length, part, from;
    memcpy(&length, view, sizeof length);
    memcpy(&part, view + 8, sizeof part);
    memcpy(&from, view + 12, sizeof from);
    if (length < 0) return (sot_arrow_value){.kind = SOT_ARROW_MISSING};
    if (length <= INLINE_BYTES) return text_of(view + 4, (uint64_t)length);
    if (part < 0 || (uint64_t)part >= cells->part_count || from < 0 ||
        cells->parts[part] == NULL)
        return (sot_arrow_value){.kind = SOT_ARROW_MISSING};
    int64_t room;
    memcpy(&room, (const char *)cells->part_bytes + (size_t)part * sizeof room,
           sizeof room);
    if ((int64_t)from + length > room)
        return (sot_arrow_value){.kind = SOT_ARROW_MISSING};
    return text_of((const char *)cells->parts[part] + from, (uint64_t)length);
}

#define SIGNED_AT(type)                                                                  \
    do {                                                                                 \
        type number;                                                                     \
        memcpy(&number, (const char *)cells->values + at * sizeof number,                \
               sizeof number);                                                           \
        return (sot_arrow_value){.kind = SOT_ARROW_SIGNED, .number = number};            \
    } while (0)
#define UNSIGNED_AT(type)                                                                \
    do {                                                                                 \
        type number;                                                                     \
        memcpy(&number, (const char *)cells->values + at * sizeof number,                \
               sizeof number);                                                           \
        return (sot_arrow_value){.kind = SOT_ARROW_UNSIGNED, .magnitude = number};       \
    } while (0)
#define REAL_AT(type, convert)                                                           \
    do {                                                                                 \
        type number;                                                                     \
        memcpy(&number, (const char *)cells->values + at * sizeof number,                \
               sizeof number);                                                           \
        return (sot_arrow_value){.kind = SOT_ARROW_REAL, .real = convert(number)};       \
    } while (0)

static sot_arrow_value decimal_at(const sot_arrow_cells *cells, uint64_t at)
{
    sot_arrow_value value = {.kind = SOT_ARROW_DECIMAL, .scale = cells->scale};
    memcpy(&value.decimal, (const char *)cells->values + at * sizeof value.decimal,
           sizeof value.decimal);
    return value;
}

/* A cell that is there. */
static sot_arrow_value value_of(const sot_arrow_cells *cells, uint64_t at)
{
    switch (cells->kind) {
    case SOT_ARROW_UNKNOWN:
    case SOT_ARROW_NULL:
        break;
    case SOT_ARROW_BOOL:
        return (sot_arrow_value){.kind = SOT_ARROW_TRUTH,
                                 .truth = sot_arrow_bit(cells->values, at)};
    case SOT_ARROW_INT8:
        SIGNED_AT(int8_t);
    case SOT_ARROW_UINT8:
        UNSIGNED_AT(uint8_t);
    case SOT_ARROW_INT16:
        SIGNED_AT(int16_t);
    case SOT_ARROW_UINT16:
        UNSIGNED_AT(uint16_t);
    case SOT_ARROW_INT32:
    case SOT_ARROW_DATE32:
        SIGNED_AT(int32_t);
    case SOT_ARROW_UINT32:
        UNSIGNED_AT(uint32_t);
    case SOT_ARROW_INT64:
    case SOT_ARROW_TIME64:
        SIGNED_AT(int64_t);
    case SOT_ARROW_UINT64:
        UNSIGNED_AT(uint64_t);
    case SOT_ARROW_FLOAT16:
        REAL_AT(uint16_t, half_of);
    case SOT_ARROW_FLOAT32:
        REAL_AT(float, (double));
    case SOT_ARROW_FLOAT64:
        REAL_AT(double, (double));
    case SOT_ARROW_DECIMAL128:
        return decimal_at(cells, at);
    case SOT_ARROW_UTF8:
    case SOT_ARROW_LARGE_UTF8:
        return utf8_at(cells, at);
    case SOT_ARROW_UTF8_VIEW:
        return view_at(cells, at);
    }
    return (sot_arrow_value){.kind = SOT_ARROW_MISSING};
}

static sot_arrow_value cell_at(const sot_arrow_cells *cells, uint64_t place)
{
    if (place >= cells->count || (cells->validity != NULL &&
                                  !sot_arrow_bit(cells->validity, cells->first + place)))
        return (sot_arrow_value){.kind = SOT_ARROW_MISSING};
    return value_of(cells, cells->first + place);
}

sot_arrow_value sot_arrow_value_at(const sot_arrow_column *column, uint64_t place)
{
    const sot_arrow_value value = cell_at(&column->cells, place);
    if (!column->is_dictionary) return value;
    if (value.kind == SOT_ARROW_SIGNED && value.number >= 0)
        return cell_at(&column->dictionary, (uint64_t)value.number);
    if (value.kind == SOT_ARROW_UNSIGNED)
        return cell_at(&column->dictionary, value.magnitude);
    return (sot_arrow_value){.kind = SOT_ARROW_MISSING};
}
