/* base/png.h: a small picture as a data address, for a page that fetches nothing.
 *
 * Idea: a PNG file (ISO/IEC 15948) of 8 bits per channel, grey or red, green and blue, in base64
 * (RFC 4648). The pixels are stored uncompressed (RFC 1951, 3.2.4): small pictures gain little,
 * and the same pixels give the same bytes with any library.
 */
#ifndef SOT_BASE_PNG_H
#define SOT_BASE_PNG_H

#include <stddef.h>

#include "base/growing.h"

enum { SOT_PNG_SIDE_MAX = 128 }; /* so that one stored block holds any picture */

/* Adds "data:image/png;base64,...". `pixels` are [height][width][channels], channels 1 or 3, both sides 1 to
 * SOT_PNG_SIDE_MAX. Failure sticks to `out`, as everything that grows it. */
void sot_png_add(sot_growing *out, const unsigned char *pixels, size_t height,
                 size_t width, size_t channels);

#endif
