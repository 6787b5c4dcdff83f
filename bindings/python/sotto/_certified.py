"""The base of certified files: the certificate, its check, its page, and the file itself."""

from __future__ import annotations

import os
import warnings
from ctypes import POINTER, byref, c_size_t
from typing import Any

from ._errors import PrivacyWarning, VerificationError
from ._library import (
    CONSTANTS,
    Advisory,
    CertificateSummary,
    ReportConfig,
    VerifyConfig,
    call,
    defaults_of,
    owned_text,
    value_of_form,
)
from ._progress import Report, Watch


class Certified:
    """A file of the library in memory, with its certificate inside.

    ``json`` is the whole text of it, ``certificate_`` the certificate as a dict, or None.
    """

    json: str
    certificate_: dict[str, Any] | None

    def save(self, path: str | os.PathLike[str], *, overwrite: bool = False) -> None:
        """Writes the file: all of it or, if that fails, nothing.

        A certified file with other content, or a file of another kind, is replaced only with
        ``overwrite=True``; a ledger and a secret key never.
        """
        _put(path, "SOTTO_OUTPUT_CERTIFIED", overwrite, self.json)

    def report(self, path: str | os.PathLike[str], *, public: str | os.PathLike[str] | None = None,
               ledger: str | os.PathLike[str] | None = None, expected_rows: int = 0,
               overwrite: bool = False, progress: Report | bool | None = None) -> None:
        """Writes an HTML report, as ``sotto report`` does: guarantee, attacks, budget, accuracy.

        ``public`` is a file of PUBLIC rows of the same schema, for scores and curves. ``ledger`` is the ledger
        whose budget is shown. ``expected_rows`` is a public estimate of the number of training rows.
        ``progress`` works as for ``fit``: the steps are the trainings on the public rows.
        """
        data = self.json.encode()
        config = defaults_of("report", ReportConfig())
        config.data.path = None if public is None else os.fsencode(public)
        config.ledger = None if ledger is None else os.fsencode(ledger)
        config.expected_rows = expected_rows
        with Watch(progress) as watch:
            config.progress = watch.function
            page = owned_text("sotto_report_render", None, data, len(data), byref(config))
        _put(path, "SOTTO_OUTPUT_HTML", overwrite, page)

    def verify(self, *, ledger: str | os.PathLike[str] | None = None,
               signed_by: str | os.PathLike[str] | None = None,
               curator: str | os.PathLike[str] | None = None) -> None:
        """Plans the run again from the file's request, and raises VerificationError if anything differs.

        ``ledger`` (a ledger, or its export) must have charged and committed this very file. ``signed_by``
        (the file of a public key, or ``"ed25519:..."``) must have signed it. ``curator`` (likewise) must
        have signed the budgets of ``ledger``. The members that no reader can check
        are listed in ``believed_``. A PrivacyWarning names each advisory: see ``advisories_``.
        """
        data = self.json.encode()
        config = defaults_of("verify", VerifyConfig())
        config.ledger = None if ledger is None else os.fsencode(ledger)
        config.signed_by = None if signed_by is None else os.fsencode(signed_by)
        config.curator = None if curator is None else os.fsencode(curator)
        call("sotto_verify", data, len(data), byref(config), None)
        for advisory in self.advisories_:
            warnings.warn(f"advisory {advisory['id']}: {advisory['effect']} {advisory['remedy']}",
                          PrivacyWarning, stacklevel=2)

    @property
    def believed_(self) -> dict[str, str]:
        """Members that ``verify`` does not check, because no reader can: path and meaning."""
        if self.certificate_ is None:
            return {}
        data = self.json.encode()
        summary = CertificateSummary()
        try:
            call("sotto_verify", data, len(data), byref(defaults_of("verify", VerifyConfig())), byref(summary))
        except VerificationError:
            if not summary.hash:
                raise
        return {summary.believed[place].contents.path.decode():
                summary.believed[place].contents.meaning.decode()
                for place in range(summary.believed_count)}

    @property
    def advisories_(self) -> list[dict[str, Any]]:
        """Known defects of the version that made the file, as far as they can concern it.

        Each is a dict with ``id``, ``affected``, ``fixed_in``, ``affects_privacy``, ``effect`` and
        ``remedy``, as ``sotto verify --json`` lists them. A file without a certificate has none.
        """
        if self.certificate_ is None:
            return []
        data = self.json.encode()
        found, count = (POINTER(Advisory) * CONSTANTS["SOTTO_ADVISORIES_MAX"])(), c_size_t()
        call("sotto_certificate_advisories", data, len(data), found, byref(count))
        return [{name: value.decode() if isinstance(value, bytes) else value
                 for name, _ in Advisory._fields_
                 for value in (getattr(found[place].contents, name),)}
                for place in range(count.value)]

    def certificate_page(self, form: str = "text") -> str:
        """The certificate for people to read: ``"text"``, ``"markdown"`` or ``"html"``."""
        data = self.json.encode()
        return owned_text("sotto_verify_render", data, len(data),
                          byref(defaults_of("verify", VerifyConfig())), value_of_form(form))


def _put(path: str | os.PathLike[str], kind: str, overwrite: bool, text: str) -> None:
    """Writes an output file by the library's rules of replacement."""
    data = text.encode()
    call("sotto_output_put", os.fsencode(path), CONSTANTS[kind], overwrite, data, len(data))
