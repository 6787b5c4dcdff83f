#!/usr/bin/env python3
"""Builds the one-page calculator: `sotto account` as WebAssembly in one HTML file that works offline.

    tools/calculator/build.py -o build/calculator/index.html [--jobs N]
    tools/calculator/build.py --check-objects build/dev/CMakeFiles     lists functions that the page would lack

Needs emscripten (apt-get install emscripten; 3.1.6 of Debian 12). Without it the exit code is 77 and nothing is written.
docs/calculator/README.md explains the page and why its arithmetic is sound.
"""

import argparse
import base64
import concurrent.futures
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
FOLDERS = ["src/numeric", "src/privacy/accounting", "src/base/json", "cli/account"]
FILES = ["src/base/" + name + ".c" for name in ("error", "copy", "c_locale", "text", "text_number", "memory", "setting", "svg", "growing", "names")]
FILES += ["cli/frame/" + name + ".c" for name in ("frame", "parse", "help", "output", "value", "spell", "suggest", "input", "terminal", "choice")]
# No -ffast-math and no contraction: WebAssembly then rounds every operation to nearest, as FLT_EVAL_METHOD 0 requires.
COMPILE = ["-std=c17", "-O2", "-ffp-contract=off", "-Werror", "-Wall", "-D_POSIX_C_SOURCE=200809L", "-D_DEFAULT_SOURCE=1", "-DSOTTO_BUILDING=1",
           "-I" + str(HERE / "include"), "-I" + str(ROOT / "src"), "-I" + str(ROOT / "include"), "-I" + str(ROOT / "cli")]
LINK = ["-O2", "-s", "MODULARIZE=1", "-s", "EXPORT_NAME=makeSotto", "-s", "INVOKE_RUN=0", "-s", "ENVIRONMENT=worker",
        "-s", "ALLOW_MEMORY_GROWTH=1", "-s", "EXPORTED_RUNTIME_METHODS=['callMain','FS']", "-s", "EXIT_RUNTIME=0",
        "-s", "FILESYSTEM=1", "-s", "WASM_BIGINT=1"]


def sources():
    found = [path for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*.c"))]
    return found + [ROOT / name for name in FILES] + [HERE / "host.c", HERE / "quad.c"]


def version_header(work):
    """The header that CMake configures, with the version of CMakeLists.txt."""
    text = (ROOT / "CMakeLists.txt").read_text(encoding="utf-8")
    version = re.search(r"VERSION (\d+)\.(\d+)\.(\d+)", text).groups()
    for template in (ROOT / "include").rglob("*.in"):
        content = template.read_text(encoding="utf-8")
        names = dict(zip(("MAJOR", "MINOR", "PATCH"), version)) | {"": ".".join(version)}
        for name, value in names.items():
            for prefix in ("PROJECT_VERSION", "SOTTO_VERSION"):
                content = content.replace("@" + prefix + ("_" + name if name else "") + "@", value)
        target = work / "include" / template.relative_to(ROOT / "include").with_suffix("")
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(content, encoding="utf-8")


def compile_all(work, jobs):
    """Objects of all sources; one that is newer than every header and its source stays."""
    newest = max(path.stat().st_mtime for folder in ("src", "include", "cli", "tools/calculator")
                 for path in (ROOT / folder).rglob("*.h"))

    def compile_one(source):
        target = work / (str(source.relative_to(ROOT)).replace("/", "_") + ".o")
        if target.exists() and target.stat().st_mtime > max(newest, source.stat().st_mtime):
            return target
        subprocess.run(["emcc", *COMPILE, "-I" + str(work / "include"), "-c", str(source), "-o", str(target)], check=True)
        return target

    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        return list(pool.map(compile_one, sources()))


def check_objects(folder):
    """Our functions that the files of the page call and none of them defines, by the objects of a build of the command."""
    defined, called = set(), {}
    with tempfile.TemporaryDirectory() as directory:
        host = pathlib.Path(directory) / "host.o"
        subprocess.run(["cc", *COMPILE, "-I" + str(folder.parent / "include"), "-c", HERE / "host.c", "-o", host], check=True)
        objects = [host]
        for source in sources():
            if source.parent != HERE:  # quad.c is WebAssembly's long double, and calls nothing of ours
                objects.append(next(folder.glob(f"*/{source.relative_to(ROOT)}.o")))
        listed = subprocess.run(["nm", "-P", "-A", *objects], capture_output=True, text=True, check=True).stdout
    for line in listed.splitlines():
        name, symbol, kind = line.split()[:3]
        if kind == "U":
            called.setdefault(symbol, pathlib.Path(name.rstrip(":")).stem)
        elif kind != "t":
            defined.add(symbol)
    return [f"{name} calls {symbol}, which no file of the page defines; name its file in {pathlib.Path(__file__).name}"
            for symbol, name in called.items() if symbol not in defined and re.match(r"(sot|sotto|cli)_", symbol)]


def page(work, module):
    """The template with script and WebAssembly in it, and a policy that admits nothing else."""
    template = (HERE / "page.html").read_text(encoding="utf-8")
    glue = module.read_text(encoding="utf-8")
    worker = (HERE / "worker.js").read_text(encoding="utf-8")
    binary = base64.b64encode(module.with_suffix(".wasm").read_bytes()).decode()
    script = (HERE / "page.js").read_text(encoding="utf-8")
    for name, text in (("GLUE", glue), ("WORKER", worker)):
        if "</script" in text.lower():
            sys.exit(f"{name} would end its element")
    text = template.replace("@GLUE@", glue).replace("@WORKER@", worker).replace("@WASM@", binary)
    text = text.replace("@SCRIPT@", script)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return text.replace("@HASH@", "sha256-" + digest)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-o", "--output", type=pathlib.Path, default=ROOT / "build/calculator/index.html")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--check-objects", type=pathlib.Path, metavar="DIR", help="objects of a native build")
    arguments = parser.parse_args()
    if arguments.check_objects:
        faults = check_objects(arguments.check_objects)
        print(*faults, f"calculator: {len(sources())} files, {len(faults)} faults", sep="\n")
        sys.exit(1 if faults else 0)
    if shutil.which("emcc") is None:
        print("skipped: emcc is missing; apt-get install emscripten installs it", file=sys.stderr)
        sys.exit(77)
    work = ROOT / "build/calculator/objects"
    work.mkdir(parents=True, exist_ok=True)
    version_header(work)
    objects = compile_all(work, arguments.jobs)
    module = work / "sotto.js"
    # Debian's emscripten runs scripts that find acorn where Debian installs it.
    environment = {**os.environ, "NODE_PATH": os.environ.get("NODE_PATH", "/usr/share/nodejs")}
    subprocess.run(["emcc", *LINK, *map(str, objects), "-o", str(module)], check=True, env=environment)
    text = page(work, module)
    arguments.output.parent.mkdir(parents=True, exist_ok=True)
    temporary = arguments.output.with_suffix(".tmp")
    temporary.write_text(text, encoding="utf-8")
    temporary.replace(arguments.output)
    print(f"{arguments.output}: {len(text) / 1e6:.2f} MB")


if __name__ == "__main__":
    main()
