#!/bin/sh
# Makes the certified files in this folder anew. They must come from sotto 0.1.0, the version that the
# advisories are about: put its command first on PATH and its Python package on PYTHONPATH, then
#
#     sh make.sh ../../../../examples
#
# The noise is fresh, so the files differ from run to run; the cases beside them show the warnings only.
set -eu
examples=$(cd "$1" && pwd)
out=$(pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
test "$(sotto --version)" = "sotto 0.1.0"

python3 - "$examples" <<'END'
import csv, json, random, sqlite3, sys
rows = list(csv.reader(open(sys.argv[1] + "/survey.csv")))
database = sqlite3.connect("survey.db")
database.execute("CREATE TABLE survey(person TEXT, age REAL, smokes TEXT)")
database.executemany("INSERT INTO survey VALUES (?, ?, ?)",
                     [(row[0], float(row[1]) if row[1] else None, row[3]) for row in rows[1:]])
database.commit()
columns = [{"name": "age", "type": "number", "lower": 18, "upper": 90, "missing": 45},
           {"name": "smokes", "type": "boolean", "missing": False}]
rows = {"target": "smokes", "columns": [{"name": "person", "type": "ignore"}, *columns]}
units = {"target": "smokes", "unit": {"column": "person", "rows": 2},
         "columns": [{"name": "person", "type": "id"}, *columns]}
matrix = {"features": 3, "labels": [0, 1], "row_norm": {"bound": 1, "rule": "clip"}}
for name, schema in (("rows", rows), ("units", units), ("matrix", matrix)):
    json.dump(schema, open(name + ".json", "w"))
random.seed(1)
with open("matrix.txt", "w") as file:
    for _ in range(40):
        cells = " ".join(f"{place}:{random.random():.2f}" for place in (1, 2, 3))
        file.write(f"{random.randrange(2)} {cells}\n")
with open("survey.csv", "w") as file:
    for row in csv.reader(open(sys.argv[1] + "/survey.csv")):
        file.write(f"{row[0]},{row[1]},{row[3]}\n")
END

adult="SELECT * FROM survey WHERE age > 30"
all="SELECT person, age, smokes FROM survey"
renamed="SELECT rowid AS person, age, smokes FROM survey"

release() { # NAME, then the command
    name=$1
    shift
    sotto "$@" -o "$out/$name.json" > /dev/null
}
release query-where-replace release sum survey.db age --query "$adult" --schema rows.json --epsilon 1 \
    --adjacency replace-one
release query-where-add release count survey.db --query "$adult" --schema rows.json --epsilon 1
release query-all-replace release sum survey.db age --query "$all" --schema rows.json --epsilon 1 \
    --adjacency replace-one
release query-rr release rr survey.db smokes --query "$all" --schema rows.json --epsilon 1 \
    --adjacency replace-one
release csv-rr release rr survey.csv smokes --schema rows.json --epsilon 1 --adjacency replace-one
release csv-sum release sum survey.csv age --schema rows.json --epsilon 1 --adjacency replace-one
release query-unit-renamed release count survey.db --query "$renamed" --schema units.json --epsilon 1
release query-unit-stored release count survey.db --query "$all" --schema units.json --epsilon 1
release query-unit-train train survey.db --query "$renamed" --schema units.json --model logistic \
    --epsilon 1 --delta 1e-6
release matrix-train train matrix.txt --schema matrix.json --model logistic --epsilon 1 --delta 1e-6
release csv-train train survey.csv --schema rows.json --model logistic --epsilon 1 --delta 1e-6
release csv-accuracy evaluate "$out/csv-train.json" survey.csv --epsilon 1
sotto pate teach survey.csv --schema units.json --model logistic --lambda 1 --adjacency replace-one \
    --teachers 5 -o teachers > /dev/null
release teachers-labels pate label teachers survey.csv --aggregator gnmax --sigma2 20 --ask 3 --answers 3 \
    --delta 1e-5

python3 - "$out" <<'END'
import json, sys
import numpy as np
import sotto
out = sys.argv[1]
random = np.random.default_rng(1)
X, y = random.uniform(0, 1, (60, 2)), np.arange(60) % 2
sotto.LogisticRegression(1.0, 1e-6, data_norm=1.5).fit(X, y).save(out + "/python-labels.json")
sotto.LogisticRegression(1.0, 1e-6, bounds=(0, 1)).fit(X, y).save(out + "/python-bounds.json")
sotto.LinearRegression(1.0, 1e-6, data_norm=1.5, target_bounds=(0, 1), expected_rows=60).fit(
    X, y).save(out + "/python-numbers.json")
columns = [{"name": "age", "type": "number", "lower": 0, "upper": 1},
           {"name": "smokes", "type": "boolean", "missing": False}]
table = np.column_stack([np.arange(60) // 2, X[:, 0], y])
for name, first, unit in (("python-units", "id", {"unit": {"column": "person", "rows": 2}}),
                          ("python-rows", "ignore", {})):
    schema = {"target": "smokes", "columns": [{"name": "person", "type": first}, *columns], **unit}
    sotto.LogisticRegression(1.0, 1e-6, schema=schema).fit(table).save(f"{out}/{name}.json")
END
