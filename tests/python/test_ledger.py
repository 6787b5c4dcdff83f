"""sotto.Ledger: a budget that Python creates, raises, checks and exports, as the command does."""

import json
import os
import subprocess

import pytest
import sotto

COMMAND = os.path.join(os.environ["SOTTO_BUILD"], "sotto")


@pytest.fixture(name="vault")
def _vault(tmp_path):
    tmp_path.chmod(0o700)
    return tmp_path


def made(vault, **others):
    return sotto.Ledger.init(vault / "b.ledger", **{"dataset": "clinic", "epsilon": 2, "delta": 1e-6, **others})


def charge(ledger, epsilon):
    return sotto.release.count({"age": [31.0, 44.0]}, epsilon=epsilon, ledger=ledger, output=f"{ledger.path}.json", overwrite=True, schema={
        "dataset": "clinic", "columns": [{"name": "age", "type": "number", "lower": 0, "upper": 90}]})


def test_a_balance_is_that_of_the_command(vault):
    ledger = made(vault)
    charge(ledger, 0.5)
    shown = json.loads(subprocess.run([COMMAND, "ledger", "show", ledger.path, "--json"], check=True, capture_output=True, text=True).stdout)
    balance = ledger.show()
    for name in ("dataset", "adjacency", "epsilon", "delta", "budget", "spent", "left", "entries", "head", "epsilon_spent"):
        assert getattr(balance, name) == shown[name], name
    assert [member.kind for member in balance.members] == [member["kind"] for member in shown["members"]]
    for name, value in shown["may_still_run_one_of"].items():
        assert getattr(balance.room, name) == value, name
    assert [row.hash for row in balance.rows] == [row["hash"] for row in shown["rows"]]
    assert [row.kind for row in balance.rows] == ["init", "reserve", "commit"]
    assert balance.rows[1].charged == 0.5


def test_an_existing_file_is_never_replaced(vault):
    ledger = made(vault)
    before = ledger.show().head
    with pytest.raises(sotto.SottoError):
        made(vault, epsilon=9)
    assert ledger.show().head == before


def test_a_refused_charge_leaves_the_ledger_as_it_was(vault):
    ledger = made(vault)
    charge(ledger, 1.5)
    before = ledger.show().head
    with pytest.raises(sotto.BudgetExceededError, match="you may still run one of"):
        charge(ledger, 1.0)
    assert ledger.show().head == before


def test_a_preview_charges_nothing(vault):
    ledger = made(vault)
    before = ledger.show().head
    fits, refused = (ledger.preview(sotto.Plan({"mechanism": "pure", "epsilon": epsilon})) for epsilon in (0.5, 5.0))
    assert (fits.admitted, fits.charged, fits.after.left) == (True, 0.5, 1.5)
    assert not refused.admitted and refused.after is None and "budget" in refused.reason
    assert ledger.show().head == before


def test_a_grant_stays_on_record(vault):
    ledger = made(vault)
    assert ledger.grant(epsilon=0.5, reason="second wave").epsilon == 2.5
    assert (ledger.show().rows[-1].kind, ledger.show().rows[-1].text) == ("grant", "second wave")
    with pytest.raises(sotto.InvalidArgumentError):
        ledger.grant(epsilon=-1, reason="less")


def test_only_the_curator_raises_a_signed_budget(vault):
    public = sotto.new_key(vault / "curator.key")
    sotto.new_key(vault / "other.key")
    ledger = made(vault, curator_key=vault / "curator.key")
    assert ledger.show().curator == public and ledger.show().rows[0].signed
    for key in (None, vault / "other.key"):
        with pytest.raises(sotto.SottoError, match="curator"):
            ledger.grant(epsilon=1, reason="mine", key=key)
    assert ledger.grant(epsilon=1, reason="ours", key=vault / "curator.key").epsilon == 3
    with pytest.raises(sotto.SottoError):
        sotto.new_key(vault / "curator.key")  # a key is never replaced


def test_a_check_finds_an_older_copy_and_a_changed_row(vault):
    ledger = made(vault)
    charge(ledger, 0.5)
    head, text = ledger.show().head, ledger.export(vault / "rows.jsonl")
    assert ledger.check(head).spent == sotto.check_export(text, head).spent == 0.5
    assert (vault / "rows.jsonl").read_text(encoding="utf-8") == text
    for wrong in ("0" * 64, "1" * 64):
        with pytest.raises(sotto.VerificationError):
            ledger.check(wrong)
    changed = text.replace('"epsilon":2', '"epsilon":3', 1)
    assert changed != text
    with pytest.raises(sotto.VerificationError):
        sotto.check_export(changed)


def test_settings_are_those_of_the_library(vault):
    with pytest.raises(sotto.InvalidArgumentError):
        sotto.Ledger.init(vault / "none.ledger", dataset="d")
    with pytest.raises(ValueError, match="63"):
        made(vault, dataset="d" * 64)
    with pytest.raises(ValueError, match="filter"):
        made(vault, filter="moments")
    assert not list(vault.iterdir())
    balance = made(vault, unit="person", unit_rows=3, filter="gaussian", adjacency="replace-one").show()
    assert (balance.unit, balance.unit_rows, balance.adjacency) == ("person", 3, "replace-one")
    for rows in (-1, 2**64 + 2):  # the second is 2 in a field of 64 bits
        with pytest.raises(ValueError, match="unit_rows"):
            made(vault, unit="person", unit_rows=rows)
    assert [member.kind for member in balance.members] == ["gaussian", "basic"]
    zcdp = sotto.Ledger.init(vault / "rho.ledger", dataset="d", rho=0.5).show()
    assert (zcdp.rho, zcdp.epsilon) == (0.5, None) and "rho 0.5" in str(zcdp)


def test_a_missing_ledger_is_named(vault):
    with pytest.raises(sotto.SottoError, match="none.ledger"):
        sotto.Ledger(vault / "none.ledger")


def test_a_ledger_is_shown_and_reported(vault):
    ledger = made(vault)
    charge(ledger, 0.5)
    assert "0.5 of 2" in str(ledger.show()) and "0.5 of 2" in ledger._repr_html_()
    assert 0.4999 < ledger.account().epsilon <= 0.5
    assert sotto.Ledger.init(vault / "new.ledger", dataset="d", epsilon=1).account() is None
    assert ledger.report(vault / "ledger.html") == sotto.report(ledger.path, vault / "same.html")
    assert (vault / "ledger.html").read_bytes() == (vault / "same.html").read_bytes()
    with pytest.raises(ValueError, match="public is given"):
        sotto.report(ledger.path, vault / "no.html", public="examples/survey.csv")


def test_a_plan_is_priced_and_composed():
    plan = sotto.Plan([{"mechanism": "pure", "epsilon": 0.5}])
    assert (plan + plan).epsilon(delta=0).epsilon == 1.0
    assert sotto.account.epsilon(plan, delta=0).epsilon == plan.epsilon(delta=0).epsilon == 0.5
    assert sotto.Plan(plan.json) == plan and hash(sotto.Plan(plan.json)) == hash(plan)
    assert plan.delta(epsilon=0.25).delta > 0
    with pytest.raises(ValueError, match="adjacency"):
        plan + sotto.Plan({"mechanism": "pure", "epsilon": 0.5}, adjacency="replace-one")
