"""A TPU that is simulated here: programs for TorchTPU and for JAX on TPUs run unchanged, on the CPU.

    tenfold tpu-sim --topology v5e:2x2 -- python train.py      # as a command
    tenfold.tpu_sim("v5e:2x2")                                 # in this process, before torch_tpu or JAX is used

The PJRT plugin of this package passes for the TPU: its devices, their memory and its limit. At the end the command
reports what was compiled and why again, how often the host waited, and what the programs would cost.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib.util
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from tenfold.paths import PACKAGE, SEARCH

SITE = Path(__file__).parent / "tpu_site"
GIB = 1 << 30


def library() -> str:
    """The PJRT plugin of this package or checkout."""
    places = [PACKAGE / "lib" / "libtenfold_pjrt.so", SEARCH.parent / "lib" / "libtenfold_pjrt.so"]
    given = os.environ.get("TENFOLD_PJRT_LIBRARY")
    found = given or next((str(place) for place in places if place.exists()), None)
    if not found:
        looked = ", ".join(map(str, places))
        raise FileNotFoundError(f"there is no libtenfold_pjrt.so (looked at {looked}); set TENFOLD_PJRT_LIBRARY to it")
    return os.path.abspath(found)


def environment(
    topology: str, precision: str = "f32", hbm: int | None = None, log: str | None = None, dump: str | None = None
) -> dict[str, str]:
    """The variables that make a child process see the simulated TPU. `hbm` is in MiB."""
    topology = topology.removeprefix("tpu:")
    if not re.fullmatch(r"\w+:[1-9]\d*(x[1-9]\d*)+", topology):
        raise ValueError(f"unknown topology '{topology}'; use a chip and its shape: v5e:2x2, v4:2x2x1")
    if precision not in ("f32", "tpu"):
        raise ValueError(f"unknown precision '{precision}'; use f32 or tpu (matmuls round their operands to bfloat16)")
    found = library()
    values = {
        "TENFOLD_TPU_SIM": topology,
        "TENFOLD_PRECISION": "bf16" if precision == "tpu" else "f32",
        "TENFOLD_DEVICE": "off",  # one PrivateUse1 backend a process, and it is the TPU
        "TPU_LIBRARY_PATH": found,
        "PJRT_DEVICE": "TPU",
        "TPU_SKIP_MDS_QUERY": "1",  # there is no metadata server to ask
        "JAX_PLATFORMS": os.environ.get("JAX_PLATFORMS", "tpu,cpu"),
    }
    if hbm:
        values["TENFOLD_TPU_SIM_HBM_MB"] = str(hbm)
    if log:
        values["TENFOLD_TPU_SIM_LOG"] = log
    if dump:
        values["TENFOLD_TPU_SIM_DUMP"] = os.path.abspath(dump)
    return values


def tpu_sim(topology: str = "v5e:1x1", precision: str = "f32", hbm: int | None = None) -> None:
    """Makes this process see a simulated TPU. Call it before torch_tpu or JAX touches its devices."""
    torch = sys.modules.get("torch")
    if torch is not None and torch._C._get_privateuse1_backend_name() == "tenfold":
        raise RuntimeError(
            "device 'tenfold' is registered in this process, and PyTorch has room for one such device: set "
            "TENFOLD_DEVICE=off before `import tenfold`, or run the program with `tenfold tpu-sim -- python …`"
        )
    jax = sys.modules.get("jax._src.xla_bridge")
    if jax is not None and jax.backends_are_initialized():
        raise RuntimeError("JAX has looked for its devices already: call tenfold.tpu_sim() before the first use of one")
    os.environ.update(environment(topology, precision, hbm))
    spec = importlib.util.spec_from_file_location("tenfold_tpu_child", SITE / "tenfold_tpu_child.py")
    child = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(child)
    child.install()
    hardware = sys.modules.get(child.HARDWARE)
    if hardware is not None:  # `import torch` has loaded torch_tpu, which found no TPU
        child.patch_hardware(hardware)
        sys.modules["torch_tpu._loader"].load()
        child.loaded(sys.modules["torch_tpu._loader"])


def events_of(lines: Iterable[str]) -> list[dict[str, Any]]:
    events = []
    for line in lines:
        with contextlib.suppress(ValueError):  # a process that was killed may have left half a line
            events.append(json.loads(line))
    return events


def recompiles(programs: list[dict[str, Any]]) -> list[str]:
    """Programs that differ from an earlier one in the types of their operands alone, and which operands those are."""
    first: dict[tuple, dict] = {}
    found = []
    for program in programs:
        key = (program["name"], program["skeleton"], len(program["inputs"]))
        earlier = first.setdefault(key, program)
        changed = [
            f"operand {i}: {old} is now {new}"
            for i, (old, new) in enumerate(zip(earlier["inputs"], program["inputs"], strict=True))
            if old != new
        ]
        if changed:
            where = f" ({program['line']})" if program["line"] else ""
            found.append(f"{program['name']}{where}: {', '.join(changed[:4])}")
    return found


def report_of(events: list[dict[str, Any]]) -> dict[str, Any] | None:
    """None when no device was opened."""
    tpu = next((event for event in events if event["event"] == "device"), None)
    if tpu is None:
        return None
    programs = [event for event in events if event["event"] == "compile"]
    known = {program["program"]: program for program in programs}
    runs = [known[e["program"]] for e in events if e["event"] == "run" and e["program"] in known]
    seconds = sum(max(p["flops"] / tpu["flops"], p["bytes"] / tpu["bandwidth"]) / p["devices"] for p in runs)
    needs = [p["arguments"] + p["outputs"] + p["temporaries"] for p in programs]
    peak = max([e["peak"] for e in events if e["event"] == "run"] + needs, default=0)
    return {
        "topology": tpu["topology"],
        "kind": tpu["kind"],
        "devices": tpu["devices"],
        "programs": len(programs),
        "runs": len(runs),
        "recompiles": recompiles(programs),
        "errors": list(dict.fromkeys(e["text"] for e in events if e["event"] == "error")),
        "host_copies": sum(e["event"] == "to_host" for e in events),
        "host_bytes": sum(e["bytes"] for e in events if e["event"] == "to_host"),
        "host_reads": {e["line"]: e["count"] for e in events if e["event"] == "read"},
        "flops": sum(p["flops"] for p in runs),
        "bytes": sum(p["bytes"] for p in runs),
        "seconds_at_best": seconds,
        "hbm_peak": peak,
        "hbm_limit": tpu["memory"],
    }


def in_words(report: dict[str, Any]) -> str:
    lines = [
        f"simulated TPU {report['topology']}: {report['devices']} device{'s' * (report['devices'] > 1)}",
        f"  programs   {report['programs']} compiled, {report['runs']} runs",
        f"  recompiles {len(report['recompiles'])}",
        *(f"    {line}" for line in report["recompiles"][:10]),
        *(f"  refused    {text[:200]}" for text in report["errors"][:10]),
        f"  host       {report['host_copies']} copies to the host, {report['host_bytes']} bytes",
    ]
    reads = sorted(report["host_reads"].items(), key=lambda item: -item[1])
    lines += [f"    {count} at {line}" for line, count in reads[:10]]
    lines += [
        f"  work       {report['flops']:.3g} flops, {report['bytes']:.3g} bytes of memory traffic (cost model)",
        f"  at best    {report['seconds_at_best']:.3g} s on the chip, by its published rates",
        f"  HBM        peak {report['hbm_peak'] / GIB:.3f} of {report['hbm_limit'] / GIB:.2f} GiB on a device",
    ]
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(prog="tenfold tpu-sim")
    parser.add_argument("--topology", default="v5e:1x1")
    parser.add_argument("--precision", default="f32")
    parser.add_argument("--hbm", type=int, help="MiB of memory of each device, instead of the chip's")
    parser.add_argument("--report", type=Path, help="write the report as JSON, too")
    parser.add_argument("--dump", help="write programs, operands and results into this folder")
    parser.add_argument("--quiet", action="store_true", help="print no report")
    parser.add_argument("command", nargs=argparse.REMAINDER)
    options = parser.parse_args()
    command = options.command[1:] if options.command[:1] == ["--"] else options.command
    if not command:
        print("tenfold: tpu-sim: needs a command: tenfold tpu-sim -- python train.py", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory(prefix="tenfold-tpu-sim-") as folder:
        log = Path(folder) / "log"
        try:
            values = environment(options.topology, options.precision, options.hbm, str(log), options.dump)
        except (ValueError, FileNotFoundError) as error:
            print(f"tenfold: tpu-sim: {error}", file=sys.stderr)
            return 2
        search = [str(SITE), os.environ.get("PYTHONPATH")]
        values["PYTHONPATH"] = os.pathsep.join(filter(None, search))
        try:
            code = subprocess.run(command, env=os.environ | values, check=False).returncode
        except OSError as error:
            print(f"tenfold: tpu-sim: {command[0]}: {error.strerror}", file=sys.stderr)
            return 2
        events = events_of(log.read_text().splitlines()) if log.exists() else []
    report = report_of(events)
    if report is None:
        print("tenfold: tpu-sim: the command used no TPU: neither torch_tpu nor JAX opened one", file=sys.stderr)
        return code if code >= 0 else 128 - code
    if options.report:
        options.report.write_text(json.dumps(report, indent=1) + "\n")
    if not options.quiet:
        print(in_words(report), file=sys.stderr)
    return code if code >= 0 else 128 - code


if __name__ == "__main__":
    sys.exit(main())
