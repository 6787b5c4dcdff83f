"""Ed25519 key pairs in files, which sign budgets, grants and released files."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterator
from contextlib import contextmanager
from ctypes import byref, c_char_p, c_void_p

from ._files import Path
from ._library import CONSTANTS, Handle, call


def new_key(path: Path, public_path: Path | None = None) -> str:
    """Makes a key pair and returns the public key, ``"ed25519:..."``.

    The secret key is written to ``path``, with mode 0600; the public key to ``public_path`` (default: ``path`` and ".pub").
    An existing file is never replaced.
    """
    secret = os.fsencode(path)
    public = secret + b".pub" if public_path is None else os.fsencode(public_path)
    room = ctypes.create_string_buffer(CONSTANTS["SOTTO_KEY_HEX_BYTES"])
    call("sotto_key_new", secret, public, ctypes.cast(room, c_char_p))
    return f"ed25519:{room.value.decode()}"


@contextmanager
def open_key(path: Path | None) -> Iterator[c_void_p | None]:
    """Opens a secret key for a call of the library, which is wiped behind it; None for no key."""
    if path is None:
        yield None
        return
    handle = Handle("sotto_key_close")
    call("sotto_key_open", os.fsencode(path), byref(handle.pointer))
    try:
        yield handle.pointer
    finally:
        del handle
