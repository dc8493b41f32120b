"""Bytecode against upstream's own: jaxlib reads what we write, and we read what jaxlib and the StableHLO project wrote.

Programs come from $TENFOLD_STABLEHLO_TESTS (default ../shared/stablehlo). A sample of them goes through;
TENFOLD_TEST_ALL=1 takes all.
"""

import io
import os
import random
import subprocess
from pathlib import Path

import pytest

ir = pytest.importorskip("jaxlib.mlir.ir")
from jax._src.interpreters import mlir as jax_mlir  # noqa: E402
from jaxlib.mlir.dialects import stablehlo  # noqa: E402

BUILD = Path(os.environ.get("TENFOLD", Path(__file__).parents[2] / "bin" / "tenfold")).resolve().parents[2]
ARTIFACT = BUILD / "tests" / "tools" / "artifact"
PROGRAMS = Path(os.environ.get("TENFOLD_STABLEHLO_TESTS", Path(__file__).parents[3] / "shared" / "stablehlo"))
OTHER_DIALECTS = Path(__file__).parents[1] / "ir" / "bytecode" / "other_dialects.mlir"
NEWEST = stablehlo.get_current_version()  # that this jaxlib knows

pytestmark = pytest.mark.skipif(not PROGRAMS.is_dir(), reason=f"no StableHLO programs at {PROGRAMS}")


def number(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))


def artifact(*arguments: object) -> str:
    """Runs the tool; what it prints when the answer is no, nothing when it is yes."""
    done = subprocess.run([ARTIFACT, *map(str, arguments)], capture_output=True, text=True, timeout=120)
    assert done.returncode in (0, 1), done.stderr
    return done.stdout if done.returncode else ""


def printed(path: Path) -> str:
    return subprocess.run([ARTIFACT, "print", path], capture_output=True, text=True, check=True, timeout=120).stdout


@pytest.fixture(scope="module")
def context():
    context = jax_mlir.make_ir_context()
    context.allow_unregistered_dialects = True
    return context


def upstream_text(context, data: bytes) -> str:
    return str(stablehlo.deserialize_portable_artifact(context, data))


def parts_of(path: Path) -> list[str]:
    """The programs of a file that has several."""
    parts = path.read_text().split("// -----\n")
    return [p for p in parts if any(line.strip() and not line.strip().startswith("//") for line in p.splitlines())]


def newer_than_jaxlib(context, text: str) -> bool:
    try:
        with context:
            ir.Module.parse(text)
    except ir.MLIRError:
        return True
    return False


def artifacts() -> list[Path]:
    return sorted((PROGRAMS / "vhlo").glob("stablehlo_legalize_to_vhlo*.bc"), key=lambda p: number(release_of(p)))


def release_of(path: Path) -> str:
    return path.name.split(".")[1].replace("_", ".")


def programs() -> list[Path]:
    every = [
        path for folder in ("testdata", "interpret", "math") for path in sorted((PROGRAMS / folder).glob("*.mlir"))
    ]
    return every if os.environ.get("TENFOLD_TEST_ALL") else sorted(random.Random(20).sample(every, min(60, len(every))))


@pytest.mark.parametrize("path", artifacts(), ids=release_of)
def test_an_artifact_reads_as_its_text(path):
    assert artifact("through", "1.20.0", path.with_suffix(""), path) == ""


@pytest.mark.parametrize("path", artifacts(), ids=release_of)
def test_an_artifact_reads_as_upstream_reads_it(path, context, tmp_path):
    if number(release_of(path)) > number(NEWEST):
        pytest.skip(f"jaxlib knows StableHLO up to {NEWEST}")
    text = tmp_path / "upstream.mlir"
    text.write_text(upstream_text(context, path.read_bytes()))
    assert artifact("through", "1.20.0", text, path) == ""


@pytest.mark.parametrize("target", ["0.9.0", "1.0.0", NEWEST])
@pytest.mark.parametrize("path", artifacts(), ids=release_of)
def test_upstream_reads_what_is_written(path, target, context, tmp_path):
    if number(release_of(path)) > number(NEWEST):
        pytest.skip(f"jaxlib knows StableHLO up to {NEWEST}")
    written = tmp_path / "ours.bc"
    refusal = artifact("write", target, path, written)
    if refusal:  # only a program of a later release may be too new, and the message says which release it takes
        assert number(release_of(path)) > number(target) and f"; the target is {target}" in refusal
        return
    assert upstream_text(context, written.read_bytes()) == upstream_text(context, path.read_bytes())


def test_an_op_from_the_future_is_refused():
    path = PROGRAMS / "vhlo" / "invalid_vhlo_future.mlir.bc"
    assert "vhlo.constant_v99 is not known (it was made by StableHLO_v2.0.0;" in artifact("equal", path, path)


@pytest.mark.parametrize("path", programs(), ids=lambda path: path.stem)
def test_programs_go_both_ways(path, context, tmp_path):
    source, ours, theirs = tmp_path / "part.mlir", tmp_path / "ours.bc", tmp_path / "theirs.bc"
    for part in parts_of(path):
        source.write_text(part)
        text = printed(source)
        if newer_than_jaxlib(context, text):
            continue
        assert artifact("write", NEWEST, source, ours) == ""
        got = upstream_text(context, ours.read_bytes())
        try:
            data = stablehlo.serialize_portable_artifact_str(text, NEWEST)
        except ValueError:  # check ops and others: upstream's Python writes StableHLO alone
            again = tmp_path / "again.mlir"
            again.write_text(got)
            assert artifact("through", NEWEST, source, ours) == artifact("through", NEWEST, again, ours) == ""
            continue
        assert got == upstream_text(context, data)
        theirs.write_bytes(data)
        assert artifact("through", NEWEST, source, theirs) == ""


@pytest.mark.parametrize("version", range(7))
def test_bytecode_of_other_dialects(version, context, tmp_path):
    """StableHLO, CHLO, sdy and func as they are, in every version of the container."""
    source, written = tmp_path / "part.mlir", tmp_path / "native.bc"
    parts = [part for path in programs()[::6] for part in parts_of(path)]
    for text in [OTHER_DIALECTS.read_text(), *parts]:
        source.write_text(text)
        if text in parts and newer_than_jaxlib(context, printed(source)):
            continue
        with context:
            module = ir.Module.parse(printed(source))
        data = io.BytesIO()
        module.operation.write_bytecode(data, desired_version=version)
        written.write_bytes(data.getvalue())
        assert artifact("equal", source, written) == ""


LOCATIONS = """
#a = loc("f.py":1:2 to :5)
#b = loc("f.py":1:2 to 3:4)
module {
  func.func @f(%arg0: tensor<f32> loc("x"), %arg1: tensor<f32> loc(#a)) -> tensor<f32> {
    %0 = stablehlo.add %arg0, %arg1 : tensor<f32> loc(#b)
    %1 = stablehlo.add %0, %arg1 : tensor<f32> loc(fused<"m">["q"("r.py":3:4), callsite(#a at unknown)])
    return %1 : tensor<f32> loc(unknown)
  } loc("g.py":7:1)
}
"""


def test_locations_come_back(context, tmp_path):
    theirs, ours = tmp_path / "theirs.bc", tmp_path / "ours.bc"
    theirs.write_bytes(stablehlo.serialize_portable_artifact_str(LOCATIONS, NEWEST))
    assert artifact("write", NEWEST, theirs, ours) == ""
    texts = [
        stablehlo.deserialize_portable_artifact(context, path.read_bytes()).operation.get_asm(enable_debug_info=True)
        for path in (theirs, ours)
    ]
    assert texts[0] == texts[1] and "f.py" in texts[0]
