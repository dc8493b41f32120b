"""Many architectures (zoo_list.py) through every door, with PyTorch eager and inductor in the same run.

    make bench-zoo                                                 everything: hours
    make bench-zoo ARGS="--model resnet18 lstm --row forward-1"    some
    make bench-zoo ARGS="--kind audio --door compile --peer eager --cpu-time --threads 1"

A row is `forward-N` (no gradients; N images or sequences) or `training-N` (forward, backward and AdamW). Doors:
`compile`, torch.compile(backend="tenfold") with its defaults; `device`, the model moved to torch.device("tenfold");
`archive`, a file of torch.export (forward only). Peers: `eager`, and `inductor` (with freezing in forward rows).

Each model and row has a process of its own, forked once the libraries are imported, with a time limit. In it everybody
takes turns; a figure is the median over the rounds, in brackets the least. Results are compared with eager's: those of
the first call, in training the gradients and the second loss (gradients that differ are compared with f64). A model
that fails or is wrong is printed as such. A ratio is the time of the better peer divided by the time of a door, of the
least times. On a machine with other work to do: --cpu-time --threads 1.
Writes out/bench/zoo.json after every row; --resume keeps the rows that are in it.
"""

from __future__ import annotations

import argparse
import copy
import json
import math
import os
import platform
import select
import signal
import statistics
import sys
import tempfile
import time
import traceback
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
OUT = ROOT / "out" / "bench" / "zoo.json"
sys.path[:0] = [str(ROOT / "bench"), str(ROOT / "python")]

ROWS = ["forward-1", "forward-8", "training-4"]
PRECISIONS = ["f32", "bf16"]
PEERS = ["eager", "inductor"]
DOORS = ["compile", "device", "archive"]
TURN = 0.05  # seconds of calls in a turn, at least one call
# What results, and in training gradients, may differ by: as a share of the largest element, of the norm.
CLOSE = {"f32": (2e-3, 2e-2), "bf16": (0.1, 0.3)}


# ---- the process of one model ----------------------------------------------------------------------------------------


class Bench:
    """One model with the inputs of one row. A call returns what is compared with eager's."""

    def __init__(self, job: dict[str, Any]) -> None:
        import torch
        from zoo_list import ZOO

        self.torch, self.job = torch, job
        torch.set_num_threads(job["threads"])
        torch.manual_seed(0)
        self.training, batch = job["row"].split("-")[0] == "training", int(job["row"].split("-")[1])
        model, self.inputs = ZOO[job["model"]].make(batch)
        self.model = model.train(self.training)
        for module in model.modules():  # nothing is random, so that results can be compared
            for name in ("p", "drop_prob", "drop_rate", "dropout", "layerdrop"):
                kind = (name + type(module).__name__).lower()
                if isinstance(getattr(module, name, None), float) and ("drop" in kind or "stochastic" in kind):
                    setattr(module, name, 0.0)
        if not self.training:
            for weight in model.parameters():
                weight.requires_grad_(False)

    def autocast(self, device: str = "cpu") -> Any:
        if self.job["precision"] == "f32":
            return nullcontext()
        return self.torch.autocast(device, self.torch.bfloat16)

    def forward(self, run: Callable, inputs: tuple, device: str = "cpu") -> Callable:
        def call() -> Any:
            with self.torch.no_grad(), self.autocast(device):
                return flat(run(*inputs), device)

        return call

    def step(self, model: Any, run: Callable, inputs: tuple, device: str = "cpu") -> Callable:
        optimizer = self.torch.optim.AdamW(model.parameters(), lr=1e-4)

        def call() -> list[Any]:
            optimizer.zero_grad()
            with self.autocast(device):
                results = run(*inputs)
                first = results[0] if isinstance(results, tuple | list) else results
                loss = (first if first.dtype == self.torch.float64 else first.float()).square().mean()
            loss.backward()
            optimizer.step()
            return [loss.detach().cpu()]

        def gradients() -> list[Any]:
            return [p.grad.cpu().float().clone() for p in model.parameters() if p.grad is not None]

        call.gradients = gradients
        return call

    def make(self, door: str) -> Callable:
        return getattr(self, door)()

    def eager(self) -> Callable:
        if not self.training:
            return self.forward(self.model, self.inputs)
        own = copy.deepcopy(self.model)
        return self.step(own, own, self.inputs)

    def compiled(self, **options: Any) -> Callable:
        if not self.training:
            return self.forward(self.torch.compile(self.model, **options), self.inputs)
        own = copy.deepcopy(self.model)
        return self.step(own, self.torch.compile(own, **options), self.inputs)

    def inductor(self) -> Callable:
        import torch._inductor.config

        torch._inductor.config.freezing = not self.training
        return self.compiled()

    def compile(self) -> Callable:
        import tenfold.torch.backend  # noqa: F401

        return self.compiled(backend="tenfold")

    def device(self) -> Callable:
        import tenfold  # noqa: F401

        own = copy.deepcopy(self.model).to("tenfold")
        inputs = tuple(x.to("tenfold") for x in self.inputs)
        if not self.training:
            return self.forward(own, inputs, "tenfold")
        return self.step(own, own, inputs, "tenfold")

    def archive(self) -> Callable | None:
        import tenfold

        if self.training:
            return None
        torch = self.torch
        with tempfile.TemporaryDirectory() as folder, torch.no_grad(), self.autocast():
            path = str(Path(folder) / "model.pt2")
            torch.export.save(torch.export.export(self.model, self.inputs), path)
            program = tenfold.load(path)
            call = self.forward(lambda *x: [torch.from_dlpack(y) for y in program(*x)], self.inputs)
            call()  # the file may be gone afterwards
        return call


