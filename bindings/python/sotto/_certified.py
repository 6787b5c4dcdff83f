"""The base of certified files: the certificate, its check, its page, and the file itself."""

from __future__ import annotations

import os
import pathlib
import warnings
from ctypes import POINTER, byref, c_int, c_size_t
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypedDict

from ._errors import PrivacyWarning, VerificationError
from ._files import File, Path, file_of, path_bytes
from ._library import (
    CONSTANTS,
    Advisory,
    CertificateSummary,
    ReportConfig,
    VerifyConfig,
    call,
    defaults_of,
    owned_text,
    text_of,
    value_of_form,
)
from ._progress import Report, Watch
from .account import upward, whole

if TYPE_CHECKING:
    from typing_extensions import Unpack


class Certified:
    """A file of the library in memory, with its certificate inside.

    ``json`` is the whole text of it, ``certificate_`` the certificate as a dict, or None.
    """

    json: str
    certificate_: dict[str, Any] | None

    def save(self, path: Path, *, overwrite: bool = False) -> None:
        """Writes the file: all of it or, if that fails, nothing.

        A certified file with other content, or a file of another kind, is replaced only with
        ``overwrite=True``; a ledger and a secret key never.
        """
        put(path, "SOTTO_OUTPUT_CERTIFIED", overwrite, self.json)

    def report(self, path: Path, **settings: Unpack[ReportSettings]) -> str:
        """Writes an HTML report, as ``sotto report`` does, and returns its grade: see :func:`sotto.report`."""
        return report_of(self.json.encode(), path, **settings)

    def verify(self, *, ledger: Path | None = None, signed_by: Path | None = None,
               curator: Path | None = None) -> None:
        """Plans the run again from the file's request, and raises VerificationError if anything differs.

        ``ledger`` (a ledger, or its export) must have charged and committed this very file. ``signed_by``
        (the file of a public key, or ``"ed25519:..."``) must have signed it. ``curator`` (likewise) must
        have signed the budgets of ``ledger``. The members that no reader can check
        are listed in ``believed_``. A PrivacyWarning names each advisory: see ``advisories_``.
        """
        verification_of(self.json.encode(), ledger=ledger, signed_by=signed_by, curator=curator, level=3)

    @property
    def believed_(self) -> dict[str, str]:
        """Members that ``verify`` does not check, because no reader can: path and meaning."""
        if self.certificate_ is None:
            return {}
        summary = CertificateSummary()
        data = self.json.encode()
        try:
            call("sotto_verify", data, len(data), byref(defaults_of("verify", VerifyConfig())), byref(summary))
        except VerificationError:
            if not summary.hash:
                raise
        return _believed(summary)

    @property
    def advisories_(self) -> list[dict[str, Any]]:
        """Known defects of the version that made the file, as far as they can concern it.

        Each is a dict with ``id``, ``affected``, ``fixed_in``, ``affects_privacy``, ``effect`` and
        ``remedy``, as ``sotto verify --json`` lists them. A file without a certificate has none.
        """
        if self.certificate_ is None:
            return []
        return _advisories(self.json.encode())

    def certificate_page(self, form: str = "text") -> str:
        """The certificate for people to read: ``"text"``, ``"markdown"`` or ``"html"``."""
        data = self.json.encode()
        return owned_text("sotto_verify_render", data, len(data),
                          byref(defaults_of("verify", VerifyConfig())), value_of_form(form))


@dataclass(frozen=True)
class Verification:
    """A certified file that was verified. ``str()`` gives its certificate as text.

    ``believed`` has the members that no reader can check, ``advisories`` the known defects of the version that made the file.
    ``signer`` is None for a file without a signature. ``hash`` is the certificate's.
    """

    epsilon: float
    delta: float
    adjacency: str
    hash: str
    signer: str | None
    believed: dict[str, str]
    advisories: list[dict[str, Any]]
    page: str

    def __str__(self) -> str:
        return self.page

    def __repr__(self) -> str:
        return f"<sotto.Verification: epsilon {upward(self.epsilon)} at delta {upward(self.delta)}, {self.hash[:16]}...>"


def verify(source: Certified | Path | Any, *, ledger: Path | None = None, signed_by: Path | None = None,
           curator: Path | None = None) -> Verification:
    """Verifies a model, labels or a release: a file, or an object of this package.

    Plans the run again from the file's request, and raises VerificationError if anything differs. ``ledger`` (a ledger, or its
    export) must have charged and committed this very file. ``signed_by`` (the file of a public key, or ``"ed25519:..."``) must have
    signed it. ``curator`` (likewise) must have signed the budgets of ``ledger``. A PrivacyWarning names each advisory.
    """
    return verification_of(_text_of(source), ledger=ledger, signed_by=signed_by, curator=curator, level=3)


