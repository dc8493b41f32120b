"""Text against upstream's own parser: jaxlib accepts what we print and reads the same program from it.

Programs come from $TENFOLD_STABLEHLO_TESTS (default ../shared/stablehlo) and from tests/ir/text. A sample of the former
goes through; TENFOLD_TEST_ALL=1 takes all.
"""

import os
import random
import re
import subprocess
from pathlib import Path

import pytest

ir = pytest.importorskip("jaxlib.mlir.ir")
from jax._src.interpreters import mlir as jax_mlir  # noqa: E402
from jaxlib.mlir.dialects import stablehlo  # noqa: E402

ROOT = Path(__file__).parents[2]
BUILD = Path(os.environ.get("TENFOLD", ROOT / "bin" / "tenfold")).resolve().parents[2]
ROUNDTRIP = BUILD / "tests" / "tools" / "roundtrip"
PROGRAMS = Path(os.environ.get("TENFOLD_STABLEHLO_TESTS", ROOT.parent / "shared" / "stablehlo"))
OWN = ROOT / "tests" / "ir" / "text" / "canonical"

TYPE = r"(?:tensor<(?:[^<>]|<(?:[^<>]|<[^<>]*>)*>)*>)"
DENSE = rf"(dense<[^<>]*>\s*:\s*({TYPE}))"
VALUE = r"(%[\w#]+)"
FLOAT = r"([-+.\deE]+)"
# jaxlib lacks the dialects `check` and `interpreter`: their ops are rewritten to the generic form first.
REWRITES = [
    (rf"check\.expect_eq_const {VALUE},\s*{DENSE}", r'"check.expect_eq_const"(\1) {value = \2} : (\3) -> ()'),
    (
        rf"check\.expect_almost_eq_const {VALUE},\s*{DENSE},\s*tolerance = {FLOAT}",
        r'"check.expect_almost_eq_const"(\1) {value = \2, tolerance = \4 : f64} : (\3) -> ()',
    ),
    (
        rf"check\.expect_almost_eq_const {VALUE},\s*{DENSE} {{tolerance = {FLOAT} : f64}}",
        r'"check.expect_almost_eq_const"(\1) {value = \2, tolerance = \4 : f64} : (\3) -> ()',
    ),
    (
        rf"check\.expect_almost_eq_const {VALUE},\s*{DENSE}",
        r'"check.expect_almost_eq_const"(\1) {value = \2} : (\3) -> ()',
    ),
    (
        rf"check\.expect_(almost_)?eq {VALUE}, {VALUE}\s*:\s*({TYPE})",
        r'"check.expect_\1eq"(\2, \3) : (\4, \4) -> ()',
    ),
    (
        rf"check\.expect_almost_eq {VALUE}, {VALUE},\s*tolerance = {FLOAT}\s*:\s*({TYPE})",
        r'"check.expect_almost_eq"(\1, \2) {tolerance = \3 : f64} : (\4, \4) -> ()',
    ),
    (
        rf"check\.expect_close {VALUE}, {VALUE}, max_ulp_difference = (\d+), min_ulp_difference = (\d+)"
        rf"\s*:\s*({TYPE}), ({TYPE})",
        r'"check.expect_close"(\1, \2) {max_ulp_difference = \3 : ui64, min_ulp_difference = \4 : ui64}'
        r" : (\5, \6) -> ()",
    ),
    (
        rf"check\.expect_close {VALUE}, {VALUE}, max_ulp_difference = (\d+)\s*:\s*({TYPE}), ({TYPE})",
        r'"check.expect_close"(\1, \2) {max_ulp_difference = \3 : ui64} : (\4, \5) -> ()',
    ),
    (
        rf'check\.expect_serialized_eq {VALUE}, probe_id = ("[^"]+"), iter = (\d+)\s*:\s*({TYPE})',
        r'"check.expect_serialized_eq"(\1) {probe_id = \2, iteration = \3 : ui32} : (\4) -> ()',
    ),
    (
        rf'check\.expect_serialized_eq {VALUE}, probe_id = ("[^"]+")\s*:\s*({TYPE})',
        r'"check.expect_serialized_eq"(\1) {probe_id = \2} : (\3) -> ()',
    ),
    (rf"interpreter\.print {VALUE}\s*:\s*({TYPE})", r'"interpreter.print"(\1) : (\2) -> ()'),
    (
        rf'interpreter\.probe {VALUE}, probe_id = ("[^"]+")\s*:\s*({TYPE})',
        r'"interpreter.probe"(\1) {probe_id = \2} : (\3) -> \3',
    ),
]


def programs() -> list[Path]:
    folders = [PROGRAMS / name for name in ("testdata", "interpret", "math")]
    every = sorted(path for folder in folders if folder.is_dir() for path in folder.rglob("*.mlir"))
    if os.environ.get("TENFOLD_TEST_ALL"):
        return every
    return sorted(random.Random(7).sample(every, min(80, len(every))))


def own() -> list[Path]:
    """All but the dialect that jaxlib does not know."""
    return sorted(path for path in OWN.glob("*.mlir") if path.stem != "check")


