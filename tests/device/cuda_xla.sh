#!/usr/bin/env bash
# cuda_xla: on a machine with an NVIDIA GPU and JAX's CUDA plugin: what `tenfold devices` and `doctor` find, a first
# program, and VGG19 and BERT beside JAX (cuda_xla.py). Arguments go to cuda_xla.py; TENFOLD names the command.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
tenfold=${TENFOLD:-$here/../../bin/tenfold}
python=${PYTHON:-python3}
if [ -z "${TENFOLD_CUDA_PLUGIN:-}" ]; then
  # Wherever this Python has it.
  TENFOLD_CUDA_PLUGIN=$("$python" - <<'PYTHON'
import glob, importlib.util
for name in ("jax_plugins.xla_cuda13", "jax_plugins.xla_cuda12"):
    try:
        spec = importlib.util.find_spec(name)
    except ImportError:
        spec = None
    for folder in (spec.submodule_search_locations if spec else []):
        for path in glob.glob(f"{folder}/xla_cuda_plugin.so"):
            print(path)
            raise SystemExit
PYTHON
)
  export TENFOLD_CUDA_PLUGIN
fi
echo "plugin: $TENFOLD_CUDA_PLUGIN"
"$tenfold" devices
"$tenfold" run "$here/../../examples/mlp.mlir" --random --device cuda-xla
exec "$python" "$here/cuda_xla.py" --tenfold "$tenfold" "$@"
