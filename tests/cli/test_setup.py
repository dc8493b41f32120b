"""scripts/setup: silent when nothing is missing, clear when something is. No test here installs anything."""

import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest
from conftest import ROOT

TOOLS = ["bash", "env", "dirname", "sort", "mktemp", "cat", "rm", "flock", "readlink"]


@pytest.fixture
def machine():
    """A PATH with the tools every Debian has, and stand-ins for those that know or change what is installed.

    Not in pytest's own folder: that one is closed to the other user that some tests run as.
    """
    folder = tempfile.TemporaryDirectory()
    tmp_path = Path(folder.name)

    def make(**scripts: str) -> dict:
        for tool in TOOLS:
            if not (tmp_path / tool).exists():
                (tmp_path / tool).symlink_to(shutil.which(tool))
        for name, text in scripts.items():
            path = tmp_path / name.replace("_", "-")
            path.write_text(f"#!/bin/sh\n{text}\n")
            path.chmod(0o755)
        tmp_path.chmod(0o777)
        return {"PATH": str(tmp_path), "TMPDIR": str(tmp_path), "LOG": str(tmp_path / "log")}

    yield make
    folder.cleanup()


def readable_checkout(folder: Path) -> Path:
    """What scripts/setup touches, where any user may read it: the checkout itself may lie in root's own folder."""
    (folder / "scripts").mkdir(exist_ok=True)
    (folder / ".venv" / "bin").mkdir(parents=True, exist_ok=True)
    shutil.copy(ROOT / "scripts" / "setup", folder / "scripts")
    (folder / "scripts" / "fetch-grammar").write_text("#!/bin/sh\n")
    (folder / "scripts" / "fetch-grammar").chmod(0o755)
    python = folder / ".venv" / "bin" / "python"
    if not python.is_symlink():
        python.symlink_to(shutil.which("env"))
    (folder / ".venv" / ".tenfold-none").write_text("\n")
    return folder


def setup(*tasks, env: dict, as_nobody: bool = False):
    nobody = as_nobody and os.geteuid() == 0
    checkout = readable_checkout(Path(env["PATH"])) if nobody else ROOT
    user = {"user": 65534, "group": 65534} if nobody else {}
    command = [shutil.which("bash"), str(checkout / "scripts" / "setup"), *tasks]
    return subprocess.run(command, env=env, capture_output=True, text=True, **user)


ALL_INSTALLED = 'shift 2; for name in "$@"; do echo "installed $name"; done'


def test_silent_when_nothing_is_missing(machine):
    done = setup("build", "clang", env=machine(dpkg_query=ALL_INSTALLED))
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_every_task_of_the_makefile_is_known(machine):
    tasks = set(re.findall(r"\bsetup-([a-z]+)", (ROOT / "Makefile").read_text())) | {"all"}
    stub = "shift 2; exit 1"
    for task in sorted(tasks):
        done = setup(task, env=machine(dpkg_query=stub), as_nobody=True)
        assert "missing packages, and neither root nor sudo" in done.stderr, (task, done.stderr)


def test_unknown_task(machine):
    done = setup("biuld", env=machine(dpkg_query=ALL_INSTALLED))
    assert done.returncode == 1
    assert done.stderr.startswith("setup: no task 'biuld' (build, test, run, ")


def test_switched_off():
    done = setup("build", env={"PATH": os.environ["PATH"], "TENFOLD_SETUP": "off"})
    assert (done.returncode, done.stderr) == (0, "")


def test_without_root_or_sudo_it_says_what_to_install(machine):
    stub = ALL_INSTALLED.replace("echo", '[ "$name" = meson ] || [ "$name" = gcc ] || echo')
    done = setup("build", env=machine(dpkg_query=stub), as_nobody=True)
    assert done.returncode == 1
    assert done.stderr == (
        "setup: missing packages, and neither root nor sudo to install them. As root: apt-get install gcc meson\n"
    )


def test_removed_packages_are_missing(machine):
    stub = ALL_INSTALLED.replace("installed $name", "config-files $name")
    done = setup("build", env=machine(dpkg_query=stub), as_nobody=True)
    assert "apt-get install ccache gcc " in done.stderr


def test_only_what_is_missing_is_installed_after_an_update(machine):
    stub = ALL_INSTALLED.replace("echo", '[ "$name" = meson ] || echo')
    env = machine(dpkg_query=stub, sudo='exec "$@"', apt_get='echo "$@" >>"$LOG"')
    done = setup("build", env=env, as_nobody=True)
    assert (done.returncode, done.stderr) == (0, "setup: installing 1 Debian packages: meson\n")
    with open(env["LOG"]) as log:
        assert log.read() == "update -qq\n-o DPkg::Lock::Timeout=600 install -y -qq --no-install-recommends meson\n"


def test_what_apt_says_is_shown_when_it_fails(machine):
    env = machine(dpkg_query="exit 1", sudo='exec "$@"', apt_get='echo "E: no such package"; exit 100')
    done = setup("build", env=env, as_nobody=True)
    assert done.returncode == 1
    assert "E: no such package\nsetup: apt-get failed (above); as root: apt-get update && " in done.stderr


def test_other_systems_are_told_and_go_on(machine):
    done = setup("build", env=machine())
    assert done.returncode == 0
    assert done.stderr.startswith("setup: this is not a Debian system; ")
