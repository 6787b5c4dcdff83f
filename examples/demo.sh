#!/bin/sh
# The accountant at work: each command is shown, then run. `make demo` builds and calls this.
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
