"""Arrays without jit against NumPy, PyTorch's eager mode and JAX op by op: what one operation costs, and rows of work.

    python bench/arrays.py [--seconds 0.3]

Times are wall clock, the best of repetitions for so long, on as many threads as each library takes by itself; the
values of the first repetition are compared. `record` is an operation whose result nobody needs:
what Python pays for each one.
"""

from __future__ import annotations

import argparse
import time

import numpy


def best(function, seconds):
    function()
    least, end = float("inf"), time.perf_counter() + seconds
    while time.perf_counter() < end:
        start = time.perf_counter()
        function()
        least = min(least, time.perf_counter() - start)
    return least


def libraries():
    import tenfold as tn

    found = {"tenfold": (tn, tn.asarray, lambda x: x._tensor())}
    found["numpy"] = (numpy, lambda x: x, lambda x: x)
    try:
        import torch

        found["torch"] = (torch, torch.from_numpy, lambda x: x)
    except ImportError:
        pass
    try:
        import jax

        jax.config.update("jax_platforms", "cpu")
        found["jax"] = (jax.numpy, jax.numpy.asarray, lambda x: x.block_until_ready())
    except ImportError:
        pass
    return found


def chain(xp, x):
    y = x
    for _ in range(4):
        y = xp.tanh(y * 1.5 + 0.25) * x - 0.125
    return y


def softmax(xp, x):
    y = xp.exp(x - xp.mean(x))
    return y / xp.sum(y)


def norm(xp, x):
    apart = x - xp.mean(x)
    return apart / xp.sqrt(xp.mean(apart * apart) + 1e-5)


def matmul(xp, x):
    return x @ x


ROWS = [
    *((f"chain of 16 operations, {n} elements", chain, (n,)) for n in (1000, 100_000, 4_000_000)),
    ("softmax, 1000000 elements", softmax, (1_000_000,)),
    ("normalisation, 1000000 elements", norm, (1_000_000,)),
    *((f"matmul {n}", matmul, (n, n)) for n in (64, 256, 1024, 2048)),
]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=0.3)
    seconds = parser.parse_args().seconds
    found = libraries()
    rng = numpy.random.default_rng(0)
    print(f"{'':40}" + "".join(f"{name:>12}" for name in found) + "   best/tenfold")
    values = {name: make(numpy.ones(1000, numpy.float32)) for name, (_, make, _) in found.items()}
    times = [best(lambda v=value: v + v, seconds) for value in values.values()]
    print(f"{'record: x + x of 1000 (µs)':40}" + "".join(f"{t * 1e6:12.2f}" for t in times))
    for title, function, shape in ROWS:
        x = rng.standard_normal(shape).astype(numpy.float32)
        times, wanted = {}, function(numpy, x)
        for name, (xp, make, done) in found.items():
            value = make(x)
            numpy.testing.assert_allclose(numpy.asarray(done(function(xp, value))), wanted, rtol=1e-2, atol=1e-2)
            times[name] = best(lambda xp=xp, value=value, done=done, f=function: done(f(xp, value)), seconds)
        others = min(t for name, t in times.items() if name != "tenfold")
        row = "".join(f"{t * 1e6:12.1f}" for t in times.values())
        print(f"{title + ' (µs)':40}{row}{others / times['tenfold']:11.2f}x")


if __name__ == "__main__":
    main()
