#!/usr/bin/env python3
"""Misuse of every command: each error names the option, its value and a remedy, and each remedy works.

    misuse.py --sotto build/dev/sotto             runs all cases
    misuse.py --sotto build/dev/sotto --update    writes the errors into misuse.golden
    misuse.py --self-test                         plants faults and must catch every one

A case is a wrong command, the words that its error must contain (the option as typed, its value), a remedy that the
error must contain, and the command after the remedy, which must succeed (exit code 0).
"""

import argparse
import os
import pathlib
import shlex
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
GOLDEN = HERE / "misuse.golden"

TRAIN = "train $E/survey.csv --schema $E/smokers.schema.json"
MODEL = TRAIN + " --model logistic -o m.json"
RELEASE = "--schema $E/survey.schema.json --epsilon 1 -o r.json"
TUNE = "tune $E/survey.csv --schema $E/smokers.schema.json --model logistic --epsilon 2 --delta 1e-6 --plan"
NETWORK = TRAIN + " --model mlp --epsilon 1 --delta 1e-6 --expected-rows 2000 --steps 10 -o m.json"
VOTES = ("pate label --votes $E/votes.csv --schema $E/clinic.schema.json --adjacency add-remove --touched 1 "
         "--aggregator confident --sigma1 20 --sigma2 10 --threshold 35 -o l.json --delta 1e-5")

