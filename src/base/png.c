#include "base/png.h"

#include <assert.h>
#include <stdint.h>
#include <string.h>

#include <sodium.h>
#include <zlib.h>

#include "base/memory.h"

enum {
    GREY = 0, /* kinds of colour */
    RED_GREEN_BLUE = 2,
    /* Bytes around the pixels: signature, header chunk, pixel chunk with the two bytes of zlib, a
     * block's five and a checksum's four, last chunk. */
    AROUND = 8 + 25 + 12 + 2 + 5 + 4 + 12
};

/* A file that is written from its beginning to its end. */
typedef struct file {
    unsigned char *bytes;
    size_t used;
} file;

static void put(file *to, const void *bytes, size_t count)
{
    memcpy(to->bytes + to->used, bytes, count);
    to->used += count;
}

static void put_number(file *to, uint32_t value)
{
    const unsigned char bytes[] = {
        (unsigned char)(value >> 24), (unsigned char)(value >> 16 & 255),
        (unsigned char)(value >> 8 & 255), (unsigned char)(value & 255)};
    put(to, bytes, sizeof bytes);
}

/* Writes length and name; the following bytes are counted from here on. */
static size_t open_chunk(file *to, uint32_t length, const char *name)
{
    put_number(to, length);
    put(to, name, 4);
    return to->used - 4;
}

static void close_chunk(file *to, size_t begin)
{
    put_number(to, (uint32_t)crc32(0, to->bytes + begin, (uInt)(to->used - begin)));
}

static void put_header(file *to, size_t height, size_t width, size_t channels)
{
    const unsigned char kind[] = {8, channels == 1 ? GREY : RED_GREEN_BLUE, 0, 0, 0};
    const size_t begin = open_chunk(to, 13, "IHDR");
    put_number(to, (uint32_t)width);
    put_number(to, (uint32_t)height);
    put(to, kind, sizeof kind);
    close_chunk(to, begin);
}

/* One stored block: every line begins with its filter, none. */
static void put_pixels(file *to, const unsigned char *pixels, size_t height, size_t line)
{
    const size_t size = height * (1 + line);
    const unsigned char open[] = {0x78,
                                  0x01, /* zlib, the smallest window that suits any */
                                  1,    /* the last block, stored */
                                  (unsigned char)(size & 255),
                                  (unsigned char)(size >> 8),
                                  (unsigned char)(~size & 255),
                                  (unsigned char)(~size >> 8 & 255)};
    const size_t begin = open_chunk(to, (uint32_t)(size + sizeof open + 4), "IDAT");
    put(to, open, sizeof open);
    for (size_t y = 0; y < height; y++) {
        put(to, "", 1);
        put(to, pixels + y * line, line);
    }
    put_number(to, (uint32_t)adler32(1, to->bytes + to->used - size, (uInt)size));
    close_chunk(to, begin);
}

void sot_png_add(sot_growing *out, const unsigned char *pixels, size_t height,
                 size_t width, size_t channels)
{
    assert(height >= 1 && height <= SOT_PNG_SIDE_MAX && width >= 1 &&
           width <= SOT_PNG_SIDE_MAX && (channels == 1 || channels == 3));
    const size_t size = AROUND + height * (1 + width * channels);
    const size_t letters =
        sodium_base64_encoded_len(size, sodium_base64_VARIANT_ORIGINAL);
    unsigned char *bytes = sot_new_array(size, 1);
    char *text = sot_new_array(letters, 1);
    if (bytes == NULL || text == NULL) {
        out->failed = true;
    } else {
        file to = {.bytes = bytes};
        put(&to, "\x89PNG\r\n\x1a\n", 8);
        put_header(&to, height, width, channels);
        put_pixels(&to, pixels, height, width * channels);
        close_chunk(&to, open_chunk(&to, 0, "IEND"));
        assert(to.used == size);
        (void)sodium_bin2base64(text, letters, bytes, size,
                                sodium_base64_VARIANT_ORIGINAL);
        sot_growing_text(out, "data:image/png;base64,");
        sot_growing_text(out, text);
    }
    sot_free(text);
    sot_free(bytes);
}
