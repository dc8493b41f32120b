#!/usr/bin/env bash
# doors.sh: run in a bare root by scripts/test-wheel: installs the wheels as a user would and opens every door.
set -euo pipefail
cd /root
for name in cc gcc g++ clang ld llvm-config llvm-config-19; do
  ! command -v "$name" || { echo "doors: $name is there; the root is not bare" >&2 && exit 1; }
done
# apt itself brings libxxhash and libstdc++.
if ldconfig -p | grep -E 'lib(LLVM|jansson|yaml|tree-sitter|nghttp2|protobuf-c)'; then
  echo "doors: these libraries are there; the root is not bare" >&2
  exit 1
fi

seconds() { # of a command, to tenths
  local start=${EPOCHREALTIME/./}
  "$@" >&2
  echo $(((${EPOCHREALTIME/./} - start) / 100000)) | sed 's/.$/.&/; s/^\./0./'
}
python3 -m venv env
pip=(env/bin/python -m pip install --quiet --disable-pip-version-check)
wheel=$(echo wheels/tenfold-*.whl)
echo "doors: $(sed -n 's/^PRETTY_NAME=//p' /etc/os-release), Python $(env/bin/python -V | cut -d' ' -f2), $(ldd --version | head -n 1)"
time=$(seconds "${pip[@]}" --no-deps "$wheel")
size=$(du -sm env/lib/python3*/site-packages/tenfold | cut -f1)
echo "doors: pip install tenfold: wheel of $(($(stat -c %s "$wheel") / 1000000)) MB, $size MB installed, $time s"
first=$(seconds env/bin/tenfold run examples/mlp.mlir --random)
echo "doors: first tenfold run, compiled: $first s"
env/bin/python doors.py command serve
"${pip[@]}" numpy torch==2.13.0
model=$(seconds env/bin/python doors.py torch)
tenths=$((10#${time/./} + 10#${first/./} + 10#${model/./}))
echo "doors: the first five minutes: from pip install to a compiled PyTorch model $((tenths / 10)).$((tenths % 10)) s, torch's own installation aside"
env/bin/python doors.py profile migrate library
"${pip[@]}" jax==0.10.2 jaxlib==0.10.2 wheels/jax_tenfold-*.whl
env/bin/python doors.py jax
