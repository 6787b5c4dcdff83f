/* A small picture: what is written is a PNG file of these pixels, byte for byte the same everywhere. */
#include "support.h"

#include <sodium.h>
#include <zlib.h>

#include "base/memory.h"
#include "base/png.h"

enum { FILE_BYTES = 60000 };

static size_t read_number(const unsigned char *bytes)
{
    return (size_t)bytes[0] << 24 | (size_t)bytes[1] << 16 | (size_t)bytes[2] << 8 |
           bytes[3];
}

/* The file behind the address. */
static size_t written(const unsigned char *pixels, size_t height, size_t width,
                      size_t channels, unsigned char out[FILE_BYTES])
{
    static const char open[] = "data:image/png;base64,";
    sotto_error error;
    sot_growing text = {0};
    char *address = NULL;
    size_t size = 0;
    sot_png_add(&text, pixels, height, width, channels);
    assert_ok(sot_growing_finish(&text, &address, &error), &error);
    assert_memory_equal(address, open, sizeof open - 1);
    assert_int_equal(sodium_base642bin(out, FILE_BYTES, address + sizeof open - 1,
                                       strlen(address) - sizeof open + 1, NULL, &size,
                                       NULL, sodium_base64_VARIANT_ORIGINAL),
                     0);
    sot_free(address);
    return size;
}

/* Chunk by chunk, as a reader goes: checksums hold, the unpacked lines are the pixels. */
static void assert_is_picture(const unsigned char *pixels, size_t height, size_t width,
                              size_t channels)
{
    static unsigned char file[FILE_BYTES], lines[FILE_BYTES];
    const size_t size = written(pixels, height, width, channels, file);
    static const char *const names[] = {"IHDR", "IDAT", "IEND"};
    size_t at = 8;
    assert_memory_equal(file, "\x89PNG\r\n\x1a\n", 8);
    for (size_t i = 0; i < 3; i++) {
        const size_t length = read_number(file + at);
        assert_true(at + 12 + length <= size);
        assert_memory_equal(file + at + 4, names[i], 4);
        assert_int_equal(read_number(file + at + 8 + length),
                         crc32(0, file + at + 4, (uInt)(length + 4)));
        if (i == 0) {
            assert_int_equal(read_number(file + at + 8), width);
            assert_int_equal(read_number(file + at + 12), height);
            assert_int_equal(file[at + 16], 8);
            assert_int_equal(file[at + 17], channels == 1 ? 0 : 2);
        } else if (i == 1) {
            uLongf found = sizeof lines;
            assert_int_equal(uncompress(lines, &found, file + at + 8, length), Z_OK);
            assert_int_equal(found, height * (1 + width * channels));
        }
        at += 12 + length;
    }
    assert_int_equal(at, size);
    for (size_t y = 0; y < height; y++) {
        const unsigned char *line = lines + y * (1 + width * channels);
        assert_int_equal(line[0], 0);
        assert_memory_equal(line + 1, pixels + y * width * channels, width * channels);
    }
}

static void a_reader_finds_the_pixels(void **state)
{
    (void)state;
    static unsigned char pixels[SOT_PNG_SIDE_MAX * SOT_PNG_SIDE_MAX * 3];
    for (size_t i = 0; i < sizeof pixels; i++)
        pixels[i] = (unsigned char)(i * 37 % 251);
    assert_is_picture(pixels, 1, 1, 1);
    assert_is_picture(pixels, 28, 28, 1);
    assert_is_picture(pixels, 5, 7, 3);
    assert_is_picture(pixels, 32, 31, 3);
    assert_is_picture(pixels, SOT_PNG_SIDE_MAX, SOT_PNG_SIDE_MAX, 3);
}

static void no_memory_sticks_to_the_text(void **state)
{
    (void)state;
    const unsigned char pixels[] = {1, 2, 3, 4};
    bool done = false;
    for (size_t nth = 1; !done; nth++) {
        sotto_error error;
        sot_growing text = {0};
        char *address = NULL;
        (void)sot_test_fail_allocation(nth);
        sot_png_add(&text, pixels, 2, 2, 1);
        const sotto_status status = sot_growing_finish(&text, &address, &error);
        (void)sot_test_fail_allocation(0);
        done = status == SOTTO_OK;
        assert_true(done ? nth > 3 : status == SOTTO_OUT_OF_MEMORY);
        sot_free(address);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_reader_finds_the_pixels),
        cmocka_unit_test(no_memory_sticks_to_the_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
