"""The cache of compiled programs: many processes at once, processes that are killed, a disk that is full."""

import json
import os
import resource
import signal
import subprocess
import time

import numpy as np
import pytest
from conftest import tenfold

LAYERS, WIDTH = 6, 1024


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    """Large enough for an entry to be written in the background: 24 MB of weights."""
    folder = tmp_path_factory.mktemp("program")
    numbers = np.random.default_rng(0)
    kind, weights = f"tensor<4x{WIDTH}xf32>", f"tensor<{WIDTH}x{WIDTH}xf32>"
    lines = []
    for i in range(LAYERS):
        data = (numbers.normal(size=WIDTH * WIDTH) / WIDTH**0.5).astype("<f4").tobytes().hex()
        lines += [
            f'  %w{i} = stablehlo.constant dense<"0x{data}"> : {weights}',
            f"  %d{i} = stablehlo.dot_general %x{i}, %w{i}, contracting_dims = [1] x [0]",
            f"    : ({kind}, {weights}) -> {kind}",
            f"  %x{i + 1} = stablehlo.tanh %d{i} : {kind}",
        ]
    text = f"func.func @main(%x0: {kind}) -> {kind} {{\n" + "\n".join(lines) + f"\n  return %x{LAYERS} : {kind}\n}}\n"
    (folder / "program.mlir").write_text(text)
    # Bytecode is read in no time, so that what takes time is compiling and writing.
    assert tenfold("convert", folder / "program.mlir", "-o", folder / "program.mlirbc").code == 0
    return folder / "program.mlirbc"


def around(cache):
    return os.environ | {"TENFOLD_CACHE_DIR": str(cache), "TENFOLD_CACHE": "on"}


def start(program, cache, *more):
    command = [tenfold.path, "run", str(program), "--random", "--json", *more]
    return subprocess.Popen(command, env=around(cache), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def first(out: str) -> list[float]:
    return json.loads(out)["results"][0]["first"]


def test_eight_processes_at_once(program, tmp_path):
    want = first(tenfold("run", program, "--random", "--json", env=os.environ | {"TENFOLD_CACHE": "off"}).out)
    running = [start(program, tmp_path) for _ in range(8)]
    results = [process.communicate(timeout=120) for process in running]
    assert [process.returncode for process in running] == [0] * 8, results
    assert [first(out) for out, _ in results] == [want] * 8
    entries = sorted(path.name for path in tmp_path.iterdir())
    assert len(entries) == 1 and entries[0].endswith(".ten")
    assert first(tenfold("run", program, "--random", "--json", env=around(tmp_path)).out) == want


def test_killed_while_writing(program, tmp_path):
    """Wherever it is killed, the cache has a whole entry or none, and the next run is right."""
    want = first(tenfold("run", program, "--random", "--json", env=os.environ | {"TENFOLD_CACHE": "off"}).out)
    seen = set()
    for attempt in range(6):
        cache = tmp_path / str(attempt)
        process = start(program, cache, "--repeat", "1000")
        end = time.monotonic() + 60
        while process.poll() is None and time.monotonic() < end and not (cache.exists() and any(cache.iterdir())):
            time.sleep(0.0005)
        time.sleep(attempt * 0.004)
        process.send_signal(signal.SIGKILL)
        process.wait()
        process.stdout.close()
        process.stderr.close()
        left = [path.name for path in cache.iterdir()]
        seen.add("part" if any(name.endswith(".tmp") for name in left) else "whole")
        assert first(tenfold("run", program, "--random", "--json", env=around(cache)).out) == want
    assert "part" in seen  # or this test has shown nothing


def test_a_damaged_entry_is_compiled_again(program, tmp_path):
    want = first(tenfold("run", program, "--random", "--json", env=around(tmp_path)).out)
    (entry,) = tmp_path.glob("*.ten")
    whole = entry.read_bytes()
    for damaged in (whole[: len(whole) // 2], b"", whole[:100] + b"\xff" * 64):
        entry.write_bytes(damaged)
        assert first(tenfold("run", program, "--random", "--json", env=around(tmp_path)).out) == want


def limited():
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)  # so that writing fails instead
    resource.setrlimit(resource.RLIMIT_FSIZE, (4 << 20, 4 << 20))


def test_no_room_for_an_entry(program, tmp_path):
    """Writing fails half-way: the run is right, and nothing is left behind."""
    want = first(tenfold("run", program, "--random", "--json", env=os.environ | {"TENFOLD_CACHE": "off"}).out)
    command = [tenfold.path, "run", str(program), "--random", "--json"]
    done = subprocess.run(command, env=around(tmp_path), capture_output=True, text=True, preexec_fn=limited)
    assert (done.returncode, done.stderr, first(done.stdout)) == (0, "", want)
    assert not list(tmp_path.iterdir())


def test_full_disk(program, tmp_path):
    """The same on a disk of 4 MB."""
    want = first(tenfold("run", program, "--random", "--json", env=os.environ | {"TENFOLD_CACHE": "off"}).out)
    script = (
        f"mount -t tmpfs -o size=4m none {tmp_path} || exit 99; "
        f"{tenfold.path} run {program} --random --json || exit 1; ls -A {tmp_path} >&2"
    )
    command = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", script]
    done = subprocess.run(command, env=around(tmp_path), capture_output=True, text=True)
    if done.returncode == 99 or "unshare:" in done.stderr:
        pytest.skip("cannot mount a disk here: " + done.stderr.strip())
    assert (done.returncode, done.stderr, first(done.stdout)) == (0, "", want)


def test_nowhere_to_write(program):
    """A folder that cannot be made costs the entry and nothing else."""
    for place in ("/dev/full/cache", "/proc/cache"):
        done = tenfold("run", program, "--random", "--json", env=around(place))
        assert (done.code, done.err) == (0, "")
