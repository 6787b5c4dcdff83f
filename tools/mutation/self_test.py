"""The self-test of tools/mutants.py: a small repository with a mutant of every kind."""

import contextlib
import io
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

from mutation.patches import diff_of

SOURCES = {
    "CMakePresets.json": '{"version": 3, "configurePresets": [{"name": "dev", "binaryDir": "${sourceDir}/build/dev"}]}\n',
    "CMakeLists.txt": """cmake_minimum_required(VERSION 3.22)
project(tiny LANGUAGES C)
enable_testing()
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
add_library(sotto_testing STATIC src/limit.c src/count.c)
target_include_directories(sotto_testing PUBLIC src)
add_custom_target(sotto)
add_executable(unit.test_tiny tests/unit/test_tiny.c)
target_link_libraries(unit.test_tiny sotto_testing)
add_test(NAME unit.test_tiny COMMAND unit.test_tiny)
add_executable(sotto_cli cli/main.c)
target_link_libraries(sotto_cli sotto_testing)
add_custom_target(no_entropy)
find_package(Python3 REQUIRED COMPONENTS Interpreter)
set(python ${Python3_EXECUTABLE} -E -s -S)
add_test(NAME cli.tiny.limit COMMAND ${python} ${PROJECT_SOURCE_DIR}/case.py $<TARGET_FILE:sotto_cli>)
add_test(NAME tools.lines COMMAND ${python} ${PROJECT_SOURCE_DIR}/lines.py
  WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
add_test(NAME python.environment COMMAND ${python} -c "open('ready', 'w')")
set_tests_properties(python.environment PROPERTIES FIXTURES_SETUP env
  WORKING_DIRECTORY ${PROJECT_BINARY_DIR})
add_test(NAME python.tiny COMMAND ${python} -m pytest ${PROJECT_BINARY_DIR}/ready)
set_tests_properties(python.tiny PROPERTIES FIXTURES_REQUIRED env
  WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
""",
    "src/tiny.h": "int limited(int x);\nint counted(int rows);\n",
    "src/limit.c": """#include "tiny.h"

#include <assert.h>
#include <stdlib.h>

int limited(int x)
{
    assert(x != 77);
    return x > 10 ? 10 : x;
}
""",
    "src/count.c": '#include "tiny.h"\n\nint counted(int rows)\n{\n    return rows + 1;\n}\n',
    "cli/main.c": """#include <stdio.h>

#include "tiny.h"

int main(void)
{
    printf("%d\\n", limited(12));
    return 0;
}
""",
    "tests/unit/test_tiny.c": """#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tiny.h"

static int run(const char *name, int good)
{
    printf("[ RUN      ] %s\\n", name);
    printf(good ? "[       OK ] %s\\n" : "[  FAILED  ] %s\\n", name);
    return good ? 0 : 1;
}

int main(void)
{
    const char *filter = getenv("SOTTO_TEST_FILTER");
    const char *wanted = filter == NULL ? "" : filter;
    int failed = 0;
    if (strstr("limit_holds", wanted)) failed += run("limit_holds", limited(12) == 10);
    if (strstr("count_is_noisy", wanted)) failed += run("count_is_noisy", counted(3) == 4);
    return failed;
}
""",
    "tests/cli/tiny/limit.case": "# Why.\n",
    "tests/python/test_tiny.py": "\n",
    "case.py": """import subprocess, sys
got = subprocess.run([sys.argv[1]], capture_output=True).stdout
if got != b"10\\n":
    print("limit.case: FAILED")
sys.exit(got != b"10\\n")
""",
    "lines.py": 'import sys\nsys.exit(len(open("src/count.c").readlines()) != 6)\n',
    "bindings/names.py": "NAMES = ['age', 'town']\n",
    "pytest.py": """import pathlib, sys
assert pathlib.Path(sys.argv[1]).exists()
sys.path.insert(0, "bindings")
from names import NAMES
print("1 passed" if NAMES == ["age", "town"] else "1 failed")
sys.exit(NAMES != ["age", "town"])
""",
}

