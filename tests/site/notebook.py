#!/usr/bin/env python3
"""Executes the notebooks of the documents from the first cell to the last and compares the stored outputs.

    notebook.py NOTEBOOK...             fails if a cell fails or prints something else
    notebook.py --update NOTEBOOK...    stores the outputs
    notebook.py --self-test             changes outputs and must catch every change

Each runs in an empty tree with our examples/, under the Python that runs this script and its PYTHONPATH. In the output of a cell with
the tag `noisy`, numbers do not count: the noise is fresh in every run.
"""

import argparse
import copy
import os
import pathlib
import re
import sys
import tempfile

import nbclient
import nbformat

ROOT = pathlib.Path(__file__).resolve().parents[2]
NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e-?\d+)?")


def execute(notebook):
    """The notebook with new outputs; only their text is kept."""
    done = copy.deepcopy(notebook)
    with tempfile.TemporaryDirectory() as directory:
        folder = pathlib.Path(directory) / "docs" / "tutorial"
        folder.mkdir(parents=True)
        (pathlib.Path(directory) / "examples").symlink_to(ROOT / "examples")
        os.environ.update(IPYTHONDIR=directory, JUPYTER_RUNTIME_DIR=directory, JUPYTER_CONFIG_DIR=directory)
        nbclient.NotebookClient(done, timeout=300, kernel_name="python3", resources={"metadata": {"path": str(folder)}}).execute()
    for cell in done.cells:
        cell.metadata = {key: value for key, value in cell.metadata.items() if key == "tags"}
        for output in cell.get("outputs", []):
            if "data" in output:
                output.data = {"text/plain": output.data["text/plain"]}
        if "outputs" in cell:  # a progress line ends empty
            cell.outputs = [output for output in cell.outputs if output.get("data") != {"text/plain": ""}]
    done.metadata = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}, "language_info": {"name": "python"}}
    return done


def printed(cell):
    """The text of a code cell's outputs, without the numbers if they are noisy."""
    text = "".join(output.get("text", "") or output.get("data", {}).get("text/plain", "") or output.get("evalue", "")
                   for output in cell.outputs)
    return NUMBER.sub("#", text) if "noisy" in cell.metadata.get("tags", []) else text


def differences(stored, fresh):
    """One sentence for each cell that prints something else."""
    pairs = zip(stored.cells, fresh.cells, strict=True)
    return [f"cell {place} prints\n{printed(new)}\nand is shown to print\n{printed(old)}"
            for place, (old, new) in enumerate(pairs, 1) if old.cell_type == "code" and printed(old) != printed(new)]


def self_test():
    cells = [nbformat.v4.new_code_cell("print('epsilon', 1)"), nbformat.v4.new_code_cell("print('mean', 2.5)", metadata={"tags": ["noisy"]}),
             nbformat.v4.new_code_cell("6 * 7")]
    fresh = execute(nbformat.v4.new_notebook(cells=cells))
    failures = [] if not differences(fresh, fresh) else ["a notebook differs from itself"]
    for place, text, is_fault in ((0, "epsilon 2\n", True), (1, "mean -3\n", False), (1, "median 2.5\n", True), (2, "43", True)):
        changed = copy.deepcopy(fresh)
        output = changed.cells[place].outputs[0]
        if "text" in output:
            output.text = text
        else:
            output.data["text/plain"] = text
        if bool(differences(changed, fresh)) != is_fault:
            failures.append(f"misjudged: {text!r}")
    try:
        execute(nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("1 / 0")]))
        failures.append("a cell that fails was accepted")
    except nbclient.exceptions.CellExecutionError:
        pass
    print(*failures, sep="\n", end="\n" if failures else "")
    print(f"notebook: self-test: {len(failures)} failures")
    return 1 if failures else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("notebooks", nargs="*")
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--self-test", action="store_true")
    arguments = parser.parse_args()
    if arguments.self_test:
        return self_test()
    if not arguments.notebooks:
        parser.error("give a notebook")
    failed = 0
    for name in arguments.notebooks:
        stored = nbformat.read(name, as_version=4)
        fresh = execute(stored)
        if arguments.update:
            nbformat.write(fresh, name)
            continue
        found = differences(stored, fresh)
        failed += bool(found)
        print(*found, sep="\n", end="\n" if found else "")
        print(f"{name}: {len(stored.cells)} cells, {len(found)} differ")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
