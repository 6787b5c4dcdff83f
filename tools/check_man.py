#!/usr/bin/env python3
"""Checks that the man pages say what the command's table says.

    check_man.py --sotto build/sotto
    check_man.py --self-test         plants faults and must catch every one

Every command has a page, sotto-<command>.1 (sotto.1 is the program itself); mandoc finds
nothing to complain about; the synopsis of each command lists exactly its options, required
ones without brackets and with the table's names for their values; the description has an item
for each option of the page, and names each of its choices.
"""

import argparse
import glob
import json
import os
import re
import subprocess
import sys


def table_of(sotto):
    done = subprocess.run([sotto, "--dump-options"], check=True, capture_output=True)
    return json.loads(done.stdout)


def page_of(path):
    first = path.split(" ")[0]
    return "sotto-" + first if first else "sotto"


def section(text, name):
    match = re.search(rf"^\.Sh {name}\n(.*?)(?=^\.Sh |\Z)", text, re.M | re.S)
    return match[1] if match else ""


def synopsis_of(text):
    """{"account epsilon": {"--delta D", "[--json]", ...}}"""
    commands = {}
    for block in re.split(r"^\.Nm sotto ?", section(text, "SYNOPSIS"), flags=re.M)[1:]:
        path, _, body = block.partition("\n")
        words = set()
        for line in body.splitlines():
            option = re.fullmatch(r"\.(Op )?Fl (-[a-z0-9-]+)(?: Ar ([A-Z]+))?", line)
            operand = re.fullmatch(r"\.(Op )?Ar ([A-Z]+)", line)
            if option:
                word = "-" + option[2] + (" " + option[3] if option[3] else "")
                words.add(f"[{word}]" if option[1] else word)
            elif operand:
                words.add(f"[{operand[2]}]" if operand[1] else operand[2])
            elif line not in (".Ar command", ".Op Ar options"):
                words.add("not understood: " + line)
        if ".Ar command" not in body:
            commands[path] = words
    return commands


def synopsis_wanted(command):
    words = set()
    for option in command["options"]:
        if option["presence"] == "hidden":
            continue
        if option["presence"] == "operand":
            words.add(option["value"])
            continue
        if option["presence"] == "optional operand":
            words.add(f"[{option['value']}]")
            continue
        word = "--" + option["name"] + (" " + option["value"] if "value" in option else "")
        # A group alone does nothing, so its --help is not optional.
        bare = option["presence"] == "required" or (command["group"] and command["path"])
        words.add(word if bare else f"[{word}]")
    return words


def items_of(text):
    """{"-h , --help": "text of the item"}"""
    items = {}
    for block in re.split(r"^\.It ", section(text, "DESCRIPTION"), flags=re.M)[1:]:
        head, _, body = block.partition("\n")
        if head.startswith("Fl "):
            items[head] = body
    return items


def item_wanted(option):
    letter = option.get("letter", "")
    head = "Fl " + (f"{letter} , " if letter else "") + "-" + option["name"]
    return head + (f" Ar {option['value']}" if "value" in option else "")


def check_page(page, text, commands):
    problems = []
    synopsis = synopsis_of(text)
    for path in sorted(commands.keys() | synopsis.keys()):
        wanted = synopsis_wanted(commands[path]) if path in commands else set()
        for word in sorted(wanted - synopsis.get(path, set())):
            problems.append(f"the synopsis of sotto {path} lacks {word}")
        for word in sorted(synopsis.get(path, set()) - wanted):
            problems.append(f"the synopsis of sotto {path} has {word}, the table has not")
    wanted = {}
    for command in commands.values():
        for option in command["options"]:
            if option["presence"] in ("optional", "required"):
                choices = wanted.setdefault(item_wanted(option), set())
                choices.update(option["choices"])
    items = items_of(text)
    for head in sorted(wanted.keys() ^ items.keys()):
        problems.append(f".It {head} is in the {'table' if head in wanted else 'page'} only")
    for head in wanted.keys() & items.keys():
        for choice in sorted(wanted[head]):
            if not re.search(rf"^\.Cm {re.escape(choice)}\b", items[head], re.M):
                problems.append(f".It {head} does not name the choice {choice}")
    return [f"man/{page}.1: {problem}" for problem in problems]


