#!/usr/bin/env python3
"""Asks the one-page calculator and the command the same questions: the printed text must be the same.

    run.py --sotto build/dev/sotto --pictures DIR --axe AXE.js

The page is built first (tools/calculator/build.py) and opened as a file in a headless Chromium without network. Each form shows the
command's answer, also by the keyboard only; every control has a name, and axe-core finds no violation. Exit code 77: emscripten or a browser is
missing.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests/report"))
from browser import Browser, read_axe  # noqa: E402

GAUSSIAN = [(1.1, 0.004266666666666667, 14063, 1e-5), (0.8, 0.01, 1000, 1e-5), (2.5, 0.1, 500, 1e-6), (1.3, 0.001, 100000, 1e-6),
            (0.7, 0.02, 300, 1e-7), (4, 0.25, 2000, 1e-5), (10, 1, 100, 1e-6), (1, 1, 1, 1e-5), (0.6, 1e-4, 10000, 1e-6),
            (30, 1, 10000, 1e-9)]
LAPLACE = [(1, 1, 0), (10, 3, 1e-6), (5, 7, 1e-5), (20, 40, 1e-6), (3, 2, 1e-9)]
PLANS = [
    [{"mechanism": "gaussian", "noise_multiplier": 4, "count": 3}, {"mechanism": "laplace", "noise_multiplier": 10, "count": 2},
     {"mechanism": "pure", "epsilon": 0.1, "count": 5}],
    [{"mechanism": "discrete-gaussian", "sigma": 5.0, "sensitivity": 1, "count": 10}],
    [{"mechanism": "discrete-laplace", "scale": 2.0, "sensitivity": 1, "count": 10}],
    [{"mechanism": "zcdp", "rho": 0.01, "count": 3}, {"mechanism": "gdp", "mu": 0.5, "count": 2}],
    [{"mechanism": "approximate", "epsilon": 0.1, "delta": 1e-8, "count": 2}, {"mechanism": "exponential", "epsilon": 0.2, "count": 4}],
    [{"mechanism": "randomized-response", "epsilon": 1.0986122886681098, "categories": 2, "count": 3}],
    [{"mechanism": "gaussian", "noise_multiplier": 1.2, "sampling": {"method": "poisson", "rate": 0.01}, "count": 800},
     {"mechanism": "permute-and-flip", "epsilon": 0.3, "count": 2}],
    [{"mechanism": "laplace", "noise_multiplier": 8, "count": 30}],
]


def questions():
    """(words, plan or None) of every question."""
    for noise, rate, count, delta in GAUSSIAN:
        run = ["--noise-multiplier", str(noise), "--rate", str(rate), "--count", str(count)]
        yield ["epsilon", *run, "--delta", str(delta)], None
        yield ["delta", *run, "--epsilon", "1.25"], None
    for noise, rate, count, delta in GAUSSIAN[:3]:
        run = ["--noise-multiplier", str(noise), "--rate", str(rate), "--count", str(count), "--delta", str(delta)]
        yield ["epsilon", *run, "--adjacency", "replace-one"], None
        yield ["epsilon", *run, "--accountant", "rdp"], None
        yield ["epsilon", *run, "--accountant", "pld"], None
    for noise, count, delta in LAPLACE:
        yield ["epsilon", "--mechanism", "laplace", "--noise-multiplier", str(noise), "--count", str(count), "--delta", str(delta)], None
    for epsilon, rate, count in ((3, 0.01, 1000), (1, 1, 1), (8, 0.1, 200), (0.5, 0.001, 20000)):
        yield ["noise", "--epsilon", str(epsilon), "--delta", "1e-5", "--rate", str(rate), "--count", str(count)], None
    yield ["steps", "--noise-multiplier", "1.1", "--rate", "0.01", "--epsilon", "2", "--delta", "1e-5"], None
    yield ["noise", "--calibration", "classical", "--epsilon", "0.5", "--delta", "1e-5"], None
    yield ["curve", "--noise-multiplier", "1.1", "--rate", "0.01", "--count", "1000"], None
    for events in PLANS:
        yield ["epsilon", "--delta", "1e-6", "--plan", "plan.json"], json.dumps({"adjacency": "add-remove", "events": events})
    # Refusals are the command's too.
    yield ["epsilon", "--noise-multiplier", "-1", "--delta", "1e-5"], None
    yield ["epsilon", "--noise-multiplier", "1", "--delta", "2"], None
    yield ["noise", "--epsilon", "1"], None


def native(sotto, directory, words, plan):
    if plan is not None:
        (directory / "plan.json").write_text(plan, encoding="utf-8")
    done = subprocess.run([sotto, "account", *words], cwd=directory, capture_output=True, text=True)
    return done.returncode, done.stdout.rstrip("\n"), done.stderr.rstrip("\n")


def compare(browser, sotto, directory):
    """Every difference, and the number of questions."""
    faults, count = [], 0
    for words, plan in questions():
        count += 1
        code, out, err = native(sotto, directory, words, plan)
        call = json.dumps(["account", *words]) + ", " + json.dumps(plan)
        answer = browser.run(f"sotto({call})")
        if (answer["code"], answer["out"].rstrip("\n"), answer["err"].rstrip("\n")) != (code, out, err):
            faults.append(f"{' '.join(words)}:\n  command {code} {out}{err}\n  page    {answer}")
        if code != 0 or words[0] not in ("epsilon", "delta"):
            continue
        # Both brackets hold the exact value, so they meet.
        one = json.loads(native(sotto, directory, words + ["--json"], plan)[1])
        two = json.loads(browser.run(f"sotto({json.dumps(['account', *words, '--json'])}, {json.dumps(plan)})")["out"])
        lower, upper = words[0] + "_lower", words[0]
        for a, b in ((one, two), (two, one)):
            if a.get(lower) is not None and a[lower] > b[upper]:
                faults.append(f"{' '.join(words)}: brackets {one} and {two} do not meet")
    return faults, count


def check_forms(browser, axe, sotto, directory, page, pictures):
    """Each form shows the answer of the command that stands below it."""
    faults = []
    for width, height, scheme in ((1200, 900, "light"), (390, 800, "dark")):
        asked, said = browser.open(page, width, height, scheme)
        faults += [f"the page fetches {url}" for url in asked if not url.startswith("blob:")] + [f"the browser says {line}" for line in said]
        for form in ("epsilon", "noise", "composition", "curve"):
            shown = browser.run(f"""(async () => {{
                const form = document.getElementById("{form}");
                form.requestSubmit();
                while (!form.querySelector("output pre, output .bad")) await new Promise((go) => setTimeout(go, 50));
                return [form.querySelector("pre")?.textContent ?? form.querySelector(".bad").textContent,
                        form.querySelectorAll(".plot svg").length, form.querySelector("textarea")?.value ?? null]; }})()""")
            command, out = shown[0].split("\n", 1) if "\n" in shown[0] else (shown[0], "")
            words = command.removeprefix("$ sotto account ").split(" ")
            if native(sotto, directory, words, shown[2])[1] != out:
                faults.append(f"the form {form} shows {shown[0]}")
            if shown[1] != (1 if form == "curve" else 0):
                faults.append(f"{shown[1]} plots in the form {form}")
        if browser.run("document.documentElement.scrollWidth > document.documentElement.clientWidth"):
            faults.append(f"the page is wider than {width} pixels")
        faults += browser.violations(axe)
        browser.picture(os.path.join(pictures, f"calculator-{width}-{scheme}.png"))
    browser.run("document.querySelector('label').replaceWith(document.querySelector('input'))")
    if not browser.violations(axe):
        faults.append("axe-core accepts a field without a label")
    browser.open(page, 794, 1123, "dark", "print")
    browser.call("Emulation.setEmulatedMedia", media="")
    browser.print(os.path.join(pictures, "calculator.pdf"))
    return faults


def press(browser, key, code):
    for kind in ("keyDown", "keyUp"):
        browser.call("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=code, text="\r" if key == "Enter" else "")


def check_keyboard(browser, page):
    """Tab reaches the first field, Enter computes, and a screen reader has a name for every control."""
    browser.open(page, 1200, 900, "light")
    nodes = browser.call("Accessibility.getFullAXTree")["nodes"]
    controls = [node for node in nodes if node.get("role", {}).get("value") in ("textbox", "combobox", "button")]
    faults = [f"a {node['role']['value']} without a name" for node in controls if not node.get("name", {}).get("value", "").strip()]
    press(browser, "Tab", 9)
    browser.call("Input.insertText", text="2.5")
    press(browser, "Enter", 13)
    shown = browser.run("""(async () => { const start = Date.now(), form = document.getElementById("epsilon");
        while (!form.querySelector("output pre") && Date.now() - start < 60000) await new Promise((go) => setTimeout(go, 50));
        return form.querySelector("output[aria-live] pre")?.textContent ?? ""; })()""")
    if not shown.startswith("$ sotto account epsilon --noise-multiplier 2.5 "):
        faults.append(f"the keyboard computes {shown!r}")
    return faults + ([] if len(controls) > 15 else [f"{len(controls)} controls"])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sotto", required=True)
    parser.add_argument("--pictures", required=True)
    parser.add_argument("--axe", required=True, help="axe.min.js, or a folder below which it lies")
    parser.add_argument("--page", help="a page that was built before")
    arguments = parser.parse_args()
    os.makedirs(arguments.pictures, exist_ok=True)
    page = arguments.page or os.path.join(arguments.pictures, "index.html")
    if arguments.page is None:
        done = subprocess.run([sys.executable, str(ROOT / "tools/calculator/build.py"), "-o", page], check=False)
        if done.returncode != 0:
            sys.exit(done.returncode)
    with tempfile.TemporaryDirectory() as directory, Browser() as browser:
        directory = pathlib.Path(directory)
        sotto = os.path.abspath(arguments.sotto)
        browser.call("Network.emulateNetworkConditions", offline=True, latency=0, downloadThroughput=0, uploadThroughput=0)
        browser.open(page, 1200, 900, "light")
        faults, count = compare(browser, sotto, directory)
        faults += check_forms(browser, read_axe(arguments.axe), sotto, directory, page, arguments.pictures)
        faults += check_keyboard(browser, page)
    for fault in faults:
        print(fault, file=sys.stderr)
    print(f"{count} questions, {len(faults)} faults")
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
