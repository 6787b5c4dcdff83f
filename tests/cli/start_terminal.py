#!/usr/bin/env python3
"""sotto start on a terminal and in a pipe: from a header of 20 columns to a trained and verified model.

    start_terminal.py --sotto build/dev/sotto

A pseudo-terminal stands for the person: the questions must come, a wrong answer is asked again, the end of the input and
Ctrl-C leave no file. The marked nulls of the schema are filled in, and the printed commands are run by sh as they stand.
Colour is for terminals that want it: NO_COLOR, TERM=dumb and a pipe get none. A computation of more than two seconds shows
the elapsed time there, or the time left.
"""

import argparse
import json
import os
import pathlib
import pty
import re
import select
import subprocess
import sys
import tempfile
import time

COLUMNS = ["patient_id", "age", "town", "is_ill", *(f"x{place}" for place in range(16))]
LIMIT_SECONDS = 120
EXAMPLES = str(pathlib.Path(__file__).resolve().parents[2] / "examples")
CLINIC = "$EXAMPLES/clinic.schema.json"


class Terminal:
    """A command on a pseudo-terminal."""

    def __init__(self, words, folder, environment):
        self.text = ""
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.chdir(folder)
            os.execvpe(words[0], words, environment)

    def read_until(self, words):
        """What the command writes, until `words` come or it ends."""
        begin = len(self.text)
        end = time.monotonic() + LIMIT_SECONDS
        while words is None or words not in self.text[begin:]:
            if time.monotonic() > end:
                sys.exit(f"no {words!r} in {LIMIT_SECONDS} s; got:\n{self.text}")
            if not select.select([self.fd], [], [], 1)[0]:
                continue
            try:
                got = os.read(self.fd, 65536)
            except OSError:  # the other end is closed
                got = b""
            if not got:
                if words is not None:
                    sys.exit(f"the command ended before {words!r}; got:\n{self.text}")
                break
            self.text += got.decode(errors="replace")
        return self.text[begin:]

    def answer(self, words, answer):
        self.read_until(words)
        os.write(self.fd, answer.encode())

    def finish(self):
        """The rest of the text, and the exit code."""
        rest = self.read_until(None)
        code = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        os.close(self.fd)
        return rest, code


def environment_of(sotto, **changes):
    environment = dict(os.environ, LC_ALL="C", TERM="xterm", PATH=f"{sotto.parent}{os.pathsep}{os.environ['PATH']}")
    environment.pop("NO_COLOR", None)
    environment.update(changes)
    return environment


def write_data(folder, rows):
    lines = [",".join(COLUMNS)]
    for place in range(rows):
        numbers = [str((place * (k + 3)) % 7 / 7) for k in range(16)]
        lines.append(",".join([f"p{place}", str(20 + place % 60), "Lund" if place % 3 else "Ystad",
                               "yes" if place % 2 else "no", *numbers]))
    (folder / "clinic.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")


def fill_in(folder):
    """Puts values where the schema has null, and nowhere else."""
    path = folder / "clinic.schema.json"
    schema = json.loads(path.read_text(encoding="utf-8"))
    for column in schema["columns"]:
        for key in [key for key, value in column.items() if value is None]:
            assert "FILL IN" in column["about"], column
            column[key] = {"lower": 0, "upper": 100, "values": ["Lund", "Ystad"]}[key]
    path.write_text(json.dumps(schema), encoding="utf-8")


def run_commands(folder, printed, environment, expected):
    """Runs the lines behind "Next:" as they stand: comments and commands."""
    script = printed.replace("\r\n", "\n").split("\nNext:\n")[1]
    commands = [line for line in script.splitlines() if line.startswith("sotto ")]
    verbs = [" ".join(line.split()[:3 if line.split()[1] in ("schema", "ledger") else 2]) for line in commands]
    assert verbs == expected, verbs
    subprocess.run(["sh", "-e", "-c", script], cwd=folder, env=environment, check=True, stdout=subprocess.DEVNULL,
                   timeout=LIMIT_SECONDS)
    assert json.loads((folder / "clinic.model.json").read_text(encoding="utf-8"))["certificate"]["epsilon"] <= 0.5


TRAINING = ["sotto schema check", "sotto ledger init", "sotto plan", "sotto train", "sotto verify", "sotto report"]


