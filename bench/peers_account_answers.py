"""Ask peers the questions our accountant answers, and judge their answers by our certified brackets.

Run it with the Python of an environment that has the peers, for example

    python3 -m venv VENV
    VENV/bin/pip install dp-accounting==0.6.0 opacus==1.6.0 autodp==0.2.3.1 prv_accountant==0.2.0 \\
        opendp==0.16.0 diffprivlib==0.6.6 scikit-learn==1.7.2
    make build && VENV/bin/python bench/peers_account_answers.py build/sotto

or `make bench PEERS=VENV`. Prints a table, with --markdown the one of docs/reference/accounting.md, with --json one
JSON line an answer. A peer that is not installed says so in its row. A peer runs in a process of
its own with a limit on its processor time (--seconds, default 300); the time printed is that of one call,
imports not counted.

The bracket is that of the accountant `exact`; --cross-check has `pld`, which shares no integral with it,
contradict it or not. The verdicts:

    WRONG      below the lower end of the bracket: the promise is broken. "twice" if the lower end of `pld` says so too.
    right      within 0.1 % of the bracket
    loose      above it, by a factor
    tighter    below our upper end by more than 0.1 %, and not below the lower end: ours is the loose one
    fails      raised, infinite or not a number
    refuses    says that it has no such event

Conventions are the peers' own, as their documentation defines them, and each question is put so that they
and ours mean the same noise: a noise multiplier is relative to the norm bound C of one record, which an
exchanged record moves by 2C. Where only an upper bound of a worst case is known (fixed-size batches),
the bracket has no lower end, and nobody can be wrong.
"""

import argparse
import contextlib
import importlib
import importlib.metadata
import io
import json
import logging
import math
import multiprocessing
import os
import resource
import subprocess
import sys
import tempfile
import time
import warnings

from peers_account_questions import questions

# ---- asking and judging ----

# What a call would import that importing the package does not; the time of imports is not counted.
LATE_PARTS = {
    "autodp": ("autodp.mechanism_zoo", "autodp.transformer_zoo"),
    "dp_accounting": ("dp_accounting.pld", "dp_accounting.rdp"),
    "opacus": ("opacus.accountants",),
    "opendp": ("opendp.prelude",),
}


