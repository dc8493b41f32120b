"""Which CPUs a benchmark runs on: as many physical cores as there are threads, the same for every library.

Two threads of one core share its arithmetic, and on a shared machine other people's work sits on some cores: of each
core one CPU is tried with a short piece of work, a few times, interleaved; those whose slowest time is best are taken.
"""

from __future__ import annotations

import os
import time
from pathlib import Path

ROUNDS, LOOPS = 4, 60_000


def core_of(cpu: int) -> str:
    """Names the physical core; a CPU that the system tells nothing about is one."""
    at = Path(f"/sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list")
    return at.read_text().strip() if at.exists() else str(cpu)


def seconds_on(cpu: int) -> float:
    os.sched_setaffinity(0, {cpu})
    start, total = time.perf_counter(), 0.0
    for i in range(LOOPS):
        total += i * 0.5
    return time.perf_counter() - start


def pick(count: int) -> list[int]:
    """`count` of the CPUs this process may use, or all of them where there are no more; leaves it on those."""
    allowed = sorted(os.sched_getaffinity(0))
    firsts = list({core_of(cpu): cpu for cpu in reversed(allowed)}.values())
    chosen = allowed
    if len(allowed) > count:
        worst = dict.fromkeys(firsts, 0.0)
        for _ in range(ROUNDS):
            for cpu in firsts:
                worst[cpu] = max(worst[cpu], seconds_on(cpu))
        others = [cpu for cpu in allowed if cpu not in worst]  # only where there are fewer cores than threads
        chosen = sorted((sorted(firsts, key=worst.__getitem__) + others)[:count])
    os.sched_setaffinity(0, chosen)
    return chosen
