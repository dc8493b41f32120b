"""One library running one model, in a process of its own: `compare.py` starts it and says when to run.

    python bench/peer.py LIBRARY MODEL BATCH f32|bf16 FOLDER THREADS

Prints one line of JSON when it is ready ({"first": seconds to the first result, "result": file}), then one for each
line it reads: the seconds of that many calls.
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


class Job:
    """What is to be run: the files that compare.py made, or the model itself."""

    def __init__(self, model: str, batch: str, precision: str, folder: str, threads: str) -> None:
        self.model, self.batch, self.precision, self.threads = model, int(batch), precision, int(threads)
        self.stem = Path(folder) / f"{model}-{batch}-{precision}"
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


def eager(job: Job) -> Call:
    model, inputs = job.torch_model()
    return lambda: model(*inputs)


def inductor(job: Job) -> Call:
    import torch
    import torch._inductor.config

    torch._inductor.config.freezing = True
    model, inputs = job.torch_model()
    compiled = torch.compile(model)
    return lambda: compiled(*inputs)


def torch_tenfold(job: Job) -> Call:
    import tenfold  # noqa: F401
    import torch

    model, inputs = job.torch_model()
    compiled = torch.compile(model, backend="tenfold")
    return lambda: compiled(*inputs)


def tenfold(job: Job) -> Call:
    import tenfold

    program = tenfold.load(f"{job.stem}.pt2")
    inputs = job.inputs
    if job.precision == "bf16":
        import ml_dtypes

        inputs = [x.astype(ml_dtypes.bfloat16) if x.dtype == np.float32 else x for x in inputs]
    return lambda: np.asarray(program(*inputs)[0])


def onnxruntime(job: Job) -> Call:
    import onnxruntime as ort

    options = ort.SessionOptions()
    options.intra_op_num_threads = job.threads
    session = ort.InferenceSession(f"{job.stem}.onnx", options, providers=["CPUExecutionProvider"])
    feeds = {entry.name: value for entry, value in zip(session.get_inputs(), job.inputs, strict=True)}
    return lambda: session.run(None, feeds)[0]


def openvino(job: Job) -> Call:
    import openvino as ov

    core = ov.Core()
    settings = {
        "INFERENCE_NUM_THREADS": job.threads,
        "PERFORMANCE_HINT": "LATENCY",
        "INFERENCE_PRECISION_HINT": job.precision,
    }
    request = core.compile_model(core.read_model(f"{job.stem}.onnx"), "CPU", settings).create_infer_request()
    feeds = dict(enumerate(job.inputs))
    return lambda: next(iter(request.infer(feeds).values()))


def jax(job: Job) -> Call:
    """XLA's CPU compiler on the program that Tenfold runs."""
    import jax
    from jax._src import compiler, xla_bridge
    from jax._src.interpreters import mlir
    from jax._src.lib import xla_client
    from jaxlib.mlir import ir
    from jaxlib.mlir.dialects import stablehlo

    backend = xla_bridge.get_backend("cpu")
    with mlir.make_ir_context() as context:
        module = stablehlo.deserialize_portable_artifact(context, Path(f"{job.stem}.mlirbc").read_bytes())
        if not isinstance(module, ir.Module):  # older jaxlibs give text
            module = ir.Module.parse(module)
        if "sym_name" not in module.operation.attributes:  # JAX asks what the program is called
            module.operation.attributes["sym_name"] = ir.StringAttr.get("program")
        devices = xla_client.DeviceList(tuple(jax.devices("cpu")[:1]))
        loaded = compiler.backend_compile_and_load(backend, module, devices, xla_client.CompileOptions(), [])
    inputs = [jax.device_put(x) for x in job.inputs]
    return lambda: loaded.execute_sharded(inputs).disassemble_into_single_device_arrays()[0][0].block_until_ready()


def as_array(result: Any) -> np.ndarray:
    if hasattr(result, "detach"):
        return result.detach().float().contiguous().numpy()
    return np.asarray(result).astype(np.float32)


def main() -> None:
    library, *rest = sys.argv[1:]
    job = Job(*rest)
    start = time.perf_counter()
    call = globals()[library.replace("-", "_")](job)
    result = call()
    first = time.perf_counter() - start
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
