"""What every certified file offers: the certificate, its check, its page, and the file itself."""

from __future__ import annotations

import os
import pathlib
from typing import Any

from ._library import call, owned_text, value_of_form


class Certified:
    """A file of the library in memory, with its certificate inside.

    ``json`` is the whole text of it, ``certificate_`` the certificate as a dict, or None.
    """

    json: str
    certificate_: dict[str, Any] | None

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the file: all of it or, if that fails, nothing."""
        target = pathlib.Path(path)
        draft = target.with_name(f".{target.name}.{os.getpid()}.tmp")
        try:
            draft.write_text(self.json, encoding="utf-8")
            os.replace(draft, target)
        finally:
            draft.unlink(missing_ok=True)

    def verify(self) -> None:
        """Recomputes the certificate, and raises VerificationError if anything differs."""
        data = self.json.encode()
        call("sotto_certificate_verify", data, len(data))

    def certificate_page(self, form: str = "text") -> str:
        """The certificate for people to read: ``"text"``, ``"markdown"`` or ``"html"``."""
        data = self.json.encode()
        return owned_text("sotto_certificate_render", "sotto_certificate_free_text", data,
                          len(data), value_of_form(form))
