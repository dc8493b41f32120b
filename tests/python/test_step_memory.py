"""What compiled programs leave in a process, and what they share."""

import os
import subprocess
import sys

import pytest

torch = pytest.importorskip("torch")

PAGES = """
import re, sys, torch, tenfold

def of_llvm():
    "KiB of LLVM's library that this process holds."
    total, ours = 0, False
    for line in open("/proc/self/smaps"):
        if re.match("[0-9a-f]+-[0-9a-f]+ ", line):
            ours = "LLVM" in line or "tenfold_llvm" in line
        elif ours and line.startswith("Rss:"):
            total += int(line.split()[1])
    return total

run = torch.compile(torch.nn.Sequential(torch.nn.Linear(64, 64), torch.nn.GELU(), torch.nn.LayerNorm(64)),
                    backend="tenfold")
x = torch.randn(8, 64)
run(x).sum().backward()
compiled = of_llvm()
for _ in range(2):
    run(x).sum().backward()
print(compiled, of_llvm())
"""


def test_llvm_is_not_left_in_memory():
    environment = os.environ | {"TENFOLD_CACHE": "off"}
    done = subprocess.run([sys.executable, "-c", PAGES], env=environment, check=True, capture_output=True, text=True)
    compiled, left = map(int, done.stdout.split())
    assert compiled > 20 << 10
    assert left < 12 << 10


WORKSPACE = """
import re, torch, tenfold

def resident():
    return int(re.search("VmRSS:\\\\s+(\\\\d+)", open("/proc/self/status").read())[1]) >> 10

def program(size):
    @torch.compile(backend="tenfold", dynamic=False)
    def f(x):
        return torch.softmax(x[:, None] @ x[None, :], 1).mean(1)
    return f, torch.rand(size)

with torch.no_grad():
    f, x = program(64)
    f(x), f(x)
    before = resident()
    for size in (3000, 3200, 3400, 3600):
        f, x = program(size)
        for _ in range(2):
            torch.testing.assert_close(f(x), torch.softmax(torch.outer(x, x), 1).mean(1))
    from tenfold.torch.compiled import Compiled
    import gc
    del f
    arenas = [m.last[0].memory[0] >> 20 for m in gc.get_objects() if type(m) is Compiled]
    print(resident() - before, sum(arenas), max(arenas))
"""


def test_programs_work_in_the_same_memory():
    done = subprocess.run([sys.executable, "-c", WORKSPACE], check=True, capture_output=True, text=True)
    grown, arenas, largest = map(int, done.stdout.split())
    assert arenas > 3 * largest > 60
    assert grown < 2 * largest


PROGRAM = """
import ctypes, pathlib, sys
from tenfold import _core

class Mallinfo(ctypes.Structure):
    _fields_ = [(name, ctypes.c_size_t) for name in "arena ordblks smblks hblks mapped f5 f6 used f8 f9".split()]

libc = ctypes.CDLL(None)
libc.mallinfo2.restype = Mallinfo

def used():
    info = libc.mallinfo2()
    return info.used + info.mapped

count = 4000
lines = [f"%a{i + 1} = stablehlo.{'sine' if i % 3 else 'tanh'} %a{i} : tensor<8xf32>" for i in range(count)]
path = pathlib.Path(sys.argv[1]) / "long.mlir"
path.write_text("func.func @main(%a0: tensor<8xf32>) -> tensor<8xf32> {\\n" + "\\n".join(lines)
                + f"\\nreturn %a{count} : tensor<8xf32>\\n}}\\n")
before = used()
program = _core.load(str(path))
read = used()
made = program.compile()
print(read - before, used() - read)
"""


def test_what_was_compiled_is_not_kept(tmp_path):
    """An executable holds the program that it was asked for, and not what passes have made of it besides."""
    environment = os.environ | {"TENFOLD_CACHE": "off"}
    command = [sys.executable, "-c", PROGRAM, str(tmp_path)]
    done = subprocess.run(command, env=environment, check=True, capture_output=True, text=True)
    program, executable = map(int, done.stdout.split())
    assert program > 1 << 20
    assert executable < 1.7 * program
