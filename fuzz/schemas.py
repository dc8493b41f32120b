"""Writes PyTorch's operator schemas for fuzz_ops: one line an operator, fields separated by tabs.

    aten.add.Tensor <TAB> self:Tensor <TAB> other:Tensor <TAB> alpha:Scalar <TAB> -> <TAB> Tensor

A line of Python's operators on sizes, of control flow and of torch.vmap's marks follows: those are nodes of an export
without a schema of their own; a type `Graph` is a subgraph. `python fuzz/schemas.py FILE`.
"""

from __future__ import annotations

import re
import sys

SYMBOLIC = {
    "_operator": ["add", "sub", "mul", "floordiv", "truediv", "mod", "pow", "eq", "ne", "lt", "le", "gt", "ge", "and_"],
    "torch": ["sym_max", "sym_min"],
}
UNARY = {
    "_operator": ["neg", "not_", "pos", "abs"],
    "math": ["sqrt", "floor", "ceil", "trunc"],
    "builtins": ["round"],
    "torch": ["sym_float", "sym_int", "sym_not", "_sym_sqrt"],
}
CONTROL = {
    "cond": ["Tensor", "Graph", "Graph", "Tensor[]"],
    "while_loop": ["Graph", "Graph", "Tensor[]", "Tensor[]"],
    "scan": ["Graph", "Tensor[]", "Tensor[]", "Tensor[]"],
    "map_impl": ["Graph", "Tensor[]", "Tensor[]"],
    "wrap_with_set_grad_enabled": ["bool", "Graph", "Tensor"],
    "wrap_with_autocast": ["str", "ScalarType", "bool", "bool", "Graph", "Tensor"],
    "wrap": ["Graph", "Tensor", "Tensor"],
    "invoke_subgraph": ["Graph", "str", "Tensor"],
    "strict_mode": ["Graph", "Tensor[]"],
}


def simple(kind: str) -> str:
    """int[2] → int[], SymInt → int: what the generator tells apart."""
    kind = re.sub(r"\(.*?\)", "", kind).replace("SymInt", "int").replace("SymBool", "bool")
    return re.sub(r"\[\d+\]", "[]", kind)


def of_torch() -> list[str]:
    import torch

    lines = []
    for schema in torch._C._jit_get_all_schemas():
        namespace, _, name = schema.name.partition("::")
        if namespace not in ("aten", "prims"):
            continue
        full = f"{namespace}.{name}.{schema.overload_name or 'default'}"
        fields = [f"{a.name}:{simple(str(a.type))}" for a in schema.arguments]
        kinds = [simple(str(r.type)) for r in schema.returns]
        lines.append("\t".join([full, *fields, "->", *kinds]))
    return sorted(set(lines))


def translated(line: str) -> str:
    """The type names of TorchScript as those of the schema language."""
    line = re.sub(r"List\[Optional\[([^\t]*?)\]\](?=\t|$)", r"\1?[]", line)
    line = re.sub(r"Optional\[([^\t]*)\](?=\t|$)", r"\1?", line)
    return re.sub(r"List\[([^\t]*?)\](?=\t|$|\?)", r"\1[]", line)


def without_schema() -> list[str]:
    lines = []
    for table, count in ((SYMBOLIC, 2), (UNARY, 1)):
        for module, names in table.items():
            for name in names:
                fields = [f"arg{i}:number" for i in range(count)]
                lines.append("\t".join([f"{module}.{name}", *fields, "->", "number"]))
    for name, kinds in CONTROL.items():
        fields = [f"arg{i}:{kind}" for i, kind in enumerate(kinds)]
        lines.append("\t".join([f"higher_order.{name}", *fields, "->", "Tensor", "Tensor"]))
    return lines


if __name__ == "__main__":
    made = [translated(line) for line in of_torch()] + without_schema()
    with open(sys.argv[1], "w") as file:
        file.write("\n".join(made) + "\n")