# name: (file, old, new, detectors, verdict)
LIMIT, COUNT, NAMES = "src/limit.c", "src/count.c", "bindings/names.py"
MUTANTS = {
    "limit_gone": (LIMIT, "x > 10 ? 10 : x", "x", "unit.test_tiny, cli.tiny.limit", "caught"),
    "limit_by_function": (LIMIT, "? 10", "? 11", "unit.test_tiny:limit_holds", "caught"),
    "count_exact": (COUNT, "rows + 1", "rows", "unit.test_tiny:count_is_noisy", "caught"),
    "count_unseen": (COUNT, "rows + 1", "rows + 2", "unit.test_tiny:limit_holds", "missed"),
    "limit_half_seen": (LIMIT, "? 10", "? 12", "cli.tiny.limit, unit.test_tiny:count_is_noisy", "missed"),
    "limit_asserts": (LIMIT, "x != 77", "x == 77", "unit.test_tiny", "caught"),
    "limit_crashes": (LIMIT, "return x", "*(volatile int *)0 = 1;\n    return x", "unit.test_tiny", "no answer"),
    "limit_aborts": (LIMIT, "return x", "abort();\n    return x", "unit.test_tiny", "no answer"),
    "limit_hangs": (LIMIT, "return x", "for (;;)\n        ;\n    return x", "unit.test_tiny", "no answer"),
    "limit_no_compile": (LIMIT, "return x", "return y", "unit.test_tiny", "does not compile"),
    "lines_more": (COUNT, "return", "\n    return", "tools.lines", "caught"),
    "names_swapped": (NAMES, "'age', 'town'", "'town', 'age'", "python.tiny", "caught"),
    "names_broken": (NAMES, "]", "", "python.tiny", "does not compile"),
    "names_fail_early": (NAMES, "NAMES", "NOTHING", "python.tiny", "no answer"),
    "detector_unknown": (LIMIT, "? 10", "? 11", "unit.test_none", "no answer"),
    "function_unknown": (LIMIT, "? 10", "? 11", "unit.test_tiny:no_such_test", "no answer"),
    "stale": (LIMIT, "x > 20 ? 20", "x", "unit.test_tiny", "does not apply"),
}
MALFORMED = {
    "no_detector": "Nothing.\n\nBreaks: src/tiny.h\n",
    "no_proof": "Nothing.\n\nCaught-by: unit.test_tiny\n",
    "unknown_field": "Nothing.\n\nBreaks: src/tiny.h\nCaught-by: unit.test_tiny\nSeen-by: me\n",
}


def git(root, *words):
    subprocess.run(["git", "-C", str(root), "-c", "user.name=t", "-c", "user.email=t@t", *words],
                   capture_output=True, check=True)


def make_repository(root):
    for name, text in SOURCES.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    (root / ".gitignore").write_text("/build/\n__pycache__/\n")
    folder = root / "tests/mutants"
    folder.mkdir()
    for name, (file, old, new, detectors, verdict) in MUTANTS.items():
        text = SOURCES[file]
        if verdict == "does not apply":  # the file has changed since
            text = text.replace("x > 10 ? 10", old)
        (folder / f"{name}.patch").write_text(
            f"A mutant.\n\nBreaks: src/tiny.h, claim 1\nCaught-by: {detectors}\n"
            + diff_of(file, text, text.replace(old, new)))
    git(root, "init", "-q")
    git(root, "add", ".")
    git(root, "commit", "-q", "-m", "all")


class Trial:
    """Runs the tool on the repository and compares what it says."""

    def __init__(self, root, run, parse):
        self.root, self.run, self.parse, self.failures = root, run, parse, 0

    def call(self, *words):
        """(exit code, {name: verdict} of this run, output)."""
        journal = self.root / "build/mutants/judged.jsonl"
        before = journal.read_text().splitlines() if journal.is_file() else []
        output = io.StringIO()
        with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
            code = self.run(self.root, self.root / "build/mutants",
                            self.parse(["--timeout", "3", *words]))
        after = journal.read_text().splitlines() if journal.is_file() else []
        entries = [json.loads(line) for line in after[len(before):]]
        return (code, {entry["name"]: entry["verdict"] for entry in entries if entry["kind"] == "mutant"},
                output.getvalue())

    def expect(self, what, good, output):
        if not good:
            self.failures += 1
            print(f"mutants: self-test: '{what}' was judged wrongly:\n{output}", file=sys.stderr)


