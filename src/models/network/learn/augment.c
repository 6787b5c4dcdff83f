/* Copies of an image, as De et al. (2022) make them: moved, with mirrored borders, and mirrored. */
#include "models/network/learn/parts.h"

/* By up to an eighth of its size: four pixels of thirty-two. */
enum { SHARE = 8 };

/* Returns 0 .. choices - 1 from the next bits of the coin, nearly uniform. Any public
 * distribution is valid. */
static size_t draw(uint64_t *coin, size_t choices)
{
    const size_t drawn = (size_t)(*coin % choices);
    *coin /= choices;
    return drawn;
}

/* Returns the source of the pixel at `place + moved`; beyond the border the image is
 * mirrored. */
static size_t mirrored(size_t place, size_t shift, size_t reach, size_t size)
{
    const size_t at = place + shift; /* moved by shift - reach */
    if (at < reach) return reach - at;
    if (at - reach < size) return at - reach;
    return 2 * (size - 1) - (at - reach);
}

void sot_augment(sot_shape shape, const float *image, uint64_t coin, float *out)
{
    const size_t down = shape.height / SHARE, across = shape.width / SHARE;
    const size_t row_shift = draw(&coin, 2 * down + 1);
    const size_t column_shift = draw(&coin, 2 * across + 1);
    const bool flipped = draw(&coin, 2) == 1;
    for (size_t plane = 0; plane < shape.channels; plane++) {
        const float *from = image + plane * shape.height * shape.width;
        float *to = out + plane * shape.height * shape.width;
        for (size_t row = 0; row < shape.height; row++) {
            const size_t source = mirrored(row, row_shift, down, shape.height);
            for (size_t column = 0; column < shape.width; column++) {
                const size_t place = flipped ? shape.width - 1 - column : column;
                to[row * shape.width + column] =
                    from[source * shape.width +
                         mirrored(place, column_shift, across, shape.width)];
            }
        }
    }
}