# (wrong command, words of its error, remedy in the error, right command)
CASES = [
    # misspelt words
    ("acount epsilon --noise-multiplier 1 --delta 1e-5", ["acount"], "account",
     "account epsilon --noise-multiplier 1 --delta 1e-5"),
    ("account epsilon --noise-multiplyer 1 --delta 1e-5", ["--noise-multiplyer"], "--noise-multiplier",
     "account epsilon --noise-multiplier 1 --delta 1e-5"),
    (MODEL.replace("logistic", "logistik") + " --epsilon 1", ["--model", "logistik"], "logistic", MODEL + " --epsilon 1"),
    (MODEL + " --epsilon 1 --method objektive", ["--method", "objektive"], "objective",
     MODEL + " --epsilon 1 --method objective"),
    ("completion bsh", ["SHELL", "bsh"], "bash", "completion bash"),
    ("verify $E/count.json --form htm", ["--form", "htm"], "html", "verify $E/count.json --form html"),
    # out of range
    ("account epsilon --noise-multiplier 1 --delta 2", ["--delta is 2"], "1e-5",
     "account epsilon --noise-multiplier 1 --delta 1e-5"),
    ("account epsilon --noise-multiplier 1e-9 --delta 1e-5", ["--noise-multiplier is 1e-09"], "1.1",
     "account epsilon --noise-multiplier 1.1 --delta 1e-5"),
    ("account epsilon --noise-multiplier 1 --rate 1.2 --delta 1e-5", ["--rate is 1.2"], "0.01",
     "account epsilon --noise-multiplier 1 --rate 0.01 --delta 1e-5"),
    ("account selection --noise-multiplier 4 --runs-mean 1 --delta 1e-5", ["--runs-mean is 1"], "--runs-mean 10",
     "account selection --noise-multiplier 4 --runs-mean 10 --delta 1e-5"),
    ("account selection --noise-multiplier 4 --runs-mean 10 --eta -2 --delta 1e-5", ["--eta is -2"], "--eta 1",
     "account selection --noise-multiplier 4 --runs-mean 10 --eta 1 --delta 1e-5"),
    (MODEL + " --epsilon 1e9", ["--epsilon is 1e+09"], "--epsilon 1", MODEL + " --epsilon 1"),
    (MODEL + " --epsilon 1 --lambda 1e200", ["--lambda is 1e+200"], "--lambda 10", MODEL + " --epsilon 1 --lambda 10"),
    (MODEL + " --epsilon 1 --delta 1e-6 --method gd --expected-rows 2000 --learning-rate 1e9",
     ["--learning-rate is 1e+09"], "--learning-rate 2",
     MODEL + " --epsilon 1 --delta 1e-6 --method gd --expected-rows 2000 --learning-rate 2"),
    ("audit learner --model svm --method output --epsilon 6 --delta 1e-5 --runs 10", ["--runs is 10"], "--runs 2000",
     "audit learner --model svm --method output --epsilon 6 --delta 1e-5 --runs 2000"),
    ("release quantile $E/survey.csv age --quantile 1.5 " + RELEASE, ["--quantile is 1.5"], "for example 0.5",
     "release quantile $E/survey.csv age --quantile 0.5 " + RELEASE),
    ("pac sample-size --class-size 1000 --epsilon 1 --alpha 2 --beta 0.05", ["--alpha is 2"], "--alpha 0.1",
     "pac sample-size --class-size 1000 --epsilon 1 --alpha 0.1 --beta 0.05"),
    (TUNE + " --grid lambda=10,30 --runs-mean 0.5 --score-epsilon 0.2", ["--runs-mean is 0.5"], "--runs-mean 10",
     TUNE + " --grid lambda=10,30 --runs-mean 10 --score-epsilon 0.2"),
    (TUNE + " --grid lambda=-1 --runs-mean 10 --score-epsilon 0.2", ["--grid", "lambda", "'-1'"], "from 0 on",
     TUNE + " --grid lambda=10,30 --runs-mean 10 --score-epsilon 0.2"),
    # the wrong kind of file
    ("verify $E/survey.csv", ["survey.csv"], "JSON", "verify $E/count.json"),
    ("predict $E/clinic.schema.json $E/survey.csv", ["clinic.schema.json"], "sotto train wrote",
     "predict $E/model.json $E/survey.csv"),
    ("train $E/model.json --schema $E/smokers.schema.json --model logistic --epsilon 1 -o m.json", ["model.json"],
     "--format", MODEL + " --epsilon 1 --format csv"),
    ("plan $E/survey.csv --delta 1e-5", ["survey.csv"], "{...}", "plan $E/plan.json --delta 1e-5"),
    ("pate student $E/model.json $E/clinic.csv --model logistic -o s.json", ["model.json"], "sotto pate label wrote",
     "pate student $E/labels.json $E/clinic.csv --model logistic -o s.json"),
    ("ledger show none.ledger", ["none.ledger"], "sotto ledger init", "ledger init none.ledger --dataset a --epsilon 1"),
    # something is missing
    (MODEL, ["--epsilon is missing"], "--epsilon 1", MODEL + " --epsilon 1"),
    (MODEL + " --epsilon 1 --method gd", ["--delta is missing"], "--delta 1e-6",
     MODEL + " --epsilon 1 --method gd --expected-rows 2000 --delta 1e-6"),
    (MODEL + " --epsilon 1 --delta 1e-6 --method gd", ["--expected-rows is missing"], "--expected-rows N",
     MODEL + " --epsilon 1 --delta 1e-6 --method gd --expected-rows 2000"),
    (MODEL + " --epsilon 1 --method output", ["--expected-rows is missing"], "--expected-rows N",
     MODEL + " --epsilon 1 --method output --expected-rows 2000"),
    ("release histogram $E/survey.csv age " + RELEASE, ["--bins is missing"], "--bins 10",
     "release histogram $E/survey.csv age --bins 10 " + RELEASE),
    ("release mean $E/survey.csv age --mechanism gaussian " + RELEASE, ["--delta is missing"], "--delta 1e-6",
     "release mean $E/survey.csv age --mechanism gaussian --delta 1e-6 " + RELEASE),
    ("ledger init l.ledger --dataset a", ["--epsilon is missing"], "--epsilon 2",
     "ledger init l.ledger --dataset a --epsilon 2"),
    (TUNE + " --grid lambda=10,30 --score-epsilon 0.2", ["--runs-mean is missing"], "--runs-mean 10",
     TUNE + " --grid lambda=10,30 --score-epsilon 0.2 --runs-mean 10"),
    (TUNE + " --runs-mean 10 --score-epsilon 0.2", ["--grid is missing"], "--grid lambda=10,30,100",
     TUNE + " --runs-mean 10 --score-epsilon 0.2 --grid lambda=10,30,100"),
    (TUNE + " --runs-mean 10 --grid lambda=10,30", ["--score-epsilon is missing"], "--score-epsilon 0.1",
     TUNE + " --runs-mean 10 --grid lambda=10,30 --score-epsilon 0.1"),
    (VOTES + " --ask 200", ["--epsilon", "--answers"], "--epsilon 4", VOTES + " --ask 200 --epsilon 4"),
    ("export $E/model.json", ["--c is missing"], "give --c", "export $E/model.json --c"),
    ("evaluate $E/model.json $E/survey.csv", ["--data-is-public"], "--data-is-public",
     "evaluate $E/model.json $E/survey.csv --data-is-public"),
    # what does not go together
    (MODEL + " --epsilon 1 --public-n 2000", ["--public-n is 2000"], "--adjacency replace-one",
     MODEL + " --epsilon 1 --expected-rows 2000"),
    (MODEL + " --epsilon 1 --adjacency replace-one --public-n 1000 --expected-rows 2000",
     ["--public-n", "--expected-rows"], "leave one of them out", MODEL + " --epsilon 1 --expected-rows 2000"),
    (MODEL + " --epsilon 1 --momentum 0.9", ["--momentum"], "leave it out", MODEL + " --epsilon 1"),
    (MODEL + " --method none", ["--method is none"], "--data-is-public", MODEL + " --method none --data-is-public"),
    (MODEL + " --epsilon 1 --data-is-public", ["--data-is-public"], "--method none",
     MODEL + " --method none --data-is-public"),
    (MODEL + " --epsilon 1 --delta 1e-6 --method newton --sampler mala", ["--sampler"], "leave it out",
     MODEL + " --epsilon 1 --delta 1e-6 --method newton"),
    ("release count $E/survey.csv --mechanism laplace --delta 1e-6 " + RELEASE, ["--delta"], "leave --delta out",
     "release count $E/survey.csv --mechanism laplace " + RELEASE),
    ("release rr $E/survey.csv smokes " + RELEASE, ["--adjacency is add-remove"], "--adjacency replace-one",
     "release rr $E/survey.csv smokes --adjacency replace-one " + RELEASE),
    ("pac learn $E/survey.csv --schema $E/smokers.schema.json --class stumpz --epsilon 1 -o c.json", ["--class", "stumpz"],
     "stumps", "pac learn $E/survey.csv --schema $E/smokers.schema.json --class stumps --epsilon 1 -o c.json"),
    ("start $E/survey.csv --no-questions --target smoke -o s.json", ["'smoke'"], "'smokes'",
     "start $E/survey.csv --no-questions --target smokes -o s.json"),
    ("verify $E/count.json --curator ed25519:00", ["--curator"], "--ledger budget.ledger", "verify $E/count.json"),
    ("doctor now", ["now"], "--help", "doctor --help"),
    # a path that is not allowed
    ("release count $E/survey.csv --schema $E/survey.schema.json --epsilon 1 -o $E/survey.csv", ["survey.csv"],
     "of its own", "release count $E/survey.csv " + RELEASE),
    ("train nofile.csv --schema $E/smokers.schema.json --model logistic --epsilon 1 -o m.json", ["nofile.csv"],
     "No such file", MODEL + " --epsilon 1"),
    ("train $E --schema $E/smokers.schema.json --model logistic --epsilon 1 -o m.json", ["is a directory"],
     "give a file of records", MODEL + " --epsilon 1"),
    # found by a second writer
    ("account curve --noise-multiplier 1 --points 1", ["--points is 1"], "--points 100",
     "account curve --noise-multiplier 1 --points 100"),
    ("account epsilon --noise-multiplier 1 --sampling without-replacement --rate 0.1 --delta 1e-5", ["--rate is 0.1"],
     "--sampling poisson", "account epsilon --noise-multiplier 1 --sampling poisson --rate 0.1 --delta 1e-5"),
    (TRAIN + " --model linear --epsilon 1 -o m.json", ["'smokes'"], "--model logistic", MODEL + " --epsilon 1"),
    (MODEL + " --epsilon 1 --delta 1e-6 --method sgd --expected-rows 2000 --batch 5000", ["--batch is 5000", "2000"],
     "at most that many", MODEL + " --epsilon 1 --delta 1e-6 --method sgd --expected-rows 2000 --batch 200"),
    (MODEL + " --epsilon 1 --prior none.json", ["--prior", "none.json"], "No such file", MODEL + " --epsilon 1"),
    ("release bounds $E/survey.csv town " + RELEASE, ["'town'", "category"], "name a number",
     "release bounds $E/survey.csv income " + RELEASE),
    ("predict $E/model.json $E/survey.csv --interval 0.9", ["--interval is 0.9"], "--method posterior",
     MODEL + " --epsilon 4 --delta 1e-6 --method posterior --draws 19"),
    ("export $E/model.json --c --name 'a b'", ["--name is 'a b'"], "--name smoker", "export $E/model.json --c --name smoker"),
    ("verify $E/model.json --signed-by ed25519:00", ["--signed-by", "ed25519:00"], "64 hexadecimal digits",
     "verify $E/model.json"),
    (TUNE + " --grid lamda=10,30 --runs-mean 10 --score-epsilon 0.2", ["--grid", "'lamda'"], "lambda",
     TUNE + " --grid lambda=10,30 --runs-mean 10 --score-epsilon 0.2"),
    (TUNE + " --grid lambda=100,300 --runs-mean 10 --score-epsilon 3", ["--score-epsilon is 3"], "--score-epsilon 0.1",
     TUNE + " --grid lambda=100,300 --runs-mean 10 --score-epsilon 0.1"),
    ("pac learn $E/survey.csv --schema $E/smokers.schema.json --class thresholds --columns height --epsilon 1 -o c.json",
     ["'height'"], "age",
     "pac learn $E/survey.csv --schema $E/smokers.schema.json --class thresholds --columns age --epsilon 1 -o c.json"),
    # found by a third writer
    ("start nothere.csv --no-questions -o s.json", ["nothere.csv"], "No such file",
     "start $E/survey.csv --no-questions --target smokes -o s.json"),
    ("start $E/survey.csv --no-questions --target smokes --epsilon -1 -o s.json", ["--epsilon is -1"], "for example 1",
     "start $E/survey.csv --no-questions --target smokes --epsilon 1 -o s.json"),
    ("schema check $E/survey.csv", ["survey.csv"], "an object {...}", "schema check $E/survey.schema.json"),
    ("schema draft $E/survey.csv -o s.json", ["survey.csv"], "sotto schema draft --help", "schema draft --help"),
    ("schema sample $E/survey.schema.json --rows ten", ["--rows is ten"], "for example 1000",
     "schema sample $E/survey.schema.json --rows 1000"),
    ("schema show", ["show"], "check", "schema check $E/survey.schema.json"),
    ("plan $E/plan.json", ["--delta is missing"], "--delta 1e-6", "plan $E/plan.json --delta 1e-6"),
    ("train $E/survey.csv --model logistic --epsilon 1 -o m.json", ["--schema is missing"], "--schema survey.schema.json",
     MODEL + " --epsilon 1"),
    (TRAIN + " --epsilon 1 -o m.json", ["--model is missing"], "--model logistic", MODEL + " --epsilon 1"),
    ("train $E/survey.csv $E/smokers.schema.json --model logistic --epsilon 1 -o m.json", ["smokers.schema.json"],
     "--schema examples/smokers.schema.json", MODEL + " --epsilon 1"),
    (MODEL + " --epsilon one", ["--epsilon is one"], "for example 1", MODEL + " --epsilon 1"),
    (MODEL + " --epsilon 1 --adjacency remove-one", ["--adjacency is remove-one"], "add-remove",
     MODEL + " --epsilon 1 --adjacency add-remove"),
    (MODEL + " --epsilon 1 --threads 0", ["--threads is 0"], "for example 2", MODEL + " --epsilon 1 --threads 2"),
    (MODEL + " --epsilon 1 --where 'age >'", ["--where", "byte 6", "the end"], "18.5", MODEL + " --epsilon 1 --where 'age > 18.5'"),
    (MODEL + " --epsilon 1 --where 'hight > 3'", ["--where", "'hight'"], 'with type "ignore"', MODEL + " --epsilon 1 --where 'age > 3'"),
    (NETWORK + " --clip -2", ["--clip is -2"], "for example 0.1", NETWORK + " --clip 0.1"),
    (TRAIN + " --model logistic --epsilon 1 -o nodir/m.json", ["--output", "nodir/m.json"], "No such file",
     MODEL + " --epsilon 1"),
    (MODEL + " --epsilon 1 --ledger none.ledger", ["none.ledger"], "sotto ledger init",
     "ledger init none.ledger --dataset survey-2026 --epsilon 1"),
    (MODEL + " --epsilon 1 --table people", ["--table", "survey.csv"], "leave --table out", MODEL + " --epsilon 1"),
    (MODEL + " --epsilon 1 --method posterior", ["--radius is missing"], "--radius 10",
     MODEL + " --epsilon 1 --method posterior --radius 10"),
    (TRAIN + " --model softmax --epsilon 1 --method newton -o m.json", ["--method is newton", "softmax"], "--method auto",
     TRAIN + " --model softmax --epsilon 1 --delta 1e-6 --method auto -o m.json"),
    ("train $E/survey.csv --schema $E/clinic.schema.json --model logistic --epsilon 1 -o m.json", ["survey.csv", "column 1"],
     'with type "ignore"', MODEL + " --epsilon 1"),
    ("train --schema $E/smokers.schema.json --model logistic --epsilon 1 -o m.json", ["DATA is missing"], "survey.csv",
     MODEL + " --epsilon 1"),
    (TUNE + " --grid lambda --runs-mean 10 --score-epsilon 0.2", ["--grid"], "lambda=0.1,1,10",
     TUNE + " --grid lambda=0.1,1,10 --runs-mean 10 --score-epsilon 0.2"),
    (TUNE + " --search lambda=100..10 --runs-mean 10 --score-epsilon 0.2", ["--search", "'100..10'"],
     "--search lambda=log:10:100", TUNE + " --search lambda=log:10:100 --runs-mean 10 --score-epsilon 0.2"),
    ("predict $E/model.json", ["DATA is missing"], "rows.csv", "predict $E/model.json $E/survey.csv"),
    ("predict $E/model.json $E/survey.csv --threshold 2", ["--threshold is 2"], "--threshold 0.5",
     "predict $E/model.json $E/survey.csv --threshold 0.5"),
    ("evaluate $E/model.json $E/survey.csv --epsilon 1 --data-is-public", ["--data-is-public", "--epsilon"], "leave one of them out",
     "evaluate $E/model.json $E/survey.csv --data-is-public"),
    ("export $E/count.json --c", ["count.json"], "model.json", "export $E/model.json --c"),
    ("report $E/model.json", ["--output is missing"], "--output report.html", "report $E/model.json --output report.html"),
    ("verify $E/model.json --ledger none.ledger", ["--ledger", "none.ledger"], "leave --ledger out", "verify $E/model.json"),
    ("release mean $E/survey.csv " + RELEASE, ["COLUMN is missing"], "age", "release mean $E/survey.csv age " + RELEASE),
    ("release mean $E/survey.csv hight " + RELEASE, ["'hight'"], "age", "release mean $E/survey.csv age " + RELEASE),
    ("release histogram $E/survey.csv age --bins 0 " + RELEASE, ["--bins is 0"], "for example 10",
     "release histogram $E/survey.csv age --bins 10 " + RELEASE),
    ("pac learn $E/survey.csv --schema $E/smokers.schema.json --class stumps -o c.json", ["--epsilon is missing"], "--epsilon 1",
     "pac learn $E/survey.csv --schema $E/smokers.schema.json --class stumps --epsilon 1 -o c.json"),
    ("pac sample-size --class-size 0 --epsilon 1 --alpha 0.1 --beta 0.05", ["--class-size is 0"], "for example 1000",
     "pac sample-size --class-size 1000 --epsilon 1 --alpha 0.1 --beta 0.05"),
    ("pate teach $E/clinic.csv --schema $E/clinic.schema.json --model logistic --teachers 1 -o teachers", ["--teachers is 1"],
     "for example 250", "pate teach $E/clinic.csv --schema $E/clinic.schema.json --model logistic --teachers 250 -o teachers"),
    (VOTES.replace(" --threshold 35", "") + " --ask 200 --epsilon 4", ["--threshold is missing"], "--threshold 200",
     VOTES.replace(" --threshold 35", " --threshold 200") + " --ask 200 --epsilon 4"),
    ("audit model $E/model.json --members $E/survey.csv", ["--nonmembers is missing"], "--nonmembers others.csv",
     "audit model $E/model.json --members $E/survey.csv --nonmembers $E/survey.csv --data-is-public"),
    ("audit canaries make --schema $E/smokers.schema.json --count 4 --canaries c.csv --included i.csv --coins k.txt",
     ["--count is 4"], "--count 400",
     "audit canaries make --schema $E/smokers.schema.json --count 400 --canaries c.csv --included i.csv --coins k.txt"),
    ("account noise --epsilon 1 --rate 0.01 --count 1000", ["--delta is missing"], "--delta 1e-5",
     "account noise --epsilon 1 --rate 0.01 --count 1000 --delta 1e-5"),
    ("account epsilon --noise-multiplier 1 --rate 0.01 --count 1.5 --delta 1e-5", ["--count is 1.5"], "for example 1000",
     "account epsilon --noise-multiplier 1 --rate 0.01 --count 1000 --delta 1e-5"),
    ("account curve --noise-multiplier 1 --svg", ["--svg needs a value"], "--svg curve.svg",
     "account curve --noise-multiplier 1 --svg curve.svg"),
    ("ledger init b.ledger --dataset d --epsilon 1 --delta 2", ["--delta is 2"], "for example 1e-6",
     "ledger init b.ledger --dataset d --epsilon 1 --delta 1e-6"),
    ("ledger init b.ledger --epsilon 1", ["--dataset is missing"], "--dataset clinic-2026",
     "ledger init b.ledger --dataset clinic-2026 --epsilon 1"),
    ("key make", ["make"], "give new", "key new curator.key"),
]


