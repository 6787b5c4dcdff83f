"""Images as rows: one cell a pixel, plane by plane, as files have them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from ._tables import Table, is_frame, read


def flat_images(source: Any) -> tuple[Table | None, tuple[int, ...] | None]:
    """(flat rows, height and width and perhaps channels) of images; (None, None) of flat rows."""
    if isinstance(source, (list, tuple)):
        return _of_lists(source)
    is_array = isinstance(source, np.ndarray) or (
        hasattr(source, "__array__") and not is_frame(source)
        and not hasattr(source, "__arrow_c_stream__"))
    if not is_array:
        return None, None
    values = source if isinstance(source, np.ndarray) else np.asarray(source)
    if values.ndim < 3:
        return None, None
    shape = values.shape[1:]
    return read(values.reshape(len(values), int(np.prod(shape)))), shape


def planes_first(table: Table, shape: Sequence[int]) -> Table:
    """The columns plane by plane, of pixels whose channels lie together."""
    size = int(np.prod(shape))
    if len(shape) < 3 or table.width != size:  # another width is refused where the schema is known
        return table
    made = table.reordered(np.arange(size).reshape(shape).transpose(2, 0, 1).ravel().tolist())
    made.image = table.image
    return made


def _of_lists(images: Sequence[Any]) -> tuple[Table | None, tuple[int, ...] | None]:
    """Images as lists in lists. One whose shape is not that of most has no cells."""
    flat = [_unnested(image) for image in images]
    shapes = Counter(shape for shape, _ in flat)
    shape = shapes.most_common(1)[0][0] if shapes else None
    if shape is None or len(shape) < 2:
        return None, None
    size = int(np.prod(shape))
    absent = [None] * size
    return read([cells if found == shape else absent for found, cells in flat]), shape


def _unnested(image: Any) -> tuple[tuple[int, ...] | None, list[Any]]:
    """(shape, cells) of arrays and lists in lists; (None, []) if their lengths differ."""
    kind = type(image)
    if issubclass(kind, np.ndarray):
        return image.shape, image.ravel().tolist()
    if kind is not list and kind is not tuple:
        return (), [image]
    try:
        parts = [_unnested(part) for part in image]
    except RecursionError:
        return None, []
    shapes = {shape for shape, _ in parts}
    if len(shapes) != 1 or None in shapes:
        return None, []
    return (len(parts), *shapes.pop()), [cell for _, cells in parts for cell in cells]
