#!/usr/bin/env python3
"""Checks that the man pages say what the command's table says.

    check_man.py --sotto build/sotto

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
            option = re.fullmatch(r"\.(Op )?Fl (-[a-z-]+)(?: Ar ([A-Z]+))?", line)
            operand = re.fullmatch(r"\.Ar ([A-Z]+)", line)
            if option:
                word = "-" + option[2] + (" " + option[3] if option[3] else "")
                words.add(f"[{word}]" if option[1] else word)
            elif operand:
                words.add(operand[1])
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


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sotto", required=True)
    arguments = parser.parse_args()
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
