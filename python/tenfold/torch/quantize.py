"""An archive of torch.export in int8, as PyTorch's own pt2e flow writes them: what `tenfold quantize -o OUT.pt2` runs.

    python -m tenfold.torch.quantize MODEL.pt2 -o OUT.pt2 --command TENFOLD [--json] [OPTION…]

Convolutions and matmuls by weights read their input through quantized_decomposed.quantize_per_tensor and
dequantize_per_tensor (unsigned bytes), and weights that are stored as int8 with a scale for each output through
dequantize_per_channel. Everything else stays: names, inputs, dynamic sizes, lines. The scales come from the command,
which runs an archive that returns those inputs (`tenfold quantize --ranges`, with the other options).
"""

from __future__ import annotations

import argparse
import json
import logging
import os
import signal
import subprocess
import sys
import tempfile
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

MOST = 127  # of a weight, in bytes
LEVELS = 255  # of an input
# where the input and the weights of an op are, and the outputs' dimension of the weights
OPS = {
    "aten.conv1d.default": (0, 1, 0),
    "aten.conv1d.padding": (0, 1, 0),
    "aten.conv2d.default": (0, 1, 0),
    "aten.conv2d.padding": (0, 1, 0),
    "aten.conv3d.default": (0, 1, 0),
    "aten.conv3d.padding": (0, 1, 0),
    "aten.convolution.default": (0, 1, 0),
    "aten.linear.default": (0, 1, 0),
    "aten.mm.default": (0, 1, 1),
    "aten.matmul.default": (0, 1, 1),
    "aten.addmm.default": (1, 2, 1),
}
# of a matrix, with the arguments that make them so
SWAPS = {
    "aten.t.default": [()],
    "aten.numpy_T.default": [()],
    "aten.permute.default": [([1, 0],), ([-1, -2],), ([-1, 0],), ([1, -2],)],
    "aten.transpose.int": [(0, 1), (1, 0), (-2, -1), (-1, -2), (0, -1), (-1, 0)],
}
TRANSPOSED = 6  # the argument of aten.convolution that says so


class Refused(Exception):
    """A program or a command line that cannot be quantized: the message says why."""


@dataclass
class Site:
    node: Any  # of the op
    place: int  # of its input
    path: list[Any]  # from the weights' placeholder to the op: itself, and transposes
    axis: int  # of the stored weights: the outputs

    @property
    def input(self) -> Any:
        return self.node.args[self.place]


def tensor_of(node: Any) -> Any:
    return getattr(node, "meta", {}).get("val")


def is_f32(node: Any) -> bool:
    import torch

    value = tensor_of(node)
    return isinstance(value, torch.Tensor) and value.dtype == torch.float32


def is_swap(node: Any) -> bool:
    """Whether it transposes a matrix."""
    ways = SWAPS.get(str(getattr(node, "target", "")))
    if ways is None or tensor_of(node).dim() != 2:
        return False
    return tuple(list(a) if isinstance(a, (list, tuple)) else a for a in node.args[1:]) in ways


def site_of(node: Any, stored: set[str]) -> Site | None:
    """The op as one that int8 can compute; None: another op, or not by weights."""
    kind = str(node.target)
    if node.op != "call_function" or kind not in OPS:
        return None
    place, second, axis = OPS[kind]
    if kind == "aten.convolution.default" and node.args[TRANSPOSED]:
        return None
    path = [node.args[second]]
    while is_swap(path[0]):
        path.insert(0, path[0].args[0])
        axis = 1 - axis
    weights, x = path[0], node.args[place]
    if getattr(weights, "name", "") not in stored or getattr(x, "name", "") in stored or not is_f32(x):
        return None
    if not is_f32(weights) or tensor_of(weights).numel() == 0:
        return None
    if "conv" not in kind and tensor_of(weights).dim() != 2:
        return None
    return Site(node, place, path, axis)


def stored_names(program: Any) -> dict[str, str]:
    """Placeholders of parameters and buffers that stay as they are, and what they are called in the state."""
    from torch.export.graph_signature import InputKind

    changed = set(program.graph_signature.buffers_to_mutate.values())
    kinds = (InputKind.PARAMETER, InputKind.BUFFER)
    specs = [s for s in program.graph_signature.input_specs if s.kind in kinds and s.target in program.state_dict]
    return {s.arg.name: s.target for s in specs if s.target not in changed}


def rebuilt(program: Any, graph: Any, signature: Any, state: dict[str, Any]) -> Any:
    import torch

    module = torch.fx.GraphModule(program.graph_module, graph)
    module.meta.update(program.graph_module.meta)
    return torch.export.ExportedProgram(
        root=module,
        graph=graph,
        graph_signature=signature,
        state_dict=state,
        range_constraints=program.range_constraints,
        module_call_graph=program.module_call_graph,
        example_inputs=program.example_inputs,
        constants=program.constants,
        verifiers=program.verifiers,
    )


