"""The examples of docs/adding.md, made in a copy of the tree, built and run; and how many files each touches."""

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from conftest import ROOT, tenfold

PAGE = ROOT / "docs" / "adding.md"
BUILD = Path(tenfold.path).resolve().parents[2]
BLOCK = r"\n\n((?:    .*\n|\n)+)"
STEP = re.compile(
    rf"^In `(?P<path>[^`]+)`, (?P<where>after|before) `(?P<anchor>[^`]+)`:{BLOCK}"
    rf"|^New file `(?P<new>[^`]+)`:{BLOCK}"
    rf"|^[^`\n]*\(`(?P<scratch>[^`]+)`\):{BLOCK}"
    r"|^Run `(?P<command>[^`]+)`(?:, which prints `(?P<prints>[^`]+)`)?",
    re.MULTILINE,
)
LIMITS = {
    "A StableHLO op of one operand": 4,
    "An ATen op": 1,
    "A kernel of the cpu backend": 4,
    "A backend": 1,
}  # files; a backend's own folder apart


@dataclass
class Example:
    edits: list[tuple[str, str, str, str]] = field(default_factory=list)  # path, where, anchor, lines
    files: dict[str, str] = field(default_factory=dict)
    scratch: dict[str, str] = field(default_factory=dict)
    commands: list[tuple[str, str | None]] = field(default_factory=list)

    @property
    def touched(self) -> set[str]:
        folder = re.compile(r"src/backend/\w+/")
        new = {m[0] for m in map(folder.match, self.files) if m}
        own = {name for name in new if not (ROOT / name).exists()}
        paths = {path for path, *_ in self.edits} | set(self.files)
        return {path for path in paths if not path.startswith(tuple(own))}


def lines_of(block: str) -> str:
    return "".join(line[4:] or "\n" for line in block.rstrip("\n").splitlines(keepends=True)) + "\n"


def examples() -> dict[str, Example]:
    found = {}
    for section in re.split(r"^## ", PAGE.read_text(), flags=re.MULTILINE)[1:]:
        example = found[section.splitlines()[0]] = Example()
        for step in STEP.finditer(section):
            block = next(
                (lines_of(step[i]) for i in range(1, STEP.groups + 1) if (step[i] or "").startswith("    ")), ""
            )
            if step["path"]:
                example.edits.append((step["path"], step["where"], step["anchor"], block))
            elif step["new"]:
                example.files[step["new"]] = block
            elif step["scratch"]:
                example.scratch[step["scratch"]] = block
            else:
                example.commands.append((step["command"], step["prints"]))
    return found


def replaced(path: Path, text: str) -> None:
    """A new file: the old one may be a hard link."""
    path.unlink(missing_ok=True)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def apply(example: Example, tree: Path) -> None:
    for name, where, anchor, block in example.edits:
        lines = (tree / name).read_text().splitlines(keepends=True)
        places = [i for i, line in enumerate(lines) if anchor in line]
        assert len(places) == 1, f"{name} has {len(places)} lines with {anchor}"
        indent = re.match(" *", lines[places[0]])[0]
        new = [indent + line if line.strip() else line for line in block.splitlines(keepends=True)]
        at = places[0] + (where == "after")
        replaced(tree / name, "".join(lines[:at] + new + lines[at:]))
    for name, text in (example.files | example.scratch).items():
        assert not (tree / name).exists(), f"{name} exists"
        replaced(tree / name, text)


def copied(tree: Path) -> None:
    """The sources as hard links, with their times, so that nothing is compiled that need not be."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    if listed.returncode:
        pytest.skip("not a git checkout")
    for name in filter(None, listed.stdout.split("\0")):
        if (ROOT / name).is_file():
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            os.link(ROOT / name, tree / name)


def built(tree: Path, *, sources_change: bool) -> None:
    """Builds the command with the objects of this build. Paths in Ninja's records are relative."""
    build = tree / "build"
    if sources_change:
        flags = ["--buildtype=debugoptimized", "-Dpython=false"]
        subprocess.run(["meson", "setup", build, *flags], cwd=tree, check=True, stdout=subprocess.DEVNULL)
    # what is there stays; tests and the extension are not wanted
    for folder, subfolders, names in os.walk(BUILD):
        inside = Path(folder).relative_to(BUILD)
        subfolders[:] = [
            name for name in subfolders if inside != Path() or name not in ("tests", "python", "meson-logs")
        ]
        for name in names:
            target = build / inside / name
            if not os.path.lexists(target) and not name.endswith(".xml"):
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(Path(folder) / name, target, follow_symlinks=False)
    ninja = build / "build.ninja"
    # nothing here may configure the build that this is a copy of
    replaced(ninja, re.sub(r"^build build\.ninja: .*\n(?: .*\n)*", "", ninja.read_text(), flags=re.MULTILINE))
    done = subprocess.run(["ninja", "-C", build, "tools/cli/tenfold"], cwd=tree, capture_output=True, text=True)
    assert not done.returncode, done.stdout[-4000:]


def test_the_page_is_read_whole():
    found = examples()
    assert found.keys() >= LIMITS.keys()
    marks = re.findall(r"^(?:In `|New file `|Run `)", PAGE.read_text(), re.MULTILINE)
    assert len(marks) == sum(len(e.edits) + len(e.files) + len(e.commands) for e in found.values())


@pytest.mark.parametrize("name", LIMITS)
def test_files_touched(name):
    touched = examples()[name].touched
    assert 0 < len(touched) <= LIMITS[name], touched


@pytest.mark.parametrize("name", LIMITS)
def test_example(name, tmp_path):
    if name == "A StableHLO op of one operand" and not os.environ.get("TENFOLD_TEST_ALL"):
        pytest.skip("compiles all of Tenfold: part of make test-all")
    if BUILD != ROOT / "build":
        pytest.skip(f"{BUILD.name} is not the plain build")
    example = examples()[name]
    tree = tmp_path / "tree"
    copied(tree)
    apply(example, tree)
    built(tree, sources_change=any(path.endswith((".c", "meson.build")) for path in example.files))
    environment = os.environ | {
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "TENFOLD_CACHE": "off",
        "TENFOLD_LIBRARY": str(tree / "build" / "libtenfold.so"),
    }
    for command, prints in example.commands:
        done = subprocess.run(command, shell=True, cwd=tree, capture_output=True, text=True, env=environment)
        assert not done.returncode, f"{command}\n{done.stdout}{done.stderr}"
        assert prints is None or prints in done.stdout, f"{command}\n{done.stdout}"
