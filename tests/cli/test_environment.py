"""One table of environment variables: what is read is in it, wrong values are refused, `doctor` lists what is set. And
one table of exit codes."""

import importlib.util
import json
import os
import re
from pathlib import Path

import pytest
from conftest import ROOT, tenfold

MLP = ROOT / "examples" / "mlp.mlir"


def listed() -> dict[str, str]:
    rows = re.findall(r"^((?:TENFOLD|TPU)\w*)  (.+)$", tenfold("help", "environment").out, re.MULTILINE)
    return dict(rows)


def sources() -> list[Path]:
    files = [*(ROOT / "src").rglob("*"), *(ROOT / "tools").rglob("*"), *(ROOT / "python").rglob("*")]
    return [file for file in files if file.suffix in (".c", ".h", ".py", ".def")]


def test_all_that_is_read_is_in_the_table() -> None:
    reads = re.compile(r"""(?:getenv|environ(?:\.get|\.setdefault)?)\s*[(\[]\s*["'](TENFOLD\w*)["']""")
    found = {name for file in sources() for name in reads.findall(file.read_text(errors="replace"))}
    assert found, "the pattern finds nothing: it cannot be right"
    assert found <= set(listed())


def test_all_of_the_table_is_read() -> None:
    table = (ROOT / "src" / "base" / "environment.def").read_text()
    rows = re.findall(r'^ENV\((\w+), "(\w+)"', table, re.MULTILINE)
    assert {name for _, name in rows} == set(listed())
    texts = [file.read_text(errors="replace") for file in sources() if file.suffix != ".def"]
    for row, name in rows:
        pattern = re.compile(rf"""TEN_ENV_{row}\b|["']{name}["']""")
        assert any(pattern.search(text) for text in texts), f"nobody reads {name}"


@pytest.mark.parametrize(
    ("name", "value", "takes"),
    [
        ("TENFOLD_THREADS", "0", "1 to 4096"),
        ("TENFOLD_THREADS", "two", "1 to 4096"),
        ("TENFOLD_THREADS", "2x", "1 to 4096"),
        ("TENFOLD_CACHE", "no", "on or off"),
        ("TENFOLD_CACHE_MB", "-5", "1 or more"),
        ("TENFOLD_CPU", "z80", "native, generic, avx2"),
        ("TENFOLD_PRECISION", "f16", "f32 or bf16"),
        ("TENFOLD_CHECKS", "maybe", "on or off"),
        ("TENFOLD_WINOGRAD", "2", "on or off"),
    ],
)
def test_a_wrong_value_is_refused(name: str, value: str, takes: str) -> None:
    done = tenfold("run", MLP, "--random", env=os.environ | {name: value})
    assert done.code == 2, done
    assert f"the environment variable {name} is '{value}'; it takes {takes}" in done.err


def test_right_values_are_taken() -> None:
    right = {
        "TENFOLD_THREADS": "2",
        "TENFOLD_CACHE": "0",
        "TENFOLD_WINOGRAD": "off",
        "TENFOLD_CPU": "native",
        "TENFOLD_LOG": "",
    }
    assert tenfold("run", MLP, "--random", env=os.environ | right).code == 0


def test_doctor_lists_what_is_set(tmp_path: Path) -> None:
    own = {
        "TENFOLD_THREADS": "many",
        "TENFOLD_CACHE": "off",
        "TENFOLD_TRHEADS": "2",
        "TENFOLD_PJRT_LIBRARY": str(tmp_path / "missing.so"),
    }
    done = tenfold("doctor", "--json", env=os.environ | own)
    assert done.code == 0
    rows = {row["name"]: row for row in json.loads(done.out)["environment"]}
    assert rows["TENFOLD_CACHE"] == {"name": "TENFOLD_CACHE", "value": "off", "valid": True, "wrong": ""}
    assert not rows["TENFOLD_THREADS"]["valid"] and "it takes 1 to 4096" in rows["TENFOLD_THREADS"]["wrong"]
    assert not rows["TENFOLD_TRHEADS"]["valid"] and "not a variable that is read" in rows["TENFOLD_TRHEADS"]["wrong"]
    assert "No such file" in rows["TENFOLD_PJRT_LIBRARY"]["wrong"]
    text = tenfold("doctor", env=os.environ | own).out
    assert "\nenvironment\n" in text and "  TENFOLD_CACHE=off\n" in text and "TENFOLD_THREADS=many  wrong: " in text


WRONG = "func.func @main(%x: tensor<2xf32>) -> tensor<3xf32> { return %x : tensor<2xf32> }"


@pytest.mark.parametrize(
    ("code", "arguments"),
    [
        (0, ["run", MLP, "--random"]),
        (0, ["help"]),
        (0, ["run", "--help"]),
        (1, ["run", "wrong.mlir", "--random"]),
        (1, ["show", "wrong.mlir"]),
        (1, ["check", "wrong.mlir"]),
        (1, ["compile", "wrong.mlir", "-o", "x.ten"]),
        (1, ["convert", "wrong.mlir", "-o", "x.mlirbc"]),
        (1, ["opt", "--pass=dce", "wrong.mlir"]),
        (1, ["analyze", "wrong.mlir"]),
        *((2, [command, "missing.mlir"]) for command in ("run", "show", "check", "analyze")),
        (2, ["compile", "missing.mlir", "-o", "x.ten"]),
        (2, ["convert", "missing.mlir", "-o", "x.mlirbc"]),
        (2, ["opt", "--pass=dce", "missing.mlir"]),
        (1, ["quantize", "wrong.mlir", "--data", ".", "-o", "x.mlir"]),
        (2, ["quantize", ROOT / "examples/edge/net.mlir", "--data", "missing", "-o", "x.mlir"]),
        (2, ["train", "missing.pt2", "--data", "missing"]),
        (2, ["run", MLP, "--random", "--device", "abacus"]),
        (2, ["nothing"]),
        (2, []),
        *(
            (2, [command, "--no-such-option"])
            for command in (
                "run", "compile", "check", "show", "analyze", "profile", "report", "train", "opt", "convert",
                "quantize", "serve", "migrate", "devices", "cache", "doctor", "version", "help",
            )
        ),
    ],
)  # fmt: skip
def test_exit_codes(code: int, arguments: list, tmp_path: Path) -> None:
    (tmp_path / "wrong.mlir").write_text(WRONG)
    done = tenfold(*arguments, cwd=tmp_path)
    assert done.code == code, done


def test_exit_codes_are_documented() -> None:
    text = tenfold("help").out
    rows = re.findall(r"^  (\d)  (.+)$", text[text.index("exit status:") :], re.MULTILINE)
    assert [code for code, _ in rows] == ["0", "1", "2"]
    page = (ROOT / "docs" / "commands.md").read_text()
    manual = tenfold("help", "--man").out
    for code, meaning in rows:
        assert f"| {code} | {meaning} |" in page
        assert f".B {code}\n" in manual


def test_a_named_plugin_that_is_missing_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = ROOT / "python" / "jax" / "jax_plugins" / "tenfold" / "__init__.py"
    spec = importlib.util.spec_from_file_location("tenfold_jax_plugin", path)
    plugin = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(plugin)
    monkeypatch.setenv("TENFOLD_PJRT_LIBRARY", str(tmp_path / "missing.so"))
    with pytest.raises(FileNotFoundError, match=r"TENFOLD_PJRT_LIBRARY is '.*missing\.so', which is not a file"):
        plugin.library_path()
    (tmp_path / "missing.so").write_text("")
    assert plugin.library_path() == tmp_path / "missing.so"
