"""`tenfold doctor` and `tenfold devices`: what this machine has."""

import json
import os
import platform

from conftest import tenfold


def test_doctor_json_agrees_with_the_machine():
    result = tenfold("doctor", "--json")
    assert result.code == 0
    report = json.loads(result.out)
    assert report["architecture"] == platform.machine()
    assert report["cores"] == len(os.sched_getaffinity(0))
    with open("/proc/cpuinfo") as file:
        flags = set(file.read().split())
    known = {"fp16": "fphp", "dotprod": "asimddp", "neon": "asimd", "amx-tile": "amx_tile", "avx512f": "avx512f"}
    known |= {"avx2": "avx2", "i8mm": "i8mm", "bf16": "bf16", "sve": "sve", "fma": "fma", "avx512bf16": "avx512_bf16"}
    for name, there in report["features"].items():
        if name in known:
            assert there == (known[name] in flags), name


def test_doctor_finds_the_packages_of_the_active_environment(tmp_path):
    (tmp_path / "bin").mkdir()
    python = tmp_path / "bin" / "python"
    python.write_text("#!/bin/sh\necho 3.99.1 2.13.0 - - 9.9.9 -\n")
    python.chmod(0o755)
    result = tenfold("doctor", "--json", env=os.environ | {"VIRTUAL_ENV": str(tmp_path)})
    found = {each["name"]: each for each in json.loads(result.out)["found"]}
    assert found["Python"]["version"] == f"3.99.1 ({python})"
    assert (found["torch"]["found"], found["torch"]["version"]) == (True, "2.13.0")
    assert (found["jax"]["found"], found["jax"]["get"]) == (False, "pip install jax==0.10.2")
    assert found["numpy"]["version"] == "9.9.9"


def test_doctor_survives_a_broken_python(tmp_path):
    (tmp_path / "bin").mkdir()
    python = tmp_path / "bin" / "python"
    python.write_text("#!/bin/sh\nexit 3\n")
    python.chmod(0o755)
    result = tenfold("doctor", env=os.environ | {"VIRTUAL_ENV": str(tmp_path)})
    assert (result.code, result.err) == (0, "")
    assert "missing  torch      PyTorch programs                 get it: pip install torch==2.13.0\n" in result.out


def test_devices():
    result = tenfold("devices")
    assert result.code == 0
    names = [line.split()[0] for line in result.out.splitlines() if not line.startswith(" ")]
    assert "interp" in names
    assert [device["name"] for device in json.loads(tenfold("devices", "--json").out)] == names
    assert tenfold("devices", "extra").code == 2
