"""The gRPC half of the protocol, by tritonclient and by plain grpcio."""

import asyncio
import queue

import ml_dtypes
import numpy
import pytest
from conftest import TYPES
from test_rest import values_of

grpc = pytest.importorskip("grpc", reason="grpcio is not installed")
triton = pytest.importorskip("tritonclient.grpc", reason="tritonclient is not installed")
from tritonclient.grpc import service_pb2 as pb  # noqa: E402
from tritonclient.grpc import service_pb2_grpc as stubs  # noqa: E402


@pytest.fixture
def client(shared_server):
    with triton.InferenceServerClient(shared_server.grpc) as client:
        yield client


@pytest.fixture
def stub(shared_server):
    with grpc.insecure_channel(shared_server.grpc) as channel:
        yield stubs.GRPCInferenceServiceStub(channel)


def x_input(rows=1, start=0.0):
    given = triton.InferInput("x", [rows, 4], "FP32")
    given.set_data_from_numpy(numpy.arange(start, start + rows * 4, dtype="f4").reshape(rows, 4))
    return given


def fails(call, code) -> str:
    with pytest.raises((grpc.RpcError, triton.InferenceServerException)) as caught:
        call()
    got = caught.value.code() if isinstance(caught.value, grpc.RpcError) else caught.value.status()
    assert str(got) == f"StatusCode.{code}", caught.value
    return caught.value.details() if isinstance(caught.value, grpc.RpcError) else caught.value.message()


def test_health_and_metadata(client):
    assert client.is_server_live() and client.is_server_ready()
    assert client.is_model_ready("double", "1") and not client.is_model_ready("double", "2")
    assert not client.is_model_ready("nothing")
    assert client.get_server_metadata().name == "tenfold"
    model = client.get_model_metadata("double")
    assert (model.inputs[0].name, model.inputs[0].datatype, list(model.inputs[0].shape)) == ("x", "FP32", [-1, 4])
    assert client.get_model_config("double").config.input[0].data_type == 11
    assert "no model 'nothing'" in fails(lambda: client.get_model_metadata("nothing"), "NOT_FOUND")


@pytest.mark.parametrize("name", TYPES)
def test_every_type_as_bytes(stub, name):
    values = values_of(name)
    request = pb.ModelInferRequest(model_name=f"id_{name}", id="7")
    request.inputs.add(name="x", datatype=name, shape=[2, 3])
    request.raw_input_contents.append(values.tobytes())
    response = stub.ModelInfer(request)
    assert (response.model_name, response.model_version, response.id) == (f"id_{name}", "1", "7")
    assert response.outputs[0].datatype == name and list(response.outputs[0].shape) == [2, 3]
    assert response.raw_output_contents[0] == values.tobytes()


CONTENTS = {
    "BOOL": "bool_contents", "INT8": "int_contents", "INT16": "int_contents", "INT32": "int_contents",
    "INT64": "int64_contents", "UINT8": "uint_contents", "UINT16": "uint_contents", "UINT32": "uint_contents",
    "UINT64": "uint64_contents", "FP32": "fp32_contents", "FP64": "fp64_contents",
}  # fmt: skip


@pytest.mark.parametrize("name", CONTENTS)
def test_every_type_as_list(stub, name):
    values = values_of(name).reshape(-1).tolist()
    request = pb.ModelInferRequest(model_name=f"id_{name}")
    given = request.inputs.add(name="x", datatype=name, shape=[2, 3])
    getattr(given.contents, CONTENTS[name]).extend(values)
    response = stub.ModelInfer(request)
    assert list(getattr(response.outputs[0].contents, CONTENTS[name])) == values
    assert not response.raw_output_contents


