"""Files that broke Tenfold once (../shared/findings), through the command. Those that another test reads are not here:
02 and 03 are in test_train_inputs.py, 04 in test_bad_archives.py, 06 in test_hlo.c, 10 in test_ten_files.py; 01, 08 and
09 are scripts, whose equivalents are in test_cache_key.py, test_fork.c and test_cache.py."""

from pathlib import Path

import pytest
from conftest import ROOT, tenfold

FINDINGS = ROOT.parent / "shared" / "findings"
pytestmark = pytest.mark.skipif(not FINDINGS.is_dir(), reason="../shared/findings is not there")


@pytest.mark.parametrize("name", ["bad.mlir", "bad2.mlir", "leak.mlir", "write.mlir", "heap-corruption.pt2"])
def test_programs_that_read_or_wrote_out_of_bounds(name: str, tmp_path: Path) -> None:
    program = FINDINGS / "05-python-load-unverified" / name
    out = tmp_path / "out.ten"
    for arguments in (["run", program, "--random"], ["compile", program, "-o", out], ["analyze", program]):
        done = tenfold(*arguments)
        assert done.code == 1 and done.err.startswith("tenfold: "), done
    assert not out.exists()


@pytest.mark.parametrize("name", ["conv_no_channels.mlir", "cumsum.mlir"])
def test_empty_shapes(name: str) -> None:
    results = [
        tenfold("run", FINDINGS / "12-empty-shapes" / name, "--random", "--device", device)
        for device in ("cpu", "interp")
    ]
    assert results[0].code == 0 and results[0].out == results[1].out, results


def test_sources_and_rules_that_took_quadratic_time(tmp_path: Path) -> None:
    """They end at all: the command would be killed after two minutes."""
    folder = FINDINGS / "11-migrate"
    done = tenfold("migrate", folder / "chain.py", "-o", tmp_path / "chain.py")
    assert done.code == 1 and "chain.py: line 2: expressions and blocks are nested deeper" in done.err, done
    (tmp_path / "plain.py").write_text("import torch\n")
    done = tenfold("migrate", tmp_path / "plain.py", "--rules", folder / "deep2.yaml", "-o", tmp_path / "out.py")
    assert done.code == 1 and "deep2.yaml:1: lists and mappings are nested deeper than 4" in done.err, done
