"""The REST half of the protocol, by plain requests and by tritonclient."""

import http.client
import json

import ml_dtypes
import numpy
import pytest
from conftest import TYPES

triton = pytest.importorskip("tritonclient.http", reason="tritonclient is not installed")


def dtype_of(name: str) -> numpy.dtype:
    return numpy.dtype(ml_dtypes.bfloat16 if name == "BF16" else TYPES[name][1])


def values_of(name: str) -> numpy.ndarray:
    """Some values of a type, its least and largest among them."""
    dtype = dtype_of(name)
    if name == "BOOL":
        return numpy.array([[True, False, True], [False, False, True]])
    if name.startswith(("INT", "UINT")):
        info = numpy.iinfo(dtype)
        return numpy.array([[info.min, info.max, 0], [1, info.max - 1, 5]], dtype)
    return numpy.array([[0.5, -1.25, 3], [0, 1e-3, 250]], numpy.float32).astype(dtype)


@pytest.fixture
def client(shared_server):
    with triton.InferenceServerClient(shared_server.http) as client:
        yield client


def request(server, method: str, path: str, body=None, headers=None):
    connection = http.client.HTTPConnection(server.http, timeout=180)
    connection.request(
        method, path, body if body is None or isinstance(body, (bytes, str)) else json.dumps(body), headers or {}
    )
    response = connection.getresponse()
    data = response.read()
    connection.close()
    return response, data


def infer(server, model: str, body, headers=None):
    return request(server, "POST", f"/v2/models/{model}/infer", body, headers)


def error_of(response, data) -> tuple[int, str]:
    return response.status, json.loads(data)["error"]


def test_health_and_metadata(client):
    assert client.is_server_live() and client.is_server_ready()
    assert client.is_model_ready("double") and client.is_model_ready("double", "1")
    assert not client.is_model_ready("double", "2") and not client.is_model_ready("nothing")
    about = client.get_server_metadata()
    assert about["name"] == "tenfold" and "binary_tensor_data" in about["extensions"]
    model = client.get_model_metadata("double")
    assert model["versions"] == ["1"] and model["platform"] == "stablehlo"
    assert model["inputs"] == [{"name": "x", "datatype": "FP32", "shape": [-1, 4]}]
    assert [output["shape"] for output in model["outputs"]] == [[-1, 4]]
    assert client.get_model_config("double")["input"][0]["data_type"] == "TYPE_FP32"


@pytest.mark.parametrize("name", TYPES)
@pytest.mark.parametrize("binary_in, binary_out", [(True, True), (False, False), (True, False)])
def test_every_type(client, name, binary_in, binary_out):
    values = values_of(name)
    given = triton.InferInput("x", [2, 3], name)
    half = name in ("FP16", "BF16")  # the client sends those as bytes only; test_half_in_json has the JSON
    given.set_data_from_numpy(values, binary_data=binary_in or half)
    output = client.get_model_metadata(f"id_{name}")["outputs"][0]["name"]
    result = client.infer(f"id_{name}", [given], outputs=[triton.InferRequestedOutput(output, binary_data=binary_out)])
    said = result.get_output(output)
    assert said["datatype"] == name and said["shape"] == [2, 3]
    if binary_out:
        assert numpy.array_equal(result.as_numpy(output).astype(numpy.float64), values.astype(numpy.float64))
    else:
        assert numpy.array_equal(numpy.array(said["data"], dtype_of(name)), values.reshape(-1))


@pytest.mark.parametrize("name", ["FP16", "BF16"])
def test_half_in_json(shared_server, name):
    values = [0.5, -1.25, 3, 0, 0.0009765625, 250]
    body = {"inputs": [{"name": "x", "shape": [2, 3], "datatype": name, "data": values}], "id": 'a "quoted" id'}
    response, data = infer(shared_server, f"id_{name}", body)
    answer = json.loads(data)
    assert response.status == 200 and answer["outputs"][0]["data"] == values and answer["id"] == body["id"]


def test_numbers_are_exact(shared_server):
    """What JSON says is what a program gets: integers of 64 bits, floats to the last bit, infinities."""
    text = '{"inputs":[{"name":"x","shape":[2,3],"datatype":"%s","data":[%s]}]}'
    numbers = ["18446744073709551615", "0", "9007199254740993", "1", "2", "3"]
    _, data = infer(shared_server, "id_UINT64", text % ("UINT64", ",".join(numbers)))
    assert json.loads(data)["outputs"][0]["data"] == [int(number) for number in numbers]
    numbers = ["1e-320", "0.1", "1.7976931348623157e308", "NaN", "-Infinity", "123456789012345678901234567890e-10"]
    _, data = infer(shared_server, "id_FP64", text % ("FP64", ",".join(numbers)))
    assert numpy.array_equal(json.loads(data)["outputs"][0]["data"], [float(n) for n in numbers], equal_nan=True)