def execute(sotto, command, folder):
    words = [sotto, *(word.replace("$E", "examples") for word in shlex.split(command))]
    done = subprocess.run(words, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, timeout=300, check=False,
                          env=dict(os.environ, LC_ALL="C"))
    return done.returncode, done.stderr.decode(errors="replace")


def faults_of(case, code, error):
    """The faults of one error line."""
    _, words, remedy, _ = case
    found = [f"the error lacks {word!r}" for word in [*words, remedy] if word not in error]
    if code not in (1, 2, 3):
        found.append(f"exit code {code}")
    if "`" in error:
        found.append("a setting is not spelled")
    if error.count("\n") != 1:
        found.append("the error is not one line")
    return found


def run_all(sotto, update):
    failed, golden = 0, ""
    for case in CASES:
        with tempfile.TemporaryDirectory() as folder:
            os.symlink(HERE.parent.parent / "examples", os.path.join(folder, "examples"))
            code, error = execute(sotto, case[0], folder)
            golden += f"$ sotto {case[0]}\n{error}\n"
            faults = faults_of(case, code, error)
        with tempfile.TemporaryDirectory() as folder:
            os.symlink(HERE.parent.parent / "examples", os.path.join(folder, "examples"))
            code, wrong = execute(sotto, case[3], folder)
            if code != 0:
                faults.append(f"the remedy fails: sotto {case[3]}: {wrong}")
        if faults:
            failed += 1
            print(f"sotto {case[0]}\n{error}" + "".join(f"  {fault}\n" for fault in faults))
    if update:
        GOLDEN.write_text(golden, encoding="utf-8")
    elif golden != GOLDEN.read_text(encoding="utf-8"):
        failed += 1
        print(f"{GOLDEN} differs; run with --update and read the difference")
    print(f"{len(CASES)} misuse commands, {failed} failures")
    return 1 if failed else 0


def self_test():
    case = ("a", ["--rate is 2"], "--rate 0.01", "b")
    good = "sotto: a: --rate is 2; for example --rate 0.01\n"
    faults = [(0, good), (2, good.replace("2;", "3;")), (2, good.replace("0.01", "1")), (2, good + good),
              (2, good.replace("--rate 0.01", "--rate 0.01 `rate`"))]
    failures = [] if not faults_of(case, 2, good) else ["a good error is a fault"]
    failures += [f"not caught: {fault}" for fault in faults if not faults_of(case, *fault)]
    print(*failures, sep="\n", end="\n" if failures else "")
    print(f"misuse: self-test: {len(faults)} faults planted, {len(failures)} failures")
    return 1 if failures else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sotto", help="the command under test")
    parser.add_argument("--update", action="store_true", help="write the errors into the golden file")
    parser.add_argument("--self-test", action="store_true")
    arguments = parser.parse_args()
    if arguments.self_test:
        return self_test()
    if arguments.sotto is None:
        parser.error("give --sotto")
    return run_all(os.path.abspath(arguments.sotto), arguments.update)


if __name__ == "__main__":
    sys.exit(main())
