"""The package's mirror of the C headers is exact: structs, constants, functions.

A C program compiled against the headers prints what the compiler makes of them; the declarations
of the functions are read from the headers' text.
"""

import ctypes
import os
import pathlib
import re
import subprocess

import pytest
from sotto import _errors, _library

ROOT = pathlib.Path(__file__).resolve().parents[2]
HEADERS = sorted((ROOT / "include" / "sotto").glob("*.h"))
BUILD = pathlib.Path(os.environ["SOTTO_BUILD"])


def constants():
    """The names of C constants, and the values that the package uses."""
    found = {f"SOTTO_{status.name}": int(status) for status in _errors.Status}
    found.update(_library.CONSTANTS)
    return found


@pytest.fixture(scope="module")
def compiled(tmp_path_factory):
    """{expression: value} of every size, offset and constant, by the C compiler."""
    expressions = list(constants())
    for name, struct in _library.STRUCTS.items():
        expressions.append(f"sizeof({name})")
        for field, _ in struct._fields_:
            expressions += [f"offsetof({name}, {field})", f"sizeof((({name} *)0)->{field})"]
    includes = "".join(f"#include <sotto/{header.name}>\n" for header in HEADERS)
    prints = "".join(f'    printf("%ld\\n", (long)({text}));\n' for text in expressions)
    folder = tmp_path_factory.mktemp("layout")
    source = folder / "layout.c"
    source.write_text(f"#include <stddef.h>\n#include <stdio.h>\n{includes}"
                      f"int main(void)\n{{\n{prints}    return 0;\n}}\n", encoding="utf-8")
    subprocess.run(["cc", "-std=c17", "-I", ROOT / "include", "-I", BUILD / "include",
                    source, "-o", folder / "layout"], check=True)
    output = subprocess.run([folder / "layout"], check=True, capture_output=True, text=True).stdout
    return dict(zip(expressions, map(int, output.split()), strict=True))


@pytest.mark.parametrize("name", list(_library.STRUCTS))
def test_a_struct_has_the_compilers_layout(compiled, name):
    struct = _library.STRUCTS[name]
    assert ctypes.sizeof(struct) == compiled[f"sizeof({name})"]
    for field, kind in struct._fields_:
        assert getattr(struct, field).offset == compiled[f"offsetof({name}, {field})"], field
        assert ctypes.sizeof(kind) == compiled[f"sizeof((({name} *)0)->{field})"], field


@pytest.mark.parametrize("name", list(_library.STRUCTS))
def test_a_struct_has_all_fields_of_the_header(name):
    text = "\n".join(declarations_of(header) for header in HEADERS)
    body = re.search(rf"typedef struct {name} \{{(.*?)\}} {name};", text, re.DOTALL)[1]
    fields = [re.sub(r"\[.*?\]", "", part).split()[-1].lstrip("*")
              for line in body.split(";") if line.strip() for part in line.split(",")]
    assert [field for field, _ in _library.STRUCTS[name]._fields_] == fields


def test_constants_are_the_headers(compiled):
    for name, value in constants().items():
        assert compiled[name] == value, name


def declarations_of(header):
    """The header's text without comments and preprocessor lines."""
    text = re.sub(r"/\*.*?\*/", " ", header.read_text(encoding="utf-8"), flags=re.DOTALL)
    return re.sub(r"^[ \t]*#[^\n]*", "", text, flags=re.MULTILINE)


def declared_functions():
    """{name: (result, [argument])} in C's own words, of all public headers."""
    text = "\n".join(declarations_of(header)
                     for header in [*HEADERS, ROOT / "include" / "sotto" / "version.h.in"])
    found = {}
    for match in re.finditer(r"SOTTO_API\s+([^;{]*?)(\w+)\s*\(([^;]*)\);", text):
        result = " ".join(match[1].replace("SOTTO_MUST_CHECK", "").split())
        arguments = [" ".join(part.split()) for part in match[3].split(",")]
        found[match[2]] = (result, [] if arguments == ["void"] else arguments)
    return found


SCALARS = {"void": None, "double": ctypes.c_double, "size_t": ctypes.c_size_t,
           "uint64_t": ctypes.c_uint64, "int64_t": ctypes.c_int64,
           "uint32_t": ctypes.c_uint32, "bool": ctypes.c_bool,
           "sotto_progress_function": _library.ProgressFunction, "sotto_speller": ctypes.c_void_p,
           "sotto_ledger_visitor": ctypes.c_void_p, "sotto_ledger_sink": ctypes.c_void_p}
ENUMS = ("sotto_status", "sotto_adjacency", "sotto_accountant", "sotto_kernel", "sotto_method",
         "sotto_model_kind", "sotto_calibration", "sotto_certificate_form", "sotto_sampling",
         "sotto_schedule", "sotto_iterate", "sotto_clipping", "sotto_optimizer", "sotto_prediction",
         "sotto_sampler", "sotto_runs_law", "sotto_pate_aggregator", "sotto_audit_aim",
         "sotto_one_run_choice", "sotto_lira_centre", "sotto_output_kind", "sotto_run_outcome",
         "sotto_spelling", "sotto_grade", "sotto_member_kind", "sotto_score", "sotto_pate_sharding")


def ctype_of(words, result=False):
    """The ctypes type that stands for a C type (of a parameter: with its name)."""
    words = re.sub(r"(\w+)\[\w*\]$", r"*\1", words.replace("const", ""))
    if not result:
        words = re.sub(r"\w+$", "", words)
    words = words.replace(" ", "")
    stars = words.count("*")
    base = words.rstrip("*")
    if base == "char" and stars == 1:
        return ctypes.c_char_p
    if base in ENUMS:
        kind = ctypes.c_int
    elif base in SCALARS:
        kind = SCALARS[base]
    elif base in _library.STRUCTS:
        kind = _library.STRUCTS[base]
    else:  # a handle or a text: an address
        assert stars > 0, words
        kind, stars = ctypes.c_void_p, stars - 1
    for _ in range(stars):
        kind = ctypes.POINTER(kind)
    return kind


# It takes the address of any text.
FREES = {"sotto_free"}


@pytest.mark.parametrize("name", list(_library.FUNCTIONS))
def test_a_function_is_called_as_it_is_declared(name):
    result, arguments = declared_functions()[name]
    expected = [ctype_of(words) for words in arguments]
    if name in FREES:
        expected = [ctypes.c_void_p]
    assert _library.FUNCTIONS[name] == (ctype_of(result, result=True), expected)
