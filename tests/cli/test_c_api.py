"""The public headers: every function and parameter is documented, the pages are made from them, and the library has
these functions, sizes, offsets and values and no others. A change of tests/cli/abi.txt is a change of the ABI."""

import ctypes
import importlib.machinery
import importlib.util
import os
import subprocess
from pathlib import Path

import pytest
from conftest import ROOT, tenfold

loader = importlib.machinery.SourceFileLoader("c_api", str(ROOT / "scripts" / "c-api"))
c_api = importlib.util.module_from_spec(importlib.util.spec_from_loader("c_api", loader))
loader.exec_module(c_api)


def library() -> Path:
    given = os.environ.get("TENFOLD_LIBRARY")
    return Path(given) if given else Path(tenfold.path).resolve().parents[1] / "lib" / "libtenfold.so"


def all_declarations():
    for header in c_api.HEADERS:
        for pattern in (c_api.FUNCTION, c_api.CALLBACK):
            yield from c_api.declarations(c_api.read(header), pattern)


def test_every_header_is_listed():
    assert {path.stem for path in (ROOT / "include" / "tenfold").glob("*.h")} == set(c_api.HEADERS)


@pytest.mark.parametrize("each", list(all_declarations()), ids=lambda each: each.name)
def test_every_function_and_parameter_is_documented(each):
    assert each.comment, f"{each.name} has no comment"
    missing = [name for name in each.parameters if f"`{name}`" not in each.comment]
    assert not missing, f"{each.name} does not say what {missing} are: {each.comment}"


def test_a_function_without_a_comment_is_found():
    (each,) = c_api.declarations("\nTEN_API int ten_x(int a, const char *b);\n")
    assert (each.comment, each.parameters) == ("", ["a", "b"])


def test_structs_that_may_grow_have_their_size_first():
    for header in c_api.HEADERS:
        for name, body in c_api.STRUCT.findall(c_api.read(header)):
            assert name in ("ten_buffer", "ten_argument") or c_api.fields(body)[0] == "size", name


def test_reference_is_made_from_the_headers():
    assert (ROOT / "docs" / "c-api-reference.md").read_text() == c_api.reference()


def test_the_abi_is_as_written_down():
    assert (ROOT / "tests" / "cli" / "abi.txt").read_text() == c_api.abi()


def test_the_library_has_the_functions_and_no_others():
    done = subprocess.run(["nm", "-D", "--defined-only", library()], capture_output=True, text=True, check=True)
    symbols = {line.split()[-1].split("@")[0] for line in done.stdout.splitlines()}
    declared = {each.name for header in c_api.HEADERS for each in c_api.declarations(c_api.read(header))}
    assert {name for name in symbols if name.startswith("ten_")} == declared


def test_version_at_run_time():
    loaded = ctypes.CDLL(str(library()))
    loaded.ten_version.restype = ctypes.c_char_p
    version = loaded.ten_version().decode()
    assert f'#define TENFOLD_VERSION "{version}"' in c_api.read("version")
    major, minor, patch = map(int, version.split("."))
    assert loaded.ten_version_number() == major * 1000000 + minor * 1000 + patch
