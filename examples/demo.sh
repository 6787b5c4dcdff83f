#!/bin/sh
# A private model of a survey that nobody would want to be recognised in: from the schema to a
# prediction, a refusal and a caught forgery. Each command is shown, then run; what it writes
# stays in build/demo. `make demo` builds and calls this.
set -eu
sotto=${1:?give the path of the built command, for example build/sotto}
PATH=$(cd "$(dirname "$sotto")" && pwd):$PATH
cd "$(dirname "$0")/.."
. examples/say.sh
tools/fair-survey build/demo
cp examples/fair.schema.json build/demo/
cd build/demo
chmod go-w . # a ledger is refused where others could replace it
rm -f fair.ledger* model.json open.json second.json forged.json affairs.h report.html

say 'In 1974 a magazine asked 6366 married women whether they had affairs. One row is one woman.' \
    'What is public stands in the schema: the questionnaire, not the answers.'
show 'head -n 1 fair-train.csv'
show 'sotto schema check fair.schema.json'

say 'The curator gives the data set a budget, for good: epsilon 1.5 at delta 1e-6.'
show 'sotto ledger init fair.ledger --dataset fair-1978 --epsilon 1.5 --delta 1e-6'

say 'What would a model cost? No row of the survey is read.'
show 'sotto plan --schema fair.schema.json --model logistic --epsilon 1 --delta 1e-6'

say 'The training. The ledger is charged before the first row is read.'
show 'sotto train fair-train.csv --schema fair.schema.json --model logistic --epsilon 1 --delta 1e-6 --ledger fair.ledger -o model.json'

say 'The certificate in the model file, recomputed from that file alone (its first part).'
show 'sotto verify model.json | head -n 36'

say 'Predictions for women who were not in it: label, and probability of yes.'
show 'sotto predict model.json fair-test.csv --probabilities > predictions.tsv; head -n 4 predictions.tsv'

say 'How good is it? These rows were held back and are declared public; on private ones a score is paid for.'
show 'sotto evaluate model.json fair-test.csv --data-is-public'

say 'The same without privacy, for comparison.'
show 'sotto train fair-train.csv --schema fair.schema.json --model logistic --method none --data-is-public -o open.json > open.txt'
show 'sotto evaluate open.json fair-test.csv --data-is-public'

say 'A second model would go over the budget: refused, before a row is read.'
show 'sotto train fair-train.csv --schema fair.schema.json --model logistic --epsilon 1 --delta 1e-6 --ledger fair.ledger -o second.json'
show 'sotto ledger show fair.ledger'

say 'Someone edits the file to promise more than it keeps.'
show "sed 's/\"epsilon\": 1\\.0/\"epsilon\": 0.1/' model.json > forged.json; sotto verify forged.json --json"

say 'The model as a C header, for programs without room for a library.'
show 'sotto export model.json --c --name affairs -o affairs.h && grep -c . affairs.h'

say 'Everything above on one page, for people who decide: open build/demo/report.html in a browser.' \
    'The curve in it learns from the public rows, repeated up to 5000: a public guess.'
show 'sotto report model.json --public fair-test.csv --ledger fair.ledger --expected-rows 5000 -o report.html'

say 'What is in build/demo now.'
show 'ls'

say 'For a table of your own: build/sotto start TABLE.csv (docs/howto/start.md).'
