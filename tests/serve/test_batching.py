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


# Each row gets a little of the number of rows: what summing in another order does, made visible.
ROUNDING = """func.func @main(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x4xf32>) -> tensor<i32>
  %f = stablehlo.convert %n : (tensor<i32>) -> tensor<f32>
  %little = stablehlo.constant dense<1.0e-6> : tensor<f32>
  %m = stablehlo.multiply %f, %little : tensor<f32>
  %n1 = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %four = stablehlo.constant dense<4> : tensor<1xi32>
  %shape = stablehlo.concatenate %n1, %four, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %b = stablehlo.dynamic_broadcast_in_dim %m, %shape, dims = [] : (tensor<f32>, tensor<2xi32>) -> tensor<?x4xf32>
  %0 = stablehlo.add %x, %b : tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}
"""


# As little, but of the other rows.
NEARLY = MIXING.replace(
    "  return %0",
    """  %c = stablehlo.constant dense<1.0e-6> : tensor<f32>
  %cs = stablehlo.dynamic_broadcast_in_dim %c, %shape, dims = [] : (tensor<f32>, tensor<2xi32>) -> tensor<?x4xf32>
  %1 = stablehlo.multiply %0, %cs : tensor<?x4xf32>
  %2 = stablehlo.add %x, %1 : tensor<?x4xf32>
  return %2""",
)


def test_rounding_may_differ_where_that_is_allowed(tmp_path, serve):
    add_model(tmp_path / "models", "rounding", ROUNDING)
    add_model(tmp_path / "models", "mixing", MIXING)
    add_model(tmp_path / "models", "nearly", NEARLY)
    strict = serve("--repository", tmp_path / "models", "--max-batch", "4")
    assert strict.log.read_text().count("--batch-rounding allows") == 3
    server = serve(
        "--repository", tmp_path / "models", "--max-batch", "4", "--batch-delay", "200000", "--threads", "1",
        "--batch-rounding",
    )  # fmt: skip
    log = server.log.read_text()
    assert "'rounding'" not in log and "'mixing'" in log and "'nearly'" in log
    values = [numpy.full((1, 4), i, "f4") for i in range(8)]
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        results = list(pool.map(lambda x: ask(server, "rounding", x), values))
    assert all(numpy.allclose(a, b, atol=1e-5) for a, b in zip(values, results, strict=True))
    assert statistics(server, "rounding")["execution_count"] < 8


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