def in_a_pipe(sotto, folder):
    environment = environment_of(sotto)
    write_data(folder, 0)
    done = subprocess.run([sotto, "start", "clinic.csv", "--target", "is_ill"], cwd=folder, env=environment, check=True,
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=LIMIT_SECONDS)
    assert done.stderr == "", done.stderr
    assert "\033" not in done.stdout
    write_data(folder, 60)  # rows come later: the header decided
    refused = subprocess.run([sotto, "plan", "--schema", "clinic.schema.json", "--model", "logistic", "--epsilon", "1"],
                             cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert refused.returncode == 2 and "null" in refused.stderr, refused.stderr
    fill_in(folder)
    run_commands(folder, done.stdout, environment, TRAINING)


def on_a_terminal(sotto, folder):
    environment = environment_of(sotto)
    write_data(folder, 60)
    person = Terminal([str(sotto), "start", "clinic.csv"], folder, environment)
    person.answer("yes or no", "maybe\n")
    person.answer("answer yes or no", "\n")
    person.answer("Column to predict", "is_il\n")
    person.answer("did you mean 'is_ill'", "is_ill\n")
    person.answer("[patient_id]", "\n")
    person.answer("Largest number of rows", "0\n")
    person.answer("Largest number of rows", "2\n")
    person.answer("Values of the target", "yes/no\n")
    person.answer("More columns of yes and no", "\n")
    person.answer("More columns of categories", "town\n")
    person.answer("Columns to leave out", "x14,x15\n")
    person.answer("estimate of the number of rows", "60\n")
    asked = person.read_until("Epsilon of all releases")
    assert "true positive rate" in asked and "no release" in asked, asked
    os.write(person.fd, b"1\n")
    rest, code = person.finish()
    assert code == 0, (code, person.text)
    assert "\033[1m" in person.text  # questions are bold
    schema = json.loads((folder / "clinic.schema.json").read_text(encoding="utf-8"))
    kinds = {column["name"]: column["type"] for column in schema["columns"]}
    assert kinds["x15"] == "ignore" and kinds["is_ill"] == "boolean" and kinds["patient_id"] == "id", kinds
    assert schema["unit"]["rows"] == 2
    fill_in(folder)
    run_commands(folder, rest, environment, TRAINING)


def ends_without_a_file(sotto, folder):
    write_data(folder, 1)
    for key, expected in (("\x04", "the input ended"), ("\x03", "interrupted")):
        person = Terminal([str(sotto), "start", "clinic.csv"], folder, environment_of(sotto))
        person.answer("yes or no", key)
        rest, code = person.finish()
        assert code == 130 and expected in rest, (code, rest)
        assert os.listdir(folder) == ["clinic.csv"], os.listdir(folder)


def colour_is_for_terminals(sotto, folder):
    write_data(folder, 1)
    for changes, colour in (({}, True), ({"NO_COLOR": "1"}, False), ({"NO_COLOR": ""}, True), ({"TERM": "dumb"}, False)):
        for words in (["start", "clinic.csv", "--epsilon", "0"], ["start", "missing.csv"], ["unknown"]):
            person = Terminal([str(sotto), *words], folder, environment_of(sotto, **changes))
            text, code = person.finish()
            assert code != 0 and ("\033[31m" in text) == colour, (changes, words, text)
    done = subprocess.run([sotto, "unknown"], env=environment_of(sotto), capture_output=True, check=False)
    assert b"\033" not in done.stderr + done.stdout


def progress_is_for_terminals(sotto, folder):
    environment = environment_of(sotto, EXAMPLES=EXAMPLES)
    # Reading an empty pipe takes for ever: the elapsed time is shown, and an interrupt clears it.
    os.mkfifo(folder / "rows")
    release = "sotto release count rows --schema $EXAMPLES/survey.schema.json --epsilon 1"
    person = Terminal(["sh", "-c", f"exec {release}"], folder, environment)
    first = person.read_until("3 s")
    assert "\r2 s\033[K\r" in first and "1 s" not in first, first
    os.write(person.fd, b"\x03")
    rest, code = person.finish()
    assert code == 130 and "\r\033[Ksotto: interrupted" in rest, (code, rest)
    # Beside a pipe, whose reader may be a pager, and on a terminal that cannot move its cursor nothing is shown.
    for changes, words in (({}, f"{release} | cat"), ({"TERM": "dumb"}, release)):
        person = Terminal(["sh", "-c", f"timeout -s INT 4 {words}"], folder, {**environment, **changes})
        text, _ = person.finish()
        assert not re.search(r"[0-9] s\b|\033", text), (words, text)
    # Trainings that are counted show the time left.
    for words in (f"plan --schema {CLINIC} --model logistic --epsilon 1 --delta 1e-6 --forecast --public $EXAMPLES/clinic.csv",
                  "report $EXAMPLES/model.json --public $EXAMPLES/survey.csv -o report.html"):
        person = Terminal(["sh", "-c", f"exec sotto {words} --repeats 10000"], folder, environment)
        shown = person.read_until(" s left")
        assert "\rtraining " in shown and " of " in shown, shown
        os.write(person.fd, b"\x03")
        rest, code = person.finish()
        assert code == 130 and "on request after training" in rest, (code, rest)
        assert not (folder / "report.html").exists()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sotto", required=True, type=pathlib.Path)
    sotto = parser.parse_args().sotto.resolve()
    for check in (in_a_pipe, on_a_terminal, ends_without_a_file, colour_is_for_terminals, progress_is_for_terminals):
        with tempfile.TemporaryDirectory() as folder:
            check(sotto, pathlib.Path(folder))
        print(check.__name__, "ok", flush=True)


if __name__ == "__main__":
    main()