def test_errors_have_their_codes(stub, client):
    def ask(change=None, **fields):
        request = pb.ModelInferRequest(**({"model_name": "double"} | fields))
        request.inputs.add(name="x", datatype="FP32", shape=[1, 4])
        request.raw_input_contents.append(bytes(16))
        if change:
            change(request)
        return lambda: stub.ModelInfer(request)

    fails(ask(model_name="nothing"), "NOT_FOUND")
    fails(ask(model_version="9"), "NOT_FOUND")
    for change, says in [
        (lambda r: r.inputs[0].shape.append(1), "shape"),
        (lambda r: setattr(r.inputs[0], "datatype", "BYTES"), "must be FP32"),
        (lambda r: setattr(r.inputs[0], "datatype", "WORD"), "unknown datatype"),
        (lambda r: r.raw_input_contents.append(b""), "2 raw_input_contents"),
        (lambda r: r.raw_input_contents.pop(), "0 elements"),
        (lambda r: r.inputs.pop(), "1 raw_input_contents"),
        (lambda r: r.inputs[0].shape.extend([1] * 40), "dimensions"),
        (lambda r: r.outputs.add(name="z"), "no output 'z'"),
        (lambda r: r.raw_input_contents.__setitem__(0, bytes(15)), "15 bytes"),
    ]:
        assert says in fails(ask(change), "INVALID_ARGUMENT")
    narrow = pb.ModelInferRequest(model_name="id_INT8")
    narrow.inputs.add(name="x", datatype="INT8", shape=[2, 3]).contents.int_contents.extend([1000] * 6)
    assert "1000, which i8 cannot hold" in fails(lambda: stub.ModelInfer(narrow), "INVALID_ARGUMENT")
    fails(lambda: client.load_model("double"), "PERMISSION_DENIED")


def test_unknown_method_and_compression(shared_server):
    with grpc.insecure_channel(shared_server.grpc) as channel:
        fails(lambda: channel.unary_unary("/inference.GRPCInferenceService/Nothing")(b""), "UNIMPLEMENTED")
        wrong = channel.unary_unary("/inference.GRPCInferenceService/ModelReady")
        assert "cannot be read" in fails(lambda: wrong(b"\xff\xff\xff"), "INVALID_ARGUMENT")
    with grpc.insecure_channel(shared_server.grpc, compression=grpc.Compression.Gzip) as channel:
        stub = stubs.GRPCInferenceServiceStub(channel)
        fails(lambda: stub.ModelReady(pb.ModelReadyRequest(name="double" * 100)), "UNIMPLEMENTED")


def test_stream_answers_in_order_and_survives_errors(client):
    answers: queue.Queue = queue.Queue()
    client.start_stream(lambda result, error: answers.put((result, error)))
    for i in range(8):
        client.async_stream_infer("double" if i != 3 else "nothing", [x_input(start=i)], request_id=str(i))
    for i in range(8):
        result, error = answers.get(timeout=30)
        if i == 3:
            assert "no model 'nothing'" in str(error)
        else:
            assert result.get_response().id == str(i)
            assert numpy.array_equal(result.as_numpy("output0")[0], numpy.arange(i, i + 4) * 2)
    client.stop_stream()


def test_asyncio_client(shared_server):
    from tritonclient.grpc import aio

    async def ask():
        async with aio.InferenceServerClient(shared_server.grpc) as client:
            results = await asyncio.gather(*[client.infer("double", [x_input(rows=2, start=i)]) for i in range(20)])
            return [result.as_numpy("output0") for result in results]

    for i, result in enumerate(asyncio.run(ask())):
        assert numpy.array_equal(result.reshape(-1), numpy.arange(i, i + 8) * 2)


def test_large_message(client):
    rows = 300_000  # 4.8 MB: above what a window and a frame hold
    values = numpy.arange(rows * 4, dtype="f4").reshape(rows, 4)
    given = triton.InferInput("x", [rows, 4], "FP32")
    given.set_data_from_numpy(values)
    assert numpy.array_equal(client.infer("double", [given]).as_numpy("output0"), values * 2)


def test_statistics(client):
    before = client.get_inference_statistics("double").model_stats[0]
    client.infer("double", [x_input(rows=3)])
    after = client.get_inference_statistics("double").model_stats[0]
    assert after.inference_stats.success.count == before.inference_stats.success.count + 1
    assert {batch.batch_size for batch in after.batch_stats} >= {1}
    assert len(client.get_inference_statistics().model_stats) > 10


