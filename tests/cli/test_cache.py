"""The cache of compiled programs: many processes at once, processes that are killed, a disk that is full, entries that
somebody else could have made; and other people's files in its directory."""

import fcntl
import json
import os
import random
import resource
import signal
import stat
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


def files(cache) -> list[str]:
    """All files but the records of what was read before."""
    return sorted(path.name for path in cache.rglob("*") if path.is_file() and path.suffix != ".file")


def first(out: str) -> list[float]:
    return json.loads(out)["results"][0]["first"]


def test_eight_processes_at_once(program, tmp_path):
    want = first(tenfold("run", program, "--random", "--json", env=os.environ | {"TENFOLD_CACHE": "off"}).out)
    running = [start(program, tmp_path) for _ in range(8)]
    results = [process.communicate(timeout=120) for process in running]
    assert [process.returncode for process in running] == [0] * 8, results
    assert [first(out) for out, _ in results] == [want] * 8
    entries = files(tmp_path)
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
        while process.poll() is None and time.monotonic() < end and not (cache.exists() and files(cache)):
            time.sleep(0.0005)
        time.sleep(attempt * 0.004)
        process.send_signal(signal.SIGKILL)
        process.wait()
        process.stdout.close()
        process.stderr.close()
        seen.add("part" if any(name.endswith(".tmp") for name in files(cache)) else "whole")
        assert first(tenfold("run", program, "--random", "--json", env=around(cache)).out) == want
        assert [name for name in files(cache) if not name.endswith(".ten")] == []  # the next run has removed it
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
    assert files(tmp_path) == []


def test_full_disk(program, tmp_path):
    """The same on a disk of 4 MB."""
    want = first(tenfold("run", program, "--random", "--json", env=os.environ | {"TENFOLD_CACHE": "off"}).out)
    script = (
        f"mount -t tmpfs -o size=4m,mode=700 none {tmp_path} || exit 99; "
        f"{tenfold.path} run {program} --random --json || exit 1; find {tmp_path} -type f >&2"
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


TEXT = """func.func @main(%a: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = stablehlo.tanh %a : tensor<64x64xf32>
  %1 = stablehlo.exponential %0 : tensor<64x64xf32>
  %2 = stablehlo.sine %1 : tensor<64x64xf32>
  %3 = stablehlo.dot_general %2, %a, contracting_dims = [1] x [0]
    : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %4 = stablehlo.LAST %3 : tensor<64x64xf32>
  return %4 : tensor<64x64xf32>
}
"""


class Small:
    """Two programs, what they answer without a cache, and a cache with an entry of each."""

    def __init__(self, folder):
        self.cache = folder / "cache"
        self.programs, self.answers, self.entries = [], [], []
        for last in ("log_plus_one", "negate"):
            path = folder / f"{last}.mlir"
            path.write_text(TEXT.replace("LAST", last))
            self.programs.append(path)
            self.answers.append(tenfold("run", path, "--random", env=os.environ | {"TENFOLD_CACHE": "off"}).out)
            before = set(self.cache.glob("*.ten"))
            assert self.run(len(self.entries)).out == self.answers[-1]
            (entry,) = set(self.cache.glob("*.ten")) - before
            self.entries.append(entry)

    def run(self, i):
        return tenfold("run", self.programs[i], "--random", env=around(self.cache))


@pytest.fixture
def small(tmp_path):
    return Small(tmp_path)


def test_an_entry_of_another_program(small):
    """Copied under another one's name: compiled again, and replaced."""
    small.entries[0].write_bytes(small.entries[1].read_bytes())
    assert small.run(0).out == small.answers[0]
    assert small.entries[0].read_bytes() != small.entries[1].read_bytes()


def test_bits_that_flip(small):
    """Anywhere in an entry, within the same boot, with the times set back."""
    chooser = random.Random(1)
    whole, times = small.entries[0].read_bytes(), small.entries[0].stat()
    for _ in range(25):
        damaged = bytearray(whole)
        damaged[chooser.randrange(len(whole))] ^= 1 << chooser.randrange(8)
        small.entries[0].write_bytes(damaged)
        os.utime(small.entries[0], ns=(times.st_atime_ns, times.st_mtime_ns))
        done = small.run(0)
        assert (done.code, done.out) == (0, small.answers[0])


def test_private(small):
    assert stat.S_IMODE(small.cache.stat().st_mode) == 0o700
    for path in small.cache.rglob("*"):
        assert stat.S_IMODE(path.stat().st_mode) == (0o700 if path.is_dir() else 0o600), path


def test_entries_that_others_could_write(small):
    """Code that anybody could have put there is not run: the entry is replaced by one of our own."""
    for spoil in (
        lambda entry: entry.chmod(0o666),
        lambda entry: (entry.rename(entry.with_name("moved")), entry.symlink_to("moved")),
    ):
        small.entries[0].write_bytes(small.entries[1].read_bytes())
        spoil(small.entries[0])
        assert small.run(0).out == small.answers[0]
        assert not small.entries[0].is_symlink()
        assert stat.S_IMODE(small.entries[0].stat().st_mode) == 0o600


def test_a_directory_that_others_could_write(small):
    for mode in (0o777, 0o720):
        small.cache.chmod(mode)
        done = small.run(0)
        assert (done.code, done.out) == (0, small.answers[0])
        assert f"is not used: others may write to it (mode {mode:o})" in done.err
        shown = tenfold("cache", env=around(small.cache))
        assert shown.code == 1 and "others may write" in shown.err
        assert tenfold("cache", "--clear", env=around(small.cache)).code == 1
    small.cache.chmod(0o700)
    assert len(list(small.cache.glob("*.ten"))) == 2
    assert small.run(0).err == ""


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_what_somebody_else_owns(small):
    small.entries[0].write_bytes(small.entries[1].read_bytes())
    os.chown(small.entries[0], 65534, 65534)
    assert small.run(0).out == small.answers[0]
    assert small.entries[0].stat().st_uid == os.geteuid()
    os.chown(small.cache, 65534, 65534)
    done = small.run(0)
    assert (done.code, done.out) == (0, small.answers[0])
    assert "is not used: user 65534 owns it" in done.err


def test_files_of_others_stay(small):
    """Only what the cache itself made is ever removed."""
    for folder in (small.cache, small.cache / "tmp"):
        folder.mkdir(exist_ok=True)
        for name in ("thesis.tmp", "model.ten", "abc.ten", "0" * 63 + ".ten", "12-zz.tmp", "a.file"):
            (folder / name).write_text("mine")
            os.utime(folder / name, (0, 0))
    (small.cache / "tmp" / "123-abc.tmp").write_text("left by a process that is gone")
    with (small.cache / "tmp" / "123-abd.tmp").open("w") as writing:
        fcntl.flock(writing, fcntl.LOCK_EX)
        assert tenfold("cache", env=around(small.cache)).out.startswith(f"{small.cache}: 2 programs")
        assert not (small.cache / "tmp" / "123-abc.tmp").exists()
        assert tenfold("cache", "--clear", env=around(small.cache)).out == "removed 2 programs\n"
        assert (small.cache / "tmp" / "123-abd.tmp").exists()
    assert tenfold("cache", env=around(small.cache)).code == 0
    left = sorted(str(path.relative_to(small.cache)) for path in small.cache.rglob("*") if path.is_file())
    names = ("thesis.tmp", "model.ten", "abc.ten", "0" * 63 + ".ten", "12-zz.tmp", "a.file")
    assert left == sorted([*names, *(f"tmp/{name}" for name in names)])
