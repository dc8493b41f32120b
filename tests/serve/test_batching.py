"""Requests that are joined: results do not change, and models whose rows know of each other are left alone."""

import concurrent.futures
import json

import numpy
import pytest
from conftest import AFFINE, MIXING, add_model
from test_rest import infer, request

triton = pytest.importorskip("tritonclient.http", reason="tritonclient is not installed")


def ask(server, model: str, values: numpy.ndarray) -> numpy.ndarray:
    body = {"inputs": [{"name": "x", "shape": list(values.shape), "datatype": "FP32", "data": values.tolist()}]}
    response, data = infer(server, model, body)
    assert response.status == 200, data
    output = json.loads(data)["outputs"][0]
    return numpy.array(output["data"], "f4").reshape(output["shape"])


def statistics(server, model: str) -> dict:
    return json.loads(request(server, "GET", f"/v2/models/{model}/stats")[1])["model_stats"][0]


def test_joined_requests(tmp_path, serve):
    add_model(tmp_path / "models", "double", AFFINE)
    server = serve("--repository", tmp_path / "models", "--max-batch", "8", "--batch-delay", "200000", "--threads", "1")
    batches = [
        numpy.arange(i, i + rows * 4, dtype="f4").reshape(rows, 4) for i, rows in enumerate([1, 2, 1, 3, 1, 5, 9, 1])
    ]
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        results = list(pool.map(lambda values: ask(server, "double", values), batches))
    for values, result in zip(batches, results, strict=True):
        assert numpy.array_equal(result, values * 2)
    after = statistics(server, "double")
    assert after["execution_count"] < 8  # some ran together
    assert after["inference_count"] >= 8


def test_rows_that_know_of_each_other_are_not_joined(tmp_path, serve):
    add_model(tmp_path / "models", "mixing", MIXING)
    server = serve("--repository", tmp_path / "models", "--max-batch", "8", "--batch-delay", "100000")
    assert "differ from rows computed one by one" in server.log.read_text()
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        results = list(pool.map(lambda i: ask(server, "mixing", numpy.full((1, 4), i, "f4")), range(4)))
    assert [result[0, 0] for result in results] == [0, 1, 2, 3]
    assert statistics(server, "mixing")["execution_count"] == 4


def test_matmul_rows_are_the_same_bits_in_any_batch(tmp_path, serve):
    torch = pytest.importorskip("torch")
    torch.manual_seed(0)
    net = torch.nn.Sequential(torch.nn.Linear(64, 64), torch.nn.ReLU(), torch.nn.Linear(64, 8)).eval()
    archive = torch.export.export(
        net, (torch.ones(2, 64),), dynamic_shapes=({0: torch.export.Dim("b", min=1, max=64)},)
    )
    torch.export.save(archive, tmp_path / "net.pt2")
    alone = serve(tmp_path / "net.pt2")
    joined = serve(tmp_path / "net.pt2", "--max-batch", "8", "--batch-delay", "100000", "--threads", "1")
    name = json.loads(request(alone, "GET", "/v2/models/net")[1])["inputs"][0]["name"]

    def run(server, values):
        with triton.InferenceServerClient(server.http) as client:
            given = triton.InferInput(name, list(values.shape), "FP32")
            given.set_data_from_numpy(values)
            return client.infer("net", [given]).as_numpy("output0")

    rng = numpy.random.default_rng(0)
    requests = [rng.normal(size=(1 + i % 3, 64)).astype("f4") for i in range(12)]
    with concurrent.futures.ThreadPoolExecutor(6) as pool:
        results = list(pool.map(lambda values: run(joined, values), requests))
    for values, result in zip(requests, results, strict=True):
        for row, one in zip(result, values, strict=True):  # each row is as if it had been alone
            assert numpy.array_equal(row, run(alone, one[None])[0])
