"""What tracing costs on the lazy device: a training step of BERT-base, N=1, less the time its program runs.

    python bench/lazy_overhead.py [--steps 6] [--optimizer adamw|sgd] [--profile]
    python bench/lazy_overhead.py --chain

Prints the medians of the steps after the third, by which everything is compiled, and how many compilations there were.
With --chain: what recording an op costs, in a chain of 100 additions of small tensors.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))


def chain(length: int = 100, times: int = 60) -> None:
    """The processor time of recording an op, at best: as a program that was run before, and as a new one."""
    import tenfold  # noqa: F401 (the device)
    import torch

    def record(size: int) -> float:
        x, y = (torch.ones(size, device="tenfold") for _ in range(2))
        x.cpu(), y.cpu()  # memory of their own
        start = time.thread_time()
        z = x
        for _ in range(length):
            z = z + y
        seconds = time.thread_time() - start
        del z  # nothing is wanted of it: the graph is compiled to nothing
        torch.tenfold.synchronize()
        return seconds / length * 1e6

    known = min([record(4) for _ in range(times)][2:])
    new = min(record(5 + i) for i in range(times // 2))
    print(f"recording an op: {known:.2f} us where the graph follows a program, {new:.2f} us where it does not")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=6)
    parser.add_argument("--length", type=int, default=128)
    parser.add_argument("--optimizer", choices=["adamw", "sgd"], default="adamw")
    parser.add_argument("--profile", action="store_true", help="where the time of tracing goes")
    parser.add_argument("--chain", action="store_true", help="what recording an op costs")
    arguments = parser.parse_args()
    if arguments.chain:
        return chain()
    import models
    import tenfold
    import torch
    from tenfold.torch.lazy import pending

    torch.manual_seed(0)
    model = models.BertBase().to("tenfold")
    make = torch.optim.AdamW if arguments.optimizer == "adamw" else torch.optim.SGD
    optimizer = make(model.parameters(), lr=1e-4)
    tokens = torch.randint(models.VOCABULARY, (1, arguments.length), device="tenfold")

    def ran() -> float:
        return sum(r.run_seconds for r in pending.stats.records)

    def step() -> tuple[float, float]:
        start, before = time.perf_counter(), ran()
        loss = model(tokens).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        loss.item()
        return time.perf_counter() - start, ran() - before

    profiler = None
    if arguments.profile:
        import cProfile

        profiler = cProfile.Profile()
    whole, traced = [], []
    for number in range(arguments.steps):
        if profiler and number == 3:
            profiler.enable()
        seconds, inside = step()
        print(f"step {number + 1}: {seconds * 1e3:8.1f} ms, its program {inside * 1e3:8.1f} ms", flush=True)
        if number >= 3:
            whole.append(seconds)
            traced.append(seconds - inside)
    if profiler:
        import pstats

        profiler.disable()
        pstats.Stats(profiler).sort_stats("tottime").print_stats(25)
    share = statistics.median(traced) / statistics.median(whole)
    print(f"tracing: {statistics.median(traced) * 1e3:.1f} ms of {statistics.median(whole) * 1e3:.1f} ms, {share:.1%}")
    print(f"compilations: {tenfold.stats()['compilations']}")


if __name__ == "__main__":
    main()