def returning(program: Any, inputs: list[Any]) -> Any:
    """The program with these values as its results; what it writes to buffers is left out."""
    import torch
    from torch.export.graph_signature import ExportGraphSignature, OutputKind, OutputSpec, TensorArgument

    graph, renamed = torch.fx.Graph(), {}
    graph.graph_copy(program.graph, renamed)
    for node in reversed(list(graph.nodes)):  # such as a batch norm's count of batches
        if str(node.target).endswith("_.Tensor") and not node.users and node.args[0].op == "placeholder":
            graph.erase_node(node)
    graph.output(tuple(renamed[x] for x in inputs))
    results = [OutputSpec(OutputKind.USER_OUTPUT, TensorArgument(renamed[x].name), None) for x in inputs]
    signature = ExportGraphSignature(program.graph_signature.input_specs, results)
    return rebuilt(program, graph, signature, program.state_dict)


def scales_of(weights: Any, axis: int) -> Any:
    import torch

    others = [i for i in range(weights.dim()) if i != axis]
    most = weights.detach().abs().amax(others) / MOST
    return torch.where(most > 0, most, torch.ones_like(most))


def in_bytes(weights: Any, scales: Any, axis: int) -> Any:
    import torch

    shape = [-1 if i == axis else 1 for i in range(weights.dim())]
    return (weights.detach() / scales.reshape(shape)).round().clamp(-MOST, MOST).to(torch.int8).contiguous()


class Writer:
    """Puts the ops of int8 into a program's graph."""

    def __init__(self, program: Any) -> None:
        import torch

        self.program, self.graph = program, program.graph
        self.state = dict(program.state_dict)
        self.specs = list(program.graph_signature.input_specs)
        self.names = stored_names(program)
        self.ops = torch.ops.quantized_decomposed
        self.weights: dict[tuple[Any, int], Any] = {}
        self.activations: dict[Any, Any] = {}

    def call(self, target: Any, arguments: tuple[Any, ...], value: Any, like: Any) -> Any:
        node = self.graph.call_function(target, arguments)
        node.meta.update({k: v for k, v in like.meta.items() if k in ("stack_trace", "nn_module_stack")})
        node.meta["val"] = value
        return node

    def placeholder(self, target: str, value: Any, before: Any) -> Any:
        """A buffer of the archive, which comes in before the node."""
        from torch.export.graph_signature import InputKind, InputSpec, TensorArgument

        self.state[target] = value
        with self.graph.inserting_before(before):
            node = self.graph.placeholder("b_" + target.replace(".", "_"))
        node.meta["val"] = tensor_of(before).fake_mode.from_tensor(value, static_shapes=True)
        at = next(i for i, s in enumerate(self.specs) if getattr(s.arg, "name", None) == before.name)
        self.specs.insert(at, InputSpec(InputKind.BUFFER, TensorArgument(node.name), target, True))
        return node

    def weights_of(self, site: Site) -> Any:
        import torch

        stored, axis = site.path[0], site.axis
        if (stored, axis) not in self.weights:
            name = self.names[stored.name]
            value = self.program.state_dict[name]
            scales = scales_of(value, axis)
            end = "" if axis == 0 else f"_{axis}"
            values = (in_bytes(value, scales, axis), scales, torch.zeros(len(scales), dtype=torch.int64))
            parts = [
                self.placeholder(f"{name}_{part}{end}", v, stored)
                for part, v in zip(("int8", "scale", "zero_point"), values, strict=True)
            ]
            with self.graph.inserting_before(self.first_op()):
                arguments = (*parts, axis, -MOST, MOST, torch.int8)
                self.weights[stored, axis] = self.call(
                    self.ops.dequantize_per_channel.default, arguments, tensor_of(stored), site.node
                )
        return self.weights[stored, axis]

    def first_op(self) -> Any:
        return next(node for node in self.graph.nodes if node.op != "placeholder")

    def activation(self, x: Any, scale: float, zero: int) -> Any:
        import torch

        if x not in self.activations:
            what = (scale, zero, 0, LEVELS, torch.uint8)
            value = tensor_of(x)
            after = x if x.op != "placeholder" else None
            before = after.next if after else self.first_op()
            with self.graph.inserting_before(before):
                fewer = self.call(
                    self.ops.quantize_per_tensor.default, (x, *what), value.new_empty(value.shape, dtype=torch.uint8), x
                )
                self.activations[x] = self.call(
                    self.ops.dequantize_per_tensor.default, (fewer, *what), value.new_empty(value.shape), x
                )
        return self.activations[x]

    def write(self, site: Site, scale: float, zero: int) -> None:
        weights = self.weights_of(site)
        x = self.activation(site.input, scale, zero)
        site.node.update_arg(site.place, x)
        if len(site.path) == 1:
            site.node.replace_input_with(site.path[0], weights)
            return
        site.node.replace_input_with(site.path[-1], self.moved(site, weights))

    def moved(self, site: Site, weights: Any) -> Any:
        """The weights through copies of the transposes that the op read them through."""
        with self.graph.inserting_before(site.node):
            for step in site.path[1:]:
                weights = self.call(step.target, (weights, *step.args[1:]), tensor_of(step), step)
        return weights

    def finished(self) -> Any:
        """Without weights, and transposes of them, that nothing reads any more."""
        from torch.export.graph_signature import ExportGraphSignature

        for node in reversed(list(self.graph.nodes)):
            if not node.users and is_swap(node):
                self.graph.erase_node(node)
        rounded = {self.program.state_dict[self.names[stored.name]].data_ptr() for stored, _ in self.weights}
        for stored in [node for node in self.graph.nodes if node.name in self.names and not node.users]:
            if self.program.state_dict[self.names[stored.name]].data_ptr() not in rounded:
                continue
            self.specs = [s for s in self.specs if getattr(s.arg, "name", None) != stored.name]
            name = self.names[stored.name]
            self.graph.erase_node(stored)
            if all(s.target != name for s in self.specs):
                del self.state[name]
        signature = ExportGraphSignature(self.specs, self.program.graph_signature.output_specs)
        return rebuilt(self.program, self.graph, signature, self.state)


