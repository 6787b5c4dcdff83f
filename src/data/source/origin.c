/* The effect of the origin of rows on the secrecy of their number. */
#include "data/source/source.h"

#include "base/names.h"

static const sot_names origins =
    SOT_NAMES(NULL, "none", "stored", "declared", "given", "selected", "streamed",
              "declared and selected");

SOT_DEFINE_NAME(sot_origin, origins)

sot_origin sot_origin_selected(sot_origin origin)
{
    if (origin == SOT_ROWS_STREAMED) return origin;
    return sot_rows_are_declared(origin) ? SOT_ROWS_DECLARED_SELECTED : SOT_ROWS_SELECTED;
}

bool sot_rows_are_secret(sot_origin origin)
{
    return origin == SOT_ROWS_SELECTED || origin == SOT_ROWS_STREAMED ||
           origin == SOT_ROWS_DECLARED_SELECTED;
}

bool sot_rows_are_declared(sot_origin origin)
{
    return origin == SOT_ROWS_DECLARED || origin == SOT_ROWS_DECLARED_SELECTED;
}
