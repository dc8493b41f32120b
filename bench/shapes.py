"""One program at many sizes: how often code is generated, whether results are right, and what a size costs.

    python bench/shapes.py --model encoder bert gpt2 resnet --door compile archive device --peer eager inductor
    python bench/shapes.py --model encoder --door jax --peer
    python bench/shapes.py --generate llama gpt2 t5 mixtral --cache dynamic static --door compile device

Sizes are the pairs of LENGTHS lengths (of images: widths) and BATCHES batches from 2 on, in random order; every result
is compared with eager's. `new` is the CPU time of the first call of a size beyond its second call, in ms, the median
over sizes. Then PAIRS of the sizes are called by turns with the peers, which saw every size before: ratios are the
peer's CPU time divided by ours, best of ROUNDS calls, the median over sizes and the worst size; `specialised` is
Tenfold with dynamic=False, compiled for each size alone. One thread, everything in one process. `--generate`: CPU ms
for each token of transformers' generate(), greedy, the best of ROUNDS.
"""

from __future__ import annotations

import argparse
import copy
import functools
import itertools
import os
import random
import statistics
import tempfile
import time
from collections.abc import Callable
from typing import Any

os.environ.setdefault("TENFOLD_CACHE", "off")
os.environ.setdefault("TENFOLD_THREADS", "1")
import tenfold
import torch
from torch import nn

LENGTHS, BATCHES, PAIRS, ROUNDS, TOKENS = 50, 10, 24, 5, 64
TOLERANCE = {"rtol": 1e-3, "atol": 1e-4}
Call = Callable[..., Any]


class Last(nn.Module):
    """A model of transformers as a function of its tokens or images."""

    def __init__(self, model: nn.Module, **options: Any) -> None:
        super().__init__()
        self.model, self.options = model, options

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.model(x, **self.options)[0]


def tokens(batch: int, length: int) -> torch.Tensor:
    return torch.randint(0, 1000, (batch, length))


def make(name: str) -> tuple[nn.Module, Call]:
    """The model, and an input of a batch and a length."""
    import transformers as t

    torch.manual_seed(0)
    if name == "encoder":
        layer = nn.TransformerEncoderLayer(64, 4, 128, batch_first=True)
        return nn.TransformerEncoder(layer, 2).eval(), lambda b, n: torch.randn(b, n, 64)
    if name == "bert":
        sized = {"hidden_size": 128, "num_hidden_layers": 4, "num_attention_heads": 4, "intermediate_size": 256}
        return Last(t.BertModel(t.BertConfig(vocab_size=1000, **sized))).eval(), tokens
    if name == "gpt2":
        config = t.GPT2Config(n_embd=128, n_layer=3, n_head=4, vocab_size=1000, n_positions=256)
        return Last(t.GPT2Model(config), use_cache=False).eval(), tokens
    sized = {"embedding_size": 16, "hidden_sizes": [16, 32, 64], "depths": [1, 1, 1], "layer_type": "basic"}
    model = Last(t.ResNetModel(t.ResNetConfig(**sized))).eval()
    return model, lambda b, n: torch.randn(b, 3, 16 + n, 16 + n)


def cpu(call: Call, *inputs: Any) -> float:
    start = time.process_time()
    call(*inputs)
    return (time.process_time() - start) * 1e3