def is_dequantized(node: Any) -> bool:
    return "quantized_decomposed.dequantize" in str(getattr(node, "target", ""))


def sites_of(program: Any) -> list[Site]:
    stored = set(stored_names(program))
    found = [site_of(node, stored) for node in program.graph.nodes]
    return [s for s in found if s and not is_dequantized(s.input)]


def save(program: Any, path: Path) -> None:
    """At once or not at all."""
    import torch

    if path.exists() and not path.is_file():
        torch.export.save(program, path)
        return
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".pt2", dir=path.parent)
    os.close(handle)
    try:
        torch.export.save(program, name)
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(name, 0o666 & ~mask)
        os.replace(name, path)
    except BaseException:
        os.unlink(name)
        raise


def ranges(command: list[str], program: Any, inputs: list[Any], model: str) -> dict[str, Any]:
    """What the command says of these values on the samples."""
    with tempfile.TemporaryDirectory(prefix="tenfold-quantize-") as folder:
        path = Path(folder) / "values.pt2"
        save(returning(program, inputs), path)
        done = subprocess.run(
            [command[0], "quantize", str(path), "--ranges", "--json", *command[1:]],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        if done.returncode:
            raise Refused(done.stderr.strip().removeprefix("tenfold: ").replace(str(path), model))
        report = json.loads(done.stdout)
        report["layers"] = report["layers"][: len(inputs)]  # after them come buffers that the program changes
        return report


def load(path: str) -> Any:
    if not Path(path).is_file() or not zipfile.is_zipfile(path):
        raise Refused(f"{path}: no archive of torch.export.save")
    try:
        import torch
    except ImportError as error:
        raise Refused(f"writing an archive needs PyTorch: {error}") from None
    try:
        import torch.ao.quantization.fx._decomposed
    except ImportError as error:
        raise Refused(f"this PyTorch has no quantized_decomposed ops: {error}") from None
    logging.getLogger("torch.export").setLevel(logging.CRITICAL)  # the message below says it
    try:
        return torch.export.load(path)
    except Exception as error:  # whatever an archive that is none leads to
        raise Refused(f"{path}: {error}") from None


def layer_of(site: Site) -> str:
    """The module that the op is in, or the op's own name."""
    stack = site.node.meta.get("nn_module_stack") or {}
    names = [path for path, _ in stack.values()]
    return names[-1] if names and names[-1] else site.node.name


def show(rows: list[dict[str, Any]], samples: int, output: str) -> None:
    print(f"{'layer':34} {'op':24} {'input':16} {'scale':>11} {'zero':>5}")
    for row in rows:
        print(f"{row['layer']:34} {row['op']:24} {row['shape']:16} {row['scale']:11.5g} {row['zero_point']:5}")
    print(f"{samples} samples; written {output}")


def quantize(path: str, output: str, command: list[str], as_json: bool) -> None:
    program = load(path)
    sites = sites_of(program)
    if not sites:
        raise Refused(f"quantizing {path}: no convolution and no matmul with constant weights of f32")
    inputs = list(dict.fromkeys(site.input for site in sites))
    report = ranges(command, program, inputs, path)
    seen = dict(zip(inputs, report["layers"], strict=True))
    rows = [
        seen[s.input] | {"layer": layer_of(s), "op": "convolution" if "conv" in str(s.node.target) else "matmul"}
        for s in sites
    ]
    writer = Writer(program)
    for site, row in zip(sites, rows, strict=True):
        writer.write(site, row["scale"], row["zero_point"])
    save(writer.finished(), Path(output))
    if as_json:
        print(json.dumps(report | {"output": output, "layers": rows}))
    else:
        show(rows, report["samples"], output)


def main() -> int:
    parser = argparse.ArgumentParser(prog="tenfold quantize")
    parser.add_argument("model")
    parser.add_argument("-o", dest="output", required=True)
    parser.add_argument("--command", required=True, help="the tenfold command")
    parser.add_argument("--json", action="store_true")
    options, rest = parser.parse_known_args()
    try:
        quantize(options.model, options.output, [options.command, *rest], options.json)
    except (Refused, OSError) as error:
        print(f"tenfold: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 128 + signal.SIGINT
    return 0


if __name__ == "__main__":
    sys.exit(main())
