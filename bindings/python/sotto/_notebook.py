"""Estimators as HTML, for notebooks."""

from __future__ import annotations

import html
from typing import Any

import numpy as np

from ._errors import SottoError
from .account import upward

_SHOWN = 20  # coefficients; the largest ones


def page_of(estimator: Any) -> str:
    """Settings, promise, budget left and coefficients, as one table."""
    lines = [(f"<code>{html.escape(repr(estimator))}</code>", "")]
    model = getattr(estimator, "model_", None)
    if model is None:
        return _table([*lines, ("not fitted", "")])
    lines += _promise(model.certificate_, estimator)
    return _table(lines) + _coefficients(model)


def _promise(certificate: dict[str, Any] | None, estimator: Any) -> list[tuple[str, str]]:
    if certificate is None:
        return [("privacy", "none: the rows are public")]
    private = estimator.insecure_test_seed is None
    lines = [("privacy", f"epsilon {upward(certificate['epsilon'])} at delta {upward(certificate['delta'])}, {certificate['adjacency']}"
              if private else "NOT PRIVATE: the noise comes from a seed"),
             ("promise", html.escape(certificate["statement"]))]
    return [*lines, ("budget left", html.escape(_budget(estimator)))]


def _budget(estimator: Any) -> str:
    """The runs that the ledger still admits, now."""
    from .ledger import Ledger

    path = estimator._ledger_path()
    if path is None:
        return "no ledger: losses of several releases are not added up"
    try:
        return f"one of: {Ledger(path).show().room}"
    except SottoError as problem:  # another machine
        return f"unknown: {problem}"


def _coefficients(model: Any) -> str:
    if model.coef_ is None:
        return ""
    values = np.atleast_2d(model.coef_)
    largest = np.argsort(-np.abs(values).max(axis=0), kind="stable")[:_SHOWN]
    names = [""] if len(values) == 1 else [str(name) for name in model.classes_]
    head = "".join(f"<th>{html.escape(name)}</th>" for name in names)
    rows = "".join(f"<tr><td>{html.escape(model.encoded_features_[place])}</td>"
                   + "".join(f"<td>{value:.4g}</td>" for value in values[:, place]) + "</tr>" for place in largest)
    more = f"<tr><td>and {values.shape[1] - _SHOWN} smaller ones</td></tr>" if values.shape[1] > _SHOWN else ""
    return f"<table><tr><th>coefficient</th>{head}</tr>{rows}{more}</table>"


def _table(lines: list[tuple[str, str]]) -> str:
    rows = "".join(f"<tr><th style='text-align:left'>{name}</th><td style='text-align:left'>{text}</td></tr>"
                   for name, text in lines)
    return f"<table>{rows}</table>"
