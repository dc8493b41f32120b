"""Programs on PJRT plugins, and for machines that are not here: with a plugin of our own that fails as it is told."""

import glob
import json
import os

import pytest
from conftest import ROOT, tenfold

MLP = ROOT / "examples" / "mlp.mlir"

# 144 KiB of weights that the program carries: they go to the device as arguments.
WEIGHTS = """
func.func @main(%x: tensor<4x192xf32>) -> tensor<4x192xf32> {
  %w = stablehlo.constant dense<"0x__DATA__"> : tensor<192x192xf32>
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
       : (tensor<4x192xf32>, tensor<192x192xf32>) -> tensor<4x192xf32>
  return %0 : tensor<4x192xf32>
}
""".replace("__DATA__", "0000803f00000000" * (192 * 192 // 2))

HUGE = """
func.func @main(%x: tensor<64x4096xf32>, %w: tensor<4096x1048576xf32>) -> tensor<64x1048576xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
       : (tensor<64x4096xf32>, tensor<4096x1048576xf32>) -> tensor<64x1048576xf32>
  return %0 : tensor<64x1048576xf32>
}
"""


# A weight that is updated in place, and one that is not; each is split over `model`, the input over `data`.
SPREAD = """
func.func @main(%x: tensor<8x256xf32>,
                %a: tensor<256x512xf32> {tenfold.role = "parameter", tf.aliasing_output = 1 : i32},
                %b: tensor<512x256xf32> {tenfold.role = "parameter"}) -> (tensor<8x256xf32>, tensor<256x512xf32>) {
  %0 = stablehlo.dot %x, %a : (tensor<8x256xf32>, tensor<256x512xf32>) -> tensor<8x512xf32>
  %1 = stablehlo.tanh %0 : tensor<8x512xf32>
  %2 = stablehlo.dot %1, %b : (tensor<8x512xf32>, tensor<512x256xf32>) -> tensor<8x256xf32>
  %3 = stablehlo.add %a, %a : tensor<256x512xf32>
  return %2, %3 : tensor<8x256xf32>, tensor<256x512xf32>
}
"""

# The same with shardings of its own, in either dialect: cut both ways, in another order of devices, in place, and open.
OWN = """
module attributes {mhlo.num_partitions = 4 : i32} {
__MESH__
func.func @main(%x: tensor<8x256xf32> {__X__},
                %a: tensor<256x512xf32> {__A__, tf.aliasing_output = 1 : i32},
                %b: tensor<512x256xf32>) -> (tensor<8x256xf32> {__Y__}, tensor<256x512xf32>) {
  %0 = stablehlo.dot %x, %a : (tensor<8x256xf32>, tensor<256x512xf32>) -> tensor<8x512xf32>
  %1 = stablehlo.tanh %0 : tensor<8x512xf32>
  %2 = stablehlo.dot %1, %b : (tensor<8x512xf32>, tensor<512x256xf32>) -> tensor<8x256xf32>
  %3 = stablehlo.add %a, %a : tensor<256x512xf32>
  return %2, %3 : tensor<8x256xf32>, tensor<256x512xf32>
}
}
"""
OWN_WORDS = {
    "sdy": {
        "MESH": 'sdy.mesh @grid = <["x"=2, "y"=2]>',
        "X": 'sdy.sharding = #sdy.sharding<@grid, [{"x"}, {"y"}]>',
        "A": 'sdy.sharding = #sdy.sharding<@grid, [{}, {"y", "x"}]>',
        "Y": 'sdy.sharding = #sdy.sharding<@grid, [{"y"}, {"x"}]>',
    },
    "mhlo": {
        "MESH": "",
        "X": 'mhlo.sharding = "{devices=[2,2]<=[4]}"',
        "A": 'mhlo.sharding = "{devices=[1,2,2]<=[2,2]T(1,0) last_tile_dim_replicate}"',
        "Y": 'mhlo.sharding = "{devices=[2,2]<=[2,2]T(1,0)}"',
    },
}


def own(dialect: str) -> str:
    text = OWN
    for word, what in OWN_WORDS[dialect].items():
        text = text.replace(f"__{word}__", what)
    return text


@pytest.fixture
def plugin(build):
    path = build / "tests" / "pjrt" / "libtest_plugin.so"
    if not path.exists():
        pytest.skip("the build has no test plugin")
    return path


def broken(how: str) -> dict:
    # What a call that was told to fail should have freed stays.
    return {"env": {**os.environ, "TEST_PLUGIN": how, "ASAN_OPTIONS": "detect_leaks=0"}}


def test_results_equal_the_cpus(plugin, tmp_path):
    (tmp_path / "w.mlir").write_text(WEIGHTS)
    for program in (MLP, tmp_path / "w.mlir"):
        here = json.loads(tenfold("run", program, "--random", "--json").out)
        there = json.loads(tenfold("run", program, "--random", "--json", "--device", f"pjrt:{plugin}").out)
        assert there["results"] == here["results"]
        again = json.loads(tenfold("run", program, "--random", "--json", "--repeat", 3, "-d", f"pjrt:{plugin}").out)
        assert again["results"] == here["results"]


def test_check_suite_on_a_plugin(plugin):
    folder = ROOT / "tests" / "interp"
    result = tenfold("check", folder / "index.mlir", folder / "floats.mlir", "--device", f"pjrt:{plugin}")
    assert " 0 failed, 0 skipped" in result.out, result.out
    assert result.code == 0


def test_compile_for_a_topology_and_run(plugin, tmp_path):
    out = tmp_path / "w.tpu"
    (tmp_path / "w.mlir").write_text(WEIGHTS)
    result = tenfold("compile", tmp_path / "w.mlir", "--target", f"pjrt:{plugin}:v5e:2x2", "-o", out)
    assert result.code == 0, result.err
    assert result.out.startswith("v5e:2x2  ")
    assert "of 16.00 GiB: fits\n" in result.out
    assert f"  written          {out}\n" in result.out
    assert out.stat().st_size > 192 * 192 * 4
    want = json.loads(tenfold("run", tmp_path / "w.mlir", "--random", "--json").out)["results"]
    got = tenfold("run", out, "--random", "--json", "--device", f"pjrt:{plugin}")
    assert got.code == 0, got.err
    assert json.loads(got.out)["results"] == want
    nowhere = tenfold("run", out, "--random")
    assert (nowhere.code, nowhere.err) == (
        1,
        f"tenfold: {out} was compiled by a plugin of its own: say which with --device pjrt:PATH.so\n",
    )
    assert "is compiled for a plugin's device; 'cpu' is none" in tenfold("run", out, "-d", "cpu", "--random").err


def test_a_file_that_is_called_tpu_and_is_none(tmp_path):
    (tmp_path / "x.tpu").write_text("junk\n")
    for device in ([], ["--device", "cpu"]):
        done = tenfold("run", tmp_path / "x.tpu", "--random", *device)
        assert done.code in (1, 2) and "is not a program compiled for a plugin" in done.err, done


@pytest.mark.skipif(glob.glob("/dev/accel[0-9]*") + glob.glob("/dev/vfio/[0-9]*") != [], reason="there is a TPU")
def test_a_file_for_a_tpu_says_at_once_that_there_is_none(plugin, tmp_path):
    env = {**os.environ, "TPU_LIBRARY_PATH": str(plugin)}
    compiled = tenfold("compile", MLP, "--target", "tpu:v5e:2x2", "-o", tmp_path / "m.tpu", env=env)
    assert compiled.code == 0, compiled.err
    for arguments in (["run", tmp_path / "m.tpu"], ["run", MLP, "--device", "tpu"]):
        done = tenfold(*arguments, "--random", env=env)
        assert done.code == 2 and "no TPU in this machine (neither /dev/accel* nor /dev/vfio/* is there)" in done.err


@pytest.mark.parametrize("where", [8, 20, 40, 200, 1000, -1000])
def test_a_damaged_file_is_refused(plugin, tmp_path, where):
    out = tmp_path / "m.tpu"
    assert tenfold("compile", MLP, "--target", f"pjrt:{plugin}:v5e:2x2", "-o", out).code == 0
    data = out.read_bytes()
    out.write_bytes(data[:where])
    result = tenfold("run", out, "--random", "--device", f"pjrt:{plugin}")
    assert result.code in (1, 2)
    assert result.err.startswith("tenfold: ")


def test_json_compare_and_schedule(plugin):
    target = f"pjrt:{plugin}:v5e:2x2"
    report = json.loads(tenfold("compile", MLP, "--target", target, "--json").out)
    page = json.loads(tenfold("report", MLP, "--target", target, "--json").out)
    assert {key: page["target"][key] for key in report if key != "seconds"} == {
        key: report[key] for key in report if key != "seconds"
    }
    assert page["device"] == target
    assert len(page["before"]) > 3
    assert page["steps"] == []
    assert "--mesh goes with --target" in tenfold("report", MLP, "--mesh", "data=2", "--json").err
    assert report["target"] == "v5e:2x2" and report["fits"] is True
    assert report["memory"]["arguments"] == report["estimate"]["arguments"] == 4 * (4 * 8 + 8 * 16 + 16 + 16 * 3 + 3)
    table = tenfold("compile", MLP, "--compare", f"{target},pjrt:{plugin}:v4:2x2x1").out.splitlines()
    assert [line.split()[0] for line in table] == ["target", "v5e:2x2", "v4:2x2x1"]
    assert "stablehlo.dot_general" in tenfold("show", MLP, "--stage", "hlo", "--target", target).out


def test_a_plugin_that_crashes_is_survived(plugin):
    target = f"pjrt:{plugin}:v5e:2x2"
    crash = tenfold("compile", MLP, "--target", target, **broken("crash=PJRT_Compile"))
    assert (crash.code, crash.out) == (1, "")
    assert crash.err == (
        "tenfold: libtest_plugin.so crashed while it compiled for v5e:2x2 (Segmentation fault); it said:\n"
        "  about to crash\n  while compiling for v5e:2x2\n"
    )
    left = tenfold("compile", MLP, "--target", target, **broken("exit=PJRT_TopologyDescription_Create"))
    assert left.code == 1
    assert "libtest_plugin.so ended its process while it compiled for v5e:2x2 (exit status 7)" in left.err
    assert "about to exit" in left.err
    loaded = tenfold("compile", MLP, "--target", target, **broken("crash=PJRT_Plugin_Initialize"))
    assert "libtest_plugin.so crashed while it was loaded" in loaded.err
    # In this process the crash is the command's own.
    assert tenfold("compile", MLP, "--target", target, "--no-isolate", **broken("crash=PJRT_Compile")).code == -11


def test_plugins_are_found_beside_python(tmp_path):
    python = tmp_path / "bin" / "python3"
    library = tmp_path / "lib" / "python3.12" / "site-packages" / "libtpu" / "libtpu.so"
    for path in (python, library):
        path.parent.mkdir(parents=True)
        path.write_text("#!/bin/sh\n")
        path.chmod(0o755)
    hidden = ("TPU_LIBRARY_PATH", "VIRTUAL_ENV", "PYTHONPATH")
    environment = {name: value for name, value in os.environ.items() if name not in hidden}
    environment["PATH"] = f"{python.parent}:{environment['PATH']}"
    result = tenfold("compile", MLP, "--target", "tpu:v5e:2x2", env=environment)
    assert result.code == 1 and str(python.parent) in result.err and "was not found" not in result.err


def test_a_crash_while_running_is_survived(plugin):
    how = ["run", MLP, "--random", "--device", f"pjrt:{plugin}"]
    plain, apart = tenfold(*how), tenfold(*how, "--isolate")
    assert apart.code == 0
    assert [line for line in apart.out.splitlines() if " ms" not in line] == [
        line for line in plain.out.splitlines() if " ms" not in line
    ]
    crash = tenfold(*how, "--isolate", **broken("crash=PJRT_LoadedExecutable_Execute"))
    assert (crash.code, crash.out) == (1, "")
    assert f"tenfold: the process that ran {MLP} on pjrt:{plugin} crashed (Segmentation fault)" in crash.err


@pytest.mark.parametrize("isolate", [[], ["--no-isolate"]])
@pytest.mark.parametrize(
    "call",
    ["Plugin_Initialize", "TopologyDescription_Create", "TopologyDescription_GetDeviceDescriptions", "Compile",
     "Executable_GetCostAnalysis", "Executable_GetCompiledMemoryStats", "Executable_OptimizedProgram",
     "Executable_Serialize", "Executable_Destroy", "TopologyDescription_Destroy"],
)  # fmt: skip
def test_every_call_of_compiling_may_fail(plugin, call, isolate):
    result = tenfold("compile", MLP, "--target", f"pjrt:{plugin}:v5e:2x2", *isolate, **broken(f"fail=PJRT_{call}"))
    assert (result.code, result.out) == (1, "")
    assert f"tenfold: libtest_plugin.so: {call}: injected failure (DATA_LOSS)\n  why: because.\n" in result.err


def test_what_is_not_there(plugin, tmp_path):
    def fails(*arguments, code=1, **options) -> str:
        result = tenfold(*arguments, **options)
        assert (result.code, result.out) == (code, "")
        return result.err

    assert "no such topology" in fails("compile", MLP, "--target", f"pjrt:{plugin}:nowhere")
    assert "there is no plugin at /no/such.so" in fails("compile", MLP, "--target", "pjrt:/no/such.so:v5e:2x2", code=2)
    assert "no TPU 'tpu:v99:2x2'; there are v2, v3, v4" in fails("compile", MLP, "--target", "tpu:v99:2x2", code=2)
    assert "no target 'abacus'" in fails("compile", MLP, "--target", "abacus", code=2)
    missing = {**os.environ, "TPU_LIBRARY_PATH": str(tmp_path / "libtpu.so")}
    assert "TPU_LIBRARY_PATH is" in fails("compile", MLP, "--target", "tpu:v5e:2x2", code=2, env=missing)
    # A model that is too big is refused before any plugin is looked for.
    (tmp_path / "huge.mlir").write_text(HUGE)
    err = fails("compile", tmp_path / "huge.mlir", "--target", "tpu:v5e:2x2", env=missing)
    assert "needs about 16.25 GiB of memory on each device" in err
    assert f"16384.0 MiB  tensor<4096x1048576xf32>  argument 1  {tmp_path}/huge.mlir:3\n" in err


def test_devices_say_why_not(tmp_path):
    found = {each["name"]: each for each in json.loads(tenfold("devices", "--json").out)}
    assert {"tpu", "cuda-xla"} <= found.keys()
    missing = {**os.environ, "TPU_LIBRARY_PATH": str(tmp_path / "libtpu.so")}
    here = {each["name"]: each for each in json.loads(tenfold("devices", "--json", env=missing).out)}
    assert here["tpu"]["usable"] is False
    assert "TPU_LIBRARY_PATH is" in here["tpu"]["here"]


def test_a_program_over_several_devices(build, tmp_path):
    numpy = pytest.importorskip("numpy")
    (tmp_path / "two.mlir").write_text(SPREAD)
    plugin = build / "src" / "plugin" / "libtenfold_pjrt.so"
    four = {**os.environ, "TENFOLD_CPU_DEVICES": "4"}

    def results(device, env, program=tmp_path / "two.mlir") -> list:
        out = tmp_path / "out"
        done = tenfold("run", program, "--random", "-d", device, "-o", out, env=env)
        assert done.code == 0, done.err
        return [numpy.load(out / f"{i}.npy") for i in range(2)]

    want = results("cpu", os.environ)
    for mesh in ("data=2,model=2", "data=4", "model=4"):
        for a, b in zip(want, results(f"pjrt:{plugin}?{mesh}", four), strict=True):
            assert numpy.abs(a - b).max() < 1e-4, mesh
        # The same, compiled before, for devices that need not be there then.
        stored = tmp_path / "two.tpu"
        words = ("--target", f"pjrt:{plugin}:4", "--mesh", mesh, "-o", stored)
        assert tenfold("compile", tmp_path / "two.mlir", *words).code == 0
        for a, b in zip(want, results(f"pjrt:{plugin}", four, stored), strict=True):
            assert numpy.abs(a - b).max() < 1e-4, mesh
    alone = tenfold("run", stored, "--random", "-d", f"pjrt:{plugin}")
    assert alone.err == f"tenfold: the program is compiled for 4 devices; pjrt:{plugin} has 1\n"
    nowhere = tenfold("compile", tmp_path / "two.mlir", "--target", f"pjrt:{plugin}:many")
    assert "'many' is not a topology of CPU devices" in nowhere.err
    few = tenfold("run", tmp_path / "two.mlir", "--random", "-d", f"pjrt:{plugin}?data=8", env=four)
    assert (few.code, few.err.splitlines()[0]) == (
        1,
        f"tenfold: the program is spread over 8 devices; pjrt:{plugin}?data=8 has 4",
    )


@pytest.mark.parametrize("dialect", ["sdy", "mhlo"])
def test_a_program_with_shardings_of_its_own(build, tmp_path, dialect):
    numpy = pytest.importorskip("numpy")
    program, stored, out = tmp_path / "own.mlir", tmp_path / "own.tpu", tmp_path / "out"
    program.write_text(own(dialect))
    plugin = build / "src" / "plugin" / "libtenfold_pjrt.so"
    four = {**os.environ, "TENFOLD_CPU_DEVICES": "4"}

    def results(which, device, env) -> list:
        done = tenfold("run", which, "--random", "-d", device, "-o", out, env=env)
        assert done.code == 0, done.err
        return [numpy.load(out / f"{i}.npy") for i in range(2)]

    want = results(program, "cpu", os.environ)
    compiled = tenfold("compile", program, "--target", f"pjrt:{plugin}:4", "-o", stored)
    assert compiled.code == 0, compiled.err
    for which in (program, stored):
        for a, b in zip(want, results(which, f"pjrt:{plugin}", four), strict=True):
            assert numpy.abs(a - b).max() < 1e-4
    repeated = tenfold("run", stored, "--random", "-d", f"pjrt:{plugin}", "--repeat", 3, env=four)
    assert repeated.code == 0, repeated.err
    alone = tenfold("run", stored, "--random", "-d", f"pjrt:{plugin}")
    assert alone.err == f"tenfold: the program is compiled for 4 devices; pjrt:{plugin} has 1\n"