def verification_of(data: bytes, *, ledger: Path | None, signed_by: Path | None, curator: Path | None,
                    level: int) -> Verification:
    """Verifies the text of a file; warnings are `level` frames above."""
    config, found = defaults_of("verify", VerifyConfig()), CertificateSummary()
    config.ledger, config.signed_by, config.curator = map(path_bytes, (ledger, signed_by, curator))
    call("sotto_verify", data, len(data), byref(config), byref(found))
    advisories = _advisories(data)
    for advisory in advisories:
        warnings.warn(f"advisory {advisory['id']}: {advisory['effect']} {advisory['remedy']}",
                      PrivacyWarning, stacklevel=level)
    page = owned_text("sotto_verify_render", data, len(data), byref(config), value_of_form("text"))
    return Verification(found.epsilon, found.delta, text_of("sotto_adjacency_name", found.adjacency), found.hash.decode(),
                        f"ed25519:{found.signer.decode()}" if found.signer else None, _believed(found), advisories, page)


def _believed(summary: CertificateSummary) -> dict[str, str]:
    parts = (summary.believed[place].contents for place in range(summary.believed_count))
    return {part.path.decode(): part.meaning.decode() for part in parts}


def _advisories(data: bytes) -> list[dict[str, Any]]:
    found, count = (POINTER(Advisory) * CONSTANTS["SOTTO_ADVISORIES_MAX"])(), c_size_t()
    call("sotto_certificate_advisories", data, len(data), found, byref(count))
    return [{name: value.decode() if isinstance(value, bytes) else value
             for name, _ in Advisory._fields_
             for value in (getattr(found[place].contents, name),)}
            for place in range(count.value)]


class ReportSettings(TypedDict, total=False):
    """Settings of an HTML report."""

    public: File | Path | None
    ledger: Path | None
    labels: Path | None
    expected_rows: int
    repeats: int
    overwrite: bool
    progress: Report | bool | None


def report(source: Certified | Path | Any, path: Path, **settings: Unpack[ReportSettings]) -> str:
    """Writes the HTML report of a certified file or a ledger, as ``sotto report`` does, and returns its grade.

    ``public`` is a file of PUBLIC rows of the same schema, for scores and curves. ``ledger`` is the ledger
    whose budget is shown, ``labels`` the file of the labels of a student. ``expected_rows`` is a public estimate of the number of
    training rows. ``repeats`` is the number of trainings on the public rows for each epsilon of the curve (0: no curve).
    ``progress`` works as for ``fit``: the steps are these trainings.
    """
    if hasattr(source, "report") and not isinstance(source, Certified):  # a ledger
        return source.report(path, **settings)
    data = _text_of(source)
    if data.startswith(b"SQLite format 3\0"):
        if set(settings) - {"overwrite"}:
            raise ValueError(f"{min(set(settings) - {'overwrite'})} is given, but a ledger has no rows; leave it out")
        return graded_report(path, settings.get("overwrite", False), "sotto_report_render_ledger", os.fsencode(source))
    return report_of(data, path, **settings)


def report_of(data: bytes, path: Path, *, public: File | Path | None = None, ledger: Path | None = None,
              labels: Path | None = None, expected_rows: int = 0, repeats: int = 10, overwrite: bool = False,
              progress: Report | bool | None = None) -> str:
    """Writes the report of a certified file's text."""
    config, rows = defaults_of("report", ReportConfig()), file_of(public)
    if rows is not None:
        config.data = rows.of_library()
    config.ledger, config.labels = path_bytes(ledger), path_bytes(labels)
    config.expected_rows, config.repeats = whole("expected_rows", expected_rows), whole("repeats", repeats)
    with Watch(progress) as watch:
        config.progress = watch.function
        return graded_report(path, overwrite, "sotto_report_render_graded", None, data, len(data), byref(config))


def graded_report(path: Path, overwrite: bool, name: str, *arguments: Any) -> str:
    """Writes the page that a function of the library makes, and returns the grade that it gives."""
    grade = c_int()
    page = owned_text(name, *arguments, byref(grade))
    put(path, "SOTTO_OUTPUT_HTML", overwrite, page)
    return text_of("sotto_grade_name", grade.value)


def _text_of(source: Any) -> bytes:
    """The text of a certified file, or of an object that has one."""
    text = getattr(source, "json", None) or getattr(source, "model_json_", None)
    return text.encode() if isinstance(text, str) else pathlib.Path(source).read_bytes()


def put(path: Path, kind: str, overwrite: bool, text: str) -> None:
    """Writes an output file by the library's rules of replacement."""
    data = text.encode()
    call("sotto_output_put", os.fsencode(path), CONSTANTS[kind], overwrite, data, len(data))
