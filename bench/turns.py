"""Rows by short turns that move over the CPUs: for a large machine whose host has other guests.

    python bench/turns.py --model resnet50 bert --batch 1 10 --precision f32 bf16 --rounds 12

A busy hyper-thread sibling halves the speed of what runs on a core, for moments or for minutes, and of AMX
more than that. So every process is started and compiled before the first row; a round gives all libraries of a row
one short turn on the same two CPUs, one after the other, and the next round goes to the next two. Whoever's turn it
is not is stopped, since threads go on spinning after a call, on the CPUs of who comes next. Ratios are the best
peer's time divided by ours: of the medians; of the two turns of a round, the median ("paired"); of the best times.
Writes out/bench/turns.json.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import json
import os
import signal
import statistics
from typing import Any

import compare
import models

TURN = 0.1  # seconds of calls, about
PAUSE = 0.02  # seconds between turns: for what is stopped to be off its CPUs


def pairs_of(cpus: list[int], threads: int) -> list[list[int]]:
    """CPUs for each round: not neighbours, which may be one core."""
    apart = len(cpus) // threads
    return [sorted({cpus[(i + k * apart) % len(cpus)] for k in range(threads)}) for i in range(0, len(cpus), 2)]


def pin(process: int, cpus: list[int]) -> None:
    for task in os.listdir(f"/proc/{process}/task"):
        os.sched_setaffinity(int(task), cpus)


def start(key: tuple[Any, ...], cpus: list[int], threads: int) -> compare.Peer:
    os.sched_setaffinity(0, cpus)  # of this thread, and so of the process
    return compare.Peer(*key, threads)


def turn(peer: compare.Peer, count: int) -> float:
    """Of a process that is stopped, before and after."""
    peer.times.clear()
    peer.process.send_signal(signal.SIGCONT)
    peer.run(count, PAUSE)
    peer.process.send_signal(signal.SIGSTOP)
    return statistics.median(peer.times)


def time_row(peers: list[compare.Peer], places: list[list[int]], rounds: int) -> dict[str, list[float]]:
    times: dict[str, list[float]] = {peer.library: [] for peer in peers}
    counts = {peer: max(1, min(200, int(TURN / turn(peer, 1)))) for peer in peers}
    for i in range(rounds):
        for peer in peers:
            pin(peer.process.pid, places[i % len(places)])
        for peer in peers[i % len(peers) :] + peers[: i % len(peers)]:
            times[peer.library].append(turn(peer, counts[peer]))
    return times


def ratios(times: dict[str, list[float]], ours: str) -> str:
    """To the peers that do the same job: an archive is compared with all, torch.compile with PyTorch's own."""
    torch_only = ours != "tenfold"
    peers = [p for p in times if p not in compare.OURS and (not torch_only or p in ("eager", "inductor"))]
    if not peers:
        return ""
    mine = times[ours]
    medians = min(statistics.median(times[p]) for p in peers) / statistics.median(mine)
    paired = min(statistics.median(theirs / our for theirs, our in zip(times[p], mine, strict=True)) for p in peers)
    best = min(min(times[p]) for p in peers) / min(mine)
    return f"{ours} {medians:.2f}, paired {paired:.2f}, best {best:.2f}"


def measure(row: tuple[Any, ...], peers: list[compare.Peer], places: list[list[int]], rounds: int) -> dict[str, Any]:
    """One row, printed: of all libraries that could take it."""
    live = [peer for peer in peers if peer.ready]
    times = time_row(live, places, rounds)
    figures = " ".join(f"{library} {statistics.median(t) * 1e3:.3f}" for library, t in times.items())
    compared = " | ".join(ratios(times, ours) for ours in compare.OURS if ours in times)
    for peer in peers:
        peer.process.send_signal(signal.SIGCONT)
    apart = compare.differences(live)
    print(f"{row[0]} {row[2]} N={row[1]}: {figures} ms | {compared}", flush=True)
    for peer in peers:
        if peer not in live:
            print(f"  {peer.library}: {peer.why()[-1][:110]}")
    for library, share in apart.items():
        if share is not None and not share <= compare.CLOSE[row[2]]:
            print(f"  {library} differs from eager by {share:.1e} of the largest element")
    for peer in peers:
        peer.close()
    first = {peer.library: peer.ready["first"] for peer in live}
    return {
        "model": row[0],
        "batch": row[1],
        "precision": row[2],
        "seconds": times,
        "first": first,
        "differences": apart,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--model", nargs="+", default=models.MODELS, choices=models.MODELS)
    parser.add_argument("--batch", type=int, nargs="+", default=[1, 10])
    parser.add_argument("--precision", nargs="+", default=["f32"], choices=["f32", "bf16"])
    parser.add_argument("--peer", nargs="+", default=["eager", "inductor", "onnxruntime"], choices=compare.PEERS)
    parser.add_argument("--rounds", type=int, default=12)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--at-once", type=int, default=20, help="processes that are started at a time")
    chosen = parser.parse_args()

    compare.OUT.mkdir(parents=True, exist_ok=True)
    rows = [(m, b, p) for p in chosen.precision for m in chosen.model for b in chosen.batch]
    cpus = sorted(os.sched_getaffinity(0))
    places = pairs_of(cpus, chosen.threads)
    with concurrent.futures.ProcessPoolExecutor(max(1, len(cpus) // 2)) as pool:
        sizes = {row[:2] for row in rows for p in compare.READ_ONNX.intersection(chosen.peer) if compare.has(p, row[2])}
        onnx = [pool.submit(compare.prepare_onnx, *size) for size in sorted(sizes)]
        others = [pool.submit(compare.prepare, *row, chosen.peer) for row in rows]
        for done in onnx + others:
            done.result()
    keys = [
        (library, *row)
        for library in sorted(chosen.peer, key=lambda p: p != "inductor") + compare.OURS  # the slowest to start first
        for row in rows
        if compare.has(library, row[2])
    ]
    with concurrent.futures.ThreadPoolExecutor(chosen.at_once) as pool:
        begun = [pool.submit(start, key, places[i % len(places)], chosen.threads) for i, key in enumerate(keys)]
        peers = {key: future.result() for key, future in zip(keys, begun, strict=True)}
    try:
        for peer in peers.values():
            peer.process.send_signal(signal.SIGSTOP)
        results = []
        for row in rows:
            started = [peer for key, peer in peers.items() if key[1:] == row]
            results.append(measure(row, started, places, chosen.rounds))
            (compare.OUT / "turns.json").write_text(json.dumps(results))
    finally:
        for peer in peers.values():
            peer.process.kill()  # a stopped one would stay


if __name__ == "__main__":
    main()
