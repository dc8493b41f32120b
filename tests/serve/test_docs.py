"""The examples of docs/serving.md, asked of a server."""

import re
import subprocess

from conftest import ROOT

BLOCK = re.compile(r"^```shell-session\n(.*?)^```", re.MULTILINE | re.DOTALL)


def test_examples(serve):
    server = serve(ROOT / "examples" / "double.mlir")
    count = 0
    for block in BLOCK.findall((ROOT / "docs" / "serving.md").read_text()):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, output = part.partition("\n")
            done = subprocess.run(
                ["bash", "-c", command.replace("127.0.0.1:8000", server.http)],
                capture_output=True,
                text=True,
                timeout=60,
            )
            assert done.stdout.removesuffix("\n") + "\n" == output, command
            count += 1
    assert count >= 5
