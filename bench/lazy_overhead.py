"""What tracing costs on the lazy device: a training step of BERT-base, N=1, less the time its program runs.

    python bench/lazy_overhead.py [--steps 6] [--optimizer adamw|sgd] [--profile]

Prints the medians of the steps after the third, by which everything is compiled, and how many compilations there were.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=6)
    parser.add_argument("--length", type=int, default=128)
    parser.add_argument("--optimizer", choices=["adamw", "sgd"], default="adamw")
    parser.add_argument("--profile", action="store_true", help="where the time of tracing goes")
    arguments = parser.parse_args()
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