def test_nested_arrays_and_order_of_members(shared_server):
    body = '{"outputs":[],"inputs":[{"data":[[1,2,3,4],[5,6,7,8]],"datatype":"FP32","shape":[2,4],"name":"\\u0078"}]}'
    response, data = infer(shared_server, "double", body)
    assert response.status == 200
    assert json.loads(data)["outputs"][0]["data"] == [2, 4, 6, 8, 10, 12, 14, 16]


X = {"name": "x", "shape": [1, 4], "datatype": "FP32", "data": [1, 2, 3, 4]}


@pytest.mark.parametrize(
    "change, status, says",
    [
        ({"name": "y"}, 400, "no input 'y'; it has x"),
        ({"shape": [1, 5]}, 400, "shape"),
        ({"shape": [4]}, 400, "has shape [4], must have [-1,4]"),
        ({"shape": [2, 4]}, 400, "4 elements, its shape has 8"),
        ({"shape": [-1, 4]}, 400, "integer of zero or more"),
        ({"datatype": "FP64"}, 400, "is FP64, must be FP32"),
        ({"datatype": "BYTES", "data": ["a", "b", "c", "d"]}, 400, "is BYTES, must be FP32"),
        ({"datatype": "FLOAT"}, 400, "unknown datatype 'FLOAT'"),
        ({"data": [1, 2, 3]}, 400, "3 elements"),
        ({"data": [1, 2, 3, "4"]}, 400, "a number"),
        ({"data": [1, 2, 3, 4, 5]}, 400, "no more elements"),
        ({"data": None}, 400, "a number"),
        ({"parameters": {"binary_data_size": 16}}, 400, "must have one of"),
        ({"parameters": {"shared_memory_region": "none"}, "data": None}, 400, "must have one of"),
        ({"shape": [9223372036854775807, 4]}, 400, "fewer elements"),
    ],
)
def test_wrong_inputs(shared_server, change, status, says):
    code, text = error_of(*infer(shared_server, "double", {"inputs": [X | change]}))
    assert code == status and says in text


@pytest.mark.parametrize(
    "body, says",
    [
        ("", "an object"),
        ("[]", "an object"),
        ("{", "a string"),
        ('{"inputs": []}', "'x' of model 'double' is missing"),
        ("{}", "has no 'inputs'"),
        ('{"inputs": 3}', "an array"),
        ('{"inputs": [{}]}', "'name', 'shape' and 'datatype'"),
        (json.dumps({"inputs": [X]}) + "x", "the end"),
        (json.dumps({"inputs": [X, X]}), "given twice"),
        (json.dumps({"inputs": [X], "outputs": [{"name": "nothing"}]}), "no output 'nothing'"),
        ("[" * 1000, "an object"),
        ('{"a":' + "[" * 1000, "levels"),
        ('{"a": "\\ud800"}', "surrogate"),
        ('{"a": 01}', "zeros"),
    ],
)
def test_wrong_json(shared_server, body, says):
    code, text = error_of(*infer(shared_server, "double", body))
    assert code == 400 and says in text


def test_wrong_binary(shared_server):
    given = X | {"parameters": {"binary_data_size": 16}}
    del given["data"]
    head = json.dumps({"inputs": [given]}).encode()
    values = numpy.arange(4, dtype="f4").tobytes()
    for tail, length, says in [
        (values[:8], len(head), "wants 16 bytes after the JSON, there are 8"),
        (values + b"more", len(head), "4 bytes after the JSON belong to no input"),
        (values, len(head) + 100, "the body has"),
    ]:
        code, text = error_of(
            *infer(shared_server, "double", head + tail, {"Inference-Header-Content-Length": str(length)})
        )
        assert code == 400 and says in text
    code, text = error_of(
        *infer(
            shared_server,
            "id_BOOL",
            b'{"inputs":[{"name":"x","shape":[2,3],"datatype":"BOOL","parameters":{"binary_data_size":6}}]}'
            + bytes(range(6)),
            {"Inference-Header-Content-Length": "93"},
        )
    )
    assert code == 400 and "must be 0 or 1" in text


def test_integers_that_do_not_fit(shared_server):
    for name, number in ("INT8", 128), ("UINT8", -1), ("INT64", 2**63), ("UINT16", 65536), ("INT32", 1.5):
        body = {"inputs": [{"name": "x", "shape": [2, 3], "datatype": name, "data": [number, 0, 0, 0, 0, 0]}]}
        code, text = error_of(*infer(shared_server, f"id_{name}", body))
        assert code == 400 and "integer" in text, name


