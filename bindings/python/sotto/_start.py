"""The first steps with a data set: see docs/howto/start.md."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from ctypes import byref
from dataclasses import dataclass
from typing import Any

from ._library import CONSTANTS, StartConfig, call, defaults_of, owned_texts, value_of_name
from .schema import set_types


@dataclass(frozen=True)
class Start:
    """Proposals for a data set. ``str()`` gives the text that the command ``sotto start`` prints.

    ``schema`` has None where a fact is to be filled in, and ``fill_in`` lists these members by column.
    ``schema_text`` is the schema as JSON text with comments, for an editor.
    ``unit`` is None if each row is a unit.
    ``epsilon`` and ``delta`` are the budget; ``first_run`` is half of it.
    ``attack`` has the largest true positive rate of any attack, by epsilon and false positive rate.
    ``commands`` are for a shell, in order.
    """

    schema: dict[str, Any]
    schema_text: str
    schema_path: str
    fill_in: dict[str, list[str]]
    target: str | None
    model: str | None
    unit: dict[str, Any] | None
    adjacency: str
    epsilon: float
    delta: float
    first_run: dict[str, float]
    attack: list[dict[str, float]]
    rows_read: bool
    notes: str
    commands: list[str]
    _text: str

    def __str__(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return (f"<sotto.Start: {len(self.schema['columns'])} columns, {len(self.fill_in)} to fill in, "
                f"epsilon {self.epsilon:g} at delta {self.delta:g}>")

    def write(self, path: str | os.PathLike[str] | None = None, *, overwrite: bool = False) -> str:
        """Writes the schema to ``path`` (default: ``schema_path``) and returns the path.

        An existing schema, and a file of another kind, is replaced only with ``overwrite=True``.
        """
        path = os.fspath(self.schema_path if path is None else path)
        data = self.schema_text.encode()
        call("sotto_output_put", os.fsencode(path), CONSTANTS["SOTTO_OUTPUT_SCHEMA"], overwrite, data, len(data))
        return path


def start(data: str | os.PathLike[str], *, target: str | None = None,
          types: Mapping[str, str] | None = None, leave_out: Sequence[str] = (),
          unit: str | None = None, unit_rows: int | None = None, unit_is_row: bool = False,
          epsilon: float | None = None, delta: float | None = None, adjacency: str | None = None,
          expected_rows: int | None = None, dataset: str | None = None,
          schema_path: str | os.PathLike[str] | None = None, data_is_public: bool = False) -> Start:
    """Proposes a schema, a unit, a budget and commands for a table, from its header.

    No row is used unless ``data_is_public=True`` declares the rows public. Nothing is written:
    :meth:`Start.write` writes the schema.

    ``data`` is a CSV or TSV file with a header, plain or gzip.
    ``types`` maps columns to number, integer, boolean, category, id or ignore. Other types follow from names.
    ``unit`` names the id column of a person who may have several rows; ``unit_rows`` caps them (proposal: 1).
    Without ``unit`` it is proposed from the names; ``unit_is_row=True`` declares one row per person.
    ``expected_rows`` is a public estimate, from which a delta is proposed.
    ``schema_path`` is the file that the commands read the schema from.
    """
    if unit_is_row and (unit is not None or unit_rows is not None):
        raise ValueError("unit_is_row=True excludes unit and unit_rows; leave it out if a person may have several rows")
    config = StartConfig()
    defaults_of("start", config, config.draft)
    draft = config.draft
    draft.path = os.fsencode(data)
    draft.header_only = not data_is_public
    draft.target = _bytes(target)
    draft.dataset = _bytes(dataset)
    draft.unit = b"" if unit_is_row else _bytes(unit)
    draft.unit_rows = _count("unit_rows", unit_rows)
    set_types(draft, types or {}, leave_out)
    if epsilon is not None:
        config.epsilon = epsilon
    if delta is not None:
        config.delta = delta
    if adjacency is not None:
        config.adjacency = value_of_name("sotto_adjacency_from_name", adjacency)
    config.expected_rows = _count("expected_rows", expected_rows)
    config.schema_path = None if schema_path is None else os.fsencode(schema_path)
    return _propose(config)


def _bytes(text: str | None) -> bytes | None:
    return None if text is None else text.encode()


def _count(name: str, value: int | None) -> int:
    if value is None:
        return 0
    if value != int(value) or not 1 <= value <= 2**32:
        raise ValueError(f"{name} is {value!r}; give a whole number from 1 to 2**32")
    return int(value)


def _propose(config: StartConfig) -> Start:
    schema, answer, text = owned_texts("sotto_start_propose", 3, byref(config))
    facts = json.loads(answer)
    fill_in = {column["name"]: column["fill_in"] for column in facts["columns"] if column["fill_in"]}
    return Start(schema=facts["schema"], schema_text=schema, schema_path=facts["schema_path"], fill_in=fill_in,
                 target=facts.get("target"), model=facts.get("model"), unit=facts["unit"],
                 adjacency=facts["adjacency"], epsilon=facts["budget"]["epsilon"], delta=facts["budget"]["delta"],
                 first_run=facts["first_run"], attack=facts["attack"], rows_read=facts["rows_read"],
                 notes=facts["notes"], commands=facts["commands"], _text=text)