def try_verdicts(trial):
    code, verdicts, output = trial.call()
    for name, (_, _, _, _, expected) in MUTANTS.items():
        trial.expect(f"{name}: {expected}", verdicts.get(name) == expected, output)
    trial.expect("a run with problems fails", code == 1, output)
    code, verdicts, output = trial.call("--only", "limit_gone", "--only", "count_e*")
    trial.expect("a run without problems passes",
                 code == 0 and verdicts == {"limit_gone": "caught", "count_exact": "caught"}, output)


def try_resuming(trial):
    patch = trial.root / "tests/mutants/limit_gone.patch"
    _, verdicts, output = trial.call("--resume")
    asked_again = {name for name, mutant in MUTANTS.items() if mutant[4] == "no answer"}
    trial.expect("only mutants without an answer are asked again", set(verdicts) == asked_again, output)
    patch.write_text("Another word. " + patch.read_text())
    _, verdicts, output = trial.call("--resume", "--only", "limit_*one", "--only", "count_exact")
    trial.expect("an edited patch is judged again", set(verdicts) == {"limit_gone"}, output)
    (trial.root / "src/tiny.h").write_text(SOURCES["src/tiny.h"] + "\n")
    code, verdicts, output = trial.call("--resume", "--only", "count_exact")
    trial.expect("another tree is judged again", code == 0 and set(verdicts) == {"count_exact"}, output)
    git(trial.root, "checkout", "-q", ".")


def try_selecting(trial):
    (trial.root / COUNT).write_text(SOURCES[COUNT] + "/* more */\n")
    _, verdicts, output = trial.call("--changed", "HEAD")
    wanted = {name for name, mutant in MUTANTS.items() if mutant[0] == COUNT}
    trial.expect("mutants of changed files", set(verdicts) == wanted, output)
    git(trial.root, "checkout", "-q", ".")
    (trial.root / "tests/mutants/new.patch").write_text(
        (trial.root / "tests/mutants/count_exact.patch").read_text())
    _, verdicts, output = trial.call("--changed", "HEAD")
    trial.expect("new mutants count as changed", verdicts == {"new": "caught"}, output)
    (trial.root / "tests/mutants/new.patch").unlink()
    shares = [set(trial.call("--only", "limit_[ghn]*", "--share", f"{i}/2")[1]) for i in (1, 2)]
    trial.expect("shares are a partition", not shares[0] & shares[1] and all(shares) and
                 shares[0] | shares[1] == {n for n in MUTANTS if n[:7] in ("limit_g", "limit_h", "limit_n")},
                 str(shares))


def try_bounds(trial):
    """--rotate, --most and --minutes: every mutant is judged or named as left out."""
    wanted = {n for n in MUTANTS if n[:7] in ("limit_g", "limit_h", "limit_n")}
    _, verdicts, output = trial.call("--only", "limit_[ghn]*", "--rotate", "2")
    repeated = set(trial.call("--only", "limit_[ghn]*", "--share", "2/2")[1])  # one commit: 1 % 2 + 1
    trial.expect("--rotate follows the number of commits",
                 "share 2/2 (commit number 1)" in output and set(verdicts) == repeated, output)
    _, verdicts, output = trial.call("--only", "limit_[ghn]*", "--most", "1")
    trial.expect("--most", len(verdicts) == 1 and all(n in output for n in wanted) 
                 and f"{len(wanted) - 1} left out" in output, output)
    code, verdicts, output = trial.call("--only", "limit_[ghn]*", "--minutes", "-1")
    trial.expect("--minutes", code == 0 and not verdicts and f"{len(wanted)} left out" in output
                 and "mutants: 0 mutants" in output, output)


def try_overlays(trial):
    """The objects of a build are enough for sources and test programs, with either generator."""
    build = trial.root / "build/dev"
    wanted = {name: mutant[4] for name, mutant in MUTANTS.items()
              if mutant[0].startswith("src/") and all(d.startswith("unit.") for d in mutant[3].split(", "))}
    for generator in ("Unix Makefiles", "Ninja"):
        if generator == "Ninja" and shutil.which("ninja") is None:
            continue
        shutil.rmtree(build, ignore_errors=True)
        subprocess.run(["cmake", "-S", str(trial.root), "-B", str(build), "-G", generator], capture_output=True,
                       check=True)
        code, verdicts, output = trial.call("--build", str(build), "--light")
        trial.expect(f"overlays, {generator}", code == 1 and verdicts == wanted, output)
        code, verdicts, output = trial.call("--build", str(build), "--only", "limit_gone", "--only", "count_exact")
        trial.expect(f"overlays and a copy, {generator}",
                     code == 0 and verdicts == {"limit_gone": "caught", "count_exact": "caught"}, output)
    code, verdicts, output = trial.call("--build", str(trial.root / "nowhere"), "--only", "count_exact")
    trial.expect("no such build", code == 1 and "no build directory" in output, output)
    shutil.rmtree(build)