def parts_of(text: str) -> list[str]:
    """The programs of a file that has several."""
    parts = re.split(r"(?m)^// -----.*$", text)
    return [part for part in parts if re.sub(r"(?m)//.*$", "", part).strip()]


def plain(text: str) -> str:
    """With the ops that jaxlib does not know in the generic form."""
    for pattern, replacement in REWRITES:
        text = re.sub(pattern, replacement, text)
    return text


def printed(path: Path, *options: str) -> str:
    """What we print, after our own check that it reads back equal."""
    done = subprocess.run([ROUNDTRIP, *options, path], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout[-4000:]
    return done.stdout


@pytest.fixture(scope="module")
def context():
    context = jax_mlir.make_ir_context()
    context.allow_unregistered_dialects = True
    with context:  # loads the dialect of quantized types, which nothing else does
        module = ir.Module.parse("func.func private @f()")
        artifact = stablehlo.serialize_portable_artifact_str(str(module), "1.0.0")
        stablehlo.deserialize_portable_artifact(context, artifact)
    return context


def generic(context, text: str) -> str:
    with context:
        text = ir.Module.parse(text).operation.get_asm(print_generic_op_form=True)
    # Of an op that jaxlib does not know, `<{…}>` and `{…}` are the same to us.
    return re.sub(r'(?m)^(.*"(?:check|interpreter)\.\w+"\(.*\)) <(\{.*\})>', r"\1 \2", text)


# Programs of StableHLO releases that this jaxlib does not know yet.
NEWER = {"collective_broadcast", "collective_reduce"}


@pytest.mark.skipif(not PROGRAMS.is_dir(), reason=f"no StableHLO programs at {PROGRAMS}")
@pytest.mark.parametrize("path", programs(), ids=lambda path: path.stem[:80])
def test_upstream_reads_the_same_program(context, path):
    theirs, ours = parts_of(path.read_text()), parts_of(printed(path, "--print", "--testing"))
    assert len(theirs) == len(ours)
    for original, again in zip(theirs, ours, strict=True):
        try:
            want = generic(context, plain(original))
        except ir.MLIRError as error:
            if path.stem not in NEWER:
                raise
            pytest.skip(f"jaxlib refuses the original: {error}")
        assert want == generic(context, again)


@pytest.mark.parametrize("path", own(), ids=lambda path: path.stem)
def test_upstream_reads_every_form(context, path):
    for option in ("--testing", "--generic"):
        want, got = generic(context, path.read_text()), generic(context, printed(path, "--print", option))
        assert re.sub(r"blob_\d+", "blob", want) == re.sub(r"blob_\d+", "blob", got)


def test_upstream_accepts_check_in_the_generic_form(context):
    assert '"check.expect_close"' in generic(context, printed(OWN / "check.mlir", "--print", "--testing"))


@pytest.mark.parametrize("name", ["chlo", "contraction", "control", "dense", "elementwise", "reduce", "sdy"])
def test_upstream_prints_the_same_text(context, name):
    text = (OWN / f"{name}.mlir").read_text()
    with context:
        again = str(ir.Module.parse(text))
    assert re.sub(r"blob_\d+", "blob", again).strip() == text.strip()


def test_locations_survive(context):
    path = OWN / "locations.mlir"
    with context:
        want = ir.Module.parse(path.read_text()).operation.get_asm(enable_debug_info=True)
        got = ir.Module.parse(printed(path, "--print", "--loc")).operation.get_asm(enable_debug_info=True)
    assert want == got


FLOATS = {"bf16": 16, "f16": 16, "f32": 32, "f64": 64, "f8E4M3FN": 8, "f8E5M2": 8, "f8E3M4": 8, "f8E8M0FNU": 8}


def test_floats_print_as_upstream_prints_them(context, tmp_path):
    """Digits, rounding, and where hex begins: random bits of every format, and decimals of every length."""
    rng = random.Random(3)
    constants = []
    for name, bits in {**FLOATS, "f6E2M3FN": 6, "f4E2M1FN": 4}.items():
        for _ in range(4):
            constants.append((name, [f"0x{rng.getrandbits(bits):X}" for _ in range(90)]))
    for name in ("f32", "f64") * 4:
        scales = [rng.choice([1, 10, 1e3, 1e-3, 1e-7, 1e9]) for _ in range(90)]
        constants.append((name, [f"{scale * round(rng.random(), rng.randint(1, 9)):f}" for scale in scales]))
    lines = [
        f"  %{i} = stablehlo.constant dense<[{', '.join(values)}]> : tensor<90x{name}>"
        for i, (name, values) in enumerate(constants)
    ]
    path = tmp_path / "floats.mlir"
    path.write_text("module {\n" + "\n".join(lines) + "\n}\n")
    with context:
        want = str(ir.Module.parse(path.read_text()))
    for mine, theirs in zip(printed(path, "--print").strip().splitlines(), want.strip().splitlines(), strict=True):
        assert mine == theirs
