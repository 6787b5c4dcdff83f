#!/bin/sh
# A private model of a survey that nobody would want to be recognised in: from the schema to a
# prediction, a refusal and a caught forgery. Each command is shown, then run.
# `make demo` builds and calls this.
set -eu
sotto=${1:?give the path of the built command, for example build/sotto}
PATH=$(cd "$(dirname "$sotto")" && pwd):$PATH
cd "$(dirname "$0")/.."
data=build/demo
tools/fair-survey "$data"

say()
{
    printf '\n# %s\n' "$@"
}

# Runs a command that may be refused, and shows how it ended.
show()
{
    printf '$ %s\n' "$*"
    status=0
    "$@" 2>&1 || status=$?
    if [ "$status" -ne 0 ]; then printf '(exit code %s)\n' "$status"; fi
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
schema=examples/fair.schema.json
cp "$schema" "$work/fair.schema.json"

say 'In 1978 a magazine asked 6366 married women whether they had affairs. One row is one woman.' \
    'What is public about the table stands in its schema: the questionnaire, not the answers.'
show head -n 1 "$data/fair-train.csv"
show sotto schema check "$schema"

say 'The curator gives the data set a budget, for good: epsilon 1.5 at delta 1e-6.'
show sotto ledger init "$work/fair.ledger" --dataset fair-1978 --epsilon 1.5 --delta 1e-6

say 'What would a model cost, and what would it be worth? No row of the survey is read.'
show sotto plan --schema "$schema" --model logistic --epsilon 1 --delta 1e-6

say 'The training. The ledger is charged before the first row is read.'
show sotto train "$data/fair-train.csv" --schema "$schema" --model logistic \
    --epsilon 1 --delta 1e-6 --ledger "$work/fair.ledger" -o "$work/model.json"

say 'The certificate inside the model file, recomputed from that file alone.'
show sotto verify "$work/model.json"

say 'Predictions for women who were not in it: label and probability.'
printf '$ sotto predict model.json fair-test.csv --probabilities | head -n 5\n'
sotto predict "$work/model.json" "$data/fair-test.csv" --probabilities > "$work/predictions"
head -n 5 "$work/predictions"

say 'How good is it? These held-back rows are declared public; on private ones a score costs budget.'
show sotto evaluate "$work/model.json" "$data/fair-test.csv" --data-is-public

say 'The same without privacy, for comparison.'
sotto train "$data/fair-train.csv" --schema "$schema" --model logistic --method none \
    --data-is-public -o "$work/open.json" > "$work/open.txt" 2>&1
show sotto evaluate "$work/open.json" "$data/fair-test.csv" --data-is-public

say 'A second model would go over the budget: refused, and the data are not touched.'
show sotto train "$data/fair-train.csv" --schema "$schema" --model logistic \
    --epsilon 1 --delta 1e-6 --ledger "$work/fair.ledger" -o "$work/second.json"
show sotto ledger show "$work/fair.ledger"

say 'Someone edits the file to promise more than it keeps: caught.'
sed 's/"epsilon": 1\.0/"epsilon": 0.1/' "$work/model.json" > "$work/forged.json"
printf '$ sed ... model.json > forged.json; sotto verify forged.json\n'
status=0
sotto verify "$work/forged.json" > "$work/forged.txt" 2>&1 || status=$?
head -n 8 "$work/forged.txt"
printf '(exit code %s)\n' "$status"

say 'The model as a C header, for a program that has no room for a library.'
printf '$ sotto export model.json --c --name affairs -o affairs.h && grep affairs_ affairs.h\n'
sotto export "$work/model.json" --c --name affairs -o "$work/affairs.h" > "$work/export.txt" 2>&1
grep -n 'affairs_p' "$work/affairs.h" | head -n 3