FINE_TABLE = {"account": {"path": "account", "group": True, "options": [
    {"name": "help", "letter": "h", "presence": "optional", "choices": []}]},
    "account ask": {"path": "account ask", "group": False, "options": [
        {"name": "delta", "presence": "required", "value": "D", "choices": []},
        {"name": "kind", "presence": "optional", "value": "NAME", "choices": ["one", "two"]},
        {"name": "data", "presence": "operand", "value": "DATA", "choices": []},
        {"name": "secret", "presence": "hidden", "choices": []},
        {"name": "help", "letter": "h", "presence": "optional", "choices": []}]}}
FINE_PAGE = """.Sh SYNOPSIS
.Nm sotto account ask
.Fl -delta Ar D
.Ar DATA
.Op Fl -kind Ar NAME
.Op Fl -help
.Nm sotto account
.Fl -help
.Sh DESCRIPTION
.It Fl -delta Ar D
Delta.
.It Fl -kind Ar NAME
.Cm one
or
.Cm two .
.It Fl h , -help
Help.
.Sh SEE ALSO
"""
FAULTS = [
    (".Op Fl -kind Ar NAME\n", ""),
    (".Op Fl -kind Ar NAME", ".Op Fl -kind Ar WORD"),
    (".Op Fl -kind", ".Fl -kind"),
    (".Fl -delta Ar D\n.Ar", ".Op Fl -delta Ar D\n.Ar"),
    (".Ar DATA\n", ""),
    (".Op Fl -help", ".Op Fl -help\n.Op Fl -secret"),
    (".Op Fl -help", ".Op Fl -help\n.Op Fl -more"),
    (".Nm sotto account\n.Fl -help\n", ""),
    (".Nm sotto account\n", ".Nm sotto account other\n.Op Fl -help\n.Nm sotto account\n"),
    (".It Fl -delta Ar D\n", ""),
    (".It Fl -delta Ar D", ".It Fl -delta Ar X"),
    (".It Fl h , -help", ".It Fl -help"),
    (".Sh SEE", ".It Fl -more\nMore.\n.Sh SEE"),
    (".Cm two .", "another."),
]


def self_test():
    failures = [f"fine, yet: {problem}" for problem in check_page("p", FINE_PAGE, FINE_TABLE)]
    for old, new in FAULTS:
        page = FINE_PAGE.replace(old, new, 1)
        if page == FINE_PAGE or not check_page("p", page, FINE_TABLE):
            failures.append(f"not caught: {old!r} -> {new!r}")
    print(*failures, sep="\n", end="\n" if failures else "")
    print(f"check_man: self-test: {len(FAULTS)} faults planted, {len(failures)} failures")
    return 1 if failures else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sotto", help="the built command")
    parser.add_argument("--self-test", action="store_true")
    arguments = parser.parse_args()
    if arguments.self_test:
        return self_test()
    if arguments.sotto is None:
        parser.error("give --sotto")
    table = table_of(os.path.abspath(arguments.sotto))
    os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

    pages = {}
    for path, command in table.items():
        command["path"] = path
        pages.setdefault(page_of(path), {})[path] = command
    problems = []
    for extra in sorted(set(glob.glob("man/*.1")) - {f"man/{page}.1" for page in pages}):
        problems.append(f"{extra}: there is no such command")
    for page, commands in pages.items():
        name = f"man/{page}.1"
        if not os.path.exists(name):
            problems.append(f"{name} is missing")
            continue
        with open(name, encoding="utf-8") as file:
            problems += check_page(page, file.read(), commands)
        lint = subprocess.run(["mandoc", "-Tlint", "-Wwarning", name], check=False,
                              capture_output=True, text=True)
        problems += lint.stdout.splitlines()
    for problem in problems:
        print(problem)
    print(f"man pages: {len(pages)} checked, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
