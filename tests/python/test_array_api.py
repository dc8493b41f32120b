"""The array API standard's own suite, run on tenfold: a sample by `make test`, all of it by `make test-all`."""

import json
import os
import pathlib
import subprocess
import sys

import pytest

SUITE = pathlib.Path(
    os.environ.get("TENFOLD_ARRAY_API_TESTS", pathlib.Path(__file__).parents[3] / "shared" / "array-api-tests")
)
WHOLE = os.environ.get("TENFOLD_TEST_ALL") == "1"
SAMPLE = (
    "test_has_names",
    "test_constants",
    "test_creation_functions",
    "test_data_type_functions",
    "test_dlpack",
    "test_inspection_functions",
    "test_special_cases",
    "test_utility_functions",
)


def run_suite(tmp_path, tests, examples, seconds, device="cpu"):
    if not (SUITE / "array_api_tests").is_dir():
        pytest.skip(f"the suite is not at {SUITE} (TENFOLD_ARRAY_API_TESTS)")
    for module in ("hypothesis", "ndindex", "pytest_jsonreport"):
        pytest.importorskip(module)
    report = tmp_path / "report.json"
    environment = dict(
        os.environ,
        ARRAY_API_TESTS_MODULE=f"exec('import tenfold as xp; xp.set_default_device(\"{device}\")')",
        ARRAY_API_TESTS_VERSION="2025.12",
        HYPOTHESIS_STORAGE_DIRECTORY=str(tmp_path / "hypothesis"),
        PYTHONDONTWRITEBYTECODE="1",
    )
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "--tb=short",
        "--disable-deadline",
        "--max-examples",
        str(examples),
    ]
    command += ["--json-report", f"--json-report-file={report}"]
    command += [f"array_api_tests/{name}.py" for name in tests] or ["array_api_tests"]
    done = subprocess.run(command, cwd=SUITE, env=environment, capture_output=True, text=True, timeout=seconds)
    assert report.is_file() and done.returncode in (0, 1), done.stdout[-2000:] + done.stderr[-2000:]
    counts = json.loads(report.read_text())["summary"]
    bad = [line for line in done.stdout.splitlines() if line.startswith(("FAILED", "ERROR"))]
    assert not bad and not counts.get("failed") and not counts.get("error"), "\n".join(bad) + done.stdout[-3000:]
    return counts


@pytest.mark.skipif(WHOLE, reason="the whole suite runs instead")
def test_a_sample_of_the_suite_passes(tmp_path):
    counts = run_suite(tmp_path, SAMPLE, 4, 600)
    assert counts["passed"] > 700


@pytest.mark.skipif(not WHOLE, reason="make test-all runs it")
@pytest.mark.parametrize(
    ("device", "examples", "seconds"),
    [("cpu", 500, 7200), ("interp", 500, 7200), ("opencl", 3, 2400)],  # opencl takes 12 minutes of one CPU
)
def test_the_suite_passes(tmp_path, device, examples, seconds):
    import tenfold

    try:
        tenfold.device(device)
    except tenfold.Error as why:
        pytest.skip(str(why))
    examples = int(os.environ.get("TENFOLD_ARRAY_API_EXAMPLES", examples))
    counts = run_suite(tmp_path, (), examples, seconds, device)
    assert counts["collected"] >= 1388
    assert counts.get("skipped", 0) <= 5  # those that the suite itself marks as flaky