def try_clean_tree(trial):
    """What an interrupted run left is undone; an alarm without a mutant is a problem."""
    copy = trial.root / "build/mutants/0/tree" / LIMIT
    copy.write_text("this is not C\n")
    code, _, output = trial.call("--only", "limit_gone", "-j", "2")
    trial.expect("a copy that was left mutated", code == 0, output)
    (trial.root / LIMIT).write_text(SOURCES[LIMIT].replace("? 10", "? 9"))
    code, _, output = trial.call("--only", "count_unseen", "--only", "count_exact")
    trial.expect("an alarm on the clean tree", code == 1 and "clean: unit.test_tiny:limit_holds: ALARM" in output,
                 output)
    (trial.root / LIMIT).write_text(SOURCES[LIMIT].replace("return x", "return y"))
    code, _, output = trial.call("--only", "count_exact")
    trial.expect("a clean tree that does not compile", code == 1 and "cannot be built" in output, output)
    git(trial.root, "checkout", "-q", ".")


def try_applies(trial):
    folder = trial.root / "tests/mutants"
    code, _, output = trial.call("--applies")
    for name in ("stale", "detector_unknown", "function_unknown"):
        trial.expect(f"--applies sees {name}", f"mutants: {name}: " in output, output)
    trial.expect("--applies fails", code == 1 and "3 problems" in output, output)
    for name in ("stale", "detector_unknown", "function_unknown"):
        (folder / f"{name}.patch").unlink()
    code, _, output = trial.call("--applies")
    trial.expect("--applies passes", code == 0, output)
    for name, header in MALFORMED.items():
        (folder / f"{name}.patch").write_text(header + diff_of(LIMIT, SOURCES[LIMIT], SOURCES[LIMIT] + "\n"))
    test = "tests/unit/test_tiny.c"
    good = "Nothing.\n\nBreaks: src/tiny.h\nCaught-by: unit.test_tiny\n"
    (folder / "of_a_test.patch").write_text(good + diff_of(test, SOURCES[test], SOURCES[test] + "\n"))
    (folder / "no_note.patch").write_text(good.replace("tiny.h", "none.md")
                                          + diff_of(LIMIT, SOURCES[LIMIT], SOURCES[LIMIT] + "\n"))
    _, _, output = trial.call("--applies")
    for name in (*MALFORMED, "of_a_test", "no_note"):
        trial.expect(f"--applies sees {name}", f"mutants: {name}: " in output, output)


def try_refreshing(trial):
    """A patch follows its code when lines near it change, and not when the code itself does."""
    (trial.root / LIMIT).write_text(SOURCES[LIMIT].replace("{", "{\n    /* a line more */"))
    code, _, output = trial.call("--applies")
    trial.expect("lines near a change", code == 1 and "limit_gone: does not apply" in output, output)
    trial.call("--refresh")
    code, verdicts, output = trial.call("--only", "limit_gone")
    trial.expect("a refreshed mutant", code == 0 and verdicts == {"limit_gone": "caught"}, output)
    (trial.root / LIMIT).write_text(SOURCES[LIMIT].replace("10", "30"))
    code, _, output = trial.call("--refresh")
    trial.expect("code that changed", code == 1 and "limit_gone: its code has changed" in output, output)
    git(trial.root, "checkout", "-q", ".")


def self_test(run, parse):
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder).resolve()
        make_repository(root)
        trial = Trial(root, run, parse)
        for tried in (try_verdicts, try_resuming, try_selecting, try_bounds, try_overlays, try_clean_tree, try_refreshing, try_applies):
            tried(trial)
    print(f"mutants: self-test: {len(MUTANTS) + len(MALFORMED) + 2} mutants, {trial.failures} failures")
    return 1 if trial.failures else 0
