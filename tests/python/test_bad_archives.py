"""Archives that are cut, changed or hostile: an error that says what is wrong, and never a crash."""

from __future__ import annotations

import io
import json
import os
import pathlib
import struct
import subprocess
import zipfile

import pytest

TENFOLD = os.environ.get("TENFOLD", "build/tools/cli/tenfold")
META = {"dtype": 7, "sizes": [{"as_int": 2}], "strides": [{"as_int": 1}], "storage_offset": {"as_int": 0}, "layout": 7}


def tensor(name: str) -> dict:
    return {"as_tensor": {"name": name}}


def program() -> dict:
    """y = x + w, as torch.export writes it."""
    node = {
        "target": "torch.ops.aten.add.Tensor",
        "inputs": [{"name": "self", "arg": tensor("x")}, {"name": "other", "arg": tensor("w")}],
        "outputs": [tensor("y")],
        "metadata": {"stack_trace": 'File "model.py", line 7, in forward'},
    }
    graph = {
        "inputs": [tensor("w"), tensor("x")],
        "outputs": [tensor("y")],
        "nodes": [node],
        "tensor_values": {"w": META, "x": META, "y": META},
    }
    signature = {
        "input_specs": [
            {"parameter": {"arg": {"name": "w"}, "parameter_name": "weight"}},
            {"user_input": {"arg": tensor("x")}},
        ],
        "output_specs": [{"user_output": {"arg": tensor("y")}}],
    }
    return {
        "graph_module": {"graph": graph, "signature": signature},
        "schema_version": {"major": 8, "minor": 20},
        "range_constraints": {},
    }


def archive(
    made: dict | str, weights: bytes = struct.pack("<2f", 1, 2), path_name: str = "weight_0", **options
) -> bytes:
    out = io.BytesIO()
    config = {
        "config": {"weight": {"path_name": path_name, "use_pickle": False, "tensor_meta": options.get("meta", META)}}
    }
    with zipfile.ZipFile(out, "w", options.get("method", zipfile.ZIP_STORED)) as file:
        file.writestr("m/byteorder", options.get("order", "little"))
        file.writestr("m/models/model.json", made if isinstance(made, str) else json.dumps(made))
        file.writestr("m/data/weights/weight_0", weights)
        file.writestr("m/data/weights/model_weights_config.json", json.dumps(config))
    return out.getvalue()


def show(tmp_path, data: bytes) -> subprocess.CompletedProcess:
    (tmp_path / "m.pt2").write_bytes(data)
    return subprocess.run([TENFOLD, "show", str(tmp_path / "m.pt2")], capture_output=True, text=True, timeout=60)


def test_the_archive_itself_is_right(tmp_path):
    done = show(tmp_path, archive(program()))
    assert done.returncode == 0, done.stderr
    assert "stablehlo.add" in done.stdout


def changed(change) -> dict:
    made = program()
    change(made)
    return made


def graph_of(made: dict) -> dict:
    return made["graph_module"]["graph"]


HUGE = {**META, "sizes": [{"as_int": 1 << 40}, {"as_int": 1 << 40}], "strides": [{"as_int": 0}, {"as_int": 0}]}
CASES = {
    "cut": (lambda: archive(program())[:200], "cut off"),
    "version": (lambda: archive(changed(lambda p: p["schema_version"].update(major=9))), "schema version 9"),
    "no version": (lambda: archive(changed(lambda p: p.pop("schema_version"))), "schema version"),
    "big-endian": (lambda: archive(program(), order="big"), "little-endian"),
    "compressed": (lambda: archive(program(), method=zipfile.ZIP_DEFLATED), "compressed"),
    "json": (lambda: archive("{"), "model.json"),
    "deep json": (lambda: archive('{"a":' + "[" * 100000), "model.json"),
    "array": (lambda: archive("[]"), "object"),
    "no weights": (lambda: archive(program(), path_name="weight_9"), "weight_9"),
    "path trick": (lambda: archive(program(), path_name="../../../../etc/passwd"), "etc/passwd"),
    "short weights": (lambda: archive(program(), weights=b"1234"), "4 bytes"),
    "huge weights": (lambda: archive(program(), meta=HUGE), "too many elements"),
    "undefined": (lambda: archive(changed(lambda p: graph_of(p)["nodes"].clear())), "not defined"),
    "missing op": (
        lambda: archive(changed(lambda p: graph_of(p)["nodes"][0].update(target="torch.ops.my.op.default"))),
        "my.op.default at model.py:7",
    ),
    "shapes": (
        lambda: archive(changed(lambda p: graph_of(p)["tensor_values"].update(x={**META, "sizes": [{"as_int": 3}]}))),
        "do not broadcast",
    ),
    "no graph": (lambda: archive(changed(lambda p: p["graph_module"].pop("graph"))), "no graph"),
    "not exported": (lambda: zipped({"m/data.pkl": b""}), "torch.save"),
    "something else": (lambda: zipped({"a.txt": b""}), "torch.export.save"),
}


