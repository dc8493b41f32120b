"""VGG19 and BERT-base for TPUs that are not here: what libtpu makes of Tenfold's programs and of the same in JAX.

    python bench/tpu.py make                 the PyTorch archives, in out/tpu (weights of a pattern: nothing is run)
    python bench/tpu.py compile [--jobs 8]   compiles each for each chip, Tenfold's and JAX's, and prints the tables

libtpu is found as `tenfold compile --target tpu:…` finds it (TPU_LIBRARY_PATH, or pip install libtpu); JAX loads the
same file. Every compilation is a process of its own; what is done lies in out/tpu/results and is not done again.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parent.parent
CHIPS = ["v2:2x2", "v3:2x2", "v4:2x2x1", "v5e:2x2", "v5p:2x2x1", "v6e:2x2", "tpu7x:2x2x1"]
VOCABULARY, LENGTH, CLASSES = 30522, 128, 2
OPTIMIZERS = {"vgg19": "sgd,lr=0.01", "bert": "adamw,lr=1e-4"}


class Job(NamedTuple):
    who: str
    model: str
    batch: int
    train: bool
    chip: str
    mesh: str = ""

    @property
    def name(self) -> str:
        parts = [self.model, str(self.batch), "step" if self.train else "forward", self.chip, self.mesh, self.who]
        return "-".join(part.replace(":", "_").replace("=", "").replace(",", "_") for part in parts if part)


def jobs() -> list[Job]:
    """The long ones first, so that none is left alone at the end."""
    found = []
    for who in ("tenfold", "jax"):
        found += [Job(who, "bert", 128, True, "v5e:4x4", "data=16"), Job(who, "bert", 16, True, "v5e:2x2", "model=4")]
    cases = [("vgg19", n, train, "v5e:2x2") for train in (True, False) for n in (100, 1)]
    cases += [
        (model, n, train, chip)
        for train in (True, False)
        for model, n in (("vgg19", 10), ("bert", 16))
        for chip in CHIPS
    ]
    return found + [Job(who, *case) for case in cases for who in ("tenfold", "jax")]


# The models of PyTorch


def make(folder: Path) -> None:
    import torch

    sys.path.insert(0, str(Path(__file__).resolve().parent))
    from models import VGG19, BertBase

    class Classifier(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.body, self.head = BertBase(), torch.nn.Linear(768, CLASSES)

        def forward(self, tokens: torch.Tensor) -> torch.Tensor:
            return self.head(self.body(tokens))

    folder.mkdir(parents=True, exist_ok=True)
    for model, name, batches in ((VGG19().eval(), "vgg19", (1, 10, 100)), (Classifier().eval(), "bert", (16, 128))):
        with torch.no_grad():
            for value in model.parameters():  # a pattern: the archive packs well, and no constant is one number
                value.copy_((torch.arange(value.numel()) % 64 / 64).reshape(value.shape))
        for batch in batches:
            if name == "vgg19":
                example = torch.zeros(batch, 3, 224, 224)
            else:
                example = torch.zeros(batch, LENGTH, dtype=torch.int64)
            torch.export.save(torch.export.export(model, (example,)), folder / f"{name}-{batch}.pt2")


# The same models in JAX, as they are written there: channels last, weights as (in, out)


def vgg19_shapes() -> dict[str, tuple[int, ...]]:
    shapes: dict[str, tuple[int, ...]] = {}
    inside = 3
    plan = [64, 64, 128, 128] + [256] * 4 + [512] * 8
    for i, width in enumerate(plan):
        shapes[f"c{i}"], shapes[f"cb{i}"] = (3, 3, inside, width), (width,)
        inside = width
    for i, (a, b) in enumerate(((25088, 4096), (4096, 4096), (4096, 1000))):
        shapes[f"d{i}"], shapes[f"db{i}"] = (a, b), (b,)
    return shapes


def vgg19_apply(p: dict, x: Any) -> Any:
    import jax
    from jax import lax

    conv = 0
    for count in (2, 2, 4, 4, 4):
        for _ in range(count):
            x = lax.conv_general_dilated(x, p[f"c{conv}"], (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))
            x = jax.nn.relu(x + p[f"cb{conv}"])
            conv += 1
        x = lax.reduce_window(x, -float("inf"), lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")
    x = x.reshape(x.shape[0], -1)
    for i in range(3):
        x = x @ p[f"d{i}"] + p[f"db{i}"]
        if i < 2:
            x = jax.nn.relu(x)
    return x


def bert_shapes() -> dict[str, tuple[int, ...]]:
    shapes: dict[str, tuple[int, ...]] = {"words": (VOCABULARY, 768), "places": (512, 768)}

    def dense(name: str, a: int, b: int) -> None:
        shapes[name], shapes[name + "b"] = (a, b), (b,)

    for i in range(25):
        shapes[f"s{i}"], shapes[f"sb{i}"] = (768,), (768,)
    for i in range(12):
        dense(f"q{i}", 768, 3 * 768)
        dense(f"o{i}", 768, 768)
        dense(f"u{i}", 768, 3072)
        dense(f"v{i}", 3072, 768)
    dense("pool", 768, 768)
    dense("head", 768, CLASSES)
    return shapes


def bert_apply(p: dict, tokens: Any) -> Any:
    import jax
    import jax.numpy as jnp

    def norm(x: Any, i: int) -> Any:
        mean = x.mean(-1, keepdims=True)
        var = ((x - mean) ** 2).mean(-1, keepdims=True)
        return (x - mean) * jax.lax.rsqrt(var + 1e-5) * p[f"s{i}"] + p[f"sb{i}"]

    def attention(x: Any, i: int) -> Any:
        batch, length, width = x.shape
        joint = (x @ p[f"q{i}"] + p[f"q{i}b"]).reshape(batch, length, 3, 12, 64)
        q, k, v = joint[:, :, 0], joint[:, :, 1], joint[:, :, 2]
        weights = jax.nn.softmax(jnp.einsum("blhd,bmhd->bhlm", q, k) / 8, axis=-1)
        y = jnp.einsum("bhlm,bmhd->blhd", weights, v).reshape(batch, length, width)
        return y @ p[f"o{i}"] + p[f"o{i}b"]

    x = norm(p["words"][tokens] + p["places"][: tokens.shape[1]], 24)
    for i in range(12):
        x = norm(x + attention(x, i), 2 * i)
        inner = jax.nn.gelu(x @ p[f"u{i}"] + p[f"u{i}b"], approximate=False)
        x = norm(x + inner @ p[f"v{i}"] + p[f"v{i}b"], 2 * i + 1)
    return jnp.tanh(x[:, 0] @ p["pool"] + p["poolb"]) @ p["head"] + p["headb"]


def jax_step(apply: Callable, adam: bool) -> Callable:
    import jax
    import jax.numpy as jnp

    def loss(p: dict, x: Any, y: Any) -> Any:
        logits = jax.nn.log_softmax(apply(p, x))
        return -jnp.mean(jnp.take_along_axis(logits, y[:, None], axis=1))

    def sgd(p: dict, x: Any, y: Any) -> tuple:
        value, grads = jax.value_and_grad(loss)(p, x, y)
        return jax.tree.map(lambda a, g: a - 0.01 * g, p, grads), value

    def adamw(state: tuple, x: Any, y: Any) -> tuple:
        p, m, v, count = state
        value, grads = jax.value_and_grad(loss)(p, x, y)
        count = count + 1
        m = jax.tree.map(lambda a, g: 0.9 * a + 0.1 * g, m, grads)
        v = jax.tree.map(lambda a, g: 0.999 * a + 0.001 * g * g, v, grads)
        scale, root = 1e-4 / (1 - 0.9**count), jnp.sqrt(1 - 0.999**count)
        new = jax.tree.map(lambda a, b, c: a * (1 - 1e-4 * 1e-2) - scale * b / (jnp.sqrt(c) / root + 1e-8), p, m, v)
        return (new, m, v, count), value

    return adamw if adam else sgd


def set_tpu_environment() -> None:
    """What libtpu needs to compile without a TPU."""
    os.environ["JAX_PLATFORMS"] = "cpu"
    for name, value in (
        ("TPU_SKIP_MDS_QUERY", "1"),
        ("TPU_ACCELERATOR_TYPE", "v5litepod-4"),
        ("TPU_WORKER_HOSTNAMES", "localhost"),
        ("TPU_WORKER_ID", "0"),
        ("ALLOW_MULTIPLE_LIBTPU_LOAD", "1"),
    ):
        os.environ.setdefault(name, value)


def compile_jax(job: Job, hlo: Path | None) -> dict:
    set_tpu_environment()
    import jax
    import jax.numpy as jnp
    import numpy as np
    from jax.experimental import topologies
    from jax.sharding import Mesh, NamedSharding, PartitionSpec

    axes = dict(part.split("=") for part in job.mesh.split(",")) if job.mesh else {}
    data, model = int(axes.get("data", 1)), int(axes.get("model", 1))
    devices = topologies.get_topology_desc(platform="tpu", topology_name=job.chip).devices[: data * model]
    mesh = Mesh(np.array(devices).reshape(data, model), ("data", "model"))

    def weight(shape: tuple[int, ...]) -> Any:
        """As `--mesh` splits: the longest dimension of each weight of 16,384 elements and more."""
        spec: list[str | None] = [None] * len(shape)
        fitting = [i for i, size in enumerate(shape) if size % model == 0]
        if model > 1 and fitting and int(np.prod(shape)) >= 16384:
            spec[max(fitting, key=lambda i: shape[i])] = "model"
        return jax.ShapeDtypeStruct(shape, jnp.float32, sharding=NamedSharding(mesh, PartitionSpec(*spec)))

    def given(shape: tuple[int, ...], dtype: Any) -> Any:
        return jax.ShapeDtypeStruct(shape, dtype, sharding=NamedSharding(mesh, PartitionSpec("data")))

    apply, shapes = (vgg19_apply, vgg19_shapes()) if job.model == "vgg19" else (bert_apply, bert_shapes())
    params = {name: weight(shape) for name, shape in shapes.items()}
    x = given((job.batch, 224, 224, 3), jnp.float32) if job.model == "vgg19" else given((job.batch, LENGTH), jnp.int32)
    start = time.perf_counter()
    if job.train:
        adam = OPTIMIZERS[job.model].startswith("adam")
        count = jax.ShapeDtypeStruct((), jnp.int32, sharding=NamedSharding(mesh, PartitionSpec()))
        state = (params, params, params, count) if adam else params
        y = given((job.batch,), jnp.int32)
        out = jax.tree.map(lambda a: a.sharding, state)
        lowered = jax.jit(jax_step(apply, adam), donate_argnums=0, out_shardings=(out, None)).lower(state, x, y)
    else:
        lowered = jax.jit(apply).lower(params, x)
    compiled = lowered.compile()
    seconds = time.perf_counter() - start
    if hlo:
        hlo.write_text(compiled.as_text())
    cost, memory = compiled.cost_analysis(), compiled.memory_analysis()
    cost = cost[0] if isinstance(cost, list) else cost
    return {
        "seconds": seconds,
        "flops": cost.get("flops"),
        "bytes_accessed": cost.get("bytes accessed"),
        "memory": {
            "arguments": memory.argument_size_in_bytes,
            "outputs": memory.output_size_in_bytes,
            "in_place": memory.alias_size_in_bytes,
            "temp": memory.temp_size_in_bytes,
            "code": memory.generated_code_size_in_bytes,
        },
        "jax": jax.__version__,
    }


# Both, side by side


def command(job: Job, folder: Path, tenfold: str, hlo: bool) -> list[str]:
    if job.who == "jax":
        me = [sys.executable, __file__, "one", json.dumps(job), "--folder", str(folder)]
        return me + (["--hlo"] if hlo else [])
    words = [tenfold, "compile", str(folder / f"{job.model}-{job.batch}.pt2"), "--target", "tpu:" + job.chip, "--json"]
    words += ["--mesh", job.mesh] if job.mesh else []
    words += ["--hlo", str(folder / "results" / (job.name + ".hlo"))] if hlo else []
    return words + (["--train", "--optimizer", OPTIMIZERS[job.model]] if job.train else [])


def run(job: Job, folder: Path, tenfold: str, limit: float, hlo: bool) -> None:
    out = folder / "results" / (job.name + ".json")
    if out.exists():
        return
    start = time.perf_counter()
    try:
        done = subprocess.run(
            command(job, folder, tenfold, hlo), capture_output=True, text=True, timeout=limit, check=False
        )
        if done.returncode:
            result = {"error": done.stderr.strip()[-600:]}
        else:
            result = json.loads(done.stdout[done.stdout.index("{") :])
    except subprocess.TimeoutExpired:
        result = {"error": f"not done in {limit:.0f} s"}
    result["wall"] = round(time.perf_counter() - start, 1)
    out.write_text(json.dumps({**job._asdict(), **result}))
    print(f"{job.name}: {result.get('error', '')[:200] or str(result['wall']) + ' s'}", flush=True)


def tables(folder: Path) -> None:
    results = [json.loads(path.read_text()) for path in sorted((folder / "results").glob("*.json"))]
    found = {(r["model"], r["batch"], r["train"], r["chip"], r["mesh"], r["who"]): r for r in results}
    row = "| {:<22} | {:<12} | {:>9} | {:>9} | {:>6} | {:>10} | {:>10} | {:>6} | {:>8} |"
    print(row.format("", "chip", "bytes", "JAX", "ratio", "temp MB", "JAX", "ratio", "compile"))
    print("| --- | --- |" + " ---: |" * 7)
    order = sorted(
        {key[:5] for key in found},
        key=lambda k: (k[4], k[0] != "vgg19", k[2], k[1], CHIPS.index(k[3]) if k[3] in CHIPS else 9),
    )
    for key in order:
        ours, theirs = found.get((*key, "tenfold"), {}), found.get((*key, "jax"), {})
        name = f"{key[0]} {'step' if key[2] else 'forward'} {key[1]}" + (f" {key[4]}" if key[4] else "")
        if "memory" not in ours or "memory" not in theirs:
            print(
                row.format(name, key[3], *[""] * 7) + f" {ours.get('error', '')[:300]} {theirs.get('error', '')[:300]}"
            )
            continue
        bytes_, temp = ours["bytes_accessed"], ours["memory"]["temp"]
        theirs_bytes, theirs_temp = theirs["bytes_accessed"], theirs["memory"]["temp"]
        print(
            row.format(
                name, key[3], f"{bytes_:.3e}", f"{theirs_bytes:.3e}", f"{bytes_ / theirs_bytes:.3f}",
                f"{temp / 1e6:.1f}", f"{theirs_temp / 1e6:.1f}",
                f"{temp / theirs_temp:.3f}" if theirs_temp else "-", f"{ours['seconds']:.0f} s",
            )
        )  # fmt: skip
        for kind in ours["collectives"]:
            print(f"    {kind['kind']} x {kind['count']}, {kind['bytes'] / 1e6:.1f} MB")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=["make", "compile", "table", "one"])
    parser.add_argument("job", nargs="?", help="of `one`: JAX's half of one compilation")
    parser.add_argument("--folder", type=Path, default=ROOT / "out" / "tpu")
    parser.add_argument("--tenfold", default=str(ROOT / "bin" / "tenfold"))
    parser.add_argument("--jobs", type=int, default=max(1, (os.cpu_count() or 2) // 2))
    parser.add_argument("--limit", type=float, default=3600, help="seconds that one compilation may take")
    parser.add_argument("--only", default="", help="jobs whose names match this expression")
    parser.add_argument("--hlo", action="store_true", help="keep the programs that libtpu made")
    a = parser.parse_args()
    if a.what == "make":
        make(a.folder)
    elif a.what == "one":
        job = Job(*json.loads(a.job))
        print(json.dumps(compile_jax(job, a.folder / "results" / (job.name + ".hlo") if a.hlo else None)))
    elif a.what == "compile":
        (a.folder / "results").mkdir(parents=True, exist_ok=True)
        with ThreadPoolExecutor(a.jobs) as pool:
            do = partial(run, folder=a.folder, tenfold=a.tenfold, limit=a.limit, hlo=a.hlo)
            list(pool.map(do, [job for job in jobs() if re.search(a.only, job.name)]))
        tables(a.folder)
    else:
        tables(a.folder)


if __name__ == "__main__":
    main()
