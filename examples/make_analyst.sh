#!/bin/sh
# Sets up a directory for `sotto analyst` with the survey as its data, all in the name of one user:
#
#     sh examples/make_analyst.sh clinic
#     sotto analyst "$PWD/clinic/private/analyst.json" release count --epsilon 0.1 -o count.json
#
# docs/howto/analyst.md has the same for two users, a curator and an analyst.
set -eu
umask 077
examples=$(dirname "$0")
mkdir "$1" "$1/private"
cp "$examples/survey.csv" "$examples/smokers.schema.json" "$1/private"
sotto ledger init "$1/private/budget.ledger" --dataset survey-2026 --epsilon 2 --delta 1e-5 > "$1/private/init.txt"
mkdir "$1/results"
chgrp "$(id -g)" "$1/results"
chmod 2750 "$1/results"
cat > "$1/private/analyst.json" << JSON
{
  "data": "survey.csv",
  "schema": "smokers.schema.json",
  "ledger": "budget.ledger",
  "results": "../results",
  "readers": "$(id -g)",
  "commands": ["plan", "train", "tune", "evaluate", "pac learn", "release", "ledger show"],
  "max_epsilon": 1,
  "max_delta": 1e-6
}
JSON
