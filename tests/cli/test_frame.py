"""The command's frame: help, version, wrong use, man pages, completions."""

import json
import shutil
import subprocess

import pytest
from conftest import tenfold


def commands() -> list[str]:
    text = tenfold("help").out
    return [line.split()[0] for line in text.split("commands:\n")[1].split("\n\n")[0].splitlines()]


def test_no_command_is_wrong_use():
    result = tenfold()
    assert result.code == 2
    assert result.out == ""
    assert result.err.startswith("usage: tenfold COMMAND [options]\n")


def test_version():
    assert tenfold("version").out == "tenfold 0.1.0 (StableHLO 1.20.0)\n"
    assert tenfold("--version").out == tenfold("version").out
    assert json.loads(tenfold("version", "--json").out) == {"tenfold": "0.1.0", "stablehlo": "1.20.0"}


def test_unknown_command_suggests():
    result = tenfold("vresion")
    assert (result.code, result.out) == (2, "")
    assert result.err == "tenfold: unknown command 'vresion'; did you mean 'version'?\ntry 'tenfold help'\n"


def test_unknown_command_far_from_all():
    assert tenfold("zzzzzzzz").err == "tenfold: unknown command 'zzzzzzzz'\ntry 'tenfold help'\n"


def test_unknown_option_suggests():
    result = tenfold("version", "--jsno")
    assert (result.code, result.out) == (2, "")
    assert result.err == ("tenfold version: no option '--jsno'; did you mean '--json'?\ntry 'tenfold help version'\n")


def test_flag_takes_no_value():
    assert tenfold("version", "--json=yes").err.startswith("tenfold version: '--json' takes no value\n")


def test_option_needs_value():
    assert tenfold("help", "--completion").err.startswith("tenfold help: '--completion' needs a value (SHELL)\n")


def test_value_forms_are_the_same():
    assert tenfold("help", "--completion=bash").out == tenfold("help", "--completion", "bash").out


@pytest.mark.parametrize("name", commands())
def test_each_command_has_help(name):
    by_help, by_option = tenfold("help", name), tenfold(name, "--help")
    assert by_help.code == by_option.code == 0
    assert by_help.out == by_option.out
    assert by_help.out.startswith(f"tenfold {name}: ")
    assert f"usage: tenfold {name}" in by_help.out
    assert all(len(line) <= 100 for line in by_help.out.split("\nexamples:")[0].splitlines())


@pytest.mark.parametrize("name", commands())
def test_each_command_has_a_man_page(name, build):
    page = (build / "tools" / "cli" / "share" / f"tenfold-{name}.1").read_text()
    assert page == tenfold("help", "--man", name).out
    assert f"tenfold-{name} \\-" in page


@pytest.mark.skipif(not shutil.which("groff"), reason="groff is not installed")
@pytest.mark.parametrize("name", ["", *commands()])
def test_man_pages_are_clean_roff(name):
    page = tenfold("help", "--man", *filter(None, [name])).out
    result = subprocess.run(["groff", "-man", "-Tutf8", "-ww"], input=page, capture_output=True, text=True)
    assert result.stderr == ""


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completions_parse(shell):
    script = tenfold("help", "--completion", shell)
    assert script.code == 0
    for name in commands():
        assert name in script.out
    if not shutil.which(shell):
        pytest.skip(f"{shell} is not installed: its script was printed but not parsed")
    result = subprocess.run([shell, "-n"], input=script.out, capture_output=True, text=True)
    assert (result.returncode, result.stderr) == (0, "")


def test_bash_completes():
    script = tenfold("help", "--completion", "bash").out
    script += 'COMP_WORDS=(tenfold version --j); COMP_CWORD=2; _tenfold; echo "${COMPREPLY[*]}"\n'
    script += 'COMP_WORDS=(tenfold ver); COMP_CWORD=1; _tenfold; echo "${COMPREPLY[*]}"\n'
    result = subprocess.run(["bash"], input=script, capture_output=True, text=True)
    assert (result.stdout, result.stderr) == ("--json\nversion\n", "")


def test_full_disk_is_an_error():
    with open("/dev/full", "w") as full:
        result = subprocess.run([tenfold.path, "help"], stdout=full, stderr=subprocess.PIPE, text=True)
    assert result.returncode == 1
    assert result.stderr == "tenfold: standard output: No space left on device\n"
