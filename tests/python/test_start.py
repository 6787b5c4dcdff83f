"""sotto.start: the proposals of `sotto start` as an object."""

import json
import math

import pytest
import sotto
from sotto._progress import ProgressLine, line_of

HEADER = "patient_id,age,town,is_ill\n"


@pytest.fixture(name="data")
def _data(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "clinic.csv"
    path.write_text(HEADER, encoding="utf-8")
    return path


def test_proposals_are_objects(data):
    begin = sotto.start("clinic.csv", target="is_ill", types={"town": "category"}, unit_rows=2, expected_rows=5000)
    assert begin.fill_in == {"age": ["lower", "upper"], "town": ["values"]}
    assert (begin.model, begin.target, begin.adjacency) == ("logistic", "is_ill", "add-remove")
    assert begin.unit == {"column": "patient_id", "rows": 2}
    assert (begin.epsilon, begin.delta) == (1.0, 1e-8)
    assert begin.first_run == {"epsilon": 0.5, "delta": 5e-9}
    assert not begin.rows_read
    assert [word.split()[1] for word in begin.commands] == ["schema", "ledger", "plan", "train", "verify", "report"]
    assert json.loads(begin.schema_text) == begin.schema
    assert all(command in str(begin) for command in begin.commands)
    assert "2 to fill in" in repr(begin)
    assert not list(data.parent.glob("*.json"))  # nothing is written before write()


def test_a_filled_in_schema_is_a_schema(data):
    begin = sotto.start(data, target="is_ill", unit_is_row=True, leave_out=["town"])
    with pytest.raises(sotto.SottoError, match="null"):
        sotto.Schema(begin.schema)
    for column in begin.schema["columns"]:
        column.update((key, value) for key, value in {"lower": 0, "upper": 110}.items() if key in column)
    assert sotto.Schema(begin.schema).describe()["columns"]


def test_rows_decide_nothing(data):
    texts = set()
    for rows in ("", "p1,7,Lund,1\n", 'p1,7,Lund,1\n"\n\x00,,,,,\n'):
        data.write_bytes((HEADER + rows).encode())
        begin = sotto.start("clinic.csv")
        texts.add((str(begin), begin.schema_text, begin.notes, json.dumps(begin.attack)))
    assert len(texts) == 1
    data.write_text(HEADER + "p1,7,Lund,1\np2,9,Ystad,0\n", encoding="utf-8")
    assert "Ystad" in sotto.start("clinic.csv", data_is_public=True).schema_text


def test_a_schema_that_is_there_stays(data):
    begin = sotto.start(data)
    path = begin.write()
    filled = begin.schema_text.replace("null", "1")
    (data.parent / path).write_text(filled, encoding="utf-8")
    with pytest.raises(sotto.SottoError, match="overwrite"):
        begin.write()
    assert (data.parent / path).read_text(encoding="utf-8") == filled
    begin.write(overwrite=True)
    assert (data.parent / path).read_text(encoding="utf-8") == begin.schema_text


@pytest.mark.parametrize(("settings", "words"), [
    ({"target": "il"}, "il"), ({"epsilon": 0}, "epsilon"), ({"delta": 1}, "delta"),
    ({"unit_is_row": True, "unit": "patient_id"}, "unit_is_row"), ({"unit_rows": 0}, "unit_rows"),
    ({"types": {"age": "text"}}, "types"), ({"types": {"a,b": "number"}}, "comma"),
    ({"adjacency": "both"}, "both")])
def test_wrong_settings_are_refused(data, settings, words):
    with pytest.raises((ValueError, sotto.SottoError), match=words):
        sotto.start(data, **settings)


def test_names_are_a_list(data):
    with pytest.raises(TypeError, match="leave_out"):
        sotto.start(data, leave_out="town")


# ---- progress ----

def test_a_line_has_the_time_left():
    assert line_of(10, 40, 5.0, 0.25) == "step 10 of 40, epsilon so far 0.25, 15 s left"
    assert line_of(0, 40, 5.0, math.nan) == "step 0 of 40"
    assert line_of(0, 0, 5.9, math.nan) == "5 s"  # of a tuning, whose steps are secret


class Terminal:
    """A stream that a person looks at."""

    def __init__(self, terminal):
        self.terminal, self.text = terminal, ""

    def isatty(self):
        return self.terminal

    def write(self, text):
        self.text += text

    def flush(self):
        pass


@pytest.mark.parametrize(("terminal", "kind", "shows"), [
    (True, "xterm", True), (True, "dumb", False), (False, "xterm", False)])
def test_a_line_is_for_terminals(monkeypatch, terminal, kind, shows):
    stream = Terminal(terminal)
    monkeypatch.setattr("sys.stderr", stream)
    monkeypatch.setenv("TERM", kind)
    line = ProgressLine()
    line(1, 100, 1.9, math.nan)
    assert stream.text == ""  # nothing in the first two seconds
    line(2, 100, 2.5, math.nan)
    line(3, 100, 2.6, math.nan)  # too soon after the last one
    assert stream.text == ("\rstep 2 of 100, 123 s left\x1b[K" if shows else "")
    line.close()
    assert stream.text.endswith("\r\x1b[K") == shows
