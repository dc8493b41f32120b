"""The recorded graph as the JSON that the library's importer reads (torch.export's own schema)."""

from __future__ import annotations

from tenfold.torch import custom
from tenfold.torch.lazy.recording import recorder
from tenfold.torch.lazy.schema import MISSING, Handler


class _Operands:
    """What custom lowerings are given for values: their types."""

    def __getitem__(self, value: int) -> custom.Operand:
        spec = recorder.spec_of(value)
        return custom.Operand(spec.shape, spec.dtype)


def _give_body(node: int, handler: Handler) -> None:
    """An op that was given a lowering: its StableHLO stands in the node."""
    positional, named = [], {}
    given = recorder.node(node, _Operands())[1]
    for k, ((name, _), item) in enumerate(zip(handler.signature, given, strict=False)):
        if item is MISSING:
            continue
        if k < handler.positional:
            positional.append(item)
        else:
            named[name] = item
    text, _ = custom.build(handler.custom, positional, named)
    recorder.body(node, text)


def to_json(wanted: tuple[int, ...], only: int | None = None) -> str:
    """The graph, returning these values; `only` one node, with its operands as inputs."""
    recorder.leave()
    for node in range(recorder.count) if only is None else (only,):
        handler = recorder.node(node, None)[0]
        if handler is not None and handler.custom is not None:
            _give_body(node, handler)
    return recorder.json(wanted, -1 if only is None else only)