def zipped(files: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as file:
        for name, data in files.items():
            file.writestr(name, data)
    return out.getvalue()


@pytest.mark.parametrize("name", sorted(CASES))
def test_says_what_is_wrong(name, tmp_path):
    make, words = CASES[name]
    done = show(tmp_path, make())
    assert done.returncode in (1, 2), (done.returncode, done.stdout[:200], done.stderr)
    assert words in done.stderr


def test_every_missing_op_is_listed(tmp_path):
    def change(made: dict) -> None:
        first = graph_of(made)["nodes"][0]
        second = {**first, "target": "torch.ops.my.second.default", "outputs": [tensor("z")]}
        first["target"] = "torch.ops.my.first.default"
        graph_of(made)["nodes"].append(second)

    done = show(tmp_path, archive(changed(change)))
    assert "2 ops without a lowering" in done.stderr
    assert "my.first.default at model.py:7" in done.stderr and "my.second.default" in done.stderr


def test_bytes_changed_anywhere_never_crash(tmp_path):
    data = bytearray(archive(program()))
    for place in range(0, len(data), 61):
        was = data[place]
        data[place] ^= 0xFF
        assert show(tmp_path, bytes(data)).returncode in (0, 1, 2)
        data[place] = was


def op_graph(target: str, tensors: dict[str, list[int]], arguments: dict) -> dict:
    """One op on inputs of these shapes, with these arguments."""
    made = program()
    names = list(tensors)
    node = {
        "target": f"torch.ops.aten.{target}",
        "inputs": [
            {"name": name, "arg": tensor(value) if isinstance(value, str) else {kind_of(value): value}}
            for name, value in arguments.items()
        ],
        "outputs": [tensor("y")],
        "metadata": {"stack_trace": 'File "model.py", line 7, in forward'},
    }
    metas = {name: {**META, "sizes": [{"as_int": n} for n in sizes]} for name, sizes in tensors.items()}
    graph_of(made).update(inputs=[tensor(n) for n in names], nodes=[node], tensor_values=metas)
    made["graph_module"]["signature"]["input_specs"] = [{"user_input": {"arg": tensor(n)}} for n in names]
    return made


def kind_of(value) -> str:
    return "as_ints" if isinstance(value, list) else "as_int"


OUT_OF_RANGE = {
    "diag_embed.default": ({"x": []}, {"self": "x", "offset": 0, "dim1": 0, "dim2": -1}, "dimension"),
    "lu_unpack.default": ({"a": [], "b": []}, {"LU_data": "a", "LU_pivots": "b"}, "rank 0"),
    "avg_pool2d_backward.default": (
        {"g": [8, 6, 5], "x": [3, 2, 6, 3]},
        {"grad_output": "g", "self": "x", "kernel_size": [-1, -2], "stride": [4], "padding": []},
        "rank 3",
    ),
    "slice_backward.default": (
        {"g": [3]},
        {"grad_output": "g", "input_sizes": [9], "dim": 0, "start": 0, "end": 9, "step": (1 << 63) - 1},
        "9223372036854775807",
    ),
}


@pytest.mark.parametrize("op", sorted(OUT_OF_RANGE))
def test_sizes_and_dimensions_out_of_range_are_refused(op, tmp_path):
    tensors, arguments, words = OUT_OF_RANGE[op]
    done = show(tmp_path, archive(op_graph(op, tensors, arguments)))
    assert done.returncode in (1, 2), (done.returncode, done.stdout[:200], done.stderr)
    assert f"aten.{op}" in done.stderr and "model.py:7" in done.stderr and words in done.stderr, done.stderr


FINDINGS = pathlib.Path(__file__).resolve().parents[3] / "shared" / "findings" / "04-pt2-lowering-crashes"


def test_archives_that_crashed_are_refused():
    found = sorted(FINDINGS.glob("**/*.pt2"))
    if not found:
        pytest.skip(f"no archives in {FINDINGS}")
    for path in found:
        done = subprocess.run([TENFOLD, "show", str(path)], capture_output=True, text=True, timeout=60)
        assert done.returncode in (1, 2), (path.name, done.returncode, done.stderr[:200])
        assert "tenfold:" in done.stderr, path.name