def flat(results: Any, device: str) -> list[Any]:
    results = list(results) if isinstance(results, tuple | list) else [results]
    return [r.cpu() for r in results] if device != "cpu" else results


def difference(mine: list[Any], wanted: list[Any]) -> float:
    """As a share of the largest element; infinite where shapes or infinities differ."""
    worst = 0.0
    for a, b in zip(mine, wanted, strict=True):
        a, b = a.detach().double(), b.detach().double()
        if a.shape != b.shape or not bool((a.isfinite() == b.isfinite()).all()):
            return math.inf
        scale = b.abs().nan_to_num(0, 0, 0).max().item() if b.numel() else 0
        delta = (a - b).abs().nan_to_num(0, 0, 0).max().item() if b.numel() else 0
        worst = max(worst, delta / scale if scale else delta)
    return worst


def norm_difference(mine: list[Any], wanted: list[Any]) -> float:
    if len(mine) != len(wanted):
        return math.inf
    delta = sum((a - b).double().square().sum().item() for a, b in zip(mine, wanted, strict=True))
    total = sum(b.double().square().sum().item() for b in wanted)
    return math.sqrt(delta / total) if total else math.sqrt(delta)


def first_calls(bench: Bench, who: str) -> tuple[Callable, dict[str, Any], list[Any], list[Any]]:
    """Two calls: the results of the last one, and the gradients of the first."""
    start = time.perf_counter()
    call = bench.make(who)
    if call is None:
        return None, {"status": "none"}, [], []
    call()
    gradients = call.gradients() if bench.training else []
    results = [r.detach().clone() for r in call()]
    return call, {"status": "ok", "first": time.perf_counter() - start, "times": []}, results, gradients


def judge(figure: dict[str, Any], mine: tuple, wanted: tuple, precision: str) -> None:
    close = CLOSE[precision]
    figure["difference"] = difference(mine[0], wanted[0])
    if wanted[1]:
        figure["gradients"] = norm_difference(mine[1], wanted[1])
    if not (figure["difference"] <= close[0] and figure.get("gradients", 0.0) <= close[1]):
        figure["status"] = "WRONG"


def take_turns(calls: dict[str, Callable], figures: dict[str, Any], job: dict[str, Any]) -> None:
    clock = time.process_time if job["cpu_time"] else time.perf_counter
    counts = {}
    for who, call in calls.items():
        start = time.perf_counter()
        call()
        counts[who] = max(1, min(200, round(TURN / max(time.perf_counter() - start, 1e-6))))
    for _ in range(job["rounds"]):
        for who, call in calls.items():
            start = clock()
            for _ in range(counts[who]):
                call()
            figures[who]["times"].append((clock() - start) / counts[who])


def judge_by_f64(figure: dict[str, Any], mine: list[Any], wanted: list[Any], bench: Bench) -> None:
    """Batch norm over few elements multiplies rounding errors: gradients in f32 are right where they are about as far
    from those in f64 as eager's are."""
    if figure["difference"] > CLOSE["f32"][0] or len(mine) != len(wanted):
        return
    model = copy.deepcopy(bench.model).double()
    call = bench.step(model, model, tuple(x.double() if x.is_floating_point() else x for x in bench.inputs))
    call()
    exact = call.gradients()
    figure["to f64"], figure["eager to f64"] = norm_difference(mine, exact), norm_difference(wanted, exact)
    if figure["to f64"] <= 1.5 * figure["eager to f64"]:
        figure["status"] = "ok"