def jax_encoder(model: nn.Module) -> tenfold.Program:
    """The encoder as JAX exports it with a symbolic batch and length."""
    import jax
    import jax.export
    import jax.numpy as jnp

    def norm(x: Any, scale: Any, bias: Any) -> Any:
        mean = x.mean(-1, keepdims=True)
        return (x - mean) / jnp.sqrt(((x - mean) ** 2).mean(-1, keepdims=True) + 1e-5) * scale + bias

    def layer(x: Any, p: dict[str, Any]) -> Any:
        (b, n, width), heads = x.shape, 4
        inner = x @ p["self_attn.in_proj_weight"].T + p["self_attn.in_proj_bias"]
        q, k, v = (t.reshape(b, n, heads, width // heads).transpose(0, 2, 1, 3) for t in jnp.split(inner, 3, -1))
        y = jax.nn.softmax(q @ k.swapaxes(-1, -2) / (width // heads) ** 0.5, -1) @ v
        y = y.transpose(0, 2, 1, 3).reshape(b, n, width) @ p["self_attn.out_proj.weight"].T
        x = norm(x + y + p["self_attn.out_proj.bias"], p["norm1.weight"], p["norm1.bias"])
        y = jax.nn.relu(x @ p["linear1.weight"].T + p["linear1.bias"]) @ p["linear2.weight"].T + p["linear2.bias"]
        return norm(x + y, p["norm2.weight"], p["norm2.bias"])

    layers = [{k: jnp.asarray(v.detach().numpy()) for k, v in one.named_parameters()} for one in model.layers]
    shape = jax.ShapeDtypeStruct((*jax.export.symbolic_shape("batch, length"), 64), jnp.float32)
    exported = jax.export.export(jax.jit(lambda x: functools.reduce(layer, layers, x)))(shape)
    return tenfold.Program(tenfold._core.parse(exported.mlir_module_serialized))


def door(name: str, model: nn.Module, example: torch.Tensor) -> tuple[Call, Callable[[], int]]:
    """The program, and what tells how often code was generated."""
    counts = lambda: tenfold.stats()["compilations"]  # noqa: E731
    tenfold.reset_stats()
    if name == "compile":
        torch._dynamo.reset()
        return torch.compile(model, backend="tenfold", dynamic=True), counts
    if name == "device":
        there = copy.deepcopy(model).to("tenfold")
        return lambda x: there(x.to("tenfold")).cpu(), counts
    if name == "jax":
        program = jax_encoder(model)
        return lambda x: torch.from_dlpack(program(x)[0]), lambda: program._program.counts[0]
    dims = {0: torch.export.Dim("batch", max=64), 1: torch.export.Dim("length", max=256)}
    if example.dim() == 4:
        side = torch.export.Dim("side", min=17, max=512)
        dims = {0: dims[0], 2: side, 3: side}
    exported = torch.export.export(model, (example,), dynamic_shapes=(dims,))
    with tempfile.TemporaryDirectory() as folder:
        torch.export.save(exported, f"{folder}/m.pt2")
        program = tenfold.load(f"{folder}/m.pt2")
    return lambda x: torch.from_dlpack(program(x)[0]), lambda: program._program.counts[0]


def other(peer: str, model: nn.Module) -> Call:
    if peer == "eager":
        return model
    if peer == "inductor":
        return torch.compile(model, dynamic=True)
    return torch.compile(copy.deepcopy(model), backend="tenfold", dynamic=False)


def row(name: str, through: str, peers: list[str], lengths: int, batches: int) -> str:
    model, inputs = make(name)
    order = random.Random(0)
    chosen = sorted(order.sample(range(3, 129), lengths))
    pairs = [(b, n) for b in range(2, 2 + batches) for n in chosen]
    order.shuffle(pairs)
    run, counts = door(through, model, inputs(3, 40))
    new, wrong = [], 0
    for i, (b, n) in enumerate(pairs):
        x = inputs(b, n)
        first, second = cpu(run, x), cpu(run, x)
        if i >= 3:
            new.append(first - second)
        wrong += not torch.allclose(run(x), model(x), **TOLERANCE)
    cells = [name, through, str(len(pairs)), str(counts()), str(wrong), f"{statistics.median(new):.2f}"]
    calls = {peer: other(peer, model) for peer in peers}
    ratios: dict[str, list[float]] = {peer: [] for peer in peers}
    for b, n in pairs[: PAIRS if peers else 0]:
        x = inputs(b, n)
        for call in [run, *calls.values()]:
            call(x)
        best = [min(cpu(call, x) for _ in range(ROUNDS)) for call in [run, *calls.values()]]
        for peer, value in zip(peers, best[1:], strict=True):
            ratios[peer].append(value / best[0])
    cells += [f"{statistics.median(r):.2f} (worst {min(r):.2f})" for r in ratios.values()]
    return "| " + " | ".join(cells) + " |"


def causal(name: str) -> tuple[Any, torch.Tensor]:
    import transformers as t

    torch.manual_seed(0)
    if name == "t5":
        sized = {"d_model": 64, "d_kv": 16, "d_ff": 128, "num_layers": 2, "num_heads": 4, "vocab_size": 500}
        return t.T5ForConditionalGeneration(t.T5Config(decoder_start_token_id=0, **sized)).eval(), tokens(1, 12) % 500
    if name == "gpt2":
        config = t.GPT2Config(n_embd=64, n_layer=2, n_head=4, vocab_size=500, n_positions=256)
        return t.GPT2LMHeadModel(config).eval(), tokens(1, 12) % 500
    sized = {"hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 2, "vocab_size": 500}
    heads = {"num_attention_heads": 4, "num_key_value_heads": 2, "max_position_embeddings": 256}
    if name == "mixtral":
        experts = {"num_local_experts": 4, "num_experts_per_tok": 2}
        return t.MixtralForCausalLM(t.MixtralConfig(**sized, **heads, **experts)).eval(), tokens(1, 12) % 500
    return t.LlamaForCausalLM(t.LlamaConfig(**sized, **heads)).eval(), tokens(1, 12) % 500


def generate(name: str, peers: list[str], cache: str = "dynamic", through: str = "compile") -> str:
    model, ids = causal(name)
    there = copy.deepcopy(model).to("tenfold")  # a model that has generated holds its static cache
    options = {"max_new_tokens": TOKENS, "min_new_tokens": TOKENS, "do_sample": False, "pad_token_id": 0}
    if cache == "static":
        options["cache_implementation"] = "static"
    eager, wanted = model.forward, model.generate(ids, **options)
    cells, took = [name, cache, through], {}
    for peer in ["tenfold", *peers]:
        torch._dynamo.reset()
        tenfold.reset_stats()
        backend = {} if peer != "tenfold" else {"backend": "tenfold"}
        on_device = peer == "tenfold" and through == "device"
        run = there if on_device else model
        given = ids.to("tenfold") if on_device else ids
        if not on_device:
            model.forward = eager if peer == "eager" else torch.compile(eager, dynamic=True, **backend)
        same = torch.equal(run.generate(given, **options).cpu(), wanted)
        if peer == "tenfold":
            cells += [str(tenfold.stats()["compilations"]), "yes" if same else "no"]
        call = functools.partial(run.generate, given, **options)
        took[peer] = min(cpu(call) for _ in range(ROUNDS)) / TOKENS
    cells += [f"{took['tenfold']:.2f}", *[f"{took[peer]:.2f}" for peer in peers]]
    return "| " + " | ".join(cells) + " |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", nargs="*", default=[], choices=["encoder", "bert", "gpt2", "resnet"])
    parser.add_argument(
        "--door", nargs="*", default=["compile", "archive"], choices=["compile", "archive", "device", "jax"]
    )
    parser.add_argument("--generate", nargs="*", default=[], choices=["llama", "gpt2", "t5", "mixtral"])
    parser.add_argument("--cache", nargs="*", default=["dynamic"], choices=["dynamic", "static"])
    parser.add_argument("--peer", nargs="*", default=["eager"], choices=["eager", "inductor", "specialised"])
    parser.add_argument("--lengths", type=int, default=LENGTHS)
    parser.add_argument("--batches", type=int, default=BATCHES)
    chosen = parser.parse_args()
    if "jax" in chosen.door and set(chosen.model) - {"encoder"}:
        parser.error("--door jax takes --model encoder")
    torch.set_num_threads(1)
    torch.set_grad_enabled(False)
    torch._dynamo.config.recompile_limit = torch._dynamo.config.accumulated_recompile_limit = 1024  # `specialised`
    heads = [f"{peer} ÷ ours" for peer in chosen.peer]
    if chosen.model:
        print("| " + " | ".join(["model", "door", "sizes", "compilations", "wrong", "new", *heads]) + " |")
    for name in chosen.model:
        for through in chosen.door:
            print(row(name, through, chosen.peer, chosen.lengths, chosen.batches), flush=True)
    if chosen.generate:
        columns = ["model", "cache", "door", "compilations", "eager's tokens", "ours", *chosen.peer]
        print("| " + " | ".join(columns) + " |")
    for name, cache, through in itertools.product(chosen.generate, chosen.cache, chosen.door):
        if through in ("compile", "device"):
            print(generate(name, chosen.peer, cache, through), flush=True)


if __name__ == "__main__":
    main()
