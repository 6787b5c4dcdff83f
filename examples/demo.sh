#!/bin/sh
# Private releases, the ledger and the accountant at work: each command is shown, then run.
# `make demo` builds and calls this.
set -eu
sotto=${1:?give the path of the built command, for example build/sotto}
PATH=$(cd "$(dirname "$sotto")" && pwd):$PATH
cd "$(dirname "$0")/.."

say()
{
    printf '\n# %s\n' "$1"
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
schema=examples/survey.schema.json

say 'A survey of people. What is public about it stands in its schema.'
show head -n 4 examples/survey.csv
show head -n 8 "$schema"

say 'The curator gives the data set a budget: epsilon 2, for good.'
show sotto ledger init "$work/survey.ledger" --dataset survey-2026 --epsilon 2 --delta 0

say 'The mean age. The charge comes before the first row is read.'
show sotto release mean examples/survey.csv age --schema "$schema" --epsilon 1 \
    --ledger "$work/survey.ledger" -o "$work/mean.json"

say 'The price that would have earned most, by the exponential mechanism.'
printf '$ sotto release choose ... (its certificate is left out here)\n'
sotto release choose examples/survey.csv offer --score revenue --candidates 4.99,9.99,14.99,19.99 \
    --schema "$schema" --epsilon 0.9 --ledger "$work/survey.ledger" 2> "$work/certificate.txt"

say 'Anyone can recompute the certificate. (A changed file fails.)'
show sotto verify "$work/mean.json" --json
sed 's/"epsilon": 1.0/"epsilon": 0.1/' "$work/mean.json" > "$work/forged.json"
show sotto verify "$work/forged.json"

say 'A third release is over the budget: refused, and the data are not touched.'
show sotto release count examples/survey.csv --schema "$schema" --epsilon 0.5 --ledger "$work/survey.ledger"
show sotto ledger show "$work/survey.ledger"

say 'DP-SGD: 60 epochs over 60000 records in Poisson batches of about 256. What does it cost?'
show sotto account epsilon --noise-multiplier 1.1 --rate 0.00427 --count 14063 --delta 1e-5

say 'Too much. How much noise makes it cost at most 1?'
show sotto account noise --epsilon 1 --delta 1e-5 --rate 0.00427 --count 14063

say 'Or: how many steps are within a loss of 1 at the noise we had?'
show sotto account steps --epsilon 1 --delta 1e-5 --noise-multiplier 1.1 --rate 0.00427

say 'A plan that mixes mechanisms: training, a few counts, two releases by someone else.'
show cat examples/plan.json
show sotto account epsilon --plan examples/plan.json --delta 1e-5

say 'The same for a script.'
show sotto account epsilon --plan examples/plan.json --delta 1e-5 --json

say 'The textbook noise for one release, and the loss it really has.'
show sotto account noise --epsilon 0.5 --delta 1e-5 --calibration classical
show sotto account noise --epsilon 0.5 --delta 1e-5

say 'What makes no sense is refused, with the remedy.'
show sotto account epsilon --noise-multiplier 0 --delta 1e-5
show sotto account epsilon --plan examples/plan.json --adjacency replace-one --delta 1e-5

say 'Is this machine fit to make noise?'
show sotto doctor
