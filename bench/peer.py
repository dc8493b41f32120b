"""One library running one model, in a process of its own: `compare.py` starts it and says when to run.

    python bench/peer.py LIBRARY MODEL BATCH f32|bf16 FOLDER THREADS

Prints one line of JSON when it is ready ({"first": seconds to the first result, "result": file}), then one for each
line it reads: the seconds of that many calls. The seconds to the first result are those of compiling, or of loading and
compiling a file, and of the first call; not those of importing the library or of making the model.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent))

Call = Callable[[], Any]
Start = Callable[[], Call]  # compiles: what a library is given, imported and made before


class Job:
    """What is to be run: the files that compare.py made, or the model itself."""

    def __init__(self, model: str, batch: str, precision: str, folder: str, threads: str) -> None:
        self.model, self.batch, self.precision, self.threads = model, int(batch), precision, int(threads)
        self.stem = Path(folder) / f"{model}-{batch}-{precision}"
        self.onnx = Path(folder) / f"{model}-{batch}-f32.onnx"
        self.inputs = [np.load(f"{self.stem}-{i}.npy") for i in range(2 if model == "gpt2-decode" else 1)]

    def torch_model(self) -> tuple[Any, tuple[Any, ...]]:
        import models
        import torch

        torch.set_num_threads(self.threads)
        torch.set_grad_enabled(False)
        model, inputs = models.make(self.model, self.batch)
        if self.precision == "bf16":
            model = model.bfloat16()
            inputs = tuple(x.bfloat16() if x.is_floating_point() else x for x in inputs)
        if self.model in ("vgg19", "resnet50"):
            model = model.to(memory_format=torch.channels_last)
            inputs = tuple(x.to(memory_format=torch.channels_last) for x in inputs)
        return model, inputs


def eager(job: Job) -> Start:
    model, inputs = job.torch_model()
    return lambda: lambda: model(*inputs)


def compiled(job: Job, **options: Any) -> Start:
    import torch
    import torch._dynamo

    model, inputs = job.torch_model()

    def start() -> Call:
        run = torch.compile(model, **options)
        return lambda: run(*inputs)

    return start


def inductor(job: Job) -> Start:
    import torch._inductor.compile_fx
    import torch._inductor.config

    torch._inductor.config.freezing = True
    return compiled(job)


def torch_tenfold(job: Job) -> Start:
    import tenfold.torch.backend  # noqa: F401

    return compiled(job, backend="tenfold")


def torch_freeze(job: Job) -> Start:
    """As inductor is run: all weights compiled in."""
    import tenfold.torch.backend  # noqa: F401

    return compiled(job, backend="tenfold", options={"freeze": True})


def tenfold(job: Job, file: str = "pt2") -> Start:
    import tenfold

    inputs = job.inputs
    if job.precision == "bf16":
        import ml_dtypes

        inputs = [x.astype(ml_dtypes.bfloat16) if x.dtype == np.float32 else x for x in inputs]

    def start() -> Call:
        program = tenfold.load(f"{job.stem}.{file}")
        return lambda: np.asarray(program(*inputs)[0])

    return start


def tenfold_int8(job: Job) -> Start:
    return tenfold(job, "int8.mlirbc")


def onnxruntime_int8(job: Job) -> Start:
    job.onnx = Path(f"{job.stem}.qdq.onnx")
    return onnxruntime(job)


def openvino_int8(job: Job) -> Start:
    """What is not int8 runs in the precision that OpenVINO prefers on this CPU."""
    job.onnx = Path(f"{job.stem}.nncf.xml")
    return openvino(job, hint=False)


def onnxruntime(job: Job) -> Start:
    import onnxruntime as ort

    options = ort.SessionOptions()
    options.intra_op_num_threads = job.threads

    def start() -> Call:
        session = ort.InferenceSession(job.onnx, options, providers=["CPUExecutionProvider"])
        feeds = {entry.name: value for entry, value in zip(session.get_inputs(), job.inputs, strict=True)}
        return lambda: session.run(None, feeds)[0]

    return start


def openvino(job: Job, hint: bool = True) -> Start:
    import openvino as ov

    core = ov.Core()
    settings = {"INFERENCE_NUM_THREADS": job.threads, "PERFORMANCE_HINT": "LATENCY"}
    if hint:
        settings["INFERENCE_PRECISION_HINT"] = job.precision
    feeds = dict(enumerate(job.inputs))

    def start() -> Call:
        request = core.compile_model(core.read_model(job.onnx), "CPU", settings).create_infer_request()
        return lambda: next(iter(request.infer(feeds).values()))

    return start


def jax(job: Job) -> Start:
    """XLA's CPU compiler on the program that Tenfold runs."""
    import jax
    from jax._src import compiler, xla_bridge
    from jax._src.interpreters import mlir
    from jax._src.lib import xla_client
    from jaxlib.mlir import ir
    from jaxlib.mlir.dialects import stablehlo

    jax.config.update("jax_enable_x64", True)  # inputs stay what they are
    backend = xla_bridge.get_backend("cpu")
    inputs = [jax.device_put(x) for x in job.inputs]

    def start() -> Call:
        with mlir.make_ir_context() as context:
            module = stablehlo.deserialize_portable_artifact(context, Path(f"{job.stem}.mlirbc").read_bytes())
            if not isinstance(module, ir.Module):  # older jaxlibs give text
                module = ir.Module.parse(module)
            if "sym_name" not in module.operation.attributes:  # JAX asks what the program is called
                module.operation.attributes["sym_name"] = ir.StringAttr.get("program")
            devices = xla_client.DeviceList(tuple(jax.devices("cpu")[:1]))
            loaded = compiler.backend_compile_and_load(backend, module, devices, xla_client.CompileOptions(), [])
        return lambda: loaded.execute_sharded(inputs).disassemble_into_single_device_arrays()[0][0].block_until_ready()

    return start


def as_array(result: Any) -> np.ndarray:
    if hasattr(result, "detach"):
        return result.detach().float().contiguous().numpy()
    return np.asarray(result).astype(np.float32)


def main() -> None:
    library, *rest = sys.argv[1:]
    job = Job(*rest)
    start: Start = globals()[library.replace("-", "_")](job)
    begin = time.perf_counter()
    call = start()
    result = call()
    first = time.perf_counter() - begin
    saved = f"{job.stem}-{library}.npy"
    np.save(saved, as_array(result))
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what libraries print goes to stderr
    print(json.dumps({"first": first, "result": saved}), file=out, flush=True)
    for line in sys.stdin:
        times = []
        for _ in range(int(line)):
            begin = time.perf_counter()
            call()
            times.append(time.perf_counter() - begin)
        print(json.dumps(times), file=out, flush=True)


if __name__ == "__main__":
    main()