def run_child(job: dict[str, Any], out: Any) -> None:
    bench = Bench(job)
    calls, figures, wanted = {}, {}, None
    for who in [*job["peers"], *job["doors"]]:
        try:
            call, figure, *mine = first_calls(bench, who)
            if call is not None:
                calls[who] = call
                if who == "eager":
                    wanted = mine
                elif wanted is not None:
                    judge(figure, tuple(mine), tuple(wanted), job["precision"])
                    if figure["status"] == "WRONG" and bench.training and job["precision"] == "f32":
                        judge_by_f64(figure, mine[1], wanted[1], bench)
        except Exception as error:
            traceback.print_exc()
            figure = {"status": "FAILED", "error": f"{type(error).__name__}: {error}".splitlines()[0][:300]}
        figures[who] = figure
        print(json.dumps(figures), file=out, flush=True)  # what is known if it does not get further
    take_turns(calls, figures, job)
    print(json.dumps(figures), file=out, flush=True)


# ---- the rows --------------------------------------------------------------------------------------------------------


def import_libraries(models: list[str]) -> None:
    """What takes long, before processes are forked. Nothing is computed here: threads would not survive that."""
    import zoo_list

    makers = {zoo_list.ZOO[m].make.__qualname__.split(".")[0] for m in models}
    if makers & {"timm", "vision", "segmentation", "video", "hugging", "sequence"}:  # transformers imports it, too
        zoo_list.import_torchvision()
    for maker, library in (("timm", "timm"), ("hugging", "transformers"), ("sequence", "transformers")):
        if maker in makers:
            __import__(library)


def read_all(source: int, limit: float) -> tuple[str, bool]:
    """What is written to a pipe until it is closed or time is up, and whether it was closed."""
    end, text = time.monotonic() + limit, b""
    while (left := end - time.monotonic()) > 0:
        if not select.select([source], [], [], left)[0]:
            break
        piece = os.read(source, 65536)
        if not piece:
            return text.decode(), True
        text += piece
    return text.decode(), False


def fork_child(job: dict[str, Any], limit: float, log: Path) -> tuple[str, str]:
    """What the process of a job wrote, and how it ended if not well."""
    source, sink = os.pipe()
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        status = 1
        try:
            os.setsid()
            os.close(source)
            errors = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
            os.dup2(errors, 1)
            os.dup2(errors, 2)
            with os.fdopen(sink, "w") as out:
                run_child(job, out)
            status = 0
        except BaseException:
            traceback.print_exc()
        finally:
            sys.stderr.flush()
            os._exit(status)
    os.close(sink)
    text, done = read_all(source, limit)
    os.close(source)
    if not done:
        os.killpg(child, signal.SIGKILL)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return text, f"not done after {limit:.0f} s" if not done else f"stopped with status {status}" if status else ""


def run_row(job: dict[str, Any], limit: float, log: Path) -> dict[str, Any]:
    text, ended = fork_child(job, limit, log)
    lines = [line for line in text.splitlines() if line.startswith("{") and line.endswith("}")]
    figures = json.loads(lines[-1]) if lines else {}
    if ended:
        last = log.read_text(errors="replace").strip().splitlines()[-1:]
        for who in [*job["peers"], *job["doors"]]:
            if not figures.get(who, {}).get("times"):
                figures.setdefault(who, {})
                figures[who] |= {"status": "FAILED", "error": ended + (f": {last[0][:200]}" if last else "")}
                break
    for figure in figures.values():
        times = figure.pop("times", [])
        if times:
            figure |= {"median": statistics.median(times), "best": min(times)}
    return {**job, "figures": figures}


def ratio(row: dict[str, Any], door: str, peers: list[str], key: str = "median") -> float | None:
    figures = row["figures"]
    mine = figures.get(door, {}).get(key)
    theirs = [figures[p][key] for p in peers if figures.get(p, {}).get(key)]
    return min(theirs) / mine if mine and theirs and figures[door]["status"] == "ok" else None


def cell(figure: dict[str, Any] | None) -> str:
    if not figure or figure["status"] == "none":
        return "-"
    if "median" not in figure:
        return figure["status"]
    text = f"{figure['median'] * 1e3:.2f} ({figure['best'] * 1e3:.2f})"
    return text if figure["status"] == "ok" else f"{text} {figure['status']}"


def name_of(row: dict[str, Any]) -> str:
    return f"{row['model']} {row['row']} {row['precision']}"


def line_of(row: dict[str, Any], doors: list[str]) -> str:
    cells = [cell(row["figures"].get(who)) for who in [*PEERS, *doors]]
    ratios = [ratio(row, d, p, k) for d, p, k in (("compile", ["eager"], "best"), ("compile", PEERS, "best"))]
    ratios += [ratio(row, d, PEERS, "best") for d in doors if d != "compile"]
    return f"| {name_of(row)} | " + " | ".join(cells + [f"{r:.2f}" if r else "-" for r in ratios]) + " |"


def heading(doors: list[str]) -> str:
    rest = [d for d in doors if d != "compile"]
    names = ["row", *PEERS, *doors, "compile to eager", "to the better", *(f"{d} to the better" for d in rest)]
    return "| " + " | ".join(names) + " |\n|" + "---|" * len(names)


