"""sotto.Schema: drafted from names, edited, checked, written."""

import pathlib

import pandas
import polars
import pytest
import sotto

ROOT = pathlib.Path(__file__).resolve().parents[2]
FACTS = {"target": "ill", "types": {"ill": "boolean"}, "bounds": {"age": (18, 90)}, "values": {"town": ["Lund", "Ystad"]}}


def test_a_draft_takes_names_and_no_cell(tmp_path):
    drafts = []
    for cells in ({"age": [31], "town": ["Kivik"], "ill": [True]}, {"age": [200], "town": ["x"], "ill": [False]}):
        (tmp_path / "t.csv").write_text(pandas.DataFrame(cells).to_csv(index=False), encoding="utf-8")
        drafts += [sotto.Schema.draft(data, **FACTS) for data in (
            cells, pandas.DataFrame(cells), polars.DataFrame(cells), list(cells), tmp_path / "t.csv")]
    assert len({str(draft.members) for draft in drafts}) == 1
    assert drafts[0].fill_in == {}
    columns = {column["name"]: column for column in drafts[0].schema().describe()["columns"]}
    assert (columns["age"]["lower"], columns["age"]["upper"]) == (18, 90)
    assert columns["town"]["values"] == ["Lund", "Ystad"]


def test_missing_facts_are_listed_and_filled_in(tmp_path):
    draft = sotto.Schema.draft(["person", "age", "ill"], target="ill", types={"ill": "boolean"}, unit="person", unit_rows=3)
    assert draft.fill_in == {"age": ["lower", "upper"]}
    with pytest.raises(sotto.SottoError, match="age"):
        draft.schema()
    assert draft.write(tmp_path / "s.json") == str(tmp_path / "s.json")
    schema = draft.edit("age", lower=0, upper=110).schema()
    assert schema.describe()["unit"] == {"column": "person", "rows": 3}
    assert draft.fill_in == {"age": ["lower", "upper"]}  # a draft is not changed


def test_public_rows_may_fill_a_draft():
    assert sotto.Schema.draft(ROOT / "examples/survey.csv", target="smokes").fill_in
    assert not sotto.Schema.draft(ROOT / "examples/survey.csv", target="smokes", data_is_public=True).fill_in


def test_an_edit_gives_another_schema(tmp_path):
    schema = sotto.Schema(ROOT / "examples/clinic.schema.json")
    before = schema.describe()
    name = next(column["name"] for column in before["columns"] if column["type"] in ("number", "integer"))
    changed = schema.edit(name, upper=1000)
    assert schema.describe() == before
    assert [column["upper"] for column in changed.describe()["columns"] if column["name"] == name] == [1000]
    with pytest.raises(ValueError, match="'none'"):
        schema.edit("none", upper=1)
    with pytest.raises(sotto.SottoError):
        schema.edit(name, upper=-1e9)
    changed.write(tmp_path / "s.json")
    assert sotto.Schema(tmp_path / "s.json").describe() == changed.describe()
    (tmp_path / "s.json").write_text("{}", encoding="utf-8")
    with pytest.raises(sotto.SottoError, match="overwrite=True"):
        changed.write(tmp_path / "s.json")


def test_an_edit_keeps_the_ledger(tmp_path):
    text = {"ledger": "b.ledger", "columns": [{"name": "age", "type": "number", "lower": 0, "upper": 90}]}
    sotto.Schema(text).write(tmp_path / "s.json")
    changed = sotto.Schema(tmp_path / "s.json").edit("age", upper=80)
    assert changed._members()["ledger"] == str(tmp_path / "b.ledger")


def test_a_header_is_checked(tmp_path):
    schema = sotto.Schema(ROOT / "examples/survey.schema.json")
    schema.check(ROOT / "examples/survey.csv")
    (tmp_path / "t.csv").write_text("person,age\n", encoding="utf-8")
    with pytest.raises(sotto.SottoError, match="town"):
        schema.check(tmp_path / "t.csv")
    with pytest.raises(TypeError, match="path"):
        schema.check([1])


def test_exact_counts_are_for_the_owner():
    schema = sotto.Schema(ROOT / "examples/survey.schema.json")
    with pytest.warns(sotto.PrivacyWarning, match="NOT PRIVATE"):
        assert schema.check_owner(ROOT / "examples/survey.csv")


def test_a_schema_explains_itself():
    assert "norm" in str(sotto.Schema(ROOT / "examples/clinic.schema.json"))
