"""Programs made at random run compiled as they run interpreted. `random_programs.py --seeds 0:10000` tries more."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")
import random_programs  # noqa: E402
import random_programs_more  # noqa: E402


@pytest.mark.parametrize("first", range(0, 200, 20))
def test_compiled_as_interpreted(first):
    found = {seed: random_programs.differences(seed) for seed in range(first, first + 20)}
    assert {seed: lines for seed, lines in found.items() if lines} == {}


@pytest.mark.parametrize("first", range(0, 100, 20))
def test_more_kinds_of_ops(first):
    kind = random_programs_more.MoreMaker
    found = {seed: random_programs.differences(seed, kind=kind) for seed in range(first, first + 20)}
    assert {seed: lines for seed, lines in found.items() if lines} == {}


def test_a_difference_is_seen():
    text, inputs, results = random_programs.make(1)
    want = random_programs.run(text, inputs, "interp", 3)
    assert results and not any(random_programs.compare(v, a, a) for v, a in zip(results, want, strict=True))
    for v, a in zip(results, want, strict=True):
        if a.numel():
            other = ~a if a.dtype == torch.bool else a + 1
            assert random_programs.compare(v, a, other)
