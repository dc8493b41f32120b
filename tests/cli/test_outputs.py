"""Every command that writes a file says before it starts when that cannot be; no half-written file is left."""

import os
import subprocess
from pathlib import Path

import pytest
from conftest import ROOT, tenfold

MLP = ROOT / "examples" / "mlp.mlir"


def commands(out: str) -> dict[str, list]:
    """Each way of writing a file, with where it is to go."""
    return {
        "compile": ["compile", MLP, "-o", f"{out}.ten"],
        "shared object": ["compile", MLP, "-o", f"{out}.so"],
        "convert": ["convert", MLP, "-o", f"{out}.mlirbc"],
        "opt": ["opt", "--pass=dce", MLP, "-o", out],
        "report": ["migrate", ROOT / "examples" / "migrate", "--diff", "--report", f"{out}.json"],
    }


@pytest.mark.parametrize("name", commands(""))
def test_a_missing_folder_is_said_before_work(name: str, tmp_path: Path) -> None:
    done = tenfold(*commands("missing/out")[name], cwd=tmp_path)
    assert done.code == 2, done
    assert "cannot be written: the folder missing: No such file or directory" in done.err
    assert "before any work is done" in done.err
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", commands(""))
def test_a_folder_is_no_file(name: str, tmp_path: Path) -> None:
    arguments = commands("out")[name]
    (tmp_path / str(arguments[-1])).mkdir()
    done = tenfold(*arguments, cwd=tmp_path)
    assert done.code == 1 and "cannot be written: it is a folder" in done.err, done


def test_a_file_is_no_folder(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for out in ("file", "file/deeper"):
        done = tenfold("run", MLP, "--random", "-o", out, cwd=tmp_path)
        assert (done.code == 1 and "file is not a folder" in done.err) or "Not a directory" in done.err, done
    done = tenfold("run", MLP, "--random", "-o", "new/deep", cwd=tmp_path)
    assert done.code == 0 and (tmp_path / "new" / "deep" / "0.npy").exists(), done


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full")
def test_a_full_disk_is_said(tmp_path: Path) -> None:
    done = tenfold("opt", "--pass=dce", MLP, "-o", "/dev/full")
    assert done.code == 1 and "/dev/full: writing: No space left on device" in done.err, done
    with open("/dev/full", "w") as full:
        for command in (["show", MLP], ["run", MLP, "--random", "--json"], ["doctor"], ["help", "run"]):
            words = [tenfold.path, *map(str, command)]
            done = subprocess.run(words, stdout=full, stderr=subprocess.PIPE, text=True, check=False, timeout=120)
            assert done.returncode == 1 and "No space left" in done.stderr, (command, done)


def test_a_wrong_kind_of_report_is_said_before_work(tmp_path: Path) -> None:
    done = tenfold("migrate", ROOT / "examples" / "migrate", "--report", "out.txt", cwd=tmp_path)
    assert done.code == 1 and "a report is a .json, .html, .sarif or .diff file, not out.txt" in done.err
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("out", ["net.onnx", "foo.xyz", "plain", ".ten.bak"])
def test_unknown_endings_are_refused(out: str, tmp_path: Path) -> None:
    done = tenfold("compile", MLP, "-o", out, cwd=tmp_path)
    assert done.code == 2 and f"--output {out}: the ending is none that is known; it is .ten or .so" in done.err
    done = tenfold("compile", MLP, "--train", "--loss", "mse", "-o", out, cwd=tmp_path)
    assert done.code == 2 and "it is .ten (a training step)" in done.err
    done = tenfold("compile", MLP, "--target", "tpu:v5e:2x2", "-o", out, cwd=tmp_path)
    assert done.code == 2 and "it is .tpu" in done.err
    done = tenfold("convert", MLP, "-o", out, cwd=tmp_path)
    assert done.code == 2 and ".mlirbc, .bc, .stablehlo and .vhlo are bytecode, .mlir and .txt text" in done.err
    assert not list(tmp_path.iterdir())
    assert tenfold("convert", MLP, "-o", out, "--to", "text", cwd=tmp_path).code == 0


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("int", "a word of C or C++"),
        ("class", "a word of C or C++"),
        ("my-net", "not an identifier"),
        ("3d", "not an identifier"),
        ("", "not an identifier"),
        ("__x", "the compiler's"),
        ("_Net", "the compiler's"),
    ],
)
def test_names_that_c_does_not_take(name: str, why: str, tmp_path: Path) -> None:
    done = tenfold("compile", MLP, "-o", "net.so", "--name", name, "--header", "net.h", cwd=tmp_path)
    assert done.code == 1 and f"'{name}' cannot be the name of a C function" in done.err and why in done.err, done
    assert not list(tmp_path.iterdir())


def test_a_file_named_after_a_keyword(tmp_path: Path) -> None:
    done = tenfold("compile", MLP, "-o", "double.so", cwd=tmp_path)
    assert done.code == 1 and "the name of the file decides unless --name does" in done.err, done