def mean(values: list[float]) -> float:
    return math.exp(sum(map(math.log, values)) / len(values))


def summary(rows: list[dict[str, Any]], doors: list[str]) -> str:
    lines = []
    for door in doors:
        for peers in (["eager"], PEERS):
            found = [(r, v) for row in rows if (r := row) and (v := ratio(row, door, peers, "best"))]
            if not found:
                continue
            against = "eager" if len(peers) == 1 else "the better of eager and inductor"
            lines.append(f"{door}: geometric mean {mean([v for _, v in found]):.3f} of {against} ({len(found)} rows)")
            under = sorted(((v, name_of(r)) for r, v in found if v < 1.0))
            if under:
                lines.append("  under 1.0: " + ", ".join(f"{name} {v:.2f}" for v, name in under))
    broken = [
        (name_of(r), who, f) for r in rows for who, f in r["figures"].items() if f["status"] in ("FAILED", "WRONG")
    ]
    for name, who, figure in broken:
        lines.append(f"!! {name}: {who} {figure['status']}: {figure.get('error') or differences_of(figure)}")
    return "\n".join(lines)


def differences_of(figure: dict[str, Any]) -> str:
    text = f"results differ from eager's by {figure['difference']:.2g}"
    return text + (f", gradients by {figure['gradients']:.2g}" if "gradients" in figure else "")


def parse() -> argparse.Namespace:
    from zoo_list import ZOO

    kinds = sorted({entry.kind for entry in ZOO.values()})
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", nargs="*", choices=list(ZOO), metavar="NAME", help="some of --list")
    parser.add_argument("--kind", nargs="*", choices=kinds, help="models of some kinds")
    parser.add_argument("--row", nargs="*", default=ROWS, metavar="ROW", help=f"forward-N, training-N (default {ROWS})")
    parser.add_argument("--precision", nargs="*", default=PRECISIONS, choices=PRECISIONS, help="bf16 is autocast")
    parser.add_argument("--door", nargs="*", default=DOORS, choices=DOORS)
    parser.add_argument("--peer", nargs="*", default=PEERS, choices=PEERS)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--cpu-time", action="store_true", help="seconds of the CPU; with --threads 1")
    parser.add_argument("--limit", type=float, default=600, help="seconds for one model and row")
    parser.add_argument("--out", type=Path, default=OUT)
    parser.add_argument("--resume", action="store_true", help="keep the rows that --out has")
    parser.add_argument("--list", action="store_true", help="print the models and stop")
    parser.add_argument("--table", action="store_true", help="print the rows that --out has and stop")
    options = parser.parse_args()
    for row in options.row:
        name, _, count = row.partition("-")
        if name not in ("forward", "training") or not count.isdigit() or int(count) < 1:
            parser.error(f"unknown row '{row}'; use forward-N or training-N, such as {', '.join(ROWS)}")
    if options.list:
        print("\n".join(f"{name:30s}{entry.kind}" for name, entry in ZOO.items()))
        sys.exit()
    chosen = options.model or list(ZOO)
    options.model = [m for m in chosen if not options.kind or ZOO[m].kind in options.kind]
    return options


def load(path: Path) -> list[dict[str, Any]]:
    return json.loads(path.read_text())["rows"] if path.exists() else []


def main() -> None:
    options = parse()
    rows = load(options.out) if options.resume or options.table else []
    if not options.table:
        options.out.parent.mkdir(parents=True, exist_ok=True)
        os.environ |= {"OMP_NUM_THREADS": str(options.threads), "TENFOLD_THREADS": str(options.threads)}
        import_libraries(options.model)
        known = {name_of(row) for row in rows}
        print(heading(options.door), flush=True)
        for model, row, precision in ((m, r, p) for p in options.precision for r in options.row for m in options.model):
            job = {"model": model, "row": row, "precision": precision, "peers": options.peer, "doors": options.door}
            job |= {"rounds": options.rounds, "threads": options.threads, "cpu_time": options.cpu_time}
            if name_of(job) in known:
                continue
            made = run_row(job, options.limit, options.out.with_suffix(".log"))
            rows.append(made)
            print(line_of(made, options.door), flush=True)
            for who, figure in made["figures"].items():
                if figure["status"] in ("FAILED", "WRONG"):
                    why = figure.get("error") or differences_of(figure)
                    print(f"!! {name_of(made)}: {who} {figure['status']}: {why}", flush=True)
            options.out.write_text(json.dumps({"machine": platform.processor() or platform.machine(), "rows": rows}))
    else:
        print(heading(options.door))
        print("\n".join(line_of(row, options.door) for row in rows))
    print(summary(rows, options.door))


if __name__ == "__main__":
    main()
