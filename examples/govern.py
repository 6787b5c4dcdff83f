"""A governed data set, from Python only: budget, statistic, model, refusal, verification, report.

    python examples/govern.py FOLDER

writes everything into FOLDER, which nobody else may write to.
"""

import pathlib
import sys

import numpy as np
import sotto


def main(folder: pathlib.Path) -> None:
    # The curator's part: a key, a signed budget, and a schema from the names of the columns and public facts.
    key = sotto.new_key(folder / "curator.key")
    ledger = sotto.Ledger.init(folder / "clinic.ledger", dataset="clinic-2026", epsilon=1.5, delta=1e-6,
                               curator_key=folder / "curator.key")
    schema = sotto.Schema.draft(["age", "visits", "town", "ill"], target="ill", dataset="clinic-2026", types={"ill": "boolean"},
                                bounds={"age": (18, 90), "visits": (0, 12)}, values={"town": ["Lund", "Ystad", "elsewhere"]}).schema()

    # The records: any table with these columns, or a file.
    random = np.random.default_rng(1)
    age = random.integers(18, 91, size=3000)
    records = {"age": age, "visits": random.integers(0, 13, size=3000), "town": random.choice(["Lund", "Ystad", "Kivik"], size=3000),
               "ill": age + random.normal(scale=10, size=3000) > 60}

    # The analyst's part: each release is charged before a row is read.
    mean = sotto.release.mean(records, "age", epsilon=0.25, schema=schema, ledger=ledger, sign=folder / "curator.key",
                              output=folder / "age.json")
    print(f"mean age between {mean.lower:.1f} and {mean.upper:.1f}")
    model = sotto.LogisticRegression(epsilon=0.75, delta=1e-7, schema=schema, ledger=ledger, sign=folder / "curator.key",
                                     output=folder / "model.json").fit(records)
    print(f"model of {len(model.model_.encoded_features_)} features, epsilon {sotto.verify(model).epsilon:.2f}")

    # A run that the budget does not cover is refused, and reads no row.
    try:
        sotto.LogisticRegression(epsilon=1.0, delta=1e-7, schema=schema, ledger=ledger).fit(records)
    except sotto.BudgetExceededError as refusal:
        print(f"refused: {refusal}")

    # Anybody checks: the files, their signatures, and the budget that paid for them.
    for name in ("age.json", "model.json"):
        found = sotto.verify(folder / name, ledger=ledger, signed_by=key, curator=key)
        print(f"{name} verified: epsilon {found.epsilon:.2f}, signed by {found.signer}")
    print(f"ledger intact: {ledger.check().entries} rows")
    print(f"report: {sotto.report(folder / 'model.json', folder / 'report.html', ledger=ledger)}")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
