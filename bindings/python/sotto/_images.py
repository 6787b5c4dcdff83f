"""Images as rows: one cell per pixel, plane by plane, as in files."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ._rows import most_common
from ._tables import Table, is_frame, read


def flat_images(source: Any, shape: Sequence[int] | None
                ) -> tuple[Table | None, tuple[int, ...] | None]:
    """(flat rows, height and width and perhaps channels) of images; (None, None) of flat rows.

    `shape` is public, and that of each image in a list. Without it they have the shape of most
    (src/data/stability.md, assumption 5).
    """
    if isinstance(source, (list, tuple)):
        return _of_lists(source, shape)
    if isinstance(source, np.ndarray) and source.ndim == 1 and source.dtype.kind == "O":
        return _of_lists(source.tolist(), shape)  # NumPy's array of images, one of them ragged
    is_array = isinstance(source, np.ndarray) or (
        hasattr(source, "__array__") and not is_frame(source)
        and not hasattr(source, "__arrow_c_stream__"))
    if not is_array:
        return None, None
    values = source if isinstance(source, np.ndarray) else np.asarray(source)
    if values.ndim < 3:
        return None, None
    found = values.shape[1:]
    return read(values.reshape(len(values), int(np.prod(found)))), found


def planes_first(table: Table, shape: Sequence[int]) -> Table:
    """The columns plane by plane, of pixels whose channels lie together."""
    size = int(np.prod(shape))
    if len(shape) < 3 or table.width != size:  # another width is refused where the schema is known
        return table
    made = table.reordered(np.arange(size).reshape(shape).transpose(2, 0, 1).ravel().tolist())
    made.image = table.image
    return made


def _of_lists(images: Sequence[Any], shape: Sequence[int] | None
              ) -> tuple[Table | None, tuple[int, ...] | None]:
    """Images as lists in lists. One of another shape has no cells."""
    flat = [_unnested(image) for image in images]
    found = most_common(shape for shape, _ in flat)
    if found is None or len(found) < 2:
        return None, None
    known = found if shape is None else tuple(shape)
    rows = [cells if _planes(shape) == _planes(known) else [] for shape, cells in flat]
    return read(rows).with_width(int(np.prod(known))), known


def _planes(shape: tuple[int, ...] | None) -> tuple[int, ...] | None:
    """Height, width and channels: one channel may be left out."""
    return shape if shape is None else (*shape, 1)[:3]


def _unnested(image: Any) -> tuple[tuple[int, ...] | None, list[Any]]:
    """(shape, cells) of arrays and lists in lists; (None, []) if their lengths differ."""
    kind = type(image)
    try:
        if issubclass(kind, np.ndarray):
            return tuple(image.shape), image.ravel().tolist()
        if kind is not list and kind is not tuple:
            return (), [image]
        parts = [_unnested(part) for part in image]
    except Exception:  # noqa: BLE001 - a record, whatever its class does; too deep
        return None, []
    shapes = {shape for shape, _ in parts}
    if len(shapes) != 1 or None in shapes:
        return None, []
    return (len(parts), *shapes.pop()), [cell for _, cells in parts for cell in cells]
