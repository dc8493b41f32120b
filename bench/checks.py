"""What run-time checks cost: programs with an index or a divisor, with checks and without, interleaved on one thread.

    python bench/checks.py [--repeats 200] [--only gather]

Prints the CPU time of a call without checks, and what checks add to it: to the median, to the fastest call, and by the
median of the differences of neighbouring calls, which a machine that is busy for a while shifts the least.
"""

from __future__ import annotations

import argparse
import os
import statistics
import time
from collections.abc import Callable
from typing import Any

os.environ.setdefault("TENFOLD_THREADS", "1")

import torch

MILLION = 1 << 20


def cases() -> dict[str, tuple[Callable[..., Any], list[torch.Tensor]]]:
    torch.manual_seed(0)
    index = torch.randint(0, MILLION, (MILLION,))
    near = torch.arange(MILLION)
    integers, divisors = torch.randint(-1000, 1000, (MILLION,)), torch.randint(1, 1000, (MILLION,))
    line, square = torch.randn(MILLION), torch.randn(1024, 512)
    return {
        "gather 1-D, random": (lambda x, i: x[i], [line, index]),
        "gather 1-D, in order": (lambda x, i: x[i], [line, near]),
        "gather 1-D, small": (lambda x, i: x[i] * 2, [line[:4096].clone(), index[:16384] % 4096]),
        "take along rows": (lambda x, i: x.gather(1, i), [square, torch.randint(0, 512, (1024, 512))]),
        "take along columns": (lambda x, i: x.gather(0, i), [square, torch.randint(0, 1024, (1024, 512))]),
        "x[i, j]": (lambda x, i, j: x[i, j], [square, index[: 1 << 19] % 1024, index[1 << 19 :] % 512]),
        "// int64": (lambda x, y: x // y, [integers, divisors]),
        "// int32": (lambda x, y: x // y, [integers.int(), divisors.int()]),
        "% int64": (lambda x, y: x % y, [integers, divisors]),
        "embedding": (torch.nn.functional.embedding, [torch.randint(0, 1024, (4096,)), square]),
        "scatter_add 1-D": (lambda x, i, y: x.scatter_add(0, i, y), [line, index, line]),
        "cross_entropy": (torch.nn.functional.cross_entropy, [square, torch.randint(0, 512, (1024,))]),
    }


def compiled(function: Callable[..., Any], checks: bool) -> Callable[..., Any]:
    torch._dynamo.reset()
    return torch.compile(function, backend="tenfold", options={"checks": checks})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=200)
    parser.add_argument("--only", default="", help="rows whose name has this in it")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    print(f"{'program':24s} {'without':>10s} {'median':>8s} {'fastest':>8s} {'paired':>8s}")
    for name, (function, inputs) in cases().items():
        if arguments.only not in name:
            continue
        runs = [compiled(function, checks) for checks in (False, True)]
        times: list[list[float]] = [[], []]
        for repeat in range(arguments.repeats + 5):
            for which in (0, 1) if repeat % 2 else (1, 0):
                start = time.process_time()
                runs[which](*inputs)
                if repeat >= 5:
                    times[which].append(time.process_time() - start)
        middle, least = ([statistics.median(t) for t in times], [min(t) for t in times])
        paired = statistics.median(have - without for without, have in zip(*times, strict=True))
        added = [pair[1] / pair[0] - 1 for pair in (middle, least)] + [paired / middle[0]]
        columns = " ".join(f"{f'{100 * part:+.1f}%':>8s}" for part in added)
        print(f"{name:24s} {middle[0] * 1e6:7.0f} us {columns}", flush=True)


if __name__ == "__main__":
    main()
