"""Runs a detector and tells an alarm from silence, and both from no answer.

An alarm is a test that failed as a test: by an assertion of its own, of the library, or by a difference
between expected and actual output. A crash, a time-out, a test that did not run or could not begin is no answer.
"""

import os
import pathlib
import re
import signal
import subprocess
import tempfile
import threading

SILENT, ALARM, NO_ANSWER = "silent", "alarm", "no answer"
TIMEOUT_SECONDS = 300
CRASHES = re.compile(r"Segmentation fault|Bus error|Illegal instruction|Floating point exception|AddressSanitizer")
ASSERTION = re.compile(r": Assertion `.*' failed\.")


def kind_of(test):
    """"program" (cmocka), "case" (tests/cli/run.py), "python" (pytest), or "script"."""
    prefix = test["name"].partition(".")[0]
    if prefix in ("cli", "docs") and not re.fullmatch(r"cli\.(test|slow)_\w+", test["name"]):
        return "case"
    command = test.get("command")  # none while the program, or the interpreter of Python tests, is not there
    if prefix == "python" and (command is None or "pytest" in command):
        return "python"
    return "program" if command is None or pathlib.Path(command[0]).name == test["name"] else "script"


def targets_of(test):
    """The targets that the build must have made before the test can run."""
    kind = kind_of(test)
    if kind == "program":
        return {test["name"]}
    if test["name"].startswith("faults."):
        return {"sotto_cli", "faults"}  # the library that makes calls fail is preloaded
    return {"case": {"sotto_cli", "no_entropy"}, "python": {"sotto", "sotto_cli"}, "script": set()}[kind]


def properties_of(test):
    return {item["name"]: item["value"] for item in test.get("properties", [])}


class Runner:
    """Starts programs, each in a session of its own, and ends those that take too long."""

    def __init__(self, timeout_seconds):
        self.timeout_seconds = timeout_seconds
        self.running = set()
        self.lock = threading.Lock()
        self.stopped = False

    def stop(self):
        with self.lock:
            self.stopped = True
            for process in self.running:
                os.killpg(process.pid, signal.SIGKILL)

    def run(self, command, folder, environment, timeout_seconds):
        """(exit code, output); the code is None after a time-out."""
        with tempfile.TemporaryFile() as output:
            with self.lock:
                if self.stopped:
                    return None, ""
                process = subprocess.Popen(command, cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                                           stdout=output, stderr=subprocess.STDOUT, start_new_session=True)
                self.running.add(process)
            try:
                code = process.wait(min(timeout_seconds, self.timeout_seconds))
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
                code = None
            with self.lock:
                self.running.discard(process)
            output.seek(0)
            return code, output.read().decode(errors="replace")

    def environment_of(self, detector, test, place):
        environment = dict(os.environ)
        for setting in properties_of(test).get("ENVIRONMENT", []):
            name, _, value = setting.partition("=")
            environment[name] = value
        # Compiled modules are told by second and size: two mutants could share them.
        environment["PYTHONPYCACHEPREFIX"] = place
        environment["CMOCKA_MESSAGE_OUTPUT"] = "STDOUT"
        environment["SOTTO_TEST_FILTER"] = detector.filter
        return environment

    def ask(self, detector, test):
        """(answer, reason): what the detector says of the tree as it is built."""
        if test is None or "command" not in test:
            return NO_ANSWER, "ctest knows no such test, or it is not built"
        kind, properties, command = kind_of(test), properties_of(test), list(test["command"])
        if kind == "python" and detector.filter:
            command += ["-k", detector.filter]
        elif detector.filter and kind != "program":
            return NO_ANSWER, f"a {kind} takes no filter"
        with tempfile.TemporaryDirectory() as place:
            folder = place if kind == "program" else properties.get("WORKING_DIRECTORY", place)
            try:
                code, output = self.run(command, folder, self.environment_of(detector, test, place),
                                        float(properties.get("TIMEOUT", TIMEOUT_SECONDS)))
            except OSError as reason:
                return NO_ANSWER, str(reason)
        return judge(kind, code, output, properties.get("SKIP_RETURN_CODE"))


def judge(kind, code, output, skip_code=None):
    """(answer, reason) of one run of a detector."""
    last = next((line for line in reversed(output.splitlines()) if line.strip()), "")
    if code is None:
        return NO_ANSWER, "time-out"
    if CRASHES.search(output):
        return NO_ANSWER, f"crash: {CRASHES.search(output)[0]}"
    if code == -signal.SIGABRT and ASSERTION.search(output):
        return ALARM, ASSERTION.search(output)[0][2:]
    if code < 0:
        return NO_ANSWER, f"ended by signal {-code}: {last}"
    if code == skip_code:
        return NO_ANSWER, f"skipped: {last}"
    return {"program": judge_program, "case": judge_case, "python": judge_python,
            "script": judge_script}[kind](code, output, last)


def judge_program(code, output, last):
    if "[ RUN      ]" not in output:
        return NO_ANSWER, f"no test ran; is the filter right? {last}"
    failed = re.findall(r"^\[  FAILED  \] (\w+)$", output, re.MULTILINE)
    if code == 0 and not failed:
        return SILENT, ""
    return (ALARM, ", ".join(sorted(set(failed)))) if code and failed else (NO_ANSWER, last)


def judge_case(code, output, last):
    if code == 0:
        return SILENT, ""
    return (ALARM, last) if code == 1 and re.search(r": FAILED$", output, re.MULTILINE) else (NO_ANSWER, last)


def judge_python(code, output, last):
    """pytest: 1 is a test that failed; a test that could not begin counts as an error there."""
    if code == 0 and re.search(r"\d+ passed", output):
        return SILENT, ""
    return (ALARM, last) if code == 1 and re.search(r"\b\d+ failed", output) else (NO_ANSWER, last)


def judge_script(code, output, last):
    if code == 0:
        return SILENT, ""
    return (ALARM, last) if code == 1 and "Traceback" not in output else (NO_ANSWER, last)