def our_answer(command, words, adjacency, events):
    """The JSON of one `sotto account` call."""
    with tempfile.NamedTemporaryFile("w", suffix=".json") as plan:
        json.dump({"adjacency": adjacency, "events": events}, plan)
        plan.flush()
        call = [command, "account", *words, "--plan", plan.name, "--json"]
        done = subprocess.run(call, check=False, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(done.stderr)
    return json.loads(done.stdout)


def our_epsilon(command, asked, events):
    words = ["epsilon", "--cross-check", "--delta", repr(asked["delta"])]
    return our_answer(command, words, asked["adjacency"], events)


def call_in_child(module, ask, limit_seconds, connection):
    resource.setrlimit(resource.RLIMIT_CPU, (limit_seconds, limit_seconds))
    logging.disable(logging.CRITICAL)
    warnings.simplefilter("ignore")
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            for part in (module, *LATE_PARTS.get(module, ())):
                importlib.import_module(part)
            start = time.process_time()
            answer = float(ask())
        connection.send((answer, time.process_time() - start, ""))
    except Exception as problem:  # noqa: BLE001  a peer's failure is a result
        text = str(problem).splitlines() or [""]
        connection.send((None, None, f"{type(problem).__name__}: {text[0]}"))


def ask_peer(module, ask, limit_seconds):
    """(answer, seconds, problem) of one call in a child process."""
    ours, theirs = multiprocessing.Pipe()
    child = multiprocessing.Process(target=call_in_child, args=(module, ask, limit_seconds, theirs))
    child.start()
    theirs.close()
    try:
        result = ours.recv()
    except EOFError:
        result = (None, None, f"died, or had no answer in {limit_seconds} s")
    child.join()
    return result


def version_of(module):
    try:
        return importlib.metadata.version(module.replace("_", "-"))
    except importlib.metadata.PackageNotFoundError:
        return None


def judge_epsilon(answer, ours):
    """(verdict, detail) of a peer's epsilon against our bracket and that of `pld`."""
    lower, upper = ours["epsilon_lower"], ours["epsilon"]
    if answer < lower * (1.0 - 1e-9):
        second = ours.get("cross_check", {}).get("epsilon_lower", 0.0)
        twice = ", twice" if answer < second * (1.0 - 1e-9) else ""
        if answer <= 0.0:
            return "WRONG", f"says it costs nothing{twice}"
        return "WRONG", f"{100.0 * (1.0 - answer / lower):.2g} % too low{twice}"
    if answer < upper * (1.0 - 1e-3):
        return "tighter", f"ours is {upper / answer:.4g} times larger"
    if answer <= upper * (1.0 + 1e-3):
        return "right", ""
    return "loose", f"× {answer / upper:.4g}"


def judge_noise(answer, least, cost, target):
    """(verdict, detail) of a peer's noise; `cost` is our bracket of what it really costs."""
    if cost["epsilon_lower"] > target * (1.0 + 1e-9):
        return "WRONG", f"costs ε {cost['epsilon']:.5g}"
    if answer <= least * (1.0 + 1e-3):
        return "right", ""
    return "loose", f"{100.0 * (answer / least - 1.0):.2g} % more noise than needed"


def noise_cost(command, asked, noise):
    step = {**asked["events"][0], "noise_multiplier": noise}
    return our_epsilon(command, asked, [step])


def answers_of(command, asked, limit_seconds):
    """One record a peer asked."""
    is_noise = "epsilon" in asked
    if is_noise:
        words = ["noise", "--epsilon", repr(asked["epsilon"]), "--delta", repr(asked["delta"])]
        ours = our_answer(command, words, asked["adjacency"], asked["events"])
        bracket = {"noise": ours["noise_multiplier"]}
    else:
        ours = our_epsilon(command, asked, asked["events"])
        bracket = {"lower": ours["epsilon_lower"], "upper": ours["epsilon"]}
    for name, module, ask, note in asked["peers"]:
        version = version_of(module)
        record = {"question": asked["question"], **bracket, "peer": name, "version": version}
        if version is None:
            yield {**record, "verdict": "not installed", "detail": "", "note": ""}
            continue
        answer, took, problem = ask_peer(module, ask, limit_seconds)
        record.update(answer=answer, seconds=took, note=note)
        if answer is None or not math.isfinite(answer):
            verdict, detail = "fails", problem if answer is None else f"says {answer}"
            if "UnsupportedEvent" in problem:
                verdict, detail = "refuses", ""
            record["answer"] = None
        elif is_noise:
            cost = noise_cost(command, asked, answer)
            verdict, detail = judge_noise(answer, bracket["noise"], cost, asked["epsilon"])
        else:
            verdict, detail = judge_epsilon(answer, ours)
        yield {**record, "verdict": verdict, "detail": detail}


# ---- printing ----


def digits(value):
    return f"{value:.7g}"


def bracket_text(record):
    if "noise" in record:
        return digits(record["noise"])
    lower, upper = digits(record["lower"]), digits(record["upper"])
    if record["lower"] == 0.0:
        return f"at most {upper}"
    return upper if lower == upper else f"{lower} … {upper}"


def judgement(record, limit=70):
    parts = [record["verdict"], record["detail"][:limit]]
    text = ": ".join(part for part in parts if part)
    return f"{text} ({record['note']})" if record.get("note") else text


def print_plain(records):
    last = None
    for record in records:
        if record["question"] != last:
            last = record["question"]
            print(f"\n{last}\n  {'sotto':<42}{bracket_text(record):>12}", flush=True)
        answer = "-" if record.get("answer") is None else digits(record["answer"])
        took = "" if record.get("seconds") is None else f"{record['seconds']:.2f} s"
        print(f"  {record['peer']:<42}{answer:>12}{took:>10}  {judgement(record)}", flush=True)


def print_markdown(records):
    """No times: the table is the same on every machine, but that a call took ten seconds or more is said."""
    print("| question | ours | peer | says | verdict |\n|---|---|---|---|---|")
    last = None
    for record in records:
        first = record["question"] != last
        last = record["question"]
        cells = [last if first else "", bracket_text(record) if first else "", record["peer"]]
        cells.append("" if record.get("answer") is None else digits(record["answer"]))
        mark = "**" if record["verdict"] == "WRONG" else ""
        slow = (
            f", after {record['seconds']:.0f} s" if (record.get("seconds") or 0.0) >= 10.0 else ""
        )
        cells.append(mark + judgement(record) + slow + mark)
        print("| " + " | ".join(cells) + " |", flush=True)


def main():
    # One thread: the time of threads that wait for work would be counted against the peer.
    for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ[variable] = "1"
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("command", help="the sotto command, for example build/sotto")
    parser.add_argument("--seconds", type=int, default=300, help="limit of one peer's call")
    parser.add_argument("--only", default="", help="only questions that contain this text")
    parser.add_argument("--markdown", action="store_true")
    parser.add_argument("--json", action="store_true")
    settings = parser.parse_args()

    modules = ["dp_accounting", "opacus", "autodp", "prv_accountant", "opendp", "diffprivlib"]
    versions = [
        f"{name} {version_of(name) or 'not installed'}" for name in modules + ["numpy", "scipy"]
    ]
    print(", ".join(versions), file=sys.stderr)

    records = (
        record
        for asked in questions()
        if settings.only in asked["question"]
        for record in answers_of(settings.command, asked, settings.seconds)
    )
    if settings.json:
        for record in records:
            print(json.dumps({"bench": "peers_account_answers", **record}), flush=True)
    elif settings.markdown:
        print_markdown(records)
    else:
        print_plain(records)


if __name__ == "__main__":
    main()
