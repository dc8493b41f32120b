"""Every command that writes a file says before it starts when that cannot be; no half-written file is left."""

import json
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import numpy
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


SOURCE = "import torch\nx = torch.zeros(1).cuda()\n"


def migrations(folder: Path) -> dict[str, tuple[list, str]]:
    """Outputs of `migrate` that cannot be, and what is said of each."""
    for name in ("a.py", "many/b.py", "many/c.py", "file", "kept/a.py/x"):
        (folder / name).parent.mkdir(exist_ok=True, parents=True)
        (folder / name).write_text(SOURCE)
    (folder / "book.ipynb").write_text('{"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}')
    (folder / "folder.py").mkdir()
    return {
        "a folder": (["a.py", "-o", "folder.py"], "folder.py cannot be written: it is a folder"),
        "a folder below": (["a.py", "-o", "kept"], "kept/a.py cannot be written: it is a folder"),
        "below a file": (["a.py", "-o", "file/b.py"], "file is not a folder"),
        "below a file, many": (["many", "-o", "file/out"], "Not a directory"),
        "the original": (["a.py", "-o", "./a.py"], "a.py is the original"),
        "many in one": (["many", "-o", "out.py"], "out.py names one file, and there are 2 to write; name a folder"),
        "a script as a notebook": (["a.py", "-o", "out.ipynb"], "out.ipynb cannot hold a.py; use the ending .py"),
        "a notebook as a script": (["book.ipynb", "-o", "out.py"], "use the ending .ipynb, or name a folder"),
        "tests": (["a.py", "-o", "out", "--tests", "file"], "file is not a folder"),
    }


def test_migrate_checks_its_output_before_work(tmp_path: Path) -> None:
    cases = migrations(tmp_path)
    before = sorted(tmp_path.rglob("*"))
    for name, (arguments, message) in cases.items():
        done = tenfold("migrate", *arguments, "--verbose", cwd=tmp_path)
        assert done.code == 1 and message in done.err and "before any work is done" in done.err, (name, done)
        assert done.out == "" and sorted(tmp_path.rglob("*")) == before, name


def test_migrate_checks_the_default_output(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(SOURCE)
    (tmp_path / "migrated").write_text("")
    done = tenfold("migrate", "a.py", cwd=tmp_path)
    assert done.code == 1 and "migrated is not a folder" in done.err and "before any work is done" in done.err, done
    assert tenfold("migrate", "-q", "--diff", "a.py", cwd=tmp_path).code == 0  # writes nothing
    assert tenfold("migrate", "-q", "a.py", "-o", "new/deep/b.py", cwd=tmp_path).code == 0
    assert "torch_xla" in (tmp_path / "new" / "deep" / "b.py").read_text()


def test_migrate_into_a_folder_of_somebody_else(tmp_path: Path) -> None:
    """As a user who may not write there: root may everywhere."""
    folder = Path(tempfile.mkdtemp())  # one that everybody may enter
    (folder / "a.py").write_text(SOURCE)
    (folder / "out").mkdir(mode=0o755)
    folder.chmod(0o755)
    words = [tenfold.path, "migrate", "a.py", "-o", "out/b.py"]
    other = {"user": 65534, "group": 65534, "extra_groups": []} if os.geteuid() == 0 else {}
    (folder / "out").chmod(0o555)
    try:
        done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False, timeout=120, **other)
    except PermissionError:
        pytest.skip("the command lies where other users cannot reach it")
    finally:
        shutil.rmtree(folder)
    assert done.returncode == 1, done
    assert "out cannot be written: the folder out: Permission denied" in done.stderr, done
    assert "before any work is done" in done.stderr


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
    assert done.code == 2 and f"'{name}' cannot be the name of a C function" in done.err and why in done.err, done
    assert not list(tmp_path.iterdir())


def test_a_file_named_after_a_keyword(tmp_path: Path) -> None:
    done = tenfold("compile", MLP, "-o", "double.so", cwd=tmp_path)
    assert done.code == 1 and "the name of the file decides unless --name does" in done.err, done


def test_json_of_names_that_are_no_text(tmp_path):
    """Paths, layers and arguments are any bytes; JSON has U+FFFD for what is no UTF-8, and leaves nothing out."""
    folder = os.fsencode(tmp_path)
    program = folder + b"/m\xff.mlir"
    with open(program, "wb") as file:
        file.write(
            b"func.func @main(%x: tensor<1x4xf32>) -> tensor<1x4xf32> {\n"
            b"  %z = stablehlo.constant dense<0.0> : tensor<1x4xf32>\n"
            b'  %0 = stablehlo.maximum %x, %z : tensor<1x4xf32> loc("\\FFy")\n  return %0 : tensor<1x4xf32>\n}\n'
        )
    numpy.save(tmp_path / "x.npy", numpy.ones((2, 4), "f4"))

    def ask(*arguments):
        done = subprocess.run([tenfold.path, *arguments, "--json"], capture_output=True, timeout=60)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout.decode())

    assert ask("compile", program, "-o", folder + b"/a\xfe.ten")["output"].endswith("a\ufffd.ten")
    assert ask("analyze", program, "--no-measure")["program"].endswith("m\ufffd.mlir")
    with open(folder + b"/c\xff.mlir", "w") as file:
        file.write(
            "func.func @main() {\n  %a = stablehlo.constant dense<1.0> : tensor<2xf32>\n"
            "  check.expect_eq_const %a, dense<1.0> : tensor<2xf32>\n  func.return\n}\n"
        )
    assert [row["file"][-7:] for row in ask("check", folder + b"/c\xff.mlir")["cases"]] == ["c\ufffd.mlir"]
    made = ask("quantize", program, "--data", folder + b"/x.npy", "-o", folder + b"/q\xff.mlir", "--io", "int8")
    assert made["output"].endswith("q\ufffd.mlir") and [row["layer"] for row in made["layers"]] == ["\ufffdy"]
    source, report = folder + b"/s \xff.py", folder + b"/r.sarif"
    with open(source, "w") as file:
        file.write("import torch\nx = torch.ones(3).cuda()\n")
    subprocess.run([tenfold.path, "migrate", source, "--report", report, "-o", folder + b"/new.py"], check=True)
    with open(report, encoding="utf-8") as file:
        result = json.load(file)["runs"][0]["results"][0]
    assert result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"].endswith("s%20%FF.py")
