"""What the command-line tests share: the command itself."""

import json
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@dataclass
class Result:
    code: int
    out: str
    err: str


os.environ.setdefault("TENFOLD_PROGRESS", "off")  # on a busy machine anything may take two seconds


class Tenfold:
    path = os.environ.get("TENFOLD", str(ROOT / "bin" / "tenfold"))

    def __call__(self, *arguments, input: str | None = None, **options) -> Result:
        command = [self.path, *map(str, arguments)]
        done = subprocess.run(command, capture_output=True, text=True, input=input, timeout=120, **options)
        return Result(done.returncode, done.stdout, done.stderr)


tenfold = Tenfold()


def why_unusable(device: str) -> str | None:
    """What keeps a device from being used here, if anything does."""
    rows = json.loads(tenfold("devices", "--json").out)
    return next((row["here"] for row in rows if row["name"] == device and not row["usable"]), None)


@pytest.fixture
def build() -> Path:
    """The build folder the command came from."""
    return Path(tenfold.path).resolve().parents[2]
