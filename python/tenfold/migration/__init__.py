"""`tenfold migrate` from Python.

import tenfold
result = tenfold.migrate("train.py", target="torch_xla")
print(result.text("train.py"), result.needs_human)

tenfold.TPUMigrator("kernel_code.py").execute(comments=True)      # as PyTPU's users call it
"""

from __future__ import annotations

import io
import json
import logging
import os
import shutil
import subprocess
import sys
import tempfile
import tokenize
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tenfold.paths import PACKAGE, SEARCH


def command(search_path: bool = True) -> str:
    """The tenfold command: $TENFOLD, else the one in this package or checkout, else the one on the path."""
    places = (PACKAGE / "bin" / "tenfold", SEARCH.parent / "bin" / "tenfold")
    found = os.environ.get("TENFOLD") or next((str(place) for place in places if place.exists()), None)
    if not found and search_path:
        found = shutil.which("tenfold")
    if not found:
        looked = ", ".join(map(str, places))
        raise FileNotFoundError(f"there is no tenfold command (looked at {looked}); set TENFOLD to it")
    return found


def source_text(path: Path) -> str:
    """A source file's text, by its mark or coding line; line ends stay as they are."""
    data = path.read_bytes()
    encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
    return data.decode(encoding)


@dataclass
class Migration:
    """What a migration did. `report` is the JSON report: files, changes with rule and reason, notes."""

    report: dict[str, Any]
    texts: dict[str, str] = field(default_factory=dict)
    log: str = ""
    proof: list[dict[str, Any]] = field(default_factory=list)

    @property
    def needs_human(self) -> list[dict[str, Any]]:
        return [
            note | {"file": file["relative"]}
            for file in self.report["files"]
            for note in file["notes"]
            if note["kind"] == "human"
        ]

    @property
    def changes(self) -> list[dict[str, Any]]:
        return [change | {"file": file["relative"]} for file in self.report["files"] for change in file["changes"]]

    def text(self, relative: str) -> str:
        """The migrated text of a file, by its path relative to what was given."""
        return self.texts[relative]


def migrate(
    *paths: str | os.PathLike,
    target: str = "torch_xla",
    output: str | os.PathLike | None = None,
    in_place: bool = False,
    comments: bool = False,
    reformat: bool = False,
    device_loader: bool = False,
    rules: str | os.PathLike | None = None,
    disable: Sequence[int] = (),
    verify: bool = False,
    tests: str | os.PathLike | None = None,
    optimize: bool = False,
    pynguin: bool = False,
    search: Sequence[str | os.PathLike] = (),
) -> Migration:
    """Rewrites PyTorch programs for a TPU. Without `output` and `in_place` nothing is written. `search` are folders
    that the proof finds packages in, too."""
    with tempfile.TemporaryDirectory(prefix="tenfold-migrate-") as folder:
        report, out = Path(folder) / "report.json", Path(output) if output else Path(folder) / "out"
        arguments = [command(), "migrate", "--quiet", "--target", target, "--report", str(report)]
        arguments += ["--in-place"] if in_place else ["--output", str(out)]
        for name, wanted in (
            ("comments", comments),
            ("reformat", reformat),
            ("device-loader", device_loader),
            ("verify", verify),
            ("optimize", optimize),
            ("pynguin", pynguin),
        ):
            arguments += [f"--{name}"] if wanted else []
        arguments += ["--rules", os.fspath(rules)] if rules else []
        arguments += ["--tests", os.fspath(tests)] if tests else []
        arguments += ["--disable", ",".join(map(str, disable))] if disable else []
        environment = os.environ | {"TENFOLD_PYTHON": sys.executable}
        package = str(SEARCH)
        places = [package, *map(os.fspath, search), os.environ.get("PYTHONPATH")]
        environment["PYTHONPATH"] = os.pathsep.join(filter(None, places))
        done = subprocess.run([*arguments, *map(os.fspath, paths)], capture_output=True, text=True, env=environment)
        if done.returncode not in (0, 1) or not report.exists():
            raise RuntimeError(done.stderr.strip() or f"tenfold migrate ended with status {done.returncode}")
        result = Migration(json.loads(report.read_text()), log=done.stdout + done.stderr)
        for file in result.report["files"]:
            written = Path(file["path"]) if in_place else out if out.is_file() else out / file["relative"]
            if written.exists() and file["state"] != "failed":
                result.texts[file["relative"]] = source_text(written)
        return result


class TPUMigrator:
    """The interface that PyTPU had: a file, a log level, and one call that does the rest."""

    def __init__(self, path: str | os.PathLike, level: str | int = "info", target: str = "torch_xla"):
        """`level` is a name or one of logging's numbers (logging.INFO)."""
        self.path, self.target = Path(path), target
        self.level = level if isinstance(level, int) else logging.getLevelName(str(level).upper())
        if not isinstance(self.level, int):
            raise ValueError(
                f"no log level {level!r} (debug, info, warning, error, critical, or a number of logging's)"
            )
        self.result: Migration | None = None

    def execute(
        self,
        comments: bool = False,
        reformatter: bool = False,
        optimize: bool = False,
        genTestCases: bool = False,
        PYNGUINPATH: str | os.PathLike = "",
    ) -> str:
        """Writes NAME_tpu.py next to the original (and tests_NAME/ with genTestCases) and returns its path.

        With PYNGUINPATH, the folder that pynguin is installed in, its tests are compared as well.
        """
        target = self.path.with_name(f"{self.path.stem}_tpu{self.path.suffix}")
        tests = self.path.with_name(f"tests_{self.path.stem}") if genTestCases else None
        self.result = migrate(
            self.path,
            target=self.target,
            output=target,
            comments=comments,
            reformat=bool(reformatter),
            optimize=optimize,
            tests=tests,
            pynguin=bool(genTestCases and PYNGUINPATH),
            search=[PYNGUINPATH] if PYNGUINPATH else [],
        )
        if self.level <= logging.INFO:
            for change in self.result.changes:
                print(f"{change['file']}:{change['line']}: {change['rule']} {change['name']}: {change['reason']}")
        if self.level <= logging.WARNING:
            for note in self.result.needs_human:
                print(f"{note['file']}:{note['line']}: needs a person: {note['text']}", file=sys.stderr)
        if self.result.log.strip() and self.level <= logging.INFO:
            print(self.result.log.strip())
        return str(target)