def test_health_service_and_reflection(shared_server):
    health = pytest.importorskip("grpc_health.v1.health_pb2")
    health_stubs = pytest.importorskip("grpc_health.v1.health_pb2_grpc")
    reflection = pytest.importorskip("grpc_reflection.v1alpha.proto_reflection_descriptor_database")
    with grpc.insecure_channel(shared_server.grpc) as channel:
        check = health_stubs.HealthStub(channel).Check
        assert check(health.HealthCheckRequest()).status == health.HealthCheckResponse.SERVING
        assert check(health.HealthCheckRequest(service="double")).status == health.HealthCheckResponse.SERVING
        fails(lambda: check(health.HealthCheckRequest(service="nothing")), "NOT_FOUND")
        database = reflection.ProtoReflectionDescriptorDatabase(channel)
        assert "inference.GRPCInferenceService" in database.get_services()
        file = database.FindFileContainingSymbol("inference.GRPCInferenceService")
        assert {method.name for method in file.service[0].method} >= {"ModelInfer", "ModelStreamInfer", "ServerLive"}


def test_fields_are_those_of_the_protocol(shared_server):
    """Every field of our messages has the number, name and type that clients compiled in."""
    reflection = pytest.importorskip("grpc_reflection.v1alpha.proto_reflection_descriptor_database")
    with grpc.insecure_channel(shared_server.grpc) as channel:
        ours = reflection.ProtoReflectionDescriptorDatabase(channel).FindFileContainingSymbol(
            "inference.ModelInferRequest"
        )
    from tritonclient.grpc import model_config_pb2

    theirs = {**pb.DESCRIPTOR.message_types_by_name, **model_config_pb2.DESCRIPTOR.message_types_by_name}

    def compare(message, other):
        for field in message.field:
            assert other.fields_by_name[field.name].number == field.number, (message.name, field.name)
            assert other.fields_by_name[field.name].type == field.type, (message.name, field.name)
        for nested in message.nested_type:
            compare(nested, other.nested_types_by_name[nested.name])

    for message in ours.message_type:
        compare(message, theirs[message.name])


@pytest.mark.parametrize("which", ["grpc", "http"])
def test_shared_memory(shared_server, client, which):
    shm = pytest.importorskip("tritonclient.utils.shared_memory")
    import tritonclient.http as triton_http

    api, ask = (
        (triton, client) if which == "grpc" else (triton_http, triton_http.InferenceServerClient(shared_server.http))
    )
    values = numpy.arange(8, dtype="f4").reshape(2, 4)
    region = shm.create_shared_memory_region("data", f"/tenfold_test_{which}", 64)
    try:
        shm.set_shared_memory_region(region, [values])
        ask.register_system_shared_memory("data", f"/tenfold_test_{which}", 64)
        status = ask.get_system_shared_memory_status()
        names = [row["name"] for row in status] if which == "http" else list(status.regions)
        assert names == ["data"]
        given = api.InferInput("x", [2, 4], "FP32")
        given.set_shared_memory("data", 32)
        wanted = api.InferRequestedOutput("output0")
        wanted.set_shared_memory("data", 32, offset=32)
        ask.infer("double", [given], outputs=[wanted])
        assert numpy.array_equal(shm.get_contents_as_numpy(region, "float32", [2, 4], offset=32), values * 2)
        given.set_shared_memory("data", 32, offset=48)
        with pytest.raises(triton.InferenceServerException, match="not in the region"):
            ask.infer("double", [given])
        with pytest.raises(triton.InferenceServerException, match="registered already"):
            ask.register_system_shared_memory("data", f"/tenfold_test_{which}", 64)
        with pytest.raises(triton.InferenceServerException, match="no key"):
            ask.register_system_shared_memory("other", "/../etc/passwd", 64)
        ask.unregister_system_shared_memory("data")
        with pytest.raises(triton.InferenceServerException, match="no region"):
            ask.infer("double", [given])
    finally:
        shm.destroy_shared_memory_region(region)


def test_bf16_by_ml_dtypes(stub):
    values = numpy.arange(6, dtype=ml_dtypes.bfloat16)
    request = pb.ModelInferRequest(model_name="id_BF16")
    request.inputs.add(name="x", datatype="BF16", shape=[2, 3])
    request.raw_input_contents.append(values.tobytes())
    assert stub.ModelInfer(request).raw_output_contents[0] == values.tobytes()