def test_paths_and_methods(shared_server):
    for method, path, status in [
        ("GET", "/v2/models/nothing", 404),
        ("GET", "/v2/models/double/versions/7", 404),
        ("GET", "/v2/models/double/versions/1", 200),
        ("GET", "/v2/models/double/infer", 405),
        ("POST", "/v2/models/nothing/infer", 404),
        ("GET", "/v2/nothing", 404),
        ("DELETE", "/v2", 405),
        ("GET", "/v2/models/%64ouble", 200),
        ("GET", "/v2/models/%00", 400),
        ("GET", "/v2/models/..%2f..%2fetc", 404),
        ("HEAD", "/v2", 200),
        ("GET", "/", 200),
    ]:
        response, _ = request(shared_server, method, path, "{}" if method == "POST" else None)
        assert response.status == status, (method, path)


def test_unsupported_things_are_named(shared_server):
    body = {"inputs": [X], "outputs": [{"name": "output0", "parameters": {"classification": 3}}]}
    assert error_of(*infer(shared_server, "double", body))[0] == 501
    body = {"inputs": [X], "parameters": {"sequence_id": 5}}
    assert error_of(*infer(shared_server, "double", body))[0] == 501
    assert infer(shared_server, "double", {"inputs": [X]}, {"Content-Encoding": "gzip"})[0].status == 415


def test_statistics_metrics_and_page(shared_server, client):
    before = client.get_inference_statistics("double")["model_stats"][0]
    assert infer(shared_server, "double", {"inputs": [X]})[0].status == 200
    assert infer(shared_server, "double", {"inputs": []})[0].status == 400
    after = client.get_inference_statistics("double", "1")["model_stats"][0]
    assert after["inference_count"] == before["inference_count"] + 1
    for kind in "success", "fail":
        assert after["inference_stats"][kind]["count"] == before["inference_stats"][kind]["count"] + 1
    _, text = request(shared_server, "GET", "/metrics")
    assert b'tenfold_requests_success_total{model="double",version="1"}' in text
    lines = [line for line in text.decode().splitlines() if not line.startswith("#")]
    assert all(len(line.rsplit(" ", 1)) == 2 and float(line.rsplit(" ", 1)[1]) >= 0 for line in lines)
    response, page = request(shared_server, "GET", "/")
    assert response.headers["Content-Type"].startswith("text/html") and b"<td>double" in page


def test_pipelined_requests_are_answered_in_order(shared_server):
    one = b"GET /v2/health/live HTTP/1.1\r\nHost: a\r\n\r\n"
    two = b"GET /v2/models/double HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
    answer = shared_server.ask(one * 3 + two)
    assert answer.count(b"HTTP/1.1 200 OK") == 4 and answer.endswith(b'"shape":[-1,4]}]}')


def test_chunked_body(shared_server):
    body = json.dumps({"inputs": [X]}).encode()
    chunks = b"".join(b"%x;note=1\r\n%s\r\n" % (len(part), part) for part in (body[:10], body[10:11], body[11:]))
    head = (
        b"POST /v2/models/double/infer HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
    )
    answer = shared_server.ask(head + chunks + b"0\r\nTrailer: x\r\n\r\n")
    assert b"200 OK" in answer and b'"data":[2,4,6,8]' in answer


def test_access_log(shared_server):
    request(
        shared_server, "GET", "/v2/models/double?secret=1", headers={"Authorization": "Bearer hunter2hunter2hunter2"}
    )
    lines = [json.loads(line) for line in (shared_server.folder / "access.log").read_text().splitlines()]
    mine = [line for line in lines if line["path"] == "/v2/models/double"]
    assert mine and mine[-1]["status"] == 200 and mine[-1]["ms"] > 0
    assert "secret" not in json.dumps(lines) and "hunter2" not in json.dumps(lines)


def test_bytes_that_are_no_text(shared_server):
    """Answers and the access log are JSON, whatever a path is made of, and wherever the log cuts it."""
    ask = b" HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
    answer = shared_server.ask(b"GET /v2/models/\xff%fe" + ask)
    assert json.loads(answer.partition(b"\r\n\r\n")[2])["error"] == "no model '\ufffd\ufffd'"
    shared_server.ask(b"GET /" + b"u" * 197 + "\u20ac".encode() * 3 + ask)
    log = (shared_server.folder / "access.log").read_bytes().decode()
    paths = [json.loads(line)["path"] for line in log.splitlines()]
    assert "/v2/models/\ufffd%fe" in paths and "/" + "u" * 197 + "\ufffd\ufffd" in paths
