"""Models in a folder: versions, loading and unloading by clients, changes, and models that are broken."""

import json
import threading

import numpy
import pytest
from conftest import AFFINE, TENFOLD, add_model, wait_for
from test_rest import X, error_of, infer, request

triton = pytest.importorskip("tritonclient.http", reason="tritonclient is not installed")
TRIPLE = AFFINE.replace("  return %0", "  %1 = stablehlo.add %0, %x : tensor<?x4xf32>\n  return %1")


def answer(server, model="m", version=None) -> list:
    path = f"{model}/versions/{version}" if version else model
    response, data = infer(server, path, {"inputs": [X]})
    assert response.status == 200, data
    return json.loads(data)["outputs"][0]["data"]


def test_versions(tmp_path, serve):
    add_model(tmp_path / "models", "m", AFFINE, 2)
    add_model(tmp_path / "models", "m", TRIPLE, 10)
    (tmp_path / "models" / "m" / "notes").mkdir()
    server = serve("--repository", tmp_path / "models")
    assert answer(server) == [3, 6, 9, 12]  # the largest number, not the last in the alphabet
    assert answer(server, version=2) == [2, 4, 6, 8]
    _, data = request(server, "GET", "/v2/models/m")
    assert sorted(json.loads(data)["versions"]) == ["10", "2"]


def test_load_unload_and_index(tmp_path, serve):
    folder = tmp_path / "models"
    path = add_model(folder, "m", AFFINE)
    server = serve("--repository", folder, "--allow-load")
    client = triton.InferenceServerClient(server.http)
    assert client.get_model_repository_index() == [{"name": "m", "version": "1", "state": "READY", "reason": ""}]
    client.unload_model("m")
    assert client.get_model_repository_index()[0]["state"] == "UNAVAILABLE"
    assert error_of(*infer(server, "m", {"inputs": [X]}))[0] == 404
    path.write_text(TRIPLE)
    client.load_model("m")
    assert answer(server) == [3, 6, 9, 12]
    path.write_text("func.func @main( broken")
    with pytest.raises(triton.InferenceServerException):
        client.load_model("m")
    assert answer(server) == [3, 6, 9, 12]  # what worked goes on working
    for name in "nothing", "..", "a%2fb":
        with pytest.raises(triton.InferenceServerException):
            client.load_model(name)


def test_clients_may_not_load_unless_allowed(tmp_path, serve):
    add_model(tmp_path / "models", "m", AFFINE)
    server = serve("--repository", tmp_path / "models")
    code, text = error_of(*request(server, "POST", "/v2/repository/models/m/unload", "{}"))
    assert code == 403 and "--allow-load" in text
    assert answer(server) == [2, 4, 6, 8]
    code, text = error_of(
        *request(server, "POST", "/v2/systemsharedmemory/region/a/register", {"key": "/a", "offset": 0, "byte_size": 1})
    )
    assert code == 403 and "--allow-shared-memory" in text


def test_broken_model_leaves_the_others(tmp_path, serve):
    add_model(tmp_path / "models", "m", AFFINE)
    add_model(tmp_path / "models", "broken", "func.func @main(")
    add_model(tmp_path / "models", "complex", AFFINE.replace("f32", "complex<f32>"))
    server = serve("--repository", tmp_path / "models")
    assert answer(server) == [2, 4, 6, 8]
    assert request(server, "GET", "/v2/health/ready")[0].status == 503
    rows = {row["name"]: row for row in json.loads(request(server, "POST", "/v2/repository/index", "{}")[1])}
    assert rows["broken"]["state"] == "UNAVAILABLE" and rows["broken"]["reason"]
    assert "complex<f32>" in rows["complex"]["reason"]
    code, text = error_of(*infer(server, "broken", {"inputs": [X]}))
    assert code == 404 and "not ready" in text


def test_changes_are_found_and_no_request_is_lost(tmp_path, serve):
    path = add_model(tmp_path / "models", "m", AFFINE)
    server = serve("--repository", tmp_path / "models", "--poll", "1")
    seen, stop = [], threading.Event()

    def ask():
        while not stop.is_set():
            seen.append(answer(server))

    thread = threading.Thread(target=ask)
    thread.start()
    try:
        new = path.with_name("new")
        new.write_text(TRIPLE)
        new.rename(path)
        wait_for(lambda: seen and seen[-1] == [3, 6, 9, 12])
        add_model(tmp_path / "models", "later", AFFINE)
        wait_for(lambda: request(server, "GET", "/v2/models/later/ready")[0].status == 200)
    finally:
        stop.set()
        thread.join()
    assert {tuple(values) for values in seen} <= {(2, 4, 6, 8), (3, 6, 9, 12)}


def test_named_models_and_their_mistakes(tmp_path, serve):
    path = tmp_path / "model.mlir"
    path.write_text(AFFINE)
    server = serve(f"first={path}", path)
    assert answer(server, "first") == answer(server, "model") == [2, 4, 6, 8]
    import subprocess

    for arguments, code, says in [
        ([], 2, "takes a MODEL"),
        ([tmp_path / "absent.mlir"], 2, "absent.mlir"),
        ([path, path], 1, "two models are called 'model'"),
        ([path, "--listen", "http://127.0.0.1:0"], 1, "use grpc://HOST:PORT"),
        ([path, "--http", "nonsense"], 1, "is no address"),
        ([path, "--poll", "1"], 2, "goes with --repository"),
    ]:
        done = subprocess.run(
            [TENFOLD, "serve", *map(str, arguments), "--listen", "off"] if "--listen" not in arguments
            else [TENFOLD, "serve", *map(str, arguments)],
            capture_output=True, text=True, timeout=60,
        )  # fmt: skip
        assert (done.returncode, says in done.stderr) == (code, True), done


def test_archive_with_open_batch(tmp_path, serve):
    torch = pytest.importorskip("torch")
    net = torch.nn.Sequential(torch.nn.Linear(4, 3), torch.nn.ReLU()).eval()
    archive = torch.export.export(net, (torch.ones(2, 4),), dynamic_shapes=({0: torch.export.Dim("b", min=1, max=9)},))
    torch.export.save(archive, tmp_path / "net.pt2")
    server = serve(tmp_path / "net.pt2", "--max-shapes", "2")
    client = triton.InferenceServerClient(server.http)
    for rows in 1, 3, 2, 5, 1:
        values = numpy.random.default_rng(rows).normal(size=(rows, 4)).astype("f4")
        given = triton.InferInput(client.get_model_metadata("net")["inputs"][0]["name"], [rows, 4], "FP32")
        given.set_data_from_numpy(values)
        result = client.infer("net", [given]).as_numpy("output0")
        assert numpy.allclose(result, net(torch.from_numpy(values)).detach().numpy(), atol=1e-6)
