"""PyTorch programs made at random, through every door as by eager. `random_torch.py --seeds 0:1000` tries more."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")
import random_torch  # noqa: E402


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("door", ["compile", "lazy", "archive", "decomposed"])
def test_as_by_eager(door):
    seeds = range(8 if door != "lazy" else 40)
    found = {seed: random_torch.differences(seed, [door]) for seed in seeds}
    assert {seed: lines for seed, lines in found.items() if lines} == {}
