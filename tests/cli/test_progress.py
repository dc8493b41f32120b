"""What a command that takes long says meanwhile: a bar on a terminal, lines in a log, nothing with -q."""

import os
import pty
import re
import signal
import subprocess
import time

from conftest import ROOT, tenfold

MLP = ROOT / "examples" / "mlp.mlir"
ENVIRONMENT = {**os.environ, "TENFOLD_PROGRESS": "on", "TERM": "xterm", "COLUMNS": "100"}
LOOP = ("run", MLP, "--random", "--repeat", 100_000_000)
BAR = re.compile(r"\r\[#*-*\]  \d+/100000000  \d+/s  [\d:]+ left  [\d.]+ ms\033\[K")


def on_a_terminal(*words, until=None, seconds=60):
    """What the command writes to stderr, which is a terminal, until it ends or `until` matches."""
    master, slave = pty.openpty()
    command = [tenfold.path, *map(str, words)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=slave, env=ENVIRONMENT)
    os.close(slave)
    text, end = "", time.monotonic() + seconds
    while time.monotonic() < end and not (until and re.search(until, text)):
        try:
            read = os.read(master, 65536)
        except OSError:  # the other end is closed
            break
        if not read:
            break
        text += read.decode(errors="replace")
    if until:
        process.send_signal(signal.SIGKILL)
    process.wait(timeout=60)
    os.close(master)
    return text


def program(length):
    """A long chain, for which compiling takes a while."""
    lines = ["func.func @main(%0: tensor<32x32xf32>) -> tensor<32x32xf32> {"]
    for i in range(length):
        lines.append(f"  %{i + 1} = stablehlo.{('tanh', 'sine', 'exponential')[i % 3]} %{i} : tensor<32x32xf32>")
    return "\n".join([*lines, f"  return %{length} : tensor<32x32xf32>", "}"])


def test_a_terminal_has_a_bar():
    assert on_a_terminal(*LOOP, until=BAR)


def test_compiling_shows_its_time_and_leaves_nothing(tmp_path):
    (tmp_path / "long.mlir").write_text(program(5000))
    text = on_a_terminal("compile", tmp_path / "long.mlir", "-o", tmp_path / "long.ten")
    assert re.search(r"\rcompile  0:\d\d  .*\033\[K", text), text
    assert text.endswith("\r\033[K")
    assert (tmp_path / "long.ten").exists()


def test_check_has_a_bar():
    text = on_a_terminal("check", ROOT / "examples")
    assert re.search(r"\[#+-*\]  \d+/\d+  ", text), text
    assert text.endswith("\r\033[K")


def test_quiet_shows_nothing():
    assert on_a_terminal("check", "-q", ROOT / "examples") == ""
    assert on_a_terminal("run", "-q", MLP, "--random", "--repeat", 1000) == ""


def test_a_log_has_lines():
    command = [tenfold.path, *map(str, LOOP)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env=ENVIRONMENT)
    line = process.stderr.readline()
    process.kill()
    process.wait(timeout=60)
    process.stderr.close()
    assert re.fullmatch(r"tenfold: run: \d+/100000000  \d+/s  [\d:]+ left  [\d.]+ ms\n", line)
